"""Repairs almost correct JSON of a model without changing any value.

json-repair closes open brackets, but truncates values that it cannot read: `1 234` becomes 1 and `3 million` becomes 3.
So an invalid bare value is quoted first, and the form reads or refuses it. A text that breaks off is not repaired.
"""

import difflib
import json
import re
from collections.abc import Iterator
from typing import Any, get_args

import json_repair
from pydantic import BaseModel

from storage.lexicon.words import expression

_FENCE = expression(r"\A\s*(?:```|~~~)\w*\s*(.*?)\s*(?:```|~~~)?\s*\Z", re.DOTALL)
_BARE = expression(
    r"""(?P<key>(?:["']|(?<=[{,\n]))\s{0,99}+\b(?P<name>[A-Za-z][\w -]{0,99})["']?\s{0,99}+:[ \t]*)
        (?P<value>(?![\s"'“‘\[{])[^\n}]*?)
        (?=\s{0,99}+(?:,\s{0,99}+(?:["'“}\]/\#]|\w{1,99}+["']?\s{0,99}+:|$)|[}\n]|\Z))""",
    re.VERBOSE,
)
_LITERAL = expression(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|True|False|None")
_OPEN_END = expression(r"""\{|["'][\w -]+["']\s*:""")
_SINGLE_QUOTED = expression(r"""[{,]\s*'[\w -]+'\s*:""")
_MOST_LEVELS = 4
_CLOSE = 0.9  # similarity of a misspelt name to the field's name


def repair(text: str, form: type[BaseModel]) -> dict[str, Any] | None:
    """The last object in a text that has the form's fields, with small mistakes repaired; None where there is none.

    Names in other spellings are replaced by the form's, and an object nested in another one is taken out. The result
    is also None where the text breaks off, and where either of two objects could be meant.
    """
    found = _load(text, form)
    items = found if isinstance(found, list) else [found]
    forms = [meant for item in items if (meant := _form_in(item, form, _MOST_LEVELS)) is not None]
    return forms[-1] if forms else None


def named_as_in(form: type[BaseModel], value: dict[str, Any]) -> dict[str, Any]:
    """An object whose names are replaced by the form's, where they differ in case, spelling or punctuation."""
    fields = form.model_fields
    left = [name for name in fields if name not in value]
    named: dict[str, Any] = {}
    for key, item in value.items():
        name = key if key in fields else _name_meant(key, left)
        if name in left:
            left.remove(name)
        named[name] = _named_below(form, name, item)
    return named


def _load(text: str, form: type[BaseModel]) -> Any:
    try:
        bare = json.loads(_FENCE.sub(r"\1", text))
    except (ValueError, RecursionError):
        bare = None
    if isinstance(bare, str):  # an object written as a string
        text = bare
    tail = text.rpartition("}")[2]
    if _OPEN_END.search(tail) or re.search(r"""["']\s*+:\s*+,?\s*+}""", text):
        return None
    names = set(_names(form))

    def quoted(match: re.Match[str]) -> str:
        value = match["value"].strip()
        is_tuple = value.startswith("(") and re.search("[\"']", value)
        if _letters(match["name"]) not in names or _LITERAL.fullmatch(value) or is_tuple:
            return match[0]
        return match["key"] + json.dumps(value, ensure_ascii=False)

    try:
        found = json_repair.loads(_BARE.sub(quoted, text))
    except (ValueError, RecursionError):  # brackets nested thousands deep
        return None
    return None if _SINGLE_QUOTED.search(text) and any(_is_torn(each, text) for each in _texts(found)) else found


def _is_torn(value: str, text: str) -> bool:
    """Whether a text in single quotes runs past its end, as after an apostrophe inside."""
    return value.endswith("'") and re.search(re.escape(value) + r"\s*[,}\]]", text) is not None


def _form_in(value: Any, form: type[BaseModel], levels: int) -> dict[str, Any] | None:
    """The object itself, or the only nested object that has the form's last field."""
    if isinstance(value, str) and value.lstrip().startswith("{") and levels:
        return repair(value, form)
    if not isinstance(value, dict):
        return None
    named = named_as_in(form, value)
    if list(form.model_fields)[-1] in named or not levels:
        return named
    below = [inner for item in value.values() if (inner := _form_in(item, form, levels - 1)) is not None]
    below = [inner for inner in below if list(form.model_fields)[-1] in inner]
    return below[0] if len(below) == 1 else None if below else named


def _name_meant(key: str, fields: list[str]) -> str:
    for name in fields:
        if _letters(name) == _letters(key):
            return name
    close = difflib.get_close_matches(key.lower(), fields, n=2, cutoff=_CLOSE)
    return close[0] if len(close) == 1 else key


def _named_below(form: type[BaseModel], name: str, item: Any) -> Any:
    inner = _form_of(form, name)
    if inner is None:
        return item
    if isinstance(item, list):
        return [named_as_in(inner, each) if isinstance(each, dict) else each for each in item]
    return named_as_in(inner, item) if isinstance(item, dict) else item


def _form_of(form: type[BaseModel], name: str) -> type[BaseModel] | None:
    """The form of a field's value, or of the items of its list."""
    field = form.model_fields.get(name)
    return _form_within(field.annotation) if field else None


def _form_within(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _form_within(part))), None)


def _names(form: type[BaseModel]) -> Iterator[str]:
    for name in form.model_fields:
        yield _letters(name)
        inner = _form_of(form, name)
        if inner is not None:
            yield from _names(inner)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(item)


def _letters(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
