"""Text brought to one form for comparing: plain characters, words, word stems."""

import re
import unicodedata
from functools import lru_cache
from typing import Any

from storage.lexicon.question_words import FALLING, MEANT_ALIKE, RISING
from storage.lexicon.words import FUNCTION_WORDS, KNOWN_TEXTS, expression, unaccented

_PLAIN = str.maketrans(
    "‐‑‒–—―−‘’‚‛“”„‟",
    "-------''''\"\"\"\"",
    "\u00ad\u200b\u200c\u200d\ufeff",  # soft hyphens, and what has no width
)
_UNSTORABLE = expression("[\x00\ud800-\udfff]")
BULLETS = "•●⚫▪■◦‣⁃∙·►➢✓◆○"
"""Signs that open an item of a list."""
_BULLET = expression(rf"^(?:[{BULLETS}]\s*|-\s+)")
_WORD = expression(r"[^\W_]+(?:[.,'&][^\W_]+)*")


MARKS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁽⁾⁺⁻ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ"
"""What raised marks of notes are written with."""
_RAISED = expression(rf"(?<=\w)(?<!\bm)(?<!\bkm)(?<!\bcm)(?<!\bft)[{MARKS}]+|(?<=[^\w\s])[{MARKS}]+|^[{MARKS}]+$")


@lru_cache(KNOWN_TEXTS)
def plain(text: str) -> str:
    """NFKC (ligatures, full-width forms), ASCII dashes and quotes, no soft hyphens or note marks, single spaces."""
    return " ".join(unicodedata.normalize("NFKC", _RAISED.sub("", text)).translate(_PLAIN).split())


def without_bullet(text: str) -> str:
    """The plain text without the sign that opens an item of a list."""
    return _BULLET.sub("", plain(text))


def storable(text: str) -> str:
    """Text that every file and database accepts: halves of a character are joined, one alone becomes U+FFFD.

    So does a zero byte.
    """
    if not _UNSTORABLE.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\ufffd")


def all_storable(value: object) -> Any:
    """A value, such as what a JSON text says, with every text in it storable."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {all_storable(name): all_storable(item) for name, item in value.items()}
    return [all_storable(item) for item in value] if isinstance(value, list) else value


def fingerprint(text: str) -> str:
    """Only letters, digits and the signs that change a figure, lower case: for finding a quote on its page."""
    return re.sub(r"[^\w.,()%]", "", plain(text).lower().replace("|", ""))


def words(text: str) -> list[str]:
    """Lower-case words in order; "U.S." and "1,249.5" stay whole."""
    return _WORD.findall(plain(text).lower())


_STOP = FUNCTION_WORDS | frozenset(
    words(
        "his her these those who whom whose will would could can may any all each per into than then there between"
        " within during over under"
        " about also not no give gave figure report reported"
    )
)
_ENDINGS = (("ies", "y"), ("sses", "ss"), ("ings", ""), ("ing", ""), ("ed", ""), ("es", "e"), ("s", ""))
_BRITISH = expression(r"is(?=ation|ations|e$|ed$|es$|ing$)")
_SHORTEST = 4
_UNSPACED = expression(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]+")  # kana and ideographs, set without spaces


def terms(text: str) -> list[str]:
    """The words that carry meaning, in order and lower case, without accents and endings of number and time.

    Chinese and Japanese are written without spaces, so each pair of neighbouring characters counts as a word.
    """
    found = words(unaccented(text.replace("-", " ").replace("/", " ")))
    return [term for word in found for part in _parts(word) if part not in _STOP for term in _terms_of(part)]


def stem(word: str) -> str:
    """A lower-case word without its common endings; short words, figures and abbreviations stay."""
    word = word.removesuffix("'s").replace("'", "")
    if word.endswith("ss") or not word.isalpha():
        return word
    word = _BRITISH.sub("iz", word)
    for ending, replacement in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) + len(replacement) >= _SHORTEST - (ending == "s"):
            word = word.removesuffix(ending) + replacement
            break
    return word.removesuffix("e") if len(word) > _SHORTEST else word


def _terms_of(word: str) -> list[str]:
    if word.isascii() or not _UNSPACED.search(word):
        return [stem(word)]
    others = [stem(rest) for rest in _UNSPACED.split(word) if rest]
    return [*(pair for run in _UNSPACED.findall(word) for pair in _pairs(run)), *others]


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def _parts(word: str) -> list[str]:
    """Figures stay whole; "research,development", printed without a space, becomes two words."""
    return [word] if any(c.isdigit() for c in word) else [part for part in word.split(",") if part]


_SAME = (
    (expression(r"\b(?:U\.S\.A?\.?|USA|US|United States(?: of America)?)(?![\w$])"), "UnitedStates"),
    (expression(r"\b(?:U\.K\.?|UK|United Kingdom)(?!\w)"), "UnitedKingdom"),
    (expression(r"\bR&D\b"), "research and development"),
)
_ONE_MEANING = (
    f"{FALLING} lower",
    f"{RISING} growth higher",
    "acquire acquired acquisition buy bought purchase purchased",
    "sell sold sale dispose disposed disposal divest divested",
    "spend spent spending",
    "pay paid payment",
    "complete completed completion close closed closing",
    "leave left depart departed resign resigned step stepped",
    "hold held holding",
    "begin began begun start started",
)
_FORMS = {form: forms.split()[0] for forms in _ONE_MEANING for form in terms(forms)}


@lru_cache(maxsize=65536)
def stems(text: str) -> frozenset[str]:
    """The word stems of a text, without short figures such as footnote marks."""
    for pattern, name in _SAME:
        text = pattern.sub(name, text)
    found = terms(plain(text))
    return frozenset(_FORMS.get(w, w) for w in found if not (w.isdigit() and len(w) < 3))


SAME = {word: stems(line) for line in MEANT_ALIKE for word in stems(line)}
"""By stem, the stems of the words that stand for it."""


def capital(text: str) -> str:
    """A text as a sentence begins with it."""
    return f"{text[:1].upper()}{text[1:]}"


def in_a_sentence(title: str) -> str:
    """A title as it stands within a sentence: "total revenue", but "EBITDA"."""
    return title if title[1:2].isupper() else f"{title[:1].lower()}{title[1:]}"


def plural(count: int, noun: str) -> str:
    """A number and its noun: "1 question", "12 questions", "2 companies"."""
    if count == 1:
        return f"1 {noun}"
    return f"{count:,} {noun[:-1]}ies" if noun.endswith("y") else f"{count:,} {noun}s"
