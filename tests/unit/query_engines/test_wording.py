"""What a wording leaves out, and what it puts in another place."""

import pytest

from query_engines.question.wording import with_topic_in_place, without_contrast


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("the chairman (not the CEO) of Acme", "the chairman of Acme"),
        ("Acme's fee income, so revenue and not net operating income", "Acme's fee income, so revenue"),
        ("Acme profit, statutory not underlying?", "Acme profit, statutory ?"),
        ("revenue in 2022, not 2021", "revenue in 2022"),
        ("the profit and not the revenue of Acme", "the profit of Acme"),
        (
            "net income before preferred dividends, not the part for common",
            "net income before preferred dividends",
        ),
        ("assets held and not pledged at year end", "assets held and not pledged at year end"),
        ("costs that were incurred and not paid", "costs that were incurred and not paid"),
        ("leases signed but not commenced", "leases signed but not commenced"),
    ],
)
def test_what_is_not_meant_is_left_out(text: str, left: str) -> None:
    assert " ".join(without_contrast(text).split()) == left


@pytest.mark.parametrize(
    ("text", "placed"),
    [
        ("Operating income at Acme: was it lower?", "was Operating income at Acme lower?"),
        ("Acme - did its sales rise in 2022?", "did Acme's sales rise in 2022?"),
        ("I'm told Acme sold its fleet. Is that correct?", "Is it true that Acme sold its fleet?"),
        ("Acme pays no dividend, right?", "Is it true that Acme pays no dividend?"),
        ("Quick question: did it pay?", "Quick question: did it pay?"),
        ("How much was revenue? Is that right?", "How much was revenue? Is that right?"),
    ],
)
def test_what_is_named_first_stands_in_the_place_of_its_pronoun(text: str, placed: str) -> None:
    assert with_topic_in_place(text) == placed
