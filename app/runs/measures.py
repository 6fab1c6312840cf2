"""The jobs of the commands that measure: validation sets, retrieval, and the self-test of a library."""

import csv
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path

from app.assembly import build_fact_table
from app.assembly.client import Pageproof
from app.evaluation.question_sets import DrawnQuestion, draw_questions, read_families
from app.evaluation.question_workbook import workbook
from app.evaluation.retrieval import (
    RetrievalMiss,
    RetrievalQuestion,
    RetrievalReport,
    retrieval_misses,
    retrieval_questions,
    score_retrieval,
)
from app.evaluation.self_test import Asked, ReportRows, SelfTest, draw_row_questions, judged, summed_up
from app.evaluation.truth import read_truth
from app.files.workbooks import inert
from app.settings import data_paths, load_settings, nothing_ingested
from pageproof import open_pageproof
from storage.errors import MissingIndex, UsageError
from storage.files import write_atomically
from storage.records.metrics import Ontology
from storage.records.questions import Question
from storage.records.reports import Company
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
    settings, paths = load_settings(profile, overrides, data=data), data_paths(data)
    companies = Library(paths.catalog).companies()
    if not companies:
        raise nothing_ingested(paths.root)
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
    return buffer.getvalue().encode("utf-8-sig")  # the mark shows spreadsheets that it is UTF-8


def run_retrieval(
    truth: Path, profile: str, overrides: Sequence[str], data: Path | None
) -> tuple[RetrievalReport, tuple[RetrievalMiss, ...]]:
    """Find pages for every question that has right pages, in the company whose report has them.

    Returns:
        The figures, and the questions for which no right page came first.

    Raises:
        MissingIndex: none of the truth's reports is in the library.
    """
    with open_pageproof(profile, overrides=overrides, data=data) as client:
        companies = {report.sha1: company for company in client.companies() for report in company.reports}
        questions = [q for q in retrieval_questions(read_truth(truth)) if _company(q, companies)]
        if not questions:
            raise MissingIndex(f"none of the reports that {truth} is about is in the library; ingest them first")
        ranked = [_pages(client, question, companies) for question in questions]
    return score_retrieval(ranked, questions), retrieval_misses(ranked, questions)


def _company(question: RetrievalQuestion, companies: dict[str, Company]) -> Company | None:
    return next((companies[sha1] for sha1, _ in question.pages if sha1 in companies), None)


def _pages(client: Pageproof, question: RetrievalQuestion, companies: dict[str, Company]) -> list[tuple[str, int]]:
    company = _company(question, companies)
    return client.retrieve(Question(text=question.text), company) if company else []


def run_self_test(
    sample: int,
    seed: int,
    profile: str,
    overrides: Sequence[str],
    data: Path | None,
    on_answer: Callable[[int, int], None],
) -> SelfTest:
    """Ask what the rows of a library's reports say and what they do not say, and count the wrong answers.

    Args:
        sample: how many questions are drawn.
        seed: the same seed and library give the same questions.
        profile: of the settings that answer.
        overrides: settings as section.key=value.
        data: the library's folder.
        on_answer: receives the number of questions that were answered, and of all.

    Raises:
        MissingIndex: the library is empty.
        UsageError: its reports print no rows that can be asked for.
    """
    with open_pageproof(profile, overrides=[*overrides, "answers.cache=false"], data=data) as client:
        asked = draw_row_questions(_rows(client), sample, seed)
        if not asked:
            raise UsageError("the reports of this library print no table rows that can be asked for")
        answers: list[Asked] = []
        for question in asked:
            answers.append(judged(question, client.ask(question.question)))
            on_answer(len(answers), len(asked))
    return summed_up(answers)


def _rows(client: Pageproof) -> list[ReportRows]:
    """The rows of each company's newest report, which answers where a question names no year of another."""
    companies = client.companies()
    if not companies:
        raise nothing_ingested(client.paths.root)
    table, ontology = build_fact_table(client.settings, client.paths), Ontology.load()
    newest = [(company, company.reports[0]) for company in companies if company.reports]
    return [
        ReportRows(r, client.pages.read(r.sha1, range(1, r.page_count + 1)), table.of(company, r), ontology)
        for company, r in newest
    ]
