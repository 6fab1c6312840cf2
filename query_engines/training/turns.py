"""Trains what a turn of a conversation does: `python -m query_engines.training.turns`.

Each file of `turns/` has the phrases of one writer, a JSON object a line: the text, with "@" for each company and "#"
for each period, and its move. Questions and small talk of the phrases beside them are turns as well, that ask or say
something. The file `set_aside` is not used for training: the report shows how this writer's turns are read.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn

from query_engines.question.classifier import core
from query_engines.routing.small_talk import SOURCE
from query_engines.routing.turns import BUCKETS, COMPANY, MOVES, WEIGHTS, Move, TurnReader, signs
from query_engines.training.topics import FOLDER as PHRASES
from query_engines.training.topics import SET_ASIDE, read_phrases

FOLDER = Path(__file__).parent / "turns"
_ONE_IN, _SHORT = 6, 9  # of the phrases; words
_EPOCHS, _RATE, _DECAY, _DROPPED, _SCALE = 60, 0.05, 2e-4, 0.2, 6.0


@dataclass(frozen=True)
class Turn:
    """What somebody writes after a question, and what that does."""

    text: str
    move: Move


def read_turns(path: Path) -> list[Turn]:
    """The turns of one writer.

    Raises:
        ValueError: a move that is none.
    """
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    wrong = next((row for row in rows if row["move"] not in MOVES), None)
    if wrong is not None:
        raise ValueError(f"{path.name}: {wrong['move']!r} is no move of a turn; known are {', '.join(MOVES)}")
    return [Turn(row["text"], row["move"]) for row in rows]


def turns_of_phrases() -> Iterator[Turn]:
    """Questions that name a topic of their own, without the company, and small talk."""
    for path in sorted(PHRASES.glob("*.tsv")):
        kept = [p for p in read_phrases(path) if path.stem != SET_ASIDE and len(p.text.split()) <= _SHORT]
        for at, phrase in enumerate(kept):
            is_talk = phrase.topic.startswith("talk_")
            move: Move = "again" if phrase.topic == SOURCE else "says" if is_talk else "asks"
            if is_talk or at % _ONE_IN == 0:
                is_named = not is_talk and at % (2 * _ONE_IN) == 0
                yield Turn(core(phrase.text.replace("{company}", COMPANY if is_named else " ")), move)


def train(turns: Sequence[Turn]) -> dict[str, np.ndarray]:
    """The weights by which these turns are read; the same each time."""
    torch.manual_seed(0)
    chance = np.random.default_rng(0)
    rows = torch.zeros(len(turns), BUCKETS)
    for at, turn in enumerate(turns):
        indices, counts = signs(turn.text)
        rows[at].index_add_(0, torch.from_numpy(indices), torch.from_numpy(counts * _SCALE))
    moves = torch.tensor([MOVES.index(turn.move) for turn in turns])
    network = nn.Linear(BUCKETS, len(MOVES))
    nn.init.zeros_(network.weight)
    optimizer = torch.optim.AdamW(network.parameters(), lr=_RATE, weight_decay=_DECAY)
    for _ in range(_EPOCHS):
        kept = torch.from_numpy(chance.random(rows.shape) >= _DROPPED)
        loss = nn.functional.cross_entropy(network(rows * kept), moves, label_smoothing=0.02)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch's own
        optimizer.step()
    weights = network.weight.detach().numpy().T * _SCALE
    return {
        "weights": weights.astype(np.float16),
        "bias": network.bias.detach().numpy().astype(np.float16),
        "moves": np.array(MOVES),
    }


def report(reader: TurnReader, turns: Sequence[Turn]) -> str:
    """How many turns are read right, and which are not."""
    read = [reader.read(turn.text) for turn in turns]
    wrong = Counter((t.move, r.move) for t, r in zip(turns, read, strict=True) if t.move != r.move)
    right = len(turns) - sum(wrong.values())
    pairs = ", ".join(f"{meant} as {read_as} {count}" for (meant, read_as), count in wrong.most_common(12))
    return f"{len(turns)} turns: {right / len(turns):.3f} right; {pairs}"


def main() -> None:
    """Train on all writers except the one set aside, write the weights, and report on that one."""
    hands = {path.stem: read_turns(path) for path in sorted(FOLDER.glob("*.jsonl"))}
    own = [turn for hand, turns in hands.items() if hand != SET_ASIDE for turn in turns]
    arrays = train([*own, *turns_of_phrases()])
    np.savez_compressed(WEIGHTS, **arrays)  # type: ignore[arg-type]  # numpy's stubs take the names for options
    for hand, turns in hands.items():
        print(f"{hand}: {report(TurnReader.load(), turns)}")  # noqa: T201 - this is a command


if __name__ == "__main__":
    main()
