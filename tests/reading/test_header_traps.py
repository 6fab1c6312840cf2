"""What the header of a report says, read from PDFs that lead a reader astray."""

from pathlib import Path

import pytest

from indexes.options import ReaderOptions
from indexes.reading.docling_reader import DoclingReader
from indexes.report_identity.identity import CompanyData, company_data
from storage.files import sha1_of
from tests.support.header_traps import SET_ASIDE, TRAPS, HeaderTrap, write_trap


@pytest.fixture(scope="module")
def reader() -> DoclingReader:
    return DoclingReader.from_options(ReaderOptions())


def read(reader: DoclingReader, folder: Path, trap: HeaderTrap) -> CompanyData:
    path = write_trap(folder, trap)
    return company_data(reader.read_pages(path, sha1_of(path)), path)


@pytest.mark.parametrize("trap", [*TRAPS, *SET_ASIDE], ids=lambda trap: trap.name)
def test_a_header_is_true_of_a_report_with(reader: DoclingReader, tmp_path: Path, trap: HeaderTrap) -> None:
    data = read(reader, tmp_path, trap)
    assert (data.currency, str(data.period_end)) == (trap.currency, trap.end)
    assert trap.fiscal_year in (None, data.fiscal_year)


def test_a_current_report_with_results_covers_their_quarter(reader: DoclingReader, tmp_path: Path) -> None:
    trap = next(trap for trap in TRAPS if "current report" in trap.name)
    filing = read(reader, tmp_path, trap).filing
    assert (filing.type, filing.months, filing.quarter, filing.year_end_month) == ("8-K", 3, 1, 12)
    assert filing.is_periodic
