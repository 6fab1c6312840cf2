"""Pageproof to a program: open a client, ask it, change its library."""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

_PACKAGES = ("app", "indexes", "prompts", "query_engines", "storage")
_HOME = Path(__file__).resolve().parent


class _OwnPackages:
    """Finds Pageproof's packages beside this file, where a program has an `app.py` or a `storage` of its own."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Where one of the packages is; None for every other module."""
        return PathFinder.find_spec(name, [str(_HOME)], target) if path is None and name in _PACKAGES else None


def _refuse_others() -> None:
    """Say which module of the program has the name of one of Pageproof's packages.

    Raises:
        ImportError: one was imported before.
    """
    for name in _PACKAGES:
        places = getattr(sys.modules.get(name), "__path__", None) or [
            getattr(sys.modules.get(name), "__file__", "")
        ]
        if name in sys.modules and not any(Path(place or "/").is_relative_to(_HOME) for place in places):
            raise ImportError(
                f"{places[0]} has the name of a package of Pageproof, {name!r}; import pageproof first, or rename it"
            )


_refuse_others()
sys.meta_path.insert(0, _OwnPackages)  # type: ignore[arg-type]  # finders may be classes

from app import open_pageproof  # noqa: E402 - found by what was set up above
from indexes.ingestion.requests import Ingested, IngestRequest  # noqa: E402
from storage.records.answers import Answer  # noqa: E402
from storage.records.questions import Question  # noqa: E402

__all__ = ["Answer", "IngestRequest", "Ingested", "Question", "open_pageproof"]
