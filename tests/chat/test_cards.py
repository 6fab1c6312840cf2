import datetime as dt
import json
from typing import Any

import pytest

from app.chat.cards import answer as answer_cards
from app.chat.cards.answer import escape_directives, literal
from app.chat.cards.links import LinkedReports
from app.chat.cards.lists import facts_card
from app.chat.cards.next_questions import next_questions
from app.chat.sources.listing import source_details
from app.files.answer_json import answer_json
from app.library.fact_sheet import FactRow, FactSheet
from query_engines.events import PageRead
from storage.records.answers import Answer, Check, Citation, Nearest, Reason, Understood, Unit, Usage, Value
from storage.records.questions import AnswerKind
from storage.records.record import Box
from storage.records.reports import Company, Report

SHA1 = "a" * 40


def answer(**fields: Any) -> Answer:
    return Answer(**{"question": "What was the revenue of Northwind?", "kind": "number", **fields})


def report_of(sha1: str) -> Report | None:
    known = {SHA1: ("Northwind Traders Inc.", 120), "b" * 40: ("Contoso Mining plc", 88)}
    if sha1 not in known:
        return None
    company, pages = known[sha1]
    return Report(sha1=sha1, file=f"{sha1[0]}.pdf", company=company, page_count=pages, fiscal_year=2022)


def answer_card(shown: Answer, read: tuple[PageRead, ...] = (), **about: Any) -> dict[str, Any]:
    reports = LinkedReports(report_of, lambda _, page: "37" if page == 43 else "")
    return answer_cards.answer_card(shown, read, reports, **about)


def test_a_fact_says_the_number_that_its_page_prints_and_has_its_decimals() -> None:
    row = FactRow(
        company="Northwind", report_sha1=SHA1, file="a.pdf", page=43, link="", confidence="high", metric="eps_basic",
        title="EPS", value=-0.3, unit="USD per share", period_end=None, period="", printed="(0.30)", scale=1,
        row_label="Loss per share", is_current=True, checks={}, column="2022",
    )  # fmt: skip
    reports = LinkedReports(report_of, lambda _, page: "37" if page == 43 else "")
    card: Any = facts_card("Northwind", FactSheet(facts=(row,)), reports)
    cell = card["lines"][0]["cells"][0]
    assert (cell["value"], cell["page"], cell["page_printed"]) == ("-0.30", 43, "37")
    details = source_details(
        Company(name="Northwind"),
        Report(sha1=SHA1, file="a.pdf", company="Northwind", page_count=50),
        None,
        FactSheet(facts=(row,)),
        reports,
    )
    (place,) = details.figures[0].figures
    assert place is not None
    assert (place.text, place.page_printed) == ("-0.30", "37")


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
        ("number", 38.6, Unit(printed="38.6%", measure="percent"), ["38.6%"]),
        ("number", 38.6, Unit(printed="38.6"), ["38.6"]),
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


def test_what_was_understood_names_its_metrics_and_periods() -> None:
    understood = Understood(metrics=("Revenue",), periods=("2021", "2022"))
    assert answer_card(answer(value=1.0, understood=understood))["meant"] == "Revenue · 2021, 2022"


def test_what_was_understood_names_the_row_that_was_read_and_not_what_was_guessed() -> None:
    understood = Understood(metrics=("supply chain",), figure="Raw materials", periods=("2022",))
    assert answer_card(answer(value=1.0, understood=understood))["meant"] == "Raw materials · 2022"


def test_a_quote_that_the_text_says_is_copied_as_its_page_alone() -> None:
    prose = answer(kind="text", value="Total revenue rose.", citations=(citation(), citation()))
    assert answer_card(prose)["copied"].splitlines()[2:] == ["Northwind Traders Inc. 2022, p. 42"]


def test_the_number_that_a_page_prints_stands_beside_its_own_but_on_the_chip() -> None:
    card = answer_card(answer(value=1.0, citations=(citation(43),)))
    (chip,) = _list(card["citations"])
    assert (chip["label"], chip["printed"]) == ("p. 43", "37")
    assert card["copied"].splitlines()[2] == "Northwind Traders Inc. 2022, p. 43 (printed 37): “Total revenue”"
    assert "Northwind Traders Inc. 2022, page 43 (printed 37)" in card["markdown"]


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
    ("reason", "expected"),
    [
        ("not_disclosed", "does not disclose"),
        ("not_found", "No answer was found"),
        ("other_currency", "another currency"),
        ("other_period", "another period"),
        ("company_unknown", "names no company"),
        ("company_ambiguous", "Several companies"),
        ("unverified", "could not be verified"),
        ("model_failed", "no usable answer"),
    ],
)
def test_not_available_says_why(reason: Reason, expected: str) -> None:
    card = answer_card(answer(reason=reason))
    assert card["values"] == ["N/A"]
    assert expected in card["reason"]


def test_a_question_without_a_known_company_can_be_asked_again_with_each_that_is_near() -> None:
    card = answer_card(answer(reason="company_unknown", candidates=("Northwind Traders Inc.",)))
    assert card["unresolved"]
    assert card["offers"] == [
        {
            "label": "Northwind Traders Inc.",
            "question": "What was the revenue of Northwind? (Northwind Traders Inc.)",
        }
    ]


def test_a_citation_names_the_page_and_what_to_mark_on_it() -> None:
    boxes = (Box(left=72, top=160.04, right=300, bottom=174), Box(left=1, top=2, right=3, bottom=4))
    (chip,) = _list(answer_card(answer(value=1.0, citations=(citation(boxes=boxes),)))["citations"])
    assert chip["label"] == "p. 42"
    assert (chip["sha1"], chip["page"]) == (SHA1, 42)
    assert chip["boxes"] == [[72.0, 160.0, 300.0, 174.0], [1.0, 2.0, 3.0, 4.0]]


@pytest.mark.parametrize(
    ("other", "labels"),
    [
        ("b" * 40, ["Northwind Traders Inc. p. 42", "Contoso Mining plc p. 7"]),
        ("c" * 40, ["a.pdf p. 42", "c.pdf p. 7"]),  # one has left the library since
    ],
)
def test_citations_of_several_reports_say_which(other: str, labels: list[str]) -> None:
    card = answer_card(answer(value=1.0, citations=(citation(), citation(7, other))))
    assert [chip["label"] for chip in _list(card["citations"])] == labels


def test_all_pages_that_were_read_are_listed_where_there_is_no_answer() -> None:
    read = tuple(PageRead(report_sha1=SHA1, page=page) for page in (7, 42, 3))
    links = _list(answer_card(answer(reason="not_found", citations=(citation(42),)), read)["read"])
    assert [link["page"] for link in links] == [7, 42, 3]


def test_pages_that_were_read_and_are_not_cited_are_listed_best_first() -> None:
    places = [(SHA1, 7, 0.912), (SHA1, 42, 0.8), (SHA1, 3, None), ("c" * 40, 1, 0.5)]
    read = tuple(PageRead(report_sha1=sha1, page=page, score=score) for sha1, page, score in places)
    links = _list(answer_card(answer(value=1.0, citations=(citation(42),)), read)["read"])
    assert [(link["title"], link["page"], link["note"]) for link in links] == [
        ("Northwind Traders Inc. 2022", 7, ""),
        ("Northwind Traders Inc. 2022", 3, ""),
    ]


def test_the_card_says_where_the_pages_went_and_how_the_question_was_understood() -> None:
    shown = answer_card(answer(value=1.0), hosts=("api.openai.com",), understood="What was it in 2023?")
    assert shown["sent"] == "sent to api.openai.com"
    assert shown["understood"] == "What was it in 2023?"
    assert answer_card(answer(value=1.0))["sent"] == "stayed on this machine"


def test_a_follow_up_s_figure_is_understood_as_figure_company_and_year() -> None:
    meant = Understood(companies=("Northwind Traders Inc.",), metrics=("Net income",), periods=("2022",))
    shown = answer_card(answer(value=1.0, understood=meant), understood="How much did they earn in 2022?")
    assert (shown["understood"], shown["meant"]) == ("", "Net income · Northwind Traders Inc. · 2022")


def test_what_is_copied_of_a_missing_answer_says_why_and_where_the_nearest_figure_is() -> None:
    near = Nearest(
        value=402_875_000,
        unit=Unit(currency="USD"),
        relation="other_period",
        page=42,
        quote="Total revenue",
        detail="printed for 2023, not for 2019",
        citation=citation(),
    )
    card = answer_card(answer(reason="other_period", nearest=near))
    why = card["reason"]
    assert "402,875,000 USD, page 42" in why
    assert card["copied"].splitlines() == [card["question"], "N/A", why, "Northwind Traders Inc. 2022, p. 42"]
    assert why in card["markdown"]
    assert "Northwind Traders Inc. 2022" in card["markdown"]


def test_a_nearest_figure_that_is_calculated_is_written_as_people_write_it() -> None:
    near = Nearest(
        value=-0.6397,
        unit=Unit(printed="-0.64%"),
        relation="calculated",
        page=53,
        quote="Net sales",
        detail="growth of net sales, not printed but calculated: (688,415,000 - 692,847,000) / |692,847,000|",
    )
    why = answer_card(answer(kind="text", reason="needs_reading", nearest=near))["reason"]
    assert "Nearest: -0.64%, page 53, “Net sales” (growth of net sales, not printed but calculated: (" in why


def test_copied_sentences_stand_beside_their_pages_and_copied_markdown_has_no_needless_backslashes() -> None:
    first, second = "Attacks grow in scale, speed.", "A third-party breach may hurt us [again]."
    cited = tuple(
        citation(page).model_copy(update={"quote": quote}) for page, quote in ((12, first), (13, second))
    )
    card = answer_card(answer(kind="text", value=f"{first}\n\n{second}", citations=cited))
    assert card["copied"].splitlines()[1:] == [
        f"{first} (Northwind Traders Inc. 2022, p. 12)",
        f"{second} (Northwind Traders Inc. 2022, p. 13)",
    ]
    assert f"> {first}\n" in card["markdown"]
    assert "A third-party breach may hurt us \\[again\\]." in card["markdown"]


def test_the_copied_json_is_that_of_the_command_line() -> None:
    shown = answer(value=3_114_000.0, unit=Unit(currency="USD"), citations=(citation(),))
    assert json.loads(answer_card(shown)["copied_json"]) == answer_json(shown)


def test_checks_keep_their_verdicts() -> None:
    checks = (Check(name="quote", verdict="failed", detail="not on page 42"), Check(name="page", verdict="passed"))
    assert answer_card(answer(value=1.0, checks=checks))["checks"] == [
        {"label": "Quote", "verdict": "failed", "detail": "not on page 42"},
        {"label": "Page", "verdict": "passed", "detail": ""},
    ]


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (Usage(), "No language model was used"),
        (Usage(requests=1, prompt_tokens=900, completion_tokens=100), "1 model request, 1,000 tokens, $0.0000"),
        (Usage(requests=3, prompt_tokens=9, cost_usd=None), "3 model requests, 9 tokens, cost unknown"),
    ],
)
def test_the_use_of_a_model_is_said(usage: Usage, expected: str) -> None:
    assert answer_card(answer(usage=usage))["model_use"] == expected


def test_an_answer_that_was_kept_says_so_on_the_card_and_in_what_is_copied() -> None:
    notice = "Answered before; nothing that it rests on has changed."
    cached, fresh = answer_card(answer(value=1.0, cached=True)), answer_card(answer(value=1.0))
    assert (cached["before"], cached["model_use"]) == (notice, "No model was asked again")
    assert cached["copied"].splitlines()[-1] == notice
    assert json.loads(cached["copied_json"])["cached"] is True
    assert fresh["before"] == ""
    assert notice not in fresh["copied"]


def test_a_comparison_has_a_card_for_each_company() -> None:
    parts = (answer(company="A", value=2.0, citations=(citation(),)), answer(company="B", reason="not_found"))
    card = answer_card(answer(kind="comparative", value="A", parts=parts))
    found = [(part["company"], part["values"], part["leads"]) for part in _list(card["parts"])]
    assert found == [("A", ["2"], True), ("B", ["N/A"], False)]
    assert "A: 2 (Northwind Traders Inc. 2022, p. 42)" in card["copied"]
    assert "B: N/A" in card["copied"]


def test_bars_are_as_long_as_the_amounts_and_mark_the_answer() -> None:
    parts = (
        answer(company="A", value=50.0, unit=Unit(currency="USD")),
        answer(company="B", value=-100.0, unit=Unit(currency="USD")),
        answer(company="C", reason="not_found"),
    )
    chart = answer_card(answer(kind="comparative", value="A", parts=parts))["bars"]
    assert [(b["label"], b["value"], b["share"], b["negative"], b["leads"]) for b in chart["bars"]] == [
        ("A", "50 USD", 0.5, False, True),
        ("B", "-100 USD", 1.0, True, False),
    ]


@pytest.mark.parametrize(("named", "leads"), [("Ritchie Bros", [True, False]), ("Ritchie", [False, False])])
def test_an_answer_written_shorter_than_the_company_is_called_still_leads(named: str, leads: list[bool]) -> None:
    parts = tuple(
        answer(company=company, value=value, unit=Unit(currency="USD"))
        for company, value in (("Ritchie Bros. Auctioneers Incorporated", 2.0), ("Ritchie Homes plc", 1.0))
    )
    card = answer_card(answer(kind="comparative", value=named, parts=parts))
    assert [bar["leads"] for bar in card["bars"]["bars"]] == leads
    assert [part["leads"] for part in _list(card["parts"])] == leads


def test_amounts_in_different_currencies_are_not_drawn_side_by_side() -> None:
    parts = tuple(answer(company=c, value=1.0, unit=Unit(currency=c)) for c in ("USD", "EUR"))
    chart = answer_card(answer(kind="comparative", value="USD", parts=parts))["bars"]
    assert chart["bars"] == []
    assert "EUR, USD" in chart["note"]


def test_amounts_that_are_all_nothing_have_bars_of_no_length() -> None:
    parts = tuple(answer(company=c, value=0.0) for c in "AB")
    chart = answer_card(answer(kind="comparative", value="A", parts=parts))["bars"]
    assert [bar["share"] for bar in chart["bars"]] == [0.0, 0.0]


def test_names_and_single_amounts_have_no_chart() -> None:
    parts = (answer(company="A", value=1.0), answer(company="B", kind="boolean", value=True))
    assert answer_card(answer(kind="comparative", value="A", parts=parts))["bars"] is None
    assert answer_card(answer(value=1.0))["bars"] is None


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


def test_a_greeting_has_nothing_to_take_along() -> None:
    assert answer_card(answer(kind="text", value="Hello!"))["is_talk"]
    assert not answer_card(answer(value=1.0, citations=(citation(),)))["is_talk"]
    assert not answer_card(answer(reason="not_found"))["is_talk"]


def test_a_comparison_in_two_currencies_shows_each_companys_figure_in_the_place_of_a_large_na() -> None:
    parts = tuple(
        answer(company=company, value=value, unit=Unit(currency=currency), citations=(citation(),))
        for company, value, currency in (("Acme", 5e6, "USD"), ("Bern", 6e6, "CHF"))
    )
    card = answer_card(answer(kind="comparative", reason="other_currency", parts=parts))
    assert card["values"] == ["Acme: 5,000,000 USD", "Bern: 6,000,000 CHF"]
    assert card["reason"] == ""


def test_the_next_questions_are_those_whose_figures_a_second_one_confirms() -> None:
    def fact(metric: str, year: int, value: float, confidence: str = "high") -> FactRow:
        return FactRow.model_validate(
            {
                "company": "Northwind", "report_sha1": SHA1, "file": "a.pdf", "page": 4, "link": "", "metric": metric,
                "confidence": confidence, "title": metric, "value": value, "unit": "USD", "period": str(year),
                "period_end": dt.date(year, 12, 31), "printed": "", "scale": 1, "row_label": "", "is_current": True,
                "checks": {}, "column": str(year),
            }
        )  # fmt: skip

    sheet = FactSheet(
        facts=(
            fact("total_revenue", 2022, 9.0),
            fact("total_revenue", 2021, 8.0),
            fact("net_income", 2022, 1.0, "low"),
            fact("total_assets", 2022, 7.0),
        )
    )
    asked = answer(company="Northwind", value=9.0, unit=Unit(currency="USD", period_end=dt.date(2022, 12, 31)))
    assert next_questions(asked, sheet) == (
        "What was the total revenue of Northwind in 2021?",
        "What were the total assets of Northwind in 2022?",
    )
    assert next_questions(asked, sheet, {8.0}) == ("What were the total assets of Northwind in 2022?",)
