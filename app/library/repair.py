"""Damaged libraries: looking at every file, and putting in order what can be without reading a PDF again."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from filelock import FileLock

from app.page_pictures import is_picture
from indexes.fingerprints import facts_fingerprint_of
from storage.errors import DamagedFile, MissingIndex, NotWritable, StaleIndex
from storage.files import remove_path, set_aside, sha1_of
from storage.paths import DataPaths
from storage.records.metrics import Ontology
from storage.records.record import Record
from storage.records.reports import Report
from storage.stores.database import Database, is_damage
from storage.stores.generations import Generations, Manifest
from storage.stores.inbox import Inbox
from storage.stores.library import CatalogCopies, Library, is_sound_copy
from storage.stores.pages import FactStore, PageStore, facts_in

Kind = Literal["catalog", "copy", "database", "PDF", "pages", "facts", "index", "picture", "upload"]
_SHORT = 160


class Damage(Record):
    """A file that is not what was written, or is gone; `path` is below the data root."""

    kind: Kind
    path: str
    reason: str

    @property
    def is_gone(self) -> bool:
        """There is nothing to set aside."""
        return self.reason == GONE


GONE = "it is gone"


class LibraryChecks:
    """Checks one data root. It writes nothing.

    Args:
        paths: the data root.
        ontology: by which facts are read.
    """

    def __init__(self, paths: DataPaths, ontology: Ontology) -> None:
        self._paths = paths
        self._ontology = ontology

    def all(self, most_reports: int | None = None) -> Iterator[Damage]:
        """Everything that is damaged or gone; what rests on the catalog is left out where that is damaged.

        With `most_reports`, only what questions rest on, and that only of a library of no more reports.
        """
        catalog = self.catalog()
        yield from catalog
        reports = {} if catalog else self._reports()
        if most_reports is not None:
            yield from self.derived(reports) if len(reports) <= most_reports else ()
            return
        yield from self._copies()
        yield from self._databases()
        yield from self._pdfs(reports)
        yield from self.derived(reports)
        yield from self._pictures()
        yield from self._uploads()

    def catalog(self) -> list[Damage]:
        """The catalog, where it is damaged or gone."""
        try:
            Library(self._paths.catalog).check()
        except DamagedFile as error:
            return [self._damage("catalog", self._paths.catalog, error)]
        return []

    def again(self, damage: Damage) -> bool:
        """Whether it is still as it was seen; an ingestion or a removal beside it may have changed that."""
        path = self._paths.root / damage.path
        if damage.kind == "index":
            return self._index(path.parent)[0] == damage
        if damage.kind == "pages":
            return damage in self._archive(path)
        if damage.kind == "facts":
            return damage in self._facts_of(path)
        return damage.is_gone or path.exists()

    def derived(self, reports: dict[str, Report] | None = None) -> Iterator[Damage]:
        """Pages, facts and indexes: what `ingest` makes of the PDFs."""
        reports = self._reports() if reports is None else reports
        published = list(self._indexes())
        yield from (damage for damage, _ in published if damage is not None)
        manifests = [manifest for _, manifest in published if manifest is not None]
        yield from self._pages()
        yield from self._facts()
        yield from self._missing(reports, manifests)

    def _reports(self) -> dict[str, Report]:
        return {r.sha1: r for company in Library(self._paths.catalog).companies() for r in company.reports}

    def _databases(self) -> Iterator[Damage]:
        paths = self._paths
        for path in (paths.embedding_cache, paths.table_texts, paths.answer_cache, paths.runs, paths.history):
            try:
                Database(path, "").check()
            except sqlite3.DatabaseError as error:
                # Not one that is only locked, or that may not be read.
                if is_damage(error) or type(error) is sqlite3.DatabaseError or path.is_dir():
                    yield self._damage("database", path, error)

    def _copies(self) -> Iterator[Damage]:
        for copy in CatalogCopies(self._paths.catalog, self._paths.copies).all():
            if not is_sound_copy(copy):
                yield self._damage("copy", copy, "it cannot be read")

    def _pdfs(self, reports: dict[str, Report]) -> Iterator[Damage]:
        for sha1 in reports:
            path = self._paths.report_pdf(sha1)
            if not path.exists():
                yield self._damage("PDF", path, GONE)
            elif not path.is_file() or sha1_of(path) != sha1:
                yield self._damage("PDF", path, "it is not the PDF that was stored")

    def _indexes(self) -> Iterator[tuple[Damage | None, Manifest | None]]:
        yield from map(self._index, sorted(self._paths.indexes.glob("*/*/")))

    def _index(self, home: Path) -> tuple[Damage | None, Manifest | None]:
        """What is wrong with the published index in this folder, and its manifest, where it can be read."""
        generations = Generations(home)
        current = generations.current()
        if current is None:
            if pointer := generations.damaged_pointer():
                return self._damage("index", pointer, "it names no index"), None
            if home.is_dir() and any(path.is_dir() for path in home.iterdir()):
                return self._damage("index", home / "current", GONE), None
            return None, None
        try:
            manifest = Manifest.read(current)
        except (DamagedFile, StaleIndex) as error:
            return self._damage("index", current, error), None
        try:
            manifest.check(current)
        except DamagedFile as error:
            return self._damage("index", current, error), manifest
        return None, manifest

    def _pages(self) -> Iterator[Damage]:
        for path in sorted(self._paths.pages.glob("*/*.zip")):
            yield from self._archive(path)

    def _archive(self, path: Path) -> Iterator[Damage]:
        try:
            PageStore(self._paths.pages, path.stem).check(path.parent.name)
        except (DamagedFile, MissingIndex) as error:
            yield self._damage("pages", path, error if path.exists() else GONE)

    def _facts(self) -> Iterator[Damage]:
        for path in sorted(self._paths.facts.glob("*/*.json")):
            yield from self._facts_of(path)

    def _facts_of(self, path: Path) -> Iterator[Damage]:
        try:
            facts_in(path.read_bytes(), path.parent.name)
        except (OSError, ValueError) as error:
            yield self._damage("facts", path, error if path.exists() else GONE)

    def _missing(self, reports: dict[str, Report], manifests: list[Manifest]) -> Iterator[Damage]:
        """Pages and facts of what is published; each once, whichever index rests on them."""
        for reader in sorted({manifest.reader for manifest in manifests}):
            pages = PageStore(self._paths.pages, reader)
            facts = FactStore(self._paths.facts, facts_fingerprint_of(reader, self._ontology))
            indexed = {r.sha1 for manifest in manifests if manifest.reader == reader for r in manifest.reports}
            for sha1 in sorted(indexed & set(reports)):
                if sha1 not in pages:
                    yield self._damage("pages", pages.path(sha1), GONE)
                if reports[sha1] not in facts:
                    yield self._damage("facts", facts.path(reports[sha1]), GONE)

    def _pictures(self) -> Iterator[Damage]:
        for path in sorted(self._paths.pictures.glob("*/*.png")):
            if not is_picture(path.read_bytes()):
                yield self._damage("picture", path, "it is no picture")

    def _uploads(self) -> Iterator[Damage]:
        inbox = Inbox(self._paths.inbox)
        notes = {received.sha1 for received in inbox.waiting()}
        for path in sorted(self._paths.inbox.glob("*.json")):
            if path.stem not in notes:
                yield self._damage("upload", path, "it cannot be read, or its PDF is gone")

    def _damage(self, kind: Kind, path: Path, reason: object) -> Damage:
        text = " ".join(str(reason).split("; run `")[0].split())
        return Damage(kind=kind, path=str(path.relative_to(self._paths.root)), reason=text[:_SHORT])


class Repaired(Record):
    """One thing that was done.

    Attributes:
        what: in a sentence.
        left: what a person has to do, "" where nothing is left.
        makes_again: whether an ingestion makes it again.
    """

    what: str
    left: str = ""
    makes_again: bool = False


class LibraryRepair:
    """Repairs one data root: damaged files are set aside, and the catalog goes back to its last copy.

    Args:
        paths: the data root.
        ontology: by which facts are read.
        checks: what looks for damage there.
    """

    def __init__(self, paths: DataPaths, ontology: Ontology, checks: LibraryChecks | None = None) -> None:
        self._paths = paths
        self._checks = checks or LibraryChecks(paths, ontology)

    def repair(self) -> Iterator[Repaired]:
        """Do what is to be done; yields each thing once it is done. Others may ask and ingest meanwhile.

        Raises:
            NotWritable: nothing can be changed here.
        """
        if self._checks.catalog():
            with self._locked():
                steps = list(self._catalog()) if self._checks.catalog() else []  # another may have been first
            yield from steps
        for damage in list(self._checks.all()):
            with self._locked():
                step = self._repaired(damage) if self._checks.again(damage) else None
            if step:
                yield step

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Nothing is removed or pruned meanwhile, and no other repair is at work."""
        lock = FileLock(self._paths.root / "removal.lock")
        try:
            lock.acquire()
        except OSError as error:
            raise NotWritable(
                f"{self._paths.root} cannot be repaired ({error.strerror}); give yourself the right to write there"
            ) from error
        try:
            yield
        finally:
            lock.release()

    def _catalog(self) -> Iterator[Repaired]:
        copies = CatalogCopies(self._paths.catalog, self._paths.copies)
        copy = copies.latest_sound()
        copies.restore(copy)
        library = Library(self._paths.catalog)
        library.create()
        known = {r.sha1 for company in library.companies() for r in company.reports}
        if copy is None:
            yield Repaired(
                what="the catalog is made again from the published indexes, for there is no copy of it",
                left="see `pageproof companies`: other names of companies are lost",
            )
        else:
            yield Repaired(what=f"the catalog is that of the copy {copy.name}; corrections made after it are lost")
        published = self._published()
        for sha1, report in published.items():
            if sha1 not in known and self._has_files(sha1):
                library.add(report)
                yield Repaired(what=f"{report.file} is in the catalog again, as its index knows it")
        for sha1 in known - set(published):
            if not self._has_files(sha1):
                library.begin_removal(sha1)
                library.end_removal(sha1)
                yield Repaired(what=f"report {sha1} is not in the catalog any more: nothing of it is left")
        copies.take()

    def _published(self) -> dict[str, Report]:
        """The reports that any published index names; the index that was published last counts."""
        found: dict[str, Report] = {}
        homes = [home for home in self._paths.indexes.glob("*/*/") if Generations(home).current()]
        for home in sorted(homes, key=lambda home: (home / "current").stat().st_mtime):
            current = Generations(home).current()
            try:
                manifest = Manifest.read(current) if current else None
            except (DamagedFile, StaleIndex):
                continue
            found |= {report.sha1: report for report in (manifest.reports if manifest else ())}
        return found

    def _has_files(self, sha1: str) -> bool:
        return self._paths.report_pdf(sha1).exists() or (self._paths.pages / sha1).exists()

    def _repaired(self, damage: Damage) -> Repaired:
        path = self._paths.root / damage.path
        what = f"{damage.path}: {damage.reason}"
        if damage.kind == "database":
            Database(path, "").set_aside(damage.reason)
            lost = "; the conversations in it are lost" if path == self._paths.history else ""
            return Repaired(what=f"{what}; it was set aside, and a new one is begun when it is needed{lost}")
        if damage.kind == "copy":
            remove_path(path)
            return Repaired(what=f"{what}; it was removed, and the next change of the catalog makes another")
        if damage.kind == "picture":
            remove_path(path)
            return Repaired(what=f"{what}; it was removed, and is drawn again when somebody looks at it")
        if damage.kind == "index":  # it stays until another is published in its place
            return Repaired(what=f"{what}; it is made again from the pages", makes_again=True)
        if not damage.is_gone:
            what = f"{what}; it was moved to {set_aside(self._paths.root, path).parent}"
        if damage.kind == "PDF":
            return Repaired(what=what, left=f"run `pageproof ingest` on your own copy of {self._name(path)}")
        if damage.kind == "upload":
            return Repaired(what=what, left="send that PDF again")
        return Repaired(what=what, makes_again=True)

    def _name(self, path: Path) -> str:
        report = Library(self._paths.catalog).report(path.stem)
        return report.file if report else path.name
