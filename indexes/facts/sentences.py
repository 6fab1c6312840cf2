"""Sentences of a report, and the number of employees that sentences state."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from storage.amounts import NUMBER_WORDS, number_word
from storage.lexicon.calendar import ENGLISH_MONTH
from storage.lexicon.names import ABBREVIATED_FORM
from storage.lexicon.words import expression
from storage.records.pages import Page
from storage.records.record import Box
from storage.text import plain

_END = expression(r"(?<=[.!?])\s+(?=[\"'(]?[A-Z•])")
_ABBREVIATED = expression(
    rf"(?:\b(?:{ABBREVIATED_FORM}|Mr|Mrs|Ms|Dr|No|St|vs?|approx|Messrs|Bros|Prof|Jr|Sr|plc|U\.S|U\.K|e\.g|i\.e)|\b[A-Z])\.$"
)
_N = (
    r"(?P<n>\d{1,3}(?:[,'’ ]\d{3}){1,4}|\d{1,6}|" + "|".join(NUMBER_WORDS) + r")\b(?![,.]\d|%| per ?cent| million)"
)
_ASIDE = r"(?:\([^()]{1,24}\) )?"
_WHO = (
    r"(?:we|our (?:company|group|team)|the (?:company|group|bank|firm|trust|partnership"
    r"|corporation)|[A-Z][\w&.-]+(?: [A-Z][\w&.-]+){0,4}|it|and its subsidiaries"
    r"|team)"
)
_ABOUT = (
    r"(?:approximately |about |over |more than |some |around |a total of |only"
    r" |nearly |almost |in excess of |just over |just under |c\. ?|circa |an average"
    r" of |on average ){0,3}"
)
_SORT = (
    r"(?:(?:full[- ]?time|part[- ]?time|equivalent|permanent|active|regular|salaried"
    r"|dedicated|talented|total|global|and|or|\(?FTEs?\)?|skilled|teammates?|individual"
    r"|direct|people as|fulltime|\d{1,3}(?:\.\d)?)[ ,-]{1,2}){0,8}"
)
_STAFF = (
    r"(?:employees|staff(?: members)?|persons|people|team members|associates|FTEs?"
    r"|full[- ]time equivalents?|colleagues|teammates|workers|individuals)\b"
)
_RULES: tuple[tuple[int, re.Pattern[str]], ...] = (
    (
        10,
        expression(
            rf"(?i)\b(?:as of|as at|at|on) (?P<when>[^.;]{{4,40}}?),? (?-i:{_WHO})?[^.;]{{0,60}}?\b(?:had"
            rf"|have|has|employed|employ|employs|consisted of)\b[^.;\d]{{0,40}}?{_ABOUT}{_N}"
            rf" {_ASIDE}{_SORT}{_STAFF}"
        ),
    ),
    (8, expression(rf"(?i)\b(?:employed|employ|employs) {_ABOUT}{_N} {_ASIDE}{_SORT}{_STAFF}")),
    (
        8,
        expression(
            rf"(?i)\b(?:we|company|group|bank)\b[^.;]{{0,30}}? (?:had|have|has) {_ABOUT}{_N}"
            rf" {_ASIDE}{_SORT}{_STAFF}"
        ),
    ),
    (
        8,
        expression(
            rf"(?i)\b(?:total|average|monthly) (?:monthly )?number of {_SORT}(?:employees"
            rf"|staff|persons employed)\b[^.;\d]{{0,90}}(?:was|were|is|amounted to|totall?ed"
            rf"|stood at|:) {_ABOUT}{_N}"
        ),
    ),
    (
        7,
        expression(
            rf"(?i)\b(?:headcount|workforce|number of (?:\w+ )?(?:employees|staff))\b[^.;\d]{{0,60}}?"
            rf"(?:from \d[\d,]*+ )?(?:was|were|is|of|to|totall?ed|stood at|reached|at) {_ABOUT}{_N}(?! (?:years"
            rf"|months|days|{ENGLISH_MONTH}))"
        ),
    ),
    (8, expression(rf"(?i)\bon average,? {_ABOUT}{_N} {_SORT}{_STAFF} (?:worked|were employed)\b")),
    (
        8,
        expression(
            r"(?i)\b(?:durchschnitt\w*|beschäftig\w*|insgesamt)\b[^.;\d]{0,60}?\b(?P<n>\d{1,3}(?:\.\d{3})+|\d{1,6})\b"
            r" (?:arbeitnehmer|mitarbeiter|beschäftigte|angestellte)\w*"
        ),
    ),
    (5, expression(rf"(?i)\b(?:our|its|all) {_N} {_SORT}(?:colleagues|employees|people)\b")),
    (6, expression(rf"(?i)\b(?:team|workforce|family|staff) of {_ABOUT}{_N}(?: {_SORT}{_STAFF})?")),
    (
        5,
        expression(
            rf"(?i)\b{_ABOUT}{_N} {_SORT}(?:employees|staff|colleagues|team members)\b(?:"
            r" (?:worldwide|globally|in total|across|around the world|based in|located))"
        ),
    ),
    (3, expression(rf"(?i)^\W*{_ABOUT}{_N}\+? {_SORT}(?:employees|staff members|colleagues|team members)\W*$")),
)
_NOT_ALL = expression(
    r"(?i)\b(?:fewer than|less than|if (?:we|the)|laid off|terminat|let go|reduc(?:ed"
    r"|tion)|hired|joined|unions?|collective|covered by|eligible|options"
    r"|plan to|participa|owned by|acquired|board|committee|directors? and|survey"
    r"|per ?cent of|threshold|exceed|hire (?:an )?additional|former|represented"
    r"|up to \d|(?:customer|client)s? (?:that|which|who|with)"
    r"|volunteer|training|trained|women|female|male|gender|shareholders|subsidiary had|women's)\b"
)
_PART = expression(
    r"(?i)\b(?:segment|in our|sales force|located in|based in|engineers|research"
    r" and development|manufacturing|offshore|of (?:whom|which|these|those)|part-time)\b"
)
_TEAM = expression(
    r"(?i)\b(?:sales|commercial|clinical|field|support|research|engineering|management"
    r"|investment|marketing|legal|finance|security|esg) (?:\w+ )?(?:team|force"
    r"|staff|organi[sz]ation)\b"
)
# "1,649 employees located in Israel, 1,501 employees in Japan": each is a part.
_IN_A_PLACE = expression(
    r"^,? ?(?:who (?:are|were) )?(?:(?:located|based|working|employed|engaged) )?(?:in|at|within) (?:the )?[A-Z]"
)
_COUNTED_STAFF = expression(rf"(?i){_N} {_SORT}{_STAFF}")
_OF_A_PLACE = expression(r"(?i)^\W*(?:in|at|across) (?:these|those|this|that|each|such)\b")
_FULL_TIME = expression(r"(?i)^ (?:\w+ )?full[- ]?time\b")
_PART_TIME = expression(rf"(?i)^(?:[^.;]|\.(?=\d)){{0,120}}?\b{_N} {_ASIDE}(?:\w+ )?part[- ]?time\b")
_OTHER_EMPLOYER = expression(
    rf"(?:\band|\bwhile|[,;]) [A-Z][\w&.-]{{0,40}}(?: [A-Z][\w&.-]{{0,40}}){{0,3}} (?:directly |itself )?"
    rf"(?:had|has|employed|employs) (?i:{_ABOUT}{_N} {_ASIDE}{_SORT}{_STAFF})"
)
_NONE = expression(
    r"(?i)\b(?:has|have|had|does not have|did not have|no longer has) (?:no|any|zero) (?:direct )?employees\b"
)


@dataclass(frozen=True)
class Sentence:
    """A sentence with its place."""

    text: str
    page_number: int
    box: Box | None = None


@dataclass(frozen=True)
class Headcount:
    """A number of employees in a sentence or a row; a higher score means a more certain reading."""

    number: Decimal
    printed: str
    quote: str
    page_number: int
    score: float
    box: Box | None = None


def sentences_of(page: Page) -> Iterator[Sentence]:
    """The page's sentences outside tables, with wrapped lines joined; an unfinished paragraph is joined to the next."""
    held = ""
    for block in page.blocks:
        if block.table is not None or block.kind == "furniture":
            continue
        text = plain(f"{held} {block.text}")
        held = ""
        parts = split_sentences(text)
        open_ended = block.kind == "paragraph" and len(block.text) > 60 and not re.search(r"[.:;!?)\"']$", text)
        if open_ended and len(parts[-1]) < 400:
            held = parts.pop()
        for part in parts:
            yield Sentence(part, page.page_number, block.box)
    if held:
        yield Sentence(held, page.page_number)


def says_no_employees(sentences: Iterable[Sentence]) -> bool:
    """Whether the report says that the company employs nobody."""
    return any(_NONE.search(s.text) for s in sentences)


def headcounts(sentences: Sequence[Sentence], year: int | None) -> list[Headcount]:
    """Numbers of employees in sentences, the most certain first."""
    found = [
        count
        for s in sentences
        if re.search(r"(?i)employ|staff|headcount|workforce|people|team|colleague|FTE|persons", s.text)
        for count in _counts(s, year)
    ]
    return sorted(found, key=lambda c: (-c.score, c.page_number))


def other_part(count: Headcount) -> Decimal | None:
    """How many the same sentence counts apart: part-time beside full-time employees, or those of another company."""
    behind = count.quote.partition(count.printed)[2]
    other = _PART_TIME.match(behind) if _FULL_TIME.match(behind) else None
    other = other or _OTHER_EMPLOYER.search(behind)
    return _number(other["n"]) if other is not None else None


def _counts(sentence: Sentence, year: int | None) -> Iterator[Headcount]:
    for points, rule in _RULES:
        for match in rule.finditer(sentence.text):
            number = _number(match["n"])
            if number is None or (1990 <= number <= 2035 and "," not in match["n"]):
                continue
            score = points + _context(sentence.text, match, year)
            if score >= 4 and number > 0:
                yield Headcount(number, match["n"], sentence.text[:400], sentence.page_number, score, sentence.box)


def _context(text: str, match: re.Match[str], year: int | None) -> float:
    start, end = match.span()
    near = text[max(0, start - 60) : end + 40]
    score = -4.0 * bool(_NOT_ALL.search(near))
    before_n = text[max(0, start - 30) : match.start("n")]
    score -= 2.0 * bool(_PART.search(before_n)) + 1.0 * bool(_PART.search(match[0]))
    score -= 5.0 * bool(_TEAM.search(text[max(0, start - 30) : end]))
    score -= 5.0 * bool(_OF_A_PLACE.search(text[end:]))
    is_listed = _IN_A_PLACE.search(text[end:]) is not None and _COUNTED_STAFF.search(text[end:]) is not None
    score -= 8.0 * is_listed
    years = {int(y) for y in re.findall(r"\b20\d\d\b", text[max(0, start - 80) : end + 30])}
    if year is not None and years:
        score += 2.0 if year in years or year + 1 in years else -3.0
    return score


def _number(text: str) -> Decimal | None:
    digits = re.sub(r"\D", "", text)
    return Decimal(digits) if digits else number_word(text)


def split_sentences(text: str) -> list[str]:
    """The sentences of one line of text; an abbreviation ends none."""
    parts: list[str] = []
    for piece in _END.split(text):
        if parts and _ABBREVIATED.search(parts[-1]):
            parts[-1] = f"{parts[-1]} {piece}"
        else:
            parts.append(piece)
    return parts or [text]
