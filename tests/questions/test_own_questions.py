"""Small talk, and the questions that Pageproof writes itself, through the whole engine."""

import json
from pathlib import Path

import pytest

from app import open_pageproof
from app.assembly.client import Pageproof
from app.command_line import run
from storage.records.answers import Answer


def test_thanks_are_no_search_and_no_na_and_leave_the_conversation_as_it_is(sample_data: Path) -> None:
    with open_pageproof("offline", data=sample_data) as client:
        conversation = client.conversation()
        conversation.ask("What was the total revenue of Ostermere Instruments?")
        thanks = conversation.ask("thanks")
        before = conversation.ask("and the year before?")
    assert (thanks.kind, thanks.is_available, thanks.pages) == ("text", True, ())
    assert before.value == 402_875_000
    assert before.understood is not None
    assert before.understood.metrics == ("Total revenue",)


def test_pageproof_understands_the_questions_that_it_writes(sample_data: Path, tmp_path: Path) -> None:
    out = tmp_path / "questions.json"
    assert run(["questions", "--count", "40", "--seed", "3", "--out", str(out), "--data", str(sample_data)]) == 0
    written = json.loads(out.read_text())
    with open_pageproof("offline", data=sample_data) as client:
        answers = [client.query(question["text"]).response for question in written]
    assert all(isinstance(answer, Answer) for answer in answers)
    reasons = {answer.reason for answer in answers}
    assert not reasons & {"company_unknown", "company_ambiguous"}
    kinds = [
        (q["text"], q["kind"], a.kind)
        for q, a in zip(written, answers, strict=True)
        if a.kind not in (q["kind"], "comparative")
    ]
    assert kinds == []


@pytest.mark.parametrize(
    ("question", "value", "text"),
    [
        ("What was Ostermere's total revenue in USD million?", 386_412_000, "386.412 million USD"),
        ("What was Ostermere's total revenue in $m?", 386_412_000, "386.412 million USD"),
        ("How many employees does Veldhoorn have, in thousands of people?", 6418, "6,418"),
        ("What was Ostermere's basic EPS, in millions of dollars?", -0.47, "-0.47 USD"),
        ("Wie hoch war der Umsatz von Veldhoorn?", 1_842_600_000, "1.842.600.000 EUR"),
        ("Quel est le nombre de salariés de Veldhoorn ?", 6418, "6\u202f418"),
        (
            "¿Cuáles fueron los ingresos totales de Veldhoorn en millones de euros?",
            1_842_600_000,
            "1.842,6 millones EUR",
        ),
        ("Ha Veldhoorn annunciato un riacquisto di azioni proprie?", True, "sì"),
    ],
)
def test_a_value_stays_in_full_units_and_is_written_as_asked(
    client: Pageproof, question: str, value: float, text: str
) -> None:
    answer = client.ask(question)
    assert (answer.value, answer.value_text) == (value, text)


def test_why_there_is_no_answer_is_said_in_the_question_s_language(client: Pageproof) -> None:
    answer = client.ask("Wie hoch war der Umsatz von Veldhoorn in Indien?")
    assert str(answer) == "N/A (Auf den gelesenen Seiten wurde keine Antwort gefunden.)"


def test_who_holds_several_offices_is_said_of_each(sample_data: Path) -> None:
    with open_pageproof("offline", data=sample_data) as client:
        both = client.ask("Who are the chief executive and the CFO of Ostermere Instruments?")
        short = client.ask("Ostermere Instruments: CEO and general counsel?")
        names = client.ask("The names of Ostermere's CEO and CFO, please?")
        one, other = (
            client.ask(f"Who is the {office} of Ostermere Instruments?").value for office in ("CEO", "CFO")
        )
    assert isinstance(one, str)
    assert one != other
    assert both.value == f"chief executive: {one}; CFO: {other}."
    assert "general counsel: N/A" in str(short.value)
    assert one in str(names.value)
    assert str(other) in str(names.value)
