"""Filings of invented companies, of every kind and with two fiscal calendars, as small PDFs with known figures.

Every figure comes from a company's quarters, so that a year is the sum of its four and no figure is written twice.
Those of one company are committed as samples (`python -m tests.support.write_filings` writes them again); the others
are written by tests and measures.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

LEFT, TOP, LEADING = 40.0, 790.0, 15.0
FIRST, WIDTH = 235.0, 80.0  # right edge of the first column of figures, and the width of each
SEC = ("UNITED STATES", "SECURITIES AND EXCHANGE COMMISSION", "Washington, D.C. 20549")


@dataclass(frozen=True)
class Filer:
    """An invented company.

    Attributes:
        ends: the last days of its quarters, from the first quarter of the first year.
        base, step: revenue of the first quarter, and what each quarter adds, in thousands.
        seasons: what each quarter of a year adds.
        weeks: it counts in weeks.
        restated: what a later report takes off the revenue and the costs of each quarter of the first year.
    """

    name: str
    ticker: str
    sign: str
    ends: tuple[dt.date, ...]
    base: int
    step: int
    seasons: tuple[int, int, int, int]
    shares: int
    weeks: bool = False
    restated: int = 0
    british: bool = False

    def flow(self, line: str, first: int, count: int = 1, *, restated: bool = False) -> int:
        """A line of the income or cash flow statement over so many quarters, in thousands."""
        return sum(
            self._quarter(line, i, self.restated if restated and i < 4 else 0) for i in range(first, first + count)
        )

    def _quarter(self, line: str, i: int, off: int) -> int:
        revenue = self.base + self.step * i + self.seasons[i % 4]
        cost = revenue * 61 // 100
        selling, interest = revenue * 24 // 100, 310 + 7 * i
        pretax = revenue - cost - selling - interest
        tax = pretax * 25 // 100
        values = {
            "revenue": revenue - off,
            "cost": cost - off,
            "gross": revenue - cost,
            "selling": selling,
            "operating": revenue - cost - selling,
            "interest": interest,
            "pretax": pretax,
            "tax": tax,
            "net": pretax - tax,
            "depreciation": 900 + 11 * i,
            "capex": 1250 + 17 * i,
            "dividends": 400 + 5 * i,
        }
        values["cash_from_operations"] = values["net"] + values["depreciation"]
        values["change"] = values["cash_from_operations"] - values["capex"] - values["dividends"]
        return values[line]

    def balance(self, line: str, i: int) -> int:
        """A line of the balance sheet at the end of a quarter, in thousands; -1 is the opening one."""
        cash = 9_000 + self.flow("change", 0, i + 1)
        receivables, inventories = 5_400 + 61 * i, 12_300 + 83 * i
        plant = 41_000 + self.flow("capex", 0, i + 1) - self.flow("depreciation", 0, i + 1)
        equity = 38_000 + self.flow("net", 0, i + 1) - self.flow("dividends", 0, i + 1)
        total, debt = cash + receivables + inventories + plant, 14_000 - 20 * i
        values = {
            "cash": cash,
            "receivables": receivables,
            "inventories": inventories,
            "current": cash + receivables + inventories,
            "plant": plant,
            "total": total,
            "debt": debt,
            "equity": equity,
            "payables": total - debt - equity,
            "liabilities": total - equity,
        }
        return values[line]

    def eps(self, first: int, count: int) -> str:
        """Earnings per share as printed."""
        return f"{self.flow('net', first, count) / self.shares:.2f}"

    def day(self, i: int) -> str:
        """The last day of a quarter as the company writes it."""
        end = self.ends[i]
        return f"{end.day} {end:%B %Y}" if self.british else f"{end:%B} {end.day}, {end.year}"


def _month_ends(first: tuple[int, int], count: int) -> tuple[dt.date, ...]:
    months = [first[0] * 12 + first[1] - 1 + 3 * i for i in range(count)]
    return tuple(dt.date((m + 1) // 12, (m + 1) % 12 + 1, 1) - dt.timedelta(days=1) for m in months)


HARROWGATE = Filer(
    name="Harrowgate Stores, Inc.",
    ticker="HGTS",
    sign="$",
    ends=tuple(
        dt.date.fromisoformat(day)
        for day in (
            *("2021-05-01", "2021-07-31", "2021-10-30", "2022-01-29"),
            *("2022-04-30", "2022-07-30", "2022-10-29", "2023-01-28"),
            *("2023-04-29", "2023-07-29", "2023-10-28", "2024-02-03"),
        )
    ),
    base=50_210,
    step=1_130,
    seasons=(0, 2_450, 1_310, 19_870),
    shares=20_000,
    weeks=True,
)
CALDER = Filer(
    name="Calder Instruments, Inc.",
    ticker="CLDR",
    sign="$",
    ends=_month_ends((2021, 9), 12),
    base=31_480,
    step=640,
    seasons=(0, 910, 380, 1_720),
    shares=12_500,
)
LINDQVIST = Filer(
    name="Lindqvist Marine plc",
    ticker="LQM",
    sign="£",
    ends=_month_ends((2022, 3), 12),
    base=22_930,
    step=515,
    seasons=(0, 1_240, 770, 260),
    shares=8_000,
    restated=33,
    british=True,
)
OKUMURA = Filer(
    name="Okumura Robotics Co., Ltd.",
    ticker="OKMR",
    sign="$",
    ends=_month_ends((2021, 6), 8),
    base=61_050,
    step=905,
    seasons=(0, 120, 640, 1_050),
    shares=30_000,
)
TAMARACK = Filer(
    name="Tamarack Power Ltd.",
    ticker="TMK",
    sign="$",
    ends=_month_ends((2022, 3), 8),
    base=44_700,
    step=325,
    seasons=(2_100, 0, 90, 1_950),
    shares=15_000,
)


@dataclass(frozen=True)
class Span:
    """A column: so many quarters up to one; in `restated` the figures are those of a later report."""

    last: int
    count: int
    restated: bool = False

    @property
    def first(self) -> int:
        """The first quarter."""
        return self.last - self.count + 1


@dataclass(frozen=True)
class WrittenFiling:
    """A filing and what is known of it.

    Attributes:
        type, quarter, fiscal_year, is_amended, is_restated, status: as `storage.records.reports.Filing` has them.
        columns: of its income statement.
        sheet: the quarters of its balance sheet.
        highlights: the columns of a table in millions before the statements.
        lines: of its cover; `prose` is on the next page.
    """

    file: str
    filer: Filer
    type: str
    end: dt.date
    lines: tuple[str, ...]
    months: int | None = None
    quarter: int | None = None
    fiscal_year: int | None = None
    year_end_month: int | None = None
    weeks: int | None = None
    status: str | None = None
    is_amended: bool = False
    is_restated: bool = False
    columns: tuple[Span, ...] = ()
    sheet: tuple[int, ...] = ()
    highlights: tuple[Span, ...] = ()
    prose: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())


def _sec(form: str, period: str, filer: Filer, *more: str) -> tuple[str, ...]:
    return (
        *SEC,
        form,
        *more,
        period,
        "Commission file number 001-12345",
        filer.name.upper(),
        "(Exact name of registrant as specified in its charter)",
        f"Common Stock, $0.01 par value {filer.ticker} The Nasdaq Stock Market LLC",
    )


_AUDIT = (
    "Report of Independent Registered Public Accounting Firm",
    "We have audited the consolidated statements.",
)
_FISCAL_2022 = 'References to "fiscal 2022" are to the 52 weeks ended January 28, 2023.'
_FISCAL_2021 = 'References to "fiscal 2021" are to the 52 weeks ended January 29, 2022.'

FILINGS = (
    WrittenFiling(
        "harrowgate-10k-2021.pdf",
        HARROWGATE,
        "10-K",
        HARROWGATE.ends[3],
        _sec(
            "FORM 10-K",
            "For the fiscal year ended January 29, 2022",
            HARROWGATE,
            "ANNUAL REPORT PURSUANT TO SECTION 13",
        ),
        months=12,
        fiscal_year=2021,
        year_end_month=1,
        weeks=52,
        status="audited",
        columns=(Span(3, 4),),
        sheet=(3,),
        prose=(_FISCAL_2021, *_AUDIT),
    ),
    WrittenFiling(
        "harrowgate-10k-2022.pdf",
        HARROWGATE,
        "10-K",
        HARROWGATE.ends[7],
        _sec(
            "FORM 10-K",
            "For the fiscal year ended January 28, 2023",
            HARROWGATE,
            "ANNUAL REPORT PURSUANT TO SECTION 13",
        ),
        months=12,
        fiscal_year=2022,
        year_end_month=1,
        weeks=52,
        status="audited",
        columns=(Span(7, 4), Span(3, 4)),
        sheet=(7, 3),
        prose=(_FISCAL_2022, _FISCAL_2021, *_AUDIT),
    ),
    WrittenFiling(
        "harrowgate-10q-q2.pdf",
        HARROWGATE,
        "10-Q",
        HARROWGATE.ends[9],
        _sec(
            "FORM 10-Q",
            "For the quarterly period ended July 29, 2023",
            HARROWGATE,
            "QUARTERLY REPORT PURSUANT TO SECTION 13",
        ),
        months=3,
        quarter=2,
        fiscal_year=2023,
        year_end_month=1,
        weeks=13,
        status="unaudited",
        columns=(Span(9, 1), Span(5, 1), Span(9, 2), Span(5, 2)),
        sheet=(9, 7, 5),
        prose=(
            "Sales rose in the second quarter of fiscal 2023.",
            'References to "fiscal 2023" are to the 53 weeks ending February 3, 2024.',
        ),
    ),
    WrittenFiling(
        "harrowgate-release-q4.pdf",
        HARROWGATE,
        "earnings release",
        HARROWGATE.ends[11],
        (
            "Harrowgate Stores, Inc.",
            "Harrowgate Stores Reports Fourth Quarter and Fiscal 2023 Results",
            "Press release",
        ),
        months=3,
        quarter=4,
        fiscal_year=2023,
        year_end_month=1,
        weeks=14,
        status="unaudited",
        columns=(Span(11, 1), Span(7, 1), Span(11, 4), Span(7, 4)),
        sheet=(11, 7),
        highlights=(Span(11, 1), Span(7, 1)),
    ),
    WrittenFiling(
        "harrowgate-proxy.pdf",
        HARROWGATE,
        "proxy statement",
        dt.date(2023, 6, 7),
        (
            "SCHEDULE 14A",
            "Proxy Statement Pursuant to Section 14(a)",
            "Harrowgate Stores, Inc.",
            "Notice of 2023 Annual Meeting of Stockholders",
            "to be held on June 7, 2023",
        ),
        prose=(
            "Compensation of our named executive officers: the total compensation of the chief executive officer,",
            "Maren Aldous, was $4,215,000 for fiscal 2022. The directors are elected for one year.",
        ),
    ),
    WrittenFiling(
        "calder-10k-2022.pdf",
        CALDER,
        "10-K",
        CALDER.ends[3],
        _sec(
            "FORM 10-K", "For the fiscal year ended June 30, 2022", CALDER, "ANNUAL REPORT PURSUANT TO SECTION 13"
        ),
        months=12,
        year_end_month=6,
        fiscal_year=2022,
        status="audited",
        columns=(Span(3, 4),),
        sheet=(3,),
        prose=(
            "Sales of fiscal 2022 rose. In fiscal 2022 we opened a works. Fiscal 2022 was a good year.",
            *_AUDIT,
        ),
    ),
    WrittenFiling(
        "calder-10ka-2023.pdf",
        CALDER,
        "10-K",
        CALDER.ends[7],
        _sec(
            "FORM 10-K/A",
            "For the fiscal year ended June 30, 2023",
            CALDER,
            "(Amendment No. 1)",
            "ANNUAL REPORT PURSUANT TO SECTION 13",
        ),
        months=12,
        year_end_month=6,
        fiscal_year=2023,
        status="audited",
        is_amended=True,
        columns=(Span(7, 4), Span(3, 4)),
        sheet=(7, 3),
        prose=("Sales of fiscal 2023 rose against fiscal 2022. Fiscal 2023 and fiscal 2022 were good.", *_AUDIT),
    ),
    WrittenFiling(
        "calder-10q-q1.pdf",
        CALDER,
        "10-Q",
        CALDER.ends[8],
        _sec(
            "FORM 10-Q",
            "For the quarterly period ended September 30, 2023",
            CALDER,
            "QUARTERLY REPORT PURSUANT TO SECTION 13",
        ),
        months=3,
        quarter=1,
        year_end_month=6,
        fiscal_year=2024,
        status="unaudited",
        columns=(Span(8, 1), Span(4, 1)),
        sheet=(8, 7),
        prose=(
            "Sales rose in the first quarter of fiscal 2024 and fell in none.",
            "Fiscal 2024 ends June 30, 2024.",
        ),
    ),
    WrittenFiling(
        "calder-10q-q2.pdf",
        CALDER,
        "10-Q",
        CALDER.ends[9],
        _sec(
            "FORM 10-Q",
            "For the quarterly period ended December 31, 2023",
            CALDER,
            "QUARTERLY REPORT PURSUANT TO SECTION 13",
        ),
        months=3,
        quarter=2,
        year_end_month=6,
        fiscal_year=2024,
        status="unaudited",
        columns=(Span(9, 1), Span(5, 1), Span(9, 2), Span(5, 2)),
        sheet=(9, 7),
        prose=("Sales rose in the second quarter of fiscal 2024.", "Fiscal 2024 ends June 30, 2024."),
    ),
    WrittenFiling(
        "calder-release-q3.pdf",
        CALDER,
        "earnings release",
        CALDER.ends[10],
        (
            "Calder Instruments, Inc.",
            "Calder Instruments Announces Third Quarter Fiscal 2024 Results",
            "News release",
        ),
        months=3,
        quarter=3,
        year_end_month=6,
        fiscal_year=2024,
        status="unaudited",
        columns=(Span(10, 1), Span(6, 1), Span(10, 3), Span(6, 3)),
        sheet=(10, 7),
        highlights=(Span(10, 1), Span(6, 1)),
    ),
    WrittenFiling(
        "calder-8k.pdf",
        CALDER,
        "8-K",
        dt.date(2023, 11, 6),
        _sec(
            "FORM 8-K",
            "Date of Report (Date of earliest event reported): November 6, 2023",
            CALDER,
            "CURRENT REPORT",
        ),
        prose=(
            "Item 2.01 Completion of Acquisition. On November 6, 2023, Calder Instruments, Inc. acquired all shares of",
            "Brackwater Optics LLC for $18.5 million in cash.",
        ),
    ),
    WrittenFiling(
        "lindqvist-2022.pdf",
        LINDQVIST,
        "annual report",
        LINDQVIST.ends[3],
        ("Lindqvist Marine plc", "Annual Report and Accounts 2022"),
        months=12,
        year_end_month=12,
        fiscal_year=2022,
        status="audited",
        columns=(Span(3, 4),),
        sheet=(3,),
        prose=("Independent auditor's report", "In our opinion the statements give a true and fair view."),
    ),
    WrittenFiling(
        "lindqvist-2023.pdf",
        LINDQVIST,
        "annual report",
        LINDQVIST.ends[7],
        ("Lindqvist Marine plc", "Annual Report and Accounts 2023"),
        months=12,
        year_end_month=12,
        fiscal_year=2023,
        status="audited",
        is_restated=True,
        columns=(Span(7, 4), Span(3, 4, restated=True)),
        sheet=(7, 3),
        prose=(
            "Independent auditor's report",
            "Sales made as an agent are shown net; the comparative figures have been restated.",
        ),
    ),
    WrittenFiling(
        "lindqvist-half-year.pdf",
        LINDQVIST,
        "interim report",
        LINDQVIST.ends[9],
        ("Lindqvist Marine plc", "Half-year report 2024", "for the six months ended 30 June 2024"),
        months=6,
        year_end_month=12,
        fiscal_year=2024,
        status="unaudited",
        columns=(Span(9, 2), Span(5, 2)),
        sheet=(9, 7),
    ),
    WrittenFiling(
        "lindqvist-prospectus.pdf",
        LINDQVIST,
        "prospectus",
        dt.date(2024, 3, 12),
        ("Prospectus", "dated 12 March 2024", "Lindqvist Marine plc", "Offer of 800,000 new ordinary shares"),
        prose=("This document is a prospectus of Lindqvist Marine plc about new ordinary shares.",),
    ),
    WrittenFiling(
        "okumura-20f.pdf",
        OKUMURA,
        "20-F",
        OKUMURA.ends[7],
        _sec(
            "FORM 20-F",
            "For the fiscal year ended March 31, 2023",
            OKUMURA,
            "ANNUAL REPORT PURSUANT TO SECTION 13",
        ),
        months=12,
        year_end_month=3,
        fiscal_year=2022,
        status="audited",
        columns=(Span(7, 4), Span(3, 4)),
        sheet=(7, 3),
        prose=('"Fiscal 2022" is our fiscal year ended March 31, 2023.', "Sales of fiscal 2022 rose.", *_AUDIT),
    ),
    WrittenFiling(
        "tamarack-40f.pdf",
        TAMARACK,
        "40-F",
        TAMARACK.ends[7],
        _sec(
            "FORM 40-F",
            "For the fiscal year ended December 31, 2023",
            TAMARACK,
            "ANNUAL REPORT PURSUANT TO SECTION 13",
        ),
        months=12,
        year_end_month=12,
        status="audited",
        columns=(Span(7, 4), Span(3, 4)),
        sheet=(7, 3),
        prose=_AUDIT,
    ),
    WrittenFiling(
        "tamarack-guide.pdf",
        TAMARACK,
        "other",
        dt.date(2023, 5, 4),
        ("Tamarack Power Ltd.", "Our guide to saving power at home", "May 4, 2023"),
        prose=("Switch off what nobody uses. Tamarack Power Ltd. helps 240,000 homes to save power.",),
    ),
)
"""Every kind of filing, two of a restated year and one amended, of companies with four fiscal calendars."""

_INCOME = (
    ("Revenue", "revenue", 1),
    ("Cost of sales", "cost", -1),
    ("Gross profit", "gross", 1),
    ("Selling, general and administrative expenses", "selling", -1),
    ("Operating income", "operating", 1),
    ("Interest expense", "interest", -1),
    ("Income before income taxes", "pretax", 1),
    ("Income tax expense", "tax", -1),
    ("Net income", "net", 1),
)
_SHEET = (
    ("Cash and cash equivalents", "cash"),
    ("Accounts receivable", "receivables"),
    ("Inventories", "inventories"),
    ("Total current assets", "current"),
    ("Property, plant and equipment, net", "plant"),
    ("Total assets", "total"),
    ("Accounts payable", "payables"),
    ("Long-term debt", "debt"),
    ("Total liabilities", "liabilities"),
    ("Total shareholders' equity", "equity"),
    ("Total liabilities and shareholders' equity", "total"),
)
_FLOWS = (
    ("Net income", "net", 1),
    ("Depreciation and amortization", "depreciation", 1),
    ("Net cash provided by operating activities", "cash_from_operations", 1),
    ("Purchases of property, plant and equipment", "capex", -1),
    ("Net cash used in investing activities", "capex", -1),
    ("Dividends paid", "dividends", -1),
    ("Net cash used in financing activities", "dividends", -1),
    ("Net increase in cash and cash equivalents", "change", 1),
)


def write_filings(folder: Path, filings: Sequence[WrittenFiling] = FILINGS) -> list[Path]:
    """Write the filings' PDFs into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    return [_write(folder / filing.file, filing) for filing in filings]


def write_samples_of_filings(folder: Path) -> list[Path]:
    """Write one company's filings of several years and kinds, which the demo shows."""
    return write_filings(folder, [filing for filing in FILINGS if filing.filer is CALDER])


def _write(path: Path, filing: WrittenFiling) -> Path:
    canvas = Canvas(str(path), pagesize=A4, invariant=True)
    _lines(canvas, filing.lines, 13)
    if filing.highlights:
        _highlights(canvas, filing)
    if filing.prose:
        canvas.showPage()
        _lines(canvas, filing.prose, 10)
    if filing.columns:
        canvas.showPage()
        _income(canvas, filing)
        canvas.showPage()
        _balance(canvas, filing)
        canvas.showPage()
        _cash_flows(canvas, filing)
    canvas.showPage()
    canvas.save()
    return path


def _lines(canvas: Canvas, lines: Sequence[str], size: float) -> None:
    canvas.setFont("Helvetica", size)
    for number, line in enumerate(lines):
        canvas.drawString(LEFT, TOP - 2 * LEADING * number, line)


_LENGTHS = {1: "Three months ended", 2: "Six months ended", 3: "Nine months ended", 4: "Year ended"}
_WEEKS = {1: 13, 2: 26, 3: 39, 4: 52}


def _length(filer: Filer, span: Span) -> str:
    if not filer.weeks:
        return _LENGTHS[span.count]
    longer = span.last == 11 and span.count in (1, 4)  # the year of 53 weeks
    return f"{_WEEKS[span.count] + longer} weeks ended"


def _heads(canvas: Canvas, filer: Filer, columns: Sequence[Span], y: float) -> None:
    """Column heads: the length over each group of columns, the day and the year over each."""
    canvas.setFont("Helvetica-Bold", 7)
    for number, span in enumerate(columns):
        right = FIRST + WIDTH * (number + 1)
        day = filer.day(span.last)
        canvas.drawRightString(right, y - 11, day)
        if span.restated:
            canvas.drawRightString(right, y - 22, "(restated)")
        length = _length(filer, span)
        canvas.drawRightString(right, y, length)


def _amount(value: int) -> str:
    return f"({-value:,})" if value < 0 else f"{value:,}"


def _table(canvas: Canvas, filer: Filer, title: str, unit: str, y: float) -> float:
    canvas.setFont("Helvetica-Bold", 12)
    canvas.drawString(LEFT, y, filer.name)
    canvas.drawString(LEFT, y - LEADING, title)
    canvas.setFont("Helvetica", 9)
    canvas.drawString(LEFT, y - 2 * LEADING, unit)
    return y - 4 * LEADING


def _rows(canvas: Canvas, rows: Sequence[tuple[str, Sequence[str]]], y: float, sign: str = "") -> None:
    canvas.setFont("Helvetica", 9)
    label, figures = rows[0]
    rows = [(label, [f"{sign}{figure}" for figure in figures]), *rows[1:]]
    for label, figures in rows:
        canvas.drawString(LEFT, y, label)
        for number, figure in enumerate(figures):
            canvas.drawRightString(FIRST + WIDTH * (number + 1), y, figure)
        y -= LEADING


def _unit(filer: Filer) -> str:
    return "(£ in thousands, except per share data)" if filer.british else "(in thousands, except per share data)"


def _audited(filing: WrittenFiling) -> str:
    return " (unaudited)" if filing.status == "unaudited" else ""


def _income(canvas: Canvas, filing: WrittenFiling) -> None:
    filer, title = filing.filer, f"Consolidated Statements of Income{_audited(filing)}"
    y = _table(canvas, filer, title, _unit(filer), TOP)
    _heads(canvas, filer, filing.columns, y)
    rows = [
        (label, [_amount(sign * filer.flow(line, s.first, s.count, restated=s.restated)) for s in filing.columns])
        for label, line, sign in _INCOME
    ]
    rows.append(("Basic earnings per share", [filer.eps(s.first, s.count) for s in filing.columns]))
    _rows(canvas, rows, y - 3 * LEADING, filer.sign)


def _balance(canvas: Canvas, filing: WrittenFiling) -> None:
    filer = filing.filer
    y = _table(canvas, filer, f"Consolidated Balance Sheets{_audited(filing)}", _unit(filer), TOP)
    canvas.setFont("Helvetica-Bold", 7)
    for number, quarter in enumerate(filing.sheet):
        canvas.drawRightString(FIRST + WIDTH * (number + 1), y, filer.day(quarter))
    rows = [(label, [_amount(filer.balance(line, q)) for q in filing.sheet]) for label, line in _SHEET]
    _rows(canvas, rows, y - 2 * LEADING, filer.sign)


def _cash_flows(canvas: Canvas, filing: WrittenFiling) -> None:
    """The cash flow statement, of the longest span alone, as in a quarterly report."""
    filer = filing.filer
    longest = max(span.count for span in filing.columns)
    columns = [span for span in filing.columns if span.count == longest]
    y = _table(canvas, filer, f"Consolidated Statements of Cash Flows{_audited(filing)}", _unit(filer), TOP)
    _heads(canvas, filer, columns, y)
    rows = [
        (label, [_amount(sign * filer.flow(line, s.first, s.count)) for s in columns])
        for label, line, sign in _FLOWS
    ]
    opening = (
        "Cash and cash equivalents, beginning of period",
        [_amount(filer.balance("cash", s.first - 1)) for s in columns],
    )
    closing = (
        "Cash and cash equivalents, end of period",
        [_amount(filer.balance("cash", s.last)) for s in columns],
    )
    _rows(canvas, [*rows, opening, closing], y - 3 * LEADING, filer.sign)


def _highlights(canvas: Canvas, filing: WrittenFiling) -> None:
    """A table in millions on the first page."""
    filer = filing.filer
    y = _table(canvas, filer, "Financial highlights (unaudited)", "(in millions)", TOP - 8 * LEADING)
    _heads(canvas, filer, filing.highlights, y)
    rows = [
        (label, [f"{filer.flow(line, s.first, s.count) / 1000:.1f}" for s in filing.highlights])
        for label, line in (("Revenue", "revenue"), ("Operating income", "operating"), ("Net income", "net"))
    ]
    _rows(canvas, rows, y - 3 * LEADING, filer.sign)


if __name__ == "__main__":
    write_samples_of_filings(Path(__file__).parents[2] / "app" / "sample_filings")
