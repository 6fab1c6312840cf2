"""The chat on a full disk: the answer's card is shown all the same, what is lost is said, and nothing is a trace."""

import asyncio
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.damage import full_disk
from tests.support.doubles.chat_client import ScriptedClient, scripted_facts, scripted_pool, scripted_uploads
from tests.support.doubles.chat_sessions import Recorded, cards, recorded_session
from tests.support.doubles.chat_visit import visit
from tests.support.doubles.people_chat import REVENUE, Chat


@pytest_asyncio.fixture
async def screen() -> AsyncIterator[Recorded]:
    async with recorded_session("session") as sent:
        yield sent


async def test_an_answer_that_cannot_be_stored_is_shown_and_that_is_said(
    tmp_path: Path, screen: Recorded, caplog: pytest.LogCaptureFixture
) -> None:
    import chainlit as cl

    from app.chat.handlers import Chat as OneChat

    pool = scripted_pool(ScriptedClient(tmp_path))
    chat = OneChat(pool, scripted_facts, scripted_uploads(pool))
    chat.register()
    with full_disk(), caplog.at_level(logging.INFO):
        await chat.answering.answer(cl.Message(content=REVENUE, type="user_message"))

    (card,) = cards(screen, "AnswerCard").values()
    assert "1,249,642,000" in str(card)
    said = [data for event, data in screen if event == "toast"]
    assert any("not stored" in str(each) for each in said)
    assert not [record for record in caplog.records if record.exc_info]


async def test_what_a_full_disk_does_not_take_of_a_history_is_said_once_on_each_page(
    tmp_path: Path, screen: Recorded
) -> None:
    import chainlit as cl

    from app.chat.handlers import Chat as OneChat
    from app.chat.history.data_layer import History
    from app.chat.history.tables import history_address, prepare_history
    from app.chat.history.writer import Claim

    address = history_address(tmp_path / "history.sqlite", None)
    await asyncio.to_thread(prepare_history, address)
    history, pool = History(address), scripted_pool(ScriptedClient(tmp_path))
    chat = OneChat(pool, scripted_facts, scripted_uploads(pool), history)
    chat.register()

    async def said() -> int:
        await chat.answering.answer(cl.Message(content=REVENUE, type="user_message"))
        return sum("not stored" in str(data) for _, data in screen)

    assert await said() == 0
    with full_disk():
        await history._writer.put(Claim(thread_id="a", owner=None), "threads", {"id": "a", "name": "A"})
    assert await said() == 1
    assert await said() == 1
    await history.close()


async def test_an_upload_to_a_full_disk_is_refused_in_one_line(
    chat: Chat, caplog: pytest.LogCaptureFixture
) -> None:
    async with chat.signed_in("ann") as ann, visit(chat.history, "ann") as page:
        sent: dict[str, Any] = {"file": ("a.pdf", b"%PDF-1.4 " + b"x" * 3_000_000)}
        with full_disk(1_000_000):
            response = await ann.post("/project/file", params={"session_id": page.session.id}, files=sent)
    assert response.status_code == 507
    assert "disk" in response.json()["detail"]
    assert "\n" not in response.text
    assert not [record for record in caplog.records if record.exc_info]
