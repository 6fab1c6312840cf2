"""The currency in which a question wants its answer: "in USD", "(in euros)", "in millions of Swiss francs"."""

import re
from collections.abc import Iterator

_CODES = (
    "USD|EUR|GBP|JPY|CHF|AUD|CAD|NZD|SEK|NOK|DKK|CNY|RMB|HKD|SGD|INR|ILS|NIS|ZAR|BRL|MXN|KRW|PLN|TRY"  # as written
)
_ALSO_CALLED = {"RMB": "CNY", "NIS": "ILS"}
_KRONA = r"(?:kron[aeo]r?|crowns?)"
# A word that several countries use for their money is no name by itself: "dollars", "pesos", "rupees", "francs".
_NAMES: dict[str, str] = {
    "USD": r"US\$|(?:US|U\.S\.|American|United States) dollars?",
    "EUR": r"€|euros?",
    "GBP": r"£|(?:British |UK )?pounds? sterling|(?:British|UK) pounds?|sterling|pounds",
    "JPY": r"(?:Japanese )?yen",
    "CHF": r"Swiss francs?",
    "CAD": r"(?:C|CA|CDN)\$|Canadian dollars?",
    "AUD": r"AU?\$|Australian dollars?",
    "NZD": r"NZ\$|New Zealand dollars?",
    "HKD": r"HK\$|Hong Kong dollars?",
    "SGD": r"S\$|Singapore(?:an)? dollars?",
    "SEK": rf"Swedish {_KRONA}",
    "NOK": rf"Norwegian {_KRONA}",
    "DKK": rf"Danish {_KRONA}",
    "CNY": r"(?:Chinese )?(?:yuan|renminbi)",
    "INR": r"₹|Indian rupees?",
    "ILS": r"(?:new |Israeli |new Israeli )?shekels?",
    "ZAR": r"South African rands?",
    "BRL": r"Brazilian rea(?:l|is)",
    "MXN": r"Mexican pesos?",
    "KRW": r"(?:South )?Korean won",
    "PLN": r"(?:Polish )?zlot(?:y|ys|ych)",
    "TRY": r"Turkish lira",
}
_NAME = "|".join(f"(?P<{code.lower()}>{name})" for code, name in _NAMES.items())
_ANY = f"{_CODES}|dollars|{'|'.join(_NAMES.values())}"
_ASKED = re.compile(
    rf"""
      (?:(?P<before>\w+)\s+)?(?P<phrase>\(?\bin\ (?i:(?:thousands|millions|billions)\ of\ )?
      (?:(?P<code>{_CODES})\b|(?i:(?:{_NAME.replace(" ", "[ ]")})(?![\w-])))\)?)
      (?!\ (?i:area|zone|region|countr\w+|bonds?|notes?|swaps?|loans?|denominated)\b)
      (?!,?\ (?:and|or)\ (?i:in\ )?(?i:{_ANY.replace(" ", "[ ]")})(?!\w))
    """,
    re.VERBOSE,
)
# After these the phrase tells what money something is in, not what the answer is wanted in.
_HELD = re.compile(
    r"is|are|be|denominated|invoiced|issued|held|hedged|priced|traded?|trades|reports?|reporting|presents?|prepares?|"
    r"accounts|statements|bonds|notes",
    re.IGNORECASE,
)
_WEIGHED = re.compile(
    r"\b(?:weigh\w*|produc(?:e|ed|es|tion)|output|mined|shipped|harvest\w*|tons?|tonn?es?|ore|"
    r"in pounds (?:per|of [a-z]\w*))\b"
)


def asked_currency(question: str) -> str | None:
    """The ISO code of the currency that the question names for its answer; None for none, or for two together."""
    return next((_code(found) for found in _named(question)), None)


def without_currency(text: str) -> str:
    """The text without the phrase that names the currency."""
    for found in reversed(list(_named(text))):
        text = f"{text[: found.start('phrase')]} {text[found.end('phrase') :]}"
    return text


def _named(text: str) -> Iterator[re.Match[str]]:
    for found in _ASKED.finditer(text):
        is_weight = found["gbp"] is not None and found["gbp"].lower() == "pounds" and _WEIGHED.search(text)
        is_held = _HELD.fullmatch(found["before"] or "") is not None
        if not is_held and not is_weight:
            yield found


def _code(found: re.Match[str]) -> str:
    if code := found["code"]:
        return _ALSO_CALLED.get(code, code)
    return next(code for code in _NAMES if found[code.lower()])
