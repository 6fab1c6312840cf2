"""Decides by capitals, quotes and neighbouring words whether words of a text are a name."""

from collections.abc import Set
from itertools import pairwise

from query_engines.company_names.vocabulary import (
    JOINTS,
    LEGAL_FORMS,
    NAME_ENDINGS,
    NameKey,
    Word,
    gives_nouns_capitals,
    in_capitals_throughout,
    in_title_case,
    is_common,
    is_determiner,
    is_form,
    is_question_word,
    is_spoken,
    is_spoken_abroad,
    is_statement_word,
    is_time,
    names_a_place,
    read_words,
    stands_beside,
)
from storage.lexicon.periods import periods_in

_QUOTES = "\"'«»"
_BEFORE_NAMES = frozenset(
    {"of", "by", "at", "for", "from", "did", "does", "has", "is", "was", "von", "de", "di", "bei"}
)
# After these, words that begin a sentence are its subject: "Target of the year", "Tower is the name".
_GO_ON_WORDS = "of in on at by to and or is are was were has have had for the a an that this from with"
_GO_ON = frozenset(_GO_ON_WORDS.split())
_AUXILIARY_WORDS = "do does did is are was were has have had can could will would should"
_BEFORE_A_SUBJECT = frozenset(_AUXILIARY_WORDS.split())
_BEFORE_AN_OWNER = frozenset({"of", "at", "for", "by", "from", "von", "bei", "de", "di", "chez"})
_TWO_WORDS = 2
_ABBREVIATED = 4  # letters
_ROMAN = frozenset("ivx")


class WrittenText:
    """The words of a text; a range [start, end) means their positions.

    Args:
        text: in plain form.
        coined: words of names, although they may be words of the language too.
    """

    def __init__(self, text: str, coined: Set[str]) -> None:
        self.text = text
        self.words = read_words(text)
        self._coined = coined
        self._flat = in_capitals_throughout(self.words)
        self._is_german = gives_nouns_capitals(self.words)

    def key(self, start: int, end: int) -> NameKey:
        """The name key of the words."""
        return tuple(word.text for word in self.words[start:end])

    def end_of_form(self, end: int) -> int:
        """The end of the legal form after a name; the end of the name where none follows."""
        return end + 1 if self._has_form(end) else end

    def is_whole_before(self, start: int, end: int) -> bool:
        """Whether no other word of a name is before it ("Acme Holley Inc." is not "Holley Inc.")."""
        return self._is_quoted(start, end) or self._is_free_before(start)

    def is_ticker(self, at: int) -> bool:
        """Whether it is written as a ticker: all capitals; an abbreviation only after "$" or an exchange."""
        word = self.words[at]
        after = self.words[at + 1].gap if at + 1 < len(self.words) else ""
        if not word.upper or word.gap[-1:] in ("-", "/", "_") or after[:1] in ("-", "/", "_"):
            return False
        exchange = at > 0 and self.words[at - 1].upper and word.gap.strip() == ":"
        if word.gap.endswith("$") or exchange or self._is_quoted(at, at + 1):
            return True
        if len(word.text) == 1 or is_question_word(word.text) or word.text in LEGAL_FORMS:
            return False
        if self._follows_determiner(at) or (self._flat and is_common(word.text)):
            return False
        return self._is_free_before(at) and self._is_free_after(at + 1)

    def is_bare(self, start: int, end: int) -> bool:
        """Whether neither quotes nor a legal form mark the end of the name."""
        return not self._is_quoted(start, end) and not self._has_form(end)

    def is_name(self, start: int, end: int) -> bool:
        """Whether a name without its legal form is written as a name here."""
        if self._is_quoted(start, end):
            return True
        if not self._is_free_before(start):
            return False
        if self._has_form(end):
            return True
        if not self._is_free_after(end):
            return False
        words = [w for w in self.words[start:end] if w.text not in JOINTS and not w.text.isdigit()]
        distinct = self._is_distinct(start, end)
        if self.words[start].capital and not self._flat:
            return distinct or (any(w.capital and not w.opens for w in words) and not self._is_titled(start, end))
        return not self._follows_determiner(start) and (distinct or len(words) > _TWO_WORDS)

    def is_beginning(self, start: int, end: int) -> bool:
        """Whether the first words of a name stand for the whole name here."""
        if self._is_quoted(start, end):
            return True
        if self._has_form(end) or not (self._is_free_before(start) and self._is_free_after(end)):
            return False
        words = self.words[start:end]
        distinct = self._is_distinct(start, end)
        if not self._flat and all(w.capital or w.text in JOINTS or w.text in self._coined for w in words):
            return distinct or (not words[0].opens and not self._is_titled(start, end))
        coined = all(w.text in self._coined for w in words)
        return not self._follows_determiner(start) and (coined or (distinct and len(words) > 1))

    def is_alone(self, start: int, end: int) -> bool:
        """Whether no neighbouring word makes it another name: "James Holley", "mercia pharma", "the holley"."""
        if self._follows_determiner(start) and not self.words[start].capital:
            return False
        before = start > 0 and self.words[start].adjoins and self._may_belong_before(start)
        after = end < len(self.words) and self.words[end].adjoins and self._may_belong(end)
        return not before and not (after and not is_form(self.words[end]) and not self._is_possessive(end - 1))

    def cuts_a_word(self, start: int, end: int, *, is_begun: bool) -> bool:
        """Whether the words are a part of what is written as one: "TSX" of "TSX_ACQ", but not of "TSX_revenue".

        Words that are only the beginning of a name (`is_begun`) are made another one by a hyphen, too: "Swiss-Re".
        """
        before = start > 0 and self.words[start].gap == "_" and not self._is_asked(self.words[start - 1])
        if before or end == len(self.words) or self._is_asked(after := self.words[end]):
            return before
        return after.gap == "_" or (is_begun and after.gap == "-" and after.capital)

    def is_in_small_letters(self, start: int, end: int) -> bool:
        """Whether none of the words has a capital, or all of the text has."""
        return self._flat or not any(word.capital for word in self.words[start:end])

    def opens_a_request(self, start: int, end: int) -> bool:
        """Words of the language, with capitals, begin a sentence that goes on as after a name: "Tradition, sales"."""
        words = self.words[start:end]
        if not words[0].opens or self._flat or not all(w.capital or w.text in JOINTS for w in words):
            return False
        if end == len(self.words) or not self.is_alone(start, end):
            return False
        after = self.words[end]
        parted = after.gap.strip(" ")[:1] in (",", ":", "-")
        several = len(words) > 1 and after.text not in _GO_ON
        return parted or several or (is_question_word(after.text) and after.text not in _GO_ON)

    def may_begin_a_name(self, start: int, end: int) -> bool:
        """Whether the words around do not make the words another name, or no name: "Swiss Water Bottling"."""
        words, after = self.words[start:end], self.words[end] if end < len(self.words) else None
        before = self.words[start - 1] if start and words[0].adjoins else None
        goes_on = (
            after is not None and after.adjoins and self._may_belong(end) and not self._is_possessive(end - 1)
        )
        if goes_on or (before and self._may_belong_before(start)):
            return False
        if self._is_distinct(start, end) and not (before and is_determiner(before)):
            return True
        if any(word.capital and not word.opens for word in words) and not self._flat:
            return True
        is_parted = before is None or (is_question_word(before.text) and not is_determiner(before))
        is_said = end - start > 1 and not is_spoken(words[0].text) and not (before and is_determiner(before))
        return is_parted or (
            after is not None and after.adjoins and (self._is_asked(after) or (is_said and is_spoken(after.text)))
        )

    def stands_for_a_name(self, start: int, end: int) -> bool:
        """Whether a word of the language is used as a name: "does Tower's report", "tradition 2022 revenue"."""
        word, after = self.words[start], self.words[end] if end < len(self.words) else None
        if end - start > 1 or word.text.isdigit() or self._follows_determiner(start):
            return False
        if not (self.may_begin_a_name(start, end) and self._is_free_after(end)):
            return False
        is_capital = word.capital and not self._flat and not self._is_german and not self._is_titled(start, end)
        if after is None or not after.adjoins or self._is_possessive(start):
            return is_capital or not is_spoken(word.text)
        if is_capital and after.text == "the":  # "Tradition the broker: ..."
            return True
        goes_on = is_spoken(after.text) if is_capital and not word.opens else after.text not in _GO_ON
        return goes_on and (is_capital or (self._is_asked(after) and not is_spoken(word.text)))

    def is_of_accounts(self, start: int, end: int) -> bool:
        """Whether capitalised words are a time or the label of a figure, no name: "FY2022", "Adjusted EBITDA"."""
        words = [w.text for w in self.words[start:end] if not is_time(w.text) and w.text not in JOINTS]
        return all(map(is_common, words)) and (not words or any(map(is_statement_word, words)))

    def _is_possessive(self, at: int) -> bool:
        """Whether it ends with "'s", so that a name ends with it: "Commerzbank's Supervisory Board"."""
        return self.text[self.words[at].end - 2 : self.words[at].end].lower() == "'s"

    def _is_asked(self, word: Word) -> bool:
        """Whether it is what a question asks of a company, or when."""
        return is_question_word(word.text) or is_statement_word(word.text) or is_time(word.text)

    def is_asked_about(self, start: int, end: int) -> bool:
        """Whether a name stands where the company does: "does Acme hedge", "Acme's cash", "the cash of Acme"."""
        if self._is_possessive(end - 1):
            return True
        if not start or not self.words[start].adjoins:
            return False
        before, after = self.words[start - 1], self.words[end] if end < len(self.words) else None
        goes_on = after is not None and after.adjoins and not is_time(after.text)
        if before.text in _BEFORE_A_SUBJECT:
            return goes_on
        return before.text in _BEFORE_AN_OWNER and not (goes_on and after is not None and after.text not in _GO_ON)

    def may_be_nobody_known(self, at: int) -> bool:
        """Whether a word alone is a name: one with its capital ("did Apple grow"), or one that nobody knows."""
        word = self.words[at]
        if is_question_word(word.text) or is_form(word) or len(word.text) == 1:
            return False
        if not word.capital or self._flat:
            is_known = is_common(word.text) or is_spoken(word.text) or is_statement_word(word.text)
            return not is_known and not is_time(word.text)
        return not word.opens and not self._is_german and not self._is_titled(at, at + 1)

    def may_name_somebody(self) -> bool:
        """A word that the language does not know stands where a name would: "revenue of zarquon", "did zarquon"."""
        return any(
            before.text in _BEFORE_NAMES
            and not is_common(word.text)
            and not word.text.isdigit()
            and not is_time(word.text)
            for before, word in pairwise(self.words)
        )

    def _may_belong(self, at: int) -> bool:
        """Whether a word may belong to the name: a capitalised one; else a typical last word or a number."""
        word = self.words[at]
        if is_question_word(word.text) or word.text in JOINTS or is_time(word.text) or self._is_of_a_time(at):
            return False
        if word.text in NAME_ENDINGS or word.text.isdigit():
            return True
        if is_statement_word(word.text) or is_spoken_abroad(word.text) or self._is_no_noun(at):
            return False
        return word.capital and not word.opens and not self._flat and not self._is_german

    def _may_belong_before(self, start: int) -> bool:
        """The same of the word before; one before a name in small letters is a number: "10 safe & green shares"."""
        is_counted = self.words[start - 1].text.isdigit() and not self.words[start].capital
        return not is_counted and self._may_belong(start - 1)

    def spans(self, longest: int) -> list[tuple[int, int]]:
        """The places where an unknown name may be."""
        return [
            (start, end)
            for start in range(len(self.words))
            if self._may_be_named(start) and self._is_free_before(start)
            for end in range(start + 1, min(start + longest, len(self.words)) + 1)
            if self._is_one_run(start, end) and (self._is_free_after(end) or self._has_form(end))
        ]

    def _is_one_run(self, start: int, end: int) -> bool:
        inside = range(start + 1, end)
        last = self.words[end - 1]
        return (
            all(self.words[at].adjoins for at in inside)
            and all(self._may_be_named(at) or self._goes_on(at) for at in inside)
            and last.text not in JOINTS
            and not is_form(last)
            and (end - start > 1 or (self.words[start].capital and not is_common(self.words[start].text)))
        )

    def _may_be_named(self, at: int) -> bool:
        word = self.words[at]
        if is_question_word(word.text) or is_form(word) or word.text in JOINTS:
            return False
        return (word.capital and not self._flat) or not is_common(word.text)

    def _goes_on(self, at: int) -> bool:
        word = self.words[at]
        return word.text in JOINTS or (word.capital and not self._flat)

    def _is_no_noun(self, at: int) -> bool:
        """Whether it is "I" before a verb, or an abbreviation: "Baker Steel TA", but "Alder Fund II"."""
        word = self.words[at]
        if word.text == "i":
            return at + 1 < len(self.words) and self.words[at + 1].adjoins and not self.words[at + 1].capital
        return (
            word.upper and not self._flat and len(word.text) <= _ABBREVIATED and not _ROMAN.issuperset(word.text)
        )

    def _is_distinct(self, start: int, end: int) -> bool:
        return any(not is_common(w.text) or w.text in self._coined for w in self.words[start:end])

    def _is_titled(self, start: int, end: int) -> bool:
        """Whether the words around it are capitalised too."""
        return in_title_case([*self.words[:start], *self.words[end:]])

    def _is_quoted(self, start: int, end: int) -> bool:
        first, last = self.words[start], self.words[end - 1]
        after = self.text[last.end : last.end + 2].lstrip(".,?")
        return self.text[: first.start][-1:] in tuple(_QUOTES) and after[:1] in tuple(_QUOTES)

    def _has_form(self, end: int) -> bool:
        if end >= len(self.words) or not is_form(self.words[end]):
            return False
        return self.words[end].gap in (" ", ", ", ". ")

    def _is_free_before(self, start: int) -> bool:
        """Whether no word before it makes it another name: "James Holley", "New Armadale"."""
        word = self.words[start]
        if start == 0 or not word.adjoins or self._flat:
            return True
        before = self.words[start - 1]
        if start > 1 and before.is_sign:
            return is_form(self.words[start - 2])
        if start > 1 and before.text == "of" and names_a_place(self.words[start - 2]):
            return False
        return stands_beside(before) or (before.opens and (is_common(before.text) or is_spoken(before.text)))

    def _is_free_after(self, end: int) -> bool:
        """Whether no word after it makes it another name: "Tower Bridge", "Holley Energy"."""
        if end >= len(self.words) or not self.words[end].adjoins or self._flat or self._is_possessive(end - 1):
            return True
        after = self.words[end]
        if after.is_sign or after.text == "of":  # "Acme & Sons", "Acme of Ohio"
            return end + 1 == len(self.words) or not self.words[end + 1].capital
        if after.text.isdigit() and not self._is_of_a_time(end) and self.text[after.end : after.end + 1] != "-":
            return False  # "Alder Fund 7"; a date or "10-K" is not part of a name
        return stands_beside(after)

    def _is_of_a_time(self, at: int) -> bool:
        """Whether a word is part of a period that the text names: "12" of "12/31/2022"."""
        return any(period.start <= self.words[at].start < period.end for period in periods_in(self.text))

    def _follows_determiner(self, start: int) -> bool:
        return start > 0 and is_determiner(self.words[start - 1])
