"""`ingest` and `answer` killed at any moment, then run again: nothing may be lost, and nothing doubled.

`python -m tests.measures.kill_runs [KILLS]` kills each so often, and compares with a run that nobody disturbed.
"""

import hashlib
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import faiss

from storage.stores.generations import Generations
from tests.support.samples import ROOT, SAMPLES

KILLS = 10


@dataclass(frozen=True)
class Command:
    """A command that is killed; each run gets a data root of its own."""

    arguments: tuple[str, ...]

    def start(self, data: Path) -> subprocess.Popen[bytes]:
        """Start it in a process group of its own; `@` stands for the data root."""
        code = "import sys; from app.command_line import main; sys.exit(main())"
        arguments = [argument.replace("@", str(data)) for argument in self.arguments]
        return subprocess.Popen(
            [sys.executable, "-c", code, *arguments, "--data", str(data)],
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd=ROOT,
        )


def ingest(workers: int = 2, overrides: Sequence[str] = ()) -> Command:
    """`pageproof ingest` over the samples."""
    settings = [part for override in overrides for part in ("--set", override)]
    catalog = ("--catalog", str(SAMPLES / "catalog.csv"))
    return Command(("ingest", str(SAMPLES), *catalog, "--workers", str(workers), *settings))


ANSWER = Command(("answer", "@.questions.json", "--out", "@.answers.json", "--resume"))
"""`pageproof answer` over the questions beside the library."""


def run_whole(command: Command, data: Path) -> float:
    """An undisturbed run; the seconds that it took."""
    started = time.monotonic()
    process = command.start(data)
    _, errors = process.communicate()
    if process.returncode != 0:
        raise AssertionError(f"{command.arguments[0]} ended with {process.returncode}: {errors.decode()[-400:]}")
    return time.monotonic() - started


def run_killed(command: Command, data: Path, after: float) -> None:
    """A run whose whole process group is killed after some seconds; it may be done by then."""
    process = command.start(data)
    try:
        process.communicate(timeout=after)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def contents(data: Path) -> dict[str, Any]:
    """What a library holds, without what may differ from run to run: names of generations, times."""
    found: dict[str, Any] = {"catalog": _rows(data / "library.sqlite")}
    for path in sorted((data / "reports").glob("*")):
        found[f"report {path.name}"] = _hash(path)
    for path in sorted((data / "pages").rglob("*.zip")):
        found[f"pages {path.parent.name}"] = _hash_members(path)
    for folder in sorted((data / "indexes").glob("*/*")):
        current = Generations(folder).current()
        found[f"index {folder.parent.name}"] = _index(current) if current else None
    return found


def left_behind(data: Path) -> list[str]:
    """Drafts and generations that nothing points to and nobody will remove."""
    drafts = [str(p.relative_to(data)) for p in data.rglob("*.draft")]
    folders = [f for f in (data / "indexes").glob("*/*") if f.is_dir()]
    return drafts + [str(f) for f in folders if sum(p.is_dir() for p in f.iterdir()) > 2]


def _rows(path: Path) -> dict[str, list[Any]]:
    with closing(sqlite3.connect(path)) as connection:
        tables = [
            n for (n,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")
        ]
        return {t: sorted(map(repr, connection.execute(f"SELECT * FROM {t}"))) for t in tables}


def _index(folder: Path) -> dict[str, Any]:
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    for name in ("files", "digest"):  # the ids of nodes differ from run to run
        manifest.pop(name, None)
    nodes = json.loads((folder / "docstore.json").read_text(encoding="utf-8"))["docstore/data"]
    vectors = faiss.read_index(str(folder / "default__vector_store.json"))
    texts = {name: node["__data__"]["text"] for name, node in nodes.items()}
    return {"manifest": manifest, "texts": texts, "vectors": vectors.ntotal}


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _hash_members(path: Path) -> dict[str, str]:
    with zipfile.ZipFile(path) as archive:
        return {name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()}


def _beside(data: Path, what: str) -> Path:
    """A file beside a library: in its folder, nothing is written for people."""
    return data.with_name(f"{data.name}.{what}.json")


def write_questions(data: Path, count: int = 40) -> None:
    """Questions about the samples, each of its own wording."""
    names = ("Ostermere Instruments", "Veldhoorn Packaging", "Tsukimine Seiki")
    metrics = ("total revenue", "net income", "total assets", "operating income")
    texts = [f"What was the {metrics[n % 4]} of {names[n % 3]}? Number {n}." for n in range(count)]
    _beside(data, "questions").write_text(
        json.dumps([{"text": text, "kind": "number"} for text in texts]), encoding="utf-8"
    )


def killed_ingestions(folder: Path, kills: int, command: Command) -> Iterator[str]:
    """Kill ingestions, each at another moment; yields what is not as in an undisturbed one."""
    seconds = run_whole(command, folder / "whole")
    expected = contents(folder / "whole")
    for seed in range(kills):
        data = folder / str(seed)
        after = random.Random(seed).uniform(0.3, 1.0) * seconds
        run_killed(command, data, after)
        run_whole(command, data)
        if contents(data) != expected:
            yield f"ingest, seed {seed}, killed after {after:.1f} s of {seconds:.1f}: the library is another"
        if left := left_behind(data):
            yield f"ingest, seed {seed}, killed after {after:.1f} s of {seconds:.1f}: left {left}"


def killed_answers(library: Path, folder: Path, kills: int) -> Iterator[str]:
    """Kill runs of a file of questions; yields what is not as in an undisturbed one."""
    whole = folder / "answered"
    shutil.copytree(library, whole)
    write_questions(whole)
    seconds = run_whole(ANSWER, whole)
    expected = answers_in(whole)
    for seed in range(kills):
        data = folder / f"answers {seed}"
        shutil.copytree(library, data)
        write_questions(data)
        after = random.Random(seed).uniform(0.3, 1.0) * seconds
        run_killed(ANSWER, data, after)
        run_whole(ANSWER, data)
        if answers_in(data) != expected:
            yield f"answer, seed {seed}, killed after {after:.1f} s of {seconds:.1f}: the answers are others"
        if contents(data) != contents(library):
            yield f"answer, seed {seed}: the library is another"


def answers_in(data: Path) -> Any:
    """The answers to the file of questions beside a library."""
    return json.loads(_beside(data, "answers").read_text(encoding="utf-8"))["answers"]


def main() -> int:
    """Kill as often as asked; 1 when anything differs from the undisturbed run."""
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else KILLS
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for problem in killed_ingestions(Path(folder), kills, ingest()):
            failed += 1
            sys.stdout.write(f"{problem}\n")
        for problem in killed_answers(Path(folder) / "whole", Path(folder), kills):
            failed += 1
            sys.stdout.write(f"{problem}\n")
    sys.stdout.write(f"{kills} kills of ingest and of answer: {failed} differences\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
