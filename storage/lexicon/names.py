"""Legal forms of companies as they are written, which of their spellings are one form; and the names of places.

To know another form, add it to `LEGAL_FORMS`. Countries and regions, in the languages of `calendar.LOCALES`, are those
of CLDR through Babel.
"""

import functools
import re
from dataclasses import dataclass

from babel import Locale

from storage.lexicon.calendar import LOCALES
from storage.lexicon.words import any_of, expression, unaccented

NAME_IN_QUESTION = expression(r"(?<!^)(?<![.:?!] )\b[A-Z][\w&'’.-]*[\w]")  # in capitals, and not for its place

OFFICE = (  # as questions call it, in any letters
    r"(?:c[efo]o|chief (?:executive|financial|operating)(?: officer)?|finance director|chair(?:man|woman|person)?"
    r"|president|company secretary|general counsel|treasurer)"
)
TAKES_OFFICE = (
    r"(?i:\b(?:join(?:s|ed|ing)?|appoint\w*|elect(?:s|ed|ion)?|hir(?:e[sd]?|ing)|recruit\w*|nominat\w+|promot\w+"
    r"|succeed\w*|becomes?|became|(?:take|takes|took|taking) over|(?:bring|brings|brought|bringing) in)\b)"
)
"""Words with which somebody comes into an office."""

LEAVES_OFFICE = (
    r"(?i:\b(?:left|leav(?:e[sd]?|ing)(?! out)|resign\w*|retir\w+|step(?:s|ped|ping)? down|ceas\w+|dismiss\w*|fired"
    r"|depart(?:s|ed|ing|ures?)?|terminat\w+|removed?|replac\w+|sacked|ousted|quits?)\b)"
)
"""Words with which somebody goes out of an office."""


@dataclass(frozen=True)
class LegalForm:
    """A legal form.

    Attributes:
        code: the form in small letters, without points.
        spellings: as it is written. Points may be left out, and letters of any size stand for it.
        is_word: its short form is also a word or somebody's initials, so it is one only in capitals.
        in_sentences: in a sentence it ends the name of a company that reports, rather than of a subsidiary.
    """

    code: str
    spellings: tuple[str, ...]
    is_word: bool = False
    in_sentences: bool = True


LEGAL_FORMS = (
    LegalForm("inc", ("Incorporated", "Inc.")),
    LegalForm("corp", ("Corporation", "Corp.")),
    LegalForm("co", ("Company", "Co."), is_word=True, in_sentences=False),
    LegalForm("plc", ("plc", "Plc", "PLC", "P.L.C.", "Public Limited Company")),
    LegalForm("ltd", ("Limited", "Ltd.")),
    LegalForm("llc", ("LLC", "L.L.C.")),
    LegalForm("lp", ("LP", "L.P."), in_sentences=False),
    LegalForm("nv", ("NV", "N.V.")),
    LegalForm("bv", ("BV", "B.V."), in_sentences=False),
    LegalForm("sa", ("SA", "S.A.", "Société Anonyme", "Sociedad Anónima"), is_word=True),
    LegalForm("sau", ("SAU", "S.A.U."), in_sentences=False),
    LegalForm("sca", ("SCA", "S.C.A."), is_word=True, in_sentences=False),
    LegalForm("se", ("SE", "S.E."), is_word=True),
    LegalForm("ag", ("AG", "A.G.", "Aktiengesellschaft")),
    LegalForm("kgaa", ("KGaA",)),
    LegalForm("gmbh", ("GmbH",), in_sentences=False),
    LegalForm("kg", ("KG",), in_sentences=False),
    LegalForm("ab", ("AB",), is_word=True),
    LegalForm("asa", ("ASA",)),
    LegalForm("as", ("A/S",), is_word=True),
    LegalForm("oyj", ("Oyj",)),
    LegalForm("abp", ("Abp",), in_sentences=False),
    LegalForm("spa", ("SpA", "S.p.A.")),
    LegalForm("kk", ("K.K.", "KK"), in_sentences=False),
    LegalForm("bhd", ("Berhad", "Bhd.")),
    LegalForm("tbk", ("Tbk",), in_sentences=False),
    LegalForm("sicav", ("SICAV", "SICAF")),
    LegalForm("pjsc", ("PJSC",), in_sentences=False),
)


def form_code(written: str) -> str | None:
    """The code of a legal form in any spelling; None for any other words."""
    return _CODES.get(_bare(written))


def _bare(written: str) -> str:
    return "".join(c for c in unaccented(written.lower()) if c.isalnum())


_CODES = {_bare(spelling): form.code for form in LEGAL_FORMS for spelling in form.spellings}
FORM_WORDS = {code_of: code for code_of, code in _CODES.items() if code_of != code}
"""The code of each form that is written out, by its letters: "limited" is "ltd"."""


def _in_any_letters() -> str:
    bare = {spelling.lower().rstrip(".") for form in LEGAL_FORMS for spelling in form.spellings}
    return any_of({*bare, *map(unaccented, bare), *(s.replace(".", "") for s in bare)})


FORM = _in_any_letters()
"""The source of a pattern of every form, in small letters, without the last point."""


_SELDOM = {"AKTIENGESELLSCHAFT", "A.G", "A.G.", "S.E", "S.E."}  # so written, they are more often something else


def _in_sentences() -> str:
    found: set[str] = set()
    for spelling in (s for form in LEGAL_FORMS if form.in_sentences for s in form.spellings if " " not in s):
        bare = spelling.rstrip(".")
        found |= {bare, f"{bare}."} if spelling.endswith(".") else {bare}
        if bare[1:].islower() and bare.title() == bare and "." not in bare:
            found |= {bare.upper(), *({f"{bare.upper()}."} if spelling.endswith(".") else set())}
    return any_of(found - _SELDOM)


FORM_IN_SENTENCES = _in_sentences()
"""The source of a pattern of the forms that end names in running text, as they are written."""
ABBREVIATED_FORM = any_of(
    s.rstrip(".") for form in LEGAL_FORMS for s in form.spellings if s.endswith(".") and s[:-1].isalnum()
)
"""The source of a pattern of the forms that are written with a point which ends no sentence, without it."""

# Where a company is from, as people tell it from others: by its currency, and by its legal form where that says more.
NATIONALITIES: dict[str, tuple[str, frozenset[str]]] = {
    "dutch": ("EUR", frozenset({"nv", "bv"})),
    "german": ("EUR", frozenset({"ag", "se", "gmbh", "kgaa"})),
    "french": ("EUR", frozenset({"sa", "sca"})),
    "italian": ("EUR", frozenset({"spa"})),
    **dict.fromkeys(("american", "us", "u.s."), ("USD", frozenset())),
    **dict.fromkeys(("british", "uk", "english"), ("GBP", frozenset())),
    **dict.fromkeys(("japanese", "japan"), ("JPY", frozenset())),
    **{"swiss": ("CHF", frozenset()), "canadian": ("CAD", frozenset()), "australian": ("AUD", frozenset())},
}
"""The reporting currency and the legal forms, empty for any, by which a company is of a country."""

DEGREE = r"(?:Ph\.? ?D|[MJ]\.? ?D|M\.? ?B\.? ?A|CPA|CFA|FCA|Esq|[OCM]BE)"
"""What stands behind a person's name: degrees, memberships and honours."""
DEMONYMS = {
    "North America": "[Nn]orth [Aa]merican",
    "South America": "[Ss]outh [Aa]merican",
    "Latin America": "[Ll]atin [Aa]merican",
    "United States": r"US|U\.S\.(?:A\.)?|USA|us(?<!\b(?:[Tt]ell|[Gg]ive|[Ss]how|[Ss]end) us)|[Aa]merican",
    "United Kingdom": r"UK|uk|U\.K\.|[Bb]ritish",
    "European Union": r"EU|eu",
    "Europe": "[Ee]uropean",
    "Asia": "[Aa]sian",
    "Africa": "[Aa]frican",
    "Australia": "[Aa]ustralian",
    "Austria": "[Aa]ustrian",
    "Belgium": "[Bb]elgian",
    "Brazil": "[Bb]razilian",
    "Canada": "[Cc]anadian",
    "China": "[Cc]hinese",
    "Denmark": "[Dd]anish",
    "Finland": "[Ff]innish",
    "France": "[Ff]rench",
    "Germany": "[Gg]erman",
    "India": "[Ii]ndian",
    "Ireland": "[Ii]rish",
    "Israel": "[Ii]sraeli",
    "Italy": "[Ii]talian",
    "Japan": "[Jj]apanese",
    "Mexico": "[Mm]exican",
    "Netherlands": "[Dd]utch",
    "Norway": "[Nn]orwegian",
    "Poland": "[Pp]olish",
    "Portugal": "[Pp]ortuguese",
    "South Africa": "[Ss]outh [Aa]frican",
    "South Korea": "(?:[Ss]outh )?[Kk]orean",
    "Spain": "[Ss]panish",
    "Sweden": "[Ss]wedish",
    "Switzerland": "[Ss]wiss",
    "Turkey": "[Tt]urkish",
}
"""By country or continent, the source of a pattern of what comes from it or is there."""

# What companies call parts of their business by that is no country and no continent.
_REGIONS = """
emea apac latam dach benelux nordics iberia mena asean scandinavia overseas abroad u.s. usa u.k. middle_east far_east
near_east asia_pacific americas levant
"""
_NOWHERE = frozenset({"ZZ", "001"})  # an unknown region, and the world
_IN_SHORT = expression(
    r"\b(?:in|to|from|within|outside|across|inside) (?:the )?(?:US|UK)\b(?![$-]| (?:dollars?|GAAP))"
)
_SHORTEST = 4  # letters of a name that is no abbreviation of the list above; "Man" and "Oman" are told apart so


@functools.cache
def _places() -> re.Pattern[str]:
    names = {
        unaccented(name.lower())
        for locale in LOCALES
        for code, name in Locale.parse(locale).territories.items()
        if code not in _NOWHERE and len(name) >= _SHORTEST and name.isprintable()
    }
    bare = {re.sub(r" ?\([^()]*\)|^the ", "", name) for name in names}
    regions = {name.replace("_", " ") for name in _REGIONS.split()}
    return re.compile(rf"(?<![\w-])(?:{any_of(sorted(bare | regions, key=len, reverse=True))})(?![\w-])")


def names_a_place(text: str) -> bool:
    """Whether a text, in any letters, names a country, a continent or a region of business."""
    return _IN_SHORT.search(text) is not None or _places().search(unaccented(text.lower())) is not None
