"""An answer without any language model: the table row whose label says what is asked, or N/A."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from llama_index.core.types import BasePydanticProgram

from prompts.drafts import AnyDraft, Evidence, NumberDraft, UnavailableBecause, draft_for
from query_engines.printed_figures import is_unscaled, row_label
from query_engines.search_text import asked_currency, asked_year
from storage.amounts import parse_figure
from storage.answers import NOT_AVAILABLE
from storage.pages import Cell, Column, Page, Table
from storage.questions import AnswerKind, Question
from storage.reports import Report
from storage.text import words

LIKE_ENOUGH = 0.66  # share of words that label and question have in common
_FILLER = {
    "the",
    "a",
    "an",
    "of",
    "in",
    "on",
    "at",
    "for",
    "and",
    "or",
    "to",
    "from",
    "by",
    "its",
    "total",
    "end",
    "year",
}
_ASIDE = re.compile(r"\([^)]*\)")


@dataclass(frozen=True)
class _Row:
    page: Page
    table: Table
    row: int
    label: str
    likeness: float
    rank: int  # of its page, 0 first


class ExtractiveProgram(BasePydanticProgram[AnyDraft]):
    """Answers numbers from table rows; for every other kind it says that it cannot."""

    def __init__(self, kind: AnswerKind) -> None:
        self._kind = kind

    @property
    def output_cls(self) -> type[AnyDraft]:
        """The draft of this program's kind."""
        return draft_for(self._kind)

    async def acall(self, *args: Any, **kwargs: Any) -> AnyDraft:
        """Like `__call__`; there is nothing to wait for."""
        return self(*args, **kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> AnyDraft:
        """Draft an answer.

        Args:
            *args: none.
            **kwargs: `question` (Question), `search_text` (what it looks for), `report` (Report), `pages` (Page
                records, best first).
        """
        if args:
            raise TypeError("the program takes keyword arguments only")
        question, report, pages = kwargs["question"], kwargs["report"], kwargs["pages"]
        label = kwargs.get("search_text") or question.text
        if self._kind != "number":
            return self._unavailable("Without a language model only figures in tables are answered.", "not_found")
        return self._number(question, label, report, pages)

    def _number(self, question: Question, label: str, report: Report, pages: Sequence[Page]) -> AnyDraft:
        asked = question.currency or asked_currency(question.text)
        if asked and report.currency and asked != report.currency:
            return self._unavailable(f"The report is in {report.currency}, not in {asked}.", "other_currency")
        rows = sorted(_rows(label, pages), key=lambda r: (-r.likeness, r.rank, r.row))
        for row in rows:
            cell = _cell(row, asked_year(question.text) or (report.period_end.year if report.period_end else None))
            if cell is not None:
                return _draft(row, cell, label, report)
        return self._unavailable(
            f"No table row on the {len(pages)} pages is labelled like {label!r}.", "not_found"
        )

    def _unavailable(self, analysis: str, reason: UnavailableBecause) -> AnyDraft:
        return self.output_cls(
            step_by_step_analysis=analysis,
            reasoning_summary=analysis,
            evidence=[],
            relevant_pages=[],
            unavailable_because=reason,
            final_answer=NOT_AVAILABLE,
        )


def _rows(label: str, pages: Sequence[Page]) -> Iterator[_Row]:
    for rank, page in enumerate(pages):
        for table in page.tables:
            for row in range(table.row_count):
                found = row_label(table, row)
                likeness = _likeness(label, found)
                if likeness >= LIKE_ENOUGH:
                    yield _Row(page, table, row, found, likeness, rank)


def _likeness(asked: str, label: str) -> float:
    """Dice's coefficient of the two word sets, without filler; 1 for the same words."""
    one, other = _significant(asked), _significant(_ASIDE.sub(" ", label))
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0


def _significant(text: str) -> set[str]:
    return {w.removesuffix("s") for w in words(text)} - _FILLER


def _cell(row: _Row, year: int | None) -> Cell | None:
    """The row's figure in the asked year's column; the only figure where no column tells its year."""
    cells = [
        c for c in row.table.cells if c.row == row.row and c.role == "value" and parse_figure(c.text) is not None
    ]
    told = [c for c in cells if (period := _column(row.table, c).period) and period.year == year]
    if told:
        return told[0]
    return cells[0] if len(cells) == 1 and _column(row.table, cells[0]).period is None else None


def _column(table: Table, cell: Cell) -> Column:
    return table.columns[cell.column] if cell.column < len(table.columns) else Column()


def _draft(row: _Row, cell: Cell, asked: str, report: Report) -> NumberDraft:
    column = _column(row.table, cell)
    unscaled = is_unscaled(row.label) or "%" in cell.text
    scale = 1 if unscaled else column.scale or 1
    printed = parse_figure(cell.text)
    if printed is None:
        raise TypeError(f"{cell.text!r} was taken for a figure")
    period = column.period.printed or column.period.end.isoformat() if column.period else None
    page = row.page.page_number
    where = f"page {page}, row {row.label!r}, column {column.header or 'without a heading'!r}"
    analysis = (
        f"Found without a language model. Asked: {asked!r}. The row most like it is on {where}: "
        f"{cell.text}, one unit being {scale:,}. Words in common: {row.likeness:.0%}."
    )
    return NumberDraft(
        step_by_step_analysis=analysis,
        reasoning_summary=f"{row.label}: {cell.text} ({where}).",
        evidence=[
            Evidence(
                page=page,
                quote=_quote(row, cell),
                printed_figure=cell.text,
                scale=scale,
                currency=None if "%" in cell.text else column.currency or report.currency,
                period=period,
            )
        ],
        relevant_pages=[page],
        unavailable_because=None,
        final_answer=float(printed * scale),
    )


def _quote(row: _Row, cell: Cell) -> str:
    """The row as printed, from its label to the figure."""
    cells = sorted(
        (c for c in row.table.cells if c.row == row.row and c.column <= cell.column), key=lambda c: c.column
    )
    return " ".join(c.text for c in cells if c.text.strip())
