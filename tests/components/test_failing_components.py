"""A component of the user's own that fails, or gives something else than it should, is named with its own words."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from app import open_pageproof
from app.assembly.client import Pageproof
from app.assembly.components import OwnComponents
from app.readiness import examine
from app.settings import load_settings
from indexes.ingestion.requests import IngestRequest
from query_engines.llm.connection import access
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.llm.own_llm import build_own_llm
from storage.components import make_component, of_the_user
from storage.errors import ComponentError, PageproofError, ProviderError, UsageError
from tests.support import own_parts
from tests.support.samples import ROOT

SAMPLE = ROOT / "app" / "samples" / "ostermere_2024.pdf"
SEARCHED = "What was the number of patents held by Ostermere Instruments?"
OURS = ("mistake in Pageproof", "please report", "may be damaged", "a defect")


def asked(data: Path, **given: Any) -> Any:
    with open_pageproof("offline", overrides=["answers.cache=false"], data=data, **given) as client:
        return client.ask(SEARCHED)


def ingested(data: Path, **given: Any) -> str:
    """Why a report could not be ingested."""
    with open_pageproof("offline", data=data, **given) as client:
        (result,) = client.library.ingest(IngestRequest(paths=(SAMPLE,)))
    assert result.status == "failed"
    return str(result.reason)


WHILE_ASKED = {
    "a reranker that raises": (
        {"rerankers": [own_parts.FailingReranker()]},
        "the reranker FailingReranker failed with KeyError: 'my own words' (own_parts.py, line ",
    ),
    "a reranker that returns nothing": (
        {"rerankers": [own_parts.NothingReranked()]},
        "the reranker NothingReranked returned None, expected a list of NodeWithScore",
    ),
    "a retriever that raises": (
        {"retriever": own_parts.FailingRetriever},
        "the retriever FailingRetriever failed with KeyError: 'my own words'",
    ),
    "a retriever with nodes of its own": (
        {"retriever": own_parts.ForeignNodes},
        "which is no passage of this report; expected nodes of `index` or `nodes`",
    ),
    "a retriever that is none": (
        {"retriever": own_parts.NoRetriever},
        "the retriever NoRetriever is a NoRetriever",
    ),
    "a program that raises": (
        {"programs": {"number": own_parts.FailingProgram()}},
        "the program FailingProgram failed with KeyError: 'my own words'",
    ),
    "a program that drafts nothing": (
        {"programs": {"number": own_parts.WrongProgram()}},
        "the program WrongProgram gave a int, expected a prompts.kinds.number.NumberDraft",
    ),
    "a model that raises": ({"llm": own_parts.FailingLlm()}, "FailingLlm failed with KeyError: 'my own words'"),
    "a model that gives a text": (
        {"llm": own_parts.WrongLlm()},
        "the language model WrongLlm gave a str, expected a ChatResponse",
    ),
}
WHILE_READ = {
    "a reader that raises": (
        {"reader": own_parts.FailingReader()},
        "the reader FailingReader failed with KeyError: 'my own words' (own_parts.py, line ",
    ),
    "a reader that gives texts": (
        {"reader": own_parts.TextReader()},
        "the reader TextReader gave a str among the pages, expected Page records",
    ),
    "a reader that gives nothing": ({"reader": own_parts.NothingRead()}, "gave nothing, expected a list of Page"),
    "a reader whose documents are not its pages": (
        {"reader": own_parts.PageTexts(first=1)},
        "gave 1 documents for 13 pages, without `page_number` in their metadata",
    ),
}
WHILE_INDEXED = {
    "a vector store that raises": (
        {"vector_store": own_parts.FailingStore},
        "the vector store FailingStore failed with KeyError: 'my own words'",
    ),
    "a vector store without filters": (
        {"vector_store": own_parts.Unfiltered},
        "the vector store Unfiltered cannot be used: it does not filter by metadata",
    ),
    "an embedding that raises": (
        {"embedding": own_parts.FailingEmbedding(model_name="own-1")},
        "the embedding FailingEmbedding failed with KeyError: 'my own words'",
    ),
    "an embedding with too few vectors": (
        {"embedding": own_parts.TooFewVectors(model_name="own-2")},
        "the embedding TooFewVectors gave 1 vectors for ",
    ),
    "an embedding of words": (
        {"embedding": own_parts.WordVectors(model_name="own-3")},
        "the embedding WordVectors failed with ValidationError: ",
    ),
    "a chunker that raises": (
        {"chunker": own_parts.FailingChunker()},
        "the chunker FailingChunker failed with KeyError: 'my own words'",
    ),
}


@pytest.mark.parametrize("case", WHILE_ASKED)
def test_what_fails_while_a_question_is_answered_is_not_called_ours(sample_data: Path, case: str) -> None:
    given, message = WHILE_ASKED[case]

    with pytest.raises((ComponentError, ProviderError)) as caught:
        asked(sample_data, **given)

    assert message in str(caught.value)
    assert not any(words in str(caught.value) for words in OURS)


@pytest.mark.parametrize("case", WHILE_READ)
def test_what_fails_while_a_report_is_read_is_not_called_ours(tmp_path: Path, case: str) -> None:
    given, message = WHILE_READ[case]

    reason = ingested(tmp_path / "data", **given)

    assert message in reason
    assert not any(words in reason for words in OURS)


def assert_says_how_it_is_called(message: str, how: str) -> None:
    assert "failed with TypeError: " in message
    assert f"; it is {how}" in message
    assert message.endswith(", and is not part of Pageproof")
    assert ".py, line" not in message


def test_a_reader_with_another_signature_is_told_how_it_is_called_and_no_line_of_ours(tmp_path: Path) -> None:
    reason = ingested(tmp_path / "data", reader=own_parts.NarrowReader())

    assert_says_how_it_is_called(reason, "called as `read_pages(path, sha1, on_page)`")


@pytest.mark.parametrize(
    ("part", "how"),
    [
        ("retriever", "made with what it takes of `index`, `filters`, `nodes`"),
        ("vector_store", "made with what it takes of `collection_name`, `folder` and `dimensions`"),
    ],
)
def test_a_class_that_wants_what_it_is_not_given_is_told_what_it_is_made_with(
    sample_data: Path, tmp_path: Path, part: str, how: str
) -> None:
    data = Path(shutil.copytree(sample_data, tmp_path / "data"))
    given: Any = {part: own_parts.DemandingRetriever}

    with pytest.raises(ComponentError) as caught, open_pageproof("offline", data=data, **given) as client:
        client.ask(SEARCHED) if part == "retriever" else list(
            client.library.ingest(IngestRequest(paths=(SAMPLE,)))
        )

    assert_says_how_it_is_called(str(caught.value), how)


def test_an_error_in_code_of_ours_that_a_component_calls_names_the_component_s_own_line() -> None:
    def component() -> None:
        make_component("checks", 3, {}, "", object)  # type: ignore[arg-type]  # as a careless component would

    with pytest.raises(ComponentError) as caught, of_the_user("the reader Careless"):
        component()

    assert "(test_failing_components.py, line " in str(caught.value)
    assert "called as" not in str(caught.value)


@pytest.mark.parametrize("how", ["object", "setting"])
def test_a_check_without_a_name_is_told_what_it_lacks(sample_data: Path, how: str) -> None:
    given: Any = (
        {"checks": [own_parts.Nameless()]}
        if how == "object"
        else {"overrides": ["verification.checks=tests.support.own_parts:Nameless"]}
    )
    lacks = "a Nameless, which has no `name`, expected (an )?OwnCheck"
    with (
        pytest.raises(UsageError, match=lacks),
        open_pageproof("offline", data=sample_data, **given) as client,
    ):
        client.ask(SEARCHED)


@pytest.mark.parametrize("case", WHILE_INDEXED)
def test_what_fails_while_a_report_is_indexed_is_not_called_ours(
    sample_data: Path, tmp_path: Path, case: str
) -> None:
    given, message = WHILE_INDEXED[case]
    data = Path(shutil.copytree(sample_data, tmp_path / "data"))

    with (
        pytest.raises(ComponentError) as caught,
        open_pageproof("offline", data=data, **given) as client,
    ):
        list(client.library.ingest(IngestRequest(paths=(SAMPLE,))))

    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("verdict", "shown"),
    [
        (True, "returned True, expected ('passed', 'failed' or 'not_applicable'"),
        (("good", "fine"), "returned ('good', 'fine'), expected"),
        (("passed", 3), "returned ('passed', 3), expected"),
        (None, "returned None, expected"),
        (KeyError("oh"), "failed with KeyError: 'oh'"),
    ],
)
def test_a_check_with_a_wrong_verdict_counts_as_failed_and_says_what_it_returned(
    sample_data: Path, verdict: Any, shown: str
) -> None:
    answer = asked(sample_data, checks=[own_parts.Verdicts(verdict)], llm=own_parts.Scripted())

    (found,) = [check for check in answer.checks if check.name == "own_verdicts"]
    assert found.verdict == "failed"
    assert shown in found.detail


def test_a_store_that_cannot_be_imported_any_more_does_not_stop_correct_and_remove(
    sample_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    data = Path(shutil.copytree(sample_data, tmp_path / "data"))
    monkeypatch.setattr(own_parts, "Passing", type("Passing", (own_parts.SimpleVectorStore,), {}), raising=False)
    own_parts.Passing.__module__ = own_parts.__name__
    with open_pageproof("offline", data=data, vector_store=own_parts.Passing) as client:
        assert [one.status for one in client.library.ingest(IngestRequest(paths=(SAMPLE,)))] == ["indexed"]
    monkeypatch.delattr(own_parts, "Passing")

    with open_pageproof("offline", data=data) as client:
        (report,) = [r for c in client.companies() for r in c.reports if r.file == SAMPLE.name]
        assert client.library.correct(report.sha1, currency="EUR").currency == "EUR"
        assert client.library.correct(report.sha1, company="Another Name Inc.").company == "Another Name Inc."
        client.library.remove(report.sha1)

        assert client.report(report.sha1) is None
        assert report.sha1 not in {path.name for path in data.rglob("*")}
        assert "has no 'Passing'" in caplog.text
        with pytest.raises(UsageError, match="there is no report"):
            client.library.remove(report.sha1)


def test_a_store_that_only_this_program_can_make_is_used_as_it_was_given(
    tmp_path: Path, sample_data: Path
) -> None:
    data = Path(shutil.copytree(sample_data, tmp_path / "data"))
    made = []

    def store(collection_name: str) -> own_parts.SimpleVectorStore:
        made.append(collection_name)
        return own_parts.SimpleVectorStore()

    with open_pageproof("offline", data=data, vector_store=store) as client:
        (result,) = client.library.ingest(IngestRequest(paths=(SAMPLE,)))
        assert result.status == "indexed", result.reason
        client.ask(SEARCHED)

    assert len(set(made)) == 1


def test_two_models_of_one_class_do_not_share_stored_answers(sample_data: Path) -> None:
    def value(llm: Any) -> tuple[Any, bool]:
        with open_pageproof("offline", data=sample_data, llm=llm) as client:
            answer = client.ask("What was the total revenue of Ostermere Instruments in 2024?")
        return answer.value, answer.cached

    assert value(own_parts.Scripted()) == (own_parts.FIGURE, False)
    assert value(own_parts.Scripted(figure=5)) == (5, False)
    assert value(own_parts.Scripted()) == (own_parts.FIGURE, True)
    assert value(own_parts.Hidden(6)) == (6, False)
    assert value(own_parts.Hidden(7)) == (7, False)


def test_a_check_given_beside_the_same_model_is_not_answered_for_by_an_earlier_answer(sample_data: Path) -> None:
    def checks(*given: Any) -> set[str]:
        with open_pageproof("offline", data=sample_data, llm=own_parts.Scripted(), checks=given) as client:
            answer = client.ask("What was the total revenue of Ostermere Instruments, Inc. in 2024?")
        return {check.name for check in answer.checks}

    assert "own_verdicts" not in checks()
    assert "own_verdicts" in checks(own_parts.Verdicts())


def test_the_code_of_a_class_that_a_setting_names_is_part_of_what_stored_answers_depend_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    settings = load_settings("offline", ["verification.checks=changing_check:Check"])
    states = set()
    for text in ("class Check: pass", "class Check: name = 'other'"):
        (tmp_path / "changing_check.py").write_text(text, encoding="utf-8")
        states.add(OwnComponents().state(settings))

    assert len(states) == 2


@pytest.mark.parametrize("how", ["object", "setting"])
def test_the_window_that_is_set_counts_and_otherwise_what_the_class_says(sample_data: Path, how: str) -> None:
    def window(*overrides: str) -> int:
        named = [] if how == "object" else ["llm.kind=tests.support.own_parts:Scripted", "answers.kind=llm"]
        given: dict[str, Any] = {"llm": own_parts.Scripted()} if how == "object" else {}
        with open_pageproof("offline", overrides=[*named, *overrides], data=sample_data, **given) as client:
            return window_of(client)

    assert window() == 100_000
    assert window("llm.context_window=20000") == 20_000


def window_of(client: Pageproof) -> int:
    """The window as the message about pages that do not fit has it."""
    loop = BackgroundLoop()
    try:
        options: Any = client.settings.llm
        return build_own_llm(options, access(options, loop), own_parts.Scripted()).context_window
    finally:
        loop.close()


def test_a_model_that_reports_no_tokens_is_counted_all_the_same(sample_data: Path) -> None:
    answer = asked(sample_data, llm=own_parts.Scripted())

    assert answer.usage.requests >= 1
    assert answer.usage.prompt_tokens > 1_000
    assert answer.usage.completion_tokens > 20


SIMILARITY = "llama_index.core.postprocessor:SimilarityPostprocessor"


@pytest.mark.parametrize(
    ("group", "kind", "options", "slip"),
    [
        ("rerankers", SIMILARITY, {"similarity_cutof": 0.5}, "similarity_cutof"),
        ("llms", "tests.support.own_parts:Scripted", {"figur": 1.0}, "figur"),
        ("vector_stores", "llama_index.core.vector_stores:SimpleVectorStore", {"stores_text": True}, ""),
        ("vector_stores", "llama_index.core.vector_stores:SimpleVectorStore", {"persistt": "x"}, "persistt"),
        ("embeddings", "llama_index.core.embeddings:MockEmbedding", {"embed_dim": 8, "embd": 1}, "embd"),
        ("chunkers", "llama_index.core.node_parser:SentenceSplitter", {"chunk_sise": 128}, "chunk_sise"),
        ("chunkers", "llama_index.core.node_parser:SentenceWindowNodeParser", {"window": 2}, "window"),
    ],
)
def test_a_slip_in_an_option_is_refused_also_by_classes_that_would_leave_it_aside(
    group: Any, kind: str, options: dict[str, Any], slip: str
) -> None:
    if not slip:
        make_component(group, kind, options, "section.kind", object)
        return

    with pytest.raises(UsageError, match=f"section.options do not fit '{kind}', which takes .*{slip}"):
        make_component(group, kind, options, "section.kind", object)


RERANK = "rerank.kind=llama_index.core.postprocessor:LLMRerank"


def test_llamaindex_s_reranker_asks_the_model_that_is_given(sample_data: Path) -> None:
    with open_pageproof("offline", overrides=[RERANK], data=sample_data, llm=own_parts.Scripted()) as client:
        assert client.ask(SEARCHED).usage.requests >= 1


def test_llamaindex_s_reranker_asks_the_model_that_is_named_and_no_other(sample_data: Path) -> None:
    named = [RERANK, "llm.kind=tests.support.own_parts:Scripted"]
    with open_pageproof("offline", overrides=named, data=sample_data) as client:
        assert client.ask(SEARCHED).usage.requests >= 1

    with pytest.raises(
        PageproofError, match=r"rerank.kind: '.*LLMRerank' asks a language model, and none is named"
    ):
        open_pageproof("offline", overrides=[RERANK], data=sample_data)


def test_a_model_that_is_named_and_that_nothing_asks_is_said(
    sample_data: Path, caplog: pytest.LogCaptureFixture
) -> None:
    named = ["llm.kind=tests.support.own_parts:Scripted"]

    open_pageproof("offline", overrides=named, data=sample_data).close()

    assert "nothing asks it: set answers.kind=llm" in caplog.text
    notes = [found for found in examine("offline", named, sample_data, {}) if found.what.startswith("llm.kind=")]
    assert [(note.state, "answers.kind=llm" in note.advice) for note in notes] == [("note", True)]
