"""Checks whether a number is printed where a draft says so, with the page's scale and sign."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from prompts.drafts import Evidence
from query_engines.calculation.derivation import Derivation
from query_engines.question.parsed import FactMatch, dimension_in
from query_engines.verification.printed_figures import (
    cells_with,
    figure_on,
    figures_in,
    row_label,
    stands_on,
    values_meant,
)
from query_engines.verification.quotes import locate
from query_engines.verification.units import (
    Wanted,
    before_figure,
    is_in_minor_unit,
    places_of,
    possible_scales,
    without_scale_word,
)
from storage.amounts import number_word
from storage.records.answers import Check, Verdict
from storage.records.derived_metrics import Formula, MissingOperand, Moment, ValueOf
from storage.records.pages import Page
from storage.text import fingerprint

_CENT = Decimal("0.01")  # the scale of a figure in cents or pence, for which drafts give none


def check_figure(
    value: object,
    wanted: Wanted,
    evidence: Sequence[Evidence],
    pages: Mapping[int, Page],
    *,
    sums: bool,
) -> Check:
    """Check whether the number is printed; with `sums`, it may be the sum of all cited figures."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return _check("not_applicable", "the answer is no number")
    given, cited = Decimal(repr(value)), [e for e in evidence if e.printed_figure]
    if sums and len(cited) > 1:
        worths = [(figure_on(e.printed_figure or "", pages[e.page]) or Decimal(0)) * (e.scale or 1) for e in cited]
        mismatches = [_figure_mismatch(None, wanted, e, pages) for e in cited]
        if mismatches == [None] * len(cited) and _equal(given, sum(worths, Decimal(0))):
            return _check("passed", f"the sum of {len(cited)} figures printed there")
    reasons = [_figure_mismatch(given, wanted, e, pages) for e in cited]
    if not reasons:
        return _check("failed", "no printed figure was cited")
    if None in reasons:
        return _check("passed", "printed there, with this scale and sign")
    return _check("failed", next(r for r in reasons if r))


def bearing(
    value: object, wanted: Wanted, evidence: Sequence[Evidence], pages: Mapping[int, Page]
) -> Sequence[Evidence]:
    """The passages that print a number; all where none does, or where it is no number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return evidence
    given = Decimal(repr(value))
    cited = (e for e in evidence if e.printed_figure)
    return [e for e in cited if _figure_mismatch(given, wanted, e, pages) is None] or evidence


def check_calculated(
    value: object,
    derivation: Derivation,
    facts: FactMatch,
    evidence: Sequence[Evidence],
    pages: Mapping[int, Page],
) -> Check:
    """Check whether each operand is printed, and whether the formula over the printed figures gives the value.

    With a judgement, the value is a yes or no, and the formula must give a figure on that side of its threshold; the
    figures beside it are checked as well.
    """
    wrong, remaining = _operands_mismatch(derivation, evidence, pages)
    result = _recalculated(derivation)
    if facts.judgement is not None and isinstance(value, bool):
        follows = facts.judgement.holds(result) is value
    else:
        follows = isinstance(value, int | float) and _equal(Decimal(str(value)), result)
    for further in facts.beside if remaining else ():
        also_wrong, remaining = _operands_mismatch(further, remaining, pages)
        wrong = wrong or also_wrong
        follows = follows and further.value is not None and _equal(_recalculated(further), further.value)
    if wrong:
        return _check("failed", wrong)
    if remaining or not follows:
        return _check("failed", f"the formula over the printed figures gives {result:,}")
    count = len(derivation.operands)
    return _check("passed", f"the formula over {count} printed figures gives it: {derivation.in_figures}")


def _operands_mismatch(
    derivation: Derivation, evidence: Sequence[Evidence], pages: Mapping[int, Page]
) -> tuple[str | None, Sequence[Evidence]]:
    """Why an operand is not printed as it is used, and the evidence behind that of the operands."""
    for operand in derivation.operands:
        count = len(operand.fact.printed.split(" + "))
        cited, evidence = evidence[:count], evidence[count:]
        wanted = Wanted(operand.title, dimension_in(operand.title)[0] or "money")
        reasons = [_figure_mismatch(None, wanted, e, pages) for e in cited]
        if len(cited) < count or any(reasons):
            return next(filter(None, reasons), f"{operand.title} is not cited"), evidence
        printed = sum((_worth(e, pages[e.page]) for e in cited), Decimal(0))
        if not _equal(abs(printed), abs(operand.fact.value)):
            return f"{operand.title} is printed as {printed:,}, not as {operand.fact.value:,}", evidence
    return None, evidence


def _recalculated(derivation: Derivation) -> Decimal:
    worths = {(o.metric, o.moment): o.fact.value for o in derivation.operands}
    return derivation.metric.scaled(Formula(derivation.formula).value(_lookup(worths)))


def _lookup(worths: Mapping[tuple[str, Moment], Decimal]) -> ValueOf:
    def value_of(metric: str, moment: Moment) -> Decimal:
        if (metric, moment) not in worths:
            raise MissingOperand(metric, moment, is_absent=True)
        return worths[metric, moment]

    return value_of


def _worth(evidence: Evidence, page: Page) -> Decimal:
    """A cited figure in full units, with its printed sign."""
    printed = figure_on(evidence.printed_figure or "", page)
    if printed is None:
        return number_word(evidence.printed_figure or "") or Decimal(0)
    return printed * (Decimal(evidence.scale) if evidence.scale else _CENT)


def _figure_mismatch(
    value: Decimal | None, wanted: Wanted, evidence: Evidence, pages: Mapping[int, Page]
) -> str | None:
    """Why the evidence does not print this value; with the value None, why it does not print the figure at all."""
    page = pages[evidence.page]
    words = without_scale_word(evidence.printed_figure or "")[0]
    printed, in_words = figure_on(words, page), number_word(words)
    if printed is None and in_words is None:
        return f"{evidence.printed_figure!r} is not one figure"
    if printed is None:
        stands = locate(words, page) and value in (None, in_words)
        return None if stands else f"{words!r} does not say {value:,}"
    if not stands_on(printed, page):
        return f"{evidence.printed_figure} is not printed on page {page.page_number}"
    if not _is_quoted(printed, evidence, page):
        return f"{evidence.printed_figure} is not in the passage quoted"
    minor = is_in_minor_unit(printed, evidence, wanted, page)
    worth = printed / 100 if minor else printed * (evidence.scale or 1)
    places = places_of(printed, evidence.quote, page)
    label = before_figure(evidence)
    meant = values_meant(worth, wanted.text, label, places[0] if places else None)
    if value is not None and not any(_equal(value, each) for each in meant):
        unit = "hundredths" if minor else f"units of {evidence.scale or 1:,}"
        meant_text = " or ".join(f"{each:,}" for each in sorted(meant))
        return f"{evidence.printed_figure} in {unit} is {meant_text}, not {value:,}"
    scales = {1} if minor else possible_scales(printed, evidence, wanted, page, pages)
    if (evidence.scale or 1) in scales:
        return None
    return f"the printed unit is {', '.join(f'{s:,}' for s in sorted(scales))}, not {evidence.scale or 1:,}"


def _is_quoted(printed: Decimal, evidence: Evidence, page: Page) -> bool:
    """Whether the quote contains the figure, or names the row that does."""
    if printed in figures_in(evidence.quote, page.decimal_mark):
        return True
    quoted = fingerprint(evidence.quote)
    labels = (fingerprint(row_label(table, cell.row)) for table, cell in cells_with(printed, page))
    return any(label and label in quoted for label in labels)


def _equal(one: Decimal, other: Decimal) -> bool:
    return abs(one - other) <= abs(other) * Decimal("1e-9")


def _check(verdict: Verdict, detail: str) -> Check:
    return Check(name="figure", verdict=verdict, detail=detail)
