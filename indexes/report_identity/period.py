"""The day on which a report's year ends, and the report's name for that year."""

import datetime as dt
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from indexes.enrichment.periods import PrintedTime, period_of, printed_time
from indexes.report_identity.votes import Elected, PrintedLine, Vote, elect
from storage.lexicon.calendar import ENGLISH_MONTH, MONTH, YEAR
from storage.lexicon.words import expression
from storage.records.pages import Page
from storage.records.reports import INTERIM, ending_year

_DAY = rf"(?:\d{{1,2}}(?:st|nd|rd|th)?(?: of)? ?(?:{ENGLISH_MONTH})|(?:{ENGLISH_MONTH}) ?\d{{1,2}}),? ?{YEAR}"
_ENDED = expression(
    rf"(?i)\b(?:years?|periods?|5[23][- ]weeks?|12 months|twelve months)(?: period)? ?"
    rf"(?:ended|ending|to|end)(?: on)?:? ?(?P<day>{_DAY})"
)
_OTHER_DAY = rf"(?:\d{{1,2}}(?:er)?\.? (?:de )?(?:{MONTH}) (?:de )?{YEAR}|\d{{1,2}}\.\d{{1,2}}\.{YEAR})"
_ENDED_ELSEWHERE = expression(
    rf"(?i)(?:\b(?:zum|bis zum|per|am|clos(?:e|es)? (?:le|au)|terminado el(?: día)?|a 31 de|chiuso al|au|al) "
    rf"|- )(?P<day>{_OTHER_DAY})"
    rf"|(?P<ideographic>(?:{YEAR}|(?:令和|平成)(?:\d{{1,2}}|元))年\d{{1,2}}月(?:\d{{1,2}}日|期))"
)
_ANY_DAY = expression(rf"(?i)(?P<day>{_DAY}|{_OTHER_DAY})")
_CHARTER_PERIOD = expression(
    rf"^(?:For|FOR) (?i:the (?:fiscal |financial |quarterly )?(?:year|period|quarter|half[- ]year) ?ended):?"
    rf" ?(?i:(?P<day>{_DAY}))\.?$"
)
_PART_ENDED = expression(
    rf"(?i)\b(?:(?:three|six|nine|3|6|9) months?|(?:13|26|39|thirteen|twenty-six|thirty-nine)[- ]weeks?|quarters?"
    rf"|half[- ]year)(?: period)? ?(?:ended|ending|to)(?: on)?:? ?(?P<day>{_DAY})"
)
_OF_A_DAY = frozenset({"8-K", "proxy statement", "prospectus", "other"})
_EVENT = expression(r"(?i)\b(?:date of (?:earliest event )?report|earliest event reported|to be held (?:on|at))")

_DIGIT = expression(r"\d")  # in every day
_FILING = expression(r"(?i)exact name of (?:the )?(?:registrant|company|issuer)")
_AT = expression(rf"(?i)\b(?:as (?:at|of)|at) (?P<day>{_DAY})")
_AS_AT = expression(rf"(?i)\b(?:as (?:at|of)|at) (?P<day>{_DAY})|^(?P<alone>{_DAY})$")
_COVER_DAY = expression(
    rf"(?i)\b(?:annual report|years? (?:ended|to)|weeks ended|period ended)\b.{{0,40}}?(?P<day>{_DAY})"
    rf"|^(?P<alone>{_DAY})$"
)
_TITLE_DAY = expression(rf"(?i)^(?:zum|per|au|al|a) (?P<day>{_OTHER_DAY})(?P<alone>)$")
_YEAR_NAME = expression(
    r"(?i)^(?P<a>20\d\d) (?:annual|integrated) report\b|\b(?:annual|integrated) report(?: (?:&|and) (?:financial )?"
    r"(?:accounts|statements))? (?:for )?(?P<b>20\d\d)(?:[/–-](?P<to>\d\d))?\b"
    r"|^(?:(?:fiscal|financial year|FY) ?|geschäftsbericht |rapport annuel |informe anual )(?P<c>20\d\d)\b"
)
_STATEMENT_LINE_WORDS = 14
_COVER_PAGES = 3
_TO_COME = 0.5  # a day named less than half as often as the most common one is an outlook or a past year
SURE = 2.0
_AGREES = 4.0


def elected_period_end(
    pages: Sequence[Page], lines: Sequence[PrintedLine], type_: str | None = None
) -> Elected | None:
    """The last day of the reported period (ISO form), or None when no day has enough votes.

    Args:
        pages: of the report.
        lines: of the pages.
        type_: of the filing; an announcement has the day that it is about, and no period.
    """
    if type_ in _OF_A_DAY:
        return elect(_days(lines), least=1.0)
    over_columns, dated = _column_days(pages), [line for line in lines if _DIGIT.search(line.text)]
    of_figures = over_columns | _days_ended(dated)
    votes = [*_cover(lines), *_titles(dated, of_figures), *_columns(pages)]
    if of_figures or type_ != "earnings release":
        votes += _cover_days(dated, of_figures)
    votes += [*_of_the_columns_year(pages, votes), *(_parts(lines, over_columns) if type_ in INTERIM else ())]
    return elect(votes, least=SURE)


def elected_year(lines: Sequence[PrintedLine]) -> Elected | None:
    """The year that the report names as its own on its first pages and in its page headers."""
    return elect(_year_names(lines), least=SURE)


def _cover(lines: Sequence[PrintedLine]) -> Iterator[Vote]:
    first = {line.page for line in lines if _FILING.search(line.text)} | {*range(1, _COVER_PAGES + 1)}
    for line in lines:
        found = _CHARTER_PERIOD.search(line.text) if line.page in first else None
        if found and (day := _iso(found["day"])):
            yield Vote(day, 10, line.page, line.text)
            break


def _cover_days(lines: Sequence[PrintedLine], of_figures: frozenset[str]) -> Iterator[Vote]:
    """Votes for days on the first pages.

    A report or release is often dated weeks after its period. So where figures end on days that are printed, a day on
    which none does is that of the paper.
    """
    for line in lines:
        if line.page > _COVER_PAGES or not (found := _COVER_DAY.search(line.text) or _TITLE_DAY.match(line.text)):
            continue
        if (day := _iso(found["day"] or found["alone"])) and (not of_figures or day in of_figures):
            yield Vote(day, 4 if line.page == 1 else 2, line.page, line.text)


def _column_days(pages: Sequence[Page]) -> frozenset[str]:
    """The days that are printed over columns."""
    columns = (c.period for page in pages for table in page.tables for c in table.columns)
    return frozenset(p.end.isoformat() for p in columns if p and _says_end(p.printed))


def _says_end(printed: str) -> bool:
    """Whether words over a column say when its period ended, and not only the year."""
    time = printed_time(printed)
    return bool(time.month or (time.over and time.year))


def _days_ended(lines: Sequence[PrintedLine]) -> frozenset[str]:
    """The days of "for the quarter ended 30 June 2023" and "as of 30 June 2023"."""
    found = (
        match for line in lines for pattern in (_ENDED, _PART_ENDED, _AT) for match in pattern.finditer(line.text)
    )
    return frozenset(day for match in found if (day := _iso(match["day"])) is not None)


def _titles(lines: Sequence[PrintedLine], of_figures: frozenset[str]) -> Iterator[Vote]:
    """Votes from titles such as "for the year ended 30 June 2022" and "as at 30 June 2022": the latest common days."""
    for pattern, weight in ((_ENDED, 6.0), (_AS_AT, 3.0), (_ENDED_ELSEWHERE, 6.0)):
        stated: list[tuple[str, PrintedLine]] = []
        for line in lines:
            if len(line.text.split()) <= _STATEMENT_LINE_WORDS:
                for found in pattern.finditer(line.text):
                    words = found.groupdict()
                    day = _iso(words["day"] or words.get("alone") or words.get("ideographic") or "")
                    if day and (day in of_figures or not (of_figures and words.get("alone"))):
                        stated.append((day, line))
        counts = Counter(day for day, _ in stated)
        if counts and (day := latest_common(counts)) and counts[day] > 1:
            line = next(line for other, line in stated if other == day)
            yield Vote(day, weight, line.page, line.text)


def _parts(lines: Sequence[PrintedLine], over_columns: frozenset[str]) -> Iterator[Vote]:
    """Votes from titles of parts of a year: "for the six months ended 30 June 2023".

    A day over no column is that of an outlook, or of a part of another year, if columns print any day.
    """
    stated = [
        (day, line)
        for line in lines
        for found in _PART_ENDED.finditer(line.text)
        if (day := _iso(found["day"])) is not None and (not over_columns or day in over_columns)
    ]
    counts = Counter(day for day, _ in stated)
    if counts:
        latest = latest_common(counts)
        line = next(line for day, line in stated if day == latest)
        yield Vote(latest, 8.0, line.page, line.text)


def _days(lines: Sequence[PrintedLine]) -> Iterator[Vote]:
    """Votes for the day of an announcement, a meeting or a prospectus, from the first pages."""
    first = [line for line in lines if line.page <= _COVER_PAGES]
    for before, line, after in zip([None, *first], first, [*first[1:], None], strict=False):
        if _EVENT.search(line.text):
            for weight, near in ((10.0, line), (6.0, after), (5.0, before)):
                if near and (found := _ANY_DAY.search(near.text)) and (day := _iso(found["day"])):
                    yield Vote(day, weight, near.page, near.text)
                    break
        elif (found := _ANY_DAY.search(line.text)) and (day := _iso(found["day"])):
            yield Vote(day, 2.0 if line.page == 1 else 1.0, line.page, line.text)
            if line.page > 1:
                break


def _columns(pages: Sequence[Page]) -> Iterator[Vote]:
    """Votes from the columns' days, where month and day are printed."""
    first: dict[str, tuple[int, str]] = {}
    counts: Counter[str] = Counter()
    for page in pages:
        for table in page.tables:
            for column in table.columns:
                if column.period and _says_end(column.period.printed):
                    day = column.period.end.isoformat()
                    counts[day] += 1
                    first.setdefault(day, (page.page_number, column.period.printed))
    if counts and (day := latest_common(counts)):
        yield Vote(day, 4 if counts[day] >= 4 else 1, *first[day])


def _of_the_columns_year(pages: Sequence[Page], votes: Sequence[Vote]) -> list[Vote]:
    """Votes for days in the newest year of most tables, whose columns often print only the year."""
    newest = Counter(
        str(max(c.period.year for c in table.columns if c.period))
        for page in pages
        for table in page.tables
        if any(c.period for c in table.columns)
    )
    if not newest:
        return []
    year = latest_common(newest)
    agreeing = {v.value: v for v in votes if str(ending_year(dt.date.fromisoformat(v.value))) == year}
    return [Vote(day, _AGREES, vote.page, vote.quote) for day, vote in agreeing.items()]


def _year_names(lines: Sequence[PrintedLine]) -> Iterator[Vote]:
    heads: Counter[str] = Counter()
    first: dict[str, PrintedLine] = {}
    for line in lines:
        if found := _YEAR_NAME.search(line.text):
            year = found["a"] or found["b"] or found["c"]
            if found["to"]:
                year = year[:2] + found["to"]
            if line.page <= _COVER_PAGES:
                yield Vote(year, 4, line.page, line.text)
            elif line.edge:
                heads[year] += 1
                first.setdefault(year, line)
    for year, count in heads.items():
        if count >= 3:
            yield Vote(year, 3, first[year].page, first[year].text)


def written_day(text: str) -> dt.date | None:
    """The first day that a text writes in full; None where it writes none."""
    found = _ANY_DAY.search(text)
    day = _iso(found["day"]) if found else None
    return dt.date.fromisoformat(day) if day else None


def latest_common(counts: Counter[str]) -> str:
    """The latest of the values that are named often."""
    most = counts.most_common(1)[0][1]
    return max(day for day, count in counts.items() if count >= most * _TO_COME)


def _iso(words: str) -> str | None:
    spaced = re.sub(rf"(?i)({ENGLISH_MONTH})(?=\d)|(?<=\d)(?={ENGLISH_MONTH})", r"\g<0> ", words)
    time: PrintedTime = printed_time(spaced)
    period = period_of(time, words) if time.month and (time.day or words.endswith("期")) else None
    return period.end.isoformat() if period and period.end >= dt.date(1980, 1, 1) else None
