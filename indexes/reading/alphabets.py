"""Reads a text layer whose fonts give wrong letters: OCR reads a few lines, and the other lines follow from them.

Such a font replaces each letter by another one, always by the same. So OCR reads lines only until it has seen what each
character of the font looks like. That takes a small part of the time of reading all pages, and misreads less: a letter
is what most of its readings say. What stays doubtful is read where it stands.
"""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cached_property
from itertools import groupby

from indexes.layout.lines import segments
from indexes.layout.words import Extent, Word, extent
from indexes.reading.ocr_words import OCR_FONT
from indexes.text_quality import is_nonsense

_FEWEST_READINGS = 3
_SAME_SHARE = 0.8  # of a character's readings
_LONGEST_RUN = 40  # characters that OCR reads at once
_LEADER = 8  # equal characters in a row; no figure has as many
_AGREEMENT = 0.9  # of the letters of a page that OCR reads for a check
_UNKNOWN = "\0"
_DASHLIKE = "一"  # the numeral one, which OCR takes a dash for
_OFF_LINE = 0.3  # of a character's height
_GAP = 0.2
_OVERHANG = 0.5
_EDGE = 0.25  # of a character
_BELOW = 0.4


@dataclass(frozen=True)
class Glyph:
    """A printed character: the letter that its font says it is, and its place in points from the top left.

    Attributes:
        begins: whether nothing is printed before it, as a space.
        is_supposed: whether it is there only if something is seen in its place.
    """

    font: str
    code: str
    left: float
    top: float
    right: float
    bottom: float
    begins: bool = False
    is_supposed: bool = False

    @property
    def key(self) -> tuple[str, str]:
        """What is the same for all that look alike."""
        return self.font, self.code

    @property
    def breadth(self) -> float:
        """Its width, for its height."""
        return (self.right - self.left) / (self.bottom - self.top)


class Alphabet:
    """What the characters of a document's fonts look like, as far as they have been read."""

    def __init__(self) -> None:
        self._readings: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)

    def letter(self, glyph: Glyph) -> str | None:
        """What it shows; None where too few readings say the same."""
        readings = self._readings.get(glyph.key)
        if not readings:
            return None
        letter, count = readings.most_common(1)[0]
        return letter if count >= max(_FEWEST_READINGS, _SAME_SHARE * readings.total()) else None

    def learn(self, glyphs: Sequence[Glyph], read: str) -> dict[int, str]:
        """Take note of a reading of some characters; the letters that it gives them, by their place."""
        aligned = dict(self._aligned(glyphs, read))
        for place, letter in aligned.items():
            self._readings[glyphs[place].key][letter] += 1
        return aligned

    def agreement(self, glyphs: Sequence[Glyph], read: str) -> tuple[int, int]:
        """How many of the characters are known, and how many of those were read as the same."""
        aligned = dict(self._aligned(glyphs, read))
        known = {place: letter for place, glyph in enumerate(glyphs) if (letter := self.letter(glyph))}
        return len(known), sum(aligned.get(place) == letter for place, letter in known.items())

    def _aligned(self, glyphs: Sequence[Glyph], read: str) -> Iterator[tuple[int, str]]:
        guessed = "".join(self.guess(glyph) for glyph in glyphs)
        if len(guessed) == len(read):
            known = [(a, b) for a, b in zip(guessed, read, strict=True) if a != _UNKNOWN]
            if sum(a == b for a, b in known) >= _SAME_SHARE * len(known):
                yield from enumerate(read)
                return
        for _, begin, end, start, stop in SequenceMatcher(None, guessed, read, autojunk=False).get_opcodes():
            if end - begin == stop - start:
                yield from zip(range(begin, end), read[start:stop], strict=True)

    def guess(self, glyph: Glyph) -> str:
        """What most readings say it shows, or what no page shows."""
        readings = self._readings.get(glyph.key)
        return readings.most_common(1)[0][0] if readings else _UNKNOWN


@dataclass
class _Run:
    """Words of a line that OCR reads at once.

    Attributes:
        letters: what was read of its characters, by their place.
    """

    words: list["_Spelt"]
    letters: dict[int, str] | None = None

    @cached_property
    def glyphs(self) -> list[Glyph]:
        return [glyph for word in self.words for glyph in word.glyphs]

    @cached_property
    def place(self) -> Extent:
        return extent(self.words)


@dataclass(slots=True, unsafe_hash=True)
class _Spelt(Word):
    glyphs: tuple[Glyph, ...] = ()


Read = Callable[[Extent], str]
"""What OCR reads in a place of a page, in points."""
IsPrinted = Callable[[Extent], bool]
"""Whether anything is seen in a place of a page."""


def deciphered(
    glyphs: Sequence[Glyph], alphabet: Alphabet, read: Read, is_printed: IsPrinted
) -> list[Word] | None:
    """The words of a page with the letters that are seen, or None where they do not follow from what was read.

    Args:
        glyphs: of a page, in the order of the text.
        alphabet: of the document; learns from what is read here.
        read: reads the page.
        is_printed: looks at it.
    """
    printed = list(_printed(glyphs, is_printed))
    runs = list(_runs(list(_words(printed))))
    known = same = 0
    for run in sorted(runs, key=lambda run: -len(run.glyphs)):
        if not known or any(alphabet.letter(glyph) is None for glyph in run.glyphs):
            seen = _plain(read(run.place))
            more, right = alphabet.agreement(run.glyphs, seen)
            known, same = known + more, same + right
            run.letters = alphabet.learn(run.glyphs, seen)
    if same < _AGREEMENT * known or any(_may_be_lost(glyph, alphabet) for glyph in printed):
        return None
    found = [word for run in runs for word in _with_letters(run, alphabet, read) if word.text]
    return None if is_nonsense("\n".join(s.text for s in segments(found))) else found


def _printed(glyphs: Sequence[Glyph], is_printed: IsPrinted) -> Iterator[Glyph]:
    """The characters with those supposed ones that are seen; they begin the words of what follows."""
    before: Glyph | None = None
    for glyph in glyphs:
        if glyph.is_supposed and not is_printed(_core(glyph)):
            continue
        follows_supposed = before is not None and before.is_supposed
        yield replace(glyph, begins=False) if follows_supposed else glyph
        before = glyph


def _core(glyph: Glyph) -> Extent:
    """The middle of its place, where its neighbours are not, nor dots that lead to a figure."""
    aside, height = (glyph.right - glyph.left) * _EDGE, glyph.bottom - glyph.top
    return Extent(
        glyph.left + aside, glyph.top + height * _EDGE, glyph.right - aside, glyph.bottom - height * _BELOW
    )


def _may_be_lost(glyph: Glyph, alphabet: Alphabet) -> bool:
    """Whether PDFium may leave out such a character: of two spaces it gives one, also where both are printed."""
    return glyph.code == " " and not alphabet.guess(glyph).isupper()


def _words(glyphs: Sequence[Glyph]) -> Iterator[_Spelt]:
    word: list[Glyph] = []
    for glyph in glyphs:
        if word and (glyph.begins or not _follows(word[-1], glyph)):
            yield from _without_leaders(word)
            word = []
        word.append(glyph)
    yield from _without_leaders(word)


def _without_leaders(glyphs: Sequence[Glyph]) -> Iterator[_Spelt]:
    """The parts of a word before and after dots that lead from a label to its figure."""
    part: list[Glyph] = []
    for _, alike in groupby(glyphs, key=lambda glyph: glyph.key):
        same = list(alike)
        if len(same) < _LEADER:
            part += same
        elif part:
            yield _word(part)
            part = []
    if part:
        yield _word(part)


def _follows(before: Glyph, glyph: Glyph) -> bool:
    height = before.bottom - before.top
    is_level = abs(before.bottom - glyph.bottom) < _OFF_LINE * height
    return is_level and -_OVERHANG * height < glyph.left - before.right < _GAP * height


def _word(glyphs: Sequence[Glyph]) -> _Spelt:
    place = extent(glyphs)
    return _Spelt("", place.left, place.top, place.right, place.bottom, OCR_FONT, tuple(glyphs))


def _runs(words: Sequence[_Spelt]) -> Iterator[_Run]:
    for segment in segments(words):
        run: list[_Spelt] = []
        for word in segment.words:
            assert isinstance(word, _Spelt)
            if run and sum(len(w.glyphs) for w in run) + len(word.glyphs) > _LONGEST_RUN:
                yield _Run(run)
                run = []
            run.append(word)
        yield _Run(run)


def _with_letters(run: _Run, alphabet: Alphabet, read: Read) -> Iterator[Word]:
    here, place = run.letters or {}, 0
    for word in run.words:
        letters = [alphabet.letter(glyph) or here.get(place + n, "") for n, glyph in enumerate(word.glyphs)]
        place += len(letters)
        text = "".join(letters) if all(letters) else _plain(read(extent([word])))
        yield Word(text, word.left, word.top, word.right, word.bottom, word.font)


def _plain(text: str) -> str:
    plain = "".join(unicodedata.normalize("NFKC", text).split())
    return plain if any(map(_is_ideograph, plain.replace(_DASHLIKE, ""))) else plain.replace(_DASHLIKE, "—")


def _is_ideograph(letter: str) -> bool:
    return "\u3040" <= letter <= "\u9fff"
