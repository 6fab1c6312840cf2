"""What a person may ask for besides an answer: the facts of a company, and the list of companies. No Chainlit here."""

import re
from typing import Literal

from storage.record import Record

FACTS, COMPANIES = "facts", "companies"
_POLITE = r"(?:(?:please|can you|could you|show|give|list|print)\s+)*(?:me\s+)?"
_FACTS = re.compile(
    _POLITE
    + r"(?:all\s+)?(?:the\s+)?(?:facts|fact table|key figures)\s+(?:of|about|for|on)\s+(?P<name>.+?)[?.!\s]*",
    re.I,
)
_COMPANIES = re.compile(
    _POLITE + r"(?:(?:which|what)\s+)?(?:all\s+)?(?:the\s+)?companies"
    r"(?:\s+(?:are|do you (?:have|know)|can i ask about|in the library|there|indexed|are there|here))*[?.!\s]*",
    re.I,
)


class Request(Record):
    """What is wanted; `name` is the company's, as it was typed."""

    what: Literal["facts", "companies"]
    name: str = ""


def read_request(text: str, command: str | None = None) -> Request | None:
    """The request in a message, or None where it is a question. A command says what the text is about."""
    text = " ".join(text.split())
    asked = _FACTS.fullmatch(text)
    if asked or command == FACTS:
        return Request(what="facts", name=asked["name"] if asked else text)
    if command == COMPANIES or _COMPANIES.fullmatch(text):
        return Request(what="companies")
    return None
