"""Thirty workbooks as people make them: odd headings, grids, years, currencies, formulas, several sheets.

Each says what it is meant to ask, a line for each question: its place, text, kind, company, currency and unit; or the
error that names the cell which cannot be understood.
"""

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from openpyxl import Workbook
from openpyxl.comments import Comment
from openpyxl.styles import Font, PatternFill
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.worksheet import Worksheet

Rows = list[list[Any]]


@dataclass(frozen=True)
class MadeWorkbook:
    """One workbook, and what is meant by it.

    Attributes:
        sheets: the rows of each sheet, by its name.
        meant: "cell | text | kind | company | currency | scale", without empty parts at the end.
        error: a part of the message where it is to be refused.
        finish: what else is done to it: merged cells, formats, hidden sheets.
    """

    name: str
    sheets: dict[str, Rows]
    meant: tuple[str, ...] = ()
    error: str = ""
    finish: Callable[[Workbook], None] = lambda _: None

    def make(self) -> Workbook:
        """The workbook."""
        book = Workbook()
        book.remove(book.worksheets[0])
        for title, rows in self.sheets.items():
            sheet = book.create_sheet(title)
            for row in rows:
                sheet.append(row)
        self.finish(book)
        return book


def _merged(*ranges: str) -> Callable[[Workbook], None]:
    def finish(book: Workbook) -> None:
        for one in ranges:
            book.worksheets[0].merge_cells(one)

    return finish


def _hidden(title: str) -> Callable[[Workbook], None]:
    def finish(book: Workbook) -> None:
        book[title].sheet_state = "hidden"

    return finish


def _moved_down_right(book: Workbook) -> None:
    sheet = book.worksheets[0]
    sheet.insert_rows(1, 4)
    sheet.insert_cols(1, 2)
    sheet["A1"] = "Prepared for the investment committee"
    sheet["A1"].font = Font(bold=True, size=14)


def _dressed(book: Workbook) -> None:
    """Everything that a workbook has beside its cells."""
    sheet: Worksheet = book.worksheets[0]
    sheet["A1"].fill = PatternFill("solid", fgColor="FFCC00")
    sheet["A1"].comment = Comment("ask Ines", "MB")
    sheet.freeze_panes = "B2"
    sheet.column_dimensions["A"].width = 41
    sheet.auto_filter.ref = "A1:C3"
    choice = DataValidation(type="list", formula1='"high,low"')
    sheet.add_data_validation(choice)
    choice.add("C2:C3")
    other = book.create_sheet("Model")
    other["A1"], other["A2"], other["A3"] = 2, 3, "=SUM(A1:A2)"
    other["A3"].number_format = "0.00"


N = None
WORKBOOKS: tuple[MadeWorkbook, ...] = (
    MadeWorkbook(
        "a plain list of questions",
        {
            "Sheet1": [
                ["Question", "Kind"],
                ["What was the revenue of Acme?", "number"],
                ["Who leads Acme?", "name"],
            ]
        },
        ("row 2 | What was the revenue of Acme? | number", "row 3 | Who leads Acme? | name"),
    ),
    MadeWorkbook(
        "ids, years and an analyst's own columns",
        {
            "Sheet1": [
                ["ID", "Question", "Company", "Year", "Analyst", "Priority"],
                ["Q-1", "What was the net income?", "Acme plc", 2021, "MB", "high"],
                ["Q-2", "What was the net income?", "Acme plc", 2022, "MB", "low"],
            ]
        },
        (
            "row 2 | What was the net income in 2021? | | Acme plc",
            "row 3 | What was the net income in 2022? | | Acme plc",
        ),
    ),
    MadeWorkbook(
        "German headings",
        {
            "Tabelle1": [
                ["Nr.", "Frage", "Typ", "Firma", "Geschäftsjahr", "Währung", "Bemerkung"],
                [1, "Wie hoch war der Umsatz?", "Zahl", "Müller AG", "GJ 2023", "eur", "dringend"],
                [2, "Gab es einen Aktienrückkauf?", "Ja/Nein", "Müller AG", N, N, N],
            ]
        },
        (
            "row 2 | Wie hoch war der Umsatz in GJ 2023? | number | Müller AG | EUR",
            "row 3 | Gab es einen Aktienrückkauf? | boolean | Müller AG",
        ),
    ),
    MadeWorkbook(
        "a table that begins below a title, away from the corner",
        {"Data": [["No", "Question", "Ticker"], [1, "What was the EBITDA?", "ACME"]]},
        ("row 6 | What was the EBITDA? | | ACME",),
        finish=_moved_down_right,
    ),
    MadeWorkbook(
        "sections and empty rows between the questions",
        {
            "Sheet1": [
                ["#", "Question", "Entity"],
                ["A. Income"],
                [1, "What was the gross profit?", "Acme"],
                [],
                ["B. People"],
                [2, "Who is the CFO?", "Acme"],
                [N, N, N],
            ]
        },
        ("row 3 | What was the gross profit? | | Acme", "row 6 | Who is the CFO? | | Acme"),
    ),
    MadeWorkbook(
        "two sheets of questions and one of notes",
        {
            "Read me": [["Please fill in by Friday."]],
            "Industrials": [["Question", "Company"], ["What was capex?", "Acme"]],
            "Banks": [["Company", "Question"], ["First Bank", "What were total deposits?"]],
        },
        (
            "row 2 of Industrials | What was capex? | | Acme",
            "row 2 of Banks | What were total deposits? | | First Bank",
        ),
    ),
    MadeWorkbook(
        "a hidden sheet of old questions",
        {
            "Now": [["Question"], ["What was the revenue of Beta?"]],
            "Old": [["Question"], ["What was the revenue of Acme in 2001?"]],
        },
        ("row 2 | What was the revenue of Beta?",),
        finish=_hidden("Old"),
    ),
    MadeWorkbook(
        "a company merged over its questions",
        {
            "Sheet1": [
                ["Company", "Question"],
                ["Acme", "What was the revenue?"],
                [N, "What was the net income?"],
                ["Beta", "What was the revenue?"],
            ]
        },
        (
            "row 2 | What was the revenue? | | Acme",
            "row 3 | What was the net income? | | Acme",
            "row 4 | What was the revenue? | | Beta",
        ),
        finish=_merged("A2:A3"),
    ),
    MadeWorkbook(
        "period ends as dates",
        {"Sheet1": [["Question", "As of"], ["What were total assets of Acme?", dt.datetime(2022, 12, 31)]]},
        ("row 2 | What were total assets of Acme at 31 December 2022?",),
    ),
    MadeWorkbook(
        "quarters in a column of their own",
        {
            "Sheet1": [
                ["Question", "Company", "FY", "Quarter"],
                ["What was the revenue?", "Acme", 2023, "Q2"],
                ["What was the revenue?", "Acme", 2023, 3],
            ]
        },
        (
            "row 2 | What was the revenue in Q2 2023? | | Acme",
            "row 3 | What was the revenue in Q3 2023? | | Acme",
        ),
    ),
    MadeWorkbook(
        "a year that the question names, too",
        {"Sheet1": [["Question", "Year"], ["What was the revenue of Acme in fiscal 2022?", "2022"]]},
        ("row 2 | What was the revenue of Acme in fiscal 2022?",),
    ),
    MadeWorkbook(
        "a year that contradicts the question",
        {"Sheet1": [["Question", "Year"], ["What was the revenue of Acme in fiscal 2022?", 2021]]},
        error="cell B2 of 'Sheet1': '2021' is another period",
    ),
    MadeWorkbook(
        "a year that is none",
        {"Sheet1": [["Question", "Year"], ["What was the revenue of Acme?", "soon"]]},
        error="cell B2 of 'Sheet1': 'soon' is no period",
    ),
    MadeWorkbook(
        "a heading with a typo",
        {"Sheet1": [["Question", "Compnay"], ["What was the revenue?", "Acme"]]},
        error="cell B1 of 'Sheet1': the heading 'Compnay' is not known; did you mean 'company'?",
    ),
    MadeWorkbook(
        "a formula that was never calculated",
        {"Sheet1": [["Company", "Question"], ["Acme", '="What was the revenue of "&A2&"?"']]},
        error="cell B2 of 'Sheet1': is a formula without a stored value",
    ),
    MadeWorkbook(
        "a broken reference as the company",
        {"Sheet1": [["Question", "Company"], ["What was the revenue?", "#REF!"]]},
        error="cell B2 of 'Sheet1': holds the error #REF!",
    ),
    MadeWorkbook(
        "a grid of peers, with units and a person",
        {
            "Peers": [
                ["Company", "Ticker", "CCY", "Revenue (EUR m)", "Gross margin %", "CEO", "Employees"],
                ["Acme plc", "ACM", "EUR"],
                ["Beta SE", "BET", "EUR", 41.5, N, "J. Doe", 120],
            ]
        },
        (
            "D2 | What was the Total revenue of Acme plc? | number | Acme plc | EUR | 1000000",
            "E2 | What was the Gross margin of Acme plc? | number | Acme plc",
            "F2 | Who was the CEO of Acme plc? | name | Acme plc",
            "G2 | What was the number of employees at year end of Acme plc? | number | Acme plc",
            "E3 | What was the Gross margin of Beta SE? | number | Beta SE",
        ),
    ),
    MadeWorkbook(
        "companies across, metrics down, a row of currencies",
        {
            "Sheet1": [
                ["Metric", "Acme", "Beta"],
                ["Currency", "GBP", "$"],
                ["Revenue", N, N],
                ["Diluted EPS", N, 1.2],
                ["CFO", N, N],
            ]
        },
        error="cell C2 of 'Sheet1': '$' is no currency",
    ),
    MadeWorkbook(
        "companies across, metrics down, tickers and years below",
        {
            "Sheet1": [
                [N, "Acme", "Beta"],
                ["Ticker", "ACM", "BET"],
                ["Year", 2022, 2023],
                ["Revenue", N, N],
                ["Total assets", N, 7],
            ]
        },
        (
            "B4 | What was the Total revenue of Acme in 2022? | number | Acme",
            "C4 | What was the Total revenue of Beta in 2023? | number | Beta",
            "B5 | What was the Total assets of Acme in 2022? | number | Acme",
        ),
    ),
    MadeWorkbook(
        "one company's figures, years as columns, its name above",
        {
            "Sheet1": [
                ["Acme Inds – key figures"],
                [],
                ["USD m", 2023, 2022],
                ["Income statement"],
                ["Revenue", N, 7.1],
                ["EBIT", N, N],
                ["Balance sheet"],
                ["Total assets", N, N],
                ["Source: annual reports"],
            ]
        },
        (
            "B5 | What was the Total revenue of Acme Inds in 2023? | number | Acme Inds | USD | 1000000",
            "B6 | What was the Operating income of Acme Inds in 2023? | number | Acme Inds | USD | 1000000",
            "C6 | What was the Operating income of Acme Inds in 2022? | number | Acme Inds | USD | 1000000",
            "B8 | What was the Total assets of Acme Inds in 2023? | number | Acme Inds | USD | 1000000",
            "C8 | What was the Total assets of Acme Inds in 2022? | number | Acme Inds | USD | 1000000",
        ),
    ),
    MadeWorkbook(
        "a sheet for each company",
        {
            "Acme plc": [[N, "FY2023"], ["Revenue"], ["Net income"]],
            "Beta SE": [["Metric", 2022], ["Total equity"]],
        },
        (
            "B2 of Acme plc | What was the Total revenue of Acme plc in FY2023? | number | Acme plc",
            "B3 of Acme plc | What was the Net income of Acme plc in FY2023? | number | Acme plc",
            "B2 of Beta SE | What was the Shareholders' equity of Beta SE in 2022? | number | Beta SE",
        ),
    ),
    MadeWorkbook(
        "companies down, years across, the metric as the title",
        {"Sheet1": [["Net income"], [N, 2022, 2021], ["Acme"], ["Beta", N, 3]]},
        (
            "B3 | What was the Net income of Acme in 2022? | number | Acme",
            "C3 | What was the Net income of Acme in 2021? | number | Acme",
            "B4 | What was the Net income of Beta in 2022? | number | Beta",
        ),
    ),
    MadeWorkbook(
        "years across, and no metric anywhere",
        {"Sheet1": [["Company", 2022, 2021], ["Acme"], ["Beta"]]},
        error="cell A1 of 'Sheet1': names no metric",
    ),
    MadeWorkbook(
        "metrics merged over their years",
        {"Sheet1": [[N, "Revenue", N, "EPS", N], ["Company", 2022, 2021, 2022, 2021], ["Acme"]]},
        (
            "B3 | What was the Total revenue of Acme in 2022? | number | Acme",
            "C3 | What was the Total revenue of Acme in 2021? | number | Acme",
            "D3 | What was the EPS (earnings per share), basic of Acme in 2022? | number | Acme",
            "E3 | What was the EPS (earnings per share), basic of Acme in 2021? | number | Acme",
        ),
        finish=_merged("B1:C1", "D1:E1"),
    ),
    MadeWorkbook(
        "a long list of companies, metrics and years",
        {
            "Sheet1": [
                ["Unternehmen", "Kennzahl", "Jahr", "Einheit", "Wert"],
                ["Acme AG", "Umsatz", 2022, "EUR m", N],
                ["Acme AG", "Finanzvorstand", 2022, N, N],
                ["Beta AG", "Bilanzsumme", 2021, "TEUR", N],
            ]
        },
        (
            "row 2 | What was the Total revenue of Acme AG in 2022? | number | Acme AG | EUR | 1000000",
            "row 3 | Who was the CFO of Acme AG in 2022? | name | Acme AG",
            "row 4 | What was the Total assets of Beta AG in 2021? | number | Beta AG | EUR | 1000",
        ),
    ),
    MadeWorkbook(
        "companies and metrics down, years across, averages below",
        {
            "Sheet1": [
                ["Company", "KPI", "2023A", "2022A"],
                ["Acme", "Operating cash flow", N, N],
                ["Beta", "Goodwill", N, 12],
                ["Average", N, "=AVERAGE(C2:C3)", "=AVERAGE(D2:D3)"],
            ]
        },
        (
            "C2 | What was the Cash flow from operations of Acme in 2023? | number | Acme",
            "D2 | What was the Cash flow from operations of Acme in 2022? | number | Acme",
            "C3 | What was the Goodwill of Beta in 2023? | number | Beta",
        ),
    ),
    MadeWorkbook(
        "questions as the headings of a grid",
        {"Sheet1": [["Company", "Who is the CEO?", "Share buyback (yes/no)"], ["Acme", N, N]]},
        (
            "B2 | Who is the CEO? | | Acme",
            "C2 | Did Acme report share buyback? | boolean | Acme",
        ),
    ),
    MadeWorkbook(
        "a full grid with nothing to ask",
        {"Sheet1": [["Company", "Revenue"], ["Acme", 5]]},
        error="no cell is empty",
    ),
    MadeWorkbook(
        "a table of something else",
        {"Sheet1": [["Invoice", "Amount"], ["4711", 12.5]]},
        error="cell A1 of 'Sheet1', 'Invoice', is no heading that is known",
    ),
    MadeWorkbook(
        "filters, comments, validation and a model on another sheet",
        {
            "Ask": [
                ["Question", "Company", "Priority"],
                ["What was the revenue?", "Acme", "high"],
                ["Why did costs rise?", "Beta", "low"],
            ]
        },
        ("row 2 | What was the revenue? | | Acme", "row 3 | Why did costs rise? | | Beta"),
        finish=_dressed,
    ),
)
