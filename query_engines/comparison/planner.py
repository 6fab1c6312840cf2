"""Asking a language model to take a question apart, where no rule knows its wording."""

from collections.abc import Sequence
from typing import Any, cast

from llama_index.core.types import BasePydanticProgram

from prompts.answers.answer_prompts import REPAIR_PROMPTS, RepairPrompts
from prompts.tasks.sub_questions import (
    SUB_QUESTION_PROMPTS,
    Decomposition,
    SubQuestionPrompts,
    sub_question_messages,
)
from query_engines.comparison.parties import Listed
from query_engines.comparison.plan import Plan, Relation
from query_engines.events import step
from query_engines.llm.client import CompatOpenAI
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.llm.structured import CascadeProgram
from storage.errors import ProviderError

Planner = BasePydanticProgram[Decomposition]
_NEED_TWO: set[Relation] = {"more", "less", "difference", "ratio"}


async def ask_for_plan(planner: Planner, question: str, found: Listed) -> Plan | None:
    """The model's plan; None where it has none, leaves a known company out, or gives no usable reply."""
    names = [party.company or party.label for party in found.parties]
    with step("routing", "Taking the question apart") as running:
        try:
            said = cast(Decomposition, await planner.acall(question=question, companies=names))
        except ProviderError as error:
            running.summary = f"Not done: {error}"
            return None
        running.summary = "\n".join(
            [f"{said.relation}: {said.subject}", *(f"- {q.question}" for q in said.questions)]
        )
    return _plan(said, found)


def _plan(said: Decomposition, found: Listed) -> Plan | None:
    parties = {party.company or party.label: party for party in found.parties}
    asked = [q for q in said.questions if q.company in parties]
    names = {q.company for q in asked}
    left_out = [name for name, party in parties.items() if party.company and name not in names]
    if said.relation == "none" or left_out or len(names) < len(asked) or len(asked) < 2:
        return None
    if said.relation in _NEED_TWO and len(asked) != 2:
        return None
    if said.relation not in ("each", "which", "all", "any") and said.sub_answers != "number":
        return None
    return Plan(
        relation=said.relation,
        subject=said.subject,
        parties=tuple(parties[q.company].model_copy(update={"question": q.question}) for q in asked),
        kind="boolean" if said.relation in ("which", "all", "any") else said.sub_answers,
        currency=said.currency,
    )


def sub_question_planner(
    llm: CompatOpenAI,
    loop: BackgroundLoop,
    prompts: SubQuestionPrompts = SUB_QUESTION_PROMPTS,
    repair: RepairPrompts = REPAIR_PROMPTS,
) -> Planner:
    """The program that takes questions apart; called with `question` and `companies`."""

    def build_messages(*, with_schema: bool, question: str, companies: Sequence[str], **_: Any) -> Any:
        return sub_question_messages(question, companies, with_schema, prompts)

    return CascadeProgram(llm, Decomposition, build_messages, loop, repair)
