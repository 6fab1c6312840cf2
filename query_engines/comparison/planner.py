"""Asks a language model to split a question whose wording no rule knows."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from llama_index.core.types import BasePydanticProgram

from prompts.answers.answer_prompts import REPAIR_PROMPTS, RepairPrompts
from prompts.tasks.sub_questions import (
    SUB_QUESTION_PROMPTS,
    Decomposition,
    SubQuestionPrompts,
    sub_question_messages,
)
from query_engines.comparison.entities import Listed
from query_engines.comparison.plan import Plan, Relation
from query_engines.events import step
from query_engines.llm.event_loop import BackgroundLoop
from storage.errors import ProviderError

if TYPE_CHECKING:
    from query_engines.llm.client import CompatOpenAI

Planner = BasePydanticProgram[Decomposition]
_NEED_TWO: set[Relation] = {"more", "less", "difference", "ratio"}


async def request_plan(planner: Planner, question: str, found: Listed) -> Plan | None:
    """The model's plan; None where it gives none, omits a known company, or its reply is unusable."""
    names = [entity.company or entity.label for entity in found.entities]
    with step("routing", "Taking the question apart") as running:
        try:
            reply = cast(Decomposition, await planner.acall(question=question, companies=names))
        except ProviderError as error:
            running.summary = f"Not done: {error}"
            return None
        running.summary = "\n".join(
            [f"{reply.relation}: {reply.subject}", *(f"- {q.question}" for q in reply.questions)]
        )
    return _plan(reply, found)


def _plan(reply: Decomposition, found: Listed) -> Plan | None:
    entities = {entity.company or entity.label: entity for entity in found.entities}
    questions = [q for q in reply.questions if q.company in entities]
    names = {q.company for q in questions}
    left_out = [name for name, entity in entities.items() if entity.company and name not in names]
    if reply.relation == "none" or left_out or len(names) < len(questions) or len(questions) < 2:
        return None
    if reply.relation in _NEED_TWO and len(questions) != 2:
        return None
    if reply.relation not in ("each", "which", "all", "any") and reply.sub_answers != "number":
        return None
    return Plan(
        relation=reply.relation,
        subject=reply.subject,
        entities=tuple(entities[q.company].model_copy(update={"question": q.question}) for q in questions),
        kind="boolean" if reply.relation in ("which", "all", "any") else reply.sub_answers,
        currency=reply.currency,
    )


def sub_question_planner(
    llm: "CompatOpenAI",
    loop: BackgroundLoop,
    prompts: SubQuestionPrompts = SUB_QUESTION_PROMPTS,
    repair: RepairPrompts = REPAIR_PROMPTS,
) -> Planner:
    """The program that splits questions; it is called with `question` and `companies`."""
    from query_engines.llm.structured import CascadeProgram  # late: it loads the package openai

    def build_messages(*, with_schema: bool, question: str, companies: Sequence[str], **_: Any) -> Any:
        return sub_question_messages(question, companies, with_schema, prompts)

    return CascadeProgram(llm, Decomposition, build_messages, loop, repair)
