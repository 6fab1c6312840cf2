"""PDFium is one library for the whole process and not thread-safe, whoever holds the documents."""

import threading

PDFIUM = threading.Lock()
"""Held by whoever opens, reads or draws a PDF in a process that has several threads."""
