"""Answers from a report's sections, without a language model."""

from collections.abc import Sequence
from functools import cache

import pytest

from indexes.roles.auditors import auditor_of
from indexes.roles.boards import people_in
from indexes.roles.table import seats_of
from prompts.kinds.name import NameDraft
from prompts.kinds.names import NamesDraft
from prompts.kinds.text import TextDraft
from query_engines.extraction.program import ExtractiveProgram
from query_engines.question.parsed import FactMatch
from query_engines.question.parser import QuestionParser
from query_engines.question.section_topics import section_asked, sections_for, without_company
from storage.records.metrics import Ontology
from storage.records.pages import Block, BlockKind, Cell, Column, Line, Page, Table
from storage.records.questions import AnswerKind, Question
from storage.records.record import Box
from storage.records.reports import Company, Report
from storage.records.sections import Section, SectionKinds
from tests.support.printed_tables import page_of, table_of

REPORT = Report(sha1="ab", file="ab.pdf", company="Veldhoorn Packaging N.V.", page_count=9)
COMPANY = Company(name=REPORT.company, reports=(REPORT,))
LONG = (
    "Our plants use pulp from three suppliers, and a delay of a few days stops two of the lines for a week or more. "
    * 2
)


@cache
def kinds() -> SectionKinds:
    return SectionKinds.load()


def page(number: int, *texts: str) -> Page:
    blocks = []
    for i, text in enumerate(texts):
        kind: BlockKind = "heading" if text.startswith("# ") else "paragraph"
        box = Box(left=50, top=50 + 20 * i, right=300, bottom=60 + 20 * i)
        printed = text.removeprefix("# ")
        lines = tuple(Line(text=line, box=box) for line in printed.split("\n"))
        blocks.append(Block(kind=kind, text=printed, box=box, lines=lines))
    return Page(report_sha1="ab", page_number=number, width=600, height=800, blocks=tuple(blocks))


def section(kind: str, title: str, first: int, last: int) -> Section:
    return Section(title=title, kind=kind, first_page=first, last_page=last, is_main=True, level=1)


def asked(text: str, sections: Sequence[Section], pages: Sequence[Page], kind: AnswerKind | None = None) -> object:
    """The draft for a question about the company, whose report has these sections and pages."""
    parser = QuestionParser(Ontology.load(), lambda: [COMPANY], kinds=kinds())
    parsed = parser.about(parser.parse(Question(text=text, kind=kind)), COMPANY)
    match = None
    if parsed.section is not None:
        match = sections_for(parsed.section, parsed.intent.text, sections)
    seats = seats_of(pages, sections, COMPANY.name)
    is_of_firm = parsed.section is not None and parsed.section.lists == "firm"
    auditor = next((seat for seat in seats if is_of_firm and seat.role == "auditor"), None)
    facts = FactMatch(is_stored=True, section=match, seats=(auditor,) if auditor else seats, person=auditor)
    return ExtractiveProgram(parsed.kind)(question=parsed, report=REPORT, pages=pages, facts=facts)


RISKS = [
    page(2, "# Risk factors", "# Risks related to our business", "We may run out of pulp.", LONG),
    page(3, "A fire could stop our largest plant.", LONG, "If energy prices rise, our margins will fall.", LONG),
    page(
        4,
        "Our loans may not be renewed.",
        LONG,
        "We depend on two customers.",
        LONG,
        "We could lose patents.",
        LONG,
    ),
]


def test_the_main_risks_are_the_sentences_that_head_the_paragraphs_of_the_risk_section() -> None:
    draft = asked("What are the main risks of Veldhoorn?", [section("risks", "Risk factors", 2, 4)], RISKS)
    assert isinstance(draft, TextDraft)
    assert isinstance(draft.final_answer, list)
    assert [s.text for s in draft.final_answer][:2] == [
        "We may run out of pulp.",
        "A fire could stop our largest plant.",
    ]
    assert [e.page for e in draft.evidence] == [2, 3, 3, 4, 4, 4]
    assert "6 risk headings" in draft.reasoning_summary


def test_risks_of_one_matter_are_those_that_name_it() -> None:
    draft = asked("Which risks relate to patents at Veldhoorn?", [section("risks", "Risk factors", 2, 4)], RISKS)
    assert isinstance(draft, TextDraft)
    assert [e.quote for e in draft.evidence] == ["We could lose patents."]


def test_what_a_company_does_is_said_in_the_first_sentences_of_its_business_section() -> None:
    first = "Veldhoorn Packaging N.V. is a maker of cartons for food. It runs three plants in two countries."
    pages = [page(5, "# Business", "See Note 3 for the history of the group and for its segments.", first)]
    draft = asked("What does Veldhoorn do?", [section("business", "Business", 5, 5)], pages)
    assert isinstance(draft, TextDraft)
    assert draft.evidence[0].quote == "Veldhoorn Packaging N.V. is a maker of cartons for food."


def test_directors_are_the_people_with_a_position_not_the_headings_of_two_words() -> None:
    texts = [
        "# Board of Directors",
        "# Anna de Wit",
        "Chair of the Board",
        "# Going Concern",
        "The directors have",
    ]
    pages = [page(6, *texts, "# JOOST BAKKER", "Non-executive Director", "Mr. Bakker joined the board in 2019.")]
    draft = asked("Who are the directors of Veldhoorn?", [section("directors", "Board of Directors", 6, 6)], pages)
    assert isinstance(draft, NamesDraft)
    assert draft.final_answer == ["Anna de Wit", "Joost Bakker"]


def test_a_name_and_a_position_on_one_line_are_a_person() -> None:
    pages = [page(6, "Maria Jansen, Chief Financial Officer"), page(7, "Quarterly Report, Finance")]
    found = people_in(section("directors", "Management", 6, 7), pages)
    assert [(member.name, member.title) for member in found] == [("Maria Jansen", "Chief Financial Officer")]


def test_a_cell_that_goes_on_in_the_next_row_is_one_position() -> None:
    rows = (
        ("A", "Maria Jansen", "General Manager and Director of the Sensors and Displays"),
        ("", "", "Business Unit"),
        ("Directors", "", ""),
        ("B", "Leo Marchetti", "Director"),
    )
    listed = page_of(6, table_of("", rows, (Column(), Column())))
    found = people_in(section("directors", "Management", 6, 6), [listed])
    assert [(member.name, member.title) for member in found] == [
        ("Maria Jansen", "General Manager and Director of the Sensors and Displays Business Unit"),
        ("Leo Marchetti", "Director"),
    ]


@pytest.mark.parametrize("bullet", ["", "• ", "⚫ ", "▪", "– "])
def test_people_are_named_behind_whatever_sign_opens_an_item(bullet: str) -> None:
    texts = [
        f"{bullet}JAMES EGGINS Non-Executive Chairman (Appointed 15 November 2021)",
        "# BA, LLB (Hons)",
        "Mr Eggins led mines in two countries.",
        f"{bullet}CAROLINE KEATS Managing Director (Appointed Non-executive director on 5 August 2021)",
        f"{bullet}PETER MEAGHER Non-Executive Chairman (resigned 15 November 2021)",
    ]
    found = people_in(section("directors", "Directors", 6, 6), [page(6, *texts)])
    assert [(member.name, member.since) for member in found] == [
        ("James Eggins", "15 November 2021"),
        ("Caroline Keats", "5 August 2021"),
    ]


def test_a_list_of_people_has_all_of_them_whatever_lives_are_told_below_it() -> None:
    listed = (
        "Mr Ian Aldous Chairman\nMs Petra Lindqvist Managing Director and CEO (appointed 17 January 2022)\n"
        "Mr Leo Marchetti Executive Director (appointed Executive 1 November 2021, previously Non-Executive)\n"
        "Mr Robert Behrens Non-Executive Director"
    )
    pages = [page(6, "# Directors", "# Current Directors", listed, "# Ian Aldous", "# Chairman")]
    found = people_in(section("directors", "Directors", 6, 6), pages)
    assert [m.name for m in found] == ["Ian Aldous", "Petra Lindqvist", "Leo Marchetti", "Robert Behrens"]


@pytest.mark.parametrize(
    ("texts", "positions"),
    [
        (
            ["/s/ Maria Jansen", "Director March 3, 2023", "/s/ Leo Marchetti", "Director March 3, 2023"],
            2 * ["Director"],
        ),
        (
            ["/s/ Maria Jansen", "Maria Jansen, Director", "/s/ Leo Marchetti", "Leo Marchetti, Director"],
            2 * ["Director"],
        ),
        (
            ["/s/ Maria Jansen", "Director, Ph.D.", "/s/ Leo Marchetti", "Director P.O. Box 43006"],
            2 * ["Director"],
        ),
        (["/s/ Maria Jansen", "Chief Executive Officer (Principal"], ["Chief Executive Officer"]),
        (["# Maria Jansen", "Age 50, Chief Risk Officer since 1 May 2019"], ["Chief Risk Officer"]),
        (
            ["# Maria Jansen", "Member of the Board of Managing\nDirectors since 2021"],
            ["Member of the Board of Managing Directors"],
        ),
        (
            ["# Maria Jansen", "Chair, Audit Committee\nPresident, Bakker Trading, Inc."],
            ["Chair, Audit Committee"],
        ),
        (["# Maria Jansen", "Audit Committee Chairman 21 April 2023"], ["Audit Committee Chairman"]),
        (
            ["# Maria Jansen", "Director/Member of the Remuneration\nCommittee\nTreasurer of two schools."],
            ["Director/Member of the Remuneration Committee"],
        ),
        (
            [
                "# Maria Jansen",
                "Age 52, Private and\nSmall-Business Customers Abroad\n"
                "Member of the Board of Managing\nDirectors since 1 May 2021",
            ],
            ["Member of the Board of Managing Directors"],
        ),
        (
            ["/s/ Maria Jansen, Jr Chief Financial Officer", "Maria Jansen, Jr. (Principal Financial Officer)"],
            ["Chief Financial Officer"],
        ),
    ],
)
def test_a_position_has_nothing_of_what_stands_around_it(texts: list[str], positions: list[str]) -> None:
    found = people_in(section("directors", "Directors", 6, 6), [page(6, *texts)])
    assert [member.title for member in found] == positions


def test_a_position_below_another_name_is_that_person_s() -> None:
    others = [text for name in ("Ida Holm", "Otto Krag", "Eva Lind") for text in (f"# {name}", "Director")]
    texts = ["# Maria Jansen", "Professor of Practice, Bakker School", "# Leo Marchetti", "Chair, Pay Committee"]
    found = people_in(section("directors", "Directors", 6, 6), [page(6, *texts, *others)])
    assert [(m.name, m.title) for m in found][:2] == [
        ("Maria Jansen", ""),
        ("Leo Marchetti", "Chair, Pay Committee"),
    ]


def test_a_position_is_what_the_page_of_the_name_says_not_what_another_page_adds() -> None:
    pages = [
        page(6, "/s/ Maria Jansen", "Director", "/s/ Leo Marchetti", "Director"),
        page(7, "# Maria Jansen", "President & Founder of Bakker Trading"),
    ]
    found = people_in(section("directors", "Signatures", 6, 7), pages)
    assert [(m.name, m.title, m.page_number) for m in found] == [
        ("Maria Jansen", "Director", 6),
        ("Leo Marchetti", "Director", 6),
    ]
    assert found[0].elsewhere.startswith("President")


def test_an_office_that_a_page_words_twice_is_told_once() -> None:
    texts = [
        "# Maria Jansen",
        "Secretary, Executive Vice President and Chief Credit Officer",
        "# Maria Jansen",
        "Secretary, Executive Vice President & Chief Credit Officer",
    ]
    (found,) = people_in(section("directors", "Directors", 6, 6), [page(6, *texts)])
    assert found.title == "Secretary, Executive Vice President and Chief Credit Officer"


def test_a_cell_goes_on_in_the_line_below_it_though_that_was_read_into_another_cell() -> None:
    def cell(row: int, column: int, text: str, left: int, bottom: int) -> Cell:
        return Cell(
            row=row, column=column, text=text, box=Box(left=left, top=20 * row, right=left + 90, bottom=bottom)
        )

    def line(text: str, left: int, top: int) -> Line:
        return Line(text=text, box=Box(left=left, top=top, right=left + 90, bottom=top + 8))

    cells = (
        cell(0, 0, "Maria Jansen", 10, 8),
        cell(0, 1, "Site Manager of Veldhoorn and Director", 200, 8),
        cell(1, 0, "Packaging Antwerp, Inc.", 200, 28),
        cell(2, 0, "Leo Marchetti", 10, 48),
        cell(2, 1, "Director", 200, 48),
    )
    lines = (
        line("Maria Jansen Site Manager of Veldhoorn and Director", 10, 0),
        line("Packaging Antwerp, Inc.", 200, 12),
        line("Leo Marchetti Director", 10, 40),
    )
    made = Table(row_count=3, column_count=2, cells=cells)
    block = Block(kind="table", text="", box=Box(left=10, top=0, right=290, bottom=48), table=made, lines=lines)
    found = people_in(section("directors", "Management", 6, 6), [page_of(6, block)])
    assert [m.title for m in found] == [
        "Site Manager of Veldhoorn and Director Packaging Antwerp, Inc.",
        "Director",
    ]


def test_a_cell_that_begins_in_the_row_above_is_one_position() -> None:
    rows = (
        ("Name", "Position", "Since"),
        ("", "Chairman of the Board, Chief Executive", ""),
        ("Maria Jansen", "Officer and Interim Chief Financial Officer", "May 2021"),
        ("Leo Marchetti", "Director", "May 2020"),
    )
    listed = page_of(6, table_of("", rows, (Column(), Column())))
    found = people_in(section("directors", "Management", 6, 6), [listed])
    assert [m.title for m in found] == [
        "Chairman of the Board, Chief Executive Officer and Interim Chief Financial Officer",
        "Director",
    ]


@pytest.mark.parametrize(
    ("title", "texts"),
    [
        ("Directors", ["Maria Jansen - Chairman\nLeo Marchetti", "# Secretary", "Ida Holm"]),
        ("Report", ["The following Directors have held office:", "Maria Jansen - Chairman\nLeo Marchetti"]),
    ],
)
def test_names_below_a_heading_that_says_so_are_directors(title: str, texts: list[str]) -> None:
    found = people_in(section("directors", title, 6, 6), [page(6, *texts)])
    assert [(m.name, m.title) for m in found] == [("Maria Jansen", "Chairman"), ("Leo Marchetti", "Director")]


def test_who_signs_without_an_office_among_several_who_sign_with_theirs_is_named_too() -> None:
    signed = [t for name in ("Ida Holm", "Otto Krag", "Eva Lind") for t in (f"/s/ {name}", f"{name}, Director")]
    texts = [*signed, "/s/ Marie Jansen", "Maria Jansen"]
    found = people_in(section("directors", "Signatures", 6, 6), [page(6, *texts)])
    assert [(m.name, m.title) for m in found][-1] == ("Maria Jansen", "")
    alone = people_in(section("directors", "Signatures", 6, 6), [page(6, *texts[:2], *texts[-2:])])
    assert "Maria Jansen" not in [m.name for m in alone]


def test_an_office_that_a_life_tells_of_is_not_added_to_the_one_that_is_stated() -> None:
    life = (
        "Maria Jansen has served as Vice President of Bakker Trading and as a director of other firms for long. "
        * 2
    )
    texts = ["/s/ Maria Jansen", "Director", life]
    found = people_in(section("directors", "Directors", 6, 6), [page(6, *texts)])
    assert [(member.name, member.title) for member in found] == [("Maria Jansen", "Director")]


def test_a_section_whose_heading_is_its_running_head_begins_on_its_first_page() -> None:
    head, box = "Our business", Box(left=50, top=20, right=300, bottom=30)
    first = page(5, "Veldhoorn Packaging is a maker of boxes and of trays for farms.")
    running = Block(kind="furniture", text=head, box=box, lines=(Line(text=head, box=box),))
    first = first.model_copy(update={"blocks": (running, *first.blocks)})
    own = section("business", head, 5, 6).model_copy(update={"box": box})
    draft = asked(
        "What does Veldhoorn do?", [own], [first, page(6, "We are leading in a market of two countries.")]
    )
    assert isinstance(draft, TextDraft)
    assert [e.page for e in draft.evidence][:1] == [5]


def test_a_report_without_the_section_has_no_answer_rather_than_sentences_with_its_word() -> None:
    pages = [page(8, "The risk committee met four times. Its members reviewed the main risks of the year.")]
    draft = asked("What are the main risks of Veldhoorn?", [section("business", "Business", 5, 5)], pages)
    assert isinstance(draft, TextDraft)
    assert draft.final_answer == "N/A"


@pytest.mark.parametrize(
    "question",
    [
        "What did it pay for the acquisition?",
        "How many directors does it have?",
        "Did it name any risk factors?",
        "When were the acquisitions completed?",
        "Why did the outlook worsen?",
        "Which directors left in the year?",
        "Which executives did it hire?",
        "Wer ist neu im Vorstand?",
        "Who was recruited to the board?",
        "What was the revenue of its largest segment?",
    ],
)
def test_a_question_for_a_figure_a_day_a_reason_or_a_change_asks_for_no_section(question: str) -> None:
    assert section_asked(question, kinds()) is None


def test_a_topic_in_the_name_of_the_company_is_not_asked_for() -> None:
    risky = Company(name="Risk Factors Group plc")
    assert without_company("What does Risk Factors Group plc do?", risky) == "What does it do?"


def test_an_item_with_nothing_below_it_is_the_answer_with_its_heading() -> None:
    item = section("legal", "Legal Proceedings", 7, 7).model_copy(
        update={"source": "item", "box": Box(left=50, top=50, right=300, bottom=60)}
    )
    pages = [page(7, "# Item 3. Legal Proceedings", "Not applicable.")]
    draft = asked("What legal proceedings is Veldhoorn involved in?", [item], pages)
    assert isinstance(draft, TextDraft)
    assert [e.quote for e in draft.evidence] == ["Legal Proceedings Not applicable."]


def test_acquisitions_are_headings_with_a_name_not_the_parts_of_their_note() -> None:
    texts = [
        "# Acquisition costs",
        LONG,
        "# Karstmeer",
        LONG,
        "# Customer relationships",
        LONG,
        "# Tsukimine",
        LONG,
    ]
    pages = [page(5, "# Acquisitions", *texts, "# Ostermere", LONG)]
    draft = asked(
        "Which companies has Veldhoorn acquired?", [section("acquisitions", "Acquisitions", 5, 5)], pages
    )
    assert isinstance(draft, TextDraft)
    assert [e.quote for e in draft.evidence] == ["Karstmeer", "Tsukimine", "Ostermere"]


def test_a_rule_of_accounting_for_acquisitions_is_no_acquisition() -> None:
    rule = "The Company applies the acquisition method of accounting for business combinations of all kinds."
    pages = [page(5, "# Business Combinations", rule)]
    section_ = section("acquisitions", "Business Combinations", 5, 5)
    draft = asked("Which companies has Veldhoorn acquired?", [section_], pages)
    assert isinstance(draft, TextDraft)
    assert draft.final_answer == "N/A"


def test_a_strategy_for_one_risk_is_not_the_strategy_of_the_company() -> None:
    pages = [
        page(
            5, "# Credit risk strategy", "The credit risk strategy limits the loans to one borrower in each year."
        )
    ]
    draft = asked("What is Veldhoorn's strategy?", [section("", "Credit risk strategy", 5, 5)], pages)
    assert isinstance(draft, TextDraft)
    assert draft.final_answer == "N/A"


def test_holders_of_shares_are_looked_up_and_not_read_from_the_section_when_asked() -> None:
    rows = (("Name", "Held"), ("Alder Fund", "12.5%"), ("Birch Fund", "7.1%"))
    listed = page_of(6, table_of("", rows, (Column(), Column())))
    sections = [section("shareholders", "Holders", 6, 6)]
    draft = asked("Who are the largest shareholders of Veldhoorn?", sections, [listed])
    assert isinstance(draft, NamesDraft)
    assert draft.final_answer == "N/A"


def test_groups_of_risks_are_no_risks() -> None:
    pages = [
        page(5, "# Risk factors", "# Strategic risks", LONG, "# Operational risks", LONG, "# External risks", LONG)
    ]
    draft = asked("What are the main risks of Veldhoorn?", [section("risks", "Risk factors", 5, 5)], pages)
    assert isinstance(draft, TextDraft)
    assert "Strategic risks" not in [e.quote for e in draft.evidence]


def test_directors_who_stand_in_a_proxy_statement_are_those_who_sign_the_report() -> None:
    signed = [
        "/s/ Anna de Wit Anna de Wit President and Director March 15, 2023",
        "/s/ Joost Bakker Chief Financial Officer March 15, 2023",
        "By: /s/ Maria Jansen Director March 15, 2023",
    ]
    pages = [
        page(6, "# Directors", "The information required by this item is incorporated by reference."),
        page(9, "# SIGNATURES", *signed),
    ]
    both = [section("directors", "Directors", 6, 6), section("directors", "SIGNATURES", 9, 9)]
    draft = asked("Who are the directors of Veldhoorn?", both, pages)
    assert isinstance(draft, NamesDraft)
    assert draft.final_answer == ["Anna de Wit", "Maria Jansen"]


def test_the_auditor_is_the_firm_that_signs_the_report() -> None:
    pages = [
        page(5, "# Principal Accountant Fees and Services", "It is incorporated by reference to our statement."),
        page(7, "# Report of Independent Registered Public Accounting Firm", LONG, "/s/ Kreston & Bakker LLP"),
    ]
    both = [
        section("auditor_fees", "Principal Accountant Fees and Services", 5, 5),
        section("auditor_report", "Report of Independent Registered Public Accounting Firm", 7, 7),
    ]
    draft = asked("Who audits Veldhoorn?", both, pages)
    assert isinstance(draft, NameDraft)
    assert draft.final_answer == "Kreston & Bakker LLP"
    assert [(e.page, e.quote) for e in draft.evidence] == [(7, "/s/ Kreston & Bakker LLP")]


def test_an_auditor_whose_name_is_not_found_is_not_answered_with_what_auditors_do() -> None:
    pages = [
        page(7, "# Independent auditor's report", "We have audited the balance sheets of Veldhoorn as of 2024.")
    ]
    reports = [section("auditor_report", "Independent auditor's report", 7, 7)]
    draft = asked("Who audits Veldhoorn?", reports, pages)
    assert isinstance(draft, NameDraft)
    assert draft.final_answer == "N/A"


def firm_of(*texts: str) -> str | None:
    """The firm that a page of the auditor's report names."""
    report = section("auditor_report", "Independent auditor's report", 7, 7)
    pages = [page(7, "# Independent auditor's report", "We have audited it.", *texts)]
    found = auditor_of(pages, [report], COMPANY.name)
    return found.name if found is not None else None


@pytest.mark.parametrize(
    ("texts", "firm"),
    [
        (("(signed) Alder LLP1",), "Alder LLP"),
        (("/s/Alder LLP",), "Alder LLP"),
        (("/s/ ALDER BIRCH LLP",), "ALDER BIRCH LLP"),
        (("For and on behalf of Alder Birch Audit",), "Alder Birch Audit"),
        (("Alder Birch & Co.\nCertified Public Accountants",), "Alder Birch & Co."),
        (("KPMG AG Wirtschaftsprüfungsgesellschaft",), "KPMG AG"),
        (("KPMG",), "KPMG"),
        (("Auditor Name: Alder LLP Auditor Location: Delft",), "Alder LLP"),
        (("AUDITOR: Alder CI LLP",), "Alder CI LLP"),
        (
            ("Reports of Independent Registered Public Accounting Firm (Alder USA, LLP; Delft; ID 9)",),
            "Alder USA, LLP",
        ),
        (("The auditor, Alder Audit (WA) Pty Ltd, has agreed to continue.",), "Alder Audit (WA) Pty Ltd"),
        (("Alder SA, Delft, are the independent auditors of the Group.",), "Alder SA"),
    ],
)
def test_an_auditor_is_known_by_a_signature_a_label_or_a_sentence(texts: tuple[str, ...], firm: str) -> None:
    assert firm_of(*texts) == firm


@pytest.mark.parametrize(
    "texts",
    [
        ("Solicitors", "Oak Elm LLP"),
        ("Veldhoorn Packaging N.V.\nStatutory Auditors",),
        ("Commitments (Note 25)",),
        ("The former auditor, Alder LLP, has resigned.",),
        ("We have served as auditor since 2015.",),
        ("KPMG Anna Bakker",),
        ("/s/ Alder LLP", "/s/ Birch LLP"),
        ("/s/ Alder LLP", "We served as the Company's auditor from 2015 to 2021."),
    ],
)
def test_no_lawyer_no_former_auditor_and_neither_of_two_is_the_auditor(texts: tuple[str, ...]) -> None:
    assert firm_of(*texts) is None


def test_a_directory_has_the_auditor_beside_the_label() -> None:
    at = {"Auditor": (50, 100), "Oak Elm LLP": (300, 112), "Alder LLP": (50, 112), "Solicitors": (300, 100)}
    lines = tuple(
        Line(text=text, box=Box(left=x, top=y, right=x + 90, bottom=y + 9)) for text, (x, y) in at.items()
    )
    block = Block(
        kind="paragraph", text=" ".join(at), box=Box(left=50, top=100, right=400, bottom=130), lines=lines
    )
    directory = Page(report_sha1="ab", page_number=2, width=600, height=800, blocks=(block,))
    found = auditor_of([directory], [], COMPANY.name)
    assert found is not None
    assert (found.name, found.quote) == ("Alder LLP", "Alder LLP")


@pytest.mark.parametrize(
    "question",
    ["Which directors worked at an accounting firm?", "Who was its former auditor?", "Who will be the auditor?"],
)
def test_other_firms_and_other_times_are_not_the_auditor(question: str) -> None:
    rule = section_asked(question, kinds())
    assert rule is None or rule.id != "auditor"


def test_development_risks_are_no_products_and_plant_and_equipment_no_properties() -> None:
    assert kinds().of("Product Development Risks") == ("", 0)
    assert kinds().of("Property, plant and equipment") == ("", 0)
    assert kinds().of("Properties")[0] == "properties"


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Tell me what @ sells to its customers", "products"),
        ("What drug is @ developing?", "products"),
        ("What are its plans for the coming year?", "outlook"),
        ("How does @ see the year # ?", "outlook"),
        ("What legal troubles does @ have?", "legal"),
        ("Where does @ have its fabs?", "properties"),
        ("Which events took place after the balance sheet date at @ ?", "subsequent_events"),
        ("Which rivals has @ swallowed?", "acquisitions"),
        ("Wer ist der Abschlussprüfer von @ ?", "auditor"),
        ("Quel cabinet a audité les comptes de @ ?", "auditor"),
        ("¿Quién es el revisor de cuentas de @ ?", "auditor"),
        ("Chi è la società di revisione di @ ?", "auditor"),
        ("Which firm signed off @ 's books?", "auditor"),
        ("Who is the auditor and what are the audit fees?", "auditor_fees"),
        ("What are the key audit matters?", "auditor_report"),
        ("Quels sont les principaux risques de @ ?", "risks"),
        ("Wer sitzt im Aufsichtsrat von @ ?", "directors"),
        ("¿A qué se dedica @ ?", "business"),
        ("Quali sono i concorrenti di @ ?", "competition"),
    ],
)
def test_a_question_in_any_words_asks_for_the_section_that_tells_it(question: str, kind: str) -> None:
    rule = section_asked(question, kinds())
    assert rule is not None
    assert rule.id == kind


def test_plant_and_equipment_in_the_accounts_are_not_where_the_plants_are() -> None:
    pages = [page(6, "# Property, plant and equipment", "Plants are stated at cost, and are leased in part.")]
    draft = asked("Where are Veldhoorn's plants?", [section("", "Property, plant and equipment", 6, 6)], pages)
    assert isinstance(draft, TextDraft)
    assert draft.final_answer == "N/A"


def test_a_second_question_does_not_narrow_the_section_of_the_first() -> None:
    rule = kinds()["business"].model_copy()
    text = "What does it do and which skin disease is it meant for?"
    match = sections_for(rule, text, [section("business", "Business", 3, 4)])
    assert match is not None
    assert match.wanted == frozenset()


def test_a_word_that_every_question_has_makes_no_section_of_that_title_the_first() -> None:
    text = "What does the company do?"
    own = [section("business", "The Company", 12, 13), section("business", "Business", 7, 16)]
    match = sections_for(kinds()["business"].model_copy(), text, own)
    assert match is not None
    assert [found.title for found in match.sections] == ["Business", "The Company"]


def test_the_sentence_that_defines_a_company_is_told_before_others_of_an_earlier_section() -> None:
    first = page(2, "# Business model", "We keep three mills in Twente and employ their people for many years.")
    later = page(
        3, "# About us", "Veldhoorn Packaging N.V. is a maker of boxes for fruit.", "We sell them in Europe."
    )
    sections = [section("business", "Business model", 2, 2), section("business", "About us", 3, 3)]
    draft = asked("What does Veldhoorn do?", sections, [first, later])
    assert isinstance(draft, TextDraft)
    assert [s.text for s in draft.final_answer] == [  # type: ignore[union-attr]
        "Veldhoorn Packaging N.V. is a maker of boxes for fruit."
    ]


RISK_SECTION = section("risks", "Risk factors", 2, 4)


@pytest.mark.parametrize(
    ("text", "page_number"),
    [
        ("Who is on Veldhoorn's supervisory board?", 6),
        ("Wer sitzt im Aufsichtsrat von Veldhoorn?", 6),
        ("Qui siège au conseil de surveillance de Veldhoorn ?", 6),
        ("Who is on Veldhoorn's management board?", 5),
        ("Wer gehört dem Vorstand von Veldhoorn an?", 5),
    ],
)
def test_of_two_boards_the_one_that_is_named_in_any_language_is_listed(text: str, page_number: int) -> None:
    both = [section("directors", "Management Board", 5, 5), section("directors", "Supervisory Board", 6, 6)]
    pages = [
        page(5, "# Management Board", "Anna de Wit - Chief Executive\nJoost Bakker - Chief Financial Officer"),
        page(6, "# Supervisory Board", "Maria Jansen - Chairman\nLeo Marchetti - Member\nIda Holm - Member"),
    ]
    draft = asked(text, both, pages)
    assert isinstance(draft, NamesDraft)
    assert {e.page for e in draft.evidence} == {page_number}
