"""The questions about the sample reports are answered as they were."""

from pathlib import Path

from app import open_pageproof
from tests.measures.behaviour import ALONE, SAMPLES, Frozen, asked_again, broken_budgets, differences, read


def test_every_question_is_answered_as_it_was(sample_data: Path) -> None:
    # `python -m tests.measures.behaviour samples --write` keeps other answers; look at each of them before.
    kept = read(SAMPLES)
    assert len(kept) > 300
    with open_pageproof("offline", overrides=ALONE, data=sample_data) as client:
        assert differences(kept, asked_again(client, kept)) == []


def test_a_budget_is_broken_by_fewer_right_or_more_wrong_and_ticked() -> None:
    before = [Frozen(text="a", of="facts", outcome="right"), Frozen(text="b", of="facts", outcome="missing")]
    worse = [before[0], Frozen(text="b", of="facts", outcome="wrong", ticked=True)]
    missing = [Frozen(text="a", of="facts", outcome="missing"), before[1]]
    assert broken_budgets(before, before) == []
    assert broken_budgets(before, worse) == ["facts: 1 wrong and ticked, 0 before"]
    assert broken_budgets(before, missing) == ["facts: 0 right, 1 before"]
    assert broken_budgets(before, [before[0], Frozen(text="b", of="facts", outcome="right", ticked=True)]) == []
