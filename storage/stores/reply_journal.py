"""A file of model replies to unfinished questions, so that a killed run does not pay for them a second time."""

import json
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from storage.files import write_atomically
from storage.options import Limit
from storage.records.record import Record


class _Line(Record):
    """A reply to a request; or the requests of a finished question, whose replies are not needed any more."""

    key: str = ""
    reply: str = ""
    done: tuple[str, ...] = ()


_LINES = TypeAdapter(_Line)
SURPLUS_BYTES = 4_000_000  # of replies that nobody wants any more


class ReplyJournal:
    """Replies by request, written as they come. Replies of an earlier run are returned again, each once.

    What is done makes room: the file is written anew whenever most of it is of questions that are done.

    Args:
        path: of the file; it is created with the first reply, and `remove` deletes it.
        resume: return the replies of an earlier run; without it they are deleted.
        days: for how long after the last reply they can be resumed; None for ever.
        clock: the time, in seconds since 1970.
    """

    def __init__(
        self, path: Path, *, resume: bool, days: int | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._earlier: defaultdict[str, deque[str]] = defaultdict(deque)
        self._pending: defaultdict[str, int] = defaultdict(int)  # bytes of the file by request, of those not done
        self._written = 0
        if not resume or (path.exists() and path.stat().st_mtime < Limit(days=days).oldest(clock())):
            path.unlink(missing_ok=True)
        elif path.exists():
            self._earlier = self._read()
            self._compact()

    def take(self, key: str) -> str | None:
        """The next reply of an earlier run to this request, in their order; None when there is none left."""
        with self._lock:
            replies = self._earlier.get(key)
            return replies.popleft() if replies else None

    def store(self, key: str, reply: str) -> None:
        """Write a reply to the file. When this returns, the reply survives the end of the process."""
        with self._lock:
            self._write(_Line(key=key, reply=reply))

    def forget(self, keys: Iterable[str]) -> None:
        """Drop the replies to these requests, because their question is finished."""
        if done := tuple(keys):
            with self._lock:
                self._write(_Line(done=done))
                self._compact()

    def remove(self) -> None:
        """Delete the file, because the run is complete."""
        self._path.unlink(missing_ok=True)

    def _read(self) -> defaultdict[str, deque[str]]:
        """The replies in the file to requests that are not done."""
        found: defaultdict[str, deque[str]] = defaultdict(deque)
        self._pending.clear()
        self._written = 0
        with self._path.open(encoding="utf-8", errors="replace") as file:
            for written in file:
                try:
                    line = _LINES.validate_json(written)
                except ValidationError:  # an incomplete line, where the run was killed: that request is sent again
                    continue
                self._note(line)
                if line.key:
                    found[line.key].append(line.reply)
                for key in line.done:
                    found.pop(key, None)
        return found

    def _write(self, line: _Line) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(f"\n{_text(line)}")  # the newline comes first, since the last line may be incomplete
        self._note(line)

    def _note(self, line: _Line) -> None:
        length = len(_text(line)) + 1
        self._written += length
        if line.key:
            self._pending[line.key] += length
        for key in line.done:
            self._pending.pop(key, None)

    def _compact(self) -> None:
        pending = sum(self._pending.values())
        if self._written - pending < max(SURPLUS_BYTES, pending):
            return
        left = self._read()
        lines = (_Line(key=key, reply=reply) for key, replies in left.items() for reply in replies)
        write_atomically(self._path, "".join(f"\n{_text(line)}" for line in lines).encode())
        self._written = sum(self._pending.values())


def _text(line: _Line) -> str:
    return json.dumps(line.model_dump(exclude_defaults=True))
