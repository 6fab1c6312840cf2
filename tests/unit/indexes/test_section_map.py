"""The map of a report's sections."""

import re
from collections.abc import Sequence
from functools import cache

import pytest

from indexes.sections.section_map import Mark, section_map
from storage.records.pages import Block, BlockKind, Line, Page
from storage.records.record import Box
from storage.records.sections import Section, SectionKinds, bare_title, main_section, split_number

AUDITED = "We have audited the balance sheets of Northwind Inc. In our opinion, they present fairly what it owns."
TEXT = (
    "The company sells packaging to farms and to shops. It owns two plants and leases a third one near the port."
)


@cache
def kinds() -> SectionKinds:
    return SectionKinds.load()


def page(number: int, *texts: str) -> Page:
    """A page whose texts are headings with "# ", running heads with "~ ", list lines with newlines, else paragraphs."""
    blocks = []
    for i, text in enumerate(texts):
        kind: BlockKind = (
            "heading" if text.startswith("# ") else "furniture" if text.startswith("~ ") else "paragraph"
        )
        height = 14.0 if kind == "heading" else 9.0
        printed = text.removeprefix("# ").removeprefix("~ ")
        lines = tuple(
            Line(text=line, box=Box(left=50, top=50 + 20 * i, right=300, bottom=50 + 20 * i + height))
            for line in printed.split("\n")
        )
        blocks.append(Block(kind=kind, text=printed, box=lines[0].box, lines=lines))
    return Page(report_sha1="ab", page_number=number, width=600, height=800, blocks=tuple(blocks))


def mapped(pages: Sequence[Page], marks: Sequence[Mark] = ()) -> tuple[Section, ...]:
    return section_map(pages, marks, kinds())


def main(pages: Sequence[Page], kind: str, marks: Sequence[Mark] = ()) -> tuple[int, int] | None:
    found = main_section(mapped(pages, marks), kind)
    return (found.first_page, found.last_page) if found else None


FILING = [
    page(1, "FORM 10-K", TEXT),
    page(
        2,
        "# Table of Contents",
        "Item 1. Business 3\nItem 1A. Risk Factors 4\nItem 2. Properties 6\nItem 3. Legal 6\nItem 7. Review 7",
    ),
    page(3, "# Item 1. Business", TEXT, "See Item 1A. Risk Factors of this report."),
    page(4, "# Item 1A. Risk Factors", TEXT),
    page(5, TEXT, "Item 1A. Risk Factors (continued)", TEXT),
    page(6, "# Item 2. Properties", TEXT, "Item 3. Legal Proceedings.", "None."),
    page(7, "# Item 7. Management's Discussion and Analysis of Financial Condition", TEXT),
]


def test_the_items_of_a_filing_are_its_sections_not_the_lines_of_its_contents() -> None:
    assert main(FILING, "business") == (3, 3)
    assert main(FILING, "risks") == (4, 5)
    assert main(FILING, "legal") == (6, 6)
    assert main(FILING, "directors") is None


def test_an_item_whose_title_stands_on_the_next_line_has_that_title() -> None:
    pages = [page(i, f"Item {i}.", title, TEXT) for i, title in enumerate(["Business", "Properties"], 1)]
    pages += [page(i, f"Item {i}.", "Legal Proceedings", TEXT) for i in range(3, 6)]
    assert main(pages, "properties") == (2, 2)


def test_contents_lead_to_physical_pages_whatever_number_is_printed() -> None:
    titles = [
        "Chair's statement",
        "Business model",
        "Principal risks and uncertainties",
        "Board of Directors",
        "Notes",
    ]
    contents = "\n".join(f"{title} {2 * i + 1}" for i, title in enumerate(titles, 1))
    pages = [page(1, "Annual report"), page(2, "# Contents", contents)]
    for i, title in enumerate(titles, 1):  # printed page 3 is physical page 5
        pages += [page(2 * i + 3, f"# {title}", TEXT), page(2 * i + 4, f"~ {title}", TEXT)]
    pages.sort(key=lambda p: p.page_number)
    assert main(pages, "risks") == (9, 10)
    assert {s.source for s in mapped(pages) if s.kind == "directors"} == {"contents"}


def test_a_numbered_note_is_the_segment_section_not_the_policy_of_that_name() -> None:
    titles = ["General", "Accounting policies", "Revenue", "Segment reporting", "Income tax", "Earnings per share"]
    pages = [page(i, f"# {i}. {title}", TEXT) for i, title in enumerate([*titles, "Leases"], 1)]
    pages[1] = page(2, "# 2. Accounting policies", TEXT, "# Segment reporting", TEXT)
    assert main(pages, "segments") == (4, 4)


def test_a_heading_among_the_policies_is_not_the_section_of_its_kind() -> None:
    titles = [
        "Revenue",
        "Segment reporting",
        "Income tax",
        "Earnings per share",
        "Leases",
        "Inventories",
        "Provisions",
    ]
    notes = [page(i + 5, f"# {i}. {title}", TEXT) for i, title in enumerate(titles, 1)]
    policies = [page(4, "# SIGNIFICANT ACCOUNTING POLICIES", TEXT), page(5, "# LITIGATION", TEXT)]
    pages = [*(page(i, TEXT) for i in range(1, 4)), *policies, *notes, page(13, "# Litigation", TEXT)]
    assert main(pages, "legal") == (13, 13)


def test_a_numbered_list_within_the_text_is_no_section() -> None:
    steps = [f"{i}. Clean the tank before the valve is opened" for i in range(1, 9)]
    assert mapped([page(1, "# Safety", *steps[:4]), page(2, *steps[4:])]) == ()


def test_bookmarks_lead_even_where_no_heading_was_read() -> None:
    marks = [(i, 0, title) for i, title in enumerate(["Letter", "Outlook", "Risk report", "Board", "Notes"], 2)]
    assert main([page(i, TEXT) for i in range(1, 8)], "outlook", marks) == (3, 3)


def test_a_running_head_is_one_section_that_begins_where_it_is_printed_first() -> None:
    pages = [page(1, TEXT), *(page(i, "~ Risk factors", TEXT) for i in range(2, 6))]
    assert [s.first_page for s in mapped(pages)] == [2]


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("Risikobericht", "risks"),
        ("Facteurs de risques", "risks"),
        ("Principales riesgos e incertidumbres", "risks"),
        ("Principali rischi e incertezze", "risks"),
        ("14. Segmentberichterstattung", "segments"),
        ("Rechtsstreitigkeiten", "legal"),
        ("Conseil d'administration", "directors"),
        ("Perspectivas para 2024", "outlook"),
        ("Summary of Risk Factors", ""),
        ("To the Board of Directors of Acme Inc.", ""),
        ("Acquisition of treasury shares", ""),
        ("NOTE 16: Subsequent events (continued)", "subsequent_events"),
        ("Business Strategies and Prospects for Future Financial Years", "outlook"),
        ("Our Competitive Strengths", ""),
        ("Competition had intensified significantly", ""),
        ("Research and Development Expenses", ""),
        ("Asset Acquisition", "acquisitions"),
        ("Acquisition Activities", "acquisitions"),
        ("Company Outlook", "outlook"),
        ("Segment Information and Information about Geographic Areas", "segments"),
    ],
)
def test_a_heading_is_of_the_kind_that_its_words_say(heading: str, kind: str) -> None:
    assert kinds().of(heading)[0] == kind


@pytest.mark.parametrize(
    ("heading", "number", "title"),
    [
        ("Item 1A. Risk Factors", "Item 1A", "Risk Factors"),
        ("(58) Segment reporting", "(58)", "Segment reporting"),
        ("Note 3 – Acquisitions (continued)", "Note 3", "Acquisitions"),
        ("2022 in review", "", "2022 in review"),
        ("Outlook .......... 12", "", "Outlook"),
    ],
)
def test_a_heading_is_split_into_number_and_title(heading: str, number: str, title: str) -> None:
    assert split_number(heading) == (number, title)
    assert bare_title(heading) == title.lower()


@pytest.mark.parametrize(
    "heading",
    ["Nordlys's hybrid investment model", "A business model ensuring safe delivery", "Our operating model"],
)
def test_a_heading_about_its_model_is_the_description_of_the_business(heading: str) -> None:
    assert main([page(1, TEXT), page(2, TEXT), page(3, f"# {heading}", TEXT)], "business") == (3, 3)


def test_a_risk_about_its_model_is_no_description_of_the_business() -> None:
    assert main([page(1, TEXT), page(2, "# Our business model may fail in a recession", TEXT)], "business") is None


INDEX = [
    "Report of Independent Registered Public Accounting Firm 5",
    "Balance Sheets as of December 31, 2022 and 2021 6",
    "Statements of Operations for the years ended December 31, 2022 and 2021 7",
    "Statements of Cash Flows for the years ended December 31, 2022 and 2021 8",
    "Notes to Financial Statements 9-12",
]


@pytest.mark.parametrize("prefix", ["", "F-"])
def test_the_index_of_the_statements_is_no_statement_and_stands_below_its_own_heading(prefix: str) -> None:
    lines = [re.sub(r"(\d{1,2})(-)?(\d{1,2})?$", lambda m: f"{prefix}{m[0]}", line) for line in INDEX]
    front = [
        page(1, "FORM 10-K", TEXT),
        page(2, "# Item 1. Business", TEXT),
        page(3, "# Item 2. Properties", TEXT),
    ]
    index = page(4, "# Item 8. Financial Statements and Supplementary Data", "# Page", *lines)
    heads = (
        "Report of Independent Registered Public Accounting Firm",
        "Balance Sheets",
        "Statements of Operations",
    )
    parts = [
        page(5 + i, f"# {head}", TEXT if i else AUDITED)
        for i, head in enumerate((*heads, "Statements of Cash Flows"))
    ]
    notes = [page(9, "# Notes to Financial Statements", TEXT), page(10, TEXT)]
    found = [*front, index, *parts, *notes]
    assert main(found, "auditor_report") == (5, 5)
    titles = {(s.title, s.first_page) for s in mapped(found)}
    assert ("Financial Statements and Supplementary Data", 4) in titles
    assert ("Notes to Financial Statements", 9) in titles
    assert not any(title.startswith("Notes") and first == 4 for title, first in titles)


def titles(pages: Sequence[Page], marks: Sequence[Mark] = ()) -> list[str]:
    return [s.named for s in mapped(pages, marks)]


ITEMS = [
    *(page(i, f"# Item {i}. {title}", TEXT) for i, title in enumerate(["Business", "Properties"], 1)),
    *(page(i, f"# Item {i}. {title}", TEXT) for i, title in enumerate(["Legal Proceedings", "Mine Safety"], 3)),
    page(5, "# Item 7A. Quantitative and Qualitative Disclosures about Market Risk", TEXT),
]


@pytest.mark.parametrize(
    ("first", "second", "whole"),
    [
        ("ITEM 13. CERTAIN RELATIONSHIPS AND DIRECTOR", "INDEPENDENCE.", True),
        ("Item 12. Security Ownership of Certain Owners and", "Management", True),
        ("Item 9. Changes in and Disagreements with Accountants on Accounting", "Disclosure", True),
        ("ITEM 8. FINANCIAL STATEMENTS", "Index to Financial Statements", False),
        ("Item 9. Changes and Disagreements", "None.", False),
        ("Item 9. Changes and Disagreements", "Our board changed nothing.", False),
    ],
)
def test_a_title_that_the_end_of_its_line_cuts_is_one_with_its_whole_form(
    first: str, second: str, whole: bool
) -> None:
    found = titles([*ITEMS, page(6, f"{first}\n{second}", TEXT)])
    assert len(found) == len(ITEMS) + 1
    assert found[-1].endswith(f"{first[-8:]} {second.rstrip('.')}" if whole else first[-8:])


def test_a_heading_that_stands_in_one_block_with_an_item_is_a_section_of_its_own() -> None:
    head = "# ITEM 8: FINANCIAL STATEMENTS AND SUPPLEMENTARY DATA\nReport of Independent Auditors"
    pages = [*ITEMS, page(6, head, AUDITED)]
    assert main(pages, "statements") == main(pages, "auditor_report") == (6, 6)


def test_an_item_with_a_very_long_title_is_a_section() -> None:
    title = "MARKET FOR THE REGISTRANT'S EQUITY, RELATED HOLDER MATTERS AND ISSUER PURCHASES OF ITS OWN SECURITIES"
    assert f"ITEM 9 {title}" in titles([*ITEMS, page(6, f"# ITEM 9. {title}", TEXT)])


def test_two_items_of_one_title_are_two_and_the_one_that_applies_is_the_section() -> None:
    pages = [
        *ITEMS,
        page(6, "# ITEM 17. FINANCIAL STATEMENTS", "Not applicable.", "# ITEM 18. FINANCIAL STATEMENTS", TEXT),
    ]
    found = main_section(mapped(pages), "statements")
    assert found is not None
    assert found.number == "ITEM 18"


def test_a_lettered_part_of_an_item_ends_where_the_next_part_or_item_begins() -> None:
    parts = ["# A. [Reserved]", "# B. Capitalization", "Not applicable.", "# C. RISK FACTORS", TEXT]
    pages = [
        page(
            1,
            "# Item 1. Advisers",
            TEXT,
            "# Item 2. Offer",
            TEXT,
            "# Item 3. Key Information",
            *parts,
            "# OUR TRADE",
            TEXT,
        ),
        page(2, "# Market risk", TEXT),
        page(3, TEXT),
        page(4, "# Item 4. Information on the Company", TEXT),
        page(5, "# Item 5. Review and Prospects", "# A. Notes on the Results", TEXT),
    ]
    assert main(pages, "risks") == (1, 3)


NOTES = ["General", "Accounting policies", "Revenue", "Income tax", "Earnings per share", "Leases", "Inventories"]


@pytest.mark.parametrize(
    ("heading", "text", "kind", "found"),
    [
        ("(w) Business combinations", "The acquisition method is used. Costs are expensed.", "acquisitions", None),
        ("Dividends", "Dividends are recognised when the board of Orla plc approves them.", "dividends", None),
        ("Segments", "The Directors see a single business of Orla plc: packaging.", "segments", (2, 2)),
        ("Acquisitions", "It bought Brimley Ltd in 2022. Brimley Ltd cost £2m in 2022.", "acquisitions", (2, 2)),
    ],
)
def test_among_the_policies_only_what_tells_of_the_company_is_the_section_of_its_kind(
    heading: str, text: str, kind: str, found: tuple[int, int] | None
) -> None:
    pages = [page(i, f"# {i}. {title}", TEXT) for i, title in enumerate(NOTES, 1)]
    pages[1] = page(2, "# 2. Accounting policies", TEXT, f"# {heading}", text)
    assert main(pages, kind) == found


def test_a_basis_of_consolidation_is_a_list_of_subsidiaries_only_where_it_lists_them() -> None:
    policy = "The accounts comprise the assets of Orla plc. Subsidiaries are those entities that it controls."
    policy = f"{policy} Intra-group balances are eliminated."
    assert main([page(1, TEXT), page(2, "# b) Basis of Consolidation", policy)], "subsidiaries") is None
    listed = "Orla Films Ltd, Leeds, 100%. Orla Boxes GmbH, Kiel, 60%."
    assert main([page(1, TEXT), page(2, "# Basis of Consolidation", listed)], "subsidiaries") == (2, 2)


def test_what_the_law_asks_of_trials_is_not_the_research_of_the_company() -> None:
    law = "Trials must be approved by a board. An agency may require that a sponsor stops one."
    own = "We began two trials of OR-12 in May and we expect first results next year."
    regulation = page(2, "# Government Regulation", TEXT, "# Clinical Trials", law)
    assert main([page(1, TEXT), regulation], "research") is None
    assert main([page(1, "# Clinical Trials", own), regulation], "research") == (1, 1)


def test_a_line_of_an_index_of_exhibits_is_no_section() -> None:
    lines = ["10.2 Lease of the plant", "21.1 Subsidiaries of Orla Inc", "31.1 Certificate of the chief executive"]
    pages = [*ITEMS, page(6, *lines), page(7, "~ Exhibit 21.1", "# Subsidiaries of Orla Inc", TEXT)]
    assert main(pages, "subsidiaries") == (7, 7)


def test_what_a_contract_among_the_exhibits_has_a_heading_for_is_no_section() -> None:
    pages = [*ITEMS, page(6, "Exhibit 4.2", TEXT), page(7, "# Business Combinations", TEXT)]
    assert main(pages, "acquisitions") is None
    assert main(
        [*pages, page(8, "Exhibit 31.1", TEXT), *(page(i, TEXT) for i in (9, 10)), page(11, "# Dividends", TEXT)],
        "dividends",
    ) == (11, 11)


def test_a_page_of_numbered_titles_without_text_is_a_table_of_contents() -> None:
    names = ["Leases", "Provisions", "Related party transactions", "Segments", "Guarantees", "Letters of comfort"]
    listed = page(1, *(f"({50 + i}) {name}" for i, name in enumerate(names)))
    assert main([listed, page(2, TEXT)], "related_parties") is None
    assert main([listed, page(2, "# (52) Related party transactions", TEXT)], "related_parties") == (2, 2)


def test_a_heading_that_names_the_auditor_is_its_report_only_where_an_audit_is_reported() -> None:
    told = page(1, "# INDEPENDENT AUDITORS", "Brandt & Rowe have been the auditors of Orla plc since 2019.")
    assured = page(
        2, "# Independent Auditor 1", "# To Orla plc", "We have performed a limited assurance engagement."
    )
    report = [page(3, TEXT), page(4, "# \"Independent Auditor's Report", "# Opinion", AUDITED)]
    assert main([told, assured, *report], "auditor_report") == (4, 4)
    assert main([told, assured, *report], "auditor_fees") == (1, 1)


def test_a_heading_within_the_auditors_report_is_no_section_of_the_report() -> None:
    audit = "The audit team planned the audit with other auditors. The audit ends with this audit report."
    pages = [page(1, "# Independent auditor's report", AUDITED), page(2, audit, "# Financial statements", audit)]
    assert main(pages, "statements") is None
    assert main(pages, "auditor_report") == (1, 2)


def test_the_report_on_the_statements_comes_before_the_one_on_the_internal_control() -> None:
    head = "# Report of Independent Registered Public Accounting Firm"
    control = "We have audited the internal control over financial reporting of Orla Inc."
    pages = [page(i, TEXT) for i in range(1, 9)]
    pages[3], pages[6] = page(4, head, control), page(7, head, AUDITED)
    assert main(pages, "auditor_report") == (7, 8)


def test_a_title_in_large_print_of_many_lines_gives_its_first_as_the_heading() -> None:
    pages = [
        page(1, TEXT),
        page(2, "Statutory Auditor's Report\nto the Meeting\nof Orla plc, Leeds\non the Accounts", AUDITED),
    ]
    block = pages[1].blocks[0]
    tall = tuple(
        line.model_copy(update={"box": line.box.model_copy(update={"bottom": line.box.top + 14})})
        for line in block.lines
    )
    large = block.model_copy(update={"lines": tall})
    pages[1] = pages[1].model_copy(update={"blocks": (large, *pages[1].blocks[1:])})
    assert main(pages, "auditor_report") == (2, 2)


def test_an_address_below_a_heading_is_no_section() -> None:
    address = "Brandt Rowe Kestrel Audit Tarn Bridge House Quay Street Leeds"
    assert main([page(1, "# Auditors", address, "# Secretary", "M. Holm")], "auditor_fees") is None
    assert main([page(1, "# Our people", "Dear colleagues,", "# Overview", TEXT)], "employees") == (1, 1)


def test_a_bookmark_that_repeats_the_one_before_it_is_the_same_section_going_on() -> None:
    marks = [(i, 0, "Strategic report") for i in range(1, 5)] + [(5, 0, "Accounts"), (6, 0, "Glossary")]
    found = mapped([page(i, TEXT) for i in range(1, 8)], marks)
    assert [(s.title, s.first_page, s.last_page) for s in found] == [
        ("Strategic report", 1, 4),
        ("Accounts", 5, 5),
        ("Glossary", 6, 7),
    ]


def test_a_bookmark_that_only_holds_others_is_no_section_and_what_it_holds_is_of_the_first_level() -> None:
    marks = [
        (1, 0, "TABLE OF CONTENTS"),
        (2, 1, "Part I"),
        (2, 2, "Item 1. Business"),
        (4, 2, "Item 2. Properties"),
    ]
    found = mapped([page(i, TEXT) for i in range(1, 7)], [*marks, (6, 2, "Item 3. Legal Proceedings")])
    assert [(s.number, s.level, s.first_page, s.last_page) for s in found] == [
        ("Item 1", 1, 2, 3),
        ("Item 2", 1, 4, 5),
        ("Item 3", 1, 6, 6),
    ]


def test_the_risks_go_on_below_headings_of_risks_and_on_pages_that_continue_them() -> None:
    pages = [
        page(1, TEXT, "# Principal risks and uncertainties", TEXT, "# Emerging risks", TEXT),
        page(
            2,
            "# Principal risks and uncertainties (continued) Emerging risks (continued)",
            TEXT,
            "# Outages",
            TEXT,
        ),
        page(3, "# Our community", TEXT),
    ]
    assert main(pages, "risks") == (1, 2)


def test_the_title_of_a_part_is_not_of_a_kind_that_a_fuller_title_in_it_contradicts() -> None:
    pages = [page(1, "# Portfolio"), page(2, TEXT), page(3, "# Investment Portfolio", TEXT)]
    assert main(pages, "products") is None
    assert main(pages, "investments") == (3, 3)


def test_the_years_of_columns_are_no_part_of_a_title() -> None:
    notes = [page(i, f"# NOTE {i} {title.upper()} 2022 2021", TEXT) for i, title in enumerate(NOTES, 1)]
    assert titles(notes)[:2] == ["NOTE 1 GENERAL", "NOTE 2 ACCOUNTING POLICIES"]
