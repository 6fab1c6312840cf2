"""Keeping a library from growing for ever: its caches and leftovers, their limits, and what is over them."""

import logging
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping

from app.library.leftovers import Leftovers
from storage.errors import SetupError
from storage.options import CacheOptions, Limit
from storage.paths import DataPaths
from storage.stores.caches import AnswerCache, EmbeddingCache, TableTextCache
from storage.stores.pruning import CachedFiles, Clock, MeasuredCache, Prunable
from storage.stores.run_log import RunLog

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
            except (sqlite3.Error, OSError) as error:
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
