"""What comes from outside, looked at before anything else is done with it: by browser, program, file or model.

A number that no computer has, half a character and lists in lists without end are refused in one line, which never
repeats what came. Whoever stores, compares or shows a text may rely on it.
"""

import json
import math
import unicodedata
from collections.abc import Mapping
from typing import Any, NoReturn

from storage.errors import UsageError
from storage.lexicon.words import expression
from storage.text import storable

DEEPEST = 64
MOST_DIGITS = 40
_UNSOUND = expression("[\x00\ud800-\udfff]")


class Unsound(UsageError):
    """What came holds something that no text, number or form has."""


def normal_length(text: str) -> int:
    """How long a text is once it is brought to one form: one character can stand for eighteen."""
    return len(unicodedata.normalize("NFKC", text))


def one_line(text: str) -> str:
    """A name as people see it: one line, single spaces, nothing that turns the direction of writing or cannot be seen.

    A control character between two words parts them. A byte of a file's name that is no text becomes U+FFFD.
    """
    spaced = "".join(" " if c.isspace() else c for c in storable(text))
    return " ".join("".join(c for c in spaced if c.isprintable()).split())


LONGEST_NAME = 200  # characters of a company's name


def company_name(text: str) -> str:
    """A company's name as people see it.

    Raises:
        UsageError: nothing of it can be seen, or it is longer than any.
    """
    name = one_line(text)
    if not name or len(name) > LONGEST_NAME:
        raise UsageError(f"the company's name {text[:40]!r} is empty or longer than {LONGEST_NAME} letters")
    return name


def read_json(body: bytes | str) -> Any:
    """What a JSON text says.

    Raises:
        Unsound: it is none, or holds what `check_sound` refuses.
    """
    try:
        value = json.loads(body, parse_constant=_no_number, parse_int=_whole, parse_float=_decimal)
    except Unsound:
        raise
    except (ValueError, RecursionError) as error:
        raise Unsound("it is no JSON that can be read") from error
    check_sound(value)
    return value


def check_sound(values: Any, most_characters: int | None = None) -> None:
    """Refuse values, however deep, that hold something unsound, or more text in all than `most_characters`.

    Raises:
        Unsound: they do.
    """
    rest, count = [(values, 0)], 0
    while rest:
        value, depth = rest.pop()
        if isinstance(value, str):
            count += len(value)
            check_characters(value)
            if most_characters is not None and count > most_characters:
                raise Unsound(f"it has more than {most_characters:,} characters")
        elif isinstance(value, float) and not math.isfinite(value):
            _no_number("")
        elif isinstance(value, Mapping | list | tuple):
            if depth >= DEEPEST:
                raise Unsound("it is nested too deep")
            inner = [*value.keys(), *value.values()] if isinstance(value, Mapping) else value
            rest.extend((one, depth + 1) for one in inner)


def check_characters(text: str) -> None:
    """Refuse a text with a zero byte or half a character.

    Raises:
        Unsound: it has one.
    """
    if _UNSOUND.search(text):
        raise Unsound("it has a zero byte or half a character (a lone surrogate)")


def _no_number(_: str) -> NoReturn:
    raise Unsound("it has a number that is too large, or none")


def _whole(digits: str) -> int:
    return int(digits) if len(digits) <= MOST_DIGITS else _no_number(digits)


def _decimal(digits: str) -> float:
    value = float(digits)
    return value if math.isfinite(value) else _no_number(digits)
