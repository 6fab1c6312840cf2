"""A kind of answer that is added as CONTRIBUTING says, by one module and its name, in a copy of the code."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support import house
from tests.support.doubles.openai_server import OpenAIServer
from tests.support.doubles.readings import FORM, form_of, reading
from tests.support.samples import ROOT

GIVEN = "When did the repurchase program of Ostermere Instruments, Inc. expire?"
OPEN = "Ostermere Instruments, Inc.: expiry of the repurchase program"
QUOTE = "The repurchase program that our board authorized in March 2021 expired on March 31, 2023"
# Each command's output, then the kinds that the chat's settings offer.
RUN = """
import contextlib, io, json, sys
from app.chat.session.settings_panel import Choices, panel
from app.command_line import run
from app.settings import load_settings
said = []
for command in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        code = run(command)
    said.append(out.getvalue() if code == 0 else f"exit {code}")
settings = load_settings("offline")
fields = [field for tab in panel(Choices.of("offline", settings), settings, (), ()) for field in tab.fields]
print(json.dumps([*said, next(field.items for field in fields if field.id == "kind")]))
"""


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copied = tmp_path_factory.mktemp("code")
    for package in (*house.PACKAGES, "pageproof"):
        shutil.copytree(ROOT / package, copied / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "tests" / "support" / "date_kind.py", copied / "prompts" / "kinds" / "date.py")
    names = copied / "storage" / "records" / "questions.py"
    text = names.read_text(encoding="utf-8")
    (line,) = re.findall(r"^AnswerKind = Literal\[.*\]$", text, re.MULTILINE)
    names.write_text(text.replace(line, f'{line[:-1]}, "date"]'), encoding="utf-8")
    return copied


@pytest.fixture(scope="module")
def server() -> Any:
    """A model that takes a question for one for a day, and quotes the page that it was given."""

    def reply(body: dict[str, Any]) -> Any:
        if form_of(body) == FORM:
            return reading("date", ["Ostermere Instruments, Inc."])
        pages = re.findall(r'<page number="(\d+)">(.*?)</page>', body["messages"][1]["content"], re.DOTALL)
        page = next(int(number) for number, text in pages if QUOTE in " ".join(text.split()))
        passage = {"page": page, "quote": QUOTE, "printed_figure": None, "scale": None, "currency": None}
        return {
            "step_by_step_analysis": "1. …",
            "reasoning_summary": "The page prints the day.",
            "evidence": [{**passage, "period": None, "relation": "same"}],
            "relevant_pages": [page],
            "unavailable_because": None,
            "final_answer": " 2023-03-31\n",
        }

    with OpenAIServer(answer=reply) as opened:
        yield opened


@pytest.fixture(scope="module")
def said(
    code: Path, server: OpenAIServer, sample_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> list[Any]:
    folder = tmp_path_factory.mktemp("prompts")
    # Its run log will have answers of a kind that the code of the other tests does not know.
    data = shutil.copytree(sample_data, tmp_path_factory.mktemp("library") / "data")
    sets = ["answers.kind=llm", "llm.kind=openai_like", "llm.model=any", f"llm.api_base={server.api_base}"]
    model = ["--no-cache", *(part for each in sets for part in ("--set", each)), "--data", str(data)]
    commands = [
        ["ask", GIVEN, "--kind", "date", *model],
        ["ask", GIVEN, "--kind", "day", "--json", *model],
        ["ask", OPEN, "--json", "--set", "understanding.kind=llm", *model],
        ["ask", GIVEN, "--kind", "date", "--json", "--data", str(data)],
        ["prompts", "--out", str(folder / "out")],
    ]
    done = subprocess.run(
        [sys.executable, "-c", RUN, json.dumps(commands)],
        cwd=code,
        env={**os.environ, "PYTHONPATH": str(code)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    written = {path.name for path in (folder / "out").rglob("date.*")}
    return [*json.loads(done.stdout), written]


def test_an_answer_of_the_sixth_kind_is_printed(said: list[Any]) -> None:
    assert "2023-03-31" in said[0]


def test_it_is_drafted_in_its_form_by_its_instruction(said: list[Any], server: OpenAIServer) -> None:
    assert json.loads(said[1])["kind"] == "date"
    body = next(chat for chat in server.chats if form_of(chat) == "DateDraft")
    system = body["messages"][0]["content"]
    assert "## This question asks for a day" in system
    assert "Tamarack Rail close the Dorval depot" in system


def test_it_goes_through_its_checks(said: list[Any]) -> None:
    answer = json.loads(said[1])
    assert [(check["name"], check["verdict"]) for check in answer["checks"]] == [
        ("page", "passed"),
        ("quote", "passed"),
    ]
    assert answer["citations"][0]["quote"] == QUOTE


def test_a_model_may_choose_it(said: list[Any], server: OpenAIServer) -> None:
    answer = json.loads(said[2])
    assert (answer["kind"], answer["value"]) == ("date", "2023-03-31")
    choice = next(chat for chat in server.chats if form_of(chat) == FORM)
    assert "date: one day of the calendar" in choice["messages"][0]["content"]


def test_without_a_model_no_rule_answers_it(said: list[Any]) -> None:
    answer = json.loads(said[3])
    assert (answer["kind"], answer["value"], answer["reason"]) == ("date", "N/A", "needs_reading")
    assert "Only a language model answers questions of this kind." in answer["analysis"]


def test_its_prompts_are_written_out_and_the_screen_offers_it(said: list[Any]) -> None:
    *_, offered, written = said
    assert written == {"date.md", "date.json"}
    assert offered["Day"] == "date"
