"""What a team has beside the chat: a page of people with invitations, and conversations that are shared by a link."""

import asyncio
import datetime as dt
import time
from collections.abc import Mapping, Sequence
from functools import partial
from html import escape
from pathlib import Path
from typing import Annotated, TypeVar

from chainlit.auth import get_current_user
from chainlit.user import User
from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response
from pydantic import BaseModel, Field

from app.chat.cards.screen import sentence
from app.chat.cards.words import speech_of
from app.chat.history.data_layer import History
from app.chat.report_pages import ReportHomes
from app.chat.session.conversation import StoredAnswer
from app.chat.session.people import Invitation, NotAllowed, People, Person, PersonState, Role, folded
from app.chat.session.people_file import PeopleFile
from app.chat.session.sign_in import owner_of
from app.chat.uploads.middleware import session_of
from app.files.answer_pages import as_cards, as_page, page_row
from app.files.sheets import FileQuestion
from app.page_pictures import (
    RECENT_BYTES,
    PagePictures,
    RecentPictures,
    SafeDrawing,
    page_address,
    picture_address,
)
from storage.errors import PageproofError, UsageError
from storage.records.record import Box, Record

T = TypeVar("T")
SHELL = Path(__file__).parent / "files" / "team.html"
_LONGEST = 200  # of a name; the longest that is taken is shorter
_MOST_AT_ONCE = 2  # passwords hashed at a time: each takes a core and 16 MB


class ListedPerson(Record):
    """One person on the page.

    Attributes:
        is_me: the one who looks, whom another must change.
        is_fixed: the environment of the chat names them; nothing here changes them.
    """

    name: str
    role: Role
    state: PersonState
    is_me: bool
    is_fixed: bool


class _Named(BaseModel):
    name: str = Field(max_length=_LONGEST)


class _WithRole(_Named):
    role: Role


class _Accepted(BaseModel):
    secret: str = Field(max_length=100)
    password: str = Field(max_length=2000)


class Team:
    """The people of a chat, as its keepers change them."""

    def __init__(self, people: People, file: Path | None, environment: Mapping[str, str]) -> None:
        """Show `people`; without a file, only the environment names them, and nothing is changed here."""
        self._people = people
        self._file = PeopleFile(file, environment) if file else None

    def must_manage(self, name: str | None) -> str:
        """The name of somebody who manages people.

        Raises:
            NotAllowed: they do not.
        """
        if name is None or not self._people.rights(name).manages:
            raise NotAllowed("only keepers can do this")
        return name

    def listed(self, me: str) -> tuple[ListedPerson, ...]:
        """Everyone, by name."""
        now, known = time.time(), sorted(self._people.all().values(), key=lambda person: folded(person.name))
        return tuple(
            ListedPerson(name=p.name, role=p.role, state=p.state(now), is_me=p.name == me, is_fixed=p.is_fixed)
            for p in known
        )

    def invite(self, name: str, role: Role, by: str) -> str:
        """Add a person who chooses a password by a link; the secret part of the link, which is stored nowhere."""
        secret, invitation = Invitation.new(time.time())
        self._book.add(Person.new(name, invitation, role), by)
        return secret

    def invite_again(self, name: str, by: str) -> str:
        """Let a person choose a password anew; the one of before ends at once."""
        secret, invitation = Invitation.new(time.time())
        self._book.change(name, secret=invitation, by=by)
        return secret

    def change(self, name: str, role: Role, by: str) -> None:
        """Give a person another role."""
        self._book.change(name, role=role, by=by)

    def revoke(self, name: str, by: str) -> None:
        """Let a person come no more."""
        self._book.revoke(name, by)

    def accept(self, secret: str, password: str) -> str:
        """Set the password of an invited person; their name."""
        return self._book.accept(secret, password)

    @property
    def _book(self) -> PeopleFile:
        if self._file is None:
            raise UsageError("people are named in the environment of this chat: change them there")
        return self._file


def people_pages(team: Team) -> FastAPI:
    """The routes below `/team`, and `/invite`. Who asks is looked at again while the file is locked."""
    app = FastAPI(openapi_url=None)
    person = Annotated[User | None, Depends(get_current_user)]
    hashing = asyncio.Semaphore(_MOST_AT_ONCE)

    @app.get("/team")
    @app.get("/invite")
    def shell() -> Response:  # the same for everybody: what it shows is asked for
        return HTMLResponse(SHELL.read_text(encoding="utf-8"), headers={"Cache-Control": "no-cache"})

    @app.get("/team/people")
    def listed(user: person) -> tuple[ListedPerson, ...]:
        return team.listed(team.must_manage(owner_of(user)))

    @app.post("/team/people")
    def invite(given: _WithRole, user: person) -> dict[str, str]:
        return {"secret": team.invite(given.name, given.role, team.must_manage(owner_of(user)))}

    @app.post("/team/link")
    def invite_again(given: _Named, user: person) -> dict[str, str]:
        return {"secret": team.invite_again(given.name, team.must_manage(owner_of(user)))}

    @app.put("/team/people")
    def change(given: _WithRole, user: person) -> dict[str, bool]:
        team.change(given.name, given.role, team.must_manage(owner_of(user)))
        return {"done": True}

    @app.delete("/team/people")
    def revoke(given: _Named, user: person) -> dict[str, bool]:
        team.revoke(given.name, team.must_manage(owner_of(user)))
        return {"done": True}

    @app.post("/invite")
    async def accept(given: _Accepted) -> dict[str, str]:
        async with hashing:
            return {"name": await asyncio.to_thread(team.accept, given.secret, given.password)}

    add_refusals(app)
    return app


class OpenConversation(Record):
    """What the page of an open conversation may offer.

    Attributes:
        thread: the conversation's id; None before its first answer.
        link: the id of the link that shares it.
        can_link: people sign in here, so that a link leads somewhere.
    """

    thread: str | None
    link: str | None
    can_link: bool
    manages: bool


class SharedAnswers(Record):
    """A shared conversation on the screen; `cards` is HTML in which everything foreign is escaped."""

    name: str
    owner: str
    at: dt.datetime
    cards: str


class Sharing:
    """Conversations as others may see them."""

    def __init__(self, history: History, homes: ReportHomes, people: People) -> None:
        self._history, self._homes, self._people = history, homes, people
        self._drawing, self._recent = SafeDrawing(), RecentPictures(RECENT_BYTES)
        self._turn = asyncio.Semaphore(1)  # pages that are written at a time

    async def opened(self, thread: str, user: User) -> OpenConversation:
        """What may be done with the conversation that somebody has open."""
        is_theirs = await self._history.get_thread_author(thread) == user.identifier
        has_answers = is_theirs and bool(await self._history.answers(thread))
        return OpenConversation(
            thread=thread if has_answers else None,
            link=await self._history.link_of(user.identifier, thread) if has_answers else None,
            can_link=bool(self._people),
            manages=self._people.rights(owner_of(user)).manages,
        )

    async def share(self, thread: str, user: User) -> str | None:
        """The id of a link to a person's conversation; None where it is not theirs, or nobody signs in."""
        return await self._history.share(user.identifier, thread) if self._people else None

    async def unshare(self, thread: str, user: User) -> bool:
        """Take a link back."""
        return await self._history.unshare(user.identifier, thread)

    async def read(self, link: str, reader: User) -> SharedAnswers | None:
        """What a link shows to somebody who is signed in; None where there is none, or its owner may come no more."""
        found = await self._history.shared(link) if self._people else None
        if found is None or self._people.mark(found.owner) is None:
            return None
        draw = partial(self._place, owner_of(reader), found.owner)
        rows = [page_row(each.answer, None) for each in found.answers]
        cards = await asyncio.to_thread(as_cards, rows, draw)
        return SharedAnswers(name=found.name, owner=found.owner, at=found.at, cards=cards)

    async def page(self, thread: str, user: User) -> bytes | None:
        """A person's conversation as one HTML file with pictures of the cited pages; None where it is not theirs."""
        if await self._history.get_thread_author(thread) != user.identifier:
            return None
        answers, known = await self._history.answers(thread), await self._history.get_thread(thread)
        title = str((known["name"] if known else None) or "Answers")
        async with self._turn:
            return await asyncio.to_thread(self._written, answers, title, owner_of(user))

    def _written(self, answers: tuple[StoredAnswer, ...], title: str, owner: str | None) -> bytes:
        def picture(sha1: str, page: int, boxes: Sequence[Box]) -> bytes:
            found = self._homes.find(sha1, owner)
            if found is None:
                raise UsageError("this report is not in the library any more")
            return PagePictures(found.paths, self._drawing.of(owner), self._recent).png(sha1, page, boxes)

        rows = [(FileQuestion(question=each.question), page_row(each.answer, None)) for each in answers]
        return as_page(rows, title, picture)

    def _place(self, reader: str | None, owner: str, sha1: str, page: int, boxes: Sequence[Box]) -> str:
        """A cited page for the reader of a link; of a report that they may not see, only where it is."""
        if self._homes.find(sha1, reader) is None:
            is_there = self._homes.find(sha1, owner) is not None
            why = (
                "This report is in its owner's library."
                if is_there
                else "This report is not in the library any more."
            )
            return f'<p class="note">{escape(why)}</p>'
        link, picture = (escape(address(sha1, page, boxes)) for address in (page_address, picture_address))
        return (
            f'<p><a href="{link}">Open page {page}</a></p>'
            f'<a href="{link}" tabindex="-1"><img loading="lazy" alt="page {page}" src="{picture}"></a>'
        )


def sharing_pages(sharing: Sharing) -> FastAPI:
    """The routes below `/sharing` for a conversation's owner, and below `/shared/` for whoever has its link."""
    app = FastAPI(openapi_url=None)
    person = Annotated[User | None, Depends(get_current_user)]

    @app.get("/sharing")
    async def opened(session_id: str, user: person) -> OpenConversation:
        session = await session_of(session_id, user)
        return await sharing.opened(session.thread_id, _signed_in(user))

    @app.put("/sharing/{thread_id}")
    async def share(thread_id: str, user: person) -> dict[str, str]:
        return {"link": _there(await sharing.share(thread_id, _signed_in(user)))}

    @app.delete("/sharing/{thread_id}")
    async def unshare(thread_id: str, user: person) -> dict[str, bool]:
        return {"done": _there(await sharing.unshare(thread_id, _signed_in(user)) or None)}

    @app.get("/sharing/{thread_id}/answers.html")
    async def page(thread_id: str, user: person) -> Response:
        content = _there(await sharing.page(thread_id, _signed_in(user)))
        name = f"pageproof-{dt.datetime.now(dt.UTC):%Y-%m-%d}.html"
        headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
        return Response(content, media_type="text/html; charset=utf-8", headers=headers)

    @app.get("/shared/{link_id:path}/answers")
    async def read(link_id: str, user: person, response: Response) -> SharedAnswers:
        response.headers["Cache-Control"] = "no-store"
        return _there(await sharing.read(link_id, _signed_in(user)))

    @app.get("/shared/{link:path}")
    def shell(link: str) -> Response:
        del link  # the page is the same for every link, also for what is none; what it shows is asked for
        return HTMLResponse(SHELL.read_text(encoding="utf-8"), headers={"Cache-Control": "no-cache"})

    add_refusals(app)
    return app


def _there(found: T | None) -> T:
    if found is None:
        raise HTTPException(404, "There is no such conversation, or it is not shared any more.")
    return found


def _signed_in(user: User | None) -> User:
    if user is None:
        raise HTTPException(401, "nobody is signed in")
    return user


def add_refusals(app: FastAPI) -> None:
    """Let an application say in words what cannot be done."""

    @app.exception_handler(PageproofError)
    def refused(request: Request, error: PageproofError) -> Response:
        status = 403 if isinstance(error, NotAllowed) else 400
        said = speech_of(request.headers.get("accept-language", ""))(sentence(str(error)))
        return JSONResponse({"detail": said}, status_code=status)
