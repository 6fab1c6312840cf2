"""What the wording of a question shows: polite phrases, and the kind of answer that it wants."""

import re
from collections.abc import Sequence
from functools import lru_cache

from rapidfuzz import process
from rapidfuzz.distance import OSA

from query_engines.company_names.vocabulary import is_spelled_right, is_statement_word, spelling_words
from query_engines.question.classifier import SURE_KIND, Guess
from query_engines.question.search_text import FELL, ROSE
from storage.lexicon.periods import periods_in
from storage.lexicon.question_words import (
    BOTH_PARTS,
    LESS,
    MINORITY,
    WITH_OR_WITHOUT,
    opens_yes_or_no,
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
_SOMEBODY = r"(?:you|anyone|anybody|someone|somebody)"
_OPENING = expression(
    rf"""
    ^(?:(?:hi|hello|hey)\b[\s,!.]*)?
    (?: (?:can|could|would|will)\ {_SOMEBODY}\b
      | (?:do|does)\ {_SOMEBODY}\ (?:happen\ to\ )?(?:know|have(?=\ (?:the|a)\b))\b
      | (?:i|we)(?:'d|\ would)?\ (?:like|want|need)\ to\ know\b
      | (?:please|kindly)\b )[\s,:]*
    (?:(?:please|kindly|perhaps|maybe|possibly|also)\b[\s,:]*)?
    (?:(?:(?:tell|give|show|send|find|fetch)\ (?:me|us)|let\ (?:me|us)\ know
      |(?:indicate|state|specify|provide|supply|quote|advise)(?:\ (?:me|us))?(?:\ with)?)\b[\s,:]*)?
    (?=\w)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_QUANTITY = (
    r"revenues?|sales|income|profit|loss|earnings|eps|ebitda?|assets|liabilities|equity|debt|cash|capex|expenditures?|"
    r"expenses?|costs?|margin|ratio|dividends?|deposits|loans|amount|number|value|price|percent(?:age)?|rate|total|"
    r"head ?count|employees|capacity|turnover"
)
_COMPARATIVE = (
    r"^which of the companies\b|^which (?:company|one)\b|^compare\b",
    r"\bwhich (?:had|has) the (?:highest|lowest)\b",
)
_OF_WHICH = r"(?:(?:in|on|at|for|from|to|by|with|into|through|under|against|of|about) )"
_NAMES = (
    r"\b(?:give|list|return) (?:me )?(?:only |just )?(?:the |their )?(?:full )?(?:names|titles)\b",
    r"\bpositions? changed\b|\bnames of\b|^who (?:are|were)\b",
    r"^(?:list|name) (?:all|the)\b",
    rf"^{_OF_WHICH}(?:which|what) (?!(?:years|ways|respects|quarters|months|periods|days)\b)(?:[\w-]+ )?\w{{2,}}[^s\W]s"
    r" (?:does|do|did|is|are|has|have|was|were|will|can)\b",
    r"^(?:what|which) (?:new )?(?:products|services|drugs|brands|positions)\b|^which (?:\w+ )?\w+s (?:were|are)\b",
)
_NUMBER = (
    rf"^(?:what|which)\b.{{0,40}}\b(?:{_QUANTITY})\b",
    rf"^(?:{_QUANTITY})\b|\b(?:total|net|gross|basic|diluted|operating) (?:{_QUANTITY})\b",
    r"^for .{1,80}, what was the value of\b",
)
_AMOUNT_ASKED = expression(r"\bhow (?:many|much|large|big|high|deep)\b", re.IGNORECASE)
_LED_IN = (", ", ": ", " - ", " – ")  # "At 31 December 2022, was …", "Leaving that aside, did …"
_ASKS = frozenset(["what", "which", "who", "how", "why", "when", "where"])
_RULES: tuple[tuple[re.Pattern[str], AnswerKind], ...] = (
    (expression("|".join(_NAMES)), "names"),
    (expression(r"^who\b|\bthe name of\b|^name\b|\bcomment s'appelle|\bwie hei(?:ß|ss)t\b"), "name"),
    (expression("|".join(_NUMBER)), "number"),
)
_BETTER, _WORSE = stems("better higher bigger improve"), stems("worse lower deteriorate")
_COMPARED = expression("|".join(_COMPARATIVE))
_ALSO_ASKED = frozenset(["what", "how", "which", "need", "want", "give", "and", "or"])


def without_politeness(text: str) -> str:
    """The question without polite words: "the total revenue?" for "Can you tell me the total revenue?"."""
    return _OPENING.sub("", text)


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


def kind_by_rules(text: str) -> AnswerKind | None:
    """The kind that the wording asks for, by the first rule that fits; None when no rule fits."""
    wording = _lowered(text)
    return "comparative" if _COMPARED.search(wording) else _kind_in(wording)


def asks_how_much(text: str) -> bool:
    """Whether it asks for an amount or a number, wherever it says so."""
    return _AMOUNT_ASKED.search(text) is not None


def _kind_in(wording: str) -> AnswerKind | None:
    if ONLY_WHY.search(wording):
        return "text"
    if wants_yes_or_no(wording):
        return "boolean"
    led = [wording.partition(sign) for sign in _LED_IN]
    parts = [rest for lead, _, rest in led if rest and _ASKS.isdisjoint(lead.split(maxsplit=1)[:1])]
    if any(map(opens_yes_or_no, (wording, *parts))):
        return "name" if asks_which_way(wording) else "boolean"
    if _AMOUNT_ASKED.match(wording):
        return "number"
    return next((kind for pattern, kind in _RULES if pattern.search(wording)), None)


def infer_kind(text: str) -> AnswerKind:
    """The kind by rules; "text" when no rule fits."""
    return kind_by_rules(text) or "text"


def kind_of_guess(guess: Guess, wording: str) -> AnswerKind | None:
    """The guessed kind; None where it is not certain enough to take precedence over the rules.

    Whether an amount or a yes or no is wanted shows in the order of words, which the guess does not see.
    """
    if ONLY_WHY.search(wording):
        return "text"
    if wants_yes_or_no(wording):
        return "boolean"
    asked = guess.asked_in.lower()
    is_what = asked.startswith("was ") and (
        guess.language == "de" or not opens_yes_or_no(asked)
    )  # "Was war der Umsatz?"
    is_amount = is_what or _AMOUNT_ASKED.search(wording) is not None
    if guess.kind in ("boolean", "number") and guess.is_figure and is_amount:
        return "number"
    if guess.kind == "boolean" and asks_which_way(guess.asked_in):
        return "name"
    asks_too = _ALSO_ASKED & set(guess.asked_in.lower().split())
    is_opened = opens_yes_or_no(guess.asked_in) or kind_by_rules(wording) == "boolean"
    if guess.kind == "number" and is_opened and not asks_too:
        return "boolean"
    if guess.kind == "name" and kind_by_rules(wording) == "names":
        return "names"
    return guess.kind if guess.kind_probability >= SURE_KIND else None


def asks_which_way(text: str) -> bool:
    """Whether it asks if a figure rose or fell, so that one of both is the answer."""
    said = stems(text)
    return " or " in text.lower() and bool(said & (ROSE | _BETTER)) and bool(said & (FELL | _WORSE))


def kind_of_one(kind: AnswerKind, text: str) -> AnswerKind:
    """The kind for one company; for "comparative", the kind by the other rules."""
    if kind != "comparative":
        return kind
    return _kind_in(_lowered(text)) or "text"


def _lowered(text: str) -> str:
    return " ".join(without_politeness(text.strip()).split()).lower()
