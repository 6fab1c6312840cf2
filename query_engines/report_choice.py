"""Which of a company's reports a question is about."""

import re
from collections.abc import Sequence

from query_engines.search_text import asked_year
from storage.reports import Report

_PRIOR = re.compile(
    r"\b(?:(?P<lead>in|for|during|of|over|at the end of) )?the (?:prior|previous|preceding)"
    r"(?: (?:fiscal|financial))?[ -]year\b"
    r"|\b(?:the )?year before last\b",
    re.IGNORECASE,
)


def reported_year(report: Report) -> int | None:
    """The year in which the report's period ends, else the year that it calls itself by."""
    return report.period_end.year if report.period_end else report.fiscal_year


def report_for(text: str, reports: Sequence[Report]) -> Report:
    """The report to answer from: the asked year's own, else the first later one, which looks back, else the newest.

    Args:
        text: a question.
        reports: of one company, newest first, at least one.
    """
    year = asked_year(text)
    if year is None:
        return reports[0]
    own = [r for r in reports if reported_year(r) == year] or [r for r in reports if r.fiscal_year == year]
    later = [r for r in reports if (reported_year(r) or 0) > year]
    return (own[:1] or later[-1:] or list(reports[:1]))[0]


def with_year_named(text: str, reports: Sequence[Report]) -> str:
    """The text with a number for "the prior year", seen from the newest report; "last year" is that report's own."""
    newest = reported_year(reports[0]) if reports else None
    if newest is None or asked_year(text) is not None:
        return text
    return _PRIOR.sub(lambda m: f"{m['lead'] or 'in'} {newest - 1}", text)
