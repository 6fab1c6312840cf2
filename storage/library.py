"""The catalog of companies and their reports."""

import datetime as dt
import json
import sqlite3
from pathlib import Path

from storage.database import Database
from storage.reports import Company, Report

_SCHEMA = """
CREATE TABLE IF NOT EXISTS company (name TEXT PRIMARY KEY, aliases TEXT NOT NULL DEFAULT '[]');
CREATE TABLE IF NOT EXISTS report (
    sha1 TEXT PRIMARY KEY, company TEXT NOT NULL REFERENCES company(name), file TEXT NOT NULL,
    page_count INTEGER NOT NULL, currency TEXT, period_end TEXT
);
CREATE INDEX IF NOT EXISTS report_company ON report(company);
"""
_REPORT_COLUMNS = "sha1, company, file, page_count, currency, period_end"


class Library:
    """Which companies there are and which reports they have. Safe under several processes."""

    def __init__(self, path: Path) -> None:
        self._database = Database(path, _SCHEMA)
        self._known: tuple[object, tuple[Company, ...]] | None = None

    def add(self, report: Report, aliases: tuple[str, ...] = ()) -> None:
        """Add or replace a report; its company is made if new, and aliases are added to those known."""
        with self._database.writing() as connection:
            row = connection.execute("SELECT aliases FROM company WHERE name = ?", (report.company,)).fetchone()
            known = json.loads(row[0]) if row else []
            merged = json.dumps(list(dict.fromkeys([*known, *aliases])), ensure_ascii=False)
            connection.execute(
                "INSERT INTO company VALUES (?, ?) ON CONFLICT(name) DO UPDATE SET aliases = excluded.aliases",
                (report.company, merged),
            )
            connection.execute(
                f"INSERT OR REPLACE INTO report ({_REPORT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)",
                (
                    report.sha1,
                    report.company,
                    report.file,
                    report.page_count,
                    report.currency,
                    report.period_end.isoformat() if report.period_end else None,
                ),
            )
            connection.execute("DELETE FROM company WHERE name NOT IN (SELECT company FROM report)")

    def companies(self) -> tuple[Company, ...]:
        """Every company, by name, each with its reports, newest first; read again only after a change."""
        stamp = self._database.stamp()  # looked at before reading: a change in between is seen the next time
        known = self._known
        if known is None or known[0] != stamp:
            known = self._known = (stamp, self._read_companies())
        return known[1]

    def _read_companies(self) -> tuple[Company, ...]:
        with self._database.reading() as connection:
            names = connection.execute("SELECT name, aliases FROM company ORDER BY name").fetchall()
            rows = connection.execute(
                f"SELECT {_REPORT_COLUMNS} FROM report ORDER BY period_end IS NULL, period_end DESC, sha1"
            ).fetchall()
        reports: dict[str, list[Report]] = {}
        for report in map(_report, rows):
            reports.setdefault(report.company, []).append(report)
        return tuple(
            Company(name=name, aliases=tuple(json.loads(aliases)), reports=tuple(reports.get(name, ())))
            for name, aliases in names
        )

    def report(self, sha1: str) -> Report | None:
        """The report with this SHA-1, or None when it is not in the library."""
        with self._database.reading() as connection:
            row = connection.execute(f"SELECT {_REPORT_COLUMNS} FROM report WHERE sha1 = ?", (sha1,)).fetchone()
        return _report(row) if row else None


def _report(row: sqlite3.Row | tuple[str, str, str, int, str | None, str | None]) -> Report:
    sha1, company, file, page_count, currency, period_end = row
    return Report(
        sha1=sha1,
        company=company,
        file=file,
        page_count=page_count,
        currency=currency,
        period_end=dt.date.fromisoformat(period_end) if period_end else None,
    )
