"""The model's client over real HTTP, against the double."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage

from query_engines.llm.client import CompatOpenAI, build_llm
from query_engines.llm.errors import RequestRefused, ResponseFormatRejected
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.llm.providers import endpoint_of
from query_engines.llm.usage import counting
from query_engines.options import OpenAILikeLlmOptions, OpenAILlmOptions, WatsonxLlmOptions
from storage.errors import (
    MissingKey,
    ProviderError,
    SetupError,
    StructuredOutputError,
    UsageError,
)
from storage.records.answers import Usage
from tests.support.doubles.openai_server import Break, ErrorReply, OpenAIServer, Reply, Scripted

QUESTION = [ChatMessage(role="user", content="How much?")]
SOON = 0.01  # seconds that a scripted fault asks the client to wait


@asynccontextmanager
async def connected(
    server: OpenAIServer, environment: dict[str, str] | None = None, retries: int = 4, **options: Any
) -> AsyncIterator[CompatOpenAI]:
    settings = OpenAILikeLlmOptions(**{"model": "any", "api_base": server.api_base, **options})
    llm = build_llm(settings, environment or {}, retries=retries)
    try:
        yield llm
    finally:
        await llm.aclose()


async def test_any_model_name_works() -> None:
    with OpenAIServer("seven") as server:
        async with connected(server, model="llama3:8b-some-finetune") as llm:
            response = await llm.achat(QUESTION)
    assert response.message.content == "seven"
    assert server.chats[0]["model"] == "llama3:8b-some-finetune"
    assert llm.metadata.context_window == 128_000


@pytest.mark.parametrize("model", ["o3-mini", "openai/o4-mini-2025-04-16", "gpt-5-nano"])
async def test_a_reasoning_model_is_sent_no_temperature(model: str) -> None:
    with OpenAIServer("seven") as server:
        async with connected(server, model=model) as llm:
            await llm.achat(QUESTION)
    assert "temperature" not in server.chats[0]


async def test_another_model_is_sent_the_temperature_of_the_options() -> None:
    with OpenAIServer("seven") as server:
        async with connected(server, model="olmo-2", temperature=0.0) as llm:
            await llm.achat(QUESTION)
    assert server.chats[0]["temperature"] == 0.0


async def test_a_temperature_that_the_server_refuses_is_left_out_from_then_on() -> None:
    with OpenAIServer("seven", "eight", refuses=("temperature",)) as server:
        async with connected(server, model="my-deployment") as llm:
            texts = [(await llm.achat(QUESTION)).message.content for _ in range(2)]
    assert texts == ["seven", "eight"]
    assert ["temperature" in chat for chat in server.chats] == [True, False, False]


async def test_a_refused_temperature_costs_no_request_that_runs_beside_another() -> None:
    with OpenAIServer(answer=lambda _: Reply("seven", seconds=0.05), refuses=("temperature",)) as server:
        async with connected(server, model="my-deployment") as llm:
            replies = await asyncio.gather(llm.achat(QUESTION), llm.achat(QUESTION))
    assert [reply.message.content for reply in replies] == ["seven", "seven"]


async def test_a_fault_of_the_server_is_tried_again() -> None:
    with OpenAIServer(ErrorReply(500, retry_after=SOON), ErrorReply(429, retry_after=SOON), "seven") as server:
        async with connected(server) as llm:
            response = await llm.achat(QUESTION)
    assert response.message.content == "seven"
    assert len(server.chats) == 3


async def test_a_lasting_fault_is_tried_five_times_in_all() -> None:
    with OpenAIServer(answer=lambda _: ErrorReply(503, "overloaded", retry_after=SOON)) as server:
        async with connected(server) as llm:
            with pytest.raises(ProviderError, match=r"'any' at http://127.* failed with 503: overloaded"):
                await llm.achat(QUESTION)
    assert len(server.chats) == 5


async def test_a_wrong_key_is_tried_once_and_named_by_its_variable() -> None:
    with OpenAIServer("never sent", api_key="right") as server:
        async with connected(server, {"OPENAI_LIKE_API_KEY": "wrong-key"}) as llm:
            with pytest.raises(MissingKey, match="OPENAI_LIKE_API_KEY") as caught:
                await llm.achat(QUESTION)
    assert len(server.chats) == 1
    assert "wrong-key" not in str(caught.value)


@pytest.mark.parametrize(
    ("scripted", "error", "message"),
    [
        pytest.param(ErrorReply(403, "not yours"), SetupError, "not yours", id="forbidden"),
        pytest.param(ErrorReply(404, "no such model."), UsageError, "llm.model", id="unknown model"),
        pytest.param(ErrorReply(429, "slow down"), ProviderError, "slow down", id="rate limit"),
        pytest.param(ErrorReply(200, "slow down"), ProviderError, "slow down", id="rate limit in a success"),
        pytest.param(ErrorReply(400, "too long"), RequestRefused, "too long", id="bad request"),
        pytest.param(Break.RESET, ProviderError, "cannot be reached", id="reset"),
        pytest.param(Break.CUT_JSON, ProviderError, "broken answer", id="cut JSON"),
        pytest.param(Break.WEB_PAGE, ProviderError, "llm.api_base", id="web page"),
        pytest.param(Break.NO_CHOICES, StructuredOutputError, "empty reply", id="no choices"),
        pytest.param(Reply(refusal="I will not."), StructuredOutputError, "I will not.", id="refusal"),
    ],
)
async def test_a_failure_says_who_must_act(scripted: Scripted, error: type[Exception], message: str) -> None:
    with OpenAIServer(scripted) as server:
        async with connected(server, retries=0) as llm:
            with pytest.raises(error, match=message) as caught:
                await llm.achat(QUESTION)
    assert type(caught.value) is error
    assert "\n" not in str(caught.value)


async def test_an_error_in_place_of_a_reply_is_tried_again() -> None:
    with OpenAIServer(ErrorReply(200, "rate limit"), "All is well.") as server:
        async with connected(server, retries=1) as llm:
            reply = await llm.achat(QUESTION)
    assert reply.message.content == "All is well."


async def test_a_refused_response_format_is_an_error_of_its_own() -> None:
    with OpenAIServer(refuses=("response_format",)) as server:
        async with connected(server, retries=0) as llm:
            with pytest.raises(ResponseFormatRejected, match="response_format"):
                await llm.achat(QUESTION, response_format={"type": "json_object"})


async def test_a_silent_server_times_out() -> None:
    with OpenAIServer(Break.HANG) as server:
        async with connected(server, retries=0, timeout_seconds=0.1) as llm:
            with pytest.raises(ProviderError, match=r"did not answer within 0\.1 s"):
                await llm.achat(QUESTION)


async def test_a_server_that_is_not_there_is_named() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
    llm = build_llm(OpenAILikeLlmOptions(model="any", api_base=address), {}, retries=0)
    with pytest.raises(ProviderError, match=f"'any' at {address} cannot be reached"):
        await llm.achat(QUESTION)
    await llm.aclose()


async def test_no_more_requests_are_in_flight_than_allowed() -> None:
    with OpenAIServer(answer=lambda _: Reply("seven", seconds=0.02)) as server:
        async with connected(server, parallel=4) as llm:
            await asyncio.gather(*(llm.achat(QUESTION) for _ in range(25)))
    assert len(server.chats) == 25
    assert server.peak == 4


async def test_each_question_counts_its_own_usage() -> None:
    async def ask(llm: CompatOpenAI, times: int) -> Usage:
        with counting() as counter:
            await asyncio.gather(*(llm.achat(QUESTION) for _ in range(times)))
        return counter.usage

    with OpenAIServer(answer=lambda _: Reply("x", prompt_tokens=10, completion_tokens=3)) as server:
        async with connected(server) as llm:
            with counting() as both:
                one, two = await asyncio.gather(ask(llm, 1), ask(llm, 2))
    assert one == Usage(requests=1, prompt_tokens=10, completion_tokens=3, cost_usd=None)
    assert two == Usage(requests=2, prompt_tokens=20, completion_tokens=6, cost_usd=None)
    assert both.usage == one + two


def test_without_a_request_the_cost_is_nothing() -> None:
    with counting() as counter:
        pass
    assert counter.usage == Usage(requests=0, prompt_tokens=0, completion_tokens=0, cost_usd=0.0)


async def test_a_server_that_tells_no_usage_is_counted_as_a_request() -> None:
    with OpenAIServer(Reply("seven", prompt_tokens=None)) as server:
        async with connected(server) as llm:
            with counting() as counter:
                await llm.achat(QUESTION)
    assert counter.usage == Usage(requests=1, cost_usd=None)


async def test_a_synchronous_call_counts_and_fails_like_an_awaited_one() -> None:
    with OpenAIServer("seven", ErrorReply(401)) as server:
        async with connected(server) as llm:
            with counting() as counter:
                assert llm.chat(QUESTION).message.content == "seven"
            with pytest.raises(MissingKey):
                llm.chat(QUESTION)
    assert counter.usage.requests == 1


def test_one_model_serves_several_event_loops() -> None:
    async def ask(llm: CompatOpenAI) -> str | None:
        response = await llm.achat(QUESTION)
        await llm.aclose()
        return response.message.content

    with OpenAIServer("one", "two", "three") as server:
        llm = build_llm(OpenAILikeLlmOptions(model="any", api_base=server.api_base), {})
        assert [asyncio.run(ask(llm)) for _ in range(2)] == ["one", "two"]
        loop = BackgroundLoop()
        assert loop.run(ask(llm)) == "three"
        loop.close()


def openai_like(**fields: Any) -> OpenAILikeLlmOptions:
    return OpenAILikeLlmOptions(**{"model": "m", **fields})


ALL_KEYS = {
    "OPENAI_API_KEY": "openai-key",
    "OPENAI_LIKE_API_KEY": "own-key",
    "DASHSCOPE_API_KEY": "qwen-key",
    "GEMINI_API_KEY": "gemini-key",
    "AZURE_OPENAI_API_KEY": "azure-key",
    "AZURE_OPENAI_ENDPOINT": "https://us.openai.azure.com/",
}


@pytest.mark.parametrize(
    ("options", "address", "key"),
    [
        (OpenAILlmOptions(), "https://api.openai.com/v1", "openai-key"),
        (OpenAILlmOptions(api_base="https://proxy.example/v1"), "https://proxy.example/v1", "openai-key"),
        (openai_like(api_base="https://else.example/v1"), "https://else.example/v1", "own-key"),
        (openai_like(preset="qwen"), "https://dashscope.aliyuncs.com/compatible-mode/v1", "qwen-key"),
        (
            openai_like(preset="qwen", api_base="https://dashscope-intl.aliyuncs.com/compatible-mode/v1"),
            "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
            "qwen-key",
        ),
        (openai_like(preset="gemini"), "https://generativelanguage.googleapis.com/v1beta/openai", "gemini-key"),
        (openai_like(preset="azure"), "https://us.openai.azure.com/openai/v1", "azure-key"),
        (openai_like(preset="vllm"), "http://127.0.0.1:8000/v1", "own-key"),
        (openai_like(preset="llama_cpp"), "http://127.0.0.1:8080/v1", "own-key"),
        (openai_like(preset="ollama"), "http://127.0.0.1:11434/v1", "own-key"),
    ],
    ids=lambda value: "" if isinstance(value, str) else f"{getattr(value, 'preset', value.kind)}-{value.api_base}",
)
def test_every_provider_gets_its_own_key(
    options: OpenAILlmOptions | OpenAILikeLlmOptions, address: str, key: str
) -> None:
    endpoint = endpoint_of(options, ALL_KEYS)
    assert (endpoint.address, endpoint.key) == (address, key)


async def test_what_the_environment_holds_for_openai_never_reaches_another_host(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    secrets = {
        "OPENAI_API_KEY": "secret-key",
        "OPENAI_ADMIN_KEY": "secret-admin",
        "OPENAI_ORG_ID": "secret-org",
        "OPENAI_PROJECT_ID": "secret-project",
        "OPENAI_CUSTOM_HEADERS": "x-gateway: secret-header",
        "OPENAI_API_BASE": "https://else.example/v1",
        "HTTP_PROXY": "http://127.0.0.1:9",  # a proxy must not see what is meant for this machine
    }
    for name, value in secrets.items():
        monkeypatch.setenv(name, value)
    with OpenAIServer("seven") as server:
        llm = build_llm(OpenAILikeLlmOptions(model="any", api_base=server.api_base), retries=0)
        await llm.achat(QUESTION)
        await llm.aclose()
    assert server.requests[0].key == "none"
    assert "secret" not in str(server.requests[0].headers)
    assert llm.api_base == server.api_base


def test_the_key_is_in_no_trace_of_the_model() -> None:
    llm = build_llm(OpenAILlmOptions(), ALL_KEYS)
    assert "openai-key" not in f"{llm!r} {llm.to_dict()} {llm.model_dump()}"


def test_openai_without_a_key_says_which_variable_to_set() -> None:
    with pytest.raises(MissingKey, match="export OPENAI_API_KEY="):
        build_llm(OpenAILlmOptions(), {"OPENAI_API_KEY": "  "})


async def test_openai_on_this_machine_needs_no_key() -> None:
    with OpenAIServer("seven") as server:
        llm = build_llm(OpenAILlmOptions(api_base=server.api_base), {})
        await llm.achat(QUESTION)
        await llm.aclose()
    assert server.requests[0].key == "none"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        pytest.param(openai_like(), UsageError, "llm.api_base", id="no address"),
        pytest.param(openai_like(preset="azure"), UsageError, "AZURE_OPENAI_ENDPOINT", id="no Azure endpoint"),
        pytest.param(openai_like(preset="ollama", model=""), UsageError, "llm.model", id="no model"),
        pytest.param(openai_like(api_base="127.0.0.1:80"), UsageError, "is no address", id="no scheme"),
        pytest.param(openai_like(preset="gemini"), MissingKey, "GEMINI_API_KEY", id="no Gemini key"),
        pytest.param(openai_like(preset="ollama", model="gpt-5.2-pro"), UsageError, "Responses API", id="pro"),
        pytest.param(WatsonxLlmOptions(), UsageError, "WATSONX_URL", id="no watsonx region"),
    ],
)
def test_a_wrong_set_up_is_told_before_the_first_request(
    options: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        build_llm(options, {})
