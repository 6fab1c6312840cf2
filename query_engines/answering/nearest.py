"""What may be the answer by the user's strictness, and what comes nearest where nothing may."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from prompts.drafts import Draft, Evidence, UnavailableBecause
from prompts.kinds.number import NumberDraft
from query_engines.question.parsed import FactMatch, ParsedQuestion
from query_engines.rerank import passages
from query_engines.verification.printed_figures import figure_on, stands_on
from query_engines.verification.quotes import locate
from query_engines.verification.units import without_scale_word
from storage.records.answers import (
    ALLOWED,
    NOT_AVAILABLE,
    Citation,
    Nearest,
    NearestPassage,
    Reason,
    Relation,
    Strictness,
    Unit,
)
from storage.records.facts import Fact
from storage.records.pages import Page
from storage.records.reports import Report
from storage.text import in_a_sentence, plain

_IN_CENTS = Decimal("0.01")  # the scale of a figure in cents or pence, for which drafts give none
_REASONS: dict[Relation, UnavailableBecause] = {"other_period": "other_period", "other_currency": "other_currency"}
_LACKING: frozenset[UnavailableBecause | None] = frozenset({None, "not_found", "not_disclosed"})
MOST_PASSAGES = 3
_FAR = 0.05  # probability below which a passage is not worth reading


def weighed(draft: Draft, strictness: Strictness, pages: Mapping[int, Page]) -> Draft:
    """The draft as the strictness allows it, by how its evidence stands to what was asked.

    A figure that is not allowed becomes N/A, and its evidence stays for `nearest_in`. A figure that a draft only offers
    beside its N/A becomes the answer where it is allowed.
    """
    if not isinstance(draft, NumberDraft):
        return draft
    relation = relation_of(draft)
    if draft.final_answer != NOT_AVAILABLE:
        if relation in ALLOWED[strictness]:
            return draft
        reason = _REASONS.get(relation, "not_found")
        return draft.model_copy(update={"final_answer": NOT_AVAILABLE, "unavailable_because": reason})
    offered = [e for e in draft.evidence if e.relation in ALLOWED[strictness] - {"same", "calculated"}]
    value = _worth(offered[0], pages) if offered and draft.unavailable_because in _LACKING else None
    if value is None:
        return draft
    return draft.model_copy(
        update={
            "final_answer": float(value),
            "unavailable_because": None,
            "evidence": offered[:1],
            "relevant_pages": [offered[0].page],
        }
    )


def relation_of(draft: Draft) -> Relation:
    """How a draft's figure stands to what was asked: "same" unless a passage says otherwise."""
    return next((e.relation for e in draft.evidence if e.relation != "same"), "same")


def nearest_in(draft: Draft, report: Report, pages: Mapping[int, Page]) -> Nearest | None:
    """The first figure of a draft without an answer that is not the same as asked, if it is printed where it says."""
    for evidence in draft.evidence:
        value = _worth(evidence, pages) if evidence.relation != "same" else None
        if value is None:
            continue
        page, places = pages[evidence.page], locate(evidence.quote, pages[evidence.page])
        if places is None:
            continue
        unit = Unit(currency=evidence.currency, scale=evidence.scale or 1, printed=evidence.printed_figure or "")
        return Nearest(
            value=float(value),
            unit=unit,
            relation=evidence.relation,
            page=evidence.page,
            quote=evidence.quote,
            detail=in_words(evidence.relation, evidence.period, evidence.currency),
            citation=_citation(report, page, evidence.quote),
        )
    return None


def in_words(relation: Relation, period: str | None = None, currency: str | None = None) -> str:
    """How a figure with this relation differs from what was asked."""
    return {
        "same": "",
        "approximate": "printed as a bound or roughly",
        "broader": "covers more than was asked",
        "narrower": "covers less than was asked",
        "calculated": "calculated, not printed",
        "other_period": f"printed for {plain(period) if period else 'another period'}",
        "other_currency": f"printed in {currency or 'another currency'}",
        "other_measure": "a related figure, not the one asked for",
    }[relation]


def nearest_known(
    facts: FactMatch, reason: Reason | None, currency: str | None, report: Report, pages: Sequence[Page]
) -> Nearest | None:
    """The figure of the fact table that comes nearest to what was asked; None where it has none.

    Args:
        facts: of the report for the question.
        reason: why there is no answer.
        currency: that was asked for.
        report: of the facts.
        pages: those of them that are at hand, to mark the figure on.
    """
    by_number = {page.page_number: page for page in pages}
    if reason == "other_currency" and facts.fact is not None and facts.fact.currency:
        detail = f"printed in {facts.fact.currency}, asked in {currency or 'another currency'}"
        return _as_nearest(facts.fact, "other_currency", detail, report, by_number)
    dated = [fact for fact in facts.periods if fact.period is not None]
    if reason == "other_period" and dated and facts.year is not None:
        year = facts.year
        fact = min(dated, key=lambda f: abs(f.period.year - year) if f.period else 0)
        end = fact.period.end.isoformat() if fact.period else ""
        detail = f"printed for the period to {end}, not for {year}"
        return _as_nearest(fact, "other_period", detail, report, by_number)
    derived = facts.derivation
    if derived is not None and derived.value is not None and facts.calculated is None:
        detail = f"{in_a_sentence(derived.metric.title)}, not printed but calculated: {derived.in_figures}"
        first = _as_nearest(derived.operands[0].fact, "calculated", detail, report, by_number)
        return first.model_copy(
            update={
                "value": float(derived.value),
                "unit": Unit(printed=derived.shown),
                "quote": derived.operands[0].fact.row_label,
            }
        )
    if reason == "not_found" and (whole := facts.whole) is not None:
        said = facts.said_beside.strip(" .,;:?!")
        detail = f"of the whole company; you asked about “{said}”" if said else "of the whole company"
        return _as_nearest(whole, "other_measure", detail, report, by_number)
    return None


def nearest_passages(
    near: passages.NearPassages, parsed: ParsedQuestion, facts: FactMatch, report: Report
) -> tuple[NearestPassage, ...]:
    """The passages, best first, that come nearest to a question; at most three, and none that are far."""
    found: list[NearestPassage] = []
    for one in near.ranked(passages.in_words(parsed, facts)):
        if len(found) == MOST_PASSAGES or one.probability < _FAR:
            break
        passage = one.passage
        is_new = all(passage.text != other.quote for other in found)
        is_marked = locate(passage.text, passage.page) is not None  # not what goes on in the next column
        if is_new and is_marked:
            citation = _citation(report, passage.page, passage.text)
            page = passage.page.page_number
            found.append(NearestPassage(heading=passage.heading, page=page, quote=passage.text, citation=citation))
    return tuple(found)


def _worth(evidence: Evidence, pages: Mapping[int, Page]) -> Decimal | None:
    """The figure in full units; None where its page does not print it."""
    page = pages.get(evidence.page)
    if page is None or not evidence.printed_figure:
        return None
    figure = figure_on(without_scale_word(evidence.printed_figure)[0], page)
    if figure is None or not stands_on(figure, page):
        return None
    return figure * (Decimal(evidence.scale) if evidence.scale else _IN_CENTS)


def _as_nearest(fact: Fact, relation: Relation, detail: str, report: Report, pages: Mapping[int, Page]) -> Nearest:
    page, quote = pages.get(fact.page_number), f"{fact.row_label} {fact.printed}"
    return Nearest(
        value=float(fact.value),
        unit=Unit(
            currency=fact.currency,
            scale=int(fact.scale) if fact.scale >= 1 else 1,
            printed=fact.printed,
            period_end=fact.period.end if fact.period else None,
        ),
        relation=relation,
        page=fact.page_number,
        quote=quote,
        detail=detail,
        citation=_citation(report, page, quote).model_copy(update={"boxes": fact.boxes}) if page else None,
    )


def _citation(report: Report, page: Page, quote: str) -> Citation:
    boxes = locate(quote, page) or ()
    return Citation(
        report_sha1=report.sha1,
        file=report.file,
        page=page.page_number,
        page_width=page.width,
        page_height=page.height,
        quote=quote,
        boxes=boxes,
        text_source=page.source_at(boxes),
    )
