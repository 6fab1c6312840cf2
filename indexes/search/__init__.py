"""Chunks, embeddings, BM25 and the vector stores of a company's index."""
