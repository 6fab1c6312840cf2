"""Asking a language model which company is meant, where names do not decide."""

from collections.abc import Sequence
from typing import Any, cast

from llama_index.core.types import BasePydanticProgram

from prompts.answer_prompts import REPAIR_PROMPTS, RepairPrompts
from prompts.company_choice import (
    COMPANY_CHOICE_PROMPTS,
    CompanyChoice,
    CompanyChoicePrompts,
    company_choice_messages,
)
from query_engines.background_loop import BackgroundLoop
from query_engines.events import step
from query_engines.llm import CompatOpenAI
from query_engines.programs.cascade import CascadeProgram
from storage.errors import ProviderError

Chooser = BasePydanticProgram[CompanyChoice]


async def choose_company(chooser: Chooser, question: str, companies: Sequence[str]) -> str | None:
    """The one company of the list that the model is sure of; None for several, for none, and for no usable reply."""
    with step("routing", "Asking which company is meant") as running:
        try:
            said = cast(CompanyChoice, await chooser.acall(question=question, companies=companies))
        except ProviderError as error:
            running.summary = f"Not told: {error}"
            return None
        running.summary = f"{said.verdict}: {', '.join(said.companies) or 'no company'}. {said.reasoning}"
    known = [name for name in dict.fromkeys(said.companies) if name in companies]
    return known[0] if said.verdict == "one" and len(said.companies) == len(known) == 1 else None


def company_chooser(
    llm: CompatOpenAI,
    loop: BackgroundLoop,
    prompts: CompanyChoicePrompts = COMPANY_CHOICE_PROMPTS,
    repair: RepairPrompts = REPAIR_PROMPTS,
) -> Chooser:
    """The program that chooses; called with `question` and `companies`."""

    def build_messages(*, with_schema: bool, question: str, companies: Sequence[str], **_: Any) -> Any:
        return company_choice_messages(question, companies, with_schema, prompts)

    return CascadeProgram(llm, CompanyChoice, build_messages, loop, repair)
