import pytest

from query_engines.question.parser import QuestionParser
from query_engines.routing.follow_up import follow_up
from storage.records.answers import Answer
from storage.records.metrics import Ontology
from storage.records.questions import Question
from storage.records.reports import Company

COMPANIES = tuple(
    Company(name=n) for n in ("Holley Inc.", "Rapid7", "TransUnion", "Kelvor Mining plc", "Kelvor Foods plc")
)
PARSER = QuestionParser(Ontology.load(), lambda: COMPANIES)
REVENUE = "What was the total revenue of Holley in 2021?"
STAFF = "Which had more employees, Holley or Rapid7?"


def meant(before: str, now: str, company: str | None = "Holley Inc.") -> Question:
    answer = Answer(question=before, kind="number", company=company)
    return follow_up(now, Question(text=before, kind="number"), answer, PARSER)


@pytest.mark.parametrize(
    ("now", "text"),
    [
        ("and its net income?", "What was the net income of Holley Inc. in 2021?"),
        ("How about its operating income", "What was the operating income of Holley Inc. in 2021?"),
        ("And how many employees did it have?", "How many employees did Holley Inc. have in 2021?"),
        ("And in 2022?", "What was the total revenue of Holley in 2022?"),
        ("What about 2020?", "What was the total revenue of Holley in 2020?"),
        ("How did it change since 2020?", "How did Holley Inc.'s total revenue change since 2020?"),
    ],
)
def test_what_a_follow_up_leaves_out_is_taken_from_the_question_before(now: str, text: str) -> None:
    found = meant(REVENUE, now)
    assert (found.text, found.company) == (text, "Holley Inc.")


@pytest.mark.parametrize(
    ("now", "text"),
    [
        ("And Rapid7?", "What was the total revenue of Rapid7 in 2021?"),
        ("What about TransUnion and Rapid7?", "What was the total revenue of TransUnion and Rapid7 in 2021?"),
    ],
)
def test_another_company_takes_the_place_of_the_one_before(now: str, text: str) -> None:
    assert meant(REVENUE, now) == Question(text=text, kind="number")


@pytest.mark.parametrize(
    "now",
    [
        "What was the revenue of Rapid7?",
        "Which company had the highest revenue?",
        "Did Holley or Rapid7 earn more?",
    ],
)
def test_a_question_that_stands_alone_stays_as_it_is(now: str) -> None:
    assert meant(REVENUE, now) == Question(text=now)


@pytest.mark.parametrize(
    ("now", "text"),
    [
        ("and total assets?", "Which had more total assets, Holley or Rapid7?"),
        ("Did they announce buybacks?", "Did Holley and Rapid7 announce buybacks?"),
        ("and in 2021?", "Which had more employees, Holley or Rapid7 in 2021?"),
    ],
)
def test_a_comparison_goes_on_about_the_same_companies(now: str, text: str) -> None:
    assert meant(STAFF, now, company=None).text == text


def test_a_name_settles_which_company_the_question_before_meant() -> None:
    found = meant("What did Kelvor earn?", "Kelvor Foods plc", company=None)
    assert (found.text, found.company) == ("What did Kelvor earn?", "Kelvor Foods plc")


def test_without_a_question_about_a_company_before_nothing_is_added() -> None:
    assert meant("What is the weather?", "and its net income?", company=None) == Question(
        text="and its net income?"
    )
