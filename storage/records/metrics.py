"""The ontology of metrics: the words that questions use for each, and the labels that reports print."""

import re
import tomllib
from collections.abc import Sequence
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Final, Literal

from pydantic import Field

from storage.files import digest
from storage.lexicon.words import ARTICLES, KNOWN_TEXTS, PREPOSITIONS, expression, unaccented
from storage.records.record import Record
from storage.text import plain, words

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


Statement = Literal["income", "balance", "cash_flow", "notes", "text"]
_POSITIONS = frozenset({"cash_at_end", "cash_at_beginning"})  # of the cash flow statement
Wording = Literal[
    "common",
    "us_gaap",
    "ifrs",
    "uk_au",
    "bank",
    "insurer",
    "fund",
    "miner",
    "biotech",
    "german",
    "french",
    "spanish",
    "italian",
    "japanese",
    "chinese",
]
OTHER_LANGUAGES = frozenset[Wording]({"german", "french", "spanish", "italian", "japanese", "chinese"})
_ASIDE = expression(r"\([^)]{0,200}\)")
_LONGEST_LABEL = 400  # characters of a row's label or a heading that are looked at
_LESS = expression(r"^(?:less|deduct|add|plus|of which|thereof|davon|abzüglich|zuzüglich) ?[:–-] ?")
_FOOTNOTE = expression(r"(?<=[a-z.)])\s*\((?:[a-z]|\d{1,2}|note[s]? [\d., ]+(?:and \d+)?)\)|(?<![*†‡])[*†‡]+$")
_COUNTED = expression(r"^(?:\(?\d{1,2}[.)]\s+|[ivx]{1,5}\.\s+|\(?[一二三四五六七八九十]+[、)])(?=\D)")
_FILLER = ARTICLES | PREPOSITIONS | {"its", "end"}
_TITLES: dict[str, re.Pattern[str]] = {
    "income": expression(
        r"statements? of (?:[\w,]+ ){0,8}(?:operations|income|earnings|profit|(?:comprehensive"
        r" )?loss)|income statement"
        rf"|profit (?:and|or) loss|{OTHER_TITLES['income']}",
        re.I,
    ),
    "balance": expression(
        rf"balance sheets?|statements? of (?:\w+ ){{0,8}}(?:financial position|condition)|{OTHER_TITLES['balance']}",
        re.I,
    ),
    "cash_flow": expression(rf"cash ?flows?|{OTHER_TITLES['cash_flow']}", re.I),
}
NAMED = 100  # patterns rank behind any place in a list of names


class Nested(Record):
    """A row whose meaning hangs on the heading above it: "Basic" under "Earnings per share"."""

    heading: str
    label: str


class Metric(Record):
    """One metric.

    Attributes:
        title: its name on the screen.
        statement: where reports print it; "notes" means any table, "text" means sentences.
        kind: an amount takes the table's scale; figures per share, percentages and counts do not.
        sign: "size" for a cost or an outflow: reports may print it as negative, and answers give it as positive.
        question_names: the words that questions use for it.
        implied: words beside its name that are so by its definition: profit is after tax.
        wordings: the labels printed, by who prints them, the most exact first (`names` in the file).
        patterns, under: patterns for labels that cannot be listed one by one; they rank behind every name.
        never, never_under: labels, and headings above a row, that look like the metric but mean something else.
        after: a pattern of a label; where the statement has such a row, the metric's row stands below it.
        words: a pattern for labels that may be the line; a statement without such a label does not have the line.
        doubt: for a sum, a pattern of labels that may belong to it; a row that has one and does not fit stops the sum.
        adds: whether the metric is the sum of all rows that match, such as every line of debt on the balance sheet.
        joined_with: the id of a line; a total that is printed under a name of the metric and is the sum of both lines
            is the metric.
        beside: ids of metrics that differ from it in scope alone: with minorities or without, in total or a part.
        sources: the taxonomies' elements and the rules that prescribe the line.
    """

    id: str
    title: str
    beside: tuple[str, ...] = ()
    statement: Statement
    kind: Literal["amount", "per_share", "count", "percent"]
    sign: Literal["as_printed", "size"] = "as_printed"
    question_names: tuple[str, ...] = Field(alias="asked")
    implied: tuple[str, ...] = ()
    wordings: dict[Wording, tuple[str, ...]]
    patterns: tuple[str, ...] = ()
    under: tuple[Nested, ...] = ()
    never: tuple[str, ...] = ()
    never_under: tuple[str, ...] = ()
    after: str = ""
    words: str = ""
    doubt: str = ""
    adds: bool = False
    joined_with: str = ""
    sources: tuple[str, ...] = ()

    @property
    def is_money(self) -> bool:
        """Whether a currency can be asked for."""
        return self.kind in ("amount", "per_share")

    @property
    def is_of_day(self) -> bool:
        """Whether it is a position at a day, so that it has no length of time."""
        return self.statement == "balance" or self.id in _POSITIONS

    @property
    def is_flow(self) -> bool:
        """Whether it is an amount over a time, so that the parts of a year add up to the year."""
        return self.kind == "amount" and self.statement in ("income", "cash_flow") and not self.is_of_day

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All printed labels, the most exact first."""
        return tuple(name for names in self.wordings.values() for name in names)

    @cached_property
    def names_in_english(self) -> tuple[str, ...]:
        """The labels of English statements, the most exact first."""
        return tuple(n for group, names in self.wordings.items() if group not in OTHER_LANGUAGES for n in names)

    @cached_property
    def names_in_other_languages(self) -> tuple[str, ...]:
        """The labels of statements in other languages."""
        return tuple(n for group, names in self.wordings.items() if group in OTHER_LANGUAGES for n in names)

    @cached_property
    def _ranks(self) -> dict[frozenset[str], int]:
        return {significant(name): rank for rank, name in reversed(list(enumerate(self.names)))}

    @cached_property
    def _patterns(self) -> list[re.Pattern[str]]:
        return [re.compile(pattern) for pattern in self.patterns]

    @cached_property
    def _under(self) -> list[tuple[re.Pattern[str], re.Pattern[str]]]:
        return [(re.compile(nested.heading), re.compile(nested.label)) for nested in self.under]

    @cached_property
    def _never(self) -> re.Pattern[str] | None:
        return re.compile("|".join(self.never)) if self.never else None

    @cached_property
    def _never_under(self) -> re.Pattern[str] | None:
        return re.compile("|".join(self.never_under)) if self.never_under else None

    @cached_property
    def start(self) -> re.Pattern[str] | None:
        """Finds the label of the row that must be above the metric's."""
        return re.compile(self.after) if self.after else None

    def rank(self, label: str) -> int | None:
        """The position of a printed label in `names`, 0 for the most exact; None when it is not in the list."""
        return self._ranks.get(significant(label))

    def place(self, label: str, heading: str = "") -> int | None:
        """How exactly a row's label and the heading above it match the metric: lower is better, None is no match.

        Names rank first, then rows under a heading of `under`, then patterns. What `never` names does not match.
        """
        bare, above = folded(label[:_LONGEST_LABEL]), folded(heading[:_LONGEST_LABEL])
        if self._never and self._never.search(bare):
            return None
        if self._never_under and self._never_under.search(above):
            return None
        rank = self.rank(bare) if bare else None
        if rank is not None:
            return rank
        for i, (over, under) in enumerate(self._under):
            if over.search(above) and under.search(bare) and not (self._never and self._never.search(above)):
                return NAMED + i
        for i, pattern in enumerate(self._patterns):
            if pattern.search(bare):
                return 2 * NAMED + i
        return None

    def means_another(self, label: str) -> bool:
        """Whether a label looks like the metric but means something else."""
        return self._never is not None and self._never.search(folded(label[:_LONGEST_LABEL])) is not None

    def leaves_in_doubt(self, label: str, heading: str = "") -> bool:
        """Whether a row may be a part of the sum, though it does not fit; never for one that means something else."""
        bare = folded(label)
        if not self.doubt or self.place(label, heading) is not None:
            return False
        is_other = (self._never and self._never.search(bare)) or (
            self._never_under and self._never_under.search(folded(heading))
        )
        return not is_other and re.search(self.doubt, bare) is not None

    def is_at_home_in(self, title: str) -> bool:
        """Whether a table of this title is the metric's statement."""
        pattern = _TITLES.get(self.statement)
        return pattern is not None and pattern.search(title) is not None


class Ontology:
    """All metrics."""

    def __init__(self, metrics: Sequence[Metric], kpis: Sequence[str] = ()) -> None:
        """Hold metrics; `kpis` are the ids of those that everybody asks for, in the order of the statements."""
        self.metrics = tuple(metrics)
        self.kpis = tuple(kpis)
        self._by_id = {metric.id: metric for metric in metrics}
        self._by_question_name = {
            significant(words_): metric for metric in metrics for words_ in metric.question_names
        }

    def get(self, metric_id: str) -> Metric | None:
        """The metric with this id; None where there is none."""
        return self._by_id.get(metric_id)

    def __getitem__(self, metric_id: str) -> Metric:
        return self._by_id[metric_id]

    @cached_property
    def digest(self) -> str:
        """Twelve hex digits that change whenever anything in the ontology changes."""
        return digest([metric.model_dump(mode="json", by_alias=True) for metric in self.metrics])

    def metric_named(self, text: str) -> Metric | None:
        """The metric whose name is exactly this search text of a question; None where there is none."""
        return self._by_question_name.get(significant(text))

    @classmethod
    @cache
    def load(cls) -> "Ontology":
        """The ontology that comes with Pageproof."""
        content = tomllib.loads((Path(__file__).parents[1] / "metrics.toml").read_text(encoding="utf-8"))
        return cls([_metric(entry) for entry in content["metric"]], content["kpis"])


def _metric(entry: dict[str, object]) -> Metric:
    """A metric from its entry in the file; there `names` is a table by wording."""
    return Metric.model_validate({"wordings": entry["names"]} | {k: v for k, v in entry.items() if k != "names"})


@lru_cache(KNOWN_TEXTS)
def folded(label: str) -> str:
    """A label in lower case, without the number that counts it, footnote marks, leader dots and a closing colon."""
    text = re.sub(r"(?:\s?\.){3,}", " ", plain(label).lower()).strip(" :;-–")
    return _FOOTNOTE.sub("", _COUNTED.sub("", _LESS.sub("", text))).strip(" :;-–")


@lru_cache(KNOWN_TEXTS)
def significant(text: str) -> frozenset[str]:
    """A label's words without filler, brackets, accents and plural endings; possessives count as the plain word."""
    found = words(
        _ASIDE.sub(" ", unaccented(plain(text)))
        .replace("'s", "")
        .replace("’s", "")
        .replace("'", " ")
        .replace("’", " ")
    )
    return frozenset(w.removesuffix("s") for w in found) - _FILLER
