"""The kind of answer where neither the asker nor a rule says it: a model chooses."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from llama_index.core.base.response.schema import RESPONSE_TYPE, PydanticResponse
from llama_index.core.prompts.mixin import PromptMixinType
from llama_index.core.query_engine import BaseQueryEngine
from llama_index.core.schema import QueryBundle
from llama_index.core.types import BasePydanticProgram

from prompts.answer_prompts import REPAIR_PROMPTS, RepairPrompts
from prompts.kind_choice import KIND_CHOICE_PROMPTS, KindChoice, KindChoicePrompts, kind_choice_messages
from query_engines.background_loop import BackgroundLoop
from query_engines.events import step
from query_engines.kinds import kind_by_rules
from query_engines.llm import CompatOpenAI
from query_engines.programs.cascade import CascadeProgram
from query_engines.question_bundle import QuestionBundle, as_bundle
from query_engines.usage import counting
from storage.answers import Answer
from storage.errors import StructuredOutputError

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
