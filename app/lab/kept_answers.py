"""Answers of one variant on disk, so that a second run asks only what is new."""

import json
import re
import threading
from collections.abc import Sequence
from importlib import metadata, resources
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from app.answer_files import WrittenAnswer, written_answers
from app.answer_json import Row, answer_json
from app.assembly import build_prompts
from app.question_files import FileQuestion, read_text
from app.settings import Settings
from storage.answers import Answer
from storage.errors import UsageError
from storage.files import digest, write_atomically
from storage.reports import Company

_ROOMS = ("storage", "prompts", "indexes", "query_engines")  # what an answer depends on besides its settings
_DATA = (".py", ".toml", ".txt", ".md")
_ROW: TypeAdapter[Row] = TypeAdapter(Row)


def answers_key(settings: Settings, library: Sequence[Company]) -> str:
    """Twelve hex digits that change with what may change an answer: settings, prompts, library and program."""
    known = [company.model_dump(mode="json") for company in library]
    prompts = build_prompts(settings).model_dump(mode="json")
    return digest([settings.model_dump(mode="json"), prompts, known, metadata.version("pageproof"), _program()])


class KeptAnswers:
    """A `.jsonl` file of answers that grows while they come; `pageproof evaluate` reads it too."""

    def __init__(self, folder: Path, name: str, key: str, *, fresh: bool = False) -> None:
        """Read what is there.

        Args:
            folder: where the files of all variants are.
            name: of the variant, for people.
            key: of what its answers depend on; it alone finds the file again.
            fresh: forget what is there.

        Raises:
            UsageError: the folder cannot be written, or the file is not such a file.
        """
        slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60]
        self.path = next(iter(sorted(folder.glob(f"*-{key}.jsonl"))), folder / f"{slug}-{key}.jsonl")
        self._lock = threading.Lock()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if fresh:
                self.path.unlink(missing_ok=True)
        except OSError as error:
            raise UsageError(f"{folder}: cannot be written: {error.strerror}") from error
        self._rows: dict[str, Row] = dict(self._read()) if self.path.exists() else {}

    def __contains__(self, question: FileQuestion) -> bool:
        return _asked(question) in self._rows

    def add(self, question: FileQuestion, answer: Answer) -> None:
        """Keep an answer; safe from several threads."""
        row = answer_json(answer) | {"question": question.question.text, "asked": _asked(question)}
        with self._lock, self.path.open("a", encoding="utf-8") as file:
            self._rows[_asked(question)] = row
            file.write(json.dumps(row) + "\n")  # ASCII: half a line is never half a letter

    def of(self, questions: Sequence[FileQuestion]) -> tuple[WrittenAnswer, ...]:
        """The answers to these questions, as they are scored; those without one are left out."""
        rows = [self._rows[_asked(question)] for question in questions if question in self]
        return written_answers(rows, self.path)

    def _read(self) -> list[tuple[str, Row]]:
        whole, newline, half = read_text(self.path).rpartition("\n")
        if half:  # a run was killed while it wrote; the next line must not be joined to it
            write_atomically(self.path.absolute(), (whole + newline).encode())
        lines = whole.split("\n") if whole else []
        try:
            rows = [_ROW.validate_json(line) for line in lines]
            return [(str(row["asked"]), row) for row in rows]
        except (ValidationError, KeyError) as error:
            raise UsageError(f"{self.path}: is no file of kept answers; remove it, or give --fresh") from error


def _asked(question: FileQuestion) -> str:
    """What tells one question from another: text, kind, company and currency."""
    return digest(question.question.model_dump())


def _program() -> str:
    files = (path for room in _ROOMS for path in sorted(Path(str(resources.files(room))).rglob("*")))
    return digest([digest(path.read_text(encoding="utf-8")) for path in files if path.suffix in _DATA])
