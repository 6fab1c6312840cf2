"""Uploads are checked and streamed to disk before Chainlit sees them; Chainlit would read each into memory."""

import asyncio
import shutil
import time
import uuid
from pathlib import Path
from typing import Annotated, Any

from chainlit.auth import get_current_user
from chainlit.session import WebsocketSession
from fastapi import Depends, FastAPI, HTTPException, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.requests import ClientDisconnect

from app.chat.session.people import AT_THIS_MACHINE, RightsOf
from app.chat.session.sign_in import owner_of
from app.chat.uploads.uploads import shown_name
from app.chat_options import ChatOptions
from app.web_guards import MostOf, Rate

PATH = "/project/file"
# Not the type that Chainlit knows: it would open each file in a viewer within the question.
MEDIA_TYPE = "application/x-pdf"
MEGABYTE = 1_000_000
_AROUND = 20_000  # bytes of a form around its file
CONNECTING_SECONDS = 3.0
MOST_OTHERWISE = MEGABYTE  # what people and cards send besides files


def upload_app(options: ChatOptions, rights_of: RightsOf = lambda _: AT_THIS_MACHINE) -> FastAPI:
    """Takes one file into the sender's session, on the disk. What is in it is looked at when the message is sent."""
    app = FastAPI(openapi_url=None)
    rate = Rate(options.uploads_per_hour)

    @app.post(PATH)
    async def receive(
        request: Request, session_id: str, user: Annotated[Any, Depends(get_current_user)]
    ) -> dict[str, str]:
        session, person = await session_of(session_id, user), user.identifier if user else None
        if not options.uploads:
            raise HTTPException(403, "files are not taken here: reports are added with `pageproof ingest`")
        if not rights_of(owner_of(user)).sends:
            raise HTTPException(
                403, "your role is reader: you can ask and read, and a keeper can let you send reports"
            )
        if minutes := -(-rate.seconds_to_wait(person) // 60):
            message = f"{options.uploads_per_hour} files an hour are taken from one person"
            raise HTTPException(429, f"{message}: try again in {minutes:.0f} min")
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


def most_of(options: ChatOptions) -> MostOf:
    """How large requests may be: files as the options say, and everything else is small."""
    file = (options.upload_megabytes * MEGABYTE + _AROUND, too_large(options))
    other = (MOST_OTHERWISE, "the request is too large")
    return lambda scope: file if scope["path"] == PATH else other


async def session_of(name: str, user: Any) -> WebsocketSession:
    """The open conversation of a person, by the id of its session.

    Raises:
        HTTPException: 404, it is not open; 401, it is another person's.
    """
    session = await _session(name)
    if session is None:
        raise HTTPException(404, "this conversation has ended: reload the page")
    if (session.user.identifier if session.user else None) != (user.identifier if user else None):
        raise HTTPException(401, "this conversation is another person's")
    return session


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
