"""Choosing the one engine that answers a question."""

from collections.abc import Sequence

from llama_index.core.base.base_selector import BaseSelector, SelectorResult, SingleSelection
from llama_index.core.prompts.mixin import PromptDictType
from llama_index.core.schema import QueryBundle
from llama_index.core.tools.types import ToolMetadata

from query_engines.company_choice import Chooser, choose_company
from query_engines.company_names import CompanyNames
from query_engines.question_bundle import as_bundle
from storage.reports import Company

UNRESOLVED = "unresolved company"  # the engine that says why no company could be chosen
COMPARISON = "comparison"  # the engine for several companies or years, where the question is about such


def chosen_companies(query: QueryBundle, names: CompanyNames) -> list[Company]:
    """The companies that a question is about: the given one, else those that its text names or may mean.

    One company is sure. Several are named together, or share the name that was written.
    """
    question = as_bundle(query).question
    return names.read(question.text).companies if question.company is None else names.named(question.company)


class CompanySelector(BaseSelector):
    """Exactly one engine: the comparison's if there is one, the company's if names decide, else the one that explains.

    Where names do not decide, a model may be asked, over the few companies that are nearest; where it is not sure of
    one, the engine that explains answers.
    """

    def __init__(self, names: CompanyNames, chooser: Chooser | None = None) -> None:
        self._names = names
        self._chooser = chooser

    def _get_prompts(self) -> PromptDictType:
        return {}

    def _update_prompts(self, prompts_dict: PromptDictType) -> None:
        del prompts_dict  # prompts are data in the prompts package

    def _select(self, choices: Sequence[ToolMetadata], query: QueryBundle) -> SelectorResult:
        return _selected(self._by_names(choices, query), choices, "the question names")

    async def _aselect(self, choices: Sequence[ToolMetadata], query: QueryBundle) -> SelectorResult:
        wanted = self._by_names(choices, query)
        offered = [name for c in choices if (name := c.name or "") not in (UNRESOLVED, COMPARISON)]
        if wanted != UNRESOLVED or self._chooser is None or not offered:
            return _selected(wanted, choices, "the question names")
        question = as_bundle(query).question
        chosen = await choose_company(self._chooser, question.company or question.text, offered)
        return _selected(chosen or UNRESOLVED, choices, "a model takes the question to mean")

    def _by_names(self, choices: Sequence[ToolMetadata], query: QueryBundle) -> str:
        if any(choice.name == COMPARISON for choice in choices):
            return COMPARISON
        companies = chosen_companies(query, self._names)
        return companies[0].name if len(companies) == 1 else UNRESOLVED


def _selected(wanted: str, choices: Sequence[ToolMetadata], because: str) -> SelectorResult:
    index = [choice.name for choice in choices].index(wanted)
    return SelectorResult(selections=[SingleSelection(index=index, reason=f"{because} {wanted}")])
