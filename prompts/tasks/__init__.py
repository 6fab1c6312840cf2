"""The prompts for all other requests: choices, reranking, sub-questions, tables as text."""
