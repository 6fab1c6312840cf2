"""Removes a report from a library completely."""

import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock

from indexes.search.index_edits import OpenStores, withdraw
from storage.errors import SetupError, UsageError, in_words
from storage.files import remove_path
from storage.lexicon.words import expression
from storage.paths import DataPaths
from storage.stores.caches import AnswerCache
from storage.stores.library import CatalogCopies, Library

_A_SHA1 = expression(r"[0-9a-f]{40}")


def remove_report(paths: DataPaths, library: Library, sha1: str, stores: OpenStores) -> bool:
    """Remove a report from the catalog, and then everything that was made from it from the disk.

    Questions about it stay in the run log, and its vectors in the embedding cache, under digests of texts.

    Returns:
        False where there was nothing to remove. After a kill, a repeated removal continues.

    Raises:
        SetupError: something cannot be removed.
    """
    if not library.begin_removal(sha1):
        return False
    finish_removals(paths, library, stores)
    return True


def discard_report(paths: DataPaths, library: Library, sha1: str) -> None:
    """Remove the leftovers of an unfinished ingestion of a report that is not in the catalog.

    Raises:
        UsageError: it is no SHA-1.
        SetupError: something cannot be removed.
    """
    if not _A_SHA1.fullmatch(sha1):  # every other name is a folder of other things
        raise UsageError(f"sha1 is {in_words(sha1)}, expected the 40 hexadecimal digits of a report")
    if library.report(sha1) is not None:
        return
    with FileLock(paths.root / "removal.lock"):
        try:
            _remove_reading(paths, sha1)
        except OSError as error:
            raise SetupError(f"what was read of {sha1} cannot all be removed ({error}); mend that") from error


def finish_removals(paths: DataPaths, library: Library, stores: OpenStores) -> None:
    """Remove what was made from reports that are no longer in the catalog: indexes, answers, pages, facts, files.

    Raises:
        SetupError: something cannot be removed.
    """
    if not library.removals():
        return
    with FileLock(paths.root / "removal.lock"):
        for sha1, company in library.removals():
            try:
                _remove_files(paths, sha1, company, stores)
            except (OSError, sqlite3.Error) as error:
                raise SetupError(
                    f"what was made of report {sha1} cannot all be removed ({error}); mend that and remove it again"
                ) from error
            library.end_removal(sha1)


def _remove_files(paths: DataPaths, sha1: str, company: str, stores: OpenStores) -> None:
    with stores() as stores_of:
        withdraw(paths.indexes, company, sha1, stores_of)
    if paths.answer_cache.exists():
        AnswerCache(paths.answer_cache).forget(sha1)
    CatalogCopies(paths.catalog, paths.copies).forget(sha1)
    _remove_reading(paths, sha1)
    for path in _set_aside(paths, sha1):
        remove_path(path)


def _remove_reading(paths: DataPaths, sha1: str) -> None:
    for folder in (paths.pages, paths.facts, paths.pictures):
        if (folder / sha1).exists():
            shutil.rmtree(folder / sha1)
    paths.report_pdf(sha1).unlink(missing_ok=True)


def _set_aside(paths: DataPaths, sha1: str) -> Iterator[Path]:
    """What was set aside as damaged and may hold something of the report."""
    yield from (path for path in paths.damaged.glob("*/*/*") if path.stem == sha1)
    for database in (paths.catalog, paths.answer_cache):
        yield from paths.damaged.glob(f"*/{database.name}*")
