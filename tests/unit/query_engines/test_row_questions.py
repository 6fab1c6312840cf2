"""Questions that are calculations with rows, whose names only the report knows."""

from collections.abc import Sequence
from decimal import Decimal

import pytest

from query_engines.calculation.row_questions import RowCalculation, names_in, read_rows
from storage.records.metrics import folded, significant

ROWS = (
    "Total sales",
    "Accessories",
    "Professional fees",
    "Other operating expenses",
    "Raw materials",
    "Travel and representation",
    "Research and development",
    "General and administrative",
    "Gross profit",
    "Inventories",
    "Trade receivables",
)


class Printed:
    """A report that prints these rows, and one for deferred inventories."""

    def has(self, phrase: str) -> bool:
        return significant(folded(phrase)) in {significant(row) for row in ROWS}

    def narrow(self, word: str, names: Sequence[str]) -> bool:
        return bool(names) and word in ("domestic", "impairment")

    def is_known(self, word: str) -> bool:
        return word in ("domestic", "impairment", "obligations")


def read(text: str) -> RowCalculation | None:
    return read_rows(text, Printed())


@pytest.mark.parametrize(
    ("text", "base", "course", "names"),
    [
        (
            "What percentage of other operating expenses went to professional fees in 2022?",
            "share",
            "value",
            ("professional fees", "other operating expenses"),
        ),
        ("Accessories as a share of total sales, 2022?", "share", "value", ("accessories", "total sales")),
        (
            "Of total sales in 2022, what portion came from accessories?",
            "share",
            "value",
            ("accessories", "total sales"),
        ),
        (
            "I follow the accessories business. By how many percentage points did its slice of total sales go up"
            " between 2021 and 2022?",
            "share",
            "points",
            ("accessories", "total sales"),
        ),
        (
            "How many times the 2021 level were raw material stocks at the end of 2022?",
            "one",
            "times",
            ("raw material",),
        ),
        (
            "Travel and representation plus professional fees for 2022, added up?",
            "sum",
            "value",
            ("travel and representation", "professional fees"),
        ),
        (
            "How much research and development do they do for every dollar of general and administrative cost (2022)?",
            "ratio",
            "value",
            ("research and development", "general and administrative"),
        ),
        (
            "By how much did inventories exceed trade receivables at year-end 2022?",
            "difference",
            "value",
            ("inventories", "trade receivables"),
        ),
        (
            "What is the gap between inventories and trade receivables?",
            "difference",
            "value",
            ("inventories", "trade receivables"),
        ),
        (
            "Average yearly research and development bill over 2020, 2021 and 2022",
            "one",
            "average",
            ("research and development",),
        ),
    ],
)
def test_a_calculation_is_read_whatever_stands_around_it(
    text: str, base: str, course: str, names: tuple[str, ...]
) -> None:
    found = read(text)
    assert found is not None
    assert (found.base, found.course, found.names) == (base, course, names)


def test_yes_or_no_has_the_limit_that_the_question_names() -> None:
    more = read("Did accessories bring in more than a quarter of total sales in 2022?")
    assert more is not None
    assert (more.answer_kind, more.names, more.limit) == ("boolean", ("accessories", "total sales"), Decimal(25))
    faster = read("Did gross profit outpace total sales in 2022?")
    assert faster is not None
    assert (faster.answer_kind, faster.base) == ("boolean", "outgrowth")


@pytest.mark.parametrize(
    "text",
    [
        "What percentage of total sales were accessories obligations?",  # another row's name goes on
        "What share of domestic total sales were accessories?",
        "What percentage of total sales were accessories in Canada?",
        "What share of total sales were accessories, leaving inventories aside?",
        "By what percentage did accessories as a share of total sales change?",  # points or percent
        "What were accessories on average as a share of total sales over 2020, 2021 and 2022?",
        "Accessories exploded. What did management say?",
        "How did accessories and total sales develop?",
        "What were total sales in 2022?",
    ],
)
def test_what_says_more_than_the_calculation_is_none(text: str) -> None:
    assert read(text) is None


def test_no_name_stands_within_a_longer_one() -> None:
    found = names_in("sales and total sales", lambda name: name in ("sales", "total sales"))
    assert found == ["sales", "total sales"]
