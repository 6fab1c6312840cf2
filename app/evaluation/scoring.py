"""The challenge's score (G for values, R for references, R/2 + G of 150) and further figures."""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from pydantic import JsonValue

from app.evaluation.truth import Truth, TruthValue
from app.files.answer_json import PageRef
from app.files.answers import WrittenAnswer
from storage.errors import UsageError
from storage.records.answers import NOT_AVAILABLE
from storage.records.record import Record

NumberRule = Callable[[float, float], bool]
"""Whether the truth (first) accepts a number (second)."""


class Figures(Record):
    """Percentages over `n` questions. `R` is None, and `score` is `G`, where the truth names no pages."""

    n: int
    R: float | None
    G: float
    score: float


class CountedFigures(Figures):
    """Percentages, and how many earned nothing.

    Attributes:
        answered: questions with a value other than N/A; a score of none is that of saying N/A to everything.
        wrong: questions with a value that earns nothing.
        missing: questions that have an answer and got N/A or none.
    """

    answered: int
    wrong: int
    missing: int


class ScoreReport(CountedFigures):
    """The challenge's score, with a negative truth compared by its absolute value.

    Attributes:
        official: by the published rule, which accepts no negative number and no zero.
        by_kind: by the truth's kind.
        answerable: over the questions with an answer other than N/A; None where there are none.
        hallucination_rate: share of the N/A questions that got another answer; None where there are none.
        notes: what could not be scored, for people.
    """

    official: Figures
    by_kind: dict[str, CountedFigures]
    answerable: Figures | None
    hallucination_rate: float | None
    notes: tuple[str, ...] = ()


class Mark(NamedTuple):
    """The marks of one question, 0 to 1; `references` is None where the truth names no pages at all."""

    truth: Truth
    answer: WrittenAnswer | None
    value: float
    published_value: float
    references: float | None

    @property
    def is_answered(self) -> bool:
        """Whether a value other than N/A was given."""
        return self.answer is not None and self.answer.value not in (None, NOT_AVAILABLE)

    @property
    def is_wrong(self) -> bool:
        """Whether a value was given that earns nothing."""
        return self.is_answered and self.value == 0

    @property
    def is_missing(self) -> bool:
        """Whether N/A or nothing was given where there is an answer."""
        return not self.is_answered and self.value == 0


def mark_answers(truth: Sequence[Truth], answers: Sequence[WrittenAnswer]) -> list[Mark]:
    """Mark answers by question text. The last answer to a question counts; a question without an answer earns 0.

    Open texts are left out: the challenge has no rule for them.
    """
    given = {answer.question: answer for answer in answers}
    return [_mark(t, given.get(t.question)) for t in truth if t.kind != "text"]


def score(truth: Sequence[Truth], answers: Sequence[WrittenAnswer]) -> ScoreReport:
    """Mark the answers and add up.

    Raises:
        UsageError: there is nothing to score.
    """
    marks = mark_answers(truth, answers)
    if not marks:
        raise UsageError("no questions to score: the truth is empty or holds open texts only")
    overall = _counted(marks)
    kinds = sorted({mark.truth.kind for mark in marks})
    answerable = [mark for mark in marks if not mark.truth.is_not_available]
    unanswerable = [mark for mark in marks if mark.truth.is_not_available]
    return ScoreReport(
        **overall.model_dump(),
        official=_figures([mark._replace(value=mark.published_value) for mark in marks]),
        by_kind={kind: _counted([mark for mark in marks if mark.truth.kind == kind]) for kind in kinds},
        answerable=_figures(answerable) if answerable else None,
        hallucination_rate=sum(m.is_answered for m in unanswerable) / len(unanswerable) if unanswerable else None,
        notes=_notes(marks, left_out=len(truth) - len(marks)),
    )


def within_one_percent(truth: float, given: float) -> bool:
    """Whether a number is within 1% of |truth|, or equal: the challenge's rule, corrected for zero and negatives."""
    return abs(given - truth) < 0.01 * abs(truth) or given == truth


def as_published(truth: float, given: float) -> bool:
    """The challenge's published rule, as in its `rank.py`, which accepts no negative number."""
    return abs(given - truth) < 0.01 * truth


def agreement(truth: Truth, given: JsonValue, rule: NumberRule = within_one_percent) -> float:
    """The marks for a value, 0 to 1: the best over the truth's answers. Only `names` can earn a part."""
    return max(_agreement(truth, expected, given, rule) for expected in truth.answers)


def _agreement(truth: Truth, expected: TruthValue, given: JsonValue, rule: NumberRule) -> float:
    if given is None:
        return 0.0
    if NOT_AVAILABLE in (expected, given):
        return float(expected == given)
    if truth.kind == "number":
        return float(_accepts(rule, expected, given))
    if truth.kind == "boolean":
        answer = str(given).lower()
        return float({"yes": "true", "no": "false"}.get(answer, answer) == str(expected).lower())
    if truth.kind == "name":
        return float(str(expected).strip().lower() == str(given).strip().lower())
    return _overlap(_names(expected), _names(given), _names(truth.also_names))


def _accepts(rule: NumberRule, expected: TruthValue, given: JsonValue) -> bool:
    try:
        return rule(float(expected), float(given))  # type: ignore[arg-type]  # lists raise TypeError
    except (TypeError, ValueError):
        return False


def _names(value: TruthValue | JsonValue) -> frozenset[str]:
    names = value.split(",") if isinstance(value, str) else value
    return (
        frozenset(str(name).strip().lower() for name in names) if isinstance(names, list | tuple) else frozenset()
    )


def _overlap(expected: frozenset[str], given: frozenset[str], also: frozenset[str]) -> float:
    """The Jaccard index. A name of `also` may replace an expected one, and is not counted as wrong."""
    found = min(len(expected), len(expected & given) + len((given & also) - expected))
    size = len(expected) + len(given - expected - also)
    return found / size if size else 0.0


def _mark(truth: Truth, answer: WrittenAnswer | None) -> Mark:
    if answer is None:
        return Mark(truth, None, 0.0, 0.0, None if truth.pools is None else 0.0)
    value = agreement(truth, answer.value)
    published = agreement(truth, answer.value, as_published)
    return Mark(truth, answer, value, published, _references(truth, answer))


def _references(truth: Truth, answer: WrittenAnswer) -> float | None:
    """The marks for references: 1, minus 0.1 per page outside the pools and 0.25 per missed pool; at least 0."""
    if truth.pools is None:
        return None
    wanted = frozenset[tuple[str, int]]().union(*truth.pools)
    missed = sum(not answer.references & pool for pool in truth.pools)
    return max(0.0, 1.0 - 0.1 * len(answer.references - wanted) - 0.25 * missed)


def _counted(marks: Sequence[Mark]) -> CountedFigures:
    wrong, missing = sum(mark.is_wrong for mark in marks), sum(mark.is_missing for mark in marks)
    answered = sum(mark.is_answered for mark in marks)
    return CountedFigures(**_figures(marks).model_dump(), answered=answered, wrong=wrong, missing=missing)


def _figures(marks: Sequence[Mark]) -> Figures:
    n = len(marks)
    references = [mark.references for mark in marks if mark.references is not None]
    value = 100 * sum(mark.value for mark in marks) / n
    if len(references) < n:
        return Figures(n=n, R=None, G=value, score=value)
    cited = 100 * sum(references) / n
    return Figures(n=n, R=cited, G=value, score=cited / 2 + value)


def _notes(marks: Sequence[Mark], left_out: int) -> tuple[str, ...]:
    unknown = sum(mark.references is None for mark in marks)
    of = "" if unknown == len(marks) else f" for {unknown} questions"
    pages = f"the truth names no pages{of}: R is not scored, the score is G alone (of 100)" if unknown else ""
    texts = f"{left_out} open texts are not scored: the challenge has no rule for them" if left_out else ""
    return tuple(note for note in (pages, texts) if note)


Outcome = Literal["right", "part", "wrong", "missing"]


class ReferenceFigures(Record):
    """How well pages are cited, over the questions that have pages to cite.

    Attributes:
        precision: share of the cited pages that are right; None where no page is cited.
        recall: share of the pools with a cited page.
        cited, pools: how many of each.
    """

    precision: float | None
    recall: float
    cited: int
    pools: int


class WrongAnswer(Record):
    """A question whose answer did not earn full marks.

    Attributes:
        expected: any of them is right.
        given: None where there is no answer.
        reason: why it is N/A, if the file has it.
        wanted, cited: pages as report and page number.
    """

    question: str
    kind: str
    outcome: Outcome
    expected: tuple[TruthValue, ...]
    given: JsonValue
    reason: str | None
    wanted: tuple[PageRef, ...]
    cited: tuple[PageRef, ...]


class Evaluation(ScoreReport):
    """The score and further figures.

    Attributes:
        references: None where the truth has no pages to cite.
        seconds_per_question, cost_usd_per_question: means over the answers that have them; None where none has.
    """

    references: ReferenceFigures | None
    seconds_per_question: float | None
    cost_usd_per_question: float | None


def evaluate(truth: Sequence[Truth], answers: Sequence[WrittenAnswer]) -> Evaluation:
    """Score answers, their pages and their cost.

    Raises:
        UsageError: there is nothing to score.
    """
    scored = score(truth, answers)
    questions = {t.question for t in truth}
    taken = [answer for answer in answers if answer.question in questions]
    return Evaluation(
        **{name: getattr(scored, name) for name in ScoreReport.model_fields},
        references=_answer_references(mark_answers(truth, answers)),
        seconds_per_question=_mean([a.seconds for a in taken]),
        cost_usd_per_question=_mean([a.cost_usd for a in taken]),
    )


def wrong_answers(truth: Sequence[Truth], answers: Sequence[WrittenAnswer]) -> tuple[WrongAnswer, ...]:
    """The questions that did not earn full marks, in the truth's order."""
    return tuple(_wrong_answer(mark) for mark in mark_answers(truth, answers) if mark.value < 1)


def outcome(mark: Mark) -> Outcome:
    """The outcome of a question in one word; "part" means that some of several names are right."""
    if mark.value == 1:
        return "right"
    if mark.value > 0:
        return "part"
    return "wrong" if mark.is_answered else "missing"


def _wrong_answer(mark: Mark) -> WrongAnswer:
    wanted = frozenset[PageRef]().union(*(mark.truth.pools or ()))
    return WrongAnswer(
        question=mark.truth.question,
        kind=mark.truth.kind,
        outcome=outcome(mark),
        expected=mark.truth.answers,
        given=mark.answer.value if mark.answer else None,
        reason=mark.answer.reason if mark.answer else None,
        wanted=tuple(sorted(wanted)),
        cited=tuple(sorted(mark.answer.references)) if mark.answer else (),
    )


def _answer_references(marks: Sequence[Mark]) -> ReferenceFigures | None:
    pooled = [(mark, mark.truth.pools) for mark in marks if mark.truth.pools]
    if not pooled:
        return None
    cited = right = found = 0
    for mark, pools in pooled:
        pages = mark.answer.references if mark.answer else frozenset[PageRef]()
        cited += len(pages)
        right += len(pages & frozenset[PageRef]().union(*pools))
        found += sum(not pages.isdisjoint(pool) for pool in pools)
    count = sum(len(pools) for _, pools in pooled)
    return ReferenceFigures(
        precision=right / cited if cited else None, recall=found / count, cited=cited, pools=count
    )


def _mean(figures: Sequence[float | None]) -> float | None:
    known = [figure for figure in figures if figure is not None]
    return sum(known) / len(known) if known else None
