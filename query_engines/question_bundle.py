"""A question on its way through LlamaIndex's engines."""

from dataclasses import dataclass, field

from llama_index.core.schema import QueryBundle

from query_engines.asked import Asked
from query_engines.kinds import infer_kind
from storage.questions import AnswerKind, Question


@dataclass
class QuestionBundle(QueryBundle):
    """Carries the whole question; LlamaIndex's own parts see its text.

    Attributes:
        asked: the question taken apart; set once the company is known.
    """

    question: Question = field(default_factory=lambda: Question(text=""))
    asked: Asked | None = None

    @property
    def search_text(self) -> str:
        """What is looked for in the company's reports; empty before the company is known."""
        return self.asked.text if self.asked else ""

    @property
    def kind(self) -> AnswerKind:
        """The kind that was given, or the inferred one."""
        return self.question.kind or infer_kind(self.question.text)


def as_bundle(query: QueryBundle) -> QuestionBundle:
    """The bundle itself, or a plain question around a text that LlamaIndex made a bundle of."""
    return query if isinstance(query, QuestionBundle) else bundle(Question(text=query.query_str))


def bundle(question: Question) -> QuestionBundle:
    """A question as LlamaIndex passes it on."""
    return QuestionBundle(query_str=question.text, question=question)
