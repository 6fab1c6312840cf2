import datetime as dt
import json
from typing import Any

import pytest

from app.chat.cards import answer_card, escape_directives, literal
from storage.answers import Answer, Check, Citation, Reason, Unit, Usage, Value
from storage.geometry import Box
from storage.questions import AnswerKind

SHA1 = "a" * 40


def answer(**fields: Any) -> Answer:
    return Answer(**{"question": "What was the revenue of Northwind?", "kind": "number", **fields})


def citation(page: int = 42, sha1: str = SHA1, boxes: tuple[Box, ...] = ()) -> Citation:
    return Citation(
        report_sha1=sha1,
        file=f"{sha1[0]}.pdf",
        page=page,
        page_width=612,
        page_height=792,
        quote="Total revenue",
        boxes=boxes,
    )


@pytest.mark.parametrize(
    ("kind", "value", "unit", "shown"),
    [
        ("number", 1_249_642_000.0, Unit(currency="USD"), ["1,249,642,000 USD"]),
        ("number", -45.5, Unit(currency="EUR"), ["-45.5 EUR"]),
        ("number", 1.16, None, ["1.16"]),
        ("number", 3e15, None, ["3,000,000,000,000,000"]),
        ("number", 0.0, None, ["0"]),
        ("boolean", True, None, ["Yes"]),
        ("boolean", False, None, ["No"]),
        ("name", "Ann Lee", None, ["Ann Lee"]),
        ("names", ("Ann Lee", "Bo Ek"), None, ["Ann Lee", "Bo Ek"]),
    ],
)
def test_a_value_is_shown_in_full_with_its_currency(
    kind: AnswerKind, value: Value, unit: Unit | None, shown: list[str]
) -> None:
    assert answer_card(answer(kind=kind, value=value, unit=unit))["values"] == shown


@pytest.mark.parametrize(
    ("unit", "shown"),
    [
        (Unit(printed="1,249,642", scale=1_000), "as printed: 1,249,642 in thousands"),
        (Unit(printed="1,249.642", scale=1_000_000), "as printed: 1,249.642 in millions"),
        (Unit(printed="12,496.42", scale=100_000), "as printed: 12,496.42 times 100,000"),
        (Unit(printed="1,249,642,000"), ""),
        (Unit(printed="$1,249,642,000"), "as printed: $1,249,642,000"),
        (Unit(), ""),
    ],
)
def test_the_printed_figure_is_shown_where_it_differs(unit: Unit, shown: str) -> None:
    assert answer_card(answer(value=1_249_642_000.0, unit=unit))["printed"] == shown


def test_the_period_is_written_out() -> None:
    card = answer_card(answer(value=1.0, unit=Unit(period_end=dt.date(2022, 12, 31))))
    assert card["period"] == "period ended 31 December 2022"


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("not_disclosed", "does not disclose"),
        ("not_found", "not found"),
        ("other_currency", "another currency"),
        ("other_period", "another period"),
        ("company_unknown", "names no company"),
        ("company_ambiguous", "Several companies"),
        ("unverified", "could not be verified"),
        ("model_failed", "no usable answer"),
    ],
)
def test_not_available_says_why(reason: Reason, said: str) -> None:
    card = answer_card(answer(reason=reason, candidates=("Northwind Traders Inc.",)))
    assert card["values"] == ["N/A"]
    assert said in str(card["reason"])
    assert card["candidates"] == ["Northwind Traders Inc."]


def test_a_citation_links_to_the_marked_page_and_to_the_report_at_that_page() -> None:
    boxes = (Box(left=72, top=160.04, right=300, bottom=174), Box(left=1, top=2, right=3, bottom=4))
    (chip,) = _list(answer_card(answer(value=1.0, citations=(citation(boxes=boxes),)))["citations"])
    assert chip["label"] == "p. 42"
    assert chip["image"] == f"/report/{SHA1}/42.png?boxes=72.0,160.0,300.0,174.0;1.0,2.0,3.0,4.0"
    assert chip["pdf"] == f"/report/{SHA1}.pdf#page=42"


def test_citations_of_several_reports_name_their_files() -> None:
    card = answer_card(answer(value=1.0, citations=(citation(), citation(7, "b" * 40))))
    assert [chip["label"] for chip in _list(card["citations"])] == ["a.pdf p. 42", "b.pdf p. 7"]


def test_checks_keep_their_verdicts() -> None:
    checks = (Check(name="quote", verdict="failed", detail="not on page 42"), Check(name="page", verdict="passed"))
    assert answer_card(answer(value=1.0, checks=checks))["checks"] == [
        {"label": "Quote", "verdict": "failed", "detail": "not on page 42"},
        {"label": "Page", "verdict": "passed", "detail": ""},
    ]


@pytest.mark.parametrize(
    ("usage", "said"),
    [
        (Usage(), "No language model was used"),
        (Usage(requests=1, prompt_tokens=900, completion_tokens=100), "1 model request, 1,000 tokens, $0.0000"),
        (Usage(requests=3, prompt_tokens=9, cost_usd=None), "3 model requests, 9 tokens, cost unknown"),
    ],
)
def test_the_use_of_a_model_is_said(usage: Usage, said: str) -> None:
    assert answer_card(answer(usage=usage))["model_use"] == said


def test_a_comparison_has_a_card_for_each_company() -> None:
    parts = (answer(company="A", value=2.0, citations=(citation(),)), answer(company="B", reason="not_found"))
    card = answer_card(answer(kind="comparative", value="A", parts=parts))
    assert [(part["company"], part["values"]) for part in _list(card["parts"])] == [("A", ["2"]), ("B", ["N/A"])]
    assert "B: N/A" in str(card["copied"])


def test_the_card_is_json() -> None:
    card = answer_card(answer(value=1.0, citations=(citation(),), unit=Unit(period_end=dt.date(2022, 1, 1))))
    assert json.loads(json.dumps(card)) == card


@pytest.mark.parametrize(
    ("markdown", "escaped"),
    [
        ("EBITDA:Margin", r"EBITDA\:Margin"),
        ("ratio 3:1, 10:30", "ratio 3:1, 10:30"),
        ("see https://x.example/a", "see https://x.example/a"),
        ("`a:b` and c:d", r"`a:b` and c\:d"),
        ("::: note", r"\:\:: note"),
        ("| a |\n|:---|", "| a |\n|:---|"),
    ],
)
def test_words_after_a_colon_are_not_eaten(markdown: str, escaped: str) -> None:
    assert escape_directives(markdown) == escaped


def test_a_citation_from_a_picture_of_the_page_says_so() -> None:
    read = citation().model_copy(update={"text_source": "ocr"})
    chips = _list(answer_card(answer(citations=(citation(), read)))["citations"])
    assert [chip["note"] for chip in chips] == ["", "read by OCR"]


def test_a_models_text_cannot_link_or_load_anything() -> None:
    text = literal("![x](http://evil.example/a.png) <b> # no\n    1. yes")
    assert text == r"\!\[x\]\(http\:\/\/evil\.example\/a\.png\) \<b\> \# no" + "\n" + r"1\. yes"


def _list(value: Any) -> list[dict[str, Any]]:
    assert isinstance(value, list)
    return value
