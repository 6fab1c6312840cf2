"""`pageproof answer` killed in the middle, then resumed: as if nothing had happened, and little is asked twice."""

import json
import os
import re
import shutil
import signal
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from app.command_line import run
from tests.support.doubles.openai_server import OpenAIServer, Reply
from tests.support.forks import PAGEPROOF, start
from tests.support.samples import draft
from tests.support.waiting import PATIENCE

COUNT, PARALLEL, BEFORE_THE_KILL = 12, 2, 5
QUESTIONS = [
    {"text": f"What was the total revenue of Ostermere Instruments, Inc.? Variant {n}.", "kind": "number"}
    for n in range(COUNT)
]


def requested_variant(body: dict[str, Any]) -> int:
    """Which question a request is about; the last one, for the prompt holds examples before it."""
    return int(re.findall(r"Variant (\d+)\.", json.dumps(body["messages"]))[-1])


class Model:
    """Answers each variant with a value of its own, and tells when so many requests have come."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.enough = threading.Event()
        self._lock = threading.Lock()

    def __call__(self, body: dict[str, Any]) -> Reply:
        variant = requested_variant(body)
        with self._lock:
            self.asked.append(variant)
            if len(self.asked) > BEFORE_THE_KILL + PARALLEL:
                self.enough.set()
        return Reply(json.dumps(draft(final_answer=1000 + variant)), seconds=0.15)


def command(folder: Path, server: OpenAIServer, out: str, *more: str) -> list[str]:
    """`pageproof answer` over the library and the questions of a folder."""
    settings = {
        "answers.kind": "llm",
        "llm.kind": "openai_like",
        "llm.api_base": server.api_base,
        "llm.model": "any",
        "llm.parallel": str(PARALLEL),
        "retrieval.mode": "bm25",  # no embedding model to load
        "verification.second_look": "false",  # one request for each question, so that they can be counted
        "retrieval.second_try": "false",
    }
    sets = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
    paths = [str(folder / "q.json"), "--out", str(folder / out), "--data", str(folder / "data")]
    return ["answer", *paths, *sets, *more]


def answers_in(path: Path) -> list[dict[str, Any]]:
    answers: list[dict[str, Any]] = json.loads(path.read_bytes())["answers"]
    return answers


@pytest.fixture(scope="module")
def folder(sample_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library, the questions, and in `whole.json` what an undisturbed run answers; do not write to it."""
    folder = tmp_path_factory.mktemp("whole")
    shutil.copytree(sample_data, folder / "data")
    (folder / "q.json").write_text(json.dumps(QUESTIONS), encoding="utf-8")
    with OpenAIServer(answer=Model()) as server:
        assert run(command(folder, server, "whole.json", "--no-cache")) == 0
    return folder


@pytest.mark.parametrize("cache", ["--no-cache", "--set=answers.cache=true"], ids=["journal alone", "with cache"])
def test_a_killed_run_is_resumed_to_the_same_answers(folder: Path, tmp_path: Path, cache: str) -> None:
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    model, out = Model(), tmp_path / "killed.json"
    with OpenAIServer(answer=model) as server:
        arguments = command(tmp_path, server, out.name, cache)
        killed = start(PAGEPROOF, *arguments, output=tmp_path / "printed.txt", environment=os.environ)
        assert model.enough.wait(3 * PATIENCE)
        killed.end(signal.SIGKILL, PATIENCE)
        assert not out.exists()
        assert run(command(tmp_path, server, out.name, cache, "--resume")) == 0

    whole, resumed = answers_in(tmp_path / "whole.json"), answers_in(out)
    assert resumed == whole
    assert [answer["value"] for answer in resumed] == [1000 + n for n in range(COUNT)]
    assert all(answer["references"] for answer in resumed)
    times = Counter(model.asked)
    assert set(times) == set(range(COUNT))
    # Asked twice: only what was in flight when it was killed, though twice as many questions were at work.
    assert sum(times.values()) - COUNT <= PARALLEL
    assert max(times.values()) <= 2
