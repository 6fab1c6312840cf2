"""The page of those who manage people: who may sign in, invitations, roles; and where an invited person comes to."""

import asyncio
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from chainlit.auth import get_current_user
from chainlit.user import User
from fastapi import Depends, FastAPI, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response
from pydantic import BaseModel, Field

from app.chat.session.people import Invitation, NotAllowed, People, Person, PersonState, Role, folded
from app.chat.session.people_file import PeopleFile
from app.chat.session.sign_in import owner_of
from app.chat.uploads.handlers import sentence
from storage.errors import PageproofError, UsageError
from storage.records.record import Record

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


def add_refusals(app: FastAPI) -> None:
    """Let an application say in words what cannot be done."""

    @app.exception_handler(PageproofError)
    def refused(_: Request, error: PageproofError) -> Response:
        status = 403 if isinstance(error, NotAllowed) else 400
        return JSONResponse({"detail": sentence(str(error))}, status_code=status)
