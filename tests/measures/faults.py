"""How the product does on the kinds of fault in tests/support/faults: `python -m tests.measures.faults [KIND ...]`.

Each kind is written in so many variants, each from its own number; odd numbers are for those who mend, even numbers are
set aside and only counted. `--aside` counts those set aside, `--show` prints each miss of those that are not.
"""

import argparse
import contextlib
import io
import random
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from app import open_pageproof
from pageproof import IngestRequest
from storage.records.answers import Answer
from tests.support.faults import KINDS
from tests.support.faults.cases import Asked, Case, Right

_ROUNDED = 1e-4  # percentages and figures per share have no more decimals


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", help=f"of {', '.join(KINDS)}; all without one")
    parser.add_argument("--variants", type=int, default=20)
    parser.add_argument("--aside", action="store_true", help="count the variants set aside")
    parser.add_argument("--show", action="store_true", help="print each miss; never of those set aside")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    print(f"{'':24s} right    N/A  wrong  wrong and ticked")
    whole: Counter[str] = Counter()
    with ProcessPoolExecutor(given.processes) as pool:
        for kind in given.kinds or KINDS:
            numbers = range(2 if given.aside else 1, given.variants + 1, 2)
            counts: Counter[str] = Counter()
            for marks, misses in pool.map(tried, [kind] * len(numbers), numbers):
                counts.update(marks)
                if given.show and not given.aside:
                    print(*misses, sep="\n", end="\n" if misses else "")
            whole += counts
            _print(kind, counts)
    _print("all", whole)


def _print(name: str, counts: Counter[str]) -> None:
    print(
        f"{name:24s} {counts['right']:5d} {counts['N/A']:6d} {counts['wrong']:6d} {counts['ticked']:6d}",
        flush=True,
    )


def tried(kind: str, number: int) -> tuple[Counter[str], list[str]]:
    """The marks of one variant, and a line for each answer that is not right."""
    marks: Counter[str] = Counter()
    misses: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        case = KINDS[kind](random.Random(f"{kind} {number}"), Path(folder))
        for mark, told in _outcomes(case, Path(folder) / "library"):
            marks[mark] += 1
            if mark != "right":
                misses.append(f"    {mark:7s}{kind} {number}: {told}")
    return marks, misses


def _outcomes(case: Case, library: Path) -> Iterator[tuple[str, str]]:
    quiet = io.StringIO()
    with open_pageproof("offline", data=library, overrides=list(case.settings)) as client:
        with contextlib.redirect_stderr(quiet):
            told = [report for path in case.files for report in client.library.ingest(IngestRequest(paths=[path]))]
        warned = "; ".join(filter(None, (report.warning for report in told)))
        names = sorted(company.name for company in client.companies())
        if case.companies:
            yield "right" if names == sorted(case.companies) else "wrong", f"companies {names}"
        if case.refused:
            words = " ".join(f"{report.status} {report.reason}" for report in told)
            yield "right" if not names and case.refused in words else "wrong", f"told of the file: {words}"
        for asked in case.asked:
            answer = client.ask(asked.question)
            note = f" | warning: {warned}" if warned else ""
            yield (
                _mark(asked, answer),
                f"{asked.question} -> {answer} | right: {asked.right}, page {asked.page}{note}",
            )


def _mark(asked: Asked, answer: Answer) -> str:
    if any(_is_right(answer.value, right) for right in asked.right):
        pages = {citation.page for citation in answer.citations}
        return "right" if not asked.page or not pages or asked.page in pages else "wrong"
    if answer.value == "N/A":
        return "N/A"
    return "wrong" if any(check.verdict == "failed" for check in answer.checks) else "ticked"


def _is_right(value: object, right: Right) -> bool:
    if right is None:
        return value == "N/A"
    if isinstance(right, str):
        told = ", ".join(value) if isinstance(value, list) else str(value)
        return right.lower() in told.lower()
    return isinstance(value, int | float) and abs(value - right) <= max(abs(right) * 1e-6, _ROUNDED)


if __name__ == "__main__":
    main()
