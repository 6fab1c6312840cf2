"""Months and days as they are written in every language that is read, and what makes a year fiscal.

The names of months come from CLDR, the Unicode project's data, through Babel. To read another language, add its locale
to `LOCALES` and its words for a fiscal year to `FISCAL_YEAR`.
"""

import calendar
import datetime as dt
import re
from dataclasses import dataclass
from functools import lru_cache

from babel import Locale

from storage.lexicon.words import KNOWN_TEXTS, any_of, expression, unaccented

LOCALES = ("en", "de", "de_AT", "fr", "es", "it", "nl", "pt", "sv", "da", "nb")
_SHORTENED_IN = ("en", "de", "de_AT", "fr", "es", "nl", "pt")
_WORDS_TOO = frozenset({"ago", "des", "mag", "marco", "out", "set"})  # months that are words or names too
_ALSO_IN_FULL = {"feber": 2, "maerz": 3, "setiembre": 9}
ENGLISH_MONTHS = tuple(calendar.month_name[1:])


def _month_names(width: str, locales: tuple[str, ...]) -> dict[str, int]:
    """The number of each month by its name in small letters, with accents and without."""
    found = {
        name.lower().rstrip("."): number
        for code in locales
        for context in ("format", "stand-alone")
        for number, name in Locale.parse(code).months[context][width].items()
    }
    bare = {unaccented(name): number for name, number in found.items()}
    return {name: number for name, number in (bare | found).items() if name not in _WORDS_TOO}


ENGLISH_NAMES = {**_month_names("abbreviated", ("en",)), "sept": 9, **_month_names("wide", ("en",))}
"""The number of each month by its English name in small letters, in full and short."""
_IN_FULL = _month_names("wide", LOCALES) | _ALSO_IN_FULL
_SHORT = _month_names("abbreviated", _SHORTENED_IN) | {"sept": 9}
MONTHS = _SHORT | _IN_FULL
"""The number of each month by its name in small letters, in full and short, with accents and without."""
MONTH = any_of(MONTHS)
MONTH_IN_FULL = any_of(name for name in _IN_FULL if name not in {"may", "maj", "mei", "janeiro"})
"""The source of a pattern of names that say a month by themselves."""
SHORT_MONTH = any_of(_SHORT)
ENGLISH_MONTH = any_of(map(str.lower, ENGLISH_MONTHS))
ENGLISH_DATE = rf"\b{ENGLISH_MONTH}\.? \d{{1,2}},? \d{{4}}|\b\d{{1,2}} {ENGLISH_MONTH} \d{{4}}"
"""A day as sentences write it; like the month it ignores case."""

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


YEAR = r"(?:19|20)\d\d"
"""The source of a pattern of a year in four digits."""
YEAR_IN_HEADING = expression(rf"(?<![\d,.$]){YEAR}(?![\d,]|\.\d)")
_BARE_YEAR = expression(rf"\b{YEAR}\b")


def written_years(text: str) -> frozenset[int]:
    """Every number in a sentence that may be a year; `periods.periods_in` says which of them are."""
    return frozenset(map(int, _BARE_YEAR.findall(text)))


@dataclass(frozen=True, slots=True)
class WrittenDate:
    """A day or a month as a text writes it, at [start, end). A part that it does not write is None."""

    month: int
    day: int | None
    year: int | None
    start: int
    end: int


YEARS_OF_REPORTS = range(1900, 2101)


def given_day(text: str) -> dt.date | None:
    """The day that "2024-12-31" names; None for any other text, and for a year in which nobody reports."""
    try:
        day = dt.date.fromisoformat(text)
    except ValueError:
        return None
    return day if day.year in YEARS_OF_REPORTS else None


ERA_YEAR = r"(?P<era>令和|平成)\s?(?P<count>元|\d{1,2})\s?年"
_ERAS = {"令和": 2018, "平成": 1988}  # the year before the era's first
_DAYS_OF_MONTH, _MONTHS_OF_YEAR = 31, 12
_FORMS = tuple(
    expression(form, re.IGNORECASE)
    for form in (
        rf"(?P<year>{YEAR})\s?年(?:\s?(?P<month>\d{{1,2}})\s?月(?:\s?(?P<day>\d{{1,2}})\s?日)?)",
        rf"{ERA_YEAR}\s?(?P<month>\d{{1,2}})\s?月(?:\s?(?P<day>\d{{1,2}})\s?日)?",
        rf"(?<![\d./-])(?P<year>{YEAR})(?P<sign>[-/.])(?P<month>\d\d)(?P=sign)(?P<day>\d\d)(?![\d/-]|\.\d)",
        rf"\b(?<!\d[- ])(?P<name>{MONTH})\s?[-'’]\s?['’]?(?P<short>\d\d)\b(?!,?\s*{YEAR})",
        rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|er)?(?P<point>\.)?[ \-]+(?:of |de )?(?P<name>{MONTH})\b\.?"
        rf"(?:,?[ \-]+(?:del? )?(?P<year>{YEAR})|[ \-](?:['’]?(?P<short>\d\d)(?![,.]\d)))?\b",
        rf"\b(?P<name>{MONTH})\b\.?[ \-]+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s*(?P<year>{YEAR})\b)?",
        rf"\b(?P<name>{MONTH})\b\.?,?[ \-]+(?:del? )?(?P<year>{YEAR})\b",
        rf"(?<![\d.])(?P<a>\d{{1,2}})(?P<sign>[./])\s?(?P<b>\d{{1,2}})(?P=sign)\s?(?P<year>{YEAR})(?!\d)",
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
    year = year_of_era(match) if parts.get("era") else _number(parts.get("year"))
    if parts.get("short"):
        year = 2000 + int(parts["short"])
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


def year_of_era(match: re.Match[str]) -> int:
    """The year of what `ERA_YEAR` matched."""
    return _ERAS[match["era"]] + (1 if match["count"] == "元" else int(match["count"]))


def _in_order(first: int, second: int, *, is_dotted: bool) -> tuple[int, int] | tuple[None, None]:
    """Day and month in the one order that is possible; 03/04 could be either and is neither."""
    if is_dotted or first > _MONTHS_OF_YEAR >= second or first == second:
        return first, second
    return (second, first) if second > _MONTHS_OF_YEAR >= first else (None, None)


def _number(text: str | None) -> int | None:
    return int(text) if text else None


_LENGTHS = tuple(
    (months, expression(pattern, re.IGNORECASE))
    for months, pattern in (
        (
            6,
            r"\b(?:26|27|twenty-six)[- ]weeks\b|\bhalbjahr|\bsemestr[ei]|中間|半年|\b(?:six|6)[- ]months?\b"
            r"|\bhalf[- ]years?\b|\bH[12]\b",
        ),
        (
            3,
            r"\bquartal|\btrimestr[ei]|四半期|季度|\b(?:three|3)[- ]months?\b|\bquarters?\b|\bQ[1-4]\b"
            r"|\b(?:1[2-4]|thirteen|fourteen)[- ]weeks\b",
        ),
        (9, r"\b(?:nine|9)[- ]months?\b|\b(?:39|40|thirty-nine|forty)[- ]weeks\b"),
        (18, r"\b(?:eighteen|18)[- ]months?\b"),
        (15, r"\b(?:fifteen|15)[- ]months?\b"),
        (
            12,
            r"\bgeschäftsjahr|\bexercice (?:clos|\d)|\bejercicio\b|\besercizio\b|年度|月期|\b(?:twelve|12)[- ]months?\b"
            r"|\b0?1\.0?1\.\s?[-–]\s?31\.12\.|\b(?:5[23]|fifty-(?:two|three))[- ]weeks?\b|\bFY\s?['’]?\d{2}\b"
            r"|\b(?:financial |fiscal )?years?[- ](?:ended|ending|to|end)\b|\b(?:fiscal|financial) years?\b",
        ),
    )
)
_POSITION = expression(
    r"(?i)\bas (?:at|of)\b|^at\b|\bat (?:the end|\d{1,2} )|\bbalance sheets?\b|\bfinancial (?:position|condition)\b"
    r"|\b(?:zum|per) \d|\bau \d{1,2} |\bstichtag|現在$"
)


@lru_cache(KNOWN_TEXTS)
def stated_months(text: str) -> int | None:
    """The one length of a period that a heading's words say; 0 where they say a position at a day."""
    found = [months for months, pattern in _LENGTHS if pattern.search(text)]
    if len(found) == 1:
        return found[0]
    return 0 if not found and _POSITION.search(text) else None


YEAR_BEFORE = (
    r"\bvorjahr(?:es)?\b|\b(?:année|exercice) précédente?\b|\b(?:año|ejercicio) anterior\b"
    r"|\b(?:anno|esercizio) precedente\b|\bvoorgaand (?:boek)?jaar\b"
    r"|前(?:連結)?(?:会計)?(?:年度|期)|上(?:期|年)|期初余额|年初余额"
)
"""The prior year in other languages, as the source of a pattern that ignores case."""


_MONTHS_BEFORE = expression(
    rf"(?<!\d )(?<!\d\. )\b(?P<first>{MONTH})"
    rf"(?:(?P<listed>(?:, ?{MONTH}){{0,9}}),? (?:and|und|et|e|y) | (?:to|through|bis|à|al?) | ?[-–] ?)$",
    re.IGNORECASE,
)  # "April, May and" of June 2022, "October to" of December 2022


def run_of_months(before: str, last: int) -> tuple[int, int] | None:
    """How many months a run of them has whose last stands behind a text, and where in it the run begins.

    None where no run ends there: "March and" before June is none, "April, May and" is one.

    Args:
        before: the text before the name of the last month.
        last: its number.
    """
    run = _MONTHS_BEFORE.search(before)
    if run is None:
        return None
    months = (last - MONTHS[run["first"].lower()]) % _MONTHS_OF_YEAR + 1
    is_of_each = run["listed"] is None or run["listed"].count(",") + 2 == months
    return (months, run.start()) if is_of_each else None
