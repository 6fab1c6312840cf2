"""Whether a question means another figure than the metric whose words it has: a part of it, a change, another row."""

import re
from collections.abc import Collection
from itertools import dropwhile, pairwise, takewhile

from query_engines.company_names.vocabulary import is_common, is_spoken, is_statement_word
from query_engines.question.classifier import SAYS_NOTHING, Guess, names_of, narrowing_words
from query_engines.question.parsed import Intent
from storage.lexicon.money import CODES
from storage.lexicon.names import TAKES_OFFICE, names_a_place
from storage.lexicon.question_words import (
    CHANGE_NOUN,
    LEFT_OUT,
    MOVES,
    YEAR_ON_YEAR,
    asks_for_change,
    is_a_sum,
    is_yet_to_come,
    names_a_part,
    names_another_holder,
    names_losing,
    names_minority,
    names_shares,
)
from storage.lexicon.words import FUNCTION_WORDS, expression
from storage.records.answers import Dimension
from storage.records.facts import Role
from storage.records.metrics import Metric, significant
from storage.text import words

OFFICES: dict[str, Role] = {
    "ceo": "chief_executive",
    "cfo": "chief_financial",
    "coo": "chief_operating",
    "chair": "chair",
    "president": "president",
}
# What an office is over: "in charge of lending", "top doctor", "the medical chief".
_OFFICE_OVER = expression(
    r"\b(?:in charge of|responsible for|head(?:s|ed|ing)?(?: of| up)?|leads?|runs?|oversees?|looks? after|chief of)"
    r" (?:(?:the|its|their|all|of) ){0,2}(?P<over>[a-z][\w&-]{1,30})"
    r"|\btop (?P<top>[a-z][\w-]{1,30})|\b(?P<before>[a-z][\w-]{1,30}) (?:chief|boss|head)\b"
)
_OVER_ALL = frozenset(
    words(
        "company group business firm bank whole entire place show shop ship outfit operation operations organisation"
        " organization corporation enterprise team board everything thing things trust fund boss exec executive"
        " executives manager man woman dog person job honcho brass leader gun officer management day big overall new"
        " current finance financial finances money numbers books purse accounts accounting figures cash treasury"
    )
)
_BECAME = expression(rf"(?i)\b(?:(?:was|got) (?:named|made)|stepped up)\b|{TAKES_OFFICE}")
NEUTRAL = (
    FUNCTION_WORDS
    | frozenset(
        words(  # beside a metric's name these words ask for nothing narrower
            "total amount value figure level reported report group consolidated company full whole overall number"
            " year period fiscal financial annual quarter last latest current end spent make made earn earned"
            " record recorded doe get got come came up money please tell me ifrs gaap one figure number basis"
            " altogether they it"
        )
    )
    | frozenset(map(str.lower, CODES))
)
_LIKELY = 0.6  # probability of an operation
_WORKED_OUT = frozenset({"change", "growth", "share", "series"})
_CHANGES = frozenset({"net_change_in_cash", "gross_margin", "operating_margin"})  # lines that are such themselves
BRACKETS = expression(r"\(([^)]{0,200})\)")
# "how much did revenue grow", "the change in revenue", "revenue growth"
CHANGED = (
    expression(
        rf"\b(?:how (?:much|far|many \w{{1,20}}|fast|strongly)|(?:what|how many) (?:percentage|percent|per cent|%))"
        rf" (?:did|has|have) (?:the |its |their |'s )?(?P<what>[^?.]{{2,80}}?) (?:been )?{MOVES}\b"
    ),
    expression(rf"\b{CHANGE_NOUN}(?: rate)? (?:in|of) (?:the |its |their |'s )?(?P<what>[^?.,]{{2,80}})"),
    expression(rf"^(?:{YEAR_ON_YEAR} )?growth(?: rate)? (?P<what>[^?.,]{{2,80}})"),
    expression(
        r"^(?P<what>[^?.,]{2,60}?),? (?:vs\W{0,3})?(?:change|growth|increase|decrease)(?: in)? ?(?:%|per ?cent\b)"
    ),
    expression(
        r"^(?:what (?:is|was|were) )?(?:the |its |'s )?(?P<what>[^?.]{2,60}?) (?:growth|change|increase|decrease)\b"
    ),
    expression(
        r"\b(?:how (?:much|far)|(?:what|how many) \w{1,20})\b[^?.]{0,60}?\b(?:cut|reduced?|lower(?:ed)?|trim(?:med)?"
        r"|increased?|raised?|gr[oe]w|expand(?:ed)?|boost(?:ed)?|lift(?:ed)?|shrank|shrink|narrow(?:ed)?"
        r"|widen(?:ed)?) (?:its|their) "
        r"(?P<what>[^?.,]{2,60})"
    ),
)
_PAR_VALUE = expression(
    r"(?i)\b(?:par|nominal|face) value\b|\bnennwert\w*"
)  # printed on a share, not earned by it
_COME_OR_GONE = expression(
    r"(?i)\b(?:(?:lay|laid|laying|let|cut|shed|fire[ds]?|sack(?:ed)?|dismiss(?:ed)?|hire[ds]?|hiring|recruit(?:ed)?"
    r"|add(?:ed)?|lose|lost|left|leave|quit|join(?:ed)?|retire[ds]?|resign(?:ed)?)(?: off| go)?)\s*\??$"
    r"|\b(?:laid off|lay off|let go|made redundant|entlassen|eingestellt|licenci\w+|despid\w+)\b"
)
# What is left of a figure, or left out of it: "only the Netherlands", "services only", "without the acquired business".
_RESTRICTED = expression(
    r"(?<!\bthe )(?<!\bi )(?<!\bwe )(?<!\byou )(?<!\bthey )(?<!\bit )(?<!\bnot )"
    r"\b(?:only|solely|exclusively|i mean|namely|specifically|in particular|particularly|more precisely"
    rf"|{LEFT_OUT}"
    r"|ohne|hors|sans|senza),? (?:(?:from|in|for|of|the|its|their|any|all|that|this|these|those) ){0,3}"
    r"(?P<left>[\w-]{2,30}(?: [\w-]{2,30})?)"
    r"|(?P<alone>[\w-]{2,30}) (?:only|alone)(?=\s{0,3}(?:[,;.?!)]|$|please))"
)
# By the start of a metric's id, what is called so and is another figure: one of a year's dividends, clients' assets.
_NAMED_PARTS = {
    "shareholders_equity": expression(
        r"\bequity[- ](?:method|accounted|interests?|investments?|securities|instruments?|stakes?|holdings?|awards?"
        r"|compensation|incentives?|plans?|funds?)\b",
        re.IGNORECASE,
    ),
    "total_assets": expression(
        r"\b(?:assets?|funds?|money) (?:\w+ )?(?:under|in) (?:management|administration|custody|advice|supervision)"
        r"|\b(?:au[mac]|fum|auma)\b|\b(?:managed|client|custody) assets\b|\b(?:actifs|encours) (?:sous|en|gérés?)\b"
        r"|\bverwaltete\w* (?:verm[öo]gen|kundenverm[öo]gen|assets|gelder)|\bactivos bajo|\bpatrimonio gesti"
        r"|\b(?:attivi|masse|attività) (?:in gestione|gestit)|\b(?:non-?performing|risk[- ]weighted|risikogewichtet\w*)"
        r" (?:assets|aktiva)",
        re.IGNORECASE,
    ),
}
_NO_PARTS = frozenset(
    words(
        "figure number amount value total one ones need want have know ask asking if when whether what how which who"
        " year years answer company group consolidated reported report page yes no digits please me you printed because"
        " so that dollars euros pounds thousands millions words word line explanation rounding comment text a an"
        " being doing making having knowing looking opening asking reading problem doubt question fail delay"
    )
)


def counts(metric: Metric, things: str) -> bool:
    """Whether the metric is a count, or no known things are to be counted."""
    return not things or metric.kind == "count"


def other_assets(text: str) -> str:
    """The words for assets of no balance sheet, such as "assets under management"; "" where there are none."""
    found = _NAMED_PARTS["total_assets"].search(text)
    return found[0] if found else ""


def is_restricted(found: Intent, text: str) -> bool:
    """Whether words beside a metric leave a part of it alone, or leave a part out, wherever in the question they stand.

    What a metric's own name says ("non-current only" of long-term debt) restricts nothing.
    """
    metric = found.sole_metric or found.metric
    if metric is None:
        return False
    families = (part for family, part in _NAMED_PARTS.items() if metric.id.startswith(family))
    if any(part.search(text) for part in families):
        return True
    own = frozenset[str]().union(*map(significant, (metric.title, *metric.question_names)))
    for match in _RESTRICTED.finditer(text):
        said = (match["left"] or match["alone"]).split()
        part = significant(said[0]) or significant(" ".join(said[1:]))
        says_more = "-" in said[0] or not part <= own | SAYS_NOTHING
        if part and says_more and said[0] not in _NO_PARTS and not said[0][0].isdigit():
            return True
    return False


def is_expected(found: Intent, text: str) -> bool:
    """Whether a metric is asked for that is yet to come; the dividend of a reported year is still to be paid."""
    metric = found.sole_metric or found.metric
    is_dividend = metric is not None and metric.id.startswith("dividend")
    asks_for_figure = metric is not None or found.derived is not None
    return asks_for_figure and is_yet_to_come(text, is_paid_later=is_dividend)


def is_of_dimension(metric: Metric, dimension: Dimension | None, things: str, text: str) -> bool:
    """Whether the metric is a count, or a figure per share, where the text asks for one, and only there."""
    if metric.kind == "per_share":
        return not things and names_shares(text) and _PAR_VALUE.search(text) is None
    return counts(metric, things) and dimension not in ("per share", "date")


def asks_for_less(guess: Guess) -> bool:
    """Whether a guess is about another holder of an office, one event by its name, or less or more than its figure."""
    if guess.topic in OFFICES:
        return is_of_another_office(guess.asked_in)
    if guess.topic == "acquisition":
        names = (word.strip(".,;:?!()\"'") for word in guess.asked_in.split()[1:] if guess.language == "en")
        return any(word[:1].isupper() and "&" not in word and not is_common(word.lower()) for word in names)
    if not guess.is_figure or guess.topic in _CHANGES:
        return False
    if names_minority(guess.asked_in) and "noncontrolling" not in guess.topic:
        return True
    is_worked_out = guess.operation in _WORKED_OUT and guess.operation_probability >= _LIKELY
    is_of_another = names_a_part(guess.asked_in) or is_a_sum(guess.asked_in) or asks_for_change(guess.asked_in)
    return is_worked_out or is_of_another


def is_of_another_office(text: str) -> bool:
    """Whether it asks for who had an office before or took it up, or for one that is over a part of the company."""
    if names_another_holder(text) or _BECAME.search(text):
        return True
    over = (found["over"] or found["top"] or found["before"] for found in _OFFICE_OVER.finditer(text))
    return any(is_common(word) and word not in _OVER_ALL | FUNCTION_WORDS for word in over)


def means_another(metric: Metric, text: str) -> bool:
    """Whether a text has words of another row, asks what was lost of what comes in, or how many came or went."""
    beside = narrowing_words(metric.id, text)
    if beside and not beside <= names_of(metric):
        return True
    if metric.kind == "count":
        return _COME_OR_GONE.search(text) is not None
    is_gain = (
        metric.statement == "income" and "loss" not in " ".join((*metric.question_names, *metric.names)).lower()
    )
    return is_gain and names_losing(text)


_TOKEN = expression(r"[\w&'’./+-]*[\w+]|[^\w\s]")
_OF = frozenset(words("from in of at for to with within by across a an the and"))
_ENDS_PART = _OF | frozenset(  # what is said of the figure from there on is its definition, or where it stands
    words("before after excluding including included incl inclusive net gross less plus per as on among")
)
_MADE_FROM = frozenset({"from"})
_LIKE_A_NAME = expression(r"[A-Z][\w'’-]*[A-Z&+\d]|[A-Z][a-z]{2,}(?:-[A-Z][a-z]+)?|[A-Z]&[A-Z]|PhD")
_NO_PART = NEUTRAL | frozenset(
    words(
        "its their it fy q1 q2 q3 q4 h1 h2 ltm ttm operations activities sales business main balance sheet sheets"
        " statement statements accounts books section note notes paid all any every each both sum consolidated md&a"
        " side arm unit division segment"
    )
)
_BETWEEN_CLAUSES = expression(r"[,;:|()]")
_WORDS_OF_A_PART, _GAP_IN_A_NAME = 3, 2


def names_a_part_of(label: str, name: frozenset[str], known: frozenset[str], printed: Collection[str]) -> bool:
    """Whether a word that stands at a figure's name says that a part of it is meant: "print revenue", "loans in Texas".

    Such a word stands right before the name, or behind it and a preposition, and is one of the labels that the report
    prints, or is written like a name; behind "from" it may be any word, right behind the name only what is like a name.

    Args:
        label: the words asked for, without those that ask.
        name: the words of the figure's name.
        known: words that name the company, the figure or a time.
        printed: words of the report's labels.
    """
    tokens = _TOKEN.findall(label)
    at = [n for n, token in enumerate(tokens) if significant(token) & name]
    if not at or label.isupper() or label.istitle():
        return False

    def is_part(token: str, *, among: Collection[str] = printed, of_any: bool = False) -> bool:
        said = significant(token)
        if not said or said <= known or token.lower() in _NO_PART or said <= SAYS_NOTHING:
            return False
        return of_any or bool(said & set(among)) or _LIKE_A_NAME.fullmatch(token) is not None

    if tokens[0][1:].islower():
        tokens[0] = tokens[0].lower()  # it begins a sentence
    for token in reversed(tokens[: at[0]]):
        if not token[0].isalnum() or token.lower() in _OF or token.endswith(("'s", "’s")):
            break
        if is_part(token):
            return True
        if token.lower() not in _NO_PART:
            break
    ends = (n for n, after in pairwise(at) if after - n > _GAP_IN_A_NAME or "," in tokens[n:after])
    last = next(ends, at[-1])
    behind = tokens[last + 1 :]
    joint = list(takewhile(lambda token: token.lower() in _OF, behind))
    own = list(
        takewhile(lambda token: token[0].isalnum() and token.lower() not in _ENDS_PART, behind[len(joint) :])
    )
    if not joint:
        return bool(own) and is_part(own[0], among=())
    of_any = joint[0].lower() in _MADE_FROM
    return any(is_part(token, of_any=of_any) for token in own[:_WORDS_OF_A_PART])


def is_of_another_thing(label: str, name: frozenset[str], asked: frozenset[str]) -> bool:
    """Whether a figure's name goes on with "of" or "from" and a noun with which nobody asks for the figure itself.

    "Total assets of the branch in Dallas" and "revenue earned from services" are of something else.

    Args:
        label: the words asked for, without those that ask.
        name: the words of the figure's name.
        asked: words with which people ask for the figure, and those of the company and of times.
    """
    tokens = _TOKEN.findall(label)
    behind = tokens[
        max((n for n, token in enumerate(tokens) if significant(token) & name), default=len(tokens)) + 1 :
    ]
    rest = list(dropwhile(lambda t: t[0].isalnum() and t.lower() not in _OF and significant(t) <= asked, behind))
    joint = [token.lower() for token in takewhile(lambda token: token.lower() in _OF, rest)]
    noun = next(iter(rest[len(joint) :]), "")
    leads = [word for word in joint if word not in _ARTICLES]
    if not noun[:1].isalpha() or noun.lower() in _NO_PART or (leads != ["of"] and leads[-1:] != ["from"]):
        return False
    return bool(significant(noun) - asked - SAYS_NOTHING)


_ARTICLES = frozenset({"a", "an", "the"})


def says_a_name(label: str, name: frozenset[str], known: frozenset[str], names: Collection[str]) -> bool:
    """Whether what is said of a figure has a name that the report prints: of a product, a place, a title.

    Args:
        label: the words asked for, without those that ask, in whatever letters.
        name: the words of the figure's name; without any, the last clause speaks of it.
        known: words that name the company, the figure or a time.
        names: words that the report prints with a capital only, in small letters.
    """
    clauses = [clause for clause in _BETWEEN_CLAUSES.split(label) if clause.strip()]
    own = [clause for clause in clauses if significant(clause) & name] if name else clauses[-1:]
    tokens = (token for clause in own for token in _TOKEN.findall(clause))
    said = (token for token in tokens if token.lower() in names and token.lower() not in _NO_PART)
    return any(_may_be_a_name(token) for token in said if not significant(token) <= known | SAYS_NOTHING)


def _may_be_a_name(token: str) -> bool:
    """Whether it is written like a name, or is no word of the language and of statements."""
    bare = token.lower()
    is_known = is_common(bare) or is_spoken(bare) or is_statement_word(bare)
    return token[0].isupper() or not is_known or names_a_place(token)
