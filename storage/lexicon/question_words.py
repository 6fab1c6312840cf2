"""Words by which questions ask, in the five languages of questions: for a change, a count, a part, the reasons.

All patterns are read in any letters. A constant in capitals is the source of a pattern; `is_` functions read a text.
"""

import re

from storage.lexicon.money import PER_SHARE, PERCENT
from storage.lexicon.words import COUNTED, any_of, expression

# ------------------------------------------------------------------------------------------------ change
RISING = """
grow grows grew grown growing rise rises rose risen rising increase increases increased increasing climb climbs climbed
climbing jump jumps jumped jumping expand expands expanded expanding soar soars soared soaring surge surges surged
surging swell swells swelled swollen swelling balloon ballooned ballooning leap leaps leaped leapt rocketed mushroomed
"""
FALLING = """
fall falls fell fallen falling drop drops dropped dropping decline declines declined declining decrease decreases
decreased decreasing shrink shrinks shrank shrunk shrinking slip slips slipped plunge plunges plunged plunging
plummet plummeted tumble tumbled slump slumps slumped slumping dip dips dipped sink sinks sank sunk sinking dwindled
"""
_MOVE = (
    "change changes changed changing move moves moved moving widen widened narrow narrowed develop evolve evolved"
)
RISES = rf"(?:{any_of(RISING.split())}|(?:go(?:es|ne|ing)?|went) up)"
FALLS = rf"(?:{any_of(FALLING.split())}(?! due)|(?:go(?:es|ne|ing)?|went) down)"
IMPROVES = r"(?:improv\w+|(?:gets?|got|gotten|getting|becomes?|became) (?:any )?(?:better|healthier|stronger))"
WORSENS = r"(?:worse\w*|deteriorat\w+|(?:gets?|got|gotten|getting|becomes?|became) (?:any )?weaker)"
MOVES = rf"(?:{RISES}|{FALLS}|{IMPROVES}|{WORSENS}|{any_of(_MOVE.split())})"
"""Verbs of a change in any direction."""
_CHANGE_NOUNS = "growth change increase decrease decline drop fall rise reduction movement difference"
CHANGE_NOUN = any_of(_CHANGE_NOUNS.split())
# ------------------------------------------------------------------------------------------------ dimensions
_MONEY = ("dollars", "euros", "pounds")
_THINGS = any_of(noun for noun in COUNTED if noun not in _MONEY)
_THINGS_ABROAD = (
    r"aktien|mitarbeiter\w*|filialen|actions|titres|salariés|employés|magasins|acciones|empleados|tiendas|azioni"
    r"|dipendenti|negozi"
)
HOW_MANY = (
    r"(?:how many|number of|wie viele|(?:an)?zahl der|combien d(?:e |['’])|nombre d(?:e |['’])|cu[aá]nt[oa]s"
    r"|n[uú]mero de|quant[ei]|numero (?:di|dei|degli))"
)
_COUNT = expression(
    rf"\b{HOW_MANY} ?(?:\w+ ){{0,2}}(?P<counted>{_THINGS}|{_THINGS_ABROAD})\b"
    r"|\b(?P<size>head ?count|workforce|ftes?|fleet size|\w+ count)\b",
    re.IGNORECASE,
)
_PERCENT = expression(
    rf"{PERCENT}|\b(?:what|which|how (?:large|big) an?) (?:share|portion|proportion|fraction|part|slice) of\b",
    re.IGNORECASE,
)
SHARE = r"(?:shares?|units?|stocks?|stk|sh|aktien?|anteil\w*|actions?|titres?|acci[oó]n\w*|t[ií]tulos?|azion[ei])"
_PER_SHARE = expression(
    rf"{PER_SHARE}|\b(?:a|each|every|one|single) (?:\w+ )?(?:share|unit)\b"
    r"|\b(?:por|par|per|pro|je|ogni|cada|chaque) (?:\w+ )?(?:acci[oó]n|action|azione|aktie|titre|anteil)\b",
    re.IGNORECASE,
)
_DATE = expression(
    r"^(?:on (?:what|which) (?:date|day)|when (?:did|do|does|is|was|were|will|has|have|are|can)"
    r"|wann|quand|cu[aá]ndo|quando|(?:what|which) (?:is|was) (?:the |its )?(?:[\w-]+ ){0,3}(?:date|day))\b"
    r"|\b(?:record|payment|pay|ex|ex[- ]div(?:idend)?|meeting|agm|effective|start|closing|maturity|due) date\b"
    r"(?=\W{0,3}$)",
    re.IGNORECASE,
)

# Words of open questions that the sentence which answers need not have.
ASKED_OPENLY = """
    why how come what which who whom whose where when cause caused causes reason reasons driver drivers drove driven
    drive behind explain explanation describe description outline summarise summarize discuss detail details tell told
    say said mention mentioned state stated disclose disclosed describe described report reported reports reporting
    happen happened happening main key major principal important significant different various kind kinds type types
    sort do does did doing done can could would should may might approach deal deals dealing respond responds view
    views explanation company company's group group's business's annual year last prior previous end able about
    against regarding concerning relate related relating expect expects much many few several any some currently
    present today recent recently situation status overview way ways thing things there their its it
"""

# Words that say little of what an answer must have, though few sentences have them.
ASKED_LOOSELY = """
    dispute problem issue relationship agreement role effect impact commitment plan step measure transaction change
    status position strategy approach manage deal respond development exposure exposed affect affected depend dependent
    undertake contain offer agree face
"""
# Each line: words that stand for one another in questions and reports.
MEANT_ALIKE = (
    "compete competition competitor competitive rival",
    "lawsuit litigation dispute court complaint plaintiff sued legal proceeding",
    "climate carbon emission greenhouse",
    "retirement pension 401(k) superannuation",
    "dividend distribution payout",
    "employee workforce staff headcount personnel",
    "supplier vendor",
    "hedge hedging swap derivative",
    "borrowing loan debt credit facility indebtedness",
    "cyber cybersecurity cyber-attack breach",
    "fund funding finance financing capital",
    "depend dependent dependence rely reliance concentration",
    "protect protection safeguard",
    "inflation inflationary",
    "covenant covenants",
    "reimbursement reimburse payer payor",
    "tax taxes taxation",
    "exit leaving vacate expiry expire",
    "spin-off separation distribution",
    "offer bid merger takeover deal",
    "restructuring restructure reorganization",
    "make manufacture manufactured manufacturer manufacturing produce produced producer",
    "partner partnership partnered collaborate collaborator collaboration alliance co-develop jointly joint",
    "keep retain retained retaining retention",
    "buy bought acquire acquired acquisition purchase purchased",
    "grow grown growing growth expand expanding expansion",
    "different differentiate differentiated differentiator differentiation distinguish unique distinctive",
    "sector industry",
    "laboratory lab",
    "drug medicine therapy treatment therapeutic",
    "money revenue fee",
)

# What a question is about (over lower case), and how a report says it: answers are compared with both in meaning.


# ------------------------------------------------------------------------------------------------ narrower
# What a report only expects, or a year that it is not about.
_EXPECTED = expression(
    r"\b(?:forecast\w*|guidance|guid(?:ed|ing)|budget(?:s|ed|ing)?|target(?:s|ed|ing)?|project(?:ed|ing|ions?))\b"
    r"|(?<!\bi )(?<!\bwe )(?<!\bas )(?<!\bthan )(?<!\bwould )(?<!\byou )"
    r"\bexpect(?:s|ed)?\b(?! (?:credit |loan |lifetime )?loss)"
    r"|\bplan(?:s|ned|ning)? (?:to|for)\b|\b(?:are|is|they|it|company) (?:going to|gonna)\b"
    r"|\b(?:prognos\w+|prévoi\w+|prévisions?|prevé\w*|previsi(?:ón|ones|oni)|prevede\w*)\b",
    re.IGNORECASE,
)
_NEXT_YEAR = expression(
    r"\b(?:next|coming|upcoming|forthcoming) (?:fiscal |financial |business |calendar )?"
    r"(?:year|quarter|half|(?:\d{1,2}|twelve|six) months)\b"
    r"|\b(?:(?:nächste|kommende)[sn]? (?:geschäfts)?jahr|l'(?:an|année) prochaine?|année prochaine|exercice prochain"
    r"|(?:próximo|siguiente) (?:año|ejercicio)|prossimo (?:anno|esercizio))\b",
    re.IGNORECASE,
)
_DUE_NOW = "due within innerhalb payable owe owes owed repay repaid matures maturing fällig"
_DUE = frozenset(_DUE_NOW.split())  # next year, of what is there now
MINORITY = (
    r"(?:(?:non-?controlling|minority)(?: (?:interests?|shareholders?|shares?|part|bit|stakes?|holders?))?"
    r"|minorit(?:y|ies)|NCI|Minderheit\w*|nicht beherrschende\w* Anteile\w*"
    r"|(?:les |des |los |las |le |gli )?(?:(?:int[ée]r[êe]ts|intereses|interessi|participaciones|part|quot[ae]) )?"
    r"(?:des |de |di )?minorit\w+|participations ne donnant pas le contrôle|interessenze di (?:terzi|minoranza))"
)
WITHOUT = (
    r"\b(?:excluding|exclude[sd]?|exclusive of|without|not|aside|except|other than|ohne|hors|sans|sin|senza)\b"
)
LEFT_OUT = (
    r"excluding|excludes?|exclusive of|without|w/o|not (?:including|counting)|leaving out|other than"
    r"|except(?: for)?"
)
LESS = rf"(?:{LEFT_OUT}|excl\.?|ex|less|net of|minus)"
WITH_OR_WITHOUT = (
    r"(?:excluding|exclude[sd]?|excl\.?|ex|without|w/o|after|net of|less|minus|not counting|ignoring"
    r"|(?:leav(?:e|ing)|strip(?:ping)?) out|other than|before|pre|incl(?:uding|\.)?"
    r"|with|hors|sans|après|ohne|nach|abzüglich|sin|excluyendo|excluidos|después de|senza|esclus[ei]"
    r"|al netto d(?:i|egli|elle)|y compris|avec|inkl\.|inklusive|einschließlich|incluyendo|incluidos|inclus[ei]|avant"
    r"|vor|antes de|prima d(?:i|egli|elle))"
)
_COMPLEMENTS = (
    ("interim", "final"),
    ("continuing", "discontinued"),
    ("current", "non-?current"),
    ("capital", "(?:revenue|income)"),
)
BOTH_PARTS = rf"(?:{'|'.join(rf'(?:{a}{{0}}{b}|{b}{{0}}{a})' for a, b in _COMPLEMENTS)})".replace(
    "{0}", r" (?:plus|and|&|\+) (?:the )?"
)
"""The two parts of which a figure consists: "interim plus final" of the dividend."""
# Words that ask for what a report tells, whenever it happened.
_MENTIONED = expression(
    r"\b(?:mention(?:s|ed|ing)?|refer(?:s|red)? to|disclos(?:e|es|ed)|describ(?:e|es|ed)|discuss(?:es|ed)?"
    r"|talk(?:s|ed)? about|speaks? of|bring(?:s)? up|say anything|says? (?:something|anything)|contain(?:s|ed)?"
    r"|anything (?:about|on|in)|in (?:(?:its|the|their|that|this|own|annual|\d{4}|fy ?\d{2,4}) ){1,4}report"
    r"|erwähn\w+|genannt|vorkommen|kommen\b.*\bvor|beschrieben|mentionn\w+|évoqu\w+|parle"
    r"|mencion\w+|habla|menzion\w+|si parla)\b",
    re.IGNORECASE,
)


# ------------------------------------------------------------------------------------------------ label and question
_ASKING = "figure figures report reported reports record recorded show shown give tell please me"
ASKING_WORDS = frozenset(_ASKING.split())
"""Words that ask, and stand in no label."""
_BESIDE_A_FIGURE = """
account accounts according add adds amount asked audited bear bill books book booked brought call called carry carries
closed closing close consolidated dollar dollars euro euros figure filed filing final full generated got group have here
hold holds how i it just latest list lists look make made number official overall own ow owe owed pence post posted
posts pounds present presented published push pull put reached reporting result results see sheet show so
state stated statement statements statutory sterling stood sum then there they total turn up us value we what when you
"""
BESIDE_A_FIGURE = frozenset(_BESIDE_A_FIGURE.split())
"""Words beside the name of a figure that ask for nothing narrower, though some of them stand in labels too."""
_AT_THE_BEGINNING = expression(
    r"\bat the (?:very )?(?:beginning|start|opening)\b|\bon the first day of\b"
    r"|\bbeginning[- ]of[- ](?:the )?(?:year|period)\b"
    r"|\bopening (?:balance|position|cash|equity)\b|\bstarted the (?:\w+ )?year with\b"
    r"|\b(?:zu|am) (?:jahres)?(?:beginn|anfang)\b|\banfangsbestand\b|\bau d[ée]but\b|\b[àa] l'ouverture\b"
    r"|\bal (?:inicio|comienzo)\b|\ba principios\b|\ball'inizio\b",
    re.IGNORECASE,
)


def asks_for_beginning(text: str) -> bool:
    """Whether it asks for a balance at the beginning of a year or period."""
    return _AT_THE_BEGINNING.search(text) is not None


def counted(text: str) -> str | None:
    """The known things, in small letters, whose number a text asks for: "shares" of "how many shares"; else None."""
    found = _COUNT.search(text)
    return (found["counted"] or found["size"]).lower() if found else None


_OF_A_NUMBER = (
    "how many ",
    "number of ",
    "wie viele ",
    "combien de ",
    "cuántos ",
    "cuántas ",
    "quanti ",
    "quante ",
)
_OF_MONEY = "dollars euros pounds francs yen percent % times cents pence points million billion"
_NO_THINGS = frozenset(_OF_MONEY.split())


def asks_how_many(text: str) -> bool:
    """Whether it asks for the number of something that is no money, known or not."""
    behind = [text.lower().partition(asked)[2].split()[:3] for asked in _OF_A_NUMBER]
    return counted(text) is not None or any(words and _NO_THINGS.isdisjoint(words) for words in behind)


def is_share(noun: str) -> bool:
    """Whether a noun stands for the shares of a company."""
    return re.match(rf"{SHARE}\b", noun, re.IGNORECASE) is not None


def asks_per_share(text: str) -> bool:
    """Whether it asks for a figure for each share."""
    return _PER_SHARE.search(text) is not None


def asks_in_percent(text: str) -> bool:
    """Whether it asks for a share of a hundred."""
    return _PERCENT.search(text) is not None


def asks_when(text: str) -> bool:
    """Whether it asks for a date."""
    return _DATE.search(text) is not None


_OPENING = "did does do is are was were has have had can could will would whether"
_OPENERS = frozenset(_OPENING.split())
_BEHIND_WAS = """
blieb bleibt bekomme bekommt kostet verdient verdiente zahlt zahlte gab gibt hatte hat haben ist sind war waren wird
wurde macht machte sagt steht setzte
"""
_OF_GERMAN_WAS = frozenset(_BEHIND_WAS.split())


def opens_yes_or_no(text: str) -> bool:
    """Whether it begins as a question for a yes or no does: "did", "is", "would"."""
    first, second, *_ = (*text.lower().split(maxsplit=2), "", "")
    return first in _OPENERS and not (first == "was" and second in _OF_GERMAN_WAS)


def is_yet_to_come(text: str) -> bool:
    """Whether a figure is asked for that the company expects or plans, not one that it reports."""
    return _EXPECTED.search(text) is not None or (
        _NEXT_YEAR.search(text) is not None and _DUE.isdisjoint(text.lower().split())
    )


def asks_whenever(text: str) -> bool:
    """Whether it asks if a report mentions something, whenever that happened."""
    return _MENTIONED.search(text) is not None


# ------------------------------------------------------------------------------------------------ silence
_NO = r"false|no|nein|falsch|non|faux|falso"
_YES = r"true|yes|ja|wahr|oui|vrai|s[ií]|verdadero|vero"
_REPLY = (
    r"(?:return|answer|say|reply|respond|write|give|put|antworte\w*|gib|r[ée]pond\w*|renvo\w+|devuelv\w*|responde"
    r"|rispondi|restituisci)"
)
_SILENCE = expression(
    r"\b(?:if|where|when|unless|falls|wenn|si|se)\b[^.?!]{0,80}\b(?:no|not|none|nothing|isn't|aren't|unless|nicht|kein\w*"
    rf"|pas|aucune?|ning\w+|nessun\w*|non)\b[^.?!]{{0,60}}\b{_REPLY}\b(?: (?:with|mit|par|con|it as))?"
    rf"\W{{0,3}}\b(?:(?P<no>{_NO})|(?P<yes>{_YES}))\b"
    rf"|\b(?:otherwise|else|sonst|sinon|altrimenti|de lo contrario),? (?:{_REPLY} )?\W?"
    rf"\b(?:(?P<else_no>{_NO})|(?P<else_yes>{_YES}))\b",
    re.IGNORECASE,
)


_EITHER = expression(rf"\b(?:{_YES}|y|j|o|s) ?(?:/| or | oder | ou | o )(?:{_NO}|n)\b(?! one)", re.IGNORECASE)


def wants_yes_or_no(text: str) -> bool:
    """Whether it says that it wants a yes or no: "true or false", "y/n", "sí o no"."""
    return _EITHER.search(text) is not None


_IF_SILENT = expression(
    r"(?:^|(?<=[.?!;,)])|\s[–—-])\s{0,3}(?:but )?(?:if|where|when|falls|wenn|si|se)\b[^.?!]{0,80}"
    r"\b(?:no|not|none|nothing|isn't|aren't|unavailable|missing|nichts?|kein\w*|pas|aucune?|ning\w+|nessun\w*|non)\b"
    rf"[^.?!]{{0,60}}\b{_REPLY}\b(?: (?:with|mit|par|con|it as|just|only|me|simply))?\W{{0,3}}"
    rf"(?:n/?a|not available|none|null|nothing|unknown|zero|{_NO}|{_YES})\b[^.?!]{{0,30}}[.?!]?",
    re.IGNORECASE,
)


def without_silence(text: str) -> str:
    """A question without what it wants where the report is silent: "if data is not available, return 'N/A'."."""
    return " ".join(_IF_SILENT.sub(" ", text.replace("’", "'")).split()) or text


def silence_means(text: str) -> bool | None:
    """What a question wants where the report does not mention it: "if there is no mention, return False"."""
    found = _SILENCE.search(text.replace("’", "'"))
    if found is None:
        return None
    return not (found["no"] or found["else_no"])


# Words for more and most, for less and least, as the sources of patterns.
TIMES = r"(?:times|x|mal|fois|veces|volte)"  # behind a number, of a second figure
HIGH = (
    r"highest|largest|biggest|greatest|most|higher|larger|bigger|greater|more|maximum|top|strongest|stronger"
    + r"|fastest|faster"
)
LOW = r"lowest|smallest|least|fewest|lower|smaller|less|fewer|minimum|weakest|weaker|slowest|slower"
SUP = rf"(?P<sup>{HIGH}|{LOW})"
