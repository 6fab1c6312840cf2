"""Reports of companies: whose figure it is, which version holds, who is in office, figures beside their like."""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import md5
from pathlib import Path
from typing import Any

from reportlab.lib.utils import simpleSplit
from reportlab.pdfbase.pdfdoc import PDFArray, PDFDictionary, PDFName, PDFStream, PDFString
from reportlab.pdfbase.pdfmetrics import stringWidth

from tests.support.faults.cases import Asked, Case, Right, Writer
from tests.support.faults.drawing import LEADING, LEFT, RIGHT, Sheets, edges


def split(words: str) -> list[str]:
    return words.split()


STARTS = split("Bel Cor Dun Fen Gal Hest Kel Lom Mard Norv Pell Quen Rav Selk Tald Ulv Vas Wex Yarr Zel")
MIDDLES = split("a e i o u an or el ar en")
ENDS = split("brook dane fell gar holt lind mere nick rane stead thorne vane wick by croft")
FIRSTS = split("Anneke Bertil Clodagh Desmond Elspeth Farid Greta Hamish Imelda Joachim Keiko Lorcan Maren Nils")
LASTS = split(
    "Abernathy Bjarnason Castellan Dunwoody Eskildsen Fairbairn Grunwald Holloway Iredale Jellicoe Kittredge "
    "Lindholm Montague Nakagawa Oglethorpe Petrie Quennell Rasmussen Stallworth Tregarthen Urquhart Whitlock Yallop"
)
TRADES = split("Instruments Minerals Packaging Foods Logistics Textiles Bearings Chemicals Ceramics Software")
SUFFIXES = split("plc Inc. AG AB N.V. Limited Corp. S.A. Ltd")
FIRMS = (
    "Strathmoor Lyle LLP",
    "Brandvold & Keane LLP",
    "Ostrava Pell LLP",
    "Merriden Foxe LLP",
    "Tolland Hask LLP",
)


@dataclass(frozen=True)
class Money:
    """How a report prints amounts: the line over a table, what one unit is worth, and how sentences say it."""

    words: str
    scale: float
    decimals: int
    sign: str
    after: str
    sales: tuple[int, int]

    def bare(self, amount: int) -> str:
        """The digits of an amount that is given in the smallest printed unit."""
        return f"{abs(amount) / 10**self.decimals:,.{self.decimals}f}"

    def cell(self, amount: int) -> str:
        return f"({self.bare(amount)})" if amount < 0 else self.bare(amount)

    def said(self, amount: int) -> str:
        return f"{self.sign}{self.bare(amount)}{self.after}"

    def full(self, amount: int) -> float:
        return float(round(amount * self.scale / 10**self.decimals))


TENTHS, WHOLE = (1_201, 19_987), (21_013, 964_871)
MONEY = (
    Money("£ million", 1e6, 1, "£", " million", TENTHS),
    Money("All amounts in £m", 1e6, 1, "£", "m", TENTHS),
    Money("£'000", 1e3, 0, "£", " thousand", WHOLE),
    Money("(in thousands of US dollars)", 1e3, 0, "US$", " thousand", WHOLE),
    Money("(Dollars in millions)", 1e6, 1, "$", " million", TENTHS),
    Money("In millions of euros", 1e6, 1, "EUR ", " million", TENTHS),
    Money("EUR thousand", 1e3, 0, "EUR ", " thousand", WHOLE),
    Money("SEK m", 1e6, 0, "SEK ", " million", (1_103, 48_721)),
    Money("CHF in millions", 1e6, 1, "CHF ", " million", TENTHS),
    Money("A$'000", 1e3, 0, "A$", " thousand", WHOLE),
)


@dataclass(frozen=True)
class Look:
    """How one report is set."""

    font: str
    size: float
    gap: float
    newest_first: bool
    noted: bool
    ruled: bool

    @property
    def bold(self) -> str:
        return "Times-Bold" if self.font.startswith("Times") else f"{self.font}-Bold"


@dataclass(frozen=True)
class Period:
    """A financial year by its last day."""

    end: str
    year: int

    def named(self, back: int = 0) -> str:
        return f"{self.end} {self.year - back}"

    @property
    def american(self) -> str:
        day, month = self.end.split()
        return f"{month} {day}, {self.year}"

    def asked(self, rng: random.Random, back: int = 0) -> str:
        """The year as people write it."""
        whole = [f"for the year ended {self.named(back)}", f"in the year to {self.named(back)}"]
        if self.end != "31 March":
            year = self.year - back
            whole += [f"in {year}", f"in fiscal {year}", f"in FY{year}", f"for {year}"]
        return rng.choice(whole)


class Pages(Sheets):
    """Sheets in one look, with what most of these reports have in common."""

    def __init__(self, path: Path, look: Look, *, title: str = "untitled", date: str = "20250314") -> None:
        super().__init__(path, font=look.font, size=look.size)
        self.look = look
        self.canvas.setTitle(title)
        self.canvas._doc.signature = md5((title + date).encode(), usedforsecurity=False)
        self.canvas.setDateFormatter(lambda *_: f"D:{date}090000+00'00'")

    @property
    def number(self) -> int:
        return int(self.canvas.getPageNumber())

    def line(self, text: str = "", *, x: float = LEFT, size: float | None = None, bold: bool = False) -> None:
        size = size or self.size
        self.canvas.setFont(self.look.bold if bold else self.font, size)
        self.canvas.drawString(x, self.y, text)
        self._set()
        self.y -= LEADING * max(1.0, size / self.size)

    def prose(self, text: str, *, x: float = LEFT, right: float = RIGHT) -> int:
        """A paragraph; gives its page."""
        self.lines(simpleSplit(text, self.font, self.size, right - x), x=x)
        self.y -= 7
        return self.number

    def cover(self, name: str, *more: str) -> None:
        """A cover with the name as the largest line, then the title and the rest."""
        self.y = 580 - 40 * self.look.gap
        self.line(name, size=22 if len(name) > 30 else 24, bold=True)
        self.line(more[0], size=15)
        self.lines(more[1:])
        self.end()

    def statement(
        self,
        title: str,
        unit: str,
        heads: Sequence[str],
        rows: Sequence[tuple[str, Sequence[str]]],
        *,
        totals: Sequence[str] = (),
        places: Sequence[float] = (),
        noted: bool = False,
    ) -> int:
        """A table, given with the newest year first; gives its page."""
        places = places or edges(len(heads), first=RIGHT - 88 * (len(heads) - 1))
        order = 1 if self.look.newest_first else -1
        self.line(title, size=self.size + 3, bold=True)
        if unit:
            self.line(unit)
        self.y -= 6
        self.canvas.setFont(self.look.bold, self.size)
        if noted:
            self.canvas.drawRightString(places[0] - 75, self.y, "Note")
        self.row("", heads[::order], places)
        self._set()
        self.y -= 3
        for note, (label, cells) in enumerate(rows, 2):
            if label in totals and self.look.ruled:
                self.canvas.line(places[0] - 50, self.y + self.size, places[-1], self.y + self.size)
            self.canvas.setFont(self.look.bold if label in totals else self.font, self.size)
            if noted and cells and label not in totals:
                self.canvas.drawRightString(places[0] - 75, self.y, str(note))
            self.row(label, cells[::order] if cells else [""] * len(places), places)
            self._set()
            self.y -= self.look.gap
        self.y -= 16
        return self.number


def look_of(rng: random.Random) -> Look:
    font = rng.choice(("Helvetica", "Times-Roman"))
    return Look(
        font, rng.choice((8.5, 9, 9.5, 10, 10.5)), rng.choice((0, 1.5, 4)), *rng.choices((True, False), k=3)
    )


def root(rng: random.Random) -> str:
    return rng.choice(STARTS) + rng.choice(MIDDLES) + rng.choice(ENDS)


def company(rng: random.Random, suffixes: Sequence[str] = SUFFIXES) -> tuple[str, str]:
    """An invented name without and with its legal suffix."""
    short = f"{root(rng)} {rng.choice(TRADES)}"
    return short, f"{short} {rng.choice(suffixes)}"


def people(rng: random.Random, count: int) -> list[str]:
    names = zip(rng.sample(FIRSTS, count), rng.sample(LASTS, count), strict=True)
    return [f"{first} {last}" for first, last in names]


def surname(person: str) -> str:
    return person.split()[-1]


def period_of(rng: random.Random, *, march: bool = True) -> Period:
    ends = ["31 December", "31 December", "30 June", "30 September", "31 August", *["31 March"] * march]
    return Period(rng.choice(ends), rng.choice((2023, 2024, 2024, 2025)))


def near(rng: random.Random, amount: int, low: float = 0.86, high: float = 1.12) -> int:
    """Another year's amount, never the same."""
    other = round(amount * rng.uniform(low, high))
    return other if other != amount else amount + 3


def ask(rng: random.Random, what: str, name: str, when: str) -> str:
    """A question for one figure."""
    head = re.split(" of | from | paid| per ", what)[0]
    be = "were" if head.endswith("s") and not head.endswith("ss") else "was"
    asked = [f"What {be} {name}'s {what} {when}?", f"What {be} the {what} of {name} {when}?"]
    return rng.choice([*asked, f"What {what} did {name} report {when}?"])


def signed(value: float) -> tuple[Right, ...]:
    """A loss, with either sign."""
    return -abs(value), abs(value)


def hundredth(value: float) -> tuple[Right, ...]:
    """A figure in pence, cents or per cent, also as a part of the whole."""
    return value, round(value / 100, 6)


def titled(rng: random.Random, year: int) -> str:
    return rng.choice((f"Annual Report {year}", f"Annual Report and Accounts {year}", f"{year} Annual Report"))


NARRATIVE = (
    "Demand held up well in our home market, while customers abroad were slower to place orders than we had hoped.",
    "The board reviews the principal risks twice a year. It remains satisfied that the controls are adequate.",
    "We finished the renewal of our planning systems and closed the old warehouse, as announced a year ago.",
    "Our suppliers are asked to follow the same code of conduct as we do, and most of them were visited.",
    "Prices of energy and freight eased, and the benefit was passed on in part to customers.",
)


def narrative(rng: random.Random, pages: Pages, count: int = 2) -> None:
    """Paragraphs without figures."""
    for text in rng.sample(NARRATIVE, count):
        pages.prose(text)


INCOME = (
    ("Revenue", "Cost of sales", "Gross profit", "Administrative expenses", "Operating profit"),
    ("Net sales", "Cost of goods sold", "Gross profit", "Selling, general and administrative", "Operating income"),
    ("Turnover", "Cost of sales", "Gross profit", "Distribution and administrative costs", "Operating profit"),
    ("Revenues", "Cost of revenues", "Gross profit", "Operating expenses", "Income from operations"),
)
HEADINGS = (
    "Consolidated income statement",
    "Income statement",
    "Statement of profit or loss",
    "Statement of income",
)


@dataclass(frozen=True)
class Income:
    """A short income statement that adds up: amounts by label, the newest year first."""

    rows: dict[str, list[int]]

    @property
    def labels(self) -> list[str]:
        return list(self.rows)

    def printed(self, money: Money) -> list[tuple[str, list[str]]]:
        return [(label, [money.cell(one) for one in amounts]) for label, amounts in self.rows.items()]

    def draw(self, pages: Pages, title: str, money: Money, heads: Sequence[str]) -> int:
        totals = (self.labels[2], self.labels[4])
        noted = pages.look.noted and len(heads) == 2
        return pages.statement(title, money.words, heads, self.printed(money), totals=totals, noted=noted)


def income(rng: random.Random, sales: int, years: int, labels: Sequence[str] = ()) -> Income:
    labels = labels or rng.choice(INCOME)
    rows: dict[str, list[int]] = {label: [] for label in labels}
    for _ in range(years):
        cost, other = round(-sales * rng.uniform(0.45, 0.62)), round(-sales * rng.uniform(0.14, 0.28))
        for label, amount in zip(labels, (sales, cost, sales + cost, other, sales + cost + other), strict=True):
            rows[label].append(amount)
        sales = near(rng, sales)
    return Income(rows)


def year_heads(period: Period, years: int) -> list[str]:
    return [str(period.year - back) for back in range(years)]


# Trade, the group's last words, the fund's, the longer word's ending and suffix, subsidiary, manager, label, of whom.
FAMILIES = (
    "Capital|Group plc|Trust plc|gate|Limited|Bank Limited|Asset Management Limited|Total income|trust",
    "Energy|Holdings plc|Infrastructure Fund Limited|ford|Corp.|Networks Limited|Fund Managers LLP|Revenue|fund",
    "Property|International AG|Residential Fund SICAF|en|AG|Facility Services GmbH|Fund Services AG|Revenue|fund",
    "Realty|Group, Inc.|Income Trust, Inc.|wood|Corp.|Construction LLC|Advisors LLC|Total revenues|trust",
    "Shipping|Industries AB|Container Fund AB|sund|AB|Ports AB|Fund Partners AB|Net sales|fund",
)


def similar_names(rng: random.Random, folder: Path) -> Case:
    """A group, a fund that it manages, and a stranger of a longer word, in one library."""
    trade, last, fund_last, ending, suffix, subsidiary, manager, label, kind = rng.choice(FAMILIES).split("|")
    stem, money, period = root(rng), rng.choice(MONEY), Period("31 December", rng.choice((2023, 2024, 2025)))
    group, fund, far = f"{stem} {trade} {last}", f"{stem} {trade} {fund_last}", f"{stem}{ending} {trade} {suffix}"
    sub, managing, venture = f"{stem} {subsidiary}", f"{stem} {manager}", f"{stem} {rng.choice(TRADES)} Ventures"
    former, boss, other_boss, chair, sub_boss = f"{root(rng)} {trade} {suffix}", *people(rng, 4)
    sales = rng.randint(*money.sales)
    tops = {group: sales, fund: max(sales // 11, 7), far: sales // 3}
    staff = {group: rng.randint(3_100, 9_800), far: rng.randint(310, 990)}
    part = round(sales * rng.uniform(0.5, 0.7))
    form = rng.choice(("sentence", "table", "named only", "table"))
    renamed = rng.choice((group, far))
    files = []
    for name in (group, fund, far):
        pages = Pages(folder / f"{name.replace(' ', '_').strip('.').lower()}.pdf", look_of(rng), title=name)
        also = [f"(formerly {former})"] if name == renamed and form == "table" else []
        pages.cover(name, titled(rng, period.year), *also, f"Year ended {period.named()}")
        income(rng, tops[name], 2, (label, *INCOME[0][1:])).draw(
            pages, rng.choice(HEADINGS), money, year_heads(period, 2)
        )
        if name == fund:
            none = ("has no employees", "does not employ any staff", "had no employees during the year")
            pages.prose(f"The {kind} {rng.choice(none)}. It is managed by {managing}, a subsidiary of {group}.")
            pages.prose(f"The chair of the {kind} is {chair}.")
        elif name == group:
            held = f"The group consists of {sub}"
            held += f", whose {label.lower()} was {money.said(part)}," if form == "sentence" else ""
            text = f"{held} and {managing}. {fund} and {venture} are managed by {managing} but are not members of the "
            text += f"group. The chief executive of {sub} is {sub_boss}. {boss} is the group's chief executive."
            pages.prose(text + rng.choice((" ", " In all, ")) + f"{group} employed {staff[group]:,} people.")
            if form == "table":
                head = ("Country", "Interest", f"{label} {period.year}")
                place = rng.choice(("Ireland", "Norway", "Portugal"))
                pages.look = Look(pages.font, pages.size, 2, True, False, True)
                rows = [(sub, (place, "100%", money.cell(part))), (managing, (place, "85%", "–"))]
                pages.statement("Principal subsidiaries", money.words, head, rows, places=(330, 410, RIGHT))
        else:
            pages.prose(f"{far} employed {staff[far]:,} people. {other_boss} is its chief executive.")
        if name == renamed and form != "table":
            pages.prose(
                rng.choice(
                    (
                        f"The company was known as {former} until 3 May {period.year - 1}.",
                        f"On 3 May {period.year - 1} the company changed its name from {former} to {name}.",
                    )
                )
            )
        pages.end(name)
        files.append(pages.save())
    rng.shuffle(files)
    what, bare = (
        label.lower(),
        {name: name.rsplit(" ", 1)[0].rstrip(",") for name in (group, fund, far, former, sub)},
    )
    asked = [
        Asked(ask(rng, what, bare[name], period.asked(rng)), (money.full(tops[name]),), 2)
        for name in (group, fund, far)
    ]
    asked += [
        Asked(ask(rng, what, f"{stem} {trade}", period.asked(rng)), (None,)),
        Asked(ask(rng, what, bare[sub], period.asked(rng)), (None if form == "named only" else money.full(part),)),
        Asked(ask(rng, what, bare[former], period.asked(rng)), (money.full(tops[renamed]),), 2),
        Asked(f"Who is the chief executive of {bare[group]}?", (surname(boss),), 2),
        rng.choice(
            (
                Asked(f"How many employees did {bare[fund]} have {period.asked(rng)}?", (None, 0)),
                Asked(ask(rng, what, venture, period.asked(rng)), (None,)),
            )
        ),
    ]
    return Case(tuple(files), tuple(asked), companies=(group, fund, far))


def saved_again(path: Path, copy: Path, title: str) -> Path:
    """The same pages with a new document information appended, as editors save a small change."""
    old = path.read_bytes()
    root_number, info, size = (
        int(found[1])
        for key in (rb"/Root (\d+)", rb"/Info (\d+)", rb"/Size (\d+)")
        if (found := re.search(key, old[old.rindex(b"trailer") :]))
    )
    previous = int(old[old.rindex(b"startxref") + 9 :].split()[0])
    new = f"{info} 0 obj\n<< /Title ({title}) /ModDate (D:20250602101500+00'00') >>\nendobj\n".encode()
    place = len(old) + len(new)
    end = f"xref\n{info} 1\n{len(old):010d} 00000 n \ntrailer\n<< /Size {size} /Root {root_number} 0 R "
    end += f"/Info {info} 0 R /Prev {previous} >>\nstartxref\n{place}\n%%EOF\n"
    copy.write_bytes(old + new + end.encode())
    return copy


NOTICES = {
    "replaces": "This amended report replaces the report of 14 March {next}.",
    "restated": "Restated. The accounts first issued on 14 March {next} contained an error in revenue and are "
    "withdrawn; this restated report takes their place.",
    "10-K/A": "Explanatory note: this Amendment No. 1 on Form 10-K/A amends the annual report on Form 10-K filed on "
    "March 14, {next}, to correct the revenue, and replaces it in full.",
}


def versions(rng: random.Random, folder: Path) -> Case:
    """One report that comes twice, as it was, saved again or amended, beside another company's."""
    form = rng.choice(("renamed", "resaved", "appended", "replaces", "restated", "10-K/A"))
    (short, full), (rival, rival_full) = company(rng), company(rng)
    money, period, years, look = rng.choice(MONEY), period_of(rng, march=False), rng.choice((2, 3)), look_of(rng)
    figures = income(rng, rng.randint(*money.sales), years)
    sales, _, _, _, profit = figures.labels
    heading = rng.choice(HEADINGS)

    def write(
        file: str, name: str, shown: Income, notice: str = "", date: str = "20250314", title: str = ""
    ) -> Path:
        pages = Pages(folder / file, look, title=title or name, date=date)
        state = {"restated": " (restated)", "10-K/A": " on Form 10-K/A"}.get(form, "") if notice else ""
        first = " on Form 10-K" if form == "10-K/A" and not notice else ""
        ended = period.american if form == "10-K/A" else period.named()
        pages.cover(name, f"Annual Report {period.year}{state or first}", f"Year ended {ended}")
        if notice:
            pages.prose(notice.format(next=period.year + 1))
        shown.draw(pages, heading, money, year_heads(period, years))
        narrative(random.Random(name), pages)
        pages.end(name)
        return pages.save()

    one = write(f"{short.split()[0].lower()}_ar_{period.year}.pdf", full, figures)
    later, notice = figures, NOTICES.get(form, "")
    if form == "renamed":
        two = folder / f"{rng.choice(('Download (2)', 'final report', 'copy of accounts'))}.pdf"
        two.write_bytes(one.read_bytes())
    elif form == "resaved":
        two = write("resaved.pdf", full, figures, date="20250602", title="Microsoft Word - accounts final.docx")
    elif form == "appended":
        two = saved_again(one, folder / "annual_report_web.pdf", f"{short} accounts")
    else:
        rows = {label: list(amounts) for label, amounts in figures.rows.items()}
        wrong = round(rows[sales][0] * rng.choice((-0.031, -0.022, 0.027)))
        for label in (sales, figures.labels[2], profit):
            rows[label][0] += wrong
        later = Income(rows)
        two = write(f"{short.split()[0].lower()}_ar_{period.year}_v2.pdf", full, later, notice, "20250602")
    between = round(figures.rows[sales][0] * 0.5 + later.rows[sales][0] * 0.5)
    level = between if notice else near(rng, between, 0.7, 1.3)
    three = write("other.pdf", rival_full, income(rng, level, years, figures.labels))
    files = [one, two, three]
    if notice and rng.random() < 0.3:
        files = [two, three, one]
    what, now, last = sales.lower(), later.rows[sales][0], later.rows[sales][1]
    higher = short if now > level else rival
    asked = (
        Asked(ask(rng, what, short, period.asked(rng)), (money.full(now),), 2),
        Asked(ask(rng, what, short, period.asked(rng, 1)), (money.full(last),), 2),
        Asked(ask(rng, profit.lower(), short, period.asked(rng)), (money.full(later.rows[profit][0]),), 2),
        Asked(ask(rng, what, rival, period.asked(rng)), (money.full(level),), 2),
        Asked(f"Which company had the higher {what} in {period.year}, {short} or {rival}?", (higher,)),
        Asked(ask(rng, what, short, f"in {period.year - years}"), (None,)),
    )
    return Case(tuple(files), asked, companies=(full, rival_full))


CoverLine = tuple[str, float]


def nameless_cover(rng: random.Random, form: str, full: str, period: Period) -> list[CoverLine]:
    """Lines and sizes of a cover whose largest line is not the company."""
    year, ended = period.year, f"For the {rng.choice(('fiscal', 'financial'))} year ended {period.named()}"
    slogan = rng.choice(("Building tomorrow, together", "Closer to what matters", "Strength in every detail"))
    exchanges = "Ordinary shares listed on the Main Market of the London Stock Exchange and on Euronext Dublin"
    covers: dict[str, list[CoverLine]] = {
        "form": [
            ("UNITED STATES SECURITIES AND EXCHANGE COMMISSION", 11),
            ("Washington, D.C. 20549", 9),
            ("FORM 10-K", 24),
            ("ANNUAL REPORT PURSUANT TO SECTION 13 OR 15(d) OF THE SECURITIES EXCHANGE ACT OF 1934", 8),
            (f"For the fiscal year ended {period.american}", 10),
            (f"Commission file number 001-{rng.randint(30100, 39900)}", 9),
            (full, 13),
            ("(Exact name of registrant as specified in its charter)", 8),
            ("Common Stock, $0.01 par value    New York Stock Exchange", 8),
        ],
        "date": [(ended, 22), ("Annual Report", 13), (f"(Exact name of registrant: {full})", 9)],
        "slogan": [(slogan, 28), (f"Annual Report {year}", 14), (exchanges, 8)],
        "plain": [("Annual Report and Accounts", 26), (str(year), 40)],
        "registration": [
            ("UNIVERSAL REGISTRATION DOCUMENT", 20),
            (f"{year} including the annual financial report", 12),
            ("Euronext Paris, compartment B", 16),
            (f"{full}, registered office: 14 rue des Tanneurs, Lille", 8.5),
        ],
        "number": [
            (f"Company registration number {rng.randint(2_000_000, 9_900_000):08d} (England and Wales)", 9),
            ("ANNUAL REPORT AND FINANCIAL STATEMENTS", 18),
            (ended.upper(), 14),
            (full, 11),
        ],
    }
    return covers[form]


def no_name_on_cover(rng: random.Random, folder: Path) -> Case:
    """A cover with a date, a slogan, a form's title or exchanges as its largest line."""
    form = rng.choice(("form", "number", "slogan", "registration", "date", "plain", "slogan"))
    suffixes = {"form": ("Inc.", "Corp."), "registration": ("S.A.",), "number": ("plc", "Limited")}
    short, full = company(rng, suffixes.get(form, SUFFIXES))
    absent, (bank, auditor) = company(rng)[0], (f"{root(rng)} Bank", rng.choice(FIRMS))
    signs = {"form": ("$", "US$"), "registration": ("EUR ",), "number": ("£",)}.get(form, ())
    money = rng.choice([one for one in MONEY if not signs or one.sign in signs])
    period, look, years = period_of(rng), look_of(rng), rng.choice((2, 2, 3))
    title = rng.choice(("untitled", "Microsoft Word - AR final v7.docx", "Annual Report", ""))
    pages = Pages(folder / f"{form}_{period.year}.pdf", look, title=title)
    pages.y = 660
    for text, size in nameless_cover(rng, form, full, period):
        if form == "form":
            pages.y -= size - 8
            pages.canvas.setFont(look.bold, size)
            pages.canvas.drawCentredString(300, pages.y, text)
        else:
            pages.line(text, size=size, bold=size > 15)
        pages.y -= 16 if form == "form" else 12
    pages.end()
    if form in ("slogan", "plain") or rng.random() < 0.4:
        pages.line("Legal notice", bold=True)
        pages.prose(
            f"{full} publishes this report in English only. Design by Studio Ostler. Printed on recycled paper."
        )
        pages.prose(f"Our bankers are {bank} plc; our auditor is {auditor}.")
        narrative(rng, pages)
        pages.end()
    figures = income(rng, rng.randint(*money.sales), years)
    pages.line(full, size=look.size + (1 if form == "plain" else 0), bold=form == "plain")
    page = figures.draw(pages, rng.choice(HEADINGS), money, year_heads(period, years))
    pages.end(rng.choice(("", full, "The notes form part of these financial statements.")))
    pages.save()
    what, profit = figures.labels[0].lower(), figures.labels[4]
    asked = (
        Asked(ask(rng, what, short, period.asked(rng)), (money.full(figures.rows[figures.labels[0]][0]),), page),
        Asked(
            ask(rng, what, short, period.asked(rng, 1)), (money.full(figures.rows[figures.labels[0]][1]),), page
        ),
        Asked(ask(rng, profit.lower(), full, period.asked(rng)), (money.full(figures.rows[profit][0]),), page),
        Asked(ask(rng, what, absent, period.asked(rng)), (None,)),
        Asked(ask(rng, what, bank, period.asked(rng)), (None,)),
    )
    return Case((pages.path,), asked, companies=(full,))


@dataclass(frozen=True)
class Setting:
    """What the tables of one report share, and how its questions begin."""

    rng: random.Random
    pages: Pages
    money: Money
    period: Period
    short: str

    def table(self, title: str, unit: str, rows: Sequence[tuple[str, Sequence[str]]]) -> int:
        return self.pages.statement(title, unit, year_heads(self.period, 2), rows)

    def asked(self, what: str, right: tuple[Right, ...], page: int, back: int = 0) -> Asked:
        return Asked(ask(self.rng, what, self.short, self.period.asked(self.rng, back)), right, page)

    def amounts(self, part: float) -> list[int]:
        """This year's and last year's amount, about so much of a usual revenue."""
        one = round(self.rng.randint(*self.money.sales) * part) + 7
        return [one, near(self.rng, one)]

    def cells(self, amounts: Sequence[int]) -> list[str]:
        return [self.money.cell(amount) for amount in amounts]


def shares_beside_earnings(at: Setting) -> list[Asked]:
    net, big = at.amounts(0.2), at.money.scale == 1e6
    first = at.rng.randint(18_011, 89_777)
    shares = (first, near(at.rng, first, 0.97, 1.03))
    wide = [one + at.rng.randint(211, 900) for one in shares]
    digits, each = (2, 1e4) if big else (0, 1e3)
    pay = [[at.money.full(n) / (s * each) for n, s in zip(net, some, strict=True)] for some in (shares, wide)]
    counts = [[f"{one / 10**digits:,.{digits}f}" for one in some] for some in (shares, wide)]
    rows = [
        ("Net income", at.cells(net)),
        ("Earnings per share:", []),
        ("   Basic", [f"{one:,.2f}" for one in pay[0]]),
        ("   Diluted", [f"{one:,.2f}" for one in pay[1]]),
        ("Weighted average number of shares:", []),
        ("   Basic", counts[0]),
        ("   Diluted", counts[1]),
    ]
    scale = "millions" if big else "thousands"
    page = at.table(
        "Earnings per share", f"{at.money.words}; number of shares in {scale}; per share as stated", rows
    )
    return [
        at.asked("diluted weighted average number of shares", (round(wide[0] * each),), page),
        at.asked("diluted earnings per share", (round(pay[1][0], 2),), page),
        at.asked("basic weighted average number of shares", (round(shares[1] * each),), page, 1),
    ]


def debt_beside_net_debt(at: Setting) -> list[Asked]:
    long, short, cash = at.amounts(0.5), at.amounts(0.04), at.amounts(0.1)
    net = [a + b - c for a, b, c in zip(long, short, cash, strict=True)]
    both = at.rng.random() < 0.5
    rows = [("Net debt", at.cells(net)), ("Net debt to EBITDA", [f"{at.rng.uniform(1.1, 3.4):.1f}x" for _ in net])]
    if both:
        rows[:0] = [("Long-term debt", at.cells(long)), ("Short-term debt", at.cells(short))]
        rows.insert(2, ("Less: cash and cash equivalents", at.cells([-one for one in cash])))
    page = at.table(at.rng.choice(("Net debt", "Financial position", "Gearing")), at.money.words, rows)
    return [
        at.asked("long-term debt", (at.money.full(long[0]) if both else None,), page if both else 0),
        at.asked("net debt", (at.money.full(net[0]),), page),
    ]


def total_dividend_beside_per_share(at: Setting) -> list[Asked]:
    total, first = at.amounts(0.04), at.rng.randint(31, 390)
    each = (first / 100, near(at.rng, first) / 100)
    rows = [("Dividends paid", at.cells(total)), ("Dividend per share", [f"{one:.2f}" for one in each])]
    at.rng.shuffle(rows)
    page = at.table("Dividends", f"{at.money.words}, except per share", rows)
    return [
        at.asked("total dividends paid", (at.money.full(total[0]),), page),
        at.asked("dividend per share", (each[1],), page, 1),
    ]


def stores_beside_sales(at: Setting) -> list[Asked]:
    sales, first = at.amounts(0.8), at.rng.randint(112, 940)
    count, space = (first, near(at.rng, first)), (f"{first * 4:,}", f"{first * 4 - 37:,}")
    rows: list[tuple[str, Sequence[str]]] = [
        (f"Store sales ({at.money.sign.strip()}{at.money.after})", at.cells(sales))
    ]
    rows += [("Number of stores", [str(one) for one in count]), ("Selling space (thousand sq m)", space)]
    page = at.table(at.rng.choice(("Stores", "Key figures of the retail business")), "", rows)
    return [
        at.asked("number of stores", (count[0],), page),
        at.asked("store sales", (at.money.full(sales[0]),), page),
        at.asked("number of stores", (count[1],), page, 1),
    ]


def margins_beside_profits(at: Setting) -> list[Asked]:
    shown = income(at.rng, at.rng.randint(*at.money.sales), 2, INCOME[0])
    sales, gross, profit = (shown.rows[label] for label in ("Revenue", "Gross profit", "Operating profit"))
    margin = [[round(one / of * 100, 1) for one, of in zip(some, sales, strict=True)] for some in (gross, profit)]
    share = "%" if at.rng.random() < 0.5 else ""
    rows = [
        ("Revenue", at.cells(sales)),
        ("Gross profit", at.cells(gross)),
        ("Operating profit", at.cells(profit)),
    ]
    for place, label, some in ((2, "Gross margin", margin[0]), (4, "Operating margin", margin[1])):
        rows.insert(place, (label if share else f"{label} (%)", [f"{one:.1f}{share}" for one in some]))
    page = at.table("Profitability", at.money.words, rows)
    return [
        at.asked("gross margin", hundredth(margin[0][0]), page),
        at.asked("gross profit", (at.money.full(gross[0]),), page),
        at.asked("operating margin", hundredth(margin[1][1]), page, 1),
    ]


def revenue_per_employee(at: Setting) -> list[Asked]:
    sales, first = at.amounts(1), at.rng.randint(810, 6_900)
    staff = (first, near(at.rng, first))
    each = [round(at.money.full(s) / n / 1e3, 1) for s, n in zip(sales, staff, strict=True)]
    sign = at.money.sign.strip()
    rows = [(f"Revenue ({sign}{at.money.after})", at.cells(sales)), ("Employees", [f"{one:,}" for one in staff])]
    rows.insert(at.rng.randrange(3), (f"Revenue per employee ({sign} thousand)", [f"{one:,.1f}" for one in each]))
    page = at.table("Productivity", "", rows)
    return [
        at.asked("revenue", (at.money.full(sales[0]),), page),
        at.asked("revenue per employee", (round(each[0] * 1e3),), page),
        Asked(f"How many employees did {at.short} have {at.period.asked(at.rng)}?", (staff[0],), page),
    ]


def assets_beside_assets_managed(at: Setting) -> list[Asked]:
    total, managed = at.amounts(0.9), [at.rng.randint(121, 880) / 10 for _ in range(2)]
    rows = [
        (f"Total assets under management ({at.money.sign.strip()} billion)", [f"{one:.1f}" for one in managed])
    ]
    rows.insert(at.rng.randrange(2), (f"Total assets ({at.money.sign.strip()}{at.money.after})", at.cells(total)))
    page = at.table("Key figures", "", rows)
    return [
        at.asked("total assets under management", (round(managed[0] * 1e9),), page),
        at.asked("total assets", (at.money.full(total[0]),), page),
    ]


def cash_beside_restricted(at: Setting) -> list[Asked]:
    cash, tied = at.amounts(0.2), at.amounts(0.02)
    both = [one + other for one, other in zip(cash, tied, strict=True)]
    rows = [("Cash and cash equivalents", at.cells(cash)), ("Restricted cash", at.cells(tied))]
    rows.append(("Total cash, cash equivalents and restricted cash", at.cells(both)))
    page = at.table("Cash", at.money.words, rows)
    return [
        at.asked("cash and cash equivalents", (at.money.full(cash[0]),), page),
        at.asked("restricted cash", (at.money.full(tied[0]),), page),
        at.asked("total cash, cash equivalents and restricted cash", (at.money.full(both[1]),), page, 1),
    ]


DIMENSIONS: tuple[Callable[[Setting], list[Asked]], ...] = (
    shares_beside_earnings,
    debt_beside_net_debt,
    total_dividend_beside_per_share,
    stores_beside_sales,
    margins_beside_profits,
    revenue_per_employee,
    assets_beside_assets_managed,
    cash_beside_restricted,
)


def dimensions(rng: random.Random, folder: Path) -> Case:
    """Figures beside neighbours that share a word but are of another dimension."""
    (short, full), period, money = company(rng), period_of(rng), rng.choice(MONEY)
    pages = Pages(folder / "dimensions.pdf", look_of(rng), title=full)
    pages.cover(full, titled(rng, period.year), f"Year ended {period.named()}")
    at, asked = Setting(rng, pages, money, period, short), []
    for number, table in enumerate(rng.sample(DIMENSIONS, 3)):
        asked += table(at)
        if number:
            pages.end(full)
    narrative(rng, pages, 3)
    pages.end(full)
    pages.save()
    asked = asked[:7]
    if not any(None in one.right for one in asked):
        before = Asked(asked[0].question, (None,))
        year = str(period.year)
        asked.append(Asked(before.question.replace(year, str(period.year - 3)), (None,)))
    return Case((pages.path,), tuple(asked), companies=(full,))


# Sentences with this year's figure as {a} and last year's as {b}.
PLAIN = {
    "turnover": (
        "Turnover rose to {a} from {b} in the year before, helped by repeat orders.",
        "Turnover for the year was {a} ({y}: {b}).",
        "We ended the year with turnover of {a}, compared with {b} in {y}.",
        "Demand was firm and turnover went from {b} to {a}.",
    ),
    "loss for the year": (
        "The loss for the year narrowed from {b} to {a}.",
        "After tax the company made a loss for the year of {a} ({y}: loss of {b}).",
        "The result was a loss for the year of {a}, against a loss of {b} in {y}.",
    ),
    "capital expenditure": (
        "Capital expenditure came to {a} ({y}: {b}), most of it on the new kiln.",
        "Capital expenditure, chiefly on vehicles, moved to {a} from {b}.",
        "We kept spending tight: capital expenditure was {a}, having been {b} in {y}.",
    ),
    "net debt": (
        "At the year end net debt stood at {a}, against {b} twelve months earlier.",
        "Net debt moved from {b} to {a} over the year.",
        "The company closed the year with net debt of {a} ({y}: {b}).",
    ),
    "total dividend": (
        "The directors propose a dividend of {p} per share ({y}: {q}), a total dividend of {a} ({y}: {b}).",
        "A total dividend of {a} is proposed ({y}: {b}), which is {p} per share ({y}: {q}).",
        "The dividend goes up to {p} per share from {q}; in total the dividend amounts to {a} ({y}: {b}).",
    ),
    "staff": (
        "On average {a} people worked for the company in the year ({y}: {b}).",
        "The average number of staff went from {b} to {a}.",
        "We employed {a} people on average, compared with {b} in {y}.",
    ),
}


def small_companies(rng: random.Random, folder: Path) -> Case:
    """A small company's report that says its figures in sentences."""
    (short, full), period, boss = (
        company(rng, ("Limited", "Ltd", "plc", "AB", "AG")),
        period_of(rng),
        people(rng, 1)[0],
    )
    sign, coin = rng.choice((("£", "p"), ("£", "p"), ("EUR ", " cents"), ("A$", " cents"), ("NZ$", " cents")))
    after, decimals, scale, top = rng.choice(
        (("m", 2, 1e6, 1_900), (" million", 1, 1e6, 480), ("", 0, 1.0, 18_431_207), (" thousand", 0, 1e3, 18_431))
    )
    money = Money("", scale, decimals, sign, after, (0, top))
    parts = {"turnover": 1.0, "loss for the year": 0.07, "capital expenditure": 0.11, "net debt": 0.31}
    parts["total dividend"] = 0.03
    pairs: dict[str, tuple[int, int]] = {}
    for what, part in parts.items():
        now = round(top * part * rng.uniform(0.6, 1.2)) + 2
        pairs[what] = (now, now - max(1, round(now * rng.uniform(0.05, 0.2))))
    pairs["loss for the year"] = pairs["loss for the year"][::-1]
    staff = (rng.randint(61, 84), rng.randint(43, 60))
    pence = (rng.randint(61, 97) / 10, rng.randint(41, 60) / 10)
    pages = Pages(folder / "small_company.pdf", look_of(rng), title=rng.choice((full, "untitled")))
    pages.cover(full, titled(rng, period.year), f"Year ended {period.named()}")
    pages.line(rng.choice(("Strategic report", "Directors' report", "Review of the year")), size=13, bold=True)
    order = [*pairs, "staff"]
    rng.shuffle(order)
    texts = []
    for what in order:
        a, b = (str(one) for one in staff) if what == "staff" else (money.said(one) for one in pairs[what])
        p, q = (f"{one:.1f}{coin}" for one in pence)
        texts.append(rng.choice(PLAIN[what]).format(a=a, b=b, p=p, q=q, y=period.year - 1))
    for first in range(0, len(texts), 2):
        pages.prose(" ".join(texts[first : first + 2]))
        pages.prose(NARRATIVE[(period.year + first) % 5])
    post = rng.choice(
        ("{} has been chief executive since 2019.", "The chief executive is {}.", "{}, Chief Executive")
    )
    pages.prose(post.format(boss))
    pages.end(full)
    pages.save()

    def one(what: str, back: int = 0) -> Asked:
        value = money.full(pairs[what][back])
        right = signed(value) if what.startswith("loss") else (value,)
        return Asked(ask(rng, what, short, period.asked(rng, back)), right, 2)

    asked = [
        one("turnover"),
        one("loss for the year", rng.randrange(2)),
        one("capital expenditure"),
        one("net debt", 1),
    ]
    asked += [
        rng.choice(
            (
                one("total dividend"),
                Asked(ask(rng, "dividend per share", short, period.asked(rng)), hundredth(pence[0]), 2),
            )
        ),
        Asked(f"How many people did {short} employ on average {period.asked(rng)}?", (staff[0],), 2),
        Asked(f"Who is {short}'s chief executive?", (surname(boss),), 2),
        rng.choice(
            (
                Asked(ask(rng, "turnover", short, period.asked(rng, 2)), (None,)),
                Asked(ask(rng, "research and development expenditure", short, period.asked(rng)), (None,)),
            )
        ),
    ]
    return Case((pages.path,), tuple(asked), companies=(full,))


ROLES = ("Chair", "Chief Executive Officer", "Chief Financial Officer", "Senior Independent Director", "Director")


def side_headings(pages: Pages, posts: Sequence[tuple[str, str]]) -> None:
    """Each name and post at the left of a paragraph."""
    pages.line("Board of Directors", size=14, bold=True)
    past = (
        "a maker of valves",
        "the port authority",
        "a regional bank",
        "two family firms",
        "the geological survey",
    )
    for number, (person, role) in enumerate(posts):
        top = pages.y
        pages.line(person, bold=True)
        pages.prose(role, right=185)
        left, pages.y = pages.y, top
        text = f"Joined the board in {2014 + number} after senior posts with {past[number % 5]}. A member of the "
        text += (
            "nomination committee, and a trustee of a school. Trained as an engineer; holds no other directorship."
        )
        pages.prose(text, x=200)
        pages.y = min(left, pages.y) - 4


def board_table(pages: Pages, posts: Sequence[tuple[str, str]]) -> None:
    """The board as a table of name, post, year and attendance."""
    pages.line("Composition of the board", size=14, bold=True)
    pages.y -= 4
    pages.row("Name", ("Since", "Meetings"), (450, 530))
    pages.canvas.drawString(220, pages.y + LEADING, "Position")
    for number, (person, role) in enumerate(posts):
        pages.canvas.drawString(220, pages.y, role)
        pages.row(person, (str(2013 + number), f"{8 - number % 2}/8"), (450, 530))


def signatures(pages: Pages, posts: Sequence[tuple[str, str]]) -> None:
    """A signature page: the name over its line, the capacity beside or under it."""
    pages.line("SIGNATURES", size=12, bold=True)
    pages.prose(
        "Pursuant to the requirements of the law, this report has been signed below by the following persons."
    )
    wide = pages.look.newest_first
    for person, role in posts:
        pages.y -= 8
        pages.line(f"/s/ {person}")
        pages.canvas.line(LEFT, pages.y + LEADING - 3, LEFT + 170, pages.y + LEADING - 3)
        if wide:
            pages.canvas.drawString(270, pages.y, role)
            pages.canvas.drawString(470, pages.y, "14 March")
            pages.line(person)
        else:
            pages.lines((person, role))


def advisers(pages: Pages, posts: Sequence[tuple[str, str]]) -> None:
    """The page of company information, posts before or behind the names."""
    pages.line("Company information", size=14, bold=True)
    behind = pages.look.newest_first
    if behind:
        pages.canvas.drawString(LEFT, pages.y, "Directors")
    for person, role in posts:
        pages.canvas.drawString(LEFT, pages.y, "" if behind else role)
        pages.line(f"{person} ({role})" if behind else person, x=230)


CHANGES = (
    "{old} stepped down as Chief Executive Officer on 30 April {year} and was succeeded by {new} on 1 May {year}.",
    "On 1 May {year} {new} took over as Chief Executive Officer from {old}, who retired on 30 April {year}.",
    "{new} was appointed Chief Executive Officer with effect from 1 May {year}. The former Chief Executive Officer, "
    "{old}, left the company on 30 April {year}.",
)


def officers(rng: random.Random, folder: Path) -> Case:
    """Directors and officers in side headings, tables, signatures, company information and sentences."""
    (short, full), period, look = company(rng), period_of(rng, march=False), look_of(rng)
    *board, secretary, former = people(rng, 7)
    chair = rng.choice(("Chair", "Chairman", "Chair of the Board", "Non-executive Chair"))
    chief = rng.choice(("Chief Executive Officer", "Chief Executive", "Group Chief Executive"))
    money_man = rng.choice(
        ("Chief Financial Officer", "Group Finance Director and CFO", "Chief Financial Officer")
    )
    posts = list(zip(board, (chair, chief, money_man, "Senior Independent Director", "Director"), strict=True))
    rng.shuffle(posts)
    by_role = {role: person for person, role in posts}
    pages = Pages(folder / "officers.pdf", look, title=full)
    pages.cover(full, titled(rng, period.year), f"Year ended {period.named()}")
    show = rng.choice((side_headings, side_headings, board_table, signatures, advisers))
    show(pages, posts)
    page = pages.number
    pages.y -= 10
    changed = rng.random() < 0.5
    if changed:
        pages.prose(rng.choice(CHANGES).format(old=former, new=by_role[chief], year=period.year))
    pages.end(full)
    auditor = rng.choice(FIRMS)
    if show is advisers or rng.random() < 0.4:
        pages.line("Advisers", size=13, bold=True)
        for label, text in (
            ("Company secretary", secretary),
            ("Independent auditor", auditor),
            ("Solicitors", "Wray Lunt"),
        ):
            pages.canvas.drawString(LEFT, pages.y, label)
            pages.line(text, x=230)
    else:
        pages.prose(f"By order of the board, {secretary}, Company Secretary.")
        pages.line("Report of the independent auditor", size=13, bold=True)
        pages.prose(
            f"To the shareholders of {full}. In our opinion the financial statements give a true and fair view."
        )
        pages.lines((auditor, "Statutory Auditor", "We have served as the company's auditor since 2017."))
    pages.end(full)
    pages.save()
    who = rng.choice(("Who is the {1} of {0}?", "Who is {0}'s {1}?"))
    asked = [
        Asked(who.format(short, "chief executive"), (surname(by_role[chief]),)),
        Asked(who.format(short, rng.choice(("chair", "chair of the board"))), (surname(by_role[chair]),), page),
        Asked(
            who.format(short, rng.choice(("CFO", "chief financial officer"))), (surname(by_role[money_man]),), page
        ),
        Asked(who.format(short, "auditor"), (" ".join(auditor.split()[:-1]),), 3),
        Asked(who.format(short, "company secretary"), (surname(secretary),), 3),
        Asked(who.format(short, rng.choice(("chief operating officer", "general counsel"))), (None,)),
    ]
    if changed:
        asked.append(
            Asked(f"Who was chief executive of {short} until 30 April {period.year}?", (surname(former),), 2)
        )
    return Case((pages.path,), tuple(asked), companies=(full,))


def german(amount: int, decimals: int = 2) -> str:
    """Digits with points and a comma, from cents or, without decimals, from whole units."""
    return f"{amount / 10**decimals:,.{decimals}f}".translate(str.maketrans(",.", ".,"))


Sums = dict[str, tuple[int, int]]
"""Labels, in order, with this year's cents and last year's thousands."""


def both(*rows: tuple[int, int]) -> tuple[int, int]:
    return sum(row[0] for row in rows), sum(row[1] for row in rows)


def cents(rng: random.Random, about: int, spread: float = 0.05) -> tuple[int, int]:
    """An amount of about so many thousands in cents, and last year's in thousands."""
    now = round(about * rng.uniform(1 - spread, 1 + spread))
    return now * 100_000 + rng.randint(101, 99_899), near(rng, now, 0.93, 1.07)


def minus(row: tuple[int, int]) -> tuple[int, int]:
    return -row[0], -row[1]


GERMAN_COSTS = (
    "3. Materialaufwand",
    "   a) Roh-, Hilfs- und Betriebsstoffe und Waren",
    "   b) Bezogene Leistungen",
    "4. Personalaufwand",
    "   a) Löhne und Gehälter",
    "   b) Soziale Abgaben und Altersversorgung",
)


def german_income(rng: random.Random, sales: int, loss: bool) -> Sums:
    """An income statement by nature of expense; a heading has no amounts."""
    parts = [0.21, 0.06, 0, 0.23, 0.05, 0.05, 0.68 if loss else 0.1]
    goods, services, _, pay, social, wear, other = (cents(rng, max(round(sales * part), 1)) for part in parts)
    taxes = cents(rng, max(sales // 60, 1))
    rows: Sums = {
        "1. Umsatzerlöse": cents(rng, sales, 0.001),
        "2. Sonstige betriebliche Erträge": cents(rng, sales // 40),
    }
    for label, row in zip(GERMAN_COSTS, ((0, 0), goods, services, (0, 0), pay, social), strict=True):
        rows[label] = minus(row)
    rows["5. Abschreibungen"], rows["6. Sonstige betriebliche Aufwendungen"] = minus(wear), minus(other)
    rows["7. Steuern vom Einkommen und vom Ertrag"] = minus(taxes)
    result = both(*rows.values())
    rows["8. Jahresüberschuss" if result[0] > 0 else "8. Jahresfehlbetrag"] = result
    return rows


def german_table(
    pages: Pages, title: str, year: int, rows: Sums, *, bare: Sequence[str] = (), inner: bool = False
) -> int:
    """Euros with cents beside last year's thousands.

    A total that is `bare` stands under a line without its label; `inner` sets items a) and b) in a column of their own,
    with their sum beside b).
    """
    places, before = (352.0, 450.0, RIGHT), (0, 0)
    pages.line(title, size=12, bold=True)
    pages.row("", ("", str(year), "Vorjahr"), places)
    pages.row("", ("EUR" if inner else "", "EUR", "TEUR"), places)
    for label, row in rows.items():
        if label in bare or label.startswith("8. "):
            for edge in places[1:]:
                pages.canvas.line(edge - 80, pages.y + pages.size, edge, pages.y + pages.size)
        cells = ("", german(row[0]), german(row[1], 0)) if any(row) else ("", "", "")
        if inner and label.startswith("   "):
            sums = both(before, row)
            cells = (german(row[0]), *((german(sums[0]), german(sums[1], 0)) if "b)" in label else ("", "")))
        pages.row("" if label in bare else label, cells, places)
        pages.y -= pages.look.gap
        before = row
    pages.y -= 12
    return pages.number


def side_by_side(pages: Pages, year: int, assets: Sums, claims: Sums) -> int:
    """Aktiva at the left and Passiva at the right, the totals under a line and without a label."""
    pages.line(f"Bilanz zum 31. Dezember {year}", size=12, bold=True)
    pages.size = 7
    pages._set()
    halves = ((34.0, (228.0, 282.0), "Aktiva"), (302.0, (505.0, 560.0), "Passiva"))
    for x, places, head in halves:
        pages.canvas.drawString(x, pages.y, head)
        for edge, word, under in zip(places, ("31.12." + str(year), "Vorjahr"), ("EUR", "TEUR"), strict=True):
            pages.canvas.drawRightString(edge, pages.y, word)
            pages.canvas.drawRightString(edge, pages.y - 10, under)
    pages.y -= 26
    deepest = max(len(assets), len(claims))
    for (x, places, _), side in zip(halves, (assets, claims), strict=True):
        *inner, total = side.items()
        for number, (label, row) in enumerate([*inner, *[("", (0, 0))] * (deepest - len(side)), total]):
            y = pages.y - number * 13
            pages.canvas.drawString(x, y, "" if number == deepest - 1 else label)
            if number == deepest - 1:
                pages.canvas.line(places[0] - 60, y + 9, places[1], y + 9)
            for edge, text in zip(places, (german(row[0]), german(row[1], 0)), strict=True):
                pages.canvas.drawRightString(edge, y, text if row != (0, 0) else "")
    pages.y -= deepest * 13 + 16
    pages.size = pages.look.size
    pages._set()
    return pages.number


def german_balance(rng: random.Random, sales: int, result: tuple[int, int]) -> tuple[Sums, Sums]:
    """Assets and claims that come to one total."""
    assets: Sums = {
        "A. Anlagevermögen": (0, 0),
        "I. Immaterielle Vermögensgegenstände": cents(rng, sales // 30),
        "II. Sachanlagen": cents(rng, sales * 2 // 3),
        "B. Umlaufvermögen": (0, 0),
        "I. Vorräte": cents(rng, sales // 5),
        "II. Forderungen": cents(rng, sales // 6),
        "III. Guthaben bei Kreditinstituten": cents(rng, sales // 9),
        "C. Rechnungsabgrenzungsposten": cents(rng, max(sales // 200, 2)),
    }
    total = both(*assets.values())
    capital = (sales // 4 * 100_000, sales // 4)
    reserve = (sales // 5 * 100_000, sales // 5)
    owed = cents(rng, sales // 8)
    rest = (total[0] - both(capital, reserve, result, owed)[0], total[1] - both(capital, reserve, result, owed)[1])
    word = "III. Jahresüberschuss" if result[0] > 0 else "III. Jahresfehlbetrag"
    claims: Sums = {
        "A. Eigenkapital": (0, 0),
        "I. Gezeichnetes Kapital": capital,
        "II. Kapitalrücklage": reserve,
        word: result,
        "B. Rückstellungen": owed,
        "C. Verbindlichkeiten": rest,
    }
    return assets | {"Bilanzsumme": total}, claims | {"Bilanzsumme": total}


def german_group(rng: random.Random, pages: Pages, year: int) -> tuple[dict[str, tuple[float, float]], int]:
    """A group's IFRS statements in thousands or millions, two years to the euro's scale."""
    unit, scale, decimals = rng.choice((("in TEUR", 1e3, 0), ("in Mio. EUR", 1e5, 1), ("Angaben in T€", 1e3, 0)))
    shown = income(
        rng, rng.randint(12_000, 640_000) // (20 if decimals else 1), 2, ("Umsatzerlöse", *INCOME[0][1:])
    )
    labels = (
        "Umsatzerlöse",
        "Umsatzkosten",
        "Bruttoergebnis vom Umsatz",
        "Vertriebs- und Verwaltungskosten",
        "EBIT",
    )
    rows = dict(zip(labels, shown.rows.values(), strict=True))
    rows["Ertragsteuern"] = [-round(one * 0.29) for one in rows["EBIT"]]
    rows["Konzernjahresüberschuss"] = [a + b for a, b in zip(rows["EBIT"], rows["Ertragsteuern"], strict=True)]
    heads = rng.choice(([f"1.1.–31.12.{year}", f"1.1.–31.12.{year - 1}"], [str(year), str(year - 1)]))
    printed = [(label, [german(one, decimals) for one in row]) for label, row in rows.items()]
    page = pages.statement("Konzern-Gewinn- und Verlustrechnung", unit, heads, printed, totals=("EBIT",))
    return {label: (row[0] * scale, row[1] * scale) for label, row in rows.items()}, page


def german_staff(rng: random.Random, pages: Pages, year: int) -> tuple[int, int]:
    """Employees by groups with their total; gives it and its page."""
    groups = {"Gewerbliche Arbeitnehmer": rng.randint(110, 890), "Angestellte": rng.randint(60, 390)}
    groups["Teilzeitkräfte"] = rng.randint(11, 55)
    total = sum(groups.values())
    pages.line("Mitarbeiter", size=12, bold=True)
    form = rng.choice(("table", "labelled", "sentence"))
    if form == "sentence":
        listed = ", ".join(f"{label} {count}" for label, count in groups.items())
        return total, pages.prose(
            f"Im Geschäftsjahr {year} waren durchschnittlich {german(total, 0)} Arbeitnehmer beschäftigt ({listed})."
        )
    pages.prose(
        f"Die durchschnittliche Zahl der während des Geschäftsjahres {year} beschäftigten Arbeitnehmer betrug:"
    )
    for label, count in groups.items():
        pages.row(label, (german(count, 0),), (RIGHT,))
    pages.canvas.line(RIGHT - 50, pages.y + pages.size, RIGHT, pages.y + pages.size)
    pages.row("Gesamt" if form == "labelled" else "", (german(total, 0),), (RIGHT,))
    return total, pages.number


def german_accounts(rng: random.Random, folder: Path) -> Case:
    """German accounts under HGB or IFRS, asked in English and in German."""
    stem, year, form = (
        root(rng),
        rng.choice((2023, 2024)),
        rng.choice(("stacked", "sides", "group", "sides", "stacked")),
    )
    trade = rng.choice(("Maschinenbau", "Werkzeugtechnik", "Getränke", "Armaturen", "Verlag", "Fördertechnik"))
    short = f"{stem} {trade}"
    full = f"{short} {rng.choice(('AG', 'GmbH', 'SE', 'GmbH & Co. KG'))}"
    pages = Pages(folder / "jahresabschluss.pdf", look_of(rng), title=rng.choice((full, "untitled")))
    kind = "Konzernabschluss" if form == "group" else "Jahresabschluss"
    pages.cover(full, rng.choice((f"Geschäftsbericht {year}", f"{kind} {year}")), f"zum 31. Dezember {year}")
    asked, loss = [], rng.random() < 0.35
    if form == "group":
        shown, page = german_group(rng, pages, year)
        (now, last), (net, _) = shown["Umsatzerlöse"], shown["Konzernjahresüberschuss"]
        asked = [
            Asked(f"What was {short}'s revenue in {year}?", (round(now),), page),
            Asked(f"Wie hoch waren die Umsatzerlöse von {short} im Jahr {year - 1}?", (round(last),), page),
            Asked(f"What was the net profit of {short} for {year}?", (round(net),), page),
            Asked(f"Wie hoch war das EBIT von {short} {year}?", (round(shown["EBIT"][0]),), page),
        ]
    else:
        sales = rng.randint(9_000, 88_000)
        rows = german_income(rng, sales, loss)
        result = list(rows.values())[-1]
        assets, claims = german_balance(rng, sales, result)
        if form == "sides":
            page = side_by_side(pages, year, assets, claims)
        else:
            bare = rng.choice((["Bilanzsumme"], ["Bilanzsumme"], []))
            german_table(pages, "AKTIVA", year, assets, bare=bare)
            page = german_table(pages, "PASSIVA", year, claims, bare=bare)
        pages.end(full)
        inner = rng.random() < 0.5
        own = german_table(pages, "Gewinn- und Verlustrechnung", year, rows, inner=inner)
        total, (top, top_last) = assets["Bilanzsumme"], rows["1. Umsatzerlöse"]
        net, word = round(result[0] / 100), ("Jahresüberschuss" if result[0] > 0 else "Jahresfehlbetrag")
        asked = [
            Asked(f"What was {short}'s revenue in {year}?", (round(top / 100), top / 100), own),
            Asked(f"Wie hoch waren die Umsatzerlöse von {short} im Vorjahr {year - 1}?", (top_last * 1000,), own),
            Asked(
                f"What were the total assets of {short} at 31 December {year}?",
                (round(total[0] / 100), total[0] / 100),
            ),
            Asked(f"What were {short}'s total assets at the end of {year - 1}?", (total[1] * 1000,), page),
            Asked(
                f"Wie hoch war der {word} von {short} {year}?",
                (net, result[0] / 100) if result[0] > 0 else (*signed(net), *signed(result[0] / 100)),
            ),
            Asked(
                f"What were the inventories of {short} at the end of {year}?",
                (round(assets["I. Vorräte"][0] / 100), assets["I. Vorräte"][0] / 100),
                2,
            ),
        ]
        if inner:
            paid = both(*(row for label, row in rows.items() if "Löhne" in label or "Soziale" in label))[0] / 100
            asked[-1] = Asked(
                f"What were {short}'s personnel expenses in {year}?", (*signed(round(paid)), *signed(paid)), own
            )
    pages.end(full)
    staff, page = german_staff(rng, pages, year)
    pages.end(full)
    pages.save()
    asked.append(Asked(f"How many employees did {short} have on average in {year}?", (staff,), page))
    asked.append(Asked(f"What was the revenue of {short} in {year - 2}?", (None,)))
    return Case((pages.path,), tuple(asked), companies=(full,))


def cash_rows(
    rng: random.Random, money: Money, period: Period, years: int
) -> tuple[list[tuple[str, list[int]]], int, int]:
    """A cash flow statement, and the places of its rows of the net change and of the year's end."""
    sales = rng.randint(*money.sales)
    flows = [[round(sales * rng.uniform(*part)) for _ in range(years)] for part in ((0.1, 0.2), (-0.15, -0.07))]
    flows.append([round(-sales * rng.uniform(0.01, 0.09)) for _ in range(years)])
    change = [sum(some) for some in zip(*flows, strict=True)]
    drift = [rng.choice((-1, 1)) * max(2, sales // rng.randint(300, 700)) for _ in range(years)]
    traded = rng.random() < 0.6
    if not traded:
        drift = [0] * years
    end = [round(sales * rng.uniform(1.1, 1.4))]
    for one, moved in zip(change, drift, strict=True):
        end.append(end[-1] - one - moved)
    month = period.end.split()[1]
    start = "1 January" if month == "December" else "beginning of the year"
    words = rng.choice(
        (
            (f"Cash and cash equivalents at {start}", f"Cash and cash equivalents at {period.end}"),
            ("Cash and cash equivalents at beginning of year", "Cash and cash equivalents at end of year"),
            ("Opening cash and cash equivalents", "Closing cash and cash equivalents"),
            ("Cash at the beginning of the period", "Cash at the end of the period"),
        )
    )
    labels = ("Net cash from operating activities", "Net cash used in investing activities")
    rows = list(zip((*labels, "Net cash used in financing activities"), flows, strict=True))
    rows.append(
        (rng.choice(("Net (decrease)/increase in cash", "Net change in cash and cash equivalents")), change)
    )
    rows.append((words[0], end[1:]))
    if traded:
        rows.append(("Effect of foreign exchange rate changes", drift))
    rows.append((words[1], end[:-1]))
    return rows, 3, len(rows) - 1


DIVIDENDS = (
    "The board proposes a final dividend of {f}{m} per share, which with the interim dividend of {i}{m} already paid "
    "makes a total dividend for the year of {t}{m} per share.",
    "Dividends for the year: interim {i} {c} per share, final {f} {c} per share, total {t} {c} per share.",
    "A final dividend of {f}{m} (interim: {i}{m}) takes the total for the year to {t}{m} per share.",
)


def pence_and_cash(rng: random.Random, folder: Path) -> Case:
    """Earnings and dividends in pence or cents, and cash that only the cash flow statement has."""
    money = rng.choice([one for one in MONEY if one.sign in ("£", "EUR ", "A$")])
    coin, mark = ("pence", "p") if money.sign == "£" else ("cents", rng.choice(("c", " cents")))
    (short, full), period, years = company(rng, ("plc", "Limited", "N.V.")), period_of(rng), rng.choice((2, 2, 3))
    pages = Pages(folder / "pence.pdf", look_of(rng), title=full)
    pages.cover(full, titled(rng, period.year), f"Year ended {period.named()}")
    heads, count = year_heads(period, years), rng.randint(1_210, 6_900)
    shown = income(rng, rng.randint(*money.sales), years)
    net = [round(one * 0.74) for one in shown.rows[shown.labels[4]]]
    unit = money.scale * 100 / 10**money.decimals / 1e5
    digits = 1 if max(net) * unit / count > 5 else 2
    shares, wide = [count] * years, [count + rng.randint(11, 90) for _ in range(years)]
    basic, thin = (
        [round(one * unit / many, digits) for one, many in zip(net, some, strict=True)] for some in (shares, wide)
    )
    inside = rng.random() < 0.5

    def printed(some: Sequence[float]) -> list[str]:
        return [f"{one:.{digits}f}{'' if inside else mark}" for one in some]

    names = rng.choice((("Basic earnings per share", "Diluted earnings per share"), ("Basic EPS", "Diluted EPS")))
    eps = [
        (f"{name} ({coin})" if inside else name, printed(some))
        for name, some in zip(names, (basic, thin), strict=True)
    ]
    result = ("Profit for the year", [money.cell(one) for one in net])
    taxed = [(label, cells) for label, cells in shown.printed(money)]
    taxed += [
        ("Taxation", [money.cell(n - p) for n, p in zip(net, shown.rows[shown.labels[4]], strict=True)]),
        result,
    ]
    noted = rng.random() < 0.4
    pages.statement(rng.choice(HEADINGS), money.words, heads, taxed + ([] if noted else eps))
    pages.end(full)
    cash, change, end = cash_rows(rng, money, period, years)
    title = rng.choice(
        ("Consolidated statement of cash flows", "Cash flow statement", "Group cash flow statement")
    )
    flow = pages.statement(
        title, money.words, heads, [(label, [money.cell(one) for one in row]) for label, row in cash]
    )
    pages.end(full)
    table = [
        ("Weighted average number of shares (million)", [f"{one / 10:,.1f}" for one in some])
        for some in (shares, wide)
    ]
    pages.statement(
        "9. Earnings per share",
        f"{money.words}, except as stated",
        heads,
        [result, table[0], eps[0], (table[1][0] + ", diluted", table[1][1]), eps[1]],
    )
    interim, final = rng.randint(11, 49) / 10, rng.randint(51, 99) / 10
    said = rng.choice(DIVIDENDS).format(
        f=f"{final:.1f}", i=f"{interim:.1f}", t=f"{interim + final:.1f}", m=mark, c=coin
    )
    pages.prose(said)
    pages.end(full)
    pages.save()
    right = money.full
    asked = (
        Asked(ask(rng, "basic earnings per share", short, period.asked(rng)), hundredth(basic[0])),
        Asked(ask(rng, "diluted EPS", short, period.asked(rng, 1)), hundredth(thin[1])),
        Asked(
            f"What cash and cash equivalents did {short} have at {period.named()}?",
            (right(cash[end][1][0]),),
            flow,
        ),
        Asked(
            f"How much cash did {short} hold at the end of the year to {period.named(1)}?",
            (right(cash[end][1][1]),),
            flow,
        ),
        Asked(ask(rng, "net change in cash", short, period.asked(rng)), (right(cash[change][1][0]),), flow),
        Asked(
            ask(rng, "total dividend per share", short, period.asked(rng)), hundredth(round(interim + final, 1)), 4
        ),
        Asked(f"What were the total assets of {short} at {period.named()}?", (None,)),
        Asked(ask(rng, "basic earnings per share", short, period.asked(rng, years)), (None,)),
    )
    return Case((pages.path,), asked, companies=(full,))


class Fields:
    """Fields of a form on a canvas, whose values no appearance stream draws."""

    def __init__(self, canvas: Any, size: float) -> None:
        self.canvas, self.size, self.fields = canvas, size, list[Any]()

    def _widget(self, x: float, y: float, width: float, height: float, **more: object) -> Any:
        return PDFDictionary(
            {
                "Type": PDFName("Annot"),
                "Subtype": PDFName("Widget"),
                "Rect": PDFArray([x, y - 4, x + width, y - 4 + height]),
            }
            | {"F": 4, **more}
        )

    def text(self, name: str, value: str, x: float, y: float, width: float, style: str = "plain") -> None:
        """A text field; the style says whether its value stands with its parent, in a comb or among choices."""
        look = f"/Helv {self.size:g} Tf 0 g"
        field: dict[str, object] = {
            "FT": PDFName("Tx"),
            "T": PDFString(name),
            "V": PDFString(value),
            "DA": PDFString(look),
        }
        field |= {"plain": {}, "kid": {}, "comb": {"Ff": 1 << 24, "MaxLen": 12}, "right": {"Q": 2}}.get(style, {})
        if style == "choice":
            field |= {"FT": PDFName("Ch"), "Ff": 1 << 17, "Opt": PDFArray([PDFString(value), PDFString("Other")])}
        reference = self.canvas._doc.Reference
        if style == "kid":
            parent = PDFDictionary(field)
            widget = self._widget(x, y, width, 15, Parent=reference(parent))
            parent.dict["Kids"] = PDFArray([reference(widget)])
            self.fields.append(reference(parent))
        else:
            widget = self._widget(x, y, width, 15, **field)
            self.fields.append(reference(widget))
        self.canvas._annotationrefs.append(reference(widget))

    def box(self, name: str, checked: bool, x: float, y: float) -> None:
        """A box to check, which has its appearances as every box has."""
        frame = b"0.5 0.5 10 10 re S"
        drawn = {"Off": frame, "Yes": frame + b" 2 5 m 5 2 l 9 9 l S"}
        streams = {}
        for state, content in drawn.items():
            form = PDFDictionary(
                {"Type": PDFName("XObject"), "Subtype": PDFName("Form"), "BBox": PDFArray([0, 0, 11, 11])}
            )
            streams[state] = self.canvas._doc.Reference(PDFStream(form, content))
        state = PDFName("Yes" if checked else "Off")
        shown = PDFDictionary({"N": PDFDictionary(streams)})
        widget = self._widget(x, y, 11, 11, FT=PDFName("Btn"), T=PDFString(name), V=state, AS=state, AP=shown)
        self.fields.append(self.canvas._doc.Reference(widget))
        self.canvas._annotationrefs.append(self.fields[-1])

    def finish(self, xfa: Sequence[tuple[str, bytes]] = (), *, needs: bool = True) -> None:
        """Put the form, and the packets of an XFA form, into the document."""
        kind = {"Type": PDFName("Font"), "Subtype": PDFName("Type1")}
        used = {"Helv": PDFName("Helvetica"), "ZaDb": PDFName("ZapfDingbats")}
        named = {name: PDFDictionary({**kind, "BaseFont": base}) for name, base in used.items()}
        fonts = PDFDictionary({"Font": PDFDictionary(named)})
        form: dict[str, object] = {"Fields": PDFArray(self.fields), "DR": fonts, "DA": PDFString("/Helv 0 Tf 0 g")}
        if needs:
            form["NeedAppearances"] = "true"
        doc = self.canvas._doc
        packets = [(PDFString(name), doc.Reference(PDFStream(content=content))) for name, content in xfa]
        if len(packets) == 1:
            form["XFA"] = packets[0][1]
        elif packets:
            form["XFA"] = PDFArray([part for packet in packets for part in packet])
        doc.Catalog.AcroForm = PDFDictionary(form)


SHELLS = (
    (
        "Please wait...",
        "If this message is not eventually replaced by the proper contents of the document, your PDF viewer may not be "
        "able to display this type of document. You can upgrade to the latest version of the viewer.",
    ),
    (
        "Please wait...",
        "If this message is not eventually replaced by the proper contents of the document, your PDF viewer may not be "
        "able to display this type of document. For more assistance visit the web site of your viewer.",
    ),
    (
        "The document you are trying to load requires Adobe Reader 8 or higher.",
        "You may not have the Adobe Reader installed or your viewing environment may not be properly configured to use "
        "Adobe Reader. If this message is not eventually replaced, save the file and open it in Adobe Reader.",
    ),
)


def xfa_shell(rng: random.Random, path: Path) -> None:
    """A dynamic XFA form: one page that asks to wait, and the contents in packets."""
    pages = Pages(path, look_of(rng), title=rng.choice(("Annual return", "Form AR01", "untitled")))
    head, text = rng.choice(SHELLS)
    pages.line(head, size=12, bold=True)
    pages.prose(text)
    pages.end()
    fields = Fields(pages.canvas, 9)
    data = f"<xfa:data><return><revenue>{rng.randint(200_000, 900_000)}</revenue></return></xfa:data>".encode()
    template = b'<template xmlns="http://www.xfa.org/schema/xfa-template/3.3/"><subform name="return"/></template>'
    sets = b'<xfa:datasets xmlns:xfa="http://www.xfa.org/schema/xfa-data/1.0/">' + data + b"</xfa:datasets>"
    head_packet = b'<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/">'
    packets = [("preamble", head_packet), ("template", template), ("datasets", sets), ("postamble", b"</xdp:xdp>")]
    if rng.random() < 0.3:
        packets = [("xdp", b"".join(content for _, content in packets))]
    fields.finish(packets, needs=False)
    catalog = pages.canvas._doc.Catalog
    catalog.__NoDefault__ = [*catalog.__NoDefault__, "NeedsRendering"]
    catalog.NeedsRendering = "true"
    pages.save()


def forms(rng: random.Random, folder: Path) -> Case:
    """A return whose figures are values of fields, or the shell of an XFA form."""
    form = rng.choice(("plain", "kid", "comb", "right", "choice", "hybrid", "shell", "shell"))
    path = folder / "annual_return.pdf"
    if form == "shell":
        xfa_shell(rng, path)
        return Case((path,), (), refused="XFA")
    (short, full), period = company(rng, ("Limited", "plc", "Ltd")), period_of(rng)
    thousands, sign = rng.random() < 0.5, rng.choice(("£", "EUR", "NZ$"))
    scale, years, look = (1000 if thousands else 1), rng.choice((1, 2, 2)), look_of(rng)
    pages = Pages(path, look, title=rng.choice(("Annual return", full)))
    pages.cover(full, rng.choice(("Annual Return and Accounts", "Annual Return")), f"Year ended {period.named()}")
    fields, style = Fields(pages.canvas, rng.choice((8, 9, 10))), "plain" if form == "hybrid" else form
    pages.line(
        rng.choice(("Part B: Income and expenditure", "Revenue account", "Section 3 – Financial information")),
        size=13,
    )
    unit = f"{sign} thousand" if thousands else f"whole {sign}"
    pages.line("" if form == "choice" else f"All amounts in {unit}")
    if form == "choice":
        pages.canvas.drawString(LEFT, pages.y, "All amounts in")
        fields.text("unit", unit, 150, pages.y, 110, "choice")
    pages.y -= 30
    shown = income(rng, rng.randint(300_017, 8_999_999), years)
    first_staff = rng.randint(22, 890)
    staff = [first_staff, near(rng, first_staff)][:years]
    first = 330 if years == 2 else 440
    for number, head in enumerate(year_heads(period, years)):
        pages.canvas.drawRightString(first + 90 + 110 * number, pages.y, head)
    pages.y -= 26
    rows = [
        (label, [f"({abs(one):,})" if one < 0 else f"{one:,}" for one in row]) for label, row in shown.rows.items()
    ]
    staffed = rng.choice(("Average number of employees", "Number of staff (average)"))
    for line, (label, cells) in enumerate([*rows, (staffed, [f"{one:,}" for one in staff])], 1):
        pages.canvas.drawString(LEFT, pages.y, f"{line}. {label}" if look.noted else label)
        for number, cell in enumerate(cells):
            x, y = first + 110 * number, pages.y
            if look.ruled:
                pages.canvas.rect(x, y - 4, 92, 15)
            fields.text(f"f{line}_{number}", cell, x, y, 92, "plain" if style == "choice" else style)
        pages.y -= 25
    pages.canvas.drawString(LEFT, pages.y, "Have the accounts been audited?     Yes            No")
    end = LEFT + stringWidth("Have the accounts been audited?     Yes ", pages.font, pages.size)
    checked = rng.random() < 0.6
    fields.box("audited_yes", checked, end, pages.y)
    end = LEFT + stringWidth("Have the accounts been audited?     Yes            No ", pages.font, pages.size)
    fields.box("audited_no", not checked, end, pages.y)
    pages.end(full)
    packets = [("template", b"<template/>"), ("datasets", b"<xfa:datasets/>")] if form == "hybrid" else []
    fields.finish(packets, needs=rng.random() < 0.7)
    pages.save()
    sales, _, gross, _, profit = shown.labels
    what = [(label, shown.rows[label]) for label in (sales, gross, profit)]
    asked = [Asked(ask(rng, label.lower(), short, period.asked(rng)), (row[0] * scale,), 2) for label, row in what]
    asked.append(Asked(f"How many employees did {short} have on average {period.asked(rng)}?", (staff[0],), 2))
    before = shown.rows[sales][1] * scale if years == 2 else None
    asked.append(Asked(ask(rng, sales.lower(), short, period.asked(rng, 1)), (before,), 2 if years == 2 else 0))
    return Case((path,), tuple(asked), companies=(full,))


KINDS: dict[str, Writer] = {
    "similar_names": similar_names,
    "versions": versions,
    "no_name_on_cover": no_name_on_cover,
    "dimensions": dimensions,
    "small_companies": small_companies,
    "officers": officers,
    "german_accounts": german_accounts,
    "pence_and_cash": pence_and_cash,
    "forms": forms,
}
