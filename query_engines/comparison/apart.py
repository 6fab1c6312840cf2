"""Takes a question apart that asks several things of one company: "What was its net income, and who is its CEO?"."""

import re

from query_engines.comparison.plan import Entity, Plan
from query_engines.question.parsed import ParsedQuestion
from query_engines.question.parser import QuestionParser
from storage.lexicon.question_words import opens_yes_or_no
from storage.lexicon.reasons import asks_why
from storage.lexicon.words import expression
from storage.records.queries import Query
from storage.records.questions import Question
from storage.records.reports import Company
from storage.text import capital

_NEXT = expression(r"\? (?:(?:and|und|et|y|e) )?|,? (?:and|und|et|y|e) ", re.IGNORECASE)
_OPENS = expression(
    r"(?:who|what|when|where|why|how|which|whose|wer|was|wann|wo|warum|wie|welche\w?|qui|quel\w*|quand|où|pourquoi"
    r"|comment|combien|quién|qué|cuál\w*|cuándo|cuánt\w+|dónde|chi|che|qual\w*|quant\w+|quando|dove|perché)\b",
    re.IGNORECASE,
)
_SURE = 0.8  # of what a question of several asks for


def asked_apart(parsed: ParsedQuestion, company: Company, parser: QuestionParser) -> Plan | None:
    """The plan of a question that goes on with others; None for one question, or where none of them is understood.

    Args:
        parsed: the question about one company.
        company: that company.
        parser: of each of them.
    """
    texts = _questions(parsed.text)
    if len(texts) < 2:
        return None
    whole = parser.about(parsed, company)
    if whole.intent.derived is not None or (whole.standing is not None and whole.standing.way != "several"):
        return None  # "R&D costs, and what is that as a percentage of revenue?"
    asked = [_read(text, company, parser) for text in texts]
    titles = [_title(one) for one in asked]
    if not any(titles) or len(set(titles)) < len(titles):
        return None
    is_of_one = whole.standing is not None and whole.standing.is_in_known_words  # "debt, and what is the sum?"
    if is_of_one and not all(title or asks_why(text) for text, title in zip(texts, titles, strict=True)):
        return None
    entities = []
    for at, (text, title, one) in enumerate(zip(texts, titles, asked, strict=True)):
        when = asked[0].query.periods if at and not one.periods else ()
        is_cause = not title and titles[at - 1] and asks_why(text)  # a mere "and why?" is about the one before
        query = (
            Query(operation="why", subject=titles[at - 1].lower(), periods=when)
            if is_cause
            else Query(subject=text, periods=when)
        )
        label = capital(title or text)
        entities.append(Entity(label=label, company=company.name, metric=label).with_query(query))
    return Plan(relation="each", subject=parsed.text.rstrip(" ?.!"), entities=tuple(entities), kind=None)


def _questions(text: str) -> list[str]:
    """The questions of a text, each of which opens as one does."""
    found, start = list[str](), 0
    text = " ".join(text.split()).strip(" ?.!")
    for cut in _NEXT.finditer(text):
        if _is_opened(text[cut.end() :]):
            found.append(text[start : cut.start()].strip(" ,?"))
            start = cut.end()
    found.append(text[start:].strip(" ,?"))
    return found if all(map(_is_opened, found)) else []


def _is_opened(text: str) -> bool:
    return _OPENS.match(text) is not None or opens_yes_or_no(text)


def _title(asked: ParsedQuestion) -> str:
    """What is asked for, where it is surely known by name."""
    if asked.section is not None:
        return asked.section.title
    is_sure = asked.intent.role is not None or asked.guess.probability >= _SURE
    return next(iter(asked.understood.metrics), "") if is_sure else ""


def _read(text: str, company: Company, parser: QuestionParser) -> ParsedQuestion:
    return parser.about(parser.parse(Question(text=text, company=company.name)), company)
