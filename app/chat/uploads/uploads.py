"""Reports that people sent: checked, kept on the disk, and read beside the answers. No Chainlit here."""

import asyncio
import datetime as dt
import logging
import os
import re
import sys
import threading
import time
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, suppress
from functools import partial
from pathlib import Path
from typing import Literal

from app.chat.session.client_pool import ChatClient, Key
from app.chat_options import ChatOptions
from app.web_guards import Rate
from indexes.ingestion.requests import Ingested, IngestRequest, Stage
from indexes.preflight import PreflightReport, guarded_preflight
from storage.errors import DocumentError, IngestionStopped, PageproofError, SetupError, UsageError, note_defect
from storage.incoming import one_line
from storage.paths import DataPaths
from storage.records.record import Record
from storage.stores.database import not_writable
from storage.stores.inbox import Inbox, Received
from storage.text import plural

logger = logging.getLogger(__name__)
ClientAt = Callable[[Key], AbstractAsyncContextManager[ChatClient]]
"""A person's client under a profile and settings; it stays open inside the block."""
UploadStage = Literal["waiting", Stage, "indexed", "unchanged", "failed", "stopped", "interrupted"]
SHOWN_SECONDS = 0.5
BEAT_SECONDS = 3.0
CLOSING_SECONDS = 5.0
CHECK_SECONDS = 20.0  # for the first look at a PDF
PATIENCE_SECONDS = 120.0  # while others wait, besides what each page may take
SECONDS_PER_PAGE = 15.0  # OCR of a dense page takes about 8
MOST_PUT_BACK = 3  # times that a PDF makes way for others
MOST_TRIES = 3  # starts of the chat that go on with the same PDF by themselves
_KINDNESS = 5  # how much a reading thread and its process stand back for the answers
_ENDS: frozenset[UploadStage] = frozenset({"indexed", "unchanged", "failed", "stopped", "interrupted"})


TOO_SLOW = (
    "is read so slowly that others had to wait for it several times: send it again when nobody else does, or let "
    "whoever runs this chat read it with `pageproof ingest`"
)
_IN_LIBRARY: frozenset[UploadStage] = frozenset(
    {"answers", "tables", "embedding", "pictures", "indexed", "unchanged"}
)


class UploadState(Record):
    """How far one upload is.

    Attributes:
        done, of: pages while reading, passages while embedding; 0 of 0 before the first.
        reason: why it failed, or what else there is to know.
        warning: what is missing of a report that is indexed all the same.
        can_retry: the PDF is still kept, and reading it again may help.
    """

    stage: UploadStage = "waiting"
    done: int = 0
    of: int = 0
    reason: str = ""
    warning: str = ""
    can_retry: bool = False

    @property
    def is_final(self) -> bool:
        """Nothing more happens by itself."""
        return self.stage in _ENDS

    @property
    def is_in_library(self) -> bool:
        """The report answers questions, though its vectors may be missing yet."""
        return self.stage in _IN_LIBRARY


class Upload:
    """One report on its way into a library.

    Attributes:
        is_continued: the chat ended while it was read, and another start goes on.
    """

    def __init__(self, received: Received, *, is_continued: bool = False) -> None:
        self.received = received
        self.is_continued = is_continued
        self.state = UploadState()
        self.finished = asyncio.Event()
        self.answers = asyncio.Event()  # its report answers questions, or nothing more happens
        self.task: asyncio.Task[None] | None = None
        self.loop: asyncio.AbstractEventLoop | None = None
        self.put_back = 0  # times that it made way for others
        self.reading_since = 0.0
        self.is_begun = False  # its task runs: one that is cancelled before that never gets to say how it ended
        self._stopping = threading.Event()

    @property
    def key(self) -> Key:
        """The client that it is indexed with."""
        sent = self.received
        return Key(profile=sent.profile, overrides=sent.overrides, owner=sent.owner)

    def is_stopping(self) -> bool:
        """Whether its sender, or the chat's end, wants it to stop."""
        return self._stopping.is_set()

    def stop(self) -> None:
        """Ask it to stop."""
        self._stopping.set()
        if self.state.stage == "waiting" and self.task is not None and self.is_begun:
            self.task.cancel()

    def is_slow(self, patience: float) -> bool:
        """Whether it has been read for longer than its pages so far may take while others wait."""
        allowed = patience + SECONDS_PER_PAGE * self.state.done
        return self.state.stage == "reading" and time.monotonic() - self.reading_since > allowed

    def moved(self, stage: Stage, done: int, of: int) -> None:
        """It got further; called from the reading thread."""
        self.state = UploadState(stage=stage, done=done, of=of)
        if stage == "answers" and self.loop is not None:
            self.loop.call_soon_threadsafe(self.answers.set)

    def ended(self, state: UploadState) -> None:
        """Nothing more happens."""
        self.state = state
        self.answers.set()
        self.finished.set()

    async def watch(self) -> AsyncGenerator[UploadState, None]:
        """Its states as they change, not too often, and now and then the same again; ends with the last."""
        last, at = None, 0.0
        while True:
            state = self.state
            if state != last or time.monotonic() - at > BEAT_SECONDS:
                yield state
                last, at = state, time.monotonic()
            if state.is_final:
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(self.finished.wait(), SHOWN_SECONDS)


def _first_look(file: Path) -> PreflightReport:
    return guarded_preflight(file, CHECK_SECONDS)


class Uploads:
    """The reports being read: one at a time for each library, and so many at once in all. Lives in one event loop.

    One that is read slowly makes way while another person waits, and begins again behind them.
    """

    def __init__(
        self,
        client_at: ClientAt,
        shared: DataPaths,
        options: ChatOptions,
        check: Callable[[Path], PreflightReport] = _first_look,
        patience: float = PATIENCE_SECONDS,
    ) -> None:
        """Read with the clients that `client_at` gives; `shared` is everybody's library, people's own are below it."""
        self._patience = patience
        self.options = options
        self._client_at = client_at
        self._shared = shared
        self._check = check
        self._all: dict[tuple[str | None, str], Upload] = {}
        self._rate = Rate(options.uploads_per_hour)
        self._looks: defaultdict[str | None, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._locks: defaultdict[str | None, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._at_once = asyncio.Semaphore(options.uploads_at_once)
        # Threads of their own: those of the event loop are for answers.
        self._reading = ThreadPoolExecutor(options.uploads_at_once, "pageproof-upload", _stand_back)
        self._checking = ThreadPoolExecutor(2, "pageproof-preflight")
        self._pictures: dict[str | None, asyncio.Task[None]] = {}  # what reads them, for each library
        self._closing = False

    async def take(self, file: Path, name: str, key: Key) -> tuple[Upload, bool]:
        """Check a PDF, keep it, and have it read when its turn comes.

        Args:
            file: on the disk; it is not needed any more afterwards.
            name: what its sender calls it.
            key: the client to index it with, its sender's.

        Returns:
            The upload, and whether it is new: the same file may be on its way already.

        Raises:
            DocumentError: it is no PDF that can be read here.
            SetupError: it cannot be stored, on a full disk, say.
        """
        loop = asyncio.get_running_loop()
        try:
            async with self._looks[key.owner]:  # one of each person at a time: there are two places for all
                seen = await loop.run_in_executor(self._checking, self._check, file)
        except DocumentError as error:
            raise DocumentError(str(error).replace(str(file), f"“{name}”")) from error
        if seen.page_count > self.options.upload_pages:
            raise DocumentError(
                f"“{name}” has {seen.page_count:,} pages; at most {self.options.upload_pages:,} are taken here"
            )
        known = self.find(key.owner, seen.sha1)
        if known is not None and not known.state.is_final:
            return known, False
        received = Received(
            sha1=seen.sha1,
            name=name,
            page_count=seen.page_count,
            received=dt.datetime.now(dt.UTC),
            profile=key.profile,
            overrides=key.overrides,
            owner=key.owner,
        )
        # Entered before the first wait, so that the same file sent twice at once is one upload.
        upload = self._all[key.owner, seen.sha1] = Upload(received)
        try:
            await asyncio.to_thread(self._inbox(key.owner).store, file, received)
        except BaseException as error:
            reason = f"“{name}” could not be stored here"
            if isinstance(error, OSError):
                logger.warning("an upload could not be stored: %s", error.strerror)
                reason += f" ({error.strerror}): send it again later, or ask whoever runs this chat"
            upload.ended(UploadState(stage="failed", reason=reason))  # others may wait for it too
            if isinstance(error, OSError):
                raise SetupError(reason) from error
            raise
        self._begin(upload)
        return upload, True

    def seconds_to_wait(self, person: str | None) -> float:
        """Count one more file of a person and give 0, or give the seconds after which another is taken."""
        return self._rate.seconds_to_wait(person)

    def find(self, owner: str | None, sha1: str) -> Upload | None:
        """A person's upload since the chat's start."""
        return self._all.get((owner, sha1))

    def of(self, owner: str | None) -> list[Upload]:
        """A person's uploads since the chat's start, the oldest first."""
        return [upload for (whose, _), upload in self._all.items() if whose == owner]

    def before(self, upload: Upload) -> int:
        """How many of the same person's are read before this one."""
        unfinished = [u for u in self.of(upload.received.owner) if not u.state.is_final]
        return unfinished.index(upload) if upload in unfinished else 0

    def retry(self, upload: Upload) -> Upload:
        """Begin again with a PDF that is still kept.

        Raises:
            UsageError: it is not kept, or is being read.
        """
        if not upload.state.can_retry:
            raise UsageError("this PDF is not kept any more: send it again")
        fresh = self._all[upload.received.owner, upload.received.sha1] = Upload(upload.received)
        self._begin(fresh)
        return fresh

    async def forget(self, owner: str | None, sha1: str) -> None:
        """Stop an upload, wait until it has stopped, and keep nothing of it."""
        upload = self._all.get((owner, sha1))
        if upload is None:
            return
        upload.stop()
        await upload.finished.wait()
        if self._all.get((owner, sha1)) is upload:  # somebody else may have removed it meanwhile, or sent it again
            del self._all[owner, sha1]
            await asyncio.to_thread(self._inbox(owner).drop, sha1)

    async def resume(self) -> None:
        """Go on with what was received before the chat ended."""
        for folder in await asyncio.to_thread(self._inboxes):
            for received in await asyncio.to_thread(Inbox(folder).waiting):
                if self._paths(received.owner).inbox != folder:
                    logger.warning("%s names another owner than its folder's; left alone", received.sha1)
                    continue
                upload = Upload(received, is_continued=True)
                self._all[received.owner, received.sha1] = upload
                if received.tries >= MOST_TRIES:
                    upload.ended(UploadState(stage="interrupted", can_retry=True))
                else:
                    self._begin(upload)

    async def close(self) -> None:
        """Stop reading; what is not done is gone on with at the next start."""
        self._closing = True
        tasks = [u.task for u in self._all.values() if u.task is not None and not u.task.done()]
        tasks += self._pictures.values()
        for upload in self._all.values():
            upload.stop()
        if tasks:
            await asyncio.wait(tasks, timeout=CLOSING_SECONDS)
        self._reading.shutdown(wait=False, cancel_futures=True)
        self._checking.shutdown(wait=False, cancel_futures=True)

    def _inbox(self, owner: str | None) -> Inbox:
        return Inbox(self._paths(owner).inbox)

    def _paths(self, owner: str | None) -> DataPaths:
        return self._shared if owner is None else self._shared.of_owner(owner)

    def _inboxes(self) -> list[Path]:
        return [self._shared.inbox, *sorted(self._shared.root.glob("people/*/inbox"))]

    def _begin(self, upload: Upload) -> None:
        upload.task = asyncio.create_task(self._work(upload))

    async def _work(self, upload: Upload) -> None:
        """Wait for the turn, read, and say how it ended."""
        owner, sha1 = upload.received.owner, upload.received.sha1
        try:
            upload.is_begun, upload.loop = True, asyncio.get_running_loop()
            while (state := await self._read(upload)) is None:
                upload.put_back += 1
                upload.state = UploadState()
        except asyncio.CancelledError:
            state = UploadState(stage="stopped")
        except PageproofError as error:  # of the set-up or a provider, not of the PDF
            state = UploadState(stage="failed", reason=str(error), can_retry=True)
        except Exception as error:  # noqa: BLE001  # a defect of ours must not leave the sender waiting
            state = UploadState(stage="failed", reason=_reason(error), can_retry=True)
        try:
            if not state.can_retry and not (self._closing and state.stage == "stopped"):
                await asyncio.to_thread(self._inbox(owner).drop, sha1)
        except OSError as error:  # it is read again at the next start, and found in the library then
            logger.warning("what was received of an upload cannot be removed: %s", error.strerror)
        finally:
            upload.ended(state)
        if owner not in self._pictures and not self._closing:  # this one may have interrupted it
            self._pictures[owner] = asyncio.create_task(self._read_pictures(upload.key))

    async def _read(self, upload: Upload) -> UploadState | None:
        """How the reading of a PDF ended, when it had its turn; None where it made way for others."""
        owner = upload.received.owner
        if upload.is_stopping():
            raise asyncio.CancelledError
        async with self._locks[owner], self._at_once:
            upload.reading_since = time.monotonic()
            upload.moved("reading", 0, 0)
            tried = upload.received.model_copy(update={"tries": upload.received.tries + 1})
            await asyncio.to_thread(self._inbox(owner).note, tried)
            async with self._client_at(upload.key) as client:
                loop = asyncio.get_running_loop()
                return await loop.run_in_executor(self._reading, self._ingest, client, upload)

    def _makes_way(self, upload: Upload) -> bool:
        """Whether a PDF is read slowly while another person waits."""
        others = (u for (owner, _), u in list(self._all.items()) if owner != upload.received.owner)
        return upload.is_slow(self._patience) and any(other.state.stage == "waiting" for other in others)

    async def _read_pictures(self, key: Key) -> None:
        """Read the pictures that were left, when no PDF waits; one that comes meanwhile goes first."""
        try:
            async with self._locks[key.owner], self._at_once, self._client_at(key) as client:
                read = partial(client.library.read_pictures, stopped=self._is_busy)
                await asyncio.get_running_loop().run_in_executor(self._reading, read)
        except IngestionStopped:
            logger.info("the pictures of reports are read when no PDF waits")
        except Exception as error:  # noqa: BLE001  # what is not read now is read another time
            logger.warning("pictures could not be read: %s", _reason(error))
        finally:
            del self._pictures[key.owner]

    def _is_busy(self) -> bool:
        """Whether a PDF waits to be read, or the chat ends."""
        return self._closing or any(not upload.state.is_final for upload in self._all.values())

    def _ingest(self, client: ChatClient, upload: Upload) -> UploadState | None:
        """Read one PDF; what did not get into the library leaves nothing there, unless it is gone on with.

        Returns:
            How it ended; None where it makes way for others.
        """
        sent = upload.received
        path = self._inbox(sent.owner).pdf(sent.sha1)
        was_there = client.library.owns(sent.sha1)
        try:
            (ingested,) = client.library.ingest(
                IngestRequest(paths=(path,), names={path: sent.name}, pictures=False),
                on_progress=lambda _, stage, done, of: upload.moved(stage, done, of),
                stopped=lambda: upload.is_stopping() or self._makes_way(upload),
            )
            state = _ended(ingested, str(path), sent.name)
        except IngestionStopped:
            if upload.is_stopping():
                state = UploadState(stage="stopped")
            elif upload.put_back < MOST_PUT_BACK:
                return None
            else:
                state = UploadState(stage="failed", reason=f"“{sent.name}” {TOO_SLOW}")
        if state.stage in ("stopped", "failed") and not self._closing:
            if not was_there and client.library.owns(sent.sha1):  # it answered already, without its vectors
                client.library.remove(sent.sha1)
            client.library.discard(sent.sha1)
        return state


def _ended(result: Ingested, path: str, name: str) -> UploadState:
    if result.status == "failed":
        return UploadState(stage="failed", reason=result.reason.replace(path, f"“{name}”"))
    stage: UploadStage = "unchanged" if result.status == "unchanged" else "indexed"
    reason = result.reason
    if result.unread_pictures and not reason:
        reason = (
            f"The text in pictures on {plural(result.unread_pictures, 'page')} is read when no other PDF waits"
        )
    return UploadState(stage=stage, reason=reason, warning=result.warning.replace(path, f"“{name}”"))


def _reason(error: Exception) -> str:
    """What the sender reads of an error that nobody foresaw, or of a full disk."""
    explained = not_writable(error)
    if explained is not None:
        logger.warning("an upload could not be read: %s", explained)
        return str(explained)
    reference = note_defect(logger, "an upload could not be read", error)
    return f"something went wrong in Pageproof itself; the log has the details under reference {reference}"


def _stand_back() -> None:
    """Let answers go first: this thread, the processes it starts and the model's threads under it."""
    if sys.platform == "linux":  # elsewhere this would slow the whole chat
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _KINDNESS)


LONGEST = 120  # characters
NAMELESS = "report.pdf"


def shown_name(given: str | None) -> str:
    """The last part of the name, without what a screen or a path would take for something else.

    No path is ever made of it; it is what people call the report.
    """
    last = re.split(r"[/\\]", given or "")[-1]
    name = one_line(last).lstrip(". ")
    stem, dot, suffix = name.rpartition(".")
    if len(name) > LONGEST and dot and len(suffix) <= 5:
        name = f"{stem[: LONGEST - len(suffix) - 2].rstrip()}….{suffix}"
    return name[:LONGEST] or NAMELESS
