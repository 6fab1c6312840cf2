"""Texts freed of what the typesetter left in them, without touching a number."""

import re
from collections.abc import Sequence

_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_BROKEN_LIGATURE = re.compile(r"([ﬀ-ﬆ]) (?=[a-z])")
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff\ufffe"))
_GLYPH_TOKEN = re.compile(r"GLYPH<[^>\s]*>|GLYPH&lt;[^&\s]*&gt;|/(?:g|G|uni|gid|cid)\d+\b|\(cid:\d+\)")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ue000-\uf8ff]")
_ESCAPED = {"&amp;": "&", "&lt;": "<", "&gt;": ">"}
_WORD_END = re.compile(r"[^\W\d_]{2,}-$")
_WORD_START = re.compile(r"^[a-zà-öø-ÿ]{2,}")


def cleaned(text: str) -> str:
    """Ligatures spelt out; glyph tokens, invisible and control characters gone; single spaces."""
    text = text.replace("\x02", "-")
    text = _BROKEN_LIGATURE.sub(r"\1", text)
    for ligature, letters in _LIGATURES.items():
        text = text.replace(ligature, letters)
    text = _GLYPH_TOKEN.sub(" ", text).translate(_INVISIBLE)
    for entity, character in _ESCAPED.items():
        text = text.replace(entity, character)
    return " ".join(_CONTROL.sub(" ", text).split())


def joined_lines(lines: Sequence[str]) -> str:
    """A paragraph's cleaned lines as one text; a word broken at a line's end with a hyphen is closed up.

    The hyphen goes only between letters, never next to a digit: "2021-" and "2022" stay two numbers. A compound
    broken at its own hyphen ("non-" and "controlling") loses it, as nothing on the page tells the two apart.
    """
    text = ""
    for line in lines:
        if text and _WORD_END.search(text) and _WORD_START.match(line):
            text = text[:-1] + line
        else:
            text = f"{text} {line}" if text else line
    return text
