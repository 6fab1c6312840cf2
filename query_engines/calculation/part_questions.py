"""Reads what a question asks about the parts of a figure: which, how large, their share, and what falls due."""

import re
from collections.abc import Set
from itertools import islice, takewhile
from typing import Literal

from storage.lexicon.names import NAME_IN_QUESTION
from storage.lexicon.question_words import FALLS, RISES
from storage.lexicon.words import ENDS_OF_NAMES, OBLIGATIONS, SAID_OF_PARTS, expression, falls_due
from storage.records.queries import PartOperation
from storage.records.record import Record
from storage.text import plain, stems, words

Dimension = Literal["segment", "region", "product"]
_NAMED: tuple[PartOperation, ...] = ("largest", "smallest", "rose_most", "fell_most", "rose", "fell")
_DIMENSIONS: dict[Dimension, str] = {
    "segment": (
        r"(?:(?:business|operating|reportable|reporting) )?"
        r"(?:segments?|divisions?|business units?|businesses|units?)"
    ),
    "region": r"(?:geographic(?:al)? )?(?:regions?|countr(?:y|ies)|geograph(?:y|ies)|markets?|areas?|continents?)",
    "product": (
        r"(?:\w+ )?(?:product (?:groups?|lines?|categor(?:y|ies)|famil(?:y|ies))|products?|categor(?:y|ies)|services?"
        r"|(?:income|revenue) streams?|streams?|sources?|kinds?|types?(?: of \w+)?|lines? of business|business lines?"
        r"|verticals?|sectors?|classes|brands?)"
    ),
}
_ANY = "|".join(f"(?P<{dimension}>{words})" for dimension, words in _DIMENSIONS.items())
_OF_IT = r"(?: of(?: [^?.,]{1,60}?(?:'s|s')| its| the| their)?(?: own)?)?"
_WHICH = expression(
    rf"\b(?:which|what|in which|from which|name the|list the)(?: \w+){{0,3}}?{_OF_IT} (?:{_ANY})\b"
)
# "Revenue by segment", "what did each division earn", "a breakdown of sales by region".
_EACH = expression(
    rf"\b(?:by|per|(?:for |of |did |do |does )?each|for (?:all|every)(?: of the)?|across(?: (?:all|the|its))?)"
    rf" (?:of (?:the|its) )?(?:\w+ )?(?:{_ANY})\b"
)
_SUPERLATIVE = expression(
    r"\b(?P<sup>largest|biggest|main|most important|top|smallest|fastest[- ](?:growing|shrinking|falling|declining))"
    rf"(?: \w+){{0,2}}? (?:{_ANY})\b"
)
_UP = rf"(?:{RISES}|expand(?:ed)?|growth|increase|rise|gain|rate of growth)"
_DOWN = rf"(?:{FALLS}|los(?:t|e)|fall|drop|decline|decrease|loss)"
_MOST = r"(?:most|largest|biggest|highest|greatest|main|top|best|fastest|strongest|quickest|hardest)"
_WORST = r"(?:most|fastest|quickest|hardest|furthest|worst|biggest|largest|sharpest|steepest)"
_BROUGHT = r"(?:brought|sold|earned|made|generated|contributed)(?: in)?"
# What is asked about which parts, in the order in which it is looked for.
_FORMS: tuple[tuple[PartOperation, str], ...] = (
    ("rose_most", rf"{_UP}\b[^.?]{{0,40}}\b{_MOST}|{_MOST}[- ](?:\w+ )?(?:grow\w*|{_UP})"),
    (
        "fell_most",
        rf"{_DOWN}\b[^.?]{{0,40}}\b{_WORST}|{_WORST}[- ](?:\w+ )?(?:shrinking|falling|declining|{_DOWN})",
    ),
    ("largest", r"most|largest|biggest|highest|greatest|main|top|best"),
    ("smallest", r"least|smallest|lowest|fewest|worst"),
    ("fell", rf"{FALLS}|lost ground|{_BROUGHT} less|(?:less|lower)\b[^?.]{{0,60}}\bthan"),
    ("rose", rf"{RISES}|rising|expanded|{_BROUGHT} more|(?:more|higher)\b[^?.]{{0,60}}\bthan"),
)
_OPERATIONS = {operation: expression(rf"\b(?:{form})\b") for operation, form in _FORMS}
_SHARE_NOUN = r"(?:share|percentage|percent|per cent|%|proportion|fraction|part)"
_SHARE = expression(
    rf"\b(?:what|which|how (?:much|large|big)(?: a)?)(?: \w+)? ?{_SHARE_NOUN}(?!\w)"
    r"|\bhow much of\b"
    rf"|\b(?:as a )?{_SHARE_NOUN} of\b"
)
_TAKEN_OF = expression(
    rf"\b(?:{_SHARE_NOUN}|how much) of (?:the |its |their |all |total )*(?P<whole>\w+)"
    r"(?= (?:could|can|does|did|do|would)\b)"
)
_GROWTH = expression(
    r"\b(?:by )?(?:how (?:much|far|fast|strongly)|what (?:percentage|percent|%)) (?:did|has|have)\b.{0,120}"
    rf"\b(?:{RISES}|{FALLS}|changed?)\b"
    r"|\b(?:growth|change|increase|decrease|decline|rise|fall|drop) (?:rate )?(?:in|of)\b"
)
# "Which part of the loan" asks for an amount, too.
_PORTION = expression(
    r"%|\b(?:share|percentages?|percent|per ?cent|proportion|portion|fraction)\b(?! (?:capital|price))"
)
SAID_OF_ANY_PART = frozenset(stems(SAID_OF_PARTS))
DUE = {kind: stems(names) for kind, names in OBLIGATIONS.items()}
_MATURE = stems("maturity maturities mature matures maturing")  # of debt, where nothing else is said to be due
_AFTER_A_YEAR = expression(
    r"(?i)\b(?:after|beyond|past|later than|from the end of|once|following)\b"
    r"(?: the end of| the year| fiscal| calendar| fy)? ?(?:fy ?)?20\d\d\b(?! (?:annual|year-end))"
    r"|\b20\d\d is (?:over|behind|done)\b|\b(?:end of )?20\d\d (?:onwards?|and beyond)\b"
)
_PURCHASED = ("purchas", "suppl")  # begin a word
SAID_OF_DUE = frozenset[str]().union(*DUE.values()) | stems(
    "term terms long calendar contractual future estimated minimum remaining outstanding existing annual aggregate"
)
_SOLD = expression(r"\b(?:sales|turnover)\b", re.IGNORECASE)


class PartQuestion(Record):
    """A question about the parts of a figure.

    Attributes:
        dimension: what kind of parts, where it says so.
        words: stems of the words that say which figure and which part.
        whole: of them those that a share is taken of, which cannot be the part.
        is_portion: whether a share is asked for that can be no amount.
        said: all stems of the question.
        kinds, due: of what falls due; the words with a capital and those right before it, which say what it is.
    """

    operation: PartOperation
    dimension: Dimension | None = None
    words: frozenset[str] = frozenset()
    said: frozenset[str] = frozenset()
    whole: frozenset[str] = frozenset()
    is_portion: bool = False
    kinds: frozenset[str] = frozenset()
    due: frozenset[str] = frozenset()

    @property
    def is_of_names(self) -> bool:
        """Whether it asks which parts; else it asks for a figure of one that it names."""
        return self.operation in _NAMED

    @property
    def is_of_each(self) -> bool:
        """Whether it asks for the figures of all parts."""
        return self.operation == "list"

    @property
    def is_of_one(self) -> bool:
        """Whether it asks for one name."""
        return self.operation in ("largest", "smallest", "rose_most", "fell_most")


def read_parts(text: str) -> PartQuestion | None:
    """What a question without company and time asks about parts; None where it asks which, and not by what."""
    due, kinds = _named_due(text), kinds_due(text)
    said, text = stems_of_figure(text), text.lower()
    words = said - SAID_OF_ANY_PART
    which = _WHICH.search(text) or _SUPERLATIVE.search(text)
    operation = _operation(text, which) if which is not None else None
    each = None if operation or _SHARE.search(text) or _GROWTH.search(text) else _EACH.search(text)
    if each is not None:
        return PartQuestion(operation="list", dimension=next(d for d in _DIMENSIONS if each[d]), words=words)
    if which is not None:
        dimension = next(d for d in _DIMENSIONS if which[d])
        return PartQuestion(operation=operation, dimension=dimension, words=words) if operation else None
    is_share, taken_of = _SHARE.search(text) is not None, _TAKEN_OF.search(text)
    return PartQuestion(
        operation="growth" if _GROWTH.search(text) else "share" if is_share else "value",
        words=words,
        said=said,
        whole=stems_of_figure(taken_of["whole"]) & words if taken_of else frozenset(),
        is_portion=_PORTION.search(text) is not None,
        kinds=kinds,
        due=due,
    )


def _named_due(text: str) -> frozenset[str]:
    """The words with a capital inside a sentence, and those right before what falls due: "equipment loans"."""
    named = stems(" ".join(named_before(text, SAID_OF_DUE))) - SAID_OF_DUE - _MATURE - SAID_OF_ANY_PART
    return frozenset(word for word in named if not word.isdigit())


def stems_of_figure(text: str) -> frozenset[str]:
    """The stems of a text; sales and turnover are revenue."""
    return stems(text) - {"turnover"} | {"revenu"} if _SOLD.search(text) else stems(text)


def _operation(text: str, which: re.Match[str]) -> PartOperation | None:
    superlative = which.groupdict().get("sup")
    if superlative and "fastest" not in superlative and not _OPERATIONS["rose_most"].search(text):
        return "smallest" if superlative == "smallest" else "largest"
    return next((operation for operation, form in _OPERATIONS.items() if form.search(text)), None)


_CASH_FLOW = expression(r"(?i)\b(?:proceeds|receipts|cash(?: received)?) from\b")


def is_of_later_years(text: str) -> bool:
    """Whether a question asks what falls due after a year that it names: that year's own figure is none of it."""
    return _AFTER_A_YEAR.search(text) is not None


def is_of_schedule(text: str) -> bool:
    """Whether a question may ask what falls due in a year: of debt and deposits only where it says that they do."""
    kinds, is_said = kinds_due(text), falls_due(text)
    return bool(kinds if is_said else kinds - {"debt", "deposit", "interest"})


def kinds_due(text: str) -> frozenset[str]:
    """The kinds of what falls due that a text names; maturities alone are those of debt, acquisitions no purchases."""
    if _CASH_FLOW.search(text):
        return frozenset()  # "proceeds from maturities" came in
    said = stems(text)
    is_of_purchases = any(word.startswith(_PURCHASED) for word in words(text))
    found = {kind for kind, names in DUE.items() if names & said and (kind != "purchase" or is_of_purchases)}
    return frozenset(found or ({"debt"} if said & _MATURE else ()))


def is_asked_of_one_company(text: str) -> bool:
    """Whether a question in any letters asks which parts; then the years that it names are no list of years."""
    asked = read_parts(plain(text))
    return asked is not None and asked.is_of_names


_WORDS_OF_A_NAME = 3


def named_before(text: str, heads: Set[str]) -> list[str]:
    """The words with a capital inside a sentence, and up to three right before each word of some stems."""
    tokens = re.findall(r"[\w'’&-]+|[^\w\s]", re.sub(r"\([^)]{0,200}\)", " ", text))
    named = [*NAME_IN_QUESTION.findall(text)]
    for at in (at for at, token in enumerate(tokens) if stems(token) & heads):
        before = takewhile(_goes_on_left, reversed(tokens[:at]))
        named += islice(before, _WORDS_OF_A_NAME)
    return named


def _goes_on_left(word: str) -> bool:
    return word[0].isalnum() and word.lower() not in ENDS_OF_NAMES
