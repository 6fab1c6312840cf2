"""What an office is: what persons and firms are to a company, and how questions and reports call it."""

import functools
import re
import tomllib
from pathlib import Path
from typing import Literal

from storage.lexicon.words import expression
from storage.records.facts import Role
from storage.records.record import Record

_FILE = Path(__file__).with_suffix(".toml")
_BODY = (  # of which somebody is a member
    r"(?:(?:[A-Z]\w+(?:,| and| &)? ){1,3}?(?:Committee|Board)\b|[A-Z]\w+)"
    r"(?: of (?:(?:Managing|Executive) )?Directors\b)?"
)
POSITION = (
    r"(?:Non-?\s?[Ee]xecutive |Independent |Executive |Senior |Group |Lead |Deputy |Vice[ -]|Managing "
    r"|Interim |Acting |Representative |Outside |External "
    r"|Co-){0,4}(?:Chair(?:man|woman|person)?|Directors?|President|Chief [A-Z][\w&]+(?:(?: and| &"
    r"| of)? [A-Z][\w&]+){0,3}?"
    r" ?Officer|Chief Executive|Company Secretary|Secretary|General Counsel|Treasurer"
    rf"|Member(?: of the {_BODY}|(?= \d{{4}}|$))|Vice President|C[EFOT]O)"
)
"""The source of a pattern of any position that a list of people prints, whatever its holder's office is called."""
HAS_POSITION = expression(rf"\b{POSITION}\b")


class Office(Record):
    """What a person or a firm is to a company.

    Attributes:
        asked: how questions in small letters call it; empty where a topic means it.
        printed: how reports call it.
        is_chief: whether it is one of the chief officers', which reports print with capitals.
        in_sentences: whether sentences name its holder; the lawyers of a sentence may be anybody's.
    """

    id: str
    holder: Literal["person", "firm"]
    asked: tuple[str, ...] = ()
    printed: tuple[str, ...]
    is_chief: bool = False
    in_sentences: bool = True

    @functools.cached_property
    def in_questions(self) -> re.Pattern[str]:
        """The office as questions in small letters name it."""
        return re.compile(rf"\b(?:{'|'.join(self.asked)})(?!\w)")

    @property
    def in_print(self) -> str:
        """The source of a pattern of the office as reports name it."""
        source = f"(?:{'|'.join(self.printed)})"
        return source if self.is_chief else f"(?i:{source})"


@functools.cache
def load_offices() -> tuple[Office, ...]:
    """The offices that are known, those of the chief officers first."""
    content = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    return tuple(Office.model_validate(entry) for entry in content["office"])


def office_called(name: str) -> Office:
    """The office with an id."""
    return next(office for office in load_offices() if office.id == name)


CHIEFS: dict[Role, re.Pattern[str]] = {o.id: expression(o.in_print) for o in load_offices() if o.is_chief}  # type: ignore[misc]  # the file has them
"""A pattern of each chief officer's office, with capitals."""
IN_ANY_CASE: dict[Role, re.Pattern[str]] = {
    role: expression(o.pattern, re.IGNORECASE) for role, o in CHIEFS.items()
}
"""The same, as sentences and questions write them."""
