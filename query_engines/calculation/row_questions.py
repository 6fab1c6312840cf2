"""Reads a question as a calculation with rows that a report prints.

The names of rows are found first, since only the report says where one ends. What is left of the question is short, and
says how the figures relate and over which years: "what SHARE of §1 was §2".
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from decimal import Decimal
from typing import Literal, Protocol

from storage.amounts import parse_figure
from storage.lexicon.periods import NamedPeriod, periods_in, years_named
from storage.lexicon.question_words import ASKING_WORDS, BESIDE_A_FIGURE, CHANGE_NOUN, FALLS, LEFT_OUT, RISES
from storage.lexicon.words import FUNCTION_WORDS, any_of, expression
from storage.records.derived_metrics import DerivedUnit
from storage.records.facts import Fact, ReportFacts
from storage.records.metrics import Ontology, folded, significant
from storage.records.questions import AnswerKind
from storage.records.record import Record
from storage.records.reports import MONTHS_OF_YEAR
from storage.text import plain

Base = Literal["one", "share", "ratio", "difference", "sum", "outgrowth"]
Course = Literal["value", "change", "growth", "points", "times", "average"]
_FRACTIONS: dict[str, int | Decimal] = {
    "half": 50, "a half": 50, "a third": Decimal(100) / 3, "one third": Decimal(100) / 3, "a quarter": 25,
    "one quarter": 25, "two thirds": Decimal(200) / 3, "three quarters": 75, "a fifth": 20, "a tenth": 10,
}  # fmt: skip
_LONGEST_NAME, _MOST_ROWS = 12, 3  # words; names
_WHOLE = Decimal(100)
_PERIOD = "¶"
_BEFORE_A_TIME = """
in for during at as on to from by of over between and since ended ending through until end year years full financial
fiscal
"""
_AT_A_TIME = frozenset(_BEFORE_A_TIME.split())
_SENTENCE_ENDS = expression(r"(?<=[.?!])\s+(?=[^a-z])|(?<=\?)\s+")
_SHARE_OF = expression(
    r"(?i)(?:\b(?:percent(?:age)?|per cent|share|portion|fraction|proportion)|%) of [^?.]{1,60}?"
    r"\b(?:was|were|is|are) (?:the |its )?(?:increase|decrease|change|rise|growth)\b"
)  # what the change is of something else: no growth
_QUICKER = r"(?:faster|quicker|more (?:quickly|strongly))"
_GREATER = r"(?:more|greater|larger|higher|bigger|further)"
# What tells to calculate; each becomes one word in capitals. Of two that begin alike, the first counts.
_CUES: dict[str, str] = {
    "POINTS": r"(?:percentage|per ?cent(?:age)?) ?-?points?|p?pts?|pp|points",
    "PER": r"(?:for|per|on|from|out of) (?:every|each|one|a)(?: single)?"
    r"(?: (?:dollar|euro|pound|franc|cent|penny|yen))?(?: of)?|per(?! ?cent)(?: (?:dollar|euro|pound) of)?",
    "TIMES": r"how many times|(?:what|which) multiple of|times|fold",
    "RATIO": r"ratios?(?: of)?|divided by|relative to|in relation to|compared (?:to|with) the size of",
    "DIFF": r"(?:difference|gap|spread|distance|surplus|excess)(?: between| of)?",
    "FASTER": rf"outpaced?|outgr[eo]w|(?:{RISES}|rising) (?:{_QUICKER}"
    r"|(?:at|by) (?:an? )?(?:faster|higher|bigger|larger|greater) (?:rate|pace|percentage|per ?cent)) than",
    "SLOWER": rf"(?:{RISES}|rising) (?:more slowly|slower) than",
    "MINUS": r"minus|net of|(?<=§\d )less(?! than)|after deducting",
    "SUM": r"combined|together|in total|add(?:ed)?(?: up| together)?|sum(?: of| up)?|plus|taken together|\+",
    "AVERAGE": r"on average|averaged?|averaging|mean(?= (?:of|annual|yearly))",
    "MORE": rf"{_GREATER}(?: than)?|above|over|at least|beyond|exceed(?:s|ed)?|outweigh(?:s|ed)?|cover(?:s|ed)?"
    r"|surpass\w*|enough (?:for|to (?:cover|pay|settle|meet|repay))(?: for| off)?",
    "LESS": r"(?:less|smaller|lower|fewer)(?: than)?|under|below|at most",
    "SHARE": r"per ?cent(?:ages?)?|percents?|%|shares?|portions?|proportions?|fractions?|parts?|slices?|weight"
    r"|how much(?= of\b)",
    "MOVED": rf"{FALLS}|down|half(?=d\b)|{RISES}|rising|(?<!make )(?<!made )(?<!makes )up|{CHANGE_NOUN}"
    r"|move[ds]?|swung|swing",
}  # fmt: skip
_CUE = expression("|".join(rf"(?<![\w§])(?P<{cue}>{form})(?!\w)" for cue, form in _CUES.items()))
# Before the figure that another one is taken of, set against or held up to; the surest words first.
_BEFORE_THE_OTHER: dict[Base, tuple[frozenset[str], ...]] = {
    "share": (frozenset({"in", "within", "inside"}), frozenset({"of"}), frozenset({"to", "on", "as"})),
    "ratio": (frozenset({"PER", "to", "and", "than", "TIMES", "MORE"}), frozenset({"RATIO"})),
    "difference": (frozenset({"MINUS", "MORE", "LESS", "and", "to", "than"}),),
    "outgrowth": (frozenset({"FASTER", "SLOWER", "than"}),),
}
# The words by which a relation is known, in the order in which they are looked for, and those that may stand beside.
_RELATIONS: tuple[tuple[Base, frozenset[str], frozenset[str]], ...] = (
    ("sum", frozenset({"SUM"}), frozenset()),
    ("ratio", frozenset({"PER", "TIMES"}), frozenset({"RATIO", "MORE", "SHARE"})),
    ("share", frozenset({"SHARE"}), frozenset({"RATIO"})),
    ("ratio", frozenset({"RATIO"}), frozenset()),
    ("difference", frozenset({"DIFF", "MINUS", "MORE", "LESS"}), frozenset()),
)
_CUES_OF_COURSE: dict[Course, frozenset[str]] = {
    "value": frozenset(),
    "change": frozenset({"MOVED"}),
    "growth": frozenset({"MOVED", "SHARE"}),
    "points": frozenset({"MOVED", "POINTS"}),
    "times": frozenset({"MOVED", "TIMES"}),
    "average": frozenset({"AVERAGE", "PER", "SHARE"}),
}
_ADDED = expression(r"§\d(?:(?: (?:,|and|SUM))+ §\d)+")
_PORTION = expression(
    rf"(?<![\w§])(?:(?P<n>\d{{1,3}}(?:\.\d{{1,2}})?) ?(?:%|per ?cent)|(?P<name>{any_of(_FRACTIONS)}))(?= of\b)"
)
_AUXILIARIES = "is are was were do does did has have had can could would will true correct"
_YES_OR_NO = frozenset(_AUXILIARIES.split())
_SAID_OF_ANY = """
cost costs expense expenses budget bill spending spend outlay outlays charge charges amount amounts figure figures
balance balances level levels line lines item items value values position business arm unit stocks liability in on at to
of from by for with per was were is are did does do has have had and or than into went go goes going came come total
combined as be been each year forms form make makes made making account accounts accounted represent represented
represents take takes
"""
# Words that say nothing about a figure, beside those of the question's form.
_SAID_BESIDE = """
its their his her our it we they them this that these those whole entire overall all own respective consolidated
reported please company group year years end both about as and of in
"""
_EMPTY = FUNCTION_WORDS | frozenset(f"{_SAID_BESIDE} {_SAID_OF_ANY}".split())
_SAID_OF_A_WHOLE = "the a an its their his her our this that it whole entire own all consolidated reported both"
_DROPPED = frozenset(_SAID_OF_A_WHOLE.split())
_TOKEN = expression(r"§\d|[^\W_][\w&'’/.-]*(?<![.'’-])|%|[^\w\s]")
# Words with which no name begins or ends, though questions have them beside names.
_AROUND = (FUNCTION_WORDS | ASKING_WORDS | BESIDE_A_FIGURE) - {
    "total",
    "account",
    "accounts",
    "number",
    "amount",
} | {"year", "year-end", "end", "period"}
_TOO_LITTLE = significant(
    "total other net gross change changes increase decrease growth difference percent percentage share ratio average"
    " year current prior previous more less part end all amount number figure balance value company group"
)
_STRANGE = expression(r"(?<=[\w,%'’)] )(?!I\b)[A-Z]|(?<![§\w])\w{0,30}\d")  # a name, or a figure
_LEFT_ASIDE = expression(
    rf"\b(?:{LEFT_OUT}|ignoring|disregarding|apart from|before|after(?! deducting)|if|had|outside|beyond|besides|not|no"
    r"|never|neither|nor|hardly|rest|remain\w+|elsewhere|abroad|overseas|"
    r"(?:leav|tak|strip|set)(?:e|ing|ting)? (?:\w+ ){0,4}(?:aside|out|off))\b"
)


class PrintedNames(Protocol):
    """What a report prints as names of rows and figures."""

    def has(self, phrase: str) -> bool:
        """Whether a row or a figure bears this name."""
        ...

    def narrow(self, word: str, names: Sequence[str]) -> bool:
        """Whether a word makes something else of one of the names, as the report prints them."""
        ...

    def is_known(self, word: str) -> bool:
        """Whether the word stands in any label."""
        ...


class RowCalculation(Record):
    """What a question asks to be calculated with printed rows.

    Attributes:
        names: of the rows, in the question's words, in the order of the calculation.
        years: that it names, the earliest first.
        limit: for yes or no, the percentage of the second figure that the first is compared with.
        is_below: whether yes means less.
        is_percent: whether a ratio is wanted in percent.
        is_size: whether a difference has no direction.
    """

    names: tuple[str, ...]
    base: Base
    course: Course = "value"
    years: tuple[int, ...] = ()
    limit: Decimal | None = None
    is_below: bool = False
    is_percent: bool = False
    is_size: bool = False

    @property
    def answer_kind(self) -> AnswerKind:
        """The kind of its answer."""
        return "boolean" if self.limit is not None or self.base == "outgrowth" else "number"

    @property
    def is_change_alone(self) -> bool:
        """Whether it only asks how one figure changed, as questions for reasons or sentences do, too."""
        return self.base == "one" and self.course in ("change", "growth") and self.limit is None

    @property
    def unit(self) -> DerivedUnit:
        """The unit of its result, where it is no amount."""
        if self.course == "points" or self.base == "outgrowth":
            return "points"
        if self.course == "times" or (self.base == "ratio" and not self.is_percent):
            return "times"
        return "percent" if self.course == "growth" or self.base in ("share", "ratio") else "amount"


def read_rows(text: str, printed: PrintedNames) -> RowCalculation | None:
    """The calculation with printed rows that a question asks for; None where it asks for none.

    Args:
        text: the question without its company's name.
        printed: what the report prints as names.
    """
    periods = periods_in(text)
    sentences = [each for each in _SENTENCE_ENDS.split(_with_marked_periods(text, periods)) if each.strip()]
    asking = [each for each in sentences if "?" in each] or sentences
    tried = ((taken, each) for each in asking for taken in dict.fromkeys((each, " ".join(sentences))))
    found = next((found for taken, each in tried if (found := _read(taken, each, printed)) is not None), None)
    if found is not None and found.course != "value" and _SHARE_OF.search(text):
        return None
    return found and found.model_copy(update={"years": tuple(sorted(years_named(periods)))})


def _with_marked_periods(text: str, periods: Sequence[NamedPeriod]) -> str:
    """The text with one sign for each period that it names."""
    for period in sorted(periods, key=lambda p: p.start, reverse=True):
        text = f"{text[: period.start]} {_PERIOD} {text[period.end :]}"
    return plain(text)


def _read(text: str, asking: str, printed: PrintedNames) -> RowCalculation | None:
    names, rest = _named_rows(text, printed)
    skeleton = _skeleton(rest)
    cues = _cues(skeleton)
    if not 1 <= len(names) <= _MOST_ROWS or not cues or _LEFT_ASIDE.search(rest.lower()):
        return None
    if _STRANGE.search(_PORTION.sub("", rest)) or any(_changes_it(skeleton, names, printed)):
        return None
    first = asking.lower().replace(",", " ").split()[:2]
    is_yes_or_no = bool(_YES_OR_NO & set(first[: 2 if first[0] in ("and", "so", "but") else 1]))
    return _yes_or_no(skeleton, rest, names) if is_yes_or_no else _figure(skeleton, names)


def _changes_it(skeleton: str, names: Sequence[str], printed: PrintedNames) -> Iterator[bool]:
    """For each word that is no row's name and tells no calculation, whether it makes another figure of a row.

    A word right beside a name does so if any label has it.
    """
    tokens = skeleton.split()
    for at, word in enumerate(tokens):
        if not word[0].isalpha() or word.isupper() or word in _EMPTY:
            continue
        is_beside = any(token.startswith("§") for token in tokens[max(0, at - 1) : at + 2])
        yield printed.narrow(word, names) or (is_beside and printed.is_known(word))


def _cues(skeleton: str) -> frozenset[str]:
    return frozenset(word for word in skeleton.split() if word in _CUES)


def _told_in(text: str) -> frozenset[str]:
    return _cues(_skeleton(_with_marked_periods(text, periods_in(text))))


def asks_to_calculate(text: str) -> bool:
    """Whether a question has a word that sets figures in relation."""
    return bool(_told_in(text) - {"MOVED"})


def relates_two(text: str) -> bool:
    """Whether a question sets one figure beside another, so that neither is asked for alone.

    "All assets together", "net of costs" and "the current portion of its debt" name one figure.
    """
    skeleton, lower = _skeleton(_with_marked_periods(text, periods_in(text))), f" {text.lower()} "
    told = _cues(skeleton)
    is_share = skeleton.startswith("SHARE of") or any(
        f"{before} SHARE of" in skeleton for before in ("as", "in", "what", "which")
    )
    is_sum = " plus " in lower or " minus " in lower or (" combined" in lower and " and " in lower)
    is_held = any(word in lower for word in ("exceed", "outweigh", "surpass", "cover", "enough "))
    return bool(told & {"RATIO", "DIFF"}) or is_held or is_sum or (is_share and not told & {"MOVED", "PER"})


def left_open(text: str, said: Set[str]) -> frozenset[str]:
    """The words of a question that tell no calculation, are no words of what is said, and are not empty."""
    words = _skeleton(_with_marked_periods(text, periods_in(text))).split()
    found = (significant(w) for w in words if w[0].isalpha() and not w.isupper() and w not in _EMPTY)
    return frozenset().union(*found) - said


def relates_figures(text: str) -> bool:
    """Whether a question relates several figures, and does not only ask for one figure in each year."""
    told = _told_in(text)
    return bool(told & {"TIMES", "AVERAGE", "SUM", "DIFF", "MINUS", "PER", "RATIO"}) or {"POINTS", "SHARE"} <= told


def named_figures(text: str, facts: ReportFacts, ontology: Ontology) -> Mapping[str, tuple[Fact, ...]]:
    """The certain figures of full years of each metric that a question names, the newest first, by its name there.

    Args:
        text: the question without its company's name.
        facts: of the report.
        ontology: the metrics' names.
    """

    def figures(name: str) -> tuple[Fact, ...]:
        metric = ontology.metric_named(name)
        is_known = metric is not None and metric.kind in ("amount", "count")
        return tuple(filter(_is_certain, facts.of(metric.id))) if metric is not None and is_known else ()

    return {name.lower(): figures(name) for name in names_in(text, lambda name: bool(figures(name)))}


def _is_certain(fact: Fact) -> bool:
    is_of_year = fact.period is not None and fact.period.months in (None, MONTHS_OF_YEAR)
    return is_of_year and not fact.is_sum and fact.confidence != "low"


def names_in(text: str, is_name: Callable[[str], bool]) -> list[str]:
    """The stretches of a text that are names, none within a longer one, in their order."""
    return [text[start:end] for start, end in _places(text, is_name)]


def _places(text: str, is_name: Callable[[str], bool]) -> list[tuple[int, int]]:
    tokens = list(_TOKEN.finditer(text))
    taken: list[tuple[int, int]] = []
    for first, last in _windows(tokens):
        start, end = tokens[first].start(), tokens[last].end()
        if not any(start < e and s < end for s, e in taken) and is_name(text[start:end]):
            taken.append((start, end))
    return sorted(taken)


def _windows(tokens: Sequence[re.Match[str]]) -> Iterator[tuple[int, int]]:
    """Stretches of words that may be a row's name, the longest first."""
    for length in range(_LONGEST_NAME, 0, -1):
        for first in range(len(tokens) - length + 1):
            part = [token[0] for token in tokens[first : first + length]]
            is_bounded = not {part[0].lower(), part[-1].lower()} & _AROUND and not set(part) & set("?!;:")
            is_worded = bool(significant(part[0]) and significant(part[-1])) and part.count("(") == part.count(")")
            if is_bounded and is_worded and significant(folded(" ".join(part))) - _TOO_LITTLE:
                yield first, first + length - 1


def _named_rows(text: str, printed: PrintedNames) -> tuple[list[str], str]:
    """The names of rows in a text, each once, and the text with a sign for each."""
    names: list[str] = []
    rest, at = "", 0
    for start, end in _places(text, printed.has):
        name = text[start:end].lower()
        if name not in names:
            names.append(name)
        rest += f"{text[at:start]} §{1 + names.index(name)} "
        at = end
    return names, " ".join(f"{rest}{text[at:]}".split())


def _skeleton(rest: str) -> str:
    """A text with signs for rows, with one word for each way to calculate, without periods and empty words."""
    left = _PORTION.sub("N", re.sub(r"[\"“”()\[\]'’‘]s?\b|[\"“”()\[\]'’‘]", " ", rest).lower())
    left = re.sub(r" ?[.;:?!,](?!\w) ?| [-–—] ", " , ", left)
    kept: list[str] = []
    for word in left.split():
        if word == _PERIOD:
            while kept and kept[-1] in _AT_A_TIME:
                kept.pop()
        elif word not in _DROPPED:
            kept.append(word)
    left = _CUE.sub(lambda match: f" {match.lastgroup} ", " ".join(kept))
    return " ".join(left.split()).strip(" ,")


def _other(skeleton: str, base: Base) -> int | None:
    """The place of the name that another is taken of, set against or held up to; None where two may be it."""
    tokens = skeleton.split()
    places = [at for at, token in enumerate(tokens) if token.startswith("§")]
    for words in _BEFORE_THE_OTHER[base]:
        found = {tokens[at] for at in places if words & set(tokens[max(0, at - 2) : at])}
        if len(found) == 1:
            return int(found.pop()[1:])
    return None


def _ordered(skeleton: str, base: Base, names: Sequence[str]) -> tuple[str, ...]:
    """The two names in the order of the calculation; none where the question leaves it open."""
    other = _other(skeleton, base)
    if len(names) != 2 or other is None:
        return ()
    return names[2 - other], names[other - 1]


def _figure(skeleton: str, names: Sequence[str]) -> RowCalculation | None:
    told = _cues(skeleton)
    relations = ((base, cues | beside) for base, cues, beside in _RELATIONS if told & cues)
    one: tuple[Base, frozenset[str]] = ("one", frozenset())
    base, allowed = one if len(names) == 1 else next(relations, one)
    rows = tuple(names) if base in ("one", "sum") else _ordered(skeleton, base, names)
    if base == "difference" and "LESS" in told:
        rows = rows[::-1]
    added = _ADDED.search(skeleton)
    is_of_all = added is not None and len(set(re.findall(r"§\d", added[0]))) == len(names)
    course = _course(base, told)
    if not rows or course is None or (base == "one" and (course == "value" or len(names) > 1)):
        return None
    if told - allowed - _CUES_OF_COURSE[course] or (base == "sum" and not is_of_all):
        return None
    return RowCalculation(names=rows, base=base, course=course, is_percent="SHARE" in told, is_size="DIFF" in told)


def _course(base: Base, told: Set[str]) -> Course | None:
    """How the figure is followed over the years; None where it is told in two ways."""
    if "AVERAGE" in told:
        return None if base != "one" or told & {"MOVED", "POINTS"} else "average"
    if "POINTS" in told:
        return "points" if base == "share" else None
    if base == "one" and "TIMES" in told:
        return "times"
    if "MOVED" in told:
        if base == "share":
            return None  # "by what percentage did its share rise" may mean either
        return "growth" if "SHARE" in told else "change"
    return "value"


def _yes_or_no(skeleton: str, rest: str, names: Sequence[str]) -> RowCalculation | None:
    told = _cues(skeleton)
    if told and told <= {"FASTER", "SLOWER"}:
        rows = _ordered(skeleton, "outgrowth", names)
        return RowCalculation(names=rows, base="outgrowth", is_below="SLOWER" in told) if rows else None
    if not told or not told <= {"MORE", "LESS"} or len(told) > 1:
        return None
    portion = _portion_in(rest)
    rows = _ordered(skeleton, "share" if portion is not None else "difference", names)
    if not rows:
        return None
    return RowCalculation(names=rows, base="share", limit=portion or _WHOLE, is_below="LESS" in told)


def _portion_in(text: str) -> Decimal | None:
    """The part of a whole that a text names, in percent: "a quarter of", "10 % of"; None where it names none."""
    match = _PORTION.search(plain(text).lower())
    if match is None:
        return None
    named = _FRACTIONS[match["name"]] if match["name"] else parse_figure(match["n"])
    return None if named is None else Decimal(named)
