"""What a reader of a report selects, searches and finds his way with."""

from pathlib import Path

import pytest

from app.library.report_text import MOST_HITS, ReportTexts, printed_numbers
from storage.errors import MissingIndex
from storage.paths import DataPaths
from storage.records.pages import Block, Page
from storage.records.record import Box
from storage.stores.pages import PageStore
from tests.support import example_pages
from tests.support.long_report import FIGURE, PAGES, WORDS, write_long_report


@pytest.fixture
def paths(tmp_path: Path) -> DataPaths:
    return DataPaths(tmp_path)


def store(paths: DataPaths, *pages: Page, reader: str = "reader") -> str:
    PageStore(paths.pages, reader).write(pages[0].report_sha1, pages)
    return pages[0].report_sha1


def page_of(*lines: str) -> Page:
    return example_pages.pages([example_pages.block(*lines)])[0]


@pytest.mark.parametrize(
    "words",
    [
        "Total Assets 7,000",
        "shareholders' equity",
        "SHARE-HOLDERS’ ÉQUITY",
        "  words of page 7 and share-holders ",
    ],
)
def test_words_are_found_whatever_their_capitals_accents_hyphens_and_line_ends(
    paths: DataPaths, words: str
) -> None:
    found = ReportTexts().find(paths, write_long_report(paths).sha1, words)
    assert 7 in {hit.page for hit in found.hits}
    assert len(found.hits) in (1, PAGES)


def test_a_hit_in_a_table_is_marked_cell_by_cell(paths: DataPaths) -> None:
    (hit,) = ReportTexts().find(paths, write_long_report(paths).sha1, "assets 7,000").hits
    label, figure = hit.boxes
    assert figure == FIGURE
    assert 100 < label.left < 140
    assert label.right == pytest.approx(172)
    assert (hit.before[-6:], hit.text, hit.page) == ("Total ", "assets 7,000", 7)


def test_a_hit_within_a_line_is_marked_where_its_letters_are(paths: DataPaths) -> None:
    hits = ReportTexts().find(paths, write_long_report(paths).sha1, "Words").hits
    (box,) = hits[0].boxes
    assert (box.left, box.top, box.bottom) == (WORDS.left, WORDS.top, WORDS.bottom)
    assert WORDS.left + 30 < box.right < WORDS.left + 60


def test_a_hit_after_broken_words_is_still_marked_where_it_is(paths: DataPaths) -> None:
    sha1 = store(
        paths, page_of("long-term share-", "holders and non-controlling in-", "terests fall in long-term")
    )
    texts = ReportTexts()
    (first, second) = texts.find(paths, sha1, "longterm").hits
    assert [hit.text for hit in (first, second)] == ["long-term", "long-term"]
    assert (first.boxes[0].top, second.boxes[0].top) == (0, 40)
    (broken,) = texts.find(paths, sha1, "interests").hits
    assert (broken.text, len(broken.boxes)) == ("in- terests", 2)


def test_a_search_gives_no_more_than_can_be_shown(paths: DataPaths) -> None:
    sha1 = store(paths, page_of(*["a" * 90] * 30))
    found = ReportTexts().find(paths, sha1, "a")
    assert (len(found.hits), found.is_cut) == (MOST_HITS, True)
    assert ReportTexts().find(paths, sha1, " ").hits == ()


@pytest.mark.parametrize("words", ["(", "[a-", "\\", "a.c", "$", "-"])
def test_signs_are_searched_as_they_are(paths: DataPaths, words: str) -> None:
    sha1 = store(paths, page_of("abc ( [a- \\ $ end"))
    found = ReportTexts().find(paths, sha1, words).hits
    assert [hit.text for hit in found] == ([] if words == "a.c" else [words.replace("[a-", "[a-")])


def test_the_latest_reading_is_searched_and_a_report_without_one_says_so(paths: DataPaths) -> None:
    texts, sha1 = ReportTexts(), store(paths, page_of("first reading"))
    assert texts.find(paths, sha1, "first").hits
    store(paths, page_of("second reading"))
    assert not texts.find(paths, sha1, "first").hits
    with pytest.raises(MissingIndex, match="ingest it again"):
        texts.find(paths, "c" * 40, "first")


def test_a_page_is_given_line_by_line_and_a_table_cell_by_cell(paths: DataPaths) -> None:
    text = ReportTexts().page(paths, write_long_report(paths).sha1, 7)
    assert [piece.text for piece in text.pieces] == [
        "Words of page 7 and share-",
        "holders’ équity",
        "Total assets",
        "7,000",
    ]
    assert text.source == "text_layer"
    assert ReportTexts().page(paths, "c" * 40, 1).pieces == ()
    assert ReportTexts().page(paths, write_long_report(paths).sha1, PAGES + 1).pieces == ()


def test_damaged_words_and_contents_leave_the_pages_to_be_read(paths: DataPaths) -> None:
    sha1 = write_long_report(paths).sha1
    assert len(ReportTexts().contents(paths, sha1)) == 3
    for file in [*(paths.pages / sha1).iterdir(), *(paths.facts / sha1).iterdir()]:
        file.write_bytes(b"damaged")
    assert ReportTexts().page(paths, sha1, 1).pieces == ()
    assert ReportTexts().contents(paths, sha1) == ()


def footers(*texts: str) -> list[Page]:
    pages = example_pages.pages(*([example_pages.block("Words of a page 7.")] for _ in texts))
    return [
        page.model_copy(
            update={
                "blocks": (
                    *page.blocks,
                    Block(kind="furniture", text=text, box=Box(left=0, top=700, right=100, bottom=710)),
                )
            }
        )
        for page, text in zip(pages, texts, strict=True)
    ]


@pytest.mark.parametrize(
    ("texts", "printed"),
    [
        (["Cover", "Inside", "1", "2", "3"], {3: "1", 4: "2", 5: "3"}),
        (["- 4 -", "Annual Report 2022 | 5", "6 Acme plc", "Page | 7"], {1: "4", 2: "5", 3: "6", 4: "7"}),
        (["98", "99", "100", "F-1", "F-2", "F - 3"], {1: "98", 2: "99", 3: "100", 4: "F-1", 5: "F-2", 6: "F-3"}),
        (["11", "", "13", "14"], {1: "11", 3: "13", 4: "14"}),
        (["Report 2022", "Report 2022", "Report 2022"], {}),
        (["Note 3", "Note 3", "Note 9"], {}),
        (["7", "8"], {}),
        (["5 of part 45", "6 of part 46", "7 of part 47"], {}),
        (["1.5", "2.5", "3.5"], {}),
    ],
)
def test_the_numbers_that_pages_print_are_those_that_go_on_from_page_to_page(
    texts: list[str], printed: dict[int, str]
) -> None:
    assert printed_numbers(footers(*texts)) == printed


def test_only_a_printed_number_that_is_not_the_page_s_own_is_given(paths: DataPaths) -> None:
    pages = footers("1", "2", "3", "9", "10", "11", *map(str, range(12, 40)))
    sha1, count, texts = store(paths, *pages), len(pages), ReportTexts()
    assert [texts.printed(paths, sha1, page, count) for page in (1, 2, 4, 21, count)] == ["", "", "9", "26", "39"]
    assert texts.printed(paths, "0" * 40, 1, 5) == ""
