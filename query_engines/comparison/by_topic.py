"""Reads a comparison of figures in any wording: by the figure that is meant, and by few words that say what to do.

What is compared does not hang on the form of a sentence: "How far apart are A and B in total assets?" asks for total
assets. So the figure is read as in a question about one company, and what is done to the figures by the words that can
only mean that. What is not surely a company's own figure, as that of a part, is asked of each in the user's words.
"""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from query_engines.comparison.entities import Listed
from query_engines.comparison.grammar import (
    HEAD,
    HIGH,
    SUP,
    Core,
    as_income,
    asked_of,
    is_high,
    only_introduces,
)
from query_engines.comparison.plan import Plan, Relation
from query_engines.comparison.times import Times
from query_engines.question.intent import MetricName
from query_engines.question.parser import MARK
from query_engines.question.search_text import label_in
from storage.lexicon.question_words import FALLS, RISES
from storage.lexicon.words import expression
from storage.records.queries import AskedPeriod, Query
from storage.text import in_a_sentence

FigureOf = Callable[[str], MetricName | None]
_HEAD = expression(rf"^{HEAD}\b", re.IGNORECASE)
_ENTITY = expression(rf"{MARK}(?:\d+|L)(?:'s)?")
_NUMBERED = expression(rf"{MARK}(\d+)")
_TOGETHER = expression(
    r"\b(?:sum|add(?:ed|ing)?(?: up)?|combined|together|joint(?:ly)?|aggregate)\b|\+", re.IGNORECASE
)
_MEAN = expression(r"\b(?:average|mean)\b", re.IGNORECASE)
_RANK = expression(
    r"\b(?:rank(?:ing|ed)?|sort(?:ed)?|lined? up|in order of|from (?:the )?(?:large|small|high|low|most|least)\w*"
    r"(?: to (?:the )?\w+)?|in (?:ascending|descending)|(?:high|larg|bigg|low|small|few|be|wor|mo|lea)e?st first)\b"
    r"|^(?:please )?order\b(?! (?:backlog|book|intake|entry|volume))",
    re.IGNORECASE,
)
_RISING = expression(
    r"\b(?:ascending|from (?:the )?(?:low|small|least|few)\w*|(?:lowest|smallest|least|fewest) first)\b",
    re.IGNORECASE,
)
_PLACE = expression(
    r"\b(?:who (?:comes|came|is|was|ranks) )?(?P<nth>second|third|2nd|3rd)"
    rf"(?:[- ](?:place|{HIGH}|lowest|smallest|fewest|least)\b|(?=\W*$))",
    re.IGNORECASE,
)
_SHARE = expression(
    r"(?<!per )(?<!a )\bshare\b(?! (?:price|capital|premium))|\b(?:percentage|per ?cent|part|proportion|fraction)\b|%",
    re.IGNORECASE,
)
_PERCENT = expression(r"%|\bper ?cent\b|\bpercentage\b", re.IGNORECASE)
_TIMES = expression(
    r"\bhow many times(?: (?:as|more|the))?\b|\bratio (?:of|between)\b"
    r"|\bas an? (?:multiple|percentage|share|proportion) of\b"
    rf"|\b(?:percentage|share) of (?={MARK}\d)",
    re.IGNORECASE,
)
_GAP = expression(r"\b(?:gap|differences?|differ|spread|how far apart)\b", re.IGNORECASE)
_EXCEEDS = r"(?:exceed|surpass|outperform)(?:e?s|ed)?"
_LESS = expression(rf"\b(?:by how (?:much|many)|by what(?: amount)?|minus|{_EXCEEDS})\b", re.IGNORECASE)
_HOW_MUCH = expression(r"\bhow (?:much|many)\b", re.IGNORECASE)  # more, or less
_COMPARED = expression(rf"\b(?:{SUP}|above|ahead|over|{_EXCEEDS}|beat|better|best|worse|worst)\b", re.IGNORECASE)
_SIDE_BY_SIDE = expression(rf"^compar\w+\b|\bcompare[sd]?\b|\b(?:versus|vs)\b|^{MARK}L\b", re.IGNORECASE)
_THAN = expression(
    r"\b(?:than|(?:compared|relative) (?:to|with)|versus|vs\.?|against|between|among|across|to|of|by"
    r"|in terms of|measured by)"
    rf"(?: (?:that|those) of)?(?=\W*$| *{MARK})",
    re.IGNORECASE,
)
_OTHER = expression(
    rf"\b(?:than|as|to|with|above|ahead of|over|{_EXCEEDS}|beat|minus|less"
    r"|versus|vs\.?|against|below|behind|(?:multiple|percentage|share|proportion) of)"
    rf" (?:(?:that|those|the \w+(?: \w+){{0,3}}) (?:of|for|at) )?{MARK}(?P<other>\d+)",
    re.IGNORECASE,
)
_YES_OR_NO = expression(r"(?:is|are|was|were|do|does|did|has|have|had)\b", re.IGNORECASE)
_ASKS_WHICH = expression(rf"\b(?:who|which|whose|(?:company|firm|one) with)\b|^(?:the )?{SUP}\b", re.IGNORECASE)
_MOVES = expression(rf"\b(?:(?P<falls>{FALLS})|{RISES}|growth(?: rates?)?(?: (?:of|in))?)\b", re.IGNORECASE)
_GROWS = "revenue"  # where nothing is said
_NO_COMPARISON = expression(  # what compares no two figures, or one with several
    r"\b(?:how many of|half|twice|thrice|double|triple|third of|quarter of|median|why|explain)\b",
    re.IGNORECASE,
)
_OF_LOSSES = expression(
    r"\b(?:net loss(?:es)?|loss(?:es)?|lost|los(?:e|es|ing)|burn\w*|us(?:e|es|ed) up|consum\w+|used|deficit)\b",
    re.IGNORECASE,
)
_MAY_BE_BELOW_ZERO = expression(
    r"\b(?:income|profit|earnings|cash flow|result|ebit\w*|margin|per share)\b", re.IGNORECASE
)
_FIRMS = expression(
    r"\b(?:(?:all|each|every|of|the|these|those|our|following) ){0,3}(?:\w+ )?(?:companies|firms)\b(?: in the library)?"
    r"|\b(?:company|firm|one)\b",
    re.IGNORECASE,
)
_ASKING = expression(r"\b(?:who|which|whose|what)\b", re.IGNORECASE)
_CHOOSING = (_RANK, _PLACE, _COMPARED)
# What says what is made of the figures; the rest says what they are of, as "combined" does in "combined ratio".
_CUES: dict[Relation, tuple[re.Pattern[str], ...]] = {
    **dict.fromkeys(("highest", "lowest", "more", "less", "ranking"), _CHOOSING),
    "ratio": (_TIMES, _PERCENT, _COMPARED),
    "sum": (_TOGETHER,),
    "share": (_TOGETHER, _SHARE, _PERCENT),
    "average": (_MEAN,),
    "difference": (_GAP, _LESS, _HOW_MUCH, _PERCENT, _COMPARED),
}
_OPPOSITE: dict[Relation, Relation] = {"highest": "lowest", "lowest": "highest", "more": "less", "less": "more"}
_OF_EACH: set[Relation] = {"highest", "lowest", "ranking"}  # what may be asked of any number of companies
_OF_TWO: set[Relation] = {"more", "less", "difference", "ratio"}
_LONGEST = 10  # words of a figure in the user's words
_NO_PHRASE = expression(
    r"[,.:;?!]|\b(?:i|if|me|my|we|us|you|who|whom|whose|which|what|when|how|that)\b", re.IGNORECASE
)


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
        figure_of: the company's own figure that a text without companies is about, however it is worded.
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
    text = core.text
    moved = _MOVES.search(text)
    relation = None if _NO_COMPARISON.search(text) else _relation(core, count)
    if relation is None or (times is not None and moved is None) or (moved and relation not in _OF_EACH):
        return None
    figure = _figure(core, figure_of, (*_CUES[relation], *((_MOVES,) if moved else ())))
    if figure is None or (not figure.is_known and not _is_choice(core, relation)):
        return None
    is_of_losses = _OF_LOSSES.search(text) is not None and _MAY_BE_BELOW_ZERO.search(figure.title) is not None
    is_turned = is_of_losses != (moved is not None and moved["falls"] is not None)
    more = _more(relation, core, is_turned=is_turned)
    if more is None:
        return None
    query = asked_of(figure.words, core, "growth" if moved else "value")
    if times is not None:
        ends = [
            period for year in (min(times.years), max(times.years)) for period in AskedPeriod.first_in(str(year))
        ]
        query = query.model_copy(update={"periods": tuple(ends)})
    plan = Plan(
        relation=_OPPOSITE.get(relation, relation) if is_turned else relation,
        subject=f"growth of {figure.title}" if moved else figure.title,
        entities=(),
        currency=core.currency,
        is_guessed=not figure.is_known,
    )
    return plan.model_copy(update=more), query


def _figure(core: Core, figure_of: FigureOf, cues: Sequence[re.Pattern[str]]) -> _Figure | None:
    """The figure that is compared, without the words that say what is made of it: a known one, or as it is called."""
    bare = _HEAD.sub(" ", core.text)
    for cue in (*cues, _FIRMS, _THAN, _ENTITY):
        bare = cue.sub(" ", bare)
    bare = " ".join(bare.split())
    if "profitable" in core.text.lower():
        bare = "net income"
    if (known := figure_of(bare)) is not None:
        return _Figure(known.words, in_a_sentence(known.title), is_known=True)
    words = label_in(_ASKING.sub(" ", bare)).strip(" ,:;.-") or (_GROWS if _MOVES in cues else "")
    verb, _, rest = words.partition(" ")
    words = rest if rest and only_introduces(verb) else words
    if (income := as_income(words)) is not None:
        return _Figure(income, income, is_known=True)
    is_phrase = bool(words) and len(words.split()) <= _LONGEST and _NO_PHRASE.search(words) is None
    return _Figure(words, words, is_known=False) if is_phrase and not _OF_LOSSES.search(words) else None


def _is_choice(core: Core, relation: Relation) -> bool:
    """Whether the question certainly chooses between companies, or calculates, whatever the figure is."""
    return (
        relation not in ("highest", "lowest")
        or core.by_or
        or _ASKS_WHICH.search(core.text) is not None
        or _SIDE_BY_SIDE.search(core.text) is not None
    )


def _relation(core: Core, count: int | None) -> Relation | None:
    """What is made of the figures, by the words that say so; None where none does."""
    text, compared = core.text, _COMPARED.search(core.text)
    extreme: Relation = "highest" if compared is None or _is_high(compared) else "lowest"
    if _YES_OR_NO.match(text):
        if compared is None or _TOGETHER.search(text):
            return None
        is_of_two = count == 2 and not core.by_or and not (core.listed and _OTHER.search(text) is None)
        return ("more" if extreme == "highest" else "less") if is_of_two else extreme if core.by_or else None
    is_choice = core.by_or or count is None or _ASKS_WHICH.search(text) is not None
    is_paired = _OTHER.search(text) is not None
    if _PLACE.search(text) or (compared and is_choice and not is_paired and not _RANK.search(text)):
        return extreme
    if _RANK.search(text) and not is_paired:
        return "ranking"
    if _TIMES.search(text) and count == 2:
        return "ratio"
    if _TOGETHER.search(text):
        return "share" if _SHARE.search(text) else "sum"
    if _MEAN.search(text) and compared is None:
        return "average"
    is_less = compared is not None and (_HOW_MUCH.search(text) or _PERCENT.search(text))
    if is_less or _GAP.search(text) or _LESS.search(text):
        return "difference" if count == 2 else None
    return extreme if (compared and is_choice) or (_SIDE_BY_SIDE.search(text) and compared is None) else None


def _is_high(compared: re.Match[str]) -> bool:
    """Whether the more is meant; "above" and "better" mean it, too."""
    return is_high(compared) if compared["sup"] else compared[0].lower() not in ("worse", "worst")


def _more(relation: Relation, core: Core, *, is_turned: bool) -> dict[str, object] | None:
    """The other fields of the plan; None where it is not said of whom something is asked."""
    text = core.text
    if relation == "share":
        alone = set(map(int, _NUMBERED.findall(text)))  # named again beside the list
        return {"first": alone.pop()} if len(alone) == 1 else None
    if relation == "ranking":
        return {"rising": (_RISING.search(text) is not None) != is_turned}
    if relation in _OF_EACH:
        place = _PLACE.search(text)
        return {"place": 1 if place is None else 2 if place["nth"].lower() in ("second", "2nd") else 3}
    if relation not in _OF_TWO:
        return {}
    one, against = _pair(core)
    if relation != "difference":
        is_share = relation == "ratio" and _PERCENT.search(text) is not None
        return {"first": one, "second": against, "is_percentage": is_share}
    compared = _COMPARED.search(text)
    if (compared is not None and not _is_high(compared)) != is_turned:
        one, against = against, one
    is_share, is_gap = _PERCENT.search(text) is not None, _GAP.search(text) is not None
    return {"first": one, "second": against, "is_percentage": is_share, "is_unsigned": is_gap and not is_share}


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
