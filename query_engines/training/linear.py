"""Trains the linear readers: what a turn of a conversation does, and what a yes-or-no question asks of a figure.

`python -m query_engines.training.linear`: each file of `turns/` and `whether/` has the phrases of one writer, a JSON
object a line: the text, with "@" for each company, "#" for each period, "X" for the figure and "N" for each number, and
its label. Questions and small talk of the phrases beside them are turns as well, that ask or say something. The file
`set_aside` is not used for training: the report shows how this writer's are read.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn

from query_engines.question import standing
from query_engines.question.classifier import LINEAR_BUCKETS, LinearReader, core
from query_engines.routing import slots
from query_engines.routing.dialogue import SOURCE
from query_engines.training.topics import FOLDER as PHRASES
from query_engines.training.topics import SET_ASIDE, read_phrases

FOLDER = Path(__file__).parent
LABELS: dict[str, tuple[str, ...]] = {"turns": slots.MOVES, "whether": standing.ASKS}
WEIGHTS = {"turns": slots.TURNS, "whether": standing.WHETHER}
SURE = {"turns": slots.SURE_OF_MOVE, "whether": standing.SURE_OF_ASKED}
IDLE = {"turns": ("asks", "says"), "whether": ("equal", "other")}  # labels after which nothing is done
_ONE_IN, _SHORT = 6, 9  # of the phrases; words
_EPOCHS, _RATE, _DECAY, _DROPPED, _SCALE = 60, 0.05, 2e-4, 0.2, 6.0


@dataclass(frozen=True)
class Labelled:
    """A text, and which of the known things it does."""

    text: str
    label: str


def read_labelled(path: Path) -> list[Labelled]:
    """The phrases of one writer.

    Raises:
        ValueError: a label that the readers of this folder do not know.
    """
    known = LABELS[path.parent.name]
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    wrong = next((row for row in rows if row["label"] not in known), None)
    if wrong is not None:
        raise ValueError(f"{path.name}: {wrong['label']!r} is no label; known are {', '.join(known)}")
    return [Labelled(row["text"], row["label"]) for row in rows]


def turns_of_phrases() -> Iterator[Labelled]:
    """Questions that name a topic of their own, without the company, and small talk."""
    for path in sorted(PHRASES.glob("*.tsv")):
        kept = [p for p in read_phrases(path) if path.stem != SET_ASIDE and len(p.text.split()) <= _SHORT]
        for at, phrase in enumerate(kept):
            is_talk = phrase.topic.startswith("talk_")
            move = "again" if phrase.topic == SOURCE else "says" if is_talk else "asks"
            if is_talk or at % _ONE_IN == 0:
                is_named = not is_talk and at % (2 * _ONE_IN) == 0
                yield Labelled(core(phrase.text.replace("{company}", slots.COMPANY if is_named else " ")), move)


def train(phrases: Sequence[Labelled], labels: Sequence[str]) -> dict[str, np.ndarray]:
    """The weights by which these phrases are read; the same each time."""
    torch.manual_seed(0)
    chance = np.random.default_rng(0)
    rows = torch.zeros(len(phrases), LINEAR_BUCKETS)
    for at, phrase in enumerate(phrases):
        indices, counts = LinearReader.signs(phrase.text)
        rows[at].index_add_(0, torch.from_numpy(indices), torch.from_numpy(counts * _SCALE))
    targets = torch.tensor([labels.index(phrase.label) for phrase in phrases])
    network = nn.Linear(LINEAR_BUCKETS, len(labels))
    nn.init.zeros_(network.weight)
    nn.init.zeros_(network.bias)
    optimizer = torch.optim.AdamW(network.parameters(), lr=_RATE, weight_decay=_DECAY)
    for _ in range(_EPOCHS):
        kept = torch.from_numpy(chance.random(rows.shape) >= _DROPPED)
        loss = nn.functional.cross_entropy(network(rows * kept), targets, label_smoothing=0.02)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch's own
        optimizer.step()
    weights = network.weight.detach().numpy().T * _SCALE
    bias = network.bias.detach().numpy()
    return {"weights": weights.astype(np.float16), "bias": bias.astype(np.float16), "labels": np.array(labels)}


def report(name: str, phrases: Sequence[Labelled]) -> str:
    """How many phrases are read right, and how many of those that are acted on are read wrong."""
    reader = LinearReader.load(WEIGHTS[name])
    read = [(phrase.label, *reader.read(phrase.text)) for phrase in phrases]
    right = sum(meant == found for meant, found, _ in read) / len(read)
    acting = [
        meant == found
        for meant, found, probability in read
        if probability >= SURE[name] and found not in IDLE[name]
    ]
    wrong = Counter((meant, found) for meant, found, _ in read if meant != found)
    pairs = ", ".join(f"{meant} as {found} {count}" for (meant, found), count in wrong.most_common(12))
    return (
        f"{len(read)} phrases: {right:.3f} right; acted on {len(acting)}, {acting.count(False)} of them wrong;"
        f" {pairs}"
    )


def main() -> None:
    """Train on all writers except the one set aside, write the weights, and report on each."""
    for name, labels in LABELS.items():
        hands = {path.stem: read_labelled(path) for path in sorted((FOLDER / name).glob("*.jsonl"))}
        own = [phrase for hand, phrases in hands.items() if hand != SET_ASIDE for phrase in phrases]
        arrays = train([*own, *(turns_of_phrases() if name == "turns" else ())], labels)
        np.savez_compressed(WEIGHTS[name], **arrays)  # type: ignore[arg-type]  # numpy's stubs take names for options
        for hand, phrases in hands.items():
            read = report(name, phrases)
            print(f"{name}, {hand}: {read}")  # noqa: T201 - this is a command


if __name__ == "__main__":
    main()
