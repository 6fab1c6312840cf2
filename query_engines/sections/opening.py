"""The sentences of a section that say what it is about: its first ones, or those with the words that are asked for."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from indexes.facts.sentences import sentences_of
from query_engines.sections.listed import blocks_of
from storage.records.pages import Page
from storage.records.sections import Section
from storage.text import stems

MOST = 4  # sentences
_SHORTEST, _LONGEST = 35, 700  # letters
_REFERS = re.compile(
    r"(?i)\b(?:incorporated (?:herein )?by reference|(?:information|disclosure)s? (?:required|called for) by"
    r"|see (?:also )?(?:note|part|item|the section|page)|refer to|set forth (?:in|under)|described (?:in"
    r"|under)|this (?:annual )?report"
    r"|forward-looking|should be read|see \")"
)
_IS = re.compile(
    r"^(?:[A-Z][\w&,.' ()-]{1,80}?|We|The (?:Company|Group|Corporation|Bank|Trust"
    r"|Fund))(?<!'s)[, ](?:\([^)]{0,80}\),? )?"
    r"(?:is|are|was (?:incorporated|formed|founded|established)|operates?|provides?|designs?|develops?"
    r"|manufactures?"
    r"|offers?|owns?|engages?|specialises?|specializes?)\b"
)
_IS_A = re.compile(r"^[^.]{2,90}? (?:is|are) (?:an? |the (?!only)|one of )")
_OF_IT = re.compile(
    r"^(?:We (?:believe|expect|intend)|[^,]{0,60}'s (?!(?:business|principal activity|main activity))\w+ )"
)
_ITSELF = ("we ", "the company", "the group", "the corporation", "the bank", "the trust")
_WHAT = re.compile(
    r"\b(?:an? |the |one of |leading|engaged|provid\w+|operat\w+|develop\w+|manufactur\w+|design\w+|hold\w+)\b"
)
_RISKY = re.compile(r"(?i)\b(?:could|may|might|risks?|would|advers\w+|exposed)\b")
_MANAGED = re.compile(
    r"(?i)\b(?:board|directors|committee|framework|monitor\w*|review\w*|manage[sd]?|management|mitigat\w+"
    r"|assess\w*"
    r"|control\w*|responsib\w+|identif\w+|process\w*|discussed|described|policy|policies|following"
    r"|cannot be quantified|susceptible)\b"
)
_TABLE_TALK = re.compile(r"(?i)\b(?:following table|table below|as follows|shown below|following chart)\b|:$")


@dataclass(frozen=True)
class Said:
    """A sentence as printed, with its page."""

    text: str
    page: Page


def sentences_in(section: Section, pages: Sequence[Page], after: Section | None = None) -> list[Said]:
    """The whole sentences of a section in their order."""
    found: list[Said] = []
    seen: set[str] = set()
    blocks = blocks_of(section, pages, after)
    for page in {p.page_number: p for p, _ in blocks}.values():
        own = tuple(block for on, block in blocks if on is page)
        for sentence in sentences_of(page.model_copy(update={"blocks": own})):
            text = sentence.text.strip()
            is_whole = _SHORTEST <= len(text) <= _LONGEST and text[-1:] in ".!?)\"'" and not text[:1].islower()
            if is_whole and text not in seen:
                seen.add(text)
                found.append(Said(text, page))
    return found


def what_it_is(said: Sequence[Said], company: str, *, anywhere: bool = False) -> list[Said]:
    """The first sentences that say what the company is and does.

    Args:
        said: sentences of the section about the business; of any pages if `anywhere`, and then only "X is a …" counts.
        company: its name.
        anywhere: see above.
    """
    own = company.split()[0].lower()
    for i, sentence in enumerate(said[:60]):
        text = sentence.text
        if anywhere and not _IS_A.match(text):
            continue
        begins = text.lower().startswith((own, *_ITSELF))
        if (
            begins
            and not _OF_IT.match(text)
            and _IS.match(text)
            and _WHAT.search(text[:260])
            and not _REFERS.search(text)
        ):
            more = [s for s in said[i + 1 : i + 4] if s.page is sentence.page and not _REFERS.search(s.text)]
            return [sentence, *more[: MOST - 2]]
    return []


def first_of(said: Sequence[Said]) -> list[Said]:
    """The first sentences with content; none where the section only refers to another place."""
    found = [s for s in said if not _REFERS.search(s.text) and not _TABLE_TALK.search(s.text)]
    if not found or said.index(found[0]) > 12:
        return []
    start = said.index(found[0])
    near = [s for s in found if said.index(s) - start < 2 * MOST]
    return near[:MOST]


def risks_in(said: Sequence[Said]) -> list[Said]:
    """The sentences that name a risk, and not how risks are managed."""
    return [s for s in said if _RISKY.search(s.text) and not _MANAGED.search(s.text)][:MOST]


def with_words(said: Sequence[Said], wanted: frozenset[str]) -> list[Said]:
    """The sentences that have what is wanted: those with most of its words, in their order."""
    scored = [(len(wanted & stems(s.text)) / len(wanted), -i) for i, s in enumerate(said)]
    best = max(scored, default=(0.0, 0))
    if best[0] < (0.99 if len(wanted) <= 2 else 0.6):
        return []
    chosen = sorted((-i for share, i in sorted(scored, reverse=True)[:MOST] if share >= best[0] - 0.01))
    return [said[i] for i in chosen]
