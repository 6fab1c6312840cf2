"""What a library knows, to compare it before and after something happened to it."""

from pathlib import Path
from typing import Any

from storage.files import sha1_of
from storage.paths import DataPaths
from storage.stores.generations import Generations, Manifest
from storage.stores.library import Library
from storage.stores.pages import PageStore, facts_in


def content_of(paths: DataPaths) -> dict[str, Any]:
    """Its companies, and the pages, facts, PDFs and indexes of their reports; each is read whole."""
    companies = Library(paths.catalog).companies() if paths.catalog.exists() else ()
    reports = sorted(report.sha1 for company in companies for report in company.reports)
    return {
        "companies": companies,
        "pages": [_pages(path) for sha1 in reports for path in sorted((paths.pages / sha1).glob("*.zip"))],
        "facts": [_facts(path) for sha1 in reports for path in sorted((paths.facts / sha1).glob("*.json"))],
        "PDFs": [sha1 for sha1 in reports if paths.report_pdf(sha1).exists() and _is_whole(paths, sha1)],
        "indexes": [_index(home) for home in sorted(paths.indexes.glob("*/*/")) if any(home.iterdir())],
    }


def _pages(path: Path) -> Any:
    return PageStore(path.parent.parent, path.stem).read(path.parent.name)


def _facts(path: Path) -> Any:
    return facts_in(path.read_bytes(), path.parent.name).model_copy(update={"seconds": 0.0})


def _is_whole(paths: DataPaths, sha1: str) -> bool:
    return sha1_of(paths.report_pdf(sha1)) == sha1


def _index(home: Path) -> Any:
    current = Generations(home).current()
    if current is None:
        return None
    manifest = Manifest.read(current)
    manifest.check(current)
    return manifest.company, manifest.reports, manifest.chunk_count
