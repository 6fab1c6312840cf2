"""From chunks to pages, and from pages to what is answered from."""

from collections.abc import Sequence

import pytest
from llama_index.core.schema import NodeWithScore, TextNode

from query_engines.retrieval.page_nodes import (
    PageNode,
    ParentPagePostprocessor,
    TopPagesPostprocessor,
    found_page,
    scaled,
)
from tests.support.example_pages import plain_pages


def chunk(page: int, score: float, number: int = 0) -> NodeWithScore:
    metadata = {"report_sha1": "a", "page": page}
    return NodeWithScore(
        node=TextNode(id_=f"a:{page}:{number}", text=f"c{page}.{number}", metadata=metadata), score=score
    )


def pages_of(nodes: Sequence[NodeWithScore]) -> list[tuple[int, float | None]]:
    return [(node.metadata["page"], node.score) for node in nodes]


def test_each_page_comes_once_with_its_best_chunk_s_score() -> None:
    found = ParentPagePostprocessor().postprocess_nodes([chunk(4, 0.2), chunk(7, 0.5), chunk(4, 0.9, 1)])
    assert pages_of(found) == [(4, 0.9), (7, 0.5)]
    assert found[0].metadata["chunk_ids"] == ["a:4:1", "a:4:0"]


def test_a_table_that_goes_on_on_the_next_page_brings_its_other_page_right_behind() -> None:
    parents = ParentPagePostprocessor(goes_on=frozenset({4}))
    assert pages_of(parents.postprocess_nodes([chunk(4, 0.9), chunk(8, 0.5)])) == [(4, 0.9), (5, 0.9), (8, 0.5)]
    assert pages_of(parents.postprocess_nodes([chunk(5, 0.9), chunk(8, 0.5)])) == [(5, 0.9), (4, 0.9), (8, 0.5)]


def test_a_page_that_was_found_itself_is_not_brought_again() -> None:
    parents = ParentPagePostprocessor(goes_on=frozenset({4, 5}))
    assert pages_of(parents.postprocess_nodes([chunk(4, 0.9), chunk(5, 0.5)])) == [(4, 0.9), (5, 0.5), (6, 0.5)]


@pytest.mark.parametrize(("whole", "texts"), [(True, ["page 4", "page 7"]), (False, ["c4.0", "page 7"])])
def test_the_top_pages_have_their_record_and_the_chosen_text(whole: bool, texts: list[str]) -> None:
    (four,) = ParentPagePostprocessor().postprocess_nodes([chunk(4, 0.9)])
    nodes = [four, found_page("a", 7, 0.8), found_page("a", 9, 0.7)]

    top = TopPagesPostprocessor(read_pages=plain_pages, page_count=2, whole_pages=whole).postprocess_nodes(nodes)

    assert [n.get_content() for n in top] == texts
    assert [n.node.page.page_number for n in top if isinstance(n.node, PageNode)] == [4, 7]


def test_first_stage_scores_are_scaled_within_the_candidates() -> None:
    assert scaled([found_page("a", 1, 0.6), found_page("a", 2, 0.4), found_page("a", 3, 0.5)]) == pytest.approx(
        {1: 1, 2: 0, 3: 0.5}
    )
    assert scaled([found_page("a", 1, 0.6)]) == {1: 1.0}
    assert scaled([]) == {}
