"""Which sentences of a section are told without those around them."""

import pytest

from query_engines.sections.passages import (
    Said,
    headings_in,
    is_of_management,
    is_one_sentence,
    runs_together,
    stands_alone,
    what_it_is,
)
from storage.records.pages import Block, Page
from storage.records.record import Box
from storage.records.sections import Section

PAGE = Page(report_sha1="0" * 40, page_number=1, width=595, height=842)


@pytest.mark.parametrize(
    "text",
    [
        "In addition, prices may fall.",
        "In such instances, our customers may cancel orders.",
        "Any decrease in the demand for these devices may harm us.",
        "All are served by third-party funding.",
        "He was appointed in May.",
        "We also depend on few suppliers.",
        "As a result of the factors described above, we may lose customers.",
        "The Directors do not envisage any change in this model.",
        "That trust is built on good work.",
        "(3) Ms. Bakker was appointed chair.",
    ],
)
def test_a_sentence_that_hangs_on_the_one_before(text: str) -> None:
    assert not stands_alone(text)


@pytest.mark.parametrize(
    "text",
    [
        "We may lose customers, and those who stay may pay less.",
        "Some of our customers may cancel orders.",
        "We sell products such as gauges, which may be recalled.",
        "All costs may rise this year.",
        "This report may be late.",
        "Cyber attacks could stop our work.",
    ],
)
def test_a_sentence_that_says_all_itself(text: str) -> None:
    assert stands_alone(text)


def test_a_heading_before_a_sentence_is_no_second_column() -> None:
    assert not runs_together("EXPLORATION RISK The ground is limited.")
    assert runs_together("We grow our platform for founders. in the north of the land.")


def told(*texts: str, anywhere: bool = False) -> str:
    found = what_it_is([Said(text, PAGE) for text in texts], "Ostermere Instruments, Inc.", anywhere=anywhere)
    return found.text if found is not None else ""


@pytest.mark.parametrize(
    "text",
    [
        'Ostermere Instruments, Inc. ("Ostermere" or "we") (LON: OST) was founded in 1961 and is a maker of gauges.',
        'Ostermere Instruments, Inc., an Ohio corporation (the "Company"), is the holding company of two mills.',
        "Ostermere Inc. is a premium maker of gauges.",
    ],
)
def test_what_stands_in_brackets_is_no_hindrance(text: str) -> None:
    assert told(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ostermere Instruments is a maker of gauges.", True),
        (
            "Ostermere Instruments plc (LON: OST), the group of makers of gauges for mills, is pleased to report.",
            True,
        ),
        ("We see the focus on gauges which we have is a strength of ours.", False),
        ("Ostermere and its subsidiaries are operated by Nordlys.", False),
    ],
)
def test_on_the_first_pages_only_a_definition_says_what_a_company_is(text: str, expected: bool) -> None:
    assert bool(told(text, anywhere=True)) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We grow our platform for founders. in the north Our model allows Our teams are near.", False),
        ("How an expert saved a client from a scam In March 2021, a client received a bill.", False),
        ("EXPLORATION RISK The ground is limited.", False),
        ("Ann Bakker-Ms. Bakker was appointed chair.", False),
        ("Customers may leave us, and 5) supplies may fail.", False),
        ("Ostermere Inc. is a maker of gauges.", True),
        ("We make 1) gauges, and 2) scales.", True),
        ("Approvals under section 505(b)(2) may come late, and a loan of (risk rating 6) is weak.", True),
        ("It was listed on the Nordic Exchange In Oslo.", True),
        ("Our mission is to save mills with As Good As New gauges.", True),
    ],
)
def test_a_sentence_into_which_another_one_ran_is_not_whole(text: str, expected: bool) -> None:
    assert is_one_sentence(text) is expected


def page_of(*blocks: tuple[str, str]) -> Page:
    made = [
        Block(kind=kind, text=text, box=Box(left=0, top=10 * i, right=100, bottom=10 * i + 9))  # type: ignore[arg-type]
        for i, (kind, text) in enumerate(blocks)
    ]
    return PAGE.model_copy(update={"blocks": tuple(made)})


RISKS = Section(title="Principal risks", kind="risks", first_page=1, last_page=1)


def test_titles_in_capitals_before_a_sentence_head_the_points_of_a_section() -> None:
    body = " which nobody can foresee, and which would cost the Group a part of its work for years."
    points = (
        "EXPLORATION RISK The ground may be poor",
        "LOSS OF KEY STAFF Engineers may leave",
        "COVID-19 A plague may come",
    )
    page = page_of(
        *(("list_item", f"{letter}. {point}{body}") for letter, point in zip("abc", points, strict=True))
    )
    assert [head.text for head in headings_in(RISKS, [page])] == [
        "EXPLORATION RISK",
        "LOSS OF KEY STAFF",
        "COVID-19",
    ]


def test_a_sentence_that_goes_on_heads_no_risk() -> None:
    heads = [
        f"Our {name} may fail and harm our business."
        for name in ("mills", "gauges", "servers", "banks", "clients", "plans")
    ]
    after = (
        "We depend on it for much of what we do, and there is nothing that could take its place within a year or two. "
        * 2
    )
    more = [
        "In addition, our prices may fall and harm our business.",
        "We cannot assure you that our plans may not fail.",
    ]
    page = page_of(*(block for head in (*heads, *more) for block in (("paragraph", head), ("paragraph", after))))
    assert [head.text for head in headings_in(RISKS, [page])] == heads


def test_two_headings_that_name_risks_are_enough() -> None:
    body = "The Group has rules for it, which the board sees to, and it looks at them once a year or more often."
    page = page_of(
        ("heading", "CREDIT RISK"), ("paragraph", body), ("heading", "MARKET RISK"), ("paragraph", body)
    )
    assert [head.text for head in headings_in(RISKS, [page])] == ["CREDIT RISK", "MARKET RISK"]


def test_groups_of_risks_are_told_where_too_few_single_ones_have_headings() -> None:
    titles = (
        "Market and financial risks",
        "Portfolio risks",
        "Vote to wind up the Company",
        "Viability statement",
    )
    body = "The Group has rules for it, which the board sees to, and it looks at them once a year or more often."
    page = page_of(*(block for title in titles for block in (("heading", title), ("paragraph", body))))
    assert [head.text for head in headings_in(RISKS, [page])] == list(titles[:3])


@pytest.mark.parametrize(
    ("title", "expected"), [("Risk management", True), ("Risk management and principal risks", False)]
)
def test_a_section_on_how_risks_are_managed_names_none(title: str, expected: bool) -> None:
    assert is_of_management(RISKS.model_copy(update={"title": title})) is expected
