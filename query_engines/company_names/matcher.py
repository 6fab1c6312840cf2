"""Finds the companies that a text names."""

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from query_engines.company_names.fuzzy import ENOUGH, NameStarts, SimilarNames, stands_for
from query_engines.company_names.mentions import WrittenText
from query_engines.company_names.vocabulary import (
    JOINTS,
    LEGAL_FORMS,
    LOOSE_FORMS,
    NameKey,
    ends_in_a_form,
    is_coined,
    is_common,
    is_question_word,
    name_key,
    read_words,
    split_at_capitals,
    without_forms,
)
from storage.records.reports import Company
from storage.text import plain

_Key = TypeVar("_Key")
_LONGEST_TICKER = 5
_FEWEST_INITIALS = 4
_LONGEST_SPAN = 10  # words
_SHORTEST_WORD = 3  # letters that a single word needs to identify a company
_FEW_WORDS = 2  # words of the language, which alone are no name
_SHORTEST_LETTERS = 7  # letters of the first words of a name, written as one word


@dataclass(frozen=True)
class Mention:
    """A company named in a text, with the words of the text."""

    company: Company
    words: str
    start: int


@dataclass(frozen=True)
class Doubt:
    """A name in a text that fits several companies."""

    companies: tuple[Company, ...]
    words: str
    start: int


@dataclass(frozen=True)
class Naming:
    """The companies in a text.

    Attributes:
        mentions: the companies that it certainly names, in its order, each once.
        doubts: names in it that fit several companies.
    """

    mentions: tuple[Mention, ...] = ()
    doubts: tuple[Doubt, ...] = ()

    @property
    def unclear(self) -> tuple[Company, ...]:
        """The companies that ambiguous names may mean, each once."""
        return tuple({c.name: c for doubt in self.doubts for c in doubt.companies}.values())

    @property
    def words(self) -> list[str]:
        """The words of the text that name companies."""
        return [*(mention.words for mention in self.mentions), *(doubt.words for doubt in self.doubts)]

    @property
    def companies(self) -> list[Company]:
        """All companies, the certain ones first."""
        return list({c.name: c for c in (*(m.company for m in self.mentions), *self.unclear)}.values())


class CompanyNames:
    """Finds companies as people write them: by full name, alias, ticker, unique prefix, or with a typo.

    The longest name counts. A word that may be a common word counts only where it is written as a name. An uncertain
    name counts as none, since asking the user is better than a wrong company.
    """

    def __init__(self, companies: Sequence[Company]) -> None:
        self._companies = tuple(companies)
        self._full: dict[NameKey, list[Company]] = {}
        self._short: dict[NameKey, list[Company]] = {}
        self._beginnings: dict[NameKey, list[Company]] = {}
        self._tickers: dict[str, list[Company]] = {}
        self._by_words: dict[str, list[Company]] = {}  # words that are used only in names
        self._letters: dict[str, list[Company]] = {}  # first words, without "and" and spaces
        self._coined: set[str] = set()
        self._cut: set[NameKey] = set()  # names without a word such as "Group", as other companies' may be cut
        self._lengths: dict[str, int] = {}  # words of a company's name without its legal form
        spelled: list[tuple[NameKey, int]] = []
        for at, company in enumerate(self._companies):
            for name in (company.name, *company.aliases):
                if initials := _initials(name):
                    _put(self._tickers, initials, company)
                if name != company.name and _is_ticker(name):
                    _put(self._tickers, name.lower(), company)
                elif key := self._add(name, company):
                    spelled.append((key, at))
        self._longest = max((len(k) for k in (*self._full, *self._short)), default=0)
        self._similar = SimilarNames(spelled)
        self._starts = NameStarts(spelled, self._coined)
        self._naming = functools.lru_cache(maxsize=256)(self._read)  # the same question is read several times

    @property
    def companies(self) -> tuple[Company, ...]:
        """All companies."""
        return self._companies

    def read(self, text: str) -> Naming:
        """The companies in the text; a name inside a longer name is not counted."""
        return self._naming(text)

    def mentions(self, text: str) -> list[Mention]:
        """The companies that a text certainly names, in its order."""
        return list(self.read(text).mentions)

    def only(self, text: str) -> Company | None:
        """The library's only company, where the text names none and leaves no word that may be another's name."""
        return self._companies[0] if len(self._companies) == 1 and self.names_nobody(text) else None

    def names_nobody(self, text: str) -> bool:
        """Whether a text names no company and leaves no word that may be another's name."""
        if self.read(text).companies:
            return False
        written = WrittenText(plain(text), self._coined)
        unknown = [span for span in self._spans(written, set()) if not written.is_of_accounts(*span)]
        return not unknown and not written.may_name_somebody()

    def stranger(self, text: str) -> str | None:
        """The name in a company's place in a text that names none of the library: "does Acme hedge its debt?"."""
        written = WrittenText(plain(text), self._coined)
        single = ((at, at + 1) for at in range(len(written.words)) if written.may_be_nobody_known(at))
        for start, end in (*self._spans(written, set()), *single):
            if written.is_asked_about(start, end) and not written.is_of_accounts(start, end):
                return written.text[written.words[start].start : written.words[end - 1].end].removesuffix("'s")
        return None

    def named(self, name: str) -> list[Company]:
        """The companies with this name, which is given separately: in full, as a ticker, or by its beginning.

        Case does not matter. Such a name often comes from a program, so typos are not accepted.
        """
        key = name_key(plain(name))
        if not key:
            return []
        short = (without_forms(key) or [key])[-1]
        exact = self._full.get(key) or self._tickers.get("".join(key))
        exact = exact or (self._sharing(key) if key in self._cut else self._short.get(key))
        return exact or self._short.get(short) or self._beginning(key) or self._cut_off(key)

    def nearest(self, text: str, count: int = 5) -> tuple[str, ...]:
        """The names most similar to a part of the text, best first."""
        written = WrittenText(plain(text), self._coined)
        spans = [written.key(start, end) for start, end in self._spans(written, set())]
        texts = [w.text for w in written.words]
        words = [w for w in texts if len(w) > 2 and not w.isdigit() and not is_question_word(w)] or texts
        rare = [w for w in words if not is_common(w)]
        capital = [w.text for w in written.words if w.capital and not w.opens and w.text in words]
        chosen = list(dict.fromkeys((*rare, *capital))) or words
        return tuple(self._companies[at].name for at in self._similar.ranked(spans, chosen, count))

    def _read(self, text: str) -> Naming:
        written = WrittenText(plain(text), self._coined)
        mentions: list[Mention] = []
        doubts: list[Doubt] = []
        taken: set[int] = set()
        start = 0
        while start < len(written.words):
            end, companies = self._whole(written, start, self._longest_at(written, start))
            if companies:
                taken.update(range(start, end))
                found = self._mention(written, start, end, companies[0])
                mentions += [found] if len(companies) == 1 else []
                doubts += [Doubt(tuple(companies), found.words, found.start)] if len(companies) > 1 else []
            start = max(end, start + 1)
        mentions += self._slips(written, taken)
        if not mentions and not doubts:
            loose = self._loose(written)
            mentions += [m for m in loose if isinstance(m, Mention)]
            doubts += [d for d in loose if isinstance(d, Doubt)]
        if not mentions and not doubts and (begun := self._begun(written)) is not None:
            mentions += [begun] if isinstance(begun, Mention) else []
            doubts += [begun] if isinstance(begun, Doubt) else []
        sure = {m.company.name for m in mentions}
        # "Acme Gold plc ... Acme": after the full name a text may use a short one.
        return Naming(
            _each_once(mentions), tuple(d for d in doubts if sure.isdisjoint(c.name for c in d.companies))
        )

    def _whole(
        self, written: WrittenText, start: int, found: tuple[int, list[Company]]
    ) -> tuple[int, list[Company]]:
        """The end of a found name with its shortened words and legal form; no company where it is another's name."""
        end, companies = found
        if not companies:
            return found
        end = written.end_of_form(self._end_of_name(written, start, end, companies))
        is_begun = written.key(start, end) not in self._short.keys() | self._full.keys()
        return end, [] if written.cuts_a_word(start, end, is_begun=is_begun) else companies

    def _end_of_name(self, written: WrittenText, start: int, end: int, companies: Sequence[Company]) -> int:
        """The end of a name whose later words are shortened: "Mercia Asset Mgmt"; `end` where they are not."""
        if len(companies) > 1:
            return end
        name = without_forms(name_key(plain(companies[0].name))) or [name_key(plain(companies[0].name))]
        words, last = name[-1], start + len(name[-1])
        said = written.key(end, last) if last <= len(written.words) else ()
        rest = words[end - start :]
        is_whole = said and len(said) == len(rest) and all(map(stands_for, said, rest))
        return last if is_whole and written.key(start, end) == words[: end - start] else end

    def _loose(self, written: WrittenText) -> list[Mention | Doubt]:
        """For a text without properly written names: find names in any case and in part, as people type them.

        Accepted are words that are used only in company names, at any position in the name ("epson" of Seiko Epson),
        also with a possessive ending, and the first words of a name without "and" or spaces.
        """
        found: list[Mention | Doubt] = []
        start = 0
        while start < len(written.words):
            end, companies = self._whole(written, start, self._loosest_at(written, start))
            if companies:
                mention = self._mention(written, start, end, companies[0])
                found.append(
                    mention if len(companies) == 1 else Doubt(tuple(companies), mention.words, mention.start)
                )
            start = end
        return found

    def _loosest_at(self, written: WrittenText, start: int) -> tuple[int, list[Company]]:
        """The end of the longest run of words that occur only in some companies' names, and these companies."""
        best, fitting = start + 1, list[Company]()
        for end in range(min(start + _LONGEST_SPAN, len(written.words)), start, -1):
            key = written.key(start, end)
            companies = self._by_letters(key)
            if companies and written.is_alone(start, end):
                return end, companies
            opening = self._sharing(key) if key in self._short else self._beginning(key) if end - start > 1 else []
            if opening and written.opens_a_request(start, end):
                return end, opening
        companies = self._by_words.get(written.words[start].text) or self._by_words.get(
            written.words[start].text.removesuffix("s"), []
        )
        if companies and written.is_alone(start, start + 1):
            fitting = companies
            for end in range(start + 2, len(written.words) + 1):  # "seiko epson": two words of one name
                both = [c for c in self._by_words.get(written.words[end - 1].text, []) if c in fitting]
                if not both:
                    break
                best, fitting = end, both
        return best, fitting

    def _begun(self, written: WrittenText) -> Mention | Doubt | None:
        """For a text where no name was found: the longest beginning of one, in any case, cut off or misspelt."""
        texts = [word.text for word in written.words]
        best = self._written_together(written)
        most = 0
        for start in range(len(texts)):
            found = self._starts.at(texts, start)
            if found is None or found.weight <= most:
                continue
            if found.is_alike and not written.is_in_small_letters(start + 1, found.end):
                continue  # "Bridgewater Bank" may be another company, "bridgewater bank" is how people speak
            whole = found.weight >= ENOUGH and (found.is_exact or found.end - start > 1 or len(texts[start]) > 5)
            if (whole and written.may_begin_a_name(start, found.end)) or (
                found.is_exact and written.stands_for_a_name(start, found.end)
            ):
                most, best = found.weight, (start, found.end, found.owners)
        if best is None:
            return None
        start, end, owners = best
        owned = list({self._companies[at].name: self._companies[at] for at in owners}.values())
        end, companies = self._whole(written, start, (end, owned))
        if not companies:
            return None
        mention = self._mention(written, start, end, companies[0])
        return mention if len(companies) == 1 else Doubt(tuple(companies), mention.words, mention.start)

    def _written_together(self, written: WrittenText) -> tuple[int, int, tuple[int, ...]] | None:
        """The place and the owners of the first words of a name, written as one: "TowerSemi"."""
        for at, word in enumerate(written.words):
            parts = split_at_capitals(written.text[word.start : word.end])
            found = self._starts.at(parts, 0) if len(parts) > 1 and len(word.text) >= _SHORTEST_LETTERS else None
            if found is not None and found.end == len(parts) and not found.is_alike:
                return at, at + 1, found.owners
        return None

    def _by_letters(self, key: NameKey) -> list[Company]:
        """The companies whose names begin with these words, without spaces and "and"."""
        parts = [word for word in key if word not in JOINTS]
        letters = "".join(parts)
        if len(letters) < _SHORTEST_LETTERS:
            return []
        telling = len(parts) > _FEW_WORDS or letters in self._coined or self._is_distinct(key)
        return self._letters.get(letters, []) if telling else []

    def _add(self, name: str, company: Company) -> NameKey | None:
        """Add a name by its key without legal form."""
        clean = plain(name)
        words = read_words(clean)
        key = tuple(word.text for word in words)
        if not key:
            return None
        shorter = without_forms(key)
        short = shorter[-1] if shorter else key
        if name == company.name:
            self._lengths[name] = len(short)
        self._coined.update(w.text for w in words if is_coined(clean[w.start : w.end]) and w.text in short)
        for part in (key, *shorter):
            _put(self._full if ends_in_a_form(part) else self._short, part, company)
        whole = key[key[0] == "the" :]
        self._cut.update(p for p in shorter if LOOSE_FORMS.intersection(whole[len(p) : len(p) + 1]))
        for length in range(1, len(short)):
            if short[length - 1] not in JOINTS:
                _put(self._beginnings, short[:length], company)
        for word in short:
            if word in self._coined or (len(word) >= _SHORTEST_WORD and not is_common(word)):
                _put(self._by_words, word, company)
        bare = [word for word in short if word not in JOINTS]
        for length in range(1, len(bare) + 1):
            if length > 1 or bare[0] in self._coined:
                _put(self._letters, "".join(bare[:length]), company)
        return short

    def _longest_at(self, written: WrittenText, start: int) -> tuple[int, list[Company]]:
        """The end of the longest name that begins here, and the companies that it fits."""
        last = min(start + self._longest, len(written.words))
        for end in range(last, start, -1):
            key = written.key(start, end)
            if key in self._full and written.is_whole_before(start, end):
                return end, self._full[key]
            if end == start + 1 and key[0] in self._tickers and self._is_written_as_ticker(written, start):
                return end, self._tickers[key[0]]
            if key in self._short and written.is_name(start, end):
                return end, self._sharing(key) if written.is_bare(start, end) else self._short[key]
            found = self._beginning(key)
            if found and written.is_beginning(start, end):
                return end, found
        return start + 1, []

    def _is_written_as_ticker(self, written: WrittenText, at: int) -> bool:
        """Whether a word stands for a ticker: in capitals, or as the name that people make of it ("Neo")."""
        word = written.words[at]
        is_called_so = len(word.text) >= _SHORTEST_WORD and word.capital and not (word.opens or word.upper)
        return written.is_ticker(at) or (is_called_so and not is_common(word.text) and written.is_name(at, at + 1))

    def _beginning(self, key: NameKey) -> list[Company]:
        """The companies whose names begin with these words, if the prefix is distinctive."""
        found = self._beginnings.get(key, [])
        if self._is_distinct(key):
            return found
        return found if len(key) > 1 and all(2 * len(key) >= self._lengths.get(c.name, 0) for c in found) else []

    def _cut_off(self, key: NameKey) -> list[Company]:
        """The companies whose names go on where the last of several words is cut off: "tower semi"."""
        found = self._starts.at(key, 0) if len(key) > 1 else None
        if found is None or found.end < len(key) or found.weight < ENOUGH:
            return []
        companies = {self._companies[at].name: self._companies[at] for at in found.owners}.values()
        return [c for c in companies if any(_begins(name, key) for name in (c.name, *c.aliases))]

    def _sharing(self, key: NameKey) -> list[Company]:
        """The companies with this name; also those whose longer names begin with it, where it may as well be theirs.

        So it may if it has only common words, or lacks a word of its own company's, such as "Group".
        """
        companies = self._short[key]
        if self._is_distinct(key) and key not in self._cut:
            return companies
        return list({c.name: c for c in (*companies, *self._beginnings.get(key, []))}.values())

    def _is_distinct(self, key: NameKey) -> bool:
        return any(not is_common(word) or word in self._coined for word in key)

    def _slips(self, written: WrittenText, taken: set[int]) -> Iterator[Mention]:
        for start, end in self._spans(written, taken):
            if taken.isdisjoint(range(start, end)):
                owner = self._similar.slipped(written.key(start, end))
                whole = written.end_of_form(end)
                if written.cuts_a_word(start, whole, is_begun=True):
                    continue
                if owner is not None and self._may_have_form(owner, written.key(end, whole)):
                    taken.update(range(start, whole))
                    yield self._mention(written, start, whole, self._companies[owner])

    def _may_have_form(self, owner: int, form: NameKey) -> bool:
        """Whether the legal form fits: for a misspelt name, another legal form means another company."""
        company = self._companies[owner]
        own = {word for name in (company.name, *company.aliases) for word in name_key(plain(name))} & LEGAL_FORMS
        return not own or own.issuperset(form)

    def _spans(self, written: WrittenText, taken: set[int]) -> list[tuple[int, int]]:
        """The places where an unknown name may be, longest first."""
        spans = [s for s in written.spans(_LONGEST_SPAN) if taken.isdisjoint(range(*s))]
        return sorted(spans, key=lambda s: (s[0] - s[1], s[0]))

    def _mention(self, written: WrittenText, start: int, end: int, company: Company) -> Mention:
        first, last = written.words[start], written.words[end - 1]
        return Mention(company, written.text[first.start : last.end], first.start)


def _begins(name: str, key: NameKey) -> bool:
    """Whether a name has these words, of which the last may be cut off."""
    words = name_key(plain(name))
    last = len(key) - 1
    return len(words) > last and words[:last] == key[:-1] and words[last].startswith(key[-1])


def _initials(name: str) -> str | None:
    """The letters that stand for a name of many words: "AJIT" for abrdn Japan Investment Trust plc."""
    key = name_key(plain(name))
    words = [word for word in (without_forms(key) or [key])[-1] if word not in JOINTS]
    return "".join(word[0] for word in words) if len(words) >= _FEWEST_INITIALS else None


def _is_ticker(name: str) -> bool:
    return name.isupper() and len(name) <= _LONGEST_TICKER and name.isalnum()


def _put(table: dict[_Key, list[Company]], key: _Key, company: Company) -> None:
    known = table.setdefault(key, [])
    if not known or known[-1] is not company:  # companies are added one after the other
        known.append(company)


def _each_once(mentions: Sequence[Mention]) -> tuple[Mention, ...]:
    ordered = sorted(mentions, key=lambda m: m.start)
    return tuple(sorted({m.company.name: m for m in reversed(ordered)}.values(), key=lambda m: m.start))
