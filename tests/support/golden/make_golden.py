"""Writes a golden page: `python -m tests.support.golden.make_golden PDF PAGE OUT`, where pages count from 1.

The tables it writes are what the geometry gives today. They are golden only once somebody has held every row
against the page: a page that is read wrongly is no golden page.
"""

import hashlib
import sys
from dataclasses import replace
from pathlib import Path

from docling.datamodel.base_models import InputFormat
from docling.datamodel.document import InputDocument

from indexes.layout.words import Word
from indexes.reading.decoded_pages import DecodedDocument
from indexes.reading.docling_plugin import Upright
from tests.support.golden.fixture import GoldenPage, tables_of, write


def main(pdf: Path, number: int, out: Path) -> None:
    words = words_on(pdf, number)
    rounded = tuple(_rounded(word) for word in words)
    tables = tables_of(rounded)
    if not tables:
        raise SystemExit("No table is found on this page.")
    if tables != tables_of(words):
        raise SystemExit("The page is read in another way once its places are rounded: choose another page.")
    write(out, GoldenPage(hashlib.sha1(pdf.read_bytes()).hexdigest(), number, rounded, tables))
    print(f"{out}: {len(rounded)} words. Check each row against the page:")
    for table in tables:
        print("", *table, sep="\n")


def words_on(pdf: Path, number: int) -> list[Word]:
    """The words of a page, as the layout engine takes them; without those across the page."""
    document = InputDocument(
        path_or_stream=pdf,
        format=InputFormat.PDF,
        backend=DecodedDocument,
        filename=pdf.name,
    )
    backend = document._backend
    assert isinstance(backend, DecodedDocument)
    try:
        return Upright.of(backend.load_page(number - 1)).along
    finally:
        backend.unload()


def _rounded(word: Word) -> Word:
    left, top, right, bottom = (round(x, 1) for x in (word.left, word.top, word.right, word.bottom))
    return replace(word, left=left, top=top, right=right, bottom=bottom)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
