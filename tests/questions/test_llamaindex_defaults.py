"""A question makes nothing of what LlamaIndex's bases would make for each."""

import pytest
from llama_index.core.response_synthesizers import TreeSummarize
from llama_index.core.utilities import token_counting

from app.assembly.client import Pageproof
from query_engines.llamaindex_defaults import UNUSED_LLM


def test_no_question_loads_a_tokenizer(client: Pageproof, monkeypatch: pytest.MonkeyPatch) -> None:
    def load() -> None:
        raise AssertionError("two threads that load it at once fail")

    monkeypatch.setattr(token_counting, "get_tokenizer", load)
    with pytest.raises(AssertionError, match="two threads"):
        TreeSummarize(llm=UNUSED_LLM)  # as the bases do by themselves
    client.query("What was the total revenue of Ostermere Instruments and of Veldhoorn Packaging?")
    client.query("Who had the higher total revenue, Ostermere Instruments or Tsukimine Seiki?")
