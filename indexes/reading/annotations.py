"""What is filled into a page's form and put on it as stamps: drawn on the page, and the words that it is.

PDFium draws the values of fields, also of those that have no appearance of their own. It draws a comb's letters apart,
all entries of a list and no word for a tick; so the words there are made from what the form says.
"""

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pypdfium2
import pypdfium2.raw as raw

from indexes.layout.words import Extent, Word, extent
from indexes.pdf_words import Display, TurnedWord
from storage.text import plain

CHECKED, UNCHECKED = "☒", "☐"
_PRINTED = (raw.FPDF_ANNOT_WIDGET, raw.FPDF_ANNOT_FREETEXT, raw.FPDF_ANNOT_STAMP)
_TICKED = (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON)
_FILLED = (raw.FPDF_FORMFIELD_TEXTFIELD, raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX)
_PASSWORD = 1 << 13  # flag of a text field
_SAME_PLACE = 0.5  # points
_MOST = 20_000  # annotations of a page that are looked at; forms have some hundreds


@dataclass(frozen=True)
class Field:
    """A field of a form.

    Attributes:
        place: as displayed.
        value: what is filled in; of a box to tick, `CHECKED` or `UNCHECKED`.
        kind: PDFium's number for what it is.
    """

    place: Extent
    value: str
    kind: int


@dataclass(frozen=True)
class Annotations:
    """What a page has beside its contents.

    Attributes:
        fields: of its form.
        notes: where texts and stamps lie that somebody put on the page, as displayed.
    """

    fields: tuple[Field, ...] = ()
    notes: tuple[Extent, ...] = ()

    def __bool__(self) -> bool:
        """Whether there is anything."""
        return bool(self.fields or self.notes)


def annotations_of(page: pypdfium2.PdfPage) -> tuple[Annotations, bool]:
    """What is on the page, and whether anything of it is to be drawn. What is hidden on the screen is removed."""
    fields, notes, is_drawn, hidden = [], [], False, []
    for place in range(min(raw.FPDFPage_GetAnnotCount(page), _MOST)):
        annotation = raw.FPDFPage_GetAnnot(page, place)
        try:
            subtype, flags = raw.FPDFAnnot_GetSubtype(annotation), raw.FPDFAnnot_GetFlags(annotation)
            if subtype not in _PRINTED:
                continue
            is_drawn = True
            if flags & raw.FPDF_ANNOT_FLAG_NOVIEW:
                hidden.append(place)
            elif flags & raw.FPDF_ANNOT_FLAG_HIDDEN:
                continue
            elif subtype != raw.FPDF_ANNOT_WIDGET:
                notes.append(_place_of(annotation, page))
            elif page.formenv and (field := _field(annotation, page)):
                fields.append(field)
        finally:
            raw.FPDFPage_CloseAnnot(annotation)
    for place in reversed(hidden):
        raw.FPDFPage_RemoveAnnot(page, place)
    return Annotations(tuple(fields), tuple(notes)), is_drawn


def _field(annotation: Any, page: pypdfium2.PdfPage) -> Field | None:
    form = page.formenv
    kind, place = raw.FPDFAnnot_GetFormFieldType(form, annotation), _place_of(annotation, page)
    if kind in _TICKED:
        return Field(place, CHECKED if raw.FPDFAnnot_IsChecked(form, annotation) else UNCHECKED, kind)
    if kind not in _FILLED or raw.FPDFAnnot_GetFormFieldFlags(form, annotation) & _PASSWORD:
        return None
    size = raw.FPDFAnnot_GetFormFieldValue(form, annotation, None, 0)
    value = (ctypes.c_ushort * (size // 2 + 1))()
    raw.FPDFAnnot_GetFormFieldValue(form, annotation, value, size)
    text = plain(bytes(value).decode("utf-16-le", "replace").split("\0")[0])
    return Field(place, text, kind) if text else None


def _place_of(annotation: Any, page: pypdfium2.PdfPage) -> Extent:
    rectangle = raw.FS_RECTF()
    raw.FPDFAnnot_GetRect(annotation, rectangle)
    xs, ys = np.array([rectangle.left, rectangle.right]), np.array([rectangle.bottom, rectangle.top])
    across, down = Display.of(page).points(xs.astype(np.float64), ys.astype(np.float64))
    return Extent(float(across.min()), float(down.min()), float(across.max()), float(down.max()))


def with_values(words: Sequence[TurnedWord], fields: Sequence[Field], angle: int) -> list[TurnedWord]:
    """The words of a page, where those in fields are what the form says.

    Args:
        words: as they are drawn.
        fields: of the page.
        angle: of print that runs from left to right in the file, in degrees, counter-clockwise, as displayed.
    """
    taken: set[int] = set()
    new: list[TurnedWord] = []
    for field, inside in zip(fields, _inside([word for word, _ in words], [f.place for f in fields]), strict=True):
        if field.kind in _TICKED:
            p = field.place
            new.append((Word(field.value, p.left, p.top, p.right, p.bottom), angle))
        elif not inside or (values := _values([words[place][0] for place in inside], field)) is None:
            continue
        else:
            new += [(word, words[inside[0]][1]) for word in values]
        taken.update(inside)
    return [*(each for place, each in enumerate(words) if place not in taken), *new]


def _inside(words: Sequence[Word], places: Sequence[Extent]) -> Iterator[list[int]]:
    """For each place, the numbers of the words whose middle is in it."""
    sides = np.array([(w.left + w.right, w.top + w.bottom) for w in words], np.float64).reshape(-1, 2).T / 2
    for p in places:
        x, y = sides
        yield np.flatnonzero((p.left <= x) & (x <= p.right) & (p.top <= y) & (y <= p.bottom)).tolist()


def _values(drawn: Sequence[Word], field: Field) -> list[Word] | None:
    """The words of a field's value, where its letters are drawn; None where they are these words already."""
    letters = [word for word in drawn for _ in word.text]
    text, value = "".join(word.text for word in drawn), "".join(field.value.split())
    begin = text.find(value) if field.kind == raw.FPDF_FORMFIELD_LISTBOX else 0
    is_cut = 0 < len(text) < len(value) and value.startswith(text)
    if (
        begin < 0
        or not (is_cut or text[begin:].startswith(value))
        or not _is_line(letters[begin : begin + len(value)])
    ):
        return None
    parts = field.value.split()
    if len(text) == len(value) and len(parts) == len(drawn):
        return None
    return list(_placed(parts, letters[begin:], field.place))


def _placed(parts: Sequence[str], letters: Sequence[Word], field: Extent) -> Iterator[Word]:
    """The parts of a value, each around the words that have its letters; what is cut off ends with the field."""
    begin = 0
    for part in parts:
        own = letters[begin : begin + len(part)] or letters[-1:]
        begin += len(part)
        place = extent(own)
        right = place.right if begin <= len(letters) else max(field.right, place.right)
        yield replace(own[0], text=part, left=place.left, top=place.top, right=right, bottom=place.bottom)


def _is_line(words: Sequence[Word]) -> bool:
    """Whether they stand on one line, which runs downwards on a turned page."""
    is_level = max(word.top for word in words) < min(word.bottom for word in words)
    return is_level or max(word.left for word in words) < min(word.right for word in words)


def places_of_notes(
    words: Sequence[TurnedWord], before: Sequence[TurnedWord], notes: Sequence[Extent]
) -> list[Extent]:
    """Where the words stand that notes have, one place for each note that has some.

    Args:
        words: of the page with the notes.
        before: of the page without them.
        notes: where they lie.
    """
    known = {_print_of(word) for word, _ in before}
    new = [word for word, _ in words if _print_of(word) not in known] if notes else []
    return [extent([new[place] for place in inside]) for inside in _inside(new, notes) if inside]


def _print_of(word: Word) -> tuple[str, int, int]:
    """What is the same for a word that is read twice."""
    return word.text, round(word.left / _SAME_PLACE), round(word.top / _SAME_PLACE)
