"""What a turn of a conversation does, what the conversation is about, and the question that filled slots make.

What a turn does is read by a linear model that is trained on phrases of several writers:
`python -m query_engines.training.linear`.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, cast, get_args

from query_engines.comparison.by_topic import read_plan
from query_engines.comparison.entities import Listed, listed, listed_names
from query_engines.comparison.plan import Entity
from query_engines.question.classifier import LinearReader
from query_engines.question.parsed import ParsedQuestion, reported_year
from query_engines.question.parser import MARK, QuestionParser
from query_engines.question.wording import kind_in
from query_engines.routing.dialogue import Dialogue
from storage.lexicon.periods import periods_in, years_named
from storage.lexicon.words import expression
from storage.records import queries
from storage.records.answers import Answer
from storage.records.metric_names import MetricName
from storage.records.queries import AskedPeriod, FilledQuestion, Part, PartOperation, Query
from storage.records.questions import Question
from storage.records.reports import Company
from storage.text import in_a_sentence, plain

Operation = Literal[
    "value",
    "office",
    "growth",
    "change",
    "direction",
    "why",
    "share",
    "highest",
    "lowest",
    "grew_most",
    "fell_most",
    "compare",
    "rank",
]
_WRITTEN: dict[Operation, str] = {
    "value": "What was the {subject}{of}{when}?",
    "office": "Who is the {subject}{of}?",
    "growth": "By what percentage did the {subject}{of} change{when}?",
    "change": "By how much did the {subject}{of} change{when}?",
    "direction": "Did the {subject}{of} rise or fall{when}?",
    "why": "Why did the {subject}{of} change{when}?",
    "share": "What was the {subject}{of} as a percentage of {whole}{when}?",
    "highest": "Which company had the highest {subject}{when}: {companies}?",
    "lowest": "Which company had the lowest {subject}{when}: {companies}?",
    "grew_most": "Which company had the highest growth of {subject}{when}: {companies}?",
    "fell_most": "Which company had the lowest growth of {subject}{when}: {companies}?",
    "compare": "Compare the {subject}{of}{when}?",
    "rank": "Rank {companies} by {subject}{when}?",
}
# The same in a query, with which of several companies, or of their moves, is asked for.
_QUERIES: dict[Operation, tuple[queries.Operation | None, PartOperation | None]] = {
    "value": ("value", None),
    "office": ("who", None),
    "share": ("share", None),
    "growth": ("growth", None),
    "change": ("change", None),
    "direction": ("whether", None),
    "why": ("why", None),
    "highest": ("compare", "largest"),
    "lowest": ("compare", "smallest"),
    "grew_most": ("compare", "rose_most"),
    "fell_most": ("compare", "fell_most"),
    "compare": ("compare", None),
    "rank": ("rank", None),
}
_OPERATIONS: dict[tuple[queries.Operation | None, PartOperation | None], Operation] = {
    asked: operation for operation, asked in _QUERIES.items()
}
_IN_WORDS = frozenset[Operation]({"office", "share"})  # whose questions are read by their words
OF_COMPANIES = frozenset[Operation]({"highest", "lowest", "grew_most", "fell_most", "compare", "rank"})
LASTING = frozenset[Operation]({"growth", "change", "highest", "lowest", "rank"})  # that another topic takes over
OVER_TIME = frozenset[Operation]({"growth", "change", "direction", "why"})
_OF_A_SUBJECT = frozenset(
    {"highest", "lowest", "ranking", "more", "less", "difference", "ratio", "sum", "average"}
)
GROWTH, CHANGED = " growth", "Change of "
OFFICES = {
    "chief executive officer": "CEO",
    "chief financial officer": "CFO",
    "chief operating officer": "COO",
    "chair": "chair",
    "president": "president",
}

MARKED = expression(rf"{MARK}(\d+)")
MARKED_LIST = expression(r"@\d+(?:(?:,? and |,? or |, )@\d+)*")  # companies one after the other
_SET_AGAINST = expression(
    r"\b(?:against|versus|vs|(?:compared? )?(?:to|with)|over|than|from)(?: the)?\W*$", re.IGNORECASE
)


Move = Literal[
    "other",
    "growth",
    "change",
    "direction",
    "why",
    "more",
    "highest",
    "lowest",
    "grew_most",
    "fell_most",
    "compare",
    "rank",
    "share",
    "again",
    "part",
    "asks",
    "says",
]
"""What a turn does: the same of another company, period or unit; how much it grew, changed, whether it rose, why; is it
more than another; which company has the most or least of it, or whose grew or fell most; companies side by side or in
order; as a share of something; the same shown again, in doubt; a narrower thing; something of its own; or nothing, as
a remark."""
MOVES: tuple[Move, ...] = get_args(Move)
DONE_TO_FIGURES = frozenset(get_args(Operation)) & frozenset(MOVES)
COMPANY, PERIOD = "@", "#"  # what stands for them in a turn
TURNS = Path(__file__).parent / "turns.npz"
SURE_OF_MOVE = 0.5  # probability from which a move is made


def read_turn(turn: str) -> tuple[Move, float]:
    """The likeliest move of a turn whose companies are written as "@" and periods as "#", and its probability."""
    move, probability = LinearReader.load(TURNS).read(turn)
    return cast(Move, move), probability


@dataclass(frozen=True)
class Slots:
    """What the conversation is about.

    Attributes:
        query: its companies, of which there are none where the chosen reports are asked about; its subject, as people
            call the metric, office or topic; its periods; and what is asked of the subject.
        frame: the question before, with its companies numbered.
        question: the same as it was asked.
        answered: the company that its answer is about, where that is one.
        is_compared: the question before compared the subject of several companies.
        called: the metric that a subject is, where it is a known one.
    """

    query: Query
    frame: Listed
    question: Question
    answered: str | None = None
    whole: str = ""
    is_compared: bool = False
    called: Callable[[str], MetricName | None] = lambda _: None

    @property
    def companies(self) -> tuple[str, ...]:
        """The companies of the question before."""
        return self.query.companies

    @property
    def subject(self) -> str:
        """What people call the metric, office or topic; "" where it is none of these."""
        return self.query.subject

    @property
    def operation(self) -> Operation:
        """What is asked of the subject."""
        return _OPERATIONS.get((self.query.operation, self.query.part.which if self.query.part else None), "value")

    @property
    def when(self) -> str:
        """The periods with their prepositions: " in 2023"; "" for none."""
        said = " and ".join(asked.phrase for asked in self.query.periods)
        return f" {said}" if said else ""

    def then(self, now: Query) -> "Slots":
        """These slots with what is said now."""
        return replace(self, query=self.query.merged(now))

    def at(self, periods: Sequence[AskedPeriod]) -> "Slots":
        """The same at other periods, or without one."""
        return replace(self, query=self.query.model_copy(update={"periods": tuple(periods)}))

    def written(self) -> Question:
        """The question that these slots make."""
        of = f" of {listed_names(self.companies)}" if self.companies else ""
        text = _WRITTEN[self.operation].format(
            subject=self.subject, of=of, companies=", ".join(self.companies), when=self.when, whole=self.whole
        )
        is_prose = self.operation == "value" and len(self.companies) == 1 and kind_in(text) == "text"
        kind = "text" if self.operation == "why" else "number" if is_prose else None
        company = self.companies[0] if len(self.companies) == 1 else None
        query = self._filled
        if query is None:
            return Question(text=text, company=company, kind=kind)
        return FilledQuestion(text=text, company=company, query=query)

    @property
    def _filled(self) -> Query | None:
        """The query with its term; None where its words have to be read."""
        known = self.called(self.subject) if self.companies else None
        is_of_several = self.operation in {*OF_COMPANIES, "why"} and len(self.companies) > 1
        if self.operation in _IN_WORDS or not (is_of_several or (known and self.operation != "why")):
            return None
        return self.query.model_copy(update={"terms": (known.term,) if known else ()})


def asks(operation: Operation, **said: object) -> Query:
    """A query that asks something of what was asked about before, with what else it says."""
    asked, which = _QUERIES[operation]
    part = Part(which=which) if which else None
    return Query.model_validate({"operation": asked, "part": part, **said})


def slots_of(before: Dialogue, parser: QuestionParser) -> Slots | None:
    """What the question before was about; what it says nothing of, by the last one that was understood."""
    question, answer = before.question, before.answer
    if question is None or answer is None:
        return None
    if isinstance(question, FilledQuestion):
        return _of_query(question, answer, parser)
    frame = listed(parser.parse(question.model_copy(update={"company": None})))
    answered = question.company or answer.company
    named = tuple(entity.company or entity.label for entity in frame.entities)
    known = [entity for entity in frame.entities if entity.company]
    companies = named if len(named) > 1 or known else ()
    companies = companies or ((answered,) if answered else ())
    plan = read_plan(frame, parser.figure_asked) if len(named) > 1 else None
    asked = _of_first(question, frame, companies, parser)
    is_compared = plan is not None and plan.relation in _OF_A_SUBJECT
    subject = plan.subject if plan and is_compared else subject_of(asked) if asked else None
    if answer.understood and len(answer.understood.metrics) > 1:
        subject = None
    operation: Operation = "value"
    if plan is not None and plan.relation in ("highest", "lowest", "ranking"):
        operation = "rank" if plan.relation == "ranking" else plan.relation
    elif asked is not None and asked.guess.operation in ("growth", "change") and subject:
        operation = "growth" if asked.guess.operation == "growth" else "change"
        subject = subject.removesuffix(GROWTH)
    if not subject and before.topic is not None and before.topic != question:
        of_topic = listed(parser.parse(before.topic.model_copy(update={"company": None})))
        earlier = _of_first(before.topic, of_topic, companies, parser)
        subject = subject_of(earlier) if earlier else None
    return Slots(
        asks(operation, companies=companies, subject=subject or "", periods=_periods(question.text)),
        frame,
        question,
        answered,
        is_compared=is_compared,
        called=parser.metric_called,
    )


def _of_query(question: FilledQuestion, answer: Answer, parser: QuestionParser) -> Slots:
    """The slots of a question that slots have made."""
    query = question.query
    entities = tuple(Entity(label=name, company=name) for name in query.companies)
    return Slots(
        query.model_copy(update={"subject": in_a_sentence(query.subject), "terms": ()}),
        Listed("", entities),
        question,
        answer.company or question.company,
        is_compared=len(entities) > 1,
        called=parser.metric_called,
    )


def _of_first(
    question: Question, frame: Listed, companies: Sequence[str], parser: QuestionParser
) -> ParsedQuestion | None:
    """A question as it is asked of the first of its companies; of nobody where the chosen reports are asked."""
    known: Company | None = next((c for name in companies for c in parser.names.named(name)[:1]), None)
    if known is None:
        return parser.parse(question)
    text = MARKED.sub("", MARKED_LIST.sub(known.name, frame.text, count=1)) if frame.entities else question.text
    return parser.about(parser.parse(Question(text=text, kind=question.kind, company=known.name)), known)


def subject_of(parsed: ParsedQuestion) -> str | None:
    """What a question is about, as people call it."""
    derived, operands = parsed.intent.derived, parsed.intent.operands
    is_printed = derived is not None and derived.formulas[0] in {metric.id for metric in operands}
    asked = operands[0] if is_printed else derived or parsed.intent.metric
    if asked is not None:
        named = asked.question_names if asked is derived else ()
        title = asked.title if not named or asked.title.lower() in named else named[0]
        title = title.removeprefix(CHANGED)  # what is done to it is the operation
        return in_a_sentence(title)
    return guessed(parsed)


def guessed(parsed: ParsedQuestion) -> str | None:
    """What a question that names no metric is likely about."""
    return next(iter(parsed.understood.metrics), None)


def sole(slots: Slots) -> str | None:
    """The only company of the slots; None where they have several, or none."""
    return slots.companies[0] if len(slots.companies) == 1 else None


def of_others(slots: Slots, now: Listed) -> Question:
    """The question before about the companies that are named now; a name that was not understood is settled by it."""
    label, company = listed_names([entity.label for entity in now.entities]), now.entities[0].company
    before = slots.frame.entities
    if isinstance(slots.question, FilledQuestion):
        names = tuple(entity.company or entity.label for entity in now.entities)
        operation = "value" if len(names) == 1 and slots.operation in OF_COMPANIES else slots.operation
        asked = slots.then(asks(operation, companies=names)).written()
        return asked if company else asked.in_words.model_copy(update={"company": None})
    if len(now.entities) == 1 and len(before) > 1 and slots.subject and slots.is_compared:
        asked = slots.then(asks("value", companies=(label,))).written()
        return (asked if company else asked.in_words).model_copy(update={"company": company})
    if not before and len(now.entities) == 1 and slots.companies and not company:
        return slots.then(Query(companies=(label,))).written().in_words.model_copy(update={"company": None})
    if not before or (len(before) == 1 and before[0].is_ambiguous):
        return slots.question.model_copy(update={"company": company if len(now.entities) == 1 else None})
    named = MARKED_LIST.sub(lambda _: label, slots.frame.text, count=1)
    return slots.question.model_copy(update={"text": written(named, before), "company": None})


def written(text: str, entities: Sequence[Entity]) -> str:
    """The text with its companies by name again."""
    return MARKED.sub(lambda match: entities[int(match[1])].label, text)


def _periods(text: str) -> tuple[AskedPeriod, ...]:
    """The last period that a question names and does not set another one against."""
    bare = plain(text)
    dated = [p for p in periods_in(bare) if years_named([p]) or p.years_back]
    found = [p for p in dated if not _SET_AGAINST.search(bare[: p.start])]
    return tuple(AskedPeriod.of(period, bare) for period in found[-1:])


def at_another_time(previous: str, when: str) -> str:
    """The question before with the period that is named now."""
    bare = plain(previous)
    if dated := [period for period in periods_in(bare) if years_named([period]) or period.years_back]:
        before, after = bare[: dated[0].phrase_start], bare[dated[0].end :]
        return " ".join(f"{before} {when} {after}".split()).replace(" ?", "?")
    return f"{bare.rstrip(' ?!')} {when}?"


def counted_back(slots: Slots, back: int, companies: Sequence[Company]) -> str | None:
    """So many years before the one that was asked about; the one before the newest is not called by a number."""
    named = years_named(periods_in(slots.when))
    told = next((p.years_back for p in periods_in(plain(slots.question.text)) if p.years_back), 0)
    if named:
        return f"in {named[-1] - back}"
    if told + back == 1:
        return "in the prior year"
    known = next((c for c in companies if (c.name,) == slots.companies), None)
    newest = reported_year(known.main_report) if known and known.main_report else None
    return f"in {newest - told - back}" if newest else None
