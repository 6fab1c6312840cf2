"""Changes a library from the command line: ingests, repairs, edits, removes; its facts and the sample reports."""

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import cast, get_args

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from app.assembly import build_known_facts
from app.assembly.libraries import stores_of_indexes
from app.library.company_edits import (
    Change,
    companies_csv,
    edit_by_options,
    edit_from_csv,
    in_editor,
    named,
)
from app.library.fact_sheet import FactSheet
from app.library.removal import finish_removals, remove_report
from app.library.repair import LibraryChecks, LibraryRepair, Repaired
from app.readiness import Finding
from app.settings import data_paths, load_settings
from indexes.ingestion.requests import Ingested, IngestRequest, Stage, Until
from pageproof import open_pageproof
from storage.errors import SetupError, UsageError
from storage.paths import DataPaths
from storage.records.metrics import Ontology
from storage.records.record import Record
from storage.records.reports import Report
from storage.stores.catalog_edits import CatalogEdit
from storage.stores.library import CatalogCopies, Library
from storage.text import plural

_APP = Path(__file__).parents[1]


def samples() -> tuple[tuple[Path, Path], Path]:
    """The folders of the sample reports and of one company's sample filings, and the catalog of the reports."""
    reports = _APP / "samples"
    return (reports, _APP / "sample_filings"), reports / "catalog.csv"


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
    request: IngestRequest,
    profile: str,
    overrides: Sequence[str],
    data: Path | None,
    on_result: Callable[[Ingested], None] | None = None,
) -> list[Ingested]:
    """Ingest with progress bars on a terminal; `on_result` is called with each report when it is done.

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
            if on_result is not None:
                on_result(result)
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


def run_upgrade(
    profile: str, overrides: Sequence[str], data: Path | None, on_cost: Callable[[str], None]
) -> list[Ingested]:
    """Make again what an older version made of the reports; nothing where all is of this version.

    `on_cost` is called with what it takes before it begins.

    Raises:
        UsageError: a setting is wrong.
        SetupError: something cannot be read or written.
    """
    with open_pageproof(profile, overrides=overrides, data=data) as client:
        outdated = client.library.outdated()
    if not outdated:
        return []
    on_cost(outdated.cost)
    return run_ingest(IngestRequest(), profile, overrides, data)


MOST_LOOKED_AT = 500
"""Reports whose pages, facts and indexes are looked at without being asked; each takes about 10 ms."""


def checked_files(paths: DataPaths, *, deep: bool = True) -> list[Finding]:
    """What is damaged or gone of the library's files, and of those of all people; that all is well, where it is.

    Args:
        paths: the data root.
        deep: whether every file is read; else what questions rest on, of a library that is not too large for that.
    """
    ontology = Ontology.load()
    found = [
        Finding(
            what=f"damaged {damage.kind}", state="missing", detail=detail, advice=_ADVICE.get(damage.kind, _REPAIR)
        )
        for root in (paths, *paths.owners())
        for damage in LibraryChecks(root, ontology).all(None if deep else MOST_LOOKED_AT)
        for detail in [f"{root.root.relative_to(paths.root) / damage.path}: {damage.reason}"]
    ]
    sound = "all of them are" if deep else "pages, facts and indexes are"
    return found or [Finding(what="stored files", state="ok", detail=f"{sound} what was written")]


def checked_index(profile: str, overrides: Sequence[str], data: Path | None) -> Finding:
    """Whether the library can be asked under these settings: their index is opened."""
    what = f"index of profile {profile}"
    try:
        with open_pageproof(profile, overrides=overrides, data=data) as client:
            known = client.companies()
            if outdated := client.library.outdated():
                return Finding(
                    what=what,
                    state="note",
                    detail=f"of an older version or other settings: {outdated.cost}",
                    advice="run `pageproof upgrade`",
                )
            if unread := len(client.library.with_unread_pictures()):
                return Finding(
                    what=what,
                    state="note",
                    detail=f"opened; pictures of {plural(unread, 'report')} are not read yet",
                    advice="wait for the ingestion or the chat that reads them, or run `pageproof ingest`",
                )
            if not known or client.has_indexes():
                detail = "opened" if known else "there is nothing to index yet"
                return Finding(what=what, state="ok" if known else "note", detail=detail)
    except (SetupError, UsageError) as error:
        return Finding(what=what, state="missing", detail=f"cannot be opened: {error}")
    return Finding(
        what=what,
        state="missing",
        detail="no company has one under these settings",
        advice="run `pageproof ingest` with the same --profile and --set; pages that are read stay read",
    )


_REPAIR = "run `pageproof repair`"
_ADVICE = {"PDF": "run `pageproof ingest` on your own copy of it", "upload": "send that PDF again"}


def _of_owner(paths: DataPaths, step: Repaired) -> Repaired:
    left = step.left or ("the chat makes it again when that person comes back" if step.makes_again else "")
    return Repaired(what=f"people/{paths.root.name}/{step.what}", left=left)


def run_edit(
    company: str | None,
    change: Change,
    source: Path | None,
    profile: str,
    overrides: Sequence[str] = (),
    data: Path | None = None,
) -> CatalogEdit:
    """Apply an edit completely or not at all: by options, from a CSV, or as a person edits the text.

    Raises:
        UsageError: the edit is wrong or incomplete; the catalog is unchanged.
    """
    by_options = change != Change()
    if by_options and (source or not company):
        raise UsageError("give the company whose data is to change: `pageproof companies COMPANY --edit --name …`")
    with open_pageproof(profile, overrides=overrides, data=data) as client:
        library = client.library
        if by_options and company:
            return library.edit(partial(edit_by_options, company=company, change=change))
        if source:
            return library.edit(partial(edit_from_csv, text=_read(source)))
        known = client.companies()
        shown = companies_csv((named(known, company),) if company else known)
        text, draft = in_editor(shown)
        try:
            edit = library.edit(partial(edit_from_csv, text=text, shown=shown))
        except UsageError as error:
            raise UsageError(
                f"{error}; nothing was changed, your text is kept: mend it and run "
                f"`pageproof companies --edit --from {draft}`"
            ) from error
    draft.unlink()
    return edit


def run_removal(paths: DataPaths, library: Library, name: str) -> Report:
    """Remove the report with this SHA-1 or file name, and leftovers of a killed removal; returns the report.

    Raises:
        UsageError: no report or several reports have the name.
    """
    stores = partial(stores_of_indexes, paths, os.environ)
    finish_removals(paths, library, stores)
    reports = [r for c in library.companies() for r in c.reports]
    found = [r for r in reports if name.lower() == r.sha1 or name == r.file]
    if len(found) != 1:
        what = f"{len(found)} reports are" if found else "no report is"
        raise UsageError(f"{what} called {name!r}; `pageproof companies --json` has the SHA-1 of each")
    remove_report(paths, library, found[0].sha1, stores)
    CatalogCopies(paths.catalog, paths.copies).take()
    return found[0]


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}: {error}") from error


def run_facts(
    names: Sequence[str],
    metrics: Sequence[str],
    profile: str,
    overrides: Sequence[str],
    data: Path | None,
    owner: str | None = None,
    *,
    calculated: bool = False,
) -> FactSheet:
    """The facts of the named companies, or of all; with an owner, also theirs.

    Raises:
        UsageError: a company or a metric is unknown.
        MissingIndex: the library is empty, or no facts are stored for these settings.
    """
    known = build_known_facts(load_settings(profile, overrides, data=data), data_paths(data), owner)
    return known.sheet(names, metrics, calculated=calculated)
