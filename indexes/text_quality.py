"""Judges from the text alone whether a page's text layer is readable; and cleans text of typesetting artefacts.

Fonts without a proper character map give words of shifted letters, glyph names, private-use or control characters.
Each limit is far from the values of 3,600 readable pages of annual reports:

- glyph names, and characters that print nothing, by their share of the text;
- words with figures or symbols between their letters, as when letters are shifted beyond Z;
- pairs of neighbouring letters. In English four of five pairs are among the 120 commonest, in other European
  languages at least two of five; when letters are shifted, by whatever for each word, one of five.
"""

import unicodedata
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from storage.lexicon.words import expression

_FEWEST_MARKS = 20
_FEWEST_NAMES = 10
_MARKS_SHARE = 0.05  # of the characters; readable pages have up to 0.02, from icon fonts
_NAMES_SHARE = 0.10
_FEWEST_BROKEN = 10
_BROKEN_SHARE = 0.15  # of the words; readable pages have up to 0.05, in names of genes and postcodes
_FEWEST_PAIRS_OF_LINE = 12
_FEWEST_PAIRS = 60  # letters in garbled lines; readable pages have up to 30, in foreign names
_COMMON_SHARE = 0.35  # of a line's pairs; a garbled line has fewer common pairs
_COMMON_SHARE_OF_PAGE = 0.40  # readable pages have 0.58 and more
_SENSELESS_SHARE = 0.04  # of the page's pairs; some pages are garbled only in part
_ABBREVIATION = 5  # letters; capitals up to here are tickers and currencies, not words

_GLYPH_NAME = expression(r"\(cid:\d+\)|GLYPH<[^>]{0,40}>|/(?:g|G|gid|cid|C|c|uni)\d[\dA-Fa-f]*(?![\w.-])")
_BEGIN_NAMES = ("(cid:", "GLYPH<", "/")
# Invisible or outside Unicode's rules; \x02 and \ufffe stand for hyphens at line ends.
_MARK = expression("[\x00\x01\x03-\x08\x0e-\x1f\x7f-\x9f\ufffd\ue000-\uf8ff\U000f0000-\U0010fffd]")
_BROKEN = expression(r"[A-Za-z][^A-Za-z\s'’./&,\-–—()“”\":+%_|•·*‐]+[A-Za-z]")
_LETTERS = expression(r"[A-Za-z]+")
_PAIRS = (
    # The 120 most common pairs in English annual reports.
    "in an th re er he on ti es at en nt te or nd ed co al it io ar to se of st me ng de as ve ur is ce ec ri li nc "
    "om ra ro ns ou ct ta ts di ic pr ma le ha em si na pa ne fo pe ss ca su ac ll et ia ea ch la mp be fi il el ie "
    "rt lo tr us rs ge un po ci ot ol iv mi no ai ir ab hi ni wi ex ly ul ee os vi id we im cu ty bl ny op sh ut rm "
    "lu ad fe ag pl qu ev "
    # Pairs of Polish, Czech, Finnish, Welsh and Maori, where fewer of the English pairs are common.
    "sz cz rz zy ow ki aa uu wa dd yn wy gy yd ka ko ku"
)
_IS_COMMON = np.zeros((256, 256), np.bool_)  # by the codes of two small letters
_IS_COMMON[tuple(np.array([[*map(ord, pair)] for pair in _PAIRS.split()]).T)] = True
_SMALL = 0x20  # the bit that makes a capital a small letter


def is_nonsense(text: str) -> bool:
    """Whether a large part of a page's text is garbled. False where there is too little text to decide.

    Args:
        text: of the page, one printed line on each line.
    """
    if _has_glyph_names(text) or _has_marks(text):
        return True
    plain = _plain(text)
    return _has_broken_words(plain) or _has_senseless_lines(plain)


def _has_glyph_names(text: str) -> bool:
    names = _GLYPH_NAME.findall(text) if any(mark in text for mark in _BEGIN_NAMES) else ()
    return len(names) >= _FEWEST_NAMES and sum(map(len, names)) >= _NAMES_SHARE * _printed(text)


def _has_marks(text: str) -> bool:
    marks = len(_MARK.findall(text))
    return marks >= _FEWEST_MARKS and marks >= _MARKS_SHARE * _printed(text)


def _printed(text: str) -> int:
    return sum(map(len, text.split()))


def _has_broken_words(text: str) -> bool:
    if len(_BROKEN.findall(text)) < _FEWEST_BROKEN:  # each broken word is found once or more
        return False
    words = [word for word in text.split() if _LETTERS.search(word)]
    broken = sum(_BROKEN.search(word) is not None for word in words)
    return broken >= _FEWEST_BROKEN and broken >= _BROKEN_SHARE * len(words)


def _has_senseless_lines(text: str) -> bool:
    number, common = _pairs_of_lines(text)
    is_judged = number >= _FEWEST_PAIRS_OF_LINE
    number, common = number[is_judged], common[is_judged]
    if number.sum() >= _FEWEST_PAIRS and common.sum() < _COMMON_SHARE_OF_PAGE * number.sum():
        return True
    senseless = number[common < _COMMON_SHARE * number].sum()
    return bool(senseless >= _FEWEST_PAIRS and senseless >= _SENSELESS_SHARE * number.sum())


def _plain(text: str) -> str:
    if text.isascii():
        return text
    parts = unicodedata.normalize("NFKD", text)
    marks = dict.fromkeys(ord(c) for c in set(parts) if unicodedata.combining(c))
    return parts.translate(marks) if marks else parts


def _pairs_of_lines(text: str) -> NDArray[np.float64]:
    """How many pairs of neighbouring letters each line has inside words, and how many of them are common.

    Abbreviations are no words.
    """
    codes = np.frombuffer("\n".join(["", *text.splitlines(), ""]).encode("latin-1", "replace"), np.uint8)
    letters = codes | _SMALL
    is_letter = (letters >= ord("a")) & (letters <= ord("z"))
    begins = np.flatnonzero(is_letter[1:] & ~is_letter[:-1]) + 1
    ends = np.flatnonzero(is_letter[:-1] & ~is_letter[1:]) + 1
    small = np.cumsum(is_letter & (codes == letters))
    is_word = (ends - begins > _ABBREVIATION) | (small[ends - 1] > small[begins - 1])
    begins, ends = begins[is_word], ends[is_word]
    pairs_to = np.cumsum(_IS_COMMON[letters[:-1], letters[1:]])
    pairs = ends - begins - 1, np.where(ends - begins > 1, pairs_to[ends - 2] - pairs_to[begins - 1], 0)
    lines = np.cumsum(codes == ord("\n"))[begins]
    return np.array([np.bincount(lines, each) for each in pairs])


_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_BROKEN_LIGATURE = expression(r"([ﬀ-ﬆ]) (?=[a-z])")
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff\ufffe"))
_GLYPH_TOKEN = expression(r"GLYPH<[^>\s]{0,99}>|GLYPH&lt;[^&\s]{0,99}&gt;|/(?:g|G|uni|gid|cid)\d+\b|\(cid:\d+\)")
_CONTROL = expression(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ue000-\uf8ff]")
_ESCAPED = {"&amp;": "&", "&lt;": "<", "&gt;": ">"}
_WORD_END = expression(r"[^\W\d_]{2}-$")
_WORD_START = expression(r"^[a-zà-öø-ÿ]{2,}")


# What any of the rules of `cleaned` begins at; most lines have none of it.
_UNCLEAN = expression(
    r"[\x00-\x1f\x7f-\x9f\xad\u200b-\u200d\u2060\ufb00-\ufb06\ufeff\ufffe\ue000-\uf8ff&]|GLYPH<|\(cid:|/[Ggcu]"
)


def cleaned(text: str) -> str:
    """The text with ligatures spelt out and single spaces, without glyph names, invisible and control characters."""
    if _UNCLEAN.search(text) is None:
        return " ".join(text.split())
    text = text.replace("\x02", "-")
    text = _BROKEN_LIGATURE.sub(r"\1", text)
    for ligature, letters in _LIGATURES.items():
        text = text.replace(ligature, letters)
    text = _GLYPH_TOKEN.sub(" ", text).translate(_INVISIBLE)
    for entity, character in _ESCAPED.items():
        text = text.replace(entity, character)
    return " ".join(_CONTROL.sub(" ", text).split())


def joined_lines(lines: Sequence[str]) -> str:
    """A paragraph's cleaned lines as one text. A word that is hyphenated at a line's end is joined.

    The hyphen is removed only between letters, never next to a digit: "2021-" and "2022" stay two numbers. A compound
    broken at its own hyphen ("non-" and "controlling") loses it, since the page does not show the difference.
    """
    text = ""
    for line in lines:
        if text and _WORD_END.search(text[-3:]) and _WORD_START.match(line):
            text = text[:-1] + line
        else:
            text = f"{text} {line}" if text else line
    return text
