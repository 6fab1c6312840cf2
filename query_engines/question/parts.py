"""Answers questions about parts of a figure from the tables that split it: segments, regions, products, years due."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Literal

from query_engines.question.derivation import Derivation, Operand, in_sizes
from query_engines.question.search_text import named_before
from storage.lexicon.names import names_a_place
from storage.lexicon.words import OBLIGATIONS, SAID_OF_PARTS, falls_due
from storage.records.derived_metrics import DerivedMetric, DerivedUnit, Formula
from storage.records.facts import Breakdown, Fact, PrintedPart, PrintedValue, ReportFacts
from storage.records.metrics import Metric
from storage.records.record import Record
from storage.text import plain, stems

PartOperation = Literal[
    "largest", "smallest", "rose_most", "fell_most", "rose", "fell", "share", "growth", "value"
]
Dimension = Literal["segment", "region", "product"]
_NAMED: tuple[PartOperation, ...] = ("largest", "smallest", "rose_most", "fell_most", "rose", "fell")
_DIMENSIONS: dict[Dimension, str] = {
    "segment": (
        r"(?:(?:business|operating|reportable|reporting) )?"
        r"(?:segments?|divisions?|business units?|businesses|units?)"
    ),
    "region": r"(?:geographic(?:al)? )?(?:regions?|countr(?:y|ies)|geograph(?:y|ies)|markets?|areas?|continents?)",
    "product": (
        r"(?:\w+ )?(?:product (?:groups?|lines?|categor(?:y|ies)|famil(?:y|ies))|products?|categor(?:y|ies)|services?"
        r"|(?:income|revenue) streams?|streams?|sources?|kinds?|types?(?: of \w+)?|lines? of business|business lines?"
        r"|verticals?|sectors?|classes|brands?)"
    ),
}
_ANY = "|".join(f"(?P<{dimension}>{words})" for dimension, words in _DIMENSIONS.items())
_OF_IT = r"(?: of(?: [^?.,]{1,60}?(?:'s|s')| its| the| their)?(?: own)?)?"
_WHICH = re.compile(
    rf"\b(?:which|what|in which|from which|name the|list the)(?: \w+){{0,3}}?{_OF_IT} (?:{_ANY})\b"
)
_SUPERLATIVE = re.compile(
    r"\b(?P<sup>largest|biggest|main|most important|top|smallest|fastest[- ](?:growing|shrinking|falling|declining))"
    rf"(?: \w+){{0,2}}? (?:{_ANY})\b"
)
_MOST_GROWTH = re.compile(
    r"\b(?:gr[eo]wn?|rose|rise|increased?|expand(?:ed)?|climb(?:ed)?|jump(?:ed)?)\b[^.?]{0,40}"
    r"\b(?:most|fastest|strongest|quickest|hardest)\b"
    r"|\b(?:most|fastest|strongest|quickest|biggest|largest|highest)[- ](?:\w+ )?"
    r"(?:grow\w*|increase|rise|gain|rate of growth)\b"
)
_MOST_FALL = re.compile(
    r"\b(?:f[ae]ll(?:en)?|shr[aiu]nk|declined?|decreased?|drop(?:ped)?|lost|lose)\b[^.?]{0,40}"
    r"\b(?:most|fastest|quickest|hardest|furthest|worst)\b"
    r"|\b(?:biggest|largest|sharpest|steepest|worst) (?:\w+ )?(?:fall|drop|decline|decrease|loss)\b"
    r"|\bfastest[- ](?:shrinking|falling|declining)\b"
)
_BROUGHT = r"(?:brought|sold|earned|made|generated|contributed)(?: in)?"
_FELL = re.compile(
    r"\b(?:f[ae]ll(?:en|ing)?|shr[aiu]nk\w*|declin\w+|decreas\w+|drop\w*|went down|gone down|lost ground"
    rf"|{_BROUGHT} less|less\b[^?.]{{0,60}}\bthan|lower\b[^?.]{{0,60}}\bthan)\b"
)
_ROSE = re.compile(
    r"\b(?:gr[eo]w(?:n|ing)?|rose|ris(?:e|en|ing)|increas\w+|went up|gone up|expanded"
    rf"|{_BROUGHT} more|more\b[^?.]{{0,60}}\bthan|higher\b[^?.]{{0,60}}\bthan)\b"
)
_MOST = re.compile(r"\b(?:most|largest|biggest|highest|greatest|main|top|best)\b")
_LEAST = re.compile(r"\b(?:least|smallest|lowest|fewest|worst)\b")
_SHARE_NOUN = r"(?:share|percentage|percent|per cent|%|proportion|fraction|part)"
_SHARE = re.compile(
    rf"\b(?:what|which|how (?:much|large|big)(?: a)?)(?: \w+)? ?{_SHARE_NOUN}(?!\w)"
    r"|\bhow much of\b"
    rf"|\b(?:as a )?{_SHARE_NOUN} of\b"
)
_TAKEN_OF = re.compile(
    rf"\b(?:{_SHARE_NOUN}|how much) of (?:the |its |their |all |total )*(?P<whole>\w+)"
    r"(?= (?:could|can|does|did|do|would)\b)"
)
_GROWTH = re.compile(
    r"\b(?:by )?(?:how (?:much|far|fast|strongly)|what (?:percentage|percent|%)) (?:did|has|have)\b.{0,120}"
    r"\b(?:gr[eo]wn?|ris(?:e|en)|f[ae]ll(?:en)?|drop(?:ped)?|(?:in|de)creased?|declined?|changed?|shr[iu]nk)\b"
    r"|\b(?:growth|change|increase|decrease|decline|rise|fall|drop) (?:rate )?(?:in|of)\b"
)
_EMPTY = frozenset(stems(SAID_OF_PARTS))
_DUE = {kind: stems(names) for kind, names in OBLIGATIONS.items()}
_MATURE = stems("maturity maturities mature matures maturing")  # of debt, where nothing else is said to be due
_PURCHASED = re.compile(r"(?i)\bpurchas|\bsuppl")
_OF_DUE = frozenset[str]().union(*_DUE.values()) | stems(
    "term terms long calendar contractual future estimated minimum remaining outstanding existing annual aggregate"
)
_OF_ANY_PART = stems(
    "segment division region country geography geographic market area business unit product category kind type stream"
    " group company total all other main part and"
)
_REST = re.compile(
    r"^(?:others?\b|rest\b|all other|elimination|inter-?segment|inter-?company|unallocated"
    r"|corporate(?: (?:and|&|/).*)?$"
    r"|adjust|consolidation|reconcil|less\b|total\b|thereafter|discount|unamorti|imputed|holding\b)|\belimination",
    re.IGNORECASE,
)
_OTHERS = re.compile(r"(?:all )?others?(?: \w+)?$", re.IGNORECASE)
_SEGMENTED = re.compile(
    r"\b(?:segment\w*|divisions?|business units?|geschäftsfeld\w*|segment\w*)\b", re.IGNORECASE
)
_BY_PLACE = re.compile(r"\b(?:geograph\w+|regions?|countr(?:y|ies))\b", re.IGNORECASE)
_BY_KIND = re.compile(
    r"\b(?:products?|categor(?:y|ies)|types?|services?|streams?|kinds?|sources?|classes|disaggregat\w+|nature|groups?)\b",
    re.IGNORECASE,
)
_FOOTNOTE = re.compile(r"(?<=[a-z)]) ?(?:\(\w{1,2}\)|\d{1,2}|[*†‡])$")
_REVENUE = "total_revenue"
_REVENUE_WORDS = frozenset(stems("revenue revenues sales turnover income net"))
_SOLD = re.compile(r"\b(?:sales|turnover)\b", re.IGNORECASE)
_NO_PART = re.compile(r"^(?:\d|level|stage|quarter|q\d|gross|net|cost|amount|carrying|fair)", re.IGNORECASE)
_NEAR = Decimal("0.06")
_SAME_SIZE = Decimal("0.006")
_HUNDRED = Decimal(100)
_YEAR, _TITLE = re.compile(r"20\d\d"), 90  # letters


class PartQuestion(Record):
    """A question about the parts of a figure.

    Attributes:
        dimension: what kind of parts, where it says so.
        words: stems of the words that say which figure and which part.
        whole: of them those that a share is taken of, which cannot be the part.
        said: all stems of the question.
        kinds, due: of what falls due; the words with a capital and those right before it, which say what it is.
    """

    operation: PartOperation
    dimension: Dimension | None = None
    words: frozenset[str] = frozenset()
    said: frozenset[str] = frozenset()
    whole: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    due: frozenset[str] = frozenset()

    @property
    def is_of_names(self) -> bool:
        """Whether it asks which parts; else it asks for a figure of one that it names."""
        return self.operation in _NAMED

    @property
    def is_of_one(self) -> bool:
        """Whether it asks for one name."""
        return self.operation in ("largest", "smallest", "rose_most", "fell_most")


class PartsFound(Record):
    """The parts that a question asks for, in one breakdown.

    Attributes:
        chosen: the parts, in the order of the answer.
        statement: the figures that decide, in words.
        fact: the figure of the one part, where its value is asked for.
        derivation: its share or growth, where that is asked for.
    """

    breakdown: Breakdown
    chosen: tuple[PrintedPart, ...]
    statement: str = ""
    fact: Fact | None = None
    derivation: Derivation | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parts, without what all parts of the table have in common."""
        return tuple(_names_of(self.breakdown)[part.name, part.heading] for part in self.chosen)


def read_parts(text: str) -> PartQuestion | None:
    """What a question without company and time asks about parts; None where it asks which, and not by what."""
    due, kinds = _named_due(text), _due_kinds(text)
    said, text = _stems(text), text.lower()
    words = said - _EMPTY
    which = _WHICH.search(text) or _SUPERLATIVE.search(text)
    if which is not None:
        dimension = next(d for d in _DIMENSIONS if which[d])
        operation = _operation(text, which)
        return PartQuestion(operation=operation, dimension=dimension, words=words) if operation else None
    is_share, taken_of = _SHARE.search(text) is not None, _TAKEN_OF.search(text)
    return PartQuestion(
        operation="growth" if _GROWTH.search(text) else "share" if is_share else "value",
        words=words,
        said=said,
        whole=_stems(taken_of["whole"]) & words if taken_of else frozenset(),
        kinds=kinds,
        due=due,
    )


def _named_due(text: str) -> frozenset[str]:
    """The words with a capital inside a sentence, and those right before what falls due: "equipment loans"."""
    named = stems(" ".join(named_before(text, _OF_DUE))) - _OF_DUE - _MATURE - _EMPTY
    return frozenset(word for word in named if not word.isdigit())


def _stems(text: str) -> frozenset[str]:
    """The stems of a text; sales and turnover are revenue."""
    return stems(text) | ({"revenu"} if _SOLD.search(text) else frozenset())


def _operation(text: str, which: re.Match[str]) -> PartOperation | None:
    superlative = which.groupdict().get("sup")
    if superlative and "fastest" not in superlative and not _MOST_GROWTH.search(text):
        return "smallest" if superlative == "smallest" else "largest"
    forms: tuple[tuple[PartOperation, re.Pattern[str]], ...] = (
        ("rose_most", _MOST_GROWTH),
        ("fell_most", _MOST_FALL),
        ("largest", _MOST),
        ("smallest", _LEAST),
        ("fell", _FELL),
        ("rose", _ROSE),
    )
    return next((operation for operation, form in forms if form.search(text)), None)


def find_parts(
    asked: PartQuestion, found: ReportFacts, metric: Metric | None, year: int | None, due: Iterable[int] = ()
) -> PartsFound | None:
    """The answer from a report's breakdowns; None where none fits every word, or those that fit disagree.

    Args:
        asked: the question.
        found: the report's facts.
        metric: the metric that the question names.
        year: that it asks for; None for the reported year.
        due: years that the question names and that may be parts themselves, as in a table of maturities.
    """
    end = found.period_end.year if found.period_end else None
    at = year if year is not None and (end is None or year <= end) else end
    named = (
        int(word) for word in asked.words if _YEAR.fullmatch(word)
    )  # "due in 2025" is no period of a question
    later = [y for y in (*due, *named) if end is None or y > end]
    if later and asked.operation == "share":
        asked = asked.model_copy(update={"operation": "value"})  # "how much of its debt matures in 2030"
    if later and not asked.is_of_names and asked.kinds:
        return _due(asked, found, at, later)
    fitting: list[tuple[Decimal, PartsFound]] = []
    for breakdown in found.breakdowns:
        if breakdown.years and at not in breakdown.years:
            continue
        for score, answer in _answers(asked, breakdown, metric, at, later):
            fitting.append((score, answer))
    return _surest(fitting)


def _surest(fitting: list[tuple[Decimal, PartsFound]]) -> PartsFound | None:
    """The answer that fits best; None where there is none, or where another that fits nearly as well disagrees."""
    if not fitting:
        return None
    best = max(score for score, _ in fitting)
    near = [answer for score, answer in fitting if best - score <= _NEAR]
    first = next(answer for score, answer in fitting if score == best)
    return first if all(_agree(first, other) for other in near) else None


def is_of_schedule(text: str) -> bool:
    """Whether a question may ask what falls due in a year: of debt and deposits only where it says that they do."""
    kinds, is_said = _due_kinds(text), falls_due(text)
    return bool(kinds if is_said else kinds - {"debt", "deposit", "interest"})


def _due_kinds(text: str) -> frozenset[str]:
    """The kinds of what falls due that a text names; maturities alone are those of debt, acquisitions no purchases."""
    words = stems(text)
    found = {
        kind for kind, names in _DUE.items() if names & words and (kind != "purchase" or _PURCHASED.search(text))
    }
    return frozenset(found or ({"debt"} if words & _MATURE else ()))


def _due(asked: PartQuestion, found: ReportFacts, at: int | None, years: list[int]) -> PartsFound | None:
    """What falls due in a year to come, from the schedules of its kind.

    Names, and words right before what falls due, must stand in the schedule; any other word is said in passing.
    """
    fitting: list[tuple[Decimal, PartsFound]] = []
    schedules = [b for b in found.breakdowns if str(at) not in {part.name.strip() for part in b.parts}]
    columns = Counter((b.page_number, b.title) for b in schedules)
    for breakdown in schedules:  # one that begins with the reported year is that of the year before
        subject, title = stems(breakdown.subject), stems(breakdown.title)
        is_alone = columns[breakdown.page_number, breakdown.title] == 1
        told = subject | title | stems(breakdown.around) if is_alone else subject
        titled, kinds = _due_kinds(breakdown.title), asked.kinds
        own = _due_kinds(breakdown.subject) or titled
        if not kinds <= own | titled or not asked.due <= told:
            continue
        other = subject - asked.words - _EMPTY - _OF_DUE - frozenset[str]().union(*(_DUE[kind] for kind in kinds))
        near = len(asked.words & subject) + 2 * len(asked.due & (subject | title))
        score = Decimal(bool(kinds <= own)) + Decimal(near) / 10 - Decimal(len(other) + len(own - kinds)) / 5
        for part in breakdown.parts:
            if part.name.strip() in {str(year) for year in years} and (dated := _of_any_period(part, at)):
                answer = _figure("value", breakdown, dated, None, at)
                fitting += [(score, answer)] if answer is not None else []
    return _surest(fitting)


def _of_any_period(part: PrintedPart, year: int | None) -> PrintedPart | None:
    """A part with its figure of a year, else with its only one: what is due is of the year that names the part."""
    value = part.of(year) or (part.values[0] if len(part.values) == 1 else None)
    undated = value.model_copy(update={"period": None}) if value is not None else None
    return part.model_copy(update={"values": (undated,)}) if undated is not None else None


def _answers(
    asked: PartQuestion, breakdown: Breakdown, metric: Metric | None, year: int | None, due: list[int]
) -> Iterator[tuple[Decimal, PartsFound]]:
    if asked.is_of_names:
        score = _fit(asked, breakdown, metric, None)
        answer = _named(asked.operation, breakdown, year) if score is not None else None
        if score is not None and answer is not None:
            yield score, answer
        return
    for part in breakdown.parts:
        is_year = part.name.strip() in {str(y) for y in due}
        if due and not is_year:
            continue
        if asked.operation == "value" and not is_year and not stems(part.name) & asked.words:
            continue
        score = _fit(asked, breakdown, metric, part, is_year=is_year)
        answer = _figure(asked.operation, breakdown, part, metric, year) if score is not None else None
        if score is not None and answer is not None:
            yield score, answer


def _fit(
    asked: PartQuestion,
    breakdown: Breakdown,
    metric: Metric | None,
    part: PrintedPart | None,
    *,
    is_year: bool = False,
) -> Decimal | None:
    """How well a breakdown, and its part, fit the question, 0..1; None where a word of the question has no place."""
    words = frozenset(w for w in asked.words if not (is_year and w.isdigit()))
    own = frozenset[str]()
    if part is not None and not is_year:
        named_so = stems(_names_of(breakdown)[part.name, part.heading])
        own = named_so - _EMPTY
        if not named_so - _OF_ANY_PART <= asked.said:
            return None  # "cost of services" is not "Financial Services"
        is_whole = asked.operation == "share" and own <= asked.whole
        if not own or not own <= words or is_whole or _REST.search(part.name):
            return None
    subject = _stems(f"{breakdown.subject} {part.heading if part else ''}")
    title = _stems(breakdown.title)
    is_metric = metric is not None and metric.id in breakdown.metrics
    if metric is None and part is None and words <= _REVENUE_WORDS:  # "which segment brought the most"
        is_metric = _REVENUE in breakdown.metrics
        if not is_metric and "revenu" not in subject | title:
            return None
        words = words - _REVENUE_WORDS
    named = _stems(" ".join(metric.question_names)) if is_metric and metric is not None else frozenset[str]()
    places = ((own, 1.0), (named, 1.0), (subject, 0.95), (title, 0.85), (_stems(breakdown.around), 0.6))
    credits = [max((credit for place, credit in places if word in place), default=0.0) for word in words]
    if not all(credits):
        return None
    is_of_row = breakdown.is_row and (is_metric or (bool(words) and words <= subject))
    dimension = _has_dimension(asked.dimension, breakdown)
    if not dimension and is_of_row and asked.dimension == "segment" and not _has_levels(breakdown):
        dimension = 0.5
    told = subject | title | (_stems(breakdown.around) if is_year else frozenset())
    if dimension == 0 or (metric is not None and not is_metric and not _speaks_of(metric, told)):
        return None
    score = sum(credits, 0.5 * dimension + 0.3 * is_metric) / (len(credits) + 0.8)
    is_exact = bool(words) and subject - _EMPTY == words
    return Decimal(score + 0.1 * is_exact).quantize(Decimal("0.001"))


def _has_levels(breakdown: Breakdown) -> bool:
    """Whether its parts are levels, quarters or kinds of amounts, and no parts of the business."""
    return any(_NO_PART.search(part.name) for part in breakdown.parts)


def _speaks_of(metric: Metric, words: frozenset[str]) -> bool:
    """Whether a breakdown's own words are one of the metric's names, so that another figure of that kind is split."""
    return any((name := stems(text) - {"total"}) and name <= words for text in metric.question_names)


def _has_dimension(dimension: Dimension | None, breakdown: Breakdown) -> float:
    """How surely the parts are of this kind: 0 where they are not."""
    if dimension is None:
        return 1.0
    near, far = f"{breakdown.subject} {breakdown.title}", breakdown.around
    places = sum(names_a_place(part.name) for part in breakdown.parts)
    is_by_place = 2 * places >= len(breakdown.parts)
    if dimension == "region":
        return 1.0 if is_by_place else 0.6 if _BY_PLACE.search(near) else 0.0
    if is_by_place:
        return 0.0
    form = _SEGMENTED if dimension == "segment" else _BY_KIND
    return 1.0 if form.search(near) else 0.7 if form.search(far) else 0.4 if dimension == "product" else 0.0


def _figures(
    breakdown: Breakdown, year: int | None, *, with_others: bool = False
) -> dict[PrintedPart, PrintedValue]:
    """The real parts with their figure of the year; without residues such as "Other" and eliminations."""
    values = {
        part: part.of(year)
        for part in breakdown.parts
        if not _REST.search(part.name) or (with_others and _OTHERS.match(part.name))
    }
    return {part: value for part, value in values.items() if value is not None and part.name}


def _named(operation: PartOperation, breakdown: Breakdown, year: int | None) -> PartsFound | None:
    """The parts that a question asks the names of."""
    with_others = operation in ("rose", "fell")  # which fell, all of them; but "Other" is no largest segment
    now = _figures(breakdown, year, with_others=with_others)
    whole = breakdown.total.of(year)
    if len(now) < 2 or whole is None:
        return None
    sign = -1 if whole.value < 0 else 1
    size = {part: sign * value.value for part, value in now.items()}
    if operation in ("largest", "smallest"):
        order = sorted(size, key=lambda part: size[part], reverse=operation == "largest")
        if size[order[0]] == size[order[1]]:
            return None
        chosen = (order[0],)
        shown = [f"{_shown(breakdown, part)} {now[part].printed}" for part in order]
        is_of_whole = min(size.values()) >= 0
        share = f" ({size[order[0]] / abs(whole.value) * _HUNDRED:.1f}% of {whole.printed})" if is_of_whole else ""
        return PartsFound(
            breakdown=breakdown, chosen=chosen, statement=f"{shown[0]}{share}; then {', '.join(shown[1:])}"
        )
    before = {} if year is None else _figures(breakdown, year - 1, with_others=with_others)
    if year is None or not set(size) <= set(before) or year - 1 not in breakdown.years:
        return None
    moved = {part: size[part] - sign * before[part].value for part in size}
    if operation in ("rose_most", "fell_most"):
        return _moved_most(operation, breakdown, moved, before, now, sign)
    fits = tuple(part for part, change in moved.items() if (change > 0 if operation == "rose" else change < 0))
    shown = [f"{_shown(breakdown, part)} {before[part].printed} to {now[part].printed}" for part in moved]
    return PartsFound(breakdown=breakdown, chosen=fits, statement="; ".join(shown)) if fits else None


def _moved_most(
    operation: PartOperation,
    breakdown: Breakdown,
    moved: Mapping[PrintedPart, Decimal],
    before: Mapping[PrintedPart, PrintedValue],
    now: Mapping[PrintedPart, PrintedValue],
    sign: int,
) -> PartsFound | None:
    """The part that grew, or fell, most: in percent for "fastest"; only where its amount does not say otherwise."""
    up = operation == "rose_most"
    if any(sign * before[part].value <= 0 for part in moved):
        return None
    rates = {part: change / abs(before[part].value) for part, change in moved.items()}
    order = sorted(rates, key=lambda part: rates[part], reverse=up)
    if (rates[order[0]] > 0) is not up or rates[order[0]] == rates[order[1]]:
        return None
    shown = [
        f"{_shown(breakdown, part)} {before[part].printed} to {now[part].printed} ({rates[part] * _HUNDRED:+.1f}%)"
        for part in order
    ]
    return PartsFound(breakdown=breakdown, chosen=(order[0],), statement="; ".join(shown))


def _figure(
    operation: PartOperation, breakdown: Breakdown, part: PrintedPart, metric: Metric | None, year: int | None
) -> PartsFound | None:
    """The share, growth or value of one part."""
    name = _shown(breakdown, part)
    of = metric.title.lower() if metric is not None else breakdown.subject[:80].lower() or "the total"
    scale = breakdown.scale
    if operation == "growth":
        title, formula = f"Growth of {name}, {of}", "(part - opening(part)) / abs(opening(part))"
        operands = [
            _operand(breakdown, part, name, year),
            _operand(breakdown, part, name, year and year - 1, before=True),
        ]
    elif operation == "share" and not breakdown.is_percent:
        title, formula = f"Share of {name} in {of}", "part / whole"
        whole = _operand(breakdown, breakdown.total, "Total", year)
        operands = [_operand(breakdown, part, name, year), whole]
    else:
        value = part.of(year)
        is_asked = breakdown.is_percent == (operation == "share")
        if value is None or scale is None or not is_asked:
            return None
        return PartsFound(breakdown=breakdown, chosen=(part,), fact=_fact(breakdown, part, value, name))
    if operation == "growth" and not breakdown.years:
        return None  # both figures would be the only one
    known = [operand for operand in operands if operand is not None]
    if len(known) < len(operands):
        return None
    if operation == "growth":
        facts = in_sizes(f"{name} {of}", [operand.fact for operand in known])
        known = [o.model_copy(update={"fact": fact}) for o, fact in zip(known, facts, strict=True)]
    made = _derived(title, "percent", formula, known, year)
    if made is not None and operation == "share" and not 0 <= (made.value or 0) <= _HUNDRED:
        return None  # what it is taken for the whole is not the whole
    return PartsFound(breakdown=breakdown, chosen=(part,), derivation=made) if made else None


def in_money(growth: Derivation) -> Derivation:
    """The growth of a part as the difference of its two figures."""
    title = growth.metric.title.replace("Growth", "Change", 1)
    return _derived(title, "amount", "part - opening(part)", list(growth.operands), growth.year) or growth


def _derived(
    title: str, unit: DerivedUnit, formula: str, operands: list[Operand], year: int | None
) -> Derivation | None:
    metric = DerivedMetric.model_validate({"id": "of_part", "title": title, "unit": unit, "formulas": [formula]})
    values = {(operand.metric, operand.moment): operand.fact.value for operand in operands}
    try:
        result = metric.scaled(Formula(formula).value(lambda m, at: values[m, at]))
    except ZeroDivisionError:
        return None
    return Derivation(metric=metric, year=year, formula=formula, operands=tuple(operands), value=result)


def _operand(
    breakdown: Breakdown, part: PrintedPart, name: str, year: int | None, *, before: bool = False
) -> Operand | None:
    value = part.of(year)
    if value is None or not value.value:
        return None
    fact = _fact(breakdown, part, value, name)
    metric = "whole" if part is breakdown.total else "part"
    return Operand(metric=metric, title=name, moment="opening" if before else "closing", fact=fact)


def _fact(breakdown: Breakdown, part: PrintedPart, value: PrintedValue, name: str) -> Fact:
    scale = breakdown.scale or Decimal(1)
    return Fact(
        metric="of_part",
        value=value.value * scale,
        printed=value.printed,
        scale=scale,
        currency=None if breakdown.is_percent else breakdown.currency,
        period=value.period,
        statement="notes",
        report_sha1=breakdown.report_sha1,
        page_number=breakdown.page_number,
        boxes=(value.box,) if value.box else (),
        row_label=breakdown.subject if breakdown.is_row else _said_of(breakdown, part.name or name),
    )


def _said_of(breakdown: Breakdown, name: str) -> str:
    """The name of a part; a year alone says nothing without the title of its schedule."""
    title = plain(breakdown.title or breakdown.subject).rstrip(" :.")[:_TITLE]
    return f"{title}: {name}" if _YEAR.fullmatch(name.strip()) and title else name


def _agree(one: PartsFound, other: PartsFound) -> bool:
    """Whether two breakdowns give the same answer: the same names, or figures that differ by rounding."""
    if one.derivation is not None and other.derivation is not None:
        return _is_close(one.derivation.value, other.derivation.value)
    if one.fact is not None and other.fact is not None:
        return _is_close(one.fact.value, other.fact.value)
    if one.fact is not None or other.fact is not None or one.derivation or other.derivation:
        return False
    mine, its = ([stems(name) for name in found.names] for found in (one, other))
    return len(mine) == len(its) and all(any(a <= b or b <= a for b in its) for a in mine)


def _is_close(one: Decimal | None, other: Decimal | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= _SAME_SIZE * max(abs(one), abs(other))


def _shown(breakdown: Breakdown, part: PrintedPart) -> str:
    return _names_of(breakdown)[part.name, part.heading]


def _names_of(breakdown: Breakdown) -> dict[tuple[str, str], str]:
    """Each part's name without footnote marks, "Total" and the words at the end that all parts have."""
    bare = {(p.name, p.heading): _bare(p.name) for p in breakdown.parts}
    split = [name.split() for name in bare.values()]
    shortest = min(map(len, split), default=1)
    common = 0
    while common < shortest - 1 and len({words[-1 - common].lower() for words in split}) == 1:
        common += 1
    if common and len(split) > 1:
        return {key: " ".join(name.split()[:-common]).rstrip(" -,:") for key, name in bare.items()}
    return bare


def _bare(name: str) -> str:
    text = re.sub(r"^total (?=\w)", "", _FOOTNOTE.sub("", plain(name)), flags=re.IGNORECASE)
    return text.rstrip(" :.")


def is_asked_of_one_company(text: str) -> bool:
    """Whether a question in any letters asks which parts; then the years that it names are no list of years."""
    asked = read_parts(plain(text))
    return asked is not None and asked.is_of_names
