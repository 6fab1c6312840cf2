"""The table of an answer's figures on its card: each figure opens its marked page. No Chainlit here."""

from collections.abc import Sequence

from app.chat.cards.links import LinkedReports, PageLink, cited_pages
from app.files.figure_tables import FigureTable, TableCell, in_figures, table_of
from storage.amounts import grouped
from storage.lexicon.answer_words import Spoken
from storage.records.answers import Answer, Citation, CitedFigure
from storage.records.record import Record
from storage.text import capital

MOST_CARDS = 12  # parts with a fold of their own below the table


class OperandChip(Record):
    """A figure that a calculated one rests on."""

    name: str
    shown: str
    place: PageLink


class ShownFormula(Record):
    """How a figure was calculated: in words, in figures, and from what."""

    words: str
    figures: str
    operands: tuple[OperandChip, ...]


class ShownCell(Record):
    """A cell as it is shown.

    Attributes:
        value: to sort and draw by; None where there is none.
        note: why there is no figure, or how the nearest one differs.
        place: of the figure, or of the nearest one.
    """

    shown: str
    value: float | None = None
    note: str = ""
    place: PageLink | None = None
    formula: ShownFormula | None = None


class ShownRow(Record):
    """A row: its names, a remark on them, its unit and its cells."""

    names: tuple[str, ...]
    note: str = ""
    unit: str = ""
    cells: tuple[ShownCell, ...]


class ShownTable(Record):
    """The table on a card.

    Attributes:
        language: of the question, in which its figures are written.
        workbook: its address as a workbook; "" where it is not stored.
    """

    title: str
    language: Spoken
    heads: tuple[str, ...]
    columns: tuple[str, ...]
    units: tuple[str, ...]
    unit: str
    rows: tuple[ShownRow, ...]
    are_periods: bool
    workbook: str = ""


def shown_table(answer: Answer, reports: LinkedReports) -> ShownTable | None:
    """The table of an answer's figures; None where it has none."""
    table = table_of(answer)
    if table is None:
        return None
    ends = _ends(table)
    return ShownTable(
        title=title_of(answer),
        language=answer.language,
        heads=table.heads,
        columns=table.columns,
        units=table.units,
        unit=table.unit,
        are_periods=table.are_periods,
        rows=tuple(
            ShownRow(
                names=row.names,
                note=ends[n],
                unit=row.unit,
                cells=tuple(
                    _cell(cell, bool(table.unit or row.unit or table.units), reports) for cell in row.cells
                ),
            )
            for n, row in enumerate(table.rows)
        ),
    )


def is_table_alone(answer: Answer) -> bool:
    """Whether the answer is its table: figures of several companies or metrics, and nothing made of them."""
    companies = {figure.company for figure in answer.series}
    metrics = {figure.metric for figure in answer.series}
    return answer.kind == "text" and answer.is_available and (len(companies) > 1 or len(metrics) > 1)


def title_of(answer: Answer) -> str:
    """What the table is of: "Total revenue and Net income, 2021 to 2023"."""
    metrics, companies, periods = (
        list(dict.fromkeys(getattr(figure, name) for figure in answer.series))
        for name in ("metric", "company", "column")
    )
    of = f" of {companies[0]}" if len(companies) == 1 else ""
    when = f", {periods[0]} to {periods[-1]}" if len(periods) > 1 else f", {periods[0]}" if periods[0] else ""
    return f"{_listed(metrics)}{of}{when}"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def shown_formula(answer: Answer, reports: LinkedReports) -> ShownFormula | None:
    """How a figure was calculated; None where it was read."""
    if not answer.formula or not answer.operands:
        return None
    operands = tuple(_operand(operand, reports) for operand in answer.operands)
    return ShownFormula(words=answer.formula, figures=in_figures(answer), operands=operands)


def _operand(operand: CitedFigure, reports: LinkedReports) -> OperandChip:
    currency = (operand.unit.currency if operand.unit else None) or ""
    year = f" {operand.period.year}" if operand.period else ""
    shown = f"{grouped(operand.value)} {currency}".strip()
    name = operand.name if operand.name.endswith(year) else f"{operand.name}{year}"
    return OperandChip(name=name, shown=shown, place=_place(operand.citation, f"{name}: {shown}", reports))


def _place(citation: Citation, label: str, reports: LinkedReports) -> PageLink:
    """The page of a citation, by what stands there."""
    (link,) = cited_pages((citation,), reports)
    return link.model_copy(update={"label": label})


def _ends(table: FigureTable) -> list[str]:
    """The last day of each row's year, where the rows' years end on different days, or in different years."""
    dates = [[cell.figure.period for cell in row.cells if cell and cell.figure.period] for row in table.rows]
    last = [known[-1] if known else None for known in dates]
    is_of_years = len({day.year for day in last if day}) > 1
    ends = [f"year to {day.day} {day:%B}{f' {day.year}' if is_of_years else ''}" if day else "" for day in last]
    return ends if len(set(filter(None, ends))) > 1 else [""] * len(ends)


def _cell(cell: TableCell | None, unit_is_said: bool, reports: LinkedReports) -> ShownCell:
    if cell is None:
        return ShownCell(shown="")
    figure, answer = cell.figure, cell.answer
    label = ", ".join(filter(None, (figure.company, figure.metric, figure.column)))
    if figure.value == "N/A":
        near = answer.nearest
        why = answer.words.reasons[answer.reason] if answer.reason else ""
        place = _place(near.citation, f"Nearest to {label}", reports) if near and near.citation else None
        return ShownCell(shown="N/A", note=f"{why} {capital(near.detail)}." if near else why, place=place)
    shown = answer.value_text
    if answer.unit and answer.unit.currency and unit_is_said:
        shown = answer.words.figure(float(figure.value), decimals=answer.unit.decimals(float(figure.value)))
    place = _place(figure.citation, label, reports) if figure.citation else None
    return ShownCell(shown=shown, value=float(figure.value), place=place, formula=shown_formula(answer, reports))
