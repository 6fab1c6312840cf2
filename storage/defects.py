"""Notes errors that nobody foresaw: where they happened, never what was asked or sent."""

import logging
import secrets
import traceback
from collections.abc import Iterator

_MOST_FRAMES = 20


def note_defect(logger: logging.Logger, what: str, error: BaseException) -> str:
    """Write down where an error happened, and give the reference under which it stands in the log.

    The messages of errors are left out: they repeat values, and among these may be keys, passwords and questions.
    """
    reference = secrets.token_hex(4)
    kinds = " from ".join(f"{type(one).__module__}.{type(one).__qualname__}" for one in _chain(error))
    frames = "".join(traceback.format_tb(error.__traceback__)[-_MOST_FRAMES:])
    logger.error("%s, reference %s: %s\n%s", what, reference, kinds, frames.rstrip())
    return reference


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
