"""`python -m tests.support.licences`: every package that an installation brings, with its licence, as a table."""

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import NamedTuple

from packaging.requirements import Requirement

from tests.support.samples import ROOT

_LONGEST = 60  # characters; some packages give the whole text of their licence as its name
EXTRAS = ("qdrant", "ray", "postgres")


class Licensed(NamedTuple):
    """A package that is installed here."""

    name: str
    version: str
    licence: str


def licences() -> list[Licensed]:
    """Those that the project names, and what they need, by name.

    What is not installed here, such as the package of another system, is left out.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [line for extra in EXTRAS for line in project["optional-dependencies"][extra]]
    found: dict[str, Licensed] = {}
    waiting = list(_needs([*project["dependencies"], *extras], frozenset()))
    seen = set(waiting)
    while waiting:
        name, wanted = waiting.pop()
        try:
            package = distribution(name)
        except PackageNotFoundError:
            continue
        found[name] = Licensed(name, package.version, _licence(package))
        for needed in _needs(package.requires or (), wanted):
            if needed not in seen:
                seen.add(needed)
                waiting.append(needed)
    return sorted(found.values())


def _needs(lines: Iterable[str], extras: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    for line in lines:
        needed = Requirement(line)
        marker = needed.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield re.sub(r"[-_.]+", "-", needed.name).lower(), frozenset(needed.extras)


def _licence(package: Distribution) -> str:
    """As the package's own metadata name it: the expression, else the classifiers, else the free text."""
    about = package.metadata
    classified = [
        line.rpartition(" :: ")[2]
        for line in about.get_all("Classifier", [])
        if line.startswith("License :: ") and line != "License :: OSI Approved"
    ]
    expression, free = (next(iter(about.get_all(name, [])), "") for name in ("License-Expression", "License"))
    return (expression or " and ".join(classified) or free.strip().split("\n")[0] or "not named")[:_LONGEST]


def main() -> None:
    """Print the table, and which packages name no licence."""
    rows = licences()
    for row in rows:
        sys.stdout.write(f"{row.name:40} {row.version:20} {row.licence}\n")
    unnamed = [row.name for row in rows if row.licence == "not named"]
    if unnamed:
        sys.stderr.write(f"Without the name of a licence: {', '.join(unnamed)}\n")


if __name__ == "__main__":
    main()
