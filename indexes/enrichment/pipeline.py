"""Adds to each page what only the whole report shows. It is the same for every parser."""

from collections.abc import Sequence

from indexes.enrichment.continuations import with_continuations
from indexes.enrichment.headers_footers import mark_headers_footers
from indexes.enrichment.number_formats import with_number_formats
from indexes.enrichment.sections import with_heading_levels
from indexes.enrichment.table_context import with_table_context
from storage.records.pages import Page


def in_report(pages: Sequence[Page]) -> list[Page]:
    """All pages of a report with headers and footers, heading levels, number formats, table context, continuations."""
    levelled = with_heading_levels(mark_headers_footers(pages))
    return with_continuations(with_table_context(with_number_formats(levelled)))
