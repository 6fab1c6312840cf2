"""Finds sentences about events of the company, as opposed to policies, risks or events of other companies."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from indexes.facts.sentences import Sentence
from storage.lexicon.calendar import ENGLISH_MONTH, written_years
from storage.lexicon.words import ITSELF, expression
from storage.records.facts import Confidence, Event, EventKind
from storage.records.reports import Report

_US = r"(?:\b(?:we|our|us|the (?:company|group|bank|board|trust|corporation|directors)|company's|group's)\b)"
_DONE = (
    r"(?:completed|closed|announced|entered into|signed|agreed|acquired|purchased"
    r"|consummated|finali[sz]ed|executed)"
)
_SUPPOSED = expression(
    r"\b(?:may|(?i:might|could|would|if (?:we|the|any|our)|no assurance|from time to time|whether|potential(?:ly)?"
    r"|there can be|risks?|uncertain\w*|subject to the (?:rules|requirements)|policy"
    r" is|is recogni[sz]ed|are recogni[sz]ed"
    r"|are accounted for|is accounted for|in accordance with|section \d|investee|portfolio compan|defined as))\b"
)
_TITLE = (
    r"(?P<about>(?:(?:Interim|Acting|Group|Executive|Senior|Global|Non-Executive"
    r"|Independent|Deputy|Vice|Lead)[ -])*"
    r"(?:Chief [A-Z]\w+(?: (?:and )?[A-Z]\w+)? Officer|Chief Executive|Chair(?:man"
    r"|woman|person)?(?: of the Board)?|CEO|CFO"
    r"|President|General Counsel|Company Secretary|Managing Director|Finance Director|[Dd]irectors?|Treasurer"
    r"|[Mm]ember of the (?:Supervisory|Management|Executive) Board))"
)

_AGREED = (
    r"(?:announced|authori[sz]ed|approved|commenced|initiated|launched|renewed|increased|extended|adopted"
    r"|established|completed|resolved|requested|began|begun|implemented)"
)
_BUYBACK = (
    r"(?:(?:share|stock)s? (?:repurchases?|buy-?backs?)|(?:repurchase|buy-?back) (?:program|plan|scheme|of (?!up)"
    r"(?:our|its|own|the company's|shares|common|ordinary))|on-market (?:share )?buy-?back|repurchase (?:of )?up to"
    r"|(?:buy back|repurchase) (?:our |its |own |up to ){0,4}(?:\d[\d,.]* )?(?:million )?"
    r"(?:own |common |ordinary ){0,3}shares)"
)
_NO_BUYBACK = (
    r"(?i)withh|tax obligation|\bcompanies (?:have|are|were)|\b(?:many|other|several|some) companies\b"
    r"|annual general meeting|authority|employee|vesting|preferred|outside of a publicly|have not|has not|did not"
    r"|not authorized|no shares|fund's|holding|expired|terminated"
)

_IN_A_MONTH = expression(rf"\b(?:in|during|since) (?:early |late |mid-)?{ENGLISH_MONTH}\b", re.IGNORECASE)
_LAUNCHED = r"launched|introduced|released|unveiled|brought out|commercially launched|(?:commercial )?launch of"
_SOME = r"(?:two|three|four|five|six|seven|eight|several|some|many|a number of|multiple|both|\d{1,2})"
_NEW = r"(?:(?:further|additional|more|new|major|innovative|next-generation) )"
_GOODS = r"(?:products?|services?|models?|solutions?|devices?|instruments?|platforms?|versions?|features?|brands?)"
_OWN = r"(?:the |our |its |a |an )?(?:new(?:est)? |next[- ]generation |latest )?"
_PRODUCT = r"[A-Z][\w®™+-]*(?: (?:[A-Z0-9][\w®™+-]*|of|for)){0,4}[®™]?"
# What is launched besides: "…, and the ReLoop Tray"; a name in capitals or with a figure, or one that has an article.
_LAUNCHED_TOO = expression(
    rf"(?:, (?:and )?|\band )(?:the |our |its )(?P<about>{_PRODUCT})(?![\w'’]| (?:\w+ed|was|were|is|are|has|had)\b)"
)
_OF_A_FIRM = expression(
    rf" (?:at (?!the\b)|of (?!our\b|Directors\b|the (?:[A-Z]\w+ ){{0,2}}(?:{ITSELF}|Committee|Fund|Partnership)\b)"
    r"(?:the )?(?:[a-z-]+ ){0,3})(?!Annual\b|General\b|AGM\b|Shareholders\b)[A-Z][\w&.-]+(?: [A-Z][\w&.-]+){0,5}"
)
_OTHER_VERB = expression(
    r"(?i)[.;]|\b(?:which|who|that|while|when|we|our \w+s?|has|have|had|was|were|is|are) (?:\w+ed|\w+en|will)\b"
)


@dataclass(frozen=True)
class _Rule:
    kind: EventKind
    pattern: re.Pattern[str]
    never: re.Pattern[str] | None = None
    dated: bool = False  # counts as an event only with a year near the reported one


def _rule(kind: EventKind, pattern: str, never: str = "", *, dated: bool = False) -> _Rule:
    return _Rule(kind, re.compile(pattern), re.compile(never) if never else None, dated)


_RULES = (
    _rule(
        "acquisition",
        rf"(?i){_US}[^.]{{0,80}}\b{_DONE}\b[^.]{{0,60}}\b(?:(?:acquisition|purchase)"
        r" of (?!propert|equipment|land|shares of our|treasury|its own|inventory|intangible)"
        r"|acquire (?:all|100|the|a|\d)|merger|business combination|outstanding (?:shares|equity|stock) of)"
        rf"|(?i:{_US}[^.]{{0,20}}\bacquired\b) (?:the (?:assets|business|company|remaining)"
        r"|100%|all (?:of )?the|(?-i:[A-Z]\w+))",
        r"(?i)\brevenue|fair value|estimat|valuation|numerous risks|licen[cs]e agreement"
        r"|securities purchase agreement|purchase agreement with .{0,200}?(?:shares of (?:our"
        r" )?common|investors)|lease|property, plant|rental propert",
    ),
    _rule(  # a deal of any time that the report looks back on
        "acquisition",
        r"(?i:\b(?:our|its|the (?:company|group)'s) (?:reverse )?merger with )[A-Z]\w+"
        r"|(?i:\b(?:on|through|following|of|from) the acquisition of )(?:the |its )?(?:[A-Z][\w&-]+ ){1,4}"
        r"(?:[a-z]+ ){0,2}(?i:business|group|limited|ltd|inc|plc|holdings|company)\b",
        r"(?i)propert|\b(?:he|she|his|her|mr|ms|mrs)\b|investee|fair value|estimat|valuation",
        dated=True,
    ),
    _rule(
        "buyback",
        rf"(?i)\b{_AGREED}\b[^.]{{0,110}}\b{_BUYBACK}|\b{_BUYBACK}[^.]{{0,90}}\b(?:was|were|has been|is) {_AGREED}\b",
        _NO_BUYBACK,
    ),
    _rule(
        "buyback",
        r"(?i)\b(?:we|company|group|trust)\b[^.]{0,40}\b(?:repurchased|bought back|purchased)\b[^.]{0,40}\b"
        r"(?:\d[\d,.]* (?:million )?)?(?:common |ordinary |own |of our )*shares\b",
        _NO_BUYBACK,
        dated=True,
    ),
    _rule(
        "dividend_policy",
        r"(?i)\b(?:new|revised|changed?|amended|updated|adopted|increased|suspended"
        r"|reinstated|initiated|introduc\w+|resum\w+|discontinu\w+)\b[^.]{0,50}\b(?:dividend"
        r" policy|(?:quarterly|annual|cash|interim|final) dividends?\b(?! income))"
        r"|\bdividend policy\b[^.]{0,60}\b(?:was|has been) (?:changed|revised|amended|adopted|updated)",
        r"(?i)change in (?:our|its|the) dividend policy (?:may|could)|new debt|any future",
    ),
    _rule(
        "layoffs",
        r"(?i)\b(?:reduction in (?:force|workforce|headcount)|workforce reduction|reduced"
        r" (?:our|its|the) (?:workforce|headcount)|laid off|redundanc(?:y|ies)|eliminat\w+[^.]{0,30}"
        r"positions|terminat\w+ (?:approximately )?\d+[^.]{0,20}employees)",
        r"(?i)redundancy (?:pay|policy)|insurance",
        dated=True,
    ),
    _rule(
        "litigation",
        r"(?i)\b(?:filed|served|commenced|named as a? ?defendants?|received)\b[^.]{0,80}\b(?:complai"
        r"nt|lawsuit|class action|subpoena|petition|civil investigative demand|legal"
        r" proceeding)s?\b[^.]{0,160}",
        r"(?i)not (?:currently )?a party|no (?:material )?(?:pending|legal)|employees? complaints|whistle",
        dated=True,
    ),
    _rule(
        "litigation",
        rf"(?i:{_US}(?: and (?:our|its) [a-z ]{{2,30}})? (?:is|are) (?:currently |presently |also )?"
        r"(?:a |an )?(?:party|parties|defendants?|subject|named|involved)(?: (?:to|in|as))?\b[^.]{0,80}"
        r"\b(?:claims|lawsuits?|litigation|legal (?:proceedings|actions)|suits?|class actions?|arbitration)\b)"
        r"|(?i:\b(?:sued|brought an? (?:action|claim|suit) against"
        r"|filed an? [a-z ]{0,20}(?:suit|claim|complaint) against) (?:us|the (?:company|group|bank|trust))\b)",
        r"(?i)\bnot\b|\bno\b|neither|nor\b|without|indemnif|risk of|tax claims|in the event|covenant",
    ),
    _rule(
        "guidance",
        r"(?i)\b(?:guidance|outlook) (?:for|of)\b[^.]{0,40}\b(?:20\d\d|FY\d\d|year)"
        r"|(?:expects?|anticipates?|guidance)\b[^.]{0,40}\b(?:revenue|earnings|ebitda"
        r"|capital expenditures?)\b[^.]{0,50}\b(?:between|in the range of|range from"
        r"|to be approximately)\b[^.]{0,40}\d",
        r"(?i)accounting|FASB|IASB",
    ),
    _rule(
        "restructuring",
        r"(?i)\b(?:restructuring|reorgani[sz]ation|strategic realignment|cost[- ](?:reduction"
        r"|saving)) (?:plan|program(?:me)?|initiatives?|charges?|costs?|activities)\b[^.]{0,80}\b(?:"
        r"announced|approved|implemented|commenced|incurred|recorded|completed|initiated"
        r"|began)"
        r"|\b(?:announced|approved|implemented|commenced|initiated|completed|recorded"
        r"|incurred)\b[^.]{0,50}\b(?:restructuring|reorgani[sz]ation)\b",
        r"(?i)troubled debt|loan",
        dated=True,
    ),
    _rule(
        "esg",
        r"(?i)\b(?:launched|introduced|established|committed to|published|set|adopted"
        r"|formed|joined|achieved|signed)\b[^.]{0,80}\b(?:ESG|sustainab\w+|net[- ]zero"
        r"|carbon[- ](?:neutral|reduction)|emissions? (?:target|reduction)s?|diversity,?"
        r" (?:equity|and)|TCFD|climate)\b",
    ),
    _rule(
        "supply_chain",
        r"(?i)\b(?:experienced|faced|impacted by|affected by|encountered|continued"
        r"|resulted? (?:in|from)|due to|caused|disrupted)\b[^.]{0,60}\bsupply[- ]chain\b[^.]{0,30}(?"
        r":disruption|constraint|challenge|shortage|issue|delay|pressure)?s?"
        r"|\bsupply[- ]chain (?:disruption|constraint|challenge|shortage|issue|delay)s?\b[^.]{0,60}\b"
        r"(?:impacted|affected|led|resulted|caused|have|has|continued|during)",
    ),
    _rule(
        "leadership_change",
        r"(?i:\b(?:was |were |been |is )?(?:appointed|named|promoted to|elected|joined"
        r" (?:us |the \w+ )?as|resigned|stepp(?:ed|ing) down|retir(?:ed|ing|es)|departed"
        r"|ceased|succeed(?:ed|s)|transition\w*|appointment of|resignation of|retirement"
        rf" of|departure of))[^.]{{0,70}}?\b{_TITLE}",
        r"(?i)following table|beneficial|audit firm|auditor|re-?elect|annual general meeting|prior to joining"
        r"|previously|he served|she served|term of office|eligible for|shall be|will"
        r" be elected|provide for",
        dated=True,
    ),
    _rule(
        "product_launch",
        rf"(?:{_US.replace('(?:', '(?i:', 1)}|\b[A-Z]\w+\b)[^.]{{0,40}}\b(?:{_LAUNCHED})\b "
        rf"(?:(?P<counted>{_SOME} )?(?:{_NEW} ?){{0,4}}(?:{_GOODS})\b[^.;]{{0,60}}?(?::|[,–-] ?(?:namely|including)?"
        rf"|including|such as|called|named) ?)?{_OWN}(?P<about>{_PRODUCT})",
        r"(?i)investigation|initiative|program(?:me)?\b|campaign|was introduced|act\b|offering of|fund|training"
        r"|web ?(?:site|page)",
    ),
)


def events_of(sentences: Sequence[Sentence], report: Report) -> Iterator[Event]:
    """The report's events in page order. Confidence is low where the sentence names no time near the period."""
    year = report.period_end.year if report.period_end else None
    for sentence in sentences:
        text = sentence.text
        if not 40 <= len(text) <= 900:
            continue
        for rule in _RULES:
            match = rule.pattern.search(text)
            if match is None or (rule.never is not None and rule.never.search(text)):
                continue
            if _SUPPOSED.search(text[: match.end()]) or _is_elsewhere(rule.kind, text[match.end() :], report):
                continue
            for about in _told_of(rule.kind, match):
                yield Event(
                    kind=rule.kind,
                    quote=text[:500],
                    about=about,
                    report_sha1=report.sha1,
                    page_number=sentence.page_number,
                    boxes=(sentence.box,) if sentence.box else (),
                    confidence=_confidence(rule, text, year),
                )


def _is_elsewhere(kind: EventKind, behind: str, report: Report) -> bool:
    """Whether an office that changed is another company's, by what follows it."""
    if kind != "leadership_change":
        return False
    firm = _OF_A_FIRM.match(behind)
    return firm is not None and report.company.split()[0].lower() not in firm[0].lower()


def _told_of(kind: EventKind, match: re.Match[str]) -> list[str]:
    """What a sentence tells the event of: one thing, or each product that it says was launched."""
    about = [(match.groupdict().get("about") or "").strip()]
    if kind != "product_launch":
        return about
    behind = match.string[match.end() :]
    end = _OTHER_VERB.search(behind)
    return about + [
        more["about"].strip() for more in _LAUNCHED_TOO.finditer(behind[: end.start() if end else None])
    ]


def _confidence(rule: _Rule, text: str, year: int | None) -> Confidence:
    """High with the reported or the next year in the sentence; low with an older year, or without a required year."""
    years = written_years(text)
    if rule.kind == "product_launch" and not years and _IN_A_MONTH.search(text):
        return "high"  # a month alone is one of the reported year
    if year is None or not years:
        return "low" if rule.dated else "medium"
    return "high" if {year, year + 1} & years else "medium" if {year - 1} & years and not rule.dated else "low"
