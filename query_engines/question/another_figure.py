"""Whether a question means another figure than the metric whose words it has: a part of it, a change, another row."""

import re
from collections.abc import Collection, Sequence
from itertools import dropwhile, pairwise, takewhile

from query_engines.company_names.vocabulary import is_common, is_spoken, is_statement_word, name_key
from query_engines.question.classifier import SAYS_NOTHING, Guess, asked_with, names_of, narrowing_words
from query_engines.question.parsed import Intent
from storage.lexicon.money import CODES
from storage.lexicon.names import FORM_IN_SENTENCES, TAKES_OFFICE, names_a_place
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
from storage.lexicon.words import FUNCTION_WORDS, PREPOSITIONS, expression
from storage.records.answers import Dimension
from storage.records.facts import Role
from storage.records.metrics import Metric, folded, significant
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
            " altogether"
        )
    )
    | frozenset(map(str.lower, CODES))
)
_LIKELY = 0.6  # probability of an operation
_WORKED_OUT = frozenset({"change", "growth", "share", "series"})
_CHANGES = frozenset({"net_change_in_cash", "gross_margin", "operating_margin"})  # lines that are such themselves
# A capitalised word after these narrows the question: "revenue of Alpha", "did Alpha earn", "acquire Baer Brakes".
_DEALT = r"(?:acquir\w+|acquisition of|merged?r? with|(?:buy|buys|bought|buying|takeover of)(?: over)?)"
_OWN_NAME = expression(
    r"\b(?:in|of|from|outside|within|across|inside|with|by|for|at|to|did|does|has) (?:(?:the|its|their|our) )?"
    r"([A-Z][a-z][\w&'-]+)"
    rf"|\b{_DEALT} (?:the )?([A-Z][\w&'-]+)"
    r"|(?<!^)(?<![.:?!] )(?<![\w&'-])([A-Z][\w&'-]{1,40}) (?:acquisition|merger|deal|takeover|purchase|transaction)s?\b"
)
_OWN_NAME_ABROAD = expression(  # "no escritório de Leeds", "op het kantoor in Leeds"
    r"\b(?:de|do|da|em|no|na|en|à|au|aux|dans|du|van|in|te|op|bij|di|del|della|dei|nel|nella)"
    r" (?:(?:la|le|el|il|o|a|os|as|het|los|las) )?([A-Z][a-zà-ÿ][\w&'-]+)"
)
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
_SPENT_ON = expression(
    r"\b(?:(?:spen[dt]s?|spending|splash\w*)(?: out)? (?:\w+ ){0,3}?on|pa(?:y|id|ys) (?:\w+ ){0,3}?for"
    r"|(?:len[dt]s?|lending|loaned|sold|sells?|pa(?:id|ys?)|gave|given?|owe[sd]?) (?:\w+ ){0,3}?to"
    r"|(?:puts?|invest(?:s|ed)?|pour(?:s|ed)?|sinks?|sank) (?:\w+ ){0,3}?into)"
    r" (?P<what>[^?.!,;:]{2,60})"
)
_PAID_TO_OWNERS = expression(
    r"(?:the |its |their |our )?(?:people|folks|us|me|owners|(?:share|stock)?holders|investors|those)\b",
    re.IGNORECASE,
)
_HOW_MANY_TIMES = expression(r"(?i)\bhow many (?:\w+ )?(?:times|hours?|days?|weeks?|months?|years?)\b")
_COME_OR_GONE = expression(
    r"(?i)\b(?:(?:lay|laid|laying|let|cut|shed|fire[ds]?|sack(?:ed)?|dismiss(?:ed)?|hire[ds]?|hiring|recruit(?:ed)?"
    r"|add(?:ed)?|lose|lost|left|leave|quit|join(?:ed)?|retire[ds]?|resign(?:ed)?)(?: off| go)?)\s*\??$"
    r"|\b(?:laid off|lay off|let go|made redundant|entlassen|eingestellt|licenci\w+|despid\w+)\b"
)
_BEHIND_A_DASH = expression(r" [-–—] [^.?!;:,–—]{0,120}\bof the\b[^.?!;:,–—]{0,80}")
_OF_A_RESULT = expression(
    r"(?i)\b(?:profit|income|loss|earn|result|bottom|red\b|gewinn|ergebnis|verlust|überschuss|jahresüberschuss|konzern"
    r"|bénéfice|résultat|perte|beneficio|ganancia|pérdida|utile|risultato|perdita)"
)
_ATTRIBUTABLE = expression(r"\b(?P<what>[a-z]+) attributable\b", re.IGNORECASE)
_DETERMINED = expression(r"(?:\b(?P<before>\w{1,30}) |^)(?:the|its|their) ")
_PHRASE = expression(r"(?P<name>[a-z][a-z' -]{3,50}?)(?: (?:of|at|for|as of))?\s{0,3}(?:[.,;:?!)]|$)")
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
    "dividend": expression(
        r"\b(?:interim|final|special|supplementary|extraordinary|first|second|third|fourth|quarterly|monthly)"
        r" (?:(?:interim|cash|ordinary|quarterly) )?(?:dividend|distribution)s?\b"
        r"|\bdividends? (?:received|receivable|income)\b"
        r"|\b(?:zwischen|schluss|sonder|abschlags|bonus)dividende\b|\bacompte sur dividende|\bsolde du dividende"
        r"|\bdividendo (?:a cuenta|complementario|extraordinario)|\b(?:acconto|saldo) (?:sul |del )?dividendo",
        re.IGNORECASE,
    ),
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
_COMMITTED = expression(
    r"\b(?:is|are|was|were|has|have|had) (?:\w+ ){0,2}?(?:committed|obliged|obligated) (?:to|itself|themselves)\b",
    re.IGNORECASE,
)  # what is still to be spent
_NO_PARTS = frozenset(
    words(
        "figure number amount value total one ones need want have know ask asking if when whether what how which who"
        " year years answer company group consolidated reported report page yes no digits please me you printed because"
        " so that dollars euros pounds thousands millions words word line explanation rounding comment text a an"
        " being doing making having knowing looking opening asking reading problem doubt question fail delay"
    )
)
_OTHER_OWNER = expression(
    r"\b(?P<owner>[A-Z][\w&-]{1,30})(?: [A-Z][\w&-]{0,30}){0,3}['’]s\b"
    r"|\b(?:of|von|bei|der|de|di|chez) (?P<other>[A-Z][\w&-]{1,30})(?: [A-Z][\w&-]{0,30}){0,3}"
    r"(?=\W{0,3}(?:$|in |for |\d))"
)
_SAID_BY = (
    r"(?:laut|nach|gem[äa]ß|seg[úu]n|selon|d['’]apr[èe]s|secondo|stando a|volgens|per|going by|according to|judging by"
    r"|in|im|en|dans|nel(?:la|l['’])?|from)"
)
_SAID_IN = (
    r"(?:report|10-?k|20-?f|filing|accounts|\w{0,15}bericht\w{0,3}|informe|memoria|rapport|relazione|bilancio"
    r"|relat[óo]rio|\w{0,15}verslag)"
)
_ENDS_A_NAME = expression(rf" (?:{FORM_IN_SENTENCES}|GmbH|Bank|Group|Holdings?|Trust)$")
# In the clause that asks: who has or makes something, after a verb or a preposition, or as two words with capitals.
_HOLDER = expression(
    r"\b(?:at|by|for|of|bei|von|chez|presso|da|em|tiene|ten[íi]a|obtuvo|hat|hatte|heeft|had|has|have|did|does|do|is|was"
    r"|ha|aveva|a|avait|tem)\b (?:(?:die|der|das|the|la|le|el|il|o) )?"
    r"(?P<name>[A-Z][\w&'-]{2,30}(?: [A-Z][\w&'-]{1,30}){0,4})"
)
_GOVERNS = PREPOSITIONS | {"per", "than", "excluding", "without", "except", "plus", "minus", "divided"}


def counts(metric: Metric, things: str) -> bool:
    """Whether the metric is a count, or no known things are to be counted."""
    return not things or metric.kind == "count"


def _narrows(metric: Metric, text: str) -> bool:
    """Whether the text has a word of printed labels that is neither in the metric's names nor used to ask for it."""
    beside = narrowing_words(metric.id, text)
    if not beside:
        return False
    return not beside <= names_of(metric) and not _is_a_phrase(metric, text)


def _is_a_phrase(metric: Metric, text: str) -> bool:
    """Whether a name of the metric is a whole noun phrase: "the schedule recites the total assets of (the company)".

    Behind a preposition, as in "the tax on the net income", it belongs to another one.
    """
    asked = text.lower()
    names = {folded(name) for name in (metric.title, *metric.question_names)}
    return any(
        (phrase := _PHRASE.match(asked, found.end())) is not None and phrase["name"].strip() in names
        for found in _DETERMINED.finditer(asked)
        if found["before"] not in _GOVERNS
    )


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
    if any(part.search(text) for part in (_COMMITTED, *families)):
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


def _is_change_of_another(metric: Metric, text: str) -> bool:
    """Whether a line that is a change itself, such as that of cash, is taken for the change of something else."""
    bare = " ".join(BRACKETS.sub(" ", text).split())
    found = next((match["what"] for form in CHANGED[:2] if (match := form.search(bare))), None)
    if metric.id not in _CHANGES or found is None:
        return False
    return significant(found).isdisjoint(frozenset[str]().union(*map(significant, metric.names)) - NEUTRAL)


def _is_another_attributable(metric: Metric, text: str) -> bool:
    """Whether something else is attributable to somebody: "equity attributable to shareholders" is no net income."""
    if metric.id == "net_income_attributable" and _OF_A_RESULT.search(text) is None:
        return True  # "the part that belongs to the shareholders of the parent"
    found = _ATTRIBUTABLE.search(text)
    said = significant(found["what"]) - {""} if found else frozenset[str]()
    return bool(said) and said.isdisjoint(frozenset[str]().union(*map(significant, metric.names)))


def _is_spent_on_another(metric: Metric, text: str) -> bool:
    """Whether the text names what was paid for, or to whom, and nobody asks for the metric by that."""
    found = _SPENT_ON.search(text)
    if found is not None and metric.id.startswith("dividend") and _PAID_TO_OWNERS.match(found["what"]):
        return False
    what = significant(found["what"]) - SAYS_NOTHING if found else frozenset[str]()
    named = frozenset[str]().union(*map(significant, (*metric.question_names, *metric.names)))
    unknown = what - named - asked_with(metric.id)
    return bool(what) and 2 * len(unknown) >= len(what)


def _is_count_of_another(metric: Metric, text: str) -> bool:
    """Whether times are counted, and not the things that the metric counts: "how many days off do employees get"."""
    return metric.kind == "count" and _HOW_MANY_TIMES.search(text) is not None


def _is_of_leavers(metric: Metric, text: str) -> bool:
    """Whether the text asks how many came or went, and the metric counts those who are there."""
    return metric.kind == "count" and _COME_OR_GONE.search(text) is not None


def _is_gain_for_loss(metric: Metric, text: str) -> bool:
    """Whether the text asks what was lost, and the metric only comes in, as revenue does."""
    names = " ".join((*metric.question_names, *metric.names)).lower()
    return metric.statement == "income" and "loss" not in names and names_losing(text)


def is_of_dimension(metric: Metric, dimension: Dimension | None, things: str, text: str) -> bool:
    """Whether the metric is a count, or a figure per share, where the text asks for one, and only there."""
    if metric.kind == "per_share":
        return not things and names_shares(text) and _PAR_VALUE.search(text) is None
    return counts(metric, things) and dimension not in ("per share", "date")


def asks_for_less(guess: Guess, question: str) -> bool:
    """Whether the sentence asks for a part of it, or for what must be worked out: a segment, one deal, a change.

    A segment may also be named behind a dash, as in "Net revenue - Basic of the Northern segment".
    """
    behind = _BEHIND_A_DASH.search(question)
    if behind is not None and names_a_part(behind[0]):
        return True
    if guess.topic in OFFICES and is_of_another_office(guess.asked_in):
        return True
    if names_minority(guess.asked_in) and "noncontrolling" not in guess.topic:
        return True
    if names_a_place(guess.asked_in) or names_a_part(guess.asked_in) or is_a_sum(guess.asked_in):
        return True
    is_likely = guess.operation in _WORKED_OUT and guess.operation_probability >= _LIKELY
    is_worked_out = is_likely or asks_for_change(guess.asked_in)
    if guess.is_figure and is_worked_out and guess.topic not in _CHANGES:
        return True
    if guess.language == "de" or guess.asked_in.isupper() or guess.topic == "leadership_change":
        return False  # German nouns are capitalised too; sentences about a person must have the name
    if guess.language != "en":
        abroad = (found[1] for found in _OWN_NAME_ABROAD.finditer(guess.asked_in))
        return any(not is_common(word) and not is_spoken(word) for name in abroad for word in name_key(name)[:1])
    names = (found[1] or found[2] or found[3] for found in _OWN_NAME.finditer(guess.asked_in))
    return any(not is_common(word) for name in names for word in name_key(name)[:1])


def is_of_another_office(text: str) -> bool:
    """Whether it asks for who had an office before or took it up, or for one that is over a part of the company."""
    if names_another_holder(text) or _BECAME.search(text):
        return True
    over = (found["over"] or found["top"] or found["before"] for found in _OFFICE_OVER.finditer(text))
    return any(is_common(word) and word not in _OVER_ALL | FUNCTION_WORDS for word in over)


def is_of_another_owner(asked: str, question: str, names: Sequence[str]) -> bool:
    """Whether a question has an owner of its own, and the company is only near it.

    The company is named in a sentence before ("Acme's rival is Zarq. What was Zarq's revenue?"), or as the source
    alone: "What did Zarq earn, according to Acme's report?".
    """
    is_before = asked != question and not any(name in asked for name in names)
    if is_before and any(_is_a_name(found["owner"] or found["other"]) for found in _OTHER_OWNER.finditer(asked)):
        return True
    named = "|".join(re.escape(name) for name in names)
    if not named:
        return False
    source = re.compile(
        rf"\b{_SAID_BY}\b[^.?!,;]{{0,40}}?(?:(?:{named})(?:['’]s)?[^.?!,;]{{0,20}}?{_SAID_IN}\b"
        rf"|{_SAID_IN}\b[^.?!,;]{{0,15}}?(?:{named})(?:['’]s)?)",
        re.IGNORECASE,
    )
    outside = source.sub(" ", question)
    if outside == question or any(name.lower() in outside.lower() for name in names):
        return False
    holders = (found["name"] for found in _HOLDER.finditer(outside))
    owners = (found["owner"] or found["other"] for found in _OTHER_OWNER.finditer(outside))
    return any(_is_a_name(name) for name in (*holders, *owners))


def _is_a_name(text: str) -> bool:
    """Whether a word with a capital, or several side by side, are a name: no word of questions and statements."""
    said = [word.lower() for word in text.split()]
    is_known = all(is_common(word) or is_statement_word(word) for word in said)
    is_firm = _ENDS_A_NAME.search(text) is not None
    return (is_firm or not is_known) and not names_a_place(text) and not text.isupper()


def means_another(metric: Metric, text: str) -> bool:
    """Whether a sentence with words of the metric asks for another row, a change of it, or a part."""
    tests = (
        *(_narrows, _is_gain_for_loss, _is_change_of_another, _is_spent_on_another, _is_of_leavers),
        *(_is_another_attributable, _is_count_of_another),
    )
    return any(is_another(metric, text) for is_another in tests)


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
