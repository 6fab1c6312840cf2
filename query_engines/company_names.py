"""Which companies a text names."""

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from storage.reports import Company
from storage.text import plain

_LEGAL_FORMS = {
    *(
        "inc",
        "incorporated",
        "corp",
        "corporation",
        "co",
        "company",
        "plc",
        "ltd",
        "limited",
        "llc",
        "lp",
        "ag",
        "se",
    ),
    *("sa", "nv", "gmbh", "ab", "asa", "oyj", "spa", "kk", "the", "holdings", "holding", "group", "bhd", "pty"),
}
_LONGEST_TICKER = 5
_TOKEN = re.compile(r"[^\W_]+(?:['.&][^\W_]+)*")


@dataclass(frozen=True)
class _Token:
    text: str
    start: int
    end: int
    capital: bool
    upper: bool


@dataclass(frozen=True)
class Mention:
    """A company named in a text, by the words that stand there."""

    company: Company
    words: str
    start: int


class CompanyNames:
    """Finds companies by full name or alias, longest first, whole words; legal forms may be left out.

    A name without its legal form ("Holley") counts only where the text writes it with a capital.
    """

    def __init__(self, companies: Sequence[Company]) -> None:
        self._companies = tuple(companies)
        self._exact: dict[tuple[str, ...], list[Company]] = {}
        self._short: dict[tuple[str, ...], list[Company]] = {}
        for company in companies:
            for name in (company.name, *company.aliases):
                key = _key(name)
                _put(self._exact, key, company)
                if name == company.name or not _is_ticker(name):
                    _put(self._short, _without_legal_form(key), company)
        self._longest = max((len(k) for k in (*self._exact, *self._short)), default=0)

    def mentions(self, text: str) -> list[Mention]:
        """The companies that a text names, in its order; a name inside a longer name is not counted."""
        clean = plain(text)
        tokens = _tokens(clean)
        found: list[Mention] = []
        start = 0
        while start < len(tokens):
            length, companies = self._longest_at(tokens, start)
            first, last = tokens[start], tokens[start + max(length, 1) - 1]
            found += [Mention(c, clean[first.start : last.end], first.start) for c in companies]
            start += max(length, 1)
        return _each_once(found)

    def named(self, name: str) -> list[Company]:
        """The companies of exactly this name or alias, legal form forgiven."""
        key = _key(plain(name))
        return self._exact.get(key) or self._short.get(_without_legal_form(key), [])

    def nearest(self, text: str, count: int = 5) -> tuple[str, ...]:
        """Names most like something in the text, best first."""
        words = [t.text for t in _tokens(plain(text))]
        ranked = sorted(self._companies, key=lambda c: (-_likeness(c, words), c.name))
        return tuple(c.name for c in ranked[:count])

    def _longest_at(self, tokens: Sequence[_Token], start: int) -> tuple[int, list[Company]]:
        for length in range(min(self._longest, len(tokens) - start), 0, -1):
            key = tuple(t.text for t in tokens[start : start + length])
            if key in self._exact and (written := self._as_written(key, tokens[start])):
                return length, written
            if key in self._short and tokens[start].capital:
                return length, self._short[key]
        return 0, []

    def _as_written(self, key: tuple[str, ...], token: _Token) -> list[Company]:
        """The companies of this exact name; a ticker such as NEO or ALL counts only where it stands in capitals."""
        if len(key) > 1 or token.upper:
            return self._exact[key]
        return [c for c in self._exact[key] if not any(_is_ticker(n) and _key(n) == key for n in c.aliases)]


def _is_ticker(name: str) -> bool:
    return name.isupper() and len(name) <= _LONGEST_TICKER and name.isalnum()


def _key(name: str) -> tuple[str, ...]:
    return tuple(t.text for t in _tokens(name))


def _tokens(text: str) -> list[_Token]:
    return [
        _Token(
            m[0].lower().replace(".", "").removesuffix("'s"),
            m.start(),
            m.end(),
            m[0][0].isupper() or m[0][0].isdigit(),
            m[0].removesuffix("'s").isupper(),
        )
        for m in _TOKEN.finditer(plain(text))
    ]


def _without_legal_form(key: tuple[str, ...]) -> tuple[str, ...]:
    short = key
    while len(short) > 1 and short[-1] in _LEGAL_FORMS:
        short = short[:-1]
    return short[1:] if len(short) > 1 and short[0] == "the" else short


def _put(table: dict[tuple[str, ...], list[Company]], key: tuple[str, ...], company: Company) -> None:
    known = table.setdefault(key, []) if key else []
    if company not in known:
        known.append(company)


def _each_once(mentions: Sequence[Mention]) -> list[Mention]:
    return list({m.company.name: m for m in reversed(mentions)}.values())[::-1]


def _likeness(company: Company, words: Sequence[str]) -> float:
    best = 0.0
    for name in (company.name, *company.aliases):
        key = _without_legal_form(tuple(t.text for t in _tokens(name)))
        target = " ".join(key)
        windows = (" ".join(words[i : i + len(key)]) for i in range(max(1, len(words) - len(key) + 1)))
        best = max(best, max(difflib.SequenceMatcher(None, target, w).ratio() for w in windows))
    return best
