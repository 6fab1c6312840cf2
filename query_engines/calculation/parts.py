"""Answers questions about parts of a figure from the tables that split it: segments, regions, products, years due."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from functools import partial

from query_engines.calculation.part_figures import (
    HUNDRED,
    YEAR_ALONE,
    PartsFound,
    figure_of_part,
    names_of_parts,
    shown_name,
    surest,
)
from query_engines.calculation.part_questions import (
    DUE,
    SAID_OF_ANY_PART,
    SAID_OF_DUE,
    Dimension,
    PartQuestion,
    kinds_due,
    stems_of_figure,
)
from storage.lexicon.names import names_a_place
from storage.lexicon.words import expression
from storage.records.facts import Breakdown, PrintedPart, PrintedValue, ReportFacts
from storage.records.metrics import Metric
from storage.records.queries import PartOperation
from storage.records.reports import ending_year
from storage.text import stems

_OF_ANY_PART = stems(
    "segment division region country geography geographic market area business unit product category kind type stream"
    " group company total all other main part and"
)
_REST = expression(
    r"^(?:others?\b|rest\b|all other|elimination|inter-?segment|inter-?company|unallocated"
    r"|corporate(?: (?:and|&|/).*)?$"
    r"|adjust|consolidation|reconcil|less\b|total\b|thereafter|discount|unamorti|imputed|holding\b)|\belimination",
    re.IGNORECASE,
)
_OTHERS = expression(r"(?:all )?others?(?: \w+)?$", re.IGNORECASE)
_SEGMENTED = expression(
    r"\b(?:segment\w*|divisions?|business units?|geschäftsfeld\w*|segment\w*)\b", re.IGNORECASE
)
_BY_PLACE = expression(r"\b(?:geograph\w+|regions?|countr(?:y|ies))\b", re.IGNORECASE)
_BY_KIND = expression(
    r"\b(?:products?|categor(?:y|ies)|types?|services?|streams?|kinds?|sources?|classes|disaggregat\w+|nature|groups?)\b",
    re.IGNORECASE,
)
_REVENUE = "total_revenue"
_REVENUE_WORDS = frozenset(stems("revenue revenues sales turnover income net"))
_NO_PART = expression(r"^(?:\d|level|stage|quarter|q\d|gross|net|cost|amount|carrying|fair)", re.IGNORECASE)


def find_parts(
    asked: PartQuestion, found: ReportFacts, metric: Metric | None, year: int | None, due: Iterable[int] = ()
) -> PartsFound | None:
    """The answer from a report's breakdowns; None where none fits every word, or those that fit disagree.

    Args:
        asked: the question.
        found: the report's facts.
        metric: the metric that the question names.
        year: that it asks for; None for the reported year.
        due: years that the question names and that may be parts themselves, as in a table of maturities.
    """
    end = ending_year(found.period_end) if found.period_end else None
    at = year if year is not None and (end is None or year <= end) else end
    named = (
        int(word) for word in asked.words if YEAR_ALONE.fullmatch(word)
    )  # "due in 2025" is no period of a question
    later = [y for y in (*due, *named) if end is None or y > end]
    if later and asked.operation == "share" and not asked.is_portion:
        asked = asked.model_copy(update={"operation": "value"})  # "how much of its debt matures in 2030"
    if later and not asked.is_of_names and asked.kinds:
        return _due(asked, found, at, later)
    fitting: list[tuple[Decimal, PartsFound]] = []
    for breakdown in found.breakdowns:
        if breakdown.years and at not in breakdown.years:
            continue
        for score, answer in _answers(asked, breakdown, metric, at, later):
            fitting.append((score, answer))
    if asked.is_of_each and asked.dimension == "segment":
        fitting = [f for f in fitting if not (f[1].breakdown.is_percent or _crosses(f[1].breakdown, found))]
    if asked.is_of_each:
        fitting = _of_one_total(fitting, at)
    return surest(fitting)


def _due(asked: PartQuestion, found: ReportFacts, at: int | None, years: list[int]) -> PartsFound | None:
    """What falls due in a year to come, from the schedules of its kind.

    Names, and words right before what falls due, must stand in the schedule; any other word is said in passing.
    """
    fitting: list[tuple[Decimal, PartsFound]] = []
    schedules = [b for b in found.breakdowns if str(at) not in {part.name.strip() for part in b.parts}]
    columns = Counter((b.page_number, b.title) for b in schedules)
    for breakdown in schedules:  # one that begins with the reported year is that of the year before
        subject, title = stems(breakdown.subject), stems(breakdown.title)
        is_alone = columns[breakdown.page_number, breakdown.title] == 1
        told = subject | title | stems(breakdown.around) if is_alone else subject
        titled, kinds = kinds_due(breakdown.title), asked.kinds
        own = kinds_due(breakdown.subject) or titled
        if not kinds <= own | titled or not asked.due <= told:
            continue
        of_kinds = frozenset[str]().union(*(DUE[kind] for kind in kinds))
        other = subject - asked.words - SAID_OF_ANY_PART - SAID_OF_DUE - of_kinds
        near = len(asked.words & subject) + 2 * len(asked.due & (subject | title))
        score = Decimal(bool(kinds <= own)) + Decimal(near) / 10 - Decimal(len(other) + len(own - kinds)) / 5
        for part in breakdown.parts:
            dated, whole = _of_any_period(part, at), _of_any_period(breakdown.total, at)
            if part.name.strip() in {str(year) for year in years} and dated is not None:
                of_year = breakdown.model_copy(update={"total": whole or breakdown.total})
                answer = figure_of_part("share" if asked.is_portion else "value", of_year, dated, None, at)
                fitting += [(score, answer)] if answer is not None else []
    return surest(fitting)


def _of_any_period(part: PrintedPart, year: int | None) -> PrintedPart | None:
    """A part with its figure of a year, else with its only one: what is due is of the year that names the part."""
    value = part.of(year) or (part.values[0] if len(part.values) == 1 else None)
    undated = value.model_copy(update={"period": None}) if value is not None else None
    return part.model_copy(update={"values": (undated,)}) if undated is not None else None


def _answers(
    asked: PartQuestion, breakdown: Breakdown, metric: Metric | None, year: int | None, due: list[int]
) -> Iterator[tuple[Decimal, PartsFound]]:
    if asked.is_of_names or asked.is_of_each:
        score = _fit(asked, breakdown, metric, None)
        read = _each if asked.is_of_each else partial(_named, asked.operation)
        answer = read(breakdown, year) if score is not None else None
        if score is not None and answer is not None:
            yield score, answer
        return
    for part in breakdown.parts:
        is_year = part.name.strip() in {str(y) for y in due}
        if due and not is_year:
            continue
        if asked.operation == "value" and not is_year and not stems(part.name) & asked.words:
            continue
        score = _fit(asked, breakdown, metric, part, is_year=is_year)
        answer = figure_of_part(asked.operation, breakdown, part, metric, year) if score is not None else None
        if score is not None and answer is not None:
            yield score, answer


def _fit(
    asked: PartQuestion,
    breakdown: Breakdown,
    metric: Metric | None,
    part: PrintedPart | None,
    *,
    is_year: bool = False,
) -> Decimal | None:
    """How well a breakdown, and its part, fit the question, 0..1; None where a word of the question has no place."""
    words = frozenset(w for w in asked.words if not (is_year and w.isdigit()))
    own = frozenset[str]()
    if part is not None and not is_year:
        named_so = stems(names_of_parts(breakdown)[part.name, part.heading])
        own = named_so - SAID_OF_ANY_PART
        if not named_so - _OF_ANY_PART <= asked.said:
            return None  # "cost of services" is not "Financial Services"
        is_whole = asked.operation == "share" and own <= asked.whole
        if not own or not own <= words or is_whole or _REST.search(part.name):
            return None
    subject = stems_of_figure(f"{breakdown.subject} {part.heading if part else ''}")
    title = stems_of_figure(breakdown.title)
    is_metric = metric is not None and metric.id in breakdown.metrics
    if metric is None and part is None and words <= _REVENUE_WORDS:  # "which segment brought the most"
        is_metric = _REVENUE in breakdown.metrics
        is_told = "revenu" in subject | title and not (asked.is_of_each and not breakdown.is_percent)
        if not is_metric and not is_told:
            return None  # of all parts, the total must be the revenue itself
        words = words - _REVENUE_WORDS
    named = (
        stems_of_figure(" ".join(metric.question_names)) if is_metric and metric is not None else frozenset[str]()
    )
    places = ((own, 1.0), (named, 1.0), (subject, 0.95), (title, 0.85), (stems_of_figure(breakdown.around), 0.6))
    credits = [max((credit for place, credit in places if word in place), default=0.0) for word in words]
    if not all(credits):
        return None
    is_of_row = breakdown.is_row and (is_metric or (bool(words) and words <= subject))
    dimension = _has_dimension(asked.dimension, breakdown)
    if not dimension and is_of_row and asked.dimension == "segment" and not _has_levels(breakdown):
        dimension = 0.5
    told = subject | title | (stems_of_figure(breakdown.around) if is_year else frozenset())
    if dimension == 0 or (metric is not None and not is_metric and not _speaks_of(metric, told)):
        return None
    if asked.is_of_each and not (is_metric if metric is not None else asked.words):
        return None  # the parts of another total, or of no figure that is named
    score = sum(credits, 0.5 * dimension + 0.3 * is_metric) / (len(credits) + 0.8)
    is_exact = bool(words) and subject - SAID_OF_ANY_PART == words
    return Decimal(score + 0.1 * is_exact).quantize(Decimal("0.001"))


def _has_levels(breakdown: Breakdown) -> bool:
    """Whether its parts are levels, quarters or kinds of amounts, and no parts of the business."""
    return any(_NO_PART.search(part.name) for part in breakdown.parts)


def _speaks_of(metric: Metric, words: frozenset[str]) -> bool:
    """Whether a breakdown's own words are one of the metric's names, so that another figure of that kind is split."""
    return any((name := stems(text) - {"total"}) and name <= words for text in metric.question_names)


def _has_dimension(dimension: Dimension | None, breakdown: Breakdown) -> float:
    """How surely the parts are of this kind: 0 where they are not."""
    if dimension is None:
        return 1.0
    near, far = f"{breakdown.subject} {breakdown.title}", breakdown.around
    places = sum(names_a_place(part.name) for part in breakdown.parts)
    is_by_place = 2 * places >= len(breakdown.parts)
    if dimension == "region":
        return 1.0 if is_by_place else 0.6 if _BY_PLACE.search(near) else 0.0
    if is_by_place:
        return 0.0
    form = _SEGMENTED if dimension == "segment" else _BY_KIND
    return 1.0 if form.search(near) else 0.7 if form.search(far) else 0.4 if dimension == "product" else 0.0


def _figures(
    breakdown: Breakdown, year: int | None, *, with_others: bool = False
) -> dict[PrintedPart, PrintedValue]:
    """The real parts with their figure of the year; without residues such as "Other" and eliminations."""
    values = {
        part: part.of(year)
        for part in breakdown.parts
        if not _REST.search(part.name) or (with_others and _OTHERS.match(part.name))
    }
    return {part: value for part, value in values.items() if value is not None and part.name}


def _of_one_total(fitting: list[tuple[Decimal, PartsFound]], year: int | None) -> list[tuple[Decimal, PartsFound]]:
    """The best answer alone where all split the same total, each in its own way; else all of them."""
    totals = {
        value.value * (found.breakdown.scale or 1)
        for _, found in fitting
        if (value := found.breakdown.total.of(year))
    }
    return [max(fitting, key=lambda f: (f[0], len(f[1].chosen)))] if len(totals) == 1 else fitting


def _crosses(breakdown: Breakdown, found: ReportFacts) -> bool:
    """Whether the columns of the table are the segments, so that its rows are something else: kinds of revenue."""
    total = {value.printed.strip("$ ") for value in breakdown.total.values}
    return not breakdown.is_row and any(
        other.is_row
        and other.page_number == breakdown.page_number
        and total & {value.printed.strip("$ ") for value in other.total.values}
        for other in found.breakdowns
    )


def _each(breakdown: Breakdown, year: int | None) -> PartsFound | None:
    """All parts that have a figure of the year; None where fewer than two are more than residues and deductions."""
    chosen = tuple(part for part in breakdown.parts if part.name and part.of(year) is not None)
    real = [part for part in chosen if not _REST.search(part.name)]
    return PartsFound(breakdown=breakdown, chosen=chosen, year=year) if len(real) > 1 else None


def _named(operation: PartOperation, breakdown: Breakdown, year: int | None) -> PartsFound | None:
    """The parts that a question asks the names of."""
    with_others = operation in ("rose", "fell")  # which fell, all of them; but "Other" is no largest segment
    now = _figures(breakdown, year, with_others=with_others)
    whole = breakdown.total.of(year)
    if len(now) < 2 or whole is None:
        return None
    sign = -1 if whole.value < 0 else 1
    size = {part: sign * value.value for part, value in now.items()}
    if operation in ("largest", "smallest"):
        order = sorted(size, key=lambda part: size[part], reverse=operation == "largest")
        if size[order[0]] == size[order[1]]:
            return None
        chosen = (order[0],)
        shown = [f"{shown_name(breakdown, part)} {now[part].printed}" for part in order]
        is_of_whole = min(size.values()) >= 0
        share = f" ({size[order[0]] / abs(whole.value) * HUNDRED:.1f}% of {whole.printed})" if is_of_whole else ""
        return PartsFound(
            breakdown=breakdown, chosen=chosen, statement=f"{shown[0]}{share}; then {', '.join(shown[1:])}"
        )
    before = {} if year is None else _figures(breakdown, year - 1, with_others=with_others)
    if year is None or not set(size) <= set(before) or year - 1 not in breakdown.years:
        return None
    moved = {part: size[part] - sign * before[part].value for part in size}
    if operation in ("rose_most", "fell_most"):
        return _moved_most(operation, breakdown, moved, before, now, sign)
    fits = tuple(part for part, change in moved.items() if (change > 0 if operation == "rose" else change < 0))
    shown = [f"{shown_name(breakdown, part)} {before[part].printed} to {now[part].printed}" for part in moved]
    return PartsFound(breakdown=breakdown, chosen=fits, statement="; ".join(shown)) if fits else None


def _moved_most(
    operation: PartOperation,
    breakdown: Breakdown,
    moved: Mapping[PrintedPart, Decimal],
    before: Mapping[PrintedPart, PrintedValue],
    now: Mapping[PrintedPart, PrintedValue],
    sign: int,
) -> PartsFound | None:
    """The part that grew, or fell, most: in percent for "fastest"; only where its amount does not say otherwise."""
    up = operation == "rose_most"
    if any(sign * before[part].value <= 0 for part in moved):
        return None
    rates = {part: change / abs(before[part].value) for part, change in moved.items()}
    order = sorted(rates, key=lambda part: rates[part], reverse=up)
    if (rates[order[0]] > 0) is not up or rates[order[0]] == rates[order[1]]:
        return None
    shown = [
        f"{shown_name(breakdown, part)} {before[part].printed} to {now[part].printed} ({rates[part] * HUNDRED:+.1f}%)"
        for part in order
    ]
    return PartsFound(breakdown=breakdown, chosen=(order[0],), statement="; ".join(shown))
