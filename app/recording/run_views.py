"""Views of runs: a list, one run with its questions, two runs compared."""

from collections.abc import Iterable

from storage.records.answers import Reason, Usage, Value
from storage.records.questions import Question
from storage.records.record import Record
from storage.stores.run_log import LoggedAnswer, LoggedOpinion, Run, RunLog


class RunSummary(Record):
    """A run in one line."""

    run: Run
    questions: int
    failed: int
    not_available: int
    cached: int
    usage: Usage
    seconds: float


class SeenRun(Record):
    """A run with its questions."""

    run: Run
    entries: tuple[LoggedAnswer, ...]
    opinions: tuple[LoggedOpinion, ...] = ()


class Side(Record):
    """One run's answer to a question."""

    value: Value | None
    reason: Reason | None
    error: str | None
    pages: tuple[tuple[str, int], ...]
    usage: Usage
    seconds: float
    cached: bool


class Difference(Record):
    """One question in both runs; pages are compared as a set."""

    question: Question
    before: Side
    after: Side
    same_value: bool
    same_reason: bool
    same_pages: bool

    @property
    def is_same(self) -> bool:
        """Whether both answers are the same, apart from the cost."""
        return self.same_value and self.same_reason and self.same_pages


class ComparedRuns(Record):
    """Two runs, question by question, in the order of the first; the last answer to a repeated question counts."""

    before: Run
    after: Run
    same: int
    changed: int
    questions: tuple[Difference, ...]
    only_before: tuple[Question, ...]
    only_after: tuple[Question, ...]


def summaries(log: RunLog) -> tuple[RunSummary, ...]:
    """Every run, the latest first."""
    return tuple(_summary(run, log.entries(run)) for run in log.runs())


def seen(log: RunLog, name: str) -> SeenRun:
    """The run whose id begins with this text.

    Raises:
        UsageError: no run or several runs fit.
    """
    run = log.run(name)
    return SeenRun(run=run, entries=log.entries(run), opinions=log.opinions(run))


def compared(before: SeenRun, after: SeenRun) -> ComparedRuns:
    """The differences between two runs."""
    first, second = _last(before.entries), _last(after.entries)
    both = [_difference(question, first[question], second[question]) for question in first if question in second]
    return ComparedRuns(
        before=before.run,
        after=after.run,
        same=sum(d.is_same for d in both),
        changed=sum(not d.is_same for d in both),
        questions=tuple(both),
        only_before=tuple(q for q in first if q not in second),
        only_after=tuple(q for q in second if q not in first),
    )


def _summary(run: Run, entries: tuple[LoggedAnswer, ...]) -> RunSummary:
    return RunSummary(
        run=run,
        questions=len(entries),
        failed=sum(e.failed for e in entries),
        not_available=sum(e.value == "N/A" and not e.failed for e in entries),
        cached=sum(e.cached for e in entries),
        usage=sum((e.usage for e in entries), Usage()),
        seconds=sum(e.seconds for e in entries),
    )


def _last(entries: Iterable[LoggedAnswer]) -> dict[Question, LoggedAnswer]:
    return {entry.question: entry for entry in entries}


def _difference(question: Question, before: LoggedAnswer, after: LoggedAnswer) -> Difference:
    one, other = _side(before), _side(after)
    return Difference(
        question=question,
        before=one,
        after=other,
        same_value=one.value == other.value,
        same_reason=(one.reason, one.error is None) == (other.reason, other.error is None),
        same_pages=set(one.pages) == set(other.pages),
    )


def _side(entry: LoggedAnswer) -> Side:
    return Side(
        value=entry.value,
        reason=entry.reason,
        error=entry.error,
        pages=tuple((page.report_sha1, page.page) for page in entry.pages),
        usage=entry.usage,
        seconds=entry.seconds,
        cached=entry.cached,
    )
