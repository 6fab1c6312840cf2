"""Programs in processes of their own that need not import anything: forked from one process that has.

A start of the chat costs seconds of imports. Chainlit itself is not imported beforehand: it reads its folder from the
environment when it is. What must be measured or must start as a user's does, is started as a process as ever.
"""

import contextlib
import functools
import importlib
import json
import os
import select
import signal
import subprocess
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from tests.support.samples import ROOT

PAGEPROOF = "app.command_line:main"


class Forked:
    """A running program. It is not this process's child: how it ended is not known, that it has ended is."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._handle = os.pidfd_open(pid)

    def has_ended(self, seconds: float = 0.0) -> bool:
        """Whether it has ended, or ends within these seconds."""
        return bool(select.select([self._handle], [], [], seconds)[0])

    def end(self, by: signal.Signals, seconds: float) -> None:
        """Send it a signal and wait for its end; after so many seconds it and all it started are killed."""
        signal.pidfd_send_signal(self._handle, by)
        ended = self.has_ended(seconds)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        os.close(self._handle)
        assert ended, f"process {self.pid} did not end in {seconds} s"


def start(program: str, *arguments: str, output: Path, environment: Mapping[str, str]) -> Forked:
    """Run a program in the project's folder, in a process group of its own.

    Args:
        program: its function, as `module:name`.
        arguments: what stands behind its name on the command line.
        output: the file into which it prints, errors included.
        environment: the whole of it.
    """
    order = {"program": program, "arguments": arguments, "output": str(output), "environment": dict(environment)}
    source = _source()
    assert source.stdin is not None
    assert source.stdout is not None
    source.stdin.write(json.dumps(order) + "\n")
    source.stdin.flush()
    return Forked(int(source.stdout.readline()))


@functools.cache
def _source() -> subprocess.Popen[str]:
    """The process that has imported all; it ends with this one, which holds the other end of its pipe."""
    command = [sys.executable, "-c", f"from {__name__} import serve; serve()"]
    return subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def serve() -> None:
    """Start what is ordered, one line of JSON each, and answer with its process's number, until nobody orders."""
    for name in ("app.command_line", "tests.support.doubles.chat_client", "literalai", "mcp"):  # two of Chainlit's
        importlib.import_module(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how they ended
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            _be(json.loads(line))
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()


def _be(order: dict[str, Any]) -> NoReturn:
    """Be the program that was ordered, and end."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    printed = os.open(order["output"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for given, place in ((nothing, 0), (printed, 1), (printed, 2)):
        os.dup2(given, place)
    os.environ.clear()
    os.environ.update(order["environment"])
    module, _, name = order["program"].partition(":")
    sys.argv = [name, *order["arguments"]]
    try:
        getattr(importlib.import_module(module), name)()
    except SystemExit:
        pass
    except BaseException:  # noqa: BLE001  # the process ends here, whatever it was
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)
