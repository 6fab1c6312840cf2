"""What falls due in a year to come, from a report's schedules."""

import datetime as dt
from decimal import Decimal

import pytest

from query_engines.calculation.part_questions import is_of_schedule, read_parts
from query_engines.calculation.parts import find_parts
from query_engines.question.parser import QuestionParser
from storage.records.facts import Breakdown, PrintedPart, PrintedValue, ReportFacts
from storage.records.metrics import Ontology
from storage.records.questions import Question
from storage.records.reports import Company, Report

REPORT = "0" * 40


def schedule(title: str, subject: str, first: int, figures: list[int], page: int = 7) -> Breakdown:
    parts = tuple(
        PrintedPart(name=str(year), values=(PrintedValue(value=Decimal(figure), printed=str(figure)),))
        for year, figure in enumerate(figures, start=first)
    )
    total = PrintedPart(
        name="Total", values=(PrintedValue(value=Decimal(sum(figures)), printed=str(sum(figures))),)
    )
    return Breakdown(
        subject=subject,
        title=title,
        total=total,
        parts=parts,
        scale=Decimal(1000),
        currency="USD",
        report_sha1=REPORT,
        page_number=page,
    )


FACTS = ReportFacts(
    report_sha1=REPORT,
    period_end=dt.date(2022, 12, 31),
    breakdowns=(
        schedule("Maturities of long-term debt are:", "Debt", 2023, [70, 80, 90]),
        schedule("Maturities of long-term debt are:", "Debt Issuance Costs", 2023, [1, 2, 3]),
        schedule("Estimated amortization of intangibles is:", "Total", 2023, [11, 12, 13], page=8),
        schedule(
            "Future payments under operating leases are:", "Total lease payments", 2023, [21, 22, 23], page=9
        ),
        schedule("Future payments under finance leases are:", "Total lease payments", 2023, [31, 32, 33], page=9),
        schedule("Purchase commitments were:", "Total", 2022, [41, 42, 43], page=10),
    ),
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("long-term debt which matures due in 2025", 90_000),
        ("debt wall: maturities due in 2024", 80_000),
        ("amortisation charge pencilled in on its intangibles due in 2025", 13_000),
        ("rent under operating leases falls due in 2024", 22_000),
        ("finance lease payments due in 2023", 31_000),
        ("debt issuance costs due in 2023", 1_000),
        ("lease payments due in 2024", None),  # of which leases?
        ("aircraft lease payments due in 2024", None),
        ("the Kansas loan due in 2024", None),
        ("pension benefits due in 2024", None),
        ("purchase commitments due in 2024", None),  # a schedule of the year before
        ("debt due in 2031", None),
    ],
)
def test_what_falls_due_in_a_year_comes_from_the_schedule_of_its_kind(text: str, value: int | None) -> None:
    asked = read_parts(text)
    found = find_parts(asked, FACTS, None, None) if asked else None
    fact = found.fact if found else None

    assert (fact.value if fact else None) == value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rent falls due in 2024", True),
        ("what amortization does it expect for 2024", True),
        ("debt wall: maturities in 2024", True),
        ("how much debt will it have in 2024", False),
        ("its revenue in 2024", False),
    ],
)
def test_debt_of_a_year_to_come_is_due_only_where_the_question_says_so(text: str, *, expected: bool) -> None:
    assert is_of_schedule(text) is expected


def test_what_is_due_in_a_year_to_come_is_never_the_whole() -> None:
    report = Report(sha1=REPORT, file="a.pdf", company="Acme", page_count=9, period_end=dt.date(2022, 12, 31))
    company = Company(name="Acme", reports=(report,))
    parser = QuestionParser.trained(Ontology.load(), lambda: (company,))
    parsed = parser.parse(Question(text="Dear Sirs, the long-term debt of Acme which matures in 2025, please."))

    asked = parser.about(parsed, company)

    assert asked.intent.asks_what_is_due
    assert asked.intent.sole_metric is None


@pytest.mark.parametrize(
    ("text", "operation"),
    [
        ("fastest growing product category", "rose_most"),
        ("What was the fastest-shrinking region?", "fell_most"),
        ("Which product category grew fastest?", "rose_most"),
        ("the largest segment by revenue", "largest"),
    ],
)
def test_the_part_that_moved_most_is_asked_for_in_a_noun_too(text: str, operation: str) -> None:
    asked = read_parts(text)

    assert asked is not None
    assert asked.operation == operation
