"""The blocks of a page in MinerU's output; figures that MinerU read as formulas become text again."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from indexes.mineru.html_tables import HtmlCell, rows_of_html
from indexes.mineru.transport import Corners, Entry, MiddleBlock, MiddlePage
from indexes.text_quality import cleaned, joined_lines
from storage.lexicon.words import expression
from storage.records.pages import BlockKind, Line
from storage.records.record import Box

_HEADERS_FOOTERS = {"header", "footer", "page_number", "aside_text", "discarded", "page_header", "page_footer"}
_HEADINGS = {"title", "doc_title", "paragraph_title"}
_PARTS = expression(r"^(?:table|image|chart|code)_(?P<part>caption|footnote|body)$")
_HOLDERS = {"table", "image", "chart", "code"}
_LARGEST = 1000  # MinerU scales a page's width and height to this number
_EARLY_SHARE = 0.15  # of a block's width: a line that ends so far before the right edge ends a paragraph
_BEYOND = 10  # of the page: the models' boxes may lie a little over its edge


@dataclass(frozen=True)
class Item:
    """One block.

    Attributes:
        box: its place in points; None where MinerU gives none.
        lines: its printed lines, where MinerU gives them.
        rows: of a table, as in the HTML.
        is_shell: the block is empty, because MinerU joined its content to an earlier block.
    """

    kind: BlockKind
    text: str = ""
    box: Box | None = None
    lines: tuple[Line, ...] = ()
    rows: tuple[tuple[HtmlCell, ...], ...] = ()
    is_shell: bool = False


def items_of_entries(entries: Sequence[Entry], width: float, height: float) -> Iterator[Item]:
    """The items of one page from its entries in a content list.

    Args:
        entries: of the page, in order.
        width: points, as displayed.
        height: points, as displayed.

    Raises:
        ValueError: a box is outside MinerU's scale.
    """
    for entry in entries:
        box = _scaled(entry.bbox, width, height) if entry.bbox else None
        yield from _items_of_entry(entry, box)


def items_of_middle(page: MiddlePage, width: float, height: float) -> Iterator[Item]:
    """The items of one page from the middle file, before MinerU joined blocks across pages."""
    across, down = width / (page.page_size[0] or width), height / (page.page_size[1] or height)
    for block in (*(page.preproc_blocks or page.para_blocks), *page.discarded_blocks):
        yield from _items_of_block(block, across, down)


def _items_of_entry(entry: Entry, box: Box | None) -> Iterator[Item]:
    above = [*(entry.table_caption or ()), *(entry.code_caption or ())]
    below = [
        *(entry.image_caption or ()),
        *(entry.chart_caption or ()),
        *(entry.table_footnote or ()),
        *(entry.image_footnote or ()),
        *(entry.chart_footnote or ()),
    ]
    yield from (Item("caption", text) for raw in above if (text := _text(raw)))
    if entry.type == "table":
        yield _table(entry.table_body or "", box, is_shell=not entry.table_body and not entry.img_path)
    elif entry.type in ("image", "chart"):
        yield Item("picture", box=box)
    elif entry.list_items is not None:
        yield from (Item("list_item", text, box) for raw in entry.list_items if (text := _text(raw)))
    else:
        text = _text(entry.text or entry.code_body or "")
        kind = "heading" if entry.text_level else _kind(entry.type)
        yield Item(kind, text, box, is_shell=not text and kind == "paragraph")
    yield from (Item("paragraph", text) for raw in below if (text := _text(raw)))


def _items_of_block(block: MiddleBlock, across: float, down: float, kind: str = "") -> Iterator[Item]:
    box = _box(block.bbox, across, down) if block.bbox else None
    if block.blocks:
        for inner in block.blocks:
            yield from _items_of_block(inner, across, down, block.type if block.type in _HOLDERS else "list")
        return
    part = _PARTS.match(block.type)
    html = next((s.html for line in block.lines for s in line.spans if s.html), "")
    if html or block.type in ("table_body", "table"):
        yield _table(html, box, is_shell=block.lines_deleted)
        return
    if block.type in ("image_body", "chart_body", "image", "chart"):
        yield Item("picture", box=box)
        return
    lines = tuple(_lines(block, across, down))
    found: BlockKind = "caption" if part and part["part"] == "caption" else _kind(block.type)
    if kind == "list" and found == "paragraph":
        found = "list_item"
    is_shell = block.lines_deleted and not lines
    yield Item(found, _running_text(lines, box), box, lines, is_shell=is_shell)


def _table(html: str, box: Box | None, *, is_shell: bool) -> Item:
    rows = tuple(tuple(replace(c, text=without_formulas(c.text)) for c in row) for row in rows_of_html(html))
    return Item("table", box=box, rows=rows, is_shell=is_shell and not rows)


def _lines(block: MiddleBlock, across: float, down: float) -> Iterator[Line]:
    for line in block.lines:
        text = cleaned(
            without_formulas(" ".join(_item_text(span.type, span.content) for span in line.spans if span.content))
        )
        if text:
            yield Line(text=text, box=_box(line.bbox, across, down))


def _item_text(kind: str, content: str | None) -> str:
    text = content or ""
    return f"${text}$" if kind.endswith("equation") and "$" not in text else text


def _kind(word: str) -> BlockKind:
    if word in _HEADINGS:
        return "heading"
    if word in _HEADERS_FOOTERS:
        return "furniture"
    return "list_item" if word == "list" else "paragraph"


def _running_text(lines: Sequence[Line], box: Box | None) -> str:
    """The lines as a paragraph; the lines of a list or an address stay separate."""
    texts = [line.text for line in lines]
    if box is not None and len(lines) > 1:
        early = sum(line.box.right < box.right - _EARLY_SHARE * box.width for line in lines[:-1])
        if early >= (len(lines) - 1) / 2:
            return "\n".join(texts)
    return joined_lines(texts)


def _text(raw: str) -> str:
    lines = (cleaned(line) for line in without_formulas(raw).splitlines())
    return "\n".join(line for line in lines if line)


def _scaled(corners: Corners, width: float, height: float) -> Box:
    if max(corners) > _LARGEST + _BEYOND:
        raise ValueError(
            f"a bbox is {list(corners)}; expected MinerU's scale of 0 to {_LARGEST}, so it was written by another "
            "version; give its *_middle.json beside it"
        )
    return _box(corners, width / _LARGEST, height / _LARGEST)


def _box(corners: Corners, across: float, down: float) -> Box:
    left, top, right, bottom = corners
    return Box(left=left * across, top=top * down, right=right * across, bottom=bottom * down)


_INLINE = expression(r"(?<![\\$])\$(?P<inner>[^$]{1,120})\$")
_LATEX = expression(r"\\[a-zA-Z%$&#]|[\^_{}]")
_WORDS = expression(r"\\(?:mathrm|text|mathbf|mathit|textbf|textit|rm|bf|operatorname)\s*\{(?P<words>[^{}]*)\}")
_RAISED = expression(r"(?<!\s)\s*+\^\s*+(?:\{(?P<group>[^{}]*)\}|(?P<one>\S))")
_ESCAPED = expression(r"\\(?P<sign>[%$&#_*{}\[\]()<>~])")
_SIGNS = {"\\times": "×", "\\pm": "±", "\\pounds": "£", "\\euro": "€", "\\yen": "¥", "\\circ": "°", "\\cdot": "·"}
_GAP_IN_FIGURE = expression(r"(?<=[\d.,(£€¥$])\s+(?=[\d.,%)])")
_STILL_LATEX = expression(r"\\[a-zA-Z]|[\^_{}]")


def without_formulas(text: str) -> str:
    """The text, with inline formulas that are only figures or words written as plain text."""
    if "$" in text:
        text = _INLINE.sub(lambda match: _plain(match), text)
    return _ESCAPED.sub(lambda match: match["sign"], text) if "\\" in text else text


def _plain(match: re.Match[str]) -> str:
    inner = match["inner"]
    if not _LATEX.search(inner):
        return match[0]  # two amounts in dollars with words between them
    bare = _WORDS.sub(lambda m: _tight(m["words"]), inner.replace("{,}", ",").replace("~", " "))
    for command, sign in _SIGNS.items():
        bare = re.sub(rf"{re.escape(command)}(?![a-zA-Z])", sign, bare)
    bare = _RAISED.sub(lambda m: (m["group"] or m["one"] or "").strip(), bare)
    bare = _ESCAPED.sub(lambda m: m["sign"] if m["sign"] not in "{}" else "", bare)
    if _STILL_LATEX.search(bare):
        return match[0]
    return _GAP_IN_FIGURE.sub("", " ".join(bare.split()))


def _tight(words: str) -> str:
    """Spaced letters, as in "m i l l i o n", joined to a word."""
    letters = words.split()
    return words.replace(" ", "") if len(letters) > 1 and all(len(letter) == 1 for letter in letters) else words
