"""Finds Pageproof's packages in a program that has modules with their names.

Pageproof's packages have plain names, such as `storage`. A program may have a module of its own under such a name: it
stays the program's, and Pageproof's modules are found below it.
"""

import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

_PACKAGES = ("app", "indexes", "prompts", "query_engines", "storage")
_HOME = Path(__file__).resolve().parents[1]


def find_own_packages() -> None:
    """Where the program has a module with the name of a package, let the package's modules be found below it.

    Raises:
        ImportError: it is a package, too, and was imported before.
    """
    for name in _PACKAGES:
        theirs = sys.modules.get(name) or _not_yet_imported(name)
        if theirs is None or _is_ours(theirs):
            continue
        if hasattr(theirs, "__path__"):
            raise ImportError(
                f"{theirs.__path__[0]} has the name of a package of Pageproof, {name!r}; rename it, or move it into "
                "a package of yours"
            )
        theirs.__class__ = _ModuleOfTheProgram
        theirs.__path__ = [str(_HOME / name)]
        sys.modules[name] = theirs
    sys.meta_path.insert(0, _OwnPackages)


def in_new_process(function: Callable[..., None], *arguments: object) -> None:
    """Call a function of Pageproof's in a process that was just started: it comes here first, and so finds the rest."""
    function(*arguments)


class _OwnPackages:
    """Finds Pageproof's packages beside this one, where a program has folders with their names."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Where one of the packages is; None for every other module."""
        return PathFinder.find_spec(name, [str(_HOME)], target) if path is None and name in _PACKAGES else None


class _ModuleOfTheProgram(ModuleType):
    """The program's own module with the name of one of the packages; it runs when the program first uses it."""

    def __getattr__(self, name: str) -> Any:
        run = self.__dict__.pop("_run", None) if not name.startswith("__") else None
        if run is None:
            raise AttributeError(f"module {self.__name__!r} ({self.__file__}) has no attribute {name!r}")
        try:
            run(self)
        except BaseException:
            self.__dict__["_run"] = run
            raise
        return getattr(self, name)

    def __setattr__(self, name: str, value: object) -> None:
        """Keep what the program calls so: Python binds each module that it imports to the one above it."""
        if getattr(value, "__name__", None) != f"{self.__name__}.{name}" or not isinstance(value, ModuleType):
            super().__setattr__(name, value)


def _not_yet_imported(name: str) -> ModuleType | None:
    """The program's own module, not run yet; None where it has none, or a package."""
    spec = PathFinder.find_spec(name)
    if spec is None or spec.loader is None or spec.submodule_search_locations is not None:
        return None
    theirs = ModuleType(name)
    theirs.__spec__, theirs.__loader__, theirs.__file__ = spec, spec.loader, spec.origin
    theirs.__dict__["_run"] = spec.loader.exec_module
    return theirs


def _is_ours(module: ModuleType) -> bool:
    places = getattr(module, "__path__", None) or [module.__file__ or "/"]
    return any(Path(place).is_relative_to(_HOME) for place in places)
