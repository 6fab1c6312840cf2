"""Finding pages: index cache, retrievers, page scores, the second search."""
