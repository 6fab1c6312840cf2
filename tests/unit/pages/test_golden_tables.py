"""Pages of real reports, held to the tables that a reader sees on them."""

import difflib
from pathlib import Path

import pytest

from tests.support.golden.fixture import Table, read, tables_of
from tests.support.samples import ROOT

PAGES = sorted((ROOT / "tests/support/golden").glob("*.json"))


def lines(tables: list[Table]) -> list[str]:
    return [line for number, table in enumerate(tables, 1) for line in (f"table {number}", *table)]


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.stem)
def test_a_real_page_gives_the_tables_that_are_printed_on_it(path: Path) -> None:
    golden = read(path)
    printed, found = lines(golden.tables), lines(tables_of(golden.words))
    if printed != found:
        diff = "\n".join(difflib.unified_diff(printed, found, "printed", "found", lineterm="", n=1))
        pytest.fail(f"page {golden.page} of report {golden.sha1}\n{diff}", pytrace=False)


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.stem)
def test_the_order_of_a_pages_words_does_not_change_its_tables(path: Path) -> None:
    golden = read(path)
    assert lines(tables_of(golden.words[::-1])) == lines(golden.tables)


def test_there_are_golden_pages() -> None:
    assert len(PAGES) >= 4
