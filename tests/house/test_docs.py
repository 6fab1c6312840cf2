"""README, CONTRIBUTING and docs/ name only what there is; a command is run by a test or says why not."""

import importlib.util
import re
import tomllib
from typing import Any

import pytest
import typer

from app.command_line import typer_app
from app.settings import Settings, known_keys
from tests.support import settings_page
from tests.support.documents import DOCUMENTS, FENCE, SPAN, blocks, calls, code, prose, read
from tests.support.samples import ROOT

README_LINES = 200
PACKAGES = ("app", "indexes", "prompts", "query_engines", "storage", "tests", "docs")
SECTIONS = "|".join(Settings.model_fields)
SETTING = re.compile(rf"(?<![/.\w])({SECTIONS})\.([a-z_]+)\b(?![.(])")
FILE_ENDINGS = {
    "csv",
    "html",
    "json",
    "jsonl",
    "md",
    "partial",
    "pdf",
    "py",
    "replies",
    "sqlite",
    "svg",
    "toml",
    "xlsx",
}
# Options of the program itself, before any command.
PROGRAM_S_OWN = frozenset(["--version", "--help", "--install-completion", "--show-completion"])
# What is about to move there.
PLANNED = frozenset(["storage/lexicon/"])


def test_a_command_is_run_by_a_test_or_says_why_not() -> None:
    unexcused = [
        (name, command.text)
        for name in DOCUMENTS
        for block in blocks(name)
        for command in block.commands
        if command.is_run and not command.text.startswith("pageproof ")
    ]
    assert unexcused == []


def test_every_line_about_a_failure_names_a_test_that_is_there() -> None:
    rows = [row for row in read("docs/faults.md").splitlines() if row.startswith("| ") and "---" not in row]
    named = [(row, re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", row)) for row in rows if "| test |" not in row]
    assert len(named) > 20
    assert [row for row, tests in named if not tests] == []
    tests = [(path, name) for _, tests in named for path, name in tests]
    assert [test for test in tests if f"def {test[1]}(" not in (ROOT / test[0]).read_text(encoding="utf-8")] == []


def test_the_readme_is_short() -> None:
    assert len(read("README.md").splitlines()) <= README_LINES


def test_the_page_of_settings_is_the_code_s() -> None:
    assert settings_page.PAGE.read_text(encoding="utf-8") == settings_page.page(), "run `make docs`"


def test_every_command_is_named_in_the_readme() -> None:
    assert [c for c in options_by_command() if f"`{c}`" not in read("README.md")] == []


def options_by_command() -> dict[str, set[str]]:
    group: Any = typer.main.get_command(typer_app)
    return {name: options_of(command) for name, command in group.commands.items()}


def options_of(command: Any) -> set[str]:
    """Those of a command, and of the commands below it."""
    own = {option for parameter in command.params for option in parameter.opts}
    return own.union(*(options_of(below) for below in getattr(command, "commands", {}).values()))


def test_every_command_and_option_that_a_page_names_exists() -> None:
    known = options_by_command()
    for name, (command, *words) in calls("pageproof"):
        if command != "COMMAND" and command not in PROGRAM_S_OWN:
            assert command in known, f"{name}: there is no command {command!r}"
            assert {w for w in words if w.startswith("--")} <= known[command], f"{name}: {command} {words}"


def test_every_option_that_a_page_names_alone_exists() -> None:
    known = PROGRAM_S_OWN.union(*options_by_command().values())
    for name in DOCUMENTS:
        assert {span.split()[0] for span in SPAN.findall(prose(name)) if span.startswith("--")} <= known, name


def test_every_setting_that_a_page_names_exists() -> None:
    known = set(known_keys())
    for name in DOCUMENTS:
        for piece in code(name):
            named = {f"{s}.{k}" for s, k in SETTING.findall(piece) if k not in FILE_ENDINGS}
            named |= {m.lower().replace("__", ".") for m in re.findall(r"PAGEPROOF__([A-Z]+__[A-Z_]+)", piece)}
            assert named <= known, name


def test_every_value_that_a_page_sets_is_taken() -> None:
    for name in DOCUMENTS:
        for piece in code(name):
            for section, key, value in re.findall(rf"\b({SECTIONS})\.([a-z_]+)=([a-z][a-z_0-9]*)\b(?!:)", piece):
                choices = settings_page.choices(section, key)
                assert not choices or value in choices, f"{name}: {section}.{key}={value}"


def test_every_make_target_module_and_extra_that_a_page_names_exists() -> None:
    targets = re.findall(r"^([\w-]+):", read("Makefile"), re.MULTILINE)
    extras = tomllib.loads(read("pyproject.toml"))["project"]["optional-dependencies"]
    for name, words in calls("make"):
        assert words[0] in targets, f"{name}: make {words[0]}"
    for name, words in [*calls("python -m"), *calls("python3 -m")]:
        assert importlib.util.find_spec(words[0]), f"{name}: python -m {words[0]}"
    for name in DOCUMENTS:
        assert set(re.findall(r"pageproof\[(\w+)\]", read(name))) <= set(extras), name


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_link_of_a_page_leads_on(name: str) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(name)):
        if re.match(r"https?://", target):
            continue
        path, _, anchor = target.partition("#")
        file = (ROOT / name).parent / path if path else ROOT / name
        assert file.exists(), target
        assert not anchor or anchor in anchors(file.read_text(encoding="utf-8")), target


def anchors(text: str) -> list[str]:
    """Those of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_file_and_folder_that_a_page_names_is_there(name: str) -> None:
    named = {span for span in SPAN.findall(prose(name)) if re.fullmatch(rf"({'|'.join(PACKAGES)})/[\w/.-]*", span)}
    assert {path for path in named - PLANNED if not (ROOT / path).exists()} == set()


def test_every_page_can_be_found_from_the_readme() -> None:
    linked = set(re.findall(r"\]\((docs/\w+\.md)", read("README.md")))
    assert {name for name in DOCUMENTS if name.startswith("docs/")} - linked == set()
