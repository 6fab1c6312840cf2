"""What the metrics of the ontology, and those that are calculated from them, are called in labels and lists."""

from storage.records.derived_metrics import DerivedMetric, DerivedMetrics
from storage.records.metrics import Ontology, folded
from storage.records.queries import Term
from storage.records.record import Record
from storage.text import capital


class MetricName(Record):
    """A metric as a label or a list calls it.

    Attributes:
        id: of the line in the ontology, or of the formula.
        title: what people call it, with a capital.
        words: by which a question about it is understood.
        is_money: whether a currency can be asked for.
        is_derived: whether it is calculated from others.
    """

    id: str
    title: str
    words: str
    is_money: bool
    is_derived: bool = False

    @property
    def term(self) -> Term:
        """The metric as a query has it."""
        return Term(kind="derived" if self.is_derived else "metric", id=self.id, title=self.title)


def metric_called(label: str, ontology: Ontology, derived: DerivedMetrics) -> MetricName | None:
    """The metric whose name, in any language of reports, is the whole label; None where there is none."""
    metric = ontology.metric_named(label)
    if metric is None:
        small = folded(label)
        found = next((m for m in derived.metrics if small in (m.title.lower(), *m.question_names)), None)
        if found is not None:
            return of_formula(found, found.title)
        ranked = [(rank, m) for m in ontology.metrics if (rank := m.rank(label)) is not None]
        if not ranked:
            return None
        metric = min(ranked, key=lambda one: one[0])[1]
        label = next((n for n in metric.question_names if ontology.metric_named(n) is metric), label)
    # A few titles would not be understood in a question.
    calculated = derived.of_printed(metric)
    title = calculated.title if calculated else metric.title
    known = title if ontology.metric_named(title) is metric else label
    return MetricName(
        id=calculated.id if calculated else metric.id,
        title=capital(title),
        words=known,
        is_money=metric.is_money,
        is_derived=calculated is not None,
    )


def of_formula(metric: DerivedMetric, words: str) -> MetricName:
    """The name of a figure that is calculated; `words` as a question has them."""
    return MetricName(
        id=metric.id, title=capital(metric.title), words=words, is_money=metric.is_money, is_derived=True
    )
