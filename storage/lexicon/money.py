"""Currencies and scales as they are written: codes, signs, names in many languages, "thousands", "Mio", "Mrd".

To know another currency, add it to `CURRENCIES`. Its names in other languages come from CLDR through Babel.
"""

import functools
from dataclasses import dataclass

from babel.numbers import get_currency_name

from storage.lexicon.calendar import LOCALES
from storage.lexicon.words import any_of

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
        asked: names that mean it in a question about money, and may be something else in a report.
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
        """Its names in other languages, in small letters."""
        found = {
            get_currency_name(self.code, count=count, locale=locale).lower()
            for locale in (*LOCALES[1:], *_EASTERN)
            for count in (None, 1, 2)
        }
        return tuple(sorted(found - _CLDR_TOO_SHORT))


_CLDR_TOO_SHORT = frozenset({"円", "元"})
CURRENCIES = (
    Currency(
        "USD",
        rf"(?:US|U\.S\.|American|United States) {_DOLLARS}",
        signs=r"US\s?\$|U\.S\.\s?\$|\$US",
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
    Currency("CHF", "Swiss francs?"),
    Currency("AUD", rf"Australian {_DOLLARS}", signs=r"\bAU?\$"),
    Currency("CAD", rf"Canadian {_DOLLARS}", signs=r"\bC(?:A|DN)?\$"),
    Currency("NZD", rf"New Zealand {_DOLLARS}", signs=r"\bNZ\$"),
    Currency("HKD", rf"Hong Kong {_DOLLARS}", signs=r"\bHK\$", characters="港[元币幣]"),
    Currency("SGD", rf"Singapore(?:an)? {_DOLLARS}", signs=r"\bS\$"),
    Currency("SEK", rf"Swedish {_KRONA}"),
    Currency("NOK", rf"Norwegian {_KRONA}"),
    Currency("DKK", rf"Danish {_KRONA}"),
    Currency(
        "CNY",
        "(?:Chinese )?renminbi|Chinese yuan",
        asked="yuan",
        characters="人民[币幣]|(?<![美港日欧歐新])元",
        also="RMB",
    ),
    Currency("INR", "Indian rupees?", signs="₹"),
    Currency("ILS", "(?:new |Israeli |new Israeli )?shekels?", also="NIS"),
    Currency("ZAR", "South African rands?", signs=r"\bR(?='000|’000|m\b)"),
    Currency("BRL", "Brazilian rea(?:l|is)", signs=r"R\$"),
    Currency("MXN", "Mexican pesos?"),
    Currency("KRW", "(?:South )?Korean won"),
    Currency("PLN", "(?:Polish )?zlot(?:y|ys|ych)"),
    Currency("TRY", "Turkish lira"),
)
CODES = tuple(code for currency in CURRENCIES for code in currency.codes)
CODE = any_of(CODES)
"""The source of a pattern of every code, in capitals."""
ISO_CODES = {code: currency.code for currency in CURRENCIES for code in currency.codes}
SIGN = "[$€£¥₹]"

SCALES: dict[int, tuple[str, ...]] = {
    10**3: (
        "thousand",
        "tausend",
        "tsd",
        "milliers",
        "miles",
        "migliaia",
        "duizend",
        "milhares",
        "tusen",
        "tusind",
    ),
    10**5: ("lakh", "lac"),
    10**6: ("million", "millionen", "millones", "milioni", "miljoen", "milhões", "miljoner", "mio", "mn", "mm"),
    10**7: ("crore",),
    10**9: ("billion", "milliarde", "milliarden", "milliard", "miliardi", "miljard", "miljarder", "mrd", "bn"),
}
"""Words for scales in small letters, without the "s" of their plural."""
SCALE = rf"(?:{any_of(word for words in SCALES.values() for word in words)})s?"
_SCALE_OF = {word: scale for scale, words in SCALES.items() for word in words}


def scale_of(word: str) -> int | None:
    """What a word of `SCALES` stands for, in any letters and number; None for any other word."""
    small = word.lower().rstrip(".")
    return _SCALE_OF.get(small) or _SCALE_OF.get(small.removesuffix("s"))


@functools.cache
def asked_names() -> dict[str, str]:
    """For each currency the source of a pattern of its signs and names in questions."""
    return {
        currency.code: "|".join(
            part for part in (currency.signs, currency.names, currency.asked, any_of(currency.cldr_names)) if part
        )
        for currency in CURRENCIES
    }
