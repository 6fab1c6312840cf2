"""Starts the chat's server in this process."""

import ipaddress
import os
import socket
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import uvicorn

from app import open_pageproof
from app.chat.desk_pool import DeskPool, Key
from app.chat.desk_view import ChatDesk
from app.chat.options import ChatOptions
from app.chat.run_folder import enter_run_folder, local_origins, prepare_run_folder
from app.chat.uploads import Uploads
from app.fact_rows import FactSheet
from app.facts_run import run_facts
from app.settings import load_settings
from app.shared_parts import SharedParts
from storage.errors import UsageError

LAST_PORT = 65535
# Several answers worked out at once keep the interpreter busy in threads; the screen's thread gets its turn sooner.
SWITCH_SECONDS = 0.001


def serve(
    desk_profile: str,
    data: Path | None,
    host: str = "127.0.0.1",
    port: int = 8000,
    headless: bool = True,
    overrides: Sequence[str] = (),
) -> None:
    """Open a desk and chat over it until interrupted. Does not return: Chainlit ends the process itself.

    Args:
        desk_profile: the profile's name.
        data: the data root; None takes the usual one.
        host: a loopback address; there is no login yet.
        port: 0 takes a free one.
        headless: whether to leave the browser closed.
        overrides: settings as `key=value`.

    Raises:
        UsageError: the host is not this machine's own, the port is taken, or a setting is wrong.
        SetupError: a key, an extra or weights are missing.
    """
    with listen(host, port) as listener:
        shared = SharedParts()

        def open_desk(key: Key) -> ChatDesk:
            desk = open_pageproof(
                key.profile, overrides=key.overrides, data=data, purpose="chat", shared=shared, owner=key.owner
            )
            threading.Thread(target=desk.warm_up, name="pageproof-warm-up", daemon=True).start()
            return desk

        def facts_of(key: Key, company: str) -> FactSheet:
            return run_facts([company], (), None, key.profile, key.overrides, data, key.owner)[0]

        pool = DeskPool(open_desk, desk_profile, overrides, os.environ)
        run(pool, facts_of, listener, load_settings(desk_profile, overrides).chat, headless=headless)


def listen(host: str, port: int) -> socket.socket:
    """Take the port before anything is loaded; two chats can then never share a run folder.

    Raises:
        UsageError: the host is not this machine's own, the port is none or taken.
    """
    address = "127.0.0.1" if host == "localhost" else host
    if not _is_loopback(address):
        raise UsageError(
            f"the chat has no login yet, so it listens on this machine only: got host {host!r}, expected 127.0.0.1"
        )
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    if not 0 <= port <= LAST_PORT:
        raise UsageError(f"--port {port} is no port: expected 0 to {LAST_PORT}")
    try:
        return socket.create_server((address, port), family=family)
    except OSError as error:
        why = os.strerror(error.errno or 0)
        raise UsageError(f"port {port} on {host} cannot be opened ({why}): choose another with --port") from error


def run(
    desks: DeskPool,
    facts_of: Callable[[Key, str], FactSheet],
    listener: socket.socket,
    options: ChatOptions,
    *,
    headless: bool,
) -> None:
    """Chat over desks on a port already taken. Closes the desks at the end; does not return."""
    host, port = listener.getsockname()[:2]
    folder = desks.first.paths.chat / f"{host}-{port}".replace(":", "_")
    prepare_run_folder(folder, host, port)
    enter_run_folder(folder)

    # Chainlit reads its environment and writes its folder when it is imported, so this comes after.
    from chainlit import server as chainlit_server
    from chainlit.config import config

    from app.chat.handlers import Chat
    from app.chat.routes import front

    config.run.host, config.run.port, config.run.headless = host, port, headless
    Chat(desks, facts_of, Uploads(desks.at, desks.first.paths, options)).register()
    sys.setswitchinterval(SWITCH_SECONDS)
    app = front(chainlit_server, desks.first, local_origins(host, port), options)
    sys.stdout.write(f"Pageproof chat on {local_origins(host, port)[0]} (Ctrl+C ends it)\n")
    sys.stdout.flush()
    settings = uvicorn.Config(app, loop="asyncio", log_level="error", timeout_graceful_shutdown=3)
    uvicorn.Server(settings).run(sockets=[listener])


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False
