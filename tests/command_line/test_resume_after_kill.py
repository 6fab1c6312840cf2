"""`pageproof answer` killed in the middle, then resumed: as if nothing had happened, and little is asked twice."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.support.doubles.openai_server import OpenAIServer, Reply
from tests.support.samples import ROOT, draft
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


def start(questions: Path, out: Path, data: Path, server: OpenAIServer, *more: str) -> subprocess.Popen[bytes]:
    settings = {
        "answers.kind": "llm",
        "llm.kind": "openai_like",
        "llm.api_base": server.api_base,
        "llm.model": "any",
        "llm.parallel": str(PARALLEL),
        "verification.second_look": "false",  # one request for each question, so that they can be counted
        "retrieval.second_try": "false",
    }
    sets = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
    code = "from app.command_line import main; main()"
    command = [sys.executable, "-c", code, "answer", str(questions), "--out", str(out), "--data", str(data)]
    return subprocess.Popen(
        [*command, *sets, *more],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def finish(process: subprocess.Popen[bytes]) -> None:
    _, errors = process.communicate(timeout=3 * PATIENCE)
    assert process.returncode == 0, errors.decode()[-2000:]


@pytest.mark.parametrize("cache", ["--no-cache", "--set=answers.cache=true"], ids=["journal alone", "with cache"])
def test_a_killed_run_is_resumed_to_the_same_answers(sample_data: Path, tmp_path: Path, cache: str) -> None:
    data, questions = tmp_path / "data", tmp_path / "q.json"
    shutil.copytree(sample_data, data)
    questions.write_text(json.dumps(QUESTIONS), encoding="utf-8")
    with OpenAIServer(answer=Model()) as server:
        finish(start(questions, tmp_path / "whole.json", data, server, "--no-cache"))

    model, out = Model(), tmp_path / "killed.json"
    with OpenAIServer(answer=model) as server:
        killed = start(questions, out, data, server, cache)
        assert model.enough.wait(3 * PATIENCE)
        os.killpg(killed.pid, signal.SIGKILL)
        killed.communicate()
        assert not out.exists()
        finish(start(questions, out, data, server, cache, "--resume"))

    whole, resumed = (json.loads((tmp_path / n).read_bytes())["answers"] for n in ("whole.json", "killed.json"))
    assert resumed == whole
    assert [answer["value"] for answer in resumed] == [1000 + n for n in range(COUNT)]
    assert all(answer["references"] for answer in resumed)
    times = Counter(model.asked)
    assert set(times) == set(range(COUNT))
    # Asked twice: only what was in flight when it was killed, though twice as many questions were at work.
    assert sum(times.values()) - COUNT <= PARALLEL
    assert max(times.values()) <= 2
