"""Questions and conversations in words that were once misread, each with what must be understood or answered."""

import pytest

from app.assembly.client import Pageproof

REVENUE, BEFORE = 386_412_000, 402_875_000  # of Ostermere, 2024 and 2023


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Can you tell me the total revenue of Ostermere?", REVENUE),
        ("Could you give me Veldhoorn's net income?", 156_300_000),
        ("Do you know who the CEO of Tsukimine Seiki is?", "Takahiro Ogasaki"),
        ("Ostermere revenue FY2023", BEFORE),
        ("what was the revenue of ostermere?", REVENUE),
        ("What were the revenues of Ostermere?", REVENUE),
        ("How much did Ostermere's net sales grow?", REVENUE - BEFORE),
        ("For Veldhoorn, what is the figure for total assets?", 2_009_200_000),
        ("What EPS did Ostermere report for its latest year?", -0.47),
        ("What figure does the annual report of Ostermere give for total assets?", 419_769_000),
        ("🙂 revenue of Ostermere please", REVENUE),
        ("What dividend did Veldhoorn pay per share?", 1.35),
    ],
)
def test_a_question_in_anybody_s_words_gets_its_answer(client: Pageproof, text: str, value: float | str) -> None:
    assert client.ask(text).value == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (
            "They opened a plant in Delta, right? How much did Ostermere lay out on capital expenditures?",
            21_684_000,
        ),
        ("My uncle reckons Ostermere's net sales in 2024 were 500 million. What did they report?", REVENUE),
        ("Ostermere's debt not due within a year, December 31, 2024?", 122_500_000),
        ("Ostermere: income from operations 2024, not the EBITDA number", -16_325_000),
        ("We require Ostermere's net income before preferred dividends, not the part for common", -19_545_000),
        ("Ostermere's net sales in the year prior to FY2024?", BEFORE),
        ("Ostermere net income, statutory not underlying", -19_545_000),
        ("ostermere's net sales for the full yr (not q4)", REVENUE),
        ("Kindly indicate Ostermere's net sales and not its gross profit", REVENUE),
        ("Ostermere's net sales: were they lower in 2024 than in 2023?", True),
        ("ostermere how much did they spend on new plant n equipment in 24", 21_684_000),
        ("Ostermere, 2024: purchases of property, plant and equipment, amount please.", 21_684_000),
        (
            "remind me who the CEO is at Ostermere, the one in Ohio, I keep forgetting her name",
            "Dana R. Whitcombe",
        ),
    ],
)
def test_what_stands_beside_a_question_does_not_cost_its_answer(
    client: Pageproof, text: str, value: float | str
) -> None:
    assert client.ask(text).value == value


@pytest.mark.parametrize(
    "text",
    [
        "How did Ostermere's 2024 revenue compare with 2023?",
        "How did 2024 revenue of Ostermere compare with 2023?",
        "How does Ostermere's revenue in 2024 compare to 2023?",
        "How did Ostermere's revenue in 2024 compare with that of the year before?",
        "Ostermere's FY24 revenue vs FY23?",
        "Ostermere revenue 2024 vs 2023",
        "How does 2024 compare with 2023 for Ostermere's revenue?",
        "Compare Ostermere's 2024 revenue with 2023",
    ],
)
def test_a_year_set_against_another_gives_both_and_the_change(client: Pageproof, text: str) -> None:
    answer = client.ask(text)
    assert [part.value for part in answer.parts] == [BEFORE, REVENUE]
    assert "fell by 16,463,000 USD (-4.1%)" in str(answer.value)


@pytest.mark.parametrize(
    ("turns", "value"),
    [
        (("total revenue of Ostermere?", "and the year before?"), BEFORE),
        (("total revenue of Ostermere?", "and the year before?", "and for Veldhoorn?"), 1_765_300_000),
        (("total revenue of Ostermere?", "what about net income?"), -19_545_000),
        (
            ("revenue of Ostermere?", "In percent, how did it change against 2023?", "who runs it?"),
            "Dana R. Whitcombe",
        ),
        (("dividend per share of Veldhoorn?", "does Tsukimine pay one?", "is that more?"), False),
        (("operating margin of Ostermere?", "same for Veldhoorn", "which of the three is highest?"), "Veldhoorn"),
        (("growth of revenue of Veldhoorn", "no, I meant net income"), 19.1311),
        (("revenue growth of Tsukimine", "no i meant operating profit growth"), 20.7855),
        (("who is the chairman of Ostermere?", "sorry, I meant the chief executive, not the chairman"), "Dana R."),
        (("did Ostermere buy back shares?", "did Veldhoorn?"), True),
        (("net income of Veldhoorn?", "and the year before?", "so it went up?"), "increased"),
        (("ok thanks. What was the revenue of Ostermere?", "whos the boss"), "Dana R. Whitcombe"),
        (("revenue of Ostermere?", "nice weather", "and for Veldhoorn?"), 1_842_600_000),
        (("revenue of Ostermere in 2023?", "how many employees does it have?"), 1_942),
    ],
)
def test_a_follow_up_keeps_what_was_meant_and_no_more(
    client: Pageproof, turns: tuple[str, ...], value: float | str
) -> None:
    conversation = client.conversation()
    last = [conversation.ask(turn).value for turn in turns][-1]
    if isinstance(value, str):
        assert str(last).startswith(value)
    else:
        assert last == pytest.approx(value, abs=0.1)


@pytest.mark.parametrize("last", ["what about Germany?", "and without the one-offs?", "apple", "and apple?"])
def test_what_is_asked_of_something_else_never_gets_the_figure_before(client: Pageproof, last: str) -> None:
    conversation = client.conversation()
    conversation.ask("What was the net income of Veldhoorn?")
    assert not conversation.ask(last).is_available


@pytest.mark.parametrize(
    "remark",
    ["coffee time, thx", "k thx bro ur a legend", "Good, that's lunch. I could murder a sandwich"],
)
def test_a_remark_gets_a_reply_and_no_figure(client: Pageproof, remark: str) -> None:
    conversation = client.conversation()
    conversation.ask("What was Tsukimine's net income?")
    answer = conversation.ask(remark)
    assert (answer.kind, answer.is_available, answer.citations) == ("text", True, ())


def test_a_list_of_items_is_asked_of_the_next_company(client: Pageproof) -> None:
    conversation = client.conversation()
    first = conversation.ask("total revenue, net income, total assets and equity of Ostermere?")
    second = conversation.ask("the same four items for Veldhoorn")
    assert [len(first.parts), len(second.parts)] == [4, 4]
    assert second.parts[0].value == 1_842_600_000


def test_all_three_are_known_to_a_question_that_stands_alone(client: Pageproof) -> None:
    assert len(client.ask("capex of all three").parts) == 3
    assert client.ask("Which of the three has the most employees?").value == "Veldhoorn Packaging N.V."


def test_the_year_before_is_not_answered_with_the_newest_figure(client: Pageproof) -> None:
    assert client.ask("What was the number of employees of Tsukimine in the prior year?").value != 5_284


@pytest.mark.parametrize("last", ["compare them", "compare the revenue of both", "compare revenue of all of them"])
def test_those_of_a_conversation_are_compared(client: Pageproof, last: str) -> None:
    conversation = client.conversation()
    answers = [conversation.ask(turn) for turn in ("revenue of Ostermere?", "and for Veldhoorn?", last)]
    assert {part.value for part in answers[-1].parts} == {REVENUE, 1_842_600_000}


@pytest.mark.parametrize(
    ("turns", "value"),
    [
        (["What was Ostermere's revenue in 2024?", "Now the dutch one, how much did they sell?"], 1_842_600_000),
        (["What was Ostermere's revenue?", "and the Japanese?"], 214_836_000_000),
        (["What dividend per share did Veldhoorn pay?", "and from the american one nothing I suppose?"], "N/A"),
        (["What dividend per share did Veldhoorn pay?", "ex div date?"], "N/A"),
    ],
)
def test_a_turn_is_about_whom_and_what_it_says(client: Pageproof, turns: list[str], value: float | str) -> None:
    conversation = client.conversation()
    assert [conversation.ask(turn) for turn in turns][-1].value == value
