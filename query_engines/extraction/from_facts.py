"""Drafts from the fact table: a metric's value, an officer's name, whether something happened."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from prompts.drafts import Draft, Evidence, drafted
from prompts.kinds.boolean import BooleanDraft
from prompts.kinds.name import NameDraft
from prompts.kinds.number import NumberDraft
from prompts.kinds.text import Sentence, TextDraft
from query_engines.calculation.derivation import Derivation
from query_engines.calculation.part_figures import PartsFound, shown_name
from query_engines.question.parsed import FactMatch
from query_engines.verification.printed_figures import cells_with, figure_on
from query_engines.verification.quotes import locate
from storage.lexicon.answer_words import ANSWER_WORDS
from storage.records.derived_metrics import Judgement
from storage.records.facts import Event, Fact, FactCheckName, PrintedPart, Seat
from storage.records.pages import Cell, Page, Table
from storage.text import capital

_SIZES = ANSWER_WORDS["en"].scales
_CONFIRMED: dict[FactCheckName, str] = {
    "balance": "The balance sheet balances.",
    "subtotals": "It is the sum of its parts.",
    "cash_tie": "The cash flow statement gives the same figure.",
    "cash_flow_sum": "The cash flows add up.",
    "per_share": "It fits the earnings per share.",
    "prior_report": "The report of the year before gives the same figure.",
    "prose": "A sentence of the report gives the same figure.",
}


_IN_TABLE = "In the report's fact table: "
_IN_PARTS = "The parts of the table add up to its total."
_SAME = ", which agrees."
_UNCONFIRMED = "Nothing else in the report confirms it."
_AGREES = Decimal("0.01")  # of the figure; the printed one may be rounded


def draft_from_facts(query: str, facts: FactMatch, pages: Sequence[Page]) -> Draft | None:
    """A draft from the fact table; None where the table has no answer or its page is not among the given ones."""
    given = {page.page_number: page for page in pages}
    if facts.fact is not None and facts.fact.page_number in given:
        told = _beside(facts.fact, facts.derivation)
        trust = f"{_trust(facts.fact, is_calculated=told.endswith(_SAME))}{told}"
        return draft_of_figure(query, facts.fact, given[facts.fact.page_number], trust, _IN_TABLE)
    if facts.calculated is not None and given.keys() >= set(facts.calculated.pages):
        made = _calculated(query, facts.calculated, given)
        beside = [d for derivation in facts.beside if (d := _calculated(query, derivation, given)) is not None]
        return (
            _judged(query, made, beside, facts.judgement, facts.calculated) if made and facts.judgement else made
        )
    if facts.person is not None and facts.person.page_number in given:
        return _name(query, facts.person, given[facts.person.page_number])
    if facts.events and facts.events[0].page_number in given:
        return _yes(query, facts.events, given[facts.events[0].page_number])
    return None


def draft_of_parts(query: str, found: PartsFound, form: type[Draft], page: Page) -> Draft:
    """A draft with the names of the parts that a question asks for, each with its printed row."""
    breakdown, names = found.breakdown, found.names
    what = breakdown.title or breakdown.subject
    summary = f"{', '.join(names)}. {found.statement} ({what}, page {breakdown.page_number})."
    rows = [breakdown.total] if breakdown.is_row else [*found.chosen, breakdown.total]
    quotes = dict.fromkeys(quote for row in rows if (quote := _row_of(row, page)))
    evidence = [Evidence(page=page.page_number, quote=quote) for quote in quotes]
    answer = names[0] if form is NameDraft else list(names)
    return drafted(form, query, answer, summary, evidence, f"{summary} {_IN_PARTS}")


def draft_of_each(query: str, found: PartsFound, page: Page) -> TextDraft | None:
    """A draft with the figure of each part, and that of the year before where its row has it, and their total."""
    breakdown, total = found.breakdown, found.breakdown.total
    size = _SIZES.get(int(breakdown.scale or 1), "")
    currency = None if breakdown.is_percent else breakdown.currency
    unit = " of ".join(filter(None, (f"{size}s" if size else "", currency)))
    said: list[tuple[str, str]] = []
    for part in (*found.chosen, total):
        now = part.of(found.year)
        before = part.of(found.year - 1) if found.year and found.year - 1 in breakdown.years else None
        quote = _row_of(part, page)
        if now is None or not quote:
            return None
        name = (total.name or breakdown.subject or "Total") if part is total else shown_name(breakdown, part)
        earlier = f" ({found.year - 1}: {before.printed})" if before is not None and found.year else ""
        said.append((f"{name}: {now.printed}{earlier}{f', in {unit}' if unit and part is total else ''}.", quote))
    what = breakdown.title or breakdown.subject
    summary = f"{what}, page {breakdown.page_number}: {' '.join(text for text, _ in said)}"
    answer = [Sentence(text=text, evidence_numbers=[n]) for n, (text, _) in enumerate(said, 1)]
    evidence = [passage(page, quote) for _, quote in said]
    return drafted(TextDraft, query, answer, summary, evidence, f"{summary} {_IN_PARTS}")


def _row_of(part: PrintedPart, page: Page) -> str:
    """A part's row as printed, as far as its last figure."""
    boxes = {value.box for value in part.values if value.box}
    found = [(table, cell) for table in page.tables for cell in table.cells if cell.box in boxes]
    return row_quote(*max(found, key=lambda pair: pair[1].column)) if found else ""


def _beside(fact: Fact, derivation: Derivation | None) -> str:
    """The calculated figure of the same name, as a check of the printed one; empty where there is none."""
    if derivation is None or derivation.value is None or derivation.metric.printed != fact.metric:
        return ""
    differs = abs(derivation.value - fact.value) > abs(fact.value) * _AGREES
    why = "; the report counts it by a definition of its own, which comes first." if differs else _SAME
    return f" Calculated as {derivation.in_words}, it is {derivation.shown}{why}"


def draft_of_figure(query: str, fact: Fact, page: Page, trust: str, where: str = "") -> NumberDraft:
    """A draft with one printed figure, from its page, with where it was found and how sure it is."""
    period = fact.period.printed.removeprefix("For ") or fact.period.end.isoformat() if fact.period else None
    unit = (
        f", one unit being {fact.scale.normalize():,f} {fact.currency or ''}".rstrip() if fact.scale != 1 else ""
    )
    how = (
        f"{where}{fact.row_label!r} on page {fact.page_number} says {fact.printed}{unit}, "
        f"for {period or 'a period that is not printed'}. {trust}"
    )
    summary = f"{fact.row_label.rstrip('.')}: {fact.printed} (page {fact.page_number}). {trust}"
    return drafted(NumberDraft, query, float(fact.value), summary, _evidence(fact, page), how)


def _calculated(query: str, derivation: Derivation, pages: Mapping[int, Page]) -> NumberDraft | None:
    """A figure calculated from others, each with its passage; None where it could not be calculated."""
    if derivation.value is None or not pages.keys() >= set(derivation.pages):
        return None
    title, is_one_line = derivation.metric.title, len(derivation.operands) == 1
    made_of = "" if is_one_line else f" = {derivation.in_words} = {derivation.in_figures}"
    result = f"{capital(title)}: {derivation.shown}{made_of}"
    places = "; ".join(
        f"{o.fact.row_label!r} {o.fact.printed} on page {o.fact.page_number}" for o in derivation.operands
    )
    others = "".join(f" By another definition ({text}): {shown}." for text, shown in derivation.other_results)
    evidence = [e for o in derivation.operands for e in _evidence(o.fact, pages[o.fact.page_number])]
    how = f"Calculated from the report's fact table. {result}. Read: {places}.{others}"
    return drafted(NumberDraft, query, float(derivation.value), f"{result}.{others}", evidence, how)


def _judged(
    query: str,
    calculated: NumberDraft,
    beside: Sequence[NumberDraft],
    judgement: Judgement,
    derivation: Derivation,
) -> BooleanDraft:
    """A yes or no that rests on a calculated figure and a threshold, with further figures beside it."""
    holds = judgement.holds(derivation.value or Decimal(0))
    verdict = f"{'Yes' if holds else 'No'}. Searched for {judgement.rule(derivation.metric)}."
    further = "".join(f" Beside it: {draft.reasoning_summary}" for draft in beside)
    evidence = [evidence for draft in (calculated, *beside) for evidence in draft.evidence]
    summary = f"{verdict} {calculated.reasoning_summary}{further}"
    return drafted(BooleanDraft, query, holds, summary, evidence)


def _evidence(fact: Fact, page: Page) -> list[Evidence]:
    """Each printed figure of a fact with the passage that prints it."""
    period = fact.period.printed or fact.period.end.isoformat() if fact.period else None
    return [
        Evidence(
            page=fact.page_number,
            quote=quote,
            printed_figure=printed,
            scale=int(fact.scale) if fact.scale >= 1 else None,
            currency=fact.currency,
            period=period,
        )
        for printed, quote in _printed(fact, page)
    ]


def _name(query: str, person: Seat, page: Page) -> NameDraft:
    told = f"{person.name} stands beside {person.title!r} on page {person.page_number}."
    evidence = [passage(page, person.quote, person.name)]
    told = f"{told} Confidence: {person.confidence}."
    return drafted(NameDraft, query, person.name, told, evidence, f"{_IN_TABLE}{told}")


def _yes(query: str, events: Sequence[Event], page: Page) -> BooleanDraft:
    first = events[0]
    told = f"A sentence on page {first.page_number} tells it: {first.quote!r}"
    how = (
        f"{_IN_TABLE}{told} It is one of {len(events)} that tell that it happened. Confidence: {first.confidence}."
    )
    return drafted(BooleanDraft, query, True, told, [passage(page, first.quote)], how)


def _trust(fact: Fact, *, is_calculated: bool = False) -> str:
    """How sure a fact is, and why; `is_calculated` where the statements' figures give the same."""
    passed = [_CONFIRMED[c.name] for c in fact.checks if c.verdict == "passed"]
    failed = [c.detail for c in fact.checks if c.verdict == "failed"]
    confidence = "high" if is_calculated else fact.confidence
    told = [f"Confidence: {confidence}.", *passed]
    told += [_UNCONFIRMED] if confidence != "high" and not passed else []
    told += [f"It does not agree with {', '.join(failed)}."] if failed else []
    return " ".join(dict.fromkeys(told))


def _printed(fact: Fact, page: Page) -> Iterator[tuple[str, str]]:
    """Each figure of the fact with the passage that prints it."""
    for printed in fact.printed.split(" + "):
        yield printed, _quote(fact, printed, page)


def _quote(fact: Fact, printed: str, page: Page) -> str:
    """The row as far as the figure; outside tables, the words of its line or sentence."""
    value = figure_on(printed, page)
    for table, cell in cells_with(value, page) if value is not None else ():
        if cell.box in fact.boxes:
            return row_quote(table, cell)
    lines = (line for block in page.blocks for line in block.text.splitlines() if printed in line)
    candidates = [fact.row_label, *(line for line in lines if fact.row_label[:20] in line)]
    return next((c for c in candidates if printed in c and locate(c, page) is not None), printed)


def passage(page: Page, *quotes: str) -> Evidence:
    """The first quote that is found on the page; it is shortened if only its beginning is there."""
    tried = [cut for quote in quotes for cut in (quote, quote.rpartition(" ")[0])]
    quote = next((q for q in tried if q and locate(q, page) is not None), quotes[0])
    return Evidence(page=page.page_number, quote=quote)


def row_quote(table: Table, cell: Cell) -> str:
    """The cell's row as printed, from its label to the figure."""
    cells = sorted(
        (c for c in table.cells if c.row == cell.row and c.column <= cell.column), key=lambda c: c.column
    )
    return " ".join(c.text for c in cells if c.text.strip())
