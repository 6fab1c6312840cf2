"""The company's name, elected by votes from the cover, the auditor's report, page headers and the text."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, zip_longest

from indexes.report_identity.legal_names import (
    addressed_name,
    has_legal_form,
    name_key,
    names_in,
    readable_spelling,
    whole_name,
)
from indexes.report_identity.votes import Elected, PrintedLine, PrintedText, Vote, elect
from storage.lexicon.calendar import ENGLISH_MONTH, YEAR
from storage.lexicon.words import expression

_CHARTER = expression(r"(?i)^\(?\s*exact name of (?:the )?(?:registrant|company|issuer)")
_CHARTERED = expression(
    r"(?i)^\(?\s*exact name of (?:the )?(?:registrant|company|issuer)"
    r"(?: as (?:specified|stated) in (?:its|the) charter)?\)?\s?[:–—-]\s?(?P<name>[^:]{3,120}?)\)?$"
)
_NO_NAME = expression(
    rf"(?i)\b(?:years?|periods?|quarters?|months|weeks|half[- ]year) end(?:ed|ing)\b"
    rf"|^(?:annual|quarterly|interim) report\b|^form \d"
    rf"|^(?:as (?:of|at) )?(?:\d{{1,2}} )?{ENGLISH_MONTH}(?: \d{{1,2}},?)? {YEAR}$"
)
_NOT_OVER_CHARTER = expression(r"(?i)commission|file n|\d{3}-\d{4}|transition|^or$|^to$")
_TO_WHOM = expression(
    r"(?i)\bto (?:the )?(?:(?:share|stock|unit)holders?|members|owners|board of directors|directors"
    r"|(?:annual |ordinary )?general meeting)\b(?:.{0,70}?\bof (?P<name>(?!directors\b).*)|.{0,60}$)"
)
_LEADS_IN = expression(r"(?i)^to (?:the )?|independent|auditor|report")
_PRESENT = expression(
    r"(?i)\bdirectors of (?P<name>.{2,120}?) (?:\([^()]{0,80}\) ?)?(?:present|submit|are pleased|have pleasure)"
)
_STATEMENTS_OF = expression(
    r"(?i)\b(?:financial statements|financial report|balance sheets?) of (?P<name>.{3,80}?)"
    r"(?: \(|,? and (?:its|subsidiaries)| for the| as of| as at|$)"
)
_HEAD_REST = expression(
    rf"(?i)\b{YEAR}(?:[/-]\d{{2,4}})?\b|\bannual[ -](?:report|financial report)s?\b|\bfinancial statements\b"
    r"|\bform (?:10-k|20-f|40-f)\b|(?:&|\band\b) accounts\b|\b(?:for the )?(?:fiscal |financial )?year ended\b|\|"
    rf"|^\s*\d+\b|\b\d+\s*$|[•·]|\bpage\b|\b\d{{1,2}} {ENGLISH_MONTH}\b"
)
_COVER_PAGES = 3
_MOST_HEAD_WORDS = 8
_CHARTER_WEIGHT = 20.0
SURE = 4.0  # with less weight, the file's name is the better guess
_DEFINED = expression(r"^[\s,]{0,2}\((?P<inside>[^()]{3,120})\)")
_QUOTED = expression(r"[\"“'‘](?P<name>[^\"“”‘’]{2,40}?)[\"”'’]")
_NO_SHORT_NAME = frozenset(
    (
        *(
            "we",
            "us",
            "our",
            "ours",
            "it",
            "its",
            "and",
            "or",
            "of",
            "the",
            "bank",
            "company",
            "corporation",
            "fund",
        ),
        *("group", "holding", "holdings", "issuer", "parent", "registrant", "together", "trust", "trustee"),
    )
)
_FEWEST_INITIALS = 3


def elected_name(lines: Sequence[PrintedLine], texts: Sequence[PrintedText], page_count: int) -> Elected | None:
    """The name with most votes, or None when no name has enough."""
    votes = [*_charter(lines), *_addressees(lines), *_stated(texts), *_cover(lines), *_heads(lines, page_count)]
    votes += _mentions(texts)
    votes += _bare_cover(lines, {name_key(v.value) for v in votes})
    return elect((v for v in votes if name_key(v.value) and not _NO_NAME.search(v.value)), name_key, SURE)


def full_name(elected: Elected) -> str:
    """The spelling of the elected name to show: as in the charter, else with its legal form."""
    spellings: defaultdict[str, float] = defaultdict(float)
    for vote in elected.votes:
        spellings[vote.value.strip(" ,")] += vote.weight
    with_form = {name: weight for name, weight in spellings.items() if has_legal_form(name)}
    chartered = elected.votes[0].weight >= _CHARTER_WEIGHT
    return readable_spelling(dict(spellings) if chartered or not with_form else with_form)


def short_names(elected: Elected, texts: Iterable[PrintedText]) -> tuple[str, ...]:
    """The names that the report gives itself in brackets: "Acme Semiconductor Ltd. (“Acme” or the “Company”)".

    Only a part of the elected name counts, or its initials, so that a brand or a subsidiary is none.
    """
    key = name_key(elected.votes[0].value)
    words = key.split()
    initials = "".join(word[0] for word in words)
    found: dict[str, None] = {}
    for text in texts:
        for name in dict.fromkeys(names_in(text.text)):
            after = (
                _DEFINED.search(text.text[text.text.find(name) + len(name) :]) if name_key(name) == key else None
            )
            for quoted in _QUOTED.finditer(after["inside"]) if after else ():
                short = quoted["name"].strip(" ,.").removeprefix("the ")
                if _is_part(name_key(short).split(), words) or _are_initials(short, initials):
                    found.setdefault(short)
    return tuple(found)


_FORMERLY = expression(
    r"(?P<whose>[^.;]{0,120}?)\b(?:formerly|previously)(?: known as| called| named| trading as)?[:,]? $"
    r"|(?P<it>[^.;]{0,120}?)\b(?:was|were) (?:then )?(?:known as|called|named) $"
    r"|(?P<own>[^.;]{0,120}?)\bchanged (?:its|our|the) (?:corporate |company )?name from $",
    re.IGNORECASE,
)
_ITSELF = expression(r"\b(?:it|we|the (?:company|group|issuer|registrant))\b|^[\s(]*$", re.IGNORECASE)


def former_names(elected: Elected, texts: Iterable[PrintedText]) -> tuple[str, ...]:
    """The names that the company says it had: "It was known as Acme Finance Limited until 3 May 2023"."""
    key = name_key(elected.votes[0].value)
    found: dict[str, None] = {}
    for text in texts:
        for name in names_in(text.text):
            said = _FORMERLY.search(text.text[: text.text.find(name)])
            subject = next((part for part in said.groups() if part is not None), "") if said else ""
            if said and name_key(name) != key and (_ITSELF.search(subject) or key in name_key(subject)):
                found.setdefault(name)
    return tuple(found)


def _is_part(short: list[str], words: list[str]) -> bool:
    return 0 < len(short) < len(words) and set(short) <= set(words) and not _NO_SHORT_NAME.issuperset(short)


def _are_initials(short: str, initials: str) -> bool:
    """Whether the letters are the name's initials in their order, the small words' and the last ones' left out."""
    rest = iter(initials)
    return short.isupper() and len(short) >= _FEWEST_INITIALS and all(letter in rest for letter in short.lower())


def _charter(lines: Sequence[PrintedLine]) -> Iterator[Vote]:
    """Votes from the line above "(Exact name of registrant as specified in its charter)", or from what it says."""
    for before, line in pairwise(lines):
        if found := _CHARTERED.search(line.text):
            name = addressed_name(found["name"]) or found["name"]
            yield Vote(name, _CHARTER_WEIGHT, line.page, line.text)
            return
        if _CHARTER.search(line.text) and not _NOT_OVER_CHARTER.search(before.text) and before.page == line.page:
            yield Vote(before.text, _CHARTER_WEIGHT, line.page, f"{before.text} {line.text}")
            return


def _addressees(lines: Sequence[PrintedLine]) -> Iterator[Vote]:
    seen = 0
    for line, after in zip_longest(lines, lines[1:]):
        found = _TO_WHOM.search(line.text)
        if not found or len(line.text) > 140 or not _LEADS_IN.search(line.text) or seen > 12:
            continue
        below = after.text if after and after.page == line.page else ""
        name = addressed_name(found["name"]) if found["name"] else whole_name(below)
        if found["name"] == "" or line.text.endswith(" of"):
            name = addressed_name(below)
        if name:
            seen += 1
            yield Vote(name, 6 if seen == 1 else 1, line.page, line.text)


def _stated(texts: Sequence[PrintedText]) -> Iterator[Vote]:
    """Votes from sentences that name the company of the report or the statements."""
    seen = 0
    for text in texts:
        for pattern, weight in ((_PRESENT, 4.0), (_STATEMENTS_OF, 2.0)):
            found = pattern.search(text.text[:600])
            name = addressed_name(found["name"]) if found else None
            if found and name and seen < 6:
                seen += 1
                yield Vote(name, weight, text.page, found[0])


def _cover(lines: Sequence[PrintedLine]) -> Iterator[Vote]:
    first = [line for line in lines if line.page <= _COVER_PAGES]
    for before, line in zip([None, *first], first, strict=False):
        weight = 5.0 if line.page == 1 else 2.0
        parts = re.split(r"\s[|•·]\s", line.text)
        if name := next(filter(None, map(whole_name, parts)), None):
            yield Vote(name, weight, line.page, line.text)
        if before and before.page == line.page and 0.8 <= before.height / max(line.height, 0.1) <= 1.25:
            joined = whole_name(f"{before.text} {line.text}")
            if joined and len(joined.split()) <= 7:
                yield Vote(joined, weight - 1, line.page, f"{before.text} {line.text}")


def _heads(lines: Sequence[PrintedLine], page_count: int) -> Iterator[Vote]:
    """Votes from page headers: a name with its legal form, or the rest beside "Annual report 2022"."""
    first: dict[str, PrintedLine] = {}
    counts: Counter[str] = Counter()
    for line in lines:
        if line.edge and len(line.text) <= 100:
            rest = " ".join(_HEAD_REST.sub(" ", line.text).split()).strip(" -,")
            name = whole_name(rest) or (rest if rest != line.text and "nnual" in line.text.lower() else None)
            if name and name_key(name) and len(name) > 2 and len(name.split()) <= _MOST_HEAD_WORDS:
                counts[name] += 1
                first.setdefault(name, line)
    for name, count in counts.items():
        if count >= 3:
            weight = min(1.0, 2 * count / page_count) * (5 if whole_name(name) else 4)
            yield Vote(name, weight, first[name].page, first[name].text)


def _mentions(texts: Sequence[PrintedText]) -> Iterator[Vote]:
    """Votes from the full names that are most frequent in the text."""
    first: dict[str, PrintedText] = {}
    counts: Counter[str] = Counter()
    for text in texts:
        for name in names_in(text.text):
            counts[name] += 1
            first.setdefault(name, text)
    most = max(counts.values(), default=0)
    for name, count in counts.most_common(8):
        if count > 1:
            yield Vote(name, 3 * count / most, first[name].page, name)


def _bare_cover(lines: Sequence[PrintedLine], keys: set[str]) -> Iterator[Vote]:
    """A vote from the first page for a name without its legal form, if another place has it too."""
    for line in lines:
        if line.page == 1 and name_key(line.text) in keys:
            yield Vote(line.text, 2, 1, line.text)
