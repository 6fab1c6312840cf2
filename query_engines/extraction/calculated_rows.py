"""Calculates with printed rows what a question asks to be calculated, where the fact table knows no such figure."""

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from indexes.facts.printed_rows import table_rows
from indexes.facts.statements import TITLES
from query_engines.calculation.derivation import Derivation, Operand, in_sizes
from query_engines.calculation.row_questions import Base, Course, RowCalculation, left_open, read_rows, relates_two
from query_engines.extraction.from_rows import AVERAGE, NOT_REPORTED, PERCENT, FoundCell, counts, scale_of
from query_engines.question.classifier import SAYS_NOTHING, label_words
from query_engines.question.fact_lookup import QUALIFIERS, bare_name, same_label
from query_engines.question.parsed import FactMatch, QuestionBundle
from query_engines.question.search_text import label_in, nameless
from storage.lexicon.question_words import is_yet_to_come
from storage.lexicon.reasons import asks_why
from storage.lexicon.words import expression
from storage.records.derived_metrics import DerivedMetric, Formula, Judgement
from storage.records.facts import Fact
from storage.records.metrics import folded, significant
from storage.records.pages import Column, Page, Table
from storage.records.reports import MONTHS_OF_YEAR, Report
from storage.text import plain

_NOTE = expression(r" ?\((?:\*|[a-z\d]{1,3})\)| \d{1,2}$", re.IGNORECASE)
_LABEL_ASIDE = expression(r"\([^()]{0,200}\)")
_REVENUE = expression(r"^(?!.*\b(?:costs?|expenses?)\b).*\b(?:revenues?|sales|turnover)\b", re.IGNORECASE)
_TOTAL = expression(r"\btotals?\b", re.IGNORECASE)
_CHANGES = expression(r"\bchanges?\b|\b(?:in|de)creases?\b|\bmovements?\b", re.IGNORECASE)
_ROW = "printed_row"
_TELLING = significant("current prior previous first last new old")
_HARDLY = Decimal("0.0001")
_MOST_YEARS = 6
_WHOLE = 100
_STATEMENT_PAGES = 6
_BASES: dict[Base, str] = {
    "one": "row_1",
    "share": "row_1 / row_2",
    "ratio": "row_1 / row_2",
    "difference": "row_1 - row_2",
    "outgrowth": "100 * row_1 / opening(row_1) - 100 * row_2 / opening(row_2)",
}
_COURSES: dict[Course, str] = {
    "value": "{0}",
    "change": "({0}) - opening({0})",
    "growth": "(({0}) - opening({0})) / opening({0})",
    "points": "100 * ({0}) - 100 * opening({0})",
    "times": "({0}) / opening({0})",
}
_OF_COURSE: dict[Course, str] = {
    "value": "{0}",
    "change": "Change of {0}",
    "growth": "Growth of {0}",
    "points": "Change of {0} in points",
    "times": "{0} as a multiple of the figure before",
    "average": "Average of {0}",
}
_TITLES: dict[Base, str] = {
    "one": "{0}",
    "share": "{0} in percent of {1}",
    "ratio": "{0} to {1}",
    "difference": "{0} less {1}",
    "outgrowth": "Growth of {0} less growth of {1}",
}


_SHARE_OF = expression(
    r"(?i)(?:\b(?:percent(?:age)?|per cent|share|portion|fraction|proportion)|%) of [^?.]{1,60}?"
    r"\b(?:was|were|is|are) (?:the |its )?(?:increase|decrease|change|rise|growth)\b"
)  # what the change is of something else: no growth


def with_calculated_rows(query: QuestionBundle, report: Report, pages: Sequence[Page]) -> QuestionBundle:
    """The question with what is calculated from the rows that it names; the same where it asks for no such thing."""
    found = _calculated(query, report, pages)
    is_half = found is query and query.parsed.kind == "number" and _is_half(query)
    return replace(query, facts=_without_figure(query.facts)) if is_half else found


def _calculated(query: QuestionBundle, report: Report, pages: Sequence[Page]) -> QuestionBundle:
    parsed, facts = query.parsed, query.facts
    company = parsed.company
    if company is None or parsed.kind not in ("number", "boolean", "text"):
        return query
    if facts.calculated is not None and not _is_half(query):
        return query
    asked = read_rows(nameless(parsed.text, company), _PrintedNames(pages, facts.named))
    if asked is None or parsed.question.kind not in (None, asked.answer_kind):
        return query
    is_of_sentences = asks_why(parsed.wording) or (asked.is_change_alone and parsed.kind != "number")
    is_of_other_time = is_yet_to_come(parsed.text) or any(period.is_part_of_year for period in parsed.periods)
    is_other = asked.course != "value" and (parsed.part is not None or _SHARE_OF.search(parsed.text) is not None)
    if is_of_sentences or is_of_other_time or is_other:
        return query
    derivation = _derived(asked, facts, report, pages)
    if derivation is None:
        return query
    judgement = _judgement(asked, derivation) if asked.answer_kind == "boolean" else None
    return replace(
        query,
        parsed=replace(parsed, kind=asked.answer_kind, is_kind_known=True),
        facts=FactMatch(
            is_stored=facts.is_stored,
            is_read=True,
            year=facts.year,
            derivation=derivation,
            may_calculate=True,
            judgement=judgement,
        ),
    )


def _is_half(query: QuestionBundle) -> bool:
    """Whether a question sets two figures in relation, and the known one says only a part of it."""
    parsed, facts = query.parsed, query.facts
    operands = [o.fact for o in facts.derivation.operands] if facts.derivation else []
    known = [fact for fact in (facts.fact, *operands) if fact is not None]
    is_of_one = len({fact.metric for fact in known}) == 1 and not _is_percent(facts)
    if parsed.company is None or not is_of_one or not relates_two(nameless(parsed.text, parsed.company)):
        return False
    metric = facts.metric or parsed.intent.metric
    names = (*(fact.row_label for fact in known), *((metric.title, *metric.question_names) if metric else ()))
    said = frozenset[str]().union(*(significant(folded(name)) for name in names))
    return bool(left_open(parsed.intent.text, said | SAYS_NOTHING))


def _is_percent(facts: FactMatch) -> bool:
    is_printed = facts.fact is not None and "%" in facts.fact.printed
    return facts.derivation.metric.unit == "percent" if facts.derivation else is_printed


def _without_figure(facts: FactMatch) -> FactMatch:
    """The facts without the figure: one alone is no sum, difference or share of two."""
    return replace(facts, metric=None, fact=None, periods=(), derivation=None)


class _PrintedNames:
    """What the tables of some pages print as names, and the names of figures of the fact table."""

    def __init__(self, pages: Sequence[Page], figures: Container[str]) -> None:
        self._figures = figures
        rows = [row for page in pages for table in page.tables for row in table_rows(table, page.page_number)]
        headers = {column.header for page in pages for table in page.tables for column in table.columns}
        named = [row for row in rows if row.figures]
        labels = {name for row in named for name in (row.label, f"{row.heading} {row.label}")}
        self._rows = {bare_name(label) for label in labels}
        others = {*labels, *headers, *(row.heading for row in rows)}
        self._all = {significant(folded(plain(other))) for other in others}
        self._words = frozenset[str]().union(*self._all)

    def has(self, phrase: str) -> bool:
        """Whether a row with figures, or a figure of the fact table, bears this name."""
        one, between, other = phrase.lower().partition(" to ")
        if between and one in self._figures and (other == "total" or other in self._figures):
            return False  # "inventories to total assets" are two, though inventories stand below "Assets"
        return phrase.lower() in self._figures or bare_name(phrase) in self._rows

    def narrow(self, word: str, names: Sequence[str]) -> bool:
        """Whether a word is a name itself, or is printed together with words of one of the names."""
        said, known = significant(word), frozenset[str]().union(*map(significant, names))
        if not said or said <= known:
            return False
        beside = (name for name in self._all if said <= name)
        return not said.isdisjoint(QUALIFIERS) or any(name == said or name & known for name in beside)

    def is_known(self, word: str) -> bool:
        """Whether the word stands in any label or header."""
        return not significant(word).isdisjoint(self._words | label_words())


@dataclass(frozen=True)
class _Series:
    """The figures of a name, one for each year that is needed, the newest first.

    Attributes:
        table: in which they stand; None for figures of the fact table.
    """

    facts: tuple[Fact, ...]
    table: Table | None
    in_statement: bool
    is_count: bool

    @property
    def values(self) -> tuple[Decimal, ...]:
        """The figures."""
        return tuple(fact.value for fact in self.facts)


def _derived(asked: RowCalculation, known: FactMatch, report: Report, pages: Sequence[Page]) -> Derivation | None:
    """The result; None where a name stands for no row or for several figures, or the figures do not belong together."""
    years = _years(asked, known, report)
    series = [_series(name, asked, years, known, report, pages) for name in asked.names] if years else []
    found = _chosen(series, asked)
    if found is None or not _are_alike(found, asked) or not _belong_together(found, asked):
        return None
    is_average = asked.course == "average"
    operands = tuple(
        Operand(
            metric=f"in_{year}" if is_average else f"row_{place}",
            title=series.facts[0].row_label,
            moment="closing" if at == 0 or is_average else "opening",
            fact=fact,
        )
        for place, series in enumerate(found, 1)
        for at, (year, fact) in enumerate(zip(years, series.facts, strict=True))
    )
    metric = _metric(asked, found, operands)
    values = {(operand.metric, operand.moment): operand.fact.value for operand in operands}
    formula = metric.formulas[0]
    value = metric.scaled(Formula(formula).value(lambda name, moment: values[name, moment]))
    is_part = asked.base.startswith("share") and asked.course == "value" and asked.limit is None
    if (is_part and value > _WHOLE) or (asked.base == "difference" and asked.course == "value" and value < 0):
        return None  # the question takes another for the larger one
    return Derivation(metric=metric, year=years[0], formula=formula, operands=operands, value=value)


def _years(asked: RowCalculation, known: FactMatch, report: Report) -> list[int]:
    """The years whose figures are needed, the newest first; none where the question names others than it can mean."""
    reported = known.year or (report.year if report.period_end else None)
    named = sorted(asked.years, reverse=True)
    last = named[0] if len(named) > 1 else reported
    if last is None:
        return []
    if asked.course == "average":
        is_span = len(named) > 1 and last - named[-1] < _MOST_YEARS
        return list(range(last, named[-1] - 1, -1)) if is_span else []
    if asked.course == "value" and asked.base != "outgrowth":
        return [last] if len(named) < 2 else []
    return [last, named[1] if len(named) == 2 else last - 1] if len(named) <= 2 else []


def _series(
    name: str, asked: RowCalculation, years: Sequence[int], known: FactMatch, report: Report, pages: Sequence[Page]
) -> list[_Series]:
    """The figures that a name may stand for: those of the fact table, and those of each row of that name."""
    given = {page.page_number for page in pages}
    of_year = {
        f.period.year: f for f in reversed(known.named.get(name, ())) if f.period and f.page_number in given
    }
    of_rows = _rows_of(name, years, pages)
    if asked.base == "outgrowth":
        of_rows = [cells for cells in of_rows if _REVENUE.search(cells[0].row.heading)] or of_rows
    found = [_of_row(cells, report, pages) for cells in of_rows]
    rows = [series for series in found if series is not None]
    if any(year not in of_year for year in years):
        return rows
    facts = tuple(of_year[year] for year in years)
    own = _Series(facts, None, in_statement=True, is_count=facts[0].currency is None)
    same = [series for series in rows if [abs(v) for v in series.values] == [abs(v) for v in own.values]]
    return same or [own, *rows]


def _rows_of(name: str, years: Sequence[int], pages: Sequence[Page]) -> list[list[FoundCell]]:
    """The rows of this name that have a figure for each of the years."""
    of_years = [cells_named(name, year, pages) for year in years]
    rows = []
    for cell in of_years[0]:
        same = [next((c for c in of if c.table is cell.table and c.row == cell.row), None) for of in of_years]
        rows.append([found for found in same if found is not None])
    return [row for row in rows if len(row) == len(years)]


def _of_row(cells: Sequence[FoundCell], report: Report, pages: Sequence[Page]) -> _Series | None:
    scales = [scale for cell in cells if (scale := scale_of(cell, pages, None)) is not None]
    if len(scales) < len(cells):
        return None
    facts = [_fact_of(cell, scale, report) for cell, scale in zip(cells, scales, strict=True)]
    first = cells[0]
    return _Series(tuple(in_sizes(first.row.words, facts)), first.table, first.in_statement, counts(first))


def _fact_of(cell: FoundCell, scale: int, report: Report) -> Fact:
    """The figure of a cell as a fact."""
    return Fact(
        metric=_ROW,
        value=cell.value * scale,
        printed=cell.figure.printed,
        scale=Decimal(scale),
        currency=cell.column.currency or report.currency,
        period=cell.column.period,
        statement="notes",
        report_sha1=report.sha1,
        page_number=cell.page.page_number,
        boxes=(cell.figure.box,) if cell.figure.box else (),
        row_label=cell.row.label,
    )


def _chosen(found: Sequence[Sequence[_Series]], asked: RowCalculation) -> list[_Series] | None:
    """One series for each name; None where a name has none, or several, and no table that has all of them decides."""
    if not found or not all(found):
        return None
    together = [[[s for s in series if s.table is table] for series in found] for table in _tables(found)]
    whole = [of for of in together if all(of)] if asked.base.startswith("share") else []
    if whole and all(_is_one([s for of in whole for s in of[at]]) for at in range(len(found))):
        return [series[0] for series in whole[0]]
    if all(_is_one(of) for of in found):
        return [of[0] for of in found]
    in_statements = [[s for s in of if s.in_statement] for of in found]
    of_facts = [[s for s in of if s.table is None] for of in found]
    return next(([of[0] for of in each] for each in (in_statements, of_facts) if all(map(_is_one, each))), None)


def _tables(found: Sequence[Sequence[_Series]]) -> list[Table]:
    return [series.table for series in found[0] if series.table is not None]


def cells_named(phrase: str, year: int, pages: Sequence[Page]) -> list[FoundCell]:
    """The figures of a full year, or of its end, in rows that bear the very name that a phrase is.

    Where the phrase is a total, a row that says so comes first.
    """
    found = [
        cell
        for page in pages
        for table in page.tables
        if not _is_of_other_figures(plain(table.title), phrase)
        for cell in _cells_in(table, page, phrase, year)
    ]
    whole = [cell for cell in found if _TOTAL.search(cell.row.label)] if _TOTAL.search(phrase) else []
    return whole or found


def _cells_in(table: Table, page: Page, phrase: str, year: int) -> Iterator[FoundCell]:
    rows = table_rows(table, page.page_number)
    percent = {f.column for row in rows for f in row.figures if "%" in f.printed}
    in_statement = any(pattern.search(plain(table.title)) for pattern in TITLES.values())
    for row in rows:
        if not row.figures or not is_named(row.label, row.heading, phrase):
            continue
        columns = [(f, table.columns[f.column]) for f in row.figures if 0 <= f.column < len(table.columns)]
        dated = [
            (f, c)
            for f, c in columns
            if f.column not in percent and _is_of(c, year) and not _is_of_other_figures(c.header, phrase)
        ]
        if len(dated) == 1 and dated[0][0].value is not None:
            yield FoundCell(page, table, row, dated[0][0], dated[0][1], 1.0, 1.0, in_statement)


def _is_of_other_figures(heading: str, phrase: str) -> bool:
    """Whether a heading is one of adjusted, average or relative figures, for which the phrase does not ask."""
    return any(form.search(heading) and not form.search(phrase) for form in (NOT_REPORTED, AVERAGE, PERCENT))


def _is_of(column: Column, year: int) -> bool:
    period = column.period
    return period is not None and period.year == year and period.months in (None, MONTHS_OF_YEAR)


def is_named(label: str, heading: str, phrase: str) -> bool:
    """Whether a phrase is the name of a row, with or without its heading; a row of changes has only its own name."""
    bare = _LABEL_ASIDE.sub(" ", _NOTE.sub("", plain(label)))
    if PERCENT.search(label) or (_CHANGES.search(f"{heading} {label}") and not _CHANGES.search(phrase)):
        return False
    asked = label_in(phrase)
    return any(_is_same(said, asked) for said in (label, bare, f"{heading} {bare}"))


def _is_same(label: str, asked: str) -> bool:
    """Whether two names are the same, as "current liabilities" is another one than "liabilities"."""
    differing = significant(folded(label)) ^ significant(asked)
    return same_label(label, asked) and not differing & _TELLING


def _is_one(found: Sequence[_Series]) -> bool:
    return len({series.values for series in found}) == 1


def _are_alike(found: Sequence[_Series], asked: RowCalculation) -> bool:
    """Whether the figures are above zero and, but for a ratio, of the same spans and of one kind."""
    if any(fact.value <= 0 or fact.period is None for series in found for fact in series.facts):
        return False
    if asked.base in ("ratio", "outgrowth"):
        return True
    spans = [[(f.period.end, f.period.months) for f in series.facts if f.period] for series in found]
    is_same_kind = len({(series.is_count, series.facts[0].currency) for series in found}) == 1
    return is_same_kind and all(span == spans[0] for span in spans)


def _belong_together(found: Sequence[_Series], asked: RowCalculation) -> bool:
    """Whether the parts of a whole are parts of it: a place's row may be of revenue, of assets or of taxes.

    They stand in one table with it, or that prints the whole's figure too, or all are lines of statements.
    """
    *parts, whole = found
    if asked.is_named_by_whole and not all(_is_above(part, whole) for part in parts):
        return False
    return not asked.base.startswith("share") or all(
        part.table is whole.table
        or (part.in_statement and whole.in_statement and _are_near(part, whole))
        or (part.table is not None and _prints(part.table, whole.facts[0].value, part.facts[0].scale))
        for part in parts
    )


def _is_above(part: _Series, whole: _Series) -> bool:
    """Whether a row stands above another one of its table: below total revenue, "advertising" is a cost."""
    if part.table is None or part.table is not whole.table:
        return False
    labels = [row.label for row in table_rows(part.table, 0)]
    return labels.index(part.facts[0].row_label) < labels.index(whole.facts[0].row_label)


def _are_near(one: _Series, other: _Series) -> bool:
    """Whether two figures are as near as those of a report's statements, which stand together."""
    return abs(one.facts[0].page_number - other.facts[0].page_number) <= _STATEMENT_PAGES


def _prints(table: Table, value: Decimal, scale: Decimal) -> bool:
    figures = (figure.value for row in table_rows(table, 0) for figure in row.figures if figure.value is not None)
    return any(figure * scale == value for figure in figures)


def _metric(asked: RowCalculation, found: Sequence[_Series], operands: Sequence[Operand]) -> DerivedMetric:
    titles = [series.facts[0].row_label for series in found]
    title = _TITLES.get(asked.base, "").format(*titles) or " and ".join(titles)
    base = _BASES.get(asked.base) or " + ".join(f"row_{place}" for place in range(1, len(titles) + 1))
    if asked.base == "difference" and asked.is_size:
        base = f"abs({base})"
    if asked.course == "average":
        formula = f"({' + '.join(operand.metric for operand in operands)}) / {len(operands)}"
    else:
        formula = _COURSES[asked.course].format(base)
    unit = asked.unit
    if unit == "amount" and all(series.is_count for series in found):
        unit = "count"
    return DerivedMetric.model_validate(
        {
            "id": f"{asked.course}_of_{asked.base}_of_rows",
            "title": _OF_COURSE[asked.course].format(title),
            "unit": unit,
            "formulas": [formula],
        }
    )


def _judgement(asked: RowCalculation, derivation: Derivation) -> Judgement:
    hardly = -_HARDLY if asked.is_below else _HARDLY  # what grew just as fast did not grow faster
    limit = asked.limit if asked.limit is not None else hardly
    return Judgement.model_validate(
        {
            "id": derivation.metric.id,
            "title": derivation.metric.title,
            "metric": derivation.metric.id,
            "at_most" if asked.is_below else "at_least": limit,
            "source": "the question",
        }
    )
