"""Plans what is asked of several companies: a comparison of figures, who of them did something, or the same of each.

What is compared does not hang on the form of a sentence: "How far apart are A and B in total assets?" asks for total
assets. So the figure is read as in a question about one company, and what is done to the figures by a trained reader.
What is not surely a company's own figure, as that of a part, is asked of each in the user's words.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple, Protocol

from query_engines.comparison.asked import Asked, asked_among_companies
from query_engines.comparison.entities import Listed
from query_engines.comparison.plan import Calculation, Entity, Plan, Relation
from query_engines.question.parsed import ParsedQuestion
from query_engines.question.parser import MARK
from query_engines.question.search_text import without_currency
from query_engines.question.wording import kind_in
from storage.lexicon.periods import periods_in, without_periods
from storage.lexicon.question_words import HIGH, LOW
from storage.lexicon.words import expression
from storage.records.metric_names import MetricName
from storage.records.queries import AskedPeriod, Conditions, Operation, Query
from storage.records.questions import AnswerKind
from storage.text import capital, in_a_sentence, plain

if TYPE_CHECKING:
    from query_engines.comparison.years import Times


class FigureOf(Protocol):
    """Finds the company's own figure that words are about, however they say it, in the question that they stand in."""

    def __call__(
        self, words: str, within: str = "", *, is_narrowed: bool = False, is_said: bool = False
    ) -> MetricName | None:
        """The figure; None where it is none of the company's own. See `QuestionParser.figure_asked`."""


_HEAD = (
    r"(?:which|what|who|(?:name|find|give me|show me|tell me) (?:the )?(?:compan(?:y|ies)|one)"
    r"|(?:the )?compan(?:y|ies))"
    r"(?: (?:ones?|company|companies|firms?|business(?:es)?))?"
    r"(?: of (?:all )?(?:(?:the|these|those|our) )?(?:\w+ )?"
    r"(?:compan(?:y|ies)|firms|businesses|two|three|four|five|them)| of (?:these|those|the following))?"
    r"(?: (?:that|which|with))?"
)
_LOSSES = {"net loss": "net income", "loss": "net income", "operating loss": "operating income"}


def _as_income(subject: str) -> str | None:
    """The kind of income whose negative is the loss; None where the question is not about a loss."""
    return _LOSSES.get(_bare_subject(subject).lower().removesuffix("es"))


def _asked_of(
    subject: str, core: "Core", operation: Operation = "value", figure: MetricName | None = None
) -> Query:
    """What is asked of each company or year about a quantity or a predicate."""
    return Query(
        operation=operation,
        terms=(figure.term,) if figure else (),
        subject=figure.title if figure else subject,
        periods=(core.period,) if core.period else (),
        conditions=Conditions(currency=core.currency),
    )


def _bare_subject(text: str) -> str:
    """A quantity's name without articles and introducing words."""
    text = re.sub(
        r"^(?:(?:the|a|an|its|their|amount of|level of|value of|figure for) )+", "", text.strip(), flags=re.I
    )
    return text.strip(" ,:;.?'")


_ASIDE = expression(
    r"""
      \bif\ (?:the\ )?data\b.*$ | \bif\ (?:only\ )?one\ company.*$ | \bif\ there\ is\ no\ mention.*$
    | \b(?:please\ )?(?:leave\ out|leave|skip|exclude|ignore|drop)\ (?:a|any|all|the|those|such)?\ ?
      (?:compan(?:y|ies)|ones?|those)\b.*$
    | \bgive\ me\ the\ title.*$ | \breturn\ .*$
    | \(?\b(?:with)?in\ the\ last\ period\ or\ at\ the\ end\ of\ the\ last\ period\)?
    | \bat\ the\ end\ of\ the\ (?:(?:reporting|last|latest)\ )?period
      (?:\ listed\ in\ (?:the|their)?\ ?annual\ reports?)?
    | \b(?:according\ to|as\ mentioned\ in|listed\ in|in)\ (?:the|their)\ (?:latest\ |last\ )?annual\ reports?
    | \(in\ [A-Z]{3}\)
    """,
    re.VERBOSE | re.IGNORECASE,
)
# Between two companies of a list, in the languages that questions are read in.
_JOINS = r"(?:and|or|&|vs\.?|versus|nor|und|oder|sowie|et|ou|y|o|e|u)"
_LIST = expression(
    rf"(?:\b(?:both|either) )?@\d+(?:'s)?(?:(?:\s*[,;/]\s*|\s+)(?:{_JOINS} (?:(?:of|von|de|d'|a|di) ?)?)?@\d+(?:'s)?)+"
)
_MARKED = expression(r"@(?:\d+|L)(?:'s?)?")
_ONE_LISTED = expression(r"(?<=: )@\d+$")
_LIST_AT_END = expression(
    r"[\s,:;(-]{0,9}(?:\b(?:of|among|amongst|between|out of|for|from|in|at|by) )?@L(?:'s)?\s*\)?$", re.I
)
_LIST_FIRST = expression(r"^(?:of|among|amongst|between|out of|for|comparing) @L\s*+[,:]?\s*+", re.I)
_AFTER_HEAD = expression(rf"^(?P<head>{_HEAD})(?: (?:of|among|between|out of|from))?,? @L,?(?= )", re.I)


@dataclass(frozen=True)
class Core:
    """A question reduced to its form.

    Attributes:
        said: with companies as "@0", without currency and fixed phrases.
        text: the same with the first list of companies as "@L", without period.
        bare: the text without the list at its end or beginning.
        period: that it names last.
        listed: positions of the companies in the list.
    """

    said: str
    text: str
    bare: str
    period: AskedPeriod | None
    currency: str | None
    listed: tuple[int, ...]


def read_core(text: str, currency: str | None) -> Core:
    """Reduce a text with numbered companies to its form; `currency` is the one that the question names."""
    whole_words = re.sub(r"\b(what|who)'s\b", r"\1 is", text, flags=re.IGNORECASE)
    said = without_currency(_ASIDE.sub(" ", whole_words))
    periods = [AskedPeriod.of(period, said) for period in periods_in(said)]
    last = periods[-1] if periods else None
    short = _tidy(without_periods(said))
    found = _LIST.search(short) or _ONE_LISTED.search(short)
    if found is None:
        return Core(said, short, short, last, currency, ())
    positions = tuple(dict.fromkeys(map(int, re.findall(r"@(\d+)", found[0]))))
    whole = _tidy(f"{short[: found.start()]}@L{short[found.end() :]}")
    bare = _AFTER_HEAD.sub(r"\g<head>", whole)
    bare = _tidy(_LIST_FIRST.sub("", _LIST_AT_END.sub("", bare)).replace(", @L,", ""))
    return Core(said, whole, bare, last, currency, positions)


def _unmarked(text: str) -> str:
    """A text without the signs of its companies."""
    return " ".join(_MARKED.sub(" ", text).split()).strip(" ,:;")


def _tidy(text: str) -> str:
    """The text cleaned after a phrase was removed: without extra spaces, doubled and outer punctuation."""
    text = re.sub(r" ([,:;?.])", r"\1", " ".join(text.split()))
    return re.sub(r"[,:;](?=[,:;])", "", text).strip(" ,:;?.!-")


_NUMBERED = expression(rf"{MARK}(\d+)")
_SIDE_BY_SIDE = expression(r"^compar\w+\b|\bcompare[sd]?\b|\b(?:versus|vs)\b", re.IGNORECASE)
_OTHER = expression(
    r"\b(?:than|as|to|with|above|ahead of|over|(?:exceed|surpass|outperform)(?:e?s|ed)?|beat|minus|less"
    r"|versus|vs\.?|against|below|behind|(?:multiple|percentage|share|proportion) of)"
    rf" (?:(?:that|those|the \w+(?: \w+){{0,3}}) (?:of|for|at) )?{MARK}(?P<other>\d+)",
    re.IGNORECASE,
)
OF_LOSSES = expression(
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
    "same": ("each", {}),
}
_OF_KNOWN = ("compare", "same")  # done with a known figure alone
_GROWN = frozenset({"grew_most", "grew_least", "fell_most"})
_OPPOSITE: dict[Relation, Relation] = {"highest": "lowest", "lowest": "highest", "more": "less", "less": "more"}
_OF_EACH: set[Relation] = {"highest", "lowest", "ranking"}  # what may be asked of any number of companies
_OF_TWO: set[Relation] = {"more", "less", "difference", "ratio"}
_GROWS = "revenue"  # where nothing is said


class _Figure(NamedTuple):
    """What is compared: as it is shown, and the metric that it is, where it is a known one."""

    title: str
    known: MetricName | None = None


def read_by_topic(found: Listed, core: Core, figure_of: FigureOf, times: "Times | None" = None) -> Plan | None:
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


def _read(core: Core, count: int | None, figure_of: FigureOf, times: "Times | None") -> tuple[Plan, Query] | None:
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
    if figure is None or (asked.does in _OF_KNOWN and figure.known is None):
        return None
    is_turned = OF_LOSSES.search(core.text) is not None and _MAY_BE_BELOW_ZERO.search(figure.title) is not None
    if relation == "share" and (alone := _alone(core)) is None:
        return None
    query = _asked_of(figure.title, core, "growth" if is_grown else "value", figure.known)
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
        is_guessed=figure.known is None,
    ).model_copy(update=more)
    if relation == "share":
        return plan.model_copy(update={"first": alone}), query
    if relation == "ranking":
        return plan.model_copy(update={"rising": plan.rising != is_turned}), query
    return (_of_two(plan, core, asked, is_turned=is_turned) if relation in _OF_TWO else plan), query


def _figure(core: Core, asked: Asked, figure_of: FigureOf) -> _Figure | None:
    """The figure that is compared: a known one, or as it is called."""
    income = None if asked.beside else _as_income(asked.figure)
    is_of_itself = asked.does in _GROWN and not asked.is_named  # "who is growing fastest?"
    known = figure_of(income) if income else None
    if income is None and (asked.figure or not is_of_itself):
        known = figure_named(asked, core.said, figure_of)
    if known is None and is_of_itself and not asked.beside:
        known = figure_of(_GROWS)
    if known is not None:
        return _Figure(in_a_sentence(known.title), known)
    if asked.beside or OF_LOSSES.search(asked.figure):
        return None
    is_name = asked.is_named or " " in asked.figure
    return _Figure(asked.figure) if is_name else None


def figure_named(asked: Asked, text: str, figure_of: FigureOf) -> MetricName | None:
    """The known figure that a question names, or says by a verb; None where it is none of the company's own.

    Args:
        asked: what was read in the question.
        text: of the question.
        figure_of: finds the figure that words are about.
    """
    said = without_periods(text)
    listed_at = _LIST.search(said)
    if listed_at and said[listed_at.end() :].strip(" ?.!"):  # at the end, nothing needs to stand for them
        said = f"{said[: listed_at.start()]} they {said[listed_at.end() :]}"
    bare = _unmarked(said)
    if asked.is_named:
        return figure_of(asked.figure, bare, is_narrowed=bool(asked.beside))
    if OF_LOSSES.search(text):
        return figure_of("net income")  # who loses, or burns, money
    return figure_of(bare, is_said=True) or (figure_of(asked.figure, bare, is_said=True) if asked.figure else None)


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


_ITSELF = "@L"  # the place of the list
_WHICH = expression(rf"^(?!what\b){_HEAD} (?P<predicate>[a-z][^@?]+)$", re.IGNORECASE)
_WHETHER = expression(
    r"^(?P<aux>did|does|do|has|have|had|is|are|was|were) @L (?:both |all )?(?P<predicate>[^@?]+)$", re.IGNORECASE
)
_TRUE_OF: dict[str, Relation] = {"which_do": "which", "all_do": "all", "any_do": "any"}
_OF_THEM = expression(rf"\w {_ITSELF}$")  # "Which auditor audits @L": something else does it to them
_OF_ONE: set[Relation] = {"highest", "lowest"}  # what may be asked about a list of one company
_COMPARING = expression(
    rf"\b(?:{HIGH}|{LOW}|better|best|worse|worst|compar\w+|differ\w*|ratio|rank|than|whose|which)\b"
    r"|^(?:between|among|of)\b",
    re.I,
)
_AGAINST = expression(r"\b(?:vs|versus)\b", re.I)
_COMPANIES = expression(r"\b(?:compan(?:y|ies)|firms?)\b", re.IGNORECASE)


def read_plan(found: Listed, figure_of: FigureOf) -> Plan | None:
    """The plan of a question about several companies; None where nothing is asked of them, or one is named beside them.

    Args:
        found: the question with its companies numbered.
        figure_of: finds the figure that words are about.
    """
    core = read_core(found.text, found.currency)
    if len(found.entities) < 2 and not core.listed:
        return None
    is_compared = _COMPARING.search(core.text) is not None
    is_set_against = is_compared or _AGAINST.search(found.text) is not None
    if len(found.entities) - found.strangers < 2 and len(found.entities) > 1 and not is_set_against:
        return None  # "Acme, Minnesota: how many employees?"
    if len(found.entities) > 1 and (told := _told_of(found, core)) is not None:
        return told
    compared = read_by_topic(found, core, figure_of)
    if compared is not None and (len(found.entities) > 1 or compared.relation in _OF_ONE):
        return compared
    meant = asked_among_companies(core.said)
    is_of_each = not is_compared or (meant.is_sure and meant.does in ("each", "compare"))
    return _each(found, core) if len(core.listed) > 1 and not found.strangers and is_of_each else None


def is_shown(core: Core) -> bool:
    """Whether the figures of several companies are to be shown, and nothing is to be made of them."""
    asked = asked_among_companies(core.said)
    return asked.is_sure and asked.does == "compare" and not _SIDE_BY_SIDE.search(core.said)


def read_open_plan(parsed: ParsedQuestion, figure_of: FigureOf) -> tuple[Plan, Query] | None:
    """The plan of a question about all companies, without companies, and what is asked of each."""
    core = read_core(plain(parsed.wording), parsed.currency)
    if not _COMPANIES.search(core.text):
        return None
    asked, (_, predicate) = asked_among_companies(core.said), _predicate(core)
    if asked.is_sure and asked.does == "which_do" and predicate:
        if not _COMPANIES.search(core.text.removesuffix(predicate)):
            return None  # "who runs the company"
        plan = Plan(relation="which", subject=predicate, entities=(), kind="boolean")
        return plan, _asked_of(predicate, core, "whether")
    return read_of_all(core, figure_of)


_BETWEEN_TWO: dict[str, Relation] = {"more": "more", "less": "less", "difference": "difference"}
_NUMBER = expression(r"\d+(?:\.\d+)?")
_COMPARED = ("first", "second")
_SURE_OF_TWO = 0.7  # of a comparison that is read in a question about one company


def read_two_figures(found: Listed, kind: AnswerKind, called: Callable[[str], MetricName | None]) -> Plan | None:
    """The plan of one figure of a company held against another: "Does it have more debt than cash?"; None for others.

    Args:
        found: the question with its one company numbered.
        kind: of the answer that it wants.
        called: the metric that a phrase names and nothing else.
    """
    core = read_core(found.text, found.currency)
    asked = asked_among_companies(core.said)
    is_sure = asked.probability >= _SURE_OF_TWO and not asked.beside
    relation = _BETWEEN_TWO.get(asked.does) if is_sure else None
    if kind != ("number" if relation == "difference" else "boolean"):
        return None
    if relation is None:
        return None
    found_for = [
        called(said) or called(f"total {said}") or called(f"{said} expense")  # "debt" is all of it
        for said in map(_bare_subject, asked.figures)
    ]
    known = list({figure.id: figure for figure in found_for if figure is not None}.values())
    if None in found_for or len(known) != len(_COMPARED):
        return None
    if known[0].is_money != known[1].is_money:
        return None
    (entity,) = found.entities
    entities = tuple(
        entity.model_copy(update={"label": in_a_sentence(figure.title), "metric": figure.title}).with_query(
            _asked_of(figure.title, core, figure=figure)
        )
        for figure in known
    )
    subject = entity.company or entity.label
    plan = Plan(relation=relation, subject=subject, entities=entities, currency=core.currency)
    said = _NUMBER.findall(_MARKED.sub("", without_periods(core.text)))
    return plan if not said else _times_as_much(plan, said, core.text) if relation != "difference" else None


def _times_as_much(plan: Plan, numbers: Sequence[str], text: str) -> Plan | None:
    """Whether one figure is more, or less, than a multiple or a percentage of the other; None for several numbers."""
    if len(numbers) != 1:
        return None
    is_share = "%" in text or "percent" in text.lower()
    one, other = (entity.label for entity in plan.entities)
    calculation = Calculation(
        title=f"{capital(one)} to {other}",
        names=_COMPARED,
        formula="first / second * 100" if is_share else "first / second",
        unit="percent" if is_share else "times",
        limit="above" if plan.relation == "more" else "below",
        threshold=Decimal(numbers[0]),
        basis="as the question asks",
    )
    return plan.model_copy(update={"relation": "calculation", "calculation": calculation})


def quoted(name: str) -> str:
    """A name in quotation marks for a sub-question, so that its words are not read as anything else."""
    return f'"{name}"'


def _told_of(found: Listed, core: Core) -> Plan | None:
    """Of which of the companies something is true: "Which of them announced a buyback?", "Do both pay dividends?"."""
    asked = asked_among_companies(core.said)
    if not asked.is_sure or asked.does not in _TRUE_OF or len(core.listed) < len(found.entities):
        return None
    if asked.does == "which_do" and _OF_THEM.search(core.text):
        return None
    (auxiliary, predicate), whole = _predicate(core), _with_itself(found)
    entities = tuple(
        entity.with_query(
            _asked_of(f"{auxiliary} {predicate}".strip(), core, "whether")
            if predicate
            else Query(operation="whether", subject=_named(whole, entity))
        )
        for entity in found.entities
    )
    subject = predicate or _tidy(core.text.replace(_ITSELF, ""))
    return Plan(relation=_TRUE_OF[asked.does], subject=subject, entities=entities, kind="boolean")


def _predicate(core: Core) -> tuple[str, str]:
    """What is asked whether it is true, behind its verb where that is first; empty where companies are within it."""
    match = next(
        (m for form in (_WHICH, _WHETHER) for text in (core.text, core.bare) if (m := form.match(text))), None
    )
    if match is None:
        return "", ""
    return match.groupdict().get("aux") or "", match["predicate"].strip()


def _with_itself(found: Listed) -> str:
    """The question with one sign in the place of its list."""
    return re.sub(rf"{_ITSELF}(?:'s)?", _ITSELF, _LIST.sub(_ITSELF, found.text, count=1).strip())


def _named(text: str, entity: Entity) -> str:
    """A question with one company in the place of its list."""
    return text.replace(_ITSELF, quoted(entity.company or entity.label))


def _each(found: Listed, core: Core) -> Plan:
    """The question itself, with each company in place of the list."""
    text = _with_itself(found)
    return Plan(
        relation="each",
        subject=_tidy(core.text.replace("@L", "")),
        entities=tuple(entity.with_query(Query(subject=_named(text, entity))) for entity in found.entities),
        kind=kind_in(text.replace(_ITSELF, "it")),
        currency=core.currency,
    )
