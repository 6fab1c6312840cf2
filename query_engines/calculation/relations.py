"""How two figures relate that a question names: ratios of metrics; shares, differences and sums of printed rows."""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Literal

from storage.amounts import parse_figure
from storage.lexicon.question_words import LEFT_OUT
from storage.lexicon.words import expression
from storage.records.derived_metrics import DerivedMetric, DerivedMetrics, DerivedUnit, Judgement
from storage.records.metrics import Metric
from storage.records.questions import AnswerKind
from storage.records.record import Record
from storage.text import plain

_SHARE = r"(?:share|percentage|percent|per ?cent|portion|proportion|fraction|part|%)"
_COIN = r"(?:dollars?|euros?|pounds?|francs?|cents?)"
_WHAT = r"(?:what|which|how (?:much|large|big)(?: a)?)"
_EVERY = rf"(?:every|each)(?: single)?(?: {_COIN})?(?: of)?"
_NEXT = r"(?:is|are|was|were|went|goes|go|did|does|do|has|have|had)"
FRACTIONS: dict[str, int | Decimal] = {
    "half": 50, "a half": 50, "a third": Decimal(100) / 3, "one third": Decimal(100) / 3, "a quarter": 25,
    "one quarter": 25, "two thirds": Decimal(200) / 3, "three quarters": 75, "a fifth": 20, "a tenth": 10,
}  # fmt: skip
_RATIO_FORMS: tuple[tuple[str, DerivedUnit], ...] = (
    (rf"\b{_WHAT} {_SHARE}(?: of)? (?P<bottom>[^?]{{2,60}}?) {_NEXT}\b(?P<top>[^?]+)", "percent"),
    (rf"\bhow much of (?:{_EVERY} )?(?P<bottom>[^?]{{2,60}}?) {_NEXT}\b(?P<top>[^?]+)", "percent"),
    (rf"(?P<top>[^?]{{2,80}}?) (?:as|in) (?:an? )?{_SHARE} of (?P<bottom>[^?]+)", "percent"),
    (r"\bratio of (?P<top>[^?]{2,60}?) to (?P<bottom>[^?]+)", "times"),
    (rf"(?P<top>[^?]{{2,80}}?) (?:for|per|on) (?:every|each)(?: single)? {_COIN} of (?P<bottom>[^?]+)", "times"),
    (r"(?P<top>[^?]{2,80}?) per (?P<bottom>employee|head|person)\b", "amount"),
)
_RATIOS = tuple((expression(form), unit) for form, unit in _RATIO_FORMS)
# These words stand in other questions too ("over the years", "from 4 to 5"), so both sides must be metrics.
_SET_OVER = expression(r"(?P<top>[^?.:;]{2,60}?) (?:over|divided by) (?P<bottom>[^?.:;]+)")
_KNOWN_PAIR = expression(r"(?P<top>[^?.:;]{2,60}?)(?: ?/ ?| to )(?P<bottom>[^?.:;]+)")
# What people call one side of a ratio.
_CALLED = {
    **dict.fromkeys(("employee", "head", "person"), "number of employees"),
    **dict.fromkeys(("costs", "expenses", "total costs", "costs and expenses"), "total operating expenses"),
}
_RATIO_JUDGED = expression(
    rf"\b{_NEXT} (?P<top>[^?]{{2,60}}?) (?:make up |account for |amount to |come to )?"
    r"(?P<more>more|over|above|at least|exceed\w*|greater|higher|less|under|below|at most|lower)(?: than)? "
    rf"(?P<n>\d+(?:\.\d+)?(?=\s?(?:%|per ?cent))|{'|'.join(FRACTIONS)})(?:\s?(?:%|per ?cent))? of (?P<bottom>[^?]+)"
)
_AROUND_A_NAME = expression(
    rf"\b(?:how|much|what|which|did|does|do|has|have|had|was|were|is|are|it|they|its|their|his|the|an?|spen[dt]|pay|paid"
    rf"|make|made|put|goe?s?|went|into|in|on|to|by|out|earn(?:ed)?|generated?|finance[ds]?|funded|tied|up|used|taken|eaten"
    rf"|of|for|from|this|that|{_COIN}|end|at|per ?cent|percent|terms|figure|times)\b|[,%]"
)


class Ratio(Record):
    """A ratio of two metrics that a question asks for in its own words.

    Attributes:
        metric: None where a metric is not known.
        judgement: the threshold, for yes or no.
    """

    metric: DerivedMetric | None = None
    judgement: Judgement | None = None


_PROPERTY = "property_plant_equipment"
_SPENT = expression(
    r"\b(?:puts?|spen[dt]s?|spending|invest(?:s|ed|ing)?|pour(?:s|ed)?|plough(?:s|ed)?|sinks?|sank|went|goes|go)"
    r" (?:\w+ ){0,2}?(?:into|on|in)\b"
)


def read_ratio(bare: str, named: Callable[[str], Metric | None], stored: DerivedMetrics) -> Ratio | None:
    """The ratio that a question asks for, without company and time and in lower case; None where it asks for none.

    Args:
        bare: the question.
        named: the metric whose name a text is.
        stored: a ratio among these is taken as it is.
    """
    judged = _RATIO_JUDGED.search(bare)
    if judged is not None:
        metric = _ratio_of(judged, "percent", named, stored)
        limit = FRACTIONS.get(judged["n"]) or parse_figure(judged["n"])
        if metric is None or limit is None:
            return Ratio()
        key = "at_most" if judged["more"] in ("less", "under", "below", "at most", "lower") else "at_least"
        made = {"id": metric.id, "title": metric.title, "metric": metric.id, key: limit, "source": "the question"}
        return Ratio(metric=metric, judgement=Judgement.model_validate(made))
    for form, unit in _RATIOS:
        if match := form.search(bare):
            in_hundredths = re.search(r"%|\bper ?cent\b|\bhow many (?:cents|pence)\b", bare) is not None
            wanted = "percent" if unit == "times" and in_hundredths else unit
            return Ratio(metric=_ratio_of(match, wanted, named, stored))
    metric = next((m for part in re.split(r"[?.:;]", bare) if (m := _of_two(part, named, stored))), None)
    return Ratio(metric=metric) if metric is not None else None


def _of_two(part: str, named: Callable[[str], Metric | None], stored: DerivedMetrics) -> DerivedMetric | None:
    """The ratio of "debt over equity"; of "capex/sales" and "debt to assets" only where the ratio is a stored one."""
    if (match := _SET_OVER.search(part)) is not None:
        return _ratio_of(match, "times", named, stored)
    match = _KNOWN_PAIR.search(part)
    metric = _ratio_of(match, "times", named, stored) if match else None
    return next((m for m in stored.metrics if metric and m.formulas[0] == metric.formulas[0]), None)


def _ratio_of(
    match: re.Match[str], unit: DerivedUnit, named: Callable[[str], Metric | None], stored: DerivedMetrics
) -> DerivedMetric | None:
    texts = (" ".join(_AROUND_A_NAME.sub(" ", match[side]).split()) for side in ("top", "bottom"))
    top, bottom = (named(_CALLED.get(text, text)) for text in texts)
    if top is not None and top.is_of_day and _SPENT.search(match[0]):
        top = (
            named("capital expenditures") if top.id == _PROPERTY else None
        )  # what was put into it is not its balance
    if top is None or bottom is None or top == bottom:
        return None
    formula = f"{top.id} / {bottom.id}"
    if known := next((m for m in stored.metrics if m.formulas[0] == formula and m.unit == unit), None):
        return known
    between = "per" if unit == "amount" else "to"
    return DerivedMetric.model_validate(
        {
            "id": f"{top.id}_{between}_{bottom.id}",
            "title": f"{top.title} {between} {'employee' if unit == 'amount' else bottom.title.lower()}",
            "unit": unit,
            "formulas": [formula],
            "positive": [bottom.id],
        }
    )


RelationKind = Literal["share", "difference", "sum", "cover", "outgrow"]
_CONSISTS = (
    r"(?:is|are|was|were|come from|comes from|came from|consists? of|consisted of"
    r"|(?:goes|go|went|sits?|sat|lies?|lay) (?:in|into|on|to|with))"
)
_MAKES_UP = r"(?:makes? up|made up|represent(?:s|ed)?|account(?:s|ed) for|form(?:s|ed)?)"
_IN_SHARES = r"(?:in|as an?) (?:%|per ?cent(?:age)?)"
_MORE = r"(?:more|greater|larger|higher|bigger)"
_LESS = r"(?:less|smaller|lower)"
_PORTION = (
    rf"(?:(?P<n>\d{{1,3}}(?:\.\d{{1,2}})?) ?(?:%|per ?cent) of |(?P<fraction>{'|'.join(FRACTIONS)}) (?:of )?)?"
)
_ONE, _OTHER = r"(?P<one>[^?;:]{2,120}?)", r"(?P<other>[^?;:]{2,120})"
_OTHER_SIDE = r"(?P<other>[^?;:]{2,120}?)"
_HAS_ENOUGH = r"\b(?:did|does|do|is there|was there|has|have|had)\b[^?;:]{0,20} enough"
_RELATIONS: tuple[tuple[RelationKind, str], ...] = (
    (
        "outgrow",
        rf"\b(?:did|has|have|do|does) {_ONE} (?:gr[eo]wn?|ris(?:e|en)|increased?|expand(?:ed)?) (?:at an? )?"
        r"(?:faster|quicker|higher|stronger|more (?:quickly|strongly|rapidly)|(?P<less>slower|more slowly))"
        rf"(?: (?:pace|rate|clip))? than {_OTHER}",
    ),
    ("share", rf"{_ONE},? as an? {_SHARE} of {_OTHER}"),
    (
        "share",
        rf"\b(?:what|which) (?:{_SHARE} of|per ?cent(?:age)?|%) {_OTHER_SIDE} {_CONSISTS} (?P<one>[^?;:]{{2,120}})",
    ),
    ("share", rf"(?:\bhow much |^)of {_OTHER_SIDE} {_CONSISTS} (?P<one>[^?;:]{{2,120}}?),? {_IN_SHARES}"),
    ("share", rf"{_ONE} {_MAKES_UP} (?:what|which) {_SHARE} of {_OTHER}"),
    (
        "share",
        rf"\b(?:what|which) {_SHARE} of {_OTHER_SIDE} did (?P<one>[^?;:]{{2,120}}?)"
        r" (?:make up|represent|account for)\b",
    ),
    ("difference", rf"\bby how (?:much|many \w{{2,20}}) (?:did|does|do) {_ONE} exceed {_OTHER}"),
    ("difference", rf"\bhow much {_MORE} (?:is|are|was|were) {_ONE} than {_OTHER}"),
    ("difference", rf"\bdifference between {_ONE} and {_OTHER}"),
    ("difference", rf"{_ONE} minus {_OTHER}"),
    (
        "difference",
        r"^(?P<one>(?:(?!\b(?:is|are|was|were|did|do|does|has|have|had|much|many|any|no|or|for|with)\b)[^?;:,]){3,80})"
        r" less (?!than\b|so\b|or\b|[^?;:,]{0,40}?\b(?:allowance|provision|accumulated|depreciation"
        r"|amorti[sz]ation|impairment|current|maturit|treasury|unearned))(?P<other>[^?;:,]{3,80}?)(?=[?;:,]| [-–—] |$)",
    ),
    ("sum", rf"\bsum of {_ONE} and {_OTHER}"),
    ("sum", rf"{_ONE} plus {_OTHER}"),
    ("sum", rf"{_ONE},? (?:combined|together|taken together)\b"),
    (
        "cover",
        rf"\b(?:did|does|do|would|could|can) {_ONE} (?:fully )?"
        rf"(?:cover|exceed|outweigh|be enough (?:for|to cover)) {_OTHER}",
    ),
    (
        "cover",
        rf"\b(?:is|are|was|were) {_ONE} (?:(?P<less>under|below|{_LESS} than)|(?:over|above|{_MORE} than))"
        rf" {_PORTION}{_OTHER}",
    ),
    (
        "cover",
        rf"\b(?:is|are|was|were) {_OTHER_SIDE} (?:(?:fully|well|amply) )?covered by (?P<one>[^?;:]{{2,120}})",
    ),
    ("cover", rf"{_HAS_ENOUGH} {_ONE} to (?:cover|settle|pay|repay|meet)(?: off)? {_OTHER}"),
)
_RELATION_FORMS = tuple((kind, expression(form, re.IGNORECASE)) for kind, form in _RELATIONS)
_ASKED_BEFORE = expression(
    r"^(?:(?:what|how much|how many|which|by how much)\b ?)?(?:(?:is|are|was|were|did|does|do) )?"
    r"(?:(?:it |they )?(?:spend|spent|pay|paid|earn|earned|report|record)(?: on| for)? )?"
    r"(?:(?:the|its|their|all of|all|our|an?) ){0,3}",
    re.IGNORECASE,
)
_LEFT_ASIDE = expression(
    rf"\b(?:{LEFT_OUT}|ignoring|excluded|disregarding|apart from"
    r"|(?:leav(?:e|ing)|set(?:ting)?|put(?:ting)?|tak(?:e|ing)|strip(?:ping)?)\b"
    r"[^?.]{1,60}\b(?:aside|out|off|apart|away))(?!\w)",
    re.IGNORECASE,
)
_ALL_OF_IT = expression(r"^((?:all|total)\b[^?,]{2,60}), including [^?]{3,100}$", re.IGNORECASE)
_LEFT_BEHIND = expression(
    r"(?:, including (?:those|the ones|any|all)\b[^?]{0,100})?(?: ?,? ?(?:in |as an? )?(?:%|per ?cent(?:age)?))?"
    r"(?:,? (?:at|by|in|on|as at|as of|for|of|the|end|end-\d{4}|year|line|row|respectively)){0,4}$",
    re.IGNORECASE,
)


class Relation(Record):
    """How two figures that a question names relate.

    Attributes:
        one, other: what they are called.
    """

    kind: RelationKind
    one: str
    other: str

    @property
    def answer_kind(self) -> AnswerKind:
        """The kind of its answer."""
        return "boolean" if self.kind in ("cover", "outgrow") else "number"


def read_relation(text: str) -> Relation | None:
    """The relation of two figures that a question asks for, without company and time; None where it asks for none."""
    bare = plain(text)
    for kind, form in _RELATION_FORMS:
        if (match := form.search(bare)) is None:
            continue
        groups = match.groupdict()
        pair = (
            (match["one"], groups["other"])
            if "other" in groups
            else re.split(r",? and ", match["one"], maxsplit=1)
        )
        one, *rest = (_phrase(side) for side in pair)
        other = rest[0] if rest else ""
        around = f"{bare[: match.start('one')]} {bare[match.end() :]}"
        if not one or not other or _LEFT_ASIDE.search(around):
            return None
        return Relation(kind=kind, one=one, other=other)
    return None


def _phrase(text: str) -> str:
    text = _ALL_OF_IT.sub(r"\1", text)
    bare = _LEFT_BEHIND.sub("", text.strip(" ,'?.-"))
    return _ASKED_BEFORE.sub("", bare).strip(" ,'?.-")
