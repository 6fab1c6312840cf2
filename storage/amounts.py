"""Turns printed figures into numbers."""

import math
import re
from decimal import Decimal
from typing import Literal

from storage.lexicon.money import CODE, SIGN
from storage.lexicon.words import expression
from storage.text import MARKS

DecimalMark = Literal[".", ","]
_FORM = r"""^(?P<open>[(\[<])?\s*+
        (?P<sign>[-−–‒△▲])?\s*+
        (?P<digits>\d{{1,3}}(?:[{groups}'’\u00a0\u202f ]\d{{3}})+|\d+)
        (?P<decimals>{mark}\d+)?\s*+
        (?P<behind>[-−–‒](?<=[,.'’\u00a0\u202f ]\d\d\d[-−–‒]))?
        (?P<close>[)\]>])?$"""
_FIGURE: dict[DecimalMark, re.Pattern[str]] = {
    ".": expression(_FORM.format(groups=",", mark=r"\."), re.VERBOSE),
    ",": expression(_FORM.format(groups=".", mark=","), re.VERBOSE),
}
_DRESSING = expression(
    rf"(?i)\b(?:US|AU?|CA?|NZ|HK|S|R)\$|{SIGN}|[%*†‡{MARKS}]|(?<=[\d)])\([a-z]\)$|\b(?:{CODE}|Rs\.?)\b|(?<=\d)[p円元]$"
)

NUMBER_WORDS = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
    "thirteen": 13,
    "fourteen": 14,
    "fifteen": 15,
    "sixteen": 16,
    "seventeen": 17,
    "eighteen": 18,
    "nineteen": 19,
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
}


def grouped(value: float) -> str:
    """A number as people write it, all of its whole digits in groups of three: "61,352,000,000", "-4.25"."""
    if value % 1 == 0:
        return f"{int(value):,}"
    return f"{Decimal(f'{value:.12g}'):,f}"


def parse_figure(text: str, mark: DecimalMark = ".") -> Decimal | None:
    """The signed number of a printed figure, without its scale; None when the text is not exactly one figure.

    With a decimal comma, "1.234,5" is a figure and "1,234.5" is not; "1 234" and "1'234" are figures
    either way. Brackets, a minus before or behind it and the triangle of Japanese accounts are negative. Currency and
    percent signs around it, and marks of notes, are ignored. A lone dash is not a figure: whether it means zero or
    "none" depends on its table.
    """
    bare = _DRESSING.sub("", text).strip()
    match = _FIGURE[mark].match(bare)
    if match is None or bool(match["open"]) != bool(match["close"]):
        return None
    digits = re.sub(r"\D", "", match["digits"])
    number = Decimal(digits + (match["decimals"] or "").replace(",", "."))
    return -number if match["open"] or match["sign"] or match["behind"] else number


_DECIMALS = expression(r"[.,](\d+)[)\]%\s]*$")
_GROUP = 3  # digits


def printed_decimals(printed: str, value: float, scale: float = 1) -> int:
    """How many decimals a page shows of a value in full units: 2 of "(0.30)"; 0 where that cannot be told."""
    found = _DECIMALS.search(printed)
    if found is None or (len(found[1]) == _GROUP and float(value).is_integer()):
        return 0
    decimals = len(found[1]) - round(math.log10(scale))
    return decimals if decimals > 0 and round(value, decimals) == value else 0


def number_word(text: str) -> Decimal | None:
    """The number that a word such as "twelve" means, up to ninety; None for any other text."""
    value = NUMBER_WORDS.get(text.strip().lower())
    return None if value is None else Decimal(value)
