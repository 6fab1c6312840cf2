"""Answers what falls due in a year to come from the schedules of its kind: payments, leases, amortization."""

from collections import Counter
from decimal import Decimal

from query_engines.calculation.part_figures import PartsFound, figure_of_part, surest
from query_engines.calculation.part_questions import DUE, SAID_OF_ANY_PART, SAID_OF_DUE, PartQuestion, kinds_due
from storage.records.facts import PrintedPart, ReportFacts
from storage.text import stems


def find_due(asked: PartQuestion, found: ReportFacts, at: int | None, years: list[int]) -> PartsFound | None:
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
        other = (
            subject
            - asked.words
            - SAID_OF_ANY_PART
            - SAID_OF_DUE
            - frozenset[str]().union(*(DUE[kind] for kind in kinds))
        )
        near = len(asked.words & subject) + 2 * len(asked.due & (subject | title))
        score = Decimal(bool(kinds <= own)) + Decimal(near) / 10 - Decimal(len(other) + len(own - kinds)) / 5
        for part in breakdown.parts:
            if part.name.strip() in {str(year) for year in years} and (dated := _of_any_period(part, at)):
                answer = figure_of_part("value", breakdown, dated, None, at)
                fitting += [(score, answer)] if answer is not None else []
    return surest(fitting)


def _of_any_period(part: PrintedPart, year: int | None) -> PrintedPart | None:
    """A part with its figure of a year, else with its only one: what is due is of the year that names the part."""
    value = part.of(year) or (part.values[0] if len(part.values) == 1 else None)
    undated = value.model_copy(update={"period": None}) if value is not None else None
    return part.model_copy(update={"values": (undated,)}) if undated is not None else None
