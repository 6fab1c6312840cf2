"""Questions that name no company, in a conversation about some reports of the library."""

import pytest

from app.assembly.client import Pageproof
from query_engines.company_names.matcher import CompanyNames
from query_engines.routing.dialogue import Dialogue
from storage.records.answers import Answer
from storage.records.questions import Question
from storage.records.reports import Company
from tests.support.samples import known_fact

OSTERMERE, VELDHOORN = "Ostermere Instruments, Inc.", "Veldhoorn Packaging N.V."


def chosen(client: Pageproof, *names: str) -> tuple[Company, ...]:
    return tuple(company for company in client.companies() if company.name in names)


def reports(client: Pageproof, *names: str) -> tuple[str, ...]:
    return tuple(report.sha1 for company in chosen(client, *names) for report in company.reports)


def answered(client: Pageproof, text: str, *names: str) -> Answer:
    return client.ask(Question(text=text, reports=reports(client, *names)))


def test_a_question_without_a_name_is_about_the_chosen_report(client: Pageproof) -> None:
    answer = answered(client, "What was the total revenue?", OSTERMERE)
    assert (answer.company, answer.value) == (OSTERMERE, known_fact(OSTERMERE, "Total revenue")["value"])


def test_a_question_with_a_name_goes_to_that_company_whatever_is_chosen(client: Pageproof) -> None:
    assert answered(client, "What was the total revenue of Veldhoorn?", OSTERMERE).company == VELDHOORN


def test_a_name_that_nobody_knows_is_not_taken_for_the_chosen_company(client: Pageproof) -> None:
    answer = answered(client, "What was the total revenue of Zarquon?", OSTERMERE)
    assert (answer.value, answer.reason) == ("N/A", "company_unknown")


def test_a_question_without_a_name_is_asked_of_each_of_several_chosen_companies(client: Pageproof) -> None:
    answer = answered(client, "What was the total revenue?", OSTERMERE, VELDHOORN)
    figures = {part.company: part.value for part in answer.parts}
    assert figures == {name: known_fact(name, "Total revenue")["value"] for name in (OSTERMERE, VELDHOORN)}


def test_which_had_the_higher_revenue_compares_the_chosen_companies_alone(client: Pageproof) -> None:
    answer = answered(client, "Which had the higher total assets?", OSTERMERE, VELDHOORN)
    assert answer.kind == "comparative"
    assert {part.company for part in answer.parts} == {OSTERMERE, VELDHOORN}


def test_of_a_company_with_several_reports_only_the_chosen_one_answers(client: Pageproof) -> None:
    (company,) = chosen(client, OSTERMERE)
    other = company.reports[0].model_copy(update={"sha1": "b" * 40})
    both = company.model_copy(update={"reports": (other, *company.reports)})
    parser = client._engines.parser
    parsed = parser.parse(
        Question(text="What was the net income?", reports=reports(client, OSTERMERE)), CompanyNames([both])
    )
    assert [report.sha1 for report in parsed.companies[0].reports] == [company.reports[0].sha1]


@pytest.mark.parametrize(
    "text",
    ["Dividend per share in FY2022?", "Adjusted EBITDA?", "What was the ROE in Q3 2022?", "Net Interest Income?"],
)
def test_times_and_labels_with_capitals_are_no_names(text: str) -> None:
    assert CompanyNames([Company(name=OSTERMERE)]).names_nobody(text)


@pytest.mark.parametrize("text", ["What was Zarquon's revenue?", "revenue of zarquon", "Did Blue Harbor grow?"])
def test_a_word_that_may_be_a_name_is_one(text: str) -> None:
    assert not CompanyNames([Company(name=OSTERMERE)]).names_nobody(text)


def after(client: Pageproof, state: Dialogue, text: str) -> tuple[Question, Dialogue]:
    question = client.follow_up(state, text)
    return question, state.after(question, client.ask(question))


def test_follow_ups_stay_with_the_chosen_companies(client: Pageproof) -> None:
    state = Dialogue().about(chosen(client, OSTERMERE, VELDHOORN))
    _, state = after(client, state, "What was the total revenue?")
    question, _ = after(client, state, "and the net income?")
    assert question.text == "What was the net income?"
    assert client.ask(question).parts[0].value == known_fact(OSTERMERE, "Net income")["value"]


def test_a_whole_question_goes_back_to_the_chosen_report_and_a_short_one_goes_on(client: Pageproof) -> None:
    state = Dialogue().about(chosen(client, OSTERMERE))
    _, state = after(client, state, "What was the total revenue of Veldhoorn?")
    assert client.ask(client.follow_up(state, "and its net income?")).company == VELDHOORN
    assert client.ask(client.follow_up(state, "What was the net income?")).company == OSTERMERE


def test_choosing_another_company_leaves_the_subject_behind(client: Pageproof) -> None:
    state = Dialogue()
    _, state = after(client, state, "What was the total revenue of Veldhoorn?")
    assert state.about(chosen(client, OSTERMERE)).question is None
    assert state.about(chosen(client, VELDHOORN)).question is not None
    assert state.about(()).question is not None
