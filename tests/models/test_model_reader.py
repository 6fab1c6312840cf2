"""What a model reads in a question that is in doubt, over real HTTP against the double."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from app import open_pageproof
from query_engines.events import Event, StepFinished, listening
from query_engines.routing.dialogue import Conversation
from storage.records.answers import Answer
from storage.records.questions import AnswerKind
from tests.support.doubles.openai_server import OpenAIServer
from tests.support.doubles.readings import FORM, NOT_FOUND, form_of, reading

OSTERMERE = "Ostermere Instruments, Inc."
OPEN = f"{OSTERMERE}: hands, in all, at its benches"
CHOICE = reading(meaning="A count of people.", companies=[OSTERMERE])


def forms(server: OpenAIServer) -> list[str]:
    return [form_of(chat) for chat in server.chats]


def replying(choice: object) -> OpenAIServer:
    """A model that makes this choice and finds no answer."""

    def reply(body: dict[str, Any]) -> Any:
        form = form_of(body)
        return choice if form in ("none", FORM) else NOT_FOUND

    return OpenAIServer(answer=reply)


def ask(server: OpenAIServer, data: Path, text: str = OPEN, kind: AnswerKind | None = None) -> Answer:
    chosen = ["answers.kind=llm", "llm.kind=openai_like", "llm.model=any", f"llm.api_base={server.api_base}"]
    chosen += [
        "retrieval.second_try=false",
        "verification.second_look=false",
        "answers.strictness=strict",
    ]  # the first draft is what is counted
    with open_pageproof("offline", overrides=chosen, data=data) as client:
        answer = client.query(text, kind=kind).response
    assert isinstance(answer, Answer)
    return answer


@contextmanager
def talking(reply: Callable[[dict[str, Any]], Any], data: Path) -> Iterator[Conversation]:
    """A conversation with a model that replies so."""
    with OpenAIServer(answer=reply) as server:
        chosen = ["answers.kind=llm", "llm.kind=openai_like", "llm.model=any", f"llm.api_base={server.api_base}"]
        with open_pageproof("offline", overrides=[*chosen, "retrieval.second_try=false"], data=data) as client:
            yield client.conversation()


def test_a_model_chooses_the_kind_that_no_rule_tells(sample_data: Path) -> None:
    with replying(CHOICE) as server:
        answer = ask(server, sample_data)
    assert forms(server) == [FORM, "NumberDraft"]
    assert answer.kind == "number"
    assert answer.usage.requests == 2
    system, user = server.chats[0]["messages"]
    assert OPEN in user["content"]
    assert "number: one figure" in system["content"]


@pytest.mark.parametrize(
    ("text", "kind", "form"),
    [(OPEN, "text", "TextDraft"), ("Who is the CEO of Ostermere Instruments, Inc.?", None, "NameDraft")],
    ids=["given", "told by the wording"],
)
def test_a_kind_that_is_known_is_not_asked_for(
    sample_data: Path, text: str, kind: AnswerKind | None, form: str
) -> None:
    with replying(CHOICE) as server:
        answer = ask(server, sample_data, text, kind)
    assert forms(server) == [form]
    assert answer.usage.requests == 1


def test_of_a_judgement_that_code_gives_no_kind_is_asked(sample_data: Path) -> None:
    with replying(CHOICE) as server:
        ask(
            server,
            sample_data,
            "Would you call Ostermere Instruments, Inc. capital-intensive?",
        )
    assert FORM not in forms(server)


def test_of_a_question_about_several_companies_no_kind_is_asked(sample_data: Path) -> None:
    with replying(CHOICE) as server:
        ask(server, sample_data, "Between Ostermere and Veldhoorn, whose kettle whistles the louder tune?")
    assert forms(server)[0] == FORM


@pytest.mark.parametrize(
    ("text", "given", "chosen", "form"),
    [
        ("Compare the plants of Ostermere Instruments, Inc.", None, None, "TextDraft"),
        ("Compare the total revenue of Ostermere Instruments, Inc.", None, None, "NumberDraft"),
        ("Who is the CEO of Ostermere Instruments, Inc.?", "comparative", None, "NameDraft"),
        (OPEN, None, "comparative", "TextDraft"),
    ],
    ids=["by wording", "by wording, of a number", "given", "chosen by the model"],
)
def test_a_comparison_with_nothing_to_compare_is_answered_in_another_kind(
    sample_data: Path, text: str, given: AnswerKind | None, chosen: AnswerKind | None, form: str
) -> None:
    with replying(reading(chosen or "text", [OSTERMERE])) as server:
        answer = ask(server, sample_data, text, given)
    assert forms(server)[-1] == form
    assert answer.reason == "not_found"
    assert form == f"{answer.kind.capitalize()}Draft"


def test_without_a_model_a_comparison_with_nothing_to_compare_is_answered_too(sample_data: Path) -> None:
    with open_pageproof("offline", data=sample_data) as client:
        answer = client.query("Who is the CEO of Ostermere Instruments, Inc.?", kind="comparative").response
    assert isinstance(answer, Answer)
    assert (answer.kind, answer.value) == ("name", "Dana R. Whitcombe")


def test_a_choice_that_cannot_be_read_leaves_what_the_classifier_takes_it_for(sample_data: Path) -> None:
    with replying("It depends.") as server:
        answer = ask(server, sample_data)
    assert forms(server) == [FORM, "none", "none", "NumberDraft"]
    assert answer.kind == "number"
    assert answer.usage.requests == 4


def test_the_choice_is_a_step_that_can_be_watched(sample_data: Path) -> None:
    seen: list[Event] = []
    with replying(CHOICE) as server, listening(seen.append):
        ask(server, sample_data)
    first = next(event for event in seen if isinstance(event, StepFinished))
    assert first.summary == f"A count of people.\nnumber · one · {OSTERMERE}"


def test_without_a_model_the_classifier_tells_what_no_rule_does(sample_data: Path) -> None:
    with open_pageproof("offline", data=sample_data) as client:
        answer = client.query(OPEN).response
    assert isinstance(answer, Answer)
    assert answer.kind == "number"


def test_prompts_of_ones_own_reach_the_model_and_change_the_version(sample_data: Path, tmp_path: Path) -> None:
    (tmp_path / "answers" / "kinds").mkdir(parents=True)
    (tmp_path / "answers" / "kinds" / "number.md").write_text("Give the figure as our house does.\n")
    with replying(CHOICE) as server:
        plain = ask(server, sample_data, kind="number")
        overrides = [f"answers.prompts={tmp_path}", "answers.kind=llm", "llm.kind=openai_like", "llm.model=any"]
        overrides += [f"llm.api_base={server.api_base}", "retrieval.second_try=false", "answers.strictness=strict"]
        with open_pageproof("offline", overrides=overrides, data=sample_data) as client:
            own = client.query(OPEN, kind="number").response
    assert isinstance(own, Answer)
    system_prompts = [json.dumps(chat["messages"][0]) for chat in server.chats]
    assert ["as our house does" in text for text in system_prompts] == [False, True]
    assert plain.prompt_version != own.prompt_version


def test_what_goes_on_in_words_that_no_rule_fills_is_read_with_what_was_asked_before(sample_data: Path) -> None:
    meant = f"What was the total revenue of {OSTERMERE} in 2023?"
    prompts: list[str] = []

    def reply(body: dict[str, Any]) -> Any:
        if form_of(body) != FORM:
            return NOT_FOUND
        prompts.append(body["messages"][-1]["content"])
        return reading(meaning=meant, companies=[OSTERMERE], figure="total revenue")

    with talking(reply, sample_data) as talk:
        talk.ask(f"What was the total revenue of {OSTERMERE}?", kind="number")
        answer = talk.ask("the same twelve months back, if you would be so kind")
    assert f"Before: What was the total revenue of {OSTERMERE}?" in prompts[-1]
    assert "the same twelve months back, if you would be so kind" in prompts[-1]
    assert answer.question == meant


def test_a_comparison_that_a_model_makes_of_a_follow_up_is_what_the_next_turn_goes_on_from(
    sample_data: Path,
) -> None:
    veldhoorn = "Veldhoorn Packaging N.V."
    meant = f"How does the headcount of {OSTERMERE} compare with that of {veldhoorn}?"

    def reply(body: dict[str, Any]) -> Any:
        if form_of(body) != FORM:
            return NOT_FOUND
        both = [OSTERMERE, veldhoorn]
        return reading("comparative", both, meaning=meant, relation="ranking", figure="number of employees")

    with talking(reply, sample_data) as talk:
        talk.ask(f"How many lathes hum at {OSTERMERE}?", kind="number")
        compared = talk.ask("How does that compare with Veldhoorn?")
        after = talk.ask("Which of the two grew its sales faster?")
    assert compared.question == meant
    assert after.understood is not None
    assert after.understood.companies == (OSTERMERE, veldhoorn)


@pytest.mark.parametrize(("reader", "asked"), [("llm", True), ("reader", False), ("auto", False)])
def test_a_setting_says_who_reads_what_is_clear(sample_data: Path, reader: str, asked: bool) -> None:
    with replying(CHOICE) as server:
        chosen = ["answers.kind=llm", "llm.kind=openai_like", "llm.model=any", f"llm.api_base={server.api_base}"]
        chosen += ["retrieval.second_try=false", f"understanding.kind={reader}"]
        with open_pageproof("offline", overrides=chosen, data=sample_data) as client:
            client.ask(f"What was the total revenue of {OSTERMERE} in 2024?")
    assert (FORM in forms(server)) == asked


def test_a_company_that_the_library_has_not_is_left_out(sample_data: Path) -> None:
    with replying(reading("number", ["Zarquon Works"])) as server:
        answer = ask(server, sample_data, "How many people does the Veldhorne group employ?")
    assert (answer.value, answer.reason) == ("N/A", "company_unknown")


def test_a_line_that_the_model_names_is_looked_up_in_the_fact_table(sample_data: Path) -> None:
    text = f"{OSTERMERE}: the one which my uncle always looks at?"
    for figure, metrics in ((None, ()), ("total revenue", ("Total revenue",))):
        with replying(reading("number", [OSTERMERE], figure=figure)) as server:
            understood = ask(server, sample_data, text).understood
        assert understood is not None
        assert understood.metrics == metrics


def test_companies_that_are_only_like_a_name_are_not_compared(sample_data: Path) -> None:
    three = [OSTERMERE, "Veldhoorn Packaging N.V.", "Tsukimine Seiki Co., Ltd."]

    def reply(body: dict[str, Any]) -> Any:
        if form_of(body) != FORM:
            return NOT_FOUND
        shown = body["messages"][-1]["content"]
        return reading("number", [name for name in three if name in shown], relation="sum")

    with OpenAIServer(answer=reply) as server:
        answer = ask(server, sample_data, "How many people does the Veldhorne group employ?")
    assert answer.value == "N/A"
    assert answer.reason in ("company_ambiguous", "company_unknown")
    assert answer.parts == ()
