"""The models of this machine in the chat: what is offered, and the downloads that run."""

import logging
import os
import threading
from collections.abc import Mapping

from query_engines.local_model.model_files import KnownModel, ModelFolder, recommended_as
from query_engines.local_model.model_server import EXTRA, is_installed
from storage.errors import MissingModel, PageproofError
from storage.records.record import Record
from storage.stores.database import not_writable

logger = logging.getLogger(__name__)


class OfferedModel(Record):
    """A model in the form.

    Attributes:
        here_gb: of a download that runs, how much is here; None where none runs.
        trouble: why the last download ended, in words.
    """

    name: str
    title: str
    about: str
    licence: str
    size_gb: float
    memory_gb: int | None
    is_here: bool
    here_gb: float | None = None
    trouble: str = ""


class OwnModels:
    """Models that run on this machine, for the person who sits at it."""

    def __init__(self, folder: ModelFolder, environment: Mapping[str, str] = os.environ) -> None:
        self._folder, self._environment = folder, environment
        self._lock = threading.Lock()
        self._running: dict[str, _Running] = {}

    @property
    def missing_extra(self) -> str:
        """The command that installs what runs a model; "" where it is here."""
        return "" if is_installed() else EXTRA

    def offered(self) -> tuple[OfferedModel, ...]:
        """The recommended models and those that are here."""
        return tuple(self._offered(model) for model in self._folder.all())

    def get(self, name: str) -> None:
        """Begin to download a recommended model, unless that runs already.

        Raises:
            UsageError: there is none of this name.
        """
        model = recommended_as(name)
        with self._lock:
            running = self._running.get(name)
            if running is None or running.has_ended:
                running = self._running[name] = _Running(model.size_gb)
                work = threading.Thread(
                    target=self._download, args=(name, running), name="pageproof-model", daemon=True
                )
                work.start()

    def stop(self, name: str) -> None:
        """Stop a download; what is here stays for the next time."""
        with self._lock:
            if (running := self._running.get(name)) is not None:
                running.is_stopped = True

    def check(self, name: str) -> None:
        """See that a model can answer, and choose it where none is chosen.

        Raises:
            MissingModel: it is not here.
            UsageError, DamagedFile: it is no model.
        """
        if name not in {model.name for model in self._folder.all() if model.path is not None}:
            raise MissingModel(f"the model {name[:60]!r} is not on this machine")
        if self._folder.chosen() is None:
            self._folder.choose(name)

    def setting(self, name: str) -> str:
        """What `llm.model` is for a model that is here: its name, or the path of a file elsewhere."""
        found = next((m for m in self._folder.all() if m.name == name and m.path is not None), None)
        is_elsewhere = found is not None and found.path is not None and found.path.parent != self._folder.root
        return str(found.path) if found is not None and is_elsewhere else name

    def _download(self, name: str, running: "_Running") -> None:
        from query_engines.local_model.download import Download  # late: it loads an HTTP client

        def told(here: int, whole: int) -> None:
            running.here_gb, running.size_gb = here / 1e9, whole / 1e9

        download = Download(recommended_as(name), self._folder.root, self._environment)
        try:
            download.run(told, lambda: running.is_stopped)
        except PageproofError as error:
            running.trouble = str(error)
        except Exception as error:  # the last place to tell of it
            explained = not_writable(error)
            running.trouble = str(explained or f"the download failed: {type(error).__name__}")
            logger.exception("the download of %s failed", name)
        finally:
            running.has_ended = True

    def _offered(self, model: KnownModel) -> OfferedModel:
        running = self._running.get(model.name)
        is_running = running is not None and not running.has_ended
        return OfferedModel(
            name=model.name,
            title=model.title,
            about=model.about,
            licence=model.licence,
            size_gb=running.size_gb if running is not None and is_running else model.size_gb,
            memory_gb=model.memory_gb,
            is_here=model.path is not None,
            here_gb=running.here_gb if running is not None and is_running else None,
            trouble=running.trouble if running is not None and model.path is None else "",
        )


class _Running:
    """A download, as its thread and those who ask for it see it."""

    def __init__(self, size_gb: float) -> None:
        self.size_gb, self.here_gb = size_gb, 0.0
        self.is_stopped = self.has_ended = False
        self.trouble = ""
