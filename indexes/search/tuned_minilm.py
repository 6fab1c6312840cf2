"""all-MiniLM-L6-v2 in NumPy, tuned for a task by small changes of its weights, for one short text at a time.

OpenVINO takes two thirds of the time for a text, but a second before the first one, and twice the memory.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt
from safetensors import safe_open

Floats = npt.NDArray[np.float32]
_WORDS = "embeddings.word_embeddings.weight"
# Abramowitz and Stegun, formula 7.1.26: the error function to 1.5e-7.
_SLOPE = np.float32(0.3275911)
_TERMS = tuple(map(np.float32, (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)))


class _Linear(NamedTuple):
    weight: Floats  # [inputs, outputs]
    bias: Floats

    def __call__(self, states: Floats) -> Floats:
        return states @ self.weight + self.bias


class _Layer(NamedTuple):
    attention: _Linear  # queries, keys and values side by side
    joined: _Linear
    attended: _Linear  # scale and offset of the norm after attention
    inner: _Linear
    outer: _Linear
    normed: _Linear  # likewise after the rest


class TunedMiniLm:
    """The encoder with changed weights; it gives the state of each token of a text.

    The changes are low-rank products as in LoRA (Hu et al., 2021), added to the weights once. The vectors of words,
    half of the model, stay in its file, from which those of a text are read.
    """

    def __init__(self, folder: Path, added: Mapping[str, Floats], kinds: Floats) -> None:
        """Load it.

        Args:
            folder: of the model.
            added: what is added to each changed weight, by its name in the model's file.
            kinds: [K, dimensions], what is added to the vector of a token of each kind.
        """
        config = json.loads((folder / "config.json").read_text())
        self._heads: int = config["num_attention_heads"]
        self._epsilon = np.float32(config["layer_norm_eps"])
        self._kinds = kinds
        self._file = safe_open(folder / "model.safetensors", framework="np")
        self._words = self._file.get_slice(_WORDS)  # type: ignore[no-untyped-call]
        first = self._weight("embeddings.token_type_embeddings.weight")[0]  # every token is of the first type
        self._places = self._weight("embeddings.position_embeddings.weight") + first
        self._normed = self._norm("embeddings.LayerNorm")
        self._layers = [
            self._layer(f"encoder.layer.{n}", added) for n in range(cast(int, config["num_hidden_layers"]))
        ]

    def states(self, tokens: npt.NDArray[np.int64], kinds: npt.NDArray[np.int64]) -> Floats:
        """The last state of each token.

        Args:
            tokens: [N], their numbers in the vocabulary, at most 512.
            kinds: [N], of each token.

        Returns:
            [N, dimensions].
        """
        words = np.concatenate([self._words[token : token + 1] for token in tokens.tolist()])
        states = self._even(words + self._kinds[kinds] + self._places[: len(tokens)], self._normed)
        for layer in self._layers:
            states = self._even(states + layer.joined(self._attended(states, layer)), layer.attended)
            states = self._even(states + layer.outer(_gelu(layer.inner(states))), layer.normed)
        return states

    def _attended(self, states: Floats, layer: _Layer) -> Floats:
        count, size = states.shape
        by_head = layer.attention(states).reshape(count, 3, self._heads, -1).transpose(1, 2, 0, 3)
        query, key, value = by_head
        scores = query @ key.transpose(0, 2, 1) / np.float32(np.sqrt(query.shape[-1]))
        odds = np.exp(scores - scores.max(axis=-1, keepdims=True))
        found = odds / odds.sum(axis=-1, keepdims=True) @ value
        return cast(Floats, found.transpose(1, 0, 2).reshape(count, size))

    def _even(self, states: Floats, norm: _Linear) -> Floats:
        apart = states - states.mean(axis=-1, keepdims=True)
        scale = np.sqrt((apart * apart).mean(axis=-1, keepdims=True) + self._epsilon)
        return cast(Floats, apart / scale * norm.weight + norm.bias)

    def _layer(self, name: str, added: Mapping[str, Floats]) -> _Layer:
        own = f"{name}.attention.self"
        parts = [self._linear(f"{own}.{part}", added) for part in ("query", "key", "value")]
        attention = _Linear(
            np.concatenate([part.weight for part in parts], axis=1), np.concatenate([part.bias for part in parts])
        )
        return _Layer(
            attention=attention,
            joined=self._linear(f"{name}.attention.output.dense", added),
            attended=self._norm(f"{name}.attention.output.LayerNorm"),
            inner=self._linear(f"{name}.intermediate.dense", added),
            outer=self._linear(f"{name}.output.dense", added),
            normed=self._norm(f"{name}.output.LayerNorm"),
        )

    def _linear(self, name: str, added: Mapping[str, Floats]) -> _Linear:
        weight = self._weight(f"{name}.weight") + added.get(f"{name}.weight", np.float32(0))
        return _Linear(np.ascontiguousarray(weight.T), self._weight(f"{name}.bias"))

    def _norm(self, name: str) -> _Linear:
        return _Linear(self._weight(f"{name}.weight"), self._weight(f"{name}.bias"))

    def _weight(self, name: str) -> Floats:
        return cast(Floats, self._file.get_tensor(name))  # type: ignore[no-untyped-call]


def _gelu(states: Floats) -> Floats:
    """x/2 · (1 + erf(x/√2))."""
    size = np.abs(states) * np.float32(np.sqrt(0.5))
    share = 1 / (1 + _SLOPE * size)
    sum_ = np.zeros_like(share)
    for term in _TERMS:
        sum_ = (sum_ + term) * share
    erf = 1 - sum_ * np.exp(-size * size)
    return cast(Floats, np.float32(0.5) * states * (1 + np.copysign(erf, states)))
