"""The patterns from which comparing questions are built, and a question reduced to its form."""

import re
from dataclasses import dataclass

from query_engines.question.search_text import without_currency
from storage.lexicon.periods import periods_in, without_periods
from storage.lexicon.words import expression
from storage.records.queries import AskedPeriod, Conditions, Operation, Query

HIGH = (
    r"highest|largest|biggest|greatest|most|higher|larger|bigger|greater|more|maximum|top|strongest|stronger"
    + r"|fastest|faster"
)
LOW = r"lowest|smallest|least|fewest|lower|smaller|less|fewer|minimum|weakest|weaker|slowest|slower"
SUP = rf"(?P<sup>{HIGH}|{LOW})"
_COMPANIES = r"compan(?:y|ies)"
HEAD = (
    rf"(?:which|what|who|(?:name|find|give me|show me|tell me) (?:the )?(?:{_COMPANIES}|one)|(?:the )?{_COMPANIES})"
    r"(?: (?:ones?|company|companies|firms?|business(?:es)?))?"
    r"(?: of (?:all )?(?:(?:the|these|those|our) )?(?:\w+ )?"
    rf"(?:{_COMPANIES}|firms|businesses|two|three|four|five|them)| of (?:these|those|the following))?"
    r"(?: (?:that|which|with))?"
)
_IN_THE_PAST = """
made paid spent sold bought had has grew cut lost won held began took brought gave let laid owes completed created
updated initiated terminated wrote provided included operates closed merged managed engaged exceeded does did ran
"""
_PAST = frozenset(_IN_THE_PAST.split())
_NO_VERBS = frozenset(
    [
        "the",
        "a",
        "an",
        "of",
        "and",
        "or",
        "in",
        "on",
        "at",
        "by",
        "for",
        "to",
        "from",
        "with",
        "its",
        "their",
        "one",
        "two",
        "three",
        "four",
        "company",
        "companies",
    ]
)
_BEING = frozenset(["is", "are", "was", "were", "has", "have", "had"])
_PRESENT = frozenset(
    [
        "announce",
        "mention",
        "report",
        "pay",
        "plan",
        "employ",
        "own",
        "operate",
        "disclose",
        "expect",
        "provide",
        "use",
    ]
)
_LOSSES = {"net loss": "net income", "loss": "net income", "operating loss": "operating income"}


def as_income(subject: str) -> str | None:
    """The kind of income whose negative is the loss; None where the question is not about a loss."""
    return _LOSSES.get(bare_subject(subject).lower().removesuffix("es"))


def asked_of(subject: str, core: "Core", operation: Operation = "value") -> Query:
    """What is asked of each company or year about a quantity or a predicate."""
    return Query(
        operation=operation,
        subject=subject,
        periods=(core.period,) if core.period else (),
        conditions=Conditions(currency=core.currency),
    )


def bare_subject(text: str) -> str:
    """A quantity's name without articles and introducing words."""
    text = re.sub(
        r"^(?:(?:the|a|an|its|their|amount of|level of|value of|figure for) )+", "", text.strip(), flags=re.I
    )
    return text.strip(" ,:;.?'")


def is_verb(word: str) -> bool:
    """Whether a word can be the verb of a predicate."""
    return word.isalpha() and word.lower() not in _NO_VERBS


def is_inflected(word: str) -> bool:
    """Whether it is a verb in the past, or one after "has" or "which of them"."""
    low = word.lower()
    return low in _PAST or low in _BEING or low.endswith("ed") or low.removesuffix("s") in _PRESENT


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
LEAVES_OUT = expression(
    r"\b(?:leave|skip|exclude|ignore|drop)\b[^.?!]{0,30}\b(?:compan(?:y|ies)|ones?|those|them|it)\b|\bif only one\b",
    re.IGNORECASE,
)  # what a question says of companies without data
LIST = expression(
    r"(?:\b(?:both|either) )?@\d+(?:'s)?(?:(?:\s*[,;/]\s*|\s+)(?:(?:and|or|&|vs\.?|versus|nor) )?(?:of )?@\d+(?:'s)?)+"
)
_MARKED = expression(r"@(?:\d+|L)(?:'s?)?")
_ONE_LISTED = expression(r"(?<=: )@\d+$")
_LIST_AT_END = expression(
    r"[\s,:;(-]{0,9}(?:\b(?:of|among|amongst|between|out of|for|from|in|at|by) )?@L(?:'s)?\s*\)?$", re.I
)
_LIST_FIRST = expression(r"^(?:of|among|amongst|between|out of|for|comparing) @L\s*+[,:]?\s*+", re.I)
_AFTER_HEAD = expression(rf"^(?P<head>{HEAD})(?: (?:of|among|between|out of|from))?,? @L,?(?= )", re.I)


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
    by_or: bool


def read_core(text: str, currency: str | None) -> Core:
    """Reduce a text with numbered companies to its form; `currency` is the one that the question names."""
    whole_words = re.sub(r"\b(what|who)'s\b", r"\1 is", text, flags=re.IGNORECASE)
    said = without_currency(_ASIDE.sub(" ", whole_words))
    periods = [AskedPeriod.of(period, said) for period in periods_in(said)]
    last = periods[-1] if periods else None
    short = tidy(without_periods(said))
    found = LIST.search(short) or _ONE_LISTED.search(short)
    if found is None:
        return Core(said, short, short, last, currency, (), by_or=False)
    positions = tuple(dict.fromkeys(map(int, re.findall(r"@(\d+)", found[0]))))
    whole = tidy(f"{short[: found.start()]}@L{short[found.end() :]}")
    bare = _AFTER_HEAD.sub(r"\g<head>", whole)
    bare = tidy(_LIST_FIRST.sub("", _LIST_AT_END.sub("", bare)).replace(", @L,", ""))
    return Core(said, whole, bare, last, currency, positions, by_or=re.search(r"\bor\b", found[0]) is not None)


def unmarked(text: str) -> str:
    """A text without the signs of its companies."""
    return " ".join(_MARKED.sub(" ", text).split()).strip(" ,:;")


def tidy(text: str) -> str:
    """The text cleaned after a phrase was removed: without extra spaces, doubled and outer punctuation."""
    text = re.sub(r" ([,:;?.])", r"\1", " ".join(text.split()))
    return re.sub(r"[,:;](?=[,:;])", "", text).strip(" ,:;?.!-")
