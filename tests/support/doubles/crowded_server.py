"""A server with few descriptors: `python -m tests.support.doubles.crowded_server DESCRIPTORS JOIN_SECONDS`."""

import resource
import sys
import time

from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from app.chat.launcher import listen
from app.serving.mcp_server import build_mcp
from app.web_server import Sockets, run_server


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers at once, but never below `/slow`; `/busy` keeps all waiting; a socket is told what it said."""
    if scope["type"] == "lifespan":
        build_mcp(None)  # type: ignore[arg-type]  # it answers nothing here, but it may set up a log
        for what in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{what}.complete"})
    elif scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        while "text" in (message := await receive()) or message["type"] == "websocket.connect":
            if "text" in message:
                await send({"type": "websocket.send", "text": message["text"]})
    else:
        if scope["path"] == "/busy":
            time.sleep(1)
        while scope["path"] == "/slow" and (await receive())["type"] != "http.disconnect":
            pass
        await PlainTextResponse("ok")(scope, receive, send)


def whose(scope: Scope) -> str:
    """The sender, who says their name in the query."""
    return str(scope["query_string"].decode())


def main() -> None:
    """Serve the application with few descriptors, on a port that is printed."""
    few = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_NOFILE, (few, few))
    Sockets.join_seconds = float(sys.argv[2])
    with listen("127.0.0.1", 0) as listener:
        print(listener.getsockname()[1], flush=True)
        run_server(application, listener, behind_proxy=False, whose=whose)


if __name__ == "__main__":
    main()
