"""Finds figures in sentences: counts as in "operated 1,204 stores", percentages that the statements confirm, prices."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from prompts.drafts import Evidence, drafted
from prompts.kinds.number import NumberDraft
from query_engines.calculation.derivation import Derivation
from query_engines.extraction.asked import LOOSE, question_terms
from query_engines.extraction.from_sentences import NEGATED, SUPPOSED, PageSentence, sentences_on
from storage.amounts import NUMBER_WORDS, number_word
from storage.lexicon.money import SCALE_BEHIND_FIGURE, UNIT_SIGN, printed_names, scale_of
from storage.lexicon.names import NAME_IN_QUESTION
from storage.lexicon.words import expression
from storage.records.pages import Page
from storage.text import capital, stems

_N = (
    r"(?<![$€£¥.,\d-])(?<!\b(?:No|no)\. )\b(?P<n>\d{1,3}(?:,\d{3})+|\d{1,6}|"
    + "|".join(w for w in NUMBER_WORDS if w != "one")
    + r")\b(?![,.]\d|%|-| ?per ?cent| ?million| ?billion| ?thousand)"
)
_COUNT = expression(rf"(?i){_N}(?=(?P<after>(?:,? [\w'’/&-]+){{1,5}}))")
_LAST_WORDS = 4
_MOST_SPACES = 70  # a longer text is a list or a table without lines, whose words belong to different things
_OF_WHOM = expression(r"(?i),? (?:of (?:whom|which)|including) ")
_AT_THE_START = 12  # letters before the number of a part, such as "about"
_PARTLY = expression(
    r"(?i)\b(?:of which|of whom|including|opened|closed|acquired|added|new|additional|first|last|another|other|than"
    r"|up to|at least|options?|franchised|per|each|every|between|competitors?|industry|expire|expired)\b"
)


@dataclass(frozen=True)
class Counted:
    """A count with its sentence."""

    value: Decimal
    printed: str
    sentence: PageSentence


def draft_from_counts(query: str, year: int | None, pages: Sequence[Page]) -> NumberDraft | None:
    """The count that the pages' sentences state; None where they state none, or several different ones.

    Args:
        query: the search text of a question for a count.
        year: that is asked for, else the reported one.
        pages: where to look.
    """
    found = list(_counts(query, pages))
    dated = [c for c in found if year in c.sentence.years]
    found = dated or [c for c in found if not c.sentence.years]
    if len({c.value for c in found}) != 1:
        return None
    first = found[0]
    number = first.sentence.page.page_number
    spot = f"{len(found)} sentence{'s' * (len(found) > 1)} on page {number} and no other says it"
    trust = f"Confidence: {'medium' if dated else 'low'}."
    return _drafted(
        first.value,
        first.printed,
        first.sentence,
        f"Found without a language model: page {number} says {first.sentence.text!r}. {trust}",
        how=(
            f"Found without a language model. Searched for {query!r}. A sentence states the count: "
            f"{first.sentence.text!r}. {spot}. {trust}"
        ),
        period=str(year) if dated else None,
    )


def _drafted(
    value: Decimal, printed: str, sentence: PageSentence, told: str, *, how: str = "", **unit: object
) -> NumberDraft:
    """A draft of a figure that a sentence prints, in units of one where nothing else is said."""
    page = sentence.page.page_number
    evidence = Evidence.model_validate(
        {"page": page, "quote": sentence.text, "printed_figure": printed, "scale": 1} | unit
    )
    return drafted(NumberDraft, float(value), told, [evidence], how=how)


_PERCENTAGE = expression(
    r"(?<![\d.,(-])(?P<n>\d{1,3}\.\d{1,2}) ?(?:%|per ?cent\b)(?P<of> of (?:(?:our|its|the) )?)?", re.I
)


def draft_of_stated_percentage(query: str, derived: Derivation, pages: Sequence[Page]) -> NumberDraft | None:
    """A percentage that a sentence prints under its name, or as a share of the figure that it is a share of.

    Only one that follows from the statements' figures as well is given: both prove that the sentence speaks of it.

    Args:
        query: the search text of the question.
        derived: the same percentage, calculated.
        pages: where to look.
    """
    if derived.metric.unit != "percent" or derived.value is None or len(derived.operands) < 2:
        return None
    names = [stems(name) for name in (derived.metric.title, *derived.metric.question_names)]
    part, whole = (stems(operand.fact.row_label) for operand in derived.operands[:2])
    for sentence in sentences_on(pages):
        if SUPPOSED.search(sentence.text) or sentence.text.count(" ") > _MOST_SPACES:
            continue
        is_share = False  # and so are those that it is compared with
        for match in _PERCENTAGE.finditer(sentence.text):
            before, after = stems(sentence.text[: match.start()]), stems(sentence.text[match.end() :][:40])
            is_share |= match["of"] is not None and bool(part) and part <= before and bool(whole & after)
            is_named = is_share or any(name <= before for name in names if name)
            if is_named and _is_rounded(derived.value, Decimal(match["n"])):
                return _of_percentage(query, derived, match["n"], sentence)
    return None


def _is_rounded(value: Decimal, printed: Decimal) -> bool:
    return value.quantize(printed) == printed


def _of_percentage(query: str, derived: Derivation, printed: str, sentence: PageSentence) -> NumberDraft:
    page = sentence.page.page_number
    told = f"page {page} says {sentence.text!r}; it follows from {derived.in_figures} as well. Confidence: high."
    return _drafted(
        Decimal(printed),
        f"{printed}%",
        sentence,
        f"Found without a language model: {told}",
        how=f"Found without a language model. Searched for {query!r}. {capital(told)}",
        period=str(derived.year) if derived.year else None,
    )


_PRICE_ASKED = expression(
    r"(?i)\b(?:pa(?:y|id)|price|consideration|spen[dt]|cost)\b(?!.{0,40}\b(?:costs|fees|expenses|amortis|amortiz)\b)"
)
_DEAL = r"(?i:acqui(?:red|ring|sition)|purchased?|bought|merge[rd])"
_PRICE = expression(
    rf"\b{_DEAL}\b[^;]{{0,160}}?(?:\bfor|\bprice (?:of|was)|\bconsideration (?:of|was)|\btotall?ing|\bpaid)"
    r" (?:(?:a|an|total|the|aggregate|cash|purchase|price|consideration|approximately|about|of|was|net) ){0,6}"
    rf"(?P<currency>{UNIT_SIGN})\s?(?P<n>\d[\d,]*(?:\.\d+)?)(?: ?(?P<scale>{SCALE_BEHIND_FIGURE})\b)?"
)
_SAME_PRICE = Decimal("0.01")  # rounded in one place, in full in another


def draft_of_price(question: str, currency: str | None, pages: Sequence[Page]) -> NumberDraft | None:
    """What was paid for what a question names; None where no sentence says it, or sentences differ.

    Args:
        question: without its company.
        currency: of the report, which a bare "$" stands for.
        pages: best first.
    """
    named = stems(" ".join(NAME_IN_QUESTION.findall(question)))
    if not named or _PRICE_ASKED.search(question) is None:
        return None
    found: list[tuple[Decimal, str, int, str | None, PageSentence]] = []
    for sentence in sentences_on(pages):
        deals = list(_PRICE.finditer(sentence.text))
        own = [deal for deal in deals if named <= stems(deal[0])]
        match = own[0] if len(own) == 1 else deals[0] if len(deals) == 1 and not own else None
        if match is None or not named <= stems(sentence.text) or SUPPOSED.search(sentence.text[: match.end()]):
            continue  # "in our acquisition of Acme we paid …, and in that of Bolt …" says which was which
        scale, sign = scale_of(match["scale"] or "") or 1, match["currency"]
        code = next((code for code, printed in printed_names().items() if printed.fullmatch(sign)), currency)
        found.append((Decimal(match["n"].replace(",", "")) * scale, match["n"], scale, code, sentence))
    if not found or any(abs(value - found[0][0]) > _SAME_PRICE * found[0][0] for value, *_ in found):
        return None
    value, printed, scale, code, sentence = found[0]
    told = f"page {sentence.page.page_number} says {sentence.text!r}. Confidence: medium."
    return _drafted(
        value, printed, sentence, f"Found without a language model: {told}", scale=scale, currency=code
    )


def _counts(query: str, pages: Sequence[Page]) -> Iterator[Counted]:
    """Counts directly before the requested noun, in sentences that contain every word of the question."""
    wanted = frozenset(question_terms(query, ()).weights) - LOOSE - _HOW_MANY
    head = _head(query)
    if head is None:
        return
    for sentence in sentences_on(pages):
        whole, *parts = _OF_WHOM.split(sentence.text)
        if parts and head in stems(whole) and not wanted <= stems(whole):
            yield from _of_whom(parts, wanted - {head}, sentence)
            continue
        words = stems(sentence.text)
        if sentence.text.count(" ") > _MOST_SPACES:
            continue
        if not wanted <= words or SUPPOSED.search(sentence.text) or NEGATED.search(sentence.text):
            continue
        counted = [m for m in _COUNT.finditer(sentence.text) if _noun(m, head) is not None]
        if len(counted) != 1:  # "153 patents, of them 104 in the US": it is unclear which one is meant
            continue
        match, noun = counted[0], _noun(counted[0], head)
        near = f"{sentence.text[max(0, match.start() - 30) : match.start()]} {noun}"
        value = _value(match["n"])
        is_note = match.start() == 0 and sentence.text[match.end() :].lstrip()[:1].isupper()  # "2 Per-share ..."
        if value is not None and not is_note and not _PARTLY.search(near):
            yield Counted(value, match["n"], sentence)


def _of_whom(parts: Sequence[str], wanted: frozenset[str], sentence: PageSentence) -> Iterator[Counted]:
    """The count of a part: 1,207 in "1,942 employees, of whom 1,207 worked in the United States"."""
    for part in parts:
        counted = [m for m in _COUNT.finditer(part) if m.start() <= _AT_THE_START]
        if len(counted) == 1 and wanted and wanted <= stems(part):
            value = _value(counted[0]["n"])
            if value is not None:
                yield Counted(value, counted[0]["n"], sentence)


def _noun(match: re.Match[str], head: str) -> str | None:
    """The words between a number and the counted noun; None where it counts something else."""
    after = match["after"].split()[:_LAST_WORDS]
    place = next((i for i, word in enumerate(after) if head in stems(word)), None)
    return None if place is None else " ".join(after[:place])


_HOW_MANY = stems("many much size count available")


def _head(query: str) -> str | None:
    """The counted noun: the last word before a preposition, after "number of" or "how many"."""
    after = re.split(r"(?i)\bnumber of |\bhow many ", query)[-1]
    noun = re.split(
        r"(?i) (?:in|of|at|for|outside|with|that|did|does|do|were|was|are|had|owned|sold|available|\()", after
    )[0]
    words = [w for w in noun.split() if stems(w)]
    return next(iter(stems(words[-1])), None) if words else None


def _value(text: str) -> Decimal | None:
    digits = text.replace(",", "")
    if not digits.isdigit():
        return number_word(text)
    value = Decimal(digits)
    return None if "," not in text and 1900 <= value <= 2100 else value
