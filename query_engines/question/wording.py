"""What the wording of a question shows: polite phrases, and the kind of answer that it wants."""

import re
from collections import defaultdict
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
    asks_to_tell,
    is_redefined,
    names_a_part,
)
from storage.lexicon.reasons import ASKS_SOMETHING, ONLY_WHY, asks_why
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
_YES_OR_NO = expression(
    rf"(?:^|[,:;–-] ?)(?!{_GERMAN_WHAT})(?:does|did|do|is|are|was|were|has|have|had|any|hat|haben|gibt es"
    r"|wurden?|est-ce|a-t-|y a-t-il|ha|hay|se ha|ci sono|c'è)\b",
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
_KIND_OF_WORK: dict[str, AnswerKind] = {"explanation": "text"}
_LONG_WORD = expression(r"[^\W\d_]{4,}")
_TWO_TYPOS = 8  # letters of a word in which two typos are mended
_VERY_SURE_KIND = 0.9
_SEVERAL = expression(
    r"\b(?:people|names|titles|positions|products|officers|executives|directors)\b", re.IGNORECASE
)
_SEVERAL_ASKED = expression(
    r"\b(?:which|what|all|list|names of)\s+(?:\w+\s+){0,2}"
    r"(?:people|names|titles|positions|products|officers|executives|directors)\b",
    re.IGNORECASE,
)
_WHETHER = expression(r"\b(?:if|whether|any(?:thing)?|ob|gibt es)\b", re.IGNORECASE)
_LIKELY_KIND = 0.4  # the same where no rule knows the kind
_AMOUNT_ASKED = expression(r"\bhow (?:many|much|large|big|high|deep)\b", re.IGNORECASE)
_OF_VALUES: frozenset[AnswerKind] = frozenset({"number", "boolean", "text"})
_KINDS_OF_FIGURES = defaultdict(
    lambda: _OF_VALUES,
    {"change": _OF_VALUES | {"name"}, "growth": _OF_VALUES | {"name"}, "list": _OF_VALUES | {"names"}},
)
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
_NO_THINGS = rf"(?:{_QUANTITY}|share|portion|proportion|fraction|figures?|sum|balance)"
_MADE = (
    r"(?:develop|mak|manufactur|produc|sell|offer|market|design|build|run|operat|suppl|treat|serv|pursu|work|explor"
    r"|compet|own|provid|publish|mine|face|stud|test)(?:e|ie|y)?(?:s|d|ing)?"
)
_THINGS = expression(
    rf"^(?:what|which)(?! (?:\w+ ){{0,3}}?{_NO_THINGS}\b) (?:\w+ ){{1,3}}?"
    r"(?:does|do|did|is|are|has|have|will|can) (?!there\b)"
    rf"(?:(?! for | in | on |,)[^?]){{2,60}}? {_MADE}(?: (?:in|with|for|on|to))?(?=[\s,?]|$)",
    re.IGNORECASE,
)  # what a company makes, runs or meets is named, not counted
_GUIDING = r"(?:polic(?:y|ies)|strateg(?:y|ies)|philosophy|mandate|objectives?|approach|mission|purpose)"
_GUIDED = expression(
    rf"^(?:what|which|describe|explain|tell me about|outline|summari[sz]e)(?:'s| is| are| was| were)? "
    rf"(?:(?:the|its|their) |[^,?]{{2,80}}['’]s? )?(?:[\w-]+ ){{0,3}}{_GUIDING}"
    r"(?: (?:of|for|on|at|towards?|regarding)\b|\W*$)",
    re.IGNORECASE,
)  # what guides a company is words, whatever figure it is about
_COMPARATIVE = (
    r"^which of the companies\b|^which (?:company|one)\b|^compare\b",
    r"\bwhich (?:had|has) the (?:highest|lowest)\b",
)
_OF_WHICH = r"(?:(?:in|on|at|for|from|to|by|with|into|through|under|against|of|about) )"
_WHICH_PARTS = (
    r"^which (?:[\w-]{2,20} ){0,2}(?:regions|countries|segments|divisions|markets|customers|clients|subsidiaries"
    r"|shareholdings|holdings|permits|licen[cs]es|sites|plants|branches|banks|brands)\b"
)
_NAMES = (
    r"\b(?:give|list|return) (?:me )?(?:only |just )?(?:the |their )?(?:full )?(?:names|titles)\b",
    r"\bpositions? changed\b|\bnames of\b|^who (?:are|were)\b",
    r"^(?:list|name) (?:all|the)\b",
    rf"^{_OF_WHICH}(?:which|what) (?!(?:years|ways|respects|quarters|months|periods|days)\b)(?:[\w-]+ )?\w{{2,}}[^s\W]s"
    r" (?:does|do|did|is|are|has|have|was|were|will|can)\b",
    _WHICH_PARTS,
    r"^(?:what|which) (?:new )?(?:products|services|drugs|brands|positions)\b|^which (?:\w+ )?\w+s (?:were|are)\b",
)
_NUMBER = (
    rf"^(?:what|which)\b.{{0,40}}\b(?:{_QUANTITY})\b",
    rf"^(?:{_QUANTITY})\b|\b(?:total|net|gross|basic|diluted|operating) (?:{_QUANTITY})\b",
    r"^for .{1,80}, what was the value of\b",
)
_TREATED = (
    r"(?:capitali[sz]|expens|deferr?|amorti[sz]|depreciat|recogni[sz]|measur|carried|written off|accounted for|hedged"
    r"|on balance sheet|straight through|accrue)\w*"
)
_OF_POLICY = expression(
    r"(?!.{0,80}\bhow (?:much|many)\b)"
    rf"(?:[^?]{{2,200}}\b{_TREATED} (?:[\w&]+ ){{0,5}}?or (?:[\w&]+ ){{0,4}}?{_TREATED}"
    r"|[^?]{0,120}\baccounting polic(?:y|ies)\b)",
    re.IGNORECASE,
)  # "are development costs capitalised or expensed?"
_AHEAD = expression(
    r"^(?:what|which)\b.*\b(?:guided (?:to|for|towards)|(?:targets|outlook) (?:has|have|for)|set itself"
    r"|(?:should|can|may) (?:we|i|one|investors|shareholders) expect)\b"
    r"|^where (?:does|do|did) .{1,60} (?:see|expect|want|forecast|guide)\b",
    re.IGNORECASE,
)  # what a company says of the years to come has conditions, and seldom one figure
_SUM = r"(?:sum|total|amount|figure|number|value|balance)"
_OPEN = expression(
    r"(?:under|in|on|by) (?:what|which) (?:circumstances|conditions|cases|terms|grounds|basis|criteria)\b"
    r"|what(?:'s| is| was) the status of\b|how much (?:competition|control|influence)\b"
    r"|what happened (?:with|to|about)\b|.{3,160}\bor (?:(?:was|is) (?:it|that) )?something else\W*$"
    r"|how (?:does|do|will|can|is|are)\b(?!.{1,90}\b(?:chang|grow|develop|perform|do(?:ing)?\b|compar))"
    r"|how did .{1,80}\b(?:come about|end up|respond|react|fare)\b"
    r"|(?:does|do|did|is|are|was|were|has|have)\b.{1,160}"
    rf"\band (?:why|how(?! (?:much|many))|who|what(?! (?:is|are|was|were) (?:it|they|that|those|this|the {_SUM})\b)"
    r"|which|where)\b ?(?:\w+ )??(?:does|do|did|is|are|was|were|has|have|happen\w*|caus\w+|dr[io]ve\w*)\b",
    re.IGNORECASE,
)  # no yes, no or figure alone says enough
_TELLS_HOW = expression(
    r"how (?:is|are|was|were|does|do|did|has|have|can|will)\b"
    r"|what\b.{1,90}\b(?:relationship|covenants?|terms|conditions|implications|rationale|purpose"
    r"|(?:agreement|arrangement|partnership|alliance|collaboration|deal|contract)s? with)\b"
    r"|(?:what|which) (?:kinds?|types?|sorts?) of\b"
    r"|what (?:did|does|do|has|have|is|are) .{1,80}\b(?:say|said|disclose[ds]?|agreed?|doing|done|plan|intend"
    r"|describe[ds]?|explain)\b"
    r"|what (?:\w+ ){1,2}(?:does|do) .{1,60} (?:have|hold|offer|use)\W*$"
    r"|which (?:\w+ ){1,2}(?:protect|support|cover)s?\b"
    r"|how (?!(?:leveraged|indebted|geared|profitable|levered|capitali[sz]ed)\b)"
    r"\w{2,20}(?:ent|ant|ed|ive|able|al|ic|ous|ful) (?:is|are|was|were|does|has|have)\b"
    r"|what is the (?:planned|proposed|intended|expected|potential) (?!\w+ (?:cost|price|amount|capex|dividend))",
    re.IGNORECASE,
)  # asks for a description, where no known figure is meant
_ASKS_WHAT = expression(rf"{_OF_WHICH}?(?:what|which|how|why|whom?|whose)\b|{_GERMAN_WHAT}", re.IGNORECASE)
_WHAT_ABOUT = expression(r"(?i)(?:\w{1,12} ){0,2}(?:what|how) about\b")
_OF_COMPANY = expression(r"[^,:?]{2,90}(?:['’]s|s['’]) ")
_MAY_BE_YES_OR_NO = expression(
    r"(?i)\?|\b(?:whether|if|any|yes|no|ja|nein|did|do|does|was|were|is|are|has|have|had|announced?|mention\w*)\b"
)
_YES_OR_NO_WORD = expression(
    r"(?i)\b(?:whether|if|any|yes|no|not|never|ever|still|did|do|does|was|were|is|are|has|have|had|can|could|will|would"
    r"|announced?|mention\w*|true|right|correct)\b|n't\b"
)
_FILLERS = expression(
    r"(?i)^\W*(?:(?:and|so|well|ok|okay|but|i mean|um+|uh+|hey|now|then|actually|basically|look)\b[\s,]*)+"
)
_SHARE_ASKED = expression(r"what (?:share|percentage|percent|portion|proportion|fraction)\b", re.IGNORECASE)
_ABLE = expression(
    r"(?:could|would|can|will|has|have|had|does|did|do)\b.*"
    r"\b(?:enough|repa(?:y|id)|pa(?:y|id) (?:back|off|for)|afford|cover)\b",
    re.IGNORECASE,
)  # whether means are enough
_AND_MORE = expression(
    r"(?:list|name (?:all|the)|which (?!(?:\w+ )?years?\b))\b.{1,160}"
    r"\band (?:say|tell|state|explain|what|when|why|where|how (?:much|many|far))\b"
    r"|what (?:[\w-]+ ){1,4}?(?:does|do|did|has|have|are|were)\b.{1,120}\band (?:when|why|where|how)\b"
    r"|when\b.{1,160}\band (?:what|why|where|how|who|which)\b",
    re.IGNORECASE,
)  # names, and something of each or of all: names alone do not say enough
_ON_WHICH_DAY = expression(
    r"(?:(?:until|till|up to|by|from|since|on|in|before|after) )?(?:what|which) (?:exact |latest |calendar )?"
    r"(?:date|day|month)\b(?! of)",
    re.IGNORECASE,
)  # also where "can" follows
# "Did it make a profit - how much?"
_THEN_HOW_MUCH = expression(
    r"(?:did|does|do|is|are|was|were|has|have|had|will)\b[^?]{3,100}(?: [-–—]|[,;:.]) ?(?:and )?(?:if so,? )?"
    r"how (?:much|many)\b",
    re.IGNORECASE,
)
_PLAINLY: tuple[tuple[re.Pattern[str], AnswerKind], ...] = (
    (_AHEAD, "text"),
    (_OPEN, "text"),
    (_GUIDED, "text"),
    (_OF_POLICY, "text"),
    (_THINGS, "text"),
    (_AND_MORE, "text"),
    (_ON_WHICH_DAY, "text"),
    (expression(r"(?:by )?how (?:many|much)\b", re.IGNORECASE), "number"),
    (_THEN_HOW_MUCH, "number"),
    (_SHARE_ASKED, "number"),
    (_ABLE, "boolean"),
    (expression(_WHICH_PARTS, re.IGNORECASE), "names"),
)
_UP = rf"(?:{RISES}|{IMPROVES}|up|upward|higher|better|larger|bigger|greater|raised)"
_DOWN = rf"(?:{FALLS}|{WORSENS}|down|downward|lower|worse|smaller|contract|contracted|reduced|cut)"
_OR = r"(?:,? or|,) (?:\w+ ){0,3}?"
_DIRECTION = expression(rf"\b(?:{_UP}{_OR}{_DOWN}|{_DOWN}{_OR}{_UP})\b(?! in (?:\w+ )?cash\b)", re.IGNORECASE)
_RULES: tuple[tuple[re.Pattern[str], AnswerKind], ...] = (
    (expression("|".join(_COMPARATIVE)), "comparative"),
    (ONLY_WHY, "text"),
    (expression(r"^what (?:did|does|do|will)\b.* do\b"), "text"),
    (_AHEAD, "text"),
    (expression(rf"^(?:{_OPEN.pattern})"), "text"),
    (_GUIDED, "text"),
    (expression(rf"^(?:{_OF_POLICY.pattern})"), "text"),
    (_THINGS, "text"),
    (_THEN_HOW_MUCH, "number"),
    (_DIRECTION, "name"),
    (expression(rf"^(?:{_AND_MORE.pattern})"), "text"),
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
    if fronted is None or _LEADS_ONLY.search(fronted["topic"]) or _asks_what(fronted["topic"]):
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
    """The guessed kind; None where it is not certain enough to take precedence over the rules."""
    is_listed = guess.kind in ("name", "names") and guess.kind_probability >= _VERY_SURE_KIND
    if guess.topic == "other" and guess.is_sure and is_listed:
        return "text" if _AND_MORE.match(wording) else guess.kind
    if guess.is_talk or not guess.is_sure or guess.topic == "other":
        return None
    if plain := _kind_of_wording(wording) or _kind_by_opening(guess):
        return plain
    asks_what = _asks_what(guess.asked_in)
    if guess.kind == "text" and not (guess.is_figure or asks_what) and _YES_OR_NO.search(guess.asked_in.strip()):
        return "boolean"
    asked_in = guess.asked_in if guess.is_figure and guess.language == "en" else ""
    no_whether = guess.kind == "boolean" and _is_no_yes_or_no(wording, asked_in)
    kinds = _KINDS_OF_FIGURES[guess.operation]
    if guess.is_figure and (no_whether or guess.kind not in kinds or _AMOUNT_ASKED.search(wording)):
        return "number"
    is_of_event = guess.kind == "text" and guess.operation == "value" and not guess.is_figure
    if is_of_event and not asks_what and _WHETHER.search(wording):
        return "boolean"
    if guess.kind == "text" and guess.operation == "value":
        return None  # the plain value of a metric is not prose
    if no_whether:
        return None
    return guess.kind if guess.kind_probability >= SURE_KIND else None


def _kind_of_wording(wording: str) -> AnswerKind | None:
    """The kind of a sentence that asks why, or of words that plainly show it, whatever they are about."""
    if ONLY_WHY.search(wording):
        return "text"
    return next((kind for pattern, kind in _PLAINLY if pattern.match(wording)), None)


def _kind_by_opening(guess: Guess) -> AnswerKind | None:
    """The kind of a request to tell something, for a direction, or for yes or no alone."""
    asked = guess.asked_in
    if asks_to_tell(asked) or (asks_why(asked) and "text" in (guess.kind, _KIND_OF_WORK.get(guess.operation))):
        return "text"
    if _DIRECTION.search(asked):
        return "name"
    is_english = guess.language == "en"
    return "boolean" if is_english and _OPENS_YES_OR_NO.match(asked) and not _ASKS_ON.search(asked) else None


def of_several(kind: AnswerKind, wording: str, guess: Guess) -> AnswerKind:
    """The kind, for several names where a name is wanted and the wording says "people" or "titles"."""
    is_sure = guess.kind == "name" and guess.kind_probability >= _VERY_SURE_KIND
    is_sure = is_sure and not _SEVERAL_ASKED.search(wording)
    return "names" if kind == "name" and not is_sure and _SEVERAL.search(wording) else kind


def kind_of_topic(guess: Guess, wording: str) -> AnswerKind | None:
    """The kind by topic, for a question whose wording shows none; a number where that is likely."""
    if guess.topic == "other" and _TELLS_HOW.match(wording):
        return "text"
    if guess.is_talk or guess.operation == "explanation":
        return None
    return (
        "number"
        if guess.is_figure and guess.kind == "text"
        else guess.kind
        if guess.kind_probability >= _LIKELY_KIND and not (guess.kind == "boolean" and _is_no_yes_or_no(wording))
        else None
    )


def _is_no_yes_or_no(wording: str, asked_in: str = "") -> bool:
    """Whether it asks what or who, or only names something of a company: "Acme's acquired leases".

    Args:
        wording: of the question.
        asked_in: the sentence of a figure that it asks in, in English; "" for anything else.
    """
    if asked_in and (_asks_what(asked_in) or not _YES_OR_NO_WORD.search(asked_in)):
        return True
    return _ASKS_WHAT.match(wording) is not None or (
        _OF_COMPANY.match(wording) is not None and not _MAY_BE_YES_OR_NO.search(wording)
    )


def _asks_what(asked_in: str) -> bool:
    """Whether a sentence asks what, who or how; "what about its lawsuits?" may be answered by yes or no."""
    return _ASKS_WHAT.match(_FILLERS.sub("", asked_in)) is not None and not _WHAT_ABOUT.match(asked_in.strip())


def kind_of_one(kind: AnswerKind, text: str) -> AnswerKind:
    """The kind for one company; for "comparative", the kind by the other rules."""
    if kind != "comparative":
        return kind
    wording = _lowered(text)
    rest = (other for pattern, other in _RULES if other != "comparative" and pattern.search(wording))
    return next(rest, "text")


def _lowered(text: str) -> str:
    return " ".join(without_politeness(text.strip()).split()).lower()
