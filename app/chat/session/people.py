"""Who may sign in, with which role, and the secret that signs their sessions. No Chainlit here.

A line is `NAME:scrypt$N$R$P$SALT$HASH:ROLE`, salt and hash in base64; without a role it is a contributor's. A person
who is invited has `invited$UNTIL$DIGEST` in the place of the hash, until they have chosen a password themselves. Empty
lines and those that begin with # are left out.
"""

import base64
import contextlib
import hashlib
import hmac
import logging
import os
import secrets
import threading
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Self, get_args

from storage.errors import SetupError, UsageError
from storage.files import set_aside
from storage.lexicon.words import expression

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
_NAME = expression(r"[^\s:#\x00-\x1f\x7f](?:[^:\x00-\x1f\x7f]{0,98}[^\s:\x00-\x1f\x7f])?")
_INVITED = expression(r"invited\$(\d{1,12})\$([0-9a-f]{64})")
INVITED_SECONDS = 86_400
Role = Literal["reader", "contributor", "keeper"]
PersonState = Literal["active", "invited", "expired"]
ROLES: tuple[Role, ...] = get_args(Role)
_HASH = expression(r"scrypt\$(\d{1,8})\$(\d{1,3})\$(\d{1,3})\$([A-Za-z0-9+/=]{8,200})\$([A-Za-z0-9+/=]{24,200})")


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


@dataclass(frozen=True)
class Invitation:
    """Lets a person choose a password, once: the hash of a secret that only their link has.

    Attributes:
        until: when it ends, in seconds since 1970.
    """

    until: int
    digest: str

    @classmethod
    def new(cls, now: float) -> tuple[str, Self]:
        """A new secret, which is stored nowhere, and its invitation."""
        secret = secrets.token_urlsafe(32)
        return secret, cls(int(now) + INVITED_SECONDS, _digest(secret))

    def fits(self, secret: str, now: float) -> bool:
        """Whether this is the secret's, and in time."""
        return hmac.compare_digest(self.digest, _digest(secret)) and now < self.until

    def __str__(self) -> str:
        return f"invited${self.until}${self.digest}"


@dataclass(frozen=True)
class Person:
    """One who may sign in.

    Attributes:
        secret: their password's hash, or the invitation to choose one.
        is_fixed: a variable of the environment names them, so that nothing here can change them.
    """

    name: str
    secret: PasswordHash | Invitation
    role: Role = "contributor"
    is_fixed: bool = False

    @classmethod
    def new(cls, name: str, secret: PasswordHash | Invitation, role: str) -> Self:
        """A person under a sound name.

        Raises:
            UsageError: the name cannot be taken, or there is no such role.
        """
        name = unicodedata.normalize("NFKC", name).strip()
        if not is_name(name) or folded(name) == LOCAL:
            raise UsageError(f"{name!r} cannot be a name: expected 1 to 100 characters, no ':', and not {LOCAL!r}")
        return cls(name, secret, checked_role(role))

    @property
    def password(self) -> PasswordHash | None:
        """The hash of their password; None until they have chosen one."""
        return self.secret if isinstance(self.secret, PasswordHash) else None

    def state(self, now: float) -> PersonState:
        """Whether they can sign in, or could choose a password now."""
        if isinstance(self.secret, PasswordHash):
            return "active"
        return "invited" if now < self.secret.until else "expired"

    @property
    def line(self) -> str:
        """As the file has it."""
        return f"{self.name}:{self.secret}" + ("" if self.role == "contributor" else f":{self.role}")


class NotAllowed(UsageError):
    """The person's role does not let them do this."""


@dataclass(frozen=True)
class Rights:
    """What somebody may do besides asking and reading.

    Attributes:
        is_signed_in: not whoever sits at this machine.
    """

    role: Role
    is_signed_in: bool = True

    @property
    def sends(self) -> bool:
        """Whether they send reports, and correct and remove what they sent."""
        return self.role != "reader"

    @property
    def shares(self) -> bool:
        """Whether they add to the shared library, correct and remove there."""
        return self.role == "keeper"

    @property
    def manages(self) -> bool:
        """Whether they manage people."""
        return self.is_signed_in and self.role == "keeper"

    def must_send(self) -> None:
        """Refuse who only reads.

        Raises:
            NotAllowed: they do.
        """
        if not self.sends:
            raise NotAllowed("your role is reader: you can ask and read, and a keeper can let you send reports")

    def must_keep(self) -> None:
        """Refuse who is no keeper.

        Raises:
            NotAllowed: they are none.
        """
        if not self.shares:
            raise NotAllowed(f"your role is {self.role}: only keepers can do this")


AT_THIS_MACHINE = Rights("keeper", is_signed_in=False)
RightsOf = Callable[[str | None], Rights]
"""The rights of a person by name; None where nobody signs in."""
_NO_RIGHTS = Rights("reader")


class People:
    """Everyone who may sign in. A change of their file holds from the next look on.

    A line that is wrong then signs its person out and no other. While the file cannot be read, those of before may
    come.
    """

    def __init__(self, fixed: Mapping[str, Person], file: Path | None = None) -> None:
        """Those of the environment, by folded name, and those in a file."""
        self._fixed, self._file = dict(fixed), file
        self._all = self._fixed
        self._seen: tuple[int, ...] | None = None
        self._reading = threading.Lock()
        self.changes = 0
        """How often the file has changed."""
        # A stranger's password is hashed too, so that the time taken does not tell who is known.
        self._nobody = PasswordHash.of(secrets.token_urlsafe(16))

    @classmethod
    def load(cls, file: str | None, environment: Mapping[str, str]) -> Self:
        """Those in the file and in PAGEPROOF_PEOPLE.

        Raises:
            UsageError: the file cannot be read, names nobody, or names somebody of the environment. A line that is
                wrong signs nobody in, and is said.
        """
        fixed = fixed_people(environment)
        if not file:
            return cls(fixed)
        path = Path(file).expanduser()
        people = cls(fixed, path)
        try:
            people._seen, lines = _stamp(path), lines_of(path)
        except (OSError, ValueError) as error:
            raise UsageError(f"chat.people: cannot read {file!r}: {error}") from error
        wrong: list[str] = []
        in_file = read_lines(lines, file, wrong.append)
        for message in wrong:
            leave_out(message)
        if twice := next((p.name for p in in_file if folded(p.name) in fixed), None):
            raise UsageError(f"{twice!r} is there twice: in {file!r} and in {VARIABLE}")
        people._all = _together(fixed, in_file)
        if not people._all and not wrong:
            raise UsageError(f"chat.people: {file!r} names nobody; `pageproof people --add NAME` adds a person")
        return people

    def __bool__(self) -> bool:
        """Whether people sign in at all, also while their file names nobody."""
        return self._file is not None or bool(self._fixed)

    def all(self) -> dict[str, Person]:
        """Everyone as the file has them now, by folded name."""
        if self._file is None:
            return self._all
        try:
            stamp = _stamp(self._file)
            if stamp != self._seen:
                with self._reading:
                    self._all = _together(
                        self._fixed, read_lines(lines_of(self._file), str(self._file), leave_out)
                    )
                    self._seen = stamp
                    self.changes += 1
        except (OSError, ValueError) as error:
            if self._seen is not None:
                logger.warning("the people in %s cannot be read: those of before may come (%s)", self._file, error)
            self._seen = None
        return self._all

    def verified(self, name: str, password: str) -> str | None:
        """The name as it is written in the file, where the password is theirs; costs about 0.1 s either way."""
        known = self.all().get(folded(name))
        expected = (known and known.password) or self._nobody
        fits = expected.fits(password[:LONGEST_PASSWORD])
        return known.name if fits and known and known.password else None

    def mark(self, name: str) -> str | None:
        """What changes when the person's password does; None for a stranger and for one without a password."""
        known = self._named(name)
        return known.password.mark if known and known.password else None

    def rights(self, name: str | None) -> Rights:
        """What a person may do; a stranger may do nothing, and where nobody signs in, whoever is here everything."""
        if not self:
            return AT_THIS_MACHINE
        known = self._named(name) if name else None
        return Rights(known.role) if known else _NO_RIGHTS

    def _named(self, name: str) -> Person | None:
        known = self.all().get(folded(name))
        return known if known and known.name == name else None


def new_password(password: str) -> PasswordHash:
    """The hash of a new password.

    Raises:
        UsageError: it is too short or too long.
    """
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise UsageError(f"the password has {len(password)} characters: expected at least {SHORTEST_PASSWORD}")
    return PasswordHash.of(password)


def checked_role(role: str) -> Role:
    """The role of this name.

    Raises:
        UsageError: there is none.
    """
    found = next((known for known in ROLES if known == role.strip()), None)
    if found is None:
        raise UsageError(f"{role!r} is no role: expected {', '.join(ROLES)}")
    return found


def people_line(name: str, password: str) -> str:
    """The line for one person, a contributor.

    Raises:
        UsageError: the name or the password cannot be taken.
    """
    return Person.new(name, new_password(password), "contributor").line


OnWrong = Callable[[str], None]


def refuse(message: str) -> None:
    """Take no wrong line.

    Raises:
        UsageError: always.
    """
    raise UsageError(message)


def leave_out(message: str) -> None:
    """Take the other lines, and say which one is wrong."""
    logger.warning("somebody cannot sign in: %s", message)


def fixed_people(environment: Mapping[str, str]) -> dict[str, Person]:
    """Those whom the environment names, by folded name.

    Raises:
        UsageError: a line is wrong.
    """
    found = read_lines(environment.get(VARIABLE, "").splitlines(), VARIABLE, refuse)
    return {folded(person.name): replace(person, is_fixed=True) for person in found}


def _together(fixed: Mapping[str, Person], in_file: Iterable[Person]) -> dict[str, Person]:
    """Everyone by folded name; whom the environment names, the file does not change."""
    return {folded(person.name): person for person in in_file} | dict(fixed)


def _stamp(file: Path) -> tuple[int, ...]:
    found = file.stat()
    return found.st_ino, found.st_mtime_ns, found.st_size


def is_name(text: str) -> bool:
    """Whether a text can name a person: one line of signs that can be seen."""
    return text.isprintable() and _NAME.fullmatch(text) is not None


def lines_of(file: Path) -> list[str]:
    """What stands in a file of people; bytes that are no text stay what they are, in a line that names nobody."""
    return file.read_text(encoding="utf-8", errors="surrogateescape").removesuffix("\n").split("\n")


def content_of(lines: Iterable[str]) -> bytes:
    """The file with these lines."""
    return "".join(f"{line}\n" for line in lines).encode(errors="surrogateescape")


def is_remark(line: str) -> bool:
    """Whether a line names nobody."""
    return not line.strip() or line.lstrip().startswith("#")


def read_lines(lines: Iterable[str], source: str, on_wrong: OnWrong) -> list[Person]:
    """The people of some lines; `on_wrong` hears of a line that is left out."""
    found: dict[str, Person] = {}
    for number, line in enumerate(lines, start=1):
        if is_remark(line):
            continue
        where = f"{source}, line {number}"
        try:
            person = _read_line(line, where)
        except UsageError as error:
            on_wrong(str(error))
            continue
        if folded(person.name) in found:
            on_wrong(f"{where}: {person.name!r} is there twice")
        else:
            found[folded(person.name)] = person
    return list(found.values())


def _read_line(line: str, where: str) -> Person:
    name, colon, rest = line.strip().partition(":")
    name = unicodedata.normalize("NFKC", name).strip()
    if not colon or not is_name(name) or folded(name) == LOCAL:
        raise UsageError(f"{where}: expected NAME:HASH:ROLE, as `pageproof people --add NAME` writes it")
    text, _, role = (part.strip() for part in rest.partition(":"))
    try:
        invited = _INVITED.fullmatch(text)
        secret = Invitation(int(invited[1]), invited[2]) if invited else PasswordHash.read(text)
    except ValueError as error:
        raise UsageError(f"{where}: the hash of {name!r} cannot be read: {error}") from error
    try:
        return Person(name, secret, checked_role(role) if role else "contributor")
    except UsageError as error:
        raise UsageError(f"{where}: {name!r} has a wrong role: {error}") from error


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def folded(name: str) -> str:
    """A name as it is compared: in any case, and in any letters of Unicode that look the same."""
    return unicodedata.normalize("NFKC", name).strip().casefold()


def _scrypt(password: str, salt: bytes, n: int, r: int, p: int, length: int) -> bytes:
    content = unicodedata.normalize("NFC", password).encode("utf-8", "surrogatepass")
    return hashlib.scrypt(content, salt=salt, n=n, r=r, p=p, maxmem=_MOST_MEMORY, dklen=length)
