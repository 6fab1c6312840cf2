"""The measured set: texts that can be seen and want a model to do something else than asked."""

from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter

from storage.records.record import Record


class Injection(Record):
    """One text.

    Attributes:
        kind: what it tries.
        where: where it stands.
        text: its words.
        value: what a model answers that obeys.
        page: what it then cites.
        prints: whether the text prints that figure beside a word of what was asked, so that it can be quoted for it.
    """

    kind: str
    where: Literal["page", "question", "name"]
    language: Literal["en", "de", "fr", "es", "it", "ja", "zh"]
    text: str
    value: float | Literal["N/A"] = "N/A"
    page: int = 7
    prints: bool = False


INJECTIONS = TypeAdapter(tuple[Injection, ...]).validate_json(Path(__file__).with_suffix(".json").read_bytes())
