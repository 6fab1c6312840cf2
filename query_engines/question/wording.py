"""What the wording of a question shows: polite phrases, and the kind of answer that it wants."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from rapidfuzz import process
from rapidfuzz.distance import OSA

from query_engines.company_names.vocabulary import is_spelled_right, is_statement_word, spelling_words
from query_engines.question.another_figure import OFFICES
from query_engines.question.classifier import SAYS_NOTHING, SURE_KIND, Guess
from storage.lexicon.names import names_a_place
from storage.lexicon.periods import periods_in
from storage.lexicon.question_words import (
    BOTH_PARTS,
    FALLS,
    IMPROVES,
    LESS,
    MINORITY,
    RISES,
    WITH_OR_WITHOUT,
    WORSENS,
    asks_for_beginning,
    asks_for_change,
    asks_how_many,
    asks_per_share,
    is_redefined,
    names_a_part,
)
from storage.lexicon.reasons import ASKS_SOMETHING, ONLY_WHY
from storage.lexicon.words import expression
from storage.records.metrics import significant
from storage.records.questions import AnswerKind
from storage.text import words

# Clauses that repeat what a metric is by its definition.
_BY_DEFINITION = expression(
    rf"[\s,;(–-]{{0,3}}\b(?:so |i\.e\. |that is |but )?{WITH_OR_WITHOUT}(?!\w)[\s-]+(?:\w+ing (?:off )?)?(?:the |any )?"
    rf"{MINORITY}(?: (?:is|are|being|were)(?: \w+)?(?: off| out| away)?)?\)?"
    rf"|[\s,;(–-]{{0,3}}\b(?:the )?{MINORITY} (?:(?:is|are|being) )?(?:excluded|included|deducted|removed|aside"
    r"|(?:left|taken|stripped|carved) out)\)?"
    rf"|[\s,;(–-]{{1,4}}(?:(?:so|i\.e\.|that is|this is|it means|meaning|both|its?|the) ){{0,3}}\b{BOTH_PARTS}"
    r"(?: (?:together|combined|operations|activities)){0,2}\)?(?=\s{0,9}(?:[?.!,;)]|$))"
    r"|[\s,;(–-]{0,3}\b(?:the )?(?:group|consolidated),? not (?:of )?(?:the )?(?:parent|company)"
    r"(?: company| alone)?\)?"
    rf"|[\s,;(–-]{{0,3}}\b{LESS}[\s-]+(?:the |its |any )?current (?:portion|part|maturit(?:y|ies)|instal?lments?)\)?"
    r"|[\s,;(–-]{0,3}\bbefore (?:the |any )?prefer(?:red|ence)(?: (?:stock|share))? dividends?\)?",
    re.IGNORECASE,
)
# What is not meant, behind what is: ", not the EBITDA number", "statutory not underlying".
_MEASURES = frozenset(
    words(
        "gross net adjusted diluted basic group parent ebitda ebit underlying statutory reported normalised normalized"
        " consolidated"
    )
)
_OFFICES = frozenset(OFFICES) | frozenset(words("chief executive chairman chairwoman chairperson director"))
_FRONTED = expression(
    r"(?P<topic>[^:?!;]{3,90}?)\s?(?::|\s[–—-])\s"
    r"(?P<asked>(?:did|does|do|is|are|was|were|has|have|had|can|could|will|would)\b[^?]{3,200}\??)$",
    re.IGNORECASE,
)
_CLAIM = expression(
    r"(?P<told>(?:i(?:'m| am| was|'ve been| have been) told|(?:someone|somebody|people|they|a \w+|my \w+|an? \w+ \w+)"
    r" (?:says?|said|claims?|claimed|told me|thinks?|swears|swore|reckons?)|i(?:'ve)? (?:hear|heard|read|believe|think)"
    r"|apparently|supposedly|rumou?r has it)(?: that)?[,:]? )?"
    r"(?!(?:what|which|how|who|why|when|where|please|i|maybe|perhaps)\b)"
    r"(?P<claim>(?(told)[^?]{8,300}?|[^?.!;:]{8,200}?))"
    r"[.,;:–-]\s?(?:(?:is|was) (?:that|this|it) (?:really )?(?:true|correct|right|so|accurate)"
    r"|(?:true|correct|right|is that so)|true or false|yes or no)\W{0,3}$",
    re.IGNORECASE,
)  # "I'm told it sold its fleet. Is that correct?"
_LEADS_ONLY = expression(
    r"\b(?:questions?|query|hi|hello|hey|dear|thanks|please|help|note|re|i|i'm|we|my|our|me|us|it|they|if|that)\b"
    r"|[.,]\s|\d\W*$",
    re.IGNORECASE,
)
_PRONOUN = expression(r"\b(?:it|its|they|their)\b", re.IGNORECASE)
_NAMED_SO = rf"(?:{'|'.join(sorted(_MEASURES))})"
_CONTRAST = expression(
    r"(?:\s{0,3}[,;(–-]\s{0,3}(?:(?:and|but|so) )?|\s(?:and|but)\s(?=\w{2,12} (?:\w{2,12} )?(?:the|its|their)\b)"
    rf"|\s(?:and|but)\s(?=not {_NAMED_SO}\b)|\s(?=not (?:the )?{_NAMED_SO}(?: {_NAMED_SO})?\W{{0,3}}(?:$|[,;])))"
    r"(?:not|rather than|as opposed to|instead of|nicht|pas|et non|non|no)"
    r"\s{1,3}(?!(?:including|counting|incl|only|just|even|yet|sure|that|if|because|too|so|to|in|at|on|by|from|for)\b)"
    r"(?P<other>[^,;:?!.()–]{2,60}?)(?=\s{0,3}(?:[,;?!)]|\.(?:\s|$)|\s[–-]\s|$)"
    r"|\s(?:of|for|at|by|von|de)\s(?-i:[A-Z\d])[^()]{0,200}$)\)?",
    re.IGNORECASE,
)
_GERMAN_WHAT = r"was (?:hat|haben|ist|sind|war|waren|wird|wurden?|macht|machte|sagt|steht)\b"
_WANTED = r"(?:i|we)(?: am| are|'m|'re|'d| would)? (?:need|want|require|like|looking)\b"
_CLAUSE_END = expression(
    rf"(?<=[,;:?!…])\s+|(?<=[^\W\d]\.)\s+|(?<!\s)\s+(?:(?=[–-]\s)|(?={_WANTED}))", re.IGNORECASE
)
_REQUEST = expression(rf"\?\W*$|\b{_WANTED}(?! (?:it|this|that|one)\b)", re.IGNORECASE)
_OPENER = expression(
    r"(?:,|;|:|\bknow|\btell me|\bwonder(?:ing)?|\bsee|\bcheck|\bask(?:ing)?|\bso|\band|\bbut)\s+"
    r"(?=(?:what|who|whom|whose|how|which|whether|if|did|does|do|has|have|had|is|are|was|were|could|can|would)\b)",
    re.IGNORECASE,
)
_FEWEST_WORDS = 2
_NARROWS_ON = expression(
    r"\b(?:only|just|mean|specifically|particular\w*|restrict\w*|limit\w*|interested in|except|nur|seulement|solo)\b",
    re.IGNORECASE,
)
_REFERS_BACK = expression(r"\b(?:it|that|this|these|those|they|them|one|ones|same|such)\b", re.IGNORECASE)
# Greetings, thanks, and what a figure is for.
_SURE_ASIDE = expression(
    r"^[(–-]?\s*(?:the (?:\w+ )?one (?:in|from|at|that|which|who|with|based)"
    r"|asking|tryna|trying|need(?:ed)? (?:it|this)|(?:it'?s|this is) (?:\w+ )?(?:for|to|because)|because"
    r"|hi|hello|hey|dear|good (?:morning|day|afternoon|evening)|thanks|thank you|thx|cheers|ta|sincerely|yours"
    r"|(?:(?:kind|best|warm|many) )+(?:regards|thanks|wishes))\b",
    re.IGNORECASE,
)
# Who asks, in words of his own or behind "as a", and a purpose behind "to" or "for a".
_ASIDE = expression(
    r"^[(–-]?\s*(?:(?:as|for) an?|(?:in order )?to|so that|as part of|further to|with reference to (?:y?our|my)"
    r"|for (?:\w+ ){1,2}purposes?)\b"
    r"|\b(?:i(?!\.)|i'm|i've|im|my|mine|we|our|ours|ich|mein\w*|wir|unser\w*|je|j'|mon|ma|mes|nous|notre|nos|yo|mis?"
    r"|nuestr\w*|io|mio|mia|nostr\w*)\b",
    re.IGNORECASE,
)
# What stands before the verb: "At 31 December 2022, was …", "Leaving that aside, did …".
_LED_IN = rf"(?:(?!{ASKS_SOMETHING}|{_GERMAN_WHAT})(?:[^?,:;.]|\.(?=\S)){{2,100}}(?:[,:]| [-–—]) )?"
_OPENS_YES_OR_NO = expression(
    rf"\W{{0,3}}{_LED_IN}(?!{_GERMAN_WHAT})(?:did|does|do|is|are|was|were|has|have|had|can|could|will|would)\b"
    r"(?! (?:you|there|(?:this|that|it) (?:so|right|correct|true))\b)",
    re.IGNORECASE,
)
_ASKS_ON = expression(
    r"\b(?:and|or|so|what|how|who|why|which|when|where|much|many|need|want|give|total|figure)\b|\?\W{0,9}\w",
    re.IGNORECASE,
)
_LONG_WORD = expression(r"[^\W\d_]{4,}")
_TWO_TYPOS = 8  # letters of a word in which two typos are mended
_SOMEBODY = r"(?:you|anyone|anybody|someone|somebody)"
_OPENING = expression(
    rf"""
    ^(?:(?:hi|hello|hey)\b[\s,!.]*)?
    (?: (?:can|could|would|will)\ {_SOMEBODY}\b
      | (?:do|does)\ {_SOMEBODY}\ (?:happen\ to\ )?(?:know|have(?=\ (?:the|a)\b))\b
      | (?:i|we)(?:'d|\ would)?\ (?:like|want|need)\ to\ know\b
      | (?:please|kindly)\b )[\s,:]*
    (?:(?:please|kindly|perhaps|maybe|possibly|also)\b[\s,:]*)?
    (?:(?:(?:tell|give|show|send|find|fetch)\ (?:me|us)|let\ (?:me|us)\ know
      |(?:indicate|state|specify|provide|supply|quote|advise)(?:\ (?:me|us))?(?:\ with)?)\b[\s,:]*)?
    (?=\w)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_MARKS = expression(
    r"^\s*(?:(?:re|fw|fwd|aw|wg|tr|subj|subject|betreff|objet|asunto|oggetto|fyi|urgent|asap):\s*"
    r"|\[[A-Za-z ]{1,20}\]\s*)+",
    re.IGNORECASE,
)  # of an e-mail's subject: "RE: FW:", "[ACTION]"
_OR_NOT = expression(
    r"(?:,? (?:too|as well),?|,) or (?:less|lower|fewer|more|higher|not)\b(?=\W{0,3}$)", re.IGNORECASE
)  # "is that more than in 2022, or less?"
_IF = expression(r"^(?:if|confirm (?:if|that|whether))\b", re.IGNORECASE)
_QUANTITY = (
    r"revenues?|sales|income|profit|loss|earnings|eps|ebitda?|assets|liabilities|equity|debt|cash|capex|expenditures?|"
    r"expenses?|costs?|margin|ratio|dividends?|deposits|loans|amount|number|value|price|percent(?:age)?|rate|total|"
    r"head ?count|employees|capacity|turnover"
)
_COMPARATIVE = (
    r"^which of the companies\b|^which (?:company|one)\b|^compare\b",
    r"\bwhich (?:had|has) the (?:highest|lowest)\b",
)
_OF_WHICH = r"(?:(?:in|on|at|for|from|to|by|with|into|through|under|against|of|about) )"
_NAMES = (
    r"\b(?:give|list|return) (?:me )?(?:only |just )?(?:the |their )?(?:full )?(?:names|titles)\b",
    r"\bpositions? changed\b|\bnames of\b|^who (?:are|were)\b",
    r"^(?:list|name) (?:all|the)\b",
    rf"^{_OF_WHICH}(?:which|what) (?!(?:years|ways|respects|quarters|months|periods|days)\b)(?:[\w-]+ )?\w{{2,}}[^s\W]s"
    r" (?:does|do|did|is|are|has|have|was|were|will|can)\b",
    r"^(?:what|which) (?:new )?(?:products|services|drugs|brands|positions)\b|^which (?:\w+ )?\w+s (?:were|are)\b",
)
_NUMBER = (
    rf"^(?:what|which)\b.{{0,40}}\b(?:{_QUANTITY})\b",
    rf"^(?:{_QUANTITY})\b|\b(?:total|net|gross|basic|diluted|operating) (?:{_QUANTITY})\b",
    r"^for .{1,80}, what was the value of\b",
)
_ASKS_WHAT = expression(rf"{_OF_WHICH}?(?:what|which|how|why|whom?|whose)\b|{_GERMAN_WHAT}", re.IGNORECASE)
_AHEAD = expression(
    r"^(?:what|which)\b.*\b(?:guided (?:to|for|towards)|(?:targets|outlook) (?:has|have|for)|set itself"
    r"|(?:should|can|may) (?:we|i|one|investors|shareholders) expect)\b"
    r"|^where (?:does|do|did) .{1,60} (?:see|expect|want|forecast|guide)\b",
    re.IGNORECASE,
)  # what a company says of the years to come has conditions, and seldom one figure
# "Did it make a profit - how much?"
_THEN_HOW_MUCH = expression(
    r"(?:did|does|do|is|are|was|were|has|have|had|will)\b[^?]{3,100}(?: [-–—]|[,;:.]) ?(?:and )?(?:if so,? )?"
    r"how (?:much|many)\b",
    re.IGNORECASE,
)
# What a question goes on to ask: names, a figure, or yes alone do not say enough.
_AND_MORE = expression(
    r"\band (?:(?:in|at|by|to|for|from|on) (?:what|which)|why|when|where|who|how(?! (?:much|many|far|high|large|big)\b)"
    r"|say|tell|state|explain)\b|^when\b.{1,160}\band what\b",
    re.IGNORECASE,
)
_AND_WHAT = expression(r"\band (?:what|which)\b(?! (?:is|was|are|were) (?:it|that|they|this)\b)", re.IGNORECASE)
_AMOUNT_ASKED = expression(r"\bhow (?:many|much|large|big|high|deep)\b", re.IGNORECASE)
_UP = rf"(?:{RISES}|{IMPROVES}|up|upward|higher|better|larger|bigger|greater|raised)"
_DOWN = rf"(?:{FALLS}|{WORSENS}|down|downward|lower|worse|smaller|contract|contracted|reduced|cut)"
_OR = r"(?:,? or|,) (?:\w+ ){0,3}?"
_DIRECTION = expression(rf"\b(?:{_UP}{_OR}{_DOWN}|{_DOWN}{_OR}{_UP})\b(?! in (?:\w+ )?cash\b)", re.IGNORECASE)
_RULES: tuple[tuple[re.Pattern[str], AnswerKind], ...] = (
    (expression("|".join(_COMPARATIVE)), "comparative"),
    (ONLY_WHY, "text"),
    (_THEN_HOW_MUCH, "number"),
    (_DIRECTION, "name"),
    (
        expression(
            rf"^{_LED_IN}(?!{_GERMAN_WHAT})"
            r"(?:did|does|do|is|are|was|were|has|have|had|can|could|will|would|whether)\b"
        ),
        "boolean",
    ),
    (expression(r"^how (?:many|much|large|big|high)\b"), "number"),
    (expression("|".join(_NAMES)), "names"),
    (expression(r"^who\b|\bthe name of\b|^name\b|\bcomment s'appelle|\bwie hei(?:ß|ss)t\b"), "name"),
    (expression("|".join(_NUMBER)), "number"),
)


def without_politeness(text: str) -> str:
    """The question without polite words: "the total revenue?" for "Can you tell me the total revenue?"."""
    text = _OR_NOT.sub("", (_MARKS.sub("", text) or text).replace("->", ":"))
    bare = _OPENING.sub("", text)
    return text if bare == text else _IF.sub("whether", bare)


def with_topic_in_place(text: str) -> str:
    """The question with what it names first in the place of its pronoun, and a claim as a question whether it is true.

    "Did the sales of X rise?" for "The sales of X: did they rise?".
    """
    if (told := _CLAIM.match(text.strip())) and _OPENS_YES_OR_NO.match(told["claim"]) is None and "?" in text:
        return f"Is it true that {told['claim'].strip()}?"
    fronted = _FRONTED.match(text.strip())
    if fronted is None or _LEADS_ONLY.search(fronted["topic"]) or _ASKS_WHAT.match(fronted["topic"]):
        return text
    topic, asked = fronted["topic"].strip(), fronted["asked"]
    own = f"{topic}'" if topic.endswith("s") else f"{topic}'s"
    placed = _PRONOUN.sub(lambda found: own if found[0].lower() in ("its", "their") else topic, asked, count=1)
    return text if placed == asked else placed


def without_contrast(text: str) -> str:
    """The question without the figures, offices and times that it says are not meant: "the chair, not the CEO"."""
    return _CONTRAST.sub(_unless_it_asks, text)


def without_thanks(text: str) -> str:
    """The question without greetings, thanks, what it is for, and that minorities are left out."""
    bare = " ".join(_BY_DEFINITION.sub(" ", text).split())
    return _without_clauses(bare, lambda clause: _SURE_ASIDE.match(clause) is not None)


def _unless_it_asks(contrast: re.Match[str]) -> str:
    """A clause that names another figure, office or time is left out; any other one stays: "not my best idea"."""
    other = contrast["other"].lower()
    of_these = _MEASURES | _OFFICES
    is_named = any(is_statement_word(word) or word in of_these for word in re.findall(r"[a-z]+", other))
    return " " if is_named or any(p.phrase(other) == other for p in periods_in(other)) else contrast[0]


def request_in(text: str) -> str:
    """The question without asides, which ask for nothing: who asks, and why.

    A clause is an aside if it speaks of the person who asks, or of a purpose, and neither asks itself nor narrows the
    question.
    """
    return _without_clauses(text, _is_aside)


def _without_clauses(text: str, leaves_out: Callable[[str], bool]) -> str:
    clauses = [clause for clause in _CLAUSE_END.split(text) if clause]
    left = [c for c in clauses if _REQUEST.search(c) is not None or any(periods_in(c)) or not leaves_out(c)]
    return " ".join(left) if len(" ".join(left).split()) > 1 else text


def _is_aside(clause: str) -> bool:
    found = _ASIDE.search(clause)
    narrows = names_a_part(clause) or names_a_place(clause) or asks_per_share(clause)
    is_measure = found is not None and found[0].lower().startswith("as ") and asks_for_change(clause)
    return found is not None and not narrows and not is_measure


def is_only_told(sentence: str, text: str, request: str) -> bool:
    """Whether a text's first sentence only leads to its request: "I own some shares. Is its cash enough?".

    It says what is asked for if the request has hardly a word of its own, or refers back to it.
    """
    leads = sentence != text and text.startswith(sentence) and not request.startswith(sentence)
    if not leads or "?" in sentence or "?" not in request or _REQUEST.search(sentence) is not None:
        return False
    says_enough = len(significant(request) - SAYS_NOTHING) > 1
    return says_enough and _REFERS_BACK.search(request) is None


def parts_that_ask(sentence: str) -> list[str]:
    """A sentence, and what follows each word in it that asks, which may have a story before it; the longest first."""
    openers = [found.end() for found in _OPENER.finditer(sentence)]
    return [sentence, *(sentence[start:] for start in openers if len(sentence[start:].split()) > _FEWEST_WORDS)]


def only_leads(rest: str) -> bool:
    """Whether the sentences beside the one that asks leave what it asks for as it is, and only tell of something."""
    narrows = names_a_part(rest) or is_redefined(rest) or _NARROWS_ON.search(rest) is not None
    is_of_time = asks_for_beginning(rest) or asks_for_change(rest)
    return not (narrows or is_of_time or asks_per_share(rest) or asks_how_many(rest))


def well_spelled(text: str, names: Sequence[str]) -> str:
    """The text with each misspelt word as the one word of questions that it must be: "capital expendture".

    Words of the companies' names stay, and so do words with a capital inside a sentence, which may be other names.
    """
    taken = {word for name in names for word in re.findall(r"[^\W\d_]+", name.lower())}

    def corrected(found: re.Match[str]) -> str:
        word = found[0]
        is_name = word[0].isupper() and not (word.isupper() and text.isupper()) and found.start() > 0
        if is_name or word.lower() in taken:
            return word
        return _spelled(word.lower()) or word

    return _LONG_WORD.sub(corrected, text)


@lru_cache(maxsize=4096)
def _spelled(word: str) -> str | None:
    """The word of questions that is nearest, at most a typo away, a label's before another; None for a known word."""
    if is_spelled_right(word):
        return None
    most = 2 if len(word) >= _TWO_TYPOS else 1
    near = process.extract(word, spelling_words(), scorer=OSA.distance, score_cutoff=most, limit=None)
    found = [(distance, not is_statement_word(text), text) for text, distance, _ in near if text[0] == word[0]]
    return min(found)[2] if found else None


def kind_by_rules(text: str) -> AnswerKind | None:
    """The kind that the wording asks for, by the first rule that fits; None when no rule fits."""
    wording = _lowered(text)
    return next((kind for pattern, kind in _RULES if pattern.search(wording)), None)


def infer_kind(text: str) -> AnswerKind:
    """The kind by rules; "text" when no rule fits."""
    return kind_by_rules(text) or "text"


def kind_of_guess(guess: Guess, wording: str) -> AnswerKind | None:
    """The guessed kind; None where it is not certain enough to take precedence over the rules.

    Which way a figure went, why, and whether something is so, show in the order of words, which the guess does not see.
    """
    is_short = guess.kind in ("boolean", "name", "names")
    asks_on = _AND_MORE.search(wording) or (is_short and _AND_WHAT.search(wording))
    if ONLY_WHY.search(wording) or asks_on or _AHEAD.match(wording):
        return "text"
    if _DIRECTION.search(guess.asked_in):
        return "name"
    if guess.kind in ("boolean", "number") and guess.is_figure and _AMOUNT_ASKED.search(wording):
        return "number"
    is_opened = guess.language == "en" and _OPENS_YES_OR_NO.match(guess.asked_in) is not None
    if guess.kind == "number" and is_opened and not _ASKS_ON.search(guess.asked_in):
        return "boolean"
    return guess.kind if guess.kind_probability >= SURE_KIND else None


def kind_of_one(kind: AnswerKind, text: str) -> AnswerKind:
    """The kind for one company; for "comparative", the kind by the other rules."""
    if kind != "comparative":
        return kind
    wording = _lowered(text)
    rest = (other for pattern, other in _RULES if other != "comparative" and pattern.search(wording))
    return next(rest, "text")


def _lowered(text: str) -> str:
    return " ".join(without_politeness(text.strip()).split()).lower()
