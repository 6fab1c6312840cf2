"""A model's file from the hub: whole and checked, or not there at all, with one line that says what to do."""

import hashlib
from pathlib import Path

import pytest

from query_engines.local_model.download import TRIES, Download
from query_engines.local_model.model_files import PART, RecommendedModel
from storage.errors import NotWritable, PageproofError, ProviderError, SetupError, UsageError
from tests.support.doubles.hub_server import Behaviour, HubServer
from tests.support.tiny_model import gguf

CONTENT = gguf()
PAGE = b"<!doctype html><title>Sign in</title>" + b" " * 1000


def model(**changed: object) -> RecommendedModel:
    given = {
        "name": "tiny",
        "title": "Tiny",
        "about": "",
        "licence": "MIT",
        "size_gb": 0.1,
        "memory_gb": 1,
        "context": 8192,
        "source": "we/tiny-GGUF",
        "file": "tiny.gguf",
    }
    return RecommendedModel.model_validate(given | changed)


def download(hub: HubServer, folder: Path, wanted: RecommendedModel | None = None) -> Download:
    return Download(wanted or model(), folder, {"HF_ENDPOINT": f"{hub.root}/"}, sleep=lambda _: None)


def kept(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))


def test_a_file_comes_from_the_address_of_the_hub_and_is_there_whole(tmp_path: Path) -> None:
    told = []
    with HubServer(CONTENT) as hub:
        path = download(hub, tmp_path).run(lambda here, whole: told.append((here, whole)))
        assert hub.paths == {"/we/tiny-GGUF/resolve/main/tiny.gguf"}
    assert path == tmp_path / "tiny.gguf"
    assert path.read_bytes() == CONTENT
    assert told[-1] == (len(CONTENT), len(CONTENT))
    assert kept(tmp_path) == ["tiny.gguf"]


@pytest.mark.parametrize("ignores_range", [False, True], ids=["goes on", "starts again"])
def test_what_breaks_off_in_the_middle_goes_on_where_it_was(tmp_path: Path, ignores_range: bool) -> None:
    with HubServer(CONTENT, Behaviour(cut=(1_000, 50_000), ignores_range=ignores_range)) as hub:
        path = download(hub, tmp_path).run()
        assert hub.ranges[:2] == ["", "bytes=1000-"]
    assert path is not None
    assert path.read_bytes() == CONTENT


def test_a_download_that_was_stopped_goes_on_the_next_time(tmp_path: Path) -> None:
    with HubServer(CONTENT) as hub:
        assert download(hub, tmp_path).run(stopped=lambda: True) is None
        (part,) = tmp_path.glob(f"*{PART}")
        here = part.stat().st_size
        assert download(hub, tmp_path).run() == tmp_path / "tiny.gguf"
        assert hub.ranges[1:] == ([f"bytes={here}-"] if here < len(CONTENT) else [])


@pytest.mark.parametrize(
    ("behaviour", "error", "said"),
    [
        pytest.param(Behaviour(status=404), UsageError, "has no file tiny.gguf in we/tiny-GGUF (404)", id="404"),
        pytest.param(Behaviour(status=503), ProviderError, "failed with 503; try again later", id="503"),
        pytest.param(Behaviour(told_size=5_000), ProviderError, "sends more than the 5,000 bytes", id="longer"),
        pytest.param(Behaviour(sent=PAGE), ProviderError, "got a web page", id="a web page"),
        pytest.param(Behaviour(sent=b"\x7fELF" * 999), ProviderError, "is no model", id="another file"),
        pytest.param(Behaviour(sent=CONTENT[:-1] + b"!"), ProviderError, "sent another file", id="wrong digest"),
        pytest.param(Behaviour(told_sha256=""), ProviderError, "tells no SHA-256", id="no digest"),
        pytest.param(Behaviour(told_size=10**15), NotWritable, "the disk of", id="too large for the disk"),
    ],
)
def test_what_is_not_the_file_leaves_nothing_and_says_what_to_do(
    tmp_path: Path, behaviour: Behaviour, error: type[PageproofError], said: str
) -> None:
    with HubServer(CONTENT, behaviour) as hub, pytest.raises(error) as raised:
        download(hub, tmp_path).run()
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)
    assert kept(tmp_path) == []


@pytest.mark.parametrize(
    "behaviour",
    [
        Behaviour(cut=(1_000,) * TRIES),
        Behaviour(told_size=len(CONTENT) + 999, has_no_length=True),
    ],
    ids=["always cut", "shorter than told"],
)
def test_what_breaks_off_for_good_can_be_resumed_and_does_not_count_as_whole(
    tmp_path: Path, behaviour: Behaviour
) -> None:
    with HubServer(CONTENT, behaviour) as hub, pytest.raises(ProviderError) as raised:
        download(hub, tmp_path).run()
    assert "`pageproof model get tiny` goes on from there" in str(raised.value)
    assert [name.endswith(PART) for name in kept(tmp_path)] == [True]


def test_a_digest_of_ours_counts_before_that_of_the_hub(tmp_path: Path) -> None:
    right = hashlib.sha256(CONTENT).hexdigest()
    with HubServer(CONTENT, Behaviour(told_sha256="0" * 64)) as hub:
        assert download(hub, tmp_path, model(sha256=right)).run() is not None


def test_a_server_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match="cannot be reached"):
        Download(model(), tmp_path, {"HF_ENDPOINT": "http://127.0.0.1:9"}).run()


def test_two_downloads_of_one_file_are_not_made_at_once(tmp_path: Path) -> None:
    with HubServer(CONTENT) as hub:

        def again(*_: int) -> None:
            with pytest.raises(SetupError, match="is being downloaded already"):
                download(hub, tmp_path).run()

        assert download(hub, tmp_path).run(again) is not None
