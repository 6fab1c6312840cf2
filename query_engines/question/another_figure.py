"""Whether a question means another figure than the metric whose words it has: a change, another row, a later year."""

import re
from collections.abc import Callable

from query_engines.company_names.vocabulary import is_common, is_spoken
from query_engines.question.classifier import SAYS_NOTHING, Guess, label_words, names_of, narrowing_words
from query_engines.question.parsed import Intent
from storage.lexicon.money import CODES
from storage.lexicon.question_words import LEFT_OUT, is_yet_to_come
from storage.lexicon.words import FUNCTION_WORDS, expression
from storage.records.answers import Dimension
from storage.records.facts import Role
from storage.records.metrics import Metric, significant
from storage.text import stems, words

OFFICES: dict[str, Role] = {
    "ceo": "chief_executive",
    "cfo": "chief_financial",
    "coo": "chief_operating",
    "chair": "chair",
    "president": "president",
}
_OF_ANOTHER_HOLDER = stems(
    """
    next future incoming designate former previous past outgoing ex old interim acting deputy predecessor successor
    became become appointed succeed succeeded until left hire nächste nächster künftige künftiger ehemalige ehemaliger
    frühere früherer vorherige vorher prochain futur ancien ancienne précédent próximo anterior antiguo futuro prossimo
    precedente
    """
)
NEUTRAL = (
    FUNCTION_WORDS
    | frozenset(
        words(  # beside a metric's name these words ask for nothing narrower
            "total amount value figure level reported report group consolidated company full whole overall number"
            " year period fiscal financial annual quarter last latest current end spent make made earn earned"
            " record recorded doe get got come came up money please tell me ifrs gaap one figure number basis"
            " altogether they it"
        )
    )
    | frozenset(map(str.lower, CODES))
)
_LEFT_OUT = expression(rf"\b(?:{LEFT_OUT}) (?P<what>[\w-]+(?: [\w-]+){{0,2}})", re.IGNORECASE)
_LOSING = stems("lose lost losing burn burnt verloren perdu perdido")
_COME_OR_GONE = stems("hire recruit fired sack dismiss redundant laid resign quit retire engaged lay-off layoff")
_LIKELY = 0.5  # probability of an operation
_WORKED_OUT = frozenset({"change", "growth", "share", "series"})
_CHANGES = frozenset({"net_change_in_cash", "gross_margin", "operating_margin"})  # lines that are such themselves


def counts(metric: Metric, things: str) -> bool:
    """Whether the metric is a count, or no known things are to be counted."""
    return not things or metric.kind == "count"


def is_expected(found: Intent, text: str) -> bool:
    """Whether a metric is asked for that is yet to come."""
    asks_for_figure = bool(found.sole_metric or found.metric or found.derived)
    return asks_for_figure and is_yet_to_come(text)


def leaves_out(found: Intent, text: str) -> bool:
    """Whether a part of a metric is left out that its own names leave in: "net sales without services"."""
    metric, out = found.sole_metric or found.metric, _LEFT_OUT.search(text)
    if metric is None or out is None:
        return False
    return bool(significant(out["what"]) & label_words() - names_of(metric) - SAYS_NOTHING)


def is_of_dimension(metric: Metric, dimension: Dimension | None, things: str) -> bool:
    """Whether the metric is a count, or a figure per share, where one is asked for, and only there."""
    if metric.kind == "per_share":
        return not things
    return counts(metric, things) and dimension not in ("per share", "date")


def is_worked_out(guess: Guess) -> bool:
    """Whether a guess is about a change, a share or a series of a figure."""
    return guess.operation in _WORKED_OUT and guess.operation_probability >= _LIKELY


def asks_for_less(guess: Guess) -> bool:
    """Whether a guess is about another holder of an office, one event by name, or what is worked out of its figure."""
    is_english = guess.language == "en"
    if guess.topic in OFFICES:
        return is_of_another_office(guess.asked_in) or (is_english and _has_a_name(guess.asked_in, is_spoken))
    if guess.topic == "acquisition":
        return is_english and _has_a_name(guess.asked_in)
    is_sum = " + " in guess.asked_in
    return guess.is_figure and (is_sum or (guess.topic not in _CHANGES and is_worked_out(guess)))


def is_of_another_office(text: str) -> bool:
    """Whether it asks for who had an office before or takes it up, or has it elsewhere."""
    return not stems(text).isdisjoint(_OF_ANOTHER_HOLDER)


def _has_a_name(text: str, is_no_name: Callable[[str], bool] = is_common) -> bool:
    """Whether a word that is no word of the language has a capital, and not for its place."""
    named = (word.strip(".,;:?!()\"'") for word in text.split()[1:])
    named = (word.lower().removesuffix("'s") for word in named if word[:1].isupper() and "&" not in word)
    return not all(is_common(word) or is_no_name(word) for word in named)


def means_another(metric: Metric, text: str) -> bool:
    """Whether a text has words of another row than the metric's, asks what was lost, or how many came or went."""
    is_gain = (
        metric.statement == "income" and "loss" not in " ".join((*metric.question_names, *metric.names)).lower()
    )
    if is_gain and stems(text) & _LOSING:
        return True
    if metric.kind == "count" and stems(text) & _COME_OR_GONE:
        return True
    beside = narrowing_words(metric.id, text)
    return bool(beside) and not beside <= names_of(metric)
