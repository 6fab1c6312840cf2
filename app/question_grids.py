"""A grid to fill in: companies down the first column, metrics along the first row, a question in each empty cell."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from app.workbooks import CellValue
from storage.errors import UsageError
from storage.metrics import Ontology
from storage.questions import Question
from storage.record import Record

_COLUMN_FORM = "a column 'question' or 'text' with the questions"
_GRID_FORM = "a grid with companies in the first column, metrics in the first row and empty cells"


class GridCell(Record):
    """A cell to fill in, by its place in the grid (0-based)."""

    row: int
    column: int
    question: Question


class Grid(Record):
    """A sheet's cells as they were given, and the questions of those to fill in, row by row."""

    rows: tuple[tuple[CellValue, ...], ...]
    cells: tuple[GridCell, ...]


def read_grid(rows: Sequence[Sequence[CellValue]], path: Path) -> Grid:
    """The questions of a grid. Cells that hold something are left as they are.

    Raises:
        UsageError: it is no grid, or nothing in it is left to fill in.
    """
    metrics = {n: str(label) for n, label in enumerate(rows[0] if rows else ()) if n and label is not None}
    companies = {n: str(row[0]) for n, row in enumerate(rows) if n and row[0] is not None}
    if not metrics or not companies:
        found = ", ".join(repr(cell) for cell in (rows[0] if rows else ()) if cell is not None) or "nothing"
        raise UsageError(f"{path}: expected {_COLUMN_FORM}, or {_GRID_FORM}; found in the first row: {found}")
    cells = tuple(
        GridCell(row=row, column=column, question=cell_question(company, metric))
        for row, company in companies.items()
        for column, metric in metrics.items()
        if rows[row][column] is None
    )
    if not cells:
        raise UsageError(f"{path}: no cell is empty; expected {_COLUMN_FORM}, or {_GRID_FORM}")
    return Grid(rows=tuple(map(tuple, rows)), cells=cells)


def cell_question(company: str, label: str) -> Question:
    """What a cell asks: a number, of the metric by the ontology's name where it knows the label.

    A label that is a question itself is asked as it stands.
    """
    if label.endswith("?"):
        return Question(text=label, company=company)
    return Question(text=f"What was the {_named(label)} of {company}?", kind="number", company=company)


def _named(label: str) -> str:
    ontology = _ontology()
    metric = ontology.asked_for(label)
    # A few titles are for people only and would not be understood in a question.
    return metric.title if metric is not None and ontology.asked_for(metric.title) is metric else label


@cache
def _ontology() -> Ontology:
    return Ontology.load()
