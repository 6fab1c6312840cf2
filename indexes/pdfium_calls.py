"""PDFium's functions, called for thousands of characters and drawn things of a page.

`pypdfium2.raw` makes an object of each argument, which takes longer than most of these calls. Here they take addresses,
and fill the rows of arrays.
"""

import ctypes
from collections import deque
from collections.abc import Iterable
from typing import Any

import numpy as np
import pypdfium2.raw as raw
from numpy.typing import NDArray

Addresses = NDArray[np.uint64]


def address_of(handle: Any) -> int:
    """Where PDFium has what a handle of `pypdfium2` stands for."""
    return ctypes.cast(handle, ctypes.c_void_p).value or 0


def _quick(function: Any, result: Any, *arguments: Any) -> Any:
    return ctypes.PYFUNCTYPE(result, *arguments)(address_of(function))


_ADDRESS, _INT = ctypes.c_size_t, ctypes.c_int
unicode = _quick(raw.FPDFText_GetUnicode, ctypes.c_uint, _ADDRESS, _INT)
is_supposed = _quick(raw.FPDFText_IsGenerated, ctypes.c_bool, _ADDRESS, _INT)
is_unknown = _quick(raw.FPDFText_HasUnicodeMapError, ctypes.c_bool, _ADDRESS, _INT)
is_hyphen = _quick(raw.FPDFText_IsHyphen, ctypes.c_bool, _ADDRESS, _INT)
text_object = _quick(raw.FPDFText_GetTextObject, _ADDRESS, _ADDRESS, _INT)
loose_box = _quick(raw.FPDFText_GetLooseCharBox, _INT, _ADDRESS, _INT, _ADDRESS)
origin = _quick(raw.FPDFText_GetCharOrigin, _INT, _ADDRESS, _INT, _ADDRESS, _ADDRESS)
matrix = _quick(raw.FPDFText_GetMatrix, _INT, _ADDRESS, _INT, _ADDRESS)
font = _quick(raw.FPDFTextObj_GetFont, _ADDRESS, _ADDRESS)
font_size = _quick(raw.FPDFTextObj_GetFontSize, _INT, _ADDRESS, _ADDRESS)
render_mode = _quick(raw.FPDFTextObj_GetTextRenderMode, _INT, _ADDRESS)
page_object = _quick(raw.FPDFPage_GetObject, _ADDRESS, _ADDRESS, _INT)
form_object = _quick(raw.FPDFFormObj_GetObject, _ADDRESS, _ADDRESS, _INT)
kind = _quick(raw.FPDFPageObj_GetType, _INT, _ADDRESS)
fill_colour = _quick(raw.FPDFPageObj_GetFillColor, _INT, *(5 * [_ADDRESS]))
clip_path = _quick(raw.FPDFPageObj_GetClipPath, _ADDRESS, _ADDRESS)
count_clip_paths = _quick(raw.FPDFClipPath_CountPaths, _INT, _ADDRESS)
count_segments = _quick(raw.FPDFClipPath_CountPathSegments, _INT, _ADDRESS, _INT)
segment = _quick(raw.FPDFClipPath_GetPathSegment, _ADDRESS, _ADDRESS, _INT, _INT)
point = _quick(raw.FPDFPathSegment_GetPoint, _INT, _ADDRESS, _ADDRESS, _ADDRESS)
draw_mode = _quick(raw.FPDFPath_GetDrawMode, _INT, _ADDRESS, _ADDRESS, _ADDRESS)
pixels = _quick(raw.FPDFImageObj_GetImagePixelSize, _INT, _ADDRESS, _ADDRESS, _ADDRESS)
object_matrix = _quick(raw.FPDFPageObj_GetMatrix, _INT, _ADDRESS, _ADDRESS)
count_form_objects = _quick(raw.FPDFFormObj_CountObjects, _INT, _ADDRESS)
_bounds = _quick(raw.FPDFPageObj_GetBounds, _INT, *(5 * [_ADDRESS]))


def addresses(call: Any, *arguments: Iterable[int]) -> Addresses:
    """What a function that gives addresses gives for each set of arguments."""
    return np.fromiter(map(call, *arguments), np.uint64)


def numbers(call: Any, *arguments: Iterable[int]) -> NDArray[np.intp]:
    """What a function that gives numbers gives for each set of arguments."""
    return np.fromiter(map(call, *arguments), np.intp)


def rows(call: Any, count: int, width: int, kind_: Any, *arguments: Iterable[int]) -> NDArray[Any]:
    """What a function writes into one place for each set of arguments, as an array of so many rows."""
    filled = np.zeros((count, width), kind_)
    first, step = filled.ctypes.data, filled.itemsize * width
    deque(map(call, *arguments, range(first, first + step * count, step)), maxlen=0)
    return filled


def sides(call: Any, count: int, width: int, kind_: Any, *arguments: Iterable[int]) -> NDArray[Any]:
    """The same for a function that writes each number into a place of its own."""
    filled = np.zeros((count, width), kind_)
    first, step = filled.ctypes.data, filled.itemsize * width
    begins = range(first, first + step, filled.itemsize)
    deque(map(call, *arguments, *(range(b, b + step * count, step) for b in begins)), maxlen=0)
    return filled


def bounds(drawn: Addresses) -> NDArray[np.float32]:
    """Left, bottom, right and top of each drawn thing."""
    return sides(_bounds, len(drawn), 4, np.float32, drawn.tolist())
