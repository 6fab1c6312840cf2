"""Who holds a company's shares: which tables say so, and which holders a question asks for."""

from collections.abc import Sequence
from decimal import Decimal

import pytest

from indexes.roles.shareholders import shareholders_of
from query_engines.question.functions import HoldersAsked
from query_engines.question.section_topics import kind_of_section
from storage.records.facts import SHAREHOLDER, HolderList, ReportFacts, Seat
from storage.records.pages import Block, Cell, Line, Page, Table
from storage.records.record import Box
from storage.records.sections import SectionKinds

COMPANY = "Corvane Mining Limited"
BOX = Box(left=50, top=100, right=500, bottom=140)
Rows = Sequence[tuple[str, ...]]
SUBSTANTIAL: Rows = (
    ("Shareholder", "Number of shares", "% held"),
    ("Ludlow Partners LP (1)", "2,096,054", "16.6"),
    ("Corvane Mining Limited", "1,166,042", "9.2"),
    ("Corvane Capital Managers", "749,950", "5.9"),
    ("Ruth Keller", "481,337", "3.8"),
    ("Total", "4,493,383", "35.5"),
)
OWNERS: Rows = (
    ("Beneficial owner", "Shares", "Percent"),
    ("Directors and Executive Officers", "", ""),
    ("Tom Okoro", "160,607", "1.1%"),
    ("Ann Bakker (9)", "4,005,786", "27.8%"),
    ("Maria Lind", "12,646", "*"),
    ("All directors and executive officers as a group (3 persons)", "4,468,934", "30.3%"),
    ("5% Stockholders", "", ""),
    ("Hartwell Funds, LP (12)", "4,005,786", "27.8%"),
)


def page(heading: str, rows: Rows = (), *lines: str) -> Page:
    cells = tuple(
        Cell(row=r, column=c, text=text, role="value" if r else "column_header")
        for r, row in enumerate(rows)
        for c, text in enumerate(row)
        if text
    )
    blocks = [Block(kind="heading", text=heading, box=BOX)]
    if rows:
        table = Table(row_count=len(rows), column_count=3, cells=cells, columns=())
        blocks.append(Block(kind="table", text=" ".join(cell.text for cell in cells), box=BOX, table=table))
    for text in lines:
        blocks.append(Block(kind="paragraph", text=text, box=BOX, lines=(Line(text=text, box=BOX),)))
    return Page(report_sha1="ab", page_number=9, width=612, height=792, blocks=tuple(blocks))


def held(*pages: Page) -> list[tuple[str, str]]:
    return [(seat.name, str(seat.share)) for seat in shareholders_of(pages, COMPANY)]


def test_a_table_of_substantial_holders_gives_each_with_the_share_but_not_the_company_itself() -> None:
    assert held(page("Substantial shareholdings", SUBSTANTIAL)) == [
        ("Ludlow Partners LP", "16.6"),
        ("Corvane Capital Managers", "5.9"),
        ("Ruth Keller", "3.8"),
    ]


def test_directors_with_small_holdings_and_groups_are_no_large_holders() -> None:
    assert held(page("Security ownership", OWNERS)) == [("Ann Bakker", "27.8"), ("Hartwell Funds, LP", "27.8")]


def test_lines_below_a_title_are_holders_too() -> None:
    read = held(page("Major shareholders", (), "Clarendon Insurance Ltd. (2) 6,027,252 5.48%"))
    assert read == [("Clarendon Insurance Ltd.", "5.48")]


@pytest.mark.parametrize(
    "heading",
    [
        "Holdings of the pension scheme",
        "Substantial shareholders: unlisted options",
        "Largest shareholders held by the Trust in its portfolio",
        "Directors' interests",
    ],
)
def test_other_tables_with_percentages_say_nothing_of_holders(heading: str) -> None:
    rows = (("Name", "Number", "% held"), *SUBSTANTIAL[1:])
    assert held(page(heading, rows)) == []


def test_a_table_with_a_row_that_cannot_be_read_is_left_out() -> None:
    rows = (*SUBSTANTIAL[:3], ("A holder whose name goes on below", "15,000,000", ""))
    assert held(page("Twenty largest shareholders", rows)) == []


def test_two_columns_of_shares_that_name_different_largest_holders_are_left_out() -> None:
    rows = (("Shareholder", "% class A", "% class B"), ("Ruth Keller", "60%", "1%"), ("Tom Okoro", "5%", "80%"))
    assert held(page("Principal shareholders", rows)) == []


def seat(name: str, share: str, body: HolderList = "substantial", title: str = "") -> Seat:
    return Seat(
        name=name, role=SHAREHOLDER, body=body, title=title, share=Decimal(share), report_sha1="ab", page_number=9
    )


KNOWN = ReportFacts(
    report_sha1="ab",
    seats=(
        seat("Ruth", "5.0"),
        seat("Ludlow", "9.2"),
        seat("Tom", "3.1"),
        seat("Ludlow Nominees", "9.1", "largest"),
        seat("Ruth", "5.0", "largest"),
        seat("Tom", "3.1", "largest"),
        seat("Ann", "0.4", "largest"),
    ),
)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Who is the largest shareholder?", ["Ludlow"]),
        ("Wer ist der größte Aktionär?", ["Ludlow"]),
        ("Who owns more than 5% of it?", ["Ludlow"]),
        ("Which shareholders hold at least five percent?", ["Ludlow", "Ruth"]),
        ("Who owns more than 1 % of the shares?", ["Ludlow Nominees", "Ruth", "Tom"]),
        ("Who are the major shareholders?", ["Ludlow", "Ruth", "Tom"]),
        ("the two largest shareholders", ["Ludlow", "Ruth"]),
        ("top 4 shareholders", ["Ludlow Nominees", "Ruth", "Tom", "Ann"]),
        ("top 20 shareholders", []),
        ("Who is the majority shareholder?", []),
    ],
)
def test_a_question_gets_the_holders_that_it_asks_for_and_no_others(text: str, names: list[str]) -> None:
    asked = HoldersAsked.in_text(text, is_one=" is the " in text or " ist der " in text)
    assert [found.name for found in asked.seats_in(KNOWN)] == names


def test_of_two_with_one_share_the_holder_is_named_and_not_who_acts_for_it() -> None:
    known = ReportFacts(
        report_sha1="ab",
        seats=(seat("Ann", "27.8", title="Directors"), seat("Fund", "27.8", title="5% Stockholders")),
    )
    assert [
        s.name for s in HoldersAsked.in_text("Who is the biggest shareholder?", is_one=True).seats_in(known)
    ] == ["Fund"]


@pytest.mark.parametrize(
    "text",
    [
        "Who is the second largest shareholder?",
        "Who is the largest institutional shareholder?",
        "What transactions were there with major shareholders?",
    ],
)
def test_what_a_question_names_beside_the_holders_is_something_else(text: str) -> None:
    assert kind_of_section(SectionKinds.load()["shareholders"], text, "name") == "text"
