"""Files that hurt, through the command line: each one line, and the good file among them is ingested all the same."""

import json
import time
from pathlib import Path

import pytest

from app.command_line import run
from indexes.options import ReaderOptions
from indexes.reading.document_queue import ReadingTask
from indexes.reading.pool import ReadingPool
from storage.process_memory import give_back, resident_megabytes
from storage.stores.pages import PageStore
from tests.support.doubles.page_readers import scripted
from tests.support.hostile_files import (
    crowded_page,
    cut_off,
    empty_pages,
    encrypted,
    huge_picture,
    many_lines,
    nested_forms,
)
from tests.support.samples import SAMPLES

GOOD = SAMPLES / "ostermere_2024.pdf"


def test_a_folder_of_bad_files_is_one_line_each_and_the_good_one_is_ingested(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder, data = tmp_path / "in", tmp_path / "data"
    folder.mkdir()
    (folder / "zero.pdf").touch()
    (folder / "letter.pdf").write_bytes(b"PK\x03\x04 a word processor's file")
    cut_off(folder / "cut.pdf", GOOD.read_bytes())
    encrypted(folder / "secret.pdf")
    empty_pages(folder / "blank.pdf", pages=40)
    crowded_page(folder / "crowded.pdf")
    huge_picture(folder / "picture.pdf")
    many_lines(folder / "lines.pdf")
    nested_forms(folder / "nested.pdf")
    (folder / "zz_good.pdf").write_bytes(GOOD.read_bytes())
    assert run(["ingest", str(folder), "--data", str(data), "--set", "reader.ocr=off"]) == 1
    printed = capfd.readouterr()
    lines = printed.err.splitlines()
    for name in ("zero", "letter", "cut", "secret", "blank", "crowded", "picture", "lines", "nested"):
        assert len([line for line in lines if f"{name}.pdf" in line]) == 1, name
    assert len(lines) == 9
    assert run(["companies", "--json", "--data", str(data)]) == 0
    assert [c["name"] for c in json.loads(capfd.readouterr().out)] == ["Ostermere Instruments, Inc."]


def test_the_pool_stays_whole_after_files_that_hang_die_and_fail(tmp_path: Path) -> None:
    names = ["hang1", "die1", "fail1", "good1", "hang2", "die2", "fail2", "good2", "good3"]
    pool = ReadingPool(2, scripted, ReaderOptions(seconds_per_document=3), tmp_path, "print")
    started = time.monotonic()
    failures = {t.sha1: failure for t, failure in pool.read([ReadingTask(Path(f"{n}.pdf"), n) for n in names])}
    assert {n for n, failure in failures.items() if not failure} == {"good1", "good2", "good3"}
    assert all(failure.startswith(f"{n}.pdf: ") for n, failure in failures.items() if failure)
    assert all(name in PageStore(tmp_path, "print") for name in ("good1", "good2", "good3"))
    assert time.monotonic() - started < 120


def test_freed_memory_goes_back_to_the_system() -> None:
    if not resident_megabytes():
        pytest.skip("only Linux says how much memory a process holds")
    pieces = [bytes(60_000) for _ in range(4000)]  # below the size that the C library maps by itself
    pin = [piece for number, piece in enumerate(pieces) if number % 200 == 0]
    held = resident_megabytes()
    pieces.clear()
    give_back()
    assert held - resident_megabytes() > 150
    assert len(pin) == 20
