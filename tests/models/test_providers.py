"""What each provider is sent, held to a double that takes nothing else; what it costs; what its profiles lack."""

import asyncio
import subprocess
import sys
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage

from app.readiness import needs, profile_states
from app.settings import load_settings
from indexes.options import OpenAIEmbeddingOptions, OpenAILikeEmbeddingOptions
from query_engines.llm.client import build_llm
from query_engines.llm.connection import access
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.llm.hosted import HostedEmbedding, build_hosted_embedding
from query_engines.llm.providers import OPENAI, PRESETS, SELF_HOSTED, Tokens, endpoint_of, price_of
from query_engines.llm.streaming import AnalysisWatcher, _watcher
from query_engines.llm.usage import counting
from query_engines.options import OpenAILikeLlmOptions, OpenAILlmOptions
from storage.errors import BudgetSpent, MissingKey, ProviderError, UsageError
from storage.records.answers import Usage
from tests.support.doubles.openai_server import Dialect, ErrorReply, OpenAIServer, Reply, embed
from tests.support.waiting import PATIENCE

QUESTION = [ChatMessage(role="system", content="Be brief."), ChatMessage(role="user", content="How much?")]
FORM: dict[str, Any] = {
    "type": "json_schema",
    "json_schema": {
        "name": "Form",
        "strict": True,
        "schema": {"type": "object", "properties": {}, "required": [], "additionalProperties": False},
    },
}
DATED = "/openai/deployments/m"
AZURE = {"preset": "azure", "key": "AZURE_OPENAI_API_KEY"}
# Preset, what is added to the server's root for llm.api_base, and how the provider speaks.
DIALECTS: dict[str, tuple[dict[str, str], str, Dialect]] = {
    "openai": ({"key": "OPENAI_API_KEY"}, "/v1", Dialect()),
    "any": ({"key": "OPENAI_LIKE_API_KEY"}, "/v1", Dialect()),
    "qwen": (
        {"preset": "qwen", "key": "DASHSCOPE_API_KEY"},
        "/compatible-mode/v1",
        Dialect("/compatible-mode/v1", texts=10),
    ),
    "gemini": (
        {"preset": "gemini", "key": "GEMINI_API_KEY"},
        "/v1beta/openai",
        Dialect("/v1beta/openai", texts=100),
    ),
    "azure": (AZURE, "", Dialect("/openai/v1", key_header="api-key")),
    "azure, its v1 address": (AZURE, "/openai/v1/", Dialect("/openai/v1", key_header="api-key")),
    "azure, dated": (
        {**AZURE, "api_version": "2024-10-21"},
        "/",
        Dialect(DATED, query="api-version=2024-10-21", key_header="api-key"),
    ),
    "vllm": ({"preset": "vllm", "key": "OPENAI_LIKE_API_KEY"}, "/v1", Dialect()),
    "llama_cpp": ({"preset": "llama_cpp", "key": "OPENAI_LIKE_API_KEY"}, "/v1", Dialect()),
    "ollama": ({"preset": "ollama", "key": "OPENAI_LIKE_API_KEY"}, "/v1", Dialect()),
}
NEW_NAME_OF_LIMIT = {name for name in DIALECTS if name.startswith(("openai", "azure"))}
each_provider = pytest.mark.parametrize("name", DIALECTS)


def options(name: str, server: OpenAIServer, **more: Any) -> OpenAILlmOptions | OpenAILikeLlmOptions:
    chosen, path, _ = DIALECTS[name]
    kind = OpenAILlmOptions if name == "openai" else OpenAILikeLlmOptions
    given = {k: v for k, v in chosen.items() if k != "key"}
    return kind(**{"model": "m", "api_base": server.root + path, **given, **more})


@each_provider
@pytest.mark.parametrize("model", ["m", "o3-mini"])
async def test_a_chat_request_has_the_provider_s_form(name: str, model: str) -> None:
    chosen, _, dialect = DIALECTS[name]
    if dialect.base == DATED:
        dialect = Dialect(f"/openai/deployments/{model}", dialect.query, dialect.key_header)
    with OpenAIServer("seven", api_key="its-key", dialect=dialect) as server:
        llm = build_llm(options(name, server, model=model, max_tokens=900), {chosen["key"]: "its-key"}, retries=0)
        reply = await llm.achat(QUESTION, response_format=FORM)
        await llm.aclose()
    (body,) = server.chats
    limit = "max_completion_tokens" if name in NEW_NAME_OF_LIMIT or model == "o3-mini" else "max_tokens"
    rules = "developer" if model == "o3-mini" else "system"  # OpenAI's name for it since its reasoning models
    assert reply.message.content == "seven"
    assert body == {
        "model": model,
        "messages": [{"role": rules, "content": "Be brief."}, {"role": "user", "content": "How much?"}],
        "response_format": FORM,
        "stream": False,
        limit: 900,
        **({} if model == "o3-mini" else {"temperature": 0.0}),
    }


@each_provider
async def test_a_streamed_request_asks_for_the_usage(name: str) -> None:
    chosen, _, dialect = DIALECTS[name]
    with OpenAIServer("seven", api_key="its-key", dialect=dialect) as server:
        llm = build_llm(options(name, server), {chosen["key"]: "its-key"}, retries=0)
        token = _watcher.set(AnalysisWatcher(lambda _: None))
        with counting() as counter:
            reply = await llm.achat(QUESTION)
        _watcher.reset(token)
        await llm.aclose()
    assert reply.message.content == "seven"
    assert (counter.usage.prompt_tokens, counter.usage.completion_tokens) == (11, 7)
    assert (server.chats[0]["stream"], server.chats[0]["stream_options"]) == (True, {"include_usage": True})


def embedding(name: str, server: OpenAIServer, environment: dict[str, str], **more: Any) -> HostedEmbedding:
    chosen, path, _ = DIALECTS[name]
    given = {k: v for k, v in chosen.items() if k != "key"}
    kind = OpenAIEmbeddingOptions if name == "openai" else OpenAILikeEmbeddingOptions
    made = kind(**{"model": "m", "api_base": server.root + path, **given, **more})
    return build_hosted_embedding(made, access(OpenAILlmOptions(), BackgroundLoop(), environment))


@each_provider
def test_embeddings_have_the_provider_s_form_and_keep_their_order(name: str) -> None:
    chosen, _, dialect = DIALECTS[name]
    texts = [f"text {number}" for number in range(25)]
    with OpenAIServer(api_key="its-key", dialect=dialect) as server:
        model = embedding(name, server, {chosen["key"]: "its-key"}, batch=12)
        vectors = model.get_text_embedding_batch(texts)
        (vector,) = [model.get_query_embedding("How much?")]
        asyncio.run(model.aclose())
    size = min(12, dialect.texts)
    assert vectors == [pytest.approx(embed(text, 64)) for text in texts]
    assert vector == pytest.approx(embed("How much?", 64))
    bodies = [request.body for request in server.requests]
    assert [len(body["input"]) for body in bodies[:-1]].count(size) == 25 // size
    assert all(set(body) == {"model", "input", "encoding_format"} for body in bodies)
    assert {body["encoding_format"] for body in bodies} == {"float"}


def test_embeddings_are_tried_again_counted_and_priced() -> None:
    failures = (ErrorReply(500, retry_after=0.01), ErrorReply(429, retry_after=0.01))
    with OpenAIServer(embeddings=failures) as server:
        model = embedding("openai", server, {}, model="text-embedding-3-large")
        with counting() as counter:
            model.get_query_embedding("one two three four")
        asyncio.run(model.aclose())
    assert len(server.requests) == 3
    assert (counter.usage.requests, counter.usage.prompt_tokens) == (1, 4)
    assert counter.usage.cost_usd == pytest.approx(4 * 0.13e-6)


def test_embeddings_keep_to_the_budget_of_the_client() -> None:
    with OpenAIServer() as server:
        given = OpenAIEmbeddingOptions(api_base=server.api_base, usd_per_million=1e6)  # a dollar a token
        shared = access(OpenAILlmOptions(budget_usd=3.5), BackgroundLoop(), {})
        model = build_hosted_embedding(given, shared)
        model.get_query_embedding("one two")
        with pytest.raises(BudgetSpent, match=r"\$2\.0000 spent on 1 requests"):
            model.get_query_embedding("three four")
        asyncio.run(model.aclose())
    assert len(server.requests) == 1


def test_a_failed_embedding_says_where_to_look() -> None:
    with OpenAIServer(embeddings=(ErrorReply(404, "no such model"), ErrorReply(400, "too long"))) as server:
        model = embedding("any", server, {})
        with pytest.raises(UsageError, match=r"Check embedding\.model, embedding\.api_base"):
            model.get_query_embedding("x")
        with pytest.raises(ProviderError, match="too long"):
            model.get_query_embedding("x")
        asyncio.run(model.aclose())


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"kind": "openai_like", "model": "m"}, UsageError, "embedding.api_base"),
        ({"kind": "openai_like", "model": "m", "preset": "azure"}, UsageError, "AZURE_OPENAI_ENDPOINT"),
        ({"kind": "openai_like", "model": "m", "preset": "qwen"}, MissingKey, "DASHSCOPE_API_KEY"),
        ({"kind": "openai"}, MissingKey, "OPENAI_API_KEY"),
    ],
)
def test_an_embedding_that_cannot_be_asked_says_what_is_missing(
    given: dict[str, str], error: type[Exception], message: str
) -> None:
    made = OpenAIEmbeddingOptions if given["kind"] == "openai" else OpenAILikeEmbeddingOptions
    with pytest.raises(error, match=message):
        build_hosted_embedding(made(**given), access(OpenAILlmOptions(), BackgroundLoop(), {}))


def test_azure_s_usual_variables_are_read() -> None:
    environment = {
        "AZURE_OPENAI_ENDPOINT": "https://us.openai.azure.com/",
        "AZURE_OPENAI_API_KEY": "k",
        "OPENAI_API_VERSION": "2024-10-21",
    }
    found = endpoint_of(OpenAILikeLlmOptions(preset="azure", model="my gpt"), environment)
    assert found.address == "https://us.openai.azure.com/openai/deployments/my%20gpt"
    assert (found.query, found.key_header) == ({"api-version": "2024-10-21"}, "api-key")
    assert "'k'" not in repr(found)


MILLION = Tokens(1_000_000, 1_000_000)


@pytest.mark.parametrize(
    ("provider", "model", "cost"),
    [
        (OPENAI, "gpt-4o-mini", 0.75),
        (OPENAI, "gpt-4o-mini-2024-07-18", 0.75),
        (OPENAI, "gpt-4o-2024-05-13", 20.0),
        (OPENAI, "gpt-4o-2024-08-06", 12.5),
        (OPENAI, "text-embedding-3-large", 0.13),
        (OPENAI, "gpt-99", None),
        (OPENAI, "whisper-1", None),  # sold by the hour, not by the token
        (PRESETS["gemini"], "gemini-2.0-flash", 0.50),
        (PRESETS["gemini"], "gemini-2.5-pro", 17.5),  # the price of a prompt beyond 200,000 tokens
        (PRESETS["gemini"], "gpt-4o-mini", None),
        (PRESETS["qwen"], "qwen-plus-latest", None),
        (PRESETS["azure"], "gpt-4o-mini", None),
        (PRESETS["ollama"], "qwen3:8b", 0.0),
        (PRESETS["vllm"], "any", 0.0),
        (PRESETS["llama_cpp"], "any", 0.0),
        (SELF_HOSTED, "gpt-4o-mini", None),
    ],
)
def test_a_model_costs_its_list_price_or_an_unknown_one(provider: Any, model: str, cost: float | None) -> None:
    price = price_of(provider, model)
    assert (price and price.of(MILLION)) == (cost and pytest.approx(cost))
    assert (price is None) == (cost is None)


def test_prices_of_the_settings_go_before_the_list() -> None:
    assert price_of(SELF_HOSTED, "any", 1.0) is None
    half_cached = Tokens(1_000_000, 1_000_000, cached=500_000)
    for provider, model, prompt, completion, cost in (
        (SELF_HOSTED, "any", 1.0, 2.0, 3.0),
        (OPENAI, "gpt-4o", None, 3.0, 0.5 * 2.5 + 0.5 * 1.25 + 3.0),
        (OPENAI, "gpt-4o", 1.0, None, 1.0 + 10.0),  # a given price is that of cached tokens, too
        (PRESETS["vllm"], "any", 0.5, None, 0.5),
    ):
        price = price_of(provider, model, prompt, completion)
        assert price is not None
        assert price.of(half_cached) == pytest.approx(cost)


def test_cached_tokens_without_a_price_of_their_own_cost_what_others_do() -> None:
    price = price_of(OPENAI, "gpt-4o-2024-05-13")
    assert price is not None
    assert price.of(Tokens(1_000_000, cached=1_000_000)) == pytest.approx(5.0)


def test_the_price_list_is_not_imported_before_a_model_is_paid_for() -> None:
    code = "import sys, app, query_engines.llm.connection; sys.exit('genai_prices' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=PATIENCE).returncode == 0


def used(completion_tokens: int, cost_usd: float) -> Usage:
    return Usage(requests=1, prompt_tokens=1000, completion_tokens=completion_tokens, cost_usd=cost_usd)


@pytest.mark.parametrize(
    ("reply", "usage"),
    [
        (Reply("x", prompt_tokens=1000, completion_tokens=100), used(100, 0.00021)),
        (Reply("x", prompt_tokens=1000, completion_tokens=100, cached_tokens=400), used(100, 0.00018)),
        (Reply("x", prompt_tokens=1000, completion_tokens=100, total_tokens=1500), used(500, 0.00045)),
        (Reply("x", prompt_tokens=None), Usage(requests=1, cost_usd=None)),
    ],
    ids=["plain", "cached at half price", "reasoning in the total alone", "not told"],
)
async def test_a_request_s_tokens_are_priced(reply: Reply, usage: Usage) -> None:
    with OpenAIServer(reply) as server:
        llm = build_llm(OpenAILlmOptions(api_base=server.api_base), {}, retries=0)
        with counting() as counter:
            await llm.achat(QUESTION)
        await llm.aclose()
    assert counter.usage.model_copy(update={"cost_usd": None}) == usage.model_copy(update={"cost_usd": None})
    assert counter.usage.cost_usd == (usage.cost_usd and pytest.approx(usage.cost_usd))


OPENAI_KEY, DASHSCOPE_KEY = "the key OPENAI_API_KEY", "the key DASHSCOPE_API_KEY"
GEMINI_KEY = "the key GEMINI_API_KEY"
WATSONX = ("the key WATSONX_APIKEY", "WATSONX_URL", "WATSONX_PROJECT_ID or WATSONX_SPACE_ID")
LACKS: dict[str, tuple[str, ...]] = {
    "offline": (),
    "openai": (OPENAI_KEY,),
    "base": (OPENAI_KEY,),
    "pdr": (OPENAI_KEY,),
    "max": (OPENAI_KEY,),
    "max_no_ser_tab": (OPENAI_KEY,),
    "max_nst_o3m": (OPENAI_KEY,),
    "max_st_o3m": (OPENAI_KEY,),
    "max_nst_o3m_big_context": (OPENAI_KEY,),
    "ibm_llama70b": WATSONX,
    "ibm_llama8b": WATSONX,
    "ibm_llama70b_big_context": WATSONX,
    "gemini_thinking": (OPENAI_KEY, GEMINI_KEY),
    "gemini_flash": (OPENAI_KEY, GEMINI_KEY),
    "gemini_thinking_big_context": (OPENAI_KEY, GEMINI_KEY),
    "qwen": (DASHSCOPE_KEY,),
    "ollama": (),
    "local": ("a language model (`pageproof model list`)",),
}


def test_every_profile_says_which_key_or_part_it_lacks() -> None:
    assert {state.name: state.needs for state in profile_states({})} == LACKS


def test_a_model_that_only_judges_pages_needs_its_key_too() -> None:
    settings = load_settings("offline", ["rerank.kind=llm"], environment={})
    assert needs(settings, {}) == (OPENAI_KEY,)
