"""The overview of a report of the samples, and what it says of nothing."""

from pathlib import Path
from typing import Any

import pytest

from app import open_pageproof
from app.library.overview import (
    Overview,
    OverviewFigure,
    OverviewLine,
    OverviewSection,
    contents_with_statements,
    events_shown,
    overview_markdown,
    people_shown,
)
from storage.errors import UsageError
from storage.records.facts import Event, Role, Seat
from storage.records.sections import Section
from tests.support.samples import OSTERMERE


def test_an_overview_has_the_figures_of_two_years_people_risks_and_contents_with_pages(sample_data: Path) -> None:
    with open_pageproof(data=sample_data) as client:
        found = client.overview("Ostermere")
    assert found.company == OSTERMERE
    assert found.periods == ("2024", "2023")
    revenue = found.figures[0]
    assert (revenue.title, revenue.values, revenue.page) == ("Total revenue", (386412000.0, 402875000.0), 8)
    assert revenue.change == pytest.approx(-4.086, abs=0.001)
    assert any("Dana R. Whitcombe" in person.text for person in found.people)
    assert {section.kind for section in found.contents} >= {"business", "risks"}
    assert all(1 <= line.page <= found.page_count for line in (*found.about, *found.people, *found.risks))


def test_an_overview_of_an_unknown_company_names_the_nearest(sample_data: Path) -> None:
    with open_pageproof(data=sample_data) as client, pytest.raises(UsageError, match="nearest names"):
        client.overview("Ostermeer Instrumentation")


def test_an_overview_is_markdown_whose_pages_are_links_and_whose_words_stay_words() -> None:
    overview = Overview(
        company="Acme",
        report_sha1="ab",
        file="ab.pdf",
        filing="annual report",
        page_count=9,
        about=(OverviewLine(text="Acme makes *carts*.", page=2),),
        periods=("2024", "2023"),
        figures=(OverviewFigure(title="Net income", unit="EUR", values=(1200.0, None), change=None, page=4),),
        contents=(OverviewSection(title="Risks", kind="risks", first_page=5, last_page=7),),
    )
    text = overview_markdown(overview, "/report/ab.pdf", lambda words: words.replace("*", "\\*"))
    assert "Acme makes \\*carts\\*. ([p. 2](/report/ab.pdf#page=2))" in text
    assert "| Net income (EUR) | 1,200 | – |  | [p. 4](/report/ab.pdf#page=4) |" in text
    assert "- Risks ([p. 5](/report/ab.pdf#page=5) to [p. 7](/report/ab.pdf#page=7))" in text
    assert "People" not in text


def event(quote: str, page: int, kind: Any = "acquisition") -> Event:
    return Event(kind=kind, quote=quote, page_number=page, report_sha1="ab", confidence="high")


def pages_of(*events: Event) -> list[int]:
    return [line.page for line in events_shown(events, "Ostermere Instruments, Inc.")]


def test_one_deal_that_two_sentences_tell_of_is_told_once() -> None:
    deals = [
        event("On November 7, 2022, we agreed to acquire Nordlys, a marketplace for vehicles.", 7),
        event("On November 7, 2022, the Company entered into an agreement of merger with Nordlys.", 21),
        event("In November 2022, we announced the acquisition of a marketplace.", 25),
        event("In March 2022 we acquired Bakker Trading.", 30),
        event("On March 3, 2022, we acquired a mill.", 31),
    ]
    assert pages_of(*deals) == [7, 30]
    assert pages_of(
        event("On May 2, 2022, we acquired a mill.", 1), event("On May 9, 2022, we acquired another.", 2)
    ) == [
        1,
        2,
    ]


@pytest.mark.parametrize(
    ("kind", "quote", "expected"),
    [
        ("acquisition", "On 2 May 2022, the Group largely completed its acquisition of Bakker Trading.", True),
        ("acquisition", "Ostermere Instruments, Inc. acquired Bakker Trading in May 2022.", True),
        ("acquisition", "In May 2022, the Company completed the purchase of the Twente property.", False),
        ("acquisition", "In May 2022, we also completed the purchase of Bakker Trading.", False),
        ("acquisition", "Drilling commenced in June 2022 shortly after the Company acquired the mine.", False),
        ("acquisition", "Our loans comprise those that were acquired in 2022 with Bakker Trading.", False),
        ("litigation", "On June 6, 2022, a holder filed a class action complaint against us.", True),
        ("litigation", "In May 2022 Ostermere filed a complaint about the theft of its drawings.", True),
        ("litigation", "Nordlys filed a second complaint against Bakker Limited in May 2022.", False),
        ("litigation", "We filed a motion to dismiss the amended complaint in August 2022.", False),
        ("leadership_change", "He was appointed interim chief in May 2022.", False),
        ("leadership_change", "Ms. Bakker was appointed chair in March 2022.", True),
        ("leadership_change", "Ann Bakker Ms. Bakker was appointed chair in March 2022.", False),
        ("leadership_change", "(3) Ms. Bakker was appointed chair in March 2022.", False),
    ],
)
def test_an_event_is_shown_that_its_sentence_tells_of_the_company(kind: str, quote: str, expected: bool) -> None:
    assert bool(pages_of(event(quote, 1, kind))) is expected


def test_a_whole_sentence_is_shown_before_one_that_is_cut_off() -> None:
    cut = event(
        "On May 9, 2022, we entered into an agreement with Nordlys under which each share of", 1, "acquisition"
    )
    whole = [event("In June 2022 we acquired a mill.", 2), event("In July 2022 we acquired a forge.", 3)]
    assert pages_of(cut, *whole) == [2, 3]
    assert [line.text[-3:] for line in events_shown([cut], "Ostermere Instruments, Inc.")] == [" …”"]


def section(title: str, first: int, last: int, **about: Any) -> Section:
    known: dict[str, Any] = {"kind": "", "level": 1, "source": "contents", "is_main": False}
    return Section(title=title, first_page=first, last_page=last, **{**known, **about})


def test_statements_stand_in_the_contents_and_nothing_before_swallows_them() -> None:
    sections = [
        section("Independent auditor's report", 70, 114, kind="auditor_report", is_main=True),
        section("Financial statements", 71, 114, kind="statements", is_main=True),
        section("Statement of cash flows", 79, 114),
        section("1 Accounting policies", 81, 88, level=2, source="note"),
        section("Notice of meeting", 115, 120),
    ]
    found = contents_with_statements(sections, [("Income statement", 77), ("Cash flows", 79)])
    assert [(s.title, s.first_page, s.last_page) for s in found] == [
        ("Independent auditor's report", 70, 76),
        ("Financial statements", 71, 114),
        ("Income statement", 77, 77),
        ("Statement of cash flows", 79, 80),
        ("Notice of meeting", 115, 120),
    ]


def officer(name: str, role: Role, title: str, number: int) -> Seat:
    return Seat(
        name=name, role=role, title=title, report_sha1="ab", page_number=number, quote="", confidence="high"
    )


def test_an_officer_is_told_once_and_in_the_words_that_say_most() -> None:
    officers = [
        officer("Ann T. Lee", "chief_executive", "Chief Executive Officer", 9),
        officer("Ann Lee", "president", "President", 9),
        officer("Bob Roe", "chair", "Chairman", 2),
    ]
    listed = [
        OverviewLine(text="Ann T. Lee, President, Chief Executive Officer and Director", page=40),
        OverviewLine(text="Bob Roe, Director", page=40),
    ]
    shown = [(line.text, line.page) for line in people_shown(officers, listed)]
    assert shown == [
        ("Ann T. Lee, President, Chief Executive Officer and Director", 40),
        ("Bob Roe, Chairman", 2),
    ]


def test_a_director_whose_first_name_is_an_officer_s_last_one_is_shown() -> None:
    officers = [officer("Cora E. Thomas", "chief_executive", "Chief Executive Officer", 9)]
    listed = [OverviewLine(text="Thomas Ekholm, Director", page=9)]
    assert [line.text for line in people_shown(officers, listed)][1:] == ["Thomas Ekholm, Director"]
