"""Works that are killed at any of their changes to the disk, and what must hold when they are done again.

`python -m tests.support.kills [KILLS] [--library FOLDER]` kills each work so often, at changes that lie evenly over an
undisturbed run: an ingestion in its stages, an upload, a removal, databases of earlier versions that are
brought up to date, and an answer with its history. Everything is imported once; each run is a process forked from here.
"""

import argparse
import asyncio
import contextlib
import io
import os
import shutil
import signal
import sqlite3
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from app import open_pageproof
from app.chat.history.tables import history_address, open_engine, prepare_history
from app.chat.history.writer import Claim, HistoryWriter
from app.chat.session.client_pool import Key
from app.chat.uploads.uploads import Uploads
from app.chat_options import ChatOptions
from app.command_line import run as run_command
from indexes.ingestion.requests import IngestRequest
from indexes.preflight import preflight
from storage.files import sha1_of
from storage.paths import DataPaths
from storage.stores.caches import EmbeddingCache
from tests.measures.kill_runs import ANSWER, answers_in, contents, left_behind, write_questions
from tests.support.libraries import ingest_samples
from tests.support.small_library import SmallLibrary

KILLS = 100
_CHANGES = frozenset({"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate", "os.link"})
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_PEOPLE, _THREAD, _NOW = "ann", "1f0e8f3a-5d43-4c7e-9a40-1c60a8f0a001", "2026-01-01T00:00:00Z"


@dataclass(frozen=True)
class Work:
    """Something that changes a data root.

    Attributes:
        prepare: makes the folder in which it is done.
        run: does it, from the beginning or from where it was killed.
        wrong: what is not as it must be when it was done, killed or not; it may do it once more.
    """

    name: str
    prepare: Callable[[Path], None]
    run: Callable[[Path], None]
    wrong: Callable[[Path], Iterator[str]]


def killed(work: Work, folder: Path, kills: int) -> Iterator[str]:
    """Kill a work so often, each time at another change, then do it again; yields what is not as it must be."""
    folder.mkdir()
    whole = folder / "whole"
    _forked(work.prepare, whole)
    count = _changes(work, whole)
    yield from (f"{work.name}, not killed: {problem}" for problem in _problems(work, whole))
    for number in range(kills):
        change = round((number + 0.5) * count / kills)
        data = folder / f"{number}"
        _forked(work.prepare, data)
        _forked(partial(_killed_at, work, change), data)
        for problem in _problems(work, data):
            yield f"{work.name}, killed at change {change} of {count}: {problem}"
        shutil.rmtree(data)


def _changes(work: Work, folder: Path) -> int:
    """How often an undisturbed run changes the disk."""
    counted = folder / "changes"

    def run(data: Path) -> None:
        seen = _count_changes(None)
        work.run(data)
        counted.write_text(str(seen[0]))

    _forked(run, folder)
    count = int(counted.read_text())
    counted.unlink()
    return count


def _problems(work: Work, folder: Path) -> list[str]:
    """What is wrong once it was done again."""
    said = folder.with_suffix(".said")

    def again(data: Path) -> None:
        work.run(data)
        said.write_text("\n".join(work.wrong(data)))

    status = _forked(again, folder)
    problems = said.read_text().splitlines() if said.exists() else [f"it ended with {status}"]
    said.unlink(missing_ok=True)
    return problems


def _killed_at(work: Work, change: int, data: Path) -> None:
    _count_changes(change)
    work.run(data)


def _count_changes(fatal: int | None) -> list[int]:
    """Count what changes files and databases from now on in this process, and kill it at one of them."""
    seen = [0]

    def changed() -> None:
        seen[0] += 1
        if seen[0] == fatal:
            os.kill(os.getpid(), signal.SIGKILL)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        is_write = event == "open" and isinstance(arguments[2], int) and arguments[2] & _WRITES
        if event in _CHANGES or is_write:
            changed()

    sys.addaudithook(hook)
    connect = sqlite3.connect

    def watched(*given: Any, **named: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*given, **named)
        connection.set_trace_callback(lambda _: changed())
        return connection

    sqlite3.connect = watched  # type: ignore[assignment]  # in a process of its own, which ends with the work
    return seen


def _forked(run: Callable[[Path], None], folder: Path) -> int:
    """Do something in a process of its own; how it ended."""
    process = os.fork()
    if process == 0:
        status = 1
        try:
            folder.mkdir(exist_ok=True)
            run(folder)
            status = 0
        except BaseException as error:  # noqa: BLE001  # the process ends here, whatever it was
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
        finally:
            sys.stderr.flush()
            os._exit(status)
    _, status = os.waitpid(process, 0)
    return os.waitstatus_to_exitcode(status)


# ------------------------------------------------------------------------------------------------ ingestion
_NAMES = ("2023.pdf", "2024.pdf")


def _small(folder: Path) -> None:
    small = SmallLibrary(folder)
    for name in _NAMES:
        small.pdf(name)


def _ingest(folder: Path) -> None:
    small = SmallLibrary(folder)
    results = list(small.editor.ingest(IngestRequest(paths=[folder / name for name in _NAMES])))
    assert not [result for result in results if result.status == "failed"], results


def _ingested(folder: Path) -> None:
    _small(folder)
    _ingest(folder)


def _not_whole(folder: Path, company: str = "Acme Inc.", names: tuple[str, ...] = _NAMES) -> Iterator[str]:
    """What a library lacks, or has twice, of the reports that were accepted."""
    small, data = SmallLibrary(folder), folder / "data"
    wanted = sorted(sha1_of(folder / name) for name in names)
    known = {c.name: sorted(r.sha1 for r in c.reports) for c in small.catalog.companies()}
    if known != ({company: wanted} if wanted else {}):
        yield f"the catalog holds {known}"
    if sorted(report.sha1 for report in small.published(company)) != wanted:
        yield "the index holds other reports"
    manifest = small.indexes.complete(company) if wanted else None
    if wanted and (manifest is None or manifest.chunk_count != 3 * len(wanted)):
        yield "the index is not whole"
    if small.indexes.announced(company):
        yield "a report waits for its vectors for ever"
    if any(not small.pages.is_sound(sha1) or not small.paths.report_pdf(sha1).exists() for sha1 in wanted):
        yield "pages or a PDF are gone"
    if sorted(path.stem for path in (data / "reports").glob("*.pdf")) != wanted:
        yield "there are other PDFs"
    if len(left := [path for path in left_behind(data) if not path.endswith(".draft")]):
        yield f"left behind: {left}"
    yield from _broken_databases(data)


def _broken_databases(data: Path) -> Iterator[str]:
    for path in data.glob("*.sqlite"):
        with closing(sqlite3.connect(path)) as connection:
            (found,) = connection.execute("PRAGMA integrity_check").fetchone()
        if found != "ok":
            yield f"{path.name}: {found}"


# ------------------------------------------------------------------------------------------------ removals
def _remove(folder: Path) -> None:
    small, (sha1, other) = SmallLibrary(folder), (sha1_of(folder / name) for name in _NAMES)
    for each in (sha1, other):
        if small.catalog.report(each) is not None or each in dict(small.catalog.removals()):
            small.editor.remove(each)


# ------------------------------------------------------------------------------------------------ uploads
def _upload(folder: Path) -> None:
    """A start of the chat: what was received is gone on with; what the sender was not shown as taken is sent again."""

    async def chat() -> None:
        small = SmallLibrary(folder)

        @asynccontextmanager
        async def client_at(_: Key) -> AsyncIterator[Any]:
            yield SimpleNamespace(library=small.editor)

        uploads = Uploads(client_at, small.paths, ChatOptions(), preflight)
        await uploads.resume()
        for name in _NAMES:
            taken = folder / f"{name}.taken"
            if not taken.exists():
                await uploads.take(folder / name, name, Key(profile="offline", overrides=(), owner=None))
                taken.touch()
        for upload in uploads.of(None):
            await upload.finished.wait()
            assert upload.state.stage in ("indexed", "unchanged"), upload.state
        await uploads.close()

    asyncio.run(chat())


def _upload_wrong(folder: Path) -> Iterator[str]:
    yield from _not_whole(folder)
    if waiting := [
        path.name for path in (folder / "data" / "inbox").glob("*") if path.suffix in (".json", ".pdf")
    ]:
        yield f"still in the inbox: {waiting}"


# ------------------------------------------------------------------------------------------------ versions
def _earlier(folder: Path) -> None:
    """A root whose catalog knows no filings, and whose vectors have no time of use, as before these were noted."""
    _ingested(folder)
    paths = DataPaths(folder / "data")
    with closing(sqlite3.connect(paths.catalog)) as connection, connection:
        connection.executescript("DROP TABLE report_filing; DROP TABLE removal; DROP INDEX report_company;")
    with closing(sqlite3.connect(paths.embedding_cache)) as connection, connection:
        columns = [name for _, name, *_ in connection.execute("PRAGMA table_info(vector)") if name != "used_at"]
        listed = ", ".join(columns)
        connection.executescript(
            f"DROP INDEX IF EXISTS vector_used; CREATE TABLE kept AS SELECT {listed} FROM vector; DROP TABLE vector;"
            f"CREATE TABLE vector AS SELECT * FROM kept; DROP TABLE kept;"
        )


def _bring_up_to_date(folder: Path) -> None:
    small = SmallLibrary(folder)
    small.catalog.prepare()
    cache = EmbeddingCache(small.paths.embedding_cache)
    cache.put("mock", [("another text", [0.0, 0.0, 0.0, 1.0])])
    assert cache.get("mock", ["another text"])
    _ingest(folder)


def _version_wrong(folder: Path) -> Iterator[str]:
    yield from _not_whole(folder)
    with closing(sqlite3.connect(DataPaths(folder / "data").embedding_cache)) as connection:
        columns = [name for _, name, *_ in connection.execute("PRAGMA table_info(vector)")]
        if columns.count("used_at") != 1:
            yield f"the vectors have the columns {columns}"


# ------------------------------------------------------------------------------------------------ answers
_QUESTION = "What was the total revenue of Ostermere Instruments?"


def answers_over(library: Path) -> Work:
    """An answer over the sample reports, put into the log of runs, the cache of answers and a conversation."""

    def prepare(folder: Path) -> None:
        shutil.copytree(library, folder / "data")
        prepare_history(history_address(folder / "data" / "chat.sqlite", None))

    def run(folder: Path) -> None:
        with open_pageproof("offline", data=folder / "data") as client:
            answer = client.ask(_QUESTION)
        assert answer.is_available, answer.summary
        asyncio.run(_written(history_address(folder / "data" / "chat.sqlite", None), answer.value_text))

    def wrong(folder: Path) -> Iterator[str]:
        data = folder / "data"
        if contents(data) != contents(library):
            yield "the library is another"
        with closing(sqlite3.connect(data / "chat.sqlite")) as connection:
            steps = connection.execute('SELECT "id", "output" FROM steps').fetchall()
            threads = connection.execute('SELECT COUNT(*) FROM threads WHERE "id" = ?', (_THREAD,)).fetchone()
        if len(steps) != 1 or not steps[0][1] or threads != (1,):
            yield f"the conversation holds {steps} in {threads} threads"
        yield from _broken_databases(data)

    return Work("answer", prepare, run, wrong)


def files_over(library: Path) -> Work:
    """A file of questions, answered by the command and gone on with by `--resume`."""

    def prepare(folder: Path) -> None:
        shutil.copytree(library, folder / "data")
        write_questions(folder / "data", count=6)

    def run(folder: Path) -> None:
        data = str(folder / "data")
        arguments = [argument.replace("@", data) for argument in ANSWER.arguments]
        with contextlib.redirect_stdout(io.StringIO()):
            code = run_command([*arguments, "--data", data])
        assert code == 0, code

    def wrong(folder: Path) -> Iterator[str]:
        if answers_in(folder / "data") != answers_in(folder.parent / "whole" / "data"):
            yield "the answers are others"
        if contents(folder / "data") != contents(library):
            yield "the library is another"
        yield from _broken_databases(folder / "data")

    return Work("file of questions", prepare, run, wrong)


async def _written(address: Any, output: str) -> None:
    engine = open_engine(address)
    try:
        writer = HistoryWriter(engine)
        async with writer.transaction() as connection:
            await connection.exec_driver_sql(
                'INSERT INTO users ("id", "identifier", "createdAt", "metadata") VALUES (?, ?, ?, ?) '
                'ON CONFLICT ("identifier") DO NOTHING',
                (_PEOPLE, _PEOPLE, _NOW, "{}"),
            )
        claim = Claim(thread_id=_THREAD, owner=_PEOPLE, begins=True)
        row = {"id": "step", "name": "answer", "type": "assistant_message", "threadId": _THREAD, "output": output}
        await writer.put(claim, "steps", row | {"streaming": False, "createdAt": _NOW})
    finally:
        await engine.dispose()


WORKS = (
    Work("ingest", _small, _ingest, _not_whole),
    Work("upload", _small, _upload, _upload_wrong),
    Work("remove", _ingested, _remove, lambda folder: _not_whole(folder, names=())),
    Work("earlier version", _earlier, _bring_up_to_date, _version_wrong),
)


def main() -> int:
    """Kill each work as often as asked; 1 where something is not as it must be."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("kills", type=int, nargs="?", default=KILLS)
    options.add_argument("--library", type=Path, help="the sample reports, ingested, for the answers")
    given = options.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        library = given.library or Path(folder) / "samples"
        if given.library is None:
            _forked(ingest_samples, library)
        works = (*WORKS, answers_over(library), files_over(library))
        for work in works:
            for problem in killed(work, Path(folder) / work.name, given.kills):
                failed += 1
                sys.stdout.write(f"{problem}\n")
    sys.stdout.write(f"{given.kills} kills of each of {len(works)} works: {failed} problems\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
