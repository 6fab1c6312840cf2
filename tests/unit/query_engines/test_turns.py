"""What a turn of a conversation does with the question before."""

import json
from pathlib import Path

import pytest

from query_engines.routing.turns import Move, TurnReader
from query_engines.training.topics import SET_ASIDE
from query_engines.training.turns import FOLDER, Turn, read_turns, train

READER = TurnReader.load()


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
    assert READER.read(turn).move == move


def test_most_turns_of_somebody_never_trained_on_are_read_right() -> None:
    turns = read_turns(FOLDER / f"{SET_ASIDE}.jsonl")
    right = sum(READER.read(turn.text).move == turn.move for turn in turns)
    assert len(turns) >= 400
    assert right / len(turns) >= 0.84


def test_training_twice_gives_the_same_weights() -> None:
    turns = [
        Turn("why?", "why"),
        Turn("how come", "why"),
        Turn("and net income?", "asks"),
        Turn("goodwill", "asks"),
    ]
    first, second = train(turns), train(turns)
    assert all((first[name] == second[name]).all() for name in first)


def test_a_move_that_is_none_is_named(tmp_path: Path) -> None:
    file = tmp_path / "hand.jsonl"
    file.write_text(json.dumps({"text": "why?", "move": "wonder"}), encoding="utf-8")
    with pytest.raises(ValueError, match="'wonder' is no move of a turn"):
        read_turns(file)
