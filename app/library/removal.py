"""Taking a report out of a library, so that nothing of it is left."""

import shutil
import sqlite3

from filelock import FileLock

from indexes.search.index_edits import OpenStores, withdraw
from storage.errors import SetupError
from storage.paths import DataPaths
from storage.stores.caches import AnswerCache
from storage.stores.library import Library


def remove_report(paths: DataPaths, library: Library, sha1: str, stores: OpenStores) -> bool:
    """Take a report out of the catalog, then everything that was made of it off the disk.

    What was asked about it stays in the run log, and its vectors in the embedding cache, by the digests of their texts.

    Returns:
        False where there was nothing to remove. After a kill, removing it again goes on.

    Raises:
        SetupError: something cannot be removed.
    """
    if not library.begin_removal(sha1):
        return False
    finish_removals(paths, library, stores)
    return True


def discard_report(paths: DataPaths, library: Library, sha1: str) -> None:
    """Remove what an ingestion that did not come to its end left of a report that is not in the catalog.

    Raises:
        SetupError: something cannot be removed.
    """
    if library.report(sha1) is not None:
        return
    with FileLock(paths.root / "removal.lock"):
        try:
            _remove_reading(paths, sha1)
        except OSError as error:
            raise SetupError(f"what was read of {sha1} cannot all be removed ({error}); mend that") from error


def finish_removals(paths: DataPaths, library: Library, stores: OpenStores) -> None:
    """Remove what was made of reports that have left the catalog: indexes, kept answers, pages, facts, files.

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
    _remove_reading(paths, sha1)


def _remove_reading(paths: DataPaths, sha1: str) -> None:
    for folder in (paths.pages, paths.facts, paths.pictures):
        if (folder / sha1).exists():
            shutil.rmtree(folder / sha1)
    paths.report_pdf(sha1).unlink(missing_ok=True)
