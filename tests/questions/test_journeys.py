"""From a PDF to a cited answer, as a user would go, with everything real but the language model."""

import asyncio
import io
import json
import re
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from llama_index.core.base.response.schema import PydanticResponse
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from app import open_pageproof
from app.assembly.client import Pageproof
from app.page_pictures import PagePictures, draw
from indexes.ingestion.requests import IngestRequest
from query_engines.events import AnswerReady, StepFinished, StepStarted
from storage.errors import MissingIndex, MissingKey, ProviderError, QuestionTooLong, UsageError
from storage.records.answers import Answer
from storage.records.questions import Question
from tests.support.doubles.openai_server import ErrorReply, OpenAIServer
from tests.support.libraries import with_pages
from tests.support.samples import OSTERMERE, SAMPLES, draft, known_fact, samples_request


def answered(response: PydanticResponse) -> Answer:
    assert isinstance(response.response, Answer)
    return response.response


def test_offline_the_total_revenue_is_answered_with_its_page_and_checks(client: Pageproof) -> None:
    fact = known_fact(OSTERMERE, "Total revenue")
    response = client.query(f"What was the total revenue of {OSTERMERE}?", kind="number")
    answer = answered(response)
    assert answer.value == fact["value"]
    assert answer.citations[0].page - 1 in fact["pages"]
    assert answer.citations[0].boxes
    assert {c.verdict for c in answer.checks} <= {"passed", "not_applicable"}
    assert answer.usage.requests == 0
    assert {n.metadata["page"] for n in response.source_nodes} == set(answer.pages)


def test_the_mark_is_on_the_figure_of_a_page_that_is_turned(server: OpenAIServer, sample_data: Path) -> None:
    query = (
        "What were the net sales of Tsukimine Seiki Co., Ltd. in the fiscal year ended March 31, 2022 (in JPY)?"
    )
    with pypdfium2.PdfDocument(SAMPLES / "tsukimine_2025.pdf") as pdf:
        number = next(n for n, page in enumerate(pdf, start=1) if page.get_rotation() == 90)
        size, text = pdf[number - 1].get_size(), pdf[number - 1].get_textpage()
        passage = {"page": number, "quote": "187,245", "printed_figure": "187,245", "scale": 1_000_000}
        passage |= {"currency": "JPY", "period": "2022"}
        server.say(draft(evidence=[passage], relevant_pages=[number], final_answer=187_245_000_000))
        over = ["answers.kind=llm", "llm.kind=openai_like", "llm.model=any", f"llm.api_base={server.api_base}"]
        with open_pageproof(
            "offline", overrides=[*over, "verification.second_look=false"], data=sample_data
        ) as own:
            answer = answered(own.query(query, kind="number"))
            (cited,) = answer.citations
            png = PagePictures(own.paths, draw).png(cited.report_sha1, cited.page, cited.boxes)
        (box,) = cited.boxes
        # As displayed, this page's own left edge is at the top and its bottom edge on the left.
        assert text.get_text_bounded(box.top - 1, box.left - 1, box.bottom + 1, box.right + 1).strip() == "187,245"
        text.close()
    assert (cited.page, cited.page_width, cited.page_height) == (number, *map(pytest.approx, size))
    with Image.open(io.BytesIO(png)) as picture:
        assert picture.size == (round(2 * cited.page_width), round(2 * cited.page_height))
        colour = picture.convert("RGB").getpixel((int(2 * box.left), int(2 * box.top)))
    assert isinstance(colour, tuple)
    assert min(colour[:2]) > 200 > colour[2]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("What was the net loss (in EUR) of Ostermere Instruments, Inc.?", "other_currency"),
        ("How many submarines did Ostermere Instruments, Inc. launch?", "needs_reading"),
        ("What was the revenue of Acme Corporation?", "company_unknown"),
        ("Did Ostermere Instruments, Inc. buy Veldhoorn Packaging N.V.?", "company_ambiguous"),
    ],
)
def test_offline_what_cannot_be_answered_says_why(client: Pageproof, text: str, reason: str) -> None:
    answer = answered(client.query(text))
    assert (answer.value, answer.reason) == ("N/A", reason)
    assert bool(answer.candidates) == reason.startswith("company")


@pytest.mark.parametrize("text", ["1" * 2_001, "What " + "'a' \"b\" " * 5_000 + "revenue of Ostermere?"])
def test_a_question_without_an_end_is_refused_by_a_client_at_once(client: Pageproof, text: str) -> None:
    (company, *_) = client.companies()
    started = time.process_time()
    for ask in (
        lambda: client.query(text),
        lambda: client.query_engine.query(text),
        lambda: client.retrieve(Question(text=text), company),
        lambda: client.query("What was the revenue?", company=text),
    ):
        with pytest.raises(QuestionTooLong, match="characters, and at most"):
            ask()
    assert time.process_time() - started < 1


async def test_the_stream_tells_each_step_and_ends_with_the_answer(sample_data: Path) -> None:
    with open_pageproof("offline", data=sample_data) as own:
        text = f"Did {OSTERMERE} announce any share buyback plans?"
        events = [e async for e in own.stream(Question(text=text))]
    kinds = [e.kind for e in events if isinstance(e, StepStarted)]
    assert kinds == ["routing", "retrieval", "retrieval", "rerank", "answer", "verification"]
    assert sum(isinstance(e, StepFinished) for e in events) == len(kinds)
    assert isinstance(events[-1], AnswerReady)


async def test_an_answer_from_the_fact_table_needs_no_search(sample_data: Path) -> None:
    with open_pageproof("offline", data=sample_data) as own:
        events = [e async for e in own.stream(Question(text=f"What was the total revenue of {OSTERMERE}?"))]
    kinds = [e.kind for e in events if isinstance(e, StepStarted)]
    assert kinds == ["routing", "retrieval", "answer", "verification"]
    last = events[-1]
    assert isinstance(last, AnswerReady)
    assert last.answer.pages == (last.answer.citations[0].page,)


async def test_questions_may_be_asked_at_once_from_an_event_loop(sample_data: Path) -> None:
    with open_pageproof("offline", data=sample_data) as own:
        texts = [f"What was the total revenue of {c.name}?" for c in own.companies()] * 4
        answers = await asyncio.gather(*(own.aquery(t) for t in texts))
        assert [answered(a).company for a in answers] == [c.name for c in own.companies()] * 4


def test_a_query_engine_of_llama_index_answers_a_plain_text(client: Pageproof) -> None:
    response = client.query_engine.query(f"What was the total revenue of {OSTERMERE}?")
    assert isinstance(response, PydanticResponse)
    assert answered(response).value == known_fact(OSTERMERE, "Total revenue")["value"]


@pytest.fixture(scope="module")
def openai_data(sample_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The samples under OpenAI's embeddings, as the test server makes them."""
    data = with_pages(sample_data, tmp_path_factory.mktemp("openai"))
    with OpenAIServer() as server, open_pageproof("openai", overrides=at(server), data=data) as opened:
        assert all(o.status == "indexed" for o in opened.library.ingest(samples_request()))
    return data


def at(server: OpenAIServer) -> list[str]:
    return [f"embedding.api_base={server.api_base}", f"llm.api_base={server.api_base}"]


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        yield running


def ask(server: OpenAIServer, data: Path, *overrides: str) -> Answer:
    chosen = [*at(server), "retrieval.mode=full_report", *overrides]
    with open_pageproof("openai", overrides=chosen, data=data) as opened:
        return answered(opened.query(f"What was the total revenue of {OSTERMERE}?", kind="number"))


def test_openai_gets_the_kind_s_form_and_the_pages_of_one_company_alone(
    server: OpenAIServer, openai_data: Path
) -> None:
    server.say(draft())
    answer = ask(server, openai_data)
    (chat,) = server.chats
    form = chat["response_format"]["json_schema"]
    prompt = chat["messages"][-1]["content"]
    assert form["strict"] is True
    assert form["schema"]["properties"]["final_answer"]["enum"] == ["as printed", "N/A"]
    assert re.findall(r'<page number="(\d+)">', prompt) == [str(n) for n in range(1, 14)]
    assert "386,412" in prompt
    assert not re.search("Veldhoorn|Tsukimine", json.dumps(chat, ensure_ascii=False))
    assert answer.value == 386412000
    assert answer.citations[0].page == known_fact(OSTERMERE, "Total revenue")["pages"][1] + 1
    assert {c.verdict for c in answer.checks} <= {"passed", "not_applicable"}
    assert next(c.verdict for c in answer.checks if c.name == "fact_table") == "passed"
    assert answer.usage.requests == 1
    assert answer.usage.cost_usd == pytest.approx((11 * 0.15 + 7 * 0.60) / 1e6)  # gpt-4o-mini's list price
    assert answer.prompt_version


def test_openai_searches_with_its_own_embeddings(server: OpenAIServer, openai_data: Path) -> None:
    server.say(draft(final_answer="N/A", unavailable_because="not_found", evidence=[], relevant_pages=[]))
    answer = ask(
        server,
        openai_data,
        "retrieval.mode=vector",
        "retrieval.pages=3",
        "verification.second_look=false",
        "retrieval.second_try=false",
    )
    (((searched,),),) = [[r.body["input"]] for r in server.requests if r.path.endswith("/embeddings")]
    assert searched.startswith("total revenue ")
    assert "Ostermere" not in searched
    assert len(answer.pages) == 3
    assert answer.reason == "not_found"
    assert answer.usage.requests == 2  # the embedding of the question is counted and priced, too
    assert answer.usage.cost_usd is not None


def test_a_model_judges_the_pages_three_to_a_request_before_it_answers(openai_data: Path) -> None:
    wanted = known_fact(OSTERMERE, "Total revenue")["pages"][1] + 1
    judged: list[list[int]] = []

    def reply(body: dict[str, Any]) -> dict[str, Any]:
        if body["response_format"]["json_schema"]["name"] != "PageJudgements":
            return draft()
        given = [int(n) for n in re.findall(r'<page number="(\d+)">', body["messages"][-1]["content"])]
        judged.append(given)
        return {"judgements": [{"page": n, "reasoning": "…", "relevance": float(n == wanted)} for n in given]}

    with OpenAIServer(answer=reply) as server:
        answer = ask(server, openai_data, "retrieval.mode=vector", "retrieval.pages=3", "rerank.kind=llm")

    assert {len(batch) for batch in judged[:-1]} <= {3}
    assert len({n for batch in judged for n in batch}) == sum(map(len, judged))
    assert answer.pages[0] == wanted
    assert len(answer.pages) == 3
    assert answer.usage.requests == 1 + len(judged) + 1


@pytest.mark.parametrize("mode", ["bm25", "hybrid", "vector"])
def test_each_way_of_searching_finds_the_statement(sample_data: Path, mode: str) -> None:
    fact = known_fact(OSTERMERE, "Total revenue")
    with open_pageproof("offline", overrides=[f"retrieval.mode={mode}"], data=sample_data) as own:
        company = next(c for c in own.companies() if c.name == OSTERMERE)
        (_, page), *_ = own.retrieve(Question(text=f"How much did {OSTERMERE} sell?"), company)
    assert page - 1 in fact["pages"]


def test_a_false_scale_is_shown_or_withheld_as_chosen(server: OpenAIServer, openai_data: Path) -> None:
    server.say(draft(final_answer=386412), draft(final_answer=386412))
    shown = ask(server, openai_data, "verification.second_look=false")
    withheld = ask(server, openai_data, "verification.second_look=false", "verification.on_failure=withhold")
    assert shown.value == 386412
    assert next(c.verdict for c in shown.checks if c.name == "fact_table") == "failed"
    assert "failed" in {c.verdict for c in shown.checks}
    assert (withheld.value, withheld.reason) == ("N/A", "unverified")


def test_a_model_that_fills_in_nothing_is_an_answer_with_a_reason(server: OpenAIServer, openai_data: Path) -> None:
    server.say("I cannot say.", "I cannot say.", "I cannot say.")
    assert ask(server, openai_data).reason == "model_failed"


def test_a_provider_that_refuses_is_an_error_of_one_line(server: OpenAIServer, openai_data: Path) -> None:
    server.say(*[ErrorReply(400, "unsupported")] * 2)
    with pytest.raises(ProviderError):
        ask(server, openai_data)


def test_without_a_key_the_hosted_profile_says_which_is_missing(openai_data: Path) -> None:
    with pytest.raises(MissingKey, match="OPENAI_API_KEY"):
        open_pageproof("openai", data=openai_data)


def test_a_report_without_any_text_is_not_taken_in(server: OpenAIServer, tmp_path: Path) -> None:
    blank = Canvas(str(tmp_path / "blank.pdf"))
    blank.rect(72, 72, 200, 200)
    blank.save()
    with open_pageproof("openai", overrides=at(server), data=tmp_path / "data") as opened:
        (ingested,) = opened.library.ingest(IngestRequest(paths=[tmp_path / "blank.pdf"]))
    assert (ingested.status, server.chats) == ("failed", [])
    assert "no page has text" in ingested.reason


def test_an_empty_question_and_an_empty_library_are_told_apart(client: Pageproof, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="empty"):
        client.query("  ")
    with (
        open_pageproof("offline", data=tmp_path) as empty,
        pytest.raises(MissingIndex, match="nothing is ingested"),
    ):
        empty.query("What was the revenue of Acme?")


def test_an_empty_library_says_which_folder_was_looked_in_and_how_to_fill_that_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PAGEPROOF_DATA", raising=False)
    for data, command in (("data", "ingest PATH`"), ("no data", "ingest PATH --data 'no data'`")):
        for owner in (None, "ann"):
            with open_pageproof("offline", data=data, owner=owner) as empty:
                for look in (partial(empty.ask, "What was the revenue of Acme?"), empty.library.fact_sheet):
                    with pytest.raises(MissingIndex) as told:
                        look()
                    assert f"nothing is ingested yet in {tmp_path / data}; run `pageproof {command}" in str(
                        told.value
                    )
