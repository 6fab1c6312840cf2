"""Comparisons in wordings that no form has: the figure by the classifier, and what is made of it by few words."""

import pytest

from query_engines.company_names.matcher import CompanyNames
from query_engines.comparison.by_topic import read_by_topic, read_core
from query_engines.comparison.entities import biggest_in, listed
from query_engines.comparison.plan import Plan
from query_engines.question.parser import QuestionParser
from storage.records.metrics import Ontology
from storage.records.questions import Question
from storage.records.reports import Company

NAMES = CompanyNames([Company(name=name) for name in ("Holley Inc.", "Rapid7", "TransUnion")])
PARSER = QuestionParser.trained(Ontology.load())


def read(text: str) -> Plan | None:
    found = listed(PARSER.parse(Question(text=text), NAMES))
    return read_by_topic(found, read_core(found.text, found.currency), PARSER.figure_asked)


@pytest.mark.parametrize(
    ("text", "relation", "subject"),
    [
        ("How many times TransUnion's revenue is compared to Rapid7's?", "ratio", "total revenue"),
        ("combined headcount Holley + Rapid7?", "sum", "number of employees at year end"),
        ("Holley or Rapid7 - whose balance sheet is larger?", "highest", "total assets"),
        ("whcih has the most long term debt: Holley, Rapid7 or TransUnion?", "highest", "long-term debt"),
        ("If I line up Holley, Rapid7 and TransUnion by revenue, who comes second?", "highest", "total revenue"),
        ("Whose revenue grew fastest: Holley, Rapid7 or TransUnion?", "highest", "growth of total revenue"),
        ("Whose sales shrank the most, Holley's or Rapid7's?", "lowest", "growth of total revenue"),
        ("Which burned the least cash in operations, Holley or Rapid7?", "highest", "cash flow from operations"),
        ("Does Holley carry less long-term debt than Rapid7?", "less", "long-term debt"),
        ("Is Holley more profitable than Rapid7?", "more", "net income"),
    ],
)
def test_what_is_compared_does_not_hang_on_the_form_of_the_sentence(
    text: str, relation: str, subject: str
) -> None:
    plan = read(text)
    assert plan is not None
    assert (plan.relation, plan.subject, plan.is_guessed) == (relation, subject, False)


@pytest.mark.parametrize(
    ("text", "first", "second", "is_percentage", "is_unsigned"),
    [
        ("By what percentage is Holley's revenue ahead of Rapid7's?", 0, 1, True, False),
        ("How much less revenue has Holley than Rapid7?", 1, 0, False, False),
        ("How much bigger is Holley's net loss than Rapid7's?", 1, 0, False, False),
        ("Holley's total assets minus Rapid7's total assets?", 0, 1, False, False),
        ("what's the gap between Holley's and Rapid7's revenue", 0, 1, False, True),
    ],
)
def test_a_difference_is_of_the_one_less_the_other(
    text: str, first: int, second: int, is_percentage: bool, is_unsigned: bool
) -> None:
    plan = read(text)
    assert plan is not None
    found = (plan.relation, plan.first, plan.second, plan.is_percentage, plan.is_unsigned)
    assert found == ("difference", first, second, is_percentage, is_unsigned)


@pytest.mark.parametrize(
    "text",
    [
        "Which has more employees in Germany, Holley or Rapid7?",
        "Whose adjusted EBITDA is larger, Holley's or Rapid7's?",
        "Which has more hotels, Holley or Rapid7?",
    ],
)
def test_what_is_not_surely_the_company_s_own_figure_is_a_guess_in_the_user_s_words(text: str) -> None:
    plan = read(text)
    assert plan is None or plan.is_guessed


@pytest.mark.parametrize(
    "text",
    [
        "Does TransUnion have more revenue than Holley and Rapid7 together?",
        "Which of the two explorers had the bigger loss on its mine, Holley or Rapid7?",
        "Why is Holley's margin higher than Rapid7's?",
        "What are the biggest risks of Holley and Rapid7?",
    ],
)
def test_what_compares_no_two_figures_is_not_planned(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize(
    ("text", "count", "is_high", "by"),
    [
        ("Compare the margins of the three biggest companies", 3, True, "total revenue"),
        ("top 5 companies by total assets", 5, True, "total assets"),
        ("Rank the 2 smallest companies by net income", 2, False, "total revenue"),
    ],
)
def test_the_biggest_companies_are_counted_and_measured(text: str, count: int, is_high: bool, by: str) -> None:
    found = biggest_in(text)
    assert found is not None
    assert (found.count, found.is_high, found.by) == (count, is_high, by)


@pytest.mark.parametrize(
    "text", ["Who are its biggest customers?", "the biggest companies", "its three biggest plants"]
)
def test_what_counts_no_companies_names_none(text: str) -> None:
    assert biggest_in(text) is None


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("Which has the higher ratio of debt to equity, Holley or Rapid7?", "highest"),
        ("Which has the larger order backlog, Holley or Rapid7?", "highest"),
        ("Whose combined ratio is lower, Holley's or Rapid7's?", "lowest"),
        ("How do Holley and Rapid7 compare in terms of revenue?", "highest"),
        ("How many employees do Holley and Rapid7 have?", None),
        ("What is the largest expense of Holley and Rapid7?", None),
        ("What is the revenue of Holley and Rapid7?", None),
    ],
)
def test_a_word_that_may_belong_to_the_figure_calculates_nothing(text: str, relation: str | None) -> None:
    plan = read(text)
    assert (plan.relation if plan else None) == relation
