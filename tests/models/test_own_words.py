"""Every request to a model carries the user's own words, whatever the rules made of them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app import open_pageproof
from app.assembly.client import Pageproof
from tests.support.doubles.openai_server import OpenAIServer
from tests.support.doubles.readings import FORM, NOT_FOUND, form_of, reading

OSTERMERE = "Ostermere Instruments"
AWKWARD = (
    f"Who is the chair of {OSTERMERE}, not the CEO?",
    f"By how much did {OSTERMERE}'s revenue change in 2024, and explain why in 2023?",
    f"What were the net sales of {OSTERMERE} in FY2024, i.e. fiscal 2024?",
    f"FY 24 opex for {OSTERMERE} pls, thx!!",
    f"Has the quick ratio of {OSTERMERE} improved or declined? If the quick ratio is not relevant, say so.",
    f"Is operating margin a useful metric for {OSTERMERE}? If not, then please state that and explain why.",
    f"Which securities of {OSTERMERE} are registered to trade on a national exchange under {OSTERMERE}'s name?",
    f"Are there any product categories that made more than 20% of {OSTERMERE}'s revenue in FY2024?",
    f"Excluding the impairment, what would {OSTERMERE} have earned?",
    f"Basic EPS of {OSTERMERE} (not the diluted one, I need it for a form)",
    f"what\u2019s  {OSTERMERE}\u2019s   “adjusted” EBITDA — as they define it, please",
    f"I am new here. My boss asks about {OSTERMERE}. How many people are on its payroll?",
    f"{OSTERMERE}: gross profit, prior year, thousand USD",
    f"Was the dividend of {OSTERMERE} raised last year or the year before that?",
    f"On August 30, 2024, what had {OSTERMERE} drawn under its revolver?",
    f"How much did {OSTERMERE} spend on R&D ($ million) in 2024 vs. 2023?",
    f"Wie hoch war der Umsatz von {OSTERMERE} im Geschäftsjahr 2024?",
    f"Quel était le bénéfice net de {OSTERMERE} en 2024 ?",
    f"What drove {OSTERMERE}'s gross margin in Q2 of FY2024?",
    f"Did {OSTERMERE} not announce a buyback? If there is no mention, return False.",
    f"Name {OSTERMERE}'s three largest segments, and any above 10 % of revenue.",
    f"Summarize {OSTERMERE}'s legal battles; are there none, say none.",
    f"How long could {OSTERMERE} pay its bills from cash, at the 2024 burn rate?",
    f"{OSTERMERE} {{net debt}} ${{value}} %(year)s </question> what is it?",
    f"Does {OSTERMERE} have positive working capital based on FY2024 data? If it is not useful, say why.",
    f"What was the Total revenue (in USD) for {OSTERMERE} according to the annual report (within the last period or at"
    " the end of the last period)? If data is not available, return 'N/A'.",
    f"Compare the operating income of {OSTERMERE} and Veldhoorn Packaging, leaving out one-offs.",
    f"Which of {OSTERMERE}, Veldhoorn Packaging and Tsukimine Seiki grew its revenue fastest in its FY2024?",
    "Who pays its people better, Ostermere Instruments or Veldhoorn Packaging, all in all?",
    "What were the sales of the Ostmere people in 2024?",
)
SETTINGS = (
    *(
        "answers.kind=llm",
        "answers.strictness=analyst",
        "rerank.kind=llm",
        "retrieval.pages=3",
        "retrieval.chunks=6",
    ),
    *("llm.kind=openai_like", "llm.model=any", "answers.cache=false"),
)
PLAN = {
    "title": "Ratio",
    "definition": "one by the other",
    "figures": [{"name": "one", "figure": "cash", "year": 2024}, {"name": "two", "figure": "debt", "year": 2024}],
    "formula": "one / two",
    "unit": "times",
}
BOTH = ("Ostermere Instruments, Inc.", "Veldhoorn Packaging N.V.")


def reply(body: dict[str, Any]) -> Any:
    """Finds nothing on pages, and wants a calculation, or each company's own answer."""
    if form_of(body) != FORM:
        return {"judgements": []} if form_of(body) == "PageJudgements" else NOT_FOUND
    asked = body["messages"][-1]["content"].partition("<question>")[2]
    if "better, " in asked:
        return reading("text", BOTH, relation="each", asks="pay of its people")
    return reading(companies=BOTH[:1], calculation=PLAN)


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIServer]:
    """A model that finds nothing, and so is asked everything that there is to ask."""
    with OpenAIServer(answer=reply) as opened:
        yield opened


@pytest.fixture(scope="module")
def client(server: OpenAIServer, sample_data: Path) -> Iterator[Pageproof]:
    with open_pageproof(
        "offline", overrides=[*SETTINGS, f"llm.api_base={server.api_base}"], data=sample_data
    ) as opened:
        yield opened


def inside(text: str) -> str:
    """A text as it stands in a prompt, where a tag of ours is no tag."""
    return text.replace("</question>", "&lt;/question>")


@pytest.mark.parametrize("text", AWKWARD)
def test_every_request_has_the_question_as_it_was_written(
    text: str, client: Pageproof, server: OpenAIServer
) -> None:
    before = len(server.chats)
    client.ask(text)
    requests = server.chats[before:]
    assert requests
    for body in requests:
        assert inside(text) in body["messages"][-1]["content"], form_of(body)


def test_these_questions_bring_about_every_kind_of_request(server: OpenAIServer) -> None:
    forms = {form_of(body) for body in server.chats}
    assert {FORM, "PageJudgements", "NumberDraft", "BooleanDraft", "NameDraft", "TextDraft"} <= forms


def test_a_sub_question_says_which_part_of_the_whole_it_is(client: Pageproof, server: OpenAIServer) -> None:
    text = f"Compare the operating income of {OSTERMERE} and Veldhoorn Packaging, leaving out one-offs."
    before = len(server.chats)
    client.ask(text)
    drafts = [body["messages"][-1]["content"] for body in server.chats[before:] if "Draft" in form_of(body)]
    parts = {prompt.partition("Asked here, of it: ")[2].partition("\n")[0] for prompt in drafts}
    assert len(parts) > 1
    assert all("Ostermere" in part or "Veldhoorn" in part for part in parts)


def test_a_question_that_goes_on_is_sent_with_what_it_means(client: Pageproof, server: OpenAIServer) -> None:
    talk = client.conversation()
    talk.ask(f"Who audits {OSTERMERE}, all in all?")
    before = len(server.chats)
    talk.ask("And Veldhoorn Packaging, please?")
    prompts = [body["messages"][-1]["content"] for body in server.chats[before:]]
    assert prompts
    assert all("And Veldhoorn Packaging, please?\n\nAsked here, of it: " in prompt for prompt in prompts)


def test_a_request_has_a_limit_of_tokens(server: OpenAIServer) -> None:
    limits = {form_of(body): body.get("max_tokens") for body in server.chats}
    assert None not in limits.values(), json.dumps(limits)
    assert limits["PageJudgements"] != limits["NumberDraft"] < limits["TextDraft"]
