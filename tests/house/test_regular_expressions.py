"""Every regular expression of the house on strings made to hurt it."""

import ast
import json
import subprocess
import sys

import pytest

from tests.support.house import PACKAGES
from tests.support.regular_expressions import Expression, grows_as_a_square, repeats, slowest
from tests.support.samples import ROOT

LENGTH, AT_ONCE, LONGEST = 1_000, 0.0002, 0.4  # characters; seconds


@pytest.fixture(scope="module")
def expressions() -> list[Expression]:
    command = [sys.executable, "-m", "tests.support.regular_expressions"]
    run = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return [Expression(*found) for found in json.loads(run.stdout)]


@pytest.mark.timeout(900)
def test_no_text_makes_a_regular_expression_slow(expressions: list[Expression]) -> None:
    tried = [found for found in expressions if repeats(found)]
    slow = {f"{found.where} {found.pattern[:80]}": body for found in tried if (body := _slow_on(found))}
    assert slow == {}


@pytest.mark.parametrize(
    ("pattern", "expected"), [(r"\b(?:a|bc)? d\b", False), (r"a+b", True), (r"(?:x{1,90})?y", True)]
)
def test_only_expressions_that_repeat_are_tried(pattern: str, expected: bool) -> None:
    assert repeats(Expression("here", pattern, 0)) is expected


def test_every_package_gives_its_expressions_to_the_trial(expressions: list[Expression]) -> None:
    packages = {found.where.replace("/", ".").split(".")[0] for found in expressions}
    assert packages == {"app", "indexes", "prompts", "query_engines", "storage"}
    assert len(expressions) > 800


def test_a_module_compiles_none_before_it_is_used() -> None:
    """All but those of `storage.lexicon.words`, which makes them, and of prompts, which use nothing else of storage."""
    modules = [path for name in PACKAGES if name != "prompts" for path in (ROOT / name).rglob("*.py")]
    early = {path.relative_to(ROOT).as_posix() for path in modules if _compiles_early(ast.parse(path.read_text()))}
    assert early == {"storage/lexicon/words.py"}


def _compiles_early(tree: ast.AST) -> bool:
    """Whether importing a module compiles an expression."""
    late = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    if isinstance(tree, late):
        return False
    is_call = isinstance(tree, ast.Call) and ast.unparse(tree.func) == "re.compile"
    return is_call or any(map(_compiles_early, ast.iter_child_nodes(tree)))


@pytest.mark.parametrize(
    "pattern", [r"(?:a+)+$", r"\([^)]*\)", r"\s*,\s*$", r"(?:\w+ ?)*:", r"x\w*y \w*z", r"(?:one|on|e)*!"]
)
def test_the_trial_finds_expressions_that_go_back_over_what_they_read(pattern: str) -> None:
    assert _slow_on(Expression("here", pattern, 0))


@pytest.mark.parametrize("pattern", [r"(?<!\w)\w++$", r"\d{1,3}(?:,\d{3}){0,5}", r"^\s*+,\s*+$"])
def test_the_trial_lets_linear_expressions_pass(pattern: str) -> None:
    assert _slow_on(Expression("here", pattern, 0)) == ""


def _slow_on(expression: Expression) -> str:
    """What is repeated where the time grows with the square of the length or worse; empty where it does not."""
    seconds, attack = slowest(expression, length=LENGTH, limit=LONGEST)
    is_slow = seconds >= LONGEST or (
        seconds >= AT_ONCE and grows_as_a_square(expression, attack, length=LENGTH, limit=LONGEST)
    )
    return attack.lead + attack.body if is_slow else ""
