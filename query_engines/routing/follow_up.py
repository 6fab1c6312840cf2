"""What a text in a conversation means: a complete question stays; else its open slots are filled from those before."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from query_engines.company_names.vocabulary import is_common, is_spoken, is_statement_word
from query_engines.comparison.entities import (
    Everyone,
    Listed,
    biggest_in,
    everyone_in,
    listed,
    listed_names,
    of_country,
)
from query_engines.comparison.grammar import HIGH, LOW, is_high
from query_engines.comparison.patterns import read_open_plan
from query_engines.comparison.plan import Entity
from query_engines.comparison.times import names_several_years
from query_engines.question.parsed import ParsedQuestion, reported_year
from query_engines.question.parser import MARK, QuestionParser, chosen_of
from query_engines.question.search_text import without_currency
from query_engines.question.wording import well_spelled
from query_engines.routing.dialogue import Dialogue
from query_engines.routing.slots import (
    GROWTH,
    LASTING,
    MARKED,
    MARKED_LIST,
    OFFICES,
    OPERATIONS,
    OVER_TIME,
    Slots,
    at_another_time,
    guessed,
    of_others,
    slots_of,
    sole,
    subject_of,
    written,
)
from query_engines.routing.small_talk import SOURCE, is_small_talk
from storage.lexicon.money import CODE, SCALE
from storage.lexicon.names import names_a_place
from storage.lexicon.periods import periods_in, without_periods, years_named
from storage.lexicon.question_words import MOVES, asks_when
from storage.lexicon.words import expression
from storage.records.questions import Question, check_length
from storage.records.reports import Company
from storage.text import plain

Prints = Callable[[str, str], bool]  # by a company's name and the words
_MOST = 10  # companies that "all of them" may stand for
_FEW_WORDS = 6  # of a topic alone
# Words before, behind and around what a text gives.
_ALSO = r"(?:ok(?:ay)?|and|or|but|so|then|now|also|hm+|well|right|und|et|y|e)"
_ABOUT = (
    r"(?:what about|how about|what of|same (?:thing|question|again)|(?:the |do the )?same(?: \w+){0,2}?(?= for\b)"
    r"|the same|same)"
)
_LEAD = expression(
    rf"^(?:(?:{_ALSO}|{_ABOUT}|likewise|compare that|for|with|to|in|of|at|at the)\b[\s,]*)+", re.IGNORECASE
)
_GOES_ON = expression(rf"^(?:(?:{_ALSO})\b[\s,]*)*(?:and|or|but|also|und|et|y|e|{_ABOUT})\b", re.IGNORECASE)
_BESIDE = expression(rf"^(?:{_ALSO}\b[\s,]*)+", re.IGNORECASE)
_SENTENCE_END = expression(r"(?<=[.?!])\s+(?=\S)")
_TURNS_TO = expression(
    rf"^(?:let's |let us |now |please )*(?:turn|go|move|switch|on|over)(?: on| over)? to {MARK}0\W+(?=\w)", re.I
)
_AGAINST = expression(rf"\b(?:than|against|versus|vs|compared (?:to|with)) (?:that of )?{MARK}\d", re.IGNORECASE)
_LAST_YEAR = expression(r"\blast year\b", re.IGNORECASE)
_YEAR_BEFORE_THAT = expression(r"\b(year before) (?:that|this|it)\b", re.IGNORECASE)
_DOUBTS = expression(
    r"\b(?:(?:are )?(?:you|u) (?:really |quite |absolutely )?(?:sure|certain)"
    r"|(?:that|this|it) (?:can't|cannot) be(?: right)?"
    r"|is (?:that|this) (?:really )?(?:right|correct|true)|double[- ]check)\b",
    re.IGNORECASE,
)  # of what was answered, which is shown again with its page
_FEW_TO_DOUBT = 12  # words
_CHATTER = expression(
    r"^(?:(?:ok(?:ay)?|fine|thanks|thank you|thx|great|nice|cool|interesting|i see|never ?mind|forget it|leave it"
    r"|alright|lol|haha|hm+|wow)\b[^.?!\n]{0,40}[.!]{1,3}\s{1,3}){1,4}(?=\w)",
    re.IGNORECASE,
)  # before what is asked
_CORRECTS = expression(
    r"^(?:(?:no+|nope|sorry|oops|wait|actually|rather|i (?:meant|mean)|make that|not that)\b[\s,.;:-]*)+",
    re.IGNORECASE,
)
_NOT_THAT = expression(r",? (?:and |but )?not (?:the |its |for )?[^,?]{2,40}(?=\W*$)", re.IGNORECASE)
_IF_YOU_LIKE = expression(
    r",? (?:please|pls|if (?:it|you|that|possible|i)\b[^?.,]{0,80}|though|too|as well|instead|then)(?=\W*$)",
    re.IGNORECASE,
)
_ARTICLE = expression(r"^(?:its|their|the|an?)\b ?", re.IGNORECASE)
_REFERRING = expression(
    r"(?:\W|\b(?:what|how|about|was|is|were|are|did|does|do|has|had|it|that|this|the|a|an|figures?|numbers?|values?"
    r"|amounts?|items?|things?|questions?|table|one|ones|same|so|for|of|in|at|by|compared|with|to|against|versus|vs|again|as"
    r"|well|too|then|please|pls|instead|and|or|but|just|only|two|three|four|five|all|year|prior-year"
    r"|und|wie|viele?|hoch|war|waren|es|das|ist|mit|für|bei|von|im|et|pour|chez|combien|était|y|para|cuánto|fue|e|per)\b)*+",
    re.IGNORECASE,
)
_ALONE = expression(
    r"(?:\W|\b(?:just|only|compared|with|to|against|versus|vs|and|or|for|in|at|of|did|does|do|has|have|had)\b)*+",
    re.IGNORECASE,
)
_REFERS = expression(r"\b(?:it|that|this|same|figures?|numbers?|values?|amounts?|one)\b", re.IGNORECASE)

# Places in a sentence that a company, a person or the thing asked about before belongs to.
_ITS = expression(r"\b(?:its|their|the company's)\b", re.IGNORECASE)
_IT = expression(r"\b(?:it|they|that company|this company|the company)\b", re.IGNORECASE)
_REFERS_TO_IT = expression(r"\b(?:its|their|it|they)\b", re.IGNORECASE)
_DO_THEY = expression(r"\b(?P<verb>do|are|have) they\b", re.IGNORECASE)
_OF_ONE = {"do": "does", "are": "is", "have": "has"}
_THERE = expression(r"\bthere(?=\W*$)", re.IGNORECASE)
_REFERS_TO_ONE = expression(r"\b(?:it|its)\b(?!.{0,80}\b(?:they|them|their|both|each)\b)", re.IGNORECASE)
_THEM = expression(r"\b(?:it|its|they|them|their|both|these|those|the (?:two|companies))\b", re.IGNORECASE)
_HIS, _HE = (
    expression(r"\b(?:his|her)(?= \w)", re.IGNORECASE),
    expression(r"\b(?:he|she|him|her)\b", re.IGNORECASE),
)
_IT_MOVES = expression(rf"\b(?:it|that)(?= (?:{MOVES}|compared?)\b)", re.IGNORECASE)
_IT_IS_MORE = expression(
    rf"(?:is|was|are|were) (?:it|that|this|they|those)(?= (?:\w+ ){{0,2}}(?:{HIGH}|{LOW})\b)", re.IGNORECASE
)
_MORE_ALONE = expression(
    rf"(?:is|was|are|were) (?:it|that|this|they|those) (?:\w+ ){{0,2}}(?:{HIGH}|{LOW})", re.IGNORECASE
)
_ONE = expression(r"\b(?:one|ones|any)(?=\W*$)", re.IGNORECASE)
_SENTENCE = expression(
    r"^(?:what|which|who|whose|when|where|why|how (?!about)|did|does|do|is|are|was|were|has|have|had|can|could|will)\b",
    re.IGNORECASE,
)
_OF_TODAY = expression(
    r"(?:who|is|are|does|do|has|have)\b|(?:how|what|which)(?: \w{1,20}){1,6}? (?:is|are|does|do|has|have)\b",
    re.IGNORECASE,
)  # asks for the newest state, whatever year was asked about before
_OF_THEN = expression(r"\b(?:did|was|were|had)\b", re.IGNORECASE)
_NO_NOUN = expression(
    r"(?:(?:total|basic|diluted|net|gross|short|long|term|average|adjusted|other|more|less|best|worst|difference|change)"
    r"[\s-]*)+",
    re.IGNORECASE,
)  # says too little to be a topic
_SAYS = expression(
    r"\b(?:i|we|you|my|me|our|your|am|is|are|was|were|will|would|should|could|can|do|does|did|let)\b|n't\b",
    re.IGNORECASE,
)  # says something, and is no name of anything

_DEFINED = expression(
    r"(?<=[.?!])\s+(?:please )?(?:use|take|i mean|meaning|that is|defined as|(?:by|with) that i mean)\s+(?:the )?"
    r"(?P<part>[\w' -]{3,60}?) (?:over|divided by|to|/) (?:the |total )?(?P<whole>[\w' -]{3,60}?)\W*$",
    re.IGNORECASE,
)  # what is meant, in a sentence behind the question
_AS_A_SHARE = expression(
    r"(?:what is (?:it|that) |how much is that )?(?:as|in) (?:an? )?(?:%|per ?cent(?:age)?|share) of (?:the |its )?"
    r"(?P<of>[\w &-]{3,40})",
    re.IGNORECASE,
)
_IN_SCALE = expression(rf"in (?:{CODE} |[$€£] ?)?{SCALE}(?: of \w+)?", re.IGNORECASE)
_THE_OTHERS = expression(
    r"\bthe (?:other (?P<many>two|three|four|ones|companies)|others)\b|^(?:the )?(?:rest|all of them|others)(?=\W*$)",
    re.IGNORECASE,
)
_MANY = {"two": 2, "three": 3, "four": 4}
_A_NAME = expression(r"[A-Z][\w&'.-]*(?: (?:(?:of|and|the|de|&) )?[A-Z][\w&'.-]*){0,3}\W*")
_SMALL_NAME = expression(r"[a-z][a-z0-9&.-]{2,20}")
_NARROWED = expression(r"(?:without|excluding|excl\.?|ex|adjusted|net of|only|just|from|outside)\b", re.IGNORECASE)


def follow_up(text: str, before: Dialogue, parser: QuestionParser, prints: Prints | None = None) -> Question:
    """The question with what it leaves out, taken from the conversation; one that stands alone stays as it is.

    Args:
        text: what is asked now: "and its net income?", "what about 2021?", "compare them", or a whole question.
        before: the conversation so far.
        parser: of the library.
        prints: tells whether a company's report prints words, so that what it names is no other company.

    Raises:
        QuestionTooLong: nobody asks that much at once.
    """
    check_length(text)
    said, text = text, _without_chatter(text, parser)
    parsed = parser.parse(Question(text=_YEAR_BEFORE_THAT.sub(r"\1", text)))
    is_doubt = _DOUBTS.search(text) is not None and len(text.split()) <= _FEW_TO_DOUBT and not parsed.companies
    if is_small_talk(parsed) or (is_doubt and before.shown is not None):
        meant = before.shown_last if is_doubt or parsed.guess.topic == SOURCE else None
        meant = meant or Question(text=text)
    else:
        meant = _Turn(text, parsed, before, parser, prints).question
    return meant.model_copy(update={"reports": before.reports}).made_of(said)


def _without_chatter(text: str, parser: QuestionParser) -> str:
    """The last sentence, where it asks and those before it say nothing of a report: "Fine. Did any make a loss?"."""
    *told, asked = _SENTENCE_END.split(text.strip())
    if not told or not _SENTENCE.match(_BESIDE.sub("", asked)) or is_small_talk(parser.parse(Question(text=text))):
        return _CHATTER.sub("", text)
    for sentence in told:
        parsed = parser.parse(Question(text=sentence))
        says = parsed.companies or parsed.naming.doubts or parsed.periods or everyone_in(parsed.wording)
        if says or (parsed.guess.is_sure and parsed.guess.topic != "other" and not parsed.guess.is_talk):
            return _CHATTER.sub("", text)
    return asked


class _Turn:
    """One text of a conversation, read against the slots of the one before."""

    def __init__(
        self,
        text: str,
        parsed: ParsedQuestion,
        before: Dialogue,
        parser: QuestionParser,
        prints: Prints | None = None,
    ) -> None:
        self._text, self._parsed, self._before, self._parser, self._prints = text, parsed, before, parser, prints
        self._slots = slots_of(before, parser)
        self._now = self._named()
        body = _IF_YOU_LIKE.sub("", _CORRECTS.sub("", _BESIDE.sub("", self._now.text)))
        self._is_corrected = _CORRECTS.match(_BESIDE.sub("", self._now.text)) is not None
        self._body = _NOT_THAT.sub("", body) if self._is_corrected else body
        """What is said, with companies numbered."""
        self._rest = _LEAD.sub("", without_periods(_LEAD.sub("", self._body)).strip())
        self._alone = _its(self._body).strip(" ?.!,")

    @property
    def question(self) -> Question:
        """What is asked; who corrects does not ask the same again."""
        meant, before = self._meant, self._before.question
        is_again = (
            self._is_corrected
            and before is not None
            and (meant.text, meant.company) == (before.text, before.company)
        )
        return Question(text=self._text, company=meant.company) if is_again else meant

    @property
    def _meant(self) -> Question:
        if (defined := _DEFINED.search(self._now.text)) and (asked := self._as_defined(defined)):
            return asked
        if self._slots is None or self._is_of_chosen() or self._is_open():
            return self._as_said()
        if self._now.entities:
            return self._of_companies(self._slots)
        if not self._slots.companies and not self._before.reports:
            return self._as_said()
        if self._is_of_a_stranger():
            return Question(text=self._text)
        return self._of_the_same(self._slots)

    @property
    def _is_certain(self) -> bool:
        """Whether the text itself says what it asks for."""
        return self._parsed.guess.is_sure and self._parsed.guess.topic != "other"

    def _named(self) -> Listed:
        """The text with the companies that it names, or that its words stand for, numbered."""
        now = listed(self._parsed)
        if now.entities:
            return now
        if (found := _THE_OTHERS.search(_IF_YOU_LIKE.sub("", now.text))) and (
            others := self._others(found["many"])
        ):
            return Everyone(now.text[: found.start()].rstrip(), now.text[found.end() :]).named(others)
        if (everyone := everyone_in(now.text)) is not None and (names := self._meant_by(everyone)):
            return everyone.named(names)
        if (foreign := of_country(now.text, self._parsed.names.companies)) is not None:
            return foreign
        name = self._stranger() if self._slots is not None else None
        return Listed(f"{MARK}0?", (Entity(label=name),), strangers=1) if name else now

    def _library(self) -> tuple[str, ...]:
        known = self._parsed.names.companies
        return tuple(company.name for company in known) if len(known) <= _MOST else ()

    def _meant_by(self, everyone: Everyone) -> tuple[str, ...]:
        """The chosen companies, those of the conversation, or those of a small library, as many as are counted."""
        chosen = tuple(c.name for c in chosen_of(self._parsed.names.companies, self._before.reports))
        talked_of = () if everyone.is_of_library else self._before.companies
        for names in (chosen, talked_of, self._library()):
            if len(names) > 1 and len(names) == (everyone.count or len(names)):
                return names
        return ()

    def _others(self, many: str | None) -> list[str]:
        """The other companies of the conversation, else those of a small library, as many as are counted."""
        asked = self._slots.companies if self._slots else ()
        for names in (self._before.companies, self._library()):
            others = [name for name in names if name not in asked]
            if others and len(others) == _MANY.get((many or "").lower(), len(others)):
                return others
        return []

    def _stranger(self) -> str | None:
        """The name that a text gives and nothing else, of a company that the library does not know; None for others.

        No word of questions, statements or maps is one. A name in small letters is one word, which nobody knows.
        """
        name = _LEAD.sub("", " ".join(self._text.split())).strip(" ?.!")
        if self._parsed.periods or self._parser.metric_called(name) or names_a_place(name):
            return None
        if _A_NAME.fullmatch(name) and _GOES_ON.match(plain(self._text)):
            if name.isupper() and (self._is_certain or is_statement_word(name.lower()) or self._is_printed(name)):
                return None  # "and EBITDA?", "and SOFR?"
            return None if all(is_common(word.lower()) for word in name.split()) else name
        is_known = is_spoken(name) or is_statement_word(name) or self._is_certain or _SENTENCE.match(name)
        return name if _SMALL_NAME.fullmatch(name) and not is_known else None

    def _is_of_a_stranger(self) -> bool:
        """Whether a company that the library does not know is asked about, and nothing that the reports speak of."""
        name = self._parser.names.stranger(self._text)
        if (
            name is None
            or self._parser.metric_called(name)
            or names_a_place(name)
            or well_spelled(name, ()) != name
        ):
            return False
        return self._parsed.guess.is_figure or not self._is_printed(name)  # a figure of its own is a company's

    def _is_printed(self, name: str) -> bool:
        """Whether a report of the companies before speaks of a name, which is no other company's then."""
        prints = self._prints
        return prints is not None and any(prints(company, name) for company in self._before.companies[-1:])

    def _is_of_chosen(self) -> bool:
        """Whether a whole question is about the chosen reports, though the one before was about another company."""
        body = self._body
        refers = any(p.search(body) for p in (_ITS, _IT, _IT_MOVES, _THERE, _THEM))
        if not self._before.reports or not _SENTENCE.match(body) or refers:
            return False
        chosen = {c.name for c in chosen_of(self._parser.names.companies, self._before.reports)}
        return not chosen.issuperset(self._before.companies[-1:])

    def _is_open(self) -> bool:
        if self._now.entities:
            return False
        return (
            biggest_in(self._now.text) is not None
            or read_open_plan(self._parsed, self._parser.figure_asked) is not None
        )

    def _as_defined(self, defined: re.Match[str]) -> Question | None:
        """The ratio that a second sentence defines: "What is its leverage? Use long-term debt over equity."."""
        named = tuple(entity.company or entity.label for entity in self._now.entities)
        companies = named or (self._slots.companies if self._slots else ())
        if not companies:
            return None
        when = "".join(f" {p.phrase(self._now.text).strip()}" for p in periods_in(self._now.text))
        frame, question = self._now, Question(text=self._text)
        slots = Slots(companies, defined["part"], when, "share", frame, question, whole=defined["whole"])
        return slots.written()

    def _as_said(self) -> Question:
        """The text as it is, but for words that stand for several companies."""
        if not self._now.entities or listed(self._parsed).entities:
            return Question(text=self._text)
        return Question(text=written(_BESIDE.sub("", self._now.text), self._now.entities))

    def _of_companies(self, slots: Slots) -> Question:
        """A text that names companies: complete unless it leaves open what is asked of them."""
        named = tuple(entity.company or entity.label for entity in self._now.entities)
        company = sole(slots)
        if turned := _TURNS_TO.match(self._now.text):
            return Question(text=_capital(self._now.text[turned.end() :]), company=named[0])
        if company and company not in named and _AGAINST.search(self._body) and _REFERS_TO_IT.search(self._body):
            full = [e.model_copy(update={"label": e.company or e.label}) for e in self._now.entities]
            return Question(text=_capital(written(_with_company(self._body, company), full)))
        if self._says_nothing(MARKED.sub("", self._rest)):
            there = self._at_its_time(replace(slots, companies=named)) if self._parsed.periods else None
            return there or of_others(slots, self._now)
        if slots.subject and (asked := self._operation(slots)):
            return replace(asked, companies=named, when=self._when(asked)).written()
        is_open = slots.subject and not self._is_certain and self._subject_asked(named) is None
        if is_open and _ONE.search(self._body):
            made = _ONE.sub(f"a {slots.subject}", self._body)
            return Question(text=_capital(written(made, self._now.entities)))
        if self._is_corrected and (topic := self._subject_asked(named)):
            return self._asked(slots, topic, named)
        return self._as_said()

    def _says_nothing(self, rest: str) -> bool:
        """Whether a text asks for nothing itself: "and for it?", "what was that?"."""
        if _REFERRING.fullmatch(rest) is None:
            return False
        leads = _GOES_ON.match(self._now.text) or self._is_corrected
        return bool(leads or _REFERS.search(rest) or _ALONE.fullmatch(rest))

    def _of_the_same(self, slots: Slots) -> Question:
        """A text that names nobody is about the same companies."""
        if self._parsed.periods and self._says_nothing(self._rest) and (then := self._at_its_time(slots)):
            return then
        if _IN_SCALE.fullmatch(self._alone) or not without_currency(self._alone).strip():
            text = f"{slots.question.text.rstrip(' ?.!')} {self._alone}?"
            return slots.question.model_copy(update={"text": text, "company": sole(slots)})
        if slots.subject and (thing := self._of_the_thing(slots)):
            return thing
        if slots.subject and (asked := self._operation(slots)):
            return replace(asked, when=self._when(asked)).written()
        if not _SENTENCE.match(self._rest):
            topic = self._subject_asked(slots.companies)
            if topic and len(self._rest.split()) <= _FEW_WORDS:
                return self._asked(slots, topic, slots.companies)
            is_narrowed = _NARROWED.match(self._rest) or names_a_place(self._rest)
            if slots.subject and is_narrowed and not asks_when(self._rest):
                return self._narrowed(slots)
        if not slots.companies:
            return self._as_said()
        return self._sentence(slots)

    def _operation(self, slots: Slots) -> Slots | None:
        """The slots with what the text does to the thing asked about before, where it says nothing else."""
        alone = without_periods(self._alone).strip(" ?.!,")
        for pattern, operation in OPERATIONS:
            if (found := pattern.fullmatch(alone)) is None:
                continue
            if operation is None:
                operation = "highest" if is_high(found) else "lowest"
            if operation in ("highest", "lowest", "comparison", "ranking") and len(slots.companies) < 2:
                several = self._before.companies if len(self._before.companies) > 1 else self._library()
                if len(several) < 2:
                    return None
                slots = replace(slots, companies=tuple(several))
            return replace(slots, operation=operation)
        if (share := _AS_A_SHARE.fullmatch(alone)) is not None:
            return replace(slots, operation="share", whole=share["of"])
        return None

    def _of_the_thing(self, slots: Slots) -> Question | None:
        """A sentence about the thing asked about before: "is that more than in 2022?", "how did it change?"."""
        whose = f"{slots.companies[0]}'s {slots.subject}" if len(slots.companies) == 1 else None
        whose = whose or f"the {slots.subject}{f' of {listed_names(slots.companies)}' if slots.companies else ''}"
        if _IT_IS_MORE.match(self._body):
            text = _IT_IS_MORE.sub(lambda _: f"Was {whose}{slots.when}", self._body, count=1)
            if self._before.beside and _MORE_ALONE.fullmatch(self._alone):
                text = f"{text.rstrip(' ?.!')} than that of {self._before.beside}?"
        elif _SENTENCE.match(self._body) and _IT_MOVES.search(self._body):
            text = _IT_MOVES.sub(lambda _: whose, self._body, count=1)
        else:
            return None
        is_of_one = self._before.beside not in text if self._before.beside else True
        return Question(text=_capital(text), company=sole(slots) if is_of_one else None)

    def _asked(self, slots: Slots, topic: str, companies: Sequence[str]) -> Question:
        """The question for another topic; what was asked of the one before goes on, if it is done to figures."""
        if topic in OFFICES:
            return replace(slots, subject=OFFICES[topic], operation="office", companies=tuple(companies)).written()
        operation = slots.operation if slots.operation in LASTING else "value"
        operation = "value" if len(companies) < 2 and operation in ("highest", "lowest", "ranking") else operation
        said = self._parsed.guess.operation
        operation = "growth" if said == "growth" or topic.endswith(GROWTH) else operation
        topic, when = topic.removesuffix(GROWTH), self._when(slots)
        return replace(slots, subject=topic, operation=operation, companies=tuple(companies), when=when).written()

    def _when(self, slots: Slots) -> str:
        """The period that the text names, else the one of the question before.

        What moved since the year before, which was asked about last, moved to the newest.
        """
        phrase = "".join(f" {p.phrase(self._body).strip()}" for p in periods_in(self._body))
        is_start = slots.operation in OVER_TIME and any(p.years_back for p in periods_in(slots.when))
        return phrase or ("" if is_start else slots.when)

    def _at_its_time(self, slots: Slots) -> Question | None:
        """The question before, of these companies, in the year that the text names or counts back to."""
        back = next((p.years_back for p in self._parsed.periods if p.years_back), None)
        if back is None and not slots.when and _LAST_YEAR.search(self._body):
            back = 1  # the newest was asked about already
        others = of_others(slots, self._now) if self._now.entities else slots.question
        company = others.company if self._now.entities else sole(slots)
        when = f"in {self._parsed.years[-1]}" if self._parsed.years else None
        if back:
            when = self._counted_back(slots, back)
        if when is None:
            return None
        return others.model_copy(update={"text": at_another_time(others.text, when), "company": company})

    def _counted_back(self, slots: Slots, back: int) -> str | None:
        """So many years before the one that was asked about; the one before the newest is not called by a number."""
        named = years_named(periods_in(slots.when))
        told = next((p.years_back for p in periods_in(plain(slots.question.text)) if p.years_back), 0)
        if named:
            return f"in {named[-1] - back}"
        if told + back == 1:
            return "in the prior year"
        known = next((c for c in self._parsed.names.companies if (c.name,) == slots.companies), None)
        newest = reported_year(known.main_report) if known and known.main_report else None
        return f"in {newest - told - back}" if newest else None

    def _subject_asked(self, companies: Sequence[str]) -> str | None:
        """The metric or office that the text asks for, if that is certain and nothing narrower."""
        known = [c for name in companies for c in self._parsed.names.named(name)[:1]]
        if not known:
            return guessed(self._parsed) if self._parsed.guess.is_sure else None
        body = _its(self._body) if self._is_corrected else self._text
        asked = self._parser.about(self._parser.parse(Question(text=body), self._parsed.names), known[0])
        is_certain = asked.guess.is_sure or asked.intent.role
        intent, is_figure = asked.intent, asked.guess.is_figure
        is_whole = intent.derived or intent.role or (intent.is_plain if intent.metric else is_figure)
        return subject_of(asked) if is_certain and is_whole and intent.dimension != "date" else None

    def _narrowed(self, slots: Slots) -> Question:
        """The figure asked about before, of a part, a place, or without something."""
        rest = self._rest.strip(" ?.!,")
        lead = "" if _NARROWED.match(rest) else "in "
        subject = f"{slots.subject.removeprefix('total ')} {lead}{rest}"
        return replace(slots, operation="value", subject=subject, when=self._when(slots)).written()

    def _sentence(self, slots: Slots) -> Question:
        """A sentence with the companies, or the person, in their places."""
        body, company = self._body, sole(slots)
        if self._before.person and company and _HE.search(body):
            body = _HE.sub(self._before.person, _HIS.sub(f"{self._before.person}'s", body))
        is_of_today = _OF_TODAY.match(body) and not _OF_THEN.search(body)
        later = "" if is_of_today or periods_in(body) or names_several_years(body) else slots.when
        if _SENTENCE.match(body):
            return self._of_one(body, company, later) if company else self._of_several(body, slots)
        subject = _ARTICLE.sub("", self._rest).strip(" ?.!")
        if _NO_NOUN.fullmatch(subject):
            return Question(text=self._text, company=company)
        is_said = _SAYS.search(subject) is not None and not _GOES_ON.match(self._now.text)
        if not subject or is_said or (company is None and not slots.companies):
            return Question(text=self._text, company=company)
        if company is None:
            return self._asked(slots, subject, slots.companies)
        made = replace(slots, subject=subject, operation="value", when=later).written()
        as_said = self._read_of(self._text, company)
        if subject_of(as_said) is None and self._read_of(made.text, company).guess.is_figure:
            return Question(
                text=self._text, company=company
            )  # "coffee time" is no figure, however it is asked for
        if as_said.intent.event is None:
            return made
        told = replace(slots, subject=guessed(as_said) or subject, operation="value", when=later).written()
        is_told = self._read_of(told.text, company).section is not None
        return told.model_copy(update={"kind": None}) if is_told else Question(text=self._text, company=company)

    def _read_of(self, text: str, company: str) -> ParsedQuestion:
        known = next(iter(self._parsed.names.named(company)), Company(name=company))
        return self._parser.about(
            self._parser.parse(Question(text=text, company=company), self._parsed.names), known
        )

    def _of_one(self, body: str, company: str, later: str) -> Question:
        named, bare = (_capital(_with_company(each, company)) for each in (body, body.rstrip(" ?.!")))
        asked, as_said = (subject_of(self._read_of(text, company)) for text in (named, body))
        if as_said is not None and asked != as_said and self._parsed.guess.is_figure:
            return Question(text=body, company=company)  # a name in its place would change what is asked
        is_whole = later and (named != _capital(body) or _GOES_ON.match(self._now.text))
        return Question(text=f"{bare}{later}?" if is_whole else named, company=company)

    def _of_several(self, body: str, slots: Slots) -> Question:
        if _REFERS_TO_ONE.search(body):
            return Question(text=self._text)
        everyone = listed_names(slots.companies)
        text = _THEM.sub(everyone, body, count=1) if _THEM.search(body) else f"{body.rstrip(' ?.!')}: {everyone}?"
        return Question(text=_capital(text))


def _its(text: str) -> str:
    """The text with "it" for its companies."""
    return MARKED_LIST.sub("it", re.sub(rf"{MARK}\d+'s", "its", text))


def _with_company(body: str, company: str) -> str:
    if _ITS.search(body):
        return _ITS.sub(f"{company}'s", body, count=1)
    body = _DO_THEY.sub(lambda match: f"{_OF_ONE[match['verb'].lower()]} it", body, count=1)
    return _THERE.sub(f"at {company}", _IT.sub(company, body, count=1), count=1)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
