"""Selects the best row of each metric, checks facts against each other, and rates the confidence of each."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from indexes.facts.columns import comparable_columns
from indexes.facts.printed_rows import PrintedRow
from indexes.facts.rows import Match, matches
from indexes.facts.statements import Part, StatementFound
from storage.lexicon.words import expression
from storage.records.answers import Verdict
from storage.records.facts import NEAR_DAYS, Confidence, Fact, FactCheck, FactCheckName, Period, ReportFacts
from storage.records.metrics import NAMED, Ontology, PrimaryStatement
from storage.text import plain

Statements = Mapping[PrimaryStatement, StatementFound]
Selected = dict[str, Match]
BANK_LINES = ("net_interest_income", "noninterest_income")
_CLOSE_VALUES = Decimal("0.0005")


def select(statements: Statements, ontology: Ontology) -> Selected:
    """The best row for every metric of the statements that were found."""
    candidates: dict[str, list[Match]] = {}
    for metric in ontology.metrics:
        if metric.statement == "notes" or metric.statement == "text" or metric.adds:
            continue
        statement = statements.get(metric.statement)
        candidates[metric.id] = matches(metric, statement) if statement else []
    selected = {metric: found[0] for metric, found in candidates.items() if found}
    _reconcile_net_income(selected, candidates)
    _reconcile_revenue(selected, candidates)
    _reconcile_operating_income(selected, candidates)
    _reconcile_equity(selected, candidates)
    _reconcile_loans(selected)
    _reconcile_change_in_cash(selected, candidates)
    for row in parts_of_costs(statements, selected):
        selected = {metric: match for metric, match in selected.items() if match.row is not row}
    return {metric: replace(match, metric=ontology[metric]) for metric, match in selected.items()}


def parts_of_costs(statements: Statements, selected: Selected) -> Iterator[PrintedRow]:
    """The rows of the income statement that are only a part of the costs whose name they have."""
    income = statements.get("income")
    rows = [row for part in income.parts for row in part.rows if row.figures] if income else []
    if (match := selected.get("selling_general_administrative")) and not _OF_SELLING.search(match.row.label):
        others = (row.label for row in rows if "cost of" not in row.label.lower())
        if any(_OF_SELLING.search(label) and _OF_COSTS.search(label) for label in others):
            yield match.row  # general and administrative costs, where those of selling stand beside them
    match = selected.get("cost_of_revenue")
    own = _COSTS_OF.match(match.row.label) if match else None
    is_of_a_part = own is not None and not (own["total"] or own["whole"])
    if match and is_of_a_part and any(_COSTS_OF.match(row.label) for row in rows if row is not match.row):
        yield match.row  # the cost of services, or of goods, where other such costs stand beside it


def without_whole(statements: Statements, selected: Selected, ontology: Ontology) -> frozenset[str]:
    """The costs of which the income statement has only parts, so that no other row of their name is the whole."""
    income = statements.get("income")
    names = ("selling_general_administrative", "cost_of_revenue") if income is not None else ()
    return frozenset(
        name for name in names if name not in selected and income is not None and matches(ontology[name], income)
    )


def is_bank(selected: Selected) -> bool:
    """Whether the income statement begins with interest earned less interest paid."""
    return ("net_interest_income" in selected and "credit_loss_provision" in selected) or all(
        line in selected for line in BANK_LINES
    )


def _reconcile_net_income(selected: Selected, candidates: Mapping[str, Sequence[Match]]) -> None:
    """Of several rows, choose the one with which the cash flow statement begins; "net income" may mean net revenue."""
    rows = candidates.get("net_income", [])
    openings = {m.figure.value for m in candidates.get("net_income_in_cash_flow", [])[:3]}
    tied = [m for m in rows if m.figure.value in openings]
    if tied:
        selected["net_income"] = tied[0]
    opening = [
        m
        for m in candidates.get("net_income_in_cash_flow", [])
        if rows and m.value == selected["net_income"].value
    ]
    if opening:
        selected["net_income_in_cash_flow"] = opening[0]


def _reconcile_revenue(selected: Selected, candidates: Mapping[str, Sequence[Match]]) -> None:
    """For a bank only an exactly named row counts as revenue; for others a total row beats the parts above it."""
    rows = list(candidates.get("total_revenue", []))
    if is_bank(selected):
        rows = [
            m
            for m in rows
            if m.place < NAMED and "total" in m.row.label.lower() and "revenue" in m.row.label.lower()
        ]
        selected.pop("total_revenue", None)
        if rows:
            selected["total_revenue"] = rows[0]
        return
    if not rows:
        return
    best = rows[0]
    end = min(
        (m.order for key in ("pretax_income", "net_income", "operating_income") if (m := selected.get(key))),
        default=10**6,
    )
    above = [m for m in rows if m.order < end]
    selected["total_revenue"] = above[0] if above else best


_GROSS_INCOME = expression(r"^(?!.*\b(?:profit|loss|result|earnings)).*\bincome\b", re.IGNORECASE)
_RESULT = expression(r"\b(?:profit|loss|result|earnings)", re.IGNORECASE)


def _reconcile_operating_income(selected: Selected, candidates: Mapping[str, Sequence[Match]]) -> None:
    """An "operating income" that is not less than the revenue is a gross income where an operating profit stands below.

    Banks and brokers add their other income to the revenue under this name, before they take off the costs.
    """
    income, revenue = selected.get("operating_income"), selected.get("total_revenue")
    if (
        income is None
        or revenue is None
        or income.value < revenue.value
        or not _GROSS_INCOME.search(income.row.label)
    ):
        return
    below = (m for m in candidates["operating_income"] if m.order > income.order and m.value < revenue.value)
    result = next((m for m in below if _RESULT.search(m.row.label)), None)
    if result is not None:
        selected["operating_income"] = result


def _reconcile_loans(selected: Selected) -> None:
    """A loan that stands under the same label among the current and the other liabilities is long-term in both."""
    short, long = selected.get("short_term_debt"), selected.get("long_term_debt")
    if short is None or long is None or plain(short.row.label).lower() != plain(long.row.label).lower():
        return
    del selected["short_term_debt"]
    if short.row is not long.row:
        selected.setdefault("long_term_debt_current", short)


def _reconcile_equity(selected: Selected, candidates: Mapping[str, Sequence[Match]]) -> None:
    """Of several equity rows, choose that of the parent's shareholders where non-controlling interests have a row.

    Whatever its label, it is the one that is less than the equity by just these interests.
    """
    rows = candidates.get("shareholders_equity", [])
    minority = selected.get("noncontrolling_interests")
    if not rows or minority is None:
        return
    value = selected["shareholders_equity"].value
    for match in rows:
        if abs(match.value + minority.value - value) <= _CLOSE_VALUES * abs(value) and match.value != value:
            selected["shareholders_equity"] = match
            return
    whole = selected["shareholders_equity"]
    wanted = (value - minority.value) * (whole.figure.value or 0) / value if value and minority.value else None
    for row in whole.part.rows:
        figure = row.at(whole.column.index)
        if figure is not None and figure.value is not None and figure.value == wanted:
            selected["shareholders_equity"] = replace(whole, row=row, figure=figure)
            return


def _reconcile_change_in_cash(selected: Selected, candidates: Mapping[str, Sequence[Match]]) -> None:
    """Choose the row that the cash flows add up to, or by which cash has changed; another is of one sort of cash."""
    flows = [selected[name].value for name in _FLOWS if name in selected]
    if len(flows) < len(_FLOWS) or "net_change_in_cash" not in selected:
        return
    end = selected.get("cash_at_end")
    columns = comparable_columns(end.part.columns, end.part.current) if end and end.part.current else []
    held = [
        figure.value for c in columns[:2] if end and (figure := end.row.at(c.index)) and figure.value is not None
    ]
    scale = end.value / end.figure.value if end and end.figure.value else Decimal(1)
    moved = (held[0] - held[1]) * scale if len(held) > 1 else None
    fit = (m for m in candidates["net_change_in_cash"] if _is_sum_of_flows(flows, m.value) or m.value == moved)
    if (match := next(fit, None)) is not None:
        selected["net_change_in_cash"] = match
    elif moved is not None:
        selected.pop("net_change_in_cash")


_OF_SELLING = expression(r"\b(?:sales|selling|marketing|distribution)\b", re.IGNORECASE)
_OF_COSTS = expression(r"\b(?:costs?|expenses?|marketing)\b", re.IGNORECASE)
_COSTS_OF = expression(
    r"^(?P<total>total )?costs? of (?!capital|funds)(?P<whole>(?:net )?(?:revenues?|sales)\b)?", re.IGNORECASE
)
_FLOWS = ("operating_cash_flow", "investing_cash_flow", "financing_cash_flow")
_CLOSE = Decimal("0.002")
_FLOWS_CLOSE = Decimal("0.02")  # of the largest cash flow, since exchange rates change cash too
_PER_SHARE_CLOSE = Decimal("0.03")
Values = Mapping[str, Decimal]


@dataclass(frozen=True)
class Beside:
    """What statements print beside the metrics, in the reported period.

    Attributes:
        of_holders: what the income statement says is left for the shareholders, such as after preferred dividends.
        flows: the figures of the cash flow statement.
    """

    of_holders: tuple[Decimal, ...] = ()
    flows: frozenset[Decimal] = frozenset()

    @classmethod
    def of(cls, statements: Statements) -> "Beside":
        """What stands in the statements that were found."""
        holders = (value for row, value in _figures(statements.get("income")) if _OF_HOLDERS.search(row.words))
        return cls(tuple(holders), frozenset(value for _, value in _figures(statements.get("cash_flow"))))


def _figures(statement: StatementFound | None) -> Iterator[tuple[PrintedRow, Decimal]]:
    """The rows of a statement with their figures of the reported period."""
    for part in statement.parts if statement else ():
        column = part.current
        for row in part.rows if column else ():
            if column and (figure := row.at(column.index)) is not None and figure.value:
                yield row, figure.value * (column.scale or part.scale or 1)


def checks_of(values: Values, beside: Beside | None = None) -> dict[str, list[FactCheck]]:
    """Verdicts by metric, from the values of the reported period. A check that lacks a value gives no verdict.

    Args:
        values: by metric.
        beside: what stands beside them.
    """
    found: dict[str, list[FactCheck]] = {}
    for metrics, check in _all(values, beside or Beside()):
        for metric in metrics:
            if metric in values:
                found.setdefault(metric, []).append(check)
    return found


def against_prior_report(
    facts: Sequence[Fact], prior: ReportFacts, *, by_day: bool = False
) -> dict[str, FactCheck]:
    """By metric, whether the prior year's figure equals the current figure of the report before."""
    found: dict[str, FactCheck] = {}
    for fact in facts:
        then = prior.current(fact.metric)
        same = then and then.period and fact.period and then.period.end.year == fact.period.end.year
        if same and by_day and then and then.period and fact.period:
            same = abs((then.period.end - fact.period.end).days) <= NEAR_DAYS
        if then is not None and same:
            found[fact.metric] = _verdict("prior_report", fact.value, then.value, "the last report's current year")
    return found


def held_against(found: ReportFacts, prior: ReportFacts, *, by_day: bool = False) -> ReportFacts:
    """The facts with the verdict of the comparison with the report before; `by_day` for parts of years."""
    verdicts = against_prior_report(found.facts, prior, by_day=by_day)
    return found.model_copy(
        update={"facts": tuple(_with_verdict(fact, verdicts.get(fact.metric)) for fact in found.facts)}
    )


def _with_verdict(fact: Fact, check: FactCheck | None) -> Fact:
    """A contradiction lowers only a confidence that is not high, since the prior year may have been restated."""
    if check is None:
        return fact
    lowered = check.verdict == "failed" and fact.confidence == "medium"
    confidence = "low" if lowered else fact.confidence
    return fact.model_copy(update={"checks": (*fact.checks, check), "confidence": confidence})


_OF_HOLDERS = expression(
    r"\b(?:attributable|available|applicable) to\b.*\b(?:common|ordinary|share|stock|unit|owners|parent)",
    re.IGNORECASE,
)


def _all(values: Values, beside: Beside) -> Iterable[tuple[tuple[str, ...], FactCheck]]:
    get = values.get
    assets, total = get("total_assets"), get("liabilities_and_equity")
    liabilities, equity = get("total_liabilities"), get("shareholders_equity")
    minority = get("noncontrolling_interests") or Decimal(0)
    if assets is not None and total is not None:
        yield ("total_assets",), _verdict("balance", assets, total, "total liabilities and equity")
    if assets is not None and liabilities is not None and equity is not None:
        parts = liabilities + equity
        with_minority = abs(parts + minority - assets) < abs(parts - assets)
        detail = "liabilities + equity" + (" + non-controlling interests" if with_minority else "")
        check = _verdict("balance", assets, parts + minority if with_minority else parts, detail)
        balances_as_printed = total is not None and _agree(assets, total, _CLOSE)
        if (
            check.verdict == "passed" or not balances_as_printed
        ):  # otherwise equity has parts that do not belong to the shareholders
            yield ("total_assets", "shareholders_equity", "total_liabilities"), check
    income, cash_row = get("net_income"), get("net_income_in_cash_flow")
    if income is not None and cash_row is not None:
        yield ("net_income",), _verdict("cash_tie", income, cash_row, "the cash flow statement's first row")
    yield from _cash_flow_sum(values, beside.flows)
    yield from _per_share(values, beside.of_holders)
    yield from _result(values)


def _cash_flow_sum(values: Values, printed: frozenset[Decimal]) -> Iterable[tuple[tuple[str, ...], FactCheck]]:
    flows = [values[name] for name in _FLOWS if name in values]
    change = values.get("net_change_in_cash")
    if len(flows) == len(_FLOWS) and change is not None:
        rest = change - sum(flows, Decimal(0))  # a further row, of exchange rates or of another sort of investing
        verdict: Verdict = "passed" if _is_sum_of_flows(flows, change) or rest in printed else "failed"
        detail = f"the change in cash, exchange effects apart: {change:,}"
        yield _FLOWS, FactCheck(name="cash_flow_sum", verdict=verdict, detail=detail)


def _is_sum_of_flows(flows: Sequence[Decimal], change: Decimal) -> bool:
    return abs(sum(flows, Decimal(0)) - change) <= _FLOWS_CLOSE * max(map(abs, flows))


def _per_share(values: Values, of_holders: Sequence[Decimal]) -> Iterable[tuple[tuple[str, ...], FactCheck]]:
    eps, shares = values.get("eps_basic"), values.get("weighted_shares_basic")
    if eps is None or not shares:
        return
    incomes = [values[m] for m in ("net_income_attributable", "net_income") if m in values] + list(of_holders)
    rounding = abs(shares) * Decimal("0.006")
    for income in incomes:
        if abs(eps * shares - income) <= max(abs(income) * _PER_SHARE_CLOSE, rounding):
            passed = FactCheck(name="per_share", verdict="passed", detail=f"{eps} x {shares:,} shares")
            yield ("eps_basic", "net_income"), passed
            return
    if incomes:
        yield ("eps_basic",), FactCheck(name="per_share", verdict="failed", detail=f"{eps} x {shares:,} shares")


def _result(values: Values) -> Iterable[tuple[tuple[str, ...], FactCheck]]:
    """Checks of the income statement: revenue - costs = operating income, and income before tax - tax = net income."""
    revenue, costs, result = (values.get(m) for m in ("total_revenue", "operating_expenses", "operating_income"))
    if revenue is not None and costs is not None and result is not None:
        cost_of_sales = values.get("cost_of_revenue") or Decimal(0)
        sums = (revenue - costs, revenue - costs - cost_of_sales)
        if any(_agree(s, result, _CLOSE) for s in sums):
            yield (
                ("total_revenue", "operating_income"),
                FactCheck(name="subtotals", verdict="passed", detail="revenue less expenses"),
            )
    gross, cost = values.get("gross_profit"), values.get("cost_of_revenue")
    if revenue is not None and gross is not None and cost is not None and _agree(revenue - cost, gross, _CLOSE):
        yield ("total_revenue",), FactCheck(name="subtotals", verdict="passed", detail="revenue less its cost")
    pretax, tax, income = (values.get(m) for m in ("pretax_income", "income_tax", "net_income"))
    if pretax is None or tax is None or income is None:
        return
    if any(_agree(s, income, _CLOSE) for s in (pretax - tax, pretax + tax)):
        yield ("net_income",), FactCheck(name="subtotals", verdict="passed", detail="pre-tax result and tax")


def _verdict(name: FactCheckName, value: Decimal, other: Decimal, detail: str) -> FactCheck:
    verdict: Verdict = "passed" if _agree(value, other, _CLOSE) else "failed"
    return FactCheck(name=name, verdict=verdict, detail=f"{detail}: {other:,}")


def _agree(value: Decimal, other: Decimal, close: Decimal) -> bool:
    return abs(value - other) <= close * max(abs(value), abs(other), Decimal(1))


# Observed precision over the 29 known reports (development half / held-out half, figures shown), to be measured
# again with tests/measures/facts.py: high 91 of 91 / 82 of 82, medium 34 of 34 / 27 of 27, low 6 of 6 / 9 of 9.
# Errors of both halves were fixed, so these are upper bounds; before that, medium was 30 of 32 in the held-out half.
# The levels mean:
# high    the figure passed a check, its column names the reported period, its label is a known name
# medium  the report's checks passed, or the label is an exact name in a dated column
# low     neither
VAGUE = {"long_term_debt", "capital_expenditures", "total_revenue"}  # reports include different items in them


def confidence_of(match: Match, checks: Sequence[FactCheck], passed_in_report: int) -> Confidence:
    """The confidence of a fact. A figure that failed one of its checks is never "high"."""
    dated = match.column.period is not None
    named = match.place < 2 * NAMED
    passed = any(c.verdict == "passed" for c in checks)
    failed = any(c.verdict == "failed" for c in checks)
    if match.part.from_lines or not dated or passed_in_report == 0:
        return "low"
    if passed and not failed:
        return "high" if named or match.metric.id not in VAGUE else "medium"
    if failed:
        return "medium" if passed else "low"
    exact = match.place < NAMED and match.metric.id not in VAGUE
    return "high" if exact and passed_in_report >= 3 else "medium"


_BENEFIT = expression(r"benefit|credit|recovery|income$", re.IGNORECASE)
_BENEFIT_FIRST = expression(
    r"\b(?:benefit|credit|recovery)\W{1,3}(?:expense|provision|charge)|\(expense\)", re.IGNORECASE
)


_ROWS_ABOVE, _ROWS_BELOW = 4, 2  # that a result and the tax may stand apart; behind the tax


def with_tax_as_expense(facts: Sequence[Fact], statements: Statements) -> list[Fact]:
    """The facts with income tax as an expense: positive where it reduces net income, negative where it raises it."""
    income = [part for kind, found in statements.items() if kind == "income" for part in found.parts]
    by_place = {(fact.metric, fact.period): fact for fact in reversed(facts)}
    return [
        fact.model_copy(update={"value": -fact.value})
        if fact.metric == "income_tax" and _is_turned(fact, by_place, income)
        else fact
        for fact in facts
    ]


def _is_turned(tax: Fact, by_place: dict[tuple[str, Period | None], Fact], income: Sequence[Part]) -> bool:
    before, after = (by_place.get((metric, tax.period)) for metric in ("pretax_income", "net_income"))
    if before is not None and after is not None:
        close = _CLOSE * max(abs(before.value), abs(after.value), abs(tax.value))
        added = abs(before.value + tax.value - after.value) <= close
        taken = abs(before.value - tax.value - after.value) <= close
        if added != taken:
            return added
    if (added_in_rows := _is_added(tax, income)) is not None:
        return added_in_rows
    if before is not None and after is not None:
        costs = by_place.get(
            ("interest_expense", tax.period)
        )  # other results follow, such as discontinued operations
        if costs is not None and not _BENEFIT.search(tax.row_label):
            return tax.value < 0 and costs.page_number == tax.page_number and costs.printed.strip("$ ")[:1] in "(-"
    return _BENEFIT_FIRST.search(tax.row_label) is not None


def _is_added(tax: Fact, income: Sequence[Part]) -> bool | None:
    """Whether the rows of the statement add the tax as it is printed to a result above, or take it away.

    None where neither gives a row below, or both do.
    """
    for part in income:
        for place, row in enumerate(part.rows):
            is_its = row.page_number == tax.page_number and plain(row.words)[: len(tax.row_label)] == tax.row_label
            own = next((f for f in row.figures if f.printed == tax.printed), None) if is_its else None
            if own is None or own.value is None:
                continue
            column = [figure.value if (figure := other.at(own.column)) else None for other in part.rows]
            above = [value for value in column[max(0, place - _ROWS_ABOVE) : place] if value is not None]
            below = [value for value in column[place + 1 : place + 1 + _ROWS_BELOW] if value is not None]
            last_digit = Decimal(1).scaleb(int(own.value.as_tuple().exponent))
            signs = {
                sign
                for sign in (1, -1)
                for first in range(len(above))
                for result in below
                if abs(sum(above[first:]) + sign * own.value - result) <= last_digit
            }
            return signs == {1} if len(signs) == 1 else None
    return None
