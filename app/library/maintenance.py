"""Holding a library within its limits: its caches, and the files that nothing uses any more."""

import logging
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock

from indexes.fingerprints import INDEX_VERSIONS, facts_fingerprint_of
from storage.errors import DamagedFile, SetupError, StaleIndex
from storage.files import remove_path
from storage.options import CacheOptions, Limit
from storage.paths import DataPaths
from storage.records.metrics import Ontology
from storage.records.reports import Report
from storage.stores.caches import AnswerCache, EmbeddingCache, TableTextCache
from storage.stores.generations import Generations, Manifest
from storage.stores.library import Library
from storage.stores.pages import FactStore
from storage.stores.pruning import (
    CachedFiles,
    CacheState,
    Clock,
    MeasuredCache,
    Prunable,
    moment,
    remove_empty_folders,
)
from storage.stores.run_log import RunLog

if TYPE_CHECKING:
    from indexes.search.index_edits import OpenStores


@dataclass(frozen=True)
class _Index:
    """The generations of one company under one fingerprint; no manifest where the current one cannot be read."""

    home: Path
    current: Path | None
    manifest: Manifest | None

    @property
    def is_of_an_earlier_version(self) -> bool:
        """It was written by a version of the program whose indexes have other fingerprints now, and by no later one."""
        return self.manifest is not None and () < self.manifest.versions < INDEX_VERSIONS

    @property
    def is_unreadable(self) -> bool:
        """There is one, and nobody knows what it was made from."""
        return self.current is not None and self.manifest is None

    def unused(self) -> list[Path]:
        """Its generations that no question reads."""
        folders = [path for path in self.home.iterdir() if path.is_dir()]
        return folders if self.is_of_an_earlier_version else [f for f in folders if f != self.current]


@dataclass(frozen=True)
class _Unused:
    """What is left over; generations go by another way than files and folders of reports."""

    files: list[Path] = field(default_factory=list)
    indexes: list[tuple[_Index, list[Path]]] = field(default_factory=list)


class Leftovers:
    """Finds and removes them. A report that the catalog or any published index names is in the library.

    Args:
        paths: the data root.
        library: its catalog.
        ontology: by which facts are read.
        reader: the fingerprint of the reader of the settings.
        stores: opens what holds the vectors of an index; needed to remove, not to look.
    """

    def __init__(
        self,
        paths: DataPaths,
        library: Library,
        ontology: Ontology,
        reader: str,
        stores: "OpenStores | None" = None,
    ) -> None:
        self._paths = paths
        self._library = library
        self._ontology = ontology
        self._reader = reader
        self._stores = stores

    def state(self) -> CacheState:
        """What they take."""
        unused = self._unused()
        paths = [*unused.files, *(path for _, folders in unused.indexes for path in folders)]
        sizes = [_size_and_time(path) for path in paths]
        oldest = min((time for _, time in sizes), default=None)
        return CacheState(bytes=sum(size for size, _ in sizes), entries=len(sizes), oldest=moment(oldest))

    def prune(self, limit: Limit, now: float) -> int:
        """Remove those that are older than the limit's age; how many went."""
        oldest = limit.oldest(now)
        with FileLock(self._paths.root / "removal.lock"):
            unused = self._unused()
            old = [path for path in unused.files if _size_and_time(path)[1] < oldest]
            for path in old:
                remove_path(path)
            remove_empty_folders({path.parent for path in old} - set(self._folders()))
        return len(old) + sum(
            self._remove_generations(index, folders, oldest) for index, folders in unused.indexes
        )

    def _remove_generations(self, index: _Index, folders: list[Path], oldest: float) -> int:
        old = [folder for folder in folders if _size_and_time(folder)[1] < oldest]
        if not old or self._stores is None:
            return 0
        with self._stores() as stores_of, Generations(index.home).locked():
            clear = stores_of(index.manifest.vector_index).clear if index.manifest else _nothing_elsewhere
            generations = Generations(index.home, clear)
            if generations.current() != index.current:  # something was published meanwhile
                return 0
            if index.is_of_an_earlier_version and len(old) == len(folders):
                generations.remove()
            else:
                generations.drop([folder for folder in old if folder != index.current])
            generations.remove_empty()
        return len(old)

    def _unused(self) -> _Unused:
        if not self._paths.catalog.exists():  # nobody knows then what is in use
            return _Unused()
        indexes = list(self._indexes())
        published = [index.manifest for index in indexes if index.manifest]
        reports = {report.sha1: report for company in self._library.companies() for report in company.reports}
        here = {*reports, *(report.sha1 for manifest in published for report in manifest.reports)}
        found = _Unused(indexes=[(index, folders) for index in indexes if (folders := index.unused())])
        for folder in self._folders():
            found.files.extend(path for path in _children(folder) if path.stem not in here)
        if not any(index.is_unreadable for index in indexes):
            readers = {self._reader, *(m.reader for index in indexes if (m := index.manifest))}
            found.files.extend(self._earlier_pages(here, readers))
            found.files.extend(self._earlier_facts(reports, readers))
        found.files.extend(self._drafts())
        found.files.extend(_children(self._paths.damaged))
        return found

    def _folders(self) -> tuple[Path, ...]:
        return (self._paths.pages, self._paths.facts, self._paths.pictures, self._paths.reports)

    def _earlier_pages(self, here: set[str], readers: set[str]) -> Iterator[Path]:
        """Pages that neither the settings nor any index names; without their PDF they could not be read again."""
        for archive in self._paths.pages.glob("*/*.zip"):
            sha1 = archive.parent.name
            if sha1 in here and archive.stem not in readers and self._paths.report_pdf(sha1).exists():
                yield archive

    def _earlier_facts(self, reports: dict[str, Report], readers: set[str]) -> Iterator[Path]:
        stores = [FactStore(self._paths.facts, facts_fingerprint_of(r, self._ontology)) for r in readers]
        for sha1, report in reports.items():
            used = {store.path(report) for store in stores}
            yield from (path for path in self._paths.facts.glob(f"{sha1}/*.json") if path not in used)

    def _drafts(self) -> Iterator[Path]:
        """Files that a process was writing when it was killed."""
        folders = (*self._folders(), self._paths.indexes, self._paths.inbox)
        yield from (path for folder in folders for path in folder.rglob("*.draft"))
        # A PDF whose note is lost: nobody knows whose it was, and nothing goes on with it.
        yield from (path for path in self._paths.inbox.glob("*.pdf") if not path.with_suffix(".json").exists())

    def _indexes(self) -> Iterator[_Index]:
        for home in sorted(self._paths.indexes.glob("*/*/")):
            current = Generations(home).current()
            manifest = None
            with suppress(StaleIndex, DamagedFile):
                manifest = Manifest.read(current) if current else None
            yield _Index(home, current, manifest)


def _children(folder: Path) -> Iterator[Path]:
    return (path for path in folder.glob("*") if not path.name.startswith("."))


def _size_and_time(path: Path) -> tuple[int, float]:
    """The bytes of a file or of all files in a folder, and when one of them was last written."""
    files = [part for part in path.rglob("*") if part.is_file()] if path.is_dir() else [path]
    size, time = 0, 0.0
    for file in files or [path]:
        with suppress(FileNotFoundError):
            found = file.stat()
            size += found.st_size
            time = max(time, found.st_mtime)
    return size, time


def _nothing_elsewhere(_: Path) -> None:
    """What an index has outside its folder, where nothing says where."""


logger = logging.getLogger(__name__)
MakeLeftovers = Callable[[DataPaths], Leftovers]


class Maintenance:
    """The caches of a data root and of the people's libraries below it.

    Args:
        paths: the data root.
        options: the limits.
        leftovers: of one data root.
        clock: the time, in seconds since 1970.
    """

    def __init__(
        self, paths: DataPaths, options: CacheOptions, leftovers: MakeLeftovers, clock: Clock = time.time
    ) -> None:
        self._paths = paths
        self._options = options
        self._leftovers = leftovers
        self._clock = clock

    def prune(self) -> None:
        """Bring everything at the data root within its limits; what cannot be pruned is logged, and stays."""
        self._prune(self._paths)

    def prune_everywhere(self) -> None:
        """The same for the data root and for the libraries of all people."""
        for paths in (self._paths, *self._paths.owners()):
            self._prune(paths)

    def measured(self) -> Iterator[MeasuredCache]:
        """What each cache at the data root takes."""
        for name, (cache, limit) in self._caches(self._paths).items():
            try:
                yield MeasuredCache(name=name, limit=limit, state=cache.state())
            except (sqlite3.Error, OSError, SetupError) as error:
                yield MeasuredCache(name=name, limit=limit, error=str(error))

    def _prune(self, paths: DataPaths) -> None:
        if not paths.root.exists():
            return
        for name, (cache, limit) in self._caches(paths).items():
            try:
                gone = cache.prune(limit, self._clock())
            except (sqlite3.Error, OSError, SetupError) as error:
                logger.warning("%s at %s cannot be pruned: %s", name, paths.root, error)
                continue
            if gone:
                logger.info("%s at %s: %d removed", name, paths.root, gone)

    def _caches(self, paths: DataPaths) -> Mapping[str, tuple[Prunable, Limit]]:
        options = self._options
        return {
            "embeddings": (EmbeddingCache(paths.embedding_cache), options.limit("embeddings")),
            "tables": (TableTextCache(paths.table_texts), options.limit("tables")),
            "answers": (AnswerCache(paths.answer_cache), options.limit("answers")),
            "runs": (RunLog(paths.runs), options.limit("runs")),
            "pictures": (CachedFiles(paths.pictures, "*.png"), options.limit("pictures")),
            "leftovers": (self._leftovers(paths), Limit(days=options.leftovers_days)),
        }
