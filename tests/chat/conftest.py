"""Chainlit reads its environment and fills its folder once, when it is imported: so here, before any test of it."""

import asyncio
import atexit
import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.doubles.chat_visit import SECRET, enter_chainlit, use_history

HOME = Path(tempfile.mkdtemp(prefix="pageproof-chat-"))
atexit.register(shutil.rmtree, HOME, ignore_errors=True)
enter_chainlit(HOME)
# Before the tests' people get their passwords: these are hashed with a fifth of the work that people's are.
pytest.MonkeyPatch().setattr("app.chat.session.people._P", 1)


@pytest.fixture(scope="session")
def chainlit_home() -> Path:
    """The run folder that Chainlit was imported over."""
    return HOME


@pytest_asyncio.fixture
async def history(tmp_path: Path) -> AsyncIterator[Any]:
    """Conversations in a database of their own, where people sign in."""
    from app.chat.history.data_layer import History
    from app.chat.history.tables import history_address, prepare_history

    address = history_address(tmp_path / "history.sqlite", None)
    await asyncio.to_thread(prepare_history, address)
    opened = History(address)
    use_history(opened)
    before = os.environ.get("CHAINLIT_AUTH_SECRET")
    os.environ["CHAINLIT_AUTH_SECRET"] = SECRET
    yield opened
    os.environ.pop("CHAINLIT_AUTH_SECRET")
    if before:
        os.environ["CHAINLIT_AUTH_SECRET"] = before
    _nobody_signs_in()
    use_history(None)
    await opened.close()


def _nobody_signs_in() -> None:
    from app.chat.session.people import People
    from app.chat.session.sign_in import speaking

    speaking(People({}), needs_a_person=False)


@pytest.fixture
def chat(tmp_path: Path, history: Any) -> Any:
    """The chat that people sign in to."""
    from tests.support.doubles.chat_client import ScriptedClient
    from tests.support.doubles.people_chat import Chat, people

    return Chat(ScriptedClient(tmp_path), history, people())
