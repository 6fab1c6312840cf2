"""How good answers are with a language model: `python -m tests.measures.model QUESTIONS --data DIR`.

QUESTIONS is a file of known answers, such as facts.json; the library must hold its reports. The model is that of the
settings (`--profile local --set llm.model=FILE`, or a server of your own). With `--without-facts` the fact table is
switched off: the questions go to a copy of the library without its facts. Measure on a quiet machine.
"""

import argparse
import json
import random
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, cast

from app import open_pageproof
from app.assembly.client import Pageproof
from app.evaluation.fact_scores import outcome
from app.evaluation.truth import Truth, read_truth
from app.settings import data_paths
from storage.errors import PageproofError
from storage.records.answers import Answer
from storage.records.questions import AnswerKind, Question


class Measured(NamedTuple):
    """One question, what came of it, and in how many seconds; `error` where nothing did."""

    truth: Truth
    answer: Answer | None
    seconds: float
    error: str = ""

    @property
    def outcome(self) -> str:
        """Right, wrong, missing or rightly N/A."""
        return outcome(self.truth, self.answer.value) if self.answer is not None else "failed"

    @property
    def is_valid(self) -> bool:
        """Whether the model's drafts could be read."""
        return self.answer is not None and self.answer.reason != "model_failed"

    @property
    def is_ticked(self) -> bool:
        """Whether some check passed, and none failed."""
        verdicts = {check.verdict for check in self.answer.checks} if self.answer is not None else set()
        return "passed" in verdicts and "failed" not in verdicts


def drawn(path: Path, count: int, seed: int, kind: str | None = None) -> list[Truth]:
    """So many questions of a file, of one kind or all, spread over its reports, the same for the same seed."""
    known = [
        truth for truth in read_truth(path).truths if truth.kind != "comparative" and kind in (None, truth.kind)
    ]
    random.Random(seed).shuffle(known)
    places = Counter[str | None]()
    order: list[tuple[int, Truth]] = []
    for truth in known:
        order.append((places[truth.report_sha1], truth))
        places[truth.report_sha1] += 1
    return [truth for _, truth in sorted(order, key=lambda pair: pair[0])][:count]


@contextmanager
def without_facts(data: Path) -> Iterator[Path]:
    """The library without its facts; everything else of it is linked."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for path in data.iterdir():
            if path.name != data_paths(data).facts.name:
                (copy / path.name).symlink_to(path)
        yield copy


def ask(client: Pageproof, truth: Truth) -> Measured:
    """One question, and how long it took."""
    started = time.perf_counter()
    try:
        answer = client.ask(Question(text=truth.question, kind=cast(AnswerKind, truth.kind)))
    except PageproofError as error:
        return Measured(truth, None, time.perf_counter() - started, str(error))
    return Measured(truth, answer, time.perf_counter() - started)


def line_of(one: Measured) -> str:
    """A result as a line of JSON."""
    answer = one.answer
    failed = [f"{c.name}: {c.detail}" for c in answer.checks if c.verdict == "failed"] if answer else [one.error]
    return json.dumps(
        {
            "outcome": one.outcome,
            "ticked": one.is_ticked,
            "valid": one.is_valid,
            "question": one.truth.question,
            "company": one.truth.company,
            "value": answer.value if answer else None,
            "known": one.truth.answers,
            "reason": answer.reason if answer else "error",
            "quote": answer.citations[0].quote if answer and answer.citations else "",
            "failed": failed,
            "row": next((f"{c.verdict}: {c.detail}" for c in answer.checks if c.name == "row"), "")
            if answer
            else "",
            "requests": answer.usage.requests if answer else 0,
            "prompt_tokens": answer.usage.prompt_tokens if answer else 0,
            "completion_tokens": answer.usage.completion_tokens if answer else 0,
            "seconds": round(one.seconds, 1),
            "summary": answer.summary[:300] if answer else "",
        },
        ensure_ascii=False,
    )


def table(found: Sequence[Measured]) -> str:
    """The counts, and the medians of seconds and tokens."""
    count, outcomes = len(found), Counter(one.outcome for one in found)
    wrong_ticked = sum(one.outcome == "wrong" and one.is_ticked for one in found)
    tokens = [one.answer.usage for one in found if one.answer is not None]
    rows = {
        "valid": f"{sum(one.is_valid for one in found)} of {count}",
        "right": f"{outcomes['right'] + outcomes['right_na']} ({outcomes['right_na']} of them N/A)",
        "wrong": f"{outcomes['wrong']}, {wrong_ticked} of them ticked",
        "N/A though known": str(outcomes["missing"]),
        "failed": str(outcomes["failed"]),
        "seconds": f"median {statistics.median(one.seconds for one in found):.0f}, "
        f"most {max(one.seconds for one in found):.0f}",
        "tokens read": f"median {statistics.median(u.prompt_tokens for u in tokens):.0f}" if tokens else "",
        "tokens written": f"median {statistics.median(u.completion_tokens for u in tokens):.0f}" if tokens else "",
    }
    return "\n".join(f"| {name} | {value} |" for name, value in rows.items())


def main() -> None:
    """Measure, print the table, and write a line for each question where one is wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("questions", type=Path, help="Known answers, such as facts.json.")
    parser.add_argument("--data", type=Path, help="The library's folder; else PAGEPROOF_DATA, else ./data.")
    parser.add_argument("--profile", default="local")
    parser.add_argument(
        "--set", action="append", default=[], dest="overrides", help="A setting, section.key=value."
    )
    parser.add_argument("--count", type=int, default=100, help="Questions to draw.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", help="Only questions of this kind of answer, such as boolean.")
    parser.add_argument("--without-facts", action="store_true", help="Switch the fact table off.")
    parser.add_argument("--out", type=Path, help="A file for one line of JSON for each question.")
    arguments = parser.parse_args()
    data = data_paths(arguments.data).root
    settings = ["answers.strictness=strict", *arguments.overrides, "answers.cache=false", "runs.log=false"]
    questions = drawn(arguments.questions, arguments.count, arguments.seed, arguments.kind)
    with without_facts(data) if arguments.without_facts else _same(data) as library:
        found: list[Measured] = []
        with open_pageproof(arguments.profile, overrides=settings, data=library) as client:
            for number, truth in enumerate(questions, start=1):
                found.append(ask(client, truth))
                written = line_of(found[-1])
                if arguments.out is not None:
                    with arguments.out.open("a", encoding="utf-8") as file:
                        file.write(written + "\n")
                print(f"{number}/{len(questions)} {found[-1].outcome}", flush=True)
        print(table(found))


@contextmanager
def _same(data: Path) -> Iterator[Path]:
    yield data


if __name__ == "__main__":
    main()
