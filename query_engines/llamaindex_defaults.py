"""What LlamaIndex's base classes insist on and nothing here asks: a model, and what would cut texts to its context.

Made once: left to themselves the bases make them anew for each question, with a tokenizer that two threads cannot load
at the same time.
"""

from llama_index.core.indices.prompt_helper import ChatPromptHelper, PromptHelper
from llama_index.core.llms import MockLLM
from llama_index.core.response_synthesizers import BaseSynthesizer, TreeSummarize

UNUSED_LLM = MockLLM()
_PROMPTS = PromptHelper(tokenizer=list)
_CHATS = ChatPromptHelper(tokenizer=list)
UNUSED_SUMMARIZER = TreeSummarize(llm=UNUSED_LLM, prompt_helper=_PROMPTS, chat_prompt_helper=_CHATS)


class OwnSynthesizer(BaseSynthesizer):
    """A base for synthesizers with models of their own, or none."""

    def __init__(self) -> None:
        super().__init__(llm=UNUSED_LLM, prompt_helper=_PROMPTS, chat_prompt_helper=_CHATS)
