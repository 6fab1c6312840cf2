"""Details that a report prints in words, asked as people ask: its passages come beside an N/A."""

import pytest

from app.assembly.client import Pageproof
from storage.records.questions import Question


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("when does Ostermere's term loan mature?", "June 2029"),
        ("what rate does Ostermere pay on the term loan", "6.4%"),
        ("What is the average age of the people at Tsukimine?", "42.6 years"),
        ("What does Karstmeer do, the firm Veldhoorn bought?", "protective films"),
        ("Does Veldhoorn hedge its electricity?", "about 70%"),
        ("What revenue does Veldhoorn expect for 2025?", "between 2% and 4%"),
        ("Does Ostermere have any covenants on its loan?", "below 3.75"),
        ("why is Tsukimine closing the foundry", "Tomi foundry"),
        ("How is plant depreciated at Tsukimine?", "straight-line method over 15 to 50 years"),
    ],
)
def test_beside_an_n_a_stand_the_passages_that_come_nearest(client: Pageproof, text: str, near: str) -> None:
    answer = client.ask(text)

    assert (answer.value, answer.reason) == ("N/A", "needs_reading")
    assert answer.checks == ()
    assert 1 <= len(answer.nearest_passages) <= 3
    assert near in " ".join(passage.quote for passage in answer.nearest_passages)
    assert all(passage.citation.boxes for passage in answer.nearest_passages)


def test_of_each_company_of_a_comparison_in_words_the_nearest_passage_is_shown(client: Pageproof) -> None:
    answer = client.ask("Compare how Ostermere and Veldhoorn describe their competition")
    assert answer.reason == "needs_reading"
    assert {passage.citation.file for passage in answer.nearest_passages} == {
        "ostermere_2024.pdf",
        "veldhoorn_2024.pdf",
    }


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("What is the average age of the people at Tsukimine?", 42.6),
        ("How many shares did Veldhoorn repurchase in 2024?", 1_118_000),  # not what was paid for them
    ],
)
def test_who_asks_for_a_number_gets_that_or_none(client: Pageproof, text: str, value: float) -> None:
    answer = client.ask(Question(text=text, kind="number"))

    assert answer.kind == "number"
    assert answer.value in ("N/A", value)


@pytest.mark.parametrize(
    ("text", "figure"),
    [
        ("How much were raw materials and supplies of Tsukimine?", "Raw materials and supplies"),
        (
            "What was the ratio of raw materials and supplies to work in process at Tsukimine?",
            "Raw materials and supplies to Work in process",
        ),
        (
            "How many times did raw materials and supplies grow at Tsukimine from 2024 to 2025?",
            "Raw materials and supplies as a multiple of the figure before",
        ),
        ("How much was total revenue of Tsukimine?", ""),
    ],
)
def test_what_was_understood_names_the_rows_that_were_read_where_no_metric_is_meant(
    client: Pageproof, text: str, figure: str
) -> None:
    answer = client.ask(text)
    assert answer.is_available
    assert answer.understood is not None
    assert answer.understood.figure == figure
