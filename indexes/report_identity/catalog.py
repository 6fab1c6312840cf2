"""The catalog: a CSV that names the company of each PDF."""

import csv
import datetime as dt
import io
from pathlib import Path

from storage.errors import UsageError
from storage.files import delimiter_of, read_table_text
from storage.incoming import company_name
from storage.lexicon.calendar import given_day
from storage.lexicon.money import currency_code
from storage.records.record import Record
from storage.records.reports import FILING_TYPES, FilingType


class CatalogEntry(Record):
    """A catalog's data about one report; missing values are read from the report."""

    company: str
    aliases: tuple[str, ...] = ()
    currency: str | None = None
    period_end: dt.date | None = None
    type: FilingType | None = None


class Catalog:
    """Entries by SHA-1 or by file name."""

    def __init__(self, by_sha1: dict[str, CatalogEntry], by_file: dict[str, CatalogEntry]) -> None:
        self._by_sha1 = by_sha1
        self._by_file = by_file

    def entry(self, sha1: str, path: Path) -> CatalogEntry | None:
        """The entry of this PDF: by its SHA-1, else by its file name."""
        return self._by_sha1.get(sha1) or self._by_file.get(path.name)

    @classmethod
    def read(cls, path: Path) -> "Catalog":
        """Read a CSV with the columns `sha1` or `file`, `company_name`, and optional ones, in any case.

        Commas, semicolons or tabs separate them; it may be in UTF-8, UTF-16 or Windows-1252.

        Raises:
            UsageError: the file cannot be read, a column is missing or a value is wrong.
        """
        text = read_table_text(path)
        try:
            header, *lines = [*csv.reader(io.StringIO(text, newline=""), delimiter=delimiter_of(text))] or [[]]
        except csv.Error as error:
            raise UsageError(f"cannot read the catalog {path}: {error}") from error
        names = [name.strip().lower().replace(" ", "_") for name in header]
        columns = set(names)
        rows = [dict(zip(names, line, strict=False)) for line in lines if any(map(str.strip, line))]
        if "company_name" not in columns or not columns & {"sha1", "file"}:
            raise UsageError(
                f"the catalog {path} has the columns {sorted(columns)}; expected company_name and sha1 or file"
            )
        entries = [(row, _entry(path, number, row)) for number, row in enumerate(rows, start=2)]
        return cls(
            by_sha1={row["sha1"].strip().lower(): e for row, e in entries if row.get("sha1")},
            by_file={Path(row["file"].strip()).name: e for row, e in entries if row.get("file")},
        )


def _entry(path: Path, line: int, row: dict[str, str]) -> CatalogEntry:
    try:
        company = company_name(row.get("company_name") or "")
        aliases = tuple(company_name(a) for a in (row.get("aliases") or "").split(";") if a.strip())
    except UsageError as error:
        raise UsageError(f"{path}, line {line}: {error}") from error
    period_end = (row.get("period_end") or "").strip()
    end = given_day(period_end)
    if period_end and end is None:
        raise UsageError(f"{path}, line {line}: period_end is {period_end[:40]!r}, expected YYYY-MM-DD")
    given = (row.get("currency") or "").strip()
    currency = currency_code(given) if given else None
    if given and currency is None:
        raise UsageError(f"{path}, line {line}: currency is {given!r}, expected three letters such as EUR")
    type_ = (row.get("filing_type") or "").strip()
    known = next((t for t in FILING_TYPES if t.lower() == type_.lower()), None)
    if type_ and known is None:
        raise UsageError(
            f"{path}, line {line}: filing_type is {type_!r}, expected one of {', '.join(FILING_TYPES)}"
        )
    return CatalogEntry(
        company=company,
        aliases=aliases,
        currency=currency,
        period_end=end,
        type=known,
    )
