"""watsonx as a model: its token, its form, its errors, and a question answered by it."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest
from llama_index.core.base.llms.types import ChatMessage
from pydantic import BaseModel

from app.command_line import run
from app.readiness import examine, hosts_of, needs
from app.settings import load_settings
from prompts.answers.assemble import Message
from query_engines.events import AnalysisWritten, Event, listening, step
from query_engines.llm.client import CompatOpenAI, build_llm
from query_engines.llm.connection import IamAuth
from query_engines.llm.structured import CascadeProgram
from query_engines.llm.usage import counting
from query_engines.options import WatsonxLlmOptions
from storage.errors import MissingKey, ProviderError, SetupError, UsageError
from tests.support.doubles.openai_server import ErrorReply, Reply, Scripted
from tests.support.doubles.watsonx_server import CHAT, STREAM, TOKEN, WatsonxServer
from tests.support.samples import OSTERMERE, draft, known_fact

QUESTION = [ChatMessage(role="system", content="Be brief."), ChatMessage(role="user", content="How much?")]
MODEL = "meta-llama/llama-3-3-70b-instruct"
IBM = {"WATSONX_APIKEY": "k", "WATSONX_URL": "https://eu-de.ml.cloud.ibm.com", "WATSONX_PROJECT_ID": "p"}


class Form(BaseModel):
    step_by_step_analysis: str
    final_answer: float


WHOLE = json.dumps({"step_by_step_analysis": "Revenue stands on page 9. " * 20, "final_answer": 7.5})


def model(server: WatsonxServer, retries: int = 0, **options: Any) -> CompatOpenAI:
    return build_llm(WatsonxLlmOptions(**options), server.environment, retries=retries)


async def ask(server: WatsonxServer, count: int = 1, **options: Any) -> list[str | None]:
    llm = model(server, **options)
    try:
        replies = await asyncio.gather(*(llm.achat(QUESTION) for _ in range(count)))
    finally:
        await llm.aclose()
    return [reply.message.content for reply in replies]


async def watch(server: WatsonxServer, retries: int = 0) -> tuple[Form, list[str]]:
    """The form and the texts shown until it was filled in."""
    llm = model(server, retries)
    shown: list[Event] = []

    def build(*, with_schema: bool, **_: Any) -> Sequence[Message]:
        return (Message(role="user", content="Fill in the form." if with_schema else "Answer."),)

    with listening(shown.append), step("answer", "Answering"):
        filled = await CascadeProgram(llm, Form, build).acall()
    await llm.aclose()
    return filled, [event.text for event in shown if isinstance(event, AnalysisWritten)]


async def test_a_request_has_watsonx_s_form_and_its_usage_is_counted() -> None:
    with WatsonxServer("seven") as server, counting() as counter:
        assert await ask(server) == ["seven"]
    token, chat = server.requests
    assert (token.path, token.headers["content-type"]) == (TOKEN, "application/x-www-form-urlencoded")
    assert (chat.path, chat.key) == (CHAT, "token-1")
    assert chat.body == {
        "model_id": MODEL,
        "project_id": "a-project",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "How much?"}],
        "max_completion_tokens": 0,
        "temperature": 0.0,
    }
    assert (counter.usage.requests, counter.usage.prompt_tokens, counter.usage.completion_tokens) == (1, 11, 7)
    assert counter.usage.cost_usd is None


async def test_a_space_and_a_limit_go_with_the_request_where_they_are_set() -> None:
    with WatsonxServer("seven") as server:
        environment = {**server.environment, "WATSONX_PROJECT_ID": "", "WATSONX_SPACE_ID": "a-space"}
        llm = build_llm(WatsonxLlmOptions(max_tokens=900), environment, retries=0)
        await llm.achat(QUESTION)
        await llm.aclose()
    (body,) = server.chats
    assert (body["space_id"], body["max_completion_tokens"], "project_id" in body) == ("a-space", 900, False)


async def test_many_requests_at_once_share_one_token() -> None:
    with WatsonxServer(answer=lambda _: Reply("seven", seconds=0.05)) as server:
        assert await ask(server, 12) == ["seven"] * 12
    assert server.given == 1


async def test_a_refused_token_is_replaced_once_for_all() -> None:
    with WatsonxServer(answer=lambda _: "seven") as server:
        llm = model(server)
        await llm.achat(QUESTION)
        server.expire_tokens()
        await asyncio.gather(*(llm.achat(QUESTION) for _ in range(6)))
        await llm.aclose()
    assert server.given == 2
    assert [request.key for request in server.requests][-1] == "token-2"


async def test_a_token_is_replaced_before_it_expires() -> None:
    times = iter([0.0, 2879.0, 2881.0, 2881.0])  # each look at the clock; a token lives for an hour
    with WatsonxServer(key="k") as server:
        async with httpx.AsyncClient(auth=IamAuth("k", server.iam, clock=lambda: next(times))) as client:
            keys = [(await client.get(server.root)).request.headers["authorization"] for _ in range(3)]
    assert keys == ["Bearer token-1", "Bearer token-1", "Bearer token-2"]


async def test_the_analysis_is_streamed_from_watsonx_s_own_address() -> None:
    with WatsonxServer(Reply(WHOLE, seconds_per_chunk=0.004)) as server, counting() as counter:
        filled, texts = await watch(server)
    assert filled.final_answer == 7.5
    assert len(texts) > 1
    assert server.requests[-1].path == STREAM
    assert {"stream", "stream_options", "model"}.isdisjoint(server.chats[0])
    assert server.chats[0]["response_format"]["json_schema"]["name"] == "Form"
    assert counter.usage.completion_tokens == 7


@pytest.mark.parametrize(
    ("cut", "then"),
    [(Reply(WHOLE, ends_early=True), CHAT), (Reply(WHOLE, cut_after=9), STREAM)],
    ids=["ends without its end", "reset"],
)
async def test_a_stream_that_is_cut_is_asked_for_again(cut: Reply, then: str) -> None:
    with WatsonxServer(cut, WHOLE) as server:
        filled, _ = await watch(server, retries=2)
    assert filled.final_answer == 7.5
    assert [request.path for request in server.requests if request.path != TOKEN] == [STREAM, then]


@pytest.mark.parametrize(
    ("reason", "known"), [("time_limit", "length"), ("stop", "stop"), ("length", "length"), ("eos_token", "stop")]
)
async def test_a_reply_s_end_is_understood_in_watsonx_s_words(reason: str, known: str) -> None:
    with WatsonxServer(Reply("x", finish_reason=reason)) as server:
        llm = model(server)
        reply = await llm.achat(QUESTION)
        await llm.aclose()
    assert reply.additional_kwargs["finish_reason"] == known


async def test_a_reply_that_the_server_broke_off_is_asked_for_again() -> None:
    with WatsonxServer(Reply("sev", finish_reason="error"), "seven") as server:
        llm = model(server, retries=1)
        assert (await llm.achat(QUESTION)).message.content == "seven"
        await llm.aclose()


@pytest.mark.parametrize(
    ("failure", "attempts"),
    [
        (ErrorReply(500), 3),
        (ErrorReply(503, "Try again later.", retry_after=0.01), 3),
        (ErrorReply(429, "slow down", retry_after=0.01, code="rate_limit_reached_requests"), 3),
        (ErrorReply(403, "Request of 1 token(s) from quota was rejected", code="token_quota_reached"), 1),
        (ErrorReply(403, "no access to the project", code="authorization_rejected"), 1),
        (ErrorReply(404, "Model 'x' was not found.", code="model_not_supported"), 1),
        (ErrorReply(400, "the prompt is too long", code="invalid_input_argument"), 1),
    ],
)
async def test_only_what_may_mend_is_tried_again_and_by_the_rate_limiter_alone(
    failure: ErrorReply, attempts: int
) -> None:
    with WatsonxServer(answer=lambda _: failure) as server:
        llm = model(server, retries=2)
        with pytest.raises((ProviderError, SetupError, UsageError)):
            await llm.achat(QUESTION)
        await llm.aclose()
    assert (len(server.chats), server.given) == (attempts, 1)


@pytest.mark.parametrize(
    ("scripted", "error", "message"),
    [
        (
            ErrorReply(403, "quota was rejected", code="token_quota_reached"),
            ProviderError,
            "takes no more.*quota was rej",
        ),
        (
            ErrorReply(403, "no access", code="authorization_rejected"),
            SetupError,
            "does not allow this: no access",
        ),
        (ErrorReply(404, "no 'x'", code="model_not_supported"), UsageError, r"no 'x' Check llm\.model"),
        (
            ErrorReply(400, "too long", code="invalid_input_argument"),
            ProviderError,
            "refused the request: too long",
        ),
        (ErrorReply(401, "no", code="user_authorization_failed"), MissingKey, "WATSONX_APIKEY"),
        (ErrorReply(500, "oh"), ProviderError, "failed with 500: oh"),
    ],
)
async def test_watsonx_s_errors_are_told_in_its_words(
    scripted: Scripted, error: type[Exception], message: str
) -> None:
    with WatsonxServer(scripted, scripted) as server, pytest.raises(error, match=message) as caught:
        await ask(server)
    assert "ibm-key" not in str(caught.value)


async def test_a_key_that_iam_does_not_know_is_told_and_never_sent_to_the_model() -> None:
    with WatsonxServer(key="another") as server:
        llm = build_llm(WatsonxLlmOptions(), {**server.environment, "WATSONX_APIKEY": "wrong"}, retries=2)
        with pytest.raises(MissingKey, match="IAM gives no token for the key in WATSONX_APIKEY: Provided API key"):
            await llm.achat(QUESTION)
        await llm.aclose()
    assert [request.path for request in server.requests] == [TOKEN]


async def test_a_token_service_that_fails_for_a_moment_costs_an_attempt() -> None:
    with WatsonxServer("seven", iam=(ErrorReply(503, "busy"), ErrorReply(429, "busy"))) as server:
        llm = model(server, retries=2)
        assert (await llm.achat(QUESTION)).message.content == "seven"
        await llm.aclose()
    assert [request.path for request in server.requests] == [TOKEN, TOKEN, TOKEN, CHAT]


@pytest.mark.parametrize(
    ("environment", "error", "message"),
    [
        ({}, UsageError, "WATSONX_URL"),
        ({"WATSONX_URL": "us-south"}, UsageError, "is no address"),
        ({**IBM, "WATSONX_APIKEY": ""}, MissingKey, "WATSONX_APIKEY"),
        ({**IBM, "WATSONX_PROJECT_ID": " "}, MissingKey, "WATSONX_PROJECT_ID"),
    ],
)
def test_what_watsonx_lacks_is_told_before_the_first_request(
    environment: dict[str, str], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        build_llm(WatsonxLlmOptions(), environment)


def test_profiles_and_the_doctor_say_what_is_missing_and_where_pages_go(tmp_path: Path) -> None:
    settings = load_settings("ibm_llama70b", environment={})
    missing = ("the key WATSONX_APIKEY", "WATSONX_URL", "WATSONX_PROJECT_ID or WATSONX_SPACE_ID")
    assert needs(settings, {}) == missing
    assert needs(settings, IBM) == ()
    assert needs(settings, {**IBM, "WATSONX_APIKEY": "", "WATSONX_API_KEY": "k"}) == ()
    assert hosts_of(settings, IBM) == ("eu-de.ml.cloud.ibm.com",)
    details = [
        f.detail for f in examine("ibm_llama70b", (), tmp_path, IBM) if f.what == "pages leave this machine"
    ]
    assert details == [
        "llm.kind=watsonx sends each question and the pages found for it to https://eu-de.ml.cloud.ibm.com"
    ]


@pytest.mark.parametrize("profile", ["ibm_llama70b", "ibm_llama8b", "ibm_llama70b_big_context"])
def test_a_question_is_answered_by_watsonx_over_an_index_built_offline(
    sample_data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], profile: str
) -> None:
    def reply(body: dict[str, Any]) -> Scripted:
        form = body["response_format"]["json_schema"]["schema"]["properties"]
        return draft() if "final_answer" in form else {"judgements": []}

    with WatsonxServer(answer=reply) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        question = f"What was the total revenue of {OSTERMERE}?"
        command = ["ask", question, "--kind", "number", "--profile", profile, "--data", str(sample_data)]
        assert run([*command, "--no-cache", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["value"] == known_fact(OSTERMERE, "Total revenue")["value"]
    assert {check["verdict"] for check in printed["checks"]} <= {"passed", "not_applicable"}
    assert printed["usage"]["requests"] == len(server.chats) >= 1
    assert (
        2_000 < server.chats[0]["max_completion_tokens"] < 4096
    )  # what its form needs, below the profile's limit
    assert server.given == 1
