import datetime as dt
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from prompts.drafts import Evidence
from prompts.kinds.boolean import BooleanDraft
from prompts.kinds.name import NameDraft
from prompts.kinds.number import NumberDraft
from prompts.kinds.text import Sentence, TextDraft
from query_engines.question.parsed import FactMatch, dimension_in
from query_engines.question.parser import read_text
from query_engines.verification.meaning import check_dimension, check_name, misfit, names_the_thing, same_person
from query_engines.verification.printed_figures import stands_on
from query_engines.verification.quotes import locate
from query_engines.verification.verify import verify
from storage.records.answers import Check
from storage.records.facts import Confidence, Fact, Period, Seat
from storage.records.metrics import Ontology
from storage.records.pages import Block, Cell, Column, Line, Page, Table, TextSource
from storage.records.questions import Question
from storage.records.record import Box
from storage.records.reports import Company, Report

REPORT = Report(
    sha1="ab", file="acme.pdf", company="Acme", page_count=9, currency="USD", period_end=dt.date(2024, 12, 31)
)
ROWS = (
    ("Revenue", "386,412", "401,250"),
    ("Net loss", "(19,545)", "4,112"),
    ("Purchases of property", "(21,684)", "(18,020)"),
    ("Basic loss per share", "(0.47)", "0.10"),
    ("Purchase of direct investments", "(19,884)", "(10,002)"),
)


def box(row: int, column: int) -> Box:
    return Box(left=column * 100, top=row * 10, right=column * 100 + 90, bottom=row * 10 + 8)


def year(end: int) -> Column:
    return Column(header=str(end), period=Period(end=dt.date(end, 12, 31), months=12), currency="USD", scale=1000)


TABLE = Table(
    row_count=len(ROWS),
    column_count=3,
    cells=tuple(
        Cell(row=r, column=c, text=text, role="value" if c else "row_label", box=box(r, c))
        for r, row in enumerate(ROWS)
        for c, text in enumerate(row)
    ),
    unit="(in thousands)",
    columns=(Column(), year(2024), year(2023)),
)
PROSE = "In 2024 Dana R. Whitcombe became chief execu- tive. We had 1,942 employees."
PAGE = Page(
    report_sha1="ab",
    page_number=5,
    width=612,
    height=792,
    blocks=(
        Block(kind="table", text="\n".join(" ".join(row) for row in ROWS), box=box(0, 0), table=TABLE),
        Block(kind="paragraph", text=PROSE, box=box(9, 0), lines=(Line(text=PROSE, box=box(9, 0)),)),
    ),
)


def evidence(quote: str, printed: str | None = None, scale: int | None = 1000, **extra: Any) -> Evidence:
    values = {"page": 5, "currency": "USD" if printed else None, "period": "2024", **extra}
    return Evidence(quote=quote, printed_figure=printed, scale=scale if printed else None, **values)


def number(value: float, *found: Evidence, pages: list[int] | None = None) -> NumberDraft:
    return NumberDraft(
        step_by_step_analysis="…",
        reasoning_summary="…",
        evidence=list(found),
        relevant_pages=pages if pages is not None else [5],
        unavailable_because=None,
        final_answer=value,
    )


def verdicts(draft: Any, kind: Any = "number", text: str = "What was it (in USD)?") -> dict[str, str]:
    checked = verify(draft, read_text(Question(text=text, kind=kind)), REPORT, {5: PAGE})
    return {c.name: c.verdict for c in checked.checks}


ALL_PASSED = {
    **dict.fromkeys(("page", "quote", "figure", "currency", "period"), "passed"),
    "fact_table": "not_applicable",
}
REVENUE = Fact(
    metric="total_revenue",
    value=Decimal(386412000),
    printed="386,412",
    scale=Decimal(1000),
    currency="USD",
    period=Period(end=dt.date(2024, 12, 31), months=12),
    statement="income",
    report_sha1="ab",
    page_number=5,
    row_label="Revenue",
    confidence="high",
)
ONTOLOGY = Ontology.load()


@pytest.mark.parametrize(
    ("value", "quote", "printed", "scale", "question"),
    [
        (386412000, "Revenue 386,412", "386,412", 1000, "Revenue (in USD)?"),
        (-19545000, "| Net loss | (19,545) |", "(19,545)", 1000, "Net income (in USD)?"),
        (21684000, "Purchases of property (21,684)", "(21,684)", 1000, "Capital expenditures (in USD)?"),
        (-0.47, "Basic loss per share (0.47)", "(0.47)", 1, "EPS (in USD)?"),
    ],
)
def test_a_true_number_passes_every_check(
    value: float, quote: str, printed: str, scale: int, question: str
) -> None:
    found = verdicts(number(value, evidence(quote, printed, scale)), text=question)
    as_asked = {"dimension": "passed", "row": "passed"}
    assert found | as_asked == ALL_PASSED | as_asked


@pytest.mark.parametrize(
    ("draft", "failing"),
    [
        pytest.param(number(386412, evidence("Revenue 386,412", "386,412", 1)), "figure", id="scale"),
        pytest.param(number(19545000, evidence("Revenue 386,412", "(19,545)")), "figure", id="sign"),
        pytest.param(number(386413000, evidence("Revenue 386,413", "386,413")), "quote", id="digit"),
        pytest.param(number(6412000, evidence("6,412", "6,412")), "quote", id="part of a figure"),
        pytest.param(number(386412000), "figure", id="no evidence"),
        pytest.param(number(386412000, evidence("Revenue 386,412", "386,412"), pages=[5, 8]), "page", id="page"),
        pytest.param(
            number(386412000, evidence("Revenue 386,412", "386,412", currency="EUR")), "currency", id="currency"
        ),
        pytest.param(number(401250000, evidence("Revenue 386,412 401,250", "401,250")), "period", id="last year"),
    ],
)
def test_a_false_number_is_caught(draft: NumberDraft, failing: str) -> None:
    assert verdicts(draft)[failing] == "failed"


def test_a_page_that_was_not_read_gives_no_citation() -> None:
    draft = number(386412000, evidence("Revenue 386,412", "386,412", page=8), pages=[8])
    checked = verify(draft, read_text(Question(text="Revenue?", kind="number")), REPORT, {5: PAGE})
    assert checked.citations == ()
    assert [c.name for c in checked.failed] == ["page", "figure"]


@pytest.mark.parametrize(
    ("source", "read", "expected"),
    [
        ("text_layer", (), "text_layer"),
        ("ocr", (), "ocr"),
        ("partly_ocr", (box(0, 1),), "ocr"),
        ("partly_ocr", (box(7, 0),), "text_layer"),
    ],
)
def test_a_citation_tells_whether_its_words_were_read_by_ocr(
    source: TextSource, read: tuple[Box, ...], expected: str
) -> None:
    page = PAGE.model_copy(update={"text_source": source, "ocr_boxes": read})
    draft = number(386412000, evidence("Revenue 386,412", "386,412"))
    checked = verify(draft, read_text(Question(text="Revenue?", kind="number")), REPORT, {5: page})
    assert checked.citations[0].text_source == expected


def test_a_citation_marks_the_cells_of_its_quote() -> None:
    draft = number(386412000, evidence("Revenue 386,412", "386,412"))
    checked = verify(draft, read_text(Question(text="Revenue?", kind="number")), REPORT, {5: PAGE})
    assert checked.citations[0].boxes == (box(0, 0), box(0, 1))
    assert checked.unit is not None
    assert (checked.unit.scale, checked.unit.printed, checked.unit.currency) == (1000, "386,412", "USD")


def test_no_from_silence_has_nothing_to_check() -> None:
    draft = BooleanDraft(
        step_by_step_analysis="…",
        reasoning_summary="…",
        evidence=[],
        relevant_pages=[],
        unavailable_because=None,
        final_answer=False,
    )
    assert set(verdicts(draft, "boolean").values()) == {"not_applicable"}


def test_a_name_is_held_by_its_quote_with_hyphens_forgiven() -> None:
    draft = NameDraft(
        step_by_step_analysis="…",
        reasoning_summary="…",
        evidence=[evidence("Dana R. Whitcombe became chief executive")],
        relevant_pages=[5],
        unavailable_because=None,
        final_answer="Dana R. Whitcombe",
    )
    assert verdicts(draft, "name") == {"page": "passed", "quote": "passed"}


@pytest.mark.parametrize("quote", ["942 employees", "Revenue 386,4", "Dana B. Whitcombe", ""])
def test_a_quote_that_is_not_printed_has_no_place(quote: str) -> None:
    assert locate(quote, PAGE) is None


def test_a_sentence_is_marked_without_the_sentences_beside_it_on_its_lines() -> None:
    said = ("We sold our mill. We now own", "two ships, and we lease two", "more. Our people are well.")
    lines = tuple(
        Line(text=text, box=Box(left=50, top=12 * k, right=180, bottom=12 * k + 10)) for k, text in enumerate(said)
    )
    block = Block(
        kind="paragraph", text=" ".join(said), box=Box(left=50, top=0, right=180, bottom=34), lines=lines
    )
    page = PAGE.model_copy(update={"blocks": (block,)})
    first, second, third = locate("We now own two ships, and we lease two more.", page) or ()
    assert (first.left, first.right) == (pytest.approx(125, abs=6), pytest.approx(180))
    assert second == lines[1].box
    assert (third.left, third.right) == (50, pytest.approx(78, abs=4))
    (inside,) = locate("we lease", page) or ()
    assert (inside.left, inside.right) == (pytest.approx(121, abs=6), pytest.approx(162, abs=6))


@pytest.mark.parametrize(("printed", "verdict"), [("386,412", "passed"), ("401,250", "failed")])
def test_a_year_that_ends_in_june_does_not_take_the_prior_year_s_column(printed: str, verdict: str) -> None:
    june = REPORT.model_copy(update={"period_end": dt.date(2024, 6, 30)})
    draft = number(1000 * int(printed.replace(",", "")), evidence(f"{printed}", printed))
    checked = verify(draft, read_text(Question(text="Revenue?", kind="number")), june, {5: PAGE})
    assert next(c.verdict for c in checked.checks if c.name == "period") == verdict


@pytest.mark.parametrize(("value", "verdict"), [(True, "failed"), (False, "not_applicable")])
def test_a_no_may_rest_on_an_event_of_another_time(value: bool, verdict: str) -> None:
    passage = evidence("Revenue 386,412 401,250", period="2021").model_copy(update={"printed_figure": None})
    draft = BooleanDraft(
        step_by_step_analysis="a",
        reasoning_summary="s",
        evidence=[passage],
        relevant_pages=[5],
        unavailable_because=None,
        final_answer=value,
    )
    checked = verify(
        draft, read_text(Question(text="Did Acme sell its mill in 2024?", kind="boolean")), REPORT, {5: PAGE}
    )
    assert next(c.verdict for c in checked.checks if c.name == "period") == verdict


@pytest.mark.parametrize(
    ("quote", "verdict"),
    [
        ("In 2024 Dana R. Whitcombe became chief executive.", "failed"),
        ("We made no acquisitions in 2024.", "not_applicable"),
        (None, "not_applicable"),
    ],
)
def test_a_no_to_an_event_rests_on_a_passage_that_denies_something(quote: str | None, verdict: str) -> None:
    draft = BooleanDraft(
        step_by_step_analysis="a",
        reasoning_summary="s",
        evidence=[evidence(quote)] if quote else [],
        relevant_pages=[5],
        unavailable_because=None,
        final_answer=False,
    )
    asked = read_text(Question(text="Did Acme mention any acquisitions?", kind="boolean"))
    checked = verify(draft, asked, REPORT, {5: PAGE}, FactMatch(is_stored=True, is_read=True, event="acquisition"))
    assert next((c.verdict for c in checked.checks if c.name == "fact_table"), "not_applicable") == verdict


def table_check(draft: NumberDraft, facts: FactMatch, *, drawn_from_table: bool = False) -> Check:
    checked = verify(
        draft,
        read_text(Question(text="Revenue?", kind="number")),
        REPORT,
        {5: PAGE},
        facts,
        drawn_from_table=drawn_from_table,
    )
    return next(c for c in checked.checks if c.name == "fact_table")


@pytest.mark.parametrize(
    ("value", "confidence", "verdict"),
    [
        (386412000, "high", "passed"),
        (386400000, "high", "passed"),
        (401250000, "high", "failed"),
        (386412, "medium", "failed"),
        (-386412000, "high", "failed"),
        (401250000, "low", "not_applicable"),
    ],
)
def test_a_number_is_held_to_the_fact_table(value: float, confidence: Confidence, verdict: str) -> None:
    held = REVENUE.model_copy(update={"confidence": confidence})
    facts = FactMatch(is_stored=True, metric=ONTOLOGY["total_revenue"], fact=held)
    found = table_check(number(value, evidence("Revenue 386,412", "386,412")), facts)
    assert found.verdict == verdict
    assert "386,412,000 USD for 2024-12-31, 'Revenue' on page 5" in found.detail


def test_money_paid_out_agrees_with_either_sign() -> None:
    paid = REVENUE.model_copy(update={"metric": "capital_expenditures", "value": Decimal(21684000)})
    facts = FactMatch(is_stored=True, metric=ONTOLOGY["capital_expenditures"], fact=paid)
    assert table_check(number(-21684000, evidence("(21,684)", "(21,684)")), facts).verdict == "passed"


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (FactMatch(is_stored=True), "no single metric"),
        (FactMatch(metric=ONTOLOGY["total_revenue"]), "ingest it again"),
        (FactMatch(is_stored=True, metric=ONTOLOGY["goodwill"]), "holds no Goodwill"),
    ],
)
def test_a_table_that_says_nothing_judges_nothing(facts: FactMatch, expected: str) -> None:
    found = table_check(number(386412000, evidence("Revenue 386,412", "386,412")), facts)
    assert found.verdict == "not_applicable"
    assert expected in found.detail


def test_agreeing_with_the_table_that_it_was_read_from_proves_nothing() -> None:
    facts = FactMatch(is_stored=True, metric=ONTOLOGY["total_revenue"], fact=REVENUE)
    draft = number(386412000, evidence("Revenue 386,412", "386,412"))
    assert table_check(draft, facts, drawn_from_table=True).verdict == "not_applicable"


def test_only_the_fact_table_may_add_figures_up() -> None:
    parts = (evidence("Revenue 386,412", "386,412"), evidence("Net loss (19,545)", "(19,545)"))
    draft = number(366867000, *parts)
    judged = [
        verify(
            draft, read_text(Question(text="Sum?", kind="number")), REPORT, {5: PAGE}, drawn_from_table=drawn
        ).checks[2]
        for drawn in (True, False)
    ]
    assert [c.verdict for c in judged] == ["passed", "failed"]


@pytest.mark.parametrize(
    ("value", "printed", "verdict"), [(5, "five", "passed"), (6, "five", "failed"), (7, "seven", "failed")]
)
def test_a_number_written_as_a_word_counts_where_it_stands(value: float, printed: str, verdict: str) -> None:
    block = Block(kind="paragraph", text="We have five employees.", box=box(0, 0))
    draft = number(value, evidence(printed, printed, None, currency=None))
    checked = verify(
        draft,
        read_text(Question(text="Staff?", kind="number")),
        REPORT,
        {5: PAGE.model_copy(update={"blocks": (block,)})},
    )
    assert next(c.verdict for c in checked.checks if c.name == "figure") == verdict


def test_a_figure_in_words_with_a_bracket_before_it_stands_there() -> None:
    block = Block(kind="paragraph", text="Common dividends ($0.340 per share)", box=box(0, 0))
    assert stands_on(Decimal("0.34"), PAGE.model_copy(update={"blocks": (block,)}))


def figure_check(
    value: float,
    row: str,
    printed: str,
    scale: int | None,
    question: str,
    *,
    column: int | None = 1000,
    beside: str = "",
) -> str:
    """The verdict on a figure in a row of one table, whose column has this scale, on a page that says `beside`."""
    label, *figures = row.split(" | ")
    head = Column(header="2024", scale=column)
    table = Table(
        row_count=1,
        column_count=1 + len(figures),
        cells=tuple(
            Cell(row=0, column=c, text=text, role="value" if c else "row_label", box=box(0, c))
            for c, text in enumerate([label, *figures])
        ),
        columns=(Column(), *(head for _ in figures)),
    )
    blocks = (
        Block(kind="table", text=row.replace(" | ", " "), box=box(0, 0), table=table),
        Block(kind="paragraph", text=beside, box=box(5, 0)),
    )
    page = PAGE.model_copy(update={"blocks": blocks})
    draft = number(value, evidence(row, printed, scale))
    checked = verify(
        draft, read_text(Question(text=f"What was the {question}?", kind="number")), REPORT, {5: page}
    )
    return next(c.verdict for c in checked.checks if c.name == "figure")


@pytest.mark.parametrize(
    ("question", "row", "printed", "right"),
    [
        ("net income", "Net income (loss) | 8,027 | (28,457)", "8,027", 8027000),
        ("net income", "Net loss | (8,027) | (5,101)", "(8,027)", -8027000),
        ("net income", "Net loss | 8,027 | 5,101", "8,027", -8027000),
        ("net income", "Net loss | 8,027 | (5,101)", "8,027", 8027000),
        ("operating income", "Loss from operations before income taxes | (8,027)", "(8,027)", -8027000),
        ("shareholders' equity", "Total stockholders' equity (deficit) | 8,027", "8,027", 8027000),
        ("shareholders' equity", "Total shareholders' deficit | 8,027", "8,027", -8027000),
        ("cash flow from operations", "Net cash used in operating activities | (8,027)", "(8,027)", -8027000),
        ("cash flow from operations", "Net cash outflow from operations | 8,027", "8,027", -8027000),
        ("capital expenditures", "Purchases of property | (8,027) | (713)", "(8,027)", 8027000),
        ("additions to plant and equipment", "Additions to plant and equipment | (8,027)", "(8,027)", 8027000),
        ("long-term debt", "Long-term debt | 8,027", "8,027", 8027000),
        ("shareholders' equity", "Accumulated deficit | (8,027)", "(8,027)", -8027000),
        ("profit before tax", "Loss before tax | (8,027)", "(8,027)", -8027000),
    ],
)
def test_the_sign_is_the_one_that_question_and_label_mean(
    question: str, row: str, printed: str, right: float
) -> None:
    verdicts_by_sign = [figure_check(value, row, printed, 1000, question) for value in (right, -right)]
    assert verdicts_by_sign == ["passed", "failed"]


@pytest.mark.parametrize(
    ("question", "row", "printed", "column", "beside", "scale", "wrong"),
    [
        ("operating income", "Income from operations | 8,027", "8,027", 1000, "", 1000, 1),
        ("revenue", "Revenue | 8,027,000", "8,027,000", None, "", 1, 1000),
        (
            "revenue",
            "Revenue | 802.7",
            "802.7",
            None,
            "As amounts are shown in millions, sums differ.",
            10**6,
            1000,
        ),
        ("revenue", "Revenue (€m) | 8,027", "8,027", None, "", 10**6, 1),
        ("earnings per share", "Basic | 1.57", "1.57", 1000, "", 1, 1000),
        ("number of employees", "Employees | 459", "459", 1000, "", 1, 1000),
        ("staff costs", "Staff costs | 8,027", "8,027", 1000, "", 1000, 1),
        ("net income", "Net income of Acme Bancshares | 8,027", "8,027", 1000, "", 1000, 1),
    ],
)
def test_the_scale_is_the_one_that_is_printed(
    question: str, row: str, printed: str, column: int | None, beside: str, scale: int, wrong: int
) -> None:
    size = float(printed.replace(",", ""))
    judged = [
        figure_check(size * claimed, row, printed, claimed, question, column=column, beside=beside)
        for claimed in (scale, wrong)
    ]
    assert judged == ["passed", "failed"]


@pytest.mark.parametrize(("value", "verdict"), [(0.1006, "passed"), (10.06, "failed")])
@pytest.mark.parametrize("scale", [None, 1])
def test_a_figure_in_cents_is_a_hundredth(value: float, verdict: str, scale: int | None) -> None:
    assert figure_check(value, "Earnings per share (cents) | 10.06", "10.06", scale, "EPS") == verdict


def page_with(text: str) -> Page:
    return PAGE.model_copy(update={"blocks": (Block(kind="paragraph", text=text, box=box(0, 0)),)})


@pytest.mark.parametrize(
    ("value", "printed", "scale", "verdict"),
    [
        (298200000, "298.2", 10**6, "passed"),
        (298200000, "$298.2 million", 10**6, "passed"),
        (298200, "298.2", 1000, "failed"),
        (298.2, "$298.2 million", 1, "failed"),
        (298000000, "$298 million", 10**6, "failed"),
    ],
)
def test_the_word_after_a_figure_is_its_scale(value: float, printed: str, scale: int, verdict: str) -> None:
    text = "Capital spending increased to $298.2 million."
    checked = verify(
        number(value, evidence(text, printed, scale)),
        read_text(Question(text="Capex?", kind="number")),
        REPORT,
        {5: page_with(text)},
    )
    assert next(c.verdict for c in checked.checks if c.name == "figure") == verdict


def test_a_figure_from_elsewhere_on_the_page_is_not_held_by_the_quote() -> None:
    draft = number(-19545000, evidence("Revenue 386,412", "(19,545)"))
    checked = verify(draft, read_text(Question(text="Net income?", kind="number")), REPORT, {5: PAGE})
    assert "not in the passage quoted" in next(c.detail for c in checked.checks if c.name == "figure")


@pytest.mark.parametrize("figure", ["23183", "-23183"])
def test_a_dash_apart_from_a_figure_may_be_an_empty_place_or_a_minus(figure: str) -> None:
    assert stands_on(Decimal(figure), page_with("Revenue 2,607 - 23,183"))


def test_a_quote_of_joined_headers_is_found_as_the_model_was_shown_them() -> None:
    cells = [("Discount", 0, 0), ("Dividend per share", 0, 1), ("31 March", 1, 0), ("15.00p", 1, 1)]
    table = Table(
        row_count=3,
        column_count=2,
        cells=(
            *(Cell(row=r, column=c, text=t, role="column_header", box=box(r, c)) for t, r, c in cells),
            Cell(row=2, column=0, text="9.9%", box=box(2, 0)),
        ),
    )
    block = Block(kind="table", text="Discount Dividend per share\n31 March 15.00p", box=box(0, 0), table=table)
    page = PAGE.model_copy(update={"blocks": (block,)})
    assert locate(page.markdown.splitlines()[0], page) == (box(0, 0), box(1, 0), box(0, 1), box(1, 1))


@pytest.mark.parametrize("value", [8027000, -8027000])
def test_a_liability_in_brackets_may_be_told_with_or_without_its_sign(value: float) -> None:
    assert figure_check(value, "Total liabilities | (8,027)", "(8,027)", 1000, "total liabilities") == "passed"


@pytest.mark.parametrize(("continues", "verdict"), [(True, "passed"), (False, "failed")])
def test_a_table_whose_head_stands_on_the_next_page_does_not_tell_its_unit(continues: bool, verdict: str) -> None:
    cells = (Cell(row=0, column=0, text="Net change", role="row_label"), Cell(row=0, column=1, text="8,027"))
    table = Table(row_count=1, column_count=2, cells=cells)
    block = Block(kind="table", text="Net change 8,027", box=box(0, 0), table=table, continues=continues)
    page = PAGE.model_copy(update={"blocks": (block,)})
    draft = number(8027000, evidence("Net change 8,027", "8,027", 1000))
    checked = verify(draft, read_text(Question(text="Net change in cash?", kind="number")), REPORT, {5: page})
    assert next(c.verdict for c in checked.checks if c.name == "figure") == verdict


PASSAGES = (
    evidence("In 2024 Dana R. Whitcombe became chief executive."),
    evidence("Revenue 386,412", "386,412"),
    evidence("We had 2,001 employees."),
)


def sentence_checked(text: str, *numbers: int) -> tuple[str, str]:
    """The verdict on one sentence, and what is told."""
    draft = TextDraft(
        step_by_step_analysis="…",
        reasoning_summary="…",
        evidence=list(PASSAGES),
        relevant_pages=[5],
        unavailable_because=None,
        final_answer=[Sentence(text=text, evidence_numbers=list(numbers))],
    )
    checks = verify(
        draft, read_text(Question(text="Who led Acme through the fire of 2019?", kind="text")), REPORT, {5: PAGE}
    ).checks
    found = next(c for c in checks if c.name == "sentences")
    return found.verdict, found.detail


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Dana R. Whitcombe became chief executive in 2024.", [1]),
        ("Revenue was $386.4 million, in two segments.", [2]),
        ("Revenue was USD 386,412 thousand.", [1, 2]),
        ("Its 10-K for 2023/24 names 3 risks and Phase 2b trials.", [1]),
        ("After the fire of 2019 she was chief executive on December 31, 2024.", [1]),
        ("Revenue was $0.39 billion, after 401,250 thousand the year before.", [2]),
    ],
)
def test_a_sentence_that_its_page_prints_passes(text: str, numbers: list[int]) -> None:
    assert sentence_checked(text, *numbers) == ("passed", "1, each with a passage that is printed")


@pytest.mark.parametrize(
    ("text", "numbers", "reported"),
    [
        ("Dana R. Whitcombe leads Acme.", [], "points at no passage"),
        ("Dana R. Whitcombe leads Acme.", [4], "points at passage 4, of 3"),
        ("Dana R. Whitcombe leads Acme.", [0], "points at passage 0, of 3"),
        ("Acme had 2,001 employees.", [3], "not printed on page 5: 'We had 2,001 employees.'"),
        ("Revenue was $387.4 million.", [2], "says 387.4, which is not printed on page 5"),
        ("She joined in 2011.", [1], "says 2011, which is not printed on page 5"),
    ],
)
def test_a_sentence_without_its_ground_is_told(text: str, numbers: list[int], reported: str) -> None:
    verdict, detail = sentence_checked(text, *numbers)
    assert verdict == "failed"
    assert reported in detail


def test_a_sentence_is_checked_only_where_there_is_one() -> None:
    none = TextDraft(
        step_by_step_analysis="…",
        reasoning_summary="…",
        evidence=[],
        relevant_pages=[],
        unavailable_because="not_found",
        final_answer="N/A",
    )
    assert verify(none, read_text(Question(text="Why?", kind="text")), REPORT, {5: PAGE}).checks == ()


@pytest.mark.parametrize(
    ("word", "text", "is_thing"),
    [
        ("risk", "The main risks are currency and supply.", True),
        ("risk", "She was Chief Risk Officer of Acme until 2019.", False),
        ("risk", "He led the risk management of the bank.", False),
    ],
)
def test_a_word_inside_a_title_is_not_the_thing_asked(word: str, text: str, is_thing: bool) -> None:
    assert names_the_thing(word, text) is is_thing


@pytest.mark.parametrize(
    ("text", "printed", "currency", "verdict"),
    [
        ("How many shares did Acme repurchase?", "32.0", "EUR", "failed"),
        ("How many shares did Acme repurchase?", "1,118,000", None, "passed"),
        ("What was the revenue per share of Acme?", "5.1", "EUR", "passed"),
    ],
)
def test_shares_are_no_euros(text: str, printed: str, currency: str | None, verdict: str) -> None:
    cited = Evidence(page=5, quote=printed, printed_figure=printed, scale=1, currency=currency, period=None)
    question = read_text(Question(text=text, kind="number"))
    asked = replace(question, intent=question.intent.model_copy(update={"dimension": dimension_in(text)[0]}))
    assert check_dimension(asked, [cited]).verdict == verdict


def test_a_year_is_no_number_of_things() -> None:
    text = "How many stores did Acme have in 2024?"
    question = read_text(Question(text=text, kind="number"))
    asked = replace(question, intent=question.intent.model_copy(update={"dimension": dimension_in(text)[0]}))
    quote = "We had 2,150 stores in 2024 and 1,980 stores in 2023."
    found = [Evidence(page=5, quote=quote, printed_figure=figure, scale=1) for figure in ("2023", "2,150")]
    assert [check_dimension(asked, [each]).verdict for each in found] == ["failed", "passed"]


def test_a_name_holds_no_title() -> None:
    question = read_text(Question(text="Who is the CEO?", kind="name"))
    asked = replace(question, intent=question.intent.model_copy(update={"role": "chief_executive"}))
    assert check_name(asked, "Takahiro Ogasaki Representative").verdict == "failed"
    assert check_name(asked, "Takahiro Ogasaki").verdict == "passed"
    assert check_name(asked, "Takahiro Ogasaki, Mina Sato").verdict == "failed"
    assert check_name(asked, "Robert B. Oakes, Jr.").verdict == "passed"


LABELS = (
    "Current portion of long-term debt",
    "Long-term debt, net of current portion",
    "Inventory sales revenue",
    "Total Acme stockholders' equity",
    "Total stockholders' equity",
)


@pytest.mark.parametrize(
    ("asked", "row", "fault"),
    [
        ("current portion of long-term debt", 0, None),
        ("current portion of long-term debt", 1, "leaves out current portion"),
        ("long-term debt, net of current portion", 1, None),
        ("long-term debt, excluding the current portion", 0, "was to be left out"),
        ("product revenue", 2, "does not say product"),
        ("inventory rate", 2, "money"),
        ("total Acme stockholders' equity", 4, "is written in the question"),
        ("total stockholders' equity", 4, None),
    ],
)
def test_a_row_of_other_words_is_not_the_figure_that_was_asked(asked: str, row: int, fault: str | None) -> None:
    cells = tuple(
        Cell(row=r, column=c, text=text, role="value" if c else "row_label")
        for r, label in enumerate(LABELS)
        for c, text in enumerate((label, f"{r + 1},000"))
    )
    table = Table(row_count=len(LABELS), column_count=2, cells=cells, columns=(Column(), year(2024)))
    page = PAGE.model_copy(update={"blocks": (Block(kind="table", text="", box=box(0, 0), table=table),)})
    printed = f"{row + 1},000"
    question = read_text(Question(text=f"What was the {asked}?", kind="number"))
    question = replace(question, intent=question.intent.model_copy(update={"dimension": "money"}))
    found = misfit(question, FactMatch(), [evidence(f"{LABELS[row]} {printed}", printed)], {5: page})
    assert (found is None) is (fault is None), found
    assert fault is None or fault in found.detail  # type: ignore[union-attr]  # it was found


@pytest.mark.parametrize(("scale", "verdict"), [(1, "passed"), (1000, "failed")])
def test_a_currency_beside_a_plain_count_makes_no_money_of_it(scale: int, verdict: str) -> None:
    question = read_text(Question(text="How many employees did Acme have?", kind="number"))
    cited = evidence("We had 1,942 employees", "1,942", scale, currency="USD")
    assert check_dimension(question, [cited]).verdict == verdict


def test_the_row_with_the_company_s_name_is_the_one_that_is_written_in_full() -> None:
    equity = FactMatch(metric=ONTOLOGY["shareholders_equity"])
    cells = tuple(
        Cell(row=r, column=c, text=text, role="value" if c else "row_label")
        for r, label in enumerate(LABELS)
        for c, text in enumerate((label, f"{r + 1},000"))
    )
    table = Table(row_count=len(LABELS), column_count=2, cells=cells, columns=(Column(), year(2024)))
    page = PAGE.model_copy(update={"blocks": (Block(kind="table", text="", box=box(0, 0), table=table),)})
    asked = read_text(Question(text="What was the total Acme stockholders' equity of Acme?", kind="number"))
    asked = replace(asked, intent=asked.intent.model_copy(update={"text": "total stockholders' equity"}))
    found = misfit(asked, equity, [evidence("Total stockholders' equity 5,000", "5,000")], {5: page})
    assert found is not None


WEEKS = REPORT.model_copy(update={"period_end": dt.date(2023, 1, 1), "fiscal_year": 2022})
RETAILER = REPORT.model_copy(update={"period_end": dt.date(2023, 1, 28), "fiscal_year": 2022})


@pytest.mark.parametrize(
    ("report", "heads", "question", "figure", "verdict"),
    [
        (WEEKS, (("January 1, 2023", "2023-01-01"), ("January 2, 2022", "2022-01-02")), "2022", 0, "passed"),
        (
            WEEKS,
            (("January 1, 2023", "2023-01-01"), ("January 2, 2022", "2022-01-02")),
            "fiscal 2022",
            0,
            "passed",
        ),
        (
            WEEKS,
            (("January 1, 2023", "2023-01-01"), ("January 2, 2022", "2022-01-02")),
            "fiscal 2022",
            1,
            "failed",
        ),
        (WEEKS, (("2022", "2023-01-01"), ("2021", "2022-01-01")), "fiscal 2022", 0, "passed"),
        (WEEKS, (("2022", "2023-01-01"), ("2021", "2022-01-01")), "2022", 1, "failed"),
        (RETAILER, (("2022", "2023-01-28"), ("2021", "2022-01-28")), "fiscal 2022", 0, "passed"),
        (RETAILER, (("2022", "2023-01-28"), ("2021", "2022-01-28")), "fiscal 2022", 1, "failed"),
        (RETAILER, (("Jan 28, 2023", "2023-01-28"), ("Jan 29, 2022", "2022-01-29")), "fiscal 2022", 0, "passed"),
        (RETAILER, (("Jan 28, 2023", "2023-01-28"), ("Jan 29, 2022", "2022-01-29")), "fiscal 2021", 0, "failed"),
    ],
)
def test_a_fiscal_year_is_compared_with_columns_by_its_own_name(
    report: Report, heads: tuple[tuple[str, str], ...], question: str, figure: int, verdict: str
) -> None:
    columns = (Column(header=h, period=Period(end=dt.date.fromisoformat(end), printed=h)) for h, end in heads)
    table = TABLE.model_copy(update={"columns": (Column(), *columns)})
    page = PAGE.model_copy(update={"blocks": (PAGE.blocks[0].model_copy(update={"table": table}),)})
    printed = ROWS[0][1 + figure]
    draft = number(1000 * int(printed.replace(",", "")), evidence(printed, printed))
    asked = read_text(Question(text=f"What was the revenue in {question}?", kind="number"))
    checked = verify(draft, asked, report, {5: page})
    assert next(c.verdict for c in checked.checks if c.name == "period") == verdict


@pytest.mark.parametrize("claimed", ["fiscal 2022", "2022", "year ended January 28, 2023"])
def test_a_passage_may_name_a_fiscal_year_or_the_day_on_which_it_ended(claimed: str) -> None:
    passage = evidence("We had 1,942 employees.", "1,942", 1, period=claimed, currency=None)
    asked = read_text(Question(text="How many employees were there in fiscal 2022?", kind="number"))
    checked = verify(number(1942, passage), asked, RETAILER, {5: PAGE})
    assert next(c.verdict for c in checked.checks if c.name == "period") == "passed"


@pytest.mark.parametrize(
    ("question", "said", "verdict"),
    [
        ("How many employees are there?", "to the meeting on 31 May 2025", "not_applicable"),
        ("How many employees are there?", "as of 31 May 2025", "failed"),
        ("How many employees were there in 2024?", "on 31 May 2025", "failed"),
    ],
)
def test_the_day_of_a_later_meeting_is_no_period(question: str, said: str, verdict: str) -> None:
    passage = evidence("We had 1,942 employees.", "1,942", 1, period=said, currency=None)
    checked = verify(number(1942, passage), read_text(Question(text=question, kind="number")), REPORT, {5: PAGE})
    assert next(c.verdict for c in checked.checks if c.name == "period") == verdict


CHIEF = Seat(
    name="Dana R. Whitcombe",
    role="chief_executive",
    title="Chief Executive Officer",
    report_sha1="ab",
    page_number=5,
)


def checked(draft: Any, kind: Any, text: str, facts: FactMatch) -> dict[str, str]:
    found = verify(draft, read_text(Question(text=text, kind=kind)), REPORT, {5: PAGE}, facts)
    return {c.name: c.verdict for c in found.checks}


@pytest.mark.parametrize(
    ("name", "verdict"), [("Dana Whitcombe", "passed"), ("Dana R. Whitcombe", "passed"), ("Dana Oakes", "failed")]
)
def test_an_officer_is_compared_with_the_one_whom_rules_read(name: str, verdict: str) -> None:
    draft = NameDraft(
        step_by_step_analysis="…",
        reasoning_summary="…",
        evidence=[evidence(PROSE)],
        relevant_pages=[5],
        unavailable_because=None,
        final_answer=name,
    )
    known = FactMatch(is_stored=True, role="chief_executive", person=CHIEF)
    assert checked(draft, "name", "Who is the CEO of Acme?", known)["fact_table"] == verdict


@pytest.mark.parametrize(
    ("quote", "verdict"),
    [
        ("In May 2024 we completed the acquisition of Karst Tools for $12 million.", "passed"),
        ("We may acquire businesses in future and may fail to integrate them.", "failed"),
    ],
)
def test_a_yes_about_an_acquisition_needs_a_sentence_that_tells_of_one(quote: str, verdict: str) -> None:
    draft = BooleanDraft(
        step_by_step_analysis="…",
        reasoning_summary="…",
        evidence=[evidence(quote)],
        relevant_pages=[5],
        unavailable_because=None,
        final_answer=True,
    )
    asked = "Did Acme mention any mergers or acquisitions?"
    assert checked(draft, "boolean", asked, FactMatch(event="acquisition"))["fact_table"] == verdict
    other = checked(draft, "boolean", asked, FactMatch(event="esg"))
    assert "fact_table" not in other, "rules do not surely read every kind of event"


def test_a_row_of_another_metric_is_told_from_a_row_under_an_unusual_name() -> None:
    asked = ONTOLOGY["gross_profit"]
    others = [metric for metric in ONTOLOGY.metrics if metric.id != asked.id]
    known = FactMatch(is_stored=True, metric=asked, others=others)
    draft = number(386412000, evidence("Revenue 386,412", "386,412"))
    assert checked(draft, "number", "What was the gross profit (in USD)?", known)["row"] == "failed"


@pytest.mark.parametrize(
    ("metric", "quote", "printed", "verdict"),
    [
        ("capital_expenditures", "Purchases of property (21,684)", "(21,684)", None),
        ("capital_expenditures", "Revenue 386,412", "386,412", "failed"),
        ("capital_expenditures", "Purchase of direct investments (19,884)", "(19,884)", "failed"),
        ("dividend_per_share", "Basic loss per share (0.47)", "(0.47)", "failed"),
    ],
)
def test_a_row_of_which_no_word_names_the_metric_is_another_one(
    metric: str, quote: str, printed: str, verdict: str | None
) -> None:
    asked = ONTOLOGY[metric]
    known = FactMatch(is_stored=True, metric=asked)
    found = checked(number(-21684000, evidence(quote, printed)), "number", f"What was the {asked.title}?", known)
    assert (found.get("row") == "failed") is (verdict == "failed"), found


@pytest.mark.parametrize(
    ("sentence", "verdict"),
    [
        ("CIM Group has built a team of over 1,942 employees.", "failed"),
        ("We are managed by CIM Group, and had 1,942 employees.", None),
        ("Acme Holdings, of CIM Group, had 1,942 employees.", None),
        ("There were 1,942 employees at the end of the year.", None),
    ],
)
def test_a_sentence_about_another_firm_is_not_about_the_company(sentence: str, verdict: str | None) -> None:
    question = read_text(Question(text="How many employees did Acme have?", kind="number"))
    question = replace(question, company=Company(name="Acme Holdings, Inc."))
    facts, page = FactMatch(is_stored=True, metric=ONTOLOGY["employees"]), page_with(sentence)
    found = verify(number(1942, evidence(sentence, "1,942", 1, currency=None)), question, REPORT, {5: page}, facts)
    assert {c.name: c.verdict for c in found.checks}.get("row") == verdict


@pytest.mark.parametrize(
    ("label", "text", "is_failed"),
    [
        ("Germany", "How many employees did Acme have?", True),
        ("Germany", "How many employees did Acme have in Germany?", False),
        ("Total", "How many employees did Acme have?", False),
        ("2024", "How many employees did Acme have?", False),
    ],
)
def test_a_part_below_a_heading_of_the_metric_is_not_its_whole(label: str, text: str, is_failed: bool) -> None:
    cells = (
        Cell(row=0, column=0, text=label, role="row_label", box=box(0, 0)),
        Cell(row=0, column=1, text="7,796", role="value", box=box(0, 1)),
    )
    table = Table(
        row_count=1, column_count=2, cells=cells, columns=(Column(), Column(header="Number of employees"))
    )
    page = PAGE.model_copy(update={"blocks": (PAGE.blocks[0].model_copy(update={"table": table}),)})
    question = read_text(Question(text=text, kind="number"))
    facts = FactMatch(is_stored=True, metric=ONTOLOGY["employees"])
    cited = evidence(f"{label} 7,796", "7,796", 1, currency=None)
    found = verify(number(7796, cited), question, REPORT, {5: page}, facts)
    assert ({c.name: c.verdict for c in found.checks}.get("row") == "failed") is is_failed


@pytest.mark.parametrize(
    ("sentence", "verdict"),
    [
        ("Long-term debt was $1,942 thousand at the end of the year.", None),
        ("Financial charges decreased to $1,942 thousand in the year.", "failed"),
    ],
)
def test_a_sentence_beside_one_of_the_metric_is_not_its_own(sentence: str, verdict: str | None) -> None:
    text = f"Our long-term debt bears interest. {sentence}"
    block = PAGE.blocks[1].model_copy(update={"text": text, "lines": (Line(text=text, box=box(9, 0)),)})
    question = read_text(Question(text="What was the long-term debt?", kind="number"))
    facts = FactMatch(is_stored=True, metric=ONTOLOGY["long_term_debt"])
    page = PAGE.model_copy(update={"blocks": (block,)})
    found = verify(number(1942000, evidence(sentence, "1,942")), question, REPORT, {5: page}, facts)
    assert {c.name: c.verdict for c in found.checks}.get("row") == verdict


@pytest.mark.parametrize(("row", "verdict"), [(1, "passed"), (3, "failed")])
def test_a_year_over_the_rows_is_that_of_the_rows_below_it(row: int, verdict: str) -> None:
    rows = (
        ("At 31 December 2024", ""),
        ("Revenue", "386,412"),
        ("At 31 December 2023", ""),
        ("Revenue", "401,250"),
    )
    cells = tuple(
        Cell(row=r, column=c, text=text, role="value" if c else "row_label", box=box(r, c))
        for r, line in enumerate(rows)
        for c, text in enumerate(line)
        if text
    )
    columns = (Column(), Column(header="Total", currency="USD", scale=1000))
    table = Table(row_count=len(rows), column_count=2, cells=cells, columns=columns)
    page = PAGE.model_copy(update={"blocks": (PAGE.blocks[0].model_copy(update={"table": table}),)})
    printed = rows[row][1]
    draft = number(1000 * int(printed.replace(",", "")), evidence(f"Revenue {printed}", printed, period=None))
    question = read_text(Question(text="What was the revenue (in USD)?", kind="number"))
    found = verify(draft, question, REPORT, {5: page})
    assert next(c.verdict for c in found.checks if c.name == "period") == verdict


@pytest.mark.parametrize(("printed", "verdict"), [("(15,054)", "failed"), ("$.850", "passed")])
def test_the_sum_of_a_dividend_is_not_the_one_per_share_that_its_row_names(printed: str, verdict: str) -> None:
    question = read_text(Question(text="What was the dividend per share?", kind="number"))
    question = replace(question, intent=question.intent.model_copy(update={"dimension": "per share"}))
    cited = evidence("Dividends on common stock ($.850 per share) (15,054)", printed, 1)
    assert check_dimension(question, [cited]).verdict == verdict


@pytest.mark.parametrize(
    ("name", "text", "is_there"),
    [
        ("J. Leland Strange", "J.Leland Strange President", True),
        ("Dana R. Whitcombe", "Dana Whitcombe signed", True),
        ("Dana R. Whitcombe", "Danae Whitcombe signed", False),
    ],
)
def test_a_name_is_there_whatever_stands_between_its_words(name: str, text: str, is_there: bool) -> None:
    assert same_person(name, text) is is_there
