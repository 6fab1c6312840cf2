"""What a question searches for, without what every question says."""

import re

from query_engines.company_names import CompanyNames
from storage.reports import Company
from storage.text import plain

_BOILERPLATE = re.compile(
    r"""
      if\ (?:the\ )?data\ (?:is|are)\ not\ available.*$
    | if\ there\ is\ no\ mention.*$
    | give\ me\ the\ title.*$
    | \(?\b(?:with)?in\ the\ last\ period\ or\ at\ the\ end\ of\ the\ last\ period\)?
    | \bat\ the\ end\ of\ the\ period\ listed\ in\ (?:the\ )?annual\ report
    | \b(?:according\ to|as\ mentioned\ in|listed\ in|in)\ the\ annual\ report
    | \(in\ [A-Z]{3}\)
    | ^for\ *,\ *
    | ^(?:what|which|who|how)\ (?:is|was|were|are|did|much|many)\ (?:the\ )?(?:value\ of\ )?
    | \b(?:for|of|at|by|in)\b\s*(?=[?.,]|$)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_CURRENCY = re.compile(
    r"\bin (?P<code>USD|EUR|GBP|JPY|CHF|AUD|CAD|NZD|SEK|NOK|DKK|CNY|RMB|HKD|SGD|INR|ILS|ZAR|BRL|MXN|KRW|PLN|TRY)\b"
)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


def search_text(question: str, company: Company) -> str:
    """The question without its company and without boilerplate; the whole question if nothing is left."""
    text = plain(question)
    for mention in CompanyNames([company]).mentions(text):
        text = re.sub(rf"[\"']?{re.escape(mention.words)}\.?[\"']?(?:'s\b)?", " ", text)
    text = " ".join(text.split())
    for _ in range(2):  # taking a phrase out may bring another to an end of the text
        text = " ".join(_BOILERPLATE.sub(" ", text).split()).strip(" ?.,")
    return text or question


def asked_currency(question: str) -> str | None:
    """The ISO code that the question names ("in USD"), or None."""
    match = _CURRENCY.search(question)
    return match["code"] if match else None


def asked_year(question: str) -> int | None:
    """The only year that the question names, or None."""
    years = {int(y) for y in _YEAR.findall(question)}
    return years.pop() if len(years) == 1 else None
