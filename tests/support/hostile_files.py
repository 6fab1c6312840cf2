"""PDFs that no honest company would print, written by script."""

import zlib
from collections.abc import Sequence
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


def one_page(
    path: Path, content: bytes, *, resources: str = "", more: Sequence[bytes] = (), size: str = "595 842"
) -> Path:
    """A page with this content; `more` are the objects that its resources name, from number 5 on."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 {size}]/Contents 4 0 R/Resources<<{resources}>>>>".encode(),
        _stream("", content),
        *more,
    ]
    return write_objects(path, objects)


def write_objects(path: Path, objects: Sequence[bytes]) -> Path:
    """A PDF of objects from number 1 on, of which the first is the catalog."""
    data, places = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    data += b"xref\n0 %d\n0000000000 65535 f \n%b" % (len(objects) + 1, table)
    data += b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, data.rindex(b"xref\n"))
    path.write_bytes(data)
    return path


def huge_picture(path: Path, side: int = 30_000) -> Path:
    """A few hundred bytes that are a picture of so many pixels on each side."""
    entries = f"/Type/XObject/Subtype/Image/Width {side}/Height {side}/ColorSpace/DeviceGray/BitsPerComponent 8"
    picture = _stream(entries, b"")
    return one_page(path, b"q 500 0 0 500 0 0 cm /I Do Q", resources="/XObject<</I 5 0 R>>", more=[picture])


def many_lines(path: Path, lines: int = 100_000) -> Path:
    """A page of very many lines."""
    drawn = (b"%d %d m %d %d l S\n" % (n % 595, n % 842, 7 * n % 595, 13 * n % 842) for n in range(lines))
    return one_page(path, b"".join(drawn))


def nested_forms(path: Path, depth: int = 7, copies: int = 30) -> Path:
    """A form that draws a form many times, which draws a form many times, and so on."""
    forms = [
        _stream(
            f"/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</XObject<</N {6 + n} 0 R>>>>",
            b"/N Do " * copies,
        )
        for n in range(depth - 1)
    ]
    last = _stream("/Type/XObject/Subtype/Form/BBox[0 0 595 842]", b"0 0 m 9 9 l S\n" * copies)
    return one_page(path, b"/N Do", resources="/XObject<</N 5 0 R>>", more=[*forms, last])


def _stream(entries: str, content: bytes) -> bytes:
    data = zlib.compress(content)
    return f"<<{entries}/Filter/FlateDecode/Length {len(data)}>>stream\n".encode() + data + b"\nendstream"
