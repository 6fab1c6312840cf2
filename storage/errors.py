"""Pageproof's errors: the class says who must act.

    PageproofError
    ├── UsageError              fix the question, the command or the settings      exit 2
    │   ├── ComponentError      mend a component of your own
    │   ├── QuestionTooLong     ask for less at once
    │   └── PromptTooLong       fewer pages, or a model with a larger window
    ├── SetupError              fix the set-up                                     exit 3
    │   ├── MissingExtra        install an optional package
    │   ├── MissingKey          set a provider's key
    │   ├── MissingModel        get a language model, or choose one that is here
    │   ├── MissingIndex        ingest first
    │   ├── StaleIndex          ingest again: another program version wrote it
    │   ├── NewerLibrary        use the newer version that wrote it, or another data root
    │   ├── DamagedFile         make it again: the message names the command
    │   └── NotWritable         make room on the disk, or give the right to write
    ├── DocumentError           fix the document                                   exit 4
    ├── IngestionStopped        nobody: somebody stopped it on purpose
    └── ProviderError           the model's provider; try again later              exit 5
        ├── BudgetSpent             the money set aside is used up
        └── StructuredOutputError   the model did not fill in the form

Anything else that escapes is a defect of ours (exit 70). "Not in the report" is an answer, not an error.
None derives from RuntimeError: LlamaIndex hides those behind a message of its own.
"""

import logging
import secrets
import traceback
from collections.abc import Iterator
from typing import ClassVar


class PageproofError(Exception):
    """An error whose message says what, which value, what was expected and what to do next."""

    exit_code: ClassVar[int] = 70


class UsageError(PageproofError):
    """The question, the command or the settings are wrong."""

    exit_code = 2


class ComponentError(UsageError):
    """A component of the user's own failed, or gave something else than it should."""


class QuestionTooLong(UsageError):
    """A question or a company's name is longer than any that is read."""


class PromptTooLong(UsageError):
    """The pages to read do not fit into the model's context window."""


class SetupError(PageproofError):
    """Something this machine or library lacks."""

    exit_code = 3


class MissingExtra(SetupError):
    """An optional package is not installed."""


class MissingKey(SetupError):
    """A provider's key is not in the environment."""


class MissingModel(SetupError):
    """A language model is not on this machine, or none is chosen."""


class MissingIndex(SetupError):
    """Nothing is ingested for this company under this profile."""


class StaleIndex(SetupError):
    """An index was written in a form that this version does not read."""


class NewerLibrary(SetupError):
    """A library was written in a form that only a newer version of Pageproof reads; it is left as it is."""


MAKE_AGAIN = "run `pageproof ingest` with the same --profile and --set"


class DamagedFile(SetupError):
    """A file of the library is cut off, empty, or holds something else than it should."""


class NotWritable(SetupError):
    """The disk is full, or the library may only be read."""


class DocumentError(PageproofError):
    """A document cannot be read: not a PDF, encrypted, truncated, empty."""

    exit_code = 4


class IngestionStopped(PageproofError):
    """An ingestion was stopped by the person who began it."""

    exit_code = 1


class ProviderError(PageproofError):
    """A model's provider refused, timed out or could not be reached."""

    exit_code = 5


class BudgetSpent(ProviderError):
    """The money that the settings allow is used up; nothing more was sent."""


class StructuredOutputError(ProviderError):
    """A model answered, but not in the form it was given, and repair did not help.

    Attributes:
        what: its reply, in a few words: "its reply is empty".
    """

    def __init__(self, message: str, what: str) -> None:
        super().__init__(message)
        self.what = what


_LONGEST_SHOWN = 60


def in_words(value: object) -> str:
    """A wrong value as a message shows it: short, and by its kind where it is no plain one."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(value, str | bytes | int | float | None):
        shown = repr(value)
        return shown if len(shown) <= _LONGEST_SHOWN else f"{shown[:_LONGEST_SHOWN]}…"
    return f"a {type(value).__name__}"


def check_type(what: str, value: object, kinds: "type | tuple[type, ...]", expected: str) -> None:
    """See that an argument is of its kind.

    Args:
        what: its name.
        value: what was given.
        kinds: what it may be.
        expected: the same in words.

    Raises:
        UsageError: it is not.
    """
    if not isinstance(value, kinds):
        raise UsageError(f"{what} is {in_words(value)}, expected {expected}")


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
