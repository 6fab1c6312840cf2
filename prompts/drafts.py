"""What the forms of all kinds of answers share, the form of a worked example, and what makes a kind.

Models write fields in order, so the reasoning comes before the answer. The model reads descriptions and docstrings.
A model points at a row or a sentence by its mark and copies nothing else of it: the fields that a program fills in from
the page are not in the schema. OpenAI's strict structured outputs allow no defaults, ranges or free-form objects;
`strict_schema` leaves a default out. Values in other spellings are read in `prompts.loose_values`.
"""

import datetime as dt
import functools
import re
import types
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self, TypeVar, Union, cast, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SerializeAsAny, model_validator
from pydantic.fields import FieldInfo
from pydantic.json_schema import SkipJsonSchema

from prompts.loose_values import (
    read_bounded,
    read_currency,
    read_lines,
    read_list,
    read_mark,
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


AS_PRINTED = "as printed"
"""The answer of a draft that leaves the number to the row or sentence it points at."""


@dataclass(frozen=True)
class Tokens:
    """The most tokens that a text field may take; `brief` where little is written, and 0 if it is not asked there."""

    most: int
    brief: int


class Thoughts(Tokens):
    """The same of a field in which a model thinks; the rest of a form is what is asked."""


_FEW_TOKENS = Tokens(24, 24)


class Evidence(Form):
    """One row or sentence of one page that the answer rests on."""

    mark: Annotated[str, BeforeValidator(read_mark), _FEW_TOKENS] = Field(
        default="",
        description=(
            "The mark in square brackets before the row or sentence that shows the answer, without the brackets, "
            "such as '61.3'."
        ),
    )
    column: Annotated[OptionalText, Tokens(60, 40)] = Field(
        default=None,
        description="Of a table's row: the heading of the figure's column, as printed. Null for a sentence.",
    )
    printed_figure: Annotated[OptionalText, _FEW_TOKENS] = Field(
        default=None,
        description=(
            "For a figure: exactly what is printed, with its brackets, sign and separators, such as '(28,641)'. "
            "Null where the passage is not about a figure."
        ),
    )
    relation: Annotated[Relation, BeforeValidator(read_relation)] = Field(
        default="same",
        description=(
            "How the passage stands to what is asked. same: it says it, also in other words or with 'about'. "
            "approximate: a bound or a rough figure ('over 1,300'). broader or narrower: it covers more or less "
            "(patents with pending applications; the company for a division). calculated: a figure that is the result "
            "of a calculation of your own. other_period, other_currency: the thing of another time or in another "
            "currency. other_measure: a related thing."
        ),
    )
    # What a program reads from the page at the mark; a model that has no marks may give it itself.
    page: SkipJsonSchema[PageNumber] = 0
    quote: SkipJsonSchema[str] = ""
    scale: SkipJsonSchema[Annotated[int | None, BeforeValidator(read_scale)]] = None
    currency: SkipJsonSchema[Annotated[str | None, BeforeValidator(read_currency)]] = None
    period: SkipJsonSchema[OptionalText] = None

    @model_validator(mode="after")
    def _has_a_place(self) -> Self:
        if not self.mark and not (self.page and self.quote):
            raise ValueError("a passage needs its mark, or its page and quote")
        return self


class Draft(Form):
    """What a model claims: its reasoning, its evidence and, last, its answer, which the form of each kind types."""

    step_by_step_analysis: Annotated[str, BeforeValidator(read_lines), Thoughts(1_200, 160)] = Field(
        description=(
            "Think before you answer, in at least five numbered steps: what exactly is asked (thing, period, "
            "currency); which passages come near, with their pages; for each, whether it means the same or only "
            "something related; its period, unit and sign; what follows. Look for what speaks against a match."
        )
    )
    reasoning_summary: Annotated[str, BeforeValidator(read_lines), Thoughts(250, 0)] = Field(
        description="The reasoning in one to three sentences, with the pages, for the reader of the answer."
    )
    evidence: Annotated[list[Evidence], BeforeValidator(read_list)] = Field(
        description=(
            "The passages that the answer rests on, the strongest first, no more than it needs. Not passages that "
            "were read and set aside. Empty where the answer rests on no passage."
        )
    )
    relevant_pages: SkipJsonSchema[Annotated[list[PageNumber], BeforeValidator(read_list)]] = Field(default=[])
    unavailable_because: Annotated[UnavailableBecause | None, BeforeValidator(read_reason)] = Field(
        description="Why final_answer is 'N/A'. Null whenever final_answer is anything else."
    )
    final_answer: object

    @model_validator(mode="before")
    @classmethod
    def _summary_is_the_analysis(cls, data: Any) -> Any:
        """An analysis that is brief is its own summary, which is then not asked for."""
        if not isinstance(data, dict) or data.get("reasoning_summary") != "":
            return data
        return {**data, "reasoning_summary": data.get("step_by_step_analysis", "")}

    @property
    def value(self) -> Value:
        """The answer as a value of `Answer`."""
        return cast(Value, self.final_answer)

    @property
    def broken_rule(self) -> str | None:
        """The rule of its kind that the draft breaks, for which a worked example is refused."""
        return None


@functools.cache  # it takes 15 ms and is needed several times for each question
def strict_schema(model: type[BaseModel], *, brief: bool = False) -> dict[str, Any]:
    """A model's JSON schema in the subset of OpenAI's strict structured outputs, for `response_format`.

    Every object is closed and requires all its properties. Titles and defaults are removed; a constant becomes an
    enumeration of one value. Properties keep their order, and `$defs` stay. The result is cached and shared: do not
    change it.

    Args:
        model: the form.
        brief: without the fields that are not asked where little is written.
    """
    schema = _strict(model.model_json_schema())
    return without_fields(schema, unasked_fields(model)) if brief else schema


def without_fields(schema: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """A strict schema without some of its fields."""
    properties = {name: value for name, value in schema["properties"].items() if name not in names}
    return {**schema, "properties": properties, "required": list(properties)}


def unasked_fields(model: type[BaseModel]) -> tuple[str, ...]:
    """The text fields of a form that are not asked where little is written."""
    return tuple(
        name
        for name, field in model.model_fields.items()
        if any(isinstance(each, Tokens) and not each.brief for each in field.metadata)
    )


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


_SHORT_VALUE, _SHORT_TEXT = 12, Tokens(200, 60)  # tokens
_MOST_ITEMS = 12


def reply_limit(form: type[BaseModel], *, brief: bool = False) -> int:
    """The most tokens that a filled form takes, so that no reply goes on for ever."""
    shown = strict_schema(form, brief=brief)["properties"]
    return sum(_field_limit(name, form.model_fields[name], brief=brief) for name in shown)


def reasoning_fields(form: type[BaseModel]) -> tuple[str, ...]:
    """The text fields of a form in which a model thinks; the rest of it is what is asked."""
    return tuple(
        name
        for name, field in form.model_fields.items()
        if any(isinstance(each, Tokens) for each in field.metadata)
    )


def _field_limit(name: str, field: FieldInfo, *, brief: bool) -> int:
    told = next((each for each in field.metadata if isinstance(each, Tokens)), _SHORT_TEXT)
    return len(name) // 3 + _type_limit(field.annotation, told, brief=brief)


def _type_limit(kind: Any, text: Tokens, *, brief: bool) -> int:
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _type_limit(inner[0], text, brief=brief)
    if origin is list:
        return _MOST_ITEMS // (3 if brief else 1) * _type_limit(inner[0], text, brief=brief)
    if origin in (Union, types.UnionType):
        return max(_type_limit(each, text, brief=brief) for each in inner)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return reply_limit(kind, brief=brief)
    return (text.brief if brief else text.most) if kind in (str, object) else _SHORT_VALUE


def shown_fields(value: BaseModel, *, brief: bool = False) -> dict[str, Any]:
    """A form as a model fills it in, without what a program adds; a passage without a mark is shown whole."""
    is_whole = isinstance(value, Evidence) and not value.mark
    names = type(value).model_fields if is_whole else strict_schema(type(value), brief=brief)["properties"]
    return {name: _shown(getattr(value, name)) for name in names}


def _shown(item: object) -> Any:
    if isinstance(item, list | tuple):
        return [_shown(each) for each in item]
    return shown_fields(item) if isinstance(item, BaseModel) else item


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
        draft = self.draft
        lines = dict(_marked_lines(text for _, text in self.pages))
        for passage in draft.evidence:
            if passage.mark not in lines:
                raise ValueError(f"the mark {passage.mark!r} is not on the pages")
            if passage.printed_figure and passage.printed_figure not in lines[passage.mark]:
                raise ValueError(f"the figure {passage.printed_figure!r} is not at its mark [{passage.mark}]")
        if (draft.unavailable_because is None) == (draft.final_answer == "N/A"):
            raise ValueError("unavailable_because is given with 'N/A' and null with any other answer")
        if draft.broken_rule is not None:
            raise ValueError(draft.broken_rule)
        return self


def cited_pages(example: Example) -> tuple[tuple[int, str], ...]:
    """The pages of an example that its draft points at; all where it points at none."""
    marks = [f"[{passage.mark}]" for passage in example.draft.evidence]
    return tuple(page for page in example.pages if any(mark in page[1] for mark in marks)) or example.pages


def passage(page: int, quote: str, period: str | None = None) -> Evidence:
    """Evidence of a program that is not about a figure."""
    return Evidence(page=page, quote=quote, period=period)


_DraftForm = TypeVar("_DraftForm", bound=Draft)


def drafted(
    form: type[_DraftForm], query: str, answer: object, told: str, evidence: Sequence[Evidence], how: str = ""
) -> _DraftForm:
    """A draft of a program that reads without a model.

    Args:
        form: of the answer's kind.
        query: what was searched for.
        answer: in that form.
        told: what was found, in a sentence or two.
        evidence: the passages that say so; their pages are the draft's.
        how: in more words what was found; "" where there is nothing to add.
    """
    return form.model_validate(
        {
            "step_by_step_analysis": f"Found without a language model. Searched for {query!r}. {how or told}",
            "reasoning_summary": told,
            "evidence": list(evidence),
            "relevant_pages": list(dict.fromkeys(each.page for each in evidence)),
            "unavailable_because": None,
            "final_answer": answer,
        }
    )


def marked(mark: str) -> Evidence:
    """Evidence of a worked example that is not about a figure."""
    return Evidence(mark=mark)


def _marked_lines(texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each mark of some pages, and the text behind it as far as the next one."""
    for text in texts:
        parts = re.split(r"\[(\d+\.\d+)\] ", text)
        yield from zip(parts[1::2], parts[2::2], strict=True)


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
