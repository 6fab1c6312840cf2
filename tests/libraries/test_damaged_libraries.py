"""Damaged libraries: what an ingestion makes again, and what a person has to do."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from app import open_pageproof
from app.assembly.client import Pageproof
from app.assembly.shared_parts import SharedParts
from app.command_line import run
from indexes.ingestion.requests import Ingested, IngestRequest
from storage.errors import SetupError
from storage.paths import DataPaths
from storage.stores.generations import Generations, Manifest
from tests.support.damage import altered, cut, empty, garbage, gone
from tests.support.samples import OSTERMERE, SAMPLES

REVENUE = "What was the total revenue of Ostermere Instruments?"
ANSWER = (386412000.0, [8])


@pytest.fixture(scope="module")
def shared() -> Iterator[SharedParts]:
    """The embedding model, loaded once."""
    parts = SharedParts()
    yield parts
    parts.close()


@pytest.fixture(scope="module")
def small(sample_data: Path, shared: SharedParts, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of one report that was asked about; do not write to it."""
    data = tmp_path_factory.mktemp("small") / "library"
    shutil.copytree(sample_data, data)
    with open_pageproof(data=data, shared=shared) as client:
        others = [r.sha1 for company in client.companies() if company.name != OSTERMERE for r in company.reports]
        for sha1 in others:
            client.library.remove(sha1)
        assert {result.status for result in client.library.ingest(IngestRequest())} == {"unchanged"}
        assert answer(client) == ANSWER
    return data


class Case:
    """A copy of a library, and one client after another over it."""

    def __init__(self, source: Path, target: Path, shared: SharedParts) -> None:
        self.data = target
        self.paths = DataPaths(target)
        self._shared = shared
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(source, target)

    def ask(self) -> str:
        """ "" where the answer is right; else the error's message, which fits one line."""
        try:
            with open_pageproof(data=self.data, shared=self._shared) as client:
                assert answer(client) == ANSWER
        except SetupError as error:
            message = str(error)
            assert "\n" not in message
            return message
        return ""

    def ingest(self, *paths: Path) -> list[Ingested]:
        with open_pageproof(data=self.data, shared=self._shared) as client:
            return list(client.library.ingest(IngestRequest(paths=paths)))

    def index(self) -> Path:
        (home,) = self.paths.indexes.glob("*/*/")
        current = Generations(home).current()
        assert current is not None
        return current


def answer(client: Pageproof) -> tuple[object, list[int]]:
    found = client.ask(REVENUE)
    return found.value, [citation.page for citation in found.citations]


def files_of(data: Path, *folders: str) -> list[str]:
    names = (str(path.relative_to(data)) for path in sorted(data.rglob("*")) if path.is_file())
    return [name for name in names if not folders or name.startswith(folders)]


def test_a_single_bit_that_is_another_is_noticed_in_pages_facts_and_indexes(
    small: Path, tmp_path: Path, shared: SharedParts
) -> None:
    # Written by this version, each says by which digest it can be checked.
    first = Case(small, tmp_path / "first", shared)
    shutil.rmtree(first.paths.indexes)
    shutil.rmtree(first.paths.facts)
    first.ingest()
    for name in files_of(first.data, "facts/", "indexes/"):
        case = Case(first.data, tmp_path / "library", shared)
        if (case.data / name).stat().st_size == 0 or "image__" in name:
            continue
        altered(case.data / name)
        (result,) = case.ingest()
        assert (result.status, bool(result.reason)) != ("unchanged", False), name
        assert case.ask() == "", name


def test_damaged_pages_are_read_again_and_stop_no_other_report(
    sample_data: Path, tmp_path: Path, shared: SharedParts
) -> None:
    case = Case(sample_data, tmp_path / "library", shared)
    before = {name: (case.data / name).read_bytes() for name in files_of(case.data, "pages/")}
    for name, damage in zip(before, (cut, empty, garbage), strict=True):
        damage(case.data / name)
    assert "are damaged (" in case.ask()

    results = case.ingest()

    assert [(result.status, result.reason) for result in results] == [("unchanged", "")] * 3
    assert case.ask() == ""
    assert files_of(case.data, "pages/") == list(before)
    assert len(files_of(case.data, "damaged/")) == 3


def test_one_damaged_report_keeps_no_other_from_being_made_again(
    sample_data: Path, tmp_path: Path, shared: SharedParts
) -> None:
    case = Case(sample_data, tmp_path / "library", shared)
    first, second, third = files_of(case.data, "facts/")
    garbage(case.data / first)
    cut(case.data / second)
    lost = case.paths.report_pdf(Path(third).parts[1])
    gone(lost)
    shutil.rmtree(case.paths.pages / lost.stem)

    results = {result.sha1: result for result in case.ingest()}

    assert results[lost.stem].status == "failed"
    assert "run `pageproof ingest` on your own copy of the PDF" in results[lost.stem].reason
    assert [results[Path(name).parts[1]].reason for name in (first, second)] == ["its facts were read anew"] * 2


def test_a_lost_pdf_costs_pictures_only_and_comes_back_with_one_s_own_copy(
    small: Path, tmp_path: Path, shared: SharedParts
) -> None:
    for damage in (cut, empty, garbage, gone, altered):
        case = Case(small, tmp_path / "library", shared)
        (pdf,) = case.paths.reports.glob("*.pdf")
        damage(pdf)
        assert case.ask() == ""
        (result,) = case.ingest()
        assert result.status == "unchanged"
        assert "the library's copy of it is lost" in result.warning
        (result,) = case.ingest(SAMPLES / "ostermere_2024.pdf")
        assert (result.status, result.warning) == ("unchanged", "")
        assert pdf.read_bytes() == (SAMPLES / "ostermere_2024.pdf").read_bytes()


def test_a_damaged_pdf_does_not_become_another_report(small: Path, tmp_path: Path, shared: SharedParts) -> None:
    case = Case(small, tmp_path / "library", shared)
    (pdf,) = case.paths.reports.glob("*.pdf")
    pdf.write_bytes((SAMPLES / "veldhoorn_2024.pdf").read_bytes())
    (result,) = case.ingest()
    assert (result.file, result.status) == ("ostermere_2024.pdf", "unchanged")


def test_an_index_whose_manifest_is_lost_has_all_reports_of_its_company_again(
    sample_data: Path, tmp_path: Path, shared: SharedParts
) -> None:
    case = Case(sample_data, tmp_path / "library", shared)
    with open_pageproof(data=case.data, shared=shared) as client:
        for company in client.companies():
            for report in company.reports:
                client.library.correct(report.sha1, company=OSTERMERE)
    garbage(case.index() / "manifest.json")
    case.ingest(SAMPLES / "ostermere_2024.pdf")
    assert len(Manifest.read(case.index()).reports) == 3


def test_the_shell_says_it_in_one_line_and_leaves_with_3(
    small: Path, tmp_path: Path, shared: SharedParts, capfd: pytest.CaptureFixture[str]
) -> None:
    case = Case(small, tmp_path / "library", shared)
    cut(case.data / files_of(case.data, "pages/")[0])
    assert run(["ask", REVENUE, "--data", str(case.data)]) == 3
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith("pageproof: the pages of report ")
    assert line.endswith(
        "are damaged (File is not a zip file); run `pageproof ingest` with the same --profile and --set"
    )
