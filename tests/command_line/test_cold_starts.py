import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.samples import OSTERMERE

HEAVY = [
    "torch",
    "sentence_transformers",
    "transformers",
    "docling",
    "chainlit",
    "openai",
    "scipy",
    "openvino",
    "pypdfium2",
]
# Beside the processor time of importing LlamaIndex, which every answer needs: machines differ by a factor of three.
# It is nearly twice what they take: a busy machine counts more processor time for the same work.
MOST_IMPORTS = {"ask": 3.5, "--help": 1.0}
IMPORT = """
import resource
import llama_index.core
used = resource.getrusage(resource.RUSAGE_SELF)
print(used.ru_utime + used.ru_stime)
"""
RUN_AND_LOOK = """
import json, resource, sys
from app.command_line import run
code = run(sys.argv[2:])
used = resource.getrusage(resource.RUSAGE_SELF)
loaded = [name for name in sys.argv[1].split(",") if name in sys.modules]
sys.stderr.write(json.dumps({"code": code, "loaded": loaded, "seconds": used.ru_utime + used.ru_stime}))
"""


def cold(*arguments: str) -> tuple[str, dict[str, Any]]:
    """What a command prints in a process of its own, and what that process loaded and used."""
    command = [sys.executable, "-c", RUN_AND_LOOK, ",".join(HEAVY), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout, json.loads(done.stderr.splitlines()[-1])


@pytest.fixture(scope="module")
def one_import() -> float:
    """Seconds of processor time."""
    return float(subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True).stdout)


@pytest.mark.parametrize(
    "question",
    [f"What was the total revenue of {OSTERMERE}?", f"Who is the chief executive officer of {OSTERMERE}?"],
)
def test_an_answer_from_the_facts_loads_no_model(sample_data: Path, one_import: float, question: str) -> None:
    printed, process = cold("ask", question, "--json", "--data", str(sample_data))
    answer = json.loads(printed)
    assert answer["value"] != "N/A"
    assert answer["citations"]
    assert process["loaded"] == []
    assert process["seconds"] < MOST_IMPORTS["ask"] * one_import


def test_opening_a_library_loads_no_workbooks() -> None:
    code = "import app.assembly, sys; print('openpyxl' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_comparison_of_facts_loads_no_model(sample_data: Path) -> None:
    question = f"Which company had more employees, {OSTERMERE} or Veldhoorn Packaging N.V.?"
    printed, process = cold("ask", question, "--json", "--data", str(sample_data))
    assert json.loads(printed)["value"] != "N/A"
    assert process["loaded"] == []


def test_a_question_that_is_searched_for_loads_no_torch(sample_data: Path) -> None:
    printed, process = cold("ask", f"Which risks does {OSTERMERE} name?", "--json", "--data", str(sample_data))
    assert json.loads(printed)["company"] == OSTERMERE
    assert set(process["loaded"]) <= {"scipy"}


@pytest.mark.parametrize("command", [("--help",), ("companies",), ("ask", "--help")])
def test_help_and_lists_load_nothing_heavy(sample_data: Path, one_import: float, command: tuple[str, ...]) -> None:
    arguments = [*command, "--data", str(sample_data)] if "--help" not in command else command
    _, process = cold(*arguments)
    assert process["code"] == 0
    assert process["loaded"] == []
    assert process["seconds"] < MOST_IMPORTS["--help"] * one_import
