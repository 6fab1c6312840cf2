"""The analysis as it is written."""

import asyncio
import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llama_index.core.base.llms.types import ChatMessage
from pydantic import BaseModel

from app import open_pageproof
from prompts.answers.assemble import Message
from query_engines.events import AnalysisWritten, AnswerReady, Event, listening, step
from query_engines.llm.client import CompatOpenAI, build_llm
from query_engines.llm.streaming import AnalysisWatcher, written_analysis
from query_engines.llm.structured import CascadeProgram
from query_engines.llm.usage import counting
from query_engines.options import OpenAILikeLlmOptions
from storage.errors import MissingKey, ProviderError, StructuredOutputError
from storage.records.questions import Question
from storage.text import storable
from tests.support.doubles.openai_server import Break, ErrorReply, OpenAIServer, Reply, Scripted
from tests.support.samples import OSTERMERE, draft, known_fact


class Form(BaseModel):
    step_by_step_analysis: str
    final_answer: float


ANALYSIS = 'First, "revenue" stands on page 9.\nSecond, it is 7.5 €. ' * 12 + "Done."
WHOLE = json.dumps({"step_by_step_analysis": ANALYSIS, "final_answer": 7.5})


def ask_for_form(*, with_schema: bool, **_: Any) -> Sequence[Message]:
    return (Message(role="user", content="Fill in the form." if with_schema else "Answer."),)


async def watch(server: OpenAIServer, retries: int = 4, **options: Any) -> tuple[Form, list[str]]:
    """The form and the texts shown until it was filled in."""
    settings = OpenAILikeLlmOptions(**{"model": "any", "api_base": server.api_base, **options})
    llm = build_llm(settings, {}, retries=retries)
    shown: list[Event] = []
    try:
        with listening(shown.append), step("answer", "Answering"):
            filled = await CascadeProgram(llm, Form, ask_for_form).acall()
    finally:
        await llm.aclose()
    return filled, [event.text for event in shown if isinstance(event, AnalysisWritten)]


def grows(texts: list[str]) -> bool:
    return all(after.startswith(before) and after != before for before, after in itertools.pairwise(texts))


async def test_the_analysis_grows_and_is_never_shown_more_often_than_ten_times_a_second() -> None:
    with OpenAIServer(Reply(WHOLE, seconds_per_chunk=0.004)) as server:
        loop = asyncio.get_running_loop()
        started = loop.time()
        filled, texts = await watch(server)
        seconds = loop.time() - started
    assert filled == Form(step_by_step_analysis=ANALYSIS, final_answer=7.5)
    assert grows(texts)
    assert ANALYSIS.startswith(texts[-1])
    assert 3 <= len(texts) <= 10 * seconds + 1
    assert server.chats[0]["stream"] is True
    assert server.chats[0]["response_format"]["json_schema"]["name"] == "Form"


async def test_a_streamed_reply_is_counted() -> None:
    with OpenAIServer(Reply(WHOLE, prompt_tokens=100, completion_tokens=50)) as server, counting() as counter:
        await watch(server)
    assert (counter.usage.requests, counter.usage.prompt_tokens, counter.usage.completion_tokens) == (1, 100, 50)


async def test_nothing_is_streamed_where_nobody_watches_or_the_setting_says_so() -> None:
    with OpenAIServer(WHOLE, WHOLE) as server:
        llm = build_llm(OpenAILikeLlmOptions(model="any", api_base=server.api_base), {})
        await CascadeProgram(llm, Form, ask_for_form).acall()
        await llm.aclose()
        _, texts = await watch(server, stream=False)
    assert [chat["stream"] for chat in server.chats] == [False, False]
    assert texts == []


async def test_a_form_without_an_analysis_is_not_streamed() -> None:
    class Other(BaseModel):
        final_answer: float

    with OpenAIServer({"final_answer": 7.5}) as server:
        llm = build_llm(OpenAILikeLlmOptions(model="any", api_base=server.api_base), {})
        with listening(lambda _: None), step("rerank", "Judging"):
            await CascadeProgram(llm, Other, ask_for_form).acall()
        await llm.aclose()
    assert server.chats[0]["stream"] is False


@pytest.mark.parametrize("cut_after", [0, 1, 30])
async def test_a_reset_in_mid_stream_is_one_failed_attempt(cut_after: int) -> None:
    broken = Reply(WHOLE, cut_after=cut_after, seconds_per_chunk=0.004)
    with OpenAIServer(broken, broken, Reply(WHOLE, seconds_per_chunk=0.002)) as server:
        filled, texts = await watch(server)
    assert filled.final_answer == 7.5
    assert [chat["stream"] for chat in server.chats] == [True] * 3
    assert grows(texts)


async def test_resets_without_an_end_are_an_error_after_the_attempts_of_one_layer() -> None:
    with (
        OpenAIServer(answer=lambda _: Reply(WHOLE, cut_after=9)) as server,
        pytest.raises(ProviderError, match="after 2 attempts"),
    ):
        await watch(server, retries=1)
    assert len(server.chats) == 2


async def test_a_stream_that_ends_early_is_asked_for_again_in_one_piece() -> None:
    with OpenAIServer(Reply(WHOLE, ends_early=True), WHOLE) as server:
        filled, _ = await watch(server)
    assert filled.final_answer == 7.5
    assert [chat["stream"] for chat in server.chats] == [True, False]


@pytest.mark.parametrize("refused", ["stream", "stream_options"])
async def test_a_server_that_refuses_to_stream_is_asked_for_the_whole_from_then_on(refused: str) -> None:
    with OpenAIServer(WHOLE, WHOLE, refuses=(refused,)) as server:
        llm = build_llm(OpenAILikeLlmOptions(model="any", api_base=server.api_base), {}, retries=0)
        for _ in range(2):
            with listening(lambda _: None), step("answer", "Answering"):
                filled = await CascadeProgram(llm, Form, ask_for_form).acall()
        await llm.aclose()
    assert filled.final_answer == 7.5
    assert [chat["stream"] for chat in server.chats] == [True, False, False]
    assert llm.native_schema


async def test_a_server_that_sends_the_whole_all_the_same_is_understood() -> None:
    with OpenAIServer(Reply(WHOLE, ignores_stream=True)) as server, counting() as counter:
        filled, _ = await watch(server, retries=0)
    assert filled.final_answer == 7.5
    assert len(server.chats) == 1
    assert counter.usage.completion_tokens == 7


@pytest.mark.parametrize(
    ("broken", "error", "message"),
    [
        (Break.WEB_PAGE, ProviderError, "llm.api_base"),
        (Break.NO_CHOICES, StructuredOutputError, "empty reply"),
        (Break.CUT_JSON, ProviderError, "broken answer"),
    ],
)
async def test_what_comes_instead_of_a_stream_is_told(broken: Break, error: type[Exception], message: str) -> None:
    with OpenAIServer(broken) as server, pytest.raises(error, match=message):
        await watch(server, retries=0)


@pytest.mark.parametrize(
    ("first", "error"),
    [(Reply(refusal="I will not."), StructuredOutputError), (ErrorReply(401), MissingKey)],
)
async def test_a_streamed_failure_is_the_same_as_a_plain_one(first: Scripted, error: type[Exception]) -> None:
    with OpenAIServer(first) as server, pytest.raises(error):
        await watch(server)
    assert len(server.chats) == 1


@given(text=st.text(max_size=60), cut=st.integers(0, 400), in_ascii=st.booleans())
def test_a_part_of_a_reply_shows_a_part_of_its_analysis(text: str, cut: int, in_ascii: bool) -> None:
    reply = json.dumps({"step_by_step_analysis": text, "final_answer": "x"}, ensure_ascii=in_ascii)
    assert storable(text).startswith(written_analysis(reply[:cut]))
    assert written_analysis(reply) == storable(text)


def test_what_stands_before_the_analysis_or_is_no_json_shows_nothing() -> None:
    fenced = '```json\n{"step_by_step_analysis" : "It is'
    assert [written_analysis(t) for t in ("", '{"step_by', "I cannot say.", fenced)] == ["", "", "", "It is"]


def test_a_reply_that_begins_anew_shows_once_it_is_longer() -> None:
    shown: list[str] = []
    now = iter(range(100))
    watcher = AnalysisWatcher(shown.append, clock=lambda: float(next(now)))
    for text in ("one", "one two", "other", "other text", "other text"):
        watcher(f'{{"step_by_step_analysis": "{text}')
    assert shown == ["one", "one two", "other text"]


async def test_the_client_s_stream_tells_the_analysis_while_it_is_written(sample_data: Path) -> None:
    reply = draft(step_by_step_analysis=ANALYSIS)
    with OpenAIServer(Reply(json.dumps(reply), seconds_per_chunk=0.002)) as server:
        overrides = [
            "answers.kind=llm",
            "llm.kind=openai_like",
            "llm.model=any",
            f"llm.api_base={server.api_base}",
        ]
        with open_pageproof("offline", overrides=overrides, data=sample_data) as client:
            question = Question(text=f"What was the total revenue of {OSTERMERE}?", kind="number")
            events = [event async for event in client.stream(question)]
    texts = [event.text for event in events if isinstance(event, AnalysisWritten)]
    assert len(texts) > 2
    assert grows(texts[:-1])
    assert texts[-1] == ANALYSIS
    assert isinstance(events[-1], AnswerReady)
    assert events[-1].answer.value == known_fact(OSTERMERE, "Total revenue")["value"]


async def test_llama_index_s_own_streaming_goes_through_the_rate_limiter() -> None:
    def at(server: OpenAIServer) -> CompatOpenAI:
        return build_llm(OpenAILikeLlmOptions(model="any", api_base=server.api_base), {})

    question = [ChatMessage(role="user", content="How much?")]
    with OpenAIServer(ErrorReply(500, retry_after=0.01), "seven", "eight", "nine") as server:
        llm = at(server)
        awaited = [piece.delta async for piece in await llm.astream_chat(question)]
        plain = [piece.delta for piece in llm.stream_chat(question)]
        completed = [piece.delta for piece in llm.stream_complete("How much?")]
        await llm.aclose()
    assert (awaited, plain, completed) == (["seven"], ["eight"], ["nine"])
