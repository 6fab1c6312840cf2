"""From a PDF to page records: Docling, OCR, the pool of reading processes."""
