"""Whether a question is about several companies, several years or all companies, and what is then asked."""

import functools
from collections.abc import Sequence

from query_engines.company_names.matcher import CompanyNames
from query_engines.comparison.open_question import AllCompanies
from query_engines.comparison.parties import Listed, listed
from query_engines.comparison.patterns import read_open_plan, read_plan
from query_engines.comparison.plan import Plan
from query_engines.comparison.planner import Planner, ask_for_plan
from query_engines.comparison.years import about, names_several_years, read_growth, read_years
from query_engines.question.search_text import reported_year
from storage.records.questions import Question
from storage.records.record import Record
from storage.records.reports import Company


class Reading(Record):
    """What a question was read as.

    Attributes:
        plan: None where it is no comparison, or none that is understood.
        told: why a comparison cannot be made; empty where there is nothing to say.
        unplanned: it names several companies, in a wording that no rule knows.
    """

    plan: Plan | None = None
    told: str = ""
    unplanned: bool = False


class ComparisonReader:
    """Reads questions by rules; what the rules leave open is put to a model, where there is one."""

    def __init__(self, everyone: AllCompanies, planner: Planner | None = None) -> None:
        self._everyone = everyone
        self._planner = planner

    def read(self, question: Question, names: CompanyNames, companies: Sequence[Company]) -> Reading:
        """What rules make of the question."""
        if question.company is not None:
            return self._of_given_company(question, names)
        found = listed(question.text, names)
        if not found.parties:
            return self._of_all(question, companies)
        if len(found.parties) == 1:
            return Reading(plan=_over_years(found, names) or read_plan(found))
        return self._of_several(found)

    async def ask(self, question: Question, names: CompanyNames) -> Plan | None:
        """What a model makes of it; None without one."""
        if self._planner is None:
            return None
        return await ask_for_plan(self._planner, question.text, listed(question.text, names))

    def _of_given_company(self, question: Question, names: CompanyNames) -> Reading:
        given = names.named(question.company or "")
        if len(given) != 1:
            return Reading()
        found = listed(question.text, _names_of(given[0]))
        return Reading(plan=_over_years(found if found.parties else about(question.text, given[0].name), names))

    def _of_several(self, found: Listed) -> Reading:
        if names_several_years(found.text):
            told = "It names several companies and several years: ask about one company, or one year."
            plan = read_growth(found)
            return Reading(plan=plan, unplanned=plan is None, told=told)
        plan = read_plan(found)
        guessed_only = len(found.parties) - found.strangers < 2
        return Reading(plan=plan, unplanned=plan is None and not guessed_only)

    def _of_all(self, question: Question, companies: Sequence[Company]) -> Reading:
        read = read_open_plan(question.text)
        if read is None:
            return Reading()
        shortlist = self._everyone.shortlist(*read, companies)
        return Reading(plan=shortlist.plan, told=shortlist.told)


@functools.lru_cache(maxsize=256)
def _names_of(company: Company) -> CompanyNames:
    return CompanyNames((company,))


def _over_years(found: Listed, names: CompanyNames) -> Plan | None:
    company = next(iter(names.named(found.parties[0].company or "")), None)
    if company is None:
        return None
    years = [year for report in company.reports if (year := reported_year(report))]
    return read_years(found, max(years, default=None))
