"""What a conversation remembers: the last question and its answer, and the companies that it was about; and small talk.

What is no question gets a reply, and nothing is searched for: a greeting, thanks, "what can you do?".
"""

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from llama_index.core.base.response.schema import RESPONSE_TYPE, PydanticResponse
from llama_index.core.prompts.mixin import PromptMixinType
from llama_index.core.query_engine import BaseQueryEngine
from llama_index.core.schema import QueryBundle

from query_engines.question.parsed import ParsedQuestion
from query_engines.question.parser import as_bundle
from storage.records.answers import Answer
from storage.records.questions import AnswerKind, Question
from storage.records.reports import Company

_MOST = 10  # companies that "them" may stand for
Continue = Callable[["Dialogue", str], Question]


@dataclass(frozen=True)
class Dialogue:
    """The state of a conversation; a reply to small talk leaves it as it is.

    Attributes:
        question: the last one, itself complete; None at the beginning.
        answer: to it.
        companies: that were asked about, each once, the one asked about last at the end.
        reports: SHA-1s of those that questions without a company's name are about; empty for the whole library.
        topic: the last question whose metric, office or event was understood.
        shown: the last question that had an answer.
        shown_of: the companies of that answer.
        beside: the company that was asked about before the last one, which was another.
        person: the name of the officer that was answered last.
    """

    question: Question | None = None
    answer: Answer | None = None
    companies: tuple[str, ...] = ()
    reports: tuple[str, ...] = ()
    topic: Question | None = None
    shown: Question | None = None
    shown_of: tuple[str, ...] = ()
    beside: str = ""
    person: str = ""

    @property
    def shown_last(self) -> Question | None:
        """The last question if it had an answer, else one before it about the same companies."""
        now = self.answer.understood.companies if self.answer and self.answer.understood else ()
        return self.shown if self.shown is not None and set(now) <= set(self.shown_of) else self.question

    def about(self, companies: Sequence[Company]) -> "Dialogue":
        """The state once reports are chosen: what was asked before goes on only if it was about their companies.

        Args:
            companies: with the chosen reports alone; empty for the whole library.
        """
        reports = tuple(report.sha1 for company in companies for report in company.reports)
        named = self.companies[-1:] if self.answer is not None else ()
        if not companies or {company.name for company in companies}.issuperset(named):
            return replace(self, reports=reports)
        return Dialogue(reports=reports)

    def after(self, question: Question, answer: Answer) -> "Dialogue":
        """The state once a question is answered; what nobody could make sense of leaves it as it is."""
        understood = answer.understood
        if question.before:  # a model may have said what it means
            question = question.model_copy(update={"text": answer.question, "before": ""})
        is_filled = answer.reason == "company_unknown" or (
            question.company is not None and not answer.is_available
        )
        is_nothing = is_filled and understood is not None and not understood.metrics
        if answer.is_talk or (is_nothing and self.question is not None):
            return self
        is_clear = answer.is_available or not answer.parts
        named = understood.companies if understood else ()
        named = named or ((answer.company,) if answer.company else ())
        earlier = (name for name in self.companies if name not in named)
        return Dialogue(
            question,
            answer,
            (*earlier, *named)[-_MOST:],
            self.reports,
            beside=self.companies[-1] if len(named) == 1 and self.companies[-1:] not in ((), named) else "",
            topic=question if understood and understood.metrics and is_clear else self.topic,
            shown=question if answer.is_available else self.shown,
            shown_of=named if answer.is_available else self.shown_of,
            person=str(answer.value) if answer.is_available and answer.kind == "name" else self.person,
        )


class Conversation:
    """Asks a client one question after the other; each may leave out what the one before it said."""

    def __init__(self, continued: Continue, answer: Callable[[Question], Answer]) -> None:
        """Start one.

        Args:
            continued: what a text means after a state.
            answer: answers a complete question.
        """
        self._continued = continued
        self._answer = answer
        self.state = Dialogue()

    def ask(self, text: str, *, kind: AnswerKind | None = None, company: str | None = None) -> Answer:
        """The answer to a question, or to what is left of one: "and the year before?"."""
        question = Question(text=text, company=company) if company else self._continued(self.state, text)
        question = question.model_copy(update={"kind": kind}) if kind else question
        answer = self._answer(question)
        self.state = self.state.after(question, answer)
        return answer


TALK = "small talk"  # the engine for what asks nothing of a report
SOURCE = "talk_source"  # "where is that printed?", which in a conversation gives the answer before with its page
_ADVICE = "talk_advice"  # "will it go bust next year?"
_SURE = 0.7  # of talk; below that, a question that is not understood is still a question
_ORIENTING, _LIKELY = frozenset({"talk_companies", "talk_help"}), 0.5  # a reply that helps whoever is lost
_LONGEST = 25  # words of talk; who writes more wants something
_COMPANIES = "talk_companies"  # "which reports are there?"
_SHOWN, _LISTED = 5, 60  # companies that a reply names, and that it lists where they are what is asked for


class SmallTalkEngine(BaseQueryEngine):
    """Answers in the language it is spoken to, with three questions that this library can answer."""

    def __init__(self, companies: Sequence[Company]) -> None:
        super().__init__(callback_manager=None)
        self._companies = tuple(companies)

    def _get_prompt_modules(self) -> PromptMixinType:
        return {}

    def _query(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        parsed = as_bundle(query_bundle).parsed
        reply = self.reply(parsed)
        answer = Answer(question=parsed.question.text, kind="text", value=reply, understood=parsed.understood)
        return PydanticResponse(response=answer)

    async def _aquery(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        return self._query(query_bundle)

    def reply(self, parsed: ParsedQuestion) -> str:
        """What to say."""
        words = _replies()[parsed.guess.language if parsed.guess.language in _replies() else "en"]
        # The first company, the second, and so on, around again where there are fewer than questions.
        known = self._companies or (Company(name="…"),)
        asked = [q.format(company=known[at % len(known)].name) for at, q in enumerate(words["questions"])]
        is_listed = parsed.guess.topic == _COMPANIES
        shown = self._companies[: _LISTED if is_listed else _SHOWN]
        names = "".join(f"\n• {_with_years(c)}" for c in shown) if is_listed else ", ".join(c.name for c in shown)
        more = len(self._companies) - len(shown)
        return str(words[parsed.guess.topic]).format(
            companies=f"{names} … (+{more})" if more > 0 else names,
            questions="\n".join(f"• {q}" for q in asked),
        )


def _with_years(company: Company) -> str:
    """A company with the years of its reports: "Acme (2022, 2023)"."""
    years = sorted({report.year for report in company.reports if report.year is not None})
    return f"{company.name} ({', '.join(map(str, years))})" if years else company.name


def is_small_talk(parsed: ParsedQuestion) -> bool:
    """Whether somebody asks nothing of a report: no company, no kind given, and few words.

    Who names a period wants a figure, but for advice on what is to come.
    """
    guess, question = parsed.guess, parsed.question
    if question.kind is not None or question.company is not None or parsed.companies:
        return False
    if parsed.periods and guess.topic != _ADVICE:
        return False
    is_sure = guess.probability >= (_LIKELY if guess.topic in _ORIENTING else _SURE)
    return guess.is_talk and is_sure and parsed.word_count <= _LONGEST


@cache
def _replies() -> dict[str, dict[str, Any]]:
    file = Path(__file__).parent / "small_talk.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))
