"""The rerankers, one module each."""
