"""Measures retrieval with a truth file."""

from collections.abc import Sequence
from pathlib import Path

from app import open_pageproof
from app.assembly.client import Pageproof
from app.evaluation.retrieval import (
    RetrievalMiss,
    RetrievalQuestion,
    RetrievalReport,
    retrieval_misses,
    retrieval_questions,
    score_retrieval,
)
from app.evaluation.truth import read_truth
from storage.errors import MissingIndex
from storage.records.questions import Question
from storage.records.reports import Company


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
