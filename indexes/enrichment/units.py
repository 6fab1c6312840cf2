"""What words such as "(in thousands of US dollars)", "€m" or "$'000" say about figures."""

import re
from dataclasses import dataclass
from functools import lru_cache

from storage.lexicon.money import CODE, SCALE, SCALE_BEHIND_FIGURE, UNIT_SIGN, printed_names, printed_scales
from storage.lexicon.words import KNOWN_TEXTS, expression

_DOLLARS = r"dollars?"
_SCALES = tuple(printed_scales().items())
_BARE_SIGN = expression(rf"^\(?\s*{UNIT_SIGN}\s*\)?$")
_SAYS_UNIT = r"expressed|stated|presented|shown|amounts?|figures|reported|in"
_CODE_ALONE = expression(rf"^\(?\s*(?:{CODE}|{UNIT_SIGN})\s*\)?$")
_WHOLE = expression(
    rf"(?i)\b(?:{_SAYS_UNIT})\b[^.;]{{0,200}}\b{_DOLLARS}\b|\bin (?:whole|euros?|sterling|swiss francs|pounds)\b"
    r"|\ben euros?\b|(?:単位|单位|單位)\s*:\s*(?:人民[币幣])?[円元](?!\w)"
)
_UNIT_LINE = expression(
    rf"(?i)^\(?\s*(?:all |the |un|tabular )?(?:{_SAYS_UNIT}|audited|{_DOLLARS}|{SCALE}|currency"
    rf"|rmb|chf|u\.?s\.?|[a-z]{{0,3}}[$€£₹]|rs\.? |{CODE} ?(?:in )?(?:{SCALE}|{SCALE_BEHIND_FIGURE})\b"
    rf"|(?:alle )?(?:angaben|beträge|werte) in\b|en (?:{SCALE}|euros|[km]€)\b"
    r"|(?:montants?|chiffres|données|cifras|importes|expresad[oa]s?|valori|importi|dati)\b[^.;]*\b(?:en|in)\b"
    r"|単位|单位|單位|金额单位|金額單位"
    r"|[百千十]?[万億亿千][美米港]?(?:元|円|ドル)\)?$)"
)
_AMOUNT = expression(rf"{UNIT_SIGN}\s?\(?(?!000)\d")
_SOME_MILLIONS = expression(rf"(?i)\d\)?\s?{SCALE_BEHIND_FIGURE}\b")
_SAYS_HOW = expression(
    rf"(?i)^\(?\s*(?:all |the )?(?:in (?=(?:[^\d\s]+ ){{0,3}}[^\d\s]*(?:{SCALE}|dollar|[$€£¥]|[A-Z]{{3}}))"
    rf"|amounts?\b|dollars\b|expressed\b|stated\b|presented\b|{SCALE}\b)"
)
_MOST_WORDS = 24
_FULL_WIDTH = str.maketrans("\uff08\uff09\uff1a\u3000", "(): ")
_LEADS = expression(r"(?i):\s*$|\b(?:following|below)\b")
_OF_FIGURES = " 0123456789.,()-–—%"


@dataclass(frozen=True)
class Unit:
    """A printed unit. What is not said is None; a dollar sign alone does not say whose dollar.

    Attributes:
        scale: what one printed unit stands for.
        currency: ISO 4217 code.
        words: as printed.
    """

    scale: int | None = None
    currency: str | None = None
    words: str = ""


@lru_cache(KNOWN_TEXTS)
def printed_currency(text: str) -> str | None:
    """The one currency that a text names; None for none, several, or a bare dollar sign."""
    if not text.strip(_OF_FIGURES):
        return None
    found = {code for code, pattern in printed_names().items() if pattern.search(text)}
    return found.pop() if len(found) == 1 else None


@lru_cache(KNOWN_TEXTS)
def printed_scale(text: str) -> int | None:
    """The one scale that a text names; 1 where it says a currency and no scale, as in a "$" over a column."""
    found = {scale for scale, pattern in _SCALES if pattern.search(text)}
    if len(found) == 1:
        return found.pop()
    if found:
        return None
    return 1 if _BARE_SIGN.match(text) or _WHOLE.search(text) else None


def says_how(words: str) -> bool:
    """Whether the words of a unit say in what figures are: "in euros", "Expressed in Canadian dollars"."""
    return _UNIT_LINE.match(words) is not None and _CODE_ALONE.match(words) is None


@lru_cache(KNOWN_TEXTS)
def unit_of_line(text: str) -> Unit | None:
    """The unit of a line that is there to say it, such as "(in millions, except per share data)"; else None.

    A sentence of the report that happens to speak of millions is not such a line; one that leads to a table says
    the table's unit in brackets.
    """
    text = text.translate(_FULL_WIDTH)
    is_long = len(text.split()) > _MOST_WORDS
    if is_long and not _LEADS.search(text):
        return None
    for bracket in re.findall(r"\([^()]*\)", text):
        unit = None if _is_amount(bracket) else _unit(bracket)
        if unit and (unit.scale or 1) == 1 and _UNIT_LINE.match(text) and not is_long:
            whole = None if _is_amount(text) else _unit(text)
            unit = whole if whole and (whole.scale or 1) > 1 else unit  # "in thousands of Swiss francs (CHF)"
        if unit and (_UNIT_LINE.match(bracket) or _BARE_SIGN.match(bracket) or len(bracket.split()) <= 4):
            return unit
    if is_long or _is_amount(text):
        return None
    says_unit = _UNIT_LINE.match(text) and not text.rstrip().endswith(".")
    return _unit(text) if says_unit or _is_short(text) else None


def _is_amount(text: str) -> bool:
    """It says how much, and not in what: "(2021: £2,484,000)", but not "(in thousands, except $0.01 par value)"."""
    return bool(_SOME_MILLIONS.search(text) or (_AMOUNT.search(text) and not _SAYS_HOW.match(text)))


def _is_short(text: str) -> bool:
    """Nothing but a unit, such as "€m" or "US$ million"."""
    return len(text.split()) <= 3 and not re.search(r"\d(?<!0)", text)


def _unit(text: str) -> Unit | None:
    scale, currency = printed_scale(text), printed_currency(text)
    return Unit(scale, currency, text.strip()) if scale or currency else None
