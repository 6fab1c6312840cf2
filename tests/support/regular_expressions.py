"""Every regular expression of the five packages, and strings that hurt those that go back over what they read.

`python -m tests.support.regular_expressions` imports every module and prints what was compiled as JSON. It runs in a
process of its own, because a module compiles its expressions once.
"""

import ast
import contextlib
import functools
import importlib
import json
import re
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, NamedTuple

from tests.support.house import PACKAGES
from tests.support.samples import ROOT

_PARSER: Any = re._parser  # type: ignore[attr-defined]  # the standard library describes no part of it
_CODES: Any = re._constants  # type: ignore[attr-defined]  # the same


class Expression(NamedTuple):
    """A regular expression, and the line of ours that makes it."""

    where: str
    pattern: str
    flags: int


# Collection


def expressions() -> list[Expression]:
    """Each once: those that imports compile, those that are compiled when first needed, and those inside functions."""
    found: dict[tuple[str, int], Expression] = {}

    def add(where: str, pattern: object, flags: int) -> None:
        if isinstance(pattern, str):
            found.setdefault((pattern, int(flags)), Expression(where, pattern, int(flags)))

    with _recorded(add), tempfile.TemporaryDirectory() as folder:
        from tests.support.doubles.chat_visit import enter_chainlit  # imports modules of ours, so not earlier

        enter_chainlit(Path(folder))
        modules = [importlib.import_module(name) for name in _module_names()]
        for module in modules:
            _compile_late_ones(module)
    for module in modules:
        for node in ast.walk(ast.parse(Path(str(module.__file__)).read_text("utf-8"))):
            if isinstance(node, ast.Call) and (pattern := _inline_pattern(node, module)) is not None:
                add(f"{module.__name__}:{node.lineno}", pattern, _inline_flags(node))
    return list(found.values())


@contextlib.contextmanager
def _recorded(add: Any) -> Iterator[None]:
    """Everything that our own code gives to `re` meanwhile, at once or when it is first used."""
    inner: Any = re._compile  # type: ignore[attr-defined]  # the one way into the compiler, from all functions of `re`
    ours = tuple(str(ROOT / package) for package in PACKAGES)

    def recording(pattern: Any, flags: Any) -> Any:
        frame = sys._getframe(1)
        while frame.f_back is not None and frame.f_code.co_filename == re.__file__:
            frame = frame.f_back
        if frame.f_code.co_filename.startswith(ours):
            place = Path(frame.f_code.co_filename).relative_to(ROOT)
            add(f"{place}:{frame.f_lineno}", pattern, flags)
        return inner(pattern, flags)

    def recording_late(pattern: Any, flags: Any = 0) -> Any:
        frame = sys._getframe(1)
        add(f"{Path(frame.f_code.co_filename).relative_to(ROOT)}:{frame.f_lineno}", pattern, flags)
        return late(pattern, flags)

    re._compile = recording  # type: ignore[attr-defined]  # the same
    words = importlib.import_module("storage.lexicon.words")
    late, words.expression = words.expression, recording_late  # type: ignore[attr-defined]  # those who import it get ours
    try:
        yield
    finally:
        re._compile = inner  # type: ignore[attr-defined]  # the same
        words.expression = late  # type: ignore[attr-defined]  # the same


def _module_names() -> Iterator[str]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _compile_late_ones(module: ModuleType) -> None:
    """Call what is made at its first use: cached functions without parameters, and the metrics' expressions."""
    for value in list(vars(module).values()):
        if issubclass(
            type(value), functools._lru_cache_wrapper
        ):  # Chainlit has values that are no class outside a chat
            inner = value.__wrapped__
            if inner.__module__ == module.__name__ and inner.__code__.co_argcount == 0:
                value()
    if module.__name__ == "storage.records.metrics":
        for metric in module.Ontology.load().metrics:
            for name, maker in vars(type(metric)).items():
                if isinstance(maker, functools.cached_property):
                    getattr(metric, name)


_LATE = "expression"  # of storage.lexicon.words: compiles what it is given when that is first used
_TAKES_FLAGS_AT = {
    _LATE: 1,
    "compile": 1,
    "search": 2,
    "match": 2,
    "fullmatch": 2,
    "findall": 2,
    "finditer": 2,
    "split": 3,
    "sub": 4,
}
_WORD = "word"


def _called(node: ast.Call) -> str:
    """What of `re` is called, or our `expression`; empty for anything else."""
    function = node.func
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "re":
        return function.attr
    is_ours = isinstance(function, ast.Name) and function.id == _LATE
    return _LATE if is_ours else ""


def _inline_pattern(node: ast.Call, module: ModuleType) -> str | None:
    """The pattern of `re.sub("...", ...)`; what only a call can know in it is a word."""
    if not node.args or _called(node) not in _TAKES_FLAGS_AT:
        return None
    return _text(node.args[0], module)


def _text(made: ast.expr, module: ModuleType) -> str | None:
    """What a piece of code gives; None for a parameter of a function and for an expression that is compiled already."""
    if isinstance(made, ast.Constant):
        return made.value if isinstance(made.value, str) else None
    if isinstance(made, ast.Name):
        known = vars(module).get(made.id)
        return str(known) if isinstance(known, str | int) else None
    if isinstance(made, ast.JoinedStr):
        return "".join(_text(part, module) or _WORD for part in made.values)
    if isinstance(made, ast.FormattedValue):
        return _text(made.value, module)
    if isinstance(made, ast.BinOp):
        return (_text(made.left, module) or _WORD) + (_text(made.right, module) or _WORD)
    return None


def _inline_flags(node: ast.Call) -> int:
    place = _TAKES_FLAGS_AT[_called(node)]
    given = [keyword.value for keyword in node.keywords if keyword.arg == "flags"] or node.args[place : place + 1]
    names = [n.attr for value in given for n in ast.walk(value) if isinstance(n, ast.Attribute)]
    return int(functools.reduce(lambda flags, name: flags | getattr(re, name), names, re.RegexFlag(0)))


# Attack

_RUNS = (
    *"1 a(\"'.,-$A[<|\n",
    *(" a", "a ", "1 ", "1,", "1.", "A ", "a,", " (", "( ", ") ", "' \"", "a.", "a-", "1-", " \n", "2020 ", "@0 "),
    *("and ", "of ", "the ", "- ", "the end of ", "((a", "Aa. ", "A. ", "Aa Aa, ", "1,000 (2) ", "$ 1.5 - "),
)
_END = "\0"  # that nothing wants, so that the whole run is tried in vain
_KINDS = "1a A.,-'\"()$%/:;_!?|@#&+*€\né年"
_FEW = 8  # fewer repetitions than this cannot hurt
_SHORT = 4  # so many times the length that is tried first
_LONGER, _NOT_SQUARE = 8, 2.5  # a text eight times as long takes as long as eight of them, or eight times that
_PAIRS = 9


class _TooSlow(Exception):
    pass


class Attack(NamedTuple):
    """A lead, a body that is repeated until the text is long, and an end."""

    lead: str
    body: str
    end: str

    def text(self, length: int) -> str:
        return (
            self.lead + self.body * max(1, (length - len(self.lead) - len(self.end)) // len(self.body)) + self.end
        )


def slowest(expression: Expression, *, length: int, limit: float) -> tuple[float, Attack]:
    """The longest time in seconds of the processor, at most a little over the limit, and the attack that took it."""
    pattern = re.compile(expression.pattern, expression.flags)
    worst = (0.0, Attack("", "a", ""))
    for attack in attacks(expression):
        seconds = _seconds(pattern, attack.text(length), limit)
        if seconds > worst[0]:
            worst = (seconds, attack)
        if seconds >= limit:
            break
    return worst


def grows_as_a_square(expression: Expression, attack: Attack, *, length: int, limit: float) -> bool:
    """Whether a text of so many times the length always takes much longer than the shorter one as many times.

    Both take about as long where the time grows with the length, so that what slows the machine slows both; each pair
    is timed in one go, and one pair that shows no more is enough to know. The shorter one is long enough already for
    the matcher to ask the system for memory as the longer one does.
    """
    pattern = re.compile(expression.pattern, expression.flags)
    short, long = attack.text(_SHORT * length), attack.text(_LONGER * _SHORT * length)

    def is_over() -> bool:
        parts = sum(_seconds(pattern, short, limit) for _ in range(_LONGER))
        return _seconds(pattern, long, _NOT_SQUARE * parts) >= _NOT_SQUARE * parts

    return all(is_over() for _ in range(_PAIRS))


def _seconds(pattern: re.Pattern[str], text: str, limit: float) -> float:
    """How much of the processor both ways of applying it take together, or the limit."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise _TooSlow

    before = signal.signal(signal.SIGVTALRM, stop)
    begun = time.thread_time()
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, limit)
        pattern.search(text)
        pattern.fullmatch(text)
    except _TooSlow:
        return limit
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    return min(limit, time.thread_time() - begun)


def attacks(expression: Expression) -> list[Attack]:
    """Long runs of what people and PDFs write, and of what each repetition in the expression takes."""
    tree = _PARSER.parse(expression.pattern, expression.flags)
    found = [Attack("", body, _END) for body in _RUNS]
    for lead, body in _repetitions(tree, ""):
        found += [Attack(lead, body, end) for end in ("", _END)]
        found += [Attack(lead, body + other, _END) for other in " 1a"]
        found.append(Attack("", lead + body, _END))
    whole = _sample(tree)
    found += [Attack("", part, _END) for part in (whole, whole[:-1]) if part]
    return list(dict.fromkeys(found))


def repeats(expression: Expression) -> bool:
    """Whether a part may match often in a row; without that, no text makes an expression slow."""
    return next(_repetitions(_PARSER.parse(expression.pattern, expression.flags), ""), None) is not None


def _repetitions(tree: Any, lead: str) -> Iterator[tuple[str, str]]:
    """What each repetition takes, behind an example of what must come before it."""
    for code, value in tree:
        if code in (_CODES.MAX_REPEAT, _CODES.MIN_REPEAT, _CODES.POSSESSIVE_REPEAT):
            _, most, body = value
            if most >= _FEW:
                bodies = [_sample(body, choice) for choice in range(4)]
                yield from (
                    (lead, text) for text in {*bodies, bodies[0] + bodies[1], bodies[1] + bodies[2]} if text
                )
            yield from _repetitions(body, lead)
        elif code is _CODES.SUBPATTERN:
            yield from _repetitions(value[3], lead)
        elif code is _CODES.ATOMIC_GROUP:
            yield from _repetitions(value, lead)
        elif code is _CODES.BRANCH:
            for branch in value[1]:
                yield from _repetitions(branch, lead)
        elif code in (_CODES.ASSERT, _CODES.ASSERT_NOT):
            yield from _repetitions(value[1], lead)
        lead += _sample([(code, value)])


def _sample(tree: Any, choice: int = 0) -> str:
    """A text that the expression takes, roughly; another for another choice."""
    text = ""
    for code, value in tree:
        if code is _CODES.LITERAL:
            text += chr(value)
        elif code is _CODES.NOT_LITERAL:
            text += "b" if chr(value) == "a" else "a"
        elif code is _CODES.ANY:
            text += "a"
        elif code is _CODES.IN:
            taken = _taken(value)
            text += taken[choice % len(taken)]
        elif code is _CODES.BRANCH:
            text += _sample(value[1][choice % len(value[1])], choice)
        elif code is _CODES.SUBPATTERN:
            text += _sample(value[3], choice)
        elif code is _CODES.ATOMIC_GROUP:
            text += _sample(value, choice)
        elif code in (_CODES.MAX_REPEAT, _CODES.MIN_REPEAT, _CODES.POSSESSIVE_REPEAT):
            text += _sample(value[2], choice) * value[0]
    return text


_CATEGORIES: Mapping[str, Any] = {
    "DIGIT": str.isdigit,
    "SPACE": str.isspace,
    "WORD": lambda character: character.isalnum() or character == "_",
}


def _taken(items: Any) -> str:
    """Characters of a set, one of each kind."""
    is_turned = any(code is _CODES.NEGATE for code, _ in items)
    named = "".join(
        chr(v if code is _CODES.LITERAL else v[0]) for code, v in items if code in (_CODES.LITERAL, _CODES.RANGE)
    )
    return "".join(c for c in _KINDS + named if any(_is_of(c, *item) for item in items) != is_turned) or "x"


def _is_of(character: str, code: Any, value: Any) -> bool:
    if code is _CODES.LITERAL:
        return ord(character) == int(value)
    if code is _CODES.RANGE:
        return int(value[0]) <= ord(character) <= int(value[1])
    if code is _CODES.CATEGORY:
        name = str(value).removeprefix("CATEGORY_")
        return bool(_CATEGORIES[name.removeprefix("NOT_")](character)) != name.startswith("NOT_")
    return False


if __name__ == "__main__":
    json.dump(expressions(), sys.stdout)
