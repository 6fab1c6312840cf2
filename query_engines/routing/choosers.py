"""What a language model chooses where rules do not decide: the company, or the kind of answer."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, cast

from llama_index.core.base.response.schema import RESPONSE_TYPE, PydanticResponse
from llama_index.core.prompts.mixin import PromptMixinType
from llama_index.core.query_engine import BaseQueryEngine
from llama_index.core.schema import QueryBundle
from llama_index.core.types import BasePydanticProgram

from prompts.answers.answer_prompts import REPAIR_PROMPTS, RepairPrompts
from prompts.tasks.company_choice import (
    COMPANY_CHOICE_PROMPTS,
    CompanyChoice,
    CompanyChoicePrompts,
    company_choice_messages,
)
from prompts.tasks.kind_choice import KIND_CHOICE_PROMPTS, KindChoice, KindChoicePrompts, kind_choice_messages
from query_engines.events import step
from query_engines.llm.client import CompatOpenAI
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.llm.structured import CascadeProgram
from query_engines.llm.usage import counting
from query_engines.question.bundle import QuestionBundle, as_bundle, kind_by_rules
from storage.errors import ProviderError, StructuredOutputError
from storage.records.answers import Answer

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


logger = logging.getLogger(__name__)
KindChooser = BasePydanticProgram[KindChoice]


class KindChoosingEngine(BaseQueryEngine):
    """Stands before another engine and gives a question that has no kind the one that a model chooses.

    A question that has a kind, or whose wording tells it, goes through untouched; so does one that sets several
    companies against each other, whose kind follows from how it is taken apart. Where the model's choice cannot be
    read, the question goes through too and is answered in sentences.

    Args:
        engine: answers the question.
        choose: called with `question`, a text.
        loop: for callers outside an event loop.
        names_several: tells whether a question names several companies.
    """

    def __init__(
        self,
        engine: BaseQueryEngine,
        choose: KindChooser,
        loop: BackgroundLoop,
        names_several: Callable[[QueryBundle], bool],
    ) -> None:
        super().__init__(callback_manager=None)
        self._engine = engine
        self._choose = choose
        self._loop = loop
        self._names_several = names_several

    def _get_prompt_modules(self) -> PromptMixinType:
        return {}

    async def _aquery(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        query = as_bundle(query_bundle)
        is_known = query.question.kind is not None or kind_by_rules(query.question.text) is not None
        if is_known or await asyncio.to_thread(self._names_several, query):
            return await self._engine.aquery(query)
        with counting() as count:
            chosen = await self._chosen(query)
        response = await self._engine.aquery(chosen)
        if isinstance(response, PydanticResponse) and isinstance(response.response, Answer):
            answer = response.response
            response.response = answer.model_copy(update={"usage": answer.usage + count.usage})
        return response

    def _query(self, query_bundle: QueryBundle) -> Any:
        return self._loop.run(self._aquery(query_bundle))

    async def _chosen(self, query: QuestionBundle) -> QuestionBundle:
        with step("routing", "Choosing the kind of answer") as running:
            try:
                choice = await self._choose.acall(question=query.question.text)
            except StructuredOutputError as error:
                logger.warning("no kind was chosen, so the answer will be text: %s", error)
                running.summary = "text: the model's choice could not be read"
                return query
            if not isinstance(choice, KindChoice):
                raise TypeError(f"the program gave a {type(choice).__name__}, expected a KindChoice")
            running.summary = f"{choice.kind}: {choice.reasoning}"
            return replace(query, question=query.question.model_copy(update={"kind": choice.kind}))


def kind_chooser(
    llm: CompatOpenAI,
    loop: BackgroundLoop,
    prompts: KindChoicePrompts = KIND_CHOICE_PROMPTS,
    repair: RepairPrompts = REPAIR_PROMPTS,
) -> KindChooser:
    """The program that chooses a kind."""

    def build_messages(*, with_schema: bool, question: str, **_: Any) -> Any:
        return kind_choice_messages(question, with_schema, prompts)

    return CascadeProgram(llm, KindChoice, build_messages, loop, repair)
