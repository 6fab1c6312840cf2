"""`pageproof model`: from the list to the answer, in one step each."""

import json
from pathlib import Path

import pytest

from app.command_line import run
from tests.support.doubles.hub_server import Behaviour, HubServer
from tests.support.tiny_model import gguf, write_model

NAME, FILE = "qwen2.5-1.5b", "qwen2.5-1.5b-instruct-q4_k_m.gguf"


def test_a_model_is_listed_downloaded_used_and_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = ["--data", str(tmp_path)]
    assert run(["model", "list", *data]) == 0
    assert "none is chosen: `pageproof model get NAME` downloads one" in capsys.readouterr().err
    with HubServer(gguf()) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.root)
        assert run(["model", "get", NAME, "--yes", *data]) == 0
    told = capsys.readouterr().err
    assert "licence Apache-2.0, 1.1 GB to download" in told
    assert "for a machine with 4 GB of memory" in told
    assert f'{NAME} answers now: `pageproof ask "…" --profile local`' in told
    own = write_model(tmp_path / "elsewhere" / "own.gguf")
    assert run(["model", "use", str(own), "--json", *data]) == 0
    assert json.loads(capsys.readouterr().out) == {"model": "own", "path": str(own), "is_chosen": True}
    assert run(["model", "remove", str(own), *data]) == 2
    assert "delete the file yourself" in capsys.readouterr().err
    assert run(["model", "remove", NAME, *data]) == 0
    assert not (tmp_path / "models" / FILE).exists()


def test_nothing_is_downloaded_that_nobody_agreed_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["model", "get", NAME, "--data", str(tmp_path)]) == 2
    assert "give --yes" in capsys.readouterr().err
    assert not (tmp_path / "models").exists()


def test_a_download_that_fails_is_one_line_on_the_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with HubServer(gguf(), Behaviour(status=404)) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.root)
        assert run(["model", "get", NAME, "--yes", "--data", str(tmp_path)]) == 2
    *_, last = capsys.readouterr().err.splitlines()
    assert last.startswith("pageproof: 127.0.0.1 has no file")
    assert last.endswith(f"`pageproof model get {NAME} --from FILE` takes a file that came another way")


def test_a_file_that_came_another_way_is_taken_for_a_recommended_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    came = write_model(tmp_path / "came.gguf")
    data = ["--data", str(tmp_path)]
    assert run(["model", "get", NAME, "--from", str(came), "--json", *data]) == 0
    assert json.loads(capsys.readouterr().out)["path"] == str(tmp_path / "models" / FILE)
    (tmp_path / "page.html").write_text("<html>")
    assert run(["model", "get", "qwen3-4b", "--from", str(tmp_path / "page.html"), *data]) == 2
    assert "got a web page" in capsys.readouterr().err
