"""Drafts an answer from the sections that a question asks for, in the report's own words."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TypeVar

from indexes.roles.names import short_name
from prompts.drafts import Draft, drafted, passage
from prompts.kinds.name import NameDraft
from prompts.kinds.names import NamesDraft
from prompts.kinds.text import Sentence, TextDraft
from query_engines.question.section_topics import SectionMatch
from query_engines.sections.parties import printed
from query_engines.sections.passages import (
    Listed,
    has_own_name,
    headings_in,
    heads_in,
    is_of_management,
    nothing_in,
    rows_in,
    sentences_in,
    what_it_is,
)
from query_engines.verification.quotes import locate
from storage.lexicon.words import expression
from storage.records.facts import Seat
from storage.records.pages import Page
from storage.records.record import page_ranges
from storage.records.reports import Report
from storage.records.sections import Section
from storage.text import stems

MOST_LISTED = 12
_FEWEST = 2
_ENOUGH_PEOPLE = 5
_MOST_TRIED = 4  # sections of one kind
_OFFICES = r"officers?|executives|management|managers?"
_BOARD_ASKED = expression(rf"(?i)^(?!.*\b(?:{_OFFICES}|managing|supervisory)\b).*\b(?:directors?|board)\b")
_OFFICE_ASKED = expression(rf"(?i)^(?!.*\b(?:directors?|board)\b).*\b(?:{_OFFICES})\b")
_OF_BOTH = expression(r"(?i)\b(?:officers?|executives?|signatures?|senior management)\b")
_OF_BOARD = expression(r"(?i)\b(?:directors?|chair\w*|board)\b")
_OF_OFFICE = expression(
    r"(?i)\b(?:chief|officer|president|counsel|secretary|treasurer|managing director|c[efot]o|head"
    r"|executive director)\b"
)
_BOARDS = expression(
    r"(?i)\b(supervisory|management|managing|executive)(?= (?:board|committee|directors))"
    r"|\b(aufsichtsr[aä]t|(?:conseil|consejo|consiglio) (?:de|di) (?:surveillance|vigilancia|sorveglianza))"
    r"|\b(vorst[aä]nd|directoire)"
)
_MANAGING = ("management", "managing")
_OUTSIDE_ASKED = expression(
    r"(?i)\b(?:outside|non-?\s?exec\w*|independent) directors?\b|\bnon-?executives\b"
    r"|\b(?:besides?|except(?: for)?|other than|leav\w+ out|without|exclud\w+|apart from|isn['’]?t|not)"
    r"[^.?!;]{0,15}\b(?:ceo|chief executive)\b"
)
_EXECUTIVES = ("chief_executive", "chief_financial", "chief_operating")
_NON_EXECUTIVE = expression(r"(?i)non-?\s?executive \w+")


_Form = TypeVar("_Form", TextDraft, NamesDraft)


@dataclass(frozen=True)
class _Found:
    """What a section says: lines with their page, and of how many they are."""

    lines: tuple[tuple[str, str, int], ...]  # the line, its quote, the number of its page
    of: int
    what: str
    section: Section
    is_names: bool = False


def draft_of_section(
    query: str,
    match: SectionMatch,
    report: Report,
    pages: Sequence[Page],
    form: type[Draft],
    seats: Sequence[Seat] = (),
) -> Draft | None:
    """What the first of the asked sections says that says anything; None where no section does.

    Args:
        query: the question without company and period.
        match: the sections.
        report: of the pages.
        pages: in any order; sections are read as far as their pages are given.
        form: of the draft: text, or names; one name where a firm is asked for.
        seats: of the auditor, of the holders of shares, or of the people whom the sections list.
    """
    if match.rule.lists == "firm":
        return _auditor(query, match, seats, pages, form)
    if match.rule.lists == "holders":
        return _holders(query, match, seats, pages, form)
    sections = _of_board(query, match.sections)[:_MOST_TRIED]
    if match.rule.id == "business" and pages:
        sections = (*sections, _first_pages(pages))
    wants_names = form in (NameDraft, NamesDraft)
    all_found: Iterator[_Found | None] = (
        _read(match, section, report, pages, wants_names=wants_names) for section in sections
    )
    if match.rule.id == "business" and not match.wanted:
        all_found = chain((_defined(match, section, report, pages) for section in sections), all_found)
    if match.rule.lists == "people":
        all_found = iter(_people(query, match, sections, printed(seats, pages), wants_names=wants_names))
    for found in all_found:
        if found is None:
            continue
        if form is TextDraft:
            return _text(query, found, match)
        if form is NamesDraft and found.is_names:
            return _names(query, found, match)
    return None


def _of_board(query: str, sections: Sequence[Section]) -> Sequence[Section]:
    """The sections of the board that a question names, where a company has several; all where it names none."""
    named = _boards_in(query)
    titles = [_boards_in(section.title) for section in sections]
    if not named or not any(titles):
        return sections
    return [section for section, title in zip(sections, titles, strict=True) if named & title]


def _boards_in(text: str) -> set[str]:
    """The boards that a text names, as English calls them."""
    found = set[str]()
    for english, supervisory, managing in _BOARDS.findall(text):
        found.update(filter(None, (english.lower(), supervisory and "supervisory")))
        found.update(_MANAGING if managing else ())
    return found


def _of_all_boards(lists: list[_Found]) -> list[_Found]:
    """The lists; those of a company's several boards as one."""
    by_board = {name: found for found in reversed(lists) for name in _boards_in(found.section.title)}
    if len(by_board) < _FEWEST:
        return lists
    boards = [found for found in lists if any(found is own for own in by_board.values())]
    lines = tuple(line for found in boards for line in found.lines)
    return [replace(boards[0], lines=lines, of=len(lines))]


def _auditor(
    query: str, match: SectionMatch, seats: Sequence[Seat], pages: Sequence[Page], form: type[Draft]
) -> Draft | None:
    """The firm that audits, with the words that say so."""
    for auditor in printed(seats, pages):
        number = auditor.page_number
        holding = (s for s in match.sections if number in s.pages)
        alone = Section(title="", kind="", first_page=number, last_page=number)
        line = (auditor.name, auditor.quote, number)
        found = _Found((line,), 1, "firm", next(holding, alone), True)
        return _names(query, found, match) if form is NamesDraft else _text(query, found, match)
    return None


def _holders(
    query: str, match: SectionMatch, seats: Sequence[Seat], pages: Sequence[Page], form: type[Draft]
) -> Draft | None:
    """The holders of shares, the largest first; None where one is not on a given page, or one of several is asked."""
    found = printed(seats, pages)
    if not found or len(found) < len(seats) or (form is NameDraft and len(found) > 1):
        return None
    lines = [_with_share(seat) for seat in found]
    if form is TextDraft:
        numbers = tuple(zip(lines, (s.quote for s in found), (s.page_number for s in found), strict=True))
        first = found[0].page_number
        section = Section(title="", kind="", first_page=first, last_page=max(s.page_number for s in found))
        return _text(query, _Found(numbers, len(found), match.rule.called[1], section), match)
    places = "; ".join(f"{line} (page {seat.page_number})" for line, seat in zip(lines, found, strict=True))
    note = f"The report names as {match.rule.title.lower()}: {places}. No language model read or worded it."
    evidence = [passage(seat.page_number, seat.quote) for seat in found]
    names = [seat.name for seat in found]
    if form not in (NameDraft, NamesDraft):
        return None
    return drafted(form, query, names[0] if form is NameDraft else names, note, evidence)


def _with_share(seat: Seat) -> str:
    return f"{seat.name}, {seat.share} %" if seat.share is not None else seat.name


def _first_pages(pages: Sequence[Page]) -> Section:
    """The given pages as one section: what a company is stands in many places."""
    numbers = [page.page_number for page in pages]
    return Section(title="the first pages", kind="", first_page=min(numbers), last_page=max(numbers))


def _asked_for(
    query: str, title: str, members: Sequence[Seat], chiefs: Collection[tuple[str, str]]
) -> Sequence[Seat]:
    """The directors, or the officers, of a section that has both; a section of one sort has that alone.

    Of directors only those without an executive office, where a question asks for them: by the first position that is
    printed of them, since others may be held elsewhere, and by the names of the chief officers.
    """
    if _OUTSIDE_ASKED.search(query):
        inside = [m for m in members if short_name(m.name) in chiefs or _is_executive(m.title.partition("; ")[0])]
        members = [m for m in members if m not in inside] or members
    if not _OF_BOTH.search(title):
        return members
    if _BOARD_ASKED.search(query):
        wanted, other = _OF_BOARD, _OF_OFFICE
    elif _OFFICE_ASKED.search(query):
        wanted, other = _OF_OFFICE, _OF_BOARD
    else:
        return members
    return [m for m in members if wanted.search(m.title) or not other.search(m.title)]


def _is_executive(position: str) -> bool:
    return _OF_OFFICE.search(_NON_EXECUTIVE.sub("", position)) is not None


def _read(
    match: SectionMatch, section: Section, report: Report, pages: Sequence[Page], *, wants_names: bool
) -> _Found | None:
    if match.wanted:
        return _narrower(match, section, pages)
    if is_of_management(section):
        return None
    listed = _listed(match, section, report, pages)
    return listed if listed is not None or wants_names else _nothing(match, section, pages)


def _people(
    query: str, match: SectionMatch, sections: Sequence[Section], seats: Sequence[Seat], *, wants_names: bool
) -> list[_Found]:
    """The lists of people of the sections, the longest first; a committee's list is shorter.

    Who signs as an officer may be a director by another section: all that is said of a person's position counts.
    """
    numbers = [match.all_sections.index(section) for section in sections]
    read = [(section, [s for s in seats if s.section == n]) for section, n in zip(sections, numbers, strict=True)]
    chiefs = {short_name(seat.name) for seat in seats if seat.section is None and seat.role in _EXECUTIVES}
    held = defaultdict[str, list[str]](list)
    for member in (member for _, members in read for member in members):
        held[member.name] += [member.title, member.elsewhere]
    lists: list[_Found] = []
    for section, members in sorted(read, key=lambda one: all(member.is_part for member in one[1])):
        titles = {m.name: "; ".join(filter(None, (m.title, *held[m.name]))) for m in members}
        everywhere = [m.model_copy(update={"title": titles[m.name]}) for m in members]
        wanted = {member.name for member in _asked_for(query, section.title, everywhere, chiefs)}
        kept = [(_line(m, wants_names), m.quote, m.page_number) for m in members if m.name in wanted]
        if len(kept) >= _FEWEST:
            lists.append(_Found(tuple(kept), len(kept), "people with their positions", section, True))
    return sorted(_of_all_boards(lists), key=lambda found: -min(found.of, _ENOUGH_PEOPLE))


def _line(member: Seat, is_bare: bool) -> str:
    return f"{member.name}, {member.title}" if member.title and not is_bare else member.name


def _listed(match: SectionMatch, section: Section, report: Report, pages: Sequence[Page]) -> _Found | None:
    """The things that a section lists, where it lists enough of them."""
    rule, after = match.rule, match.after(section)
    read: dict[str, Callable[[], list[Listed]]] = {
        "headings": lambda: headings_in(section, pages, after),
        "rows": lambda: rows_in(section, pages, after),
    }
    if rule.lists not in read or section.kind in rule.also:
        return None  # a section that may say it too has headings of other things
    things = [item for item in read[rule.lists]() if rule.is_thing(item.text)]
    if rule.is_of_names:
        things = [item for item in things if has_own_name(item.text, report.company)]
    listed = _printed((item.text, item.text, item.page) for item in things)
    if len(listed) > _FEWEST or (len(listed) == _FEWEST and rule.lists == "rows"):
        return _Found(tuple(listed[:MOST_LISTED]), len(listed), rule.called[1], section, True)
    return None


def _nothing(match: SectionMatch, section: Section, pages: Sequence[Page]) -> _Found | None:
    """A standard item below which nothing stands but "None"."""
    nothing = nothing_in(section, pages, match.after(section)) if section.source == "item" else None
    if nothing is None or locate(nothing.text, nothing.page) is None:
        return None
    return _Found(((nothing.text, nothing.text, nothing.page.page_number),), 1, "sentence", section)


def _defined(match: SectionMatch, section: Section, report: Report, pages: Sequence[Page]) -> _Found | None:
    """The sentence of a section that says what the company is."""
    sentences = sentences_in(section, pages, match.after(section))
    said = [s for s in sentences if match.rule.says(s.text, section.kind)]
    own = what_it_is(said, report.company, anywhere=not section.kind)
    kept = _printed([(own.text, own.text, own.page)] if own is not None else [])
    return _Found(tuple(kept), len(said), "sentences", section) if kept else None


def _narrower(match: SectionMatch, section: Section, pages: Sequence[Page]) -> _Found | None:
    """The headings of the section that have what is meant in it."""
    wanted, after = match.wanted, match.after(section)
    if match.rule.lists == "headings":
        items = heads_in(section, pages, after)
        own = [i for i in items if wanted <= stems(f"{i.text} {i.group}")]
        listed = _printed((item.text, item.text, item.page) for item in own)
        if listed:
            return _Found(tuple(listed[:MOST_LISTED]), len(listed), match.rule.called[1], section, True)
    return None


def _printed(
    lines: Iterator[tuple[str, str, Page]] | Sequence[tuple[str, str, Page]],
) -> list[tuple[str, str, int]]:
    """The lines whose quote can be marked on its page."""
    return [(line, quote, page.page_number) for line, quote, page in lines if locate(quote, page) is not None]


def _text(query: str, found: _Found, match: SectionMatch) -> TextDraft:
    lines = enumerate((line for line, _, _ in found.lines), 1)
    sentences = [Sentence(text=_ended(line), evidence_numbers=[n]) for n, line in lines]
    return _drafted(TextDraft, sentences, query, found, match)


def _names(query: str, found: _Found, match: SectionMatch) -> NamesDraft:
    return _drafted(NamesDraft, [line for line, _, _ in found.lines], query, found, match)


def _drafted(form: type[_Form], answer: object, query: str, found: _Found, match: SectionMatch) -> _Form:
    section = found.section
    of = f" of {found.of}" if found.of > len(found.lines) else ""
    where = f"its section “{section.title}” ({_places(section)})" if section.title else _places(section)
    count = f"{len(found.lines)}{of} {found.what}"
    note = f"The report's own words, from {where}: {count}. No language model read or worded them."
    evidence = [passage(number, quote) for _, quote, number in found.lines]
    return drafted(form, query, answer, note, evidence, f"It was taken for {match.rule.title}. {note}")


def _ended(line: str) -> str:
    return line if re.search(r"[.!?;:]['\")]?$", line) else f"{line}."


def _places(section: Section) -> str:
    pages = page_ranges(section.pages)
    return f"pages {pages}" if len(section.pages) > 1 else f"page {pages}"
