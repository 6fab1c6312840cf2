"""Answers as one page that anybody can open."""

import io
import re
from collections.abc import Sequence
from pathlib import Path

from PIL import Image

from app.files.answer_pages import as_cards, as_page, page_row, page_rows
from app.files.sheets import FileQuestion
from storage.errors import DocumentError
from storage.records.answers import Answer, Check, Citation, Nearest, SeriesFigure, Unit
from storage.records.questions import Question
from storage.records.record import Box

CITED = Citation(
    report_sha1="a" * 40,
    file="acme.pdf",
    page=8,
    page_width=595,
    page_height=842,
    quote="Revenue <b>3,114</b>",
    boxes=(Box(left=1, top=2, right=3, bottom=4),),
)
FOUND = Answer(
    question="Revenue of A & B?",
    kind="number",
    company="Acme",
    value=3_114_000.0,
    citations=(CITED,),
    checks=(Check(name="figure", verdict="passed"), Check(name="currency", verdict="not_applicable")),
)
MISSING = Answer(
    question="</script><script>alert(1)</script>",
    kind="number",
    reason="other_period",
    nearest=Nearest(value=12.5, relation="other_period", page=9, quote="Revenue 12.5", detail="of 2023"),
)
QUESTIONS = [FileQuestion(question=Question(text=answer.question)) for answer in (FOUND, MISSING)]


def page(*answers: Answer, picture_of: object = None) -> str:
    rows = [(question, page_row(one, None)) for question, one in zip(QUESTIONS, answers, strict=False)]
    return as_page(rows, "Answers to q", picture_of).decode()  # type: ignore[arg-type]  # a function of the test's own


def test_an_answer_shows_its_value_checks_and_the_marked_page_in_the_same_file() -> None:
    drawn: list[tuple[str, int, Sequence[Box]]] = []

    def picture_of(sha1: str, number: int, boxes: Sequence[Box]) -> bytes:
        drawn.append((sha1, number, boxes))
        content = io.BytesIO()
        Image.new("RGB", (2000, 3000), "white").save(content, "PNG")
        return content.getvalue()

    written = page(FOUND, picture_of=picture_of)

    assert drawn == [("a" * 40, 8, [CITED.boxes[0]])]
    assert "3,114,000" in written
    assert "✓ figure" in written
    assert "currency" not in written.split("<script")[0].split("checks")[-1]
    assert 'src="data:image/jpeg;base64,' in written
    assert re.findall(r'(?:src|href)="(?!data:)', written) == []


def test_what_reports_and_questions_say_is_text_and_never_a_part_of_the_page() -> None:
    written = page(FOUND, MISSING)
    shown = written.split('<script type="application/json"')[0]
    assert "<b>" not in shown
    assert "<script>" not in shown
    assert written.count("</script>") == 1
    assert "Nearest figure: 12.5, page 9" in shown


def test_a_page_that_cannot_be_drawn_leaves_its_quote() -> None:
    def broken(_sha1: str, _number: int, _boxes: Sequence[Box]) -> bytes:
        raise DocumentError("the PDF is gone")

    written = page(FOUND, picture_of=broken)
    assert "the PDF is gone" in written
    assert "acme.pdf, page 8" in written


def test_the_answers_of_a_page_are_found_again(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text(page(FOUND, MISSING), encoding="utf-8")
    assert [row["question"] for row in page_rows(path)] == [FOUND.question, MISSING.question]
    assert page_rows(path)[0]["value"] == 3_114_000


def test_a_shared_table_names_the_metric_and_the_year_of_every_figure_and_its_sign() -> None:
    parts = (
        Answer(question="?", kind="number", company="Acme", value=12.5, unit=Unit(measure="percent")),
        Answer(question="?", kind="number", company="Acme", reason="other_period"),
    )
    series = (
        SeriesFigure(company="Acme", metric="Net margin", column="2022", value=12.5),
        SeriesFigure(company="Acme", metric="Net margin", column="2021", value="N/A", reason="other_period"),
    )
    row = page_row(Answer(question="?", kind="text", value="…", parts=parts, series=series), None)
    page = as_cards([row], lambda *_: "")
    assert '<td>Acme</td><td>Net margin</td><td>2022</td><td class="n">12.5%</td>' in page
    assert '<td>Acme</td><td>Net margin</td><td>2021</td><td class="n">N/A</td><td>other period</td>' in page
