"""How well comparisons are understood and decided: `python -m tests.measures.comparisons TRUTH [--data LIBRARY]`.

300 comparisons of two to five companies are drawn by a seed from the known figures in TRUTH (facts.json): mixed
currencies, missing figures, strangers and made-up ties among them. Their answers are worked out here, by a few lines
that share nothing with the engine. Asked of engines that know the truth, they measure reading and deciding; with
--data, of a library's own engines, everything.
"""

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from app import open_pageproof
from storage.records.questions import Question
from storage.records.reports import Company
from tests.support.known_comparisons import (
    Case,
    cases,
    is_right,
    is_routed,
    known_figures,
    reader,
    with_perfect_answers,
)


def measure(truth: Path, data: Path | None, verbose: bool) -> dict[str, object]:
    """Shares right of all cases."""
    known = known_figures(truth)
    companies = [Company(name=k.company) for k in known]
    drawn = cases(known)
    figures: dict[str, object] = {
        "n": len(drawn),
        "N/A is right": sum(c.right == ("N/A",) for c in drawn),
        "ties": sum(c.tied for c in drawn),
    }
    with TemporaryDirectory() as folder:
        read = reader(Path(folder))
        routed = [is_routed(case, read, companies) for case in drawn]
        decided = [
            is_right(case, asyncio.run(with_perfect_answers(case, read, companies))[0].value) for case in drawn
        ]
    figures |= {"routed": sum(routed) / len(drawn), "right with perfect sub-answers": sum(decided) / len(drawn)}
    if verbose:
        for case, one, two in zip(drawn, routed, decided, strict=True):
            if not (one and two):
                print(one, two, case.text, case.right)  # a command's output
    if data is not None:
        figures["end to end"] = _end_to_end([c for c in drawn if not c.tied], data, verbose)
    return figures


def _end_to_end(drawn: Sequence[Case], data: Path, verbose: bool) -> dict[str, object]:
    counts: Counter[str] = Counter()
    with open_pageproof(
        "offline", overrides=["embedding.precision=bfloat16", "answers.strictness=strict"], data=data
    ) as client:
        for case in drawn:
            answer = client.ask(Question(text=case.text, kind=case.kind))
            right = is_right(case, answer.value)
            outcome = "right" if right else "missing" if answer.value == "N/A" else "wrong"
            counts[outcome] += 1
            counts[f"{outcome} {case.relation}"] += 1
            if verbose and not right:
                print(outcome, case.text[:200], case.right, answer.value, answer.analysis)  # output
    return {
        "n": len(drawn),
        **{k: v for k, v in sorted(counts.items())},
        "share right": counts["right"] / len(drawn),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("truth", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    found = measure(options.truth, options.data, options.verbose)
    print(json.dumps(found, indent=1))  # a command's output
