"""What a question asks, as a record, and the small algebra over it.

A `Query` is made once from a question. It says in slots what English says in sentences, so that nothing has to be
written as a question again to be understood: a comparison is spread into one query for each company and period, and
what is asked next in a conversation is merged with what was asked before.
"""

from dataclasses import replace
from decimal import Decimal
from functools import reduce
from typing import Literal

from pydantic import Field

from storage.lexicon.answer_words import Spoken
from storage.lexicon.periods import NamedPeriod, periods_in
from storage.records.answers import Dimension
from storage.records.questions import AnswerKind, Question
from storage.records.record import Record

Operation = Literal[
    "value",
    "change",
    "growth",
    "share",
    "ratio",
    "sum",
    "average",
    "count",
    "list",
    "series",
    "rank",
    "compare",
    "whether",
    "who",
    "when",
    "why",
    "describe",
    "talk",
]
"""What is to be done with the terms of a query; the one list of it."""
PartOperation = Literal[
    "largest", "smallest", "rose_most", "fell_most", "rose", "fell", "share", "growth", "value", "list"
]
"""What is asked about the parts of a figure: which one, or what of a named one or of each."""
TermKind = Literal["metric", "derived", "office", "event", "party", "section", "words"]
"""What a term is: a line of the ontology, a formula, an office, a kind of event, the holder of a function or the
members of a committee, a kind of section, or free words, such as the label of a printed row."""


Slot = Literal["companies", "periods", "terms"]
"""A slot that names several things, each of which can be asked about alone."""
Presumed = Literal["rose", "fell", "profit", "loss"]
"""What a question for reasons takes for granted: how the figure moved, or whether there was a profit."""


class Term(Record):
    """One thing that is asked about.

    Attributes:
        id: in the ontology, the formulas, the offices, the kinds of events or of sections; empty for free words.
        title: as people call it: "Total revenue", "chief executive officer"; free words as the question has them.
    """

    kind: TermKind
    id: str = ""
    title: str


class AskedPeriod(Record):
    """A period as a question names it.

    Attributes:
        said: as the question writes it: "FY 2022", "the third quarter of 2023".
        period: the same, read; its places are those in `said`, wherever the question has it.
        lead: what stands before it: "in the", "at the end of".
    """

    said: str
    period: NamedPeriod
    lead: str = ""

    @classmethod
    def first_in(cls, text: str) -> "tuple[AskedPeriod, ...]":
        """The first period that a text names, alone; nothing where it names none."""
        return tuple(cls.of(period, text) for period in periods_in(text)[:1])

    @classmethod
    def of(cls, period: NamedPeriod, text: str) -> "AskedPeriod":
        """A period that a text names."""
        said, lead = text[period.start : period.end], text[period.phrase_start : period.start].strip()
        return cls(said=said, period=replace(period, start=0, end=len(said), phrase_start=0), lead=lead)

    @classmethod
    def all_in(cls, text: str) -> "tuple[AskedPeriod, ...]":
        """The periods that a text names, in its order."""
        return tuple(cls.of(period, text) for period in periods_in(text))

    @property
    def phrase(self) -> str:
        """The period with what stands before it, as a question has it: "in 2022"."""
        return f"{self.lead or ('in' if self.said.isdigit() else '')} {self.said}".strip()


class Part(Record):
    """The part of a figure that is asked for: a named one, or which one.

    Attributes:
        which: what singles it out, such as "largest"; empty for a named part.
        name: of a segment, region, product or maturity, in the question's words.
    """

    which: PartOperation | None = None
    name: str = ""


class Conditions(Record):
    """What the answer must keep to.

    Attributes:
        currency: ISO code that it is wanted in.
        scale: it is wanted in; 1,000,000 for "in millions".
        limit, threshold: of a yes or no: how the figure must stand to which number; percentages as percent.
        without: words for what is to be left out.
    """

    currency: str | None = None
    scale: int | None = None
    limit: Literal["above", "below"] | None = None
    threshold: Decimal | None = None
    without: str = ""

    @property
    def in_words(self) -> tuple[str, ...]:
        """One phrase for each."""
        found = [f"in {self.currency}"] if self.currency else []
        found += [f"in units of {self.scale:,}"] if self.scale and self.scale > 1 else []
        found += [f"{self.limit} {self.threshold}"] if self.limit and self.threshold is not None else []
        found += [f"without {self.without}"] if self.without else []
        return tuple(found)


class Query(Record):
    """What a question asks. A slot that it says nothing of is empty, so that an earlier query can fill it.

    Attributes:
        operation: None where nothing but things are named.
        terms: what it is about, the first one first.
        subject: the words that say what it is about, as the question has them; rows and headings are matched with them.
        search: the words with which a report is searched: the subject's, and those that ask.
        companies: by their names in the library.
        is_of_all: every company of the library is meant.
        periods: in the question's order.
        part: of the term that is asked for, instead of the whole.
        conditions: what the answer must keep to.
        kind: of the answer; None where it follows from the rest.
        dimension: what the answer is.
        is_ahead: it asks for what is expected, planned or still due, not for what was.
        is_opening: it asks for the balance at the beginning of the period, not at its end.
        presumed: what it takes for granted; None where that is nothing, or where it does not ask why.
        silence: what is to be answered where the report does not say; None where the question says nothing of it.
        residue: the content words that no slot explains, in the question's order.
        language: in which it was asked.
    """

    operation: Operation | None = None
    terms: tuple[Term, ...] = ()
    subject: str = ""
    search: str = ""
    companies: tuple[str, ...] = ()
    is_of_all: bool = False
    periods: tuple[AskedPeriod, ...] = ()
    part: Part | None = None
    conditions: Conditions = Field(default_factory=Conditions)
    kind: AnswerKind | None = None
    dimension: Dimension | None = None
    is_ahead: bool = False
    is_opening: bool = False
    presumed: Presumed | None = None
    silence: bool | str | None = None
    residue: tuple[str, ...] = ()
    language: Spoken | None = None

    def merged(self, later: "Query") -> "Query":
        """This query with what a later one says; what it says nothing of stays.

        Another term takes its part and residue with it, as another operation takes the part, and other companies end
        "all of them". So `a.merged(b).merged(c)` is `a.merged(b.merged(c))`.
        """
        return Query(
            operation=later.operation or self.operation,
            terms=later.terms or self.terms,
            subject=later.subject or ("" if later.terms else self.subject),
            search=later.search or ("" if later.terms else self.search),
            companies=later.companies or (() if later.is_of_all else self.companies),
            is_of_all=later.is_of_all or (self.is_of_all and not later.companies),
            periods=later.periods or self.periods,
            part=later.part or (None if later.terms or later.operation else self.part),
            conditions=_merged(self.conditions, later.conditions),
            kind=later.kind or self.kind,
            dimension=later.dimension or self.dimension,
            is_ahead=later.is_ahead or self.is_ahead,
            is_opening=later.is_opening or self.is_opening,
            presumed=later.presumed or self.presumed,
            silence=self.silence if later.silence is None else later.silence,
            residue=later.residue or (() if later.terms else self.residue),
            language=later.language or self.language,
        )

    def spread(self, *slots: Slot) -> "tuple[Query, ...]":
        """One query for each of what some slots name, in their order; itself where there is one of each."""
        found = [self]
        for slot in slots:
            found = [one for query in found for one in query._each(slot)]
        return tuple(found)

    def _each(self, slot: Slot) -> "list[Query]":
        return [self.model_copy(update={slot: (one,)}) for one in getattr(self, slot)] or [self]

    @property
    def is_of_figure(self) -> bool:
        """Whether it asks for one figure that is known by its id, so that no words need to be read."""
        return len(self.terms) == 1 and self.terms[0].kind in ("metric", "derived") and bool(self.terms[0].id)

    @property
    def in_words(self) -> str:
        """What is asked, for people and logs; no program reads it: "growth · Total revenue · Acme Inc. · FY 2022"."""
        part = self.part.name or f"which is {self.part.which}" if self.part else ""
        said = (
            "" if self.operation in (None, "value") else str(self.operation),
            ", ".join(term.title for term in self.terms) or self.subject,
            part,
            "all companies" if self.is_of_all else ", ".join(self.companies),
            ", ".join(period.said for period in self.periods),
            *self.conditions.in_words,
        )
        return " · ".join(filter(None, said))

    @property
    def asked(self) -> str:
        """What is asked, in words and without the company; a part of a comparison is read from it."""
        unit = f" (in {self.conditions.currency})" if self.conditions.currency else ""
        when = "".join(f" in {period.said}" for period in self.periods)
        return f"{self.what}{unit}{when}"

    @property
    def what(self) -> str:
        """What is asked, in words and without company, unit and period."""
        if self.operation == "why":
            return f"why the {self.subject} changed"
        moved = {"growth": "percentage change in ", "change": "change in "}
        return f"{moved.get(self.operation or '', '')}{self.subject}"

    def periods_in(self, text: str) -> tuple[NamedPeriod, ...]:
        """The periods by their places in a text that has them as they were said."""
        found, at = list[NamedPeriod](), 0
        for one in self.periods:
            at = text.index(one.said, at)
            end = at + len(one.said)
            found.append(replace(one.period, start=at, end=end, phrase_start=at))
            at = end
        return tuple(found)


class FilledQuestion(Question):
    """A question that was made of a query, so that nothing of its text needs to be read: a part, or a follow-up.

    Attributes:
        query: what it asks, of one company.
    """

    query: Query


def merged(*queries: Query) -> Query:
    """Queries one after the other, each with what it says of its own; an empty one for none."""
    return reduce(Query.merged, queries, Query())


def _merged(first: Conditions, later: Conditions) -> Conditions:
    said = {name: value for name, value in later if value != Conditions.model_fields[name].default}
    return first.model_copy(update=said)
