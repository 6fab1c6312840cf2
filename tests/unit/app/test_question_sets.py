"""Validation sets: drawn by a seed, filled in by hand, read back as truth."""

import datetime as dt
import io
import json
from pathlib import Path

import pytest
from openpyxl import load_workbook

from app.command_line import run
from app.evaluation.question_sets import DrawnQuestion, draw_questions, read_families
from app.evaluation.question_workbook import COLUMNS, read_filled, workbook
from app.evaluation.scoring import score
from app.evaluation.truth import read_truth
from app.files.questions import read_questions
from storage.errors import UsageError
from storage.records.metrics import Ontology
from storage.records.reports import Company, Report
from tests.support.samples import SAMPLES

ONTOLOGY = Ontology.load()


def company(name: str, currency: str | None = "USD") -> Company:
    end = dt.date(2024, 12, 31)
    report = Report(
        sha1=f"sha1-of-{name}",
        file=f"{name.lower()}.pdf",
        company=name,
        page_count=90,
        currency=currency,
        period_end=end,
    )
    return Company(name=name, reports=(report,))


LIBRARY = [company("Alpha"), company("Beta"), company("Gamma", "EUR"), company("Delta"), company("Omega", None)]
METRICS_OF = {"Beta": frozenset({"deposits"})}


def drawn(count: int, seed: int = 1, templates: Path | None = None) -> tuple[DrawnQuestion, ...]:
    return draw_questions(read_families(templates, ONTOLOGY), LIBRARY, METRICS_OF, ONTOLOGY, count, seed)


def test_a_seed_draws_the_same_questions_again_and_another_seed_others() -> None:
    backwards = draw_questions(
        read_families(None, ONTOLOGY), LIBRARY[::-1], METRICS_OF, ONTOLOGY, count=60, seed=1
    )

    assert drawn(60) == drawn(60) == backwards
    assert {q.text for q in drawn(60)} != {q.text for q in drawn(60, seed=2)}


def test_every_kind_and_family_comes_up_and_no_question_twice() -> None:
    questions = drawn(400)

    assert {q.family for q in questions} == {family.name for family in read_families(None, ONTOLOGY)}
    assert {q.kind for q in questions} == {"number", "boolean", "name", "names"}
    assert len({q.text for q in questions}) == 400
    assert not [q.text for q in questions if "{" in q.text or "  " in q.text or "None" in q.text]


def test_a_comparison_names_companies_that_report_in_one_currency() -> None:
    comparisons = [q for q in drawn(400) if q.family == "comparisons"]

    assert {frozenset(q.companies) for q in comparisons} <= {
        frozenset(names)
        for names in (("Alpha", "Beta"), ("Alpha", "Delta"), ("Beta", "Delta"), ("Alpha", "Beta", "Delta"))
    }
    assert all(f'"{name}"' in q.text for q in comparisons for name in q.companies)


def test_a_bank_s_question_goes_mostly_to_the_bank() -> None:
    companies = [q.companies for q in drawn(400) if q.family == "banks"]

    # The families' own share of strays is 15 %, spread over all five companies; a bank has six such metrics.
    assert companies.count(("Beta",)) >= 5


def test_the_currency_is_the_report_s_own_but_where_another_is_meant() -> None:
    questions = [q for q in drawn(400) if q.companies == ("Gamma",)]

    own = [q for q in questions if "EUR" in q.text]
    others = [q for q in questions if q.family == "another currency"]
    assert own
    assert others
    assert not [q.text for q in others if "EUR" in q.text]
    assert not [q for q in questions if "USD" in q.text and q.family != "another currency"]


def test_own_templates_are_taken_and_what_they_cannot_make_is_said(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(
        '[[family]]\nname = "debt"\nshare = 1\nkind = "number"\nmetrics = ["long_term_debt"]\n'
        'texts = ["How much {metric} had {company}, in {currency}?"]\n'
    )

    assert {q.text for q in drawn(4, templates=file)} == {
        "How much long-term debt had Alpha, in USD?",
        "How much long-term debt had Beta, in USD?",
        "How much long-term debt had Delta, in USD?",
        "How much long-term debt had Gamma, in EUR?",
    }
    with pytest.raises(UsageError, match="make about 4 questions, not 5"):
        drawn(5, templates=file)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("nonsense", "is not TOML"),
        ("", "holds no families"),
        ('[[family]]\nname = "a"\nshare = 1\nkind = "poem"\ntexts = ["b"]', "0 → kind"),
        (
            '[[family]]\nname = "a"\nshare = 1\nkind = "name"\ntexts = ["b"]\nmetrics = ["luck"]',
            "'luck' is no metric",
        ),
        ('[[family]]\nname = "a"\nshare = 1\nkind = "name"\ntexts = ["{who}"]', "has another blank"),
        ('[[family]]\nname = "a"\nshare = 1\nkind = "name"\ntexts = ["{event}?"]', "nothing fills {event}"),
    ],
)
def test_templates_that_cannot_be_used_say_why(tmp_path: Path, content: str, expected: str) -> None:
    file = tmp_path / "own.toml"
    file.write_text(content)

    with pytest.raises(UsageError) as raised:
        read_families(file, ONTOLOGY)
    assert expected in str(raised.value)


def question(text: str, kind: str, *companies: Company) -> DrawnQuestion:
    return DrawnQuestion(
        text=text,
        kind=kind,
        family="f",
        companies=tuple(c.name for c in companies),
        reports=tuple(c.reports[0] for c in companies),
    )


ALPHA, BETA = LIBRARY[0], LIBRARY[1]
SET = [
    question("How much?", "number", ALPHA),
    question("Was there?", "boolean", ALPHA),
    question("Who?", "name", BETA),
    question("Which posts?", "names", BETA),
    question("Which is larger?", "name", ALPHA, BETA),
    question("=HYPERLINK(1)", "number", ALPHA),
]


def filled(folder: Path, *cells: tuple[object, object]) -> Path:
    """The set's workbook with value and pages filled in from the top."""
    book = load_workbook(io.BytesIO(workbook(SET, lambda sha1: folder / f"{sha1}.pdf")))
    sheet, names = book.worksheets[0], list(COLUMNS)
    for row, (value, pages) in enumerate(cells, 2):
        sheet.cell(row, names.index("value") + 1).value = value
        sheet.cell(row, names.index("pages") + 1).value = pages
    path = folder / "set.xlsx"
    book.save(path)
    return path


def test_a_filled_in_workbook_is_a_truth(tmp_path: Path) -> None:
    path = filled(
        tmp_path,
        ("3,114,000 | 3114", "12, 14"),
        ("no", None),
        ("n/a", 7),
        ("CEO; CFO", 3.0),
        ("Alpha", "alpha.pdf 12; beta.pdf 3, 4"),
    )

    truths = {t.question: t for t in read_truth(path).truths}

    a, b = "sha1-of-Alpha", "sha1-of-Beta"
    assert {q: (t.kind, t.answers, t.pools) for q, t in truths.items()} == {
        "How much?": ("number", (3114000, 3114), (frozenset({(a, 12), (a, 14)}),)),
        "Was there?": ("boolean", (False,), ()),
        "Who?": ("name", ("N/A",), ()),
        "Which posts?": ("names", (("CEO", "CFO"),), (frozenset({(b, 3)}),)),
        "Which is larger?": ("name", ("Alpha",), (frozenset({(a, 12)}), frozenset({(b, 3), (b, 4)}))),
    }


def test_a_value_without_its_pages_leaves_references_out_of_the_score(tmp_path: Path) -> None:
    known = read_truth(filled(tmp_path, (5, "12"), (None, None), ("Ann", None))).truths

    report = score(known, [])

    assert (report.n, report.R) == (2, None)
    assert "names no pages for 1 questions" in report.notes[0]


@pytest.mark.parametrize(
    ("value", "pages", "expected"),
    [
        ("much", "1", "row 2: the value 'much' is no number"),
        (5, 12.14, "row 2: the pages 12.14 were taken for a decimal number"),
        (5, "twelve", "row 2: the pages 'twelve' cannot be understood"),
        (5, "other.pdf 3", "row 2: there is no report 'other.pdf'"),
        (None, None, "no row has a value"),
    ],
)
def test_a_cell_that_cannot_be_understood_is_named(
    tmp_path: Path, value: object, pages: object, expected: str
) -> None:
    with pytest.raises(UsageError) as raised:
        read_filled(filled(tmp_path, (value, pages)))
    assert expected in str(raised.value)


def test_a_comparison_s_page_says_of_which_report(tmp_path: Path) -> None:
    nothing = (None, None)
    with pytest.raises(UsageError, match=r"row 6: '12' does not say of which report"):
        read_filled(filled(tmp_path, nothing, nothing, nothing, nothing, ("Alpha", "12")))


def test_something_else_is_no_workbook(tmp_path: Path) -> None:
    (tmp_path / "set.xlsx").write_text("text")
    with pytest.raises(UsageError, match="cannot be read as a workbook"):
        read_filled(tmp_path / "set.xlsx")


def test_nothing_in_a_workbook_is_run(tmp_path: Path) -> None:
    book = load_workbook(filled(tmp_path))

    cell = book.worksheets[0].cell(len(SET) + 1, 1)
    assert (cell.value, cell.data_type) == ("=HYPERLINK(1)", "s")


@pytest.mark.parametrize("ending", [".json", ".csv"])
def test_a_drawn_set_is_a_file_of_questions(sample_data: Path, tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"set{ending}"
    arguments = ["questions", "--count", "25", "--seed", "7", "--out", str(out), "--data", str(sample_data)]
    assert run(arguments) == 0
    first = out.read_bytes()
    assert run([*arguments, "--force"]) == 0

    questions = read_questions(out)
    assert out.read_bytes() == first
    assert (len(questions), {q.question.company for q in questions}) == (25, {None})
    assert {q.question.kind for q in questions} <= {"number", "boolean", "name", "names"}


def test_a_set_is_drawn_filled_in_answered_and_scored(
    sample_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    templates, book, answers = tmp_path / "own.toml", tmp_path / "set.xlsx", tmp_path / "a.jsonl"
    templates.write_text(
        '[[family]]\nname = "revenue"\nshare = 1\nkind = "number"\nmetrics = ["total_revenue"]\n'
        'texts = ["What was the {metric} of {company} (in {currency})?"]\n'
    )
    where = ["--data", str(sample_data)]
    drawing = ["questions", "--count", "3", "--templates", str(templates), *where]
    assert run([*drawing, "--out", str(book)]) == 0
    assert run([*drawing, "--out", str(tmp_path / "set.json")]) == 0
    assert run(["answer", str(tmp_path / "set.json"), "--out", str(answers), *where]) == 0
    facts = json.loads((SAMPLES / "facts.json").read_text(encoding="utf-8"))
    revenue = {r["company"]: next(f for f in r["facts"] if f["metric"] == "Total revenue") for r in facts}

    opened = load_workbook(book)
    sheet, names = opened.worksheets[0], list(COLUMNS)
    for row in range(2, 5):
        fact = revenue[sheet.cell(row, names.index("company") + 1).value]
        sheet.cell(row, names.index("value") + 1).value = fact["value"]
        pages = ", ".join(str(index + 1) for index in fact["pages"])
        sheet.cell(row, names.index("pages") + 1).value = pages
    opened.save(book)

    capsys.readouterr()
    assert run(["evaluate", str(answers), "--truth", str(book), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["n"], printed["G"], printed["R"], printed["score"]) == (3, 100, 100, 150)
