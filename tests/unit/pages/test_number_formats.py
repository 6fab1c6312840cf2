from decimal import Decimal

import pytest

from indexes.enrichment.number_formats import language_of, with_number_formats
from query_engines.verification.printed_figures import figure_on, figures_in, is_unscaled, stands_on
from storage.amounts import DecimalMark, parse_figure
from storage.records.pages import Block, Cell, Page, Table
from storage.records.record import Box

BOX = Box(left=0, top=0, right=1, bottom=1)
GERMAN = (
    "Der Vorstand und der Aufsichtsrat haben die Umsätze des Konzerns mit dem Vorjahr für das Jahr verglichen."
)
ENGLISH = "The board and the management of the group have compared the revenue with that of the year before."


def table(*values: str) -> Block:
    cells = [
        Cell(row=i, column=j, text=text, role=role)
        for i, value in enumerate(values)
        for j, text, role in ((0, "Umsatz", "row_label"), (1, value, "value"))
    ]
    made = Table(row_count=len(values), column_count=2, cells=tuple(cells))
    return Block(kind="table", text=" ".join(values), box=BOX, table=made)


def page(prose: str, *blocks: Block) -> Page:
    paragraph = Block(kind="paragraph", text=prose, box=BOX)
    return Page(report_sha1="a" * 40, page_number=1, width=1, height=1, blocks=(paragraph, *blocks))


def marks(read: Page) -> list[DecimalMark]:
    return [read.decimal_mark, *(t.decimal_mark for t in read.tables)]


@pytest.mark.parametrize(
    ("printed", "mark", "number"),
    [
        ("1.234,5", ",", "1234.5"),
        ("1.234", ",", "1234"),
        ("1.234", ".", "1.234"),
        ("1,234", ",", "1.234"),
        ("-12.345.678", ",", "-12345678"),
        ("(1.234,56) €", ",", "-1234.56"),
        ("(1.234,56)", ",", "-1234.56"),
        ("1 234,5", ",", "1234.5"),
        ("1\u202f234\u202f567", ",", "1234567"),
        ("1'234.5", ".", "1234.5"),
        ("1’234’567", ".", "1234567"),
        ("△1,234", ".", "-1234"),
        ("▲ 56", ".", "-56"),
        ("152.34円", ".", "152.34"),
        ("1,234.5", ",", None),
        ("1.234,5", ".", None),
        ("12.34", ",", None),
    ],
)
def test_a_figure_is_read_by_its_report_s_decimal_mark(
    printed: str, mark: DecimalMark, number: str | None
) -> None:
    assert parse_figure(printed, mark) == (None if number is None else Decimal(number))


def test_an_ambiguous_figure_is_thousands_in_a_german_report_and_decimals_in_an_english_one() -> None:
    german, english = (with_number_formats([page(prose, table("1.234"))])[0] for prose in (GERMAN, ENGLISH))
    assert stands_on(Decimal(1234), german)
    assert stands_on(Decimal("1.234"), english)
    assert not stands_on(Decimal("1.234"), german)


def test_figures_that_only_one_format_allows_overrule_the_language() -> None:
    sure = table("1.234,5", "12.345.678", "123,45", "1.234")
    assert marks(with_number_formats([page(ENGLISH, sure)])[0]) == [",", ","]


def test_a_table_of_another_format_is_read_by_its_own_figures() -> None:
    usual, other = table("1.234,5", "12.345.678", "8.765,4"), table("1,234.5", "98,765.4")
    assert marks(with_number_formats([page(GERMAN, usual, usual, other)])[0]) == [",", ",", ",", "."]


def test_numbers_of_notes_do_not_decide_the_format() -> None:
    notes = table("3.1", "3.2", "4.1", "5.3", "1.234")
    assert marks(with_number_formats([page(GERMAN, notes)])[0]) == [",", ","]
    lists = table("3,1", "3,2", "4,15", "5,16", "1,234")
    assert marks(with_number_formats([page(ENGLISH, lists)])[0]) == [".", "."]


def test_verification_reads_a_page_as_the_parsers_do() -> None:
    german = with_number_formats([page(f"{GERMAN} Der Umsatz stieg auf 1.234,5 Mio. €.", table("2.345"))])[0]
    assert figures_in("Umsatz: 1.234,5 und 3 456,7", ",") >= {Decimal("1234.5"), Decimal("3456.7")}
    assert stands_on(Decimal("1234.5"), german)
    assert figure_on("2.345", german) == 2345


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (GERMAN, "german"),
        (ENGLISH, "english"),
        ("Le chiffre d'affaires du groupe et les résultats des filiales sont en hausse dans le monde.", "french"),
        ("El resultado del ejercicio y los ingresos por ventas del grupo se han visto con una mejora.", "spanish"),
        ("Il risultato della gestione e i ricavi del gruppo sono cresciuti per gli effetti dei cambi.", "italian"),
        ("当社グループの売上高は前年に比べて増加しました。", "japanese"),
        ("本公司营业收入较上年增长, 净利润保持稳定。", "chinese"),
        ("1 2 3", None),
    ],
)
def test_small_words_and_script_tell_the_language(text: str, language: str | None) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize(
    ("label", "unscaled"),
    [
        ("Net income (in U.S. dollars $000's, except share and per share data, and percentages) 2022", False),
        ("Diluted earnings per share (in thousands, except per share data) 2022", True),
    ],
)
def test_what_a_unit_is_not_for_says_nothing_of_the_row(label: str, *, unscaled: bool) -> None:
    assert is_unscaled(label) is unscaled
