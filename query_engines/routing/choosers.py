"""Asks a language model for the company or the kind of answer, where rules do not decide."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from llama_index.core.base.response.schema import RESPONSE_TYPE
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
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.question.parsed import ParsedQuestion, QuestionBundle
from query_engines.question.parser import QuestionParser
from query_engines.routing.dialogue import is_small_talk
from storage.errors import ProviderError, StructuredOutputError
from storage.records.reports import Company

if TYPE_CHECKING:
    from query_engines.llm.client import CompatOpenAI

logger = logging.getLogger(__name__)
CompanyChooser = BasePydanticProgram[CompanyChoice]
KindChooser = BasePydanticProgram[KindChoice]
_MOST_NAMES = 3  # other names of a company in a list


class KindChoosingEngine(BaseQueryEngine):
    """Wraps an engine: a question without a kind gets the kind that a model chooses.

    A question with a known kind is passed on unchanged, and so is one for the names of a figure's parts, or for a
    judgement that code gives. So is a comparison of several companies, since its kind follows from its sub-questions.
    If the model's choice cannot be read, the question is answered in sentences.

    Args:
        engine: answers the question.
        choose: called with `question`, a text.
        parser: for questions that are not parsed yet.
        loop: for callers outside an event loop.
    """

    def __init__(
        self, engine: BaseQueryEngine, choose: KindChooser, parser: QuestionParser, loop: BackgroundLoop
    ) -> None:
        super().__init__(callback_manager=None)
        self._engine = engine
        self._choose = choose
        self._parser = parser
        self._loop = loop

    def _get_prompt_modules(self) -> PromptMixinType:
        return {}

    async def _aquery(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        query = self._parser.bundle(query_bundle)
        if self._is_kind_open(query.parsed):
            query = await self._chosen(query)
        return await self._engine.aquery(query)

    def _query(self, query_bundle: QueryBundle) -> Any:
        return self._loop.run(self._aquery(query_bundle))

    def _is_kind_open(self, parsed: ParsedQuestion) -> bool:
        if parsed.is_kind_known or parsed.names_several or is_small_talk(parsed):
            return False
        if len(parsed.companies) != 1:
            return True
        intent = self._parser.about(parsed, parsed.companies[0]).intent
        return intent.judgement is None and not (intent.parts and intent.parts.is_of_names)

    async def _chosen(self, query: QuestionBundle) -> QuestionBundle:
        with step("routing", "Choosing the kind of answer") as running:
            try:
                choice = await self._choose.acall(question=query.parsed.for_model)
            except StructuredOutputError as error:
                logger.warning("no kind was chosen, so the answer will be text: %s", error)
                running.summary = "text: the model's choice could not be read"
                return query
            if not isinstance(choice, KindChoice):
                raise TypeError(f"the program gave a {type(choice).__name__}, expected a KindChoice")
            running.summary = f"{choice.kind}: {choice.reasoning}"
            return replace(query, parsed=query.parsed.with_kind(choice.kind))


async def choose_company(chooser: CompanyChooser, question: str, companies: Sequence[Company]) -> str | None:
    """The one company of the list that the model chooses; None for several, for none, and for an unusable reply.

    Each stands in the list with its other names, by which a question may call it.
    """
    listed = {_with_other_names(company): company.name for company in companies}
    with step("routing", "Asking which company is meant") as running:
        try:
            choice = cast(CompanyChoice, await chooser.acall(question=question, companies=tuple(listed)))
        except ProviderError as error:
            running.summary = f"Not told: {error}"
            return None
        running.summary = f"{choice.verdict}: {', '.join(choice.companies) or 'no company'}. {choice.reasoning}"
    known = {company.name: company.name for company in companies} | listed
    meant = [known.get(name) for name in dict.fromkeys(choice.companies)]
    return meant[0] if choice.verdict == "one" and len(meant) == 1 else None


def _with_other_names(company: Company) -> str:
    others = [name for name in company.aliases[:_MOST_NAMES] if name != company.name]
    return f"{company.name} (also {', '.join(others)})" if others else company.name


def company_chooser(
    llm: "CompatOpenAI",
    loop: BackgroundLoop,
    prompts: CompanyChoicePrompts = COMPANY_CHOICE_PROMPTS,
    repair: RepairPrompts = REPAIR_PROMPTS,
) -> CompanyChooser:
    """The program that chooses a company; it is called with `question` and `companies`."""
    from query_engines.llm.structured import CascadeProgram  # late: it loads the package openai

    def build_messages(*, with_schema: bool, question: str, companies: Sequence[str], **_: Any) -> Any:
        return company_choice_messages(question, companies, with_schema, prompts)

    return CascadeProgram(llm, CompanyChoice, build_messages, loop, repair)


def kind_chooser(
    llm: "CompatOpenAI",
    loop: BackgroundLoop,
    prompts: KindChoicePrompts = KIND_CHOICE_PROMPTS,
    repair: RepairPrompts = REPAIR_PROMPTS,
) -> KindChooser:
    """The program that chooses a kind; it is called with `question`."""
    from query_engines.llm.structured import CascadeProgram  # late: it loads the package openai

    def build_messages(*, with_schema: bool, question: str, **_: Any) -> Any:
        return kind_choice_messages(question, with_schema, prompts)

    return CascadeProgram(llm, KindChoice, build_messages, loop, repair)
