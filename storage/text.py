"""Text brought to one form, so that what is compared differs only where it means something else."""

import re
import unicodedata

_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
_QUOTES = {ord(a): b for a, b in zip("‘’‚‛“”„‟", "''''\"\"\"\"", strict=True)}
_SOFT = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\ufeff"))
_ACCENT = re.compile(r"(?<=[a-zA-Z])[\u0300-\u036f]+")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_WORD = re.compile(r"[^\W_]+(?:[.,'&][^\W_]+)*")


def plain(text: str) -> str:
    """NFKC (ligatures, full-width forms), ASCII dashes and quotes, soft hyphens gone, single spaces."""
    folded = unicodedata.normalize("NFKC", text).translate(_DASHES).translate(_QUOTES).translate(_SOFT)
    return " ".join(folded.split())


def storable(text: str) -> str:
    """Text that every file and database takes: a zero byte or half of a sign beyond 16 bits becomes U+FFFD."""
    return _UNSTORABLE.sub("\ufffd", text)


def unaccented(text: str) -> str:
    """Latin letters without accents and umlauts, "ß" as "ss": capitals are often printed without them."""
    if text.isascii():
        return text
    bare = _ACCENT.sub("", unicodedata.normalize("NFD", text)).replace("ß", "ss")
    return unicodedata.normalize("NFC", bare)


def fingerprint(text: str) -> str:
    """Only letters, digits and the signs that change a figure, lower case: for finding a quote on its page."""
    return re.sub(r"[^\w.,()%]", "", plain(text).lower().replace("|", ""))


def words(text: str) -> list[str]:
    """Lower-case words in order; "U.S." and "1,249.5" stay whole."""
    return _WORD.findall(plain(text).lower())
