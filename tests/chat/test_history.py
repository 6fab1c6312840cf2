"""Conversations that are kept: on SQLite, and on Postgres where PAGEPROOF_TEST_POSTGRES names a database to empty."""

import asyncio
import json
import os
import sqlite3
import stat
import uuid
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any, get_type_hints

import pytest
import pytest_asyncio
from sqlalchemy import event

from app.chat.history.tables import (
    ELEMENT_COLUMNS,
    STEP_COLUMNS,
    history_address,
    open_engine,
    prepare_history,
)
from app.chat.session.client_pool import ClientPool, Key
from query_engines.events import Event
from storage.errors import SetupError
from storage.records.questions import Question
from tests.support.doubles.chat_client import ScriptedClient, scripted_facts, scripted_uploads
from tests.support.doubles.chat_visit import Visit, resumed, use_history, visit
from tests.support.waiting import until_found

POSTGRES = os.environ.get("PAGEPROOF_TEST_POSTGRES")
REVENUE = "What was the total revenue of Northwind?"


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """An empty database."""
    if request.param == "postgres" and not POSTGRES:
        pytest.skip("PAGEPROOF_TEST_POSTGRES is not set: no Postgres to keep conversations in")
    found = history_address(tmp_path / "history.sqlite", POSTGRES if request.param == "postgres" else None)
    if request.param == "postgres":
        asyncio.run(_emptied(found))
    prepare_history(found)
    return found


async def _emptied(address: Any) -> None:
    from sqlalchemy import text

    engine = open_engine(address)
    async with engine.begin() as connection:
        await connection.execute(text("DROP SCHEMA public CASCADE"))
        await connection.execute(text("CREATE SCHEMA public"))
    await engine.dispose()


@pytest_asyncio.fixture
async def history(address: Any) -> AsyncIterator[Any]:
    from app.chat.history.data_layer import History

    opened = History(address)
    use_history(opened)
    yield opened
    use_history(None)
    await opened.close()


class HeldClient(ScriptedClient):
    """Stops after the first step of an answer until it may go on."""

    def __init__(self, data: Path) -> None:
        super().__init__(data)
        self.go = asyncio.Event()

    async def stream(self, question: Question) -> AsyncGenerator[Event, None]:
        async with aclosing(super().stream(question)) as events:
            async for event in events:
                yield event
                await self.go.wait()


@pytest.fixture
def client(tmp_path: Path) -> ScriptedClient:
    return ScriptedClient(tmp_path)


def chat_over(client: ScriptedClient, history: Any) -> Any:
    from app.chat.handlers import Chat

    def open_client(key: Key) -> ScriptedClient:
        """The same client for everybody: no report is anybody's own."""
        if key.profile == client.profile and not key.overrides:
            return client
        return ScriptedClient(client.paths.root, profile=key.profile, overrides=key.overrides)

    pool = ClientPool(open_client, client.profile, (), {})
    chat = Chat(pool, scripted_facts, scripted_uploads(pool), history)
    chat.register()
    return chat


async def begun(history: Any, thread_id: str) -> Any:
    """The conversation once the first step of its answer is kept."""

    async def holds() -> Any:
        thread = await history.get_thread(thread_id)
        return thread if thread and any(s["name"] == "Choosing the company" for s in thread["steps"]) else None

    return await until_found(holds)


def answers(thread: Any) -> list[Any]:
    return [step for step in thread["steps"] if step["type"] == "assistant_message"]


async def test_a_conversation_comes_back_as_it_was(client: ScriptedClient, history: Any) -> None:
    chat = chat_over(client, history)
    async with visit(history, "ann") as page:
        await chat.greet()
        await page.ask(REVENUE)
        thread = await history.get_thread(page.thread_id)
    assert (thread["userIdentifier"], thread["name"]) == ("ann", REVENUE)
    (shown,), (card,) = page.of("element"), thread["elements"]
    assert (card["props"], card["forId"], card["type"]) == (shown["props"], answers(thread)[0]["id"], "custom")
    steps = [step for step in thread["steps"] if not step["type"].endswith("message")]
    assert [step["name"].split(",")[0] for step in steps] == [
        "on_message", "How this was answered", "Choosing the company", "Searching the report", "Reading 2 pages",
    ]  # fmt: skip
    assert all(step["end"] for step in steps)
    assert all(step["output"] for step in steps[2:])
    assert steps[2]["defaultOpen"] is True
    assert answers(thread)[0]["output"].replace("\\", "").startswith("1,249,642,000 USD (Northwind")


async def test_a_conversation_goes_on_with_its_settings_and_its_last_question(
    client: ScriptedClient, history: Any
) -> None:
    chat = chat_over(client, history)
    async with visit(history, "ann") as page:
        await chat.greet()
        await chat.choose({"kind": "boolean", "pages": 7.0})
        await page.ask(REVENUE)
    chat = chat_over(client, history)  # the server was started again
    async with visit(history, "ann", page.thread_id) as later:
        await resumed(later)
        (panel,) = later.of("chat_settings")
        shown = {field["id"]: field["initial"] for tab in panel for field in tab["inputs"]}
        assert (shown["kind"], shown["pages"]) == ("boolean", 7.0)
        assert later.of("set_commands")
        await later.ask("staff")
    card = later.of("element")[0]["props"]
    assert card["kind"] == "Yes or no"
    assert card["understood"] == "Undisclosed staff of Northwind Traders Inc."


async def test_settings_that_are_no_longer_offered_fall_back_to_the_profiles(
    client: ScriptedClient, history: Any
) -> None:
    chat = chat_over(client, history)
    async with visit(history, "ann") as page:
        await chat.greet()
        await page.ask(REVENUE)
        await history.update_thread(page.thread_id, metadata={"chat_settings": {"profile": "gone", "pages": 4000}})
    async with visit(history, "ann", page.thread_id) as later:
        await resumed(later)
        assert "the profile's own again" in later.of("toast")[0]["message"]
        await later.ask(REVENUE)
    assert later.of("element")[0]["props"]["values"] == ["1,249,642,000 USD"]


async def test_what_is_kept_of_a_session_is_its_settings_alone(client: ScriptedClient, history: Any) -> None:
    chat = chat_over(client, history)
    async with visit(history, "ann") as page:
        await chat.greet()
        await page.ask(REVENUE)
        await history.update_thread(page.thread_id, metadata=page.session.to_persistable())
        thread = await history.get_thread(page.thread_id)
    assert set(thread["metadata"]) <= {"chat_settings", "chat_profile", "about", "connection"}
    assert page.session.id not in json.dumps(thread)


async def test_steps_written_at_once_end_as_they_were_last(client: ScriptedClient, history: Any) -> None:
    chat_over(client, history)
    async with visit(history, "ann") as page:
        page.session.has_first_interaction = True
        step = plain_step(page.thread_id, "")
        writes = [
            history.create_step({**step, "output": str(k), "tags": ["a"], "modes": {"b": 1}}) for k in range(40)
        ]
        await asyncio.gather(*map(asyncio.create_task, writes))
        (stored,) = (await history.get_thread(page.thread_id))["steps"]
    assert (stored["output"], stored["tags"], stored["modes"]) == ("39", ["a"], {"b": 1})


async def test_what_waits_is_written_in_one_transaction(client: ScriptedClient, history: Any) -> None:
    chat_over(client, history)
    begun: list[Any] = []
    event.listen(history.engine.sync_engine, "begin", begun.append)
    async with visit(history, "ann") as page:
        page.session.has_first_interaction = True
        await asyncio.gather(*(history.create_step(plain_step(page.thread_id, str(k))) for k in range(200)))
        updates = (history.update_thread(page.thread_id, metadata={"chat_profile": f"{k}"}) for k in range(20))
        await asyncio.gather(*updates)
        assert len(begun) <= 5  # the person, then for rows and settings the first to come, then the others
        thread = await history.get_thread(page.thread_id)
    assert {step["output"] for step in thread["steps"]} == {str(k) for k in range(200)}


async def test_a_conversation_is_named_while_its_first_rows_wait(client: ScriptedClient, history: Any) -> None:
    chat_over(client, history)
    async with visit(history, "ann") as page:
        page.session.has_first_interaction = True
        naming = asyncio.create_task(history.update_thread(page.thread_id, name="Revenue"))
        await asyncio.sleep(0)  # it has begun, and waits for the database
        await history.create_step(plain_step(page.thread_id, "a"))
        await naming
        thread = await history.get_thread(page.thread_id)
    assert (thread["name"], len(thread["steps"])) == ("Revenue", 1)


async def test_a_row_that_says_less_leaves_the_rest_as_it_was(client: ScriptedClient, history: Any) -> None:
    chat_over(client, history)
    async with visit(history, "ann") as page:
        page.session.has_first_interaction = True
        stated, other = plain_step(page.thread_id, "a"), plain_step(page.thread_id, "b")
        await asyncio.gather(*map(history.create_step, (stated, other)))
        less = {"id": stated["id"], "threadId": page.thread_id, "isError": True}
        await asyncio.gather(*map(history.update_step, (less, {**other, "language": "json"})))
        steps = {step["id"]: step for step in (await history.get_thread(page.thread_id))["steps"]}
    assert (steps[stated["id"]]["output"], steps[stated["id"]]["isError"]) == ("a", True)
    assert (steps[other["id"]]["language"], steps[other["id"]]["isError"]) == ("json", None)


async def test_a_row_that_cannot_be_written_costs_no_other(
    client: ScriptedClient, history: Any, caplog: pytest.LogCaptureFixture
) -> None:
    chat_over(client, history)
    async with visit(history, "ann") as page:
        page.session.has_first_interaction = True
        steps = [plain_step(page.thread_id, output) for output in ("a", object(), "b")]
        await asyncio.gather(*map(history.create_step, steps))
        thread = await history.get_thread(page.thread_id)
    assert {step["output"] for step in thread["steps"]} == {"a", "b"}
    assert caplog.text.count("the history cannot be written") == 1


async def test_a_text_that_no_database_takes_is_kept_without_what_it_cannot_take(
    client: ScriptedClient, history: Any, caplog: pytest.LogCaptureFixture
) -> None:
    chat_over(client, history)
    async with visit(history, "ann") as page:
        page.session.has_first_interaction = True
        for output in ("half \ud83d a sign", "a \x00 byte", "whole \U0001f600"):
            await history.create_step(plain_step(page.thread_id, output))
        thread = await history.get_thread(page.thread_id)
    outputs = {step["output"] for step in thread["steps"]}
    assert outputs == {"half \ufffd a sign", "a \ufffd byte", "whole \U0001f600"}
    assert not caplog.text


async def test_whoever_stops_waiting_for_a_write_loses_nothing(client: ScriptedClient, history: Any) -> None:
    chat_over(client, history)
    async with visit(history, "ann") as page:
        page.session.has_first_interaction = True
        tasks = [
            asyncio.create_task(history.create_step(plain_step(page.thread_id, output))) for output in ("a", "b")
        ]
        await asyncio.sleep(0)  # both have begun
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        thread = await history.get_thread(page.thread_id)
    assert {step["output"] for step in thread["steps"]} == {"a", "b"}


def plain_step(thread_id: str, output: object) -> Any:
    moment = "2026-01-01T00:00:00Z"
    return {"id": str(uuid.uuid4()), "threadId": thread_id, "type": "tool", "createdAt": moment, "output": output}


async def test_a_deleted_conversation_does_not_come_back(tmp_path: Path, history: Any) -> None:
    client = HeldClient(tmp_path)
    chat = chat_over(client, history)
    async with visit(history, "ann") as page:
        await chat.greet()
        asking = asyncio.create_task(page.ask(REVENUE))
        await begun(history, page.thread_id)
        await history.delete_thread(page.thread_id)
        client.go.set()
        await asking
        await history.update_thread(page.thread_id, metadata=page.session.to_persistable())
        assert await history.get_thread(page.thread_id) is None
        assert await history.answers(page.thread_id) == ()
        assert await history.execute_sql("SELECT 1 FROM steps UNION SELECT 1 FROM elements", {}) == []


async def test_nobody_writes_into_anothers_conversation(client: ScriptedClient, history: Any) -> None:
    import chainlit as cl

    chat_over(client, history)
    async with visit(history, "ann") as hers:
        await hers.ask(REVENUE)
        before = await history.get_thread(hers.thread_id)
    async with visit(history, "bob") as his:
        await his.ask(REVENUE)
        for thread_id in (hers.thread_id, his.thread_id):
            stolen = {**before["steps"][0], "threadId": thread_id, "output": "forged"}
            await history.create_step(stolen)
            element = cl.CustomElement(id=before["elements"][0]["id"], name="X", props={"forged": 1}, for_id="x")
            element.thread_id = thread_id
            await history.create_element(element)
        await history.delete_step(before["steps"][0]["id"])
        await history.delete_element(before["elements"][0]["id"], hers.thread_id)
    async with visit(history, "bob", hers.thread_id) as again:  # Chainlit's socket refuses him earlier
        again.session.has_first_interaction = True
        await history.create_step({**before["steps"][0], "output": "forged"})
        await again.ask(REVENUE)
    assert await history.get_thread(hers.thread_id) == before


async def test_an_id_of_a_conversation_is_never_a_piece_of_a_query(client: ScriptedClient, history: Any) -> None:
    chat_over(client, history)
    async with visit(history, "ann") as hers:
        await hers.ask(REVENUE)
    evil = "x') OR 1=1 --"
    async with visit(history, "bob") as his:
        his.session.thread_id = evil
        await his.ask(REVENUE)
    assert await history.get_thread(evil) is None
    assert await history.get_thread_author(evil) == ""
    assert (await listed(history, "bob")).data == []


async def test_a_page_on_a_conversation_that_is_not_there_starts_a_new_one(
    client: ScriptedClient, history: Any
) -> None:
    chat = chat_over(client, history)
    async with visit(history, "ann", "no-such-conversation") as page:
        await chat.greet()
        await page.ask(REVENUE)
        assert page.thread_id != "no-such-conversation"
        assert (await history.get_thread(page.thread_id))["name"] == REVENUE


async def listed(history: Any, name: str, first: int = 20, cursor: str | None = None, **filters: Any) -> Any:
    from chainlit.types import Pagination, ThreadFilter

    user = await history.get_user(name)
    return await history.list_threads(
        Pagination(first=first, cursor=cursor), ThreadFilter(userId=user.id if user else None, **filters)
    )


async def test_conversations_are_listed_page_by_page_and_searched(client: ScriptedClient, history: Any) -> None:
    chat_over(client, history)
    for name, text in [
        ("ann", "Undisclosed 100% one"),
        ("bob", REVENUE),
        ("ann", "Undisclosed two"),
        ("ann", REVENUE),
    ]:
        async with visit(history, name) as page:
            await page.ask(text)
    first = await listed(history, "ann", first=2)
    assert [thread["name"] for thread in first.data] == [REVENUE, "Undisclosed two"]
    assert first.pageInfo.hasNextPage
    rest = await listed(history, "ann", first=2, cursor=first.pageInfo.endCursor)
    assert [thread["name"] for thread in rest.data] == ["Undisclosed 100% one"]
    assert not rest.pageInfo.hasNextPage
    assert [t["name"] for t in (await listed(history, "ann", search="TWO")).data] == ["Undisclosed two"]
    assert [t["name"] for t in (await listed(history, "ann", search="100%")).data] == ["Undisclosed 100% one"]
    assert len((await listed(history, "ann", search="642")).data) == 1  # it stands in the answer alone
    assert (await listed(history, "stranger")).data == []


async def test_a_conversation_is_renamed(client: ScriptedClient, history: Any) -> None:
    chat_over(client, history)
    async with visit(history, "ann") as page:
        await page.ask(REVENUE)
    await history.update_thread(page.thread_id, name="  Northwind\n 2022 " + "x" * 500)
    name = (await history.get_thread(page.thread_id))["name"]
    assert name.startswith("Northwind 2022 xxx")
    assert len(name) == 200


async def test_a_question_that_the_server_did_not_live_to_answer_says_so(tmp_path: Path, history: Any) -> None:
    chat = chat_over(HeldClient(tmp_path), history)
    async with visit(history, "ann") as page:
        await chat.greet()
        asking = asyncio.create_task(page.ask(REVENUE))
        thread_id = page.thread_id
        left = await begun(history, thread_id)
        assert any(not step["end"] for step in left["steps"])
        chat_over(ScriptedClient(tmp_path), history)  # another process
        async with visit(history, "ann", thread_id) as later:
            thread = await resumed(later)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
    assert all(step["end"] for step in thread["steps"])
    assert "not answered" in answers(thread)[-1]["output"]


async def test_a_page_loaded_again_meanwhile_gets_the_answer_when_it_is_there(
    tmp_path: Path, history: Any
) -> None:
    client = HeldClient(tmp_path)
    chat = chat_over(client, history)
    async with visit(history, "ann") as page:
        await chat.greet()
        asking = asyncio.create_task(page.ask(REVENUE))
        await begun(history, page.thread_id)
        async with visit(history, "ann", page.thread_id) as later:
            thread = await resumed(later)
            assert answers(thread) == []
            assert [event for event, _ in later.sent][-1] == "task_start"
            client.go.set()
            await asking
            (whole,) = await until_found(lambda: _given(later, "resume_thread"))
            await until_found(lambda: _given(later, "task_end"))
            assert [event for event, _ in later.sent][-1] == "task_end"
    assert answers(whole)[0]["output"]
    assert whole["elements"][0]["props"]["values"] == ["1,249,642,000 USD"]


async def test_a_page_that_connects_again_has_its_settings_and_its_stop_button(
    tmp_path: Path, history: Any
) -> None:
    client = HeldClient(tmp_path)
    chat = chat_over(client, history)
    async with visit(history, "ann") as page:
        page.session.chat_started = True
        await chat.greet()
        asking = asyncio.create_task(page.ask(REVENUE))
        await begun(history, page.thread_id)
        page.sent.clear()
        page.session.restore(new_socket_id="another")
        await chat.connected("another")
        assert page.of("set_commands")
        assert page.of("chat_settings")
        assert [event for event, _ in page.sent if event.startswith("task")] == ["task_end", "task_start"]
        client.go.set()
        await asking


async def _given(page: Visit, kind: str) -> list[Any]:
    return page.of(kind)


async def test_stop_on_a_page_loaded_again_ends_the_work(tmp_path: Path, history: Any) -> None:
    client = HeldClient(tmp_path)
    chat = chat_over(client, history)
    async with visit(history, "ann") as page:
        await chat.greet()
        asking = asyncio.create_task(page.ask(REVENUE))
        await begun(history, page.thread_id)
        async with visit(history, "ann", page.thread_id) as later:
            await resumed(later)
            later.session.current_task.cancel()
            await asyncio.gather(asking, return_exceptions=True)
            await until_found(lambda: _given(later, "task_end"))
            assert client.stopped.exists()


async def test_an_answer_is_kept_with_what_it_came_from(client: ScriptedClient, history: Any) -> None:
    chat = chat_over(client, history)
    async with visit(history, "ann") as page:
        await chat.greet()
        await chat.choose({"pages": 7.0})
        await page.ask(REVENUE)
        await page.ask("Unknown company?")
    answered, unknown = await history.answers(page.thread_id)
    assert (answered.question.text, answered.choices.pages, answered.run) == (REVENUE, 7, client.run_id)
    assert [(place.page, place.report_sha1) for place in answered.read] == [
        (2, client.known.sha1),
        (1, client.known.sha1),
    ]
    assert len(answered.answer.checks) == 5
    assert unknown.answer.reason == "company_unknown"


def test_every_field_of_a_step_and_of_an_element_has_a_column() -> None:
    from chainlit.element import ElementDict
    from chainlit.step import StepDict

    assert set(StepDict.__annotations__) - {"feedback"} <= set(STEP_COLUMNS)
    assert set(ElementDict.__annotations__) - {"path"} <= set(ELEMENT_COLUMNS)
    assert get_type_hints(ElementDict)


def test_the_file_is_its_owners_alone_and_waits_for_other_writers(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "history.sqlite"
    prepare_history(history_address(path, None))
    prepare_history(history_address(path, None))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


def test_a_history_that_cannot_be_kept_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "history.sqlite").write_text("no database " * 100)
    with pytest.raises(SetupError, match=r"history\.sqlite is damaged.*run `pageproof repair`"):
        prepare_history(history_address(tmp_path / "history.sqlite", None))


async def test_a_lost_write_is_logged_without_what_was_written(
    client: ScriptedClient, history: Any, caplog: pytest.LogCaptureFixture
) -> None:
    chat_over(client, history)
    async with visit(history, "ann") as page:
        await page.ask(REVENUE)
        await history.execute_sql("DROP TABLE elements", {})
        await page.ask("Which had the higher revenue, Northwind or Contoso?")
    assert "the history cannot be written" in caplog.text
    assert "Contoso" not in caplog.text
    assert page.of("element")[1]["props"]["values"] == ["Northwind Traders Inc."]


async def test_a_database_that_goes_away_and_comes_back_gets_the_conversation_that_waited_for_it(
    client: ScriptedClient, history: Any, caplog: pytest.LogCaptureFixture
) -> None:
    is_away = False

    def refuse(*_: Any) -> None:
        if is_away:
            raise ConnectionRefusedError(111, "the server is not there")

    event.listen(history.engine.sync_engine, "do_connect", refuse)
    chat_over(client, history)
    async with visit(history, "ann") as page:
        await page.ask(REVENUE)
        is_away = True
        await history.engine.dispose()
        await page.ask("Which had the higher revenue, Northwind or Contoso?")  # it is answered all the same
        assert len(page.of("element")) == 2
        assert "rows wait for it" in caplog.text
        assert "Contoso" not in caplog.text
        is_away = False
        await page.ask("What was the net income of Northwind?")
        thread = await history.get_thread(page.thread_id)
    asked = [step["output"] for step in thread["steps"] if step["type"] == "user_message"]
    assert len(asked) == 3
