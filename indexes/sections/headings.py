"""The lines of a report that may be headings, those that count (standard items, numbered notes), what is below one."""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from storage.lexicon.words import expression
from storage.records.pages import Block, Line, Page
from storage.records.record import Box
from storage.records.sections import MOST_TITLE, bare_title, is_continued, split_number
from storage.text import plain

_MOST_WORDS = 16
_MOST_WORDS_OF_AN_ITEM = 24
_MOST_LINES = 3  # of a paragraph that may be a heading
_LARGE = 1.15  # print higher than the report's usual print by this factor is large
_ITEM = expression(
    r"(?i)^item\s{0,3}\d{1,2}\s{0,2}\.?\s?[a-k]?\b[\s.:)\-]{0,6}(?P<title>[\[(]?[a-z][^|]{2,160})?$"
)
_NOTE = expression(
    r"(?i)^(?:note\s{0,2})?\(?(?P<number>\d{1,2})\)?(?:[.):\-]\s{0,3}|\s{1,4})(?P<title>[a-zÀ-ÿ][^|]{2,120})$"
)
_COLUMNS = expression(r"(?:\s(?:19|20)\d\d){2,4}(?:\s(?:[$€£]|[A-Z]{0,3}[$€£]?'?000s?)){0,4}$")
_GOES_ON = expression(r"(?:[,&/]|(?i:\b(?:and|or|of|the|a|an|for|to|in|on|by|with)))$")
_NOTHING = expression(r"(?i)^\[?\(?(?:none|not applicable|n/a|reserved|omitted)\b")
_FULL_LINE, _WORDS_LEFT = 60, 4  # letters of a title that its line may cut, and words of it in the next one
_MOST_OF_A_LARGE = 6  # lines of a paragraph in large print whose first line may be a heading
_SENTENCE = expression(
    r"[.;,]$|\. [A-Z]|\b(?:of this|see|refer to|is incorporated|as described|set forth)\b|\$|[€£%]"
)


@dataclass(frozen=True)
class Candidate:
    """A line, or a short block, that may be a heading.

    Attributes:
        place: the block and line on the page, for the order.
        size: height of its print in points.
        is_heading: whether the layout says that it is a heading.
        is_running: whether it is a running head or a margin.
        is_continued: whether it says "continued".
    """

    text: str
    page_number: int
    place: tuple[int, int]
    box: Box | None
    size: float
    is_heading: bool = False
    is_running: bool = False
    is_continued: bool = False
    is_large: bool = False

    @property
    def at(self) -> tuple[int, int, int]:
        """Page, block and line, for the order."""
        return (self.page_number, *self.place)

    @property
    def bare(self) -> str:
        """The bare title."""
        return bare_title(self.text)


def candidates_of(pages: Sequence[Page]) -> list[Candidate]:
    """The possible headings in the order of the pages."""
    usual = _usual_size(pages)
    return [found for page in pages for found in _on(page, usual)]


def is_item(text: str) -> re.Match[str] | None:
    """Whether a line is the heading of a standard item; its group `title` may be empty."""
    return _ITEM.match(plain(text))


def numbered(text: str) -> re.Match[str] | None:
    """Whether a line is a heading with a number, with the groups `number` and `title`."""
    return _NOTE.match(plain(text))


def _usual_size(pages: Sequence[Page]) -> float:
    sizes = Counter[float]()
    for page in pages:
        for block in page.blocks:
            if block.kind == "paragraph" and block.lines:
                sizes[round(_size(block), 0)] += sum(len(line.text) for line in block.lines)
    return sizes.most_common(1)[0][0] if sizes else 10.0


def _size(block: Block) -> float:
    box = block.lines[0].box if block.lines else block.box
    return min(box.height, box.width)


def _on(page: Page, usual: float) -> Iterator[Candidate]:
    for i, block in enumerate(page.blocks):
        size = _size(block)
        for line, text, box in _texts(block, is_large=size >= usual * _LARGE):
            title = _as_title(text)
            if not _may_be_heading(title):
                continue
            yield Candidate(
                text=title,
                page_number=page.page_number,
                place=(i, line),
                box=box,
                size=size,
                is_heading=block.kind == "heading",
                is_running=block.kind == "furniture",
                is_continued=is_continued(text),
                is_large=size >= usual * _LARGE,
            )


def _as_title(text: str) -> str:
    """The text without the years of the columns beside it, and without a quotation mark that nothing closes."""
    title = _COLUMNS.sub("", plain(text))
    return title[1:] if title.startswith('"') and title.count('"') == 1 else title


def _texts(block: Block, *, is_large: bool) -> Iterator[tuple[int, str, Box | None]]:
    """What of a block may be a heading: all of a short one, else its lines that stand alone."""
    whole = " ".join(block.text.split())
    is_short = len(block.lines) <= _MOST_LINES and len(whole) <= MOST_TITLE
    if block.kind == "table":
        yield from _numbered_lines(block.lines[:_MOST_LINES], is_item)
    elif is_short and len(block.lines) > 1 and is_item(block.lines[0].text):
        yield from _item_and_rest(block)
    elif is_short:
        yield 0, whole, block.box
        if len(block.lines) > 1 and block.kind not in ("heading", "furniture"):
            yield from _numbered_lines(block.lines, _is_numbered)
    elif block.kind != "furniture":
        if is_large and 0 < len(block.lines) <= _MOST_OF_A_LARGE and not _is_numbered(block.lines[0].text):
            yield 0, _whole_title(block.lines)[0], block.lines[0].box
        yield from _numbered_lines(block.lines, _is_numbered)


def _is_numbered(text: str) -> bool:
    return is_item(text) is not None or numbered(text) is not None


def _numbered_lines(
    lines: Sequence[Line], is_one: Callable[[str], object]
) -> Iterator[tuple[int, str, Box | None]]:
    """The lines that are items or numbered headings, each with the lines on which its title goes on."""
    for i, line in enumerate(lines):
        if is_one(line.text):
            yield i, _whole_title(lines[i : i + _MOST_LINES])[0], line.box


def _item_and_rest(block: Block) -> Iterator[tuple[int, str, Box | None]]:
    """The item that opens a short block, and what stands below its title."""
    title, count = _whole_title(block.lines)
    rest = block.lines[count:]
    yield 0, title, block.box if not rest else block.lines[0].box
    if rest:
        yield count, " ".join(line.text for line in rest), rest[0].box


def _whole_title(lines: Sequence[Line]) -> tuple[str, int]:
    """The title that begins with the first line, where the end of the line cuts it, and of how many lines it is."""
    title, count = lines[0].text, 1
    while count < len(lines) and _continues(title, lines[count].text):
        title, count = f"{title} {lines[count].text}", count + 1
    return " ".join(title.split()), count


def _continues(title: str, line: str) -> bool:
    """Whether a title that the end of its line cuts goes on in the next one."""
    title, line = plain(title), plain(line)
    if not line or len(f"{title} {line}") > MOST_TITLE or _NOTHING.search(line) or _is_numbered(line):
        return False
    if _GOES_ON.search(title):
        return True
    if not is_item(title) or not title[-1].isalpha():
        return False
    if title.isupper() or line.isupper():
        return title.isupper() and line.isupper()
    is_left_over = len(title) >= _FULL_LINE and len(line.split()) <= _WORDS_LEFT and line.istitle()
    return line[0].islower() or is_left_over


def _may_be_heading(text: str) -> bool:
    plain_text = plain(text)
    words = plain_text.split()
    most = _MOST_WORDS_OF_AN_ITEM if is_item(plain_text) else _MOST_WORDS
    if not 0 < len(words) <= most or len(plain_text) > MOST_TITLE or not any(c.isalpha() for c in plain_text):
        return False
    if is_item(plain_text):
        return not re.search(r"(?i)\b(?:of this|see|in this|included in|of our|below|above)\b", plain_text)
    _, title = split_number(plain_text)
    return bool(title) and not _SENTENCE.search(title) and not title[0].islower()


_MOST_BELOW = 12  # blocks that are read below a heading
_WORDS_OF_A_SENTENCE, _WORDS_WITHOUT_STOP = 6, 20
_FEWEST_WORDS = 8  # of what is read as no sentence; "Dear shareholders," leads to some
_STOP = expression(r"[.!?:;][\"')\]]{0,2}$")
_BETWEEN = expression(r"(?<=[.!?;])\s+(?=[A-Z(])")
_POLICY = expression(
    r"(?i)\b(?:is|are|be) (?:\w{1,20} ){0,2}(?:recogni[sz]ed|measured|accounted|eliminated|(?:de-?)?consolidated"
    r"|classified|capitali[sz]ed|disclosed|adjusted|allocated|stated|expensed|deferred|incorporated)\b"
    r"|\b(?:accounts? for|methods? of accounting|acquisition method|subsidiaries are (?:all|those|entities)"
    r"|(?:incorporates?|includes?|comprises?) the (?:accounts|assets|financial|results)"
    r"|power (?:to direct|over)|determination of control|intra-?group|inter-?company"
    r"|have been (?:eliminated|incorporated|prepared)|control (?:is (?:achieved|obtained)|exists|ceases))\b"
)  # what an accounting policy says
_LAW = expression(
    r"(?i)\b(?:must|may not|requires?|required|prohibit\w{0,5}|regulat\w{1,8}|statut\w{1,5}|agency|authorities)\b"
)
_OWN = expression(r"(?i)\b(?:we|our|us|the (?:company|group|bank|trust)(?:'s)?)\b")
_TOLD = expression(r"[$€£¥]\s?\d|\d\s?(?:%|per cent|million|thousand|billion)|\b(?:19|20)\d\d\b")
_AUDITED = expression(
    r"(?i)\b(?:we|i) (?:have (?:also )?audited|were engaged to audit)\b|\bgepr[üu]ft\b"
    r"|\bavons effectu[ée] l'audit\b|\brevisione contabile\b|\bhemos auditado\b"
)
_OF_AN_AUDIT = expression(r"(?i)\baudit")
_LONGEST_AUDIT, _FEWEST_OF_AN_AUDIT = 12, 4  # pages, and how often each of them has the word


@dataclass(frozen=True)
class Body:
    """What stands below a heading, up to the next one.

    Attributes:
        sentences: sentences and lines.
        has_list: whether a table or a list is among it.
        is_alone: whether nothing but the heading stands on its page.
    """

    sentences: tuple[str, ...]
    has_list: bool = False
    is_alone: bool = False

    def is_policy(self, *, in_policies: bool) -> bool:
        """Whether it says how things are accounted for, and not what there is.

        Args:
            in_policies: whether it stands among the accounting policies, where one such sentence is enough.
        """
        policies = [s for s in self.sentences if _POLICY.search(s)]
        told = sum(_TOLD.search(s) is not None and not _POLICY.search(s) for s in self.sentences)
        if in_policies:
            return len(policies) > told
        return not told and len(policies) > 1 and 2 * len(policies) >= len(self.sentences)

    @property
    def is_law(self) -> bool:
        """Whether it says what the law asks of anybody, and not what the company does."""
        own = sum(_OWN.search(s) is not None for s in self.sentences)
        return sum(_LAW.search(s) is not None and not _OWN.search(s) for s in self.sentences) > own

    @property
    def is_void(self) -> bool:
        """Whether it says that there is nothing to say: "Not applicable."."""
        return bool(self.sentences) and _NOTHING.search(self.sentences[0]) is not None

    @property
    def is_without_sentence(self) -> bool:
        """Whether something stands there, such as an address, that is neither a sentence nor a list nor a figure."""
        words = sum(len(sentence.split()) for sentence in self.sentences)
        return words >= _FEWEST_WORDS and not (self.has_list or any(map(_says_something, self.sentences)))


class Bodies:
    """Reads what stands below the headings of a report."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self._pages = {page.page_number: page for page in pages}

    def below(self, candidate: Candidate) -> Body:
        """What stands below a heading, also where it goes on to the next page."""
        page, at, line = candidate.at
        own = self._pages[page].blocks
        following = self._pages.get(page + 1)
        sentences = _rest_of_block(own[at], line, candidate.text)
        has_list = False
        near = [*own[at + 1 :][:_MOST_BELOW], *(following.blocks[:_MOST_BELOW] if following else ())]
        for block in near[:_MOST_BELOW]:
            if block.kind == "furniture":
                continue
            if block.kind == "heading" or _is_numbered_title(block):
                break
            has_list |= block.kind in ("table", "list_item")
            sentences += _BETWEEN.split(plain(block.text))
        is_more = any(b.kind not in ("furniture", "picture") for i, b in enumerate(own) if i != at)
        return Body(tuple(filter(None, sentences)), has_list, is_alone=not is_more)

    def audit_from(self, page: int, block: int) -> str:
        """The first sentences of a report on an audit that begins at this block of the page; empty where none does."""
        texts = [b.text for b in self._pages[page].blocks[block:]] if page in self._pages else []
        following = self._pages.get(page + 1)
        texts += [b.text for b in following.blocks] if following else []
        return next((text for text in map(plain, texts) if _AUDITED.search(text)), "")

    def end_of_audit(self, page: int) -> int:
        """The last page of a report on an audit that begins on this one."""
        end = page
        while end + 1 in self._pages and end - page < _LONGEST_AUDIT:
            text = " ".join(block.text for block in self._pages[end + 1].blocks)
            if len(_OF_AN_AUDIT.findall(text)) < _FEWEST_OF_AN_AUDIT:
                break
            end += 1
        return end


def _rest_of_block(block: Block, line: int, title: str) -> list[str]:
    """The sentences of a paragraph behind the line that is a heading."""
    if block.kind in ("heading", "furniture") or len(title) >= len(plain(block.text)):
        return []
    return _BETWEEN.split(plain(" ".join(each.text for each in block.lines[line + 1 :])))


def _is_numbered_title(block: Block) -> bool:
    return len(block.lines) == 1 and _may_be_heading(block.text) and bool(split_number(block.text)[0])


def _says_something(sentence: str) -> bool:
    words = len(sentence.split())
    is_sentence = words >= _WORDS_OF_A_SENTENCE and _STOP.search(sentence) is not None
    return is_sentence or words >= _WORDS_WITHOUT_STOP or _TOLD.search(sentence) is not None


_FEWEST_NOTES = 5
_FEWEST_ITEMS = 5
_MOST_CHAINS = 4
_MOST_ON_A_PAGE = 6  # a page with as many different numbers is a list of what follows
_ITEM_NUMBER = expression(r"(?i)^item\s{0,3}(?P<number>\d{1,2})\s{0,2}\.?\s?(?P<letter>[a-k])?(?![a-z])")
_PART = expression(r"^[A-K]\.\s{1,3}\S")
_NOTE_TITLE = expression(
    r"\b(?:tax(?:es|ation)?|per (?:common |ordinary )?share|accounting policies|receivables?|payables?|provisions?"
    r"|intangibles?"
    r"|leases?|inventor(?:y|ies)|property,? (?:plant )?and equipment|borrowings?|debt|segments?|related part|goodwill"
    r"|steuern|ergebnis je|r[üu]ckstellungen|imp[ôo]ts?|r[ée]sultat par|imposte|utile per|impuestos?|beneficio por)\b"
)
_NOTE_TITLES = 3  # headings of a run that only notes have
_MOST_NOTE_WORDS = 14
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
    return match if is_title and len(candidate.text.split()) <= _MOST_NOTE_WORDS else None


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


def parts_of_items(candidates: Sequence[Candidate], items: Sequence[Candidate]) -> list[Candidate]:
    """The lettered parts of the standard items: A, B, C and so on, the first letter first within each item.

    Behind the last item, which lists the exhibits, stand the notes, whose letters are their own.
    """
    found: list[Candidate] = []
    starts = [item.at for item in items]
    expected: dict[int, str] = {}
    for candidate in candidates:
        letter = candidate.text[0]
        item = bisect_left(starts, candidate.at)
        is_next = candidate.is_heading and _PART.match(candidate.text) and letter == expected.get(item, "A")
        if 0 < item < len(starts) and is_next and not candidate.is_continued:
            expected[item] = chr(ord(letter) + 1)
            found.append(candidate)
    lettered = {bisect_left(starts, c.at) for c in found if c.text[0] == "B"}
    return [c for c in found if bisect_left(starts, c.at) in lettered]


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
