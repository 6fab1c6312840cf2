"""Splits a row into the texts and figures that become a table's cells."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from indexes.layout.figures import closes, is_figure, is_reference, is_value, is_year, joined, opens
from indexes.layout.lines import Row, Segment
from indexes.layout.words import Extent, Word, extent, text_of
from storage.lexicon.words import expression

_FIGURE_GAP = 0.5  # of the font's height: wider than a space, so a new figure
_NOTE_GAP = 0.75  # the same for "(1)", which is a note's mark where it stands nearer
_NOTE = expression(r"^\(\d\)$")
_DIGIT_GROUP = 0.4
_WORDS = 4_096  # that are remembered
_TOUCHING = 0.15
_DIGITS_OF_GROUP = expression(r"^\d{3}(?:[,.]\d{1,2})?\)*$")  # of "1 234" and "1 234,5"
_DASHES = ("-", "–", "−", "‒", "+")
_REACH = 25.0  # of the font's height: how far a currency sign may stand from its figure
_BRACKET_REACH = 6.0  # the same for a bracket
_CODE_REACH = 10.0  # the same for letters such as "AUD", which further away name the row


@dataclass(frozen=True)
class Piece:
    """Part of a row that goes into one cell. `core` is the figure without its signs; columns are aligned by it."""

    words: tuple[Word, ...]
    figure: bool
    core: Word | None = None

    @cached_property
    def extent(self) -> Extent:
        """The rectangle around its words."""
        return extent(self.words)

    @property
    def left(self) -> float:
        """The left edge; for a figure, without its signs."""
        return self.core.left if self.core else self.words[0].left

    @cached_property
    def right(self) -> float:
        """The right edge; for a figure, without its signs."""
        return self.core.right if self.core else max(w.right for w in self.words)

    @property
    def top(self) -> float:
        """Points from the page's top."""
        return self.extent.top

    @property
    def bottom(self) -> float:
        """Points from the page's top to its end."""
        return self.extent.bottom

    @cached_property
    def text(self) -> str:
        """As printed; a figure's signs without gaps."""
        return joined([w.text for w in self.words]) if self.figure else text_of(self.words)


def pieces(row: Row) -> tuple[Piece, ...]:
    """The row's pieces, left to right."""
    found = [piece for segment in row.segments for piece in _of_segment(segment)]
    if len(found) == 1:
        return tuple(found)
    found = list(_with_signs(found))
    if len(found) > 1 and _numbers(found[0]) and not found[1].figure:
        return (Piece(found[0].words + found[1].words, figure=False), *found[2:])
    return tuple(found)


def _numbers(piece: Piece) -> bool:
    """Whether it numbers a row, such as a bullet, "7.3" or "1A", and is not an amount."""
    text = piece.text
    bullet = len(text) == 1 and not text.isalnum() and not opens(text)
    return len(piece.words) == 1 and (is_reference(text) or bullet)


def _of_segment(segment: Segment) -> Iterator[Piece]:
    words = segment.words
    start = _first_figure(words)
    if start:
        yield Piece(words[:start], figure=False)
    for run in _figure_runs(words[start:]):
        figure = any(is_value(w.text) for w in run) and not _is_marked_year(run)
        yield Piece(tuple(run), figure, _core(run) if figure else None)


def _first_figure(words: Sequence[Word]) -> int:
    """The index at which the figures at the end of a segment begin; its length when it ends with text.

    A number in running text is only a space away from its neighbours, so "31 December 2022" stays text.
    """
    if opens(words[-1].text) and not _may_be_figure(words[0].text):
        return len(words) - 1
    start = len(words)
    while start and _may_be_figure(words[start - 1].text):
        start -= 1
    while start < len(words) and start and not _stands_apart(words[start - 1], words[start]):
        start += 1
    return start if any(is_value(w.text) for w in words[start:]) else len(words)


@lru_cache(_WORDS)
def _may_be_figure(text: str) -> bool:
    return is_value(text) or opens(text) or closes(text) or text in ("(", *_DASHES)


def _stands_apart(before: Word, word: Word) -> bool:
    gap = _NOTE_GAP if _NOTE.match(word.text) else _FIGURE_GAP
    return word.left - before.right > gap * word.size


def _figure_runs(words: Sequence[Word]) -> Iterator[list[Word]]:
    """The words of each figure: a sign belongs to its figure, a group of three digits to the group before it."""
    run: list[Word] = []
    for word in words:
        if run and not _belongs(run, word):
            yield run
            run = []
        run.append(word)
    if run:
        yield run


def _belongs(run: list[Word], word: Word) -> bool:
    last, gap = run[-1], word.left - run[-1].right
    if closes(word.text) and any(is_value(w.text) for w in run):
        return gap < _closing_reach(word)
    if opens(last.text) or last.text == "(":
        return is_value(word.text) or opens(word.text) or word.text == "("
    if is_year(last.text) and len(word.text.strip("()")) == 1:
        return gap < _FIGURE_GAP * word.size
    if gap < _TOUCHING * word.size and word.text[0] in _DASHES:  # a range, such as "1–13"
        return True
    if word.text in _DASHES and is_figure(last.text) and gap < _FIGURE_GAP * word.size:  # a range, "4% - 5%"
        return True
    if last.text in _DASHES and is_figure(word.text):
        return gap < _FIGURE_GAP * word.size
    if is_figure(last.text) and _DIGITS_OF_GROUP.match(word.text):
        return (
            last.text.lstrip("(-").isdigit()
            and len(last.text.lstrip("(-")) <= 3
            and gap < _DIGIT_GROUP * word.size
        )
    return False


def _is_marked_year(run: Sequence[Word]) -> bool:
    """Whether it is a year followed by a footnote mark."""
    return len(run) > 1 and is_year(run[0].text)


def _core(run: Sequence[Word]) -> Word:
    values = [w for w in run if is_value(w.text)]
    first, last = values[0], values[-1]
    return Word(first.text, first.left, first.top, last.right, last.bottom, first.font)


def _with_signs(found: Sequence[Piece]) -> Iterator[Piece]:
    """Join currency signs and closing signs that are printed in a column of their own to their figure."""
    held: Piece | None = None
    for piece in found:
        if held and _continues(held, piece):
            held = Piece(held.words + piece.words, True, held.core or piece.core)
            continue
        if held:
            yield held
        held = piece
    if held:
        yield held


def _continues(held: Piece, piece: Piece) -> bool:
    gap = piece.words[0].left - held.extent.right
    if _is_opener(held):
        reach = _BRACKET_REACH if held.text.endswith("(") else _CODE_REACH if held.text.isalpha() else _REACH
        return piece.figure and gap < reach * piece.words[0].size
    return held.figure and _is_closer(piece) and gap < _closing_reach(piece.words[0])


def _is_opener(piece: Piece) -> bool:
    return all(opens(w.text) or w.text == "(" for w in piece.words)


def _is_closer(piece: Piece) -> bool:
    return len(piece.words) == 1 and closes(piece.words[0].text)


def _closing_reach(word: Word) -> float:
    """The largest distance of a closing sign from its figure; it is small for "(1)", which may be a figure."""
    return (0.35 if any(c.isalnum() for c in word.text) else 2.0) * word.size
