"""The catalog as spreadsheets of any country write it."""

from pathlib import Path

import pytest

from indexes.report_identity.catalog import Catalog
from storage.errors import UsageError


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_catalog_is_read_in_any_encoding_with_any_separator_and_capitals(
    encoding: str, separator: str, tmp_path: Path
) -> None:
    rows = [
        ["File", "Company Name", "CURRENCY", "aliases"],
        ["a.pdf", "Müller & Söhne AG", "eur", '"Müller; MSAG"'],
    ]
    (tmp_path / "c.csv").write_bytes("\r\n".join(separator.join(row) for row in rows).encode(encoding))

    entry = Catalog.read(tmp_path / "c.csv").entry("0" * 40, Path("a.pdf"))

    assert entry is not None
    assert (entry.company, entry.currency, entry.aliases) == ("Müller & Söhne AG", "EUR", ("Müller", "MSAG"))


@pytest.mark.parametrize("text", ["", "a;b\n1;2\n"])
def test_a_catalog_without_its_columns_says_what_it_has(text: str, tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match="expected company_name and sha1 or file"):
        Catalog.read(tmp_path / "c.csv")
