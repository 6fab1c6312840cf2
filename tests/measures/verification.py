"""`python -m tests.measures.verification ROOT --pages STORE`: verification over known facts, as Markdown.

Every known figure becomes the draft that a model ought to write, and eight that are wrong in one respect each. ROOT
holds truth/facts.json; STORE holds page records. The fact table is not asked: what is measured is the page alone.
"""

import argparse
import datetime as dt
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from app.evaluation.truth import Truth, read_truth
from prompts.drafts import Evidence
from prompts.kinds.number import NumberDraft
from query_engines.question.parser import read_text
from query_engines.verification.printed_figures import cells_with, column_of, row_label
from query_engines.verification.verify import Verification, verify
from storage.amounts import parse_figure
from storage.records.metrics import Metric, Ontology
from storage.records.pages import Page
from storage.records.questions import Question
from storage.records.reports import Report
from storage.stores.pages import PageStore
from tests.support.known_facts import METRICS

NEIGHBOURS = 2  # pages given before and after the right one
WORDS = 30  # of a quote, as the form asks for
_FIGURE = re.compile(r"\([$€£]?\d[\d,.'’]*\)|[-−–]?\d[\d,.'’]*")


@dataclass(frozen=True)
class Known:
    """A known figure with the pages given for it."""

    truth: Truth
    report: Report
    printed: str
    scale: int | None
    pages: Mapping[int, Page]
    page: Page
    line: str
    period: str | None

    @property
    def name(self) -> str:
        return f"{self.report.sha1[:6]} p.{self.page.page_number} {self.truth.metric} {self.printed}"


def main() -> None:
    """Print the measures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--pages", type=Path, required=True)
    options = parser.parse_args()
    known, unread = known_figures(options.root / "truth" / "facts.json", options.pages)
    counts: Counter[tuple[str, bool]] = Counter()
    listed = []
    for figure in known:
        for respect, draft in drafts(figure):
            checked = verify(
                draft, read_text(Question(text=figure.truth.question, kind="number")), figure.report, figure.pages
            )
            summary = judge(respect, draft, checked)
            counts[respect, summary is None] += 1
            if summary is not None:
                listed.append(f"- {respect}: {figure.name}: {summary}")
    print(f"{len(known)} figures of {len({k.report.sha1 for k in known})} reports.\n")
    print("| draft | as it should be | not |\n|---|---|---|")
    for respect in dict.fromkeys(respect for respect, _ in counts):
        print(f"| {respect} | {counts[respect, True]} | {counts[respect, False]} |")
    print("\n" + "\n".join(listed))
    print("\nNot found in the page records: " + ("; ".join(unread) or "none"))


def known_figures(path: Path, store: Path) -> tuple[list[Known], list[str]]:
    """The figures whose page record prints them, and the others."""
    ontology, known, unread = Ontology.load(), [], []
    truths = iter(read_truth(path).truths)
    for entry in json.loads(path.read_text()):
        archives = sorted((store / entry["sha1"]).glob("*.zip"), key=lambda p: p.stat().st_mtime)
        stored = PageStore(store, archives[-1].stem) if archives else None
        for fact in entry["facts"]:
            truth = next(truths)
            if fact["kind"] != "number" or not fact["pages"] or not fact["printed"] or fact["value"] == "N/A":
                continue
            metric = METRICS.get(fact["metric"])
            found = stored and _known(truth, fact, entry, stored, ontology[metric] if metric else None)
            if found:
                known.append(found)
            else:
                unread.append(f"{entry['sha1'][:6]} p.{fact['pages'][0] + 1} {fact['metric']} {fact['printed']}")
    return known, unread


def _known(
    truth: Truth, fact: Mapping[str, Any], entry: Mapping[str, Any], pages_of: PageStore, metric: Metric | None
) -> Known | None:
    for number in [index + 1 for index in fact["pages"]]:
        pages = _given(pages_of, entry["sha1"], number)
        lines = [li for li in pages[number].markdown.splitlines() if _as_printed(fact["printed"], li)]
        if not lines:
            continue
        line = next((li for li in lines if metric and metric.rank(_label(li)) is not None), lines[0])
        report = Report(
            sha1=entry["sha1"],
            file=f"{entry['sha1']}.pdf",
            company=entry["company"],
            page_count=max(pages),
            currency=entry["currency"],
            period_end=dt.date.fromisoformat(entry["period_end"]),
        )
        figure, page = _as_printed(fact["printed"], line) or "", pages[number]
        period = _period(figure, line, page)
        scale = int(fact["scale"]) if fact["scale"] >= 1 else None  # figures in cents have none, as the form asks
        return Known(truth, report, figure, scale, pages, page, _shortened(line, figure), period)
    return None


def _given(pages_of: PageStore, sha1: str, number: int) -> dict[int, Page]:
    given: dict[int, Page] = {}
    for near in range(max(1, number - NEIGHBOURS), number + NEIGHBOURS + 1):
        try:
            (given[near],) = pages_of.read(sha1, [near])
        except KeyError:
            break
    return given


def _as_printed(known: str, line: str) -> str | None:
    """The figure with the brackets or minus that the line prints."""
    size = parse_figure(known)
    if size is None:
        return known if known in line else None
    tokens = (token.rstrip(".,'’") for token in _FIGURE.findall(line))
    return next((t for t in tokens if (v := parse_figure(t)) is not None and abs(v) == abs(size)), None)


def _label(line: str) -> str:
    return next((cell.strip() for cell in line.split("|") if cell.strip()), "")


def _period(printed: str, line: str, page: Page) -> str | None:
    """The heading of the figure's column in that line, as a model would copy it."""
    value = parse_figure(printed)
    for table, cell in cells_with(value, page) if value is not None else ():
        if row_label(table, cell.row) in line:
            return column_of(table, cell).header or None
    return None


def _shortened(line: str, printed: str) -> str:
    words = line.split()
    at = next((i for i, word in enumerate(words) if printed.split()[0] in word), 0)
    start = 0 if line.startswith("|") else max(0, at - WORDS // 2)
    return " ".join(words[start : max(at + 1, start + WORDS)])


def drafts(known: Known) -> Iterator[tuple[str, NumberDraft]]:
    """The right draft, then the wrong ones, each with what is wrong in it."""
    truth = Decimal(repr(known.truth.answers[0]))
    yield "right", _draft(known, truth)
    yield "value x1000", _draft(known, truth * 1000)
    yield "value /1000", _draft(known, truth / 1000)
    yield "scale and value x1000", _draft(known, truth * 1000, scale=(known.scale or 1) * 1000)
    if known.scale and known.scale >= 1000:
        yield "scale and value /1000", _draft(known, truth / 1000, scale=known.scale // 1000)
    yield "sign", _draft(known, -truth)
    pools = known.truth.pools or ()
    right = {page for pool in pools for _, page in pool}
    for other in sorted(set(known.pages) - right, key=lambda n: abs(n - known.page.page_number))[:1]:
        yield "another given page", _draft(known, truth, page=other)
    yield "a page not given", _draft(known, truth, page=max(known.pages) + 1)
    if not any(sign.isdigit() for sign in known.printed):
        return  # a dash or a word
    printed = _digit_changed(known.printed)
    value = (parse_figure(printed) or Decimal(0)) * (known.scale or Decimal("0.01"))
    value = abs(value) if truth > 0 else -abs(value)
    yield "digit in the figure", _draft(known, value, printed=printed)
    yield (
        "digit in figure and quote",
        _draft(known, value, printed=printed, quote=known.line.replace(known.printed, printed)),
    )


def _draft(
    known: Known,
    value: Decimal,
    *,
    page: int | None = None,
    scale: int | None = None,
    printed: str | None = None,
    quote: str | None = None,
) -> NumberDraft:
    number = page or known.page.page_number
    return NumberDraft(
        step_by_step_analysis="…",
        reasoning_summary="…",
        evidence=[
            Evidence(
                page=number,
                quote=quote or known.line,
                printed_figure=printed or known.printed,
                scale=scale or known.scale,
                currency=known.report.currency,
                period=known.period,
            )
        ],
        relevant_pages=[number],
        unavailable_because=None,
        final_answer=float(value),
    )


def _digit_changed(printed: str) -> str:
    """The figure with its last digit one higher."""
    at = max(i for i, sign in enumerate(printed) if sign.isdigit())
    return printed[:at] + str((int(printed[at]) + 1) % 10) + printed[at + 1 :]


def judge(respect: str, draft: NumberDraft, checked: Verification) -> str | None:
    """What is not as it should be; None where nothing is."""
    failed = [f"{c.name}: {c.detail}" for c in checked.failed]
    if respect != "right":
        return None if failed else "slipped through: " + _summary(checked)
    pages: Sequence[int] = [c.page for c in checked.citations]
    if failed:
        return "; ".join(failed)
    return None if pages == draft.relevant_pages else f"cites {pages}, not {draft.relevant_pages}"


def _summary(checked: Verification) -> str:
    return "; ".join(f"{c.name} {c.verdict} ({c.detail})" for c in checked.checks if c.name != "fact_table")


if __name__ == "__main__":
    main()
