"""The commands that measure: scores, page recall, validation sets, and variants side by side."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from app.command_line import show
from app.command_line.commands import PROFILE, SOME_FAILED, AsJson, Data, Force, Overrides, Profile, typer_app
from app.settings import data_paths
from storage.errors import UsageError
from storage.text import plural


@typer_app.command()
def evaluate(
    answers: Annotated[Path | None, typer.Argument(help="Answers: .json or .jsonl.")] = None,
    truth: Annotated[Path | None, typer.Option(help="The known answers: JSON, or a filled-in .xlsx.")] = None,
    errors: Annotated[int, typer.Option(min=0, help="List so many answers that are not right.")] = 0,
    self_test: Annotated[
        bool,
        typer.Option("--self-test", help="Ask the library what its own tables say, and what they do not say."),
    ] = False,
    sample: Annotated[int, typer.Option(min=1, help="How many questions the self-test draws.")] = 500,
    seed: Annotated[int, typer.Option(help="Of the self-test; the same seed draws the same questions.")] = 1,
    profile: Profile = PROFILE,
    overrides: Overrides = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Score answers by the challenge's rule, with their pages, price and errors; or test a library by itself."""
    if self_test:
        if answers is not None or truth is not None:
            raise UsageError("--self-test draws its own questions: leave out ANSWERS and --truth")
        _self_test(sample, seed, errors, profile, overrides or (), data, as_json)
        return
    if answers is None or truth is None:
        raise UsageError("evaluate needs ANSWERS and --truth, or --self-test")
    from app.command_line import show_scores
    from app.evaluation.fact_scores import score_answered_facts
    from app.evaluation.scoring import evaluate as evaluated
    from app.evaluation.scoring import wrong_answers
    from app.evaluation.truth import read_truth
    from app.files.answers import read_answers

    known, given = read_truth(truth), read_answers(answers)
    facts = score_answered_facts(known.truths, given) if known.form == "facts" else None
    listed = wrong_answers(known.truths, given)[:errors] if errors else None
    show_scores.scores(evaluated(known.truths, given), facts, listed, as_json)


def _self_test(
    sample: int, seed: int, errors: int, profile: str, overrides: Sequence[str], data: Path | None, as_json: bool
) -> None:
    from app.command_line import show_scores
    from app.runs.measures import run_self_test  # late: pulls in LlamaIndex

    with show_scores.Bars() as bars:
        found = run_self_test(
            sample, seed, profile, overrides, data, on_answer=lambda done, of: bars.show("self-test", done, of)
        )
    show_scores.self_tested(found, errors, as_json)


@typer_app.command()
def retrieval(
    truth: Annotated[Path, typer.Argument(help="Facts with their pages, or the challenge's answers.")],
    errors: Annotated[
        bool, typer.Option("--errors", help="List every question whose right page was not first.")
    ] = False,
    profile: Profile = PROFILE,
    overrides: Overrides = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Measure how often the right page is found, without a language model."""
    from app.command_line import show_scores
    from app.runs.measures import run_retrieval

    report, misses = run_retrieval(truth, profile, overrides or (), data)
    show_scores.retrieval(report, misses if errors else None, as_json)


@typer_app.command()
def questions(
    count: Annotated[int, typer.Option(min=1, help="How many.")] = 100,
    seed: Annotated[int, typer.Option(help="The same seed and library give the same questions.")] = 1,
    out: Annotated[
        Path | None, typer.Option(help="A file: .json, .csv, or .xlsx to fill in. Else JSON on stdout.")
    ] = None,
    force: Force = False,
    templates: Annotated[Path | None, typer.Option(help="Your own families of questions (TOML).")] = None,
    profile: Profile = PROFILE,
    overrides: Overrides = None,
    data: Data = None,
) -> None:
    """Draw a validation set on the library's companies, to be answered by hand."""
    from app.files.answers import refuse_replacing
    from app.runs.measures import as_round_2, run_questions

    if out is not None:
        data_paths(data).refuse_inside(out)
        refuse_replacing(out, force=force)
    drawn = run_questions(count, seed, out, templates, profile, overrides or (), data)
    if out is None:
        show.as_json(as_round_2(drawn))
    else:
        show.wrote(out, plural(len(drawn), "question"), as_json=False)


@typer_app.command()
def lab(
    questions: Annotated[Path, typer.Argument(help="A question file, or the truth itself.")],
    truth: Annotated[Path, typer.Option(help="The known answers: JSON, or a filled-in .xlsx.")],
    out: Annotated[Path, typer.Option(help="A folder for the report; answers are kept there.")],
    variant: Annotated[
        list[str] | None,
        typer.Option(metavar="PROFILE,KEY=VALUE,…", help="What to compare; may be given often."),
    ] = None,
    all_profiles: Annotated[bool, typer.Option("--all-profiles", help="Every profile that can run here.")] = False,
    sample: Annotated[int | None, typer.Option(min=1, help="Only so many questions, drawn by --seed.")] = None,
    seed: Annotated[int, typer.Option(help="Of the sample.")] = 1,
    fresh: Annotated[bool, typer.Option("--fresh", help="Ask again what is kept.")] = False,
    profile: Profile = PROFILE,
    overrides: Overrides = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Put one set of questions through several variants of the settings: table, picture, differences."""
    from app.command_line import show_scores
    from app.lab.asking import parse_variant, variants_named
    from app.lab.page import troubles
    from app.lab.run import LabQuestions, run_lab  # late: pulls in LlamaIndex

    data_paths(data).refuse_inside(out)
    variants = variants_named(variant or (), all_profiles, profile)
    lab_questions = LabQuestions.read(questions, truth, sample, seed)
    with show_scores.Bars() as bars:
        found = run_lab(
            lab_questions,
            variants,
            overrides or (),
            out,
            data,
            fresh=fresh,
            on_answer=lambda asked, done, of: bars.show(asked.name, done, of),
        )
    if as_json:
        show.as_json(found)
    else:
        show_scores.compared(found)
        sys.stderr.write(f"the report is {out / 'lab.html'}\n")
    show.failures(troubles(found.variants))
    named = {parse_variant(text, profile).name for text in variant or ()}
    if any(result.failed or (result.lacks and result.name in named) for result in found.variants):
        raise typer.Exit(SOME_FAILED)
