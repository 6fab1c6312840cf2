"""Two people over one shared library: each reads it and their own, and nothing of one reaches the other."""

import gc
import shutil
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app import open_pageproof
from app.assembly.client import Pageproof
from app.assembly.shared_parts import SharedParts
from app.command_line import run
from app.runs.ingest import run_facts
from indexes.ingestion.requests import IngestRequest
from indexes.options import EmbeddingOptions
from indexes.search.embeddings import Embedder
from query_engines.routing.dialogue import Dialogue
from storage.errors import UsageError
from storage.paths import DataPaths
from storage.records.answers import Answer
from storage.records.questions import Question
from storage.stores.library import Library
from storage.stores.run_log import RunLog
from tests.support.doubles.openai_server import OpenAIServer
from tests.support.doubles.people import ANN, BOB, HAVE, OSTERMERE, TSUKIMINE, VELDHOORN, root_of, write_people
from tests.support.libraries import give_pages, write_edition
from tests.support.samples import SAMPLES, draft, samples_request

VANS = "What was the number of service vans of {}?"  # is searched for, and not in the fact table
REVENUE = "What was the total revenue of {}?"


@pytest.fixture(scope="module")
def written(sample_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The three libraries; do not write to them."""
    data = tmp_path_factory.mktemp("people")
    write_people(sample_data, data)
    return data


@pytest.fixture
def data(written: Path, tmp_path: Path) -> Path:
    """A copy of the three libraries, to write to."""
    shutil.copytree(written, tmp_path / "data")
    return tmp_path / "data"


@pytest.fixture
def ann(data: Path) -> Iterator[Pageproof]:
    with open_pageproof("offline", data=data, owner=ANN) as client:
        yield client


@pytest.fixture
def bob(data: Path) -> Iterator[Pageproof]:
    with open_pageproof("offline", data=data, owner=BOB) as client:
        yield client


def answer_to(client: Pageproof, text: str, **hints: Any) -> Answer:
    answer = client.query(text, **hints).response
    assert isinstance(answer, Answer)
    return answer


def names(client: Pageproof) -> list[str]:
    return [company.name for company in client.companies()]


def own_report(client: Pageproof) -> str:
    return next(r.sha1 for c in client.companies() for r in c.reports if client.library.owns(r.sha1))


def test_each_person_sees_the_shared_library_and_their_own(ann: Pageproof, bob: Pageproof, data: Path) -> None:
    assert names(ann) == [OSTERMERE, VELDHOORN]
    assert names(bob) == [OSTERMERE, TSUKIMINE]
    with open_pageproof("offline", data=data) as nobody, open_pageproof("offline", data=data, owner="new") as new:
        assert names(nobody) == names(new) == [OSTERMERE]
    assert ann.report(own_report(bob)) is None
    assert bob.report(own_report(ann)) is None


def test_a_person_is_answered_from_their_own_report_and_from_the_shared_one(ann: Pageproof) -> None:
    own, shared = answer_to(ann, REVENUE.format(VELDHOORN)), answer_to(ann, REVENUE.format(OSTERMERE))
    assert (own.company, own.citations[0].report_sha1) == (VELDHOORN, own_report(ann))
    assert (shared.company, shared.value) == (OSTERMERE, 386_412_000.0)
    assert ann.pdf(own_report(ann)).is_file()


@pytest.mark.parametrize(
    "text", [REVENUE.format(VELDHOORN), REVENUE.format("Veldhorn"), "veldhoorn packaging ceo"]
)
def test_another_person_s_company_is_unknown_and_no_candidate_names_it(bob: Pageproof, text: str) -> None:
    answer = answer_to(bob, text)
    assert (answer.value, answer.reason) == ("N/A", "company_unknown")
    assert set(answer.candidates) <= {OSTERMERE, TSUKIMINE}
    assert "Veldhoorn" not in answer.model_dump_json(exclude={"question"})


def test_another_person_s_company_given_as_a_hint_is_unknown_too(bob: Pageproof) -> None:
    assert answer_to(bob, "What was the total revenue?", company=VELDHOORN).reason == "company_unknown"


def test_a_question_to_all_companies_goes_to_those_the_person_may_see(ann: Pageproof, bob: Pageproof) -> None:
    text = "Which company had the highest total assets?"
    assert {part.company for part in answer_to(ann, text).parts} == {OSTERMERE, VELDHOORN}
    assert {part.company for part in answer_to(bob, text).parts} == {OSTERMERE, TSUKIMINE}


def test_a_comparison_with_another_person_s_company_leaves_it_unknown(bob: Pageproof) -> None:
    answer = answer_to(bob, f"Which had the higher revenue, {OSTERMERE} or {VELDHOORN}?")
    assert {part.company: part.reason for part in answer.parts}[VELDHOORN] == "company_unknown"
    assert all(VELDHOORN not in part.candidates for part in (answer, *answer.parts))


def test_a_follow_up_knows_only_the_companies_that_the_person_may_see(ann: Pageproof, bob: Pageproof) -> None:
    first = Question(text=REVENUE.format(OSTERMERE))
    before = Dialogue().after(first, answer_to(bob, first.text))
    assert ann.follow_up(before, "And Veldhoorn?").text == "What was the total revenue of Veldhoorn?"
    as_any_word = bob.follow_up(before, "And Zarquon?").text
    assert bob.follow_up(before, "And Veldhoorn?").text == as_any_word.replace("Zarquon", "Veldhoorn")


def test_the_facts_of_another_person_s_company_are_not_there(data: Path) -> None:
    sheet = run_facts([VELDHOORN], (), "offline", (), data, ANN)
    assert {row.company for row in sheet.facts} == {VELDHOORN}
    assert str(root_of(data, ANN).reports) in sheet.facts[0].link
    for owner in (BOB, None):
        with pytest.raises(UsageError, match="is no company in the library") as raised:
            run_facts(["Veldhoorn"], (), "offline", (), data, owner)
        assert VELDHOORN not in str(raised.value)
    everyone = run_facts((), (), "offline", (), data, BOB)
    assert {row.company for row in everyone.facts} == {OSTERMERE, TSUKIMINE}


def test_what_a_person_asks_is_logged_in_their_own_library_alone(
    ann: Pageproof, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer_to(ann, REVENUE.format(OSTERMERE))
    log = RunLog(root_of(data, ANN).runs)
    assert [e.question.text for r in log.runs() for e in log.entries(r)] == [REVENUE.format(OSTERMERE)]
    assert RunLog(root_of(data, BOB).runs).runs() == RunLog(root_of(data, None).runs).runs() == ()
    assert run(["runs", "--data", str(data), "--owner", ANN]) == 0
    assert log.runs()[0].id in capsys.readouterr().out


def test_an_answer_kept_for_one_person_is_never_given_to_another(data: Path) -> None:
    text = REVENUE.format(OSTERMERE)
    with OpenAIServer(answer=lambda _: draft()) as server:
        model = [
            "answers.kind=llm",
            "llm.kind=openai_like",
            f"llm.api_base={server.api_base}",
            "llm.model=any",
        ]
        cached = {}
        for turn, owner in enumerate((ANN, ANN, BOB, None)):
            with open_pageproof("offline", data=data, owner=owner, overrides=model) as client:
                cached[turn, owner] = answer_to(client, text, kind="number").cached
    assert cached == {(0, ANN): False, (1, ANN): True, (2, BOB): False, (3, None): False}


def test_nothing_of_a_person_s_report_or_name_is_kept_outside_their_own_library(
    ann: Pageproof, data: Path
) -> None:
    secret = own_report(ann)
    answer_to(ann, REVENUE.format(VELDHOORN))
    root = root_of(data, ANN).root
    assert [p for p in data.rglob("*") if ANN in str(p)] == []
    elsewhere = [p for p in data.rglob("*") if not p.is_relative_to(root)]
    assert len(elsewhere) > 20
    assert [p for p in elsewhere if secret in str(p) or "veldhoorn" in str(p)] == []
    content = {p: p.read_bytes() for p in elsewhere if p.is_file()}
    assert [
        p for p, stored_bytes in content.items() if secret.encode() in stored_bytes or b"Veldhoorn" in stored_bytes
    ] == []


def test_a_year_of_a_shared_company_makes_it_one_company_with_both_reports(
    ann: Pageproof, data: Path, sample_data: Path
) -> None:
    named = catalog(data, "OSTERMERE INSTRUMENTS INC", "2023-12-31")
    (ingested,) = ann.library.ingest(IngestRequest(paths=[second_year(sample_data, data)], catalog=named))
    assert ingested.status == "indexed"
    company = next(c for c in ann.companies() if c.name == OSTERMERE)
    assert [r.period_end.year for r in company.reports if r.period_end] == [2024, 2023]
    assert {r.company for r in company.reports} == {OSTERMERE}
    assert "OSTERMERE INSTRUMENTS INC" in company.aliases
    old = answer_to(ann, f"What was the total revenue of {OSTERMERE} in 2023?")
    new = answer_to(ann, f"What was the total revenue of {OSTERMERE} in 2024?")
    assert (old.company, old.citations[0].report_sha1) == (OSTERMERE, ingested.sha1)
    assert (new.value, ann.library.owns(new.citations[0].report_sha1)) == (386_412_000.0, False)
    with open_pageproof("offline", data=data, owner=BOB) as bob:
        assert len(next(c for c in bob.companies() if c.name == OSTERMERE).reports) == 1


def test_a_report_of_the_shared_library_is_told_to_be_there_and_not_taken_in(ann: Pageproof, data: Path) -> None:
    (ingested,) = ann.library.ingest(IngestRequest(paths=[SAMPLES / HAVE[None]]))
    assert (ingested.status, ingested.reason) == ("unchanged", "already in the shared library")
    assert ingested.company == OSTERMERE
    assert not root_of(data, ANN).report_pdf(ingested.sha1).exists()


def test_a_report_that_comes_to_be_shared_is_the_shared_one(ann: Pageproof, data: Path, sample_data: Path) -> None:
    before = own_report(ann)
    give_pages(sample_data, HAVE[ANN], DataPaths(data))
    with open_pageproof("offline", data=data) as shared_client:
        list(shared_client.library.ingest(samples_request(HAVE[ANN])))
        shared_client.library.correct(before, currency="CHF")
    (report,) = next(c for c in ann.companies() if c.name == VELDHOORN).reports
    assert (report.sha1, report.currency) == (before, "CHF")
    assert ann.pdf(before) == root_of(data, None).report_pdf(before)
    ann.library.remove(before)  # her own copy; the shared one stays
    assert names(ann) == [OSTERMERE, VELDHOORN]
    with pytest.raises(UsageError, match="is in the shared library"):
        ann.library.remove(before)


def test_a_removed_report_is_gone_for_every_client_at_once_and_from_the_disk(ann: Pageproof, data: Path) -> None:
    with open_pageproof("offline", data=data, owner=ANN) as other:
        sha1 = own_report(ann)
        assert answer_to(other, REVENUE.format(VELDHOORN)).company == VELDHOORN
        ann.library.remove(sha1)
        assert answer_to(other, REVENUE.format(VELDHOORN)).reason == "company_unknown"
        assert names(other) == [OSTERMERE]
    assert_gone(data, sha1)
    with pytest.raises(UsageError, match="there is no report"):
        ann.library.remove(sha1)


def test_one_of_a_company_s_reports_leaves_and_the_other_is_still_answered_from(
    ann: Pageproof, data: Path, sample_data: Path
) -> None:
    first = own_report(ann)
    (added,) = ann.library.ingest(
        IngestRequest(
            paths=[second_year(sample_data, data, "veldhoorn_2024.pdf")],
            catalog=catalog(data, VELDHOORN, "2023-12-31"),
        )
    )
    answer_to(ann, REVENUE.format(VELDHOORN))
    ann.library.remove(added.sha1)
    assert answer_to(ann, REVENUE.format(VELDHOORN)).citations[0].report_sha1 == first
    assert_gone(data, added.sha1)


@pytest.mark.parametrize("steps", range(4), ids=["nothing", "index", "pages", "all but the note"])
def test_a_removal_that_was_killed_is_finished_by_the_next(ann: Pageproof, data: Path, steps: int) -> None:
    own, sha1 = root_of(data, ANN), own_report(ann)
    (company,) = (c for c in ann.companies() if c.name == VELDHOORN)
    assert Library(own.catalog).begin_removal(sha1)
    done: list[Callable[[], object]] = [
        lambda: next(iter(own.indexes.rglob("current"))).unlink(),
        lambda: shutil.rmtree(own.pages / sha1),
        lambda: [own.report_pdf(sha1).unlink(), shutil.rmtree(own.indexes), shutil.rmtree(own.facts / sha1)],
    ]
    for step in done[:steps]:
        step()
    assert company.name not in names(ann)
    ann.library.remove(sha1)
    assert_gone(data, sha1)


def test_what_was_removed_can_be_brought_in_again(ann: Pageproof, data: Path, sample_data: Path) -> None:
    sha1 = own_report(ann)
    ann.library.remove(sha1)
    give_pages(sample_data, HAVE[ANN], root_of(data, ANN))
    (ingested,) = ann.library.ingest(samples_request(HAVE[ANN]))
    assert (ingested.status, own_report(ann)) == ("indexed", sha1)
    assert answer_to(ann, REVENUE.format(VELDHOORN)).company == VELDHOORN


def test_a_person_cannot_change_what_is_shared_or_another_s(ann: Pageproof, bob: Pageproof) -> None:
    shared = next(r.sha1 for c in ann.companies() for r in c.reports if c.name == OSTERMERE)
    for change in (lambda: ann.library.remove(shared), lambda: ann.library.correct(shared, company="Mine")):
        with pytest.raises(UsageError, match="is in the shared library"):
            change()
    theirs = own_report(bob)
    for change in (lambda: ann.library.remove(theirs), lambda: ann.library.correct(theirs, company="Mine")):
        with pytest.raises(UsageError, match="there is no report"):
            change()
    assert names(bob) == [OSTERMERE, TSUKIMINE]


def test_company_data_put_right_holds_at_every_client_with_facts_and_index(ann: Pageproof, data: Path) -> None:
    sha1 = own_report(ann)
    with open_pageproof("offline", data=data, owner=ANN) as other:
        before = answer_to(other, REVENUE.format(VELDHOORN))
        known = ann.library.correct(sha1, company="Osprey Paper", currency="chf")
        assert (known.company, known.currency, known.period_end) == ("Osprey Paper", "CHF", known.period_end)
        after = answer_to(other, REVENUE.format("Osprey Paper"))
        assert (after.company, after.value) == ("Osprey Paper", before.value)
        sheet = run_facts(["Osprey Paper"], (), "offline", (), data, ANN)
        assert sheet.missing == ()
        assert sheet.facts
    for wrong, expected in (({"currency": "XXQ"}, "three letters"), ({"company": " "}, "is empty")):
        with pytest.raises(UsageError, match=expected):
            ann.library.correct(sha1, **wrong)
    report = ann.report(sha1)
    assert report is not None
    assert report.company == "Osprey Paper"


def test_a_name_put_right_to_a_shared_company_s_makes_the_report_that_company_s(ann: Pageproof) -> None:
    sha1 = own_report(ann)
    assert ann.library.correct(sha1, company="Ostermere Instruments").company == OSTERMERE
    assert names(ann) == [OSTERMERE]
    assert len(ann.companies()[0].reports) == 2


def test_a_former_name_that_is_a_shared_company_s_does_not_cloud_it(ann: Pageproof) -> None:
    sha1 = own_report(ann)
    ann.library.correct(sha1, company=OSTERMERE)  # as if it had been misread
    ann.library.correct(sha1, company=VELDHOORN)
    assert names(ann) == [OSTERMERE, VELDHOORN]
    assert answer_to(ann, REVENUE.format(OSTERMERE)).value == 386_412_000.0


class Counted(SharedParts):
    """Counts how often a model was loaded."""

    def __init__(self) -> None:
        super().__init__()
        self.loads = 0

    def model(self, options: EmbeddingOptions, load: Callable[[], Embedder]) -> Embedder:
        def counted() -> Embedder:
            self.loads += 1
            return load()

        return super().model(options, counted)


def test_many_people_s_clients_load_the_model_and_the_shared_index_once_and_leave_nothing(data: Path) -> None:
    shared = Counted()
    with open_pageproof("offline", data=data, shared=shared) as first:
        own_caches = []
        for owner in (ANN, BOB, "new"):
            with open_pageproof("offline", data=data, shared=shared, owner=owner) as client:
                answer_to(client, VANS.format(OSTERMERE))
                answer_to(client, VANS.format(VELDHOORN if owner == ANN else TSUKIMINE))
                assert client.companies() is first.companies() or owner != "new"
            own_caches += [weakref.ref(s) for (_, at, _), s in shared._index_caches.items() if at != first.paths]
            del client
        gc.collect()
        assert shared.loads == 1
        assert own_caches
        assert [cache() for cache in own_caches if cache()] == []
        assert [at for _, at, _ in shared._index_caches] == [first.paths]


def test_a_report_can_be_removed_from_the_command_line(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["companies", "--remove", HAVE[None], "--data", str(data)]) == 0
    assert capsys.readouterr().out == f"removed: {HAVE[None]} of {OSTERMERE}\n"
    assert run(["companies", "--remove", HAVE[None], "--data", str(data)]) == 2
    assert "no report" in capsys.readouterr().err


def assert_gone(data: Path, sha1: str) -> None:
    """No path and no file of the person's library tells of the report, but the log of what was asked."""
    root = root_of(data, ANN).root
    assert [p for p in root.rglob("*") if sha1 in p.name] == []
    files = [p for p in root.rglob("*") if p.is_file() and not p.name.startswith(("runs.", "library.sqlite"))]
    assert [p for p in files if sha1.encode() in p.read_bytes()] == []


def second_year(sample_data: Path, data: Path, of: str = "ostermere_2024.pdf") -> Path:
    """The same pages under another SHA-1, in Ann's library."""
    return write_edition(sample_data, of, data / "second.pdf", root_of(data, ANN))


def catalog(data: Path, company: str, period_end: str) -> Path:
    path = data / "catalog.csv"
    path.write_text(f'file,company_name,period_end\nsecond.pdf,"{company}",{period_end}\n', encoding="utf-8")
    return path
