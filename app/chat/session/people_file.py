"""Changes the file of the people who may sign in: by commands, and on the page for those who manage people."""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from filelock import FileLock

from app.chat.session.people import (
    VARIABLE,
    Invitation,
    NotAllowed,
    PasswordHash,
    Person,
    checked_role,
    content_of,
    fixed_people,
    folded,
    is_remark,
    leave_out,
    lines_of,
    new_password,
    read_lines,
)
from storage.errors import UsageError
from storage.files import write_atomically


class PeopleFile:
    """The file of the people, changed a line at a time; what else stands in it stays.

    Everything that a change depends on is looked at while the file is locked.
    """

    def __init__(self, file: Path, environment: Mapping[str, str], now: Callable[[], float] = time.time) -> None:
        """Change `file`, which may not be there yet; nobody of the environment is changed."""
        self._file = Path(os.path.realpath(file.expanduser()))
        self._fixed = fixed_people(environment)
        self._now = now

    def all(self) -> tuple[Person, ...]:
        """Everyone, in the order of the file, those of the environment last.

        Raises:
            UsageError: the file cannot be read.
        """
        found = {folded(p.name): p for p in self._known()}
        return (*found.values(), *(p for name, p in self._fixed.items() if name not in found))

    def add(self, person: Person, by: str | None = None) -> None:
        """Add a person.

        Raises:
            UsageError: the name is taken, or the file cannot be changed.
            NotAllowed: `by` is no keeper.
        """
        with self._open(by) as known:
            if folded(person.name) in self._fixed or any(folded(p.name) == folded(person.name) for p in known):
                raise UsageError(f"{person.name!r} is there already")
            self._write([*self._text(), person.line])

    def change(
        self,
        name: str,
        *,
        secret: PasswordHash | Invitation | None = None,
        role: str | None = None,
        by: str | None = None,
    ) -> Person:
        """Give a person another password, or an invitation in its place, or another role.

        Raises:
            UsageError: there is no such person or role, or the file cannot be changed.
            NotAllowed: `by` is no keeper, or is that person.
        """
        with self._open(by, about=name):
            before = self._person(name)
            role = before.role if role is None else checked_role(role)
            after = replace(before, secret=secret or before.secret, role=role)
            self._put(name, after.line)
        return after

    def revoke(self, name: str, by: str | None = None) -> Person:
        """Let a person come no more.

        Raises:
            UsageError: there is no such person, or the file cannot be changed.
            NotAllowed: `by` is no keeper, or is that person.
        """
        with self._open(by, about=name):
            gone = self._person(name)
            self._put(name, None)
        return gone

    def accept(self, secret: str, password: str) -> str:
        """Set the password of the person whose invitation this is; it is worth nothing afterwards.

        Returns:
            Their name.

        Raises:
            UsageError: the link is not valid any more, or the password cannot be taken.
        """
        with self._open(None) as known:
            now = self._now()
            person = next(
                (p for p in known if isinstance(p.secret, Invitation) and p.secret.fits(secret, now)), None
            )
            if person is None:
                raise UsageError("this link is not valid any more: ask for a new one")
            self._put(person.name, replace(person, secret=new_password(password)).line)
        return person.name

    @contextmanager
    def _open(self, by: str | None, about: str = "") -> Iterator[list[Person]]:
        """The people of the file while nobody else changes it, if `by` may."""
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(f"{self._file}.lock", mode=0o600):
                known = self._known()
                if by is not None:
                    everyone = (*known, *self._fixed.values())
                    if not any(p.name == by and p.role == "keeper" for p in everyone):
                        raise NotAllowed("only keepers can do this")
                    if about and folded(by) == folded(about):
                        raise NotAllowed("ask another keeper to change or revoke you")
                yield known
        except OSError as error:
            why = error.strerror or str(error)
            raise UsageError(f"chat.people: {str(self._file)!r} cannot be changed: {why}") from error

    def _known(self) -> list[Person]:
        try:
            return read_lines(lines_of(self._file), str(self._file), leave_out)
        except FileNotFoundError:
            return []
        except (OSError, ValueError) as error:
            raise UsageError(f"chat.people: cannot read {str(self._file)!r}: {error}") from error

    def _person(self, name: str) -> Person:
        found = next((p for p in self._known() if folded(p.name) == folded(name)), None)
        if found is None and folded(name) in self._fixed:
            raise UsageError(f"{name!r} is named in {VARIABLE}: change that")
        if found is None:
            raise UsageError(f"there is no {name!r}; `pageproof people` lists everyone")
        return found

    def _put(self, name: str, line: str | None) -> None:
        lines: list[str] = []
        for known in self._text():
            is_theirs = not is_remark(known) and folded(known.partition(":")[0]) == folded(name)
            if not is_theirs:
                lines.append(known)
            elif line is not None:
                lines.append(line)
        self._write(lines)

    def _text(self) -> list[str]:
        try:
            return lines_of(self._file)
        except FileNotFoundError:
            return []

    def _write(self, lines: list[str]) -> None:
        write_atomically(self._file, content_of(lines), mode=0o600)
