"""Parsing a question: once when it comes, and completed once when the company that it is about is known."""

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from llama_index.core.schema import QueryBundle

from query_engines.calculation.part_questions import is_of_schedule, kinds_due
from query_engines.calculation.row_questions import relates_two
from query_engines.company_names.matcher import CompanyNames, Naming
from query_engines.question.classifier import (
    OFFICE_TOPICS,
    Guess,
    QuestionClassifier,
    core,
    said_beside,
    sentence_of,
)
from query_engines.question.classifier import names_of as words_naming
from query_engines.question.functions import (
    HoldersAsked,
    MovesAsked,
    PartyAsked,
    bought_in,
    firm_named,
    offices_next,
    party_asked,
    with_auditor,
)
from query_engines.question.intent import IntentReader, periods_asked
from query_engines.question.parsed import (
    NAMED_EVENTS,
    Intent,
    ParsedQuestion,
    QuestionBundle,
    bundle_of,
    dimension_in,
    reported_year,
)
from query_engines.question.search_text import label_in, nameless, requested_currency, without_company_and_time
from query_engines.question.section_topics import kind_of_section, section_asked, without_company
from query_engines.question.standing import (
    Figure,
    Standing,
    StandingReader,
    as_phrase,
    judged,
    names_somebody,
    without_names,
)
from query_engines.question.wording import (
    asks_for_one_of_several,
    well_spelled,
    with_kind,
    without_contrast,
    without_definitions,
)
from storage.lexicon.periods import periods_in
from storage.lexicon.question_words import is_yet_to_come, without_silence
from storage.lexicon.reasons import asks_why
from storage.lexicon.shorthand import in_figures, written_out
from storage.lexicon.words import expression, falls_due
from storage.records.metric_names import MetricName
from storage.records.metrics import Metric, Ontology, significant
from storage.records.queries import FilledQuestion, Query
from storage.records.questions import AnswerKind, Question, check_length
from storage.records.reports import Company
from storage.records.sections import SectionKindRule, SectionKinds
from storage.text import plain

NamesOf = Callable[[Sequence[Company]], CompanyNames]
_MINORITY = "noncontrolling_interests"
MARK = "@"  # stands for a company in a text whose companies are numbered
# Within or after it debt is current or not; what is due in any other time is a part of that.
_ONE_YEAR = expression(r"(?i)\b(?:(?:one|1|a) year|(?:twelve|12) months|eine[ms]? jahr\w*|un (?:an|año|anno))\b")
_DUE_IN = expression(r"\bdue in (20\d\d)\b")
_BEYOND_DOUBT = 0.9  # probability from which a guess counts although something else speaks against it
_LIKELY_EXACT = 0.5  # that a figure is asked for exactly, beside words that may narrow it
_NO_ROLE: dict[str, object] = {"role": None, "topic": "other"}
_AGO = expression(r"(?:\w{1,20} )?\w{1,20} years? (?:ago|back|before|earlier)", re.IGNORECASE)
_THE = expression(r"(?:\b(?P<lead>\w+(?: the end of)?) )?(?:the |year before last)", re.IGNORECASE)


class QuestionParser:
    """Parses questions about the companies of a library."""

    def __init__(
        self,
        ontology: Ontology,
        companies: Callable[[], Sequence[Company]] = tuple,
        names_of: NamesOf = CompanyNames,
        classifier: QuestionClassifier | None = None,
        kinds: SectionKinds | None = None,
        standings: StandingReader | None = None,
    ) -> None:
        """Make a parser.

        Args:
            ontology: knows the lines that questions ask for.
            companies: gives the library's companies, the same object until they change.
            names_of: makes the names of companies findable.
            classifier: understands what no rule knows; without one, rules alone are asked.
            kinds: of sections that questions may ask for; without them, no question asks for one.
            standings: judges whether a question asks for exactly a figure; without one, rules alone decide it.
        """
        self._classifier = classifier
        self._standings = standings
        self._intents = IntentReader(ontology)
        self._kinds = kinds
        self._companies = companies
        self._names_of = names_of
        self._names: tuple[Sequence[Company], CompanyNames] | None = None

    @classmethod
    def trained(
        cls,
        ontology: Ontology,
        companies: Callable[[], Sequence[Company]] = tuple,
        names_of: NamesOf = CompanyNames,
        kinds: SectionKinds | None = None,
    ) -> "QuestionParser":
        """A parser with the classifier and the judgement that come with Pageproof."""
        return cls(ontology, companies, names_of, QuestionClassifier.load(), kinds, StandingReader.load())

    @property
    def names(self) -> CompanyNames:
        """The library's names, made anew only when it gives other companies."""
        companies, known = self._companies(), self._names
        if known is None or known[0] is not companies:
            known = self._names = (companies, self._names_of(companies))
        return known[1]

    def bundle(self, query: QueryBundle | Question) -> QuestionBundle:
        """The bundle itself where it is parsed already, else a question, or a text that LlamaIndex brings, parsed.

        Raises:
            QuestionTooLong: nobody asks that much at once.
        """
        if isinstance(query, QuestionBundle):
            return query
        question = query if isinstance(query, Question) else Question(text=query.query_str)
        check_length(question.text, question.company)
        return bundle_of(self.parse(question))

    def parse(self, question: Question, names: CompanyNames | None = None) -> ParsedQuestion:
        """A question with the companies that it names; `names` are those of the library where they are known."""
        if isinstance(question, FilledQuestion) and question.query.is_of_figure:
            return _filled(question, self.names if names is None else names)
        parsed, names = read_text(question), self.names if names is None else names
        naming = names.read(plain_text(parsed.wording))
        parsed = self._guessed(replace(parsed, names=names), naming)
        chosen = chosen_of(names.companies, question.reports) if question.reports else ()
        if question.company is not None:
            restricted = {company.name: company for company in chosen}
            named = names.named(question.company)
            return replace(parsed, companies=tuple(restricted.get(c.name, c) for c in named))
        companies = tuple(naming.companies)
        if not companies and chosen and not parsed.guess.is_talk:
            of_chosen = _names_of(chosen)
            if of_chosen.names_nobody(plain_text(parsed.wording)):
                return replace(parsed, names=of_chosen, companies=chosen)
        if not companies and parsed.kind != "comparative" and not parsed.guess.is_talk:
            sole = names.only(plain_text(parsed.wording))
            companies = (sole,) if sole else ()
        return replace(parsed, naming=naming, companies=companies)

    def _guessed(self, parsed: ParsedQuestion, naming: Naming) -> ParsedQuestion:
        """The question with what the classifier takes it for; of one about several companies, the language alone."""
        if self._classifier is None:
            return parsed
        if len(naming.mentions) > 1:
            seen = self._with_kind(parsed, self._classifier.read(core(parsed.wording, naming.words)), naming.words)
            own = replace(parsed.guess, kinds=seen.kinds)
            own = replace(own, language=seen.language, language_probability=seen.language_probability)
            kind = parsed.kind if parsed.is_kind_known else seen.kind
            return replace(parsed, guess=own, kind=kind)
        whole = without_definitions(parsed.wording)
        guess = self._classifier.read(core(whole, naming.words))
        if not guess.is_sure and whole != parsed.wording:
            guessed = self._classifier.read(core(parsed.wording, naming.words))
            if guessed.topic != _MINORITY:  # else only what was left out names it
                whole, guess = parsed.wording, guessed
        request = whole
        if (spelled := well_spelled(request, naming.words)) != request:
            second = self._classifier.read(core(spelled, naming.words))
            is_told = second.is_sure and second.topic != "other" and not second.is_talk
            is_english = guess.language == "en" and guess.is_figure and second.is_figure
            if is_told and (not guess.is_sure or (is_english and guess.probability < _BEYOND_DOUBT)):
                guess, request = second, spelled
        if guess.is_talk and request != parsed.wording:  # thanks are an aside of a request, and all of a farewell
            spoken = self._classifier.read(core(parsed.wording, naming.words))
            guess = spoken if spoken.is_talk and spoken.probability > guess.probability else guess
        parsed = replace(parsed, request=request)
        if parsed.question.kind not in (None, "comparative"):
            return replace(parsed, guess=guess.of_kind(parsed.kind))
        guess = self._with_kind(parsed, guess, naming.words)
        if parsed.kind == "comparative":
            return replace(parsed, guess=guess)
        return replace(parsed, guess=guess, kind=guess.kind, is_kind_known=guess.is_sure_of_kind)

    def _with_kind(self, parsed: ParsedQuestion, guess: Guess, names: Sequence[str]) -> Guess:
        """The guess with the kind that its words and their order show together."""
        if self._standings is None or guess.is_talk:
            return guess
        judgement = self._intents.derived.judgement_called(guess.topic)
        figure = judgement or self._intents.figure_of(parsed.intent, guess)
        asked = None if figure is None else Figure.of(figure)
        text = without_names(parsed.question.text, names)
        return with_kind(guess, self._standings.kinds(text, asked), parsed.wording)

    def about(self, parsed: ParsedQuestion, company: Company) -> ParsedQuestion:
        """The question once it is known which company it is about.

        "The prior year" has its number then, seen from the newest report; "last year" is that report's own. The kind is
        one that a single company's report can answer in.
        """
        part = parsed.part if parsed.part is not None and parsed.part.is_of_figure else None
        return self._asked_of(parsed, company) if part is None else self._part_of(company, parsed, part)

    def _asked_of(self, parsed: ParsedQuestion, company: Company) -> ParsedQuestion:
        """The question about a company, read from its words."""
        text, wording = parsed.text, parsed.request or parsed.wording
        main = company.main_report
        newest = reported_year(main) if main else None
        if newest is not None and parsed.year is None:
            text, wording = (_with_years(each, newest) for each in (text, wording))
        if newest is not None:
            text, wording = (_with_years_due(each, newest) for each in (text, wording))
        intent, standing = self._intent(parsed, with_auditor(wording), company)
        is_due = newest is not None and any(int(year) > newest for year in _DUE_IN.findall(text))
        is_named = standing is None or standing.is_surely_exact
        is_part = falls_due(text) and "debt" in kinds_due(text) and not _ONE_YEAR.search(text)
        is_due = is_due or (is_part and not is_named)
        is_per_share = intent.sole_metric is not None and intent.sole_metric.kind == "per_share"
        if is_due or (is_per_share and "not per share" in parsed.question.text.lower()):
            narrower = {"sole_metric": None, "is_by_name": False, "is_plain": False, "asks_what_is_due": is_due}
            intent = intent.model_copy(update=narrower)
        of_one = parsed.guess.kind if parsed.guess.is_sure_of_kind else "text"
        kind = of_one if parsed.kind == "comparative" else parsed.kind
        is_named = intent.derived is not None or (intent.is_by_name and parsed.guess.kind == "number")
        is_figure = kind == "text" and is_named and parsed.question.kind is None
        asked = sentence_of(parsed.guess.asked_in, in_figures(text))
        intent = self._judged(parsed, company, intent, standing) if kind == "boolean" else intent
        if intent.judgement is not None and parsed.question.kind is None and kind in ("boolean", "name"):
            kind, is_figure = "boolean", False
        elif intent.parts is not None and intent.parts.is_of_names and parsed.question.kind is None:
            kind, is_figure = "name" if intent.parts.is_of_one else "names", False
        elif intent.parts is not None and intent.parts.is_of_each and parsed.question.kind is None:
            kind, is_figure = "text", False
        party = _party(parsed, text, company, kind)
        if party is not None:
            intent = intent.model_copy(update={"party": party, "event": None, **_NO_ROLE})
            kind, is_figure = parsed.question.kind or ("names" if party.is_plural else "name"), False
        section = self._section(parsed, text, company, intent) if party is None else None
        if section is not None and parsed.question.kind is None:
            kind, is_figure = kind_of_section(section, nameless(text, company), kind), False
        if section is not None and section.lists in ("firm", "people", "holders"):
            # Who audits the finances is no financial officer, and who is on a board no change of it.
            intent = intent.model_copy(update={"event": None, **_NO_ROLE})
        intent = intent.model_copy(update=_of_names(intent, text, wording, company))
        intent = _of_holders(intent, nameless(text, company), kind, section)
        return replace(
            parsed,
            section=section,
            text=text,
            wording=wording,
            kind="number" if is_figure and not asks_why(wording) else kind,
            periods=periods_asked(asked, in_figures(text)),
            currency=parsed.question.currency
            or requested_currency(parsed.question.text, main.currency if main else None),
            company=company,
            intent=intent,
            standing=standing,
        )

    def _part_of(self, company: Company, parsed: ParsedQuestion, part: Query) -> ParsedQuestion:
        """The part of a comparison that is about a company, with the years that are counted from its newest report."""
        newest = reported_year(company.main_report) if company.main_report else None
        intent = self._intents.of_query(part)
        periods = tuple(period.counted_from(newest) for period in parsed.periods)
        return replace(parsed, company=company, intent=intent, periods=periods)

    def _intent(self, parsed: ParsedQuestion, wording: str, company: Company) -> tuple[Intent, Standing | None]:
        """What is asked, and how the question stands to its figure, where it has one and does not only name it."""
        guess = parsed.guess
        intent = self._intents.read(wording, company, guess)
        figure = self._intents.asked_about(intent, guess)
        if figure is None:
            return intent, None
        text = without_definitions(parsed.question.text)
        label = label_in(intent.text)
        standing = self._standing(text, _names_said(parsed, company), figure, label, guess.language)
        if standing is None:
            return intent, None
        return self._intents.judged(intent, standing, guess, parsed.periods), standing

    def _judged(
        self, parsed: ParsedQuestion, company: Company, intent: Intent, standing: Standing | None
    ) -> Intent:
        """The intent with the yes or no that a question asks for about a figure of its own, where it is about one."""
        figure, known = self._intents.figure_of(intent, parsed.guess), self._intents.derived
        is_another = standing is not None and standing.is_surely_another
        is_of_part = intent.parts is not None and intent.parts.operation != "value"
        is_known = intent.judgement or intent.derived or intent.event or intent.role
        is_related = relates_two(intent.text) and not any(map(str.isdigit, intent.text))
        is_other = is_another or is_of_part or is_known or is_related
        if not isinstance(figure, Metric) or is_other or len(parsed.periods) > 1:
            return intent
        is_of_part_of_year = any(p.is_part_of_year or p.is_of_several_years for p in parsed.periods)
        own = company.main_report.currency if company.main_report else None
        is_of_other_money = own is not None and requested_currency(parsed.question.text, own) not in (None, own)
        if is_of_part_of_year or is_of_other_money or is_yet_to_come(parsed.question.text):
            return intent
        names = _names_said(parsed, company)
        found = judged(parsed.question.text, names, figure, known)
        if found is None or self._names_another(parsed.question.text, names, figure):
            return intent
        judgement, derived = found
        beside = tuple(known[metric] for metric in judgement.beside)
        made = {"judgement": judgement, "derived": derived, "operands": (figure,), "beside": beside}
        return intent.model_copy(update=made)

    def _names_another(self, text: str, names: Sequence[str], figure: Metric) -> bool:
        """Whether a text names a second figure, which the first is held against: "more than 3 times its EBITDA"."""
        said = as_phrase(text, names, words_naming(figure))[0].split()
        phrases = (" ".join(said[at : at + size]) for size in (1, 2, 3) for at in range(len(said) - size + 1))
        return any(self.metric_called(phrase) is not None for phrase in phrases)

    def _standing(
        self,
        text: str,
        names: Sequence[str],
        figure: Figure,
        label: str,
        language: str,
    ) -> Standing | None:
        """How a text stands to a figure; None where it only names it.

        Args:
            text: of the question.
            names: of companies in it.
            figure: that it is about, or what it judges or asks whether it happened.
            label: its words without those that only ask.
            language: of the text; German nouns look like names.
        """
        if self._standings is None or self.metric_called(label) is not None:
            return None
        is_known = all(significant(word) <= figure.words for word in said_beside(figure.topic, label).split())
        written = plain(text)
        found = self._standings.read(without_names(written, names), figure)
        if not found.is_surely_exact and (spelled := well_spelled(written, names)) != written:
            second = self._standings.read(without_names(spelled, names), figure)
            found = second if second.is_likely_exact else found  # a typo makes it no other thing
        is_of_somebody = language != "de" and names_somebody(without_names(written, names))
        return replace(found, is_in_known_words=is_known, names_somebody=is_of_somebody)

    def figure_asked(
        self, words: str, within: str = "", *, is_narrowed: bool = False, is_said: bool = False
    ) -> MetricName | None:
        """The figure that words are about, however they say it; None where they are about none, or a part of one.

        Args:
            words: those that name it, or a whole question.
            within: the question that the words stand in, which may be about another figure.
            is_narrowed: whether that has words that may narrow the figure, so that it must surely ask for it.
            is_said: whether it has only words with which people ask, a verb among them, so that nothing narrows it.
        """
        if self._classifier is None:
            return None
        whole = self._classifier.read(core(within or words))
        called = self.metric_called(words) if within else None
        found = called = (self.metric_called(called.title) or called) if called else None
        if found is None or (whole.is_figure and whole.probability >= _BEYOND_DOUBT):
            guess = whole if whole.is_figure or not within else self._classifier.read(core(words))
            found = self._intents.figure_asked(guess, words) or found
        if found is None or is_said or (found is called and not is_narrowed):
            return found
        is_whole = self._is_whole(within or words, found, whole.language, is_narrowed=is_narrowed)
        return found if is_whole else None

    def _is_whole(self, text: str, found: MetricName, language: str, *, is_narrowed: bool) -> bool:
        """Whether a text asks for exactly a figure; who names it and nothing else does."""
        figure = self._intents.figure_called(found.words)
        if figure is None or self._intents.metric_called(text) is not None:
            return True
        standing = self._standing(text, (), Figure.of(figure), label_in(text), language)
        if is_narrowed and standing is not None:
            return standing.exact >= _LIKELY_EXACT
        return standing is None or not standing.is_surely_another

    def metric_called(self, phrase: str) -> MetricName | None:
        """The metric that a phrase names and nothing else; None where it names none."""
        return self._intents.metric_called(phrase)

    def _section(
        self, parsed: ParsedQuestion, text: str, company: Company, intent: Intent
    ) -> SectionKindRule | None:
        """The kind of section that a question about a company asks for, whatever words are in the company's name."""
        if self._kinds is None or intent.derived or intent.judgement:
            return None
        if intent.parts is not None and intent.parts.operation in ("rose_most", "fell_most", "rose", "fell"):
            return None  # which product sold more is no list of products
        if intent.event and parsed.question.kind:
            return None
        is_figure = parsed.kind == "number" or (intent.is_by_name and parsed.guess.kind == "number")
        if intent.sole_metric is not None and is_figure:
            return None  # "purchases of property and equipment" are no properties
        is_read_so = parsed.guess.kind == "boolean" or parsed.language == "en"  # "Was macht …?" opens no yes or no
        is_yes_or_no = parsed.kind == "boolean" and parsed.is_kind_known and is_read_so
        if is_yes_or_no or parsed.question.kind not in (None, "text", "name", "names"):
            return None
        topic = parsed.guess.topic if parsed.guess.is_sure else ""
        said = without_names(text, _names_said(parsed, company))
        rule = section_asked(said, self._kinds, names_figure=parsed.guess.is_figure)
        is_of_names = intent.event in NAMED_EVENTS and parsed.kind in ("name", "names")
        if rule is None or (is_of_names and rule.lists != "people"):
            return None
        is_of_officer = topic in OFFICE_TOPICS and parsed.guess.kind == "name"
        return None if is_of_officer and rule.lists != "firm" else rule


def _filled(question: FilledQuestion, names: CompanyNames) -> ParsedQuestion:
    """What the query of a question says; its text is for people, search and language models."""
    query = question.query
    return ParsedQuestion(
        question=question,
        text=question.text,
        wording=question.text,
        kind=question.kind or "number",
        is_kind_known=True,
        intent=Intent(text=query.subject),
        periods=query.periods_in(question.text),
        currency=question.currency or query.conditions.currency,
        companies=tuple(company for name in query.companies for company in names.named(name)[:1]),
        names=names,
    )


def _of_names(intent: Intent, text: str, wording: str, company: Company) -> dict[str, object]:
    """What a question asks of those who come, go or will hold an office, and the auditor and purchase that it names."""
    is_of_moves = intent.event == "leadership_change"
    moves = MovesAsked.in_text(without_company_and_time(wording, company)) if is_of_moves else None
    names = {
        "firm": firm_named(nameless(text, company)),
        "bought": bought_in(without_company_and_time(text, company)),
    }
    return {"offices_next": offices_next(wording), "moves": moves, **names}


def _of_holders(intent: Intent, text: str, kind: AnswerKind, section: SectionKindRule | None) -> Intent:
    """The intent with the holders of shares that a question asks for, where it asks for some."""
    if section is None or section.lists != "holders":
        return intent
    return intent.model_copy(update={"holders": HoldersAsked.in_text(text, is_one=kind == "name")})


def _names_said(parsed: ParsedQuestion, company: Company) -> tuple[str, ...]:
    """The names by which a question may call companies: those in it, also where one is given, and the company's own."""
    said = parsed.naming.words or parsed.names.read(plain_text(parsed.question.text)).words
    return (*said, company.name, *company.aliases, company.name.partition(",")[0])


def _party(parsed: ParsedQuestion, text: str, company: Company, kind: AnswerKind) -> PartyAsked | None:
    """Whose name a question asks for that wants a name: of a function's holder, or of a committee's members."""
    is_of_names = parsed.question.kind in ("name", "names", None) and kind in ("name", "names", "text")
    return party_asked(without_company(text, company)) if is_of_names else None


def chosen_of(companies: Sequence[Company], reports: Sequence[str]) -> tuple[Company, ...]:
    """The companies of some reports, each with these reports alone."""
    wanted = frozenset(reports)
    found = ((c, tuple(r for r in c.reports if r.sha1 in wanted)) for c in companies)
    return tuple(company.model_copy(update={"reports": own}) for company, own in found if own)


@functools.lru_cache(maxsize=64)
def _names_of(companies: tuple[Company, ...]) -> CompanyNames:
    """The names of a conversation's companies, the same object for each of its questions."""
    return CompanyNames(companies)


def as_bundle(query: QueryBundle) -> QuestionBundle:
    """The bundle itself, or the text of one that LlamaIndex made, for parts that are used without a parser."""
    return query if isinstance(query, QuestionBundle) else bundle_of(read_text(Question(text=query.query_str)))


def read_text(question: Question) -> ParsedQuestion:
    """What a question's text says by itself, without a library and an ontology."""
    text = without_contrast(question.text)
    wording = written_out(in_figures(without_silence(text)))
    is_comparative = question.kind is None and asks_for_one_of_several(wording)
    dimension, things = dimension_in(wording)
    return ParsedQuestion(
        question=question,
        text=text,
        wording=wording,
        kind=question.kind or ("comparative" if is_comparative else "text"),
        is_kind_known=question.kind is not None or is_comparative,
        intent=Intent(text=text, dimension=dimension, counted=things),
        periods=periods_in(in_figures(text)),
        currency=question.currency or requested_currency(question.text),
    )


def plain_text(wording: str) -> str:
    """A wording as its companies are found in it: in its plain form, without the sign that numbers them."""
    return plain(wording).replace(MARK, " ")


def _with_years_due(text: str, newest: int) -> str:
    """The text with a year to come as one in which something falls due, which is no period of the question."""
    if not is_of_schedule(text):
        return text
    for period in reversed(periods_in(text)):
        if period.kind in ("year", "fiscal_year") and (period.year or 0) > newest:
            text = f"{text[: period.phrase_start]}due in {period.year}{text[period.end :]}"
    return text


def _with_years(text: str, newest: int) -> str:
    """The text with "the prior year" by its number; "the prior-year" before another word is left."""
    for period in reversed(periods_in(text)):
        phrase = period.phrase(text)
        if (period.years_back or 0) > 1 and _AGO.fullmatch(phrase.strip()):
            text = f"{text[: period.phrase_start]}in {newest - (period.years_back or 0)}{text[period.end :]}"
        elif (period.years_back or 0) > 0 and (led := _THE.match(phrase)):
            year = newest - (period.years_back or 0)
            text = f"{text[: period.phrase_start]}{led['lead'] or 'in'} {year}{text[period.end :]}"
    return text
