"""The dividend per share: from a row, from a label such as "Dividends ($0.34 per share)", or from a sentence."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from indexes.facts.printed_rows import PrintedRow
from indexes.facts.rows import CENT
from indexes.facts.sentences import Sentence
from indexes.facts.statements import Part
from storage.amounts import parse_figure
from storage.lexicon.money import CODE, MINOR_SIGN, MINOR_UNIT
from storage.lexicon.words import expression
from storage.records.metrics import Metric
from storage.records.record import Box
from storage.records.reports import Report
from storage.text import plain

_IN_LABEL = expression(
    r"^(?:cash |common |ordinary |quarterly )*(?:dividends?|distributions?)\b(?!.*(?:preferred"
    r"|preference|series|equivalent))[^$€£]*"
    r"\((?P<sign>[$€£]|[A-Z]{3} )(?P<n>\d+\.\d+) per (?:common |ordinary )?share",
    re.IGNORECASE,
)
FOR_THE_YEAR = (
    3  # points of a sentence about the reported year's dividend; "none was paid" may be about another year
)
_MINOR = expression(rf"(?i)\b{MINOR_UNIT}\b|{MINOR_SIGN}")
_PER_SHARE = expression(r"\bper (?:ordinary |common )?share\b", re.IGNORECASE)
_TOTAL = expression(r"^total(?: dividends?)?(?: (?:for the year|per share|declared))?", re.IGNORECASE)
_MONEY = (
    rf"(?:(?P<sign>(?:US|A|C|AU|NZ)?\$|€|£|{CODE})\s?(?P<a>\d+(?:\.\d+"
    r")?)|(?P<b>\d+(?:\.\d+)?)\s?(?P<cents>p\b|pence|cents))"
)
_STATED = (
    (
        4,
        expression(
            r"(?i)\btotal (?:ordinary )?dividends? (?:for the (?:full |financial )?year"
            rf"|per share)[^.;]{{0,80}}?\b(?:of|to|was|is|at) {_MONEY}(?: per|\s?\()?"
        ),
    ),
    (
        3,
        expression(
            rf"(?i)\b(?:propos\w+|(?:shareholders?'?|their) approval)[^.;]{{0,80}}?dividend"
            rf"[^.;]{{0,40}}? of {_MONEY} (?:per|for each) (?:\w+ )?(?:share|unit)"
        ),
    ),
    (
        3,
        expression(
            rf"(?i)\bdividend of {_MONEY} (?:per|for each) (?:\w+ ){{0,2}}(?:share|unit)[^.;]{{0,80}}(?:w"
            r"ill be proposed|propose|for (?:the )?(?:financial |fiscal )?(?:year )?20\d\d)"
        ),
    ),
    (2, expression(rf"(?i)\b(?:annual |full[- ]year |regular )dividends? of {_MONEY} per (?:\w+ )?share")),
)
_NOT_NOW = expression(
    r"(?i)\b(?:quarter|interim|final|special|subsequent|since|preferred|series|may|if|would|policy|per month|monthly)\b"
)
NONE_PAID = expression(
    r"(?i)\b(?:(?:have|has) (?:never|not)|did not|do(?:es)? not|never)\b[^.;]{0,60}\b(?:declare"
    r"|paid|pay|propose)\w*\b[^.;]{0,40}\bdividends?"
    r"|\bno (?:\w+ )?(?:dividends?|distributions?)\b[^.;]{0,40}\b(?:paid|declared"
    r"|proposed|recommended|determined)|no history of paying"
)


@dataclass(frozen=True)
class Dividend:
    """A dividend per share, in full units of the currency."""

    value: Decimal
    printed: str
    scale: Decimal
    page_number: int
    row_label: str
    from_row: bool
    box: Box | None = None


def dividend(
    metric: Metric, parts: Sequence[Part], sentences: Sequence[Sentence], report: Report
) -> Dividend | None:
    """The year's dividend; None where none is printed, or where sentences say that none was paid."""
    for source in (_named_rows(metric, parts), _label_amounts(parts, report), _totals(parts)):
        found = next(source, None)
        if found is not None:
            return found
    stated = sorted(_stated(sentences, report), key=lambda pair: -pair[0])
    if stated and stated[0][0] >= FOR_THE_YEAR:
        return stated[0][1]
    if any(NONE_PAID.search(s.text) and "preferred" not in s.text.lower() for s in sentences):
        return None
    return stated[0][1] if stated else None


def _named_rows(metric: Metric, parts: Sequence[Part]) -> Iterator[Dividend]:
    found = []
    for part in parts:
        if part.current is None or part.current.period is None or part.prose > 3:
            continue
        if part.current.period.months not in (None, 12):
            continue
        for row in part.rows:
            place = metric.place(row.label, row.heading)
            figure = row.at(part.current.index)
            if place is None or figure is None or figure.value is None or not 0 < figure.value < 1000:
                continue
            found.append((place, part.page_number, _of_row(row, part.current.index)))
    for _, _, dividend_ in sorted(found, key=lambda f: f[:2]):
        if dividend_ is not None:
            yield dividend_


def _label_amounts(parts: Sequence[Part], report: Report) -> Iterator[Dividend]:
    """Amounts in labels of the equity statement, within the rows of the reported year."""
    end = report.period_end
    for part in parts:
        held: list[Dividend] = []
        for row in part.rows:
            label = plain(row.label)
            if match := _IN_LABEL.search(label):
                value = Decimal(match["n"])
                held.append(Dividend(value, match["n"], Decimal(1), row.page_number, label[:200], True))
            if re.match(r"(?i)balances?\b", label):
                if held and (end is None or str(end.year) in label) and len(held) == 1:
                    yield held[0]
                held = []


def _totals(parts: Sequence[Part]) -> Iterator[Dividend]:
    """The total of a per-share column in a table of dividends."""
    for part in parts:
        if not re.search(r"(?i)\bdividends?\b", f"{part.title} {part.above}"):
            continue
        columns = [c for c in part.columns if _PER_SHARE.search(c.header) or _MINOR.search(c.header)]
        rows = [r for r in part.rows if _TOTAL.match(plain(r.label))]
        if not columns or not rows or not any("dividend" in r.label.lower() for r in part.rows):
            continue
        for row in rows:
            current = next(
                (
                    c
                    for c in columns
                    if c.period
                    and part.current
                    and part.current.period
                    and c.period.end.year == part.current.period.end.year
                ),
                None,
            )
            if current is not None and (
                found := _of_row(row, current.index, _MINOR.search(current.header) is not None)
            ):
                yield found


def _stated(sentences: Sequence[Sentence], report: Report) -> Iterator[tuple[float, Dividend]]:
    year = report.period_end.year if report.period_end else None
    for sentence in sentences:
        if "ividend" not in sentence.text:
            continue
        for points, rule in _STATED:
            for match in rule.finditer(sentence.text):
                years = {int(y) for y in re.findall(r"\b20\d\d\b", sentence.text)}
                if _NOT_NOW.search(match[0]) or (year and years and year not in years and year + 1 not in years):
                    continue
                printed = match["a"] or match["b"]
                scale = CENT if match["cents"] else Decimal(1)
                value = Decimal(printed) * scale
                if 0 < value < 1000:
                    yield (
                        points,
                        Dividend(
                            value, printed, scale, sentence.page_number, sentence.text[:200], False, sentence.box
                        ),
                    )


def _of_row(row: PrintedRow, column: int, in_cents: bool = False) -> Dividend | None:
    figure = row.at(column)
    if (
        figure is None
        or figure.value is None
        or figure.value <= 0
        or (parse_figure(figure.printed) is None and not figure.value)
    ):
        return None
    scale = CENT if in_cents or row.in_cents else Decimal(1)
    return Dividend(
        figure.value * scale, figure.printed, scale, row.page_number, plain(row.words)[:200], True, figure.box
    )
