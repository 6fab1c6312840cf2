"""What a question searches for, without what every question says."""

import functools
import re

from query_engines.company_names.matcher import CompanyNames
from query_engines.question.currency import without_currency
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
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_MONTH = r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
_DAY = rf"(?:{_MONTH}\s\d{{1,2}},?\s|\d{{1,2}}\s{_MONTH},?\s|{_MONTH},?\s)"
_DATE = rf"(?:{_DAY}?(?:19|20)\d\d(?:[/-]\d\d)?|fy\s?'?\d\d(?:\d\d)?)"
TIME = re.compile(
    rf"""
      (?:\b(?:for|in|during|over|at|as\ of|as\ at|on|by|of)\ )?(?:the\ )?
      (?:(?:end\ of|beginning\ of|twelve\ months|12\ months|year|period|fiscal|financial|calendar|full)[ -])*
      (?:(?:year|period)\ )?(?:end(?:ed|ing)?\ |to\ )?(?:on\ )?{_DATE}(?:'s)?\b
    | \b(?:(?:in|for|at|during|over|of)\ )?(?:the\ end\ of\ )?(?:last|this|the\ (?:past|previous|prior|preceding))
      \ (?:fiscal\ |financial\ )?year\b
    """,
    re.VERBOSE | re.IGNORECASE,
)


def search_text(question: str, company: Company) -> str:
    """The question without company, period, currency and boilerplate; the whole question if nothing is left."""
    return _without(_BOILERPLATE, without_currency(without_company_and_time(question, company))) or question


def bare_question(text: str) -> str:
    """A question with its question word, without what it says about missing data, the annual report and currency."""
    return _without(_INSTRUCTIONS, text)


def _without(pattern: re.Pattern[str], text: str) -> str:
    for _ in range(2):  # taking a phrase out may bring another to an end of the text
        text = " ".join(pattern.sub(" ", text).split()).strip(" ?.,")
    return text


@functools.lru_cache(maxsize=1024)
def without_company_and_time(question: str, company: Company) -> str:
    """The question without the company's name and without the years and dates that it names."""
    text = plain(question)
    for mention in _names_of(company).mentions(text):
        text = re.sub(rf"[\"']?{re.escape(mention.words)}\.?(?:'s\b|[\"'])?", " ", text)
    return " ".join(TIME.sub(" ", " ".join(text.split())).split())


@functools.lru_cache(maxsize=256)
def _names_of(company: Company) -> CompanyNames:
    return CompanyNames([company])


def asked_years(question: str) -> tuple[int, ...]:
    """The years that the question names, each once, in its order."""
    return tuple(dict.fromkeys(int(y) for y in _YEAR.findall(question)))
