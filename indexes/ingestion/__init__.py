"""Ingestion: from PDFs to published company indexes, step by step."""
