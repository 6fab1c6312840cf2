"""An ingest that is killed outright and run again ends as if nothing had happened."""

import random
from pathlib import Path

import pytest

from tests.kill_runs import contents, ingest_killed, ingest_whole, left_behind


@pytest.mark.parametrize("seed", [1, 2])
def test_an_ingest_killed_at_any_moment_and_run_again_gives_the_same_library(
    seed: int, sample_data: Path, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    ingest_killed(data, after=random.Random(seed).uniform(4, 20))
    ingest_whole(data)
    assert contents(data) == contents(sample_data)
    assert left_behind(data) == []
