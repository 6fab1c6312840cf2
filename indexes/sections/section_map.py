"""The map of a report's sections: what its outline, contents, items, notes and headings say, made one list."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from indexes.enrichment.sections import bookmarks_of
from indexes.sections.contents import (
    bookmark_starts,
    contents_pages,
    entries_of,
    is_entry,
    is_of_exhibits,
    names_exhibit,
    only_holds,
    pages_of_exhibits,
)
from indexes.sections.headings import (
    Bodies,
    Candidate,
    are_notes,
    candidates_of,
    items_of,
    note_chains,
    parts_of_items,
)
from storage.lexicon.words import expression
from storage.records.pages import Block, Page
from storage.records.sections import Section, SectionKinds, SectionSource, bare_title, split_number

Mark = tuple[int, int, str]  # physical page, level from 0, title
_TRUST: Final[dict[SectionSource, float]] = {"item": 60, "outline": 50, "contents": 45, "note": 44, "heading": 30}
_ORDER: Final[tuple[SectionSource, ...]] = ("outline", "item", "contents", "note", "heading")
_OF_NOTES = {
    "segments",
    "acquisitions",
    "disposals",
    "subsequent_events",
    "commitments",
    "related_parties",
    "subsidiaries",
    "share_capital",
    "customers",
    "business",
    "financial_risk",
}  # kinds that notes are about; other kinds are rather in the front of the report
_ENOUGH = 8  # sections of the first two levels; with fewer, large headings are sections too
_DEEPEST = 3
_EARLY = {"business": 30, "segments": 1, "acquisitions": 1, "subsequent_events": 0, "related_parties": 0}
_LONGEST_LAST = 4  # pages of the last note, after which nothing says where it ends
_FAR = 3  # pages at the front that are a cover, a contents and a summary
_FRONT_SHARE = 0.2  # of the pages, in which the contents of the report stand
_LONGEST_POLICIES, _LONGEST_REGULATION = 20, 10  # pages
_OF_A_RISK = expression(r"\b(?:risks?|uncertaint(?:y|ies))\b")
_OF_AUDITS = {"auditor_report", "auditor_fees", "auditor"}
_INTERNAL = "audited the internal control"  # what a report says that is not on the statements


@dataclass(frozen=True)
class Outlines:
    """What maps the sections of reports: the known kinds, and where each report's PDF is."""

    kinds: SectionKinds
    pdf_of: Callable[[str], Path]

    def map(self, pages: Sequence[Page], sha1: str) -> tuple[Section, ...]:
        """The sections of a report. Of a PDF that is lost, the pages are enough, without its bookmarks."""
        return section_map(pages, bookmarks_of(self.pdf_of(sha1)), self.kinds)


@dataclass(frozen=True)
class _Start:
    title: str
    number: str
    at: tuple[int, int, int]
    level: int
    source: SectionSource
    candidate: Candidate | None = None
    kind: str = ""
    place: int = 0
    is_void: bool = False

    @property
    def page(self) -> int:
        return self.at[0]

    @property
    def bare(self) -> str:
        return bare_title(self.title)

    @property
    def item(self) -> str:
        """The number of a standard item without signs, "item1a"; empty for other sections."""
        number = re.sub(r"[\W_]", "", self.number.lower())
        return number if number.startswith("item") else ""


def section_map(pages: Sequence[Page], marks: Iterable[Mark], kinds: SectionKinds) -> tuple[Section, ...]:
    """The sections of a report in the order of its pages.

    Args:
        pages: the report's page records in order.
        marks: the PDF's bookmarks; none where it has none.
        kinds: the known kinds of section.
    """
    contents = contents_pages(pages)
    exhibits = {page.page_number for page in pages if is_of_exhibits(page)}
    front = _FRONT_SHARE * len(pages)
    candidates = [  # further back, the index of a part stands below that part's own heading
        c
        for c in candidates_of(pages)
        if (c.page_number not in contents or (c.page_number > front and c.is_heading and not is_entry(c)))
        and not (c.page_number in exhibits and names_exhibit(c))
    ]
    found = _merged(_starts(candidates, contents, marks, len(pages), kinds))
    starts, ends = _standing(found, _ends(found, candidates, pages), pages, kinds)
    best = _main(starts, ends, len(pages))
    return tuple(
        Section(
            title=start.title,
            number=start.number,
            kind=start.kind,
            level=start.level,
            first_page=start.page,
            last_page=end,
            box=start.candidate.box if start.candidate else None,
            source=start.source,
            is_main=i in best,
        )
        for i, (start, end) in enumerate(zip(starts, ends, strict=True))
    )


def _starts(
    candidates: Sequence[Candidate],
    contents: dict[int, list[tuple[str, int]]],
    marks: Iterable[Mark],
    page_count: int,
    kinds: SectionKinds,
) -> Iterator[_Start]:
    by_title: dict[tuple[int, str], Candidate] = {}
    for candidate in candidates:
        by_title.setdefault((candidate.page_number, candidate.bare), candidate)
    for title, page, level in bookmark_starts(marks):
        printed = by_title.get((page, bare_title(title)))
        yield _start(title, page, min(level + 1, _DEEPEST), "outline", printed, kinds)
    items = items_of(candidates)
    for level, of_level in ((1, items), (2, parts_of_items(candidates, items))):
        for candidate in of_level:
            yield _start(candidate.text, candidate.page_number, level, "item", candidate, kinds)
    for entry in entries_of(contents, candidates, page_count):
        printed = by_title.get((entry.page_number, bare_title(entry.title)))
        yield _start(entry.title, entry.page_number, 1, "contents", printed, kinds)
    for chain in note_chains(candidates):
        source: SectionSource = "note" if are_notes(chain) else "heading"
        for candidate in chain:
            yield _start(candidate.text, candidate.page_number, 2, source, candidate, kinds)
    yield from _headings(candidates, kinds)


def _start(
    text: str, page: int, level: int, source: SectionSource, candidate: Candidate | None, kinds: SectionKinds
) -> _Start:
    number, title = split_number(text)
    kind, place = kinds.of(text, is_item=source == "item")
    at = candidate.at if candidate is not None else (page, 0, 0)
    return _Start(title or text, number, at, level, source, candidate, kind, place)


def _headings(candidates: Sequence[Candidate], kinds: SectionKinds) -> Iterator[_Start]:
    """The headings of known kinds. One that is printed on page after page begins where it is printed first."""
    last: dict[str, int] = {}
    for candidate in candidates:
        bare = candidate.bare
        before = last.get(bare)
        kind, _ = kinds.of(candidate.text)
        if not kind:
            continue
        last[bare] = candidate.page_number
        repeats = before is not None and candidate.page_number - before <= 2
        if not candidate.is_continued and not (
            repeats and (candidate.is_running or candidate.page_number != before)
        ):
            yield _start(candidate.text, candidate.page_number, _DEEPEST, "heading", candidate, kinds)


def _merged(found: Iterable[_Start]) -> list[_Start]:
    """Each section once, in the order of the pages: what several sources name keeps the surest source's level."""
    once: list[_Start] = []
    items: set[tuple[int, str]] = set()
    titles: dict[tuple[int, str], str] = {}
    for start in sorted(found, key=lambda s: (_ORDER.index(s.source), s.at)):
        item, title = (start.page, start.item), (start.page, start.bare)
        is_other_item = start.item and titles.get(title) and item not in items  # of the same title
        if item not in items and (title not in titles or is_other_item):
            once.append(start)
            titles.setdefault(title, start.item)
            items |= {item} if start.item else set()
    merged: list[_Start] = []
    last: dict[int, _Start] = {}
    for start in sorted(once, key=lambda s: s.at):
        before = max((s for level, s in last.items() if level <= start.level), key=lambda s: s.at, default=None)
        if before is None or not _goes_on(before, start):
            merged.append(start)
            last[start.level] = start
    return merged


def _goes_on(before: _Start, start: _Start) -> bool:
    """Whether a heading repeats the one before it, as a running head does, and is the same section going on."""
    is_near = start.level < _DEEPEST or start.page - before.page <= 2
    same = (before.level, before.number, before.bare) == (start.level, start.number, start.bare)
    return same and is_near and start.page > before.page


def _ends(starts: Sequence[_Start], candidates: Sequence[Candidate], pages: Sequence[Page]) -> list[int]:
    """The last page of each section."""
    last = pages[-1].page_number if pages else 1
    first_text = {p.page_number: _first_block(p) for p in pages}
    headings = [c for c in candidates if c.is_heading and not c.is_running]
    continued = [c for c in candidates if c.is_continued]
    ends = []
    for i, start in enumerate(starts):
        later = [s.at for s in starts[i + 1 :] if s.level <= start.level]
        end = min(later, default=(last + 1, 0, 0))
        if start.source == "heading" and start.candidate is not None:
            end = min(end, _next_heading(start, start.candidate, headings) or end)
        page, block, _ = end
        until = max(start.page, page - 1 if block <= first_text.get(page, 0) else page)
        if start.source == "heading":
            until = _continued_until(start, until, continued)
        ends.append(min(until, start.page + _LONGEST_LAST) if start.source == "note" and page > last else until)
    return ends


def _next_heading(
    start: _Start, candidate: Candidate, headings: Sequence[Candidate]
) -> tuple[int, int, int] | None:
    """Where a heading of the same print follows that is not of the section: risks may have headings of their own."""
    same = (c for c in headings if c.at > start.at and c.size >= candidate.size)
    others = (c.at for c in same if not (start.kind == "risks" and _OF_A_RISK.search(c.bare)))
    return next((at for at in others if at[0] > start.page or at[1] > start.at[1] + 1), None)


def _continued_until(start: _Start, until: int, continued: Sequence[Candidate]) -> int:
    """The last of the following pages on which the heading is printed again as one that continues."""
    for candidate in continued:
        if start.page < candidate.page_number == until + 1 and candidate.bare.startswith(start.bare):
            until = candidate.page_number
    return until


def _first_block(page: Page) -> int:
    return next((i for i, block in enumerate(page.blocks) if block.kind != "furniture"), 0)


def _main(starts: Sequence[_Start], ends: Sequence[int], page_count: int) -> set[int]:
    """The places of the sections that answer questions about their kind, one of each kind."""
    inside = _pages_of_policies(starts, ends)
    by_kind: dict[str, list[tuple[float, int]]] = defaultdict(list)
    for i, (start, end) in enumerate(zip(starts, ends, strict=True)):
        if start.kind:
            early = 1 - start.page / page_count  # of two that are about as sure, the first
            weight = _EARLY.get(start.kind, 10) if start.source != "item" else 1
            by_kind[start.kind].append((_trust(start, end, inside) + weight * early, -i))
    return {-max(found)[1] for found in by_kind.values()}


def _standing(
    starts: Sequence[_Start], ends: Sequence[int], pages: Sequence[Page], kinds: SectionKinds
) -> tuple[list[_Start], list[int]]:
    """The sections with their ends, without the kind that they have by their title and not by where they stand.

    A heading that has no kind then is no section.
    """
    places = _Places(starts, ends, pages, kinds)
    kept: list[_Start] = []
    kept_ends: list[int] = []
    for start, end in zip(starts, ends, strict=True):
        found = places.with_own_kind(start)
        is_lost = start.kind != found.kind == "" and start.source == "heading"
        if not is_lost and not (start.source == "outline" and only_holds(start.title)):
            kept.append(found)
            kept_ends.append(places.end_of(found, end))
    return kept, kept_ends


class _Places:
    """The places of a report where a heading means something else than in its own right."""

    def __init__(
        self, starts: Sequence[_Start], ends: Sequence[int], pages: Sequence[Page], kinds: SectionKinds
    ) -> None:
        self._starts = starts
        self._kinds = kinds
        self._bodies = Bodies(pages)
        self._policies = _pages_of_policies(starts, ends)
        self._policies |= {
            page
            for start, end in zip(starts, ends, strict=True)
            if start.kind == "policies"
            for page in range(start.page, end + 1)
        }
        self._exhibits = pages_of_exhibits(pages)
        self._audits = [
            (start.at, self._bodies.end_of_audit(start.page))
            for start in starts
            if start.kind == "auditor_report" and self._audit(start)
        ]
        self._regulation = [
            (start.at, self._end_of_part(i)) for i, start in enumerate(starts) if start.kind == "regulation"
        ]

    def _end_of_part(self, i: int) -> int:
        start = self._starts[i]
        larger = (s.page for s in self._starts[i + 1 :] if s.level < _DEEPEST)
        return min(next(larger, start.page), start.page + _LONGEST_REGULATION)

    def with_own_kind(self, start: _Start) -> _Start:
        """The start with the kind that it has where it stands."""
        if start.kind == "auditor_report":
            return self._of_auditor(start)
        if start.candidate is None or not start.kind:
            return start
        if start.source == "item":
            return replace(start, is_void=self._bodies.below(start.candidate).is_void)
        is_other = self._is_policy(start, start.candidate) or (
            start.level == _DEEPEST and self._is_of_other_part(start, start.candidate)
        )
        return replace(start, kind="", place=0) if is_other else start

    def end_of(self, start: _Start, end: int) -> int:
        """The last page of a section; of a report on an audit, the headings within it end nothing."""
        return max([end, *(page for at, page in self._audits if at == start.at and start.source == "heading")])

    def _of_auditor(self, start: _Start) -> _Start:
        """A heading that names the auditor: the report, or what is told of the auditor elsewhere."""
        audit = self._audit(start)
        if audit:  # that of the internal control stands beside that of the statements
            return replace(start, place=start.place + 3 * (_INTERNAL in audit))
        kind, place = self._kinds.of(start.title, without=start.kind)
        tells = start.candidate is not None and self._bodies.below(start.candidate).sentences
        return replace(start, kind=kind if tells else "", place=place)

    def _audit(self, start: _Start) -> str:
        """What opens the report on an audit below a heading, or before it where it is a running head."""
        page, block, _ = start.at
        is_running = start.candidate is not None and start.candidate.is_running
        return self._bodies.audit_from(page - is_running, 0 if is_running else block)

    def _is_policy(self, start: _Start, candidate: Candidate) -> bool:
        if start.kind == "policies":
            return False
        in_policies = start.level == _DEEPEST and start.page in self._policies
        body = self._bodies.below(candidate)
        return not body.has_list and body.is_policy(in_policies=in_policies)

    def _is_of_other_part(self, start: _Start, candidate: Candidate) -> bool:
        if start.page in self._exhibits:
            return start.kind != "subsidiaries"
        if start.kind not in _OF_AUDITS and _is_within(start, self._audits):
            return True
        body = self._bodies.below(candidate)
        if start.kind != "regulation" and _is_within(start, self._regulation) and body.is_law:
            return True
        if body.is_without_sentence and self._kinds[start.kind].lists == "sentences":
            return True
        return body.is_alone and self._is_named_more_fully(start)

    def _is_named_more_fully(self, start: _Start) -> bool:
        """Whether the title of a divider is the end of a fuller one of another kind: "Portfolio" of investments."""
        return any(s.kind not in ("", start.kind) and s.bare.endswith(f" {start.bare}") for s in self._starts)


def _is_within(start: _Start, parts: Iterable[tuple[tuple[int, int, int], int]]) -> bool:
    return any(at < start.at and start.page <= end for at, end in parts)


def _pages_of_policies(starts: Sequence[_Start], ends: Sequence[int]) -> set[int]:
    """The pages of the accounting policies, also of those that stand under headings before the first numbered note."""
    pages: set[int] = set()
    for i, (start, end) in enumerate(zip(starts, ends, strict=True)):
        if start.kind != "policies":
            continue
        following = next((s for s in starts[i + 1 :] if s.level < _DEEPEST), None)
        if start.source in ("note", "contents", "outline"):
            pages.update(range(start.page, end + 1))
        elif (
            following is not None
            and following.source == "note"
            and following.page - start.page <= _LONGEST_POLICIES
        ):
            pages.update(range(start.page, following.page))
    return pages


def _trust(start: _Start, end: int, in_policies: set[int]) -> float:
    """How surely a section is the report's section of its kind; higher is surer."""
    candidate = start.candidate
    trust = _TRUST[start.source] - 1.5 * min(start.place, 8) + min(end - start.page, 8) / 2
    if candidate is not None and start.source == "heading":
        trust += 8 * candidate.is_large + 6 * candidate.is_heading + 3 * candidate.text.isupper()
        trust += 10 * (start.level < _DEEPEST) - 8 * candidate.is_running
    if start.source == "note":
        trust += 10 if start.kind in _OF_NOTES and start.kind != "business" else -10
    if start.is_void:
        trust -= 30
    if start.page <= _FAR and start.source != "outline":
        trust -= 12
    if start.level == _DEEPEST and start.page in in_policies and start.kind != "policies":
        trust -= 25
    return trust


def blocks_of(section: Section, pages: Sequence[Page], after: Section | None = None) -> list[tuple[Page, Block]]:
    """The blocks of a section in their order: after its heading on the first page, before the next one's heading."""
    return _until(after, list(_from_heading(section, pages)))


def _from_heading(section: Section, pages: Sequence[Page]) -> Iterator[tuple[Page, Block]]:
    for page in sorted(pages, key=lambda p: p.page_number):
        if page.page_number not in section.pages:
            continue
        begun = page.page_number > section.first_page or section.box is None
        is_placed = any(block.box == section.box for block in page.blocks)  # else only its words are known
        for block in page.blocks:
            if block.kind == "furniture":
                begun = begun or block.box == section.box  # a heading that is printed on each of its pages
                continue
            if not begun and section.box is not None:
                is_named = not is_placed and bare_title(section.title) in bare_title(block.text)
                begun = block.box == section.box or is_named
                if not begun or len(block.text) < len(section.title) + 12:
                    continue
            yield page, block


def _until(after: Section | None, blocks: list[tuple[Page, Block]]) -> list[tuple[Page, Block]]:
    """The blocks before the next section's heading."""
    if after is None or after.box is None:
        return blocks
    for i, (page, block) in enumerate(blocks):
        if page.page_number == after.first_page and block.box == after.box:
            return blocks[:i]
    return blocks
