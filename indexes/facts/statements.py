"""Finds a report's statements by their titles and by rows that only they have."""

import datetime as dt
import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from indexes.enrichment.units import unit_of_line
from indexes.facts.columns import ValueColumn, current_column, value_columns
from indexes.facts.printed_rows import PrintedRow, line_rows, sides_of_balance, table_rows
from storage.lexicon.calendar import YEAR_IN_HEADING
from storage.lexicon.words import expression
from storage.records.facts import Period
from storage.records.metrics import GROUP_WORDS, OTHER_TITLES, PARENT_WORDS, PARTIAL_WORDS, PrimaryStatement
from storage.records.pages import Block, Page, Table
from storage.records.reports import Report
from storage.text import plain

KINDS: tuple[PrimaryStatement, ...] = ("balance", "income", "cash_flow")
_WORDS = r"(?:[\w',&/()-]+ ){0,6}"
TITLES: dict[PrimaryStatement, re.Pattern[str]] = {
    "income": expression(
        rf"statements? of {_WORDS}(?:operations|income|earnings|profit|loss|comprehensive"
        r" (?:income|loss)|financial activities)\b"
        r"|income statements?|profit (?:and|or|&) loss|statements? of (?:total )?return|\(loss\) income\b"
        rf"|{OTHER_TITLES['income']}",
        re.IGNORECASE,
    ),
    "balance": expression(
        rf"balance sheets?|statements? of {_WORDS}(?:financial (?:position|condition)"
        rf"|net assets|assets and liabilities|condition)\b|{OTHER_TITLES['balance']}",
        re.IGNORECASE,
    ),
    "cash_flow": expression(
        r"cash ?flows? statements?|statements? of (?:[\w',&-]+ ){0,4}cash ?flows?|^cash ?flows?$"
        rf"|{OTHER_TITLES['cash_flow']}",
        re.IGNORECASE,
    ),
}
_GROUP = expression(rf"\b(?:consolidated|group)\b|{GROUP_WORDS}", re.IGNORECASE)
_PARENT = expression(
    r"\b(?:parent|company only|registrant|unconsolidated|standalone|holding company)\b"
    rf"|^company\b|\bcompany (?:balance|income|cash|statement)|{PARENT_WORDS}",
    re.IGNORECASE,
)
_PARTIAL = expression(
    r"\b(?:condensed|summar(?:y|ised|ized)|selected|highlights?|five[- ]year|ten[-"
    r" ]year|pro ?forma|quarterly|unaudited|segments?|guarantor"
    r"|discontinued|reconciliation|extract|non-gaap|adjusted|key figures|multi-year"
    r"|overview|held for sale|subsidiar|joint venture|associates?)\b"
    r"|\b(?:operations|sheets?|flows?|income) data\b|following table|as a percentage"
    rf"|results of operations|^note\b|^\d{{1,2}}\.\d? |{PARTIAL_WORDS}",
    re.IGNORECASE,
)
_LONG = 300  # letters of a paragraph of prose
_ABOVE = 8  # blocks above a table that may contain its title
_FEWEST_OF_BALANCE = 3  # kinds of rows
LEAST_SCORE = 4.0


@dataclass(frozen=True)
class Part:
    """A table, or a run of lines, of a statement: its rows, and what applies to its figures."""

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
    headed: bool = False  # its own title was found, not only that of the table before
    from_lines: bool = False


@dataclass(frozen=True)
class StatementFound:
    """One statement in one or more tables, in reading order."""

    kind: PrimaryStatement
    parts: tuple[Part, ...]
    score: float

    @property
    def pages(self) -> tuple[int, ...]:
        """The pages of its tables, in order."""
        return tuple(dict.fromkeys(part.page_number for part in self.parts))


def parts_of(pages: Sequence[Page], report: Report) -> list[Part]:
    """Every table of a report with title and columns; a page of lines that looks like a statement counts as a table."""
    parts = [part for page in pages for part in _page_parts(page, report)]
    for i, (one, other) in enumerate(itertools.pairwise(parts)):
        is_near = other.page_number - one.page_number <= 1
        typical = anchors_of("balance", one) | anchors_of("balance", other) if is_near else ()
        if len(typical) >= _FEWEST_OF_BALANCE and (sides := sides_of_balance(one.rows, other.rows)):
            title = f"Balance sheet: {one.title}, {other.title}"
            parts[i], parts[i + 1] = (
                replace(part, rows=rows, title=title, headed=True)
                for part, rows in zip((one, other), sides, strict=True)
            )
    return parts


def find_statements(parts: Sequence[Part]) -> dict[PrimaryStatement, StatementFound]:
    """The best table of each kind, with the tables that continue it."""
    found: dict[PrimaryStatement, StatementFound] = {}
    for kind in KINDS:
        scored = [(score(kind, part), -i) for i, part in enumerate(parts)]
        best, place = max(scored, default=(0.0, 0))
        if best >= LEAST_SCORE:
            found[kind] = StatementFound(kind, tuple(_continued(kind, parts, -place)), best)
    return found


def score(kind: PrimaryStatement, part: Part) -> float:
    """How well a table fits the reported year's consolidated statement of a kind."""
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
    """The best table with those neighbours that belong to the same statement."""
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
    """Whether a table next to a statement's table belongs to the same statement."""
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
    """The column at the position of the current column in the best table."""
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
    printed = unit_of_line(unit) if unit else None
    return Part(
        page_number=page_number,
        title=_title(table.title, headings, short),
        rows=tuple(rows),
        columns=tuple(columns),
        current=current,
        unit=unit,
        above=above,
        scale=(current.scale if current else None) or (printed.scale if printed else None),
        currency=(current.currency if current else None) or (printed.currency if printed else None),
    )


def _title(read: str, headings: Sequence[str], short: Sequence[str]) -> str:
    """The reader's title where it names a statement; else lines above that name one, with wrapped lines joined."""
    candidates = [
        plain(read),
        *headings,
        *(f"{a} {b}" for a, b in itertools.pairwise(headings)),
        *short,
    ]
    named = [c for c in candidates if any(pattern.search(c) for pattern in TITLES.values())]
    return named[0] if named else plain(read)


def _lines_part(page: Page, report: Report) -> Part | None:
    """A statement that was not read as a table: a page with its title and with lines that end in figures."""
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


_ENGLISH: dict[PrimaryStatement, tuple[str, ...]] = {
    "balance": (
        r"^total assets\b",
        r"^total liabilities\b",
        r"^total (?:current|non-?current) assets",
        r"^total current liabilities",
        r"^(?:total )?(?:(?:share|stock)holders'? )?(?:equity|funds)\b|^total .{0,100}equity$|^net assets$",
        r"^cash\b",
        r"(?:liabilities and|equity and).{0,100}(?:equity|liabilities|deficit|funds)$",
        r"retained earnings|accumulated (?:deficit|losses)|share (?:capital|premium)|paid-in",
        r"receivable",
        r"deposits",
        r"property|equipment",
        r"payable",
    ),
    "income": (
        r"^(?:total )?(?:net )?(?:revenues?|sales|turnover|income)\b|revenues?$",
        r"\bcosts? of\b|expenses?\b",
        r"before .{0,100}tax",
        r"\btax(?:es|ation)?\b",
        r"^(?:net |\(?loss\)? |\(?profit\)? )?.{0,100}(?:profit|loss|income|return)\b.{0,100}(?:year"
        r"|period|net)|^net (?:\(?(?:income|loss|profit|earnings))",
        r"per .{0,100}(?:share|unit)|^basic",
        r"operating|from operations",
        r"administrative",
        r"interest",
        r"provision for|noninterest|premiums",
    ),
    "cash_flow": (
        r"operating activities",
        r"investing activities",
        r"financing activities",
        r"cash.{0,100}beginning|beginning of",
        r"cash.{0,100}\bend\b|end of",
        r"(?:increase|decrease|change).{0,100}cash",
        r"depreciation",
        r"^(?:purchase|payment|acquisition|addition|proceeds)",
        r"dividends? paid|repayment",
    ),
}
_OTHERS: dict[PrimaryStatement, tuple[str, ...]] = {
    "balance": (
        r"^(?:bilanzsumme|summe (?:der )?aktiva|total (?:de l'|del )?acti[fv]|totale (?:attiv|dell'attiv)"
        r"|資産合計|資産の部合計|资产总计|資產總)",
        r"^(?:summe (?:schulden|verbindlichkeiten)|total (?:des )?(?:dettes|passifs?)|total pasivo"
        r"|totale passiv|負債合計|负债合计|負債總)",
        r"umlaufvermögen|anlagevermögen|(?:lang|kurz)fristige vermögens|actifs? (?:non )?courant"
        r"|activo (?:no )?corriente|attività (?:non )?correnti"
        r"|(?:流動|固定|非流動)資産|(?:非?流动)资产",
        r"kurzfristige (?:schulden|verbindl)|passifs? courant|pasivo corriente|passività correnti|流動負債|流动负债",
        r"eigenkapital|capitaux propres|patrimonio net|純資産合計|資本合計|株主資本|所有者权益|股东权益",
        r"zahlungsmittel|liquide mittel|kassenbestand|trésorerie|efectivo|disponibilità liquide|現金|货币资金",
        r"summe passiva|eigenkapital und schulden|total (?:du )?passif|負債純資産|負債及び資本|负债和",
        r"gewinnrücklage|gezeichnetes kapital|bilanzgewinn|capital social|capitale sociale|資本金|利益剰余金"
        r"|未分配利润|实收资本|股本",
        r"forderungen|créances|deudores|crediti|売掛金|应收",
        r"einlagen|depósitos|預り金",
        r"sachanlagen|immobilisations corporelles|inmovilizado material|immobilizzazioni|有形固定資産|固定资产",
        r"lieferungen und leistungen|fournisseurs|acreedores|fornitori|買掛金|应付",
    ),
    "income": (
        r"umsatz|chiffre d'affaires|cifra de negocios|\bricavi\b|売上高|営業収(?:益|入)|売上収益"
        r"|营业(?:总)?收入|營業收入",
        r"aufwand|aufwendungen|kosten|coût|charges (?:d|financ)|gastos|\bcost[ie]\b|売上原価|費用|营业(?:总)?成本|费用",
        r"vor (?:ertrag)?steuern|avant impôt|antes de impuestos|prima delle imposte|税(?:金等調整|引)前|利润总额",
        r"steuern|impôt|impuesto|imposte|法人税|法人所得税|所得税",
        r"jahresüberschuss|jahresfehlbetrag|konzern(?:ergebnis|überschuss)|periodenergebnis|jahresergebnis"
        r"|résultat net|resultado del ejercicio"
        r"|utile (?:dell'esercizio|netto)|当期(?:純)?(?:利益|損失)|净利润|淨利潤",
        r"je aktie|par action|por acción|per azione|1株当たり|每股",
        r"betriebsergebnis|operatives ergebnis|résultat (?:opérationnel|d'exploitation)"
        r"|resultado de explotación|risultato operativo|営業(?:利益|損失)|营业利润",
        r"verwaltung|administrati|amministrativ|一般管理費|管理费用",
        r"zinsen|zins|intérêt|charges financières|gastos financieros|oneri finanziari|利息",
        r"abschreibung|personalaufwand|amortissement|amortización|ammortament|減価償却|资产减值",
    ),
    "cash_flow": (
        r"geschäftstätigkeit|betrieblicher tätigkeit|activités? opérationnel|actividades de explotación"
        r"|attività operativ|営業活動|经营活动",
        r"investitionstätigkeit|d'investissement|de inversión|attività di investimento|投資活動|投资活动",
        r"finanzierungstätigkeit|de financement|de financiación|attività di finanziamento|財務活動|筹资活动",
        r"anfang (?:der|des)|à l'ouverture|au début|al inicio|all'inizio|期首|期初",
        r"ende (?:der|des)|à la clôture|à la fin|al final|alla fine|期末",
        r"veränderung (?:der|des) (?:zahlungsmittel|finanzmittel)|variation de (?:la )?trésorerie|増減額|净增加",
        r"abschreibung|amortissement|amortización|ammortament|減価償却|折旧",
        r"auszahlung|einzahlung|acquisitions? d|pagos por|investimenti|による支出|による収入|支付的现金|收到的现金",
        r"dividende|tilgung|remboursement|配当金|股利",
    ),
}
ANCHORS: dict[PrimaryStatement, list[re.Pattern[str]]] = {
    kind: [expression(f"{own}|{other}") for own, other in zip(anchors, _OTHERS[kind], strict=True)]
    for kind, anchors in _ENGLISH.items()
}


def line_columns(rows: Sequence[PrintedRow], above: str, report: Report) -> list[ValueColumn]:
    """The columns, counted from the right: -1 is the last figure of a line."""
    years = list(dict.fromkeys(int(y) for y in YEAR_IN_HEADING.findall(above)))
    counts = Counter(len(row.figures) for row in rows if row.figures)
    if not counts:
        return []
    usual = counts.most_common(1)[0][0]
    width = len(years) if 1 <= len(years) <= usual else min(usual, 2)
    known = years[:width] if len(years) >= width else []
    return [
        ValueColumn(i - width, str(known[i]) if known else "", _period(known[i], report) if known else None)
        for i in range(width)
    ]


def _period(year: int, report: Report) -> Period:
    end = report.period_end or dt.date(year, 12, 31)
    day = min(end.day, 28) if end.month == 2 else end.day
    return Period(end=dt.date(year, end.month, day), printed=str(year))
