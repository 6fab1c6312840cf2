"""Reading PDFs by MinerU: its output in a folder, a server of one's own, or its hosted service."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from indexes.enrichment.pipeline import in_report
from indexes.enrichment.sections import outline_of, with_sections
from indexes.mineru.hosted import HostedMineru
from indexes.mineru.output import MineruOutput
from indexes.mineru.page_records import page_records
from indexes.mineru.self_hosted import SelfHostedMineru
from indexes.mineru.text_layer import printed_pages
from indexes.mineru.transport import KEY_VARIABLE, Transport, is_local
from indexes.options import ReaderOptions
from indexes.preflight import preflight
from storage.errors import MissingKey, SetupError
from storage.records.pages import Page

_HOSTED_PATH = "/api/v4"
_SHARE_OF_PATIENCE = 0.95  # so that the reader tells what it waited for before its process is ended


class _Source(Protocol):
    def parse(self, path: Path, sha1: str, on_page: Callable[[int, int], None] | None) -> MineruOutput: ...


class MineruReader:
    """Page records from what MinerU read, held to the PDF's own text layer."""

    def __init__(self, source: _Source, *, trusts_text_layer: bool = True) -> None:
        self._source = source
        self._trusts_text_layer = trusts_text_layer

    @classmethod
    def from_options(cls, options: ReaderOptions, key: str = "") -> "MineruReader":
        """A reader by the settings.

        Args:
            options: name a folder, or an address.
            key: of the hosted service, or of a server that wants one.

        Raises:
            SetupError: there is no such folder.
            MissingKey: the hosted service is asked for and there is no key.
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
            DocumentError: the PDF cannot be read, or MinerU's output does not tell on which page something stands.
            ProviderError, SetupError: MinerU's server.
        """
        page_count = preflight(path).page_count
        output = self._source.parse(path, sha1, on_page)
        printed = printed_pages(path, with_words=self._trusts_text_layer)
        pages = page_records(output, printed, sha1, path)
        if on_page:
            on_page(page_count, page_count)
        return with_sections(in_report(pages), outline_of(path))


class _Folder:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def parse(self, path: Path, sha1: str, on_page: Callable[[int, int], None] | None) -> MineruOutput:
        del on_page  # it is there already
        return MineruOutput.of_folder(self._folder, path, sha1)


def is_hosted(address: str) -> bool:
    """Whether an address is spoken to as the hosted service is: it ends in its version's path."""
    return urlsplit(address).path.rstrip("/").endswith(_HOSTED_PATH)


def needs_key(options: ReaderOptions) -> bool:
    """Whether nothing can be read by these options without a key."""
    address = options.mineru_api_base or ""
    return options.kind == "mineru" and is_hosted(address) and not is_local(address)
