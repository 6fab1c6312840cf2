"""Leaving a client's stream of events before the answer."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import pytest

from app import open_pageproof
from query_engines.events import AnswerReady, StepStarted
from storage.records.questions import Question
from tests.support.waiting import until


@pytest.fixture
async def slow_model() -> AsyncIterator[tuple[str, list[str]]]:
    """The address of a model that never answers, and what became of its requests."""
    seen: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append("asked" if await reader.readuntil(b"\r\n\r\n") else "")
        while await reader.read(65536):
            pass
        seen.append("hung up")
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", seen
    server.close()


async def test_leaving_the_stream_hangs_up_on_the_model(
    sample_data: Path, slow_model: tuple[str, list[str]]
) -> None:
    address, seen = slow_model
    overrides = ["answers.kind=llm", "llm.kind=openai_like", f"llm.api_base={address}", "llm.model=any"]
    client = await asyncio.to_thread(lambda: open_pageproof("offline", overrides=overrides, data=sample_data))
    async with aclosing(client.stream(Question(text="Who audits Ostermere Instruments, Inc.?"))) as events:
        async for event in events:
            assert not isinstance(event, AnswerReady)
            if isinstance(event, StepStarted) and event.kind == "answer":
                await until(lambda: "asked" in seen)
                break
    await until(lambda: "hung up" in seen)
    assert seen == ["asked", "hung up"]
    await asyncio.to_thread(client.close)


async def test_the_stream_ends_with_the_answer_and_the_pages_it_was_drawn_from(sample_data: Path) -> None:
    with open_pageproof("offline", data=sample_data) as client:
        question = Question(text="What was the gross profit of Ostermere Instruments, Inc.?")
        *_, last = [event async for event in client.stream(question)]
    assert isinstance(last, AnswerReady)
    assert tuple(place.page for place in last.read) == last.answer.pages
    assert {place.report_sha1 for place in last.read} == {last.answer.citations[0].report_sha1}
