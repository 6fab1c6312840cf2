"""The scale of a report's statements, and the metrics that may be in any table."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from indexes.enrichment.units import unit_of_line
from indexes.facts.printed_rows import PrintedRow
from indexes.facts.rows import Match, facts_of
from indexes.facts.rows import scale_of as scale_of_row
from indexes.facts.sentences import Sentence
from indexes.facts.statements import Part, StatementFound
from storage.lexicon.money import CODE, SCALE_BEHIND_FIGURE, scale_of
from storage.lexicon.words import expression
from storage.records.facts import Fact, FactCheck
from storage.records.metrics import NAMED, Metric, Ontology, PrimaryStatement
from storage.records.pages import Page
from storage.records.reports import Report
from storage.text import plain

Statements = Mapping[PrimaryStatement, StatementFound]
SCALES = (1, 1_000, 1_000_000)
_PRESENTED = expression(
    r"(?i)\b(?:presented|expressed|stated|reported|shown|rounded|amounts?|figures?|values?)\b[^.;]{0,90}?"
    r"\b(?:in|to(?: the)? nearest)\b[^.;]{0,30}?\b(?P<word>thousand|million)s?\b"
)
_NEAREST = expression(
    r"(?i)\bnearest (?:[$€£]|[A-Z]{3} ?)(?P<n>1,000(?:,000)?|thousand|million)\b"
    r"|\b(?:in|of) (?:[$€£]|[A-Z]{3}) ?(?P<m>1[,'’ ]000(?:[,'’ ]000)?)\b"
)
_AMOUNT = expression(
    rf"(?i)(?:[$€£]|\b(?:{CODE}) ?)\(?(?P<n>\d{{1,3}}(?:[,'’]\d{{3}})*(?:\.\d+)?)\)?\s?"
    rf"(?P<word>{SCALE_BEHIND_FIGURE})\b"
)
FULL_UNITS = 5_000_000  # statements with larger figures and no unit are in full units
_NEAR = 3  # pages before a statement that may have its unit


def with_scales(
    statements: Statements, pages: Sequence[Page], sentences: Sequence[Sentence]
) -> dict[PrimaryStatement, StatementFound]:
    """The statements, each with a scale: its own, that of the other statements, or one stated elsewhere."""
    printed = {scale for s in statements.values() if (scale := _scale(s)) is not None}
    if len(printed) > 1:
        return dict(statements)
    scale = printed.pop() if printed else None
    if scale is None and _largest(statements) < FULL_UNITS:
        scale = _stated_elsewhere(statements, pages, sentences)
    return {kind: _scaled(s, scale) for kind, s in statements.items()}


def prose_amounts(sentences: Iterable[Sentence]) -> set[tuple[Decimal, Decimal]]:
    """Amounts in prose such as "$27.8 million", in full units; the tolerance is half of the last printed digit."""
    found = set()
    for sentence in sentences:
        for match in _AMOUNT.finditer(sentence.text):
            digits = re.sub(r"[,'’]", "", match["n"])
            unit = scale_of(match["word"]) or 1
            decimals = len(digits.partition(".")[2])
            if len(digits.replace(".", "").lstrip("0")) >= 2:
                found.add((Decimal(digits) * unit, Decimal(unit) / (2 * 10**decimals)))
    return found


def in_prose(value: Decimal, amounts: Iterable[tuple[Decimal, Decimal]]) -> bool:
    """Whether an amount in prose equals this value, with the rounding printed there."""
    size = abs(value)
    return size > 0 and any(abs(size - amount) <= half <= size / 190 for amount, half in amounts)


def factor_by_prose(values: Iterable[Decimal], amounts: set[tuple[Decimal, Decimal]]) -> Decimal:
    """The factor by which all values agree with the prose; 1 where they agree already or nothing can be compared."""
    key = [v for v in values if v]
    votes = {
        factor: sum(in_prose(v * factor, amounts) for v in key)
        for factor in (Decimal(1), Decimal(1_000), Decimal(1_000_000), Decimal("0.001"), Decimal("0.000001"))
    }
    best = max(votes, key=lambda f: votes[f])
    return best if votes[Decimal(1)] == 0 and votes[best] >= 2 else Decimal(1)


def factor_by_shares(selected: Mapping[str, Match]) -> Decimal:
    """The factor by which net income equals earnings per share times the printed number of shares."""
    eps, shares = selected.get("eps_basic"), selected.get("weighted_shares_basic")
    income = selected.get("net_income")
    if eps is None or shares is None or income is None or not income.value:
        return Decimal(1)
    count = shares.figure.value or Decimal(0)
    if abs(count) < FULL_UNITS:
        return Decimal(1)
    ratio = eps.value * count / income.value
    near = [
        f for f in (Decimal(1_000), Decimal(1_000_000), Decimal("0.001")) if abs(ratio / f - 1) < Decimal("0.05")
    ]
    return near[0] if near else Decimal(1)


def rescaled(statements: Statements, factor: Decimal) -> dict[PrimaryStatement, StatementFound]:
    """The statements with every scale multiplied by the factor, if that gives a scale that reports use."""
    return {kind: _multiplied(s, factor) for kind, s in statements.items()}


def _scale(statement: StatementFound) -> int | None:
    return next((p.scale for p in statement.parts if p.scale), None)


def _scaled(statement: StatementFound, scale: int | None) -> StatementFound:
    own = _scale(statement) or scale
    return replace(statement, parts=tuple(replace(p, scale=p.scale or own) for p in statement.parts))


def _multiplied(statement: StatementFound, factor: Decimal) -> StatementFound:
    scale = int((_scale(statement) or 1) * factor)
    if scale not in SCALES:
        return statement
    parts = []
    for part in statement.parts:
        columns = tuple(replace(c, scale=scale) for c in part.columns)
        current = replace(part.current, scale=scale) if part.current else None
        parts.append(replace(part, scale=scale, columns=columns, current=current))
    return replace(statement, parts=tuple(parts))


def _largest(statements: Statements) -> Decimal:
    figures = [f.value for s in statements.values() for p in s.parts for r in p.rows for f in r.figures]
    return max((abs(v) for v in figures if v is not None), default=Decimal(0))


def _stated_elsewhere(statements: Statements, pages: Sequence[Page], sentences: Sequence[Sentence]) -> int | None:
    """The scale from lines on and before the statements' pages, else from the sentence on the report's presentation."""
    own = {n for s in statements.values() for n in s.pages}
    near = {n - d for n in own for d in range(_NEAR)}
    found: list[int] = []
    for page in pages:
        if page.page_number not in near:
            continue
        for block in page.blocks:
            lines = [] if block.table is not None else [plain(line) for line in block.text.splitlines()]
            units = [unit for line in lines if len(line) < 150 and (unit := unit_of_line(line))]
            found += [unit.scale for unit in units if unit.scale and unit.scale in SCALES[1:]]
    if len(set(found)) == 1:
        return found[0]
    votes = [scale for s in sentences if (scale := _presented(s.text)) is not None]
    return max(set(votes), key=votes.count) if votes else None


def _presented(text: str) -> int | None:
    if match := _NEAREST.search(text):
        word = re.sub(r"\D", "", match["n"] or match["m"] or "") or (match["n"] or "").lower()
        return 1_000 if word in ("1000", "thousand") else 1_000_000
    match = _PRESENTED.search(text)
    if match is None or re.search(r"(?i)note|\bshare data only\b", match[0]):
        return None
    return scale_of(match["word"])


AUDIT_FEES, NON_AUDIT_FEES, FEES_IN_TOTAL = "audit_fees", "non_audit_fees", "auditor_fees_total"
FEES = (AUDIT_FEES, "audit_related_fees", "auditor_tax_fees", "auditor_other_fees", NON_AUDIT_FEES, FEES_IN_TOTAL)
ELSEWHERE = {"dividend_per_share", *FEES}  # have rules of their own


def note_facts(
    parts: Sequence[Part], report: Report, ontology: Ontology, *, in_full_units: bool
) -> Iterator[Fact]:
    """The best row for each metric that may be in any table, by name, then by page; never with high confidence.

    Args:
        parts: the report's tables.
        report: the report of the tables.
        ontology: the metrics.
        in_full_units: whether the statements are in full units. If not, a table without a unit may be in thousands
            like them, so its amounts are not used.
    """
    for metric in ontology.metrics:
        if metric.statement != "notes" or metric.id in ELSEWHERE:
            continue
        matches = (m for m in _matches(metric, parts) if in_full_units or _has_unit(m))
        found = sorted(matches, key=lambda m: (m.place, m.part.page_number, m.order))
        for fact in facts_of(found[0], "notes", report) if found else ():
            yield fact.model_copy(update={"confidence": "low"})


def fee_facts(
    parts: Sequence[Part], report: Report, ontology: Ontology, known: Mapping[str, Match]
) -> Iterator[Fact]:
    """What the auditor charges, from the table that splits it; where there is none, from a row with just that name.

    Args:
        parts: the report's tables.
        report: the report of the tables.
        ontology: the metrics.
        known: the rows of the statements, among them that of total assets, with which a figure without a unit is held.
    """
    metrics = [ontology[metric] for metric in FEES]
    tables = [table for part in parts if (table := _fee_table(part, metrics, known.get("total_assets")))]
    most = max((len(table.rows) for table in tables), default=0)
    best = [table for table in tables if len(table.rows) == most]
    for metric in metrics:
        found = [row for table in best if (row := table.rows.get(metric.id)) is not None]
        if not found and metric.id == NON_AUDIT_FEES:
            found = [row for table in tables if (row := table.rows.get(metric.id)) is not None]
        if len({match.value for match in found}) != 1:
            continue
        for i, fact in enumerate(facts_of(found[0], "notes", report)):
            adds_up = FactCheck(name="subtotals", verdict="passed", detail="the fees add up to their total")
            checks = (adds_up,) if best[0].adds_up and i == 0 else ()
            confidence = "medium" if best[0].is_of_fees else "low"
            named = {"row_label": fact.row_label or "Total"}
            yield fact.model_copy(update={"checks": checks, "confidence": confidence, **named})


@dataclass(frozen=True)
class _FeeTable:
    """The rows of a table that print what the auditor charges, by the id of their metric.

    Attributes:
        is_of_fees: whether the table, or a heading in it, is about the auditor's fees.
        adds_up: whether the fees add up to their total.
    """

    rows: Mapping[str, Match]
    is_of_fees: bool
    adds_up: bool


def _fee_table(part: Part, metrics: Sequence[Metric], assets: Match | None) -> _FeeTable | None:
    """The fees that a table prints; None where it prints none, or none that can be trusted."""
    about = _ABOUT_AUDITOR.search(f"{part.title} {part.above}")
    fitting = {m.id: list(_matches(m, [part], f" > {about[0]}" if about else " >")) for m in metrics}
    is_of_fees = bool(fitting[AUDIT_FEES]) and any(
        match.place >= NAMED or sum(map(bool, fitting.values())) > 1 for match in fitting[AUDIT_FEES]
    )
    if not is_of_fees:
        named = [m for m in fitting[FEES_IN_TOTAL] if _NAMES_AUDITOR.search(m.row.label)]
        fitting = {k: fitting[k] for k in (AUDIT_FEES, NON_AUDIT_FEES)} | {FEES_IN_TOTAL: named}
    first = min((match.order for match in fitting[AUDIT_FEES]), default=0)
    totals = [match for match in fitting[FEES_IN_TOTAL] if match.order > first]
    added = [match for match in totals if match.figure.value == _sum_above(match, first)]
    if is_of_fees:
        fitting[FEES_IN_TOTAL] = added or [m for m in totals if _NAMES_AUDITOR.search(m.row.label)]
    rows = {metric: best for metric, found in fitting.items() if (best := _only_best(found)) is not None}
    is_in_units = all(_is_plausible_fee(match, assets) for match in rows.values())
    return _FeeTable(rows, is_of_fees, bool(added)) if rows and is_in_units else None


_ABOUT_AUDITOR = expression(
    r"\b(?:auditors?|audit (?:fees|services)|(?:principal|independent|public) account(?:ants?|ing)|accounting firms?"
    r"|abschlussprüf\w{1,9}|commissaires? aux comptes)\b",
    re.IGNORECASE,
)
_NAMES_AUDITOR = expression(r"\bauditors?\b", re.IGNORECASE)
_LEAST_FEE, _MOST_FEE = 1_000, 500_000_000
_FULL_DIGITS, _SURELY_FULL = 10_000, 1_000_000  # figures without a unit that may be, and are, in full units
_LARGE_SHARE = Decimal("0.1")  # of total assets, which no auditor charges


def _only_best(found: Sequence[Match]) -> Match | None:
    """The row that fits best; None where several fit alike and differ."""
    first = min((match.place for match in found), default=0)
    best = [match for match in found if match.place == first]
    return best[0] if len({match.figure.value for match in best}) == 1 else None


def _sum_above(total: Match, first: int) -> Decimal:
    """The sum of the rows from the first fee to a total."""
    rows = total.part.rows[first : total.order]
    figures = (row.at(total.column.index) for row in rows)
    return sum((figure.value for figure in figures if figure and figure.value is not None), Decimal(0))


def _is_plausible_fee(match: Match, assets: Match | None) -> bool:
    """Whether a fee is in full units, by its table's unit, or by its own digits where no unit is printed."""
    value = match.value
    if not _LEAST_FEE <= value <= _MOST_FEE:
        return False
    if match.scale_is_printed or value >= _SURELY_FULL:
        return True
    scale = scale_of_row(assets.metric, assets.row, assets.part, assets.column) if assets else None
    if assets is None or scale is None or scale == 1:
        return scale == 1 or value >= _FULL_DIGITS
    return value >= _FULL_DIGITS and value * scale > _LARGE_SHARE * assets.value


def _matches(metric: Metric, parts: Sequence[Part], about: str = "") -> Iterator[Match]:
    """The rows that fit a metric, with what the table is about as a further heading above them."""
    for part in parts:
        column = part.current
        if column is None or column.period is None or column.period.months not in (None, 12):
            continue
        for order, row in enumerate(part.rows):
            figure = row.at(column.index)
            if figure is None or figure.value is None or not _fits(metric, row, figure.printed):
                continue
            place = metric.place(row.label, f"{row.heading}{about}")
            if place is not None and (place < NAMED or metric.patterns or about):
                yield Match(metric, part, row, column, figure, place, order)


def _has_unit(match: Match) -> bool:
    return match.metric.kind != "amount" or (match.column.scale or match.part.scale) is not None


def _fits(metric: Metric, row: PrintedRow, printed: str) -> bool:
    percent = "%" in printed or "%" in row.label
    return percent if metric.kind == "percent" else not percent
