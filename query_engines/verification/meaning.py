"""Checks whether what is cited is what was asked: its dimension, its row, the shape of a name, and its sentences."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal

from indexes.facts.printed_rows import PrintedRow, table_rows
from indexes.facts.rows import is_opening
from prompts.drafts import Evidence
from prompts.kinds.text import Sentence, TextDraft
from query_engines.question.classifier import SAYS_NOTHING, label_words
from query_engines.question.parsed import FactMatch, ParsedQuestion
from query_engines.verification.printed_figures import figure_on, has_money_sign
from query_engines.verification.quotes import locate
from query_engines.verification.units import places_of
from storage.amounts import parse_figure
from storage.lexicon.names import FORM_IN_SENTENCES
from storage.lexicon.periods import periods_in, without_periods
from storage.lexicon.words import EXCEPT, ITSELF, SMALL_WORDS, expression, opposite_in, unaccented
from storage.records.answers import Check, CheckName, Dimension, Verdict
from storage.records.facts import Period
from storage.records.metrics import Metric, folded, significant
from storage.records.pages import Page, Table
from storage.records.queries import Query
from storage.records.reports import Report
from storage.text import SAME, plain, stems, words

# Whole figures, thousands separated by commas; not a part of a name such as "10-K" or "2022/23".
_FIGURE = expression(r"(?<![\w.,/-])(?>\d{1,3}(?:,\d{3})+|\d+)(?>\.\d+)?+(?!-?[A-Za-z])")
_SCALES = tuple(Decimal(10) ** power for power in (0, 3, 6, 9, -3, -6, -9))


_ASKED_WORDS: dict[Dimension, str] = {
    "money": "an amount of money",
    "count": "a number of things",
    "percent": "a percentage",
    "ratio": "a ratio",
    "per share": "a figure per share",
    "days": "a number of days",
    "date": "a date",
}
_THOUSAND = 1_000
_BEGINNING = 5  # letters of a word that stand for it and what is made of it: employ, employees
# Words that make another row of a label: what has one is not what has none.
_QUALIFYING = """
impairment accumulated deferred discontinued adjusted forma unrealized unrealised milestone noncontrolling restricted
parent budgeted
"""
_QUALIFIERS = frozenset(_QUALIFYING.split())
_Cited = tuple[Table, PrintedRow, Period | None]
_ASSETS_OF_OTHERS = expression(
    r"(?i)\b(?:under|in|sous|bajo) (?:management|administration|custody|gestion[e]?|gestión)\b|\bau[mac]\b"
    r"|\bverwaltete\w*|\b(?:risk-weighted|non-?performing) assets\b"
)
_RATIO = expression(r"(?i)[a-z] to (?:average|total|net|gross|risk-weighted) [a-z]")
_OF_RATIOS = expression(r"(?i) to |ratio|percent|%|rate|return| / ")
_PER_SHARE = expression(
    r"(?P<figure>\d?[\d,]{0,12}\.?\d{1,6}) (?:per|a) (?:common |ordinary )?share\b", re.IGNORECASE
)
_RATE = expression(r"\b(?:rate|ratio|margin|yield|percentage)s?$", re.IGNORECASE)
# "Total cash" is the cash.
_CHANGING_NOTHING = "total net group consolidated balance amount value year company other sum and or"
_EMPTY = frozenset(_CHANGING_NOTHING.split())
_TOTAL, _RESTRICTED = frozenset({"total"}), significant("restricted")
_JOINING = (
    "with before after without on at la le les de du des d l el los il lo par por per von vor nach mit bei une un"
)
_EMPTY_STEMS = stems(" ".join((_CHANGING_NOTHING, _JOINING, *SMALL_WORDS.values())))
_TITLE_WORD = expression(
    r"\b(?:chief|officer|president|chair(?:man|woman|person)?|director|executive|representative|secretary|treasurer"
    r"|head|manager|member|counsel|partner|trustee|auditor|CEO|CFO|COO|vorstand\w*|aufsichtsrat\w*)\b",
    re.IGNORECASE,
)
_SEVERAL_NAMES = expression(r"\S{1,40}+ [^,;]{1,60}(?:[,;]| and | & )\s?\S{1,40}+ \S.{0,60}")
_FIRM = expression(rf"\b(?:[A-Z][\w&.-]{{0,30}} ){{1,4}}(?:Group|Holdings|Bank|Trust|{FORM_IN_SENTENCES})(?!\w)")
_FIRMS = significant("group holdings holding bank trust company corporation limited")
_ITSELF = expression(rf"(?i:\b(?:we|our|us)\b)|\b[Tt]he {ITSELF}\b")
# A noun before one of these is no thing of its own: "risk" in "risk officer".
_HEADS = r"(?:management|officers?|committees?|managers?|departments?|directors?|teams?|functions?)"


def check_dimension(question: ParsedQuestion, evidence: Sequence[Evidence]) -> Check:
    """Check whether the printed figure is of the dimension asked: shares are no euros, a percentage is no amount."""
    asked, cited = question.dimension, next((e for e in evidence if e.printed_figure), None)
    if cited is None or asked not in _ASKED_WORDS:
        return _check("dimension", "not_applicable", "the question leaves it open")
    figure = cited.printed_figure or ""
    _, _, after = cited.quote.partition(figure)
    behind = after.lstrip()[:8].lower()
    is_percent = "%" in figure or behind.startswith(("%", "per cent", "percent"))
    is_scaled = cited.currency is not None and ((cited.scale or 1) >= _THOUSAND or "." in figure)
    is_money = has_money_sign(figure, cited.quote) or (is_scaled and not is_percent)
    is_rate = _RATE.search(question.query.subject.rstrip(" ?.")) is not None
    is_year = _is_year(figure, cited.quote)
    is_wrong = (
        is_year
        or {
            "money": is_percent or (is_rate and (cited.scale or 1) >= _THOUSAND),
            "count": is_percent or is_money,
            "percent": is_money and (cited.scale or 1) >= _THOUSAND,
            "ratio": is_money and (cited.scale or 1) >= _THOUSAND,
            "per share": is_percent
            or (cited.scale or 1) >= _THOUSAND
            or _is_beside_one_per_share(figure, cited.quote),
            "days": is_money,
            "date": True,
        }[asked]
    )
    printed = "a percentage" if is_percent else "an amount of money" if is_money else "a number"
    printed = "a year" if is_year else printed
    if is_wrong:
        return _check("dimension", "failed", f"{_ASKED_WORDS[asked]} was asked, and {figure} is {printed}")
    return _check("dimension", "passed", f"it is {_ASKED_WORDS[asked]}, as asked")


def _is_beside_one_per_share(figure: str, quote: str) -> bool:
    """Whether the passage prints another figure per share in its words: "Dividends ($.850 per share) (15,054)"."""
    told = [parse_figure(match["figure"].rstrip(".,")) for match in _PER_SHARE.finditer(quote)]
    return bool(told) and parse_figure(figure.strip()) not in told


def _is_year(figure: str, quote: str) -> bool:
    """Whether what was taken for a figure is a year that the passage names."""
    return any(figure.strip() == quote[p.start : p.end] and p.kind == "year" for p in periods_in(quote))


def check_row(
    question: ParsedQuestion,
    facts: FactMatch,
    evidence: Sequence[Evidence],
    pages: Mapping[int, Page],
    *,
    drawn_from_table: bool,
) -> Check:
    """Check whether the figure's row says what was asked, no more and no less."""
    cited = list(_rows_of(evidence, pages))
    if not cited:
        return _check_prose(question, facts, evidence, pages, drawn_from_table=drawn_from_table)
    opening = [row for _, row, period in cited if is_opening(row.label, period)]
    if len(opening) == len(cited) and not facts.is_opening:
        return _check("row", "failed", f"{opening[0].label!r} is the balance at the beginning of the period")
    label, asked = cited[0][1].label, significant(question.query.subject)
    if another := _another(question, cited, drawn_from_table):
        return _check("row", "failed", another)
    if any(_says(row) == asked for _, row, _ in cited):
        return _check("row", "passed", f"{label!r} says what was asked")
    excluded = _without(question)
    if fault := _fault_of(question, facts, asked, cited, drawn_from_table):
        return _check("row", "failed", fault)
    named = significant(question.company.name) if question.company else frozenset[str]()
    wanted = asked - excluded - SAYS_NOTHING - named
    metric = facts.metric if facts.is_stored else question.intent.sole_metric  # also where no facts are kept
    if metric is not None:
        return _check_metric(metric, facts, wanted, cited, drawn_from_table)
    of_labels = frozenset[str]().union(*(_says(row) for _, row, _ in cited))
    if question.language == "en" and (
        strange := sorted((of_labels & _QUALIFIERS) - significant(question.query.search))
    ):
        return _check("row", "failed", f"{label!r} says {', '.join(strange)}, which was not asked")
    if not drawn_from_table:
        return _check("row", "not_applicable", f"{label!r} is the row; no known metric was asked")
    return _check_words(facts, wanted, cited)


def _another(question: ParsedQuestion, cited: Sequence[_Cited], drawn_from_table: bool) -> str:
    """How the cited rows say that they are of another thing than a question's; "" where they do not."""
    label, text = cited[0][1].label, question.query.search
    where = _around(cited)
    if (others := _ASSETS_OF_OTHERS.search(text)) and not _ASSETS_OF_OTHERS.search(where):
        return f"{label!r} does not say {others[0]!r}, which was asked"
    if drawn_from_table and _RATIO.search(text) and not _OF_RATIOS.search(where):
        return f"{label!r} is no ratio"
    if drawn_from_table and says_restricted(text) and not says_restricted(where):
        return f"{label!r} does not say 'restricted', which was asked"
    if opposite := opposite_in(text, " ".join(row.label for _, row, _ in cited)):
        return f"{label!r} says {opposite!r}, and another one was asked"
    if drawn_from_table and (longer := _own_row(cited, None, question)):
        return f"{longer!r} is written in the question, not {label!r}"
    return ""


def says_restricted(text: str) -> bool:
    """Whether a text says "restricted", and not only that this is left out."""
    return significant(text) - _excluded(text) >= _RESTRICTED


def _check_prose(
    question: ParsedQuestion,
    facts: FactMatch,
    evidence: Sequence[Evidence],
    pages: Mapping[int, Page],
    *,
    drawn_from_table: bool,
) -> Check:
    """Whether the sentences of figures that stand in no row speak of the metric that was asked.

    Rules choose their sentences by more than this, so one word of it is enough for what they found.
    """
    metric = facts.metric if facts.is_stored else question.intent.sole_metric
    others = [_other_firm(e.quote, question.company.name) for e in evidence] if question.company else []
    if others and all(others):
        return _check("row", "failed", f"the sentence speaks of {others[0]}, and not of the company")
    texts = [text for e in evidence if e.printed_figure for text in _under_headings(e.quote, pages[e.page])]
    text, subject = " ".join(texts), question.query.subject
    if metric is None or not texts or speaks_of(metric, subject, text, by_one_word=drawn_from_table):
        return _check("row", "not_applicable", "the figure stands in no table's row")
    return _check("row", "failed", f"the sentence that prints the figure does not speak of {metric.title}")


def _other_firm(quote: str, company: str) -> str:
    """The firm that a sentence names where it says nothing of the company itself; "" where it names none, or both."""
    is_own = _ITSELF.search(quote) is not None or not significant(company).isdisjoint(significant(quote) - _FIRMS)
    named = None if is_own else _FIRM.search(quote)
    return named[0] if named else ""


def speaks_of(metric: Metric, subject: str, text: str, *, by_one_word: bool = False) -> bool:
    """Whether a text has every word of one name of a metric, or of what a question calls it, in any of their forms.

    With `by_one_word`, one of the words is enough. People who are counted have many names: "personnel".
    """
    names = (metric.title, *metric.question_names, *metric.names, subject)
    said = stems(text)
    for name in names:
        wanted = [word for word in stems(name) - _EMPTY_STEMS if len(word) > 1]
        alike = [SAME.get(word, frozenset()) | {word} if metric.kind == "count" else {word} for word in wanted]
        found = [
            any(_is_of_one_word(said, each) or (not each.isascii() and each in text) for each in forms)
            for forms in alike
        ]
        if any(found) and (by_one_word or all(found)):
            return True
    return False


def _is_of_one_word(known: Collection[str], word: str) -> bool:
    """Whether a word is one of some, or begins with one, or one begins with it: "revenues", "Umsatzerlöse"."""
    return word in known or any(
        min(len(word), len(name)) >= _BEGINNING and (word.startswith(name) or name.startswith(word))
        for name in known
    )


def _under_headings(quote: str, page: Page) -> Iterator[str]:
    """A quote with the heading of each paragraph that prints it; the paragraph where the quote has no word."""
    heading, is_told = "", any(word.isalpha() for word in words(quote))
    for block in page.blocks:
        if block.kind == "heading":
            heading = block.text
        if locate(quote, page.model_copy(update={"blocks": (block,)})):
            yield f"{heading} {quote if is_told else block.text}"


def _fault_of(
    question: ParsedQuestion,
    facts: FactMatch,
    asked: frozenset[str],
    cited: Sequence[_Cited],
    drawn_from_table: bool,
) -> str:
    """Why the first cited row is another one than asked, whatever the metric; empty where it may be the one."""
    label, excluded = cited[0][1].label, _without(question)
    if left_out := _left_out(label, asked, question.query.search):
        return f"{label!r} leaves out {left_out}, which was asked"
    is_named = facts.metric is not None and asked in _names_of(facts.metric)
    if drawn_from_table and not is_named and (own := _own_row(cited, asked, question)):
        return f"{own!r} is the row of these words, not {label!r}"
    if excluded and excluded <= _said(cited) and not EXCEPT.search(label):
        return f"{label!r} says {', '.join(sorted(excluded))}, which was to be left out"
    return ""


def _check_metric(
    metric: Metric, facts: FactMatch, asked: frozenset[str], cited: Sequence[_Cited], drawn_from_table: bool
) -> Check:
    """Whether the row is one of the metric, and says every word of a label that was asked."""
    label = cited[0][1].label
    known = _said(cited).union(*_names_of(metric), *map(significant, (*metric.names, *metric.implied)))
    is_label = (
        asked - known <= label_words() | _EMPTY
    )  # else it is written as people talk, with words that say nothing
    said = stems(" ".join(known))  # "pay" is said by "paid"
    unsaid = sorted(word for word in asked - known - _EMPTY - SAYS_NOTHING if stems(word).isdisjoint(said))
    if drawn_from_table and is_label and unsaid:
        return _check("row", "failed", f"{label!r} does not say {', '.join(unsaid)}, which was asked")
    is_from_facts = facts.fact is not None and drawn_from_table
    if is_from_facts or any(metric.place(row.label, row.heading) is not None for _, row, _ in cited):
        return _check("row", "passed", f"{label!r} is a row of {metric.title}")
    if all(metric.means_another(row.label) for _, row, _ in cited):
        return _check("row", "failed", f"{label!r} is not {metric.title}")
    row = cited[0][1]
    others = () if drawn_from_table else facts.others
    if (other := next((m for m in others if m.place(row.label, row.heading) is not None), None)) is not None:
        return _check("row", "failed", f"{label!r} is a row of {other.title}, not of {metric.title}")
    if not drawn_from_table and not any(_is_its_row(metric, " ".join(asked), each) for each in cited):
        return _check("row", "failed", f"{label!r} does not speak of {metric.title}")
    return _check("row", "not_applicable", f"{label!r} is no usual name of {metric.title}")


def _check_words(facts: FactMatch, asked: frozenset[str], cited: Sequence[_Cited]) -> Check:
    """Whether a row that is of no known metric says what was asked; the part of a figure need not name the figure."""
    label, said, core = cited[0][1].label, _said(cited), asked - _EMPTY
    is_part = facts.fact is not None
    headers = frozenset[str]().union(*(significant(_header_of(table, row)) for table, row, _ in cited))
    unsaid = sorted(core - said - headers)
    if not is_part and unsaid and core <= label_words() | said:
        return _check("row", "failed", f"{label!r} does not say {', '.join(unsaid)}, which was asked")
    is_more = core < said and (said - core - _EMPTY) & label_words()
    if not core & said | headers or (is_part and is_more):
        return _check("row", "failed", f"{label!r} is another row than the one asked for")
    return _check("row", "passed", f"{label!r} says what was asked")


def misfit(
    question: ParsedQuestion,
    facts: FactMatch,
    evidence: Sequence[Evidence],
    pages: Mapping[int, Page],
) -> Check | None:
    """The check of the dimension or the row that a figure from the fact table or from a row fails, if any."""
    cited = [e for e in evidence if e.page in pages]
    checks = (
        check_dimension(question, cited),
        check_row(question, facts, cited, pages, drawn_from_table=True),
    )
    return next((check for check in checks if check.verdict == "failed"), None)


def is_row_itself(question: ParsedQuestion, evidence: Sequence[Evidence], pages: Mapping[int, Page]) -> bool:
    """Whether a cited row has the very words of a change that was asked, such as "Decrease in fair value"."""
    asked = significant(question.query.subject) - _TOTAL
    cited = [e for e in evidence if e.page in pages]
    return any(_says(row) - _TOTAL == asked for _, row, _ in _rows_of(cited, pages))


def _said(cited: Sequence[_Cited]) -> frozenset[str]:
    """The words of the cited rows and of the headings above them."""
    return frozenset[str]().union(*(significant(f"{row.label} {row.heading}") for _, row, _ in cited))


def _is_its_row(metric: Metric, asked: str, cited: _Cited) -> bool:
    """Whether a row names a metric, or stands for the whole of a table or column that does.

    "Total" below "Employees" does; "Germany" there is a part, unless the question asks for it.
    """
    row = cited[1]
    if speaks_of(metric, asked, f"{row.heading} {row.label}"):
        return True
    said = stems(without_periods(row.label)) - _EMPTY_STEMS - stems(f"{asked} {metric.title}")
    return not any(map(str.isalpha, "".join(said))) and speaks_of(metric, asked, _around([cited]))


def _around(cited: Sequence[_Cited]) -> str:
    """Whatever is printed around the cited figures to say what they are: labels, headings, headers and titles."""
    return " ".join(
        f"{table.title} {table.columns[0].header if table.columns else ''} {row.heading} {row.label}"
        f" {_header_of(table, row)}"
        for table, row, _ in cited
    )


def _says(row: PrintedRow) -> frozenset[str]:
    return significant(folded(row.label))


def _names_of(metric: Metric) -> frozenset[frozenset[str]]:
    """The names that questions use for a metric, and its title."""
    return frozenset(map(significant, (metric.title, *metric.question_names)))


def _own_row(cited: Sequence[_Cited], asked: frozenset[str] | None, question: ParsedQuestion) -> str:
    """The label of another row of a cited table that says just what was asked; empty where there is none.

    Args:
        cited: the rows.
        asked: the words of such a row; None looks only for a longer label that the question writes in full.
        question: which may write a label.
    """
    for table, cited_row, _ in cited:
        for row in table_rows(table, cited_row.page_number):
            is_longer = _says(row) > _says(cited_row) and question.writes(row.label)
            if row.figures and (_says(row) == asked or is_longer):
                return row.label
    return ""


def _left_out(label: str, asked: frozenset[str], question: str) -> str:
    """What a label leaves out although it was asked for: the current portion in "debt, net of current portion"."""
    match = EXCEPT.search(label)
    if match is None or match["word"].lower() in question.lower():
        return ""
    out = significant(match["what"]) & asked - significant(label[: match.start()])
    return match["what"].strip() if out and out >= significant(match["what"]) - _EMPTY else ""


def _excluded(text: str) -> frozenset[str]:
    """What a text leaves out of what it names."""
    match = EXCEPT.search(text)
    return significant(match["what"]) - _EMPTY if match else frozenset()


def _without(question: ParsedQuestion) -> frozenset[str]:
    """What it leaves out of the thing it asks for: the maturities in "debt net of current maturities"."""
    return significant(question.query.conditions.without) - _EMPTY


def _header_of(table: Table, row: PrintedRow) -> str:
    return " ".join(table.columns[f.column].header for f in row.figures if 0 <= f.column < len(table.columns))


def _rows_of(evidence: Sequence[Evidence], pages: Mapping[int, Page]) -> Iterator[_Cited]:
    """The rows of the cited figures, each with its table and the period of the figure's column."""
    for cited in evidence:
        page = pages[cited.page]
        figure = figure_on(cited.printed_figure or "", page)
        for table, cell in places_of(figure, cited.quote, page) if figure is not None else ():
            row = next((r for r in table_rows(table, page.page_number) if r.row == cell.row), None)
            column = table.columns[cell.column] if cell.column < len(table.columns) else None
            if row is not None and row.label:
                yield table, row, column.period if column else None


def check_name(question: ParsedQuestion, value: object, evidence: Sequence[Evidence] = ()) -> Check:
    """Check the shape and the place: a person's name holds no title and stands in the passage; a title is no person."""
    if question.dimension == "person" and isinstance(value, str):
        if _TITLE_WORD.search(value) or any(map(str.isdigit, value)):
            return _check("name", "failed", f"{value!r} holds a title or a figure, not a name alone")
        if _SEVERAL_NAMES.fullmatch(value.strip()):
            return _check("name", "failed", f"{value!r} is more than one name")
        if evidence and not any(same_person(value, each.quote) for each in evidence):
            return _check("name", "failed", f"the passage does not name {value!r}")
        return _check("name", "passed", "a name without a title")
    if question.dimension == "titles" and isinstance(value, list | tuple):
        strange = [str(each) for each in value if not _TITLE_WORD.search(str(each))]
        if strange:
            return _check("name", "failed", f"{strange[0]!r} is no title")
        return _check("name", "passed", "titles of positions")
    return _check("name", "not_applicable", "no person and no title was asked")


def same_person(name: str, text: str) -> bool:
    """Whether a text has the first and the last word of a name, whatever initials stand between them: "J.Ray Lee"."""
    wanted, said = (words(unaccented(each.replace(".", ". "))) for each in (name, text))
    return bool(wanted) and {wanted[0], wanted[-1]} <= set(said)


def check_subject(question: ParsedQuestion, evidence: Sequence[Evidence]) -> Check:
    """Check whether a quoted sentence is about the thing asked, and does not only have its word inside a name."""
    asked = sorted(w for w in significant(question.query.subject) if len(w) > 3)
    quotes = [e.quote for e in evidence]
    beside = [word for word in asked if any(re.search(rf"\b{re.escape(word)}", q, re.IGNORECASE) for q in quotes)]
    if not beside:
        return _check("sentence", "not_applicable", "the passages say it in other words")
    is_a_name = (
        word for word in beside if not names_the_thing(word, question.query.search)
    )  # "the spin-off of SG DevCorp"
    if any(names_the_thing(word, quote) for word in beside for quote in quotes) or any(is_a_name):
        return _check("sentence", "passed", "a quoted sentence is about it")
    return _check("sentence", "failed", f"the quoted sentences have {beside[0]!r} only inside another name")


def names_the_thing(word: str, text: str) -> bool:
    """Whether a text has the word as a thing of its own, and not inside a title such as "Chief Risk Officer"."""
    found = re.finditer(rf"\b{re.escape(word)}\w{{0,3}}\b(?! {_HEADS}\b)", text, re.IGNORECASE)
    return any(not (m[0][:1].isupper() and re.search(r"(?<!\w)[A-Z]\w+ $", text[: m.start()])) for m in found)


def _check(name: CheckName, verdict: Verdict, detail: str) -> Check:
    return Check(name=name, verdict=verdict, detail=detail)


def check_sentences(draft: TextDraft, query: Query, report: Report, pages: Mapping[int, Page]) -> Check:
    """Check each sentence against its passages and their pages.

    A figure passes if those pages print it, also rounded or in another unit. Exempt are counts below ten, figures of
    the question, and the day and years of the report's period.
    """
    answer = draft.final_answer
    sentences = answer if isinstance(answer, list) else []
    years = (period.period.year for period in query.periods if period.period.year is not None)
    forgiven = {*map(Decimal, range(10)), *_figures(query.search), *map(Decimal, years)}
    if end := report.period_end:
        forgiven |= {Decimal(end.day), Decimal(end.year), Decimal(end.year - 1)}
    mismatches = [
        f"sentence {number} of {len(sentences)} {mismatch}"
        for number, sentence in enumerate(sentences, start=1)
        if (mismatch := _mismatch(sentence, draft.evidence, forgiven, pages)) is not None
    ]
    if mismatches:
        return Check(name="sentences", verdict="failed", detail="; ".join(mismatches))
    return Check(
        name="sentences", verdict="passed", detail=f"{len(sentences)}, each with a passage that is printed"
    )


def _mismatch(
    sentence: Sentence, evidence: list[Evidence], forgiven: set[Decimal], pages: Mapping[int, Page]
) -> str | None:
    if not sentence.evidence_numbers:
        return f"points at no passage: {sentence.text!r}"
    if foreign := [n for n in sentence.evidence_numbers if not 1 <= n <= len(evidence)]:
        return f"points at passage {foreign[0]}, of {len(evidence)} that were cited"
    cited = [evidence[n - 1] for n in sentence.evidence_numbers]
    missing = [e for e in cited if e.page not in pages or locate(e.quote, pages[e.page]) is None]
    if missing:
        return f"rests on a passage that is not printed on page {missing[0].page}: {missing[0].quote!r}"
    printed = {figure for e in cited for text in _texts(pages[e.page]) for figure in _figures(text)}
    stated = (figure for figure in _figures(sentence.text) if figure not in forgiven)
    foreign_figure = next((f for f in stated if not any(_is_rounded(f, other) for other in printed)), None)
    return None if foreign_figure is None else f"says {foreign_figure}, which is not printed on {_listed(cited)}"


def _is_rounded(figure: Decimal, printed: Decimal) -> bool:
    """Whether the figure is the printed one, in any unit, rounded to the figure's last digit."""
    last_digit = Decimal(1).scaleb(int(figure.as_tuple().exponent))
    return any(abs(printed * scale - figure) <= last_digit / 2 for scale in _SCALES)


def _texts(page: Page) -> Iterator[str]:
    for block in page.blocks:
        yield block.text
        yield from (cell.text for cell in block.table.cells) if block.table else ()


def _figures(text: str) -> Iterator[Decimal]:
    for match in _FIGURE.finditer(plain(text)):
        yield Decimal(match[0].replace(",", ""))


def _listed(cited: list[Evidence]) -> str:
    return "page " + " or ".join(map(str, dict.fromkeys(e.page for e in cited)))
