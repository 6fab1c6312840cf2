"""What the wording of a question shows: polite phrases, and the kind of answer that it wants."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from rapidfuzz import process
from rapidfuzz.distance import OSA

from query_engines.company_names.vocabulary import is_spelled_right, is_statement_word, spelling_words
from query_engines.question.another_figure import OFFICES
from query_engines.question.classifier import SURE_KIND, Guess
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
)
from storage.lexicon.reasons import ASKS_SOMETHING, ONLY_WHY
from storage.lexicon.words import expression
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
# Greetings, thanks, and what a figure is for.
_SURE_ASIDE = expression(
    r"^[(–-]?\s*(?:the (?:\w+ )?one (?:in|from|at|that|which|who|with|based)"
    r"|asking|tryna|trying|need(?:ed)? (?:it|this)|(?:it'?s|this is) (?:\w+ )?(?:for|to|because)|because"
    r"|hi|hello|hey|dear|good (?:morning|day|afternoon|evening)|thanks|thank you|thx|cheers|ta|sincerely|yours"
    r"|(?:(?:kind|best|warm|many) )+(?:regards|thanks|wishes))\b",
    re.IGNORECASE,
)
# What stands before the verb: "At 31 December 2022, was …", "Leaving that aside, did …".
_LED_IN = rf"(?:(?!{ASKS_SOMETHING}|{_GERMAN_WHAT})(?:[^?,:;.]|\.(?=\S)){{2,100}}(?:[,:]| [-–—]) )?"
_OPENS_YES_OR_NO = expression(
    rf"\W{{0,3}}{_LED_IN}(?!{_GERMAN_WHAT})(?:did|does|do|is|are|was|were|has|have|had|can|could|will|would)\b"
    r"(?! (?:you|there|(?:this|that|it) (?:so|right|correct|true))\b)",
    re.IGNORECASE,
)
_ALSO_ASKED = expression(r"\b(?:and|or|what|how|need|want|give)\b|\?\W{0,9}\w", re.IGNORECASE)
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
# "Did it make a profit - how much?"
_THEN_HOW_MUCH = expression(
    r"(?:did|does|do|is|are|was|were|has|have|had|will)\b[^?]{3,100}(?: [-–—]|[,;:.]) ?(?:and )?(?:if so,? )?"
    r"how (?:much|many)\b",
    re.IGNORECASE,
)
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
    """The question with what it names first in its pronoun's place: "Did sales rise?" for "Sales: did they rise?"."""
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


def _without_clauses(text: str, leaves_out: Callable[[str], bool]) -> str:
    clauses = [clause for clause in _CLAUSE_END.split(text) if clause]
    left = [c for c in clauses if _REQUEST.search(c) is not None or any(periods_in(c)) or not leaves_out(c)]
    return " ".join(left) if len(" ".join(left).split()) > 1 else text


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
    if ONLY_WHY.search(wording):
        return "text"
    if _DIRECTION.search(guess.asked_in):
        return "name"
    if guess.kind in ("boolean", "number") and guess.is_figure and _AMOUNT_ASKED.search(wording):
        return "number"
    is_opened = guess.language == "en" and _OPENS_YES_OR_NO.match(guess.asked_in) is not None
    if guess.kind == "number" and is_opened and _ALSO_ASKED.search(guess.asked_in) is None:
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
