"""A server with the addresses of the Hugging Face hub, which sends one file as a test wants it.

with HubServer(content, cut=(1000,)) as hub:
    Download(model, folder, {"HF_ENDPOINT": hub.root}).run()
hub.ranges  # the Range header of each download, "" where there was none
"""

import dataclasses
import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


@dataclasses.dataclass(frozen=True)
class Behaviour:
    """How it departs from the hub.

    Attributes:
        status: of every reply.
        told_size: that it tells before; None tells the truth.
        told_sha256: the same; "" tells none.
        cut: bytes after which the first downloads break off, one after the other.
        ignores_range: whether it always sends the whole file.
        sent: what it sends in place of the file.
        has_no_length: whether the length stands on no download.
        waits_after: bytes after which a download waits until `go_on` is set.
    """

    status: int = 200
    told_size: int | None = None
    told_sha256: str | None = None
    cut: tuple[int, ...] = ()
    ignores_range: bool = False
    sent: bytes | None = None
    has_no_length: bool = False
    waits_after: int | None = None


class HubServer:
    """Listens on a free port of 127.0.0.1 while the `with` block runs."""

    def __init__(self, content: bytes, behaviour: Behaviour = Behaviour()) -> None:
        self.content, self.behaviour = content, behaviour
        self.cuts = list(behaviour.cut)
        self.ranges: list[str] = []
        self.go_on = threading.Event()
        self.paths: set[str] = set()
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.double = self
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.go_on.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    double: HubServer

    def handle_error(self, *_: Any) -> None:
        """Say nothing of a client that left."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Http

    @property
    def _double(self) -> HubServer:
        return self.server.double

    def log_message(self, *_: Any) -> None:
        """Print nothing."""

    def do_HEAD(self) -> None:
        """Tell of the file, and send on to where its bytes lie."""
        hub, how = self._double, self._double.behaviour
        hub.paths.add(self.path)
        if how.status != 200:
            self.send_response(how.status)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        digest = hashlib.sha256(hub.content).hexdigest() if how.told_sha256 is None else how.told_sha256
        self.send_response(302)
        self.send_header("Location", f"{hub.root}/bytes")
        self.send_header("X-Linked-Size", str(len(hub.content) if how.told_size is None else how.told_size))
        if digest:
            self.send_header("X-Linked-Etag", f'"{digest}"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self) -> None:
        """Send on, and there send the bytes."""
        hub, how = self._double, self._double.behaviour
        if self.path != "/bytes":
            self.do_HEAD()
            return
        asked = self.headers.get("Range", "")
        hub.ranges.append(asked)
        whole = hub.content if how.sent is None else how.sent
        start = 0 if how.ignores_range or not asked else int(asked.removeprefix("bytes=").rstrip("-"))
        body = whole[start:]
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(whole) - 1}/{len(whole)}")
        if how.has_no_length:
            self.send_header("Connection", "close")
        else:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if hub.cuts:
            body = body[: hub.cuts.pop(0)]
            self.close_connection = True
        if how.waits_after is not None:
            self.wfile.write(body[: how.waits_after])
            hub.go_on.wait()
            body = body[how.waits_after :]
        self.wfile.write(body)
        self.close_connection |= how.has_no_length
