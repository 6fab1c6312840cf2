import pytest

from query_engines.question.parser import QuestionParser
from query_engines.routing.dialogue import Dialogue, is_small_talk
from query_engines.routing.follow_up import follow_up
from storage.errors import QuestionTooLong
from storage.records.answers import Answer
from storage.records.metrics import Ontology
from storage.records.questions import Question
from storage.records.reports import Company

COMPANIES = tuple(
    Company(name=n) for n in ("Holley Inc.", "Rapid7", "TransUnion", "Kelvor Mining plc", "Kelvor Foods plc")
)
PARSER = QuestionParser.trained(Ontology.load(), lambda: COMPANIES)
REVENUE = "What was the total revenue of Holley in 2021?"
STAFF = "Which had more employees, Holley or Rapid7?"


def meant(before: str, now: str, company: str | None = "Holley Inc.") -> Question:
    answer = Answer(question=before, kind="number", company=company)
    return without_said(follow_up(now, Dialogue().after(Question(text=before, kind="number"), answer), PARSER))


def without_said(question: Question) -> Question:
    return question.model_copy(update={"said": "", "before": ""})


@pytest.mark.parametrize(
    ("now", "text"),
    [
        ("and its net income?", "What was the net income of Holley Inc. in 2021?"),
        ("How about its operating income", "What was the operating income of Holley Inc. in 2021?"),
        ("And how many employees did it have?", "how many employees did it have in 2021?"),
        ("And in 2022?", "What was the total revenue of Holley in 2022?"),
        ("What about 2020?", "What was the total revenue of Holley in 2020?"),
        ("How did it change since 2020?", "How did the total revenue change since 2020?"),
        ("How does that compare with 2020?", "What was the total revenue of Holley in 2020 and in 2021?"),
        ("Who runs the company?", "Who is the CEO of Holley Inc.?"),
    ],
)
def test_what_a_follow_up_leaves_out_is_taken_from_the_question_before(now: str, text: str) -> None:
    found = meant(REVENUE, now)
    assert (found.text, found.company) == (text, "Holley Inc.")


@pytest.mark.parametrize(
    ("now", "text"),
    [
        ("And Rapid7?", "What was the total revenue of Rapid7 in 2021?"),
        ("now Rapid7", "What was the total revenue of Rapid7 in 2021?"),
        ("What about TransUnion and Rapid7?", "What was the total revenue of TransUnion and Rapid7 in 2021?"),
        ("What about Zarquon Works?", "What was the total revenue of Zarquon Works in 2021?"),
    ],
)
def test_another_company_takes_the_place_of_the_one_before(now: str, text: str) -> None:
    assert meant(REVENUE, now) == Question(text=text, kind="number")


@pytest.mark.parametrize(
    ("now", "text"),
    [
        ("Now Rapid7: net income in 2020?", "What was the net income of Rapid7 in 2020?"),
        ("What about Rapid7's net income?", "What was the net income of Rapid7 in 2021?"),
        ("What was Rapid7's revenue in 2021 and 2020?", "What was Rapid7's revenue in 2021 and 2020?"),
        ("Add Rapid7", "Compare the total revenue of Holley Inc. and Rapid7 in 2021?"),
    ],
)
def test_a_figure_that_is_asked_of_another_company_is_not_the_one_before(now: str, text: str) -> None:
    assert meant(REVENUE, now).text == text


def test_a_part_that_says_of_what_it_is_is_asked_as_it_stands() -> None:
    assert meant(REVENUE.replace("total revenue", "gross margin"), "split of sales by segment please").text == (
        "split of sales by segment please in 2021?"
    )


def test_who_has_most_of_a_figure_that_is_named_is_asked_of_that_figure() -> None:
    asked = meant(
        "Which had the higher net income, Holley or Rapid7?", "who has more cash, Holley or TransUnion?", None
    )
    assert "cash and cash equivalents" in asked.text


def test_a_company_can_be_added_to_those_that_were_compared() -> None:
    added = meant("Which had the higher operating margin, Holley or Rapid7?", "Add TransUnion", company=None)
    assert added.text == "Compare the operating margin of Holley Inc., Rapid7 and TransUnion?"


@pytest.mark.parametrize(
    "now",
    [
        "Does QXZT hedge its floating rate debt?",
        "Does Zarquon have more cash?",
        "Did Apple pay a dividend?",
        "What was the headcount of Zarquon?",
        "What is Zarquon's headcount?",
        "Is Zarquon bigger?",
        "how much cash does zarquon hold",
    ],
)
def test_a_company_that_nobody_knows_is_not_the_one_before(now: str) -> None:
    assert meant(REVENUE, now) == Question(text=now)


@pytest.mark.parametrize(
    "now", ["hmm are you sure? that's a lot", "that can't be right", "is that correct?", "wait, you sure?"]
)
def test_who_doubts_an_answer_is_shown_it_again(now: str) -> None:
    asked = Question(text=REVENUE, kind="number")
    before = Dialogue().after(asked, Answer(question=REVENUE, kind="number", company="Holley Inc.", value=688.0))
    assert without_said(follow_up(now, before, PARSER)) == asked


@pytest.mark.parametrize(
    ("now", "text"),
    [
        (
            "how much growth is that in percent?",
            "By what percentage did the total revenue of Holley Inc. change in 2021?",
        ),
        ("up by how many percent?", "By what percentage did the total revenue of Holley Inc. change in 2021?"),
        ("why such a swing?", "Why did the total revenue of Holley Inc. change in 2021?"),
        ("where did it come from?", "Why did the total revenue of Holley Inc. change in 2021?"),
    ],
)
def test_what_people_do_with_a_figure_has_many_words(now: str, text: str) -> None:
    assert meant(REVENUE, now).text == text


@pytest.mark.parametrize("now", ["Does Nestwave use SOFR?", "What became of Nestwave's founders?", "And SOFR?"])
def test_what_the_report_speaks_of_is_no_other_company(now: str) -> None:
    before = Dialogue().after(
        Question(text=REVENUE, kind="number"), Answer(question=REVENUE, kind="number", company="Holley Inc.")
    )
    asked = without_said(follow_up(now, before, PARSER, lambda _, words: words in ("Nestwave", "SOFR")))
    assert asked.company == "Holley Inc."


@pytest.mark.parametrize(
    "now",
    [
        "Does it hedge its debt?",
        "Did Sales rise?",
        "how many employees does it have in Germany?",
        "Does EBITDA cover the interest?",
        "did revenu rise?",
        "what is the amount of goodwill?",
        "Who is the CEO now?",
    ],
)
def test_what_is_no_name_is_about_the_company_before(now: str) -> None:
    assert meant(REVENUE, now).company == "Holley Inc."


@pytest.mark.parametrize("now", ["And Goodwill?", "what about Germany?", "And EBITDA?", "and Total Assets?"])
def test_what_a_report_has_is_no_other_company(now: str) -> None:
    assert meant(REVENUE, now).company == "Holley Inc."


@pytest.mark.parametrize(
    "now",
    [
        "What was the revenue of Rapid7?",
        "Which company had the highest revenue?",
        "Did Holley or Rapid7 earn more?",
    ],
)
def test_a_question_that_stands_alone_stays_as_it_is(now: str) -> None:
    assert meant(REVENUE, now) == Question(text=now)


@pytest.mark.parametrize(
    ("now", "text"),
    [
        ("and total assets?", "Which company had the highest total assets: Holley Inc., Rapid7?"),
        ("Did they announce buybacks?", "Did Holley Inc. and Rapid7 announce buybacks?"),
        ("and in 2021?", "Which had more employees, Holley or Rapid7 in 2021?"),
        (
            "which is larger?",
            "Which company had the highest number of employees at year end: Holley Inc., Rapid7?",
        ),
        ("and TransUnion?", "What was the number of employees at year end of TransUnion?"),
        (
            "and which one has the fewest?",
            "Which company had the lowest number of employees at year end: Holley Inc., Rapid7?",
        ),
    ],
)
def test_a_comparison_goes_on_about_the_same_companies(now: str, text: str) -> None:
    assert meant(STAFF, now, company=None).text == text


def test_a_name_settles_which_company_the_question_before_meant() -> None:
    found = meant("What did Kelvor earn?", "Kelvor Foods plc", company=None)
    assert (found.text, found.company) == ("What did Kelvor earn?", "Kelvor Foods plc")


def test_without_a_question_about_a_company_before_nothing_is_added() -> None:
    assert meant("What is the weather?", "and its net income?", company=None) == Question(
        text="and its net income?"
    )


def talked(*texts: str) -> list[str]:
    """What each text of a conversation means, every question answered about the company that it names."""
    state, meant_texts = Dialogue(), []
    for text in texts:
        question = follow_up(text, state, PARSER)
        parsed = PARSER.parse(question)
        company = question.company or next((c.name for c in parsed.companies), None)
        value = "You are welcome." if is_small_talk(parsed) else "N/A"
        answer = Answer(question=question.text, kind="number", company=company, value=value)
        state = state.after(question, answer)
        meant_texts.append(question.text)
    return meant_texts


def test_a_conversation_fills_in_what_each_question_leaves_out() -> None:
    assert talked(
        "total revenue of Rapid7 in 2022",
        "and the year before?",
        "and for Holley?",
        "what about net income?",
        "thanks",
        "compare them",
    ) == [
        "total revenue of Rapid7 in 2022",
        "total revenue of Rapid7 in 2021",
        "total revenue of Holley in 2021",
        "What was the net income of Holley Inc. in 2021?",
        "thanks",
        "Compare the net income of Rapid7 and Holley Inc. in 2021?",
    ]


@pytest.mark.parametrize(
    ("now", "text"),
    [
        ("why?", "Why did the total revenue of Holley Inc. change in 2021?"),
        (
            "is that more than the year before?",
            "Was Holley Inc.'s total revenue in 2021 more than the year before?",
        ),
        ("And was it lower than in 2019?", "Was Holley Inc.'s total revenue in 2021 lower than in 2019?"),
        ("why did it fall?", "Why did the total revenue of Holley Inc. change in 2021?"),
        ("and the cfo?", "Who is the CFO of Holley Inc.?"),
        ("what about headcount?", "What was the number of employees at year end of Holley Inc. in 2021?"),
        ("so has it gone up or down?", "Did the total revenue of Holley Inc. rise or fall in 2021?"),
        (
            "By what percentage, if it isn't too much trouble?",
            "By what percentage did the total revenue of Holley Inc. change in 2021?",
        ),
        ("Prior-year figure for that?", "What was the total revenue of Holley in 2020?"),
        ("could you show me where it says so? I take nothing on trust", REVENUE),
        ("how did u get that", REVENUE),
        ("Page number?", REVENUE),
        (
            "as % of total assets",
            "What was the total revenue of Holley Inc. as a percentage of total assets in 2021?",
        ),
        ("in percent?", "By what percentage did the total revenue of Holley Inc. change in 2021?"),
        ("in USD million", f"{REVENUE.rstrip(' ?.!')} in USD million?"),
        ("how many people work there?", "how many people work there?"),
        ("show me the page", REVENUE),
        ("thanks", "thanks"),
        ("What were the total assets of Rapid7?", "What were the total assets of Rapid7?"),
    ],
)
def test_what_gives_one_thing_alone_takes_the_rest_from_before(now: str, text: str) -> None:
    answer = Answer(question=REVENUE, kind="number", company="Holley Inc.")
    state = Dialogue().after(Question(text=REVENUE, kind="number"), answer)
    assert follow_up(now, state, PARSER).text == text


def test_words_for_all_companies_ask_about_those_of_the_conversation() -> None:
    assert talked(
        "total revenue of Rapid7", "and for Holley?", "which of the two has the most?", "capex of both"
    ) == [
        "total revenue of Rapid7",
        "total revenue of Holley",
        "Which company had the highest total revenue: Rapid7, Holley Inc.?",
        "capex of Holley Inc. and Rapid7",
    ]


@pytest.mark.parametrize(
    ("turns", "text"),
    [
        (("operating margin of Rapid7", "and tell me a joke", "and for Holley?"), "operating margin of Holley"),
        (
            ("revenue growth of Rapid7", "and net income?"),
            "By what percentage did the net income of Rapid7 change?",
        ),
        (
            ("total revenue of Rapid7", "and TransUnion?", "is it more?"),
            "Was TransUnion's total revenue more than that of Rapid7?",
        ),
        (("total revenue of Rapid7", "and Zarquon Works?"), "total revenue of Zarquon Works"),
        (("total revenue of Rapid7", "zarquon"), "total revenue of zarquon"),
        (("total revenue of Rapid7", "what about Germany?"), "What was the revenue in Germany of Rapid7?"),
        (("total revenue of Rapid7", "what is TransUnion?"), "what is TransUnion?"),
        (
            ("What is the leverage of Rapid7? Use long-term debt over equity.", "and TransUnion?"),
            "What was the long-term debt of TransUnion as a percentage of equity?",
        ),
        (
            ("total revenue of Rapid7", "and for TransUnion?", "and which one has the most?"),
            "Which company had the highest total revenue: Rapid7, TransUnion?",
        ),
        (("total revenue of Rapid7", "und im Vorjahr?"), "total revenue of Rapid7 in the prior year?"),
        (("total revenue of Rapid7", "ok thanks. And net income?"), "What was the net income of Rapid7?"),
    ],
)
def test_slots_left_open_are_filled_and_no_others(turns: tuple[str, ...], text: str) -> None:
    assert talked(*turns)[-1] == text


@pytest.mark.parametrize(
    "now",
    [
        "Thank you, that is very clear.",
        "Fair enough. Thank you for your patience, goodbye.",
        "Would you buy more shares if you were me?",
        "OK you're no fun, but cheers.",
        "are they going to go bust next year",
    ],
)
def test_thanks_and_wishes_for_advice_are_no_question_about_the_company_before(now: str) -> None:
    answer = Answer(question=REVENUE, kind="number", company="Holley Inc.")
    state = Dialogue().after(Question(text=REVENUE, kind="number"), answer)
    asked = without_said(follow_up(now, state, PARSER))
    assert asked == Question(text=now)
    assert is_small_talk(PARSER.parse(asked))


@pytest.mark.parametrize(
    "now", ["A draft that I was writing", "my train was late", "the numbers you gave are nice"]
)
def test_what_only_says_something_becomes_no_question_for_a_figure(now: str) -> None:
    assert meant(REVENUE, now).text == now


def test_a_text_without_an_end_follows_on_nothing() -> None:
    with pytest.raises(QuestionTooLong, match="2,001 characters"):
        meant(REVENUE, "and " * 500 + "?")
