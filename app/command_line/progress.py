"""How far a file of questions is, on a terminal: a bar, what failed, and what it cost so far."""

import sys
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from app.batch import AnswerRun
from app.command_line.show import cost_told


class AnswerBar:
    """A bar on stderr, and nothing where that is no terminal."""

    def __init__(self) -> None:
        console = Console(file=sys.stderr)
        columns = (
            TextColumn("questions"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[told]}"),
            TimeRemainingColumn(),
        )
        self._progress = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        self._bar = self._progress.add_task("questions", total=None, told="")

    def show(self, run: AnswerRun, total: int) -> None:
        """Move the bar."""
        failed = f"{len(run.failed)} failed · " if run.failed else ""
        self._progress.update(self._bar, completed=run.asked, total=total, told=f"{failed}{cost_told(run.usage)}")

    def __enter__(self) -> "AnswerBar":
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()
