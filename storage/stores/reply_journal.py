"""A file of model replies to unfinished questions, so that a killed run does not pay for them a second time."""

import json
import threading
from collections import defaultdict, deque
from collections.abc import Iterable
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from storage.records.record import Record


class _Line(Record):
    """A reply to a request; or the requests of a finished question, whose replies are not needed any more."""

    key: str = ""
    reply: str = ""
    done: tuple[str, ...] = ()


_LINES = TypeAdapter(_Line)


class ReplyJournal:
    """Replies by request, written as they come. Replies of an earlier run are returned again, each once.

    Args:
        path: of the file; it is created with the first reply, and `remove` deletes it.
        resume: return the replies of an earlier run; without it they are deleted.
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
        """The next reply of an earlier run to this request, in their order; None when there is none left."""
        with self._lock:
            replies = self._earlier.get(key)
            return replies.popleft() if replies else None

    def store(self, key: str, reply: str) -> None:
        """Write a reply to the file. When this returns, the reply survives the end of the process."""
        self._write(_Line(key=key, reply=reply))

    def forget(self, keys: Iterable[str]) -> None:
        """Drop the replies to these requests, because their question is finished."""
        if done := tuple(keys):
            self._write(_Line(done=done))

    def remove(self) -> None:
        """Delete the file, because the run is complete."""
        self._path.unlink(missing_ok=True)

    def _read(self, text: str) -> None:
        for written in text.splitlines():
            try:
                line = _LINES.validate_json(written)
            except ValidationError:  # an incomplete line, where the run was killed: that request is sent again
                continue
            if line.key:
                self._earlier[line.key].append(line.reply)
            for key in line.done:
                self._earlier.pop(key, None)

    def _write(self, line: _Line) -> None:
        text = json.dumps(line.model_dump(exclude_defaults=True))
        with self._lock, self._path.open("a", encoding="utf-8") as file:
            file.write(f"\n{text}")  # the newline comes first, since the last line may be incomplete
