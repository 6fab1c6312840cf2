"""How the facts of a report agree with each other: verdicts that raise or lower confidence."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from storage.answers import Verdict
from storage.facts import Fact, FactCheck, FactCheckName, ReportFacts

_CLOSE = Decimal("0.002")
_FLOWS_CLOSE = Decimal("0.02")  # of the largest flow: exchange rates move cash too
_PER_SHARE_CLOSE = Decimal("0.03")
Values = Mapping[str, Decimal]


def checks_of(values: Values) -> dict[str, list[FactCheck]]:
    """Verdicts by metric, from the reported period's values; a check that cannot be formed says nothing."""
    found: dict[str, list[FactCheck]] = {}
    for metrics, check in _all(values):
        for metric in metrics:
            if metric in values:
                found.setdefault(metric, []).append(check)
    return found


def against_prior_report(facts: Sequence[Fact], prior: ReportFacts) -> dict[str, FactCheck]:
    """Whether the prior year's column says what the report before said of its own year, by metric."""
    found: dict[str, FactCheck] = {}
    for fact in facts:
        then = prior.current(fact.metric)
        same = then and then.period and fact.period and then.period.end.year == fact.period.end.year
        if then is not None and same:
            found[fact.metric] = _verdict("prior_report", fact.value, then.value, "the last report's current year")
    return found


def held_against(found: ReportFacts, prior: ReportFacts) -> ReportFacts:
    """The facts with the verdict of the report before on their prior year's figure."""
    verdicts = against_prior_report(found.facts, prior)
    return found.model_copy(
        update={"facts": tuple(_with_verdict(fact, verdicts.get(fact.metric)) for fact in found.facts)}
    )


def _with_verdict(fact: Fact, check: FactCheck | None) -> Fact:
    """A contradiction lowers what was not sure anyway: a restated prior year is no error."""
    if check is None:
        return fact
    lowered = check.verdict == "failed" and fact.confidence == "medium"
    confidence = "low" if lowered else fact.confidence
    return fact.model_copy(update={"checks": (*fact.checks, check), "confidence": confidence})


def _all(values: Values) -> Iterable[tuple[tuple[str, ...], FactCheck]]:
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
        if check.verdict == "passed" or not balances_as_printed:  # else equity has parts beside the shareholders'
            yield ("total_assets", "shareholders_equity", "total_liabilities"), check
    income, cash_row = get("net_income"), get("net_income_in_cash_flow")
    if income is not None and cash_row is not None:
        yield ("net_income",), _verdict("cash_tie", income, cash_row, "the cash flow statement's first row")
    yield from _cash_flow_sum(values)
    yield from _per_share(values)
    yield from _result(values)


def _cash_flow_sum(values: Values) -> Iterable[tuple[tuple[str, ...], FactCheck]]:
    names = ("operating_cash_flow", "investing_cash_flow", "financing_cash_flow")
    flows = [values[name] for name in names if name in values]
    change = values.get("net_change_in_cash")
    if len(flows) == 3 and change is not None:
        total, largest = sum(flows, Decimal(0)), max(abs(flow) for flow in flows)
        verdict: Verdict = "passed" if abs(total - change) <= _FLOWS_CLOSE * largest else "failed"
        detail = f"the change in cash, exchange effects apart: {change:,}"
        yield names, FactCheck(name="cash_flow_sum", verdict=verdict, detail=detail)


def _per_share(values: Values) -> Iterable[tuple[tuple[str, ...], FactCheck]]:
    eps, shares = values.get("eps_basic"), values.get("weighted_shares_basic")
    if eps is None or not shares:
        return
    incomes = [values[m] for m in ("net_income_attributable", "net_income") if m in values]
    rounding = abs(shares) * Decimal("0.006")
    for income in incomes:
        if abs(eps * shares - income) <= max(abs(income) * _PER_SHARE_CLOSE, rounding):
            passed = FactCheck(name="per_share", verdict="passed", detail=f"{eps} x {shares:,} shares")
            yield ("eps_basic", "net_income"), passed
            return
    if incomes:
        yield ("eps_basic",), FactCheck(name="per_share", verdict="failed", detail=f"{eps} x {shares:,} shares")


def _result(values: Values) -> Iterable[tuple[tuple[str, ...], FactCheck]]:
    """Totals of the income statement: revenue less costs is the operating result, and pre-tax less tax the net."""
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
