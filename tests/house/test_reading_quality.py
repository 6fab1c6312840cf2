"""The measures of reading, over pages small enough to compute them by hand."""

import datetime as dt

import pytest

from storage.records.facts import Period
from storage.records.pages import Block, Cell, CellRole, Column, Line, Page, Table
from storage.records.record import Box
from tests.support.reading_quality import (
    Fact,
    KnownReport,
    PeriodVerdict,
    Statement,
    fact_period,
    fact_row,
    holds,
    lost_figures,
    measure,
    nonsense_share,
    page_words,
)

BOX = Box(left=0, top=0, right=100, bottom=10)
YEAR_END = dt.date(2022, 12, 31)
INCOME = "CONSOLIDATED STATEMENTS OF OPERATIONS"


def prose(*lines: str) -> Block:
    return Block(
        kind="paragraph", text=" ".join(lines), box=BOX, lines=tuple(Line(text=t, box=BOX) for t in lines)
    )


def table(*rows: str, years: tuple[int | None, ...] = (2022, 2021), title: str = "", head: str = "") -> Block:
    """Rows whose cells are parted by bars; the first row is the header; a row without figures is a section."""
    cells = [
        Cell(row=r, column=c, text=text.strip(), role=_role(r, c, row))
        for r, row in enumerate(rows)
        for c, text in enumerate(row.split("|"))
        if text.strip()
    ]
    columns = (Column(), *(Column(header=head or str(y), period=_year(y)) for y in years))
    grid = Table(
        row_count=len(rows), column_count=1 + len(years), cells=tuple(cells), title=title, columns=columns
    )
    return Block(kind="table", text="\n".join(r.replace("|", " ") for r in rows), box=BOX, table=grid)


def _role(row: int, column: int, text: str) -> CellRole:
    if row == 0:
        return "column_header"
    return "value" if column else "row_label" if "|" in text else "section"


def _year(year: int | None) -> Period | None:
    return Period(end=dt.date(year, 12, 31)) if year else None


def page(*blocks: Block, number: int = 1) -> Page:
    return Page(report_sha1="0" * 40, page_number=number, width=612, height=792, blocks=blocks)


METRICS: dict[str, tuple[tuple[str, ...], Statement | None]] = {
    "revenue": (("total revenue", "sales"), "income"),
    "eps": (("earnings per share, basic",), None),
    "operating cash": (("net cash provided by operating activities",), "cash_flow"),
    "employees": (("number of employees at year end", "people", "headcount"), None),
}


def fact(metric: str, printed: str, *pages: int) -> Fact:
    labels, statement = METRICS[metric]
    return Fact(metric=metric, labels=labels, printed=printed, page_numbers=pages or (1,), statement=statement)


def verdict(known: Fact, read: Page, raw: str = "") -> str:
    return fact_row(known, {read.page_number: read}, {read.page_number: raw}).verdict


@pytest.mark.parametrize(
    ("text", "printed", "there"),
    [
        ("Net loss $ (28,641 ) $ 1", "(28,641)", True),
        ("Net loss $ 28,641", "(28,641)", False),
        ("A dividend of 15.00p was paid", "15.00", True),
        ("Total assets 134,215", "34,215", False),
        ("Total assets 34,215.5", "34,215", False),
        ("45 employees in 2022.", "45", True),
        ("Additions −3,565", "-3,565", True),
        ("We have Fifteen employees", "fifteen", True),
        ("in 2021 (fifteenth year)", "fifteen", False),
    ],
)
def test_a_figure_stands_in_a_text_only_whole_and_with_its_brackets(text: str, printed: str, there: bool) -> None:
    assert holds(text, printed) is there


def test_a_label_has_the_words_of_all_the_metric_s_names_but_none_that_many_share() -> None:
    assert fact("revenue", "1").label_words == {"revenue", "sale"}
    assert fact("employees", "1").label_words == {"employee", "people", "headcount"}


@pytest.mark.parametrize(
    ("rows", "known"),
    [
        (("|2022|2021", "Revenue|3,114|12,292"), fact("revenue", "3,114")),
        (("|2022|2021", "Earnings per share:", "Basic|1.57|0.80"), fact("eps", "1.57")),
        (
            ("|2022|2021", "Net cash used in operating", "activities|(21)|(9)"),
            fact("operating cash", "(21)"),
        ),
        (
            (
                "|2022|2021",
                "Activities for:",
                "Shares in other companies|(62)|(24)",
                "Land and plant in use|(21)|(9)",
            ),
            fact("operating cash", "(21)"),
        ),
    ],
    ids=["its own label", "a section for a continuation", "a label broken over two rows", "an unfinished section"],
)
def test_a_fact_is_found_in_the_row_of_its_label(rows: tuple[str, ...], known: Fact) -> None:
    assert verdict(known, page(table(*rows))) == "found"


def test_a_section_does_not_name_a_row_that_has_a_whole_label_of_its_own() -> None:
    read = page(table("|2022|2021", "Revenue", "Cost of goods and services|3,114|12,292"))
    assert verdict(fact("revenue", "3,114"), read) == "no_label"


def test_a_row_named_by_its_year_takes_the_words_over_its_figure_or_those_of_its_table() -> None:
    rows = ("Year|", "2022|2,400", "2021|2,450")
    known = fact("employees", "2,400")
    assert verdict(known, page(table(*rows, years=(None,), head="Employees"))) == "found"
    assert verdict(known, page(table(*rows, years=(None,), title="HEADCOUNT"))) == "found"
    assert verdict(known, page(table(*rows, years=(None,), title="Offices"))) == "no_label"


def test_a_fact_is_found_in_a_sentence_that_runs_over_two_lines() -> None:
    read = page(prose("At the year's end we had about", "2,800 people. We also had 12 offices."))
    assert verdict(fact("employees", "2,800"), read) == "found"
    assert verdict(fact("revenue", "2,800"), read) == "no_label"


def test_a_figure_in_no_row_is_told_from_one_that_is_lost_and_one_that_the_text_layer_has_not() -> None:
    known = fact("revenue", "3,114")
    beside_grid = table("|2022|2021", "Revenue||12,292").model_copy(update={"text": "Revenue 3,114 12,292"})
    assert verdict(known, page(beside_grid)) == "no_row"
    assert verdict(known, page(prose("Revenue")), raw="Revenue 3,114") == "lost"
    assert verdict(known, page(prose("Revenue")), raw="Revenue") == "not_in_text"


def test_a_figure_is_lost_on_each_page_whose_raw_text_alone_has_it() -> None:
    pages = {1: page(prose("Revenue 3,114")), 2: page(prose("Revenue"), number=2), 3: page(number=3)}
    raw = {1: "Revenue 3,114", 2: "Revenue 3,114", 3: ""}
    lost = list(lost_figures(fact("revenue", "3,114", 1, 2, 3), pages, raw))
    assert [(row.verdict, row.page_number) for row in lost] == [("lost", 2)]


@pytest.mark.parametrize(
    ("years", "expected"),
    [((2022, 2021), "right"), ((2021, 2020), "wrong"), ((None, None), "none")],
)
def test_a_column_s_period_is_held_against_the_report_s(
    years: tuple[int | None, ...], expected: PeriodVerdict
) -> None:
    read = page(table("||", "Revenue|3,114|12,292", years=years, title=INCOME))
    found = fact_period(fact("revenue", "3,114"), {1: read}, YEAR_END)
    assert found is not None
    assert (found.verdict, found.year) == (expected, years[0])


def test_the_metric_s_own_statement_decides_where_it_has_the_figure() -> None:
    undated = table("||", "Revenue|3,114|12,292", years=(None, None), title=INCOME)
    dated = table("||", "Revenue|3,114|12,292", title="Key figures")
    found = fact_period(fact("revenue", "3,114", 1, 2), {1: page(dated), 2: page(undated)}, YEAR_END)
    assert found is not None
    assert (found.verdict, found.page_number) == ("none", 2)


def test_figures_per_share_and_figures_in_prose_have_no_period_to_judge() -> None:
    read = page(table("||", "Basic|1.57|0.80"), prose("Revenue was 3,114."))
    assert fact_period(fact("eps", "1.57"), {1: read}, YEAR_END) is None
    assert fact_period(fact("revenue", "3,114"), {1: read}, YEAR_END) is None


def test_characters_are_kept_whatever_becomes_of_spaces_hyphens_ligatures_and_leaders() -> None:
    measured = page_words(
        page(prose("The office is non controlling", "Cash 12")), "The oﬃce is non-\ncontrolling\nCash ..... 12"
    )
    assert (measured.printed, measured.found, measured.missing_words) == (31, 31, ())


def test_what_a_page_record_lacks_is_counted_and_named() -> None:
    missed = page_words(page(prose("Total assets")), "Total assets\n34,215 net")
    assert (missed.printed, missed.found) == (20, 11)
    assert (missed.missing_characters, missed.missing_words) == (",12345ent", ("34,215", "net"))


def test_a_table_s_cells_do_not_stand_in_for_the_same_words_lost_beside_it() -> None:
    read = page(table("|2022|2021", "Cash|12|11"))
    assert page_words(read, "2022 2021\nCash 12 11").missing_characters == ""
    assert page_words(read, "2022 2021\nCash 12 11\nCash").missing_characters == "Cahs"


def test_a_text_layer_without_function_words_is_nonsense_but_short_pages_are_not_judged() -> None:
    sense = "the company and its results of the year " * 5
    shifted = "uif dpnqboz boe jut sftvmut pg uif zfbs " * 5
    assert nonsense_share([sense, shifted, "Assets Liabilities", ""]) == 0.5
    assert nonsense_share(["2022"]) == 0.0


def test_a_report_s_measures_add_up_over_its_pages() -> None:
    first = page(table("|2022|2021", "Revenue|3,114|12,292", title=INCOME))
    second = page(Block(kind="heading", text="Outlook", box=BOX, level=1), number=2)
    facts = (fact("revenue", "3,114"), fact("operating cash", "34,215", 2))
    known = KnownReport(sha1="0" * 40, period_end=YEAR_END, facts=facts)
    found = measure(known, [first, second], ["2022 2021 Revenue 3,114 12,292", "Outlook 34,215"], seconds=2.0)
    assert [row.verdict for row in found.rows] == ["found", "lost"]
    assert [row.fact.metric for row in found.lost] == ["operating cash"]
    assert [period.verdict for period in found.periods] == ["right"]
    assert (found.printed, found.found) == (26 + 13, 26 + 7)
    assert (found.tables, found.tables_with_unit, found.columns, found.columns_with_period) == (1, 0, 2, 2)
    assert (found.headings, found.page_count, found.is_nonsense) == (1, 2, False)
