"""Finds out what a question asks for: a metric of the ontology, a person, an event, or anything else."""

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

from query_engines.calculation.part_questions import read_parts
from query_engines.calculation.row_questions import relates_two
from query_engines.question.another_figure import (
    NEUTRAL,
    OFFICES,
    asks_for_less,
    counts,
    is_expected,
    is_of_dimension,
    is_worked_out,
    leaves_out,
    means_another,
)
from query_engines.question.classifier import (
    NO_GUESS,
    Guess,
    narrowing_words,
    said_beside,
    sentence_of,
    sentences_in,
)
from query_engines.question.parsed import INDUSTRY_COUNTS, Intent, dimension_in
from query_engines.question.search_text import (
    ANY_AMOUNT,
    MOVES_SAID,
    explained_in,
    label_in,
    nameless,
    search_text,
    without_company_and_time,
    without_currency,
)
from query_engines.question.standing import Figure, Standing
from storage.lexicon.names import names_a_place
from storage.lexicon.periods import NamedPeriod, periods_in, without_periods
from storage.lexicon.question_words import asks_in_percent, asks_per_share, asks_whenever, is_yet_to_come
from storage.lexicon.reasons import asks_why
from storage.records.answers import Dimension
from storage.records.derived_metrics import Change, DerivedMetric, DerivedMetrics, Judgement, trend_of
from storage.records.facts import EventKind, Role
from storage.records.metric_names import MetricName, metric_called, of_formula
from storage.records.metrics import Metric, Ontology, significant
from storage.records.queries import Query
from storage.records.reports import Company
from storage.text import in_a_sentence, stems, words

PRINTED: dict[Role | EventKind, str] = {
    "chief_executive": "Chief Executive Officer, CEO, Managing Director, President",
    "chief_financial": "Chief Financial Officer, CFO, Finance Director",
    "chief_operating": "Chief Operating Officer, COO",
    "chair": "Chairman, Chair of the Board of Directors",
    "president": "President",
    "acquisition": "acquisition, merger, acquired",
    "buyback": "share repurchase program, share buyback",
    "dividend_policy": "dividend policy, dividend increased, dividend declared",
    "litigation": "legal proceedings, litigation, lawsuit, complaint",
    "restructuring": "restructuring plan, reorganisation",
    "supply_chain": "supply chain disruption, shortages",
    "guidance": "guidance, outlook, expected revenue",
    "esg": "sustainability, ESG, emissions target, net zero",
    "leadership_change": "appointed, resigned, retired, Chief Officer, Board of Directors",
    "product_launch": "launched, new product, introduced",
    "layoffs": "workforce reduction, redundancies, positions eliminated",
}
"""Words that reports use for a person or an event."""
_VERBS = {
    **dict.fromkeys(("sell", "sold", "take in customers"), "total_revenue"),
    **dict.fromkeys(("lose", "lost"), "net_income"),
}
"""Words that alone name a line where a question has no others."""
_OF_LITIGATION = significant("litigation lawsuits")
_SURE_OF_SIDE = 0.8  # probability that a judgement is asked for, or its opposite
_SURE_OF_JUDGED = 0.7  # probability from which words that nobody asks so with do not matter
_SURER_THAN_A_NAME = 0.6  # probability of a topic where the text has the name of another
_REQUEST_WORDS = frozenset(
    words(
        "did do does is was were are have has had there it make made report reported record recorded earn earned"
        " generate generated employ employed"
    )
)
_LASTING = frozenset({"buyback"})  # a programme that is authorised stays so for years
_FOR_A_FIGURE = ("how ", "by how ", "what ", "at what ", "by what ", "which ")  # begin so
_NOT_THE_WHOLE: dict[str, object] = {
    **{
        "sole_metric": None,
        "part_metric": None,
        "derived": None,
        "change": None,
        "judgement": None,
        "operands": (),
    },
    **{"is_by_name": False, "is_plain": False},
}
_MOVED, _BY_HOW_MUCH = stems("grow fall"), ("how much", "by how much", "how far")
_CHANGE_NAMED = stems("growth change increase decrease")
_IN_PENCE = stems("pence cents")


def _parts_asked(printed: str, found: Intent) -> dict[str, object]:
    """What a question asks about the parts of a figure."""
    asked = read_parts(printed)
    if found.sole_metric is not None and (asked is None or asked.is_of_names):
        return {}
    return {"parts": asked}


class IntentReader:
    """Finds out what questions ask for, by the names of the ontology and the guess of the classifier."""

    def __init__(self, ontology: Ontology) -> None:
        self.ontology = ontology
        self.derived = DerivedMetrics.load(ontology)
        by_name = {significant(name): metric for metric in ontology.metrics for name in metric.question_names}
        by_name |= {significant(said): found for said, metric in _VERBS.items() if (found := ontology.get(metric))}
        self._metrics = frozenset(metric.id for metric in ontology.metrics)
        self._by_name = sorted(by_name.items(), key=lambda item: -len(item[0]))

    def read(
        self,
        question: str,
        company: Company,
        guess: Guess = NO_GUESS,
    ) -> Intent:
        """The intent of a question about the company.

        The ontology's names come first. A certain guess decides where names and wordings find nothing or are in doubt.

        Args:
            question: its text.
            company: that it is about.
            guess: of the classifier.
        """
        found = self._read(question, company, guess)
        if asks_why(question):
            found = found.model_copy(update={"explained": self._explained(found.text, guess)})
        is_other = is_expected(found, nameless(question, company)) or leaves_out(found, _bare(question, company))
        if is_other or self._has_other_terms(found):
            return found.model_copy(update=_NOT_THE_WHOLE)
        return found

    def of_query(self, query: Query) -> Intent:
        """The intent of a query for a figure that is known by its id, or for its growth."""
        (term,) = query.terms
        metric, derived = self.ontology.get(term.id), self.derived.get(term.id)
        if derived is not None:
            metric = self.ontology.get(derived.printed) if derived.printed else None
        elif metric is not None:
            derived = self.derived.of_printed(metric)
        found = Intent(
            text=in_a_sentence(term.title), topic="line", metric=metric, sole_metric=metric, derived=derived
        )
        if query.operation in ("growth", "change"):
            is_share = query.operation == "growth"
            change = Change(what=in_a_sentence(term.title), metric=metric, is_share=is_share)
            moved = {"derived": trend_of(derived, is_share=is_share)} if derived else {"change": change}
            said = {"dimension": "percent"} if is_share else {}
            found = found.model_copy(update={**moved, **said, "sole_metric": None, "text": query.what})
        if any(asked.period.is_part_of_year for asked in query.periods):
            of_part = {
                "part_metric": found.sole_metric,
                "part_derived": found.derived,
                "part_change": found.change,
            }
            found = found.model_copy(update={**of_part, "sole_metric": None, "derived": None, "change": None})
        is_plain = found.sole_metric is not None
        return self._with_operands(found.model_copy(update={"is_by_name": is_plain, "is_plain": is_plain}))

    def figure_called(self, name: str) -> Metric | DerivedMetric | None:
        """The line or the formula with this name, as `metric_called` gives it."""
        named = self.derived.named_in(name.lower())
        return self.ontology.metric_named(name) or (named[0] if named else None)

    def figure_of(self, found: Intent, guess: Guess) -> Metric | DerivedMetric | None:
        """The figure that a question is about, whatever else it says; None where it is about none."""
        if found.derived is not None:
            return found.derived
        metric = found.sole_metric or (found.change.metric if found.change else None) or found.metric
        if metric is not None or not guess.is_figure:
            return metric
        return self.ontology.get(guess.topic) or self.derived.get(guess.topic)

    def asked_about(self, found: Intent, guess: Guess) -> Figure | None:
        """What a question can be set against: a judgement, or a figure, unless it makes that of several."""
        if found.judgement is not None and found.judgement.id == guess.topic:
            return Figure.of(found.judgement)
        figure = self.figure_of(found, guess)
        # "Capex over sales" is made of the figures that it names.
        is_made = isinstance(figure, DerivedMetric) and figure.id != guess.topic
        return None if figure is None or is_made else Figure.of(figure)

    def judged(self, found: Intent, standing: Standing, guess: Guess, periods: Sequence[NamedPeriod]) -> Intent:
        """The intent by how the question stands to its figure: surely not of the whole, or surely of it.

        Args:
            found: by names and the guess.
            standing: of the question to the figure.
            guess: of the classifier.
            periods: that the question names; only the figure of a year can be exactly what is asked.
        """
        if standing.is_surely_another:
            # What moved may still be a row, which its label names.
            moved = found.change.model_copy(update={"metric": None}) if found.change else None
            return found.model_copy(update=_NOT_THE_WHOLE | {"change": moved})
        is_open = not (found.sole_metric or found.derived or found.change or found.role or found.event)
        is_of_years = not any(period.is_part_of_year or period.is_of_several_years for period in periods)
        if not (standing.is_surely_exact and is_open and is_of_years and guess.is_figure):
            return found
        operation = found.parts.operation if found.parts else "value"
        is_value = operation == "value" or (operation in ("share", "growth") and guess.operation == "value")
        if not is_value or asks_for_less(guess):
            return found
        derived = self.derived.get(guess.topic)
        if derived is not None and found.dimension not in ("per share", "date", "count"):
            whole = self._with_operands(found.model_copy(update={"derived": derived, "parts": None}))
            return found if self._has_other_terms(whole) else whole
        metric = self.ontology.get(guess.topic)
        if metric is None or not is_of_dimension(metric, found.dimension, found.counted):
            return found
        of_line = {"topic": "line", "metric": metric, "sole_metric": metric, "is_plain": True, "parts": None}
        return found.model_copy(update=of_line)

    def _has_other_terms(self, found: Intent) -> bool:
        """Whether the question gives a calculated figure a term that its formula has not: "cash plus deposits …"."""
        derived = found.derived
        if derived is None:
            return False
        used = (self.ontology[metric] for metric in derived.metrics)
        names = (*derived.question_names, *(n for m in used for n in (m.title, *m.question_names, *m.names)))
        own = significant(derived.title).union(*map(significant, names))
        return not narrowing_words(derived.id, found.text) <= own

    def _read(self, question: str, company: Company, guess: Guess) -> Intent:
        bare = _bare(question, company)
        periods = periods_asked(sentence_of(guess.asked_in, question), question)
        found = self._in_time(self._at_any_time(question, company, guess), periods, question, bare, guess)
        found = self._with_operands(found)
        if found.event is not None and relates_two(guess.asked_in or found.text):
            # Whether it was paid for is more than whether it was.
            found = Intent(text=found.text, dimension=found.dimension)
        if any(period.is_part_of_year for period in periods):
            found = found.model_copy(update=self._of_part(without_periods(question), company, guess))
        if found.judgement is not None or found.derived is not None:
            return found
        printed = without_currency(without_company_and_time(question, company))
        return found.model_copy(update=_parts_asked(printed, found))

    def _explained(self, text: str, guess: Guess) -> Metric | None:
        """The metric that a reason is asked for: by the guess, else by a name in what is to be explained."""
        if guess.is_sure and guess.topic in self._metrics:
            return self.ontology[guess.topic]
        asked = explained_in(text) - ANY_AMOUNT
        named = (metric for name, metric in self._by_name if stems(" ".join(name)) - ANY_AMOUNT == asked)
        return next(named, None) if asked else None

    def metric_called(self, phrase: str) -> MetricName | None:
        """The metric that a phrase names and nothing else; None where it names none."""
        if found := metric_called(phrase, self.ontology, self.derived):
            return found
        bare = phrase.lower().strip()
        named = self.derived.named_in(bare)
        if named and not words(named[1]):
            return of_formula(named[0], phrase)
        return None

    def figure_asked(self, guess: Guess, text: str) -> MetricName | None:
        """The figure that a text is about, however it is worded; None where it is about a part of one, or its change.

        Args:
            guess: of the classifier.
            text: without companies and times.
        """
        if names_a_place(text) or stems(text) & (_MOVED | _CHANGE_NAMED):
            return None
        if (named := self.derived.named_in(text.lower())) is not None:
            return metric_called(named[0].title, self.ontology, self.derived)
        if not guess.is_figure:
            return None
        topic = self.derived.figure_judged(guess.topic) or guess.topic  # "who is more profitable?"
        if (derived := self.derived.get(topic)) is not None:
            return metric_called(derived.title, self.ontology, self.derived)
        metric = self.ontology[topic] if topic in self._metrics else None
        if metric is None or means_another(metric, text) or means_another(metric, guess.asked_in):
            return None
        if metric.id in INDUSTRY_COUNTS and metric.id not in self._names_in(text):
            return None  # hotels are no rooms
        return metric_called((*metric.question_names, metric.title)[0], self.ontology, self.derived)

    def _at_any_time(self, question: str, company: Company, guess: Guess) -> Intent:
        """The intent without what depends on the periods that the question names."""
        text, bare = search_text(question, company), _bare(question, company)
        dimension, things = _dimension_asked(guess, question)
        found = self._topic(text)
        if found.metric is not None and not found.is_by_name and not counts(found.metric, things):
            found = Intent(text=text)
        derived = self._derived_metric(found, bare, guess)
        if not found.is_plain and guess.is_sure and not asks_for_less(guess):
            found = self._of_guess(guess, text, dimension, things) or found
        sole = self._named_alone(text) or (found.metric if found.is_plain else None)
        if sole is not None and not found.is_by_name and not counts(sole, things):
            sole = None
        if derived is not None and sole is not None and derived.printed != sole.id:
            sole = None
        return found.model_copy(
            update={"sole_metric": sole, "derived": derived, "dimension": dimension, "counted": things}
        )

    def _of_part(self, question: str, company: Company, guess: Guess) -> dict[str, object]:
        """What a question about a part of a year asks for, by its words without the period."""
        whole = self._at_any_time(question, company, guess)
        change = None if whole.derived else self._change(guess, _bare(question, company))
        return {"part_metric": whole.sole_metric, "part_derived": whole.derived, "part_change": change}

    def _in_time(
        self, found: Intent, periods: Sequence[NamedPeriod], question: str, bare: str, guess: Guess
    ) -> Intent:
        """The intent with what depends on the periods: quarters and several years have no facts of their own."""
        of_any_time = asks_whenever(question) or (not periods and found.event in _LASTING)
        update: dict[str, object] = {"is_of_any_time": of_any_time}
        is_part = any(period.is_part_of_year for period in periods)
        if is_part or any(period.is_of_several_years for period in periods):
            update |= {"sole_metric": None, "derived": None, "is_by_name": False, "is_plain": False}
        elif found.derived is None:
            update["change"] = self._change(guess, bare)
        elif (trend := self._trend(found.derived, guess, bare)) is not None:
            update["derived"] = trend
        judged = None if is_part or asks_why(question) else self._judged(question, bare, guess)
        if judged is not None:
            update |= {"judgement": judged[0], "derived": judged[1]}
        return found.model_copy(update=update)

    def _trend(self, derived: DerivedMetric, guess: Guess, bare: str) -> DerivedMetric | None:
        """The change of a calculated figure against the period before; None where its value is asked for."""
        change = self._change(guess, bare)
        if change is None or stems(derived.title) & _CHANGE_NAMED:  # "revenue growth" is one by name
            return None
        return trend_of(derived, is_share=change.is_share or change.is_growth)

    def _with_operands(self, found: Intent) -> Intent:
        """The intent with the metrics whose figures stand on the pages for a calculated figure."""
        if found.derived is None:
            changed = found.change.metric if found.change else None
            return found.model_copy(update={"operands": (changed,) if changed else ()})
        beside = tuple(self.derived[metric] for metric in found.judgement.beside) if found.judgement else ()
        used = (found.derived.printed, *found.derived.definitions[0].metrics)
        operands = tuple(self.ontology[metric] for metric in used if metric)
        return found.model_copy(update={"beside": beside, "operands": operands})

    def _judged(self, question: str, bare: str, guess: Guess) -> tuple[Judgement, DerivedMetric] | None:
        """What a question wants judged, and by which figure."""
        text = question.lower()
        if is_yet_to_come(text):  # "will it be profitable next year?"
            return None
        wants_a_figure = any(sentence.startswith(_FOR_A_FIGURE) for sentence in sentences_in(bare))
        if wants_a_figure and "how many times" not in bare and self.derived.named_in(text) is None:
            return None
        is_sure = guess.is_sure and guess.operation_probability >= _SURE_OF_SIDE
        is_judged = is_sure and _is_likely(guess, _SURE_OF_JUDGED, bare)
        is_judged = is_judged and not narrowing_words(guess.topic, guess.asked_in)
        topic = guess.topic if is_judged and guess.kind == "boolean" else ""
        return self.derived.judgement_in(text, topic, is_opposite=guess.operation == "opposite")

    def _change(self, guess: Guess, bare: str) -> Change | None:
        """The change against the period before that a question asks for, and of what."""
        is_change = guess.operation in ("change", "growth") and is_worked_out(guess) and guess.kind != "boolean"
        label = label_in(bare)
        ends = (*label.split()[:1], *label.split()[-1:])  # "growth of its payables", "payables growth"
        what = label_in(" ".join(word for word in label.split() if not stems(word) & MOVES_SAID))
        is_said = stems(" ".join(ends)) & _CHANGE_NAMED or (bare.startswith(_BY_HOW_MUCH) and stems(bare) & _MOVED)
        if not (is_change or is_said) or not what or names_a_place(what):
            return None
        metric = self.ontology.metric_named(what) or self._named(what)
        guessed = self.ontology.get(guess.topic) if guess.is_figure else None
        is_named = guessed is not None and self._names_in(what) <= {guessed.id}  # and no second figure
        if metric is None and guessed is not None and is_named and not means_another(guessed, what):
            metric = guessed
        if asks_per_share(bare) and (metric is None or metric.kind != "per_share"):
            return None
        return Change(
            what=what,
            metric=metric,
            is_share=asks_in_percent(bare),
            is_growth=guess.operation == "growth" or "growth" in ends,
            is_loss="loss" in stems(what),
            in_pence=bool(stems(bare) & _IN_PENCE),
        )

    def _derived_metric(self, found: Intent, bare: str, guess: Guess) -> DerivedMetric | None:
        """The derived metric that the question names, else that a certain guess takes it for."""
        if named := self.derived.named_in(sentence_of(guess.asked_in, bare)):
            metric, rest = named
            return None if names_a_place(rest) else metric
        if found.is_plain:
            return self.derived.of_printed(found.metric)
        is_sure = guess.is_sure and _is_likely(guess, _SURER_THAN_A_NAME, bare)
        return self.derived.get(guess.topic) if is_sure and not asks_for_less(guess) else None

    def _topic(self, text: str) -> Intent:
        metric = self.ontology.metric_named(text)
        if metric is not None:
            return Intent(text=text, topic="line", metric=metric, is_by_name=True, is_plain=True)
        if metric := self._named(text):
            return Intent(text=text, topic="line", metric=metric, is_plain=True)
        if significant(text) & _OF_LITIGATION:
            return Intent(
                text=text, topic="event", event="litigation", printed=PRINTED["litigation"], is_plain=True
            )
        return Intent(text=text)

    def _of_guess(self, guess: Guess, text: str, dimension: Dimension | None, things: str) -> Intent | None:
        """A guess as an intent in terms of the ontology; None where the fact table has no such facts."""
        if guess.topic in self._metrics:
            if not is_of_dimension(self.ontology[guess.topic], dimension, things):
                return None
            if means_another(self.ontology[guess.topic], guess.asked_in):
                return None
            is_amount = self.ontology[guess.topic].kind != "count"
            if dimension == "count" and is_amount and guess.topic not in self._names_in(guess.asked_in):
                return None
            if guess.probability < _SURER_THAN_A_NAME and guess.topic not in self._named_in(guess.asked_in):
                return None
            return Intent(text=text, topic="line", metric=self.ontology[guess.topic], is_plain=True)
        role = OFFICES.get(guess.topic)
        if role is not None:
            return Intent(text=text, topic="person", role=role, printed=PRINTED[role], is_plain=True)
        event = next((event for event in get_args(EventKind) if event == guess.topic), None)
        is_set_beside = self.derived.named_in(guess.asked_in.lower()) is not None
        if event is None or is_set_beside:  # whether buybacks were covered by free cash flow
            return None
        return Intent(text=text, topic="event", event=event, printed=PRINTED[event], is_plain=True)

    def _named_in(self, text: str) -> frozenset[str]:
        """The metrics with a name in the text, or all where none is."""
        return self._names_in(text) or self._metrics

    def _names_in(self, text: str) -> frozenset[str]:
        """The metrics with a name in the text."""
        wanted = significant(text)
        return frozenset(m.id for names, m in self._by_name if names and names <= wanted)

    def _named(self, text: str) -> Metric | None:
        """The metric whose name is in the text, with no other words that narrow the question."""
        wanted = significant(text)
        fitting = (m for names, m in self._by_name if names and names <= wanted and not wanted - names - NEUTRAL)
        return next(fitting, None)

    def _named_alone(self, text: str) -> Metric | None:
        """The metric whose name is the whole search text, apart from a period and question words."""
        bare = without_periods(text)
        tried = (text, bare, " ".join(word for word in bare.split() if word.lower() not in _REQUEST_WORDS))
        return next((m for t in tried if (m := self.ontology.metric_named(t)) is not None), None)


def periods_asked(asked: str, text: str) -> tuple[NamedPeriod, ...]:
    """The periods of the sentence that asks, by their places in the text; where it has none, those of all sentences.

    Years that belong to a story before the question ("since 1994") are none of its periods.
    """
    start = max(text.find(asked), 0)
    found = tuple(
        replace(p, start=p.start + start, end=p.end + start, phrase_start=p.phrase_start + start)
        for p in periods_in(asked)
    )
    if found or asked == text or not asked.endswith("?"):
        return found or periods_in(text)
    return tuple(period for period in periods_in(text) if not period.is_of_several_years)


def _bare(question: str, company: Company) -> str:
    """The question in small letters without company, period and currency."""
    return without_currency(without_company_and_time(question, company)).lower().strip(" ?.,")


def _is_likely(guess: Guess, least: float, bare: str) -> bool:
    """Whether a topic has a probability, or every word of the question is one with which people ask for it."""
    return guess.probability >= least or not said_beside(guess.topic, label_in(bare))


def _dimension_asked(guess: Guess, question: str) -> tuple[Dimension | None, str]:
    """The dimension and the things to be counted by the words of the request.

    Where these do not say it, the whole text does for a figure per share, which may stand behind a dash, and for a
    count: "When I left we were thousands. How many are left?" wants no money.
    """
    dimension, things = dimension_in(sentence_of(guess.asked_in, question))
    if dimension is None and (elsewhere := dimension_in(question)[0]) in ("per share", "count"):
        return elsewhere, things
    return dimension, things
