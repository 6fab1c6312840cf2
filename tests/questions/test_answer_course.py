"""What happens between a first draft and the answer, with everything real but the model."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from app import open_pageproof
from app.assembly.client import Pageproof
from app.runs.answers import prepare_answers, run_answers
from query_engines.events import AnswerReady, Event, StepStarted
from storage.errors import PromptTooLong
from storage.records.answers import Answer
from storage.records.questions import AnswerKind, Question
from tests.support.doubles.openai_server import ErrorReply, OpenAIServer

OSTERMERE = "Ostermere Instruments, Inc."
REVENUE = f"What was the total revenue of {OSTERMERE}?"
STATEMENT = 8  # the page that prints it
RETIRED = f"Whom did the board of {OSTERMERE} say goodbye to in May?"
NOTHING = {"final_answer": "N/A", "unavailable_because": "not_found", "evidence": [], "relevant_pages": []}


def passage(page: int = STATEMENT, quote: str = "386,412", **changes: Any) -> dict[str, Any]:
    figure = {"printed_figure": quote, "scale": 1000, "currency": "USD", "period": "2024"}
    return {"page": page, "quote": quote, **figure, **changes}


def draft(final_answer: object = 386412000, **changes: Any) -> dict[str, Any]:
    return {
        "step_by_step_analysis": "1. Read the statement.",
        "reasoning_summary": "The statement prints it.",
        "evidence": [passage()],
        "relevant_pages": [STATEMENT],
        "unavailable_because": None,
        "final_answer": final_answer,
        **changes,
    }


def filled_draft(page: int, quote: str, name: str) -> dict[str, Any]:
    evidence = passage(page, quote, printed_figure=None, scale=None, currency=None, period=None)
    return draft(name, evidence=[evidence], relevant_pages=[page])


def settings(server: OpenAIServer, *overrides: str) -> list[str]:
    model = ["answers.kind=llm", "llm.kind=openai_like", "llm.model=any", f"llm.api_base={server.api_base}"]
    return [*model, "retrieval.mode=bm25", *overrides]


def events(
    server: OpenAIServer, data: Path, *overrides: str, text: str = REVENUE, kind: AnswerKind = "number"
) -> list[Event]:
    with open_pageproof("offline", overrides=settings(server, *overrides), data=data) as own:
        return own.run(collected(own, Question(text=text, kind=kind)))


async def collected(own: Pageproof, question: Question) -> list[Event]:
    return [e async for e in own.stream(question)]


def ask(server: OpenAIServer, data: Path, *overrides: str, **question: Any) -> Answer:
    *_, last = events(server, data, *overrides, **question)
    assert isinstance(last, AnswerReady)
    return last.answer


def prompts(server: OpenAIServer) -> list[str]:
    return [chat["messages"][-1]["content"] for chat in server.chats]


def pages(prompt: str) -> list[int]:
    return [int(n) for n in re.findall(r'<page number="(\d+)">', prompt)]


def failed(answer: Answer) -> set[str]:
    return {check.name for check in answer.checks if check.verdict == "failed"}


def test_a_second_look_mends_a_wrong_scale(sample_data: Path) -> None:
    with OpenAIServer(draft(386412), draft()) as server:
        answer = ask(server, sample_data)
    first, second = prompts(server)
    assert (answer.value, failed(answer), answer.reason) == (386412000, set(), None)
    assert second.startswith(first), "question and pages are the same"
    assert '"final_answer": 386412.0' in second
    assert "386,412 in units of 1,000 is 386,412,000, not 386,412" in second
    assert "there it is 386,412,000 USD for 2024-12-31" in second
    assert "A second look was taken." in answer.analysis
    assert "386,412.0 (failed: figure, fact_table)" in answer.analysis


def test_both_requests_count_and_both_looks_are_seen(sample_data: Path) -> None:
    with OpenAIServer(draft(386412), draft()) as server:
        seen = events(server, sample_data)
    started = [(e.kind, e.label) for e in seen if isinstance(e, StepStarted)][-4:]
    assert started == [
        ("answer", "Answering"),
        ("verification", "Checking against the page"),
        ("answer", "Taking a second look"),
        ("verification", "Checking against the page"),
    ]
    assert isinstance(seen[-1], AnswerReady)
    usage = seen[-1].answer.usage
    assert (usage.requests, usage.prompt_tokens, usage.completion_tokens) == (2, 22, 14)


def test_a_model_that_insists_is_marked(sample_data: Path) -> None:
    with OpenAIServer(draft(386412), draft(386412)) as server:
        answer = ask(server, sample_data)
    assert (answer.value, failed(answer)) == (386412, {"figure", "fact_table"})
    assert answer.usage.requests == 2


def test_a_model_that_insists_is_withheld_where_that_is_chosen(sample_data: Path) -> None:
    with OpenAIServer(draft(386412), draft(386412)) as server:
        answer = ask(server, sample_data, "verification.on_failure=withhold")
    assert (answer.value, answer.reason) == ("N/A", "unverified")
    assert "withheld" in answer.summary
    assert "figure: 386,412 in units of 1,000" in answer.summary
    assert "Read: page" in answer.summary


@pytest.mark.parametrize(
    ("first", "overrides"),
    [
        pytest.param(draft(), [], id="nothing failed"),
        pytest.param(draft(386412), ["verification.second_look=false"], id="switched off"),
    ],
)
def test_there_is_no_second_look(sample_data: Path, first: dict[str, Any], overrides: list[str]) -> None:
    with OpenAIServer(first) as server:
        answer = ask(server, sample_data, *overrides)
    assert answer.usage.requests == len(server.chats) == 1
    assert "second look" not in answer.analysis


def test_a_worse_second_draft_does_not_replace_the_first(sample_data: Path) -> None:
    misquoted = draft(evidence=[passage(quote="Net sales were 386,412 in all", printed_figure="386,412")])
    with OpenAIServer(misquoted, draft(5, evidence=[passage(99, "5")], relevant_pages=[99])) as server:
        answer = ask(server, sample_data)
    assert (answer.value, failed(answer)) == (386412000, {"quote"})
    assert "the first is kept" in answer.analysis


def test_a_second_draft_without_evidence_is_not_taken_for_a_better_one(sample_data: Path) -> None:
    with OpenAIServer(draft(386412), draft(386412, evidence=[], relevant_pages=[])) as server:
        answer = ask(server, sample_data)
    assert answer.citations
    assert "the first is kept" in answer.analysis


def test_a_model_may_withdraw_its_answer(sample_data: Path) -> None:
    with OpenAIServer(draft(386412), draft(**NOTHING)) as server:
        answer = ask(server, sample_data, "retrieval.second_try=false")
    assert (answer.value, answer.reason) == ("N/A", "not_found")
    assert "the second is kept" in answer.analysis


def test_a_second_look_that_fails_leaves_the_first_draft_standing(sample_data: Path) -> None:
    with OpenAIServer(draft(386412), *[ErrorReply(400, "no more")] * 2) as server:
        answer = ask(server, sample_data)
    assert (answer.value, failed(answer)) == (386412, {"figure", "fact_table"})
    assert "A second look failed: " in answer.analysis


def test_a_model_that_overlooks_a_known_figure_is_shown_it(sample_data: Path) -> None:
    with OpenAIServer(draft(**NOTHING), draft()) as server:
        answer = ask(server, sample_data)
    assert (answer.value, answer.usage.requests) == (386412000, 2)
    assert "You found no answer, but rules" in prompts(server)[1]


def test_an_overlooked_figure_that_the_model_gives_wrongly_stays_away(sample_data: Path) -> None:
    with OpenAIServer(draft(**NOTHING), draft(386412)) as server:
        answer = ask(server, sample_data)
    assert (answer.value, answer.reason, answer.usage.requests) == ("N/A", "not_found", 2)


def test_an_answer_on_a_page_that_the_first_search_did_not_bring_is_found(sample_data: Path) -> None:
    first: list[int] = []

    def reply(body: dict[str, Any]) -> dict[str, Any]:
        prompt = body["messages"][-1]["content"]
        if not first:
            first.extend(pages(prompt))
            return draft(**NOTHING)
        new = next(n for n in pages(prompt) if n not in first)
        heading = re.search(rf'<page number="{new}">\n\[[\d.]+\] (?:#+ )?(.+?)(?= \[|\n)', prompt)
        assert heading
        return filled_draft(new, heading[1], "Lorraine Oakes")

    with OpenAIServer(answer=reply) as server:
        seen = events(server, sample_data, "retrieval.pages=2", text=RETIRED, kind="name")
    assert isinstance(seen[-1], AnswerReady)
    answer = seen[-1].answer
    assert (answer.value, failed(answer), answer.usage.requests) == ("Lorraine Oakes", set(), 2)
    assert answer.citations[0].page not in first
    assert set(answer.pages) == {*first, *pages(prompts(server)[1])}
    assert not set(first) & set(pages(prompts(server)[1])), "no page is read twice"
    assert "Searching once more" in [e.label for e in seen if isinstance(e, StepStarted)]


def test_where_nothing_is_found_twice_the_summary_says_what_was_read(sample_data: Path) -> None:
    with OpenAIServer(draft(**NOTHING), draft(**NOTHING)) as server:
        answer = ask(server, sample_data, "retrieval.pages=2", text=RETIRED, kind="name")
    assert (answer.value, answer.reason, answer.usage.requests) == ("N/A", "not_found", 2)
    assert len(answer.pages) == 4
    assert re.search(r"Read: pages [\d, -]+ of 13\.$", answer.summary)
    assert "A second search brought page" in answer.analysis


def test_without_a_model_no_sentence_counts_the_pages_of_one_search_of_two(sample_data: Path) -> None:
    question = f"How many hotels did {OSTERMERE} operate for customers in Germany?"
    with open_pageproof("offline", overrides=["retrieval.pages=2"], data=sample_data) as own:
        answer = own.ask(question)
    assert answer.reason == "needs_reading"
    assert len(answer.pages) > 2
    assert "On the pages that were read, no row of a table" in answer.summary


def test_an_n_a_stays_where_a_second_try_gives_what_no_page_prints(sample_data: Path) -> None:
    forged = filled_draft(3, "Gordon Vale retired", "Gordon Vale")
    with OpenAIServer(draft(**NOTHING), forged, forged) as server:
        answer = ask(server, sample_data, "retrieval.pages=2", text=RETIRED, kind="name")
    assert (answer.value, answer.reason, answer.usage.requests) == ("N/A", "not_found", 3)


@pytest.mark.parametrize(
    ("relation", "strictness", "value", "reason"),
    [
        ("same", "strict", 386412000, None),
        ("approximate", "strict", "N/A", "not_found"),
        ("approximate", "practical", 386412000, None),
        ("broader", "practical", 386412000, None),
        ("narrower", "analyst", "N/A", "not_found"),
        ("other_period", "analyst", "N/A", "other_period"),
        ("other_currency", "practical", "N/A", "other_currency"),
    ],
)
@pytest.mark.parametrize("offered", [False, True])
def test_the_strictness_and_not_the_model_decides_what_may_be_the_answer(
    sample_data: Path, relation: str, strictness: str, value: object, reason: str | None, offered: bool
) -> None:
    near = [passage(relation=relation)]
    is_beside = offered and relation != "same"
    reply = (
        draft("N/A", unavailable_because=reason or "not_found", evidence=near)
        if is_beside
        else draft(evidence=near)
    )
    with OpenAIServer(reply) as server:
        answer = ask(
            server,
            sample_data,
            f"answers.strictness={strictness}",
            "retrieval.second_try=false",
            "verification.second_look=false",
        )
    assert (answer.value, answer.reason, answer.relation) == (value, reason, "same" if reason else relation)
    if reason:
        assert answer.nearest is not None
        assert (answer.nearest.relation, answer.nearest.value, answer.nearest.page) == (
            relation,
            386412000,
            STATEMENT,
        )
        assert answer.nearest.citation is not None
        assert answer.nearest.citation.boxes
        assert answer.citations == ()
    elif relation != "same":
        assert answer.summary.startswith("Not quite what was asked: ")


def test_a_near_figure_that_its_page_does_not_print_is_not_shown(sample_data: Path) -> None:
    near = [passage(quote="Revenue 999,111", printed_figure="999,111", relation="other_period")]
    with OpenAIServer(draft("N/A", unavailable_because="other_period", evidence=near)) as server:
        answer = ask(server, sample_data, "retrieval.second_try=false", "verification.second_look=false")
    assert answer.nearest is None


def test_there_is_no_second_try_where_it_is_switched_off(sample_data: Path) -> None:
    with OpenAIServer(draft(**NOTHING)) as server:
        answer = ask(server, sample_data, "retrieval.second_try=false", text=RETIRED, kind="name")
    assert answer.usage.requests == len(server.chats) == 1


def test_a_reply_that_cannot_be_read_says_what_was_given(sample_data: Path) -> None:
    with OpenAIServer("Well.", "Well.", "Well.") as server:
        answer = ask(server, sample_data)
    assert (answer.value, answer.reason) == ("N/A", "model_failed")
    assert re.search(r"Read: pages? [\d, -]+ of 13\.$", answer.summary)


def test_a_report_that_does_not_fit_is_not_sent(sample_data: Path) -> None:
    small = ["retrieval.mode=full_report", "llm.context_window=9000"]
    with OpenAIServer() as server, pytest.raises(PromptTooLong) as caught:
        ask(server, sample_data, *small)
    assert server.chats == []
    assert re.search(r"all 13 pages of 'ostermere_2024.pdf' make about [\d,]+ tokens", str(caught.value))
    assert re.search(r"llm.context_window=9,000 only [\d,]+ are left", str(caught.value))
    assert "retrieval.mode=hybrid" in str(caught.value)


def test_the_worst_pages_are_left_out_until_the_rest_fits(sample_data: Path) -> None:
    with OpenAIServer(draft(), draft()) as server:
        roomy = ask(server, sample_data)
        tight = ask(server, sample_data, "llm.context_window=12000")
    assert len(tight.pages) < len(roomy.pages)
    assert tight.pages == roomy.pages[: len(tight.pages)]
    assert pages(prompts(server)[1]) == list(tight.pages)


def test_in_a_file_of_questions_a_report_that_does_not_fit_stops_nobody_else(
    sample_data: Path, tmp_path: Path
) -> None:
    question_file = tmp_path / "asked.json"
    questions = [{"text": REVENUE, "kind": "number"}, {"text": "What was the revenue of Acme?", "kind": "number"}]
    question_file.write_text(json.dumps(questions))
    out = tmp_path / "out.jsonl"
    with OpenAIServer() as server:
        small = settings(server, "retrieval.mode=full_report", "llm.context_window=9000")
        run = run_answers(prepare_answers(question_file, out), "offline", small, sample_data)
    assert [(f.question, f.error.startswith("all 13 pages")) for f in run.failed] == [(REVENUE, True)]
    assert run.answered == 1
