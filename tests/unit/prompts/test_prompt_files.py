"""A prompt set as a folder: written, changed, read back."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.assembly import build_prompts
from app.command_line import run
from app.settings import load_settings
from prompts.answers.assemble import system_prompt
from prompts.tasks.prompt_files import PromptSet, as_files, load_prompts, write_prompts
from prompts.tasks.rerank import rerank_system_prompt
from prompts.tasks.understanding import understanding_messages
from prompts.templates import of_rules
from storage.errors import UsageError

BUILT_IN = PromptSet()
NUMBERS = "answers/examples/number.json"


def load(folder: Path, path: str, text: str) -> PromptSet:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(text, encoding="utf-8")
    return load_prompts(BUILT_IN, folder)


def examples(**changes: Any) -> str:
    """The built-in examples of numbers, the first one's draft changed."""
    written = json.loads(dict(as_files(BUILT_IN))[NUMBERS])
    written[0]["draft"] |= changes
    return json.dumps(written)


def test_what_is_written_is_read_back_as_the_same_set(tmp_path: Path) -> None:
    written = write_prompts(BUILT_IN, tmp_path / "mine")
    assert load_prompts(BUILT_IN, tmp_path / "mine") == BUILT_IN
    names = {path.relative_to(tmp_path / "mine").as_posix() for path in written}
    assert {"README.md", "answers/shared.md", "answers/kinds/number.md", "answers/strictness/strict.md"} <= names
    assert {"answers/form.md", "answers/user.md", NUMBERS, "rerank/rules.md"} <= names
    assert {"understanding/examples.json", "understanding/user.md", "understanding/calculation.md"} <= names
    assert "`answers/user.md`: its blanks are $company" in (tmp_path / "mine" / "README.md").read_text()


def test_a_folder_replaces_what_it_contains_and_keeps_the_rest(tmp_path: Path) -> None:
    mine = load(tmp_path, "answers/kinds/number.md", "## Numbers\n- Only figures in $ count.\n")
    text = system_prompt("number", with_schema=False, prompts=mine.answers)
    assert "- Only figures in $ count.\n\n## Reasons" in text
    assert of_rules(mine.answers.shared, brief=False) in text
    assert mine.answers.kinds["name"] == BUILT_IN.answers.kinds["name"]
    assert (mine.rerank, mine.repair) == (BUILT_IN.rerank, BUILT_IN.repair)


def test_every_job_takes_its_texts_from_the_set(tmp_path: Path) -> None:
    load(tmp_path, "rerank/rules.md", "Judge as I say.")
    mine = load(tmp_path, "understanding/rules.md", "Read as I say.")
    assert rerank_system_prompt(False, mine.rerank).startswith("Judge as I say.")
    read, _ = understanding_messages("Why?", ["Orla Corp."], False, mine.understanding)
    assert read.content.startswith("Read as I say.")


def test_an_example_of_ones_own_is_shown_to_the_model(tmp_path: Path) -> None:
    mine = load(tmp_path, NUMBERS, examples(reasoning_summary="Page 61 has it, says my house."))
    assert "says my house" in system_prompt("number", with_schema=False, prompts=mine.answers)
    assert mine.answers.examples["number"][1] == BUILT_IN.answers.examples["number"][1]


def test_the_version_of_a_kind_changes_with_what_its_answers_go_through(tmp_path: Path) -> None:
    mine = load(tmp_path, "answers/kinds/number.md", "Give a number.")
    assert mine.version("number", "strict") != BUILT_IN.version("number", "strict")
    assert mine.version("name", "strict") == BUILT_IN.version("name", "strict")
    for number, path in enumerate(
        ("answers/user.md", "repair/user.md", "rerank/rules.md", "understanding/user.md", "understanding/form.md")
    ):
        changed = load(tmp_path / str(number), path, dict(as_files(BUILT_IN))[path] + "Mind the gap.")
        assert changed.version("name", "strict") != BUILT_IN.version("name", "strict"), path


WRONG: dict[str, tuple[str, str, str]] = {
    "an unknown file": (
        "answers/kinds/date.md",
        "Give a date.",
        r"date\.md is no file .*answers/kinds/number\.md",
    ),
    "a lost blank": ("answers/user.md", "Here: $company $period_end $currency $pages", r"user\.md.*\$question"),
    "a blank of one's own": ("repair/user.md", "$reply from $whom", r"user\.md.*'whom'"),
    "a bare dollar sign": ("repair/user.md", "$reply costs 5 $", r"user\.md.*\$\$ for a dollar sign"),
    "no JSON": (NUMBERS, "[{", r"cannot read .*number\.json"),
    "no example": (NUMBERS, "[]", r"number\.json: examples: .*one example or more for number"),
    "an example without a draft": (NUMBERS, '[{"question": "How much?"}]', r"number\.json: .*company"),
    "another kind's answer": (NUMBERS, examples(final_answer="Ann Reyes"), r"number\.json: .*draft\.final_answer"),
    "an answer loosely written": (
        NUMBERS,
        examples(final_answer="(6,418,000)"),
        r"final_answer is '\(6,418,000\)'",
    ),
    "a field that the form has not": (NUMBERS, examples(certainty="high"), r"draft has the fields .*certainty"),
    "a mark that is not there": (
        NUMBERS,
        examples(evidence=[{"mark": "34.7", "column": None, "printed_figure": None, "relation": "same"}]),
        r"number\.json: .*'34\.7' is not on the pages",
    ),
    "a relation that there is not": (
        "understanding/examples.json",
        dict(as_files(BUILT_IN))["understanding/examples.json"].replace('"highest"', '"nicest"'),
        r"understanding/examples\.json: .*relation",
    ),
    "one example for a tuple": ("understanding/examples.json", "{}", r"examples\.json"),
}


@pytest.mark.parametrize(("path", "text", "message"), WRONG.values(), ids=WRONG.keys())
def test_a_file_that_does_not_fit_is_named_with_its_fault(
    tmp_path: Path, path: str, text: str, message: str
) -> None:
    with pytest.raises(UsageError, match=f"(?s){message}"):
        load(tmp_path, path, text)


def test_text_in_another_encoding_and_a_missing_folder_are_told(tmp_path: Path) -> None:
    (tmp_path / "answers").mkdir()
    (tmp_path / "answers" / "role.md").write_bytes("Für Sie".encode("latin-1"))
    with pytest.raises(UsageError, match=r"cannot read .*role\.md"):
        load_prompts(BUILT_IN, tmp_path)
    with pytest.raises(UsageError, match=r"answers\.prompts.*nowhere"):
        load_prompts(BUILT_IN, tmp_path / "nowhere")


def test_hidden_files_and_the_readme_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main")
    assert load(tmp_path, "README.md", "Ours.") == BUILT_IN


def test_the_command_writes_a_folder_that_the_setting_reads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "mine"
    assert run(["prompts", "--out", str(folder)]) == 0
    assert str(folder / "answers" / "role.md") in capsys.readouterr().out.splitlines()
    (folder / "answers" / "role.md").write_text("You read reports.\n")
    mine = build_prompts(load_settings(overrides=[f"answers.prompts={folder}"], environment={}))
    assert mine.answers.role == "You read reports."
    assert build_prompts(load_settings(environment={})) == BUILT_IN


def test_the_command_writes_over_nobodys_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    assert run(["prompts", "--out", str(tmp_path)]) == 2
    assert "is there already and not an empty folder" in capsys.readouterr().err
    assert [p.name for p in tmp_path.iterdir()] == ["notes.txt"]
