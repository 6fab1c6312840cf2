"""Plans what a query asks of several companies or years, from its slots alone."""

from query_engines.comparison.plan import Entity, Plan, Relation
from query_engines.comparison.years import Times, named_years, plan_over, times_in, years_in_order
from storage.records.queries import Operation, PartOperation, Query

# By what is asked, and which company or way of moving it is asked for.
_AMONG: dict[tuple[Operation | None, PartOperation | None], Relation] = {
    ("compare", None): "highest",
    ("compare", "largest"): "highest",
    ("compare", "smallest"): "lowest",
    ("compare", "rose_most"): "highest",
    ("compare", "fell_most"): "lowest",
    ("rank", None): "ranking",
    ("value", None): "table",
    ("growth", None): "table",
    ("why", None): "each",
}
_GROWN = frozenset({"rose_most", "fell_most"})
_OVER_YEARS: dict[Operation | None, Relation] = {
    "value": "series",
    "growth": "growth",
    "change": "difference",
    "whether": "direction",
}


def plan_of(query: Query, latest: int | None) -> Plan | None:
    """The plan of a query about several companies, or several years of one; None for any other.

    Args:
        query: what is asked.
        latest: the newest year of its company's reports, from which "the last three years" are counted.
    """
    if len(query.companies) > 1:
        return _among(query)
    times = _times(query, latest)
    relation = _OVER_YEARS.get(query.operation)
    if times is None or relation is None or len(query.companies) != 1:
        return None
    (company,) = query.companies
    entity = Entity(label=company, company=company)
    years = years_in_order(times, relation, named_order=False)
    one = query.model_copy(update={"operation": "value", "periods": (), "kind": None})
    plan = plan_over(relation, query.subject, entity, named_years(times, years), one, "number")
    return plan.model_copy(update={"first": len(years) - 1, "second": 0, "currency": query.conditions.currency})


def _among(query: Query) -> Plan | None:
    which = query.part.which if query.part else None
    relation = _AMONG.get((query.operation, which))
    if relation is None or (relation == "table" and not query.is_of_figure):
        return None
    is_grown = which in _GROWN or query.operation == "growth"
    one: Operation = "growth" if is_grown else "why" if query.operation == "why" else "value"
    each = query.model_copy(update={"operation": one, "part": None})
    each = each.model_copy(update={"terms": ()}) if one == "why" else each  # which is read in words
    title = f"growth of {query.subject}" if is_grown else query.subject
    return Plan(
        relation=relation,
        subject=title,
        entities=tuple(
            Entity(label=name, company=name, metric=title, query=one_each)
            for one_each in each.spread("companies")
            for name in one_each.companies
        ),
        kind="text" if one == "why" else "number",
        currency=query.conditions.currency,
    )


def _times(query: Query, latest: int | None) -> Times | None:
    """The years that a query names together, or the newest two where it asks which way a figure went."""
    if query.periods:
        return times_in(" and ".join(asked.said for asked in query.periods), latest)
    return Times("", (latest - 1, latest)) if query.operation == "whether" and latest is not None else None
