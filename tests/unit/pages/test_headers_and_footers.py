"""What belongs to every page is told from what is said on one."""

from indexes.enrichment.headers_footers import mark_headers_footers
from storage.records.pages import Block, Page
from storage.records.record import Box


def page(number: int, *texts: tuple[str, float]) -> Page:
    blocks = tuple(
        Block(kind="paragraph", text=text, box=Box(left=50, top=top, right=300, bottom=top + 10))
        for text, top in texts
    )
    return Page(report_sha1="ab", page_number=number, width=600, height=800, blocks=blocks)


def headers_footers(read: Page) -> list[str]:
    return [b.text for b in read.blocks if b.kind == "furniture"]


def test_a_page_number_below_a_short_print_is_a_header_or_footer_wherever_the_print_ends() -> None:
    read = mark_headers_footers([page(1, ("Our business is engines.", 60), ("F-19", 480))])
    assert headers_footers(read[0]) == ["F-19"]


def test_a_number_that_is_not_the_lowest_text_is_none() -> None:
    read = mark_headers_footers([page(1, ("Employees", 300), ("45", 320), ("of whom women: 20", 340))])
    assert headers_footers(read[0]) == []


def test_a_head_that_comes_back_at_its_height_is_a_header_or_footer_and_one_that_does_not_is_none() -> None:
    pages = [page(n, ("Acme plc Annual report", 20), (f"Chapter of page {'abc'[n - 1]}", 300)) for n in (1, 2, 3)]
    assert [headers_footers(p) for p in mark_headers_footers(pages)] == [["Acme plc Annual report"]] * 3
    assert headers_footers(mark_headers_footers(pages[:2])[0]) == []
