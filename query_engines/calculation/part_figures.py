"""The figure of a part of a breakdown, its share and its growth, and which of several answers is the surest."""

import re
from decimal import Decimal

from query_engines.calculation.derivation import Derivation, Operand, in_sizes, result_of
from storage.lexicon.words import expression
from storage.records.derived_metrics import DerivedMetric, DerivedUnit
from storage.records.facts import Breakdown, Fact, PrintedPart, PrintedValue
from storage.records.metrics import Metric
from storage.records.queries import PartOperation
from storage.records.record import Record
from storage.text import plain, stems

_FOOTNOTE = expression(r"(?<=[a-z)]) ?(?:\(\w{1,2}\)|\d{1,2}|[*†‡])$")
_NEAR = Decimal("0.06")
_SAME_SIZE = Decimal("0.006")
HUNDRED = Decimal(100)
YEAR_ALONE, _TITLE = expression(r"20\d\d"), 90  # letters


class PartsFound(Record):
    """The parts that a question asks for, in one breakdown.

    Attributes:
        chosen: the parts, in the order of the answer.
        statement: the figures that decide, in words.
        fact: the figure of the one part, where its value is asked for.
        derivation: its share or growth, where that is asked for.
        year: of the figures, where those of all parts are asked for; None for the only ones.
    """

    breakdown: Breakdown
    chosen: tuple[PrintedPart, ...]
    statement: str = ""
    fact: Fact | None = None
    derivation: Derivation | None = None
    year: int | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parts, without what all parts of the table have in common."""
        return tuple(names_of_parts(self.breakdown)[part.name, part.heading] for part in self.chosen)


def surest(fitting: list[tuple[Decimal, PartsFound]]) -> PartsFound | None:
    """The answer that fits best; None where there is none, or where another that fits nearly as well disagrees."""
    if not fitting:
        return None
    best = max(score for score, _ in fitting)
    near = [answer for score, answer in fitting if best - score <= _NEAR]
    first = next(answer for score, answer in fitting if score == best)
    return first if all(_agree(first, other) for other in near) else None


def figure_of_part(
    operation: PartOperation, breakdown: Breakdown, part: PrintedPart, metric: Metric | None, year: int | None
) -> PartsFound | None:
    """The share, growth or value of one part."""
    name = shown_name(breakdown, part)
    of = metric.title.lower() if metric is not None else breakdown.subject[:80].lower() or "the total"
    scale = breakdown.scale
    if operation == "growth":
        title, formula = f"Growth of {name}, {of}", "(part - opening(part)) / abs(opening(part))"
        operands = [
            _operand(breakdown, part, name, year),
            _operand(breakdown, part, name, year and year - 1, before=True),
        ]
    elif operation == "share" and not breakdown.is_percent:
        title, formula = f"Share of {name} in {of}", "part / whole"
        whole = _operand(breakdown, breakdown.total, "Total", year)
        operands = [_operand(breakdown, part, name, year), whole]
    else:
        value = part.of(year)
        is_asked = breakdown.is_percent == (operation == "share")
        if value is None or scale is None or not is_asked:
            return None
        return PartsFound(breakdown=breakdown, chosen=(part,), fact=_fact(breakdown, part, value, name))
    if operation == "growth" and not breakdown.years:
        return None  # both figures would be the only one
    known = [operand for operand in operands if operand is not None]
    if len(known) < len(operands):
        return None
    if operation == "growth":
        facts = in_sizes(f"{name} {of}", [operand.fact for operand in known])
        known = [o.model_copy(update={"fact": fact}) for o, fact in zip(known, facts, strict=True)]
    made = _derived(title, "percent", formula, known, year)
    if made is not None and operation == "share" and not 0 <= (made.value or 0) <= HUNDRED:
        return None  # what it is taken for the whole is not the whole
    return PartsFound(breakdown=breakdown, chosen=(part,), derivation=made) if made else None


def in_money(growth: Derivation) -> Derivation:
    """The growth of a part as the difference of its two figures."""
    title = growth.metric.title.replace("Growth", "Change", 1)
    return _derived(title, "amount", "part - opening(part)", list(growth.operands), growth.year) or growth


def _derived(
    title: str, unit: DerivedUnit, formula: str, operands: list[Operand], year: int | None
) -> Derivation | None:
    metric = DerivedMetric.model_validate({"id": "of_part", "title": title, "unit": unit, "formulas": [formula]})
    return result_of(metric, operands, year)


def _operand(
    breakdown: Breakdown, part: PrintedPart, name: str, year: int | None, *, before: bool = False
) -> Operand | None:
    value = part.of(year)
    if value is None or not value.value:
        return None
    fact = _fact(breakdown, part, value, name)
    metric = "whole" if part is breakdown.total else "part"
    return Operand(metric=metric, title=name, moment="opening" if before else "closing", fact=fact)


def _fact(breakdown: Breakdown, part: PrintedPart, value: PrintedValue, name: str) -> Fact:
    scale = breakdown.scale or Decimal(1)
    return Fact(
        metric="of_part",
        value=value.value * scale,
        printed=value.printed,
        scale=scale,
        currency=None if breakdown.is_percent else breakdown.currency,
        period=value.period,
        statement="notes",
        report_sha1=breakdown.report_sha1,
        page_number=breakdown.page_number,
        boxes=(value.box,) if value.box else (),
        row_label=breakdown.subject if breakdown.is_row else _said_of(breakdown, part.name or name),
    )


def _said_of(breakdown: Breakdown, name: str) -> str:
    """The name of a part; a year alone says nothing without the title of its schedule."""
    title = plain(breakdown.title or breakdown.subject).rstrip(" :.")[:_TITLE]
    return f"{title}: {name}" if YEAR_ALONE.fullmatch(name.strip()) and title else name


def _agree(one: PartsFound, other: PartsFound) -> bool:
    """Whether two breakdowns give the same answer: the same names, or figures that differ by rounding."""
    if one.derivation is not None and other.derivation is not None:
        return _is_close(one.derivation.value, other.derivation.value)
    if one.fact is not None and other.fact is not None:
        return _is_close(one.fact.value, other.fact.value)
    if one.fact is not None or other.fact is not None or one.derivation or other.derivation:
        return False
    mine, its = ([stems(name) for name in found.names] for found in (one, other))
    return len(mine) == len(its) and all(any(a <= b or b <= a for b in its) for a in mine)


def _is_close(one: Decimal | None, other: Decimal | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= _SAME_SIZE * max(abs(one), abs(other))


def shown_name(breakdown: Breakdown, part: PrintedPart) -> str:
    """The name of a part as it is said in an answer."""
    return names_of_parts(breakdown)[part.name, part.heading]


def names_of_parts(breakdown: Breakdown) -> dict[tuple[str, str], str]:
    """Each part's name without footnote marks, "Total" and the words at the end that all parts have."""
    bare = {(p.name, p.heading): _bare(p.name) for p in breakdown.parts}
    split = [name.split() for name in bare.values()]
    shortest = min(map(len, split), default=1)
    common = 0
    while common < shortest - 1 and len({words[-1 - common].lower() for words in split}) == 1:
        common += 1
    if common and len(split) > 1:
        return {key: " ".join(name.split()[:-common]).rstrip(" -,:") for key, name in bare.items()}
    return bare


def _bare(name: str) -> str:
    text = re.sub(r"^total (?=\w)", "", _FOOTNOTE.sub("", plain(name)), flags=re.IGNORECASE)
    return text.rstrip(" :.")
