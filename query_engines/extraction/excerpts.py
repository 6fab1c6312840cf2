"""Answers an open question with those sentences of the report that contain most of its words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from prompts.drafts import Sentence, TextDraft
from query_engines.extraction.from_facts import passage
from query_engines.extraction.question_terms import QuestionTerms, question_terms
from query_engines.extraction.sentences import PageSentence, sentences_on
from query_engines.verification.quotes import locate
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


# Sentences about what might happen are no answer, unless the question asks for that.
_ONLY_POSSIBLE = re.compile(r"\b(?:may(?! \d)|(?i:might|could|no assurance|there can be|risks?))\b")


@dataclass(frozen=True)
class _Scored:
    place: int
    sentence: PageSentence
    words: frozenset[str]
    score: float


def draft_from_sentences(query: str, pages: Sequence[Page]) -> TextDraft | None:
    """Up to three sentences in the report's order; None where they contain too little of the question."""
    sentences = [
        t for t in sentences_on(pages) if _ONLY_POSSIBLE.search(query) or not _ONLY_POSSIBLE.search(t.text)
    ]
    own = [stems(sentence.text) for sentence in sentences]
    words = question_terms(query, own)
    if len(words.weights) < 2:
        return None
    scored = [_Scored(i, t, w, _score(t, w, words)) for i, (t, w) in enumerate(zip(sentences, own, strict=True))]
    first = next((s for s in sorted(scored, key=lambda s: -s.score) if _is_printed(s.sentence)), None)
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
    return TextDraft(
        step_by_step_analysis=f"Found without a language model. Asked: {query!r}. {note}",
        reasoning_summary=f"Found without a language model. {note}",
        evidence=[passage(s.sentence.page, s.sentence.text) for s in chosen],
        relevant_pages=list(dict.fromkeys(s.sentence.page.page_number for s in chosen)),
        unavailable_because=None,
        final_answer=[Sentence(text=s.sentence.text, evidence_numbers=[n]) for n, s in enumerate(chosen, 1)],
    )
