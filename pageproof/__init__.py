"""Pageproof to a program: open a client, ask it, change its library."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from pageproof.own_packages import find_own_packages

find_own_packages()

from indexes.ingestion.requests import Ingested, IngestRequest  # noqa: E402 - found by what was set up above
from storage.process_memory import searching_seldom  # noqa: E402
from storage.records.answers import Answer  # noqa: E402
from storage.records.questions import Question  # noqa: E402

if TYPE_CHECKING:
    from app.assembly.client import Pageproof
    from app.assembly.components import Components
    from app.assembly.shared_parts import SharedParts
    from app.settings import Settings

__all__ = ["Answer", "IngestRequest", "Ingested", "Question", "open_pageproof"]


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
            `reader`, `programs`, `checks` and `keys`; see `app.assembly.components.Components`.

    Raises:
        UsageError: a setting is wrong, or a component is not what it should be.
        SetupError: a key, an extra or weights are missing.
    """
    with searching_seldom():  # imports make many objects and little garbage
        # late: LlamaIndex takes a second, and --help should not wait
        from app.assembly import build_client
        from app.settings import data_paths, load_settings

        root = Path(data) if data else None
        chosen = settings or load_settings(profile, overrides, data=root)
        return build_client(chosen, profile, data_paths(root), purpose, shared, owner, components)
