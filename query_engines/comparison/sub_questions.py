"""The sub-questions of a comparison, for LlamaIndex's engine."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from llama_index.core.prompts.mixin import PromptDictType
from llama_index.core.question_gen.types import BaseQuestionGenerator, SubQuestion
from llama_index.core.schema import QueryBundle
from llama_index.core.tools.types import ToolMetadata

from query_engines.comparison.plan import Party, Plan
from query_engines.question_bundle import QuestionBundle
from storage.questions import AnswerKind


@dataclass
class PlannedBundle(QuestionBundle):
    """A question with its plan."""

    plan: Plan = field(default_factory=lambda: Plan(relation="each", subject="", parties=()))


class PartyQuestion(SubQuestion):
    """What is asked of one party; `tool_name` is its company, empty where there is none."""

    party: Party
    kind: AnswerKind
    currency: str | None = None


class PlannedQuestionGenerator(BaseQuestionGenerator):
    """Writes down what the plan of the question says, one sub-question for each party."""

    def generate(self, tools: Sequence[ToolMetadata], query: QueryBundle) -> list[SubQuestion]:
        """The sub-questions, in the plan's order."""
        if not isinstance(query, PlannedBundle):
            raise TypeError(f"expected a planned question, got {type(query).__name__}")
        known = {tool.name for tool in tools}
        return [
            PartyQuestion(
                sub_question=party.question,
                tool_name=party.company if party.company in known else "",
                party=party,
                kind=query.plan.kind,
                currency=query.plan.currency,
            )
            for party in query.plan.parties
        ]

    async def agenerate(self, tools: Sequence[ToolMetadata], query: QueryBundle) -> list[SubQuestion]:
        """Like `generate`; there is nothing to wait for."""
        return self.generate(tools, query)

    def _get_prompts(self) -> PromptDictType:
        return {}

    def _update_prompts(self, prompts_dict: PromptDictType) -> None:
        del prompts_dict  # prompts are data in the prompts package
