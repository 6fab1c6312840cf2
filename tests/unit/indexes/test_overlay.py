"""Two catalogs read as one: which companies are the same, and what each report's company is called."""

import datetime as dt
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from indexes.ingestion.overlay import JoinedLibrary
from query_engines.retrieval.index_cache import IndexCache
from storage.errors import StaleIndex
from storage.records.reports import Report
from storage.stores.library import Library


def report(sha1: str, company: str, year: int | None = 2024) -> Report:
    end = dt.date(year, 12, 31) if year else None
    return Report(sha1=sha1, file=f"{sha1}.pdf", company=company, page_count=3, period_end=end)


@pytest.fixture
def shared(tmp_path: Path) -> Library:
    library = Library(tmp_path / "shared.sqlite")
    library.add(report("a" * 40, "Kelvor Mining plc"), ("KLV", "Kelvor Resources"))
    library.add(report("b" * 40, "Northwind, Inc."))
    return library


@pytest.fixture
def own(tmp_path: Path) -> Library:
    return Library(tmp_path / "own.sqlite")


def joined(shared: Library, own: Library) -> dict[str, tuple[tuple[str, ...], list[str]]]:
    """By company, its aliases and the first letter of each report's SHA-1."""
    found = JoinedLibrary(shared, own).companies()
    assert all(r.company == c.name for c in found for r in c.reports)
    return {c.name: (c.aliases, [r.sha1[0] for r in c.reports]) for c in found}


@pytest.mark.parametrize("name", ["KELVOR MINING PLC", "The Kelvor Mining p.l.c.", "Kelvor Resources Limited"])
def test_another_spelling_of_a_name_or_alias_is_the_same_company(shared: Library, own: Library, name: str) -> None:
    own.add(report("c" * 40, name, 2023))
    aliases, reports = joined(shared, own)["Kelvor Mining plc"]
    assert (aliases, reports) == (("KLV", "Kelvor Resources", name), ["a", "c"])


@pytest.mark.parametrize("name", ["Kelvor Foods plc", "Kelvor", "KL Ventures"])
def test_another_name_is_another_company(shared: Library, own: Library, name: str) -> None:
    own.add(report("c" * 40, name))
    assert set(joined(shared, own)) == {"Kelvor Mining plc", "Northwind, Inc.", name}


def test_an_alias_alone_does_not_make_two_companies_one_and_goes_with_the_shared_one(
    shared: Library, own: Library
) -> None:
    own.add(report("c" * 40, "Kilover plc"), ("KLV", "Kilover"))
    assert joined(shared, own)["Kilover plc"] == (("Kilover",), ["c"])


def test_reports_of_both_stand_newest_first_and_those_without_a_period_last(shared: Library, own: Library) -> None:
    for letter, year in (("c", 2025), ("d", 2023), ("e", None)):
        own.add(report(letter * 40, "Kelvor Mining", year))
    assert joined(shared, own)["Kelvor Mining plc"][1] == ["c", "a", "d", "e"]


def test_spellings_of_one_name_are_one_company_in_the_own_library_too(shared: Library, own: Library) -> None:
    own.add(report("c" * 40, "Contoso Ltd"))
    own.add(report("d" * 40, "CONTOSO LIMITED", 2023))
    library = JoinedLibrary(shared, own)
    (contoso,) = (c for c in library.companies() if "ontoso" in c.name.lower())
    assert [r.sha1[0] for r in contoso.reports] == ["c", "d"]
    assert {library.own_name(r.sha1) for r in contoso.reports} == set(library.own_parts(contoso.name))


def test_a_report_in_both_is_the_shared_one(shared: Library, own: Library) -> None:
    own.add(report("a" * 40, "Wrongly Read SA", 1999))
    library = JoinedLibrary(shared, own)
    assert [c.name for c in library.companies()] == ["Kelvor Mining plc", "Northwind, Inc."]
    assert library.own_name("a" * 40) is None
    assert library.report("a" * 40) == shared.report("a" * 40)


def test_a_change_in_either_is_seen_at_once_and_without_one_the_companies_are_the_same_object(
    shared: Library, own: Library
) -> None:
    library = JoinedLibrary(shared, own)
    assert library.companies() is shared.companies()
    own.add(report("c" * 40, "Contoso Ltd"))
    seen = library.companies()
    assert [c.name for c in seen] == ["Contoso Ltd", "Kelvor Mining plc", "Northwind, Inc."]
    assert library.companies() is seen
    shared.add(report("d" * 40, "Fabrikam AG"))
    assert "Fabrikam AG" in {c.name for c in library.companies()}


class Vanishing:
    """Indexes whose published one is replaced, and taken away, while it is loaded."""

    def __init__(self) -> None:
        self.published = [Path("first"), Path("second")]

    def is_announced(self, *_: str) -> bool:
        return False

    def current(self, company: str) -> Path:
        del company
        return self.published[0]

    def open(self, folder: Path, embedder: Any) -> Any:
        del embedder
        if len(self.published) == 1:
            return SimpleNamespace(folder=folder, manifest=SimpleNamespace(reports=[report("a" * 40, "Acme")]))
        del self.published[0]
        raise StaleIndex("no readable manifest")


def test_an_index_that_is_replaced_while_it_is_loaded_is_loaded_anew() -> None:
    any_: Any = Vanishing()
    cache = IndexCache(any_, any_, any_)
    opened: Any = cache.get("Acme", report("a" * 40, "Acme")).index
    assert opened.folder == Path("second")
