"""Pages scored by a model: Jina's API by a double of its wire format, a cross-encoder by a tiny real one."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from llama_index.core.schema import NodeWithScore, QueryBundle
from transformers import BertConfig, BertForSequenceClassification, BertModel, BertTokenizerFast

from app import open_pageproof
from app.readiness import examine, needs
from app.settings import load_settings
from query_engines.events import Event, StepFinished, listening
from query_engines.llm.connection import access
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.llm.hosted import JinaScorer, build_jina
from query_engines.llm.usage import counting
from query_engines.options import OpenAILlmOptions, RerankOptions
from query_engines.rerank.cross_encoder import CrossEncoderScorer, PageScorer, ScorerRerankPostprocessor
from query_engines.retrieval.page_nodes import found_page
from storage.errors import MissingKey, ProviderError, SetupError, UsageError
from storage.records.pages import Block, Page
from storage.records.record import Box
from tests.support.doubles.jina_server import JinaServer

TEXTS = {1: "the board", 2: "revenue rose", 3: "a photograph", 4: "the auditor"}
QUESTION = "What was the revenue?"


def read(sha1: str, numbers: Sequence[int]) -> list[Page]:
    return [
        Page(
            report_sha1=sha1,
            page_number=n,
            width=1,
            height=1,
            blocks=(Block(kind="paragraph", text=TEXTS[n], box=Box(left=0, top=0, right=1, bottom=1)),),
        )
        for n in numbers
    ]


@pytest.fixture
def loop() -> Iterator[BackgroundLoop]:
    running = BackgroundLoop()
    yield running
    running.close()


def jina(loop: BackgroundLoop, api_base: str, key: str = "jina_secret", **limits: Any) -> JinaScorer:
    shared = access(OpenAILlmOptions(**limits), loop, {"JINA_API_KEY": key} if key else {})
    return build_jina(RerankOptions(kind="jina", api_base=api_base), shared)


def rerank(
    scorer: PageScorer, loop: BackgroundLoop, scores: dict[int, float], size: int = 2
) -> list[NodeWithScore]:
    postprocessor = ScorerRerankPostprocessor(
        scorer=scorer, read_pages=read, loop=loop, first_weight=0.3, own_weight=0.7, pages_per_request=size
    )
    nodes = [found_page("a", page, score) for page, score in scores.items()]
    return postprocessor.postprocess_nodes(nodes, QueryBundle(QUESTION))


def ranked(nodes: Sequence[NodeWithScore]) -> dict[int, float]:
    return {node.metadata["page"]: node.score or 0.0 for node in nodes}


def test_jina_is_asked_in_its_own_form_and_its_scores_find_their_pages(loop: BackgroundLoop) -> None:
    with JinaServer({"revenue": 0.8, "board": 0.4}) as server, counting() as counter:
        scorer = jina(loop, server.api_base)
        pages = rerank(scorer, loop, {1: 0.9, 2: 0.5, 3: 0.7})
        loop.run(scorer.aclose())

    # First stage 1, 0, 0.5; Jina's 0.4, 0.8, 0 scaled to 0.5, 1, 0.
    assert ranked(pages) == pytest.approx({2: 0.7, 1: 0.3 + 0.35, 3: 0.15})
    assert {p.metadata["page"]: p.metadata["rerank_score"] for p in pages} == {2: 0.8, 1: 0.4, 3: 0.0}
    bodies = sorted(server.bodies, key=lambda body: -len(body["documents"]))
    assert bodies[0] == {
        "model": "jina-reranker-v2-base-multilingual",
        "query": QUESTION,
        "documents": ["the board", "revenue rose"],
        "top_n": 2,
        "return_documents": False,
    }
    assert set(server.keys) == {"Bearer jina_secret"}
    assert (counter.usage.requests, counter.usage.prompt_tokens, counter.usage.cost_usd) == (2, 6, None)


def test_pages_of_a_refused_request_keep_the_first_stage_s_scores_and_are_told(loop: BackgroundLoop) -> None:
    events: list[Event] = []
    with JinaServer({"revenue": 0.8}, fails_on="auditor") as server, listening(events.append):
        scorer = jina(loop, server.api_base)
        pages = rerank(scorer, loop, {1: 0.9, 2: 0.5, 3: 0.7, 4: 0.8})
        loop.run(scorer.aclose())
    assert ranked(pages) == pytest.approx({4: 0.75, 2: 0.7, 3: 0.5, 1: 0.3})
    assert [p.metadata["page"] for p in pages if p.metadata.get("rerank_failed")] == [4, 3]
    (summary,) = [e.summary for e in events if isinstance(e, StepFinished)]
    assert "pages 3, 4 (1 requests failed)" in summary


def test_a_busy_server_is_asked_again_by_the_rate_limiter(loop: BackgroundLoop) -> None:
    with JinaServer({}, fails_on="board", status=503) as server:
        shared = access(OpenAILlmOptions(), loop, {"JINA_API_KEY": "k"}, attempts=2)
        scorer = build_jina(RerankOptions(kind="jina", api_base=server.api_base), shared)
        with pytest.raises(ProviderError, match="503"):
            loop.run(scorer.score(QUESTION, ["the board"]))
        loop.run(scorer.aclose())
    assert len(server.bodies) == 2


def test_a_server_of_another_kind_is_a_provider_s_error(loop: BackgroundLoop) -> None:
    with JinaServer({}, garbles=True) as server:
        scorer = jina(loop, server.api_base)
        with pytest.raises(ProviderError, match=r"rerank\.api_base"):
            loop.run(scorer.score(QUESTION, ["the board"]))
        loop.run(scorer.aclose())


def test_a_wrong_key_stops_the_question(loop: BackgroundLoop) -> None:
    with JinaServer({}, fails_on="board", status=401) as server:
        scorer = jina(loop, server.api_base)
        with pytest.raises(MissingKey, match="JINA_API_KEY"):
            rerank(scorer, loop, {1: 0.5})
        loop.run(scorer.aclose())


def test_without_a_key_or_with_a_budget_and_no_price_jina_is_refused(loop: BackgroundLoop) -> None:
    with pytest.raises(MissingKey, match="JINA_API_KEY"):
        jina(loop, "https://api.jina.ai/v1", key="")
    with pytest.raises(UsageError, match=r"rerank\.usd_per_million"):
        jina(loop, "https://api.jina.ai/v1", budget_usd=1.0)


def test_the_doctor_says_that_pages_leave_the_machine(tmp_path: Path) -> None:
    def noted(*overrides: str) -> list[str]:
        found = examine("offline", overrides, tmp_path, {})
        return [f.detail for f in found if f.what == "pages leave this machine"]

    assert noted() == []
    assert noted("rerank.kind=jina", "rerank.api_base=http://127.0.0.1:9/v1") == []
    assert "https://api.jina.ai/v1" in noted("rerank.kind=jina")[0]
    assert needs(load_settings("offline", ["rerank.kind=jina"], {}), {}) == ("the key JINA_API_KEY",)


def test_a_question_is_answered_over_pages_that_jina_put_in_order(sample_data: Path) -> None:
    with JinaServer({"Total revenue": 0.9}) as server:
        overrides = ["rerank.kind=jina", f"rerank.api_base={server.api_base}", "runs.log=false"]
        with open_pageproof("offline", data=sample_data, overrides=overrides) as client:
            response = client.query(
                "How does Ostermere Instruments describe its research and development?", kind="text"
            )
    assert response.response.pages
    assert response.response.usage.requests == len(server.bodies) > 0


def save_model(folder: Path, labels: int = 1) -> Path:
    """A cross-encoder with two tiny layers, 64 positions and random weights that a seed settles."""
    torch.manual_seed(0)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *sorted({w for t in TEXTS.values() for w in t.split()})]
    folder.mkdir()
    tokenizer = BertTokenizerFast(vocab={word: n for n, word in enumerate(words)}, model_max_length=128)
    tokenizer.save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=128,
        num_labels=labels,
        initializer_range=1.0,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    return folder


def test_a_cross_encoder_s_scores_are_its_model_s_whatever_stands_beside(
    tmp_path: Path, loop: BackgroundLoop
) -> None:
    scorer = CrossEncoderScorer(str(save_model(tmp_path / "model")))
    together = loop.run(scorer.score(QUESTION, list(TEXTS.values())))
    alone = [loop.run(scorer.score(QUESTION, [text]))[0] for text in TEXTS.values()]
    assert together == pytest.approx(alone, abs=1e-5)
    assert len(set(together)) == 4

    pages = rerank(scorer, loop, dict.fromkeys(TEXTS, 0.5))
    assert [p.metadata["page"] for p in pages] == sorted(TEXTS, key=lambda n: -together[n - 1])


def test_a_page_longer_than_the_model_reads_counts_by_its_best_piece(tmp_path: Path, loop: BackgroundLoop) -> None:
    scorer = CrossEncoderScorer(str(save_model(tmp_path / "model")))
    filler = "photograph " * 150
    plain, middle, end = loop.run(
        scorer.score(QUESTION, [filler, f"{filler} revenue rose {filler}", f"{filler} revenue rose"])
    )
    (piece,) = loop.run(scorer.score(QUESTION, ["photograph " * 64]))
    assert plain == pytest.approx(piece, abs=1e-5)  # the same pieces, many times
    assert min(middle, end) > plain  # what stands far behind a first piece is read, too


def test_weights_that_are_missing_or_no_cross_encoder_s_are_a_setup_error(
    tmp_path: Path, loop: BackgroundLoop
) -> None:
    with pytest.raises(SetupError, match=r"rerank\.model"):
        loop.run(CrossEncoderScorer(str(tmp_path / "nothing")).score(QUESTION, ["x"]))
    with pytest.raises(SetupError, match="3 figures"):
        loop.run(CrossEncoderScorer(str(save_model(tmp_path / "three", labels=3))).score(QUESTION, ["x"]))
    embedder = save_model(tmp_path / "embedder")
    BertModel(BertConfig.from_pretrained(embedder)).save_pretrained(embedder)
    with pytest.raises(SetupError, match="no cross-encoder"):
        loop.run(CrossEncoderScorer(str(embedder)).score(QUESTION, ["x"]))
