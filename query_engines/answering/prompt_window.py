"""Estimates, before pages are sent, whether they fit into a model's context window."""

import functools
from collections.abc import Sequence

from llama_index.core.schema import NodeWithScore

from prompts.answers.answer_prompts import ANSWER_PROMPTS, AnswerPrompts
from prompts.answers.assemble import system_prompt
from query_engines.llm.usage import estimated_tokens
from query_engines.question.parsed import ParsedQuestion
from storage.errors import PromptTooLong
from storage.records.answers import Strictness
from storage.records.record import Record
from storage.records.reports import Report

_PER_PAGE = 12  # the tags around a page
_HEADER = 120  # company, period, currency and the request
_MOST_FOR_REPLY = 8_000  # reserved for the reply and, at a second look, for the draft


class Fitted(Record):
    """The pages that fit and the numbers of those left out, best first."""

    nodes: tuple[NodeWithScore, ...]
    left_out: tuple[int, ...] = ()


class PromptGuard:
    """Limits pages to the window: the worst are left out; if all of them must be read, an error is raised."""

    def __init__(
        self,
        context_window: int,
        strictness: Strictness,
        prompts: AnswerPrompts = ANSWER_PROMPTS,
        *,
        whole_report: bool,
    ) -> None:
        self._window = context_window
        self._whole_report = whole_report
        self._rules = functools.cache(
            lambda kind: estimated_tokens(system_prompt(kind, True, strictness, prompts))
        )  # tokens of the rules and examples, by kind

    def fitted(self, question: ParsedQuestion, report: Report, nodes: Sequence[NodeWithScore]) -> Fitted:
        """The first pages that fit into the window together.

        Args:
            question: its kind decides which rules and examples are in the prompt.
            report: named in the error.
            nodes: pages, best first.

        Raises:
            PromptTooLong: not even one page fits; or the whole report must be read and does not fit.
        """
        around = self._rules(question.kind) + estimated_tokens(question.text) + _HEADER
        room = self._window - around - min(_MOST_FOR_REPLY, self._window // 4)
        sizes = [estimated_tokens(node.get_content()) + _PER_PAGE for node in nodes]
        count = _fitting(sizes, room)
        if nodes and (not count or (self._whole_report and count < len(nodes))):
            raise PromptTooLong(self._too_long(report, sizes, room))
        return Fitted(nodes=tuple(nodes[:count]), left_out=tuple(node.metadata["page"] for node in nodes[count:]))

    def _too_long(self, report: Report, sizes: Sequence[int], room: int) -> str:
        what = (
            f"all {len(sizes)} pages of {report.file!r}" if self._whole_report else f"one page of {report.file!r}"
        )
        tokens = sum(sizes) if self._whole_report else sizes[0]
        other = " or search for pages with retrieval.mode=hybrid" if self._whole_report else ""
        return (
            f"{what} make about {tokens:,} tokens, but of llm.context_window={self._window:,} only {max(room, 0):,} "
            f"are left beside the rules and the reply: choose a model that reads more, or give its server "
            f"a larger context (Ollama: OLLAMA_CONTEXT_LENGTH), and set llm.context_window{other}"
        )


def _fitting(sizes: Sequence[int], room: int) -> int:
    """How many pages, counted from the first, fit together."""
    for count, size in enumerate(sizes):
        room -= size
        if room < 0:
            return count
    return len(sizes)
