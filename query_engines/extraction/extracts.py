"""Answers an open question with extracts: the report's own sentences and list items that say what is asked."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, takewhile

from indexes.facts.sentences import sentences_of
from prompts.drafts import passage
from prompts.kinds.text import Sentence, TextDraft
from query_engines.extraction.asked import (
    Asked,
    QuestionTerms,
    done_in,
    names_a,
    noted,
    party_in,
    question_terms,
)
from query_engines.extraction.causes import is_opposite
from query_engines.question.search_text import movement_asked
from query_engines.sections.passages import is_reference, runs_together
from query_engines.verification.quotes import locate
from storage.amounts import NUMBER_WORDS
from storage.lexicon.calendar import ENGLISH_MONTH, written_years
from storage.lexicon.question_words import ASKED_LOOSELY, ASKED_OPENLY, OPEN_TOPICS, is_yet_to_come
from storage.lexicon.reasons import CAUSE, asks_why
from storage.lexicon.words import CONNECTIVE, FUNCTION_WORDS, expression
from storage.records.answers import NOT_AVAILABLE
from storage.records.pages import Block, Page
from storage.records.record import Box, page_ranges
from storage.records.sections import Section
from storage.text import BULLETS, SAME, stems
from storage.text import terms as terms_of

Likeness = Callable[[str, Sequence[str]], Sequence[float]]
"""How alike a question and each of the texts are in meaning, -1..1, higher is better."""

MOST = 5  # extracts of an answer
_MOST_OF_PART = 3  # for one of two questions
_COMPARED = 30  # passages whose meaning is compared: those with most of the words, and those with none
_BEST_PAGES = 2
_SHORTEST, _LONGEST = 35, 700  # letters
_MEANING, _WORDS, _PAIRS = 0.65, 0.27, 0.08  # shares of the score
_IN_HEADING, _BEFORE, _ALIKE = (
    0.6,
    0.6,
    0.8,
)  # credit for a word that the heading or the sentence before has, or for another of its meaning
_ENOUGH, _ALIKE_ENOUGH, _LEAST_ALIKE = 0.55, 0.48, 0.4  # score and meaning of the best; meaning of any
_VERY_ALIKE, _ENOUGH_IF_ALIKE = 0.58, 0.5  # a passage that means the same needs fewer of the words
_NEAR_BEST = 0.87  # of the best score, for a further extract
_BESIDE = 0.06  # for a passage beside the best one
_LEAST_WEIGHT, _MOST_WEIGHT = 1.0, 3.0
_NEAR, _MOST_NEAREST = 0.2, 3  # score and number of passages that are shown beside N/A
_MOST_ITEMS = 4
_BEFORE_IT, _AFTER_IT = 1, 2  # sentences of its paragraph that stand around the best extract
_MOSTLY, _ALMOST_ALL = 0.7, 0.9  # of the words that two passages have in common
_FARTHER = 0.12  # in meaning than the best, at most
_TYPICAL, _UNTYPICAL = 0.05, 0.1  # for what reports say of the topic; of a passage that says nothing of the kind
_RANK = 0.02  # penalty for each rank of a passage's page

_LONGEST_SUBHEADING = 60  # letters
_UNDER_ITS_TITLE = 0.6  # meaning, at least, of what stands under a heading with the question's words alone
_NONE: frozenset[str] = frozenset()
_ASKING, _LOOSELY = stems(ASKED_OPENLY), stems(ASKED_LOOSELY)
_TOPICS = [(expression(topic, re.IGNORECASE), said) for topic, said in OPEN_TOPICS]
_CAUSED = expression(
    rf"(?!in connection with|associated with){CAUSE}|\bin order to\b|\bso that\b|\bfollowing (?:the|an?|its|their)\b"
    r"|\b(?:to|will|would|designed to|expected to|allows? us to|enables? us to) "
    r"(?:enable|allow|accelerat|strengthen|expand|diversif|improv|enhanc|reflect|better|broaden|position|reduc|creat)\w*",
    re.IGNORECASE,
)  # a cause or a purpose; what is only connected with it is neither
# What a question word wants, and what a passage has that gives it.
_GIVES: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (
        expression(
            r"(?i)^(?:and )?(?:who|whom|(?:to|with|from|by) whom|which (?:company|companies|banks?|firms?|partners?))\b"
        ),
        expression(
            r"(?<=[a-z\d,;(] )[A-Z][a-z][\w&.-]+|(?i:\b(?:such as|including|includes?|includ\w+|(?:with|from|against) "
            r"(?:other|private|local|regional|national|many|several|large\w*)|members?|one of)\b)"
        ),
    ),
    (
        expression(r"(?i)\b(?:makes?|earns?)\b.{0,20}\bmoney\b"),
        expression(
            r"(?i)\b(?:revenues?|fees?|income|margins?|commissions?|spreads?|charg\w+|earn\w*|royalt\w+|interest)\b"
        ),
    ),
    (
        expression(r"(?i)^(?:and )?where\b"),
        expression(r"\b(?:in|at|near|to|from|of|throughout|across) (?:the )?(?:[a-z]+ )?[A-Z]\w+"),
    ),
)
# The same of what its paragraph may give: one sentence names the thing, the next its price.
_PARAGRAPH_GIVES: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (
        expression(
            r"(?i)^(?:and |but |so )?(?:how (?:much|many|old|long|large|big|far|often|high|deep)\b"
            r"|(?:at |by )?what (?:\w+ )?(?:rate|price|percentage|per ?cent|share|portion|proportion|amount|fee|age)\b"
            r"|what (?:did|does|do|has|have|is|was|will) .{0,60}\b(?:pay|paid|cost|costs|charge|owe|raise)\b)"
        ),
        expression(rf"\d|(?i:\b(?:{'|'.join(NUMBER_WORDS)}|none|no)\b)"),
    ),
    (
        expression(
            r"(?i)^(?:and |but |so )?(?:(?:since|until|till|from|by) )?"
            r"(?:when|(?:what|which) (?:year|month|date|day))\b"
        ),
        expression(
            rf"\b(?:19|20)\d\d\b|\b{ENGLISH_MONTH}\b|\b\d+ (?:years?|months?|weeks?|days?)\b"
            r"|(?i:\b(?:quarter|anniversary|upon|once|after|before|until)\b)"
        ),
    ),
)
_AHEAD = expression(
    r"(?i)\b(?:expect\w*|anticipat\w+|plan(?:s|ned|ning)?|will|outlook|guidance|target\w*|aims?|forecast\w*|budget\w*"
    r"|project(?:ed|ions?)|intend\w*|propos\w+)\b"
)
_BESIDE_A_CAUSE = expression(r"(?i)\b(?:in connection with|associated with)\b")
_POSSIBLE = expression(r"\b(?:may(?! \d)|(?i:might|could|no assurance|cannot assure|there can be))\b")
_OF_RISK = expression(
    r"(?i)\b(?:risks?|could|might|may|threat\w*|exposed|vulnerab\w+|challeng\w+|depend\w*|affected)\b"
)
_RULE = expression(
    r"\bdetermines? (?:if|whether) an? (?:arrangement|contract)\b"
    r"|\b(?:is|are) (?:to be |initially |subsequently )?(?:recogni[sz]ed|measured|calculated|accounted"
    r"|recorded|amorti[sz]ed|deferred|capitali[sz]ed|assessed|reviewed for impairment|carried at"
    r"|stated at|classified|based on|estimated using|determined (?:by|using|based)|eliminated)\b",
    re.IGNORECASE,
)
_OF_RULES = expression(
    r"(?i)\b(?:account(?:s|ed|ing)?|recogni[sz]\w+|measur\w+|valu(?:e|ed|ation)|polic(?:y|ies)|depreciat\w+"
    r"|amorti[sz]\w+|capitali[sz]\w+|expensed|written (?:off|down)|useful li(?:fe|ves)|method"
    r"|treat(?:s|ed)?|book(?:s|ed)?)\b"
)
_CONTRACT = expression(
    r"(?i)\b(?:hereby|herein|hereto|thereof|hereunder|hereof|whereas|the executive shall|pursuant to rule|exhibit \d"
    r"|incorporated (?:herein )?by reference|item \d+[ab]?\b|forward-looking)"
)
_LISTED = expression(r"^[(\[]?\d{1,2}\.\d{1,2}\b")  # an entry of a list of exhibits
_DEFINED = expression(
    r"\b(?:(?:can be|is|are) defined as|refers? to|is the risk|arises? (?:when|from|if)|means)\b"
)
_OF_DEGREE = expression(
    r"(?i)^(?:how|to what extent)\b.{0,60}?\b(?:depend\w*|expos\w+|concentrat\w+|large|big|strong|rel(?:y|ies|iant))\b"
)
_MEASURED = expression(
    r"\d\s?%|\bper ?cent\b|[$€£]\s?\d|\b(?:million|billion|one|two|three|four|five|ten) (?:of|customers)"
)
_ALWAYS = expression(r"(?!)")  # a sign that nothing excuses
# Signs that a sentence is no answer, their points, and what in the question excuses them.
_AGAINST: tuple[tuple[re.Pattern[str], float, re.Pattern[str]], ...] = (
    (_POSSIBLE, -0.25, _OF_RISK),
    (_RULE, -0.25, _OF_RULES),
    (_DEFINED, -0.06, _ALWAYS),
    (_CONTRACT, -0.3, _ALWAYS),
)
_OUT_OF_PLACE: dict[str, tuple[float, re.Pattern[str]]] = {
    "risks": (-0.05, _OF_RISK),
    "policies": (-0.15, _OF_RULES),
    "auditor_report": (-0.1, _ALWAYS),
}
_OTHER_SUBJECT = -0.08  # for a reason of something that is called by other words
_IN_SECTION, _FITS, _MISSES, _OTHER_YEAR = 0.08, 0.08, -0.03, -0.15
_REFERS_BACK = expression(
    r"(?i)\b(?:this|these|such|the same) (?:\w+ )?(?:customer|client|supplier|company|party|bank|firm|person)s?\b"
)
_GOES_ON = expression(
    rf"^(?:{CONNECTIVE}|This|These|Those|Such|That|It|They|He|She|Its|Their|Both|The (?:increase|decrease|decline"
    r"|change|improvement|growth|remaind?er|former|latter))\b"
)


@dataclass(frozen=True)
class _Passage:
    text: str
    page: Page
    rank: int
    heading: str
    kinds: frozenset[str]
    is_item: bool
    place: int
    paragraph: Box | None = None
    words: frozenset[str] = field(default=frozenset(), compare=False)


@dataclass(frozen=True)
class _Weighed:
    passage: _Passage
    score: float
    meaning: float
    is_fit: bool  # to be an answer; what names something else, or means little of it, may still come near


class Extracts:
    """Finds the passages of pages that answer an open question."""

    def __init__(self, likeness: Likeness | None = None) -> None:
        """Compare meanings with `likeness`; without it, only words are compared."""
        self._likeness = likeness

    def draft(self, asked: Asked, pages: Sequence[Page], sections: Sequence[Section]) -> TextDraft | None:
        """Up to five passages that answer, in the report's order; N/A with the nearest ones where none is good enough.

        Args:
            asked: the question.
            pages: best first.
            sections: of the report.

        Returns:
            None where no passage is about it at all.
        """
        found = list(_passages(pages, sections))
        weighed: list[_Weighed] = []
        for question in dict.fromkeys(
            (asked.focused, asked)
        ):  # the talk around a question may name what it is about
            parts = question.parts
            most = MOST if len(parts) == 1 else _MOST_OF_PART
            by_part = [_weighed(part, found, self._likeness) for part in parts]
            chosen = [_chosen(part, own, found, most) for part, own in zip(parts, by_part, strict=True)]
            if parts[-1].leans and not chosen[0]:
                chosen[-1] = []  # "and what is the risk of that?" means nothing by itself
            if any(chosen):
                lines = _in_order(passage for own in chosen for passage in own)[:MOST]
                left = [part for part, own in zip(parts, chosen, strict=True) if not own]
                lines, unsaid = self._with_further(asked, lines, found)
                return noted(_draft(question, lines), left or unsaid)
            weighed += (one for own in by_part for one in own)
        return _nearest(sorted(weighed, key=lambda w: -w.score))

    def _with_further(
        self, asked: Asked, lines: list[_Passage], found: Sequence[_Passage]
    ) -> tuple[list[_Passage], list[Asked]]:
        """The passages with what is said of the rest of a question that they leave open, and what stays open."""
        unsaid = []
        for part in asked.further:
            if part.is_mostly_in(frozenset().union(*(p.words for p in lines))):
                continue
            more = _chosen(part, _weighed(part, found, self._likeness), found, MOST - len(lines))
            lines = _in_order([*lines, *more])
            unsaid += [] if more else [part]
        return lines, unsaid


def _nearest(weighed: Sequence[_Weighed]) -> TextDraft | None:
    """N/A with the passages that come nearest."""
    near: list[_Passage] = []
    for one in weighed:
        is_new = not any(_says_the_same(one.passage, other) for other in near)
        if one.score >= _NEAR and len(near) < _MOST_NEAREST and is_new and _is_printed(one.passage):
            near.append(one.passage)
    if not near:
        return None
    pages = page_ranges(p.page.page_number for p in near)
    message = (
        f"Looked for without a language model. No sentence says enough of what is asked; those that come nearest are "
        f"on page {pages}."
    )
    return TextDraft(
        step_by_step_analysis=message,
        reasoning_summary=message,
        evidence=[passage(p.page.page_number, p.text) for p in near],
        relevant_pages=list(dict.fromkeys(p.page.page_number for p in near)),
        unavailable_because="not_found",
        final_answer=NOT_AVAILABLE,
    )


def _passages(pages: Sequence[Page], sections: Sequence[Section]) -> Iterator[_Passage]:
    """The whole sentences and list items of the pages, with their heading and the kinds of their sections."""
    place = 0
    for rank, page in enumerate(pages):
        blocks = {block.box: block for block in page.blocks if block.box is not None}
        heading = page.section[-1] if page.section else ""
        for sentence in sentences_of(page):
            block = blocks.get(sentence.box) if sentence.box else None
            place += 1
            if block is not None and (block.kind == "heading" or _is_subheading(block)):
                heading = sentence.text
                continue
            if _is_whole(sentence.text):
                yield _Passage(
                    text=sentence.text.strip(),
                    page=page,
                    rank=rank,
                    heading=heading,
                    kinds=_kinds(sections, page, block),
                    is_item=block is not None and block.kind == "list_item",
                    place=place,
                    paragraph=sentence.box,
                    words=stems(sentence.text),
                )


def _is_subheading(block: Block) -> bool:
    """Whether a paragraph is one short line that is no sentence, as the titles of passages in small print are."""
    text = block.text.strip()
    return (
        block.kind == "paragraph"
        and len(block.lines) == 1
        and len(text) <= _LONGEST_SUBHEADING
        and text[:1].isupper()
        and text[-1:].isalpha()
        and not any(c.isdigit() for c in text)
    )


def _is_whole(text: str) -> bool:
    text = text.strip()
    begun = re.match(rf"^(?:[{BULLETS}*\-–]\s{{0,3}})?[\"'(]?[A-Z\d$€£]", text) is not None
    return (
        _SHORTEST <= len(text) <= _LONGEST
        and begun
        and text[-1:] in ".!?)\"';:"
        and " | " not in text
        and not is_reference(text)
        and not runs_together(text)
        and not _LISTED.match(text)
        and sum(c.isdigit() for c in text) < 0.25 * len(text)
    )


def _kinds(sections: Sequence[Section], page: Page, block: Block | None) -> frozenset[str]:
    """The kinds of the sections that a block stands in."""
    top = block.box.top if block is not None and block.box is not None else None
    found = set()
    for section in sections:
        if page.page_number not in section.pages or not section.kind:
            continue
        is_above = (
            section.first_page == page.page_number
            and section.box is not None
            and top is not None
            and top < section.box.top
        )
        if not is_above:
            found.add(section.kind)
    return frozenset(found)


def _weighed(asked: Asked, found: Sequence[_Passage], likeness: Likeness | None) -> list[_Weighed]:
    """The passages that have words of the question, best first."""
    terms = _terms(asked, found)
    if terms is None:
        return []
    headings = {p.heading: stems(p.heading) for p in found}
    shares = [_share(terms, p, found[i - 1] if i else None, headings[p.heading]) for i, p in enumerate(found)]
    order = sorted(range(len(found)), key=lambda i: _RANK * found[i].rank - shares[i])
    order = [i for i in order if shares[i] > 0][:_COMPARED] + _in_other_words(found, shares)
    texts = [_in_context(found[i]) for i in order]
    alike = (_alike(asked.text, texts, likeness) if likeness is not None else ()) or [shares[i] for i in order]
    pairs, meant = _pairs(asked.words), _meant(asked, terms)
    direction = movement_asked(asked.words) if asks_why(asked.text) else _NONE
    weighed = []
    for i, meaning in zip(order, alike, strict=True):
        own = found[i]
        if _is_titled(terms, headings[own.heading]):
            meaning = max(meaning, _UNDER_ITS_TITLE)
        is_of_others = bool(terms.entities) and not _names_one(terms, found, i)
        is_of_others |= any(not words & (own.words | headings[own.heading]) for words in meant)
        is_fit = not is_of_others and meaning >= _LEAST_ALIKE
        is_fit &= not own.text.endswith(":") or bool(_items_of(i, found))
        is_fit &= not is_opposite(direction, own.words)
        together = len(pairs & _pairs(f"{own.heading} {own.text}")) / len(pairs) if pairs else shares[i]
        score = _MEANING * meaning + _WORDS * shares[i] + _PAIRS * together + _for_and_against(asked, own)
        if asks_why(asked.text) and pairs and not together:
            score += _OTHER_SUBJECT
        weighed.append(_Weighed(own, score, meaning, is_fit))
    return sorted(weighed, key=lambda w: -w.score)


def _in_other_words(found: Sequence[_Passage], shares: Sequence[float]) -> list[int]:
    """Passages of the best pages that have no word of the question, but may mean the same."""
    unlike = [i for i, own in enumerate(found) if own.rank < _BEST_PAGES and not shares[i]]
    return unlike[:_COMPARED]


def _meant(asked: Asked, terms: QuestionTerms) -> list[frozenset[str]]:
    """What a passage must have beside a name: what is done ("who makes X"), else one of the words that say what of it.

    Each set holds words that stand for one another.
    """
    done = done_in(asked.text)
    if done:
        return [done]
    said = terms.weights.keys() - terms.entities - _LOOSELY
    alike = (SAME.get(word, _NONE) | {word} for word in said)
    return [_NONE.union(*alike)] if terms.entities and said else []


def _is_titled(terms: QuestionTerms, heading: frozenset[str]) -> bool:
    """Whether a heading says what is asked, and nothing else."""
    asked = terms.weights.keys()  # one word, such as "Leases", titles accounting policies
    return len(asked) > 1 and asked <= heading and len(heading - FUNCTION_WORDS) <= len(asked)


def _alike(question: str, texts: Sequence[str], likeness: Likeness) -> Sequence[float]:
    """How alike the texts are to the question, and to what reports say where they answer such a question."""
    alike = likeness(question, texts)
    said = next((said for topic, said in _TOPICS if topic.search(question)), None)
    if said is None or not alike:
        return alike
    both = zip(alike, likeness(said, texts), strict=True)
    return [max(own - _UNTYPICAL, (own + typical) / 2 + _TYPICAL) for own, typical in both]


def _pairs(text: str) -> frozenset[tuple[str, str]]:
    """The neighbouring words of a text that both carry meaning."""
    found = [word for word in terms_of(text) if word not in _ASKING]
    return frozenset(pairwise(found))


def _terms(asked: Asked, found: Sequence[_Passage]) -> QuestionTerms | None:
    """The words that the answer should have; rare ones count more, up to three times as much.

    None where the question has names and the pages have none of them.
    """
    terms = question_terms(asked.words, [p.words for p in found])
    printed = {word for p in found for word in p.words}
    names = frozenset(word for word in terms.entities if word in printed)
    if terms.entities and not names:
        return None
    lightly = _LOOSELY | (terms.weights.keys() - printed if names else _NONE)
    weights = {
        word: _LEAST_WEIGHT if word in lightly else min(max(weight, _LEAST_WEIGHT), _MOST_WEIGHT)
        for word, weight in terms.weights.items()
        if word not in _ASKING
    }
    weights |= dict.fromkeys(sorted(done_in(asked.text) & stems(asked.words)), _MOST_WEIGHT)
    return QuestionTerms(weights, names & weights.keys()) if weights else None


def _share(terms: QuestionTerms, own: _Passage, before: _Passage | None, heading: frozenset[str]) -> float:
    """The share of the question's words that a passage has by itself, by its heading or by what it refers back to."""
    others = frozenset(word for word in terms.weights if SAME.get(word, _NONE) & own.words)
    places = [(own.words, 1.0), (others, _ALIKE), (heading, _IN_HEADING)]
    if before is not None and _goes_on(own, before):
        places.append((before.words, _BEFORE))
    return terms.share(*places)


def _goes_on(own: _Passage, before: _Passage) -> bool:
    return (
        own.page is before.page
        and own.place - before.place == 1
        and (_GOES_ON.match(own.text) is not None or own.is_item)
    )


def _names_one(terms: QuestionTerms, found: Sequence[_Passage], at: int) -> bool:
    """Whether a passage, its heading or the one before it has a name of the question."""
    own = found[at]
    near = [p.words for p in found[max(0, at - 1) : at + 1] if p.page is own.page]
    return any(terms.entities & words for words in (*near, stems(own.heading)))


def _in_context(own: _Passage) -> str:
    heading = own.heading if 3 < len(own.heading) < 80 else ""
    return f"{heading}: {own.text}" if heading else own.text


def _for_and_against(asked: Asked, own: _Passage) -> float:
    """What speaks for and against a passage beside its words and meaning."""
    against = sum(
        points for sign, points, excuse in _AGAINST if sign.search(own.text) and not excuse.search(asked.text)
    )
    out_of_place = [
        points
        for kind, (points, excuse) in _OUT_OF_PLACE.items()
        if kind in own.kinds and not excuse.search(asked.text)
    ]
    total = against + min(out_of_place, default=0.0) - _RANK * own.rank
    total += _IN_SECTION * (bool(asked.kind) and asked.kind in own.kinds)
    if _OF_DEGREE.match(asked.text):
        total += _FITS if _MEASURED.search(own.text) else 0.0
    if asks_why(asked.text):
        total += _FITS if _CAUSED.search(own.text) else _MISSES
    years = written_years(own.text)
    if asked.year is not None and years:
        total += _FITS / 2 if asked.year in years else _OTHER_YEAR
    return total


def _chosen(asked: Asked, weighed: Sequence[_Weighed], found: Sequence[_Passage], most: int) -> list[_Passage]:
    """The best passages with what they refer to, in the report's order; none where the best is not good enough."""
    at = {p.place: i for i, p in enumerate(found)}
    weighed = [w for w in weighed if w.is_fit and _gives(asked, [w.passage, *_beside(w.passage, found, at)])]
    best = next((w for w in weighed if w.meaning >= _ALIKE_ENOUGH and _is_printed(w.passage)), None)
    if best is None:
        return []
    enough = _ENOUGH if best.meaning < _VERY_ALIKE else _ENOUGH_IF_ALIKE
    if best.score < enough:
        return []
    chosen: dict[tuple[int, int], _Passage] = {}
    for one in weighed:
        beside = one.passage.page is best.passage.page and one.passage.heading == best.passage.heading
        if one.score + _BESIDE * beside < max(
            min(_ENOUGH, best.score), _NEAR_BEST * best.score
        ) or not _is_printed(one.passage):
            continue
        if one.meaning < best.meaning - _FARTHER:
            continue
        if any(_says_the_same(one.passage, other) for other in chosen.values()):
            continue
        near = _with_context(one.passage, found, at)
        if one is best:
            near = [*near, *filter(_is_printed, _beside(one.passage, found, at))]
        added = {(p.page.page_number, p.place): p for p in near}
        if len(chosen.keys() | added.keys()) <= most:
            chosen.update(added)
    if asks_why(asked.text) and not any(_CAUSED.search(p.text) for p in chosen.values()):
        return []
    return _in_order(chosen.values())


def _gives(asked: Asked, near: Sequence[_Passage]) -> bool:
    """Whether a passage, the first, or its paragraph has what the question word wants; for "why" no mere connection."""
    if asks_why(asked.text) and _BESIDE_A_CAUSE.search(near[0].text) and not _CAUSED.search(near[0].text):
        return False
    if is_yet_to_come(asked.text) and not _AHEAD.search(near[0].text):
        return False
    if (party := party_in(asked.words)) and not any(names_a(party, p.text) for p in near):
        return False
    if not asked.is_given_in(near[0].text, near[0].heading):
        return False
    around = " ".join(p.text for p in near)
    own = around if _REFERS_BACK.search(near[0].text) else near[0].text
    wanted = [(gives, own) for wants, gives in _GIVES if wants.search(asked.text)]
    wanted += [(gives, around) for wants, gives in _PARAGRAPH_GIVES if wants.search(asked.text)]
    return all(gives.search(text) for gives, text in wanted)


def _in_order(chosen: Iterable[_Passage]) -> list[_Passage]:
    """The passages in the report's order, each once."""
    by_place = {(p.page.page_number, p.place): p for p in chosen}
    return [by_place[place] for place in sorted(by_place)]


def _with_context(own: _Passage, found: Sequence[_Passage], at: dict[int, int]) -> list[_Passage]:
    """A passage with the one that it refers back to, or with the items that it announces."""
    i = at[own.place]
    before = found[i - 1] if i else None
    brought = (
        [before]
        if before is not None and _goes_on(own, before) and not own.is_item and _is_printed(before)
        else []
    )
    return [*brought, own, *_items_of(i, found)]


def _beside(own: _Passage, found: Sequence[_Passage], at: dict[int, int]) -> list[_Passage]:
    """What its paragraph says before and after it: a sentence alone often names the thing, and the next what of it."""
    i = at[own.place]
    near = found[max(0, i - _BEFORE_IT) : i + _AFTER_IT + 1]
    return [p for p in near if p.page is own.page and p.paragraph is not None and p.paragraph == own.paragraph]


def _items_of(at: int, found: Sequence[_Passage]) -> list[_Passage]:
    """The first items of the list that a passage announces."""
    own = found[at]
    items = takewhile(
        lambda after: after.is_item and after.page is own.page and _is_printed(after),
        found[at + 1 : at + 1 + _MOST_ITEMS],
    )
    return list(items) if own.text.endswith(":") else []


def _says_the_same(one: _Passage, other: _Passage) -> bool:
    """Whether two passages differ in few words; reports say things twice, in their discussion and in their notes."""
    most = _ALMOST_ALL if one.page is other.page else _MOSTLY
    return one.place == other.place or len(one.words & other.words) > most * min(len(one.words), len(other.words))


def _is_printed(own: _Passage) -> bool:
    """Whether it can be marked on its page; one that continues on the next page or column cannot."""
    return locate(own.text, own.page) is not None


def _draft(asked: Asked, chosen: Sequence[_Passage]) -> TextDraft:
    pages = ", ".join(dict.fromkeys(str(p.page.page_number) for p in chosen))
    note = (
        f"Extracts: the report's own sentences nearest to the question, from page {pages}. "
        "No language model read or worded them."
    )
    return TextDraft(
        step_by_step_analysis=f"Found without a language model. Searched for {asked.words!r}. {note}",
        reasoning_summary=f"Found without a language model. {note}",
        evidence=[passage(p.page.page_number, p.text) for p in chosen],
        relevant_pages=list(dict.fromkeys(p.page.page_number for p in chosen)),
        unavailable_because=None,
        final_answer=[Sentence(text=p.text, evidence_numbers=[n]) for n, p in enumerate(chosen, 1)],
    )
