"""What the chat can do besides answering: facts, overviews, the list of companies, corrections. No Chainlit here."""

import datetime as dt
import re
from collections.abc import Mapping
from typing import Any, Literal

from storage.errors import UsageError
from storage.incoming import LONGEST_NAME, one_line
from storage.lexicon.calendar import YEARS_OF_REPORTS
from storage.lexicon.money import currency_code
from storage.lexicon.words import expression
from storage.records.record import Record

FACTS, OVERVIEW, COMPANIES = "facts", "overview", "companies"
_POLITE = r"(?:(?:please|can you|could you|show|give|list|print|bitte|zeige?|nenne|gib) ){0,6}(?:(?:me|mir) )?"
_FACTS = expression(
    _POLITE + r"(?:alle? )?(?:the |die )?(?:facts|fact table|key figures|(?:kenn)?zahlen)"
    r" (?:of|about|for|on|von|zu|für) (?P<name>.+)",
    re.I,
)
_OVERVIEW = expression(
    _POLITE + r"(?:an |the |einen )?(?:overview|contents|table of contents|überblick|inhalt)(?: of the report)?"
    r" (?:of|about|for|on|von|zu|über) (?P<name>(?:(?! of ).){1,200})",
    re.I,
)
_COMPANIES = expression(
    _POLITE + r"(?:(?:which|what|welche) )?(?:alle? )?(?:the |die )?(?:companies|unternehmen|firmen)"
    r"(?: (?:are|do you (?:have|know)|can i ask about|in the library|there|indexed|are there|here"
    r"|gibt es|sind (?:hier|da)|hier)){0,6}",
    re.I,
)


class Request(Record):
    """What is wanted; `name` is the company's, as it was typed."""

    what: Literal["facts", "overview", "companies"]
    name: str = ""


def read_request(text: str, command: str | None = None) -> Request | None:
    """The request in a message, or None where it is a question. A command says what the text is about."""
    text = " ".join(text.split())
    bare = text.rstrip("?.! ")
    match = _FACTS.fullmatch(bare)
    if match or command == FACTS:
        return Request(what="facts", name=match["name"] if match else text)
    wanted = _OVERVIEW.fullmatch(bare)
    if wanted or command == OVERVIEW:
        return Request(what="overview", name=wanted["name"] if wanted else text)
    if command == COMPANIES or _COMPANIES.fullmatch(bare):
        return Request(what="companies")
    return None


_SHA1 = expression(r"[0-9a-f]{40}")
_ID = expression(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_QUESTION = expression(
    r"(?:and\s+|so\s+|then\s+)?(?:what|who|whom|whose|which|when|where|why|how|did|does|do|has|have|had|was"
    r"|were|is|are|"
    r"list|name|show|give|tell|compare|summari[sz]e|describe|explain)\b",
    re.I,
)


class Correction(Record):
    """How a report is to be known; None leaves a thing as it is."""

    sha1: str
    company: str
    currency: str | None
    period_end: dt.date | None


def read_sha1(payload: Mapping[str, Any]) -> str:
    """The report that a card is about.

    Raises:
        UsageError: it names none.
    """
    sha1 = payload.get("sha1")
    if not isinstance(sha1, str) or not _SHA1.fullmatch(sha1):
        raise UsageError("the card names no report")
    return sha1


def read_correction(payload: Mapping[str, Any]) -> Correction:
    """What a person wrote into a card.

    Raises:
        UsageError: a value is wrong; the message says how it is written.
    """
    company = one_line(_text(payload, "company"))
    if not company or len(company) > LONGEST_NAME:
        raise UsageError(f"write the company's name, in at most {LONGEST_NAME} letters")
    given = _text(payload, "currency").strip()
    currency = currency_code(given) if given else None
    if given and currency is None:
        raise UsageError(f"{given[:20]!r} is no currency: write its three letters, such as EUR")
    return Correction(
        sha1=read_sha1(payload),
        company=company,
        currency=currency,
        period_end=_day(_text(payload, "period_end").strip()),
    )


class Place(Record):
    """Where a card stands: the ids of its element and of the message around it."""

    element: str
    message: str


def read_place(payload: Mapping[str, Any]) -> Place | None:
    """The place of the card that asks; None where it names none that could be one."""
    place = payload.get("place")
    if not isinstance(place, dict) or set(place) != {"element", "message"}:
        return None
    if not all(isinstance(name, str) and _ID.fullmatch(name) for name in place.values()):
        return None
    return Place(element=place["element"], message=place["message"])


def asks(text: str) -> bool:
    """Whether the words that came with a file are a question, not a mere "here it is"."""
    return "?" in text or _QUESTION.match(text.strip()) is not None


def _text(payload: Mapping[str, Any], name: str) -> str:
    value = payload.get(name, "")
    if not isinstance(value, str):
        raise UsageError(f"{name} is no text")
    return value


def _day(text: str) -> dt.date | None:
    if not text:
        return None
    try:
        day = dt.date.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"{text[:20]!r} is no day: write it as 2024-12-31") from error
    if day.year not in YEARS_OF_REPORTS:
        raise UsageError(
            f"{text!r} is no report's period: expected a year from {YEARS_OF_REPORTS[0]} to {YEARS_OF_REPORTS[-1]}"
        )
    return day
