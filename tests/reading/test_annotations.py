"""What is filled into forms and put on pages is read as it is seen there, and said where it is cited."""

from pathlib import Path

import pytest
from docling.datamodel.base_models import InputFormat
from docling.datamodel.document import InputDocument

from indexes.preflight import preflight
from indexes.reading.decoded_pages import DecodedDocument, DecodedPage
from indexes.reading.docling_plugin import record_of
from storage.errors import DocumentError
from storage.records.record import Box
from tests.support.annotated_pages import ANNOTATED, MORE, annotated_page, drawn, field, xfa_form

SAID = {
    "text": ["1,234,567"],
    "comb": ["1234567"],
    "comb on the right": ["1234567"],
    "cut off": ["1,234,567"],
    "choice": ["in", "thousands"],
    "list": ["million"],
    "of its parent": ["1,234,567"],
    "own appearance": ["1,234,567"],
    "hidden": [],
    "only on paper": [],
    "password": ["****"],
    "no value": [],
    "ticked": ["☒"],
    "not ticked": ["☐"],
    "text put on": ["1,234,567"],
    "stamp": ["RESTATED", "1,234"],
    "hidden stamp": [],
    "comment": [],
}


def first_page(path: Path) -> DecodedPage:
    document = InputDocument(
        path_or_stream=path, format=InputFormat.PDF, backend=DecodedDocument, filename=path.name
    )
    assert isinstance(document._backend, DecodedDocument)
    return document._backend.load_page(0)


def words_beside(page: DecodedPage) -> list[str]:
    return [word.text for word, _ in page.words if word.text != "Revenue"]


@pytest.mark.parametrize("name", ANNOTATED)
def test_a_page_says_what_its_annotations_show(name: str, tmp_path: Path) -> None:
    annotations, more = ANNOTATED[name]
    page = first_page(annotated_page(tmp_path / "a.pdf", annotations, more=more))
    assert words_beside(page) == SAID[name]


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_a_comb_on_a_turned_page_is_one_word_in_the_direction_of_its_label(rotation: int, tmp_path: Path) -> None:
    comb = ANNOTATED["comb"][0]
    page = first_page(annotated_page(tmp_path / "a.pdf", comb, page=f"/Rotate {rotation}"))
    (label, turn), (value, other_turn) = page.words
    assert (label.text, value.text, turn) == ("Revenue", "1234567", other_turn)
    record = record_of(page, "0" * 40)
    assert [line.text for block in record.blocks for line in block.lines] == ["Revenue 1234567"]


def test_a_tick_is_said_between_the_words_that_it_stands_at(tmp_path: Path) -> None:
    boxes = [
        field("/FT/Btn/V/Yes/AS/Yes", "/Rect[172 697 183 708]"),
        field("/FT/Btn/V/Off/AS/Off", "/Rect[230 697 241 708]").replace("/T(a)", "/T(b)"),
    ]
    printed = [(72, 700, "Audited?"), (150, 700, "Yes"), (210, 700, "No")]
    record = record_of(first_page(annotated_page(tmp_path / "a.pdf", boxes, printed=printed)), "0" * 40)
    assert record.markdown.split() == ["Audited?", "Yes", "☒", "No", "☐"]


def test_words_of_a_stamp_are_known_as_put_on_the_page(tmp_path: Path) -> None:
    stamp = f"/Type/Annot/Subtype/Stamp/F 4/Rect[60 600 320 711]/AP<</N {MORE} 0 R>>"
    page = first_page(annotated_page(tmp_path / "a.pdf", [stamp], more=[drawn("RESTATED 1,234")]))
    record = record_of(page, "0" * 40)
    (place,) = record.annotation_boxes
    printed = next(line.box for block in record.blocks for line in block.lines if line.text == "Revenue")
    assert record.source_at([place]) == "annotation"
    assert record.source_at([printed]) == "text_layer"


def test_a_page_without_stamps_has_no_word_of_them_in_its_record(tmp_path: Path) -> None:
    record = record_of(first_page(annotated_page(tmp_path / "a.pdf", ANNOTATED["text"][0])), "0" * 40)
    assert "annotation_boxes" not in record.model_dump()
    assert record.source_at([Box(left=0, top=0, right=595, bottom=842)]) == "text_layer"


@pytest.mark.parametrize("widget", [[], ["/Type/Annot/Subtype/Widget/F 4/FT/Sig/T(s)/Rect[0 0 0 0]"]])
def test_a_shell_of_a_form_is_refused_in_any_language(widget: list[str], tmp_path: Path) -> None:
    shell = xfa_form(tmp_path / "shell.pdf", ["Bitte warten", "Diese Meldung wird ersetzt"], ["Umsatz"], widget)
    with pytest.raises(DocumentError, match="an XFA form, whose pages only Adobe Reader shows"):
        preflight(shell)


@pytest.mark.parametrize("annotations", [[], ANNOTATED["text"][0]])
def test_a_form_whose_pages_are_there_is_read_though_it_has_xfa(annotations: list[str], tmp_path: Path) -> None:
    form = xfa_form(
        tmp_path / "form.pdf", ["Revenue", "Members of the society"], ["Members of society"], annotations
    )
    assert preflight(form).page_count == 1
    assert ("1,234,567" in words_beside(first_page(form))) == bool(annotations)
