"""Adds context to pages: units and periods of tables, sections, headers and footers."""
