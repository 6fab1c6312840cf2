"""README, CONTRIBUTING and docs/ as the tests read them.

A block says what it is behind its fence: `console` holds commands, `python` a program, `text` what the block before it
prints (… stands for anything), and a form with a name, such as `csv questions.csv`, a file. A command that no test can
run says so in a comment, behind it or as the block's first line: it needs something, takes long, or runs until it is
ended.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tests.support.samples import ROOT

DOCUMENTS = ("README.md", "CONTRIBUTING.md", *sorted(f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")))
FENCE = re.compile(r"^```(\w*) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`([^`\n]+)`")
_MARK = re.compile(r"#.*\b(needs|takes|runs until)\b")
_COMMENT = "   # "


@dataclass(frozen=True)
class Command:
    """A command on one line.

    Attributes:
        is_run: whether a test can run it.
    """

    text: str
    is_run: bool


@dataclass(frozen=True)
class Block:
    """What stands between two fences; `name` is that of the file, where the block is one."""

    form: str
    name: str
    text: str

    @property
    def commands(self) -> tuple[Command, ...]:
        """Its commands, each with its lines joined; none where it is no block of commands."""
        if self.form not in ("console", "bash"):
            return ()
        lines = self.text.replace("\\\n", " ").splitlines()
        found = ((line.partition(_COMMENT)[0].strip(), line) for line in lines)
        return tuple(
            Command(text, is_run=not (self._is_marked or _MARK.search(line)))
            for text, line in found
            if text and not text.startswith("#")
        )

    @property
    def is_program(self) -> bool:
        """Whether it is Python that a test can run."""
        return self.form == "python" and not self._is_marked

    @property
    def _is_marked(self) -> bool:
        first = self.text.partition("\n")[0]
        return first.startswith("#") and bool(_MARK.search(first))


def read(name: str) -> str:
    """A document's text."""
    return (ROOT / name).read_text(encoding="utf-8")


def prose(name: str) -> str:
    """A document's text without its blocks."""
    return FENCE.sub("", read(name))


def blocks(name: str) -> tuple[Block, ...]:
    """A document's blocks, in order."""
    return tuple(Block(*found.groups()) for found in FENCE.finditer(read(name)))


def code(name: str) -> Iterator[str]:
    """Everything in a document that is set as code."""
    yield from (block.text for block in blocks(name))
    yield from SPAN.findall(prose(name))


def calls(programme: str) -> Iterator[tuple[str, list[str]]]:
    """Wherever a document calls a programme: the document, and the words behind the programme's name."""
    for name in DOCUMENTS:
        for piece in code(name):
            for line in piece.replace("\\\n", " ").splitlines():
                before, is_there, after = line.partition(f"{programme} ")
                if is_there and not before.strip().removeprefix(".venv/bin/"):
                    yield name, after.partition(_COMMENT)[0].split()
