"""The answer schemas that a model fills in, one for each kind, and the form of a worked example.

Models write fields in order, so the reasoning comes before the answer. The model reads descriptions and docstrings.
OpenAI's strict structured outputs allow no defaults, ranges or free-form objects; `strict_schema` leaves a default
out. Values in other spellings are read in `prompts.loose_values`.
"""

import datetime as dt
import functools
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from prompts import loose_values as loose
from storage.records.answers import Relation, Value
from storage.records.questions import AnswerKind
from storage.records.record import Record

UnavailableBecause = Literal["not_disclosed", "not_found", "other_currency", "other_period"]
PageNumber = Annotated[int, BeforeValidator(loose.read_page)]
OptionalText = Annotated[str | None, BeforeValidator(loose.read_optional)]


class Form(Record):
    """What a model fills in. Extra fields are ignored; a nullable field that is left out is null."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    @model_validator(mode="before")
    @classmethod
    def _left_out_is_null(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
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
    scale: Annotated[int | None, BeforeValidator(loose.read_scale)] = Field(
        description=(
            "What one printed unit stands for: 1, 1000, 1000000 or 1000000000. 1 for counts, percentages and "
            "amounts printed in full. Null without a figure, and for figures printed in cents or pence."
        )
    )
    currency: Annotated[str | None, BeforeValidator(loose.read_currency)] = Field(
        description="ISO code of the currency that the figure is printed in, such as USD. Null for anything else."
    )
    period: OptionalText = Field(
        description=(
            "The period or day that the passage is about, as printed: the heading of the figure's column, such "
            "as 'Year ended December 31, 2022'. Null where the page names none."
        )
    )
    relation: Annotated[Relation, BeforeValidator(loose.read_relation)] = Field(
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
    """What a model claims: its reasoning, its evidence and, last, its answer."""

    step_by_step_analysis: Annotated[str, BeforeValidator(loose.read_lines)] = Field(
        description=(
            "Think before you answer, in at least five numbered steps: what exactly is asked (thing, period, "
            "currency); which passages come near, with their pages; for each, whether it means the same or only "
            "something related; its period, unit and sign; what follows. Look for what speaks against a match."
        )
    )
    reasoning_summary: Annotated[str, BeforeValidator(loose.read_lines)] = Field(
        description="The reasoning in one to three sentences, with the pages, for the reader of the answer."
    )
    evidence: Annotated[list[Evidence], BeforeValidator(loose.read_list)] = Field(
        description=(
            "The passages that the answer rests on, the strongest first, no more than it needs. Not passages that "
            "were read and set aside. Empty where the answer rests on no passage."
        )
    )
    relevant_pages: Annotated[list[PageNumber], BeforeValidator(loose.read_list)] = Field(
        description="The pages in evidence, each once, the strongest first. Empty where evidence is empty."
    )
    unavailable_because: Annotated[UnavailableBecause | None, BeforeValidator(loose.read_reason)] = Field(
        description="Why final_answer is 'N/A'. Null whenever final_answer is anything else."
    )


class NumberDraft(Draft):
    """The form for an answer that is one number."""

    final_answer: Annotated[float | Literal["N/A"], BeforeValidator(loose.read_number)] = Field(
        description=(
            "The number in full units, scale and sign applied, with no separators: (1,204) in thousands is "
            "-1204000. A percentage as printed: 12.5% is 12.5. 'N/A' where there is no answer."
        )
    )


class BooleanDraft(Draft):
    """The form for an answer that is yes or no."""

    final_answer: Annotated[bool | Literal["N/A"], BeforeValidator(loose.read_boolean)] = Field(
        description=(
            "True where a page shows it; false where a page denies it, with the passage in evidence. 'N/A' with "
            "not_found where the pages do not say, even if the question wants false then: the program sees to that."
        )
    )


class NameDraft(Draft):
    """The form for an answer that is one name."""

    final_answer: Annotated[str, BeforeValidator(loose.read_name)] = Field(
        description=(
            "The name alone, as printed. A person: first and last name in full, without forms of address, "
            "degrees or position. 'N/A' where there is no answer."
        )
    )


class NamesDraft(Draft):
    """The form for an answer that is a list of names."""

    final_answer: Annotated[list[str] | Literal["N/A"], BeforeValidator(loose.read_names)] = Field(
        description=(
            "The names alone, each once. Positions: titles in the singular, without persons. Products: exactly "
            "as printed. 'N/A' where there are none."
        )
    )


class Sentence(Form):
    """One sentence of the answer and the passages that say what it says."""

    text: Annotated[str, BeforeValidator(loose.read_text)] = Field(
        description="One plain sentence, without page numbers or references in it."
    )
    evidence_numbers: Annotated[
        list[Annotated[int, BeforeValidator(loose.read_count)]], BeforeValidator(loose.read_list)
    ] = Field(
        description=(
            "Which entries of evidence say this: 1 for the first entry, 2 for the second. These are places in "
            "that list, not page numbers. At least one."
        )
    )


class TextDraft(Draft):
    """The form for an answer in sentences."""

    final_answer: Annotated[list[Sentence] | Literal["N/A"], BeforeValidator(loose.read_sentences)] = Field(
        description=(
            "One to five sentences that together answer every part of the question, with the figures, dates and "
            "names that the pages give. 'N/A' where there is no answer."
        )
    )


AnyDraft = NumberDraft | BooleanDraft | NameDraft | NamesDraft | TextDraft
DRAFTS: dict[AnswerKind, type[AnyDraft]] = {
    "number": NumberDraft,
    "boolean": BooleanDraft,
    "name": NameDraft,
    "names": NamesDraft,
    "text": TextDraft,
}


def draft_for(kind: AnswerKind) -> type[AnyDraft]:
    """The form for a kind of answer.

    Raises:
        ValueError: the kind has no form of its own, such as a comparison.
    """
    if kind not in DRAFTS:
        raise ValueError(f"no form for answers of kind {kind!r}; expected one of {', '.join(DRAFTS)}")
    return DRAFTS[kind]


def value_of(draft: AnyDraft) -> Value:
    """The draft's answer as a value of `Answer`: sentences are joined to one text."""
    if isinstance(draft, TextDraft):
        answer = draft.final_answer
        return " ".join(sentence.text for sentence in answer) if isinstance(answer, list) else answer
    return tuple(draft.final_answer) if isinstance(draft.final_answer, list) else draft.final_answer


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
    draft: AnyDraft

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
        if isinstance(draft, TextDraft) and isinstance(draft.final_answer, list):
            places = set(range(1, len(draft.evidence) + 1))
            if not all(s.evidence_numbers and places >= set(s.evidence_numbers) for s in draft.final_answer):
                raise ValueError("every sentence names entries of evidence, counted from 1")
        return self


def passage(page: int, quote: str, period: str | None = None) -> Evidence:
    """Evidence that is not about a figure."""
    return Evidence(page=page, quote=quote, printed_figure=None, scale=None, currency=None, period=period)
