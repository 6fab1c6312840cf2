"""Components of a user's own, of which some work and some are wrong in a way that users' components are."""

# ruff: noqa: ARG002  # the signatures are LlamaIndex's

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, LLMMetadata
from llama_index.core.llms import CustomLLM
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document, NodeWithScore, QueryBundle, TextNode
from llama_index.core.types import BasePydanticProgram
from llama_index.core.vector_stores import SimpleVectorStore
from pydantic import PrivateAttr

from prompts.kinds import draft_for

FIGURE = 386_412_000


class Scripted(CustomLLM):
    """Drafts one figure from page 8 of the sample."""

    figure: float = FIGURE
    window: int = 100_000

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name="scripted", context_window=self.window)

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        raise NotImplementedError

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        raise NotImplementedError

    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        cited = {"page": 8, "quote": "$386,412", "printed_figure": "$386,412", "scale": 1000, "currency": "USD"}
        form = {
            "step_by_step_analysis": "",
            "reasoning_summary": "",
            "evidence": [cited | {"period": "2024"}],
            "relevant_pages": [8],
            "unavailable_because": None,
            "final_answer": self.figure,
        }
        return ChatResponse(message=ChatMessage(role="assistant", content=json.dumps(form)))

    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        return self.chat(messages)


class Hidden(Scripted):
    """Two of them differ in nothing that LlamaIndex shows."""

    _figure: float = PrivateAttr()

    def __init__(self, figure: float) -> None:
        super().__init__()
        self._figure = figure

    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        return Scripted(figure=self._figure).chat(messages)


class FailingLlm(Scripted):
    """Raises."""

    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        raise KeyError("my own words")


class WrongLlm(Scripted):
    """Gives a text in the place of a response."""

    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> Any:
        return "386,412"


class Ranking(Scripted):
    """Answers LlamaIndex's question about which documents help."""

    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        return ChatResponse(message=ChatMessage(role="assistant", content="Doc: 1, Relevance: 7"))


class NothingReranked(BaseNodePostprocessor):
    """Returns None."""

    def _postprocess_nodes(self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None) -> Any:
        return None


class FailingReranker(BaseNodePostprocessor):
    """Raises."""

    def _postprocess_nodes(self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None) -> Any:
        raise KeyError("my own words")


class ForeignNodes(BaseRetriever):
    """Retrieves what is in no report."""

    def __init__(self, report: Any) -> None:
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [NodeWithScore(node=TextNode(text="hello"), score=1.0)]


class FailingRetriever(ForeignNodes):
    """Raises."""

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        raise KeyError("my own words")


class NoRetriever:
    """Is none."""


class FailingEmbedding(BaseEmbedding):
    """Raises."""

    def _get_text_embedding(self, text: str) -> list[float]:
        raise KeyError("my own words")

    def _get_query_embedding(self, query: str) -> list[float]:
        raise KeyError("my own words")

    async def _aget_query_embedding(self, query: str) -> list[float]:
        raise KeyError("my own words")


class TooFewVectors(FailingEmbedding):
    """Gives one vector, however many texts there are."""

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return [[1.0, 0.0]]


class WordVectors(FailingEmbedding):
    """Gives words in the place of numbers."""

    def _get_text_embedding(self, text: str) -> Any:
        return ["one", "two"]


class FailingChunker(SentenceSplitter):
    """Raises."""

    def _parse_nodes(self, nodes: Any, show_progress: bool = False, **kwargs: Any) -> Any:
        raise KeyError("my own words")


class FailingStore(SimpleVectorStore):
    """Raises at each search."""

    def query(self, query: Any, **kwargs: Any) -> Any:
        raise KeyError("my own words")


class Unfiltered(SimpleVectorStore):
    """Searches in all reports, whatever the filter says."""

    def query(self, query: Any, **kwargs: Any) -> Any:
        query.filters = None
        return super().query(query, **kwargs)


class FailingProgram(BasePydanticProgram[Any]):
    """Raises."""

    @property
    def output_cls(self) -> Any:
        return draft_for("number")

    def __call__(self, **fields: Any) -> Any:
        raise KeyError("my own words")

    async def acall(self, **fields: Any) -> Any:
        return self(**fields)


class WrongProgram(FailingProgram):
    """Gives a number in the place of a draft."""

    def __call__(self, **fields: Any) -> Any:
        return 5


class FailingReader:
    """Raises."""

    def read_pages(self, path: Path, sha1: str, on_page: Any = None) -> Any:
        raise KeyError("my own words")


class NarrowReader:
    """Takes less than a reader is called with."""

    def read_pages(self, path: Path) -> Any:
        return []


class DemandingRetriever:
    """Wants what it is not given."""

    def __init__(self, foo: Any) -> None:
        self.foo = foo


class Nameless:
    """A check without a name."""

    def check(self, *_: Any) -> Any:
        return "passed", "fine"


class TextReader(FailingReader):
    """Gives texts in the place of pages."""

    def read_pages(self, path: Path, sha1: str, on_page: Any = None) -> Any:
        return ["page one"]


class NothingRead(FailingReader):
    """Returns None."""

    def read_pages(self, path: Path, sha1: str, on_page: Any = None) -> Any:
        return None


class PageTexts(BaseReader):
    """A reader as LlamaIndex's for PDFs: a document for each page."""

    def __init__(self, first: int | None = None) -> None:
        self.first = first

    def load_data(self, file: Path, extra_info: Any = None) -> list[Document]:
        import pypdfium2

        pages = pypdfium2.PdfDocument(file)
        texts = [page.get_textpage().get_text_bounded() for page in pages]
        return [Document(text=text) for text in texts[: self.first]]


class Verdicts:
    """A check that returns what it is told to."""

    name = "verdicts"

    def __init__(self, verdict: Any = ("passed", "")) -> None:
        self.verdict = verdict

    def check(self, draft: Any, question: Any, report: Any, pages: Any) -> Any:
        if isinstance(self.verdict, Exception):
            raise self.verdict
        return self.verdict


def faiss_store(dimensions: int) -> Any:
    """LlamaIndex's own FAISS store, which a setting alone cannot make."""
    import faiss
    from llama_index.vector_stores.faiss import FaissVectorStore

    return FaissVectorStore(faiss_index=faiss.IndexFlatIP(max(dimensions, 1)))
