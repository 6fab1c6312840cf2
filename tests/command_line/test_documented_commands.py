"""What README and docs/ tell people to type is run, over the samples, and prints what they say."""

import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from app.command_line import run
from tests.support.documents import DOCUMENTS, blocks
from tests.support.samples import ROOT

RUN = [name for name in DOCUMENTS if any(b.is_program or any(c.is_run for c in b.commands) for b in blocks(name))]


@pytest.fixture
def checkout(tmp_path: Path, sample_data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that looks like the checkout of somebody who has the samples in a library of their own."""
    shutil.copytree(sample_data, tmp_path / "data")
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "samples").symlink_to(ROOT / "app" / "samples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PAGEPROOF_DATA", str(tmp_path / "data"))
    return tmp_path


WHOLE = ("README.md", "docs/program.md")  # an output here is whole, or a line of … stands for what is left out


@pytest.mark.parametrize("name", RUN)
def test_the_commands_of_a_page_print_what_it_says(
    name: str, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    variables: dict[str, Any] = {"__name__": "docs"}
    printed = ""
    for block in blocks(name):
        if block.name:
            (checkout / block.name).parent.mkdir(exist_ok=True)
            (checkout / block.name).write_text(block.text, encoding="utf-8")
        elif block.form == "text":
            assert_printed(block.text, printed)
            if name in WHOLE and "…" not in block.text.splitlines():
                shown, given = (
                    len([line for line in text.splitlines() if line.strip()]) for text in (block.text, printed)
                )
                assert shown == given, f"{name} leaves lines out without a line of …; what is printed:\n{printed}"
        elif block.is_program:
            exec(compile(block.text, name, "exec"), variables)
            printed = capsys.readouterr().out
        elif block.commands:
            printed = "".join(output_of(command.text, capsys) for command in block.commands if command.is_run)


def output_of(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    programme, *arguments = shlex.split(command)
    assert programme == "pageproof", f"mark {command!r} as a command that needs something or takes long"
    code = run(arguments)
    output = capsys.readouterr()
    assert code == 0, f"{command}\n{output.err}"
    return output.out + output.err


def assert_printed(expected: str, printed: str) -> None:
    """The expected lines were printed, in this order; spaces do not count, and … is anything."""
    lines = iter([" ".join(line.split()) for line in printed.splitlines()])
    for line in filter(
        lambda line: line not in ("", "…"), (" ".join(text.split()) for text in expected.splitlines())
    ):
        pattern = re.compile(".*".join(map(re.escape, line.split("…"))))
        assert any(map(pattern.fullmatch, lines)), f"{line!r} is not printed; what is:\n{printed}"
