"""A question that compares, brought down to its form: companies numbered, time and currency set aside."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from query_engines.asked_currency import asked_currency, without_currency
from query_engines.comparison.phrases import HEAD
from query_engines.search_text import TIME

_ASIDE = re.compile(
    r"""
      \bif\ (?:the\ )?data\b.*$ | \bif\ (?:only\ )?one\ company.*$ | \bif\ there\ is\ no\ mention.*$
    | \bgive\ me\ the\ title.*$ | \breturn\ .*$
    | \s*\(?\b(?:with)?in\ the\ last\ period\ or\ at\ the\ end\ of\ the\ last\ period\)?
    | \s*\bat\ the\ end\ of\ the\ (?:(?:reporting|last|latest)\ )?period
      (?:\ listed\ in\ (?:the|their)?\ ?annual\ reports?)?
    | \s*\b(?:according\ to|as\ mentioned\ in|listed\ in|in)\ (?:the|their)\ (?:latest\ |last\ )?annual\ reports?
    | \s*\(in\ [A-Z]{3}\)
    """,
    re.VERBOSE | re.IGNORECASE,
)
LIST = re.compile(
    r"(?:\b(?:both|either) )?@\d+(?:'s)?(?:(?:\s*[,;/]\s*|\s+)(?:(?:and|or|&|vs\.?|versus|nor) )?(?:of )?@\d+(?:'s)?)+"
)
_ONE_LISTED = re.compile(r"(?<=: )@\d+$")
_LIST_AT_END = re.compile(
    r"[\s,:;(-]*(?:\b(?:of|among|amongst|between|out of|for|from|in|at|by) )?@L(?:'s)?\s*\)?$", re.I
)
_LIST_FIRST = re.compile(r"^(?:of|among|amongst|between|out of|for|comparing) @L\s*[,:]?\s*", re.I)
_AFTER_HEAD = re.compile(rf"^(?P<head>{HEAD})(?: (?:of|among|between|out of|from))?,? @L,?(?= )", re.I)


@dataclass(frozen=True)
class Core:
    """A question brought down to its form.

    Attributes:
        text: companies as "@0", the first list of them as "@L", without time, currency and what is said each time.
        bare: the text without the list at its end or beginning.
        when: the time as it stood, with a space before it.
        listed: positions of the parties in the list.
    """

    text: str
    bare: str
    when: str
    currency: str | None
    listed: tuple[int, ...]
    by_or: bool


def read_core(text: str) -> Core:
    """The form of a text whose companies are numbered."""
    currency = asked_currency(text)
    whole_words = re.sub(r"\b(what|who)'s\b", r"\1 is", text, flags=re.IGNORECASE)
    short = without_currency(_ASIDE.sub(" ", whole_words))
    whens = [m[0].strip() for m in TIME.finditer(short)]
    short = tidy(TIME.sub(" ", short))
    found = LIST.search(short) or _ONE_LISTED.search(short)
    if found is None:
        return Core(short, short, _when(whens), currency, (), by_or=False)
    positions = tuple(dict.fromkeys(map(int, re.findall(r"@(\d+)", found[0]))))
    whole = tidy(f"{short[: found.start()]}@L{short[found.end() :]}")
    bare = _AFTER_HEAD.sub(r"\g<head>", whole)
    bare = tidy(_LIST_FIRST.sub("", _LIST_AT_END.sub("", bare)).replace(", @L,", ""))
    return Core(whole, bare, _when(whens), currency, positions, by_or=re.search(r"\bor\b", found[0]) is not None)


def tidy(text: str) -> str:
    """The text without what is left around a phrase that was taken out: spaces, doubled and outer signs."""
    text = re.sub(r"\s+([,:;?.])", r"\1", " ".join(text.split()))
    return re.sub(r"[,:;](?=[,:;])", "", text).strip(" ,:;?.!-")


def _when(said: Sequence[str]) -> str:
    return f" {said[-1]}" if said else ""
