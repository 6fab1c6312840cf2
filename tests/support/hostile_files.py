"""PDFs that no honest company would print, written by script."""

from pathlib import Path

from reportlab.pdfgen.canvas import Canvas


def empty_pages(path: Path, pages: int = 3000) -> Path:
    """Pages without a mark."""
    canvas = Canvas(str(path))
    for _ in range(pages):
        canvas.showPage()
    canvas.save()
    return path


def crowded_page(path: Path, words: int = 100_000) -> Path:
    """One page with very many words, one over the other."""
    canvas = Canvas(str(path))
    text = canvas.beginText(20, 820)
    text.setFont("Helvetica", 4, leading=0.8)
    for start in range(0, words, 100):
        text.textLine(" ".join(f"w{n}" for n in range(start, min(start + 100, words))))
    canvas.drawText(text)
    canvas.save()
    return path


def thick_report(path: Path, pages: int = 1000) -> Path:
    """As many pages as the thickest report: prose, a table and a running head on each."""
    canvas = Canvas(str(path))
    for number in range(1, pages + 1):
        canvas.setFont("Helvetica", 8)
        canvas.drawString(60, 815, f"Thick Holdings plc Annual Report 2024 {number}")
        canvas.setFont("Helvetica", 9)
        for line in range(30):
            canvas.drawString(
                60, 790 - 12 * line, f"Line {line} of page {number}: the group sells engines to makers of ships."
            )
        for row in range(20):
            canvas.drawString(60, 400 - 14 * row, f"Revenue of segment {row}")
            for column in range(4):
                canvas.drawRightString(
                    320 + 60 * column, 400 - 14 * row, f"{(number * 7 + row * 31 + column) % 9000:,}"
                )
        canvas.showPage()
    canvas.save()
    return path


def cut_off(path: Path, whole: bytes) -> Path:
    """The first half of a good file."""
    path.write_bytes(whole[: len(whole) // 2])
    return path


def encrypted(path: Path) -> Path:
    """It asks for a password."""
    canvas = Canvas(str(path), encrypt="open sesame")
    canvas.drawString(72, 720, "Confidential")
    canvas.save()
    return path
