"""The double, asked by OpenAI's own client."""

import contextlib
from collections.abc import Iterator
from typing import Any

import openai
import pytest

from tests.support.doubles.openai_server import Break, ErrorReply, OpenAIServer, Reply

REQUEST: dict[str, Any] = {"model": "any", "messages": [{"role": "user", "content": "How much?"}]}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"answer": {"type": "number"}},
    "required": ["answer"],
    "additionalProperties": False,
}


def response_format(schema: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "Sum", "strict": True, "schema": schema, **changes}}


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer(dimension=8) as server:
        yield server


@pytest.fixture
def client(server: OpenAIServer) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=server.api_base, api_key="a-key", max_retries=0) as client:
        yield client


def test_replies_come_in_the_order_of_the_script(server: OpenAIServer, client: openai.OpenAI) -> None:
    server.say("first", {"answer": 7})
    texts = [client.chat.completions.create(**REQUEST).choices[0].message.content for _ in range(2)]
    assert texts == ["first", '{"answer": 7}']
    assert [chat["messages"] for chat in server.chats] == [REQUEST["messages"]] * 2
    assert [request.key for request in server.requests] == ["a-key", "a-key"]


def test_a_callable_answers_from_the_request() -> None:
    with (
        OpenAIServer(answer=lambda body: body["messages"][-1]["content"].upper()) as server,
        openai.OpenAI(base_url=server.api_base, api_key="a-key") as client,
    ):
        assert client.chat.completions.create(**REQUEST).choices[0].message.content == "HOW MUCH?"


def test_a_callable_that_fails_is_told_at_the_end() -> None:
    def answer(_: dict[str, Any]) -> str:
        raise KeyError("a mistake in the test")

    def ask(server: OpenAIServer) -> None:
        client = openai.OpenAI(base_url=server.api_base, api_key="a-key", max_retries=0)
        with server, client, contextlib.suppress(openai.APIConnectionError):
            client.chat.completions.create(**REQUEST)

    with pytest.raises(KeyError, match="a mistake in the test"):
        ask(OpenAIServer(answer=answer))


def test_a_schema_in_the_strict_form_is_accepted(server: OpenAIServer, client: openai.OpenAI) -> None:
    server.say({"answer": 7})
    completion = client.chat.completions.create(**REQUEST, response_format=response_format(SCHEMA))
    assert completion.choices[0].message.content == '{"answer": 7}'


@pytest.mark.parametrize(
    "form",
    [
        pytest.param(response_format(SCHEMA, strict=False), id="not strict"),
        pytest.param(response_format(SCHEMA, name="two words"), id="a name with a space"),
        pytest.param(response_format({**SCHEMA, "additionalProperties": True}), id="an open object"),
        pytest.param(response_format({**SCHEMA, "required": []}), id="an optional property"),
        pytest.param(
            response_format({**SCHEMA, "properties": {"answer": {"type": "number", "default": 0}}}), id="a default"
        ),
        pytest.param(
            response_format({**SCHEMA, "properties": {"answer": {"$ref": "#/$defs/A", "description": "x"}}}),
            id="a reference with a description",
        ),
        pytest.param(
            response_format({**SCHEMA, "$defs": {"A": {"type": "object", "properties": {}}}}),
            id="an open definition",
        ),
    ],
)
def test_a_schema_outside_the_strict_form_is_refused(
    server: OpenAIServer, client: openai.OpenAI, form: dict[str, Any]
) -> None:
    server.say("never sent")
    with pytest.raises(openai.BadRequestError, match="response_format"):
        client.chat.completions.create(**REQUEST, response_format=form)


def test_with_tools_the_reply_goes_into_the_call(server: OpenAIServer, client: openai.OpenAI) -> None:
    server.say({"answer": 7})
    tool: Any = {"type": "function", "function": {"name": "Sum", "parameters": SCHEMA}}
    choice = client.chat.completions.create(**REQUEST, tools=[tool]).choices[0]
    call: Any = (choice.message.tool_calls or [])[0]
    assert (choice.finish_reason, call.function.name) == ("tool_calls", "Sum")
    assert call.function.arguments == '{"answer": 7}'


@pytest.mark.parametrize("with_usage", [True, False])
def test_a_streamed_reply_comes_in_pieces_and_ends_with_usage_if_asked(
    server: OpenAIServer, client: openai.OpenAI, with_usage: bool
) -> None:
    server.say("one two three")
    options: Any = {"stream_options": {"include_usage": True}} if with_usage else {}
    chunks = list(client.chat.completions.create(**REQUEST, stream=True, **options))
    pieces = [chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices]
    assert "".join(pieces) == "one two three"
    assert len([piece for piece in pieces if piece]) == 3
    assert [chunk.usage.total_tokens for chunk in chunks if chunk.usage] == [18] * with_usage


def test_streamed_tool_arguments_add_up(server: OpenAIServer, client: openai.OpenAI) -> None:
    server.say({"answer": 7})
    tool: Any = {"type": "function", "function": {"name": "Sum", "parameters": SCHEMA}}
    arguments = ""
    for chunk in client.chat.completions.create(**REQUEST, tools=[tool], stream=True):
        for call in chunk.choices[0].delta.tool_calls or []:
            arguments += (call.function and call.function.arguments) or ""
    assert arguments == '{"answer": 7}'


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, openai.BadRequestError),
        (401, openai.AuthenticationError),
        (429, openai.RateLimitError),
        (500, openai.InternalServerError),
    ],
)
def test_a_fault_is_the_clients_error(
    server: OpenAIServer, client: openai.OpenAI, status: int, error: type[openai.APIStatusError]
) -> None:
    server.say(ErrorReply(status, "why", retry_after=0.25))
    with pytest.raises(error, match="why") as caught:
        client.chat.completions.create(**REQUEST)
    assert caught.value.response.headers["retry-after"] == "0.25"


def test_a_hanging_server_times_out(server: OpenAIServer, client: openai.OpenAI) -> None:
    server.say(Break.HANG)
    with pytest.raises(openai.APITimeoutError):
        client.chat.completions.create(**REQUEST, timeout=0.1)


def test_a_reset_connection_is_an_error(server: OpenAIServer, client: openai.OpenAI) -> None:
    server.say(Break.RESET)
    with pytest.raises(openai.APIConnectionError):
        client.chat.completions.create(**REQUEST)


def test_an_end_of_the_script_and_an_unknown_key_are_told() -> None:
    with (
        OpenAIServer(api_key="right") as server,
        openai.OpenAI(base_url=server.api_base, api_key="right", max_retries=0) as client,
        openai.OpenAI(base_url=server.api_base, api_key="wrong", max_retries=0) as stranger,
    ):
        with pytest.raises(openai.InternalServerError, match="nothing is scripted"):
            client.chat.completions.create(**REQUEST)
        with pytest.raises(openai.AuthenticationError):
            stranger.chat.completions.create(**REQUEST)


def test_a_refusal_has_no_text(server: OpenAIServer, client: openai.OpenAI) -> None:
    server.say(Reply(refusal="I will not."))
    message = client.chat.completions.create(**REQUEST).choices[0].message
    assert (message.content, message.refusal) == (None, "I will not.")


def test_embeddings_are_the_same_in_both_encodings_and_have_length_1(client: openai.OpenAI) -> None:
    texts = ["total revenue", "net loss", ""]
    plain = client.embeddings.create(model="any", input=texts, encoding_format="float").data
    packed = client.embeddings.create(model="any", input=texts).data  # the client asks for base64
    for one, other in zip(plain, packed, strict=True):
        assert len(one.embedding) == 8
        assert sum(value * value for value in one.embedding) == pytest.approx(1)
        assert list(other.embedding) == pytest.approx(one.embedding)
    assert plain[0].embedding != plain[1].embedding


def test_texts_with_words_in_common_are_near(client: openai.OpenAI) -> None:
    texts = ["revenue of the group", "the revenue", "employees in Spain"]
    first, near, far = (
        row.embedding for row in client.embeddings.create(model="any", input=texts, dimensions=256).data
    )
    assert sum(a * b for a, b in zip(first, near, strict=True)) > sum(
        a * b for a, b in zip(first, far, strict=True)
    )


def test_the_models_are_listed(client: openai.OpenAI) -> None:
    assert [model.id for model in client.models.list()] == ["any"]
