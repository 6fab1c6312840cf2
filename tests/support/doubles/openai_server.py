"""An OpenAI-compatible server on this machine whose replies a test scripts.

    with OpenAIServer('{"answer": 7}', Fault(429, retry_after=0.01), {"answer": 8}) as server:
        ...  # point a client at server.api_base
    server.chats  # the bodies of the chat requests, in order

Serves `/v1/chat/completions` (plain, json_schema, tools, streamed), `/v1/embeddings` and `/v1/models`.
"""

import base64
import dataclasses
import hashlib
import json
import math
import re
import socket
import struct
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from enum import Enum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from tests.support.doubles.http_bodies import body_of

Json = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Reply:
    """What the model says; as the arguments of a tool where the request brings tools."""

    text: str = ""
    refusal: str | None = None
    reasoning: str = ""  # thought aloud beside the text, as some servers give it
    finish_reason: str = "stop"
    prompt_tokens: int | None = 11  # None: the server tells no usage
    completion_tokens: int = 7
    cached_tokens: int = 0
    total_tokens: int | None = None  # None: the sum
    seconds: float = 0.0
    seconds_per_chunk: float = 0.0  # of a stream
    cut_after: int | None = None  # chunks of a stream after which the connection is reset
    ends_early: bool = False  # a stream comes to its end without saying so
    ignores_stream: bool = False


@dataclasses.dataclass(frozen=True)
class ErrorReply:
    """An error of the server's own, in OpenAI's form."""

    status: int = 500
    message: str = "scripted fault"
    retry_after: float | str | None = None
    code: str | None = None


class Break(Enum):
    """Something that is not even an error in OpenAI's form."""

    HANG = "the server takes the request and says nothing"
    RESET = "the connection is reset"
    NO_CHOICES = "a completion without choices"
    CUT_JSON = "a body that ends in the middle"
    WEB_PAGE = "a page of HTML, as proxies send"


Scripted = str | Json | Reply | ErrorReply | Break


@dataclasses.dataclass(frozen=True)
class Dialect:
    """How a provider's own form of the API differs; what does not keep to it is refused as it would be there.

    Attributes:
        base: what comes before `/chat/completions` and `/embeddings`.
        query: that must follow, without a question mark.
        key_header: where the key stands, and nowhere else.
        texts: that one embedding request may bring.
    """

    base: str = "/v1"
    query: str = ""
    key_header: str = "authorization"
    texts: int = 2048


@dataclasses.dataclass(frozen=True)
class Recorded:
    """One request as it arrived; the path without what follows a question mark."""

    path: str
    body: Json
    headers: dict[str, str]  # names in lower case

    def key_in(self, header: str) -> str:
        return self.headers.get(header, "").removeprefix("Bearer ")

    @property
    def key(self) -> str:
        return self.headers.get("authorization", "").removeprefix("Bearer ")


class OpenAIServer:
    """Listens on a free port of 127.0.0.1 while the `with` block runs.

    Args:
        script: replies to chat requests, in order. A dict is written as JSON.
        answer: replies once the script is at its end; without it the server then answers 500.
        api_key: the only key that is let in; None lets everybody in.
        refuses: names of body fields that are answered with 400, as by a server that does not know them.
        dimension: of the embeddings.
        dialect: of a provider.
        embeddings: faults of the first embedding requests, in order.
    """

    def __init__(
        self,
        *script: Scripted,
        answer: Callable[[Json], Scripted] | None = None,
        api_key: str | None = None,
        refuses: tuple[str, ...] = (),
        dimension: int = 64,
        dialect: Dialect = Dialect(),
        embeddings: tuple[ErrorReply, ...] = (),
    ) -> None:
        self.requests: list[Recorded] = []
        self.errors: list[BaseException] = []  # raised at the end of the block
        self.peak = 0  # most chat requests in flight at once
        self.api_key, self.refuses, self.dimension = api_key, refuses, dimension
        self.dialect, self.embedding_errors = dialect, deque(embeddings)
        self.closing = threading.Event()
        self._script, self._answer = deque(script), answer
        self._in_flight = 0
        self._lock = threading.Lock()
        self._http = _on_a_new_port(self._handler())
        self._http.double = self
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._http.shutdown()
        self._thread.join()
        self._http.hang_up()
        self._http.server_close()
        if error is None and self.errors:
            raise self.errors[0]

    def _handler(self) -> type["Handler"]:
        return Handler

    @property
    def api_base(self) -> str:
        return f"{self.root}{self.dialect.base}"

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"

    @property
    def chats(self) -> list[Json]:
        """Bodies of the chat requests, in order."""
        return [request.body for request in self.requests if request.path.endswith("/chat/completions")]

    def say(self, *script: Scripted) -> None:
        """Add to the script."""
        with self._lock:
            self._script.extend(script)

    def record(self, request: Recorded) -> None:
        with self._lock:
            self.requests.append(request)

    def next_reply(self, body: Json) -> Scripted:
        with self._lock:
            if self._script:
                return self._script.popleft()
        return self._answer(body) if self._answer else ErrorReply(500, "nothing is scripted for this request")

    def enter_flight(self, change: int) -> None:
        with self._lock:
            self._in_flight += change
            self.peak = max(self.peak, self._in_flight)


_TAKEN: set[int] = set()


def _on_a_new_port(handler: type[BaseHTTPRequestHandler]) -> "_Http":
    """A listening server on a port that no other one had in this process: stored answers go by the server's address."""
    while (http := _Http(("127.0.0.1", 0), handler)).server_port in _TAKEN:
        http.server_close()
    _TAKEN.add(http.server_port)
    return http


class _Http(ThreadingHTTPServer):
    double: OpenAIServer
    daemon_threads = False  # server_close waits for them
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(address, handler)
        self._open: set[socket.socket] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def close_request(self, request: Any) -> None:
        super().close_request(request)
        self._open.discard(request)

    def handle_error(self, *_: Any) -> None:
        """Keep what failed in the double or in a test's callable; clients may leave when they like."""
        error = sys.exc_info()[1]
        if error is not None and not isinstance(error, ConnectionError):
            self.double.errors.append(error)

    def hang_up(self) -> None:
        """End the connections that clients keep alive."""
        for connection in list(self._open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:  # already gone
                continue


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Http

    def log_message(self, *args: Any) -> None:
        """Stay silent."""

    def do_GET(self) -> None:
        self._receive({})
        if self.path != "/v1/models":
            return self._send_error(404, f"no such address: {self.path}")
        self._send({"object": "list", "data": [{"id": "any", "object": "model", "owned_by": "tests"}]})

    def do_POST(self) -> None:
        self._post(body_of(self))

    def _post(self, sent: bytes) -> None:
        body = json.loads(sent)
        request = self._receive(body)
        double = self.server.double
        dialect = double.dialect
        path, _, query = self.path.partition("?")
        if not path.startswith(f"{dialect.base}/") or query != dialect.query:
            return self._send_error(404, f"no such address: {self.path}")
        if double.api_key is not None and not self._has_key(request, double.api_key, dialect.key_header):
            return self._send_error(401, "Incorrect API key provided.", code="invalid_api_key")
        if (refused := next((name for name in double.refuses if _asks_for(body, name)), None)) is not None:
            message = f"Unsupported parameter: '{refused}' is not supported with this model."
            return self._send_error(400, message, param=refused)
        match path.removeprefix(dialect.base):
            case "/chat/completions":
                self._chat(body)
            case "/embeddings":
                self._embed(body)
            case _:
                self._send_error(404, f"no such address: {self.path}")

    def _has_key(self, request: Recorded, key: str, header: str) -> bool:
        elsewhere = {"authorization", "api-key"} - {header}
        return request.key_in(header) == key and not any(name in request.headers for name in elsewhere)

    def _receive(self, body: Json) -> Recorded:
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Recorded(self.path.partition("?")[0], body, headers)
        self.server.double.record(request)
        return request

    def _chat(self, body: Json) -> None:
        if (problem := request_problem(body)) is not None:
            return self._send_error(400, problem, param="response_format")
        double = self.server.double
        double.enter_flight(1)
        try:
            self._reply(body, double.next_reply(body))
        finally:
            double.enter_flight(-1)

    def _reply(self, body: Json, scripted: Scripted) -> None:
        match scripted:
            case Break():
                self._break(body, scripted)
            case ErrorReply():
                self._fail(scripted)
            case Reply():
                time.sleep(scripted.seconds)
                if body.get("stream") and not scripted.ignores_stream:
                    self._stream(body, scripted)
                else:
                    self._send(_completion(body, scripted))
            case str():
                self._reply(body, Reply(scripted))
            case dict():
                self._reply(body, Reply(json.dumps(scripted)))

    def _break(self, body: Json, how: Break) -> None:
        match how:
            case Break.HANG:
                self.server.double.closing.wait(60)
                self.close_connection = True
            case Break.RESET:
                self._reset()
            case Break.NO_CHOICES:
                self._send({**_completion(body, Reply()), "choices": []})
            case Break.CUT_JSON:
                self._send_bytes(200, b'{"id": "chatcmpl-1", "object": "chat.comp')
            case Break.WEB_PAGE:
                self._send_bytes(200, b"<html><body>Sign in</body></html>", content_type="text/html")

    def _reset(self) -> None:
        # Lingering for zero seconds makes close send RST.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True

    def _fail(self, reply: ErrorReply) -> None:
        self._send_error(reply.status, reply.message, retry_after=reply.retry_after, code=reply.code)

    def _stream(self, body: Json, reply: Reply) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        frames = self._frames(body, reply)
        if reply.ends_early:
            frames = frames[: len(frames) // 2]
        for number, frame in enumerate(frames):
            if number == reply.cut_after:
                time.sleep(0.02)  # what was sent has arrived before the reset takes it away
                return self._reset()
            time.sleep(reply.seconds_per_chunk)
            data = f"{frame}\n\n".encode()
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    def _frames(self, body: Json, reply: Reply) -> list[str]:
        return [f"data: {event}" for event in (*map(json.dumps, chunks(body, reply)), "[DONE]")]

    def _embed(self, body: Json) -> None:
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        if not texts or not all(isinstance(text, str) for text in texts):
            return self._send_error(400, "'input' must be a text or a list of texts", param="input")
        if len(texts) > self.server.double.dialect.texts:
            return self._send_error(
                400, f"batch size is invalid, it should not be larger than {self.server.double.dialect.texts}."
            )
        if self.server.double.embedding_errors:
            return self._fail(self.server.double.embedding_errors.popleft())
        dimension = body.get("dimensions") or self.server.double.dimension
        as_base64 = body.get("encoding_format") == "base64"
        data = [
            {"object": "embedding", "index": number, "embedding": _encoded(embed(text, dimension), as_base64)}
            for number, text in enumerate(texts)
        ]
        tokens = sum(len(text.split()) for text in texts)
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        self._send({"object": "list", "model": body["model"], "data": data, "usage": usage})

    def _send(self, answer: Json) -> None:
        self._send_bytes(200, json.dumps(answer).encode())

    def _send_error(
        self,
        status: int,
        message: str,
        *,
        param: str | None = None,
        code: str | None = None,
        retry_after: float | str | None = None,
    ) -> None:
        error = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
        headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
        self._send_bytes(status, json.dumps({"error": error}).encode(), headers=headers)

    def _send_bytes(
        self,
        status: int,
        data: bytes,
        *,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> None:
        try:
            self.send_response(status)
            for name, value in {"Content-Type": content_type, **(headers or {})}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except (BrokenPipeError, ConnectionResetError):  # the client did not wait
            self.close_connection = True


def embed(text: str, dimension: int) -> list[float]:
    """A vector of length 1: each word counts at a place and with a sign that its hash decides."""
    vector = [0.0] * dimension
    for word in re.findall(r"\w+", text.lower()) or [""]:
        number = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
        vector[(number >> 1) % dimension] += 1.0 if number & 1 else -1.0
    length = math.sqrt(sum(value * value for value in vector))
    return [value / length for value in vector] if length else [1.0] + [0.0] * (dimension - 1)


def request_problem(body: Json) -> str | None:
    """Why OpenAI would refuse the form of a chat request, or None."""
    for name, kind in (("model", str), ("messages", list)):
        if not body.get(name) or not isinstance(body[name], kind):
            return f"Missing required parameter: '{name}'."
    if body.get("tool_choice") == "required" and not body.get("tools"):
        return "'tool_choice' is only allowed when 'tools' are specified."
    response_format = body.get("response_format")
    if response_format is None or response_format.get("type") != "json_schema":
        return None
    form = response_format.get("json_schema") or {}
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", str(form.get("name", ""))):
        return f"Invalid 'response_format.json_schema.name': {form.get('name')!r}."
    if form.get("strict") is not True:
        return "'response_format.json_schema.strict' must be true."
    schema = form.get("schema")
    if not isinstance(schema, dict) or schema.get("type") != "object":
        return f"Invalid schema for response_format {form['name']!r}: it must be of 'type': 'object'."
    problem = next(_schema_problems(schema), None)
    return problem and f"Invalid schema for response_format {form['name']!r}: {problem}"


def _schema_problems(node: Json, path: str = "$") -> Iterator[str]:
    if unknown := {"default", "allOf", "oneOf", "not", "prefixItems", "uniqueItems"} & set(node):
        yield f"{path}: {sorted(unknown)} is not permitted"
    if "$ref" in node and len(node) > 1:
        yield f"{path}: $ref cannot have keywords {sorted(set(node) - {'$ref'})}"
    if node.get("type") == "object":
        if node.get("additionalProperties") is not False:
            yield f"{path}: 'additionalProperties' is required to be supplied and to be false"
        if set(node.get("required", ())) != set(node.get("properties", {})):
            yield f"{path}: 'required' is required to be supplied and to include every key in properties"
    for key in ("properties", "$defs"):
        for name, child in node.get(key, {}).items():
            yield from _schema_problems(child, f"{path}.{name}")
    for number, child in enumerate(node.get("anyOf", ())):
        yield from _schema_problems(child, f"{path}.anyOf[{number}]")
    if isinstance(node.get("items"), dict):
        yield from _schema_problems(node["items"], f"{path}[]")


def _completion(body: Json, reply: Reply) -> Json:
    message, finish_reason = _message(body, reply)
    choice = {"index": 0, "message": message, "finish_reason": finish_reason, "logprobs": None}
    completion: Json = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "choices": [choice],
    }
    return completion if reply.prompt_tokens is None else {**completion, "usage": _usage(reply)}


def _message(body: Json, reply: Reply) -> tuple[Json, str]:
    message: Json = {"role": "assistant", "content": reply.text, "refusal": reply.refusal}
    message |= {"reasoning_content": reply.reasoning} if reply.reasoning else {}
    if reply.refusal is not None:
        return {**message, "content": None}, reply.finish_reason
    if body.get("tools"):
        function = {"name": body["tools"][0]["function"]["name"], "arguments": reply.text}
        calls = [{"id": "call_1", "type": "function", "function": function}]
        return {**message, "content": None, "tool_calls": calls}, "tool_calls"
    return message, reply.finish_reason


def _asks_for(body: Json, name: str) -> bool:
    return name in body and body[name] is not False


def _usage(reply: Reply) -> Json:
    prompt_tokens = reply.prompt_tokens or 0
    return {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "total_tokens": reply.total_tokens or prompt_tokens + reply.completion_tokens,
        "prompt_tokens_details": {"cached_tokens": reply.cached_tokens},
    }


def chunks(body: Json, reply: Reply, size: int = 5) -> Iterator[Json]:
    """The stream's chunks: the role, the text in small pieces, the end and, if asked for, the usage."""

    def chunk(delta: Json, finish_reason: str | None = None) -> Json:
        choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
        head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": body["model"]}
        return {**head, "choices": [choice]}

    message, finish_reason = _message(body, reply)
    yield chunk({"role": "assistant", "content": ""})
    if reply.reasoning:
        yield chunk({"reasoning_content": reply.reasoning})
    pieces = [reply.text[start : start + size] for start in range(0, len(reply.text), size)]
    if reply.refusal is not None:
        yield chunk({"refusal": reply.refusal})
    elif "tool_calls" in message:
        call = message["tool_calls"][0]
        opening = {**call, "index": 0, "function": {**call["function"], "arguments": ""}}
        yield chunk({"tool_calls": [opening]})
        for piece in pieces:
            yield chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
    else:
        for piece in pieces:
            yield chunk({"content": piece})
    yield chunk({}, finish_reason)
    if (body.get("stream_options") or {}).get("include_usage") and reply.prompt_tokens is not None:
        yield {**chunk({}), "choices": [], "usage": _usage(reply)}


def _encoded(vector: list[float], as_base64: bool) -> str | list[float]:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode() if as_base64 else vector
