"""Edits the library's companies: in an editor, from a CSV, or by options."""

import csv
import datetime as dt
import io
import os
import shlex
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from app.files.workbooks import inert, without_guard
from indexes.search.index_edits import CompanyMoves, OpenStores
from query_engines.company_names.matcher import CompanyNames
from storage.errors import UsageError
from storage.incoming import one_line
from storage.lexicon.calendar import given_day
from storage.paths import DataPaths
from storage.records.record import Record
from storage.records.reports import Company, ReportField
from storage.stores.catalog_edits import CatalogEdit, ReportEdit, catalog_edit
from storage.stores.library import Library

_COLUMNS = ("sha1", "file", "company_name", "aliases", "currency", "period_end")
_OF_FILING: tuple[ReportField, ...] = ("type", "months", "quarter", "fiscal_year")  # columns that may be missing


WorkOut = Callable[[Sequence[Company]], CatalogEdit]
"""Works an edit out from what the catalog says."""


class Change(Record):
    """A change by options; None leaves a value unchanged."""

    name: str | None = None
    add_aliases: tuple[str, ...] = ()
    drop_aliases: tuple[str, ...] = ()
    currency: str | None = None
    period_end: str | None = None
    report: str | None = None
    filing: Mapping[ReportField, str | int | None] = {}


def companies_csv(companies: Sequence[Company]) -> str:
    """The catalog as CSV: a line for each report; a company's aliases are on its first line."""
    text = io.StringIO()
    writer = csv.DictWriter(text, (*_COLUMNS, *_OF_FILING), lineterminator="\n")
    writer.writeheader()
    for company in companies:
        for number, report in enumerate(company.reports):
            writer.writerow(
                {
                    "sha1": report.sha1,
                    "file": inert(report.file),
                    "company_name": inert(company.name),
                    "aliases": inert("; ".join(company.aliases)) if number == 0 else "",
                    "currency": report.currency or "",
                    "period_end": report.period_end or "",
                    **{field: "" if (v := report.value(field)) is None else v for field in _OF_FILING},
                }
            )
    return text.getvalue()


def edit_from_csv(known: Sequence[Company], text: str, shown: str = "") -> CatalogEdit:
    """The edit from a changed `companies_csv`; reports without a line stay unchanged.

    Args:
        known: every company of the library.
        text: as it was changed.
        shown: as it was before. Values that are equal in both are not edited, even if they changed meanwhile.

    Raises:
        UsageError: a column is missing or a value is wrong; the message names the line.
    """
    edits, aliases = _lines(text)
    shown_edits, shown_aliases = _lines(shown) if shown else ([], {})
    return catalog_edit(
        known,
        [edit for edit in edits if edit not in shown_edits],
        {name: names for name, names in aliases.items() if names != shown_aliases.get(name)},
    )


def _lines(text: str) -> tuple[list[ReportEdit], dict[str, tuple[str, ...]]]:
    """The data of each line about its report, and the aliases of each company."""
    reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")))
    needed = set(_COLUMNS) - {"file"}
    if lacking := sorted(needed - set(reader.fieldnames or ())):
        raise UsageError(f"the edited catalog lacks the columns {lacking}; keep the first line as it was")
    edits: list[ReportEdit] = []
    aliases: defaultdict[str, tuple[str, ...]] = defaultdict(tuple)
    for number, row in enumerate(reader, start=2):
        values = {column: without_guard(row.get(column) or "").strip() for column in _COLUMNS}
        name = one_line(values["company_name"])
        edits.append(
            ReportEdit(
                sha1=values["sha1"].lower(),
                company=name,
                currency=values["currency"] or None,
                period_end=_day(values["period_end"], f"line {number}: period_end"),
                filing={f: _value(f, row[f] or "", number) for f in _OF_FILING if f in row},
            )
        )
        aliases[name] += tuple(values["aliases"].split(";"))
    return edits, aliases


def edit_by_options(known: Sequence[Company], company: str, change: Change) -> CatalogEdit:
    """The edit from options.

    Raises:
        UsageError: the company or report is unknown or ambiguous, or a value is wrong.
    """
    found = named(known, company)
    reports = [r for r in found.reports if change.report in (None, r.sha1, r.file)]
    if not reports:
        raise UsageError(f"{found.name} has no report {change.report!r}; it has {_files(found)}")
    of_one = "--period-end" if change.period_end else f"--{next(iter(change.filing), '').replace('_', '-')}"
    if (change.period_end or change.filing) and len(reports) > 1:
        raise UsageError(f"{of_one} is for one report; say which with --report: {_files(found)}")
    end = _day(change.period_end or "", "--period-end")
    edits = [
        ReportEdit(
            sha1=r.sha1,
            company=change.name if change.name is not None else r.company,
            currency=change.currency or r.currency,
            period_end=end or r.period_end,
            filing=change.filing,
        )
        for r in reports
    ]
    target = next((c for c in known if c.name == edits[0].company), None)
    base = target.aliases if target else found.aliases if len(reports) == len(found.reports) else ()
    drop = set(change.drop_aliases)
    if unknown := drop - {*base, *found.aliases}:
        raise UsageError(f"{found.name} has no alias {sorted(unknown)[0]!r}; it has {'; '.join(base) or 'none'}")
    aliases = tuple(a for a in (*base, *change.add_aliases) if a not in drop)
    return catalog_edit(known, edits, {one_line(edits[0].company): aliases})


def apply_edit(paths: DataPaths, library: Library, work_out: WorkOut, stores: OpenStores) -> CatalogEdit:
    """Apply an edit: move reports between indexes and change the catalog.

    If somebody else changes the catalog meanwhile, the edit is computed again. After a kill nothing is lost, and the
    edit can be repeated.

    Raises:
        UsageError: the edit is invalid; nothing is changed then.
    """
    while not (edit := work_out(library.companies())).changes_nothing:
        with stores() as stores_of:
            moves = CompanyMoves(paths.indexes, edit.before, edit.after, stores_of)
            moves.gather()
            if library.edit(edit):
                moves.release()
                break
            CompanyMoves(paths.indexes, edit.after, library.companies(), stores_of).release()
    return edit


def in_editor(text: str) -> tuple[str, Path]:
    """The text after a person edited it, and the file with it.

    Raises:
        UsageError: there is no editor, or the editor failed.
    """
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor:
        raise UsageError(
            "no editor: set EDITOR, or use `companies COMPANY --edit --name …` or `companies --edit --from CSV`"
        )
    handle, name = tempfile.mkstemp(prefix="pageproof-companies-", suffix=".csv")
    with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    path = Path(name)
    try:
        subprocess.run([*shlex.split(editor), name], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        path.unlink(missing_ok=True)
        raise UsageError(f"the editor {editor!r} failed ({error}); nothing was changed") from error
    return path.read_text(encoding="utf-8"), path


def named(known: Sequence[Company], name: str) -> Company:
    """The company with this name or alias, in any case; else the one that is meant by a shorter name.

    Raises:
        UsageError: no company or several companies fit.
    """
    wanted = name.casefold().strip()
    found = [c for c in known if c.name.casefold() == wanted] or [
        c for c in known if wanted in {a.casefold() for a in c.aliases}
    ]
    found = found or CompanyNames(known).named(name)
    if len(found) == 1:
        return found[0]
    nearest = "; ".join(CompanyNames(known).nearest(name))
    hint = "; ".join(c.name for c in found) or (
        f"nearest names: {nearest}" if nearest else "see `pageproof companies`"
    )
    raise UsageError(f"{len(found) or 'no'} companies are called {name!r}: {hint}")


def _value(field: ReportField, text: str, line: int) -> str | int | None:
    """A value of a filing as a cell of the CSV gives it.

    Raises:
        UsageError: it is no number where one is expected.
    """
    text = without_guard(text).strip()
    if field == "type" or not text:
        return text or None
    if not text.isdigit():
        raise UsageError(f"line {line}: {field} is {text!r}, expected a number")
    return int(text)


def _day(text: str, what: str) -> dt.date | None:
    day = given_day(text)
    if text and day is None:
        raise UsageError(f"{what} is {text[:40]!r}, expected YYYY-MM-DD")
    return day


def _files(company: Company) -> str:
    return ", ".join(f"{r.file} ({r.sha1[:8]})" for r in company.reports)
