"""What sign-ins are signed with: made once and kept. No Chainlit here."""

import contextlib
import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from storage.errors import SetupError, UsageError

VARIABLE = "CHAINLIT_AUTH_SECRET"
SHORTEST = 32


def session_secret(path: Path, environment: Mapping[str, str]) -> str:
    """The environment's, else the one kept at `path`, which is made if it is not there.

    Raises:
        UsageError: the environment's is too short.
        SetupError: the kept one cannot be read or made.
    """
    given = environment.get(VARIABLE)
    if given is not None:
        if len(given) < SHORTEST:
            raise UsageError(f"{VARIABLE} has {len(given)} characters: expected at least {SHORTEST}")
        return given
    try:
        return _kept(path)
    except OSError as error:
        raise SetupError(f"the secret of sign-ins cannot be kept at {path}: {error}") from error


def _kept(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    if not path.exists():
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(48), encoding="ascii")
        with contextlib.suppress(FileExistsError):  # another process was first: theirs counts
            os.link(draft, path)
        draft.unlink()
    if path.stat().st_mode & 0o077:
        path.chmod(0o600)
    known = path.read_text(encoding="ascii").strip()
    if len(known) < SHORTEST:
        raise SetupError(f"{path} holds no secret of sign-ins: remove it, and a new one is made")
    return known
