"""`doctor` asks a model's server itself: does it keep to a form, how much does it read, does it think aloud."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.readiness import Finding
from app.runs.model_trial import checked_model
from tests.support.doubles.openai_server import ErrorReply, OpenAIServer, Reply, Scripted
from tests.support.tiny_model import write_model

OLLAMA = ["llm.preset=ollama", "llm.context_window=32000"]


def asked_text(body: dict[str, Any]) -> str:
    return str(body["messages"][-1]["content"])


def good(body: dict[str, Any]) -> Scripted:
    """Keeps to the form, and reads all."""
    if "response_format" in body:
        word = body["response_format"]["json_schema"]["schema"]["properties"]["word"]["const"]
        return Reply(json.dumps({"word": word}))
    text = asked_text(body)
    code = re.search(r"quartz-\w+", text)
    return Reply(code[0] if code else "?", prompt_tokens=len(text.split()) + 9)


def without_schema(body: dict[str, Any]) -> Scripted:
    if "response_format" in body:
        return ErrorReply(400, "This response_format type is unavailable now")
    return good(body)


def with_its_own_form(body: dict[str, Any]) -> Scripted:
    return '{"word": "hello"}' if "response_format" in body else good(body)


def cut(body: dict[str, Any]) -> Scripted:
    return good(body) if "response_format" in body else Reply("I see no code word.", prompt_tokens=4_096)


def too_long(body: dict[str, Any]) -> Scripted:
    return good(body) if "response_format" in body else ErrorReply(400, "maximum context length is 8192 tokens")


def thinking(body: dict[str, Any]) -> Scripted:
    reply = good(body)
    assert isinstance(reply, Reply)
    return Reply(f"<think>Well.</think>{reply.text}", prompt_tokens=reply.prompt_tokens)


def findings(answer: Callable[[dict[str, Any]], Scripted], *overrides: str) -> dict[str, Finding]:
    with OpenAIServer(answer=answer) as server:
        sets = ["answers.kind=llm", "llm.kind=openai_like", "llm.model=any", f"llm.api_base={server.api_base}"]
        found = checked_model("offline", [*sets, *overrides], None, {})
        assert len(server.chats) == 2
    return {finding.what: finding for finding in found}


def test_a_good_server_is_found_good() -> None:
    found = findings(good)
    assert {what: finding.state for what, finding in found.items()} == {
        "form of the model": "ok",
        "context of the model": "ok",
    }


@pytest.mark.parametrize(
    ("answer", "what", "state", "detail", "advice"),
    [
        (without_schema, "form", "note", "refuses a JSON schema", "the form then stands in the prompt"),
        (with_its_own_form, "form", "note", "does not keep the model to it", "replies are repaired"),
        (cut, "context", "missing", "reads 4,096 tokens of 13", "start Ollama with OLLAMA_CONTEXT_LENGTH=16384"),
        (too_long, "context", "note", "maximum context length is 8192", "OLLAMA_CONTEXT_LENGTH=16384"),
        (thinking, "thinking", "note", "it thinks aloud", "qwen3:4b-instruct"),
    ],
    ids=["refuses the schema", "ignores the schema", "cuts in silence", "refuses long texts", "thinks aloud"],
)
def test_what_a_server_does_not_do_is_said_with_the_remedy(
    answer: Callable[[dict[str, Any]], Scripted], what: str, state: str, detail: str, advice: str
) -> None:
    finding = findings(answer, *OLLAMA)[f"{what} of the model"]
    assert finding.state == state
    assert detail in finding.detail
    assert advice in finding.advice


def test_a_server_that_cuts_where_the_settings_say_so_deceives_nobody() -> None:
    assert findings(cut, "llm.preset=ollama", "llm.context_window=4096")["context of the model"].state == "note"


def test_a_server_that_reads_more_than_the_settings_say_is_told_too() -> None:
    found = findings(good, "llm.context_window=4096")["context of the model"]
    assert (found.state, found.advice) == ("note", "set llm.context_window=16384, so that more pages are read")


def test_a_hosted_model_is_asked_only_on_wish() -> None:
    (found,) = checked_model("openai", [], None, {"OPENAI_API_KEY": "sk-any"})
    assert (found.state, found.advice) == ("note", "`doctor --model` asks it")
    assert checked_model("openai", [], None, {}) == []  # its key is missing, which is said elsewhere
    assert checked_model("offline", [], None, {}) == []


def test_a_model_on_this_machine_is_asked_on_wish(tmp_path: Path) -> None:
    tiny = write_model(tmp_path / "tiny.gguf", llama_context_length=65_536)
    chosen = [f"llm.model={tiny}", "llm.threads=1", "llm.context_window=60000", "retrieval.pages=1"]
    (fit,) = checked_model("local", chosen, tmp_path, {})
    assert (fit.state, fit.detail) == ("ok", "tiny, 60,000 tokens at once, 1 thread")
    found = {f.what: f for f in checked_model("local", chosen, tmp_path, {}, also_elsewhere=True)}
    assert found["form of the model"].state == "ok"
    assert "context of the model" in found
