"""Reports of invented companies that lead a reader astray about their currency, their last day or their year.

Each is a cover, statements of two pages and a few pages of notes, as a small PDF with what is true of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from tests.support.write_filings import LEADING, LEFT, SEC, TOP

_FIRST, _WIDTH = 330.0, 95.0  # right edge of the first column of figures, and the width of each
_ROWS = ("Revenue", "Cost of sales", "Gross profit", "Administrative expenses", "Operating profit", "Net profit")
_SHEET = ("Cash and cash equivalents", "Inventories", "Total assets", "Total liabilities", "Total equity")


@dataclass(frozen=True)
class HeaderTrap:
    """A report and what its header must say.

    Attributes:
        cover: lines of the first page.
        title, period, unit: of the income statement.
        heads: of its columns; a stroke parts two lines.
        sign: before the first and the last figure.
        notes: pages of lines behind the statements; `prose` are pages before them.
        sheet: the line under the title of the balance sheet; `sheet_heads` its columns.
        currency, end, fiscal_year: what is true; no year where the report gives it no name.
    """

    name: str
    cover: tuple[str, ...]
    period: str
    unit: str
    heads: tuple[str, ...]
    currency: str
    end: str
    fiscal_year: int | None = None
    sign: str = ""
    title: str = "Consolidated Statements of Operations"
    sheet: str = ""
    sheet_heads: tuple[str, ...] = ()
    prose: tuple[tuple[str, ...], ...] = ()
    notes: tuple[tuple[str, ...], ...] = ()


def _form(form: str, period: str, name: str, listed: str) -> tuple[str, ...]:
    registrant = "(Exact name of registrant as specified in its charter)"
    return (*SEC, form, period, "Commission file number 001-54321", name.upper(), registrant, listed)


def _nasdaq(ticker: str) -> str:
    return f"Common Stock, $0.001 par value {ticker} The Nasdaq Stock Market LLC"


TRAPS = (
    HeaderTrap(
        "an abbreviation of a disease that is also a code",
        _form(
            "FORM 10-K",
            "For the fiscal year ended December 31, 2022",
            "Vellacor Therapeutics, Inc.",
            _nasdaq("VLCR"),
        ),
        "For the years ended December 31, 2022 and 2021",
        "(in thousands)",
        ("2022", "2021"),
        "USD",
        "2022-12-31",
        sign="$",
        prose=tuple(
            (
                "Coronary artery disease (CAD)",
                f"Part {n}. Coronary artery disease (CAD) is common. Patients with CAD are treated with statins.",
                "Obstructive CAD",
                "(CAD)",
                "Our trial enrols patients with CAD, and CAD was reported in half of them.",
            )
            for n in range(8)
        ),
    ),
    HeaderTrap(
        "a heading about bonds of another currency",
        _form(
            "FORM 10-K", "For the fiscal year ended September 30, 2023", "Larkmoor Brands, Inc.", _nasdaq("LKMR")
        ),
        "For the years ended September 30, 2023 and 2022",
        "(in millions)",
        ("2023", "2022"),
        "USD",
        "2023-09-30",
        sign="$",
        notes=(
            ("Issuance in Euros", "On May 2, 2023 we issued notes of 500 million euros, due 2031."),
            ("Issuance in Euros", "The notes of 2021 were issued in euros, too.", "Notes in EUR"),
            ("Euro Notes (EUR)", "The fair value of the notes fell.", "(in millions of euros)"),
        ),
    ),
    HeaderTrap(
        "dollars of New Zealand beside those of its neighbours",
        (
            "Kereru Dairy Limited",
            "Annual Report 2023",
            "NZX: KRD",
            "Our farms paid NZ$8.20 for a kilogram of milk solids.",
        ),
        "For the year ended 30 June 2023",
        "$000",
        ("2023", "2022"),
        "NZD",
        "2023-06-30",
        2023,
        title="Consolidated income statement",
        notes=(
            ("Borrowings", "The facility of A$40 million was drawn in Australia, US$12 million in Singapore."),
            ("US$ borrowings", "The notes of US$25 million are due in 2027.", "A dividend of NZ$0.12 was paid."),
        ),
    ),
    HeaderTrap(
        "a Swiss company that reports in US dollars",
        ("Alpstein Instruments AG", "Annual Report 2023", "Zug, Switzerland", "SIX Swiss Exchange: ALPN"),
        "For the year ended December 31, 2023",
        "in USD millions",
        ("2023", "2022"),
        "USD",
        "2023-12-31",
        2023,
        title="Consolidated income statement",
        notes=(
            ("Share capital", "The shares have a nominal value of CHF 0.10. The price was CHF 45.20 in Zurich."),
            (
                "CHF bonds",
                "The bond of CHF 200 million was repaid.",
                "The bond of CHF 150 million is due in 2028.",
            ),
            ("Remuneration report", "CHF thousand", "The Board received fees of CHF 1,200 thousand."),
            ("Remuneration of the Executive Committee", "CHF thousand", "Fees are paid in Swiss francs."),
        ),
    ),
    HeaderTrap(
        "a company of the Cayman Islands that is listed in Hong Kong",
        (
            "Qinglan Education Holdings Limited",
            "(incorporated in the Cayman Islands with limited liability)",
            "Annual Report 2022",
            "The Stock Exchange of Hong Kong Limited: 6999",
        ),
        "For the year ended 31 December 2022",
        "",
        ("2022|RMB'000", "2021|RMB'000"),
        "CNY",
        "2022-12-31",
        2022,
        title="Consolidated statement of profit or loss",
        notes=(
            ("Dividends", "A final dividend of HK$0.05 per share, HK$31 million in all, was declared."),
            (
                "Share capital",
                "The authorised capital is HK$380,000.",
                "HK$'000",
                "The shares were issued in HK$.",
            ),
            ("Bank balances", "Balances in HK$ and US$ are held in Hong Kong.", "HK$'000"),
        ),
    ),
    HeaderTrap(
        "a translation for the convenience of readers",
        _form(
            "FORM 20-F",
            "For the fiscal year ended December 31, 2022",
            "Tianhe Logistics Inc.",
            "American depositary shares THLG New York Stock Exchange",
        ),
        "For the years ended December 31, 2021 and 2022",
        "(in thousands)",
        ("2021|RMB", "2022|RMB", "2022|US$"),
        "CNY",
        "2022-12-31",
        prose=(
            (
                "Translations of RMB amounts into U.S. dollars are solely for the convenience of readers and were made",
                "at RMB6.8972 to US$1.00. No representation is made that they could have been converted.",
            ),
        ),
    ),
    HeaderTrap(
        "a current report with a release about a quarter",
        _form(
            "FORM 8-K",
            "Date of Report (Date of earliest event reported): May 9, 2024",
            "Sable Ridge Energy, Inc.",
            _nasdaq("SBRG"),
        ),
        "(unaudited)",
        "(in thousands)",
        ("Three months ended|March 31, 2024", "Three months ended|March 31, 2023"),
        "USD",
        "2024-03-31",
        sign="$",
        sheet_heads=("March 31, 2024", "December 31, 2023"),
        title="Condensed Consolidated Statements of Operations",
        prose=(
            ("Item 2.02 Results of Operations and Financial Condition", "On May 9, 2024 we issued a release."),
            (
                "Exhibit 99.1",
                "Sable Ridge Energy Reports First Quarter 2024 Results",
                "May 9, 2024 - Sable Ridge Energy, Inc. today announced results for the quarter ended March 31, 2024.",
                "A call will be held on May 10, 2024.",
            ),
        ),
    ),
    HeaderTrap(
        "a year of weeks that ends on the first of January",
        _form(
            "FORM 10-K", "For the fiscal year ended January 1, 2023", "Pennistone Health, Inc.", _nasdaq("PNST")
        ),
        "(in millions)",
        "",
        ("Fiscal year ended|January 1, 2023", "Fiscal year ended|January 2, 2022"),
        "USD",
        "2023-01-01",
        2022,
        sign="$",
        sheet_heads=("January 1, 2023", "January 2, 2022"),
        prose=(
            ("Fiscal year 2022 ended on January 1, 2023 and fiscal year 2021 ended on January 2, 2022.",),
            ("Sales of fiscal 2022 rose by 4% against fiscal 2021. In fiscal 2022 we opened a plant.",),
        ),
    ),
    HeaderTrap(
        "a retailer's year that ends on the first of February",
        _form(
            "FORM 10-K", "For the fiscal year ended February 1, 2025", "Thornaby Outfitters, Inc.", _nasdaq("THBY")
        ),
        "(in thousands)",
        "",
        ("52 weeks ended|February 1, 2025", "53 weeks ended|February 3, 2024"),
        "USD",
        "2025-02-01",
        2024,
        sign="$",
        sheet_heads=("February 1, 2025", "February 3, 2024"),
        prose=(
            ("Fiscal 2024 ended on February 1, 2025 and had 52 weeks. Fiscal 2023 had 53 weeks.",),
            ("Sales of fiscal 2024 fell.", "In fiscal 2024 we closed nine stores.", "Fiscal 2025 has 52 weeks."),
        ),
    ),
    HeaderTrap(
        "half-year results that were told weeks later",
        (
            "24 August 2023",
            "Marlow & Finch plc",
            "Half-year results for the six months ended 30 June 2023",
            "24 August 2023: Marlow & Finch plc, the maker of clocks, announces its results.",
        ),
        "For the six months ended 30 June 2023",
        "£m",
        ("Six months ended|30 June 2023", "Six months ended|30 June 2022"),
        "GBP",
        "2023-06-30",
        title="Condensed consolidated income statement",
        sheet_heads=("30 June 2023", "31 December 2022"),
        prose=(("24 August 2023", "The interim dividend of 4.1p is paid on 6 October 2023."),),
    ),
)
"""Traps that were known when the reading of headers was written."""

SET_ASIDE = (
    HeaderTrap(
        "an abbreviation of a yield that is also a code",
        _form(
            "FORM 10-K", "For the fiscal year ended December 29, 2024", "Quillon Software, Inc.", _nasdaq("QLLN")
        ),
        "(in thousands)",
        "",
        ("Fiscal year ended|December 29, 2024", "Fiscal year ended|December 31, 2023"),
        "USD",
        "2024-12-29",
        2024,
        sign="$",
        sheet_heads=("December 29, 2024", "December 31, 2023"),
        prose=tuple(
            (
                "Total revenue yield (TRY)",
                f"Section {n}. Total revenue yield (TRY) shows what a client brings. TRY rose in fiscal 2024.",
                "TRY by region",
                "(TRY)",
                "Fiscal 2024 and fiscal 2023 ended on December 29, 2024 and December 31, 2023.",
            )
            for n in range(6)
        ),
    ),
    HeaderTrap(
        "a kit whose name is shortened to a code",
        _form(
            "FORM 20-F",
            "For the fiscal year ended June 30, 2023",
            "Glenariff Medical plc",
            "Ordinary shares GLNM The Nasdaq Stock Market LLC",
        ),
        "For the years ended June 30, 2023 and 2022",
        "(in thousands)",
        ("2023", "2022"),
        "USD",
        "2023-06-30",
        sign="$",
        prose=tuple(
            (
                "Surgical Evaluation Kit (SEK)",
                f"{n}. The surgical evaluation kit (SEK) is sold in Europe.",
                "SEK sales",
            )
            for n in range(6)
        ),
        notes=(("EUR loan", "The loan of 20 million euros is due in 2026.", "Loan in euros"),) * 3,
    ),
    HeaderTrap(
        "dollars of Singapore beside those of America",
        ("Pasir Marine Ltd", "Annual Report 2024", "SGX: PSM", "Singapore"),
        "For the financial year ended 30 June 2024",
        "",
        ("2024|S$'000", "2023|S$'000"),
        "SGD",
        "2024-06-30",
        2024,
        title="Consolidated income statement",
        notes=(
            ("Charter income in US$", "Vessels are chartered in US$.", "US$'000"),
            ("Loans in US$", "The loans of US$80 million are due in 2029.", "US$'000"),
        ),
    ),
    HeaderTrap(
        "a Canadian filer in New York",
        _form(
            "FORM 40-F",
            "For the fiscal year ended December 31, 2023",
            "Wapiti Forest Products Ltd.",
            "Common Shares WPTI New York Stock Exchange",
        ),
        "(Expressed in thousands of Canadian dollars)",
        "",
        ("2023", "2022"),
        "CAD",
        "2023-12-31",
        sign="$",
        notes=(
            ("US dollar notes", "The notes of US$300 million are due in 2030.", "(in millions of US dollars)"),
            ("Sales to the United States", "Lumber is sold in US dollars.", "(in millions of US dollars)"),
        ),
    ),
    HeaderTrap(
        "a company in Hong Kong with a business in China",
        ("Fook Lam Holdings Limited", "Annual Report 2023", "The Stock Exchange of Hong Kong Limited: 1888"),
        "For the year ended 31 December 2023",
        "",
        ("2023|HK$'000", "2022|HK$'000"),
        "HKD",
        "2023-12-31",
        2023,
        title="Consolidated statement of profit or loss",
        notes=(
            ("Bank loans in RMB", "The loans of RMB 300 million are secured.", "RMB'000"),
            ("Subsidiaries in the PRC", "The registered capital is RMB 50 million.", "RMB'000"),
        ),
    ),
    HeaderTrap(
        "a release of a third quarter that was dated weeks later",
        (
            "Brannock Systems, Inc.",
            "Brannock Systems Announces Third Quarter Fiscal 2025 Results",
            "SAN JOSE, February 18, 2025 - Brannock Systems, Inc. today announced results.",
            "A call will be held on February 18, 2025.",
        ),
        "(in thousands)",
        "",
        ("Three months ended|January 25, 2025", "Three months ended|January 27, 2024"),
        "USD",
        "2025-01-25",
        2025,
        sign="$",
        title="Condensed Consolidated Statements of Operations",
        sheet_heads=("January 25, 2025", "April 27, 2024"),
        prose=(("February 18, 2025", "Outlook for the fourth quarter ending April 26, 2025", "Nasdaq: BRNK"),),
    ),
    HeaderTrap(
        "columns that have only the names of years of weeks",
        _form(
            "FORM 10-K", "For the fiscal year ended January 1, 2023", "Ravensworth Foods, Inc.", _nasdaq("RVNF")
        ),
        "For the fiscal years ended January 1, 2023 and January 2, 2022",
        "(in thousands)",
        ("2022", "2021"),
        "USD",
        "2023-01-01",
        2022,
        sign="$",
        sheet_heads=("January 1, 2023", "January 2, 2022"),
        prose=(
            (
                "Fiscal 2022 was a year of 52 weeks. Fiscal 2022 and fiscal 2021 were good, fiscal 2022 the better.",
            ),
        ),
    ),
    HeaderTrap(
        "a transition period of half a year",
        _form(
            "FORM 10-KT",
            "For the transition period from July 1, 2023 to December 31, 2023",
            "Cotterdale Seeds, Inc.",
            _nasdaq("CTSD"),
        ),
        "(in thousands)",
        "",
        ("Six months ended|December 31, 2023", "Year ended|June 30, 2023"),
        "USD",
        "2023-12-31",
        sign="$",
        sheet_heads=("December 31, 2023", "June 30, 2023"),
        prose=(("We changed our fiscal year from June 30 to December 31.",),),
    ),
    HeaderTrap(
        "an Australian miner that reports in US dollars",
        ("Yilgarn Copper Limited", "ABN 12 345 678 902", "Annual Report 2023", "ASX: YGC"),
        "For the year ended 30 June 2023",
        "",
        ("2023|US$'000", "2022|US$'000"),
        "USD",
        "2023-06-30",
        2023,
        title="Consolidated statement of profit or loss",
        notes=(
            ("Wages in A$", "Wages are paid in A$.", "A$'000"),
            ("Remuneration report", "Fees of directors are set in A$.", "A$'000"),
            ("Remuneration of executives", "A$'000", "Salaries were A$2.1 million."),
        ),
    ),
    HeaderTrap(
        "a trading update that was told weeks later",
        (
            "9 November 2023",
            "Holmbury Stores plc",
            "Third quarter trading update for the 13 weeks ended 30 September 2023",
            "9 November 2023: Holmbury Stores plc today gives its trading update.",
        ),
        "For the 13 weeks ended 30 September 2023",
        "£m",
        ("13 weeks ended|30 September 2023", "13 weeks ended|1 October 2022"),
        "GBP",
        "2023-09-30",
        title="Sales",
        prose=(("9 November 2023", "A call for analysts will be held on 9 November 2023.", "LSE: HLMB"),),
    ),
)
"""Traps that were written before it and looked at only after."""


def write_trap(folder: Path, trap: HeaderTrap) -> Path:
    """Write a trap's PDF into a folder."""
    path = folder / f"{trap.name.replace(' ', '-')}.pdf"
    canvas = Canvas(str(path), pagesize=A4, invariant=True)
    for lines in (trap.cover, *trap.prose):
        _text(canvas, lines)
        canvas.showPage()
    _table(canvas, (trap.title, trap.period, trap.unit), trap.heads, _ROWS, trap.sign, 48_310)
    canvas.showPage()
    if trap.title != "Sales":
        heads = trap.sheet_heads or trap.heads
        _table(canvas, ("Consolidated Balance Sheets", trap.sheet, trap.unit), heads, _SHEET, trap.sign, 91_205)
        canvas.showPage()
    for lines in trap.notes:
        _text(canvas, ("Notes to the consolidated financial statements", *lines))
        canvas.showPage()
    canvas.save()
    return path


def _text(canvas: Canvas, lines: Sequence[str]) -> None:
    canvas.setFont("Helvetica", 10)
    for number, line in enumerate(lines):
        canvas.drawString(LEFT, TOP - 2 * LEADING * number, line)


def _table(
    canvas: Canvas, above: Sequence[str], heads: Sequence[str], rows: Sequence[str], sign: str, first: int
) -> None:
    """A table with a title, the lines under it, column heads and rows of falling figures."""
    y = TOP
    for text, font in zip(filter(None, above), ("Helvetica-Bold", "Helvetica", "Helvetica"), strict=False):
        canvas.setFont(font, 10)
        canvas.drawString(LEFT, y, text)
        y -= LEADING
    canvas.setFont("Helvetica-Bold", 8)
    depth = max(len(head.split("|")) for head in heads)
    for index, head in enumerate(heads):
        lines = head.split("|")
        for number, line in enumerate(lines, start=depth - len(lines)):
            canvas.drawRightString(_FIRST + _WIDTH * index, y - 10 * (number + 1), line)
    y -= 10 * depth + LEADING
    canvas.setFont("Helvetica", 9)
    for number, label in enumerate(rows):
        canvas.drawString(LEFT, y, label)
        for index in range(len(heads)):
            figure = f"{first - 6_180 * number - 1_375 * index:,}"
            is_signed = sign and number in (0, len(rows) - 1)
            canvas.drawRightString(_FIRST + _WIDTH * index, y, f"{sign} {figure}" if is_signed else figure)
        y -= LEADING
