"""Ids that a browser sends: whatever is no UUID is refused, at every route and every event of the socket."""

from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from starlette.routing import Mount

from app.chat.launcher import local_origins
from app.chat_options import ChatOptions
from tests.support.doubles.chat_client import ScriptedClient
from tests.support.doubles.chat_routes import places, routes
from tests.support.doubles.chat_sessions import id_of, recorded_session
from tests.support.doubles.chat_visit import HOST, PORT

SESSION = id_of("session")
MESSAGE = "0c9f6a1e-52d7-4b1c-9a57-0d8b1f3e6c24"
HOSTILE = [
    "/tmp/elsewhere", "../../elsewhere", "..", ".", "x", "a/b", "\x00", "ann",
    SESSION.upper(), SESSION.replace("-", ""), f"{{{SESSION}}}", f"urn:uuid:{SESSION}", f"{SESSION}\n", f"{SESSION}/..",
]  # fmt: skip
NO_TEXTS = [7, True, ["x"], {"a": "b"}, 1.5]
# What else a path or a query may name, and who looks at it.
OTHERS = {
    "filename": "a static file; Chainlit holds it inside its folder",
    "full_path": "answered with the page, whatever it is",
    "avatar_id": "an author's name; Chainlit takes letters, digits, spaces, '.' and '-'",
    "sha1": "looked up in the catalog", "company": "looked up in the library",
    "link": "of a page that is the same for all; the route that it asks looks at it",
    "page": "a number", "boxes": "numbers", "order": "numbers", "scale": "one of a few numbers", "words": "a search",
    "shown": "one of a few filters", "language": "a pattern", "chat_profile": "compared with names",
    "theme": "one of two", "error": "of OAuth, which is shut", "code": "of OAuth", "state": "of OAuth",
}  # fmt: skip


def application(data: Path) -> Any:
    from chainlit import server

    from app.chat.routes import conversation_pages, front
    from app.chat.sources.routes import source_pages
    from app.chat.team_pages import people_pages, sharing_pages

    team, sharing = people_pages(None), sharing_pages(None)  # type: ignore[arg-type]  # nor here
    pages = conversation_pages(None, lambda _: None, None)  # type: ignore[arg-type]  # nothing comes so far
    sources = source_pages(None)  # type: ignore[arg-type]  # nor here
    return front(
        server,
        ScriptedClient(data),
        local_origins(HOST, PORT),
        ChatOptions(),
        pages=[
            ("/feedback", pages),
            ("/conversation/", pages),
            ("/sources", sources),
            ("/team", team),
            ("/invite", team),
            ("/sharing", sharing),
            ("/shared/", sharing),
        ],
    )


def browser(data: Path) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app=application(data), raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}:{PORT}")


async def test_a_session_whose_id_is_a_folder_removes_no_folder(tmp_path: Path) -> None:
    from chainlit import server
    from socketio.exceptions import ConnectionRefusedError as Refused

    victim = tmp_path / "victim"
    victim.mkdir()
    application(tmp_path / "data")
    events = server.sio.handlers["/"]
    for number, folder in enumerate([str(victim), f"../../../../../../../../..{victim}"]):
        with suppress(Refused):
            await events["connect"](f"socket {number}", {}, {"sessionId": folder, "clientType": "webapp"})
        await events["clear_session"](f"socket {number}")
        await events["disconnect"](f"socket {number}")
    assert victim.is_dir()


async def test_a_session_that_got_in_with_a_path_neither_takes_nor_removes_files(tmp_path: Path) -> None:
    from chainlit.session import WebsocketSession, ws_sessions_id, ws_sessions_sid

    victim = tmp_path / "victim"
    victim.mkdir()
    async with browser(tmp_path / "data"):
        session = WebsocketSession(
            id=str(victim), socket_id="s", emit=None, emit_call=None, user_env={}, client_type="webapp"
        )
        with pytest.raises(ValueError, match="expected a UUID"):
            await session.delete()
        with pytest.raises(ValueError, match="expected a UUID"):
            await session.persist_file(name="a", mime="application/pdf", content=b"x")
    ws_sessions_id.clear(), ws_sessions_sid.clear()
    assert list(victim.iterdir()) == []


async def test_a_file_for_a_session_that_is_a_path_is_written_nowhere(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    async with browser(tmp_path / "data") as http:
        response = await http.post(
            "/project/file", params={"session_id": str(victim)}, files={"file": ("a.pdf", b"%PDF-")}
        )
    assert (response.status_code, response.json()) == (
        400,
        {"detail": "session_id is no id of this chat: reload the page"},
    )
    assert not victim.exists()


async def test_no_route_takes_an_id_that_is_none(tmp_path: Path) -> None:
    from app.chat.routes import _SHUT

    table = [
        (method, route.path, part, name)
        for route in routes()
        if not route.path.startswith(_SHUT)
        for method in sorted(route.methods or ())
        for part, name in dict.fromkeys(places(route))
        if name not in OTHERS and (part != "body" or name == "cursor" or name.lower().endswith("id"))
    ]
    assert {"session_id", "thread_id", "element_id", "file_id", "sessionId", "threadId", "forId", "cursor"} <= {
        name for *_, name in table
    }
    async with browser(tmp_path) as http:
        for method, path, part, name in table:
            for hostile in HOSTILE if part != "body" else [*HOSTILE, *NO_TEXTS]:
                response = await ask(http, method, path, part, name, hostile)
                where = f"{method} {path}: {part} {name} = {hostile!r}"
                assert response is None or response.status_code == 400, where
                if response is not None and method != "HEAD":
                    said = response.json()["detail"]
                    is_unreadable = isinstance(hostile, str) and not hostile.isprintable()
                    assert said == f"{name} is no id of this chat: reload the page" or (
                        is_unreadable and said.startswith("the request cannot be read: ")
                    ), where


async def ask(
    http: httpx.AsyncClient, method: str, path: str, part: str, name: str, hostile: Any
) -> httpx.Response | None:
    """The reply to one hostile value; None where a path with it is another route's."""
    values = dict.fromkeys(("session_id", "thread_id", "step_id", "element_id", "file_id", "sha1"), SESSION)
    if part == "path":
        takes_slashes = f"{{{name}:path}}" in path
        never = "\n" if takes_slashes else "/"  # in a path that this route answers
        if {".", ".."} & set(hostile.split("/")) or never in hostile:
            return None
        values[name] = quote(hostile)
    query = {"session_id": SESSION, name: hostile} if part == "query" else {"session_id": SESSION}
    body = {"sessionId": SESSION, "deep": [{name: hostile}]} if part == "body" else None
    return await http.request(method, path.replace(":path}", "}").format(**values), params=query, json=body)


def test_whatever_a_path_or_a_query_names_is_an_id_or_known_to_be_none() -> None:
    from app.chat.session.client_ids import wrong_ids

    seen = {name for route in routes() for part, name in places(route) if part != "body"}
    checked = {name for name in seen if list(wrong_ids({name: "no id"}))}
    assert seen - checked - {"provider_id"} == set(OTHERS)
    assert {"session_id", "thread_id", "element_id", "file_id", "ask_parent_id"} <= checked


def test_the_route_table_is_the_applications(tmp_path: Path) -> None:
    from chainlit import server

    application(tmp_path)
    assert set(server.app.openapi()["paths"]) <= {
        route.path_format for route in routes()
    }  # FastAPI's own list of what it answers
    assert [route.path for route in server.app.routes if isinstance(route, Mount)] == ["/ws/socket.io"]


@pytest.mark.parametrize("path", ["/openapi.json", "/docs", "/docs/oauth2-redirect", "/redoc"])
async def test_the_list_of_routes_is_shown_to_nobody(tmp_path: Path, path: str) -> None:
    async with browser(tmp_path) as http:
        assert (await http.get(path)).status_code == 404


@pytest.mark.parametrize("content_type", ["application/json", "text/plain", "multipart/form-data; boundary=x", ""])
async def test_a_body_is_looked_at_under_whatever_type_it_comes(tmp_path: Path, content_type: str) -> None:
    async with browser(tmp_path) as http:
        response = await http.post(
            "/set-session-cookie", content=b'{"session_id": "../x"}', headers={"content-type": content_type}
        )
        assert response.status_code == 400
        assert "set-cookie" not in response.headers
        form = await http.post("/set-session-cookie", data={"session_id": "../x"})
        assert form.status_code == 400


async def test_a_body_with_true_ids_arrives_as_it_was_sent(tmp_path: Path) -> None:
    async with browser(tmp_path) as http:
        response = await http.post("/set-session-cookie", json={"session_id": SESSION})
    assert response.json() == {"message": "Session cookie set"}
    assert SESSION in response.headers["set-cookie"]


@pytest.mark.parametrize("hostile", [*HOSTILE, *NO_TEXTS, None, ""])
async def test_a_connection_under_no_id_is_refused(tmp_path: Path, hostile: Any) -> None:
    from chainlit import server
    from chainlit.session import ws_sessions_id
    from socketio.exceptions import ConnectionRefusedError as Refused

    application(tmp_path)
    connect = server.sio.handlers["/"]["connect"]
    with pytest.raises(Refused):
        await connect("socket", {}, {"sessionId": hostile, "clientType": "webapp"})
    if hostile:
        with pytest.raises(Refused):
            await connect("socket", {}, {"sessionId": SESSION, "threadId": hostile, "clientType": "webapp"})
    assert ws_sessions_id == {}


@pytest.mark.parametrize("auth", [None, "x", [], {}, {"sessionId": SESSION, "clientType": []}])
async def test_a_connection_that_says_nothing_sensible_is_refused(tmp_path: Path, auth: Any) -> None:
    from chainlit import server
    from socketio.exceptions import ConnectionRefusedError as Refused

    application(tmp_path)
    with pytest.raises(Refused):
        await server.sio.handlers["/"]["connect"]("socket", {}, auth)


async def test_no_event_of_the_socket_takes_an_id_that_is_none(tmp_path: Path) -> None:
    from chainlit import server

    application(tmp_path)
    before, heard = dict(server.sio.handlers["/"]), []
    message = {"id": MESSAGE, "name": "ann", "type": "user_message", "output": "Hello", "createdAt": None}

    async def hear(*sent: Any) -> None:
        heard.append(sent)

    events = [event for event in before if event not in ("connect", "disconnect")]
    assert {"client_message", "edit_message", "chat_settings_change"} <= set(events)
    try:
        for event in events:
            server.sio.on(event, hear)
        application(tmp_path)
        for event in events:
            handler = server.sio.handlers["/"][event]
            for name in ("id", "parentId", "threadId", "forId", "session_id", "element_id"):
                for hostile in [*HOSTILE, *NO_TEXTS]:
                    await handler("socket", {"message": {name: hostile}, "fileReferences": []})
                    await handler("socket", {"fileReferences": [{name: hostile}]})
            assert heard == []
            async with recorded_session("socket"):
                await handler("socket of socket", {"message": message | {"threadId": "", "parentId": None}})
            if event != "edit_message":  # which there is none of
                assert heard.pop()[0] == "socket of socket"
    finally:
        server.sio.handlers["/"].update(before)


async def test_an_event_in_another_form_is_left_out_with_one_line_and_no_trace(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    from chainlit import server

    application(tmp_path)
    events = server.sio.handlers["/"]
    good = {"id": MESSAGE, "name": "ann", "type": "user_message", "output": "Hello", "createdAt": None}
    wrong: list[tuple[Any, ...]] = [
        (),
        (1, 2, 3, 4),
        ("x",),
        ({},),
        ({"message": "x"},),
        ({"message": good | {"output": 7}},),
    ]
    wrong += [({"message": good, "fileReferences": 5},), ({"message": good | {"metadata": "x"}},)]
    async with recorded_session("socket"):
        for event in ("client_message", "edit_message", "message_favorite"):
            for sent in wrong:
                caplog.clear()
                await events[event]("socket of socket", *sent)
                assert [record.exc_info for record in caplog.records] == [None], (event, sent)
        await events["edit_message"]("socket of socket", {"message": good})
        assert caplog.messages[-1] == "left out an event 'edit_message': there is no such message"
        for event in sorted(set(events) - {"connect", "disconnect", "clear_session"}):
            await events[event]("socket of socket", 1, 2, 3, 4)


async def test_a_session_with_an_id_keeps_its_files_below_the_chats_own_folder(tmp_path: Path) -> None:
    from chainlit.config import FILES_DIRECTORY
    from chainlit.session import WebsocketSession

    application(tmp_path)
    async with recorded_session("session"):
        session = WebsocketSession.get_by_id(SESSION)
        assert session is not None
        assert session.files_dir == FILES_DIRECTORY / SESSION
