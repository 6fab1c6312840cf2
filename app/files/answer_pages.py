"""Answers as one HTML page, with pictures of the cited pages in it: it needs neither Pageproof nor a network."""

import base64
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from pathlib import Path

from PIL import Image
from pydantic import JsonValue

from app.files.answer_json import Row, answer_json, state_of, table_row
from app.files.questions import parse_json, read_text
from app.files.sheets import FileQuestion
from storage.amounts import grouped
from storage.errors import DocumentError, UsageError
from storage.records.answers import Answer
from storage.records.record import Box

PictureOf = Callable[[str, int, Sequence[Box]], bytes]
"""A page of a report, by its SHA-1 and number from 1, as PNG with the boxes marked."""
DrawPage = Callable[[str, int, Sequence[Box]], str]
"""The same as HTML."""
_WIDTH, _QUALITY = (
    1000,
    72,
)  # pixels and JPEG's own measure: small letters can be read, and a page takes about 120 kB
_DATA, _END = '<script type="application/json" id="answers">', "</script>"
_MARKS = {"passed": "✓", "failed": "✗", "not_applicable": "·"}
_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;color:#1d2630;background:#f4f6f8;margin:0}
main{max-width:1040px;margin:0 auto;padding:24px}
h1{font-size:20px;margin:0 0 4px}
.sum{color:#5a6672;margin:0 0 20px}
article{background:#fff;border:1px solid #dde3e8;border-left:6px solid #bbb;border-radius:6px;padding:16px 20px;
margin:0 0 16px;break-inside:avoid-page}
article.passed{border-left-color:#4c9a5b}article.failed{border-left-color:#d2603a}
article.unchecked{border-left-color:#d8b33c}article.error{border-left-color:#b03030}
h2{font-size:15px;font-weight:600;margin:0}
.value{font-size:24px;font-weight:650;margin:4px 0}
.value.long{font-size:17px}
.about,.checks,.note{color:#5a6672;margin:2px 0}
table{border-collapse:collapse;margin:8px 0}
td,th{padding:3px 14px 3px 0;text-align:left;border-bottom:1px solid #e8ecef}
td.n{text-align:right;font-variant-numeric:tabular-nums}
figure{margin:12px 0 0}figcaption{color:#5a6672;font-size:13px;margin:0 0 4px}
img{max-width:100%;border:1px solid #dde3e8}
@media print{body{background:#fff}main{padding:0}details:not([open])>*{display:none}}
"""


@dataclass(frozen=True)
class AnswerCard:
    """An answer with its checks and its marked pages, for a notebook, which shows it by itself.

    Attributes:
        line: the answer in one line.
        html: a whole page, with the pictures in it.
    """

    line: str
    html: str

    def __repr__(self) -> str:
        """The answer in one line, where there is no notebook."""
        return self.line

    def _repr_html_(self) -> str:
        """What a notebook shows: a frame of its own, so that neither changes how the other looks."""
        return (
            f'<iframe sandbox srcdoc="{escape(self.html)}" title="{escape(self.line)}" '
            'style="width:100%;height:640px;border:0"></iframe>'
        )


def as_card(answer: Answer, picture_of: PictureOf) -> AnswerCard:
    """An answer as a card."""
    card = _card(None, page_row(answer, None), partial(_drawn, picture_of))
    return AnswerCard(line=str(answer), html=f"{_head(answer.question)}{card}</main></body></html>")


def page_row(answer: Answer, error: str | None) -> Row:
    """Everything about an answer, and how it is shown."""
    row = table_row(answer, error)
    shown: Row = {"shown": answer.value_text, "state": state_of(row), "nearest_unit": row["nearest_unit"]}
    return answer_json(answer) | shown | ({"error": error} if error else {})


def as_page(answered: Sequence[tuple[FileQuestion, Row]], title: str, picture_of: PictureOf | None) -> bytes:
    """The page's content."""
    rows = [row for _, row in answered]
    found = sum(row.get("value") != "N/A" for row in rows)
    counted = "1 question" if len(rows) == 1 else f"{len(rows)} questions"
    data = json.dumps(rows, ensure_ascii=False).replace("</", "<\\/").replace("<!--", "<\\u0021--")
    cards = as_cards(rows, partial(_drawn, picture_of))
    return (
        f"{_head(title)}<h1>{escape(title)}</h1>\n"
        f'<p class="sum">{counted}, {found} answered from the reports. '
        "Green: every check passed. Yellow: none applies. Orange: one failed. Grey: not answered.</p>\n"
        f'{cards}\n</main><script type="application/json" id="answers">{data}</script></body></html>\n'
    ).encode()


def _head(title: str) -> str:
    """The beginning of a page that loads nothing, as far as its contents."""
    policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head><body><main>\n'
    )


def as_cards(rows: Sequence[Row], draw: DrawPage) -> str:
    """The answers alone, as HTML; everything in it that comes from reports, models and people is escaped."""
    return "\n".join(_card(number, row, draw) for number, row in enumerate(rows, 1))


def page_rows(path: Path) -> list[Row]:
    """The answers of such a page.

    Raises:
        UsageError: it is another page.
    """
    data = read_text(path).partition(_DATA)[2].partition(_END)[0]
    rows = parse_json(data.replace("<\\u0021--", "<!--"), path) if data else None
    if not isinstance(rows, list):
        raise UsageError(f"{path}: expected a page of answers that Pageproof wrote")
    return [row for row in rows if isinstance(row, dict)]


def _card(number: int | None, row: Row, draw: DrawPage) -> str:
    about = [row.get("company"), row.get("kind"), row.get("period") or row.get("filing")]
    before = "" if number is None else f"{number}. "
    size = "value long" if len(_text(row, "shown")) > _LONGEST_LARGE else "value"
    parts = [
        f'<article class="{escape(str(row.get("state")))}"><h2>{before}{_text(row, "question")}</h2>',
        f'<p class="{size}">{_text(row, "shown")}</p>',
        f'<p class="about">{escape(" · ".join(str(part) for part in about if part))}</p>',
        *_notes(row),
        _parts(row),
        *_pictures(row, draw),
        "</article>",
    ]
    return "\n".join(part for part in parts if part)


_LONGEST_LARGE = 90  # characters


def _text(row: Row, key: str) -> str:
    return escape(str(row.get(key) or ""))


def _notes(row: Row) -> Iterator[str]:
    if row.get("formula"):
        yield f'<p class="note">= {_text(row, "formula")}</p>'
    if problem := row.get("error") or row.get("reason"):
        yield f'<p class="note">{escape(str(problem).replace("_", " "))}</p>'
    near = row.get("nearest")
    if isinstance(near, dict):
        value = near.get("value")
        figure = grouped(value) if isinstance(value, int | float) else str(value)
        unit = str(row.get("nearest_unit") or "")
        figure += unit if unit == "%" else f" {unit}".rstrip()
        yield (
            f'<p class="note">Nearest figure: {escape(figure)}, page {near.get("page")}, '
            f"“{escape(str(near.get('quote')))}”: {escape(str(near.get('detail')))}</p>"
        )
    if row.get("summary"):
        yield f'<p class="note">{_text(row, "summary")}</p>'
    checks = [check for check in _list(row.get("checks")) if check.get("verdict") != "not_applicable"]
    if checks:
        marks = " &nbsp; ".join(
            f"{_MARKS.get(str(check.get('verdict')), '')} {escape(str(check.get('name')).replace('_', ' '))}"
            for check in checks
        )
        yield f'<p class="checks">{marks}</p>'


def _parts(row: Row) -> str:
    """The figures behind a comparison or a calculated value."""
    lines = []
    series, parts = _list(row.get("series")), _list(row.get("parts"))
    figures = series if len(series) == len(parts) else [{} for _ in parts]
    operands = _list(row.get("operands"))
    for part, figure in zip((*operands, *parts), (*({} for _ in operands), *figures), strict=True):
        value = part.get("value")
        shown = grouped(value) if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
        unit = part.get("unit")
        sign = _sign(unit) if isinstance(unit, dict) else ""
        end = unit.get("period_end") if isinstance(unit, dict) else None
        period = part.get("period") or figure.get("column") or figure.get("period") or end
        names = (part.get("name") or part.get("company"), figure.get("metric"), period)
        cells = "".join(f"<td>{escape(str(name or ''))}</td>" for name in names)
        reason = str(part.get("reason") or "").replace("_", " ")
        lines.append(f'<tr>{cells}<td class="n">{escape(shown + sign)}</td><td>{reason}</td></tr>')
    return f"<table>{''.join(lines)}</table>" if lines else ""


def _sign(unit: Row) -> str:
    """What stands behind a figure: "%", "x", or its currency."""
    return {"percent": "%", "times": "x"}.get(
        str(unit.get("measure"))
    ) or f" {unit.get('currency') or ''}".rstrip()


def _list(value: JsonValue) -> list[Row]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _pictures(row: Row, draw: DrawPage) -> Iterator[str]:
    """Each cited page once, with what was quoted from it marked."""
    cited: dict[tuple[str, int], list[Row]] = {}
    operands = [o["citation"] for o in _list(row.get("operands")) if isinstance(o.get("citation"), dict)]
    parts = [c for part in _list(row.get("parts")) for c in _list(part.get("citations"))]
    for citation in (*_list(row.get("citations")), *_list(operands), *parts):
        page = citation.get("page")
        if isinstance(page, int):
            cited.setdefault((str(citation.get("report_sha1")), page), []).append(citation)
    for (sha1, page), citations in cited.items():
        quotes = dict.fromkeys(str(citation.get("quote")) for citation in citations)
        quoted = " … ".join(f"“{quote}”" for quote in quotes)
        caption = f"{citations[0].get('file')}, page {page}: {quoted}"
        boxes = [Box.model_validate(box) for citation in citations for box in _list(citation.get("boxes"))]
        drawn = draw(sha1, page, boxes)
        yield f"<figure><figcaption>{escape(caption)}</figcaption>{drawn}</figure>"


def _drawn(picture_of: PictureOf | None, sha1: str, page: int, boxes: Sequence[Box]) -> str:
    if picture_of is None:
        return ""
    try:
        png = picture_of(sha1, page, boxes)
    except (DocumentError, UsageError) as error:  # the quote stands there all the same
        return f'<p class="note">{escape(str(error))}</p>'
    with Image.open(io.BytesIO(png)) as picture:
        small = picture.convert("RGB")
        small.thumbnail((_WIDTH, 4 * _WIDTH))
        content = io.BytesIO()
        small.save(content, format="JPEG", quality=_QUALITY, optimize=True)
    encoded = base64.b64encode(content.getvalue()).decode()
    return f'<img alt="page {page}" src="data:image/jpeg;base64,{encoded}">'
