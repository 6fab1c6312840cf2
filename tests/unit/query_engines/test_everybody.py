import pytest

from query_engines.question.parser import QuestionParser
from query_engines.routing.dialogue import Dialogue
from query_engines.routing.follow_up import follow_up
from storage.records.metrics import Ontology
from storage.records.reports import Company

LIBRARY = tuple(Company(name=name) for name in ("Ostermere", "Veldhoorn", "Tsukimine"))
PARSER = QuestionParser(Ontology.load(), lambda: LIBRARY)
ALL = "Ostermere, Veldhoorn and Tsukimine"
ANY = "Ostermere, Veldhoorn or Tsukimine"


def spelled(text: str, *companies: str) -> str:
    return follow_up(text, Dialogue(companies=companies), PARSER).text


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("capex all three", f"capex of {ALL}"),
        ("revenue of all three companies", f"revenue of {ALL}"),
        ("rank them by net margin", f"rank {ALL} by net margin"),
        ("revenue per employee for each one please", f"revenue per employee for {ALL} please"),
        ("Did any of them make a loss?", f"Did {ANY} make a loss?"),
        ("did one of them buy another company", f"did {ANY} buy another company"),
        ("Have any of them bought back shares?", f"Have {ANY} bought back shares?"),
        ("Which of the three pays the most?", f"Which of {ALL} pays the most?"),
        ("Which of the three has the highest leverage?", f"Which of {ALL} has the highest leverage?"),
        (
            "put revenue and net income for the 3 in one table",
            f"put revenue and net income for {ALL} in one table",
        ),
        ("whos the boss of each one", f"who is the boss of {ALL}"),
        ("any fines at any of the three?", f"any fines at {ANY}?"),
        ("Who has the most employees?", f"Which company has the most employees: {ALL}?"),
        ("Which of these three companies is in the most trouble?", f"Which of {ALL} is in the most trouble?"),
    ],
)
def test_words_for_all_companies_become_their_names(text: str, meant: str) -> None:
    assert spelled(text) == meant


@pytest.mark.parametrize(
    "text",
    [
        "revenue of all three segments",
        "net income for the three months ended June 30",
        "sales in each year",
        "any of the acquisitions",
        "what was paid in both years",
        "How do they finance them?",
        "one of its products",
        "Did it buy any companies?",
        "Were there any business combinations?",
        "Does everyone get a bonus?",
        "capex of Ostermere for the three years",
        "revenue of all four companies",  # there are three
    ],
)
def test_words_that_count_something_else_stay(text: str) -> None:
    assert spelled(text) == text


def test_the_companies_of_the_conversation_come_before_those_of_the_library() -> None:
    assert spelled("capex of both companies", "Veldhoorn", "Tsukimine") == "capex of Veldhoorn and Tsukimine"
    assert spelled("capex of all three", "Veldhoorn", "Tsukimine") == f"capex of {ALL}"
