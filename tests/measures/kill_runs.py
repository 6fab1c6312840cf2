"""`ingest` killed at any moment, then run again: `python -m tests.measures.kill_runs [SEEDS]` compares libraries."""

import hashlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import faiss

from storage.stores.generations import Generations
from tests.support.samples import SAMPLES

SEEDS = 10


def start_ingest(data: Path, workers: int = 2) -> subprocess.Popen[bytes]:
    """`pageproof ingest` over the samples, in a process group of its own."""
    code = "import sys; from app.command_line import main; sys.exit(main())"
    arguments = ["ingest", str(SAMPLES), "--catalog", str(SAMPLES / "catalog.csv"), "--workers", str(workers)]
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments, "--data", str(data)],
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd=SAMPLES.parent.parent,
    )


def ingest_whole(data: Path) -> float:
    """An undisturbed run; the seconds that it took."""
    started = time.monotonic()
    process = start_ingest(data)
    _, errors = process.communicate()
    if process.returncode != 0:
        raise AssertionError(f"ingest ended with {process.returncode}: {errors.decode()[-400:]}")
    return time.monotonic() - started


def ingest_killed(data: Path, after: float) -> None:
    """A run whose whole process group is killed after some seconds; it may be done by then."""
    process = start_ingest(data)
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
    nodes = json.loads((folder / "docstore.json").read_text(encoding="utf-8"))["docstore/data"]
    vectors = faiss.read_index(str(folder / "default__vector_store.json"))
    texts = {name: node["__data__"]["text"] for name, node in nodes.items()}
    return {"manifest": manifest, "texts": texts, "vectors": vectors.ntotal}


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _hash_members(path: Path) -> dict[str, str]:
    with zipfile.ZipFile(path) as archive:
        return {name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()}


def main() -> int:
    """Kill as often as asked, each time another moment; 1 when a library differs from the undisturbed one."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else SEEDS
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole"
        seconds = ingest_whole(whole)
        expected = contents(whole)
        for seed in range(seeds):
            data = Path(folder) / str(seed)
            after = random.Random(seed).uniform(0.3, 1.0) * seconds
            ingest_killed(data, after)
            ingest_whole(data)
            same = contents(data) == expected
            left = left_behind(data)
            failed += not same or bool(left)
            sys.stdout.write(f"seed {seed}: killed after {after:.1f} s of {seconds:.1f}: ")
            sys.stdout.write(f"{'the same' if same else 'DIFFERENT'}{f'; left {left}' if left else ''}\n")
            sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
