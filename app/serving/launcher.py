"""Starts a server, or MCP over stdio, in this process."""

import os
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from starlette.types import ASGIApp

from app.assembly.client import Pageproof
from app.assembly.shared_parts import SharedParts
from app.chat.launcher import beside_answers, guard_library, listen, local_origins, silence_fastapi
from app.chat.session.client_pool import ClientPool, Key
from app.chat.session.people import People
from app.chat.uploads.uploads import Uploads
from app.serving.api import beside, build_api
from app.serving.mcp_server import build_mcp
from app.serving.service import Service
from app.serving.tokens import Tokens
from app.settings import Settings, data_paths, load_settings
from app.web_server import run_server
from pageproof import open_pageproof
from storage.process_memory import freeze_loaded_objects


def serve(
    profile: str, overrides: Sequence[str], data: Path | None, host: str = "127.0.0.1", port: int = 8000
) -> None:
    """Serve the API until interrupted.

    Args:
        profile: the profile's name.
        overrides: settings as `key=value`.
        data: the data root; None takes the usual one.
        host: an address of this machine; other machines reach it only with a token.
        port: 0 takes a free one.

    Raises:
        UsageError: others could come in without a token, the port is taken, or a setting is wrong.
        SetupError: a key, an extra or weights are missing.
    """
    guard_library(data_paths(data))
    settings = load_settings(profile, overrides, data=data)
    people = People.load(settings.chat.people, os.environ)
    tokens = tokens_of(settings, data)
    # As in the chat: only where everybody is known may others than this machine's own come in.
    reach = settings.chat.model_copy(update={"origins": settings.serve.origins})
    with listen(host, port, reach, signs_in=bool(people) or tokens.is_closed()) as listener:
        silence_fastapi()
        with _service(profile, overrides, settings, data) as service:
            origins = [*local_origins(*listener.getsockname()[:2]), *settings.serve.origins]
            app = _application(service, tokens, settings, listener, origins, bool(people))
            shown = (settings.serve.origins or origins)[0]
            sys.stdout.write(f"Pageproof API on {shown}/v1, its documentation on {shown}/docs (Ctrl+C ends it)\n")
            sys.stdout.flush()
            run_server(app, listener, behind_proxy=bool(settings.serve.origins))


def serve_mcp(profile: str, overrides: Sequence[str], data: Path | None) -> None:
    """Serve MCP over stdin and stdout until they close.

    Raises:
        UsageError: a setting is wrong.
        SetupError: a key, an extra or weights are missing.
    """
    guard_library(data_paths(data))
    settings = load_settings(profile, overrides, data=data)
    with _service(profile, overrides, settings, data, reading=False) as service:
        build_mcp(service).run("stdio")


def tokens_of(settings: Settings, data: Path | None) -> Tokens:
    """The tokens of a library; where people sign in to its chat, only theirs are good."""
    people = People.load(settings.chat.people, os.environ)
    if not people:
        return Tokens(data_paths(data).tokens)
    return Tokens(data_paths(data).tokens, lambda name: people.mark(name) is not None, people.rights)


def api_beside(
    chat: ASGIApp, clients: ClientPool, uploads: Uploads, listener: socket.socket, *, data: Path | None
) -> ASGIApp:
    """The chat with the API below its own paths: one process, one library, the same people and tokens.

    Args:
        chat: answers everything else; it resumes and closes the uploads.
        clients: the chat's own.
        uploads: the chat's own.
        listener: the port of both.
        data: the data root; None takes the usual one.
    """
    first = clients.first_key
    settings = load_settings(first.profile, first.overrides, data=data)
    service = Service(clients, first.profile, first.overrides, uploads, settings.serve.conversations)
    origins = [*local_origins(*listener.getsockname()[:2]), *settings.chat.origins, *settings.serve.origins]
    signs_in = bool(People.load(settings.chat.people, os.environ))
    api = _application(
        service, tokens_of(settings, data), settings, listener, origins, signs_in, has_uploads=False
    )
    return beside(api, chat)


def _application(
    service: Service,
    tokens: Tokens,
    settings: Settings,
    listener: socket.socket,
    origins: Sequence[str],
    signs_in: bool,
    *,
    has_uploads: bool = True,
) -> ASGIApp:
    owner_of: Callable[[str], str | None] = (lambda name: name) if signs_in else (lambda _: None)
    is_local = listener.getsockname()[0].startswith(("127.", "::1")) and not settings.serve.origins
    always = signs_in or not is_local
    options = (settings.serve, settings.chat)
    return build_api(service, tokens, owner_of, origins, options, always=always, has_uploads=has_uploads)


@contextmanager
def _service(
    profile: str, overrides: Sequence[str], settings: Settings, data: Path | None, *, reading: bool = True
) -> Iterator[Service]:
    """What a server does; with `reading` it is ready for PDFs."""
    shared = SharedParts()

    def open_client(key: Key) -> Pageproof:
        client = open_pageproof(
            key.profile, overrides=key.overrides, data=data, purpose="serve", shared=shared, owner=key.owner
        )
        beside_answers(partial(_warm_up, client, reading=reading), "warm-up")
        return client

    clients = ClientPool(open_client, profile, overrides, os.environ)
    try:
        uploads = Uploads(clients.at, clients.first.paths, settings.chat)
        yield Service(clients, profile, overrides, uploads, settings.serve.conversations)
    finally:
        clients.close()
        shared.close()


def _warm_up(client: Pageproof, *, reading: bool) -> None:
    client.warm_up(reading=reading)
    freeze_loaded_objects()
