"""Tokens with which programs speak for a person: made, listed and revoked by a command, and hashed where they are kept.

A token is `pp_`, its id, and 256 random bits, so a plain SHA-256 is a safe hash of it: nobody can try them all.
"""

import datetime as dt
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable
from pathlib import Path

from filelock import FileLock
from pydantic import TypeAdapter, ValidationError

from app.chat.session.people import Rights, RightsOf, is_name
from storage.errors import DamagedFile, UsageError
from storage.files import write_atomically
from storage.lexicon.words import expression
from storage.records.record import Record

PREFIX = "pp_"
_TOKEN = expression(r"pp_([0-9a-f]{8})_([A-Za-z0-9_-]{43})")


class Token(Record):
    """One token as it is kept.

    Attributes:
        id: names it in lists and when it is revoked.
        person: for whom it speaks.
        digest: SHA-256 of the whole token, in hex.
        made: when, in UTC.
        writes: whether reports can be added, corrected and removed with it.
    """

    id: str
    person: str
    digest: str
    made: dt.datetime
    writes: bool = True


_FILE = TypeAdapter(tuple[Token, ...])


class Tokens:
    """The tokens in one file. A change takes effect at the next request of a running server."""

    def __init__(
        self,
        path: Path,
        is_known: Callable[[str], bool] | None = None,
        rights_of: RightsOf = lambda _: Rights("contributor"),
    ) -> None:
        """Read and write `path`; `is_known` tells who may still come, anybody if nothing is said."""
        self._path = path
        self.rights_of = rights_of
        self._is_known = is_known or (lambda _: True)
        self._held: tuple[tuple[int, int], tuple[Token, ...]] = ((0, 0), ())

    def all(self) -> tuple[Token, ...]:
        """Every token, the oldest first.

        Raises:
            DamagedFile: the file cannot be read.
        """
        return self._kept() or ()

    @property
    def path(self) -> Path:
        """Where they are kept. The file stays when the last token is revoked."""
        return self._path

    def is_closed(self) -> bool:
        """Whether a token is needed: one was made at some time, though it may be revoked by now.

        Raises:
            DamagedFile: the file cannot be read.
        """
        return self._kept() is not None

    def _kept(self) -> tuple[Token, ...] | None:
        """What the file holds; None where there is no file, so that no token was ever made."""
        try:
            status = self._path.stat()
            stamp = (status.st_mtime_ns, status.st_size)
            if self._held[0] != stamp:
                self._held = (stamp, _FILE.validate_json(self._path.read_bytes()))
        except FileNotFoundError:
            self._held = ((0, 0), ())
            return None
        except (OSError, ValidationError) as error:
            raise DamagedFile(
                f"the tokens in {self._path} cannot be read: stop the server, remove the file and make them anew; "
                "without the file everybody on this machine may come in"
            ) from error
        return self._held[1]

    def add(self, person: str, *, writes: bool = True) -> str:
        """Make a token for a person. It is returned here and kept nowhere.

        Raises:
            UsageError: the name cannot be one, or nobody of this name may sign in.
        """
        if not is_name(person):
            raise UsageError(f"{person!r} cannot be a name: expected 1 to 100 characters without ':'")
        if not self._is_known(person):
            raise UsageError(f"{person!r} is not among the people who may sign in: see the setting chat.people")
        number = secrets.token_hex(4)
        text = f"{PREFIX}{number}_{secrets.token_urlsafe(32)}"
        made = Token(id=number, person=person, digest=_digest(text), made=dt.datetime.now(dt.UTC), writes=writes)
        self._change(lambda known: (*known, made))
        return text

    def writes(self, token: Token) -> bool:
        """Whether reports can be changed with a token: it was made for that, and its person may."""
        return token.writes and self.rights_of(token.person).sends

    def revoke(self, number: str) -> Token:
        """Make a token worthless.

        Raises:
            UsageError: there is none with this id.
        """
        found = next((token for token in self.all() if token.id == number), None)
        if found is None:
            raise UsageError(f"there is no token {number!r}; `pageproof tokens` lists them")
        self._change(lambda known: tuple(token for token in known if token.id != number))
        return found

    def verified(self, text: str) -> Token | None:
        """The token with this text, or None where there is none or its person may no longer come."""
        match = _TOKEN.fullmatch(text)
        if match is None:
            return None
        known = next((token for token in self.all() if token.id == match[1]), None)
        fits = known is not None and hmac.compare_digest(known.digest, _digest(text))
        return known if known and fits and self._is_known(known.person) else None

    def _change(self, change: Callable[[tuple[Token, ...]], tuple[Token, ...]]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{self._path}.lock"):
            changed = [token.model_dump(mode="json") for token in change(self.all())]
            write_atomically(self._path, json.dumps(changed, indent=1).encode(), mode=0o600)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
