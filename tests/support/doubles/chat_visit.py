"""A person's visit to the chat without a browser: Chainlit's own session, with what it would send recorded."""

import asyncio
import os
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.chat.launcher import enter_run_folder, local_origins, prepare_run_folder

Recorded = list[tuple[str, Any]]
HOST, PORT = "127.0.0.1", 8000
SECRET = "a secret of the tests, long enough to sign with"


def enter_chainlit(home: Path) -> None:
    """Import Chainlit over a run folder of its own; it reads the environment once."""
    before = dict(os.environ)
    prepare_run_folder(home, local_origins(HOST, PORT), signs_in=True)
    enter_run_folder(home)
    import chainlit.server  # noqa: F401

    os.environ.clear()
    os.environ.update(before)


def use_history(history: Any) -> None:
    """Let Chainlit ask again for its data layer, of which it keeps one for the process; None for none."""
    import chainlit.data
    from chainlit.config import config

    config.code.data_layer = (lambda: history) if history else None
    chainlit.data._data_layer, chainlit.data._data_layer_initialized = None, False


@dataclass
class Visit:
    """One open page."""

    session: Any
    sent: Recorded

    @property
    def thread_id(self) -> str:
        return str(self.session.thread_id)

    async def ask(self, text: str) -> None:
        """Send a message and wait until it is answered and written."""
        from chainlit.socket import process_message

        message: Any = {
            "id": str(uuid.uuid4()),
            "name": "you",
            "type": "user_message",
            "output": text,
            "createdAt": None,
        }
        self.session.current_task = asyncio.current_task()
        await process_message(self.session, {"message": message, "fileReferences": None})
        await until_idle()

    def of(self, kind: str) -> list[Any]:
        """What was sent of one kind of event."""
        return [data for event, data in self.sent if event == kind]


@asynccontextmanager
async def visit(history: Any, name: str | None, thread_id: str | None = None) -> AsyncIterator[Visit]:
    """A page opened by a person, on a kept conversation where one is named."""
    from chainlit.context import ChainlitContext, context_var
    from chainlit.emitter import ChainlitEmitter
    from chainlit.session import WebsocketSession
    from chainlit.user import User
    from chainlit.user_session import user_sessions

    sent: Recorded = []

    async def emit(event: str, data: Any) -> None:
        sent.append((event, data))

    user = await history.create_user(User(identifier=name)) if name else None
    key = str(uuid.uuid4())
    session = WebsocketSession(
        id=key,
        socket_id=key,
        emit=emit,  # type: ignore[arg-type]  # Chainlit awaits what its annotation says is nothing
        emit_call=None,  # type: ignore[arg-type]  # nobody is asked anything here
        user_env={},
        client_type="webapp",
        user=user,
        thread_id=thread_id,
    )
    token = context_var.set(ChainlitContext(session, ChainlitEmitter(session)))
    try:
        yield Visit(session, sent)
        await until_idle()
    finally:
        context_var.reset(token)
        user_sessions.pop(session.id, None)
        await session.delete()  # type: ignore[no-untyped-call]  # Chainlit's


async def resumed(page: Visit) -> Any:
    """The kept conversation as the page gets it: what Chainlit's socket does when it is opened again."""
    from chainlit.config import config
    from chainlit.socket import resume_thread

    thread = await resume_thread(page.session)
    assert thread is not None
    page.session.has_first_interaction = True
    await config.code.on_chat_resume(thread)
    return thread


async def until_idle() -> None:
    """Wait for what nobody waits for: Chainlit writes in tasks of their own, which start others."""
    for _ in range(3):
        others = [t for t in asyncio.all_tasks() if t is not asyncio.current_task() and _is_a_write(t)]
        await asyncio.gather(*others)


def _is_a_write(task: asyncio.Task[Any]) -> bool:
    name = getattr(task.get_coro(), "__qualname__", "")
    return name.startswith(
        ("queue_until", "MessageBase._create", "BaseSession", "WebsocketSession", "ChainlitEmitter")
    )
