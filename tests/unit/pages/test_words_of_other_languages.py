"""Units, times, titles and labels as statements in other languages than English print them."""

import datetime as dt

import pytest

from indexes.enrichment.periods import period_of, printed_time
from indexes.enrichment.table_context import with_table_context
from indexes.enrichment.units import unit_of_line
from indexes.facts.statements import TITLES, PrimaryStatement
from storage.records.metrics import OTHER_LANGUAGES, Ontology
from storage.records.pages import Block, Cell, Page, Table
from storage.records.record import Box

ONTOLOGY = Ontology.load()
BOX = Box(left=0, top=0, right=1, bottom=1)


@pytest.mark.parametrize(
    ("line", "scale", "currency"),
    [
        ("in Tsd. EUR", 1_000, "EUR"),
        ("TEUR", 1_000, "EUR"),
        ("Angaben in TEUR", 1_000, "EUR"),
        ("in Mio. €", 1_000_000, "EUR"),
        ("en milliers d'euros", 1_000, "EUR"),
        ("(en millions d’euros)", 1_000_000, "EUR"),
        ("millones de euros", 1_000_000, "EUR"),
        ("migliaia di euro", 1_000, "EUR"),
        ("（単位：百万円）", 1_000_000, "JPY"),
        ("(単位:千円)", 1_000, "JPY"),
        ("単位：億円", 100_000_000, "JPY"),
        ("单位：万元", 10_000, "CNY"),
        ("人民币千元", 1_000, "CNY"),
        ("单位:元 币种:人民币", 1, "CNY"),
        ("(千美元)", 1_000, "USD"),
    ],
)
def test_a_unit_s_line_says_scale_and_currency(line: str, scale: int, currency: str) -> None:
    unit = unit_of_line(line)
    assert unit is not None
    assert (unit.scale, unit.currency) == (scale, currency)


@pytest.mark.parametrize(
    ("words", "end", "months"),
    [
        ("zum 31. Dezember 2023", dt.date(2023, 12, 31), None),
        ("1. Januar bis 31. Dezember 2023", dt.date(2023, 12, 31), 12),
        ("vom 1. April 2023 bis 31. März 2024", dt.date(2024, 3, 31), 12),
        ("01.01. - 30.06.2023", dt.date(2023, 6, 30), None),
        ("31.12.2023", dt.date(2023, 12, 31), None),
        ("exercice clos le 31 décembre 2023", dt.date(2023, 12, 31), 12),
        ("al 31 de diciembre de 2023", dt.date(2023, 12, 31), None),
        ("chiuso al 31 dicembre 2023", dt.date(2023, 12, 31), None),
        ("2024年3月期", dt.date(2024, 3, 31), 12),
        ("令和6年3月期", dt.date(2024, 3, 31), 12),
        ("(自 2023年4月1日 至 2024年3月31日)", dt.date(2024, 3, 31), 12),
        ("2023年12月31日", dt.date(2023, 12, 31), None),
    ],
)
def test_a_period_is_read_from_its_words(words: str, end: dt.date, months: int | None) -> None:
    period = period_of(printed_time(words), words)
    assert period is not None
    assert (period.end, period.months) == (end, months)


def test_a_date_before_a_negative_figure_is_no_start_of_a_range() -> None:
    assert printed_time("Total return, figures to 31 March 2022 -10.9%").year == 2022


def test_a_number_that_ends_an_english_sentence_is_no_day() -> None:
    assert printed_time("as shown in note 5. August was a good month").day is None


@pytest.mark.parametrize(
    ("kind", "title"),
    [
        ("income", "Konzern-Gewinn- und Verlustrechnung"),
        ("income", "Compte de résultat consolidé"),
        ("income", "Cuenta de pérdidas y ganancias"),
        ("income", "CONTO ECONOMICO CONSOLIDATO"),
        ("income", "連結損益計算書"),
        ("income", "合并利润表"),
        ("balance", "Konzernbilanz"),
        ("balance", "Bilan consolidé"),
        ("balance", "Stato patrimoniale"),
        ("income", "Cuenta de pérdidas y ganancias consolidada"),
        ("income", "Estado del resultado consolidado"),
        ("balance", "Balance de situación consolidado"),
        ("balance", "Estado consolidado de situación financiera"),
        ("cash_flow", "Estado consolidado de flujos de efectivo"),
        ("income", "Prospetto di conto economico consolidato"),
        ("balance", "Situazione patrimoniale-finanziaria consolidata"),
        ("cash_flow", "Rendiconto finanziario consolidato"),
        ("balance", "連結貸借対照表"),
        ("balance", "合并资产负债表"),
        ("cash_flow", "Kapitalflussrechnung"),
        ("cash_flow", "Tableau des flux de trésorerie"),
        ("cash_flow", "連結キャッシュ・フロー計算書"),
        ("cash_flow", "合并现金流量表"),
    ],
)
def test_a_title_names_one_statement(kind: PrimaryStatement, title: str) -> None:
    assert [name for name, pattern in TITLES.items() if pattern.search(title)] == [kind]


@pytest.mark.parametrize(
    ("metric", "label"),
    [
        ("total_revenue", "1. Umsatzerlöse"),
        ("net_income", "17. Jahresüberschuss"),
        ("net_income", "RESULTAT NET"),
        ("total_assets", "Total de l’actif"),
        ("total_assets", "TOTALE ATTIVO"),
        ("net_income", "当期純利益又は当期純損失(△)"),
        ("net_income", "五、净利润"),
        ("eps_basic", "1株当たり当期純利益 (円)"),
        ("total_assets", "资产总计"),
        ("shareholders_equity", "Total patrimonio neto"),
    ],
)
def test_a_label_says_its_metric_with_or_without_accents_and_counting(metric: str, label: str) -> None:
    assert ONTOLOGY[metric].place(label) is not None


def test_no_label_of_another_language_says_two_metrics_of_one_statement() -> None:
    labels: dict[tuple[str, str], set[str]] = {}
    for metric in ONTOLOGY.metrics:
        names = [n for group in OTHER_LANGUAGES for n in metric.wordings.get(group, ())]
        for name in names:
            others = {
                m.id for m in ONTOLOGY.metrics if m.statement == metric.statement and m.rank(name) is not None
            }
            labels[metric.statement, name] = others
    assert {name: ids for (_, name), ids in labels.items() if len(ids) > 1} == {}


def test_a_column_named_vorjahr_is_the_year_before_its_neighbour_s() -> None:
    heads = [("", 0), ("31.12.2023 TEUR", 1), ("Vorjahr TEUR", 2)]
    cells = [Cell(row=0, column=i, text=text, role="column_header") for text, i in heads]
    cells += [
        Cell(row=1, column=0, text="Bilanzsumme", role="row_label"),
        Cell(row=1, column=1, text="125.481"),
        Cell(row=1, column=2, text="117.745"),
    ]
    made = Table(row_count=2, column_count=3, cells=tuple(cells))
    block = Block(kind="table", text="Bilanzsumme 125.481 117.745", box=BOX, table=made)
    page = Page(report_sha1="a" * 40, page_number=1, width=1, height=1, blocks=(block,))
    columns = with_table_context([page])[0].tables[0].columns[1:]
    assert [c.period.end if c.period else None for c in columns] == [dt.date(2023, 12, 31), dt.date(2022, 12, 31)]
    assert [c.scale for c in columns] == [1_000, 1_000]
