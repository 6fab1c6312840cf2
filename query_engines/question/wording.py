"""What the wording of a question shows: what it leaves out, and the kind of answer that it wants."""

import re
from collections.abc import Sequence
from functools import lru_cache

from rapidfuzz import process
from rapidfuzz.distance import OSA

from query_engines.company_names.vocabulary import is_spelled_right, is_statement_word, spelling_words
from query_engines.question.classifier import Guess, QuestionClassifier, core
from query_engines.question.search_text import FELL, ROSE
from query_engines.question.standing import StandingReader, without_names
from storage.lexicon.periods import periods_in
from storage.lexicon.question_words import (
    BOTH_PARTS,
    LESS,
    MINORITY,
    WITH_OR_WITHOUT,
    wants_yes_or_no,
)
from storage.lexicon.reasons import ONLY_WHY
from storage.lexicon.words import expression
from storage.records.questions import AnswerKind
from storage.text import stems

# Clauses that repeat what a metric is by its definition.
_BY_DEFINITION = expression(
    rf"[\s,;(–-]{{0,3}}\b(?:so |i\.e\. |that is |but )?{WITH_OR_WITHOUT}(?!\w)[\s-]+(?:\w+ing (?:off )?)?(?:the |any )?"
    rf"{MINORITY}(?: (?:is|are|being|were)(?: \w+)?(?: off| out| away)?)?\)?"
    rf"|[\s,;(–-]{{0,3}}\b(?:the )?{MINORITY} (?:(?:is|are|being) )?(?:excluded|included|deducted|removed|aside"
    r"|(?:left|taken|stripped|carved) out)\)?"
    rf"|[\s,;(–-]{{1,4}}(?:(?:so|i\.e\.|that is|this is|it means|meaning|both|its?|the) ){{0,3}}\b{BOTH_PARTS}"
    r"(?: (?:together|combined|operations|activities)){0,2}\)?(?=\s{0,9}(?:[?.!,;)]|$))"
    r"|[\s,;(–-]{0,3}\b(?:the )?(?:group|consolidated),? not (?:of )?(?:the )?(?:parent|company)"
    r"(?: company| alone)?\)?"
    rf"|[\s,;(–-]{{0,3}}\b{LESS}[\s-]+(?:the |its |any )?current (?:portion|part|maturit(?:y|ies)|instal?lments?)\)?"
    r"|[\s,;(–-]{0,3}\bbefore (?:the |any )?prefer(?:red|ence)(?: (?:stock|share))? dividends?\)?",
    re.IGNORECASE,
)
# What is not meant, behind what is: ", not the EBITDA number", "and not its gross profit".
_CONTRAST = expression(
    r"(?:\s{0,3}[,;(–-]\s{0,3}(?:(?:and|but|so) )?|\s(?:and|but)\s)(?:not|rather than|instead of|nicht|et non|non|no)"
    r"\s(?!(?:including|counting|only|just|in|at|on|by|from|for)\b)"
    r"(?P<other>[^,;:?!.()–]{2,60}?)(?=\s{0,3}(?:[,;?!.)]|$)|\s(?:of|for|at|by|von|de)\s(?-i:[A-Z\d])[^()]{0,200}$)\)?",
    re.IGNORECASE,
)
_LONG_WORD = expression(r"[^\W\d_]{4,}")
_TWO_TYPOS = 8  # letters of a word in which two typos are mended
_BETTER, _WORSE = stems("better higher bigger larger improve"), stems("worse lower smaller deteriorate")
_LIKELY_YES_OR_NO = 0.5  # probability below which no yes or no is given
_COMPARED = expression(
    r"^which of the companies\b|^which (?:company|one)\b|^compare\b|\bwhich (?:had|has) the (?:highest|lowest)\b"
)


def without_contrast(text: str) -> str:
    """The question without the figures that it says are not meant: "the profit, not the revenue"."""
    return _CONTRAST.sub(_unless_it_asks, text)


def _unless_it_asks(contrast: re.Match[str]) -> str:
    other = contrast["other"].lower()
    is_named = any(map(is_statement_word, other.split())) or any(
        p.phrase(other) == other for p in periods_in(other)
    )
    return " " if is_named else contrast[0]


def without_definitions(text: str) -> str:
    """The question without clauses that repeat what its figure is: that minorities are left out of it."""
    return " ".join(_BY_DEFINITION.sub(" ", text).split())


def well_spelled(text: str, names: Sequence[str]) -> str:
    """The text with each misspelt word as the one word of questions that it must be: "capital expendture".

    Words of the companies' names stay, and so do words with a capital inside a sentence, which may be other names.
    """
    taken = {word for name in names for word in re.findall(r"[^\W\d_]+", name.lower())}

    def corrected(found: re.Match[str]) -> str:
        word = found[0]
        is_name = word[0].isupper() and not (word.isupper() and text.isupper()) and found.start() > 0
        if is_name or word.lower() in taken:
            return word
        return _spelled(word.lower()) or word

    return _LONG_WORD.sub(corrected, text)


@lru_cache(maxsize=4096)
def _spelled(word: str) -> str | None:
    """The word of questions that is nearest, at most a typo away, a label's before another; None for a known word."""
    if is_spelled_right(word):
        return None
    most = 2 if len(word) >= _TWO_TYPOS else 1
    near = process.extract(word, spelling_words(), scorer=OSA.distance, score_cutoff=most, limit=None)
    found = [(distance, not is_statement_word(text), text) for text, distance, _ in near if text[0] == word[0]]
    return min(found)[2] if found else None


def asks_for_one_of_several(text: str) -> bool:
    """Whether one of several companies is the answer, by the words with which such questions begin."""
    return _COMPARED.search(" ".join(text.split()).lower()) is not None


def with_kind(guess: Guess, in_order: Sequence[float], wording: str) -> Guess:
    """The guess with the kind that its words and their order show together, or that the wording says.

    Args:
        guess: by the words.
        in_order: the probability of each kind by their order.
        wording: of the question.
    """
    if ONLY_WHY.search(wording):
        return guess.of_kind("text")
    if wants_yes_or_no(wording):
        return guess.of_kind("boolean")
    found = guess.with_kinds(in_order)
    if found.kind == "boolean" and _asks_which_way(wording):
        return guess.of_kind("name")
    if found.kind == "boolean" and "how much" in wording.lower():  # "did it make any – how much?"
        return guess.of_kind("number")
    is_doubtful = found.kind == "boolean" and found.kind_probability < _LIKELY_YES_OR_NO
    return found.without_kind("boolean") if is_doubtful else found


def _asks_which_way(wording: str) -> bool:
    """Whether it asks if a figure rose or fell, so that one of both is the answer."""
    said = stems(wording)
    return " or " in wording.lower() and bool(said & (ROSE | _BETTER)) and bool(said & (FELL | _WORSE))


def kind_in(text: str) -> AnswerKind:
    """The kind of answer that a question wants, where its companies are not known."""
    if asks_for_one_of_several(text):
        return "comparative"
    guess = QuestionClassifier.load().read(core(text))
    return with_kind(guess, StandingReader.load().kinds(without_names(text, ()), None), text).kind
