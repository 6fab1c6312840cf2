"""No known question is read worse than it was, without somebody looking at it."""

from pathlib import Path

from tests.support.understood import changed, kept, known_questions, understood


def test_every_known_question_is_understood_as_it_was_when_somebody_looked(real_reports: Path) -> None:
    differences = changed(understood(real_reports), kept())

    assert not differences, (
        "Read differently; if better, run `python -m tests.support.understood FOLDER`:\n" + "\n".join(differences)
    )


def test_a_question_that_is_read_differently_is_shown_with_both_readings() -> None:
    now = {"a1": ("Who runs Acme?", "name: companies Acme"), "b2": ("Why?", "text: ")}

    assert changed(now, {"a1": "names: companies Acme", "b2": "text: "}) == [
        "Who runs Acme?\n  before: names: companies Acme\n  now:    name: companies Acme"
    ]


def test_the_known_questions_are_those_of_the_challenge_of_facts_and_of_people(real_reports: Path) -> None:
    assert len(set(known_questions(real_reports))) > 700
