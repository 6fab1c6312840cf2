"""Table rows beyond the ontology, for `pageproof lab`: `python -m tests.measures.row_truth OUT.json --data DATA`.

The rows are drawn by a seed from the library's own pages and asked with their table; the value is the row's one figure
of the report's year, as our reading has it. It tells how well page and row are found, not how well they were read.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from app.settings import data_paths, load_settings
from indexes.facts.printed_rows import table_rows
from indexes.fingerprints import reader_fingerprint
from storage.records.metrics import folded
from storage.records.pages import Page
from storage.records.reports import Report
from storage.stores.library import Library
from storage.stores.pages import PageStore
from storage.text import plain
from tests.support.row_questions import DrawnRow, draw_rows, with_table

DRAWN = 3  # rows drawn for each one asked: not every row has one figure of the year with a known scale


def value_of(row: DrawnRow, pages: Mapping[str, Sequence[Page]]) -> Decimal | None:
    """The row's one figure in a column of the report's year, in full units; None where that is not clear."""
    page = next(p for p in pages[row.report.sha1] if p.page_number == row.page_number)
    found = set()
    for table in page.tables:
        for printed in table_rows(table, page.page_number):
            if folded(plain(printed.label)) != folded(row.label):
                continue
            for figure in printed.figures:
                column = table.columns[figure.column] if figure.column < len(table.columns) else None
                if column is None or column.period is None or column.period.end != row.report.period_end:
                    continue
                if figure.value is not None and column.scale and "%" not in figure.printed:
                    found.add(figure.value * column.scale)
    return found.pop() if len(found) == 1 else None


def truth(pages: Mapping[str, Sequence[Page]], reports: Mapping[str, Report], count: int) -> dict[str, Any]:
    """The challenge's form of round 2, so many questions."""
    drawn = draw_rows(pages, reports, DRAWN * count)
    content: dict[str, Any] = {}
    for row, question in zip(drawn, with_table(drawn), strict=True):
        value = value_of(row, pages)
        if value is not None and len(content) < count:
            place = f"{row.report.sha1}:{row.page_number - 1}"
            content[question.text] = {"kind": "number", "answers": [float(value)], "reference_pools": [[place]]}
    return content


def main() -> None:
    """Draw and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--data", type=Path, default=None, help="The library's folder.")
    parser.add_argument("--count", type=int, default=100)
    arguments = parser.parse_args()
    paths, settings = data_paths(arguments.data), load_settings()
    store = PageStore(paths.pages, reader_fingerprint(settings.reader))
    reports = {r.sha1: r for company in Library(paths.catalog).companies() for r in company.reports}
    pages = {sha1: store.read(sha1) for sha1 in reports if sha1 in store}
    content = truth(pages, reports, arguments.count)
    arguments.out.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"{len(content)} questions in {arguments.out}")


if __name__ == "__main__":
    main()
