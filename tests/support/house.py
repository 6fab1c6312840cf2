"""The house as its imports draw it: packages, rooms (folders of modules), and the arrows between rooms.

`python -m tests.support.house` writes the picture into docs/architecture.md.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path

from tests.support.samples import ROOT

PACKAGES = ("app", "query_engines", "indexes", "prompts", "storage")
PICTURE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- house:begin -->", "<!-- house:end -->"


@dataclass(frozen=True)
class Module:
    """One file of a package.

    Attributes:
        path: below the project's root.
        name: as it is imported.
        imports: what it imports, ours by module, others by their dotted name.
        lines: how long it is.
    """

    path: Path
    name: str
    imports: frozenset[str]
    lines: int

    @property
    def package(self) -> str:
        """The top-level folder."""
        return self.path.parts[0]

    @property
    def is_init(self) -> bool:
        """Whether this is a folder's `__init__.py`, by which others come in."""
        return self.path.name == "__init__.py"

    @property
    def room(self) -> str:
        """The folder; a package's own `__init__.py` is its front door, and no part of the rooms behind it."""
        return (
            f"{self.package} (front door)" if len(self.path.parts) == 2 and self.is_init else str(self.path.parent)
        )


def modules() -> dict[str, Module]:
    """Every module of the five packages by its dotted name."""
    files = {path: path.relative_to(ROOT) for package in PACKAGES for path in (ROOT / package).rglob("*.py")}
    names = {_dotted(file) for file in files.values()}
    return {
        _dotted(file): Module(
            path=file,
            name=_dotted(file),
            imports=frozenset(_imports(path, names)),
            lines=len(path.read_text(encoding="utf-8").splitlines()),
        )
        for path, file in sorted(files.items())
    }


def signatures(module: Module) -> Iterator[tuple[str, int]]:
    """Each function of a module by its name, and how many parameters it takes; commands are left out."""
    tree = ast.parse((ROOT / module.path).read_text(encoding="utf-8"))
    for owner in ast.walk(tree):
        for node in ast.iter_child_nodes(owner):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            if any("typer_app.command" in ast.unparse(decorator) for decorator in node.decorator_list):
                continue
            filled = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            count = len([argument for argument in filled if argument.arg not in ("self", "cls")])
            yield (f"{owner.name}.{node.name}" if isinstance(owner, ast.ClassDef) else node.name), count


def rooms(house: Mapping[str, Module]) -> dict[str, list[Module]]:
    """The modules of each room, doors left out."""
    found: dict[str, list[Module]] = defaultdict(list)
    for module in house.values():
        if not module.is_init:
            found[module.room].append(module)
    return dict(found)


def arrows(house: Mapping[str, Module]) -> dict[str, set[str]]:
    """Which rooms each room imports."""
    found: dict[str, set[str]] = {module.room: set() for module in house.values()}
    for module in house.values():
        found[module.room] |= {house[name].room for name in module.imports if name in house} - {module.room}
    return found


def picture(house: Mapping[str, Module]) -> str:
    """The rooms as a Mermaid drawing: an arrow for each import that no longer way replaces."""
    graph, filled = arrows(house), rooms(house)
    lines = ["```mermaid", "flowchart TD"]
    for package in PACKAGES:
        lines.append(f'  subgraph {package}["{package}/"]')
        for room in sorted(room for room in filled if room.split("/")[0] == package):
            label = room.removeprefix(f"{package}/") if room != package else f"{package}/*.py"
            lines.append(f'    {_node(room)}["{label} · {len(filled[room])}"]')
        lines.append("  end")
    for room, targets in sorted(_reduced(graph).items()):
        lines += [
            f"  {_node(room)} --> {_node(target)}" for target in sorted(targets) if {room, target} <= set(filled)
        ]
    return "\n".join([*lines, "```"])


def written(text: str, drawing: str) -> str:
    """A page with the drawing between its two marks."""
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n{drawing}\n{END}{rest.split(END)[1]}"


def _dotted(file: Path) -> str:
    return ".".join(file.with_suffix("").parts).removesuffix(".__init__")


def _imports(path: Path, ours: set[str]) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module, f"{path}: relative import"
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in ours else node.module for name in inner)


def _reduced(graph: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """The arrows without those that a longer way shows; the graph has no circle."""
    reach: dict[str, set[str]] = {}
    for room in TopologicalSorter(graph).static_order():
        reach[room] = set(graph[room]).union(*(reach[target] for target in graph[room]))
    return {
        room: {target for target in targets if not any(target in reach[other] for other in targets - {target})}
        for room, targets in graph.items()
    }


def _node(room: str) -> str:
    return re.sub(r"\W+", "_", room) if "/" in room else f"{room}_corridor"


if __name__ == "__main__":
    page = PICTURE.read_text(encoding="utf-8")
    PICTURE.write_text(written(page, picture(modules())), encoding="utf-8")
