"""Tables, columns and headings read from the places of words alone.

Pages are drawn with characters: one is 3 points wide, a line 12 points high, the print 9. So one space is a
space, and three or more are a gap.
"""

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexes.layout.blocks import LayoutBlock
from indexes.layout.grid import Grid
from indexes.layout.page_layout import Frame, main_turn, page_blocks
from indexes.layout.words import Word, extent


def drawn(page: str, bold: tuple[str, ...] = ()) -> list[Word]:
    words = []
    for number, line in enumerate(page.strip("\n").splitlines()):
        for match in re.finditer(r"\S+", line):
            left, right, top = 3.0 * match.start(), 3.0 * match.end(), 12.0 * number
            font = "Times-Bold" if any(match[0] in text.split() for text in bold if text in line) else "Times"
            words.append(Word(match[0], left, top, right, top + 9, font))
    return words


def table_grid(words: Sequence[Word]) -> Grid | None:
    """The grid of the largest table of a page with these words; None where it has none."""
    tables = [block for block in page_blocks(words) if block.kind == "table"]
    return max(tables, key=lambda block: len(block.rows)).grid if tables else None


def rows_of(page: str) -> list[list[str]]:
    grid = table_grid(drawn(page))
    assert grid is not None
    rows = [[""] * grid.column_count for _ in range(grid.row_count)]
    for cell in grid.cells:
        rows[cell.row][cell.column] = cell.text
    return rows


def roles_of(page: str) -> list[str]:
    grid = table_grid(drawn(page))
    assert grid is not None
    return [next(c.role for c in grid.cells if c.row == row) for row in range(grid.row_count)]


def kinds(page: str, bold: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    return [(b.kind, b.rows[0].text) for b in page_blocks(drawn(page, bold))]


STATEMENT = """
                                             2022           2021
Revenue                                $    3,114      $  12,292
Operating expenses:
   Research                               (17,882 )      (18,994 )
   Administrative                         (13,873 )      (14,698 )
Loss from operations                      (28,641 )      (21,400 )
"""


def test_a_statement_keeps_each_figure_in_its_row_and_column() -> None:
    assert rows_of(STATEMENT) == [
        ["", "2022", "2021"],
        ["Revenue", "$3,114", "$12,292"],
        ["Operating expenses:", "", ""],
        ["Research", "(17,882)", "(18,994)"],
        ["Administrative", "(13,873)", "(14,698)"],
        ["Loss from operations", "(28,641)", "(21,400)"],
    ]


def test_section_names_stay_rows_and_are_not_swallowed_by_the_header() -> None:
    page = """
                                        2022       2021
Assets
Current assets
Cash                                   1,200      1,100
Receivables                              300        250
Total assets                           1,500      1,350
"""
    assert roles_of(page) == ["column_header", "section", "section", "row_label", "row_label", "row_label"]


def test_a_section_name_in_the_middle_of_the_labels_does_not_cut_off_the_header() -> None:
    page = """
                                 December 31, 2022    December 31, 2021
            ASSETS
Current assets:
Cash                                         1,200                1,100
Receivables                                    300                  250
Total assets                                 1,500                1,350
"""
    assert roles_of(page)[:3] == ["column_header", "section", "section"]


CASES = {
    "a label on two lines, the second in lower case": (
        """
                                          2022      2021
Gain on extinguishment of liability
  related to the sale of royalties       7,182     2,500
Milestone income                         2,500     1,000
Other income                               100       200
""",
        ["Gain on extinguishment of liability related to the sale of royalties", "7,182", "2,500"],
    ),
    "figures halfway between the lines of their label": (
        """
                                          2022      2021
Interest income                            252       (61)
Total comprehensive loss attributable
to the equity holders of the parent         46      (394)
Taxation                                     8         9
""",
        ["Total comprehensive loss attributable to the equity holders of the parent", "46", "(394)"],
    ),
    "a note column": (
        """
                               Note       2022      2021
Revenue                           4     12,500    11,900
Cost of sales                   5,6     (9,000)   (8,800)
Gross profit                             3,500     3,100
""",
        ["Cost of sales", "5,6", "(9,000)", "(8,800)"],
    ),
    "a dash where there is nothing": (
        """
                                          2022      2021
Revenue                                 12,500    11,900
Proceeds from sale of royalties             -     35,000
Repayment of loans                       (500)        -
""",
        ["Proceeds from sale of royalties", "-", "35,000"],
    ),
    "a minus apart from its number": (
        """
                                          2022      2021
Interest received                        9,585     7,663
Interest paid                          - 3,739   - 2,477
Dividends                                   32        22
""",
        ["Interest paid", "-3,739", "-2,477"],
    ),
    "dots that lead to the figure": (
        """
                                          2022      2021
Depreciation .........................      20        16
Amortization of assets ...............      94        75
Compensation..........................     556       497
""",
        ["Compensation", "556", "497"],
    ),
    "a percent sign of its own": (
        """
                                          2022      2021
Revenue                                 12,500    11,900
Margin                                    36.0 %    35.5 %
Costs                                    8,000     7,700
""",
        ["Margin", "36.0%", "35.5%"],
    ),
    "thousands set apart by spaces": (
        """
                                          2022       2021
Omsättning                              12 500     11 900
Rörelseresultat                          1 250        900
Tillgångar                           1 234 567    998 001
""",
        ["Tillgångar", "1 234 567", "998 001"],
    ),
    "years as labels": (
        """
                                       Payments   Interest
2023                                      1,200         80
2024                                      1,100         60
Thereafter                                3,000        120
""",
        ["2024", "1,100", "60"],
    ),
    "a year inside a label": (
        """
                                          2022      2021
Loan of 2019                            12,500    11,900
Balance at 31 December 2021              1,250       900
Other                                      300       250
""",
        ["Balance at 31 December 2021", "1,250", "900"],
    ),
}


@pytest.mark.parametrize(("page", "row"), CASES.values(), ids=CASES.keys())
def test_a_row_reads_as_it_is_meant(page: str, row: list[str]) -> None:
    assert row in rows_of(page)


def test_a_header_over_two_columns_spans_them() -> None:
    grid = table_grid(
        drawn(
            """
                                  Year ended 31 December
                                     2022         2021
Revenue                            12,500       11,900
Costs                              (9,000)      (8,800)
"""
        )
    )
    assert grid is not None
    head = grid.cells[0]
    assert (head.text, head.column, head.column_span) == ("Year ended 31 December", 1, 2)


def test_a_second_header_begins_a_second_table() -> None:
    page = """
Assets                                    2022      2021
Cash                                     1,200     1,100
Receivables                                300       250
Liabilities                               2022      2021
Loans                                      900       800
Payables                                   600       550
"""
    tables = [b for b in page_blocks(drawn(page)) if b.kind == "table"]
    assert [t.rows[0].text for t in tables] == ["Assets 2022 2021", "Liabilities 2022 2021"]


def tables_of(page: str) -> list[list[str]]:
    return [[r.text for r in b.rows] for b in page_blocks(drawn(page)) if b.kind == "table"]


def test_years_printed_left_of_their_figures_head_the_columns_and_not_the_labels() -> None:
    page = """
                                         2022                2021
Research and development          $          1,460    $          1,513
General and administrative                   3,525               4,540
Total                             $          4,985    $          6,053
"""
    assert rows_of(page)[0] == ["", "2022", "2021"]


def test_a_date_over_the_middle_of_all_columns_spans_all_of_them() -> None:
    page = """
                                            December 31, 2022
                                          Gross        Gross
                          Amortized    Unrealized    Unrealized      Fair
                            Cost         Gains         Losses        Value
Municipal bonds             156,506          62       (25,214)     131,354
Corporate bonds             116,871          64        (7,089)     109,846
"""
    grid = table_grid(drawn(page))
    assert grid is not None
    assert (grid.cells[0].text, grid.cells[0].column, grid.cells[0].column_span) == ("December 31, 2022", 1, 4)


def test_a_table_below_another_under_the_same_header_is_a_table_of_its_own() -> None:
    page = """
31 December 2022
Country              Local amount     Rate      Value
Australia              43,324,009   0.5640   24,436,834
Canada                 10,995,550   0.6133    6,743,260
31 December 2021
Country              Local amount     Rate      Value
Australia              38,079,806   0.5371   20,451,724
Canada                  3,850,097   0.5837    2,247,114
"""
    first, second = tables_of(page)
    assert [t[0] for t in (first, second)] == ["Country Local amount Rate Value"] * 2
    assert second[-1].startswith("Canada 3,850,097")


def test_a_sentence_that_leads_to_another_table_ends_the_one_above() -> None:
    page = """
                                              2022        2021
Time deposits above $250,000               138,056     117,887
Other time deposits                         15,000      14,000
The following table shows their maturities (in thousands):
Less than 1 year                                       409,987
1 year to 2 years                                      200,771
2 years to 3 years                                      32,568
"""
    first, second = tables_of(page)
    assert first[-1] == "Other time deposits 15,000 14,000"
    assert second == ["Less than 1 year 409,987", "1 year to 2 years 200,771", "2 years to 3 years 32,568"]


def test_one_row_under_a_header_of_periods_is_a_table() -> None:
    page = """
€                             1.1.-31.12.2022   1.1.-31.12.2021   Change in %
Earnings per share       (23)             0.99              0.23        330.4
"""
    assert rows_of(page) == [
        ["€", "", "1.1.-31.12.2022", "1.1.-31.12.2021", "Change in %"],
        ["Earnings per share", "(23)", "0.99", "0.23", "330.4"],
    ]


def test_a_range_is_one_figure() -> None:
    page = """
                                      2022           2021
Expected volatility               36.0% - 40.0%     40.3%
Risk-free interest rate           1.98% - 3.06%     0.94%
"""
    assert rows_of(page)[1:] == [
        ["Expected volatility", "36.0%-40.0%", "40.3%"],
        ["Risk-free interest rate", "1.98%-3.06%", "0.94%"],
    ]


def test_a_remark_above_the_first_label_is_not_joined_to_it() -> None:
    page = """
                                      2022           2021
(in thousands)
Within one year                      1,315            993
Thereafter                             603            490
"""
    assert [row[0] for row in rows_of(page)] == ["", "(in thousands)", "Within one year", "Thereafter"]


def test_parts_of_a_statement_set_apart_by_white_space_are_one_table() -> None:
    page = """
                                          Notes       2022        2021
Investments                                 10      99,576     117,711
Debtors                                     11       1,154         916



Creditors due within one year               12
Bank loans                                         (10,634)    (11,147)
Net assets                                          90,096     107,480


Share capital and reserves

Share capital                               13       1,582       1,582
Reserves                                            88,514     105,898
"""
    assert [row[0] for row in rows_of(page)][1:] == [
        "Investments",
        "Debtors",
        "Creditors due within one year",
        "Bank loans",
        "Net assets",
        "Share capital and reserves",
        "Share capital",
        "Reserves",
    ]


def test_two_dates_stand_each_over_half_of_the_columns() -> None:
    page = """
                            December 31, 2022                   December 31, 2021
                     Gross    Amortization     Net      Gross    Amortization     Net
Software               100            (40)      60         90            (30)      60
Customers              200            (80)     120        180            (60)     120
"""
    grid = table_grid(drawn(page))
    assert grid is not None
    heads = [(c.text, c.column, c.column_span) for c in grid.cells if c.row == 0]
    assert heads == [("December 31, 2022", 1, 3), ("December 31, 2021", 4, 3)]


def test_a_total_without_a_label_ends_its_table() -> None:
    page = """
2023                                       887
2024                                       681
2025 and thereafter                      3,969
                                         5,537
The amounts are undiscounted.
"""
    assert rows_of(page)[-1] == ["", "5,537"]


def test_the_label_line_that_speaks_of_shares_at_two_dates_is_no_header() -> None:
    page = """
                                                             2022       2021
Preferred stock                                                 -          -
Common stock, 100 million shares authorized
at December 31, 2022 and 2021; 14,410 issued                   14         14
Accumulated deficit                                      (183,402)  (173,476)
"""
    assert len(tables_of(page)) == 1


NOT_TABLES = {
    "running text with figures": """
Revenue for the year was 12,500 against 11,900 in the year before, a rise
of 5.0 per cent. Costs were 9,000 against 8,800 and so the gross profit was
3,500 against 3,100. We paid 1,200 of dividends in 2022 and 1,100 in 2021,
and bought back shares for 300 against 250 in the year before that one.
""",
    "a table of contents": """
Chairman's statement                                       3
Strategic report                                           7
Governance                                                24
Independent auditor's report                              51
Financial statements                                      60
""",
    "a chart's axis beside an address": """
Computershare                             $45
PO Box 43006                              $40
Providence RI                             $35
Street address                            $30
Royall Street                             $25
""",
    "a numbered list": """
1   The Company was founded in 1999
2   It has been listed since 2004
3   It has 45 employees
""",
}


@pytest.mark.parametrize("page", NOT_TABLES.values(), ids=NOT_TABLES.keys())
def test_no_table_is_made_of_what_is_none(page: str) -> None:
    assert all(b.kind != "table" for b in page_blocks(drawn(page)))


def test_two_columns_of_text_are_read_one_after_the_other() -> None:
    page = """
First column of running text one      Second column of text goes on five
that goes on over its lines two       with the rest of what it says six
and fills them to the end three       and fills its lines as well seven
until it has come to its four         until it has come to its eight
"""
    text = " ".join(w.text for b in page_blocks(drawn(page)) for w in b.words)
    numbers = [w for w in text.split() if w in ["one", "two", "three", "four", "five", "six", "seven", "eight"]]
    assert numbers == ["one", "two", "three", "four", "five", "six", "seven", "eight"]


def test_a_bold_line_is_a_heading_and_a_bold_sentence_is_not() -> None:
    page = """
Liquidity and capital resources

We had cash of 1,200 at the end of the year, and
this is enough for all that we have planned to do.

The directors recommend no dividend for the year.
"""
    bold = ("Liquidity and capital resources", "The directors recommend no dividend for the year.")
    assert [kind for kind, _ in kinds(page, bold)] == ["heading", "paragraph", "paragraph"]


def test_words_printed_twice_to_look_bold_count_once() -> None:
    words = drawn(STATEMENT)
    shadow = [replace(w, left=w.left + 0.4, right=w.right + 0.4) for w in words]
    assert table_grid(words + shadow) == table_grid(words)


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_turned_page_reads_like_an_upright_one(turn) -> None:
    words = drawn(STATEMENT)
    back = {90: 270, 180: 180, 270: 90}[turn]
    width, height = (600.0, 400.0) if turn != 180 else (400.0, 600.0)
    upright_page = Frame(400.0, 600.0, back)
    turned = [upright_page.upright(w) for w in words]
    frame = Frame(width, height, turn)
    assert [frame.upright(w) for w in turned] == words
    place = frame.as_displayed(extent(words))
    assert place == extent(turned)
    assert main_turn([turn, turn, 0]) == turn


def flat(blocks: list[LayoutBlock]) -> list[str]:
    return sorted(w.text for b in blocks for w in b.words)


_TOKENS = st.sampled_from(
    ["Revenue", "(1,234", ")", "$", "2022", "-", "%", "Note", "the", "12.5", "of", "Total:", "4"]
)
_PLACES = st.tuples(_TOKENS, st.integers(0, 60), st.integers(0, 30))


@settings(max_examples=60)
@given(st.lists(_PLACES, max_size=60, unique_by=lambda p: (p[1] // 6, p[2])))
def test_every_word_of_any_page_is_in_exactly_one_block(places: list[tuple[str, int, int]]) -> None:
    words = [Word(text, 10.0 * x, 7.0 * y, 10.0 * x + 3 * len(text), 7.0 * y + 9) for text, x, y in places]
    assert flat(page_blocks(words)) == sorted(w.text for w in words)


@settings(max_examples=60)
@given(st.lists(_PLACES, max_size=80, unique_by=lambda p: (p[1] // 6, p[2])))
def test_no_two_cells_of_any_grid_share_a_place(places: list[tuple[str, int, int]]) -> None:
    words = [Word(text, 10.0 * x, 12.0 * y, 10.0 * x + 3 * len(text), 12.0 * y + 9) for text, x, y in places]
    for block in page_blocks(words):
        if block.grid is None:
            continue
        taken = [(c.row, c.column + i) for c in block.grid.cells for i in range(c.column_span)]
        assert len(taken) == len(set(taken))
        assert all(0 <= row < block.grid.row_count and column < block.grid.column_count for row, column in taken)
        in_cells = sorted(itertools.chain.from_iterable((w.text for w in c.words) for c in block.grid.cells))
        assert in_cells == sorted(w.text for w in block.words)


def test_a_line_that_is_stretched_to_its_column_stays_one_piece() -> None:
    page = """
the  first column tells what the      another column stands beside it and
company   does   and   where   it     fills   its   lines   in  the  same
has its offices and its factories     manner as the first so that the two
while  the  board  meets  in  one     are  read  one  behind  the other as
    """
    texts = [" ".join(w.text for w in block.words) for block in page_blocks(drawn(page))]
    assert [text.split()[:2] for text in texts] == [["the", "first"], ["another", "column"]]
    assert "company does and where it" in texts[0]


def test_a_table_above_columns_of_text_is_not_cut_with_them() -> None:
    page = """
EUR million                                   2024      2023
Revenue of all units                           386       402
Cost of what was sold                          241       247
Gross profit of the year                       145       155

the  first  column  tells  what  the    another column stands beside it and
company does in the world and where    fills its lines with words in the
it has its offices and its factories   same manner as the first one does so
while the board meets in one of them   that both are read in their order and
and decides what is to be done next    nobody has to look for what is meant
    """
    blocks = page_blocks(drawn(page))
    assert [block.kind for block in blocks] == ["table", "paragraph", "paragraph"]
    assert blocks[0].grid is not None
    assert blocks[0].grid.row_count == 4


def test_a_currency_that_names_a_row_is_no_sign_of_the_figure_far_behind_it() -> None:
    page = """
Currency                                              Amount     Rate
AUD                                               43,324,009   0.5640
CAD                                               10,995,550   0.6133
EUR                                               11,430,526   0.8868
    """
    assert rows_of(page)[1] == ["AUD", "43,324,009", "0.5640"]


def test_words_below_the_words_of_a_cell_belong_to_the_cell() -> None:
    page = """
Kind                Amount       Input                2024
Unlisted shares     163,284      Exploration results,  1.0
                                 study results,
                                 financing
Royalties           479,048      Price of metals       2.0
Loans               204,006      Rate of credit        3.0
    """
    assert rows_of(page)[1] == [
        "Unlisted shares",
        "163,284",
        "Exploration results, study results, financing",
        "1.0",
    ]
