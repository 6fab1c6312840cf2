"""Write docs/settings.md from the settings models: `python -m tests.support.settings_page`, or `make docs`."""

from collections.abc import Iterator
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from app.settings import Settings
from tests.support.samples import ROOT

PAGE = ROOT / "docs" / "settings.md"
_BOUNDS = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}
_TITLES = {
    "reader": "How PDFs are read",
    "tables": "Tables written out as sentences",
    "chunking": "How pages are cut into chunks",
    "embedding": "The embedding model",
    "vector_store": "Where vectors are searched",
    "retrieval": "Which pages are found",
    "rerank": "How pages are put in order",
    "understanding": "Who reads the question",
    "answers": "Who answers, and how strictly",
    "verification": "What happens when a check fails",
    "llm": "The language model",
    "ingest": "Where reports are read",
    "runs": "The log of questions",
    "caches": "How much is cached, and for how long",
    "chat": "The chat",
    "serve": "The REST API and MCP over HTTP",
}
_HEAD = """\
<!-- Written by `make docs` from the settings models. Do not edit it by hand. -->

# Settings

A setting has a section and a name, such as `retrieval.pages`. A value can come from five places. A later place
overrides an earlier one:

1. the default,
2. the profile: `--profile NAME`,
3. the file `pageproof.toml` in the current folder,
4. the environment: `PAGEPROOF__RETRIEVAL__PAGES=14`,
5. the command line: `--set retrieval.pages=14`.

```toml pageproof.toml
[retrieval]
pages = 14
```

```console
pageproof ask "What was the gross profit of Ostermere Instruments?" --set retrieval.pages=14
```

`pageproof settings` prints every setting in effect and where its value comes from. `pageproof settings --init` writes a
`pageproof.toml` with all of them as comments.

A profile of your own is a file in `profiles/` beside `pageproof.toml` or in the library's folder, and its name is the
file's: `profiles/team.toml` is `--profile team`. A path works too: `--profile ./team.toml`. `extends` names the profile
that it changes:

```toml profiles/team.toml
extends = "offline"
[retrieval]
pages = 5
```

```console
pageproof settings --profile team
```

An unknown name is an error, and the message lists the known names. `None` means that there is no value. Keys of
providers are not settings: they come from the providers' usual environment variables only (see
[Models and providers](models.md#keys)). The library lies in `./data`; the variable `PAGEPROOF_DATA` or the option
`--data` names another folder.
"""


def page() -> str:
    """The page as it should be."""
    return "\n".join([_HEAD, *(line for section in Settings.model_fields for line in _section(section))])


def choices(section: str, key: str) -> frozenset[str]:
    """The words that a setting may be; none where it is free."""
    kinds = Settings.unions.get(section) or (Settings.model_fields[section].annotation,)
    fields = [kind.model_fields[key] for kind in kinds if kind is not None and key in kind.model_fields]
    words = [
        {w for part in _flat(f.annotation) if get_origin(part) is Literal for w in get_args(part)} for f in fields
    ]
    return frozenset().union(*words) if all(words) else frozenset()


def _section(section: str) -> Iterator[str]:
    kinds = Settings.unions.get(section)
    yield f"## `{section}`{': ' if section in _TITLES else ''}{_TITLES.get(section, '')}\n"
    if kinds is None:
        annotation = Settings.model_fields[section].annotation
        assert isinstance(annotation, type)
        yield from _table(section, annotation)
        return
    default = Settings.model_fields[section].get_default(call_default_factory=True)
    defaults = [kind.model_fields["kind"].default for kind in kinds]
    names = ["package.module:Class" if name is PydanticUndefined else name for name in defaults]
    shared = [n for n in kinds[0].model_fields if n != "kind" and all(_same(kinds, n))]
    yield f"`{section}.kind` is one of {_either(names)}; the default is `{default.kind}`.\n"
    if shared:
        yield "For every kind:\n"
        yield from _table(section, kinds[0], only=shared)
    for kind, name in zip(kinds, names, strict=True):
        own = [field for field in kind.model_fields if field not in ("kind", *shared)]
        if own:
            yield "For a class of your own:\n" if ":" in name else f"For `{section}.kind={name}`:\n"
            yield from _table(section, kind, only=own)


def _same(kinds: tuple[type[BaseModel], ...], name: str) -> Iterator[bool]:
    first = kinds[0].model_fields[name]
    for kind in kinds:
        other = kind.model_fields.get(name)
        yield other is not None and (other.description, other.default) == (first.description, first.default)


def _table(section: str, options: type[BaseModel], only: list[str] | None = None) -> Iterator[str]:
    yield "| setting | default | values | |\n|---|---|---|---|"
    for name, field in options.model_fields.items():
        if only is None or name in only:
            cells = (f"`{section}.{name}`", _default(field), _values(field), field.description or "")
            yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
    yield ""


def _default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True)
    if value is PydanticUndefined:
        return "none; needed"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{value or None}`" if isinstance(value, tuple | str) else f"`{value}`"


def _values(field: FieldInfo) -> str:
    """What may be written, and its bounds."""
    kinds = [kind for kind in _flat(field.annotation) if kind is not NoneType]
    bounds = " and ".join(
        f"{word} {getattr(rule, key):g}"
        for rule in field.metadata
        for key, word in _BOUNDS.items()
        if getattr(rule, key, None) is not None
    )
    return " ".join(filter(None, (", ".join(map(_named, kinds)), bounds)))


def _flat(annotation: Any) -> Iterator[Any]:
    """The alternatives of an annotation."""
    if get_origin(annotation) in (None, Literal, tuple, dict):
        yield annotation
        return
    for part in get_args(annotation):
        yield from _flat(part)


def _named(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return _either(get_args(kind))
    if get_origin(kind) is tuple:
        return "texts, separated by commas"
    if get_origin(kind) is dict:
        return "a table, or JSON"
    return {bool: "`true`, `false`", int: "a whole number", float: "a number", str: "a text", Path: "a path"}[kind]


def _either(values: Any) -> str:
    return ", ".join(f"`{value}`" for value in values)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
