import datetime as dt
import shutil
from decimal import Decimal
from pathlib import Path

import pytest

from app import open_pageproof
from app.desk import Desk
from indexes.facts.fact_table import FactTable
from query_engines.asked import Asked
from query_engines.fact_lookup import FactLookup, FactsAsked, event_asked, officer_asked
from query_engines.programs.known_facts import draft_from_facts
from query_engines.programs.labelled_rows import draft_from_rows
from query_engines.question_bundle import QuestionBundle
from storage.answers import Answer, Value
from storage.fact_store import FactStore
from storage.facts import Fact, ReportFacts
from storage.geometry import Box
from storage.metrics import Ontology
from storage.pages import Block, Cell, Column, Page, Table
from storage.periods import Period
from storage.questions import AnswerKind, Question
from storage.reports import Company, Report

OSTERMERE = "Ostermere Instruments, Inc."
VELDHOORN = "Veldhoorn Packaging N.V."


def asked(desk: Desk, text: str, kind: AnswerKind | None = None) -> Answer:
    return desk.run(desk.answer(Question(text=text, kind=kind)))


@pytest.mark.parametrize(
    ("text", "value", "page"),
    [
        (f"What was the total revenue of {OSTERMERE}?", 386412000, 8),
        (f"What was the total revenue of {OSTERMERE} in 2023?", 402875000, 8),
        (f"How much did {OSTERMERE} sell last year?", 386412000, 8),
        (f"How many employees did {OSTERMERE} have at the end of 2024?", 1942, 4),
        (f'Who is the CEO in the company "{VELDHOORN}"?', "Marit van Haelst", 6),
        (f"What is the name of the chief financial officer of {VELDHOORN}?", "Jonas Edelkamp", 6),
        (f"Did {VELDHOORN} announce a share buyback plan in the annual report?", True, 7),
        (f"Did {OSTERMERE} mention any mergers or acquisitions in the annual report?", True, 5),
    ],
)
def test_the_fact_table_answers_offline_with_its_page(desk: Desk, text: str, value: Value, page: int) -> None:
    answer = asked(desk, text)
    assert answer.value == value
    assert answer.citations[0].page == answer.pages[0] == page
    assert answer.citations[0].boxes
    assert {c.verdict for c in answer.checks} <= {"passed", "not_applicable"}
    assert "fact table" in answer.analysis
    assert "Confidence: " in answer.analysis


def test_a_prior_year_s_figure_is_said_to_be_of_that_year(desk: Desk) -> None:
    answer = asked(desk, f"What were the total assets of {OSTERMERE} at the end of 2023?")
    assert answer.unit is not None
    assert str(answer.unit.period_end) == "2023-12-31"


def test_a_year_that_the_report_does_not_print_is_told(desk: Desk) -> None:
    answer = asked(desk, f"What was the total revenue of {OSTERMERE} in 2019?")
    assert (answer.value, answer.reason) == ("N/A", "other_period")
    assert "2023, 2024, not for 2019" in answer.summary


def test_the_fact_s_page_is_read_even_where_the_search_looks_at_one_page(sample_data: Path) -> None:
    with open_pageproof("offline", overrides=["retrieval.pages=1"], data=sample_data) as own:
        answer = asked(own, f"What was the long-term debt of {VELDHOORN}?")
    assert answer.is_available
    assert answer.pages == (answer.citations[0].page,)


def test_a_library_without_facts_says_how_to_get_them(sample_data: Path, tmp_path: Path) -> None:
    shutil.copytree(sample_data, tmp_path / "library")
    shutil.rmtree(tmp_path / "library" / "facts")
    with open_pageproof("offline", data=tmp_path / "library") as own:
        answer = asked(own, f"Who is the CEO of {OSTERMERE}?")
    assert (answer.value, answer.reason) == ("N/A", "not_found")
    assert "ingest it again" in answer.summary


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("CEO in the company", "chief_executive"),
        ("Who is the Chief Executive Officer", "chief_executive"),
        ("name of the current CFO", "chief_financial"),
        ("former CEO", None),
        ("CEO's total compensation", None),
        ("new CEO", None),
        ("CEO of the North American segment", None),
    ],
)
def test_only_a_question_for_the_officer_itself_is_one(text: str, role: str | None) -> None:
    assert officer_asked(text) == role


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Did announce a share buyback plan", "buyback"),
        ("Did mention any mergers or acquisitions", "acquisition"),
        ("Did announce any changes to its dividend policy", "dividend_policy"),
        ("Did complete the acquisition of Firma", None),
        ("Did announce a share buyback plan of more than 5 million", None),
    ],
)
def test_only_a_question_about_any_event_of_a_kind_is_one(text: str, kind: str | None) -> None:
    assert event_asked(text) == kind


def test_a_year_of_several_segments_is_no_answer_to_a_question_for_the_whole() -> None:
    period = Period(end=dt.date(2024, 12, 31), months=12)
    columns = [Column(), *(Column(header=h, period=period, scale=1000) for h in ("Retail", "Wholesale"))]
    cells = [Cell(row=0, column=c, text=t) for c, t in enumerate(("", "12", "34")) if t]
    label = Cell(row=0, column=0, text="Number of depots", role="row_label")
    made = Table(row_count=1, column_count=3, cells=(label, *cells), columns=tuple(columns))
    box = Box(left=0, top=0, right=9, bottom=9)
    page = Page(
        report_sha1="ab",
        page_number=1,
        width=9,
        height=9,
        blocks=(Block(kind="table", text="", box=box, table=made),),
    )
    report = Report(sha1="ab", file="x", company="Acme", page_count=1)
    assert draft_from_rows("number of depots", None, 2024, report, [page]) is None


def test_silence_of_a_report_that_could_not_be_read_is_no_no() -> None:
    assert draft_from_facts("…", FactsAsked(is_kept=True, event="buyback"), []) is None
    told = draft_from_facts("…", FactsAsked(is_kept=True, is_read=True, event="buyback"), [])
    assert told is not None
    assert told.final_answer is False


@pytest.mark.parametrize(("strict", "found"), [(True, False), (False, True)])
def test_a_sum_of_printed_figures_is_an_answer_to_analysts_alone(
    tmp_path: Path, strict: bool, found: bool
) -> None:
    report = Report(sha1="ab", file="ab.pdf", company="Nordbank", page_count=9)
    revenue = Fact(
        metric="total_revenue",
        value=Decimal(136030000),
        printed="129,698 + 6,332",
        scale=Decimal(1000),
        statement="income",
        report_sha1="ab",
        page_number=3,
    )
    store = FactStore(tmp_path, "rules")
    store.write(report, ReportFacts(report_sha1="ab", facts=(revenue,)))
    lookup = FactLookup(FactTable(store), Ontology.load(), strict=strict)
    question = Question(text="What was the total revenue?", kind="number")
    query = QuestionBundle(question.text, question=question, asked=Asked(text="total revenue"))
    told = lookup.look_up(query, Company(name="Nordbank", reports=(report,)), report)
    assert (told.fact is not None) is found
