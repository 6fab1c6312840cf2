"""Decides which sign a number must have, from the question and the words before the printed figure.

Outflows are printed in brackets, and questions mean them without a sign. A loss is printed with or without brackets,
and is negative income in both cases.
"""

import re
from decimal import Decimal

from query_engines.verification.printed_figures import row_label
from storage.amounts import parse_figure
from storage.records.pages import Cell, Table

_SIZE = re.compile(
    r"capex|capital expenditure|spen[dt]\b|spending|purchase|acqui|repurchas|buy-?back|dividend|depreciation|"
    r"amorti[sz]ation|(?<!net )\bdebt|(?<!net )\bborrowing|number of|employees|headcount",
    re.IGNORECASE,
)
_COST = re.compile(
    r"\bpaid|payment|repay|\bcosts?\b|expens|\btax|\bdebt|borrowing|impairment|provision|write-?(?:off|down)|charge|"
    r"\bfees?\b|liabilit|payable",
    re.IGNORECASE,
)
# "Income tax benefit (expense)": a figure without brackets reduces the cost.
_BENEFIT = re.compile(r"\btax.*\b(?:benefit|credit|recovery)\b|\b(?:benefit|credit)\b.*\btax", re.IGNORECASE)
_RESULT = re.compile(
    r"income(?! tax)|profit|earnings|\beps\b|ebit|\bresult|\btotal return|\breturn (?:on|per)\b|cash ?flow|equity|"
    r"surplus|net assets|margin|\bgain",
    re.IGNORECASE,
)
_LOSS = re.compile(
    r"\bloss(?:es)?\b|\bdeficit\b|\bdeficiency\b|\bused (?:in|for|by)\b|\boutflows?\b", re.IGNORECASE
)
_GAIN = re.compile(
    r"\bincome\b(?! tax)|\bprofit|\bearnings\b|\bgains?\b|\bsurplus\b|\bprovided\b|\bgenerated\b|\binflows?\b",
    re.IGNORECASE,
)
# "Net income (loss)", "(Loss)/profit", "profit or loss": the figure's brackets decide.
_EITHER = re.compile(
    r"[(/]\s*(?:net )?(?:loss|used|deficit|deficiency|outflow)|(?:loss(?:es)?|used in|deficit|outflows?)\s*[)/]|"
    r"\bor (?:net )?loss",
    re.IGNORECASE,
)


def values_meant(worth: Decimal, question: str, label: str, context: tuple[Table, Cell] | None) -> set[Decimal]:
    """The numbers that a figure may mean.

    Args:
        worth: the figure in full units, with its printed sign.
        question: without the company's name, which may contain any word.
        label: the words before the figure.
        context: the table cell that prints it, if any.
    """
    size = abs(worth)
    is_result = _RESULT.search(question) is not None
    if not is_result and _SIZE.search(question):
        return {size}
    if not is_result and _COST.search(question):
        return {worth, size, -worth} if _BENEFIT.search(label) else {worth, size}
    loss, certain = _is_loss(label, context)
    if not loss:
        return {worth}
    if _LOSS.search(question):
        return {worth, size, -size}
    if not is_result:
        return {worth, size}
    if worth < 0 or (context and _has_negatives(*context)):
        return {worth}
    return {-size} if certain else {worth, -size}


def _is_loss(label: str, context: tuple[Table, Cell] | None) -> tuple[bool, bool]:
    """Whether the words mean a loss, and whether they are the figure's own label and not its section's."""
    if _says_loss(label):
        return True, True
    if context is None or _GAIN.search(label) or _EITHER.search(label):
        return False, True
    return _says_loss(_section_above(*context)), False


def _says_loss(words: str) -> bool:
    """Whether the last word for gains or losses is one for a loss."""
    if _EITHER.search(words):
        return False
    losses, gains = ([m.start() for m in pattern.finditer(words)] for pattern in (_LOSS, _GAIN))
    return bool(losses) and losses[-1] > max(gains, default=-1)


def _section_above(table: Table, cell: Cell) -> str:
    """The label of the nearest row above that has no figures."""
    with_values = {c.row for c in table.cells if c.role == "value" and c.text.strip()}
    above = (row_label(table, row) for row in range(cell.row - 1, -1, -1) if row not in with_values)
    return next((label for label in above if label), "")


def _has_negatives(table: Table, cell: Cell) -> bool:
    """Whether the row marks losses by brackets."""
    figures = (
        parse_figure(c.text, table.decimal_mark) for c in table.cells if c.row == cell.row and c.role == "value"
    )
    return any(f is not None and f < 0 for f in figures)
