"""From PDFs to published company indexes, step by step."""
