"""Whose report it is, read from what its pages print."""

from pathlib import Path

import pytest

from indexes.report_identity.catalog import CatalogEntry
from indexes.report_identity.identity import CompanyData, company_data, reconciled_data
from indexes.report_identity.legal_names import KnownNames, name_key, names_in, whole_name
from indexes.report_identity.names import short_names
from indexes.report_identity.votes import Elected, PrintedText, Vote
from storage.records.facts import Period
from storage.records.pages import Column, Table
from storage.records.reports import Company, Evidence, Filing, Report
from tests.support.example_pages import block, pages

PATH = Path("scan_0815.pdf")


def place(data: CompanyData, field: str) -> tuple[int | None, str]:
    return next((e.page, e.quote) for e in data.evidence if e.field == field)


US_COVER = [
    block("UNITED STATES", "SECURITIES AND EXCHANGE COMMISSION", "FORM 10-K"),
    block("For the fiscal year ended September 30, 2023", "Commission file number 001-12345"),
    block("WIDGET WORKS, INC.", "(Exact name of registrant as specified in its charter)"),
    block("Common Stock, $0.01 par value WDGT The Nasdaq Stock Market LLC"),
]


@pytest.mark.parametrize(
    "lines",
    [
        ("(Exact name of registrant as specified in its charter)", "Common Stock, $0.001 Par Value WDGT"),
        ("(Exact name of registrant as specified in its charter)", "Ordinary shares WDGT The Nasdaq Stock Market"),
        ("Widget Works plc (LON: WDGT), the maker of widgets",),
        ("Our common stock is listed on Nasdaq under the symbol 'WDGT'.",),
        ('The common shares are traded in Toronto under the ticker symbol "WDGT".',),
    ],
)
def test_the_ticker_is_read_where_a_report_prints_it(lines: tuple[str, ...]) -> None:
    assert "WDGT" in company_data(pages([block(line) for line in lines]), PATH).aliases


def test_an_american_cover_says_name_year_end_currency_and_ticker() -> None:
    prose = block(
        "Widget Works, Inc. makes widgets.", "Gadget Holdings, Inc. was sold by Widget Works, Inc. in May."
    )
    data = company_data(pages([block("2023 Annual Report")], US_COVER, [prose]), PATH)
    assert (data.company, data.currency, str(data.period_end)) == ("Widget Works, Inc.", "USD", "2023-09-30")
    assert (data.aliases, data.fiscal_year) == (("WDGT",), 2023)
    assert place(data, "company") == (
        2,
        "WIDGET WORKS, INC. (Exact name of registrant as specified in its charter)",
    )
    assert place(data, "period_end") == (2, "For the fiscal year ended September 30, 2023")
    assert place(data, "fiscal_year") == (1, "2023 Annual Report")


def test_the_form_of_a_filing_is_no_place_that_says_its_currency() -> None:
    """It tells whose dollar a "$" means, and is evidence only where no page names the currency."""
    named = block("The Company's functional currency is the US dollar.")
    assert place(company_data(pages(US_COVER), PATH), "currency") == (None, "")
    assert place(company_data(pages(US_COVER, [named]), PATH), "currency")[0] == 2


def test_a_british_report_is_known_by_cover_auditor_and_statements() -> None:
    statement = Table(
        row_count=1,
        column_count=1,
        cells=(),
        title="Consolidated statement of financial position",
        unit="£'000",
        columns=(Column(header="2022 £'000", currency="GBP", period=None),),
    )
    data = company_data(
        pages(
            [block("Fenland Foods plc"), block("Annual Report and Accounts 2022")],
            [block("Registered agents: Marsh Registrars Limited, Ely")],
            [block("Independent auditor's report to the members of Fenland Foods plc")],
            [block("Fenland Foods plc", kind="furniture"), block("As at 2 April 2022", kind="heading")],
            [block("£'000", kind="table", table=statement), block("for the year ended 2 April 2022")],
            [block("for the year ended 2 April 2022"), block("The prior year ended 3 April 2021 had 53 weeks")],
        ),
        PATH,
    )
    assert (data.company, data.currency, str(data.period_end)) == ("Fenland Foods plc", "GBP", "2022-04-02")
    assert place(data, "company") == (3, "Independent auditor's report to the members of Fenland Foods plc")


def test_the_presentation_currency_beats_the_currency_of_more_tables() -> None:
    policy = (
        "The functional currency of each entity is its own. The presentation currency of the Group is the euro."
    )
    lines = [block("US$ million") for _ in range(6)]
    assert company_data(pages([block(policy)], lines), PATH).currency == "EUR"


def test_a_dollar_in_an_australian_report_is_its_own() -> None:
    data = company_data(
        pages([block("Gum Tree Gold Limited"), block("ABN 12 345 678 901"), block("ASX: GTG")]), PATH
    )
    assert (data.company, data.currency, data.aliases) == ("Gum Tree Gold Limited", "AUD", ("GTG",))


def test_a_bare_year_over_columns_does_not_move_a_june_year_end() -> None:
    bare = Column(period=Period(end="2022-12-31", months=12, printed="2022"))  # type: ignore[arg-type]  # parsed
    table = Table(row_count=1, column_count=1, cells=(), columns=(bare,))
    titles = [block("For the year ended 30 June 2022") for _ in range(2)]
    many = [block("x", kind="table", table=table) for _ in range(9)]
    assert str(company_data(pages(titles, many), PATH).period_end) == "2022-06-30"


def test_running_heads_name_a_company_that_prints_no_legal_form() -> None:
    heads = [[block(f"{n} Nordbank Annual Report 2022", kind="furniture")] for n in range(4)]
    data = company_data(pages([block("Annual Report", "2022")], *heads), PATH)
    assert (data.company, data.fiscal_year) == ("Nordbank", 2022)


def test_without_a_sure_name_the_file_s_name_stands_in_and_says_so() -> None:
    data = company_data(pages([block("Let us make the future safe.")]), PATH)
    assert (data.company, data.currency, data.period_end) == ("scan_0815", None, None)
    assert data.evidence == (Evidence(field="company", source="file_name", quote="scan_0815.pdf"),)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ENRG ELEMENTS LIMITED", "ENRG Elements Ltd"),
        ("The Bank of Ely p.l.c.", "Bank of Ely PLC"),
        ("Johnson & Johnson", "Johnson and Johnson, Inc."),
        ("Widget Works, Inc. and Subsidiaries", "WIDGET WORKS INC"),
    ],
)
def test_spellings_of_one_name_share_a_key(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


def test_the_short_names_that_a_report_gives_itself_are_its_aliases() -> None:
    elected = Elected(9, (Vote("Acme Creative Steel Ltd.", 9, 1, ""),))
    texts = (
        "Acme Creative Steel Ltd. (“Acme Creative”, “ACS” or the “Company”) makes rails.",
        "Its brand is sold by Roda Ltd. (“Acme Rails”). Acme Creative Steel Ltd. (the “Group”) grew.",
    )
    assert short_names(elected, [PrintedText(1, text) for text in texts]) == ("Acme Creative", "ACS")


def test_a_short_name_is_no_other_report_s_company() -> None:
    known = KnownNames([Company(name="Tower Semiconductor Ltd.", aliases=("Tower", "TSEM"))])
    assert known.find("Tower Limited") is None
    assert known.find("TSEM") == "Tower Semiconductor Ltd."


def test_a_line_is_a_name_only_when_it_is_nothing_else() -> None:
    assert whole_name("abrdn Japan Investment Trust plc") == "abrdn Japan Investment Trust plc"
    assert whole_name("TOWER WORKS LTD. AND SUBSIDIARIES") == "TOWER WORKS LTD."
    for line in ("Report of Widget Works, Inc.", "which was sold to Gadget Inc.", "Auditor: Ernst Ltd", "Limited"):
        assert whole_name(line) is None, line


def test_names_in_text_end_at_their_legal_form() -> None:
    assert names_in("In May it sold Gadget Holdings, Inc. to Bank of Ely plc, a lender.") == [
        "Gadget Holdings, Inc.",
        "Bank of Ely plc",
    ]


def known(**values: object) -> Report:
    base = {"sha1": "ab", "file": "a.pdf", "company": "Old plc", "page_count": 1, "currency": "GBP"}
    return Report.model_validate({**base, **values})


READ = CompanyData(company="Read plc", currency="EUR", evidence=(Evidence(field="company", source="report"),))


def test_what_a_catalog_leaves_out_is_read_from_the_report() -> None:
    data = reconciled_data(CatalogEntry(company="Given plc", aliases=("Given",)), None, lambda: READ)
    assert (data.company, data.currency, data.aliases) == ("Given plc", "EUR", ("Given", "Read plc"))
    assert [e.source for e in data.evidence if e.field == "company"] == ["catalog"]


def test_a_person_s_edit_stays_whatever_catalog_and_report_say() -> None:
    edited = known().edited({"company": "Edited plc", "currency": "CHF"})
    data = reconciled_data(CatalogEntry(company="Given plc", currency="USD"), edited, lambda: READ)
    assert (data.company, data.currency) == ("Edited plc", "CHF")


def test_a_report_is_read_once_and_again_only_where_the_name_was_the_file_s() -> None:
    def unread() -> CompanyData:
        raise AssertionError("read again")

    stored = known(evidence=(Evidence(field="company", source="report", page=1),), filing=Filing(type="10-K"))
    assert reconciled_data(None, stored, unread).company == "Old plc"
    guessed = known(evidence=(Evidence(field="company", source="file_name"),))
    assert reconciled_data(None, guessed, lambda: READ).company == "Read plc"
