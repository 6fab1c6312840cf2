"""Calculations that a model plans and code evaluates, over real HTTP against the double."""

from pathlib import Path
from typing import Any

import pytest

from app import open_pageproof
from prompts.tasks.understanding import CalculationWanted
from query_engines.events import Event, StepFinished, listening
from storage.records.answers import Answer
from tests.support.doubles.openai_server import OpenAIServer
from tests.support.doubles.readings import FORM, NOT_FOUND, form_of, reading

OSTERMERE = "Ostermere Instruments, Inc."
COVER = f"What percentage of its inventories could {OSTERMERE} pay for with its cash at the end of 2024?"
OF_NO_ROW = COVER.replace("its cash", "its Martian cash")
CASH = {"name": "cash", "figure": "cash and cash equivalents", "year": 2024}
INVENTORIES = {"name": "inventories", "figure": "inventories", "year": 2024}
PLAN: dict[str, Any] = {
    "title": "Cash to inventories",
    "definition": "cash divided by inventories",
    "figures": [CASH, INVENTORIES],
    "formula": "cash / inventories * 100",
    "unit": "percent",
    "other_definition": None,
    "other_formula": None,
    "limit": None,
    "threshold": None,
    "basis": None,
}
PRINTED = None


def planning(plan: object, **said: object) -> OpenAIServer:
    """A model that plans this calculation, and finds nothing on pages."""

    def reply(body: dict[str, Any]) -> Any:
        if form_of(body) != FORM:
            return NOT_FOUND
        if isinstance(plan, str):
            return plan
        return reading(**{"companies": [OSTERMERE], "calculation": plan, **said})

    return OpenAIServer(answer=reply)


def ask(server: OpenAIServer, data: Path, text: str = COVER, *more: str) -> Answer:
    chosen = ["answers.kind=llm", "llm.kind=openai_like", "llm.model=any", f"llm.api_base={server.api_base}"]
    chosen += ["answers.strictness=analyst", "retrieval.second_try=false", "verification.second_look=false", *more]
    with open_pageproof("offline", overrides=chosen, data=data) as client:
        return client.ask(text)


def test_a_model_plans_and_code_calculates_from_cited_figures(sample_data: Path) -> None:
    with planning(PLAN) as server:
        answer = ask(server, sample_data)
    assert answer.value == round(54_516 / 79_054 * 100, 4), "not the figure that a model would give"
    assert answer.value_text == "69.0%"
    assert answer.formula == "cash and cash equivalents 2024 / inventories 2024 × 100"
    assert [(o.value, o.citation.page > 0) for o in answer.operands] == [(54_516_000, True), (79_054_000, True)]
    assert {c.verdict for c in answer.checks} <= {"passed", "not_applicable"}
    assert "54,516,000 / 79,054,000 × 100" in next(c for c in answer.checks if c.name == "figure").detail
    assert len(answer.parts) == 2
    assert [form_of(chat) for chat in server.chats] == [FORM], "the fact table has both figures"
    assert answer.usage.requests == 1


def test_a_share_that_the_model_leaves_a_fraction_is_given_in_percent(sample_data: Path) -> None:
    with planning({**PLAN, "formula": "cash / inventories"}) as server:
        assert ask(server, sample_data).value_text == "69.0%"


def test_the_other_definition_is_given_with_its_result(sample_data: Path) -> None:
    other = {"other_definition": "of the sum of both", "other_formula": "cash / (cash + inventories) * 100"}
    with planning({**PLAN, **other}) as server:
        summary = ask(server, sample_data).summary
    assert "Definition: cash divided by inventories." in summary
    assert "By another definition (of the sum of both): 40.8%." in summary


def test_a_yes_or_no_rests_on_the_calculated_figure_and_a_threshold_that_is_named(sample_data: Path) -> None:
    judged = {"limit": "at_least", "threshold": 100, "basis": "the question"}
    with planning({**PLAN, **judged}, kind="boolean") as server:
        answer = ask(server, sample_data, f"Could {OSTERMERE} pay for its whole inventory with its cash of 2024?")
    assert answer.value is False
    assert answer.summary.startswith("No. Asked: at least 100.0% (the question). Cash to inventories: 69.0% = ")


def test_a_figure_that_is_not_found_is_named_and_nothing_is_calculated(sample_data: Path) -> None:
    missing = {"name": "inventories", "figure": "inventories of the Martian plant", "year": 2024}
    with planning({**PLAN, "figures": [CASH, missing]}) as server:
        answer = ask(server, sample_data)
    assert (answer.value, answer.reason) == ("N/A", "not_found")
    assert "no figure for inventories of the Martian plant 2024" in answer.summary


def test_two_figures_that_one_printed_figure_is_found_for_give_no_result(sample_data: Path) -> None:
    again = {"name": "again", "figure": "cash and cash equivalents", "year": 2024}
    with planning({**PLAN, "figures": [CASH, again], "formula": "cash + again", "unit": "amount"}) as server:
        answer = ask(server, sample_data)
    assert (answer.value, answer.reason) == ("N/A", "not_found")
    assert "one printed figure was found for two of it" in answer.summary


def test_what_no_page_prints_is_planned_after_all(sample_data: Path) -> None:
    # It looks like a printed line, so pages come first.
    text = f"What were the right-of-use assets of {OSTERMERE} in 2024?"
    with planning(PLAN) as server:
        answer = ask(server, sample_data, text)
    assert [form_of(chat) for chat in server.chats] == ["NumberDraft", FORM]
    assert answer.value_text == "69.0%"
    assert answer.usage.requests == 2, "the pages that were read first cost a request, too"
    with planning(PRINTED) as server:
        assert ask(server, sample_data, text).reason == "not_found"


def test_what_is_printed_is_answered_as_always(sample_data: Path) -> None:
    with planning(PRINTED) as server:
        answer = ask(server, sample_data, OF_NO_ROW)
    assert [form_of(chat) for chat in server.chats] == [FORM, "NumberDraft"]
    assert answer.reason == "not_found"


def test_rows_that_the_question_names_are_calculated_with_where_the_plan_is_none(sample_data: Path) -> None:
    with planning(PRINTED) as server:
        answer = ask(server, sample_data)
    assert [form_of(chat) for chat in server.chats] == [FORM]
    assert answer.value_text == "69.0%"
    assert {c.verdict for c in answer.checks} <= {"passed", "not_applicable"}


@pytest.mark.parametrize("unusable", ["I would say 99 %.", {**PLAN, "formula": "__import__('os').system('id')"}])
def test_a_plan_that_cannot_be_used_leaves_the_question_to_the_pages(sample_data: Path, unusable: object) -> None:
    with planning(unusable) as server:
        answer = ask(server, sample_data, OF_NO_ROW)
    assert form_of(server.chats[-1]) == "NumberDraft"
    assert answer.reason == "not_found"


@pytest.mark.parametrize(
    ("text", "more"),
    [
        (COVER, ("answers.strictness=strict",)),
        (f"What was the total revenue of {OSTERMERE} in 2024?", ()),
        (f"What was the current ratio of {OSTERMERE} in 2024?", ()),
        (f"Who is the chief executive of {OSTERMERE}?", ()),
        (
            f"Which segment of {OSTERMERE} had the most net sales in 2024, and what share of the total was that?",
            (),
        ),
    ],
    ids=[
        "strict mode",
        "a printed figure",
        "a derived metric that the fact table gives",
        "a name",
        "a part's name",
    ],
)
def test_no_plan_is_asked_for_where_none_is_needed(sample_data: Path, text: str, more: tuple[str, ...]) -> None:
    with planning(PLAN) as server:
        ask(server, sample_data, text, *more)
    assert FORM not in [form_of(chat) for chat in server.chats]


def test_which_parts_fell_is_read_by_code_with_their_figures_although_a_model_answers(sample_data: Path) -> None:
    with planning(PLAN) as server:
        answer = ask(
            server, sample_data, f"Which of {OSTERMERE}'s segments sold less in 2024 than the year before?"
        )
    assert server.chats == []
    assert len(answer.value) == 2
    assert all(name in answer.summary and " to " in answer.summary for name in answer.value)


def test_the_largest_part_comes_with_its_share_although_a_model_answers(sample_data: Path) -> None:
    text = f"Which segment of {OSTERMERE} had the most net sales in 2024, and what share of the total was that?"
    with planning(PLAN) as server:
        answer = ask(server, sample_data, text)
    assert answer.value == "Process Analytics"
    assert "% of " in answer.summary


def test_a_figure_without_meaning_says_why_and_is_searched_for_once(sample_data: Path) -> None:
    text = f"What was the loan-to-deposit ratio of {OSTERMERE} in 2024?"
    with planning(PRINTED) as server:
        answer = ask(server, sample_data, text, "retrieval.second_try=true")
    assert [form_of(chat) for chat in server.chats] == ["NumberDraft"], "no plan, no second search"
    assert (answer.value, answer.reason) == ("N/A", "not_disclosed")
    assert answer.summary.startswith("Loans to deposits has no meaning here: ")


def test_the_trail_shows_the_plan_and_each_figure(sample_data: Path) -> None:
    events: list[Event] = []
    with planning(PLAN) as server, listening(events.append):
        ask(server, sample_data)
    summaries = [event.summary for event in events if isinstance(event, StepFinished)]
    assert any("Cash to inventories: cash / inventories * 100" in summary for summary in summaries)


@pytest.mark.parametrize(
    "change",
    [
        {"formula": "__import__('os').system('id')"},
        {"formula": "cash ** inventories"},
        {"formula": "cash if inventories else 0"},
        {"formula": "opening(cash) / inventories"},
        {"formula": "cash / inventories / goodwill"},
        {"formula": "cash * 100"},
        {"formula": "cash / inventories" + " + 0" * 200},
        {"formula": "cash /"},
        {"figures": [CASH, CASH]},
        {"figures": [{**CASH, "name": "Cash of 2024"}, INVENTORIES]},
        {"unit": None},
        {"limit": "above"},
    ],
)
def test_a_plan_with_anything_else_than_its_figures_is_refused(change: dict[str, Any]) -> None:
    CalculationWanted.model_validate(PLAN)
    with pytest.raises(ValueError, match=r"formula|figure|name|unit|threshold"):
        CalculationWanted.model_validate({**PLAN, **change})
