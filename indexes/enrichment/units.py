"""What words such as "(in thousands of US dollars)", "€m" or "$'000" say about figures."""

import re
from dataclasses import dataclass

_DOLLARS = r"dollars?"
_CURRENCIES: tuple[tuple[str, str], ...] = (
    ("USD", rf"[美米](?:元|ドル)|US\s?\$|U\.S\.\s?\$|\$US|(?-i:\bUSD)|\b(?:US|U\.S\.|United States) {_DOLLARS}"),
    ("AUD", rf"\bAU?\$|(?-i:\bAUD)|\bAustralian {_DOLLARS}"),
    ("CAD", rf"\bC(?:A|DN)?\$|(?-i:\bCAD)|\bCanadian {_DOLLARS}"),
    ("NZD", rf"\bNZ\$|(?-i:\bNZD)|\bNew Zealand {_DOLLARS}"),
    ("HKD", rf"港[元币幣]|\bHK\$|(?-i:\bHKD)|\bHong Kong {_DOLLARS}"),
    ("SGD", rf"\bS\$|(?-i:\bSGD)|\bSingapore {_DOLLARS}"),
    ("GBP", r"£|(?-i:\bGBP)|\b(?:pounds? )?sterling\b|\bBritish pounds?\b"),
    ("EUR", r"€|[欧歐]元|ユーロ|(?-i:\b[TKM]?EUR)|(?-i:\b[Ee]uros?\b)"),
    ("CNY", r"人民[币幣]|(?<![美港日欧歐新])元|(?-i:\bRMB)|(?-i:\bCNY)|\bRenminbi"),
    ("JPY", r"円|日元|(?-i:\bJPY)|\b(?:Japanese )?yen\b"),
    ("CHF", r"(?-i:\bCHF)|\bSwiss francs?"),
    ("SEK", r"(?-i:\bM?SEK)|\bSwedish kron"),
    ("NOK", r"(?-i:\bM?NOK)|\bNorwegian kron"),
    ("DKK", r"(?-i:\bM?DKK)|\bDanish kron"),
    ("INR", r"₹|(?-i:\bINR)|\bIndian rupees?"),
    ("ZAR", r"(?-i:\bZAR)|\bSouth African rands?|\bR(?='000|’000|m\b)"),
    ("ILS", r"(?-i:\bNIS\b)|(?-i:\bILS)|\bnew (?:Israeli )?shekels?"),
    ("PLN", r"(?-i:\bPLN)|\bPolish zlot"),
    ("BRL", r"R\$|(?-i:\bBRL)|\bBrazilian reais"),
)
_CURRENCY = [(code, re.compile(pattern, re.IGNORECASE)) for code, pattern in _CURRENCIES]
_CODES = "USD|EUR|GBP|AUD|CAD|NZD|HKD|SGD|CHF|JPY|RMB|CNY|SEK|NOK|DKK|INR|ZAR|ILS|NIS|PLN"
_SIGN = rf"(?:[A-Z]{{0,3}}[$€£¥₹]|\b(?:{_CODES}))"
_MONEY = r"[美米港欧歐日]?(?:元|円|ドル|ユーロ)"  # of figures in Chinese and Japanese
_SCALES: tuple[tuple[int, str], ...] = (
    (
        1_000_000_000,
        rf"\bbillions?\b|{_SIGN}\s?(?:bns?|B)\b|\bin bn\b"
        rf"|\bMrd\b|\b[Mm]illiarden?\b|\bmilliards?\b|\bmiliardi\b|\bMd€|十[億亿]{_MONEY}",
    ),
    (100_000_000, rf"(?<![十百])[億亿]{_MONEY}"),
    (10_000_000, r"\bcrores?\b"),
    (
        1_000_000,
        r"\bMio\b|\b[Mm]illionen\b|\bmillones\b|\bmilioni\b|\bM(?:€|EUR\b)"
        rf"|百万{_MONEY}|\bmillions?\b|{_SIGN}\s?['’]?(?:m|mn|mio|M|MM)\b|\b(?:in|per) (?:m|mn|mio)\b"
        rf"|\bM(?:SEK|NOK|DKK)\b",
    ),
    (100_000, r"\blakhs?\b|\blacs\b"),
    (10_000, rf"(?<![十百千])[万萬]{_MONEY}"),
    (
        1_000,
        rf"\bTsd\b|\bTausend\b|\bmilliers\b|\bmiles de\b|\bmigliaia\b|\b[Kk](?:€|EUR\b)|千{_MONEY}"
        rf"|\b[Ee]uro/000|\bthousands?\b|['’‘`´]\s?000s?\b|{_SIGN}\s?(?:000s?|k|K)\b|\b000s\b|\bT(?:EUR\b|€)",
    ),
)
_SCALE = [(scale, re.compile(pattern)) for scale, pattern in _SCALES]
_SPELT = re.compile(r"(?i)\b(?:thousand|million|billion|crore|lakh)s?\b")
_BARE_SIGN = re.compile(rf"^\(?\s*{_SIGN}\s*\)?$")
_SAYS_UNIT = r"expressed|stated|presented|shown|amounts?|figures|reported|in"
_WHOLE = re.compile(
    rf"(?i)\b(?:{_SAYS_UNIT})\b[^.;]*\b{_DOLLARS}\b|\bin (?:whole|euros?|sterling|swiss francs|pounds)\b"
    r"|\ben euros?\b|(?:単位|单位|單位)\s*:\s*(?:人民[币幣])?[円元](?!\w)"
)
_UNIT_LINE = re.compile(
    rf"(?i)^\(?\s*(?:all |the |un|tabular )?(?:{_SAYS_UNIT}|audited|{_DOLLARS}|thousands|millions|currency"
    r"|rmb|chf|u\.?s\.?|[a-z]{0,3}[$€£]"
    r"|(?:alle )?(?:angaben|beträge|werte) in\b|en (?:milliers|millions|milliards|euros|[km]€|miles|millones)\b"
    r"|(?:montants?|chiffres|données|cifras|importes|expresad[oa]s?|valori|importi|dati)\b[^.;]*\b(?:en|in)\b"
    r"|(?:migliaia|milioni) di|(?:miles|millones) de|milli(?:ers|ons) d'|単位|单位|單位|金额单位|金額單位"
    r"|[百千十]?[万億亿千][美米港]?(?:元|円|ドル)\)?$)"
)
_AMOUNT = re.compile(rf"{_SIGN}\s?\(?(?!000)\d")
_SOME_MILLIONS = re.compile(r"(?i)\d\)?\s?(?:thousand|million|billion|mn|bn|m)\b")
_SAYS_HOW = re.compile(
    r"(?i)^\(?\s*(?:all |the )?(?:in (?=(?:[^\d\s]+ ){0,3}[^\d\s]*(?:thousand|million|billion|dollar|[$€£¥]|[A-Z]{3}))"
    r"|amounts?\b|dollars\b|expressed\b|stated\b|presented\b|thousands\b|millions\b)"
)
_MOST_WORDS = 24
_FULL_WIDTH = str.maketrans("\uff08\uff09\uff1a\u3000", "(): ")
_LEADS = re.compile(r"(?i):\s*$|\b(?:following|below)\b")


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


def printed_currency(text: str) -> str | None:
    """The one currency that a text names; None for none, several, or a bare dollar sign."""
    found = {code for code, pattern in _CURRENCY if pattern.search(text)}
    return found.pop() if len(found) == 1 else None


def printed_scale(text: str) -> int | None:
    """The one scale that a text names; 1 where it says a currency and no scale, as in a "$" over a column."""
    lowered = _SPELT.sub(lambda m: m[0].lower(), text)
    found = {scale for scale, pattern in _SCALE if pattern.search(lowered)}
    if len(found) == 1:
        return found.pop()
    if found:
        return None
    return 1 if _BARE_SIGN.match(text) or _WHOLE.search(text) else None


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
