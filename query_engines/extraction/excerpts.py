"""Answers an open question with the report's own sentences: those of cause, or those with most of its words."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from prompts.drafts import Sentence, TextDraft
from query_engines.extraction.from_facts import passage
from query_engines.extraction.question_terms import QuestionTerms, question_terms
from query_engines.extraction.sentences import PageSentence, sentences_on
from query_engines.verification.meaning import names_the_thing
from query_engines.verification.quotes import locate
from storage.lexicon.calendar import written_years
from storage.records.metrics import significant
from storage.records.pages import Page
from storage.text import stems

MOST = 3  # sentences
COVERED_BY_BEST = 0.45  # of the question's words that the first sentence must contain
COVERED_BY_ALL = 0.6
COVERED_BY_EACH = 0.15
_NEXT = 0.15  # bonus of a sentence beside the first one
_NEW = 0.08  # of the question's words that a further sentence must contain, unless it is beside the first
_RANK = 0.02  # penalty for each rank of the sentence's page
_STRAY = 0.25  # penalty of a long sentence
_LONG = 60  # words
_SHORT = 3  # letters


# Sentences about what might happen are no answer, unless the question asks for that.
_ONLY_POSSIBLE = re.compile(r"\b(?:may(?! \d)|(?i:might|could|no assurance|there can be|risks?))\b")


_ENDS = re.compile(r"[.!?;:)\]\"”’']\s*$")  # a line without an end is a heading or a running head


# Words that say what led to something.
_CAUSE = re.compile(
    r"\b(?:due (?:\w+ )?to|primarily|mainly|largely|principally|attribut(?:able|ed) (?:\w+ )?to"
    r"|as a (?:\w+ )?result of"
    r"|result(?:ed|ing|s) (?:\w+ )?from|driven (?:\w+ )?by|because|owing to|caused by|reflect(?:s|ed|ing)|thanks to"
    r"|on account of|offset by|led to|stem(?:s|med|ming) from|in connection with|contributed"
    r"|benefit(?:ed|ing) from|associated with)\b",
    re.IGNORECASE,
)
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
_STRONG, _WEAK, _ENOUGH = 1.0, 0.7, 0.85


@dataclass(frozen=True)
class _Scored:
    place: int
    sentence: PageSentence
    words: frozenset[str]
    score: float


def draft_from_sentences(query: str, pages: Sequence[Page]) -> TextDraft | None:
    """Up to three sentences in the report's order; None where they contain too little of the question."""
    sentences = [
        t
        for t in sentences_on(pages)
        if (_ONLY_POSSIBLE.search(query) or not _ONLY_POSSIBLE.search(t.text))
        and " | " not in t.text
        and _ENDS.search(t.text)
    ]
    own = [stems(sentence.text) for sentence in sentences]
    words = question_terms(query, own)
    if len(words.weights) < 2:
        return None
    scored = [_Scored(i, t, w, _score(t, w, words)) for i, (t, w) in enumerate(zip(sentences, own, strict=True))]
    best = (s for s in sorted(scored, key=lambda s: -s.score) if _is_about(query, s.sentence.text))
    first = next((s for s in best if _is_printed(s.sentence)), None)
    if (
        first is None
        or words.share((first.words, 1.0)) < COVERED_BY_BEST
        or not words.entities & first.words >= _first(words)
    ):
        return None
    chosen = _with_more(first, scored, words)
    coverage = words.share((frozenset().union(*(s.words for s in chosen)), 1.0))
    if coverage < COVERED_BY_ALL:
        return None
    return _draft(query, sorted(chosen, key=lambda s: s.place), coverage)


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
        before = sentences[i - 1] if i and sentences[i - 1].page == sentence.page else None
        before = before if before is not None and not _NO_CAUSE.search(before.text) else None
        if any(subject <= words for subject in subjects):
            score = _STRONG
        elif (
            before is not None
            and _GOES_ON.search(sentence.text.lower())
            and any(s <= stems(before.text) for s in subjects)
        ):
            score, words = _WEAK, words | stems(before.text)
        else:
            continue
        text = f"{before.text} {sentence.text}" if score == _WEAK and before is not None else sentence.text
        if _is_of_other_year(text, year) or not words & _CHANGED:
            continue
        score += 0.2 * (year is not None and str(year) in text)
        score -= 0.2 * (not any(_begins_with(text, subject | asked) for subject in subjects))
        for direction, other in ((_UP, _DOWN), (_DOWN, _UP)):
            if direction & asked:
                score += 0.2 * bool(direction & words) - 0.3 * (not direction & words and bool(other & words))
        yield score - _RANK / 2 * sentence.rank, i, before is not None and text != sentence.text


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


def _is_about(query: str, text: str) -> bool:
    """Whether the sentence is about a thing of the question, and does not only have its word inside a name."""
    asked = [word for word in significant(query) if len(word) > _SHORT and word in text.lower()]
    return not asked or any(names_the_thing(word, text) for word in asked)


def _first(words: QuestionTerms) -> frozenset[str]:
    """The rarest name of the question, if it has any; the first sentence must contain it."""
    return frozenset(sorted(words.entities, key=lambda w: -words.weights[w])[:1])


def _score(sentence: PageSentence, own: frozenset[str], words: QuestionTerms) -> float:
    long = _STRAY * min(1.0, len(sentence.text.split()) / _LONG) if len(sentence.text.split()) > _LONG else 0.0
    return words.share((own, 1.0)) - _RANK * sentence.rank - long


def _with_more(first: _Scored, scored: Sequence[_Scored], words: QuestionTerms) -> list[_Scored]:
    chosen = [first]
    while len(chosen) < MOST:
        covered = frozenset[str]().union(*(s.words for s in chosen))
        base = words.share((covered, 1.0))
        texts = {s.sentence.text for s in chosen}
        rest = [
            s for s in scored if s.sentence.text not in texts and words.share((s.words, 1.0)) >= COVERED_BY_EACH
        ]
        gains = {
            s.place: words.share((covered | s.words, 1.0))
            - base
            + _NEXT * _is_beside(s, first)
            - _RANK * s.sentence.rank
            for s in rest
        }
        new = sorted((s for s in rest if gains[s.place] >= _NEW), key=lambda s: -gains[s.place])
        best = next((s for s in new if _is_printed(s.sentence)), None)
        if best is None:
            break
        chosen.append(best)
    return chosen


def _is_printed(sentence: PageSentence) -> bool:
    """Whether the sentence can be marked on its page; one that continues on the next page or column cannot."""
    return locate(sentence.text, sentence.page) is not None


def _is_beside(one: _Scored, first: _Scored) -> bool:
    same = one.sentence.page.page_number == first.sentence.page.page_number
    return same and 0 < one.place - first.place <= 2


def _draft(query: str, chosen: Sequence[_Scored], share: float) -> TextDraft:
    places = ", ".join(dict.fromkeys(str(s.sentence.page.page_number) for s in chosen))
    note = (
        f"The report's own sentences that say most of the question's words ({share:.0%} of them), from page {places}; "
        "no language model read or worded them, so they may miss the point."
    )
    return _text_draft(query, [s.sentence for s in chosen], note)


def _text_draft(query: str, chosen: Sequence[PageSentence], note: str) -> TextDraft:
    return TextDraft(
        step_by_step_analysis=f"Found without a language model. Asked: {query!r}. {note}",
        reasoning_summary=f"Found without a language model. {note}",
        evidence=[passage(s.page, s.text) for s in chosen],
        relevant_pages=list(dict.fromkeys(s.page.page_number for s in chosen)),
        unavailable_because=None,
        final_answer=[Sentence(text=s.text, evidence_numbers=[n]) for n, s in enumerate(chosen, 1)],
    )
