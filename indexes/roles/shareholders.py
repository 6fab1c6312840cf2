"""The largest holders of a company's shares, as tables and lists below a title about them print them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from indexes.report_identity.legal_names import name_key
from storage.lexicon.words import expression
from storage.records.facts import SHAREHOLDER, HolderList, Seat
from storage.records.pages import Block, Page, Table
from storage.text import plain

_TITLES: dict[HolderList, re.Pattern[str]] = {
    "largest": expression(
        r"(?i)\b(?:top|twenty|ten|\d{2})(?: (?:twenty|ten|\d{2}|largest|principal|major|registered|ordinary)){0,4} "
        r"(?:share|stock|security |unit)?-?holders?\b"
    ),
    "substantial": expression(
        r"(?i)\b(?:major|substantial|principal|significant|largest|controlling) "
        r"(?:share|stock|unit)-?hold(?:ers?|ings?)\b"
        r"|\b(?:major|substantial|significant) interests\b|\bbeneficial(?:ly)? own(?:ers?|ed|ership)\b"
        r"|\binterest(?:s|ed)? in (?:more than )?\d(?:\.\d)? ?(?:%|per ?cent)"
        r"|\b(?:share|stock)-?holders? (?:owning|holding|with|of) (?:more than|over|at least|in excess of|\d)"
        r"|\bbedeutende aktion[äa]re|\baktion[äa]rsstruktur|\bactionnaires (?:principaux|significatifs)"
        r"|\br[ée]partition du capital|\baccionistas (?:significativos|principales)|\bazionisti rilevanti"
    ),
}
_OF_OTHERS = expression(
    r"(?i)\b(?:un(?:listed|quoted)|options?|warrants?|performance (?:shares|rights)|prefer(?:red|ence)|investees?"
    r"|portfolio|subsidiar\w+|distribution of|remuneration|notes? (?:payable|receivable)|transactions?|debentures?"
    r"|directors'? interests|(?:held|owned) by the (?:company|group|trust|fund)"
    r"|(?:company|group|trust|fund) (?:held|holds|owns|owned|had (?:an )?interests?))\b"
)
_GROUP = expression(r"(?i)\bas a group\b|^all (?:\w+ ){0,4}(?:directors|officers|executives)\b")
_TOTAL = expression(
    r"(?i)^(?:sub-?|grand )?totals?\b|^(?:all )?others?\b(?: (?:share|stock)?holders)?$|^remaining\b|^balance\b"
    r"|^top (?:20|twenty|ten|10)\b|^free float\b|^treasury\b|^public\b|^directors?\b|^issued\b"
)
_OF_LARGE = expression(
    r"(?i)(?:5|five) ?(?:%|per ?cent)|\b(?:principal|major|significant|other) (?:share|stock)holders"
)
_OF_DIRECTORS_TOO = expression(r"(?i)\bbeneficial(?:ly)? own")
_LEAST_OF_OWNERS = Decimal(5)  # percent; such a table also has directors, whatever they hold
_RANK = expression(r"^\(?\d{1,2}[.)]?$")
_MARKS = expression(r"(?:\s?(?:\(\d{1,2}\)|\[\d{1,2}\]|[*†‡¹²³⁴⁵⁶⁷⁸⁹⁰⁽⁾]|\(\w\))){1,4},?$")
_NUMBER = expression(r"^\d{1,3}(?:[,' ]\d{3})+\*?$|^\d{4,}\*?$")
_PERCENT = expression(r"^(?P<share>\d{1,2}(?:[.,]\d{1,3})?|100(?:\.0+)?) ?(?P<sign>%)?$")
_OF_PERCENT = expression(r"(?i)%|per ?cent|\bproportion\b")
_LINE = expression(
    r"^(?:\d{1,2}[.)] )?(?P<name>[A-Z][^|]{3,90}?)(?: \(\d{1,2}\))? (?:(?P<number>\d{1,3}(?:,\d{3})+) )?"
    r"(?P<share>\d{1,2}(?:\.\d{1,3})?) ?(?P<sign>%)?$"
)
_HAS_LETTERS = expression(r"[^\W\d_]{2}")
_MOST_LETTERS = 120  # of a name
_NEAR = 4  # blocks above a table that say what it is about
_HUNDRED = Decimal(100)


@dataclass(frozen=True)
class _Held:
    """A row: a holder with the share; what is the heading above it within the table."""

    name: str
    share: Decimal | None
    quote: str
    group: str = ""


def shareholders_of(pages: Sequence[Page], company: str) -> Iterator[Seat]:
    """The holders that each kind of list names, in the order of the page; of two lists of a kind the longer one.

    Args:
        pages: of the report.
        company: whose shares they hold.
    """
    found: dict[HolderList, tuple[Page, list[_Held]]] = {}
    for page in pages:
        for kind, held in _lists_on(page):
            own = [holder for holder in held if not _is_company(holder.name, company)]
            if _is_whole(held) and len(own) > len(found.get(kind, (page, []))[1]):
                found[kind] = (page, own)
    for kind, (page, held) in found.items():
        for holder in held:
            yield Seat(
                name=holder.name,
                role=SHAREHOLDER,
                body=kind,
                title=holder.group,
                share=holder.share,
                report_sha1=page.report_sha1,
                page_number=page.page_number,
                quote=holder.quote,
            )


def _is_whole(held: Sequence[_Held]) -> bool:
    """Whether the shares can be those of one company: together no more than all, but for owners who share them."""
    largest = max(map(_size, held), default=Decimal(0))
    return largest < _HUNDRED and len({holder.name for holder in held}) == len(held)


def _lists_on(page: Page) -> Iterator[tuple[HolderList, list[_Held]]]:
    """The lists of holders of a page, each below words that say so."""
    heading, above = "", list[str]()
    listed: list[_Held] = []
    kind: HolderList | None = None
    for block in (block for block in page.blocks if block.kind != "furniture"):
        if block.table is None and kind is not None and (lines := _of_lines(block)):
            listed += lines
            continue
        if kind is not None and listed:
            yield kind, listed
        listed = []
        if block.table is None:
            text = plain(block.text)
            if block.kind == "heading" and not _OF_PERCENT.search(text):  # which heads columns
                heading, above = text, []
            else:
                above = [*above[-_NEAR + 1 :], text]
            kind = _kind_of(heading, above)
            continue
        head = " ".join(" ".join(row) for row in block.table.grid()[: block.table.header_row_count])
        kind = _kind_of(heading, above) or next((k for k, own in _TITLES.items() if own.search(plain(head))), None)
        if kind is not None and not _OF_OTHERS.search(heading) and (rows := _of_table(block.table)):
            is_with_directors = any(map(_OF_DIRECTORS_TOO.search, (heading, *above, plain(head))))
            yield kind, [held for held in rows if not is_with_directors or _size(held) >= _LEAST_OF_OWNERS]
        above, kind = [], None
    if kind is not None and listed:
        yield kind, listed


def _kind_of(heading: str, above: Sequence[str]) -> HolderList | None:
    """The kind of list that the heading, or the words between it and the list, announce."""
    if _OF_OTHERS.search(heading):
        return None
    said = [text for text in (heading, *above) if not _OF_OTHERS.search(text)]
    return next((kind for kind, title in _TITLES.items() if any(map(title.search, said))), None)


def _of_lines(block: Block) -> list[_Held]:
    """The holders of a paragraph in which each line is a name, perhaps a number of shares, and a share."""
    found = []
    texts = [plain(line.text) for line in block.lines]
    for text in texts:
        match = _LINE.match(text)
        if match is None or not (match["sign"] or match["number"]) or _TOTAL.search(match["name"]):
            return []
        found.append(_Held(_bare(match["name"]), Decimal(match["share"]), text))
    return found


def _of_table(table: Table) -> list[_Held]:
    """The holders of a table; none where a row cannot be read, or columns of shares name different ones as largest."""
    grid = [[plain(cell) for cell in row] for row in table.grid()]
    head = [" ".join(column) for column in zip(*grid[: table.header_row_count], strict=True)]
    body = grid[table.header_row_count :]
    columns = _share_columns(head, body)
    if not columns:
        return []
    lists = [list(_rows(body, column)) for column in columns]
    if any(None in held for held in lists):
        return []
    read = [[holder for holder in held if holder is not None] for held in lists]
    tops = {max(held, key=_size).name for held in read if held}
    return read[0] if len(tops) == 1 else []


def _size(holder: _Held) -> Decimal:
    return holder.share if holder.share is not None else Decimal(0)


def _share_columns(head: Sequence[str], body: Sequence[Sequence[str]]) -> list[int]:
    """The columns of percentages: those of which most cells are such, and the head or a cell has the sign."""
    width = max(map(len, body), default=0)
    found = []
    for column in range(1, width):
        cells = [row[column] for row in body if column < len(row) and row[column]]
        shares = [match for cell in cells if (match := _PERCENT.match(cell))]
        is_signed = any(match["sign"] for match in shares) or (bool(head) and _OF_PERCENT.search(head[column]))
        if is_signed and len(shares) >= 1 and not any(_NUMBER.match(cell) for cell in cells):
            found.append(column)
    return found


def _rows(body: Sequence[Sequence[str]], column: int) -> Iterator[_Held | None]:
    """The holders of the rows; None for a row that has a share and no name, or a number and no share."""
    group = ""
    for row in body:
        label = next((cell for cell in row[:column] if _is_label(cell)), "")
        share = _PERCENT.match(row[column])
        has_number = any(_NUMBER.match(cell) for cell in row)
        if not share and not has_number:
            group = label if label and not row[column] else group
            continue
        lead = _LEADS.match(label)
        if lead is not None:  # a heading that ran into the first row below it
            group, label = lead["group"], label[lead.end() :]
        if _GROUP.search(label) or _TOTAL.match(label):
            continue
        if share is None and row[column]:
            continue  # less than one percent
        if share is None or not label or len(label) > _MOST_LETTERS:
            yield None
            continue
        quote = " ".join(cell for cell in row[: column + 1] if cell)
        yield _Held(_bare(label), Decimal(share["share"].replace(",", ".")), quote, group)


_LEADS = expression(
    r"(?P<group>(?i:(?:greater|more) than (?:5|five) ?(?:%|percent) (?:share|stock)holders?[^,]{0,60}"
    r"(?:directors|officers))) (?=[A-Z])"
)


def _is_label(cell: str) -> bool:
    return _HAS_LETTERS.search(cell) is not None and not _RANK.match(cell)


def _bare(name: str) -> str:
    """A name without the marks of footnotes and the number that ranks it."""
    text = re.sub(r"^\d{1,2}[.)] ", "", name.strip())
    while (shorter := _MARKS.sub("", text).strip()) != text:
        text = shorter
    return text


def _is_company(name: str, company: str) -> bool:
    """Whether a holder is the company itself, such as for shares in escrow."""
    return name_key(name) == name_key(company)
