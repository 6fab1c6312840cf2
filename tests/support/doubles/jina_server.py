"""A server on this machine that speaks Jina's rerank API: results best first, each naming its text by position.

with JinaServer({"revenue": 0.9}) as server:  # a text's score is that of the first word listed that it holds
    ...
server.bodies, server.keys  # of the requests, in order
"""

import json
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from tests.support.doubles.http_bodies import body_of


class JinaServer:
    """Every request whose texts hold `fails_on` is refused with `status`; `garbles` sends something else entirely."""

    def __init__(
        self, scores: Mapping[str, float], fails_on: str | None = None, status: int = 422, garbles: bool = False
    ) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str] = []
        double = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(body_of(self))
                double.bodies.append(body)
                double.keys.append(self.headers.get("authorization", ""))
                texts = body["documents"]
                if self.path != "/v1/rerank":
                    return self._send(404, {"detail": "Not Found"})
                if fails_on is not None and any(fails_on in text for text in texts):
                    return self._send(status, {"detail": "scripted fault"})
                if garbles:
                    return self._send(200, {"data": []})
                scored = [next((s for word, s in scores.items() if word in text), 0.0) for text in texts]
                order = sorted(range(len(texts)), key=lambda n: -scored[n])[: body.get("top_n")]
                results = [{"index": n, "relevance_score": scored[n]} for n in order]
                tokens = sum(len(text.split()) for text in texts)
                return self._send(
                    200,
                    {
                        "model": body["model"],
                        "object": "list",
                        "usage": {"total_tokens": tokens},
                        "results": results,
                    },
                )

            def _send(self, code: int, content: Any) -> None:
                data = json.dumps(content).encode()
                self.send_response(code)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: Any) -> None:
                """Silence."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.api_base = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
