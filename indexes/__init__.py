"""Turns PDFs into searchable company indexes."""
