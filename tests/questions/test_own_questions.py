"""Small talk, and the questions that Pageproof writes itself, through the whole engine."""

import json
from pathlib import Path

from app import open_pageproof
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
