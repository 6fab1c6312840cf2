"""Figures as printed and what they are worth."""

import re
from decimal import Decimal

_FIGURE = re.compile(
    r"""^(?P<open>[(\[])?\s*
        (?P<sign>[-−–‒])?\s*
        (?P<digits>\d{1,3}(?:[,'’\u00a0\u202f ]\d{3})+|\d+)
        (?P<decimals>\.\d+)?\s*
        (?P<close>[)\]])?$""",
    re.VERBOSE,
)
_DRESSING = re.compile(r"(?i)US\$|A\$|C\$|NZ\$|[$€£¥%*†‡]|\b(?:USD|EUR|GBP|JPY|CHF|AUD|CAD|RMB|Rs\.?)\b|(?<=\d)p$")


def parse_figure(text: str) -> Decimal | None:
    """The signed number that a printed figure says, without its scale; None when it is not one figure.

    Brackets and a leading minus are negative. Currency and percent signs around it are ignored. A lone dash is
    not a figure: whether it means zero or "none" depends on its table.
    """
    bare = _DRESSING.sub("", text).strip()
    match = _FIGURE.match(bare)
    if match is None or bool(match["open"]) != bool(match["close"]):
        return None
    digits = re.sub(r"\D", "", match["digits"])
    number = Decimal(digits + (match["decimals"] or ""))
    return -number if match["open"] or match["sign"] else number
