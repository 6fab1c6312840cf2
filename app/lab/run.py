"""The lab from the command line: ask every variant, compare, write."""

import os
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.evaluation.truth import Truth, read_truth
from app.files.questions import read_questions
from app.files.sheets import FileQuestion
from app.lab.asking import Asker, OnAnswer, Variant
from app.lab.comparison import Comparison, compare
from app.lab.exports import as_csv, as_junit
from app.lab.page import as_markdown, page, picture
from app.settings import data_paths, nothing_ingested
from prompts.kinds import KINDS
from storage.errors import UsageError
from storage.files import write_atomically
from storage.records.questions import Question
from storage.stores.library import Library


@dataclass(frozen=True)
class LabQuestions:
    """The questions for every variant, and their known answers.

    Attributes:
        questions: each once.
        known: the known answers.
        sources: the names of the two files.
    """

    questions: tuple[FileQuestion, ...]
    known: tuple[Truth, ...]
    sources: tuple[str, str]

    @classmethod
    def read(cls, questions: Path, truth: Path, sample: int | None = None, seed: int = 1) -> "LabQuestions":
        """Read the questions of a file, or those of the truth if both are the same file.

        Args:
            questions: a question file, or the truth.
            truth: the known answers.
            sample: take only this number of the questions with a known answer, drawn by `seed`.
            seed: of the sample.

        Raises:
            UsageError: a file cannot be read, or no question has a known answer.
        """
        known = read_truth(truth).truths
        chosen = _questions(questions, truth, known)
        if sample is not None:
            chosen = _sampled(chosen, known, sample, seed)
        if not {t.question for t in known if t.kind != "text"} & {question.question.text for question in chosen}:
            raise UsageError(f"{truth}: holds no known answer to any question of {questions}")
        return cls(tuple(chosen), tuple(known), (questions.name, truth.name))


def run_lab(
    question_set: LabQuestions,
    variants: Sequence[Variant],
    common: Sequence[str],
    folder: Path,
    data: Path | None,
    *,
    fresh: bool = False,
    on_answer: OnAnswer | None = None,
) -> Comparison:
    """Ask every variant the questions, and write `lab.html`, `.json`, `.md`, `.svg`, `.csv` and `.xml` into `folder`.

    Args:
        question_set: the questions and their known answers.
        variants: to compare; for one that cannot run, the result says what it lacks.
        common: settings that all variants share.
        folder: for the reports; in `answers` below it, every variant's answers are stored for the next run.
        data: the library.
        fresh: ask again also where answers are stored.
        on_answer: called after each answer.

    Raises:
        UsageError: a setting is wrong.
        MissingIndex: the library is empty.
    """
    settings = [
        variant.settings(common) for variant in variants
    ]  # a wrong setting fails before hours of answering
    paths = data_paths(data)
    if not Library(paths.catalog).companies():
        raise nothing_ingested(paths.root)
    asker = Asker(question_set.questions, paths, folder / "answers", os.environ, fresh=fresh, on_answer=on_answer)
    runs = [asker.ask(variant, chosen) for variant, chosen in zip(variants, settings, strict=True)]
    comparison = compare(question_set.questions, question_set.known, runs, question_set.sources)
    _write(comparison, folder)
    return comparison


def _questions(questions: Path, truth: Path, known: Sequence[Truth]) -> list[FileQuestion]:
    if questions.absolute() != truth.absolute():
        return list(dict.fromkeys(read_questions(questions)))
    own = (
        Question.model_validate({"text": t.question, "kind": t.kind if t.kind in KINDS else None}) for t in known
    )
    return [FileQuestion(question=question, kind_in_file=question.kind) for question in dict.fromkeys(own)]


def _sampled(
    questions: Sequence[FileQuestion], known: Sequence[Truth], count: int, seed: int
) -> list[FileQuestion]:
    scored = {t.question for t in known if t.kind != "text"}
    having = [question for question in questions if question.question.text in scored]
    drawn = set(random.Random(seed).sample(range(len(having)), min(count, len(having))))
    return [question for number, question in enumerate(having) if number in drawn]


def _write(comparison: Comparison, folder: Path) -> None:
    written = {
        "lab.html": page(comparison).encode(),
        "lab.json": f"{comparison.model_dump_json(indent=1)}\n".encode(),
        "lab.md": as_markdown(comparison).encode(),
        "lab.svg": f"{picture(comparison)}\n".encode(),
        "lab.csv": as_csv(comparison),
        "lab.xml": as_junit(comparison),
    }
    for name, content in written.items():
        write_atomically(folder.absolute() / name, content)
