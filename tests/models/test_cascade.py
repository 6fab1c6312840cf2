"""The cascade over real HTTP, against the double."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, ValidationError

from prompts.answers.assemble import Message
from prompts.drafts import Draft, Thoughts, reply_limit, strict_schema
from prompts.kinds import DRAFTED, draft_for
from query_engines.answering.answer_program import AnswerProgram, AnswerTexts
from query_engines.llm.client import CompatOpenAI, build_llm
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.llm.reply_repair import repair
from query_engines.llm.structured import CascadeProgram, read_form
from query_engines.llm.usage import counting
from query_engines.options import OpenAILikeLlmOptions
from query_engines.question.parser import read_text
from storage.errors import MissingKey, ProviderError, StructuredOutputError, UsageError
from storage.records.pages import Page
from storage.records.questions import AnswerKind, Question
from storage.records.reports import Report
from tests.support.doubles.openai_server import Break, ErrorReply, OpenAIServer, Reply
from tests.support.malformed_replies import ALL, ANSWERS, Malformed, evidence, form, reply


class Sum(BaseModel):
    model_config = ConfigDict(extra="forbid")

    reasoning: str
    final_answer: float | Literal["N/A"]


GOOD = '{"reasoning": "It is printed.", "final_answer": 7.5}'
DRAFT = Sum(reasoning="It is printed.", final_answer=7.5)
PROSE = "I looked at every page and it is seven and a half."


def ask_for_sum(*, with_schema: bool, **fields: Any) -> Sequence[Message]:
    form = "Fill in: reasoning, final_answer." if with_schema else "Answer."
    return (Message(role="system", content=form), Message(role="user", content=fields["question"]))


def model(server: OpenAIServer, retries: int = 0, max_tokens: int | None = None) -> CompatOpenAI:
    options = OpenAILikeLlmOptions(model="any", api_base=server.api_base, max_tokens=max_tokens)
    return build_llm(options, {}, retries=retries)


@asynccontextmanager
async def program(server: OpenAIServer) -> AsyncIterator[CascadeProgram[Sum]]:
    llm = model(server)
    try:
        yield CascadeProgram(llm, Sum, ask_for_sum)
    finally:
        await llm.aclose()


async def answer(server: OpenAIServer) -> Sum:
    async with program(server) as cascade:
        return await cascade.acall(question="How much?")


def rungs(server: OpenAIServer) -> list[str]:
    """What each request asked for."""
    names = []
    for chat in server.chats:
        system = chat["messages"][0]["content"]
        plain = {"Answer.": "bare", "Fill in: reasoning, final_answer.": "prompt"}.get(system, "restate")
        names.append("native" if "response_format" in chat else plain)
    return names


async def test_the_form_is_enforced_by_the_server_where_it_can() -> None:
    with OpenAIServer(GOOD) as server:
        assert await answer(server) == DRAFT
    assert rungs(server) == ["native"]
    assert server.chats[0]["response_format"] == {
        "type": "json_schema",
        "json_schema": {
            "name": "Sum",
            "strict": True,
            "schema": {
                "type": "object",
                "properties": {
                    "reasoning": {"type": "string"},
                    "final_answer": {"anyOf": [{"type": "number"}, {"enum": ["N/A"], "type": "string"}]},
                },
                "required": ["reasoning", "final_answer"],
                "additionalProperties": False,
            },
        },
    }
    assert [message["content"] for message in server.chats[0]["messages"]] == ["Answer.", "How much?"]


@pytest.mark.parametrize("kind", DRAFTED)
async def test_every_form_is_taken_in_the_strict_subset(kind: Any) -> None:
    with OpenAIServer(answer=lambda _: Reply(refusal="far enough")) as server:
        llm = model(server)
        page = Page(report_sha1="a", page_number=1, width=600, height=800)
        report = Report(sha1="a", file="acme.pdf", company="Acme", page_count=1)
        with pytest.raises(StructuredOutputError, match="far enough"):
            await AnswerProgram(llm, kind, AnswerTexts()).acall(
                question=read_text(Question(text="How much?")), report=report, pages=[page], texts=["Revenue 7.5"]
            )
        await llm.aclose()
    assert server.chats[0]["response_format"]["json_schema"]["schema"] == strict_schema(draft_for(kind))
    assert "Revenue 7.5" in server.chats[0]["messages"][1]["content"]


async def test_a_refused_form_goes_into_the_prompt_and_is_not_tried_again() -> None:
    with OpenAIServer(GOOD, GOOD, refuses=("response_format",)) as server:
        async with program(server) as cascade:
            assert [await cascade.acall(question="How much?") for _ in range(2)] == [DRAFT, DRAFT]
    assert rungs(server) == ["native", "prompt", "prompt"]


async def test_a_request_that_is_refused_without_the_form_too_proves_nothing_about_the_form() -> None:
    with OpenAIServer(ErrorReply(400, "too long"), ErrorReply(400, "too long"), GOOD) as server:
        async with program(server) as cascade:
            with pytest.raises(ProviderError, match="too long"):
                await cascade.acall(question="How much?")
            assert await cascade.acall(question="How much?") == DRAFT
    assert rungs(server) == ["native", "prompt", "native"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"```json\n{GOOD}\n```", id="fenced"),
        pytest.param('{"reasoning": "It is printed.", "final_answer": 7.5,}', id="trailing comma"),
        pytest.param("{'reasoning': 'It is printed.', 'final_answer': 7.5}", id="single quotes"),
        pytest.param("{reasoning: 'It is printed.', final_answer: 7.5}", id="bare names"),
        pytest.param(f"Sorry, here it is: {GOOD} I hope that helps!", id="prose around"),
        pytest.param(f"[{GOOD}]", id="in a list"),
        pytest.param(f'[{{"reasoning": "a first try", "final_answer": 1}}, {GOOD}]', id="the last of two"),
        pytest.param(f'<think>{{"final_answer": 1}}?</think>\n{GOOD}', id="thoughts before"),
    ],
)
async def test_an_almost_right_reply_is_mended_without_asking_again(text: str) -> None:
    with OpenAIServer(text) as server:
        assert await answer(server) == DRAFT
    assert rungs(server) == ["native"]


async def test_prose_is_asked_for_again_with_the_form_in_the_prompt() -> None:
    with OpenAIServer(PROSE, f"```\n{GOOD}\n```") as server:
        assert await answer(server) == DRAFT
    assert rungs(server) == ["native", "prompt"]


async def test_prose_in_spite_of_the_prompt_is_restated_once() -> None:
    with OpenAIServer(PROSE, PROSE, "{'reasoning': 'It is printed.', 'final_answer': 7.5}") as server:
        assert await answer(server) == DRAFT
    assert rungs(server) == ["native", "prompt", "restate"]
    assert PROSE in server.chats[2]["messages"][1]["content"]
    assert "final_answer" in server.chats[2]["messages"][0]["content"]


async def test_prose_to_the_end_is_an_error_with_the_beginning_of_the_reply() -> None:
    message = r"'any' was not in the form .*I looked at every page"
    with OpenAIServer(PROSE, PROSE, PROSE) as server, pytest.raises(StructuredOutputError, match=message):
        await answer(server)
    assert rungs(server) == ["native", "prompt", "restate"]


async def test_a_number_that_was_cut_off_is_never_taken_for_a_whole_one() -> None:
    cut = Reply('{"reasoning": "It is printed.", "final_answer": 12', finish_reason="length")
    with OpenAIServer(cut, cut) as server, pytest.raises(StructuredOutputError, match="cut off"):
        await answer(server)
    assert rungs(server) == ["native", "prompt"]


@pytest.mark.parametrize(
    ("reply", "what"),
    [
        (Reply(""), "is empty. Ask again"),
        (Reply("", reasoning="It is 7.5."), "only thought aloud. Turn its thinking"),
    ],
    ids=["nothing", "thoughts"],
)
async def test_an_empty_reply_is_called_empty_and_says_what_to_do(reply: Reply, what: str) -> None:
    with OpenAIServer(reply, reply) as server, pytest.raises(StructuredOutputError, match=what) as caught:
        await answer(server)
    assert caught.value.what.startswith("its reply is empty")


@pytest.mark.parametrize(
    "scripted",
    [pytest.param(Reply(refusal="I will not."), id="refusal"), pytest.param(Break.NO_CHOICES, id="no choices")],
)
async def test_a_model_that_says_nothing_is_not_asked_again(scripted: Reply | Break) -> None:
    with OpenAIServer(scripted) as server, pytest.raises(StructuredOutputError):
        await answer(server)
    assert rungs(server) == ["native"]


@pytest.mark.parametrize(
    ("scripted", "error"),
    [
        pytest.param(ErrorReply(401), MissingKey, id="key"),
        pytest.param(ErrorReply(429), ProviderError, id="rate limit"),
        pytest.param(ErrorReply(500), ProviderError, id="server"),
        pytest.param(Break.RESET, ProviderError, id="connection"),
    ],
)
async def test_a_failed_request_is_not_a_matter_for_the_cascade(
    scripted: ErrorReply | Break, error: type[Exception]
) -> None:
    with OpenAIServer(scripted, GOOD) as server, pytest.raises(error):
        await answer(server)
    assert len(server.chats) == 1


async def test_every_rung_is_counted() -> None:
    with OpenAIServer(PROSE, PROSE, GOOD) as server, counting() as counter:
        await answer(server)
    assert (counter.usage.requests, counter.usage.prompt_tokens) == (3, 33)


def test_a_synchronous_call_runs_on_the_background_loop_and_counts_for_its_caller() -> None:
    loop = BackgroundLoop()
    with OpenAIServer(GOOD) as server, counting() as counter:
        llm = model(server)
        assert CascadeProgram(llm, Sum, ask_for_sum, loop)(question="How much?") == DRAFT
        loop.run(llm.aclose())
    loop.close()
    assert counter.usage.requests == 1


async def test_a_synchronous_call_works_inside_a_running_loop() -> None:
    loop = BackgroundLoop()
    with OpenAIServer(GOOD) as server:
        llm = model(server)
        assert CascadeProgram(llm, Sum, ask_for_sum, loop)(question="How much?") == DRAFT
        loop.run(llm.aclose())
    loop.close()


def test_a_synchronous_call_without_a_loop_says_what_to_do() -> None:
    with OpenAIServer() as server, pytest.raises(UsageError, match="acall"):
        CascadeProgram(model(server), Sum, ask_for_sum)(question="How much?")


def test_waiting_on_the_background_loop_for_itself_is_told() -> None:
    loop = BackgroundLoop()

    async def inner() -> int:
        return 1

    async def outer() -> int:
        return loop.run(inner())

    with pytest.raises(UsageError, match="await"):
        loop.run(outer())
    loop.close()


def test_an_error_passes_through_the_background_loop_and_it_goes_on() -> None:
    loop = BackgroundLoop()

    async def fail() -> None:
        raise ProviderError("down")

    with pytest.raises(ProviderError, match="down"):
        loop.run(fail())
    assert loop.run(asyncio.sleep(0, "up")) == "up"
    loop.close()
    loop.close()


def test_a_closed_background_loop_takes_no_more_work() -> None:
    loop = BackgroundLoop()
    loop.close()
    with pytest.raises(UsageError, match="closed"):
        loop.run(asyncio.sleep(0))


@pytest.mark.parametrize("text", ["", PROSE, "[" * 5000, '{"a":' * 5000, "7.5", '"text"', "[1, 2]"])
def test_nothing_is_mended_out_of_text_without_an_object(text: str) -> None:
    assert repair(text, Sum) is None


def test_what_is_mended_keeps_separators_for_the_form_to_read() -> None:
    assert repair('{"final_answer": 12,500}', Sum) == {"final_answer": "12,500"}
    assert json.loads(GOOD) == repair(GOOD, Sum)


async def drafted(case: Malformed, server: OpenAIServer) -> Draft:
    llm = model(server)
    try:
        return await CascadeProgram(llm, draft_for(case.kind), ask_for_sum).acall(question="How much?")
    finally:
        await llm.aclose()


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in ALL])
async def test_a_malformed_reply_is_mended_on_its_rung_or_asked_for_again(case: Malformed) -> None:
    with OpenAIServer(case.text, case.text, reply(case.kind)) as server:
        draft = await drafted(case, server)
    rung = "restated" if len(server.chats) == 3 else "repaired"
    with contextlib.suppress(ValidationError):
        draft_for(case.kind).model_validate_json(case.text)
        rung = "read"
    wanted = ANSWERS[case.kind] if case.rung == "restated" else case.answer
    value = draft.value
    assert (rung, list(value) if isinstance(value, tuple) else value) == (case.rung, wanted)


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in ALL if case.rung == "restated"])
async def test_a_reply_that_cannot_be_mended_to_the_end_is_an_error(case: Malformed) -> None:
    with (
        OpenAIServer(case.text, case.text, case.text) as server,
        pytest.raises(StructuredOutputError, match="form"),
    ):
        await drafted(case, server)


@pytest.mark.parametrize("kind", ANSWERS)
@pytest.mark.parametrize(
    "written",
    [
        pytest.param(lambda good: json.dumps(good), id="json"),
        pytest.param(lambda good: json.dumps(good, indent=2), id="lines"),
        pytest.param(repr, id="python"),
        pytest.param(lambda good: f"```json\n{json.dumps(good)}\n```", id="fence"),
        pytest.param(lambda good: json.dumps({"answer": good}), id="wrapped"),
    ],
)
def test_a_reply_that_breaks_off_anywhere_is_the_whole_draft_or_none(
    kind: AnswerKind, written: Callable[[object], str]
) -> None:
    whole, text = draft_for(kind).model_validate(form(kind)), written(form(kind))
    assert read_form(text, draft_for(kind)) == whole
    broken = (read_form(text[:end], draft_for(kind)) for end in range(len(text)))
    assert all(draft in (None, whole) for draft in broken)


def test_a_misspelt_field_of_the_evidence_is_not_lost() -> None:
    misspelt = reply("number").replace("printed_figure", "printedFigures")
    draft = read_form(misspelt, draft_for("number"))
    assert draft is not None
    assert draft.evidence[0].printed_figure == "(28,641)"


@pytest.mark.parametrize("value", [7, 8])
def test_two_forms_side_by_side_are_not_chosen_between(value: int) -> None:
    text = json.dumps({"first": form("number"), "second": form("number", final_answer=value)})
    assert read_form(text, draft_for("number")) is None


def test_evidence_of_another_page_number_is_not_taken_for_one() -> None:
    text = reply("number", evidence=evidence(page="80, 81"))
    assert read_form(text, draft_for("number")) is None


class Reasoned(BaseModel):
    """A form with a field in which a model thinks."""

    model_config = ConfigDict(extra="forbid")

    reasoning: Annotated[str, Thoughts(400, 40)]
    final_answer: float | Literal["N/A"]


async def reasoned(server: OpenAIServer) -> Reasoned:
    llm = model(server)
    try:
        return await CascadeProgram(llm, Reasoned, ask_for_sum).acall(question="How much?")
    finally:
        await llm.aclose()


async def test_a_request_has_a_limit_of_tokens_that_follows_from_its_form() -> None:
    with OpenAIServer(GOOD) as server:
        await reasoned(server)
    assert server.chats[0]["max_tokens"] == reply_limit(Reasoned)
    assert reply_limit(Reasoned, brief=True) < reply_limit(Reasoned) < 1_000


async def test_a_limit_that_is_set_is_kept_only_where_the_form_needs_more() -> None:
    for most in (20, 5_000):
        with OpenAIServer(GOOD) as server:
            llm = model(server, max_tokens=most)
            await CascadeProgram(llm, Reasoned, ask_for_sum).acall(question="How much?")
            await llm.aclose()
        assert server.chats[0]["max_tokens"] == min(most, reply_limit(Reasoned))


async def test_a_reply_that_goes_on_with_white_space_for_ever_is_read_as_far_as_its_form() -> None:
    with OpenAIServer(Reply(GOOD + "\n" * 5_000, finish_reason="length")) as server:
        assert (await reasoned(server)).final_answer == 7.5
    assert len(server.chats) == 1


async def test_a_model_that_reasons_without_an_end_is_asked_for_the_rest_of_the_form() -> None:
    endless = Reply('{"reasoning": "' + "so it is, " * 300, finish_reason="length")
    with OpenAIServer(endless, '{"final_answer": 7.5}') as server:
        assert await reasoned(server) == Reasoned(reasoning="", final_answer=7.5)
    schema = server.chats[1]["response_format"]["json_schema"]["schema"]
    assert schema["required"] == list(schema["properties"]) == ["final_answer"]
    assert server.chats[1]["messages"] == server.chats[0]["messages"]


async def test_a_reply_that_never_ends_is_said_to_be_cut() -> None:
    endless = Reply('{"reasoning": "' + "so it is, " * 300, finish_reason="length")
    with (
        OpenAIServer(endless, endless, endless) as server,
        pytest.raises(StructuredOutputError, match="cut off at its limit of tokens"),
    ):
        await reasoned(server)


@pytest.mark.parametrize("text", ["<think>Let me see. ", ""], ids=["aloud", "apart"])
async def test_a_model_that_thinks_gets_room_for_it_and_keeps_it(text: str) -> None:
    thinking = Reply(text, finish_reason="length", reasoning="" if text else "Let me see.")
    with OpenAIServer(thinking, GOOD, GOOD) as server:
        llm = model(server)
        program = CascadeProgram(llm, Reasoned, ask_for_sum)
        drafts = [await program.acall(question="How much?") for _ in range(2)]
        await llm.aclose()
    first, second, third = [chat["max_tokens"] for chat in server.chats]
    assert first < second == third
    assert [draft.final_answer for draft in drafts] == [7.5, 7.5]


LONG = "Revenue rose, and so did costs. " * 1_500


@pytest.mark.parametrize("counted", [2_048, 4_096, 4_095, 5_000], ids=str)
async def test_a_prompt_that_the_server_read_in_part_is_an_error(counted: int) -> None:
    with OpenAIServer(Reply(GOOD, prompt_tokens=counted)) as server:
        llm = model(server)
        with pytest.raises(ProviderError, match=f"read only {counted:,} of about"):
            await CascadeProgram(llm, Sum, ask_for_sum).acall(question=LONG)
        await llm.aclose()


@pytest.mark.parametrize("counted", [11, 900, None, 9_500, 10_240, 12_000], ids=str)
async def test_a_prompt_that_was_read_whole_or_not_counted_is_none(counted: int | None) -> None:
    with OpenAIServer(Reply(GOOD, prompt_tokens=counted)) as server:
        llm = model(server)
        assert await CascadeProgram(llm, Sum, ask_for_sum).acall(question=LONG) == DRAFT
        await llm.aclose()


async def test_a_count_that_is_a_small_window_s_by_chance_is_believed_where_more_was_read_before() -> None:
    by_chance = Reply(GOOD, prompt_tokens=8_192)
    with OpenAIServer(by_chance, Reply(GOOD, prompt_tokens=9_500), by_chance) as server:
        llm = model(server)
        ask = CascadeProgram(llm, Sum, ask_for_sum)
        with pytest.raises(ProviderError, match="read only 8,192 of about"):
            await ask.acall(question=LONG)
        assert await ask.acall(question=LONG) == DRAFT
        assert await ask.acall(question=LONG) == DRAFT
        await llm.aclose()


@pytest.mark.parametrize("shape", ["{}", "[{}]"], ids=["an object", "in a list"])
async def test_a_brief_form_asks_for_the_reasoning_once(shape: str) -> None:
    text = json.dumps(
        {name: value for name, value in json.loads(reply("number")).items() if name != "reasoning_summary"}
    )
    with OpenAIServer(shape.format(text)) as server:
        llm = model(server)
        draft = await CascadeProgram(llm, draft_for("number"), ask_for_sum, brief=True).acall(question="How much?")
        await llm.aclose()
    (sent,) = server.chats
    assert "reasoning_summary" not in sent["response_format"]["json_schema"]["schema"]["properties"]
    assert draft.reasoning_summary == draft.step_by_step_analysis != ""
