"""Reads a comparison in any wording: by the figure that the classifier hears in it, and by few words that say how.

What is compared does not hang on the form of a sentence: "How far apart are A and B in total assets?" asks for total
assets. So the figure is read as in a question about one company, and what is done to the figures by the words that can
only mean that. The figure of a part, of a place or of somebody else is left alone.
"""

import re
from collections.abc import Callable, Sequence

from query_engines.comparison.entities import Listed
from query_engines.comparison.grammar import HIGH, NTH, SUP, Core, asked_of, extreme, read_core
from query_engines.comparison.plan import Plan, Relation
from query_engines.question.intent import MetricName
from query_engines.question.parser import MARK
from storage.lexicon.words import expression

FigureOf = Callable[[str], MetricName | None]
_ENTITY = expression(rf"{MARK}(?:\d+|L)(?:'s)?")
_NUMBERED = expression(rf"{MARK}(\d+)")
_TOGETHER = expression(
    r"\b(?:sum|add(?:ed|ing)?(?: up)?|combined|together|joint(?:ly)?|aggregate|in all)\b|\+", re.IGNORECASE
)
_MEAN = expression(r"\b(?:average|mean)\b", re.IGNORECASE)
_RANK = expression(
    r"\b(?:rank(?:ing|ed)?|order|sort(?:ed)?|line(?:d)? up|(?:from|in) (?:the )?(?:large|small|high|low|most|least)\w*"
    r"(?: to (?:the )?\w+)?|\w+ first)\b",
    re.IGNORECASE,
)
_RISING = expression(
    r"\b(?:ascending|from (?:the )?(?:low|small|least|few)\w*|(?:lowest|smallest|least|fewest) first)\b",
    re.IGNORECASE,
)
_PLACE = expression(r"\b(?:comes?|came|is|was|ranks?|ranked) (?:in )?(?P<nth>second|third)\b", re.IGNORECASE)
_SHARE = expression(
    r"(?<!per )(?<!a )\bshare\b|\b(?:percentage|per ?cent|part|proportion|fraction)\b|%", re.IGNORECASE
)
_PERCENT = expression(r"%|\bper ?cent\b|\bpercentage\b", re.IGNORECASE)
_TIMES = expression(r"\bhow many times\b|\bratio (?:of|between)\b|\bas a multiple of\b", re.IGNORECASE)
_GAP = expression(r"\b(?:gap|differences?|differ|spread|how far apart)\b", re.IGNORECASE)
_LESS = expression(
    r"\b(?:(?:by )?how (?:much|many)|by what(?: amount)?|minus|exceeds?|surpass(?:es)?)\b", re.IGNORECASE
)
_THAN = expression(
    r"\b(?:than|(?:compared|relative) (?:to|with)|versus|vs\.?|against|of)(?: (?:that|those) of)?(?=\W*$| *@)",
    re.IGNORECASE,
)
_ABOVE = rf"(?:{SUP}|above|ahead|over|exceeds?|surpass(?:es)?|better|worse)"
_COMPARED = expression(rf"\b{_ABOVE}\b", re.IGNORECASE)
_OTHER = expression(
    r"\b(?:than|as|to|with|above|ahead of|over|exceeds?|surpass(?:es)?|minus|less|versus|vs\.?|against|below|behind)"
    rf" (?:(?:that|those|the (?:one|figure)) (?:of|for|at) )?{MARK}(?P<other>\d+)",
    re.IGNORECASE,
)
_YES_OR_NO = expression(r"(?:is|are|was|were|do|does|did|has|have|had)\b", re.IGNORECASE)
_ASKS_WHO = expression(r"\b(?:who|which|whose|what)\b|^\W*(?:the )?" + SUP + r"\b", re.IGNORECASE)
_NO_COMPARISON = expression(  # what is no comparison of two or more figures, or one of several with others
    r"\b(?:how many of|half|twice|thrice|double|triple|third of|quarter of|median|negative|positive|why|explain)\b",
    re.IGNORECASE,
)
_OF_LOSSES = expression(
    r"\b(?:loss(?:es)?|lost|los(?:e|es|ing)|burn\w*|us(?:e|es|ed) up|consum\w+|used|deficit)\b", re.IGNORECASE
)
_MAY_BE_BELOW_ZERO = expression(
    r"\b(?:income|profit|earnings|cash flow|result|ebit\w*|margin|per share)\b", re.IGNORECASE
)
_CUES = (_TOGETHER, _MEAN, _RANK, _PLACE, _SHARE, _PERCENT, _TIMES, _GAP, _LESS, _COMPARED)


def read_by_topic(found: Listed, figure_of: FigureOf) -> Plan | None:
    """The plan of a comparison of figures; None where it asks for no figure, or not certainly for the companies' own.

    Args:
        found: the question with its companies numbered.
        figure_of: the figure that a text without companies is about, however it is worded.
    """
    core = read_core(found.text, found.currency)
    if len(found.entities) < 2 or _NO_COMPARISON.search(core.text):
        return None
    relation = _relation(core, len(found.entities))
    figure = figure_of(_bare(core.text)) if relation is not None else None
    if relation is None or figure is None:
        return None
    is_of_losses = _OF_LOSSES.search(core.text) is not None and _MAY_BE_BELOW_ZERO.search(figure.title) is not None
    more = _more(relation, core, is_of_losses)
    if more is None:
        return None
    query = asked_of(figure.words, core)
    plan = Plan(
        relation=_OPPOSITE.get(relation, relation) if is_of_losses else relation,
        subject=figure.title[:1].lower() + figure.title[1:] if not figure.title[1:2].isupper() else figure.title,
        entities=tuple(entity.with_query(query) for entity in found.entities),
        currency=core.currency,
    )
    return plan.model_copy(update=more)


_OPPOSITE: dict[Relation, Relation] = {"highest": "lowest", "lowest": "highest", "more": "less", "less": "more"}


def _bare(text: str) -> str:
    """The words of a comparison that say what is compared."""
    text = _ENTITY.sub(" ", _THAN.sub(" ", text))
    for cue in _CUES:
        text = cue.sub(" ", text)
    return " ".join(text.split())


def _relation(core: Core, count: int) -> Relation | None:
    """What is made of the figures, by the words that say so; None where none does."""
    text = core.text
    is_yes_or_no = _YES_OR_NO.match(text) is not None
    if is_yes_or_no:
        is_of_two = count == 2 and not _TOGETHER.search(text)
        compared = _COMPARED.search(text) if is_of_two else None
        return None if compared is None else "more" if _is_high(compared) else "less"
    if _PLACE.search(text):
        return "highest"
    if _RANK.search(text) and not _LESS.search(text):
        return "ranking"
    if _TOGETHER.search(text):
        return "share" if _SHARE.search(text) else "sum"
    if _MEAN.search(text):
        return "average"
    if _TIMES.search(text):
        return "ratio" if count == 2 else None
    if _GAP.search(text) or _LESS.search(text) or (_PERCENT.search(text) and _COMPARED.search(text)):
        return "difference" if count == 2 else None
    compared = _COMPARED.search(text)
    if compared is None or not (core.by_or or _ASKS_WHO.search(text)):
        return None
    return "highest" if _is_high(compared) else "lowest"


def _is_high(compared: re.Match[str]) -> bool:
    """Whether more is better; "above" and "better" are, too."""
    if compared["sup"] is None:
        return compared[0].lower() != "worse"
    return re.fullmatch(HIGH, compared["sup"], re.IGNORECASE) is not None


def _more(relation: Relation, core: Core, is_of_losses: bool) -> dict[str, object] | None:
    """The other fields of the plan; None where it is not said of whom something is asked."""
    text, order = core.text, _in_order(core)
    if relation == "share":
        alone = set(map(int, _NUMBERED.findall(text)))  # named again beside the list
        return {"first": alone.pop()} if len(alone) == 1 else None
    if relation == "ranking":
        return {"rising": (_RISING.search(text) is not None) != is_of_losses}
    if relation in ("highest", "lowest"):
        place = _PLACE.search(text)
        nth = expression(rf"{NTH}{SUP}", re.IGNORECASE).search(text)
        return {
            "place": {"second": 2, "third": 3}[place["nth"].lower()] if place else extreme(nth).place if nth else 1
        }
    if relation not in ("more", "less", "difference", "ratio"):
        return {}
    other = _OTHER.search(text)
    one, against = order[0], order[1]
    if other is not None:
        against = int(other["other"])
        one = next(position for position in order if position != against)
    pair: dict[str, object] = {"first": one, "second": against}
    if relation != "difference":
        return pair
    compared = _COMPARED.search(text)
    if (compared is not None and not _is_high(compared)) != is_of_losses:
        pair = {"first": against, "second": one}
    is_share = _PERCENT.search(text) is not None
    return pair | {"is_percentage": is_share, "is_unsigned": _GAP.search(text) is not None and not is_share}


def _in_order(core: Core) -> Sequence[int]:
    """The companies in the order in which the text names them."""
    said = re.sub(rf"{MARK}L", " ".join(f"{MARK}{position}" for position in core.listed), core.text)
    return list(dict.fromkeys(int(position) for position in _NUMBERED.findall(said)))
