"""The server of a model on this machine: a process of its own, so that its crash ends no question but the one it reads.

It starts with the first question, is shared by all clients of this process, and ends with the last of them.
"""

import importlib.util
import json
import os
import secrets
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from query_engines.local_model.fitting import FittedModel
from storage.errors import MissingExtra, SetupError

PACKAGE = "xllamacpp"
EXTRA = "pip install 'pageproof[local]'"
_PROGRAM = Path(__file__).with_name("serving_process.py")
_USUAL = (sys.executable, "-P", str(_PROGRAM))
_SECONDS_TO_END = 5.0
_LOG_BYTES = 4_000


def is_installed() -> bool:
    """Whether models can run on this machine."""
    return importlib.util.find_spec(PACKAGE) is not None


def check_installed() -> None:
    """See that models can run on this machine.

    Raises:
        MissingExtra: the package is not installed.
    """
    if not is_installed():
        raise MissingExtra(f"llm.kind=llamacpp needs a package that is not installed ({PACKAGE}); run `{EXTRA}`")


@dataclass(frozen=True)
class Running:
    """A server that answers: its address with `/v1`, and the key that it asks for."""

    address: str
    key: str


class ModelServer:
    """Starts the server of one model when it is needed, and again after a crash.

    Args:
        model: as it fits this machine.
        command: the program of the process.
    """

    def __init__(self, model: FittedModel, command: Sequence[str] = _USUAL) -> None:
        self.model = model
        self._command = tuple(command)
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._log: IO[bytes] | None = None
        self._running: Running | None = None
        self._ended: weakref.finalize[..., ModelServer] | None = None

    @property
    def is_running(self) -> bool:
        """Whether it answers at once."""
        return self._running is not None and self._process is not None and self._process.poll() is None

    def running(self) -> Running:
        """The server, started if it does not run; that takes as long as the model takes to load.

        Raises:
            SetupError: the model cannot be loaded.
        """
        with self._lock:
            if self._running is None or not self.is_running:
                self._end()
                self._running = self._start()
            return self._running

    def how_it_ended(self, seconds: float = _SECONDS_TO_END) -> str | None:
        """Why the process is gone, in words; None where it still runs after some seconds, or was never started."""
        process = self._process
        if process is None:
            return None
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def close(self) -> None:
        """End the process, also while it loads; it starts again when it is needed."""
        if (process := self._process) is not None:
            process.kill()
        with self._lock:
            self._end()

    def _start(self) -> Running:
        key = secrets.token_urlsafe(32)
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  # it lives as long as the process
        process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env={name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")},
            start_new_session=True,  # an interrupt on the terminal is for this process
        )
        self._process = process
        self._ended = weakref.finalize(self, _kill, process, self._log)
        model = self.model
        order = {
            "file": str(model.file.absolute()),
            "name": model.name,
            "threads": model.threads,
            "context": model.context,
            "parallel": model.parallel,
            "cache_mb": model.cache_mb,
            "key": key,
        }
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(order).encode() + b"\n")
            process.stdin.flush()
            told = json.loads(process.stdout.readline() or b"null")
        except (OSError, ValueError):
            told = None
        if not isinstance(told, dict):
            raise SetupError(self._not_loaded())
        if told["context"] < model.context:
            self._end()
            raise SetupError(
                f"the model {model.name!r} reads {told['context']:,} tokens at once here, not {model.context:,}: "
                f"set llm.context_window={told['context']}"
            )
        return Running(str(told["address"]), key)

    def _not_loaded(self) -> str:
        """What is wrong, in the last words of the log that say something."""
        how = self.how_it_ended() or "no reason"
        said = self._last_words()
        self._end()
        return (
            f"the model {self.model.name!r} cannot be loaded ({how}{f': {said}' if said else ''}): is "
            f"{self.model.file} whole, and does its memory suffice? `pageproof model list` shows others"
        )

    def _last_words(self) -> str:
        assert self._log is not None
        self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, self._log.tell() - _LOG_BYTES))
        lines = [line.strip() for line in self._log.read().decode(errors="replace").splitlines() if line.strip()]
        telling = [line for line in lines if "error" in line.lower() or "fail" in line.lower()] or lines
        return " ".join(telling[-1].split())[:200] if telling else ""

    def _end(self) -> None:
        self._process = self._running = self._log = None
        if self._ended is not None:
            self._ended()
            self._ended = None


def _kill(process: "subprocess.Popen[bytes]", log: IO[bytes]) -> None:
    """End a process that keeps nothing: it holds a model in memory and writes no file."""
    process.kill()
    process.wait()
    for file in (process.stdin, process.stdout, log):
        if file is not None:
            file.close()
