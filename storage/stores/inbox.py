"""PDFs that were received and are not indexed yet: on the disk before anything is done with them."""

import datetime as dt
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from storage.files import sync_folder, write_atomically
from storage.records.record import Record

_SHA1 = re.compile(r"[0-9a-f]{40}")


class Received(Record):
    """A PDF in the inbox, and what its sender wants.

    Attributes:
        name: what the sender calls the file; shown, never used as a path.
        owner: whose library it goes to; None for the shared one.
        profile: under which it is indexed.
        overrides: settings on top of the profile, as "section.key=value".
        tries: how often reading it was begun.
    """

    sha1: str
    name: str
    page_count: int
    received: dt.datetime
    profile: str
    overrides: tuple[str, ...] = ()
    owner: str | None = None
    tries: int = 0


class Inbox:
    """One folder of received PDFs, each beside a note; an entry is there from its note's writing on."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def pdf(self, sha1: str) -> Path:
        """Where a PDF is, or would be.

        Raises:
            ValueError: that is no SHA-1.
        """
        return self._file(sha1, "pdf")

    def store(self, file: Path, received: Received) -> None:
        """Take a PDF in; the file given stays where it is."""
        pdf = self.pdf(received.sha1)
        pdf.parent.mkdir(parents=True, exist_ok=True)
        draft = pdf.with_suffix(".draft")
        draft.unlink(missing_ok=True)
        try:
            os.link(file, draft)
        except OSError:  # another disk, or one that has no links
            shutil.copyfile(file, draft)
        with draft.open("rb+") as copy:
            os.fsync(copy.fileno())
        draft.replace(pdf)
        self.note(received)

    def note(self, received: Received) -> None:
        """Write down what is known of a PDF that is here."""
        write_atomically(self._file(received.sha1, "json"), received.model_dump_json().encode())

    def waiting(self) -> list[Received]:
        """What is not done yet, the oldest first."""
        return sorted(self._notes(), key=lambda received: received.received)

    def drop(self, sha1: str) -> None:
        """Forget a PDF: it is indexed, or nobody wants it."""
        self.pdf(sha1).unlink(missing_ok=True)  # first: what is left after a kill is small
        self._file(sha1, "json").unlink(missing_ok=True)
        if self._folder.is_dir():
            sync_folder(self._folder)

    def _notes(self) -> Iterator[Received]:
        for note in self._folder.glob("*.json"):
            try:
                received = Received.model_validate_json(note.read_bytes())
            except (OSError, ValidationError):  # half of one, or another version's: its sender sends it again
                continue
            if received.sha1 == note.stem and self.pdf(received.sha1).is_file():
                yield received

    def _file(self, sha1: str, suffix: str) -> Path:
        if not _SHA1.fullmatch(sha1):
            raise ValueError(f"{sha1!r} does not name a report: expected the 40 hex digits of a SHA-1")
        return self._folder / f"{sha1}.{suffix}"
