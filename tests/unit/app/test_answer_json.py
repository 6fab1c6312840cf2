"""The forms of one answer: `ask --json`, a submission's item, a table's row."""

import csv
import datetime as dt
import io
import json

from app.files.answer_json import TABLE_COLUMNS, answer_json, as_table, submission_item, table_row
from app.files.sheets import FileQuestion
from storage.records.answers import Answer, Check, Citation, Unit, Usage
from storage.records.questions import Question
from storage.records.record import Box

CITED = Citation(
    report_sha1="abc",
    file="acme.pdf",
    page=45,
    page_width=612.0,
    page_height=792.0,
    quote="Revenue 3,114",
    boxes=(Box(left=1, top=2, right=3, bottom=4),),
)
REVENUE = Answer(
    question="Revenue?",
    kind="number",
    company="Acme",
    value=3_114_000.0,
    unit=Unit(currency="USD", scale=1000, printed="3,114", period_end=dt.date(2022, 12, 31)),
    citations=(CITED,),
    checks=(Check(name="quote", verdict="passed", detail="on page 45"),),
    analysis="It says so.",
    summary="3,114 thousand.",
    pages=(45, 46),
    usage=Usage(requests=1, prompt_tokens=10, completion_tokens=2, cost_usd=0.01),
    seconds=1.234,
    profile="offline",
    prompt_version="v1",
)


def written_table(*answers: Answer) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(as_table([table_row(answer) for answer in answers]))))


def file_question(kind_in_file: str | None = None, text: str = "Revenue?") -> FileQuestion:
    return FileQuestion(question=Question(text=text), kind_in_file=kind_in_file)


def test_the_object_of_ask_json_is_the_contract_to_the_letter() -> None:
    assert json.dumps(answer_json(REVENUE)) == json.dumps(
        {
            "question": "Revenue?",
            "kind": "number",
            "company": "Acme",
            "value": 3114000,
            "unit": {"currency": "USD", "scale": 1000, "printed": "3,114", "period_end": "2022-12-31"},
            "reason": None,
            "candidates": [],
            "citations": [
                {
                    "report_sha1": "abc",
                    "file": "acme.pdf",
                    "page": 45,
                    "page_width": 612.0,
                    "page_height": 792.0,
                    "quote": "Revenue 3,114",
                    "boxes": [{"left": 1.0, "top": 2.0, "right": 3.0, "bottom": 4.0}],
                    "text_source": "text_layer",
                }
            ],
            "checks": [{"name": "quote", "verdict": "passed", "detail": "on page 45"}],
            "analysis": "It says so.",
            "summary": "3,114 thousand.",
            "usage": {"requests": 1, "prompt_tokens": 10, "completion_tokens": 2, "cost_usd": 0.01},
            "seconds": 1.234,
            "profile": "offline",
            "prompt_version": "v1",
            "understood": None,
            "relation": "same",
            "nearest": None,
            "from_silence": False,
            "filing": "",
            "period": "",
            "remark": "",
        }
    )


def test_no_answer_is_n_a_with_a_reason_and_no_unit() -> None:
    unknown = Answer(question="q", kind="number", reason="company_unknown", candidates=("Acme", "Acne"))

    row = answer_json(unknown)

    assert [row[name] for name in ("value", "reason", "unit", "candidates")] == [
        "N/A",
        "company_unknown",
        None,
        ["Acme", "Acne"],
    ]


def test_a_comparison_tells_its_parts_in_the_same_form() -> None:
    both = Answer(question="Who?", kind="comparative", value="Acme", parts=(REVENUE,))

    assert answer_json(both)["parts"] == [answer_json(REVENUE)]


def test_yes_no_names_and_broken_figures_keep_their_types() -> None:
    values = [answer_json(Answer(question="q", kind="text", value=v))["value"] for v in (True, ("a", "b"), -0.5)]

    assert values == [True, ["a", "b"], -0.5]


def test_a_submission_counts_pages_from_0_and_names_each_once_in_order() -> None:
    again = CITED.model_copy(update={"quote": "elsewhere on the page"})
    first = CITED.model_copy(update={"page": 1})
    answer = REVENUE.model_copy(update={"citations": (CITED, first, again)})

    assert submission_item(file_question("number"), answer) == {
        "question_text": "Revenue?",
        "kind": "number",
        "value": 3114000,
        "references": [{"pdf_sha1": "abc", "page_index": 44}, {"pdf_sha1": "abc", "page_index": 0}],
    }


def test_a_submission_repeats_the_kind_in_the_files_word() -> None:
    comparison = Answer(question="Who?", kind="comparative", value="Acme")
    text = Answer(question="Why?", kind="text", value="Because.")

    kinds = [
        submission_item(file_question("name"), comparison)["kind"],
        submission_item(file_question("string"), text)["kind"],
        submission_item(file_question(), text)["kind"],
    ]

    assert kinds == ["name", "string", "text"]


def test_a_table_row_spreads_unit_pages_and_checks_over_its_cells() -> None:
    assert tuple(table_row(REVENUE)) == TABLE_COLUMNS
    assert list(table_row(REVENUE).values()) == [
        "Revenue?",
        "number",
        "Acme",
        3114000,
        "USD",
        1000,
        "3,114",
        "2022-12-31",
        "",
        "45",
        "Revenue 3,114",
        "quote passed",
        1,
        0.01,
        False,
        1.23,
        "offline",
        "",
        "USD",
        "3,114 thousand.",
        *("", "", "", "", ""),
    ]


def test_a_table_names_the_file_of_a_page_where_there_are_several_reports() -> None:
    other = CITED.model_copy(update={"report_sha1": "def", "file": "beta.pdf", "page": 7})

    assert (
        table_row(REVENUE.model_copy(update={"citations": (CITED, other)}))["pages"] == "acme.pdf 45; beta.pdf 7"
    )


def test_a_quote_from_a_report_is_no_formula_in_a_table() -> None:
    hostile = CITED.model_copy(update={"quote": '=HYPERLINK("http://evil")'})

    (row,) = written_table(REVENUE.model_copy(update={"citations": (hostile,)}))
    assert row["quotes"] == """'=HYPERLINK("http://evil")"""


def test_a_negative_figure_stays_as_printed_in_a_table() -> None:
    loss = Answer(question="q", kind="number", value=-5.5, unit=Unit(printed="-5.5"))

    (row,) = written_table(loss)
    assert [row[column] for column in ("value", "printed")] == ["-5.5", "-5.5"]


def test_an_answer_kept_from_before_says_so() -> None:
    cached = REVENUE.model_copy(update={"cached": True})

    assert answer_json(cached) == answer_json(REVENUE) | {"cached": True}
    assert "cached" not in answer_json(REVENUE)
