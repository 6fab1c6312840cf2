"""Ingests from the command line, with progress bars; repairs a library; the sample reports."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import cast, get_args

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from app import open_pageproof
from app.library.repair import LibraryChecks, LibraryRepair, Repaired
from app.readiness import Finding
from app.settings import data_paths, load_settings
from indexes.ingestion.requests import Ingested, IngestRequest, Stage, Until
from storage.errors import UsageError
from storage.paths import DataPaths
from storage.records.metrics import Ontology
from storage.records.record import Record
from storage.stores.library import Library


@contextmanager
def samples() -> Iterator[tuple[tuple[Path, Path], Path]]:
    """The folders of the sample reports and of one company's sample filings, and the catalog of the reports."""
    app = resources.files("app")
    with resources.as_file(app / "samples") as reports, resources.as_file(app / "sample_filings") as filings:
        yield (reports, filings), reports / "catalog.csv"


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
        count = len(client.library.pdfs(request.paths))
        answering = progress.add_task("reports that answer", total=count, visible=False)
        total = progress.add_task("reports", total=count)
        bars: dict[tuple[Path, Stage], TaskID] = {}

        def on_progress(path: Path, stage: Stage, done: int, of: int) -> None:
            if stage == "answers":
                progress.update(answering, advance=1, visible=True)
                return
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


class RepairRun(Record):
    """What was done, and what became of each report that was ingested for it."""

    repaired: tuple[Repaired, ...]
    results: tuple[Ingested, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left for a person to do."""
        return not any(step.left for step in self.repaired) and not any(
            result.status == "failed" or result.warning for result in self.results
        )


def run_repair(profile: str, overrides: Sequence[str], data: Path | None) -> RepairRun:
    """Repair the library and those of all people; ingest the reports again where something of them was damaged.

    Raises:
        UsageError: a setting is wrong.
        SetupError: something cannot be written.
    """
    load_settings(profile, overrides)  # before anything is changed
    paths, ontology = data_paths(data), Ontology.load()
    steps = list(LibraryRepair(paths, ontology).repair())
    for owner in paths.owners():
        steps += [_of_owner(owner, step) for step in LibraryRepair(owner, ontology).repair()]
    results: list[Ingested] = []
    if any(step.makes_again for step in steps) and paths.catalog.exists() and Library(paths.catalog).companies():
        results = run_ingest(IngestRequest(), profile, overrides, data)
        failed = [result.sha1 for result in results if result.status == "failed" and result.sha1]
        left = [damage.path for damage in LibraryChecks(paths, ontology).derived()]
        steps += [
            Repaired(
                what=f"{path} is of other settings", left="run `pageproof ingest` with that --profile and --set"
            )
            for path in left
            if not any(sha1 in path for sha1 in failed)
        ]
    return RepairRun(repaired=tuple(steps), results=tuple(results))


def checked_files(paths: DataPaths) -> list[Finding]:
    """What is damaged or gone of the library's files, and of those of all people; that all is well, where it is."""
    ontology = Ontology.load()
    found = [
        Finding(
            what=f"damaged {damage.kind}", state="missing", detail=detail, advice=_ADVICE.get(damage.kind, _REPAIR)
        )
        for root in (paths, *paths.owners())
        for damage in LibraryChecks(root, ontology).all()
        for detail in [f"{root.root.relative_to(paths.root) / damage.path}: {damage.reason}"]
    ]
    return found or [Finding(what="stored files", state="ok", detail="all of them are what was written")]


_REPAIR = "run `pageproof repair`"
_ADVICE = {"PDF": "run `pageproof ingest` on your own copy of it", "upload": "send that PDF again"}


def _of_owner(paths: DataPaths, step: Repaired) -> Repaired:
    left = step.left or ("the chat makes it again when that person comes back" if step.makes_again else "")
    return Repaired(what=f"people/{paths.root.name}/{step.what}", left=left)
