"""The overview of a report of the samples, and what it says of nothing."""

from pathlib import Path

import pytest

from app import open_pageproof
from app.library.overview import Overview, OverviewFigure, OverviewLine, OverviewSection, overview_markdown
from storage.errors import UsageError
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
