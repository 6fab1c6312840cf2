"""The parsed question, which all engines receive, with the facts that it asks for."""

import datetime as dt
import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from llama_index.core.schema import QueryBundle

from prompts.kinds import KINDS
from prompts.templates import asked
from query_engines.calculation.derivation import Derivation
from query_engines.calculation.part_figures import PartsFound
from query_engines.calculation.part_questions import PartQuestion
from query_engines.calculation.row_questions import (
    PrintedNames,
    RowCalculation,
    left_open,
    read_rows,
    relates_figures,
    relates_two,
)
from query_engines.company_names.matcher import CompanyNames, Naming
from query_engines.question.classifier import NO_GUESS, Guess
from query_engines.question.functions import HoldersAsked, MovesAsked, PartyAsked
from query_engines.question.query_of import query_of
from query_engines.question.search_text import nameless
from query_engines.question.section_topics import SectionMatch
from query_engines.question.standing import Standing
from storage.lexicon.answer_words import ANSWER_WORDS, Spoken
from storage.lexicon.periods import NamedPeriod, years_named
from storage.lexicon.question_words import (
    asks_how_many,
    asks_in_percent,
    asks_per_share,
    asks_when,
    counted,
)
from storage.lexicon.reasons import asks_why
from storage.lexicon.words import expression
from storage.records.answers import Dimension, Neighbour, Understood
from storage.records.derived_metrics import Change, DerivedMetric, Judgement
from storage.records.facts import Event, EventKind, Fact, Role, Seat, office_title
from storage.records.metrics import Metric, folded
from storage.records.queries import FilledQuestion, Query
from storage.records.questions import AnswerKind, Question
from storage.records.record import Record
from storage.records.reports import Company, Report
from storage.records.sections import Section, SectionKindRule
from storage.text import plain

Topic = Literal["line", "person", "event", "other"]
NAMED_EVENTS: frozenset[EventKind | None] = frozenset(
    {"leadership_change", "product_launch"}
)  # topics that are requested by name
INDUSTRY_COUNTS = frozenset(
    {"employees_let_go", "stores", "subscribers", "patents", "hospital_beds", "vehicles_sold", "oil_gas_reserves"}
    | {"fleet_size", "rooms", "pipeline_candidates", "storage_capacity"}
)
_SURE_LANGUAGE = 0.9
_LONGEST_ABBREVIATION = 3  # letters of a topic that is written in capitals
MOST_NAMED = 5  # pages of events that are read
_MOST_NAMES = 8
_OF_METRICS: dict[str, Dimension] = {
    "amount": "money",
    "per_share": "per share",
    "percent": "percent",
    "points": "percent",
    "count": "count",
    "times": "ratio",
    "days": "days",
    "years": "days",
    "pence": "per share",
}
_LEAVES_OUT = expression(
    r"\b(?:leave|skip|exclude|ignore|drop)\b[^.?!]{0,30}\b(?:compan(?:y|ies)|ones?|those|them|it)\b|\bif only one\b",
    re.IGNORECASE,
)  # what a question says of companies without data
_NO_NAMES, _NOBODY = CompanyNames(()), Naming()


class Intent(Record):
    """The intent of a question.

    Attributes:
        text: the search text: the question without company, period, currency and boilerplate.
        topic: a metric of the ontology, in a statement or the notes; a person; an event; or anything else.
        metric: which metric.
        sole_metric: the metric, if the question asks for it and nothing narrower.
        part_metric: the same for a question about a part of a year, where `sole_metric` is None.
        part_derived, part_change: the same as `derived` and `change`, which are None there.
        derived: the figure to calculate, if the question asks for one and nothing narrower.
        change: of a metric against the period before, if the question asks for one.
        judgement: the yes or no to give on `derived`.
        beside: further figures that the judgement is to show.
        operands: the metrics of `derived` or `change`, and the printed one of the same name.
        parts: what it asks about the parts of a figure: which, or how much one of them is.
        role, event: which person, which event.
        dimension: that the words themselves ask for, whatever the metric.
        counted: the things whose number the question asks for, such as "shares".
        is_by_name: whether the question has only the metric's own name.
        is_plain: whether the question asks for the metric, the officer or any event of the kind, and not for something
            narrower (a part of the metric, a quarter, a former officer, one event by its name) or for several years.
        is_of_any_time: whether it asks if something is mentioned, whenever it happened.
        printed: words that reports use for the person or event.
        explained: the metric whose change is to be explained.
        asks_what_is_due: whether it asks what falls due in a year after the reported one.
        party: whose name it asks for: the holder of a function, or the members of a committee.
        offices_next: of which it asks who will hold them.
        moves: which changes of leadership it asks for, where it asks for some.
        firm: of auditors that a question about an audit names; "" where it names none.
        holders: which holders of shares it asks for, where it asks for those.
        bought: the stems of what it names for its price; none where it asks for no price.
    """

    text: str
    topic: Topic = "other"
    metric: Metric | None = None
    sole_metric: Metric | None = None
    part_metric: Metric | None = None
    part_derived: DerivedMetric | None = None
    part_change: Change | None = None
    derived: DerivedMetric | None = None
    change: Change | None = None
    judgement: Judgement | None = None
    beside: tuple[DerivedMetric, ...] = ()
    operands: tuple[Metric, ...] = ()
    parts: PartQuestion | None = None
    role: Role | None = None
    event: EventKind | None = None
    dimension: Dimension | None = None
    counted: str = ""
    is_by_name: bool = False
    is_plain: bool = False
    is_of_any_time: bool = False
    printed: str = ""
    explained: Metric | None = None
    asks_what_is_due: bool = False
    party: PartyAsked | None = None
    offices_next: tuple[Role, ...] = ()
    moves: MovesAsked | None = None
    firm: str = ""
    holders: HoldersAsked | None = None
    bought: frozenset[str] = frozenset()

    @property
    def search_words(self) -> str:
        """The search text, and the names that reports print for the topic."""
        metric = self.metric or self.explained
        names = metric.names[:_MOST_NAMES] if metric else (self.printed,)
        return " ".join([self.text, *names]).strip()


_DIMENSION_WORDS: tuple[tuple[Callable[[str], bool], Dimension], ...] = (
    (asks_how_many, "count"),
    (asks_per_share, "per share"),
    (asks_in_percent, "percent"),
    (asks_when, "date"),
)


def dimension_in(text: str) -> tuple[Dimension | None, str]:
    """The dimension that the words alone ask for, and the things to be counted where they are known."""
    found = (dimension for asks_for, dimension in _DIMENSION_WORDS if asks_for(text))
    return next(found, None), counted(text) or ""


@dataclass(frozen=True)
class ParsedQuestion:
    """A question and everything that was read from its text.

    Attributes:
        question: the original question with its hints.
        text: of the question; once the company is known, "the prior year" is replaced by its number.
        wording: the text without what is wanted of a silent report, its number words as figures.
        kind: as given, as a model chose it, or by the wording; "text" if unknown.
        is_kind_known: whether the kind was given or follows from a rule.
        periods: that its text names, in order.
        currency: ISO code for the answer, given or named in the text.
        companies: the given one, else those that the text names or may mean. A single one is certain; several are
            named together or share a name.
        naming: the companies in the text and their places; empty where a company is given.
        names: of the library.
        company: about which it is answered; None before that is known.
        intent: what it asks for; before the company is known, only a search text.
        guess: of the classifier; `NO_GUESS` without a classifier.
        section: the kind of section that it asks for, once the company is known.
        standing: how it stands to its figure, once the company is known; None where it has none, or only names it.
        request: the wording without asides and, if it was not understood, well spelled; "" without a classifier.
    """

    question: Question
    text: str
    wording: str
    kind: AnswerKind
    is_kind_known: bool
    intent: Intent
    periods: tuple[NamedPeriod, ...] = ()
    currency: str | None = None
    companies: tuple[Company, ...] = ()
    naming: Naming = _NOBODY
    names: CompanyNames = field(default=_NO_NAMES, repr=False, compare=False)
    company: Company | None = None
    guess: Guess = NO_GUESS
    request: str = ""
    section: SectionKindRule | None = None
    standing: Standing | None = None

    @cached_property
    def query(self) -> Query:
        """What it asks, in slots."""
        return query_of(self)

    @property
    def asks_for_exactly_it(self) -> bool:
        """Whether the order of its words is sure that exactly its figure is asked for, whatever stands beside it."""
        return self.standing is not None and self.standing.is_surely_exact

    @property
    def part(self) -> Query | None:
        """The query that it was made of, where it is a part of a comparison, or a follow-up."""
        return self.question.query if isinstance(self.question, FilledQuestion) else None

    @property
    def whole(self) -> str:
        """The question in the user's own words, also where this one is a part of it."""
        return self.question.said or self.question.text

    @property
    def for_model(self) -> str:
        """The question as a language model gets it: in the user's own words, and which part of it is asked here."""
        question = self.question
        return asked(question.said, question.text) if question.said else asked(question.text)

    @property
    def years(self) -> tuple[int, ...]:
        """The years that it names, each once, in order."""
        return years_named(self.periods)

    @property
    def is_of_year_before(self) -> bool:
        """Whether it asks for the period before the reported one, without naming a year."""
        return any(period.years_back == 1 for period in self.periods)

    @property
    def year(self) -> int | None:
        """The only year that it names, or None."""
        return self.years[0] if len(self.years) == 1 else None

    @property
    def understood(self) -> Understood:
        """How it was understood, for the user."""
        query = self.query
        return Understood(
            companies=query.companies,
            metrics=self._metrics,
            dimension=self.dimension,
            periods=tuple(period.said for period in query.periods),
            currency=query.conditions.currency,
            scale=query.conditions.scale,
            conditions=query.conditions.in_words,
            unexplained=query.residue,
            operation=self._operation,
            language=self.language,
        )

    @property
    def _operation(self) -> str:
        if self.part is not None and self.part.is_of_figure:
            return self.part.operation or "value"
        return "comparison" if self.kind == "comparative" else self.guess.operation

    @property
    def _metrics(self) -> tuple[str, ...]:
        intent = self.intent
        if intent.derived is not None:
            return (intent.derived.title,)
        if intent.metric is not None:
            return (intent.metric.title,)
        known = office_title(intent.role) if intent.role else intent.event
        guessed = self.guess.topic if self.guess.is_sure and self.guess.topic != "other" else None
        lists_people = self.section is not None and self.section.lists == "people"  # whatever the guess was
        found = known or (None if self.guess.is_talk or lists_people else guessed)
        is_short = found is not None and len(found) <= _LONGEST_ABBREVIATION
        return (found.upper() if is_short else found.replace("_", " "),) if found else ()

    @property
    def language(self) -> Spoken:
        """The language that the question is certainly asked in, else English."""
        is_known = self.guess.language_probability >= _SURE_LANGUAGE
        return next((spoken for spoken in ANSWER_WORDS if is_known and spoken == self.guess.language), "en")

    @property
    def dimension(self) -> Dimension:
        """What the answer is: by its kind and its metric, else by the words."""
        intent = self.intent
        if self.kind == "text" and asks_why(self.wording):
            return "reasons"
        if self.kind == "name" and intent.role is not None:
            return "person"
        asks_who = self.wording[:3].lower() == "who"
        if self.kind in ("name", "names") and intent.event == "leadership_change" and not asks_who:
            return "titles"
        if self.kind != "number":
            return "date" if self.kind != "boolean" and intent.dimension == "date" else KINDS[self.kind].dimension
        if intent.derived is not None:
            return _OF_METRICS[intent.derived.unit]
        if intent.metric is not None and intent.is_plain and intent.dimension != "per share":
            return _OF_METRICS[intent.metric.kind]
        return intent.dimension or (_OF_METRICS[intent.metric.kind] if intent.metric else "number")

    def rows(self, printed: PrintedNames) -> RowCalculation | None:
        """The calculation with printed rows that it asks for; None where it asks for none, or its company is not known.

        Args:
            printed: what the report prints as names.
        """
        return read_rows(nameless(self.text, self.company), printed) if self.company else None

    def is_of_more_than(self, said: Set[str]) -> bool:
        """Whether it relates two figures, and has words beside these, so that they name only one of the two."""
        is_of_two = self.company is not None and relates_two(nameless(self.text, self.company))
        return is_of_two and bool(left_open(self.intent.text, said))

    def writes(self, label: str) -> bool:
        """Whether it has a printed label word for word; the company's name may be a part of that."""
        return folded(label) in plain(self.text).lower()

    @property
    def relates_figures(self) -> bool:
        """Whether it relates several figures, and does not only ask for one figure in each year."""
        return relates_figures(self.text)

    @property
    def may_leave_out(self) -> bool:
        """Whether it says what to do with companies without data."""
        return _LEAVES_OUT.search(self.question.text) is not None

    @property
    def word_count(self) -> int:
        """How many words it has."""
        return len(self.wording.split())

    @property
    def named_otherwise(self) -> Company | None:
        """The first company that its text names, where another one was given beside it."""
        named = self.names.read(plain(self.question.text)).companies if self.question.company else []
        is_other = self.company is not None and self.company.name not in [company.name for company in named]
        return named[0] if named and is_other else None

    def nearest(self, count: int = 5) -> tuple[str, ...]:
        """The names of companies that are most like the given one, or what its text may mean."""
        return self.names.nearest(self.question.company or self.text, count)

    @property
    def names_several(self) -> bool:
        """Whether its text certainly names at least two companies."""
        return len(self.naming.mentions) > 1

    def year_in(self, report: Report) -> int | None:
        """The calendar year in which its only period ends, by the report's own fiscal calendar."""
        year = self.year
        is_fiscal = any(period.is_fiscal and period.year == year and not period.month for period in self.periods)
        return year + 1 if year is not None and is_fiscal and report.is_called_by_first_year else year

    def with_kind(self, kind: AnswerKind) -> "ParsedQuestion":
        """The same question with this kind."""
        question = self.question.model_copy(update={"kind": kind})
        return replace(self, question=question, kind=kind, is_kind_known=True)


@dataclass(frozen=True)
class FactMatch:
    """The facts of a report for a question.

    Attributes:
        is_stored: False if no facts of the report are stored, so that nothing is known.
        is_read: False if no figure could be read, as in a garbled report; then a missing fact means nothing.
        metric, role, event: the topic of the question; at most one is set.
        year: the year that the question names.
        fact: the metric's value for the requested year, else for the reported period.
        periods: the metric's facts of all periods.
        is_opening: whether the balance at the beginning of a year is wanted; `year` is then the year before.
        parts: the figures of a sum that must not be calculated.
        derivation: the figure calculated from others.
        may_calculate: whether a calculated figure may be the answer.
        judgement: what is decided by the calculated figure.
        beside: further calculated figures for the judgement.
        period_end: the last day of the period that the question names, by the company's calendar; None where it names
            none, or several.
        period_name: the period as the company calls it, with its last day.
        remark: how another filing prints the figure of that period.
        named_parts: the parts of a figure that the question asks the names of.
        person: the officer, if certain.
        events: of the kind, most certain first; old ones only for questions whether any is mentioned.
        section: the sections of the report that a question in words asks for.
        sections: all of them, for a question that sentences answer.
        is_printed_label: the question writes the very label of a printed row, so that no other row is meant.
        may_relate: whether the question may ask for a calculation with several figures.
        named: then the certain figures of each metric that it names, by the name in small letters.
        seats: of those whom it asks for by an office, a committee or a list.
        usual_scale: of the report's statements, for tables that print no unit; None where it is not known.
        others: the metrics of the ontology beside the requested one, to tell a row of another by.
        whole: the company's own figure of what the question is about, where the question says more than that.
        said_beside: the words that say more.
        neighbours: figures that differ from `fact` in scope alone.
    """

    is_stored: bool = False
    is_read: bool = False
    metric: Metric | None = None
    role: Role | None = None
    event: EventKind | None = None
    year: int | None = None
    fact: Fact | None = None
    periods: tuple[Fact, ...] = ()
    is_opening: bool = False
    parts: str = ""
    derivation: Derivation | None = None
    may_calculate: bool = False
    judgement: Judgement | None = None
    beside: tuple[Derivation, ...] = ()
    period_end: dt.date | None = None
    period_name: str = ""
    remark: str = ""
    named_parts: PartsFound | None = None
    person: Seat | None = None
    events: tuple[Event, ...] = ()
    section: SectionMatch | None = None
    sections: tuple[Section, ...] = ()
    is_printed_label: bool = False
    may_relate: bool = False
    named: Mapping[str, tuple[Fact, ...]] = field(default_factory=dict)
    seats: tuple[Seat, ...] = ()
    usual_scale: int | None = None
    others: Sequence[Metric] = field(default=(), repr=False, compare=False)
    whole: Fact | None = None
    said_beside: str = ""
    neighbours: tuple[Neighbour, ...] = ()

    @property
    def calculated(self) -> Derivation | None:
        """The calculated figure, if it may be the answer; a printed one comes first."""
        return self.derivation if self.may_calculate and self.fact is None else None

    @property
    def no_meaning(self) -> str:
        """Why the figure has no meaning for this company, as the current ratio has none for a bank; else empty."""
        calculated = self.calculated
        if calculated is None or calculated.reason != "not_disclosed":
            return ""
        return f"{calculated.metric.title} has no meaning here: {calculated.why_not}."

    @property
    def is_counted(self) -> bool:
        """Whether the metric is an industry's count; the fact table has few of them, so a missing one means little."""
        return self.metric is not None and self.metric.kind == "count" and self.metric.id in INDUSTRY_COUNTS

    @property
    def pages(self) -> tuple[int, ...]:
        """The pages with these facts, the most certain first."""
        shown = MOST_NAMED if self.event in NAMED_EVENTS else 1
        found = [self.fact, self.person, *self.events[:shown]]
        operands = [page for d in (self.calculated, *self.beside) if d is not None for page in d.pages]
        split = (self.named_parts.breakdown.page_number,) if self.named_parts else ()
        told = self.section.first_pages if self.section else ()
        is_of_section = self.section is not None and self.section.rule.lists != "holders"
        held = (seat.page_number for seat in (() if is_of_section else self.seats))
        first = (f.page_number for f in found if f is not None)
        return tuple(dict.fromkeys([*operands, *split, *first, *held, *told]))

    @property
    def pages_with_named(self) -> tuple[int, ...]:
        """The same, then the pages of the figures that the question relates."""
        newest = (facts[0].page_number for facts in self.named.values())
        return tuple(dict.fromkeys([*self.pages, *newest]))

    @property
    def all_pages(self) -> tuple[int, ...]:
        """The same with every page of the sections, for what reads without a model."""
        return tuple(
            dict.fromkeys(
                [*self.pages, *(s.page_number for s in self.seats), *(self.section.pages if self.section else ())]
            )
        )


@dataclass(kw_only=True)
class QuestionBundle(QueryBundle):
    """A parsed question for LlamaIndex's engines, which use only its text.

    Attributes:
        facts: of the report for the question; empty before the report is chosen.
    """

    parsed: ParsedQuestion
    facts: FactMatch = FactMatch()


def bundle_of(parsed: ParsedQuestion, facts: FactMatch = FactMatch()) -> QuestionBundle:
    """Wrap a parsed question for LlamaIndex."""
    return QuestionBundle(query_str=parsed.text, parsed=parsed, facts=facts)


def reported_year(report: Report) -> int | None:
    """The year in which the report's period ends, else the year in its own name."""
    return report.year
