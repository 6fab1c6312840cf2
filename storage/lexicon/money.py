"""Currencies and scales as they are written: codes, signs, names in many languages, "thousands", "Mio", "Mrd".

To know another currency, add it to `CURRENCIES`. Its names in other languages come from CLDR through Babel.
"""

import functools
import re
from dataclasses import dataclass

from babel.numbers import get_currency_name, list_currencies

from storage.lexicon.calendar import LOCALES
from storage.lexicon.words import any_of, expression

_KRONA = r"(?:kron[aeo]r?|crowns?)"
_EASTERN = ("ja", "zh")
_DOLLARS = "dollars?"


@dataclass(frozen=True)
class Currency:
    """A currency; signs, names and the like are sources of patterns that ignore case.

    Attributes:
        code: ISO 4217.
        signs: that mean no other currency: "$" alone says nothing.
        names: English names that mean no other currency. What several countries use, such as "dollars", is no name.
        asked: names that mean it in a question about money, and may be something else in a report; of several
            countries' "dollars" the report's own are meant, else those of the first.
        characters: Chinese and Japanese names beyond those of CLDR.
        also: another code that is printed for it.
    """

    code: str
    names: str
    signs: str = ""
    asked: str = ""
    characters: str = ""
    also: str = ""

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes that are printed for it."""
        return (self.code, self.also) if self.also else (self.code,)

    @functools.cached_property
    def cldr_names(self) -> tuple[str, ...]:
        """Its names in every language, in small letters."""
        found = {
            get_currency_name(self.code, count=count, locale=locale).lower()
            for locale in (*LOCALES, *_EASTERN)
            for count in (None, 1, 2)
        }
        return tuple(sorted(found - _CLDR_TOO_SHORT))


_CLDR_TOO_SHORT = frozenset({"円", "元"})
CURRENCIES = (
    Currency(
        "USD",
        rf"(?:US|U\.S\.|American|United States) {_DOLLARS}",
        signs=r"US\s?\$|U\.S\.\s?\$|\$US",
        asked=_DOLLARS,
        characters="[美米](?:元|ドル)",
    ),
    Currency("EUR", "euros?", signs="€", characters="[欧歐]元|ユーロ"),
    Currency(
        "GBP",
        "(?:British |UK )?pounds? sterling|(?:British|UK) pounds?|sterling",
        signs="£",
        asked="pounds",
    ),
    Currency("JPY", "(?:Japanese )?yen", characters="円|日元"),
    Currency("CHF", "Swiss francs?", asked="francs?"),
    Currency("AUD", rf"Australian {_DOLLARS}", signs=r"\bAU?\$", asked=_DOLLARS),
    Currency("CAD", rf"Canadian {_DOLLARS}", signs=r"\bC(?:A|DN)?\$", asked=_DOLLARS),
    Currency("NZD", rf"New Zealand {_DOLLARS}", signs=r"\bNZ\$", asked=_DOLLARS),
    Currency("HKD", rf"Hong Kong {_DOLLARS}", signs=r"\bHK\$", asked=_DOLLARS, characters="港[元币幣]"),
    Currency("SGD", rf"Singapore(?:an)? {_DOLLARS}", signs=r"\bS\$", asked=_DOLLARS),
    Currency("SEK", rf"Swedish {_KRONA}", asked=_KRONA),
    Currency("NOK", rf"Norwegian {_KRONA}", asked=_KRONA),
    Currency("DKK", rf"Danish {_KRONA}", asked=_KRONA),
    Currency(
        "CNY",
        "(?:Chinese )?renminbi|Chinese yuan",
        asked="yuan",
        characters=r"人民[币幣]|(?<![\u4e00-\u9fff])元|(?<=[百千万萬亿億])元",
        also="RMB",
    ),
    Currency(
        "INR", "Indian rupees?", signs=r"₹|\bRs\b\.?(?=[^a-z]{0,3}(?:in )?(?:lakh|lac|crore))", asked="rupees?"
    ),
    Currency("ILS", "(?:new |Israeli |new Israeli )?shekels?", also="NIS"),
    Currency("ZAR", "South African rands?", signs=r"\bR(?='000|’000|m\b)"),
    Currency("BRL", "Brazilian rea(?:l|is)", signs=r"R\$"),
    Currency("MXN", "Mexican pesos?", asked="pesos?"),
    Currency("KRW", "(?:South )?Korean won"),
    Currency("PLN", "(?:Polish )?zlot(?:y|ys|ych)"),
    Currency("TRY", "Turkish lira"),
)
_DOLLAR_CODES = frozenset(currency.code for currency in CURRENCIES if _DOLLARS in currency.names)
CODES = tuple(code for currency in CURRENCIES for code in currency.codes)
CODE = any_of(CODES)
"""The source of a pattern of every code, in capitals."""
ISO_CODES = {code: currency.code for currency in CURRENCIES for code in currency.codes}
SIGN = "[$€£¥₹]"
UNIT_SIGN = rf"(?:[A-Z]{{0,3}}{SIGN}|\b(?:{CODE}))"
"""A sign, with the letters of its country, or a code: "US$", "€", "SEK"."""
MINOR_UNIT = r"(?:cents?|pence)"
MINOR_SIGN = "[¢₵]"
"""Signs of the cent; the second is another currency's, and printed for the first."""
PER_SHARE = (
    r"per (?:\w+ )?(?:share|unit|ads)\b|\beps\b|\b(?:je|pro) aktie\b|\bpar action\b|\bpor acción\b|\bper azione\b"
    r"|1株当たり|每股"
)
"""Words for a figure per share; like all patterns here it ignores case."""
PERCENT = r"%|\bper ?cent"
PERCENT_SAID = r"(?:%|per ?cent|prozent|pour ?cent|por ?ciento|per ?cento)"  # behind a number, in five languages


_NO_CURRENCIES = frozenset({"XXX", "XTS"})  # ISO 4217 has codes for "none" and for tests
_LONGEST_NAME = 60


def currency_code(text: str) -> str | None:
    """The ISO 4217 code of a currency that is written as a code, a sign or a name; None where it is none.

    A name or a sign that several countries use, such as "dollars", is none.
    """
    bare = text.strip()
    code = bare.upper()
    if code in ISO_CODES:
        return ISO_CODES[code]
    if code in list_currencies() and code not in _NO_CURRENCIES:
        return code
    if len(bare) > _LONGEST_NAME:
        return None
    named = {code for code, pattern in printed_names().items() if pattern.search(bare)}
    return named.pop() if len(named) == 1 else None


BARE_NAMES = "|".join(dict.fromkeys(currency.asked for currency in CURRENCIES if currency.asked))
"""The source of a pattern of names that may mean the currencies of several countries: "dollars"."""


def meant_by(name: str) -> tuple[str, ...]:
    """The codes of the currencies that a bare name, such as "dollars", may mean, the likeliest first."""
    return tuple(c.code for c in CURRENCIES if c.asked and re.fullmatch(c.asked, name, re.IGNORECASE))


def is_dollar(code: str) -> bool:
    """Whether a bare "$" may mean this currency."""
    return code in _DOLLAR_CODES


@functools.cache
def asked_names() -> dict[str, str]:
    """For each currency the source of a pattern of its signs and full names in questions."""
    return {
        currency.code: "|".join(
            part for part in (currency.signs, currency.names, any_of(currency.cldr_names)) if part
        )
        for currency in CURRENCIES
    }


@functools.cache
def printed_names() -> dict[str, re.Pattern[str]]:
    """For each currency a pattern of the codes, signs and names that reports print for it."""
    return {currency.code: re.compile(_printed(currency), re.IGNORECASE) for currency in CURRENCIES}


def _printed(currency: Currency) -> str:
    eastern = [name for name in currency.cldr_names if _EASTERN_LETTERS.search(name)]
    others = [name for name in currency.cldr_names if name not in eastern and name not in _SHORT_NAMES]
    parts = (
        currency.characters,
        any_of(eastern),
        currency.signs,
        rf"(?-i:\b[TKMk]?(?:{any_of(currency.codes)}){_ENDS_CODE.get(currency.code, '')})",
        rf"\b(?:{currency.names})(?!\w)" if currency.code != "EUR" else r"(?-i:\b[Ee]uros?\b)",
        rf"\b(?:{any_of(others)})(?!\w)" if others else "",
    )
    return "|".join(part for part in parts if part)


_EASTERN_LETTERS = expression(r"[\u3040-\u30ff\u3400-\u9fff]")
_SHORT_NAMES = frozenset({"euro", "euros"})  # "EURO STOXX" is no money
_ENDS_CODE = {"ILS": r"\b", "TRY": r"\b"}  # letters that begin words, too


@dataclass(frozen=True)
class Scale:
    """What one printed unit may stand for.

    Attributes:
        words: that are spelled out, in small letters, without the "s" of their plural.
        short: short forms, as they are written: "MRD" is something else.
        after: letters behind a currency's sign or code: "$m".
        alone: those of them that also stand behind "in": "in bn".
        before: letters before a sign or code: "T€", "MSEK".
        characters: a pattern of Chinese and Japanese signs before the currency.
        signs: a pattern of other signs.
    """

    value: int
    words: tuple[str, ...] = ()
    short: tuple[str, ...] = ()
    after: str = ""
    alone: str = ""
    before: str = ""
    characters: str = ""
    signs: str = ""


SCALES = (
    Scale(
        10**3,
        words=(
            *("thousand", "tausend", "millier", "miles de", "migliaia"),
            *("duizend", "milhares", "tusen", "tusind"),
        ),
        short=("Tsd", "tsd"),
        after="000s?|k|K",
        before="[TKk]",
        characters="千",
        signs=r"\b[Ee]uro/000|['’‘`´]\s?000s?\b|\b000s\b",
    ),
    Scale(10**4, characters="(?<![十百千])[万萬]"),
    Scale(10**5, words=("lakh", "lacs")),
    Scale(
        10**6,
        words=(
            *("million", "millionen", "millones", "milioni", "milhões"),
            *("miljoen", "miljoenen", "miljoner", "millioner"),
        ),
        short=("Mio", "mio"),
        after="m|mn|mio|M|mm|MM",
        alone="m|mn|mio",
        before="M",
        characters="百万",
    ),
    Scale(10**7, words=("crore",)),
    Scale(10**8, characters="(?<![十百])[億亿]"),
    Scale(
        10**9,
        words=(
            *("billion", "milliarde", "milliarden", "milliard", "miliardi"),
            *("miljard", "miljarden", "miljarder"),
        ),
        short=("Mrd", "mrd"),
        after="bns?|B",
        alone="bn",
        before="Md",
        characters="十[億亿]",
    ),
)
_SCALE_OF = {word.lower(): scale.value for scale in SCALES for word in (*scale.words, *scale.short)}
_LETTERS = {"k": 10**3, "m": 10**6, "mn": 10**6, "mm": 10**6, "b": 10**9, "bn": 10**9}
SCALE_WORD = any_of(_SCALE_OF)
SCALE = rf"(?:{SCALE_WORD})s?"
"""The source of a pattern of every word for a scale, in any number."""
SCALE_BEHIND_FIGURE = rf"(?:{any_of({**_SCALE_OF, **_LETTERS})})s?"
"""The same with the letters that mean a scale behind a figure: "$27.8m"."""
_EASTERN_MONEY = "[美米港欧歐日]?(?:元|円|ドル|ユーロ)"


def scale_of(word: str) -> int | None:
    """What a word for a scale, or letters behind a figure, stand for; None for any other word."""
    small = word.lower().rstrip(".")
    known = {**_SCALE_OF, **_LETTERS}
    return known.get(small) or known.get(small.removesuffix("s"))


@functools.cache
def printed_scales() -> dict[int, re.Pattern[str]]:
    """For each scale a pattern of how reports print it over their figures."""
    return {scale.value: re.compile(_scale_pattern(scale)) for scale in SCALES}


def _scale_pattern(scale: Scale) -> str:
    parts = (
        rf"\b(?i:{any_of(scale.words)}s?)\b" if scale.words else "",
        rf"\b(?:{any_of(scale.short)})\b" if scale.short else "",
        rf"{UNIT_SIGN}\s?['’]?(?:{scale.after})\b" if scale.after else "",
        rf"\b(?:in|per) (?:{scale.alone})\b" if scale.alone else "",
        rf"\b{scale.before}(?:€|(?:{CODE})\b)" if scale.before else "",
        rf"{scale.characters}{_EASTERN_MONEY}" if scale.characters else "",
        scale.signs,
    )
    return "|".join(part for part in parts if part)
