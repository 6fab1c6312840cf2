"""The currency of a report, elected by votes from its policies, its statements and the country on its cover."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from indexes.enrichment.units import printed_currency, unit_of_line
from indexes.report_identity.votes import Elected, PrintedLine, PrintedText, Vote, elect
from storage.lexicon.words import expression
from storage.records.metrics import OTHER_TITLES
from storage.records.pages import Page

_POLICIES: tuple[tuple[float, re.Pattern[str]], ...] = tuple(
    (weight, expression(pattern, re.IGNORECASE))
    for weight, pattern in (
        (
            10,
            r"(?:present(?:ation|ational|ed)?|reporting|report|stated|expressed|prepared)[^.;]{0,60}\b(?:in|is|are|being)\b"
            r"[^.;]{0,100}",
        ),
        (10, r"[^.;]{0,80}(?:which is|is|as) (?:its|our|the)[^.;]{0,60}(?:presentation|reporting) currency"),
        (
            3,
            r"functional currency of (?:the )?(?:company|group|our|parent|[A-Z]\w+)"
            r"[^.;]{0,80} (?:is|being) [^.;]{0,60}",
        ),
        (3, r"(?:company|group|parent)'s functional currency (?:is|to be|being) [^.;]{0,60}"),
    )
)
_ABOUT_CURRENCY = expression(
    r"(?i)\b(?:presentation|presentational|reporting|functional) currency|financial (?:statements|report|information)\b"
    r"[^.;]{0,60}\b(?:presented|expressed|stated|prepared)\b|\bamounts\b[^.;]{0,40}\b(?:expressed|presented|stated)\b"
)
_OF_ANOTHER = expression(r"(?i)subsidiar|foreign operation|other than|each (?:entity|of)|associate|joint venture")
_DOTTED = expression(r"\bU\.\s?S\.(?:A\.)?")
_STATEMENT = expression(
    r"(?i)\b(?:statements? of (?:\w+ |profit or loss and other )?(?:comprehensive |financial )?"
    r"(?:income|position|operations|cash ?flows?|profit|loss|earnings|condition)|balance sheets?|income statements?"
    r"|cash ?flow statements?|profit and loss account)"
    rf"|{'|'.join(OTHER_TITLES.values())}"
)
_COUNTRIES: tuple[tuple[str, float, re.Pattern[str]], ...] = tuple(
    (code, weight, expression(pattern))
    for code, weight, pattern in (
        ("USD", 3.0, r"(?i)\bform (?:10-[kq]|8-k)\b|annual report on form 10-k"),
        ("USD", 1.0, r"(?i)\bform 20-f\b"),
        ("AUD", 2.0, r"\b(?:ABN|ACN|A\.B\.N\.)\s?:?\s?\d{2,3}\s?\d{3}\s?\d{3}|\bASX\s?[:(]|\bASX [Cc]ode"),
        ("GBP", 1.0, r"(?i)\bcompanies act 2006\b|registered in england|\blondon stock exchange\b"),
        ("CAD", 1.0, r"\bTSX\s?:|(?i:toronto stock exchange)"),
        ("NZD", 1.0, r"\bNZX\s?:|\bNZBN\b"),
    )
)
_FIRST_PAGES = 12
SURE = 2.0


def elected_currency(
    pages: Sequence[Page], lines: Sequence[PrintedLine], texts: Sequence[PrintedText]
) -> Elected | None:
    """The ISO 4217 code with most votes, or None when no code has enough."""
    votes = [*_policies(texts), *_statements(pages), *_units(lines), *_country(lines)]
    return elect(votes, least=SURE)


def _policies(texts: Sequence[PrintedText]) -> Iterator[Vote]:
    seen: Counter[str] = Counter()
    for text in texts:
        if not _ABOUT_CURRENCY.search(text.text):
            continue
        for sentence in re.split(r"(?<=[a-z)\"])\. ", _DOTTED.sub("US", text.text)):
            if not _ABOUT_CURRENCY.search(sentence):
                continue
            code, weight = _policy(sentence)
            if code:
                seen[code] += 1
                yield Vote(code, weight if seen[code] == 1 else weight / 5, text.page, sentence[:200])


def _policy(sentence: str) -> tuple[str | None, float]:
    for weight, pattern in _POLICIES:
        found = pattern.search(sentence)
        if found and (code := printed_currency(found[0])):
            return code, 1.0 if _OF_ANOTHER.search(sentence) else weight
    return None, 0.0


def _statements(pages: Sequence[Page]) -> Iterator[Vote]:
    """Votes from the units over the columns of primary statements: 3 points for each page, at most four pages."""
    seen = 0
    for page in pages:
        for table in page.tables:
            codes = Counter(c.currency for c in table.columns if c.currency)
            if codes and _STATEMENT.search(table.title) and seen < 4:
                seen += 1
                quote, code = f"{table.title} {table.unit}".strip(), codes.most_common(1)[0][0]
                yield Vote(code, 3, page.page_number, quote, is_hint=printed_currency(quote) != code)


def _units(lines: Sequence[PrintedLine]) -> Iterator[Vote]:
    """Votes from lines that state a unit: 5 points, divided among the currencies that they name."""
    found = [
        (unit.currency, line) for line in lines if (unit := unit_of_line(line.text)) is not None and unit.currency
    ]
    counts = Counter(code for code, _ in found)
    first = {code: line for code, line in reversed(found)}
    for code, count in counts.items():
        if count > 1:
            yield Vote(code, 5 * count / len(found), first[code].page, first[code].text)


def _country(lines: Sequence[PrintedLine]) -> Iterator[Vote]:
    """Votes from the country of filing, which decides whose dollar a "$" means. Each place counts once."""
    for code, weight, pattern in _COUNTRIES:
        for line in lines:
            if line.page <= _FIRST_PAGES and pattern.search(line.text):
                yield Vote(code, weight, line.page, line.text[:160], is_hint=True)
                break
