"""What a program that is written for LlamaIndex expects of the client, its engine and its retriever."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import get_response_synthesizer
from llama_index.core.tools import QueryEngineTool

import pageproof
from app.assembly.client import Pageproof
from pageproof import AnswerReady, open_pageproof

REVENUE = "What was the total revenue of Ostermere Instruments, Inc. in 2024?"
FOUND = "386,412,000 USD\nOstermere Instruments, Inc. · 10-K\n[1] ostermere_2024.pdf, page 8: “Net sales $386,412”"


def test_the_text_of_a_response_is_short_and_has_its_pages(client: Pageproof) -> None:
    for response in (client.query(REVENUE), client.query_engine.query(REVENUE)):
        assert str(response).startswith(FOUND)
        assert len(str(response)) < 500
        assert str(response.get_response()) == str(response)


def test_an_agent_s_tool_gives_the_short_text(client: Pageproof) -> None:
    tool = QueryEngineTool.from_defaults(client.query_engine, name="reports", description="Annual reports.")

    assert tool.call(REVENUE).content.startswith(FOUND)


def test_both_ways_in_give_the_same_nodes(client: Pageproof) -> None:
    searched = "What was the number of patents held by Ostermere Instruments?"
    for question in (REVENUE, searched):
        ways = [client.query(question), client.query_engine.query(question), client.query_engine.query(question)]
        first, *others = [[(n.metadata, n.score, n.node.node_id) for n in way.source_nodes] for way in ways]
        assert all(other == first for other in others)
        named = {key: first[0][0][key] for key in ("company", "file", "filing")}
        assert named == {
            "company": "Ostermere Instruments, Inc.",
            "file": "ostermere_2024.pdf",
            "filing": "10-K",
        }


@pytest.mark.parametrize("company", [None, "ostermere"])
def test_the_pages_can_be_taken_away_as_a_retriever(client: Pageproof, company: str | None) -> None:
    retriever = client.retriever(company)
    assert isinstance(retriever, BaseRetriever)

    nodes = retriever.retrieve(REVENUE)

    (report,) = next(c for c in client.companies() if c.name.startswith("Ostermere")).reports
    assert [(n.metadata["report_sha1"], n.metadata["page"]) for n in nodes] == client.retrieve(
        REVENUE, "ostermere"
    )
    assert {n.metadata["file"] for n in nodes} == {report.file}
    assert "Net sales" in "".join(n.get_content() for n in nodes)
    engine = RetrieverQueryEngine(retriever, get_response_synthesizer(llm=MockLLM(max_tokens=5)))
    assert [n.node.node_id for n in engine.query(REVENUE).source_nodes] == [n.node.node_id for n in nodes]


def test_the_pages_of_several_companies_come_by_turns(client: Pageproof) -> None:
    nodes = client.retriever().retrieve(
        "Compare the total assets of Ostermere Instruments and Veldhoorn Packaging."
    )

    first = [node.metadata["company"] for node in nodes[:4]]
    assert len(set(first[:2])) == len(set(first[2:])) == 2


def test_the_prompts_of_an_engine_can_be_read(client: Pageproof) -> None:
    prompts = client.query_engine.get_prompts()

    assert {"answers/role", "answers/user", "rerank/user"} <= set(prompts)
    template = prompts["answers/user"]
    assert template.template_vars
    filled = template.format(**dict.fromkeys(template.template_vars, "FILLED"))
    assert "FILLED" in filled
    assert "$" not in filled.replace("$$", "")


async def test_a_client_is_closed_by_async_with(sample_data: Path) -> None:
    async with open_pageproof("offline", data=sample_data) as client:
        events = [event async for event in client.stream(REVENUE)]

    assert isinstance(events[-1], AnswerReady)
    with pytest.raises(pageproof.UsageError, match="closed"):
        await client.aask(REVENUE)


def test_closing_twice_does_not_hide_the_error_of_a_with_block(sample_data: Path) -> None:
    with pytest.raises(ZeroDivisionError), open_pageproof("offline", data=sample_data) as client:  # noqa: PT012
        client.close()
        raise ZeroDivisionError

    client.close()


@pytest.mark.parametrize(
    "used",
    [
        lambda c: c.ask(REVENUE),
        lambda c: c.companies(),
        lambda c: c.has_indexes(),
        lambda c: c.report("0" * 40),
        lambda c: c.overview("ostermere"),
        lambda c: c.pages,
        lambda c: c.library.fact_sheet(["ostermere"]),
        lambda c: c.library.ingest(pageproof.IngestRequest()),
        lambda c: c.conversation().ask(REVENUE),
        lambda c: c.retriever("ostermere"),
        lambda c: c.retriever().retrieve(REVENUE),
        lambda c: c.query_engine.query(REVENUE),
        lambda c: c.warm_up(),
    ],
)
def test_a_closed_client_refuses_whatever_is_asked_with_one_sentence(
    sample_data: Path, used: Callable[[Pageproof], object]
) -> None:
    client = open_pageproof("offline", data=sample_data)
    client.close()

    with pytest.raises(pageproof.UsageError, match=r"^This client is closed: open another one\.$"):
        used(client)


def test_what_a_program_names_is_there_under_one_import() -> None:
    for name in pageproof.__all__:
        assert getattr(pageproof, name) is not None, name
    assert issubclass(pageproof.MissingIndex, pageproof.PageproofError)
    assert pageproof.Pageproof is Pageproof
    assert pageproof.__version__.count(".") >= 1
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        _ = pageproof.Nothing  # type: ignore[attr-defined]


def test_a_question_may_be_asked_inside_a_running_loop(client: Pageproof) -> None:
    async def asked() -> str:
        return str(client.ask(REVENUE))

    assert asyncio.run(asked()) == "386,412,000 USD (ostermere_2024.pdf, page 8)"
