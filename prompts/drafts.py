"""What the forms of all kinds of answers share, the form of a worked example, and what makes a kind.

Models write fields in order, so the reasoning comes before the answer. The model reads descriptions and docstrings.
OpenAI's strict structured outputs allow no defaults, ranges or free-form objects; `strict_schema` leaves a default
out. Values in other spellings are read in `prompts.loose_values`.
"""

import datetime as dt
import functools
from typing import Annotated, Any, Literal, Self, cast, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SerializeAsAny, model_validator

from prompts.loose_values import (
    read_bounded,
    read_currency,
    read_lines,
    read_list,
    read_optional,
    read_page,
    read_reason,
    read_relation,
    read_scale,
)
from storage.records.answers import CheckName, Dimension, Relation, Value
from storage.records.record import Record

UnavailableBecause = Literal["not_disclosed", "not_found", "other_currency", "other_period"]
PageNumber = Annotated[int, BeforeValidator(read_page)]
OptionalText = Annotated[str | None, BeforeValidator(read_optional)]


class Form(Record):
    """What a model fills in. Extra fields are ignored; a nullable field that is left out is null."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    @model_validator(mode="before")
    @classmethod
    def _left_out_is_null(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        data = {name: read_bounded(value) for name, value in data.items()}
        nullable = [name for name, field in cls.model_fields.items() if type(None) in get_args(field.annotation)]
        return {**dict.fromkeys(nullable), **data}


class Evidence(Form):
    """One passage of one page that the answer rests on."""

    page: PageNumber = Field(description="The number in the label of the page that the quote is from.")
    quote: str = Field(
        description=(
            "Copied from that page, character by character: the shortest passage that shows the answer, at most "
            "about 30 words. Of a table, its row from the label to the figure. Nothing left out in the middle."
        )
    )
    printed_figure: OptionalText = Field(
        description=(
            "For a figure: exactly what is printed, with its brackets, sign and separators, such as '(28,641)', "
            "before any scale. Null where the quote is not about a figure."
        )
    )
    scale: Annotated[int | None, BeforeValidator(read_scale)] = Field(
        description=(
            "What one printed unit stands for: 1, 1000, 1000000 or 1000000000. 1 for counts, percentages and "
            "amounts printed in full. Null without a figure, and for figures printed in cents or pence."
        )
    )
    currency: Annotated[str | None, BeforeValidator(read_currency)] = Field(
        description="ISO code of the currency that the figure is printed in, such as USD. Null for anything else."
    )
    period: OptionalText = Field(
        description=(
            "The period or day that the passage is about, as printed: the heading of the figure's column, such "
            "as 'Year ended December 31, 2022'. Null where the page names none."
        )
    )
    relation: Annotated[Relation, BeforeValidator(read_relation)] = Field(
        default="same",
        description=(
            "How the passage stands to what is asked. same: it says it, also in other words or with 'about'. "
            "approximate: a bound or a rough figure ('over 1,300'). broader or narrower: it covers more or less "
            "(patents with pending applications; the company for a division). calculated: a figure that the answer "
            "is worked out from. other_period, other_currency: the thing of another time or in another currency. "
            "other_measure: a related thing."
        ),
    )


class Draft(Form):
    """What a model claims: its reasoning, its evidence and, last, its answer, which the form of each kind types."""

    step_by_step_analysis: Annotated[str, BeforeValidator(read_lines)] = Field(
        description=(
            "Think before you answer, in at least five numbered steps: what exactly is asked (thing, period, "
            "currency); which passages come near, with their pages; for each, whether it means the same or only "
            "something related; its period, unit and sign; what follows. Look for what speaks against a match."
        )
    )
    reasoning_summary: Annotated[str, BeforeValidator(read_lines)] = Field(
        description="The reasoning in one to three sentences, with the pages, for the reader of the answer."
    )
    evidence: Annotated[list[Evidence], BeforeValidator(read_list)] = Field(
        description=(
            "The passages that the answer rests on, the strongest first, no more than it needs. Not passages that "
            "were read and set aside. Empty where the answer rests on no passage."
        )
    )
    relevant_pages: Annotated[list[PageNumber], BeforeValidator(read_list)] = Field(
        description="The pages in evidence, each once, the strongest first. Empty where evidence is empty."
    )
    unavailable_because: Annotated[UnavailableBecause | None, BeforeValidator(read_reason)] = Field(
        description="Why final_answer is 'N/A'. Null whenever final_answer is anything else."
    )
    final_answer: object

    @property
    def value(self) -> Value:
        """The answer as a value of `Answer`."""
        return cast(Value, self.final_answer)

    @property
    def broken_rule(self) -> str | None:
        """The rule of its kind that the draft breaks, for which a worked example is refused."""
        return None


@functools.cache  # it takes 15 ms and is needed several times for each question
def strict_schema(model: type[BaseModel]) -> dict[str, Any]:
    """A model's JSON schema in the subset of OpenAI's strict structured outputs, for `response_format`.

    Every object is closed and requires all its properties. Titles and defaults are removed; a constant becomes an
    enumeration of one value. Properties keep their order, and `$defs` stay. The result is cached and shared: do not
    change it.
    """
    return _strict(model.model_json_schema())


def _strict(node: dict[str, Any]) -> dict[str, Any]:
    strict: dict[str, Any] = {}
    for key, value in node.items():
        if key in ("properties", "$defs"):
            strict[key] = {name: _strict(child) for name, child in value.items()}
        elif key == "items":
            strict[key] = _strict(value)
        elif key == "anyOf":
            strict[key] = [_strict(child) for child in value]
        elif key == "const":
            strict["enum"] = [value]
        elif key not in ("title", "default"):
            strict[key] = value
    if "properties" in strict:
        strict["required"] = list(strict["properties"])
        strict["additionalProperties"] = False
    return strict


class Example(Record):
    """A question, its pages as (page number, Markdown), and the correct draft."""

    question: str
    company: str
    currency: str
    period_end: dt.date
    pages: tuple[tuple[int, str], ...]
    draft: SerializeAsAny[Draft]

    @model_validator(mode="after")
    def _follows_the_rules(self) -> Self:
        """Refuse an example that breaks a rule: models would learn from it to break the rule."""
        draft, texts = self.draft, dict(self.pages)
        for passage in draft.evidence:
            if passage.quote not in texts.get(passage.page, ""):
                raise ValueError(f"the quote {passage.quote!r} is not on page {passage.page}, word for word")
            if passage.printed_figure and passage.printed_figure not in passage.quote:
                raise ValueError(f"the figure {passage.printed_figure!r} is not in its quote {passage.quote!r}")
        if draft.relevant_pages != list(dict.fromkeys(passage.page for passage in draft.evidence)):
            raise ValueError(f"relevant_pages {draft.relevant_pages} are not the pages in evidence, in its order")
        if (draft.unavailable_because is None) == (draft.final_answer == "N/A"):
            raise ValueError("unavailable_because is given with 'N/A' and null with any other answer")
        if draft.broken_rule is not None:
            raise ValueError(draft.broken_rule)
        return self


def passage(page: int, quote: str, period: str | None = None) -> Evidence:
    """Evidence that is not about a figure."""
    return Evidence(page=page, quote=quote, printed_figure=None, scale=None, currency=None, period=period)


class Kind(Record):
    """A kind of answer. Its name is that of its module in `prompts.kinds`.

    Attributes:
        title: on the screen.
        other_words: by which files of questions and `--kind` call it, in small letters.
        meaning: what such an answer is, for a model that chooses the kind of a question.
        dimension: what the answer is, where a question does not say it more exactly.
        checks: that its drafts go through, in this order.
    """

    title: str
    other_words: tuple[str, ...] = ()
    meaning: str
    dimension: Dimension
    checks: tuple[CheckName, ...] = ()


class DraftedKind(Kind):
    """A kind whose answers are drafted in a form of its own, by an instruction and at least one worked example."""

    form: type[Draft]
    instruction: str
    examples: Annotated[tuple[Example, ...], Field(min_length=1)]
