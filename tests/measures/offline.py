"""How good answers are without any language model: `python -m tests.measures.offline FOLDER --data DIR`.

The library must hold the reports of FOLDER/truth (`pageproof ingest FOLDER/reports`). Asked are the known facts in the
challenge's words and in two everyday wordings, the known questions of every kind, round 2's known questions, round 1's
(nearly all of them without an answer), metrics of other industries, and rows of tables that no ontology knows: of the
report itself, and of another company's report, where the answer is that there is none.
"""

import argparse
import json
import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from app import open_pageproof
from app.assembly.client import Pageproof
from app.evaluation.fact_scores import outcome
from app.evaluation.scoring import agreement, score
from app.evaluation.truth import Truth, read_truth
from app.files.answers import WrittenAnswer
from indexes.facts.printed_rows import table_rows
from storage.records.answers import Answer
from storage.records.metrics import folded
from storage.records.pages import Page
from storage.records.questions import AnswerKind, Question
from tests.support.known_facts import PARAPHRASES
from tests.support.row_questions import DrawnRow, alone, draw_rows, with_table

ROWS = 300
INDUSTRY = (
    *(
        "Number of stores",
        "Cloud storage capacity (TB)",
        "Number of patents",
        "Total deposits",
        "Loans outstanding",
    ),
    *("Number of hospital beds owned", "Number of vehicles sold", "Proven oil and gas reserves", "Fleet size"),
    *("Number of subscribers", "Rooms available", "R&D pipeline candidates", "Number of active software licenses"),
)
INDUSTRY_WORDING = (
    "For {}, what was the value of {} at the end of the period listed in annual report? If data is not available, "
    "return 'N/A'."
)
LET_GO = (
    "What is the total number of employees let go by {} according to the annual report? If data is not available, "
    "return 'N/A'."
)
_CONTENT = re.compile(r"[A-Za-z]{4,}|\d[\d,.]*\d|\d")


class KnownQuestion(NamedTuple):
    """A question with what is known of its answer, and whether a yes would be falling for a trap."""

    truth: Truth
    is_trap: bool = False
    statement: str = ""


class Given(NamedTuple):
    """What was answered, and how that is."""

    question: KnownQuestion
    answer: Answer
    outcome: Literal["right", "wrong", "missing", "invented", "right_na"]
    on_page: bool


def fact_sets(facts: Sequence[Truth]) -> dict[str, list[KnownQuestion]]:
    """The facts in the challenge's words and in both everyday wordings."""
    sets = {"facts": [KnownQuestion(fact) for fact in facts]}
    for i in range(2):
        sets[f"everyday {i + 1}"] = [
            KnownQuestion(fact.model_copy(update={"question": _everyday(fact, i)}))
            for fact in facts
            if fact.metric in PARAPHRASES
        ]
    return sets


def _everyday(fact: Truth, which: int) -> str:
    return PARAPHRASES[fact.metric or ""][1][which].replace("COMPANY", fact.company or "")


def known_questions(path: Path) -> list[KnownQuestion]:
    """The questions of every kind, with their traps and what an open answer should say."""
    by_text = {q["text"]: q for report in json.loads(path.read_text("utf-8")) for q in report["questions"]}
    return [
        KnownQuestion(
            truth, "trap" in by_text[truth.question], " ".join(by_text[truth.question].get("must_say", ()))
        )
        for truth in read_truth(path).truths
    ]


def industry_questions(client: Pageproof) -> list[KnownQuestion]:
    """Metrics of other industries, asked of every report; what is right is for the reader to say."""
    questions = []
    for company in client.companies():
        wordings = [INDUSTRY_WORDING.format(company.name, metric) for metric in INDUSTRY]
        for text in [*wordings, LET_GO.format(company.name)]:
            questions.append(
                KnownQuestion(Truth(question=text, kind="number", answers=("N/A",), company=company.name))
            )
    return questions


def row_sets(client: Pageproof, halved: Literal["looked at", "held out", "all"]) -> dict[str, list[KnownQuestion]]:
    """Rows beyond the ontology: with their table's name, without, and asked of a report that does not have them."""
    reports = {r.sha1: r for c in client.companies() for r in c.reports}
    pages = {sha1: client.pages.read(sha1, range(1, r.page_count + 1)) for sha1, r in reports.items()}
    wanted = {
        s for i, s in enumerate(sorted(reports)) if halved == "all" or ("looked at", "held out")[i % 2] == halved
    }
    rows = draw_rows({s: pages[s] for s in sorted(wanted)}, reports, ROWS)
    values = {(r.report.sha1, r.page_number, r.label): _values(pages[r.report.sha1], r) for r in rows}
    sets: dict[str, list[KnownQuestion]] = {}
    for name, questions in {"rows": with_table(rows), "rows alone": alone(rows)}.items():
        sets[name] = [
            KnownQuestion(
                Truth(
                    question=question.text,
                    kind="number",
                    answers=values[row.report.sha1, row.page_number, row.label],
                    pools=(frozenset({(row.report.sha1, row.page_number)}),),
                    report_sha1=row.report.sha1,
                    company=row.report.company,
                )
            )
            for row, question in zip(rows, questions, strict=True)
            if values[row.report.sha1, row.page_number, row.label]
        ]
    others = sorted(wanted)
    strange = []
    for number, requested in enumerate(sets["rows alone"]):
        other = reports[others[(others.index(requested.truth.report_sha1 or "") + 1 + number) % len(others)]]
        if other.sha1 != requested.truth.report_sha1:
            text = requested.truth.question.replace(requested.truth.company or "", other.company)
            strange.append(
                KnownQuestion(Truth(question=text, kind="number", answers=("N/A",), company=other.company))
            )
    return sets | {"rows of others": strange}


def _values(pages: Sequence[Page], row: DrawnRow) -> tuple[float, ...]:
    """The drawn row's figures in columns of the reported year, else of no year, in printed and in full units.

    A table that names no unit may share that of most tables; costs are printed with and without a minus.
    """
    found: dict[float, None] = {}
    common = Counter(c.scale for page in pages for table in page.tables for c in table.columns if c.scale)
    usual = common.most_common(1)[0][0] if common else 1
    for table in pages[row.page_number - 1].tables:
        for printed in table_rows(table, row.page_number):
            if folded(printed.label) != folded(row.label):
                continue
            columns = {f.column: table.columns[f.column] for f in printed.figures if f.column < len(table.columns)}
            year = row.report.period_end.year if row.report.period_end else None
            figures = [
                f for f in printed.figures if (p := columns[f.column].period) is not None and p.year == year
            ]
            plain = [f for f in printed.figures if columns[f.column].period is None]
            for figure in figures or plain:
                if figure.value is not None:
                    for scale in {1, columns[figure.column].scale or usual}:
                        found |= {float(figure.value * scale): None, float(-figure.value * scale): None}
    return tuple(found)


async def ask_all(client: Pageproof, questions: Sequence[KnownQuestion]) -> list[Given]:
    """Ask one after another, as one person would."""
    return [_given(a, await client.aask(_question(a.truth))) for a in questions]


def _question(truth: Truth) -> Question:
    kind: AnswerKind = truth.kind  # type: ignore[assignment]  # a truth file's kinds are the challenge's
    return Question(text=truth.question, kind=kind)


def _given(question: KnownQuestion, answer: Answer) -> Given:
    wanted = frozenset[tuple[str, int]]().union(*(question.truth.pools or ()))
    on_page = any((c.report_sha1, c.page) in wanted for c in answer.citations)
    found = outcome(question.truth, answer.value)
    if question.truth.kind == "text" and answer.is_available:
        found = "right" if on_page else "wrong"
    if found == "wrong" and question.truth.is_not_available:
        return Given(question, answer, "invented", on_page)
    if question.truth.kind == "names" and 0 < _jaccard(question, answer) < 1:
        found = "right" if _jaccard(question, answer) >= 0.5 else "wrong"
    return Given(question, answer, found, on_page)


def _jaccard(question: KnownQuestion, answer: Answer) -> float:
    return agreement(question.truth, list(answer.value) if isinstance(answer.value, tuple) else answer.value)


def print_set(name: str, given: Sequence[Given]) -> None:
    """Outcomes by kind, the share of the right on the right page, and milliseconds."""
    by_kind = defaultdict(list)
    for one in given:
        by_kind[_group(one.question.truth)].append(one)
    milliseconds = statistics.median(1000 * one.answer.seconds for one in given)
    print(f"\n## {name}: {len(given)} questions, {milliseconds:.0f} ms at the median")
    print("| kind | n | right | right N/A | wrong | missing | invented | right page of the right |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for kind, ones in [*by_kind.items(), ("all", list(given))]:
        counts = Counter(one.outcome for one in ones)
        right = [one for one in ones if one.outcome == "right" and one.answer.value is not False]
        cited = [one.on_page for one in right if one.question.truth.pools]
        page = f"{100 * sum(cited) / len(cited):.0f} %" if cited else ""
        line = " | ".join(str(counts[o]) for o in ("right", "right_na", "wrong", "missing", "invented"))
        print(f"| {kind} | {len(ones)} | {line} | {page} |")
    _print_more(given)


def _group(truth: Truth) -> str:
    return truth.metric if truth.metric and truth.kind != "number" else truth.kind


def _print_more(given: Sequence[Given]) -> None:
    traps = [g for g in given if g.question.is_trap]
    names = [_jaccard(g.question, g.answer) for g in given if g.question.truth.kind == "names"]
    shares = [_share_covered(g) for g in given if g.question.statement and g.answer.is_available]
    for event in ("mergers or acquisitions mentioned", "share buyback announced"):
        if marks := [g for g in given if g.question.truth.metric == event]:
            print(f"{event}: balanced accuracy {_balanced(marks):.2f}")
    if traps:
        print(f"traps fallen for: {sum(g.answer.value is True for g in traps)} of {len(traps)}")
    if names:
        answerable = [_jaccard(g.question, g.answer) for g in given if _is_names(g)]
        print(
            f"names: mean Jaccard {statistics.mean(names):.2f}; where there are any {statistics.mean(answerable):.2f}"
        )
    if shares:
        print(
            f"open answers: {len(shares)} given, with {statistics.mean(shares):.2f} of the words that they must say"
        )


def _is_names(given: Given) -> bool:
    return given.question.truth.kind == "names" and not given.question.truth.is_not_available


def _share_covered(given: Given) -> float:
    wanted = {word.lower() for word in _CONTENT.findall(given.question.statement)}
    return len(wanted & {word.lower() for word in _CONTENT.findall(str(given.answer.value))}) / len(wanted)


def _balanced(marks: Sequence[Given]) -> float:
    """The mean of the share of yes that was said to be yes, and of no to be no; N/A is neither."""
    shares = []
    for truth in (True, False):
        own = [g for g in marks if truth in g.question.truth.answers]
        if own:
            shares.append(sum(g.answer.value is truth for g in own) / len(own))
    return statistics.mean(shares)


def print_challenge(name: str, given: Sequence[Given]) -> None:
    """The challenge's score, beside that of saying N/A to everything."""
    truths = [g.question.truth for g in given]
    own = score(truths, [_written(g.question.truth.question, g.answer) for g in given])
    silent = score(truths, [WrittenAnswer(question=t.question, value="N/A") for t in truths])
    print(f"{name}: challenge score {own.score:.1f} (values {own.G:.1f}); nothing but N/A {silent.score:.1f}")


def _written(question: str, answer: Answer) -> WrittenAnswer:
    value = list(answer.value) if isinstance(answer.value, tuple) else answer.value
    pages = frozenset((c.report_sha1, c.page) for c in answer.citations)
    return WrittenAnswer(question=question, value=value, references=pages)


def print_errors(given: Iterable[Given]) -> None:
    """What was not right, for reading."""
    for one in given:
        if one.outcome in ("right", "right_na") and (one.on_page or not one.question.truth.pools):
            continue
        cited = [c.page for c in one.answer.citations]
        wanted = sorted(page for pool in one.question.truth.pools or () for _, page in pool)
        print(f"- {one.outcome}: {one.question.truth.question}")
        print(f"    given {one.answer.value!r} on {cited}; known {one.question.truth.answers} on {wanted}")
        print(f"    {one.answer.reason or ''} {one.answer.summary[:300]}")


def main() -> None:
    """Measure over FOLDER's truth."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "folder", type=Path, help="Holds truth/facts.json, questions.json and the challenge's files."
    )
    parser.add_argument("--data", type=Path, help="The library's folder; else PAGEPROOF_DATA, else ./data.")
    parser.add_argument("--only", default="", help="Sets whose name has this in it; all, where not given.")
    parser.add_argument(
        "--rows", choices=("looked at", "held out", "all"), default="all", help="Whose rows are drawn."
    )
    parser.add_argument("--errors", action="store_true", help="Print what was not right.")
    parser.add_argument(
        "--set", action="append", default=[], dest="overrides", help="A setting, section.key=value."
    )
    arguments = parser.parse_args()
    truth = arguments.folder / "truth"
    with open_pageproof(
        "offline", overrides=["answers.strictness=strict", *arguments.overrides], data=arguments.data
    ) as client:
        sets = fact_sets(read_truth(truth / "facts.json").truths)
        sets["questions"] = known_questions(truth / "questions.json")
        for name in ("erc2", "erc1"):
            sets[name] = [KnownQuestion(t) for t in read_truth(truth / f"{name}_answers.json").truths]
        sets["industry"] = industry_questions(client)
        sets |= row_sets(client, arguments.rows) if "rows".startswith(arguments.only[:4]) else {}
        for name, questions in sets.items():
            if arguments.only not in name:
                continue
            given = client.run(ask_all(client, questions))
            print_set(name, given)
            if name.startswith("erc"):
                print_challenge(name, given)
            if arguments.errors:
                print_errors(given)


if __name__ == "__main__":
    main()
