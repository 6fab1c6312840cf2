"""What one form of a question is read as, where it sets one party against another or against all."""

import re

from query_engines.comparison.phrases import asks_for_noun, base_form, extreme, noun_question, verb_question
from query_engines.comparison.plan import Relation
from query_engines.comparison.question_core import Core
from query_engines.comparison.readings import Match, Read, extreme_of_verb, noun, number, profitable


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
    return Read(relation, found.subject, found.template, "number", _pair(match))


def is_more_profitable(match: Match, core: Core) -> Read:
    """Whether one is more profitable than the other."""
    found = profitable(match, core)
    relation: Relation = "more" if found.relation == "highest" else "less"
    return Read(relation, found.subject, found.template, "number", _pair(match))


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
        template = noun_question(before, match["sup"], core.currency, core.when)
        return number("difference", before, template, **_signed(match))
    what = f"{before} {rest}".strip()
    template = verb_question(verb, what, core.currency, core.when)
    return number("difference", f"how much they {base_form(verb)} {what}".strip(), template, **_signed(match))


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
