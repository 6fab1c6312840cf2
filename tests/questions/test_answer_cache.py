"""A model's answer given again while nothing that it rests on changed, and never after."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.base.response.schema import PydanticResponse
from llama_index.core.schema import NodeWithScore, TextNode

from app import open_pageproof
from app.recording.answer_cache import AnswerKey, AnswerMemory
from indexes.ingestion.requests import IngestRequest
from storage.paths import DataPaths
from storage.records.answers import Answer, Usage
from storage.stores.caches import AnswerCache
from tests.support.doubles.openai_server import OpenAIServer
from tests.support.libraries import with_pages, write_edition
from tests.support.samples import draft, samples_request

REVENUE = "What was the total revenue of Ostermere Instruments, Inc.?"


@pytest.fixture
def data(sample_data: Path, tmp_path: Path) -> Path:
    """A copy of the samples' library, to write to."""
    shutil.copytree(sample_data, tmp_path / "data")
    return tmp_path / "data"


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer(answer=lambda _: draft()) as opened:
        yield opened


def with_model(server: OpenAIServer, *more: str) -> list[str]:
    return ["answers.kind=llm", "llm.kind=openai_like", f"llm.api_base={server.api_base}", "llm.model=any", *more]


def ask(data: Path, overrides: list[str], text: str = REVENUE, **hints: Any) -> tuple[Answer, list[int]]:
    with open_pageproof("offline", data=data, overrides=overrides) as client:
        response = client.query(text, **{"kind": "number", **hints})
        assert isinstance(response.response, Answer)
        return response.response, [node.metadata["page"] for node in response.source_nodes]


def test_a_kept_answer_is_the_same_costs_nothing_and_says_so(data: Path, server: OpenAIServer) -> None:
    first, pages = ask(data, with_model(server))
    again, same_pages = ask(data, with_model(server))

    assert len(server.chats) == 1
    assert (first.cached, again.cached, again.usage) == (False, True, Usage())
    unlike = {"usage", "seconds", "cached"}
    assert again.model_dump(exclude=unlike) == first.model_dump(exclude=unlike)
    assert same_pages == pages != []


def test_other_speed_limits_give_the_same_answer(data: Path, server: OpenAIServer) -> None:
    ask(data, with_model(server))

    assert ask(data, with_model(server, "llm.parallel=2", "llm.timeout_seconds=90"))[0].cached


@pytest.mark.parametrize(
    "changed",
    [
        {"text": f"{REVENUE} "},
        {"kind": "text"},
        {"company": "Ostermere Instruments, Inc."},
        {"set": "llm.model=other"},
        {"set": "retrieval.pages=3"},
        {"set": "answers.strictness=strict"},
        {"set": "answers.cache=false"},
    ],
    ids=str,
)
def test_whatever_else_is_asked_is_asked_of_the_model(
    data: Path, server: OpenAIServer, changed: dict[str, str]
) -> None:
    ask(data, with_model(server))
    more = [changed.pop("set")] if "set" in changed else []

    assert not ask(data, with_model(server, *more), **changed)[0].cached
    assert len(server.chats) >= 2  # more where the reply does not fill in the form of the kind


def test_another_address_is_another_model(data: Path, server: OpenAIServer) -> None:
    ask(data, with_model(server))
    with OpenAIServer(answer=lambda _: draft()) as other:
        assert not ask(data, with_model(other))[0].cached


def test_a_new_report_of_the_company_ends_its_answers_and_no_others(
    data: Path, server: OpenAIServer, sample_data: Path
) -> None:
    other = "What was the total revenue of Veldhoorn Packaging N.V.?"
    ask(data, with_model(server))
    ask(data, with_model(server), other)
    catalog = data / "catalog.csv"
    catalog.write_text('file,company_name\nnew.pdf,"Ostermere Instruments, Inc."\n', encoding="utf-8")
    new = write_edition(sample_data, "ostermere_2024.pdf", data / "new.pdf", DataPaths(data))
    with open_pageproof("offline", data=data) as client:
        assert [o.status for o in client.library.ingest(IngestRequest(paths=[new], catalog=catalog))] == [
            "indexed"
        ]

    assert not ask(data, with_model(server))[0].cached
    assert ask(data, with_model(server), other)[0].cached


def test_an_edit_of_the_catalog_ends_the_companys_answers(data: Path, server: OpenAIServer) -> None:
    ask(data, with_model(server))
    with open_pageproof("offline", data=data) as client:
        (company,) = (c for c in client.companies() if c.name.startswith("Ostermere"))
        report = company.reports[0]
        client.library.correct(report.sha1, currency="EUR")

    assert not ask(data, with_model(server))[0].cached


def test_facts_or_pages_read_anew_end_the_answers(data: Path, server: OpenAIServer) -> None:
    ask(data, with_model(server))
    for path in (data / "facts").rglob("*.json"):
        shutil.copyfile(path, path.with_suffix(".new"))
        path.with_suffix(".new").replace(path)

    assert not ask(data, with_model(server))[0].cached


def test_no_answer_of_another_library_comes_out(
    data: Path, server: OpenAIServer, tmp_path: Path, sample_data: Path
) -> None:
    ask(data, with_model(server))
    with open_pageproof("offline", data=with_pages(sample_data, tmp_path / "other")) as client:
        assert [o.status for o in client.library.ingest(samples_request())] == ["indexed"] * 3
    assert not ask(tmp_path / "other", with_model(server))[0].cached

    # Not even where its file of answers is carried over.
    shutil.copy(data / "answers.sqlite", tmp_path / "other" / "answers.sqlite")
    assert not ask(tmp_path / "other", with_model(server))[0].cached


def test_failures_are_never_kept(data: Path) -> None:
    with OpenAIServer(answer=lambda _: "no form at all") as server:
        failed, _ = ask(data, with_model(server))
        before = len(server.chats)
        again, _ = ask(data, with_model(server))

    assert (failed.reason, again.reason, again.cached) == ("model_failed", "model_failed", False)
    assert len(server.chats) > before


def test_without_a_model_nothing_is_kept(data: Path) -> None:
    (data / "answers.sqlite").unlink(missing_ok=True)  # the copied library may have been asked with a model
    ask(data, [])

    assert not (data / "answers.sqlite").exists()


def test_a_cache_that_cannot_be_read_costs_the_saving_alone(data: Path, server: OpenAIServer) -> None:
    (data / "answers.sqlite").write_text("this is no database, and longer than a header of one hundred bytes " * 3)

    assert ask(data, with_model(server))[0].value == draft()["final_answer"]


async def test_an_answer_is_kept_only_under_what_it_rests_on(tmp_path: Path) -> None:
    memory = AnswerMemory(AnswerCache(tmp_path / "answers.sqlite"), none_needed, none_needed)
    paid = Usage(requests=1)
    other = Answer(question="q", kind="comparative", parts=(Answer(question="q", kind="number", company="Beta"),))
    half_judged = TextNode(metadata={"report_sha1": "abc", "page": 1, "rerank_failed": True})
    cases = {
        "kept": (Answer(question="q", kind="number", company="Acme", usage=paid), []),
        "free": (Answer(question="q", kind="number", company="Acme"), []),
        "rests on another company": (other.model_copy(update={"usage": paid}), []),
        "half judged": (
            Answer(question="q", kind="number", company="Acme", usage=paid),
            [NodeWithScore(node=half_judged)],
        ),
    }
    found = {}
    for name, (answer, nodes) in cases.items():
        key = AnswerKey(text=name, companies=frozenset({"Acme"}))
        await memory.store(key, PydanticResponse(response=answer, source_nodes=nodes))
        found[name] = await memory.recall(key) is not None

    assert found == {"kept": True, "free": False, "rests on another company": False, "half judged": False}


none_needed: Any = None
