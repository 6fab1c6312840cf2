"""Changes between two named years, as people note them."""

import pytest

from app.assembly.client import Pageproof

NOW, BEFORE = 386_412_000, 402_875_000  # net sales of Ostermere, 2024 and 2023
GROWTH = 100 * (NOW - BEFORE) / BEFORE


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Ostermere net sales 2024 vs 2023, % change", GROWTH),
        ("Ostermere net sales 2024 versus 2023, change in percent", GROWTH),
        ("Growth of Ostermere net sales between 2023 and 2024", GROWTH),
        ("Net sales of Ostermere, 2023 to 2024, yoy", GROWTH),
        ("Net sales at Ostermere look tired. What is the percent decrease from 2023 to 2024?", GROWTH),
        ("Annualised net sales growth of Ostermere over the years 2023 to 2024, in %", GROWTH),
        ("Ostermere net sales 2024 vs 2023, difference", NOW - BEFORE),
        ("How much did Ostermere's net sales change from 2023 to 2024, in dollars?", NOW - BEFORE),
    ],
)
def test_a_noted_change_between_two_years_is_calculated(client: Pageproof, text: str, value: float) -> None:
    answer = client.ask(text)

    assert answer.value == pytest.approx(value, rel=1e-6)
    assert {citation.page for citation in answer.citations} == {8}


def test_a_profit_that_turns_into_a_loss_has_no_rate(client: Pageproof) -> None:
    answer = client.ask("What was the percentage change in Ostermere's net income between 2023 and 2024?")

    assert answer.value == "N/A"
