"""Components of one's own, named in a setting by their path or by the name that a package gives them.

A path is `package.module:Class`. A package can also register a class as an entry point, so that its plain name is
enough: in its `pyproject.toml`, `[project.entry-points."pageproof.rerankers"]` with `mine = "package.module:Class"`.
"""

import importlib.util
import inspect
import json
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ValidationError

from storage.errors import ComponentError, PageproofError, UsageError
from storage.files import digest
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
_LONGEST_SHOWN, _LONGEST_WORDS = 40, 400
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
        _refuse_slips(cls, options)
        made = cls(*_arguments(cls, options), **_keywords(cls, options, given))
    except PageproofError:
        raise
    except (TypeError, ValidationError, ValueError, ImportError) as error:
        raise UsageError(_misfit(group, kind, where, _taken(cls, given), error)) from error
    except Exception as error:
        raise ComponentError(f"{where}: {kind!r} cannot be made: {_in_short(error)}") from error
    if not isinstance(made, expected):
        found = f"a {type(made).__name__}{lacking(made, expected)}"
        article = "an" if expected.__name__.startswith(tuple("AEIO")) else "a"
        raise UsageError(f"{where}: {kind!r} makes {found}, expected {article} {expected.__name__}")
    return made


@contextmanager
def of_the_user(what: str) -> Iterator[None]:
    """Call a component of the user's own: an error of it is said to be its own, with its own words.

    Where none of its own code ran, the call did not fit it, and the message says how it is called.

    Args:
        what: the component, such as "the reranker WordFirst": its part, then the name of its class.

    Raises:
        ComponentError: it failed.
    """
    try:
        yield
    except PageproofError:
        raise
    except Exception as error:
        called = next((how for part, how in _CALLED.items() if what.startswith(f"the {part} ")), "")
        how = f"it is {called}, and " if called and not _place(error) else "it "
        raise ComponentError(f"{what} failed with {_in_short(error)}; {how}is not part of Pageproof") from error


# As docs/components.md says it.
_CALLED = {
    "reader": "called as `read_pages(path, sha1, on_page)`, or a LlamaIndex reader with `load_data(file)`",
    "chunker": "called as `get_nodes_from_documents(documents)` and gives LlamaIndex nodes",
    "embedding": "called as `get_text_embedding_batch(texts)` and `get_query_embedding(query)`",
    "vector store": "made with what it takes of `collection_name`, `folder` and `dimensions`",
    "retriever": "made with what it takes of `index`, `filters`, `nodes`, `similarity_top_k`, `report` and `llm`",
    "reranker": "called as `postprocess_nodes(nodes, query_bundle)`",
    "program": "called with `question`, `report`, `pages`, `texts` and `facts` by name",
}


def _in_short(error: Exception) -> str:
    """An error of the user's code: its kind, its words, and where it happened."""
    words = " ".join(str(error).split())[:_LONGEST_WORDS]
    return f"{type(error).__name__}{f': {words}' if words else ''}{_place(error)}"


def _place(error: Exception) -> str:
    """The innermost line that is not Pageproof's, in brackets; "" where there is none."""
    lines = [(Path(f.f_code.co_filename), line) for f, line in traceback.walk_tb(error.__traceback__)]
    theirs = [(path, line) for path, line in lines if not any(path.is_relative_to(room) for room in _ROOMS)]
    return f" ({theirs[-1][0].name}, line {theirs[-1][1]})" if theirs else ""


_ROOMS = tuple(
    Path(__file__).parents[1] / name
    for name in ("app", "indexes", "pageproof", "prompts", "query_engines", "storage")
)


def lacking(value: object, protocol: type) -> str:
    """What an object lacks of a protocol, as a clause: ", which has no `name`"; "" where it lacks nothing of it."""
    names = (*getattr(protocol, "__annotations__", {}), *(n for n in vars(protocol) if not n.startswith("_")))
    missing = [name for name in names if not name.startswith("_") and not hasattr(value, name)]
    is_protocol = getattr(protocol, "_is_protocol", False)
    return f", which has no {' and no '.join(f'`{n}`' for n in missing)}" if is_protocol and missing else ""


def _refuse_slips(cls: Any, options: Mapping[str, Any]) -> None:
    """Refuse an option that a class would leave aside: pydantic's and LlamaIndex's classes say nothing.

    Raises:
        TypeError: it has no such option.
    """
    if not (isinstance(cls, type) and issubclass(cls, BaseModel)) or _options_model(cls) is not None:
        return
    takes = inspect.signature(cls.__init__).parameters.values()
    passed_on = [one.name for one in takes if one.kind is inspect.Parameter.VAR_KEYWORD]
    is_open = cls.model_config.get("extra") == "allow" or any(name not in _IGNORED for name in passed_on)
    known = {one.name for one in takes} | set(cls.model_fields)
    known |= {field.alias for field in cls.model_fields.values() if field.alias}
    if not is_open and (strange := [name for name in options if name not in known]):
        raise TypeError(f"it has no option {strange[0]!r}")


_IGNORED = ("kwargs", "data")  # LlamaIndex's and pydantic's word for what a class takes besides its fields


def takes_of(group: Group, kind: str, where: str) -> frozenset[str]:
    """The names of what a class takes that a setting names, by its path or the name of an entry point.

    Raises:
        UsageError: it cannot be imported.
    """
    cls = _loaded(group, kind, where)
    return frozenset(_parameters(cls)) if callable(cls) else frozenset()


def source_of(group: Group, kind: str) -> str:
    """A digest of the file in which a class is written that a setting names; "" where that is not known.

    It is not imported for that.
    """
    module, colon, _ = _entries(group).get(kind, kind).partition(":")
    try:
        found = importlib.util.find_spec(module) if colon else None
    except (ImportError, ValueError):
        return ""
    return _digest_of(found.origin if found else None)


def code_of(given: object) -> list[str]:
    """Digests of the files in which the classes of objects are written; "" where that is not known."""
    if isinstance(given, Mapping | list | tuple):
        each = given.values() if isinstance(given, Mapping) else given
        return [code for one in each for code in code_of(one)]
    module = getattr(given, "__module__", None) or type(given).__module__
    return [_digest_of(getattr(sys.modules.get(module), "__file__", None))]


def _digest_of(file: str | None) -> str:
    try:
        return digest([Path(file).read_text(encoding="utf-8")]) if file else ""
    except (OSError, ValueError):
        return ""


_DEEPEST = 4


def state_of(component: object, depth: int = 0) -> Any:
    """What two objects of a class differ in, as plain data: their fields and those of what they hold.

    What is no data, such as a connection, is told by its class alone.
    """
    if component is None or isinstance(component, bool | int | float | str):
        return component
    if depth > _DEEPEST:
        return type(component).__qualname__
    if isinstance(component, Mapping):
        return {str(key): state_of(value, depth + 1) for key, value in component.items()}
    if isinstance(component, list | tuple | set | frozenset):
        found = [state_of(value, depth + 1) for value in component]
        return sorted(found, key=str) if isinstance(component, set | frozenset) else found
    if isinstance(component, type) or inspect.isroutine(component) or inspect.ismodule(component):
        return getattr(component, "__qualname__", type(component).__qualname__)
    fields = {**getattr(component, "__dict__", {}), **(getattr(component, "__pydantic_private__", None) or {})}
    return {"class": f"{type(component).__module__}:{type(component).__qualname__}"} | {
        name: state_of(value, depth + 1) for name, value in fields.items()
    }


def _entries(group: Group) -> dict[str, str]:
    return {entry.name: entry.value for entry in metadata.entry_points(group=f"pageproof.{group}")}


def _loaded(group: Group, kind: str, where: str) -> Any:
    module, _, name = _entries(group).get(kind, kind).partition(":")
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
    names = tuple(model.model_fields if model else _parameters(cls))
    return ", ".join(name for name in names if name not in given) or "no options"


def _parameters(cls: Any) -> list[str]:
    """The names of what a class or function takes, without those for anything else."""
    try:
        takes = inspect.signature(cls).parameters.values()
    except (TypeError, ValueError):  # it is written in C
        return []
    return [one.name for one in takes if one.kind not in _ANYTHING]


_ANYTHING = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)


def _misfit(group: Group, kind: str, where: str, takes: str, error: Exception) -> str:
    """Which setting does not fit a class, what the class takes, and what it was given."""
    section = where.partition(".")[0]
    place = (
        f"{where}: {kind!r} is made without options"
        if group in _WITHOUT_OPTIONS
        else f"{section}.options do not fit {kind!r}"
    )
    detail = wrong_fields(error) if isinstance(error, ValidationError) else " ".join(str(error).split())
    return f"{place}, which takes {takes}: {detail}"


def wrong_fields(error: ValidationError) -> str:
    """What a pydantic model refuses: which field, what was found, and what was expected."""
    return "; ".join(
        f"{'.'.join(map(str, problem['loc'])) or 'it'}: {plain_message(problem['msg'])}"
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
    takes = _parameters(component)
    return {name: value for name, value in given.items() if name in takes}


def _keywords(cls: Any, options: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    wanted = taken_by(cls, given)
    return wanted if _options_model(cls) else {**options, **wanted}
