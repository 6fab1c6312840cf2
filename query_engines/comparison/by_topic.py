"""Reads a comparison of figures in any wording: by the figure that is meant, and by what is asked of the figures.

What is compared does not hang on the form of a sentence: "How far apart are A and B in total assets?" asks for total
assets. So the figure is read as in a question about one company, and what is done to the figures by a trained reader.
What is not surely a company's own figure, as that of a part, is asked of each in the user's words.
"""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from query_engines.comparison.asked import Asked, asked_among_companies
from query_engines.comparison.entities import Listed
from query_engines.comparison.grammar import Core, as_income, asked_of, unmarked
from query_engines.comparison.plan import Plan, Relation
from query_engines.comparison.times import Times
from query_engines.question.intent import MetricName
from query_engines.question.parser import MARK
from storage.lexicon.periods import without_periods
from storage.lexicon.words import expression
from storage.records.queries import AskedPeriod, Query
from storage.text import in_a_sentence

FigureOf = Callable[[str, str], MetricName | None]
"""The company's own figure that words are about, however they say it, in the question that they stand in."""
_NUMBERED = expression(rf"{MARK}(\d+)")
_SIDE_BY_SIDE = expression(r"^compar\w+\b|\bcompare[sd]?\b|\b(?:versus|vs)\b", re.IGNORECASE)
_OTHER = expression(
    r"\b(?:than|as|to|with|above|ahead of|over|(?:exceed|surpass|outperform)(?:e?s|ed)?|beat|minus|less"
    r"|versus|vs\.?|against|below|behind|(?:multiple|percentage|share|proportion) of)"
    rf" (?:(?:that|those|the \w+(?: \w+){{0,3}}) (?:of|for|at) )?{MARK}(?P<other>\d+)",
    re.IGNORECASE,
)
_OF_LOSSES = expression(
    r"\b(?:net loss(?:es)?|loss(?:es)?|lost|los(?:e|es|ing)|burn\w*|us(?:e|es|ed) up|consum\w+|used|deficit)\b",
    re.IGNORECASE,
)
_MAY_BE_BELOW_ZERO = expression(
    r"\b(?:income|profit|earnings|cash flow|result|ebit\w*|margin|per share)\b", re.IGNORECASE
)
# What is made of the figures, and what else the plan says.
_PLANS: dict[str, tuple[Relation, dict[str, object]]] = {
    "highest": ("highest", {}),
    "lowest": ("lowest", {}),
    "second": ("highest", {"place": 2}),
    "third": ("highest", {"place": 3}),
    "ranking": ("ranking", {}),
    "ranking_up": ("ranking", {"rising": True}),
    "more": ("more", {}),
    "less": ("less", {}),
    "difference": ("difference", {}),
    "less_difference": ("difference", {}),
    "gap": ("difference", {"is_unsigned": True}),
    "percent_difference": ("difference", {"is_percentage": True}),
    "ratio": ("ratio", {}),
    "ratio_percent": ("ratio", {"is_percentage": True}),
    "sum": ("sum", {}),
    "average": ("average", {}),
    "share": ("share", {}),
    "grew_most": ("highest", {}),
    "grew_least": ("lowest", {}),
    "fell_most": ("lowest", {}),
    "compare": ("highest", {}),
}
_GROWN = frozenset({"grew_most", "grew_least", "fell_most"})
_OPPOSITE: dict[Relation, Relation] = {"highest": "lowest", "lowest": "highest", "more": "less", "less": "more"}
_OF_EACH: set[Relation] = {"highest", "lowest", "ranking"}  # what may be asked of any number of companies
_OF_TWO: set[Relation] = {"more", "less", "difference", "ratio"}
_GROWS = "revenue"  # where nothing is said


class _Figure(NamedTuple):
    """What is compared: in words that a question about one company understands, and as it is shown."""

    words: str
    title: str
    is_known: bool


def read_by_topic(found: Listed, core: Core, figure_of: FigureOf, times: Times | None = None) -> Plan | None:
    """The plan of a comparison of figures; None where nothing says what is made of them.

    Args:
        found: the question with its companies numbered.
        core: the same, reduced to its form.
        figure_of: finds the figure that words are about.
        times: the years between which something grew.
    """
    read = _read(core, len(found.entities), figure_of, times)
    if read is None:
        return None
    plan, query = read
    return plan.model_copy(update={"entities": tuple(entity.with_query(query) for entity in found.entities)})


def read_of_all(core: Core, figure_of: FigureOf) -> tuple[Plan, Query] | None:
    """The plan of a comparison of all companies, without them, and what is asked of each."""
    read = _read(core, None, figure_of, None)
    return read if read is not None and read[0].relation in _OF_EACH else None


def _read(core: Core, count: int | None, figure_of: FigureOf, times: Times | None) -> tuple[Plan, Query] | None:
    asked = asked_among_companies(core.said)
    is_grown = asked.does in _GROWN
    if not asked.is_sure or asked.does not in _PLANS or (times is not None and not is_grown):
        return None
    if asked.does == "compare" and not _SIDE_BY_SIDE.search(core.said):
        return None
    relation, more = _PLANS[asked.does]
    if relation in _OF_TWO and count != 2:
        return None
    figure = _figure(core, asked, figure_of)
    if figure is None:
        return None
    is_turned = _OF_LOSSES.search(core.text) is not None and _MAY_BE_BELOW_ZERO.search(figure.title) is not None
    if relation == "share" and (alone := _alone(core)) is None:
        return None
    query = asked_of(figure.words, core, "growth" if is_grown else "value")
    if times is not None:
        ends = [
            period for year in (min(times.years), max(times.years)) for period in AskedPeriod.first_in(str(year))
        ]
        query = query.model_copy(update={"periods": tuple(ends)})
    plan = Plan(
        relation=_OPPOSITE.get(relation, relation) if is_turned else relation,
        subject=f"growth of {figure.title}" if is_grown else figure.title,
        entities=(),
        currency=core.currency,
        is_guessed=not figure.is_known,
    ).model_copy(update=more)
    if relation == "share":
        return plan.model_copy(update={"first": alone}), query
    if relation == "ranking":
        return plan.model_copy(update={"rising": plan.rising != is_turned}), query
    return (_of_two(plan, core, asked, is_turned=is_turned) if relation in _OF_TWO else plan), query


def _figure(core: Core, asked: Asked, figure_of: FigureOf) -> _Figure | None:
    """The figure that is compared: a known one, or as it is called."""
    if (income := as_income(asked.figure)) is not None and not asked.beside:
        return _Figure(income, income, is_known=True)
    if (known := figure_named(asked, core.said, figure_of)) is not None:
        return _Figure(known.words, in_a_sentence(known.title), is_known=True)
    if asked.beside or _OF_LOSSES.search(asked.figure):
        return None
    if not asked.figure and asked.does in _GROWN:
        return _Figure(_GROWS, _GROWS, is_known=True)
    return _Figure(asked.figure, asked.figure, is_known=False) if asked.is_named else None


def figure_named(asked: Asked, text: str, figure_of: FigureOf) -> MetricName | None:
    """The known figure that a question names, or says by a verb; None where it is none of the company's own.

    Args:
        asked: what was read in the question.
        text: of the question.
        figure_of: finds the figure that words are about.
    """
    bare = unmarked(without_periods(text))
    if asked.is_named:
        return figure_of(asked.figure, bare if asked.beside else "")
    if _OF_LOSSES.search(text):
        return figure_of("net income", "")  # who loses, or burns, money
    return figure_of(bare, "") or (figure_of(asked.figure, bare) if asked.figure else None)


def _alone(core: Core) -> int | None:
    """The one company that is named again beside the list of all."""
    alone = set(map(int, _NUMBERED.findall(core.text)))
    return alone.pop() if len(alone) == 1 else None


def _of_two(plan: Plan, core: Core, asked: Asked, *, is_turned: bool) -> Plan:
    """The plan with the one of two companies that is compared, and the one that it is compared with."""
    one, against = _pair(core)
    if plan.relation == "difference" and (asked.does == "less_difference") != is_turned:
        one, against = against, one
    return plan.model_copy(update={"first": one, "second": against})


def _pair(core: Core) -> tuple[int, int]:
    """The one of two companies that is compared, and the one that it is compared with."""
    order = _in_order(core)
    if (other := _OTHER.search(core.text)) is None:
        return order[0], order[1]
    against = int(other["other"])
    return next(position for position in order if position != against), against


def _in_order(core: Core) -> Sequence[int]:
    """The companies in the order in which the text names them."""
    said = re.sub(rf"{MARK}L", " ".join(f"{MARK}{position}" for position in core.listed), core.text)
    return list(dict.fromkeys(int(position) for position in _NUMBERED.findall(said)))
