"""A server on this machine that speaks as much of Qdrant's HTTP API as Pageproof asks for.

with QdrantServer(key="secret") as server:
    QdrantClient(url=server.url, api_key="secret")
server.requests  # (method, path, body), in order

What is asked is done by the client library's own local mode, so results are Qdrant's, and what the server alone does
(exact or not, payload indexes) is only recorded.
"""

import json
import threading
import warnings
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from qdrant_client import QdrantClient, models

from tests.support.doubles.http_bodies import body_of

RecordedRequest = tuple[str, str, dict[str, Any]]


class QdrantServer:
    """Refuses other keys than its own with 401; `down` makes every request fail with 503."""

    def __init__(self, key: str | None = None) -> None:
        self.requests: list[RecordedRequest] = []
        self.down = False
        self.behind = QdrantClient(":memory:")
        turn, double = threading.Lock(), self

        class Handler(BaseHTTPRequestHandler):
            def _serve(self) -> None:
                sent = body_of(self)
                body = json.loads(sent) if sent else {}
                path = urlsplit(self.path).path
                if double.down:
                    return self._send(503, {"status": {"error": "Service Unavailable"}})
                if key is not None and self.headers.get("api-key") != key:
                    return self._send(401, {"status": {"error": "Must provide an API key"}})
                double.requests.append((self.command, path, body))
                try:
                    with turn:
                        result = double.answer(self.command, path.strip("/").split("/"), body)
                except ValueError as error:  # local mode's word for a collection that is there, or is not
                    code = 409 if "already exists" in str(error) else 404
                    return self._send(code, {"status": {"error": str(error)}})
                return self._send(200, {"result": result, "status": "ok", "time": 0.0})

            def do_GET(self) -> None:
                self._serve()

            def do_PUT(self) -> None:
                self._serve()

            def do_POST(self) -> None:
                self._serve()

            def _send(self, code: int, content: Any) -> None:
                data = json.dumps(content).encode()
                self.send_response(code)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def answer(self, method: str, path: list[str], body: dict[str, Any]) -> Any:
        behind = self.behind
        match (method, path):
            case ("GET", ["collections", name, "exists"]):
                return {"exists": behind.collection_exists(name)}
            case ("GET", ["collections", name]):
                return behind.get_collection(name).model_dump(mode="json", exclude_none=True)
            case ("PUT", ["collections", name]):
                config = models.CreateCollection.model_validate(body)
                assert config.vectors is not None
                return behind.create_collection(name, config.vectors)
            case ("PUT", ["collections", name, "index"]):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # that indexes have no effect in local mode
                    behind.create_payload_index(name, body["field_name"], body["field_schema"])
                return _updated()
            case ("PUT", ["collections", name, "points"]):
                behind.upsert(name, models.PointsList.model_validate(body).points)
                return _updated()
            case ("POST", ["collections", name, "points", "delete"]):
                behind.delete(name, models.FilterSelector.model_validate(body))
                return _updated()
            case ("POST", ["collections", name, "points", "count"]):
                return {"count": behind.count(name, _filter(body)).count}
            case ("POST", ["collections", name, "points", "query"]):
                query = models.QueryRequest.model_validate(body)
                found = behind.query_points(
                    name, query.query, using=query.using, query_filter=query.filter, limit=query.limit or 10
                )
                return {"points": [p.model_dump(mode="json", exclude_none=True) for p in found.points]}
            case ("POST", ["collections", name, "points"]):
                points = behind.retrieve(name, body["ids"], with_vectors=True)
                return [p.model_dump(mode="json", exclude_none=True) for p in points]
        raise AssertionError(f"the double does not know {method} {'/'.join(path)}")

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self.behind.close()


def _filter(body: dict[str, Any]) -> models.Filter | None:
    return models.Filter.model_validate(body["filter"]) if body.get("filter") else None


def _updated() -> dict[str, Any]:
    return {"operation_id": 1, "status": "completed"}
