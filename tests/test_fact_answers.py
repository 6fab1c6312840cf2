import shutil
from pathlib import Path

import pytest

from app import open_pageproof
from app.desk import Desk
from query_engines.fact_lookup import event_asked, officer_asked
from storage.answers import Answer, Value
from storage.questions import AnswerKind, Question

OSTERMERE = "Ostermere Instruments, Inc."
VELDHOORN = "Veldhoorn Packaging N.V."


def asked(desk: Desk, text: str, kind: AnswerKind | None = None) -> Answer:
    return desk.run(desk.answer(Question(text=text, kind=kind)))


@pytest.mark.parametrize(
    ("text", "value", "page"),
    [
        (f"What was the total revenue of {OSTERMERE}?", 386412000, 8),
        (f"What was the total revenue of {OSTERMERE} in 2023?", 402875000, 8),
        (f"How many employees did {OSTERMERE} have at the end of 2024?", 1942, 4),
        (f'Who is the CEO in the company "{VELDHOORN}"?', "Marit van Haelst", 6),
        (f"What is the name of the chief financial officer of {VELDHOORN}?", "Jonas Edelkamp", 6),
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
