"""A question on its way through LlamaIndex's engines."""

import re
from dataclasses import dataclass, field

from llama_index.core.schema import QueryBundle

from query_engines.question.intent import Asked
from storage.records.questions import AnswerKind, Question


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


_QUANTITY = (
    r"revenues?|sales|income|profit|loss|earnings|eps|ebitda?|assets|liabilities|equity|debt|cash|capex|expenditures?|"
    r"expenses?|costs?|margin|ratio|dividends?|deposits|loans|amount|number|value|price|percent(?:age)?|rate|total|"
    r"head ?count|employees|capacity|turnover"
)
_COMPARATIVE = (
    r"^which of the companies\b|^which (?:company|one)\b|^compare\b",
    r"\bwhich (?:had|has) the (?:highest|lowest)\b",
)
_NAMES = (
    r"\bpositions? changed\b|\bnames of\b|^who (?:are|were)\b",
    r"^(?:list|name) (?:all|the)\b",
    r"^(?:what|which) (?:new )?(?:products|services|drugs|brands|positions)\b|^which (?:\w+ )?\w+s (?:were|are)\b",
)
_NUMBER = (
    rf"^(?:what|which)\b.{{0,40}}\b(?:{_QUANTITY})\b",
    rf"^(?:{_QUANTITY})\b|\b(?:total|net|gross|basic|diluted|operating) (?:{_QUANTITY})\b",
    r"^for .{1,80}, what was the value of\b",
)
_RULES: tuple[tuple[str, AnswerKind], ...] = (
    ("|".join(_COMPARATIVE), "comparative"),
    (r"^(?:did|does|do|is|are|was|were|has|have|had|can|could|will|would)\b", "boolean"),
    (r"^how (?:many|much|large|big|high)\b", "number"),
    ("|".join(_NAMES), "names"),
    (r"^who\b|\bthe name of\b|^name\b", "name"),
    ("|".join(_NUMBER), "number"),
)


def kind_by_rules(text: str) -> AnswerKind | None:
    """The kind that a question's wording asks for; None when no rule fits."""
    wording = " ".join(text.split()).lower()
    return next((kind for pattern, kind in _RULES if re.search(pattern, wording)), None)


def kind_of_one(kind: AnswerKind, text: str) -> AnswerKind:
    """The kind that one company's report can answer in: for a comparison the one that the rest of the rules tells."""
    if kind != "comparative":
        return kind
    wording = " ".join(text.split()).lower()
    rest = (other for pattern, other in _RULES if other != "comparative" and re.search(pattern, wording))
    return next(rest, "text")


def infer_kind(text: str) -> AnswerKind:
    """The same; "text" when no rule fits."""
    return kind_by_rules(text) or "text"
