"""Answers that were wrong although no check failed, and things said not to be there that are printed."""

import pytest

from app.assembly.client import Pageproof
from query_engines.question.another_figure import is_of_another_office
from query_engines.verification.meaning import says_restricted
from storage.records.answers import Value

OSTERMERE = "Ostermere Instruments, Inc."
VELDHOORN = "Veldhoorn Packaging N.V."


def test_an_opening_balance_is_the_closing_one_of_the_year_before(client: Pageproof) -> None:
    before = client.ask(f"What were the total assets of {OSTERMERE} in 2023?").value
    assert client.ask(f"What were the total assets of {OSTERMERE} at the beginning of 2024?").value == before
    assert client.ask(f"What was the total revenue of {OSTERMERE} at the beginning of 2024?").value == "N/A"


def test_the_figure_of_one_year_is_marked_without_that_of_the_other(client: Pageproof) -> None:
    texts = (f"What was the total revenue of {OSTERMERE} in {year}?" for year in (2024, 2023))
    one, other = (client.ask(text).citations[0] for text in texts)
    assert one.page == other.page
    assert len(set(one.boxes) - set(other.boxes)) == len(set(other.boxes) - set(one.boxes)) == 1
    assert len(set(one.boxes) & set(other.boxes)) == 1, "the label"


def test_a_no_quotes_the_page_that_denies_it(client: Pageproof) -> None:
    answer = client.ask("Did Tsukimine Seiki change its dividend policy?")
    assert answer.value is False
    assert "not changed" in answer.citations[0].quote
    assert not answer.from_silence


@pytest.mark.parametrize(
    ("end", "value", "silent"),
    [("", "N/A", False), (" If there is no mention, return False.", False, True)],
)
def test_silence_is_a_no_only_where_the_question_says_so(
    client: Pageproof, end: str, value: Value, silent: bool
) -> None:
    answer = client.ask(f"Did {OSTERMERE} open a mine on the Moon?{end}")
    assert (answer.value, answer.from_silence) == (value, silent)
    assert (answer.value_text == "no mention found") is silent


def test_no_answer_shows_the_nearest_printed_figure(client: Pageproof) -> None:
    other_year = client.ask(f"What was the total revenue of {OSTERMERE} in 2011?")
    assert (other_year.value, other_year.reason) == ("N/A", "other_period")
    assert other_year.nearest is not None
    assert other_year.nearest.relation == "other_period"
    assert other_year.nearest.page >= 1
    other_currency = client.ask(f"What was the total revenue of {OSTERMERE} in EUR?")
    assert other_currency.nearest is not None
    assert (other_currency.nearest.relation, other_currency.nearest.value) == ("other_currency", 386412000)


@pytest.mark.parametrize(
    ("asked", "year", "value"),
    [
        ("net sales", 2021, 162_318_000_000),
        ("net sales", 2022, 187_245_000_000),
        ("operating profit", 2021, 9_406_000_000),
    ],
)
def test_a_year_that_only_the_five_year_summary_prints_is_found(
    client: Pageproof, asked: str, year: int, value: Value
) -> None:
    answer = client.ask(f"What was the {asked} of Tsukimine Seiki in {year}?")
    assert (answer.value, answer.reason) == (value, None)
    assert {c.page for c in answer.citations} == {4}
    assert all(check.verdict != "failed" for check in answer.checks)


def test_a_heading_is_no_answer_and_passages_are_shown(client: Pageproof) -> None:
    answer = client.ask(f"What are the critical accounting policies of {OSTERMERE}?")
    assert (answer.value, answer.reason) == ("N/A", "needs_reading")
    assert answer.nearest_passages


@pytest.mark.parametrize(
    ("asked", "value", "page"),
    [
        (
            "gain on sale of investment securities of Tsukimine in 2025",
            1_460_000_000,
            9,
        ),  # (1,460) in the cash flows
        ("share of profit of associates of Veldhoorn in 2023", 2_900_000, 8),
    ],
)
def test_a_gain_has_the_sign_of_the_income_statement(
    client: Pageproof, asked: str, value: Value, page: int
) -> None:
    answer = client.ask(f"What was the {asked}?")
    assert (answer.value, {c.page for c in answer.citations}) == (value, {page})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("cash at the end of the year of Veldhoorn", 105_500_000),  # not at its beginning
        ("Who is the CEO of Tsukimine Seiki?", "Takahiro Ogasaki"),  # without his title
        ("What was the goodwill impairment of Ostermere?", 24_300_000),  # not the goodwill
        ("What was Veldhoorn's selling, general and administrative expense?", "N/A"),  # not a part of it
        ("Did Tsukimine change its dividend policy?", False),
        ("What was the 2022 dividend per share of Tsukimine?", 48),  # of a five-year summary
        ("What was the gross margin of Ostermere?", 37.5),  # of a sentence
        ("How many employees does Ostermere have in the United States?", 1_207),
        ("Did Ostermere announce a dividend?", False),
        ("Did Veldhoorn mention any mergers or acquisitions? If there is no mention, return False.", True),
        ("Did Ostermere mention hyperinflation? If there is no mention, return False.", False),
        ("Which products did Tsukimine launch?", ("TSX-900", "RondoScan 5")),
    ],
)
def test_what_stands_beside_the_answer_is_not_taken_for_it(client: Pageproof, text: str, value: object) -> None:
    answer = client.ask(text)
    assert answer.value in (value if isinstance(value, set) else [value])
    assert answer.is_available is (answer.value != "N/A")
    assert not [check for check in answer.checks if check.verdict == "failed"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Tsukimine's net sales from 2021 to 2025?", "2021: 162,318,000,000 JPY; 2022: 187,245,000,000 JPY"),
        ("What are the main risks of Ostermere?", "We carry substantial goodwill."),
        ("What are the main risks of Tsukimine?", "Export control."),
        ("Highest revenue of Ostermere, Veldhoorn, Tsukimine?", "could tell which is more"),
    ],
)
def test_what_the_report_prints_is_not_said_to_be_missing(client: Pageproof, text: str, says: str) -> None:
    answer = client.ask(text)
    assert says in f"{answer.value_text} {answer.summary}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Ostermere revenue by segment", ("Process Analytics: $241,180 (2023: $250,366)", "Net sales: $386,412")),
        ("Break down Ostermere's net sales by region.", ("Asia Pacific: 62,435", "in thousands of USD")),
        ("What are Veldhoorn's revenues by segment?", ("Food Packaging: 1,012.4", "Revenue: 1,842.6")),
        (
            "Tsukimine sales by segment in 2024",
            ("Motion Components: 68,415", "Total: 203,417, in millions of JPY"),
        ),
    ],
)
def test_the_parts_of_a_figure_are_told_with_their_total(
    client: Pageproof, text: str, said: tuple[str, ...]
) -> None:
    answer = client.ask(text)
    assert all(part in str(answer.value) for part in said)
    assert all(any(c.isdigit() for c in citation.quote) for citation in answer.citations)


def test_who_is_on_a_board_is_not_understood_as_a_change_of_it(client: Pageproof) -> None:
    understood = client.ask(f"Who is on the Management Board of {VELDHOORN}?").understood
    assert understood is not None
    assert (understood.metrics, understood.dimension) == ((), "names")


def test_who_went_is_not_answered_with_who_is_there(client: Pageproof) -> None:
    told = client.ask("Who retired from Veldhoorn's supervisory board?")
    assert told.value == "Ilse Brandhof"
    assert "Ilse Brandhof retired" in told.citations[0].quote


def test_changes_are_told_in_the_sentences_that_tell_them(client: Pageproof) -> None:
    told = str(client.ask("What leadership changes did Ostermere announce?").value)
    assert "Priya Venkatraman was appointed" in told
    assert "Lorraine M. Oakes retired" in told


def test_shares_that_were_bought_are_no_money(client: Pageproof) -> None:
    answer = client.ask(f"How many shares did {VELDHOORN} repurchase in 2024?")
    assert answer.value in ("N/A", 1_118_000)


def test_risks_are_those_of_the_chapter_and_no_sentence_of_a_career(client: Pageproof) -> None:
    assert str(client.ask("What are the main risks of Ostermere?").value).startswith("Our customers can postpone")


@pytest.mark.parametrize(
    ("text", "is_another"),
    [
        ("who became president in the summer", True),
        ("who is the next finance director", True),
        ("qui est le prochain directeur général", True),
        ("who runs the company", False),
        ("who is the head of the group", False),
        ("name the finance boss", False),
        ("who's the top exec", False),
    ],
)
def test_an_office_held_before_or_later_is_another_one(text: str, is_another: bool) -> None:
    assert is_of_another_office(text) is is_another


@pytest.mark.parametrize(
    ("text", "is_said"),
    [
        ("cash and restricted cash", True),
        ("unrestricted cash", False),
        ("cash excluding restricted cash", False),
    ],
)
def test_restricted_is_said_where_it_is_not_left_out(text: str, is_said: bool) -> None:
    assert says_restricted(text) is is_said
