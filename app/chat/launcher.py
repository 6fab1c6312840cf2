"""Starts the chat's server in this process, in a run folder that is filled anew at each start."""

import ipaddress
import json
import logging
import os
import shutil
import socket
import sys
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic.warnings import UnsupportedFieldAttributeWarning
from starlette.types import ASGIApp

from app.assembly import build_maintenance
from app.assembly.client import Pageproof
from app.assembly.shared_parts import SharedParts
from app.chat.cards.words import FILES, screen_words
from app.chat.history.tables import history_address, prepare_history
from app.chat.session.client_pool import ChatClient, ClientPool, Key
from app.chat.session.connections import ModelConnections, system_keyring
from app.chat.session.own_models import OwnModels
from app.chat.session.people import People, session_secret
from app.chat.uploads.uploads import Uploads
from app.chat_options import ChatOptions
from app.library.fact_sheet import FactSheet
from app.runs.ingest import run_facts
from app.settings import data_paths, load_settings
from app.web_server import Listener, run_server
from pageproof import open_pageproof
from query_engines.local_model.model_files import ModelFolder
from storage.errors import PageproofError, UsageError, note_defect
from storage.paths import DataPaths
from storage.process_memory import freeze_loaded_objects
from storage.stores.database import not_writable
from storage.stores.library import Library
from storage.stores.run_log import RunLog

if TYPE_CHECKING:
    from fastapi import FastAPI

    from app.chat.history.data_layer import History

logger = logging.getLogger(__name__)
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
    *,
    beside: "Beside | None" = None,
) -> None:
    """Open a client and chat over it until interrupted. Does not return: Chainlit ends the process itself.

    Args:
        client_profile: the profile's name.
        data: the data root; None takes the usual one.
        host: an address of this machine; others can reach it only where people sign in.
        port: 0 takes a free one.
        headless: whether to leave the browser closed.
        overrides: settings as `key=value`.
        beside: puts more beside the chat, at the same address.

    Raises:
        UsageError: others could come in without signing in, the port is taken, or a setting is wrong.
        SetupError: a key, an extra or weights are missing, or a newer version wrote the library.
    """
    guard_library(data_paths(data))
    settings = load_settings(client_profile, overrides, data=data)
    options = settings.chat
    people = People.load(options.people, os.environ)
    with listen(host, port, options, signs_in=bool(people)) as listener:
        shared = SharedParts()
        own = OwnModels(ModelFolder(data_paths(data).models))
        connections = ModelConnections(options, signs_in=bool(people), keyring=system_keyring(), own=own)
        checked: set[Path] = set()  # data roots; each once, by the settings that are first used there

        def open_client(key: Key) -> ChatClient:
            keys: Mapping[str, str] = {}
            if key.connection:
                connection = connections.get(key.connection, key.owner)
                if connection is None:
                    raise UsageError("the model is not connected any more: connect it again")
                keys = connection.environment
            client = open_pageproof(
                key.profile,
                overrides=key.overrides,
                data=data,
                purpose="chat",
                shared=shared,
                owner=key.owner,
                keys=keys,
            )
            beside_answers(partial(_warm_up, client), "warm-up")
            if client.library.paths.root not in checked:
                checked.add(client.library.paths.root)
                beside_answers(partial(_make_again, client), "repair")
            return client

        def facts_of(key: Key, company: str) -> FactSheet:
            return run_facts([company], (), key.profile, key.overrides, data, key.owner)

        pruning = build_maintenance(settings, data_paths(data), shared).prune_everywhere
        beside_answers(pruning, "pruning")
        pool = ClientPool(open_client, client_profile, overrides, os.environ)
        try:
            run(
                pool,
                facts_of,
                Place(listener, headless, beside),
                options=options,
                people=people,
                connections=connections,
            )
        finally:
            shared.close()


def check_port(options: ChatOptions, host: str, port: int) -> None:
    """See that a chat could listen there, before anything that takes long.

    Raises:
        UsageError: as `listen` does.
    """
    listen(host, port, options, signs_in=bool(People.load(options.people, os.environ))).close()


def guard_library(paths: DataPaths) -> None:
    """Let nobody else at this machine read what this process writes, nor any person's own library.

    Raises:
        NewerLibrary: a newer version wrote the library; nothing is written to it.
    """
    Library(paths.catalog).check_form()
    os.umask(0o077)
    if paths.people.is_dir():
        paths.people.chmod(0o700)


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
            "`pageproof people --add NAME` adds a person to the file that chat.people names"
        )
    if address in ("0.0.0.0", "::") and not origins:
        raise UsageError(f"host {host!r} is every address: name those that people type with chat.origins")
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    if not 0 <= port <= LAST_PORT:
        raise UsageError(f"--port {port} is no port: expected 0 to {LAST_PORT}")
    try:
        return Listener(fileno=socket.create_server((address, port), family=family).detach())
    except OSError as error:
        why = os.strerror(error.errno or 0) if isinstance(error.errno, int) and error.errno > 0 else str(error)
        raise UsageError(f"port {port} on {host} cannot be opened ({why}): choose another with --port") from error


Beside = Callable[[ASGIApp, ClientPool, Uploads, socket.socket], ASGIApp]
"""Puts more beside the chat, over its clients and uploads, on its port."""


@dataclass(frozen=True)
class Place:
    """Where a chat is served.

    Attributes:
        listener: its port.
        headless: whether to leave the browser closed.
        beside: puts more beside the chat.
    """

    listener: socket.socket
    headless: bool = True
    beside: Beside | None = None


def run(
    clients: ClientPool,
    facts_of: Callable[[Key, str], FactSheet],
    place: Place,
    *,
    options: ChatOptions | None = None,
    people: People | None = None,
    connections: ModelConnections | None = None,
) -> None:
    """Chat over clients on a port already taken. Closes the clients at the end; does not return.

    Args:
        clients: who answers.
        facts_of: gives a company's facts.
        place: where, and what stands beside the chat.
        options: what can be chosen of the chat.
        people: who signs in; without anybody, whoever sits at this machine is let in.
        connections: the models that people connect.

    Raises:
        SetupError: the history or the secret cannot be kept.
    """
    silence_fastapi()
    options, people = options or ChatOptions(), people or People({})
    paths = clients.first.paths
    host, port = place.listener.getsockname()[:2]
    origins = [*local_origins(host, port), *options.origins]
    folder = paths.chat / f"{host}-{port}".replace(":", "_")
    database = history_address(paths.history, options.history_url) if options.history else None
    if database is not None:
        prepare_history(database)
    secret = session_secret(paths.session_secret, clients.environment, signs_in=bool(people))
    prepare_run_folder(folder, origins, signs_in=bool(people))
    enter_run_folder(folder, secret)

    # Chainlit reads its environment and writes its folder when it is imported, so this comes after.
    from chainlit import server as chainlit_server
    from chainlit.config import config

    from app.chat.handlers import Chat
    from app.chat.history.data_layer import History
    from app.chat.report_pages import ReportHomes
    from app.chat.routes import conversation_pages, front
    from app.chat.session.sign_in import speaking
    from app.chat.sources.routes import source_pages

    def runs_of(owner: str | None) -> RunLog:
        return RunLog((paths.of_owner(owner) if owner else paths).runs)

    config.run.host, config.run.port, config.run.headless = host, port, place.headless
    history = History(database) if database is not None else None
    uploads = Uploads(clients.at, paths, options)
    chat = Chat(clients, facts_of, uploads, history, people.rights, connections)
    chat.register()
    sys.setswitchinterval(SWITCH_SECONDS)
    pages = conversation_pages(history, runs_of, ReportHomes(clients.first)) if history else None
    known = speaking(people, needs_a_person=history is not None)
    app = front(
        chainlit_server,
        clients.first,
        origins,
        options,
        pages=[
            ("/sources", source_pages(chat.sources)),
            *_team_pages(people, options, clients.environment),
            *([("/feedback", pages), ("/conversation/", pages)] if pages else []),
            *_sharing_pages(clients.first, history, people),
        ],
        speaking=known,
    )
    if place.beside is not None:
        app = place.beside(app, clients, uploads, place.listener)
        sys.stdout.write(f"Pageproof API on {(options.origins or origins)[0]}/v1\n")
    sys.stdout.write(f"Pageproof chat on {(options.origins or origins)[0]} (Ctrl+C ends it)\n")
    sys.stdout.flush()
    run_server(app, place.listener, behind_proxy=bool(options.origins), whose=known.whose)


def _team_pages(
    people: People, options: ChatOptions, environment: Mapping[str, str]
) -> "list[tuple[str, FastAPI]]":
    """The pages of people, where people sign in."""
    from app.chat.team_pages import Team, people_pages  # late: Chainlit

    if not people:
        return []
    pages = people_pages(Team(people, Path(options.people) if options.people else None, environment))
    return [("/team", pages), ("/invite", pages)]


def _sharing_pages(client: ChatClient, history: "History | None", people: People) -> "list[tuple[str, FastAPI]]":
    """The pages of shared conversations, where conversations are stored."""
    from app.chat.report_pages import ReportHomes  # late: Chainlit
    from app.chat.team_pages import Sharing, sharing_pages

    if history is None:
        return []
    pages = sharing_pages(Sharing(history, ReportHomes(client), people))
    return [("/sharing", pages), ("/shared/", pages)]


def silence_fastapi() -> None:
    """Hide the warning that FastAPI hides itself; it cannot while another thread changes what is hidden.

    Call this before any thread is started.
    """
    warnings.simplefilter("ignore", UnsupportedFieldAttributeWarning)


def beside_answers(work: Callable[[], object], name: str) -> None:
    """Do something in a thread of its own; what goes wrong there is one line on standard error."""

    def done() -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001  # nobody waits for it; threads would print a trace
            explained = error if isinstance(error, PageproofError) else not_writable(error)
            if explained is None:
                note_defect(logger, f"{name} failed", error)
            else:
                sys.stderr.write(f"pageproof: {' '.join(str(explained).split())}\n")

    threading.Thread(target=done, name=f"pageproof-{name}", daemon=True).start()


def _warm_up(client: Pageproof) -> None:
    client.warm_up()
    freeze_loaded_objects()


def _make_again(client: Pageproof) -> None:
    """Make again what is damaged of the library that the client writes to, and copy its catalog."""
    for result in client.library.make_again():
        remark = result.reason or result.warning or "it is whole again"
        sys.stderr.write(f"pageproof: something of {result.file} was damaged: {' '.join(remark.split())}\n")
    client.library.copy_catalog()


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


README = Path(__file__).parent.parent.parent / "chainlit.md"
# Each of these, set for another program, would make Chainlit send conversations somewhere.
_FOREIGN = ("LITERAL_API_", "DATABASE_URL", "SLACK_", "DISCORD_", "TEAMS_", "OAUTH_", "CHAINLIT_", "TRACELOOP_")


def prepare_run_folder(folder: Path, origins: Sequence[str], *, signs_in: bool = False) -> None:
    """Fill the folder with our settings, words, looks and readme.

    Args:
        folder: made anew.
        origins: the addresses that a browser may name.
        signs_in: whether people do; else nothing on the screen speaks of signing out.

    Raises:
        SetupError: Chainlit is not installed.
    """
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(FILES / "public", folder / "public")
    if not signs_in:
        with (folder / "public" / "custom.css").open("a", encoding="utf-8") as looks:
            looks.write("#user-nav-button { display: none; }\n")
    settings = folder / ".chainlit"
    (settings / "translations").mkdir(parents=True)
    template = (FILES / "config.toml").read_text(encoding="utf-8")
    (settings / "config.toml").write_text(template.replace("@ORIGINS@", json.dumps(origins)), encoding="utf-8")
    readme = README.read_text(encoding="utf-8") if README.is_file() else ""
    (folder / "chainlit.md").write_text(readme, encoding="utf-8")
    for language, words in screen_words().items():
        content = json.dumps(words, ensure_ascii=False, indent=1)
        (settings / "translations" / f"{language}.json").write_text(content, encoding="utf-8")
        (folder / f"chainlit_{language}.md").write_text(readme, encoding="utf-8")


def enter_run_folder(folder: Path, secret: str = "") -> None:
    """Point Chainlit at the folder, and hand it what it signs sign-ins with.

    It reads its environment once, when it is imported: call this before.
    """
    for name in [name for name in os.environ if name.startswith(_FOREIGN)]:
        del os.environ[name]
    os.environ |= {
        "CHAINLIT_APP_ROOT": str(folder),
        "CHAINLIT_ENV_FILE": str(folder / "no.env"),
        "OTEL_SDK_DISABLED": "true",
        "TRACELOOP_TELEMETRY": "false",
    } | ({"CHAINLIT_AUTH_SECRET": secret} if secret else {})


def local_origins(host: str, port: int) -> list[str]:
    """The addresses that a browser on this machine may name."""
    shown = f"[{host}]" if ":" in host else host
    suffix = "" if port == 80 else f":{port}"
    return [f"http://{name}{suffix}" for name in dict.fromkeys([shown, "127.0.0.1", "localhost"])]
