"""The `pageproof` command. Everything that it does can also be done with `app.open_pageproof`."""

import errno
import gc
import io
import logging
import os
import sys
import uuid
from contextlib import suppress

import typer
from typer._click.exceptions import ClickException, NoArgsIsHelpError  # typer names only some of them itself

from app.command_line import measuring as _measuring  # noqa: F401  # its commands register themselves
from app.command_line import models as _models  # noqa: F401  # the same
from app.command_line import serving as _serving  # noqa: F401  # the same
from app.command_line import show
from app.command_line.commands import typer_app
from storage.errors import PageproofError, UsageError
from storage.stores.database import not_writable

logger = logging.getLogger(__name__)
DEFECT = 70
INTERRUPTED = 130
# What only a path that somebody typed can be: below a file, a folder instead of a file, too long, in a circle of links.
_OF_PEOPLES_PATHS = (
    *(errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL, errno.EBUSY),
    errno.ETXTBSY,
)


def main(arguments: list[str] | None = None) -> None:
    """Run the command and exit with its code; errors are one line on stderr."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a sign that the terminal or pipe cannot take ends no command
    code = run(sys.argv[1:] if arguments is None else arguments)
    gc.freeze()  # else Python would search all that was loaded for garbage once more, for a second, before it ends
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run the command.

    Returns:
        0 done, 1 some items failed, 2 usage or settings, 3 set-up, 4 document, 5 provider, 70 a defect of ours.
    """
    try:
        return typer_app(arguments, prog_name="pageproof", standalone_mode=False) or 0
    except NoArgsIsHelpError as error:
        error.show()
        return error.exit_code
    except ClickException as error:
        sys.stderr.write(f"pageproof: {_in_one_line(error)}\n")
        return error.exit_code
    except BrokenPipeError:  # `pageproof facts | head`
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else DEFECT
    except PageproofError as error:
        sys.stderr.write(f"pageproof: {show.in_one_line(str(error))}\n")
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        sys.stderr.write("pageproof: interrupted\n")
        return INTERRUPTED
    except Exception as error:  # the last place to report it; the traceback goes to the log
        if (explained := not_writable(error)) is not None:
            sys.stderr.write(f"pageproof: {explained}\n")
            return explained.exit_code
        if isinstance(error, OSError) and error.errno in _OF_PEOPLES_PATHS and error.filename:
            sys.stderr.write(f"pageproof: {show.in_one_line(f'{error.filename}: {error.strerror}')}\n")
            return UsageError.exit_code
        reference = uuid.uuid4().hex[:8]
        logger.exception("defect %s", reference)
        sys.stderr.write(f"pageproof: this is a defect of Pageproof (reference {reference}); the trace is above\n")
        return DEFECT


def _in_one_line(error: ClickException) -> str:
    """What is wrong with the command, and where its options are listed."""
    context = getattr(error, "ctx", None)
    message = show.in_one_line(error.format_message()).rstrip(".")
    return f"{message}; see `{context.command_path} --help`" if context else message
