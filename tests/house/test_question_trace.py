"""How much of the house a question runs through."""

from pathlib import Path

import pytest

from tests.measures.question_trace import QUESTIONS, trace

# Two of each are the Query and what fills it; what they replace is to go.
MOST = {"a fact": 87, "a free question": 86, "a comparison": 90}


@pytest.fixture(scope="module")
def traces(sample_data: Path) -> dict[str, tuple[set[str], set[str]]]:
    return trace(sample_data)


@pytest.mark.parametrize("what", QUESTIONS)
def test_a_question_runs_through_no_more_modules_than_before(
    traces: dict[str, tuple[set[str], set[str]]], what: str
) -> None:
    _, following = traces[what]
    assert {"query_engines.routing.router", "query_engines.verification.verify"} <= following
    assert len(following) <= MOST[what]
