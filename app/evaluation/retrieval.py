"""Measures retrieval: recall and mean reciprocal rank of pages, without answers."""

from collections.abc import Sequence

from app.evaluation.truth import TruthFile
from app.files.answer_json import PageRef
from storage.errors import UsageError
from storage.records.answers import NOT_AVAILABLE
from storage.records.record import Record

DEPTHS = (1, 3, 5, 10)
SHOWN = 3  # pages that are listed for a miss


class RetrievalQuestion(Record):
    """A question and the pages of one report that answer it; any of them is a hit.

    Attributes:
        company: None where the truth does not name it; then the text or the report of the pages does.
        metric: None where the truth does not name it.
    """

    text: str
    kind: str
    company: str | None
    metric: str | None
    pages: frozenset[PageRef]


class RetrievalFigures(Record):
    """Shares of `n` questions.

    Attributes:
        recall: share with a hit among the first 1, 3, 5 and 10 pages.
        mrr: mean of 1 / rank of the first hit, 0 where there is none.
    """

    n: int
    recall: dict[str, float]
    mrr: float


class RetrievalReport(RetrievalFigures):
    """The figures over all questions and by metric (by kind, where the truth names no metrics)."""

    by_metric: dict[str, RetrievalFigures]


class RetrievalMiss(Record):
    """A question for which the first page was not a right one.

    Attributes:
        wanted: the right pages, 1-based.
        found: the first pages of the result, best first.
        rank: of the first right page, from 1; None where it is not among the pages found.
    """

    question: str
    metric: str
    company: str | None
    report_sha1: str
    wanted: tuple[int, ...]
    found: tuple[int, ...]
    rank: int | None

    @property
    def why(self) -> str:
        """A message about the rank of the right page."""
        if self.rank is None:
            return "not among the pages found" if self.found else "no page was found"
        return f"right page at rank {self.rank}"


def retrieval_questions(truth: TruthFile) -> tuple[RetrievalQuestion, ...]:
    """The questions of a truth file that have pages to find.

    Each pool of the challenge's format is one question, so a comparison gives one for each company. A fact or question
    in our format is one question if it has pages, unless its answer is N/A or false, which no single page shows.
    """
    known = truth.truths
    if truth.form in ("facts", "fact_table", "questions", "wordings"):
        known = tuple(t for t in known if t.answers[0] is not False and t.answers[0] != NOT_AVAILABLE)
    return tuple(
        RetrievalQuestion(text=t.question, kind=t.kind, company=t.company, metric=t.metric, pages=pool)
        for t in known
        for pool in t.pools or ()
        if pool
    )


def score_retrieval(
    ranked: Sequence[Sequence[PageRef]], questions: Sequence[RetrievalQuestion]
) -> RetrievalReport:
    """Score the pages found for each question, best first. A repeated page counts at its first place.

    Raises:
        UsageError: there are no questions.
        ValueError: the number of rankings differs from that of questions.
    """
    if not questions:
        raise UsageError("no questions with pages to be found in this truth")
    ranks = [_first_hit(pages, q.pages) for pages, q in zip(ranked, questions, strict=True)]
    by_metric: dict[str, list[int | None]] = {}
    for question, rank in zip(questions, ranks, strict=True):
        by_metric.setdefault(question.metric or question.kind, []).append(rank)
    overall = _figures(ranks)
    return RetrievalReport(
        n=overall.n,
        recall=overall.recall,
        mrr=overall.mrr,
        by_metric={metric: _figures(found) for metric, found in by_metric.items()},
    )


def retrieval_misses(
    ranked: Sequence[Sequence[PageRef]], questions: Sequence[RetrievalQuestion]
) -> tuple[RetrievalMiss, ...]:
    """The questions for which the first page is not a right one, in their order."""
    misses = []
    for pages, question in zip(ranked, questions, strict=True):
        rank = _first_hit(pages, question.pages)
        if rank != 1:
            misses.append(
                RetrievalMiss(
                    question=question.text,
                    metric=question.metric or question.kind,
                    company=question.company,
                    report_sha1=min(sha1 for sha1, _ in question.pages),
                    wanted=tuple(sorted(page for _, page in question.pages)),
                    found=tuple(page for _, page in dict.fromkeys(pages))[:SHOWN],
                    rank=rank,
                )
            )
    return tuple(misses)


def _first_hit(pages: Sequence[PageRef], wanted: frozenset[PageRef]) -> int | None:
    """The rank, from 1, of the first wanted page."""
    return next((rank for rank, page in enumerate(dict.fromkeys(pages), start=1) if page in wanted), None)


def _figures(ranks: Sequence[int | None]) -> RetrievalFigures:
    n = len(ranks)
    hits = [rank for rank in ranks if rank is not None]
    recall = {str(depth): sum(rank <= depth for rank in hits) / n for depth in DEPTHS}
    return RetrievalFigures(n=n, recall=recall, mrr=sum(1 / rank for rank in hits) / n)
