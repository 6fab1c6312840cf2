"""Every page of a report scored by its words; the reports are a few pages written here."""

import datetime as dt

import numpy as np
import pytest

from query_engines.question.classifier import QuestionClassifier, core
from query_engines.question.intent import IntentReader
from query_engines.question.parsed import Intent
from query_engines.retrieval.page_scores import PageScores, page_signs
from storage.records.facts import Period
from storage.records.metrics import Ontology
from storage.records.pages import Block, BlockKind, Cell, Column, Page, Table
from storage.records.record import Box
from storage.records.reports import Company, Report

ACME = Company(name="Acme Tools Inc.")
REPORT = Report(
    sha1="a", file="a.pdf", company=ACME.name, page_count=9, currency="USD", period_end=dt.date(2022, 12, 31)
)
INTENTS, GUESSES = IntentReader(Ontology.load()), QuestionClassifier.load()
BOX = Box(left=50, top=50, right=500, bottom=80)


def text(words: str, kind: BlockKind = "paragraph") -> Block:
    return Block(kind=kind, text=words, box=BOX, level=1 if kind == "heading" else 0)


def table(title: str, *rows: tuple[str, ...], years: tuple[int, ...] = (2022, 2021)) -> Block:
    cells = [Cell(row=0, column=i, text=str(y), role="column_header") for i, y in enumerate(years, 1)]
    for number, row in enumerate(rows, 1):
        cells.append(Cell(row=number, column=0, text=row[0], role="row_label"))
        cells += [Cell(row=number, column=i, text=figure) for i, figure in enumerate(row[1:], 1)]
    columns = [Column(), *(Column(header=str(y), period=Period(end=dt.date(y, 12, 31), months=12)) for y in years)]
    grid = Table(
        row_count=len(rows) + 1,
        column_count=len(years) + 1,
        cells=tuple(cells),
        title=title,
        columns=tuple(columns),
    )
    return Block(kind="table", text="\n".join(" ".join(row) for row in rows), box=BOX, table=grid)


def report(*pages: list[Block]) -> PageScores:
    read = [
        Page(report_sha1="a", page_number=n, width=600, height=800, blocks=tuple(b))
        for n, b in enumerate(pages, 1)
    ]
    return PageScores(read, REPORT, lambda: read)


def first(scores: PageScores, question: str | Intent) -> int:
    """The number of the page scored highest, BM25 left out."""
    intent = _asked(question) if isinstance(question, str) else question
    found = scores.of(intent, np.zeros(scores.page_count))
    return int(found.argmax()) + 1


CONTENTS = [
    text("TABLE OF CONTENTS", "heading"),
    *(text(f"Net sales and chapter {n} ..... {n}0") for n in range(1, 12)),
]
POLICY = [
    text("Significant accounting policies", "heading"),
    text("Net sales are recognised when control of the goods passes to the customer."),
]
INCOME = [
    text("CONSOLIDATED STATEMENTS OF OPERATIONS", "heading"),
    table(
        "CONSOLIDATED STATEMENTS OF OPERATIONS",
        ("Net sales", "688,415", "692,847"),
        ("Cost of goods sold", "434,757", "405,851"),
        ("Gross profit", "253,658", "286,996"),
        ("Operating income", "94,214", "120,333"),
        ("Interest expense", "(40,220)", "(39,128)"),
        ("Income before income taxes", "84,214", "41,333"),
        ("Income tax expense", "10,400", "11,200"),
        ("Net income", "73,774", "27,139"),
        ("Basic earnings per share", "0.63", "0.29"),
    ),
]
RECONCILIATION = [
    text("Reconciliation of non-GAAP measures", "heading"),
    table(
        "Reconciliation of Adjusted EBITDA",
        ("Net income", "73,774", "27,139"),
        ("Adjusted net income", "80", "70"),
    ),
]
OLD = [
    text("SELECTED FINANCIAL DATA", "heading"),
    table(
        "Selected five-year data",
        ("Net sales", "504,179", "368,816"),
        ("Net income", "32,857", "(25,250)"),
        years=(2020, 2019),
    ),
]
WARRANTY = [
    text("9. Warranty", "heading"),
    table(
        "Warranty accrual",
        ("Accrued for current year warranty claims", "12,261", "11,900"),
        ("Settled claims", "9", "8"),
    ),
]
ANNUAL = report(CONTENTS, POLICY, RECONCILIATION, OLD, WARRANTY, INCOME)


@pytest.mark.parametrize(
    "question",
    [
        "What was the Net income (in USD) for Acme Tools Inc. according to the annual report?",
        "What was Acme Tools' turnover?",
        "How much did Acme Tools sell last year?",
        "What did Acme Tools earn per share?",
    ],
)
def test_a_metric_s_page_is_its_statement_not_a_list_a_policy_or_an_adjusted_figure(question: str) -> None:
    assert first(ANNUAL, question) == 6


def test_a_row_outside_the_ontology_is_found_by_its_words() -> None:
    assert first(ANNUAL, "How much did Acme Tools accrue for current-year warranty claims in 2022?") == 5


def test_a_row_that_says_it_goes_before_an_everyday_meaning() -> None:
    scores = report(
        INCOME, [table("Deferred compensation plan", ("Employer contributions paid to each share plan", "7", "6"))]
    )
    question = "How much was paid: employer contributions paid to each share plan of Acme Tools?"
    assert first(scores, question) == 2


def test_rare_words_count_more_and_stray_words_against_a_row() -> None:
    scores = report(
        [table("Revenue by region", ("Revenue, Canada", "5", "4"), ("Revenue, Japan", "9", "8"))],
        [table("Revenue by customer", ("Revenue from Japan trading houses under long contracts", "3", "2"))],
    )
    assert first(scores, "What revenue did Acme Tools make in Japan?") == 1


def test_the_chief_executive_s_page_names_person_and_office() -> None:
    scores = report(
        [text("The Chief Executive Officer reviews all risks with the Board.")],
        [text("Signatures", "heading"), text("Maria Lindqvist, President and Chief Executive Officer")],
        [text("Maria Lindqvist, Chief Executive Officer, joined Acme in 2015.")],
    )
    assert first(scores, "Who runs Acme Tools?") in (2, 3)


def test_an_event_s_page_tells_what_happened_not_what_may() -> None:
    scores = report(
        [
            text("Risk factors", "heading"),
            text("We may acquire other companies, and an acquisition could fail to bring profits."),
        ],
        [
            text(
                "In March 2022, the Company completed the acquisition of Brightline Racing for $14 million in cash."
            )
        ],
    )
    assert first(scores, "Did Acme Tools mention any mergers or acquisitions?") == 2


def test_the_headcount_may_stand_in_a_sentence() -> None:
    scores = report(
        [text("We depend on our employees and compete for skilled people.")],
        [text("As of December 31, 2022, we had 1,184 full-time employees.")],
    )
    assert first(scores, "How many people work for Acme Tools?") == 2


def test_only_a_list_of_pages_is_a_table_of_contents() -> None:
    pages = [
        Page(report_sha1="a", page_number=n, width=600, height=800, blocks=tuple(blocks))
        for n, blocks in enumerate([CONTENTS, INCOME, [text("Table of Contents", "heading"), text("Our year")]], 1)
    ]
    assert page_signs(pages).contents.tolist() == [1, 0, 0]


def test_a_table_that_goes_on_marks_the_page_before() -> None:
    goes_on = INCOME[1].model_copy(update={"continues": True})
    assert report([INCOME[1]], [goes_on], [text("Our year")]).goes_on == frozenset({1})


def test_a_report_without_a_word_scores_nothing() -> None:
    empty = report([], [])
    assert empty.of(INTENTS.read("What was Acme Tools' revenue?", ACME), np.zeros(2)).tolist() == [0, 0]
    assert empty.of(Intent(text="submarines"), np.zeros(2)).tolist() == [0, 0]


def test_the_page_of_the_report_s_own_statement_is_known() -> None:
    scores = report(CONTENTS, POLICY, INCOME)
    assert scores.statement_pages("income") == (3,)
    assert scores.statement_pages("balance") == scores.statement_pages("notes") == ()


def test_a_ratio_brings_the_pages_with_the_rows_that_it_is_calculated_from() -> None:
    words = [text("Our business is not capital-intensive, as capital-intensive businesses go.")]
    summary = [table("Key figures", ("Revenue", "688,415", "692,847"), ("Capital expenditures", "5,004", "4,100"))]
    assert first(report(words, POLICY, summary), "Is Acme Tools a capital-intensive business?") == 3


def _asked(question: str) -> Intent:
    return INTENTS.read(question, ACME, GUESSES.read(core(question, (ACME.name, "Acme Tools"))))
