"""The prompt texts for answering a question and for repairing a reply; a prompt set may replace them."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError, field_validator

from prompts.answers.instructions import ROLE, SHARED, STRICTNESS, UNAVAILABLE
from prompts.answers.second_look import SECOND_LOOK
from prompts.drafts import Example
from prompts.kinds import DRAFTED, draft_for
from prompts.templates import (
    BRIEF_FORM,
    FORM,
    FORM_WITH_SCHEMA,
    REFORMAT_SYSTEM,
    REFORMAT_USER,
    SYSTEM,
    USER,
    PromptGroup,
    Template,
)
from storage.records.answers import Strictness
from storage.records.questions import AnswerKind

_INSTRUCTIONS = {name: kind.instruction for name, kind in DRAFTED.items()}
_EXAMPLES = {name: kind.examples for name, kind in DRAFTED.items()}


class AnswerPrompts(PromptGroup):
    """The blocks of the answering prompt and the templates that join them.

    A brief prompt is made of the same blocks, without the rules that begin with `+`, and with the first examples.

    Attributes:
        strictness: the block for each strictness.
        kinds: the rules for each kind of answer that has a form.
        system: joins the blocks.
        user: the report's header, the pages and the question, then the task.
        second_look: the first prompt again, the draft, and the findings against it.
        examples: at least one worked example for each kind.
    """

    role: str = ROLE
    shared: str = SHARED
    strictness: dict[Strictness, str] = STRICTNESS
    kinds: dict[AnswerKind, str] = _INSTRUCTIONS
    unavailable: str = UNAVAILABLE
    form: str = FORM
    brief_form: str = BRIEF_FORM
    form_with_schema: Template = FORM_WITH_SCHEMA
    system: Template = SYSTEM
    user: Template = USER
    second_look: Template = SECOND_LOOK
    examples: dict[AnswerKind, tuple[Example, ...]] = _EXAMPLES

    @field_validator("examples", mode="before")
    @classmethod
    def _drafts_are_of_their_kind(cls, given: Any) -> Any:
        """N/A fits the form of every kind, so the kind decides which form a draft belongs to."""
        if not isinstance(given, Mapping):
            return given
        return {kind: _with_drafts(kind, examples) for kind, examples in given.items()}

    @field_validator("examples")
    @classmethod
    def _every_kind_has_one(
        cls, examples: dict[AnswerKind, tuple[Example, ...]]
    ) -> dict[AnswerKind, tuple[Example, ...]]:
        if bare := [kind for kind, of_kind in examples.items() if not of_kind]:
            raise ValueError(f"expected one example or more for {', '.join(bare)}")
        return examples


class RepairPrompts(PromptGroup):
    """The prompt that asks a model to restate a reply that could not be read."""

    system: Template = REFORMAT_SYSTEM
    user: Template = REFORMAT_USER


ANSWER_PROMPTS = AnswerPrompts()
REPAIR_PROMPTS = RepairPrompts()


def _with_drafts(kind: AnswerKind, examples: Any) -> Any:
    if not isinstance(examples, list):
        return examples
    return [_with_draft(kind, e) if isinstance(e, dict) and "draft" in e else e for e in examples]


def _with_draft(kind: AnswerKind, example: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        return {**example, "draft": draft_for(kind).model_validate(example["draft"])}
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"draft.{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
