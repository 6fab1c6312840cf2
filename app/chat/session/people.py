"""Who may sign in: names with hashed passwords, and the secret that signs their sessions. No Chainlit here.

A line is `NAME:scrypt$N$R$P$SALT$HASH`, salt and hash in base64; empty lines and those that begin with # are left out.
"""

import base64
import contextlib
import hashlib
import hmac
import logging
import os
import re
import secrets
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from storage.errors import SetupError, UsageError
from storage.files import set_aside

logger = logging.getLogger(__name__)

SECRET_VARIABLE = "CHAINLIT_AUTH_SECRET"
SHORTEST = 32


def session_secret(path: Path, environment: Mapping[str, str], *, signs_in: bool) -> str:
    """What sign-ins are signed with: made from the environment's secret, else from the one kept at `path`.

    A chat where people sign in signs with another secret than one where nobody does, so that a token of the one is
    worth nothing in the other.

    Args:
        path: where a secret is made if it is not there.
        environment: where one may be set.
        signs_in: whether people do.

    Raises:
        UsageError: the environment's is too short.
        SetupError: the kept one cannot be read or made.
    """
    given = environment.get(SECRET_VARIABLE)
    if given is not None and len(given) < SHORTEST:
        raise UsageError(f"{SECRET_VARIABLE} has {len(given)} characters: expected at least {SHORTEST}")
    try:
        base = _stored_secret(path) if given is None else given
    except OSError as error:
        raise SetupError(f"the secret of sign-ins cannot be kept at {path}: {error}") from error
    purpose = b"pageproof: people sign in" if signs_in else b"pageproof: nobody signs in"
    return hmac.new(base.encode(), purpose, hashlib.sha256).hexdigest()


def _stored_secret(path: Path) -> str:
    """The secret at `path`. Where there is none that can be used, a new one is made: then all sign in again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    known = _read_secret(path) if path.exists() else None
    if known is None and path.exists():
        logger.warning("%s holds no secret of sign-ins: a new one is made, and all sign in again", path)
        set_aside(path.parent, path)
    if known is None:
        draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(48), encoding="ascii")
        with contextlib.suppress(FileExistsError):  # another process was first: theirs counts
            os.link(draft, path)
        draft.unlink()
        known = _read_secret(path)
    if known is None:
        raise OSError("it cannot be written there")
    return known


def _read_secret(path: Path) -> str | None:
    if not path.is_file():
        return None
    if path.stat().st_mode & 0o077:
        path.chmod(0o600)
    known = path.read_text(encoding="ascii", errors="replace").strip()
    return known if len(known) >= SHORTEST and known.isascii() else None


VARIABLE = "PAGEPROOF_PEOPLE"
LOCAL = "local"
"""The name of whoever sits at this machine, where nobody signs in."""
SHORTEST_PASSWORD, LONGEST_PASSWORD = 8, 1024
# RFC 7914's parameters as OWASP names them for 16 MB a hash: about 50 ms on one core.
_N, _R, _P = 2**14, 8, 5
_MOST_MEMORY = 256 * 1024 * 1024
_NAME = re.compile(r"[^\s:#\x00-\x1f\x7f](?:[^:\x00-\x1f\x7f]{0,98}[^\s:\x00-\x1f\x7f])?")
_HASH = re.compile(r"scrypt\$(\d{1,8})\$(\d{1,3})\$(\d{1,3})\$([A-Za-z0-9+/=]{8,200})\$([A-Za-z0-9+/=]{24,200})")


@dataclass(frozen=True)
class PasswordHash:
    """A password's hash with all that it takes to make it again."""

    n: int
    r: int
    p: int
    salt: bytes
    digest: bytes

    @classmethod
    def of(cls, password: str) -> Self:
        """A new hash, with a salt of its own."""
        salt = secrets.token_bytes(16)
        return cls(_N, _R, _P, salt, _scrypt(password, salt, _N, _R, _P, 32))

    @classmethod
    def read(cls, text: str) -> Self:
        """The hash in a line.

        Raises:
            ValueError: it is none.
        """
        match = _HASH.fullmatch(text)
        if match is None:
            raise ValueError("expected scrypt$N$R$P$SALT$HASH")
        n, r, p = (int(match[k]) for k in (1, 2, 3))
        if n < 2**14 or n & (n - 1) or r < 8 or not p or 128 * n * r * p > _MOST_MEMORY * 4:
            raise ValueError("the parameters are too weak or too costly")
        return cls(n, r, p, base64.b64decode(match[4], validate=True), base64.b64decode(match[5], validate=True))

    def fits(self, password: str) -> bool:
        """Whether this is the password's hash; takes as long either way."""
        tried = _scrypt(password, self.salt, self.n, self.r, self.p, len(self.digest))
        return hmac.compare_digest(tried, self.digest)

    def __str__(self) -> str:
        salt, digest = (base64.b64encode(part).decode() for part in (self.salt, self.digest))
        return f"scrypt${self.n}${self.r}${self.p}${salt}${digest}"

    @property
    def mark(self) -> str:
        """Changes with the password and tells nothing of it."""
        return hashlib.sha256(str(self).encode()).hexdigest()[:16]


class People:
    """Everyone who may sign in."""

    def __init__(self, hashes: Mapping[str, PasswordHash]) -> None:
        self._hashes = {folded(name): (name, known) for name, known in hashes.items()}
        # A stranger's password is hashed too, so that the time taken does not tell who is known.
        self._nobody = PasswordHash.of(secrets.token_urlsafe(16))

    @classmethod
    def load(cls, file: str | None, environment: Mapping[str, str]) -> Self:
        """Those in the file and in PAGEPROOF_PEOPLE.

        Raises:
            UsageError: the file cannot be read, a line is wrong, or a name comes twice.
        """
        hashes: dict[str, PasswordHash] = {}
        sources: list[tuple[str, Iterable[str]]] = []
        if file:
            try:
                sources.append((file, Path(file).expanduser().read_text(encoding="utf-8").splitlines()))
            except (OSError, ValueError) as error:
                raise UsageError(f"chat.people: cannot read {file!r}: {error}") from error
        sources.append((VARIABLE, environment.get(VARIABLE, "").splitlines()))
        for source, lines in sources:
            for number, line in enumerate(lines, start=1):
                if not line.strip() or line.lstrip().startswith("#"):
                    continue
                name, known = _read_line(line, f"{source}, line {number}")
                if folded(name) in map(folded, hashes):
                    raise UsageError(f"{source}, line {number}: {name!r} is there twice")
                hashes[name] = known
        if file and not hashes:
            raise UsageError(f"chat.people: {file!r} names nobody; `pageproof chat --hash-password` makes a line")
        return cls(hashes)

    def __bool__(self) -> bool:
        return bool(self._hashes)

    def verified(self, name: str, password: str) -> str | None:
        """The name as it is written in the file, where the password is theirs; costs about 0.1 s either way."""
        known, expected = self._hashes.get(folded(name), ("", self._nobody))
        fits = expected.fits(password[:LONGEST_PASSWORD])
        return known if fits and known else None

    def mark(self, name: str) -> str | None:
        """What changes when the person's password does; None for a stranger."""
        known = self._hashes.get(folded(name))
        return known[1].mark if known and known[0] == name else None


def people_line(name: str, password: str) -> str:
    """The line for one person.

    Raises:
        UsageError: the name or the password cannot be taken.
    """
    name = unicodedata.normalize("NFKC", name).strip()
    if not _NAME.fullmatch(name) or folded(name) == LOCAL:
        raise UsageError(f"{name!r} cannot be a name: expected 1 to 100 characters, no ':', and not {LOCAL!r}")
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise UsageError(f"the password has {len(password)} characters: expected at least {SHORTEST_PASSWORD}")
    return f"{name}:{PasswordHash.of(password)}"


def _read_line(line: str, where: str) -> tuple[str, PasswordHash]:
    name, colon, text = line.strip().partition(":")
    name = unicodedata.normalize("NFKC", name).strip()
    if not colon or not _NAME.fullmatch(name) or folded(name) == LOCAL:
        raise UsageError(f"{where}: expected NAME:HASH, as `pageproof chat --hash-password` prints it")
    try:
        return name, PasswordHash.read(text.strip())
    except ValueError as error:
        raise UsageError(f"{where}: the hash of {name!r} cannot be read: {error}") from error


def folded(name: str) -> str:
    """A name as it is compared: in any case, and in any letters of Unicode that look the same."""
    return unicodedata.normalize("NFKC", name).strip().casefold()


def _scrypt(password: str, salt: bytes, n: int, r: int, p: int, length: int) -> bytes:
    content = unicodedata.normalize("NFC", password).encode("utf-8", "surrogatepass")
    return hashlib.scrypt(content, salt=salt, n=n, r=r, p=p, maxmem=_MOST_MEMORY, dklen=length)
