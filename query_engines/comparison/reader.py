"""Recognises questions about several companies, several years or all companies, and plans them."""

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from query_engines.calculation.part_questions import is_asked_of_one_company
from query_engines.company_names.matcher import CompanyNames
from query_engines.comparison.apart import asked_apart
from query_engines.comparison.by_topic import (
    Core,
    FigureOf,
    is_shown,
    read_by_topic,
    read_core,
    read_open_plan,
    read_plan,
    read_two_figures,
)
from query_engines.comparison.entities import Biggest, Listed, biggest_in, everyone_in, listed
from query_engines.comparison.of_query import plan_of
from query_engines.comparison.open_question import AllCompanies
from query_engines.comparison.plan import Entity, Plan
from query_engines.comparison.years import (
    Times,
    about,
    is_since_report,
    named_years,
    names_several_years,
    read_trailing,
    read_years,
    times_in,
    trailing_in,
    years_in_order,
)
from query_engines.question.classifier import SAYS_NOTHING
from query_engines.question.filings import trailing_parts
from query_engines.question.parsed import ParsedQuestion, reported_year
from query_engines.question.parser import MARK, plain_text
from storage.lexicon.names import LEAVES_OFFICE, OFFICE, TAKES_OFFICE
from storage.lexicon.question_words import ASKING_WORDS
from storage.lexicon.words import FUNCTION_WORDS, expression
from storage.records.metric_names import MetricName
from storage.records.metrics import significant
from storage.records.queries import AskedPeriod, Conditions, Query
from storage.records.record import Record
from storage.records.reports import Company
from storage.text import in_a_sentence

MetricOf = Callable[[str], MetricName | None]


@dataclass(frozen=True)
class Reading:
    """How a question was understood.

    Attributes:
        plan: None where it is not a comparison, or not understood.
        note: why a comparison is not possible; else empty.
        unplanned: the companies of a question that a model is asked to take apart; then a plan is only a guess.
    """

    plan: Plan | None = None
    note: str = ""
    unplanned: Listed | None = None


class ComparisonReader:
    """Plans what is asked of several companies, years or figures, as trained readers and rules take it."""

    def __init__(self, everyone: AllCompanies) -> None:
        self._everyone = everyone

    def read(self, parsed: ParsedQuestion) -> Reading:
        """Understand a question by rules; a part of one is what its query says."""
        if parsed.part is not None and (plan := self._of_query(parsed.part, parsed.names)) is not None:
            return Reading(plan=plan)
        if parsed.part is not None and parsed.part.is_of_figure:
            return Reading()
        is_of_one = parsed.question.kind is None and len(parsed.companies) == 1
        if is_of_one and (plan := asked_apart(parsed, parsed.companies[0], self._everyone.parser)):
            return Reading(plan=plan)
        if parsed.question.kind in (None, "text") and (table := self._table(parsed)) is not None:
            return table
        if len(parsed.companies) == 1 and (read := self._of_one(parsed, parsed.companies[0])) is not None:
            return read
        if parsed.question.company is not None:
            return self._of_given_company(parsed)
        found = listed(parsed)
        if not found.entities:
            return self._of_nobody(parsed, found)
        if len(found.entities) == 1:
            return Reading(
                plan=self._over_years(found, parsed.names) or read_plan(found, self._everyone.figure_asked)
            )
        return _of_several(found, self._everyone.figure_asked)

    def _of_one(self, parsed: ParsedQuestion, company: Company) -> Reading | None:
        """What is asked of several offices, figures or parts of one company; None for what may be over its years."""
        found = _companies_of(parsed)
        if plan := _of_offices(parsed, company.name):
            return Reading(plan=plan)
        is_alone = len(found.entities) == 1 and not found.strangers
        if is_alone and (plan := read_two_figures(found, parsed.kind, self._everyone.metric_called)):
            return Reading(plan=plan)
        if is_asked_of_one_company(found.text):
            return Reading()
        plan = self._up_to_newest(parsed, company)
        return Reading(plan=plan) if plan else None

    def _of_query(self, query: Query, names: CompanyNames) -> Plan | None:
        known = [company for name in query.companies for company in names.named(name)[:1]]
        newest = known[0].main_report if len(known) == 1 else None
        return plan_of(query, reported_year(newest) if newest else None)

    def _of_nobody(self, parsed: ParsedQuestion, found: Listed) -> Reading:
        """A question that names no company: of the biggest, of all, of the chosen, or of "all three"."""
        if (wanted := biggest_in(found.text)) is not None:
            biggest = self._everyone.biggest(wanted, parsed.names)
            return Reading(note=biggest) if isinstance(biggest, str) else self._of_biggest(parsed, wanted, biggest)
        read = self._of_all(parsed)
        if read == Reading() and parsed.question.reports:
            return self._of_chosen(parsed)
        return self._of_everyone(parsed, found) if read == Reading() else read

    def _of_given_company(self, parsed: ParsedQuestion) -> Reading:
        found = _companies_of(parsed)
        return Reading(plan=self._over_years(found, parsed.names)) if found.entities else Reading()

    def _of_chosen(self, parsed: ParsedQuestion) -> Reading:
        """A question that names nobody, of the chosen reports' companies: compared if it says so, else each."""
        if len(parsed.companies) < 2:
            return self._of_given_company(parsed)
        entities = tuple(Entity(label=company.name, company=company.name) for company in parsed.companies)
        text = plain_text(parsed.wording)
        marks = [f"{MARK}{number}" for number in range(len(entities))]
        compared = f"{text.rstrip(' ?.!:')}: {', '.join(marks[:-1])} or {marks[-1]}?"
        plan = read_plan(Listed(compared, entities, currency=parsed.currency), self._everyone.figure_asked)
        if plan is None or plan.relation == "each":
            kind = "text" if parsed.kind == "comparative" else parsed.kind
            each = tuple(entity.with_query(Query(subject=text)) for entity in entities)
            plan = Plan(
                relation="each", subject=text.rstrip(" ?.!"), entities=each, kind=kind, currency=parsed.currency
            )
        return Reading(plan=plan)

    def _of_biggest(self, parsed: ParsedQuestion, wanted: Biggest, found: Listed) -> Reading:
        """A question about the so many biggest companies of the library, which are found, or for their names."""
        if not significant(_MARKED.sub("", found.text)) - SAYS_NOTHING:
            asked = tuple(entity.with_query(Query(subject=wanted.by)) for entity in found.entities)
            ranked = Plan(relation="ranking", subject=wanted.by, entities=asked, rising=not wanted.is_high)
            return Reading(plan=ranked)
        read = _of_several(replace(found, currency=parsed.currency), self._everyone.figure_asked)
        note = (
            f"Meant are the {wanted.words.counted} {'biggest' if wanted.is_high else 'smallest'} by {wanted.by}."
        )
        return replace(read, plan=read.plan.model_copy(update={"note": note}) if read.plan else None)

    def _of_everyone(self, parsed: ParsedQuestion, found: Listed) -> Reading:
        """A question about "all three" or "any of them", which are the companies of a small library."""
        everyone = _of_library(found.text, parsed.names, MOST_ASKED) if not parsed.companies else None
        if isinstance(everyone, str):
            return Reading(note=everyone)
        return (
            _of_several(replace(everyone, currency=parsed.currency), self._everyone.figure_asked)
            if everyone
            else Reading()
        )

    def _over_years(self, found: Listed, names: CompanyNames) -> Plan | None:
        company = next(iter(names.named(found.entities[0].company or "")), None)
        if company is None:
            return None
        main = company.main_report
        latest = reported_year(main) if main else None
        return read_years(found, latest, self._everyone.figure_asked)

    def _up_to_newest(self, parsed: ParsedQuestion, company: Company) -> Plan | None:
        """The plan for the last twelve months, or since the last annual report, by the company's filings."""
        is_since = is_since_report(parsed.wording)
        if not is_since and trailing_in(parsed.wording) is None:
            return None
        parts = trailing_parts(company.reports)
        found = listed(parsed, _names_of(company))
        found = found if found.entities else about(parsed, company.name)
        if is_since:
            return self._since_report(found, parts, company) if len(parts) > 1 else None
        named, metric = trailing_in(found.text), self._everyone.metric_asked(parsed.text, company)
        if named is None or metric is None or not metric.is_flow or not parts:
            return None
        return read_trailing(found, named, parts, metric.title.lower())

    def _since_report(self, found: Listed, parts: Sequence[str], company: Company) -> Plan | None:
        """A position now and at the end of the last year, or a figure of this year's months and those of the last."""
        year, now, then = parts
        plan = read_years(found, None, self._everyone.figure_asked, (then, now))
        metric = self._everyone.metric_asked(plan.entities[0].query.asked, company) if plan else None
        return (
            read_years(found, None, self._everyone.figure_asked, (year, now))
            if metric is not None and metric.is_of_day
            else plan
        )

    def _table(self, parsed: ParsedQuestion) -> Reading | None:
        """A question for figures along more than one of companies, metrics and years; None for every other one."""
        if not _MAY_BE_SEVERAL.search(parsed.wording):
            return None
        found, wanted = _companies_of(parsed), None
        if not found.entities:
            wanted = biggest_in(found.text)
            everybody = self._everyone.biggest(wanted, parsed.names) if wanted else None
            everybody = everybody or _of_library(found.text, parsed.names, MOST_CELLS)
            if everybody is None and parsed.question.reports and parsed.companies:
                everybody = _about_these(found.text, parsed.companies)
            if everybody is None:
                return None
            if isinstance(everybody, str):
                return None if read_open_plan(parsed, self._everyone.figure_asked) else Reading(note=everybody)
            found = everybody
        if any(entity.company is None for entity in found.entities) and len(found.entities) == found.strangers + 1:
            return None
        plan = read_table(found, parsed, self._everyone.metric_called)
        if plan is None:
            return self._of_biggest(parsed, wanted, found) if wanted else None
        if len(plan.entities) > MOST_CELLS:
            note = (
                f"It asks for {len(plan.entities)} figures, and {MOST_CELLS} can be looked up at once: name fewer."
            )
            return Reading(note=note)
        is_of_one = len(parsed.companies) == 1 and len({entity.period for entity in plan.entities}) == 1
        if is_of_one and self._everyone.is_one_row(parsed, parsed.companies[0]):
            return None
        return Reading(plan=plan)

    def _of_all(self, parsed: ParsedQuestion) -> Reading:
        read = read_open_plan(parsed, self._everyone.figure_asked)
        if read is None:
            return Reading()
        shortlist = self._everyone.shortlist(*read, parsed.names)
        return Reading(plan=shortlist.plan, note=shortlist.note)


def _companies_of(parsed: ParsedQuestion) -> Listed:
    """The question with its companies numbered: the given one, else those that it names."""
    if parsed.question.company is None:
        return listed(parsed)
    if len(parsed.companies) != 1:
        return Listed(parsed.wording, ())
    (company,) = parsed.companies
    found = listed(parsed, _names_of(company))
    return found if found.entities else about(parsed, company.name)


# Offices in a row, "the CEO, the COO and the CFO"; somebody's pay is something else, and "the chairman and CEO" is one.
_OFFICE = expression(rf"(?i)\b{OFFICE}s?\b")
_OFFICES = expression(
    rf"(?i)\b{OFFICE}s?(?:(?:, and |, | and | & | plus |/)(?:(?:the|its|their|of the) )?{OFFICE}s?)+\b(?!['’])"
)
_HOLDS_BOTH = expression(r"(?i)\bwho(?: is|['’]s| was) (?:the |its )?$")
_APART = expression(r"(?i)\b(?:the|its)\b|,")
_ASKS_WHO = expression(r"(?i)\bwho\b|\bnames?\b|\bnamed?\b|^\W*(?:\w+\W+){0,4}?\W*$")
_NO_OFFICE_ASKED = expression(
    r"(?i)\b(?:paid|pay|earn\w*|salar\w+|compensation|remuneration|bonus\w*|owns?|owned|shares?|said|says?|sign\w*|same"
    rf"|leav\w*|besides|except|other than|excluding|separate\w*|combin\w*|both roles)\b|{TAKES_OFFICE}|{LEAVES_OFFICE}"
)


def _of_offices(parsed: ParsedQuestion, company: str) -> Plan | None:
    """The plan for who holds several offices; None where a question asks for one, or for something else of them."""
    found = _OFFICES.search(parsed.wording)
    if found is None or _NO_OFFICE_ASKED.search(parsed.wording):
        return None
    if _HOLDS_BOTH.search(parsed.wording[: found.start()]) and not _APART.search(found[0]):
        return None
    outside = parsed.wording[: found.start()] + parsed.wording[found.end() :]
    if not _ASKS_WHO.search(outside.replace(company, " ")):
        return None
    offices = list(dict.fromkeys(office[0] for office in _OFFICE.finditer(found[0])))
    entities = tuple(
        Entity(label=office, company=company).with_query(Query(operation="who", subject=office))
        for office in offices
    )
    return Plan(relation="each", subject=found[0], entities=entities, kind="name") if len(entities) > 1 else None


def _of_several(found: Listed, figure_of: FigureOf) -> Reading:
    if names_several_years(found.text):
        note = "It names several companies and several years: ask about one company, or one year."
        times = times_in(found.text, None)
        core = read_core(times.text, found.currency) if times else None
        plan = read_by_topic(found, core, figure_of, times) if core else None
        return Reading(plan=plan, unplanned=None if plan else found, note=note)
    plan = read_plan(found, figure_of)
    guessed_only = len(found.entities) - found.strangers < 2
    is_certain = plan is not None and not plan.is_guessed
    return Reading(plan=plan, unplanned=None if is_certain or guessed_only else found)


@functools.lru_cache(maxsize=256)
def _names_of(company: Company) -> CompanyNames:
    return CompanyNames((company,))


MOST_CELLS = 300
MOST_ASKED = 10  # companies that "all of them" may stand for where no table is asked for
_MARGINS = ("gross margin", "operating margin", "net margin")
_SEVERAL_METRICS = dict.fromkeys(("margin", "margins", "profit margins"), _MARGINS)
_MAY_BE_SEVERAL = expression(
    r"[,&/;]|\b(?:and|und|sowie|plus|as well as|all|each|every|both|companies|firms|since|years?|vs|versus|margins?)\b"
    r"|\d{4}\D{1,20}\d{2}",
    re.IGNORECASE,
)
_MARKED = expression(r"@\d+(?:'s?)?")
_CUT = expression(r"[?!:;|()]|\. |\.$|\s[-–—]\s")
_JOINED = expression(
    r"(?:,\s*(?:and|as well as|plus)\b|,|/|&|\b(?:and|as well as|plus|und|sowie)\b)", re.IGNORECASE
)
# Words around the names of the metrics that ask for nothing else.
_FILLING = """
compare comparing comparison show shows give get list display plot chart tabulate table tables grid matrix overview
put tell print create make build draw please can could would you we i like want need see know let me us
his her our own each every all both respective on over across between among within during through
side up down develop developed evolve evolved look looked report reported showed company companies firm firms
year years yearly annual annually fiscal financial time trend trends history development evolution
period periods latest last figures figure numbers values data row column rows columns those them against versus vs
vergleiche vergleich zeige zeig mir gib bitte tabelle der die das dem den des von vom für im in bis und jahr jahre
jahren über wie hat haben sich entwickelt waren war hoch
one single ok okay thx thanks
"""
_AROUND = FUNCTION_WORDS.union(_FILLING.split())


def _of_library(text: str, names: CompanyNames, most: int) -> Listed | str | None:
    """All companies of the library in the place of words like "all three companies".

    Returns:
        The text with the companies numbered, what is wrong with their number, or None without such words.
    """
    everyone = everyone_in(text)
    known = [company.name for company in names.companies if company.reports] if everyone else []
    if everyone is None or not known:
        return None
    if everyone.count is not None and everyone.count != len(known):
        return f"It is about {everyone.counted} companies, and the library has {len(known)}: name those that you mean."
    if len(known) > most:
        return f"The library has {len(known)} companies: name those that you mean."
    return everyone.named(known)


def _about_these(text: str, companies: Sequence[Company]) -> Listed:
    """A question that names nobody, about these companies."""
    marks = " and ".join(f"{MARK}{number}" for number in range(len(companies)))
    entities = tuple(Entity(label=company.name, company=company.name) for company in companies)
    return Listed(f"{text.rstrip(' ?.!:')} of {marks}", entities)


def read_table(found: Listed, parsed: ParsedQuestion, called: MetricOf) -> Plan | None:
    """The plan of a table of figures: companies by metrics by years; None where one of them alone is asked for.

    Args:
        found: the question with its companies numbered.
        parsed: the question.
        called: the metric that a phrase names and nothing else.
    """
    times = _all_times(found.text, _newest_year(found, parsed.names))
    core = read_core(times.text if times else found.text, found.currency)
    columns = _columns_in(core, called)
    several = (len(found.entities) > 1) + (len(columns) > 1) + (times is not None)
    is_list = len(found.entities) > 1 and is_shown(core)
    if not columns or (several < 2 and len(columns) < 2 and not is_list):
        return None
    periods: dict[str, int | None] = {core.period.said if core.period else "": None}
    if times is not None:
        periods = dict(_years(times))
    entities = tuple(
        Entity(
            label=_label(entity, column, period if times else "", several=(len(found.entities), len(columns))),
            company=entity.company,
            candidates=entity.candidates,
            is_ambiguous=entity.is_ambiguous,
            year=year,
            metric=column.title,
            period=period,
        ).with_query(column.query.model_copy(update={"periods": AskedPeriod.first_in(period)}))
        for entity in found.entities
        for column in columns
        for period, year in periods.items()
    )
    return Plan(
        relation="table",
        subject=_joined([column.title for column in columns]),
        entities=entities,
        currency=core.currency,
        is_open=times is not None and times.is_open,
    )


def _all_times(text: str, latest: int | None) -> Times | None:
    """The years that a text names together; "2021-2022" of several companies are both years."""
    times = times_in(text, latest)
    if times is None or not times.is_one_year:
        return times
    return replace(times, is_one_year=False) if "@1" in text else None


def _newest_year(found: Listed, names: CompanyNames) -> int | None:
    """The newest year that a report of the companies is about."""
    known = [company for entity in found.entities for company in names.named(entity.company or "")[:1]]
    years = [reported_year(company.main_report) for company in known if company.main_report]
    return max((year for year in years if year is not None), default=None)


class _Column(Record):
    """What a table has a figure of: by its title, and what is asked of each company."""

    title: str
    query: Query
    is_known: bool = True


_GROWTH = expression(
    r"(?P<before>.{1,80}?) growth(?: rates?)?"
    r"|(?:growth(?: rates?)?|percentage change) (?:of|in) (?:the )?(?P<of>.{1,80})",
    re.IGNORECASE,
)


def _columns_in(core: Core, called: MetricOf) -> list[_Column]:
    """The metrics that a text lists, with a short name beside two that are known; none where it says more."""
    bare = _CUT.sub("|", _MARKED.sub("|", core.text.replace("@L's", "|").replace("@L", "|")))
    found: dict[str, _Column] = {}
    for segment in bare.split("|"):
        if (columns := _split(segment, lambda phrase: _column(phrase, core, called))) is None:
            return []
        for column in columns:
            found.setdefault(column.title, column)
    return list(found.values())


def _column(phrase: str, core: Core, called: MetricOf) -> _Column | None:
    """The metric of a phrase, or its growth."""
    if (metric := called(phrase)) is not None:
        currency = core.currency if metric.is_money else None
        conditions = Conditions(currency=currency)
        query = Query(terms=(metric.term,), subject=metric.title, conditions=conditions)
        return _Column(title=metric.title, query=query)
    grown = _GROWTH.fullmatch(phrase)
    metric = called(grown["before"] or grown["of"]) if grown else None
    if metric is None:
        return None
    return _Column(
        title=f"Growth of {in_a_sentence(metric.title)}",
        query=Query(operation="growth", terms=(metric.term,), subject=metric.title),
    )


def _split(segment: str, read: Callable[[str], _Column | None]) -> list[_Column] | None:
    """The metrics of a list; the longest names first, so that "property, plant and equipment" is one."""
    cuts = [(0, 0), *((m.start(), m.end()) for m in _JOINED.finditer(segment)), (len(segment), len(segment))]
    pieces = [(cuts[n][1], cuts[n + 1][0]) for n in range(len(cuts) - 1)]
    pieces = [piece for piece in pieces if _bare(segment[slice(*piece)])]
    found, at = [], 0
    while at < len(pieces):
        for end in range(min(len(pieces), at + _MOST_JOINED), at, -1):
            if (column := read(_bare(segment[pieces[at][0] : pieces[end - 1][1]]))) is not None:
                found.append(column)
                at = end
                break
        else:
            name = _bare(segment[slice(*pieces[at])])
            if (several := _SEVERAL_METRICS.get(name.lower())) is not None:
                found += filter(None, map(read, several))
                at += 1
                continue
            if not all(column.is_known for column in found):
                return None
            if len(name.split()) > _MOST_WORDS or not _SAYS_MORE.isdisjoint(name.lower().split()):
                return None
            found.append(_Column(title=name, query=Query(subject=name), is_known=False))
            at += 1
    known = sum(column.is_known for column in found)
    return found if known == len(found) or known >= _FEWEST_BESIDE else None


_SAYS_MORE = frozenset((*FUNCTION_WORDS, *ASKING_WORDS, "because", "explain", "which", "why"))
_FEWEST_BESIDE = 2  # metrics in a list, beside which an unknown name may stand
_MOST_WORDS = 3  # of a name that no metric has
_MOST_JOINED = 4  # parts of one name between commas and "and"


def _bare(text: str) -> str:
    """The text without the words around a metric's name."""
    words = text.strip(" ,.'\"").split()
    while words and words[0].lower().strip(",.") in _AROUND:
        words.pop(0)
    while words and words[-1].lower().strip(",.") in _AROUND:
        words.pop()
    return " ".join(words).strip(" ,.'\"")


def _years(times: Times) -> dict[str, int]:
    return named_years(times, years_in_order(times, "table", named_order=False))


def _label(entity: Entity, column: _Column, period: str, *, several: tuple[int, int]) -> str:
    """What tells a cell from the others of its table; `several` counts the companies and the metrics."""
    company, metric = (
        name if count > 1 else "" for name, count in zip((entity.label, column.title), several, strict=True)
    )
    return ", ".join(filter(None, [company, metric, period]))


def _joined(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
