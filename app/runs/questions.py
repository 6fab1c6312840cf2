"""Draws a validation set for the command line."""

import csv
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path

from app.assembly import build_fact_table
from app.evaluation.question_sets import DrawnQuestion, draw_questions, read_families
from app.evaluation.question_workbook import workbook
from app.files.workbooks import inert
from app.settings import data_paths, load_settings
from storage.errors import MissingIndex, UsageError
from storage.files import write_atomically
from storage.records.metrics import Ontology
from storage.stores.library import Library


def run_questions(
    count: int,
    seed: int,
    out: Path | None,
    templates: Path | None,
    profile: str,
    overrides: Sequence[str],
    data: Path | None,
) -> tuple[DrawnQuestion, ...]:
    """Draw a set of questions from the library, also written to `out` if given.

    Raises:
        UsageError: the file's suffix or the templates are invalid, or they do not give enough questions.
        MissingIndex: the library is empty.
    """
    if out is not None and out.suffix.lower() not in (".json", ".csv", ".xlsx"):
        raise UsageError(f"--out {str(out)!r} has no known ending; expected .json, .csv or .xlsx")
    settings, paths = load_settings(profile, overrides), data_paths(data)
    companies = Library(paths.catalog).companies()
    if not companies:
        raise MissingIndex("nothing is ingested yet; run `pageproof ingest PATH`, or `pageproof demo`")
    ontology = Ontology.load()
    table = build_fact_table(settings, paths)
    metrics_of = {}
    for company in companies:
        facts = table.of(company, company.reports[0]) if company.reports else None
        metrics_of[company.name] = frozenset(fact.metric for fact in facts.facts) if facts else frozenset()
    drawn = draw_questions(read_families(templates, ontology), companies, metrics_of, ontology, count, seed)
    if out is not None:
        write_atomically(out.absolute(), _written(drawn, out.suffix.lower(), paths.report_pdf))
    return drawn


def as_round_2(questions: Sequence[DrawnQuestion]) -> list[dict[str, str]]:
    """The challenge's form of round 2."""
    return [{"text": question.text, "kind": question.kind} for question in questions]


def _written(questions: Sequence[DrawnQuestion], ending: str, pdf_of: Callable[[str], Path]) -> bytes:
    if ending == ".xlsx":
        return workbook(questions, pdf_of)
    return _json(questions) if ending == ".json" else _csv(questions)


def _json(questions: Sequence[DrawnQuestion]) -> bytes:
    return (json.dumps(as_round_2(questions), ensure_ascii=False, indent=1) + "\n").encode()


def _csv(questions: Sequence[DrawnQuestion]) -> bytes:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(["question", "kind", "family"])
    writer.writerows([inert(question.text), question.kind, question.family] for question in questions)
    return buffer.getvalue().encode()
