"""Plans what is asked of several companies: a comparison of figures, who of them did something, or the same of each."""

import re

from query_engines.comparison.by_topic import FigureOf, read_by_topic, read_of_all
from query_engines.comparison.entities import Listed
from query_engines.comparison.grammar import (
    HEAD,
    HIGH,
    LIST,
    LOW,
    SUP,
    Core,
    asked_of,
    is_inflected,
    is_verb,
    read_core,
    tidy,
)
from query_engines.comparison.plan import Plan, Relation
from query_engines.question.parsed import ParsedQuestion
from query_engines.question.wording import infer_kind
from storage.lexicon.words import expression
from storage.records.queries import Query
from storage.text import plain

_WHICH = expression(rf"^(?!what\b)(?P<head>{HEAD}) (?P<predicate>[a-z][^@]+)$", re.IGNORECASE)
_WHETHER = expression(
    r"^(?P<aux>did|does|do|has|have|had|is|are|was|were) @L (?:both |all )?(?P<predicate>[^@]+)$", re.IGNORECASE
)
_OF_COMPANIES = expression(r"which (?:of (?:the |these )?)?(?:companies|firms)\b", re.IGNORECASE)
_OF_ONE: set[Relation] = {"highest", "lowest"}  # what may be asked about a list of one company
_COMPARING = expression(
    rf"\b(?:{HIGH}|{LOW}|better|best|worse|worst|compar\w+|differ\w*|ratio|rank|than|whose|which)\b"
    r"|^(?:between|among|of)\b",
    re.I,
)
_AGAINST = expression(r"\b(?:vs|versus)\b", re.I)
_COMPANIES = expression(r"\b(?:compan(?:y|ies)|firms?)\b", re.IGNORECASE)
_ITSELF = "@L"  # the place of the list


def read_plan(found: Listed, figure_of: FigureOf) -> Plan | None:
    """The plan of a question about several companies; None where nothing is asked of them, or one is named beside them.

    Args:
        found: the question with its companies numbered.
        figure_of: the company's own figure that a text without companies is about, however it is worded.
    """
    core = read_core(found.text, found.currency)
    if len(found.entities) < 2 and not core.listed:
        return None
    is_compared = _COMPARING.search(core.text) is not None
    is_set_against = is_compared or _AGAINST.search(found.text) is not None
    if len(found.entities) - found.strangers < 2 and len(found.entities) > 1 and not is_set_against:
        return None  # "Acme, Minnesota: how many employees?"
    if (read := _who(core) or _whether(core)) is not None and len(found.entities) > 1:
        plan, asked = read
        return plan.model_copy(update={"entities": tuple(entity.with_query(asked) for entity in found.entities)})
    compared = read_by_topic(found, core, figure_of)
    if compared is not None and (len(found.entities) > 1 or compared.relation in _OF_ONE):
        return compared
    return _each(found, core) if len(core.listed) > 1 and not found.strangers and not is_compared else None


def read_open_plan(parsed: ParsedQuestion, figure_of: FigureOf) -> tuple[Plan, Query] | None:
    """The plan of a question about all companies, without companies, and what is asked of each."""
    core = read_core(plain(parsed.wording), parsed.currency)
    if not _COMPANIES.search(core.text):
        return None
    read = _who(core) if _OF_COMPANIES.match(core.text) else None
    return read or read_of_all(core, figure_of)


def quoted(name: str) -> str:
    """A name in quotation marks for a sub-question, so that its words are not read as anything else."""
    return f'"{name}"'


def _who(core: Core) -> tuple[Plan, Query] | None:
    """Those of which a predicate is true: "Which of them announced a buyback?"."""
    match = _WHICH.match(core.text) or _WHICH.match(core.bare)
    if match is None:
        return None
    predicate = match["predicate"].strip()
    first = predicate.split()[0]
    if re.search(rf"\b{SUP}\b", predicate, re.I) or not is_verb(first) or "in the library" in predicate:
        return None
    if not is_inflected(first) and not _OF_COMPANIES.match(match[0]):
        return None  # "Which auditor audited"
    if not re.match(r"which\b", match[0], re.I) and re.match(r"(?:is|are|was|were|do|does|did)\b", predicate):
        return None  # "What were the revenues", "Who is the chairman"
    return _of_predicate("which", predicate, asked_of(predicate, core, "whether"))


def _whether(core: Core) -> tuple[Plan, Query] | None:
    """Whether a predicate is true of all of a list, or of any."""
    match = _WHETHER.match(core.text) or _WHETHER.match(core.bare)
    if match is None or re.search(rf"\b{SUP}\b", match["predicate"], re.I) or len(core.listed) < 2:
        return None
    query = asked_of(f"{match['aux']} {match['predicate']}", core, "whether")
    return _of_predicate("any" if core.by_or else "all", match["predicate"], query)


def _of_predicate(relation: Relation, predicate: str, query: Query) -> tuple[Plan, Query] | None:
    """The plan without its companies, and what is asked of each."""
    if "?" in predicate:
        return None  # a second question says what is meant
    return Plan(relation=relation, subject=predicate, entities=(), kind="boolean"), query


def _each(found: Listed, core: Core) -> Plan:
    """The question itself, with each company in place of the list."""
    text = re.sub(rf"{_ITSELF}(?:'s)?", _ITSELF, LIST.sub(_ITSELF, found.text, count=1).strip())
    return Plan(
        relation="each",
        subject=tidy(core.text.replace("@L", "")),
        entities=tuple(
            entity.with_query(Query(subject=text.replace(_ITSELF, quoted(entity.company or entity.label))))
            for entity in found.entities
        ),
        kind=infer_kind(text.replace(_ITSELF, "it")),
        currency=core.currency,
    )
