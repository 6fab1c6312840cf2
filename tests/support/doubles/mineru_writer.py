"""MinerU's output written from page records: a double, as MinerU itself needs gigabytes of weights.

Its forms are MinerU's: a flat list of entries with boxes of 0..1000, tables as HTML whose cells are all <td>, and a
middle file with sizes, blocks, lines and spans. What it says was read by our own reader, so it shows that nothing is
lost on the way from MinerU's forms to page records; it does not show how well MinerU reads.
"""

import io
import json
import zipfile
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from storage.records.pages import Block, Page, Table
from storage.records.record import Box

_HEADERS_FOOTERS = "header"


def content_list(pages: Sequence[Page], joined: bool = False) -> str:
    """`*_content_list.json`; with `joined` a table that goes on overleaf is put whole on its first page."""
    entries = [_entry(block, page) for page in pages for block in page.blocks]
    return json.dumps(_joined(entries, pages) if joined else entries, ensure_ascii=False)


def middle(pages: Sequence[Page]) -> str:
    """`*_middle.json` of the pipeline backend."""
    return json.dumps(
        {
            "pdf_info": [
                {
                    "page_idx": page.page_number - 1,
                    "page_size": [int(page.width), int(page.height)],
                    "preproc_blocks": [_block(b) for b in page.blocks if b.kind != "furniture"],
                    "para_blocks": [],
                    "discarded_blocks": [_block(b) for b in page.blocks if b.kind == "furniture"],
                }
                for page in pages
            ],
            "_backend": "pipeline",
            "_version_name": "3.0.0",
        },
        ensure_ascii=False,
    )


def archive(name: str, content: str | None, middle_file: str | None = None) -> bytes:
    """The .zip that a server sends."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr(f"{name}/{name}.md", "# text")
        if content is not None:
            made.writestr(f"{name}/{name}_content_list.json", content)
        if middle_file is not None:
            made.writestr(f"{name}/{name}_middle.json", middle_file)
    return buffer.getvalue()


def html(table: Table) -> str:
    """As MinerU's table models write it: spans, no headers marked, empty cells written out."""
    covered = {
        (cell.row + down, cell.column + across): cell
        for cell in table.cells
        for down in range(cell.row_span)
        for across in range(cell.column_span)
    }
    rows = ["".join(_cells(table, covered, row)) for row in range(table.row_count)]
    return "<html><body><table>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table></body></html>"


def _cells(table: Table, covered: dict[tuple[int, int], Any], row: int) -> Iterator[str]:
    for column in range(table.column_count):
        cell = covered.get((row, column))
        if cell is None:
            yield "<td></td>"
        elif (cell.row, cell.column) == (row, column):
            spans = f' rowspan="{cell.row_span}"' * (cell.row_span > 1)
            spans += f' colspan="{cell.column_span}"' * (cell.column_span > 1)
            yield f"<td{spans}>{escape(cell.text)}</td>"


def _entry(block: Block, page: Page) -> dict[str, Any]:
    place = {"bbox": _thousandths(block.box, page), "page_idx": page.page_number - 1}
    if block.table is not None:
        return {
            "type": "table",
            "img_path": "images/1.jpg",
            "table_caption": [],
            "table_footnote": [],
            "table_body": html(block.table),
            **place,
        }
    if block.kind == "picture":
        return {"type": "image", "img_path": "images/1.jpg", "image_caption": [], "image_footnote": [], **place}
    if block.kind == "list_item":
        return {"type": "list", "sub_type": "text", "list_items": [block.text], **place}
    if block.kind == "furniture":
        return {"type": _HEADERS_FOOTERS, "text": block.text, **place}
    level = {"text_level": block.level} if block.kind == "heading" else {}
    return {"type": "text", "text": block.text, **level, **place}


def _joined(entries: list[dict[str, Any]], pages: Sequence[Page]) -> list[dict[str, Any]]:
    """Backwards, as MinerU does it: rows to the page before, the place left empty."""
    continued = {
        page.page_number - 1 for page in pages for block in page.blocks if block.table and block.continues
    }
    for index in reversed(range(len(entries))):
        lower = entries[index]
        if lower["type"] != "table" or lower["page_idx"] not in continued:
            continue
        upper = next(e for e in reversed(entries[:index]) if e["type"] == "table")
        if upper["page_idx"] != lower["page_idx"] - 1:
            continue
        rows = lower.pop("table_body").split("<table>")[1]
        upper["table_body"] = upper["table_body"].replace("</table></body></html>", rows)
        lower["img_path"] = ""
    return entries


def _block(block: Block) -> dict[str, Any]:
    if block.table is not None:
        span = {"type": "table", "bbox": _corners(block.box), "html": html(block.table), "image_path": "1.jpg"}
        body = {
            "type": "table_body",
            "bbox": _corners(block.box),
            "lines": [{"bbox": _corners(block.box), "spans": [span]}],
        }
        return {"type": "table", "bbox": _corners(block.box), "blocks": [body]}
    if block.kind == "picture":
        return {
            "type": "image",
            "bbox": _corners(block.box),
            "blocks": [{"type": "image_body", "bbox": _corners(block.box), "lines": []}],
        }
    kind = {"heading": "title", "furniture": _HEADERS_FOOTERS, "list_item": "list"}.get(block.kind, "text")
    lines = [
        {
            "bbox": _corners(line.box),
            "spans": [{"type": "text", "bbox": _corners(line.box), "content": line.text, "score": 1.0}],
        }
        for line in block.lines
    ]
    return {"type": kind, "bbox": _corners(block.box), "lines": lines}


def _thousandths(box: Box, page: Page) -> list[int]:
    corners = _corners(box)
    return [int(corner * 1000 / side) for corner, side in zip(corners, (page.width, page.height) * 2, strict=True)]


def _corners(box: Box) -> list[float]:
    return [box.left, box.top, box.right, box.bottom]
