"""What is read of the sample reports, as digests beside the fingerprints that stand for it.

A library's pages, facts and indexes are named by fingerprints, in which the versions of `indexes/fingerprints.py` are.
Whoever changes what is read of a report without raising its version leaves every library with what was read before. So
the same fingerprint has to go with the same digests. `python -m tests.support.reading_versions` writes them anew.
"""

import json
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from llama_index.core.storage.docstore import SimpleDocumentStore

from app import open_pageproof
from app.settings import data_paths, load_settings
from indexes.fingerprints import facts_fingerprint, index_fingerprint, reader_fingerprint
from storage.files import digest
from storage.records.metrics import Ontology
from storage.records.reports import Report
from storage.stores.generations import Generations
from storage.stores.library import Library
from storage.stores.pages import FactStore, PageStore
from tests.support.samples import samples_request

FILE = Path(__file__).with_suffix(".json")
VERSIONS = {"pages": "READER_VERSION", "facts": "EXTRACTOR_VERSION", "chunks": "CHUNKER_VERSION"}
_PLACES = ("left", "top", "right", "bottom", "width", "height")
Digests = dict[str, dict[str, Any]]
"""For pages, facts and chunks: the fingerprint, and a digest for each report."""


def of_library(data: Path) -> Digests:
    """The digests of a library that holds the sample reports, ingested with the default settings."""
    settings, ontology, paths = load_settings("offline", environment={}), Ontology.load(), data_paths(data)
    reader, facts = reader_fingerprint(settings.reader), facts_fingerprint(settings.reader, ontology)
    index = index_fingerprint(settings.reader, settings.chunking, settings.embedding, settings.vector_store)
    pages, store = PageStore(paths.pages, reader), FactStore(paths.facts, facts)

    def chunks(report: Report) -> Iterable[Any]:
        (home,) = [path for path in paths.indexes.glob(f"*/{index}") if _is_of(path, report)]
        nodes = SimpleDocumentStore.from_persist_path(str(_current(home) / "docstore.json")).docs.values()
        return sorted((node.metadata["page"], node.get_content()) for node in nodes)

    found = [r for company in Library(paths.catalog).companies() for r in company.reports]
    digests: dict[str, tuple[str, Callable[[Report], Iterable[Any]]]] = {
        "pages": (reader, lambda report: [page.model_dump(mode="json") for page in pages.read(report.sha1)]),
        "facts": (facts, lambda report: [store.read(report).model_dump(mode="json", exclude={"seconds"})]),
        "chunks": (index, chunks),
    }
    return {
        what: {"fingerprint": print_, "reports": {r.file: digest(rounded(list(read(r)))) for r in found}}
        for what, (print_, read) in digests.items()
    }


def rounded(value: Any) -> Any:
    """The same with places in tenths of a point: more than that is another machine's arithmetic."""
    if isinstance(value, dict):
        return {k: round(v, 1) if k in _PLACES and isinstance(v, float) else rounded(v) for k, v in value.items()}
    return [rounded(item) for item in value] if isinstance(value, list | tuple) else value


def unraised(recorded: Digests, now: Digests) -> list[str]:
    """What is read in another way under the fingerprint that it had, and what to do."""
    return [
        f"{what} of {', '.join(sorted(changed))} are read in another way: raise {version} in indexes/fingerprints.py, "
        "else libraries go on with what was read before; then run `python -m tests.support.reading_versions`"
        for what, version in VERSIONS.items()
        if recorded[what]["fingerprint"] == now[what]["fingerprint"]
        and (changed := {f for f, d in now[what]["reports"].items() if recorded[what]["reports"].get(f) != d})
    ]


def recorded() -> Digests:
    """The digests as they were written down."""
    found: Digests = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def _is_of(home: Path, report: Report) -> bool:
    return report.sha1 in (_current(home) / "manifest.json").read_text(encoding="utf-8")


def _current(home: Path) -> Path:
    current = Generations(home).current()
    assert current is not None
    return current


def main() -> None:
    """Write the digests, unless a version was to be raised first."""
    with tempfile.TemporaryDirectory() as folder:
        with open_pageproof("offline", data=folder) as client:
            for ingested in client.library.ingest(samples_request()):
                print(ingested.file, ingested.status)
        now = of_library(Path(folder))
    if FILE.exists() and (unraised_now := unraised(recorded(), now)):
        raise SystemExit("\n".join(unraised_now))
    FILE.write_text(json.dumps(now, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
