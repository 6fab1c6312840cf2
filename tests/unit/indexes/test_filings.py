"""What kind of filing a document is, and which period of which fiscal calendar it is about."""

import datetime as dt
import sqlite3
from pathlib import Path

import pytest

from indexes.report_identity.identity import CompanyData, company_data, reconciled_data
from storage.errors import UsageError
from storage.records.facts import Period
from storage.records.pages import Block, Column, Table
from storage.records.reports import Company, Evidence, Filing, Report
from storage.stores.catalog_edits import ReportEdit, catalog_edit
from storage.stores.library import Library
from tests.support.example_pages import block, pages

PATH = Path("scan_0815.pdf")
SEC = "UNITED STATES SECURITIES AND EXCHANGE COMMISSION"
NAME = block("HARROWGATE STORES, INC.", "(Exact name of registrant as specified in its charter)")


def columns(*spans: tuple[str, int | None, str]) -> Block:
    """A table whose columns end on days and are so many months long."""
    ends = [Period(end=dt.date.fromisoformat(day), months=months, printed=head) for day, months, head in spans]
    heads = tuple(Column(header=end.printed, period=end) for end in ends)
    table = Table(row_count=1, column_count=len(heads) + 1, cells=(), columns=(Column(), *heads))
    return block("Net sales", kind="table", table=table)


def read(*blocks: list[Block]) -> CompanyData:
    return company_data(pages(*blocks), PATH)


@pytest.mark.parametrize(
    ("cover", "type_", "end"),
    [
        ([SEC, "FORM 10-K", "For the fiscal year ended January 28, 2023"], "10-K", "2023-01-28"),
        (
            [SEC, "FORM 10-K/A", "(Amendment No. 1)", "For the fiscal year ended January 28, 2023"],
            "10-K",
            "2023-01-28",
        ),
        ([SEC, "FORM 20-F", "For the fiscal year ended March 31, 2023"], "20-F", "2023-03-31"),
        ([SEC, "Form 40-F", "For the fiscal year ended December 31, 2023"], "40-F", "2023-12-31"),
        ([SEC, "FORM 10-Q", "For the quarterly period ended July 29, 2023"], "10-Q", "2023-07-29"),
        (
            [SEC, "FORM 8-K", "CURRENT REPORT", "Date of Report (Date of earliest event reported): May 3, 2023"],
            "8-K",
            "2023-05-03",
        ),
    ],
)
def test_a_form_says_on_its_cover_what_it_is_and_when_its_period_ends(
    cover: list[str], type_: str, end: str
) -> None:
    data = read([block(*cover), NAME])
    assert (data.filing.type, str(data.period_end)) == (type_, end)
    assert data.filing.is_amended == ("(Amendment No. 1)" in cover)
    assert next(e.quote for e in data.evidence if e.field == "type") == cover[1]


@pytest.mark.parametrize(
    ("titles", "type_"),
    [
        (["Lindqvist Marine plc", "Annual Report and Accounts 2023"], "annual report"),
        (["Half-year report", "for the six months ended 30 June 2024"], "interim report"),
        (["Harrowgate Stores Reports Third Quarter Fiscal 2023 Results"], "earnings release"),
        (["Q3 2023 Results"], "earnings release"),
        (["Ostermere Instruments, Inc.", "Annual Report on Form 10-K"], "10-K"),
        (["Geschäftsbericht 2023"], "annual report"),
        (["Halbjahresfinanzbericht 2023"], "interim report"),
        (["SCHEDULE 14A", "Notice of 2023 Annual Meeting and Proxy Statement"], "proxy statement"),
        (["Prospectus", "Ordinary shares of Lindqvist Marine plc"], "prospectus"),
        (["RNS Number: 1234A", "Lindqvist Marine plc", "Acquisition of Skerry Boats"], "8-K"),
        (["Our guide to paint", "How boats are painted"], "other"),
    ],
)
def test_a_document_without_a_form_is_known_by_its_titles(titles: list[str], type_: str) -> None:
    assert read([block(*titles)]).filing.type == type_


def test_a_form_in_a_glossy_cover_is_the_form() -> None:
    cover = [block("2023 Annual Report", "Notice of Annual Meeting and Proxy Statement")]
    form = [block(SEC, "FORM 10-K", "For the fiscal year ended January 28, 2023"), NAME]
    assert read(cover, form).filing.type == "10-K"


def test_a_retailer_s_year_has_the_company_s_name_and_its_weeks() -> None:
    data = read(
        [block(SEC, "FORM 10-K", "For the fiscal year ended January 28, 2023"), NAME],
        [block('References to "fiscal 2022" are to the 52 weeks ended January 28, 2023.')],
        [columns(("2023-01-28", 12, "52 weeks ended January 28, 2023"))],
    )
    assert (data.fiscal_year, data.filing.weeks, data.filing.year_end_month) == (2022, 52, 1)
    report = Report(
        sha1="ab", file="a.pdf", company="H", page_count=3, period_end=data.period_end, filing=data.filing
    )
    assert report.period_start == dt.date(2022, 1, 30)


def test_the_months_so_far_tell_the_quarter_and_the_end_of_the_year() -> None:
    data = read(
        [block(SEC, "FORM 10-Q", "For the quarterly period ended June 30, 2023"), NAME],
        [
            columns(
                ("2023-06-30", 3, "Three months ended June 30, 2023"),
                ("2022-06-30", 3, "Three months ended June 30, 2022"),
                ("2023-06-30", 9, "Nine months ended June 30, 2023"),
                ("2022-06-30", 9, "Nine months ended June 30, 2022"),
            )
        ],
    )
    assert (data.filing.months, data.filing.quarter, data.filing.year_end_month) == (3, 3, 9)


def test_a_release_names_its_quarter_and_the_fiscal_year() -> None:
    data = read(
        [block("Harrowgate Stores Reports Fourth Quarter Fiscal 2022 Results")],
        [
            columns(
                ("2023-01-28", 3, "13 weeks ended January 28, 2023"),
                ("2023-01-28", 12, "52 weeks ended January 28, 2023"),
            )
        ],
        [block("Unaudited", "13 weeks ended January 28, 2023")],
        [block("13 weeks ended January 28, 2023")],
    )
    assert (data.filing.months, data.filing.quarter, data.fiscal_year) == (3, 4, 2022)
    assert data.filing.status == "unaudited"


def test_restated_columns_are_noticed_and_restated_articles_are_not() -> None:
    title = [block("Annual Report 2023")]
    assert read(title, [columns(("2022-12-31", 12, "2022 (restated)"))]).filing.is_restated
    assert not read(title, [block("Our amended and restated articles were filed.")]).filing.is_restated


def test_a_library_of_an_earlier_version_learns_what_its_filings_are() -> None:
    stored = Report(
        sha1="ab",
        file="a.pdf",
        company="Old plc",
        page_count=1,
        currency="GBP",
        evidence=(Evidence(field="company", source="report", page=1), Evidence(field="currency", source="edited")),
    )
    data = reconciled_data(None, stored, lambda: read([block("Annual Report 2023")]))
    assert (data.company, data.currency, data.filing.type) == ("Old plc", "GBP", "annual report")


def test_a_catalog_without_filings_still_opens(tmp_path: Path) -> None:
    path = tmp_path / "library.sqlite"
    library = Library(path)
    library.add(
        Report(sha1="ab", file="a.pdf", company="Old plc", page_count=1, filing=Filing(type="10-Q", months=3))
    )
    assert library.companies()[0].reports[0].filing == Filing(type="10-Q", months=3)
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE report_filing")
    connection.close()
    assert Library(path).companies()[0].reports[0].filing == Filing()


def company_of(report: Report) -> tuple[Company, ...]:
    return (Company(name=report.company, reports=(report,)),)


def test_what_a_filing_is_can_be_put_right_and_stays_so() -> None:
    report = Report(sha1="ab", file="a.pdf", company="Old plc", page_count=1, filing=Filing(type="other"))
    wanted = ReportEdit(sha1="ab", company="Old plc", filing={"type": "10-Q", "months": 3, "quarter": 2})
    (edited,) = catalog_edit(company_of(report), [wanted], {}).reports
    assert edited.filing == Filing(type="10-Q", months=3, quarter=2)
    data = reconciled_data(None, edited, lambda: read([block("Annual Report 2023")]))
    assert data.filing == edited.filing
    assert edited.described == "10-Q, second quarter"


@pytest.mark.parametrize(("field", "value"), [("type", "10-Z"), ("quarter", 5), ("months", 0)])
def test_a_filing_that_does_not_exist_is_refused(field: str, value: str | int) -> None:
    report = Report(sha1="ab", file="a.pdf", company="Old plc", page_count=1)
    wanted = ReportEdit.model_validate({"sha1": "ab", "company": "Old plc", "filing": {field: value}})
    with pytest.raises(UsageError, match="expected"):
        catalog_edit(company_of(report), [wanted], {})


def test_the_main_report_is_the_newest_annual_one() -> None:
    def of(sha1: str, day: str, type_: str) -> Report:
        filing = Filing.model_validate({"type": type_})
        end = dt.date.fromisoformat(day)
        return Report(sha1=sha1, file="a.pdf", company="A", page_count=1, period_end=end, filing=filing)

    newest_first = (of("a", "2023-05-03", "8-K"), of("b", "2023-03-31", "10-Q"), of("c", "2022-12-31", "10-K"))
    main = Company(name="A", reports=newest_first).main_report
    assert main is not None
    assert main.sha1 == "c"


def test_a_currency_that_nobody_knows_is_refused_and_one_stored_before_stops_no_edit() -> None:
    report = Report(sha1="ab", file="a.pdf", company="Old plc", page_count=1, currency="XXQ")

    renamed = catalog_edit(
        company_of(report), [ReportEdit(sha1="ab", company="New plc", currency="XXQ")], {}
    ).reports
    corrected = catalog_edit(
        company_of(report), [ReportEdit(sha1="ab", company="Old plc", currency="rmb")], {}
    ).reports

    assert [(r.company, r.currency) for r in (*renamed, *corrected)] == [("New plc", "XXQ"), ("Old plc", "CNY")]
    with pytest.raises(UsageError, match="'XXR' is no currency"):
        catalog_edit(company_of(report), [ReportEdit(sha1="ab", company="Old plc", currency="XXR")], {})
