"""BM25 and rank fusion against formulas worked out here."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llama_index.core.schema import NodeWithScore, TextNode

from indexes.search.bm25 import Bm25Retriever, ChunkWords
from query_engines.retrieval.retrievers import fused
from storage.text import stem, terms

TEXTS = (
    "Holley Inc. 2022 | Balance sheet\n| Goodwill | 12 |\n| Total assets | 300 |",
    "Goodwill is tested each year for impairment, and goodwill was not impaired.",
    "Revenue by country: Canada, Japan",
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Résultat net", ["resultat", "net"]),
        ("RESULTAT NET", ["resultat", "net"]),
        ("Umsatzerlöse für Maße", ["umsatzerlos", "fur", "mass"]),
        ("売上高", ["売上", "上高"]),
        ("連結の売上高は増加", ["連結", "結の", "の売", "売上", "上高", "高は", "は増", "増加"]),
        ("营业收入 2023年", ["营业", "业收", "收入", "年", "2023"]),
        ("円", ["円"]),
    ],
)
def test_words_are_without_accents_and_ideographs_come_in_pairs(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_a_japanese_question_finds_the_chunk_with_its_words() -> None:
    chunks = ["当社グループの売上高は海外の需要により増加しました。", "取締役会は配当を決議しました。"]
    words = ChunkWords([node(i, text) for i, text in enumerate(chunks)])
    assert [found.node.id_ for found in words.best("連結売上高", 2)] == ["n0"]


def node(number: int, text: str, page: int | None = None) -> TextNode:
    return TextNode(id_=f"n{number}", text=text, metadata={"page": page or number + 1, "report_sha1": "a"})


def lucene_bm25(query: str, documents: list[list[str]]) -> list[float]:
    """Lucene's variant, as its documentation writes it: k1 1.2, b 0.75, idf ln(1 + (N - n + 0.5) / (n + 0.5))."""
    mean = sum(map(len, documents)) / len(documents)
    scores = []
    for document in documents:
        counts, score = Counter(document), 0.0
        for word in dict.fromkeys(terms(query)):
            having = sum(word in other for other in documents)
            idf = math.log(1 + (len(documents) - having + 0.5) / (having + 0.5))
            score += idf * counts[word] / (counts[word] + 1.2 * (0.25 + 0.75 * len(document) / mean))
        scores.append(score)
    return scores


@pytest.mark.parametrize(
    "query", ["goodwill", "total assets", "goodwill impairment in Japan", "submarines", "the"]
)
def test_scores_are_those_of_the_formula(query: str) -> None:
    words = ChunkWords([node(i, text) for i, text in enumerate(TEXTS)])
    expected = lucene_bm25(query, [terms(text) for text in TEXTS])
    assert words.scores(query).tolist() == pytest.approx(expected, rel=1e-5)


def test_a_chunk_without_any_asked_word_is_not_found() -> None:
    words = ChunkWords([node(i, text) for i, text in enumerate(TEXTS)])
    assert [n.node.node_id for n in Bm25Retriever(words, 5).retrieve("Japanese revenues, Japan")] == ["n2"]
    assert ChunkWords([]).best("goodwill", 5) == []


def test_a_page_has_the_share_of_its_best_chunk() -> None:
    words = ChunkWords([node(0, TEXTS[0], 2), node(1, TEXTS[2], 2), node(2, TEXTS[1], 4)])
    goodwill = words.scores("goodwill")
    shares = words.page_shares("goodwill", 4).tolist()
    assert shares == pytest.approx([0, goodwill[0] / goodwill[2], 0, 1])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("liabilities", "liability"),
        ("capitalised", "capitalized"),
        ("amortisation", "amortization"),
        ("purchases", "purchase"),
        ("leased", "leases"),
    ],
)
def test_forms_of_a_word_are_one_word(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_different_words_stay_apart() -> None:
    assert len({stem(w) for w in ("loss", "lease", "asset", "assess", "price", "gas", "q4", "10-k")}) == 8


@given(st.lists(st.permutations("abcdef"), min_size=1, max_size=3), st.integers(1, 6))
def test_fusion_sums_reciprocal_ranks_and_keeps_the_best(rankings: list[list[str]], count: int) -> None:
    nodes = {name: NodeWithScore(node=TextNode(id_=name, text=name), score=0.5) for name in "abcdef"}
    expected = {name: sum(1 / (61 + ranking.index(name)) for ranking in rankings) for name in "abcdef"}

    found = fused([[nodes[name] for name in ranking] for ranking in rankings], count)

    assert len(found) == count
    assert [n.score for n in found] == pytest.approx(sorted(expected.values(), reverse=True)[:count])
    assert all(n.score == pytest.approx(expected[n.node.node_id]) for n in found)


def test_what_both_find_comes_before_what_one_finds_first() -> None:
    a, b, c = (NodeWithScore(node=TextNode(id_=name, text=name), score=1.0) for name in "abc")
    assert [n.node.node_id for n in fused([[a, b], [c, b]], 3)] == ["b", "a", "c"]
