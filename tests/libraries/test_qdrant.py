"""Vectors in Qdrant: what FAISS finds, the same contract of generations, one collection for every company."""

import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from llama_index.core.vector_stores.types import (
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
)
from qdrant_client import models

from app import open_pageproof
from app.assembly.client import Pageproof
from app.assembly.shared_parts import SharedParts
from app.library.company_edits import Change
from app.readiness import examine, needs
from app.runs.ingest import run_edit
from app.runs.measures import run_retrieval
from app.settings import load_settings
from indexes.ingestion.requests import IngestRequest
from indexes.search.faiss_store import FaissStores
from indexes.search.qdrant_store import GENERATION_KEY, QdrantAccess, QdrantStores, generation, generation_is
from indexes.search.vector_store import REPORT_KEY, VectorStores, nodes_by_id
from storage.errors import MissingKey, SetupError, StaleIndex, UsageError
from storage.paths import DataPaths
from storage.records.questions import Question
from storage.stores.generations import Generations, Manifest
from storage.stores.library import Library
from tests.support.doubles.qdrant_server import QdrantServer
from tests.support.qdrant_points import MODEL, manifest, nodes, publish
from tests.support.samples import ROOT, SAMPLES, samples_request

QDRANT = "vector_store.kind=qdrant"
SEARCHED = "What was the number of service vans of Ostermere Instruments, Inc.?"  # not in the fact table
QUESTION = "What was the total revenue of Ostermere Instruments?"
REVENUE = 386_412_000


def found(stores: VectorStores, folder: Path, vector: list[float], sha1: str) -> tuple[list[str], list[float]]:
    index = stores.open(folder, Manifest.read(folder), MODEL)
    only = MetadataFilter(key=REPORT_KEY, value=sha1, operator=FilterOperator.EQ)
    query = VectorStoreQuery(query_embedding=vector, similarity_top_k=10, filters=MetadataFilters(filters=[only]))
    result = index.vector_store.query(query)
    texts = nodes_by_id(index)
    return [texts[i].node_id for i in result.ids or []], list(result.similarities or [])


@pytest.fixture
def server() -> Iterator[QdrantServer]:
    with QdrantServer(key="secret") as running:
        yield running


@pytest.fixture(params=["folder", "server"])
def access(request: pytest.FixtureRequest, tmp_path: Path, server: QdrantServer) -> Iterator[QdrantAccess]:
    address = server.url if request.param == "server" else None
    opened = QdrantAccess(address, tmp_path / "qdrant", "secret")
    yield opened
    opened.close()


def test_qdrant_finds_what_faiss_finds_in_each_report_of_each_company(
    access: QdrantAccess, tmp_path: Path
) -> None:
    qdrant, faiss = QdrantStores(access), FaissStores("flat")
    for company, count in (("acme", 300), ("borealis", 120)):
        ours = nodes(company, count, seed=count)
        folders = {s: publish(tmp_path / type(s).__name__, s, company, ours) for s in (qdrant, faiss)}
        for query in (ours[0], ours[77]):
            for sha1 in "ab":
                ids, similarities = found(qdrant, folders[qdrant], query.get_embedding(), sha1)
                expected, cosines = found(faiss, folders[faiss], query.get_embedding(), sha1)
                assert ids == expected
                assert similarities == pytest.approx(cosines, abs=1e-6)


def test_vectors_come_back_as_they_were_kept(access: QdrantAccess, tmp_path: Path) -> None:
    stores, ours = QdrantStores(access), nodes("acme", 600)
    folder = publish(tmp_path, stores, "acme", ours)
    index = stores.open(folder, Manifest.read(folder), MODEL)
    vectors = stores.vectors(folder, Manifest.read(folder), index)
    by_node = {node.node_id: vectors[i] for i, node in nodes_by_id(index).items()}
    assert list(by_node) == [n.node_id for n in ours]
    for node in ours:
        assert by_node[node.node_id] == pytest.approx(node.get_embedding(), abs=1e-6)


def test_a_new_generation_is_beside_the_old_one_and_a_removed_one_leaves_no_point(
    access: QdrantAccess, tmp_path: Path
) -> None:
    stores = QdrantStores(access)
    other = publish(tmp_path, stores, "borealis", nodes("borealis", 8))
    first, second = (publish(tmp_path, stores, "acme", nodes("acme", count)) for count in (10, 20))
    assert [stores.holds(f, Manifest.read(f)) for f in (other, first, second)] == [True] * 3
    third = publish(tmp_path, stores, "acme", nodes("acme", 30))
    assert not first.exists()
    assert [stores.holds(f, Manifest.read(f)) for f in (other, second, third)] == [True] * 3
    with access.session() as client:
        assert client.count("pageproof-print").count == 8 + 20 + 30


def test_what_a_killed_publishing_left_is_not_found_and_cleared_later(
    access: QdrantAccess, tmp_path: Path
) -> None:
    stores, ours = QdrantStores(access), nodes("acme", 12)
    before = publish(tmp_path, stores, "acme", ours)
    killed = tmp_path / "acme" / "print" / "000002-deadbeef"
    killed.mkdir()
    stores.write(killed, nodes("acme", 50, seed=1), manifest("acme", 50), MODEL)  # and no pointer

    assert Generations(tmp_path / "acme" / "print").current() == before
    assert found(stores, before, ours[0].get_embedding(), "a")[0][0] == ours[0].node_id
    for _ in range(2):
        publish(tmp_path, stores, "acme", ours)
    with access.session() as client:
        assert client.count("pageproof-print").count == 24
        of_killed = client.count("pageproof-print", models.Filter(must=[generation_is(generation(killed))]))
    assert of_killed.count == 0


@pytest.mark.parametrize("seed", range(3))
def test_a_process_killed_while_it_publishes_leaves_what_was_current(tmp_path: Path, seed: int) -> None:
    ours = nodes("acme", 60)
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.qdrant_points", str(tmp_path), "acme", "60"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    for _ in range(3):  # two are kept, so by now one is cleared with each
        process.stdout.readline()
    time.sleep(random.Random(seed).uniform(0.0, 0.3))
    process.kill()
    process.communicate()

    access = QdrantAccess(None, tmp_path / "qdrant")
    stores, generations = QdrantStores(access), Generations(tmp_path / "acme" / "print")
    current = generations.current()
    assert current
    assert stores.holds(current, Manifest.read(current))
    assert found(stores, current, ours[0].get_embedding(), "a")[0][0] == ours[0].node_id
    for _ in range(2):
        publish(tmp_path, stores, "acme", ours)
    with access.session() as client:
        assert client.count("pageproof-print").count == 120
    access.close()


def test_a_publishing_that_fails_takes_its_points_along(access: QdrantAccess, tmp_path: Path) -> None:
    stores = QdrantStores(access)
    generations = Generations(tmp_path / "acme" / "print", stores.clear)

    def fill(folder: Path) -> None:
        stores.write(folder, nodes("acme", 5), manifest("acme", 5), MODEL)
        raise OSError("disk full")

    with generations.locked(), pytest.raises(OSError, match="disk full"):
        generations.publish(fill)
    with access.session() as client:
        assert client.count("pageproof-print").count == 0


def test_a_server_is_asked_with_the_key_exactly_and_by_tenant(server: QdrantServer, tmp_path: Path) -> None:
    access = QdrantAccess(server.url, tmp_path / "qdrant", "secret")
    stores, ours = QdrantStores(access), nodes("acme", 6)
    folder = publish(tmp_path, stores, "acme", ours)
    found(stores, folder, ours[0].get_embedding(), "a")
    bodies = {(method, path.rpartition("/")[2]): body for method, path, body in server.requests}
    assert bodies["PUT", "pageproof-print"]["hnsw_config"]["m"] == 0
    indexes = [b for m, path, b in server.requests if m == "PUT" and path.endswith("/index")]
    assert [(b["field_name"], b["field_schema"].get("is_tenant")) for b in indexes] == [
        (GENERATION_KEY, True),
        (REPORT_KEY, None),
    ]
    queries = bodies["POST", "query"]
    assert queries["params"]["exact"] is True
    assert queries["filter"]["must"][0] == {"key": GENERATION_KEY, "match": {"value": f"acme/{folder.name}"}}
    access.close()


@pytest.mark.parametrize(
    ("key", "down", "error", "expected"),
    [
        ("wrong", False, MissingKey, "set QDRANT_API_KEY"),
        (None, False, MissingKey, "set QDRANT_API_KEY"),
        ("secret", True, SetupError, "start it, or set vector_store.url"),
    ],
)
def test_a_server_that_refuses_says_what_to_do(
    server: QdrantServer, tmp_path: Path, key: str | None, down: bool, error: type[SetupError], expected: str
) -> None:
    server.down = down
    access = QdrantAccess(server.url, tmp_path, key)
    with pytest.raises(error, match=expected):
        QdrantStores(access).write(tmp_path, nodes("acme", 1), manifest("acme", 1), MODEL)
    access.close()


def test_a_server_that_is_not_there_is_a_set_up_error(tmp_path: Path) -> None:
    with QdrantServer() as gone:
        address = gone.url
    access = QdrantAccess(address, tmp_path)
    with pytest.raises(SetupError, match=r"cannot be used .*; start it"):
        QdrantStores(access).holds(tmp_path, manifest("acme", 1))
    access.close()


def test_a_server_that_goes_away_and_comes_back_has_lost_nothing(server: QdrantServer, tmp_path: Path) -> None:
    access = QdrantAccess(server.url, tmp_path / "qdrant", "secret")
    stores, ours = QdrantStores(access), nodes("acme", 12)
    folder = publish(tmp_path, stores, "acme", ours)
    before = found(stores, folder, ours[0].get_embedding(), "a")
    server.down = True
    for work in (
        lambda: found(stores, folder, ours[0].get_embedding(), "a"),
        lambda: publish(tmp_path, stores, "acme", nodes("acme", 20)),
    ):
        with pytest.raises(SetupError, match=r"cannot be used .*; start it") as refused:
            work()
        assert "\n" not in str(refused.value)
    assert Generations(tmp_path / "acme" / "print").current() == folder
    server.down = False
    assert found(stores, folder, ours[0].get_embedding(), "a") == before
    later = publish(tmp_path, stores, "acme", nodes("acme", 20))
    assert stores.holds(later, Manifest.read(later))
    with access.session() as client:
        assert client.count("pageproof-print").count == 20  # no point is left of the one that failed
    access.close()


@pytest.fixture(scope="module")
def qdrant_data(sample_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The samples' library with their vectors in a Qdrant folder too."""
    data = tmp_path_factory.mktemp("qdrant") / "data"
    shutil.copytree(sample_data, data)
    with open_pageproof("offline", overrides=[QDRANT], data=data) as client:
        assert [o.status for o in client.library.ingest(samples_request())] == ["indexed"] * 3
    return data


def test_answers_and_retrieval_are_those_of_faiss(qdrant_data: Path, client: Pageproof) -> None:
    facts = SAMPLES / "facts.json"
    with open_pageproof("offline", overrides=[QDRANT], data=qdrant_data) as other:
        assert other.query(QUESTION).response.value == client.query(QUESTION).response.value
    results = [
        run_retrieval(facts, "offline", sets, data)
        for sets, data in (((), client.paths.root), ((QDRANT,), qdrant_data))
    ]
    assert results[0] == results[1]


def test_a_library_that_is_unchanged_costs_nothing(qdrant_data: Path) -> None:
    with open_pageproof("offline", overrides=[QDRANT], data=qdrant_data) as client:
        assert [o.status for o in client.library.ingest(samples_request())] == ["unchanged"] * 3


def test_vectors_that_are_gone_are_told_and_come_back_without_embedding(qdrant_data: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    shutil.copytree(qdrant_data, data)
    shutil.rmtree(DataPaths(data).qdrant)
    with open_pageproof("offline", overrides=[QDRANT], data=data) as client:
        with pytest.raises(StaleIndex, match="not at the local store any more; run `pageproof ingest` again"):
            client.query(SEARCHED)
        assert {o.status for o in client.library.ingest(IngestRequest())} == {"indexed"}
        assert client.query(QUESTION).response.value == REVENUE


def test_an_edit_of_the_catalog_carries_vectors_along(qdrant_data: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    shutil.copytree(qdrant_data, data)
    paths = DataPaths(data)
    library = Library(paths.catalog)
    name = library.companies()[0].name
    run_edit(name, Change(name="Renamed plc"), None, "offline", [QDRANT], data)
    with open_pageproof("offline", overrides=[QDRANT], data=data) as client:
        renamed = next(c for c in client.companies() if c.name == "Renamed plc")
        assert client.retrieve(Question(text="total revenue"), renamed)
    access = QdrantAccess(None, paths.qdrant)
    with access.session() as qdrant:
        (collection,) = qdrant.get_collections().collections
        points = qdrant.scroll(collection.name, limit=10_000)[0]
    access.close()
    assert {str((p.payload or {})[GENERATION_KEY]).startswith("renamed-plc") for p in points} == {True, False}
    assert not any(str((p.payload or {})[GENERATION_KEY]).startswith(name.split()[0].lower()) for p in points)


def test_a_folder_that_another_process_holds_says_so(qdrant_data: Path) -> None:
    hold = (
        "import sys; from pathlib import Path; from indexes.search.qdrant_store import QdrantAccess\n"
        "a = QdrantAccess(None, Path(sys.argv[1])); a.client; print('open', flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", hold, str(DataPaths(qdrant_data).qdrant)],
        cwd=SAMPLES.parent.parent,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdin
    assert holder.stdout
    try:
        assert holder.stdout.readline() == "open\n"
        with (
            open_pageproof("offline", overrides=[QDRANT], data=qdrant_data) as client,
            pytest.raises(SetupError, match=r"in use by another process.*run a Qdrant server"),
        ):
            client.query(SEARCHED)
    finally:
        holder.communicate()
    with open_pageproof("offline", overrides=[QDRANT], data=qdrant_data) as client:
        assert client.query(QUESTION).response.citations


def test_two_clients_of_one_process_share_the_folder(qdrant_data: Path) -> None:
    shared = SharedParts()
    sets = [[QDRANT], [QDRANT, "retrieval.pages=4"]]
    clients = [open_pageproof("offline", overrides=s, data=qdrant_data, shared=shared) for s in sets]
    assert [d.query(QUESTION).response.value for d in clients] == [REVENUE] * 2
    for opened in clients:
        opened.close()
    shared.close()


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (["vector_store.url=http://127.0.0.1:6333"], "set vector_store.kind=qdrant"),
        ([QDRANT, "vector_store.index=hnsw"], "Qdrant's search is exact"),
        ([QDRANT, "vector_store.url=http://me:secret@host"], "vector_store.url"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(settings: list[str], expected: str) -> None:
    with pytest.raises(UsageError, match=expected):
        load_settings(overrides=settings, environment={})


def test_another_server_is_another_index_and_nothing_is_missing_for_it() -> None:
    settings = load_settings(overrides=[QDRANT, "vector_store.url=http://127.0.0.1:6333"], environment={})
    assert needs(settings, {}) == ()


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['qdrant_client'] = None\n"
        "from app.command_line import main\n"
        f"sys.argv = ['pageproof', 'ingest', {str(SAMPLES)!r}, '--set', {QDRANT!r}, '--data', {str(tmp_path)!r}]\n"
        "main()"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=SAMPLES.parent.parent, capture_output=True, text=True)
    assert ended.returncode == 3
    assert "pip install 'pageproof[qdrant]'" in ended.stderr


def test_doctor_says_that_vectors_leave_for_a_server_elsewhere() -> None:
    def details(url: str) -> list[str]:
        found = examine("offline", [QDRANT, f"vector_store.url={url}"], None, {})
        return [f.detail for f in found if f.what == "vectors leave this machine"]

    assert "https://qdrant.example.org" in details("https://qdrant.example.org")[0]
    assert details("http://127.0.0.1:6333") == []
