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

Base = Literal["one", "share", "share_of_two", "ratio", "difference", "sum", "outgrowth"]
Course = Literal["value", "change", "growth", "points", "times", "average"]
FRACTIONS: dict[str, int | Decimal] = {
    "half": 50, "a half": 50, "a third": Decimal(100) / 3, "one third": Decimal(100) / 3, "a quarter": 25,
    "one quarter": 25, "two thirds": Decimal(200) / 3, "three quarters": 75, "a fifth": 20, "a tenth": 10,
}  # fmt: skip
_LONGEST_NAME = 12  # words
_WHOLE = Decimal(100)
_MOST_ROWS = 3
_ADDED_UP = frozenset({"amount", "count"})  # kinds of metrics
_PERIOD = "¶"
_IN_TIME = expression(
    r"\b(?:(?:in|for|during|at|as at|as of|on|to|from|by|of|over|between|and|since|ended|ending|through|until|till)"
    r"\b ?"
    rf"(?:end of |end |year |years |full |financial |fiscal |to |ended ){{0,4}})?{_PERIOD}(?! §)"
)
_OF_THE_TOTAL = expression(r"(§1)( , §2(?: [a-z]+){0,3} )SHARE of total(?! §)")
_MAKES_UP = expression(r"\b(?:ma(?:ke|kes|de|king) up|account(?:s|ed)? for|represent(?:s|ed)?)\b")
_JOINED_YEAR = expression(r"(?<=\bend)-(?=20\d\d\b)")
_NEIGHBOURS = expression(r"(?:\b([a-z][\w&'-]{1,30}) )?§\d(?: ([a-z][\w&'-]{1,30})\b)?")
_SAID_OF_ANY = """
cost costs expense expenses budget bill spending spend outlay outlays charge charges amount amounts figure figures
balance balances level levels line lines item items value values position business arm unit stocks liability in on at to
of from by for with per was were is are did does do has have had and or than into went go goes going came come total
combined as be been each year forms make made makes take takes
"""
_OF_ANY_ROW = frozenset(_SAID_OF_ANY.split())
_TOKEN = expression(r"§\d|[^\W_][\w&'’/.-]*(?<![.'’-])|%|[^\w\s]")
_SENTENCE_ENDS = expression(r"(?<=[.?!])\s+(?=[^a-z])|(?<=\?)\s+")
_COIN = r"(?:dollars?|euros?|pounds?|francs?|cents?|pence|yen|krone[rn]?)"
_SHARE = (
    r"per ?cent(?:ages?)?|percents?|%|shares?|portions?|proportions?|fractions?|parts?|slices?|chunk|weight"
    r"|how much(?= of\b)"
)
_MORE = r"(?:more|greater|larger|higher|bigger|further)"
# What tells to calculate, in the order in which it is looked for; each becomes one word in capitals.
_TOLD: tuple[tuple[str, str], ...] = (
    (
        "POINTS",
        r"(?:percentage|per ?cent(?:age)?) ?-?points?|\bpp?ts?\b|\bpp\b|points? of per ?cent|how many points",
    ),
    (
        "PER",
        rf"(?:for|per|on|from|out of) (?:every|each|one|a)(?: single)?(?: {_COIN})?(?: of)?"
        rf"|per(?! ?cent)(?: {_COIN} of)?",
    ),
    ("TIMES", r"how many times|(?:what|which) multiple of|\btimes\b|\bfold\b"),
    ("RATIO", r"ratios?(?: of)?"),
    ("OVER", r"divided by|relative to|in relation to|compared (?:to|with) the size of|over(?= §)|/(?= §)"),
    ("DIFF", r"(?:difference|gap|spread|distance|surplus|excess)(?: between| of)?"),
    ("EXCEED", r"exceed(?:s|ed)?|outweigh(?:s|ed)?|surpass(?:es|ed)?|top(?:s|ped)(?= §)"),
    (
        "OUTGROW",
        rf"outpaced?|outgr[eo]w|(?:{RISES}|gr[eo]w\w*|rising) (?:(?:faster|quicker|more (?:quickly|strongly))"
        r"|(?:at|by) (?:an? )?(?:faster|higher|bigger|larger|greater) (?:rate|pace|percentage|per ?cent)) than",
    ),
    ("LAG", rf"(?:{RISES}|gr[eo]w\w*|rising) (?:more slowly|slower) than"),
    ("COVER", r"cover(?:s|ed)?|enough (?:for|to (?:cover|pay|settle|meet|repay))(?: for| off)?"),
    ("MINUS", r"minus|net of|(?<=§\d )less(?! than)|after deducting"),
    (
        "SUM",
        r"combined|together|in total|added(?: up| together)?|add(?: up)?|sum(?: of| up)?|plus|taken together|\+",
    ),
    ("AVERAGE", r"on average|averaged?|averaging|(?<!i )mean(?= (?:of|annual|yearly))"),
    ("MORE", rf"{_MORE}(?: than)?|above|over|at least|beyond"),
    ("LESS", r"(?:less|smaller|lower|fewer)(?: than)?|under|below|at most"),
    ("SHARE", _SHARE),
    ("FALL", rf"{FALLS}|\bdown\b|half(?=d\b)"),
    ("RISE", rf"{RISES}|rising|jump(?:ed)?|explod\w+|\bup\b"),
    ("CHANGE", rf"{CHANGE_NOUN}|move[ds]?|swung|swing"),
)
_TELLING = tuple((word, expression(rf"(?<![\w§])(?:{form})(?!\w)")) for word, form in _TOLD)
_ONE, _OTHER = r"(?P<one>§\d)", r"(?P<other>§\d)"
_BETWEEN = r"(?: [a-z',]+){0,6}?"
# How two figures relate; `one` comes before `other` in the calculation.
_BASES: tuple[tuple[Base, str], ...] = (
    ("outgrowth", rf"{_ONE}{_BETWEEN} (?:OUTGROW|LAG)(?: than)? {_OTHER}"),
    ("share", rf"SHARE of {_ONE} (?:in|within|out of|inside) {_OTHER}"),
    ("share", rf"SHARE (?:of|in) {_OTHER}{_BETWEEN} {_ONE}"),
    ("share", rf"{_ONE}{_BETWEEN} SHARE (?:of|in) {_OTHER}"),
    ("share", rf"SHARE{_BETWEEN} {_ONE}{_BETWEEN} (?:of|in|to) {_OTHER}"),
    ("share", rf"\bof {_OTHER}(?: [a-z',]+){{0,5}}? SHARE{_BETWEEN} {_ONE}"),
    ("share", rf"\bof {_OTHER}{_BETWEEN} {_ONE}{_BETWEEN} (?:in|as) SHARE"),
    ("share", rf"{_ONE} (?:to|on|as) {_OTHER}(?: [a-z',]+){{0,8}}? (?:in|as) SHARE"),
    ("share", rf"{_ONE}(?: [a-z']+){{0,6}} ,(?: [A-Z,a-z']+){{0,8}} SHARE (?:of|in) {_OTHER}"),
    ("ratio", rf"TIMES (?:did|does|do|could|would|can) {_ONE}{_BETWEEN} (?:COVER|EXCEED) {_OTHER}"),
    ("ratio", rf"TIMES MORE (?:was|were|is|are) {_ONE} (?:than )?{_OTHER}"),
    ("ratio", rf"{_ONE} (?:was|were|is|are|COVER|came to|equal(?:s|led)?) TIMES {_OTHER}"),
    ("ratio", rf"TIMES {_OTHER} (?:was|were|is|are) {_ONE}"),
    ("ratio", rf"RATIO{_BETWEEN} {_ONE} (?:to|and) {_OTHER}"),
    ("ratio", rf"{_ONE} to {_OTHER} RATIO"),
    ("ratio", rf"{_ONE}(?: ,)? OVER {_OTHER}"),
    ("ratio", rf"PER {_OTHER}(?: [a-z',]+){{0,10}}? {_ONE}"),
    ("ratio", rf"{_ONE}{_BETWEEN} PER {_OTHER}"),
    ("difference", rf"DIFF {_ONE} (?:and|to|over|MORE) {_OTHER}"),
    ("difference", rf"how much MORE{_BETWEEN} {_ONE}{_BETWEEN} (?:than|MORE) {_OTHER}"),
    ("difference", rf"how much{_BETWEEN} {_ONE}{_BETWEEN} (?:EXCEED|MORE) {_OTHER}"),
    ("difference", rf"how much LESS{_BETWEEN} {_OTHER}{_BETWEEN} (?:than|LESS) {_ONE}"),
    ("difference", rf"{_ONE} MINUS {_OTHER}"),
)
_TWO = r"(?P<one>§\d)(?: ,)? (?:and|SUM|,) (?P<two>§\d)(?: [a-z',]+){0,4}?(?: SUM)?(?: [a-z',]+){0,4}?"
_ADDED = expression(r"§\d(?:(?: (?:,|and|SUM))+ §\d)+")
_TWO_AS_SHARE = expression(rf"{_TWO} SHARE of {_OTHER}")
_TWO_BESIDE = expression(rf"{_TWO} (?:(?P<more>MORE|EXCEED)|(?P<less>LESS)) (?:than )?(?P<n>N )?(?:of )?{_OTHER}")
_TIMES_BEFORE = {"doubled": 100, "tripled": 200, "quadrupled": 300}
_MOVED_BY = expression(
    rf"{_ONE}{_BETWEEN} (?:(?P<way>RISE|FALL) by (?:MORE |at least )(?:than )?(?:(?P<n>\d+(?:\.\d+)?) ?SHARE"
    rf"|(?P<name>{any_of(FRACTIONS)}))|(?:MORE (?:than )?)?(?P<times>{'|'.join(_TIMES_BEFORE)}))(?! of)"
)
_SIDES = tuple((base, expression(form)) for base, form in _BASES)
_SET_BESIDE = (
    expression(
        rf"{_ONE}{_BETWEEN}(?: MORE)? (?:(?P<more>MORE|EXCEED|COVER)|(?P<less>LESS)) (?:than )?"
        rf"(?P<n>N )?(?:of )?{_OTHER}"
    ),
    expression(rf"(?:(?P<more>MORE)|(?P<less>LESS)) (?:than )?(?P<n>N) of {_OTHER}{_BETWEEN} {_ONE}"),
)
_PORTION = expression(
    rf"(?<![\w§])(?:(?P<n>\d{{1,3}}(?:\.\d{{1,2}})?) ?(?:%|per ?cent)|(?P<name>{any_of(FRACTIONS)}))"
    r"(?= of\b)"
)
_YES_OR_NO = expression(
    r"^(?:and |so |but )?(?:is|are|was|were|do|does|did|has|have|had|can|could|would|will)\b|^(?:true|correct)\b"
)
# Words that say nothing about a figure, beside those of the question's form.
_SAID_BESIDE = """
its their his her our it we they them this that these those whole entire overall all own respective consolidated
reported please company group year years end both about as and of in
"""
_EMPTY = FUNCTION_WORDS | frozenset(_SAID_BESIDE.split())
_DROPPED = expression(
    r"\b(?:the|an?|its|their|his|her|our|this|that|it|whole|entire|own|all|consolidated|reported|both|company|group)\b"
    r"(?:'s)? ?"
)
_ALLOWED: dict[Base, frozenset[str]] = {
    "one": frozenset(),
    "share": frozenset({"SHARE", "RATIO"}),
    "share_of_two": frozenset({"SHARE", "SUM"}),
    "ratio": frozenset({"TIMES", "RATIO", "OVER", "PER", "COVER", "EXCEED", "SHARE", "MORE"}),
    "difference": frozenset({"DIFF", "MORE", "LESS", "EXCEED", "MINUS"}),
    "sum": frozenset({"SUM"}),
    "outgrowth": frozenset({"OUTGROW"}),
}
_RELATING = frozenset({"TIMES", "AVERAGE", "SUM", "DIFF", "MINUS", "PER", "RATIO", "OVER"})
_OF_TWO = frozenset({"RATIO", "OVER", "DIFF", "MINUS", "SUM", "EXCEED", "COVER"})
_MOVED = frozenset({"CHANGE", "RISE", "FALL"})
_OF_COURSES: dict[Course, frozenset[str]] = {
    "value": frozenset(),
    "change": _MOVED,
    "growth": _MOVED | {"SHARE"},
    "points": _MOVED | {"POINTS"},
    "times": _MOVED | {"TIMES"},
    "average": frozenset({"AVERAGE", "PER", "SHARE"}),
}
_WORD_TOLD = expression(r"\b[A-Z]{3,}\b")
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
        is_named_by_whole: whether a part is called by the whole's noun too: "software revenue" of "total revenue".
    """

    names: tuple[str, ...]
    base: Base
    course: Course
    years: tuple[int, ...] = ()
    limit: Decimal | None = None
    is_below: bool = False
    is_percent: bool = False
    is_size: bool = False
    is_named_by_whole: bool = False

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
        if self.course == "growth" or (self.base.startswith("share") and self.course != "times"):
            return "percent"
        if self.course == "times" or (self.base == "ratio" and not self.is_percent):
            return "times"
        return "percent" if self.base == "ratio" else "amount"


def read_rows(text: str, printed: "PrintedNames") -> RowCalculation | None:
    """The calculation with printed rows that a question asks for; None where it asks for none.

    Args:
        text: the question without its company's name.
        printed: what the report prints as names.
    """
    text = _JOINED_YEAR.sub(" ", text)
    periods = periods_in(text)
    marked = _with_marked_periods(text, periods)
    sentences = [sentence for sentence in _SENTENCE_ENDS.split(marked) if sentence.strip()]
    is_asked = any("?" in sentence for sentence in sentences)
    for at, sentence in enumerate(sentences):
        if is_asked and "?" not in sentence:
            continue
        for taken in (sentence, " ".join(sentences[max(0, at - 1) : at + 1]), " ".join(sentences[at : at + 2])):
            if (found := _read(taken, sentence, printed)) is not None:
                return found.model_copy(update={"years": tuple(sorted(years_named(periods)))})
    return None


def _with_marked_periods(text: str, periods: Sequence[NamedPeriod]) -> str:
    """The text with one sign for each period that it names."""
    for period in sorted(periods, key=lambda p: p.start, reverse=True):
        text = f"{text[: period.start]} {_PERIOD} {text[period.end :]}"
    return plain(text)


def _read(text: str, asking: str, printed: "PrintedNames") -> RowCalculation | None:
    all_names, all_of_it = _named_rows(text, printed)
    names, rest = _without_nouns(all_names, all_of_it)
    if _WORD_TOLD.search(_skeleton(asking)) is None:
        return None
    if not 1 <= len(names) <= _MOST_ROWS or _LEFT_ASIDE.search(rest.lower()):
        return None
    skeleton = _skeleton(rest)
    is_other = any(printed.narrow(word, names) for word in _left_over(skeleton))
    if is_other or _STRANGE.search(_PORTION.sub("", rest)) or any(map(printed.is_known, _beside(skeleton))):
        return None
    is_yes_or_no = _YES_OR_NO.match(asking.lower()) is not None
    found = _yes_or_no(skeleton, rest, names) if is_yes_or_no else _figure(skeleton, names)
    return found and found.model_copy(update={"is_named_by_whole": len(names) < len(all_names)})


def _without_nouns(names: list[str], rest: str) -> tuple[list[str], str]:
    """The names without a part's noun that its whole has too: "software" of "software revenue"."""
    for match in re.finditer(r"§(\d) §(\d)", rest):
        part, noun = (names[int(number) - 1] for number in match.groups())
        others = [name for name in names if name not in (part, noun)]
        if any(significant(noun) <= significant(name) for name in others) and rest.count(f"§{match[2]}") == 1:
            kept, left = [name for name in names if name != noun], rest.replace(match[0], f"§{match[1]}")
            for number, name in enumerate(kept, 1):  # never upwards, so no sign is taken twice
                left = left.replace(f"§{names.index(name) + 1}", f"§{number}")
            return kept, left
    return names, rest


def _left_over(skeleton: str) -> Iterator[str]:
    """The words of a question that are no row's name, tell no calculation and are not empty."""
    found = re.findall(r"\b[a-z][\w&'’-]+", skeleton)
    return (word for word in found if word not in _EMPTY and word not in _OF_ANY_ROW)


def _beside(skeleton: str) -> Iterator[str]:
    """The words right before and right behind the rows, which may say which of them, but for nouns of any row."""
    for match in _NEIGHBOURS.finditer(skeleton):
        yield from (word for word in match.groups() if word and word not in _EMPTY and word not in _OF_ANY_ROW)


def _told_in(text: str) -> frozenset[str]:
    return frozenset(_WORD_TOLD.findall(_skeleton(_with_marked_periods(text, periods_in(text)))))


def asks_to_calculate(text: str) -> bool:
    """Whether a question has a word that sets figures in relation."""
    return bool(_told_in(text) - _MOVED)


def relates_two(text: str) -> bool:
    """Whether a question sets one figure beside another, so that neither is asked for alone: no shares of a company."""
    told = _told_in(text)
    is_share_of = "SHARE" in told and not told & (_MOVED | {"PER"}) and "SHARE of" in _skeleton(text)
    return is_share_of or bool(told & _OF_TWO)


def left_open(text: str, said: Set[str]) -> frozenset[str]:
    """The words of a question that tell no calculation, are no words of what is said, and are not empty."""
    found = _left_over(_skeleton(_with_marked_periods(text, periods_in(text))))
    return frozenset().union(*map(significant, found)) - said


def named_figures(text: str, facts: ReportFacts, ontology: Ontology) -> Mapping[str, tuple[Fact, ...]]:
    """The certain figures of full years of each metric that a question names, the newest first, by its name there.

    Args:
        text: the question without its company's name.
        facts: of the report.
        ontology: the metrics' names.
    """

    def figures(name: str) -> tuple[Fact, ...]:
        metric = ontology.metric_named(name)
        is_known = metric is not None and metric.kind in _ADDED_UP
        return tuple(filter(_is_certain, facts.of(metric.id))) if metric is not None and is_known else ()

    return {name.lower(): figures(name) for name in names_in(text, lambda name: bool(figures(name)))}


def _is_certain(fact: Fact) -> bool:
    is_of_year = fact.period is not None and fact.period.months in (None, MONTHS_OF_YEAR)
    return is_of_year and not fact.is_sum and fact.confidence != "low"


def relates_figures(text: str) -> bool:
    """Whether a question relates several figures, and does not only ask for one figure in each year."""
    told = _told_in(text)
    return bool(told & _RELATING) or {"POINTS", "SHARE"} <= told


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


def _named_rows(text: str, printed: "PrintedNames") -> tuple[list[str], str]:
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
    left = _PORTION.sub("N", re.sub(r"[\"“”()\[\]]", " ", rest).lower())
    left = re.sub(r" ?[.;:?!,](?!\w) ?| [-–—] ", " , ", left)
    left = re.sub(r"(?<=§\d) ?['’]s\b|(?<!\w)['’‘]|['’](?!\w)", "", _DROPPED.sub("", " ".join(left.split())))
    left = _MAKES_UP.sub("forms", _IN_TIME.sub(" ", left).replace(_PERIOD, " "))
    for word, form in _TELLING:
        left = form.sub(f" {word} ", left)
    left = " ".join(left.split()).strip(" ,")
    return _OF_THE_TOTAL.sub(r"\1\2SHARE of \1", left)  # "inventories: raw materials as a percentage of the total"


def _windows(tokens: Sequence[re.Match[str]]) -> Iterator[tuple[int, int]]:
    """Stretches of words that may be a row's name, the longest first."""
    for length in range(_LONGEST_NAME, 0, -1):
        for first in range(len(tokens) - length + 1):
            part = [token[0] for token in tokens[first : first + length]]
            if part[0].lower() in _AROUND or part[-1].lower() in _AROUND:
                continue
            if (
                any(word in "?!;:" for word in part)
                or part.count("(") != part.count(")")
                or not all(significant(word) for word in (part[0], part[-1]))
            ):
                continue
            if significant(folded(" ".join(part))) - _TOO_LITTLE:
                yield first, first + length - 1


def _figure(skeleton: str, names: Sequence[str]) -> RowCalculation | None:
    told = frozenset(_WORD_TOLD.findall(skeleton))
    base, one, other = _base(skeleton, names, told)
    if base is None:
        return None
    course = _course(base, told)
    if course is None or told - _ALLOWED[base] - _OF_COURSES[course]:
        return None
    rows = (
        names
        if base in ("sum", "share_of_two")
        else (names[one - 1], names[other - 1])
        if other
        else (names[one - 1],)
    )
    if (base == "one" and course == "value") or len(set(rows)) < len(names):
        return None
    is_size = "DIFF" in told
    return RowCalculation(names=tuple(rows), base=base, course=course, is_percent="SHARE" in told, is_size=is_size)


def _base(skeleton: str, names: Sequence[str], told: Set[str]) -> tuple[Base | None, int, int]:
    if len(names) == 1:
        return "one", 1, 0
    if _TWO_AS_SHARE.search(skeleton) is not None:
        return "share_of_two", 1, 2
    if "SUM" in told:
        added = _ADDED.search(skeleton)
        is_of_all = added is not None and len(set(re.findall(r"§\d", added[0]))) == len(names)
        return ("sum", 1, 2) if is_of_all else (None, 0, 0)
    for base, form in _SIDES:
        if (match := form.search(skeleton)) is not None and match["one"] != match["other"]:
            return base, int(match["one"][1:]), int(match["other"][1:])
    return None, 0, 0


def _course(base: Base, told: Set[str]) -> Course | None:
    """How the figure is followed over the years; None where it is told in two ways."""
    if "AVERAGE" in told:
        return None if base != "one" or told & (_MOVED | {"POINTS"}) else "average"
    if "POINTS" in told:
        return "points" if base == "share" else None
    if base == "one" and "TIMES" in told:
        return "times"
    if told & _MOVED:
        if base.startswith("share"):
            return None  # "by what percentage did its share rise" may mean either
        return "growth" if "SHARE" in told else "change"
    return "value"


def _yes_or_no(skeleton: str, rest: str, names: Sequence[str]) -> RowCalculation | None:
    told = frozenset(_WORD_TOLD.findall(skeleton)) - {"N"}
    match = next((m for base, form in _SIDES[:1] if (m := form.search(skeleton))), None)
    if match is not None and len(names) == len({match["one"], match["other"]}) and told <= {"OUTGROW", "LAG"}:
        is_below = "LAG" in told
        return RowCalculation(names=_named(match, names), base="outgrowth", course="value", is_below=is_below)
    if len(names) == 1:
        return _moved_by(skeleton, names)
    if (match := _TWO_BESIDE.search(skeleton)) is not None and told <= {"SUM", "MORE", "LESS", "EXCEED"}:
        limit, is_below = _portion_in(rest) or _WHOLE, match["less"] is not None
        return RowCalculation(
            names=tuple(names), base="share_of_two", course="value", limit=limit, is_below=is_below
        )
    match = next((m for form in _SET_BESIDE if (m := form.search(skeleton))), None)
    if match is None or len(names) != len({match["one"], match["other"]}):
        return None
    if told - {"MORE", "LESS", "EXCEED", "COVER"}:
        return None
    return RowCalculation(
        names=_named(match, names),
        base="share",
        course="value",
        limit=_portion_in(rest) or _WHOLE,
        is_below=match["less"] is not None,
    )


def _moved_by(skeleton: str, names: Sequence[str]) -> RowCalculation | None:
    """Whether one figure rose or fell by more than a part of it that the question names."""
    told = frozenset(_WORD_TOLD.findall(skeleton)) - {"N"}
    match = _MOVED_BY.search(skeleton)
    if match is None or told - _MOVED - {"MORE", "SHARE"}:
        return None
    named = _TIMES_BEFORE.get(match["times"] or "") or FRACTIONS.get(match["name"] or "") or match["n"]
    is_below = match["way"] == "FALL"
    limit = Decimal(named or 0) * (-1 if is_below else 1)
    return RowCalculation(names=tuple(names), base="one", course="growth", limit=limit, is_below=is_below)


def _named(match: re.Match[str], names: Sequence[str]) -> tuple[str, str]:
    return names[int(match["one"][1:]) - 1], names[int(match["other"][1:]) - 1]


def _portion_in(text: str) -> Decimal | None:
    """The part of a whole that a text names, in percent: "a quarter of", "10 % of"; None where it names none."""
    match = _PORTION.search(plain(text).lower())
    if match is None:
        return None
    named = FRACTIONS[match["name"]] if match["name"] else parse_figure(match["n"])
    return None if named is None else Decimal(named)
