"""The firm that audits a report: who signs the auditor's report, or is called the auditor anywhere in the report."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from storage.lexicon.words import expression
from storage.records.facts import Person
from storage.records.pages import Line, Page
from storage.records.record import Box
from storage.records.sections import Section
from storage.text import plain

_WORD = r"[A-Z][\w&.'-]{0,24}"
_PLACE = r"\([A-Z][\w ]{1,20}\)"
_FORM = (
    r"(?:LLP|PLLC|LLC|P\.?C\.?|P\.?A\.?|Limited|LIMITED|Ltd\.?|LTD\.?|AG|GmbH|S\.?A\.?S?|S\.?p\.?A\.?"
    r"|S\.?L\.?|B\.?V\.?|N\.?V\.?|AB|AS|Pty|Audit|AUDIT|Partners|PARTNERS|Partnership|(?:&|and) ?Associates"
    r"|& ?ASSOCIATES|& ?Co\b\.?|& ?CO\b\.?|Wirtschaftspr\w{2,20}(?:- ?gesellschaft)?)"
)
_NETWORK = (  # firms whose name is known without a legal form
    r"(?:KPMG|Deloitte|DELOITTE|PwC|PricewaterhouseCoopers|PRICEWATERHOUSECOOPERS|(?:Ernst|ERNST) (?:&|and|AND)"
    r" (?:Young|YOUNG)|BDO|RSM|Grant Thornton|GRANT THORNTON|Mazars|MAZARS|Forvis|FORVIS|Crowe|Baker Tilly"
    r"|Moore Stephens|PKF|HLB|Nexia|William Buck|Pitcher Partners)"
)
_FIRM = (
    rf"(?P<firm>(?:(?:{_WORD},? |& |and |de ){{0,5}}?{_WORD}(?: {_PLACE})?"
    rf"(?:,? ?(?:USA |CI |UK |US )?{_FORM}(?![A-Za-z])(?: {_PLACE})?){{1,3}}"
    rf"|{_NETWORK}(?: & Touche| Touche Tohmatsu)?(?: {_PLACE})?))"
)
_AUDITOR = r"(?:[Aa]uditors?|AUDITORS?|[Rr]egistered [Pp]ublic [Aa]ccounting [Ff]irm|[Aa]ccounting [Ff]irm)"
_OF_IT = r"(?:our|the|its|the (?:Company|Group|Trust|Bank)'s)"
_NOTE = r"(?: ?\(?\d{1,2}\)?)?"
_TITLED = (
    r"(?:[Cc]hartered (?:[Pp]rofessional )?[Aa]ccountants|[Cc]ertified [Pp]ublic [Aa]ccountants"
    r"|[Ss]tatutory [Aa]udit(?:or|ors)\b|(?:[Ii]ndependent )?[Rr]egistered (?:[Aa]uditor|[Pp]ublic))"
)
_SIGNED = (
    expression(rf"^(?:/[sS] ?/|\((?i:signed)\)) ?(?:(?i:for) )?{_FIRM}{_NOTE}$"),
    expression(rf"^[Ff]or and on behalf of (?:the (?:audit )?firm )?{_FIRM},? ?(?:{_TITLED}.{{0,40}})?$"),
)
_TAGGED = expression(rf"\bAuditor Name:? {_FIRM}(?= Auditor|$)")
_CALLED = (
    expression(
        rf"\b{_AUDITOR},? (?:is |was |are |were )?{_FIRM}"
        r"(?:,? (?:(?:has|have|had|was|were|is|are|did|does|continues?)\b|\(P|audited)|[.]?$)"
    ),
    expression(
        rf"(?:^|(?<=[ (])){_FIRM},? (?:\([^)]{{2,30}}\),? )?(?:{_WORD}, )?"
        rf"(?:has |is |was |are |have |been |acted |serves? |served |as |continues in office |{_OF_IT} ){{1,5}}"
        rf"(?:independent |statutory |external |registered |public |group ){{0,4}}{_AUDITOR}\b"
    ),
)
_INDEXED = (
    expression(rf"^(?:\W|\d){{0,4}}Reports? of {_FIRM},? \(?(?:[Ii]ndependent|[Ss]tatutory)\b"),
    expression(
        rf"(?i:^.{{0,12}}\breports? of independent .{{0,30}}firm)(?:,| -| \u2013|:)? ?\(?{_FIRM}(?=[ ,;().]|$)"
    ),
)
_ADVISERS = expression(
    r"(?i)^(?:(?:the|company|joint|principal|legal|nominated|and|share) ){0,3}(?:solicitors?|registrars?|bankers?"
    r"|advisers?|advisors?|lawyers?|(?:share )?registry|brokers?|legal counsel)\b.{0,40}$"
)
_LABEL = expression(r"(?i)^(?:(?:independent|statutory|external|company|group|our|the) ){0,2}auditors?\s?:?$")
_LABELLED = expression(
    rf"^(?i:(?:(?:independent|statutory|external) )?auditors?)(?: ?:| ?\||  | )\s{{0,3}}{_FIRM}(?:,.{{0,60}})?$"
)
_ALONE = expression(rf"^{_FIRM},?$")
_OF_ACCOUNTANTS = expression(rf"^{_NETWORK}\b|\b(?:LLP|Audit|AUDIT|Wirtschaftspr\w{{2,20}})\b")
_ABOVE_TITLE = expression(rf"^{_TITLED}")
_PAST = expression(
    r"(?i)\b(?:former(?:ly)?|previous(?:ly)?|predecessor|prior (?:auditor|to)|replac\w{1,5}|resign\w{0,8}"
    r"|dismiss\w{0,6}|internal audit|until|next year|will be)\b"
)
_PAST_REPORT = expression(r"(?i)\bserved as the company's (?:predecessor )?auditor from\b|\bpredecessor auditor\b")
_OF_AUDIT = expression(r"(?i)\b(?:audited|our audits?|in our opinion|we consent|statutory auditors?|served as)\b")
_LONGEST = 160  # letters of a quoted line
_NEAR = 90  # letters beside a name that may say it is a former auditor's
_BELOW, _ASIDE = 30, 12  # points between a label and what stands below it
_ROW = 4  # points by which the tops of a row differ


@dataclass(frozen=True)
class _Named:
    """A firm with the words that call it the auditor.

    Attributes:
        rank: of the kind of words; the lowest is the surest.
    """

    firm: str
    quote: str
    page: Page
    box: Box
    rank: int

    @property
    def key(self) -> str:
        """The same for all spellings of a firm."""
        return firm_key(self.firm)


def auditor_of(
    pages: Sequence[Page], sections: Sequence[Section], company: str, report_sha1: str
) -> Person | None:
    """The firm that the surest words of a report call the auditor; None where they name none, or two alike.

    Args:
        pages: of the report.
        sections: of the report, among them the auditor's reports.
        company: whose report it is, and no auditor of itself.
        report_sha1: of the report.
    """
    own_words = _words_of(company)
    reported = {n for s in sections if s.kind == "auditor_report" for n in (*s.pages, s.last_page + 1)}
    all_found = (a for page in pages for a in _in_page(page, is_report=page.page_number in reported))
    found = [a for a in all_found if not _words_of(a.firm) <= own_words]
    if not found:
        return None
    surest = min(a.rank for a in found)
    named = Counter(a.key for a in found)
    best = [a for a in found if a.rank == surest]
    keys = sorted({a.key for a in best}, key=lambda key: -named[key])
    if len(keys) > 1 and named[keys[0]] == named[keys[1]]:
        return None
    own = [a for a in best if a.key == keys[0]]
    first = next((a for a in own if not a.firm.isupper()), own[0])
    return Person(
        name=first.firm,
        role="auditor",
        title="Auditor",
        report_sha1=report_sha1,
        page_number=first.page.page_number,
        quote=first.quote,
        boxes=(first.box,),
        confidence="high" if named[first.key] > 1 else "medium",
    )


def firm_key(name: str) -> str:
    """The same for all spellings of a firm's name: its first word."""
    return re.sub(r"\W", "", name.strip().partition(" ")[0]).lower()


def _words_of(name: str) -> set[str]:
    """The words of a name without its legal form, in lower case."""
    return set(re.findall(r"\w++", re.sub(rf"\b{_FORM}(?!\w)", " ", name).lower()))


def _in_page(page: Page, *, is_report: bool) -> Iterator[_Named]:
    whole = plain(" ".join(block.text for block in page.blocks))
    is_past = _PAST_REPORT.search(whole) is not None
    is_signed = not is_past and (is_report or _OF_AUDIT.search(whole) is not None)
    lines = [line for block in page.blocks for line in block.lines]
    is_list = any(_ADVISERS.match(plain(line.text)) for line in lines)
    for block in page.blocks:
        placed = [(plain(block.text), block.box), *((plain(line.text), line.box) for line in block.lines)]
        for text, box in {text: (text, box) for text, box in reversed(placed)}.values():
            yield from _in_text(text, page, box, is_signed=is_signed)
        for row in block.table.grid() if block.table is not None else ():
            text = " ".join(plain(cell) for cell in row if cell.strip())
            yield from _in_text(text, page, block.box, is_signed=False)
    for i, line in enumerate(lines):
        text = plain(line.text)
        if _LABEL.match(text):
            yield from _labelled(line, lines, page)
        elif is_signed and not is_list and (match := _ALONE.match(text)):
            below = plain(lines[i + 1].text) if i + 1 < len(lines) else ""
            is_titled = _ABOVE_TITLE.match(below) is not None
            if is_titled or (is_report and _OF_ACCOUNTANTS.search(text)):
                yield _Named(match["firm"], text, page, line.box, 5 if is_titled else 6)


def _in_text(text: str, page: Page, box: Box, *, is_signed: bool) -> Iterator[_Named]:
    """What one block or line says by its words alone."""
    ranked = [(0, (_TAGGED,)), (2, _CALLED), (3, _INDEXED), (4, (_LABELLED,))]
    if is_signed:
        ranked.insert(1, (1, _SIGNED))
    for rank, patterns in ranked:
        for pattern in patterns:
            for match in pattern.finditer(text):
                around = text[max(0, match.start() - _NEAR) : match.end() + _NEAR]
                is_past = rank == 2 and _PAST.search(around) is not None
                if len(match[0]) < _LONGEST and not is_past:
                    firm = match["firm"].rstrip(",. ") if rank == 2 else match["firm"]
                    yield _Named(firm, match[0], page, box, rank)


def _labelled(label: Line, lines: Sequence[Line], page: Page) -> Iterator[_Named]:
    """The firm that stands beside or right below the word "Auditor" in a list of advisers."""
    box = label.box
    beside = [o for o in lines if abs(o.box.top - box.top) < _ROW and o.box.left > box.left]
    below = [o for o in lines if abs(o.box.left - box.left) < _ASIDE and 0 < o.box.top - box.top < _BELOW]
    nearest = [min(beside, key=lambda o: o.box.left)] if beside else []
    nearest += sorted(below, key=lambda o: o.box.top)[:1]
    for line in reversed(nearest):
        if match := _ALONE.match(plain(line.text)):
            yield _Named(match["firm"], plain(line.text), page, line.box, 4)
            return
