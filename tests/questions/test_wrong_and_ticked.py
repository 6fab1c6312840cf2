"""Answers that were wrong although no check failed, and things said not to be there that are printed."""

import pytest

from app.assembly.client import Pageproof
from query_engines.question.another_figure import is_of_another_office, names_a_part_of, says_a_name
from query_engines.verification.meaning import says_restricted
from storage.records.answers import Value
from storage.records.metrics import significant
from storage.records.questions import AnswerKind, Question

OSTERMERE = "Ostermere Instruments, Inc."
VELDHOORN = "Veldhoorn Packaging N.V."


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        (f"What was the cash at the end of the year of {VELDHOORN}?", None, 105_500_000),
        ("Who is the CEO of Tsukimine Seiki?", None, "Takahiro Ogasaki"),
        (f"What were the total non-current assets of {OSTERMERE}?", "number", "N/A"),
        (f"What was the pledged share capital of {OSTERMERE}?", "number", "N/A"),
        (f"What was the total revenue per employee of {OSTERMERE} in 2024?", "number", "N/A"),
        (f"What was the total product revenue of {OSTERMERE} in 2024?", "number", "N/A"),
        (f"What was the inventory rate of {OSTERMERE} in 2024?", "number", "N/A"),
        (f"What figure did {OSTERMERE} report for net amount recorded in 2024?", "number", "N/A"),
        (f"What were the receivables due within three months of {OSTERMERE}?", "number", "N/A"),
        (f"What were the total non-current assets of {OSTERMERE} on the first day of 2024?", "number", "N/A"),
        (f"What was the diluted weighted average number of shares of {OSTERMERE}?", "number", 41_236_000),
        (f"What was the investments in associates of {VELDHOORN} in 2024?", None, 32_900_000),
        (
            f"What was the acquisition of subsidiaries, net of cash acquired of {VELDHOORN} in 2024?",
            None,
            -64_200_000,
        ),
        ("What was the sale of investment securities per employee of Tsukimine Seiki in 2025?", None, "N/A"),
        (
            f"What figure did {OSTERMERE} report for total current liabilities due within three months?",
            "number",
            "N/A",
        ),
        (f"What figure did {OSTERMERE} report for pharma total revenue in 2024?", "number", "N/A"),
        (f"What percentage of total revenue was the increase in inventories of {OSTERMERE} in 2024?", None, "N/A"),
        (f"How many employees stood behind the cash and cash equivalents of {OSTERMERE} in 2024?", None, "N/A"),
        (
            f"What was the increase in cash and cash equivalents due within three months of {OSTERMERE}?",
            None,
            "N/A",
        ),
        (f"What was the change in inventories per share of {OSTERMERE} in 2024?", None, "N/A"),
        (f"What was the gross profit - products of {OSTERMERE} in 2024?", None, "N/A"),
        (f"{OSTERMERE}: holdings in companies accounted for using the equity method 2024", None, "N/A"),
        (f"Please give me {OSTERMERE}'s proceeds from employee stock purchase plan for 2023.", None, "N/A"),
        (f"What was the directors' fees of {OSTERMERE} in 2024?", None, "N/A"),
        (f"In 2025, how much was the proceeds from maturities of securities of {OSTERMERE}?", None, "N/A"),
    ],
)
def test_a_figure_is_of_the_row_and_the_dimension_asked(
    client: Pageproof, text: str, kind: AnswerKind | None, value: Value
) -> None:
    assert client.ask(Question(text=text, kind=kind)).value == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Ostermere Instruments' book equity, year-end 2024?", 191_457_000),
        ("What operating income did Ostermere Instruments post for 2024?", -16_325_000),
        ("Veldhoorn Packaging statutory OCF, FY24?", 240_400_000),
        ("When Veldhoorn closed its 2024 books, how much did it list as assets in total?", 2_009_200_000),
        ("How many staff did Ostermere still have on the final day of December 2024?", 1_942),
        ("ostermere instruments employees number 2024", 1_942),
        ("Ostermere Instruments Gesamtumsatz 2024 US-Dollar", 386_412_000),
        ("Veldhoorn Packaging's total assets in the year under review?", 2_009_200_000),
        ("Ostermere Instruments: profit for the year 2024, continuing plus discontinued?", -19_545_000),
        ("how much did ostermere instruments lose in twenty twenty four after taxes, the net loss", -19_545_000),
        ("Ostermere Instruments net income for 2024. The group, not the parent.", -19_545_000),
    ],
)
def test_reporting_verbs_currencies_and_idiom_are_no_part_of_a_label(
    client: Pageproof, text: str, value: float
) -> None:
    assert client.ask(text).value == value


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
    ("text", "kind"),
    [
        (f"What was the draft that I was writing of {OSTERMERE}?", "number"),
        (f"How much goodwill did {OSTERMERE} record on the Brackwater acquisition?", None),
        (f"What figure did {VELDHOORN} report for equity accounted investees in 2024?", "number"),
        (f"What was the right-of-use asset - operating per share of {OSTERMERE} in 2024?", "number"),
        (
            f"What was the total revenue - Basic and Diluted of the North American segment of {OSTERMERE}?",
            "number",
        ),
    ],
)
def test_a_word_that_changes_the_meaning_costs_the_figure(
    client: Pageproof, text: str, kind: AnswerKind | None
) -> None:
    assert client.ask(Question(text=text, kind=kind)).value == "N/A"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (f"Did Lorraine Oakes leave the board of {OSTERMERE} in 2024?", True),
        (f"Did Lorraine Oakes join the board of {OSTERMERE} in 2024?", "N/A"),
        (f"Did Priya Venkatraman leave the board of {OSTERMERE} in 2024?", "N/A"),
        (f"Did the membership of the audit committee of {OSTERMERE} change in 2024?", "N/A"),
        (f"Did the leadership of {OSTERMERE} change in 2024?", True),
    ],
)
def test_a_yes_is_about_the_person_and_the_body_asked_for(client: Pageproof, text: str, value: Value) -> None:
    assert client.ask(Question(text=text)).value == value


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f"What figure did {OSTERMERE} report for ordinary shares of $0.01 par value in 2024?", "number"),
        (f"How many employees did {OSTERMERE} lay off in 2024?", None),
        (f"How many people did {OSTERMERE} hire in 2024?", None),
        (f"What did {OSTERMERE} spend on green coffee in 2024?", None),
        (f"Please give me {OSTERMERE}'s net increase (decrease) in short-term debt for 2024.", None),
        (f"What was the pledged net increase in inventories of {OSTERMERE} in 2024?", None),
        (f"What was the loss on foreign exchange of discontinued operations of {OSTERMERE} in 2024?", None),
    ],
)
def test_what_stands_near_a_label_is_not_taken_for_it(
    client: Pageproof, text: str, kind: AnswerKind | None
) -> None:
    assert client.ask(Question(text=text, kind=kind)).value == "N/A"


@pytest.mark.parametrize(
    "text",
    [
        "how many people work at Rayong (Tsukimine)?",
        "how many staff has Tsukimine at its Esslingen site",
        "How many people work in Duluth at Ostermere?",
        "What was Tsukimine's revenue in Thailand?",
        "What was Veldhoorn's revenue with FibraSeal?",
        "net sales of Ostermere to Boeing",
    ],
)
def test_the_figure_of_a_place_a_product_or_a_customer_is_not_the_whole(client: Pageproof, text: str) -> None:
    assert not isinstance(client.ask(text).value, float)
    assert client.ask(Question(text=text, kind="number")).value == "N/A"


@pytest.mark.parametrize(
    "text",
    [
        "what will Ostermere spend on capex next year?",
        "next year's revenue of Veldhoorn?",
        "what capital expenditure is Ostermere forecasting?",
        "How many people will Tsukimine employ next year?",
        "Veldhoorn's revenue target",
        "expected operating income of Tsukimine",
        "Wie hoch wird der Umsatz von Veldhoorn im nächsten Jahr sein?",
        "How much profit does Tsukimine plan to make?",
        "What are the employees of Veldhoorn going to be in the coming year?",
    ],
)
def test_what_is_expected_is_not_what_was(client: Pageproof, text: str) -> None:
    assert not isinstance(client.ask(text).value, float)
    assert client.ask(Question(text=text, kind="number")).value == "N/A"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("I expect you to know: the revenue of Veldhoorn in 2024?", 1_842_600_000),
        ("What dividend per share will Veldhoorn pay for 2024?", 1.35),
    ],
)
def test_a_report_s_own_figure_may_be_due_next_year(client: Pageproof, text: str, value: Value) -> None:
    assert client.ask(text).value == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("How many US employees does Ostermere have?", 1_207),
        ("How many American employees does Ostermere have?", 1_207),
        ("how many us employees does ostermere have", 1_207),
        ("Tell us how many employees Ostermere has.", 1_942),
        ("UK employees of Veldhoorn", "N/A"),
        ("How many German employees does Veldhoorn have?", "N/A"),
        ("What were Ostermere's US net sales?", 231_847_000),
        ("US revenue of Ostermere", 231_847_000),
        ("What were Ostermere's European sales in 2023?", 95_418_000),
        ("Ostermere asian revenue", "N/A"),
        ("What was the revenue of Ostermere's Process Analytics segment?", 241_180_000),
        ("Ostermere US GAAP net income", -19_545_000),
    ],
)
def test_a_country_or_a_segment_is_a_part(client: Pageproof, text: str, value: Value) -> None:
    assert client.ask(text).value == value


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


@pytest.mark.parametrize(
    "text",
    [
        "What does each segment of Veldhoorn earn?",
        "What share of revenue comes from each segment at Ostermere?",
        "Ostermere backlog by segment",
    ],
)
def test_parts_of_no_named_figure_are_not_guessed(client: Pageproof, text: str) -> None:
    assert client.ask(text).value == "N/A"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (
            "Who are the members of the supervisory board of Veldhoorn?",
            ("Hendrika Solleveld", "Anders Rosendal", "Chiara Montefiore", "Willem Osterbaan"),
        ),
        (
            "Who is on the Management Board of Veldhoorn?",
            ("Marit van Haelst", "Jonas Edelkamp", "Bartosz Zielonka"),
        ),
        (
            "who sits on the management board of Veldhoorn",
            ("Marit van Haelst", "Jonas Edelkamp", "Bartosz Zielonka"),
        ),
        (
            "Who are the directors of Veldhoorn?",
            (
                *("Marit van Haelst", "Jonas Edelkamp", "Bartosz Zielonka"),
                *("Hendrika Solleveld", "Anders Rosendal", "Chiara Montefiore", "Willem Osterbaan"),
            ),
        ),
        (
            "Who are Tsukimine's directors?",
            (
                *("Kenjiro Hatoyanagi", "Takahiro Ogasaki", "Naoko Ishimure", "Daisuke Umetani"),
                "Reiko Shirahama",
            ),
        ),
        ("What products did Ostermere launch?", ("ClearLine 900", "RiverNode")),
        ("Name the products Veldhoorn launched.", ("FibraSeal", "ReLoop Tray")),
        ("Which leadership positions changed at Ostermere?", ("Chief Financial Officer", "Director")),
        (
            "Which leadership positions changed at Veldhoorn?",
            ("Chief Financial Officer", "Member of the Supervisory Board"),
        ),
        ("Who left the board of Ostermere?", ("Lorraine M. Oakes",)),
        ("Who joined Ostermere in 2024?", "Priya Venkatraman"),
        ("Who will be the next CEO of Tsukimine?", "Daisuke Umetani"),
        ("Who becomes president of Tsukimine?", "Daisuke Umetani"),
        ("Who is the president of Tsukimine?", "Takahiro Ogasaki"),
        ("Who is the next CFO of Ostermere?", "N/A"),
        ("Who left Ostermere's management in 2024?", "N/A"),
    ],
)
def test_names_are_those_of_all_and_of_people_where_people_are_asked_for(
    client: Pageproof, text: str, value: Value
) -> None:
    assert client.ask(text).value == value


def test_who_is_on_a_board_is_not_understood_as_a_change_of_it(client: Pageproof) -> None:
    understood = client.ask(f"Who is on the Management Board of {VELDHOORN}?").understood
    assert understood is not None
    assert (understood.metrics, understood.dimension) == ((), "names")


def test_who_went_is_not_answered_with_who_is_there(client: Pageproof) -> None:
    told = client.ask("Who retired from Veldhoorn's supervisory board?")
    assert told.reason == "needs_reading"
    assert "Ilse Brandhof retired" in " ".join(passage.quote for passage in told.nearest_passages)


def test_changes_are_told_in_the_sentences_that_tell_them(client: Pageproof) -> None:
    told = str(client.ask("What leadership changes did Ostermere announce?").value)
    assert "Priya Venkatraman was appointed" in told
    assert "Lorraine M. Oakes retired" in told


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (f"What was the goodwill impairment of {OSTERMERE}?", 24_300_000),
        (f"What was the selling, general and administrative expense of {VELDHOORN}?", "N/A"),
        (f"What was the gross margin of {OSTERMERE}?", 37.5),
        ("Did Ostermere announce a dividend?", False),
        ("What did Ostermere pay for Fenbrook?", 46_300_000),
        ("How much did Veldhoorn pay for Karstmeer?", 64_200_000),
        ("What did Ostermere pay for Karstmeer?", "N/A"),
        ("Was Ostermere sued?", True),
        ("Is Ostermere facing lawsuits that could really hurt it?", "N/A"),
        ("Is there any material litigation against Ostermere?", "N/A"),
        ("Any lawsuits at Ostermere that shareholders ought to worry about?", "N/A"),
        ("Is Tsukimine party to legal proceedings?", "N/A"),
    ],
)
def test_what_is_printed_in_a_sentence_or_a_row_is_found_and_nothing_near_it(
    client: Pageproof, text: str, value: Value
) -> None:
    assert client.ask(text).value == value


@pytest.mark.parametrize(
    "text",
    [
        "What legal trouble is Ostermere in? Please mention anything with distributors.",
        "Which litigation is Ostermere involved in, if any?",
        "How does Ostermere account for its inventories - at cost or at market value?",
    ],
)
def test_what_somebody_asks_for_in_words_is_no_yes_and_no_figure(client: Pageproof, text: str) -> None:
    answer = client.ask(text)
    assert answer.kind == "text", answer.value


def test_shares_that_were_bought_are_no_money(client: Pageproof) -> None:
    answer = client.ask(f"How many shares did {VELDHOORN} repurchase in 2024?")
    assert answer.value in ("N/A", 1_118_000)


def test_risks_are_those_of_the_chapter_and_no_sentence_of_a_career(client: Pageproof) -> None:
    assert str(client.ask("What are the main risks of Ostermere?").value).startswith("Our customers can postpone")


@pytest.mark.parametrize(
    ("label", "name", "is_part"),
    [
        ("print revenue", "revenue", True),
        ("revenue from mechanical systems", "revenue", True),
        ("loans in Texas", "loans", True),
        ("revenue Asia-Pacific", "revenue", True),
        ("R&D employees", "employees", True),
        ("the 2022 group revenue please", "revenue", False),
        ("all assets in the balance sheet", "assets", False),
        ("Revenue by my reckoning", "revenue", False),
        ("net income before preferred dividends", "net income", False),
        ("long-term debt, net of issuance costs", "long-term debt", False),
    ],
)
def test_a_word_at_the_name_of_a_figure_names_a_part(label: str, name: str, is_part: bool) -> None:
    printed = frozenset(
        {"print", "mechanical", "system", "group", "all", "balance", "preferred", "dividend", "cost"}
    )
    found = names_a_part_of(label, significant(name), frozenset({"2022"}), printed)
    assert found is is_part


@pytest.mark.parametrize(
    ("label", "is_name"),
    [
        ("extra r&d on covaxin", True),
        ("staff a phd", True),
        ("customer deposits sits in Missouri branches", True),
        ("workers came across from Farmers Bank", True),
        ("cash of the company", False),
        ("total revenue please", False),
        ("revenue, Canadian dollars", False),
    ],
)
def test_a_name_that_the_report_prints_is_asked_for_in_whatever_letters(label: str, is_name: bool) -> None:
    names = {"covaxin", "phd", "missouri", "farmers", "company", "cash", "canadian"}
    name = significant("cash deposits revenue r&d") & significant(label)
    assert says_a_name(label, name, significant("cash"), names) is is_name


@pytest.mark.parametrize(
    ("text", "is_another"),
    [
        ("who is in charge of lending", True),
        ("who is the top doctor, i mean the medical chief", True),
        ("who heads up research", True),
        ("who became president in the summer", True),
        ("who did they hire as an executive", True),
        ("who took over as finance director", True),
        ("who runs the company", False),
        ("who is the head of the group", False),
        ("name the finance boss", False),
        ("who's the top exec", False),
    ],
)
def test_an_office_over_a_part_or_taken_up_is_another_one(text: str, is_another: bool) -> None:
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
