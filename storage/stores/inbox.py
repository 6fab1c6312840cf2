"""Uploaded PDFs that are not indexed yet. They are on the disk before any work on them begins."""

import datetime as dt
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from storage.files import sync_folder, write_atomically
from storage.lexicon.words import expression
from storage.records.record import Record

_SHA1 = expression(r"[0-9a-f]{40}")


class Received(Record):
    """A PDF in the inbox, and how its sender wants it to be read.

    Attributes:
        name: what the sender calls the file; shown, never used as a path.
        owner: whose library it goes to; None for the shared one.
        profile: under which it is indexed.
        overrides: settings on top of the profile, as "section.key=value".
        tries: how many times reading it was started.
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
    """One folder of received PDFs, each with a note beside it. An entry exists as soon as its note is written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def pdf(self, sha1: str) -> Path:
        """The path of a PDF, whether it exists or not.

        Raises:
            ValueError: the text is not a SHA-1.
        """
        return self._file(sha1, "pdf")

    def store(self, file: Path, received: Received) -> None:
        """Add a PDF to the inbox. The given file stays where it is."""
        pdf = self.pdf(received.sha1)
        pdf.parent.mkdir(parents=True, exist_ok=True)
        draft = pdf.with_suffix(".draft")
        draft.unlink(missing_ok=True)
        try:
            try:
                os.link(file, draft)
            except OSError:  # another disk, or a file system without hard links
                shutil.copyfile(file, draft)
            with draft.open("rb+") as copy:
                os.fsync(copy.fileno())
            draft.replace(pdf)
            self.note(received)
        except OSError:  # half a PDF, or one without a note, would stay for ever
            draft.unlink(missing_ok=True)
            pdf.unlink(missing_ok=True)
            raise

    def note(self, received: Received) -> None:
        """Write the note of a PDF that is in the inbox."""
        write_atomically(self._file(received.sha1, "json"), received.model_dump_json().encode())

    def waiting(self) -> list[Received]:
        """The entries that are not indexed yet, oldest first."""
        return sorted(self._notes(), key=lambda received: received.received)

    def drop(self, sha1: str) -> None:
        """Remove a PDF that is indexed or not wanted any more."""
        self.pdf(sha1).unlink(
            missing_ok=True
        )  # the PDF first, so that only the small note can be left after a kill
        self._file(sha1, "json").unlink(missing_ok=True)
        if self._folder.is_dir():
            sync_folder(self._folder)

    def _notes(self) -> Iterator[Received]:
        for note in self._folder.glob("*.json"):
            try:
                received = Received.model_validate_json(note.read_bytes())
            except (
                OSError,
                ValidationError,
            ):  # incomplete, or written by another version: the sender must send the PDF again
                continue
            if received.sha1 == note.stem and self.pdf(received.sha1).is_file():
                yield received

    def _file(self, sha1: str, suffix: str) -> Path:
        if not _SHA1.fullmatch(sha1):
            raise ValueError(f"{sha1!r} does not name a report: expected the 40 hex digits of a SHA-1")
        return self._folder / f"{sha1}.{suffix}"
