"""MinerU asked over HTTP, by doubles of its wire formats; MinerU itself was never run here."""

import json
from pathlib import Path
from typing import Any

import pytest

from app import open_pageproof
from app.chat.session.settings_panel import hosts_of
from app.readiness import examine, needs
from app.settings import load_settings
from indexes.ingestion.requests import IngestRequest
from indexes.mineru.hosted import HostedMineru
from indexes.mineru.reader import MineruReader
from indexes.mineru.self_hosted import SelfHostedMineru
from indexes.mineru.transport import Transport
from indexes.options import ReaderOptions
from storage.errors import DocumentError, MissingKey, ProviderError, SetupError, UsageError
from tests.support.doubles import mineru_writer
from tests.support.doubles.mineru_server import MineruServer
from tests.support.samples import SAMPLES

CONTENT = json.dumps([{"type": "text", "text": "Revenue rose.", "bbox": [100, 100, 500, 120], "page_idx": 0}])
ARCHIVE = mineru_writer.archive("x", CONTENT)
SHA1 = "a" * 40


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    path = tmp_path / "report.pdf"
    path.write_bytes(b"%PDF-1.4 content")
    return path


class Clock:
    """Time that passes only by waiting."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def parse(server: MineruServer, pdf: Path, key: str = "", patience: float = 100, **options: object) -> str | None:
    """The first text that comes back."""
    clock = Clock()
    transport = Transport(server.address, key, clock.sleep, clock)
    chosen = ReaderOptions(kind="mineru", mineru_api_base=server.address, **options)  # type: ignore[arg-type]  # any
    served = HostedMineru if server.address.endswith("/api/v4") else SelfHostedMineru
    reported: list[tuple[int, int]] = []
    output = served(transport, chosen, patience).parse(pdf, SHA1, lambda done, of: reported.append((done, of)))
    transport.close()
    assert output.entries is not None
    return output.entries[0].text


def test_a_task_is_sent_looked_at_until_it_is_done_and_fetched(pdf: Path) -> None:
    with MineruServer("tasks", ARCHIVE, looks=3) as server:
        assert (
            parse(server, pdf, ocr="always", mineru_language="latin", mineru_backend="pipeline") == "Revenue rose."
        )
    assert [path for _, path, _ in server.asked] == ["/tasks", *["/tasks/t1"] * 3, "/tasks/t1/result"]
    (form,) = server.forms
    assert f'filename="{SHA1}.pdf"'.encode() in form
    assert pdf.read_bytes() in form
    for name, value in {
        "parse_method": "ocr",
        "lang_list": "latin",
        "backend": "pipeline",
        "formula_enable": "false",
        "return_middle_json": "true",
        "response_format_zip": "true",
    }.items():
        assert f'name="{name}"\r\n\r\n{value}\r\n'.encode() in form


@pytest.mark.parametrize("answer", [ARCHIVE, CONTENT], ids=["an archive", "JSON"])
def test_a_server_without_tasks_answers_at_once(pdf: Path, answer: bytes | str) -> None:
    with MineruServer("file_parse", answer) as server:
        assert parse(server, pdf) == "Revenue rose."
    assert [path for _, path, _ in server.asked] == ["/tasks", "/file_parse"]


def test_the_hosted_service_is_given_the_file_by_its_own_protocol_and_the_key_goes_nowhere_else(pdf: Path) -> None:
    with MineruServer("hosted", ARCHIVE, looks=2) as server:
        assert parse(server, pdf, key="secret", mineru_backend="vlm") == "Revenue rose."
    assert json.loads(server.forms[0]) == {
        "files": [{"name": f"{SHA1}.pdf", "data_id": SHA1, "is_ocr": False}],
        "enable_formula": False,
        "enable_table": True,
        "language": "en",
        "model_version": "vlm",
    }
    assert server.uploads == [(pdf.read_bytes(), "")]
    assert {path.split("?")[0]: key for _, path, key in server.asked} == {
        "/api/v4/file-urls/batch": "Bearer secret",
        "/store/1": "",
        "/api/v4/extract-results/batch/b1": "Bearer secret",
        "/store/2.zip": "",
    }


@pytest.mark.parametrize("speaks", ["tasks", "file_parse", "hosted"])
def test_a_document_that_mineru_cannot_read_fails_with_its_words(pdf: Path, speaks: str) -> None:
    with (
        MineruServer(speaks, failure="number of pages exceeds limit (200 pages)") as server,  # type: ignore[arg-type]
        pytest.raises(DocumentError, match="exceeds limit"),
    ):
        parse(server, pdf)
    if speaks == "file_parse":
        assert len(server.forms) == 1  # a parse that failed is not asked for again


@pytest.mark.parametrize("speaks", ["tasks", "hosted"])
def test_patience_ends(pdf: Path, speaks: str) -> None:
    with (
        MineruServer(speaks, ARCHIVE, looks=1000) as server,  # type: ignore[arg-type]  # one of its names
        pytest.raises(DocumentError, match=r"not done after 100 s \((processing|running)\)"),
    ):
        parse(server, pdf)
    looks = [path for method, path, _ in server.asked if method == "GET"]
    assert 5 < len(looks) < 20  # ever less often


def test_a_busy_server_is_asked_again_and_one_that_stays_busy_is_told(pdf: Path) -> None:
    with MineruServer("tasks", ARCHIVE, statuses={"/tasks": [503, 429]}) as server:
        assert parse(server, pdf) == "Revenue rose."
    with (
        MineruServer("tasks", ARCHIVE, statuses={"/tasks": [503] * 9}) as server,
        pytest.raises(ProviderError, match="503, tried 4 times"),
    ):
        parse(server, pdf)
    assert len(server.asked) == 4


@pytest.mark.parametrize(
    ("scripted", "error", "expected"),
    [
        ({"speaks": "hosted", "statuses": {"/batch": [401]}}, MissingKey, "MINERU_API_KEY"),
        ({"speaks": "hosted", "code": "A0211"}, MissingKey, "MINERU_API_KEY"),
        ({"speaks": "hosted", "code": -60018}, ProviderError, r"-60018\): scripted refusal"),
        ({"speaks": "tasks", "statuses": {"/tasks": [413]}}, DocumentError, "refused it: scripted fault"),
        ({"speaks": "version_4"}, SetupError, "MinerU 4"),
        ({"speaks": "tasks", "archive": b"PK not an archive"}, ProviderError, "damaged"),
        ({"speaks": "tasks", "archive": ARCHIVE[:-40]}, ProviderError, "damaged"),
        ({"speaks": "tasks", "archive": mineru_writer.archive("x", None)}, ProviderError, "neither"),
        (
            {"speaks": "tasks", "archive": mineru_writer.archive("x", '[{"type": "text"}]')},
            ProviderError,
            "page_idx",
        ),
    ],
)
def test_what_went_wrong_says_who_must_act(
    pdf: Path, scripted: dict[str, Any], error: type[Exception], expected: str
) -> None:
    with MineruServer(**scripted) as server, pytest.raises(error, match=expected):
        parse(server, pdf, key="secret")


def test_a_server_that_is_not_there_is_told(pdf: Path) -> None:
    with MineruServer("tasks") as server:
        pass
    with pytest.raises(ProviderError, match="cannot be reached"):
        parse(server, pdf)


def test_an_archive_with_a_hostile_path_writes_nothing(pdf: Path, tmp_path: Path) -> None:
    hostile = mineru_writer.archive("../../evil", CONTENT)
    before = sorted(tmp_path.rglob("*"))
    with MineruServer("tasks", hostile) as server:
        assert parse(server, pdf) == "Revenue rose."
    assert sorted(tmp_path.rglob("*")) == before


def test_a_parser_must_be_named_and_the_hosted_one_needs_its_key(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"reader\.mineru_folder or reader\.mineru_api_base"):
        load_settings("offline", ["reader.kind=mineru"], {}, tmp_path)
    hosted = ["reader.kind=mineru", "reader.mineru_api_base=https://mineru.net/api/v4"]
    settings = load_settings("offline", hosted, {}, tmp_path)
    assert needs(settings, {}) == ("the key MINERU_API_KEY",)
    assert needs(settings, {"MINERU_API_KEY": "k"}) == ()
    with pytest.raises(MissingKey, match="MINERU_API_KEY"):
        MineruReader.from_options(settings.reader)
    with pytest.raises(SetupError, match="no folder"):
        MineruReader.from_options(ReaderOptions(kind="mineru", mineru_folder=tmp_path / "none"))


@pytest.mark.parametrize(
    ("place", "host"),
    [
        ("mineru_api_base=https://mineru.net/api/v4", "mineru.net"),
        ("mineru_api_base=http://gpu.example:8000", "gpu.example"),
        ("mineru_api_base=http://127.0.0.1:8000", None),
        ("mineru_folder=/somewhere", None),
    ],
)
def test_where_reports_go_is_told(tmp_path: Path, place: str, host: str | None) -> None:
    overrides = ["reader.kind=mineru", f"reader.{place}"]
    assert hosts_of(load_settings("offline", overrides, {}, tmp_path), {}) == ((host,) if host else ())
    found = [f for f in examine("offline", overrides, tmp_path, {}) if f.what == "pages leave this machine"]
    assert [f"whole reports to http{'s' * (host == 'mineru.net')}://{host}" in f.detail for f in found] == (
        [True] if host else []
    )


def test_a_key_that_is_refused_stops_the_ingestion_and_a_refused_report_only_itself(tmp_path: Path) -> None:
    sample = SAMPLES / "ostermere_2024.pdf"
    with MineruServer("hosted", code=-60018) as server:
        overrides = ["reader.kind=mineru", f"reader.mineru_api_base={server.address}"]
        with open_pageproof("offline", overrides=overrides, data=tmp_path) as client:
            (ingested,) = client.library.ingest(IngestRequest(paths=[sample]))
    assert (ingested.status, "-60018" in ingested.reason) == ("failed", True)
    with MineruServer("hosted", statuses={"/batch": [401]}) as server:
        overrides = ["reader.kind=mineru", f"reader.mineru_api_base={server.address}"]
        with (
            open_pageproof("offline", overrides=overrides, data=tmp_path) as client,
            pytest.raises(SetupError, match="MINERU_API_KEY"),
        ):
            list(client.library.ingest(IngestRequest(paths=[sample])))
