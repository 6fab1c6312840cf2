"""What comes from outside: lengths, lines, JSON and values that are refused, each in one line."""

import pytest

from storage.errors import QuestionTooLong
from storage.incoming import Unsound, check_sound, normal_length, one_line, read_json
from storage.records.questions import check_length
from tests.support.odd_bodies import MARK, RAW

UNREADABLE = set(RAW) - {"null", "a list", "another encoding"}


@pytest.mark.parametrize("name", sorted(UNREADABLE))
def test_json_that_no_field_could_take_is_refused_in_one_line_without_what_it_says(name: str) -> None:
    with pytest.raises(Unsound) as refused:
        read_json(RAW[name])
    assert MARK not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_json_is_read_as_it_is() -> None:
    assert read_json(b'{"a": [1, 2.5, null, true, "\\u00e9"], "b": -7e3}') == {
        "a": [1, 2.5, None, True, "é"],
        "b": -7000,
    }


def test_text_is_counted_over_all_values() -> None:
    with pytest.raises(Unsound, match="more than 10 characters"):
        check_sound({"a": ["12345"], "b": {"c": "67890"}}, 10)


def test_a_length_is_that_of_the_text_that_rules_read() -> None:
    assert normal_length("\ufdfa") == 18
    with pytest.raises(QuestionTooLong, match="18,000"):
        check_length("\ufdfa" * 1_000)
    with pytest.raises(QuestionTooLong, match="name"):
        check_length("revenue?", "\ufdfa" * 20)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("Acme\u2028Inc.", "Acme Inc."),
        ("Acme\u202e.cnI", "Acme.cnI"),
        ("  Acme\tInc.\r\n", "Acme Inc."),
        ("Acme\x1b[31m", "Acme[31m"),
        ("Acme\udcff.pdf", "Acme\ufffd.pdf"),
        ("東京 株式会社", "東京 株式会社"),
    ],
)
def test_a_name_is_one_line_of_signs_that_can_be_seen(given: str, shown: str) -> None:
    assert one_line(given) == shown
