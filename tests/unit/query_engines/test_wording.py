"""What kind of answer a wording wants, and what it leaves out."""

import pytest

from query_engines.question.wording import kind_in
from storage.lexicon.question_words import without_silence
from storage.records.questions import AnswerKind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Its capital ratio slipped to 15.2%. Reason given?", "text"),
        ("Software sales rose fivefold. Where did that come from?", "text"),
        ("It was in the red in Q4 after a profit, how come?", "text"),
        ("Given that revenue grew, how on earth did costs come down?", "text"),
        ("It paid 21% after 26%. What brought the rate down?", "text"),
        ("The provision dropped - what let them book so much less?", "text"),
        ("At 31 December 2022, was the cash pile bigger than the debt?", "boolean"),
        ("In 2022, did the first segment earn more than the second one?", "boolean"),
        ("If it had another such year, would its cash be enough?", "boolean"),
        ("Leaving the gains aside, did it still grow its operating income?", "boolean"),
        ("How much was the cash of the company at its year end, and is it pledged?", "number"),
        ("Was the current ratio above 1.5? Please explain.", "boolean"),
        ("To what figure did net income attributable to owners rise?", "number"),
        ("What adjusted operating margin did it report, and was it higher than before?", "number"),
        ("True or false: it finished the year with a profit.", "boolean"),
        ("Cash pulled in by the business during the year, y/n", "boolean"),
        ("Hat es Geld verdient? Ja/Nein reicht", "boolean"),
        ("How many of the staff are drivers?", "number"),
        ("What does the group credit facility amount to?", "number"),
        ("What was revenue, and how much of it came from Canada?", "number"),
    ],
)
def test_the_kind_is_that_of_what_asks_behind_a_story_or_a_condition(text: str, kind: AnswerKind) -> None:
    assert kind_in(text) == kind


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("What is its EPS? If data is not available, return 'N/A'.", "What is its EPS?"),
        ("Did it merge? If there is no mention, return False.", "Did it merge?"),
        ("Is it healthy? If it is not a useful metric, say why.", None),
        ("Which ones? Falls nichts genannt ist, antworte mit nein.", "Which ones?"),
        ("If it was not profitable, what did it lose?", None),
    ],
)
def test_what_is_wanted_of_a_silent_report_is_left_out_and_nothing_else(text: str, left: str | None) -> None:
    assert without_silence(text) == (left or text)
