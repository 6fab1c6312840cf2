"""Questions about the known facts in voices that no rule was written on, and traps beside them: how many come right.

    python -m tests.measures.unseen FOLDER --data LIBRARY [--half work|kept] [--lines]

`unseen_questions.jsonl` has a question a line: the report, the metric that is wanted, and its language; or the trap
that it is: a part, a thing of another company, something narrower or broader, a false premise, in each of which the
metric's figure is no answer. FOLDER holds truth/facts.json. Every second line is the half to work on; the kept half
is only read to see what a change made of it.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from app import open_pageproof
from app.assembly.client import Pageproof
from app.evaluation.fact_scores import outcome
from app.evaluation.truth import FACTS, Truth, read_truth
from storage.errors import PageproofError
from storage.records.answers import NOT_AVAILABLE, Answer
from storage.records.record import Record
from tests.measures.behaviour import ALONE

QUESTIONS = Path(__file__).with_name("unseen_questions.jsonl")
Half = Literal["work", "kept"]


class Unseen(Record):
    """A question, the beginning of its report's SHA-1, and the metric that is wanted, or that the trap holds out."""

    sha1: str
    metric: str
    text: str
    language: str = ""
    trap: str = ""


def read(half: Half | None) -> list[Unseen]:
    """The questions of a half, or all."""
    lines = QUESTIONS.read_text(encoding="utf-8").splitlines()
    found = [Unseen.model_validate_json(line) for line in lines]
    return found if half is None else found[0 if half == "work" else 1 :: 2]


def judged(client: Pageproof, asked: Unseen, fact: Truth) -> tuple[str, str]:
    """What came of a question, and the answer in a few words.

    Of a trap "caught" is an answer that is the fact itself, "answered" any other one, "refused" none.
    """
    try:
        answer = client.ask(asked.text)
    except PageproofError as error:
        return "failed", str(error)[:80]
    said = str(answer.value)[:60]
    if asked.trap:
        is_caught = answer.value not in (NOT_AVAILABLE, None) and outcome(fact, answer.value) == "right"
        return ("caught" if is_caught else "refused" if answer.value == NOT_AVAILABLE else "answered"), said
    found = outcome(fact, answer.value)
    if answer.value != NOT_AVAILABLE or found == "right_na":
        return found, said
    return ("nearest" if _has_fact_near(answer, fact) else "bare"), f"{answer.reason} {_near(answer)}"


def _has_fact_near(answer: Answer, fact: Truth) -> bool:
    return answer.nearest is not None and outcome(fact, answer.nearest.value) == "right"


def _near(answer: Answer) -> str:
    return f"nearest {answer.nearest.value}: {answer.nearest.detail}"[:120] if answer.nearest else ""


def results(client: Pageproof, half: Half | None, facts: Path) -> Iterator[tuple[Unseen, str, str]]:
    """Each question with what came of it."""
    known = {(t.report_sha1[:8], t.metric): t for t in read_truth(facts).truths if t.report_sha1}
    for asked in read(half):
        yield asked, *judged(client, asked, known[asked.sha1, asked.metric])


def main() -> None:
    """Ask, and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="Of the truth about real reports.")
    parser.add_argument("--data", type=Path, required=True, help="The library of the real reports.")
    parser.add_argument("--half", choices=("work", "kept"))
    parser.add_argument("--lines", action="store_true", help="Print each question that did not come right.")
    options = parser.parse_args()
    counts: Counter[tuple[str, str]] = Counter()
    with open_pageproof("offline", overrides=ALONE, data=options.data) as client:
        for asked, found, said in results(client, options.half, options.folder / "truth" / FACTS):
            group = f"trap: {asked.trap}" if asked.trap else "English" if asked.language == "en" else "others"
            counts[group, found] += 1
            if options.lines and found not in ("right", "right_na", "refused"):
                print(f"{group} {found}: {asked.text} [{asked.metric}] -> {said}")
    for group in dict.fromkeys(group for group, _ in counts):
        shown = ", ".join(f"{found} {n}" for (g, found), n in sorted(counts.items()) if g == group)
        print(f"{group}: {shown}")


if __name__ == "__main__":
    main()
