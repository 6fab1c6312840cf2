"""The lab on the terminal: progress while it asks, the table when it is done."""

import sys
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from app.lab.comparison import Comparison
from app.lab.table import best, columns, lines
from app.lab.variants import Variant

PIPED_WIDTH = 200


class LabProgress:
    """A bar for each variant on a terminal; a line for each one done elsewhere."""

    def __init__(self) -> None:
        console = Console(stderr=True)
        self._is_terminal = console.is_terminal
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._bars: dict[str, TaskID] = {}

    def __call__(self, variant: Variant, done: int, of: int) -> None:
        """Show how far a variant is."""
        if variant.name not in self._bars:
            self._bars[variant.name] = self._progress.add_task(variant.name, total=of)
        self._progress.update(self._bars[variant.name], completed=done)
        if done == of and not self._is_terminal:
            sys.stderr.write(f"{variant.name}: {of} questions\n")

    def __enter__(self) -> "LabProgress":
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()


def compared(comparison: Comparison) -> None:
    """The table, the best in bold."""
    console = Console(file=sys.stdout)
    if not console.is_terminal:
        console = Console(file=sys.stdout, width=PIPED_WIDTH)
    table = Table(box=None, pad_edge=False)
    for number, head in enumerate(columns(comparison)):
        table.add_column(head, justify="left" if number == 0 else "right", no_wrap=number > 0)
    winners = best(comparison)
    for line in lines(comparison):
        table.add_row(*line, style="bold" if line[0] in winners else None)
    console.print(table)
