"""Every regular expression of the house on strings made to hurt it."""

import json
import subprocess
import sys

import pytest

from tests.support.regular_expressions import Expression, slowest
from tests.support.samples import ROOT

LENGTH, AT_ONCE, LONGEST = 5_000, 0.02, 1.0  # characters; seconds
LONGER, NOT_SQUARE = (
    4,
    9.0,
)  # a text four times as long takes four times the time, and sixteen times where it grows with the square
# What is applied to short texts only, by its file: the most characters that it ever sees.
SHORT = {"app/evaluation/question_workbook.py": 500}


@pytest.fixture(scope="module")
def expressions() -> list[Expression]:
    command = [sys.executable, "-m", "tests.support.regular_expressions"]
    run = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return [Expression(*found) for found in json.loads(run.stdout)]


@pytest.mark.timeout(900)
def test_no_text_makes_a_regular_expression_slow(expressions: list[Expression]) -> None:
    slow = {f"{found.where} {found.pattern[:80]}": text[:80] for found in expressions if (text := _slow_on(found))}
    assert slow == {}


def test_every_package_gives_its_expressions_to_the_trial(expressions: list[Expression]) -> None:
    packages = {found.where.replace("/", ".").split(".")[0] for found in expressions}
    assert packages == {"app", "indexes", "prompts", "query_engines", "storage"}
    assert len(expressions) > 800


@pytest.mark.parametrize("pattern", [r"(?:a+)+$", r"\s*,\s*$", r"(?:\w+ ?)*:", r"x.*y.*z", r"(?:one|on|e)*!"])
def test_the_trial_finds_expressions_that_go_back_over_what_they_read(pattern: str) -> None:
    assert _slow_on(Expression("here", pattern, 0))


@pytest.mark.parametrize("pattern", [r"(?<!\w)\w++$", r"\d{1,3}(?:,\d{3}){0,5}", r"^\s*+,\s*+$"])
def test_the_trial_lets_linear_expressions_pass(pattern: str) -> None:
    assert _slow_on(Expression("here", pattern, 0)) == ""


def _slow_on(expression: Expression) -> str:
    """The string on which the time grows with the square of the length or worse; empty where there is none."""
    length = SHORT.get(expression.where.partition(":")[0], LENGTH)
    seconds, text = slowest(expression, length=length, limit=LONGEST)
    if seconds < AT_ONCE:
        return ""
    longer, _ = slowest(expression, length=LONGER * length, limit=LONGER * LONGEST)
    return text if seconds >= LONGEST or longer >= NOT_SQUARE * seconds else ""
