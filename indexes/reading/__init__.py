"""Reads PDFs into page records: Docling, OCR, the pool of reading processes."""
