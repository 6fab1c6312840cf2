"""Chainlit's own sessions without a browser: what they would send is recorded."""

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

Recorded = list[tuple[str, Any]]


def id_of(name: str) -> str:
    """The id that a session of this name has in every test."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, name))


@asynccontextmanager
async def recorded_session(name: str, person: str | None = None) -> AsyncIterator[Recorded]:
    """A conversation of one person, in whose name everything in the block is done. Needs a run folder."""
    from chainlit.context import ChainlitContext, context_var
    from chainlit.emitter import ChainlitEmitter
    from chainlit.session import WebsocketSession
    from chainlit.user import User
    from chainlit.user_session import user_sessions

    sent: Recorded = []

    async def emit(event: str, data: Any) -> None:
        sent.append((event, data))

    session = WebsocketSession(
        id=id_of(name),
        socket_id=f"socket of {name}",
        emit=emit,  # type: ignore[arg-type]  # Chainlit awaits what its annotation says is nothing
        emit_call=None,  # type: ignore[arg-type]  # nobody is asked anything here
        user_env={},
        client_type="webapp",
        user=User(identifier=person) if person else None,
    )
    token = context_var.set(ChainlitContext(session, ChainlitEmitter(session)))
    try:
        yield sent
    finally:
        context_var.reset(token)
        user_sessions.pop(session.id, None)
        with suppress(OSError):  # a card is still written into its folder, which goes with all of them at the end
            await session.delete()  # type: ignore[no-untyped-call]  # Chainlit's


def cards(sent: Recorded, name: str) -> dict[str, dict[str, Any]]:
    """The cards of one kind as the screen shows them at the end, by id, in order of appearance."""
    return {data["id"]: data["props"] for event, data in sent if event == "element" and data["name"] == name}


def messages(sent: Recorded) -> list[str]:
    """The texts of the messages, without the escapes of Markdown."""
    return [
        data["output"].replace("\\", "")
        for event, data in sent
        if event == "new_message" and data["type"] == "assistant_message" and data["output"]
    ]
