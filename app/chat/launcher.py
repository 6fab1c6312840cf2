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
from app.chat.desk_view import ChatDesk, FollowUp
from app.chat.options import ChatOptions
from app.chat.run_folder import enter_run_folder, local_origins, prepare_run_folder
from app.chat.uploads import Uploads
from app.fact_rows import FactSheet
from app.facts_run import run_facts
from app.settings import data_paths, load_settings
from app.shared_parts import SharedParts
from query_engines.company_names import CompanyNames
from query_engines.follow_up import follow_up
from storage.answers import Answer
from storage.errors import UsageError
from storage.library import Library
from storage.questions import Question
from storage.reports import Company

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

        def open_desk(profile: str, settings: Sequence[str]) -> ChatDesk:
            desk = open_pageproof(profile, overrides=settings, data=data, purpose="chat", shared=shared)
            threading.Thread(target=desk.warm_up, name="pageproof-warm-up", daemon=True).start()
            return desk

        def facts_of(key: Key, company: str) -> FactSheet:
            profile, settings = key
            return run_facts([company], (), None, profile, settings, data)[0]

        companies = Library(data_paths(data).catalog).companies
        pool = DeskPool(open_desk, desk_profile, overrides, os.environ)
        options = load_settings(desk_profile, overrides).chat
        run(pool, facts_of, listener, options, headless=headless, follow_up=follow_ups(companies))


def follow_ups(companies: Callable[[], Sequence[Company]]) -> FollowUp:
    """Fills in what a question leaves unsaid, over the names of these companies."""
    known: tuple[Sequence[Company], CompanyNames] | None = None

    def follow(question: Question, answer: Answer, text: str) -> Question:
        nonlocal known
        now = companies()
        if known is None or known[0] is not now:  # the same object until the library changes
            known = (now, CompanyNames(now))
        return follow_up(text, question, answer, known[1])

    return follow


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
    follow_up: FollowUp | None = None,
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
    uploads = Uploads(desks.at, lambda _: desks.first.paths, options)
    Chat(desks, facts_of, uploads, follow_up).register()
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
