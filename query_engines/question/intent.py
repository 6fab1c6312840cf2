"""What a question asks for, understood by rules."""

import re
import tomllib
from functools import cached_property
from importlib import resources
from typing import Literal

from query_engines.question.currency import without_currency
from query_engines.question.search_text import asked_years, bare_question, search_text, without_company_and_time
from storage.records.facts import EventKind, Role
from storage.records.metrics import Metric, Ontology, significant
from storage.records.record import Record
from storage.records.reports import Company
from storage.text import words

Topic = Literal["line", "person", "event", "other"]
_NEUTRAL = frozenset(
    words(  # beside a metric's name these ask for nothing else
        "total amount value figure level reported report group consolidated company full whole overall number much many"
        " year period fiscal financial annual quarter last latest current end spent make made earn earned have had"
        " record recorded was were is are did do doe what which how and or that this it with"
        " does has been be get got come came up money its their the a an of in on at for to from by as please tell me"
    )
)
# Beside an office or an event these ask for nothing else; "new", "former" or "next" do beside an office.
_NEUTRAL_BY_TOPIC: dict[Topic, frozenset[str]] = {
    "person": frozenset(
        words("who what is was the name full of in at for and a company group firm current currently")
    ),
    "event": _NEUTRAL
    | frozenset(
        words(
            "did does do has have is was were be been any another other new ongoing update updates updated latest"
            " announce announced announces announcing mention mentioned mentions outline outlined provide provided"
            " disclose disclosed describe described state stated start started launch launched decide decided take"
            " taken undertake carry carried out involved face facing plan plans program programs programme programmes"
            " there own shares stock share activities issues problems change changes changed initiative initiatives"
            " inquiries inquiry regulatory company companies firm business"
            " names name what which who mentioned reporting"
        )
    ),
}
_BRACKETS = re.compile(r"\(([^)]*)\)")
_MOST_NAMES = 8


class Asked(Record):
    """A question taken apart.

    Attributes:
        text: what is looked for, without company, boilerplate, currency and period.
        topic: a line of a statement or of the notes that the ontology knows, a person, an event, or anything else.
        metric: which line.
        role, event: which person, which event.
        years: the years that the question names.
        is_by_name: the question gives the metric's own name and nothing else.
        is_plain: the question asks for the metric, the officer or any event of the kind, and for nothing narrower,
            such as a part of the metric, a former officer or one event by its name.
        printed: words that reports use for the person or event.
    """

    text: str
    topic: Topic = "other"
    metric: Metric | None = None
    role: Role | None = None
    event: EventKind | None = None
    years: tuple[int, ...] = ()
    is_by_name: bool = False
    is_plain: bool = False
    printed: str = ""

    @property
    def search_words(self) -> str:
        """The text, and the names that reports print for what is asked."""
        names = self.metric.names[:_MOST_NAMES] if self.metric else (self.printed,)
        return " ".join([self.text, *names]).strip()


class Understanding:
    """Finds out what questions ask for: the ontology gives the names, and a list of wordings what people say."""

    def __init__(self, ontology: Ontology) -> None:
        self._ontology = ontology
        asked = {significant(said): metric for metric in ontology.metrics for said in metric.asked}
        self._asked = sorted(asked.items(), key=lambda item: -len(item[0]))
        wordings = load_wordings()
        self._told = [wording for wording in wordings if wording.metric is None]
        self._lines = [wording for wording in wordings if wording.metric is not None]

    def of(self, question: str, company: Company) -> Asked:
        """What is asked about the company."""
        text = search_text(question, company)
        asked = Asked(text=text, years=asked_years(question))
        metric = self._ontology.asked_for(text)
        if metric is not None and _explains_brackets(metric, text):
            return asked.model_copy(
                update={"topic": "line", "metric": metric, "is_by_name": True, "is_plain": True}
            )
        bare = without_currency(without_company_and_time(question, company)).lower().strip(" ?.,")
        if told := next((w for w in self._told if w.fits(bare)), None):
            topic: Topic = "person" if told.role else "event"
            plain = told.covers(bare_question(bare), _NEUTRAL_BY_TOPIC[topic])
            return asked.model_copy(
                update={
                    "topic": topic,
                    "role": told.role,
                    "event": told.event,
                    "printed": told.printed,
                    "is_plain": plain,
                }
            )
        if metric := self._named(text):
            return asked.model_copy(update={"topic": "line", "metric": metric, "is_plain": True})
        if worded := next((w for w in self._lines if w.metric and w.fits(bare)), None):
            metric, plain = self._ontology[worded.metric or ""], worded.covers(bare_question(bare), _NEUTRAL)
            return asked.model_copy(update={"topic": "line", "metric": metric, "is_plain": plain})
        return asked

    def _named(self, text: str) -> Metric | None:
        """The metric whose asked words are in the text, with nothing beside them that asks for something else."""
        said = significant(text)
        fitting = (m for names, m in self._asked if names and names <= said and not said - names - _NEUTRAL)
        return next(fitting, None)


def _explains_brackets(metric: Metric, text: str) -> bool:
    """Whether what stands in brackets says the metric again, as in "EPS (earnings per share)"."""
    aside = {word for said in _BRACKETS.findall(text) for word in words(said)}
    return aside <= {word for name in metric.asked for word in words(name)} | _NEUTRAL


_STEM_LETTERS = 4


class Wording(Record):
    """Patterns over a question in lower case, the one thing that they ask for, and words that reports use for it.

    Attributes:
        beside: words that ask for nothing narrower where they stand beside what a pattern finds.
    """

    patterns: tuple[str, ...]
    printed: str = ""
    beside: str = ""
    metric: str | None = None
    role: Role | None = None
    event: EventKind | None = None

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile("|".join(f"(?:{pattern})" for pattern in self.patterns))

    def fits(self, text: str) -> bool:
        """Whether the text asks for it."""
        return self._pattern.search(text) is not None

    def covers(self, text: str, neutral: frozenset[str]) -> bool:
        """Whether every word of the text is one of the patterns' or neutral: nothing narrower is asked for."""
        return all(w in neutral or w in self._words or w.startswith(self._stems) for w in words(text))

    @cached_property
    def _words(self) -> frozenset[str]:
        told = re.sub(r"\\[a-z]|\(\?[!<=:]+", " ", " ".join([*self.patterns, self.beside]))
        return frozenset(re.findall(r"[a-z&]+", told))

    @cached_property
    def _stems(self) -> tuple[str, ...]:
        return tuple(w for w in self._words if len(w) >= _STEM_LETTERS)


def load_wordings() -> tuple[Wording, ...]:
    """The wordings that come with Pageproof, in the order in which they are tried."""
    content = tomllib.loads(
        (resources.files("query_engines.question") / "everyday_words.toml").read_text(encoding="utf-8")
    )
    return tuple(Wording.model_validate(entry) for entry in content["wording"])
