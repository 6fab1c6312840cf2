"""Decides which printed words are figures, and which belong to a figure."""

from functools import lru_cache

from storage.lexicon.calendar import MONTH_IN_FULL, SHORT_MONTH, YEAR
from storage.lexicon.money import CODE, SIGN
from storage.lexicon.words import expression
from storage.text import MARKS, plain

_NUMBER = r"\d{1,3}(?:[,.'’]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)*|[.,]\d+"
_FIGURE = expression(
    rf"^[(\[<]?\s*+[-−–‒+△▲]?\s*+(?:[A-Z]{{0,3}}{SIGN}|RMB|Rs\.?)?\s*+[(\[]?\s*+[-−–‒+△▲]?\s*+(?:{_NUMBER})"
    rf"\s*+(?:[%¢cpx]|cps|bps|[mkb]n?|pts?)?\s*+[)\]>]?\s*+%?(?:[*†‡^{MARKS}]+|\(\d\)|\([a-z]\))?$"
)
_PLACEHOLDER = expression(r"^\(?\s*+(?:[$€£]?\s*+[-−–‒—]+|n/?[am]|nil|\.{1}|N/?[AM]|Nil|NIL|NM)\s*+\)?%?$")
_CURRENCY = expression(rf"^\(?(?:[A-Z]{{0,3}}{SIGN}|{CODE})$")
_CLOSER = expression(rf"^(?:\)|%|\)%|%\)|\]|\(\d\)|\([a-z]\)|[*†‡{MARKS}]+|x|bps|pts?)$")
_SCALE_WORD = expression(r"^['’]?000s?$")
_DATE = expression(r"^\(?\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\)?$")
_PERIOD_WORDS = expression(
    rf"(?i)\b{YEAR}\b|\b(?:year|years|months|weeks|period|quarter|fy\d*|as (?:at|of)|ended)\b"
    rf"|\b(?:{MONTH_IN_FULL}|geschäftsjahr|vorjahr|exercice|ejercicio|esercizio)\b"
    rf"|{YEAR}年|(?:令和|平成)\d{{1,2}}年|会計年度|[当前上本]期|[上本]年|期[末初]余额"
    rf"|\b(?:{SHORT_MONTH})\b\.?[ -]?\d"
)
_LENGTH = expression(r"(?i)^[\d.,–-]++\s*+(?:to|-|–)?\s*+[\d.,]*+\s*+(?:years?|months?|weeks?)$")
_ANY_YEAR = expression(rf"(?<!\d){YEAR}(?!\d)")
_YEAR = expression(rf"^(?:FY)?{YEAR}(?:[/-]\d{{2,4}})?[*†‡{MARKS}]*$")
_REFERENCE = expression(r"^\(?\d{1,2}(?:\.\d{1,2})?\)?\(?[a-z]?\)?(?:\([a-z]+\))*[,;&]?$")
_PAGE_REFERENCE = expression(r"^\d{1,3}$")
_WORDS = 4_096  # that are remembered; a page asks several times about each of its own


@lru_cache(_WORDS)
def is_figure(text: str) -> bool:
    """Whether it is one printed number, with its brackets, sign, currency or percent sign; not a date."""
    return bool(_FIGURE.match(text)) and not _DATE.match(text) and not _SCALE_WORD.match(text)


def is_placeholder(text: str) -> bool:
    """Whether it stands in place of a figure: a dash, "n/a", "nil"."""
    return bool(_PLACEHOLDER.match(text))


@lru_cache(_WORDS)
def is_value(text: str) -> bool:
    """Whether it is a figure or stands in place of one."""
    return is_figure(text) or is_placeholder(text)


@lru_cache(_WORDS)
def opens(text: str) -> bool:
    """Whether it is a currency sign that belongs to the figure after it."""
    return bool(_CURRENCY.match(text))


@lru_cache(_WORDS)
def closes(text: str) -> bool:
    """Whether it is a bracket, percent sign or footnote mark that belongs to the figure before it."""
    return bool(_CLOSER.match(text))


@lru_cache(_WORDS)
def is_year(text: str) -> bool:
    """Whether it is a year as in a column header."""
    return bool(_YEAR.match(text))


@lru_cache(_WORDS)
def names_period(text: str) -> bool:
    """Whether the words name the period of a column; "3.5 years" is a duration, which is an amount."""
    text = plain(text)
    return not _LENGTH.match(text) and bool(_DATE.match(text) or _PERIOD_WORDS.search(text))


def count_years(text: str) -> int:
    """The number of years that a text names."""
    return len(_ANY_YEAR.findall(text))


def is_reference(text: str) -> bool:
    """Whether it is a note's number, such as "12", "4(a)" or "7.1"."""
    return bool(_REFERENCE.match(text))


def is_page_reference(text: str) -> bool:
    """Whether it is a page number in a table of contents."""
    return bool(_PAGE_REFERENCE.match(text))


def joined(parts: list[str]) -> str:
    """The parts of one figure as one text: signs without gaps, groups of digits with their printed spaces."""
    text = ""
    for part in parts:
        text += f" {part}" if text[-1:].isdigit() and part[:1].isdigit() else part
    return text
