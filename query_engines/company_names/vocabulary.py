"""The words of names and of questions about them, in one spelling and by their role."""

import functools
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from storage.lexicon.calendar import ENGLISH_NAMES
from storage.lexicon.money import CODES
from storage.lexicon.names import FORM_WORDS
from storage.lexicon.names import LEGAL_FORMS as FORMS
from storage.lexicon.words import common_words, expression
from storage.records.metrics import Ontology
from storage.text import plain

SPOKEN_WORDS = Path(__file__).parent / "spoken_words.txt"  # made from the phrases by `make understanding`
_SHORTEST_WORD = 3
_SHORTEST_PART = 5  # letters of a label's word at the end of a German compound
NameKey = tuple[str, ...]
_ELIDED = r"(?i:d|l|qu|n|s|j|c|dell|nell|all|dall|sull|quell|un)(?='[^\W\d_]{3})"  # "d'Armadale", "l'Oréal"
_WORD = expression(rf"\b{_ELIDED}|" + r"[^\W_](?:\.[^\W_])+(?![^\W_])|[^\W_]+(?:'[^\W_]+)*|&")
_STROKED = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe"})
_ONE_SPELLING = {
    "&": "and",
    **FORM_WORDS,
    "brothers": "bros",
    "international": "intl",
}
# Words beside a name in a question, in any case, that are not part of it.
_QUESTION_WORDS = """
what which who whom whose how when where why did does do is are was were has have had can could will would for in of on
at by from to with and or but between versus vs about against compare than the a an its their if tell give show find
list me please as per according during over after before since until while that this total net gross operating revenue
revenues sales income profit loss earnings cash assets equity liabilities debt inventory dividend dividends shares share
employees headcount staff annual report accounts financial fiscal year board directors management chairman chair chief
ceo cfo coo cto eps ebitda ebit roe roa capex ipo esg fy ifrs gaap us uk eu
company companies question answer latest last current announce announced mention report reported return number value
growth margin ratio segment guidance nyse nasdaq tsx asx lse aim otc sec
it hr pr ai vat gdp llp nav roi ttm ytd yoy qoq etf reit
"""
_LOOSE_FORM_WORDS = "holdings holding group"
# Words for a company's business in its name: after the first word of a known name they make an unknown name.
_NAME_ENDING_WORDS = """
pharma pharmaceuticals pharmaceutical therapeutics biosciences biotech biopharma genomics medical health healthcare
energy power oil gas petroleum mining minerals metals gold resources elements capital partners ventures investment
investments trust fund bank bancorp bancshares financial insurance holdings holding group industries technologies
technology tech systems solutions software networks labs media entertainment games foods food beverages brands stores
retail motors automotive airlines shipping logistics properties property realty estates homes construction engineering
services steel chemicals materials packaging telecom communications semiconductor electronics
"""
# Words for the same business, by which people call a company that has another of them in its name.
_ALIKE = (
    frozenset({"bank", "bancorp", "bancshares", "bankshares", "banking", "financial"}),
    frozenset(
        {"pharma", "pharmaceutical", "pharmaceuticals", "biopharma", "therapeutics", "biotech", "biosciences"}
    ),
    frozenset({"gold", "mining", "mines", "minerals", "metals", "resources"}),
    frozenset({"tech", "technology", "technologies", "systems", "software"}),
    frozenset({"semi", "semis", "semiconductor", "semiconductors", "chips"}),
    frozenset({"trust", "fund", "investments", "reit"}),
)
_JOINT_WORDS = "and of de du des la le del for the"
_DETERMINER_WORDS = "the a an its their his her our your my this that these those any every each some no"
_PLACE_WORDS = (
    "bank city town county port university college church court council house institute lake mount island"
)

_SHORT_NAME = 3  # letters of a month
NAME_ENDINGS = frozenset(_NAME_ENDING_WORDS.split())
_BESIDE = frozenset(
    {
        *_QUESTION_WORDS.split(),
        *map(str.lower, CODES),
        *(name for name in ENGLISH_NAMES if len(name) == _SHORT_NAME and name != "may"),
    }
)
_PLAIN_FORMS = frozenset(form.code for form in FORMS if not form.is_word) | {"pty"}
_SHORT_FORMS = frozenset(form.code for form in FORMS if form.is_word)  # only in capitals, or inside a known name
LOOSE_FORMS = frozenset(_LOOSE_FORM_WORDS.split())
LEGAL_FORMS = _PLAIN_FORMS.union(_SHORT_FORMS, LOOSE_FORMS)
JOINTS = frozenset(_JOINT_WORDS.split())
_DETERMINERS = frozenset(_DETERMINER_WORDS.split())
_PLACES = frozenset(_PLACE_WORDS.split())


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text.

    Attributes:
        text: in lower case, without accents, full stops and the possessive "s".
        gap: the text between it and the word before.
        opens: whether it is the first word of its sentence.
    """

    text: str
    start: int
    end: int
    gap: str
    opens: bool
    capital: bool
    upper: bool

    @property
    def is_sign(self) -> bool:
        """Whether it is "&" and not "and"."""
        return self.text == "and" and self.end - self.start == 1

    @property
    def adjoins(self) -> bool:
        """Whether only a space, or the full stop of an abbreviation, separates it from the word before."""
        return bool(self.gap) and not self.opens and not self.gap.strip(" .")


def read_words(text: str) -> list[Word]:
    """The words of a text that is already `plain`."""
    found: list[Word] = []
    end = 0
    for match in _WORD.finditer(text):
        gap, raw = text[end : match.start()], match[0].removesuffix("'s").removesuffix("'S")
        spelled = _folded(raw)
        word = Word(
            text=_ONE_SPELLING.get(spelled, spelled),
            start=match.start(),
            end=match.end(),
            gap=gap,
            opens=not found or _ends_a_sentence(gap, found[-1]),
            capital=not raw[0].islower(),
            upper=raw.isupper(),
        )
        found.append(word)
        end = match.end()
    return found


def name_key(name: str) -> NameKey:
    """The key of a name; it is equal for all variants of case, full stops, accents, "&" and the legal form."""
    return tuple(word.text for word in read_words(name))


def without_forms(key: NameKey) -> list[NameKey]:
    """The name without legal forms at its end, removed one by one, longest result first; also without "The"."""
    start = 1 if len(key) > 1 and key[0] == "the" else 0
    found = [key[start:]] if start else []
    while len(key) - start > 1 and key[-1] in LEGAL_FORMS:
        key = key[:-1]
        found.append(key[start:])
    return found


def ends_in_a_form(key: NameKey) -> bool:
    """Whether it ends with an unambiguous legal form, which is used only for companies."""
    return len(key) > 1 and key[-1] in _PLAIN_FORMS


def is_form(word: Word) -> bool:
    """Whether it is a legal form after a name ("Acme Corp", "Acme SA")."""
    return word.text in _PLAIN_FORMS or (word.text in _SHORT_FORMS and word.capital)


def stands_beside(word: Word) -> bool:
    """Whether a name may end before it or begin after it: a question word, a figure or a legal form."""
    return (
        word.text in _BESIDE
        or word.text in LEGAL_FORMS
        or is_spoken_abroad(word.text)
        or word.text.isdigit()
        or is_time(word.text)
        or not word.capital
    )


def is_time(text: str) -> bool:
    """Whether it is a year or a part of one, as in accounts: "2022", "FY22", "YE22", "Q2"."""
    return re.fullmatch(r"(?:19|20)\d\d|(?:fy|ye|[qh][1-4]|[1-4][qh])\d*[ae]?", text) is not None


def is_determiner(word: Word) -> bool:
    """Whether it shows that the next word is a common noun ("the target")."""
    return word.text in _DETERMINERS


def names_a_place(word: Word) -> bool:
    """Whether, with "of", it makes another name of the next word ("Bank of Armadale")."""
    return word.capital and word.text in _PLACES


def is_spoken(text: str) -> bool:
    """Whether people use the word in questions about any company, in any language."""
    return any(text in known for known in _spoken_words().values())


@functools.lru_cache(maxsize=4096)
def is_spoken_abroad(text: str) -> bool:
    """Whether it is a word of questions in German, French, Spanish or Italian, with which no name ends."""
    if text in NAME_ENDINGS:
        return False
    spoken = any(text in known for language, known in _spoken_words().items() if language != "en")
    return spoken or text.endswith(_long_statement_words())


def is_question_word(text: str) -> bool:
    """Whether it occurs in questions about any company."""
    return text in _BESIDE


def is_common(text: str) -> bool:
    """Whether it is a word of the language, a place or an institution, and not used only in names."""
    return text in common_words() or text in _BESIDE or text in LEGAL_FORMS or text.isdigit() or len(text) == 1


def is_coined(name_word: str) -> bool:
    """Whether the name spells it unlike any other word: "TransUnion", "Rapid7", "abrdn"."""
    inner = re.search(r"[^\W\d_][A-Z]", name_word) and not name_word.isupper()
    mixed = re.search(r"\d", name_word) and re.search(r"[^\W\d_]", name_word)
    return bool(inner or mixed) or name_word[:1].islower()


def are_alike(word: str, name_word: str) -> bool:
    """Whether two words of names are for the same business: "bank" and "bancshares"."""
    return any(word in group and name_word in group for group in _ALIKE)


def split_at_capitals(name_word: str) -> tuple[str, ...]:
    """The parts of a word that begin with capitals, in small letters: "tower", "semi" of "TowerSemi"."""
    return tuple(part.lower() for part in re.findall(r"[A-Z][^\W\d_A-Z]+", name_word.removesuffix("'s")))


def in_capitals_throughout(words: Sequence[Word]) -> bool:
    """Whether a text is typed in capitals, so that capitals do not mark names."""
    return len(words) > 3 and all(w.upper or w.text.isdigit() for w in words if w.text not in ("and", "s"))


def gives_nouns_capitals(words: Sequence[Word]) -> bool:
    """Whether a text is German, so that capitals mark all nouns."""
    german, english = _only_german_or_english()
    said = {word.text for word in words}
    return len(said & german) > len(said & english)


@functools.cache
def _only_german_or_english() -> tuple[frozenset[str], frozenset[str]]:
    german, english = (_spoken_words()[language] for language in ("de", "en"))
    return german - english, english - german


def without_name(text: str, name: str, instead: str = " ") -> str:
    """The text without a name, each time that it stands there, with its quotes, its full stop and its possessive."""
    bare, at = name.removesuffix("'s"), 0
    while bare and (at := text.find(bare, at)) >= 0:
        start, end = at, at + len(bare)
        if text[start - 1 : start].isalnum() or text[end : end + 1].isalnum():
            at = end
            continue
        start -= text[start - 1 : start] in ("'", '"')
        if text[end : end + 1] == "." and not re.match(r"\.\s+[A-Z¿]", text[end : end + 4]):
            end += 1
        end += 2 if text.startswith("'s", end) else text[end : end + 1] in ("'", '"')
        text, at = f"{text[:start]}{instead}{text[end:]}", start + len(instead)
    return text


def in_title_case(words: Sequence[Word]) -> bool:
    """Whether a text capitalises all longer words, so that capitals do not mark names."""
    common = [w for w in words if len(w.text) > 3 and w.text.isalpha() and is_common(w.text) and not w.opens]
    return len(common) > 1 and all(w.capital for w in common)


def is_statement_word(text: str) -> bool:
    """A word of the labels that statements print, in any of their languages: "Gesamtumsatz", "Bilanzsumme"."""
    return text in _statement_words()


@functools.cache
def spelling_words() -> tuple[str, ...]:
    """The longer words of questions and labels, to which misspelt ones are brought; those of labels first."""
    labels, spoken = _statement_words(), frozenset[str]().union(*_spoken_words().values())
    others = (word for word in spoken - labels if len(word) > _SHORTEST_WORD and is_common(word))
    return (*sorted(labels), *sorted(others))


@functools.lru_cache(maxsize=4096)
def is_spelled_right(text: str) -> bool:
    """Whether it is a word of labels, of the language, or of questions in another language."""
    return is_common(text) or is_statement_word(text) or is_spoken_abroad(text)


@functools.cache
def _statement_words() -> frozenset[str]:
    labels = (name for metric in Ontology.load().metrics for name in (*metric.question_names, *metric.names))
    return frozenset(word for label in labels for word in name_key(plain(label)) if len(word) > _SHORTEST_WORD)


@functools.cache
def _long_statement_words() -> tuple[str, ...]:
    """The German ones, of which compounds are made: "Konzernerträge"."""
    return tuple(word for word in _statement_words() if len(word) >= _SHORTEST_PART and not is_common(word))


@functools.cache
def _spoken_words() -> dict[str, frozenset[str]]:
    """The words of questions by language."""
    lines = (line.split("\t") for line in SPOKEN_WORDS.read_text(encoding="utf-8").splitlines())
    return {language: frozenset(known.split()) for language, known in lines}


def _folded(raw: str) -> str:
    letters = unicodedata.normalize("NFKD", raw.casefold().translate(_STROKED))
    return "".join(c for c in letters if c.isalnum() or c == "&")


def _ends_a_sentence(gap: str, before: Word) -> bool:
    return bool(
        re.search(r"[?!:;]", gap) or ("." in gap and before.text not in LEGAL_FORMS | {"bros", "mr", "dr"})
    )
