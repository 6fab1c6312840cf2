"""The shared library and one person's own, read as one."""

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field

from indexes.report_identity.legal_names import KnownNames, identity_of, name_key
from indexes.search.company_index import CompanyIndexes
from storage.files import Stamp
from storage.records.facts import ReportFacts
from storage.records.pages import Page
from storage.records.reports import Company, Report
from storage.stores.library import Library
from storage.stores.pages import FactStore, PageStore


@dataclass(frozen=True)
class _View:
    """Both catalogs at one moment, and the joined catalog.

    Attributes:
        own_names: for each report that only the own library has, its company's name there.
        own_parts: for each joined company, the names in the own library of the companies that it consists of.
    """

    shared: tuple[Company, ...]
    own: tuple[Company, ...]
    companies: tuple[Company, ...]
    own_names: dict[str, str] = field(default_factory=dict)
    own_parts: dict[str, tuple[str, ...]] = field(default_factory=dict)


class JoinedLibrary:
    """Two catalogs as one. A company in both becomes one company with the shared name and all reports.

    Two companies are the same if the own library's name is a spelling of the shared company's name or of one of its
    aliases. A report that is in both libraries is taken from the shared one.
    """

    def __init__(self, shared: Library, own: Library) -> None:
        self._shared = shared
        self._own = own
        self._known: _View | None = None

    def companies(self) -> tuple[Company, ...]:
        """Every company of both, by name; the same object until one of the libraries changes."""
        return self._view().companies

    def report(self, sha1: str) -> Report | None:
        """The report with this SHA-1, under its company's name here."""
        shared = self._shared.report(sha1)
        if shared is not None:
            return shared
        own = self._own.report(sha1)
        return own and own.model_copy(update={"company": self._named_here(own)})

    def own_name(self, sha1: str) -> str | None:
        """The company's name in the own library; None unless only the own library has the report."""
        return self._view().own_names.get(sha1)

    def own_parts(self, company: str) -> tuple[str, ...]:
        """The names in the own library of the companies that this joined company consists of."""
        return self._view().own_parts.get(company, ())

    def _named_here(self, own: Report) -> str:
        parts = self._view().own_parts
        return next((here for here, names in parts.items() if own.company in names), own.company)

    def _view(self) -> _View:
        shared, own, known = self._shared.companies(), self._own.companies(), self._known
        if known is None or known.shared is not shared or known.own is not own:
            known = self._known = _joined(shared, own)
        return known


def _joined(shared: tuple[Company, ...], own: tuple[Company, ...]) -> _View:
    everyones = {report.sha1 for company in shared for report in company.reports} if own else set()
    left = [_without(company, everyones) for company in own]
    alone = [company for company in left if company.reports]
    if not alone:
        return _View(shared, own, shared)
    owners = _owners(alone, shared)
    with_form_first = sorted(alone, key=lambda company: not identity_of(company.name).form)
    for company in with_form_first:  # several spellings of a name are one company in the own library, too
        owners.add(company.name, owners.find(company.name) or company.name)
    here = {c.name: c for c in shared}
    parts: dict[str, tuple[str, ...]] = {}
    for company in alone:
        name = owners.find(company.name) or company.name
        here[name] = _together(here.get(name), company, name, owners)
        parts[name] = (*parts.get(name, ()), company.name)
    names = {report.sha1: company.name for company in alone for report in company.reports}
    return _View(shared, own, tuple(sorted(here.values(), key=lambda c: c.name)), names, parts)


def _without(company: Company, sha1s: set[str]) -> Company:
    return company.model_copy(update={"reports": tuple(r for r in company.reports if r.sha1 not in sha1s)})


def _owners(own: Sequence[Company], shared: Sequence[Company]) -> KnownNames:
    """The names of the shared companies that an own company may belong to.

    Reading a name is slow, so only names are read that contain the first word of an own company's.
    """
    wanted = {key for company in own for name in (company.name, *company.aliases) if (key := name_key(name))}
    first = {key.split()[0] for key in wanted}
    return KnownNames(
        company.model_copy(update={"aliases": tuple(a for a in company.aliases if _has_word(a, first))})
        for company in shared
        if any(_has_word(name, first) for name in (company.name, *company.aliases))
    )


def _has_word(name: str, words: Set[str]) -> bool:
    plain = name.lower().replace(".", "").replace("'", "")
    return any(word in plain for word in words)


def _together(shared: Company | None, own: Company, name: str, owners: KnownNames) -> Company:
    """Join two companies. An alias that belongs to another company of the shared library is left out."""
    before = shared or Company(name=name)
    others = (a for a in (own.name, *own.aliases) if a != name and (owners.find(a) or name) == name)
    reports = (*before.reports, *(r.model_copy(update={"company": name}) for r in own.reports))
    return Company(
        name=name,
        aliases=tuple(dict.fromkeys((*before.aliases, *others))),
        reports=tuple(sorted(reports, key=_newest_first)),
    )


def _newest_first(report: Report) -> tuple[bool, int, str]:
    end = report.period_end
    return end is None, -end.toordinal() if end else 0, report.sha1


class JoinedPages:
    """The pages of both libraries."""

    def __init__(self, library: JoinedLibrary, shared: PageStore, own: PageStore) -> None:
        self._library = library
        self._shared = shared
        self._own = own

    def stamp(self, sha1: str) -> Stamp:
        """A value that changes whenever the report's pages are written."""
        return self._of(sha1).stamp(sha1)

    def read(self, sha1: str, page_numbers: Iterable[int] | None = None) -> list[Page]:
        """Pages in the requested order; without numbers, every page in order.

        Raises:
            MissingIndex: the report was not read with this reader.
            KeyError: it has no such page.
        """
        return self._of(sha1).read(sha1, page_numbers)

    def _of(self, sha1: str) -> PageStore:
        return self._shared if self._library.own_name(sha1) is None else self._own


class JoinedFacts:
    """The facts of both libraries."""

    def __init__(self, library: JoinedLibrary, shared: FactStore, own: FactStore) -> None:
        self._library = library
        self._shared = shared
        self._own = own

    def __contains__(self, report: Report) -> bool:
        store, known = self._of(report)
        return known in store

    def stamp(self, report: Report) -> Stamp:
        """A value that changes whenever the report's facts are written."""
        store, known = self._of(report)
        return store.stamp(known)

    def read(self, report: Report) -> ReportFacts:
        """The facts of a report.

        Raises:
            MissingIndex: no facts are stored under this fingerprint.
        """
        store, known = self._of(report)
        return store.read(known)

    def _of(self, report: Report) -> tuple[FactStore, Report]:
        """The store of the report's facts, and the report with its company's name there, which is part of the key."""
        name = self._library.own_name(report.sha1)
        if name is None:
            return self._shared, report
        return self._own, report.model_copy(update={"company": name})


class JoinedGenerations:
    """The published indexes of a company in both libraries."""

    def __init__(self, library: JoinedLibrary, shared: CompanyIndexes, own: CompanyIndexes) -> None:
        self._library = library
        self._shared = shared
        self._own = own

    def __call__(self, company: str) -> str | None:
        """A text that changes with each publishing in either library; None before the first."""
        parts = [self._shared.generation(company), *map(self._own.generation, self._library.own_parts(company))]
        published = [part or "-" for part in parts]
        return " ".join(published) if any(parts) else None
