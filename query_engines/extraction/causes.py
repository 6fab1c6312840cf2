"""Says why a figure changed, with the report's own sentences of cause."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from prompts.kinds.text import Sentence, TextDraft
from query_engines.extraction.from_facts import passage
from query_engines.extraction.from_sentences import PageSentence, sentences_on
from query_engines.question.search_text import (
    ANY_AMOUNT,
    FELL,
    ROSE,
    amounts_told,
    explained_in,
    is_telling,
    movement_asked,
    shared_amounts,
)
from query_engines.verification.quotes import locate
from storage.lexicon.calendar import written_years
from storage.lexicon.question_words import CHANGE_NOUN
from storage.lexicon.reasons import CAUSE
from storage.lexicon.words import expression
from storage.records.pages import Page
from storage.text import stems, terms

MOST = 3  # sentences
_RANK = 0.02  # penalty for each rank of the sentence's page
# Sentences about what might happen are no answer, unless the question asks for that.
_ONLY_POSSIBLE = expression(r"\b(?:may(?! \d)|(?i:might|could|no assurance|there can be|risks?))\b")


_CAUSE = expression(CAUSE, re.IGNORECASE)
_NO_CAUSE = expression(
    rf"{_ONLY_POSSIBLE.pattern}|\b(?:is|are) (?:recogni[sz]ed|measured|calculated|accounted|recorded)\b"
    r"|\b(?i:consists?|comprised?s?|composed|includes?) (?i:primarily|mainly|largely|principally)\b"
)
_AROSE = expression(r"\b(?:arose|arisen|resulted|was (?:\w+ )?due to|were (?:\w+ )?due to)\b", re.IGNORECASE)
_NON = expression(r"\bnon-(?=\w)", re.IGNORECASE)
_GOES_ON = expression(
    r"^(?:(?:the|this|these|such|that) (?:[$€£]?[\w.,]+(?:%|-[a-z]+)? ){0,3}?|it )"
    r"(?:was|were|is|are|increas|decreas|declin|ris|f[ae]ll|drop|growth|change|improve)"
)
_INCOME = stems("income")
_CHANGED = ROSE | FELL | stems("changed gain loss impact impacted compared")
_COSTS = stems("cost costs")
_EXPENSES, _OF_EXPENSES = stems("expense expenses"), 0.3  # penalty where no costs are asked for
_EXPECTED = expression(r"\b(?i:should|will|expects?|expected to|anticipates?|forecasts?)\b")
_OPENING = 20  # letters in which a sentence begins with its cause
_STRONG, _WEAK, _ENOUGH = 1.0, 0.7, 0.85
_STATED, _STATED_ENOUGH = 0.65, 0.8
_ALIKE = {
    word: line
    for line in map(
        stems,
        (
            "revenue sales turnover",
            "margin profit",
            "cost expense expenditure spending charge",
            "inventory stocks",
            "flow provided used",
        ),
    )
    for word in line
}
_KINDS_OF_LINES = stems("cost costs expense expenses revenue sales income profit loss margin charge charges")
_LETTERS = 6  # of a word, with which a longer one may begin: "promotion" and "promotional"
_FIGURE = expression(r"\d")
# A loss that widens is a fall of the result; what is better or worse has no direction of its own.
_NO_DIRECTION = expression(
    r"\b(?:loss(?:es)?|deficit|than|improv\w*|worsen\w*|strengthen\w*|weaken\w*|eas(?:e|ed)|hurt|faster|debt)\b",
    re.IGNORECASE,
)
_BACK = 2  # sentences in which that may stand which "the increase" goes on about
_ITS_FIGURES = 2  # of the question's amounts in a sentence, with which it is about the same thing
_WORD = expression(r"[\w'-]+")
_AT_A_TIME = expression(
    r"^(?:at|as (?:of|at)|during|for|in|over) [^.;]{3,40}?, (?=[a-z]|[A-Z][a-z]+'s)", re.IGNORECASE
)
_OWNER = expression(
    r"^(?:(?:the |our )?(?:\w+'s?|company's|group's) |(?:(?:the|our|total|gross|overall) ){1,3})", re.IGNORECASE
)
_CHANGE_IN = expression(
    rf"^(?:the|this|our) (?:[\w-]{{1,20}} )?{CHANGE_NOUN} (?:in|of) (?:the |our )?", re.IGNORECASE
)
_BY_PERCENT = expression(r"\b(?P<percent>\d{1,4}(?:\.\d{1,2})?) ?(?:%|per ?cent\b)")


@dataclass(frozen=True)
class _Sought:
    """What is to be explained: the stems of its names, its neighbouring words, direction, year and amounts."""

    subjects: tuple[frozenset[str], ...]
    compounds: frozenset[frozenset[str]]
    direction: frozenset[str]
    year: int | None
    amounts: frozenset[tuple[str, str]]

    @classmethod
    def of(cls, query: str, names: Sequence[str], year: int | None) -> "_Sought":
        """What a question, without company and period, wants explained."""
        pairs = (pair for text in (query, *names) for pair in pairwise(_WORD.findall(text)))
        compounds = frozenset(stems(one) | stems(other) for one, other in pairs)
        return cls(
            tuple(_subjects(query, names)),
            compounds,
            movement_asked(query),
            year,
            amounts_told(query),
        )

    def is_named_in(self, words: frozenset[str], ordered: Sequence[str]) -> bool:
        """Whether words, with their order, name it; a name of two words only where these stand side by side."""
        return any(_has(words, subject) and self._stand_together(subject, ordered) for subject in self.subjects)

    def is_begun_by(self, text: str) -> bool:
        """Whether a sentence begins with it and not with something narrower."""
        return any(_begins_with(text, subject | self.direction) for subject in self.subjects)

    def amounts_in(self, text: str) -> list[tuple[str, str]]:
        """The amounts of the question that a text has, too."""
        return shared_amounts(self.amounts, text)

    def _stand_together(self, subject: frozenset[str], ordered: Sequence[str]) -> bool:
        """Whether the two words of a name stand side by side, so that "net interest income" is no net income."""
        is_compound = len(subject) == 2 and subject in self.compounds
        return not is_compound or any(subject == {one, other} for one, other in pairwise(ordered))


def is_about_all_of(query: str, names: Sequence[str]) -> bool:
    """Whether it asks for the metric with these names, and for nothing narrower, such as the revenue from services."""
    asked = explained_in(query)
    return bool(asked) and any(asked - ANY_AMOUNT <= stems(name) for name in names)


def _subjects(query: str, names: Sequence[str]) -> list[frozenset[str]]:
    """The words of what a question wants explained, by its own name and by others."""
    own = explained_in(query)
    if not is_about_all_of(query, names):
        return [own] if own else []
    others = (words for name in names if (words := stems(name)) != _INCOME)  # "income" alone is anything
    return [words for words in (own, *others) if words]


def _has(words: frozenset[str], subject: frozenset[str]) -> bool:
    """Whether words have those of a subject, also as the beginning of longer ones."""
    return all(
        _ALIKE.get(word, frozenset((word,))) & words
        or (len(word) >= _LETTERS and any(other.startswith(word) for other in words))
        for word in subject
    )


def draft_of_causes(
    query: str,
    names: Sequence[str],
    year: int | None,
    change: str,
    pages: Sequence[Page],
    percent: float | None = None,
    *,
    only_of_amounts: bool = False,
) -> TextDraft | None:
    """The sentences that say why something changed, up to three that follow each other; None where none does.

    Args:
        query: the question without company and period.
        names: other names of what changed, as reports print it.
        year: in which it changed.
        change: the change itself in words, from the fact table; empty where it is not known.
        pages: best first.
        percent: of the change, where it is known; sentences that give another one are about something else.
        only_of_amounts: gives only sentences that have the very amounts which the question tells.
    """
    sought = _Sought.of(query, names, year)
    sentences = list(sentences_on(pages))
    anchored = sorted(_of_amounts(sentences, sought), key=lambda found: (-found[0], found[1]))
    best = next((found for found in anchored if _is_printed(sentences[found[1]])), None)
    if best is not None or only_of_amounts:
        return _with_what_follows(query, sentences, best, sought, change) if best else None
    sentences = [s for s in sentences if percent is None or not _says_another(s.text, percent)]
    scored = sorted(_causes(sentences, sought), key=lambda found: (-found[0], found[1]))
    best = next((found for found in scored if _is_printed(sentences[found[1]])), None)
    if best is None or best[0] < _ENOUGH:
        stated = sorted(_stated(sentences, sought), key=lambda found: (-found[0], found[1]))
        best = next((found for found in stated if _is_printed(sentences[found[1]])), None)
        if best is None or best[0] < _STATED_ENOUGH:
            return None
    return _with_what_follows(query, sentences, best, sought, change)


def _with_what_follows(
    query: str, sentences: Sequence[PageSentence], best: tuple[float, int, int], sought: _Sought, change: str
) -> TextDraft:
    """The draft of the best sentence, with what changed before it and what goes on behind it."""
    _, at, before = best
    year = sought.year
    chosen = list(range(at - before, at + 1))  # what changed stands in the sentences before
    for after in range(at + 1, min(at + 1 + MOST - len(chosen), len(sentences))):
        more = sentences[after].text
        is_on = any(_has(stems(more), subject) for subject in sought.subjects) and _FIGURE.search(more) is not None
        is_more = sentences[after].page == sentences[at].page and (
            _CAUSE.search(more) or _GOES_ON.search(more.lower()) or is_on
        )
        is_of_other_year = _is_of_other_year(more, year) and not _CHANGE_IN.match(more)
        if not is_more or not _is_printed(sentences[after]) or is_of_other_year:
            break
        chosen.append(after)
    found = [sentences[i] for i in chosen if _is_printed(sentences[i])]
    places = ", ".join(dict.fromkeys(str(s.page.page_number) for s in found))
    note = (
        f"{change} The report's own sentences of cause, from page {places}; no language model read or worded them."
    ).strip()
    return _text_draft(query, found, note)


def _of_amounts(sentences: Sequence[PageSentence], sought: _Sought) -> Iterator[tuple[float, int, int]]:
    """The sentences of cause that have an amount of the question and a word of what it is about.

    Each with its score, its place, and how many sentences before it belong to it: "The increase was due to …".
    """
    own = frozenset[str]().union(*sought.subjects[:1])
    narrower = {
        word for word in own - _KINDS_OF_LINES if any({word, kind} in sought.compounds for kind in _KINDS_OF_LINES)
    }
    for i, sentence in enumerate(sentences):
        if not _CAUSE.search(sentence.text) or _NO_CAUSE.search(sentence.text) or not sought.amounts:
            continue
        goes_on = _GOES_ON.search(sentence.text.lower()) is not None
        for back in range(_BACK + 1 if goes_on else 1):
            told = [s.text for s in sentences[max(i - back, 0) : i] if s.page == sentence.page]
            text, words = " ".join((*told, sentence.text)), _own_stems(" ".join((*told, sentence.text)))
            moved = " ".join((*told, _effect_in(sentence.text)))
            named, effect = sought.amounts_in(moved), _own_stems(moved)
            said = sum(_has(effect, frozenset((word,))) for word in own)
            if any(not _has(effect, frozenset((word,))) for word in narrower):
                continue
            tells = len(named) >= _ITS_FIGURES or any(is_telling(figure) for _, figure in named)
            if (
                not (said and tells)
                or is_opposite(sought.direction, words)
                or _is_of_other_year(text, sought.year)
            ):
                continue
            begins = 0.2 * sought.is_begun_by(text)
            yield _STRONG + 0.3 * len(named) + said / len(own) + begins - _RANK / 2 * sentence.rank, i, len(told)
            break


def _causes(sentences: Sequence[PageSentence], sought: _Sought) -> Iterator[tuple[float, int, bool]]:
    """The sentences of cause about a subject: score, place, and whether the sentence before names the subject."""
    is_for_costs = bool(_COSTS & frozenset().union(*sought.subjects))
    for i, sentence in enumerate(sentences):
        if not _CAUSE.search(sentence.text) or _NO_CAUSE.search(sentence.text):
            continue
        words = _own_stems(sentence.text)
        if _EXPECTED.search(_effect_in(sentence.text)) or is_opposite(sought.direction, words):
            continue
        ordered = terms(sentence.text)
        before = sentences[i - 1] if i and sentences[i - 1].page == sentence.page else None
        before = before if before is not None and not _NO_CAUSE.search(before.text) else None
        effect = _own_stems(_effect_in(sentence.text))
        is_of_costs = bool(_COSTS & effect) and not is_for_costs
        named = sought.amounts_in(sentence.text)
        are_its_figures = len(named) >= _ITS_FIGURES and any(unit != "%" for unit, _ in named)
        if are_its_figures or (sought.is_named_in(effect, ordered) and not is_of_costs):
            score = _STRONG
        elif (
            before is not None
            and _GOES_ON.search(sentence.text.lower())
            and any(_has(stems(before.text), s) for s in sought.subjects)
            and (is_for_costs or not _COSTS & stems(before.text))
        ):
            score, words = _WEAK, words | stems(before.text)
        else:
            continue
        text = f"{before.text} {sentence.text}" if score == _WEAK and before is not None else sentence.text
        if _is_of_other_year(text, sought.year) or not (words & _CHANGED or _AROSE.search(text)):
            continue
        score += 0.2 * (sought.year is not None and str(sought.year) in text)
        score -= 0.2 * (not sought.is_begun_by(text))
        score -= _OF_EXPENSES * (
            not is_for_costs and bool(_EXPENSES & effect - frozenset().union(*sought.subjects))
        )
        score += 0.2 * bool(sought.direction & words)
        score += 0.2 * bool(sought.amounts_in(text))
        yield score - _RANK / 2 * sentence.rank, i, before is not None and text != sentence.text


def _stated(sentences: Sequence[PageSentence], sought: _Sought) -> Iterator[tuple[float, int, bool]]:
    """The sentences that say with a figure that a subject moved as the question says; none where it says nothing."""
    for i, sentence in enumerate(sentences):
        words = _own_stems(sentence.text)
        if (
            not words & sought.direction
            or not _FIGURE.search(sentence.text)
            or is_opposite(sought.direction, words)
        ):
            continue
        if _NO_CAUSE.search(sentence.text) or _EXPECTED.search(sentence.text):
            continue
        ordered = terms(sentence.text)
        if _is_of_other_year(sentence.text, sought.year) or not sought.is_named_in(words, ordered):
            continue
        begins = sought.is_begun_by(sentence.text)
        named = sought.year is not None and str(sought.year) in sentence.text
        yield _STATED + 0.2 * begins + 0.1 * named - _RANK / 2 * sentence.rank, i, False


def is_opposite(asked: frozenset[str], words: frozenset[str]) -> bool:
    """Whether a sentence tells only of a fall where a rise is asked for, or the other way round."""
    others = next((other for own, other in ((ROSE, FELL), (FELL, ROSE)) if own == asked), frozenset[str]())
    return bool(others & words) and not asked & words


def is_denied_by(query: str, percent: float) -> bool:
    """Whether a question takes a rise or a fall for granted, and the figures moved the other way."""
    if _NO_DIRECTION.search(query):
        return False
    asked = movement_asked(query)
    return (asked == ROSE and percent < 0) or (asked == FELL and percent > 0)


def _says_another(text: str, percent: float) -> bool:
    """Whether a sentence says of its subject that it moved by other percentages than this one."""
    moved = [float(found["percent"]) for found in _BY_PERCENT.finditer(_effect_in(text))]
    return bool(moved) and all(abs(each - abs(percent)) > max(1.0, 0.03 * abs(percent)) for each in moved)


def _effect_in(text: str) -> str:
    """The words of a sentence before its cause; all of them where the cause comes first."""
    cause = _CAUSE.search(text)
    is_behind = cause is not None and (cause.start() > _OPENING or _GOES_ON.search(text.lower()) is not None)
    return text[: cause.start()] if cause is not None and is_behind else text


def _own_stems(text: str) -> frozenset[str]:
    """The stems of a sentence, in which "non-interest" is no interest."""
    return stems(_NON.sub("non", text))


def _begins_with(text: str, subject: frozenset[str]) -> bool:
    """Whether a sentence begins with its subject and not with something narrower, such as "Green revenue"."""
    text = _OWNER.sub("", _CHANGE_IN.sub("", _AT_A_TIME.sub("", text)))
    first = next((words for word in text.split()[:3] if (words := stems(word))), frozenset[str]())
    return first <= subject or any(
        len(word) >= _LETTERS and next(iter(first)).startswith(word) for word in subject
    )


def _is_of_other_year(text: str, year: int | None) -> bool:
    """Whether a sentence names years, and not the one that is asked for."""
    named = written_years(text)
    return year is not None and bool(named) and year not in named


def _is_printed(sentence: PageSentence) -> bool:
    """Whether the sentence can be marked on its page; one that continues on the next page or column cannot."""
    return locate(sentence.text, sentence.page) is not None


def _text_draft(query: str, chosen: Sequence[PageSentence], note: str) -> TextDraft:
    return TextDraft(
        step_by_step_analysis=f"Found without a language model. Searched for {query!r}. {note}",
        reasoning_summary=f"Found without a language model. {note}",
        evidence=[passage(s.page, s.text) for s in chosen],
        relevant_pages=list(dict.fromkeys(s.page.page_number for s in chosen)),
        unavailable_because=None,
        final_answer=[Sentence(text=s.text, evidence_numbers=[n]) for n, s in enumerate(chosen, 1)],
    )
