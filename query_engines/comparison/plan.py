"""The plan of a comparison or a calculation: the sub-questions, and how their answers are combined."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Literal

from query_engines.question.parsed import FactMatch
from storage.records.derived_metrics import DerivedMetric, DerivedUnit, Formula
from storage.records.queries import Query
from storage.records.questions import AnswerKind
from storage.records.record import Record

Relation = Literal[
    "highest",
    "lowest",
    "ranking",
    "more",
    "less",
    "difference",
    "growth",
    "change",
    "direction",
    "ratio",
    "share",
    "sum",
    "average",
    "trailing",
    "series",
    "compound_growth",
    "rising",
    "falling",
    "ever_rising",
    "ever_falling",
    "which",
    "all",
    "any",
    "each",
    "table",
    "calculation",
]
_SHAPES: dict[Relation, AnswerKind] = {
    "highest": "comparative",
    "lowest": "comparative",
    "ranking": "names",
    "more": "boolean",
    "less": "boolean",
    "difference": "number",
    "growth": "number",
    "change": "text",
    "direction": "name",
    "ratio": "number",
    "share": "number",
    "sum": "number",
    "average": "number",
    "trailing": "number",
    "series": "text",
    "compound_growth": "number",
    "rising": "boolean",
    "falling": "boolean",
    "ever_rising": "boolean",
    "ever_falling": "boolean",
    "which": "names",
    "all": "boolean",
    "any": "boolean",
    "each": "text",
    "table": "text",
    "calculation": "number",
}
_ALSO: dict[Relation, frozenset[AnswerKind]] = {
    "highest": frozenset({"name", "names", "number", "text"}),
    "lowest": frozenset({"name", "names", "number", "text"}),
    "ranking": frozenset({"name", "comparative", "text"}),
    "which": frozenset({"name", "comparative", "text"}),
    "more": frozenset({"name", "comparative", "text"}),
    "less": frozenset({"name", "comparative", "text"}),
    "difference": frozenset({"name", "comparative", "text"}),
    "growth": frozenset({"text"}),
    "change": frozenset({"number"}),
    "direction": frozenset({"text"}),
    "ratio": frozenset({"text"}),
    "share": frozenset({"text"}),
    "sum": frozenset({"text"}),
    "average": frozenset({"text"}),
    "trailing": frozenset({"text"}),
    "series": frozenset(),
    "compound_growth": frozenset({"text"}),
    "rising": frozenset({"text"}),
    "falling": frozenset({"text"}),
    "ever_rising": frozenset({"text"}),
    "ever_falling": frozenset({"text"}),
    "all": frozenset({"text"}),
    "any": frozenset({"text"}),
    "table": frozenset(),
    "each": frozenset({"number", "boolean", "name", "names", "comparative"}),
    "calculation": frozenset({"boolean", "text"}),
}


class Entity(Record):
    """A company that is compared, or a year of the one company in the question.

    Attributes:
        label: the name as the question writes it, or the year.
        company: the library's name; None where the library has no such company, or several.
        candidates: companies to choose from where the company is unknown or ambiguous.
        is_ambiguous: the label fits all of the candidates; otherwise it fits none.
        metric: what is looked up, where a table has several metrics or years.
        period: of the cell as the table calls it; empty for the newest.
        query: what is asked of it, without the others.
        facts: what the fact table says to it, where that was looked up to choose the company.
    """

    label: str
    company: str | None = None
    candidates: tuple[str, ...] = ()
    is_ambiguous: bool = False
    year: int | None = None
    metric: str = ""
    period: str = ""
    query: Query = Query()
    facts: FactMatch | None = None

    def with_query(self, query: Query) -> "Entity":
        """The company with what is asked of it."""
        return self.model_copy(
            update={"query": query.model_copy(update={"companies": (self.company or self.label,)})}
        )


class Calculation(Record):
    """A formula over the answers of a plan.

    Attributes:
        title: what is calculated.
        definition: that the formula follows, in words.
        names: of the sub-answers in the formulas, in the plan's order.
        formula: an expression over the names.
        other_definition, other_formula: that other analysts use.
        limit: for yes or no, how the result must stand to the threshold for yes.
        basis: whose threshold it is.
    """

    title: str
    definition: str = ""
    names: tuple[str, ...]
    formula: str
    unit: DerivedUnit
    other_definition: str = ""
    other_formula: str = ""
    limit: Literal["at_least", "at_most", "above", "below"] | None = None
    threshold: Decimal = Decimal(0)
    basis: str = ""

    @property
    def metric(self) -> DerivedMetric:
        """What is calculated, as a derived metric, which knows how people write its values."""
        return DerivedMetric.model_validate(
            {"id": "planned", "title": self.title, "unit": self.unit, "formulas": [self.formula]}
        )

    def value(self, formula: str, values: Mapping[str, Decimal]) -> Decimal:
        """A formula's result.

        Raises:
            ZeroDivisionError: a divisor is zero.
        """
        result = Formula(formula).value(lambda name, _: values[name])
        return result if result == result.to_integral_value() else round(result, 4)

    def holds(self, value: Decimal) -> bool:
        """Whether the answer is yes."""
        if self.limit in ("at_least", "above"):
            return value > self.threshold or (value == self.threshold and self.limit == "at_least")
        return value < self.threshold or (value == self.threshold and self.limit == "at_most")


class Plan(Record):
    """A comparison, or a calculation over one company's figures.

    Attributes:
        relation: how the answers are combined. "more", "less", "difference", "growth", "change" and "ratio" use the
            answers at `first` and `second`; "share" divides the one at `first` by the sum of all; "trailing" adds the
            second to the first and takes off the third. The trends ("series",
            "compound_growth", "rising", "falling", "ever_rising", "ever_falling") are over the years in their order. A
            "table" has a cell for each company, metric and year.
        subject: what is compared, in the question's words.
        entities: in the order of the question.
        kind: of the sub-answers; None where each has its own.
        currency: ISO code that the question asks for.
        place: 1 for the highest, 2 for the second highest.
        rising: whether a ranking begins with the lowest.
        is_percentage: whether a ratio is given in percent.
        is_unsigned: whether a difference is given without its sign.
        is_strict_trend: whether each step must rise or fall, not only the whole span.
        is_open: whether the years are those that the report gives, so that one without a figure is not missed.
        note: what the user must know about the choice of the companies.
        is_guessed: its figure is none that is known by name, so that a model's plan comes first.
        calculation: the formula over the answers, for the relation "calculation".
    """

    relation: Relation
    subject: str
    entities: tuple[Entity, ...]
    kind: AnswerKind | None = "number"
    currency: str | None = None
    first: int = 0
    second: int = 1
    place: int = 1
    rising: bool = False
    is_percentage: bool = False
    is_unsigned: bool = False
    is_strict_trend: bool = False
    is_open: bool = False
    note: str = ""
    is_guessed: bool = False
    calculation: Calculation | None = None

    def shape(self, requested: AnswerKind | None) -> AnswerKind:
        """The kind of the answer: the requested one if it fits the relation, else the relation's own."""
        return requested if requested in _ALSO[self.relation] else _SHAPES[self.relation]
