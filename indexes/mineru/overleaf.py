"""Blocks that MinerU joined over the end of a page, put apart again: what is printed on a page is said of that page.

It leaves the place of the lower part empty. Where the parts are cut is told by the words printed there; where a page
has no text layer nothing tells it, and no page is guessed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from indexes.cleaning import joined_lines
from indexes.html_tables import HtmlCell
from indexes.mineru.items import Item
from indexes.printed_page import PrintedPage, lines_of
from storage.geometry import Box
from storage.text import fingerprint

_UNSURE_SHARE = 0.1  # of a table's rows, not found among the printed words of either page
_TEXTS = ("paragraph", "list_item")
_Place = tuple[int, int]


class Joined(Exception):
    """Two pages' parts that cannot be told apart; told as a document's error by who knows the document."""

    def __init__(self, kind: str, page: int) -> None:
        super().__init__(kind, page)
        self.kind, self.page = kind, page


def put_apart(pages: Mapping[int, Sequence[Item]], printed: Mapping[int, PrintedPage]) -> dict[int, list[Item]]:
    """The items by page number, each saying only what stands on its own page.

    Raises:
        Joined: nothing tells the parts apart.
    """
    found = {number: list(items) for number, items in pages.items()}
    order = [(number, place) for number in sorted(found) for place in range(len(found[number]))]
    for index in reversed(range(len(order))):
        number, place = order[index]
        shell = found[number][place]
        if not shell.is_shell:
            continue
        upper = _upper(found, order[:index], shell)
        if upper is None or (shell.kind != "table" and upper[0] == number):
            continue  # joined on its own page, so that every word is said of the right one
        whole = found[upper[0]][upper[1]]
        if shell.kind == "table":
            between = [p for p in order[:index] if p > upper and found[p[0]][p[1]].kind == "table"]
            regions = [_region(printed[n], found[n][p].box) for n, p in (upper, *between)]
            above, below = _cut_table(whole, shell, regions, printed[number])
        else:
            above, below = _cut_text(whole, shell, printed[upper[0]], printed[number])
        found[upper[0]][upper[1]], found[number][place] = above, below
    return {number: [item for item in items if not item.is_shell] for number, items in found.items()}


def _upper(found: Mapping[int, Sequence[Item]], before: Sequence[_Place], shell: Item) -> _Place | None:
    """The block that the shell was joined to: the nearest one of its kind before it that is none itself."""
    kinds = ("table",) if shell.kind == "table" else _TEXTS
    for number, place in reversed(before):
        item = found[number][place]
        if item.kind in kinds and not item.is_shell:
            return number, place
    return None


def _cut_text(upper: Item, shell: Item, above: PrintedPage, below: PrintedPage) -> tuple[Item, Item]:
    words = below.inside(shell.box) if shell.box else []
    lower = joined_lines([line.text for line in lines_of(words)])
    end, whole = fingerprint(lower), fingerprint(upper.text)
    if not end or not whole.endswith(end):
        raise Joined("paragraph", above.number)
    kept = upper.text.split()
    while kept and len(fingerprint(" ".join(kept))) > len(whole) - len(end):
        kept.pop()
    return replace(upper, text=" ".join(kept), lines=()), replace(shell, text=lower, is_shell=False)


def _cut_table(upper: Item, shell: Item, above: Sequence[PrintedPage], below: PrintedPage) -> tuple[Item, Item]:
    """Cut off the last part; `above` are the parts of the page it begins on and of those between."""
    here = _region(below, shell.box)
    if not here.words or not all(part.words for part in above):
        raise Joined("table", above[0].number)
    on_upper = [any(_says(part, row) for part in above) for row in upper.rows]
    on_lower = [_says(here, row) for row in upper.rows]
    size = len(upper.rows)
    sure = [sum(on_upper[:cut]) + sum(on_lower[cut:]) for cut in range(size + 1)]
    cut = max(range(size + 1), key=lambda place: sure[place])
    if sure[cut] < (1 - _UNSURE_SHARE) * size:
        raise Joined("table", above[0].number)
    return replace(upper, rows=upper.rows[:cut]), replace(shell, rows=upper.rows[cut:], is_shell=False)


def _says(region: PrintedPage, row: Sequence[HtmlCell]) -> bool:
    return all(region.says(cell.text) for cell in row)


def _region(page: PrintedPage, box: Box | None) -> PrintedPage:
    return replace(page, words=tuple(page.inside(box)) if box else ())
