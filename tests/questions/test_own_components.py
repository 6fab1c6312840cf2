"""Components of the user's own: by path in the settings, by the name that a package gives them, and as objects."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import MockEmbedding
from llama_index.core.schema import TextNode

from app import open_pageproof
from indexes.ingestion.requests import IngestRequest
from indexes.options import VectorStoreOptions
from indexes.search.company_index import CompanyIndex
from indexes.search.own_store import OwnStores
from indexes.search.vector_store import REPORT_KEY
from storage.components import make_component
from storage.errors import UsageError
from storage.records.answers import Answer
from storage.stores.generations import Manifest
from tests.support.samples import ROOT

SAMPLE = ROOT / "app" / "samples" / "ostermere_2024.pdf"
REVENUE = "What was the total revenue of Ostermere Instruments?"
LATEST = "What was the total revenue?"  # the library has one company, which the plain reader cannot name

PACKAGE = '''
"""A package that brings components: one of each kind that Pageproof knows."""

import hashlib
import json
from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, CompletionResponse, LLMMetadata
from llama_index.core.llms import CustomLLM
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.retrievers import VectorIndexRetriever
from llama_index.core.types import BasePydanticProgram
from llama_index.core.vector_stores import SimpleVectorStore
from pydantic import BaseModel

from pageproof import open_pageproof
from prompts.drafts import Evidence
from prompts.kinds import draft_for
from prompts.kinds.number import NumberDraft
from prompts.kinds.text import TextDraft
from storage.records.pages import Block, Page
from storage.records.record import Box

CALLS = []


class PlainReader:
    """Reads each page as one block of text."""

    def __init__(self, prefix: str = "") -> None:
        self.prefix = prefix

    def read_pages(self, path, sha1, on_page=None):
        import pypdfium2

        document = pypdfium2.PdfDocument(path)
        pages = []
        for index, page in enumerate(document):
            width, height = page.get_size()
            text = self.prefix + page.get_textpage().get_text_bounded()
            box = Box(left=0, top=0, right=width, bottom=height)
            block = Block(kind="paragraph", text=text, box=box)
            pages.append(Page(report_sha1=sha1, page_number=index + 1, width=width, height=height, blocks=(block,)))
            if on_page:
                on_page(index + 1, len(document))
        return pages


class HashEmbedding(BaseEmbedding):
    """Vectors of letters' hashes."""

    def _vector(self, text):
        digest = hashlib.sha256(text.encode()).digest()
        return [byte / 255 for byte in digest[:16]]

    def _get_text_embedding(self, text):
        return self._vector(text)

    def _get_query_embedding(self, query):
        return self._vector(query)

    async def _aget_query_embedding(self, query):
        return self._vector(query)


class Splitter(SentenceSplitter):
    """Chunks of so many words."""

    def _parse_nodes(self, nodes, show_progress=False, **given):
        CALLS.append(("chunk", nodes[0].get_content()))
        return super()._parse_nodes(nodes, show_progress, **given)


class MemoryStore(SimpleVectorStore):
    """LlamaIndex's own store in memory, which remembers what it was asked."""

    def __init__(self, data=None, collection_name="", **given):
        super().__init__(data, **given)
        if collection_name:
            CALLS.append(("store", collection_name))

    def query(self, query, **given):
        CALLS.append(("search", [only.value for only in query.filters.filters]))
        return super().query(query, **given)


class Nearest(VectorIndexRetriever):
    """LlamaIndex's own retriever, which remembers what it was asked."""

    def __init__(self, index, filters, similarity_top_k):
        super().__init__(index=index, filters=filters, similarity_top_k=similarity_top_k)

    def _retrieve(self, query_bundle):
        CALLS.append(("retrieve", query_bundle.query_str))
        return super()._retrieve(query_bundle)


class RankOptions(BaseModel):
    first: int


class PageFirst(BaseNodePostprocessor):
    """Puts one page first."""

    first: int

    def __init__(self, options: RankOptions) -> None:
        super().__init__(first=options.first)

    def _postprocess_nodes(self, nodes, query_bundle=None):
        CALLS.append(("rerank", query_bundle.query_str))
        return sorted(nodes, key=lambda node: node.metadata["page"] != self.first)


class Scripted(CustomLLM):
    """Always drafts the same figure from page 8, in prose around the form."""

    figure: float = 386_412_000

    @property
    def metadata(self):
        return LLMMetadata(model_name="scripted", context_window=100_000)

    def complete(self, prompt, formatted=False, **kwargs):
        raise NotImplementedError

    def stream_complete(self, prompt, formatted=False, **kwargs):
        raise NotImplementedError

    async def achat(self, messages, **kwargs):
        CALLS.append(("llm", messages[-1].content))
        form = {
            "step_by_step_analysis": "Page 8 prints net sales.",
            "reasoning_summary": "Net sales.",
            "evidence": [
                {
                    "page": 8,
                    "quote": "$386,412",
                    "printed_figure": "$386,412",
                    "scale": 1000,
                    "currency": "USD",
                    "period": "2024",
                }
            ],
            "relevant_pages": [8],
            "unavailable_because": None,
            "final_answer": self.figure,
        }
        return ChatResponse(message=ChatMessage(role="assistant", content="Here it is: " + json.dumps(form)))


class Shouting(BasePydanticProgram):
    """Drafts the first words of the best page."""

    def __init__(self, answer_kind="text"):
        self.kind = answer_kind

    @property
    def output_cls(self):
        return draft_for(self.kind)

    def __call__(self, **fields):
        page = fields["pages"][0]
        quote = " ".join(page.markdown.split()[:6])
        return draft_for(self.kind).model_validate(
            {
                "step_by_step_analysis": "",
                "reasoning_summary": "",
                "evidence": [{"page": page.page_number, "quote": quote}],
                "relevant_pages": [page.page_number],
                "unavailable_because": None,
                "final_answer": quote.upper(),
            }
        )

    async def acall(self, **fields):
        return self(**fields)


class RoundFigures:
    """Fails figures that are not round."""

    name = "round_figures"

    def check(self, draft, question, report, pages):
        is_round = float(draft.final_answer) % 1_000 == 0
        return ("passed", "round") if is_round else ("failed", "not round")


class Broken:
    name = "broken"

    def check(self, draft, question, report, pages):
        raise KeyError("oh")
'''
ENTRY_POINTS = """
[pageproof.rerankers]
page_first = acme_parts:PageFirst
[pageproof.llms]
scripted = acme_parts:Scripted
[pageproof.embeddings]
hashes = acme_parts:HashEmbedding
[pageproof.chunkers]
splitter = acme_parts:Splitter
[pageproof.vector_stores]
memory = acme_parts:MemoryStore
[pageproof.retrievers]
nearest = acme_parts:Nearest
[pageproof.readers]
plain = acme_parts:PlainReader
[pageproof.checks]
round = acme_parts:RoundFigures
[pageproof.programs]
shouting = acme_parts:Shouting
"""


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The package, installed in a folder of its own that this process and its readers know."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "acme_parts.py").write_text(PACKAGE, encoding="utf-8")
    info = folder / "acme_parts-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-parts\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    sys.path.insert(0, str(folder))
    try:
        import acme_parts

        yield acme_parts
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop("acme_parts", None)


def journey(data: Path, overrides: list[str], **given: Any) -> Answer:
    """Read the sample, then ask it for its revenue."""
    with open_pageproof("offline", overrides=overrides, data=data, **given) as client:
        (ingested,) = client.library.ingest(IngestRequest(paths=(SAMPLE,)))
        assert ingested.status == "indexed", ingested.reason
        return client.ask(LATEST)


def is_the_packages_own(answer: Answer, calls: list[tuple[str, str]]) -> bool:
    """The answer rests on all the package's components."""
    asked = [text for kind, text in calls if kind == "llm"]
    checks = {check.name: check.verdict for check in answer.checks}
    done = {kind for kind, _ in calls}
    assert {"chunk", "store", "search", "retrieve"} <= done
    assert (answer.value, answer.citations[0].page) == (386_412_000, 8)
    assert "PLAIN " in asked[0]  # the reader's mark stands on the pages that the model was given
    assert ("rerank", LATEST) in calls
    assert asked[0].index('<page number="8">') == min(
        map(asked[0].index, re.findall(r'<page number="\d+">', asked[0]))
    )
    assert checks["own_round_figures"] == "passed"
    assert answer.usage.requests == 1
    return True


CLASSES = ("PlainReader", "Splitter", "HashEmbedding", "MemoryStore", "Nearest", "PageFirst", "Scripted")
WHERE = {
    "path": tuple(f"acme_parts:{name}" for name in CLASSES),
    "name": ("plain", "splitter", "hashes", "memory", "nearest", "page_first", "scripted"),
}


@pytest.mark.parametrize("how", WHERE)
def test_the_whole_journey_on_components_named_in_the_settings(parts: Any, tmp_path: Path, how: str) -> None:
    parts.CALLS.clear()
    reader, chunker, embedding, store, retriever, reranker, llm = WHERE[how]
    overrides = [
        f"reader.kind={reader}",
        'reader.options={"prefix": "PLAIN "}',
        f"chunking.kind={chunker}",
        'chunking.options={"chunk_size": 128, "chunk_overlap": 10}',
        f"embedding.kind={embedding}",
        "embedding.model=hashes-1",
        f"vector_store.kind={store}",
        f"retrieval.mode={retriever}",
        f"rerank.kind={reranker}",
        'rerank.options={"first": 8}',
        f"llm.kind={llm}",
        "answers.kind=llm",
        f"verification.checks={'round' if how == 'name' else 'acme_parts:RoundFigures'}",
    ]

    answer = journey(tmp_path / "data", overrides)

    assert is_the_packages_own(answer, parts.CALLS)


def test_the_whole_journey_on_objects(parts: Any, tmp_path: Path) -> None:
    parts.CALLS.clear()

    answer = journey(
        tmp_path / "data",
        [],
        reader=parts.PlainReader("PLAIN "),
        chunker=parts.Splitter(chunk_size=128, chunk_overlap=10),
        embedding=parts.HashEmbedding(model_name="hashes-1"),
        vector_store=parts.MemoryStore,
        retriever=parts.Nearest,
        rerankers=[parts.PageFirst(parts.RankOptions(first=8))],
        llm=parts.Scripted(),
        checks=[parts.RoundFigures()],
    )

    assert is_the_packages_own(answer, parts.CALLS)


@pytest.mark.parametrize("how", ["acme_parts:Shouting", "shouting", "object"])
def test_a_program_of_ones_own_drafts_a_kind(parts: Any, sample_data: Path, how: str) -> None:
    overrides = [] if how == "object" else [f'answers.programs={{"text": "{how}"}}']
    given: dict[str, Any] = {"programs": {"text": parts.Shouting()}} if how == "object" else {}

    with open_pageproof("offline", overrides=overrides, data=sample_data, **given) as client:
        answer = client.ask("What are the main risks of Ostermere Instruments?", kind="text")

    assert isinstance(answer.value, str)
    assert answer.value.isupper()
    assert answer.citations


def test_a_figure_that_another_check_fails_and_a_check_that_breaks_are_shown_as_failed(
    parts: Any, sample_data: Path
) -> None:
    given: dict[str, Any] = {
        "llm": parts.Scripted(figure=386_412_001),
        "checks": [parts.RoundFigures(), parts.Broken()],
    }

    with open_pageproof("offline", overrides=["answers.cache=false"], data=sample_data, **given) as client:
        answer = client.ask(REVENUE)

    failed = {check.name: check.detail for check in answer.checks if check.verdict == "failed"}
    assert failed["own_round_figures"] == "not round"
    assert "KeyError" in failed["own_broken"]


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (
            ["rerank.kind=acme.Class"],
            "expected 'none', 'lexical', 'llm', 'cross_encoder', 'jina', 'page_first', or",
        ),
        (["rerank.kind=acme_none:Class"], "rerank.kind: 'acme_none:Class' cannot be imported"),
        (["rerank.kind=acme_parts:Nothing"], "the module 'acme_parts' has no 'Nothing'"),
        (["rerank.kind=acme_parts:RoundFigures"], "makes a RoundFigures, expected a BaseNodePostprocessor"),
        (
            ["rerank.kind=acme_parts:PageFirst"],
            "rerank.options do not fit 'acme_parts:PageFirst', which takes first: first: Field required",
        ),
        (["rerank.kind=page_first", 'rerank.options={"frist": 1}'], "which takes first: first: Field required"),
        (
            ["rerank.kind=page_first", 'rerank.options={"first": "one"}'],
            "valid integer, unable to parse string as an integer, got 'one'",
        ),
        (["retrieval.mode=acme_parts:PageFirst"], "retrieval.options do not fit 'acme_parts:PageFirst'"),
        (
            ["verification.checks=acme_parts:PageFirst"],
            "verification.checks: 'acme_parts:PageFirst' is made without options, which takes first",
        ),
        (["verification.checks=roundd"], "'verification.checks' is 'roundd': expected 'round', or a class"),
        (
            ['answers.programs={"text": "shoutin"}'],
            "'answers.programs.text' is 'shoutin': expected 'shouting', or",
        ),
        (['answers.programs={"txt": "shouting"}'], "setting 'answers.programs.txt' is 'txt': Input should be"),
        (["retrieval.mode=nearset"], "expected 'vector', 'bm25', 'hybrid', 'full_report', 'nearest', or"),
        (["vector_store.kind=memroy"], "expected 'faiss', 'qdrant', 'memory', or"),
        (
            ["llm.kind=acme_parts:Scripted", "answers.kind=llm", 'llm.options={"figure": "x"}'],
            "llm.options do not fit",
        ),
    ],
)
def test_a_component_that_cannot_be_made_says_which_setting_and_why(
    sample_data: Path, overrides: list[str], message: str
) -> None:
    with (
        pytest.raises(UsageError) as caught,
        open_pageproof("offline", overrides=overrides, data=sample_data) as client,
    ):
        client.ask("What was the number of patents held by Ostermere Instruments?")

    assert message in str(caught.value)


def test_a_class_of_the_current_folder_is_found_where_the_command_does_not_look_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "beside_me.py").write_text("class Thing:\n    pass\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place])  # as in the command that pip installs

    made = make_component("rerankers", "beside_me:Thing", {}, "rerank.kind", object)

    assert type(made).__name__ == "Thing"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"llm": "gpt"}, "llm= got 'gpt', expected LLM"),
        ({"rerankers": ["x"]}, "rerankers= got 'x', expected BaseNodePostprocessor"),
        ({"chunker": "x"}, "chunker= got 'x', expected NodeParser"),
        ({"retriever": "x"}, "retriever= got 'x', expected a class, or a function that makes one"),
        ({"reranker": 3}, "has no argument 'reranker'; components are llm, chunker, embedding"),
    ],
)
def test_an_object_that_is_no_component_is_refused(sample_data: Path, given: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        open_pageproof("offline", data=sample_data, **given)

    assert message in str(caught.value)


def test_a_node_of_a_query_says_of_what_it_is_a_page(sample_data: Path) -> None:
    with open_pageproof("offline", data=sample_data) as client:
        (node, *_) = client.query(REVENUE).source_nodes

    named = {key: node.metadata[key] for key in ("company", "file", "page")}
    assert named == {"company": "Ostermere Instruments, Inc.", "file": "ostermere_2024.pdf", "page": 8}
    assert node.metadata["filing"]


def test_a_store_of_ones_own_gives_its_vectors_back(tmp_path: Path) -> None:
    store = OwnStores(VectorStoreOptions(kind="llama_index.core.vector_stores:SimpleVectorStore"))
    vectors = {"a": [1.0, 0.0], "b": [0.0, 1.0]}
    nodes = [
        TextNode(id_=name, text=name, embedding=vector, metadata={REPORT_KEY: name * 40})
        for name, vector in vectors.items()
    ]
    model = MockEmbedding(embed_dim=2)
    manifest = Manifest(
        company="Acme", fingerprint="f", reader="r", embedding_model="m", dimensions=2, chunk_count=2, reports=()
    )

    written = store.write(tmp_path, nodes, manifest, model)
    opened = CompanyIndex(manifest, store.open(tmp_path, manifest, model))

    assert written.store == "llama_index.core.vector_stores:SimpleVectorStore"
    assert dict(store.vectors(tmp_path, manifest, opened.index)) == vectors
    (found,) = opened.retriever("b" * 40, 2).retrieve("anything")
    assert found.node.get_content() == "b"
    assert store.holds(tmp_path, manifest)
    store.clear(tmp_path)
