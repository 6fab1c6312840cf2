"""A server of the API in a thread of the test's own process, over a copy of the sample library."""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from app import open_pageproof
from app.assembly.client import Pageproof
from app.assembly.shared_parts import SharedParts
from app.chat.launcher import listen, local_origins
from app.chat.session.client_pool import ClientPool, Key
from app.chat.uploads.uploads import Uploads
from app.chat_options import ChatOptions, ServeOptions
from app.serving.api import build_api
from app.serving.service import Service
from app.serving.tokens import Tokens


@contextmanager
def service_over(data: Path, chat: ChatOptions | None = None, overrides: Sequence[str] = ()) -> Iterator[Service]:
    """What a server does, over this data root."""
    shared = SharedParts()

    def open_client(key: Key) -> Pageproof:
        return open_pageproof(
            key.profile, overrides=key.overrides, data=data, purpose="serve", shared=shared, owner=key.owner
        )

    clients = ClientPool(open_client, "offline", tuple(overrides), {})
    uploads = Uploads(clients.at, clients.first.paths, chat or ChatOptions())
    try:
        yield Service(clients, "offline", overrides, uploads, conversations=10)
    finally:
        clients.close()
        shared.close()


@contextmanager
def served(
    data: Path,
    options: ServeOptions | None = None,
    *,
    people: bool = False,
    chat: ChatOptions | None = None,
    overrides: Sequence[str] = (),
) -> Iterator[str]:
    """A running server's address; with `people`, each token's person has a library of their own."""
    chat = chat or ChatOptions()
    with service_over(data, chat, overrides) as service, listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        tokens = Tokens(data / "tokens.json")
        app = build_api(
            service,
            tokens,
            (lambda name: name) if people else (lambda _: None),
            local_origins("127.0.0.1", port),
            (options or ServeOptions(), chat),
            always=people,
        )
        server = uvicorn.Server(uvicorn.Config(app, loop="asyncio", log_level="error"))
        thread = threading.Thread(target=lambda: server.run(sockets=[listener]), daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.should_exit = True
            thread.join()
