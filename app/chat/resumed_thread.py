"""A kept conversation whose last answer was cut off: by a kill of the server, or its restart."""

import uuid
from typing import Any

from chainlit.types import ThreadDict

CUT_OFF = "This question was not answered: the server was stopped meanwhile. Ask it again."


def close_what_was_left_open(thread: ThreadDict) -> None:
    """Mark steps that never ended, and say so below a question that has no answer."""
    steps: list[Any] = thread["steps"]
    for step in steps:
        if not _is_message(step) and not step.get("end"):
            step.update(end=step.get("start") or step.get("createdAt"), isError=step["name"] != "on_message")
    said = [step for step in steps if _is_message(step)]
    if said and said[-1]["type"] == "user_message":
        question = said[-1]
        steps.append(
            {
                "id": str(uuid.uuid4()),
                "threadId": thread["id"],
                "name": "Pageproof",
                "type": "assistant_message",
                "output": CUT_OFF,
                "input": "",
                "isError": True,
                "streaming": False,
                "metadata": {},
                "createdAt": question["createdAt"],
                "start": question["createdAt"],
                "end": question["createdAt"],
            }
        )


def _is_message(step: Any) -> bool:
    return str(step["type"]).endswith("message")
