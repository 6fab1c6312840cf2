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


@pytest.mark.parametrize("day", ["2024-99-99", "0001-01-01", "9999-12-31", "2024-W01-9"])
def test_a_day_that_no_report_ends_on_is_refused_with_its_line(day: str, tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text(f"file,company_name,period_end\na.pdf,Acme,{day}\n", encoding="utf-8")
    with pytest.raises(UsageError, match=f"line 2: period_end is '{day}', expected YYYY-MM-DD"):
        Catalog.read(tmp_path / "c.csv")


def test_a_company_s_name_in_a_catalog_is_one_line_of_signs_that_can_be_seen(tmp_path: Path) -> None:
    row = 'a.pdf,"Acme\nindexed  Evil\u202e Inc.","A\u2028B;C"'
    (tmp_path / "c.csv").write_text(f"file,company_name,aliases\n{row}\n", encoding="utf-8")
    entry = Catalog.read(tmp_path / "c.csv").entry("", Path("a.pdf"))
    assert entry is not None
    assert (entry.company, entry.aliases) == ("Acme indexed Evil Inc.", ("A B", "C"))


@pytest.mark.parametrize("name", ["", "\u202e", "x" * 201])
def test_a_company_s_name_that_cannot_be_seen_or_is_too_long_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text(f"file,company_name\na.pdf,{name}\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"line 2: the company's name .* is empty or longer than 200 letters"):
        Catalog.read(tmp_path / "c.csv")
