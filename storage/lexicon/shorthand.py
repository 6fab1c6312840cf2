"""What people shorten and spell out in questions: "twenty twenty two", "YE22", "31/03/22", "TA", "tot. assets"."""

import re

from storage.lexicon.calendar import ENGLISH_NAMES
from storage.lexicon.names import DEMONYMS
from storage.lexicon.words import any_of, expression

_UNITS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_TEENS = [
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = {"twenty": 20, "thirty": 30}
_MONTHS = any_of(ENGLISH_NAMES)
_MONTH_NAMES = {number: name.title() for name, number in ENGLISH_NAMES.items()}
_UNDER_100 = rf"(?:(?:{'|'.join(_TENS)})(?:[ -](?:{'|'.join(_UNITS)}))?|{'|'.join(_TEENS)})"
_YEAR = expression(
    rf"\b(?:twenty|two[ -]thousand(?:[ -]and)?)[ -](?P<rest>{_UNDER_100})\b"
    rf"|\btwo[ -]thousand(?:[ -]and)?[ -](?P<unit>{'|'.join(_UNITS)})\b",
    re.IGNORECASE,
)
_FISCAL = expression(
    rf"\b(?P<lead>(?:fiscal|financial|fy)(?: year)?|year ended(?: in)?(?: (?:{_MONTHS}))?) (?P<rest>{_UNDER_100})\b",
    re.IGNORECASE,
)
_YEAR_END = expression(
    r"\b(?:YE|EOY)[ '-]?(?P<year>(?:20)?\d\d)\b|\byear[ -]?end '?(?P<short>\d\d)\b", re.IGNORECASE
)
_ENDED = expression(
    rf"\b(?:FYE|Y/?E)(?=:? (?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)? (?:of )?)?(?:{_MONTHS})\b)", re.IGNORECASE
)  # before a month's name
_TURN = expression(r"\bturn of the year (?P<year>20\d\d)[/-](?:20)?\d\d\b", re.IGNORECASE)
_FISCAL_CODE = expression(r"\b(?P<code>FY ?'?(?:20)?\d\d)[AE]\b", re.IGNORECASE)
_SLASHED = expression(
    r"\b(?P<first>\d{1,2})(?P<sign>[/.-])(?P<second>\d{1,2})(?P=sign)'?(?P<year>\d\d)\b(?![/.\-\d])"
)
# Only in capitals: in small letters, or as a part of a name, they are something else.
_CAPITALS = {
    **{
        "TA": "total assets",
        "TL": "total liabilities",
        "SHE": "shareholders' equity",
        "TSE": "total shareholders' equity",
    },
    **{"NI": "net income", "OI": "operating income", "GP": "gross profit", "NII": "net interest income"},
    **{
        "PBT": "profit before tax",
        "PAT": "profit after tax",
        "OCF": "operating cash flow",
        "CFFO": "operating cash flow",
    },
    **{
        "LPS": "loss per share",
        "LT": "long-term",
        "ST": "short-term",
        "FTEs": "full-time employees",
        "HC": "headcount",
    },
    "NCI": "non-controlling interests",
    "SG&A": "selling, general and administrative expenses",
    "G&A": "general and administrative expenses",
    "S&M": "sales and marketing expenses",
    "D&A": "depreciation and amortization",
}
# In any letters, each as a pattern of one or several words.
_SHORTENED = {
    r"tot|totl|ttl": "total",
    r"t/assets": "total assets",
    r"assts?|asts": "assets",
    r"(?:stk|st|sh|share|stock)?h(?:o)?ldrs'?|s/h(?=\s)|shs'": "shareholders'",
    r"eqty|(?<=shareholders' )eq|(?<=total )eq|(?<=sh )eq": "equity",
    r"liabs?": "liabilities",
    r"revs?": "revenue",
    r"(?<=net )inc|(?<=operating )inc|(?<=interest )inc": "income",
    r"op(?:er|g)?\b(?=\.? (?:income|inc|profit|loss|cash|cf|result|margin))": "operating",
    r"(?<=operating )cf|cf(?= from)|cash ?fl\b": "cash flow",
    r"(?<=operating )cashflows?": "cash flow",
    r"bal\.? ?sht?|b/s": "balance sheet",
    r"(?:p|per) ?/ ?sh(?:are)?|/sh(?:are)?|per sh\b": "per share",
    r"divs?|dvd": "dividend",
    r"empl?s": "employees",
    r"capx": "capex",
    r"curr\.? port": "current portion",
    r"bsc": "basic",
    r"adj": "adjusted",
    r"avg|av\.(?= )": "average",
    r"yr": "year",
    r"yrs": "years",
    r"ppl": "people",
    r"employd|empld": "employed",
    r"npat": "net profit after tax",
    r"acqs?": "acquisitions",
    r"eoy": "year-end",
    r"n/r": "non-recurring",
    r"(?<=[a-z] )'?n'?(?= [a-z])": "and",
    r"(?:that (?:is|are|falls?) )?(?:not|n't) (?:falling )?(?:due|payable|repayable) (?:with)?in (?:a|one|1|12|twelve)"
    r" (?:year|months)": "long-term",
    r"(?:that (?:is|are|falls?) )?(?:due|payable|repayable) (?:only )?(?:after|beyond|in) more than (?:a|one|1|12"
    r"|twelve) (?:year|months)": "long-term",
    **{rf"{asked}s": f"{asked} is" for asked in ("who", "what", "how", "where", "when")},
}
# What is counted or earned in a country: "US staff", "German net sales"; not "US dollar revenue", "Swiss Water sales".
_OF_A_COUNTRY = expression(
    rf"(?<![\w&.-])(?:{'|'.join(f'(?P<c{n}>{said})' for n, said in enumerate(DEMONYMS.values()))}) "
    r"(?P<what>(?!dollars?\b|GAAP\b)(?:[a-z]+ )?(?:employees|staff|head ?count|workforce|work force|personnel|workers"
    r"|people|hires|revenues?|sales|turnover|income|profits?|earnings|assets|deposits|loans|customers|stores|branches"
    r"|subsidiar(?:y|ies)|operations))\b(?! tax)"
)
_IN_CAPITALS = expression(rf"(?<![\w&:$.])(?:{any_of(_CAPITALS)})(?![\w&:-])")
_IN_ANY_LETTERS = [
    (expression(rf"(?<![\w'])(?:{short})(?:\.(?=[\s,)]))?(?!\w)", re.IGNORECASE), word)
    for short, word in _SHORTENED.items()
]
_MONTH_AND_YEAR = expression(
    r"(?<![\d/.-])\b(?:(?P<lead>FYE?|YE) ?)?(?P<month>0?[1-9]|1[0-2])(?P<sign>[/-])(?:20)?(?P<year>1[5-9]|2\d)\b"
    r"(?![/.\d-])",
    re.IGNORECASE,
)
_SHORT_YEAR = expression(
    r"\b(?P<lead>in|for|during|end(?: of)?|late|early|vs|versus) (?P<year>1[5-9]|2\d)"
    r"(?=\s{0,3}(?:[?!;)]|[.,](?:\s|$)|$)|\s(?:vs|versus|annual|report|full year)\b)",
    re.IGNORECASE,
)
_BEHIND_A_FIGURE = expression(
    r"\b(?P<figure>earnings|income|profit|loss|revenues?|sales|assets|equity|debt|capex|cash|flow|eps|dividends?|ebitda?"
    r"|employees|headcount|staff|turnover|liabilities) '?(?P<year>1[5-9]|2\d)(?=\s{0,3}[?!.]?\s{0,3}$)",
    re.IGNORECASE,
)  # "net earnings 22?"
_SHORT_SPAN = expression(
    r"(?P<lead>\b(?:cagr|growth|trend|change|development|from|between|over|fy|cy) ?'?)(?P<first>1\d|2\d)"
    r"(?P<joint> ?(?:[-–/]| to | and ) ?)'?(?P<last>1\d|2\d)(?=\s{0,3}(?:[?!,;:).]|$|\s))"
    r"(?! ?(?:%|per ?cent|m\b|bn\b))",
    re.IGNORECASE,
)  # "CAGR 20-22"
_OF_NAMES = ("first ", "pan ", "anglo ", "british ", "great ", "native ", "new ")  # before "American"
_WITH_AN_ARTICLE = ("United", "Netherlands", "European Union")
_NOTE = 5  # words; so short a text in capitals is a note, with its abbreviations: "RBA NI FY2022"
_LATEST_MONTH, _LATEST_DAY = 12, 31
_DECADE = 10


def in_figures(text: str) -> str:
    """The text with its spoken and shortened years and days in figures; else as it is."""
    text = _YEAR.sub(
        lambda m: str(2000 + (_under_100(m["rest"]) if m["rest"] else 1 + _UNITS.index(m["unit"].lower()))), text
    )
    text = _FISCAL.sub(lambda m: f"{m['lead']} {2000 + _under_100(m['rest'])}", text)
    text = _ENDED.sub("year ended", text)
    text = _YEAR_END.sub(lambda m: f"year-end 20{(m['year'] or m['short'])[-2:]}", text)
    text = _TURN.sub(lambda m: f"year-end {m['year']}", text)
    text = _FISCAL_CODE.sub(lambda m: m["code"], text)
    text = _SHORT_SPAN.sub(_with_both_years, text)
    text = _BEHIND_A_FIGURE.sub(lambda m: f"{m['figure']} 20{m['year']}", text)
    text = _SHORT_YEAR.sub(lambda m: f"{m['lead']} 20{m['year']}", text)
    return _MONTH_AND_YEAR.sub(_month_and_year, _SLASHED.sub(_with_century, text))


def _with_both_years(found: re.Match[str]) -> str:
    """Both years of a span in full, where the later one comes last."""
    if int(found["first"]) >= int(found["last"]):
        return found[0]
    return f"{found['lead']}20{found['first']}{found['joint']}20{found['last']}"


def written_out(text: str) -> str:
    """The text with what book-keepers shorten in full: "TA" is "total assets", "tot shldrs eq" their equity."""
    if not text.isupper() or len(text.split()) <= _NOTE:
        text = _IN_CAPITALS.sub(lambda m: _CAPITALS[m[0]], text)
    for short, word in _IN_ANY_LETTERS:
        text = short.sub(word, text)
    return _OF_A_COUNTRY.sub(_in_its_country, text)


def _in_its_country(found: re.Match[str]) -> str:
    """Write "US staff" as "staff in the United States"; "First American sales" are of a company of that name."""
    if found.string[: found.start()].lower().endswith(_OF_NAMES):
        return found[0]
    named = next(country for n, country in enumerate(DEMONYMS) if found[f"c{n}"])
    return f"{found['what']} in {'the ' * named.startswith(_WITH_AN_ARTICLE)}{named}"


def _under_100(spoken: str) -> int:
    first, *rest = re.split(r"[ -]", spoken.lower())
    if first in _TENS:
        return _TENS[first] + (1 + _UNITS.index(rest[0]) if rest else 0)
    return _DECADE + _TEENS.index(first)


def _month_and_year(found: re.Match[str]) -> str:
    """Write "12/22" and "FYE 3-22" with the name of the month; only behind its lead may a hyphen stand in it."""
    if found["sign"] == "-" and not found["lead"]:
        return found[0]
    return f"{'year ended ' if found['lead'] else ''}{_MONTH_NAMES[int(found['month'])]} 20{found['year']}"


def _with_century(found: re.Match[str]) -> str:
    """Only what can be a day and a month in either order is a date: "31/03/22", "12/31/22"."""
    first, second = int(found["first"]), int(found["second"])
    small, large = min(first, second), max(first, second)
    if not (1 <= small <= _LATEST_MONTH and large <= _LATEST_DAY):
        return found[0]
    day, month = (first, second) if second <= _LATEST_MONTH else (second, first)
    return f"20{found['year']}-{month:02d}-{day:02d}"
