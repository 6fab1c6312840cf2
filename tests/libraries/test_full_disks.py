"""A data root on a full disk, one that may only be read, one that is removed: one line each, and nothing is lost."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app import open_pageproof
from app.assembly.client import Pageproof
from app.assembly.shared_parts import SharedParts
from app.command_line import run
from app.library.repair import LibraryChecks
from storage.errors import NotWritable, SetupError
from storage.paths import DataPaths
from storage.records.metrics import Ontology
from tests.support.damage import full_disk, obey_rights, only_to_read
from tests.support.kept_content import content_of
from tests.support.libraries import parts_with_one_vector, quick_reader, with_pages
from tests.support.samples import OSTERMERE, ROOT, SAMPLES, samples_request

REVENUE = f"What was the total revenue of {OSTERMERE}?"
MAKE_ROOM = "make room on the disk, or give yourself the right to write there"
SIZES = (0, 50_000, 100_000, 200_000)
"""Lengths at which the catalog, the pages and the vectors come to grief; at the last there is room."""


@pytest.fixture(scope="module")
def shared() -> Iterator[SharedParts]:
    """Parts without an embedding model's seconds; what is asked here is answered from the fact table."""
    parts = parts_with_one_vector()
    yield parts
    parts.close()


@pytest.fixture
def data(sample_data: Path, tmp_path: Path) -> Path:
    """A library of the sample reports, to write to."""
    shutil.copytree(sample_data, tmp_path / "data")
    return tmp_path / "data"


def shown(client: Pageproof) -> tuple[object, list[int]]:
    answer = client.ask(REVENUE)
    return answer.value, [citation.page for citation in answer.citations]


ANSWER = (386412000.0, [8])


def test_on_a_full_disk_questions_are_answered_and_the_log_alone_lacks_them(
    data: Path, shared: SharedParts, caplog: pytest.LogCaptureFixture
) -> None:
    with open_pageproof(data=data, shared=shared) as client:
        client.warm_up()
        with full_disk():
            assert [shown(client) for _ in range(2)] == [ANSWER] * 2
    assert caplog.text.count("the run log cannot be written") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["ingest"],
        ["ingest", str(SAMPLES / "ostermere_2024.pdf")],
        ["companies", OSTERMERE, "--edit", "--alias", "Oster"],
        ["answer", "questions.json", "--out", "answers.json"],
    ],
    ids=lambda arguments: " ".join(arguments[:1] + arguments[2:3]),
)
def test_a_command_on_a_full_disk_says_so_in_one_line_and_changes_nothing(
    data: Path, arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = content_of(DataPaths(data))
    questions = json.dumps([{"text": REVENUE, "kind": "number"}])
    (data.parent / "questions.json").write_text(questions, encoding="utf-8")
    monkeypatch.chdir(data.parent)
    with full_disk():
        code = run([*arguments, "--data", str(data)])
    message = capsys.readouterr().err.splitlines()[-1]
    assert (code, message.endswith(MAKE_ROOM)) == (3, True) or "cannot be written" in message, message
    assert content_of(DataPaths(data)) == before
    assert run([*arguments, "--data", str(data)]) == 0


@pytest.mark.parametrize("overrides", [(), ("chunking.tokens=200",)], ids=["new", "other settings"])
def test_an_ingestion_that_fills_the_disk_stops_with_one_line_and_goes_on_when_there_is_room(
    sample_data: Path, tmp_path: Path, shared: SharedParts, overrides: tuple[str, ...]
) -> None:
    def ingested(data: Path) -> list[str]:
        settings = overrides or quick
        with open_pageproof(data=data, shared=shared, overrides=settings) as client:
            return [result.status for result in client.library.ingest(samples_request("ostermere_2024.pdf"))]

    quick = quick_reader(sample_data, tmp_path / "mineru")
    whole = with_pages(sample_data, tmp_path / "whole") if overrides else tmp_path / "whole"
    assert ingested(whole) == ["indexed"]
    data, stopped = tmp_path / "data", 0
    if overrides:
        with_pages(sample_data, data, vectors=False)
    for size in SIZES:  # each goes on where the disk before was full
        with full_disk(size):
            try:
                ingested(data)
            except NotWritable as error:
                stopped += str(error).endswith(MAKE_ROOM)
        assert list(LibraryChecks(DataPaths(data), Ontology.load()).all()) == [], size
        assert not list(data.rglob("*.draft")), size
    assert set(ingested(data)) <= {"indexed", "unchanged"}
    assert content_of(DataPaths(data)) == content_of(DataPaths(whole))
    assert stopped >= 3


def test_a_correction_on_a_full_disk_is_made_whole_or_not_at_all(data: Path, shared: SharedParts) -> None:
    with open_pageproof(data=data, shared=shared) as client:
        (company,) = [c for c in client.companies() if c.name == OSTERMERE]
        for size in SIZES:
            before = content_of(DataPaths(data))
            with full_disk(size):
                try:
                    client.library.correct(company.reports[0].sha1, company=f"Ostermere {size}")
                except NotWritable:
                    assert content_of(DataPaths(data))["companies"] == before["companies"]
            assert list(LibraryChecks(DataPaths(data), Ontology.load()).all()) == []
        client.library.correct(company.reports[0].sha1, company=OSTERMERE)
        assert shown(client) == ANSWER


def test_a_library_that_may_only_be_read_is_answered_from_and_what_would_write_says_so(
    data: Path,
) -> None:
    only_to_read(data)
    commands = [["ask", REVENUE], ["companies"], ["facts", OSTERMERE], ["runs"], ["doctor", "--deep"]]
    commands += [["ingest"], ["companies", OSTERMERE, "--edit", "--alias", "Oster"]]
    code = (
        "import sys, json\nfrom app.command_line import run\n"
        "for command in json.loads(sys.argv[1]): print('code', run([*command, '--data', sys.argv[2]]), flush=True)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(commands), str(data)],
        preexec_fn=obey_rights,
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    assert [line for line in done.stdout.splitlines() if line.startswith("code ")] == ["code 0"] * 5 + [
        "code 3"
    ] * 2
    assert "386,412,000 USD" in done.stdout
    assert "Traceback" not in done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("pageproof: ")]
    assert len(lines) == 2
    assert all("give yourself the right to write there" in line for line in lines)


def test_a_data_root_that_is_removed_while_it_is_in_use_is_an_empty_one(
    sample_data: Path, tmp_path: Path, shared: SharedParts
) -> None:
    data, quick = tmp_path / "data", quick_reader(sample_data, tmp_path / "mineru")
    with open_pageproof(data=data, shared=shared, overrides=quick) as client:
        for _ in range(2):
            request = samples_request("ostermere_2024.pdf")
            assert [result.status for result in client.library.ingest(request)] == ["indexed"]
            assert shown(client) == ANSWER
            shutil.rmtree(data)
            with pytest.raises(SetupError) as refused:
                client.ask(REVENUE)
            assert "\n" not in str(refused.value)
            assert "pageproof ingest" in str(refused.value)
