"""The periods that a question or a heading names: years, parts of years, days, ranges, and "the prior year"."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from storage.lexicon.calendar import (
    ERA_YEAR,
    FISCAL_YEAR,
    YEAR,
    YEAR_BEFORE,
    WrittenDate,
    dates_in,
    run_of_months,
    year_of_era,
)
from storage.lexicon.money import CODE
from storage.lexicon.words import COUNTED, any_of, expression

PeriodKind = Literal[
    "year",
    "half",
    "quarter",
    "months",
    "month",
    "day",
    "range",
    "since",
    "last_years",
    "relative",
    "latest",
    "trailing",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedPeriod:
    """A period as a text names it. What it does not say is None.

    Attributes:
        kind: `range` runs from `first_year` to `year`, `since` from `first_year` on; `last_years` are the `count` years
            up to the newest; `relative` is counted from the newest year by `years_back`; `months` is a part of a year
            that is neither a half nor a quarter; `latest` is the newest part of a year of `months`, or of as many
            as are over where it says none; `trailing` are the twelve months up to the newest quarter.
        start, end: where it stands in the text, as [start, end).
        phrase_start: where it begins with its preposition and article: "in the" of "in the fiscal year 2022".
        year: that it ends in, or is called by: 2022 for "FY22" and for "2021/22".
        first_year: of a range, of "since 2020", and of a year that is written with both, such as "2021/22".
        month, day: that it ends on.
        months: its length where it is said; 0 for a position at a day.
        part: which quarter (1 to 4) or half (1 or 2).
        is_fiscal: it is called a fiscal year, or a part of one, so the company's own calendar says when it ends.
        years_back: 0 for "last year" and "this year", 1 for "the prior year", -1 for "next year".
        count: how many years "the last three years" are.
    """

    kind: PeriodKind
    start: int
    end: int
    phrase_start: int = -1
    year: int | None = None
    first_year: int | None = None
    month: int | None = None
    day: int | None = None
    months: int | None = None
    part: int | None = None
    is_fiscal: bool = False
    years_back: int | None = None
    count: int | None = None

    @property
    def is_part_of_year(self) -> bool:
        """A quarter, a half, or other months that are no fiscal year."""
        return self.kind in ("half", "quarter", "months", "latest", "trailing")

    @property
    def is_of_several_years(self) -> bool:
        """A range of years, or all years since one."""
        return self.kind in ("range", "since", "last_years")

    def counted_from(self, newest: int | None) -> "NamedPeriod":
        """The same with its number for "the prior year"; `newest` is the year of the newest report."""
        if newest is None or not self.years_back or self.years_back < 0:
            return self
        return replace(self, kind="year", year=newest - self.years_back, years_back=None)

    def phrase(self, text: str) -> str:
        """The period as its text writes it, with its preposition."""
        return text[self.phrase_start : self.end]

    def years(self, newest: int | None = None) -> tuple[int, ...]:
        """Every year that it covers, rising; empty where that takes the newest year and nobody knows it.

        Args:
            newest: the year of the newest report, from which "since 2020" and "the prior year" count.
        """
        if self.kind == "range" and self.first_year is not None and self.year is not None:
            return tuple(range(self.first_year, self.year + 1))
        if self.year is not None:
            return (self.year,)
        if newest is None:
            return ()
        if self.kind == "since" and self.first_year is not None:
            return tuple(range(self.first_year, newest + 1))
        if self.kind == "last_years" and self.count is not None:
            return tuple(range(newest - self.count + 1, newest + 1))
        return () if self.years_back is None else (newest - self.years_back,)


@lru_cache(maxsize=256)  # many rooms read the same question
def periods_in(text: str) -> tuple[NamedPeriod, ...]:
    """The periods that a text names, in its order; none overlaps another.

    A number that only looks like a year is none: an amount ("$2020", "2022 million"), a count ("2000 stores"), a
    standard ("ISO 2022"), a page, the year in which notes are due.
    """
    found: list[NamedPeriod] = []
    if any(map(str.isdigit, text)):
        found = [period for date in dates_in(text) if (period := _of_date(date, text))]
    found += _read(_blanked(text, found), _FORMS)
    found.sort(key=lambda period: period.start)
    whole = _with_ranges(text, _with_years(text, found))
    return tuple(replace(period, phrase_start=_phrase_start(text, period.start)) for period in whole)


def heading_periods(text: str) -> tuple[NamedPeriod, ...]:
    """The days and years in a heading of a table or statement, where every number that may be a year is one."""
    if not any(map(str.isdigit, text)):
        return ()
    found = [period for date in dates_in(text) if (period := _of_date(date, text, in_heading=True))]
    found += _read(_blanked(text, found), _HEADING_FORMS)
    found.sort(key=lambda period: period.start)
    return tuple(_with_ranges(text, found))


def years_named(periods: Iterable[NamedPeriod]) -> tuple[int, ...]:
    """The years that periods write, each once, in their order: both ends of a range, 2022 of "2021/22"."""
    found: list[int | None] = []
    for period in periods:
        found += [period.first_year, period.year] if period.kind in ("range", "since") else [period.year]
    return tuple(dict.fromkeys(year for year in found if year is not None))


def without_periods(text: str, *, with_parts: bool = False) -> str:
    """The text without the periods that it names and the prepositions before them; `with_parts` leaves quarters in."""
    for period in reversed(periods_in(text)):
        if with_parts and period.is_part_of_year:
            continue
        text = f"{text[: period.phrase_start]} {_POSSESSIVE.sub('', text[period.end :])}"
    return text


_POSSESSIVE = expression(r"^['’]s\b")


@dataclass(frozen=True)
class _Form:
    """A way to write a period by itself."""

    pattern: re.Pattern[str]
    read: Callable[[re.Match[str]], Iterable[NamedPeriod]]


def _read(text: str, forms: Iterable[_Form]) -> list[NamedPeriod]:
    """What the forms find, each in what those before it left."""
    found: list[NamedPeriod] = []
    for form in forms:
        new = [period for match in form.pattern.finditer(text) for period in form.read(match)]
        if new:
            found += new
            text = _blanked(text, new)
    return found


_NO_MORE = r"(?![\w%]|[.,:]\d|[-–/]\d)"
_LATER = rf"\s?(?P<slash>/)\s?(?P<after>{YEAR})|[–—-](?P<to>{YEAR})|[/–—-](?P<short>\d\d)"
_FULL = rf"(?P<first>{YEAR})(?:{_LATER})?{_NO_MORE}"
_BRIEF = rf"['’]?(?P<brief>\d\d)(?:[/-](?P<brief_to>\d\d))?{_NO_MORE}"
_CALLED = rf"\b(?:(?P<fiscal>FYE?|{FISCAL_YEAR})|CY|calendar(?: years?)?)(?: (?:of|de))?[\s-]?"
_LOOSE = r"(?<![\w.,:/$€£¥₹#+-])"
_MANY = any_of(COUNTED)
SMALL_NUMBERS = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}
_ORDINALS = (
    r"first|1st|1er|1\.|erste[ns]?|premier|primer|primo",
    r"second|2nd|2e|2[eè]me|2\.|zweite[ns]?|deuxième|segundo|secondo",
    r"third|3rd|3e|3[eè]me|3\.|dritte[ns]?|troisième|tercer|terzo",
    r"fourth|final|4th|4e|4[eè]me|4\.|vierte[ns]?|quatrième|cuarto|quarto",
)
_ORDINAL = rf"(?<![\w.])(?:{'|'.join(f'({words})' for words in _ORDINALS)})[ -](?P<fiscal>(?:fiscal|financial) )?"
_NEWEST = "last|past|latest|most recent|current|newest|previous"
_OWN = r"(?:(?:fiscal|financial|full|calendar|reported|reporting) )*"
_MONTHS_OF_YEAR, _QUARTER, _HALF = 12, 3, 6
_RECENT = range(2005, 2050)  # "in 2022 employees" names a year, "in 2000 stores" does not


def _year(match: re.Match[str]) -> tuple[NamedPeriod, ...]:
    """A year, or two with a stroke or dash between them: a fiscal year where one follows the other, else a range."""
    stated = match.groupdict()
    if stated.get("brief"):
        first, last = 2000 + int(stated["brief"]), _year_after(2000, stated.get("brief_to"))
    else:
        first = int(stated["first"])
        last = _year_after(first // 100 * 100, stated.get("after") or stated.get("to") or stated.get("short"))
    is_fiscal = bool(stated.get("fiscal") or stated.get("behind"))
    period = NamedPeriod(kind="year", start=match.start(), end=match.end(), year=first, is_fiscal=is_fiscal)
    if last is None:
        return (period,)
    if last == first + 1:
        return (replace(period, year=last, first_year=first, is_fiscal=True),)
    if stated.get("slash"):
        place = match.start("after")
        return replace(period, end=match.end("first")), replace(period, year=last, start=place)
    if stated.get("short") and last < first:
        return (replace(period, end=match.start("short") - 1),)  # "2016-02" counts something else, or is a month
    if abs(last - first) > _LONGEST_RANGE:
        return ()
    return (replace(period, kind="range", year=max(first, last), first_year=min(first, last)),)


def _year_prior(match: re.Match[str]) -> tuple[NamedPeriod, ...]:
    """The year that a year is named to stand behind it: "the year prior to 2022"."""
    return tuple(replace(p, kind="year", year=p.year - 1, first_year=None) for p in _year(match) if p.year)


def _era_year(match: re.Match[str]) -> tuple[NamedPeriod, ...]:
    return (NamedPeriod(kind="year", start=match.start(), end=match.end(), year=year_of_era(match)),)


def _year_after(century: int, written: str | None) -> int | None:
    if written is None or len(written) > 2:
        return None if written is None else int(written)
    return century + int(written) + (100 if written == "00" else 0)


def _bare_year(match: re.Match[str]) -> tuple[NamedPeriod, ...]:
    """A year without a word that calls it one, where nothing near it says that it is another number."""
    text, start = match.string, match.start()
    before, after = text[max(0, start - _NEAR) : start], text[match.end() : match.end() + _NEAR]
    is_last = (
        _RECENT_NUMBER.search(before) is not None and not after.strip(" ?.!") and int(match["first"]) in _RECENT
    )
    if (_OTHER_BEFORE.search(before) and not is_last) or _OTHER_AFTER.match(after):
        return ()
    is_dated = _DATED.search(before) is not None and (before == "In " or int(match["first"]) in _RECENT)
    return () if _COUNT_AFTER.match(after) and not is_dated else _year(match)


_LONGEST_RANGE, _NEAR = 60, 40
_OTHER_BEFORE = expression(
    rf"(?:[$€£¥₹#№]|(?<!in )(?<!In )\b{CODE}|\b(?:ISO|IEC|EN|DIN|OHSAS|SOC|ASU|ASC|Acts?|Russell"
    r"|Fortune|Forbes Global)|(?i:\b(?:pages?|pp?\.|no\.|number|section|rule|regulation|item|standard)))"
    r"[\s/-]?(?:of\s)?$"
    rf"|(?i:\b(?:due|maturing|expiring) (?:(?:in|on|between) )?(?:{YEAR}(?:,| and| or| to|-)? ?)*)$"
)
_RECENT_NUMBER = expression(r"\w number $")  # "employees number 2022"
_OTHER_AFTER = expression(
    r"\s?(?i:thousand|million|billion|trillion|mn|bn|mio|mrd|crore|lakh|percent|per cent|bps|basis points)\b"
    r"|(?: [A-Z][\w-]*){0,3} (?:Notes?|Bonds?|Debentures?|Indenture|Plan)\b"
)
_COUNT_AFTER = expression(
    r" (?:(?:new|more|other|own|owned|retail|additional|full-time|part-time|company-owned|net|permanent) ){0,2}"
    rf"{_MANY}\b",
    re.IGNORECASE,
)
_DATED = expression(r"(?:\bin|\bduring|\bsince|\buntil|\bby|\byears?) $", re.IGNORECASE)


def _part(months: int) -> Callable[[re.Match[str]], tuple[NamedPeriod, ...]]:
    """A quarter or a half by its number, with its year where that stands at it: "Q2'23", "Q22023"."""

    def read(match: re.Match[str]) -> tuple[NamedPeriod, ...]:
        printed = match.groupdict()
        part = int(printed["part"] or printed["number"]) if "part" in printed else _ordinal(match)
        if part * months > _MONTHS_OF_YEAR:
            return ()
        year = 2000 + int(printed["brief"]) if printed.get("brief") else int(printed.get("whole") or 0) or None
        period = NamedPeriod(
            kind=_kind_of(months), start=match.start(), end=match.end(), year=year, months=months, part=part
        )
        return (replace(period, is_fiscal=bool(printed.get("fiscal"))),)

    return read


def _ordinal(match: re.Match[str]) -> int:
    return next(i for i in range(1, len(_ORDINALS) + 1) if match[i])


def _kind_of(months: int) -> PeriodKind:
    kinds: dict[int, PeriodKind] = {_QUARTER: "quarter", _HALF: "half", _MONTHS_OF_YEAR: "year"}
    return kinds.get(months, "months")


def _first_months(match: re.Match[str]) -> tuple[NamedPeriod, ...]:
    """So many months at the beginning of a year, or at its end."""
    stated = match.groupdict()
    months = SMALL_NUMBERS.get(stated["count"].lower()) or int(stated["count"])
    year = 2000 + int(stated["brief"]) if stated.get("brief") else None
    part = _MONTHS_OF_YEAR // months if stated.get("last") else 1
    where = NamedPeriod(kind=_kind_of(months), start=match.start(), end=match.end(), year=year, part=part)
    return (replace(where, months=months),)


def _relative(years_back: int) -> Callable[[re.Match[str]], tuple[NamedPeriod, ...]]:
    def read(match: re.Match[str]) -> tuple[NamedPeriod, ...]:
        return (NamedPeriod(kind="relative", start=match.start(), end=match.end(), years_back=years_back),)

    return read


def _newest(kind: PeriodKind, months: int | None) -> Callable[[re.Match[str]], tuple[NamedPeriod, ...]]:
    def read(match: re.Match[str]) -> tuple[NamedPeriod, ...]:
        return (NamedPeriod(kind=kind, start=match.start(), end=match.end(), months=months),)

    return read


def _counted(match: re.Match[str]) -> tuple[NamedPeriod, ...]:
    """The last years, or a year so many years ago."""
    written = (match["count"] or "one").lower()
    count = SMALL_NUMBERS.get(written) or int(written)
    where = NamedPeriod(kind="last_years", start=match.start(), end=match.end(), count=count)
    if "ago" in match.groupdict():
        return (replace(where, kind="relative", count=None, years_back=count),)
    return (where,) if count > 1 else ()


_FORMS: tuple[_Form, ...] = tuple(
    _Form(expression(pattern, re.IGNORECASE), read)
    for pattern, read in (
        (
            rf"\b(?:Q(?P<part>[1-4])|(?P<number>[1-4])Q)(?:(?P<whole>20\d\d)|[\s-]?{_BRIEF})?(?!\w)",
            _part(_QUARTER),
        ),
        (rf"\b(?:H(?P<part>[12])|(?P<number>[12])H)(?:(?P<whole>20\d\d)|[\s-]?{_BRIEF})?(?!\w)", _part(_HALF)),
        (rf"(?-i:\b(?:T(?P<part>[1-4])|(?P<number>[1-4])T)(?= {YEAR}))", _part(_QUARTER)),
        (rf"(?-i:\b(?:S(?P<part>[12])|(?P<number>[12])S)(?= {YEAR}))", _part(_HALF)),
        (rf"\b(?P<count>[369])M(?:[\s-]?{_BRIEF}(?!\w)|(?= ?(?:FY ?|fiscal )?{YEAR}))", _first_months),
        (rf"{_ORDINAL}(?:quarter|quartals?|trimestre)\b", _part(_QUARTER)),
        (rf"{_ORDINAL}(?:half(?:[ -]year)?|halbjahr(?:e?s)?|semestre)\b", _part(_HALF)),
        (r"\bfirst (?P<count>three|six|nine|[369]) months\b", _first_months),
        (r"\b(?P<last>last|final|closing) (?P<count>three|six|[36]) months(?= of\b)", _first_months),
        (
            r"\b(?:(?:year|period) (?:(?:immediately|just|right) )?(?:prior to|before|preceding|that preceded|ahead of)"
            r"|(?:prior|previous|preceding) year (?:to|of)|Jahr vor|Vorjahr (?:von|zu)|année (?:avant|précédant)"
            rf"|año (?:anterior a|antes de)|anno (?:prima del|precedente al)) (?:the )?(?:{_CALLED}(?:years? )?)?"
            rf"(?:['’]?{_FULL}|(?<=FY){_BRIEF})",
            _year_prior,
        ),
        (rf"{_CALLED}(?:years? )?['’]?{_FULL}", _year),
        (rf"(?:{_CALLED}|(?<![\w.,])(?=['’])){_BRIEF}(?! (?:{_MANY})\b|['’])", _year),
        (rf"{_LOOSE}{_FULL}(?P<behind> (?:fiscal|financial)(?: year)?\b)", _year),
        (rf"\b(?P<first>{YEAR})年(?P<behind>度)?", _year),
        (ERA_YEAR, _era_year),
        (rf"(?<![\w./])\d{{1,2}}[./]\d{{1,2}}[./](?P<first>{YEAR})\b", _year),
        (rf"{_LOOSE}{_FULL}", _bare_year),
        (rf"\b(?:{_NEWEST}) {_OWN}(?:completed )?quarter\b(?! of)", _newest("latest", _QUARTER)),
        (rf"\b(?:{_NEWEST}) {_OWN}(?:half[ -]year|six months|interim period)\b", _newest("latest", _HALF)),
        (
            r"\byear[ -]to[ -]date\b|\bYTD\b|\bso far this year\b"
            rf"|\bsince (?:the |its |their )?(?:{_NEWEST}) "
            r"(?:annual report|10-?k|(?:(?:fiscal|financial) )?year[- ]end|end of (?:the )?year)\b",
            _newest("latest", None),
        ),
        (
            rf"\b(?:trailing|{_NEWEST})[ -](?:twelve|12)[ -]months?\b|\b[TL]TM\b",
            _newest("trailing", _MONTHS_OF_YEAR),
        ),
        (r"\byear before last\b", _relative(1)),
        (
            rf"\b(?:last|past|previous|prior|preceding|most recent|latest) (?P<count>{any_of(SMALL_NUMBERS)}|\d|10)"
            rf" {_OWN}years\b",
            _counted,
        ),
        (
            rf"\b(?:the|a|(?P<count>{any_of(SMALL_NUMBERS)}|\d)) years? (?P<ago>earlier|ago|before)\b(?=\W*$|[,;?])",
            _counted,
        ),
        (rf"\b(?:prior|previous|preceding)[ -]{_OWN}(?:year|period)\b", _relative(1)),
        (rf"\b(?:last|past|this|current|latest|most recent) {_OWN}year\b", _relative(0)),
        (r"\b(?:year|period) under review\b", _relative(0)),
        (rf"\b(?:next|coming|upcoming|forthcoming) {_OWN}year\b", _relative(-1)),
        (YEAR_BEFORE, _relative(1)),
        (r"\bletzte[nms]? (?:geschäfts)?jahr(?:es)?\b|\bannée dernière\b|\baño pasado\b", _relative(0)),
    )
)

_NO_STANDARD = r"(?<!ASU )(?<!ASU No. )"
_HEADING_FORMS = tuple(
    _Form(expression(pattern, re.IGNORECASE), read)
    for pattern, read in (
        (ERA_YEAR, _era_year),
        (r"\bFY\s?['’]?(?P<brief>\d\d)\b", _year),
        (
            rf"{_NO_STANDARD}\b(?P<first>{YEAR})"
            rf"(?:\s?(?P<slash>/)\s?(?P<after>{YEAR})|\s?[–-]\s?(?P<to>{YEAR})|[/–-](?P<short>\d\d))\b",
            _year,
        ),
        (rf"{_NO_STANDARD}(?<![\d,.$€£])(?P<first>{YEAR})(?!\d|[,.]\d)", _year),
    )
)

_LED = expression(
    r"\b(?:(?P<count>three|six|nine|twelve|fifteen|eighteen|3|6|9|12|15|18)[- ]months?"
    r"|(?P<weeks>1[2-4]|2[67]|39|40|5[23])[- ]weeks?"
    r"|(?P<quarter>quarter)|(?P<half>half[- ]year)|(?P<year>(?:(?:fiscal|financial) )?years?)|period)(?: period)?"
    r"[ -](?:ended|ending|to|end)(?: on)?:? $",
    re.IGNORECASE,
)
_WEEKS_OF_YEAR = 52
_MORE_MONTHS = {"twelve": 12, "fifteen": 15, "eighteen": 18}
_AT = expression(r"\b(?:as (?:of|at)|at|zum|per|au|al|am)(?: the)? $", re.IGNORECASE)


def _of_date(date: WrittenDate, text: str, *, in_heading: bool = False) -> NamedPeriod | None:
    """A day or month, with the length that the words before it say: "year ended", "three months to"."""
    written = text[date.start : date.end]
    if not in_heading and date.year is None and written.lower() == written and not any(c in written for c in "./"):
        return None  # "it may 10"
    kind: PeriodKind = "day" if date.day else "month"
    period = NamedPeriod(kind=kind, start=date.start, end=date.end, year=date.year, month=date.month, day=date.day)
    if in_heading:
        return period
    before = text[max(0, date.start - _NEAR) : date.start]
    if led := _LED.search(before):
        months = _length(led)
        kind = _kind_of(months) if months else kind
        start = date.start - (len(before) - led.start())
        return replace(period, kind=kind, months=months, start=start, is_fiscal=kind == "year")
    if not date.day and (run := run_of_months(before, date.month)):
        months, start = run
        return replace(period, kind=_kind_of(months), months=months, start=date.start - len(before) + start)
    return replace(period, months=0) if date.day and _AT.search(before) else period


def _length(led: re.Match[str]) -> int | None:
    if led["count"]:
        count = led["count"].lower()
        return SMALL_NUMBERS.get(count) or _MORE_MONTHS.get(count) or int(count)
    if led["quarter"]:
        return _QUARTER
    if led["half"]:
        return _HALF
    if led["weeks"]:
        return round(int(led["weeks"]) * _MONTHS_OF_YEAR / _WEEKS_OF_YEAR)
    return _MONTHS_OF_YEAR if led["year"] else None


_JOINT = expression(r"[\s,-]*(?:\b(?:of|in|for|im|des|du|de|del) )?(?:(?:the|its) |l['’])?", re.IGNORECASE)
_CLOSE = expression(r"(?:['’]s)?[\s-]*")


def _with_years(text: str, found: Sequence[NamedPeriod]) -> list[NamedPeriod]:
    """Parts of a year and the year beside them as one: "Q2 FY24", "second quarter of 2022", "2022 Q3"."""
    whole: list[NamedPeriod] = []
    for period in found:
        before = whole[-1] if whole else None
        gap = text[before.end : period.start] if before else ""
        if before and _lacks_year(before) and period.kind == "year" and _JOINT.fullmatch(gap):
            whole[-1] = _with_year(before, period)
        elif before and _lacks_year(period) and before.kind == "year" and _CLOSE.fullmatch(gap):
            whole[-1] = _with_year(period, before)
        else:
            whole.append(period)
    return whole


def _lacks_year(period: NamedPeriod) -> bool:
    return period.year is None and period.part is not None


def _with_year(part: NamedPeriod, year: NamedPeriod) -> NamedPeriod:
    start, end = min(part.start, year.start), max(part.end, year.end)
    is_fiscal = part.is_fiscal or year.is_fiscal
    return replace(part, start=start, end=end, year=year.year, first_year=year.first_year, is_fiscal=is_fiscal)


_ENDS = (
    r"(?:(?:the|its|their) )?(?:(?:end|close|beginning|start) of )?(?:the )?"
    r"(?:(?:fiscal|financial|calendar|years?|period|year ended) )*"
)
_FROM = expression(rf"\b(?:from|between|over|vom|von|du|de|del|dal|entre) {_ENDS}$", re.IGNORECASE)
_TO = expression(
    rf"\s?[-–—~〜至]\s?|,? (?:to|and|until|till|through|up to|bis(?: zum)?|au|à|a|al|y|et|e) {_ENDS}",
    re.IGNORECASE,
)
_ONLY_TO = expression(
    rf"\s?[-–—~〜至]\s?|,? (?:to|until|till|through|up to|bis(?: zum)?|au|al) {_ENDS}", re.IGNORECASE
)
_COMPARED = expression(r"\b(?:compar\w*|relative|versus|against)\b", re.IGNORECASE)
_SINCE = expression(rf"\b(?:since|seit|depuis|desde) {_ENDS}$", re.IGNORECASE)
_ONWARDS = expression(r"\s?(?:onwards?\b|and (?:after|later)\b)", re.IGNORECASE)


def _with_ranges(text: str, found: Sequence[NamedPeriod]) -> list[NamedPeriod]:
    """The same, but "from 2019 to 2022" and "since 2020" as one period each."""
    whole: list[NamedPeriod] = []
    compared = _COMPARED.search(text)
    for period in found:
        before = whole[-1] if whole else None
        is_compared = before is not None and compared is not None and compared.end() <= before.start
        if before and (joined := _range(text, before, period, is_compared=is_compared)):
            whole[-1] = joined
        else:
            whole.append(period)
    return [_since(text, period) for period in whole]


def _range(text: str, first: NamedPeriod, last: NamedPeriod, *, is_compared: bool) -> NamedPeriod | None:
    if not {first.kind, last.kind} <= {"year", "months", "month", "day"} or last.year is None:
        return None  # a quarter to another one stays two periods: there is no range of quarters
    gap = text[first.end : last.start]
    is_opened = _FROM.search(text[max(0, first.start - _NEAR) : first.start]) is not None
    is_plain = first.kind == last.kind and not is_compared
    if not (is_opened and _TO.fullmatch(gap)) and not (is_plain and _ONLY_TO.fullmatch(gap)):
        return None
    begun = first.year or last.year
    ended = NamedPeriod(
        kind="range",
        start=first.start,
        end=last.end,
        first_year=min(begun, last.year),
        year=max(begun, last.year),
        month=last.month,
        day=last.day,
        is_fiscal=first.is_fiscal or last.is_fiscal,
    )
    months = _months_between(replace(first, year=begun), last)
    if months is None:
        return ended
    year = None if begun == last.year else begun
    return replace(ended, kind=_kind_of(months), months=months, first_year=year)


def _months_between(first: NamedPeriod, last: NamedPeriod) -> int | None:
    """The length from the first of a month to a later day, up to a year and a half."""
    if first.day != 1 or first.month is None or last.month is None or first.year is None or last.year is None:
        return None
    months = (last.year - first.year) * _MONTHS_OF_YEAR + last.month - first.month + 1
    return months if 0 < months <= _MONTHS_OF_YEAR + _HALF else None


def _since(text: str, period: NamedPeriod) -> NamedPeriod:
    """A year as the beginning of the time up to now."""
    if period.year is None or period.kind in ("range", "since"):
        return period
    near = max(0, period.start - _NEAR)
    led, onwards = _SINCE.search(text[near : period.start]), _ONWARDS.match(text, period.end)
    if led is None and onwards is None:
        return period
    return NamedPeriod(
        kind="since",
        start=near + led.start() if led else period.start,
        end=onwards.end() if onwards else period.end,
        first_year=period.year,
        month=period.month,
        day=period.day,
        is_fiscal=period.is_fiscal,
    )


_LEAD = expression(
    r"(?:\b(?:for|in|during|over|at|as of|as at|on|by|of|from|between|within|throughout|im|zum|am|au|du|en|del|nel"
    r"|per) )?(?:\b(?:the|its|their) |\bl['’])?"
    r"(?:\b(?:end of|beginning of|(?:first|last|final|closing) day of|twelve months|12 months|years?|period|fiscal"
    r"|financial|calendar|full)[ -]){0,6}"
    r"(?:\b(?:end(?:ed|ing)?|(?:up )?to) )?(?:\bon )?(?:\bthe )?$",
    re.IGNORECASE,
)


def _phrase_start(text: str, start: int) -> int:
    before = text[max(0, start - _NEAR) : start]
    led = _LEAD.search(before)
    return start - (len(before) - led.start()) if led else start


def _blanked(text: str, periods: Iterable[NamedPeriod]) -> str:
    """The text with what is read already made unreadable, each character in its place."""
    characters = list(text)
    for period in periods:
        characters[period.start : period.end] = _TAKEN * (period.end - period.start)
    return "".join(characters)


_TAKEN = "\0"
