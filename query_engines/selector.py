"""Choosing the one engine that answers a question."""

from collections.abc import Sequence

from llama_index.core.base.base_selector import BaseSelector, SelectorResult, SingleSelection
from llama_index.core.prompts.mixin import PromptDictType
from llama_index.core.schema import QueryBundle
from llama_index.core.tools.types import ToolMetadata

from query_engines.company_names import CompanyNames
from query_engines.question_bundle import as_bundle
from storage.reports import Company

UNRESOLVED = "unresolved company"  # the engine that says why no company could be chosen


def chosen_companies(query: QueryBundle, names: CompanyNames) -> list[Company]:
    """The companies that a question is about: the given one, else those that its text names or may mean.

    One company is sure. Several are named together, or share the name that was written.
    """
    question = as_bundle(query).question
    return names.read(question.text).companies if question.company is None else names.named(question.company)


class CompanySelector(BaseSelector):
    """Exactly one engine: the company's when the question names one, else the one that explains."""

    def __init__(self, names: CompanyNames) -> None:
        self._names = names

    def _get_prompts(self) -> PromptDictType:
        return {}

    def _update_prompts(self, prompts_dict: PromptDictType) -> None:
        del prompts_dict  # nothing is asked of a model

    def _select(self, choices: Sequence[ToolMetadata], query: QueryBundle) -> SelectorResult:
        companies = chosen_companies(query, self._names)
        wanted = companies[0].name if len(companies) == 1 else UNRESOLVED
        index = [choice.name for choice in choices].index(wanted)
        return SelectorResult(selections=[SingleSelection(index=index, reason=f"the question names {wanted}")])

    async def _aselect(self, choices: Sequence[ToolMetadata], query: QueryBundle) -> SelectorResult:
        return self._select(choices, query)
