"""The firm that audits a report: who signs the auditor's report, or is called the auditor anywhere in the report."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from indexes.roles.holders import FORM, NETWORK, Holder, HolderReader
from indexes.roles.offices import office_called
from storage.lexicon.words import expression
from storage.records.facts import Seat
from storage.records.pages import Page
from storage.records.sections import Section
from storage.text import plain

_OF_ADVISERS = expression(
    r"(?i)^(?:\w+ ){0,3}(?:solicitors?|registrars?|bankers?|advis[eo]rs?|lawyers?|(?:share )?registry|brokers?"
    r"|legal counsel)\b.{0,40}$"
)
_SIGNED = expression(
    r"^(?:/[sS] ?/|\((?i:signed)\)|[Ff]or and on behalf of(?: the (?:audit )?firm)?) ?(?:(?i:for) )?"
    r"(?P<name>[A-Z].{2,80}?)(?: ?\(?\d{1,2}\)?)?$"
)
_REPORTS_OF = expression(
    r"^(?:\W|\d){0,4}(?i:reports? of )(?:(?i:independent .{0,30}firm)(?:,| -| \u2013|:)? ?\(?)?"
    r"(?P<name>[A-Z].{2,80}?)(?=\)|$| \(?(?i:independent|statutory)\b|; )"
)
_OF_ACCOUNTANTS = expression(
    rf"^{NETWORK}(?:,? {FORM}| &? ?Touche| Tohmatsu| \([A-Z]\w+\)| Wirtschaftspr\w{{2,20}})*$"
    r"|\b(?:LLP|Audit|AUDIT|Partners|PARTNERS|Wirtschaftspr\w{2,20})(?: \([A-Z]\w+\)| Pty| Ltd| Limited){0,3}$"
)
_ABOVE_TITLE = expression(
    r"^(?:[Cc]hartered (?:[Pp]rofessional )?[Aa]ccountants|[Cc]ertified [Pp]ublic [Aa]ccountants"
    r"|[Ss]tatutory [Aa]udit(?:or|ors)\b|(?:[Ii]ndependent )?[Rr]egistered (?:[Aa]uditor|[Pp]ublic))"
)
_OF_AUDIT = expression(r"(?i)\b(?:audited|our audits?|in our opinion|we consent|statutory auditors?|served as)\b")
_PAST_REPORT = expression(r"(?i)\bserved as the company's (?:predecessor )?auditor from\b|\bpredecessor auditor\b")
_SIGNS, _IS_NAMED = 9, 4  # how much a signature counts, and a firm in the title of its report or above its own


def auditor_of(pages: Sequence[Page], sections: Sequence[Section], company: str) -> Seat | None:
    """The firm that the surest words of a report call the auditor; None where they name none, or two alike.

    Args:
        pages: of the report.
        sections: of the report, among them the auditor's reports.
        company: whose report it is, and no auditor of itself.
    """
    office = office_called("auditor")
    reader = HolderReader(office, company)
    reported = {n for s in sections if s.kind == "auditor_report" for n in (*s.pages, s.last_page + 1)}
    found = [
        holder
        for page in pages
        for holder in (*_signing(page, reader, is_report=page.page_number in reported), *reader.in_page(page))
    ]
    named = Counter(firm_key(holder.name) for holder in found)
    surest = max((holder.weight for holder in found), default=0)
    best = [holder for holder in found if holder.weight == surest]
    keys = sorted({firm_key(holder.name) for holder in best}, key=lambda key: -named[key])
    if not keys or (len(keys) > 1 and named[keys[0]] == named[keys[1]]):
        return None
    own = [holder for holder in best if firm_key(holder.name) == keys[0]]
    first = next((holder for holder in own if not holder.name.isupper()), own[0])
    return first.seat(office, "high" if named[keys[0]] > 1 else "medium")


def firm_key(name: str) -> str:
    """The same for all spellings of a firm's name: its first word."""
    return re.sub(r"\W", "", name.strip().partition(" ")[0]).lower()


def _signing(page: Page, reader: HolderReader, *, is_report: bool) -> Iterator[Holder]:
    """The firms that sign an auditor's report, or stand above the title of accountants there."""
    whole = plain(" ".join(block.text for block in page.blocks))
    is_signed = not _PAST_REPORT.search(whole) and (is_report or _OF_AUDIT.search(whole) is not None)
    lines = [line for block in page.blocks for line in block.lines]
    texts = [plain(line.text) for line in lines]
    is_list = any(map(_OF_ADVISERS.match, texts))
    for line, text, below in zip(lines, texts, [*texts[1:], ""], strict=False):
        signed = _SIGNED.match(text) if is_signed else None
        match = signed or _REPORTS_OF.match(text)
        is_listed = is_report and not is_list and _OF_ACCOUNTANTS.search(text) is not None
        is_alone = is_signed and ":" not in text and (is_listed or _ABOVE_TITLE.match(below) is not None)
        name = reader.valid(match["name"] if match else text if is_alone else "", said=True)
        if name and (match or text.startswith(name)):
            is_sign = " " not in name  # one word alone may be a picture of the firm's
            yield Holder(name, text, page, _SIGNS if signed else _IS_NAMED - is_sign, box=line.box)
