"""Headings that count: the numbered notes and the standard items of a report, in their order."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from indexes.sections.candidates import Candidate, is_item, numbered
from storage.text import plain

_FEWEST_NOTES = 5
_FEWEST_ITEMS = 5
_MOST_CHAINS = 4
_MOST_ON_A_PAGE = 6  # a page with as many different numbers is a list of what follows
_ITEM_NUMBER = re.compile(r"(?i)^item\s{0,3}(?P<number>\d{1,2})\s{0,2}\.?\s?(?P<letter>[a-k])?(?![a-z])")
_NOTE_TITLE = re.compile(
    r"\b(?:tax(?:es|ation)?|per (?:common |ordinary )?share|accounting policies|receivables?|payables?|provisions?"
    r"|intangibles?"
    r"|leases?|inventor(?:y|ies)|property,? (?:plant )?and equipment|borrowings?|debt|segments?|related part|goodwill"
    r"|steuern|ergebnis je|r[üu]ckstellungen|imp[ôo]ts?|r[ée]sultat par|imposte|utile per|impuestos?|beneficio por)\b"
)
_NOTE_TITLES = 3  # headings of a run that only notes have
_MOST_WORDS = 14
_LAST_NUMBER = 80


@dataclass(frozen=True)
class _Link:
    score: float
    candidate: Candidate
    before: "_Link | None"


def note_chains(candidates: Sequence[Candidate]) -> list[list[Candidate]]:
    """The runs of numbered headings: 1, 2, 3 and so on through the pages, the longest first.

    A number may be missing once in a while. A heading of the layout counts more than a line of text, so that numbered
    lists within the text do not make a run.
    """
    found = [(int(match["number"]), c) for c in candidates if (match := _counted(c)) is not None]
    left = _without_lists(found)
    chains: list[list[Candidate]] = []
    while len(chains) < _MOST_CHAINS and (chain := _longest(left)):
        chains.append(chain)
        used = {c.at for c in chain}
        left = [(number, c) for number, c in left if c.at not in used]
    return chains


def are_notes(chain: Sequence[Candidate]) -> bool:
    """Whether a run of numbered headings is the notes to financial statements, and not the parts of a report."""
    return sum(_NOTE_TITLE.search(c.bare) is not None for c in chain) >= _NOTE_TITLES


def _counted(candidate: Candidate) -> re.Match[str] | None:
    if candidate.is_continued or candidate.is_running:
        return None
    match = numbered(candidate.text)
    is_title = match is not None and match["title"][0].isupper() and 0 < int(match["number"]) <= _LAST_NUMBER
    return match if is_title and len(candidate.text.split()) <= _MOST_WORDS else None


def _without_lists(found: Sequence[tuple[int, Candidate]]) -> list[tuple[int, Candidate]]:
    on_page: dict[int, set[int]] = defaultdict(set)
    for number, candidate in found:
        on_page[candidate.page_number].add(number)
    return [(n, c) for n, c in found if len(on_page[c.page_number]) < _MOST_ON_A_PAGE]


def _longest(found: Sequence[tuple[int, Candidate]]) -> list[Candidate]:
    best: dict[int, _Link] = {}
    for number, candidate in found:
        own = _weight(candidate)
        options = [_Link(own - 0.4 * (number - 1), candidate, None)] if number <= 3 else []
        for gap in (1, 2):
            before = best.get(number - gap)
            if before is not None and before.candidate.page_number >= candidate.page_number - 60:
                options.append(_Link(before.score + own - 0.6 * (gap - 1), candidate, before))
        link = max(options, key=lambda option: option.score, default=None)
        if link is not None and (number not in best or link.score > best[number].score):
            best[number] = link
    end = max(best.values(), key=lambda link: link.score, default=None)
    chain: list[Candidate] = []
    while end is not None:
        chain.append(end.candidate)
        end = end.before
    strong = sum(c.is_heading or c.text.isupper() for c in chain)
    return chain[::-1] if len(chain) >= _FEWEST_NOTES and 3 * strong >= len(chain) else []


def _weight(candidate: Candidate) -> float:
    return 1.0 if candidate.is_heading else 0.8 if candidate.text.isupper() else 0.35


def items_of(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The headings of the standard items of a filing in their order, each once; none where there are few.

    An item whose title stands on the next line gets it.
    """
    found = [(order, c) for order, c in _numbered_items(candidates) if not c.is_running and not c.is_continued]
    chain = _rising(found)
    return chain if len(chain) >= _FEWEST_ITEMS else []


def _numbered_items(candidates: Sequence[Candidate]) -> Iterable[tuple[int, Candidate]]:
    for i, candidate in enumerate(candidates):
        match = is_item(candidate.text)
        number = _ITEM_NUMBER.match(plain(candidate.text))
        if match is None or number is None:
            continue
        if not match["title"] and i + 1 < len(candidates):
            after = candidates[i + 1]
            if after.page_number == candidate.page_number and not is_item(after.text):
                candidate = replace(candidate, text=f"{candidate.text.rstrip('. ')}. {after.text}")
        letter = ord((number["letter"] or "`").lower()) - ord("`")
        yield 12 * int(number["number"]) + letter, candidate


def _rising(found: Sequence[tuple[int, Candidate]]) -> list[Candidate]:
    """The longest run whose numbers rise; of several that are as long the one that begins with headings."""
    tails: list[int] = []
    ends: list[int] = []
    before: list[int | None] = []
    for i, (order, _) in enumerate(found):
        at = bisect_left(tails, order)
        before.append(ends[at - 1] if at else None)
        tails[at : at + 1] = [order]
        ends[at : at + 1] = [i]
    chain: list[Candidate] = []
    at_ = ends[-1] if ends else None
    while at_ is not None:
        chain.append(found[at_][1])
        at_ = before[at_]
    return chain[::-1]
