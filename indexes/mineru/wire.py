"""What MinerU writes, as far as it is read here.

Documented in MinerU's "Output Files": `*_content_list.json` is a flat list in reading order, its boxes mapped to
0..1000 of the page; `*_middle.json` (`layout.json` in the hosted service's archive) has every page with its size,
its printed lines, and boxes in units of that size. Pages count from 0 in both.
"""

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

Corners = tuple[float, float, float, float]


class Wire(BaseModel):
    """Read only; what is not known here is passed over."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Entry(Wire):
    """One block of a content list. Which texts it has depends on its type."""

    type: str
    page_idx: int = Field(ge=0)
    bbox: Corners | None = None
    text: str | None = None
    text_level: int | None = None
    img_path: str | None = None
    table_body: str | None = None
    table_caption: list[str] | None = None
    table_footnote: list[str] | None = None
    image_caption: list[str] | None = None
    image_footnote: list[str] | None = None
    chart_caption: list[str] | None = None
    chart_footnote: list[str] | None = None
    list_items: list[str] | None = None
    code_body: str | None = None
    code_caption: list[str] | None = None


class Span(Wire):
    """A run of one line: its text, or a table's HTML."""

    type: str = ""
    content: str | None = None
    html: str | None = None


class SpanLine(Wire):
    """One printed line."""

    bbox: Corners
    spans: tuple[Span, ...] = ()


class MiddleBlock(Wire):
    """A block of a page; tables, pictures and lists hold further ones. `lines_deleted`: joined to another block."""

    type: str
    bbox: Corners | None = None
    lines: tuple[SpanLine, ...] = ()
    lines_deleted: bool = False
    blocks: tuple["MiddleBlock", ...] = ()


class MiddlePage(Wire):
    """One page.

    Attributes:
        preproc_blocks: as found on the page.
        para_blocks: afterwards, when paragraphs and tables that go on overleaf were joined to the page before.
        discarded_blocks: running heads, page numbers, footnotes.
    """

    page_idx: int = Field(ge=0)
    page_size: tuple[float, float]
    preproc_blocks: tuple[MiddleBlock, ...] = ()
    para_blocks: tuple[MiddleBlock, ...] = ()
    discarded_blocks: tuple[MiddleBlock, ...] = ()


class Middle(Wire):
    """A whole document."""

    pdf_info: tuple[MiddlePage, ...]


ENTRIES = TypeAdapter(list[Entry])
