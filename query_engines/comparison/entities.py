"""Finds the companies that a question names or lists, known and unknown ones."""

import re
from collections.abc import Iterator
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
from storage.lexicon.names import FORM_IN_SENTENCES, names_a_place
from storage.records.reports import Company
from storage.text import plain

_QUOTED = re.compile(r'"([^"]{1,100})"')
_JOINED = re.compile(
    r"""[\s,;:/&(]*(?:(?:and|or|vs\.?|versus|than|with|to|against|between|of|for|like)\b[\s,;:/&]*
        (?:that\ of\ |those\ of\ |did\ |the\ )?)?""",
    re.VERBOSE | re.IGNORECASE,
)
_COMPARED = re.compile(r"\b(?:than|compared (?:to|with)|relative to|versus|vs\.?)(?: that of)? $", re.I)
_NAME = r"(?:[A-Z0-9][\w.&'-]{0,40})(?: (?:(?:of|and|de|the|for) )?(?:[A-Z0-9&][\w.&'-]{0,40})){0,9}"
_FORM = rf"(?:,? (?:{FORM_IN_SENTENCES}|LP|Co)\b\.?)?"
_LINK = r"(?:,? (?:and|or|vs\.?|versus|than|than that of|against|compared (?:to|with)|with)|,) "
_THAT_OF = r"(?:with|to|against|than|and|or|from|versus|vs\.?) (?:that|those|the ones?|the same) (?:of|at|for) "
_AGAINST = r"(?:(?:compare[sd]?|comparing|relative) (?:to|with|against)|than|versus|vs\.?|exceed|beat|outperform) "
_SMALL = r"[a-z][a-z0-9&-]{2,30}"
_STRANGER = (
    re.compile(rf"@\d+(?:'s)?{_LINK}(?P<name>{_NAME}{_FORM})"),
    re.compile(rf"(?<![\w@])(?P<name>{_NAME}{_FORM})(?:'s)?{_LINK}@\d+"),
    re.compile(rf"\b(?:{_THAT_OF}|{_AGAINST})(?P<name>{_NAME}{_FORM})"),
    re.compile(rf"(?:@\d+ (?:versus|vs\.?) |\b{_THAT_OF})(?P<name>{_SMALL})(?![\w-])"),
)
_TIME = re.compile(r"[\d.,-]+|(?:FY|[QH])\d+", re.IGNORECASE)


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
