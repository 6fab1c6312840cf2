"""The company indexes in memory: the most recently used ones, each loaded once."""

import threading
from collections import OrderedDict, defaultdict
from pathlib import Path

from indexes.cached_embedding import CachedEmbedder
from indexes.company_index import CompanyIndex, CompanyIndexes

HELD = 32  # companies; about 5 MB each


class IndexShelf:
    """Gives the published index of a company. It looks at the pointer every time, so new generations are seen."""

    def __init__(self, indexes: CompanyIndexes, embedder: CachedEmbedder, held: int = HELD) -> None:
        self._indexes = indexes
        self._embedder = embedder
        self._held = held
        self._loaded: OrderedDict[str, tuple[Path, CompanyIndex]] = OrderedDict()
        self._lock = threading.Lock()
        self._loading: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    def get(self, company: str) -> CompanyIndex:
        """The company's current index; concurrent callers wait for one load.

        Raises:
            MissingIndex: there is none under these settings.
        """
        with self._lock:
            loading = self._loading[company]
        with loading:
            folder = self._indexes.current(company)
            with self._lock:
                known = self._loaded.get(company)
                if known is not None and known[0] == folder:
                    self._loaded.move_to_end(company)
                    return known[1]
            index = self._indexes.open(folder, self._embedder)
            with self._lock:
                self._loaded[company] = (folder, index)
                self._loaded.move_to_end(company)
                while len(self._loaded) > self._held:
                    self._loaded.popitem(last=False)
            return index
