"""Filings of several kinds, read from their PDFs: what they are, and the length of time of their figures."""

import pytest

from indexes.facts.extract import extract_facts
from indexes.options import ReaderOptions
from indexes.reading.docling_reader import DoclingReader
from indexes.report_identity.identity import company_data
from storage.files import sha1_of
from storage.records.facts import Fact, ReportFacts
from storage.records.metrics import Ontology
from storage.records.reports import Report
from tests.support.write_filings import FILINGS, Span, WrittenFiling, write_filings

KNOWN = {filing.file: filing for filing in FILINGS}
READ = ("harrowgate-10q-q2.pdf", "calder-release-q3.pdf", "lindqvist-2023.pdf")
Read = dict[str, tuple[Report, ReportFacts]]


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Read:
    reader, ontology, found = DoclingReader.from_options(ReaderOptions()), Ontology.load(), {}
    for path in write_filings(tmp_path_factory.mktemp("filings"), [KNOWN[file] for file in READ]):
        pages = reader.read_pages(path, sha1_of(path))
        data = company_data(pages, path)
        report = Report(
            sha1=sha1_of(path),
            file=path.name,
            company=data.company,
            page_count=len(pages),
            currency=data.currency,
            period_end=data.period_end,
            fiscal_year=data.fiscal_year,
            filing=data.filing,
        )
        found[path.name] = report, extract_facts(pages, report, ontology)
    return found


@pytest.mark.parametrize("known", [KNOWN[file] for file in READ], ids=READ)
def test_a_filing_is_read_for_what_it_is(read: Read, known: WrittenFiling) -> None:
    report, _ = read[known.file]
    filing = report.filing
    assert (report.company, filing.type, report.period_end) == (known.filer.name, known.type, known.end)
    assert (filing.months, filing.quarter, filing.weeks) == (known.months, known.quarter, known.weeks)
    assert (report.fiscal_year, filing.year_end_month) == (known.fiscal_year, known.year_end_month)
    assert (filing.status, filing.is_amended, filing.is_restated) == (
        known.status,
        known.is_amended,
        known.is_restated,
    )


def over(found: ReportFacts, known: WrittenFiling, span: Span) -> Fact | None:
    return found.over("total_revenue", known.filer.ends[span.last], 3 * span.count)


@pytest.mark.parametrize("file", READ)
def test_columns_of_different_lengths_are_told_apart(read: Read, file: str) -> None:
    known, (_, found) = KNOWN[file], read[file]
    for span in known.columns:
        fact = over(found, known, span)
        assert fact is not None
        assert fact.value == 1000 * known.filer.flow("revenue", span.first, span.count, restated=span.restated)


def test_a_table_in_millions_does_not_scale_the_statements_in_thousands(read: Read) -> None:
    known, (_, found) = KNOWN["calder-release-q3.pdf"], read["calder-release-q3.pdf"]
    net = found.over("net_income", known.end, 3)
    assert net is not None
    assert (net.value, net.scale) == (1000 * known.filer.flow("net", 10), 1000)


def test_the_balance_of_a_quarterly_report_is_of_its_last_day(read: Read) -> None:
    known, (_, found) = KNOWN["harrowgate-10q-q2.pdf"], read["harrowgate-10q-q2.pdf"]
    now = found.current("total_assets")
    assert now is not None
    assert now.value == 1000 * known.filer.balance("total", 9)
