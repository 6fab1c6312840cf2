"""Passages to read: which of a report's come nearest to a question."""

import numpy as np
from llama_index.core.schema import NodeWithScore, TextNode

from query_engines.rerank.passages import SIGNS, NearPassages, Weights, passages_of
from query_engines.training.passages import Example, OpenQuestion, trained, written
from storage.records.pages import Block, BlockKind, Page
from storage.records.record import Box
from storage.records.reports import Report

REPORT = Report(sha1="ab", file="acme.pdf", company="Acme", page_count=2)
HEDGES = "We sell dollars forward for twelve months, so that a weak dollar hurts our margins only later."
LAW = "A former distributor sued us in Delft in March, and the court has not set a day for the hearing yet."
REASON = "Net sales fell in 2022 due to fewer orders of mills, while services grew a little in all regions."


def page(number: int, *texts: str) -> Page:
    def block(at: int, text: str) -> Block:
        kind: BlockKind = "heading" if text.startswith("# ") else "paragraph"
        return Block(kind=kind, text=text.removeprefix("# "), box=Box(left=0, top=at, right=9, bottom=at + 1))

    return Page(
        report_sha1="ab", page_number=number, width=9, height=99, blocks=tuple(map(block, range(99), texts))
    )


PAGES = [page(1, "# Currencies", HEDGES, "# Legal proceedings", LAW), page(2, "# Net sales", REASON)]


class Chunks:
    """Finds chunks by the words that they share with a question."""

    report = REPORT
    index = None

    def __init__(self) -> None:
        self.words = self

    def best(self, text: str, count: int) -> list[NodeWithScore]:
        asked = set(text.lower().split())
        found = [
            NodeWithScore(
                node=TextNode(text=f"Acme 2022\n{block.text}", metadata={"page": p.page_number}),
                score=float(len(asked & set(block.text.lower().split()))),
            )
            for p in PAGES
            for block in p.blocks
            if block.kind == "paragraph"
        ]
        return sorted(found, key=lambda node: -(node.score or 0))[:count]


def read(sha1: str, numbers: object) -> list[Page]:
    del sha1
    return [p for p in PAGES if p.page_number in numbers]  # type: ignore[operator]


def near(meanings: dict[str, float] | None = None) -> NearPassages:
    likeness = None
    if meanings is not None:

        def likeness(question: str, texts: object) -> list[float]:
            del question
            return [next((m for word, m in meanings.items() if word in text), 0.1) for text in texts]  # type: ignore[attr-defined]

    return NearPassages(Chunks(), read, likeness)  # type: ignore[arg-type]


def test_a_passage_has_the_heading_above_it() -> None:
    assert [(p.heading, p.text) for p in passages_of(PAGES)] == [
        ("Currencies", HEDGES),
        ("Legal proceedings", LAW),
        ("Net sales", REASON),
    ]


def test_a_passage_never_has_a_heading_that_stands_below_it() -> None:
    begins = page(3, HEDGES, "# Legal proceedings", LAW).model_copy(
        update={"section": ("Notes", "Legal proceedings")}
    )
    assert [p.heading for p in passages_of([begins])] == ["Notes", "Legal proceedings"]


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    long = " ".join(
        f"The mill number {n} grinds the wheat of the villages around it for many years." for n in range(30)
    )
    found = [p.text for p in passages_of([page(1, long)])]
    assert len(found) > 2
    assert all(text.endswith(".") for text in found)
    assert " ".join(found) == long


def test_the_passage_that_means_the_same_comes_first_though_it_has_no_word_of_the_question() -> None:
    ranked = near({"dollars forward": 0.8}).ranked("How is it protected against exchange rates?")
    assert ranked[0].passage.text == HEDGES
    assert ranked[0].probability > ranked[1].probability


def test_without_an_embedding_model_words_decide() -> None:
    assert near().ranked("Who sued the distributor in Delft?")[0].passage.text == LAW


def test_what_is_said_twice_is_shown_once() -> None:
    PAGES.append(page(3, "# Again", LAW.replace("March", "April")))
    try:
        texts = [one.passage.text for one in near().ranked("Who sued the distributor in Delft?")]
    finally:
        PAGES.pop()
    assert sum("sued us" in text for text in texts) == 1


def test_a_question_without_any_word_of_the_report_still_has_an_order() -> None:
    assert len(near().ranked("Xyzzy?")) == 3


def test_a_page_is_as_near_as_its_nearest_passage() -> None:
    law, reason = near().by_page("Who sued the distributor in Delft?", 2)
    assert law == 1
    assert 0 < reason < 1
    assert near().by_page("Why did net sales of mills fall?", 3).tolist()[1:] == [1, 0]


def test_training_finds_the_sign_that_tells() -> None:
    rng = np.random.default_rng(0)
    examples = []
    for _ in range(60):
        signs = rng.normal(size=(8, len(SIGNS)))
        answers = np.zeros(8)
        answers[signs[:, 4].argmax()] = 1
        examples.append(Example(signs, answers))
    weights = trained(examples)
    assert abs(weights.weights).argmax() == 4
    assert all(one.answers[weights.of(one.signs).argmax()] for one in examples)
    assert trained(examples).weights.tolist() == weights.weights.tolist()
    assert '"words"' in written(weights)


def test_the_weights_that_come_along_have_every_sign() -> None:
    weights = Weights.load()
    assert weights.weights.shape == (len(SIGNS),)
    assert (weights.spread > 0).all()


def test_a_passage_answers_where_its_page_prints_the_words() -> None:
    asked = OpenQuestion("ab", "Why?", ((2, "due to fewer orders"),))
    assert asked.is_answered_by(2, REASON)
    assert not asked.is_answered_by(1, REASON)
    assert not asked.is_answered_by(2, LAW)
