"""Years and days as people say and shorten them, brought to figures: "twenty twenty two", "YE22", "31/03/22"."""

import re

from storage.lexicon.calendar import ENGLISH_NAMES
from storage.lexicon.words import any_of

_UNITS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_TEENS = [
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = {"twenty": 20, "thirty": 30}
_SPOKEN_DAYS = """
first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth
sixteenth seventeenth eighteenth nineteenth twentieth
"""
_DAYS = {word: at for at, word in enumerate(_SPOKEN_DAYS.split(), 1)} | {"thirtieth": 30}
_ORDINALS = tuple(_DAYS)[:9]
_MONTHS = any_of(ENGLISH_NAMES)
_UNDER_100 = rf"(?:(?:{'|'.join(_TENS)})(?:[ -](?:{'|'.join(_UNITS)}))?|{'|'.join(_TEENS)})"
_DAY = rf"(?:(?:twenty|thirty)[ -](?:{'|'.join(_ORDINALS)})|{'|'.join(_DAYS)})"
_YEAR = re.compile(
    rf"\b(?:twenty|two[ -]thousand(?:[ -]and)?)[ -](?P<rest>{_UNDER_100})\b"
    rf"|\btwo[ -]thousand(?:[ -]and)?[ -](?P<unit>{'|'.join(_UNITS)})\b",
    re.IGNORECASE,
)
_FISCAL = re.compile(
    rf"\b(?P<lead>(?:fiscal|financial|fy)(?: year)?|year ended(?: in)?(?: (?:{_MONTHS}))?) (?P<rest>{_UNDER_100})\b",
    re.IGNORECASE,
)
_SPOKEN_DAY = re.compile(rf"\b(?P<month>{_MONTHS}) (?:the )?(?P<day>{_DAY})\b", re.IGNORECASE)
_YEAR_END = re.compile(r"\bYE[ '-]?(?P<year>(?:20)?\d\d)\b|\byear[ -]?end '?(?P<short>\d\d)\b", re.IGNORECASE)
_TURN = re.compile(r"\bturn of the year (?P<year>20\d\d)[/-](?:20)?\d\d\b", re.IGNORECASE)
_FISCAL_CODE = re.compile(r"\b(?P<code>FY ?'?(?:20)?\d\d)[AE]\b", re.IGNORECASE)
_SLASHED = re.compile(
    r"\b(?P<first>\d{1,2})(?P<sign>[/.-])(?P<second>\d{1,2})(?P=sign)'?(?P<year>\d\d)\b(?![/.\-\d])"
)
_LATEST_MONTH, _LATEST_DAY = 12, 31
_DECADE = 10


def in_figures(text: str) -> str:
    """The text with its spoken and shortened years and days in figures; everything else stays as it is."""
    text = _YEAR.sub(
        lambda m: str(2000 + (_under_100(m["rest"]) if m["rest"] else 1 + _UNITS.index(m["unit"].lower()))), text
    )
    text = _FISCAL.sub(lambda m: f"{m['lead']} {2000 + _under_100(m['rest'])}", text)
    text = _SPOKEN_DAY.sub(lambda m: f"{m['month']} {_day(m['day'])}", text)
    text = _YEAR_END.sub(lambda m: f"year-end 20{(m['year'] or m['short'])[-2:]}", text)
    text = _TURN.sub(lambda m: f"year-end {m['year']}", text)
    text = _FISCAL_CODE.sub(lambda m: m["code"], text)
    return _SLASHED.sub(_with_century, text)


def _under_100(spoken: str) -> int:
    first, *rest = re.split(r"[ -]", spoken.lower())
    if first in _TENS:
        return _TENS[first] + (1 + _UNITS.index(rest[0]) if rest else 0)
    return _DECADE + _TEENS.index(first)


def _day(spoken: str) -> int:
    first, *rest = re.split(r"[ -]", spoken.lower())
    return _TENS[first] + _DAYS[rest[0]] if rest else _DAYS[first]


def _with_century(found: re.Match[str]) -> str:
    """Only what can be a day and a month in either order is a date: "31/03/22", "12/31/22"."""
    first, second = int(found["first"]), int(found["second"])
    small, large = min(first, second), max(first, second)
    if not (1 <= small <= _LATEST_MONTH and large <= _LATEST_DAY):
        return found[0]
    day, month = (first, second) if second <= _LATEST_MONTH else (second, first)
    return f"20{found['year']}-{month:02d}-{day:02d}"
