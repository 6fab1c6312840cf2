"""all-MiniLM-L6-v2 in NumPy, tuned for a task by small changes of its weights, for one short text at a time.

OpenVINO takes two thirds of the time for a text, but a second before the first one, and twice the memory.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt
from safetensors import safe_open

Floats = npt.NDArray[np.float32]
_PARTS = ("query", "key", "value")
_WORDS = "embeddings.word_embeddings.weight"
# Abramowitz and Stegun, formula 7.1.26: the error function to 1.5e-7.
_SLOPE = np.float32(0.3275911)
_TERMS = tuple(map(np.float32, (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)))


LowRank = tuple[Floats, Floats]
"""What is added to a linear layer: two small matrices, [inputs, rank] and [rank, outputs]."""


class _Linear(NamedTuple):
    weight: Floats  # [inputs, outputs]
    bias: Floats
    changes: tuple[LowRank, ...] = ()  # of the equal parts of its outputs, side by side

    def __call__(self, states: Floats) -> Floats:
        found = states @ self.weight + self.bias
        if not self.changes:
            return cast(Floats, found)
        return cast(Floats, found + np.concatenate([states @ down @ up for down, up in self.changes], axis=1))


class _Layer(NamedTuple):
    attention: _Linear  # queries, keys and values side by side
    joined: _Linear
    attended: _Linear  # scale and offset of the norm after attention
    inner: _Linear
    outer: _Linear
    normed: _Linear  # likewise after the rest


class _Base:
    """The weights of the model, which every tuned one shares. Those of words stay in the file, half of it."""

    def __init__(self, folder: Path) -> None:
        config = json.loads((folder / "config.json").read_text())
        self.heads: int = config["num_attention_heads"]
        self.dimensions: int = config["hidden_size"]
        self.epsilon = np.float32(config["layer_norm_eps"])
        self._file = safe_open(folder / "model.safetensors", framework="np")
        self.words = self._file.get_slice(_WORDS)  # type: ignore[no-untyped-call]
        first = self._weight("embeddings.token_type_embeddings.weight")[0]  # every token is of the first type
        self.places = self._weight("embeddings.position_embeddings.weight") + first
        self.normed = self._norm("embeddings.LayerNorm")
        names = [f"encoder.layer.{n}" for n in range(cast(int, config["num_hidden_layers"]))]
        self.layers = {name: self._layer(name) for name in names}

    def _layer(self, name: str) -> _Layer:
        own = f"{name}.attention.self"
        parts = [self._linear(f"{own}.{part}") for part in _PARTS]
        attention = _Linear(
            np.concatenate([part.weight for part in parts], axis=1), np.concatenate([part.bias for part in parts])
        )
        return _Layer(
            attention=attention,
            joined=self._linear(f"{name}.attention.output.dense"),
            attended=self._norm(f"{name}.attention.output.LayerNorm"),
            inner=self._linear(f"{name}.intermediate.dense"),
            outer=self._linear(f"{name}.output.dense"),
            normed=self._norm(f"{name}.output.LayerNorm"),
        )

    def _linear(self, name: str) -> _Linear:
        return _Linear(np.ascontiguousarray(self._weight(f"{name}.weight").T), self._weight(f"{name}.bias"))

    def _norm(self, name: str) -> _Linear:
        return _Linear(self._weight(f"{name}.weight"), self._weight(f"{name}.bias"))

    def _weight(self, name: str) -> Floats:
        return cast(Floats, self._file.get_tensor(name))  # type: ignore[no-untyped-call]


@cache
def _base(folder: Path) -> _Base:
    return _Base(folder)


class TunedMiniLm:
    """The encoder with changed weights; it gives the state of each token of a text.

    The changes are low-rank products as in LoRA (Hu et al., 2021), which stand beside the weights, so that several
    tuned models share them.
    """

    def __init__(self, folder: Path, changes: Mapping[str, LowRank], kinds: Floats) -> None:
        """Load it.

        Args:
            folder: of the model.
            changes: of each changed layer, by the name of its weight in the model's file.
            kinds: [K, dimensions], what is added to the vector of a token of each kind.
        """
        self._kinds, self._base = kinds, _base(folder)
        self._layers = [_changed(layer, name, changes) for name, layer in self._base.layers.items()]

    def states(self, tokens: npt.NDArray[np.int64], kinds: npt.NDArray[np.int64]) -> Floats:
        """The last state of each token.

        Args:
            tokens: [N], their numbers in the vocabulary, at most 512.
            kinds: [N], of each token.

        Returns:
            [N, dimensions].
        """
        base = self._base
        words = np.concatenate([base.words[token : token + 1] for token in tokens.tolist()])
        states = self._even(words + self._kinds[kinds] + base.places[: len(tokens)], base.normed)
        for layer in self._layers:
            states = self._even(states + layer.joined(self._attended(states, layer)), layer.attended)
            states = self._even(states + layer.outer(_gelu(layer.inner(states))), layer.normed)
        return states

    def _attended(self, states: Floats, layer: _Layer) -> Floats:
        count, size = states.shape
        by_head = layer.attention(states).reshape(count, len(_PARTS), self._base.heads, -1).transpose(1, 2, 0, 3)
        query, key, value = by_head
        scores = query @ key.transpose(0, 2, 1) / np.float32(np.sqrt(query.shape[-1]))
        odds = np.exp(scores - scores.max(axis=-1, keepdims=True))
        found = odds / odds.sum(axis=-1, keepdims=True) @ value
        return cast(Floats, found.transpose(1, 0, 2).reshape(count, size))

    def _even(self, states: Floats, norm: _Linear) -> Floats:
        apart = states - states.mean(axis=-1, keepdims=True)
        scale = np.sqrt((apart * apart).mean(axis=-1, keepdims=True) + self._base.epsilon)
        return cast(Floats, apart / scale * norm.weight + norm.bias)


def _changed(layer: _Layer, name: str, changes: Mapping[str, LowRank]) -> _Layer:
    """A layer with what is changed of it."""

    def changed(linear: _Linear, *names: str) -> _Linear:
        return linear._replace(
            changes=tuple(changes[f"{own}.weight"] for own in names if f"{own}.weight" in changes)
        )

    return layer._replace(
        attention=changed(layer.attention, *(f"{name}.attention.self.{part}" for part in _PARTS)),
        joined=changed(layer.joined, f"{name}.attention.output.dense"),
        inner=changed(layer.inner, f"{name}.intermediate.dense"),
        outer=changed(layer.outer, f"{name}.output.dense"),
    )


def _gelu(states: Floats) -> Floats:
    """x/2 · (1 + erf(x/√2))."""
    size = np.abs(states) * np.float32(np.sqrt(0.5))
    share = 1 / (1 + _SLOPE * size)
    sum_ = np.zeros_like(share)
    for term in _TERMS:
        sum_ = (sum_ + term) * share
    erf = 1 - sum_ * np.exp(-size * size)
    return cast(Floats, np.float32(0.5) * states * (1 + np.copysign(erf, states)))
