"""The routes of the chat as the application has them, and what a request to each names."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pydantic import BaseModel
from starlette.routing import Route

from app.chat_options import ChatOptions

# What a request may name that is nobody's: it is given as a browser would.
ANYBODYS: dict[str, Any] = {
    "language": "en-US", "chat_profile": "", "theme": "light", "error": "", "code": "x", "state": "x", "boxes": "",
    "filename": "logo.png", "role": "keeper", "secret": "x", "password": "battery staple",
    "words": "", "what": "stop", "shown": "all", "profile": "offline",
    "provider": "other", "address": "http://127.0.0.1:9/v1",
    "model": "any", "key": "k", "remember": False, "company": "Mine Ltd.",
    "currency": "EUR", "period_end": "2024-12-31",
    "full_path": "x", "avatar_id": "ann", "provider_id": "github", "page": 1, "scale": 1,
}  # fmt: skip


def routes() -> list[Route]:
    """Every route of Chainlit's and of ours."""
    from chainlit import server

    from app.chat.report_pages import report_pages
    from app.chat.routes import conversation_pages
    from app.chat.sources.routes import source_pages
    from app.chat.team_pages import people_pages, sharing_pages
    from app.chat.uploads.middleware import upload_app

    ours = [
        upload_app(ChatOptions()),
        conversation_pages(None, lambda _: None, None),  # type: ignore[arg-type, return-value]
        report_pages(None),  # type: ignore[arg-type]
        source_pages(None),  # type: ignore[arg-type]
        people_pages(None),  # type: ignore[arg-type]
        sharing_pages(None),  # type: ignore[arg-type]
    ]
    found = [*server.app.routes, *server.router.routes, *(route for app in ours for route in app.routes)]
    return [route for route in found if isinstance(route, Route)]


def places(route: Route) -> Iterator[tuple[str, str]]:
    """What a request to a route names: in which part of it, and how it is called."""
    yield from (("path", name) for name in route.param_convertors)
    dependant = getattr(route, "dependant", None)
    if dependant is not None:
        yield from (("query", field.alias) for field in dependant.query_params)
        for field in dependant.body_params:
            yield from (("body", name) for name in fields(field.field_info.annotation, field.alias))


def fields(kind: Any, name: str) -> Iterator[str]:
    """The names in a body, and in what is inside it."""
    yield name
    inner = kind if isinstance(kind, type) else None
    if inner is not None and hasattr(inner, "__dataclass_fields__"):
        yield from inner.__dataclass_fields__
    elif inner is not None and issubclass(inner, BaseModel):
        for key, field in inner.model_fields.items():
            yield from fields(field.annotation, key)


@contextmanager
def emitted() -> Iterator[list[Any]]:
    """What the socket sends meanwhile, to whomever."""
    from chainlit import server

    sent: list[Any] = []

    async def emit(*what: Any, **to: Any) -> None:
        sent.append((what, to))

    before = server.sio.emit, server.sio.call
    server.sio.emit, server.sio.call = emit, emit
    yield sent
    server.sio.emit, server.sio.call = before
