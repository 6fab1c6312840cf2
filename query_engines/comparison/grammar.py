"""The patterns from which comparing questions are built, and the sub-questions made from their matches."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from query_engines.question.search_text import without_currency
from storage.lexicon.periods import periods_in, without_periods
from storage.lexicon.words import expression

HIGH = r"highest|largest|biggest|greatest|most|higher|larger|bigger|greater|more|maximum|top|strongest|stronger"
LOW = r"lowest|smallest|least|fewest|lower|smaller|less|fewer|minimum|weakest|weaker"
SUP = rf"(?P<sup>{HIGH}|{LOW})"
NTH = r"(?:(?P<nth>second|third|2nd|3rd)[- ])?"
_COMPANIES = r"compan(?:y|ies)"
HEAD = (
    rf"(?:which|what|who|(?:name|find|give me|show me|tell me) (?:the )?(?:{_COMPANIES}|one)|(?:the )?{_COMPANIES})"
    r"(?: (?:one|company|companies|firms?|business(?:es)?))?"
    r"(?: of (?:all )?(?:(?:the|these|those|our) )?(?:\w+ )?"
    rf"(?:{_COMPANIES}|firms|businesses|two|three|four|five|them)| of (?:these|those|the following))?"
    r"(?: (?:that|which|with))?"
)
HAVE = (
    r"(?:(?:had|has|have|having|shows?|showed|reports?|reported|recorded|posted|generated|achieved|made|makes|earned|earns|holds?|"
    r"held|owns?|owned|employs?|employed|paid|pays|discloses?|disclosed|saw)|(?<=with))"
)
THAN = r"(?:,? ?(?:than|as|compared (?:to|with)|relative to|versus|vs\.?|against))"
ONE = r"@(?P<one>\d+)"
OTHER = r"(?:(?:that|those|the one|the \w+(?: \w+){0,3}) (?:of|for|at) )?@(?P<other>\d+)(?:'s\b.*)?"
SUBJECT = r"(?P<subject>[^@]+?)"
_PLURAL_AMOUNTS = expression(
    r"\b(?:assets|liabilities|earnings|sales|revenues|expenses|costs|profits|dividends?|deposits|loans|borrowings|"
    r"inventories|expenditures?|receivables|payables|reserves|taxes|losses|operations|margins?|proceeds|salaries|"
    r"cash flows|debts|funds|activities|investments|securities|fees)\b"
)
_VERBS = {
    "made": "make", "paid": "pay", "spent": "spend", "sold": "sell", "bought": "buy", "had": "have", "has": "have",
    "grew": "grow", "cut": "cut", "lost": "lose", "won": "win", "held": "hold", "began": "begin", "took": "take",
    "brought": "bring", "gave": "give", "let": "let", "laid": "lay", "owes": "owe", "completed": "complete",
    "created": "create", "updated": "update", "initiated": "initiate", "terminated": "terminate", "wrote": "write",
    "provided": "provide", "included": "include", "operates": "operate", "closed": "close", "merged": "merge",
    "managed": "manage", "engaged": "engage", "exceeded": "exceed", "does": "do", "did": "do", "ran": "run",
}  # fmt: skip
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
_NOUN_VERBS = frozenset(
    [
        "have",
        "report",
        "show",
        "generate",
        "record",
        "post",
        "do",
        "make",
        "earn",
        "achieve",
        "see",
        "disclose",
        "pay",
    ]
)
_TAKES_E = expression(r"(?:[^s]s|c|g|v|u|z|ar|ir|ur)ed$")


class Extreme(NamedTuple):
    """What a superlative or comparative asks for: highest or lowest, and the place from there."""

    is_high: bool
    place: int


def extreme(found: re.Match[str]) -> Extreme:
    """The extreme that `SUP` and `NTH` matched."""
    nth = found.groupdict().get("nth")
    is_high = re.fullmatch(HIGH, found["sup"], re.I) is not None
    return Extreme(is_high, {"second": 2, "2nd": 2, "third": 3, "3rd": 3}.get(nth.lower(), 1) if nth else 1)


def noun_question(subject: str, sup: str, currency: str | None, when: str) -> str:
    """The sub-question about a quantity; "{}" stands for the company."""
    subject = bare_subject(subject)
    unit = f" (in {currency})" if currency else ""
    if subject in ("money", "profit made", "profitable"):
        return f"How much profit{unit} did {{}} make{when}?"
    is_count = sup.lower() in ("more", "most", "fewer", "fewest") or subject.startswith(("people", "employees"))
    if (
        is_count
        and re.search(r"(?:^|\w)(?:s|people|staff)\b(?!.*\b(?:of|in)\b)", subject)
        and not (_PLURAL_AMOUNTS.search(subject))
    ):
        return f"How many {subject} did {{}} have{when}?"
    if when:
        return f"What was the {subject}{unit} of {{}}{when}?"
    return (
        f"What was the {subject}{unit} for {{}} according to the annual report (within the last period or at the end"
        " of the last period)?"
    )


def verb_question(verb: str, rest: str, currency: str | None, when: str) -> str:
    """The sub-question how much the company, "{}", did of something."""
    unit = f" (in {currency})" if currency else ""
    verb, rest = base_form(verb), rest.strip()
    if not rest or re.match(r"(?:on|in|for|to|from|with|per|back|out)\b", rest):
        return f"How much{unit} did {{}} {verb} {rest}".rstrip() + f"{when}?"
    many = "many" if rest.endswith("s") or rest.startswith(("people", "staff")) else "much"
    return f"How {many} {rest}{unit} did {{}} {verb}{when}?"


def as_income(subject: str) -> str | None:
    """The kind of income whose negative is the loss; None where the question is not about a loss."""
    return _LOSSES.get(bare_subject(subject).lower().removesuffix("es"))


def asks_for_noun(verb: str, rest: str) -> bool:
    """Whether the verb only introduces a quantity, as in "reported higher revenue"."""
    return bool(rest) and base_form(verb) in _NOUN_VERBS and not re.match(r"(?:on|in|for|to|from|with)\b", rest)


def yes_no_question(predicate: str, when: str) -> str:
    """The sub-question whether a predicate, in any tense, is true of the company, "{}"."""
    words = predicate.split()
    if words[0].lower() in ("is", "are", "was", "were"):
        return f"Was {{}} {' '.join(words[1:])}{when}?"
    is_auxiliary = words[0].lower() in ("did", "do", "does") or (
        words[0].lower() in ("has", "have", "had") and len(words) > 1 and is_inflected(words[1])
    )
    if is_auxiliary and len(words) > 1:
        words = words[1:]
    return f"Did {{}} {base_form(words[0])} {' '.join(words[1:])}".rstrip() + f"{when}?"


def bare_subject(text: str) -> str:
    """A quantity's name without articles and introducing words."""
    text = re.sub(
        r"^(?:(?:the|a|an|its|their|amount of|level of|value of|figure for) )+", "", text.strip(), flags=re.I
    )
    return text.strip(" ,:;.?'")


def base_form(verb: str) -> str:
    """The verb's base form, as after "did": "announce" for "announced" and "announces"."""
    low = verb.lower()
    if low in _VERBS:
        return _VERBS[low]
    if low.endswith("ed"):
        if _TAKES_E.search(low):
            return low[:-1]
        stem = low[:-2]
        doubled = len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "slz"
        return stem[:-1] if doubled else f"{stem[:-1]}y" if stem.endswith("i") else stem
    return low[:-1] if low.endswith("s") and not low.endswith("ss") else low


def is_verb(word: str) -> bool:
    """Whether a word can be the verb of a predicate."""
    return word.isalpha() and word.lower() not in _NO_VERBS


def is_inflected(word: str) -> bool:
    """Whether it is a verb in the past, or one after "has" or "which of them"."""
    low = word.lower()
    return low in _VERBS or low in _BEING or low.endswith("ed") or low.removesuffix("s") in _PRESENT


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
LIST = expression(
    r"(?:\b(?:both|either) )?@\d+(?:'s)?(?:(?:\s*[,;/]\s*|\s+)(?:(?:and|or|&|vs\.?|versus|nor) )?(?:of )?@\d+(?:'s)?)+"
)
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
        text: with companies as "@0" and their first list as "@L", without period, currency and fixed phrases.
        bare: the text without the list at its end or beginning.
        when: the period as written, with a space before it.
        listed: positions of the companies in the list.
    """

    text: str
    bare: str
    when: str
    currency: str | None
    listed: tuple[int, ...]
    by_or: bool


def read_core(text: str, currency: str | None) -> Core:
    """Reduce a text with numbered companies to its form; `currency` is the one that the question names."""
    whole_words = re.sub(r"\b(what|who)'s\b", r"\1 is", text, flags=re.IGNORECASE)
    short = without_currency(_ASIDE.sub(" ", whole_words))
    whens = [period.phrase(short) for period in periods_in(short)]
    short = tidy(without_periods(short))
    found = LIST.search(short) or _ONE_LISTED.search(short)
    if found is None:
        return Core(short, short, _when(whens), currency, (), by_or=False)
    positions = tuple(dict.fromkeys(map(int, re.findall(r"@(\d+)", found[0]))))
    whole = tidy(f"{short[: found.start()]}@L{short[found.end() :]}")
    bare = _AFTER_HEAD.sub(r"\g<head>", whole)
    bare = tidy(_LIST_FIRST.sub("", _LIST_AT_END.sub("", bare)).replace(", @L,", ""))
    return Core(whole, bare, _when(whens), currency, positions, by_or=re.search(r"\bor\b", found[0]) is not None)


def tidy(text: str) -> str:
    """The text cleaned after a phrase was removed: without extra spaces, doubled and outer punctuation."""
    text = re.sub(r" ([,:;?.])", r"\1", " ".join(text.split()))
    return re.sub(r"[,:;](?=[,:;])", "", text).strip(" ,:;?.!-")


def _when(times: Sequence[str]) -> str:
    return f" {times[-1]}" if times else ""
