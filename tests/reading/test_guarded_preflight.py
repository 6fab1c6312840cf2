import pytest

from indexes.preflight import PdfProcess, guarded_preflight, preflight
from storage.errors import DocumentError
from tests.support.doubles.page_readers import dying_look, endless_look, greedy_look
from tests.support.samples import SAMPLES

SAMPLE = SAMPLES / "ostermere_2024.pdf"


def test_a_sound_pdf_is_seen_as_by_preflight_itself() -> None:
    assert guarded_preflight(SAMPLE) == preflight(SAMPLE)


def test_what_keeps_the_parser_busy_is_given_up() -> None:
    with pytest.raises(DocumentError, match=r"ostermere_2024\.pdf: it could not be opened within 0\.5 s"):
        guarded_preflight(SAMPLE, seconds=0.5, look=endless_look)


def test_what_brings_the_parser_down_is_told() -> None:
    with pytest.raises(DocumentError, match="the parser died of it"):
        guarded_preflight(SAMPLE, look=dying_look)


def test_a_process_goes_on_after_a_pdf_that_brought_it_down() -> None:
    with PdfProcess() as process:
        for look in (dying_look, greedy_look):
            with pytest.raises(
                DocumentError, match=r"ostermere_2024\.pdf: it (?:cannot be opened|needs too much memory)"
            ):
                process.call(look, SAMPLE)
            assert process.call(preflight, SAMPLE) == preflight(SAMPLE)
