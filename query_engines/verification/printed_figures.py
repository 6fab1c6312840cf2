"""Finds where a figure is printed on a page, what its table says about it, and which sign its number must have."""

import re
from collections.abc import Iterator
from decimal import Decimal

from storage.amounts import DecimalMark, parse_figure
from storage.lexicon.money import PER_SHARE, PERCENT
from storage.lexicon.words import expression
from storage.records.pages import Cell, Column, Page, Table
from storage.text import plain

_UNSCALED = expression(
    rf"{PER_SHARE}|{PERCENT}|\bratios?\b|\bmargins?\b|earnings per|number of|shares outstanding|anti-?dilutive",
    re.IGNORECASE,
)
_EXCEPTED = expression(r"\b(?:except|other than)\b[^)\n]{0,200}", re.IGNORECASE)
_FIGURE = expression(r"[(\[]?[-−–△▲]?\s?[$€£¥]?\s?\d[\d,.'’]*(?:\s?[)\]])?")
_SPACED = expression(r"(?<![\d.,])\d{1,3}(?: \d{3})+(?:,\d+)?(?![\d.,])")


def stands_on(figure: Decimal, page: Page) -> bool:
    """Whether the page prints this figure, in a table or in its text, brackets or minus included.

    A bracket that belongs to the words around it ("($0.34 per share)") is not a minus.
    """
    if any(True for _ in cells_with(figure, page)):
        return True
    return figure in figures_in(" ".join(block.text for block in page.blocks), page.decimal_mark)


def figure_on(text: str, page: Page) -> Decimal | None:
    """The value of a figure on this page, read in the number format of its table, else of the page's text."""
    printed = plain(text).strip()
    marks = (t.decimal_mark for t in page.tables for c in t.cells if c.text and plain(c.text) == printed)
    return parse_figure(text, next(marks, page.decimal_mark))


def figures_in(text: str, mark: DecimalMark = ".") -> set[Decimal]:
    """Every figure in a text. A dash with spaces around it may be a minus or an empty cell; both are read.

    With a decimal comma, groups of digits separated by spaces are also read as one figure.
    """
    bare = plain(text).replace("|", " ")
    found = [_balanced(figure.rstrip(".,'’")) for figure in _FIGURE.findall(bare)]
    found += _SPACED.findall(bare) if mark == "," else []
    apart = [figure.lstrip("-−–").lstrip() for figure in found if figure[1:2].isspace()]
    tried = (parse_figure(form, mark) for form in (*found, *apart))
    return {figure for figure in tried if figure is not None}


def has_money_sign(figure: str, quote: str) -> bool:
    """Whether a currency's sign stands in a figure, or right before it in a passage."""
    before, _, _ = plain(quote).partition(plain(figure))
    return any(sign in f"{before[-3:]}{figure}" for sign in "$€£¥")


def cells_with(figure: Decimal, page: Page) -> Iterator[tuple[Table, Cell]]:
    """The table cells that print the figure, top to bottom."""
    for table in page.tables:
        for cell in table.cells:
            if cell.role == "value" and parse_figure(cell.text, table.decimal_mark) == figure:
                yield table, cell


def column_of(table: Table, cell: Cell) -> Column:
    """The table's information about the cell's column."""
    return table.columns[cell.column] if cell.column < len(table.columns) else Column()


def row_label(table: Table, row: int) -> str:
    """The label at the left of a row."""
    return " ".join(c.text for c in table.cells if c.row == row and c.role in ("row_label", "section"))


def _balanced(figure: str) -> str:
    return figure if figure[:1] not in "([" or figure[-1:] in ")]" else figure[1:]


def is_unscaled(label: str) -> bool:
    """Whether a row's figures are per share, percentages or counts, to which a table's scale does not apply.

    What a column's unit is not for ("in thousands, except per share data") says nothing of the row.
    """
    return _UNSCALED.search(_EXCEPTED.sub(" ", label)) is not None


# Which sign a number must have, from the question and the words before the figure. Outflows are printed in brackets,
# and questions mean them without a sign. A loss is printed with or without brackets, and is negative in both cases.
_SIZE = expression(
    r"capex|capital expenditure|spen[dt]\b|spending|purchase|acqui|repurchas|buy-?back|dividend|depreciation|"
    r"\badditions? to (?:\w+[ ,]+){0,3}?(?:propert|plant|equipment|intangible|fixed|tangible|software)|"
    r"amorti[sz]ation|(?<!net )\bdebt|(?<!net )\bborrowing|number of|employees|headcount",
    re.IGNORECASE,
)
_COST = expression(
    r"\bpa(?:y|ys|ying|id)\b|payment|\bputs? into\b|\binvest(?:s|ed)? in\b|repay|\bcosts?\b|expens|\btax|\bdebt|"
    r"borrowing|impairment|provision|write-?(?:off|down)|charge|"
    r"\bfees?\b|liabilit|payable",
    re.IGNORECASE,
)
# "Income tax benefit (expense)": a figure without brackets reduces the cost.
_BENEFIT = expression(r"\btax.*\b(?:benefit|credit|recovery)\b|\b(?:benefit|credit)\b.*\btax", re.IGNORECASE)
_RESULT = expression(
    r"income(?! tax)|profit|earnings|\beps\b|ebit|\bresult|\btotal return|\breturn (?:on|per)\b|cash ?flow|equity|"
    r"surplus|net assets|margin|\bgain",
    re.IGNORECASE,
)
_LOSS = expression(
    r"\bloss(?:es)?\b|\bdeficit\b|\bdeficiency\b|\bused (?:in|for|by)\b|\boutflows?\b", re.IGNORECASE
)
_GAIN = expression(
    r"\bincome\b(?! tax)|\bprofit|\bearnings\b|\bgains?\b|\bsurplus\b|\bprovided\b|\bgenerated\b|\binflows?\b",
    re.IGNORECASE,
)
# "Net income (loss)", "(Loss)/profit", "profit or loss": the figure's brackets decide.
_EITHER = expression(
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


def number_meant(worth: Decimal, question: str, label: str, context: tuple[Table, Cell] | None) -> Decimal:
    """The number that a figure most likely means: what is spent is a size, a loss is below zero; see `values_meant`."""
    meant = values_meant(worth, question, label, context)
    if len(meant) == 1:
        return next(iter(meant))
    is_of_result = _RESULT.search(question) or _LOSS.search(question)
    if not is_of_result:
        return worth if _BENEFIT.search(label) else abs(worth)
    loss, certain = _is_loss(label, context)
    return -abs(worth) if loss and certain else worth


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
