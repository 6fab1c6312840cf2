"""Who holds an office, as directories and tables name them below or beside a label, and sentences name firms."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from indexes.roles.names import NAME, is_name
from indexes.roles.offices import Office, load_offices
from storage.lexicon.names import FORM_IN_SENTENCES
from storage.lexicon.words import expression
from storage.records.facts import Confidence, Seat
from storage.records.pages import Line, Page
from storage.records.record import Box
from storage.text import plain, words

_WORD = r"[A-Z0-9](?:[\w&'’/-]|\.(?=[A-Z&])|(?<=[A-Z])\.){0,24}"
_JOINED = r"(?:(?:of|and|&|de|du|der|van|for|the|in) ){0,2}"
FORM = rf"(?:{FORM_IN_SENTENCES}|LLP|LP|L\.P\.|N\.A\.|NA|P\.C\.|Pty|PLLC|PC|Bank|Trust)"
_FIRM = (
    rf"(?P<name>{_WORD}(?: (?:\([A-Z][\w ]{{1,30}}\)|{_JOINED}{_WORD})){{0,7}}"
    rf"(?:,? (?:N\.A\.|Inc\.?|LLC|L\.L\.C\.|LLP|L\.P\.|Ltd\.?|Limited|P\.C\.|S\.A\.|plc|National Association"
    rf"|(?!As\b|In\b|Our\b|The\b)[A-Z][a-z]+ [Bb]ranch)){{0,2}})"
)
NETWORK = (  # firms whose name is known without a legal form
    r"(?:KPMG|Deloitte|DELOITTE|PwC|PricewaterhouseCoopers|PRICEWATERHOUSECOOPERS|(?:Ernst|ERNST) (?:&|and|AND)"
    r" (?:Young|YOUNG)|BDO|RSM|Grant Thornton|GRANT THORNTON|Mazars|MAZARS|Forvis|FORVIS|Crowe|Baker Tilly|PKF|HLB"
    r"|Computershare)"
)
_HAS_FORM = expression(
    rf"(?<![\w.]){FORM}(?![\w])|(?:&|and) (?:Co\b|Associates\b)|&Co\b|\b(?:Bank|Banc|Trust"
    rf"|Branch|Securities|Services|Registrars|Audit|AUDIT|Partners|Wirtschaftspr\w{{2,20}}|{NETWORK})\b"
)
_ADDRESS = expression(
    r"(?i)^\W{0,3}\d|\b(?:street|road|avenue|drive|floor|level|suite|house|box|lane|square|plaza|boulevard|terrace"
    r"|parade|court|place|way|telephone|tel|fax|phone|email|e-mail|website)\b|@|www\.|\+\d|\d{4,}"
)
_AROUND_LABEL = (
    r"(?:(?:the|our|its|company|company's|joint|principal|registered|and|&|to|of|as|group|uk|us|share|sole|english"
    r"|australian|canadian|german|swiss|independent|external|general|lead)\W{1,3}){0,4}"
)
_LEFT = expression(
    r"(?i)\b(?:former(?:ly)?|previous(?:ly)?|predecessor|resigned|retired|until|ceased|deputy|assistant|replaced"
    r"|succeeded|stepped down|prior to|served as|was (?:the|our|its)|worked as|acted as|ex-|career)\W{0,40}\w{0,12}$"
)
_LEAVES = expression(r"(?i)^.{0,40}\b(?:resigned|retired|until|ceased|stepped down|left|to [A-Z]\w+ 20\d\d)\b")
_OF_ANOTHER = expression(
    r"^,? ?(?:of|at|for) (?!the (?:Company|Group|Bank|Trust|Corporation|Board)|our |us\b)(?:the )?[A-Z]"
)
_BELOW, _ASIDE, _ROW = 45, 12, 4  # points between a label and what it names
_GAP = 7  # points between paragraphs
_MOST_BELOW = 12  # lines
_DIRECTORY, _LISTED, _SAID = 3, 2, 1  # how much a place counts
_NO_FIRMS = frozenset(
    words(
        "the our its we it this company group board directors trust bank note notes item table page section exhibit"
        " form act agreement each such these there subject under all any if no not mr ms dr united states new york"
        " since"
    )
)
_BEGINS_WITH_FORM = expression(rf"^(?:{FORM_IN_SENTENCES})[.,]? (?:and|&) ")
_LEGAL_FORM = expression(
    rf"(?<=[\w.]),? (?:{FORM_IN_SENTENCES}|LLP|Pty Ltd|Pty Limited)(?![\w.])(?: ?\([A-Z][\w ]{{1,20}}\))?"
)
_LONGEST_LISTED = 5  # words of a firm in a list of several
_LONGEST = 300  # letters of a quote


@dataclass(frozen=True)
class Holder:
    """A person or firm with the words that name it.

    Attributes:
        weight: how much the place of the words counts.
        label: the printed label that stands above or beside the name; "" in a sentence.
    """

    name: str
    quote: str
    page: Page
    weight: int
    label: str = ""
    box: Box | None = None

    @property
    def key(self) -> str:
        """The same for all spellings of a name."""
        return re.sub(r"\W", "", " ".join(self.name.lower().split()[:2]))

    def seat(self, office: Office, confidence: Confidence = "medium") -> Seat:
        """The seat that the words give."""
        return Seat(
            name=self.name,
            role=office.id,
            title=office.id.capitalize(),
            report_sha1=self.page.report_sha1,
            page_number=self.page.page_number,
            quote=self.quote,
            boxes=(self.box,) if self.box else (),
            confidence=confidence,
        )


def holders_in(office: Office, pages: Sequence[Page], company: str) -> list[Seat]:
    """Whom most and the surest places name, with all others below the same label; none where two are named alike.

    Args:
        office: that they hold.
        pages: of the report, in any order.
        company: whose report it is, and which holds no office for itself.
    """
    reader = HolderReader(office, company)
    found = [h for page in sorted(pages, key=lambda p: p.page_number) for h in reader.in_page(page)]
    weights = Counter[str]()
    for holder in found:
        weights[holder.key] += holder.weight
    ranked = [*weights.most_common(), ("", 0)]
    (best, most), second = ranked[0], ranked[1][1] if len(ranked) > 1 else 0
    own = [holder for holder in found if holder.key == best]
    if not own:
        return []
    first = max(own, key=lambda holder: holder.weight)
    listed = [h for h in found if first.label and (h.page, h.label) == (first.page, first.label)]
    if len(listed) <= 1 and most <= second:
        return []
    once = {holder.key: holder for holder in reversed(listed or [first])}
    return [holder.seat(office) for holder in [*once.values()][::-1]]


class HolderReader:
    """Finds the holders of one office."""

    def __init__(self, office: Office, company: str) -> None:
        """The company holds no office for itself."""
        self._own = set(re.findall(r"\w+", company.lower())) - {"bank", "trust", "limited", "inc", "plc", "corp"}
        self._is_person = office.holder == "person"
        self._is_said = office.in_sentences and not self._is_person
        entity, title = NAME if self._is_person else _FIRM, office.in_print
        any_title = "|".join(other.in_print for other in load_offices() if not other.is_chief)
        self._any_label = re.compile(
            rf"(?i)^{_AROUND_LABEL}(?:{any_title}|directors?|registered office|head office"
            r"|(?:corporate )?headquarters)\b.{0,40}:?$"
        )
        self._title = re.compile(rf"\b{title}(?!\w)")
        self._label = re.compile(
            rf"(?i)^{_AROUND_LABEL}(?:(?:{any_title})(?:,| and| &| ?/| to|) ){{0,2}}{title}"
            rf"(?:(?: and|,| &| ?/)? (?:{any_title}|directors?|chief [a-z]+ officer|[a-z]+ officer)){{0,3}}"
            r"(?: (?:to|of|for|as) [\w ,'’]{2,40})?\s?:?$"
        )
        self._label_first = re.compile(rf"^(?i:{_AROUND_LABEL}){title} (?=[A-Z0-9])")
        self._beside = re.compile(rf"^(?i:{_AROUND_LABEL}){title}\s?[:|–-]\s?{entity}")
        short = r"(?:(?:our|the|its|a|an|Company(?:'s|’s)?|[Jj]oint|sole|and|&|as|,|of|is|Group|Executive|Vice) ?){0,5}"
        acts = r"(?:is|are|serves|acts|acting|serving|has been|was appointed|continues|has acted|has served)"
        forms = (
            rf"{_FIRM}(?:,? ?(?:\([^)]{{2,60}}\)|(?:a|an) [^,]{{3,60}}|{_WORD}),?)? ?,? {acts}(?: \w+){{0,3}}? ?"
            rf"(?:as )?{short}(?:[\w-]+ ){{0,2}}{title}",
            rf"(?:[Oo]ur|[Tt]he|[Ii]ts|Company['’]s) (?:[\w-]+ ){{0,2}}{title}"
            rf"(?: (?:for|of|to) (?:our|the) [\w ]{{3,40}})?(?:,? (?:is|are)|,(?= [^,.]{{3,60}}, ha(?:s|ve|d)\b))"
            rf" {_FIRM}",
            rf"(?:appointed|engaged|retained|with|by) {_FIRM},? (?:\([^)]{{2,60}}\),? )?(?:to act )?as "
            rf"{short}(?:[\w-]+ ){{0,2}}{title}",
        )
        self._forms = [re.compile(rf"(?<![\w&.]){form}") for form in forms]

    def in_page(self, page: Page) -> Iterator[Holder]:
        """The holders that one page names."""
        if not any(self._title.search(block.text) for block in page.blocks):
            return
        lines = [line for block in page.blocks if block.table is None for line in block.lines]
        for line in lines:
            text = plain(line.text)
            if (match := self._beside.match(text)) and (name := self.valid(match["name"])):
                yield Holder(name, text, page, _DIRECTORY, text[: match.start("name")], line.box)
            elif len(text) < 90 and (self._label.match(text) or self._label_first.match(text)):
                yield from self._labelled(line, lines, page)
        for block in page.blocks:
            if block.table is not None:
                for row in block.table.grid():
                    yield from self._of_row([plain(cell) for cell in row], page, block.box)
                continue
            if not self._is_said:
                continue
            texts = [plain(block.text)]
            texts += [f"{a}, {b}" for a, b in pairwise(plain(line.text) for line in block.lines) if len(a) < 60]
            for text in texts if self._title.search(texts[0]) else ():
                yield from self._said(text, page, block.box)

    def _said(self, text: str, page: Page, box: Box) -> Iterator[Holder]:
        for form in self._forms:
            for match in form.finditer(text):
                name = self.valid(match["name"], said=True)
                lead, tail = text[max(0, match.start() - 40) : match.start()], text[match.end() : match.end() + 60]
                between = f"{lead}{match[0].replace(match['name'], ' ')}"
                is_past = _LEFT.search(between[: len(lead)]) or re.search(r"(?i)\bformer|\bpast\b", between)
                another = _OF_ANOTHER.match(tail)
                is_another = another is not None and tail[another.end() - 1 :].split()[0].lower() not in self._own
                if name and not is_past and not _LEAVES.match(tail) and not is_another:
                    yield Holder(name, match[0][:_LONGEST], page, _SAID, box=box)

    def _of_row(self, cells: Sequence[str], page: Page, box: Box) -> Iterator[Holder]:
        filled = [cell for cell in cells if cell]
        for label, cell in pairwise(filled):
            if len(label) < 90 and self._label.match(label) and (name := self._first(cell)):
                yield Holder(name, name, page, _LISTED, label, box)

    def _first(self, text: str) -> str:
        """The name that a cell or a line begins with; "" where it begins with none."""
        match = re.match(NAME if self._is_person else _FIRM, text)
        return self.valid(match["name"]) if match is not None else ""

    def _labelled(self, label: Line, lines: Sequence[Line], page: Page) -> Iterator[Holder]:
        """The names right beside or below a label, down to the next label."""
        box = label.box
        in_row = (o for o in lines if abs(o.box.top - box.top) < _ROW and o.box.left > box.left + _ASIDE)
        beside = [o for o in in_row if self._first(plain(o.text)) and not self._any_label.match(plain(o.text))]
        column = min(beside, key=lambda o: o.box.left).box.left if beside else box.left
        below = sorted(
            (
                o
                for o in lines
                if abs(o.box.left - column) < _ASIDE and o.box.top > box.top - (_ROW if beside else 0)
            ),
            key=lambda o: o.box.top,
        )
        at, is_first = box.bottom, True
        for line in [o for o in below if o is not label][:_MOST_BELOW]:
            text = plain(line.text)
            if line.box.top - at > _BELOW or self._any_label.match(text):
                return
            name = self._first(text)
            is_named = bool(name) and not _ADDRESS.search(text) and (is_first or self._is_listed(text, name))
            if is_named:
                yield Holder(name, text, page, _DIRECTORY, plain(label.text), line.box)
            elif is_first or (line.box.top - at > _GAP and not _ADDRESS.search(text)):
                return
            at, is_first = line.box.bottom, False

    def _is_listed(self, text: str, name: str) -> bool:
        """Whether a line below the first one is one more name, and no part of an address."""
        if self._is_person:
            return len(name) >= len(text) * 0.5
        return _HAS_FORM.search(text) is not None and name == text and len(name.split()) <= _LONGEST_LISTED

    def valid(self, name: str, *, said: bool = False) -> str:
        """The name without marks at its ends; "" for what is none, or is the company itself.

        In a sentence a firm has its legal form, since other words have capitals too.
        """
        bare = re.sub(r" ?\(\d{1,2}\)$", "", name).strip(" ,;:")
        if self._is_person:
            is_one = is_name(bare) and bare.split()[-1][0].isupper() and not _ADDRESS.search(bare)
            return bare if is_one else ""
        bare = _one_firm(_BEGINS_WITH_FORM.sub("", bare))
        own = re.findall(r"[\w']+", bare.lower())
        if not own or own[0] in _NO_FIRMS or set(own) <= self._own or self._title.fullmatch(bare):
            return ""
        is_firm = not said or _HAS_FORM.search(bare) is not None
        return bare if is_firm and len(bare) > 2 and not bare.isdigit() and not _ADDRESS.search(bare) else ""


def _one_firm(name: str) -> str:
    """The last of several joined firms, without what stands behind its legal form in a line of two columns."""
    joined = name.rsplit(" and ", 1)
    if len(joined) > 1 and all(_HAS_FORM.search(part) for part in joined):
        name = joined[1]
    form = _LEGAL_FORM.search(name)
    behind = name[form.end() :] if form is not None else ""
    is_part_of_it = behind.lstrip().startswith("(") or behind.lower().endswith(" branch")
    return name if form is None or is_part_of_it else name[: form.end()].strip()
