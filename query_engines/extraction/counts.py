"""Finds figures that sentences state: counts as in "operated 1,204 stores", prices, percentages that facts confirm."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import dropwhile, takewhile

from query_engines.calculation.derivation import Derivation
from query_engines.extraction.asked import LOOSE, question_terms
from query_engines.extraction.from_sentences import NEGATED, SUPPOSED, PageSentence, sentences_on
from storage.amounts import NUMBER_WORDS, number_word, parse_figure
from storage.lexicon.money import SCALE_BEHIND_FIGURE, UNIT_SIGN, printed_names, scale_of
from storage.lexicon.words import PREPOSITIONS, any_of, expression
from storage.records.facts import Fact
from storage.records.pages import Page
from storage.text import stems

_COUNT = expression(
    r"(?i)(?<![$€£¥.,\d-])(?<!\b(?:No|no)\. )\b"
    rf"(?P<n>\d{{1,3}}(?:,\d{{3}})+|\d{{1,6}}|{any_of(NUMBER_WORDS.keys() - {'one'})})\b"
    r"(?![,.]\d|%|-| ?per ?cent| ?million| ?billion| ?thousand)(?=(?P<after>(?:,? [\w'’/&-]+){1,5}))"
)
_LAST_WORDS = 4
_MOST_SPACES = 70  # a longer text is a list or a table without lines, whose words belong to different things
_OF_WHOM = expression(r"(?i),? (?:of (?:whom|which)|including) ")
_AT_THE_START, _BEFORE = 12, 30  # letters before the number of a part, such as "about"; before any number
_PARTLY = expression(
    r"(?i)\b(?:of which|of whom|including|opened|closed|acquired|added|new|additional|first|last|another|other|than"
    r"|up to|at least|options?|franchised|per|each|every|between|competitors?|industry|expire|expired)\b"
)
_YEARS = range(1900, 2101)


def counted_in(query: str, counted: str, year: int | None, pages: Sequence[Page]) -> Fact | None:
    """The count that the pages' sentences state; None where they state none, or several different ones.

    Args:
        query: the search text of a question for a count.
        counted: what is counted, as the question calls it.
        year: that is asked for, else the reported one.
        pages: where to look.
    """
    wanted = frozenset(question_terms(query, ()).weights) - LOOSE - _HOW_MANY
    head = stems(counted) or _head(query)
    found = [each for s in sentences_on(pages) if head for each in _counts(s, head, wanted | head)]
    dated = [each for each in found if year in each[1].years]
    found = dated or [each for each in found if not each[1].years]
    if len({value for value, *_ in found}) != 1:
        return None
    value, sentence, printed = found[0]
    return _fact(sentence, printed, value, 1, None)


def _fact(sentence: PageSentence, printed: str, value: Decimal, scale: int, currency: str | None) -> Fact:
    page = sentence.page
    return Fact(
        metric="stated",
        value=value,
        printed=printed,
        scale=Decimal(scale),
        currency=currency,
        statement="text",
        report_sha1=page.report_sha1,
        page_number=page.page_number,
        row_label=sentence.text,
    )


_PERCENTAGE = expression(
    r"(?i)(?<![\d.,(-])(?P<n>\d{1,3}\.\d{1,2}) ?(?:%|per ?cent\b)(?P<of> of (?:(?:our|its|the) )?)?"
)


def percentage_in(derived: Derivation, pages: Sequence[Page]) -> Fact | None:
    """A percentage that a sentence prints under its name, or as a share of the figure that it is a share of.

    Only one that follows from the statements' figures as well is given: both prove that the sentence speaks of it.

    Args:
        derived: the same percentage, calculated.
        pages: where to look.
    """
    if derived.metric.unit != "percent" or derived.value is None or len(derived.operands) < 2:
        return None
    names = [said for name in (derived.metric.title, *derived.metric.question_names) if (said := stems(name))]
    part, whole = (stems(operand.fact.row_label) for operand in derived.operands[:2])
    for sentence in sentences_on(pages):
        is_list = SUPPOSED.search(sentence.text) or sentence.text.count(" ") > _MOST_SPACES
        is_share = False  # and so are those that it is compared with
        for match in _PERCENTAGE.finditer("" if is_list else sentence.text):
            before, after = stems(sentence.text[: match.start()]), stems(sentence.text[match.end() :][:40])
            is_share |= match["of"] is not None and bool(part) and part <= before and bool(whole & after)
            printed, is_named = Decimal(match["n"]), is_share or any(name <= before for name in names)
            if is_named and derived.value.quantize(printed) == printed:
                return _fact(sentence, f"{printed}%", printed, 1, None)
    return None


_PRICE = expression(
    r"\b(?i:acqui(?:red|ring|sition)|purchased?|bought|merge[rd])\b"
    r"[^;]{0,160}?(?:\bfor|\bprice (?:of|was)|\bconsideration (?:of|was)|\btotall?ing|\bpaid)"
    r" (?:(?:a|an|total|the|aggregate|cash|purchase|price|consideration|approximately|about|of|was|net) ){0,6}"
    rf"(?P<currency>{UNIT_SIGN})\s?(?P<n>\d[\d,]*(?:\.\d+)?)(?: ?(?P<scale>{SCALE_BEHIND_FIGURE})\b)?"
)
_SAME_PRICE = Decimal("0.01")  # rounded in one place, in full in another


def price_in(bought: frozenset[str], currency: str | None, pages: Sequence[Page]) -> Fact | None:
    """What was paid for something; None where no sentence says it, or sentences differ.

    Args:
        bought: the stems of its name.
        currency: of the report, which a bare "$" stands for.
        pages: best first.
    """
    found: list[Fact] = []
    for sentence in sentences_on(pages):
        deals = list(_PRICE.finditer(sentence.text)) if bought <= stems(sentence.text) else []
        own = [deal for deal in deals if bought <= stems(deal[0])] or deals
        if len(own) == 1 and not SUPPOSED.search(sentence.text[: own[0].end()]):
            # "in our acquisition of Acme we paid …, and in that of Bolt …" says which was which
            scale, sign = scale_of(own[0]["scale"] or "") or 1, own[0]["currency"]
            code = next((code for code, printed in printed_names().items() if printed.fullmatch(sign)), currency)
            value = (parse_figure(own[0]["n"]) or Decimal(0)) * scale
            found.append(_fact(sentence, own[0]["n"], value, scale, code))
    is_one = found and all(abs(each.value - found[0].value) <= _SAME_PRICE * found[0].value for each in found)
    return found[0] if is_one else None


def _counts(
    sentence: PageSentence, head: frozenset[str], wanted: frozenset[str]
) -> Iterator[tuple[Decimal, PageSentence, str]]:
    """Counts directly before the counted noun, in a sentence, or the part of one, that has every word of the question.

    The count of a part is 1,207 in "1,942 employees, of whom 1,207 worked in the United States".
    """
    whole, *parts = _OF_WHOM.split(sentence.text)
    if parts and head & stems(whole) and not wanted <= stems(whole):
        for part in parts:
            counted = [m for m in _COUNT.finditer(part) if m.start() <= _AT_THE_START]
            own = wanted - head
            if len(counted) == 1 and own and own <= stems(part) and (value := _value(counted[0]["n"])) is not None:
                yield value, sentence, counted[0]["n"]
        return
    is_list = sentence.text.count(" ") > _MOST_SPACES
    if (
        is_list
        or not wanted <= stems(sentence.text)
        or SUPPOSED.search(sentence.text)
        or NEGATED.search(sentence.text)
    ):
        return
    named = [(m, noun) for m in _COUNT.finditer(sentence.text) if (noun := _noun(m["after"], head)) is not None]
    if len(named) != 1:  # "153 patents, of them 104 in the US": it is unclear which one is meant
        return
    match, noun = named[0]
    near = f"{sentence.text[max(0, match.start() - _BEFORE) : match.start()]} {noun}"
    is_note = match.start() == 0 and sentence.text[match.end() :].lstrip()[:1].isupper()  # "2 Per-share ..."
    if (value := _value(match["n"])) is not None and not is_note and not _PARTLY.search(near):
        yield value, sentence, match["n"]


def _noun(after: str, head: frozenset[str]) -> str | None:
    """The words between a number and the counted noun; None where it counts something else."""
    words = after.split()[:_LAST_WORDS]
    place = next((i for i, word in enumerate(words) if head & stems(word)), None)
    return None if place is None else " ".join(words[:place])


_HOW_MANY = stems("how many much number size count available")


def _head(query: str) -> frozenset[str]:
    """The counted noun: the last word before a preposition, after "number of" or "how many"."""
    words = [word for word in query.split() if word in PREPOSITIONS or stems(word) - _HOW_MANY]
    named = takewhile(lambda word: word not in PREPOSITIONS, dropwhile(PREPOSITIONS.__contains__, words))
    return stems(" ".join([*named][-1:]))


def _value(text: str) -> Decimal | None:
    value = number_word(text) if text.isalpha() else parse_figure(text)
    return None if value is not None and "," not in text and value in _YEARS else value
