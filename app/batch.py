"""Answering a file of questions."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from app import open_pageproof
from app.answer_files import AnswerWriter
from app.desk import Desk
from app.question_files import FileQuestion, read_questions
from storage.errors import ProviderError

PARALLEL_WITHOUT_MODEL = 2


def run_answers(
    questions: Path, out: Path, resume: bool, profile: str, overrides: Sequence[str], data: Path | None
) -> list[str]:
    """Answer every question; returns one line for each that failed.

    A question whose model could not be asked is left out of the file and can be asked again with `resume`.

    Raises:
        UsageError: a file cannot be read or written.
        SetupError: nothing is ingested, or not under this profile.
    """
    asked = read_questions(questions)
    with open_pageproof(profile, overrides=overrides, data=data) as desk:
        writer = AnswerWriter(out, asked, resume=resume)
        console = Console(stderr=True)
        with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
            bar = progress.add_task("questions", total=len(writer.pending))
            failures = desk.run(_answer_all(desk, writer, lambda: progress.advance(bar)))
        writer.finish()
    return failures


async def _answer_all(desk: Desk, writer: AnswerWriter, done: Callable[[], None]) -> list[str]:
    failures: list[str] = []
    places = asyncio.Semaphore(_parallel(desk))

    async def one(question: FileQuestion) -> None:
        async with places:
            try:
                answer = await desk.answer(question.question)
            except ProviderError as error:
                failures.append(f"{question.question.text!r}: {error}")
            else:
                writer.add(question, answer)
            done()

    await asyncio.gather(*map(one, writer.pending))
    return failures


def _parallel(desk: Desk) -> int:
    return desk.settings.llm.parallel if desk.settings.answers.kind == "llm" else PARALLEL_WITHOUT_MODEL
