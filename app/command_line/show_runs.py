"""Prints runs on the terminal."""

import json
import sys
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from app.command_line.show import as_json as print_json
from app.command_line.show import visible
from app.recording.run_views import ComparedRuns, Difference, RunSummary, SeenRun, Side
from storage.amounts import grouped
from storage.records.answers import Usage, Value
from storage.records.questions import Question
from storage.stores.run_log import LoggedAnswer, Run

PIPED_WIDTH = 200
_LONGEST_VALUE = 60


def listed(runs: Sequence[RunSummary], as_json: bool) -> None:
    """Print every run on one line."""
    if as_json:
        sys.stdout.write(
            json.dumps([r.model_dump(mode="json") for r in runs], ensure_ascii=False, indent=1) + "\n"
        )
        return
    table = _table("run", "for", "profile", "model", "questions", "N/A", "failed", "kept", "cost", "seconds")
    for summary in runs:
        counts = (summary.questions, summary.not_available, summary.failed, summary.cached)
        run = summary.run
        _add_row(
            table, run.id, run.purpose, run.profile, run.model or "–", *map(str, counts), _cost(summary.usage),
            f"{summary.seconds:.1f}",
        )  # fmt: skip
    if runs:
        _console().print(table)
    else:
        sys.stdout.write("Nothing was asked yet.\n")


def one(run: SeenRun, as_json: bool) -> None:
    """Print a run's questions."""
    if as_json:
        print_json(run)
        return
    _head(run.run)
    table = _table("question", "value", "pages", "checks", "cost", "seconds")
    for entry in run.entries:
        _add_row(
            table, _question_text(entry.question), _answer_text(entry), _pages(entry), _checks(entry),
            _cost(entry.usage), f"{entry.seconds:.1f}",
        )  # fmt: skip
    _console().print(table)
    if run.opinions:
        feedback = _table("feedback", "question", "comment")
        for opinion in run.opinions:
            _add_row(
                feedback,
                "helpful" if opinion.helpful else "not helpful",
                _question_text(opinion.question),
                opinion.comment,
            )  # fmt: skip
        _console().print(feedback)


def two(runs: ComparedRuns, as_json: bool) -> None:
    """Print the differences between two runs."""
    if as_json:
        print_json(runs)
        return
    _head(runs.before)
    _head(runs.after)
    table = _table("question", "changed", "before", "after", "cost", "seconds")
    for row in runs.questions:
        if row.is_same:
            continue
        _add_row(
            table, _question_text(row.question), _changed(row), _side(row.before, row), _side(row.after, row),
            f"{_cost(row.before.usage)} → {_cost(row.after.usage)}",
            f"{row.before.seconds:.1f} → {row.after.seconds:.1f}",
        )  # fmt: skip
    if runs.changed:
        _console().print(table)
    before, after = ([getattr(d, name) for d in runs.questions] for name in ("before", "after"))
    cost = f"{_cost(_sum(before))} → {_cost(_sum(after))}"
    seconds = f"{sum(s.seconds for s in before):.1f} → {sum(s.seconds for s in after):.1f} s"
    sys.stdout.write(f"{runs.same} the same, {runs.changed} changed · {cost} · {seconds}\n")
    for name, questions in ((runs.before.id, runs.only_before), (runs.after.id, runs.only_after)):
        if questions:
            sys.stdout.write(f"only in {name}: {len(questions)}\n")


def _head(run: Run) -> None:
    settings = " ".join(f"{key}={value}" for key, value in run.settings.items())
    model = f" · {run.model}" if run.model else ""
    sys.stdout.write(f"{run.id} · {run.purpose} · profile {run.profile}{model}\n")
    if settings:
        sys.stdout.write(f"  {settings}\n")


def _table(*names: str) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in names:
        number = name in ("questions", "N/A", "failed", "kept", "cost", "seconds")
        table.add_column(name, justify="right" if number else "left", overflow="fold", no_wrap=name == "run")
    return table


def _add_row(table: Table, *cells: str) -> None:
    table.add_row(*map(visible, cells))


def _console() -> Console:
    console = Console(file=sys.stdout, markup=False, highlight=False)
    return console if console.is_terminal else Console(
        file=sys.stdout, width=PIPED_WIDTH, markup=False, highlight=False
    )  # fmt: skip


def _question_text(question: Question) -> str:
    hints = ", ".join(hint for hint in (question.kind, question.company, question.currency) if hint)
    return f"{question.text} [{hints}]" if hints else question.text


def _answer_text(entry: LoggedAnswer) -> str:
    if entry.error:
        return f"error: {entry.error}"
    cached = " (kept)" if entry.cached else ""
    return _value(entry.value, entry.reason) + cached


def _value(value: Value | None, reason: str | None) -> str:
    words = "; ".join(value) if isinstance(value, tuple) else str(value)
    text = grouped(value) if isinstance(value, float) else words
    text = text if len(text) <= _LONGEST_VALUE else text[:_LONGEST_VALUE] + "…"
    return f"{text} ({reason.replace('_', ' ')})" if reason else text


def _pages(entry: LoggedAnswer) -> str:
    several = len({page.file for page in entry.pages}) > 1
    return "; ".join(f"{page.file} {page.page}" if several else str(page.page) for page in entry.pages)


def _checks(entry: LoggedAnswer) -> str:
    failed = [check.name for check in entry.checks if check.verdict == "failed"]
    passed = sum(check.verdict == "passed" for check in entry.checks)
    return f"✗ {', '.join(failed)}" if failed else f"✓ {passed}" if passed else ""


def _changed(difference: Difference) -> str:
    parts = {"value": difference.same_value, "reason": difference.same_reason, "pages": difference.same_pages}
    return ", ".join(name for name, same in parts.items() if not same)


def _side(side: Side, difference: Difference) -> str:
    value = f"error: {side.error}" if side.error else _value(side.value, side.reason)
    pages = ", ".join(str(page) for _, page in side.pages)
    return value if difference.same_pages else f"{value} · pages {pages or 'none'}"


def _cost(usage: Usage) -> str:
    if not usage.requests:
        return "–"
    return "unknown" if usage.cost_usd is None else f"{usage.cost_usd:.4f}"


def _sum(sides: Sequence[Side]) -> Usage:
    return sum((side.usage for side in sides), Usage())
