"""Texts that nobody would write, at everything that reads what people, files and models write."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support.fuzzing import CORPUS, FRAGMENTS, READERS

MOST_SECONDS = 20.0  # for one text on a busy machine
BROKE_ONCE = sorted(CORPUS.glob("*/*.json"))
TEXTS = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=20), max_size=30).flatmap(
    lambda pieces: st.sampled_from(["", " ", "\n"]).map(lambda between: between.join(pieces))
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.sampled_from(FRAGMENTS) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(FRAGMENTS) | st.text(max_size=9), inner)
    ),
    max_leaves=20,
)


@pytest.mark.parametrize("path", BROKE_ONCE, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_broke_a_reader_once_is_read_or_refused_in_words(path: Path) -> None:
    begun = time.monotonic()
    READERS[path.parent.name](json.loads(path.read_text("utf-8")))
    assert time.monotonic() - begun < MOST_SECONDS


@pytest.mark.parametrize("reader", READERS)
def test_no_text_breaks_a_reader(reader: str) -> None:
    @settings(max_examples=40)
    @given(TEXTS | VALUES.map(json.dumps))
    @example("[" * 20_000)
    @example("9" * 10_000)
    @example("(" * 5_000)
    @example("a " * 5_000)
    def read(text: str) -> None:
        READERS[reader](text)

    read()
