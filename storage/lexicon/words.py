"""Small words of the lexicon, and a pattern that finds any of many words, as fast for two hundred as for two."""

import functools
import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Any, AnyStr, Literal, cast

KNOWN_TEXTS = 16384
"""Texts of which is kept what was made of them last; labels and sentences of a report are read many times over."""
NOT = r"(?:not|never|no|neither|nor|none|without)"
"""What denies in English, as the source of a pattern that ignores case."""
CONNECTIVE = (
    r"(?:In addition|Additionally|Further(?:more)?|However|Moreover|Also|Similarly|Likewise|As a result|As such"
    r"|Accordingly|Therefore|Consequently|Thus|Hence)"
)
"""What opens a sentence that goes on with the one before it, as the source of a pattern."""
ITSELF = r"(?:Company|Group|Bank|Registrant|Corporation|Board|Trust)"
"""What a company calls itself behind "the", and its board, as the source of a pattern."""
_Node = dict[str, "_Node"]
_END = ""


class _Expression:
    """Becomes a compiled pattern when it is first used."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern
        self.flags = flags

    def __getattr__(self, name: str) -> Any:
        if name not in _OF_A_PATTERN:
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self.flags)
        self.__dict__ |= {each: getattr(compiled, each) for each in _OF_A_PATTERN}
        return self.__dict__[name]


_OF_A_PATTERN = (
    *("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn", "scanner"),
    *("groups", "groupindex"),
)


def expression(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """A regular expression that is compiled when it is first used.

    A command needs a third of those that its modules have; to compile them all takes half a second.
    """
    return cast("re.Pattern[AnyStr]", _Expression(pattern, flags))


def any_of(words: Iterable[str]) -> str:
    """The source of a pattern that matches one of the words, the longest that stands there; no group of its own."""
    tree: _Node = {}
    for word in words:
        node = tree
        for letter in word:
            node = node.setdefault(letter, {})
        node[_END] = {}
    return _source(tree)


def _source(node: _Node) -> str:
    branches = [re.escape(letter) + _source(below) for letter, below in sorted(node.items()) if letter != _END]
    if not branches:
        return ""
    one = branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"
    return f"(?:{one})?" if _END in node else one


Language = Literal[
    "english", "german", "french", "spanish", "italian", "dutch", "portuguese", "japanese", "chinese"
]
COMMA_LANGUAGES = frozenset(
    {"german", "french", "spanish", "italian", "dutch", "portuguese"}
)  # "1.234,5", "1 234,5"
# Common short words that the other languages of the list do not have, or rarely.
SMALL_WORDS: dict[Language, str] = {
    "english": "the of and to for with from this that our which were has been",
    "german": "der und das den des dem von mit für auf nicht wurde sich eine einer werden zum",
    "french": "le les et des du une dans pour sur est par aux au sont cette",
    "spanish": "el los las y del para por una con se su como ha",
    "italian": "il di della che del per gli nel è dei delle alla sono",
    "dutch": "het een van de en voor met zijn wordt aan door niet",
    "portuguese": "o os da do das dos em uma não para com foi são",
}
ARTICLES = frozenset({"a", "an", "the"})
PREPOSITIONS = frozenset({"of", "in", "on", "at", "for", "to", "from", "by"})
_FUNCTION_WORDS = """
with and or as is was were are be been it its their this that what which how much many do does did has have had
"""
FUNCTION_WORDS = ARTICLES | PREPOSITIONS | frozenset(_FUNCTION_WORDS.split())
"""English words that carry no meaning of their own, neither in a question nor in a label."""

_COUNTED = """
acres acquisitions aircraft associates barrels beds branches cars centers centres clients companies countries customers
days dollars employees euros feet ftes gallons hectares homes hospitals hotels hours houses jobs kg kilometers
kilometres km kwh locations megawatts members meters metres miles minutes months mw offices options ounces outlets
patents patients people persons pounds products properties restaurants rooms schools seats shareholders shares shops
sites square staff stations stockholders stores subscribers tonnes tons units users vehicles vessels warrants weeks
wells workers yards
"""
COUNTED = tuple(_COUNTED.split())
"""What numbers count: "2000 stores" names no year."""

_ACCENT = re.compile(r"(?<=[a-zA-Z])[\u0300-\u036f]+")


def unaccented(text: str) -> str:
    """Latin letters without accents and umlauts, "ß" as "ss": capitals are often printed without them."""
    if text.isascii():
        return text
    bare = _ACCENT.sub("", unicodedata.normalize("NFD", text)).replace("ß", "ss")
    return unicodedata.normalize("NFC", bare)


ENDS_OF_NAMES = FUNCTION_WORDS | frozenset(
    ["under", "their", "our", "your", "and", "or", "any", "all", "these", "those", "money", "have", "has"]
)
"""Words before which the name of a line does not go on to the left: "rent under operating leases"."""

SAID_OF_PARTS = """
come comes coming came brought bring brings contribute contributes contributed generate generates generated
earn earned make made account accounted accounts sell sold sells attributable derive derived today now
currently these days day nowadays year years prior previous last before latest ago much many most more less
least largest biggest smallest highest lowest main top important share percentage percent per cent part
proportion fraction grow grew grown growth rise rose risen fall fell fallen drop dropped decline declined
decrease decreased increase increased change changed shrink shrank shrunk fast fastest quick quickest strong
strongest hard hardest slowest sharpest steepest climb climbed jump jumped down
up lost compare compared against versus name list group groups company own please say tell mature matures
break broken breakdown split splits splitting detail details detailed give gives show shows provide provides
maturing maturity maturities due payable repay repaid repayment repayments schedule scheduled expect
expected pay paid payment payments future have had has show amount amounts total whole overall during end
large big rate ones one lower higher went gone back sum worst best reported recorded fiscal financial annual
one two three four five six seven eight nine ten left owe owed segment division region country geography
geographic market area business unit product category kind type stream
"""
"""Words that say what is asked about the parts of a figure, or nothing; all others must stand in or near the table."""

OBLIGATIONS = {
    "lease": "lease leases rent rents rental rentals",
    "amortization": "amortization amortisation amortize amortise",
    "purchase": "purchase purchases supplier suppliers supply",
    "benefit": "benefit benefits pension pensions postretirement retiree",
    "deposit": "deposit deposits certificate certificates",
    "interest": "interest",
    "debt": (
        "debt debts loan loans note notes borrowing borrowings bond bonds mortgage mortgages debenture debentures"
        " facility indebtedness convertible convertibles advances principal"
    ),
}
"""What falls due, by the words for it: a schedule of one kind answers no question about another."""

_FALLS_DUE = re.compile(
    r"(?i)\b(?:due|matur\w+|repa(?:y|id)\w*|pa(?:y|ys|id) back|payable|settled?|schedul\w+|principal|falls?|owe[sd]?"
    r"|wall|redeem\w*|redemptions?)\b"
)


def falls_due(text: str) -> bool:
    """Whether it says that something is to be paid: due, matures, owed, scheduled."""
    return _FALLS_DUE.search(text) is not None


EXCEPT = re.compile(
    r"\b(?P<word>net of|less|excluding|excl\.?|other than|before|without)\b(?P<what>[^;()]{1,80})", re.IGNORECASE
)
"""What is left out of a thing, and the word before it."""

_OPPOSITES = (
    (r"\boperating leases?\b", r"\b(?:finance|financing|capital) leases?\b"),
    (r"\b(?:basic|undiluted)\b", r"\bdiluted\b"),
    (r"\breceivables?\b", r"\bpayables?\b"),
    (r"\blong[- ]term\b", r"\bshort[- ]term\b"),
)
_PAIRS = [tuple(re.compile(side, re.IGNORECASE) for side in pair) for pair in _OPPOSITES]


def opposite_in(asked: str, printed: str) -> str:
    """The words of a printed label that say the opposite of what is asked for; "" where there are none.

    A text that says both is about both.
    """
    for one, other in (*_PAIRS, *(pair[::-1] for pair in _PAIRS)):
        found = other.search(printed)
        if found and one.search(asked) and not other.search(asked) and not one.search(printed):
            return found[0]
    return ""


@functools.cache
def common_words() -> frozenset[str]:
    """Words that occur in at least four of 29 annual reports, and some words that are popular in company names."""
    return frozenset(Path(__file__).with_name("common_words.txt").read_text(encoding="utf-8").split())
