"""Writes the sample reports and what is known about them: `python -m tests.support.write_samples [FOLDER]`.

Every run writes the same bytes: reportlab's invariant mode, built-in fonts, no compression (zlib differs from
machine to machine). The pages in `facts.json` and `questions.json` are recorded while the reports are drawn.
"""

import csv
import hashlib
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any, Literal

from reportlab.lib import pagesizes
from reportlab.lib.colors import HexColor, white
from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY, TA_LEFT, TA_RIGHT
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    CondPageBreak,
    Flowable,
    Frame,
    FrameBreak,
    NextPageTemplate,
    PageBreak,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
)
from reportlab.platypus.tableofcontents import TableOfContents

from tests.support.samples import SAMPLES
from tests.support.samples_data import COMPANIES, LEDGER_METRICS, Company, Fact, Statement

FOLDER = SAMPLES
MARGIN = 62.0
GUTTER = 22.0
TITLE_HEIGHT = 56.0
PER_SHARE = ("eps", "diluted")


# Ledgers ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """One ledger row; amounts newest year first, `marks` are the keys whose figures it prints."""

    label: str
    note: str
    values: tuple[Decimal, ...]
    rank: Literal["heading", "plain", "total", "grand"]
    marks: tuple[str, ...] = ()


class Ledgers:
    """All ledgers of one company, computed: a row may rest on any other, whatever the order."""

    def __init__(self, company: Company) -> None:
        self.lines = {name: list(read_ledger(each.ledger)) for name, each in company.statements.items()}
        self.by_key = {line[0]: line for lines in self.lines.values() for line in lines}

    def values(self, key: str) -> tuple[Decimal, ...]:
        _, operator, fields = self.by_key[key]
        typed = tuple(Decimal(each) for each in fields[2 + (operator != "|") :])
        return typed if operator == "|" else self._computed(fields[0]) + typed

    def _computed(self, expression: str) -> tuple[Decimal, ...]:
        if "/" in expression:
            profit, shares = (self.values(each.strip()) for each in expression.split("/"))
            return tuple(rounded(a / b, "0.01") for a, b in zip(profit, shares, strict=True))
        terms = re.findall(r"(-?)\s*(\w+)", expression)
        columns = zip(*(self.values(key) for _, key in terms), strict=True)
        signs = [-1 if minus else 1 for minus, _ in terms]
        return tuple(sum((s * v for s, v in zip(signs, each, strict=True)), Decimal(0)) for each in columns)

    def rows(self, name: str) -> list[Row]:
        """The printed rows of a statement."""
        made = [self._row(*line) for line in self.lines[name]]
        return [each for each in made if each.label]

    def _row(self, key: str, operator: str, fields: list[str]) -> Row:
        if operator == "#":
            return Row(fields[0], "", (), "heading")
        label, note = fields[operator != "|" :][:2]
        rank: Any = {"=": "total", "==": "grand"}.get(operator, "plain")
        values = self.values(key)
        return Row(label, note, values, rank, (key, *self._metrics_in(values)))

    def _metrics_in(self, values: tuple[Decimal, ...]) -> Iterator[str]:
        """The metrics whose newest figure is among these, whichever statement repeats it."""
        sizes = [abs(each) for each in values]
        return (key for key in LEDGER_METRICS.values() if abs(self.values(key)[0]) in sizes)


def read_ledger(text: str) -> Iterator[tuple[str, str, list[str]]]:
    """Key, operator and fields of each line; a heading's key is its text."""
    for line in text.strip().splitlines():
        if line.startswith("#"):
            yield line, "#", [line[1:].strip()]
            continue
        match = re.fullmatch(r"(\w+) (==|=|~|\|) (.*)", line)
        assert match, f"not a ledger line: {line!r}"
        fields = [each.strip() for each in match[3].split("|")]
        yield match[1], match[2], fields + [""] * (2 + (match[2] != "|") - len(fields))


def rounded(value: Decimal, unit: str) -> Decimal:
    return value.quantize(Decimal(unit), ROUND_HALF_UP)


def as_printed(value: Decimal, company: Company) -> str:
    if not value:
        return "—"
    if value > 0:
        return f"{value:,}"
    return f"({-value:,})" if company.brackets else f"–{-value:,}"


class Words:
    """A ledger row's figures as the prose says them: without sign, the newest in full with its mark."""

    def __init__(self, key: str, values: tuple[Decimal, ...]) -> None:
        sizes = [abs(each) for each in values] + [Decimal(0)]
        self.now = f"{hook(key)}{sizes[0]:,}"
        self.before = f"{sizes[1]:,}"
        self.now_m, self.before_m = (f"{rounded(each / 1000, '0.1'):,}" for each in sizes[:2])
        self.growth = f"{abs(sizes[0] / sizes[1] - 1) * 100:.1f}" if sizes[1] else ""


def hook(mark: str) -> str:
    """The tag on which reportlab calls back with `mark` when it draws the words that follow."""
    return f'<onDraw name="mark" label="{mark}"/>'


# Look ---------------------------------------------------------------------------------------------------------


class Look:
    """Fonts, colours and paragraph styles of one company's report."""

    def __init__(self, company: Company) -> None:
        self.paper = pagesizes.letter if company.paper == "letter" else pagesizes.A4
        self.colour = HexColor(company.colour)
        family = ("Times-Roman", "Times-Bold", "Times-Italic")
        self.plain, self.bold, self.italic = (
            family if company.serif else ("Helvetica", "Helvetica-Bold", "Helvetica-Oblique")
        )
        size = 10.8 if company.serif else 9.6
        self.table_size = 9.4 if company.serif else 8.4
        body = ParagraphStyle(
            "body", fontName=self.plain, fontSize=size, leading=size * 1.42, spaceAfter=size * 0.75
        )
        self.styles = {
            "": ParagraphStyle("text", parent=body, alignment=TA_JUSTIFY if company.serif else TA_LEFT),
            "-": ParagraphStyle("bullet", parent=body, leftIndent=14, bulletIndent=2, spaceAfter=size * 0.5),
            ">": ParagraphStyle("centred", parent=body, alignment=TA_CENTER if company.serif else 0, spaceAfter=4),
            "~": ParagraphStyle("small", parent=body, fontName=self.italic, fontSize=size - 1.6),
            "#": ParagraphStyle(
                "chapter", fontName=self.bold, fontSize=17, leading=21, spaceAfter=14, textColor=self.colour
            ),
            "##": ParagraphStyle(
                "heading", parent=body, fontName=self.bold, fontSize=size + 0.9, spaceBefore=7, spaceAfter=4,
                textColor=self.colour,
            ),
            "caption": ParagraphStyle("caption", parent=body, fontName=self.bold, spaceAfter=3),
            "cell": ParagraphStyle("cell", parent=body, fontSize=self.table_size, leading=self.table_size * 1.25),
            "figure": ParagraphStyle(
                "figure", parent=body, fontSize=self.table_size, leading=self.table_size * 1.25, alignment=TA_RIGHT
            ),
            "contents": ParagraphStyle("contents", parent=body, leading=size * 1.9),
        }  # fmt: skip


class MarkedTable(Table):
    """A table that says on which page it was drawn and never breaks over two."""

    marks: tuple[str, ...] = ()

    def draw(self) -> None:
        for mark in self.marks:
            self.canv.getNamedCB("mark")(self.canv, None, mark)
        super().draw()

    def split(self, _width: float, _height: float) -> list[Flowable]:
        return []


class Bars(Flowable):
    """Horizontal bars with their figures, newest year."""

    def __init__(self, look: Look, company: Company, rows: list[Row]) -> None:
        super().__init__()
        self.look, self.company, self.rows = look, company, rows
        self.width, self.height = 0.0, 22.0 * len(rows) + 10

    def wrap(self, width: float, _height: float) -> tuple[float, float]:
        self.width = width
        return width, self.height

    def draw(self) -> None:
        longest = max(row.values[0] for row in self.rows)
        for number, row in enumerate(self.rows):
            bottom = self.height - 22 * (number + 1)
            length = float(row.values[0] / longest) * (self.width - 190)
            self.canv.setFillColor(self.look.colour)
            self.canv.rect(130, bottom, length, 14, stroke=0, fill=1)
            self.canv.setFillGray(0)
            self.canv.setFont(self.look.plain, self.look.table_size)
            self.canv.drawString(0, bottom + 4, row.label)
            self.canv.drawString(136 + length, bottom + 4, as_printed(row.values[0], self.company))
            for mark in row.marks:
                self.canv.getNamedCB("mark")(self.canv, None, mark)


class Chapter(Paragraph):
    """A title that goes into the contents and the running head."""


# Report -------------------------------------------------------------------------------------------------------


class Report(BaseDocTemplate):
    """The PDF of one company; `pages` holds the zero-based pages of every mark of the last pass."""

    def __init__(self, company: Company, target: Path) -> None:
        self.company, self.look, self.ledgers = company, Look(company), Ledgers(company)
        self.pages: dict[str, set[int]] = defaultdict(set)
        self.section = ""
        keys = (key for key in self.ledgers.by_key if not key.startswith("#"))
        self.words = {key: Words(key, self.ledgers.values(key)) for key in keys}
        super().__init__(
            str(target), pagesize=self.look.paper, invariant=1, pageCompression=0,
            title=f"{company.name}: {company.cover[0]}", author=company.name, subject=company.cover[-1],
        )  # fmt: skip
        self.addPageTemplates(self._templates())

    def write(self) -> None:
        self.multiBuild(self._story())

    def beforeDocument(self) -> None:  # noqa: N802  (reportlab's hook)
        self.pages.clear()
        self.section = "Contents"

    def beforePage(self) -> None:  # noqa: N802  (reportlab's hook)
        self.canv.setNamedCB("mark", self._mark)

    def _mark(self, canvas: Canvas, _kind: str | None, mark: str) -> None:
        self.pages[mark].add(canvas.getPageNumber() - 1)

    def afterFlowable(self, flowable: Flowable) -> None:  # noqa: N802  (reportlab's hook)
        if isinstance(flowable, Chapter):
            self.section = flowable.getPlainText()
            self.notify("TOCEntry", (0, self.section.replace("&", "&amp;"), self.page - self.company.unnumbered))
            self.canv.bookmarkPage(self.section)
            self.canv.addOutlineEntry(self.section, self.section)

    # Pages

    def _templates(self) -> list[PageTemplate]:
        width, height = self.look.paper
        inner, tall = width - 2 * MARGIN, height - 2 * MARGIN - 10
        column = (inner - GUTTER) / 2
        right = MARGIN + column + GUTTER
        title = frame(MARGIN, MARGIN + tall - TITLE_HEIGHT, inner, TITLE_HEIGHT)
        low = tall - TITLE_HEIGHT
        return [
            PageTemplate("cover", [frame(MARGIN, MARGIN, inner, tall)], onPage=self._cover),
            PageTemplate("one", [frame(MARGIN, MARGIN, inner, tall)], onPageEnd=self._draw_headers),
            PageTemplate(
                "two-first",
                [title, frame(MARGIN, MARGIN, column, low), frame(right, MARGIN, column, low)],
                onPageEnd=self._draw_headers, autoNextPageTemplate="two",
            ),
            PageTemplate(
                "two", [frame(MARGIN, MARGIN, column, tall), frame(right, MARGIN, column, tall)],
                onPageEnd=self._draw_headers,
            ),
            self._wide(),
        ]  # fmt: skip

    def _wide(self) -> PageTemplate:
        """A portrait page, drawn across, whose /Rotate makes a viewer show it upright."""
        size = width, height = pagesizes.landscape(self.look.paper)
        frames = [frame(MARGIN, MARGIN, width - 2 * MARGIN, height - 2 * MARGIN - 10)]
        template = PageTemplate("wide", frames, onPage=self._turn, onPageEnd=self._draw_headers, pagesize=size)
        template.rotation = 90
        return template

    def _turn(self, canvas: Canvas, _doc: BaseDocTemplate) -> None:
        canvas.translate(self.look.paper[0], 0)
        canvas.rotate(90)

    def _draw_headers(self, canvas: Canvas, _doc: BaseDocTemplate) -> None:
        """The running head and the page number."""
        width, height = self.pageTemplate.pagesize or self.look.paper
        canvas.setFont(self.look.plain, 8)
        canvas.setFillGray(0.35)
        canvas.setStrokeColor(self.look.colour)
        canvas.setLineWidth(0.6)
        canvas.line(MARGIN, height - 48, width - MARGIN, height - 48)
        canvas.drawString(MARGIN, height - 43, self.company.header)
        canvas.drawRightString(width - MARGIN, height - 43, self.section)
        number = canvas.getPageNumber() - self.company.unnumbered
        if number > 0:
            place = canvas.drawCentredString if self.company.serif else canvas.drawRightString
            place(width / 2 if self.company.serif else width - MARGIN, 36, str(number))

    def _cover(self, canvas: Canvas, _doc: BaseDocTemplate) -> None:
        width, height = self.look.paper
        canvas.setFillColor(self.look.colour)
        canvas.rect(0, height * 0.42, width, height * 0.58, stroke=0, fill=1)
        canvas.setFillColor(white)
        canvas.setFont(self.look.bold, 27)
        canvas.drawString(MARGIN, height * 0.62, self.company.name)
        canvas.setFont(self.look.plain, 17)
        canvas.drawString(MARGIN, height * 0.62 - 34, self.company.cover[0])
        canvas.setFillGray(0.2)
        canvas.setFont(self.look.plain, 11)
        for number, line in enumerate(self.company.cover[1:]):
            canvas.drawString(MARGIN, height * 0.42 - 40 - 18 * number, line)
        canvas.setFont(self.look.italic, 8)
        canvas.drawString(
            MARGIN,
            40,
            "This report is invented, as are its company, its people and its figures: all of it is fiction.",
        )

    # Story

    def _story(self) -> list[Flowable]:
        contents = TableOfContents(dotsMinLevel=0, levelStyles=[self.look.styles["contents"]])
        title = Paragraph("Contents", self.look.styles["#"])
        story: list[Flowable] = [Spacer(1, 1), NextPageTemplate("one"), PageBreak(), title, contents]
        for block in re.split(r"\n\s*\n", self.company.report.strip()):
            story.extend(self._block(block))
        return story

    def _block(self, block: str) -> Iterator[Flowable]:
        lead, _, rest = block.partition(" ")
        if block.startswith("@"):
            yield from self._statement(block[1:])
        elif block.startswith("^"):
            rows = [each for each in self.ledgers.rows(block[1:]) if each.rank == "plain"]
            yield Bars(self.look, self.company, rows)
        elif block.startswith("|"):
            yield from self._grid(block)
        elif lead == "#":
            yield from self._chapter(rest)
        elif lead == "+":
            yield CondPageBreak(150)
            yield Spacer(1, 10)
            yield Chapter(self._rich(rest), self.look.styles["#"])
        elif lead == "-":
            for item in re.split(r"(?:^|\n)- ", block)[1:]:
                yield Paragraph(self._rich(item), self.look.styles["-"], bulletText="•")
        elif lead == "##":
            yield CondPageBreak(70)
            yield Paragraph(self._rich(rest), self.look.styles["##"])
        elif lead in (">", "~"):
            yield Paragraph(self._rich(rest), self.look.styles[lead])
        else:
            yield Paragraph(self._rich(block), self.look.styles[""])

    def _chapter(self, title: str) -> Iterator[Flowable]:
        name, _, layout = title.partition(" {")
        template = {"two}": "two-first", "wide}": "wide"}.get(layout, "one")
        yield NextPageTemplate(template)
        yield PageBreak()
        yield Chapter(self._rich(name), self.look.styles["#"])
        if template == "two-first":
            yield FrameBreak()

    def _rich(self, text: str) -> str:
        """Markup to reportlab's: figures put in, marks as draw hooks."""
        filled = " ".join(text.split()).format_map(self.words).replace("&", "&amp;")
        return re.sub(r"\[\[([^|\]]+)\|(.+?)\]\]", lambda match: hook(match[1]) + match[2], filled)

    def _grid(self, block: str) -> Iterator[Flowable]:
        rows = [[each.strip() for each in line[1:].split(" | ")] for line in block.splitlines()]
        number = [
            all(re.match(r"(\[\[.*\|)?[¥$]? ?[\d.,]+(\]\])?$", each) for each in c[1:])
            for c in zip(*rows, strict=True)
        ]
        styles = [self.look.styles["figure" if each else "cell"] for each in number]
        rows[0] = [f"<b>{each}</b>" for each in rows[0]]
        cells = [
            [Paragraph(self._rich(each), style) for each, style in zip(row, styles, strict=True)] for row in rows
        ]
        table = Table(cells, colWidths=self._grid_widths(rows), spaceBefore=4, spaceAfter=12)
        table.setStyle([
            ("LINEBELOW", (0, 0), (-1, 0), 0.9, self.look.colour),
            ("LINEBELOW", (0, 1), (-1, -1), 0.25, HexColor("#b8c0c6")),
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("TOPPADDING", (0, 0), (-1, -1), 2.5), ("BOTTOMPADDING", (0, 0), (-1, -1), 3.5),
            ("LEFTPADDING", (0, 0), (-1, -1), 5), ("RIGHTPADDING", (0, 0), (-1, -1), 5),
        ])  # fmt: skip
        yield table

    def _grid_widths(self, rows: list[list[str]]) -> list[float]:
        bare = [[re.sub(r"\[\[[^|]+\||\]\]|<.?b>", "", each) for each in row] for row in rows]
        natural = [
            max(stringWidth(each, self.look.bold, self.look.table_size) for each in column) + 12
            for column in zip(*bare, strict=True)
        ]
        room = self.look.paper[0] - 2 * MARGIN
        return [each * room / sum(natural) for each in natural]

    # Statements

    def _statement(self, name: str) -> Iterator[Flowable]:
        statement, rows = self.company.statements[name], self.ledgers.rows(name)
        if statement.caption:
            yield Paragraph(statement.caption.replace("\n", "<br/>"), self.look.styles["caption"])
        yield StatementTable(self, statement, rows).made()


class StatementTable:
    """Lays out a statement: label, perhaps a note, and per year a gap, perhaps a currency sign, an amount."""

    def __init__(self, report: Report, statement: Statement, rows: list[Row]) -> None:
        self.company, self.look, self.statement, self.rows = report.company, report.look, statement, rows
        self.noted = statement.years[0] == "Note"
        self.years = statement.years[self.noted :]
        self.size = self.look.table_size + (0.8 if statement.ascending else 0)
        wide = self.look.paper[1 if statement.ascending else 0] - 2 * MARGIN
        self.year_widths = [14.0, 10.0, 56.0] if self.company.sign else [10.0, 62.0]
        self.label_width = wide - len(self.years) * sum(self.year_widths) - 34 * self.noted

    def made(self) -> MarkedTable:
        head = [*([[""] * self.width] if self.statement.over else []), self._years()]
        if self.statement.over:
            head[0][1 + self.noted] = self.statement.over
        cells = head + [self._cells(row) for row in self.rows]
        table = MarkedTable(cells, colWidths=self._widths(), spaceBefore=2, spaceAfter=12, hAlign="LEFT")
        table.setStyle(self._style(len(head)))
        table.marks = tuple(mark for row in self.rows for mark in row.marks)
        return table

    @property
    def width(self) -> int:
        return 1 + self.noted + len(self.year_widths) * len(self.years)

    def _widths(self) -> list[float]:
        return [self.label_width, *[34.0] * self.noted, *self.year_widths * len(self.years)]

    def _years(self) -> list[str]:
        return [
            "",
            *(["Note"] if self.noted else []),
            *(cell for year in self.years for cell in self._year("", year)),
        ]

    def _year(self, sign: str, amount: str) -> list[str]:
        return ["", sign, amount] if self.company.sign else ["", amount]

    def _cells(self, row: Row) -> list[str]:
        label = row.label.removeprefix("$")
        values = row.values[::-1] if self.statement.ascending else row.values
        sign = self.company.sign if row.label.startswith("$") else ""
        amounts = [cell for value in values for cell in self._year(sign, as_printed(value, self.company))]
        leader = self._leader(label, row.rank) if self.company.leaders and values else label
        blank = [""] * (self.width - 1 - self.noted)
        return [leader, *([row.note] if self.noted else []), *(amounts or blank)]

    def _leader(self, label: str, rank: str) -> str:
        font = self.look.plain if rank == "plain" else self.look.bold
        indent = 10 if rank == "plain" else 2
        room = self.label_width - indent - 8 - stringWidth(label + " ", font, self.size)
        return f"{label} {'. ' * int(room // stringWidth('. ', font, self.size))}".rstrip()

    def _style(self, heads: int) -> list[tuple[Any, ...]]:
        first = 1 + self.noted
        style: list[tuple[Any, ...]] = [
            ("FONT", (0, 0), (-1, -1), self.look.plain, self.size, self.size * 1.2),
            ("FONT", (0, 0), (-1, heads - 1), self.look.bold, self.size, self.size * 1.2),
            ("TEXTCOLOR", (0, 0), (-1, heads - 1), self.look.colour),
            ("LINEBELOW", (0, heads - 1), (-1, heads - 1), 0.9, self.look.colour),
            ("ALIGN", (1, 0), (-1, -1), "RIGHT"), ("ALIGN", (1, heads), (self.noted, -1), "CENTER"),
            ("VALIGN", (0, 0), (-1, -1), "BOTTOM"),
            ("TOPPADDING", (0, 0), (-1, -1), 1.6), ("BOTTOMPADDING", (0, 0), (-1, -1), 1.9),
            ("LEFTPADDING", (0, 0), (-1, -1), 2), ("RIGHTPADDING", (0, 0), (-1, -1), 2),
        ]  # fmt: skip
        if self.statement.over:
            style += [("SPAN", (first, 0), (-1, 0)), ("ALIGN", (first, 0), (-1, 0), "CENTER")]
            style += [("LINEBELOW", (first + 1, 0), (-1, 0), 0.4, self.look.colour)]
        for index, row in enumerate(self.rows, heads):
            style.extend(self._row_style(index, row))
        return style

    def _row_style(self, index: int, row: Row) -> Iterator[tuple[Any, ...]]:
        if row.rank == "plain":
            yield ("LEFTPADDING", (0, index), (0, index), 10)
        else:
            yield ("FONTNAME", (0, index), (-1, index), self.look.bold)
        if row.rank == "heading":
            yield ("TOPPADDING", (0, index), (-1, index), 5)
        for year, value in enumerate(row.values):
            column = self.noted + len(self.year_widths) * (year + 1)
            left = column - len(self.year_widths) + 2
            spare = (
                0
                if as_printed(value, self.company).endswith(")")
                else stringWidth(")", self.look.plain, self.size)
            )
            yield ("RIGHTPADDING", (column, index), (column, index), 2 + spare)
            if row.rank in ("total", "grand"):
                yield ("LINEABOVE", (left, index), (column, index), 0.5, HexColor("#333333"))
            if row.rank == "grand":
                yield (
                    "LINEBELOW",
                    (left, index),
                    (column, index),
                    0.5,
                    HexColor("#333333"),
                    0,
                    None,
                    None,
                    2,
                    1.2,
                )


def frame(left: float, bottom: float, width: float, height: float) -> Frame:
    return Frame(left, bottom, width, height, leftPadding=0, rightPadding=0, topPadding=0, bottomPadding=0)


# What is known ------------------------------------------------------------------------------------------------


def plain_number(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


def ledger_fact(report: Report, metric: str, key: str) -> dict[str, Any]:
    company = report.company
    scale = 1 if key in PER_SHARE else company.scale

    def meant(each: str) -> int | float:
        value = report.ledgers.values(each)[0] * scale
        return plain_number(abs(value) if key == "capex" else value)

    printed = as_printed(report.ledgers.values(key)[0], company)
    fact = {"metric": metric, "kind": "number", "value": meant(key), "pages": sorted(report.pages[key])}
    also = {"also": [meant(company.also[metric])]} if metric in company.also else {}
    return fact | {"printed": printed, "scale": scale} | also


def stated_fact(report: Report, fact: Fact) -> dict[str, Any]:
    pages = sorted(set().union(*(report.pages[each] for each in (fact.metric, *fact.rows))))
    assert pages, f"{fact.metric}: its mark was not drawn"
    made: dict[str, Any] = {"metric": fact.metric, "kind": fact.kind, "value": fact.value, "pages": pages}
    if fact.printed is not None:
        made |= {"printed": fact.printed, "scale": 1}
    return made | ({"also": list(fact.also)} if fact.also else {})


def known(report: Report, sha1: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The facts and the questions of a report, in the form of the ground truth files."""
    company = report.company
    facts = [ledger_fact(report, metric, key) for metric, key in LEDGER_METRICS.items()]
    facts += [stated_fact(report, each) for each in company.facts]
    who = {"sha1": sha1, "company": company.name}
    period = {"currency": company.currency, "period_end": company.period_end}
    questions = []
    for each in company.questions:
        missing = [mark for mark in each.marks if mark not in report.pages]
        assert not missing, f"{company.name}: marks not drawn: {missing}"
        pages = sorted(set().union(*(report.pages[mark] for mark in each.marks)))
        details = {
            k: v for k, v in asdict(each).items() if v not in ("", (), None) and k not in ("marks", "scale")
        }
        scale = {"printed": each.printed, "scale": each.scale} if each.printed is not None else {}
        questions.append(details | {"pages": pages} | scale)
    return who | period | {"facts": facts}, who | {"questions": questions}


# Files --------------------------------------------------------------------------------------------------------


def write_samples(folder: Path) -> list[Path]:
    """Writes the reports, their catalog, facts and questions into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    facts, questions, catalog = [], [], []
    for company in COMPANIES:
        target = folder / company.file
        report = Report(company, target)
        report.write()
        sha1 = hashlib.sha1(target.read_bytes(), usedforsecurity=False).hexdigest()
        message, question = known(report, sha1)
        facts.append(message)
        questions.append(question)
        aliases = ";".join(company.aliases)
        catalog.append([company.file, company.name, aliases, company.currency, company.period_end, sha1])
    write_json(folder / "facts.json", facts)
    write_json(folder / "questions.json", questions)
    with (folder / "catalog.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["file", "company_name", "aliases", "currency", "period_end", "sha1"])
        writer.writerows(catalog)
    return sorted(folder.iterdir())


def write_json(target: Path, data: object) -> None:
    target.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for path in write_samples(Path(sys.argv[1]) if sys.argv[1:] else FOLDER):
        print(f"{path.stat().st_size:>8,}  {path}")
