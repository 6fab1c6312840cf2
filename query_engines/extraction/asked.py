"""What a question asks: the words that a passage should have, and the questions that an open one consists of."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from prompts.kinds.text import Sentence, TextDraft
from query_engines.question.classifier import SENTENCE_END, sentences_in
from storage.lexicon.money import CODE, SCALE_BEHIND_FIGURE, UNIT_SIGN
from storage.lexicon.names import NAME_IN_QUESTION
from storage.lexicon.question_words import ASKED_LOOSELY, ASKED_OPENLY
from storage.lexicon.words import expression
from storage.text import SAME, stems, terms

# The verb of a question for somebody or for what is done: "who makes", "who does it partner with", "doing to keep".
_DOES = expression(
    r"(?i)^(?:and )?(?:who|whom|(?:to|with|from|by) whom|which (?:\w+ ){1,2}?)\s?"
    r"(?:(?:does|do|did|has|have|had|is|are|was|were|will|might|may|could) )?(?:it )?(?P<verb>[a-z-]+)"
    r"|\bdoing to (?P<how>[a-z-]+)"
)
_OF_MONEY = (
    r"(?:revenues?|sales|turnover|income|profits?|loss(?:es)?|earnings|ebitda?|costs?|expenses?|spending|value|price"
    r"|amount|balance|debt|loans?|deposits?|assets|liabilities|royalt(?:y|ies)|provisions?|proceeds|stake|worth|capex)"
)
# "What was the construction loan balance?", "Acme exhaust revenue 2022"; not what drives it, or how it is recognised.
_WANTS_AMOUNT = expression(
    r"(?i)^(?:(?:and |so )?(?:what|how much) (?:was|were|is|are|did|does|do|has|have|of)\b"
    r"(?!.{0,80}\b(?:polic|method|recogni[sz]|approach|strateg|reason|driv|caus|impact|effect|risk|mean)\w*)"
    r"|(?!.{0,200}\b(?:what|how|why|which|who|when|where|describe|explain|discuss|tell|policy|did|does|is|are)\b))"
    rf"[^?]{{0,120}}\b{_OF_MONEY}\b(?: (?:in|for|at|of|due)\b[^?]{{0,40}}| (?:20)?\d\d)?\W*$"
    rf"|^(?:and |so )?how much (?:[\w&'’-]+ ){{0,4}}{_OF_MONEY}\b|\(in (?-i:{CODE})\)\W*$"
)
_MONEY = expression(rf"{UNIT_SIGN}\s?\d|\d ?{SCALE_BEHIND_FIGURE}\b")
OF_RANK = frozenset(terms("main key principal major biggest largest greatest important"))
"""Which of several is asked for, in stems; a sentence that tells of it need not say so."""
_ASKING = (
    frozenset(
        terms(
            "amount amounts value values spend spent make made earn earned come came record recorded get got"
            " stated say show disclose disclosed according mention list listed end year years period annual financial"
            " fiscal name named please why when where happen happened become became tell company company's group's"
        )
    )
    | OF_RANK
)
LOOSE = frozenset(
    terms(
        "segment segments region regional area market country countries customer customers client clients business"
        " division geographic program programme total number numbers group consolidated whole overall cost holding"
        " sum net"
    )
)
_LOOSE_WEIGHT = 0.3
_UNKNOWN = 3.0  # the greatest weight of a word that is in no passage


@dataclass(frozen=True)
class QuestionTerms:
    """Stems with positive weights, rarer ones higher; `entities` are those written as names in the question."""

    weights: dict[str, float]
    entities: frozenset[str]

    @property
    def wants_average(self) -> bool:
        """Whether the question asks for an average."""
        return bool({"averag", "mean", "median", "weight"} & self.weights.keys())

    @property
    def total(self) -> float:
        """The sum of the weights."""
        return sum(self.weights.values())

    def share(self, *places: tuple[frozenset[str], float]) -> float:
        """The share of the question that is covered, 0..1. Each word counts once, with the credit of its best place."""
        if not self.weights:
            return 0.0
        covered = sum(
            weight * max((credit for words, credit in places if word in words), default=0.0)
            for word, weight in self.weights.items()
        )
        return covered / self.total


def question_terms(text: str, passages: Iterable[frozenset[str]]) -> QuestionTerms:
    """The terms of a question's search text; words that are rare in the passages have the highest weights."""
    wanted = stems(text) - _ASKING
    counts = dict.fromkeys(wanted, 0)
    size = 0
    for words in passages:
        size += 1
        for word in wanted & words:
            counts[word] += 1
    weights = {w: _weight(w, count, size) for w, count in counts.items()}
    names = frozenset(w for name in NAME_IN_QUESTION.findall(text) for w in stems(name)) & wanted
    return QuestionTerms(weights, names - LOOSE)


def done_in(text: str) -> frozenset[str]:
    """The verb of a question for somebody, in all words of its meaning; empty where no others are known."""
    found = _DOES.search(text)
    verb = (found["verb"] or found["how"]) if found else ""
    return next((SAME[stem] for stem in stems(verb) if stem in SAME), frozenset[str]())


def rarity(word: str, count: int, size: int) -> float:
    """The weight of a word that is in `count` of `size` passages."""
    return _weight(word, count, size)


def _weight(word: str, count: int, size: int) -> float:
    weight = math.log(1 + (size - count + 0.5) / (count + 0.5))
    if not count:
        weight = min(weight, _UNKNOWN)
    return weight * (_LOOSE_WEIGHT if word in LOOSE else 1.0)


_ASKING_AGAIN = r"(?:(?:for|to|from|with|in|on|at|by|of) )?(?:how|what|why|who|whom|whose|which|when|where)\b"
_VERB_AGAIN = r"(?:did|does|do|is|are|was|were|has|have|had|will|can|could)"
_AND = expression(rf",? and (?={_ASKING_AGAIN})|\? (?={_ASKING_AGAIN})", re.IGNORECASE)
# The same, and ", did it …", "? And is there …", "- what …".
_AND_ALSO = expression(
    rf",? (?:and|but) (?:also )?(?={_ASKING_AGAIN}|{_VERB_AGAIN} (?:it|they|he|she|there|its|the|their)\b)"
    rf"|\?\W{{0,3}} (?:(?:and|but|so|also|or),? ){{0,2}}(?={_ASKING_AGAIN}|{_VERB_AGAIN}\b|any(?:thing|one|body)?\b)"
    rf"|, (?=(?:how|what|why)\b)|(?:;| [-–—]) (?={_ASKING_AGAIN})",
    re.IGNORECASE,
)
# Where a clause begins that asks; "which" and "that" behind a noun begin one that only describes.
_ASKS = expression(
    r"(?i)(?:(?<=^)|(?<=[,:;–—-] )|(?<=please )|(?<=know )|(?<=tell me )|(?<=and )|(?<=but )|(?<=so ))"
    rf"(?:{_ASKING_AGAIN}|{_VERB_AGAIN}\b)"
)
_OF_OTHERS = expression(r"(?i)\b(?:else|others?|another|besides)\b")
_REFERS_BACK = expression(r"(?i)\b(?:that|this|these|those|them|it)\W*$")
_TALK = expression(
    r"(?i)\b(?:i|i'm|i'd|my|we|our|me|us|here|hi|hey|hello|please|pls|quick|question|sentence|words?)\b"
)
_LONGEST_TOPIC = 5  # words: "Share repurchases: what did the board authorize?"
_ENOUGH_WORDS = 3
_SAYS_LITTLE = stems(ASKED_OPENLY) | stems(ASKED_LOOSELY)
_TOKEN = expression(r"[\w&'’-]+")
_FULL_NAME = expression(
    r"\b(?!(?:The|Our|In|An?|This|These|As|At|On|For|We|Its?|Each|All|Both)\b)"
    r"[A-Z][\w'’.-]+ (?:& |[A-Z]\.? )?[A-Z][a-z][\w'’-]*"
)
_COMPOUND = 2
_PARTIES = stems(
    "director shareholder stockholder holder owner member executive officer manager partner adviser advisor agent bank"
    " lender counsel supplier competitor rival customer client subsidiary"
)
_RANKED = OF_RANK | stems("top leading single current new former other")
_FEWEST = 2  # words of its own with which a second question stands alone


@dataclass(frozen=True)
class Asked:
    """An open question.

    Attributes:
        text: with its question word, without the company's name.
        words: what is asked, without company, period and question word.
        kind: the kind of section that it asks for; empty for none.
        year: that it names.
        leans: whether it says too little without the question before it.
        is_of_figure: whether a figure is asked for; the words around that are no talk, but say which one.
    """

    text: str
    words: str
    kind: str = ""
    year: int | None = None
    leans: bool = False
    is_of_figure: bool = False

    def is_given_in(self, text: str, heading: str) -> bool:
        """Whether a text has an amount, and with its heading says of what, where an amount is asked for."""
        if _WANTS_AMOUNT.search(self.text) is None:
            return True
        of_what = _content(self.words) - stems(" ".join(re.findall(_OF_MONEY, self.words, re.IGNORECASE))) - LOOSE
        years = {word for word in of_what if word.isdigit()}
        return _MONEY.search(text) is not None and of_what - years <= stems(f"{heading} {text}")

    @property
    def focused(self) -> "Asked":
        """The sentence that asks, from its question word on, without the talk around it; all where that says little.

        "I cover consumer matters. In one sentence please: what is the claim of the suit?" asks what the claim is.
        """
        sentences = (part.strip() for part in sentences_in(self.text, SENTENCE_END))
        asking = [part for part in sentences if _ASKS.search(part)]
        marked = [part for part in asking if part.endswith("?")]
        if not asking or self.is_of_figure:
            return self
        best = max(marked or asking, key=lambda part: len(_content(part)))
        found = _ASKS.search(best)
        lead = best[: found.start()].strip(" ,:;–—-") if found is not None else ""
        is_topic = bool(_content(lead)) and len(lead.split()) <= _LONGEST_TOPIC and not _TALK.search(lead)
        focus = best if found is None or is_topic else best[found.start() :]
        if len(_content(focus)) < _ENOUGH_WORDS or _REFERS_BACK.search(focus):
            return self
        kept = _content(focus).union(*(stems(name) for name in NAME_IN_QUESTION.findall(self.words)))
        words = " ".join(word for word in self.words.split() if stems(word) <= kept or not stems(word))
        return replace(self, text=focus, words=words) if _content(words) else self

    @property
    def parts(self) -> list["Asked"]:
        """The questions that it has, each with the names of the first: "why did it buy X, and what did it pay?".

        One that says too little by itself, such as "and for what?", has the words of the first too.
        """
        texts, words = _AND.split(self.text, maxsplit=1), _AND.split(self.words, maxsplit=1)
        if len(texts) != len(words) or len(texts) < _FEWEST or not all(map(str.strip, words)):
            return [self]
        later = self._later(texts[1], words[1], words[0])
        return [replace(self, text=texts[0], words=words[0]), later]

    @property
    def further(self) -> list["Asked"]:
        """What it asks beside its first question, wherever a clause asks again, as far as it has words of its own."""
        texts = [text for text in map(str.strip, _AND_ALSO.split(self.text)) if _ASKS.search(text)]
        words = [self._words_in(text) for text in texts]
        later = (self._later(text, own, words[0]) for text, own in zip(texts[1:], words[1:], strict=True))
        return [part for part in later if not part.leans]

    def _words_in(self, text: str) -> str:
        """The words of a part of the text that say what is asked, without company, period and question word."""
        wanted = stems(self.words) - stems("else other others another besides")
        return " ".join(word for word in text.strip(" ?.").split() if stems(word) and stems(word) <= wanted)

    def _later(self, text: str, words: str, first: str) -> "Asked":
        """A question after the first, with its names unless it asks for others; with all words if it has hardly any."""
        is_short = len(stems(words) - _SAYS_LITTLE) < _FEWEST
        meant = first if is_short else " ".join(NAME_IN_QUESTION.findall(first))
        if not is_short and _OF_OTHERS.search(text):
            return replace(self, text=text, words=words)
        return replace(
            self, text=f"{text} ({meant})" if meant else text, words=f"{words} {meant}".strip(), leans=is_short
        )

    def is_mostly_in(self, words: frozenset[str]) -> bool:
        """Whether most of the words that say what is asked are among these."""
        own = _content(self.words) - LOOSE
        return len(own & words) > len(own) / 2


def _content(text: str) -> frozenset[str]:
    """The stems of the words that say something of what is asked."""
    return stems(text) - _SAYS_LITTLE - _ASKING


def party_in(words: str) -> list[frozenset[str]]:
    """The two words by which a question calls a party and asks nothing else: "majority shareholder"; else none."""
    named = [word for token in words.split() if (word := stems(token))]
    is_party = len(named) == _COMPOUND and bool(named[1] & _PARTIES) and not named[0] & _RANKED
    return named if is_party else []


def names_a(party: Sequence[frozenset[str]], text: str) -> bool:
    """Whether a sentence has the two words side by side, and a name; a "non-executive director" is no executive one."""
    tokens = _TOKEN.findall(text)
    words = [stems(token) for token in tokens]
    at = [n for n in range(len(words) - 1) if words[n : n + 2] == list(party)]
    others = " ".join("-" if n in at or n - 1 in at else token for n, token in enumerate(tokens))
    return bool(at) and _FULL_NAME.search(others) is not None


def joined(first: TextDraft, second: TextDraft) -> TextDraft:
    """One answer of two drafts with sentences, the first's before the second's; a passage of both stands once."""
    quotes = {(e.page, e.quote) for e in first.evidence}
    more = [e for e in second.evidence if (e.page, e.quote) not in quotes]
    lines = list(first.final_answer) if isinstance(first.final_answer, list) else []
    at = len(first.evidence)
    added = [Sentence(text=e.quote, evidence_numbers=[at + n]) for n, e in enumerate(more, 1)]
    return first.model_copy(
        update={
            "reasoning_summary": f"{first.reasoning_summary} {second.reasoning_summary}",
            "step_by_step_analysis": f"{first.step_by_step_analysis} {second.step_by_step_analysis}",
            "evidence": [*first.evidence, *more],
            "relevant_pages": list(dict.fromkeys([*first.relevant_pages, *(e.page for e in more)])),
            "final_answer": [*lines, *added],
        }
    )


def noted(draft: TextDraft, unanswered: Sequence[Asked]) -> TextDraft:
    """The draft that says which of the question's parts it leaves open."""
    if not unanswered:
        return draft
    open_ = "; ".join(repr(part.words) for part in unanswered)
    note = f"No passage was found that says enough of {open_}."
    return draft.model_copy(
        update={
            "reasoning_summary": f"{draft.reasoning_summary} {note}",
            "step_by_step_analysis": f"{draft.step_by_step_analysis} {note}",
        }
    )
