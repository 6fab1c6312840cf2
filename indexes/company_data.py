"""Company, currency and period as a report itself shows them, for reports that no catalog names."""

import datetime as dt
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from indexes.catalog import CatalogEntry
from storage.pages import Page

FIRST_PAGES = 5
_LEGAL_FORM = re.compile(
    r"\b(?:inc|incorporated|corp|corporation|company|co|plc|ltd|limited|llc|l\.?p|ag|se|sa|s\.?a|nv|n\.?v|gmbh|ab|asa|"
    r"oyj|spa|trust|group|holdings?|bancorp|k\.?k)\b\.?$",
    re.IGNORECASE,
)


def company_data(pages: Sequence[Page], path: Path) -> CatalogEntry:
    """The name from the first pages' lines, currency and period from the tables' columns.

    A line that ends in a legal form wins, the tallest such line first; without one the file's name stands in.
    """
    currencies = Counter(c.currency for page in pages for t in page.tables for c in t.columns if c.currency)
    ends = Counter(c.period.end for page in pages for t in page.tables for c in t.columns if c.period)
    return CatalogEntry(
        company=_name(pages) or path.stem,
        currency=currencies.most_common(1)[0][0] if currencies else None,
        period_end=_latest_common(ends),
    )


def _name(pages: Sequence[Page]) -> str | None:
    lines = [
        (line.box.height, -page.page_number, line.text.strip())
        for page in pages[:FIRST_PAGES]
        for block in page.blocks
        if block.table is None
        for line in block.lines
        if len(line.text) <= 80 and _LEGAL_FORM.search(line.text.strip())
    ]
    return max(lines)[2] if lines else None


def _latest_common(ends: Counter[dt.date]) -> dt.date | None:
    if not ends:
        return None
    most = ends.most_common(1)[0][1]
    return max(end for end, count in ends.items() if count >= most / 2)
