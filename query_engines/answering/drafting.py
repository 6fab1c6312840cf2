"""Drafts an answer and verifies it: two steps that are reported as events."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from llama_index.core.schema import NodeWithScore
from llama_index.core.types import BasePydanticProgram

from prompts.answers.second_look import DraftInDoubt
from prompts.drafts import Draft
from prompts.kinds import draft_for
from query_engines.answering.nearest import nearest_in, relation_of, weighed
from query_engines.answering.prompt_window import Fitted, PromptGuard
from query_engines.events import step
from query_engines.extraction.calculated_rows import with_calculated_rows
from query_engines.question.parsed import FactMatch, QuestionBundle
from query_engines.retrieval.page_nodes import PageNode
from query_engines.verification.own_checks import OwnCheck, with_own_checks
from query_engines.verification.verify import Verification, verify
from storage.components import of_the_user
from storage.errors import ComponentError
from storage.lexicon.words import expression
from storage.records.answers import NOT_AVAILABLE, Check, Nearest, Reason, Relation, Strictness, Value
from storage.records.pages import Page
from storage.records.questions import AnswerKind
from storage.records.reports import Report

# The label of a row, and one or more figures.
_ROW = expression(r"(?P<label>[^\W\d][^\d$€£¥|]{1,78}[^\W\d]\)?)(?=[\s|]+[($€£¥-]*\d)[\s\d.,()%$€£¥|–-]+$")
ProgramFor = Callable[[AnswerKind], BasePydanticProgram[Any]]
Answerer = Literal["llm", "extractive"]


@dataclass(frozen=True)
class Attempt:
    """A draft of a kind, its checks, and the pages that it was drawn from, best first.

    Attributes:
        figure: what was calculated, or the printed row that was read, where that is not of a known metric.
    """

    draft: Draft
    verified: Verification
    nodes: tuple[NodeWithScore, ...]
    kind: AnswerKind
    nearest: Nearest | None = None
    figure: str = ""

    @property
    def is_available(self) -> bool:
        """Whether its answer is other than N/A."""
        return self.draft.final_answer != NOT_AVAILABLE

    @property
    def value(self) -> Value:
        """The draft's answer."""
        return self.draft.value

    @property
    def unavailable_because(self) -> Reason | None:
        """Why there is no answer; None where there is one."""
        return None if self.is_available else self.draft.unavailable_because or "not_found"

    def is_better_than(self, other: "Attempt") -> bool:
        """Whether it should replace the other attempt.

        An answer is better than N/A only if it passes every check; otherwise N/A is better. Of two answers, the one
        with fewer failed checks is better, then the one with more passed checks. An answer without citations is never
        better, since fewer checks apply to it. Of two N/A, one with a near figure is better than one without, and
        then one with near passages.
        """
        if not self.is_available:
            if other.is_available:
                return bool(other.verified.failed)
            return other.nearest is None and (self.nearest is not None or self._cites_more_than(other))
        if not self.draft.evidence:
            return False
        if not other.is_available:
            return not self.verified.failed
        return self._failures < other._failures

    def _cites_more_than(self, other: "Attempt") -> bool:
        return bool(self.draft.evidence) and not other.draft.evidence

    @property
    def relation(self) -> Relation:
        """How its answer stands to what was asked."""
        return relation_of(self.draft) if self.is_available else "same"

    @property
    def _failures(self) -> tuple[int, int]:
        passed = sum(check.verdict == "passed" for check in self.verified.checks)
        return len(self.verified.failed), -passed


class OwnProgram(BasePydanticProgram[Draft]):
    """A program of the user's own, whose errors are its own and whose drafts are looked at."""

    def __init__(self, inner: BasePydanticProgram[Any], kind: AnswerKind) -> None:
        self._inner, self._kind = inner, kind
        self._what = f"the program {type(inner).__name__}"
        self.draws_from_facts = bool(getattr(inner, "draws_from_facts", False))

    @property
    def output_cls(self) -> type[Draft]:
        """The form of the kind."""
        return draft_for(self._kind)

    def __call__(self, *args: Any, **fields: Any) -> Draft:
        """A draft.

        Raises:
            ComponentError: the program failed, or gave something else.
        """
        with of_the_user(self._what):
            return self._checked(self._inner(*args, **fields))

    async def acall(self, *args: Any, **fields: Any) -> Draft:
        """The same in an event loop."""
        with of_the_user(self._what):
            return self._checked(await self._inner.acall(*args, **fields))

    def _checked(self, draft: object) -> Draft:
        if isinstance(draft, self.output_cls):
            return draft
        wanted = f"{self.output_cls.__module__}.{self.output_cls.__name__}"
        raise ComponentError(f"{self._what} gave a {type(draft).__name__}, expected a {wanted}")


class Drafting:
    """Drafts answers from pages of a report and verifies them."""

    def __init__(
        self,
        report: Report,
        program_for: ProgramFor,
        answerer: Answerer,
        guard: PromptGuard | None,
        calculating: ProgramFor | None = None,
        strictness: Strictness = "strict",
        checks: Sequence[OwnCheck] = (),
    ) -> None:
        """Prepare drafting.

        Args:
            report: of the pages.
            program_for: a kind's program.
            answerer: who answers.
            guard: without one, all given pages are read.
            calculating: a kind's program for what follows from figures of the fact table, since no model does sums.
            strictness: what may be the answer.
            checks: the user's own, after Pageproof's.
        """
        self.answerer = answerer
        self._report = report
        self._program_for = program_for
        self._guard = guard
        self._calculating = calculating
        self._strictness = strictness
        self._checks = tuple(checks)

    async def attempt(
        self, query: QuestionBundle, nodes: Sequence[NodeWithScore], doubt: DraftInDoubt | None = None
    ) -> Attempt:
        """A verified draft from page nodes, best first; with `doubt`, a second look at that draft.

        Raises:
            ProviderError: the request to the model failed, or the model did not fill in the form.
            PromptTooLong: the pages do not fit into the model's window.
        """
        fitted = self._fitted(query, nodes)
        pages = [page_of(node) for node in fitted.nodes]
        if query.facts.may_relate:
            query = with_calculated_rows(query, self._report, pages)
        calculating = self._calculating if _follows_from_facts(query, pages) else None
        with step("answer", "Taking a second look" if doubt else "Answering") as running:
            program = (calculating or self._program_for)(query.parsed.kind)
            reply = await program.acall(
                question=query.parsed,
                report=self._report,
                pages=pages,
                texts=[node.get_content() for node in fitted.nodes],
                facts=query.facts,
                **({"doubt": doubt} if doubt else {}),
            )
            given = {page.page_number: page for page in pages}
            draft = weighed(_with_grounds(cast(Draft, reply)), self._strictness, given)  # not a stream
            running.write_analysis(draft.step_by_step_analysis)
            running.summary = "\n\n".join(
                filter(None, (_findings(doubt), draft.reasoning_summary, _left_out(fitted)))
            )
        with step("verification", "Checking against the page") as running:
            from_table = calculating is not None or getattr(program, "draws_from_facts", False)
            verified = verify(draft, query.parsed, self._report, given, query.facts, drawn_from_table=from_table)
            verified = with_own_checks(verified, self._checks, draft, query.parsed, self._report, given)
            running.summary = "\n".join(map(_check_line, verified.checks))
        nearest = nearest_in(draft, self._report, given) if draft.final_answer == NOT_AVAILABLE else None
        figure = _figure_of_rows(draft, verified, query.facts)
        return Attempt(draft, verified, fitted.nodes, query.parsed.kind, nearest, figure)

    def _fitted(self, query: QuestionBundle, nodes: Sequence[NodeWithScore]) -> Fitted:
        given = [node for node in nodes if isinstance(node.node, PageNode)]
        return self._guard.fitted(query.parsed, self._report, given) if self._guard else Fitted(nodes=tuple(given))


def _check_line(check: Check) -> str:
    """A check for people: "- fact table: does not apply (it does not have the figure)"."""
    verdict = "does not apply" if check.verdict == "not_applicable" else check.verdict
    return f"- {check.name.replace('_', ' ')}: {verdict} ({check.detail})"


def _with_grounds(draft: Draft) -> Draft:
    """The draft; a "no" that rests on no passage is no answer, since the pages may not be those that would say it."""
    if draft.final_answer is not False or draft.evidence:
        return draft
    return draft.model_copy(update={"final_answer": NOT_AVAILABLE, "unavailable_because": "not_found"})


def _follows_from_facts(query: QuestionBundle, pages: Sequence[Page]) -> bool:
    """Whether code gives the answer from the fact table's figures, and the pages of all of them are given.

    These are calculated figures, and the names of a figure's parts, such as the segments that fell: they are found by
    comparing a table's columns.
    """
    calculated, named = query.facts.calculated, query.facts.named_parts
    given = {page.page_number for page in pages}
    if named is not None and query.parsed.kind in ("name", "names"):
        return named.breakdown.page_number in given
    return calculated is not None and calculated.value is not None and set(calculated.pages) <= given


def _figure_of_rows(draft: Draft, verified: Verification, facts: FactMatch) -> str:
    """What was calculated, or the row that was read; "" for a printed figure of a metric, and for what is no figure."""
    if draft.final_answer == NOT_AVAILABLE or type(draft.value) not in (int, float, bool):
        return ""
    if verified.formula is not None:
        return facts.derivation.metric.title if facts.derivation is not None else ""
    if facts.fact is not None and type(draft.value) is not bool:
        is_of_metric = facts.metric is not None and facts.fact.metric == facts.metric.id
        return "" if is_of_metric else facts.fact.row_label
    row = _ROW.match(draft.evidence[0].quote) if draft.evidence and type(draft.value) is not bool else None
    return row["label"] if row is not None else ""


def page_of(node: NodeWithScore) -> Page:
    """The record of a page node."""
    return cast(PageNode, node.node).page


def _findings(doubt: DraftInDoubt | None) -> str:
    return "\n".join(f"- {found}" for found in doubt.findings) if doubt else ""


def _left_out(fitted: Fitted) -> str:
    if not fitted.left_out:
        return ""
    listed = ", ".join(map(str, fitted.left_out))
    return f"Not read, since the model's window is full: pages {listed}. See llm.context_window, retrieval.pages."
