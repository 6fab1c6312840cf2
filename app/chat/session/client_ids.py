"""Looks at what a browser sends before Chainlit does: every id is a canonical UUID, or the request is refused.

An event of the socket also has the form that Chainlit reads. Else it is left out with one line in the log, where
Chainlit would write a trace.

Chainlit joins a session's id to its folder of files and removes that folder when the session ends. So ids are checked
three times: in requests, in the socket's events, and where the folder of a session is named.
"""

# mypy: untyped-calls-exclude="socketio,chainlit"

import inspect
import json
import logging
import uuid
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import jwt
from chainlit import config as chainlit_config
from chainlit.auth import get_token_from_cookies
from chainlit.auth.jwt import decode_jwt
from chainlit.chat_context import chat_context
from chainlit.context import init_ws_context
from chainlit.data import get_data_layer
from chainlit.session import BaseSession, WebsocketSession
from fastapi import FastAPI
from pydantic import UUID4, BaseModel, StrictStr, TypeAdapter, ValidationError
from socketio import AsyncServer
from socketio.exceptions import ConnectionRefusedError as Refused
from starlette.datastructures import QueryParams
from starlette.requests import cookie_parser
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Receive, Scope, Send

from app.web_guards import Rate, body_again, whole_body
from storage.errors import QuestionTooLong, note_defect
from storage.incoming import Unsound, check_sound
from storage.lexicon.words import expression
from storage.records.questions import LONGEST_QUESTION, check_length
from storage.text import storable

logger = logging.getLogger(__name__)
Handler = Callable[..., Awaitable[Any]]
_UUID = expression(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_NO_IDS = frozenset({"avatar_id"})  # the name of an author; Chainlit takes letters, digits, spaces, '.' and '-'
_UNCHECKED = "unchecked"
_READS_ITS_BODY_ITSELF = "/set-session-cookie"  # of Chainlit; it takes for granted that this names a session
_SESSIONS = frozenset({"session_id", "sessionId"})


class _Step(BaseModel):
    """A message as the browser sends it. What else it carries, Chainlit leaves alone or hands on."""

    id: UUID4
    name: StrictStr
    type: StrictStr
    output: StrictStr
    createdAt: StrictStr | int | float | None  # noqa: N815  # Chainlit's name
    metadata: dict[str, Any] | None = None
    command: StrictStr | None = None
    modes: dict[str, StrictStr] | None = None


class _File(BaseModel):
    id: StrictStr


class _Sent(BaseModel):
    message: _Step
    fileReferences: list[_File] | None = None  # noqa: N815  # Chainlit's name


_SENT, _NAMED = TypeAdapter[Any](_Sent), TypeAdapter[Any](dict[StrictStr, Any])
_FORMS: dict[str, TypeAdapter[Any]] = {
    "client_message": _SENT,
    "edit_message": _SENT,
    "message_favorite": _SENT,
    "chat_settings_change": _NAMED,
    "chat_settings_edit": _NAMED,
    "audio_chunk": _NAMED,
}
"""Of the events that carry anything."""


def is_id(value: object) -> bool:
    """Whether this is a canonical UUID: 36 characters in small letters."""
    return isinstance(value, str) and _UUID.fullmatch(value) is not None


def wrong_ids(values: Any) -> Iterator[str]:
    """The names of ids, however deep in what a browser sent, that are none.

    A name is an id's by how it ends. Anything but a session's may be left empty.
    """
    rest = [values]
    while rest:
        value = rest.pop()
        if isinstance(value, Mapping):
            rest.extend(value.values())
            yield from (str(name) for name, content in value.items() if _is_wrong(name, content))
        elif isinstance(value, list | tuple):
            rest.extend(value)


def _is_wrong(name: object, value: object) -> bool:
    if not isinstance(name, str) or name in _NO_IDS:
        return False
    if (
        name not in ("id", "cursor")
        and not name.endswith("_id")
        and not (name[-2:] == "Id" and name[-3:-2].islower())
    ):
        return False
    is_empty = value is None or value == ""
    return not is_id(value) and not (is_empty and name not in _SESSIONS)


class CheckedIds:
    """Refuses requests to one application that name something by what is no id: in path, query or body."""

    def __init__(self, app: FastAPI, routes: Sequence[BaseRoute] = (), *, takes_files: bool = False) -> None:
        """Stand before an application.

        Args:
            app: it.
            routes: those that it took over from a router; FastAPI lists only its own.
            takes_files: whether it reads its bodies itself, so that they need not fit into memory.
        """
        self._app = app
        self._routes = [*app.routes, *routes]
        self._takes_files = takes_files

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on one request or connection, or refuse it."""
        values: list[Any] = []
        if scope["type"] == "http":
            route, in_path = self._route(scope)
            values = [
                in_path,
                *({name: value} for name, value in QueryParams(scope["query_string"]).multi_items()),
            ]
            if isinstance(route, Route) and not self._takes_files:
                body = await whole_body(receive)
                content = _content(body)
                values.append(content)
                if route.path == _READS_ITS_BODY_ITSELF:
                    values.append({"session_id": None, **(content if isinstance(content, dict) else {})})
                receive = body_again(body, receive)
        if wrong := next(wrong_ids(values), None):
            logger.warning("refused a request to %r: %s is no id", scope["path"], wrong)
            await JSONResponse({"detail": _no_id(wrong)}, status_code=400)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _route(self, scope: Scope) -> tuple[BaseRoute | None, dict[str, Any]]:
        """The route that answers, and what its path names; a path alone where no method fits."""
        partial: tuple[BaseRoute | None, dict[str, Any]] = None, {}
        for route in self._routes:
            match, child = route.matches(scope)
            if match is Match.FULL and "path_params" in child:
                return route, child["path_params"]
            if match is Match.PARTIAL and partial[0] is None:
                partial = route, child.get("path_params", {})
        return partial


async def _say_nothing(_: str) -> None:
    """Tell nobody."""


def check_events(
    server: AsyncServer,
    is_good: Callable[[str | None], bool] = lambda _: True,
    say_refused: Callable[[str], Awaitable[None]] = _say_nothing,
) -> None:
    """Put a look before everything that the socket calls; what is registered later is not covered.

    Args:
        server: the socket's.
        is_good: whether the token that a connection was opened with still speaks for its person.
        say_refused: tells the person why a question is not heard.
    """
    rate = Rate(MOST_QUESTIONS, _MINUTE)
    for namespace, handlers in server.handlers.items():
        for event, known in list(handlers.items()):
            handler = getattr(known, _UNCHECKED, known)  # another application may have put its own before it
            if event == "disconnect":  # it must be heard, and carries nothing but a reason
                continue
            is_first = event == "connect"
            checked = (
                _connecting(handler) if is_first else _hearing(server, event, handler, is_good, say_refused, rate)
            )
            setattr(checked, _UNCHECKED, handler)
            server.on(event, checked, namespace)


def _connecting(connect: Handler) -> Handler:
    async def checked(socket_id: str, environ: dict[str, Any], auth: Any = None) -> Any:
        names = auth if isinstance(auth, dict) else {}
        wrong = next(wrong_ids({"sessionId": None, **names}), None)
        if wrong or not all(value is None or isinstance(value, str) for value in names.values()):
            logger.warning("refused a connection: %s is no id", wrong or "something")
            raise Refused(_no_id(wrong or "something"))
        try:
            reply = await connect(socket_id, environ, await _of_own_conversation(environ, names))
        except (
            ConnectionRefusedError
        ) as error:  # Chainlit takes Python's, which the socket's server would not know
            raise Refused(str(error)) from error
        session = WebsocketSession.get(socket_id)
        if session is not None:  # one that is taken up again still has the token of the connection before
            session.token = get_token_from_cookies(cookie_parser(environ.get("HTTP_COOKIE", "")))
        return reply

    return checked


async def _of_own_conversation(environ: dict[str, Any], auth: dict[str, Any]) -> dict[str, Any]:
    """What a page says of itself, without the conversation of another person: it is then one that is not there.

    Chainlit would refuse the connection, and the page could say no more than that the server is away.
    """
    layer, wanted = get_data_layer(), auth.get("threadId")
    token = get_token_from_cookies(cookie_parser(environ.get("HTTP_COOKIE", "")))
    if layer is None or not wanted or not token:
        return auth
    author = await layer.get_thread_author(wanted)
    try:
        is_own = author in ("", decode_jwt(token).identifier)
    except jwt.InvalidTokenError:  # Chainlit refuses it
        return auth
    return auth if is_own else {**auth, "threadId": str(uuid.uuid4())}


def _hearing(
    server: AsyncServer,
    event: str,
    handler: Handler,
    is_good: Callable[[str | None], bool],
    say_refused: Callable[[str], Awaitable[None]],
    rate: Rate,
) -> Handler:
    async def checked(socket_id: str, *sent: Any) -> Any:
        session = WebsocketSession.get(socket_id)
        if session is not None and not is_good(session.token):
            await server.disconnect(socket_id)
            return None
        if wrong := next(wrong_ids(sent), None):
            logger.warning("left out an event %r: %s is no id", event, wrong)
            return None
        try:
            sent = _sound(event, sent)
        except Unsound as error:
            logger.warning("left out an event %r: %s", event, error)
            return None
        if session is None or not _has_its_form(event, handler, sent):
            logger.warning("left out an event %r: no open page sends it in this form", event)
            return None
        if event == "edit_message" and not _is_there(session, sent[0]["message"]["id"]):
            logger.warning("left out an event %r: there is no such message", event)
            return None
        if event in _QUESTIONS and (why := _too_long(sent[0]["message"]["output"]) or _too_many(session, rate)):
            init_ws_context(session)
            await say_refused(why)
            return None
        try:
            return await handler(socket_id, *sent)
        except Exception as error:  # noqa: BLE001  # the socket's server would write what was sent into the log
            note_defect(logger, f"an event {event!r} failed", error)
            return None

    return checked


_QUESTIONS = ("client_message", "edit_message")
_MOST_CHARACTERS = 200_000  # of an event; a question that is too long is told so


def _sound(event: str, sent: tuple[Any, ...]) -> tuple[Any, ...]:
    """What an event carries; in a question, half a character is one that nobody can read, not a reason to refuse it.

    Raises:
        Unsound: it carries what nothing here can store or show.
    """
    if event in _QUESTIONS and sent and isinstance(sent[0], dict) and isinstance(sent[0].get("message"), dict):
        message = sent[0]["message"]
        if isinstance(message.get("output"), str):
            sent = ({**sent[0], "message": {**message, "output": storable(message["output"])}}, *sent[1:])
            if len(message["output"]) > LONGEST_QUESTION:
                return sent  # it is said how long it is, and nothing of it is stored
    check_sound(sent, _MOST_CHARACTERS)
    return sent


def _too_many(session: WebsocketSession, rate: Rate) -> str:
    person = session.user.identifier if session.user else session.id
    if wait := rate.seconds_to_wait(person):
        return f"at most {MOST_QUESTIONS} questions a minute are heard: ask again in {wait:.0f} s"
    return ""


MOST_QUESTIONS, _MINUTE = 120, 60.0
"""Of one person; nobody types as many, and each is stored."""


def _too_long(text: str) -> str:
    try:
        check_length(text)
    except QuestionTooLong as error:
        return str(error)
    return ""


def _is_there(session: WebsocketSession, message_id: str) -> bool:
    init_ws_context(session)
    return any(message.id == message_id for message in chat_context.get())


def _has_its_form(event: str, handler: Handler, sent: tuple[Any, ...]) -> bool:
    """Whether an event carries what its handler reads."""
    try:
        inspect.signature(handler).bind("", *sent)
        if event in _FORMS:
            _FORMS[event].validate_python(*sent)
    except (TypeError, ValidationError):
        return False
    return True


def guard_session_folders() -> None:
    """Let Chainlit name the folder of a session only by an id, whoever made the session."""
    BaseSession.files_dir = property(session_folder)  # type: ignore[assignment, method-assign]  # read as a value


def session_folder(session: BaseSession) -> Path:
    """Where the files of a session are.

    Raises:
        ValueError: its id is none, and could lead anywhere.
    """
    if not is_id(session.id):
        raise ValueError(f"a session has the id {session.id!r}: expected a UUID")
    return Path(chainlit_config.FILES_DIRECTORY) / session.id


def _content(body: bytes | None) -> Any:
    """What the body says, in whichever form a route may read it."""
    try:
        return json.loads(body or b"null")
    except (ValueError, RecursionError):
        return [{name: value} for name, value in parse_qsl((body or b"").decode("utf-8", "replace"))]


def _no_id(name: str) -> str:
    return f"{name[:100]} is no id of this chat: reload the page"
