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
    questions: tuple[tuple[str, Decimal, str, str], ...]
    counted: tuple[tuple[str, int, str, str], ...] = ()  # people, not money


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
        Statement(
            "Angaben zu den Beschäftigten",
            ("Durchschnittliche Zahl nach Bereichen",),
            ("2023", "2022"),
            (
                ("Produktion", "812", "798"),
                ("Vertrieb und Verwaltung", "244", "239"),
                ("Mitarbeiter gesamt", "1.056", "1.037"),
            ),
        ),
    ),
    questions=(
        ("total revenue", Decimal(128_456_000), "Umsatzerlöse", "128.456"),
        ("net income", Decimal(15_835_000), "Jahresüberschuss", "15.835"),
        ("total assets", Decimal(125_481_000), "Bilanzsumme", "125.481"),
        ("earnings per share", Decimal("1.58"), "Ergebnis je Aktie", "1,58"),
    ),
    counted=(("number of employees", 1056, "Mitarbeiter gesamt", "1.056"),),
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
    questions=(
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
        Statement(
            "従業員の状況",
            ("2024年3月31日現在",),
            ("2023年3月31日", "2024年3月31日"),
            (
                ("工作機械事業", "1,204", "1,231"),
                ("全社", "166", "170"),
                ("従業員数(名)", "1,370", "1,401"),
            ),
        ),
    ),
    questions=(
        ("total revenue", Decimal(48_765_000_000), "売上高", "48,765"),
        ("net income", Decimal(4_561_000_000), "当期純利益", "4,561"),
        ("total assets", Decimal(50_411_000_000), "資産合計", "50,411"),
        ("earnings per share", Decimal("228.05"), "1株当たり当期純利益", "228.05"),
    ),
    counted=(("number of employees", 1401, "従業員数", "1,401"),),
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
        Statement(
            "Effectifs du groupe",
            ("au 31 décembre 2023",),
            ("2023", "2022"),
            (
                ("Cadres", "1 204", "1 180"),
                ("Ouvriers et employés", "2 918", "2 870"),
                ("Effectif total", "4 122", "4 050"),
            ),
        ),
    ),
    questions=(
        ("total revenue", Decimal(1_204_318_400), "Chiffre d'affaires", "1 204 318,4"),
        ("net income", Decimal(132_572_600), "Résultat net", "132 572,6"),
        ("total assets", Decimal(1_059_032_000), "Total de l'actif", "1 059 032,0"),
        ("earnings per share", Decimal("4.42"), "Résultat net par action", "4,42"),
    ),
    counted=(("number of employees", 4122, "Effectif total", "4 122"),),
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
        Statement(
            "员工情况",
            ("2023年12月31日",),
            ("2023年12月31日", "2022年12月31日"),
            (
                ("生产人员", "1,588", "1,540"),
                ("技术人员", "412", "396"),
                ("在职员工的数量合计", "2,000", "1,936"),
            ),
        ),
    ),
    questions=(
        ("total revenue", Decimal(1_284_562_000), "营业收入", "128,456.20"),
        ("net income", Decimal(158_350_800), "净利润", "15,835.08"),
        ("total assets", Decimal(1_254_811_800), "资产总计", "125,481.18"),
        ("earnings per share", Decimal("1.58"), "基本每股收益", "1.58"),
    ),
    counted=(("number of employees", 2000, "在职员工的数量合计", "2,000"),),
)

SPANISH = SmallReport(
    file="olivar.pdf",
    company="Olivar del Sur, S.A.",
    currency="EUR",
    period_end="2023-12-31",
    font="Helvetica",
    cover=("Olivar del Sur, S.A.", "Informe anual 2023", "Ejercicio terminado el 31 de diciembre de 2023"),
    prose=(
        "La cifra de negocios del grupo ha crecido un 7,3 % en el ejercicio por la subida de los precios del aceite y",
        "por las ventas en los mercados del norte de Europa. Los gastos de personal se han mantenido estables con una",
        "plantilla que ha aumentado para las dos almazaras nuevas, y el consejo propone un dividendo con cargo al",
        "resultado del ejercicio como en los años anteriores.",
    ),
    statements=(
        Statement(
            "Cuenta de pérdidas y ganancias consolidada",
            (
                "correspondiente al ejercicio anual terminado el 31 de diciembre de 2023",
                "(Expresada en miles de euros)",
            ),
            ("Notas", "2023", "2022"),
            (
                ("Importe neto de la cifra de negocios", "5", "412.907", "384.816"),
                ("Aprovisionamientos", "6", "(241.330)", "(226.918)"),
                ("Otros ingresos de explotación", "7", "3.114", "2.870"),
                ("Gastos de personal", "8", "(61.405)", "(59.220)"),
                ("Otros gastos de explotación", "9", "(48.716)", "(45.903)"),
                ("Amortización del inmovilizado", "10", "(18.250)", "(17.644)"),
                ("Resultado de explotación", "", "46.320", "38.001"),
                ("Gastos financieros", "11", "(4.812)", "(3.977)"),
                ("Resultado antes de impuestos", "", "41.508", "34.024"),
                ("Impuesto sobre beneficios", "12", "(10.377)", "(8.506)"),
                ("Resultado del ejercicio", "", "31.131", "25.518"),
                ("Beneficio básico por acción (en euros)", "13", "1,25", "1,02"),
            ),
        ),
        Statement(
            "Balance consolidado",
            ("al 31 de diciembre de 2023", "(Expresado en miles de euros)"),
            ("Notas", "31.12.2023", "31.12.2022"),
            (
                ("Inmovilizado material", "14", "208.114", "199.870"),
                ("Fondo de comercio", "15", "22.400", "22.400"),
                ("Existencias", "16", "97.655", "88.312"),
                ("Deudores comerciales y otras cuentas a cobrar", "17", "71.208", "66.940"),
                ("Efectivo y otros activos líquidos equivalentes", "18", "39.423", "31.087"),
                ("Total activo", "", "438.800", "408.609"),
                ("Capital", "19", "25.000", "25.000"),
                ("Reservas", "19", "162.377", "146.859"),
                ("Total patrimonio neto", "", "218.508", "197.377"),
                ("Deudas con entidades de crédito", "20", "118.092", "116.330"),
                ("Acreedores comerciales y otras cuentas a pagar", "21", "102.200", "94.902"),
                ("Total patrimonio neto y pasivo", "", "438.800", "408.609"),
            ),
        ),
        Statement(
            "Información sobre la plantilla",
            ("Número medio de personas empleadas en el curso del ejercicio, por categorías",),
            ("2023", "2022"),
            (
                ("Directivos", "38", "37"),
                ("Técnicos y administrativos", "412", "398"),
                ("Operarios", "1.084", "1.033"),
                ("Número medio de empleados", "1.534", "1.468"),
            ),
        ),
    ),
    questions=(
        ("total revenue", Decimal(412_907_000), "Importe neto de la cifra de negocios", "412.907"),
        ("operating income", Decimal(46_320_000), "Resultado de explotación", "46.320"),
        ("net income", Decimal(31_131_000), "Resultado del ejercicio", "31.131"),
        ("total assets", Decimal(438_800_000), "Total activo", "438.800"),
        ("total equity", Decimal(218_508_000), "Total patrimonio neto", "218.508"),
        ("earnings per share", Decimal("1.25"), "Beneficio básico por acción", "1,25"),
    ),
    counted=(("number of employees", 1534, "Número medio de empleados", "1.534"),),
)

ITALIAN = SmallReport(
    file="ceramiche.pdf",
    company="Ceramiche Vallata S.p.A.",
    currency="EUR",
    period_end="2023-12-31",
    font="Helvetica",
    cover=("Ceramiche Vallata S.p.A.", "Relazione finanziaria annuale 2023", "Bilancio al 31 dicembre 2023"),
    prose=(
        "I ricavi del Gruppo sono cresciuti del 5,1 % rispetto all'esercizio precedente per le vendite di piastrelle",
        "nei mercati esteri e per i prezzi della gamma alta. Il costo dell'energia è stato inferiore a quello del 2022",
        "e gli investimenti della società sono stati destinati alla nuova linea di produzione degli stabilimenti.",
        "Il consiglio di amministrazione propone la distribuzione di un dividendo nei limiti dell'utile.",
    ),
    statements=(
        Statement(
            "Conto economico consolidato",
            ("per l'esercizio chiuso al 31 dicembre 2023", "(in migliaia di euro)"),
            ("Note", "2023", "2022"),
            (
                ("Ricavi delle vendite e delle prestazioni", "4", "286.540", "272.635"),
                ("Costi per materie prime", "5", "(118.207)", "(116.940)"),
                ("Costi per servizi", "6", "(57.318)", "(58.002)"),
                ("Costi del personale", "7", "(52.471)", "(50.388)"),
                ("Ammortamenti e svalutazioni", "8", "(21.660)", "(20.914)"),
                ("Risultato operativo", "", "36.884", "26.391"),
                ("Oneri finanziari", "9", "(3.705)", "(2.918)"),
                ("Risultato prima delle imposte", "", "33.179", "23.473"),
                ("Imposte sul reddito", "10", "(9.290)", "(6.572)"),
                ("Utile dell'esercizio", "", "23.889", "16.901"),
                ("Utile base per azione (in euro)", "11", "0,96", "0,68"),
            ),
        ),
        Statement(
            "Situazione patrimoniale-finanziaria consolidata",
            ("al 31 dicembre 2023", "(in migliaia di euro)"),
            ("Note", "31.12.2023", "31.12.2022"),
            (
                ("Immobili, impianti e macchinari", "12", "151.226", "146.083"),
                ("Avviamento", "13", "14.850", "14.850"),
                ("Rimanenze", "14", "68.912", "71.430"),
                ("Crediti commerciali", "15", "57.307", "55.126"),
                ("Disponibilità liquide e mezzi equivalenti", "16", "31.405", "24.711"),
                ("Totale attivo", "", "323.700", "312.200"),
                ("Capitale sociale", "17", "30.000", "30.000"),
                ("Riserve", "17", "112.311", "101.410"),
                ("Totale patrimonio netto", "", "166.200", "148.311"),
                ("Debiti finanziari non correnti", "18", "88.140", "96.500"),
                ("Debiti commerciali", "19", "69.360", "67.389"),
                ("Totale patrimonio netto e passivo", "", "323.700", "312.200"),
            ),
        ),
        Statement(
            "Informazioni sul personale",
            ("Numero medio dei dipendenti del Gruppo per categoria",),
            ("2023", "2022"),
            (
                ("Dirigenti", "24", "23"),
                ("Impiegati", "318", "309"),
                ("Operai", "871", "866"),
                ("Totale dipendenti", "1.213", "1.198"),
            ),
        ),
    ),
    questions=(
        ("total revenue", Decimal(286_540_000), "Ricavi delle vendite e delle prestazioni", "286.540"),
        ("operating income", Decimal(36_884_000), "Risultato operativo", "36.884"),
        ("net income", Decimal(23_889_000), "Utile dell'esercizio", "23.889"),
        ("total assets", Decimal(323_700_000), "Totale attivo", "323.700"),
        ("total equity", Decimal(166_200_000), "Totale patrimonio netto", "166.200"),
        ("earnings per share", Decimal("0.96"), "Utile base per azione", "0,96"),
    ),
    counted=(("number of employees", 1213, "Totale dipendenti", "1.213"),),
)
REPORTS = (GERMAN, FRENCH, SPANISH, ITALIAN, YEN_IN_ENGLISH, JAPANESE, CHINESE)


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
