"""Statements whose column headings or signs mislead: several columns a year, fiscal names, quarters, two currencies."""

import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

from tests.support.faults.cases import Asked, Case, Right, Writer
from tests.support.faults.drawing import LEFT, RIGHT, Sheets, edges

Figures = dict[str, int]
Rights = tuple[Right, ...]

_KEYS = ("revenue", "cost", "gross", "selling", "admin", "operating", "income", "costs", "pretax", "tax", "net")
_TOTALS = ("gross", "operating", "pretax", "net")
_WORDS = {
    "uk": "Revenue|Cost of sales|Gross profit|Distribution costs|Administrative expenses|Operating profit|"
    "Finance income|Finance costs|Profit before tax|Taxation|Profit for the year",
    "us": "Net sales|Cost of goods sold|Gross profit|Selling and marketing expenses|General and administrative "
    "expenses|Operating income|Interest income|Interest expense|Income before income taxes|Income tax expense|"
    "Net income",
    "de": "Sales revenues|Cost of sales|Gross profit|Selling expenses|General administration expenses|Operating "
    "result (EBIT)|Financial income|Financial expenses|Earnings before taxes (EBT)|Income taxes|Net profit",
    "jp": "Net sales|Cost of sales|Gross profit|Selling expenses|General and administrative expenses|Operating "
    "income|Interest and dividend income|Interest expenses|Income before income taxes|Income taxes|Net income",
    "in": "Revenue from operations|Cost of materials consumed|Gross margin|Employee benefits expense|Other "
    "expenses|Operating profit|Other income|Finance costs|Profit before tax|Tax expense|Profit for the year",
    "cn": "Net revenues|Cost of revenues|Gross profit|Selling and marketing expenses|General and administrative "
    "expenses|Operating profit|Interest income|Interest expense|Income before income tax|Income tax expense|"
    "Net income",
}
_SHEET = (
    "Property, plant and equipment|Intangible assets|Investments in subsidiaries|Inventories|Trade and other "
    "receivables|Cash and cash equivalents|Total assets|Borrowings|Trade and other payables|Total liabilities|"
    "Share capital|Retained earnings|Total equity"
)
_PROSE = (
    "The Board met regularly during the period and kept the strategy, the principal risks and the development of the "
    "markets in which we work under review. Demand was uneven between regions, and customers placed orders later.",
    "Our plants ran without serious interruption. We renewed the supply contracts for energy and went on with the "
    "programme to bring the warehouses together at fewer places.",
    "The accounting policies set out in the notes have been applied consistently. Amounts may be rounded, and the "
    "notes form an integral part of these statements.",
    "We thank our employees for their commitment, and our customers and suppliers for their trust.",
)


def _word(rng: random.Random, parts: int) -> str:
    """An invented word that can be spoken."""
    onsets, codas = ("b", "br", "d", "f", "g", "gr", "k", "l", "m", "n", "p", "r", "s", "t", "tr", "v"), "lnrskmt"
    sounds = [rng.choice(onsets) + rng.choice("aeiou") for _ in range(parts)]
    return ("".join(sounds) + rng.choice(codas)).capitalize()


def _wrapped(text: str, width: int) -> list[str]:
    """A paragraph's lines, none longer than so many letters."""
    found = [""]
    for word in text.split():
        if len(found[-1]) + len(word) >= width:
            found.append("")
        found[-1] = f"{found[-1]} {word}".strip()
    return found


def _labels(words: str) -> dict[str, str]:
    """Each row's label, by key."""
    return dict(zip(_KEYS, _WORDS[words].split("|"), strict=True))


def _said(label: str) -> str:
    """A row's label as people say it."""
    return re.sub(r"\s*\(.*?\)", "", label).lower()


def _derived(parts: Mapping[str, int]) -> Figures:
    """The parts, costs being negative, with every total."""
    gross = parts["revenue"] + parts["cost"]
    operating = gross + parts["selling"] + parts["admin"]
    pretax = operating + parts["income"] + parts["costs"]
    return {**parts, "gross": gross, "operating": operating, "pretax": pretax, "net": pretax + parts["tax"]}


def _added(*some: Figures) -> Figures:
    """The sums of several statements."""
    return {key: sum(one[key] for one in some) for key in _KEYS}


def _year(rng: random.Random, revenue: int, *, loss: bool = False) -> Figures:
    """A year's statement; a loss-making one has a tax benefit."""

    def share(low: float, high: float) -> int:
        return -round(revenue * rng.uniform(low, high))

    parts = {"revenue": revenue, "cost": share(0.62, 0.7) if loss else share(0.5, 0.6)}
    parts |= {"selling": share(0.22, 0.27) if loss else share(0.1, 0.15)}
    parts |= {"admin": share(0.16, 0.2) if loss else share(0.08, 0.12)}
    parts |= {"income": -share(0.004, 0.009), "costs": share(0.012, 0.022), "tax": 0}
    pretax = _derived(parts)["pretax"]
    return _derived({**parts, "tax": -round(pretax * rng.uniform(0.18, 0.28))})


def _growing(rng: random.Random, count: int, low: int, high: int) -> list[Figures]:
    """Statements of so many years, the last year first."""
    revenue, found = rng.randint(low, high), []
    for _ in range(count):
        found.append(_year(rng, revenue))
        revenue = round(revenue / rng.uniform(1.03, 1.19))
    return found


@dataclass(frozen=True)
class _Money:
    """The unit that a statement's figures are printed in, and what a share's are."""

    symbol: str
    unit: str
    scale: float
    decimals: int = 0
    per_share: str = ""
    in_hundredths: bool = False

    def full(self, units: int) -> int:
        return round(units * self.scale / float(10**self.decimals))


_POUNDS = (_Money("£m", "£ million", 1e6, 1, "pence", True), _Money("£'000", "£ thousand", 1e3, 0, "pence", True))
_DOLLARS = (
    _Money("$", "U.S. dollars in thousands", 1e3, 0, "$"),
    _Money("$", "U.S. dollars in millions", 1e6, 1, "$"),
)
_EUROS = (_Money("€m", "€ million", 1e6, 1, "€"), _Money("EUR k", "EUR thousand", 1e3, 0, "EUR"))
_AUSTRALIAN = (
    _Money("$m", "A$ million", 1e6, 1, "cents", True),
    _Money("A$'000", "A$ thousand", 1e3, 0, "cents", True),
)


def _size(money: _Money) -> tuple[int, int]:
    """The least and the greatest revenue, in the last printed digit."""
    return (4_200, 39_000) if money.decimals == 1 else (60_000, 840_000)


@dataclass(frozen=True)
class _Row:
    label: str
    cells: Sequence[str]
    is_total: bool = False
    note: str = ""


@dataclass
class _Book:
    """A report being written: how it looks, and what is asked of it."""

    rng: random.Random
    folder: Path
    suffixes: str
    stem: str
    page: int = 1
    asked: list[Asked] = field(default_factory=list)

    def __post_init__(self) -> None:
        rng = self.rng
        second = rng.choice(
            (_word(rng, 1), "Foods", "Instruments", "Marine", "Packaging", "Ceramics", "Logistics")
        )
        self.name = f"{_word(rng, rng.choice((2, 3)))} {second}"
        self.full = f"{self.name} {rng.choice(self.suffixes.split('|'))}"
        self.font, self.bold = rng.choice((("Helvetica", "Helvetica-Bold"), ("Times-Roman", "Times-Bold")))
        self.leading, self.minus = rng.choice((13.5, 15.0, 17.0)), "({})"
        self.nil, self.is_ruled, self.is_heavy = rng.choice("–-—"), rng.random() < 0.6, rng.random() < 0.6
        self.hangs, self.has_notes = rng.random() < 0.4, rng.random() < 0.4
        path = self.folder / f"{self.name.lower().replace(' ', '_')}_{self.stem}.pdf"
        self.sheets = Sheets(path, font=self.font, size=rng.choice((8.5, 9.0, 9.5)))

    def show(self, units: int, decimals: int = 0) -> str:
        """A figure as the report prints it."""
        text = f"{abs(units) / 10**decimals:,.{decimals}f}"
        return self.nil if not units else text if units > 0 else self.minus.format(text)

    def strong(self, text: str, *, size: float = 0.0) -> None:
        """A bold line."""
        self.sheets.canvas.setFont(self.bold, size or self.sheets.size)
        self.sheets.canvas.drawString(LEFT, self.sheets.y, text)
        self.sheets.canvas.setFont(self.font, self.sheets.size)
        self.sheets.y -= (size or self.sheets.size) * 1.6

    def cover(self, *lines: str) -> None:
        """The first page."""
        self.sheets.y -= self.rng.choice((40, 160, 240))
        self.strong(self.full, size=self.rng.choice((18.0, 24.0)))
        self.sheets.lines(lines)
        self.sheets.end()
        self.page += 1

    def prose(self, heading: str, *paragraphs: str) -> None:
        """A page of narrative."""
        self.strong(heading, size=13)
        for paragraph in (*paragraphs, *self.rng.sample(_PROSE, 2)):
            self.sheets.lines(_wrapped(paragraph, 95))
            self.sheets.y -= 6
        self.end()

    def foot(self) -> None:
        """The page's number at its lower edge."""
        printed = f"{self.page + 30}"
        self.sheets.canvas.drawString(LEFT, 40, self.rng.choice((f"{self.full}   {printed}", printed)))

    def end(self) -> None:
        """Finish the page."""
        self.foot()
        self.sheets.end()
        self.page += 1

    def table(
        self,
        columns: Sequence[str],
        rows: Iterable[_Row],
        spans: Sequence[tuple[str, int, int]] = (),
        widest: float = 78,
    ) -> None:
        """Headings of several lines that stand on one base line, under those over several columns, and the rows."""
        sheets, wide, size = self.sheets, min(widest, 318 / len(columns)), self.sheets.size
        sheets.size = min(size, 7.4) if len(columns) > 5 else size
        sheets.canvas.setFont(self.font, sheets.size)
        at = edges(len(columns), first=RIGHT - (len(columns) - 1) * wide)
        room = at[0] - wide - LEFT + 6 - (30 if self.has_notes else 0)
        for line in range(deep := max((text.count("\n") + 1 for text, _, _ in spans), default=0)):
            for text, first, last in spans:
                parts = text.split("\n")
                if (n := line - deep + len(parts)) >= 0:
                    ruled = self.is_ruled and line == deep - 1
                    sheets.spanning(parts[n], at[first] - wide + 8, at[last], ruled=ruled)
            sheets.y -= 12.5
        heads = [column.split("\n") for column in columns]
        deep = max(len(head) for head in heads)
        for line in range(deep):
            cells = [([""] * (deep - len(head)) + head)[line] for head in heads]
            if self.has_notes and line == deep - 1:
                sheets.canvas.drawRightString(LEFT + room + 24, sheets.y, "Note")
            sheets.row("", cells, at)
            sheets.y += 3
        sheets.y -= 8
        for row in rows:
            self._row(row, at, wide, room)
        sheets.y -= 10
        sheets.size = size
        sheets.canvas.setFont(self.font, size)

    def _row(self, row: _Row, at: Sequence[float], wide: float, room: float) -> None:
        sheets, canvas = self.sheets, self.sheets.canvas
        font = self.bold if row.is_total and self.is_heavy else self.font
        canvas.setFont(font, sheets.size)
        above: list[str] = []
        label = ""
        for word in row.label.split():
            if canvas.stringWidth(f"{label} {word}", font, sheets.size) > room:
                above, label = [*above, label], ""
            label = f"{label} {word}".strip()
        for text in above:
            canvas.drawString(LEFT, sheets.y, text)
            sheets.y -= 11
        if row.note and self.has_notes:
            canvas.drawRightString(LEFT + room + 24, sheets.y, row.note)
        bracket = canvas.stringWidth(")", font, sheets.size) if self.hangs else 0.0
        sheets.row(
            label, row.cells, [edge - bracket * (")" not in c) for c, edge in zip(row.cells, at, strict=True)]
        )
        sheets.y += 15 - self.leading
        if row.is_total and self.is_ruled:
            for cell, edge in zip(row.cells, at, strict=True):
                if cell:
                    canvas.line(edge - wide + 12, sheets.y + self.leading + 9, edge, sheets.y + self.leading + 9)
        canvas.setFont(self.font, sheets.size)

    def statement(self, labels: Mapping[str, str], columns: Sequence[Figures], decimals: int) -> list[_Row]:
        """The rows of a statement that has these columns."""
        notes = {"revenue": "4", "costs": "7", "tax": "8"}
        return [
            _Row(label, [self.show(one[key], decimals) for one in columns], key in _TOTALS, notes.get(key, ""))
            for key, label in labels.items()
        ]

    def ask(self, said: str, when: str, right: Rights, page: int | None = None) -> None:
        """Ask for a figure in one of several wordings."""
        plural = re.search(r"[^s]s$", re.split(r" before | from | of | in ", said)[0])
        if said.endswith((" for the year", " for the period")) and when.startswith("for the "):
            said = said.split(" for ")[0]
        wordings = (
            f"What {'were' if plural else 'was'} {self.name}'s {said} {when}?",
            f"What {said} did {self.name} report {when}?",
            f"How much {'were' if plural else 'was'} the {said} of {self.name} {when}?",
            f"{self.name}: {said} {when}?",
        )
        self.put(self.rng.choice(wordings), right, page)

    def put(self, question: str, right: Rights, page: int | None = None) -> None:
        """Ask a question; one without an answer has no page."""
        where = (0 if None in right else self.page) if page is None else page
        self.asked.append(Asked(question, right, where))

    def case(self) -> Case:
        """Close the last page, which `Sheets.end` would follow with a blank one."""
        self.foot()
        return Case((self.sheets.save(),), tuple(self.asked), companies=(self.full,))


def _share(book: _Book, money: _Money, net: int, shares: int) -> tuple[str, Rights]:
    """A result per share as printed, and what is right for it."""
    exact = money.full(net) / shares
    if money.in_hundredths:
        value = round(exact * 100, 1)
        return book.show(round(value * 10), 1), (value, round(value / 100, 5))
    return book.show(round(exact * 100), 2), (round(exact, 2),)


def _shares(rng: random.Random, money: _Money, net: int) -> int:
    """So many shares that each one's result looks like one."""
    each = rng.uniform(30, 160) if money.per_share == "yen" else rng.uniform(0.21, 3.9)
    return round(abs(money.full(net)) / each)


def _signed(value: int, *, is_loss: bool = False) -> Rights:
    """What is right for a result; for one asked for as a loss, either sign."""
    return (value, -value) if is_loss else (value,)


# Several columns a year.

_TRIPLES = (
    (
        "Before\nexceptional\nitems|Exceptional\nitems\n(note 5)|Total",
        "{} before exceptional items",
        "statutory {}",
    ),
    ("Pre-specific\nitems|Specific\nitems|Total", "{} before specific items", "statutory {}"),
    ("Underlying|Items excluded\nfrom\nunderlying|Statutory", "underlying {}", "statutory {}"),
    ("Adjusted|Adjust-\nments|IFRS\n(reported)", "adjusted {}", "reported {}"),
    ("Continuing\noperations|Discontinued\noperations|Total", "{} from continuing operations", "total {}"),
)


def _beside(rng: random.Random, base: Figures, *, is_discontinued: bool) -> Figures:
    """What stands beside a year's own columns: items that are shown apart, or a business given up."""
    if is_discontinued:
        return _year(rng, base["revenue"] // rng.randint(5, 9), loss=rng.random() < 0.5)
    parts = dict.fromkeys(("revenue", "income", "costs", "selling"), 0)
    parts |= {
        "cost": -(base["revenue"] // rng.randint(90, 200)),
        "admin": -(base["revenue"] // rng.randint(40, 80)),
    }
    parts["costs"] = -(base["revenue"] // 400) if rng.random() < 0.4 else 0
    return _derived({**parts, "tax": -(parts["cost"] + parts["admin"]) // rng.randint(4, 6)})


def _triple(book: _Book, year: int, end: str) -> None:
    """Three columns a year: as adjusted, what is shown apart, and the total."""
    rng = book.rng
    heads, own_said, total_said = rng.choice(_TRIPLES)
    words = "de" if "IFRS" in heads else "uk"
    is_discontinued, labels = "Continuing" in heads, _labels(words)
    money = rng.choice(_EUROS[:1] if words == "de" else _POUNDS)
    base = _growing(rng, 2, *_size(money))
    apart = [_beside(rng, one, is_discontinued=is_discontinued) for one in base]
    total = [_added(*both) for both in zip(base, apart, strict=True)]
    order = (2, 1, 0) if "Total" not in heads and rng.random() < 0.4 else (0, 1, 2)
    newest_first = rng.random() < 0.7
    years = (0, 1) if newest_first else (1, 0)
    columns = [(base, apart, total)[kind][n] for n in years for kind in order]
    names = [heads.split("|")[kind] for kind in order]
    shares = _shares(rng, money, total[0]["net"])
    rows = book.statement(labels, columns, money.decimals)
    per_share = [_share(book, money, one["net"], shares) for one in total]
    own_share = [_share(book, money, one["net"], shares) for one in base] if rng.random() < 0.5 else []
    cells = ["" for _ in columns]
    for place, n in enumerate(years):
        cells[place * 3 + order.index(2)] = per_share[n][0]
        if own_share:
            cells[place * 3 + order.index(0)] = own_share[n][0]
    rows.append(_Row(f"Basic earnings per share ({money.per_share})", cells))
    book.strong("Consolidated income statement", size=13)
    form = rng.choice(("spanned", "repeated", "stacked"))
    if form == "spanned":
        ended = rng.choice((f"Year ended {end} ", ""))
        spans = [(f"{ended}{year - n}", place * 3, place * 3 + 2) for place, n in enumerate(years)]
        book.table([f"{name}\n{money.symbol}" for name in names] * 2, rows, spans)
    elif form == "repeated":
        book.table([f"{name}\n{year - n}\n{money.symbol}" for n in years for name in names], rows)
    else:
        for place, n in enumerate(years):
            book.strong(f"Year ended {end} {year - n}")
            part = [_Row(r.label, r.cells[place * 3 : place * 3 + 3], r.is_total, r.note) for r in rows]
            book.table([f"{name}\n{money.symbol}" for name in names], part)
    now, before = _when(rng, year, end), _when(rng, year - 1, end)
    full, operating = money.full, "EBIT" if words == "de" else "operating profit"
    for key in ("net",) if is_discontinued else ("operating", "pretax"):
        book.ask(_said(labels[key]), now, (full(total[0][key]),))
    book.ask(_said(labels["net"]), before, (full(total[1]["net"]),))
    book.ask(own_said.format(operating), now, (full(base[0]["operating"]),))
    book.ask(total_said.format(operating), before, (full(total[1]["operating"]),))
    book.ask("basic earnings per share", before, per_share[1][1])
    if own_share:
        book.ask(own_said.format("basic earnings per share"), now, own_share[0][1])
    if is_discontinued:
        book.ask("revenue from discontinued operations", now, (full(apart[0]["revenue"]),))
    book.ask(_said(labels["revenue"]), f"in {year - 3}", (None,))


def _when(rng: random.Random, year: int, end: str) -> str:
    """A year that ends in December or another month, as people say it."""
    return rng.choice((f"in {year}", f"in FY{year}", f"for {year}", f"for the year ended {end} {year}"))


def _group_and_company(book: _Book, year: int, end: str) -> None:
    """A balance sheet of the group and of the company alone."""
    rng, money = book.rng, book.rng.choice(_AUSTRALIAN + _POUNDS)
    low, high = _size(money)
    labels = _SHEET.split("|")

    def sheet(size: int, *, alone: bool) -> list[int]:
        parts = [round(size * rng.uniform(0.1, 0.4)) for _ in range(6)]
        parts = [p if is_there else 0 for p, is_there in zip(parts, (1, 1, alone, not alone, 1, 1), strict=True)]
        total = sum(parts)
        owed = [round(total * rng.uniform(0.15, 0.3)), round(total * rng.uniform(0.1, 0.2))]
        equity = total - sum(owed)
        capital = round(low * 0.3)
        return [*parts, total, *owed, sum(owed), capital, equity - capital, equity]

    size = rng.randint(low, high)
    group = [sheet(size, alone=False), sheet(round(size * 0.93), alone=False)]
    alone = [sheet(size // 2, alone=True), sheet(round(size * 0.47), alone=True)]
    first, second = rng.choice(
        (
            ("Group", "Company"),
            ("Group", "Parent"),
            ("The Group", "The Company"),
            ("Consolidated", "Parent Company"),
        )
    )
    is_by_year = rng.random() < 0.3
    columns = [group[0], alone[0], group[1], alone[1]] if is_by_year else [*group, *alone]
    rows = [
        _Row(label, [book.show(one[n], money.decimals) for one in columns], label.startswith("Total"))
        for n, label in enumerate(labels)
    ]
    book.strong(rng.choice(("Statements of financial position", "Balance sheets")), size=13)
    book.sheets.line(f"as at {end} {year}")
    unit = money.symbol
    if is_by_year:
        heads, spans = [f"{first}\n{unit}", f"{second}\n{unit}"] * 2, [(f"{year}", 0, 1), (f"{year - 1}", 2, 3)]
    else:
        heads, spans = [f"{year}\n{unit}", f"{year - 1}\n{unit}"] * 2, [(first, 0, 1), (second, 2, 3)]
    book.table(heads, rows, spans, 66)
    now, before = f"at {end} {year}", rng.choice((f"at {end} {year - 1}", f"at the end of {year - 1}"))
    for label, when, n in (
        ("Total assets", now, 0),
        ("Cash and cash equivalents", before, 1),
        ("Total equity", now, 0),
        ("Borrowings", before, 1),
    ):
        book.ask(label.lower(), when, (money.full(group[n][labels.index(label)]),))
    for label, when, n in (("Total assets", now, 0), ("Trade and other receivables", before, 1)):
        question = f"What were the {label.lower()} of {book.name} as a company alone, not of the group, {when}?"
        book.put(question, (money.full(alone[n][labels.index(label)]),))
    book.ask("total assets", f"at {end} {year - 2}", (None,))


def _restated(book: _Book, year: int, end: str) -> None:
    """Last year as it was reported, what has changed, and as it is now."""
    rng, money = book.rng, book.rng.choice(_POUNDS + _EUROS)
    labels = _labels(rng.choice(("uk", "de")))
    now, reported = _growing(rng, 2, *_size(money))
    moved = round(reported["revenue"] * rng.uniform(0.01, 0.03))
    parts = dict.fromkeys(_KEYS, 0) | {"revenue": -moved, "cost": round(moved * 0.4), "admin": -moved // 5}
    change = _derived({**parts, "tax": moved // 6})
    restated = _added(reported, change)
    columns = [(f"{year}", now), (f"{year - 1}\nas previously\nreported", reported)]
    columns += [("Restatement\n(note 3)", change), (f"{year - 1}\nrestated", restated)]
    if rng.random() < 0.5:
        columns = [columns[0], columns[3], columns[2], columns[1]]
    shares = _shares(rng, money, now["net"])
    rows = book.statement(labels, [one for _, one in columns], money.decimals)
    now_share, then_share = _share(book, money, now["net"], shares), _share(book, money, restated["net"], shares)
    cells = [
        {f"{year}": now_share[0], f"{year - 1}\nrestated": then_share[0]}.get(head, "") for head, _ in columns
    ]
    book.strong("Consolidated income statement", size=13)
    book.sheets.line(f"for the year ended {end} {year}")
    rows.append(_Row(f"Earnings per share, basic ({money.per_share})", cells))
    book.table([f"{head}\n{money.symbol}" for head, _ in columns], rows)
    before = _when(rng, year - 1, end)
    book.ask(_said(labels["revenue"]), before, (money.full(restated["revenue"]),))
    book.ask(_said(labels["operating"]), before, (money.full(restated["operating"]),))
    book.ask(_said(labels["operating"]), _when(rng, year, end), (money.full(now["operating"]),))
    book.ask(f"restated {_said(labels['net'])}", f"for {year - 1}", (money.full(restated["net"]),))
    book.ask(f"{_said(labels['net'])} as previously reported", f"for {year - 1}", (money.full(reported["net"]),))
    book.ask("basic earnings per share", before, then_share[1])
    book.ask(_said(labels["revenue"]), _when(rng, year - 2, end), (None,))


def _segments(book: _Book, year: int, end: str) -> None:
    """Segments as columns, a table for each year."""
    rng, money = book.rng, book.rng.choice(_POUNDS + _EUROS)
    names = rng.sample(("Coatings", "Filters", "Bearings", "Sealants", "Castings", "Valves"), rng.choice((3, 4)))
    total = rng.choice(("Group", "Total", "Consoli-\ndated"))
    last = rng.choice(("Elimi-\nnations", "Corporate\nand elimi-\nnations"))
    places = len(names)
    labels = ["External revenue", "Inter-segment revenue", "Total revenue", "Depreciation and amortisation"]
    labels += ["Operating profit", "Segment assets"]
    low, high = _size(money)
    shown: list[list[list[int]]] = []
    for _ in range(2):
        outer = [rng.randint(low, high) // places for _ in names]
        inner = [one // rng.randint(9, 30) for one in outer]
        worn, won = [-one // rng.randint(16, 30) for one in outer], [one // rng.randint(6, 14) for one in outer]
        held, central = [one * rng.randint(60, 130) // 100 for one in outer], sum(outer) // rng.randint(50, 90)
        both = [a + b for a, b in zip(outer, inner, strict=True)]
        whole = [[*outer, 0], [*inner, -sum(inner)], [*both, -sum(inner)]]
        whole += [[*worn, -central // 3], [*won, -central], [*held, central * 4]]
        shown.append([[*line, sum(line)] for line in whole])
    book.strong(rng.choice(("Note 4 Segment information", "Operating segments")), size=13)
    symbol = money.symbol
    for n in (0, 1) if rng.random() < 0.7 else (1, 0):
        rows = [
            _Row(
                label, [book.show(v, money.decimals) for v in line], label in ("Total revenue", "Operating profit")
            )
            for label, line in zip(labels, shown[n], strict=True)
        ]
        book.strong(rng.choice((f"Year ended {end} {year - n}", f"{year - n}")))
        book.table([f"{head}\n{symbol}" for head in (*names, last, total)], rows)
    for said, n, line in (("revenue", 0, 2), ("operating profit", 0, 4), ("operating profit", 1, 4)):
        book.ask(said, _when(rng, year - n, end), (money.full(shown[n][line][-1]),))
    for said, n, line, column in (("external revenue", 0, 0, 1), ("operating profit", 1, 4, 0)):
        question = f"What was the {said} of {book.name}'s {names[column]} segment in {year - n}?"
        book.put(question, (money.full(shown[n][line][column]),))
    book.ask("operating profit", f"in {year - 2}", (None,))


def several_columns_a_year(rng: random.Random, folder: Path) -> Case:
    """Columns before and after some items, of group and parent, restated, or of segments, under one year."""
    year, end = rng.choice((2023, 2024, 2025)), rng.choice(("31 December", "30 September", "31 March"))
    book = _Book(rng, folder, "plc|Limited|AG|Group plc|Ltd|S.A.", "annual_report")
    book.cover(f"Annual Report {year}", f"For the year ended {end} {year}")
    if rng.random() < 0.6:
        book.prose("Strategic report")
    form = rng.choice((_triple, _triple, _triple, _group_and_company, _restated, _segments))
    form(book, year, end)
    return book.case()


# Years called by a fiscal name.


@dataclass(frozen=True)
class _Fiscal:
    """How a country calls a year that ends in the year `e`, having begun in `b`."""

    heads: str
    names: str
    defined: str
    words: str
    money: tuple[_Money, ...]
    suffixes: str
    day: str = ""
    title: str = "Annual Report"


_CRORE = (_Money("Rs crore", "Rs in crore", 1e7, 2, "Rs"),)
_YEN = (_Money("¥", "Millions of yen", 1e6, 0, "yen"),)
_FISCALS = (
    _Fiscal(
        "Fiscal\n{b}|{b}|{weeks} Weeks\nEnded\n{short}",
        "in fiscal {b}|in fiscal year {b}|in FY{b}",
        "Our fiscal year ends on the Saturday nearest January 31. Fiscal {b} ended on {day} and had {weeks} weeks.",
        *("us", _DOLLARS, "Inc.|Corp.", "", "Annual Report on Form 10-K"),
    ),
    _Fiscal(
        "{b}/{yy}",
        "in {b}/{yy}|for {b}/{yy}",
        "In this report {b}/{yy} means the financial year ended {day}.",
        *("uk", _POUNDS, "plc|Limited", "31 March {e}"),
    ),
    _Fiscal(
        "FY{yy}|FY{e}",
        "in FY{yy}|in FY{e}",
        "FY{yy} refers to the financial year ended {day}.",
        *("uk", _POUNDS, "plc|Ltd", "31 March {e}"),
    ),
    _Fiscal(
        "Fiscal\n{b}|FY{b}",
        "in fiscal {b}|in FY{b}|in fiscal year {b}",
        "“Fiscal {b}” (FY{b}) refers to the fiscal year ended {day}; other years are referred to in the same way.",
        *("jp", _YEN, "Corporation|Co., Ltd.", "March 31, {e}", "Integrated Report"),
    ),
    _Fiscal(
        "FY {b}-{yy}|{b}-{yy}",
        "in FY {b}-{yy}|for FY {b}-{yy}",
        "FY {b}-{yy} means the financial year ended {day}.",
        *("in", _CRORE, "Limited", "March 31, {e}"),
    ),
    _Fiscal(
        "FY{yy}|FY{yy}\n30 June",
        "in FY{yy}|in FY{e}",
        "FY{yy} refers to the financial year ended {day}.",
        *("uk", _AUSTRALIAN, "Limited|Ltd", "30 June {e}"),
    ),
    _Fiscal(
        "Fiscal\n{e}|{e}",
        "in fiscal {e}|in FY{e}",
        "Our fiscal year ends on May 31. References to fiscal {e} are to the fiscal year ended {day}.",
        *("us", _DOLLARS, "Inc.|Corp.", "May 31, {e}", "Annual Report on Form 10-K"),
    ),
)


def _saturday(year: int) -> date:
    """The Saturday nearest 31 January."""
    near = date(year, 1, 31)
    return min(near + timedelta(n) for n in range(-3, 4) if (near + timedelta(n)).weekday() == 5)


def _called(fiscal: _Fiscal, text: str, end: int) -> str:
    """A text with the names of the year that ends in `end` filled in."""
    day = _saturday(end)
    written = fiscal.day.format(e=end) or f"{day:%B} {day.day}, {day.year}"
    weeks = (day - _saturday(end - 1)).days // 7
    short = f"{day:%b}. {day.day},\n{day.year}"
    return text.format(b=end - 1, e=end, yy=f"{end % 100:02}", day=written, weeks=weeks, short=short)


def fiscal_years(rng: random.Random, folder: Path) -> Case:
    """Years that end between January and June, under the names that the report gives them."""
    fiscal, last = rng.choice(_FISCALS), rng.choice((2022, 2023, 2024, 2025))
    count, money = rng.choice((2, 3, 3, 4)), rng.choice(fiscal.money)
    book = _Book(rng, folder, fiscal.suffixes, "report")
    ends, head, labels = (
        [last - n for n in range(count)],
        rng.choice(fiscal.heads.split("|")),
        _labels(fiscal.words),
    )
    day = [_called(fiscal, "{day}", end) for end in ends]
    title = f"{fiscal.title} {_called(fiscal, fiscal.heads.split('|')[0], last)}".replace("\n", " ")
    book.cover(title, f"For the {'fiscal' if fiscal.words in ('us', 'jp') else 'financial'} year ended {day[0]}")
    told = [_called(fiscal, fiscal.defined, end).split(". ")[-1] for end in ends[1:] if fiscal.words == "us"]
    book.prose("Basis of presentation", " ".join([_called(fiscal, fiscal.defined, last), *told]))
    years = _growing(rng, count, *((30_000, 950_000) if money.decimals != 1 else _size(money)))
    shares = _shares(rng, money, years[0]["net"])
    shown = [_share(book, money, one["net"], shares) for one in years]
    most = rng.randint(150, 900)
    sites = [most - rng.randint(4, 8) * n for n in range(count)]
    rows = book.statement(labels, years, money.decimals)
    rows.append(
        _Row(
            f"{'Diluted' if fiscal.words == 'us' else 'Basic'} earnings per share ({money.per_share})",
            [t for t, _ in shown],
        )
    )
    rows.append(_Row("Stores at year end" if fiscal.words == "us" else "Number of sites", [f"{n}" for n in sites]))
    oldest_first = rng.random() < 0.6
    columns = [_called(fiscal, head, end) for end in ends]
    if oldest_first:
        columns, rows = columns[::-1], [_Row(r.label, r.cells[::-1], r.is_total, r.note) for r in rows]
    extra = rng.choice(("change", "share", "both", "none"))
    keys = [*labels, "", ""]
    if extra in ("change", "both"):
        columns.append(rng.choice(("Change\n%", "Change\n(%)", "Year-on-year\nchange, %")))
        moves = ["" if not k else book.show(round(1000 * (years[0][k] / years[1][k] - 1)), 1) for k in keys]
        rows = [_Row(r.label, [*r.cells, m], r.is_total, r.note) for r, m in zip(rows, moves, strict=True)]
    if extra in ("share", "both"):
        columns.append(rng.choice(("% of\nsales", "% of\nrevenue")))
        parts = ["" if not k else f"{abs(100 * years[0][k] / years[0]['revenue']):.1f}" for k in keys]
        rows = [_Row(r.label, [*r.cells, m], r.is_total, r.note) for r, m in zip(rows, parts, strict=True)]
    book.strong(
        rng.choice(("Consolidated statements of income", "Consolidated results", "CONSOLIDATED INCOME STATEMENT")),
        size=12,
    )
    book.sheets.line(f"({money.unit}, except per share data)")
    book.sheets.y -= 10
    book.table(columns, rows, widest=74)

    def when(n: int, *, by_date: bool = False) -> str:
        dated = f"for the {'fiscal ' if fiscal.words in ('us', 'jp') else ''}year ended {day[n]}"
        return dated if by_date else _called(fiscal, rng.choice(fiscal.names.split("|")), ends[n])

    for key, n, by_date in (
        ("revenue", 0, False),
        ("operating", 1, False),
        ("revenue", 1, True),
        ("net", count - 1, rng.random() < 0.5),
        ("net", 0, True),
    ):
        book.ask(_said(labels[key]), when(n, by_date=by_date), (money.full(years[n][key]),))
    book.ask(f"{'diluted' if fiscal.words == 'us' else 'basic'} earnings per share", when(1), shown[1][1])
    if fiscal.words == "us":
        named = when(1).removeprefix("in ")
        book.put(f"How many stores did {book.name} have at the end of {named}?", (sites[1],))
    absent = last + 1 if rng.random() < 0.6 else last - count
    book.ask(_said(labels["revenue"]), _called(fiscal, rng.choice(fiscal.names.split("|")), absent), (None,))
    return book.case()


# Quarters and halves.

_ENDS = {1: "March 31", 2: "June 30", 3: "September 30", 4: "December 31"}
_MONTHS = {1: "Jan–Mar", 2: "Apr–Jun", 3: "Jul–Sep", 4: "Oct–Dec"}
_NTH = {1: "first", 2: "second", 3: "third", 4: "fourth"}
_LONG = {2: ("Six", "half", "H1"), 3: ("Nine", "nine months", "9M"), 4: ("Twelve", "year", "Full year")}


@dataclass(frozen=True)
class _Period:
    """A column of an interim report."""

    head: str
    figures: Figures
    said: tuple[str, ...]


def _quarter_said(quarter: int, year: int, form: str) -> tuple[str, ...]:
    """A quarter, as people say it."""
    said = (f"in Q{quarter} {year}", f"in the {_NTH[quarter]} quarter of {year}")
    return (*said, f"for the three months ended {_ENDS[quarter]}, {year}") if form == "us" else said


def _long_said(until: int, year: int, form: str) -> tuple[str, ...]:
    """The months from January to the end of a quarter, as people say it."""
    months, part, short = _LONG[until]
    if until == 4:
        return (f"in {year}", f"for the full year {year}")
    said = (f"in the first {part} of {year}", f"in {short} {year}")
    return (*said, f"for the {months.lower()} months ended {_ENDS[until]}, {year}") if form == "us" else said


def _periods(form: str, quarter: int, year: int, of: Mapping[int, list[Figures]], style: int) -> list[_Period]:
    """The columns: the quarter of both years, then the months up to its end."""
    found = []
    months = {2: "Jan–Jun", 3: "Jan–Sep", 4: "Jan–Dec"}[quarter]
    for y in (year, year - 1):
        head = (f"Q{quarter}\n{y}", f"{_MONTHS[quarter]}\n{y}")[style] if form != "us" else f"{y}"
        found.append(_Period(head, of[y][quarter - 1], _quarter_said(quarter, y, form)))
    for y in (year, year - 1):
        short = f"{_LONG[quarter][2]}\n{y}"
        head = (short, f"{months}\n{y}")[style] if form != "us" else f"{y}"
        found.append(_Period(head, _added(*of[y][:quarter]), _long_said(quarter, y, form)))
    return found


def _interim(
    book: _Book, form: str, quarter: int, year: int, of: Mapping[int, list[Figures]], money: _Money
) -> None:
    """The statement of an interim report, and questions about its columns."""
    rng, labels = book.rng, _labels("us" if form == "us" else _european(book.rng))
    labels["net"] = labels["net"].replace("year", "period")
    if any(one["net"] < 0 for quarters in of.values() for one in quarters):
        labels |= {"operating": "Operating income (loss)", "net": "Net income (loss)"}
        labels |= {"pretax": "Income (loss) before income taxes", "tax": "Income tax benefit (expense)"}
    unit = "" if form == "us" else f"\n{money.symbol}"
    absent: list[str] = [f"in {year}", f"for the full year {year}"]
    if form == "half":
        whole = _Period(
            f"Year ended\n31 December\n{year - 1}\n(audited)", _added(*of[year - 1]), _long_said(4, year - 1, form)
        )
        halves = [
            _Period(f"Six months ended\n30 June\n{y}\n(unaudited)", _added(*of[y][:2]), _long_said(2, y, form))
            for y in (year, year - 1)
        ]
        periods, absent = [*halves, whole], [*absent, f"in Q2 {year}"]
    else:
        periods = _periods(form, quarter, year, of, rng.randrange(2))
        if form == "nordic" and quarter != 4:
            periods.append(_Period(f"Full year\n{year - 1}", _added(*of[year - 1]), _long_said(4, year - 1, form)))
        elif form == "us" and rng.random() < 0.4:
            periods = [periods[1], periods[0], periods[3], periods[2]]
    if quarter == 4:
        absent = [f"in {year - 2}", f"in Q3 {year}"]
    spans: list[tuple[str, int, int]] = []
    if form == "us":
        stop = f"\n{_ENDS[quarter]},"
        spans = [(f"Three Months Ended{stop}", 0, 1), (f"{_LONG[quarter][0]} Months Ended{stop}", 2, 3)]
    shares = _shares(rng, money, periods[0].figures["net"])
    shown = [_share(book, money, one.figures["net"], shares) for one in periods]
    rows = book.statement(labels, [one.figures for one in periods], money.decimals)
    rows.append(_Row(f"Earnings per share, basic ({money.per_share})", [text for text, _ in shown]))
    book.strong(
        rng.choice(("Condensed consolidated income statement", "CONDENSED CONSOLIDATED STATEMENTS OF INCOME")),
        size=12,
    )
    book.sheets.line(f"({money.unit}, except per share data) (unaudited)")
    book.sheets.y -= 8
    book.table([f"{one.head}{unit}" for one in periods], rows, spans, 84 if form == "half" else 70)
    for n, key in enumerate(("revenue", "operating", "net", "revenue" if len(periods) > 3 else "gross", "net")):
        period = periods[n % len(periods)]
        value = money.full(period.figures[key])
        book.ask(_said(labels[key]), rng.choice(period.said), (value,))
    book.ask("basic earnings per share", rng.choice(periods[1].said), shown[1][1])
    book.ask(_said(labels["revenue"]), rng.choice(absent), (None,))


def _european(rng: random.Random) -> str:
    """Whose words a European report's rows are in."""
    return rng.choice(("uk", "de"))


def _with_quarters(book: _Book, year: int, of: Mapping[int, list[Figures]], money: _Money) -> None:
    """An annual statement, and the quarters of both years on another page."""
    rng, labels = book.rng, _labels(_european(book.rng))
    book.strong("Consolidated income statement", size=13)
    years = [_added(*of[year]), _added(*of[year - 1])]
    book.table(
        [f"{year}\n{money.symbol}", f"{year - 1}\n{money.symbol}"], book.statement(labels, years, money.decimals)
    )
    annual = book.page
    book.ask(_said(labels["tax"]), f"in {year}", (-money.full(years[0]["tax"]),), annual)
    book.end()
    book.strong(rng.choice(("Results by quarter (unaudited)", "Quarterly overview")), size=13)
    some = {key: labels[key] for key in ("revenue", "gross", "operating", "net")}
    for y in (year, year - 1):
        heads = [f"{head}\n{y}" for head in ("Q1", "Q2", "Q3", "Q4", "Full year")]
        book.table(heads, book.statement(some, [*of[y], _added(*of[y])], money.decimals))
    for key, y, quarter in (
        ("revenue", year, 2),
        ("operating", year - 1, 2),
        ("net", year, 4),
        ("gross", year - 1, 3),
    ):
        book.ask(
            _said(labels[key]), rng.choice(_quarter_said(quarter, y, "")), (money.full(of[y][quarter - 1][key]),)
        )
    for n, key in enumerate(("revenue", "operating")):
        book.ask(_said(labels[key]), rng.choice(_long_said(4, year - n, "")), (money.full(years[n][key]),), 0)
    book.ask(_said(labels["revenue"]), f"in Q1 {year - 2}", (None,))


def quarters_and_halves(rng: random.Random, folder: Path) -> Case:
    """Interim reports with the quarter and the months so far side by side, and an annual report with quarters."""
    form, year = (
        rng.choice(("us", "us", "nordic", "europe", "half", "annual")),
        rng.choice((2022, 2023, 2024, 2025)),
    )
    quarter = {"half": 2, "nordic": rng.choice((2, 3, 4)), "annual": 4}.get(form, rng.choice((2, 3)))
    money = rng.choice(
        {"us": _DOLLARS, "half": _POUNDS, "nordic": (_Money("SEK m", "SEK million", 1e6, 0, "SEK"),)}.get(
            form, _EUROS
        )
    )
    suffixes = {"us": "Inc.|Corp.", "half": "plc", "nordic": "AB|ASA"}.get(form, "AG|SE|N.V.")
    book = _Book(rng, folder, suffixes, "interim_report" if form != "annual" else "annual_report")
    low, high = _size(money) if form != "nordic" else (4_000, 39_000)
    is_loss, size = form == "us" and rng.random() < 0.5, rng.randint(low, high)
    of = {}
    for y, base in ((year, size), (year - 1, round(size * rng.uniform(0.8, 0.96)))):
        of[y] = [_year(rng, round(base * rng.uniform(0.9, 1.12)), loss=is_loss) for _ in range(4)]
    day = _ENDS[quarter]
    european = " ".join(day.split()[::-1]) + f" {year}"
    book.cover(
        *{
            "us": ("Quarterly Report on Form 10-Q", f"For the quarterly period ended {day}, {year}"),
            "half": (f"Half-year report {year}", f"Six months ended {european}"),
            "annual": (f"Annual Report {year}", f"Financial year from 1 January to {european}"),
        }.get(form, (f"Interim report {'January–' + day.split()[0]} {year}", f"Period ended {european}"))
    )
    if rng.random() < 0.6:
        book.prose("Business review")
    if form == "annual":
        _with_quarters(book, year, of, money)
    else:
        _interim(book, form, quarter, year, of, money)
    return book.case()


# Two currencies.


@dataclass(frozen=True)
class _Pair:
    """A currency of one's own, and the one that its figures are translated into."""

    own: _Money
    other: _Money
    rate: float
    names: tuple[str, str]
    words: str
    layout: str
    suffixes: str


_SAID = {"U.S. dollars": ("in US dollars", "in USD", "in U.S. dollars"), "euros": ("in euros", "in EUR")}
_K_USD, _M_USD = _Money("US$", "thousands", 1e3, 0, "US$"), _Money("US$", "US$ million", 1e6, 1, "US$")
_SPANNED_USD = _Money("$", "Thousands of\nU.S. dollars", 1e3)
_RMB, _NIS = _Money("RMB", "thousands", 1e3, 0, "RMB"), _Money("NIS", "NIS in millions", 1e6, 1, "NIS")
_JPY, _KRW = _Money("¥", "Millions of yen", 1e6), _Money("KRW", "Millions of Korean won", 1e6)
_RUPEES, _PLN = _Money("Rs", "Rs in crore", 1e7, 1, "Rs"), _Money("PLN", "PLN thousand", 1e3, 0, "PLN")
_CHF, _M_EUR = _Money("CHF m", "CHF million", 1e6, 1, "CHF"), _Money("EUR m", "EUR million", 1e6, 1, "EUR")
_K_EUR = _Money("EUR", "EUR thousand", 1e3, 0, "EUR")
_PAIRS = (
    _Pair(_RMB, _K_USD, 7.2993, ("Renminbi", "U.S. dollars"), "cn", "last", "Holdings Limited|Inc."),
    _Pair(_JPY, _SPANNED_USD, 149.52, ("Japanese yen", "U.S. dollars"), "jp", "spans", "Corporation|Co., Ltd."),
    _Pair(_RUPEES, _M_USD, 83.37, ("Indian rupees", "U.S. dollars"), "in", "both", "Limited"),
    _Pair(_CHF, _M_EUR, 0.9526, ("Swiss francs", "euros"), "de", "pairs", "AG|SA"),
    _Pair(_PLN, _K_EUR, 4.3042, ("Polish zloty", "euros"), "uk", "both", "S.A."),
    _Pair(_KRW, _SPANNED_USD, 1364.0, ("Korean won", "U.S. dollars"), "uk", "spans", "Co., Ltd.|Corp."),
    _Pair(_NIS, _M_USD, 3.647, ("New Israeli Shekels", "U.S. dollars"), "uk", "last", "Ltd."),
)


def _translated(figures: Figures, pair: _Pair) -> Figures:
    """Each part at the rate, the totals being the sums of what is printed."""
    into = pair.own.scale / 10**pair.own.decimals / pair.rate / pair.other.scale * 10**pair.other.decimals
    return _derived({key: round(units * into) for key, units in figures.items() if key not in _TOTALS})


def _columns(
    pair: _Pair, year: int, count: int, *, oldest_first: bool
) -> tuple[list[tuple[bool, int]], list[str], list[tuple[str, int, int]]]:
    """The columns, as whether translated and how many years back, with their headings."""
    back = list(range(count))[:: -1 if oldest_first else 1]
    own, other = pair.own, pair.other
    if pair.layout == "pairs":
        columns = [(is_other, n) for n in back for is_other in (False, True)]
        return columns, [f"{year - n}\n{(own, other)[is_other].symbol}" for is_other, n in columns], []
    if pair.layout == "both":
        columns = [(is_other, n) for is_other in (False, True) for n in back]
        spans = [(own.unit, 0, count - 1), (other.unit, count, 2 * count - 1)]
        return columns, [f"{year - n}" for _, n in columns], spans
    columns = [*((False, n) for n in back), (True, 0)]
    if pair.layout == "spans":
        spans = [(own.unit, 0, count - 1), (f"{other.unit}\n(Note 1)", count, count)]
        return columns, [f"{year - n}" for _, n in columns], spans
    heads = [f"{year - n}\n{own.symbol}" for n in back]
    return columns, [*heads, f"{year}\n{other.symbol}\n(Note 2)"], []


def two_currencies(rng: random.Random, folder: Path) -> Case:
    """A statement in the company's currency with a translation for convenience beside it."""
    pair, year = rng.choice(_PAIRS), rng.choice((2023, 2024, 2025))
    book = _Book(rng, folder, pair.suffixes, "annual_report")
    count = rng.choice((2, 3)) if pair.layout == "last" else 2
    columns, heads, spans = _columns(pair, year, count, oldest_first=rng.random() < 0.5)
    end = "March 31" if pair.words in ("jp", "in") else "December 31"
    labels, own = _labels(pair.words), pair.own
    years = _growing(rng, count, *((90_000, 900_000) if own.decimals == 0 else (21_000, 95_000)))
    other = [_translated(one, pair) for one in years]
    shown = [(years, other)[is_other][n] for is_other, n in columns]
    book.cover(rng.choice((f"Annual Report {year}", "Annual Report")), f"For the fiscal year ended {end}, {year}")
    told = (
        f"The presentation currency of the group is {pair.names[0]}. Amounts in {pair.names[1]} are included solely "
        f"for the convenience of readers and were translated at {pair.other.symbol.split()[0]} 1 = "
        f"{own.symbol.split()[0]} {pair.rate}."
    )
    if is_before := rng.random() < 0.5:
        book.prose("Basis of preparation", told)
    book.strong(
        rng.choice(
            ("Consolidated statement of income", "SELECTED FINANCIAL DATA", "Consolidated income statement")
        ),
        size=12,
    )
    book.sheets.line(
        f"Years ended {end}" + (f" (in {own.unit})" if pair.layout == "last" and own.decimals == 0 else "")
    )
    if pair.layout == "last" and own.decimals:
        book.sheets.line("(in millions)")
    book.sheets.y -= 8
    cells = [pair.other if is_other else own for is_other, _ in columns]
    rows = [
        _Row(
            label,
            [book.show(one[key], money.decimals) for one, money in zip(shown, cells, strict=True)],
            key in _TOTALS,
        )
        for key, label in labels.items()
    ]
    shares = _shares(rng, own, years[0]["net"]) // 25
    if own.per_share:
        per = [_share(book, m, one["net"], shares)[0] for one, m in zip(shown, cells, strict=True)]
        rows.append(_Row("Basic earnings per share", per))
    book.table(heads, rows, spans, 76)
    if not is_before:
        book.sheets.lines(_wrapped(f"Note. {told}", 95))
    now, before = (
        rng.choice((f"in {y}", f"for the year ended {end}, {y}", f"for fiscal {y}")) for y in (year, year - 1)
    )
    if pair.words in ("jp", "in"):
        now, before = f"for the year ended {end}, {year}", f"for the year ended {end}, {year - 1}"
    revenue, net = _said(labels["revenue"]), _said(labels["net"])
    translated = rng.choice(_SAID[pair.names[1]])
    book.ask(revenue, now, (own.full(years[0]["revenue"]),))
    book.ask(revenue, f"{now} {translated}", (pair.other.full(other[0]["revenue"]),))
    book.ask(net, before, (own.full(years[1]["net"]),))
    third = rng.choice(("in pounds sterling", "in GBP", "in Canadian dollars"))
    book.ask(revenue, f"{now} {third}", (None,))
    last = (None,) if pair.layout in ("last", "spans") else (pair.other.full(other[1]["net"]),)
    book.ask(net, f"{before} {translated}", last)
    growth = 100 * (years[0]["revenue"] / years[1]["revenue"] - 1)
    rights = (round(growth, 1), growth, round(growth / 100, 3), growth / 100)
    spelled = f"{book.name}'s {revenue}"
    asks = (
        f"By how many percent did {spelled} grow from {year - 1} to {year}?",
        f"Growth of {spelled} in {year} in percent?",
    )
    book.put(rng.choice(asks), rights)
    if own.per_share:
        book.ask("basic earnings per share", now, _share(book, own, years[0]["net"], shares)[1])
    return book.case()


# Signs.


@dataclass(frozen=True)
class _Signs:
    """How a statement prints what is taken away: as it is, or turned; `losses` says which years have one."""

    words: str  # whose revenue and cost rows stand above the operating result
    below: str
    losses: str  # "none", "all", "mixed"
    money: tuple[_Money, ...]
    suffixes: str
    turns: str = ""  # of "costs", "tax" and "results"
    minus: str = "({})"


_SIGNS = (
    _Signs(
        "us",
        "Operating income|Interest expense, net|Income before income taxes|Income tax expense|Net income",
        *("none", _DOLLARS, "Inc.|Corp.", "costs tax"),
    ),
    _Signs(
        "uk",
        "Operating profit|Net finance costs|Profit before taxation|Tax on profit|Profit for the financial year",
        *("none", _POUNDS, "plc|Limited"),
    ),
    _Signs(
        "us",
        "Operating income (loss)|Interest expense, net|Income (loss) before income taxes|Income tax benefit (expense)|"
        "Net income (loss)",
        *("mixed", _DOLLARS, "Inc.|Corp."),
    ),
    _Signs(
        "us",
        "Income (loss) from operations|Interest expense, net|Income (loss) before income taxes|"
        "Provision for (benefit from) income taxes|Net income (loss)",
        *("mixed", _DOLLARS, "Inc.|Corp.", "costs tax"),
    ),
    _Signs(
        "uk",
        "Operating loss|Finance costs|Loss before income tax|Income tax benefit|Loss for the year",
        *("all", _AUSTRALIAN, "Limited|Ltd", "costs results"),
    ),
    _Signs(
        "uk",
        "Operating loss|Net finance costs|Loss before tax|Tax credit|Loss for the year",
        *("all", _POUNDS, "plc|Limited"),
    ),
    _Signs(
        "de",
        "Operating result|Financial result||Income taxes|Result for the year",
        *("mixed", _EUROS, "AG|SE", "", "-{}"),
    ),
    _Signs(
        "uk",
        "Operating profit/(loss)|Net finance costs||Income tax (expense)/credit|Profit/(loss) for the year",
        *("mixed", _POUNDS + _EUROS, "plc|N.V."),
    ),
    _Signs(
        "uk",
        "Operating profit|Net finance expense|Profit before tax|Less: income tax expense|Profit for the year",
        *("none", _AUSTRALIAN + _EUROS, "Limited|S.A.", "tax"),
    ),
)


def _ask_signed(book: _Book, money: _Money, key: str, when: str, units: int, label: str) -> None:
    """A question about a tax, a result or a cost, in the words that fit the year's figure."""
    rng, value, is_cost = book.rng, money.full(units), key in ("tax", "costs")
    if key == "costs":
        named = _said(label.split(",")[0])
        if "result" in named:
            return book.ask(named, when, (value,))
        return book.ask(named if named.startswith(("net", "finance")) else f"net {named}", when, (-value,))
    if is_cost and value < 0:
        return book.ask(rng.choice(("income tax expense", "tax expense", "tax charge")), when, (-value,))
    if is_cost:
        said = rng.choice(("income tax benefit", "tax credit", "income tax expense"))
        return book.ask(said, when, (-value,) if "expense" in said else (value, -value))
    plain = {"operating": ("operating result", "operating profit"), "net": ("net result", "net income")}[key]
    loss = {"operating": "operating loss", "net": "net loss"}[key]
    said = rng.choice((loss, *plain)) if value < 0 else rng.choice(plain)
    return book.ask(said, when, _signed(value, is_loss=said == loss))


def signs(rng: random.Random, folder: Path) -> Case:
    """Expenses, taxes and losses printed with a sign, without one, or turned, as their labels say."""
    form, year, count = rng.choice(_SIGNS), rng.choice((2023, 2024, 2025)), rng.choice((2, 2, 3))
    money, end = rng.choice(form.money), rng.choice(("31 December", "30 June", "30 September"))
    book = _Book(rng, folder, form.suffixes, "annual_report")
    book.minus = form.minus
    bad = rng.randrange(count)
    revenue, years = rng.randint(*_size(money)), []
    for n in range(count):
        one = _year(rng, revenue, loss=form.losses == "all" or (form.losses == "mixed" and n == bad))
        years.append(_derived({**one, "costs": one["costs"], "income": 0}))
        revenue = round(revenue / rng.uniform(0.94, 1.15))
    if "Inc." in form.suffixes:
        end = {"31 December": "December 31,", "30 June": "June 30,", "30 September": "September 30,"}[end]
    book.cover(f"Annual Report {year}", f"For the year ended {end} {year}")
    if rng.random() < 0.5:
        book.prose("Directors' report" if "plc" in form.suffixes else "Management's discussion")
    above = {key: label for key, label in _labels(form.words).items() if key in _KEYS[:5]}
    below = zip(("operating", "costs", "pretax", "tax", "net"), form.below.split("|"), strict=True)
    labels = above | {key: label for key, label in below if label}
    turned = {
        "tax": "tax" in form.turns,
        **dict.fromkeys(("cost", "selling", "admin", "costs"), "costs" in form.turns),
    }
    turned |= dict.fromkeys(("operating", "pretax", "net"), "results" in form.turns)
    shown = [{key: -units if turned.get(key) else units for key, units in one.items()} for one in years]
    rows = book.statement(labels, shown, money.decimals)
    shares = _shares(rng, money, years[0]["net"])
    of_share = [_share(book, money, one["net"], shares) for one in shown]
    name = (
        "Loss per share"
        if form.losses == "all"
        else "Earnings (loss) per share"
        if form.losses == "mixed"
        else "Earnings per share"
    )
    rows.append(_Row(f"{name}, basic ({money.per_share})", [text for text, _ in of_share]))
    heads = [f"{year - n}\n{money.symbol}" if money not in _DOLLARS else f"{year - n}" for n in range(count)]
    if rng.random() < 0.25:
        heads, rows = heads[::-1], [_Row(r.label, r.cells[::-1], r.is_total, r.note) for r in rows]
    book.strong(
        rng.choice(
            (
                "Consolidated statement of profit or loss",
                "Statement of operations",
                "Consolidated income statement",
            )
        ),
        size=12,
    )
    book.sheets.line(f"for the year ended {end} {year} ({money.unit}, except per share data)")
    book.sheets.y -= 8
    book.table(heads, rows)
    now, before = (rng.choice((f"in {y}", f"in FY{y}", f"for the year ended {end} {y}")) for y in (year, year - 1))
    for key, n in (("tax", 0), ("tax", 1), ("net", bad), ("operating", bad), ("costs", 1 - bad % 2)):
        when = (now, before, f"in {year - 2}")[n]
        _ask_signed(book, money, key, when, years[n][key], labels[key])
    if form.losses == "all":
        right = of_share[0][1]
        book.ask("loss per share", now, (*right, *(-one for one in right if isinstance(one, float))))
    else:
        book.ask("basic earnings per share", before, of_share[1][1])
    book.ask("income tax expense", f"in {year - count}", (None,))
    return book.case()


KINDS: dict[str, Writer] = {
    "several_columns_a_year": several_columns_a_year,
    "fiscal_years": fiscal_years,
    "quarters_and_halves": quarters_and_halves,
    "two_currencies": two_currencies,
    "signs": signs,
}
