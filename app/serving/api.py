"""The whole application of a server: the routes of the API under `/v1`, its documentation, MCP under `/mcp`."""

import asyncio
import importlib.util
import json
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from http import HTTPStatus
from importlib import metadata
from pathlib import Path

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.dependencies.models import Dependant
from fastapi.dependencies.utils import get_flat_params
from fastapi.exceptions import RequestValidationError
from fastapi.middleware.cors import CORSMiddleware
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.params import Query
from fastapi.responses import HTMLResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.chat_options import ChatOptions, ServeOptions
from app.serving.access import Access
from app.serving.bodies import Problem, Ready
from app.serving.library import grid_routes, library_routes, page_routes, report_routes
from app.serving.mcp_server import mcp_over_http
from app.serving.questions import chat_routes, question_routes
from app.serving.service import Caller, NotFound, Service
from app.serving.tokens import Tokens
from app.web_guards import FORMS, behind_door, wrong_field
from storage.errors import (
    BudgetSpent,
    ComponentError,
    DocumentError,
    MissingIndex,
    NotWritable,
    PageproofError,
    ProviderError,
    SetupError,
    UsageError,
)

_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self' 'unsafe-inline'",  # Swagger's page starts itself with one
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "frame-ancestors 'none'",
    ]
)
_ASSETS = "/docs/assets"
_OPENED_BY_LINKS = ("/docs", "/openapi.json", "/v1/reports/", "/v1/health", "/v1/ready")  # none asks a model
_AROUND = 20_000  # bytes of a form around its file
_MOST_OTHERWISE = 4_000_000
# The first that fits counts: a class stands before the one it derives from.
_STATUS: tuple[tuple[type[PageproofError], int], ...] = (
    (NotFound, 404),
    (ComponentError, 503),
    (UsageError, 400),
    (MissingIndex, 409),
    (NotWritable, 507),
    (SetupError, 503),
    (DocumentError, 422),
    (BudgetSpent, 402),
    (ProviderError, 502),
    (PageproofError, 500),
)
_LONGEST = 60  # letters of a name that is said back
_PROBLEMS = {
    400: "The request cannot be understood.",
    401: "A token is needed.",
    402: "The money set aside for models is spent.",
    403: "This token may not do it.",
    404: "There is no such thing.",
    409: "Nothing is ingested for it yet.",
    413: "It is too large.",
    422: "The document cannot be read, or a field is wrong.",
    429: "Too many requests.",
    502: "The model's provider failed.",
    503: "This machine lacks something, or a component of its own failed.",
    507: "The disk is full or cannot be written.",
}


def build_api(
    service: Service,
    tokens: Tokens,
    owner_of: Callable[[str], str | None],
    origins: Sequence[str],
    options: tuple[ServeOptions, ChatOptions],
    *,
    always: bool,
    has_uploads: bool = True,
) -> ASGIApp:
    """The application.

    Args:
        service: what it does.
        tokens: who may.
        owner_of: gives the owner of a person's own library.
        origins: the addresses that it is reached under.
        options: of the server, and of uploads.
        always: whether a token is needed even where none was ever made.
        has_uploads: whether the uploads are this application's, to go on with at its start and to close at its end.
    """
    serve, uploads = options
    mcp, sessions = mcp_over_http(service)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(sessions())
            if has_uploads:
                await service.uploads.resume()
                stack.push_async_callback(service.uploads.close)
            yield

    app = FastAPI(
        title="Pageproof",
        version=metadata.version("pageproof"),
        description="Typed, page-cited, checked answers from companies' annual reports.",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        separate_input_output_schemas=False,
    )
    api = APIRouter(
        prefix="/v1",
        responses={s: {"model": Problem, "description": d} for s, d in _PROBLEMS.items()},
    )
    for part in (question_routes, grid_routes, library_routes, report_routes, page_routes, _operation):
        api.include_router(part(service), dependencies=[Depends(_refuse_unknown)])
    api.include_router(chat_routes(service))  # tools that know OpenAI's API send its options, which have no effect
    app.include_router(api)
    app.mount("/mcp", mcp)
    app.mount(_ASSETS, StaticFiles(directory=_swagger_files()), name="assets")
    app.add_exception_handler(PageproofError, _problem)
    app.add_exception_handler(RequestValidationError, wrong_field)
    app.add_exception_handler(HTTPException, _refused)

    @app.get("/docs", include_in_schema=False)
    def docs() -> HTMLResponse:
        return get_swagger_ui_html(
            openapi_url="/openapi.json",
            title="Pageproof",
            swagger_js_url=f"{_ASSETS}/swagger-ui-bundle.js",
            swagger_css_url=f"{_ASSETS}/swagger-ui.css",
            swagger_favicon_url=f"{_ASSETS}/favicon.png",
        )

    inside: ASGIApp = Access(
        _with_mcp_path(app), tokens, owner_of, serve.requests_per_minute, service.counts, always=always
    )
    if serve.cors_origins:
        inside = CORSMiddleware(
            inside,
            allow_origins=serve.cors_origins,
            allow_methods=["*"],
            allow_headers=["authorization", "content-type"],
        )
    megabytes = uploads.upload_megabytes
    file = (megabytes * 1_000_000 + _AROUND, f"it is larger than {megabytes:,} MB, the most that is taken here")
    other = (_MOST_OTHERWISE, "the request is too large")

    def most_of(scope: Scope) -> tuple[int, str]:
        return file if scope["path"] == "/v1/reports" else other

    return behind_door(inside, most_of, origins, _POLICY, serve.cors_origins, _OPENED_BY_LINKS)


async def _refuse_unknown(request: Request) -> None:
    """Refuse a parameter or a field that a route does not know: what it was to say would be left out without a word.

    Raises:
        UsageError: a parameter is not known, or there is a body and no field is known.
        RequestValidationError: a field is not known.
    """
    taken: Dependant = request.scope["route"].dependant
    known = [one.alias for one in get_flat_params(taken) if isinstance(one.field_info, Query)]
    fields = _fields_of(taken)
    for name in request.query_params:
        if name not in known:
            expected = ", ".join(known) or f"none{'; fields are sent in the body' if fields else ''}"
            raise UsageError(f"there is no parameter {name[:_LONGEST]!r}; expected {expected}")
    if request.method not in _WITH_BODY:
        return
    if not fields and (await request.body()).strip() not in (b"", b"{}", b"null"):
        raise UsageError("there is a body where none is expected; leave it out")
    for name in await _sent_fields(request) if fields else ():
        if name not in fields:
            why = f"is not known here; expected {', '.join(fields)}"
            raise RequestValidationError([{"type": "unknown_field", "loc": ("body", name), "msg": why}])


_WITH_BODY = ("POST", "PUT", "PATCH", "DELETE")


def _fields_of(taken: Dependant) -> list[str]:
    """The names of the fields that a route takes in its body."""
    names: list[str] = []
    for one in taken.body_params:
        model = one.field_info.annotation
        names += model.model_fields if isinstance(model, type) and issubclass(model, BaseModel) else [one.alias]
    return names


async def _sent_fields(request: Request) -> Iterable[str]:
    """The names of the fields that were sent; what is no form and no object has none."""
    if request.headers.get("content-type", "").lower().startswith(FORMS):
        return (await request.form()).keys()
    try:
        sent = json.loads(await request.body())
    except ValueError:  # it is told by who reads it
        return ()
    return sent.keys() if isinstance(sent, dict) else ()


_PATHS = ("/v1/", "/docs", "/openapi.json", "/mcp")


def beside(api: ASGIApp, other: ASGIApp) -> ASGIApp:
    """Both in one application: the API under its own paths, the other under all else. They start and end together."""

    async def routed(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            async with _started(api):
                await other(scope, receive, send)
        elif scope["type"] == "http" and scope["path"].startswith(_PATHS):
            await api(scope, receive, send)
        else:
            await other(scope, receive, send)

    return routed


@asynccontextmanager
async def _started(app: ASGIApp) -> AsyncIterator[None]:
    """An application between its start and its end, as a server would begin and end it.

    Raises:
        SetupError: it does not start.
    """
    told: asyncio.Queue[Message] = asyncio.Queue()
    heard: asyncio.Queue[Message] = asyncio.Queue()
    running = asyncio.ensure_future(app({"type": "lifespan", "asgi": {"version": "3.0"}}, told.get, heard.put))
    await told.put({"type": "lifespan.startup"})
    if (answer := await heard.get())["type"] != "lifespan.startup.complete":
        raise SetupError(f"the API does not start: {answer.get('message', '')}")
    try:
        yield
    finally:
        await told.put({"type": "lifespan.shutdown"})
        await running


def _swagger_files() -> Path:
    """Swagger's page as the package fastapi-offline carries it; its code is not needed."""
    package = importlib.util.find_spec("fastapi_offline")
    if package is None or package.origin is None:
        raise SetupError("fastapi-offline is not installed: install Pageproof with its dependencies")
    return Path(package.origin).parent / "static"


def _with_mcp_path(app: ASGIApp) -> ASGIApp:
    """`/mcp` without the slash that a mounted application needs; programs are not sent on to another address."""

    async def routed(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == "/mcp":
            scope = {**scope, "path": "/mcp/", "raw_path": b"/mcp/"}
        await app(scope, receive, send)

    return routed


def _problem(_: Request, error: Exception) -> Response:
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), 500)
    detail = " ".join(str(error).split())
    return JSONResponse({"detail": detail, "error": type(error).__name__}, status_code=status)


def _refused(_: Request, error: Exception) -> Response:
    """What the framework refuses, in the form of all problems."""
    status, why = (error.status_code, error.detail) if isinstance(error, HTTPException) else (500, "")
    name = HTTPStatus(status).phrase.title().replace(" ", "")
    headers = error.headers if isinstance(error, HTTPException) else None
    return JSONResponse({"detail": why, "error": name}, status_code=status, headers=headers)


def _operation(service: Service) -> APIRouter:
    """Whether it lives, whether it can answer, and what it did."""
    routes = APIRouter(tags=["operation"])

    @routes.get("/health")
    async def health() -> dict[str, str]:
        """The server answers."""
        return {"status": "ok"}

    @routes.get("/ready", responses={503: {"model": Ready, "description": "Nothing is ingested."}})
    async def ready() -> Response:
        """Whether the shared library can be asked; needs no token and names nothing."""
        async with service.client(Caller()) as client:
            companies = client.companies()
            found = Ready(
                ready=client.has_indexes(),
                profile=client.profile,
                companies=len(companies),
                reports=sum(len(company.reports) for company in companies),
            )
        return JSONResponse(found.model_dump(), status_code=200 if found.ready else 503)

    @routes.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
    async def metrics() -> Response:
        """Counts of requests and answers, and times, in Prometheus' form."""
        return Response(generate_latest(service.counts.registry), media_type=CONTENT_TYPE_LATEST)

    return routes
