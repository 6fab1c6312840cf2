"""What the chat serves beside Chainlit: report pages and PDFs, behind a door that opens to this machine only."""

import re
from collections.abc import Callable, Iterable, MutableMapping, Sequence
from typing import Annotated, Any
from urllib.parse import urlsplit

from chainlit.auth import get_current_user
from chainlit.user import User
from fastapi import Depends, FastAPI, HTTPException, Query, Request
from fastapi.responses import FileResponse, JSONResponse, Response
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.chat.client_view import ChatClient
from app.chat.options import ChatOptions
from app.chat.page_links import MOST_BOXES
from app.chat.report_homes import FoundReport, ReportHomes
from app.chat.sign_in import owner_of
from app.chat.upload_door import PATH as FILES
from app.chat.upload_door import BodyLimit, upload_door
from app.page_pictures import PagePictures
from storage.errors import DocumentError, UsageError
from storage.geometry import Box

CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'unsafe-eval'",  # Chainlit compiles custom elements in the browser
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "connect-src 'self' ws: wss:",
        "worker-src 'self' blob:",
        "font-src 'self' data:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ]
)
# A report's bytes never change under its SHA-1. Who signs in next at this browser may not have it: another cookie.
_KEEP = {"Cache-Control": "private, max-age=86400, immutable"}
_KEEP_OWN = {**_KEEP, "Vary": "Cookie"}
_BOX = re.compile(r"(\d{1,5}(?:\.\d{1,2})?)" + r",(\d{1,5}(?:\.\d{1,2})?)" * 3)
# Chainlit's routes that ask nobody whose the thing is, or that nothing here needs.
_SHUT = (
    "/project/element", "/project/share", "/project/thread/share", "/mcp", "/auth/jwt", "/auth/oauth", "/copilot",
)  # fmt: skip
_FOREIGN_LINK = re.compile(r"<link[^>]*https?://[^>]*>")


def front(
    chainlit_server: Any,
    client: ChatClient,
    origins: Iterable[str],
    options: ChatOptions,
    pages: Sequence[tuple[str, ASGIApp]] = (),
    speaking: Callable[[ASGIApp], ASGIApp] = lambda app: app,
) -> ASGIApp:
    """The whole application: our pages and PDFs, files coming in, then Chainlit, behind one door.

    Args:
        chainlit_server: the module `chainlit.server`.
        client: whose reports everybody is shown; a person signed in is shown their own too.
        origins: the addresses that a browser may name.
        options: which files may come in.
        pages: further applications, each with the path that it stands below.
        speaking: puts a look at who is speaking around the application.
    """
    chainlit_server.get_html_template = _without_foreign_links(chainlit_server.get_html_template)
    app: ASGIApp = Fork(FILES, upload_door(options), chainlit_server.app, method="POST")
    reports = report_pages(client)
    below: list[tuple[str, ASGIApp]] = [("/report/", reports), *((path, _nothing) for path in _SHUT), *pages]
    for path, ours in below:
        app = Fork(path, ours, app)
    return Door(BodyLimit(speaking(app), options), origins)


def report_pages(client: ChatClient) -> FastAPI:
    """Pages as pictures and reports as PDFs, found through the catalog: no path comes out of an address."""
    app = FastAPI(openapi_url=None)
    homes = ReportHomes(client)

    def known(sha1: str, user: Annotated[User | None, Depends(get_current_user)]) -> FoundReport:
        found = homes.find(sha1, owner_of(user))
        if found is None:
            raise HTTPException(404, f"no report {sha1!r} in this library")
        return found

    @app.get("/report/{sha1}/{page}.png")
    def picture(
        found: Annotated[FoundReport, Depends(known)],
        page: int,
        boxes: Annotated[str, Query(max_length=4000)] = "",
    ) -> Response:
        try:
            png = PagePictures(found.paths).png(found.report.sha1, page, read_boxes(boxes))
        except UsageError as error:
            raise HTTPException(404, str(error)) from error
        return Response(png, media_type="image/png", headers=_KEEP_OWN if found.own else _KEEP)

    @app.get("/report/{sha1}.pdf")
    def pdf(found: Annotated[FoundReport, Depends(known)]) -> Response:
        path = found.paths.report_pdf(found.report.sha1)
        if not path.is_file():
            raise DocumentError(f"the PDF of {found.report.file!r} is missing: ingest it again")
        return FileResponse(
            path,
            media_type="application/pdf",
            filename=found.report.file,
            content_disposition_type="inline",
            headers=_KEEP_OWN if found.own else _KEEP,
        )

    @app.exception_handler(DocumentError)
    def unreadable(_: Request, error: DocumentError) -> Response:
        return JSONResponse({"detail": str(error)}, status_code=500)

    return app


def read_boxes(text: str) -> list[Box]:
    """Boxes out of an address: `left,top,right,bottom` in points, several parted by semicolons.

    Raises:
        HTTPException: 400, anything else.
    """
    found = [_BOX.fullmatch(piece) for piece in text.split(";")] if text else []
    if len(found) > MOST_BOXES:
        raise HTTPException(400, f"at most {MOST_BOXES} boxes, got {len(found)}")
    boxes = []
    for match in found:
        left, top, right, bottom = map(float, match.groups()) if match else (0.0, 0.0, 0.0, 0.0)
        if right <= left or bottom <= top:
            raise HTTPException(400, f"boxes {text!r}: expected left,top,right,bottom;… in points")
        boxes.append(Box(left=left, top=top, right=right, bottom=bottom))
    return boxes


class Fork:
    """Sends HTTP requests below one path, or those of one method, to one application and the rest to another."""

    def __init__(self, path: str, ours: ASGIApp, theirs: ASGIApp, method: str | None = None) -> None:
        self._path, self._ours, self._theirs, self._method = path, ours, theirs, method

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request or connection."""
        below = scope["type"] == "http" and scope["path"].startswith(self._path)
        is_ours = below and self._method in (None, scope["method"])
        await (self._ours if is_ours else self._theirs)(scope, receive, send)


async def _nothing(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse("Not Found", status_code=404)(scope, receive, send)


class Door:
    """Turns away pages of other sites and adds the security headers.

    A foreign Origin is another site's page calling us; a foreign Host is one that took over a name (DNS
    rebinding). Chainlit's socket checks neither.
    """

    def __init__(self, app: ASGIApp, origins: Iterable[str]) -> None:
        self._app = app
        self._origins = set(origins)
        self._schemes = {urlsplit(origin).netloc: urlsplit(origin).scheme for origin in self._origins}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let in, or turn away."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if not self._welcomes(headers):
            await _refuse(scope, receive, send)
            return
        scheme = self._schemes[headers["host"]]
        if scope["type"] == "http":
            scope = {**scope, "scheme": scheme}
        await self._app(scope, receive, _with_headers(send, secure=scheme == "https"))

    def _welcomes(self, headers: Headers) -> bool:
        return (
            headers.get("host") in self._schemes
            and headers.get("origin", next(iter(self._origins))) in self._origins
        )


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
    else:
        told = "this chat answers under its own addresses only; the setting chat.origins names further ones"
        refusal = PlainTextResponse(told, status_code=403)
        await refusal(scope, receive, send)


def _with_headers(send: Send, *, secure: bool) -> Send:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            _add_headers(message, secure=secure)
        await send(message)

    return guarded


def _add_headers(message: MutableMapping[str, Any], *, secure: bool) -> None:
    if secure:  # Chainlit does not know that TLS ends before it
        message["headers"] = [
            (name, value + b"; Secure" if name == b"set-cookie" and b"; secure" not in value.lower() else value)
            for name, value in message["headers"]
        ]
    headers = MutableHeaders(scope=message)
    headers["X-Content-Type-Options"] = "nosniff"
    headers["Referrer-Policy"] = "no-referrer"
    headers["Cross-Origin-Resource-Policy"] = "same-origin"
    if headers.get("content-type") != "application/pdf":  # the browser's own PDF viewer is an object
        headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY


def _without_foreign_links(template: Callable[[str], str]) -> Callable[[str], str]:
    """Chainlit's page without the fonts and styles that it would fetch from other machines."""

    def local(root_path: str) -> str:
        return _FOREIGN_LINK.sub("", template(root_path))

    return local
