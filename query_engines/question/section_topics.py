"""Which section of a report a question asks for, and what in it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from storage.lexicon.names import LEAVES_OFFICE, TAKES_OFFICE
from storage.lexicon.question_words import asks_how_many, asks_when, opens_yes_or_no
from storage.lexicon.reasons import asks_why
from storage.lexicon.words import expression
from storage.records.questions import AnswerKind
from storage.records.reports import Company
from storage.records.sections import Section, SectionKindRule, SectionKinds, following
from storage.text import plain, stems

_AMOUNT = expression(
    r"\b(?:how (?:much|many|long|often|old|large|big|high)|amounts?|total|number of|percent\w*|per cent|price"
    r"|costs?|values?|revenues?|sales|profit|income|expenses?|fees? paid|pay|paid|spen[dt]|worth|margin|goodwill"
    r"|impairment|ratio|average"
    r"|when|since|until|combien|wie viel|cu[áa]nto|quanto)\b"
)
_CHANGED = expression(
    rf"{TAKES_OFFICE}|{LEAVES_OFFICE}|\b(?:chang(?:e|ed|es)|new|newly|happened to|success\w+|incoming|will be"
    r"|not (?:to )?(?:be )?(?:run|stand|seek)(?:ning|ing)?|re-?election|neu(?:e[nrs]?)?|nouve\w+|nuov[aeio]|nuev[ao]s?)"
    r"\b"
)
# Words that ask, and words that every section has; the rest of a question says what in the section is meant.
_NEUTRAL = stems(
    """
    main principal key major important biggest largest significant material top name named names list lists listed
    describe described description report reported reports say said tell told mention mentioned disclose disclosed
    give given show shown face faced facing face company company's group business year annual financial end
    overview summary summarise summarize explain outline please me us know what which who whom where current currently
    make made complete completed have has own owned owns hold held take taken undertake sit sits serve served member
    members involved party person people relate relating related concerning regarding fiscal reporting period
    according identified identify risk factor uncertainty one ones any all different various several both it its
    lease leased leases rent rented located use used develop developed develops sell sells sold offer offers compete
    competes produce produces happen happened occur occurred after since expect expects expected name names
    bank banks firm firms companies recently lately over invest investing investment grow coming next
    plan plans state stated operate operates set
    trouble troubles problem problems issue issues drug drugs medicine medicines treatment treatments therapy vaccine
    working might may does do did can could would about following further provide provided
    """
)
_ASKS_ON = (" and who ", " and what ", " and which ", " and where ", " and how ")
_OF_OTHER_THINGS = {"remuneration", "auditor_report"}  # their outlook or strategy is one of pay, or of an audit
_DEALS = {"acquisitions", "disposals"}  # the policy for them says nothing of what was done
_TOLD_FIRST = {"business", "strategy", "outlook", "subsequent_events", "letter", "auditor_fees", "meeting"}
_FRONT = range(1, 21)  # pages that may say what a company is
_MOST_PAGES = 60  # of a section that are read without a model
_PAGES_FOR_A_MODEL = 4


@dataclass(frozen=True)
class SectionMatch:
    """The sections of a report that a question asks for.

    Attributes:
        rule: the kind of section.
        sections: those of the kind, the main one first.
        wanted: the stems of what is meant in it; empty where the whole section is.
        all_sections: of the report.
        is_of_all: whether the beginning of the section answers, and not one of the things that it may hold.
    """

    rule: SectionKindRule
    sections: tuple[Section, ...]
    wanted: frozenset[str] = frozenset()
    all_sections: tuple[Section, ...] = ()
    is_of_all: bool = True

    def after(self, section: Section) -> Section | None:
        """The section of the report that begins where this one ends."""
        return following(section, self.all_sections)

    @property
    def pages(self) -> tuple[int, ...]:
        """Their pages in the order of the sections."""
        last = max((s.last_page for s in self.all_sections), default=1)
        front = [p for p in _FRONT if p <= last] if self.rule.id == "business" else []
        return tuple(dict.fromkeys([*(p for s in self.sections for p in s.pages), *front]))[:_MOST_PAGES]

    @property
    def first_pages(self) -> tuple[int, ...]:
        """The first pages of the main section; none of a long one in which something narrower is asked for."""
        if not self.sections:
            return self.pages[:1]
        own = tuple(self.sections[0].pages)
        is_elsewhere_in_it = self.wanted and len(own) > _PAGES_FOR_A_MODEL
        return () if is_elsewhere_in_it else own[:_PAGES_FOR_A_MODEL]


def section_asked(
    text: str, kind: AnswerKind | None, kinds: SectionKinds, topic: str = ""
) -> SectionKindRule | None:
    """The kind of section that a question asks for; None for one that wants a figure, a day, a reason, yes or no.

    Args:
        text: the question.
        kind: of the answer, where the question's author gave it.
        kinds: the known kinds.
        topic: of the classifier, where it is sure; it counts where no words of the question mean a section.
    """
    lower = plain(text).lower()
    is_yes_or_no = opens_yes_or_no(lower)
    if kind not in (None, "text", "name", "names") or is_yes_or_no:
        return None
    if _AMOUNT.search(lower) or asks_how_many(lower) or asks_when(lower):
        return None
    if asks_why(lower):
        return None
    rule = next(kinds.asked_in(text), None) or kinds.of_topic(topic)
    return None if rule is not None and rule.lists == "people" and _CHANGED.search(lower) else rule


def kind_of_section(rule: SectionKindRule, text: str) -> AnswerKind:
    """The kind of an answer from a section; a question that goes on to something else is answered in sentences."""
    if rule.lists == "firm" and " and " not in text:
        return "name"
    return "names" if rule.lists == "people" else "text"


def without_company(text: str, company: Company) -> str:
    """A question with "it" for the company, since names have words of topics: "Property Trust", "Risk Partners"."""
    names = sorted({company.name, *company.aliases, " ".join(company.name.split()[:2])}, key=len, reverse=True)
    for name in filter(None, names):
        text = re.sub(rf"(?i)(?<!\w){re.escape(name.rstrip('.'))}\.?(?!\w)", "it", text)
    first = company.name.split()[0]
    return re.sub(rf"(?<!\w){re.escape(first)}(?!\w)", "it", text) if len(first) > 3 else text


def sections_for(rule: SectionKindRule, text: str, asked: str, sections: Sequence[Section]) -> SectionMatch | None:
    """The report's sections that a question asks for, perhaps none; None where no map of the report is known.

    Args:
        rule: the kind.
        text: the question in its own words.
        asked: the question without company and period.
        sections: of the report.
    """
    if not sections:
        return None
    policies = {p for s in sections if s.kind == "policies" and s.source != "heading" for p in s.pages}
    elsewhere = {p for s in sections if s.kind in _OF_OTHER_THINGS and s.kind != rule.id for p in s.pages}
    own = [
        s
        for s in sections
        if s.kind in (rule.id, *rule.also) and not (rule.id in _DEALS and s.level > 2 and s.first_page in policies)
    ]

    named_too = stems(asked) - stems(rule.title) - _NEUTRAL

    def trust(section: Section) -> tuple[bool, bool, bool, bool, bool, int, int]:
        is_policy = section.level > 2 and section.first_page in policies
        return (
            section.kind != rule.id,
            is_policy,
            section.first_page in elsewhere and not section.is_main,
            not (named_too & stems(section.title)),
            not section.is_main,
            section.level,
            section.first_page - section.last_page,
        )

    wanted = frozenset[str]() if rule.lists == "firm" else _wanted(rule, text, asked)
    if wanted and rule.lists == "headings" and rule.id != "risks":
        return None  # one of several acquisitions, cases or products: what is said of it may stand anywhere
    if not own:  # a section about this and something else
        named, meant = stems(rule.title), stems(asked) | _NEUTRAL
        own = [
            s
            for s in sections
            if any(named <= part <= named | meant for part in _parts(s.title)) and not rule.excludes(s.title)
        ]
        is_joined = bool(own) and len(_parts(own[0].title)) > 1
        wanted = wanted | (named - _NEUTRAL if is_joined else frozenset())
    ordered = tuple(sorted(own, key=trust))
    is_named = bool(ordered) and bool(stems(asked) & stems(ordered[0].title))
    is_of_all = rule.id in _TOLD_FIRST or is_named
    return SectionMatch(rule, ordered, wanted, tuple(sections), is_of_all)


def _parts(title: str) -> list[frozenset[str]]:
    """The things that a title joins, without what they are for: "Strategies for growth", but "Credit risk strategy"."""
    joined = re.split(r"[,;&/]|\b(?:and|or)\b", title)
    return [stems(re.split(r"\b(?:for|of|to|in|on)\b", part)[0]) for part in joined]


def _wanted(rule: SectionKindRule, text: str, asked: str) -> frozenset[str]:
    lower = plain(text).lower()
    first = min((lower.partition(sign)[0] for sign in _ASKS_ON), key=len)
    if rule.asks(first):  # a second question is answered beside it
        lower, asked = first, min((asked.partition(sign)[0] for sign in _ASKS_ON), key=len)
    match = rule.asks(lower)
    topic = stems(match[0]) if match else frozenset[str]()
    return stems(asked) - _NEUTRAL - stems(rule.title) - (topic & _topic_words(rule.asked))


def _topic_words(patterns: Iterable[str]) -> frozenset[str]:
    letters = " ".join(re.sub(r"\\[a-zA-Z]|\(\?[:!<=]+", " ", pattern) for pattern in patterns)
    return stems(" ".join(f"{w} {w}s {w}y {w}ies" for w in re.findall(r"[a-zà-ÿ]{3,}", letters)))
