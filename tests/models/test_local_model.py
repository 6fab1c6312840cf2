"""A model on this machine: llama.cpp itself runs one of a hundred kilobytes, which writes nonsense in a right form."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.llms import ChatMessage

from app import open_pageproof
from app.assembly.shared_parts import SharedParts
from app.command_line import run
from app.settings import load_settings, settings_in_effect
from query_engines.events import Event, StepFinished, StepStarted, listening
from query_engines.llm.connection import access
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.llm.hosted import HostedModels
from query_engines.llm.local_llm import LocalLlm
from query_engines.llm.usage import counting
from query_engines.local_model.fitting import LEAST_CONTEXT, USUAL_CONTEXT, fitted
from query_engines.local_model.gguf import read_head
from query_engines.local_model.model_files import ModelFolder, recommended, recommended_as
from query_engines.local_model.model_server import ModelServer
from query_engines.options import LlamaCppLlmOptions
from storage.errors import DamagedFile, MissingExtra, MissingModel, ProviderError, SetupError, UsageError
from storage.paths import DataPaths
from tests.support.samples import ROOT
from tests.support.tiny_model import CONTEXT, gguf, write_model
from tests.support.waiting import until

HELLO = [ChatMessage(role="user", content="hello")]
SCHEMA = {
    "type": "object",
    "properties": {"word": {"const": "ostrakon"}},
    "required": ["word"],
    "additionalProperties": False,
}
FORM: dict[str, Any] = {
    "type": "json_schema",
    "json_schema": {"name": "Form", "strict": True, "schema": SCHEMA},
}


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("models") / "tiny.gguf")


def server_of(file: Path, **options: Any) -> ModelServer:
    return ModelServer(fitted(LlamaCppLlmOptions(threads=1, **options), file, "tiny"))


@asynccontextmanager
async def model(server: ModelServer) -> AsyncIterator[LocalLlm]:
    options, loop = LlamaCppLlmOptions(threads=1, max_tokens=64), BackgroundLoop()
    models = HostedModels(access(options, loop), lambda _: server)
    try:
        llm = models.llm(options)
        assert isinstance(llm, LocalLlm)
        yield llm
    finally:
        await models.aclose()
        loop.close()
        server.close()


def pid_of(server: ModelServer) -> int:
    assert server._process is not None
    return server._process.pid


def is_there(pid: int) -> bool:
    """Whether a process runs; one that has ended and that nobody asked how is gone."""
    status = Path(f"/proc/{pid}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"


async def test_the_model_fills_in_a_form_that_it_could_not_guess_and_costs_nothing(tiny: Path) -> None:
    async with model(server_of(tiny)) as llm:
        with counting() as count:
            reply = await llm.achat(HELLO, response_format=FORM)
    assert json.loads(str(reply.message.content)) == {"word": "ostrakon"}
    assert (count.usage.requests, count.usage.cost_usd) == (1, 0.0)
    assert llm.model == "tiny"


async def test_the_server_starts_with_the_first_question_and_shows_that_as_a_step(tiny: Path) -> None:
    events: list[Event] = []
    server = server_of(tiny)
    async with model(server) as llm:
        assert not server.is_running
        with listening(events.append):
            await llm.achat(HELLO)
            await llm.achat(HELLO)
    assert [event.label for event in events if isinstance(event, StepStarted)] == ["Starting the model"]
    assert [e.summary for e in events if isinstance(e, StepFinished)] == [f"tiny, {CONTEXT:,} tokens at once"]


async def test_after_a_crash_the_next_question_starts_the_model_again(tiny: Path) -> None:
    server = server_of(tiny)
    async with model(server) as llm:
        await llm.achat(HELLO)
        before = pid_of(server)
        os.kill(before, signal.SIGKILL)
        await until(lambda: not server.is_running)
        assert (await llm.achat(HELLO, response_format=FORM)).message.content
        assert pid_of(server) != before


async def test_a_model_that_dies_while_it_answers_is_said_and_not_asked_five_times(tiny: Path) -> None:
    dying = (
        "import json, socket, sys; sys.stdin.readline(); s = socket.create_server(('127.0.0.1', 0)); print(json."
    )
    dying += "dumps({'address': 'http://127.0.0.1:%d/v1' % s.getsockname()[1], 'context': 99999}), flush=True); "
    dying += "s.accept()[0].recv(9); sys.exit(9)"
    found = fitted(LlamaCppLlmOptions(threads=1), tiny, "tiny")
    async with model(ModelServer(found, (sys.executable, "-c", dying))) as llm:
        with pytest.raises(ProviderError, match="ended while it answered") as raised:
            await llm.achat(HELLO)
    assert "lower llm.context_window" in str(raised.value)


async def test_the_server_lets_in_nobody_without_its_key(tiny: Path) -> None:
    import httpx

    server = server_of(tiny)
    running = await asyncio.to_thread(server.running)
    assert httpx.get(f"{running.address}/models").status_code == httpx.codes.UNAUTHORIZED
    assert running.address.startswith("http://127.0.0.1:")
    server.close()


async def test_the_server_ends_when_the_process_that_started_it_is_killed(tiny: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from query_engines.local_model.fitting import fitted; "
        "from query_engines.local_model.model_server import ModelServer; "
        "from query_engines.options import LlamaCppLlmOptions; "
        "s = ModelServer(fitted(LlamaCppLlmOptions(threads=1), Path(sys.argv[1]), 'tiny')); s.running(); "
        "print(s._process.pid, flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", program, str(tiny)]
    parent = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert parent.stdout is not None
    assert parent.stdin is not None
    child = int(await asyncio.to_thread(parent.stdout.readline))
    assert is_there(child)
    parent.kill()
    parent.wait()
    await until(lambda: not is_there(child))
    parent.stdin.close()
    parent.stdout.close()


def test_a_file_that_cannot_be_loaded_says_so_with_the_servers_own_words(tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(gguf()[:-50_000])
    with pytest.raises(SetupError, match=r"the model 'tiny' cannot be loaded") as raised:
        server_of(broken).running()
    assert "\n" not in str(raised.value)


def test_clients_of_one_process_share_a_server_until_nobody_has_it(tiny: Path, tmp_path: Path) -> None:
    shared, paths = SharedParts(), DataPaths(tmp_path)
    options = LlamaCppLlmOptions(model=str(tiny), threads=1)
    one = shared.model_server(options, paths)
    assert shared.model_server(options.model_copy(), paths) is one
    one.running()
    other = shared.model_server(options.model_copy(update={"context_window": 2_048}), paths)
    assert not one.is_running  # its memory is for the model that was chosen last
    other.running()
    pid = pid_of(other)
    del other
    assert not is_there(pid)


async def test_a_model_that_still_loads_does_not_keep_anybody_from_leaving(tiny: Path) -> None:
    server = ModelServer(
        fitted(LlamaCppLlmOptions(threads=1), tiny, "tiny"), (sys.executable, "-c", "import time; time.sleep(999)")
    )
    starting = asyncio.create_task(asyncio.to_thread(server.running))
    await until(lambda: server._process is not None)
    await asyncio.to_thread(server.close)
    with pytest.raises(SetupError, match="cannot be loaded"):
        await starting


def test_the_window_that_pages_must_fit_is_the_servers_own(sample_data: Path, tmp_path: Path) -> None:
    small = write_model(tmp_path / "small.gguf", llama_context_length=4_096)
    chosen = [f"llm.model={small}", "llm.threads=1", "answers.cache=false", "answers.prompt=long"]
    with (
        open_pageproof("local", overrides=chosen, data=sample_data) as client,
        pytest.raises(UsageError, match=r"of llm\.context_window=4,096 only"),
    ):
        client.ask("What was the gross profit of Ostermere Instruments, Inc.?")


# What fits


def test_the_context_is_what_the_memory_holds(tmp_path: Path) -> None:
    large = write_model(tmp_path / "large.gguf", llama_context_length=262_144)
    per_token = read_head(large).bytes_per_token
    options = LlamaCppLlmOptions(threads=1)
    assert fitted(options, large, "large", 64_000).context == USUAL_CONTEXT
    little = (600e6 + large.stat().st_size + 9_000 * per_token) / 2**20
    assert fitted(options, large, "large", little).context == 8_960
    with pytest.raises(SetupError, match="close other programs, or choose a smaller one"):
        fitted(options, large, "large", (600e6 + LEAST_CONTEXT * per_token / 2) / 2**20)
    asked = options.model_copy(update={"context_window": 2_048})
    assert fitted(asked, large, "large", little).context == 2_048


# What is here


def test_a_model_is_chosen_by_its_name_or_as_a_file_and_the_profile_takes_it(tiny: Path, tmp_path: Path) -> None:
    folder = ModelFolder(DataPaths(tmp_path).models)
    with pytest.raises(MissingModel, match="no language model is chosen"):
        folder.file_of("")
    folder.choose(str(tiny))
    assert folder.file_of("") == tiny
    assert load_settings("local", data=tmp_path).llm.model == str(tiny)
    assert load_settings("local", ["llm.model=other"], data=tmp_path).llm.model == "other"
    found = {setting.key: setting.source for setting in settings_in_effect("local", data=tmp_path)}
    assert found["llm.model"] == "pageproof model use"
    taken = folder.take(recommended_as("qwen3-4b"), tiny)
    assert folder.choose("qwen3-4b") == "qwen3-4b"
    assert folder.file_of("") == taken
    assert [m.name for m in folder.all() if m.is_chosen] == ["qwen3-4b"]
    assert folder.remove("qwen3-4b") == tiny.stat().st_size
    assert (folder.chosen(), taken.exists()) == (None, False)
    with pytest.raises(MissingModel, match="`pageproof model get qwen3-4b` downloads it"):
        folder.file_of("qwen3-4b")


@pytest.mark.parametrize(
    ("content", "error", "said"),
    [
        (b"<html>", UsageError, "got a web page"),
        (b"", UsageError, "is no model"),
        (b"GGUF", DamagedFile, "it is cut off"),
        (gguf()[:300], DamagedFile, "it is cut off"),
        (b"GGUF" + b"\xff" * 99, DamagedFile, "version 4294967295"),
        (gguf(llama_context_length=0), DamagedFile, "no language model with a context"),
    ],
)
def test_what_is_no_model_is_not_taken_for_one(
    tmp_path: Path, content: bytes, error: type[Exception], said: str
) -> None:
    path = tmp_path / "other.gguf"
    path.write_bytes(content)
    with pytest.raises(error, match=said):
        ModelFolder(tmp_path / "models").choose(str(path))
    assert ModelFolder(tmp_path / "models").chosen() is None


def test_a_missing_package_or_model_is_said_with_the_command_that_helps(
    sample_data: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ask = ["ask", "Who leads Ostermere?", "--profile", "local", "--data", str(sample_data)]
    assert run(ask) == SetupError.exit_code
    assert "`pageproof model list` shows the models, `pageproof model get NAME`" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(MissingExtra, match=r"pip install 'pageproof\[local\]'"):
        SharedParts().model_server(LlamaCppLlmOptions(model=str(tiny)), DataPaths(sample_data))


def test_every_recommended_model_says_what_it_takes() -> None:
    models = recommended()
    assert [model.memory_gb for model in models] == sorted(model.memory_gb for model in models)
    assert all(
        model.licence and model.size_gb < model.memory_gb and model.file.endswith(".gguf") for model in models
    )
    assert models[0].size_gb <= 2
