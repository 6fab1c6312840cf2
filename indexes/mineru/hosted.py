"""MinerU's hosted service, `https://mineru.net/api/v4`: the report leaves this machine.

It gives an upload address (`POST /file-urls/batch`). Uploading the PDF there starts the work. The batch is polled until
it is done (`GET /extract-results/batch/ID`); then its archive is downloaded. A reply with a `code` other than 0 is a
failure, whatever its status.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from indexes.mineru.output import MineruOutput
from indexes.mineru.transport import KEY_VARIABLE, M, Transport, Wire, Work
from indexes.options import ReaderOptions
from storage.errors import MissingKey, ProviderError

_KEY_CODES = {"A0202", "A0211"}  # a wrong key, an expired key


class _Reply(Wire):
    code: int | str
    msg: str = ""
    data: dict[str, Any] | None = None


class _Batch(Wire):
    batch_id: str
    file_urls: list[str]


class _Progress(Wire):
    extracted_pages: int = 0
    total_pages: int = 0


class _State(Work):
    data_id: str = ""
    full_zip_url: str | None = None
    extract_progress: _Progress | None = None


class _States(Wire):
    extract_result: tuple[_State, ...] = ()


class HostedMineru:
    """Uploads a PDF under its SHA-1 as its name, and downloads MinerU's output."""

    def __init__(self, transport: Transport, options: ReaderOptions, patience: float) -> None:
        self._transport = transport
        self._options = options
        self._patience = patience

    def parse(self, path: Path, sha1: str, on_page: Callable[[int, int], None] | None) -> MineruOutput:
        """MinerU's output for the PDF.

        Raises:
            DocumentError: the service cannot read the PDF, or needs too long.
            MissingKey, ProviderError: the service refuses or fails.
        """
        batch = self._data(_Batch, self._transport.ask("POST", "/file-urls/batch", json=self._order(sha1)))
        if len(batch.file_urls) != 1:
            raise ProviderError(
                f"{self._transport.shown} named {len(batch.file_urls)} places to upload to, not one"
            )
        # No content type: the signature of the upload address does not allow one.
        self._transport.fetch("PUT", batch.file_urls[0], content=path.read_bytes())
        state = self._finished(batch.batch_id, sha1, path, on_page)
        if not state.full_zip_url:
            raise ProviderError(f"{self._transport.shown} is done and names no archive; try again")
        archive = self._transport.fetch("GET", state.full_zip_url)
        return MineruOutput.of_archive(archive.content, f"MinerU at {self._transport.shown}")

    def _order(self, sha1: str) -> dict[str, Any]:
        order: dict[str, Any] = {
            "files": [{"name": f"{sha1}.pdf", "data_id": sha1, "is_ocr": self._options.ocr == "always"}],
            "enable_formula": False,  # otherwise amounts in dollars are read as formulas
            "enable_table": True,
            "language": self._options.mineru_language,
        }
        return order | ({"model_version": self._options.mineru_backend} if self._options.mineru_backend else {})

    def _finished(
        self, batch_id: str, sha1: str, path: Path, on_page: Callable[[int, int], None] | None
    ) -> _State:
        def look() -> _State:
            found = self._data(_States, self._transport.ask("GET", f"/extract-results/batch/{batch_id}"))
            seen = next((s for s in found.extract_result if s.data_id in (sha1, "")), _State())
            done = seen.extract_progress
            if done and done.total_pages and on_page:
                on_page(done.extracted_pages, done.total_pages)
            return seen

        return self._transport.finished(look, path, self._patience)

    def _data(self, form: type[M], response: httpx.Response) -> M:
        shown = self._transport.shown
        reply = self._transport.read(_Reply, response.content)
        if reply.code in (0, "0"):
            return self._transport.read(form, reply.data)
        words = self._transport.without_key(reply.msg or "no reason given")
        if str(reply.code) in _KEY_CODES:
            raise MissingKey(f"{shown} does not take the key in {KEY_VARIABLE} ({words}); set another one")
        raise ProviderError(f"{shown} refused ({reply.code}): {words}")
