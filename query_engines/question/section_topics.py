"""Which section of a report a question asks for, and what in it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from query_engines.question.classifier import LinearReader
from storage.lexicon.periods import SMALL_NUMBERS
from storage.lexicon.question_words import ASKING_WORDS
from storage.lexicon.words import FUNCTION_WORDS
from storage.records.questions import AnswerKind
from storage.records.reports import Company
from storage.records.sections import Section, SectionKindRule, SectionKinds, following
from storage.text import stems

SECTIONS = Path(__file__).parent / "sections.npz"
NO_SECTION = "none"
"""The label of what no section answers by itself: a figure, a day, a reason, a yes or no, one person, a change."""
SURE_OF_SECTION, _SURER = 0.5, 0.9
_OF_NAMES = ("firm", "people")
_SAYS_NOTHING = stems(" ".join((*FUNCTION_WORDS, *ASKING_WORDS, *SMALL_NUMBERS)))
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


def section_asked(text: str, kinds: SectionKinds, *, names_figure: bool = False) -> SectionKindRule | None:
    """The kind of section that a question asks for; None for one that a figure, a day or one person answers.

    Args:
        text: the question with signs for companies and periods.
        kinds: the known kinds.
        names_figure: whether it is surely about a figure, which a section may tell of too.
    """
    found, probability = LinearReader.load(SECTIONS).read(text)
    if found == NO_SECTION:
        return None
    rule = kinds[found]
    least = _SURER if names_figure or rule.lists in _OF_NAMES else SURE_OF_SECTION
    return rule if probability >= least else None


@cache
def _words_of_sections() -> dict[str, frozenset[str]]:
    """The stems of the words with which people ask for each kind of section, and under `NO_SECTION` for any."""
    with SECTIONS.open("rb") as opened, np.load(opened, allow_pickle=False) as arrays:
        lines = (str(line).partition(" ") for line in arrays["known"])
        return {kind: frozenset(words.split()) for kind, _, words in lines}


def kind_of_section(rule: SectionKindRule, text: str, kind: AnswerKind) -> AnswerKind:
    """The kind of an answer from a section; a question that goes on to something else is answered in sentences.

    Args:
        rule: the kind of section.
        text: the question without the company's name.
        kind: that it wants, as it is read.
    """
    if rule.lists == "firm" and " and " not in text:
        return "name"
    if rule.lists == "holders" and not _beside(rule, text):
        return "name" if kind == "name" else "names"
    return "names" if rule.lists == "people" else "text"


def without_company(text: str, company: Company) -> str:
    """A question with "it" for the company, since names have words of topics: "Property Trust", "Risk Partners"."""
    names = sorted({company.name, *company.aliases, " ".join(company.name.split()[:2])}, key=len, reverse=True)
    for name in filter(None, names):
        text = re.sub(rf"(?i)(?<!\w){re.escape(name.rstrip('.'))}\.?(?!\w)", "it", text)
    first = company.name.split()[0]
    return re.sub(rf"(?<!\w){re.escape(first)}(?!\w)", "it", text) if len(first) > 3 else text


def sections_for(rule: SectionKindRule, asked: str, sections: Sequence[Section]) -> SectionMatch | None:
    """The report's sections that a question asks for, perhaps none; None where no map of the report is known.

    Args:
        rule: the kind.
        asked: the question without company and period.
        sections: of the report.
    """
    if not sections:
        return SectionMatch(rule, ()) if rule.lists == "holders" else None
    policies = {p for s in sections if s.kind == "policies" and s.source != "heading" for p in s.pages}
    elsewhere = {p for s in sections if s.kind in _OF_OTHER_THINGS and s.kind != rule.id for p in s.pages}
    own = [
        s
        for s in sections
        if s.kind in (rule.id, *rule.also) and not (rule.id in _DEALS and s.level > 2 and s.first_page in policies)
    ]

    named_too = _beside(rule, asked)

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

    first = min(
        (asked.partition(sign)[0] for sign in _ASKS_ON), key=len
    )  # a second question is answered beside it
    wanted = frozenset[str]() if rule.lists == "firm" else _beside(rule, first)
    if wanted and rule.lists == "headings" and rule.id != "risks":
        return None  # one of several acquisitions, cases or products: what is said of it may stand anywhere
    if not own:  # a section about this and something else
        named, meant = stems(rule.title), stems(asked) | _said_for(rule)
        own = [
            s
            for s in sections
            if any(named <= part <= named | meant for part in _parts(s.title)) and not rule.excludes(s.title)
        ]
        is_joined = bool(own) and len(_parts(own[0].title)) > 1
        wanted = wanted | (named if is_joined else frozenset())
    ordered = tuple(sorted(own, key=trust))
    is_named = bool(ordered) and bool(stems(asked) & stems(ordered[0].title))
    is_of_all = rule.id in _TOLD_FIRST or is_named
    return SectionMatch(rule, ordered, wanted, tuple(sections), is_of_all)


def _parts(title: str) -> list[frozenset[str]]:
    """The things that a title joins, without what they are for: "Strategies for growth", but "Credit risk strategy"."""
    joined = re.split(r"[,;&/]|\b(?:and|or)\b", title)
    return [stems(re.split(r"\b(?:for|of|to|in|on)\b", part)[0]) for part in joined]


def _beside(rule: SectionKindRule, asked: str) -> frozenset[str]:
    """The stems of what a question names beside the section."""
    return stems(asked) - stems(rule.title) - _said_for(rule)


def _said_for(rule: SectionKindRule) -> frozenset[str]:
    """The stems of the words with which people ask for such a section, or for any."""
    known = _words_of_sections()
    return known.get(rule.id, frozenset()) | known.get(NO_SECTION, frozenset()) | _SAYS_NOTHING
