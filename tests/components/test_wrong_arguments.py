"""Every public entry is called with wrong arguments, one at a time: what comes back is an answer or a sentence."""

import asyncio
import inspect
import re
import shutil
from collections.abc import AsyncGenerator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.assembly.client import Pageproof
from app.assembly.components import Components
from app.library.editor import LibraryEditor
from pageproof import IngestRequest, PageproofError, Question, UsageError, open_pageproof
from query_engines.routing.dialogue import Conversation, Dialogue

ODD = (
    None,
    3,
    -1.5,
    True,
    "",
    "\x00 ",
    b"bytes",
    [],
    [None],
    {},
    {"a": 1},
    object(),
    int,
    Path("no/such"),
    "x" * 9_000,
)
REVENUE = "What was the total revenue of Ostermere Instruments?"
NOBODY = "0" * 40
# They end the client; and what is given a function that works out an edit runs the program's own code.
LEFT_OUT = {"close", "aclose", "edit"}
# What else a method is given while one of its arguments is wrong.
GIVEN: dict[str, dict[str, Any]] = {
    "report": {"sha1": NOBODY},
    "pdf": {"sha1": NOBODY},
    "paths_of": {"sha1": NOBODY},
    "overview": {"company": "ostermere"},
    "follow_up": {"dialogue": Dialogue(), "text": REVENUE},
    "conversation": {},
    "ask": {"question": REVENUE},
    "aask": {"question": REVENUE},
    "query": {"question": REVENUE},
    "aquery": {"question": REVENUE},
    "stream": {"question": REVENUE},
    "card": {"answer": None},
    "retrieve": {"question": REVENUE, "company": "ostermere"},
    "retriever": {"company": None},
    "run": {"coroutine": None},
    "warm_up": {"reading": False},
    "companies": {},
    "has_indexes": {},
    "owns": {"sha1": NOBODY},
    "pdfs": {"paths": ["no/such"]},
    "ingest": {"request": IngestRequest(paths=["no/such"])},
    "read_pictures": {},
    "with_unread_pictures": {},
    "make_again": {},
    "outdated": {},
    "fact_sheet": {},
    "correct": {"sha1": NOBODY},
    "remove": {"sha1": NOBODY},
    "discard": {"sha1": NOBODY},
    "copy_catalog": {},
}


@pytest.fixture(scope="module")
def opened(sample_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pageproof]:
    data = Path(shutil.copytree(sample_data, tmp_path_factory.mktemp("wrong") / "data"))
    with open_pageproof("offline", data=data) as client:
        yield client


def entries(cls: type) -> list[str]:
    return [name for name, _ in inspect.getmembers(cls, inspect.isroutine) if not name.startswith("_")]


def called(method: Callable[..., Any], arguments: dict[str, Any]) -> None:
    """Call an entry and take all that it gives; only Pageproof's own errors may come."""
    try:
        found = method(**arguments)
        if inspect.isawaitable(found):
            asyncio.run(_awaited(found))
        elif isinstance(found, AsyncGenerator):
            asyncio.run(_all_of(found))
        elif inspect.isgenerator(found):
            list(found)
    except PageproofError as error:
        assert_is_a_sentence(str(error))


async def _awaited(found: Any) -> Any:
    return await found


async def _all_of(found: AsyncGenerator[Any, None]) -> list[Any]:
    return [one async for one in found]


def assert_is_a_sentence(message: str) -> None:
    assert len(message) > 15
    assert "Traceback" not in message
    assert not re.search(r"errors\.pydantic\.dev|validation error|0x[0-9a-f]{8}", message), message


def walk(method: Callable[..., Any], given: dict[str, Any]) -> None:
    parameters = [
        one.name
        for one in inspect.signature(method).parameters.values()
        if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY) and one.name != "pages"
    ]
    for name in parameters:
        for odd in ODD:
            called(method, {**given, name: odd})


@pytest.mark.parametrize("name", [name for name in entries(Pageproof) if name not in LEFT_OUT])
def test_a_client_says_what_is_wrong_with_an_argument(opened: Pageproof, name: str) -> None:
    walk(getattr(opened, name), GIVEN[name])


@pytest.mark.parametrize("name", [name for name in entries(LibraryEditor) if name not in LEFT_OUT])
def test_a_library_says_what_is_wrong_with_an_argument(opened: Pageproof, name: str) -> None:
    given = {**GIVEN[name], "pages": opened.pages} if name == "overview" else GIVEN[name]
    walk(getattr(opened.library, name), given)


def test_a_conversation_an_engine_and_a_retriever_say_what_is_wrong_with_an_argument(opened: Pageproof) -> None:
    conversation = opened.conversation()
    assert entries(Conversation) == ["ask"]
    walk(conversation.ask, {"text": REVENUE})
    for odd in ODD:
        called(opened.query_engine.query, {"str_or_query_bundle": odd})
        called(opened.query_engine.aquery, {"str_or_query_bundle": odd})
        called(opened.retriever("ostermere").retrieve, {"str_or_query_bundle": odd})
        called(opened.retriever().aretrieve, {"str_or_query_bundle": odd})


def test_opening_says_what_is_wrong_with_an_argument(sample_data: Path) -> None:
    def opening(**arguments: Any) -> None:
        open_pageproof(**{"data": sample_data, **arguments}).close()

    parameters = set(inspect.signature(open_pageproof).parameters) - {"components", "purpose"}
    components = set(Components.__annotations__)
    for name in parameters | components:
        for odd in ODD:
            called(opening, {name: odd})


@pytest.mark.parametrize("record", [Question, IngestRequest])
def test_what_a_program_makes_says_which_field_is_wrong(record: Any) -> None:
    for name in record.model_fields:
        for odd in ODD:
            called(record, {"text": REVENUE, name: odd} if record is Question else {name: odd})
    with pytest.raises(UsageError, match=f"{record.__name__}: .*colour: Extra inputs are not permitted"):
        record(colour="red")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda c: c.ask(None), "the question is None, expected a text or a Question"),
        (lambda c: c.ask("  "), "the question is empty"),
        (
            lambda c: c.ask(REVENUE, kind="numbr"),
            "kind is 'numbr'; did you mean 'number'? expected 'number', ",
        ),
        (lambda c: c.retrieve(REVENUE, "Nobody"), "'Nobody' is no company in the library; nearest names: "),
        (lambda c: c.library.fact_sheet("ostermere", "opm"), "'opm' is no metric; nearest: "),
        (lambda c: c.library.ingest("reports"), "request is 'reports', expected an IngestRequest, such as "),
        (
            lambda _: IngestRequest(workers=-1),
            "IngestRequest: workers: Input should be greater than or equal to 1",
        ),
        (
            lambda c: c.library.ingest(IngestRequest(export=Path(__file__) / "pages")),
            "a file stands there, or no folder can have that name",
        ),
        (
            lambda c: c.library.ingest(IngestRequest(export=Path("\0"))),
            "export is '\\x00': a file stands there, or",
        ),
        (lambda c: c.library.ingest(IngestRequest(export=c.paths.root)), "is in the library's own folder"),
        (
            lambda c: c.library.ingest(IngestRequest(), on_progress=5),
            "on_progress is 5, expected a function or None",
        ),
        (lambda c: c.library.ingest(IngestRequest(), stopped=5), "stopped is 5, expected a function or None"),
        (lambda c: c.library.read_pictures(stopped=5), "stopped is 5, expected a function or None"),
        (lambda c: c.ask(Question(text=REVENUE, currency="Wombats")), "'Wombats' is no currency; expected a code"),
        (lambda c: c.ask(Question(text=REVENUE, currency="dollars")), "'dollars' is no currency; expected a code"),
        (
            lambda c: c.library.correct(c.companies()[0].reports[0].sha1, currency="XXQ"),
            "'XXQ' is no currency; expected a code of three letters such as EUR",
        ),
        (lambda c: c.library.correct("x" * 40, currency="EUR"), "there is no report 'xxxx"),
        (lambda c: c.query_engine.query(""), "the question is empty"),
        (lambda c: c.query_engine.update_prompts({"answers/role": 1}), "prompts are changed in files: "),
        (
            lambda c: c.retriever().retrieve("What was the revenue?"),
            "names no company of the library; name one, or",
        ),
        (lambda _: open_pageproof(Path("library")), "a library's folder is data="),  # type: ignore[arg-type]
        (lambda _: open_pageproof("oflin"), "there is no profile 'oflin'; did you mean 'offline'?"),
        (lambda _: open_pageproof(programs={"txt": 1}), "programs= has the key 'txt', expected 'number', "),  # type: ignore[typeddict-item, dict-item]
        (lambda _: open_pageproof(llm=int), "llm= got the class int, expected an object; make one: int(…)"),  # type: ignore[arg-type]
        (lambda _: open_pageproof(rerankers=3), "rerankers= got 3, expected a list, even for one"),  # type: ignore[arg-type]
    ],
)
def test_a_message_says_what_which_value_and_what_was_expected(
    opened: Pageproof, call: Callable[[Any], object], message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        call(opened)

    assert message in str(caught.value)


@pytest.mark.parametrize("currency", ["usd", " USD", "US dollars", "US$"])
def test_a_question_s_currency_in_other_words_is_the_report_s_currency(opened: Pageproof, currency: str) -> None:
    answer = opened.ask(Question(text=REVENUE.replace("?", " in 2024?"), currency=currency))

    assert answer.value == 386_412_000
