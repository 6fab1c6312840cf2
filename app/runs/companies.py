"""The changes of the `companies` command: edits, which are never lost when they fail, and removals; and their facts."""

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from app.assembly import build_known_facts
from app.assembly.libraries import stores_of_indexes
from app.library.company_edits import (
    Change,
    apply_edit,
    companies_csv,
    edit_by_options,
    edit_from_csv,
    in_editor,
    named,
)
from app.library.fact_sheet import FactSheet
from app.library.removal import finish_removals, remove_report
from app.settings import data_paths, load_settings
from storage.errors import UsageError
from storage.paths import DataPaths
from storage.records.reports import Report
from storage.stores.catalog_edits import CatalogEdit
from storage.stores.library import CatalogCopies, Library


def run_edit(
    paths: DataPaths, library: Library, company: str | None, change: Change, source: Path | None
) -> CatalogEdit:
    """Apply an edit completely or not at all; then copy the catalog.

    Raises:
        UsageError: the edit is wrong or incomplete; the catalog is unchanged.
    """
    edit = _edited(paths, library, company, change, source)
    CatalogCopies(paths.catalog, paths.copies).take()
    return edit


def _edited(
    paths: DataPaths, library: Library, company: str | None, change: Change, source: Path | None
) -> CatalogEdit:
    by_options = change != Change()
    if by_options and (source or not company):
        raise UsageError("give the company whose data is to change: `pageproof companies COMPANY --edit --name …`")
    applied = partial(apply_edit, paths, library, stores=partial(stores_of_indexes, paths, os.environ))
    if by_options and company:
        return applied(partial(edit_by_options, company=company, change=change))
    if source:
        return applied(partial(edit_from_csv, text=_read(source)))
    known = library.companies()
    shown = companies_csv((named(known, company),) if company else known)
    text, draft = in_editor(shown)
    try:
        edit = applied(partial(edit_from_csv, text=text, shown=shown))
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
) -> FactSheet:
    """The facts of the named companies, or of all; with an owner, also theirs.

    Raises:
        UsageError: a company or a metric is unknown.
        MissingIndex: the library is empty, or no facts are stored for these settings.
    """
    known = build_known_facts(load_settings(profile, overrides, data=data), data_paths(data), owner)
    return known.sheet(names, metrics)
