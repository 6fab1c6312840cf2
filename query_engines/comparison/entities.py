"""Finds the companies that a question names or lists, known and unknown ones, or means by "all three"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from query_engines.company_names.matcher import CompanyNames, Naming
from query_engines.company_names.vocabulary import (
    LEGAL_FORMS,
    ends_in_a_form,
    is_question_word,
    is_spelled_right,
    name_key,
)
from query_engines.comparison.plan import Entity
from query_engines.question.parsed import ParsedQuestion
from query_engines.question.parser import MARK, plain_text
from storage.lexicon.names import FORM_IN_SENTENCES, NATIONALITIES, names_a_place
from storage.lexicon.question_words import SUP
from storage.lexicon.words import expression
from storage.records.reports import Company
from storage.text import plain, words

_QUOTED = expression(r'"([^"]{1,100})"')
_JOINED = expression(
    r"""[\s,;:/&(]*(?:(?:and|or|vs\.?|versus|than|with|to|against|between|of|for|like)\b[\s,;:/&]*
        (?:that\ of\ |those\ of\ |did\ |the\ )?)?""",
    re.VERBOSE | re.IGNORECASE,
)
_COMPARED = expression(r"\b(?:than|compared (?:to|with)|relative to|versus|vs\.?)(?: that of)? $", re.I)
_NAME = r"(?:[A-Z0-9][\w.&'-]{0,40})(?: (?:(?:of|and|de|the|for) )?(?:[A-Z0-9&][\w.&'-]{0,40})){0,9}"
_FORM = rf"(?:,? (?:{FORM_IN_SENTENCES}|LP|Co)\b\.?)?"
_LINK = r"(?:,? (?:and|or|vs\.?|versus|than|than that of|against|compared (?:to|with)|with)|,) "
_THAT_OF = r"(?:with|to|against|than|and|or|from|versus|vs\.?) (?:that|those|the ones?|the same) (?:of|at|for) "
_AGAINST = r"(?:(?:compare[sd]?|comparing|relative) (?:to|with|against)|than|versus|vs\.?|exceed|beat|outperform) "
_SMALL = r"[a-z][a-z0-9&-]{2,30}"
_STRANGER = (
    expression(rf"@\d+(?:'s)?{_LINK}(?P<name>{_NAME}{_FORM})"),
    expression(rf"(?<![\w@])(?P<name>{_NAME}{_FORM})(?:'s)?{_LINK}@\d+"),
    expression(rf"\b(?:{_THAT_OF}|{_AGAINST})(?P<name>{_NAME}{_FORM})"),
    expression(rf"(?:@\d+ (?:versus|vs\.?) |\b{_THAT_OF})(?P<name>{_SMALL})(?![\w-])"),
)
_TIME = expression(r"[\d.,-]+|(?:FY|[QH])\d+", re.IGNORECASE)


_OF_COUNTRY = expression(
    rf"\b(?:the|that|this) (?P<from>{'|'.join(map(re.escape, NATIONALITIES))})"
    r"(?: (?:one|company|firm|group|lot|business|bunch|maker|manufacturer|outfit|guys|people|name)\b"
    r"|(?=\s{0,3}(?:[?.!,;:]|$)|'s"
    r"|\s(?:has|have|had|is|are|was|were|did|do|does|pays?|too|also|as well|and|in|for)\b))",
    re.IGNORECASE,
)


_MAX_OFFERED = 20  # companies of one question for which the nearest known names are looked up, if they are unknown


@dataclass(frozen=True)
class Listed:
    """A question whose companies are numbered in its order: "Did @0 earn more than @1?".

    Attributes:
        text: of the question, in plain form.
        entities: without their questions.
        strangers: how many of them are only capitalised words in the place of a company, not a known name.
        currency: that the question wants for its answer.
    """

    text: str
    entities: tuple[Entity, ...]
    strangers: int = 0
    currency: str | None = None


@dataclass(frozen=True)
class _Span:
    start: int
    end: int
    label: str
    companies: tuple[Company, ...]
    quoted: bool = False


def listed(parsed: ParsedQuestion, names: CompanyNames | None = None) -> Listed:
    """The question with a number for each company that it names; `names` replaces the question's own name list."""
    text = plain_text(parsed.wording)
    naming = parsed.naming if names is None else names.read(text)
    names = parsed.names if names is None else names
    spans = _spans(text, names, naming)
    entities: dict[str, Entity] = {}
    marked, end = "", 0
    for span in spans:
        entity = _entity(span, names, offers=len(entities) < _MAX_OFFERED)
        key = entity.company or entity.label.lower()
        entities.setdefault(key, entity)
        marked += f"{text[end : span.start]}{MARK}{list(entities).index(key)}"
        end = span.end
    marked = re.sub(rf"({MARK}\d+)'(?!s)", r"\1's", marked + text[end:])
    named_entities = tuple(_as_written(p, parsed.wording) for p in entities.values())
    found = Listed(marked, named_entities, currency=parsed.currency)
    return _with_strangers(found, names) if found.entities else found


def _spans(text: str, names: CompanyNames, naming: Naming) -> list[_Span]:
    mentioned: list[tuple[str, int, tuple[Company, ...]]] = [
        (m.words, m.start, (m.company,)) for m in naming.mentions
    ]
    mentioned += [(d.words, d.start, d.companies) for d in naming.doubts]
    found = [_written(text, words, start, companies) for words, start, companies in mentioned]
    quoted = [_in_quotes(match, found, names) for match in _QUOTED.finditer(text)]
    outside = [s for s in found if not any(q.start <= s.start < q.end for q in quoted)]
    again = list(_again(text, [*outside, *quoted]))
    ordered = sorted([*outside, *again, *quoted], key=lambda s: s.start)
    return [s for at, s in enumerate(ordered) if s.companies or _is_listed(text, ordered, at)]


def _written(text: str, words: str, start: int, companies: tuple[Company, ...]) -> _Span:
    """A name as it is in the text, without the possessive and with the full stop of its legal form."""
    label = re.sub(r"'[sS]$", "", words)
    end = start + len(label)
    after = text[end + 1 : end + 2]
    if text[end : end + 1] == "." and name_key(label)[-1] in LEGAL_FORMS and after and after in " ,'\")?:;":
        end += 1
    return _Span(start, end, text[start:end], companies)


def _in_quotes(match: re.Match[str], found: list[_Span], names: CompanyNames) -> _Span:
    label = match[1].strip()
    inside = [s for s in found if match.start() < s.start < match.end()]
    companies = tuple(names.named(label))
    if not companies and len(inside) == 1 and 2 * len(inside[0].label) > len(label):
        companies = inside[0].companies
    return _Span(match.start(), match.end(), label, companies, quoted=True)


def _again(text: str, spans: list[_Span]) -> Iterator[_Span]:
    """Further places where a name occurs in the same words; where two overlap, the longer one."""
    taken = bytearray(len(text))
    for span in spans:
        taken[span.start : span.end] = b"\1" * (span.end - span.start)
    first = {span.label: span for span in reversed(spans) if span.label}
    for label, span in sorted(first.items(), key=lambda item: -len(item[0])):
        for match in re.finditer(rf"(?<!\w){re.escape(label)}(?!\w)", text):
            if not any(taken[match.start() : match.end()]):
                taken[match.start() : match.end()] = b"\1" * len(label)
                yield _Span(match.start(), match.end(), label, span.companies)


def _is_listed(text: str, spans: list[_Span], at: int) -> bool:
    """Whether a quoted text is part of a list of names, or the other side of a comparison; `Acme ("A")` is not."""
    if text[: spans[at].start].endswith("(") and text[spans[at].end :].startswith(")"):
        return False
    before = text[spans[at - 1].end : spans[at].start] if at else ""
    after = text[spans[at].end : spans[at + 1].start] if at + 1 < len(spans) else ""
    return any((_JOINED.fullmatch(gap) and gap.strip()) or _COMPARED.search(gap) for gap in (before, after))


def _entity(span: _Span, names: CompanyNames, *, offers: bool) -> Entity:
    """The company of a span; of an unknown one, the nearest names are looked up where it `offers` them."""
    if len(span.companies) == 1:
        return Entity(label=span.label, company=span.companies[0].name)
    offered = tuple(c.name for c in span.companies) or (names.nearest(span.label) if offers else ())
    return Entity(label=span.label, candidates=offered, is_ambiguous=bool(span.companies))


def _as_written(entity: Entity, question: str) -> Entity:
    """With the label as the user typed it, where the plain form differs."""
    if entity.label in question:
        return entity
    pieces = re.findall(r"[\"'“”„«‘]([^\"“”„»’]+)[\"'“”»’]", question)
    label = next((piece for piece in pieces if plain(piece) == entity.label), entity.label)
    return entity.model_copy(update={"label": label})


def _with_strangers(found: Listed, names: CompanyNames) -> Listed:
    """Add names beside a known company that look like companies but are not in the library."""
    text, entities, guessed = found.text, list(found.entities), 0
    for pattern in _STRANGER:
        for match in list(pattern.finditer(text)):
            label = _bare(match["name"])
            key = name_key(label)
            is_known = all(is_spelled_right(word) or _TIME.fullmatch(word) for word in key)
            if is_known or _TIME.fullmatch(label) or names_a_place(label):
                continue
            guessed += not ends_in_a_form(key)
            mark = f"{MARK}{len(entities)}"
            text = re.sub(rf"(?<!\w){re.escape(label)}(?!\w)", mark, text)
            offered = names.nearest(label) if len(entities) < _MAX_OFFERED else ()
            entities.append(Entity(label=label, candidates=offered))
    order = list(dict.fromkeys(int(number) for number in re.findall(rf"{MARK}(\d+)", text)))
    renumbered = re.sub(rf"{MARK}(\d+)", lambda m: f"{MARK}{order.index(int(m[1]))}", text)
    return replace(found, text=renumbered, entities=tuple(entities[number] for number in order), strangers=guessed)


def _bare(name: str) -> str:
    """The name without question words before it and without the possessive."""
    words = name.rstrip(",'").split()
    while words and is_question_word(words[0].lower()):
        del words[0]
    label = re.sub(r"'s$", "", " ".join(words))
    return label if ends_in_a_form(name_key(label)) else label.rstrip(".")


# Words that stand for several companies at once: "all three", "any of them", "who has the most employees?".
_WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_COUNTS = {word: count for count, word in enumerate(_WORDS, 2)}
_COUNT = rf"(?:{'|'.join(_COUNTS)}|\d{{1,3}})"
_FIRMS = r"(?:companies|firms|issuers)"
_FIRM = rf"(?:{_FIRMS}|company|firm|issuer)"
_THEM = (
    rf"(?:(?:the|these|those|our|my) {_COUNT}(?: {_FIRMS})?|(?:these|those) {_FIRMS}|{_COUNT} {_FIRMS}"
    r"|them(?: all)?|these|those)"
)
_OF_LIBRARY = (
    rf"(?:all|each|every|any|our|both)(?: of)?(?: (?:the|our))?(?: {_COUNT})? (?:{_FIRMS}|reports)"
    r"(?: (?:in|of) (?:the|our|this|my) library)?|the (?:companies|firms) (?:in|of) (?:the|our|this|my) library"
)
_SET = expression(
    rf"\b(?:(?:all|any|each|every ?one|either|both|one|none|neither) (?:one )?of {_THEM}"
    rf"|(?:all|the|these|those|our|my) {_COUNT}(?: {_FIRMS}| of them)?|(?:these|those) {_FIRMS}|{_OF_LIBRARY}"
    rf"|(?:they|them) all|(?:each|every) (?:{_FIRM}|one(?=\W*$| please\W*$))"
    r"|(?<=which of )(?:them|these|those)|both(?=\W*$))\b",
    re.IGNORECASE,
)
_LISTED = expression(
    r"^(?:\w+ ){0,3}?(?:rank|sort|order|list|put|line up)(?: me)? (?P<them>them|everything)\b", re.IGNORECASE
)
_COUNTED = expression(rf"\b{_COUNT}\b", re.IGNORECASE)
# "The three" are companies where the sentence ends or goes on with what somebody does, not with what is counted.
_GOES_ON = expression(rf"\W*$|[,;:.?!)]| (?:of them|{_FIRMS})\b| \w+(?:s|ed) (?:the )?{SUP}\b", re.IGNORECASE)
_IS_OF_FIRMS = expression(rf"(?:{_FIRM}|them|all|one|both|reports|library)$", re.IGNORECASE)
_ANY = expression(r"(?:any|one|either|none|neither)\b", re.IGNORECASE)
_ANY_FIRMS = expression(rf"any {_FIRMS}$", re.IGNORECASE)  # those that were bought, and not those of the library
_LIBRARY = expression(rf"(?:{_OF_LIBRARY})$", re.IGNORECASE)
_LEADS_TO_NAMES = expression(
    r"(?:\b(?:of|for|in|at|by|from|with|to|between|across|among|rank|sort|order|list|put|compare|did|do|does|is|are|was"
    r"|were|has|have|had|can|could|will|and)|[,;:])$",
    re.IGNORECASE,
)
_WHO = expression(
    r"^(?:(?:and|so|but|then|ok(?:ay)?)\b[, ]*)*(?:who|which(?: one)?)(?P<rest> (?:has|had|earn\w*|ma[dk]e\w*|employ\w*"
    rf"|pa(?:ys|id)|spen[dt]\w*|grew|grows|sold|sells)(?: \w+)?? (?:the )?{SUP} (?!of\b)\w.*)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Everyone:
    """Words in a text that stand for several companies.

    Attributes:
        before, after: the text around them.
        counted: how many they are, as it is written; "" where it is not said.
        link: "or" for any of them, else "and".
        is_of_library: whether they say that all companies of the library are meant, whoever was asked about before.
    """

    before: str
    after: str
    counted: str = ""
    link: str = "and"
    is_of_library: bool = False

    @property
    def count(self) -> int | None:
        """How many companies they are, where it is said."""
        return _COUNTS.get(self.counted.lower()) or int(self.counted) if self.counted else None

    def named(self, names: Sequence[str]) -> Listed:
        """The text with these companies, numbered, in the place of the words."""
        marks = listed_names([f"{MARK}{number}" for number in range(len(names))], self.link)
        entities = tuple(Entity(label=name, company=name) for name in names)
        joint = "" if not self.before or _LEADS_TO_NAMES.search(self.before) else " of"
        return Listed(f"{self.before}{joint} {marks}{self.after}".strip(), entities)


_AT_AN_END = expression(
    rf"\b(?:(?:the|our) )?(?:(?P<first>{_COUNT}) )?(?:(?P<high>biggest|largest|greatest|top)|smallest)"
    rf"(?: (?P<second>{_COUNT}))? {_FIRMS}(?: (?:in|of) (?:the|our|this|my) library)?"
    r"(?P<clause> (?:by|in terms of|measured by) (?P<by>[a-z' -]{3,40}))?",
    re.IGNORECASE,
)
_ORDERS = expression(r"^(?:\w+ ){0,2}?(?:rank|sort|order|compare)\b", re.IGNORECASE)  # by what follows
_SIZE = "total revenue"  # by which companies are big, where nothing else is said


@dataclass(frozen=True)
class Biggest:
    """Words in a text that stand for the so many biggest or smallest companies of the library.

    Attributes:
        words: the text with its companies left out, around the place of the words.
        count: how many they are.
        is_high: whether the biggest are meant.
        by: what is measured.
    """

    words: Everyone
    count: int
    is_high: bool
    by: str


def biggest_in(wording: str) -> Biggest | None:
    """The words of a text that stand for companies at one end of the library; None without such words."""
    found = _AT_AN_END.search(wording)
    counted = (found["first"] or found["second"]) if found else None
    if found is None or counted is None:
        return None
    by = None if _ORDERS.match(wording) else found["by"]
    after = wording[found.end() if by or not found["by"] else found.start("clause") :]
    words = Everyone(wording[: found.start()].rstrip(), after or "?", counted)
    return Biggest(words, words.count or 0, found["high"] is not None, by or _SIZE)


def everyone_in(wording: str) -> Everyone | None:
    """The words of a text that name no company and stand for several; None without such words."""
    if biggest_in(wording) is not None:
        return None
    if (who := _WHO.match(wording)) is not None:
        return Everyone(f"Which company{who['rest'].rstrip(' ?.!')}:", "?")
    if (found := _LISTED.search(wording)) is not None:
        start, end = found.span("them")
    elif (found := _SET.search(wording)) is not None and _is_of_companies(found, wording[found.end() :]):
        start, end = found.span()
    else:
        return None
    words = wording[start:end]
    counted = _COUNTED.search(words)
    return Everyone(
        before=wording[:start].rstrip(),
        after=wording[end:],
        counted=counted[0] if counted else "",
        link="or" if _ANY.match(words) else "and",
        is_of_library=_LIBRARY.match(words) is not None and not words.lower().startswith("both"),
    )


def of_country(text: str, companies: Sequence[Company]) -> Listed | None:
    """The companies that "the Dutch one" can only be, numbered; a stranger where none or several can be meant."""
    found = list(_OF_COUNTRY.finditer(text))
    if not found:
        return None
    entities = tuple(_from(match, companies) for match in found)
    for at, match in reversed(list(enumerate(found))):
        text = f"{text[: match.start()]}{MARK}{at}{text[match.end() :]}"
    return Listed(text, entities, strangers=sum(entity.company is None for entity in entities))


def _from(match: re.Match[str], companies: Sequence[Company]) -> Entity:
    currency, forms = NATIONALITIES[match["from"].lower()]
    fitting = [
        company.name
        for company in companies
        if (report := company.main_report) is not None and report.currency == currency
        if not forms or not forms.isdisjoint(name_key(plain(company.name))[-1:])
    ]
    name = fitting[0] if len(fitting) == 1 else None
    return Entity(label=name or match[0], company=name)


def _is_of_companies(found: re.Match[str], after: str) -> bool:
    """Whether it is companies that are counted: "the three", and not "the three months" or "all three segments"."""
    if _ANY_FIRMS.match(found[0]):
        return False
    if _IS_OF_FIRMS.search(found[0]):
        return True
    following = words(after)[:1] if after.startswith(" ") and after[1:2].isalnum() else []
    return _GOES_ON.match(after) is not None or any(map(is_question_word, following))


def listed_names(names: Sequence[str], link: str = "and") -> str:
    """The names as one writes them: "A, B and C"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {link} {names[-1]}"
