"""`ingest` and `answer` killed at some moments; `tests.measures.kill_runs` does it as often as one likes."""

from pathlib import Path

import pytest

from tests.measures.kill_runs import ingest, killed_answers, killed_ingestions
from tests.support.libraries import quick_reader

KILLS = 2


@pytest.mark.timeout(900)  # seven processes, one after the other
def test_a_killed_ingestion_is_finished_by_the_next_as_if_nothing_had_happened(
    sample_data: Path, tmp_path: Path
) -> None:
    command = ingest(overrides=quick_reader(sample_data, tmp_path / "mineru"))
    assert list(killed_ingestions(tmp_path, KILLS, command)) == []


@pytest.mark.timeout(900)
def test_a_killed_run_of_questions_is_finished_by_the_next_and_the_library_is_the_same(
    sample_data: Path, tmp_path: Path
) -> None:
    assert list(killed_answers(sample_data, tmp_path, KILLS)) == []
