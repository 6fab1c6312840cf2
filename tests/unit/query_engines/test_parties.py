"""Whose name a question asks for, and who is named for it in directories, tables and sentences."""

import pytest

from indexes.roles.table import seats_of
from query_engines.question.functions import PartyAsked, offices_next, party_asked
from storage.records.facts import ReportFacts
from storage.records.pages import Block, Cell, Line, Page, Table
from storage.records.record import Box

COMPANY = "Ostermere Instruments, Inc."


def line(text: str, left: float, top: float) -> Line:
    return Line(text=text, box=Box(left=left, top=top, right=left + 6 * len(text), bottom=top + 9))


def directory(*lines: Line) -> Page:
    blocks = tuple(Block(kind="paragraph", text=each.text, box=each.box, lines=(each,)) for each in lines)
    return Page(report_sha1="ab", page_number=2, width=612, height=792, blocks=blocks)


def prose(text: str, number: int = 9) -> Page:
    box = Box(left=50, top=100, right=500, bottom=140)
    block = Block(kind="paragraph", text=text, box=box, lines=(Line(text=text, box=box),))
    return Page(report_sha1="ab", page_number=number, width=612, height=792, blocks=(block,))


def names(function: str, *pages: Page) -> list[str]:
    return [seat.name for seat in seats_of(pages, (), COMPANY) if seat.role == function]


def members(asked: PartyAsked, *pages: Page) -> list[str]:
    known = ReportFacts(report_sha1="ab", seats=seats_of(pages, (), COMPANY))
    return [seat.name for seat in asked.seats_in(known)]


@pytest.mark.parametrize(
    ("text", "called"),
    [
        ("Who is its transfer agent?", "registrar"),
        ("company secretary, please?", "company secretary"),
        ("which bank acts as administrative agent under the credit agreement?", "administrative agent"),
        ("who does it bank with?", "bankers"),
        ("chief legal officer, name", "general counsel"),
        ("Who sits on the audit committee?", "members of the audit committee"),
        ("which director chairs the remuneration committee?", "chair of the compensation committee"),
    ],
)
def test_the_function_is_read_from_a_question(text: str, called: str) -> None:
    asked = party_asked(text)
    assert asked is not None
    assert asked.called == called


@pytest.mark.parametrize(
    "text",
    [
        "What was the operating loss? My broker could not say.",
        "How many people sit on the audit committee?",
        "Who is the chief executive?",
        "What was paid to the solicitors, how much?",
    ],
)
def test_no_function_is_read_from_another_question(text: str) -> None:
    assert party_asked(text) is None


def test_a_directory_names_one_below_its_label_and_several_down_to_the_next() -> None:
    page = directory(
        *(line("Principal bankers", 60, 100), line("Corvane Bank PLC", 60, 114), line("12 Hill Street", 60, 126)),
        *(line("Ludlow Bank plc", 60, 160), line("Solicitors", 60, 190), line("Hartwell & Moss LLP", 60, 204)),
        *(line("Joint company secretaries", 320, 100), line("Anna Weber", 320, 114), line("Tom Okoro", 320, 128)),
    )
    assert names("bankers", page) == ["Corvane Bank PLC", "Ludlow Bank plc"]
    assert names("lawyers", page) == ["Hartwell & Moss LLP"]
    assert names("company secretary", page) == ["Anna Weber", "Tom Okoro"]
    assert names("registrar", page) == []


def test_sentences_name_agents_and_officers_but_not_former_ones() -> None:
    agent = prose(
        "We entered into a credit agreement with Corvane Bank, N.A., as administrative agent, in May 2022."
    )
    former = prose("Ruth Keller resigned as General Counsel in March. In June 2022, Anna Weber was appointed as our "
                   "General Counsel and Corporate Secretary.")  # fmt: skip
    assert names("administrative agent", agent) == ["Corvane Bank, N.A."]
    assert names("general counsel", former) == ["Anna Weber"]
    elsewhere = prose("Before, Ruth Keller served as General Counsel of Ludlow Foods.")
    assert names("general counsel", elsewhere) == []


def test_a_table_of_officers_names_them_by_their_position() -> None:
    rows = (
        ("Ruth Keller", "51", "Executive Vice President, Chief Legal Officer"),
        ("Tom Okoro", "50", "Treasurer"),
    )
    cells = tuple(Cell(row=r, column=c, text=text) for r, row in enumerate(rows) for c, text in enumerate(row))
    box = Box(left=50, top=100, right=500, bottom=140)
    table = Table(row_count=2, column_count=3, cells=cells, columns=())
    block = Block(kind="table", text=" ".join(cell.text for cell in cells), box=box, table=table)
    page = Page(report_sha1="ab", page_number=5, width=612, height=792, blocks=(block,))
    assert names("general counsel", page) == ["Ruth Keller"]
    assert names("treasurer", page) == ["Tom Okoro"]


def test_two_firms_named_alike_are_no_answer() -> None:
    pages = [
        prose("Our transfer agent is Corvane Trust Company, LLC."),
        prose("Our transfer agent is Ludlow Trust, LLC.", 10),
    ]
    assert names("registrar", *pages) == []


def test_a_committee_has_the_members_and_the_chair_that_a_sentence_lists() -> None:
    pages = [
        prose("Ruth Keller and Tom Okoro joined the board in 2020, Maria Lind-Adams in 2021.", 3),
        prose(
            "The Audit Committee is composed of three directors: Ms. Keller (chair), Mr. Okoro and Ms. Lind-Adams."
        ),
        prose("The Remuneration Committee is chaired by Tom Okoro and meets twice a year.", 11),
    ]
    audit = PartyAsked(areas=(frozenset({"audit"}),))
    assert members(audit, *pages) == ["Ruth Keller", "Tom Okoro", "Maria Lind-Adams"]
    assert members(audit.model_copy(update={"is_chair": True}), *pages) == ["Ruth Keller"]
    pay = PartyAsked(areas=(frozenset({"compensation"}),), is_chair=True)
    assert members(pay, *pages) == ["Tom Okoro"]


def test_a_list_of_members_that_is_not_read_whole_is_no_answer() -> None:
    said = prose("The Audit Committee consists of four directors: Ruth Keller, Tom Okoro and Maria Lind.")
    assert members(PartyAsked(areas=(frozenset({"audit"}),)), said) == []


@pytest.mark.parametrize(
    ("text", "counsel"),
    [
        (
            "We depend on our Chief Financial Officer, Ruth Keller, our General Counsel, Anna Weber, and others.",
            "Anna Weber",
        ),
        (
            "Ruth Keller, Chief Financial Officer, Anna Weber, General Counsel and Secretary, and others.",
            "Anna Weber",
        ),
        ("General Counsel, Paige Sports Entertainment", None),
    ],
)
def test_a_title_belongs_to_the_name_before_it_unless_the_text_begins_with_titles(
    text: str, counsel: str | None
) -> None:
    assert names("general counsel", prose(text), prose(text, 10)) == ([counsel] if counsel else [])


def test_names_that_ran_together_are_nobody() -> None:
    pages = [prose("Ruth Keller, Treasurer"), prose("Tom Okoro Ruth Keller Treasurer", 10)]
    assert names("treasurer", *pages) == ["Ruth Keller"]


def test_who_is_to_take_an_office_does_not_hold_it() -> None:
    said = "Ruth Keller will succeed Tom Okoro as Chief Executive Officer on 1 May 2025."
    found = seats_of([prose(said)], (), COMPANY, [(9, said)])
    assert [(seat.name, seat.role) for seat in found if seat.is_next] == [("Ruth Keller", "chief_executive")]
    assert offices_next("Who will be the next CEO?") == ("chief_executive",)
    assert offices_next("Who is the CEO?") == ()
