"""Settings: defaults < profile < pageproof.toml < environment < command line."""

import difflib
import json
import os
import shlex
import textwrap
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticUndefined
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from app.chat_options import ChatOptions, ServeOptions
from indexes.options import (
    ChunkingOptions,
    EmbeddingOptions,
    IngestOptions,
    MiniLmOptions,
    ReaderOptions,
    TableOptions,
    VectorStoreOptions,
)
from query_engines.options import (
    AnswerOptions,
    LlmOptions,
    OpenAILlmOptions,
    RerankOptions,
    RetrievalOptions,
    UnderstandingOptions,
    VerificationOptions,
)
from storage.components import plain_message
from storage.errors import MissingIndex, UsageError
from storage.lexicon.words import expression
from storage.options import CacheOptions
from storage.paths import DataPaths

DEFAULT_PROFILE = "offline"  # even if keys are set, reports leave the machine only when a profile says so
PREFIX = "PAGEPROOF__"
FILE = "pageproof.toml"
_CREDENTIALS = expression(r"(?<=//)[^/@]*@|(?<=password=)[^&\s'\"]*")


class RunOptions(BaseModel):
    """Options of the run log."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    log: bool = Field(default=True, description="Log every question and its answer for `pageproof runs`.")


class Settings(BaseSettings):
    """All settings, one section for each package's options."""

    model_config = SettingsConfigDict(extra="forbid", frozen=True)
    unions: ClassVar[dict[str, tuple[type[BaseModel], ...]]] = {
        "embedding": tuple(get_args(kind)[0] for kind in get_args(get_args(EmbeddingOptions)[0])),
        "llm": tuple(get_args(kind)[0] for kind in get_args(get_args(LlmOptions)[0])),
    }

    reader: ReaderOptions = ReaderOptions()
    tables: TableOptions = TableOptions()
    chunking: ChunkingOptions = ChunkingOptions()
    embedding: EmbeddingOptions = Field(default_factory=MiniLmOptions)
    vector_store: VectorStoreOptions = VectorStoreOptions()
    retrieval: RetrievalOptions = RetrievalOptions()
    rerank: RerankOptions = RerankOptions()
    understanding: UnderstandingOptions = UnderstandingOptions()
    answers: AnswerOptions = AnswerOptions()
    verification: VerificationOptions = VerificationOptions()
    llm: LlmOptions = Field(default_factory=OpenAILlmOptions)
    ingest: IngestOptions = IngestOptions()
    runs: RunOptions = RunOptions()
    caches: CacheOptions = CacheOptions()
    chat: ChatOptions = ChatOptions()
    serve: ServeOptions = ServeOptions()

    @model_validator(mode="before")
    @classmethod
    def _drop_the_other_kinds_settings(cls, data: Any) -> Any:
        """Drop options of the earlier kind when a later source chooses another kind."""
        for section, classes in cls.unions.items():
            given = data.get(section)
            if not isinstance(given, dict):
                continue
            by_kind = {c.model_fields["kind"].default: c for c in classes}
            kind = given.setdefault("kind", classes[0].model_fields["kind"].default)
            chosen = by_kind.get(kind, classes[-1])  # the last one is for classes of one's own
            elsewhere = {name for c in classes for name in c.model_fields} - set(chosen.model_fields)
            data[section] = {k: v for k, v in given.items() if k not in elsewhere}
        return data

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Use only the sources of `load_settings`, since pydantic's environment source ignores unknown names."""
        del settings_cls, env_settings, dotenv_settings, file_secret_settings
        return (init_settings,)


class Profile(BaseModel):
    """A named set of differences from the defaults."""

    name: str
    description: str
    settings: dict[str, Any]


PROFILES = "profiles"
"""The folder of a person's own profiles, in the working directory or in the data root."""
_MOST_EXTENDED = 10  # profiles, each on top of the next


def profiles(folders: Sequence[Path] | None = None) -> tuple[Profile, ...]:
    """Every profile, by name, the default first; also a person's own in these folders, by default the usual ones.

    Raises:
        UsageError: one of them cannot be read.
    """
    found = _profile_files(_own_folders() if folders is None else folders)
    return tuple(_read_profile(n, found) for n in sorted(found, key=lambda n: (n != DEFAULT_PROFILE, n)))


def load_profile(name: str, folders: Sequence[Path] | None = None) -> Profile:
    """The profile with this name, or in this file where the name ends in `.toml`.

    Raises:
        UsageError: it does not exist, or cannot be read.
    """
    found = _profile_files(_own_folders() if folders is None else folders)
    return _read_profile(name, found)


def _own_folders(data: Path | None = None, folder: Path | None = None) -> tuple[Path, ...]:
    return ((folder or Path.cwd()) / PROFILES, data_paths(data).root / PROFILES)


def _profile_files(folders: Sequence[Path]) -> dict[str, Path]:
    built_in = (Path(__file__).parent / "profiles").iterdir()
    found: dict[str, Path] = {Path(e.name).stem: e for e in built_in if e.name.endswith(".toml")}
    for path in (path for folder in folders for path in sorted(folder.glob("*.toml"))):
        if str(path) != str(found.setdefault(path.stem, path)):
            raise UsageError(f"{path}: there is a profile {path.stem!r} already; give it another name")
    return found


def _read_profile(name: str, found: Mapping[str, Path], extended: tuple[str, ...] = ()) -> Profile:
    file = Path(name) if name.endswith(".toml") else found.get(name)
    if file is None:
        near = difflib.get_close_matches(name, found, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise UsageError(f"there is no profile {name!r}; {hint}the profiles are {', '.join(sorted(found))}")
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"cannot read the profile {name!r}: {error}") from error
    above, description = content.pop("extends", None), content.pop("description", "")
    if not isinstance(above, str | None) or not isinstance(description, str):
        raise UsageError(f"profile {name!r}: `extends` names one profile, and `description` is a text")
    if stray := [key for key, value in content.items() if not isinstance(value, dict)]:
        raise UsageError(f"profile {name!r}: {stray[0]!r} stands in no section; expected such as [retrieval]")
    merged: dict[str, Any] = {}
    if above is not None:
        if above in extended or len(extended) > _MOST_EXTENDED:
            raise UsageError(f"profile {name!r}: `extends` goes in a circle: {' → '.join((*extended, above))}")
        _merge(merged, _read_profile(above, found, (*extended, above)).settings)
        description = description or f"{above}, with settings of its own."
    _merge(merged, content)
    return Profile(name=name, description=description or f"The profile in {file}.", settings=merged)


def load_settings(
    profile: str = DEFAULT_PROFILE,
    overrides: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    data: Path | None = None,
) -> Settings:
    """Settings from every source.

    Args:
        profile: the profile's name, or its file, ending in `.toml`.
        overrides: "section.key=value", as typed after --set.
        environment: variables such as PAGEPROOF__RETRIEVAL__PAGES; by default those of the process.
        folder: in which pageproof.toml and own profiles are searched; by default the working directory.
        data: the data root, whose own profiles count too; None takes the usual one.

    Raises:
        UsageError: a key or value is wrong; the message lists the valid ones.
    """
    merged: dict[str, Any] = {}
    for _, layer in _layers(profile, overrides, environment, folder, data):
        _merge(merged, layer)
    try:
        return Settings(**merged)
    except ValidationError as error:
        raise UsageError(_message(error)) from error


class SettingInEffect(BaseModel):
    """A setting, its value as text, and where the value comes from."""

    key: str
    value: str
    source: str


def settings_in_effect(
    profile: str = DEFAULT_PROFILE,
    overrides: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    data: Path | None = None,
) -> tuple[SettingInEffect, ...]:
    """Every setting, without passwords in addresses; see `load_settings`."""
    layers = _layers(profile, overrides, environment, folder, data)
    settings = load_settings(profile, overrides, environment, folder, data).model_dump(mode="json")
    return tuple(
        SettingInEffect(
            key=f"{section}.{key}",
            value=without_credentials(_shown(value)),
            source=next((name for name, layer in reversed(layers) if key in layer.get(section, {})), "default"),
        )
        for section, values in settings.items()
        for key, value in values.items()
    )


def settings_file() -> str:
    """A `pageproof.toml` with every setting, its meaning and its default; each is a comment until it is wanted."""
    lines = ["# Settings of Pageproof; `pageproof settings` shows those in effect. Remove a # to change one."]
    for section in Settings.model_fields:
        default = Settings.model_fields[section].get_default(call_default_factory=True)
        classes = Settings.unions.get(section) or (type(default),)
        lines += ["", f"[{section}]"]
        seen: set[str] = set()
        for name, field in ((n, f) for options in classes for n, f in options.model_fields.items()):
            if name in seen:
                continue
            seen.add(name)
            value = getattr(default, name, field.get_default(call_default_factory=True))
            value = None if value is PydanticUndefined else value
            lines += [f"# {line}" for line in textwrap.wrap(field.description or "", 110)]
            lines.append(f"# {name} = {_toml(value)}")
    return "\n".join(lines) + "\n"


def _toml(value: object) -> str:
    if value is None:
        return '"none"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_toml(each)}" for key, each in value.items()) + "}"
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return str(value) if isinstance(value, int | float) else json.dumps(str(value), ensure_ascii=False)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ", ".join(map(str, value)) if isinstance(value, list) else str("none" if value is None else value)


def _layers(
    profile: str,
    overrides: Sequence[str],
    environment: Mapping[str, str] | None,
    folder: Path | None,
    data: Path | None,
) -> list[tuple[str, dict[str, Any]]]:
    """What each source sets, the weakest first, with the source's name."""
    own = _own_folders(data, folder)
    layers = [
        (f"profile {profile}", load_profile(profile, own).settings),
        (FILE, _file_settings((folder or Path.cwd()) / FILE)),
        ("environment", _environment_settings(os.environ if environment is None else environment)),
    ]
    for override in overrides:
        key, equals, value = override.partition("=")
        if not equals:
            raise UsageError(f"--set {override!r} has no '='; expected section.key=value")
        layers.append(("--set", _nested(key.strip().split("."), _value(value))))
    return [*_chosen_model(layers, data), *layers]


def _chosen_model(
    layers: Sequence[tuple[str, dict[str, Any]]], data: Path | None
) -> list[tuple[str, dict[str, Any]]]:
    """The model that was chosen for this machine, where the settings want one that runs here and name none."""
    merged: dict[str, Any] = {}
    for _, layer in layers:
        _merge(merged, layer)
    llm = merged.get("llm")
    if not isinstance(llm, dict) or llm.get("kind") != "llamacpp" or llm.get("model"):
        return []
    from query_engines.local_model.model_files import ModelFolder  # late: most settings want none

    chosen = ModelFolder(data_paths(data).models).chosen()
    return [("pageproof model use", {"llm": {"model": chosen}})] if chosen else []


def data_paths(data: Path | None = None) -> DataPaths:
    """The data root: the given one, else PAGEPROOF_DATA, else ./data."""
    return DataPaths((data or Path(os.environ.get("PAGEPROOF_DATA", "data"))).absolute())


def is_usual_root(root: Path) -> bool:
    """Whether a data root is the one that is taken where nothing names another."""
    return root.absolute() == data_paths().root


def how_to_ingest(root: Path) -> str:
    """The command that fills the library at a data root."""
    if is_usual_root(root):
        return "run `pageproof ingest PATH` on a PDF or a folder, or `pageproof demo`"
    here = Path.cwd()
    shown = root.relative_to(here) if root != here and root.is_relative_to(here) else root
    return f"run `pageproof ingest PATH --data {shlex.quote(str(shown))}` on a PDF or a folder"


def nothing_ingested(root: Path) -> MissingIndex:
    """The error of a library without any report: where it was looked for, and how to fill it."""
    return MissingIndex(f"nothing is ingested yet in {root}; {how_to_ingest(root)}")


def differences(settings: Settings) -> dict[str, str]:
    """The settings that differ from the defaults, as section.key, without passwords in addresses."""
    usual, chosen = Settings().model_dump(mode="json"), settings.model_dump(mode="json")
    return {
        f"{section}.{key}": without_credentials(str(value))
        for section, values in chosen.items()
        for key, value in values.items()
        if key not in usual[section] or usual[section][key] != value
    }


def without_credentials(text: str) -> str:
    """A text without names and passwords in addresses."""
    return _CREDENTIALS.sub("", text)


def known_keys() -> tuple[str, ...]:
    """Every setting as section.key."""
    keys: dict[str, None] = {}
    for section, field in Settings.model_fields.items():
        for options in Settings.unions.get(section) or (field.annotation,):
            if options is not None:
                keys.update(dict.fromkeys(f"{section}.{name}" for name in options.model_fields))
    return tuple(keys)


def _file_settings(path: Path) -> dict[str, Any]:
    try:
        return _without_nones(tomllib.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"cannot read {path}: {error}") from error


def _without_nones(content: dict[str, Any]) -> dict[str, Any]:
    """TOML has no word for "no value": `"none"` stands for it."""
    return {
        section: {k: _value(v) if isinstance(v, str) else v for k, v in values.items()}
        if isinstance(values, dict)
        else values
        for section, values in content.items()
    }


def _environment_settings(environment: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in environment.items():
        if name.upper().startswith(PREFIX):
            _merge(found, _nested(name[len(PREFIX) :].lower().split("__"), _value(value)))
    return found


def _nested(path: list[str], value: Any) -> dict[str, Any]:
    if len(path) != 2 or not all(path):
        raise UsageError(f"{'.'.join(path)!r} is no setting; expected section.key, such as retrieval.pages")
    return {path[0]: {path[1]: value}}


def _value(text: str) -> str | None:
    return None if text.strip().lower() in ("none", "null") else text.strip()


def _merge(target: dict[str, Any], source: Mapping[str, Any]) -> None:
    for key, value in source.items():
        if isinstance(value, Mapping) and isinstance(target.get(key), dict):
            target[key].update(value)
        else:
            target[key] = dict(value) if isinstance(value, Mapping) else value


def _message(error: ValidationError) -> str:
    return "; ".join(
        _one_error(problem["loc"], problem["type"], problem["msg"], problem.get("input"))
        for problem in error.errors()
    )


def _one_error(place: tuple[int | str, ...], kind: str, message: str, given: object) -> str:
    section = str(place[0]) if place else ""
    key = _key(section, place)
    if kind == "extra_forbidden":
        known = sorted(k for k in known_keys() if k.startswith(f"{section}.")) or sorted(Settings.model_fields)
        return f"unknown setting {key!r}; known: {', '.join(known)}"
    return f"setting {key!r} is {without_credentials(repr(given))}: {plain_message(message)}"


def _key(section: str, place: tuple[int | str, ...]) -> str:
    """The setting at a place, which may also have the tag of a union, the number of an item, or the key of a table."""
    known = known_keys()
    at = next((i for i, name in enumerate(place) if i and f"{section}.{name}" in known), len(place) - 1)
    names = [str(name) for name in place[at:] if isinstance(name, str) and name != "[key]"]
    return ".".join([section, *names]) if len(place) > 1 else section


def uses_model(settings: Settings) -> bool:
    """Whether a language model reads pages under these settings."""
    return settings.answers.kind == "llm" or settings.rerank.kind == "llm"


def names_unused_model(settings: Settings) -> bool:
    """Whether a language model was named that these settings do not ask."""
    named = settings.llm.model_fields_set & {"kind", "model", "options", "api_base", "preset"}
    kinds = (settings.rerank.kind, settings.retrieval.mode, *settings.answers.programs.values())
    asks_otherwise = settings.tables.serialize or any(":" in kind for kind in kinds)
    return bool(named) and not uses_model(settings) and not asks_otherwise
