"""The catalog of companies and their reports."""

import datetime as dt
import json
import sqlite3
from pathlib import Path

from pydantic import TypeAdapter

from storage.records.reports import Company, Evidence, Report
from storage.stores.catalog_edits import CatalogEdit, by_sha1
from storage.stores.database import Database

_SCHEMA = """
CREATE TABLE IF NOT EXISTS company (name TEXT PRIMARY KEY, aliases TEXT NOT NULL DEFAULT '[]');
CREATE TABLE IF NOT EXISTS report (
    sha1 TEXT PRIMARY KEY, company TEXT NOT NULL REFERENCES company(name), file TEXT NOT NULL,
    page_count INTEGER NOT NULL, currency TEXT, period_end TEXT
);
CREATE INDEX IF NOT EXISTS report_company ON report(company);
CREATE TABLE IF NOT EXISTS report_reading (sha1 TEXT PRIMARY KEY, fiscal_year INTEGER, evidence TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS removal (sha1 TEXT PRIMARY KEY, company TEXT NOT NULL);
"""
_REPORT_COLUMNS = "sha1, company, file, page_count, currency, period_end"
_REPORTS = f"SELECT {_REPORT_COLUMNS}, fiscal_year, evidence FROM report LEFT JOIN report_reading USING (sha1)"
_EVIDENCE = TypeAdapter(tuple[Evidence, ...])
_Row = tuple[str, str, str, int, str | None, str | None, int | None, str | None]


class Library:
    """The companies and their reports in one SQLite file. Several processes may use it at once."""

    def __init__(self, path: Path) -> None:
        self._database = Database(path, _SCHEMA)
        self._known: tuple[object, tuple[Company, ...]] | None = None

    def add(self, report: Report, aliases: tuple[str, ...] = ()) -> None:
        """Add or replace a report. A new company is created, and the aliases are added to the known ones."""
        with self._database.writing() as connection:
            _add(connection, report, aliases)

    def update(self, known: Report | None, report: Report, aliases: tuple[str, ...] = ()) -> bool:
        """Add a report, or put it in place of what is known of it.

        Args:
            known: what the catalog held of the report when the work on it began; None where it held nothing.
            report: what is known now.
            aliases: more names of its company.

        Returns:
            False where the catalog holds something else by now, and is left as it is. If the report was removed
            meanwhile, what was made of it since counts as still to be removed.
        """
        with self._database.writing() as connection:
            now = _find(connection, report.sha1)
            if now not in (known, report):
                if now is None:
                    _note_removal(connection, report)
                return False
            _add(connection, report, aliases)
            return True

    def begin_removal(self, sha1: str) -> bool:
        """Take a report out of the catalog, and note that its files and index entries must still be removed.

        Returns:
            Whether there is anything to remove: the report, or leftovers of an earlier removal.
        """
        with self._database.writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO removal SELECT sha1, company FROM report WHERE sha1 = ?", (sha1,)
            )
            connection.execute("DELETE FROM report WHERE sha1 = ?", (sha1,))
            connection.execute("DELETE FROM report_reading WHERE sha1 = ?", (sha1,))
            _drop_empty(connection)
            return connection.execute("SELECT 1 FROM removal WHERE sha1 = ?", (sha1,)).fetchone() is not None

    def removals(self) -> tuple[tuple[str, str], ...]:
        """Reports whose removal has begun, by SHA-1, with the company that each belonged to."""
        with self._database.reading() as connection:
            return tuple(connection.execute("SELECT sha1, company FROM removal ORDER BY sha1").fetchall())

    def end_removal(self, sha1: str) -> None:
        """Note that the removal of the report is complete."""
        with self._database.writing() as connection:
            connection.execute("DELETE FROM removal WHERE sha1 = ?", (sha1,))

    def edit(self, edit: CatalogEdit) -> bool:
        """Make a person's edit, in one transaction; a company without any report left is removed.

        Returns:
            False where the catalog has changed since the edit was worked out; then nothing is written.
        """
        with self._database.writing() as connection:
            names = {company.name for company in (*edit.before, *edit.after)}
            now = {c.name: c for c in map(by_sha1, _read_companies(connection)) if c.name in names}
            if now != {company.name: company for company in edit.before}:
                return False
            for report in edit.reports:
                _name(connection, report.company, _aliases(connection, report.company))
                _put(connection, report)
            for company in edit.after:
                _name(connection, company.name, company.aliases)
            _drop_empty(connection)
            return True

    def companies(self) -> tuple[Company, ...]:
        """Every company, by name, each with its reports, newest first; read again only after a change."""
        stamp = (
            self._database.stamp()
        )  # taken before reading, so that a change in between is noticed the next time
        known = self._known
        if known is None or known[0] != stamp:
            with self._database.reading() as connection:
                known = self._known = (stamp, _read_companies(connection))
        return known[1]

    def report(self, sha1: str) -> Report | None:
        """The report with this SHA-1, or None when it is not in the library."""
        with self._database.reading() as connection:
            return _find(connection, sha1)


def _find(connection: sqlite3.Connection, sha1: str) -> Report | None:
    row = connection.execute(f"{_REPORTS} WHERE sha1 = ?", (sha1,)).fetchone()
    return _report(row) if row else None


def _read_companies(connection: sqlite3.Connection) -> tuple[Company, ...]:
    names = connection.execute("SELECT name, aliases FROM company ORDER BY name").fetchall()
    rows = connection.execute(f"{_REPORTS} ORDER BY period_end IS NULL, period_end DESC, sha1").fetchall()
    reports: dict[str, list[Report]] = {}
    for report in map(_report, rows):
        reports.setdefault(report.company, []).append(report)
    return tuple(
        Company(name=name, aliases=tuple(json.loads(aliases)), reports=tuple(reports.get(name, ())))
        for name, aliases in names
    )


def _note_removal(connection: sqlite3.Connection, report: Report) -> None:
    connection.execute("INSERT OR REPLACE INTO removal VALUES (?, ?)", (report.sha1, report.company))


def _add(connection: sqlite3.Connection, report: Report, aliases: tuple[str, ...]) -> None:
    _name(connection, report.company, (*_aliases(connection, report.company), *aliases))
    _put(connection, report)
    _drop_empty(connection)
    connection.execute("DELETE FROM removal WHERE sha1 = ?", (report.sha1,))


def _aliases(connection: sqlite3.Connection, name: str) -> tuple[str, ...]:
    row = connection.execute("SELECT aliases FROM company WHERE name = ?", (name,)).fetchone()
    return tuple(json.loads(row[0])) if row else ()


def _name(connection: sqlite3.Connection, name: str, aliases: tuple[str, ...]) -> None:
    connection.execute(
        "INSERT INTO company VALUES (?, ?) ON CONFLICT(name) DO UPDATE SET aliases = excluded.aliases",
        (name, json.dumps(list(dict.fromkeys(aliases)), ensure_ascii=False)),
    )


def _put(connection: sqlite3.Connection, report: Report) -> None:
    end = report.period_end.isoformat() if report.period_end else None
    connection.execute(
        f"INSERT OR REPLACE INTO report ({_REPORT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)",
        (report.sha1, report.company, report.file, report.page_count, report.currency, end),
    )
    connection.execute(
        "INSERT OR REPLACE INTO report_reading VALUES (?, ?, ?)",
        (report.sha1, report.fiscal_year, _EVIDENCE.dump_json(report.evidence).decode()),
    )


def _drop_empty(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM company WHERE name NOT IN (SELECT company FROM report)")


def _report(row: _Row) -> Report:
    sha1, company, file, page_count, currency, period_end, fiscal_year, evidence = row
    return Report(
        sha1=sha1,
        company=company,
        file=file,
        page_count=page_count,
        currency=currency,
        period_end=dt.date.fromisoformat(period_end) if period_end else None,
        fiscal_year=fiscal_year,
        evidence=_EVIDENCE.validate_json(evidence) if evidence else (),
    )
