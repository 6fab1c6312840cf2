"""Trains the linear readers: what a turn of a conversation does, and what a question asks of a figure or a report.

`python -m query_engines.training.linear`: each file of `turns/`, `whether/`, `over_years/`, `among_companies/` and
`sections/` has the phrases of one writer, a JSON object a line: the text, with "@" for each company, "#" for each
period, "X" for the figure and "N" for each number, and its label. Questions and small talk of the phrases beside them
are turns as well, that ask or say something; those for figures and people ask for no section. The phrases with names of
figures in the place of "X" show which words name the figure. The files `set_aside…` are not used for training: the
report shows how these writers' are read.
"""

import argparse
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn

from query_engines.comparison import asked
from query_engines.question import section_topics, standing
from query_engines.question.classifier import KINDS, LABEL_WORDS, LINEAR_BUCKETS, LinearReader, core
from query_engines.routing import slots
from query_engines.routing.dialogue import SOURCE
from query_engines.training.topics import FOLDER as PHRASES
from query_engines.training.topics import SET_ASIDE, Phrase, read_phrases
from storage.lexicon.question_words import CHANGE_NOUN, MOVES
from storage.lexicon.words import SMALL_WORDS, expression
from storage.records.metrics import OTHER_LANGUAGES, Ontology
from storage.records.sections import SectionKinds
from storage.text import stems

FOLDER = Path(__file__).parent
LABELS: dict[str, tuple[str, ...]] = {
    "turns": slots.MOVES,
    "whether": standing.ASKS,
    "over_years": asked.OVER_YEARS,
    "among_companies": asked.AMONG_COMPANIES,
    "sections": (*(rule.id for rule in SectionKinds.load().rules), section_topics.NO_SECTION),
}
WEIGHTS = {
    "turns": slots.TURNS,
    "whether": standing.WHETHER,
    "over_years": asked.YEARS_FILE,
    "among_companies": asked.COMPANIES_FILE,
    "sections": section_topics.SECTIONS,
}
SURE = {
    "turns": slots.SURE_OF_MOVE,
    "whether": standing.SURE_OF_ASKED,
    "over_years": asked.SURE,
    "among_companies": asked.SURE,
    "sections": section_topics.SURE_OF_SECTION,
}
IDLE = {  # labels after which nothing is done
    "turns": ("asks", "says"),
    "whether": ("equal", "other"),
    "over_years": ("share", "why", "other"),
    "among_companies": ("other",),
    "sections": (section_topics.NO_SECTION,),
}
OF_NO_FIGURE = (
    "share",
    "why",
    "other",
    "which_do",
    "all_do",
    "any_do",
    "same",
    "each",
)  # labels of which a phrase may name none
OF_FIGURES = ("over_years", "among_companies")  # whose phrases have the figure in its place
_DONE = expression(rf"\b(?:{CHANGE_NOUN}|{MOVES}|changes|growth|increases|decreases|average)\b", re.IGNORECASE)
_PLACE_OF_FIGURE = expression(rf"\b({asked.FIGURE})\b")
_FILLED, _FOUND, _MADE_UP = 5, 3, 0.15  # names in a phrase's place; that are found; share of invented ones
_LONGEST_MADE, _SEEDS = 3, 3  # words of an invented name; trainings of which the mean is taken
_OFTENER = 3  # a word of a figure stands where no name does
_FIGURE_EPOCHS, _FIGURE_BATCH, _FIGURE_RATE, _FIGURE_DECAY = 10, 512, 0.02, 1e-5
_ONE_IN, _SHORT = 6, 9  # of the phrases; words
_LONGEST_SINGLE = 16  # words
_OF_OTHERS = 3  # one in so many of these beside questions for sections
_AS_OFTEN, _OF_MANY_SECTIONS = 0.25, 10  # share of the highest; kinds for which a word names nothing in them
_YEAR = expression(r"\b(?:FY ?)?20\d\d\b")
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


def _written() -> Iterator[list[Phrase]]:
    """The phrases of each writer who is not set aside."""
    paths = (path for path in sorted(PHRASES.glob("*.tsv")) if not path.stem.startswith(SET_ASIDE))
    yield from map(read_phrases, paths)


def turns_of_phrases() -> Iterator[Labelled]:
    """Questions that name a topic of their own, without the company, and small talk."""
    for phrases in _written():
        kept = [phrase for phrase in phrases if len(phrase.text.split()) <= _SHORT]
        for at, phrase in enumerate(kept):
            is_talk = phrase.topic.startswith("talk_")
            move = "again" if phrase.topic == SOURCE else "says" if is_talk else "asks"
            if is_talk or at % _ONE_IN == 0:
                is_named = not is_talk and at % (2 * _ONE_IN) == 0
                yield Labelled(core(phrase.text.replace("{company}", slots.COMPANY if is_named else " ")), move)


def single_questions(label: str, kinds: Collection[str]) -> Iterator[Labelled]:
    """Questions about one thing of one company and one time at most, under a label that asks nothing of them.

    Args:
        label: for all of them.
        kinds: of the answers that they want.
    """
    for phrases in _written():
        kept = [phrase for phrase in phrases if len(phrase.text.split()) <= _LONGEST_SINGLE]
        for phrase in [p for p in kept if p.operation == "value" and p.kind in kinds][::_ONE_IN]:
            text = phrase.text.replace("{company}", slots.COMPANY)
            yield Labelled(_YEAR.sub(asked.PERIOD, text), label)


def train(phrases: Sequence[Labelled], labels: Sequence[str]) -> dict[str, np.ndarray]:
    """The weights by which these phrases are read; the same each time."""
    torch.manual_seed(0)
    read = [LinearReader.signs(phrase.text) for phrase in phrases]
    signs = torch.from_numpy(np.concatenate([indices for indices, _ in read]))
    counts = torch.from_numpy(np.concatenate([counts for _, counts in read])) * _SCALE
    starts = torch.from_numpy(np.cumsum([0, *(len(indices) for indices, _ in read[:-1])]))
    targets = torch.tensor([labels.index(phrase.label) for phrase in phrases])
    weights = nn.EmbeddingBag(LINEAR_BUCKETS, len(labels), mode="sum")
    bias = nn.Parameter(torch.zeros(len(labels)))
    nn.init.zeros_(weights.weight)
    optimizer = torch.optim.AdamW([weights.weight, bias], lr=_RATE, weight_decay=_DECAY)
    for _ in range(_EPOCHS):
        kept = torch.rand(len(counts)) >= _DROPPED
        found = weights(signs, starts, per_sample_weights=counts * kept) + bias
        loss = nn.functional.cross_entropy(found, targets, label_smoothing=0.02)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch's own
        optimizer.step()
    return {
        "weights": (weights.weight.detach().numpy() * _SCALE).astype(np.float16),
        "bias": bias.detach().numpy().astype(np.float16),
        "labels": np.array(labels),
    }


class Names:
    """Names of figures in the language of a phrase, and invented ones of words that reports print in labels."""

    def __init__(self) -> None:
        labels = LABEL_WORDS.read_text(encoding="utf-8").split()
        self._words = [word for word in labels if not _DONE.search(word)]
        self._known: dict[str, list[str]] = {}
        for metric in Ontology.load().metrics:
            self._add("english", metric.question_names)
            for group, names in metric.wordings.items():
                self._add(group if group in OTHER_LANGUAGES else "english", names)

    def _add(self, language: str, names: Sequence[str]) -> None:
        """Names, but for those of changes and means, whose words ask what is done to a figure."""
        self._known.setdefault(language, []).extend(name for name in names if not _DONE.search(name))

    def one_for(self, text: str, turn: int) -> str:
        """A name for the place in a text: another one in each turn, whatever other texts there are."""
        chance = random.Random(f"{turn} {text}")
        if chance.random() < _MADE_UP:
            return " ".join(chance.choices(self._words, k=chance.randint(1, _LONGEST_MADE)))
        said = set(text.lower().split())
        spoken = {
            one: len(said.intersection(words.split())) for one, words in SMALL_WORDS.items() if one in self._known
        }
        language = max(spoken, key=lambda one: (spoken[one], one == "english"))
        return chance.choice(self._known[language])

    def put_into(self, text: str, turn: int) -> tuple[list[str], list[bool]]:
        """The words of a text with a name in the figure's place, and which of them are the name's."""
        name, words, named = self.one_for(text, turn), list[str](), list[bool]()
        for part in _PLACE_OF_FIGURE.split(text):
            own = asked.words_of(name if part == asked.FIGURE else part)
            words += own
            named += [part == asked.FIGURE] * len(own)
        return words, named


def words_of_sections(phrases: Sequence[Labelled]) -> list[str]:
    """For each kind of section its name and the stems with which people ask for it, and last those that ask for many.

    A word of one phrase, or one with which people oftener ask for another kind, may name something in the section.
    """
    said: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for phrase in phrases:
        said[phrase.label].update(stems(phrase.text))
    told_by = Counter(phrase.label for phrase in phrases)
    shares = {label: {word: n / told_by[label] for word, n in counts.items()} for label, counts in said.items()}
    highest: defaultdict[str, float] = defaultdict(float)
    for own in shares.values():
        for word, share in own.items():
            highest[word] = max(highest[word], share)
    kinds = Counter(word for counts in said.values() for word, count in counts.items() if count > 1)
    asked_with = {
        label: {word for word, n in counts.items() if n > 1 and shares[label][word] >= _AS_OFTEN * highest[word]}
        for label, counts in said.items()
    }
    asked_with[section_topics.NO_SECTION] = {word for word, count in kinds.items() if count >= _OF_MANY_SECTIONS}
    return [f"{label} {' '.join(sorted(words))}" for label, words in sorted(asked_with.items())]


def train_figures(phrases: Sequence[Labelled], names: Names) -> dict[str, np.ndarray]:
    """The weights by which the words are found that name a figure, and the words with which people ask."""
    signs: list[np.ndarray] = []
    targets: list[float] = []
    told_of = [phrase for phrase in phrases if phrase.label not in OF_NO_FIGURE]
    beside = Counter(word for phrase in told_of if _names(phrase) for word in _around(phrase))
    instead = Counter(word for phrase in told_of if not _names(phrase) for word in _around(phrase))
    for phrase in phrases:
        if not _names(phrase) and phrase.label in OF_NO_FIGURE:
            continue
        for turn in range(_FILLED):
            words, named = names.put_into(phrase.text, turn)
            if not _names(phrase):  # a verb says it, as people use it who name no figure beside it
                own = [asked.hashed(word) for word in words]
                named = [
                    word.isalpha() and instead[n] > _OFTENER * beside[n]
                    for word, n in zip(words, own, strict=True)
                ]
            told = [at for at in range(len(words)) if words[at] not in "@#"]
            signs += [asked.signs(words, at) for at in told]
            targets += [float(named[at]) for at in told]
    rows, wanted = torch.from_numpy(np.stack(signs)), torch.tensor(targets)
    found = np.mean([_figure_weights(rows, wanted, seed) for seed in range(_SEEDS)], axis=0)
    return {"weights": found.astype(np.float16), "known": np.array(sorted(beside), dtype=np.uint32)}


def _figure_weights(rows: torch.Tensor, wanted: torch.Tensor, seed: int) -> np.ndarray:
    """One weight for each bucket, as one order of the rows gives them."""
    torch.manual_seed(seed)
    weights = nn.EmbeddingBag(asked.BUCKETS, 1, mode="sum")
    nn.init.zeros_(weights.weight)
    optimizer = torch.optim.Adam(weights.parameters(), lr=_FIGURE_RATE)
    for _ in range(_FIGURE_EPOCHS):
        for batch in torch.split(torch.randperm(len(rows)), _FIGURE_BATCH):
            found = weights(rows[batch])[:, 0]
            loss = nn.functional.binary_cross_entropy_with_logits(found, wanted[batch])
            loss = loss + _FIGURE_DECAY * (weights.weight**2).sum()
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]  # torch's own
            optimizer.step()
    return weights.weight.detach().numpy()[:, 0]


def _names(phrase: Labelled) -> bool:
    """Whether a phrase has a place for the figure's name."""
    return _PLACE_OF_FIGURE.search(phrase.text) is not None


def _around(phrase: Labelled) -> set[int]:
    """The words of a phrase around the figure's name, hashed."""
    return {asked.hashed(word) for word in asked.words_of(_PLACE_OF_FIGURE.sub(" ", phrase.text))}


def as_found(phrases: Sequence[Labelled], names: Names, as_written: Collection[str] = ()) -> list[Labelled]:
    """The phrases as the readers get them: with a name, whose words are found and have one sign.

    Args:
        phrases: of one writer, or of several.
        names: for the figure's place.
        as_written: labels of which phrases without such a place stay as they are: "compare the risks of @ and @" is no
            comparison of a figure, and "compare X of @ and @" is one.
    """
    finder, found = asked.FigureWords.load(), []
    for phrase in phrases:
        if phrase.label in as_written and not _names(phrase):
            found.append(Labelled(" ".join(asked.words_of(phrase.text)), phrase.label))
            continue
        for turn in range(_FOUND if _names(phrase) else 1):
            words, _ = names.put_into(phrase.text, turn)
            found.append(Labelled(finder.masked(words, finder.find(words)), phrase.label))
    return found


def in_words(phrases: Sequence[Labelled]) -> list[Labelled]:
    """The phrases with their words apart, as the readers get them."""
    return [Labelled(" ".join(asked.words_of(phrase.text)), phrase.label) for phrase in phrases]


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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"readers to be trained, of {', '.join(LABELS)}; all without one")
    chosen = parser.parse_args().names or list(LABELS)
    written = {
        name: {path.stem: read_labelled(path) for path in sorted((FOLDER / name).glob("*.jsonl"))}
        for name in LABELS
    }
    own = {
        name: [phrase for hand, phrases in hands.items() if not hand.startswith(SET_ASIDE) for phrase in phrases]
        for name, hands in written.items()
    }
    names = Names()
    if set(OF_FIGURES) & set(chosen):
        of_figures = train_figures([phrase for name in OF_FIGURES for phrase in own[name]], names)
        np.savez_compressed(asked.FIGURES_FILE, **of_figures)  # type: ignore[arg-type]  # its stubs take names for options
    for name in chosen:
        labels, phrases, hands = LABELS[name], own[name], written[name]
        if name in OF_FIGURES:
            as_written = ("each", "other") if name == "among_companies" else ()
            phrases = [*in_words(phrases), *as_found(phrases, names, as_written)]
            phrases += in_words(list(single_questions("other", KINDS))) if name == "over_years" else []
            hands = {hand: as_found(of_hand, names) for hand, of_hand in hands.items()}
        beside = list(turns_of_phrases()) if name == "turns" else []
        if name == "sections":
            beside += list(single_questions(section_topics.NO_SECTION, ("number", "name")))[::_OF_OTHERS]
        arrays = train([*phrases, *beside], labels)
        if name == "sections":
            arrays["known"] = np.array(words_of_sections(phrases))
        np.savez_compressed(WEIGHTS[name], **arrays)  # type: ignore[arg-type]  # numpy's stubs take names for options
        for hand, of_hand in hands.items():
            print(f"{name}, {hand}: {report(name, of_hand)}")  # noqa: T201 - this is a command


if __name__ == "__main__":
    main()
