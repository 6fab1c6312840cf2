"""PDFs of one page with fields of a form, texts and stamps, written object by object."""

from collections.abc import Sequence
from pathlib import Path

from tests.support.hostile_files import write_objects

WIDGET = "/Type/Annot/Subtype/Widget/F 4"
PLACE = "/Rect[200 695 320 711]"
LOOK = "/DA(/Helv 10 Tf 0 g)"
FORM = "/Type/XObject/Subtype/Form/Resources<</Font<</Helv 5 0 R>>>>"
MORE = 10  # the number of the first object that annotations refer to


def annotated_page(
    path: Path,
    annotations: Sequence[str],
    *,
    printed: Sequence[tuple[int, int, str]] = ((72, 700, "Revenue"),),
    more: Sequence[str] = (),
    form: str = "",
    page: str = "",
) -> Path:
    """Write a page.

    Args:
        path: of the PDF.
        annotations: the entries of each, at most four.
        printed: places and texts of the page itself.
        more: objects from number `MORE` on.
        form: further entries of the form.
        page: further entries of the page.
    """
    numbers = range(6, 6 + len(annotations))
    named = " ".join(f"{number} 0 R" for number in numbers)
    content = "".join(f"BT /F 10 Tf {x} {y} Td ({text}) Tj ET\n" for x, y, text in printed)
    fonts = "/Font<</F 5 0 R/Helv 5 0 R/ZaDb 5 0 R>>"
    objects = [
        f"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[{named}]/DR<<{fonts}>>/DA(/Helv 0 Tf 0 g){form}>>>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<<{fonts}>>/Annots[{named}]{page}>>",
        stream("", content),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        *(f"<<{entries}>>" for entries in annotations),
        *(["null"] * (4 - len(annotations))),
        *more,
    ]
    return write_objects(path, [each.encode("latin-1") for each in objects])


def stream(entries: str, content: str) -> str:
    """An object with a content."""
    return f"<<{entries}/Length {len(content)}>>stream\n{content}\nendstream"


def field(entries: str, place: str = PLACE) -> str:
    """The entries of a field's annotation."""
    return f"{WIDGET}{place}/T(a){LOOK}{entries}"


def drawn(text: str) -> str:
    """The appearance of an annotation: a text."""
    return stream(f"{FORM}/BBox[0 0 120 16]", f"/Tx BMC BT /Helv 10 Tf 2 4 Td ({text}) Tj ET EMC")


ANNOTATED: dict[str, tuple[list[str], list[str]]] = {
    "text": ([field("/FT/Tx/V(1,234,567)")], []),
    "comb": ([field(f"/FT/Tx/V(1234567)/Ff {1 << 24}/MaxLen 10")], []),
    "comb on the right": ([field(f"/FT/Tx/V(1234567)/Q 2/Ff {1 << 24}/MaxLen 10")], []),
    "cut off": ([field("/FT/Tx/V(1,234,567)/MaxLen 4")], []),
    "choice": ([field(f"/FT/Ch/V(k)/Ff {1 << 17}/Opt[[(k)(in thousands)][(m)(in millions)]]")], []),
    "list": ([field("/FT/Ch/V(million)/I[1]/Opt[(thousand)(million)(billion)]", "/Rect[200 650 320 711]")], []),
    "of its parent": ([f"{WIDGET}{PLACE}/Parent {MORE} 0 R"], [f"<</FT/Tx/T(a)/V(1,234,567){LOOK}/Kids[6 0 R]>>"]),
    "own appearance": ([field(f"/FT/Tx/V(1,234,567)/AP<</N {MORE} 0 R>>")], [drawn("1,234,567")]),
    "hidden": ([field("/FT/Tx/V(9,999,999)").replace("/F 4", "/F 2")], []),
    "only on paper": ([field("/FT/Tx/V(9,999,999)").replace("/F 4", "/F 36")], []),
    "password": ([field(f"/FT/Tx/V(4711)/Ff {1 << 13}")], []),
    "no value": ([field("/FT/Tx/DV(9,999)")], []),
    "ticked": ([field("/FT/Btn/V/Yes/AS/Yes")], []),
    "not ticked": ([field("/FT/Btn/V/Off/AS/Off")], []),
    "text put on": ([f"/Type/Annot/Subtype/FreeText/F 4{PLACE}/Contents(1,234,567){LOOK}"], []),
    "stamp": ([f"/Type/Annot/Subtype/Stamp/F 4{PLACE}/AP<</N {MORE} 0 R>>"], [drawn("RESTATED 1,234")]),
    "hidden stamp": ([f"/Type/Annot/Subtype/Stamp/F 2{PLACE}/AP<</N {MORE} 0 R>>"], [drawn("RESTATED 1,234")]),
    "comment": ([f"/Type/Annot/Subtype/Text/F 4{PLACE}/Contents(The right figure is 8,888)"], []),
}
"""Annotations of many kinds, with the objects that they refer to."""


def xfa_form(path: Path, printed: Sequence[str], form: Sequence[str], annotations: Sequence[str] = ()) -> Path:
    """A page with lines, of a form whose XFA template has these texts."""
    texts = "".join(f"<field><caption><value><text>{text}</text></value></caption></field>" for text in form)
    template = (
        f"<xdp:xdp xmlns:xdp='http://ns.adobe.com/xdp/'><template><subform>{texts}</subform></template></xdp:xdp>"
    )
    lines = [(72, 700 - 14 * place, text) for place, text in enumerate(printed)]
    return annotated_page(path, annotations, printed=lines, form=f"/XFA {MORE} 0 R", more=[stream("", template)])
