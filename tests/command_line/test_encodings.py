"""Whatever letters a terminal or pipe can take, a command ends well, and JSON says the same."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMANDS = (("ask", "Who is the chief executive of Tsukimine Seiki?"), ("companies",), ("facts", "Tsukimine"))


def run(encoding: str, data: Path, *arguments: str) -> "subprocess.CompletedProcess[bytes]":
    code = "import sys; from app.command_line import main; main(sys.argv[1:])"
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PAGEPROOF_DATA": str(data)}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], env=environment, capture_output=True, check=False
    )


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "cp437", "utf-16"])
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_no_letter_that_cannot_be_written_ends_a_command(
    sample_data: Path, encoding: str, command: tuple[str, ...]
) -> None:
    done = run(encoding, sample_data, *command)
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_json_says_the_same_in_every_encoding(sample_data: Path, encoding: str) -> None:
    question = ("ask", "--json", "--no-cache", "What was the revenue of Veldhoorn Packaging?")
    found, expected = (json.loads(run(name, sample_data, *question).stdout) for name in (encoding, "utf-8"))
    assert {**found, "seconds": 0} == {**expected, "seconds": 0}
