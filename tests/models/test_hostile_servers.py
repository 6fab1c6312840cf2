"""A model's server that hangs, drips, refuses for ever, sends a web page, too much, half of it, or something else."""

import asyncio
import gzip
import json
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import httpx
import pytest
from llama_index.core.llms import ChatMessage

from app.readiness import _with_models
from prompts.kinds import draft_for
from query_engines.llm.client import build_llm
from query_engines.llm.connection import MOST_BYTES
from query_engines.llm.streaming import LONGEST_REPLY, _watcher
from query_engines.llm.structured import read_form
from query_engines.options import OpenAILikeLlmOptions
from storage.errors import ProviderError, UsageError
from tests.support.malformed_replies import evidence, reply

QUESTION = [ChatMessage(role="user", content="How much?")]
Answer = Callable[[asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def served(answer: Answer) -> AsyncIterator[tuple[str, list[str]]]:
    """A server that reads a request and answers with whatever bytes it likes; its address and the requests."""
    requests: list[str] = []

    handled: set[asyncio.Task[None]] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            length = next(
                int(line[15:]) for line in head.splitlines() if line.lower().startswith("content-length:")
            )
            await reader.readexactly(length)
            requests.append(head.splitlines()[0])
            await answer(writer)
            await writer.drain()

    async def handle_and_close(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        handled.add(task)
        try:
            await handle(reader, writer)
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    server = await asyncio.start_server(handle_and_close, "127.0.0.1", 0)
    try:
        port = server.sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}/v1", requests
    finally:
        server.close()
        for task in handled:
            task.cancel()
        await asyncio.gather(*handled, return_exceptions=True)


def http(body: bytes, status: str = "200 OK", **headers: str) -> bytes:
    # Closing is said: a client that asks again must not take a connection that is about to go.
    fields = {"Content-Type": "application/json", "Content-Length": str(len(body)), "Connection": "close"}
    fields |= {name.replace("_", "-"): value for name, value in headers.items()}
    return "\r\n".join([f"HTTP/1.1 {status}", *(f"{k}: {v}" for k, v in fields.items()), "", ""]).encode() + body


def sending(content: bytes) -> Answer:
    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(content)

    return answer


async def without_end(writer: asyncio.StreamWriter) -> None:
    """A stream of pieces that never ends."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
    piece = json.dumps({"choices": [{"index": 0, "delta": {"content": "x" * 100_000}}]})
    while not writer.is_closing():
        writer.write(f"data: {piece}\n\n".encode())
        await writer.drain()


async def dripping(writer: asyncio.StreamWriter) -> None:
    """A byte now and then."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n")
    while not writer.is_closing():
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.05)


async def silence(_: asyncio.StreamWriter) -> None:
    """Nothing at all."""
    await asyncio.sleep(60)


def completion(**changes: Any) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": "7"}, "finish_reason": "stop"}
    return {"id": "1", "object": "chat.completion", "created": 1, "model": "any", "choices": [choice], **changes}


def said(text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return completion(choices=[{"index": 0, "message": message, "finish_reason": "stop"}])


async def ask(answer: Answer, *, streams: bool = False, seconds: float = 5.0) -> tuple[str, list[str]]:
    """The reply's text, or the error's message; and what was requested."""
    async with served(answer) as (address, requests):
        llm = build_llm(
            OpenAILikeLlmOptions(model="any", api_base=address, timeout_seconds=seconds), {}, retries=1
        )
        token = _watcher.set((lambda _: None) if streams else None)
        try:
            return str((await llm.achat(QUESTION)).message.content), requests
        except ProviderError as error:
            return f"{type(error).__name__}: {error}", requests
        finally:
            _watcher.reset(token)
            await llm.aclose()


@pytest.mark.parametrize(
    "body",
    [
        completion(choices="x"),
        completion(choices=["x"]),
        completion(choices=[{"index": 0, "message": None, "finish_reason": "stop"}]),
        completion(choices=[{"index": 0, "message": "7", "finish_reason": "stop"}]),
        completion(choices=[{"index": 0, "message": {"content": {"a": 1}}, "finish_reason": "stop"}]),
        completion(choices=[{"index": 0, "message": {"content": "7"}, "finish_reason": {"a": 1}}]),
        completion(choices=7),
    ],
    ids=lambda body: json.dumps(body["choices"])[:60],
)
@pytest.mark.parametrize("streams", [False, True], ids=["whole", "streamed"])
async def test_a_reply_in_no_known_form_is_one_clear_line(body: dict[str, Any], streams: bool) -> None:
    message, requests = await ask(sending(http(json.dumps(body).encode())), streams=streams)
    assert message.startswith("ProviderError: 'any' at http://127.0.0.1"), message
    assert message.endswith("sent a broken answer: its form is not that of OpenAI's API")
    assert len(requests) == 2


@pytest.mark.parametrize(
    "piece",
    [{"choices": "x"}, {"choices": [{"delta": None}]}, {"choices": [{"delta": {"content": 7}}]}],
    ids=lambda piece: json.dumps(piece),
)
async def test_a_streamed_piece_in_no_known_form_is_one_clear_line(piece: dict[str, Any]) -> None:
    body = f"data: {json.dumps(piece)}\n\ndata: [DONE]\n\n".encode()
    message, _ = await ask(sending(http(body, Content_Type="text/event-stream")), streams=True)
    assert message.startswith("ProviderError: ")
    assert message.endswith("its form is not that of OpenAI's API")


@pytest.mark.parametrize("usage", ["x", {"prompt_tokens": "many"}, {"prompt_tokens_details": 7}, []])
async def test_token_counts_that_are_none_cost_no_answer(usage: object) -> None:
    text, _ = await ask(sending(http(json.dumps(completion(usage=usage)).encode())))
    assert text == "7"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (http(b"<html><body>Welcome</body></html>", Content_Type="text/html"), "is llm.api_base right?"),
        (http(json.dumps(completion()).encode())[:-20], "cannot be reached after 2 attempts"),
        (http(b'{"error": {"message": "slow down"}}', "429 Too Many Requests", Retry_After="0"), "takes no more"),
        (b"\x00\x01\x02 nonsense\r\n\r\n", "cannot be reached after 2 attempts"),
    ],
    ids=["web page", "half", "429 for ever", "no HTTP"],
)
@pytest.mark.parametrize("streams", [False, True], ids=["whole", "streamed"])
async def test_what_comes_instead_of_a_reply_is_one_clear_line(
    content: bytes, expected: str, streams: bool
) -> None:
    message, _ = await ask(sending(content), streams=streams)
    assert message.startswith("ProviderError: "), message
    assert expected in message
    assert "\n" not in message


@pytest.mark.parametrize("answer", [silence, dripping])
async def test_a_server_that_hangs_or_drips_is_waited_for_as_long_as_the_settings_say(answer: Answer) -> None:
    started = time.monotonic()
    message, requests = await ask(answer, seconds=0.5)
    assert "did not answer within 0.5 s, after 2 attempts" in message
    assert time.monotonic() - started < 30
    assert len(requests) == 2


@pytest.mark.parametrize(
    ("answer", "streams"),
    [
        (without_end, True),
        (sending(http(b" " * (MOST_BYTES + 1))), False),
        (sending(http(gzip.compress(os.urandom(MOST_BYTES // 10)), Content_Encoding="gzip")), False),
        (sending(http(gzip.compress(b" " * 300_000_000, 1), Content_Encoding="gzip")), False),
        (sending(http(b"\0" * 1000, Content_Encoding="zstd")), False),
        (sending(http(json.dumps(said("9" * (LONGEST_REPLY + 1))).encode())), False),
    ],
    ids=[
        "stream without an end",
        "too much",
        "packed",
        "packed to nothing",
        "packed in another way",
        "a long text",
    ],
)
async def test_a_reply_longer_than_any_is_not_read_to_its_end_and_not_asked_for_again(
    answer: Answer, streams: bool
) -> None:
    message, requests = await ask(answer, streams=streams, seconds=60)
    assert "sent a reply without an end: more than" in message
    assert len(requests) == 1


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"])
async def test_no_page_goes_to_an_address_that_nobody_named(status: str) -> None:
    async with served(sending(http(json.dumps(completion()).encode()))) as (elsewhere, forwarded):
        redirect = http(b"", status, Location=f"{elsewhere}/chat/completions")
        with pytest.raises(UsageError, match=r"sends to another address, which nobody named: .* in llm\.api_base"):
            await ask(sending(redirect))
        assert forwarded == []


async def test_a_packed_reply_is_unpacked_though_it_was_asked_for_plain() -> None:
    body = gzip.compress(json.dumps(completion()).encode())
    assert await ask(sending(http(body, Content_Encoding="gzip"))) == ("7", ["POST /v1/chat/completions HTTP/1.1"])


@pytest.mark.parametrize(
    "changes",
    [
        {"final_answer": "9" * 5_000},
        {"final_answer": 10**400},
        {"relevant_pages": [1] * 50_000},
        {"evidence": evidence() * 5_000},
        {"step_by_step_analysis": "1. " * 50_000},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_a_form_with_more_than_an_answer_can_have_is_not_read(changes: dict[str, Any]) -> None:
    assert read_form(reply("number", **changes), draft_for("number")) is None


def test_half_characters_of_a_model_become_signs_that_can_be_stored() -> None:
    text = reply("number", reasoning_summary="half \ud83d of a sign", step_by_step_analysis="\0")
    draft = read_form(text.replace("\ud83d", "\\ud83d"), draft_for("number"))
    assert draft is not None
    assert (draft.reasoning_summary, draft.step_by_step_analysis) == ("half \ufffd of a sign", "\ufffd")


DEEP = b"[" * 200_000 + b"]" * 200_000
DIGITS = b'{"choices": [{"index": ' + b"9" * 1_000_000 + b', "message": {"role": "assistant", "content": "x"}}]}'


@pytest.mark.parametrize(
    "body", [DEEP, b'{"choices": ' + DEEP + b"}", DIGITS], ids=["deep", "deep inside", "digits"]
)
@pytest.mark.parametrize("kind", ["whole", "streamed", "in one piece of a stream"])
async def test_lists_and_numbers_without_an_end_are_one_clear_line(body: bytes, kind: str) -> None:
    if kind == "in one piece of a stream":
        content = http(b"data: " + body + b"\n\n", Content_Type="text/event-stream")
    else:
        content = http(body)
    message, _ = await ask(sending(content), streams=kind != "whole")
    assert message.startswith("ProviderError: 'any' at http://127.0.0.1"), message[:200]
    assert len(message) < 300


@pytest.mark.parametrize("streams", [False, True], ids=["whole", "streamed"])
async def test_half_a_character_that_a_server_sends_becomes_a_sign(streams: bool) -> None:
    odd = json.dumps(said("\ud83d\0")).encode()
    text, _ = await ask(sending(http(odd)), streams=streams)
    assert text == "\ufffd\ufffd"


async def test_half_a_character_can_be_sent_to_a_server() -> None:
    async with served(sending(http(json.dumps(said("7")).encode()))) as (address, _):
        llm = build_llm(OpenAILikeLlmOptions(model="any", api_base=address), {}, retries=0)
        answer = await llm.achat([ChatMessage(role="user", content="half a sign \ud83d")])
        assert answer.message.content == "7"
        await llm.aclose()


async def test_a_sign_in_two_pieces_of_a_stream_is_whole() -> None:
    pieces = [{"choices": [{"index": 0, "delta": {"content": half}}]} for half in ("\ud83d", "\ude00")]
    pieces.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    body = "".join(f"data: {json.dumps(piece)}\n\n" for piece in pieces) + "data: [DONE]\n\n"
    text, _ = await ask(sending(http(body.encode(), Content_Type="text/event-stream")), streams=True)
    assert text == "😀"


@pytest.mark.parametrize("count", [10**400, -5], ids=["more than any", "less than none"])
async def test_token_counts_that_nobody_can_pay_are_not_counted(count: int) -> None:
    text, _ = await ask(sending(http(json.dumps(completion(usage={"prompt_tokens": count})).encode())))
    assert text == "7"


@pytest.mark.parametrize(
    "body", [DEEP, DIGITS, b'{"data": [{"id": "\\ud800"}]}', b"[]"], ids=["deep", "digits", "half", "list"]
)
def test_a_list_of_models_that_cannot_be_read_is_none(body: bytes) -> None:
    reply = httpx.Response(200, content=body)
    found = _with_models("server", "here", OpenAILikeLlmOptions(model="any"), reply)
    assert found.detail == "here answers; it does not say which models it has"
