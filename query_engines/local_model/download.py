"""Downloads a model's file from the Hugging Face hub, or from a server with its addresses.

What arrives is written beside its place, goes on where it broke off, and gets its name when its size and its digest are
those that the hub told before.
"""

import hashlib
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
from filelock import FileLock, Timeout

from query_engines.local_model.gguf import MAGIC, check_magic, read_head
from query_engines.local_model.model_files import PART, RecommendedModel, check_room
from storage.errors import ProviderError, SetupError, UsageError
from storage.files import sync_folder
from storage.lexicon.words import expression

HUB = "https://huggingface.co"
HUB_VARIABLE = "HF_ENDPOINT"
SECONDS = 30.0  # of silence
TRIES = 5
_PAUSE = 1.0  # seconds before the second try, doubled for each further one
_SHA256 = expression(r'"?([0-9a-f]{64})"?')
_BY_HAND = "`pageproof model get {name} --from FILE` takes a file that came another way"

OnBytes = Callable[[int, int], None]
"""Called with the bytes that are here and the bytes of the whole file."""


@dataclass(frozen=True)
class _Told:
    """What the hub says of a file before it is downloaded."""

    size: int
    sha256: str


class Download:
    """Downloads one model into a folder.

    Args:
        model: to get.
        folder: of the models.
        environment: HF_ENDPOINT there names another server with the hub's addresses.
        sleep: waits for the given seconds between two tries.
    """

    def __init__(
        self,
        model: RecommendedModel,
        folder: Path,
        environment: Mapping[str, str] = os.environ,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._model, self._folder, self._sleep = model, folder, sleep
        hub = environment.get(HUB_VARIABLE, "").strip().rstrip("/") or HUB
        self.url = f"{hub}/{quote(model.source)}/resolve/main/{quote(model.file)}"
        self._host = httpx.URL(hub).host or hub
        self._by_hand = _BY_HAND.format(name=model.name)

    def run(self, on_bytes: OnBytes = lambda *_: None, stopped: Callable[[], bool] = lambda: False) -> Path | None:
        """Get the file.

        Args:
            on_bytes: is told how far it is.
            stopped: asked now and then; if it says so, what is here stays for the next time.

        Returns:
            Its path; None if it was stopped.

        Raises:
            ProviderError: the server cannot be reached, broke off for good, or sent something else than it should.
            UsageError: the server has no such file.
            NotWritable: the disk is full.
        """
        target = self._folder / self._model.file
        self._folder.mkdir(parents=True, exist_ok=True)
        with _alone(target), httpx.Client(timeout=SECONDS, follow_redirects=True) as client:
            told = self._told(client)
            part = target.with_name(f"{target.name}.{told.sha256[:12]}{PART}")
            for other in set(self._folder.glob(f"{target.name}.*{PART}")) - {part}:
                other.unlink()  # of an earlier file of this name
            if not self._fetch(client, told, part, on_bytes, stopped):
                return None
            read_head(part)
            part.replace(target)
        sync_folder(self._folder)
        return target

    def _told(self, client: httpx.Client) -> _Told:
        """Size and digest, which the hub tells before it sends a file on to where its bytes lie."""
        with self._translated():
            reply = client.head(self.url, headers={"Accept-Encoding": "identity"}, follow_redirects=False)
        if reply.status_code in (401, 403, 404):
            raise UsageError(
                f"{self._host} has no file {self._model.file} in {self._model.source} ({reply.status_code}): "
                f"is {HUB_VARIABLE} right? {self._by_hand}"
            )
        if reply.status_code >= 400:
            raise ProviderError(f"{self._host} failed with {reply.status_code}; try again later")
        digest = _SHA256.fullmatch(reply.headers.get("x-linked-etag", "") or reply.headers.get("etag", ""))
        size = reply.headers.get("x-linked-size") or reply.headers.get("content-length", "")
        wanted = self._model.sha256 or (digest[1] if digest else None)
        if wanted is None or not size.isdecimal():
            raise ProviderError(
                f"{self._host} tells no SHA-256 of {self._model.file}, so nobody could check what arrives: "
                f"is {HUB_VARIABLE} right? {self._by_hand}"
            )
        return _Told(int(size), wanted)

    def _fetch(
        self, client: httpx.Client, told: _Told, part: Path, on_bytes: OnBytes, stopped: Callable[[], bool]
    ) -> bool:
        """Whether the whole file is in `part`; False if it was stopped."""
        check_room(self._folder, max(0, told.size - _size(part)))
        for attempt in range(TRIES):
            before = _size(part)
            try:
                if not self._go_on(client, told, part, on_bytes, stopped):
                    return False
            except (httpx.TransportError, _BrokeOff) as error:
                if attempt == TRIES - 1:
                    here = f"{_size(part) / 1e9:.1f} of {told.size / 1e9:.1f} GB are here"
                    raise ProviderError(
                        f"{self._host} broke off ({_why(error)}); {here}: "
                        f"`pageproof model get {self._model.name}` goes on from there"
                    ) from error
                self._sleep(_PAUSE * 2**attempt if _size(part) == before else 0.0)
            else:
                break
        return self._checked(told, part)

    def _checked(self, told: _Told, part: Path) -> bool:
        with part.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if digest != told.sha256:
            part.unlink()
            raise ProviderError(
                f"{self._host} sent another file than {self._model.file}: its SHA-256 is {digest[:12]}…, expected "
                f"{told.sha256[:12]}…; it was thrown away. Try again; if that repeats, {self._by_hand}"
            )
        return True

    def _go_on(
        self, client: httpx.Client, told: _Told, part: Path, on_bytes: OnBytes, stopped: Callable[[], bool]
    ) -> bool:
        """Append what is missing; False if it was stopped.

        Raises:
            _BrokeOff: the server ended too early.
        """
        have = _size(part)
        if have >= told.size:
            if have > told.size:
                part.unlink()
                raise _BrokeOff("more was here than the file has")
            return True
        headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
        with client.stream("GET", self.url, headers=headers) as reply:
            if reply.status_code not in (200, 206):
                raise ProviderError(f"{self._host} failed with {reply.status_code}; try again later")
            goes_on = reply.headers.get("content-range", "").startswith(f"bytes {have}-")
            if have and not (reply.status_code == 206 and goes_on):
                have = 0  # it sends the file from its beginning
            with part.open("ab" if have else "wb") as file:
                for block in reply.iter_bytes():
                    if not have and len(block) >= len(MAGIC):
                        self._check_start(block, part)
                    have += len(block)
                    if have > told.size:
                        file.close()
                        part.unlink()
                        raise ProviderError(
                            f"{self._host} sends more than the {told.size:,} bytes that it told of "
                            f"{self._model.file}; it was thrown away. {self._by_hand}"
                        )
                    file.write(block)
                    on_bytes(have, told.size)
                    if stopped():
                        return False
                file.flush()
                os.fsync(file.fileno())
        if have < told.size:
            raise _BrokeOff("the file ended early")
        return True

    def _check_start(self, block: bytes, part: Path) -> None:
        try:
            check_magic(block, f"what {self._host} sends as {self._model.file}")
        except UsageError as error:
            part.unlink(missing_ok=True)
            raise ProviderError(f"{error}: is {HUB_VARIABLE} right? {self._by_hand}") from error

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except httpx.HTTPError as error:
            raise ProviderError(
                f"{self._host} cannot be reached ({_why(error)}): look at the network, name a mirror in "
                f"{HUB_VARIABLE}, or {self._by_hand}"
            ) from error


class _BrokeOff(Exception):
    """The server ended before the file did."""


@contextmanager
def _alone(target: Path) -> Iterator[None]:
    """Let no second process download the same file."""
    lock: Any = FileLock(target.with_name(f".{target.name}.lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise SetupError(f"{target.name} is being downloaded already: wait until that has ended") from error
    try:
        yield
    finally:
        lock.release()


def _size(part: Path) -> int:
    return part.stat().st_size if part.exists() else 0


def _why(error: Exception) -> str:
    return str(error).strip() or type(error).__name__
