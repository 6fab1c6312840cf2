"""What words such as "Year ended December 31, 2022" or "As at 30 June" say about the time of figures."""

import calendar
import datetime as dt
import re
from dataclasses import dataclass

from storage.periods import Period

_MONTHS = {name.lower(): i for i, name in enumerate(calendar.month_name) if name}
_MONTHS |= {name.lower(): i for i, name in enumerate(calendar.month_abbr) if name} | {"sept": 9}
_NAMES = "|".join(sorted(_MONTHS, key=len, reverse=True))
_MONTH = rf"\b(?P<month>{_NAMES})\b\.?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_ANY_YEAR = re.compile(r"(?<![\d,.$€£])(?:19|20)\d\d(?!\d|[,.]\d)")
_FISCAL_YEAR = re.compile(r"(?i)\bFY\s?['’]?(?P<year>\d{2})\b")
_YEAR_RANGE = re.compile(r"\b(?P<century>19|20)(?P<first>\d\d)\s?[/–-]\s?(?:(?:19|20)(?=\d\d))?(?P<last>\d{2})\b")
_DAY_SHORT_YEAR = re.compile(rf"(?i)\b(\d{{1,2}})[- ]({_NAMES})[- ]['’]?(\d{{2}})\b")
_MONTH_SHORT_YEAR = re.compile(rf"(?i)\b({_NAMES})\s?[-'’]\s?['’]?(\d{{2}})\b")
_DOTTED_SHORT_YEAR = re.compile(r"(?<![\d.])([0-3]?\d)\.([01]?\d)\.(\d{2})(?![\d.])")
_DAY_FIRST = re.compile(rf"(?i)\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?[ \-]+(?:of )?{_MONTH},?(?:[ \-]+{_YEAR})?\b")
_MONTH_FIRST = re.compile(rf"(?i)\b{_MONTH}[ \-]+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b,?(?:\s*{_YEAR}\b)?")
_MONTH_YEAR = re.compile(rf"(?i)\b{_MONTH},?[ \-]+{_YEAR}\b")
_NUMERIC = re.compile(r"\b(?P<a>\d{1,2})[./](?P<b>\d{1,2})[./](?P<year>(?:19|20)\d\d)\b")
_SPANS: tuple[tuple[int, str], ...] = (
    (6, r"\b(?:six|6)[- ]months?\b|\bhalf[- ]years?\b|\bH[12]\b"),
    (3, r"\b(?:three|3)[- ]months?\b|\bquarters?\b|\bQ[1-4]\b|\b13 weeks\b"),
    (9, r"\b(?:nine|9)[- ]months?\b"),
    (18, r"\b(?:eighteen|18)[- ]months?\b"),
    (15, r"\b(?:fifteen|15)[- ]months?\b"),
    (
        12,
        r"\b(?:twelve|12)[- ]months?\b|\b0?1\.0?1\.\s?[-–]\s?31\.12\.|\b5[23][- ]weeks?\b"
        r"|\b(?:financial |fiscal )?years?[- ](?:ended|ending|to|end)\b|\b(?:fiscal|financial) years?\b",
    ),
)
_SPAN = [(months, re.compile(pattern, re.IGNORECASE)) for months, pattern in _SPANS]
_POSITION = re.compile(
    r"(?i)\bas (?:at|of)\b|^at\b|\bat (?:the end|\d{1,2} )|\bbalance sheets?\b|\bfinancial (?:position|condition)\b"
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
    text = _with_full_years(text)
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
    for pattern in (_DAY_FIRST, _MONTH_FIRST):
        for match in pattern.finditer(rest):
            day = int(match["day"])
            if 1 <= day <= 31:
                found.append(_Date(_MONTHS[match["month"].lower()], day, _number(match["year"])))
        rest = pattern.sub(" ", rest)
    found += [_Date(_MONTHS[m["month"].lower()], None, int(m["year"])) for m in _MONTH_YEAR.finditer(rest)]
    return found + [date for m in _NUMERIC.finditer(rest) if (date := _numeric(m))]


def _numeric(match: re.Match[str]) -> _Date | None:
    """Day and month in the one order that is possible; 03/04/2022 could be either and is neither."""
    a, b, year = int(match["a"]), int(match["b"]), int(match["year"])
    if "." in match[0] or (a > 12 >= b) or a == b:
        return _Date(b, a, year) if 1 <= b <= 12 and 1 <= a <= 31 else None
    return _Date(a, b, year) if b > 12 >= a else None


def _with_full_years(text: str) -> str:
    """Short years in four digits: "FY22" as 2022, "2021/22" as the year it ends in."""
    text = _FISCAL_YEAR.sub(lambda m: f"fiscal year 20{m['year']}", text)
    text = _YEAR_RANGE.sub(_range_end, text)
    text = _DAY_SHORT_YEAR.sub(r"\1 \2 20\3", text)
    text = _DOTTED_SHORT_YEAR.sub(r"\1.\2.20\3", text)
    return _MONTH_SHORT_YEAR.sub(r"\1 20\2", text)


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
