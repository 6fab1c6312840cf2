"""An answer, its citations and the checks that it passed or failed."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from storage.amounts import grouped, printed_decimals
from storage.lexicon.answer_words import ANSWER_WORDS, Absence, AnswerWords, Spoken
from storage.records.questions import AnswerKind
from storage.records.record import Box, Record

NOT_AVAILABLE = "N/A"
Reason = Absence
CheckName = Literal[
    "page",
    "quote",
    "figure",
    "dimension",
    "row",
    "currency",
    "period",
    "fact_table",
    "name",
    "sentence",
    "sentences",
]
OWN_CHECK = "own_"
"""Before the names of checks that are the user's own."""
OwnCheckName = Annotated[str, Field(pattern=r"^own_[a-z][a-z0-9_]{0,40}$")]
Verdict = Literal["passed", "failed", "not_applicable"]
Dimension = Literal[
    "money",
    "count",
    "percent",
    "ratio",
    "per share",
    "days",
    "date",
    "person",
    "titles",
    "name",
    "names",
    "yes/no",
    "reasons",
    "free text",
    "number",
]
Value = bool | float | str | tuple[str, ...]


class Unit(Record):
    """How a number is printed: currency, scale (1, 1,000, 1,000,000), the figure itself, the period's end.

    `measure` says what a figure is that is no amount; of a calculated one `printed` is then as people write it.
    """

    currency: str | None = None
    scale: int = 1
    printed: str = ""
    period_end: dt.date | None = None
    measure: Literal["percent", "times", "days", "years", "points", "pence"] | None = None

    def decimals(self, value: float) -> int:
        """How many decimals of a value the page prints."""
        return printed_decimals(self.printed, value, self.scale)


class Citation(Record):
    """Where an answer is printed. Boxes are in points of the page as displayed, top-left origin.

    `text_source` tells whether the quote stands in the PDF as text, was read from a picture of the page by OCR, or
    stands in an annotation: a text or stamp that was put on the page after it was made.
    """

    report_sha1: str
    file: str
    page: int
    page_width: float
    page_height: float
    quote: str
    boxes: tuple[Box, ...] = ()
    text_source: Literal["text_layer", "ocr", "annotation"] = "text_layer"


class CitedFigure(Record):
    """A figure that a calculated value rests on: the number in full units and where it is printed.

    Attributes:
        period: the last day of its period.
        citation: its row; of a sum of printed figures the first one.
        row: the printed label.
    """

    name: str
    value: float
    unit: Unit | None = None
    period: dt.date | None = None
    row: str = ""
    citation: Citation


class SeriesFigure(Record):
    """One cell of a table of figures, or one point of a trend.

    Attributes:
        metric: its title.
        column: the period as the question calls it, such as "2022"; empty for the newest.
        period: the last day of the figure's period; None where that is not known.
        value: in full units; "N/A" with a `reason` where there is none.
        citation: where the figure is printed; of a calculated one, its first operand.
    """

    company: str
    metric: str = ""
    column: str = ""
    period: dt.date | None = None
    value: float | Literal["N/A"]
    unit: Unit | None = None
    citation: Citation | None = None
    reason: Reason | None = None


Relation = Literal[
    "same",
    "approximate",
    "broader",
    "narrower",
    "calculated",
    "other_period",
    "other_currency",
    "other_measure",
]
"""How what is printed stands to what was asked."""
Strictness = Literal["strict", "practical", "analyst"]
"""Which of these may be the answer: see `ALLOWED`."""
ALLOWED: dict[Strictness, frozenset[Relation]] = {
    "strict": frozenset({"same"}),
    "practical": frozenset({"same", "approximate", "broader"}),
    "analyst": frozenset({"same", "approximate", "broader", "calculated", "other_currency"}),
}


class Nearest(Record):
    """The printed figure that comes nearest to what was asked, where it is not the answer.

    Attributes:
        value: in full units.
        relation: how it stands to what was asked; never "same".
        page: where it is printed.
        quote: its row as printed.
        detail: how it differs, in words.
        citation: its place on the page, where that is at hand.
    """

    value: float
    unit: Unit | None = None
    relation: Relation
    page: int
    quote: str
    detail: str
    citation: Citation | None = None

    @property
    def shown(self) -> str:
        """The figure as people write it, with its currency."""
        if self.relation == "calculated" and self.unit and self.unit.printed:
            return self.unit.printed
        currency = f" {self.unit.currency}" if self.unit and self.unit.currency else ""
        return f"{grouped(self.value)}{currency}"


class Neighbour(Record):
    """A figure that differs from another one in scope alone, such as the current part of a debt.

    Attributes:
        metric: its id in the ontology; `title` says how its scope is another one.
        value: in full units.
        page: where it is printed, in the row with this label; a total may have none.
    """

    metric: str
    title: str
    value: int | float
    page: int
    row_label: str

    def __str__(self) -> str:
        label = repr(self.row_label) if self.row_label else "a total without a label"
        return f"{self.value:,} {self.title} (p. {self.page}, {label})"


class NearestPassage(Record):
    """A passage that comes near to a question which only a reader can answer.

    Attributes:
        heading: above it; may be empty.
        quote: its words as printed.
        citation: its place on the page.
    """

    heading: str = ""
    page: int
    quote: str
    citation: Citation


class Check(Record):
    """One verification of an answer against its page."""

    name: CheckName | OwnCheckName
    verdict: Verdict
    detail: str = ""


class Usage(Record):
    """Requests, tokens and cost of the models. `cost_usd` is None where the price is unknown."""

    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = 0.0

    def __add__(self, other: Usage) -> Usage:
        known = self.cost_usd is not None and other.cost_usd is not None
        return Usage(
            requests=self.requests + other.requests,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cost_usd=(self.cost_usd or 0.0) + (other.cost_usd or 0.0) if known else None,
        )


class Understood(Record):
    """How a question was understood, in words that people and programs can check.

    Attributes:
        companies: as the library calls them.
        metrics: titles of what is asked for, or the office or kind of event.
        figure: what was calculated, or the printed row that was read, where that is none of `metrics`.
        dimension: what the answer is; "number" for a figure of an unknown kind.
        periods: as the question writes them.
        currency, scale: that the answer is asked in.
        operation: value, change, growth, share, series, list, explanation, comparison.
        language: in which the question was asked, for the words around the answer.
        conditions: what the answer must keep to, one phrase for each: "in USD", "without goodwill".
        unexplained: words of the question that are in none of the fields, though they may change what is asked.
    """

    companies: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    figure: str = ""
    dimension: Dimension = "free text"
    periods: tuple[str, ...] = ()
    currency: str | None = None
    scale: int | None = None
    operation: str = "value"
    language: Spoken = "en"
    conditions: tuple[str, ...] = ()
    unexplained: tuple[str, ...] = ()


class Answer(Record):
    """A typed answer after verification.

    Attributes:
        value: "N/A" with a `reason` where there is no answer.
        candidates: companies to choose from where the question's company is unknown or ambiguous, nearest first.
        understood: how the question was understood.
        parts: for a comparison, one answer for each company, or for each cell of a table.
        series: the figures of the parts, in their order, where figures are compared.
        relation: how the value stands to what was asked; other than "same" only where the strictness allows it.
        nearest: the nearest printed figure, where there is no answer.
        nearest_passages: to read where the reason is "needs_reading": at most three, best first; of companies that are
            compared one of each.
        from_silence: the value, a yes or no, rests on a search that found no mention of it.
        neighbours: of a printed figure, those of the same period that differ from it in scope alone.
        formula: of a calculated figure, in words.
        operands: the figures of the formula, in its order.
        pages: every page that the answer was drawn from, best first, cited or not.
        filing: what kind of document it was drawn from, such as "10-Q, second quarter of fiscal 2023".
        period: the period that was asked about, as the company calls it, with its last day.
        remark: how another filing prints the figure.
        cached: the answer comes from the cache; `usage` and `seconds` are those of this call.
    """

    question: str
    kind: AnswerKind
    company: str | None = None
    value: Value = NOT_AVAILABLE
    unit: Unit | None = None
    reason: Reason | None = None
    candidates: tuple[str, ...] = ()
    citations: tuple[Citation, ...] = ()
    checks: tuple[Check, ...] = ()
    analysis: str = ""
    summary: str = ""
    pages: tuple[int, ...] = ()
    usage: Usage = Usage()
    seconds: float = 0.0
    profile: str = ""
    prompt_version: str = ""
    cached: bool = False
    understood: Understood | None = None
    parts: tuple[Answer, ...] = ()
    series: tuple[SeriesFigure, ...] = ()
    relation: Relation = "same"
    nearest: Nearest | None = None
    nearest_passages: tuple[NearestPassage, ...] = ()
    from_silence: bool = False
    neighbours: tuple[Neighbour, ...] = ()
    formula: str | None = None
    operands: tuple[CitedFigure, ...] = ()
    filing: str = ""
    period: str = ""
    remark: str = ""

    @property
    def is_available(self) -> bool:
        """Whether there is an answer other than N/A."""
        return self.value != NOT_AVAILABLE

    @property
    def is_talk(self) -> bool:
        """Whether it only answers small talk: it rests on no report."""
        return self.is_available and self.company is None and not self.citations and not self.parts

    @property
    def language(self) -> Spoken:
        """The question's language."""
        return self.understood.language if self.understood else "en"

    @property
    def words(self) -> AnswerWords:
        """The words of the question's language."""
        return ANSWER_WORDS[self.language]

    @property
    def value_text(self) -> str:
        """The value as people write it, in the question's language and the scale that it wants money in.

        Such as "yes", "386,412,000 USD", "386.412 million USD", names with semicolons between them.
        """
        if self.from_silence:
            return self.words.silent
        if isinstance(self.value, bool):
            return self.words.yes if self.value else self.words.no
        if isinstance(self.value, float) and self.unit and self.unit.measure:
            in_brackets = self.unit.printed.startswith("(")  # as reports print what is negative
            return f"{self.words.figure(self.value)}%" if in_brackets else self.unit.printed
        if isinstance(self.value, float):
            currency = (self.unit and self.unit.currency) or ""
            understood = self.understood
            scale = understood.scale if understood and currency and understood.dimension == "money" else None
            return self.words.figure(
                self.value, scale or 1, currency, self.unit.decimals(self.value) if self.unit else 0
            )
        return "; ".join(self.value) if isinstance(self.value, tuple) else self.value

    def __repr__(self) -> str:
        """Short: the question, and the answer in one line."""
        return f"<Answer to {self.question!r}: {self}>"

    def __str__(self) -> str:
        """The value and the page of its first citation, or why there is none: a line for a log or a terminal."""
        if self.reason:
            is_english = self.words is ANSWER_WORDS["en"]
            why = self.reason.replace("_", " ") if is_english else self.words.reasons[self.reason]
            return f"{self.value_text} ({why})"
        cited = self.citations[0] if self.citations else None
        return f"{self.value_text} ({cited.file}, {self.words.page} {cited.page})" if cited else self.value_text
