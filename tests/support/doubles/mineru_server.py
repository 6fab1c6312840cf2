"""A server on this machine that speaks MinerU's APIs: mineru-api 2 and 3, the hosted service, or 4 (its health alone).

with MineruServer("tasks", archive) as server:
    MineruReader.from_options(ReaderOptions(kind="mineru", mineru_api_base=server.address))
server.asked  # of each request: method, path, key; server.forms: the bodies of what was sent to be parsed
"""

import json
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal, Self

from tests.support.doubles.http_bodies import body_of

Speaks = Literal["tasks", "file_parse", "hosted", "version_4"]


class MineruServer:
    """The output is sent after `looks` looks at the task.

    Args:
        speaks: which API.
        archive: the .zip sent; or, for mineru-api, a text, sent as JSON as early versions do.
        looks: how often a task is looked at before it is done.
        failure: a task ends with these words.
        statuses: of the first requests to a path that ends so, such as {"/tasks": [503, 401]}.
        code: what the hosted service answers an order with.
    """

    def __init__(
        self,
        speaks: Speaks,
        archive: bytes | str = b"",
        looks: int = 1,
        failure: str = "",
        statuses: Mapping[str, list[int]] | None = None,
        code: int | str = 0,
    ) -> None:
        self.asked: list[tuple[str, str, str]] = []
        self.forms: list[bytes] = []
        self.uploads: list[tuple[bytes, str]] = []
        self.speaks, self.archive, self.failure, self.code = speaks, archive, failure, code
        self.left = looks
        self.status_codes = {path: list(codes) for path, codes in (statuses or {}).items()}
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.double = self
        self.host = f"http://127.0.0.1:{self._server.server_port}"
        self.address = f"{self.host}/api/v4" if speaks == "hosted" else self.host

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    double: MineruServer


class _Handler(BaseHTTPRequestHandler):
    @property
    def double(self) -> MineruServer:
        assert isinstance(self.server, _Server)
        return self.server.double

    def do_POST(self) -> None:
        self._answer("POST", body_of(self))

    def do_PUT(self) -> None:
        self._answer("PUT", body_of(self))

    def do_GET(self) -> None:
        self._answer("GET", b"")

    def _answer(self, method: str, body: bytes) -> None:
        self.double.asked.append((method, self.path, self.headers.get("authorization", "")))
        for path, codes in self.double.status_codes.items():
            if self.path.endswith(path) and codes:
                return self._json(codes.pop(0), {"detail": "scripted fault"}, retry_after="0")
        route = {"tasks": self._tasks, "file_parse": self._file_parse, "hosted": self._hosted}
        return route.get(self.double.speaks, self._version_4)(method, body)

    def _tasks(self, method: str, body: bytes) -> None:
        task = {"task_id": "t1", "backend": "pipeline", "file_names": ["x"], "created_at": "now"}
        if (method, self.path) == ("POST", "/tasks"):
            self.double.forms.append(body)
            return self._json(202, {**task, "status": "pending", "queued_ahead": 0, "message": "taken"})
        if self.path == "/tasks/t1":
            self.double.left -= 1
            ended = (
                {"status": "failed", "error": self.double.failure}
                if self.double.failure
                else {"status": "completed"}
            )
            return self._json(200, {**task, **(ended if self.double.left <= 0 else {"status": "processing"})})
        return self._output() if self.path == "/tasks/t1/result" else self._json(404, {"detail": "?"})

    def _file_parse(self, method: str, body: bytes) -> None:
        if (method, self.path) != ("POST", "/file_parse"):
            return self._json(404, {"detail": "Not Found"})
        self.double.forms.append(body)
        return self._json(500, {"error": self.double.failure}) if self.double.failure else self._output()

    def _hosted(self, method: str, body: bytes) -> None:
        if self.path == "/api/v4/file-urls/batch":
            self.double.forms.append(body)
            urls = [f"{self.double.host}/store/1?signature=s"]
            data = None if self.double.code else {"batch_id": "b1", "file_urls": urls}
            return self._json(
                200,
                {"code": self.double.code, "msg": "scripted refusal" if self.double.code else "ok", "data": data},
            )
        if method == "PUT":
            self.double.uploads.append((body, self.headers.get("content-type", "")))
            return self._json(200, {})
        if self.path == "/api/v4/extract-results/batch/b1":
            self.double.left -= 1
            state: dict[str, Any] = {"file_name": "x.pdf", "state": "running"}
            state["extract_progress"] = {"extracted_pages": 1, "total_pages": 2}
            if self.double.left <= 0 and self.double.failure:
                state = {"file_name": "x.pdf", "state": "failed", "err_msg": self.double.failure}
            elif self.double.left <= 0:
                state = {
                    "file_name": "x.pdf",
                    "state": "done",
                    "full_zip_url": f"{self.double.host}/store/2.zip",
                }
            return self._json(200, {"code": 0, "msg": "ok", "data": {"batch_id": "b1", "extract_result": [state]}})
        return self._output()

    def _version_4(self, method: str, body: bytes) -> None:
        del method, body
        well = self.path == "/v1/health"
        self._json(200 if well else 404, {"status": "ok"} if well else {"detail": "Not Found"})

    def _output(self) -> None:
        if isinstance(self.double.archive, str):
            results = {"x": {"md_content": "", "content_list": self.double.archive}}
            return self._json(200, {"backend": "pipeline", "version": "2.1", "results": results})
        return self._send(200, self.double.archive, "application/zip")

    def _json(self, status: int, content: Any, **headers: str) -> None:
        self._send(status, json.dumps(content).encode(), "application/json", **headers)

    def _send(self, status: int, data: bytes, kind: str, **headers: str) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Silence."""
