"""Pages of words and tables, drawn as typesetters draw them: each cell where it belongs, no lines but those asked."""

from collections.abc import Sequence
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

LEFT, RIGHT, TOP, LEADING = 60.0, 540.0, 780.0, 15.0


class Sheets:
    """A PDF that is written page by page, from the top down.

    `canvas` is reportlab's, for whatever else a page needs; `y` is the base line of the next line, in points from the
    lower edge.
    """

    def __init__(self, path: Path, *, font: str = "Helvetica", size: float = 9.5) -> None:
        self.path, self.font, self.size = path, font, size
        self.canvas = Canvas(str(path), pagesize=A4, initialFontName=font, initialFontSize=size)
        self.y = TOP

    def _set(self) -> None:
        self.canvas.setFont(self.font, self.size)

    def line(self, text: str = "", *, x: float = LEFT, size: float | None = None, bold: bool = False) -> None:
        """A line of text; an empty one leaves room."""
        self.canvas.setFont(self.font + "-Bold" if bold else self.font, size or self.size)
        self.canvas.drawString(x, self.y, text)
        self._set()
        self.y -= LEADING * (size or self.size) / self.size

    def lines(self, texts: Sequence[str], *, x: float = LEFT) -> None:
        for text in texts:
            self.line(text, x=x)

    def row(self, label: str, cells: Sequence[str], edges: Sequence[float], *, x: float = LEFT) -> None:
        """A label at the left, and each cell with its right edge where `edges` says; an empty cell is left out."""
        self.canvas.drawString(x, self.y, label)
        for cell, edge in zip(cells, edges, strict=True):
            self.canvas.drawRightString(edge, self.y, cell)
        self.y -= LEADING

    def table(
        self, heads: Sequence[Sequence[str]], rows: Sequence[tuple[str, Sequence[str]]], edges: Sequence[float]
    ) -> None:
        """Lines of headings over the columns, then the rows."""
        for head in heads:
            self.row("", head, edges)
        for label, cells in rows:
            self.row(label, cells, edges)

    def spanning(self, text: str, left: float, right: float, *, ruled: bool = False) -> None:
        """A heading in the middle over several columns, on the current line, which stays the current one."""
        self.canvas.drawCentredString((left + right) / 2, self.y, text)
        if ruled:
            self.canvas.line(left, self.y - 3, right, self.y - 3)

    def end(self, footer: str = "") -> None:
        """Finish the page, with a footer at its lower edge."""
        if footer:
            self.canvas.drawString(LEFT, 40, footer)
        self.canvas.showPage()
        self.y = TOP

    def save(self) -> Path:
        self.canvas.save()
        return self.path


def edges(count: int, *, first: float = 300.0, last: float = RIGHT) -> tuple[float, ...]:
    """Right edges of so many columns, spread evenly."""
    if count == 1:
        return (last,)
    return tuple(first + (last - first) * n / (count - 1) for n in range(count))
