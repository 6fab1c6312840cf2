"""Reads values that a model wrote in the right field but in another spelling.

Each reader turns a loosely written value into the type that the form declares, and leaves the rest to pydantic. A
value with two possible meanings is refused; the model is then asked again instead of guessing.
"""

import json
import math
import re
from collections.abc import Iterable
from typing import TypeVar

from storage.records.answers import NOT_AVAILABLE

T = TypeVar("T", int, float)

_NOT_AVAILABLE = re.compile(r"(?i)n\s*+[./\\]?\s*+a\.?|not (?:available|applicable)\.?|none\.?|null|")
_TRUTH = {"yes": True, "true": True, "no": False, "false": False}
_CURRENCY = re.compile(
    r"(?:US|AU|CA|NZ|HK|A|C|S)?\$|[€£¥]"
    r"|\b(?:AUD|CAD|CHF|CNY|DKK|EUR|GBP|HKD|ILS|INR|JPY|NOK|NZD|RMB|SEK|SGD|USD|ZAR)\b"
)
_NUMBER = re.compile(r"(?P<sign>-?)(?P<whole>\d{1,3}(?:[,'’ ]\d{3})+|\d+)(?P<decimals>\.\d+)?")
_PAGE = re.compile(r"(?i)(?:p(?:age|\.)?\s*)?(\d+)(?:\.0)?")
_MARK = re.compile(r"(?<!\d)\d+\.\d+")
_SCALES = {"unit": 1, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_BULLETS = "-–•* \t"


def is_not_available(value: object) -> bool:
    """Whether the value is one of the ways to write N/A: null, an empty text or list, "n/a.", "not available"."""
    if isinstance(value, list):
        return all(is_not_available(item) for item in value)
    return value is None or (isinstance(value, str) and _NOT_AVAILABLE.fullmatch(value.strip()) is not None)


MOST_ITEMS = 1_000  # of a list
LONGEST_TEXT = 100_000
LARGEST = 1e18  # a figure; the largest of real reports, in the smallest currencies, have 16 digits


def read_bounded(value: object) -> object:
    """A value of a size that an answer can have, its texts without half characters and zero bytes.

    Raises:
        ValueError: it is larger than any answer's. Nothing is cut, since a part of it would look whole.
    """
    if isinstance(value, list):
        if len(value) > MOST_ITEMS:
            raise ValueError(f"expected at most {MOST_ITEMS} items, got {len(value):,}")
        return [read_bounded(item) for item in value]
    if isinstance(value, str):
        if len(value) > LONGEST_TEXT:
            raise ValueError(f"expected at most {LONGEST_TEXT:,} characters, got {len(value):,}")
        # Half a character cannot be stored, and no database takes a zero byte.
        whole = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return whole.replace("\0", "\ufffd")
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _bounded(value)
    return value


def _bounded(number: T) -> T:
    if not -LARGEST <= number <= LARGEST:  # NaN is in no bounds
        raise ValueError(f"expected a figure of at most {LARGEST:g}")
    return number


def read_number(value: object) -> object:
    """A figure as printed, such as "(28,641)" or "12.5%", as a float; "as printed"; any spelling of N/A as "N/A".

    Raises:
        ValueError: for a boolean, which pydantic would read as 1 or 0; for infinity and NaN; and for a text
            that is not exactly one figure: "12,5" and "3 million" could mean two numbers.
    """
    if is_not_available(value):
        return NOT_AVAILABLE
    if isinstance(value, str) and (text := value.strip().rstrip(".").lower().replace("_", " ")) == "as printed":
        return text
    if isinstance(value, bool) or (isinstance(value, float) and not math.isfinite(value)):
        raise ValueError(f"expected a number or 'N/A', got {value!r}")
    return _figure(value) if isinstance(value, str) else value


def read_relevance(value: object) -> object:
    """A figure from 0 to 1, or a text such as "0.7", rounded to steps of 0.1.

    Raises:
        ValueError: for any other figure: 7 could mean 0.7 or be a mistake.
    """
    found = read_number(value)
    if not isinstance(found, int | float) or not 0 <= found <= 1:
        raise ValueError(f"expected a figure from 0 to 1, got {value!r}")
    return round(float(found), 1)


def read_boolean(value: object) -> object:
    """Yes, no, true and false, in upper or lower case, as a boolean; any spelling of N/A as "N/A"."""
    if is_not_available(value):
        return NOT_AVAILABLE
    return _TRUTH.get(value.strip().rstrip(".").lower(), value) if isinstance(value, str) else value


def read_text(value: object) -> object:
    """A text without white space around it; the lines of a list, joined; any spelling of N/A as "N/A"."""
    if is_not_available(value):
        return NOT_AVAILABLE
    value = read_lines(value)
    return value.strip() if isinstance(value, str) else value


def read_lines(value: object) -> object:
    """A text, also from a list of its lines, since models write steps as a list."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "\n".join(value)
    return value


def read_name(value: object) -> object:
    """One name, also as a list of one; any spelling of N/A as "N/A". Several names are refused."""
    if isinstance(value, list) and len(value) > 1:
        raise ValueError(f"expected one name, got {value!r}")
    return read_text(value)


def read_names(value: object) -> object:
    """Each name once, in the given order. A single text is split at line ends and semicolons, never at commas."""
    if is_not_available(value):
        return NOT_AVAILABLE
    if isinstance(value, str):
        text = value.strip()
        value = _json(text) if text.startswith("[") else re.split(r"[\n;]", text)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        return value
    return _each_once(item.strip(_BULLETS) for item in value if not is_not_available(item)) or NOT_AVAILABLE


def read_sentences(value: object) -> object:
    """Sentences with the numbers of their passages; a plain text has none. Any spelling of N/A becomes "N/A"."""
    if is_not_available(value):
        return NOT_AVAILABLE
    try:
        items = read_list(value)
    except ValueError:  # a text that begins like JSON but is not
        items = [value]
    if not isinstance(items, list):
        return items
    sentences = [{"text": item, "evidence_numbers": []} if isinstance(item, str) else item for item in items]
    given = [s for s in sentences if not (isinstance(s, dict) and is_not_available(s.get("text")))]
    return given or NOT_AVAILABLE


def read_count(value: object) -> object:
    """A number in a list; a boolean is refused, since pydantic would read it as 1 or 0."""
    if isinstance(value, bool):
        raise ValueError(f"expected a whole number, got {value!r}")
    return value


def read_kind(value: object) -> object:
    """A kind of answer in upper or lower case; "string" of question files is "text"."""
    if not isinstance(value, str):
        return value
    word = value.strip().rstrip(".").lower()
    return "text" if word == "string" else word


def read_page(value: object) -> object:
    """A page number, also from "42" and "page 42"; a boolean is refused, since pydantic would read it as page 1."""
    if isinstance(value, bool):
        raise ValueError(f"expected a page number, got {value!r}")
    match = _PAGE.fullmatch(value.strip()) if isinstance(value, str) else None
    return int(match[1]) if match else value


def read_mark(value: object) -> object:
    """A mark such as "61.3", also as a number and from "[61.3]" and "page 61.3"; empty where there is none."""
    if isinstance(value, bool):
        raise ValueError(f"expected a mark, got {value!r}")
    text = read_optional(str(value) if isinstance(value, int | float) else value)
    found = _MARK.search(text) if isinstance(text, str) else None
    return found[0] if found else text or ""


def read_list(value: object) -> object:
    """Null as an empty list, a single value as a list of one, a list written as a text as that list."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        value = _json(value)
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("expected a list, got lists in lists without end") from error


def read_scale(value: object) -> object:
    """A scale, also from "1,000" and "in thousands"; null for a fraction of the unit, such as cents.

    Raises:
        ValueError: for a boolean, which pydantic would read as a scale of 1.
    """
    if isinstance(value, bool):
        raise ValueError(f"expected a scale, got {value!r}")
    if isinstance(value, float) and 0 < value < 1:
        return None
    if not isinstance(value, str):
        return value
    text = value.strip().lower().removeprefix("in ").replace(",", "")
    return None if is_not_available(text) else _SCALES.get(text.removesuffix("s"), text)


def read_optional(value: object) -> object:
    """A text, or null where a model wrote "null", "none" or nothing."""
    return None if is_not_available(value) else read_text(value)


def read_currency(value: object) -> object:
    """A currency code in capitals, or null."""
    text = read_optional(value)
    return text.upper() if isinstance(text, str) else text


def read_reason(value: object) -> object:
    """A reason, also from "Not found." and "other-currency"; null where a model wrote "null" or nothing."""
    text = read_optional(value)
    return re.sub(r"[\s-]+", "_", text.rstrip(".").lower()) if isinstance(text, str) else text


def read_relation(value: object) -> object:
    """A relation, also from "Other period"; "same" where a model wrote nothing."""
    return read_reason(value) or "same"


def _figure(text: str) -> float:
    bare = _CURRENCY.sub("", re.sub(r"[−–‒]", "-", text).replace("\u00a0", " ").replace("\u202f", " "))
    bare = bare.replace("%", "").strip()
    bracketed = bare.startswith("(") and bare.endswith(")")
    match = _NUMBER.fullmatch((bare[1:-1] if bracketed else bare).replace("- ", "-").strip())
    if match is None:
        raise ValueError(f"expected one number or 'N/A', got {text!r}")
    size = float(re.sub(r"\D", "", match["whole"]) + (match["decimals"] or ""))
    return _bounded(-size if bracketed or match["sign"] else size)


def _each_once(names: Iterable[str]) -> list[str]:
    by_key: dict[str, str] = {}
    for name in names:
        by_key.setdefault(name.casefold(), name)
    return list(by_key.values())
