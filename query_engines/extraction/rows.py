"""Finds the printed row that a question asks for, where the ontology knows no such metric.

Each word of the question stands in the row's label, its heading, its column, the table's title or the section, and the
label has no further word that makes it another row. Of several rows that say so alike, none is the one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache

from indexes.facts.printed_rows import Figure, PrintedRow, table_rows
from indexes.facts.rows import label_scale
from indexes.facts.statements import TITLES
from query_engines.calculation.derivation import is_spent
from query_engines.extraction.asked import LOOSE, question_terms
from query_engines.question.classifier import label_words
from query_engines.question.fact_lookup import same_label
from query_engines.question.search_text import label_in
from query_engines.verification.printed_figures import is_unscaled
from storage.lexicon.calendar import ENGLISH_MONTHS
from storage.lexicon.words import COUNTED, FUNCTION_WORDS, expression
from storage.records.answers import Dimension
from storage.records.facts import Fact, Period
from storage.records.metrics import folded, significant
from storage.records.pages import Column, Page, Table
from storage.records.reports import MONTHS_OF_YEAR, Report
from storage.text import plain, stems

_PERCENT = expression(r"(?i)%|\bper ?cent(?:age)?\b|\bmargins?\b|\bratios?\b|\bshare of\b|\brates?\b|\byield\b")
_CHANGED = expression(r"(?i)\b(?:changes?|increases?|decreases?|movements?)\b")
# Figures of another sort, for which a question must ask: adjusted and planned ones, averages, percentages.
_OF_ANOTHER_SORT = (
    expression(
        r"(?i)\b(?:non-?(?:gaap|ifrs)|adjusted|pro ?forma|forecasts?|targets?|budget(?:ed)?|guidance|outlook|projected"
        r"|underlying|normali[sz]ed|constant currency|organic|hypothetical|sensitivity|variance|growth)\b"
    ),
    expression(r"(?i)\b(?:average|mean|median|weighted)\b"),
    _PERCENT,
    _CHANGED,
)
_DATE_WORDS = frozenset(
    stems(
        f"{' '.join(ENGLISH_MONTHS)} year years ended ending month months period as at of note notes thousands millions"
        " usd eur gbp"
    )
)
_SAME_ROW = (
    stems("total net group consolidated company sum overall respectively million thousand balance the its our")
    | FUNCTION_WORDS
)  # a label with one of these means the same row
_THINGS = stems(" ".join(COUNTED)) - stems("dollars euros pounds") | stems("headcount personnel licences options")
_PRICE = stems("price kurs")
_BESIDE_A_LABEL = expression(r"(?i)\([^()]{0,200}\)| \d{1,2}$")
_NEAREST, _BLOCKS_ABOVE = 400, 3  # letters, and blocks, above a table that still belong to it
_ENOUGH_TABLES = 3  # tables with the same unit that are needed to assume it for a table without a unit
_SURELY_IN_FULL, _CENTS = 10_000_000, -2  # a longer figure, or one with so many decimals, is not in thousands
_AGREES = Decimal("0.01")


@dataclass(frozen=True)
class Sought:
    """What a question asks for, and for when.

    Attributes:
        query: its search text.
        year: in which its period ends; None for any.
        is_reported: whether it is the reported year, to which figures without a period belong.
        is_day: whether only a position at a day can be meant, as for an opening balance.
        is_part: whether a part of a year is meant.
        dimension: what the answer is, where that is known.
        is_printed_label: whether only a row under the very label that is asked for can be meant.
    """

    query: str
    year: int | None
    is_reported: bool = True
    is_day: bool = False
    is_part: bool = False
    dimension: Dimension | None = None
    is_printed_label: bool = False

    def is_of(self, period: Period) -> bool:
        """Whether a column's period is it."""
        is_as_long = self.is_part or period.months in (None, MONTHS_OF_YEAR)
        is_of_day = not (self.is_day and period.months is not None)
        return is_as_long and is_of_day and self.year in (None, period.year)


@dataclass(frozen=True)
class Candidate:
    """A printed figure that may be what is asked for; of two with the same rank, neither is surer."""

    page: Page
    table: Table
    row: PrintedRow
    figure: Figure
    column: Column
    rank: tuple[bool, ...] = ()

    @property
    def value(self) -> Decimal:
        """The printed figure, without its scale."""
        if self.figure.value is None:
            raise TypeError("a dash is no figure")
        return self.figure.value

    @property
    def said(self) -> str:
        """The words of its row and its column."""
        return f"{self.row.label} {self.column.header}"

    @property
    def in_statement(self) -> bool:
        """Whether it stands in a primary statement."""
        return any(title.search(plain(self.table.title)) for title in TITLES.values())

    @property
    def is_count(self) -> bool:
        """Whether the row, its column or its table say that things or people are counted."""
        return not _THINGS.isdisjoint(stems(f"{self.said} {self.table.title}"))

    @property
    def is_percent(self) -> bool:
        """Whether a percentage is printed."""
        return "%" in f"{self.figure.printed} {self.said}"

    def is_same_figure(self, other: "Candidate") -> bool:
        """Whether another one prints the same value, also rounded, in other units or with another sign."""
        first, second = (abs(each.value * (each.column.scale or 1)) for each in (self, other))
        return abs(first - second) <= _AGREES * max(first, second) or abs(self.value) == abs(other.value)

    def fact(self, pages: Sequence[Page], report: Report, dimension: Dimension | None = None) -> Fact | None:
        """The figure in full units; None where it may be in thousands, as in other tables, but does not say so."""
        scale = self._scale(pages, dimension)
        if scale is None:
            return None
        is_bare = self.is_percent or (dimension == "count" and scale == 1)
        return Fact(
            metric="printed_row",
            value=self.value * scale,
            printed=self.figure.printed,
            scale=Decimal(scale),
            currency=None if is_bare else self.column.currency or report.currency,
            period=self.column.period,
            statement="notes",
            report_sha1=report.sha1,
            page_number=self.page.page_number,
            boxes=(self.figure.box,) if self.figure.box else (),
            row_label=self.row.label,
        )

    def _scale(self, pages: Sequence[Page], dimension: Dimension | None) -> int | None:
        """A row that does not say that it counts, is per share or a percentage, is money whatever is asked for."""
        if (own := label_scale(self.row.label)) is not None:
            return own
        words = stems(self.said)
        if "%" in self.figure.printed or is_unscaled(self.said) or words & _PRICE or dimension == "per share":
            return 1
        printed = self.column.scale
        has_unit = self.in_statement or self.column.currency is not None or printed not in (None, 1)
        if dimension == "count" and (self.is_count or not has_unit):
            return 1
        if dimension != "money" and not self.in_statement and words & _THINGS:
            return 1 if printed in (None, 1) else None  # shares or what was paid for them
        if printed is not None:
            return printed
        scales = [{c.scale for c in table.columns if c.scale} for page in pages for table in page.tables]
        known = [each for each in scales if each]
        elsewhere = frozenset[int]().union(*known)
        if len(elsewhere) == 1 and len(known) >= _ENOUGH_TABLES and self.column.currency:
            return min(elsewhere)  # notes use the report's unit and rarely repeat it
        in_full = abs(self.value) >= _SURELY_IN_FULL or self.value.as_tuple().exponent == _CENTS
        return 1 if in_full or not elsewhere - {1} or stems(self.table.title) & _THINGS else None


def found_row(sought: Sought, report: Report, pages: Sequence[Page]) -> Fact | None:
    """The figure that says what is asked; None where none does, others say it alike, or its unit is unknown."""
    found = sorted(_fitting(sought, pages), key=lambda each: each.rank, reverse=True)
    if not found or any(c.rank == found[0].rank and not c.is_same_figure(found[0]) for c in found):
        return None
    own = (c for c in found if c.is_same_figure(found[0]) and not TITLES["cash_flow"].search(c.table.title))
    best = next(own, found[0])  # a statement of cash flows takes gains off and adds losses back
    spent = is_spent(f"{best.row.label} {sought.query}")
    fact = best.fact(pages, report, "money" if spent and sought.dimension == "count" else sought.dimension)
    return fact.model_copy(update={"value": abs(fact.value)}) if fact is not None and spent else fact


def _fitting(sought: Sought, pages: Sequence[Page]) -> Iterator[Candidate]:
    """The figures of the requested time whose row, column and table say what is asked."""
    words = frozenset(question_terms(sought.query, ()).weights)
    for page in pages:
        for table, above in _tables(page):
            rows = [] if is_of_another_sort(table.title, sought.query) else table_rows(table, page.page_number)
            for row in (row for row in rows if _is_of_label(row, words, sought)):
                for figure, column in _of_time(row, table, words, sought):
                    candidate = Candidate(page, table, row, figure, column)
                    rank = _rank(candidate, above, words, sought)
                    if rank and _is_of_dimension(candidate, sought):
                        yield replace(candidate, rank=rank)


def _is_of_label(row: PrintedRow, words: frozenset[str], sought: Sought) -> bool:
    """Whether a label has no word beyond those that are asked for, and is the very one where only that can be meant."""
    other = stems(_BESIDE_A_LABEL.sub(" ", row.label)) - words - _DATE_WORDS - _SAME_ROW
    is_it = not sought.is_printed_label or same_label(row.label, label_in(sought.query))
    return bool(row.figures) and not any(word.isalpha() for word in other) and is_it


def _rank(found: Candidate, above: str, words: frozenset[str], sought: Sought) -> tuple[bool, ...]:
    """How surely a figure's place says each word that is asked; nothing where one is left that no place says."""
    label, header = (stems(_BESIDE_A_LABEL.sub(" ", text)) for text in (found.row.label, found.column.header))
    near = label | header | stems(f"{found.row.heading} {plain(found.table.title)}")
    named = question_terms(sought.query, ()).entities
    if named and named <= near | stems(above):
        near |= stems(
            above
        )  # "goodwill on the Nestwave acquisition" under "Nestwave's assets and liabilities were"
    needed = words - LOOSE - _SAME_ROW
    far = needed - near
    is_explained = far <= stems(" ".join(found.page.section[-2:])) - _label_stems() and 2 * len(far) <= len(needed)
    if not is_explained or not words & (label | header) or is_of_another_sort(found.said, sought.query):
        return ()
    is_exact = significant(folded(found.row.label)) == significant(label_in(sought.query))
    strays = [said - words - _DATE_WORDS for said in (label, header)]
    return is_exact, is_exact and found.in_statement, not far, *(not stray for stray in strays)


def _is_of_dimension(candidate: Candidate, sought: Sought) -> bool:
    if sought.dimension == "per share":
        return is_unscaled(f"{candidate.row.heading} {candidate.said}")
    wants = sought.dimension == "percent" or _PERCENT.search(sought.query) is not None
    return candidate.is_percent == wants or (wants and _PERCENT.search(candidate.row.label) is not None)


def _tables(page: Page) -> Iterator[tuple[Table, str]]:
    """The tables of a page, each with the text above it."""
    texts: list[str] = []
    for block in page.blocks:
        if block.table is not None:
            yield block.table, " ".join(texts[-_BLOCKS_ABOVE:])[-_NEAREST:]
        elif block.kind != "furniture":
            texts.append(plain(block.text))


def _of_time(
    row: PrintedRow, table: Table, words: frozenset[str], sought: Sought
) -> Sequence[tuple[Figure, Column]]:
    """The row's figures in columns of the time asked for.

    A figure without a period counts for the reported year only; one of several must be named by its column.
    """
    placed = _columns(row, table)
    if any(column.period for _, column in placed):
        return [(f, c) for f, c in placed if c.period is not None and sought.is_of(c.period)]
    if not sought.is_reported:
        return []
    return placed if len(placed) == 1 else [(f, c) for f, c in placed if stems(c.header) & words]


def _columns(row: PrintedRow, table: Table) -> list[tuple[Figure, Column]]:
    known = dict(enumerate(table.columns))
    return [(f, known.get(f.column, Column())) for f in row.figures if f.value is not None]


@cache
def _label_stems() -> frozenset[str]:
    """Words of labels, for which the name of a section is no substitute."""
    return frozenset(stem for word in label_words() for stem in stems(word))


def is_of_another_sort(heading: str, phrase: str) -> bool:
    """Whether a heading is one of adjusted, changed, average or relative figures, for which the phrase does not ask."""
    return any(form.search(heading) and not form.search(phrase) for form in _OF_ANOTHER_SORT)


def rows_named(phrase: str, year: int, pages: Sequence[Page]) -> list[Candidate]:
    """The figures of a full year, or of its end, in rows that bear the very name that a phrase is.

    Where the phrase is a total, a row that says so comes first.
    """
    sought = Sought(phrase, year)
    found = [
        Candidate(page, table, row, *dated[0])
        for page in pages
        for table in page.tables
        if not is_of_another_sort(table.title, phrase)
        for percent in [{f.column for row in table_rows(table, 0) for f in row.figures if "%" in f.printed}]
        for row in table_rows(table, page.page_number)
        if _is_named(row, phrase)
        for dated in [
            [
                (f, c)
                for f, c in _columns(row, table)
                if c.period is not None
                and sought.is_of(c.period)
                and f.column not in percent
                and not is_of_another_sort(c.header, phrase)
            ]
        ]
        if len(dated) == 1
    ]
    whole = [each for each in found if "total" in stems(each.row.label)] if "total" in stems(phrase) else []
    return whole or found


def _is_named(row: PrintedRow, phrase: str) -> bool:
    """Whether a phrase is the name of a row, with or without its heading; a row of changes has only its own name."""
    if (
        not row.figures
        or is_of_another_sort(row.label, phrase)
        or (_CHANGED.search(row.heading) and not _CHANGED.search(phrase))
    ):
        return False
    bare, asked = _BESIDE_A_LABEL.sub(" ", plain(row.label)), label_in(phrase)
    return any(_is_same(said, asked) for said in (row.label, bare, f"{row.heading} {bare}"))


_TELLING = significant("current prior previous first last new old")


def _is_same(label: str, asked: str) -> bool:
    """Whether two names are the same, as "current liabilities" is another one than "liabilities"."""
    return same_label(label, asked) and not (significant(folded(label)) ^ significant(asked)) & _TELLING
