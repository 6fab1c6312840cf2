"""Components of one's own, named in a setting by their path or by the name that a package gives them.

A path is `package.module:Class`. A package can also register a class as an entry point, so that its plain name is
enough: in its `pyproject.toml`, `[project.entry-points."pageproof.rerankers"]` with `mine = "package.module:Class"`.
"""

import importlib.util
import inspect
import json
import re
import sys
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ValidationError

from storage.errors import PageproofError, UsageError
from storage.lexicon.words import expression

T = TypeVar("T")
Group = Literal[
    "readers",
    "chunkers",
    "embeddings",
    "vector_stores",
    "retrievers",
    "rerankers",
    "llms",
    "programs",
    "checks",
]


def as_object(value: object) -> object:
    """A text of JSON as what it says, since the command line and the environment give texts."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except RecursionError as error:
        raise ValueError("lists in lists without an end") from error


ComponentOptions = Annotated[dict[str, Any], BeforeValidator(as_object)]
_LONGEST_SHOWN = 40
_WITHOUT_OPTIONS: tuple[Group, ...] = ("programs", "checks")  # no setting has any for them
_PATH = expression(r"\A[A-Za-z_]\w*+(?:\.\w++)*+:[A-Za-z_]\w*+(?:\.\w++)*+\Z")


def known_kind(group: Group, *built_in: str) -> Callable[[str], str]:
    """A validator of a setting that takes one of these words, a path, or the name of an entry point."""

    def known(value: str) -> str:
        if value in built_in or _PATH.fullmatch(value) or value in registered(group):
            return value
        words = ", ".join(map(repr, (*built_in, *registered(group))))
        raise ValueError(f"expected {words or 'a name'}, or a class as 'package.module:Class'")

    return known


def registered(group: Group) -> tuple[str, ...]:
    """The names that installed packages give to their components of a group."""
    return tuple(sorted(entry.name for entry in metadata.entry_points(group=f"pageproof.{group}")))


def make_component(
    group: Group, kind: str, options: Mapping[str, Any], where: str, expected: type[T], **given: Any
) -> T:
    """The component that a setting names.

    A class whose first parameter is annotated with a pydantic model gets that model, made of the options; any other is
    called with the options by name.

    Args:
        group: of entry points.
        kind: a path, or a name of an entry point.
        options: from the settings.
        where: the setting, for messages, such as "rerank.kind".
        expected: what it must be.
        given: further arguments, which are passed only if the class takes them.

    Raises:
        UsageError: it cannot be imported, the options do not fit, or it is something else.
    """
    cls = _loaded(group, kind, where)
    if not isinstance(cls, type) and isinstance(cls, expected):  # an object of a module
        return cls
    if not callable(cls):
        raise UsageError(f"{where}: {kind!r} is {type(cls).__name__}, expected a class")
    try:
        made = cls(*_arguments(cls, options), **_keywords(cls, options, given))
    except PageproofError:
        raise
    except (TypeError, ValidationError, ValueError) as error:
        raise UsageError(_misfit(group, kind, where, _taken(cls, given), error)) from error
    if not isinstance(made, expected):
        raise UsageError(f"{where}: {kind!r} makes a {type(made).__name__}, expected a {expected.__name__}")
    return made


def _loaded(group: Group, kind: str, where: str) -> Any:
    entries = {entry.name: entry.value for entry in metadata.entry_points(group=f"pageproof.{group}")}
    module, _, name = entries.get(kind, kind).partition(":")
    top = module.partition(".")[0]
    if top not in sys.modules and importlib.util.find_spec(top) is None:
        sys.path.append(str(Path.cwd()))  # last, so that nothing else is found there before its own place
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except ImportError as error:
        raise UsageError(f"{where}: {kind!r} cannot be imported: {error}") from error
    except AttributeError as error:
        raise UsageError(f"{where}: the module {module!r} has no {name!r}") from error
    return found


def _options_model(cls: Any) -> type[BaseModel] | None:
    try:
        first = next(iter(inspect.signature(cls, eval_str=True).parameters.values()), None)
    except (NameError, TypeError, ValueError):
        return None
    annotation = first.annotation if first else None
    return annotation if isinstance(annotation, type) and issubclass(annotation, BaseModel) else None


def _arguments(cls: Any, options: Mapping[str, Any]) -> tuple[BaseModel, ...]:
    model = _options_model(cls)
    return () if model is None else (model.model_validate(options),)


def _taken(cls: Any, given: Mapping[str, Any]) -> str:
    """What a class wants to be made with, besides what it is given."""
    model = _options_model(cls)
    names = tuple(model.model_fields if model else inspect.signature(cls).parameters)
    return ", ".join(name for name in names if name not in given) or "no options"


def _misfit(group: Group, kind: str, where: str, takes: str, error: Exception) -> str:
    """Which setting does not fit a class, what the class takes, and what it was given."""
    section = where.partition(".")[0]
    place = (
        f"{where}: {kind!r} is made without options"
        if group in _WITHOUT_OPTIONS
        else f"{section}.options do not fit {kind!r}"
    )
    detail = _problems(error) if isinstance(error, ValidationError) else " ".join(str(error).split())
    return f"{place}, which takes {takes}: {detail}"


def _problems(error: ValidationError) -> str:
    """What a pydantic model refuses: which field, what was found, and what was expected."""
    return "; ".join(
        f"{'.'.join(map(str, problem['loc']))}: {plain_message(problem['msg'])}"
        + ("" if problem["type"] == "missing" else f", got {_found(problem)}")
        for problem in error.errors()
    )


def _found(problem: Any) -> str:
    """The value, or only what it is where it may be secret or long."""
    value = problem["input"]
    is_plain = isinstance(value, str | int | float | bool) and len(str(value)) <= _LONGEST_SHOWN
    is_secret = re.search(r"(?i)key|token|secret|password|url", str(problem["loc"])) is not None
    return repr(value) if is_plain and not is_secret else f"a {type(value).__name__}"


def plain_message(message: str) -> str:
    """Pydantic's message without the name of the exception that a validator raised."""
    return message.removeprefix("Value error, ")


def taken_by(component: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """What a class or function takes of these arguments, by their names."""
    takes = inspect.signature(component).parameters
    return {name: value for name, value in given.items() if name in takes}


def _keywords(cls: Any, options: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    wanted = taken_by(cls, given)
    return wanted if _options_model(cls) else {**options, **wanted}
