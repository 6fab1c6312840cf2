"""Sign-in by password, with a limit on attempts; without people on file, whoever sits at this machine."""

# mypy: untyped-calls-exclude=chainlit

import asyncio
import hashlib
import logging
import threading
import time
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass

import jwt
from cachetools import LRUCache, TTLCache
from chainlit import server as chainlit_server
from chainlit.auth import create_jwt, get_token_from_cookies
from chainlit.auth.jwt import decode_jwt
from chainlit.config import config
from chainlit.session import ws_sessions_id
from chainlit.user import User
from fastapi import HTTPException, Request, Response
from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Receive, Scope, Send

from app.chat.session.people import AT_THIS_MACHINE, LOCAL, People, RightsOf, folded
from app.web_guards import WhoseOf, network_of, place_of

FREE = 5
"""Wrong passwords for one name from one address before the next has to wait."""
FREE_FOR_AN_ADDRESS = 25
FREE_FOR_A_NAME = 50
FIRST_WAIT, LONGEST_WAIT = 30.0, 900.0
_REMEMBERED_ATTEMPTS = 20_000  # counters; the oldest are forgotten first
_FORGOTTEN_AFTER = 3600.0


class Attempts:
    """Counts failures by name with address, by address, and by name; each further one doubles the wait.

    The name alone is allowed most, so that a stranger cannot lock a person out by guessing from one place.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._failures: TTLCache[tuple[str, ...], tuple[int, float]] = TTLCache(
            _REMEMBERED_ATTEMPTS, _FORGOTTEN_AFTER, timer=now
        )

    def seconds_to_wait(self, name: str, address: str) -> float:
        """How long no password is looked at; 0 where one may be tried."""
        with self._lock:
            return max(self._wait(key, free) for key, free in _counters(name, address))

    def failed(self, name: str, address: str) -> None:
        """A wrong password."""
        with self._lock:
            for key, _ in _counters(name, address):
                count, _ = self._failures.get(key, (0, 0.0))
                self._failures[key] = (count + 1, self._now())

    def succeeded(self, name: str, address: str) -> None:
        """The right one: what this person mistyped here is forgotten."""
        with self._lock:
            self._failures.pop(_counters(name, address)[0][0], None)

    def _wait(self, key: tuple[str, ...], free: int) -> float:
        count, last = self._failures.get(key, (0, 0.0))
        if count < free:
            return 0.0
        wait = min(FIRST_WAIT * 2.0 ** min(count - free, 10), LONGEST_WAIT)
        return max(0.0, last + wait - self._now())


def _counters(name: str, address: str) -> tuple[tuple[tuple[str, ...], int], ...]:
    name, place = folded(name[:200]), network_of(address)
    return (
        (("both", name, place), FREE),
        (("address", place), FREE_FOR_AN_ADDRESS),
        (("name", name), FREE_FOR_A_NAME),
    )


logger = logging.getLogger(__name__)
_COOKIE = "access_token"
_MARK = "mark"
_AT_ONCE = 2  # passwords hashed at a time: each takes a core and 16 MB
_RENEWED_AFTER = 3600.0
_REMEMBERED = 10_000
_LOOKED_AT_EVERY = 1.0  # seconds
_from: ContextVar[str] = ContextVar("address", default="")


@dataclass(frozen=True)
class Speaking:
    """Who speaks.

    Attributes:
        around: puts a look at who is speaking around the application.
        is_good: whether a token that opened a socket still speaks for its person.
        rights_of: what a person may do.
        whose: tells whose a connection is.
    """

    around: Callable[[ASGIApp], ASGIApp] = lambda app: app
    is_good: Callable[[str | None], bool] = lambda _: True
    rights_of: RightsOf = lambda _: AT_THIS_MACHINE
    whose: WhoseOf = place_of


def speaking(people: People, *, needs_a_person: bool) -> Speaking:
    """Tell Chainlit how people sign in.

    Args:
        people: who may; nobody means that whoever sits at this machine is let in.
        needs_a_person: whether that one has a name: what is kept must belong to somebody.
    """
    config.code.password_auth_callback = config.code.header_auth_callback = config.code.on_logout = None
    if people:
        sign_in = SignIn(people)
        # Chainlit's decorators would turn "too many attempts" into "wrong password".
        config.code.password_auth_callback = sign_in.check
        config.code.on_logout = sign_in.leave
        return Speaking(lambda app: SignedIn(app, sign_in), sign_in.is_good, people.rights, sign_in.whose)
    if needs_a_person:
        config.code.header_auth_callback = _local_person
        return Speaking(AtThisMachine)
    return Speaking()


def owner_of(user: User | None) -> str | None:
    """The person whose own library and questions these are; None where nobody signs in."""
    return None if user is None or user.identifier == LOCAL else user.identifier


class SignIn:
    """Lets in those whose password is right, and keeps out those who may no longer come.

    Chainlit's token is good for days wherever it lies. Here it ends with the sign-out, with a change of the password,
    and when its person is no longer among the people.
    """

    def __init__(self, people: People, attempts: Attempts | None = None) -> None:
        self._people = people
        self._attempts = attempts or Attempts()
        self._hashing = asyncio.Semaphore(_AT_ONCE)
        self._ended: LRUCache[str, None] = LRUCache(_REMEMBERED)

    async def check(self, name: str, password: str) -> User | None:
        """The person, or None where name and password do not belong together.

        Raises:
            HTTPException: 429, too many wrong passwords.
        """
        address = _from.get()
        async with self._hashing:
            wait = self._attempts.seconds_to_wait(name, address)
            if wait > 0:
                logger.warning("sign-in from %s has to wait %.0f s", address, wait)
                raise HTTPException(429, "toomanyattempts", headers={"Retry-After": str(int(wait) + 1)})
            known = await asyncio.to_thread(self._people.verified, name, password)
        if known is None:
            self._attempts.failed(name, address)
            logger.warning("sign-in from %s failed", address)
            return None
        self._attempts.succeeded(name, address)
        return User(identifier=known, metadata={_MARK: self._people.mark(known)})

    async def leave(self, request: Request, response: Response) -> dict[str, bool]:
        """End the token that is signed out with, and the sockets that it opened."""
        del response
        if token := get_token_from_cookies(request.cookies):
            self._ended[_digest(token)] = None
            await close_sockets(token)
        return {"success": True}

    def is_good(self, token: str | None) -> bool:
        """Whether the token still speaks for its person."""
        if not token:
            return False
        try:
            user = decode_jwt(token)
        except jwt.InvalidTokenError:
            return False
        mark = self._people.mark(user.identifier)
        return mark is not None and user.metadata.get(_MARK) == mark and _digest(token) not in self._ended

    def whose(self, scope: Scope) -> str:
        """The person who opens a connection; the place that it comes from where nobody has signed in."""
        tokens = _tokens(Headers(scope=scope))
        is_known = bool(tokens) and all(map(self.is_good, tokens))
        return f"person {decode_jwt(tokens[0]).identifier}" if is_known else place_of(scope)

    async def watch(self) -> None:
        """Close the pages of people who may no longer come, soon after their file says so; never ends."""
        seen = self._people.changes
        while True:
            await asyncio.sleep(_LOOKED_AT_EVERY)
            self._people.all()
            if seen != self._people.changes:
                seen = self._people.changes
                for token in {session.token for session in ws_sessions_id.values() if session.token}:
                    if not self.is_good(token):
                        await close_sockets(token)


async def close_sockets(token: str) -> None:
    """Close every page's connection that was opened with a token."""
    for session in [found for found in ws_sessions_id.values() if found.token == token]:
        session.to_clear = True  # nobody can come back to it
        await chainlit_server.sio.disconnect(session.socket_id)


class SignedIn:
    """Takes tokens off requests that are no longer good, and knows where a request comes from."""

    def __init__(self, app: ASGIApp, sign_in: SignIn) -> None:
        self._app, self._sign_in = app, sign_in

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on one request or connection."""
        if scope["type"] == "lifespan":
            watch = asyncio.create_task(self._sign_in.watch())
            try:
                await self._app(scope, receive, send)
            finally:
                watch.cancel()
            return
        if scope["type"] in ("http", "websocket"):
            client = scope.get("client")
            _from.set(client[0] if client else "")
            tokens = _tokens(Headers(scope=scope))
            if tokens and not all(map(self._sign_in.is_good, tokens)):
                scope = _with_cookies(scope, {})
        await self._app(scope, receive, send)


class AtThisMachine:
    """Speaks for whoever sits at this machine: history and feedback need a person, and nobody has to sign in."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._token, self._made = "", 0.0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on one request or connection, in the name of the local person."""
        if scope["type"] in ("http", "websocket"):
            if not self._token or time.monotonic() - self._made > _RENEWED_AFTER:
                self._token, self._made = create_jwt(local_person()), time.monotonic()
            scope = _with_cookies(scope, {_COOKIE: self._token})
        await self._app(scope, receive, send)


async def _local_person(_: Headers) -> User:
    return local_person()


def local_person() -> User:
    """Whoever sits at this machine."""
    return User(identifier=LOCAL, display_name="You")


def _tokens(headers: Headers) -> list[str]:
    cookies = cookie_parser(headers.get("cookie", ""))
    scheme, _, bearer = headers.get("authorization", "").partition(" ")
    found = [get_token_from_cookies(cookies), bearer.strip() if scheme.lower() == "bearer" else None]
    return [token for token in found if token]


def _with_cookies(scope: Scope, tokens: dict[str, str]) -> Scope:
    """The request with these tokens and no others; its other cookies stay."""
    headers = [(k, v) for k, v in scope["headers"] if k not in (b"cookie", b"authorization")]
    cookies = cookie_parser(Headers(scope=scope).get("cookie", ""))
    retained = {name: value for name, value in cookies.items() if not name.startswith(_COOKIE)} | tokens
    if retained:
        line = "; ".join(f"{name}={value}" for name, value in retained.items())
        headers.append((b"cookie", line.encode("latin-1", "replace")))
    return {**scope, "headers": headers}


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
