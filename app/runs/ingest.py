"""Ingests from the command line, with progress bars; and the sample reports."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import cast, get_args

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from app import open_pageproof
from indexes.ingestion.requests import Ingested, IngestRequest, Stage, Until
from storage.errors import UsageError


@contextmanager
def samples() -> Iterator[tuple[Path, Path]]:
    """The folder of the sample reports and their catalog."""
    with resources.as_file(resources.files("app") / "samples") as folder:
        yield folder, folder / "catalog.csv"


def last_step(word: str) -> Until:
    """The step with this name.

    Raises:
        UsageError: there is none.
    """
    known = {step: step for step in get_args(Until)}
    if word not in known:
        raise UsageError(f"--until {word!r} is no step; expected {', '.join(known)}")
    return cast(Until, word)


def run_ingest(
    request: IngestRequest, profile: str, overrides: Sequence[str], data: Path | None
) -> list[Ingested]:
    """Ingest with progress bars on a terminal.

    Raises:
        UsageError: there is nothing to ingest, or a setting is wrong.
    """
    with open_pageproof(profile, overrides=overrides, data=data) as client, _progress() as progress:
        total = progress.add_task("reports", total=len(client.library.pdfs(request.paths)))
        bars: dict[tuple[Path, Stage], TaskID] = {}

        def on_progress(path: Path, stage: Stage, done: int, of: int) -> None:
            key = (path, stage)
            if key not in bars:
                bars[key] = progress.add_task(f"{stage} {path.name[:32]}", total=of)
            progress.update(bars[key], completed=done, visible=done < of)

        results = []
        for result in client.library.ingest(request, on_progress):
            results.append(result)
            progress.advance(total)
    return results


def _progress() -> Progress:
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    )
