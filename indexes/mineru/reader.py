"""Reads PDFs with MinerU: its output in a folder, a server of your own, or the hosted service."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from indexes.enrichment.continuations import in_report
from indexes.enrichment.sections import outline_of, with_sections
from indexes.mineru.hosted import HostedMineru
from indexes.mineru.output import MineruOutput
from indexes.mineru.page_records import page_records, printed_pages
from indexes.mineru.self_hosted import SelfHostedMineru
from indexes.mineru.transport import KEY_VARIABLE, Transport, is_local
from indexes.options import ReaderOptions
from indexes.preflight import preflight
from indexes.report_identity.identity import year_names
from storage.errors import MissingKey, SetupError
from storage.records.pages import Page

_HOSTED_PATH = "/api/v4"
_SHARE_OF_PATIENCE = 0.95  # so that the reader can report a timeout before its process is killed


class _Source(Protocol):
    def parse(self, path: Path, sha1: str, on_page: Callable[[int, int], None] | None) -> MineruOutput: ...


class MineruReader:
    """Page records from MinerU's output, compared with the PDF's text layer."""

    def __init__(self, source: _Source, *, trusts_text_layer: bool = True) -> None:
        self._source = source
        self._trusts_text_layer = trusts_text_layer

    @classmethod
    def from_options(cls, options: ReaderOptions, key: str = "") -> "MineruReader":
        """A reader as the settings describe it.

        Args:
            options: name a folder, or an address.
            key: for the hosted service, or for a server that needs one.

        Raises:
            SetupError: the folder does not exist.
            MissingKey: the hosted service is chosen and there is no key.
        """
        trusts = options.ocr != "always"
        if options.mineru_folder is not None:
            folder = options.mineru_folder.expanduser()
            if not folder.is_dir():
                raise SetupError(f"reader.mineru_folder: there is no folder {folder}")
            return cls(_Folder(folder), trusts_text_layer=trusts)
        address = options.mineru_api_base or ""
        if needs_key(options) and not key:
            raise MissingKey(f"{address} needs a key: set {KEY_VARIABLE} in the environment")
        patience = _SHARE_OF_PATIENCE * options.seconds_per_document
        served = HostedMineru if is_hosted(address) else SelfHostedMineru
        return cls(served(Transport(address, key), options, patience), trusts_text_layer=trusts)

    def read_pages(self, path: Path, sha1: str, on_page: Callable[[int, int], None] | None = None) -> list[Page]:
        """One record for every physical page, in order.

        Raises:
            DocumentError: the PDF cannot be read, or it is unclear to which page a part of the output belongs.
            ProviderError, SetupError: MinerU's server refuses or fails.
        """
        page_count = preflight(path).page_count
        output = self._source.parse(path, sha1, on_page)
        printed = printed_pages(path, with_words=self._trusts_text_layer)
        pages = page_records(output, printed, sha1, path)
        if on_page:
            on_page(page_count, page_count)
        return with_sections(in_report(pages, year_names), outline_of(path))


class _Folder:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def parse(self, path: Path, sha1: str, on_page: Callable[[int, int], None] | None) -> MineruOutput:
        del on_page  # the output exists already
        return MineruOutput.of_folder(self._folder, path, sha1)


def is_hosted(address: str) -> bool:
    """Whether an address is the hosted service or compatible with it: it ends in the path of its version."""
    return urlsplit(address).path.rstrip("/").endswith(_HOSTED_PATH)


def needs_key(options: ReaderOptions) -> bool:
    """Whether these options need a key."""
    address = options.mineru_api_base or ""
    return options.kind == "mineru" and is_hosted(address) and not is_local(address)
