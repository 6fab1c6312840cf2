"""Exports the pages of a report as files for people and other programs."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from storage.files import write_atomically
from storage.records.pages import Page


def export_pages(pages: Sequence[Page], sha1: str, folder: Path) -> None:
    """Write `folder/<sha1>/0001.md` for each page and `pages.json` with all records. Earlier files are replaced."""
    target = folder / sha1
    if target.exists():
        shutil.rmtree(target)
    for page in pages:
        write_atomically(target / f"{page.page_number:04d}.md", page.markdown.encode())
    body = ",\n".join(page.model_dump_json() for page in pages)
    write_atomically(target / "pages.json", f"[{body}]\n".encode())
