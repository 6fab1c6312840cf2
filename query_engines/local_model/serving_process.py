"""The program of the process that runs a model: llama.cpp's own server, on this machine alone.

It reads one line of JSON, which says what to serve, and writes one with its address and how much it really reads at
once. It ends when the process that started it lets go of its input, also by being killed. It is run by its path, so it
imports nothing of the project.
"""

import http.client
import json
import os
import sys
import threading
import time
from typing import Any
from urllib.parse import urlsplit

SEED = 1
_SECONDS = 30.0
_NAP = 1.0


def main() -> None:
    """Serve until the parent is gone."""
    order = json.loads(sys.stdin.readline())
    # What llama.cpp prints goes where its log goes: the output is for the parent.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    parent = os.getppid()
    threading.Thread(target=_end_with_the_input, daemon=True).start()
    server = _server(order)
    parts = urlsplit(server.listening_address)
    context = _real_context(parts.hostname or "127.0.0.1", parts.port or 80, order["key"])
    answers.write(json.dumps({"address": f"{server.listening_address}/v1", "context": context}) + "\n")
    answers.flush()
    while os.getppid() == parent:  # a process forked from the parent may hold the input open
        time.sleep(_NAP)
    os._exit(0)


def _server(order: dict[str, Any]) -> Any:
    import xllamacpp  # late: 100 MB, and its errors are to go to the log

    params = xllamacpp.CommonParams()
    params.model.path, params.model_alias = order["file"], {order["name"]}
    params.hostnames, params.port, params.api_keys = ["127.0.0.1"], 0, [order["key"]]
    params.n_parallel, params.n_ctx = order["parallel"], order["context"] * order["parallel"]
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = order["threads"]
    params.sampling.seed = SEED
    params.cache_prompt, params.cache_ram_mib = True, order["cache_mb"]
    params.enable_reasoning = 0  # the form has a field for the analysis
    params.ui = params.endpoint_slots = False
    return xllamacpp.Server(params)  # returns when the model is loaded


def _real_context(host: str, port: int, key: str) -> int:
    """How many tokens one request may have, as the server says it."""
    connection = http.client.HTTPConnection(host, port, timeout=_SECONDS)
    connection.request("GET", "/v1/models", headers={"Authorization": f"Bearer {key}"})
    told = json.loads(connection.getresponse().read())
    connection.close()
    return int(told["data"][0]["meta"]["n_ctx"])


def _end_with_the_input() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    main()
