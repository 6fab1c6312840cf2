"""Answers whether, and how far, a company depends on one customer, tenant or supplier."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from prompts.drafts import Evidence
from prompts.kinds.boolean import BooleanDraft
from prompts.kinds.number import NumberDraft
from query_engines.calculation.row_questions import FRACTIONS
from query_engines.extraction.from_facts import passage
from query_engines.extraction.from_sentences import SUPPOSED, PageSentence, sentences_on
from storage.amounts import NUMBER_WORDS
from storage.lexicon.calendar import written_years
from storage.lexicon.question_words import asks_in_percent
from storage.lexicon.words import any_of, expression
from storage.records.pages import Page

_PARTNERS = {
    "customer": r"(?:customers?|clients?|buyers?|payors?|payers?)",
    "tenant": r"(?:tenants?|lessees?)",
    "supplier": r"(?:suppliers?|vendors?)",
}
_BASES = {
    "revenue": r"(?:revenues?|sales|turnover)",
    "rent": r"(?:rent(?:al)?s?(?: income| revenue)?)",
    "receivables": r"receivables?",
    "purchases": r"purchases",
}
_ASKED = expression(
    r"\b(?:any|one|a|single|biggest|largest|main|major|top|sole|individual|particular|which)\b[^.?]{0,30}?\b"
    rf"(?P<partner>{'|'.join(_PARTNERS.values())})\b",
    re.IGNORECASE,
)
_LIMIT = expression(
    r"\b(?P<more>over|above|more than|at least|exceed\w*|greater than|in excess of|no less than)\b[^.?]{0,12}?"
    rf"(?:(?P<percent>\d{{1,2}}(?:\.\d+)?) ?(?:%|per ?cent)|\b(?P<part>{'|'.join(FRACTIONS)})\b)",
    re.IGNORECASE,
)
_NO = expression(r"\b(?:no|not|none|never)\b|n't\b", re.IGNORECASE)
_SHARE = expression(r"(?<![\d.,])(\d{1,3}(?:\.\d+)?) ?(?:%|per ?cent\b)", re.IGNORECASE)
_BEARS = (
    r"(?:represent(?:ed|s|ing)?|account(?:ed|s|ing)? for|contribut(?:ed|es)|generat(?:ed|es)|compris(?:ed|es)"
    r"|made up|brought in|derived)"
)
_NONE_ABOVE = expression(
    r"\bno\b[^.;]{0,60}?\b(?:more than|over|exceed\w*|in excess of|greater than|or more|at least)?\b[^.;]{0,40}?"
    r"(?P<percent>\d{1,2}) ?(?:%|per ?cent)",
    re.IGNORECASE,
)
_SEVERAL = expression(
    rf"\b(?:{any_of(word for word in NUMBER_WORDS if word != 'one')}|\d{{1,2}}|several|these|top|major)\b",
    re.IGNORECASE,
)
_ONE = expression(r"\b(?:one|a single|the largest|our largest|largest|customer [A-Z]|tenant [A-Z])\b")
_LESS_THAN = expression(r"(?:less than|under|below|between|up to)\W{1,3}$", re.IGNORECASE)


@dataclass(frozen=True)
class _Said:
    """What a sentence says: the share of one partner in percent, or that none has more than that."""

    sentence: PageSentence
    percent: Decimal
    printed: str
    is_limit: bool = False


def draft_of_concentration(
    question: str, form: type[object], year: int | None, pages: Sequence[Page]
) -> BooleanDraft | NumberDraft | None:
    """A yes or no against the limit that a question names, or the share of the largest partner.

    Args:
        question: as it was asked.
        form: `BooleanDraft` or `NumberDraft`.
        year: asked for, else the reported one.
        pages: best first.

    Returns:
        None where the question is not about one customer, tenant or supplier, or no sentence decides it.
    """
    asked = _ASKED.search(question)
    limit = _limit(question)
    if asked is None or _NO.search(question) is not None:
        return None
    is_of_one = not asked["partner"].lower().endswith("s")  # what its three largest bring is no share of one
    if limit is None if form is BooleanDraft else not (is_of_one and asks_in_percent(question)):
        return None
    partner = next(
        name for name, words in _PARTNERS.items() if re.fullmatch(words, asked["partner"], re.IGNORECASE)
    )
    base = next((words for words in _BASES.values() if re.search(rf"\b{words}\b", question, re.IGNORECASE)), None)
    base = base or (_BASES["purchases"] if partner == "supplier" else _BASES["revenue"])
    said = [s for sentence in sentences_on(pages) for s in _read(sentence, _PARTNERS[partner], base, year)]
    largest = max((s for s in said if not s.is_limit), key=lambda s: s.percent, default=None)
    if form is NumberDraft:
        return _number(question, largest) if largest is not None else None
    bound = min((s for s in said if s.is_limit), key=lambda s: s.percent, default=None)
    if limit is not None and largest is not None and largest.percent > limit:
        return _decided(question, largest, is_over=True)
    if limit is not None and largest is None and bound is not None and bound.percent <= limit:
        return _decided(question, bound, is_over=False)
    return None


def _limit(question: str) -> Decimal | None:
    found = _LIMIT.search(question)
    if found is None:
        return None
    return Decimal(found["percent"]) if found["percent"] else Decimal(FRACTIONS[found["part"].lower()])


def _read(sentence: PageSentence, partner: str, base: str, year: int | None) -> Iterator[_Said]:
    """What a sentence says of single partners in the year."""
    text = sentence.text
    of_base = re.compile(
        rf"\bof (?:(?:our|the|its|total|net|annuali[sz]ed|consolidated|\w{{1,20}}['’]s) ){{0,4}}{base}\b", re.I
    )
    if not of_base.search(text) and not (re.search(rf"\b{base}\b", text, re.I) and _NONE_ABOVE.search(text)):
        return
    years = written_years(text)
    if year is not None and years and year not in years:
        return
    if (none := _NONE_ABOVE.search(text)) and re.search(rf"\bno\b[^.;]{{0,40}}\b{partner}\b", text, re.I):
        yield _Said(sentence, Decimal(none["percent"]), none["percent"], is_limit=True)
        return
    bears = re.search(rf"\b{_BEARS}\b", text, re.I)
    who = text[: bears.start()] if bears else ""
    shares = [m for m in _SHARE.finditer(text) if not _LESS_THAN.search(text[: m.start()])]
    if bears is None or not shares or shares[0].start() < bears.start() or SUPPOSED.search(text):
        return
    noun = re.search(rf"\b{partner}\b|\boccup(?:y|ies|ied)\b", who, re.I)  # a tenant is told by what it occupies
    is_by_year = "respectively" in text and len(years) > 1
    if noun is None or (
        year is not None and is_by_year and year != next(y for y in _in_order(text) if y in years)
    ):
        return
    one, several = _ONE.search(who), _SEVERAL.search(who)
    is_first = one is not None and (several is None or one.start() < several.start())  # "three and one customers"
    is_of_several = not is_first and (several is not None or (noun[0].endswith("s") and noun[0] != "occupies"))
    if is_of_several and (several is None or is_by_year or len(shares) == 1):
        return  # all of them together: "customers in Europe represented 60% of revenue"
    for share in shares[:1] if is_by_year or not is_of_several else shares:
        yield _Said(sentence, Decimal(share[1]), share[1])


def _in_order(text: str) -> list[int]:
    return [int(found) for found in re.findall(r"\b(?:19|20)\d\d\b", text)]


def _decided(question: str, said: _Said, *, is_over: bool) -> BooleanDraft:
    page = said.sentence.page.page_number
    analysis = f"Page {page} says {'a share of' if is_over else 'that none has more than'} {said.printed}%."
    return BooleanDraft(
        step_by_step_analysis=(
            f"Found without a language model. Searched for {question!r}. {analysis} {said.sentence.text!r}"
        ),
        reasoning_summary=f"Found without a language model: {analysis}",
        evidence=[passage(said.sentence.page, said.sentence.text)],
        relevant_pages=[page],
        unavailable_because=None,
        final_answer=is_over,
    )


def _number(question: str, said: _Said) -> NumberDraft:
    page = said.sentence.page.page_number
    quoted = passage(said.sentence.page, said.sentence.text)
    evidence = Evidence(
        page=page, quote=quoted.quote, printed_figure=f"{said.printed}%", scale=None, currency=None, period=None
    )
    return NumberDraft(
        step_by_step_analysis=f"Found without a language model. Searched for {question!r}. {said.sentence.text!r}",
        reasoning_summary=f"Found without a language model: page {page} gives a share of {said.printed}%.",
        evidence=[evidence],
        relevant_pages=[page],
        unavailable_because=None,
        final_answer=float(said.percent),
    )
