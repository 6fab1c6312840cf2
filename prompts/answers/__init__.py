"""The prompts for answering a question."""
