"""Comparisons drawn by a seed from known figures, with answers worked out by lines that share nothing with the engine.

Two to five companies each: mixed currencies, missing figures, strangers and made-up ties among them. Asked of engines
that know the truth, they show how comparisons are read and decided.
"""

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from llama_index.core.base.response.schema import PydanticResponse
from llama_index.core.prompts.mixin import PromptMixinType
from llama_index.core.query_engine import BaseQueryEngine
from llama_index.core.schema import QueryBundle

from indexes.facts.fact_table import FactTable
from query_engines.comparison.open_question import AllCompanies
from query_engines.comparison.reader import ComparisonReader
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.question.fact_lookup import FactLookup
from query_engines.question.parser import QuestionParser, as_bundle
from query_engines.routing.router import CompanyRouter
from storage.records.answers import Answer, Unit, Value
from storage.records.metrics import Ontology
from storage.records.questions import AnswerKind, Question
from storage.records.reports import Company
from storage.stores.pages import FactStore

_ONTOLOGY = Ontology.load()
SEED, COUNT = 5, 300
STRANGERS = ("Quarnstone Industries plc", "Velbridge Holdings, Inc.", "Sensata", "Laserbond")
CHALLENGE = (
    "Which of the companies had the {end} {metric} in {currency} at the end of the period listed in annual report:"
    " {names}? If data for the company is not available, exclude it from the comparison. If only one company is left,"
    " return this company."
)
DOLLARS = {"USD": 1.0, "EUR": 1.07, "GBP": 1.21, "CHF": 1.08, "AUD": 0.69, "CAD": 0.74, "JPY": 0.0076}
METRICS = ("Total revenue", "Net income", "Total assets", "Shareholders' equity", "Operating income")


@dataclass(frozen=True)
class Figures:
    """What is known of a company: its currency and its value by metric, None where the report has none."""

    company: str
    currency: str
    values: dict[str, float | None]


@dataclass(frozen=True)
class Case:
    """A comparison with its answer.

    Attributes:
        right: every answer that counts, "N/A" among them where that is right.
        figures: by company as the question writes it; a stranger has none.
        tied: its figures are not the report's.
    """

    text: str
    kind: AnswerKind | None
    relation: str
    names: tuple[str, ...]
    currency: str | None
    metric: str
    right: tuple[Value, ...]
    figures: dict[str, Figures]
    tied: bool = False


def known_figures(truth: Path) -> list[Figures]:
    """The figures of facts.json; N/A is none."""
    found = []
    for report in json.loads(truth.read_text(encoding="utf-8")):
        values = {
            f["metric"]: None if f["value"] == "N/A" else float(f["value"])
            for f in report["facts"]
            if f["kind"] == "number"
        }
        found.append(Figures(report["company"], report["currency"], values))
    return found


def cases(known: Sequence[Figures], count: int = COUNT, seed: int = SEED) -> list[Case]:
    """Comparisons of every form; the same each time."""
    rng = random.Random(seed)
    makers = (_challenge, _challenge, _challenge, _everyday, _difference, _more)
    return [makers[i % len(makers)](known, rng, i) for i in range(count)]


def _drawn(known: Sequence[Figures], rng: random.Random, count: int, metric: str, tie: bool) -> dict[str, Figures]:
    chosen = rng.sample([k for k in known if metric in k.values], count)
    if tie and (valued := [c for c in chosen if c.values[metric] is not None]) and len(chosen) > 1:
        first = valued[0]
        chosen = [
            replace(c, currency=first.currency, values={**c.values, metric: first.values[metric]})
            if c is not first and i < 3
            else c
            for i, c in enumerate(chosen)
        ]
    figures = {c.company: c for c in chosen}
    if rng.random() < 0.12:
        figures[rng.choice(STRANGERS)] = Figures("", "", {})
    names = list(figures)
    rng.shuffle(names)
    return {name: figures[name] for name in names}


def _challenge(known: Sequence[Figures], rng: random.Random, at: int) -> Case:
    metric, end, tie = rng.choice(METRICS[:3]), rng.choice(("highest", "lowest")), at % 10 == 0
    figures = _drawn(known, rng, rng.randint(2, 5), metric, tie)
    currency = rng.choice([f.currency for f in figures.values() if f.currency] + ["USD"])
    names = ", ".join(f'"{name}"' for name in figures)
    text = CHALLENGE.format(end=end, metric=metric.lower(), currency=currency, names=names)
    right = best(figures, metric, end, currency, one_name=True)
    return Case(text, "name", end, tuple(figures), currency, metric, right, figures, tie)


def _everyday(known: Sequence[Figures], rng: random.Random, at: int) -> Case:
    metric, (end, word) = rng.choice(METRICS), rng.choice((("highest", "higher"), ("lowest", "lower")))
    tie = at % 30 == 3
    figures = _drawn(known, rng, rng.choice((2, 2, 3)), metric, tie)
    *others, last = figures
    listed = f"{', '.join(others)} or {last}"
    form = rng.choice(
        (
            f"Which company had the {word} {{m}}, {listed}?",
            f"Of {listed}, which had the {end} {{m}}?",
            f"Did {listed} have the {word} {{m}}?",
        )
    )
    right = best(figures, metric, end, None, one_name=False)
    return Case(form.format(m=metric.lower()), None, end, tuple(figures), None, metric, right, figures, tie)


def _difference(known: Sequence[Figures], rng: random.Random, at: int) -> Case:
    del at
    metric = rng.choice(METRICS)
    figures = _two(known, rng, metric)
    one, other = figures
    form, sign = rng.choice(
        (
            (f"How much higher was {one}'s {{m}} than {other}'s?", 1),
            (f"How much lower was the {{m}} of {one} than that of {other}?", -1),
            (f"What is the difference in {{m}} between {one} and {other}?", 0),
        )
    )
    a, b = (figures[name].values.get(metric) for name in figures)
    same = figures[one].currency == figures[other].currency
    if a is None or b is None or not same:
        right: Value = "N/A"
    else:
        right = abs(a - b) if sign == 0 else sign * (a - b)
    return Case(
        form.format(m=metric.lower()), "number", "difference", tuple(figures), None, metric, (right,), figures
    )


def _more(known: Sequence[Figures], rng: random.Random, at: int) -> Case:
    del at
    metric = rng.choice(METRICS)
    figures = _two(known, rng, metric)
    one, other = figures
    more = rng.random() < 0.5
    word = "higher" if more else "lower"
    form = rng.choice((f"Was {one}'s {{m}} {word} than {other}'s?", f"Did {one} have {word} {{m}} than {other}?"))
    a, b = (figures[name].values.get(metric) for name in figures)
    if a is None or b is None:
        right: tuple[Value, ...] = ("N/A",)
    else:
        x, y = a * DOLLARS[figures[one].currency], b * DOLLARS[figures[other].currency]
        right = ((x > y) if more else (x < y),)
        if figures[one].currency != figures[other].currency and _near(x, y):
            right += ("N/A",)
    return Case(
        form.format(m=metric.lower()),
        "boolean",
        "more" if more else "less",
        tuple(figures),
        None,
        metric,
        right,
        figures,
    )


def _two(known: Sequence[Figures], rng: random.Random, metric: str) -> dict[str, Figures]:
    while len(figures := _drawn(known, rng, 2, metric, tie=False)) > 2:
        pass
    return figures


def best(
    figures: dict[str, Figures], metric: str, end: str, currency: str | None, *, one_name: bool
) -> tuple[Value, ...]:
    """Who has the most or least, by average rates of 2022 where no currency is asked for."""
    held = [
        (name, value * (1 if currency else DOLLARS[f.currency]), f.currency)
        for name, f in figures.items()
        if (value := f.values.get(metric)) is not None and (currency is None or f.currency == currency)
    ]
    if not held:
        return ("N/A",)
    top = (max if end == "highest" else min)(value for _, value, _ in held)
    first = [name for name, value, _ in held if value == top]
    if len(first) > 1 and not one_name:
        return (tuple(first),)
    used = {c for _, value, c in held if value == top or _near(value, top)}
    return (first[0], "N/A") if currency is None and len(used) > 1 else (first[0],)


def _near(one: float, other: float) -> bool:
    """So near that rates of other years might turn them round."""
    return abs(one - other) <= 0.6 * max(abs(one), abs(other))


class KnowingEngine(BaseQueryEngine):
    """Answers about one company from its known figures."""

    def __init__(self, figures: Figures, metric: str, seen: list[Question]) -> None:
        super().__init__(callback_manager=None)
        self._figures, self._metric, self._seen = figures, metric, seen

    def _get_prompt_modules(self) -> PromptMixinType:
        return {}

    def _query(self, query_bundle: QueryBundle) -> PydanticResponse:
        question = as_bundle(query_bundle).parsed.question
        self._seen.append(question)
        value, currency = self._figures.values.get(self._metric), self._figures.currency
        answer = Answer(question=question.text, kind="number", company=self._figures.company)
        if question.currency not in (None, currency):
            answer = answer.model_copy(update={"reason": "other_currency"})
        elif value is None:
            answer = answer.model_copy(update={"reason": "not_found"})
        else:
            answer = answer.model_copy(update={"value": value, "unit": Unit(currency=currency)})
        return PydanticResponse(response=answer)

    async def _aquery(self, query_bundle: QueryBundle) -> PydanticResponse:
        return self._query(query_bundle)


def reader(folder: Path, *, is_trained: bool = False) -> ComparisonReader:
    """One without a language model, over an empty fact table."""
    lookup = FactLookup(FactTable(FactStore(folder, "none")))
    return ComparisonReader(AllCompanies(lookup, parser_over((), is_trained=is_trained)))


def parser_over(companies: Sequence[Company], *, is_trained: bool = False) -> QuestionParser:
    """Parses questions about these companies; one that is trained knows figures in everyday words."""
    make = QuestionParser.trained if is_trained else QuestionParser
    return make(_ONTOLOGY, lambda: companies)


def is_routed(case: Case, read: ComparisonReader, companies: Sequence[Company]) -> bool:
    """Whether relation, parties in their order and wording, currency and sub-questions are the case's."""
    plan = read.read(parser_over(companies).parse(Question(text=case.text, kind=case.kind))).plan
    if plan is None:
        return False
    wanted = [(name, case.figures[name].company or None) for name in case.names]
    is_complete = all(
        p.query.companies == (p.company or p.label,) and case.metric.lower() in p.query.asked
        for p in plan.entities
    )
    found = [(entity.label, entity.company) for entity in plan.entities]
    return (plan.relation, found, plan.currency, is_complete) == (case.relation, wanted, case.currency, True)


async def with_perfect_answers(
    case: Case, read: ComparisonReader, companies: Sequence[Company]
) -> tuple[Answer, list[Question]]:
    """The answer where every sub-answer is the truth, and the sub-questions asked."""
    seen: list[Question] = []
    by_name = {f.company: f for f in case.figures.values()}
    loop = BackgroundLoop()
    parser = parser_over(companies)
    router = CompanyRouter(parser, lambda c: KnowingEngine(by_name[c.name], case.metric, seen), read, loop)
    response: Any = await router.aquery(parser.bundle(Question(text=case.text, kind=case.kind)))
    return response.response, seen


def is_right(case: Case, value: Value) -> bool:
    """Numbers within one percent, everything else exactly."""
    return any(_same(right, value) for right in case.right)


def _same(right: Value, value: Value) -> bool:
    if isinstance(right, float) and isinstance(value, float):
        return abs(right - value) <= 0.01 * abs(right)
    return type(right) is type(value) and right == value
