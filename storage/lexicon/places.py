"""Countries and regions as questions name them, in the languages of `calendar.LOCALES`; from CLDR through Babel."""

import functools
import re

from babel import Locale

from storage.lexicon.calendar import LOCALES
from storage.lexicon.words import any_of, unaccented

# What companies call parts of their business by that is no country and no continent.
_REGIONS = """
emea apac latam dach benelux nordics iberia mena asean scandinavia overseas abroad u.s. usa u.k.
"""
_NOWHERE = frozenset({"ZZ", "001"})  # an unknown region, and the world
_IN_THE_US = re.compile(r"\b(?:in|from|within|outside|across|inside) (?:the )?US\b(?! (?:dollars?|GAAP))")
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
    return re.compile(
        rf"(?<![\w-])(?:{any_of(sorted(bare | set(_REGIONS.split()), key=len, reverse=True))})(?![\w-])"
    )


def names_a_place(text: str) -> bool:
    """Whether a text, in any letters, names a country, a continent or a region of business."""
    return _IN_THE_US.search(text) is not None or _places().search(unaccented(text.lower())) is not None
