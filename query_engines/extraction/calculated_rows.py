"""Calculates with printed rows what a question asks to be calculated, where the fact table knows no such figure."""

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from indexes.facts.printed_rows import table_rows
from query_engines.calculation.derivation import Derivation, Operand, in_sizes, result_of
from query_engines.calculation.row_questions import Base, Course, RowCalculation
from query_engines.extraction.rows import Candidate, rows_named
from query_engines.question.classifier import SAYS_NOTHING, label_words
from query_engines.question.fact_lookup import QUALIFIERS, bare_name
from query_engines.question.parsed import FactMatch, QuestionBundle
from storage.records.derived_metrics import DerivedMetric, Judgement
from storage.records.facts import Fact
from storage.records.metrics import folded, significant
from storage.records.pages import Page, Table
from storage.records.reports import Report
from storage.text import plain

_HARDLY = Decimal("0.0001")
_MOST_YEARS, _WHOLE, _STATEMENT_PAGES = 6, 100, 6
_BASES: dict[Base, tuple[str, str]] = {  # the formula, and its name
    "one": ("row_1", "{0}"),
    "share": ("row_1 / row_2", "{0} in percent of {1}"),
    "ratio": ("row_1 / row_2", "{0} to {1}"),
    "difference": ("row_1 - row_2", "{0} less {1}"),
    "outgrowth": (
        "100 * row_1 / opening(row_1) - 100 * row_2 / opening(row_2)",
        "Growth of {0} less growth of {1}",
    ),
}
_COURSES: dict[Course, tuple[str, str]] = {
    "value": ("{0}", "{0}"),
    "change": ("({0}) - opening({0})", "Change of {0}"),
    "growth": ("(({0}) - opening({0})) / opening({0})", "Growth of {0}"),
    "points": ("100 * ({0}) - 100 * opening({0})", "Change of {0} in points"),
    "times": ("({0}) / opening({0})", "{0} as a multiple of the figure before"),
    "average": ("", "Average of {0}"),
}


def with_calculated_rows(query: QuestionBundle, report: Report, pages: Sequence[Page]) -> QuestionBundle:
    """The question with what is calculated from the rows that it names; the same where it asks for no such thing."""
    parsed, facts = query.parsed, query.facts
    is_half = _is_half(query)
    if parsed.company is None or not (facts.calculated is None or is_half):
        return query
    asked = parsed.rows(_PrintedNames(pages, facts.named))
    derivation = _derived(asked, facts, report, pages) if asked and _may_be_rows(query, asked) else None
    if asked is None or derivation is None:
        return replace(query, facts=_without_figure(facts)) if is_half and parsed.kind == "number" else query
    judgement = _judgement(asked, derivation) if asked.answer_kind == "boolean" else None
    found = FactMatch(is_stored=facts.is_stored, is_read=True, year=facts.year, derivation=derivation)
    return replace(
        query,
        parsed=replace(parsed, kind=asked.answer_kind, is_kind_known=True),
        facts=replace(found, may_calculate=True, judgement=judgement),
    )


def _may_be_rows(query: QuestionBundle, asked: RowCalculation) -> bool:
    """Whether a question that names rows wants a figure of whole years that were, and not sentences."""
    parsed = query.parsed
    if parsed.kind not in ("number", "boolean", "text") or parsed.question.kind not in (None, asked.answer_kind):
        return False
    is_of_sentences = parsed.query.operation == "why" or (asked.is_change_alone and parsed.kind != "number")
    is_of_other_time = parsed.query.is_ahead or any(period.is_part_of_year for period in parsed.periods)
    is_other = asked.course != "value" and parsed.part is not None
    return not (is_of_sentences or is_of_other_time or is_other)


def _is_half(query: QuestionBundle) -> bool:
    """Whether a question sets two figures in relation, and the known one says only a part of it."""
    parsed, facts = query.parsed, query.facts
    operands = [o.fact for o in facts.derivation.operands] if facts.derivation else []
    known = [fact for fact in (facts.fact, *operands) if fact is not None]
    is_percent = (
        facts.derivation.metric.unit == "percent"
        if facts.derivation
        else "%" in "".join(fact.printed for fact in known)
    )
    if parsed.company is None or len({fact.metric for fact in known}) != 1 or is_percent:
        return False
    metric = facts.metric or parsed.intent.metric
    names = (*(fact.row_label for fact in known), *((metric.title, *metric.question_names) if metric else ()))
    said = frozenset[str]().union(*(significant(folded(name)) for name in names))
    return parsed.is_of_more_than(said | SAYS_NOTHING)


def _without_figure(facts: FactMatch) -> FactMatch:
    """The facts without the figure: one alone is no sum, difference or share of two."""
    return replace(facts, metric=None, fact=None, periods=(), derivation=None)


class _PrintedNames:
    """What the tables of some pages print as names, and the names of figures of the fact table."""

    def __init__(self, pages: Sequence[Page], figures: Container[str]) -> None:
        self._figures = figures
        rows = [row for page in pages for table in page.tables for row in table_rows(table, page.page_number)]
        headers = {column.header for page in pages for table in page.tables for column in table.columns}
        labels = {name for row in rows if row.figures for name in (row.label, f"{row.heading} {row.label}")}
        self._rows = {bare_name(label) for label in labels}
        self._all = {significant(folded(plain(o))) for o in {*labels, *headers, *(row.heading for row in rows)}}
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
    series = [_series(name, years, known, report, pages) for name in asked.names] if years else []
    found = _chosen(series, asked)
    if found is None or not _belong_together(found, asked):
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
    result = result_of(_metric(asked, found, operands), operands, years[0])
    value = result.value if result is not None else None
    if value is None or asked.course != "value":
        return result
    is_no_part = asked.base == "share" and asked.limit is None and value > _WHOLE
    return (
        None if is_no_part or (asked.base == "difference" and value < 0) else result
    )  # the other is the larger one


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
    name: str, years: Sequence[int], known: FactMatch, report: Report, pages: Sequence[Page]
) -> list[_Series]:
    """The figures that a name may stand for: those of the fact table, and those of each row of that name."""
    given = {page.page_number for page in pages}
    of_year = {
        f.period.year: f for f in reversed(known.named.get(name, ())) if f.period and f.page_number in given
    }
    rows = [series for row in _rows(name, years, pages) if (series := _of_row(row, report, pages)) is not None]
    if any(year not in of_year for year in years):
        return rows
    facts = tuple(of_year[year] for year in years)
    own = _Series(facts, None, in_statement=True, is_count=facts[0].currency is None)
    same = [series for series in rows if [abs(v) for v in series.values] == [abs(v) for v in own.values]]
    return same or [own, *rows]


def _rows(name: str, years: Sequence[int], pages: Sequence[Page]) -> list[list[Candidate]]:
    """The rows of this name that have a figure for each of the years."""
    of_years = [rows_named(name, year, pages) for year in years]
    rows = [
        [c for of in of_years for c in of if c.table is first.table and c.row == first.row]
        for first in of_years[0]
    ]
    return [row for row in rows if len(row) == len(years)]


def _of_row(row: Sequence[Candidate], report: Report, pages: Sequence[Page]) -> _Series | None:
    facts = [fact for cell in row if (fact := cell.fact(pages, report)) is not None]
    if len(facts) < len(row):
        return None
    first = row[0]
    return _Series(tuple(in_sizes(first.row.words, facts)), first.table, first.in_statement, first.is_count)


def _chosen(found: Sequence[Sequence[_Series]], asked: RowCalculation) -> list[_Series] | None:
    """One series for each name; None where a name has none, or several, and no table that has all of them decides."""
    if not found or not all(found):
        return None
    tables = [series.table for series in found[0] if series.table is not None]
    together = [[[s for s in of if s.table is table] for of in found] for table in tables]
    in_statements = [[s for s in of if s.in_statement] for of in found]
    of_facts = [[s for s in of if s.table is None] for of in found]
    of_share = [of for of in together if all(of)] if asked.base == "share" else []
    whole = [[s for of in of_share for s in of[at]] for at in range(len(found))] if of_share else []
    ways = (whole, found, in_statements, of_facts)
    return next(([of[0] for of in way] for way in ways if way and all(map(_is_one, way))), None)


def _is_one(found: Sequence[_Series]) -> bool:
    return len({series.values for series in found}) == 1


def _belong_together(found: Sequence[_Series], asked: RowCalculation) -> bool:
    """Whether the figures are above zero and, but for a ratio, of the same spans and of one kind.

    The parts of a whole are parts of it, though a place's row may be of revenue, of assets or of taxes: they stand in
    one table with it, or that prints the whole's figure too, or all are lines of statements.
    """
    if any(fact.value <= 0 or fact.period is None for series in found for fact in series.facts):
        return False
    if asked.base in ("ratio", "outgrowth"):
        return True
    spans = [[(f.period.end, f.period.months) for f in series.facts if f.period] for series in found]
    kinds = {(series.is_count, series.facts[0].currency) for series in found}
    *parts, whole = found
    is_apart = asked.base == "share" and not all(_is_part(part, whole) for part in parts)
    return len(kinds) == 1 and all(span == spans[0] for span in spans) and not is_apart


def _is_part(part: _Series, whole: _Series) -> bool:
    pages = abs(part.facts[0].page_number - whole.facts[0].page_number)
    if part.table is whole.table or (part.in_statement and whole.in_statement and pages <= _STATEMENT_PAGES):
        return True
    rows = table_rows(part.table, 0) if part.table is not None else ()
    printed = {f.value * part.facts[0].scale for row in rows for f in row.figures if f.value is not None}
    return whole.facts[0].value in printed


def _metric(asked: RowCalculation, found: Sequence[_Series], operands: Sequence[Operand]) -> DerivedMetric:
    titles = [series.facts[0].row_label for series in found]
    of_sum = (" + ".join(f"row_{place}" for place in range(1, len(titles) + 1)), " and ".join(titles))
    base, title = _BASES.get(asked.base, of_sum)
    if asked.base == "difference" and asked.is_size:
        base = f"abs({base})"
    formula, of_course = _COURSES[asked.course]
    if asked.course == "average":
        formula = f"({' + '.join(operand.metric for operand in operands)}) / {len(operands)}"
    is_count = asked.unit == "amount" and all(series.is_count for series in found)
    return DerivedMetric.model_validate(
        {
            "id": f"{asked.course}_of_{asked.base}_of_rows",
            "title": of_course.format(title.format(*titles)),
            "unit": "count" if is_count else asked.unit,
            "formulas": [formula.format(base)],
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
