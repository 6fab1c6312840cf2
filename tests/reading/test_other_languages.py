"""Reports in other languages, from the PDF to the answer, without any model."""

from collections.abc import Iterator
from decimal import Decimal

import pytest

from app import open_pageproof
from app.assembly.client import Pageproof
from indexes.ingestion.requests import IngestRequest
from tests.support.write_other_languages import (
    REPORTS,
    SmallReport,
    catalog_of,
    write_report,
)

QUESTIONS = [(report, *question) for report in REPORTS for question in report.questions]
COUNTED = [(report, *question) for report in REPORTS for question in report.counted]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pageproof]:
    folder = tmp_path_factory.mktemp("reports")
    for report in REPORTS:
        write_report(report, folder)
    with open_pageproof("offline", data=tmp_path_factory.mktemp("library")) as opened:
        results = list(
            opened.library.ingest(
                IngestRequest(paths=[folder], catalog=catalog_of(REPORTS, folder / "catalog.csv"))
            )
        )
        assert [o.status for o in results] == ["indexed"] * len(REPORTS), results
        yield opened


@pytest.mark.parametrize(
    ("report", "wording", "value", "words", "printed"),
    QUESTIONS,
    ids=[f"{q[0].file[:-4]}: {q[1]}" for q in QUESTIONS],
)
def test_an_english_question_is_answered_with_the_document_s_own_words(
    client: Pageproof, report: SmallReport, wording: str, value: Decimal, words: str, printed: str
) -> None:
    answer = client.query(f"What was the {wording} of {report.company}?", kind="number").response
    assert answer.value == pytest.approx(float(value))
    assert not [check for check in answer.checks if check.verdict == "failed"], answer.checks
    quote = answer.citations[0].quote
    assert words in quote
    assert printed in quote
    assert answer.unit is not None
    assert answer.unit.currency == report.currency


@pytest.mark.parametrize(
    ("report", "wording", "value", "words", "printed"), COUNTED, ids=[f"{q[0].file[:-4]}: {q[1]}" for q in COUNTED]
)
def test_people_are_counted_from_the_document_s_own_words(
    client: Pageproof, report: SmallReport, wording: str, value: int, words: str, printed: str
) -> None:
    answer = client.query(f"What was the {wording} of {report.company}?", kind="number").response
    assert answer.value == value
    assert not [check for check in answer.checks if check.verdict == "failed"], answer.checks
    assert words in answer.citations[0].quote
    assert printed in answer.citations[0].quote


@pytest.mark.parametrize("report", REPORTS, ids=lambda r: r.file)
def test_currency_and_period_are_read_from_the_report(client: Pageproof, report: SmallReport) -> None:
    found = next(r for company in client.companies() for r in company.reports if r.company == report.company)
    assert found.currency == report.currency
    assert str(found.period_end) == report.period_end
