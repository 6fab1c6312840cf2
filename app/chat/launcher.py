"""Starts the chat's server in this process."""

import ipaddress
import os
import socket
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import uvicorn

from app import open_pageproof
from app.chat.client_pool import ClientPool, Key
from app.chat.client_view import ChatClient
from app.chat.history_tables import history_address, prepare_history
from app.chat.options import ChatOptions
from app.chat.people import People
from app.chat.run_folder import enter_run_folder, local_origins, prepare_run_folder
from app.chat.session_secret import session_secret
from app.chat.uploads import Uploads
from app.client import Pageproof
from app.fact_rows import FactSheet
from app.facts_run import run_facts
from app.settings import load_settings
from app.shared_parts import SharedParts
from indexes.heap import settle
from storage.errors import UsageError
from storage.run_log import RunLog

LAST_PORT = 65535
# Several answers worked out at once keep the interpreter busy in threads; the screen's thread gets its turn sooner.
SWITCH_SECONDS = 0.001


def serve(
    client_profile: str,
    data: Path | None,
    host: str = "127.0.0.1",
    port: int = 8000,
    headless: bool = True,
    overrides: Sequence[str] = (),
) -> None:
    """Open a client and chat over it until interrupted. Does not return: Chainlit ends the process itself.

    Args:
        client_profile: the profile's name.
        data: the data root; None takes the usual one.
        host: an address of this machine; others can reach it only where people sign in.
        port: 0 takes a free one.
        headless: whether to leave the browser closed.
        overrides: settings as `key=value`.

    Raises:
        UsageError: others could come in without signing in, the port is taken, or a setting is wrong.
        SetupError: a key, an extra or weights are missing.
    """
    options = load_settings(client_profile, overrides).chat
    people = People.load(options.people, os.environ)
    with listen(host, port, options, signs_in=bool(people)) as listener:
        shared = SharedParts()

        def open_client(key: Key) -> ChatClient:
            client = open_pageproof(
                key.profile, overrides=key.overrides, data=data, purpose="chat", shared=shared, owner=key.owner
            )
            threading.Thread(target=_warm_up, args=(client,), name="pageproof-warm-up", daemon=True).start()
            return client

        def facts_of(key: Key, company: str) -> FactSheet:
            return run_facts([company], (), None, key.profile, key.overrides, data, key.owner)[0]

        pool = ClientPool(open_client, client_profile, overrides, os.environ)
        try:
            run(pool, facts_of, listener, headless=headless, options=options, people=people)
        finally:
            shared.close()


def listen(host: str, port: int, options: ChatOptions | None = None, *, signs_in: bool = False) -> socket.socket:
    """Take the port before anything is loaded; two chats can then never share a run folder.

    Raises:
        UsageError: others could come in without signing in, nobody knows under which address, or the port is none
            or taken.
    """
    address = "127.0.0.1" if host == "localhost" else host
    origins = options.origins if options else ()
    if not signs_in and (origins or not _is_loopback(address)):
        what = f"chat.origins {', '.join(origins)}" if origins else f"host {host!r}"
        raise UsageError(
            f"nobody signs in to this chat, so it listens on this machine only: got {what}, expected 127.0.0.1; "
            "`pageproof chat --hash-password` makes a line for the file that chat.people names"
        )
    if address in ("0.0.0.0", "::") and not origins:
        raise UsageError(f"host {host!r} is every address: name those that people type with chat.origins")
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    if not 0 <= port <= LAST_PORT:
        raise UsageError(f"--port {port} is no port: expected 0 to {LAST_PORT}")
    try:
        return socket.create_server((address, port), family=family)
    except OSError as error:
        why = os.strerror(error.errno or 0) if isinstance(error.errno, int) and error.errno > 0 else str(error)
        raise UsageError(f"port {port} on {host} cannot be opened ({why}): choose another with --port") from error


def run(
    clients: ClientPool,
    facts_of: Callable[[Key, str], FactSheet],
    listener: socket.socket,
    *,
    headless: bool,
    options: ChatOptions | None = None,
    people: People | None = None,
    environment: Mapping[str, str] = os.environ,
) -> None:
    """Chat over clients on a port already taken. Closes the clients at the end; does not return.

    Args:
        clients: who answers.
        facts_of: gives a company's facts.
        listener: the port.
        headless: whether to leave the browser closed.
        options: what can be chosen of the chat.
        people: who signs in; without anybody, whoever sits at this machine is let in.
        environment: where a secret for sign-ins may be set.

    Raises:
        SetupError: the history or the secret cannot be kept.
    """
    options, people = options or ChatOptions(), people or People({})
    paths = clients.first.paths
    host, port = listener.getsockname()[:2]
    origins = [*local_origins(host, port), *options.origins]
    folder = paths.chat / f"{host}-{port}".replace(":", "_")
    kept = history_address(paths.history, options.history_url) if options.history else None
    if kept is not None:
        prepare_history(kept)
    secret = session_secret(paths.session_secret, environment)
    prepare_run_folder(folder, origins, signs_in=bool(people))
    enter_run_folder(folder, secret)

    # Chainlit reads its environment and writes its folder when it is imported, so this comes after.
    from chainlit import server as chainlit_server
    from chainlit.config import config

    from app.chat.conversation_pages import conversation_pages
    from app.chat.handlers import Chat
    from app.chat.history import History
    from app.chat.routes import front
    from app.chat.sign_in import speaking

    def runs_of(owner: str | None) -> RunLog:
        return RunLog((paths.of_owner(owner) if owner else paths).runs)

    config.run.host, config.run.port, config.run.headless = host, port, headless
    history = History(kept) if kept is not None else None
    Chat(clients, facts_of, Uploads(clients.at, paths, options), history).register()
    sys.setswitchinterval(SWITCH_SECONDS)
    pages = conversation_pages(history, runs_of) if history else None
    app = front(
        chainlit_server,
        clients.first,
        origins,
        options,
        pages=[("/feedback", pages), ("/conversation/", pages)] if pages else [],
        speaking=speaking(people, needs_a_person=history is not None),
    )
    sys.stdout.write(f"Pageproof chat on {(options.origins or origins)[0]} (Ctrl+C ends it)\n")
    sys.stdout.flush()
    settings = uvicorn.Config(app, loop="asyncio", log_level="error", timeout_graceful_shutdown=3)
    uvicorn.Server(settings).run(sockets=[listener])


def _warm_up(client: Pageproof) -> None:
    client.warm_up()
    settle()


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False
