"""Answers from sentences of the found pages: yes or no, changed positions, launched products."""

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from indexes.facts.sentences import sentences_of
from prompts.drafts import drafted
from prompts.kinds.boolean import BooleanDraft
from prompts.kinds.name import NameDraft
from prompts.kinds.names import NamesDraft
from prompts.kinds.text import Sentence as Answer
from prompts.kinds.text import TextDraft
from query_engines.extraction.asked import question_terms
from query_engines.extraction.from_facts import passage
from query_engines.question.classifier import narrowing_words
from query_engines.question.functions import MovesAsked
from query_engines.question.parsed import ParsedQuestion
from query_engines.question.told_events import is_at_another, movers
from query_engines.verification.quotes import locate
from storage.lexicon import calendar
from storage.lexicon.calendar import written_years
from storage.lexicon.periods import periods_in
from storage.lexicon.words import NOT, expression
from storage.records.facts import Event, EventKind
from storage.records.pages import Page
from storage.records.reports import Report
from storage.text import stems

SUPPOSED = expression(
    r"\b(?:may(?! \d)|(?i:might|could|would|should|if|unless|whether|potential(?:ly)?|no assurance|there can be|risks?"
    r"|subject to|intends?|intended to|intention|plans? to|planned to|expects?|expected|anticipates?|anticipated|seeks?"
    r"|aims?|proposed|propose|will|contemplated|forecasts?|targets?|from time to time|in the event|policy is"
    r"|illustrat\w+))\b"
)
NEGATED = expression(
    r"(?i)\b(?:not|no|never|neither|nor|none|without|cannot|unable|failed to|declined|abandoned|discontinued|terminated"
    r"|withdr[ae]wn?|waived|pending|remains? subject|has yet)\b|n't\b"
)
_MONTHS_OF_YEAR = 12
_SHORTEST, _LONGEST = 25, 900


@dataclass(frozen=True)
class PageSentence:
    """A sentence with its page and the page's rank, 0 for the best."""

    text: str
    page: Page
    rank: int

    @property
    def years(self) -> frozenset[int]:
        """The years that it names."""
        return written_years(self.text)


def dates_in(text: str) -> list[dt.date]:
    """The dates that a text names with month and year, as the first of the month."""
    return [dt.date(date.year, date.month, 1) for date in calendar.dates_in(text) if date.year]


def is_in_year_to(day: dt.date, end: dt.date) -> bool:
    """Whether a day's month is one of the twelve that end with the period."""
    return 0 <= (end.year - day.year) * _MONTHS_OF_YEAR + end.month - day.month < _MONTHS_OF_YEAR


def sentences_on(pages: Sequence[Page]) -> Iterator[PageSentence]:
    """The pages' sentences in their order, without headings and fragments."""
    for rank, page in enumerate(pages):
        texts = (sentence.text for sentence in sentences_of(page))
        yield from (PageSentence(text, page, rank) for text in texts if _SHORTEST <= len(text) <= _LONGEST)


_ONLY_IF = expression(  # or of an interim dividend, only so far, no more than before, or under no duty
    r"\b(?:yet|interim|treasury|may|might|could|would|if|unless|until|cannot assure|no assurance|there can be"
    r"|additional|further|obligat\w+|under (?:the|this|our|its) (?:\w+ )?(?:plan|program(?:me)?|authori[sz]ation))\b",
    re.IGNORECASE,
)
# A no needs most of the words of what may have happened in a sentence that dates it otherwise, or says it was not done.
_COVERED = 0.75
_HAPPENED = expression(r"(?i)\b(?:did|was|were)\b")
_THRESHOLD = expression(
    r"(?i)\b(?:over|above|below|under|(?:more|less|fewer|higher|lower|larger|smaller|greater) than|exceed\w*"
    r"|at (?:least|most)) \W{0,3}\d"
)  # whether a figure is above or below another is for figures to say
_MOST_CITED = 2


def draft_of_another_time(
    query: str, year: int | None, report: Report, pages: Sequence[Page]
) -> BooleanDraft | None:
    """A "no" to what may have happened in a named year to somebody by name, told of another one, or as not done.

    None where any sentence may tell it of the year itself.
    """
    sentences = list(sentences_on(pages))
    words = question_terms(query, [stems(sentence.text) for sentence in sentences])
    if not words.entities or year is None or _THRESHOLD.search(query) or not _HAPPENED.search(query):
        return None
    told = []
    for sentence in sentences:
        own = stems(sentence.text)
        coverage = words.share((own, 1.0)) if words.entities <= own else 0.0
        if coverage < _COVERED:
            continue
        is_not_done = SUPPOSED.search(sentence.text) or NEGATED.search(sentence.text)
        if not is_not_done and (not sentence.years or _may_be_in(sentence, year, report)):
            return None
        told.append((coverage, sentence))
    found = [sentence for _, sentence in sorted(told, key=lambda one: (-one[0], one[1].rank))][:_MOST_CITED]
    if not found:
        return None
    quotes = " ".join(f"Page {s.page.page_number}: {s.text!r}" for s in found)
    note = f"The sentences nearest to the question tell it of another year than {year}, or as not done."
    return drafted(BooleanDraft, query, False, note, [passage(s.page, s.text) for s in found], f"{note} {quotes}")


def _may_be_in(sentence: PageSentence, year: int, report: Report) -> bool:
    """Whether a sentence names the year, or a month of the report's own twelve."""
    end = report.period_end
    if end is not None and end.year == year and (days := dates_in(sentence.text)):
        return any(is_in_year_to(day, end) for day in days)
    return year in sentence.years


# How a sentence denies what questions of some topics ask.
_DENIALS = tuple(
    (topics, expression(denied, re.IGNORECASE))
    for topics, denied in (
        (
            frozenset({"pays_a_dividend", "dividend_policy", "dividend_per_share", "dividends_paid"}),
            r"\b(?:we|company|group|bank|trust|board)\b[^.;]{0,40} (?:not|never) (?:\w+ ){0,2}"
            r"(?:declare|paid|pay|propose|recommend)\w*\b[^.;]{0,60}\bdividends?\b"
            r"|\bno (?:\w+ ){0,2}dividends? (?:was|were|has|have|had|is|are) (?:been )?"
            r"(?:declared|paid|proposed|recommended)\b"
            r"|\b(?:dividend|policy)\b[^.;]{0,90}\b(?:not (?:been )?changed|unchanged|remains? the same)\b",
        ),
        (
            frozenset({"buyback", "share_repurchases"}),
            rf"\b{NOT}\b[^.;]{{0,60}}\b(?:shares? (?:repurchas\w+|buy-?backs?)|repurchas\w+|bought back|own shares)\b",
        ),
    )
)


def draft_of_denial(
    question: ParsedQuestion, year: int | None, report: Report, pages: Sequence[Page]
) -> BooleanDraft | None:
    """A "no" with the sentence that denies what is asked, or states the standing policy; None without one.

    A sentence that tells of other years than the asked one, or the reported one, denies nothing.
    """
    topic = question.guess.topic if question.guess.is_sure else ""
    denied = next((denial for topics, denial in _DENIALS if topic in topics), None)
    if denied is None or narrowing_words(topic, question.guess.asked_in):
        return None
    asked = year or report.year
    for sentence in sentences_on(pages):
        years = {year for period in periods_in(sentence.text) for year in period.years(report.year)}
        is_of_another = asked not in years if years else asked != report.year
        if denied.search(sentence.text) and not _ONLY_IF.search(sentence.text) and not is_of_another:
            told = f"Page {sentence.page.page_number} denies it: {sentence.text!r}"
            return drafted(
                BooleanDraft, question.query.search, False, told, [passage(sentence.page, sentence.text)]
            )
    return None


_HINTS: dict[EventKind, re.Pattern[str]] = {
    "acquisition": expression(
        r"\b(?:acqui(?:red|sition of)|merger with|takeover of|purchase of) (?:[\w%-]+ ){0,4}?(?:[A-Z][\w&-]+)"
    ),
    "dividend_policy": expression(
        r"(?i)\b(?:resum\w+|reinstat\w+)\b[^.]{0,60}\bdividends?\b|\bpay-?out ratio\b|\bfirst(?:-ever)? dividends?\b"
        r"|\b(?:new|revised|amended) (?:dividend|distribution|capital return) policy\b"
    ),
}


def hint_of(event: EventKind | None, pages: Sequence[Page]) -> PageSentence | None:
    """The first sentence that may tell of an event, so that the pages are not silent about it; None where none does."""
    hints = _HINTS.get(event) if event else None
    if hints is None:
        return None
    found = (s for s in sentences_on(pages) if hints.search(s.text))
    return next((s for s in found if not SUPPOSED.search(s.text) and not NEGATED.search(s.text)), None)


_THIS_YEAR = expression(
    r"(?i)\b(?:during|in|throughout) (?:the|this) (?:(?:financial|fiscal|reporting) )?(?:year|period)\b"
)
_LISTED = expression(
    r"(?i)\bthe following table\b|\bbeneficial(?:ly)?\b|\bannual (?:general )?meeting\b|\bprior to\b"
)
_LEFT = expression(r"(?i)\b(?:retired(?! by rotation)|resigned|stepped down|departed)\b(?!.{0,120}\bre-?elect)")
_IN_FULL = {"CEO": "Chief Executive Officer", "CFO": "Chief Financial Officer", "COO": "Chief Operating Officer"}
_MONTHS_TO_REPORT = 6
_MOST_TOLD = 5  # sentences
_FOOTNOTE = expression(r"^\(\w{1,2}\) ")
_DIRECTORS = {"Director", "Directors"}
_SMALL = {"of", "and", "the", "for"}
_NO_PRODUCT = expression(
    r"(?i)\b(?:diversity|equity|esg|program(?:me)?s?|plans?|organi[sz]ation|committee|policy|initiative|strategy|report"
    r"|training|webpage|website|act|council|fund|foundation)\b|^[A-Z]{2,5}$"
)


def positions_changed(events: Sequence[Event], report: Report) -> dict[str, Event]:
    """The positions whose holder changed in the reported year, each with the first sentence about it.

    Changes between the period's end and the report's date count too; they come last.
    """
    found: dict[str, Event] = {}
    for event in sorted(_in_time(events, report), key=lambda e: is_later(e.quote, report)):
        found.setdefault(_position(event.about, event.quote), event)
    return found


def people_moved(events: Sequence[Event], report: Report, asked: MovesAsked) -> dict[str, Event]:
    """The people who joined or left in the reported time, as a question asks."""
    return movers(_in_time(events, report), asked)


def _in_time(events: Sequence[Event], report: Report) -> list[Event]:
    """The changes of the reported year and of the months up to the report's date."""
    return [
        event
        for event in events
        if (_is_within(event.quote, report) or is_later(event.quote, report))
        and not (_LISTED.search(event.quote) and not _LEFT.search(event.quote))
        and not is_at_another(event)
    ]


def is_later(quote: str, report: Report) -> bool:
    """Whether a sentence tells only of the months between the period's end and a report's usual date."""
    end, days = report.period_end, dates_in(quote)
    if end is None or not days or _is_within(quote, report):
        return False
    months = [(day.year - end.year) * 12 + day.month - end.month for day in days]
    return all(0 < each <= _MONTHS_TO_REPORT for each in months)


def products_launched(events: Sequence[Event]) -> dict[str, Event]:
    """The products launched according to sentences about the reported period."""
    found: dict[str, Event] = {}
    for event in events:
        is_product = event.about and not _NO_PRODUCT.search(event.about)
        if event.confidence == "high" and is_product:
            found.setdefault(event.about, event)
    return found


def draft_of_names(
    query: str,
    named: dict[str, Event],
    report: Report,
    pages: Sequence[Page],
    form: type[NameDraft] | type[NamesDraft],
) -> NameDraft | NamesDraft | None:
    """A draft of the names whose sentences are on the given pages; None without any, or with several for a name."""
    given = {page.page_number: page for page in pages}
    shown = {name: event for name, event in named.items() if event.page_number in given}
    if not shown or (form is NameDraft and len(shown) > 1):
        return None
    listing = "; ".join(
        f"{name} ({'later, ' * is_later(event.quote, report)}page {event.page_number})"
        for name, event in shown.items()
    )
    told = f"Sentences of the reported time tell of: {listing}. Confidence: medium."
    evidence = [passage(given[event.page_number], event.quote) for event in shown.values()]
    names = list(shown)
    answer = names[0] if form is NameDraft else names
    return drafted(form, query, answer, told, evidence, f"{told} Others may be told of in other words.")


def draft_of_told(
    query: str, event: EventKind, events: Sequence[Event], report: Report, pages: Sequence[Page]
) -> TextDraft | None:
    """The sentences that tell of events of the reported time, in the report's order; None where no page has one."""
    in_time = _in_time(events, report) if event == "leadership_change" else products_launched(events).values()
    given = {page.page_number: page for page in pages}
    quotes = {_FOOTNOTE.sub("", e.quote): e.page_number for e in reversed(list(in_time)) if e.page_number in given}
    told = [(given[n], quote) for quote, n in quotes.items() if locate(quote, given[n]) is not None][:_MOST_TOLD]
    if not told:
        return None
    told.sort(key=lambda each: each[0].page_number)
    listed = ", ".join(dict.fromkeys(str(page.page_number) for page, _ in told))
    answer = [Answer(text=quote, evidence_numbers=[n]) for n, (_, quote) in enumerate(told, 1)]
    summary = f"Sentences on page {listed} tell it. Others may tell it in other words."
    return drafted(TextDraft, query, answer, summary, [passage(page, quote) for page, quote in told])


def _is_within(quote: str, report: Report) -> bool:
    """Whether a date of the sentence is in the twelve months before the period's end, or it says "during the year"."""
    if report.period_end is None:
        return False
    return bool(_THIS_YEAR.search(quote)) or any(is_in_year_to(d, report.period_end) for d in dates_in(quote))


def _position(about: str, quote: str) -> str:
    """A title in the singular, in full and capitalised; joining a body such as the board gives a membership."""
    if (
        re.search(rf"\bBoard of {re.escape(about.removesuffix('s'))}s\b", quote)
        and about.title() not in _DIRECTORS
    ):
        return f"Member of the Board of {about.removesuffix('s')}s"
    if about.title() in _DIRECTORS:
        return "Director"
    words = [_IN_FULL.get(word, word) for word in about.split()]
    return " ".join(w if w in _SMALL or w[:1].isupper() else w.capitalize() for w in words)
