"""Every file of a data root, damaged in every way: the right answer or one line that helps, then all is as before."""

import asyncio
import datetime as dt
import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from app import open_pageproof
from app.assembly.client import Pageproof
from app.assembly.shared_parts import SharedParts
from app.chat.cards.answer import values_of
from app.chat.history.tables import history_address, prepare_history
from app.chat.session.client_pool import ClientPool
from app.chat.session.people import session_secret
from app.chat.uploads.uploads import Uploads
from app.chat_options import ChatOptions
from app.library.repair import LibraryChecks
from app.page_pictures import PagePictures, draw
from app.runs.ingest import run_repair
from indexes.ingestion.requests import IngestRequest
from storage.errors import PageproofError
from storage.files import sha1_of
from storage.paths import DataPaths
from storage.records.metrics import Ontology
from storage.stores.inbox import Inbox, Received
from tests.support.damage import WAYS
from tests.support.doubles.chat_client import scripted_facts
from tests.support.doubles.chat_sessions import cards, recorded_session
from tests.support.doubles.chat_visit import use_history
from tests.support.doubles.people import ANN, BOB, HAVE
from tests.support.kept_content import content_of
from tests.support.libraries import parts_with_one_vector, quick_reader
from tests.support.samples import SAMPLES, samples_request

ONTOLOGY = Ontology.load()
OWNERS = (None, ANN)
QUESTIONS = {None: "What was the total revenue of Ostermere?", ANN: "What was the total revenue of Veldhoorn?"}
ANSWERS = {None: "386,412,000 USD", ANN: "1,842,600,000 EUR"}
COMMAND = re.compile(r"`pageproof (\w+)`")


EVERY_WAY = bool(os.environ.get("PAGEPROOF_EVERY_DAMAGE"))
"""Each file in all four ways, in both libraries, as `make stress` does; else in one way in one of the libraries."""


@pytest.fixture(scope="module")
def shared() -> Iterator[SharedParts]:
    """Parts without an embedding model's seconds; what is asked here is answered from the fact table."""
    parts = parts_with_one_vector()
    yield parts
    parts.close()


@dataclass
class Root:
    """A data root that was chatted with, by somebody at the machine and by Ann."""

    data: Path
    shared: SharedParts
    overrides: tuple[str, ...]

    @property
    def paths(self) -> DataPaths:
        return DataPaths(self.data)

    def open(self, owner: str | None = None, purpose: str = "ask") -> Pageproof:
        return open_pageproof(
            data=self.data, shared=self.shared, overrides=self.overrides, owner=owner, purpose=purpose
        )

    def ask(self, owner: str | None) -> str:
        """The answer, or the error's message."""
        try:
            with self.open(owner) as client:
                answer = client.ask(QUESTIONS[owner])
        except PageproofError as error:
            return str(error)
        return values_of(answer)[0]

    async def chat(self, owner: str | None) -> str:
        """What the chat says to the same question after a new start: the answer's card, or what it says instead."""
        from app.chat.handlers import Chat
        from app.chat.history.data_layer import History

        address = history_address(self.paths.history, None)
        try:
            await asyncio.to_thread(prepare_history, address)
            session_secret(self.paths.session_secret, {}, signs_in=True)
        except PageproofError as error:
            return str(error)
        history = History(address)
        use_history(history)
        pool = ClientPool(lambda key: self.open(key.owner, "chat"), "offline", (), {})
        uploads = Uploads(pool.at, self.paths, ChatOptions())
        chat = Chat(pool, scripted_facts, uploads, history)
        chat.register()
        try:
            async with recorded_session("session", owner) as sent:
                import chainlit as cl

                await chat.answering.answer(cl.Message(content=QUESTIONS[owner], type="user_message"))
                (card,) = cards(sent, "AnswerCard").values() or [{}]
                errors = [d["output"] for e, d in sent if e == "new_message" and d.get("isError")]
                return str(card["values"][0]) if card else " ".join(errors).replace("\\", "")
        finally:
            use_history(None)
            await history.close()
            await chat.close()

    def content(self) -> list[dict[str, Any]]:
        """All that the libraries know."""
        return [content_of(paths) for paths in (self.paths, *self.paths.owners())]

    def run(self, command: str, owner: str | None = None, *pdfs: Path) -> None:
        """What the command does that a message names; for a person's own library the chat's next start."""
        if command == "repair":
            run_repair("offline", self.overrides, self.data)
            owner = ANN
        with self.open(owner) as client:
            list(
                client.library.ingest(IngestRequest(paths=pdfs))
                if command == "ingest"
                else client.library.make_again()
            )

    def files(self, owner: str | None) -> list[str]:
        """All files of somebody's library."""
        own = self.paths.of_owner(ANN).root
        found = [path for path in sorted(self.data.rglob("*")) if path.is_file()]
        return [str(p.relative_to(self.data)) for p in found if p.is_relative_to(own) == (owner == ANN)]

    def damages(self) -> list[str]:
        roots = (self.paths, *self.paths.owners())
        return [damage.path for paths in roots for damage in LibraryChecks(paths, ONTOLOGY).all()]


@pytest.fixture(scope="module")
def whole(sample_data: Path, shared: SharedParts, tmp_path_factory: pytest.TempPathFactory) -> Root:
    """Everything that a data root may hold; do not write to it."""
    folder = tmp_path_factory.mktemp("whole")
    root = Root(folder / "data", shared, quick_reader(sample_data, folder / "mineru"))
    for owner in OWNERS:
        with root.open(owner) as client:
            assert [r.status for r in client.library.ingest(samples_request(HAVE[owner]))] == ["indexed"]
            client.library.copy_catalog()
            PagePictures(client.library.paths, draw).png(sha1_of(SAMPLES / HAVE[owner]), 2)
        assert root.ask(owner) == asyncio.run(root.chat(owner)) == ANSWERS[owner]
    waiting = SAMPLES / HAVE[BOB]
    received = Received(
        sha1=sha1_of(waiting),
        name=waiting.name,
        page_count=12,
        received=dt.datetime.now(dt.UTC),
        profile="offline",
    )
    Inbox(root.paths.inbox).store(waiting, received)
    assert root.damages() == []
    return root


@pytest.mark.timeout(900)  # about fifty clients and chats each where every way is tried
@pytest.mark.parametrize("damage", WAYS)
@pytest.mark.parametrize("owner", OWNERS, ids=["shared", "own"])
def test_whatever_file_is_damaged_the_answer_is_right_or_names_the_command_that_makes_it_again(
    whole: Root, tmp_path: Path, owner: str | None, damage: Callable[[Path], None]
) -> None:
    before = whole.content()
    turn = len(OWNERS) * WAYS.index(damage) + OWNERS.index(owner)
    problems = []
    for number, name in enumerate(whole.files(owner)):
        if not EVERY_WAY and (number + turn) % (len(WAYS) * len(OWNERS)):
            continue
        case = replace(whole, data=tmp_path / "data")
        shutil.rmtree(case.data, ignore_errors=True)
        shutil.copytree(whole.data, case.data)
        damage(case.data / name)
        problems += [f"{name}: {problem}" for problem in _problems_of(case, owner, name, before)]
    assert problems == []


def _problems_of(case: Root, owner: str | None, name: str, before: list[dict[str, Any]]) -> Iterator[str]:
    """What is not as it should be after a file was damaged."""
    for ask in (lambda: asyncio.run(case.chat(owner)), lambda: case.ask(owner)):
        if (reply := ask()) != ANSWERS[owner]:
            (command,) = COMMAND.findall(reply) or [""]
            if not command or "\n" in reply:
                yield reply
            case.run(command, owner)
            if (again := ask()) != ANSWERS[owner]:
                yield f"after {command}: {again}"
    if case.damages():  # no question came across it
        case.run("repair")
    if "/reports/" in f"/{name}":
        case.run("ingest", owner, SAMPLES / HAVE[owner])
    if damages := case.damages():
        yield f"still damaged: {damages}"
    elif case.content() != before:
        yield "the library is not as before"
