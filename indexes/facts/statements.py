"""Where a report's statements stand: found by their titles and by the rows that only they have."""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from indexes.facts.anchors import ANCHORS
from indexes.facts.columns import ValueColumn, current_column, value_columns
from indexes.facts.line_tables import line_columns
from indexes.facts.printed_rows import PrintedRow, line_rows, table_rows
from indexes.printed_units import unit_of_line
from storage.pages import Block, Page, Table
from storage.reports import Report
from storage.statement_titles import GROUP_WORDS, OTHER_TITLES, PARENT_WORDS, PARTIAL_WORDS
from storage.text import plain

PrimaryStatement = Literal["income", "balance", "cash_flow"]
KINDS: tuple[PrimaryStatement, ...] = ("balance", "income", "cash_flow")
_WORDS = r"(?:[\w',&/()-]+ ){0,6}"
TITLES: dict[PrimaryStatement, re.Pattern[str]] = {
    "income": re.compile(
        rf"statements? of {_WORDS}(?:operations|income|earnings|profit|loss|comprehensive"
        r" (?:income|loss)|financial activities)\b"
        r"|income statements?|profit (?:and|or|&) loss|statements? of (?:total )?return|\(loss\) income\b"
        rf"|{OTHER_TITLES['income']}",
        re.IGNORECASE,
    ),
    "balance": re.compile(
        rf"balance sheets?|statements? of {_WORDS}(?:financial (?:position|condition)"
        rf"|net assets|assets and liabilities|condition)\b|{OTHER_TITLES['balance']}",
        re.IGNORECASE,
    ),
    "cash_flow": re.compile(
        r"cash ?flows? statements?|statements? of (?:[\w',&-]+ ){0,4}cash ?flows?|^cash ?flows?$"
        rf"|{OTHER_TITLES['cash_flow']}",
        re.IGNORECASE,
    ),
}
_GROUP = re.compile(rf"\b(?:consolidated|group)\b|{GROUP_WORDS}", re.IGNORECASE)
_PARENT = re.compile(
    r"\b(?:parent|company only|registrant|unconsolidated|standalone|holding company)\b"
    rf"|^company\b|\bcompany (?:balance|income|cash|statement)|{PARENT_WORDS}",
    re.IGNORECASE,
)
_PARTIAL = re.compile(
    r"\b(?:condensed|summar(?:y|ised|ized)|selected|highlights?|five[- ]year|ten[-"
    r" ]year|pro ?forma|quarterly|unaudited|segments?|guarantor"
    r"|discontinued|reconciliation|extract|non-gaap|adjusted|key figures|multi-year"
    r"|overview|held for sale|subsidiar|joint venture|associates?)\b"
    r"|\b(?:operations|sheets?|flows?|income) data\b|following table|as a percentage"
    rf"|results of operations|^note\b|^\d{{1,2}}\.\d? |{PARTIAL_WORDS}",
    re.IGNORECASE,
)
_LONG = 300  # letters of a paragraph of prose
_ABOVE = 8  # blocks above a table that may hold its title
LEAST_SCORE = 4.0


@dataclass(frozen=True)
class Part:
    """A table, or a run of lines, of a statement: its rows and what holds for its figures."""

    page_number: int
    title: str
    rows: tuple[PrintedRow, ...]
    columns: tuple[ValueColumn, ...]
    current: ValueColumn | None
    unit: str = ""
    above: str = ""
    scale: int | None = None
    currency: str | None = None
    prose: int = 0  # long paragraphs on its page
    headed: bool = False  # its own title was found, not one taken from the table before
    from_lines: bool = False


@dataclass(frozen=True)
class StatementFound:
    """One statement over one or more tables, in reading order."""

    kind: PrimaryStatement
    parts: tuple[Part, ...]
    score: float

    @property
    def pages(self) -> tuple[int, ...]:
        """Its pages in order."""
        return tuple(dict.fromkeys(part.page_number for part in self.parts))


def parts_of(pages: Sequence[Page], report: Report) -> list[Part]:
    """Every table of a report, with titles and columns; pages of lines that look like a statement count as one."""
    return [part for page in pages for part in _page_parts(page, report)]


def find_statements(parts: Sequence[Part]) -> dict[PrimaryStatement, StatementFound]:
    """The best table of each kind with the tables that go on from it."""
    found: dict[PrimaryStatement, StatementFound] = {}
    for kind in KINDS:
        scored = [(score(kind, part), -i) for i, part in enumerate(parts)]
        best, place = max(scored, default=(0.0, 0))
        if best >= LEAST_SCORE:
            found[kind] = StatementFound(kind, tuple(_continued(kind, parts, -place)), best)
    return found


def score(kind: PrimaryStatement, part: Part) -> float:
    """How much a table looks like the reported year's consolidated statement of a kind."""
    anchors = len(anchors_of(kind, part))
    titled = TITLES[kind].search(part.title) is not None
    near = not titled and TITLES[kind].search(part.above) is not None
    if anchors < 2 or not (titled or near or anchors >= 5):
        return 0.0
    points = 4.0 * titled + 2.0 * near + min(anchors, 7)
    points += 1.5 * bool(_GROUP.search(part.title) or _GROUP.search(part.above))
    points -= 4.0 * bool(_PARENT.search(part.title)) + 4.0 * bool(_PARTIAL.search(part.title))
    points -= 1.5 * bool(_PARTIAL.search(part.above)) + min(part.prose, 3) + 1.0 * part.from_lines
    points -= 5.0 * (part.current is None)
    others = sum(len(anchors_of(other, part)) for other in KINDS if other != kind)
    return points - 0.3 * others + min(len(part.rows), 20) / 10


def anchors_of(kind: PrimaryStatement, part: Part) -> set[int]:
    """Which of a statement's typical rows the table has."""
    labels = [plain(row.label).lower() for row in part.rows]
    return {i for i, anchor in enumerate(ANCHORS[kind]) if any(anchor.search(label) for label in labels)}


def _continued(kind: PrimaryStatement, parts: Sequence[Part], best: int) -> Iterator[Part]:
    """The best table with its neighbours that belong to the same statement."""
    first = last = best
    while first > 0 and _belongs(kind, parts[first - 1], parts[first]):
        first -= 1
    while last + 1 < len(parts) and _belongs(kind, parts[last + 1], parts[last]):
        last += 1
    chosen = parts[first : last + 1]
    dated = [p for p in [parts[best], *chosen] if p.current is not None and p.current.period is not None]
    guide = dated[0] if dated else parts[best]
    for part in chosen:
        lacking = part.current is None or part.current.period is None
        yield replace(part, current=_same_column(part, guide)) if lacking and part is not guide else part


def _belongs(kind: PrimaryStatement, part: Part, beside: Part) -> bool:
    """Whether a table next to a statement's table is a piece of it."""
    if abs(part.page_number - beside.page_number) > 1 or len(part.columns) != len(beside.columns):
        return False
    new = anchors_of(kind, part) - anchors_of(kind, beside)
    other_kind = any(TITLES[other].search(part.title) for other in KINDS if other != kind) and not TITLES[
        kind
    ].search(part.title)
    if other_kind or not part.rows or part.prose > 1 or part.from_lines != beside.from_lines:
        return False
    if kind == "balance" and {0} <= anchors_of(kind, part) & anchors_of(kind, beside):
        return False  # another balance sheet, such as the parent's
    same_title = plain(part.title).lower() == plain(beside.title).lower() or not part.headed
    if part.page_number == beside.page_number and same_title:
        return True
    return len(new) >= 1 and (same_title or TITLES[kind].search(part.title) is not None)


def _same_column(part: Part, best: Part) -> ValueColumn | None:
    """The column at the place that the current one has in the best table."""
    if best.current is None or best.current not in best.columns or len(part.columns) != len(best.columns):
        return part.current
    column = part.columns[best.columns.index(best.current)]
    return replace(column, period=best.current.period)


def _page_parts(page: Page, report: Report) -> Iterator[Part]:
    prose = sum(len(b.text) > _LONG for b in page.blocks if b.kind == "paragraph")
    before: list[Block] = []
    title = ""
    for block in page.blocks:
        if block.table is None:
            before.append(block)
            continue
        part = _part(block.table, before[-_ABOVE:], page.page_number, report)
        headed = any(TITLES[kind].search(part.title) for kind in KINDS)
        title = part.title if headed or not title else title
        yield replace(part, prose=prose, title=part.title if headed else title, headed=headed)
        before = []
    lines = _lines_part(page, report)
    if lines is not None:
        yield replace(lines, prose=prose)


def _part(table: Table, before: Sequence[Block], page_number: int, report: Report) -> Part:
    rows = table_rows(table, page_number)
    headings = [plain(b.text) for b in before if b.kind in ("heading", "caption")]
    short = [plain(b.text) for b in before if b.kind not in ("heading", "caption") and len(b.text) < 150]
    above = " ".join([*headings, *short])
    columns = value_columns(table, rows, f"{above} {table.title}", report)
    current = current_column(columns, report)
    unit = table.unit or next((u.words for t in [*short, *headings] if (u := unit_of_line(t)) is not None), "")
    said = unit_of_line(unit) if unit else None
    return Part(
        page_number=page_number,
        title=_title(table.title, headings, short),
        rows=tuple(rows),
        columns=tuple(columns),
        current=current,
        unit=unit,
        above=above,
        scale=(current.scale if current else None) or (said.scale if said else None),
        currency=(current.currency if current else None) or (said.currency if said else None),
    )


def _title(read: str, headings: Sequence[str], short: Sequence[str]) -> str:
    """The reader's title where it names a statement, else lines above that do, wrapped ones joined."""
    candidates = [
        plain(read),
        *headings,
        *(f"{a} {b}" for a, b in itertools.pairwise(headings)),
        *short,
    ]
    named = [c for c in candidates if any(pattern.search(c) for pattern in TITLES.values())]
    return named[0] if named else plain(read)


def _lines_part(page: Page, report: Report) -> Part | None:
    """A statement that was not read as a table: a page with its title, and lines that end in figures."""
    blocks = [b for b in page.blocks if b.table is None and b.kind != "furniture"]
    top = " ".join(plain(b.text) for b in blocks[:4])[:400]
    if not any(pattern.search(top) for pattern in TITLES.values()):
        return None
    rows = line_rows(blocks, page.page_number, page.decimal_mark)
    columns = line_columns(rows, top, report)
    if len(columns) < 1 or len(rows) < 8:
        return None
    unit = next((u for b in blocks[:8] for line in b.text.splitlines() if (u := unit_of_line(plain(line)))), None)
    return Part(
        page_number=page.page_number,
        title=top[:150],
        rows=tuple(rows),
        columns=tuple(columns),
        current=current_column(columns, report),
        unit=unit.words if unit else "",
        above=top,
        scale=unit.scale if unit else None,
        currency=unit.currency if unit else None,
        headed=True,
        from_lines=True,
    )
