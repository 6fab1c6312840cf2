"""What reports in other languages than English call their statements: regular expressions for any case."""

from typing import Final, Literal

PrimaryStatement = Literal["income", "balance", "cash_flow"]
OTHER_TITLES: Final[dict[PrimaryStatement, str]] = {
    "income": (
        r"gewinn-? ?und verlust-?rechnung|\bguv\b|(?<!gesamt)ergebnisrechnung|erfolgsrechnung"
        r"|comptes? de r[eé]sultats?|[eé]tat du r[eé]sultat\b|cuentas? (?:consolidadas? )?de (?:p[eé]rdidas y ganancias"
        r"|resultados)|estados? (?:consolidados? )?del? resultados?\b(?! global)|conto economico"
        r"|損益計算書|損益及び包括利益計算書|利润表|損益表|损益表|利潤表"
    ),
    "balance": (
        r"\b(?:konzern-?)?bilanz(?:en)?\b|\bbilans?\b\b|[eé]tat de (?:la )?situation financi[eè]re"
        r"|balances? (?:consolidados? |de situaci[oó]n|generale?s?\b)"
        r"|estados? (?:consolidados? )?de (?:la )?situaci[oó]n financiera|stato patrimoniale"
        r"|situazione patrimoniale|貸借対照表|財政状態計算書|资产负债表|資產負債表|财务状况表|財務狀況表"
    ),
    "cash_flow": (
        r"kapitalflussrechnung|cash-?flow-?rechnung|geldflussrechnung|(?:tableau"
        r"|[eé]tat) (?:consolid[eé] )?des flux de tr[eé]sorerie"
        r"|estados? (?:consolidados? )?de flujos? de (?:efectivo|tesorer[ií]a)|rendiconto finanziario"
        r"|キャッシュ・?フロー計算書|现金流量表|現金流量表"
    ),
}
GROUP_WORDS: Final = r"konzern|consolid(?:[eé]|ad|at)[eso]*\b|連結|合并|合併"
PARENT_WORDS: Final = r"einzelabschluss|comptes sociaux|母公司|個別"
PARTIAL_WORDS: Final = (
    r"kennzahlen|kurzfassung|mehrjahres|überblick|überleitung|segment|quartal|chiffres cl[eé]s|synth[eè]se|resumen"
    r"|principali dati|要約|主要な経営指標|四半期|摘要|主要会计数据"
)
