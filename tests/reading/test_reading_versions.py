"""Whoever changes what is read of a report raises the version, so that libraries read it again."""

from pathlib import Path

import pytest

from tests.support.reading_versions import Digests, of_library, recorded, rounded, unraised


def test_what_is_read_of_the_samples_changes_only_with_its_version(sample_data: Path) -> None:
    now, before = of_library(sample_data), recorded()
    assert unraised(before, now) == []
    assert now == before, "the version was raised: run `python -m tests.support.reading_versions`"


@pytest.mark.parametrize(
    ("what", "version"),
    [("pages", "READER_VERSION"), ("facts", "EXTRACTOR_VERSION"), ("chunks", "CHUNKER_VERSION")],
)
def test_another_reading_under_the_same_fingerprint_names_the_version_to_raise(what: str, version: str) -> None:
    before = recorded()
    file = next(iter(before[what]["reports"]))
    now: Digests = {**before, what: {**before[what], "reports": {**before[what]["reports"], file: "other"}}}
    (advice,) = unraised(before, now)
    assert f"{what} of {file} are read in another way: raise {version}" in advice
    raised: Digests = {**now, what: {**now[what], "fingerprint": "other"}}
    assert unraised(before, raised) == []


def test_places_count_in_tenths_of_a_point() -> None:
    assert rounded({"left": 1.23456, "value": 1.23456, "rows": (1, {"top": 7.77})}) == {
        "left": 1.2,
        "value": 1.23456,
        "rows": [1, {"top": 7.8}],
    }
