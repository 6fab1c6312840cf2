"""Where the headings of a sheet of questions stand, and what they mean: columns, metrics, years, units."""

import difflib
import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Literal, cast

from app.files.workbooks import CellValue, SheetCells
from indexes.enrichment.units import printed_currency, printed_scale
from indexes.roles.offices import CHIEFS
from query_engines.question.wording import kind_in
from storage.lexicon.calendar import given_day
from storage.lexicon.money import ISO_CODES, scale_of
from storage.lexicon.periods import heading_periods, periods_in
from storage.lexicon.words import expression, unaccented
from storage.records.derived_metrics import DerivedMetrics
from storage.records.metric_names import MetricName, metric_called
from storage.records.metrics import Ontology
from storage.records.questions import AnswerKind, Question
from storage.records.record import Record

Meaning = Literal[
    "question", "kind", "company", "ticker", "period", "quarter", "currency", "unit", "metric", "value", "other"
]
_WORDS: dict[Meaning, str] = {
    "question": (
        "question; questions; text; query; prompt; question text; your question; what to ask; frage; fragen;"
        " fragetext; fragestellung; ihre frage"
    ),
    "kind": (
        "kind; schema; type; answer type; question type; kind of answer; typ; art; antworttyp; fragetyp; antwortart"
    ),
    "company": (
        "company; companies; company name; name of company; firm; issuer; entity; organisation; organization;"
        " corporation; peer; peers; peer group; target; firma; firmen; unternehmen; gesellschaft; firmenname;"
        " unternehmensname; emittent; konzern; societe; entreprise; empresa; societa"
    ),
    "ticker": "ticker; ticker symbol; symbol; stock symbol; bloomberg ticker; kurzel; borsenkurzel; tickersymbol",
    "period": (
        "year; years; fiscal year; financial year; reporting year; fy; period; reporting period; period end;"
        " fiscal period; year end; as of; as at; balance sheet date; reporting date; jahr; geschaftsjahr; gj;"
        " berichtsjahr; wirtschaftsjahr; zeitraum; periode; berichtszeitraum; stichtag; bilanzstichtag; annee;"
        " exercice; ano; ejercicio; anno; esercizio"
    ),
    "quarter": "quarter; quarters; qtr; quartal; trimestre",
    "currency": (
        "currency; ccy; curr; cur; currencies; reporting currency; wahrung; berichtswahrung; devise; valuta; moneda"
    ),
    "unit": "unit; units; unit of measure; uom; scale; scaling; einheit; einheiten; grossenordnung",
    "metric": (
        "metric; metrics; line item; item; items; kpi; kpis; figure; figures; data point; datapoint; indicator;"
        " measure; key figure; key figures; kennzahl; kennzahlen; kenngrosse; position; posten; angabe; messgrosse"
    ),
    "value": (
        "value; values; answer; answers; result; results; response; wert; werte; antwort; antworten; ergebnis; resultat"
    ),
    "other": (
        "id; ids; no; nr; #; lfd nr; ref; reference; key; qid; question id; isin; wkn; lei; cusip; sedol; cik; sha1;"
        " note; notes; comment; comments; remark; remarks; status; analyst; owner; priority; source; sources; page;"
        " pages; sector; industry; country; region; notiz; notizen; bemerkung; bemerkungen; kommentar; anmerkung;"
        " anmerkungen; prioritat; bearbeiter; quelle; quellen; seite; seiten; branche; sektor; land; weight;"
        " gewicht; team; date added; erstellt; category; kategorie; topic; thema; rank; rang"
    ),
}
_MEANINGS: dict[str, Meaning] = {
    word.strip(): meaning for meaning, words in _WORDS.items() for word in words.split(";")
}
_ASKED: tuple[Meaning, ...] = ("question", "kind", "company", "ticker", "period", "currency", "unit", "metric")
KEYS: tuple[Meaning, ...] = ("company", "ticker", "metric", "period", "quarter", "currency", "unit", "kind")
_SURE = 0.84  # of a heading with a typo
_LEAST_LETTERS = 5


class Period(Record):
    """A period of a cell: its words, such as "in 2022" or "at 31 December 2022", and the years that it names."""

    words: str
    years: tuple[int, ...]


class Unit(Record):
    """A unit of a cell or a heading: what is not said is None."""

    currency: str | None = None
    scale: int | None = None


class Label(Record):
    """What a heading or a row's label asks for.

    Attributes:
        text: the label without its unit and period.
        is_known: whether it names a metric, an office or a question, or only something that may be one.
        question: with {company} in the place of the company.
        is_money: whether a currency can be asked for.
    """

    text: str
    is_known: bool
    question: str
    kind: AnswerKind | None
    unit: Unit = Unit()
    period: Period | None = None
    is_money: bool = True


@cache
def meaning_of(heading: str) -> Meaning | None:
    """What a column of this heading holds; None where that is not known."""
    bare = _bare(heading)
    if bare in _MEANINGS:
        return _MEANINGS[bare]
    found = {_MEANINGS.get(part.strip()) for part in re.split(r"[/|]", bare)} - {None} if "/" in bare else set()
    return found.pop() if len(found) == 1 else None


def misspelled(heading: str) -> str | None:
    """The heading that one with a typo means: "company" for "Compnay"; None where it means none."""
    bare = _bare(heading)
    if len(bare) < _LEAST_LETTERS or meaning_of(heading) is not None:
        return None
    known = [word for word, meaning in _MEANINGS.items() if meaning in _ASKED and len(word) >= _LEAST_LETTERS]
    found = difflib.get_close_matches(bare, known, n=1, cutoff=_SURE)
    return found[0] if found else None


def _bare(heading: str) -> str:
    text = re.sub(r"\([^()]{0,200}\)|\[[^\[\]]{0,200}\]", " ", unaccented(heading).lower().replace("_", " "))
    return " ".join(re.sub(r"[:*?.!]+", " ", text).split()) or unaccented(heading).lower().strip()


@cache
def read_period(text: str) -> Period | None:
    """The period that a cell holds; None where it holds none."""
    text = re.sub(r"(?<=\d{4})\s?[AaEe]$|\.0$", "", text.strip())
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}(?:[ T]00:00:00)?", text):
        day = given_day(text[:10])
        if day is None:
            return None
        return Period(words=f"at {day.day} {day:%B} {day.year}", years=(day.year,))
    named = periods_in(text)
    if not named or _left_over(text, [(p.start, p.end) for p in named]):
        return None
    opening = "at" if named[0].kind == "day" else "" if named[0].kind in ("relative", "last_years") else "in"
    return Period(words=f"{opening} {text}".strip(), years=tuple(sorted({y for p in named for y in p.years()})))


def _left_over(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The words that stand outside these places and say something of their own."""
    for start, end in reversed(list(spans)):
        text = f"{text[:start]} {text[end:]}"
    return " ".join(
        re.findall(r"[^\W_]{3,}", re.sub(r"\b(?:fye?|gj|year|ended|fiscal|the|for|in)\b", " ", text, flags=re.I))
    )


@cache
def read_unit(text: str) -> Unit | None:
    """The unit that a cell or a bracket holds, such as "EUR m" or "%"; None where it holds something else."""
    bare = " ".join(text.split())
    if len(bare) > 30 or not bare:
        return None
    small = bare.lower()
    if small in (
        "%",
        "percent",
        "pct",
        "prozent",
        "in %",
        "x",
        "times",
        "per share",
        "je aktie",
        "number",
        "#",
        "stk",
        "anzahl",
    ):
        return Unit()
    if small in ("absolute", "full", "units", "ones", "einer"):
        return Unit(scale=1)
    if (alone := scale_of(re.sub(r"^in ", "", small))) is not None:
        return Unit(scale=alone)
    currency, scale = printed_currency(bare), printed_scale(bare)
    if currency is None and bare.upper() in ISO_CODES:
        currency = ISO_CODES[bare.upper()]
    per_share = re.search(r"per share|je aktie", small) is not None
    if currency is None and scale is None and not re.fullmatch(r"(?:in )?[$¥](?: per share)?", small):
        return None
    return Unit(currency=currency, scale=None if scale == 1 or per_share else scale)


_BRACKET = expression(r"^(?P<label>.{1,300}?)\s{0,9}[(\[](?P<unit>[^()\[\]]{1,80})[)\]]\s{0,9}$")
_BEHIND = expression(r"^(?P<label>.{1,300}?)(?:,\s{0,9}|\s{1,9}in\s{1,9}|\s{1,9}[-–]\s{1,9})(?P<unit>[^,]{1,80})$")
_YES_OR_NO = expression(
    r"(?<!\s)\s*+[(\[](?:y(?:es)?\s?/\s?n(?:o)?|j(?:a)?\s?/\s?n(?:ein)?|boolean)[)\]]\s*\??$", re.IGNORECASE
)
_PROSE = expression(
    r"risk|risiken|strateg|description|beschreibung|business model|geschäftsmodell|overview|überblick|outlook|ausblick"
    r"|comment|summary|zusammenfassung|competit|wettbewerb|reason|grund|policy|explanation|erläuterung",
    re.IGNORECASE,
)
_LISTS = expression(
    r"\b(?:directors|board members|executives|officers|products|subsidiaries|segments|brands|customers|vorstände"
    r"|produkte|marken|tochtergesellschaften|segmente)\b",
    re.IGNORECASE,
)
_PERSONS = expression(
    r"\b(?:auditor|abschlussprüfer|founder|gründer|head of \w+|largest shareholder)\b", re.IGNORECASE
)
_OFFICE_TITLES = {
    "chief_executive": "CEO",
    "chief_financial": "CFO",
    "chief_operating": "COO",
    "chair": "chair of the board",
    "president": "president",
}
_GERMAN_OFFICES = {
    "vorstandsvorsitzend": "CEO",
    "vorsitzender des vorstands": "CEO",
    "geschäftsführer": "CEO",
    "finanzvorstand": "CFO",
    "aufsichtsratsvorsitzend": "chair of the board",
}


@cache
def read_label(text: str) -> Label:
    """What a label asks for: its metric, office, list or prose, with the unit and the period that it says."""
    label, unit, period = text.strip(), Unit(), None
    if label.endswith("?") and not _YES_OR_NO.search(label):
        return Label(text=label, is_known=True, question=label, kind=None)
    if _YES_OR_NO.search(label):
        what = _YES_OR_NO.sub("", label)
        return Label(
            text=what,
            is_known=True,
            question=f"Did {{company}} report {_small(what)}?",
            kind="boolean",
            is_money=False,
        )
    for pattern in (_BRACKET, _BEHIND):
        if (found := pattern.match(label)) is None:
            continue
        if (printed := read_unit(found["unit"])) is not None:
            label, unit = found["label"], printed
        elif (when := read_period(found["unit"])) is not None:
            label, period = found["label"], when
    if period is None and not _metric(label):
        named = heading_periods(label)
        if len(named) == 1 and named[0].start > 2 and not label[named[0].end :].strip(" )AE"):
            period = read_period(label[named[0].start :])
            label = label[: named[0].start].rstrip(" (,-–") if period else label
    return _of_label(label, unit, period)


def _of_label(label: str, unit: Unit, period: Period | None) -> Label:
    if office := _office(label):
        question = f"Who was the {office} of {{company}}?"
        return Label(text=label, is_known=True, question=question, kind="name", period=period, is_money=False)
    if found := _metric(label):
        question = f"What was the {found.words} of {{company}}?"
        return Label(
            text=label,
            is_known=True,
            question=question,
            kind="number",
            unit=unit if found.is_money else Unit(scale=unit.scale),
            period=period,
            is_money=found.is_money,
        )
    for pattern, kind, question in (
        (_LISTS, "names", "What are the names of the {label} of {{company}}?"),
        (_PERSONS, "name", "What is the name of the {label} of {{company}}?"),
        (_PROSE, "text", "What does {{company}} report about {label}?"),
    ):
        if pattern.search(label):
            text = question.format(label=_small(label).replace("{", "").replace("}", ""))
            return Label(
                text=label,
                is_known=True,
                question=text,
                kind=cast(AnswerKind, kind),
                period=period,
                is_money=False,
            )
    plain = label.replace("{", "").replace("}", "")
    inferred = kind_in(f"What was the {plain}?")
    kind = inferred if inferred in ("name", "names", "boolean") else "number"
    return Label(
        text=label,
        is_known=False,
        question=f"What was the {plain} of {{company}}?",
        kind=cast(AnswerKind, kind),
        unit=unit,
        period=period,
    )


def _small(label: str) -> str:
    """A label within a sentence: capitals only where they are part of a name or short form."""
    first, _, rest = label.partition(" ")
    return label if first.isupper() else f"{first[:1].lower()}{first[1:]} {rest}".strip()


def _office(label: str) -> str | None:
    small = label.lower()
    for words, title in _GERMAN_OFFICES.items():
        if words in small:
            return title
    bare = re.sub(r"^(?:name of )?(?:the )?(?:current )?|\s*\(?name\)?$", "", label, flags=re.IGNORECASE)
    for role, pattern in CHIEFS.items():
        if any(pattern.fullmatch(form) for form in (bare, bare.title(), bare.upper())):
            return _OFFICE_TITLES.get(role)
    return None


@cache
def _metric(label: str) -> MetricName | None:
    """The metric that a label means."""
    return metric_called(label, _ontology(), _derived())


@cache
def _ontology() -> Ontology:
    return Ontology.load()


@cache
def _derived() -> DerivedMetrics:
    return DerivedMetrics.load(_ontology())


def cell_question(company: str, label: str, period: Period | None = None, currency: str | None = None) -> Question:
    """The question of a cell: in the kind that its metric has; a label that is a question is asked as it stands.

    Raises:
        ValueError: the label names another period.
    """
    read = read_label(label)
    text = with_period(read.question.replace("{company}", company), period or read.period)
    wanted = (currency or read.unit.currency) if read.is_money else None
    return Question(text=text, kind=read.kind, company=company or None, currency=wanted)


def with_period(text: str, period: Period | None) -> str:
    """The question with the period in it; unchanged where it names one of these years, or there is no period.

    Raises:
        ValueError: it names another year.
    """
    if period is None:
        return text
    named = {year for one in periods_in(text) for year in one.years()}
    if named and period.years:
        if not named & set(period.years):
            raise ValueError(f"the question names {', '.join(map(str, sorted(named)))}")
        return text
    mark = text.find("?")
    return f"{text} {period.words}" if mark < 0 else f"{text[:mark].rstrip()} {period.words}{text[mark:]}"


def as_text(cell: CellValue) -> str:
    """A cell as people read it: 2022 and not 2022.0."""
    if cell is None:
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()


_ROWS_TO_LOOK_AT, _COLUMNS_TO_LOOK_AT = 60, 12


def header_rows(sheet: SheetCells) -> list[int]:
    """The rows of the headings of the sheet's tables."""
    scores = [_score(row) for row in sheet.rows[:_ROWS_TO_LOOK_AT]]
    best = max(scores, default=0)
    if not best and not any(_column_score(sheet, c)[0] for c in range(_COLUMNS_TO_LOOK_AT)):
        return []
    start = scores.index(best) if best else -1
    if best < _QUESTION_BONUS:
        score, above = max(((s, -c, r) for c in range(_COLUMNS_TO_LOOK_AT) for s, r in [_column_score(sheet, c)]))[
            ::2
        ]
        start = above if score > best else start
        if start < 0:
            return []
    rows = [start]
    for index in range(start + 1, len(sheet.rows)):
        is_apart = not any(map(as_text, sheet.rows[index - 1]))
        if _is_another_header(sheet.rows[index], sheet.rows[start], is_apart=is_apart):
            rows.append(index)
    return rows


_QUESTION_BONUS = 5


def _score(row: Sequence[CellValue]) -> int:
    """How much a row looks like the headings of a table."""
    texts = [text for cell in row if (text := as_text(cell))]
    is_data = any(text.endswith("?") for text in texts)
    bonus = _QUESTION_BONUS if not is_data and any(meaning_of(text) == "question" for text in texts) else 0
    return bonus + len({text for text in texts if is_heading(text)})


def is_heading(text: str) -> bool:
    """Whether a text may stand over a column: it has a meaning, or names a metric, a period or a question."""
    return meaning_of(text) not in (None, "other") or is_period(text) or read_label(text).is_known


def is_period(text: str) -> bool:
    """Whether a text is a period and nothing else."""
    return any(map(str.isdigit, text)) and read_period(text) is not None and not text.endswith("?")


def _column_score(sheet: SheetCells, column: int) -> tuple[int, int]:
    """How many labels of metrics and periods stand below each other, and the row of the headings above them.

    Rows of currencies, tickers and years between the two count as labels.
    """
    cells = [as_text(row[column]) if column < len(row) else "" for row in sheet.rows]
    labels = [n for n, text in enumerate(cells) if text and (is_period(text) or read_label(text).is_known)]
    if not labels:
        return 0, -1
    row, keys = labels[0] - 1, 0
    while row > 0 and not _has_right(sheet, row, column) and labels[0] - row < _COLUMNS_TO_LOOK_AT:
        row -= 1
    while (
        row > 0
        and meaning_of(cells[row]) in ("currency", "ticker", "unit", "period")
        and _has_right(sheet, row - 1, column)
    ):
        row -= 1
        keys += 1
    return (len(labels) + keys, row) if row >= 0 and _has_right(sheet, row, column) else (0, -1)


def _has_right(sheet: SheetCells, row: int, column: int) -> bool:
    return any(as_text(cell) for cell in sheet.rows[row][column + 1 :])


def _is_another_header(row: Sequence[CellValue], first: Sequence[CellValue], *, is_apart: bool) -> bool:
    """Whether a row below the first headings begins a table of its own.

    A company may be called as a heading is, such as Target: without an empty row above, only the same heading or
    nothing but headings begin a table.
    """
    texts = [text for cell in row if (text := as_text(cell))]
    meanings = [meaning_of(text) for text in texts]
    known = sum(meaning in ("question", *KEYS) for meaning in meanings)
    is_question = "question" in meanings and known >= 2 and not any(text.endswith("?") for text in texts)
    had_question = any(meaning_of(as_text(cell)) == "question" for cell in first)
    is_grid = len(texts) > 1 and meanings[0] in ("company", "metric") and all(map(is_heading, texts))
    is_new = (
        is_apart or known == len(texts) or texts[:1] == [text for cell in first if (text := as_text(cell))][:1]
    )
    return is_question if had_question else is_question or (is_grid and is_new)
