"""A placeholder model and a prompt helper that LlamaIndex's constructors require and that are never used.

They are made once. Otherwise LlamaIndex would make them for each question, with a tokenizer that two threads cannot
load at the same time.
"""

from llama_index.core.indices.prompt_helper import ChatPromptHelper, PromptHelper
from llama_index.core.llms import MockLLM
from llama_index.core.response_synthesizers import BaseSynthesizer, TreeSummarize

UNUSED_LLM = MockLLM()
_PROMPTS = PromptHelper(tokenizer=list)
_CHATS = ChatPromptHelper(tokenizer=list)
UNUSED_SUMMARIZER = TreeSummarize(llm=UNUSED_LLM, prompt_helper=_PROMPTS, chat_prompt_helper=_CHATS)


class OwnSynthesizer(BaseSynthesizer):
    """Base of our synthesizers, which do not use LlamaIndex's model."""

    def __init__(self) -> None:
        super().__init__(llm=UNUSED_LLM, prompt_helper=_PROMPTS, chat_prompt_helper=_CHATS)
