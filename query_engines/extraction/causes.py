"""Says why a figure changed, with the report's own sentences of cause."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from prompts.kinds.text import Sentence, TextDraft
from query_engines.extraction.from_facts import passage
from query_engines.extraction.from_sentences import PageSentence, sentences_on
from query_engines.verification.quotes import locate
from storage.lexicon.calendar import written_years
from storage.lexicon.question_words import CAUSE
from storage.records.pages import Page
from storage.text import stems, terms

MOST = 3  # sentences
_RANK = 0.02  # penalty for each rank of the sentence's page
# Sentences about what might happen are no answer, unless the question asks for that.
_ONLY_POSSIBLE = re.compile(r"\b(?:may(?! \d)|(?i:might|could|no assurance|there can be|risks?))\b")


_CAUSE = re.compile(CAUSE, re.IGNORECASE)
_NO_CAUSE = re.compile(
    rf"{_ONLY_POSSIBLE.pattern}|\b(?:is|are) (?:recogni[sz]ed|measured|calculated|accounted|recorded)\b"
    r"|\b(?i:consists?|comprised?s?|composed|includes?) (?i:primarily|mainly|largely|principally)\b"
)
_NON = re.compile(r"\bnon-(?=\w)", re.IGNORECASE)
_GOES_ON = re.compile(
    r"^(?:(?:the|this|these|such|that) (?:\w+ ){0,3}?|it )(?:was|were|is|are|increas|decreas|declin|ris)"
)
_UP, _DOWN = stems("increase"), stems("decrease")
_INCOME = stems("income")
_CHANGED = (
    _UP | _DOWN | stems("changed improved gain loss impact impacted compared reduced reduction widened narrowed")
)
_ASKING_WHY = stems(
    """
    why how come what cause caused causes reason reasons driver drivers drove driven drive behind explain
    explanation squeeze squeezed hurt weigh weighed pressure pressured boost boosted dent dented drag dragged
    affect affected impact impacted help helped push pushed happen happened much change changed changing develop
    developed move moved year last prior previous period almost nearly half halve halved double doubled more
    less than over nothing next went go gone going so sharply strongly significantly improve improved worsen
    worsened swing result reported million billion quarter third fifth increase decrease compare compared
    """
)
_COSTS = stems("cost costs")
_EXPECTED = re.compile(r"\b(?i:should|will|expects?|expected to|anticipates?|forecasts?)\b")
_OPENING = 20  # letters in which a sentence begins with its cause
_STRONG, _WEAK, _ENOUGH = 1.0, 0.7, 0.85


def names_a_cause(query: str, names: Sequence[str], draft: TextDraft) -> bool:
    """Whether one of its sentences says what led to that which the question asks of."""
    sentences = draft.final_answer if isinstance(draft.final_answer, list) else []
    causes = [_own_stems(sentence.text) for sentence in sentences if _CAUSE.search(sentence.text)]
    return any(subject <= own for subject in _subjects(query, names) for own in causes)


def is_about_all_of(query: str, names: Sequence[str]) -> bool:
    """Whether it asks for the metric with these names, and for nothing narrower, such as the revenue from services."""
    return stems(query) - _ASKING_WHY <= stems(" ".join(names))


def _subjects(query: str, names: Sequence[str]) -> list[frozenset[str]]:
    """The words of what a question wants explained, by its own name and by others."""
    own = stems(query) - _ASKING_WHY
    if not is_about_all_of(query, names):
        return [own] if own else []
    others = (words for name in names if (words := stems(name)) != _INCOME)  # "income" alone is anything
    return [words for words in (own, *others) if words]


def draft_of_causes(
    query: str, names: Sequence[str], year: int | None, change: str, pages: Sequence[Page]
) -> TextDraft | None:
    """The sentences that say why something changed, up to three that follow each other; None where none does.

    Args:
        query: the question without company and period.
        names: other names of what changed, as reports print it.
        year: in which it changed.
        change: the change itself in words, from the fact table; empty where it is not known.
        pages: best first.
    """
    asked, subjects = stems(query), _subjects(query, names)
    sentences = list(sentences_on(pages))
    scored = sorted(_causes(sentences, subjects, asked, year), key=lambda found: (-found[0], found[1]))
    best = next((found for found in scored if _is_printed(sentences[found[1]])), None)
    if best is None or best[0] < _ENOUGH:
        return None
    _, at, goes_on = best
    chosen = [at - 1, at] if goes_on else [at]  # what changed stands in the sentence before
    for after in range(at + 1, min(at + 1 + MOST - len(chosen), len(sentences))):
        is_more = sentences[after].page == sentences[at].page and _CAUSE.search(sentences[after].text)
        if not is_more or not _is_printed(sentences[after]) or _is_of_other_year(sentences[after].text, year):
            break
        chosen.append(after)
    found = [sentences[i] for i in chosen if _is_printed(sentences[i])]
    places = ", ".join(dict.fromkeys(str(s.page.page_number) for s in found))
    note = (
        f"{change} The report's own sentences of cause, from page {places}; no language model read or worded them."
    ).strip()
    return _text_draft(query, found, note)


def _causes(
    sentences: Sequence[PageSentence], subjects: Sequence[frozenset[str]], asked: frozenset[str], year: int | None
) -> Iterator[tuple[float, int, bool]]:
    """The sentences of cause about a subject: score, place, and whether the sentence before names the subject."""
    for i, sentence in enumerate(sentences):
        if not _CAUSE.search(sentence.text) or _NO_CAUSE.search(sentence.text):
            continue
        words = _own_stems(sentence.text)
        if _EXPECTED.search(sentence.text) or _is_opposite(asked, words):
            continue
        ordered = terms(sentence.text)
        before = sentences[i - 1] if i and sentences[i - 1].page == sentence.page else None
        before = before if before is not None and not _NO_CAUSE.search(before.text) else None
        effect = _own_stems(_effect_in(sentence.text))
        is_of_costs = bool(_COSTS & effect) and not _COSTS & (asked | frozenset().union(*subjects))
        if (
            any(subject <= effect and _stand_together(subject, ordered) for subject in subjects)
            and not is_of_costs
        ):
            score = _STRONG
        elif (
            before is not None
            and _GOES_ON.search(sentence.text.lower())
            and any(s <= stems(before.text) for s in subjects)
            and (not _COSTS & stems(before.text) or _COSTS & asked)
        ):
            score, words = _WEAK, words | stems(before.text)
        else:
            continue
        text = f"{before.text} {sentence.text}" if score == _WEAK and before is not None else sentence.text
        if _is_of_other_year(text, year) or not words & _CHANGED:
            continue
        score += 0.2 * (year is not None and str(year) in text)
        score -= 0.2 * (not any(_begins_with(text, subject | asked) for subject in subjects))
        for direction in (_UP, _DOWN):
            if direction & asked:
                score += 0.2 * bool(direction & words)
        yield score - _RANK / 2 * sentence.rank, i, before is not None and text != sentence.text


def _is_opposite(asked: frozenset[str], words: frozenset[str]) -> bool:
    """Whether a sentence tells only of a fall where a rise is asked for, or the other way round."""
    return any(
        direction & asked and other & words and not direction & words
        for direction, other in ((_UP, _DOWN), (_DOWN, _UP))
    )


def _effect_in(text: str) -> str:
    """The words of a sentence before its cause; all of them where the cause comes first."""
    cause = _CAUSE.search(text)
    return text[: cause.start()] if cause is not None and cause.start() > _OPENING else text


def _stand_together(subject: frozenset[str], ordered: Sequence[str]) -> bool:
    """Whether the two words of a name stand side by side, so that "net interest income" is no net income."""
    return len(subject) != 2 or any(subject == {one, other} for one, other in pairwise(ordered))


def _own_stems(text: str) -> frozenset[str]:
    """The stems of a sentence, in which "non-interest" is no interest."""
    return stems(_NON.sub("non", text))


def _begins_with(text: str, subject: frozenset[str]) -> bool:
    """Whether a sentence begins with its subject and not with something narrower, such as "Green revenue"."""
    first = next((words for word in text.split()[:3] if (words := stems(word))), frozenset[str]())
    return first <= subject


def _is_of_other_year(text: str, year: int | None) -> bool:
    """Whether a sentence names years, and not the one that is asked for."""
    named = written_years(text)
    return year is not None and bool(named) and year not in named


def _is_printed(sentence: PageSentence) -> bool:
    """Whether the sentence can be marked on its page; one that continues on the next page or column cannot."""
    return locate(sentence.text, sentence.page) is not None


def _text_draft(query: str, chosen: Sequence[PageSentence], note: str) -> TextDraft:
    return TextDraft(
        step_by_step_analysis=f"Found without a language model. Asked: {query!r}. {note}",
        reasoning_summary=f"Found without a language model. {note}",
        evidence=[passage(s.page, s.text) for s in chosen],
        relevant_pages=list(dict.fromkeys(s.page.page_number for s in chosen)),
        unavailable_because=None,
        final_answer=[Sentence(text=s.text, evidence_numbers=[n]) for n, s in enumerate(chosen, 1)],
    )
