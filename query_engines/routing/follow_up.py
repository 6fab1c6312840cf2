"""What a text in a conversation means: a complete question stays; else its open slots are filled from those before."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

from query_engines.calculation.part_questions import read_parts
from query_engines.company_names.vocabulary import is_common, is_spoken, is_statement_word
from query_engines.comparison.asked import asked_among_companies, asked_over_years
from query_engines.comparison.by_topic import OF_LOSSES, figure_named, read_open_plan
from query_engines.comparison.entities import (
    Everyone,
    Listed,
    biggest_in,
    everyone_in,
    listed,
    listed_names,
    of_country,
)
from query_engines.comparison.plan import Entity
from query_engines.comparison.years import looking_back, names_several_years
from query_engines.question.classifier import SENTENCE_END, sentences_in
from query_engines.question.parsed import ParsedQuestion
from query_engines.question.parser import MARK, QuestionParser, chosen_of
from query_engines.question.search_text import without_currency
from query_engines.question.wording import well_spelled
from query_engines.routing.dialogue import SOURCE, Dialogue, is_small_talk
from query_engines.routing.slots import (
    COMPANY,
    DONE_TO_FIGURES,
    GROWTH,
    LASTING,
    MARKED,
    MARKED_LIST,
    OF_COMPANIES,
    OFFICES,
    OVER_TIME,
    PERIOD,
    SURE_OF_MOVE,
    Move,
    Operation,
    Slots,
    asks,
    at_another_time,
    counted_back,
    guessed,
    of_others,
    read_turn,
    slots_of,
    sole,
    subject_of,
    written,
)
from storage.lexicon.names import names_a_place
from storage.lexicon.periods import periods_in, without_periods, years_named
from storage.lexicon.question_words import HIGH, LOW
from storage.lexicon.words import expression
from storage.records.queries import AskedPeriod, FilledQuestion, Query
from storage.records.questions import Question, check_length
from storage.records.reports import Company
from storage.text import capital, in_a_sentence, plain, words

Prints = Callable[[str, str], bool]  # by a company's name and the words
_MOST = 10  # companies that "all of them" may stand for
_FEW_WORDS = 6  # of a topic alone
_SURELY_A_MOVE = 0.9
# What is asked among companies, as it is done in a conversation.
_AMONG: dict[str, Operation] = {
    "highest": "highest",
    "lowest": "lowest",
    "ranking": "rank",
    "grew_most": "grew_most",
    "fell_most": "fell_most",
}
_MOST_OF_A_LOSS = frozenset({"highest", "fell_most"})  # "who lost more"
# Words before what a text gives.
_ALSO = r"(?:ok(?:ay)?|and|or|but|so|then|now|also|hm+|well|right|und|et|y|e)"
_ABOUT = r"(?:what about|how about|what of|(?:the )?same(?: (?:thing|question|again))?|likewise)"
_CORRECTS = r"(?:no+|nope|sorry|oops|wait|actually|rather|i (?:meant|mean)|make that)"
_LEAD = expression(
    rf"^(?:(?:{_ALSO}|{_ABOUT}|{_CORRECTS}|for|with|to|in|of|at|at the)\b[\s,.;:-]*)+", re.IGNORECASE
)
_GOES_ON = expression(rf"^(?:{_ALSO}|{_ABOUT}|{_CORRECTS})\b", re.IGNORECASE)
_BESIDE = expression(rf"^(?:(?:{_ALSO}|{_CORRECTS})\b[\s,.;:-]*)+", re.IGNORECASE)
_SENTENCE = expression(
    r"^(?:what|which|who|whose|when|where|why|how (?!about)|did|does|do|is|are|was|were|has|have|had|can|could|will)\b",
    re.IGNORECASE,
)
_OF_THEN = expression(r"\b(?:did|was|were|had)\b", re.IGNORECASE)
_AGAINST = expression(
    rf"\b(?:than|against|versus|vs|compared (?:to|with)) (?:(?:that of|at|in|for) )?{MARK}\d", re.IGNORECASE
)
_MORE = expression(rf"\b(?:{HIGH}|{LOW}|better|worse)\b", re.IGNORECASE)
_AS_A_FIGURE = {"better": "higher", "worse": "lower"}
_YEAR_BEFORE_THAT = expression(r"\b(year before) (?:that|this|it)\b", re.IGNORECASE)

# Places in a sentence that a company, a person or the thing asked about before belongs to.
_ITS, _IT = (
    expression(r"\b(?:its|their|the company's)\b", re.IGNORECASE),
    expression(r"\b(?:it|they|that company|this company|the company)\b", re.IGNORECASE),
)
_THEM = expression(r"\b(?:they|them|their|both|these|those|the (?:two|companies))\b", re.IGNORECASE)
_HIS, _HE = (
    expression(r"\b(?:his|her)(?= \w)", re.IGNORECASE),
    expression(r"\b(?:he|she|him|her)\b", re.IGNORECASE),
)
_ONE = expression(r"\b(?:one|ones|any)(?=\W*$)", re.IGNORECASE)
_DEFINED = expression(
    r"(?<=[.?!])\s+(?:please )?(?:use|take|i mean|meaning|that is|defined as|(?:by|with) that i mean)\s+(?:the )?"
    r"(?P<part>[\w' -]{3,60}?) (?:over|divided by|to|/) (?:the |total )?(?P<whole>[\w' -]{3,60}?)\W*$",
    re.IGNORECASE,
)  # what is meant, in a sentence behind the question
_WHOLE = expression(r"\b(?:of|over|to|by|vs)(?: the| its| their)? (?P<whole>[\w &-]{3,40})\W*$", re.IGNORECASE)
_THE_OTHERS = expression(
    r"\bthe (?:other (?P<many>two|three|four|ones|companies)|others)\b|^(?:the )?(?:rest|all of them|others)(?=\W*$)",
    re.IGNORECASE,
)
_MANY = {"two": 2, "three": 3, "four": 4}
_A_NAME = expression(r"[A-Z][\w&'.-]*(?: (?:(?:of|and|the|de|&) )?[A-Z][\w&'.-]*){0,3}\W*")
_SMALL_NAME = expression(r"[a-z][a-z0-9&.-]{2,20}")


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
    said, text = text, _YEAR_BEFORE_THAT.sub(r"\1", _asked_in(text, parser))
    parsed = parser.parse(Question(text=text))
    if is_small_talk(parsed) and not _is_surely_a_move(text):
        meant = before.shown_last if parsed.guess.topic == SOURCE else None
    else:
        meant = _Turn(text, parsed, before, parser, prints).question
    return (meant or Question(text=text)).model_copy(update={"reports": before.reports}).made_of(said)


def _asked_in(text: str, parser: QuestionParser) -> str:
    """The last sentence, where those before it say nothing of a report: "Fine. Did any make a loss?"."""
    *told, asked = (sentence.strip() for sentence in sentences_in(text.strip(), SENTENCE_END))
    is_remark = [read_turn(sentence)[0] == "says" for sentence in (*told, asked)]
    if not told or not all(is_remark[:-1]) or is_remark[-1]:
        return text
    says = (parsed.companies or parsed.periods for parsed in (parser.parse(Question(text=s)) for s in told))
    return text if any(says) else asked


def _is_surely_a_move(text: str) -> bool:
    """Whether a text surely does something to a figure: "is it more?"."""
    move, probability = read_turn(text)
    return move in DONE_TO_FIGURES | {"more"} and probability >= _SURELY_A_MOVE


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
        self._body = _BESIDE.sub("", self._now.text)
        """What is said, with companies numbered."""
        self._rest = _LEAD.sub("", without_periods(_LEAD.sub("", self._body)).strip()).strip(" ?.!,")

    @property
    def question(self) -> Question:
        """What is asked."""
        slots = self._slots
        if (defined := _DEFINED.search(self._now.text)) and (asked := self._as_defined(defined)):
            return asked
        if slots is None or self._is_of_chosen() or self._is_open():
            return self._as_said()
        if self._now.entities:
            meant = self._of_companies(slots)
            is_clear = self._is_certain or meant.text != self._as_said().text
            return meant if is_clear else meant.model_copy(update={"before": slots.question.text})
        if not slots.companies and not self._before.reports:
            return self._as_said()
        if self._is_of_a_stranger():
            return Question(text=self._text)
        meant = self._over_years(slots) or self._of_the_same(slots)
        is_clear = isinstance(meant, FilledQuestion) or self._move == "again"
        return meant if is_clear else meant.model_copy(update={"before": slots.question.text})

    @property
    def _move(self) -> Move:
        """What the text does with the question before; one that is not surely read asks for something of its own."""
        if self._now.entities and not words(MARKED_LIST.sub("", self._rest).removeprefix("'s")):
            return "other"
        turn = MARKED.sub(COMPANY, self._now.text)
        for period in reversed(periods_in(turn)):
            turn = f"{turn[: period.start]}{PERIOD}{turn[period.end :]}"
        move, probability = read_turn(turn)
        return move if probability >= SURE_OF_MOVE else "asks"

    @property
    def _is_certain(self) -> bool:
        """Whether the text itself says what it asks for."""
        return self._parsed.guess.is_sure and self._parsed.guess.topic != "other"

    def _named(self) -> Listed:
        """The text with the companies that it names, or that its words stand for, numbered."""
        now = listed(self._parsed)
        if now.entities:
            return now
        if (found := _THE_OTHERS.search(now.text)) and (others := self._others(found["many"])):
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
        talked_of = talked_of[-everyone.count :] if everyone.count else talked_of
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
        if name is None or self._parser.metric_called(name) or names_a_place(name):
            return False
        if well_spelled(name, ()) != name:
            return False
        return self._parsed.guess.is_figure or not self._is_printed(name)  # a figure of its own is a company's

    def _is_printed(self, name: str) -> bool:
        """Whether a report of the companies before speaks of a name, which is no other company's then."""
        prints = self._prints
        return prints is not None and any(prints(company, name) for company in self._before.companies[-1:])

    def _is_of_chosen(self) -> bool:
        """Whether a whole question is about the chosen reports, though the one before was about another company."""
        refers = any(pattern.search(self._body) for pattern in (_ITS, _IT, _THEM))
        if not self._before.reports or not _SENTENCE.match(self._body) or refers:
            return False
        chosen = {c.name for c in chosen_of(self._parser.names.companies, self._before.reports)}
        return not chosen.issuperset(self._before.companies[-1:])

    def _is_open(self) -> bool:
        """Whether it is about companies that are yet to be found: all, or the biggest."""
        refers = self._slots is not None and self._slots.companies and _IT.search(self._body)
        if self._now.entities or refers:
            return False
        is_of_biggest = biggest_in(self._now.text) is not None
        return is_of_biggest or read_open_plan(self._parsed, self._parser.figure_asked) is not None

    def _as_defined(self, defined: re.Match[str]) -> Question | None:
        """The ratio that a second sentence defines: "What is its leverage? Use long-term debt over equity."."""
        named = tuple(entity.company or entity.label for entity in self._now.entities)
        companies = named or (self._slots.companies if self._slots else ())
        if not companies:
            return None
        query = asks(
            "share", companies=companies, subject=defined["part"], periods=AskedPeriod.all_in(self._now.text)
        )
        return Slots(query, self._now, Question(text=self._text), whole=defined["whole"]).written()

    def _as_said(self) -> Question:
        """The text as it is, but for words that stand for several companies."""
        if not self._now.entities or listed(self._parsed).entities:
            return Question(text=self._text)
        return Question(text=written(_BESIDE.sub("", self._now.text), self._now.entities))

    def _of_companies(self, slots: Slots) -> Question:
        """A text that names companies: complete unless it leaves open what is asked of them."""
        named = tuple(entity.company or entity.label for entity in self._now.entities)
        move, company = self._move, sole(slots)
        topic = self._subject_asked(named) if move == "other" or _GOES_ON.match(plain(self._text)) else None
        if topic:  # a whole question, or what is left of one
            is_whole = _SENTENCE.match(self._rest)
            return self._as_said() if is_whole else self._asked(slots.then(Query(companies=named)), topic)
        is_of_others = len(named) == 1 or not listed(self._parsed).entities  # "compare with the others"
        is_beside = move == "compare" and is_of_others and not {*named} & {*slots.companies}
        if move == "other" or (is_beside and slots.operation in OVER_TIME):
            there = self._at_its_time(slots.then(Query(companies=named))) if self._parsed.periods else None
            return there or of_others(slots, self._now)
        if company and company not in named and _AGAINST.search(self._body) and move in ("asks", "more"):
            full = [e.model_copy(update={"label": e.company or e.label}) for e in self._now.entities]
            if move == "more" and slots.subject and (found := _MORE.search(self._body)):
                return self._more(slots, written(self._body[found.start() :], full))
            if _ITS.search(self._body) or _IT.search(self._body):
                body = _IT.sub(company, _ITS.sub(f"{company}'s", self._body, count=1), count=1)
                return Question(text=capital(written(body, full)))
        companies = (*slots.companies, *named) if is_beside else named
        about = slots.then(Query(companies=companies)) if is_beside else slots
        if slots.subject and (asked := self._operation(about, move)):
            return self._in_time(asked.then(Query(companies=companies))).written()
        is_open = slots.subject and not self._is_certain and self._subject_asked(named) is None
        if is_open and _ONE.search(self._body):
            return Question(text=capital(written(_ONE.sub(f"a {slots.subject}", self._body), self._now.entities)))
        return self._as_said()

    def _of_the_same(self, slots: Slots) -> Question:
        """A text that names nobody is about the same companies."""
        move, again = self._move, slots.question.model_copy(update={"company": sole(slots)})
        if move == "other" or (move == "compare" and self._parsed.years and again.company):
            if self._parsed.periods and (then := self._at_its_time(slots)):
                return then
            is_unit = not without_currency(self._rest).strip() or bool(self._parsed.query.conditions.in_words)
            return (
                again.in_words.model_copy(update={"text": f"{again.text.rstrip(' ?.!')} in {self._rest}?"})
                if is_unit
                else again
            )
        if move == "again":
            return self._before.shown_last or again
        if move == "says" and not _SENTENCE.match(self._body):
            return Question(text=self._text)
        if slots.subject:
            if move == "more" and (found := _MORE.search(self._body)):
                return self._more(slots, self._body[found.start() :])
            if asked := self._operation(slots, move):
                return self._in_time(asked).written()
            split = read_parts(self._rest)
            if move == "part" and not (
                split and split.is_of_each and split.words
            ):  # "sales by segment" says of what
                return self._narrowed(slots)
        topic = self._subject_asked(slots.companies)
        is_short = topic in OFFICES or not _SENTENCE.match(self._rest)
        if topic and is_short and len(self._rest.split()) <= _FEW_WORDS:
            return self._asked(slots, topic)
        return self._sentence(slots) if slots.companies else self._as_said()

    def _over_years(self, slots: Slots) -> Question | None:
        """What is asked over several years of the figure before, or of one that the text names; None for others."""
        text = self._now.text
        is_open = any(period.is_of_several_years for period in self._parsed.periods) or looking_back(text)
        if not slots.subject or not (is_open or names_several_years(text)):
            return None
        asked, company = asked_over_years(text), sole(slots)
        says_nothing = not asked.figure or _IT.search(asked.figure)
        if says_nothing and asked.is_sure and (found := _IT.search(self._body)):
            text = f"{self._body[: found.start()]}the {slots.subject}{self._body[found.end() :]}"
            return Question(text=capital(text), company=company) if company else None
        topic = None if not asked.figure else self._subject_asked(slots.companies)
        if _SENTENCE.match(self._body) or (asked.figure and topic is None):
            return None
        return self._in_time(slots).then(asks("value", subject=topic or "")).written()

    def _operation(self, slots: Slots, move: Move) -> Slots | None:
        """The slots with what the text does to the thing asked about; None where it does nothing, or lacks a thing."""
        if (among := self._among_companies(slots, move)) is not None:
            return among
        if move not in DONE_TO_FIGURES or move in OF_COMPANIES:
            return None
        operation = cast(Operation, move)
        if operation == "share":
            whole = _WHOLE.search(without_periods(self._body))
            return replace(slots.then(asks(operation)), whole=whole["whole"]) if whole else None
        return slots.then(asks(operation))

    def _among_companies(self, slots: Slots, move: Move) -> Slots | None:
        """The slots with a comparison of several companies; None where the text compares none, or there is one alone.

        What it is compared by is the figure that the text says, else the one before. A text that is not surely a move
        of this kind has to name a known figure.
        """
        asked = asked_among_companies(self._now.text)
        does = _AMONG.get(asked.does) if asked.is_sure else None
        is_said = asked.figure and not _MORE.fullmatch(asked.figure)
        known = figure_named(asked, self._now.text, self._parser.figure_asked) if is_said else None
        is_open = move == "asks" and does and known and not self._now.entities and slots.subject
        if move not in OF_COMPANIES and not is_open:
            return None
        operation = cast(Operation, does if does and known else move)
        subject = asked.figure if is_said and asked.is_named else slots.subject
        subject = in_a_sentence(known.title) if known else subject
        if known and OF_LOSSES.search(self._now.text) and asked.does in _MOST_OF_A_LOSS:
            operation = "lowest"
        companies = slots.companies if len(slots.companies) > 1 or self._now.entities else self._before.companies
        if len(companies) < 2 and move in OF_COMPANIES:
            companies = self._library()
        if len(companies) < 2:
            return None
        return slots.then(asks(operation, subject=subject, companies=tuple(companies)))

    def _more(self, slots: Slots, said: str) -> Question:
        """Whether the figure asked about before is more, or less, than what the text names, or the one before it.

        Args:
            slots: of the question before.
            said: what it is compared with, from the word for more or less on.
        """
        first, _, rest = said.rstrip(" ?.!").partition(" ")
        whose = f"{slots.companies[0]}'s {slots.subject}" if len(slots.companies) == 1 else f"the {slots.subject}"
        is_alone = not self._parsed.periods and not self._now.entities and self._before.beside
        behind = f"than that of {self._before.beside}" if is_alone else rest
        text = f"Was {whose}{slots.when} {_AS_A_FIGURE.get(first.lower(), first)} {behind}".rstrip()
        return Question(text=f"{text}?", company=None if is_alone or self._now.entities else sole(slots))

    def _asked(self, slots: Slots, topic: str) -> Question:
        """The question for another topic; what was asked of the one before goes on, if it is done to figures."""
        if topic in OFFICES:
            return slots.then(asks("office", subject=OFFICES[topic])).written()
        operation = slots.operation if slots.operation in LASTING else "value"
        operation = "value" if len(slots.companies) < 2 and operation in OF_COMPANIES else operation
        said = self._parsed.guess.operation
        operation = "growth" if said == "growth" or topic.endswith(GROWTH) else operation
        return self._in_time(slots).then(asks(operation, subject=topic.removesuffix(GROWTH))).written()

    def _in_time(self, slots: Slots) -> Slots:
        """The slots with the periods that the text names, else with those of the question before.

        What moved since the year before, which was asked about last, moved to the newest.
        """
        if said := AskedPeriod.all_in(self._body) or AskedPeriod.all_in(looking_back(self._body)):
            return slots.at(said)
        before = [asked.period for asked in slots.query.periods]
        is_back = any(period.years_back for period in (*before, *periods_in(slots.question.said)))
        if not (is_back and slots.operation in OVER_TIME):
            return slots
        years = years_named(before)
        return slots.at(AskedPeriod.first_in(f"in {years[-1] + 1}") if years else ())

    def _at_its_time(self, slots: Slots) -> Question | None:
        """The question before, of these companies, in the year that the text names or counts back to."""
        back = next((p.years_back for p in self._parsed.periods if p.years_back), None)
        others = of_others(slots, self._now) if self._now.entities else slots.question
        company = others.company if self._now.entities else sole(slots)
        when = f"in {self._parsed.years[-1]}" if self._parsed.years else None
        known = self._parsed.names.companies
        if when and self._move == "compare" and (own := counted_back(slots, 0, known)):
            when = f"{when} and {own}"  # "How does that compare with #?"
        if back:
            when = counted_back(slots, back, known)
        if when is None:
            return None
        if isinstance(others, FilledQuestion):
            return slots.then(Query(companies=others.query.companies)).at(AskedPeriod.all_in(when)).written()
        return others.model_copy(update={"text": at_another_time(others.text, when), "company": company})

    def _subject_asked(self, companies: Sequence[str]) -> str | None:
        """The metric or office that the text asks for, if that is certain and nothing narrower."""
        known = [c for name in companies for c in self._parsed.names.named(name)[:1]]
        if not known:
            return guessed(self._parsed) if self._parsed.guess.is_sure else None
        asked = self._read_of(_LEAD.sub("", self._text), known[0])
        is_certain = asked.guess.is_sure or asked.intent.role
        intent, is_figure = asked.intent, asked.guess.is_figure
        is_whole = intent.derived or intent.role or (intent.is_plain if intent.metric else is_figure)
        return subject_of(asked) if is_certain and is_whole and intent.dimension != "date" else None

    def _narrowed(self, slots: Slots) -> Question:
        """The figure asked about before, of a part, a place, or without something."""
        lead = "in " if names_a_place(self._rest) else ""
        subject = f"{slots.subject.removeprefix('total ')} {lead}{self._rest}"
        return self._in_time(slots).then(asks("value", subject=subject)).written()

    def _sentence(self, slots: Slots) -> Question:
        """What is asked about the same companies, in its own words; a fragment, and what was, is of the same time."""
        body, company = self._body, sole(slots)
        if self._before.person and company and _HE.search(body):
            body = _HE.sub(self._before.person, _HIS.sub(f"{self._before.person}'s", body))
        is_of_then = not _SENTENCE.match(body) or _OF_THEN.search(body)
        later = slots.when if is_of_then and not periods_in(body) else ""
        if company:
            return Question(text=f"{body.rstrip(' ?.!')}{later}?" if later else self._text, company=company)
        everyone = listed_names(slots.companies)
        text = _THEM.sub(everyone, body, count=1) if _THEM.search(body) else f"{body.rstrip(' ?.!')}: {everyone}?"
        return Question(text=capital(text))

    def _read_of(self, text: str, known: Company) -> ParsedQuestion:
        return self._parser.about(
            self._parser.parse(Question(text=text, company=known.name), self._parsed.names), known
        )
