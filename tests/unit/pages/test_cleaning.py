"""Cleaning takes out what typesetting left, and never touches a number."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexes.text_quality import cleaned, joined_lines


@pytest.mark.parametrize(
    ("printed", "read"),
    [
        ("proﬁt and cash ﬂow", "profit and cash flow"),
        ("the ﬁ eld oﬃ ce", "the field office"),
        ("in\u00adterest", "interest"),
        ("a\u200bb\ufeffc", "abc"),
        ("  two   spaces\there ", "two spaces here"),
        ("GLYPH<0041> Revenue GLYPH<c=1,font=/F2>", "Revenue"),
        ("(cid:12) Revenue", "Revenue"),
        ("long\x02term", "long-term"),
        ("bell\x07 and private \uf0b7 use", "bell and private use"),
        ("R&amp;D", "R&D"),
        ("(1,234.5)", "(1,234.5)"),
        ("1\u00a0234", "1 234"),
        ("−12.5%", "−12.5%"),
    ],
)
def test_a_text_is_freed_of_what_typesetting_left(printed: str, read: str) -> None:
    assert cleaned(printed) == read


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (["a long para-", "graph goes on"], "a long paragraph goes on"),
        (["the years 2021-", "2022 were good"], "the years 2021- 2022 were good"),
        (["loss of 12-", "month credit"], "loss of 12- month credit"),
        (["Rolls-", "Royce"], "Rolls- Royce"),
        (["one line", "and the next"], "one line and the next"),
        (["- item", "goes on"], "- item goes on"),
        ([], ""),
    ],
)
def test_lines_are_joined_and_only_a_word_broken_between_letters_is_closed_up(lines: list[str], text: str) -> None:
    assert joined_lines(lines) == text


@given(st.from_regex(r"\(?[$€£]?\d{1,3}(,\d{3}){0,3}(\.\d{1,4})?\)?%?", fullmatch=True))
def test_no_number_is_changed(figure: str) -> None:
    assert cleaned(figure) == figure
    assert re.findall(r"\d+", joined_lines(["revenue of", figure, "was earned"])) == re.findall(r"\d+", figure)


@given(st.text())
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    assert cleaned(cleaned(text)) == cleaned(text)
