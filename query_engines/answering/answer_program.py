"""The program that drafts an answer with a language model: marked pages in, a form out, and what its marks mean."""

import functools
from collections.abc import Sequence
from typing import Any, cast

from llama_index.core.types import BasePydanticProgram

from prompts.answers.answer_prompts import ANSWER_PROMPTS, REPAIR_PROMPTS, AnswerPrompts, RepairPrompts
from prompts.answers.assemble import Message, PageText, ReportHeader, system_prompt, user_prompt
from prompts.answers.second_look import DraftInDoubt, second_look_prompt
from prompts.drafts import Draft
from prompts.kinds import draft_for
from query_engines.answering.marks import MarkedPage, mark_page, marks_of_facts, nearest_lines
from query_engines.answering.references import References
from query_engines.llm.client import CompatOpenAI
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.llm.structured import CascadeProgram
from query_engines.llm.usage import estimated_tokens
from query_engines.question.parsed import FactMatch, ParsedQuestion
from storage.errors import PromptTooLong
from storage.records.answers import Strictness
from storage.records.questions import AnswerKind
from storage.records.record import Record
from storage.records.reports import Report

_NO_FACTS = FactMatch()
_AROUND = 200  # tokens of the header, the question and the tags
_LEAST_BRIEF = 200  # tokens of pages with which a question can be asked
_MOST_BRIEF, _MOST_FOR_A_NUMBER = 1_100, 700  # tokens of the pages in a brief prompt; a figure needs few rows


class AnswerTexts(Record):
    """How a model is asked for answers.

    Attributes:
        brief: in few tokens, for a model that reads little: the rules that matter most, and of each page the lines near
            what is asked.
    """

    strictness: Strictness = "strict"
    prompts: AnswerPrompts = ANSWER_PROMPTS
    repair: RepairPrompts = REPAIR_PROMPTS
    brief: bool = False

    def rules(self, kind: AnswerKind, *, with_schema: bool) -> str:
        """The system's message for a kind of answer."""
        return system_prompt(kind, with_schema, self.strictness, self.prompts, brief=self.brief)


class AnswerProgram(BasePydanticProgram[Draft]):
    """Asks a model for a draft, and reads from the pages what the draft points at.

    It is called with `question` (ParsedQuestion), `report` (Report), `pages` (Page records, best first), `texts` (each
    page as Markdown, or the parts of it that may be read) and `facts` (FactMatch); for a second look also with `doubt`
    (DraftInDoubt).
    """

    def __init__(
        self, llm: CompatOpenAI, kind: AnswerKind, texts: AnswerTexts, loop: BackgroundLoop | None = None
    ) -> None:
        """Make the program of one kind.

        Raises:
            ValueError: the kind has no form of its own, such as a comparison.
        """
        self._texts = texts
        self._room = llm.context_window
        self._rules = functools.cache(functools.partial(texts.rules, kind))
        self._cascade = CascadeProgram(llm, draft_for(kind), self._messages, loop, texts.repair, brief=texts.brief)

    @property
    def output_cls(self) -> type[Draft]:
        """The form."""
        return self._cascade.output_cls

    def __call__(self, *args: Any, **fields: Any) -> Draft:
        """Like `acall`, for callers without an event loop."""
        return self._read(self._cascade(*args, **self._with_marks(fields)), fields)

    async def acall(self, *args: Any, **fields: Any) -> Draft:
        """Draft an answer.

        Raises:
            StructuredOutputError: the model refused, or its replies could not be read as the form.
            ProviderError, SetupError, UsageError: the request failed.
        """
        return self._read(await self._cascade.acall(*args, **self._with_marks(fields)), fields)

    def _with_marks(self, fields: dict[str, Any]) -> dict[str, Any]:
        pages = tuple(mark_page(page, text) for page, text in zip(fields["pages"], fields["texts"], strict=True))
        fields["marked"] = pages
        return fields

    def _read(self, draft: Draft, fields: dict[str, Any]) -> Draft:
        facts = cast(FactMatch, fields.get("facts", _NO_FACTS))
        return References(fields["marked"], fields["question"], fields["report"], facts).read(draft)

    def _messages(
        self,
        *,
        with_schema: bool,
        question: ParsedQuestion,
        report: Report,
        marked: Sequence[MarkedPage],
        facts: FactMatch = _NO_FACTS,
        doubt: DraftInDoubt | None = None,
        **_: object,
    ) -> Sequence[Message]:
        rules = self._rules(with_schema=with_schema)
        kept = None
        if self._texts.brief:
            reply = self._cascade.longest_reply
            room = self._room - estimated_tokens(rules) - _AROUND - reply
            if room < _LEAST_BRIEF:
                raise PromptTooLong(
                    f"of llm.context_window={self._room:,} only {max(room, 0):,} tokens are left for pages beside the "
                    "rules and the reply: choose a model that reads more and set its window"
                )
            most = _MOST_FOR_A_NUMBER if question.kind == "number" else _MOST_BRIEF
            kept = nearest_lines(marked, question, facts, min(most, room))
        found = marks_of_facts(marked, facts)
        rows = [line.shown for page in marked for line in page.lines if line.mark in found]
        shown = [PageText(page_number=m.page.page_number, markdown=m.shown(kept)) for m in marked]
        prompt = user_prompt(
            question.for_model,
            header_of(report, question, facts),
            [page for page in shown if page.markdown.strip()] or shown[:1],
            sorted(rows, key=lambda row: found.index(row[1:].partition("]")[0])),
            self._texts.prompts.user,
        )
        if doubt is not None:
            prompt = second_look_prompt(prompt, doubt, self._texts.prompts.second_look)
        return (Message(role="system", content=rules), Message(role="user", content=prompt))


def header_of(report: Report, question: ParsedQuestion, facts: FactMatch = _NO_FACTS) -> ReportHeader:
    """What a model is told of a report and of how a question was understood."""
    return ReportHeader(
        company=report.company,
        filing=report.described,
        currency=report.currency,
        period_end=report.period_end,
        understood="; ".join(filter(None, (*question.understood.metrics, facts.period_name))),
    )
