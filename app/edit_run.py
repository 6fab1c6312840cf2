"""The `companies --edit` command: which way the edit comes in, and that nothing typed is lost."""

from pathlib import Path

from app.company_edits import (
    Change,
    apply_edit,
    companies_csv,
    edit_by_options,
    edit_from_csv,
    in_editor,
    named,
)
from storage.catalog_edits import CatalogEdit
from storage.errors import UsageError
from storage.library import Library
from storage.paths import DataPaths


def run_edit(
    paths: DataPaths, library: Library, company: str | None, change: Change, source: Path | None
) -> CatalogEdit:
    """Make the edit and apply it; all of it or nothing.

    Raises:
        UsageError: what is asked is wrong or incomplete; the catalog is as it was.
    """
    known = library.companies()
    by_options = change != Change()
    if by_options and (source or not company):
        raise UsageError("give the company whose data is to change: `pageproof companies COMPANY --edit --name …`")
    if by_options and company:
        edit = edit_by_options(known, company, change)
    elif source:
        edit = edit_from_csv(known, _read(source))
    else:
        shown = (named(known, company),) if company else known
        text, kept = in_editor(companies_csv(shown))
        try:
            edit = edit_from_csv(known, text)
        except UsageError as error:
            raise UsageError(
                f"{error}; nothing was changed, your text is kept: mend it and run "
                f"`pageproof companies --edit --from {kept}`"
            ) from error
        kept.unlink()
    if not edit.changes_nothing:
        apply_edit(paths, library, edit)
    return edit


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}: {error}") from error
