"""Whether our score is the challenge's: `python -m tests.measures.scores ERC_SCORE.py [SUBMISSIONS]`.

Random truths and submissions, by a seed, are scored by us and by the given script, which must have its
`score(truth, answers)`. Exits 1 where any figure differs in any digit.
"""

import importlib.util
import json
import random
import sys
import tempfile
import time
from pathlib import Path
from types import ModuleType
from typing import Any

from app.evaluation.scoring import score
from app.evaluation.truth import read_truth
from app.files.answers import read_answers

SEED, SUBMISSIONS = 11, 1000
_NAMES = ["Acme Inc.", "acme inc.", "Beta", " beta ", "Gamma, Ltd.", "CEO", "Chief Executive Officer"]
_NUMBERS = [-100.0, -100.5, -102.0, 0.0, 1e-9, 100.0, 100.9, 101.5, 2e9, 3.7]
_SHA1S = ["a" * 40, "b" * 40, "c" * 40]


def known_answer(rng: random.Random, kind: str) -> str:
    """One answer of a truth, as the challenge's files write it."""
    if rng.random() < 0.2:
        return "N/A"
    if kind == "number":
        return str(rng.choice(_NUMBERS))
    if kind == "boolean":
        return rng.choice(["True", "False"])
    return rng.choice(_NAMES) if kind == "name" else ",".join(rng.sample(_NAMES, rng.randint(1, 3)))


def given_value(rng: random.Random, kind: str) -> Any:
    """What somebody hands in: mostly of the kind, sometimes nonsense."""
    if rng.random() < 0.2:
        nonsense = ["N/A", None, "", "many", ["x"]]
        return rng.choice(nonsense if kind == "names" else [*nonsense, True, 7])  # the script counts on names
    if kind == "number":
        number = rng.choice(_NUMBERS)
        return rng.choice([number, str(number)])
    if kind == "boolean":
        return rng.choice([True, False, "yes", "No", "TRUE"])
    return rng.choice(_NAMES) if kind == "name" else rng.choice([rng.sample(_NAMES, 2), ", ".join(_NAMES[:3])])


def challenge(rng: random.Random) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A truth of round 2 and a submission to it; some questions are left out, asked twice or unknown."""
    truth: dict[str, Any] = {}
    for number in range(rng.randint(1, 12)):
        kind = rng.choice(["number", "boolean", "name", "names"])
        pools = [
            [f"{rng.choice(_SHA1S)}:{rng.randint(0, 4)}" for _ in range(rng.randint(1, 3))]
            for _ in range(rng.randint(0, 3))
        ]
        answers = [known_answer(rng, kind) for _ in range(rng.randint(1, 3))]
        truth[f"question {number}"] = {"kind": kind, "answers": answers, "reference_pools": pools}
    submission = []
    for question in rng.choices([*truth, "question nobody asked"], k=rng.randint(0, 15)):
        kind = truth.get(question, {"kind": "name"})["kind"]
        pages = [
            {"pdf_sha1": rng.choice(_SHA1S), "page_index": rng.randint(0, 4)} for _ in range(rng.randint(0, 4))
        ]
        submission.append({"question_text": question, "value": given_value(rng, kind), "references": pages})
    return truth, submission


def ours(
    truth: dict[str, Any], submission: list[dict[str, Any]], folder: Path
) -> tuple[float | None, float, float]:
    """R, G and score as `pageproof evaluate` reads and computes them."""
    known, answers = folder / "truth.json", folder / "answers.json"
    known.write_text(json.dumps(truth), encoding="utf-8")
    answers.write_text(json.dumps({"answers": submission}), encoding="utf-8")
    report = score(read_truth(known).truths, read_answers(answers))
    return report.R, report.G, report.score


def theirs(
    script: ModuleType, truth: dict[str, Any], submission: list[dict[str, Any]]
) -> tuple[float, float, float]:
    """The same by the script's rows."""
    rows = script.score(truth, submission)
    values, references = (100 * sum(row[i] for row in rows) / len(rows) for i in (2, 3))
    return references, values, references / 2 + values


def loaded(path: Path) -> ModuleType:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("their_score", path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{path}: is no Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def differences(path: Path, count: int, seed: int = SEED) -> int:
    """How many of the random submissions are scored differently; each is printed."""
    rng, script, found = random.Random(seed), loaded(path), 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            truth, submission = challenge(rng)
            mine, other = ours(truth, submission, Path(folder)), theirs(script, truth, submission)
            if mine != other:
                found += 1
                print(f"submission {number}: ours {mine}, theirs {other}\n{truth}\n{submission}")
    return found


def main() -> int:
    """Compare and state."""
    count = int(sys.argv[2]) if len(sys.argv) > 2 else SUBMISSIONS
    started = time.perf_counter()
    found = differences(Path(sys.argv[1]), count)
    print(f"{count - found} of {count} submissions equal in R, G and score, {time.perf_counter() - started:.1f} s")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
