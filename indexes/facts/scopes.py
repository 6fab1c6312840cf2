"""Figures that differ in scope alone: with minorities or without, in total or the current part, in shares or in money.

Which row is which follows from the statement's arithmetic where it can, and from labels only where it cannot.
"""

import datetime as dt
from calendar import monthrange
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import chain

from indexes.facts.columns import ValueColumn, comparable_columns
from indexes.facts.printed_rows import Figure, PrintedRow
from indexes.facts.sentences import Sentence
from indexes.facts.statements import Part, StatementFound
from storage.lexicon.calendar import dates_in
from storage.lexicon.periods import periods_in, years_named
from storage.lexicon.question_words import MINORITY
from storage.lexicon.words import expression
from storage.records.facts import Fact, Period
from storage.records.metrics import NAMED, Ontology, PrimaryStatement
from storage.records.reports import MONTHS_OF_YEAR, Report, months_before
from storage.text import plain

_MINORITIES = expression(rf"(?i)\b{MINORITY}(?!\w)")
_WITHOUT_MINORITIES = {"net_income": "net_income_attributable", "shareholders_equity": "total_equity"}
_COUNT = r"\d{1,3}+(?:,\d{3}){1,4}+"
_A_COUNT = expression(_COUNT)
_OUTSTANDING = expression(
    rf"(?i)(?P<now>{_COUNT})(?: and (?P<then>{_COUNT}))? (?:[^\d.;]{{0,60}} )?(?:outstanding|[io]n issue\b)"
    rf"(?:[^\d.;]{{1,20}}(?:\d\d?, )?\d{{4}} and (?P<then_later>{_COUNT}))?"
    rf"|outstanding[^\d.;]{{0,30}}[ :](?P<now_behind>{_COUNT})"
    rf"(?:[^\d]{{1,20}}(?:\d\d?, )?\d{{4}}: (?P<then_behind>{_COUNT})"
    rf"|(?:[^\d.;]{{1,20}}(?:\d\d?, )?\d{{4}})? and (?P<then_after>{_COUNT}))?"
    rf"|(?P<now_issued>{_COUNT}) [^\d.;]{{0,40}}?shares \(\d{{4}}: (?P<then_issued>{_COUNT})\)"
    rf"|(?P<now_in>{_COUNT}) [^\d.;]{{0,40}}?(?:of [£€$]?\d[\d.]*p? [^\d.;]{{0,40}})?[io]n issue"
    rf" \(\d{{4}}(?::| -) (?P<then_in>{_COUNT})\)"
    rf"|(?P<now_being>{_COUNT}) \(\d{{4}}(?::| -) (?P<then_being>{_COUNT})\) (?:\w+ )?shares\b[^.;]{{0,60}} [io]n issue"
)
_OF_BOTH_YEARS = expression(rf"shares \(\d{{4}}: {_COUNT}\)|\(\d{{4}} - {_COUNT}\)|\bwere [io]n issue during\b")
_IN_SHARES = expression(r"(?i)^(?!.*\b(?:treasury|options?|awards?|units?|warrants?|weighted)\b).*\bshares\b")
_NOT_ALL_SHARES = expression(r"(?i)preferred|\bweighted\b")
_OF_NUMBERS = expression(r"(?i)\b(?:number|no\.?)(?!\w)")
_OF_CAPITAL = expression(r"(?i)\bshare capital\b")
_ORDINARY = expression(
    r"(?i)^(?:[a-z,-]+ ){0,8}(?:ordinary|common|registered) shares\b|^(?:ordinary|common) shares\b"
)
_COVER = 4  # pages
_APART = Decimal("1.6")  # times the shares of the earnings
_OF_DEBT = expression(r"(?i)\b(?:debts?|borrowings?|loans?|notes|indebtedness)\b")
_FEWEST_SHARES = 1_000
_OF_INTEREST = expression(r"(?i)\binterest|zins|intérêts|\binteres|支払利息")
_EITHER_WAY = expression(r"(?i)\bincome\W*\((?:expense|cost)s?\)|\((?:expense|cost)s?\)\W*income\b")
_OF_LEASES = expression(r"(?i)\bleas|income|miet|locati|arrendam")
_MOST_PARTS = 12  # rows of a note that takes a figure apart
_FEWEST_COLUMNS = 2  # and their total
_DUE_SOON = expression(r"(?i)(?<!non-)(?<!non)\bcurrent liabilities|within one year|short-term liabilities")
_MADE_SHORT = expression(
    r"(?i)\bshort[- ]?term notes?\b|\boverdrafts?\b|\bcommercial paper\b|\bbank indebtedness\b"
)
_A_PORTION = expression(r"(?i)\b(?:portion|maturities|instal?lments|part) of\b|\blong-term\b")


def facts_by_scope(
    facts: Sequence[Fact],
    statements: Mapping[PrimaryStatement, StatementFound],
    parts: Sequence[Part],
    sentences: Sequence[Sentence],
    report: Report,
    ontology: Ontology,
) -> Iterator[Fact]:
    """Facts of other scopes of the figures that were found.

    Args:
        facts: of the report so far.
        statements: that were found.
        parts: all tables of the report.
        sentences: of the report.
        report: gives the last day of its period.
        ontology: the metrics.
    """
    of_note = list(_debt_taken_apart(facts, balance_of(statements), parts))
    taken = {fact.metric for fact in of_note}
    facts = [*of_note, *(fact for fact in facts if fact.metric not in taken)]
    known = {fact.metric for fact in facts if fact.confidence != "low"}
    balance = statements.get("balance")
    if _has_minorities(facts, statements):
        equity = _equity_with_minorities(facts, balance_of(statements), parts)
    else:  # the shareholders have all
        equity = (
            _as(fact, _WITHOUT_MINORITIES[fact.metric]) for fact in facts if fact.metric in _WITHOUT_MINORITIES
        )
    cash = _cash_at_end(facts, statements["cash_flow"].parts) if "cash_flow" in statements else ()
    debt = _debt_in_total(facts, parts, balance_of(statements))
    shares = _shares(facts, balance, parts, sentences, report)
    columns = _lines_in_columns(known, balance_of(statements), parts, report, ontology)
    found = chain(equity, cash, debt, shares, columns)
    yield from (fact for fact in found if fact.metric not in known)
    yield from of_note
    yield from _interest_by_sign(facts)
    yield from _gross_of_discussion(facts)
    yield from _interest_on_debt(facts, parts)


def balance_of(statements: Mapping[PrimaryStatement, StatementFound]) -> Sequence[Part]:
    """The tables of the balance sheet."""
    return statements["balance"].parts if "balance" in statements else ()


def _as(fact: Fact, metric: str) -> Fact:
    return fact.model_copy(update={"metric": metric})


def _has_minorities(facts: Sequence[Fact], statements: Mapping[PrimaryStatement, StatementFound]) -> bool:
    labels = (row.words for found in statements.values() for part in found.parts for row in part.rows)
    has_share = any(fact.metric == "noncontrolling_interests" and fact.value for fact in facts)
    return has_share or any(map(_MINORITIES.search, labels))


def _equity_with_minorities(
    facts: Sequence[Fact], balance: Sequence[Part], parts: Sequence[Part]
) -> Iterator[Fact]:
    """The equity with the minorities' share: what the balance sheet or the statement of equity prints as their sum."""
    shares = {fact.period: fact.value for fact in facts if fact.metric == "noncontrolling_interests"}
    for fact in facts:
        if fact.metric == "shareholders_equity" and fact.period in shares:
            total = fact.value + shares[fact.period]
            row = next(_row_of(total, fact, balance, "total_equity"), None)
            row = row or next(_balance_of(total, fact, parts), None)
            yield from [row] if row else []


def _balance_of(total: Decimal, like: Fact, parts: Sequence[Part]) -> Iterator[Fact]:
    """A total in a row that names the day of a fact, as the statement of equity has them."""
    end = like.period.end if like.period else None
    for part in parts if end and total else ():
        scale = Decimal(part.scale or like.scale)
        for row in part.rows:
            figures = [f for f in row.figures if f.value is not None and f.value * scale == total]
            days = {(day.year, day.month) for day in dates_in(row.words)} if figures else set()
            if end and days == {(end.year, end.month)}:
                yield _fact_at(row, figures[-1], like.model_copy(update={"scale": scale}), "total_equity")


def _interest_on_debt(facts: Sequence[Fact], parts: Sequence[Part]) -> Iterator[Fact]:
    """Interest where the statement prints financing costs, which hold more: the only such row of those that add up.

    Interest on leases is left aside. Where no table takes the costs apart, they stand, and are less certain.
    """
    costs = [fact for fact in facts if fact.metric == "interest_expense" and fact.confidence != "low"]
    if not costs or any(_OF_INTEREST.search(fact.row_label) for fact in costs):
        return
    like = costs[0]
    for part, rows in _adding_up_to(like, parts):
        interest = [row for row in rows if _OF_INTEREST.search(row.label) and not _OF_LEASES.search(row.label)]
        columns = comparable_columns(part.columns, part.current) if part.current and len(interest) == 1 else []
        scale = Decimal(part.scale or like.scale)
        found = [
            (column, figure) for column in columns if (figure := interest[0].at(column.index)) and figure.value
        ]
        for column, figure in found:
            fact = _fact_at(
                interest[0], figure, like.model_copy(update={"scale": scale, "period": column.period}), like.metric
            )
            yield fact.model_copy(update={"value": abs(fact.value), "confidence": "medium"})
        if found:
            return
    yield from (fact.model_copy(update={"confidence": "medium"}) for fact in costs)


def _interest_by_sign(facts: Sequence[Fact]) -> Iterator[Fact]:
    """Interest of a row that is income or expense, by its sign: what is below nothing there is an expense."""
    of_income = [fact for fact in facts if fact.metric == "interest_income"]
    has_costs = any(fact.metric == "interest_expense" and fact.confidence != "low" for fact in facts)
    if has_costs or not any(fact.value < 0 and _EITHER_WAY.search(fact.row_label) for fact in of_income):
        return
    for fact in of_income:
        if fact.value < 0:
            yield _as(fact, "interest_expense").model_copy(update={"value": -fact.value})
        else:
            yield fact


def _gross_of_discussion(facts: Sequence[Fact]) -> Iterator[Fact]:
    """Gross profit and cost of revenue that no statement prints are sure where they add up to its revenue."""
    of_metric = {name: [f for f in facts if f.metric == name] for name in ("gross_profit", "cost_of_revenue")}
    revenue = {
        f.period.end: f for f in facts if f.metric == "total_revenue" and f.period and f.confidence != "low"
    }
    gross, costs = ({f.period.end: f for f in found if f.period} for found in of_metric.values())
    shared = gross.keys() & costs.keys() & revenue.keys()
    if not shared or not all(
        abs(gross[end].value + costs[end].value - revenue[end].value) <= revenue[end].last_digit for end in shared
    ):
        return
    for found in of_metric.values():
        if any(fact.confidence == "low" for fact in found):
            yield from (fact.model_copy(update={"confidence": "medium"}) for fact in found)


def _adding_up_to(fact: Fact, parts: Sequence[Part]) -> Iterator[tuple[Part, Sequence[PrintedRow]]]:
    """Rows of a table, one below the other, that add up to a fact in its period."""
    for part in parts:
        column = part.current
        if column is None or not column.period or not fact.period or column.period.end != fact.period.end:
            continue
        wanted = fact.value / Decimal(column.scale or part.scale or fact.scale)
        figures = [row.at(column.index) for row in part.rows]
        values = [figure.value or Decimal(0) if figure else None for figure in figures]
        for start in range(len(values)):
            total = Decimal(0)
            for end in range(start, min(start + _MOST_PARTS, len(values))):
                if (value := values[end]) is None:
                    break
                total += value
                if end > start and abs(total) == wanted:
                    yield part, part.rows[start : end + 1]


def _cash_at_end(facts: Sequence[Fact], cash_flow: Sequence[Part]) -> Iterator[Fact]:
    """What the cash flow statement ends with, whatever its label: the row that is an earlier one and the change."""
    change = next((f for f in facts if f.metric == "net_change_in_cash" and f.confidence != "low"), None)
    for part in cash_flow if change is not None else ():
        if change is None or part.current is None or part.current.period != change.period:
            continue
        rows = [
            (row, figure.value) for row in part.rows if (figure := row.at(part.current.index)) and figure.value
        ]
        moved = change.value / change.scale
        at = next((n for n, (_, value) in enumerate(rows) if value == moved), len(rows))
        tail = rows[at + 1 :]
        ends = (row for n, (row, end) in enumerate(tail) if any(begun + moved == end for _, begun in tail[:n]))
        if (row := next(ends, None)) is not None:
            for column in comparable_columns(part.columns, part.current):
                if (figure := row.at(column.index)) is not None and figure.value is not None:
                    yield _fact_at(row, figure, change.model_copy(update={"period": column.period}), "cash_at_end")
            return


def _debt_in_total(facts: Sequence[Fact], parts: Sequence[Part], balance: Sequence[Part]) -> Iterator[Fact]:
    """Long-term debt with its current part: a row that is the sum of both, whatever it is called.

    Where no row prints it, both are added up. Where nothing else in the balance sheet is debt, it is all of it.
    """
    is_split = any(fact.metric == "current_liabilities" for fact in facts)
    is_apart = any(fact.metric in ("long_term_debt_current", "short_term_debt") for fact in facts)
    of_both = {"long_term_debt", "long_term_debt_current", "short_term_debt"}
    rows = {fact.row_label for fact in facts if fact.metric in of_both}
    labels = {plain(row.words)[:200] for part in balance for row in part.rows}
    others = [label for label in labels - rows if _OF_DEBT.search(label) and "receivable" not in label.lower()]
    is_alone = not others and (is_split or not is_apart)
    is_short = any(
        f.metric == "short_term_debt" and f.confidence != "low" and not _MADE_SHORT.search(f.row_label)
        for f in facts
    )
    current = {f.period.end: f for f in facts if f.metric == "long_term_debt_current" and f.period}
    of_debt = [
        p
        for p in parts
        if _OF_DEBT.search(f"{p.title} {p.above}") or any(_OF_DEBT.search(row.label) for row in p.rows)
    ]
    for fact in facts:
        if fact.metric != "long_term_debt" or fact.confidence == "low":
            continue
        due = current.get(fact.period.end) if fact.period else None
        if due is None and is_alone and not is_short:
            yield _as(fact, "long_term_debt_in_total")
        elif due is not None:
            printed = list(_row_of(fact.value + due.value, fact, of_debt, "long_term_debt_in_total"))
            yield from printed or [_sum_of(due, fact, "long_term_debt_in_total")]


def _debt_taken_apart(facts: Sequence[Fact], balance: Sequence[Part], parts: Sequence[Part]) -> Iterator[Fact]:
    """Short-term debt, and the current part of long-term debt, where the balance sheet has one row for both.

    The row has the label of the long-term debt. In a note, rows add up to it in each year. Those whose label stands
    among the long-term debt, too, are its current part.
    """
    long = next((f for f in facts if f.metric == "long_term_debt" and f.confidence != "low"), None)
    row, part = next(
        ((r, p) for p in balance for r in p.rows if long and _is_current_part(r, p, long)), (None, None)
    )
    if long is None or row is None or part is None or part.current is None:
        return
    wanted = {
        column.period.end: figure.value * Decimal(column.scale or part.scale or long.scale)
        for column in comparable_columns(part.columns, part.current)
        if column.period and (figure := row.at(column.index)) and figure.value
    }
    for note in parts:
        columns = comparable_columns(note.columns, note.current) if note.current else []
        columns = [column for column in columns if column.period and column.period.end in wanted]
        rows = _rows_above_totals(note, columns, wanted, long.scale) if columns and row not in note.rows else ()
        rows = [one for one in rows if not _OF_LEASES.search(one.label)]
        if not rows:
            continue
        elsewhere = {plain(one.label).lower() for one in note.rows if one not in rows}
        current = [one for one in rows if plain(one.label).lower() in elsewhere or _A_PORTION.search(one.label)]
        for metric, own in (
            ("long_term_debt_current", current),
            ("short_term_debt", [one for one in rows if one not in current]),
        ):
            for column in columns if own else ():
                yield _added(own, note, column, long, metric)
        return


def _is_current_part(row: PrintedRow, part: Part, long: Fact) -> bool:
    """Whether a row of the balance sheet has the label of the long-term debt and stands among what is due soon."""
    figure = row.at(part.current.index) if part.current else None
    is_due = _DUE_SOON.search(row.heading) is not None
    is_alike = long.row_label.lower().endswith(plain(row.label).lower()) and _OF_DEBT.search(row.label) is not None
    return is_due and is_alike and figure is not None and bool(figure.value)


def _rows_above_totals(
    part: Part, columns: Sequence[ValueColumn], wanted: Mapping[dt.date, Decimal], usual: Decimal
) -> Sequence[PrintedRow]:
    """The most rows right above a row with the wanted totals that add up to them in every column."""
    at = [(c.index, wanted[c.period.end] / Decimal(c.scale or part.scale or usual)) for c in columns if c.period]
    for end, total in enumerate(part.rows):
        if any((figure := total.at(index)) is None or figure.value != value for index, value in at):
            continue
        for start in range(max(0, end - _MOST_PARTS), end - 1):
            rows = part.rows[start:end]
            cells = [[row.at(index) for row in rows] for index, _ in at]
            sums = [sum((f.value or Decimal(0) for f in column if f), Decimal(0)) for column in cells]
            if all(map(all, cells)) and sums == [value for _, value in at]:
                return rows
    return ()


def _added(rows: Sequence[PrintedRow], part: Part, column: ValueColumn, like: Fact, metric: str) -> Fact:
    """Rows of a table as one fact of a period."""
    scale = Decimal(column.scale or part.scale or like.scale)
    figures = [(row, figure) for row in rows if (figure := row.at(column.index)) is not None]
    printed = [(row, figure) for row, figure in figures if figure.value] or figures[:1]
    first = _fact_at(*printed[0], like.model_copy(update={"scale": scale, "period": column.period}), metric)
    return first.model_copy(
        update={
            "value": scale * sum((abs(figure.value or Decimal(0)) for _, figure in printed), Decimal(0)),
            "printed": " + ".join(figure.printed for _, figure in printed),
            "boxes": tuple(figure.box for _, figure in printed if figure.box),
            "row_label": " + ".join(plain(row.words) for row, _ in printed)[:300],
            "statement": "notes",
            "confidence": "medium",
        }
    )


def _lines_in_columns(
    known: Collection[str], balance: Sequence[Part], parts: Sequence[Part], report: Report, ontology: Ontology
) -> Iterator[Fact]:
    """Lines that the balance sheet has only within another one, which a note takes apart in its columns.

    The note's row is the one whose figures add up to a figure of the balance sheet at that day.
    """
    totals = {
        (column.period.end, figure.value * Decimal(column.scale or part.scale or 1))
        for part in balance
        if part.current
        for column in comparable_columns(part.columns, part.current)
        for row in part.rows
        if column.period and (figure := row.at(column.index)) and figure.value
    }
    ends = {end for end, _ in totals}
    lines = [m for m in ontology.metrics if m.statement == "balance" and m.kind == "amount" and not m.adds]
    found: set[tuple[str, dt.date]] = set()
    for part in parts if totals else ():
        named = {
            column: metric
            for column in part.columns
            for metric in lines
            if metric.id not in known and (place := metric.place(column.header)) is not None and place < NAMED
        }
        for row in part.rows if named else ():
            figures = [figure.value or Decimal(0) for figure in row.figures]
            if len(figures) <= _FEWEST_COLUMNS or sum(figures[:-1]) != figures[-1]:
                continue
            for column, metric in named.items():
                scale = Decimal(column.scale or part.scale or 1)
                end = _end_of(row, column, ends)
                figure = row.at(column.index)
                is_first = end is not None and (metric.id, end) not in found
                if end is None or not is_first or figure is None or (end, figures[-1] * scale) not in totals:
                    continue
                found.add((metric.id, end))
                yield Fact(
                    metric=metric.id,
                    value=(figure.value or Decimal(0)) * scale,
                    printed=figure.printed,
                    scale=scale,
                    currency=column.currency or part.currency or report.currency,
                    period=Period(end=end),
                    statement="notes",
                    report_sha1=report.sha1,
                    page_number=row.page_number,
                    boxes=(figure.box,) if figure.box else (),
                    row_label=plain(f"{column.header}: {row.words}")[:200],
                    confidence="medium",
                )


def _end_of(row: PrintedRow, column: ValueColumn, ends: Collection[dt.date]) -> dt.date | None:
    """The day of a balance sheet that a row names; where it names no year, that of its column."""
    dates = [date for date in dates_in(row.words) if date.year]
    if not dates:
        return column.period.end if column.period and column.period.end in ends else None
    return next((end for end in ends if (dates[0].year, dates[0].month) == (end.year, end.month)), None)


def _row_of(total: Decimal, like: Fact, parts: Sequence[Part], metric: str) -> Iterator[Fact]:
    """The first row of tables that prints a total in the column of a fact's period."""
    for part in parts:
        columns = comparable_columns(part.columns, part.current) if part.current else []
        column = next((c for c in columns if c.period and like.period and c.period.end == like.period.end), None)
        if column is None:
            continue
        scale = Decimal(column.scale or part.scale or like.scale)
        for row in part.rows:
            figure = row.at(column.index)
            if figure is None or figure.value is None or not total:
                continue
            own = next((one for one in (scale, like.scale) if figure.value * one == total), None)
            if own is not None:  # a heading over two columns may leave one of them without its scale
                yield _fact_at(row, figure, like.model_copy(update={"scale": own}), metric)
                return


def _sum_of(one: Fact, other: Fact, metric: str) -> Fact:
    """Two facts of a period as their sum, which is not printed."""
    return other.model_copy(
        update={
            "metric": metric,
            "value": one.value + other.value,
            "printed": f"{one.printed} + {other.printed}",
            "boxes": (*(one.boxes if one.page_number == other.page_number else ()), *other.boxes),
            "row_label": f"{one.row_label} + {other.row_label}"[:300],
            "checks": (),
            "confidence": "medium",
        }
    )


def _fact_at(row: PrintedRow, figure: Figure, like: Fact, metric: str) -> Fact:
    """A figure as a fact, in the period, scale and currency of another one."""
    return like.model_copy(
        update={
            "metric": metric,
            "value": (figure.value or Decimal(0)) * like.scale,
            "printed": figure.printed,
            "page_number": row.page_number,
            "boxes": (figure.box,) if figure.box else (),
            "row_label": plain(row.words)[:200],
            "checks": (),
            "confidence": "high",
        }
    )


def _shares(
    facts: Sequence[Fact],
    balance: StatementFound | None,
    parts: Sequence[Part],
    sentences: Sequence[Sentence],
    report: Report,
) -> Iterator[Fact]:
    """The shares outstanding, for this year and the one before.

    They stand in the label of the share capital, in a table that leads from one balance of shares to the next, in a
    sentence of a note, or on the cover, which is of a later day. What is printed counts only where it is near the
    number that the earnings per share were calculated with.
    """
    if report.period_end is None:
        return
    usual = _shares_of_earnings(facts, report.period_end)
    ends = (report.period_end, months_before(report.period_end, MONTHS_OF_YEAR))
    labels = (
        [(plain(row.words), row.page_number) for part in balance.parts for row in part.rows] if balance else []
    )
    said = [(plain(sentence.text), sentence.page_number) for sentence in sentences if " shares" in sentence.text]
    notes = [one for one in said if _OF_BOTH_YEARS.search(one[0])]
    cover = [one for one in said if one[1] <= _COVER] if usual else []
    of_tables = chain(_led_to(parts, ends, usual), _in_number_columns(parts, ends, usual))
    found = list(_counted(labels, usual)) or list(of_tables) or list(_counted(notes, usual))
    is_of_cover = not found
    found = found or [one for one in _counted(cover, usual) if not one[0]]
    for at, end in enumerate(ends):
        first = next((one for one in found if one[0] == at), None)
        if first is not None:
            _, printed, page, text = first
            yield Fact(
                metric="shares_outstanding",
                value=_plain_count(printed),
                printed=printed,
                period=Period(end=(_day_in(text) if is_of_cover else None) or end),
                statement="balance",
                report_sha1=report.sha1,
                page_number=page,
                row_label=text[:300],
                confidence="medium",
            )


def _shares_of_earnings(facts: Sequence[Fact], end: dt.date) -> Decimal | None:
    """The shares that the earnings per share of a year were calculated with; None where they are not known."""
    own = {
        f.metric: f.value for f in reversed(facts) if f.period and f.period.end == end and f.confidence != "low"
    }
    if weighted := own.get("weighted_shares_basic"):
        return weighted
    income = own.get("net_income_attributable", own.get("net_income"))
    return income / eps if income and (eps := own.get("eps_basic")) and income / eps > 0 else None


def _counted(texts: Iterable[tuple[str, int]], usual: Decimal | None) -> Iterator[tuple[int, str, int, str]]:
    """The counts of shares that texts call outstanding: 0 for now or 1 for a year before, as printed, page, text."""
    for text, page in texts:
        found = [m for m in _OUTSTANDING.finditer(text) if "treasury" not in text[: m.start()].lower()]
        if _NOT_ALL_SHARES.search(text) or not found:
            continue
        named = {key: count for key, count in found[0].groupdict().items() if count}
        now = next((count for key, count in named.items() if key.startswith("now")), None)
        then = next((count for key, count in named.items() if key.startswith("then")), None)
        behind = text[found[0].end() :]
        if then is None and _names_both_years(behind):
            then = now
        if len(found) > 1:  # "1,210 outstanding in 2022 and 1,190 outstanding in 2021"
            second = [count for count in found[1].groups() if count]
            years = years_named(periods_in(behind))
            if then or len(found) > 2 or len(second) > 1 or len(years) != 2 or years[0] - years[1] != 1:
                continue
            then = second[0]
        for at, printed in enumerate((now, then)):
            if printed and _is_near(_plain_count(printed), usual):
                yield at, printed, page, text


def _names_both_years(text: str) -> bool:
    """Whether what stands behind a count says that it is that of two years: "at December 31, 2022 and 2021"."""
    named = years_named(periods_in(text.partition(";")[0]))
    return len(named) == 2 and named[0] - named[1] == 1 and not _A_COUNT.search(text)


def _led_to(
    parts: Sequence[Part], ends: Sequence[dt.date], usual: Decimal | None
) -> Iterator[tuple[int, str, int, str]]:
    """The balances of tables that lead from one number of shares to the next, by the days that their rows name."""
    for part in parts if usual else ():
        of_shares = [c for c in part.columns if _IN_SHARES.search(c.header)]
        of_numbers = [c for c in part.columns if _OF_NUMBERS.search(c.header)]
        for row in part.rows:
            is_of_shares = _IN_SHARES.search(f"{part.title} {part.above} {row.heading}") is not None
            columns = of_shares or (part.columns if is_of_shares else ())
            if columns or _OF_CAPITAL.search(f"{part.title} {part.above}"):
                columns = of_numbers or columns
            days = {(day.year, day.month) for day in dates_in(row.words)}
            at = next((n for n, end in enumerate(ends) if days == {(end.year, end.month)}), None)
            figures = (row.at(column.index) for column in columns) if at is not None else ()
            near = (f for f in figures if f and f.value and _is_near(_plain_count(f.printed), usual))
            if at is not None and (figure := next(near, None)):
                yield at, figure.printed, row.page_number, plain(row.words)


def _in_number_columns(
    parts: Sequence[Part], ends: Sequence[dt.date], usual: Decimal | None
) -> Iterator[tuple[int, str, int, str]]:
    """The shares that a note prints in a column of numbers, beside one of money, for each year."""
    for part in parts if usual else ():
        of_numbers = [
            c for c in part.columns if c.period and c.period.end in ends and _OF_NUMBERS.search(c.header)
        ]
        for row in part.rows if of_numbers else ():
            if not _ORDINARY.search(row.label) or not _IN_SHARES.search(row.words):
                continue
            for column in of_numbers:
                figure = row.at(column.index)
                if figure and figure.value and column.period and _is_near(_plain_count(figure.printed), usual):
                    yield ends.index(column.period.end), figure.printed, row.page_number, plain(row.words)


def _day_in(text: str) -> dt.date | None:
    """The first whole day that a text writes."""
    days = ((day.year, day.month, day.day) for day in dates_in(text) if day.year and day.day)
    year, month, day = next(days, (0, 0, 0))
    return dt.date(year, month, min(day, monthrange(year, month)[1])) if year and day else None


def _plain_count(printed: str) -> Decimal:
    return Decimal("".join(filter(str.isdigit, printed)) or 0)


def _is_near(count: Decimal, usual: Decimal | None) -> bool:
    """Whether a number may be that of the shares; where nothing is known of them, any large one."""
    return usual / _APART < count < usual * _APART if usual else count >= _FEWEST_SHARES
