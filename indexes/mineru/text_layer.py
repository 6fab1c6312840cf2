"""The words of a PDF's text layer with their places: the reference for what is really printed."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pypdfium2

from indexes.drawn_objects import DrawnObjects
from indexes.layout.lines import rows, segments
from indexes.layout.words import Word, extent
from indexes.pdf_words import Fonts, words_of
from indexes.text_quality import cleaned, is_nonsense
from storage.records.pages import Line
from storage.records.record import Box
from storage.text import fingerprint

_PIECES = 4
_ENDS = ".,%"
_OTHER_SHARE = 0.1  # of a text's words
_EDGE = 1.5  # points that a word's centre may be outside a box


@dataclass(frozen=True)
class PrintedPage:
    """The text layer of one page.

    Attributes:
        number: 1-based.
        width, height: points, as displayed.
        words: of the text layer, in the order of the file; none where the layer is garbled.
    """

    number: int
    width: float
    height: float
    words: tuple[Word, ...] = ()

    @property
    def whole(self) -> Box:
        """A box as large as the page."""
        return Box(left=0.0, top=0.0, right=self.width, bottom=self.height)

    def inside(self, box: Box) -> list[Word]:
        """The words whose centre is in the box."""
        return [w for w in self.words if _holds(box, w)]

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """All its lines."""
        return lines_of(self.words)

    @cached_property
    def letters(self) -> str:
        """The fingerprints of all its words, end to end."""
        return "".join(fingerprint(line.text) for line in self.lines)

    @cached_property
    def _marks(self) -> frozenset[str]:
        """Fingerprints of each word and of up to four words in a row, since kerning may split a figure."""
        found = [fingerprint(w.text) for w in self.words]
        runs = ("".join(found[i : i + n]) for n in range(1, _PIECES + 1) for i in range(len(found) - n + 1))
        return frozenset(run.rstrip(_ENDS) for run in runs)

    def contains(self, text: str) -> bool:
        """Whether the text is printed on the page: all of its figures and nearly all of its words.

        A few words may differ, since text layers may misspell a word for lack of a ligature.
        """
        marks = [mark for word in text.split() if (mark := fingerprint(word).rstrip(_ENDS)).strip("()")]
        missing = [mark for mark in marks if mark not in self._marks]
        if any(c.isdigit() for mark in missing for c in mark):
            return False
        return sum(mark not in self.letters for mark in missing) <= _OTHER_SHARE * len(marks)

    def find(self, text: str) -> tuple[Line, ...]:
        """The consecutive lines that contain the text; none where it is not found."""
        wanted = fingerprint(text)
        if not wanted:
            return ()
        for start in range(len(self.lines)):
            held = ""
            for end in range(start, len(self.lines)):
                held += fingerprint(self.lines[end].text)
                if wanted in held:
                    return self._shortest(wanted, start, end)
                if len(held) > 2 * len(wanted) + len(fingerprint(self.lines[start].text)):
                    break
        return ()

    def _shortest(self, wanted: str, start: int, end: int) -> tuple[Line, ...]:
        while start < end and wanted in "".join(fingerprint(x.text) for x in self.lines[start + 1 : end + 1]):
            start += 1
        return self.lines[start : end + 1]


def printed_pages(path: Path, *, with_words: bool = True) -> list[PrintedPage]:
    """Every page of a PDF, in order; without words where the text layer is garbled."""
    with pypdfium2.PdfDocument(path) as document:
        fonts = Fonts() if with_words else None
        return [_page(document[index], index + 1, fonts) for index in range(len(document))]


def lines_of(words: Sequence[Word]) -> tuple[Line, ...]:
    """Group words into printed lines, top to bottom."""
    found = []
    for row in rows(segments(words)):
        place = extent(row.words)
        box = Box(left=place.left, top=place.top, right=place.right, bottom=place.bottom)
        if text := cleaned(row.text):
            found.append(Line(text=text, box=box))
    return tuple(found)


def _page(page: pypdfium2.PdfPage, number: int, fonts: Fonts | None) -> PrintedPage:
    width, height = page.get_size()
    words: tuple[Word, ...] = ()
    if fonts is not None:
        layer = page.get_textpage()
        words = tuple(word for word, _ in words_of(layer, DrawnObjects(page), fonts))
        layer.close()
    text = "\n".join(" ".join(w.text for w in row.words) for row in rows(segments(words)))
    page.close()
    return PrintedPage(number, width, height, () if is_nonsense(text) else words)


def _holds(box: Box, word: Word) -> bool:
    middle, height = (word.left + word.right) / 2, (word.top + word.bottom) / 2
    return box.left - _EDGE <= middle <= box.right + _EDGE and box.top - _EDGE <= height <= box.bottom + _EDGE
