"""What a turn of a conversation does with the question before, and what a yes or no asks of a figure."""

import json
from decimal import Decimal
from pathlib import Path

import pytest

from query_engines.question.classifier import LinearReader, names_of
from query_engines.question.standing import WHETHER, Asks, as_phrase, judged
from query_engines.routing.slots import Move, read_turn
from query_engines.training.linear import FOLDER, Labelled, read_labelled, train
from query_engines.training.topics import SET_ASIDE
from storage.records.derived_metrics import DerivedMetrics
from storage.records.metrics import Ontology

ONTOLOGY = Ontology.load()
DERIVED = DerivedMetrics.load(ONTOLOGY)


@pytest.mark.parametrize(
    ("turn", "move"),
    [
        ("and @?", "other"),
        ("what was it in #", "other"),
        ("up by how many percent", "growth"),
        ("and by how much?", "change"),
        ("so did it go up?", "direction"),
        ("how come?", "why"),
        ("is that more than @ has?", "more"),
        ("who of them has the most?", "highest"),
        ("and who has the fewest", "lowest"),
        ("which one grew most", "grew_most"),
        ("put them side by side", "compare"),
        ("rank these please", "rank"),
        ("as a percentage of total assets?", "share"),
        ("on which page is that?", "again"),
        ("without the one-offs?", "part"),
        ("and net income?", "asks"),
        ("does it pay dividends?", "asks"),
        ("thanks a lot", "says"),
    ],
)
def test_a_turn_does_one_thing_with_the_question_before(turn: str, move: Move) -> None:
    assert read_turn(turn)[0] == move


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Does @ have any X?", "exists"),
        ("Was @'s X positive in #?", "positive"),
        ("is X negative", "negative"),
        ("Does @ employ more than N X?", "above"),
        ("X < N?", "below"),
        ("Did X grow in the year?", "rose"),
        ("has X shrunk", "fell"),
        ("Will X rise next year?", "other"),
        ("Was X not below N?", "other"),
        ("Is X enough to pay the interest?", "other"),
    ],
)
def test_a_yes_or_no_asks_one_thing_of_a_figure(text: str, asks: Asks) -> None:
    assert LinearReader.load(WHETHER).read(text)[0] == asks


@pytest.mark.parametrize(("name", "least"), [("turns", 0.84), ("whether", 0.86)])
def test_most_phrases_of_somebody_never_trained_on_are_read_right(name: str, least: float) -> None:
    phrases = read_labelled(FOLDER / name / f"{SET_ASIDE}.jsonl")
    reader = LinearReader.load(WHETHER) if name == "whether" else None
    read = [reader.read(p.text)[0] if reader else read_turn(p.text)[0] for p in phrases]
    right = sum(found == phrase.label for found, phrase in zip(read, phrases, strict=True))
    assert len(phrases) >= 300
    assert right / len(phrases) >= least


def test_a_question_is_read_with_signs_for_what_stands_in_it() -> None:
    figure = names_of(ONTOLOGY["employees"])
    found = as_phrase("Did Acme have more than 1,200 employees in 2022?", ["Acme"], figure)
    assert found == ("Did @ have more than N X # ?", (Decimal(1_200),))
    assert as_phrase("Is revenue above $1.5 million?", [], figure)[1] == (Decimal(1_500_000),)


def test_a_judgement_rests_on_the_figure_or_on_its_change() -> None:
    revenue = ONTOLOGY["total_revenue"]
    above, rose, ahead = (
        judged(text, ["Acme"], revenue, DERIVED)
        for text in (
            "Did Acme's revenue exceed 2 billion?",
            "Did Acme's revenue grow?",
            "Will Acme's revenue grow?",
        )
    )
    assert above is not None
    assert above[1].formulas == ("total_revenue",)
    assert above[0].holds(Decimal(2_000_000_001))
    assert not above[0].holds(Decimal(2_000_000_000))
    assert rose is not None
    assert rose[1].formulas == ("total_revenue - opening(total_revenue)",)
    assert ahead is None


@pytest.mark.parametrize(
    "text",
    [
        "Did Acme pay any dividends in 2022?",
        "Hat Acme 2022 eine Dividende gezahlt?",
        "Acme ha pagato un dividendo?",
    ],
)
def test_whether_there_is_a_dividend_is_decided_by_any_figure_of_one(text: str) -> None:
    found = judged(text, ["Acme"], ONTOLOGY["dividend_per_share"], DERIVED)
    assert found is not None
    assert (found[0].id, found[1].id) == ("pays_a_dividend", "dividend_of_the_year")


def test_training_twice_gives_the_same_weights() -> None:
    phrases = [Labelled("why?", "why"), Labelled("how come", "why"), Labelled("goodwill", "asks")]
    first, second = (train(phrases, ("why", "asks")) for _ in range(2))
    assert all((first[name] == second[name]).all() for name in first)


def test_a_label_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "turns").mkdir()
    file = tmp_path / "turns" / "hand.jsonl"
    file.write_text(json.dumps({"text": "why?", "label": "wonder"}), encoding="utf-8")
    with pytest.raises(ValueError, match="'wonder' is no label; known are other, growth"):
        read_labelled(file)
