"""Trains the classifier of questions on the phrases: `python -m query_engines.training.topics`.

Each file of `phrases/` has the phrases of one writer: topic, kind, operation, language and text, separated by tabs. The
files whose name begins with `set_aside` are not used for training: the report shows how well these unknown writers are
understood.
"""

import argparse
import csv
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
import torch
from torch import nn

from query_engines.company_names.vocabulary import SPOKEN_WORDS, read_words
from query_engines.question.classifier import (
    ANY_TOPIC,
    HASHED,
    HEADS,
    TOPIC_WORDS,
    WEIGHTS,
    QuestionClassifier,
    core,
    ngrams,
)
from storage.records.metrics import OTHER_LANGUAGES, Ontology, significant
from storage.text import plain

FOLDER = Path(__file__).parent / "phrases"
SET_ASIDE = "set_aside"
# Two metrics that questions do not distinguish from a similar one in another statement.
_ONE_TOPIC = {"net_income_in_cash_flow": "net_income", "cash_at_end": "cash"}
_UNREAD = {"japanese", "chinese"}  # the n-grams are of Latin letters
_HIDDEN, _EPOCHS, _BATCH, _RATE, _DROPPED, _WORDS_DROPPED = 128, 14, 128, 3e-3, 0.3, 0.2
_SMOOTHING, _SIDE_LOSS = 0.05, 0.5
_OPENING = 4.0
_SEEDS = (0, 1, 2)
_OF_ANY_TOPIC, _ABOVE_ALL = 24, 0.4  # topics of a word that says nothing of any, and the share of its uses for one
_SPOKEN_BY = 3  # phrases in which a word stands that belongs to a language and not to one phrase


@dataclass(frozen=True)
class Phrase:
    """One phrase and its meaning. A printed label has no language and no kind for training."""

    topic: str
    kind: str
    operation: str
    language: str
    text: str


def read_phrases(path: Path) -> list[Phrase]:
    """The phrases of one writer.

    Raises:
        ValueError: a line does not have five columns.
    """
    return [Phrase(*row) for row in rows_of(path, len(Phrase.__dataclass_fields__))]


def rows_of(path: Path, columns: int) -> list[list[str]]:
    """The lines of a writer's file without its header, each cut at the tabs.

    Raises:
        ValueError: a line does not have so many columns.
    """
    with path.open(encoding="utf-8", newline="") as opened:
        _, *rows = csv.reader(opened, delimiter="\t", quoting=csv.QUOTE_NONE)
    wrong = next((number for number, row in enumerate(rows, 2) if len(row) != columns), None)
    if wrong is not None:
        raise ValueError(f"{path.name}, line {wrong}: expected {columns} columns between tabs")
    return rows


def printed_labels(ontology: Ontology) -> list[Phrase]:
    """The names of the ontology as phrases."""
    return [
        Phrase(_ONE_TOPIC.get(metric.id, metric.id), "number", "value", "", name)
        for metric in ontology.metrics
        for wording, names in {"common": metric.question_names, **metric.wordings}.items()
        if wording not in _UNREAD & OTHER_LANGUAGES
        for name in names
    ]


def spoken_words(phrases: Iterable[Phrase]) -> str:
    """The words that people use in questions: a line for each language, after its code and a tab."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for phrase in phrases:
        texts = {word.text for word in read_words(plain(phrase.text.replace("{company}", " , ")))}
        counts[phrase.language].update(text for text in texts if text.isalpha())
    lines = (
        (language, sorted(word for word, count in counted.items() if count >= _SPOKEN_BY))
        for language, counted in sorted(counts.items())
    )
    return "".join(f"{language}\t{' '.join(words)}\n" for language, words in lines)


def topic_words(phrases: Iterable[Phrase]) -> str:
    """The words that people use for a topic: a line for each topic, after its name and a tab.

    Words that are used for many topics and for none above all, such as "report", stand in the line of `ANY_TOPIC`.
    """
    used: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for phrase in phrases:
        for word in significant(core(phrase.text.replace("{company}", " "))) - {""}:
            used[word][_ONE_TOPIC.get(phrase.topic, phrase.topic)] += 1
    by_topic: defaultdict[str, set[str]] = defaultdict(set)
    for word, topics in used.items():
        says_nothing = len(topics) >= _OF_ANY_TOPIC and max(topics.values()) < _ABOVE_ALL * topics.total()
        for topic in [ANY_TOPIC] if says_nothing else topics:
            by_topic[topic].add(word)
    return "".join(f"{topic}\t{' '.join(sorted(words))}\n" for topic, words in sorted(by_topic.items()))


class _Network(nn.Module):
    rows: nn.EmbeddingBag
    bias: nn.Parameter

    def __init__(self, sizes: Sequence[int]) -> None:
        super().__init__()
        self.rows = nn.EmbeddingBag(HASHED, _HIDDEN, mode="sum")
        nn.init.normal_(self.rows.weight, std=0.1)
        self.bias = nn.Parameter(torch.zeros(_HIDDEN))
        self.dropout = nn.Dropout(_DROPPED)
        self.heads = nn.ModuleList(nn.Linear(_HIDDEN, size) for size in sizes)

    def forward(self, indices: torch.Tensor, offsets: torch.Tensor, counts: torch.Tensor) -> list[torch.Tensor]:
        hidden = _OPENING * self.rows(indices, offsets, per_sample_weights=counts) + self.bias
        hidden = self.dropout(torch.relu(hidden))
        return [head(hidden) for head in self.heads]


def train(phrases: Sequence[Phrase], seeds: Sequence[int] = _SEEDS) -> dict[str, np.ndarray]:
    """Train a classifier on these phrases; returns its arrays.

    One network for each seed is trained. They stand side by side as one, whose logits are the mean of theirs, so that
    the chance of one training weighs less.
    """
    labels = [sorted({value or "en" for value in column}) for column in _columns(phrases)]
    return _arrays([_trained(phrases, labels, seed) for seed in seeds], labels)


def _columns(phrases: Sequence[Phrase]) -> list[list[str]]:
    names = ("topic", "kind", "operation", "language")
    return [[getattr(phrase, name) or "en" for phrase in phrases] for name in names]


def _trained(phrases: Sequence[Phrase], labels: Sequence[Sequence[str]], seed: int) -> _Network:
    torch.manual_seed(seed)
    chance = np.random.default_rng(seed)
    read = [ngrams(core(phrase.text.replace("{company}", " "))) for phrase in phrases]
    targets = [
        torch.tensor([known.index(v) for v in column])
        for known, column in zip(labels, _columns(phrases), strict=True)
    ]
    is_asked = torch.tensor([float(bool(phrase.language)) for phrase in phrases])
    network = _Network([len(known) for known in labels])
    optimizer = torch.optim.AdamW(network.parameters(), lr=_RATE, weight_decay=1e-5)
    steps = _EPOCHS * (len(phrases) // _BATCH + 1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, _RATE, total_steps=steps)
    for _ in range(_EPOCHS):
        order = chance.permutation(len(phrases))
        for start in range(0, len(phrases), _BATCH):
            chosen = order[start : start + _BATCH]
            topic, *others = network(*_batch([read[at] for at in chosen], chance))
            loss = nn.functional.cross_entropy(topic, targets[0][chosen], label_smoothing=_SMOOTHING)
            for logits, target in zip(others, targets[1:], strict=True):
                each = nn.functional.cross_entropy(logits, target[chosen], reduction="none")
                loss = loss + _SIDE_LOSS * (each * is_asked[chosen]).mean()
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]  # torch's own
            optimizer.step()
            schedule.step()
    return network


def _batch(
    read: Sequence[tuple[np.ndarray, np.ndarray]], chance: np.random.Generator
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Texts without some random n-grams, so that the network does not depend on a single one."""
    left = [chance.random(len(indices)) >= _WORDS_DROPPED for indices, _ in read]
    indices = [indices[keep] for (indices, _), keep in zip(read, left, strict=True)]
    counts = [counts[keep] for (_, counts), keep in zip(read, left, strict=True)]
    offsets = np.cumsum([0, *(len(each) for each in indices[:-1])])
    return (
        torch.from_numpy(np.concatenate(indices)),
        torch.from_numpy(offsets),
        torch.from_numpy(np.concatenate(counts).astype(np.float32)),
    )


def _arrays(networks: Sequence[_Network], labels: Sequence[Sequence[str]]) -> dict[str, np.ndarray]:
    """The arrays for the classifier: rows in eight bits with a scale for each, everything else in sixteen bits."""
    rows = np.concatenate([network.rows.weight.detach().numpy() for network in networks], axis=1)
    scales = np.abs(rows).max(axis=1, keepdims=True) / 127
    arrays = {
        "rows": np.round(rows / scales).astype(np.int8),
        "scales": scales[:, 0].astype(np.float16),
        "bias": np.concatenate([network.bias.detach().numpy() for network in networks]).astype(np.float16),
    }
    for at, (name, known) in enumerate(zip(HEADS, labels, strict=True)):
        heads = [cast(nn.Linear, network.heads[at]) for network in networks]
        weights = np.concatenate([head.weight.detach().numpy().T for head in heads]) / len(heads)
        arrays[name] = weights.astype(np.float16)
        arrays[f"{name}_bias"] = np.mean([head.bias.detach().numpy() for head in heads], axis=0).astype(np.float16)
        arrays[f"{name}_labels"] = np.array(known)
    return arrays


def report(classifier: QuestionClassifier, phrases: Sequence[Phrase]) -> str:
    """How well phrases are understood: shares of right topics and kinds, and of wrong ones among the certain."""
    guesses = [classifier.read(core(phrase.text.replace("{company}", " "))) for phrase in phrases]
    pairs = list(zip(guesses, phrases, strict=True))
    right = [guess.topic == _ONE_TOPIC.get(phrase.topic, phrase.topic) for guess, phrase in pairs]
    kinds = [guess.kind == phrase.kind for guess, phrase in pairs]
    sure = [guess.is_sure for guess in guesses]
    missed = [s for s, r in zip(sure, right, strict=True) if not r]
    return (
        f"{len(pairs)} phrases: topic {np.mean(right):.3f}, kind {np.mean(kinds):.3f}, sure {np.mean(sure):.3f}, "
        f"sure and wrong {sum(missed) / len(pairs):.3f}, abstained of the missed {1 - np.mean(missed or [False]):.2f}"
    )


def main() -> None:
    """Train on all writers except the one set aside, write the weights, and report on that one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--phrases", type=Path, default=FOLDER, help="folder with the hands' files")
    parser.add_argument("--without", default=SET_ASIDE, help="the hand that is set aside")
    parser.add_argument("--out", type=Path, default=TOPIC_WORDS.parent / WEIGHTS)
    options = parser.parse_args()
    hands = {path.stem: read_phrases(path) for path in sorted(options.phrases.glob("*.tsv"))}
    aside = {hand for hand in hands if hand == options.without or hand.startswith(SET_ASIDE)}
    phrases = [phrase for hand, lines in hands.items() if hand not in aside for phrase in lines]
    arrays = train([*phrases, *printed_labels(Ontology.load())])
    np.savez_compressed(options.out, **arrays)  # type: ignore[arg-type]  # numpy's stubs take the names for options
    if options.phrases == FOLDER:
        SPOKEN_WORDS.write_text(spoken_words(phrases), encoding="utf-8")
        TOPIC_WORDS.write_text(topic_words(phrases), encoding="utf-8")
    classifier = QuestionClassifier(dict(arrays))
    for hand in sorted(aside):
        print(f"{hand}: {report(classifier, hands[hand])}")  # noqa: T201 - this is a command


if __name__ == "__main__":
    main()
