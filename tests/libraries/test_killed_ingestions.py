"""Killed at some moments: nothing is lost and nothing doubled. `make stress` does it as often as one likes."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.measures.kill_runs import ingest, killed_ingestions
from tests.support.doubles.openai_server import OpenAIServer
from tests.support.libraries import quick_reader
from tests.support.samples import ROOT

KILLS = 2


@pytest.mark.timeout(600)  # three processes, one after the other
def test_a_killed_ingestion_is_finished_by_the_next_as_if_nothing_had_happened(
    sample_data: Path, tmp_path: Path
) -> None:
    reader = quick_reader(sample_data, tmp_path / "mineru")
    with OpenAIServer() as server:  # embeds at once; `make stress` kills with Docling and MiniLM
        embedder = (
            "embedding.kind=openai_like",
            "embedding.model=any",
            f"embedding.api_base={server.api_base}",
        )
        assert list(killed_ingestions(tmp_path, 1, ingest(overrides=(*reader, *embedder)))) == []


@pytest.mark.timeout(600)
def test_whatever_is_killed_at_any_change_of_the_disk_is_gone_on_with_and_ends_as_if_it_had_not_been(
    sample_data: Path,
) -> None:
    command = [sys.executable, "-m", "tests.support.kills", str(KILLS), "--library", str(sample_data)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.stdout == f"{KILLS} kills of each of 6 works: 0 problems\n", done.stderr
    assert done.returncode == 0
