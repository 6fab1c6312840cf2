"""The readings of question forms that ask for one, some or all of the companies."""

import re
from dataclasses import dataclass, replace

from query_engines.comparison.grammar import (
    LOSE,
    SUP,
    Core,
    as_income,
    asked_of,
    asks_for_noun,
    bare_subject,
    extreme,
    is_inflected,
    is_verb,
)
from query_engines.comparison.plan import Relation
from storage.lexicon.question_words import FALLS
from storage.lexicon.words import expression
from storage.records.queries import Query
from storage.records.questions import AnswerKind

Match = re.Match[str]
_OPPOSITE: dict[Relation, Relation] = {"highest": "lowest", "lowest": "highest", "more": "less", "less": "more"}


_PROFIT = ("money", "profit made", "profitable")  # that is made, or that a company is


@dataclass(frozen=True)
class Read:
    """How a form reads a question; `query` is what is asked of each company."""

    relation: Relation
    subject: str
    query: Query
    kind: AnswerKind | None
    more: dict[str, object]


def number(relation: Relation, subject: str, core: Core, **more: object) -> Read:
    """A reading about a number of each."""
    bare = bare_subject(subject)
    return Read(relation, bare, asked_of("profit" if bare in _PROFIT else bare, core), "number", more)


def noun(match: Match, core: Core, relation: Relation, **more: object) -> Read | None:
    """A reading about a named quantity; a loss is read as negative income, so the order is reversed."""
    subject = bare_subject(match["subject"])
    if not subject or "@" in subject:
        return None
    if (income := as_income(subject)) is not None:
        subject, relation, more = income, _OPPOSITE.get(relation, relation), _swapped(relation, more)
    return number(relation, subject, core, **more)


def _swapped(relation: Relation, more: dict[str, object]) -> dict[str, object]:
    """The reversed relation, since the larger loss is the smaller income."""
    if relation == "difference":
        return more | {"first": more["second"], "second": more["first"]}
    return more | {"rising": not more["rising"]} if relation == "ranking" else more


def extreme_of_noun(match: Match, core: Core) -> Read | None:
    """Who has the most or the least of a quantity."""
    end = extreme(match)
    return noun(match, core, "highest" if end.is_high else "lowest", place=end.place)


def extreme_of_verb(match: Match, core: Core) -> Read | None:
    """Who did the most or the least of something."""
    verb, rest = match["verb"], match["subject"] or ""
    if not is_verb(verb) or "@" in rest:
        return None
    if LOSE.fullmatch(verb) and rest in ("", "money"):
        return number("lowest" if extreme(match).is_high else "highest", "net income", core)
    if asks_for_noun(verb, rest):
        return extreme_of_noun(match, core)
    return number("highest" if extreme(match).is_high else "lowest", f"{verb} {rest}".strip(), core)


_SIZE = "revenue"  # what grows where nothing is said
_FALLS = expression(FALLS, re.IGNORECASE)


def extreme_of_move(match: Match, core: Core) -> Read | None:
    """Whose figure rose or fell the most or the least, in percent."""
    subject = bare_subject(match["subject"] or _SIZE)
    if "@" in subject or as_income(subject) is not None:
        return None
    is_highest = extreme(match).is_high != (_FALLS.fullmatch(match["verb"]) is not None)
    return Read(
        "highest" if is_highest else "lowest",
        f"growth of {subject}",
        asked_of(subject, core, "growth"),
        "number",
        {},
    )


def profitable(match: Match, core: Core) -> Read:
    """Who is the most or the least profitable, by net income."""
    return number("highest" if extreme(match).is_high else "lowest", "net income", core)


def ranking(match: Match, core: Core) -> Read | None:
    """All of them in the order of a quantity."""
    rising = re.search(
        r"\b(?:ascending|from (?:the )?(?:lowest|smallest|least)|(?:lowest|smallest) first)\b", core.text, re.I
    )
    return noun(match, core, "ranking", rising=rising is not None)


def total(match: Match, core: Core) -> Read | None:
    """The sum or the average of a quantity."""
    return noun(match, core, "average" if match["total"].lower() in ("average", "mean") else "sum")


def compare(match: Match, core: Core) -> Read | None:
    """A comparison that does not say of what end: the highest."""
    return noun(match, core, "highest")


def which(match: Match, core: Core) -> Read | None:
    """Those of which a predicate is true."""
    predicate = match["predicate"].strip()
    first = predicate.split()[0]
    if re.search(rf"\b{SUP}\b", predicate, re.I) or not is_verb(first) or "in the library" in predicate:
        return None
    if not is_inflected(first) and not re.match(
        r"which (?:of (?:the |these )?)?(?:companies|firms)\b", match[0], re.I
    ):
        return None  # "Which auditor audited"
    if not re.match(r"which\b", match[0], re.I) and re.match(r"(?:is|are|was|were|do|does|did)\b", predicate):
        return None  # "What were the revenues", "Who is the chairman"
    return Read("which", predicate, asked_of(predicate, core, "whether"), "boolean", {})


def whether(match: Match, core: Core) -> Read | None:
    """Whether a predicate is true of all of a list, or of any."""
    if re.search(rf"\b{SUP}\b", match["predicate"], re.I) or len(core.listed) < 2:
        return None
    query = asked_of(f"{match['aux']} {match['predicate']}", core, "whether")
    return Read("any" if core.by_or else "all", match["predicate"], query, "boolean", {})


def _pair(match: Match) -> dict[str, object]:
    return {"first": int(match["one"]), "second": int(match["other"])}


def is_more(match: Match, core: Core) -> Read | None:
    """Whether one has more of a quantity than the other."""
    return noun(match, core, "more" if extreme(match).is_high else "less", **_pair(match))


def does_more(match: Match, core: Core) -> Read | None:
    """Whether one did more of something than the other."""
    found = extreme_of_verb(match, core)
    if found is None:
        return None
    relation: Relation = "more" if found.relation == "highest" else "less"
    return replace(found, relation=relation, more=_pair(match))


def is_more_profitable(match: Match, core: Core) -> Read:
    """Whether one is more profitable than the other."""
    found = profitable(match, core)
    relation: Relation = "more" if found.relation == "highest" else "less"
    return replace(found, relation=relation, more=_pair(match))


def exceeds(match: Match, core: Core) -> Read | None:
    """Whether one exceeds the other by a quantity."""
    return noun(match, core, "more", **_pair(match))


def how_much_more(match: Match, core: Core) -> Read | None:
    """By how much one has more of a quantity than the other."""
    return noun(match, core, "difference", **_signed(match))


def how_much_more_done(match: Match, core: Core) -> Read | None:
    """By how much one did more of something than the other."""
    verb, before, rest = match["verb"], match["subject"] or "", match["rest"] or ""
    if asks_for_noun(verb, before):
        return number("difference", before, core, **_signed(match))
    return number("difference", " ".join(f"{verb} {before} {rest}".split()), core, **_signed(match))


def _signed(match: Match) -> dict[str, object]:
    one, other = int(match["one"]), int(match["other"])
    high = "sup" not in match.groupdict() or match["sup"] is None or extreme(match).is_high
    return {"first": one, "second": other} if high else {"first": other, "second": one}


def difference(match: Match, core: Core) -> Read | None:
    """The difference between two, without its sign."""
    pair = _pair(match) if "one" in match.groupdict() else _of_list(core)
    return noun(match, core, "difference", is_unsigned=True, **pair) if pair else None


def ratio(match: Match, core: Core) -> Read | None:
    """One's quantity divided by the other's."""
    pair = _pair(match) if "one" in match.groupdict() else _of_list(core)
    percentage = re.search(r"\bas a (?:percentage|share|percent|proportion)\b", core.text) is not None
    return noun(match, core, "ratio", is_percentage=percentage, **pair) if pair else None


def _of_list(core: Core) -> dict[str, object]:
    return {"first": core.listed[0], "second": core.listed[1]} if len(core.listed) == 2 else {}


def share(match: Match, core: Core) -> Read | None:
    """One's part of what all have together."""
    return noun(match, core, "share", first=int(match["one"]))
