"""Uploads are checked and streamed to disk before Chainlit sees them; Chainlit would read each into memory."""

import asyncio
import re
import shutil
import time
import unicodedata
import uuid
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

from chainlit.auth import get_current_user
from chainlit.session import WebsocketSession
from fastapi import Depends, FastAPI, HTTPException, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, UploadFile
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.chat_options import ChatOptions

PATH = "/project/file"
# Not the type that Chainlit knows: it would open each file in a viewer within the question.
MEDIA_TYPE = "application/x-pdf"
MEGABYTE = 1_000_000
_AROUND = 20_000  # bytes of a form around its file
CONNECTING_SECONDS = 3.0
MOST_OTHERWISE = 4 * MEGABYTE  # what people and cards send besides files


def upload_app(options: ChatOptions) -> FastAPI:
    """Takes one file into the sender's session, on the disk. What is in it is looked at when the message is sent."""
    app = FastAPI(openapi_url=None)
    rate = HourlyRate(options.uploads_per_hour)

    @app.post(PATH)
    async def receive(
        request: Request, session_id: str, user: Annotated[Any, Depends(get_current_user)]
    ) -> dict[str, str]:
        session = await _session(session_id)
        if session is None:
            raise HTTPException(404, "this conversation has ended: reload the page")
        person = user.identifier if user else None
        if (session.user.identifier if session.user else None) != person:
            raise HTTPException(401, "this conversation is another person's")
        if not options.uploads:
            raise HTTPException(403, "files are not taken here: reports are added with `pageproof ingest`")
        if minutes := rate.minutes_to_wait(person):
            message = f"{options.uploads_per_hour} files an hour are taken from one person"
            raise HTTPException(429, f"{message}: try again in {minutes} min")
        try:
            async with request.form(max_files=1, max_fields=1) as form:
                file = form.get("file")
                if not isinstance(file, UploadFile):
                    raise HTTPException(400, "there is no file in the form")
                if (file.size or 0) > options.upload_megabytes * MEGABYTE:
                    raise HTTPException(413, too_large(options))
                return {"id": await _store(session, file)}
        except ClientDisconnect as error:
            raise HTTPException(400, "the sender went away") from error

    return app


def too_large(options: ChatOptions) -> str:
    """What is said of a file beyond the limit."""
    return f"it is larger than {options.upload_megabytes:,} MB, the most that is taken here"


async def _session(name: str) -> WebsocketSession | None:
    """The conversation; somebody may drop a file on a page that is only about to connect."""
    until = time.monotonic() + CONNECTING_SECONDS
    while True:
        session: WebsocketSession | None = WebsocketSession.get_by_id(name)
        if session is not None or time.monotonic() > until:
            return session
        await asyncio.sleep(0.1)


async def _store(session: WebsocketSession, file: UploadFile) -> str:
    number = str(uuid.uuid4())
    folder = Path(session.files_dir)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{number}.pdf"
    with path.open("wb") as target:
        await run_in_threadpool(shutil.copyfileobj, file.file, target, 1 << 20)
    session.files[number] = {
        "id": number,
        "path": path,
        "name": shown_name(file.filename),
        "size": path.stat().st_size,
        "type": MEDIA_TYPE,
    }
    return number


class BodyLimit:
    """Refuses a request whose body is too large: by its announced length, else as soon as it has gone beyond."""

    def __init__(self, app: ASGIApp, options: ChatOptions) -> None:
        self._app = app
        self._options = options

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let one request through, counting."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        is_file = scope["path"] == PATH
        most = self._options.upload_megabytes * MEGABYTE + _AROUND if is_file else MOST_OTHERWISE
        refusal = JSONResponse(
            {"detail": too_large(self._options) if is_file else "the request is too large"}, status_code=413
        )
        announced = Headers(scope=scope).get("content-length", "0")
        if not announced.isdigit() or int(announced) > most:
            await refusal(scope, receive, send)
            return
        counter = _Counter(receive, send, most)
        with suppress(ClientDisconnect):
            await self._app(scope, counter.receive, counter.send)
        if counter.is_beyond and not counter.has_answered:
            await refusal(scope, receive, send)


class _Counter:
    """The two ends of one request. A body that goes on beyond the limit ends as if its sender had gone away."""

    def __init__(self, receive: Receive, send: Send, most: int) -> None:
        self._receive, self._send, self._left = receive, send, most
        self.is_beyond = False
        self.has_answered = False

    async def receive(self) -> Message:
        if not self.is_beyond:
            message = await self._receive()
            self._left -= len(message.get("body", b""))
            self.is_beyond = self._left < 0
        return {"type": "http.disconnect"} if self.is_beyond else message

    async def send(self, message: Message) -> None:
        if not self.is_beyond or self.has_answered:  # what is said of half a body is not what its sender must know
            self.has_answered = True
            await self._send(message)


HOUR = 3600.0


class HourlyRate:
    """Counts what each person sends within an hour; for the event loop's thread."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._clock = clock
        self._sent: dict[str | None, deque[float]] = {}

    def minutes_to_wait(self, person: str | None) -> int:
        """Count one more and give 0, or give the minutes after which there is room again."""
        now = self._clock()
        sent = self._sent.setdefault(person, deque())
        while sent and sent[0] <= now - HOUR:
            sent.popleft()
        if len(sent) >= self._most:
            return 1 + int((sent[0] + HOUR - now) // 60)
        sent.append(now)
        return 0


LONGEST = 120  # characters
NAMELESS = "report.pdf"


def shown_name(given: str | None) -> str:
    """The last part of the name, without what a screen or a path would take for something else.

    No path is ever made of it; it is what people call the report.
    """
    last = re.split(r"[/\\]", given or "")[-1]
    # Control characters, and those that turn the direction of writing: "fdp.exe" must not look like "exe.pdf".
    visible = "".join(" " if c.isspace() else c for c in last if c.isspace() or unicodedata.category(c)[0] != "C")
    name = " ".join(visible.split()).lstrip(". ")
    stem, dot, suffix = name.rpartition(".")
    if len(name) > LONGEST and dot and len(suffix) <= 5:
        name = f"{stem[: LONGEST - len(suffix) - 2].rstrip()}….{suffix}"
    return name[:LONGEST] or NAMELESS
