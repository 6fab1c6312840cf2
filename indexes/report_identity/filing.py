"""What kind of filing a report is, and which part of which fiscal calendar it is about."""

import datetime as dt
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from indexes.report_identity.period import elected_year, latest_common, written_day
from indexes.report_identity.votes import Elected, PrintedLine, PrintedText, Vote, elect
from storage.lexicon.calendar import YEAR, stated_months
from storage.lexicon.words import expression
from storage.records.pages import Page
from storage.records.reports import (
    ANNUAL,
    INTERIM,
    MONTHS_OF_QUARTER,
    MONTHS_OF_YEAR,
    Evidence,
    Filing,
    FilingStatus,
    FilingType,
    ReportField,
    counted,
    ending_year,
    names_of_year,
)

_QUOTE = 200  # characters
_FIRST_PAGES = 3
_TITLE_WORDS = 40
_COVER = expression(r"(?i)exact name of (?:the )?(?:registrant|company|issuer)")
_FORM = expression(
    r"(?i)^\W{0,3}form ?(?P<form>10-?kt?|20-?f|40-?f|10-?q|8-?k|6-?k)(?P<amended> ?/ ?a)?(?: \(?amendment.*)?\W*$"
)
_ON_FORM = expression(
    r"(?i)\b(?:annual|quarterly|current) report on form (?P<form>10-?k|20-?f|40-?f|10-?q|8-?k)\b"
)
_FORMS: dict[str, FilingType] = {
    "10k": "10-K",
    "10kt": "10-K",
    "20f": "20-F",
    "40f": "40-F",
    "10q": "10-Q",
    "8k": "8-K",
    "6k": "8-K",
}
_ORDINALS = ("first|1st", "second|2nd", "third|3rd", "fourth|4th")
_QUARTER_NAME = (
    rf"(?:(?P<word>{'|'.join(_ORDINALS)})[ -](?:(?:fiscal|financial) )?quarter"
    r"|\bQ(?P<q>[1-4])\b|\b(?P<p>[1-4])Q\b)"
)
_RESULTS = r"(?:results|earnings|figures|trading (?:update|statement)|業績|決算短信)"
_TITLES: tuple[tuple[FilingType, float, str], ...] = (
    ("proxy statement", 8.0, r"\bschedule 14a\b|\bproxy statement pursuant to section 14"),
    (
        "proxy statement",
        5.0,
        r"\bproxy statement\b|\bmanagement (?:information|proxy) circular\b|招集通知"
        r"|\bnotice of (?:the )?(?:\d{4} )?(?:annual|special|extraordinary)(?: general)? meeting\b",
    ),
    (
        "prospectus",
        8.0,
        r"^(?:preliminary |base |final )?prospectus(?: supplement)?\b(?!.*\bproxy)|\bpursuant to rule 424"
        r"|^form [sf]-[1348]\b|^(?:verkaufs|wertpapier)prospekt\b|目論見書|招股(?:说明书|章程)",
    ),
    (
        "earnings release",
        7.0,
        rf"\b(?:reports?|announces?|releases?|publishes|delivers|posts|provides)\b.{{0,120}}?"
        rf"(?:{_QUARTER_NAME}|\b(?:full[- ]year|fiscal (?:year )?{YEAR}|year[- ]end|half[- ]year)\b)"
        rf".{{0,80}}?{_RESULTS}"
        rf"|^.{{0,80}}?(?P<lead>{'|'.join(_ORDINALS)}|\bQ[1-4]\b)[ -].{{0,80}}?{_RESULTS}"
        rf"|\b(?:preliminary|unaudited|full[- ]year|final|annual) (?:unaudited |final )?{_RESULTS} (?:for|of) the"
        r"|決算短信",
    ),
    (
        "interim report",
        6.0,
        r"\b(?:half[- ]year(?:ly)?|six[- ]months?|interim|semi[- ]annual|quarterly|nine[- ]months?)"
        r"(?: (?:consolidated|condensed|unaudited|financial|management))* (?:report|statements?|results|accounts)\b"
        r"|\bappendix 4d\b|\bhalbjahres(?:finanz)?bericht\b|\bzwischenbericht\b|\bquartals(?:bericht|mitteilung)\b"
        r"|\brapport (?:financier )?semestriel\b|\binforme semestral\b|\brelazione (?:finanziaria )?semestrale\b"
        r"|\bhalfjaar(?:bericht|verslag)\b|\bdelårsrapport\b|四半期報告書|半期報告書|半年度?报告|季度报告|中期報告",
    ),
    (
        "annual report",
        6.0,
        r"\bannual(?: integrated| financial)? report\b(?! for the interim)|\bintegrated (?:annual )?report\b"
        r"|^annual$|\bgeschäftsbericht\b|\bjahres(?:finanz)?bericht\b|\brapport annuel\b|\bdocument d.enregis"
        r"trement|\binforme anual\b|\brelazione (?:finanziaria )?annuale\b|\bjaarverslag\b|\bårsredovisning\b"
        r"|\bårsrapport"
        r"|有価証券報告書|统合报告|統合報告書|年度报告|年報|\bannual accounts\b"
        r"|\breport and (?:accounts|financial statements)\b|\bfinancial statements for the (?:\w+ )?year ended\b",
    ),
    (
        "8-K",
        3.0,
        r"^(?:(?:asx|stock exchange|regulatory|company|market) )?announcement\b|\brns number\b|\bad[- ]hoc\b"
        r"|^(?:press|media|news|market) release\b|\bmaterial (?:fact|change report)\b|\bcurrent report pursuant\b",
    ),
)
_TITLED = [(type_, weight, expression(pattern, re.IGNORECASE)) for type_, weight, pattern in _TITLES]
_RELEASE = next(pattern for type_, _, pattern in _TITLED if type_ == "earnings release")
_LATE = 0.6  # of a title's weight on the second and third page
_YEAR_ENDED = expression(r"(?i)\byears? (?:ended|ending|to)\b")
_PART_ENDED = expression(r"(?i)\b(?:three|six|nine|3|6|9) months? (?:ended|ending|to)\b|\bhalf[- ]year ended\b")
_PERIOD_ENDED = expression(
    r"(?i)\b(?:years?|months?|weeks?|quarters?|half[- ]year|periods?)(?: period)? (?:ended|ending|to)\b"
)
_ENOUGH_LINES = 3


def elected_type(lines: Sequence[PrintedLine], texts: Sequence[PrintedText]) -> Elected | None:
    """What kind of document it is: a form's cover wherever it stands, else the titles of the first pages."""
    return elect((*_covers(lines), *_titles(lines, texts), *_statements(lines)), least=1.0)


def tells_results(lines: Sequence[PrintedLine], texts: Sequence[PrintedText]) -> bool:
    """Whether an announcement is or contains a release of results, on any of its pages, with figures of a period."""
    words = ([*each.text.split()] for found in (lines, texts) for each in found)
    is_titled = any(_RELEASE.search(" ".join(title)) for title in words if len(title) <= _TITLE_WORDS)
    return is_titled and any(_PERIOD_ENDED.search(line.text) for line in lines)


def _covers(lines: Sequence[PrintedLine]) -> Iterator[Vote]:
    covers = {line.page for line in lines if _COVER.search(line.text)}
    first = {line.page for line in lines if line.page == 1 and "securities and exchange" in line.text.lower()}
    for line in lines:
        found = _FORM.search(line.text) if line.page in covers | first else None
        if found:
            type_ = _FORMS[found["form"].lower().replace("-", "")]
            yield Vote(type_, 20.0 if line.page in covers else 12.0, line.page, line.text)
            return


def _titles(lines: Sequence[PrintedLine], texts: Sequence[PrintedText]) -> Iterator[Vote]:
    """A vote for each type that a title names, from its first place."""
    short = [(line.page, line.text) for line in lines if line.page <= _FIRST_PAGES and not line.table]
    short += [(text.page, " ".join(text.text.split())) for text in texts if text.page <= _FIRST_PAGES]
    for page, text in short:
        if len(text.split()) <= _TITLE_WORDS and (found := _ON_FORM.search(text)):
            yield Vote(_FORMS[found["form"].lower().replace("-", "")], 9.0 / page, page, text)
            break
    for type_, weight, pattern in _TITLED:
        for page, text in sorted(short, key=lambda each: each[0]):
            if len(text.split()) <= _TITLE_WORDS and pattern.search(text):
                yield Vote(type_, weight if page == 1 else weight * _LATE, page, text)
                break


def _statements(lines: Sequence[PrintedLine]) -> Iterator[Vote]:
    """A weak vote from the titles of statements, for a document whose cover says nothing."""
    for type_, pattern in (("annual report", _YEAR_ENDED), ("interim report", _PART_ENDED)):
        found = [line for line in lines if len(line.text.split()) < 14 and pattern.search(line.text)]
        if len(found) >= _ENOUGH_LINES:
            yield Vote(type_, 1.0 + len(found) / (len(lines) + 1), found[0].page, found[0].text)


@dataclass(frozen=True)
class ReadFiling:
    """A filing as read, the fiscal year as the company calls it, and where its parts are printed."""

    filing: Filing
    fiscal_year: Elected | None
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True)
class _Span:
    """A length of time up to the reported day, as a line or a column says it."""

    months: int
    weeks: int | None
    page: int
    quote: str


def filing_of(
    pages: Sequence[Page],
    lines: Sequence[PrintedLine],
    texts: Sequence[PrintedText],
    elected: Elected | None,
    end: dt.date | None,
    *,
    has_results: bool = False,
) -> ReadFiling:
    """Read what a filing says of itself.

    Args:
        pages: of the report.
        lines: of the pages.
        texts: of the pages.
        elected: its type.
        end: the last day of its period, or the day of an announcement.
        has_results: whether it is an announcement with the results of a period.
    """
    type_ = _type_of(elected)
    found: dict[ReportField, tuple[Any, int, str]] = {}
    if elected:
        found["type"] = (type_, elected.votes[0].page, elected.votes[0].quote)
    title = _quarter_in_title(lines, texts)
    spans = list(_spans(pages, lines, end)) if end else []
    if type_ in ANNUAL or type_ in INTERIM or has_results:
        kind: FilingType = "earnings release" if has_results else type_
        found |= _period(kind, spans, title, end)
        found |= _status(lines, texts, kind)
        found |= _restated(pages, texts)
    found |= _amended(lines)
    year = elect(_years(lines, texts, end, title, is_annual=type_ in ANNUAL), least=2.0)
    filing = Filing.model_validate({field: value for field, (value, *_) in found.items()} | {"type": type_})
    evidence = tuple(
        Evidence(field=field, source="report", page=page, quote=quote[:_QUOTE])
        for field, (_, page, quote) in found.items()
    )
    return ReadFiling(filing, year, evidence)


def _type_of(elected: Elected | None) -> FilingType:
    types = get_args(FilingType)
    return next((t for t in types if elected and t == elected.votes[0].value), "other")


def _quarter_in_title(lines: Sequence[PrintedLine], texts: Sequence[PrintedText]) -> tuple[int, int, str] | None:
    """The quarter that a title of the first pages names, with the page and the title."""
    short = [(line.page, line.text) for line in lines if line.page <= 2 and not line.table]
    short += [(text.page, text.text) for text in texts if text.page <= 2]
    for page, text in short:
        found = re.search(_QUARTER_NAME, text, re.IGNORECASE)
        if found and len(text.split()) <= _TITLE_WORDS and not re.search(r"(?i)completed second fiscal", text):
            return _quarter_of(found), page, text
    return None


def _quarter_of(found: re.Match[str]) -> int:
    if digits := found["q"] or found["p"]:
        return int(digits)
    word = found["word"].lower()
    return next(i for i, names in enumerate(_ORDINALS, 1) if word in names.split("|"))


_WEEKS = expression(r"(?i)\b(?P<weeks>\d\d|thirteen|twenty-six|thirty-nine|fifty-two|fifty-three)[- ]weeks?\b")
_WEEKS_IN_WORDS = {"thirteen": 13, "twenty-six": 26, "thirty-nine": 39, "fifty-two": 52, "fifty-three": 53}
_WEEKS_OF_MONTH = 52 / 12
_ENDS = expression(r"(?i)\b(?:ended|ending|to|end)\b")
_FEW_WORDS = 20


def _spans(pages: Sequence[Page], lines: Sequence[PrintedLine], end: dt.date) -> Iterator[_Span]:
    """Every length of time up to the reported day that a line or a column says."""
    for line in lines:
        if len(line.text.split()) <= _FEW_WORDS and _ENDS.search(line.text) and written_day(line.text) == end:
            weeks = _weeks_in(line.text)
            months = round(weeks / _WEEKS_OF_MONTH) if weeks else stated_months(line.text)
            if months:
                yield _Span(months, weeks, line.page, line.text)
    for page in pages:
        for table in page.tables:
            for column in table.columns:
                if column.period and column.period.months and column.period.end == end:
                    yield _Span(column.period.months, _weeks_in(column.header), page.page_number, column.header)


def _weeks_in(text: str) -> int | None:
    found = _WEEKS.search(text)
    if found is None:
        return None
    written = found["weeks"].lower()
    return _WEEKS_IN_WORDS.get(written) or int(written)


def _period(
    type_: FilingType, spans: Sequence[_Span], title: tuple[int, int, str] | None, end: dt.date | None
) -> dict[ReportField, tuple[Any, int, str]]:
    """The length of the period, its quarter, and the month in which the company's years end."""
    found: dict[ReportField, tuple[Any, int, str]] = {}
    months = _months(type_, spans, title)
    named = next((s for s in spans if s.months == months), None)
    found["months"] = (months, named.page if named else 1, named.quote if named else f"of {type_}")
    if weeks := next((s for s in spans if s.weeks and s.months == months), None):
        found["weeks"] = (weeks.weeks, weeks.page, weeks.quote)
    if end is None:
        return found
    quarter, so_far = _quarter_and_months(type_, months, spans, title)
    if quarter:
        found["quarter"] = quarter
    if so_far:
        last, page, quote = _last_month(end), *found["months"][1:]
        found["year_end_month"] = ((last - so_far - 1) % MONTHS_OF_YEAR + 1, page, quote)
    return found


def _months(type_: FilingType, spans: Sequence[_Span], title: tuple[int, int, str] | None) -> int:
    counts = Counter(s.months for s in spans)
    if type_ in ANNUAL:
        longest = max(counts, default=MONTHS_OF_YEAR)
        return longest if longest > MONTHS_OF_YEAR and not counts[MONTHS_OF_YEAR] else MONTHS_OF_YEAR
    if type_ == "10-Q":
        return MONTHS_OF_QUARTER
    if type_ == "earnings release":
        if title or counts[MONTHS_OF_QUARTER]:
            return MONTHS_OF_QUARTER
        return max(counts, default=MONTHS_OF_YEAR)
    parts = [months for months in counts if months < MONTHS_OF_YEAR]
    return max(parts, default=MONTHS_OF_QUARTER if title else MONTHS_OF_YEAR // 2)


def _quarter_and_months(
    type_: FilingType, months: int, spans: Sequence[_Span], title: tuple[int, int, str] | None
) -> tuple[tuple[int, int, str] | None, int | None]:
    """The quarter with its place, and how many months of the fiscal year are over by its end."""
    if type_ in ANNUAL or (type_ == "earnings release" and months == MONTHS_OF_YEAR):
        return None, MONTHS_OF_YEAR
    longest = max((s for s in spans if s.months < MONTHS_OF_YEAR), key=lambda s: s.months, default=None)
    by_span = (longest.months // MONTHS_OF_QUARTER, longest.page, longest.quote) if longest else None
    quarter = (title or by_span) if type_ == "earnings release" or longest is None else by_span
    if quarter is None:
        return None, None
    if months != MONTHS_OF_QUARTER:
        return None, months
    return quarter, quarter[0] * MONTHS_OF_QUARTER


def _last_month(end: dt.date) -> int:
    """The month that a period is counted to: one that ends in a month's first days ends with the month before."""
    return counted(end).month


_AUDIT = expression(
    r"(?i)\breport of (?:the )?independent (?:registered|auditor)|\bindependent auditor'?s'?'? report\b"
    r"|\bbestätigungsvermerk\b|\brapport des commissaires aux comptes\b|独立監査人|审计报告"
)
_UNAUDITED = expression(r"(?i)\b(?:un-?audited|ungeprüft|non audité)\b")
_PRELIMINARY = expression(
    r"(?i)\bpreliminary (?:\w+ ){0,3}(?:results|figures|announcement|statement)\b|\bvorläufige"
)


def _status(
    lines: Sequence[PrintedLine], texts: Sequence[PrintedText], type_: FilingType
) -> dict[ReportField, tuple[Any, int, str]]:
    """Whether the figures are audited, unaudited or preliminary; nothing where the document does not say."""
    patterns: list[tuple[FilingStatus, re.Pattern[str]]] = [("audited", _AUDIT), ("unaudited", _UNAUDITED)]
    patterns = patterns if type_ in ANNUAL else [("preliminary", _PRELIMINARY), ("unaudited", _UNAUDITED)]
    for status, pattern in patterns:
        for line in lines:
            if len(line.text.split()) <= _FEW_WORDS and pattern.search(line.text):
                return {"status": (status, line.page, line.text)}
    for status, pattern in patterns[-1:]:
        for text in texts:
            if found := pattern.search(text.text):
                return {"status": (status, text.page, text.text[max(0, found.start() - _QUOTE // 2) :])}
    return {}


_RESTATED_HEAD = expression(r"(?i)(?<!amended and )\brestated\b(?! (?:certificate|articles|by-?laws|agreement))")
_RESTATED = expression(
    r"(?i)\b(?:(?:figures|comparatives?|information|statements?|amounts?|periods?|years?)[^.]{0,80}"
    r"\b(?:has|have|had|was|were) (?:also )?been restated|(?:we|company|group) (?:has|have)? ?restated\b)"
)


def _restated(pages: Sequence[Page], texts: Sequence[PrintedText]) -> dict[ReportField, tuple[Any, int, str]]:
    """Whether earlier figures are printed anew: a column or a sentence says so."""
    for page in pages:
        for table in page.tables:
            for column in table.columns[1:]:
                if _RESTATED_HEAD.search(column.header):
                    return {"is_restated": (True, page.page_number, column.header)}
    for text in texts:
        if found := _RESTATED.search(text.text):
            return {"is_restated": (True, text.page, text.text[max(0, found.start() - 20) :])}
    return {}


_AMENDMENT = expression(
    r"(?i)^\W*\(?amendment no\. ?\d|^\W*form ?\d\d?-?\w/a\b|\bon form ?\d\d?-?\w ?/ ?a\b"
    r"|\bannual report (?:20\d\d )?\((?:restated|amended)\)|^restated\.? "
)
_REPLACES = expression(
    r"(?i)\bthis (?:amended|restated|corrected) (?:annual )?report\b"
    r"|\b(?:replaces|supersedes|withdraws) (?:the|our|its) (?:annual |original )?report\b"
)


def _amended(lines: Sequence[PrintedLine]) -> dict[ReportField, tuple[Any, int, str]]:
    covers = {1, *(line.page for line in lines if _COVER.search(line.text))}
    for line in lines:
        form = _FORM.search(line.text)
        on_cover = line.page in covers and (_AMENDMENT.search(line.text) or (form and form["amended"]))
        if on_cover or (line.page <= _FIRST_PAGES and _REPLACES.search(line.text)):
            return {"is_amended": (True, line.page, line.text)}
    return {}


_NAMED_YEAR = expression(
    r"(?i)\b(?:fiscal(?: year)?|financial year|FY) ?['’]?(?P<year>20\d\d|\d\d)(?:[/–-](?P<to>\d\d))?\b(?![,.]\d|/)"
)
_QUARTER_OF_YEAR = expression(
    rf"(?i){_QUARTER_NAME}(?: results)?(?:,? (?:of|for|in|and))?(?: the)?(?: (?:fiscal|financial)(?: year)?| FY)?"
    r" ?['’]?(?P<year>20\d\d|\d\d)\b"
)
_INTERIM_OF_YEAR = expression(
    r"(?i)\b(?:half[- ]year(?:ly)?|interim|quarterly|semi-annual)(?: financial)? (?:report|results|statement),?"
    r" (?P<year>20\d\d)\b"
)
_NEAR = 90  # characters between the name of a year and the day on which it ended
_OFTEN = 3


def elected_fiscal_year(
    lines: Sequence[PrintedLine], texts: Sequence[PrintedText], end: dt.date | None
) -> Elected | None:
    """What an annual report calls the year that ended on a day; None where it does not say."""
    return elect(_years(lines, texts, end, None, is_annual=True), least=2.0)


def _years(
    lines: Sequence[PrintedLine],
    texts: Sequence[PrintedText],
    end: dt.date | None,
    title: tuple[int, int, str] | None,
    *,
    is_annual: bool,
) -> Iterator[Vote]:
    """Votes for the name of the fiscal year."""
    named = elected_year(lines)
    if end is None:
        yield from named.votes if named else ()
        return
    possible = _names_of(end, is_annual=is_annual)
    yield from (
        vote for vote in _all_years(lines, texts, end, None if is_annual else title) if vote.value in possible
    )


def _names_of(end: dt.date, *, is_annual: bool) -> frozenset[str]:
    """The years by which a company may call the fiscal year of a day; a part of a year may belong to the next."""
    last = ending_year(end)
    return frozenset(map(str, names_of_year(end) if is_annual else (last - 1, last, last + 1)))


def _all_years(
    lines: Sequence[PrintedLine],
    texts: Sequence[PrintedText],
    end: dt.date,
    title: tuple[int, int, str] | None,
) -> Iterator[Vote]:
    if named := elected_year(lines):
        yield from named.votes
    if title and (found := _QUARTER_OF_YEAR.search(title[2])):
        yield Vote(_full(found["year"]), 5.0, title[1], title[2])
    for line in lines:
        if line.page <= _FIRST_PAGES and (found := _INTERIM_OF_YEAR.search(line.text)):
            yield Vote(found["year"], 4.0, line.page, line.text)
            break
    counts: Counter[str] = Counter()
    others = [PrintedText(line.page, line.text) for line in lines if line.table or line.edge]
    for text in (*texts, *others):
        for found in _NAMED_YEAR.finditer(text.text):
            year = _full(found["to"] or found["year"])
            counts[year] += 1
            near = text.text[max(0, found.start() - _NEAR) : found.end() + _NEAR]
            if _ENDS.search(near) and _says_the_day(near, found, end, text.text):
                yield Vote(year, 6.0, text.page, near)
    if sum(counts.values()) >= _OFTEN:
        latest = latest_common(counts)
        yield Vote(latest, 3.0, 1, f"fiscal {latest}")


def _says_the_day(near: str, found: re.Match[str], end: dt.date, text: str) -> bool:
    """Whether the first day behind the name is the reported one: "fiscal 2022 ended January 28, 2023"."""
    behind = text[found.end() : found.end() + _NEAR]
    return written_day(behind) == end or (written_day(behind) is None and written_day(near) == end)


def _full(year: str) -> str:
    return year if len(year) == 4 else f"20{year}"
