"""A MinerU server of your own: `mineru-api` of MinerU 2 and 3.

Version 3 accepts tasks (`POST /tasks`, `GET /tasks/ID`, `GET /tasks/ID/result`); version 2 answers when it is done
(`POST /file_parse`). Both send an archive on request; early versions send JSON even then.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from indexes.mineru.output import MineruOutput
from indexes.mineru.transport import Transport, Wire, Work
from indexes.options import ReaderOptions
from storage.errors import ProviderError, SetupError

_METHODS = {"auto": "auto", "pictures": "auto", "off": "txt", "always": "ocr"}
_NOT_THERE = (404, 405)


class _Task(Work):
    task_id: str


class _Result(Wire):
    content_list: str | None = None
    middle_json: str | None = None


class _Results(Wire):
    results: dict[str, _Result]


class SelfHostedMineru:
    """Sends a PDF under its SHA-1 as its name, and downloads MinerU's output."""

    def __init__(self, transport: Transport, options: ReaderOptions, patience: float) -> None:
        self._transport = transport
        self._options = options
        self._patience = patience

    def parse(self, path: Path, sha1: str, on_page: Callable[[int, int], None] | None) -> MineruOutput:
        """MinerU's output for the PDF.

        Raises:
            DocumentError: the server cannot read the PDF, or needs too long.
            ProviderError, SetupError: the server refuses or fails.
        """
        del on_page  # these servers do not report progress
        form = {"data": self._form(), "files": {"files": (f"{sha1}.pdf", path.read_bytes(), "application/pdf")}}
        reply = self._transport.ask("POST", "/tasks", passing=_NOT_THERE, **form)
        if reply.status_code not in _NOT_THERE:
            return self._output(self._finished(self._transport.read(_Task, reply.content), path))
        reply = self._transport.ask("POST", "/file_parse", passing=_NOT_THERE, timeout=self._patience, **form)
        if reply.status_code in _NOT_THERE:
            raise SetupError(self._not_spoken())
        return self._output(reply)

    def _form(self) -> dict[str, Any]:
        form: dict[str, Any] = {
            "lang_list": [self._options.mineru_language],
            "parse_method": _METHODS[self._options.ocr],
            "formula_enable": "false",  # otherwise amounts in dollars are read as formulas
            "table_enable": "true",
            "return_md": "false",
            "return_content_list": "true",
            "return_middle_json": "true",
            "return_images": "false",
            "response_format_zip": "true",
        }
        return form | ({"backend": self._options.mineru_backend} if self._options.mineru_backend else {})

    def _finished(self, task: _Task, path: Path) -> httpx.Response:
        def look() -> _Task:
            reply = self._transport.ask("GET", f"/tasks/{task.task_id}", passing=(404,))
            if reply.status_code == 404:
                raise ProviderError(f"MinerU at {self._transport.shown} lost the task; try again")
            return self._transport.read(_Task, reply.content)

        self._transport.finished(look, path, self._patience)
        return self._transport.ask("GET", f"/tasks/{task.task_id}/result")

    def _output(self, reply: httpx.Response) -> MineruOutput:
        source = f"MinerU at {self._transport.shown}"
        if "json" not in reply.headers.get("content-type", ""):
            return MineruOutput.of_archive(reply.content, source)
        results = list(self._transport.read(_Results, reply.content).results.values())
        if len(results) != 1:
            raise ProviderError(f"{source} sent the output of {len(results)} reports; expected one")
        return MineruOutput.of_files(results[0].content_list, results[0].middle_json, source)

    def _not_spoken(self) -> str:
        shown = self._transport.shown
        newer = self._transport.ask("GET", "/v1/health", passing=_NOT_THERE).status_code == 200
        if newer:
            return f"{shown} speaks the API of MinerU 4, which is not spoken here; run the mineru-api of MinerU 3"
        return f"{shown} has neither /tasks nor /file_parse; is reader.mineru_api_base a mineru-api?"
