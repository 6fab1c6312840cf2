"""A table's title, unit and column periods: read from what is printed, never guessed.

Sources in this order: the column's own header, the table's header, the lines above it, the top of the page.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from indexes.enrichment.periods import PrintedTime, YearNames, period_of, printed_time
from indexes.enrichment.surroundings import Surroundings, around_tables, first_lines, names_statement
from indexes.enrichment.units import Unit, printed_currency, printed_scale, unit_of_line
from storage.lexicon.calendar import YEAR
from storage.lexicon.money import MINOR_UNIT, PER_SHARE, PERCENT
from storage.lexicon.periods import heading_periods
from storage.lexicon.words import expression
from storage.records.metrics import GROUP_WORDS, PARENT_WORDS
from storage.records.pages import Cell, Column, Entity, Page, Table
from storage.records.reports import MONTHS_OF_YEAR

_NOTE_HEADER = expression(
    r"(?i)^notes?(?:\(s\))?\.?$|^ref(?:erence)?\.?$|^(?:nota|anhang|tz\.?|注記(?:番号)?|附注)$"
)
_NO_MONEY = expression(
    rf"(?i){PERCENT}|{PER_SHARE}"
    r"|\bnumber\b|\bshares\b(?! capital)|\bno\.|\bprice\b|\bper \w+\b|\blevel$|\brating$|\(years\)"
)
_PENCE = expression(rf"(?i)\b(?:{MINOR_UNIT}|p)\b")
_EXCEPT = expression(r"(?i)\([^()]*\b(?:except|other than)\b[^()]*\)")
_GROUP = expression(rf"(?i)\b(?:group|consolidated)\b|{GROUP_WORDS}")
_COMPANY = expression(rf"(?i)\b(?:company|parent)\b|{PARENT_WORDS}")
_SEVERAL = 2
_ENTITY_WORDS = 4  # words of a header that names the group or the parent; a longer text is a sentence or a name
_TABLE_NOTE = expression(
    r"^\(?\d{1,2}(?:\.\d{1,2})?\)?(?:\(?[a-z]\)?)?(?:\s?[,&;]\s?\(?\d{1,2}(?:\.\d{1,2})?\)?(?:\(?[a-z]\)?)?)*$"
)


def with_table_context(pages: Sequence[Page], years: YearNames | None = None) -> list[Page]:
    """A report's pages, with the title, unit and columns of each table read from its page.

    Only what a year's name means is taken from the whole report: the day on which a year ends, where a page names just
    the year, and the calendar year in which it does. Without `years` only the day is known.
    """
    usual = years or YearNames(year_end(pages))
    return [_page_in_context(page, usual) if page.tables else page for page in pages]


def _page_in_context(page: Page, usual: YearNames) -> Page:
    blocks = [
        block.model_copy(update={"table": in_context(block.table, around, usual)})
        if block.table and around
        else block
        for block, around in around_tables(page)
    ]
    return page.model_copy(update={"blocks": tuple(blocks)})


def in_context(table: Table, around: Surroundings, usual: YearNames = YearNames()) -> Table:  # noqa: B008 frozen
    """The table with its title, unit and columns.

    Args:
        table: with the roles of its cells.
        around: the lines around it.
        usual: what the report's years mean, if known.
    """
    table = with_note_roles(table)
    headers = [_header(table, i) for i in range(table.column_count)]
    unit = _unit([*_shared_headers(table), *_sections(table), *reversed(around.above), *reversed(around.top)])
    times = column_times(table, headers, around, usual)
    units = _units_of_columns(headers, unit)
    columns = tuple(
        _column(table, i, header, time, units[i], around.title)
        for i, (header, time) in enumerate(zip(headers, times, strict=True))
    )
    words = unit.words or next((u.words for c in table.cells if (u := _header_unit(c))), "")
    return table.model_copy(update={"title": around.title, "unit": words, "columns": columns})


def with_note_roles(table: Table) -> Table:
    """Give the role "note" to values in a column whose header says that they refer to notes."""
    noted = {i for i in range(1, table.column_count) if _is_note_column(table, i)}
    if not noted:
        return table
    cells = tuple(
        cell.model_copy(update={"role": "note"}) if cell.role == "value" and cell.column in noted else cell
        for cell in table.cells
    )
    return table.model_copy(update={"cells": cells})


def _is_note_column(table: Table, column: int) -> bool:
    heads = _over(table, column)
    values = _values(table, column)
    if not values or not all(_TABLE_NOTE.match(v) or not re.search(r"\d", v) for v in values):
        return False
    return any(_NOTE_HEADER.match(h.text.strip()) for h in heads) or _shares_its_heads(table, column, heads)


def _shares_its_heads(table: Table, column: int, heads: Sequence[Cell]) -> bool:
    """Whether the first column has no heading of its own, and the next one larger figures under the same heading."""
    if column != 1 or not heads or not all(head.column_span == _SEVERAL for head in heads):
        return False
    return all(len(re.sub(r"\D", "", v)) > _SEVERAL for v in _values(table, column + 1) if re.search(r"\d", v))


def _values(table: Table, column: int) -> list[str]:
    return [c.text for c in table.cells if c.column == column and c.role in ("value", "note")]


def _over(table: Table, column: int) -> list[Cell]:
    return [c for c in table.cells if c.role == "column_header" and c.column <= column < c.column + c.column_span]


def _header(table: Table, column: int) -> str:
    """The column's header cells from top to bottom, with cells that span it."""
    return " ".join(c.text for c in sorted(_over(table, column), key=lambda c: c.row))


def _shared_headers(table: Table) -> list[str]:
    """Header cells that apply to several columns: over the labels, spanning, or alone in their row."""
    heads = [c for c in table.cells if c.role == "column_header"]
    alone = Counter(c.row for c in heads)
    return [c.text for c in heads if c.column == 0 or c.column_span > 1 or alone[c.row] == 1]


def _header_unit(cell: Cell) -> Unit | None:
    return unit_of_line(cell.text) if cell.role == "column_header" else None


def _sections(table: Table) -> list[str]:
    return [c.text for c in table.cells if c.role == "section" and c.row <= table.header_row_count + 1]


def _unit(texts: Iterable[str]) -> Unit:
    """The first printed unit; a missing scale or currency comes from the next line that has it."""
    found = [unit for text in texts if (unit := unit_of_line(text))]
    if not found:
        return Unit()
    scale = next((u.scale for u in found if u.scale), None)
    currency = next((u.currency for u in found if u.currency), None)
    words = next((u.words for u in found if u.scale == scale or u.currency == currency), "")
    return Unit(scale, currency, words)


def _units_of_columns(headers: Sequence[str], shared: Unit) -> list[Unit]:
    """The unit that each column has where its own heading names none.

    Where headings name several currencies, the nearest one to the left goes on: "Millions of yen" over the first of two
    years, "Thousands of U.S. dollars" over the third column.
    """
    own = [Unit(printed_scale(header), printed_currency(header), header) for header in headers]
    if len({unit.currency for unit in own} - {None}) < _SEVERAL:
        return [shared] * len(headers)
    units, last = [], next(unit for unit in own if unit.currency)
    for unit in own:
        last = unit if unit.currency else last
        units.append(Unit(last.scale or shared.scale, last.currency, last.words))
    return units


def _column(table: Table, index: int, header: str, time: PrintedTime, unit: Unit, title: str) -> Column:
    if index == 0 or _is_note_column(table, index):
        return Column(header=header)
    scale, currency = _column_unit(table, index, header, unit)
    return Column(
        header=header,
        period=period_of(time, header),
        currency=currency,
        scale=scale,
        entity=_entity([c.text for c in _over(table, index)], title),
    )


def _column_unit(table: Table, index: int, header: str, unit: Unit) -> tuple[int | None, str | None]:
    own = _EXCEPT.sub(" ", header)
    if _NO_MONEY.search(own) and printed_currency(own) is None:
        return printed_scale(own), None
    currency = printed_currency(header) or unit.currency or _currency_of_values(table, index)
    if _PENCE.search(own) and printed_scale(own) is None:
        return None, currency
    whole = 1 if any(printed_scale(c.text) == 1 for c in _over(table, index)) else None
    own_scale = printed_scale(header)
    return (own_scale if own_scale != 1 else None) or unit.scale or own_scale or whole, currency


def _currency_of_values(table: Table, index: int) -> str | None:
    texts = " ".join(c.text for c in table.cells if c.column == index and c.role == "value")
    return printed_currency(texts)


def _entity(heads: list[str], title: str) -> Entity | None:
    """Whether the figures are the group's or the parent company's: by the column's header, else by a title."""
    titles = [title] if names_statement(title) else []
    for text in [*(h for h in heads if len(h.split()) <= _ENTITY_WORDS), *titles]:
        group, company = bool(_GROUP.search(text)), bool(_COMPANY.search(text))
        if group != company:
            return "group" if group else "company"
    return None


_FISCAL_NAME = expression(r"(?i)\b(?:fiscal|FY ?['’]?\d\d)|\d\d[/–-]\d\d\b")
_YEAR_LINES = 3
_MOST_WORDS = 16
_NO_PERIOD = expression(r"(?i)\b(?:change|variance|var|increase|decrease|growth|vs\.?|versus)\b|△|Δ|\+/-")
_NOTES = expression(r"(?i)^notes? (?:to|on|forming)\b")
_YEAR_BEFORE = expression(
    r"(?i)^(?:\(?in )?(?:vorjahr|vj\.?)\b|\bvorjahr\b|\bexercice précédent|^n-1$|\bejercicio anterior"
    r"|\besercizio precedente"
    r"|前(?:連結)?(?:会計)?(?:年度|期)|上(?:期|年)|期初余额|年初余额"
)
_THIS_YEAR = expression(
    r"(?i)\b(?:geschäftsjahr|berichtsjahr)\b|\bexercice\b|^n$|当(?:連結)?(?:会計)?(?:年度|期)|本(?:期|年)|期末余额|年末余额"
)
_DATED_LABEL = expression(
    rf"(?i)^(?:{YEAR}$|(?:opening |closing )?balances?\b|(?:as )?at\b|as of\b|\d{{1,2}} \w+ \d)"
)


def year_end(pages: Sequence[Page]) -> PrintedTime:
    """The month and day on which the report's years end: the most frequent in the first lines of its pages.

    For a report about a part of a year they are that part's, and its length is there, too.
    """
    times = [
        time
        for page in pages
        for line in first_lines(page)
        if (time := printed_time(line)).month and time.months is not None
    ]
    days = Counter((time.month, time.day) for time in times)
    (month, day), count = max(days.items(), key=lambda d: d[1], default=((None, None), 0))
    if count <= sum(days.values()) / 2:
        return PrintedTime()
    lengths = Counter(time.months for time in times if (time.month, time.day) == (month, day) and time.months)
    return PrintedTime(None, month, day, max(lengths, key=lambda months: lengths[months], default=None))


def column_times(
    table: Table, headers: Sequence[str], around: Surroundings, usual: YearNames
) -> list[PrintedTime]:
    """The period of each column: the year from its own header; day and length also from other columns and lines.

    Where no header names a year, the nearest line above that names one applies to all columns, unless the rows
    are about several years. A year over which no day stands is a name, and `usual` says when years of names end.
    """
    above = [line for line in reversed(around.above) if _is_brief(line)]
    near = [*above, *(line for line in reversed(around.top) if _is_brief(line))]
    own = [printed_time(h) if not _NO_PERIOD.search(h) else PrintedTime() for h in headers]
    context = _context([headers[0], *near], around.page)
    if not any(t.says_something for t in own[1:]):
        own = _with_years_of_line(table, own, [headers[0], *above[:_YEAR_LINES]])
    if not any(t.says_something for t in own[1:]):
        lines = [] if _has_dated_rows(table) else [headers[0], *above[:_YEAR_LINES]]
        shared = next((t for t in map(printed_time, lines) if t.year), PrintedTime())
        own = [PrintedTime() if _NO_PERIOD.search(h) else shared for h in headers]
    own = _with_years_of_groups(table, own)
    own = _with_years_before(headers, own, [*above[:_YEAR_LINES], *around.page])
    beside = _beside(own[1:])
    found = [t.completed(beside).completed(context) for t in own]
    if usual.shift:
        by_name = _are_names(own, [headers[0], *near, *around.page], usual)
        found = [
            replace(whole, year=whole.year + usual.shift)
            if whole.year and not t.month and (by_name or whole.month is None or _FISCAL_NAME.search(header))
            else whole
            for header, t, whole in zip(headers, own, found, strict=True)
        ]
    last = _last_month(found, usual.end)
    day = PrintedTime(None, usual.end.month, usual.end.day)
    return [t.within(last).completed(day) for t in found]


def _last_month(times: Sequence[PrintedTime], usual: PrintedTime) -> int:
    """The month in which the years end whose parts are named; an interim report's own day is that of its last part."""
    if usual.month and usual.months in (None, 0, MONTHS_OF_YEAR):
        return usual.month
    over = max(
        (t.over for t in times if t.over and t.months != MONTHS_OF_YEAR), default=usual.months or MONTHS_OF_YEAR
    )
    return ((usual.month or over) - over - 1) % MONTHS_OF_YEAR + 1


def _are_names(own: Sequence[PrintedTime], lines: Sequence[str], usual: YearNames) -> bool:
    """Whether years without a day are names although a day stands above: it is that of the newest, in the next year."""
    named = {t.year for t in own if t.year and not t.month}
    dated = {t.year for t in map(printed_time, lines) if t.year and t.month}
    return max(named, default=0) == usual.newest and usual.newest + usual.shift in dated - named


def _with_years_of_line(table: Table, times: Sequence[PrintedTime], lines: Sequence[str]) -> list[PrintedTime]:
    """Years that a line above names, as many as there are columns of figures: "Key figures 2018 2019 2020".

    The line was read apart from the table whose head it is. A column of a few footnotes is none of figures.
    """
    values = Counter(cell.column for cell in table.cells if cell.role == "value")
    filled = [i for i in range(1, table.column_count) if 2 * values[i] > max(values.values(), default=0)]
    years = next((found for line in lines if len(found := _years_at_end(line)) > 1), [])
    if len(years) != len(filled) or len(set(years)) != len(years):
        return list(times)
    of_columns = dict(zip(filled, years, strict=True))
    return [replace(time, year=of_columns.get(i)) for i, time in enumerate(times)]


def _years_at_end(line: str) -> list[int]:
    """The years with which a line ends, footnotes between them."""
    named = [period for period in heading_periods(line) if period.year]
    between = [line[one.end : other.start] for one, other in pairwise(named)] + [line[p.end :] for p in named[-1:]]
    return [] if any(map(str.isalpha, "".join(between))) else [period.year or 0 for period in named]


def _with_years_of_groups(table: Table, times: Sequence[PrintedTime]) -> list[PrintedTime]:
    """A year printed over one column of a group whose headings repeat ("Total, male, female") is that of the group.

    A reader that knows no rules between headings sees "2022" over the middle of its three columns only.
    """
    own = [[c.text for c in _over(table, i) if c.column_span == 1] for i in range(table.column_count)]
    names = {
        i: " ".join(text for text in texts if not printed_time(text).year)
        for i, texts in enumerate(own)
        if i and texts and not _is_note_column(table, i)
    }
    columns = list(names)
    again = next((n for n in range(2, len(columns)) if names[columns[n]] == names[columns[0]]), 0)
    if not again or len(columns) % again:
        return list(times)
    groups = [columns[n : n + again] for n in range(0, len(columns), again)]
    years = [{times[i].year for i in group} - {None} for group in groups]
    alike = all([names[i] for i in group] == [names[i] for i in groups[0]] for group in groups)
    if not alike or any(len(of_group) != 1 for of_group in years):
        return list(times)
    shared = {i: of_group for group, (of_group,) in zip(groups, years, strict=True) for i in group}
    return [replace(time, year=shared.get(i, time.year)) for i, time in enumerate(times)]


def _with_years_before(
    headers: Sequence[str], times: Sequence[PrintedTime], lines: Sequence[str]
) -> list[PrintedTime]:
    """Fill in the years of columns named "Vorjahr" or "this year", from another column or a line above."""
    now = {t.year for h, t in zip(headers, times, strict=True) if t.year and not _YEAR_BEFORE.search(h)}
    printed = next((t.year for t in map(printed_time, lines) if t.year), None)
    year = now.pop() if len(now) == 1 else printed if not now else None
    if year is None or not any(map(_YEAR_BEFORE.search, headers)):
        return list(times)
    named = [-1 if _YEAR_BEFORE.search(h) else 0 if _THIS_YEAR.search(h) else None for h in headers]
    return [
        replace(t, year=year + shift) if shift is not None and t.year is None else t
        for h, t, shift in zip(headers, times, named, strict=True)
    ]


def _context(lines: Sequence[str], page: Sequence[str]) -> PrintedTime:
    """The day and length from the nearest lines; the day also from the page's first lines.

    A length in the title of the notes is the report's, not that of each table.
    """
    timed = [(line, printed_time(line)) for line in lines]
    notes = next((i for i, (line, _) in enumerate(timed) if _NOTES.match(line)), len(timed) + 1)
    length = next((t.months for _, t in timed[: max(0, notes - 1)] if t.months is not None), None)
    times = [*(t for _, t in timed), *map(printed_time, page)]
    dated = next((t for t in times if t.month and t.months is not None), PrintedTime())
    return PrintedTime(None, dated.month, dated.day, length)


def _beside(times: Sequence[PrintedTime]) -> PrintedTime:
    """The day and length on which all columns that name one agree."""
    days = {(t.month, t.day) for t in times if t.month}
    lengths = {t.months for t in times if t.months is not None}
    month, day = days.pop() if len(days) == 1 else (None, None)
    return PrintedTime(None, month, day, lengths.pop() if len(lengths) == 1 else None)


def _has_dated_rows(table: Table) -> bool:
    """Whether rows or sections are about different years, as in a statement of changes in equity."""
    labels = [c.text for c in table.cells if c.role in ("row_label", "section")]
    years = {printed_time(text).year for text in labels if _DATED_LABEL.search(text.strip())}
    return len(years - {None}) > 1


def _is_brief(line: str) -> bool:
    return len(line.split()) <= _MOST_WORDS
