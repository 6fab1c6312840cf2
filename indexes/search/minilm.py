"""all-MiniLM-L6-v2 on OpenVINO: the same vectors as with torch, computed several times as fast, and without torch.

The network is built from the model's own weights, operation by operation, so nothing has to be converted.
"""

import json
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
import numpy.typing as npt
from llama_index.core.base.embeddings.base import BaseEmbedding
from pydantic import PrivateAttr
from safetensors.numpy import load_file
from tokenizers import Encoding, Tokenizer

from indexes.options import Precision


@contextmanager
def _without_module(name: str) -> Iterator[None]:
    """A module that cannot be imported meanwhile."""
    known = sys.modules.get(name)
    sys.modules[name] = None  # type: ignore[assignment]  # Python's own way to forbid an import
    try:
        yield
    finally:
        del sys.modules[name]
        if known is not None:
            sys.modules[name] = known


# OpenVINO's converter reports each import to a server of its maker's. It is not needed here, and OpenVINO can do
# without it.
with _without_module("openvino.tools.ovc"):
    import openvino as ov
    from openvino import opset13 as ops

Floats = npt.NDArray[np.float32]
_HIDDEN_SCORE = np.float32(-1e9)  # added to the attention of padding


class MiniLmEmbedding(BaseEmbedding):
    """A sentence-transformers model of MiniLM's kind as LlamaIndex's embedding class.

    Questions are always embedded in float32. The network is built when the first text comes.
    """

    _network: "BertNetwork" = PrivateAttr()
    _tokenizer: Tokenizer = PrivateAttr()
    _precision: Precision = PrivateAttr()
    _compiled: dict[Precision, ov.CompiledModel] = PrivateAttr(default_factory=dict)
    _compiling: Any = PrivateAttr(default_factory=threading.Lock)

    def __init__(self, folder: Path, precision: Precision, batch: int) -> None:
        super().__init__(model_name=str(folder), embed_batch_size=batch)
        self._network = BertNetwork(folder)
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(self._network.most_tokens)
        self._tokenizer.no_padding()
        self._precision = precision

    @property
    def most_tokens(self) -> int:
        """Of a text with its special tokens; longer texts are cut."""
        return self._network.most_tokens

    @classmethod
    def class_name(cls) -> str:
        """LlamaIndex's name of the class."""
        return "MiniLmEmbedding"

    def questions(self, texts: list[str]) -> list[list[float]]:
        """One vector for each question, in order."""
        return self._vectors(texts, "float32")

    def _vectors(self, texts: Sequence[str], precision: Precision) -> list[list[float]]:
        """The vectors of texts, each computed by itself: a batch would pad the short ones, and is slower.

        Each of the processor's cores works on another text.
        """
        network = self._network_in(precision)
        encoded = self._tokenizer.encode_batch(list(texts))
        workers = min(len(texts), network.get_property("OPTIMAL_NUMBER_OF_INFER_REQUESTS"))
        if workers <= 1:
            request = network.create_infer_request()
            return [_vector(request, each) for each in encoded]
        requests: SimpleQueue[ov.InferRequest] = SimpleQueue()  # one request serves one thread at a time
        for _ in range(workers):
            requests.put(network.create_infer_request())

        def vector(each: Encoding) -> list[float]:
            request = requests.get()
            try:
                return _vector(request, each)
            finally:
                requests.put(request)

        with ThreadPoolExecutor(workers) as pool:  # OpenVINO's own queue may wait for ever when it is dropped
            return list(pool.map(vector, encoded))

    def _network_in(self, precision: Precision) -> ov.CompiledModel:
        with self._compiling:
            if precision not in self._compiled:
                self._compiled[precision] = self._network.compiled(precision)
            return self._compiled[precision]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return self._vectors(texts, self._precision)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._vectors([text], self._precision)[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._vectors([query], "float32")[0]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


def _vector(request: ov.InferRequest, encoded: Encoding) -> list[float]:
    tokens = np.array([encoded.ids], dtype=np.int64)
    found: list[float] = request.infer([tokens, np.ones(tokens.shape, dtype=np.float32)])[0][0].tolist()
    return found


def best_precision() -> Precision:
    """The fastest precision that this processor computes in itself."""
    return "bfloat16" if "BF16" in ov.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES") else "float32"


class BertNetwork:
    """A BERT encoder with mean pooling and vectors of length one, from a folder of sentence-transformers.

    Attributes:
        dimensions: of a vector.
        most_tokens: of a text with its special tokens; longer texts are cut.
    """

    def __init__(self, folder: Path) -> None:
        config = json.loads((folder / "config.json").read_text())
        self._layers: int = config["num_hidden_layers"]
        self._heads: int = config["num_attention_heads"]
        self._epsilon: float = config["layer_norm_eps"]
        self.dimensions: int = config["hidden_size"]
        self.most_tokens: int = json.loads((folder / "sentence_bert_config.json").read_text())["max_seq_length"]
        self._folder = folder

    def compiled(self, precision: Precision) -> ov.CompiledModel:
        """The network, ready to run on this processor."""
        hints = {
            "INFERENCE_PRECISION_HINT": "bf16" if precision == "bfloat16" else "f32",
            "PERFORMANCE_HINT": "THROUGHPUT",  # a thread for each text, instead of all threads for one
        }
        return ov.Core().compile_model(self._model(), "CPU", hints)

    def _model(self) -> ov.Model:
        weights = load_file(self._folder / "model.safetensors")
        tokens = ops.parameter([-1, -1], np.int64, name="tokens")
        mask = ops.parameter([-1, -1], np.float32, name="mask")  # 1 for a token, 0 for padding
        length = ops.gather(ops.shape_of(tokens), ops.constant(1), ops.constant(0))
        # Every token is of the first type, so its vector is added to every position's.
        places = (
            weights["embeddings.position_embeddings.weight"]
            + weights["embeddings.token_type_embeddings.weight"][0]
        )
        zero, one = ops.constant([0]), ops.constant([1])
        place = ops.slice(ops.constant(places), zero, ops.unsqueeze(length, zero), one, zero)
        word = ops.gather(ops.constant(weights["embeddings.word_embeddings.weight"]), tokens, ops.constant(0))
        states = self._normed(ops.add(word, place), weights, "embeddings.LayerNorm")
        hidden = ops.multiply(ops.subtract(ops.constant(np.float32(1)), mask), ops.constant(_HIDDEN_SCORE))
        attended = ops.unsqueeze(hidden, ops.constant([1, 2]))
        for layer in range(self._layers):
            states = self._layer(states, attended, weights, f"encoder.layer.{layer}")
        seen = ops.unsqueeze(mask, ops.constant([2]))
        total = ops.reduce_sum(ops.multiply(states, seen), one)
        mean = ops.divide(total, ops.reduce_sum(mask, one, keep_dims=True))
        vectors = ops.normalize_l2(mean, one, 1e-24, "max")
        return ov.Model([vectors], [tokens, mask], "bert")

    def _layer(self, states: Any, attended: Any, weights: dict[str, Floats], name: str) -> Any:
        parts = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
        heads = ops.constant(np.array([0, 0, self._heads, self.dimensions // self._heads]))
        by_head = ops.constant([0, 2, 1, 3])
        query, key, value = (
            ops.transpose(ops.reshape(_linear(states, weights, part), heads, special_zero=True), by_head)
            for part in parts
        )
        found = ops.scaled_dot_product_attention(query, key, value, attended)
        joined = ops.reshape(
            ops.transpose(found, by_head), ops.constant(np.array([0, 0, self.dimensions])), special_zero=True
        )
        output = _linear(joined, weights, f"{name}.attention.output.dense")
        states = self._normed(ops.add(states, output), weights, f"{name}.attention.output.LayerNorm")
        inner = ops.gelu(_linear(states, weights, f"{name}.intermediate.dense"), "erf")
        outer = _linear(inner, weights, f"{name}.output.dense")
        return self._normed(ops.add(states, outer), weights, f"{name}.output.LayerNorm")

    def _normed(self, states: Any, weights: dict[str, Floats], name: str) -> Any:
        even = ops.mvn(states, ops.constant([-1]), True, self._epsilon, "inside_sqrt")
        scaled = ops.multiply(even, ops.constant(weights[f"{name}.weight"]))
        return ops.add(scaled, ops.constant(weights[f"{name}.bias"]))


def _linear(states: Any, weights: dict[str, Floats], name: str) -> Any:
    product = ops.matmul(states, ops.constant(weights[f"{name}.weight"]), False, True)
    return ops.add(product, ops.constant(weights[f"{name}.bias"]))
