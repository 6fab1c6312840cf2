"""Retrieval of pages: index cache, retrievers, page scores, second search."""
