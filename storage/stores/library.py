"""The catalog of companies and their reports, and its copies."""

import datetime as dt
import json
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path

from pydantic import TypeAdapter

from storage.errors import DamagedFile, NotWritable
from storage.files import set_aside, sync_folder, write_atomically
from storage.records.reports import Company, Evidence, Filing, Report
from storage.stores.catalog_edits import CatalogEdit, by_sha1
from storage.stores.database import Database, is_damage, is_not_writable

_SCHEMA = """
CREATE TABLE IF NOT EXISTS company (name TEXT PRIMARY KEY, aliases TEXT NOT NULL DEFAULT '[]');
CREATE TABLE IF NOT EXISTS report (
    sha1 TEXT PRIMARY KEY, company TEXT NOT NULL REFERENCES company(name), file TEXT NOT NULL,
    page_count INTEGER NOT NULL, currency TEXT, period_end TEXT
);
CREATE INDEX IF NOT EXISTS report_company ON report(company);
CREATE TABLE IF NOT EXISTS report_reading (sha1 TEXT PRIMARY KEY, fiscal_year INTEGER, evidence TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS report_filing (sha1 TEXT PRIMARY KEY, filing TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS removal (sha1 TEXT PRIMARY KEY, company TEXT NOT NULL);
"""
_REPAIR = "run `pageproof repair`, which goes back to the last copy of it"
_REPORT_COLUMNS = "sha1, company, file, page_count, currency, period_end"
_TABLES_OF_REPORT = ("report", "report_reading", "report_filing", "removal")
_EVIDENCE = TypeAdapter(tuple[Evidence, ...])
_Row = tuple[str, str, str, int, str | None, str | None, int | None, str | None, str | None]


class Library:
    """The companies and their reports in one SQLite file. Several processes may use it at once.

    Whatever is asked of a damaged catalog, and of one that is gone while its indexes are there, raises DamagedFile.
    """

    def __init__(self, path: Path) -> None:
        self._database = Database(path, _SCHEMA)
        self._known: tuple[object, tuple[Company, ...]] | None = None

    def prepare(self) -> None:
        """Make an empty catalog where there is none yet, before anything is published that it is to name."""
        with self._writing():
            pass

    def create(self) -> None:
        """Make an empty catalog, whatever was published before: what is to be in it follows."""
        with self._database.writing():
            pass

    def check_form(self) -> None:
        """Refuse a catalog of a newer version; ask this before anything else is written to its data root.

        Raises:
            NewerLibrary: this version would misread or harm the library.
        """
        with suppress(DamagedFile, NotWritable):  # told and mended where it is used
            self.companies()

    def check(self) -> None:
        """Read the whole file, where there is one.

        Raises:
            DamagedFile: something in it is not what was written.
        """
        with self._explained():
            self._database.check()
            with self._database.reading() as connection:
                _read_companies(connection)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._explained(), self._database.reading() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._explained(), self._database.writing() as connection:
            yield connection

    @contextmanager
    def _explained(self) -> Iterator[None]:
        path = self._database.path
        if not any(size for size, _ in self._database.stamp()) and any(path.parent.glob("indexes/*/*/current")):
            what = "empty" if path.exists() else "gone"
            raise DamagedFile(f"the catalog {path} is {what}, while indexes of companies are there; {_REPAIR}")
        try:
            yield
        except (sqlite3.DatabaseError, OSError, ValueError) as error:
            is_broken = isinstance(error, ValueError) or is_damage(error) or path.is_dir()
            if is_broken or "no such" in str(error) or type(error) is sqlite3.DatabaseError:
                raise DamagedFile(f"the catalog {path} is damaged ({error}); {_REPAIR}") from error
            if is_not_writable(error):
                raise NotWritable(
                    f"the catalog {path} cannot be written ({error}); make room on the disk, or give yourself the "
                    "right to write there"
                ) from error
            raise

    def add(self, report: Report, aliases: tuple[str, ...] = ()) -> None:
        """Add or replace a report. A new company is created, and the aliases are added to the known ones."""
        with self._writing() as connection:
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
        with self._writing() as connection:
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
        with self._writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO removal SELECT sha1, company FROM report WHERE sha1 = ?", (sha1,)
            )
            for table in _TABLES_OF_REPORT[:-1]:
                connection.execute(f"DELETE FROM {table} WHERE sha1 = ?", (sha1,))
            _drop_empty(connection)
            return connection.execute("SELECT 1 FROM removal WHERE sha1 = ?", (sha1,)).fetchone() is not None

    def removals(self) -> tuple[tuple[str, str], ...]:
        """Reports whose removal has begun, by SHA-1, with the company that each belonged to."""
        with self._reading() as connection:
            return tuple(connection.execute("SELECT sha1, company FROM removal ORDER BY sha1").fetchall())

    def end_removal(self, sha1: str) -> None:
        """Note that the removal of the report is complete."""
        with self._writing() as connection:
            connection.execute("DELETE FROM removal WHERE sha1 = ?", (sha1,))

    def edit(self, edit: CatalogEdit) -> bool:
        """Make a person's edit, in one transaction; a company without any report left is removed.

        Returns:
            False where the catalog has changed since the edit was worked out; then nothing is written.
        """
        with self._writing() as connection:
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
            with self._reading() as connection:
                known = self._known = (stamp, _read_companies(connection))
        return known[1]

    def report(self, sha1: str) -> Report | None:
        """The report with this SHA-1, or None when it is not in the library."""
        with self._reading() as connection:
            return _find(connection, sha1)


def _reports(connection: sqlite3.Connection) -> str:
    """The query for reports; a catalog of an earlier version that may not be written says nothing of filings."""
    has_filings = _has_table(connection, "report_filing")
    filing, joined = ("filing", " LEFT JOIN report_filing USING (sha1)") if has_filings else ("NULL", "")
    return (
        f"SELECT {_REPORT_COLUMNS}, fiscal_year, evidence, {filing}"
        f" FROM report LEFT JOIN report_reading USING (sha1){joined}"
    )


def _has_table(connection: sqlite3.Connection, table: str) -> bool:
    found = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (table,))
    return found.fetchone() is not None


def _find(connection: sqlite3.Connection, sha1: str) -> Report | None:
    row = connection.execute(f"{_reports(connection)} WHERE sha1 = ?", (sha1,)).fetchone()
    return _report(row) if row else None


def _read_companies(connection: sqlite3.Connection) -> tuple[Company, ...]:
    names = connection.execute("SELECT name, aliases FROM company ORDER BY name").fetchall()
    rows = connection.execute(
        f"{_reports(connection)} ORDER BY period_end IS NULL, period_end DESC, report.rowid DESC"
    ).fetchall()
    reports: dict[str, list[Report]] = {}
    for report in sorted(map(_report, rows), key=_place):
        reports.setdefault(report.company, []).append(report)
    return tuple(
        Company(name=name, aliases=tuple(json.loads(aliases)), reports=tuple(reports.get(name, ())))
        for name, aliases in names
    )


def _place(report: Report) -> tuple[int, bool]:
    """Orders the newest first; of two about one period the amended one, else what was added later."""
    return -(report.period_end or dt.date.min).toordinal(), not report.filing.is_amended


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
    connection.execute(
        "INSERT OR REPLACE INTO report_filing VALUES (?, ?)",
        (report.sha1, report.filing.model_dump_json(exclude_defaults=True)),
    )


def _drop_empty(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM company WHERE name NOT IN (SELECT company FROM report)")


def _report(row: _Row) -> Report:
    sha1, company, file, page_count, currency, period_end, fiscal_year, evidence, filing = row
    return Report(
        sha1=sha1,
        company=company,
        file=file,
        page_count=page_count,
        currency=currency,
        period_end=dt.date.fromisoformat(period_end) if period_end else None,
        fiscal_year=fiscal_year,
        filing=Filing.model_validate_json(filing) if filing else Filing(),
        evidence=_EVIDENCE.validate_json(evidence) if evidence else (),
    )


logger = logging.getLogger(__name__)
COPIES = 7  # one for each day
_LOGS = ("-wal", "-shm")


class CatalogCopies:
    """The copies of one catalog.

    Args:
        catalog: the file.
        folder: holds the copies.
        clock: the time, in seconds since 1970.
    """

    def __init__(self, catalog: Path, folder: Path, clock: Callable[[], float] = time.time) -> None:
        self._catalog = catalog
        self._folder = folder
        self._clock = clock

    def take(self) -> Path | None:
        """Copy the catalog as today's copy, in place of an earlier one of today.

        Returns:
            The copy; None where there is nothing worth a copy, or none could be made: that fails nothing else.
        """
        day = dt.datetime.fromtimestamp(self._clock(), dt.UTC)
        today = self._folder / f"{self._catalog.stem}-{day:%Y-%m-%d}.sqlite"
        path = max([today, *self.all()[:1]])  # after the clock was set back, the latest copy stays the last one
        draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
        if not self._catalog.is_file():
            return None
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            draft.unlink(missing_ok=True)
            if not self._copied(draft):
                return None
            draft.replace(path)
            sync_folder(self._folder)
        except (OSError, sqlite3.Error) as error:
            logger.warning("no copy of the catalog %s could be made: %s", self._catalog, error)
            return None
        finally:
            draft.unlink(missing_ok=True)
        for old in self.all()[COPIES:]:
            old.unlink(missing_ok=True)
        return path

    def all(self) -> list[Path]:
        """The copies, the latest first."""
        return sorted(self._folder.glob(f"{self._catalog.stem}-????-??-??.sqlite"), reverse=True)

    def forget(self, sha1: str) -> None:
        """Take a report out of every copy, so that nothing of it is left; a copy that cannot be changed is removed."""
        for copy in self.all():
            try:
                with closing(sqlite3.connect(copy)) as connection:
                    for table in filter(partial(_has_table, connection), _TABLES_OF_REPORT):
                        connection.execute(f"DELETE FROM {table} WHERE sha1 = ?", (sha1,))
                    _drop_empty(connection)
                    connection.commit()
                    connection.execute("VACUUM")
            except sqlite3.DatabaseError:
                copy.unlink(missing_ok=True)

    def latest_sound(self) -> Path | None:
        """The latest copy that can be read whole."""
        return next((copy for copy in self.all() if is_sound_copy(copy)), None)

    def restore(self, copy: Path | None) -> None:
        """Set the catalog aside with its log, and put a copy in its place; without a copy there is none then."""
        root = self._catalog.parent
        for path in (self._catalog, *(self._catalog.with_name(f"{self._catalog.name}{end}") for end in _LOGS)):
            if path.exists():
                set_aside(root, path)
        if copy is not None:
            write_atomically(self._catalog, copy.read_bytes())

    def _copied(self, draft: Path) -> bool:
        with (
            closing(sqlite3.connect(f"{self._catalog.absolute().as_uri()}?mode=ro", uri=True)) as catalog,
            closing(sqlite3.connect(draft)) as copy,
        ):
            catalog.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
            (sound,) = copy.execute("PRAGMA integrity_check(1)").fetchone()
            if sound != "ok":
                raise sqlite3.DatabaseError(f"it is damaged ({' '.join(str(sound).split())})")
            (reports,) = copy.execute("SELECT COUNT(*) FROM report").fetchone()
        with draft.open("rb") as file:
            os.fsync(file.fileno())
        return bool(reports)


def is_sound_copy(copy: Path) -> bool:
    """Whether a copy can be read whole and holds any report; none is made of an empty catalog."""
    library = Library(copy)
    try:
        library.check()
        return bool(library.companies())
    except DamagedFile as error:
        logger.warning("%s", error)
        return False
