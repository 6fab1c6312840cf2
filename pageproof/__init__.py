"""Pageproof to a program: open a client, ask it, change its library."""

import os
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from pageproof.own_packages import find_own_packages

find_own_packages()

from indexes.ingestion.requests import Ingested, IngestRequest  # noqa: E402 - found by what was set up above
from query_engines.events import (  # noqa: E402
    AnalysisWritten,
    AnswerReady,
    Event,
    StepFinished,
    StepStarted,
)
from storage.errors import (  # noqa: E402
    BudgetSpent,
    ComponentError,
    DamagedFile,
    DocumentError,
    IngestionStopped,
    MissingExtra,
    MissingIndex,
    MissingKey,
    MissingModel,
    NewerLibrary,
    NotWritable,
    PageproofError,
    PromptTooLong,
    ProviderError,
    QuestionTooLong,
    SetupError,
    StaleIndex,
    StructuredOutputError,
    UsageError,
    check_type,
    in_words,
)
from storage.process_memory import searching_seldom  # noqa: E402
from storage.records.answers import Answer, Check, Citation, Unit  # noqa: E402
from storage.records.questions import Question  # noqa: E402
from storage.records.reports import Company, Report  # noqa: E402

if TYPE_CHECKING:
    from app.assembly.client import Pageproof
    from app.assembly.components import Components
    from app.assembly.shared_parts import SharedParts
    from app.recording.recorded_engine import AnswerResponse
    from app.settings import Settings

__all__ = [
    "AnalysisWritten",
    "Answer",
    "AnswerReady",
    "AnswerResponse",
    "BudgetSpent",
    "Check",
    "Citation",
    "Company",
    "ComponentError",
    "DamagedFile",
    "DocumentError",
    "Event",
    "IngestRequest",
    "Ingested",
    "IngestionStopped",
    "MissingExtra",
    "MissingIndex",
    "MissingKey",
    "MissingModel",
    "NewerLibrary",
    "NotWritable",
    "Pageproof",
    "PageproofError",
    "PromptTooLong",
    "ProviderError",
    "Question",
    "QuestionTooLong",
    "Report",
    "SetupError",
    "StaleIndex",
    "StepFinished",
    "StepStarted",
    "StructuredOutputError",
    "Unit",
    "UsageError",
    "__version__",
    "open_pageproof",
]
__version__ = metadata.version("pageproof")


def __getattr__(name: str) -> Any:
    """The classes that load LlamaIndex, when somebody asks for them."""
    if name == "Pageproof":
        from app.assembly.client import Pageproof

        return Pageproof
    if name == "AnswerResponse":
        from app.recording.recorded_engine import AnswerResponse

        return AnswerResponse
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def open_pageproof(
    profile: str = "offline",
    *,
    overrides: Sequence[str] = (),
    settings: "Settings | None" = None,
    data: Path | str | None = None,
    purpose: str = "program",
    shared: "SharedParts | None" = None,
    owner: str | None = None,
    **components: "Unpack[Components]",
) -> "Pageproof":
    """A client that answers questions.

    Args:
        profile: a named set of settings, or a file of one ending in `.toml`; see `pageproof profiles`.
        overrides: single settings on top, as "section.key=value".
        settings: complete settings in place of the profile's.
        data: the library's folder; by default PAGEPROOF_DATA, else ./data.
        purpose: of the client, for the run log.
        shared: what several clients of one process share, such as the embedding model.
        owner: a person whose own library is read beside the shared one; only the own library is written to.
        **components: objects of yours in the place of what the settings name: `llm`, `embedding`, `rerankers`,
            `reader`, `chunker`, `vector_store`, `retriever`, `programs`, `checks` and `keys`; see
            `app.assembly.components.Components`.

    Raises:
        UsageError: a setting is wrong, or a component is not what it should be.
        SetupError: a key, an extra or weights are missing.
    """
    with searching_seldom():  # imports make many objects and little garbage
        # late: LlamaIndex takes a second, and --help should not wait
        from app.assembly import build_client
        from app.settings import data_paths, load_settings

        _check_arguments(profile, overrides, settings, data, owner, shared)
        root = Path(data) if data else None
        chosen = settings or load_settings(profile, overrides, data=root)
        return build_client(chosen, profile, data_paths(root), purpose, shared, owner, components)


def _check_arguments(
    profile: object, overrides: object, settings: object, data: object, owner: object, shared: object
) -> None:
    """See that each argument is of its kind.

    Raises:
        UsageError: one is not.
    """
    from app.assembly.shared_parts import SharedParts  # late: as above
    from app.settings import Settings

    check_type("profile", profile, str, "a name, such as 'offline'; a library's folder is data=")
    check_type("overrides", overrides, (list, tuple), "a list, such as ['retrieval.pages=5']")
    for one in overrides if isinstance(overrides, list | tuple) else ():
        check_type("one of overrides", one, str, "a text, such as 'retrieval.pages=5'")
    wanted = "a Settings object; single settings are overrides=['section.key=value']"
    check_type("settings", settings, (Settings, type(None)), wanted)
    check_type("data", data, (str, os.PathLike, type(None)), "the library's folder")
    if isinstance(data, str | os.PathLike):
        try:
            is_file = Path(data).exists() and not Path(data).is_dir()
        except (OSError, ValueError) as error:
            raise UsageError(f"data is {in_words(os.fspath(data))}, which is no folder's name") from error
        if is_file:
            raise UsageError(f"data is the file {in_words(os.fspath(data))}, expected the library's folder")
    check_type("owner", owner, (str, type(None)), "a person's name")
    check_type("shared", shared, (SharedParts, type(None)), "a SharedParts object")
