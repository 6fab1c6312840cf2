"""A table's title, unit and columns are read from what is printed, and left open where nothing is."""

import datetime as dt

import pytest

from indexes.enrichment.continuations import with_continuations
from indexes.enrichment.periods import period_of, printed_time
from indexes.enrichment.surroundings import Surroundings
from indexes.enrichment.table_context import in_context, with_table_context
from indexes.enrichment.units import printed_currency, printed_scale, unit_of_line
from storage.records.pages import Block, Cell, Page, Table
from storage.records.record import Box


def table(
    header: list[list[str]], rows: list[list[str]], spans: dict[tuple[int, int], int] | None = None
) -> Table:
    cells = []
    for row, texts in enumerate([*header, *rows]):
        for column, text in enumerate(texts):
            if text:
                role = "column_header" if row < len(header) else "row_label" if column == 0 else "value"
                span = (spans or {}).get((row, column), 1)
                right = 300 + 100 * column
                box = Box(left=right - 50, top=12 * row, right=right, bottom=12 * row + 9)
                cells.append(Cell(row=row, column=column, column_span=span, text=text, role=role, box=box))
    return Table(row_count=len(header) + len(rows), column_count=len(rows[0]), cells=tuple(cells))


def below(table: Table, above: list[str]) -> Table:
    """The table in the context of the lines above it."""
    return in_context(table, Surroundings(tuple(above)))


ROWS = [["Revenue", "3,114", "12,292"], ["Costs", "(17,882)", "(18,994)"]]


def test_the_statement_of_a_us_company() -> None:
    read = below(
        table([["", "For the Year Ended December 31,", ""], ["", "2022", "2021"]], ROWS, {(0, 1): 2}),
        above=[
            "Aptevo Therapeutics Inc.",
            "CONSOLIDATED STATEMENTS OF OPERATIONS",
            "(in thousands, except per share)",
        ],
    )
    assert read.title == "CONSOLIDATED STATEMENTS OF OPERATIONS"
    assert read.unit == "(in thousands, except per share)"
    now, before = read.columns[1:]
    assert now.period is not None
    assert (now.period.end, now.period.months) == (dt.date(2022, 12, 31), 12)
    assert before.period is not None
    assert (before.period.end, before.period.months) == (dt.date(2021, 12, 31), 12)
    assert (now.scale, now.currency) == (1000, None)  # whose dollar, nothing says


def test_the_balance_sheet_of_a_uk_company() -> None:
    read = below(
        table([["", "As at 31 March 2022", "As at 31 March 2021"], ["", "£'000", "£'000"]], ROWS),
        above=["Consolidated statement of financial position"],
    )
    assert [c.period.end for c in read.columns[1:] if c.period] == [dt.date(2022, 3, 31), dt.date(2021, 3, 31)]
    assert [c.period.months for c in read.columns[1:] if c.period] == [None, None]
    assert [(c.scale, c.currency) for c in read.columns[1:]] == [(1000, "GBP")] * 2


def test_day_and_length_come_from_the_lines_above_when_the_header_has_only_years() -> None:
    read = below(
        table([["", "2022", "2021"]], ROWS), above=["Income statement", "For the year ended 30 June 2022"]
    )
    assert [(c.period.end, c.period.months) for c in read.columns[1:] if c.period] == [
        (dt.date(2022, 6, 30), 12),
        (dt.date(2021, 6, 30), 12),
    ]


def test_a_bare_year_ends_with_december_and_has_no_length() -> None:
    read = below(table([["", "2022", "2021"]], ROWS), above=["Key figures"])
    assert [(c.period.end, c.period.months) for c in read.columns[1:] if c.period] == [
        (dt.date(2022, 12, 31), None),
        (dt.date(2021, 12, 31), None),
    ]


def test_nothing_is_said_of_columns_of_which_nothing_is_printed() -> None:
    read = below(table([["", "Group", "Company"]], ROWS), above=["The directors present their report."])
    assert read.title == ""
    assert read.unit == ""
    assert [(c.period, c.scale, c.currency) for c in read.columns] == [(None, None, None)] * 3


def test_a_column_of_changes_has_no_period() -> None:
    rows = [["Revenue", "120", "100", "20%"]]
    read = below(table([["€m", "2022", "2021", "Change in %"]], rows), above=["Income statement"])
    assert read.columns[3].period is None
    assert (read.columns[1].scale, read.columns[1].currency) == (1_000_000, "EUR")
    assert read.columns[3].currency is None


def test_a_columns_own_unit_is_not_its_neighbours() -> None:
    rows = [["Options", "1,000", "15"]]
    read = below(table([["", "Number of shares", "Value (in thousands)"]], rows), above=[])
    assert [c.scale for c in read.columns] == [None, None, 1000]


def test_references_under_a_note_header_are_notes() -> None:
    rows = [["Revenue", "4", "120"], ["Costs", "5, 6", "(90)"]]
    read = below(table([["", "Notes", "2022"]], rows), above=[])
    assert [c.text for c in read.cells if c.role == "note"] == ["4", "5, 6"]
    assert read.columns[1].period is None


def page(number: int, *blocks: Block) -> Page:
    return Page(report_sha1="ab", page_number=number, width=600, height=800, blocks=blocks)


def block(content: Table | str) -> Block:
    box = Box(left=0, top=100, right=400, bottom=110)
    if isinstance(content, str):
        return Block(kind="heading", text=content, box=box, level=1)
    return Block(kind="table", text="…", box=box, table=content)


def test_a_table_that_goes_on_over_the_page_keeps_its_columns() -> None:
    first = page(
        1, block("Balance sheet as at 31 December 2022 (€ million)"), block(table([["", "2022", "2021"]], ROWS))
    )
    second = page(2, block(table([], ROWS)))
    _, after = with_continuations(with_table_context([first, second]))
    assert after.blocks[0].continues
    assert after.tables[0].title == "Balance sheet as at 31 December 2022 (€ million)"
    assert [c.period.year for c in after.tables[0].columns[1:] if c.period] == [2022, 2021]


def test_a_table_with_a_heading_above_it_does_not_go_on() -> None:
    first = page(1, block(table([["", "2022", "2021"]], ROWS)))
    second = page(2, block("Segments"), block(table([], ROWS)))
    _, after = with_continuations(with_table_context([first, second]))
    assert not after.blocks[1].continues
    assert after.tables[0].columns[1].period is None


def paragraph(text: str) -> Block:
    return Block(kind="paragraph", text=text, box=Box(left=0, top=100, right=400, bottom=110))


def test_a_sentence_that_runs_over_the_page_goes_on_and_another_does_not() -> None:
    pages = [
        page(1, paragraph("We sell engines to makers of")),
        page(2, paragraph("ships in many seas.")),
        page(3, paragraph("and this begins oddly")),
    ]
    assert [p.blocks[0].continues for p in with_continuations(pages)] == [False, True, False]


def texts(*blocks: Block) -> list[Table]:
    """The tables of a page made of these blocks, in context."""
    return list(with_table_context([page(1, *blocks)])[0].tables)


def times(read: Table) -> list[tuple[str, int | None] | None]:
    return [(str(c.period.end), c.period.months) if c.period else None for c in read.columns[1:]]


def test_a_column_without_its_own_day_ends_on_its_neighbours_day() -> None:
    header = [["", "Year ended March 31,", ""], ["", "2022", "2021"]]
    read = below(table(header, ROWS, {(0, 1): 1}), ["Adopted on 31 December 2022"])
    assert times(read) == [("2022-03-31", 12), ("2021-03-31", 12)]


def test_a_bare_year_ends_on_the_day_on_which_the_reports_years_end() -> None:
    dated = page(
        1,
        block("Income statement for the year ended 30 June 2022"),
        block(table([["", "2022"]], [["Sales", "9"]])),
    )
    bare = page(2, block("Segments"), block(table([["", "2022", "2021"]], ROWS)))
    _, read = with_table_context([dated, bare])
    assert times(read.tables[0]) == [("2022-06-30", None), ("2021-06-30", None)]


def test_the_length_of_the_year_over_the_notes_is_not_the_length_of_a_position() -> None:
    heads = ["NOTES TO THE FINANCIAL STATEMENTS", "FOR THE YEAR ENDED 31 DECEMBER 2022", "Receivables"]
    read = below(table([["", "2022", "2021"]], ROWS), heads)
    assert times(read) == [("2022-12-31", None), ("2021-12-31", None)]


def test_the_components_of_equity_have_no_period_where_the_rows_are_about_several_years() -> None:
    rows = [["Balance at 31 December 2021", "10", "20"], ["Balance at 31 December 2022", "11", "21"]]
    read = below(table([["", "Share capital", "Reserves"]], rows), ["For the year ended 31 December 2022"])
    assert times(read) == [None, None]


def test_shares_are_not_counted_in_the_thousands_of_the_amounts() -> None:
    header = [["", "(in thousands, except share amounts)", ""], ["", "Shares", "Amount"]]
    read = below(table(header, [["Issued", "8,885,797", "89"]], {(0, 1): 2}), [])
    assert [c.scale for c in read.columns[1:]] == [None, 1000]


def test_a_unit_does_not_pass_a_heading() -> None:
    reclassified = "Amounts reclassified were as follows (in thousands):"
    first, second = texts(
        paragraph(reclassified),
        block(table([["", "2022", "2021"]], ROWS)),
        block("Note 2 Earnings per share"),
        block(table([["", "2022", "2021"]], [["Net income", "72,952,000", "51,490,000"]])),
    )
    assert [c.scale for c in first.columns[1:]] == [1000, 1000]
    assert [c.scale for c in second.columns[1:]] == [None, None]


def test_the_unit_at_the_head_of_a_page_of_notes_holds_for_all_its_tables() -> None:
    second = texts(
        block("NOTES TO THE CONSOLIDATED FINANCIAL STATEMENTS (dollars in thousands)"),
        block("Note 8 Other assets"),
        block(table([["", "2022", "2021"]], ROWS)),
        block("Note 9 Other liabilities"),
        block(table([["", "2022", "2021"]], ROWS)),
    )[1]
    assert [c.scale for c in second.columns[1:]] == [1000, 1000]
    assert second.title == "Note 9 Other liabilities"


def test_a_table_right_below_another_shares_what_leads_to_them_but_not_the_date() -> None:
    first, second = texts(
        paragraph("The following tables show the amortized cost of our securities (in thousands):"),
        block(table([["", "December 31, 2022", ""], ["", "Cost", "Value"]], ROWS, {(0, 1): 2})),
        block(table([["", "December 31, 2021", ""], ["", "Cost", "Value"]], ROWS, {(0, 1): 2})),
    )
    assert first.title == second.title
    assert [c.scale for c in second.columns[1:]] == [1000, 1000]
    assert times(second) == [("2021-12-31", None)] * 2


def test_a_unit_within_the_sentence_that_leads_to_the_table_is_read() -> None:
    leading = (
        "Stock-based compensation expense, which includes expense for both employees and others, has been reported "
        "in our statements of operations for the years ended December 31, 2022 and 2021 as follows (in thousands):"
    )
    read = texts(paragraph(leading), block(table([["", "2022", "2021"]], ROWS)))[0]
    assert (read.unit, [c.scale for c in read.columns[1:]]) == ("(in thousands)", [1000, 1000])


def test_a_currency_sign_over_a_column_says_whole_units_unless_a_line_says_otherwise() -> None:
    header = [["", "2022", "2021"], ["", "£", "£"]]
    assert [c.scale for c in below(table(header, ROWS), []).columns[1:]] == [1, 1]
    assert [c.scale for c in below(table(header, ROWS), ["(in thousands)"]).columns[1:]] == [1000, 1000]


def test_columns_of_the_group_are_told_from_those_of_the_company() -> None:
    header = [["", "Group", "", "Company", ""], ["", "2022", "2021", "2022", "2021"]]
    rows = [["Receivables", "9", "8", "7", "6"]]
    read = below(table(header, rows, {(0, 1): 2, (0, 3): 2}), ["Statements of financial position"])
    assert [c.entity for c in read.columns] == [None, "group", "group", "company", "company"]


@pytest.mark.parametrize(
    ("title", "entity"),
    [
        ("Consolidated statements of operations", "group"),
        ("Company statement of financial position", "company"),
        ("Consolidated and company balance sheets", None),
        ("Statements of operations", None),
        ("The fair value of the Company's marketable securities by level was as follows:", None),
    ],
)
def test_a_statements_title_says_whose_it_is(title: str, entity: str | None) -> None:
    read = below(table([["", "2022", "2021"]], ROWS), [title])
    assert {c.entity for c in read.columns[1:]} == {entity}


@pytest.mark.parametrize("heading", ["9. CONTINGENT CONSIDERATION", "(a) Movements in issued capital"])
def test_a_numbered_heading_is_a_title_and_a_bare_word_for_notes_is_not(heading: str) -> None:
    assert (
        texts(block(heading), paragraph("Notes:"), block(table([["", "2022"]], [["Sales", "9"]])))[0].title
        == heading
    )


TIMES = {
    "Year ended December 31, 2022": ("2022-12-31", 12),
    "31 December 2022": ("2022-12-31", None),
    "As of December 31, 2022": ("2022-12-31", None),
    "at 31st March 2022": ("2022-03-31", None),
    "31.12.2022": ("2022-12-31", None),
    "31.12.22": ("2022-12-31", None),
    "30/06/2022": ("2022-06-30", None),
    "12/31/2022": ("2022-12-31", None),
    "03/04/2022": ("2022-12-31", None),  # April or March: only the year is sure
    "Dec. 31, 2022": ("2022-12-31", None),
    "31-Dec-22": ("2022-12-31", None),
    "Dec-22": ("2022-12-31", None),
    "June 2022": ("2022-06-30", None),
    "FY22": ("2022-12-31", 12),
    "2021/22": ("2022-12-31", None),
    "Six months ended 30 June 2022": ("2022-06-30", 6),
    "52 weeks ended 26 February 2022": ("2022-02-26", 12),
    "Three months ended September 30, 2022": ("2022-09-30", 3),
    "February 2023": ("2023-02-28", None),
    "31.12.2021¹": ("2021-12-31", None),
    "1.1.- 31.12.2021¹": ("2021-12-31", 12),
    "December 1, 2022 - December 31, 2022": ("2022-12-31", 1),
    "31 décembre 2022": ("2022-12-31", None),
    "31 maart 2022": ("2022-03-31", None),
    "31. desember 2022": ("2022-12-31", None),
}


@pytest.mark.parametrize(("text", "expected"), TIMES.items(), ids=TIMES.keys())
def test_words_of_time_are_read(text: str, expected: tuple[str, int | None]) -> None:
    period = period_of(printed_time(text), text)
    assert period is not None
    assert (period.end.isoformat(), period.months, period.printed) == (*expected, text)


@pytest.mark.parametrize(
    "text",
    [
        "2022 vs. 2021",
        "Revenue",
        "Book value at 31 December 87,272",
        "ASU 2016-13",
        "20,222",
        "$2,022",
        "Note 20",
        "1.2022",
        "",
    ],
)
def test_what_names_no_one_year_is_no_period(text: str) -> None:
    assert period_of(printed_time(text), text) is None


UNITS = {
    "(in thousands, except per share data)": (1_000, None),
    "(In millions of U.S. dollars)": (1_000_000, "USD"),
    "(Expressed in Canadian dollars)": (1, "CAD"),
    "$'000": (1_000, None),
    "A$'000": (1_000, "AUD"),
    "€m": (1_000_000, "EUR"),
    "US$ million": (1_000_000, "USD"),
    "US$m": (1_000_000, "USD"),
    "RMB million": (1_000_000, "CNY"),
    "CHF 1,000": (None, "CHF"),
    "£bn": (1_000_000_000, "GBP"),
    "in € thousand": (1_000, "EUR"),
    "TEUR": (1_000, "EUR"),
    "SEK m": (1_000_000, "SEK"),
    "R'000": (1_000, "ZAR"),
    "$": (1, None),
    "(£)": (1, "GBP"),
    "Amounts in thousands of euros": (1_000, "EUR"),
    "(Dollars in millions)": (1_000_000, None),
    "in thousands, except $0.01 par value": (1_000, None),
}


@pytest.mark.parametrize(("text", "expected"), UNITS.items(), ids=UNITS.keys())
def test_words_of_scale_and_currency_are_read(text: str, expected: tuple[int | None, str | None]) -> None:
    assert (printed_scale(text), printed_currency(text)) == expected


@pytest.mark.parametrize(
    "line",
    [
        "We raised $2.0 million of new equity during the year.",
        "Our revenue grew to 25 million in the year",
        "(2021: £2,484,000)",
        "(2021: $0.07 million)",
        "Independent auditors",
        "Earnings per share",
        "in thousands of places we found the same picture and drew from it the lesson that patience pays when "
        "others lose theirs and that nothing is as dear as haste in buying",
    ],
)
def test_a_sentence_that_speaks_of_money_is_no_unit(line: str) -> None:
    assert unit_of_line(line) is None


@pytest.mark.parametrize(
    "text",
    [
        "In 2022 a net gain of CHF 634,000 was made",
        "an increase in goodwill of $3.9 million",
        "(now 0.4 million*)",
        "€-319m). The increase in revenue",
        "(2021: £2,484,000)",
    ],
)
def test_prose_that_speaks_of_millions_gives_no_unit(text: str) -> None:
    assert unit_of_line(text) is None


def test_a_year_over_one_column_of_repeating_headings_is_that_of_its_group() -> None:
    names = ["", "Total", "Male", "Female", "Total", "Male", "Female"]
    rows = [["Germany", "25,155", "12,600", "12,555", "25,601", "12,900", "12,701"]]
    read = below(table([["", "", "2022", "", "", "2021", ""], names], rows), above=["Staff"])
    assert [c.period.end.year for c in read.columns[1:] if c.period] == [2022] * 3 + [2021] * 3
    uneven = below(table([["", "", "2022", "", "", "", ""], names], rows), above=["Staff"])
    assert [c.period is not None for c in uneven.columns[1:]] == [False, True, False, False, False, False]


@pytest.mark.parametrize(
    ("above", "years"),
    [
        (["Performance Metrics 1 2020 2021 2 2022"], [2020, 2021, 2022]),
        (["Metrics", "31 March 2020 31 March 2021 31 March 2022"], [2020, 2021, 2022]),
        (["Metrics of 2020, 2021 and 2022"], [None, None, None]),  # a sentence does not head columns
        (["Metrics 2021 2022"], [None, None, None]),
    ],
)
def test_years_of_a_line_above_head_as_many_columns_of_figures(above: list[str], years: list[int | None]) -> None:
    rows = [
        ["EBITDA", "", "29.8", "31.6", "36.9"],
        ["Sales", "3", "109.9", "118.7", "125.2"],
        ["Dividend", "", "5.8", "5.6", "5.6"],
    ]
    read = below(table([], rows), above=above)
    assert [c.period.end.year if c.period else None for c in read.columns[2:]] == years
    assert read.columns[1].period is None
