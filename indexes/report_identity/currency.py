"""The currency of a report, elected by votes from its policies, its statements and the country on its cover.

What a note is about says nothing of it: a heading such as "Issuance in Euros", or a code that is short for other words.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from indexes.enrichment.units import Unit, printed_currency, says_how, unit_of_line
from indexes.report_identity.votes import Elected, PrintedLine, PrintedText, Vote, elect
from storage.lexicon.money import CODES, ISO_CODES, is_dollar
from storage.lexicon.words import expression
from storage.records.metrics import OTHER_TITLES
from storage.records.pages import Page, Table

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
        ("USD", 3.0, r"(?i)\bform (?:10-[kq]t?|8-k)\b|annual report on form 10-k"),
        ("USD", 1.0, r"(?i)\bform 20-f\b"),
        ("USD", 0.9, r"(?i:\bnasdaq\s?:|\bnyse\s?:)"),
        ("AUD", 2.0, r"\b(?:ABN|ACN|A\.B\.N\.)\s?:?\s?\d{2,3}\s?\d{3}\s?\d{3}|\bASX\s?[:(]|\bASX [Cc]ode"),
        ("GBP", 1.0, r"(?i)\bcompanies act 2006\b|registered in england|\blondon stock exchange\b"),
        ("CAD", 1.0, r"\bTSX\s?:|(?i:toronto stock exchange)"),
        ("SGD", 1.0, r"\bSGX\s?:|(?i:singapore exchange)"),
        ("NZD", 1.0, r"\bNZX\s?:|\bNZBN\b"),
    )
)
_FIRST_PAGES = 12
_IN_BRACKETS = expression(rf" \([\"'“‘]?(?P<code>{'|'.join(CODES)})[\"'”’]?\)")
_CODE_WORD = expression(rf"\b(?P<code>{'|'.join(CODES)})(?P<more>[A-Z]{{2,}})?")
_WORD = expression(r"[^\W\d_]+")
_BARE_DOLLAR = expression(r"(?<![A-Za-z])\$(?!US)")
_TITLE_WORDS = 14
_ENOUGH_DOLLARS = 2
_MOST_PAGES = 4
SURE = 2.0


def elected_currency(
    pages: Sequence[Page], lines: Sequence[PrintedLine], texts: Sequence[PrintedText]
) -> Elected | None:
    """The ISO 4217 code with most votes, or None when no code has enough."""
    other, country = _Abbreviations.of(lines, texts), list(_country(lines))
    titled = _statement_pages(lines)
    on_statements = [line for line in lines if line.page in titled]
    votes = [*_statements(pages, other), *_dollars(on_statements, country)] or list(_tables(pages, other))
    votes += [*_policies(texts, other), *_units(lines, on_statements, other), *country]
    return elect(votes, least=SURE)


def _statement_pages(lines: Sequence[PrintedLine]) -> frozenset[int]:
    short = (line for line in lines if len(line.text.split()) <= _TITLE_WORDS)
    return frozenset(line.page for line in short if _STATEMENT.search(line.text))


@dataclass(frozen=True)
class _Abbreviations:
    """The codes of currencies that a report uses for other words: "coronary artery disease (CAD)"."""

    codes: frozenset[str] = frozenset()

    @classmethod
    def of(cls, lines: Sequence[PrintedLine], texts: Sequence[PrintedText]) -> "_Abbreviations":
        """Those that stand in brackets behind words whose initials they are, and that do not name the currency."""
        return cls(
            frozenset(
                found["code"]
                for text in (*(line.text for line in lines), *(text.text for text in texts))
                for found in _IN_BRACKETS.finditer(text)
                if _abbreviates(found["code"], _words_before(text, found.start()))
            )
        )

    def currency(self, text: str) -> str | None:
        """The one currency that a text names by something else than such an abbreviation."""
        return printed_currency(_CODE_WORD.sub(lambda m: " " if self._is_other(m) else m[0], text))

    def _is_other(self, found: re.Match[str]) -> bool:
        return found["code"] in self.codes or found["more"] != ""


_NEAR, _MOST_WORDS = 200, 6


def _words_before(text: str, place: int) -> str:
    """The last words before a place, none of them in brackets."""
    near = text[max(0, place - _NEAR) : place].replace("(", ")").rpartition(")")[2]
    return " ".join(near.split()[-_MOST_WORDS:])


def _abbreviates(code: str, words: str) -> bool:
    """Whether the letters are initials of the words, the first and the last word among them."""
    named = printed_currency(words)
    initials = [word[0].upper() for word in _WORD.findall(words)]
    if named == ISO_CODES[code]:
        return False
    return any(_is_spelled(code, initials[start:]) for start in range(len(initials)))


def _is_spelled(code: str, initials: Sequence[str]) -> bool:
    rest = iter(initials)
    is_within = all(letter in rest for letter in code)
    return is_within and (initials[0], initials[-1]) == (code[0], code[-1])


def _policies(texts: Sequence[PrintedText], other: _Abbreviations) -> Iterator[Vote]:
    seen: Counter[str] = Counter()
    for text in texts:
        if not _ABOUT_CURRENCY.search(text.text):
            continue
        for sentence in re.split(r"(?<=[a-z)\"])\. ", _DOTTED.sub("US", text.text)):
            if not _ABOUT_CURRENCY.search(sentence):
                continue
            code, weight = _policy(sentence, other)
            if code:
                seen[code] += 1
                yield Vote(code, weight if seen[code] == 1 else weight / 5, text.page, sentence[:200])


def _policy(sentence: str, other: _Abbreviations) -> tuple[str | None, float]:
    for weight, pattern in _POLICIES:
        found = pattern.search(sentence)
        if found and (code := other.currency(found[0])):
            return code, 1.0 if _OF_ANOTHER.search(sentence) else weight
    return None, 0.0


def _statements(pages: Sequence[Page], other: _Abbreviations) -> Iterator[Vote]:
    """Votes from the units over the columns of primary statements: 3 points for each page, at most four pages."""
    titled = ((page, table) for page in pages for table in page.tables if _STATEMENT.search(table.title))
    yield from islice(_columns(titled, 3, other), _MOST_PAGES)


def _tables(pages: Sequence[Page], other: _Abbreviations) -> Iterator[Vote]:
    """The same from any table, with 2 points, for a report whose statements say nothing, such as a short release."""
    tables = ((page, table) for page in pages for table in page.tables)
    yield from islice(_columns(tables, 2, other), _MOST_PAGES)


def _columns(tables: Iterable[tuple[Page, Table]], weight: float, other: _Abbreviations) -> Iterator[Vote]:
    for page, table in tables:
        codes = Counter(c.currency for c in table.columns if c.currency and c.currency not in other.codes)
        if codes:
            quote, code = f"{table.title} {table.unit}".strip(), codes.most_common(1)[0][0]
            yield Vote(code, weight, page.page_number, quote, is_hint=printed_currency(quote) != code)


def _units(
    lines: Sequence[PrintedLine], on_statements: Sequence[PrintedLine], other: _Abbreviations
) -> Iterator[Vote]:
    """Votes from lines that state a unit: 5 points, divided among the currencies that they name.

    Those of notes count where the statements have none, if there are two of them.
    """
    own = list(_units_stated(on_statements, other))
    found = own or list(_units_stated(lines, other))
    counts = Counter(code for code, _ in found)
    first = {code: line for code, line in reversed(found)}
    for code, count in counts.items():
        if count > 1 or own:
            yield Vote(code, 5 * count / len(found), first[code].page, first[code].text)


def _units_stated(lines: Sequence[PrintedLine], other: _Abbreviations) -> Iterator[tuple[str, PrintedLine]]:
    for line in lines:
        unit = unit_of_line(line.text)
        if unit is not None and _is_stated(unit, line) and (code := other.currency(unit.words)):
            yield code, line


def _is_stated(unit: Unit, line: PrintedLine) -> bool:
    """Whether a line says in what its figures are: by a scale, by words for it, or over the columns of a table."""
    return (unit.scale or 1) > 1 or says_how(unit.words) or line.table


def _country(lines: Sequence[PrintedLine]) -> Iterator[Vote]:
    """Votes from the country of filing, which decides whose dollar a "$" means. Each place counts once."""
    for code, weight, pattern in _COUNTRIES:
        for line in lines:
            if line.page <= _FIRST_PAGES and pattern.search(line.text):
                yield Vote(code, weight, line.page, line.text[:160], is_hint=True)
                break


def _dollars(on_statements: Sequence[PrintedLine], country: Sequence[Vote]) -> Iterator[Vote]:
    """A vote for the country's dollar where the statements print a bare "$".

    A note about another money does not outweigh it; statements that name another dollar do.
    """
    home = elect(vote for vote in country if is_dollar(vote.value))
    printed = [line for line in on_statements if _BARE_DOLLAR.search(line.text)]
    if home and len(printed) >= _ENOUGH_DOLLARS:
        yield Vote(home.votes[0].value, 2 + 2 * home.weight, printed[0].page, printed[0].text, is_hint=True)
