"""The text of a report with its places, for somebody who reads it: to select, to copy, to search, and its contents.

Also the numbers that its pages print, which differ from their places in the PDF where a cover is not counted.

Everything comes from the page records of the report's latest reading. So it holds what OCR read, and nothing that
cannot be seen on the pages.
"""

import logging
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from storage.errors import DamagedFile, MissingIndex, SetupError
from storage.files import file_stamp
from storage.lexicon.words import expression, unaccented
from storage.paths import DataPaths
from storage.records.pages import Block, Page, TextSource, part_of_line
from storage.records.record import Box, Record
from storage.records.sections import Section
from storage.stores.pages import PageStore, StampedCache, facts_in
from storage.text import plain

logger = logging.getLogger(__name__)
MOST_HITS = 500
LONGEST_SEARCH = 200  # characters
_AROUND = 60  # characters of the page shown before and after a hit
_MOST_CONTENTS = 400  # sections
_HELD = 40_000_000  # bytes of searchable text in memory
_BYTES_OF_PIECE = 250
_NUMBERS_HELD = 200_000  # printed numbers in memory
_TOGETHER = 20  # pages whose printed numbers are read at once
_NEIGHBOURS = 3  # pages before and after one
_AGREEING = 2  # of them must go on counting from its number
_NUMBER = r"(?:(?P<part>[A-Z]) ?[-–] ?)?(?P<number>\d{1,4})"
_NUMBERS_AT = (expression(rf"^\W*{_NUMBER}(?![\w%]|[.,]\d)"), expression(rf"(?<![\w.,-]){_NUMBER}\W*$"))
_HYPHEN = expression(r"(?<=[^\W\d_])- ?(?=[^\W\d_])")  # in a word, or where a line breaks it


class TextPiece(Record):
    """A printed line, or a cell of a table, with its place in points from the page's top left."""

    text: str
    box: Box


class PageText(Record):
    """The text of a page in reading order. `source` is "none" for a page without text."""

    pieces: tuple[TextPiece, ...] = ()
    source: TextSource = "none"


class Hit(Record):
    """A place where the words that were searched for stand.

    Attributes:
        page: 1-based.
        boxes: the places, one for each line or cell.
        before, text, after: what is printed there.
    """

    page: int
    boxes: tuple[Box, ...]
    before: str
    text: str
    after: str


class Hits(Record):
    """What a search found, in the order of the pages; `is_cut` where there is more than is given."""

    hits: tuple[Hit, ...] = ()
    is_cut: bool = False


class ReportTexts:
    """Reads and searches the stored text of reports; the reports searched last are held in memory."""

    def __init__(self, held: int = _HELD) -> None:
        """Hold so many bytes."""
        self._held: StampedCache[Path, tuple[_SearchedPage, ...]] = StampedCache(held)
        self._numbers: StampedCache[tuple[Path, int], dict[int, str]] = StampedCache(_NUMBERS_HELD)

    def page(self, paths: DataPaths, sha1: str, number: int) -> PageText:
        """The text of one page; empty where the report has no stored pages, or not this one."""
        archive = _latest(paths.pages / sha1, "*.zip")
        if archive is None:
            return PageText()
        try:
            page = PageStore(paths.pages, archive.stem).read(sha1, [number])[0]
        except (KeyError, MissingIndex, DamagedFile, SetupError) as error:
            logger.warning("page %s of report %s has no text to show: %s", number, sha1, error)
            return PageText()
        return PageText(pieces=tuple(_pieces(page)), source=page.text_source)

    def printed(self, paths: DataPaths, sha1: str, number: int, count: int) -> str:
        """The number that a page of a report of so many pages prints; "" where it is unknown, or the page's own."""
        archive = _latest(paths.pages / sha1, "*.zip")
        if archive is None:
            return ""
        first = number - (number - 1) % _TOGETHER
        key, stamp = (archive, first), file_stamp(archive)
        known = self._numbers.get(key, stamp)
        if known is None:
            around = range(max(1, first - _NEIGHBOURS), min(count, first + _TOGETHER - 1 + _NEIGHBOURS) + 1)
            try:
                known = printed_numbers(PageStore(paths.pages, archive.stem).read(sha1, around))
            except (KeyError, MissingIndex, DamagedFile, SetupError) as error:
                logger.warning("the printed page numbers of report %s are not known: %s", sha1, error)
                known = {}
            self._numbers.put(key, stamp, known, _TOGETHER)
        printed = known.get(number, "")
        return "" if printed == str(number) else printed

    def find(self, paths: DataPaths, sha1: str, words: str) -> Hits:
        """Where words stand in a report, whatever their capitals, accents, hyphens and line ends.

        Raises:
            MissingIndex: the report's pages are not stored.
            DamagedFile: they cannot be read.
        """
        wanted = _HYPHEN.sub("", _searchable(words[:LONGEST_SEARCH]))
        if not wanted:
            return Hits()
        found: list[Hit] = []
        for page in self._searched(paths, sha1):
            for hit in page.find(wanted):
                if len(found) == MOST_HITS:
                    return Hits(hits=tuple(found), is_cut=True)
                found.append(hit)
        return Hits(hits=tuple(found))

    def contents(self, paths: DataPaths, sha1: str) -> tuple[Section, ...]:
        """The report's sections in the order of its pages; none where no facts are stored."""
        file = _latest(paths.facts / sha1, "*.json")
        if file is None:
            return ()
        try:
            return facts_in(file.read_bytes(), sha1).sections[:_MOST_CONTENTS]
        except (ValueError, OSError) as error:
            logger.warning("the contents of report %s cannot be shown: %s", sha1, error)
            return ()

    def _searched(self, paths: DataPaths, sha1: str) -> "tuple[_SearchedPage, ...]":
        archive = _latest(paths.pages / sha1, "*.zip")
        if archive is None:
            raise MissingIndex("the text of this report is not stored: ingest it again to search it")
        stamp = file_stamp(archive)
        pages = self._held.get(archive, stamp)
        if pages is None:
            pages = tuple(map(_SearchedPage.of_page, PageStore(paths.pages, archive.stem).read(sha1)))
            weight = sum(2 * len(page.printed) + _BYTES_OF_PIECE * len(page.boxes) for page in pages)
            self._held.put(archive, stamp, pages, weight)
        return pages


def printed_numbers(pages: Sequence[Page]) -> dict[int, str]:
    """The numbers that pages print in their headers and footers, such as "29" or "F-3", by their places in the PDF.

    A number counts if several pages near it print the numbers that go on from there. Where two do, none is given.
    """
    found = {page.page_number: set(_numbers_around(page)) for page in pages}

    def agreeing(place: int, part: str, number: int) -> int:
        near = (step for step in range(-_NEIGHBOURS, _NEIGHBOURS + 1) if step)
        return sum((part, number + step) in found.get(place + step, ()) for step in near)

    sure = {
        place: [each for each in numbers if agreeing(place, *each) >= _AGREEING]
        for place, numbers in found.items()
    }
    return {
        place: f"{part}-{number}" if part else str(number)
        for place, ((part, number), *others) in ((p, n) for p, n in sure.items() if n)
        if not others
    }


def _numbers_around(page: Page) -> Iterator[tuple[str, int]]:
    """Numbers where lines above and below a page's text begin and end, with the letter of their part."""
    for block in page.blocks:
        if block.kind == "furniture":
            for text in (line.text for line in block.lines) if block.lines else block.text.splitlines():
                for form in _NUMBERS_AT:
                    if (number := form.search(text)) is not None:
                        yield number["part"] or "", int(number["number"])


class _SearchedPage(NamedTuple):
    """A page's text as it is printed, with where each line or cell begins, and in the form that is searched.

    Attributes:
        searched: without the hyphens in words.
        hyphens: where they were: places in `searched`, one for each letter that was left out.
    """

    number: int
    printed: str
    searched: str
    hyphens: Sequence[int]
    starts: Sequence[int]
    boxes: Sequence[Box]

    @classmethod
    def of_page(cls, page: Page) -> "_SearchedPage":
        texts, printed, starts, boxes, length = [], [], [], [], 0
        for piece in _pieces(page):
            shown = " ".join(piece.text.split())
            text = _searchable(shown)
            starts.append(length)
            boxes.append(piece.box)
            texts.append(text)
            printed.append(shown if len(shown) == len(text) else text)
            length += len(text) + 1
        whole, left_out, hyphens = " ".join(texts), 0, list[int]()
        for hyphen in _HYPHEN.finditer(whole):
            hyphens += [hyphen.start() - left_out] * len(hyphen[0])
            left_out += len(hyphen[0])
        return cls(page.page_number, " ".join(printed), _HYPHEN.sub("", whole), hyphens, starts, boxes)

    def find(self, wanted: str) -> Iterator[Hit]:
        """Each place where it stands, in time in proportion to the text."""
        after = 0
        while (at := self.searched.find(wanted, after)) >= 0:
            after = at + len(wanted)
            begin, end = self._printed_at(at), self._printed_at(after - 1) + 1
            yield Hit(
                page=self.number,
                boxes=tuple(self._boxes(begin, end)),
                before=self.printed[max(0, begin - _AROUND) : begin],
                text=self.printed[begin:end],
                after=self.printed[end : end + _AROUND],
            )

    def _printed_at(self, place: int) -> int:
        return place + bisect_right(self.hyphens, place)

    def _boxes(self, begin: int, end: int) -> Iterator[Box]:
        for place in range(bisect_right(self.starts, begin) - 1, len(self.starts)):
            start = self.starts[place]
            if start >= end:
                return
            after = self.starts[place + 1] if place + 1 < len(self.starts) else len(self.printed)
            text = self.printed[start:after].rstrip()
            yield part_of_line(self.boxes[place], text, max(begin - start, 0), min(end - start, len(text)))


def _pieces(page: Page) -> Iterator[TextPiece]:
    for block in page.blocks:
        yield from (TextPiece(text=text, box=box) for text, box in _printed(block) if text.strip())


def _printed(block: Block) -> Iterable[tuple[str, Box]]:
    """The lines of a block; of a table its cells, since a line goes over all of its columns."""
    cells = block.table.cells if block.table else ()
    if cells and all(cell.box for cell in cells if cell.text.strip()):
        return [(cell.text, cell.box) for cell in cells if cell.box]
    return [(line.text, line.box) for line in block.lines]


def _searchable(text: str) -> str:
    """Small letters without accents."""
    return unaccented(plain(text)).lower()


def _latest(folder: Path, pattern: str) -> Path | None:
    """The file that was written last."""
    return max(folder.glob(pattern), key=lambda path: file_stamp(path)[1], default=None)
