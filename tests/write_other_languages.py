"""Small annual reports of invented companies in other languages and formats, as PDFs with known figures.

Nothing is kept in the repository: the tests write them. Japanese and Chinese are set in HeiseiMin-W3 and
STSong-Light, which every PDF reader has.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

LEFT, RIGHT, TOP, LEADING = 60.0, 535.0, 780.0, 17.0
COLUMN = 95.0

Row = tuple[str, ...]


@dataclass(frozen=True)
class Statement:
    """A page with one table: title, lines below it, column heads, rows of label and figures."""

    title: str
    lines: tuple[str, ...]
    heads: Row
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class SmallReport:
    """A report and what is asked of it: search words, value in full units, the words and the figure on the page."""

    file: str
    company: str
    currency: str
    period_end: str
    font: str
    cover: tuple[str, ...]
    prose: tuple[str, ...]
    statements: tuple[Statement, ...]
    asked: tuple[tuple[str, Decimal, str, str], ...]


GERMAN = SmallReport(
    file="musterbau.pdf",
    company="Musterbau Werkzeuge AG",
    currency="EUR",
    period_end="2023-12-31",
    font="Helvetica",
    cover=("Musterbau Werkzeuge AG", "Geschäftsbericht 2023", "für das Geschäftsjahr zum 31. Dezember 2023"),
    prose=(
        "Der Vorstand und der Aufsichtsrat haben den Jahresabschluss für das Geschäftsjahr 2023 festgestellt.",
        "Die Umsatzerlöse der Gesellschaft sind im Vergleich zum Vorjahr um 8,4 % gestiegen, weil die Nachfrage",
        "nach Werkzeugen auf den Auslandsmärkten mit dem Ausbau der Bahn und der Netze stark zugenommen hat.",
        "Das Ergebnis wurde von den höheren Preisen für Stahl und von der Energie nicht wesentlich belastet.",
    ),
    statements=(
        Statement(
            "Konzern-Gewinn- und Verlustrechnung",
            ("für die Zeit vom 1. Januar bis 31. Dezember 2023", "in TEUR"),
            ("Anhang", "2023", "2022"),
            (
                ("Umsatzerlöse", "3.1", "128.456", "118.502"),
                ("Umsatzkosten", "3.2", "-81.230", "-76.114"),
                ("Bruttoergebnis vom Umsatz", "", "47.226", "42.388"),
                ("Vertriebskosten", "3.3", "-14.006", "-13.250"),
                ("Allgemeine Verwaltungskosten", "3.4", "-9.871", "-9.322"),
                ("Betriebsergebnis", "", "23.349", "19.816"),
                ("Zinsen und ähnliche Aufwendungen", "3.5", "-1.204", "-987"),
                ("Ergebnis vor Steuern", "", "22.145", "18.829"),
                ("Steuern vom Einkommen und vom Ertrag", "3.6", "-6.310", "-5.502"),
                ("Jahresüberschuss", "", "15.835", "13.327"),
                ("Ergebnis je Aktie (in EUR)", "3.7", "1,58", "1,33"),
            ),
        ),
        Statement(
            "Konzernbilanz",
            ("zum 31. Dezember 2023", "in TEUR"),
            ("Anhang", "31.12.2023", "31.12.2022"),
            (
                ("Sachanlagen", "4.1", "61.237", "58.940"),
                ("Geschäfts- oder Firmenwert", "4.2", "8.450", "8.450"),
                ("Vorräte", "4.3", "24.118", "22.907"),
                ("Forderungen aus Lieferungen und Leistungen", "4.4", "19.774", "18.033"),
                ("Zahlungsmittel und Zahlungsmitteläquivalente", "4.5", "11.902", "9.415"),
                ("Bilanzsumme", "", "125.481", "117.745"),
                ("Gezeichnetes Kapital", "4.6", "10.000", "10.000"),
                ("Gewinnrücklagen", "", "52.311", "41.476"),
                ("Summe Eigenkapital", "", "62.311", "51.476"),
                ("Langfristige Finanzverbindlichkeiten", "4.7", "31.250", "35.600"),
                ("Verbindlichkeiten aus Lieferungen und Leistungen", "4.8", "31.920", "30.669"),
                ("Summe Passiva", "", "125.481", "117.745"),
            ),
        ),
    ),
    asked=(
        ("total revenue", Decimal(128_456_000), "Umsatzerlöse", "128.456"),
        ("net income", Decimal(15_835_000), "Jahresüberschuss", "15.835"),
        ("total assets", Decimal(125_481_000), "Bilanzsumme", "125.481"),
        ("earnings per share", Decimal("1.58"), "Ergebnis je Aktie", "1,58"),
    ),
)

YEN_IN_ENGLISH = SmallReport(
    file="kitamura.pdf",
    company="Kitamura Instruments Co., Ltd.",
    currency="JPY",
    period_end="2024-03-31",
    font="Helvetica",
    cover=("Kitamura Instruments Co., Ltd.", "Annual Report 2024", "For the fiscal year ended March 31, 2024"),
    prose=(
        "The Company and its consolidated subsidiaries make measuring instruments for the railways of Japan and",
        "for the makers of machine tools. Net sales for the fiscal year were higher than those of the year before",
        "because of the demand from abroad, and the order book at the end of the year was the longest on record.",
    ),
    statements=(
        Statement(
            "Consolidated Statements of Income",
            ("For the years ended March 31, 2024 and 2023", "(Millions of yen, except per share data)"),
            ("2024", "2023"),
            (
                ("Net sales", "84,215", "79,604"),
                ("Cost of sales", "51,870", "50,022"),
                ("Gross profit", "32,345", "29,582"),
                ("Selling, general and administrative expenses", "21,114", "20,067"),
                ("Operating profit", "11,231", "9,515"),
                ("Interest expense", "△214", "△198"),
                ("Profit before income taxes", "11,017", "9,317"),
                ("Income taxes", "3,305", "2,795"),
                ("Profit for the year", "7,712", "6,522"),
                ("Basic earnings per share (yen)", "1,152.34", "974.52"),
            ),
        ),
        Statement(
            "Consolidated Balance Sheets",
            ("As of March 31, 2024 and 2023", "(Millions of yen)"),
            ("2024", "2023"),
            (
                ("Cash and deposits", "18,340", "16,225"),
                ("Trade receivables", "21,774", "20,318"),
                ("Inventories", "15,602", "15,119"),
                ("Property, plant and equipment", "40,118", "38,467"),
                ("Total assets", "95,834", "90,129"),
                ("Trade payables", "17,230", "16,804"),
                ("Long-term borrowings", "14,500", "16,000"),
                ("Total liabilities", "31,730", "32,804"),
                ("Share capital", "9,000", "9,000"),
                ("Retained earnings", "55,104", "48,325"),
                ("Total equity", "64,104", "57,325"),
                ("Total liabilities and equity", "95,834", "90,129"),
            ),
        ),
    ),
    asked=(
        ("total revenue", Decimal(84_215_000_000), "Net sales", "84,215"),
        ("net income", Decimal(7_712_000_000), "Profit for the year", "7,712"),
        ("total assets", Decimal(95_834_000_000), "Total assets", "95,834"),
        ("earnings per share", Decimal("1152.34"), "Basic earnings per share", "1,152.34"),
    ),
)

JAPANESE = SmallReport(
    file="aozora.pdf",
    company="Aozora Seiki Co., Ltd.",
    currency="JPY",
    period_end="2024-03-31",
    font="HeiseiMin-W3",
    cover=("青空精機株式会社", "有価証券報告書", "2024年3月期 (自 2023年4月1日 至 2024年3月31日)"),
    prose=(
        "当社グループの売上高は、海外における工作機械の需要が堅調に推移したことにより増加しました。",
        "営業利益は原材料価格の上昇の影響を受けましたが、販売価格の改定により前年を上回りました。",
        "当連結会計年度末の総資産は、設備投資の実施により前連結会計年度末に比べて増加しました。",
    ),
    statements=(
        Statement(
            "連結損益計算書",
            ("(単位:百万円)",),
            ("2023年3月期", "2024年3月期"),
            (
                ("売上高", "45,120", "48,765"),
                ("売上原価", "29,844", "31,902"),
                ("売上総利益", "15,276", "16,863"),
                ("販売費及び一般管理費", "9,810", "10,214"),
                ("営業利益", "5,466", "6,649"),
                ("支払利息", "△112", "△134"),
                ("税金等調整前当期純利益", "5,354", "6,515"),
                ("法人税等合計", "1,606", "1,954"),
                ("当期純利益", "3,748", "4,561"),
                ("1株当たり当期純利益(円)", "187.40", "228.05"),
            ),
        ),
        Statement(
            "連結貸借対照表",
            ("(単位:百万円)",),
            ("2023年3月31日", "2024年3月31日"),
            (
                ("現金及び預金", "9,870", "10,455"),
                ("売掛金", "8,120", "8,934"),
                ("棚卸資産", "7,744", "7,902"),
                ("有形固定資産", "21,366", "23,120"),
                ("資産合計", "47,100", "50,411"),
                ("買掛金", "6,905", "7,230"),
                ("長期借入金", "9,000", "8,200"),
                ("負債合計", "15,905", "15,430"),
                ("資本金", "5,000", "5,000"),
                ("利益剰余金", "26,195", "29,981"),
                ("純資産合計", "31,195", "34,981"),
                ("負債純資産合計", "47,100", "50,411"),
            ),
        ),
    ),
    asked=(
        ("total revenue", Decimal(48_765_000_000), "売上高", "48,765"),
        ("net income", Decimal(4_561_000_000), "当期純利益", "4,561"),
        ("total assets", Decimal(50_411_000_000), "資産合計", "50,411"),
        ("earnings per share", Decimal("228.05"), "1株当たり当期純利益", "228.05"),
    ),
)
FRENCH = SmallReport(
    file="fonderie.pdf",
    company="Fonderie du Lac SA",
    currency="EUR",
    period_end="2023-12-31",
    font="Helvetica",
    cover=("Fonderie du Lac SA", "Rapport annuel 2023", "Exercice clos le 31 décembre 2023"),
    prose=(
        "Le chiffre d'affaires du groupe est en hausse de 6,2 % sur l'exercice, grâce aux ventes dans les pays du",
        "nord et aux prix de la fonte. Les charges de personnel sont restées stables dans toutes les filiales, et",
        "le conseil propose une affectation du résultat au report à nouveau pour une part de cette somme.",
    ),
    statements=(
        Statement(
            "Compte de résultat consolidé",
            ("Exercice clos le 31 décembre 2023", "(en milliers d'euros)"),
            ("2023", "2022"),
            (
                ("Chiffre d'affaires", "1 204 318,4", "1 134 007,9"),
                ("Coût des ventes", "(801 220,6)", "(762 410,3)"),
                ("Marge brute", "403 097,8", "371 597,6"),
                ("Charges de personnel", "(212 004,1)", "(208 330,5)"),
                ("Résultat opérationnel", "191 093,7", "163 267,1"),
                ("Charges financières", "(14 330,2)", "(12 008,8)"),
                ("Résultat avant impôts", "176 763,5", "151 258,3"),
                ("Impôts sur les bénéfices", "(44 190,9)", "(37 814,6)"),
                ("Résultat net", "132 572,6", "113 443,7"),
                ("Résultat net par action (en euros)", "4,42", "3,78"),
            ),
        ),
        Statement(
            "Bilan consolidé",
            ("au 31 décembre 2023", "(en milliers d'euros)"),
            ("2023", "2022"),
            (
                ("Immobilisations corporelles", "502 118,0", "488 940,2"),
                ("Stocks", "240 118,3", "229 070,1"),
                ("Créances clients", "197 774,2", "180 330,9"),
                ("Trésorerie et équivalents de trésorerie", "119 021,5", "94 150,4"),
                ("Total de l'actif", "1 059 032,0", "992 491,6"),
                ("Capital social", "100 000,0", "100 000,0"),
                ("Capitaux propres", "623 110,7", "514 760,8"),
                ("Dettes financières", "312 500,0", "356 000,0"),
                ("Dettes fournisseurs", "123 421,3", "121 730,8"),
                ("Total du passif", "1 059 032,0", "992 491,6"),
            ),
        ),
    ),
    asked=(
        ("total revenue", Decimal(1_204_318_400), "Chiffre d'affaires", "1 204 318,4"),
        ("net income", Decimal(132_572_600), "Résultat net", "132 572,6"),
        ("total assets", Decimal(1_059_032_000), "Total de l'actif", "1 059 032,0"),
        ("earnings per share", Decimal("4.42"), "Résultat net par action", "4,42"),
    ),
)

CHINESE = SmallReport(
    file="haitian.pdf",
    company="Haitian Pumps Co., Ltd.",
    currency="CNY",
    period_end="2023-12-31",
    font="STSong-Light",
    cover=("海天泵业股份有限公司", "2023年年度报告", "2023年12月31日"),
    prose=(
        "本公司营业收入较上年增长, 主要原因是海外市场需求增加以及新产品销售良好。",
        "公司主要从事水泵及配套设备的研发、生产和销售, 产品广泛应用于农业和市政工程。",
    ),
    statements=(
        Statement(
            "合并利润表",
            ("2023年度", "单位:万元"),
            ("附注", "2023年度", "2022年度"),
            (
                ("一、营业收入", "30", "128,456.20", "118,502.75"),
                ("减:营业成本", "30", "81,230.11", "76,114.02"),
                ("销售费用", "31", "14,006.48", "13,250.36"),
                ("管理费用", "32", "9,871.90", "9,322.55"),
                ("二、营业利润", "", "23,347.71", "19,815.82"),
                ("三、利润总额", "", "22,145.30", "18,829.47"),
                ("减:所得税费用", "33", "6,310.22", "5,502.18"),
                ("四、净利润", "", "15,835.08", "13,327.29"),
                ("基本每股收益(元/股)", "34", "1.58", "1.33"),
            ),
        ),
        Statement(
            "合并资产负债表",
            ("2023年12月31日", "单位:万元"),
            ("附注", "2023年12月31日", "2022年12月31日"),
            (
                ("货币资金", "1", "11,902.36", "9,415.27"),
                ("应收账款", "2", "19,774.60", "18,033.41"),
                ("存货", "3", "24,118.52", "22,907.80"),
                ("固定资产", "8", "69,685.70", "67,388.70"),
                ("资产总计", "", "125,481.18", "117,745.18"),
                ("应付账款", "15", "31,920.44", "30,669.17"),
                ("长期借款", "20", "31,250.00", "35,600.00"),
                ("负债合计", "", "63,170.44", "66,269.17"),
                ("股本", "25", "10,000.00", "10,000.00"),
                ("所有者权益合计", "", "62,310.74", "51,476.01"),
                ("负债和所有者权益总计", "", "125,481.18", "117,745.18"),
            ),
        ),
    ),
    asked=(
        ("total revenue", Decimal(1_284_562_000), "营业收入", "128,456.20"),
        ("net income", Decimal(158_350_800), "净利润", "15,835.08"),
        ("total assets", Decimal(1_254_811_800), "资产总计", "125,481.18"),
        ("earnings per share", Decimal("1.58"), "基本每股收益", "1.58"),
    ),
)
REPORTS = (GERMAN, FRENCH, YEN_IN_ENGLISH, JAPANESE, CHINESE)


def write_report(report: SmallReport, folder: Path) -> Path:
    """The report as a PDF in the folder: a cover, a page of prose, one page for each statement."""
    if report.font != "Helvetica":
        pdfmetrics.registerFont(UnicodeCIDFont(report.font))
    path = folder / report.file
    canvas = Canvas(str(path), pagesize=A4, invariant=True)
    _lines(canvas, report, report.cover, TOP - 120, 18.0)
    canvas.showPage()
    _lines(canvas, report, report.prose, TOP, 10.0)
    canvas.showPage()
    for statement in report.statements:
        _statement(canvas, report, statement)
        canvas.showPage()
    canvas.save()
    return path


def catalog_of(reports: Sequence[SmallReport], path: Path) -> Path:
    """A catalog that says whose the files are, and nothing that the reports say themselves."""
    rows = [f'{report.file},"{report.company}"' for report in reports]
    path.write_text("\n".join(["file,company_name", *rows]) + "\n", encoding="utf-8")
    return path


def _lines(canvas: Canvas, report: SmallReport, lines: Sequence[str], top: float, size: float) -> None:
    canvas.setFont(report.font, size)
    for i, line in enumerate(lines):
        canvas.drawString(LEFT, top - i * size * 1.7, line)


def _statement(canvas: Canvas, report: SmallReport, statement: Statement) -> None:
    _lines(canvas, report, [statement.title], TOP, 15.0)
    _lines(canvas, report, statement.lines, TOP - 26, 10.0)
    y = TOP - 26 - 17 * len(statement.lines) - 16
    for row in (("", *statement.heads), *statement.rows):
        canvas.drawString(LEFT, y, row[0])
        for i, text in enumerate(reversed(row[1:])):
            canvas.drawRightString(RIGHT - i * COLUMN, y, _printable(report, text))
        y -= LEADING


def _printable(report: SmallReport, text: str) -> str:
    """Helvetica has no triangle; such a report prints brackets."""
    negative = text.startswith("△") and report.font == "Helvetica"
    return f"({text[1:]})" if negative else text
