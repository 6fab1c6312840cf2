"""Makes the search text of a question: without the words that every question has."""

import functools
import re

from query_engines.company_names.matcher import CompanyNames
from query_engines.company_names.vocabulary import without_name
from query_engines.question.currency import without_currency
from storage.lexicon.periods import without_periods
from storage.records.reports import Company
from storage.text import plain

_INSTRUCTED = r"""
      if\ (?:the\ )?data\ (?:is|are)\ not\ available.*$
    | if\ there\ is\ no\ mention.*$
    | give\ me\ the\ title.*$
    | \(?\b(?:with)?in\ the\ last\ period\ or\ at\ the\ end\ of\ the\ last\ period\)?
    | \bat\ the\ end\ of\ the\ period\ listed\ in\ (?:the\ )?annual\ report
    | \b(?:according\ to|as\ mentioned\ in|listed\ in|in)\ the\ annual\ report
    | \(in\ [A-Z]{3}\)
"""
_INSTRUCTIONS = re.compile(_INSTRUCTED, re.VERBOSE | re.IGNORECASE)
_BOILERPLATE = re.compile(
    _INSTRUCTED
    + r"""
    | ^for\ *,\ *
    | ^(?:what|which|who|how)\ (?:is|was|were|are|did|much|many)\ (?:the\ )?(?:value\ of\ )?
    | \b(?:for|of|at|by|in)\b\s*(?=[?.,]|$)
    """,
    re.VERBOSE | re.IGNORECASE,
)


def search_text(question: str, company: Company) -> str:
    """The question without company, period, currency and boilerplate; the whole question if nothing is left."""
    return _without(_BOILERPLATE, without_currency(without_company_and_time(question, company))) or question


def bare_question(text: str) -> str:
    """The question with its question word, but without phrases about missing data, the annual report and currency."""
    return _without(_INSTRUCTIONS, text)


def _without(pattern: re.Pattern[str], text: str) -> str:
    for _ in range(2):  # removing a phrase may move another one to an end of the text
        text = " ".join(pattern.sub(" ", text).split()).strip(" ?.,")
    return text


@functools.lru_cache(maxsize=1024)
def without_company_and_time(question: str, company: Company) -> str:
    """The question without the company's name and without the years and dates that it names."""
    text = plain(question)
    for mention in _names_of(company).mentions(text):
        text = without_name(text, mention.words)
    return " ".join(without_periods(" ".join(text.split()), with_parts=True).split())


@functools.lru_cache(maxsize=256)
def _names_of(company: Company) -> CompanyNames:
    return CompanyNames([company])
