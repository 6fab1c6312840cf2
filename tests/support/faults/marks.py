"""Reports whose figures are hard to read as print: marks, signs, scales, broken tables, wrong or hidden text, scans."""

import io
import random
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pypdfium2
import reportlab
from PIL import Image
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfdoc, pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from tests.support.faults.cases import Asked, Case, Right, Writer
from tests.support.faults.drawing import LEFT, RIGHT, Sheets, edges

BOLD = {"Helvetica": "Helvetica-Bold", "Times-Roman": "Times-Bold"}
DEJAVU = Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")  # has thin spaces, the rupee and white triangles
VERA = Path(reportlab.__file__).parent / "fonts"

STARTS = (
    "Bral Corv Dunm Elst Farn Gald Hesk Ingr Jarn Keld Lorv Morv Nesk Ostr Pelv Quor Ravn Skel Torv Varn Yarl Zelk"
)
ENDS = "abeck adine amoor andor efold elisse enmark erby iden ingway omar ostrand"
TRADES = "Instruments Foods Logistics Ceramics Textiles Packaging Optics Bearings Marine Paper"
SUFFIXES = ("plc", "Inc.", "AG", "AB", "N.V.", "Limited", "Corp.", "S.A.", "Ltd", "Group plc", "Holdings Limited")

Years = Mapping[int, int]


@dataclass(frozen=True)
class Numbers:
    """How figures are printed, and what one of them is worth; figures are whole numbers of the last printed place."""

    words: str
    scale: float
    decimals: int = 0
    group: str = ","
    point: str = "."
    minus: str = "(@)"

    def value(self, figure: int) -> float:
        """A figure in full units."""
        full: float = figure * self.scale / 10.0**self.decimals
        return round(full) if self.scale > 1 else round(full, 4)

    def text(self, figure: int, decimals: int | None = None) -> str:
        """A figure as printed."""
        places = self.decimals if decimals is None else decimals
        digits = str(abs(figure)).rjust(places + 1, "0")
        whole, rest = (digits[:-places], digits[-places:]) if places else (digits, "")
        head, tail = whole[:-3], whole[-3:]
        step = 2 if self.group == "lakh" else 3
        parts = [head[max(0, n - step) : n] for n in range(len(head), 0, -step)][::-1]
        shown = ("," if self.group == "lakh" else self.group).join([*parts, tail]) + (
            self.point + rest if rest else ""
        )
        return self.minus.replace("@", shown) if figure < 0 else shown


@dataclass(frozen=True)
class Look:
    """What one report looks like, and what its company is called."""

    company: str
    name: str
    font: str
    size: float
    leading: float
    years: tuple[int, ...]  # as the columns stand
    ends: str  # the day on which a year ends
    is_american: bool
    is_ruled: bool
    words: Mapping[str, str] = field(default_factory=dict)

    @property
    def newest(self) -> int:
        return max(self.years)

    @property
    def older(self) -> int:
        return self.newest - 1

    def day(self, year: int) -> str:
        """The day on which this year ended."""
        month = " ".join(reversed(self.ends.split()))
        return f"{month}, {year}" if self.is_american else f"{self.ends} {year}"

    def during(self, rng: random.Random, year: int) -> str:
        """A year as people name it."""
        ways = [
            f"for the year ended {self.day(year)}",
            f"in FY{year}",
            f"in fiscal {year}",
            f"in fiscal year {year}",
        ]
        return rng.choice([*ways, f"in {year}", f"for {year}", f"in {year}"] if "December" in self.ends else ways)

    def at(self, rng: random.Random, year: int) -> str:
        """A year's end as people name it."""
        ways = [f"at {self.day(year)}", f"as of {self.day(year)}"]
        return rng.choice([*ways, f"at the end of {year}"] if "December" in self.ends else ways)


def new_look(
    rng: random.Random, columns: int, *, suffixes: Sequence[str] = SUFFIXES, ends: Sequence[str] = ()
) -> Look:
    """A company and a style, with so many years."""
    name = f"{rng.choice(STARTS.split())}{rng.choice(ENDS.split())} {rng.choice(TRADES.split())}"
    suffix = rng.choice(suffixes)
    newest = rng.choice((2022, 2023, 2024, 2024, 2025))
    years = tuple(range(newest, newest - columns, -1))
    is_american = suffix in ("Inc.", "Corp.")
    short = f"{name} {suffix.split()[0]}" if suffix in ("Group plc", "Holdings Limited") else name
    return Look(
        company=f"{name} {suffix}",
        name=short,
        font=rng.choice(("Helvetica", "Helvetica", "Times-Roman")),
        size=rng.choice((8.5, 9.0, 9.5, 10.0)),
        leading=rng.choice((13.0, 14.5, 16.0, 18.0)),
        years=years if rng.random() < 0.7 else years[::-1],
        ends=rng.choice(ends or ("31 December", "31 December", "31 March", "30 June", "30 September")),
        is_american=is_american,
        is_ruled=rng.random() < 0.5,
        words={key: rng.choice(ways) for key, ways in (US if is_american else UK).items()},
    )


US = {
    "revenue": ("Net sales", "Revenues", "Total revenues"),
    "cost": ("Cost of sales", "Cost of goods sold"),
    "gross": ("Gross profit",),
    "selling": ("Selling, general and administrative expenses", "Selling and administrative expenses"),
    "development": ("Research and development expenses",),
    "operating": ("Operating income", "Income from operations"),
    "finance": ("Interest expense, net",),
    "pretax": ("Income before income taxes",),
    "tax": ("Provision for income taxes", "Income tax expense"),
    "net": ("Net income",),
}
UK = {
    "revenue": ("Revenue", "Turnover", "Net sales"),
    "cost": ("Cost of sales", "Cost of goods sold"),
    "gross": ("Gross profit",),
    "selling": ("Distribution costs", "Selling expenses"),
    "development": ("Administrative expenses",),
    "operating": ("Operating profit",),
    "finance": ("Finance costs", "Net finance costs"),
    "pretax": ("Profit before tax", "Profit before taxation"),
    "tax": ("Income tax expense", "Taxation"),
    "net": ("Profit for the year", "Net profit"),
}
SUMS = ("gross", "operating", "pretax", "net")


class Paper(Sheets):
    """Sheets in a report's own type, with the same bytes for the same figures."""

    def __init__(self, path: Path, look: Look, *, size: float = 0.0) -> None:
        super().__init__(path, font=look.font, size=size or look.size)
        self.look, self.bold = look, BOLD.get(look.font, look.font)
        first = look.font if look.font in BOLD and look.font != "DejaVuSans" else "Helvetica"
        self.canvas = Canvas(
            str(path), pagesize=A4, invariant=1, initialFontName=first, initialFontSize=size or look.size
        )
        self.canvas.setTitle(f"{look.company} Annual Report {look.newest}")
        self.canvas.setAuthor(look.company)

    def words(
        self, text: str, *, bold: bool = False, size: float = 0.0, x: float = LEFT, gap: float = 1.0
    ) -> None:
        """A line of text in the report's own leading."""
        self.canvas.setFont(self.bold if bold else self.font, size or self.size)
        self.canvas.drawString(x, self.y, text)
        self._set()
        self.y -= max(self.look.leading, 1.3 * (size or self.size)) * gap

    def record(self, label: str, cells: Sequence[str], rights: Sequence[float], *, bold: bool = False) -> None:
        """A row of a table, ruled above where it is a sum and the report has rules."""
        self.canvas.setFont(self.bold if bold else self.font, self.size)
        self.canvas.drawString(LEFT, self.y, label)
        for cell, edge in zip(cells, rights, strict=True):
            if cell:
                self.canvas.drawRightString(edge, self.y, cell)
                if bold and self.look.is_ruled:
                    self.canvas.setLineWidth(0.4)
                    self.canvas.line(edge - 52, self.y + 0.8 * self.size + 1, edge, self.y + 0.8 * self.size + 1)
        self._set()
        self.y -= self.look.leading

    def cover(self, rng: random.Random, extra: str = "") -> None:
        """The first page, with the company and the year."""
        self.y = rng.choice((720.0, 640.0, 560.0))
        year = self.look.newest
        self.words(self.look.company, bold=True, size=22, gap=1.4)
        self.words(
            rng.choice((f"Annual Report {year}", f"{year} Annual Report", f"Annual Report and Accounts {year}")),
            size=15,
        )
        self.words(rng.choice(("Year ended ", "For the year ended ")) + self.look.day(year), size=11)
        if extra:
            self.words(extra)
        self.end()

    def heads(
        self, title: str, under: Sequence[str], tops: Sequence[str], rights: Sequence[float], *, note: float = 0.0
    ) -> None:
        """A statement's heading, its scale, and the headings of its columns, one of notes perhaps up to `note`."""
        self.words(title, bold=True, size=self.size + 4)
        for text in under:
            self.words(text)
        self.y -= self.look.leading / 2
        if note:
            self.canvas.drawRightString(note, self.y, "Note")
        self.record("", tops, rights, bold=not self.look.is_ruled)
        if self.look.is_ruled:
            self.canvas.line(LEFT, self.y + self.size, RIGHT, self.y + self.size)
        self.y -= 3

    def foot(self, number: str) -> None:
        """The end of a page, with its printed number."""
        self.canvas.setFont(self.font, 8)
        self.canvas.drawString(LEFT, 40, self.look.company)
        self.canvas.drawRightString(RIGHT, 40, number)
        self.end()

    def prose(self, rng: random.Random, number: str, title: str = "Outlook", first: Sequence[str] = ()) -> None:
        """A page of words without figures."""
        self.words(title, bold=True, size=self.size + 4)
        for text in [*first, *rng.sample(PLAIN, 4)]:
            for piece in wrapped(text, self.font, self.size, RIGHT - LEFT):
                self.words(piece)
            self.y -= 6
        self.foot(number)


PLAIN = (
    "The board met regularly through the year and visited two of the plants. It is satisfied that the plan is sound.",
    "Demand was steady in the home market and weaker abroad, where customers ran their own stocks down.",
    "We continue to invest in safer machines and in the training of those who work on them.",
    "Raw material prices eased in the second half, and freight became easier to find.",
    "The executive committee reviews the principal risks each quarter and reports on them to the audit committee.",
    "A new enterprise system was brought into use at the last of our sites without any loss of deliveries.",
)


def wrapped(text: str, font: str, size: float, width: float) -> list[str]:
    """Text in lines of this width, broken at spaces and, with a hyphen, at soft hyphens."""
    lines, line = [], ""
    for word in text.split():
        trial = f"{line} {word}".strip()
        if pdfmetrics.stringWidth(trial.replace("\u00ad", ""), font, size) <= width:
            line = trial
            continue
        pieces = word.split("\u00ad")
        for cut in range(len(pieces) - 1, 0, -1):
            part = f"{line} {''.join(pieces[:cut])}-".strip()
            if pdfmetrics.stringWidth(part.replace("\u00ad", ""), font, size) <= width:
                lines.append(part)
                line = "\u00ad".join(pieces[cut:])
                break
        else:
            lines.append(line)
            line = word
    return [text.replace("\u00ad", "") for text in [*lines, line] if text]


def said(label: str) -> str:
    """A row's label inside a sentence."""
    plain = re.sub(r" \([^)]*\)|, net$", "", label).strip()
    return plain if plain[1:2].isupper() else plain[:1].lower() + plain[1:]


class Quiz:
    """The questions of one case, and what is right for them."""

    def __init__(self, rng: random.Random, look: Look, numbers: Numbers) -> None:
        self.rng, self.look, self.numbers = rng, look, numbers
        self.asked: list[Asked] = []

    def put(self, label: str, when: str, *right: Right, page: int = 0) -> None:
        """Ask for a figure, in one of the ways in which people put it."""
        what, name = said(label), self.look.name
        whose = f"{name}'" if name.endswith("s") else f"{name}'s"
        first = re.split(r" (?:of|per|from|before|used|provided|for|at) ", what)[0]
        verb = "were" if re.search(r"(?<![su])s$", first) else "was"
        ways = (
            f"What {verb} {whose} {what} {when}?",
            f"What {what} did {name} report {when}?",
            f"{name}: {what} {when}?",
            f"Tell me the {what} of {name} {when}.",
            f"What {verb} the {what} of {name} {when}?",
        )
        question = self.rng.choice(ways).replace("for the year for ", "for ")
        self.asked.append(Asked(question, right, page))

    def of(self, label: str, year: int, *right: Right, page: int = 0) -> None:
        """Ask for a figure of a year."""
        self.put(label, self.look.during(self.rng, year), *right, page=page)

    def end(self, label: str, year: int, figures: Years, *, page: int = 0) -> None:
        """Ask for a figure at a year's end."""
        self.put(label, self.look.at(self.rng, year), self.numbers.value(figures[year]), page=page)

    def row(self, key: str, year: int, rows: Mapping[str, Years], *also: Right, page: int = 0) -> None:
        """Ask for a row of an income statement; costs are right with either sign."""
        value = self.numbers.value(rows[key][year])
        signs = (value, -value) if value < 0 else (value,)
        self.of(self.look.words[key], year, *signs, *also, page=page)

    def staff(self, year: int, right: int, *, page: int = 0) -> None:
        """Ask for the number of employees."""
        when, name = self.look.at(self.rng, year), self.look.name
        ways = (f"How many employees did {name} have {when}?", f"How many people did {name} employ {when}?")
        self.asked.append(Asked(self.rng.choice(ways), (right,), page))

    def gone(self, label: str) -> None:
        """Ask for a year of which the report says nothing."""
        self.of(label, min(self.look.years) - 3, None)

    def case(self, *files: Path, settings: tuple[str, ...] = ()) -> Case:
        """The case with these questions."""
        return Case(files, tuple(self.asked), (self.look.company,), settings)


def income(rng: random.Random, years: Sequence[int], most: int) -> dict[str, dict[int, int]]:
    """Income statements that add up, costs as negative figures, with the revenue of the newest year below `most`."""
    revenue = rng.randint(most * 4 // 10, most * 9 // 10)
    rows: dict[str, dict[int, int]] = {key: {} for key in UK}
    for year in sorted(years, reverse=True):
        cost = -round(revenue * rng.uniform(0.52, 0.66))
        selling = -round(revenue * rng.uniform(0.08, 0.12))
        development = -round(revenue * rng.uniform(0.05, 0.09))
        finance = -round(revenue * rng.uniform(0.005, 0.02))
        operating = revenue + cost + selling + development
        pretax = operating + finance
        tax = -round(pretax * rng.uniform(0.18, 0.28))
        figures = (
            revenue,
            cost,
            revenue + cost,
            selling,
            development,
            operating,
            finance,
            pretax,
            tax,
            pretax + tax,
        )
        for key, figure in zip(UK, figures, strict=True):
            rows[key][year] = figure
        revenue = round(revenue * rng.uniform(0.86, 1.05))
    return rows


def print_rows(paper: Paper, rows: Mapping[str, Years], numbers: Numbers, rights: Sequence[float]) -> None:
    """An income statement's rows, under the report's own labels."""
    for key, figures in rows.items():
        cells = [numbers.text(figures[year]) for year in paper.look.years]
        paper.record(paper.look.words[key], cells, rights, bold=key in SUMS)


def per_share(rng: random.Random, net: Years, scale: float) -> dict[int, int]:
    """Earnings per share, in hundredths, over a number of shares that stays the same."""
    shares = max(net.values()) * scale / rng.uniform(0.7, 14.0)
    return {year: round(figure * scale / shares * 100) for year, figure in net.items()}


def staff(rng: random.Random, years: Sequence[int]) -> dict[int, int]:
    """Employees of each year."""
    base = rng.randint(1_300, 8_900)
    return {year: round(base * rng.uniform(0.86, 1.1)) for year in years}


def heading_years(look: Look, *, is_day: bool = False) -> list[str]:
    """Headings of the columns."""
    return [look.day(year) if is_day else str(year) for year in look.years]


PLAIN_SCALES = (
    Numbers("(In millions of U.S. dollars)", 1e6),
    Numbers("£ million", 1e6, 1),
    Numbers("in thousands of euros", 1e3),
    Numbers("A$ million", 1e6, 1),
    Numbers("SEK m", 1e6),
    Numbers("(Dollars in thousands)", 1e3),
    Numbers("NZ$000", 1e3),
    Numbers("CAD millions", 1e6, 1),
)


def plain_scale(rng: random.Random) -> tuple[Numbers, int]:
    """A scale, and the most that a revenue may be in it."""
    numbers = rng.choice(PLAIN_SCALES)
    return numbers, 9_000 * 10**numbers.decimals if numbers.scale > 1e3 else 900_000


# Marks behind figures


@dataclass(frozen=True)
class Mark:
    """How note marks look: their texts, their size and rise as parts of the size of the text."""

    texts: tuple[str, ...]
    size: float
    rise: float
    is_listed: bool = False  # two notes at one place, as in 1,2


DIGITS, LETTERS = tuple("123456789"), "abcdefghi"
MARKS = (
    Mark(DIGITS, 0.6, 0.36),
    Mark(DIGITS, 0.74, 0.24),  # nearly another digit of the figure
    Mark(DIGITS, 0.48, 0.45),
    Mark(DIGITS, 0.6, 0.36, is_listed=True),
    Mark(tuple(f"({letter})" for letter in LETTERS), 0.62, 0.36),
    Mark(tuple(f"({letter})" for letter in LETTERS.upper()), 0.72, 0.0),
    Mark(tuple(f"({digit})" for digit in DIGITS), 0.62, 0.36),
    Mark(("*", "**", "†", "††", "‡", "‡‡", "§", "#", "##"), 0.85, 0.12),
    Mark(("¹", "²", "³"), 1.0, 0.0),
)
NOTES = (
    "Restated for the disposal of a business.",
    "Unaudited.",
    "Net of returns and discounts.",
    "Includes 31 from hedges.",
    "Before grants received.",
    "After minority interests.",
    "Includes those on fixed terms.",
    "See the accounting policies.",
    "Excludes restructuring.",
)


class Marker:
    """Hands out note marks for chosen places, and draws them right behind what they belong to."""

    def __init__(self, rng: random.Random, paper: Paper, chosen: set[tuple[int, int]]) -> None:
        self.rng, self.paper, self.chosen = rng, paper, chosen
        self.kind = rng.choice(MARKS)
        self.hangs, self.is_risen = rng.random() < 0.6, rng.random() < 0.5
        self.used: list[str] = []

    def mark(self, spot: tuple[int, int]) -> str:
        """The mark of a place, or nothing."""
        if spot not in self.chosen:
            return ""
        texts = self.kind.texts
        if len(self.used) == len(texts):
            return self.rng.choice(texts)
        self.used.append(texts[len(self.used)])
        is_list = self.kind.is_listed and len(self.used) > 1 and self.rng.random() < 0.7
        return f"{texts[0]},{self.used[-1]}" if is_list else self.used[-1]

    def draw(self, text: str, spot: tuple[int, int], *, edge: float = 0.0, bold: bool = False) -> None:
        """Text with its mark, from the left or up to `edge`, over which the mark may hang."""
        paper, kind, mark = self.paper, self.kind, self.mark(spot)
        canvas, font, small = paper.canvas, paper.bold if bold else paper.font, paper.size * self.kind.size
        width = pdfmetrics.stringWidth(text, font, paper.size)
        inside = 0 if self.hangs else pdfmetrics.stringWidth(mark, font, small)
        start = edge - width - inside if edge else LEFT
        if self.is_risen:
            out = canvas.beginText(start, paper.y)
            out.setFont(font, paper.size)
            out.textOut(text)
            out.setFont(font, small)
            out.setRise(kind.rise * paper.size)
            out.textOut(mark)
            out.setRise(0)
            canvas.drawText(out)
        else:
            canvas.setFont(font, paper.size)
            canvas.drawString(start, paper.y, text)
            canvas.setFont(font, small)
            canvas.drawString(start + width, paper.y + kind.rise * paper.size, mark)
        paper.words("", gap=0)


def footnote_marks(rng: random.Random, folder: Path) -> Case:
    """Note marks glued behind labels, figures and years."""
    look = new_look(rng, rng.choice((2, 3, 3)))
    numbers, most = plain_scale(rng)
    rows = income(rng, look.years, most)
    eps, people = per_share(rng, rows["net"], numbers.scale), staff(rng, look.years)
    rights = edges(len(look.years), first=390 if len(look.years) > 2 else 440, last=rng.choice((515.0, 530.0)))
    lines: list[tuple[str, Years, int]] = [(look.words[key], rows[key], numbers.decimals) for key in rows]
    lines += [("Diluted earnings per share", eps, 2), ("Number of employees at year end", people, 0)]
    new, old = look.years.index(look.newest), look.years.index(look.older)
    spots = [(row, column) for row in range(len(lines)) for column in range(-1, len(look.years))]
    always = {(0, -1), (0, new), (9, old), (10, new), (11, new), (-1, rng.randrange(len(look.years)))}
    paper = Paper(folder / "marks.pdf", look)
    marker = Marker(rng, paper, always | set(rng.sample(spots, 5)))
    paper.cover(rng)
    paper.words(rng.choice(("Selected financial data", "Financial highlights", "Key figures")), bold=True, size=14)
    paper.words(re.sub(r"(\)?)$", r", except number of employees and per share amounts\1", numbers.words, count=1))
    paper.y -= 6
    for column, edge in enumerate(rights):
        marker.draw(str(look.years[column]), (-1, column), edge=edge, bold=True)
    paper.y -= look.leading * 1.4
    for row, (label, figures, places) in enumerate(lines):
        marker.draw(label, (row, -1))
        for column, edge in enumerate(rights):
            marker.draw(numbers.text(figures[look.years[column]], places), (row, column), edge=edge)
        paper.y -= look.leading
    paper.y -= 8
    for mark, note in zip(marker.used, rng.sample(NOTES, len(NOTES)), strict=False):
        paper.words(f"{mark} {note}", size=6.5, gap=0.7)
    paper.foot(str(rng.randint(12, 60)))
    paper.prose(rng, str(rng.randint(61, 90)))

    quiz = Quiz(rng, look, numbers)
    quiz.row("revenue", look.newest, rows, page=2)
    quiz.row("net", look.older, rows, page=2)
    quiz.of("Diluted earnings per share", look.newest, eps[look.newest] / 100, page=2)
    quiz.staff(look.newest, people[look.newest], page=2)
    quiz.gone(look.words["revenue"])
    for row, column in sorted(spot for spot in marker.chosen if 0 < spot[0] < 9 and spot[1] >= 0)[:3]:
        quiz.row(list(rows)[row], look.years[column], rows, page=2)
    return quiz.case(paper.save())


# Marks inside figures


def dejavu() -> str:
    """DejaVu's name where this machine has it, else nothing."""
    if not DEJAVU.exists():
        return ""
    if "DejaVuSans" not in BOLD:
        pdfmetrics.registerFont(TTFont("DejaVuSans", str(DEJAVU)))
        pdfmetrics.registerFont(TTFont("DejaVuSans-Bold", str(DEJAVU.with_name("DejaVuSans-Bold.ttf"))))
        BOLD["DejaVuSans"] = "DejaVuSans-Bold"
    return "DejaVuSans"


@dataclass(frozen=True)
class Custom:
    """A country's way with figures: whose companies, which day ends their years, and how they print."""

    suffixes: tuple[str, ...]
    ends: str
    unit: str
    ways: tuple[Numbers, ...]
    needs_dejavu: bool = False


SWISS = (
    Numbers("in CHF 1'000", 1e3, group="’"),
    Numbers("TCHF", 1e3, group="'", minus="-@"),
    Numbers("in thousands of Swiss francs (CHF)", 1e3, group="'"),
    Numbers("in CHF million", 1e6, 1, group="’", minus="–@"),
)
SWEDISH = (
    Numbers("SEK thousand", 1e3, group="\u00a0", minus="-@"),
    Numbers("Amounts in SEK 1 000", 1e3, group=" "),
    Numbers("KSEK", 1e3, group=" ", minus="–@"),
    Numbers("SEK million", 1e6, 1, group="\u00a0", minus="-@"),
)
THIN = (
    Numbers("in € thousands", 1e3, group="\u2009"),
    Numbers("EUR thousand", 1e3, group="\u2009", minus="−@"),
    Numbers("€ thousand", 1e3, group="\u202f"),
)
POINTS = (
    Numbers("TEUR", 1e3, group=".", point=",", minus="-@"),
    Numbers("in EUR thousand", 1e3, group=".", point=","),
    Numbers("EUR million", 1e6, 2, group=".", point=",", minus="–@"),
    Numbers("amounts in thousands of euros", 1e3, group=".", point=","),
)
LAKHS = (
    Numbers("(Rs. in lakhs)", 1e5, 2, group="lakh"),
    Numbers("All amounts in INR lakhs, unless otherwise stated", 1e5, 2, group="lakh"),
    Numbers("(Rs. in crores)", 1e7, 2, group="lakh"),
    Numbers("(Rs. in thousands)", 1e3, 0, group="lakh"),
)
YEN = (
    Numbers("(¥ million)", 1e6),
    Numbers("(Millions of yen)", 1e6, minus="-@"),
    Numbers("(Unit: million yen)", 1e6, minus="–@"),
)
CUSTOMS = (
    Custom(("AG", "Holding AG", "SA"), "31 December", "CHF", SWISS),
    Custom(("AB", "Group AB"), "31 December", "SEK", SWEDISH),
    Custom(("S.A.", "Oyj", "N.V."), "31 December", "EUR", THIN, needs_dejavu=True),
    Custom(("AG", "N.V.", "SE", "B.V."), "31 December", "EUR", POINTS),
    Custom(("Limited", "Industries Limited", "India Limited"), "31 March", "Rs.", LAKHS),
    Custom(("Co., Ltd.", "Corporation"), "31 March", "yen", YEN),
)


def thousands_marks(rng: random.Random, folder: Path) -> Case:
    """Thousands set apart by apostrophes, spaces, points, or as lakhs."""
    custom = rng.choice([custom for custom in CUSTOMS if not custom.needs_dejavu or dejavu()])
    numbers = rng.choice(custom.ways)
    look = new_look(rng, rng.choice((2, 2, 3)), suffixes=custom.suffixes, ends=(custom.ends,))
    if custom.needs_dejavu:
        look = replace(look, font=dejavu(), size=8.5)
    rows = income(rng, look.years, {1e3: 4_000_000, 1e5: 400_000_000, 1e6: 900_000, 1e7: 4_000_000}[numbers.scale])
    eps, people = per_share(rng, rows["net"], numbers.scale), staff(rng, look.years)
    by_year = dict.fromkeys(look.years, numbers)
    if custom.unit == "CHF" and rng.random() < 0.6:  # two kinds of apostrophe in one table
        by_year[look.older] = replace(numbers, group="’" if numbers.group == "'" else "'")
    has_scale_over_columns = len(numbers.words) < 13 and numbers.words[0] != "(" and rng.random() < 0.6
    rights = edges(len(look.years), first=380 if len(look.years) > 2 else 430)
    note = rights[0] - 75 if rng.random() < 0.4 else 0.0
    paper = Paper(folder / "thousands.pdf", look)
    paper.cover(rng)
    title = rng.choice(
        ("Consolidated income statement", "Consolidated statement of profit or loss", "Income statement")
    )
    paper.heads(title, [] if has_scale_over_columns else [numbers.words], heading_years(look), rights, note=note)
    if has_scale_over_columns:
        paper.record("", [numbers.words] * len(look.years), rights)
    for number, (key, figures) in enumerate(rows.items()):
        if note and key not in SUMS:
            paper.canvas.drawRightString(note, paper.y, str(number + 3))
        cells = [by_year[year].text(figures[year]) for year in look.years]
        paper.record(look.words[key], cells, rights, bold=key in SUMS)
    paper.y -= 8
    share = f"Earnings per share ({custom.unit})"
    paper.record(share, [by_year[year].text(eps[year], 2) for year in look.years], rights)
    counts = [by_year[year].text(people[year], 0) for year in look.years]
    paper.record("Number of employees at year-end", counts, rights)
    paper.foot(str(rng.randint(30, 90)))
    paper.prose(rng, str(rng.randint(91, 120)))

    quiz = Quiz(rng, look, numbers)
    for key, year in (
        ("revenue", look.newest),
        ("revenue", look.older),
        ("operating", look.newest),
        ("net", look.older),
    ):
        quiz.row(key, year, rows, page=2)
    quiz.of("Earnings per share", look.newest, eps[look.newest] / 100, page=2)
    quiz.staff(look.newest, people[look.newest], page=2)
    quiz.gone(look.words["net"])
    return quiz.case(paper.save())


# Signs of negative figures

SIGNS = ("hanging", "apart", "columns", "(@)", "−@", "@-", "<@>", "–@", "-@", "mixed", "▲@")
MIXED = ("−@", "@-", "<@>")
LOSS_ROWS = (
    "Revenues",
    "Cost of operations",
    "General and administrative expenses",
    "Impairment of long-lived assets",
    "Operating income (loss)",
    "Interest expense",
    "Income (loss) before income taxes",
    "Income tax benefit (expense)",
    "Net income (loss)",
)
CASH_ROWS = (
    "Net cash provided by operating activities",
    "Net cash used in investing activities",
    "Net cash provided by (used in) financing activities",
    "Net increase (decrease) in cash",
    "Cash at beginning of year",
    "Cash at end of year",
)
LOSS_SCALES = (
    (Numbers("(In thousands, except per share data)", 1e3), "$"),
    (Numbers("US$ millions, except per share data", 1e6, 1), "$"),
    (Numbers("£'000, except earnings per share", 1e3), "£"),
    (Numbers("In thousands of euros, except per share data", 1e3), ""),
)


def losses(rng: random.Random, years: Sequence[int], most: int) -> dict[str, dict[int, int]]:
    """Income statements with a loss, and an impairment, in the newest year only."""
    rows: dict[str, dict[int, int]] = {name: {} for name in LOSS_ROWS}
    for year in years:
        revenue = rng.randint(most // 2, most)
        cost, general = -round(revenue * rng.uniform(0.70, 0.76)), -round(revenue * rng.uniform(0.09, 0.12))
        impairment = -round(revenue * rng.uniform(0.24, 0.3)) if year == max(years) else 0
        interest = -round(revenue * rng.uniform(0.03, 0.05))
        operating = revenue + cost + general + impairment
        pretax = operating + interest
        tax = -round(pretax * rng.uniform(0.15, 0.25))
        figures = (revenue, cost, general, impairment, operating, interest, pretax, tax, pretax + tax)
        for name, figure in zip(LOSS_ROWS, figures, strict=True):
            rows[name][year] = figure
    return rows


def cash_flows(rng: random.Random, years: Sequence[int], most: int) -> dict[str, dict[int, int]]:
    """Cash flow statements, each year's cash at its beginning being the last year's at its end."""
    flows: dict[str, dict[int, int]] = {name: {} for name in CASH_ROWS}
    cash = rng.randint(most // 12, most // 8)
    for year in sorted(years):
        into, out = rng.randint(most // 8, most // 6), -rng.randint(most // 7, most // 5)
        change = rng.randint(most // 90, most // 60) * (-1 if year == max(years) else 1)
        figures = (into, out, change - into - out, change, cash, cash + change)
        for name, figure in zip(CASH_ROWS, figures, strict=True):
            flows[name][year] = figure
        cash += change
    return flows


@dataclass(frozen=True)
class Signed:
    """How one table prints negative figures, nothing, and a currency in a column of its own."""

    paper: Paper
    form: str
    dash: str
    currency: str
    rights: tuple[float, ...]

    def figure(self, shown: str, edge: float) -> None:
        """A negative figure, without its sign in `shown`, in its column."""
        canvas, y = self.paper.canvas, self.paper.y
        form = MIXED[self.rights.index(edge) % 3] if self.form == "mixed" else self.form
        if "@" in form:
            canvas.drawRightString(edge, y, form.replace("@", shown))
            return
        width = canvas.stringWidth(shown, canvas._fontname, self.paper.size)
        before, behind = {"hanging": (width, 0), "apart": (width + 3, 2), "columns": (46, 1)}[form]
        canvas.drawRightString(edge, y, shown)
        canvas.drawRightString(edge - before, y, "(")
        canvas.drawString(edge + behind, y, ")")

    def row(
        self, label: str, figures: Years, numbers: Numbers, *, bold: bool = False, has_sign: bool = False
    ) -> None:
        """A row of the table."""
        paper = self.paper
        paper.canvas.setFont(paper.bold if bold else paper.font, paper.size)
        paper.canvas.drawString(LEFT, paper.y, label)
        for year, edge in zip(paper.look.years, self.rights, strict=True):
            shown = numbers.text(abs(figures[year])) if figures[year] else self.dash
            if figures[year] < 0:
                self.figure(shown, edge)
            else:
                paper.canvas.drawRightString(edge, paper.y, shown)
            if has_sign:
                paper.canvas.drawString(edge - 62, paper.y, self.currency)
        paper.words("")

    def end(self, number: str) -> None:
        """The end of the page, with a word on triangles."""
        if self.form[0] in "▲△":
            self.paper.words(f"{self.form[0]} denotes a negative figure.", size=7)
        self.paper.foot(number)


def negatives(rng: random.Random, folder: Path) -> Case:
    """Losses and payments under many signs, in an income statement and a cash flow statement."""
    first, second = rng.sample(SIGNS, 2)
    is_japanese = "▲@" in (first, second)
    if is_japanese and dejavu() and rng.random() < 0.5:
        first, second = first.replace("▲", "△"), second.replace("▲", "△")
    look = new_look(
        rng, rng.choice((2, 3, 3)), suffixes=("Co., Ltd.",) if is_japanese else ("Inc.", "Corp.", "plc", "S.A.")
    )
    if "△" in first + second:
        look = replace(look, font=dejavu(), size=8.0)
    numbers, currency = rng.choice(LOSS_SCALES)
    if is_japanese:
        numbers, currency = Numbers("(Millions of yen, except per share amounts)", 1e6), ""
    most = 30_000 if numbers.decimals else 900_000
    rows, flows = losses(rng, look.years, most), cash_flows(rng, look.years, most)
    net, used, change, cash = rows[LOSS_ROWS[-1]], flows[CASH_ROWS[1]], flows[CASH_ROWS[3]], flows[CASH_ROWS[5]]
    eps = per_share(rng, net, numbers.scale)
    rights = edges(len(look.years), first=385 if len(look.years) > 2 else 425, last=530)
    paper = Paper(folder / "negatives.pdf", look)
    paper.cover(rng, "Annual report on Form 10-K" if look.is_american else "")
    table = Signed(paper, first, rng.choice(("—", "–", "-", "nil")), currency, rights)
    title = rng.choice(("CONSOLIDATED STATEMENTS OF OPERATIONS", "Consolidated statements of income (loss)"))
    paper.heads(title, [numbers.words], heading_years(look), rights)
    for label, figures in rows.items():
        table.row(
            label, figures, numbers, bold="ncome (loss)" in label, has_sign=label in (LOSS_ROWS[0], LOSS_ROWS[-1])
        )
    table.row("Net income (loss) per share, basic and diluted", eps, replace(numbers, decimals=2), has_sign=True)
    table.end(rng.choice(("F-4", "48", "61")))
    table = replace(table, form=second)
    title = rng.choice(("CONSOLIDATED STATEMENTS OF CASH FLOWS", "Consolidated cash flow statement"))
    paper.heads(title, [re.sub(r",? except[^)]*", "", numbers.words)], heading_years(look), rights)
    for label, figures in flows.items():
        table.row(label, figures, numbers, bold="increase" in label, has_sign=label == CASH_ROWS[-1])
    table.end(rng.choice(("F-6", "50", "63")))

    def both(figure: int) -> tuple[float, float]:
        return numbers.value(figure), -numbers.value(figure)

    new, old, quiz = look.newest, look.older, Quiz(rng, look, numbers)
    quiz.of("net loss", new, *both(net[new]), page=2)
    quiz.of("net income", old, numbers.value(net[old]), page=2)
    quiz.of("operating loss", new, *both(rows["Operating income (loss)"][new]), page=2)
    quiz.of("impairment of long-lived assets", old, 0.0, None)
    quiz.of("net cash used in investing activities", old, *both(used[old]), page=3)
    quiz.of("net change in cash", new, numbers.value(change[new]), page=3)
    quiz.end("cash", old, cash, page=3)
    quiz.of("net income per share", old, eps[old] / 100, page=2)
    return quiz.case(paper.save())


# Scales that differ


@dataclass(frozen=True)
class Scales:
    """How a report scales its summary and its statement, and the figures that have no scale."""

    suffixes: tuple[str, ...]
    summary: str  # empty where a column of units stands in the summary
    statement: str
    share_words: str
    eps: str = "@"
    per: float = 1.0  # what one printed unit of a share's earnings is of the currency
    shares: float = 1.0
    unit: str = ""  # in the labels of figures per share


SCALES = (
    Scales(
        ("Inc.", "Corp."),
        "(Dollars in millions, except per share data, employees and ratios)",
        "(In thousands, except per share data and number of shares in actual figures)",
        "Weighted average number of shares outstanding",
        eps="$@",
    ),
    Scales(
        ("Inc.", "Corp."),
        "In millions, except per share amounts, headcount and ratios",
        "(In thousands, except per share data)",
        "Weighted average shares outstanding (in thousands)",
        eps="$ @",
        shares=1e3,
    ),
    Scales(
        ("plc", "Group plc"),
        "£m unless otherwise stated",
        "£'000",
        "Weighted average number of ordinary shares (number)",
        eps="@p",
        per=0.01,
    ),
    Scales(
        ("plc",),
        "£ million except where stated",
        "All amounts in £000 unless otherwise stated",
        "Weighted average number of shares ('000)",
        per=0.01,
        shares=1e3,
        unit=" (pence)",
    ),
    Scales(
        ("Limited",),
        "A$m except per share amounts, employees and ratios",
        "A$'000 except per share amounts and number of shares",
        "Weighted average number of ordinary shares",
        per=0.01,
        unit=" (cents)",
    ),
    Scales(
        ("N.V.", "S.A.", "AG"),
        "",
        "in thousands of euros, except per share data and number of shares",
        "Average number of shares",
        unit=" (in €)",
    ),
    Scales(
        ("Inc.", "Ltd"),
        "CAD millions, except per share data, employees and ratios",
        "(thousands of Canadian dollars, except number of shares and per share data)",
        "Weighted average number of common shares",
        unit=" (in dollars)",
    ),
)


def share_counts(rng: random.Random, years: Sequence[int], scale: float) -> tuple[dict[int, int], dict[int, int]]:
    """Basic and diluted numbers of shares, as printed in this scale."""
    basic = {year: rng.randint(41_000_000, 96_000_000) // round(scale) for year in years}
    return basic, {year: round(count * rng.uniform(1.008, 1.02)) for year, count in basic.items()}


def scales(rng: random.Random, folder: Path) -> Case:
    """Millions on one page, thousands on another, and figures of shares, people and ratios in no scale."""
    form = rng.choice(SCALES)
    look = new_look(rng, rng.choice((3, 4, 5)), suffixes=form.suffixes)
    new, old, oldest = look.newest, look.older, min(look.years)
    both = tuple(year for year in look.years if year >= old)
    numbers, tenths = Numbers(form.statement, 1e3), Numbers(form.summary, 1e6, 1)
    rows = income(rng, look.years, 1_400_000)
    counts, more = share_counts(rng, look.years, form.shares)
    earned = Numbers("", 1, 1 if form.per < 1 else 2)

    def earnings(shares: Years) -> dict[int, int]:
        one = form.shares * form.per / 10**earned.decimals
        return {year: round(rows["net"][year] * 1e3 / (shares[year] * one)) for year in look.years}

    def per_share_cells(figures: Years, years: Sequence[int]) -> list[str]:
        return [form.eps.replace("@", earned.text(figures[year])) for year in years]

    basic, diluted = earnings(counts), earnings(more)
    dividends = {year: round(figure * rng.uniform(0.3, 0.5)) for year, figure in basic.items()}
    people, ratio = staff(rng, look.years), {year: rng.randint(13, 28) for year in look.years}
    millions = {
        key: {year: round(rows[key][year] / 100) for year in look.years} for key in ("revenue", "operating", "net")
    }
    rights = edges(len(look.years), first=540 - 58 * (len(look.years) - 1))
    paper = Paper(folder / "scales.pdf", look)
    paper.cover(rng)
    title = rng.choice(
        (f"{('THREE', 'FOUR', 'FIVE')[len(look.years) - 3]}-YEAR SUMMARY", "Record of results", "Key figures")
    )
    paper.heads(title, [form.summary] if form.summary else [], heading_years(look), rights)
    unit = form.unit if form.summary else ""
    summary = [
        (look.words[key], "€ million", [tenths.text(all_[year]) for year in look.years])
        for key, all_ in millions.items()
    ]
    summary += [
        (f"Diluted earnings per share{unit}", "€", per_share_cells(diluted, look.years)),
        (f"Dividends per share{unit}", "€", per_share_cells(dividends, look.years)),
        ("Employees at year end", "number", [f"{people[year]:,}" for year in look.years]),
        ("Current ratio", "times", [f"{ratio[year] / 10:.1f}" for year in look.years]),
    ]
    for label, each, cells in summary:
        if not form.summary:
            paper.canvas.drawString(rights[0] - 90, paper.y, each)
        paper.record(label, cells, rights)
    paper.foot(str(rng.randint(4, 25)))
    paper.look, rights = replace(look, years=both), edges(2, first=450)
    title = rng.choice(("CONSOLIDATED STATEMENTS OF INCOME", "Consolidated income statement"))
    paper.heads(title, [form.statement], [str(year) for year in both], rights)
    print_rows(paper, rows, numbers, rights)
    for heading, first, second in (
        (f"Earnings per share{form.unit}:", per_share_cells(basic, both), per_share_cells(diluted, both)),
        (f"{form.share_words}:", [f"{counts[year]:,}" for year in both], [f"{more[year]:,}" for year in both]),
    ):
        paper.words(heading)
        paper.record("   Basic", first, rights)
        paper.record("   Diluted", second, rights)
    paper.foot(str(rng.randint(40, 80)))

    def one(figure: int) -> tuple[float, ...]:
        printed = earned.value(figure)
        return (printed, round(printed * form.per, 6)) if form.per < 1 else (printed,)

    quiz = Quiz(rng, look, numbers)
    quiz.row("revenue", new, rows, tenths.value(millions["revenue"][new]))
    quiz.of(look.words["net"], oldest, tenths.value(millions["net"][oldest]), page=2)
    quiz.row("gross", old, rows, page=3)
    quiz.of("diluted earnings per share", new, *one(diluted[new]))
    quiz.of("basic earnings per share", old, *one(basic[old]), page=3)
    quiz.of("dividends per share", oldest, *one(dividends[oldest]), page=2)
    quiz.of("diluted weighted average number of shares", new, round(more[new] * form.shares), page=3)
    quiz.staff(old, people[old], page=2)
    return quiz.case(paper.save())


# Tables over two pages

Row = tuple[str, dict[int, int] | None]
GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "Non-current assets",
        (
            "Property, plant and equipment",
            "Right-of-use assets",
            "Goodwill",
            "Other intangible assets",
            "Deferred tax assets",
        ),
    ),
    (
        "Current assets",
        ("Inventories", "Trade receivables and|accrued income", "Other receivables", "Cash and cash equivalents"),
    ),
    (
        "Equity",
        (
            "Share capital",
            "Share premium",
            "Retained earnings including|profit for the year",
            "Non-controlling interests",
        ),
    ),
    (
        "Non-current liabilities",
        ("Long-term borrowings", "Deferred tax liabilities", "Provisions for pensions and|similar obligations"),
    ),
    (
        "Current liabilities",
        ("Trade payables", "Short-term borrowings", "Other current liabilities and|accrued expenses"),
    ),
)  # a bar is where a long label breaks


def balance(rng: random.Random, years: Sequence[int], size: int, equity: str = "equity") -> list[Row]:
    """A balance sheet that adds up; a row without figures is a heading."""
    parts: dict[str, dict[int, int]] = {}
    kept = GROUPS[2][1][2]
    for name, labels in GROUPS:
        for label in labels:
            base = size * rng.uniform(0.03, 0.2) * (1.0 if "assets" in name else 0.6)
            parts[label] = {year: round(base * rng.uniform(0.85, 1.1)) for year in years}
    for year in years:
        assets = sum(parts[label][year] for _, labels in GROUPS[:2] for label in labels)
        rest = sum(parts[label][year] for _, labels in GROUPS[2:] for label in labels if label != kept)
        parts[kept][year] = assets - rest

    def total(first: int, last: int) -> dict[int, int]:
        return {
            year: sum(parts[label][year] for _, labels in GROUPS[first:last] for label in labels) for year in years
        }

    rows: list[Row] = []
    for number, (name, labels) in enumerate(GROUPS):
        rows += [(name, None), *((label, parts[label]) for label in labels)]
        rows.append((f"Total {equity if name == 'Equity' else name.lower()}", total(number, number + 1)))
        rows += [("TOTAL ASSETS", total(0, 2))] if number == 1 else []
    return [*rows, (f"TOTAL {equity.upper()} AND LIABILITIES", total(2, 5))]


def print_balance(
    paper: Paper,
    rows: Sequence[Row],
    numbers: Numbers,
    rights: Sequence[float],
    *,
    has_notes: bool,
    is_begun: bool = False,
) -> None:
    """Rows of a balance sheet; where it is begun, the first label's first half stands elsewhere."""
    for number, (label, figures) in enumerate(rows):
        *above, last = label.split("|")
        for piece in above if number or not is_begun else ():
            paper.words(piece)
        is_sum = label.lower().startswith("total")
        if figures and has_notes and not is_sum:
            paper.canvas.drawRightString(rights[0] - 85, paper.y, str(7 + len(label) % 19))
        cells = [numbers.text(figures[year]) if figures else "" for year in paper.look.years]
        paper.record(last, cells, rights, bold=is_sum or not figures)


def over_two_pages(rng: random.Random, folder: Path) -> Case:
    """A balance sheet that goes on over the page, there with less of a heading or none."""
    form = rng.choice(("label", "label", "bare", "continued", "named", "group"))
    look = new_look(rng, rng.choice((2, 2, 3)))
    numbers, most = plain_scale(rng)
    rows = balance(rng, look.years, most * 3, "stockholders' equity" if look.is_american else "equity")
    labels = [label for label, _ in rows]
    places = {
        "label": [n for n, label in enumerate(labels) if "|" in label and n > 12],
        "group": [labels.index("Equity") + 1, labels.index("Non-current liabilities") + 1],
    }
    split = rng.choice(
        places.get(form, list(range(labels.index("Share capital"), labels.index("Trade payables"))))
    )
    if form not in places and "|" in labels[split]:
        split += 1
    look = replace(look, leading=(690 - 75) / (split + 3))
    has_notes, rights = rng.random() < 0.5, edges(len(look.years), first=400 if len(look.years) > 2 else 430)
    tops = heading_years(look, is_day=len(look.years) == 2)
    title = rng.choice(
        ("Consolidated balance sheet", "Consolidated statement of financial position", "Balance sheet")
    )
    paper = Paper(folder / "two_pages.pdf", look)
    paper.cover(rng)
    paper.heads(title, [numbers.words], tops, rights)
    print_balance(paper, rows[:split], numbers, rights, has_notes=has_notes)
    if form == "label":
        paper.words(labels[split].split("|")[0])
    paper.foot("60")
    paper.look = replace(look, leading=min(look.leading, 20.0))
    if form == "continued":
        again = rng.choice(("continued", "cont.", "continued from previous page"))
        paper.heads(f"{title} ({again})", [numbers.words] if rng.random() < 0.5 else [], tops, rights)
    elif form == "named":
        paper.words(rng.choice((title, f"{title} – continued")), bold=True, size=12)
    print_balance(paper, rows[split:], numbers, rights, has_notes=has_notes, is_begun=form == "label")
    paper.foot("61")
    paper.prose(rng, "62", "Accounting policies")

    quiz, figures_of = Quiz(rng, look, numbers), dict(rows)
    equity = next(label for label in labels if label.startswith("Total ") and label.endswith("equity"))
    late = (
        "Trade payables",
        "Short-term borrowings",
        "Total non-current liabilities",
        "Total current liabilities",
    )
    wanted = [("TOTAL ASSETS", look.newest), (equity, look.newest), (equity, look.older)]
    wanted += [(label, rng.choice((look.newest, look.older))) for label in rng.sample(late, 3)]
    wanted.append((labels[split] if form == "label" else "Inventories", look.newest))
    for label, year in wanted:
        words = label.replace("|", " ") if label != "TOTAL ASSETS" else "total assets"
        quiz.end(words, year, figures_of[label] or {}, page=2 if labels.index(label) < split else 3)
    quiz.gone("total assets")
    return quiz.case(paper.save())


# Two columns

Part = tuple[str, str | list[tuple[str, Years]]]  # a heading, and prose or the rows of a table
MONEY = (("A$", "A$ million"), ("£", "£ million"), ("US$", "US$ million"), ("NZ$", "NZ$m"), ("€", "€ million"))


def in_tenths(figure: int) -> str:
    """A figure with one decimal."""
    return f"{figure / 10:,.1f}"


def print_column(paper: Paper, parts: Sequence[Part], x: float, width: float, scale: str, *, gap: float) -> None:
    """A column of prose, with its tables, whose last two columns stand at its right edge."""
    leading, is_narrow = paper.look.leading, width < 180
    for heading, content in parts:
        if heading:
            paper.words(heading, bold=True, x=x)
        if isinstance(content, str):
            for piece in wrapped(content, paper.font, paper.size, width):
                paper.words(piece, x=x)
        else:
            tops: list[tuple[str, Years | None]] = [(scale, None), *content]
            for label, figures in tops:
                font = paper.bold if figures is None or label.startswith("Total") else paper.font
                paper.canvas.setFont(font, paper.size)
                paper.canvas.drawString(
                    x, paper.y, label.replace("Total capital", "Total") if is_narrow else label
                )
                for year, back in zip(paper.look.years, (28, 0) if is_narrow else (44, 0), strict=True):
                    shown = in_tenths(figures[year]) if figures else str(year)
                    paper.canvas.drawRightString(x + width - back, paper.y, shown)
                paper.words("")
        paper.y -= gap * leading


def two_columns(rng: random.Random, folder: Path) -> Case:
    """Prose in columns, with an unruled table in one of them whose rows stand beside the prose of the others."""
    form = rng.choice(("left", "right", "middle", "both", "offset"))
    look = new_look(rng, 2, suffixes=("Limited", "plc", "Ltd", "Inc.", "Group plc"))
    money, scale = rng.choice(MONEY)
    new, old = look.newest, look.older
    items = rng.sample(("Pipelines", "Network renewals", "Metering", "Buildings", "Vehicles", "Systems"), 4)
    regions = rng.sample(("North", "South", "East", "West", "Coast", "Islands"), 3)
    spent: dict[str, dict[int, int]] = {
        item: {year: rng.randint(82, 1_240) for year in (new, old)} for item in items
    }
    sold: dict[str, dict[int, int]] = {
        region: {y: rng.randint(1_200, 6_800) for y in (new, old)} for region in regions
    }
    total = {year: sum(spent[item][year] for item in items) for year in (new, old)}
    revenue = {year: sum(sold[region][year] for region in regions) for year in (new, old)}
    people, debt, dividend = rng.randint(1_050, 6_900), rng.randint(3_020, 17_900), rng.randint(41, 289)
    mine: list[Part] = [
        (
            "Capital programme",
            f"Capital ex\u00adpen\u00addi\u00adture changed as the {items[0].lower()} went from de\u00adsign "
            "into con\u00adstruc\u00adtion. The table shows what was spent.",
        ),
        ("", [*spent.items(), ("Total capital expenditure", total)]),
        (
            "",
            "The com\u00admit\u00adtee approved a further sum for the second stage and ex\u00adpects it to be in use "
            "within two years.",
        ),
        (
            "Borrowings",
            f"Net debt stood at {money}{in_tenths(debt)} million at {look.day(new)}. Gear\u00ading was "
            f"{rng.randint(31, 55)}.{rng.randint(1, 9)} per cent, within the cov\u00ade\u00adnant of 60 per cent.",
        ),
    ]
    other: list[Part] = [
        (
            "Revenue and customers",
            f"Revenue came to {money}{in_tenths(revenue[new])} million. The num\u00adber of con\u00adnected "
            f"prop\u00ader\u00adties reached {rng.randint(210, 690)},{rng.randint(100, 999)}. A dry "
            f"spring raised demand by {in_tenths(spent[items[2]][new])} giga\u00adlitres against a plan of "
            f"{in_tenths(rng.randint(111, 299))}. Tariffs were un\u00adchanged.",
        ),
        (
            "People",
            f"We employed {people:,} people at the year's end, of whom {in_tenths(total[old])} full-time "
            f"equiv\u00ada\u00adlents were ap\u00adpren\u00adtic\u00ades. Women are {rng.randint(21, 48)} per cent "
            "of our man\u00adagers.",
        ),
        (
            "Dividend",
            f"The dir\u00adec\u00adtors de\u00adclared a final div\u00adi\u00addend of {in_tenths(dividend)} "
            f"{'pence' if money == '£' else 'cents'} a share.",
        ),
    ]
    if form == "both":
        other.insert(1, ("", [*sold.items(), ("Total revenue", revenue)]))
    parts = {
        "right": [other, mine],
        "middle": [other[:2], mine, [other[2], ("Outlook", PLAIN[1]), ("Safety", PLAIN[2])]],
    }.get(form, [mine, other])
    is_wide = len(parts) == 2
    gutter = rng.choice((18.0, 24.0, 30.0)) if is_wide else 14.0
    width = (RIGHT - LEFT - gutter * (len(parts) - 1)) / len(parts)
    look = replace(look, leading=rng.choice((11.5, 12.0, 13.0)))
    paper = Paper(folder / "columns.pdf", look, size=8.5 if is_wide else 7.0)
    paper.cover(rng)
    title = rng.choice(("Operating and financial review", "Review of operations", "Our year"))
    paper.words(title, bold=True, size=15, gap=1.6)
    top = paper.y
    for number, part in enumerate(parts):
        paper.y = top - (rng.choice((3.0, 5.0)) if form == "offset" and number else 0.0)
        x, gap = LEFT + number * (width + gutter), 0.5 if form == "offset" else 1.0
        print_column(paper, part, x, width, scale, gap=gap)
    paper.foot(str(rng.randint(8, 30)))
    paper.prose(rng, str(rng.randint(31, 40)))

    quiz = Quiz(rng, look, Numbers(scale, 1e6, 1))
    value = quiz.numbers.value
    quiz.of("total capital expenditure", new, value(total[new]), page=2)
    quiz.of("total capital expenditure", old, value(total[old]), page=2)
    spending = f"How much did {look.name} spend on {items[2].lower()} {look.during(rng, new)}?"
    quiz.asked.append(Asked(spending, (value(spent[items[2]][new]),), 2))
    quiz.of("revenue", new, value(revenue[new]), page=2)
    quiz.staff(new, people, page=2)
    quiz.end("net debt", new, {new: debt}, page=2)
    quiz.of("final dividend per share", new, dividend / 10, dividend / 1000, page=2)
    quiz.gone("total capital expenditure")
    return quiz.case(paper.save())


# Digits stored as others


def wrong_font(path: Path, stored: Mapping[str, str], *, is_ascii: bool) -> str:
    """Register a typeface in which digits print as others: `stored` has the stored digit of each printed one."""
    name = f"Wrong{''.join(stored.values())}{path.stem}{is_ascii:d}"
    font = TTFont(name, str(path), asciiReadable=is_ascii)
    font.face.name = name.encode()  # fonts of one face's name are taken for one font
    glyphs = dict(font.face.charToGlyph)
    for printed, kept in stored.items():
        font.face.charToGlyph[ord(kept)] = glyphs[ord(printed)]
    pdfmetrics.registerFont(font)
    return name


def wrong_faces(rng: random.Random, stored: Mapping[str, str]) -> tuple[str, str]:
    """A plain and a bold typeface whose digits print as others."""
    pairs = [(VERA / "Vera.ttf", VERA / "VeraBd.ttf")]
    if DEJAVU.exists():
        pairs.append((DEJAVU.with_name("DejaVuSerif.ttf"), DEJAVU.with_name("DejaVuSerif-Bold.ttf")))
    plain, bold = rng.choice(pairs)
    is_ascii = rng.random() < 0.6
    return wrong_font(plain, stored, is_ascii=is_ascii), wrong_font(bold, stored, is_ascii=is_ascii)


def wrong_digits(rng: random.Random, folder: Path) -> Case:
    """Figures whose stored digits are not those that are printed."""
    look = new_look(rng, rng.choice((2, 2, 3)), suffixes=("Limited", "plc", "N.V.", "AB", "Group plc"))
    where = rng.choice(("figures", "figures", "sums", "years too"))
    shuffled = "".join(rng.sample("0123456789", 10))
    others = rng.choice((shuffled, shuffled, "1234567890", "6781543209", "1032547698", "9876543210"))
    stored = dict(zip("0123456789", others, strict=True))
    faces, wrong = wrong_faces(rng, stored), str.maketrans(stored)
    numbers, most = plain_scale(rng)
    rows = income(rng, look.years, most)
    rights = edges(len(look.years), first=380 if len(look.years) > 2 else 430)
    title = rng.choice(("Statement of comprehensive income", "Income statement", "Consolidated income statement"))
    paper = Paper(folder / "digits.pdf", look)
    paper.cover(rng)

    def cells(texts: Sequence[str], *, bold: bool, is_wrong: bool) -> None:
        own = paper.bold if bold else paper.font
        paper.canvas.setFont(faces[bold] if is_wrong else own, look.size * (0.92 if is_wrong else 1))
        for text, edge in zip(texts, rights, strict=True):
            paper.canvas.drawRightString(edge, paper.y, text.translate(wrong) if is_wrong else text)
        paper.words("")

    paper.words(title, bold=True, size=14)
    paper.words(numbers.words.replace("NZ$000", "in thousands of New Zealand dollars"), gap=1.5)
    cells(heading_years(look), bold=True, is_wrong=where == "years too")
    paper.y -= 4
    for key, figures in rows.items():
        is_sum = key in SUMS or key == "revenue"
        paper.canvas.setFont(paper.bold if is_sum else paper.font, look.size)
        paper.canvas.drawString(LEFT, paper.y, look.words[key])
        cells(
            [numbers.text(figures[year]) for year in look.years], bold=is_sum, is_wrong=is_sum or where != "sums"
        )
    paper.foot(str(rng.randint(20, 60)))
    paper.prose(rng, str(rng.randint(61, 70)))

    quiz = Quiz(rng, look, numbers)
    for key in ("gross", "operating", "pretax"):
        quiz.row(key, rng.choice((look.newest, look.older)), rows, None)
    for key, year in (("revenue", look.newest), ("revenue", look.older), ("net", look.newest)):
        quiz.row(key, year, rows, None)
    return quiz.case(paper.save())


# Text that nobody sees


def add_layers(paper: Paper, names: Mapping[str, bool]) -> None:
    """Declare the last page's layers, MC0 and so on, and which of them are switched on."""
    document = paper.canvas._doc
    groups: dict[str, Any] = {}
    for name in names:
        group = pdfdoc.PDFDictionary({"Type": pdfdoc.PDFName("OCG"), "Name": pdfdoc.PDFString(name)})
        groups[name] = document.Reference(group)
    resources = pdfdoc.PDFResourceDictionary()
    resources.basicFonts()
    resources.allProcs()
    resources.Properties = {f"MC{number}": group for number, group in enumerate(groups.values())}
    document.Pages.pages[-1].Resources = resources
    lists = {"ON": [], "OFF": [], "Order": list(groups.values())}
    for name, is_on in names.items():
        lists["ON" if is_on else "OFF"].append(groups[name])
    config = pdfdoc.PDFDictionary({key: pdfdoc.PDFArray(items) for key, items in lists.items()})
    catalog = document.Catalog
    catalog.__NoDefault__ = [*catalog.__NoDefault__, "OCProperties"]
    catalog.OCProperties = pdfdoc.PDFDictionary({"D": config, "OCGs": pdfdoc.PDFArray(lists["Order"])})


def write_unseen(paper: Paper, way: str, text: str, x: float, y: float) -> None:
    """Write text so that no reader sees it."""
    canvas, size = paper.canvas, paper.size
    canvas.saveState()
    canvas.setFont(paper.font, 0.6 if way == "tiny" else size)
    if way in ("white", "tiny"):
        canvas.setFillGray(1 if way == "white" else 0.9)
    if way == "clipped":
        path = canvas.beginPath()
        path.rect(0, 0, 5, 5)
        canvas.clipPath(path, stroke=0, fill=0)
    if way == "layer":
        canvas.addLiteral("/OC /MC0 BDC")
    out = canvas.beginText(x, 14 + y % 9 if way == "outside" else y)
    out.setTextRenderMode(3 if way == "invisible" else 0)
    out.textOut(text)
    out.setTextRenderMode(0)
    canvas.drawText(out)
    if way == "layer":
        canvas.addLiteral("EMC")
    if way == "covered":
        canvas.setFillGray(1)
        canvas.rect(x - 2, y - 3, canvas.stringWidth(text, paper.font, size) + 4, size + 4, stroke=0, fill=1)
    canvas.restoreState()


def stamp(rng: random.Random, paper: Paper, text: str, *, alpha: float) -> None:
    """A watermark across the page, and small ones beside it."""
    canvas = paper.canvas
    canvas.saveState()
    if alpha < 1:
        canvas.setFillAlpha(alpha)
    canvas.setFillGray(rng.choice((0.85, 0.9)) if alpha == 1 else 0.5)
    for number in range(6):
        canvas.saveState()
        canvas.setFont(paper.bold, 7 if number else 60 + 24 * (len(text) < 11))
        canvas.translate(
            *((140 + 75 * number, 310 + 85 * number) if number else (A4[0] / 2, rng.choice((560, 600))))
        )
        canvas.rotate(rng.choice((30, 40, 45)))
        canvas.drawCentredString(0, 0, "Licensed to reader 77 841" if number else text)
        canvas.restoreState()
    canvas.restoreState()


def hidden_text(rng: random.Random, folder: Path) -> Case:
    """Other figures in the file than those that a reader sees, and watermarks across those."""
    look = new_look(rng, rng.choice((2, 2, 3)))
    numbers, most = plain_scale(rng)
    rows, false = income(rng, look.years, most), income(rng, look.years, most)
    hides_layer, people = rng.random() < 0.6, rng.randint(310, 980)
    ways = rng.sample(("white", "invisible", "tiny", "outside", "covered", "clipped"), 3 if hides_layer else 4)
    ways += ["layer"] if hides_layer else []
    watermark = rng.choice(("DRAFT", f"DRAFT {look.newest - 2}", "CONFIDENTIAL", "COPY 77 841", ""))
    alpha = 1 if hides_layer else rng.choice((1, 0.3))
    rights = edges(len(look.years), first=380 if len(look.years) > 2 else 430)
    paper = Paper(folder / "hidden.pdf", look)
    paper.cover(rng)
    if "outside" in ways:
        paper.canvas.setCropBox((0, 30, A4[0], A4[1]))
    code = paper.canvas._code
    is_layered = hides_layer and rng.random() < 0.5  # what is seen stands in a layer too, one that is on
    paper.canvas.addLiteral("/OC /MC1 BDC" if is_layered else "")
    title = rng.choice(("Income statement", "Consolidated income statement"))
    paper.heads(title, [numbers.words], heading_years(look), rights)
    top = paper.y
    print_rows(paper, rows, numbers, rights)
    paper.canvas.addLiteral("EMC" if is_layered else "")
    end = len(code)
    for way, key in zip(ways, rng.sample(("revenue", "operating", "net", "cost"), 4), strict=True):
        texts = [numbers.text(false[key][year]) for year in look.years]
        if way in ("outside", "covered") or rng.random() < 0.4:
            write_unseen(paper, way, f"{look.words[key]} {' '.join(texts)}", LEFT, paper.y)
            paper.words("")
            continue
        for text, edge in zip(texts, rights, strict=True):  # right where the printed figure is
            x = edge - pdfmetrics.stringWidth(text, paper.font, paper.size)
            write_unseen(paper, way, text, x, top - list(rows).index(key) * look.leading)
    if watermark and alpha == 1:
        stamp(rng, paper, watermark, alpha=1)
    code[:] = [*code[end:], *code[:end]]  # what nobody sees lies beneath
    if watermark and alpha < 1:
        stamp(rng, paper, watermark, alpha=alpha)
    paper.foot(str(rng.randint(12, 40)))
    if hides_layer:
        add_layers(paper, {"Old figures": False} | ({"Figures": True} if is_layered else {}))
    unseen = f"We employed {people + 8000:,} people at the end of the year."
    write_unseen(paper, rng.choice(("white", "invisible", "tiny")), unseen, LEFT, 600)
    said_of_people = f"We employed {people} people at the end of the year."
    paper.prose(rng, str(rng.randint(41, 60)), "Our people", [said_of_people])

    quiz = Quiz(rng, look, numbers)
    for key, year in (("revenue", look.newest), ("operating", look.newest), ("cost", look.newest)):
        quiz.row(key, year, rows, page=2)
    quiz.row("net", look.older, rows, page=2)
    quiz.row("gross", look.older, rows, page=2)
    quiz.staff(look.newest, people, page=3)
    quiz.gone(look.words["revenue"])
    return quiz.case(paper.save())


# Scans


def scanned(rng: random.Random, path: Path) -> bytes:
    """A PDF of pictures of a PDF's pages, askew and with some noise, the second perhaps turned."""
    turn, grain = rng.choice((0, 90, 180, 270)), np.random.default_rng(rng.randrange(2**32))
    document, pictures = pypdfium2.PdfDocument(path.read_bytes()), []
    for number in range(len(document)):
        picture: Image.Image = document[number].render(scale=150 / 72).to_pil().convert("L")
        angle = rng.uniform(0.5, 1.5) * rng.choice((-1, 1))
        picture = picture.rotate(angle, Image.Resampling.BICUBIC, fillcolor=255)
        noise = grain.normal(0, rng.choice((4.0, 8.0)), (picture.height, picture.width))
        noisy = np.clip(np.asarray(picture, dtype=np.float64) + noise, 0, 255).astype(np.uint8)
        pictures.append(Image.fromarray(noisy).rotate(turn if number else 0, expand=True))
    document.close()
    out, then = io.BytesIO(), time.gmtime(0)
    quality, rest = rng.choice((70, 85)), pictures[1:]
    dates = {"creationDate": then, "modDate": then}
    pictures[0].save(out, "PDF", save_all=True, append_images=rest, resolution=150, quality=quality, **dates)
    return out.getvalue()


def turned_scan(rng: random.Random, folder: Path) -> Case:
    """Two pages that are pictures only, askew, one of them perhaps sideways or upside down."""
    look = replace(new_look(rng, 2, suffixes=("Limited", "plc", "AG", "Inc.", "Corp.")), size=13.0, leading=24.0)
    numbers = rng.choice((*PLAIN_SCALES, Numbers("in thousands of euros", 1e3, 2), Numbers("£'000", 1e3)))
    rows = income(rng, look.years, (9_000 if numbers.scale > 1e3 else 90_000) * 10**numbers.decimals)
    people = {year: count // 10 for year, count in staff(rng, look.years).items()}
    assets = {year: rows["revenue"][year] + rng.randint(110, 900) for year in look.years}
    debts = {year: round(assets[year] * rng.uniform(0.4, 0.6)) for year in look.years}
    equity = {year: assets[year] - debts[year] for year in look.years}
    rights = edges(2, first=435)
    path = folder / "scan.pdf"
    paper = Paper(path, look)

    def record(label: str, figures: Years, *, bold: bool = False) -> None:
        paper.record(label, [numbers.text(figures[year]) for year in look.years], rights, bold=bold)

    paper.words(look.company, bold=True, size=20)
    paper.words(f"Annual Report {look.newest}", size=15)
    paper.words(f"Year ended {look.day(look.newest)}", gap=1.6)
    paper.heads("Income statement", [numbers.words], heading_years(look), rights)
    for key, before, between in (
        ("gross", "revenue", ""),
        ("operating", "gross", "Operating expenses"),
        ("net", "operating", "Interest and tax"),
    ):
        if not between:
            record(look.words["revenue"], rows["revenue"])
        difference = {year: rows[key][year] - rows[before][year] for year in look.years}
        record(between or look.words["cost"], difference)
        record(look.words[key], rows[key], bold=True)
    paper.foot("8")
    paper.heads("Balance sheet", [numbers.words], heading_years(look), rights)
    record("Total assets", assets)
    record("Total liabilities", debts)
    record("Total equity", equity, bold=True)
    paper.y -= look.leading
    paper.record("Number of employees", [str(people[year]) for year in look.years], rights)
    paper.foot("9")
    path = paper.save()
    path.write_bytes(scanned(rng, path))

    quiz = Quiz(rng, look, numbers)
    quiz.row("revenue", look.newest, rows, page=1)
    quiz.row("net", look.older, rows, page=1)
    quiz.end("total equity", look.newest, equity, page=2)
    quiz.staff(look.older, people[look.older], page=2)
    return quiz.case(path, settings=("reader.ocr=auto",))


# Page labels

PAY = {"£": "£ thousand", "A$": "A$ thousand", "NZ$": "NZ$000", "SEK": "SEK thousand", "CAD": "CAD thousands"}
CHAIR, STRATEGY, EARNED, OWNED, PAID = (
    "Chair's statement",
    "Strategic report",
    "Consolidated income statement",
    "Consolidated balance sheet",
    "Directors' remuneration",
)


def planned(rng: random.Random, paper: Paper) -> list[tuple[str, str]]:
    """The pages' titles, empty where blank, with their printed numbers; sets the file's own labels."""
    form = rng.choice(("roman", "roman", "prefix", "extract", "unlabelled", "appendix"))
    front = ["Cover", *([""] if rng.random() < 0.7 else []), "Contents", *([""] if rng.random() < 0.6 else [])]
    body = [CHAIR, STRATEGY, EARNED, OWNED]
    for _ in range(rng.choice((1, 1, 2))):
        body.insert(rng.randint(1, len(body) - 1), "")
    titles = [*front, *body, PAID]
    label = paper.canvas.addPageLabel
    if form == "extract":
        start = rng.choice((37, 58))
        label(0, "ARABIC", start)
        return [(title, str(start + number)) for number, title in enumerate(titles)]
    prefix = "A-" if form == "prefix" else ""
    places = ["i", "ii", "iii", "iv"][: len(front)] + [f"{prefix}{n + 1}" for n in range(len(body) + 1)]
    if form == "appendix":
        places[-1] = "F-1"
    if form != "unlabelled":
        label(0, "ROMAN_LOWER", 1)
        label(len(front), "ARABIC", 1, prefix or None)
    if form == "appendix":
        label(len(titles) - 1, "ARABIC", 1, "F-")
    return list(zip(titles, places, strict=True))


def page_labels(rng: random.Random, folder: Path) -> Case:
    """Printed page numbers, some of them roman, with blank pages between, that are not the places in the file."""
    look = new_look(rng, 2)
    numbers, most = plain_scale(rng)
    rows = income(rng, look.years, most)
    sheet = [row for row in balance(rng, look.years, most * 3) if row[0].lower().startswith("total")]
    people, pay = rng.randint(1_020, 6_900), {year: [rng.randint(610, 2_400) for _ in "ab"] for year in look.years}
    paper = Paper(folder / "labels.pdf", look)
    plan = planned(rng, paper)
    place_of, rights = dict(plan), edges(2, first=440)
    page_of = {title: number + 1 for number, (title, _) in enumerate(plan)}
    told = f"I thank our {people:,} colleagues. The group's income statement is on page {place_of[EARNED]}."
    for title, place in plan:
        if title == "Cover":
            paper.cover(rng)
            continue
        if not title:
            paper.end()
            continue
        if title in (CHAIR, STRATEGY):
            paper.prose(rng, place, title, [told] if title == CHAIR else [])
            continue
        print_page(paper, title, plan, rights, numbers, rows, sheet, pay)
        paper.foot(place)

    new, old, quiz = look.newest, look.older, Quiz(rng, look, numbers)
    figures_of = dict(sheet)
    quiz.row("revenue", new, rows, page=page_of[EARNED])
    quiz.row("net", old, rows, page=page_of[EARNED])
    quiz.end("Total equity", new, figures_of["Total equity"] or {}, page=page_of[OWNED])
    quiz.end("total assets", old, figures_of["TOTAL ASSETS"] or {}, page=page_of[OWNED])
    quiz.of("total directors' remuneration", new, sum(pay[new]) * 1000, page=page_of[PAID])
    quiz.asked.append(Asked(f"How many colleagues does {look.name} have?", (people,), page_of[CHAIR]))
    quiz.gone(look.words["revenue"])
    return quiz.case(paper.save())


def print_page(
    paper: Paper,
    title: str,
    plan: Sequence[tuple[str, str]],
    rights: Sequence[float],
    numbers: Numbers,
    rows: Mapping[str, Years],
    sheet: Sequence[Row],
    pay: Mapping[int, Sequence[int]],
) -> None:
    """The contents, or one of the statements."""
    look = paper.look
    if title == "Contents":
        paper.words(title, bold=True, size=14)
        for name, place in plan:
            if name not in ("", "Cover", "Contents"):
                paper.record(f"{name} {'.' * 60}", [place], (480.0,))
    elif title == EARNED:
        paper.heads(title, [numbers.words], heading_years(look), rights)
        print_rows(paper, rows, numbers, rights)
    elif title == OWNED:
        paper.heads(title, [numbers.words], heading_years(look, is_day=True), rights)
        print_balance(paper, sheet, numbers, rights, has_notes=False)
    else:
        default = "in thousands of euros" if "euro" in numbers.words else "(Dollars in thousands)"
        words = next((PAY[sign] for sign in PAY if numbers.words.startswith(sign)), default)
        paper.heads(title, [words], heading_years(look), rights)
        for label, part in (("Salaries", 0), ("Bonuses", 1)):
            paper.record(label, [f"{pay[year][part]:,}" for year in look.years], rights)
        paper.record("Total remuneration", [f"{sum(pay[year]):,}" for year in look.years], rights, bold=True)


KINDS: dict[str, Writer] = {
    "footnote_marks": footnote_marks,
    "thousands_marks": thousands_marks,
    "negatives": negatives,
    "scales": scales,
    "over_two_pages": over_two_pages,
    "two_columns": two_columns,
    "wrong_digits": wrong_digits,
    "hidden_text": hidden_text,
    "turned_scan": turned_scan,
    "page_labels": page_labels,
}
