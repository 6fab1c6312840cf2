"""Settings: defaults < profile < pageproof.toml < environment < command line."""

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, ClassVar, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
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
    VerificationOptions,
)
from storage.errors import UsageError
from storage.options import CacheOptions
from storage.paths import DataPaths

DEFAULT_PROFILE = "offline"  # even if keys are set, reports leave the machine only when a profile says so
PREFIX = "PAGEPROOF__"
FILE = "pageproof.toml"
_CREDENTIALS = re.compile(r"(?<=//)[^/@]*@|(?<=password=)[^&\s'\"]*")


class RunOptions(BaseModel):
    """Options of the run log."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    log: bool = Field(default=True, description="Log every question and its answer for `pageproof runs`.")


class Settings(BaseSettings):
    """All settings, one section for each package's options."""

    model_config = SettingsConfigDict(extra="forbid", frozen=True)
    unions: ClassVar[dict[str, tuple[type[BaseModel], ...]]] = {
        "embedding": get_args(get_args(EmbeddingOptions)[0]),
        "llm": get_args(get_args(LlmOptions)[0]),
    }

    reader: ReaderOptions = ReaderOptions()
    tables: TableOptions = TableOptions()
    chunking: ChunkingOptions = ChunkingOptions()
    embedding: EmbeddingOptions = Field(default_factory=MiniLmOptions)
    vector_store: VectorStoreOptions = VectorStoreOptions()
    retrieval: RetrievalOptions = RetrievalOptions()
    rerank: RerankOptions = RerankOptions()
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
            chosen = by_kind.get(given.setdefault("kind", classes[0].model_fields["kind"].default))
            if chosen is not None:
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


def profiles() -> tuple[Profile, ...]:
    """Every profile, by name, the default first."""
    folder = resources.files("app") / "profiles"
    names = sorted(Path(entry.name).stem for entry in folder.iterdir() if entry.name.endswith(".toml"))
    return tuple(load_profile(n) for n in sorted(names, key=lambda n: (n != DEFAULT_PROFILE, n)))


def load_profile(name: str) -> Profile:
    """The profile with this name.

    Raises:
        UsageError: it does not exist.
    """
    folder = resources.files("app") / "profiles"
    known = sorted(Path(entry.name).stem for entry in folder.iterdir() if entry.name.endswith(".toml"))
    if name not in known:
        raise UsageError(f"there is no profile {name!r}; the profiles are {', '.join(known)}")
    content = tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8"))
    return Profile(name=name, description=content.pop("description"), settings=content)


def load_settings(
    profile: str = DEFAULT_PROFILE,
    overrides: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Settings:
    """Settings from every source.

    Args:
        profile: the profile's name.
        overrides: "section.key=value", as typed after --set.
        environment: variables such as PAGEPROOF__RETRIEVAL__PAGES; by default those of the process.
        folder: in which pageproof.toml is searched; by default the working directory.

    Raises:
        UsageError: a key or value is wrong; the message lists the valid ones.
    """
    merged: dict[str, Any] = {}
    _merge(merged, load_profile(profile).settings)
    _merge(merged, _file_settings((folder or Path.cwd()) / FILE))
    _merge(merged, _environment_settings(os.environ if environment is None else environment))
    for override in overrides:
        key, equals, value = override.partition("=")
        if not equals:
            raise UsageError(f"--set {override!r} has no '='; expected section.key=value")
        _merge(merged, _nested(key.strip().split("."), _value(value)))
    try:
        return Settings(**merged)
    except ValidationError as error:
        raise UsageError(_message(error)) from error


def data_paths(data: Path | None = None) -> DataPaths:
    """The data root: the given one, else PAGEPROOF_DATA, else ./data."""
    return DataPaths((data or Path(os.environ.get("PAGEPROOF_DATA", "data"))).absolute())


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
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {path}: {error}") from error


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
    key = f"{section}.{place[-1]}" if len(place) > 1 else section
    if kind == "extra_forbidden":
        known = sorted(k for k in known_keys() if k.startswith(f"{section}.")) or sorted(Settings.model_fields)
        return f"unknown setting {key!r}; known: {', '.join(known)}"
    return f"setting {key!r} is {without_credentials(repr(given))}: {message}"
