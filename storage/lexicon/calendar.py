"""Months and days as they are written in every language that is read, and what makes a year fiscal.

The names of months come from CLDR, the Unicode project's data, through Babel. To read another language, add its locale
to `LOCALES` and its words for a fiscal year to `FISCAL_YEAR`.
"""

import calendar
import re
import unicodedata
from dataclasses import dataclass

from babel import Locale

from storage.lexicon.words import any_of

LOCALES = ("en", "de", "de_AT", "fr", "es", "it", "nl", "pt", "sv", "da", "nb")
_SHORTENED_IN = ("en", "de", "de_AT", "fr", "es", "nl", "pt")
_WORDS_TOO = frozenset({"ago", "des", "mag", "marco", "out", "set"})  # months that are words or names too
_ALSO = {"feber": 2, "maerz": 3, "sept": 9, "setiembre": 9}
ENGLISH_MONTHS = tuple(calendar.month_name[1:])


def _month_names() -> dict[str, int]:
    found: dict[str, int] = {}
    for code in LOCALES:
        months = Locale.parse(code).months
        for context in ("format", "stand-alone"):
            for number, name in months[context]["wide"].items():
                found[name.lower()] = number
            for number, name in months[context]["abbreviated"].items() if code in _SHORTENED_IN else ():
                found.setdefault(name.lower().rstrip("."), number)
    bare = {_unaccented(name): number for name, number in found.items()}
    return {name: number for name, number in (bare | found | _ALSO).items() if name not in _WORDS_TOO}


def _unaccented(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


MONTHS = _month_names()
"""The number of each month by its name in small letters, in full and short, with accents and without."""
MONTH = any_of(MONTHS)
ENGLISH_MONTH = any_of(map(str.lower, ENGLISH_MONTHS))

FISCAL_YEAR = any_of(
    (
        *("fiscal year", "fiscal years", "financial year", "financial years", "reporting year", "fiscal"),
        *("geschäftsjahr", "geschäftsjahres", "geschäftsjahre", "exercice", "exercice social", "exercices"),
        *("ejercicio", "ejercicio fiscal", "ejercicio económico", "año fiscal", "esercizio", "esercizio sociale"),
        *("boekjaar", "exercício", "exercício social", "räkenskapsår", "räkenskapsåret", "regnskabsår"),
        *("regnskabsåret", "regnskapsår", "regnskapsåret"),
    )
)
"""Words for a company's own year, in small letters."""


@dataclass(frozen=True, slots=True)
class WrittenDate:
    """A day or a month as a text writes it, at [start, end). A part that it does not write is None."""

    month: int
    day: int | None
    year: int | None
    start: int
    end: int


_Y = r"(?:19|20)\d\d"
_DAYS_OF_MONTH, _MONTHS_OF_YEAR = 31, 12
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?P<year>{_Y})\s?年(?:\s?(?P<month>\d{{1,2}})\s?月(?:\s?(?P<day>\d{{1,2}})\s?日)?)",
        rf"(?<![\d./-])(?P<year>{_Y})(?P<sign>[-/.])(?P<month>\d\d)(?P=sign)(?P<day>\d\d)(?![\d/-]|\.\d)",
        rf"\b(?<!\d[- ])(?P<name>{MONTH})\s?[-'’]\s?['’]?(?P<short>\d\d)\b(?!,?\s*{_Y})",
        rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|er)?(?P<point>\.)?[ \-]+(?:of |de )?(?P<name>{MONTH})\b\.?"
        rf"(?:,?[ \-]+(?:del? )?(?P<year>{_Y})|[ \-](?:['’]?(?P<short>\d\d)))?\b",
        rf"\b(?P<name>{MONTH})\b\.?[ \-]+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s*(?P<year>{_Y})\b)?",
        rf"\b(?P<name>{MONTH})\b\.?,?[ \-]+(?:del? )?(?P<year>{_Y})\b",
        rf"(?<![\d.])(?P<a>\d{{1,2}})(?P<sign>[./])\s?(?P<b>\d{{1,2}})(?P=sign)\s?(?P<year>{_Y})\b",
        r"(?<![\d.])(?P<a>[0-3]?\d)(?P<sign>\.)(?P<b>[01]?\d)\.(?P<short>\d{2})(?![\d.])",
    )
)
_TAKEN = "\0"


def dates_in(text: str) -> list[WrittenDate]:
    """The days and months that a text writes, in its order; "03/04/2022", which may be two days, is none."""
    found: list[WrittenDate] = []
    rest = text
    for form in _FORMS:
        for match in form.finditer(rest):
            if (date := _date(match)) is not None:
                found.append(date)
                rest = f"{rest[: date.start]}{_TAKEN * (date.end - date.start)}{rest[date.end :]}"
    return sorted(found, key=lambda date: date.start)


def _date(match: re.Match[str]) -> WrittenDate | None:
    parts = match.groupdict()
    year = int(parts["year"]) if parts.get("year") else 2000 + int(parts["short"]) if parts.get("short") else None
    day, month = _number(parts.get("day")), _number(parts.get("month"))
    if parts.get("name"):
        month = MONTHS[parts["name"].lower()]
        if parts.get("point") and year is None and parts["name"].title() in ENGLISH_MONTHS:
            return None  # "in note 5. August was" names no day
    if parts.get("a"):
        day, month = _in_order(int(parts["a"]), int(parts["b"]), is_dotted=parts["sign"] == ".")
    is_possible = (
        month is not None and 1 <= month <= _MONTHS_OF_YEAR and (day is None or 1 <= day <= _DAYS_OF_MONTH)
    )
    return WrittenDate(month, day, year, match.start(), match.end()) if month and is_possible else None


def _in_order(first: int, second: int, *, is_dotted: bool) -> tuple[int, int] | tuple[None, None]:
    """Day and month in the one order that is possible; 03/04 could be either and is neither."""
    if is_dotted or first > _MONTHS_OF_YEAR >= second or first == second:
        return first, second
    return (second, first) if second > _MONTHS_OF_YEAR >= first else (None, None)


def _number(text: str | None) -> int | None:
    return int(text) if text else None
