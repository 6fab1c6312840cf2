"""watsonx.ai on this machine, with IBM's token service beside it: refuses what does not keep to their form.

    with WatsonxServer('{"answer": 7}', key="k") as server:
        ...  # WATSONX_URL is server.root, WATSONX_IAM_URL is server.iam

Forms as IBM's SDKs and the records of their tests have them: `/identity/token` takes a form and gives a token;
`/ml/v1/text/chat` and `chat_stream` take `?version=YYYY-MM-DD`, a bearer token, `model_id` and one account; errors are
a list; a stream's events are numbered and end with the usage, without `[DONE]`.
"""

import json
import re
import time
from collections import deque
from typing import Any
from urllib.parse import parse_qs

from tests.support.doubles.openai_server import (
    ErrorReply,
    Handler,
    Json,
    OpenAIServer,
    Reply,
    Scripted,
    chunks,
    request_problem,
)

CHAT, STREAM, TOKEN = "/ml/v1/text/chat", "/ml/v1/text/chat_stream", "/identity/token"
MODELS = ("meta-llama/llama-3-3-70b-instruct", "meta-llama/llama-3-1-8b-instruct")
FIELDS = {
    "model_id",
    "project_id",
    "space_id",
    "messages",
    "max_tokens",
    "max_completion_tokens",
    "temperature",
} | {
    *("time_limit", "response_format", "tools", "tool_choice", "tool_choice_option", "top_p", "seed", "stop", "n"),
    *("frequency_penalty", "presence_penalty", "logprobs", "top_logprobs", "logit_bias", "include_reasoning"),
}
GRANT = "urn:ibm:params:oauth:grant-type:apikey"


class WatsonxServer(OpenAIServer):
    """Scripted like `OpenAIServer`.

    Args:
        key: the only one that IAM gives tokens for.
        token_seconds: a token's life, as IAM tells it.
        iam: faults of the first token requests, in order.
    """

    def __init__(
        self,
        *script: Scripted,
        key: str = "ibm-key",
        token_seconds: int = 3600,
        iam: tuple[ErrorReply, ...] = (),
        **more: Any,
    ) -> None:
        super().__init__(*script, **more)
        self.key, self.token_seconds, self.iam_errors = key, token_seconds, deque(iam)
        self.given = 0
        self.valid: set[str] = set()

    def _handler(self) -> type[Handler]:
        return _WatsonxHandler

    @property
    def iam(self) -> str:
        return self.root + TOKEN

    @property
    def environment(self) -> dict[str, str]:
        """What a user of this server sets."""
        return {
            "WATSONX_APIKEY": self.key,
            "WATSONX_URL": self.root,
            "WATSONX_PROJECT_ID": "a-project",
            "WATSONX_IAM_URL": self.iam,
        }

    @property
    def chats(self) -> list[Json]:
        return [request.body for request in self.requests if request.path in (CHAT, STREAM)]

    def expire_tokens(self) -> None:
        """What was given so far is refused from now on."""
        self.valid.clear()

    def new_token(self) -> str:
        self.given += 1
        self.valid.add(token := f"token-{self.given}")
        return token


class _WatsonxHandler(Handler):
    def _post(self, sent: bytes) -> None:
        path, _, query = self.path.partition("?")
        if path == TOKEN:
            return self._give_token(parse_qs(sent.decode()))
        body = json.loads(sent)
        request = self._receive(body)
        if path not in (CHAT, STREAM):
            return self._send_error(404, f"no such address: {path}", code="not_found")
        if not re.fullmatch(r"version=\d{4}-\d\d-\d\d", query):
            return self._send_error(400, f"version: {query!r}", code="invalid_request_entity")
        if request.key not in self._double.valid:
            return self._send_error(401, "The token is expired.", code="authentication_token_expired")
        if (problem := _problem(body)) is not None:
            code, message = problem
            return self._send_error(404 if code == "model_not_supported" else 400, message, code=code)
        streams = {"stream": path == STREAM, "stream_options": {"include_usage": True}}
        self._chat({**body, **streams, "model": body["model_id"]})

    @property
    def _double(self) -> WatsonxServer:
        double = self.server.double
        assert isinstance(double, WatsonxServer)
        return double

    def _give_token(self, form: dict[str, list[str]]) -> None:
        self._receive({name: values[0] for name, values in form.items()})
        double = self._double
        if double.iam_errors:
            reply = double.iam_errors.popleft()
            return self._say_iam(
                reply.status, {"errorCode": reply.code or "BXNIM0000E", "errorMessage": reply.message}
            )
        if form.get("grant_type") != [GRANT]:
            return self._say_iam(400, {"errorCode": "BXNIM0106E", "errorMessage": "Property missing or empty."})
        if form.get("apikey") != [double.key]:
            return self._say_iam(
                400, {"errorCode": "BXNIM0415E", "errorMessage": "Provided API key could not be found."}
            )
        seconds = double.token_seconds
        token = {"access_token": double.new_token(), "token_type": "Bearer", "expires_in": seconds}
        self._say_iam(200, {**token, "expiration": int(time.time()) + seconds, "scope": "ibm openid"})

    def _say_iam(self, status: int, body: Json) -> None:
        self._send_bytes(status, json.dumps(body).encode())

    def _send(self, answer: Json) -> None:
        named = {"model_id": answer["model"], "model_version": "3.3.0", "created_at": "2026-01-01T00:00:00.000Z"}
        super()._send({**{k: v for k, v in answer.items() if k != "object"}, **named})

    def _frames(self, body: Json, reply: Reply) -> list[str]:
        events = [{**chunk, "model_id": body["model"]} for chunk in chunks(body, reply)]
        return [f"id: {n}\nevent: message\ndata: {json.dumps(event)}" for n, event in enumerate(events, start=1)]

    def _send_error(
        self,
        status: int,
        message: str,
        *,
        param: str | None = None,
        code: str | None = None,
        retry_after: float | str | None = None,
    ) -> None:
        del param
        error = {
            "code": code or "internal_error",
            "message": message,
            "more_info": "https://cloud.ibm.com/apidocs",
        }
        headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
        body = {"errors": [error], "trace": "2f1a", "status_code": status}
        self._send_bytes(status, json.dumps(body).encode(), headers=headers)


def _problem(body: Json) -> tuple[str, str] | None:
    """The code and the words with which watsonx would refuse a chat request, or None."""
    if unknown := sorted(set(body) - FIELDS):
        return "json_validation_error", f"unknown fields: {unknown}"
    if len({"project_id", "space_id"} & set(body)) != 1:
        return "invalid_request_entity", "either space_id or project_id has to be given"
    if body.get("model_id") not in MODELS:
        return "model_not_supported", f"Model {body.get('model_id')!r} is not supported."
    if wrong := [m["role"] for m in body["messages"] if m["role"] not in ("system", "user", "assistant", "tool")]:
        return "invalid_input_argument", f"roles: {wrong}"
    problem = request_problem({**body, "model": body["model_id"]})
    return ("invalid_request_entity", problem) if problem else None
