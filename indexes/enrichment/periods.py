"""What words such as "Year ended December 31, 2022" or "As at 30 June" say about the time of figures."""

import calendar
import datetime as dt
import re
from dataclasses import dataclass

from storage.records.facts import Period

_MONTHS = {name.lower(): i for i, name in enumerate(calendar.month_name) if name}
_MONTHS |= {name.lower(): i for i, name in enumerate(calendar.month_abbr) if name} | {"sept": 9}
for _month, _names in enumerate(
    (
        "januar jänner janvier enero gennaio",
        "februar feber février fevrier febrero febbraio",
        "märz maerz mars marzo",
        "avril abril aprile",
        "mai mayo maggio",
        "juni juin junio giugno",
        "juli juillet julio luglio",
        "août aout agosto",
        "septembre septiembre settembre",
        "oktober octobre octubre ottobre",
        "novembre noviembre",
        "dezember décembre decembre diciembre dicembre",
    ),
    start=1,
):
    _MONTHS |= dict.fromkeys(_names.split(), _month)
MONTH_NAMES = "|".join(sorted(_MONTHS, key=len, reverse=True))
_MONTH = rf"\b(?P<month>{MONTH_NAMES})\b\.?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_ANY_YEAR = re.compile(r"(?<![\d,.$€£])(?:19|20)\d\d(?!\d|[,.]\d)")
_FISCAL_YEAR = re.compile(r"(?i)\bFY\s?['’]?(?P<year>\d{2})\b")
_YEAR_RANGE = re.compile(r"\b(?P<century>19|20)(?P<first>\d\d)\s?[/–-]\s?(?:(?:19|20)(?=\d\d))?(?P<last>\d{2})\b")
_DAY_SHORT_YEAR = re.compile(rf"(?i)\b(\d{{1,2}})[- ]({MONTH_NAMES})[- ]['’]?(\d{{2}})\b")
_MONTH_SHORT_YEAR = re.compile(rf"(?i)\b({MONTH_NAMES})\s?[-'’]\s?['’]?(\d{{2}})\b")
_DOTTED_SHORT_YEAR = re.compile(r"(?<![\d.])([0-3]?\d)\.([01]?\d)\.(\d{2})(?![\d.])")
_DAY_FIRST = re.compile(
    rf"(?i)\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|er)?(?P<point>\.)?[ \-]+(?:of "
    rf"|de )?{_MONTH},?(?:[ \-]+(?:de )?{_YEAR})?\b"
)
_ERA = re.compile(r"(令和|平成)\s?(元|\d{1,2})年")
_ERAS = {"令和": 2018, "平成": 1988}  # the year before the era's first
_IDEOGRAPHIC = re.compile(
    r"(?P<year>(?:19|20)\d\d)\s?年(?:\s?(?P<month>\d{1,2})\s?月(?:\s?(?P<day>\d{1,2})\s?日)?)?"
)
_DAY_OF_RANGE = (
    rf"(?:\d{{1,2}}(?:\.\s?\d{{1,2}}\.|(?:er|\.)?\s(?:de )?(?:{MONTH_NAMES}))\s?(?:(?:de )?(?:19|20)\d\d)?"
    r"|(?:19|20)\d\d年\d{1,2}月(?:\d{1,2}日)?)"
)
_RANGE_START = re.compile(
    rf"(?i)(?<!\w)(?:(?:vom|du|del|dal) |自\s?)?{_DAY_OF_RANGE}"
    rf"\s?(?:[-–—~〜至]|\b(?:bis(?: zum)?|au|al)\b)\s?(?={_DAY_OF_RANGE})"
)
_MONTH_FIRST = re.compile(rf"(?i)\b{_MONTH}[ \-]+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b,?(?:\s*{_YEAR}\b)?")
_MONTH_YEAR = re.compile(rf"(?i)\b{_MONTH},?[ \-]+{_YEAR}\b")
_NUMERIC = re.compile(r"\b(?P<a>\d{1,2})[./](?P<b>\d{1,2})[./](?P<year>(?:19|20)\d\d)\b")
_SPANS: tuple[tuple[int, str], ...] = (
    (6, r"\bhalbjahr|\bsemestr[ei]|中間|半年|\b(?:six|6)[- ]months?\b|\bhalf[- ]years?\b|\bH[12]\b"),
    (3, r"\bquartal|\btrimestr[ei]|四半期|季度|\b(?:three|3)[- ]months?\b|\bquarters?\b|\bQ[1-4]\b|\b13 weeks\b"),
    (9, r"\b(?:nine|9)[- ]months?\b"),
    (18, r"\b(?:eighteen|18)[- ]months?\b"),
    (15, r"\b(?:fifteen|15)[- ]months?\b"),
    (
        12,
        r"\bgeschäftsjahr|\bexercice (?:clos|\d)|\bejercicio\b|\besercizio\b|年度|月期|\b(?:twelve"
        r"|12)[- ]months?\b|\b0?1\.0?1\.\s?[-–]\s?31\.12\.|\b5[23][- ]weeks?\b"
        r"|\b(?:financial |fiscal )?years?[- ](?:ended|ending|to|end)\b|\b(?:fiscal|financial) years?\b",
    ),
)
_SPAN = [(months, re.compile(pattern, re.IGNORECASE)) for months, pattern in _SPANS]
_POSITION = re.compile(
    r"(?i)\bas (?:at|of)\b|^at\b|\bat (?:the end|\d{1,2} )|\bbalance sheets?\b|\bfinancial (?:position|condition)\b"
    r"|\b(?:zum|per) \d|\bau \d{1,2} |\bstichtag|現在$"
)


@dataclass(frozen=True)
class PrintedTime:
    """What a text says about time; what it does not say is None.

    Attributes:
        year: the one year it names.
        month, day: of a period's end.
        months: the length of the period; 0 when the text says that it is a position at a day.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None
    months: int | None = None

    @property
    def says_something(self) -> bool:
        """Any part is known."""
        return any(part is not None for part in (self.year, self.month, self.months))

    def completed(self, context: "PrintedTime") -> "PrintedTime":
        """With the parts that it lacks taken from the words around it; the year never is."""
        month, day = (self.month, self.day) if self.month else (context.month, context.day)
        return PrintedTime(self.year, month, day, self.months if self.months is not None else context.months)


def printed_time(text: str) -> PrintedTime:
    """The time that a text names. Two different years, or two different days, are no one time: both are None."""
    text = _without_range_start(_with_full_years(text))
    dates = {(d.month, d.day, d.year) for d in _dates(text)}
    years = {int(y) for y in _ANY_YEAR.findall(text)} | {year for _, _, year in dates if year}
    ends = {(month, day) for month, day, _ in dates}
    month, day = ends.pop() if len(ends) == 1 else (None, None)
    return PrintedTime(years.pop() if len(years) == 1 else None, month, day, _months(text))


def period_of(time: PrintedTime, printed: str) -> Period | None:
    """The period; None without a year. Without a day it ends on the last of the month, or of the year."""
    if time.year is None:
        return None
    month = time.month or 12
    last = calendar.monthrange(time.year, month)[1]
    day = min(time.day, last) if time.day and time.month else last
    return Period(end=dt.date(time.year, month, day), months=time.months or None, printed=printed)


@dataclass(frozen=True)
class _Date:
    month: int
    day: int | None
    year: int | None


def _dates(text: str) -> list[_Date]:
    found: list[_Date] = []
    rest = text
    for match in _IDEOGRAPHIC.finditer(text):
        if match["month"] and 1 <= int(match["month"]) <= 12:
            found.append(_Date(int(match["month"]), _number(match["day"]), int(match["year"])))
    for pattern in (_DAY_FIRST, _MONTH_FIRST):
        for match in pattern.finditer(rest):
            day = int(match["day"])
            if 1 <= day <= 31 and not _ends_sentence(match):
                found.append(_Date(_MONTHS[match["month"].lower()], day, _number(match["year"])))
        rest = pattern.sub(" ", rest)
    found += [_Date(_MONTHS[m["month"].lower()], None, int(m["year"])) for m in _MONTH_YEAR.finditer(rest)]
    return found + [date for m in _NUMERIC.finditer(rest) if (date := _numeric(m))]


def _ends_sentence(match: re.Match[str]) -> bool:
    """A point behind a number, and a month that English has too: "in note 5. August was" names no day."""
    words = match.groupdict()
    return bool(words.get("point")) and not words["year"] and words["month"].title() in calendar.month_name


def _numeric(match: re.Match[str]) -> _Date | None:
    """Day and month in the one order that is possible; 03/04/2022 could be either and is neither."""
    a, b, year = int(match["a"]), int(match["b"]), int(match["year"])
    if "." in match[0] or (a > 12 >= b) or a == b:
        return _Date(b, a, year) if 1 <= b <= 12 and 1 <= a <= 31 else None
    return _Date(a, b, year) if b > 12 >= a else None


def _with_full_years(text: str) -> str:
    """Short years in four digits: "FY22" as 2022, "2021/22" as the year it ends in."""
    text = _ERA.sub(lambda m: f"{_ERAS[m[1]] + (1 if m[2] == '元' else int(m[2]))}年", text)
    text = _FISCAL_YEAR.sub(lambda m: f"fiscal year 20{m['year']}", text)
    text = _YEAR_RANGE.sub(_range_end, text)
    text = _DAY_SHORT_YEAR.sub(r"\1 \2 20\3", text)
    text = _DOTTED_SHORT_YEAR.sub(r"\1.\2.20\3", text)
    return _MONTH_SHORT_YEAR.sub(r"\1 20\2", text)


def _without_range_start(text: str) -> str:
    """Only the end of "1. Januar bis 31. Dezember 2023" and its like, with the length that the two days make."""
    return _RANGE_START.sub(lambda match: _stated_length(match[0], text[match.end() :]), text)


def _stated_length(start: str, rest: str) -> str:
    """The words for twelve months where a range from the first of a month ends a year on; else none."""
    first = next(iter(_dates(start if _ANY_YEAR.search(start) else f"{start.rstrip(' -–—.')}.2000")), None)
    last = next(iter(_dates(rest)), None)
    whole = first is not None and last is not None and first.day == 1 and (last.month - first.month + 1) % 12 == 0
    return "12 months " if whole else ""


def _range_end(match: re.Match[str]) -> str:
    """The year that "2021/22" ends in; years that do not follow each other stay as they are."""
    follows = (int(match["first"]) + 1) % 100 == int(match["last"])
    return match["century"] + match["last"] if follows and match["last"] != "00" else match[0]


def _months(text: str) -> int | None:
    found = [months for months, pattern in _SPAN if pattern.search(text)]
    if len(found) == 1:
        return found[0]
    if not found and _POSITION.search(text):
        return 0
    return None


def _number(text: str | None) -> int | None:
    return int(text) if text else None
