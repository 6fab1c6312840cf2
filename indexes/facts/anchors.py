"""Rows that only one statement has, as regular expressions over labels in lower case.

An expression of the other languages (German, French, Spanish, Italian, Japanese, Chinese) stands at the place of the
English one that says the same.
"""

import re

from storage.statement_titles import PrimaryStatement

_ENGLISH: dict[PrimaryStatement, tuple[str, ...]] = {
    "balance": (
        r"^total assets\b",
        r"^total liabilities\b",
        r"^total (?:current|non-?current) assets",
        r"^total current liabilities",
        r"^(?:total )?(?:(?:share|stock)holders'? )?(?:equity|funds)\b|^total .*equity$|^net assets$",
        r"^cash\b",
        r"(?:liabilities and|equity and).*(?:equity|liabilities|deficit|funds)$",
        r"retained earnings|accumulated (?:deficit|losses)|share (?:capital|premium)|paid-in",
        r"receivable",
        r"deposits",
        r"property|equipment",
        r"payable",
    ),
    "income": (
        r"^(?:total )?(?:net )?(?:revenues?|sales|turnover|income)\b|revenues?$",
        r"\bcosts? of\b|expenses?\b",
        r"before .*tax",
        r"\btax(?:es|ation)?\b",
        r"^(?:net |\(?loss\)? |\(?profit\)? )?.*(?:profit|loss|income|return)\b.*(?:year"
        r"|period|net)|^net (?:\(?(?:income|loss|profit|earnings))",
        r"per .*(?:share|unit)|^basic",
        r"operating|from operations",
        r"administrative",
        r"interest",
        r"provision for|noninterest|premiums",
    ),
    "cash_flow": (
        r"operating activities",
        r"investing activities",
        r"financing activities",
        r"cash.*beginning|beginning of",
        r"cash.*\bend\b|end of",
        r"(?:increase|decrease|change).*cash",
        r"depreciation",
        r"^(?:purchase|payment|acquisition|addition|proceeds)",
        r"dividends? paid|repayment",
    ),
}
_OTHERS: dict[PrimaryStatement, tuple[str, ...]] = {
    "balance": (
        r"^(?:bilanzsumme|summe (?:der )?aktiva|total (?:de l'|del )?acti[fv]|totale (?:attiv|dell'attiv)"
        r"|資産合計|資産の部合計|资产总计|資產總)",
        r"^(?:summe (?:schulden|verbindlichkeiten)|total (?:des )?(?:dettes|passifs?)|total pasivo"
        r"|totale passiv|負債合計|负债合计|負債總)",
        r"umlaufvermögen|anlagevermögen|(?:lang|kurz)fristige vermögens|actifs? (?:non )?courant"
        r"|activo (?:no )?corriente|attività (?:non )?correnti"
        r"|(?:流動|固定|非流動)資産|(?:非?流动)资产",
        r"kurzfristige (?:schulden|verbindl)|passifs? courant|pasivo corriente|passività correnti|流動負債|流动负债",
        r"eigenkapital|capitaux propres|patrimonio net|純資産合計|資本合計|株主資本|所有者权益|股东权益",
        r"zahlungsmittel|liquide mittel|kassenbestand|trésorerie|efectivo|disponibilità liquide|現金|货币资金",
        r"summe passiva|eigenkapital und schulden|total (?:du )?passif|負債純資産|負債及び資本|负债和",
        r"gewinnrücklage|gezeichnetes kapital|bilanzgewinn|capital social|capitale sociale|資本金|利益剰余金"
        r"|未分配利润|实收资本|股本",
        r"forderungen|créances|deudores|crediti|売掛金|应收",
        r"einlagen|depósitos|預り金",
        r"sachanlagen|immobilisations corporelles|inmovilizado material|immobilizzazioni|有形固定資産|固定资产",
        r"lieferungen und leistungen|fournisseurs|acreedores|fornitori|買掛金|应付",
    ),
    "income": (
        r"umsatz|chiffre d'affaires|cifra de negocios|\bricavi\b|売上高|営業収(?:益|入)|売上収益"
        r"|营业(?:总)?收入|營業收入",
        r"aufwand|aufwendungen|kosten|coût|charges (?:d|financ)|gastos|\bcost[ie]\b|売上原価|費用|营业(?:总)?成本|费用",
        r"vor (?:ertrag)?steuern|avant impôt|antes de impuestos|prima delle imposte|税(?:金等調整|引)前|利润总额",
        r"steuern|impôt|impuesto|imposte|法人税|法人所得税|所得税",
        r"jahresüberschuss|jahresfehlbetrag|konzern(?:ergebnis|überschuss)|periodenergebnis|jahresergebnis"
        r"|résultat net|resultado del ejercicio"
        r"|utile (?:dell'esercizio|netto)|当期(?:純)?(?:利益|損失)|净利润|淨利潤",
        r"je aktie|par action|por acción|per azione|1株当たり|每股",
        r"betriebsergebnis|operatives ergebnis|résultat (?:opérationnel|d'exploitation)"
        r"|resultado de explotación|risultato operativo|営業(?:利益|損失)|营业利润",
        r"verwaltung|administrati|amministrativ|一般管理費|管理费用",
        r"zinsen|zins|intérêt|charges financières|gastos financieros|oneri finanziari|利息",
        r"abschreibung|personalaufwand|amortissement|amortización|ammortament|減価償却|资产减值",
    ),
    "cash_flow": (
        r"geschäftstätigkeit|betrieblicher tätigkeit|activités? opérationnel|actividades de explotación"
        r"|attività operativ|営業活動|经营活动",
        r"investitionstätigkeit|d'investissement|de inversión|attività di investimento|投資活動|投资活动",
        r"finanzierungstätigkeit|de financement|de financiación|attività di finanziamento|財務活動|筹资活动",
        r"anfang (?:der|des)|à l'ouverture|au début|al inicio|all'inizio|期首|期初",
        r"ende (?:der|des)|à la clôture|à la fin|al final|alla fine|期末",
        r"veränderung (?:der|des) (?:zahlungsmittel|finanzmittel)|variation de (?:la )?trésorerie|増減額|净增加",
        r"abschreibung|amortissement|amortización|ammortament|減価償却|折旧",
        r"auszahlung|einzahlung|acquisitions? d|pagos por|investimenti|による支出|による収入|支付的现金|收到的现金",
        r"dividende|tilgung|remboursement|配当金|股利",
    ),
}
ANCHORS: dict[PrimaryStatement, list[re.Pattern[str]]] = {
    kind: [re.compile(f"{own}|{other}") for own, other in zip(anchors, _OTHERS[kind], strict=True)]
    for kind, anchors in _ENGLISH.items()
}
