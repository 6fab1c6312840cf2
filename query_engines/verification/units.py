"""Finds the scale of a figure from the words around it."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from indexes.enrichment.units import printed_scale, unit_of_line
from prompts.drafts import Evidence
from query_engines.verification.printed_figures import cells_with, column_of, row_label
from storage.lexicon.money import (
    MINOR_SIGN,
    MINOR_UNIT,
    PER_SHARE,
    PERCENT,
    SCALE_BEHIND_FIGURE,
    SCALE_WORD,
    scale_of,
)
from storage.lexicon.words import expression
from storage.records.answers import Dimension
from storage.records.pages import Cell, Page, Table
from storage.text import fingerprint, plain

_AFTER = expression(rf"(?i)^[\s)\]-]{{0,2}}({SCALE_BEHIND_FIGURE})\b")
_UNSCALED = frozenset[Dimension]({"per share", "percent", "ratio", "count"})
_LOOSE = expression(rf"(?i){PER_SHARE}|{PERCENT}|\bratio|\bmargin|number of|\bshares\b")
_IN = expression(rf"(?i)\bin (?:\S+ ){{0,3}}({SCALE_WORD})s\b")
_MINOR = rf"(?:{MINOR_UNIT}|p|{MINOR_SIGN})"
_MINOR_AFTER = expression(rf"^\)?\s?{_MINOR}(?![a-z])", re.IGNORECASE)
_MINOR_LABEL = expression(
    rf"\(\s*(?:in )?{_MINOR}\s*\)|\b(?:in )?(?:cents|pence)\b|¢|^p$|\bp per\b", re.IGNORECASE
)
_MINOR_PAGE = expression(rf"\b(?:{MINOR_UNIT}|p\.)\b|{MINOR_SIGN}|\dp\b", re.IGNORECASE)


@dataclass(frozen=True)
class Wanted:
    """What a figure is for: the words of the question or the operand, and their dimension.

    Attributes:
        usual_scale: of the report's statements, which holds where a table prints no unit.
    """

    text: str
    dimension: Dimension
    usual_scale: int | None = None


def without_scale_word(printed: str) -> tuple[str, int | None]:
    """A printed figure such as "$298.2 million" as the figure alone and its scale; None without a scale."""
    digits = [i for i, sign in enumerate(printed) if sign.isdigit()]
    end = digits[-1] + 1 if digits else len(printed)
    match = _AFTER.match(printed[end:])
    if match is None:
        return printed, None
    bracket = ")" if printed.lstrip().startswith("(") else ""
    return printed[:end] + bracket, scale_of(match[1])


def possible_scales(
    printed: Decimal, evidence: Evidence, wanted: Wanted, page: Page, pages: Mapping[int, Page]
) -> set[int]:
    """All scales that the figure may have; 1 where no word of the pages gives another.

    Args:
        printed: the printed figure.
        evidence: of the draft for it.
        wanted: a table's unit does not apply to rates and counts.
        page: the page of the evidence.
        pages: all pages that were read, since a statement's unit may be on the page before.
    """
    word = without_scale_word(evidence.printed_figure or "")[1] or _scale_after(evidence)
    if word:
        return {word}
    places = places_of(printed, evidence.quote, page)
    labels = [row_label(table, cell.row) for table, cell in places] or [before_figure(evidence)]
    own = {unit.scale for label in labels if (unit := unit_of_line(label)) and unit.scale}
    if own:
        return own
    if wanted.dimension in _UNSCALED:
        return {1}
    of_tables = {scale for table, cell in places if (scale := _scale_in(table, cell)) is not None}
    if of_tables:
        return of_tables | ({1} if any(map(_LOOSE.search, [wanted.text, *labels])) else set())
    is_prose = not places and re.search(r"[^\W\d_]{2}", evidence.quote) is not None
    of_page = _page_scales([page])
    if of_page and not is_prose:
        return of_page
    known = of_page or _page_scales(pages.values())
    goes_on = any(block.continues and block.table is table for table, _ in places for block in page.blocks)
    usual = {wanted.usual_scale} if wanted.usual_scale and places and not known else set[int]()
    return {1} | usual | (known or ({evidence.scale or 1} if goes_on else set()))  # its header was not read


def is_in_minor_unit(printed: Decimal, evidence: Evidence, wanted: Wanted, page: Page) -> bool:
    """Whether the figure is printed in cents or pence.

    The page's words count only for a figure per share whose evidence has no scale, as the form requires.
    """
    after = _after_figure(evidence)
    heads = [
        f"{row_label(t, c.row)} {column_of(t, c).header}" for t, c in places_of(printed, evidence.quote, page)
    ]
    if any(map(_MINOR_LABEL.search, heads or [before_figure(evidence)])) or _MINOR_AFTER.match(after):
        return True
    is_rate = wanted.dimension in _UNSCALED - {"count"}
    return evidence.scale is None and is_rate and _MINOR_PAGE.search(page.markdown) is not None


def places_of(printed: Decimal, quote: str, page: Page) -> list[tuple[Table, Cell]]:
    """The cells with the figure: those in rows that the quote names, else all."""
    places, words = list(cells_with(printed, page)), fingerprint(quote)
    named = [(t, c) for t, c in places if (label := fingerprint(row_label(t, c.row))) and label in words]
    return named or places


def before_figure(evidence: Evidence) -> str:
    """The quote's words before the figure; the whole quote where the figure is not found in it."""
    return plain(evidence.quote).partition(plain(evidence.printed_figure or "") or "\n")[0]


def _after_figure(evidence: Evidence) -> str:
    return plain(evidence.quote).partition(plain(evidence.printed_figure or "") or "\n")[2]


def _scale_after(evidence: Evidence) -> int | None:
    match = _AFTER.match(_after_figure(evidence))
    return scale_of(match[1]) if match else None


def _scale_in(table: Table, cell: Cell) -> int | None:
    own = column_of(table, cell).scale
    if own is not None:
        return own
    scale = printed_scale(table.unit)
    return scale if scale != 1 else None  # a single currency sign may apply to one column of the table only


def _page_scales(pages: Iterable[Page]) -> set[int]:
    found: set[int] = set()
    for page in pages:
        found |= {column.scale for table in page.tables for column in table.columns if column.scale}
        for line in (line for block in page.blocks for line in block.text.splitlines()):
            if (unit := unit_of_line(line)) and unit.scale:
                found.add(unit.scale)
            elif match := _IN.search(line):
                found.add(scale_of(match[1]) or 1)
    return found
