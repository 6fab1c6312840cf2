"""The lab from the command line: ask every variant, compare, write."""

import os
import random
from collections.abc import Sequence
from pathlib import Path

from app.evaluation.truth import Truth, read_truth
from app.files.questions import KINDS, FileQuestion, read_questions
from app.lab.asking import Asker, OnAnswer, Variant
from app.lab.comparison import Comparison, compare
from app.lab.page import as_markdown, page
from app.lab.picture import picture
from app.settings import data_paths
from storage.errors import MissingIndex, UsageError
from storage.files import write_atomically
from storage.records.questions import Question
from storage.stores.library import Library


def run_lab(
    questions: Path,
    truth: Path,
    variants: Sequence[Variant],
    common: Sequence[str],
    folder: Path,
    data: Path | None,
    *,
    sample: int | None = None,
    seed: int = 1,
    fresh: bool = False,
    on_answer: OnAnswer | None = None,
) -> Comparison:
    """Put the questions to every variant and write `lab.html`, `lab.json`, `lab.md` and `lab.svg` into `folder`.

    Args:
        questions: a question file; or the truth itself, whose questions are asked then.
        truth: the known answers.
        variants: what is compared; one that cannot be asked says what it lacks.
        common: settings that all variants share.
        folder: for the reports, and below `answers` what every variant said, to be used again.
        data: the library.
        sample: only so many of the questions that have a known answer, drawn by `seed`.
        seed: of the sample.
        fresh: ask again what is kept.
        on_answer: told of each answer.

    Raises:
        UsageError: a file, a setting, or no question with a known answer.
        MissingIndex: the library is empty.
    """
    settings = [variant.settings(common) for variant in variants]  # a wrong one is told before hours of answering
    known = read_truth(truth).truths
    asked = _asked(questions, truth, known)
    if sample is not None:
        asked = _sampled(asked, known, sample, seed)
    if not {t.question for t in known if t.kind != "text"} & {question.question.text for question in asked}:
        raise UsageError(f"{truth}: holds no known answer to any question of {questions}")
    paths = data_paths(data)
    if not Library(paths.catalog).companies():
        raise MissingIndex("nothing is ingested yet; run `pageproof ingest PATH`, or `pageproof demo`")
    asker = Asker(asked, paths, folder / "answers", os.environ, fresh=fresh, on_answer=on_answer)
    runs = [asker.ask(variant, chosen) for variant, chosen in zip(variants, settings, strict=True)]
    comparison = compare(asked, known, runs, (questions.name, truth.name))
    _write(comparison, folder)
    return comparison


def _asked(questions: Path, truth: Path, known: Sequence[Truth]) -> list[FileQuestion]:
    if questions.absolute() != truth.absolute():
        return list(dict.fromkeys(read_questions(questions)))
    own = (
        Question.model_validate({"text": t.question, "kind": t.kind if t.kind in KINDS else None}) for t in known
    )
    return [FileQuestion(question=question, kind_in_file=question.kind) for question in dict.fromkeys(own)]


def _sampled(asked: Sequence[FileQuestion], known: Sequence[Truth], count: int, seed: int) -> list[FileQuestion]:
    scored = {t.question for t in known if t.kind != "text"}
    having = [question for question in asked if question.question.text in scored]
    drawn = set(random.Random(seed).sample(range(len(having)), min(count, len(having))))
    return [question for number, question in enumerate(having) if number in drawn]


def _write(comparison: Comparison, folder: Path) -> None:
    written = {
        "lab.html": page(comparison),
        "lab.json": comparison.model_dump_json(indent=1) + "\n",
        "lab.md": as_markdown(comparison),
        "lab.svg": picture(comparison) + "\n",
    }
    for name, text in written.items():
        write_atomically(folder.absolute() / name, text.encode())
