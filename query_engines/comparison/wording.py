"""What a question that compares asks for, read by its wording."""

import re
from collections.abc import Sequence

from query_engines.comparison.forms import FORMS, OPEN_FORMS, Form
from query_engines.comparison.parties import Listed
from query_engines.comparison.phrases import HIGH, LOW
from query_engines.comparison.plan import Party, Plan, Relation
from query_engines.comparison.question_core import LIST, Core, read_core, tidy
from query_engines.comparison.readings import Read
from query_engines.kinds import infer_kind
from storage.text import plain

_OF_ONE: set[Relation] = {"highest", "lowest"}  # what a list of a single company may be asked for
_COMPARING = re.compile(
    rf"\b(?:{HIGH}|{LOW}|better|best|worse|worst|compar\w+|differ\w*|ratio|rank|than|whose|which)\b"
    r"|^(?:between|among|of)\b",
    re.I,
)


def read_plan(found: Listed) -> Plan | None:
    """What is compared among the parties; None where no rule knows the wording, or one is named outside of a list."""
    core = read_core(found.text)
    if len(found.parties) < 2 and not core.listed:
        return None
    read = _by_forms(core, FORMS)
    if read is None and len(core.listed) > 1 and not found.strangers and not _COMPARING.search(core.text):
        read = _each(found, core)
    if read is None or (len(found.parties) < 2 and read.relation not in _OF_ONE):
        return None
    return _plan(read, tuple(asked_of(party, read.template) for party in found.parties), core)


def read_open_plan(question: str) -> tuple[Plan, str] | None:
    """What a question about whichever company there is asks: a plan without parties, and each one's question.

    The question has "{}" in the place of the company.
    """
    core = read_core(plain(question))
    read = _by_forms(core, OPEN_FORMS)
    return (_plan(read, (), core), read.template) if read else None


def quoted(name: str) -> str:
    """A name as sub-questions write it, so that its words are not read as any other."""
    return f'"{name}"'


def _plan(read: Read, parties: tuple[Party, ...], core: Core) -> Plan:
    kind = read.kind or infer_kind(read.template.replace("{}", "it"))
    made = Plan(relation=read.relation, subject=read.subject, parties=parties, kind=kind, currency=core.currency)
    return made.model_copy(update=read.more)


def _by_forms(core: Core, forms: Sequence[Form]) -> Read | None:
    for form in forms:
        for text in dict.fromkeys((core.text, core.bare)):
            if (match := form.pattern.match(text)) is not None and (read := form.make(match, core)) is not None:
                return read
    return None


def asked_of(party: Party, template: str) -> Party:
    """The party with its question."""
    return party.model_copy(update={"question": template.replace("{}", quoted(party.company or party.label))})


def _each(found: Listed, core: Core) -> Read:
    """The question itself, with each company in the place of the list."""
    template = re.sub(r"\{\}(?:'s)?", "{}", LIST.sub("{}", found.text, count=1).strip())
    return Read("each", tidy(core.text.replace("@L", "")), template, None, {})
