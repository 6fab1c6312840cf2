"""Twenty things that no field of ours takes: whoever sends them is told so in one line, by every door."""

import json
from typing import Any

MARK = "open sesame"
"""Stands in each of them that is a text: it must not come back, nor get into the log."""
LONGEST_REFUSAL = 1_000

RAW: dict[str, bytes] = {
    "half an object": b'{"open sesame": ',
    "no number": b'{"question": NaN, "x": "open sesame"}',
    "infinity": b'{"question": "open sesame", "company": 1e999}',
    "5,000 digits": b'{"question": "open sesame", "company": ' + b"7" * 5_000 + b"}",
    "half a character": b'{"question": "open sesame \\ud800"}',
    "half a character as a name": b'{"open sesame \\udfff": 1}',
    "a zero byte": b'{"question": "open sesame\\u0000"}',
    "no UTF-8": b'{"question": "open sesame \xff"}',
    "lists without end": b"[" * 100_000,
    "objects without end": b'{"a":' * 2_000 + b"1" + b"}" * 2_000,
    "nothing": b"",
    "null": b"null",
    "a list": b'["open sesame"]',
    "another encoding": '{"question": "open sesame"}'.encode("utf-32"),
}
"""Whole bodies."""
VALUES: dict[str, Any] = {
    "a long text": f"{MARK} " * 6_000,
    "characters that stand for eighteen": MARK + "\ufdfa" * 1_990,
    "an object": {"x": MARK},
    "a list of lists": [[MARK]],
    "a large number": 10**39,
    "signs that turn or part lines": f"{MARK}\u202e\u2028\u0085",
}
"""What every field of a form is given."""


def bodies(fields: dict[str, Any]) -> dict[str, bytes]:
    """The twenty, for a form with these fields and what they usually hold."""
    filled = {name: json.dumps(dict.fromkeys(fields, value)).encode() for name, value in VALUES.items()}
    return RAW | filled


assert len(RAW) + len(VALUES) == 20
