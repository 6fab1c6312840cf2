"""The number of employees: what sentences say first, then rows of tables."""

import re
from collections.abc import Iterator, Sequence

from indexes.facts.printed_rows import PrintedRow
from indexes.facts.sentences import Headcount, Sentence, headcounts, says_no_employees
from indexes.facts.statements import Part
from storage.facts import Confidence, Fact
from storage.metrics import Metric, folded
from storage.periods import Period
from storage.reports import Report
from storage.text import plain

_ROW = re.compile(
    r"^(?:total |average |monthly |year-end )*(?:number of )?(?:total )?(?:full[-"
    r" ]time )?(?:employees|headcount|staff numbers|workforce|full[- ]time equivalents?"
    r"|ftes?)\b(?!.*(?:benefit|cost|expense|\bper\b|share|option|payable|compensation"
    r"|relat|entitle|receivable|turnover|contribution|trained|fatal))"
)
_UNDER = re.compile(
    r"(?:number of|average|monthly).*(?:employees|persons|staff)|^(?:full[- ]time )?(?:employees|headcount"
    r"|staff numbers|personnel)$"
)
_ABOVE = re.compile(
    r"(?i)\b(?:average|monthly|total) (?:monthly )?number of [^.]{0,60}(?:employees|persons|staff)"
)

_LABELLED = 7.5  # points of a row whose label says that it counts people


def employees_fact(
    parts: Sequence[Part], sentences: Sequence[Sentence], report: Report, metric: Metric
) -> Fact | None:
    """The number of employees at the year's end, or its average; None where there are none or nothing says it."""
    if says_no_employees(sentences):
        return None
    year = report.period_end.year if report.period_end else None
    found = sorted(
        [*headcounts(sentences, year), *_in_rows(parts, metric.names_in_other_languages)],
        key=lambda c: (-c.score, c.page_number),
    )
    if not found:
        return None
    best = found[0]
    agree = sum(1 for c in found if c.number == best.number)
    rivals = {c.number for c in found if c.number != best.number and c.score >= best.score - 1}
    return Fact(
        metric=metric.id,
        value=best.number,
        printed=best.printed,
        period=Period(end=report.period_end) if report.period_end else None,
        statement="text",
        report_sha1=report.sha1,
        page_number=best.page_number,
        boxes=(best.box,) if best.box else (),
        row_label=best.quote[:300],
        confidence=_confidence(best, agree, len(rivals)),
    )


def _confidence(best: Headcount, agree: int, rivals: int) -> Confidence:
    if best.score >= 11 and not rivals:
        return "high"
    return "medium" if best.score >= 8 and (agree > 1 or not rivals) else "low"


def _in_rows(parts: Sequence[Part], elsewhere: Sequence[str]) -> Iterator[Headcount]:
    """Rows that count people; `elsewhere` are the labels of statements in other languages."""
    labels = {folded(name) for name in elsewhere}
    for part in parts:
        if part.current is None:
            continue
        about = f"{part.title} {part.above}"
        for row in part.rows:
            figure = row.at(part.current.index)
            if (
                figure is None
                or figure.value is None
                or figure.value <= 0
                or figure.value % 1
                or "%" in figure.printed
            ):
                continue
            score = _LABELLED if folded(row.label) in labels else _row_score(row, about)
            if score and part.current.period is not None:
                yield Headcount(figure.value, figure.printed, plain(row.words), row.page_number, score, figure.box)


def _row_score(row: PrintedRow, about: str) -> float:
    label, heading = folded(row.label), folded(row.heading)
    if re.search(r"['’]000|million|[$€£]|cost", f"{label} {heading}"):
        return 0.0
    if _ROW.search(label):
        return _LABELLED
    if label in ("total", "") and (_UNDER.search(heading) or _ABOVE.search(about)):
        return 7.0
    return 0.0
