"""What a model points at, and what code reads there."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace

import pytest

from prompts.drafts import AS_PRINTED, Evidence
from prompts.kinds.boolean import BooleanDraft
from prompts.kinds.name import NameDraft
from prompts.kinds.number import NumberDraft
from query_engines.answering.marks import MarkedPage, mark_page, marks_of_facts, nearest_lines
from query_engines.answering.references import References
from query_engines.question.parsed import FactMatch
from query_engines.question.parser import read_text
from storage.records.metrics import Ontology
from storage.records.pages import Block, Column, Page
from storage.records.questions import AnswerKind, Question
from storage.records.reports import Company
from tests.support.printed_tables import BEFORE, REPORT, YEAR, page_of, paragraph, table_of, years


def grid(title: str, rows: Sequence[tuple[str, ...]], columns: Sequence[Column]) -> Block:
    return table_of(title, rows, columns).model_copy(update={"text": title})


INCOME = page_of(
    5,
    grid(
        "Statement of income",
        (
            ("Revenue", "386,412", "402,875"),
            ("Cost of sales", "(241,507)", "(250,318)"),
            ("Loss for the year", "(19,545)", "18,841"),
            ("Basic loss per share (in cents)", "(38.1)", "36.7"),
        ),
        years(),
    ),
    paragraph("We employed about 1,942 people.", "Net debt fell to $41.2 million from $50.7 million."),
)
DAYS = page_of(
    6,
    grid(
        "Financial position",
        (("Cash", "70", "60"),),
        [
            Column(header="31 December", period=YEAR, scale=1000),
            Column(header="31 December", period=BEFORE, scale=1000),
        ],
    ),
)


def marked(*pages: Page) -> list[MarkedPage]:
    return [mark_page(page, page.markdown) for page in pages]


def read(
    text: str,
    evidence: Sequence[Evidence],
    *pages: Page,
    answer: object = AS_PRINTED,
    facts: FactMatch | None = None,
) -> NumberDraft:
    draft = NumberDraft.model_validate(
        {
            "step_by_step_analysis": "1. …",
            "reasoning_summary": "…",
            "evidence": [e.model_dump() for e in evidence],
            "unavailable_because": None,
            "final_answer": answer,
        }
    )
    question = read_text(Question(text=text, kind="number"))
    found = References(marked(*(pages or (INCOME,))), question, REPORT, facts or FactMatch()).read(draft)
    assert isinstance(found, NumberDraft)
    return found


def test_each_row_and_each_sentence_has_a_mark_and_headings_of_columns_have_none() -> None:
    (page,) = marked(INCOME)
    assert page.text.splitlines()[:4] == [
        "|  | 2022 | 2021 |",
        "| --- | --- | --- |",
        "[5.1] | Revenue | 386,412 | 402,875 |",
        "[5.2] | Cost of sales | (241,507) | (250,318) |",
    ]
    assert page.text.endswith(
        "[5.5] We employed about 1,942 people. [5.6] Net debt fell to $41.2 million from $50.7 million."
    )


def test_a_figure_s_scale_sign_currency_and_place_are_read_from_its_row() -> None:
    found = read("What was the net income of Acme in 2022?", [Evidence(mark="5.3", column="2022")])
    (evidence,) = found.evidence
    assert found.final_answer == -19_545_000
    assert (evidence.page, evidence.quote) == (5, "Loss for the year (19,545)")
    assert (evidence.printed_figure, evidence.scale, evidence.currency) == ("(19,545)", 1000, "USD")
    assert (evidence.period, found.relevant_pages) == ("2022-12-31", [5])


def test_what_a_model_makes_of_the_scale_does_not_count() -> None:
    slipped = [Evidence(mark="5.1", column="2022", printed_figure="386,412", scale=1)]
    assert read("Revenue of Acme in 2022?", slipped, answer=386412).final_answer == 386_412_000


@pytest.mark.parametrize(
    ("column", "figure"),
    [("2022", "386,421"), ("2021", "386,412"), (None, "386,412"), ("FY", None), ("2021", None)],
)
def test_a_slip_in_column_or_figure_does_not_change_the_period_that_is_asked(
    column: str | None, figure: str | None
) -> None:
    found = read(
        "What was the revenue of Acme in 2022?", [Evidence(mark="5.1", column=column, printed_figure=figure)]
    )
    assert found.final_answer == 386_412_000


def test_without_a_period_in_the_question_the_column_that_was_named_counts() -> None:
    question = "What was the revenue of Acme before it sold its shops?"
    assert read(question, [Evidence(mark="5.1", column="2021")]).final_answer == 402_875_000
    assert read(question, [Evidence(mark="5.1")]).final_answer == 386_412_000, "the latest"


def test_columns_with_the_same_heading_are_told_apart_by_their_periods() -> None:
    given = [Evidence(mark="6.1", column="31 December")]
    assert read("What was the cash of Acme in 2021?", given, DAYS).final_answer == 60_000
    assert read("What was the cash of Acme?", given, DAYS).final_answer == 70_000


def test_costs_are_sizes_and_cents_are_parts_of_a_unit() -> None:
    assert read("What were the cost of sales of Acme?", [Evidence(mark="5.2")]).final_answer == 241_507_000
    per_share = read("What was the loss per share of Acme in 2022?", [Evidence(mark="5.4")])
    assert per_share.final_answer == pytest.approx(-0.381)
    assert per_share.evidence[0].scale is None


@pytest.mark.parametrize(
    ("text", "mark", "figure", "value"),
    [
        ("How many employees did Acme have?", "5.5", "1,942", 1942),
        ("How many employees did Acme have?", "5.5", None, 1942),
        ("What was the net debt of Acme?", "5.6", "$41.2 million", 41_200_000),
        ("What was the net debt of Acme?", "5.6", "41.2", 41_200_000),
    ],
)
def test_a_figure_in_a_sentence_has_the_scale_behind_it(
    text: str, mark: str, figure: str | None, value: float
) -> None:
    assert read(text, [Evidence(mark=mark, printed_figure=figure)]).final_answer == value


def test_a_loss_in_words_is_below_zero_whatever_sign_was_copied() -> None:
    page = page_of(3, paragraph("The net loss of the Group was $9,538,268 (2021: loss of $4,372,043)."))
    for copied in ("(9,538,268)", "9,538,268", "-9,538,268"):
        found = read("What was the net income of Acme?", [Evidence(mark="3.1", printed_figure=copied)], page)
        assert found.final_answer == -9_538_268


def test_of_several_figures_in_a_sentence_none_is_guessed() -> None:
    found = read("What was the net debt of Acme?", [Evidence(mark="5.6")])
    assert (found.final_answer, found.unavailable_because) == ("N/A", "not_found")


@pytest.mark.parametrize("mark", ["5.99", "nowhere", "9.1"])
def test_an_unknown_mark_is_mended_by_what_was_copied_or_is_no_answer(mark: str) -> None:
    question = "What was the revenue of Acme in 2022?"
    assert read(question, [Evidence(mark=mark, printed_figure="386,412")]).final_answer == 386_412_000
    lost = read(question, [Evidence(mark=mark, printed_figure="77,777")])
    assert (lost.final_answer, lost.unavailable_because, lost.evidence) == ("N/A", "not_found", [])


def test_of_a_mark_and_a_figure_of_another_row_the_one_of_the_metric_counts() -> None:
    revenue = FactMatch(metric=next(m for m in Ontology.load().metrics if m.id == "total_revenue"))
    below = read("Revenue of Acme in 2022?", [Evidence(mark="5.2", printed_figure="386,412")], facts=revenue)
    assert (below.final_answer, [e.mark for e in below.evidence]) == (386_412_000, ["5.1"])
    slip = read("Revenue of Acme in 2022?", [Evidence(mark="5.1", printed_figure="241,507")], facts=revenue)
    assert slip.final_answer == 386_412_000
    nowhere = read("Revenue of Acme in 2022?", [Evidence(mark="5.1", printed_figure="99,999")], facts=revenue)
    assert nowhere.final_answer == 386_412_000


def test_what_is_paid_is_a_size() -> None:
    page = page_of(
        7, grid("Cash flows", (("Payments for property, plant and equipment", "(960)", "(148)"),), years())
    )
    found = read("How much did Acme pay for property, plant and equipment?", [Evidence(mark="7.1")], page)
    assert found.final_answer == 960_000


def test_the_figure_of_the_metric_s_row_counts_although_the_mark_is_of_another_page() -> None:
    revenue = Ontology.load()["total_revenue"]
    slipped = [Evidence(mark="6.1", column="2022", printed_figure="386,412")]
    facts = FactMatch(metric=revenue)
    found = read("What was the revenue of Acme in 2022?", slipped, INCOME, DAYS, facts=facts)
    assert (found.final_answer, found.relevant_pages) == (386_412_000, [5])
    unknown = read("What was the revenue of Acme in 2022?", slipped, DAYS, facts=facts)
    assert unknown.final_answer != 386_412_000


def test_a_passage_that_was_copied_by_a_model_without_marks_stays_as_it_is() -> None:
    copied = Evidence(page=5, quote="Revenue 386,412", printed_figure="386,412", scale=1000, currency="USD")
    found = read("Revenue of Acme in 2022?", [copied], answer=386_412_000)
    assert (found.final_answer, found.evidence) == (386_412_000, [copied])


def test_a_table_without_a_unit_has_that_of_the_statements() -> None:
    note = page_of(9, grid("Leases", (("Rent", "4,970", "4,650"),), years(None)))
    given = [Evidence(mark="9.1", column="2022")]
    assert read("What was the rent of Acme in 2022?", given, note).final_answer == 4_970
    in_thousands = FactMatch(usual_scale=1000)
    assert read("What was the rent of Acme in 2022?", given, note, facts=in_thousands).final_answer == 4_970_000


def test_a_figure_in_the_words_of_a_row_is_none_of_its_cells() -> None:
    page = page_of(8, grid("Equity", (("Dividends ($0.340 per share)", "(7,838)", "(7,000)"),), years()))
    given = [Evidence(mark="8.1", printed_figure="0.340")]
    assert read("What was the dividend per share of Acme?", given, page).final_answer == pytest.approx(0.34)


def test_a_yes_rests_on_the_sentence_at_its_mark() -> None:
    question = read_text(Question(text="Did net debt of Acme fall?", kind="boolean"))
    draft = BooleanDraft(
        step_by_step_analysis="",
        reasoning_summary="",
        evidence=[Evidence(mark="5.6")],
        unavailable_because=None,
        final_answer=True,
    )
    found = References(marked(INCOME), question, REPORT, FactMatch()).read(draft)
    assert found.final_answer is True
    assert found.evidence[0].quote == "Net debt fell to $41.2 million from $50.7 million."
    assert found.evidence[0].printed_figure is None


@pytest.mark.parametrize(("mark", "cited"), [("4.1", "4.3"), ("4.3", "4.3"), ("5.1", "4.3")])
def test_a_name_is_cited_where_it_stands(mark: str, cited: str) -> None:
    board = page_of(
        4, paragraph("The board met twice.", "It has two members.", "Ann B. Reyes is chief executive.")
    )
    question = read_text(Question(text="Who is the CEO of Acme?", kind="name"))
    draft = NameDraft(
        step_by_step_analysis="",
        reasoning_summary="",
        evidence=[Evidence(mark=mark)],
        unavailable_because=None,
        final_answer="Ann Reyes",
    )
    found = References(marked(INCOME, board), question, REPORT, FactMatch()).read(draft)
    assert [e.mark for e in found.evidence] == [cited]
    assert (found.evidence[0].quote, found.relevant_pages) == ("Ann B. Reyes is chief executive.", [4])


def asked(text: str, kind: AnswerKind = "number") -> frozenset[str]:
    return nearest_lines(marked(INCOME, DAYS), read_text(Question(text=text, kind=kind)), FactMatch(), 60)


def test_a_brief_prompt_shows_the_lines_near_what_is_asked_under_the_headings_of_their_columns() -> None:
    kept = asked("What was the cash of Acme?")
    assert "6.1" in kept
    income, days = marked(INCOME, DAYS)
    assert days.shown(kept) == "|  | 31 December | 31 December |\n| --- | --- | --- |\n[6.1] | Cash | 70 | 60 |"
    assert "Revenue" not in income.shown(kept)


def test_lines_that_are_left_out_are_said_to_be() -> None:
    (page,) = marked(INCOME)
    assert page.shown(frozenset({"5.1", "5.6"})) == (
        "|  | 2022 | 2021 |\n| --- | --- | --- |\n[5.1] | Revenue | 386,412 | 402,875 |\n\n…\n\n"
        "[5.6] Net debt fell to $41.2 million from $50.7 million."
    )


def test_pages_without_what_the_fact_table_has_have_no_marks_of_it() -> None:
    assert marks_of_facts(marked(INCOME), FactMatch()) == ()


def test_the_period_s_last_day_decides_between_columns_of_one_year() -> None:
    quarter = YEAR.model_copy(update={"months": 3})
    page = page_of(
        4,
        grid(
            "Statement of income",
            (("Revenue", "100", "386", "402"),),
            [
                Column(header="Three months 2022", period=quarter, scale=1000),
                Column(header="Year 2022", period=YEAR, scale=1000),
                Column(header="Year 2021", period=BEFORE, scale=1000),
            ],
        ),
    )
    given = [Evidence(mark="4.1", column="2022", printed_figure="100")]
    assert read("What was the revenue of Acme in 2022?", given, page).final_answer == 386_000
    assert dt.date(2022, 12, 31) == YEAR.end


@pytest.mark.parametrize(
    ("sentence", "figure", "year"),
    [
        ("We had 120 stores in 2024 and 150 stores in 2023.", "150", "2023"),
        ("Capacity rose from 300 megawatts in 2023 to 450 megawatts in 2024.", "300", "2023"),
        ("In 2024 we had 120 stores, compared with 150 in 2023.", "120", "2024"),
        ("For 2024 and 2023, sales were $5.1 million and $4.2 million, respectively.", "$4.2 million", "2023"),
        (
            "Sales of fiscal 2024 were $5.1 million, 3% more than the $4.9 million of 2023.",
            "$5.1 million",
            "fiscal 2024",
        ),
    ],
)
def test_a_figure_in_a_sentence_is_of_the_year_that_stands_beside_it(
    sentence: str, figure: str, year: str
) -> None:
    page = page_of(3, paragraph(sentence))
    found = read("How much was it at Acme in 2024?", [Evidence(mark="3.1", printed_figure=figure)], page)
    assert [each.period for each in found.evidence] == [year]


def test_a_number_of_things_in_a_sentence_is_no_amount_of_money() -> None:
    page = page_of(3, paragraph("We have 450 megawatts under contract and owe $12 million."))
    power = read("What is the capacity of Acme?", [Evidence(mark="3.1", printed_figure="450")], page)
    debt = read("What does Acme owe?", [Evidence(mark="3.1", printed_figure="$12 million")], page)
    assert [e.currency for e in (*power.evidence, *debt.evidence)] == [None, "USD"]


def test_a_heading_brings_the_sentences_below_it_and_the_company_s_own_name_none() -> None:
    heading = paragraph("Share buybacks").model_copy(update={"kind": "heading"})
    page = page_of(4, paragraph("Acme Board Trust has a board.", "It meets twice a year."), heading)
    page = page.model_copy(
        update={"blocks": (*page.blocks, paragraph("In the year 697,191 of them went into treasury."))}
    )
    company = Company(name="Acme Board Trust", reports=())
    question = read_text(Question(text="Did Acme Board Trust announce buybacks?", kind="boolean"))
    intent = question.intent.model_copy(update={"text": "announce buybacks"})
    kept = nearest_lines(marked(page), replace(question, company=company, intent=intent), FactMatch(), 90)
    assert {"4.3", "4.4"} <= kept
    assert "4.1" not in kept
