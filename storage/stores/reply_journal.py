"""Replies of a model to questions that are not done, in a file: a run that was killed need not pay for them again."""

import json
import threading
from collections import defaultdict, deque
from collections.abc import Iterable
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from storage.records.record import Record


class _Line(Record):
    """A reply to a request, or the requests of a question that is done, whose replies nobody will ask for."""

    key: str = ""
    reply: str = ""
    done: tuple[str, ...] = ()


_LINES = TypeAdapter(_Line)


class ReplyJournal:
    """Replies by request, written as they come. Those of an earlier run are given again, each once.

    Args:
        path: of the file; it is made with the first reply and goes with `remove`.
        resume: give the replies that an earlier run left there; else they are dropped.
    """

    def __init__(self, path: Path, *, resume: bool) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._earlier: dict[str, deque[str]] = defaultdict(deque)
        if not resume:
            path.unlink(missing_ok=True)
        elif path.exists():
            self._read(path.read_text(encoding="utf-8"))

    def take(self, key: str) -> str | None:
        """An earlier run's reply to this request, in the order they came, or None."""
        with self._lock:
            replies = self._earlier.get(key)
            return replies.popleft() if replies else None

    def store(self, key: str, reply: str) -> None:
        """Write a reply down; once this returns it survives the end of the process."""
        self._write(_Line(key=key, reply=reply))

    def forget(self, keys: Iterable[str]) -> None:
        """Replies to these requests are not wanted any more: their question is done."""
        if done := tuple(keys):
            self._write(_Line(done=done))

    def remove(self) -> None:
        """Nothing is left to resume."""
        self._path.unlink(missing_ok=True)

    def _read(self, text: str) -> None:
        for written in text.splitlines():
            try:
                line = _LINES.validate_json(written)
            except ValidationError:  # half a line, where the run was killed: that reply is asked for again
                continue
            if line.key:
                self._earlier[line.key].append(line.reply)
            for key in line.done:
                self._earlier.pop(key, None)

    def _write(self, line: _Line) -> None:
        text = json.dumps(line.model_dump(exclude_defaults=True))
        with self._lock, self._path.open("a", encoding="utf-8") as file:
            file.write(f"\n{text}")  # before the line: an earlier one may have no end
