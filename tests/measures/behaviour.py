"""Answers kept as lines of JSON, and what a change makes of them.

    python -m tests.measures.behaviour samples                             # the questions about the sample reports
    python -m tests.measures.behaviour real FOLDER --data LIBRARY          # the known questions about real reports

Each prints the questions that are answered differently now, and the counts. With `--write` the file is written anew: it
belongs into the commit that changes the answers, after its differences were looked at. FOLDER holds truth/*.json; the
real questions stay there, and the file has their digests.
"""

import argparse
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import cast

from app import open_pageproof
from app.assembly.client import Pageproof
from app.evaluation.fact_scores import outcome
from app.evaluation.truth import Truth, read_truth
from query_engines.routing.dialogue import Conversation
from storage.errors import PageproofError
from storage.records.answers import Answer
from storage.records.questions import AnswerKind, Question
from storage.records.record import Record
from tests.support.known_comparisons import Case, cases, is_right, known_figures
from tests.support.libraries import ingest_samples
from tests.support.understood import digest_of

FOLDER = Path(__file__).parents[1] / "behaviour"
SAMPLES, REAL = FOLDER / "samples.jsonl", FOLDER / "real.jsonl"
_SETS = ("facts.json", "voices.json", "questions.json", "analyst_a.json")
ALONE = ("answers.cache=false", "runs.log=false")  # of clients that answer anew each time and keep nothing
_STRICT = (*ALONE, "answers.strictness=strict")  # the challenge's rule, by which the truth about real reports is


class Frozen(Record):
    """One question and what was answered.

    Attributes:
        text: of the question; of a question about a real report its digest.
        before: what was asked before it in the conversation.
        of: the set of questions that it is from.
        query: what was understood: the operation, what is asked about, companies and periods.
        value: shortened where it is long.
        ticked: there is an answer, and no check failed.
        page: that is cited first.
        outcome: right, wrong or missing, where the answer is known.
    """

    text: str
    before: tuple[str, ...] = ()
    of: str = ""
    query: str = ""
    kind: str = ""
    value: str = "N/A"
    reason: str | None = None
    ticked: bool = False
    page: int | None = None
    outcome: str = ""

    @property
    def key(self) -> tuple[str, ...]:
        """By which a line is found again."""
        return (*self.before, self.text)


def read(path: Path) -> list[Frozen]:
    """The lines of a file; none where there is no such file yet."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return [Frozen.model_validate_json(line) for line in text.splitlines()]


def write(path: Path, lines: Iterable[Frozen]) -> None:
    """Write a file anew."""
    rows = (line.model_dump_json(exclude_defaults=True) for line in lines)
    path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")


def frozen(
    text: str, answer: Answer | str, *, before: Sequence[str] = (), of: str = "", outcome: str = ""
) -> Frozen:
    """The line of an answer, or of an error."""
    if isinstance(answer, str):
        return Frozen(text=text, before=tuple(before), of=of, value=f"error: {answer[:80]}", outcome=outcome)
    understood = answer.understood
    said = (
        (understood.operation, *understood.metrics, *understood.companies, *understood.periods)
        if understood
        else ()
    )
    cited = answer.citations[0] if answer.citations else None
    return Frozen(
        text=text,
        before=tuple(before),
        of=of,
        query=" · ".join(said)[:160],
        kind=answer.kind,
        value=str(answer.value)[:80],
        reason=answer.reason,
        ticked=answer.is_available and all(check.verdict != "failed" for check in answer.checks),
        page=cited.page if cited else None,
        outcome=outcome,
    )


def asked_again(client: Pageproof, kept: Sequence[Frozen]) -> Iterator[Frozen]:
    """The questions of some lines, with what is answered now."""
    for line in kept:
        talk = Conversation(client.follow_up, client.ask)
        try:
            for earlier in line.before:
                talk.ask(earlier)
            answer: Answer | str = talk.ask(line.text) if line.before else client.ask(line.text)
        except PageproofError as error:
            answer = str(error)
        yield frozen(line.text, answer, before=line.before)


def of_real_reports(client: Pageproof, truth: Path) -> Iterator[Frozen]:
    """The known questions about real reports, with what is answered now."""
    for name in _SETS:
        for known in read_truth(truth / name).truths:
            yield _judged(client, known, name)
    for case in cases(known_figures(truth / "facts.json")):
        if not case.tied:
            yield _line(
                client, Question(text=case.text, kind=case.kind), "comparisons", partial(_of_comparison, case)
            )


def _of_comparison(case: Case, answer: Answer) -> str:
    return "right" if is_right(case, answer.value) else "missing" if answer.value == "N/A" else "wrong"


def _judged(client: Pageproof, known: Truth, name: str) -> Frozen:
    kind = cast(AnswerKind, known.kind) if name == "facts.json" else None
    return _line(
        client, Question(text=known.question, kind=kind), name, lambda answer: outcome(known, answer.value)
    )


def _line(client: Pageproof, question: Question, name: str, judge: Callable[[Answer], str]) -> Frozen:
    digest = digest_of(question)
    try:
        answer = client.ask(question)
    except PageproofError as error:
        return frozen(digest, str(error), of=name, outcome="failed")
    line = frozen(digest, answer, of=name, outcome=judge(answer))
    return line.model_copy(update={"query": ""})


def counts(lines: Iterable[Frozen]) -> Counter[tuple[str, str]]:
    """How many of each set are right, wrong, wrong and ticked, and missing."""
    found: Counter[tuple[str, str]] = Counter()
    for line in lines:
        found[line.of, line.outcome] += 1
        found[line.of, "wrong and ticked"] += line.outcome == "wrong" and line.ticked
    return found


def differences(before: Iterable[Frozen], now: Iterable[Frozen]) -> list[str]:
    """Each question that is answered differently, with both answers."""
    known = {line.key: line for line in before}
    shown = []
    for line in now:
        if (earlier := known.get(line.key)) != line:
            shown.append(f"{' / '.join(line.key)}\n  before: {_said(earlier)}\n  now:    {_said(line)}")
    return shown


def broken_budgets(before: Iterable[Frozen], now: Iterable[Frozen]) -> list[str]:
    """The sets in which fewer answers are right than before, or more are wrong and ticked."""
    was, is_now = counts(before), counts(now)
    return [
        f"{name}: {is_now[name, which]} {which}, {was[name, which]} before"
        for name in dict.fromkeys(name for name, _ in was)
        for which, sign in (("right", 1), ("wrong and ticked", -1))
        if sign * is_now[name, which] < sign * was[name, which]
    ]


def _said(line: Frozen | None) -> str:
    return "not asked" if line is None else line.model_dump_json(exclude_defaults=True, exclude={"text", "before"})


def main() -> None:
    """Ask again, and print what changed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", choices=("samples", "real"))
    parser.add_argument("folder", type=Path, nargs="?", help="Of the truth about real reports.")
    parser.add_argument("--data", type=Path, help="The library of the real reports.")
    parser.add_argument("--write", action="store_true", help="Keep what is answered now.")
    arguments = parser.parse_args()
    path = SAMPLES if arguments.which == "samples" else REAL
    before = read(path)
    with tempfile.TemporaryDirectory() as folder:
        data = arguments.data
        if arguments.which == "samples":
            ingest_samples(data := Path(folder))
        with open_pageproof("offline", overrides=ALONE if path == SAMPLES else _STRICT, data=data) as client:
            found = (
                asked_again(client, before)
                if path == SAMPLES
                else of_real_reports(client, arguments.folder / "truth")
            )
            now = list(found)
    for difference in differences(before, now):
        print(difference)
    for (name, which), count in sorted(counts(now).items()):
        print(f"{name} {which}: {count}")
    for line in broken_budgets(before, now):
        print(f"BROKEN {line}")
    if arguments.write:
        write(path, now)


if __name__ == "__main__":
    main()
