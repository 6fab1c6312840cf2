"""What a section lists and says: its headings, the titles of its points, its rows, its sentences."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from indexes.facts.sentences import sentences_of
from indexes.sections.section_map import blocks_of
from query_engines.company_names.vocabulary import is_common
from storage.lexicon.words import CONNECTIVE, ITSELF, expression
from storage.records.pages import Block, Page
from storage.records.sections import Section, bare_title, is_continued
from storage.text import BULLETS, plain, words

_FEWEST = 3
_MOST_WORDS = 60  # of a sentence that heads a paragraph
_FOLLOWED = 1.2  # a paragraph under a heading is longer than it by this factor
_LONG = 160  # letters
_BELOW = 90  # letters that stand under a heading at least
_TITLED = expression(
    rf"^(?:[{BULLETS}\-*\u2013]\s{{0,3}})?(?P<title>[A-Z][^.:;|]{{3,90}}?)\s{{0,2}}(?::"
    r"|\s[\u2013\u2014-]\s)\s{0,3}(?=[A-Z]\w)"
)
_POINT = expression(rf"^(?:[{BULLETS}*\-]\s{{0,3}})(?P<title>[A-Z][^.:;|]{{2,60}})\.\s{{1,3}}(?=[A-Z]\w)")
_POINT_WORDS = 6
# Words in capitals before a sentence: "b. EXPLORATION RISK The ground …".
_CAPITALS = expression(
    r"^(?:\(?[a-z0-9]{1,3}[.)] |["
    + BULLETS
    + r"*\-] ?)?(?P<title>[A-Z]{3,}[A-Z0-9/&,' -]{3,80}?) (?=[A-Z][a-z]+ \w|An? [a-z])"
)
_LINE_WORDS = 12  # of a heading in one line, which is no sentence that goes on below
_NO_HEADING = expression(
    r"(?i)^(?:table of contents|contents|description|mitigat\w+.{0,30}|impact|change|risks?|link.{0,20}|page"
    r"|notes?"
    r"|part [ivx]+|potential .{0,20}|action.{0,20}|overview|introduction|summary|general|available information"
    r"|item \d.*|unresolved staff comments|(?:unaudited )?pro[ -]?forma.*|(?:risk )?(?:possible "
    r"|potential )?consequences?.*"
    r"|risk (?:management|appetite|governance|assessment).*|(?:.{3,30} )?framework|trend.{0,10}"
    r"|mine safety.*|viability statement|going concern.{0,12}|responsib\w+.{0,20}|year ended.*|as at.*|at \d.*"
    r"|(?:other )?(?:identifiable )?intangible.*"
    r"|\d{2,3} [A-Z].*|goodwill.*|.{0,20}purchase price allocation|approval|\W+)$"
)
_GROUP = expression(
    r"(?i)^(?:general |other |summary of )?risk(?:s|factors| factors)?(?: factors)?\b(?! of)|^summary\b"
    r"|^[^.]{3,60} risks\.?$"
)
_HAZARD = expression(
    r"(?i)\b(?:may|might|could|can|risks?|if|unless|depend\w*|subject to|advers\w+|fail\w*|los[st]\w*"
    r"|compet\w+|uncertain\w*"
    r"|unable|not|no|limited|difficult\w*|harm|impact|affect\w*|exposed?|reli(?:es|ance)|rely|volatil\w*"
    r"|require\w*)\b"
)
_MANAGEMENT = frozenset({"risk management", "risk management framework"})
_NO_NAME = expression(
    r"(?i)(?:total|balance|name|company|subsidiar\w*|other|at|as at|opening|closing|net|less|sub)\b"
)
_SHARE = 0.7
_FEWEST_NAMED = 2


@dataclass(frozen=True)
class Listed:
    """One thing that a section lists, as printed.

    Attributes:
        group: the heading above it, where it is a heading itself.
    """

    text: str
    page: Page
    group: str = ""

    @property
    def key(self) -> str:
        """Its words alone, for finding it again."""
        return re.sub(r"\W+", "", self.text.lower())


def headings_in(section: Section, pages: Sequence[Page], after: Section | None = None) -> list[Listed]:
    """The headings of a section: sentences that head paragraphs, else the layout's headings, else titles of points."""
    blocks = blocks_of(section, pages, after)
    layout = _distinct(_layout_headings(blocks, section))
    titles = _distinct(_titles(blocks))
    if section.kind != "risks":
        return layout if len(layout) >= _FEWEST_NAMED or len(titles) < _FEWEST else titles
    heads = [head for head in _distinct(_heads(blocks)) if not _GROUP.match(head.text) and heads_a_risk(head.text)]
    lines = [head for head in heads if head.text[-1:].isalnum() and head.key not in {h.key for h in layout}]
    if len(lines) >= _FEWEST and len(lines) >= len(layout):
        return lines
    heads = [head for head in heads if head not in lines]
    is_of_risks = sum(_HAZARD.search(head.text) is not None for head in heads) >= _SHARE * len(heads)
    if is_of_risks and len(heads) >= max(2 * _FEWEST, len(layout)):
        return heads
    own = [head for head in layout if not _GROUP.match(head.text)]  # groups of risks are no risks
    if len(own) < _FEWEST and len(titles) >= _FEWEST:
        return titles
    is_named = len(own) >= _FEWEST_NAMED and all(words(head.text)[-1:] == ["risk"] for head in own)
    return own if len(own) >= _FEWEST or is_named else layout if own and len(layout) >= _FEWEST else []


def has_own_name(heading: str, company: str) -> bool:
    """Whether a heading has a word that is only a name, and not the company's: "Neustar", not "Acquisition costs"."""
    own = set(company.lower().split())
    words = re.findall(r"[^\W\d_]+", heading)
    return any(word[0].isupper() and not is_common(word.lower()) and word.lower() not in own for word in words)


def is_of_management(section: Section) -> bool:
    """Whether a section of risks only tells how they are managed, by its title."""
    return section.kind == "risks" and bare_title(section.title).lower() in _MANAGEMENT


def heads_in(section: Section, pages: Sequence[Page], after: Section | None = None) -> list[Listed]:
    """Every heading of a section and every sentence that heads a paragraph, each with the heading above it."""
    blocks = blocks_of(section, pages, after)
    return _distinct([*_heads(blocks), *_layout_headings(blocks, section)])


def rows_in(section: Section, pages: Sequence[Page], after: Section | None = None) -> list[Listed]:
    """The first cells of the rows of a section's tables that begin with a name."""
    found: list[Listed] = []
    for page, block in blocks_of(section, pages, after):
        if block.table is None:
            continue
        grid = block.table.grid()[block.table.header_row_count :]
        labels = [
            " ".join(row[0].split()) for row in grid if row and row[0] and any(cell.strip() for cell in row[1:])
        ]
        found += [Listed(label, page) for label in labels if _is_name(label)]
    return _distinct(found)


def _is_name(label: str) -> bool:
    return 3 <= len(label) <= 90 and label[0].isupper() and not _NO_NAME.match(label)


def _heads(blocks: Sequence[tuple[Page, Block]]) -> Iterator[Listed]:
    """Sentences that stand alone over a longer paragraph."""
    group = ""
    for i, (page, block) in enumerate(blocks[:-1]):
        text = " ".join(block.text.split())
        if block.kind == "heading":
            group = text
        after = blocks[i + 1][1]
        is_over = after.kind in ("paragraph", "list_item") and len(after.text) > max(_LONG, _FOLLOWED * len(text))
        is_short = 4 <= len(text.split()) <= _MOST_WORDS and block.kind in ("paragraph", "heading")
        is_sentence = text.endswith((".", "!")) and ". " not in text[:-1].replace("U.S. ", "")
        is_line = len(block.lines) == 1 and text[-1:].isalnum() and len(text.split()) <= _LINE_WORDS
        ends = block.kind == "heading" or is_sentence or is_line
        if is_over and is_short and ends and text[:1].isupper() and not _is_no_heading(text):
            yield Listed(text, page, group if block.kind != "heading" else "")


def _layout_headings(blocks: Sequence[tuple[Page, Block]], section: Section) -> Iterator[Listed]:
    repeated = Counter(bare_title(block.text) for _, block in blocks if block.kind == "heading")
    for i, (page, block) in enumerate(blocks):
        text = " ".join(block.text.split())
        bare = bare_title(text)
        below = blocks[i + 1][1] if i + 1 < len(blocks) else None
        is_over_heading = below is not None and below.kind == "heading" and section.kind != "risks"
        if below is None or (below.table is None and len(below.text) < _BELOW and not is_over_heading):
            continue
        if block.kind != "heading" or len(block.lines) > 4 or is_continued(text) or repeated[bare] > 2:
            continue
        if bare == bare_title(section.title) or _is_no_heading(text) or len(bare) < 4 or text[:1].islower():
            continue
        yield Listed(text, page)


def _titles(blocks: Sequence[tuple[Page, Block]]) -> Iterator[Listed]:
    """The words before the dash or colon that open a paragraph or a point."""
    for page, block in blocks:
        text = plain(block.text)
        point = _POINT.match(text) if block.kind == "list_item" else None
        match = _TITLED.match(text) if block.kind in ("paragraph", "list_item") else None
        match = point if match is None and point and len(point["title"].split()) <= _POINT_WORDS else match
        match = match or _CAPITALS.match(text)
        if (
            match
            and len(match["title"].split()) <= 10
            and len(block.text) > 80
            and not _is_no_heading(match["title"])
        ):
            yield Listed(match["title"].strip(), page)


def _is_no_heading(text: str) -> bool:
    return _NO_HEADING.match(text) is not None or text.count("|") > 0


def _distinct(found: Iterable[Listed]) -> list[Listed]:
    once: dict[str, Listed] = {}
    for listed in found:
        once.setdefault(listed.key, listed)
    return list(once.values())


_SHORTEST, _LONGEST, _BEGINNING = 35, 700, 60  # letters
_IS = expression(
    r"^(?:[A-Z][\w&,.' -]{1,140}?|We|The (?:Company|Group|Corporation|Bank|Trust"
    r"|Fund))(?<!'s)[, ]"
    r"(?:(?:is|are)(?! (?:operated|managed|advised|owned|controlled|subject|not|required|expected|able)\b)"
    r"|was (?:incorporated|formed|founded|established)|operates?|provides?|designs?|develops?|manufactures?"
    r"|offers?|owns?|engages?|specialises?|specializes?)\b"
)
_IS_A = expression(
    rf"^(?:We|The (?:{ITSELF}|Fund)|(?:(?:[A-Z][\w&.'-]*|of|and|&),? ){{0,8}}(?:[A-Z][\w&.'-]*|plc),?)"
    r"(?: (?:is|are) (?:an? |the (?!only)|one of )|(?<=,) (?:an?|the) [a-zA-Z][^,.;]{20,160}, (?:is|are|has|have)\b)"
)
_BELIEVED = ("We believe", "We expect", "We intend")
_ITSELF = ("we ", "the company", "the group", "the corporation", "the bank", "the trust")
_WHAT = expression(
    r"\b(?:an? |the |one of |leading|engaged|provid\w+|operat\w+|develop\w+|manufactur\w+|design\w+|hold\w+)\b"
)
_ASIDE = expression(r" ?\([^()]{0,120}\)")
_ASSURES = expression(r"(?i)^(?:there can be no assurance|we (?:cannot|can not|can't) (?:assure|guarantee))\b")
_NOTHING = frozenset({"none", "nil", "not applicable", "n/a", "na"})
_LEANS = expression(
    rf"^(?:\(\d{{1,2}}\) |(?:{CONNECTIVE}|That|For (?:example|instance))\b"
    r"|(?:It|They|He|She|Its|Their|His|Her|That|This|These|Those|Both|All|Some|Many|Most|Each|Others?)"
    r" (?:is|are|was|were|has|have|had|will|may|can|could|would)\b"
    r"|[^,.;:]{0,60}\b(?:[Tt]h(?:is|ese|ose)|[Ss]uch(?! as\b)|the (?:former|latter|foregoing))"
    r" (?!(?:(?:annual |integrated )?report|(?:fiscal |financial )?year|period|date|day|time)\b)[a-z]"
    r"|[^,.;:]{0,60}\b(?:described|mentioned|discussed|listed|noted|set out) (?:above|earlier)\b"
    r"|(?:We|The \w+)(?: \w+)? also\b)"
)
# Two texts that run into one: a sentence in another one, a word in lower case behind a point, a list without its start.
_RUNS_TOGETHER = expression(
    r"[a-z]{5}(?<!approx)\. [a-z]{2}"
    r"|[a-z] (?:Our|We|This|These|Their|They|It|In|As|However) (?:[a-z]+ [a-z]+|[A-Z][a-z]+ \d)"
    r"|^[^1]{0,600}(?:[,;]|\band|\bor) [2-9]\) "
)
# A heading before its sentence: "MARKET RISK Prices may …", "Ann Bakker Ms. Bakker was …".
_HEADED = expression(
    r"\b[A-Z]{3,20} [A-Z]{3,20} (?:The|We|Our|An?|[A-Z][a-z]+) [a-z]+ "
    r"|\b([A-Z][\w-]{1,30})\W{1,3}(?:Mr|Mrs|Ms|Dr)\.? \1\b"
)


@dataclass(frozen=True)
class Said:
    """A sentence as printed, with its page."""

    text: str
    page: Page


def sentences_in(section: Section, pages: Sequence[Page], after: Section | None = None) -> list[Said]:
    """The whole sentences of a section in their order."""
    found: dict[str, Said] = {}
    blocks = blocks_of(section, pages, after)
    for page in {p.page_number: p for p, _ in blocks}.values():
        own = tuple(block for on, block in blocks if on is page)
        for sentence in sentences_of(page.model_copy(update={"blocks": own})):
            text = sentence.text.strip()
            is_whole = text[-1:] in ".!?)\"'" and not text[:1].islower()
            if is_whole and _SHORTEST <= len(text) <= _LONGEST:
                found.setdefault(text, Said(text, page))
    return list(found.values())


def what_it_is(said: Sequence[Said], company: str, *, anywhere: bool = False) -> Said | None:
    """The first sentence that says what the company is and does; None where none does.

    Args:
        said: sentences of the section about the business; of any pages if `anywhere`, and then only "X is a …" counts.
        company: its name.
        anywhere: see above.
    """
    own = company.split()[0].lower()
    for sentence in said[:60]:
        text = _ASIDE.sub("", sentence.text)
        is_of_its_own = "'s " in text[:_BEGINNING].partition(",")[0]  # "Acme's products are …"
        begins = text.lower().startswith((own, *_ITSELF)) and not is_of_its_own
        begins = begins and not text.startswith(_BELIEVED)
        is_definition = _IS_A.match(text) if anywhere else _IS.match(text)
        if begins and is_definition and _WHAT.search(text[:260]) and is_one_sentence(text) and stands_alone(text):
            return sentence
    return None


def stands_alone(text: str) -> bool:
    """Whether a sentence can be read without the one before it: "In such instances they …" cannot."""
    return _LEANS.match(plain(text)) is None


def is_one_sentence(text: str) -> bool:
    """Whether a sentence is one: no heading or other column ran into it."""
    return not (runs_together(text) or _HEADED.search(plain(text)))


def runs_together(text: str) -> bool:
    """Whether sentences of two columns, or of a picture and the text beside it, stand in one."""
    return _RUNS_TOGETHER.search(plain(text)) is not None


def heads_a_risk(heading: str) -> bool:
    """Whether a sentence over a paragraph heads it, and does not go on with the one before or only assures nothing."""
    return stands_alone(heading) and _ASSURES.match(heading) is None


def is_nothing(text: str) -> bool:
    """Whether it is all that stands below a heading that has nothing to tell: "None", "Not applicable"."""
    return plain(text).lower().removesuffix(".") in _NOTHING


def nothing_in(section: Section, pages: Sequence[Page], after: Section | None = None) -> Said | None:
    """The heading of a section with the one word below it, where that is "None" or "Not applicable"."""
    blocks = [(page, block) for page, block in blocks_of(section, pages, after) if block.kind != "heading"]
    if len(blocks) != 1 or not is_nothing(blocks[0][1].text):
        return None
    page, block = blocks[0]
    return Said(f"{section.title} {plain(block.text)}", page) if page.page_number == section.first_page else None
