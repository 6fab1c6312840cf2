"""Facts from sentences, summaries and notes: metrics that the statements lack, and the number of employees."""

import datetime as dt
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal

from indexes.facts.columns import comparable_columns
from indexes.facts.printed_rows import PrintedRow
from indexes.facts.rows import Match, facts_of, figure_is_plausible
from indexes.facts.sentences import Headcount, Sentence, headcounts, other_part, says_no_employees
from indexes.facts.statements import Part
from storage.lexicon.money import SCALE_BEHIND_FIGURE, UNIT_SIGN, scale_of
from storage.lexicon.words import expression
from storage.records.facts import Confidence, Fact, Period
from storage.records.metrics import NAMED, Metric, Ontology, folded, significant
from storage.records.reports import MONTHS_OF_YEAR, Report, months_before
from storage.text import plain

_NOT_THE_WHOLE = expression(
    r"segment|non-?gaap|adjusted|pro ?forma|quarter|parent|company only|subsidiar|joint venture|associate|discontinued"
    r"|acqui(?:red|sition)|budget|forecast|target|unaudited|geograph|region|by (?:product|country|business)|peer"
    r"|half[- ]year|six months|underlying|constant currency|compensation|remuneration|pay ratio",
    re.IGNORECASE,
)
_ROUNDED = Decimal("0.005")  # allows for a summary in millions beside a statement in thousands
_SEVERAL_YEARS = 3  # of a table that goes beyond the statements
_NOTE_MARK = expression(r" \(?\d{1,2}\)?$")  # of a footnote, behind a label
LEAST_WORDS = 2  # "sales" or "income" alone may belong to a segment


def summary_facts(
    parts: Sequence[Part],
    report: Report,
    ontology: Ontology,
    known: Collection[str],
    sums: Mapping[str, Decimal],
    *,
    in_full_units: bool,
) -> Iterator[Fact]:
    """Facts of metrics that no statement has: from rows with exactly their name that do not contradict each other.

    One that stands on a single page, or as one of several under a heading, is of low confidence.

    Args:
        parts: the report's tables.
        report: the report of the tables.
        ontology: the metrics.
        known: ids of the metrics that the statements have.
        sums: values that were added up from lines of a statement; a printed total must equal them.
        in_full_units: whether the statements are in full units; if not, amounts in tables without a unit are not used.
    """
    for metric in ontology.metrics:
        if metric.id in known or metric.adds or metric.statement in ("notes", "text"):
            continue
        found = [m for m in _matches(metric, parts) if in_full_units or _has_unit(m)]
        exact = [m for m in found if m.place == min(m.place for m in found)]
        wanted = sums.get(metric.id, exact[0].value) if exact else None
        if wanted is not None and all(_agree(m.value, wanted) for m in exact):
            best = min(exact, key=lambda m: (-len(m.part.rows), m.part.page_number))
            is_repeated = len({m.part.page_number for m in exact}) > 1 and not best.row.heading
            for fact in facts_of(best, "notes", report):
                yield fact.model_copy(update={"confidence": "medium" if is_repeated else "low"})


def older_facts(
    parts: Sequence[Part], report: Report, ontology: Ontology, facts: Sequence[Fact]
) -> Iterator[Fact]:
    """Facts of years that only a table of several years prints, such as a five-year summary.

    A row is taken for a metric if it fits and agrees with every fact of the metric that is known, with one at least.
    """
    years = [part for part in parts if len(_years_of(part)) >= _SEVERAL_YEARS]
    for metric in ontology.metrics:
        known = {f.period.year: f.value for f in reversed(facts) if f.metric == metric.id and f.period}
        if not known or metric.adds:
            continue
        for match in _rows_over_years(metric, years):
            own = [f for f in facts_of(match, "notes", report) if f.period is not None]
            shared = [f for f in own if f.period and f.period.year in known]
            new = [f for f in own if f.period and f.period.year not in known]
            if new and shared and all(_agree(f.value, known[f.period.year]) for f in shared if f.period):
                yield from (fact.model_copy(update={"confidence": "medium"}) for fact in new)
                break


def with_printed_totals(
    facts: Sequence[Fact], parts: Sequence[Part], report: Report, ontology: Ontology
) -> list[Fact]:
    """The facts, with the report's own total before a line where the total is that line and another one.

    Many reports call the additions to property alone their capital expenditure, others those to intangible assets too.
    """
    kept = list(facts)
    for metric in ontology.metrics:
        line, other = _by_period(kept, metric.id), _by_period(kept, metric.joined_with)
        sums = {period.end: line[period] + other[period] for period in line.keys() & other.keys() if other[period]}
        if total := next(filter(None, (_sum_in(row, sums) for row in _totals(metric, parts, report))), None):
            kept = total + kept
    return kept


def _by_period(facts: Sequence[Fact], metric: str) -> dict[Period, Decimal]:
    return {fact.period: fact.value for fact in reversed(facts) if fact.metric == metric and fact.period}


def _totals(metric: Metric, parts: Sequence[Part], report: Report) -> Iterator[list[Fact]]:
    """The dated figures of each row that has a name by which the metric is asked for."""
    names = {significant(name) for name in metric.question_names}
    for part in parts:
        for order, row in enumerate(part.rows):
            label = _NOTE_MARK.sub("", folded(row.label)).removeprefix("total ")
            figure = row.at(part.current.index) if part.current else None
            if part.current is None or figure is None or significant(label) not in names:
                continue
            match = Match(metric, part, row, part.current, figure, NAMED, order)
            if figure_is_plausible(metric, figure) and _has_unit(match):
                yield [fact for fact in facts_of(match, "notes", report) if fact.period is not None]


def _sum_in(row: Sequence[Fact], sums: Mapping[dt.date, Decimal]) -> list[Fact]:
    """The facts of a row that is the sum, to its last digit, in each year that both have, one at least; else none."""
    shared = [(fact, sums[fact.period.end]) for fact in row if fact.period and fact.period.end in sums]
    if not shared or not all(abs(fact.value - wanted) < fact.scale for fact, wanted in shared):
        return []
    return [fact.model_copy(update={"confidence": "medium"}) for fact in row]


def _rows_over_years(metric: Metric, parts: Sequence[Part]) -> Iterator[Match]:
    """Rows that fit the metric, the closest first."""
    found = []
    for part in parts:
        column = part.current or part.columns[0]
        for order, row in enumerate(part.rows):
            place, figure = metric.place(row.label, row.heading), row.at(column.index)
            if place is not None and figure is not None and figure_is_plausible(metric, figure):
                found.append(Match(metric, part, row, column, figure, place, order))
    return iter(sorted(found, key=lambda match: match.place))


def _years_of(part: Part) -> frozenset[int]:
    """The years of its columns of whole years and of days, where each year has one column."""
    dated = [c.period for c in part.columns if c.period and c.period.months in (None, 12)]
    years = frozenset(period.year for period in dated)
    return years if len(years) == len(dated) else frozenset()


def _matches(metric: Metric, parts: Sequence[Part]) -> Iterator[Match]:
    vague = {
        significant(name) for name in metric.wordings.get("fund", ())
    }  # "total income" may be that of a fund or of the parent
    for part in parts:
        column = part.current
        whole_year = column is not None and column.period is not None and column.period.months in (None, 12)
        alone = sum(c.period == column.period for c in part.columns) == 1 if column else False
        if (
            column is None
            or not whole_year
            or not alone
            or _NOT_THE_WHOLE.search(f"{part.title} {part.above} {column.header}")
        ):
            continue
        for order, row in enumerate(part.rows):
            figure = row.at(column.index)
            if figure is None or not figure_is_plausible(metric, figure) or _NOT_THE_WHOLE.search(row.heading):
                continue
            place = metric.place(row.label, row.heading)
            words = significant(folded(row.label))
            if place is not None and place < NAMED and len(words) >= LEAST_WORDS and words not in vague:
                yield Match(metric, part, row, column, figure, place, order)


def _has_unit(match: Match) -> bool:
    return match.metric.kind != "amount" or match.scale_is_printed


def _agree(one: Decimal, other: Decimal) -> bool:
    return abs(one - other) <= _ROUNDED * max(abs(one), abs(other))


_ROW = expression(
    r"^(?:total |average |monthly |year-end )*(?:number of )?(?:total )?(?:full[-"
    r" ]time )?(?:employees|headcount|staff numbers|workforce|full[- ]time equivalents?"
    r"|ftes?)\b(?!.*(?:benefit|cost|expense|\bper\b|share|option|payable|compensation"
    r"|relat|entitle|receivable|turnover|contribution|trained|fatal))"
)
_UNDER = expression(
    r"(?:number of|average|monthly).{0,120}(?:employees|persons|staff)|^(?:full[- ]time )?(?:employees|headcount"
    r"|staff numbers|personnel)$"
)
_ABOVE = expression(
    r"(?i)\b(?:average|monthly|total) (?:monthly )?number of [^.]{0,60}(?:employees|persons|staff)"
    r"|\bnumber of (?:(?:our|the|its|their) )?(?:(?:full-time|permanent) )?(?:employees|persons employed|staff)\b"
    r"(?! (?:who\b|whose|that|hired|leaving|left|joining|trained|in receipt|granted|eligible|covered))"
)

_LABELLED = 7.5  # points of a row whose label counts people
_TOTAL_OF_PEOPLE = 7.0  # of the total of a table about them
_WHOLE = frozenset({"", "total"})


def employees_fact(
    parts: Sequence[Part], sentences: Sequence[Sentence], report: Report, metric: Metric
) -> Fact | None:
    """The number of employees at the year's end, or the average; None where there are none or it is not printed.

    A part whose whole is not printed is never certain.
    """
    if says_no_employees(sentences):
        return None
    year = report.period_end.year if report.period_end else None
    found = sorted(
        [*headcounts(sentences, year), *_in_rows(parts, metric.names_in_other_languages)],
        key=lambda c: (-c.score, c.page_number),
    )
    if not found:
        return None
    best, is_part = _whole_of(found)
    agree = sum(1 for c in found if c.number == best.number)
    rivals = {c.number for c in found if c.number != best.number and c.score >= best.score - 1}
    return Fact(
        metric=metric.id,
        value=best.number,
        printed=best.printed,
        period=Period(end=report.period_end) if report.period_end else None,
        statement="text",
        report_sha1=report.sha1,
        page_number=best.page_number,
        boxes=(best.box,) if best.box else (),
        row_label=best.quote[:300],
        confidence="low" if is_part else _confidence(best, agree, len(rivals)),
    )


def of_other_years(fact: Fact, parts: Sequence[Part]) -> Iterator[Fact]:
    """The figures in the other columns of the row that prints a figure found, such as the number of employees."""
    for part in parts:
        for row in part.rows:
            figure = row.at(part.current.index) if part.current and part.current.period else None
            if figure is None or figure.printed != fact.printed or plain(row.words)[:300] != fact.row_label:
                continue
            for column in comparable_columns(part.columns, part.current)[1:] if part.current else ():
                other = row.at(column.index)
                if other is not None and other.value is not None and other.value > 0:
                    boxes = (other.box,) if other.box else ()
                    update = {
                        "value": other.value * fact.scale,
                        "printed": other.printed,
                        "period": column.period,
                        "boxes": boxes,
                    }
                    yield fact.model_copy(update=update)
            return


def _whole_of(found: Sequence[Headcount]) -> tuple[Headcount, bool]:
    """The best count, or that of the whole where the best is a part of it; and whether it is a part of no known whole.

    Args:
        found: the best first.
    """
    best = found[0]
    other = other_part(best)
    if other is None:
        return best, False
    whole = next((count for count in found if count.number == best.number + other), None)
    return whole or best, whole is None


def _confidence(best: Headcount, agree: int, rivals: int) -> Confidence:
    if best.score >= 11 and not rivals:
        return "high"
    return "medium" if best.score >= 8 and (agree > 1 or not rivals) else "low"


def _in_rows(parts: Sequence[Part], elsewhere: Sequence[str]) -> Iterator[Headcount]:
    """Rows that count people; `elsewhere` holds the labels in other languages."""
    labels = {folded(name) for name in elsewhere}
    names = [words for label in labels if len(words := significant(label)) > 1]
    for part in parts:
        if part.current is None:
            continue
        is_money = part.currency is not None or (part.scale or 1) != 1
        about = "" if is_money else f"{part.title} {part.above}"
        is_of_people = _ABOVE.search(about) or any(name <= significant(folded(about)) for name in names)
        above = Decimal(0)
        for n, row in enumerate(part.rows):
            figure = row.at(part.current.index)
            is_sum = n > 1 and figure is not None and figure.value == above
            above += figure.value or 0 if figure is not None else 0
            if (
                figure is None
                or figure.value is None
                or figure.value <= 0
                or figure.value % 1
                or "%" in figure.printed
            ):
                continue
            score = _LABELLED if folded(row.label) in labels else _row_score(row)
            if not score and is_of_people and (is_sum or folded(row.label) in _WHOLE):
                score = _TOTAL_OF_PEOPLE
            if score and part.current.period is not None:
                yield Headcount(figure.value, figure.printed, plain(row.words), row.page_number, score, figure.box)


def _row_score(row: PrintedRow) -> float:
    label, heading = folded(row.label), folded(row.heading)
    if re.search(r"['’]000|million|[$€£]|cost", f"{label} {heading}"):
        return 0.0
    if _ROW.search(label):
        return _LABELLED
    return _TOTAL_OF_PEOPLE if label in _WHOLE and _UNDER.search(heading) else 0.0


def _money(name: str) -> str:
    return (
        rf"(?:{UNIT_SIGN})\s?\(?(?P<{name}>\d{{1,3}}(?:[,'’]\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?)\)?"
        rf"(?:\s?(?P<{name}_scale>{SCALE_BEHIND_FIGURE})\b)?"
    )


_NOW, _THEN = _money("now"), _money("then")
_UP_TO = r"(?:(?:strongly|sharply|slightly|again|further|modestly) )?(?:by [\d.]+ ?(?:%|per ?cent),? ?)?"
_MOVED = (
    r"(?:went|rose|fell|grew|moved|narrowed|widened|increased|decreased|declined|dropped|climbed|improved|was|were)"
    r" (?:up |down )?"
)
_CAME = r"(?:was|were|is|of|came to|amounted to|amounts to|reached|totall?ed|stood at|comes to)"
_BEFORE = (
    r"(?:,? ?\((?:(?:19|20)\d\d|prior year|last year)[:,]? "
    r"|,? (?:compared (?:with|to)|against|having been|from|up from|down from) (?:a (?:loss|profit) of )?)"
)
_SAID = tuple(
    expression(pattern, re.IGNORECASE)
    for pattern in (
        rf"^(?P<gap>[^.;:()]{{0,60}}?)\b{_MOVED}{_UP_TO}from {_THEN} to {_NOW}",
        rf"^(?P<gap>[^.;:()]{{0,60}}?)\b{_MOVED}{_UP_TO}to {_NOW}(?:{_BEFORE}{_THEN})?",
        rf"^(?P<gap>[^.;:()]{{0,60}}?)\b{_CAME} {_NOW}(?:{_BEFORE}{_THEN})?",
    )
)
_NOUNS: dict[str, str] = {
    "total_revenue": r"(?:(?:total|group|net|our) ){0,2}(?:revenues?|turnover|sales)",
    "net_income": r"(?:net )?(?:loss|profit)(?: (?:for|in) the (?:financial )?year| after tax(?:ation)?)",
    "operating_income": r"operating (?:loss|profit)",
    "pretax_income": r"(?:loss|profit) before tax(?:ation)?",
    "capital_expenditures": r"capital expenditures?",
    "audit_fees": (
        r"(?:statutory |annual )?audit fees?"
        r"(?![^.;:()$£€]{0,60}\b(?:and|or|former|predecessor|pension|committee|related)\b)"
    ),
}
_SAID_ABOUT = {metric: expression(rf"\b{noun}\b", re.IGNORECASE) for metric, noun in _NOUNS.items()}
_HEADS = "the our its total group annual company's group's year firm and a in but while that of tight"
_HEAD = frozenset(_HEADS.split())
_OF_A_PART = expression(
    r"\b(?:from|of|in|at|by|excluding|per|which|including)\b(?! (?:the (?:financial )?year|£|\$|€))", re.IGNORECASE
)


def said_facts(sentences: Sequence[Sentence], report: Report, known: frozenset[str]) -> Iterator[Fact]:
    """Figures that only sentences state, as in the reports of small companies that print no statements.

    A figure of a metric is taken where all sentences about it state the same, and nothing stands at its name that may
    make it one of a part.

    Args:
        sentences: of the report.
        report: gives currency and period.
        known: metrics of which rows of tables gave a figure.
    """
    for metric, pattern in _SAID_ABOUT.items():
        if metric in known or report.period_end is None:
            continue
        found = [said for sentence in sentences for said in _said(metric, pattern, sentence, report)]
        by_period: dict[Period, list[Fact]] = {}
        for fact in found:
            by_period.setdefault(fact.period or Period(end=report.period_end), []).append(fact)
        for facts in by_period.values():
            if len({fact.value for fact in facts}) == 1:
                yield facts[0]


def _said(metric: str, pattern: re.Pattern[str], sentence: Sentence, report: Report) -> Iterator[Fact]:
    for noun in pattern.finditer(sentence.text):
        before = sentence.text[: noun.start()].split()[-1:]
        if before and before[0].lower().strip(",;:") not in _HEAD and not before[0].endswith((",", ";", ":", ".")):
            continue
        rest = sentence.text[noun.end() :]
        match = next((m for p in _SAID if (m := p.match(rest)) and not _OF_A_PART.search(m["gap"])), None)
        if match is None or report.period_end is None:
            continue
        ends = {"now": report.period_end, "then": months_before(report.period_end, MONTHS_OF_YEAR)}
        sign = -1 if metric != "total_revenue" and "loss" in noun[0].lower() else 1
        for name, end in ends.items():
            if match[name]:
                scale = scale_of(match[f"{name}_scale"] or "") or 1
                yield Fact(
                    metric=metric,
                    value=sign * Decimal(re.sub(r"[,'’]", "", match[name])) * scale,
                    printed=match[name],
                    scale=Decimal(scale),
                    currency=report.currency,
                    period=Period(end=end, months=MONTHS_OF_YEAR),
                    statement="text",
                    report_sha1=report.sha1,
                    page_number=sentence.page_number,
                    row_label=sentence.text[:300],
                    confidence="medium",
                )
