import datetime as dt
import shutil
from decimal import Decimal
from pathlib import Path

import pytest

from app import open_pageproof
from app.assembly.client import Pageproof
from indexes.facts.fact_table import FactTable
from query_engines.extraction.from_facts import draft_from_facts
from query_engines.question.fact_lookup import FactLookup
from query_engines.question.filings import ranked_filings
from query_engines.question.parsed import FactMatch
from query_engines.question.parser import QuestionParser, read_text
from storage.records.answers import Answer, Value
from storage.records.facts import Fact, Period, ReportFacts
from storage.records.metrics import Ontology
from storage.records.questions import AnswerKind, Question
from storage.records.reports import Company, Report
from storage.stores.pages import FactStore

OSTERMERE = "Ostermere Instruments, Inc."
VELDHOORN = "Veldhoorn Packaging N.V."


def answer_to(client: Pageproof, text: str, kind: AnswerKind | None = None) -> Answer:
    return client.ask(Question(text=text, kind=kind))


@pytest.mark.parametrize(
    ("text", "value", "page"),
    [
        (f"What was the total revenue of {OSTERMERE}?", 386412000, 8),
        (f"What was the total revenue of {OSTERMERE} in 2023?", 402875000, 8),
        (f"How much did {OSTERMERE} sell last year?", 386412000, 8),
        (f"How many employees did {OSTERMERE} have at the end of 2024?", 1942, 4),
        (f'Who is the CEO in the company "{VELDHOORN}"?', "Marit van Haelst", 13),
        (f"What is the name of the chief financial officer of {VELDHOORN}?", "Jonas Edelkamp", 13),
        (f"Did {VELDHOORN} announce a share buyback plan in the annual report?", True, 7),
        (f"Did {OSTERMERE} mention any mergers or acquisitions in the annual report?", True, 5),
    ],
)
def test_the_fact_table_answers_offline_with_its_page(
    client: Pageproof, text: str, value: Value, page: int
) -> None:
    answer = answer_to(client, text)
    assert answer.value == value
    assert answer.citations[0].page == answer.pages[0] == page
    assert answer.citations[0].boxes
    assert {c.verdict for c in answer.checks} <= {"passed", "not_applicable"}
    assert "fact table" in answer.analysis
    assert "Confidence: " in answer.analysis


@pytest.mark.parametrize("year", ["FY2023", "FY23", "fy 23", "fiscal 2023", "the financial year 2022/23", "2023"])
def test_a_fiscal_year_is_answered_from_its_own_column_not_the_latest_one(client: Pageproof, year: str) -> None:
    answer = answer_to(client, f"What was the total revenue of {OSTERMERE} in {year}?")
    assert answer.value == 402875000
    assert {c.name: c.verdict for c in answer.checks}["period"] == "passed"


def test_a_number_of_stores_is_no_year(client: Pageproof) -> None:
    answer = answer_to(client, f"What was the total revenue of {OSTERMERE} from its 2000 stores?")
    assert answer.reason != "other_period"


def test_a_quarter_s_revenue_is_not_the_year_s(client: Pageproof) -> None:
    assert answer_to(client, f"What was the total revenue of {OSTERMERE} in Q2 2024?").value != 386412000


FIRST_YEAR_FACTS = ReportFacts(
    report_sha1="b",
    period_end=dt.date(2022, 1, 29),
    facts=tuple(
        Fact(
            metric="total_revenue",
            value=Decimal(value),
            printed=str(value),
            period=Period(end=end, months=12),
            statement="income",
            report_sha1="b",
            page_number=1,
        )
        for value, end in ((200, dt.date(2022, 1, 29)), (100, dt.date(2021, 1, 30)))
    ),
)


@pytest.mark.parametrize(
    ("text", "called", "value"),
    [
        ("What was the total revenue in fiscal 2021?", 2021, 200),  # the report calls itself so
        ("What was the total revenue in FY2020?", 2021, 100),
        ("What was the total revenue in FY2021?", 2022, 100),
        ("What was the total revenue in FY2021?", None, 100),
        ("What was the total revenue in 2021?", 2021, 100),
        ("What was the total revenue in the year ended January 29, 2022?", 2021, 200),
    ],
)
def test_a_fiscal_year_is_the_one_that_the_report_calls_so(
    tmp_path: Path, text: str, called: int | None, value: int
) -> None:
    end = dt.date(2022, 1, 29)
    report = Report(sha1="b", file="b.pdf", company="A", page_count=1, period_end=end, fiscal_year=called)
    company, store = Company(name="A", reports=(report,)), FactStore(tmp_path, "f")
    store.write(report, FIRST_YEAR_FACTS)
    parser = QuestionParser(Ontology.load())
    question = parser.about(parser.parse(Question(text=text, kind="number")), company)
    found = FactLookup(FactTable(store)).look_up(question, report).fact
    assert (found and found.value) == value


def test_the_report_of_a_fiscal_year_is_the_one_that_calls_itself_so() -> None:
    ends = [(dt.date(2023, 1, 28), 2022), (dt.date(2022, 1, 29), 2021), (dt.date(2021, 1, 30), 2020)]
    reports = [
        Report(sha1=str(year), file="", company="A", page_count=1, period_end=end, fiscal_year=year)
        for end, year in ends
    ]
    for text, sha1 in (("fiscal 2021", "2021"), ("FY2022", "2022"), ("2022", "2021")):
        assert (
            ranked_filings(read_text(Question(text=f"What was the revenue in {text}?")), reports)[0].sha1 == sha1
        )


def test_who_held_an_office_in_another_year_is_not_said_by_this_report(client: Pageproof) -> None:
    answer = answer_to(client, f"Who was the CEO of {VELDHOORN} in 2015?", "name")
    assert answer.value == "N/A"


def test_a_prior_year_s_figure_is_said_to_be_of_that_year(client: Pageproof) -> None:
    answer = answer_to(client, f"What were the total assets of {OSTERMERE} at the end of 2023?")
    assert answer.unit is not None
    assert str(answer.unit.period_end) == "2023-12-31"


def test_a_year_that_the_report_does_not_print_is_told(client: Pageproof) -> None:
    answer = answer_to(client, f"What was the total revenue of {OSTERMERE} in 2019?")
    assert (answer.value, answer.reason) == ("N/A", "other_period")
    assert "2023, 2024, not for 2019" in answer.summary


def test_the_fact_s_page_is_read_even_where_the_search_looks_at_one_page(sample_data: Path) -> None:
    with open_pageproof("offline", overrides=["retrieval.pages=1"], data=sample_data) as own:
        answer = answer_to(own, f"What was the long-term debt of {VELDHOORN}?")
    assert answer.is_available
    assert answer.pages == (answer.citations[0].page,)


def test_a_library_without_facts_says_how_to_get_them(sample_data: Path, tmp_path: Path) -> None:
    shutil.copytree(sample_data, tmp_path / "library")
    shutil.rmtree(tmp_path / "library" / "facts")
    with open_pageproof("offline", data=tmp_path / "library") as own:
        answer = answer_to(own, f"Who is the CEO of {OSTERMERE}?")
    assert (answer.value, answer.reason) == ("N/A", "not_found")
    assert "ingest it again" in answer.summary


def test_silence_of_the_fact_table_is_no_no_by_itself() -> None:
    assert draft_from_facts("…", FactMatch(is_stored=True, event="buyback"), []) is None
    assert draft_from_facts("…", FactMatch(is_stored=True, is_read=True, event="buyback"), []) is None


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
    lookup = FactLookup(FactTable(store), strict=strict)
    nordbank, parser = Company(name="Nordbank", reports=(report,)), QuestionParser(Ontology.load())
    parsed = parser.about(parser.parse(Question(text="What was the total revenue?", kind="number")), nordbank)
    match = lookup.look_up(parsed, report)
    assert (match.fact is not None) is found


def test_a_reason_for_one_thing_is_not_quoted_for_another(client: Pageproof) -> None:
    answer = answer_to(client, f"Why is the goodwill of {VELDHOORN} lower?")
    assert "illness" not in answer.value_text  # "Absence due to illness fell"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("What was the total revenue of Ostermere Instruments in 2026?", "later_than_reports"),
        ("What was the total revenue of Ostermere Instruments in Q2 2025?", "later_than_reports"),
        ("How many employees did Ostermere Instruments have at the end of 2027?", "later_than_reports"),
        (
            "Did Ostermere Instruments buy back shares in 2026? If there is no mention, return False.",
            "later_than_reports",
        ),
        ("What revenue does Ostermere Instruments expect in 2026?", "needs_reading"),
        ("What was the total revenue of Ostermere Instruments in 2015?", "other_period"),
    ],
)
def test_a_period_after_those_of_all_reports_is_said_to_be_so(client: Pageproof, text: str, reason: str) -> None:
    answer = client.ask(text)
    assert (answer.value, answer.reason) == ("N/A", reason)
    if reason == "later_than_reports":
        assert (
            "The newest report of Ostermere Instruments, Inc. in the library is of the period to 2024-12-31."
            in answer.summary
        )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("What was the shareholders' equity?", 193),
        ("What was the total equity including non-controlling interests?", 200),
        ("What was the long-term debt?", 180),
        ("What was the long-term debt including current maturities?", 192),
        ("What was the current portion of long-term debt?", 12),
        ("What was the current portion of Nordal's long-term debt?", 12),
        ("What was the long-term debt, not including current maturities?", None),  # by its words alone
        ("What was the long-term debt, net of the current portion?", None),
    ],
)
def test_a_question_that_names_a_scope_gets_the_figure_of_that_scope(
    tmp_path: Path, text: str, value: int | None
) -> None:
    end = dt.date(2024, 12, 31)
    report = Report(sha1="ab", file="ab.pdf", company="Nordal", page_count=9, period_end=end)
    values = {
        "shareholders_equity": 193,
        "total_equity": 200,
        "noncontrolling_interests": 7,
        "long_term_debt": 180,
        "long_term_debt_current": 12,
        "long_term_debt_in_total": 192,
    }
    facts = tuple(
        Fact(
            metric=metric,
            value=Decimal(amount),
            printed=str(amount),
            period=Period(end=end),
            statement="balance",
            report_sha1="ab",
            page_number=3,
        )
        for metric, amount in values.items()
    )
    store = FactStore(tmp_path, "rules")
    store.write(report, ReportFacts(report_sha1="ab", period_end=end, facts=facts))
    company, parser = Company(name="Nordal", reports=(report,)), QuestionParser(Ontology.load())
    parsed = parser.about(parser.parse(Question(text=text, kind="number")), company)
    found = FactLookup(FactTable(store), Ontology.load()).look_up(parsed, report).fact
    assert (found and found.value) == value
