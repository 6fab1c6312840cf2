"""Slices of a page that are searched for."""

from pydantic import Field

from storage.record import Record


class Chunk(Record):
    """A slice of one page, never across pages.

    Attributes:
        chunk_id: "<sha1>:<page>:<n>", the same for the same page and chunker.
        header: what the slice is about (report, period, section, table title, unit); embedded with the text.
        text: the slice, Markdown.
        written_by_model: not the page's own words but what a model wrote of a table on it: it finds the page, and is
            never read, quoted or answered from.
    """

    chunk_id: str
    report_sha1: str
    page_number: int = Field(ge=1)
    header: str = ""
    text: str
    written_by_model: bool = False
