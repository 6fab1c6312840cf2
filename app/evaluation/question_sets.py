"""Draws a validation set: questions about the library's companies, from families of templates and a seed."""

import random
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Literal

from pydantic import Field, TypeAdapter, ValidationError

from app.files.questions import read_text
from storage.errors import UsageError
from storage.records.metrics import Metric, Ontology
from storage.records.record import Record
from storage.records.reports import Company, Report

TRIES = 200  # attempts for one new question before the templates count as exhausted
_CURRENCIES = ("USD", "EUR", "GBP", "CHF", "AUD", "CAD", "JPY")
_KINDS_OF_METRIC = ("amount", "per_share", "percent", "count")


class Family(Record):
    """Templates of one kind of question; `question_templates.toml` explains each field."""

    name: str
    share: float = Field(gt=0)
    kind: Literal["number", "boolean", "name", "names"]
    texts: tuple[str, ...] = Field(min_length=1)
    metrics: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()
    stray: float = Field(0.0, ge=0, le=1)
    fill: tuple[str, ...] = ()
    companies: tuple[int, int] | None = None
    other_currency: bool = False


class DrawnQuestion(Record):
    """A question of the set, and the companies whose reports have its answer."""

    text: str
    kind: str
    family: str
    companies: tuple[str, ...]
    reports: tuple[Report, ...]


def read_families(path: Path | None, ontology: Ontology) -> tuple[Family, ...]:
    """The families of a file, or those that come with Pageproof.

    Raises:
        UsageError: the file is invalid; the message names the family and what was expected.
    """
    where = path or Path("question_templates.toml")
    text = (
        read_text(path) if path else (resources.files("app.evaluation") / where.name).read_text(encoding="utf-8")
    )
    try:
        families = TypeAdapter(tuple[Family, ...]).validate_python(tomllib.loads(text).get("family", ()))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = " → ".join(map(str, first["loc"]))
        raise UsageError(f"{where}: family {place}: {first['msg']}") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: is not TOML: {error}") from error
    if not families:
        raise UsageError(f"{where}: holds no families; expected [[family]] tables")
    for family in families:
        _check(family, ontology, where)
    return families


def draw_questions(
    families: Sequence[Family],
    library: Sequence[Company],
    metrics_of: Mapping[str, frozenset[str]],
    ontology: Ontology,
    count: int,
    seed: int,
) -> tuple[DrawnQuestion, ...]:
    """Draw different questions. The same library, families and seed give the same questions.

    Args:
        families: of question templates.
        library: the companies, each asked about by its newest report.
        metrics_of: by company, the metrics of its fact table, which show for example that it is a bank.
        ontology: the names of metrics.
        count: how many questions.
        seed: of the draw.

    Raises:
        UsageError: library and families do not allow so many different questions.
    """
    rng = random.Random(seed)
    known = sorted((c for c in library if c.reports), key=lambda c: c.name)
    draw = _Draw(rng, known, metrics_of, ontology)
    usable = [f for f in families if not f.companies or any(draw.peers(c, f.companies[0]) for c in known)]
    found: dict[str, DrawnQuestion] = {}
    failures = 0
    while len(found) < count:
        (family,) = rng.choices(usable, [f.share for f in usable])
        question = draw.question(family)
        failures = failures + 1 if question is None or question.text in found else 0
        if question is not None:
            found.setdefault(question.text, question)
        if failures > TRIES:
            raise UsageError(f"these templates and companies make about {len(found)} questions, not {count}")
    return tuple(found.values())


class _Draw:
    """Draws one question at a time."""

    def __init__(
        self,
        rng: random.Random,
        companies: Sequence[Company],
        metrics_of: Mapping[str, frozenset[str]],
        ontology: Ontology,
    ) -> None:
        self._rng = rng
        self._companies = companies
        self._metrics_of = metrics_of
        self._ontology = ontology

    def question(self, family: Family) -> DrawnQuestion | None:
        """A question of the family; None when it does not suit the drawn company."""
        rng = self._rng
        metric = rng.choice(list(_metrics(family, self._ontology))) if family.metrics else None
        first = rng.choice(self._candidates(family))
        group = self._group(first, family)
        currency = self._currency(first, family)
        text = _without_currency(rng.choice(family.texts), metric)
        if not group or ("{currency}" in text and currency is None):
            return None
        filled = {
            "company": first.name,
            "companies": ", ".join(f'"{company.name}"' for company in group),
            "metric": _spoken(metric) if metric else "",
            "currency": currency or "",
            **dict.fromkeys(("event", "role"), rng.choice(family.fill) if family.fill else ""),
        }
        return DrawnQuestion(
            text=text.format_map(filled),
            kind=family.kind,
            family=family.name,
            companies=tuple(company.name for company in group),
            reports=tuple(company.reports[0] for company in group),
        )

    def peers(self, company: Company, at_least: int) -> list[Company]:
        """The companies that report in its currency, including itself; none where there are too few."""
        currency = company.reports[0].currency
        same = [c for c in self._companies if currency and c.reports[0].currency == currency]
        return same if len(same) >= at_least else []

    def _candidates(self, family: Family) -> Sequence[Company]:
        fitting = [c for c in self._companies if self._metrics_of.get(c.name, frozenset()) & set(family.signs)]
        is_stray = self._rng.random() < family.stray
        return fitting if fitting and not is_stray else self._companies

    def _group(self, first: Company, family: Family) -> list[Company]:
        if family.companies is None:
            return [first]
        least, most = family.companies
        others = [c for c in self.peers(first, least) if c != first]
        size = self._rng.randint(least, most)
        return (
            self._rng.sample([first, *self._rng.sample(others, size - 1)], size) if len(others) >= size - 1 else []
        )

    def _currency(self, company: Company, family: Family) -> str | None:
        own = company.reports[0].currency
        if not family.other_currency:
            return own
        return self._rng.choice([c for c in _CURRENCIES if c != own])


def _metrics(family: Family, ontology: Ontology) -> Iterator[Metric]:
    for metric in ontology.metrics:
        if (
            metric.question_names
            and metric.id not in family.without
            and {metric.id, metric.kind} & set(family.metrics)
        ):
            yield metric


def _spoken(metric: Metric) -> str:
    """A title in running text: in lower case, unless it begins with an abbreviation."""
    title = metric.title
    return title if title[:2].isupper() or title[1:2] == "&" else title[0].lower() + title[1:]


def _without_currency(text: str, metric: Metric | None) -> str:
    """The template without the brackets for a currency, which a count does not have."""
    if metric is None or metric.kind in ("amount", "per_share"):
        return text
    return text.replace(" (in {currency})", "").replace(" in {currency}", "").replace(", in {currency}", "")


def _check(family: Family, ontology: Ontology, where: Path) -> None:
    known = {metric.id for metric in ontology.metrics}
    for name in (*family.metrics, *family.without, *family.signs):
        if name not in known and name not in _KINDS_OF_METRIC:
            raise UsageError(f"{where}: family {family.name!r}: {name!r} is no metric of the ontology")
    blanks = dict.fromkeys(("company", "companies", "metric", "currency", "event", "role"), "")
    for text in family.texts:
        try:
            text.format_map(blanks)
        except (KeyError, ValueError, IndexError) as error:
            message = f"expected the blanks {', '.join('{' + blank + '}' for blank in blanks)}"
            raise UsageError(f"{where}: family {family.name!r}: {text!r} has another blank; {message}") from error
        needed = {"metric": bool(family.metrics), "event": bool(family.fill), "role": bool(family.fill)}
        empty = [blank for blank, is_filled in needed.items() if f"{{{blank}}}" in text and not is_filled]
        if empty:
            raise UsageError(f"{where}: family {family.name!r}: nothing fills {{{empty[0]}}} in {text!r}")
