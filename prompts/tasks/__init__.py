"""Every other request to a model: choices, reranking, sub-questions, tables as text."""
