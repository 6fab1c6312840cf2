"""What the name of a person is in print: its letters and words, its spellings, and which of them are one person's."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from storage.lexicon.calendar import ENGLISH_MONTHS
from storage.lexicon.names import DEMONYMS
from storage.lexicon.words import common_words, expression
from storage.records.pages import Page
from storage.text import plain

HONOURS = r"(?:(?:Dr|Mr|Mrs|Ms|Prof|Professor|Sir|Dame|Lord)\.? )"
_UP, _LOW = "A-ZÀ-ÖØ-Þ", "a-zß-öø-ÿ"
_TITLE_WORD = (
    r"(?:President|Chief|Chair\w*|Directors?|Executive|Managing|Vice|Senior|Group|Interim|Acting|Founder|Co-"
    r"|Representative|Independent|Outside|External|Lead|Deputy|Corporate|Principal|Member|Officer|Partner"
    r"|Secretary|Treasurer|Head|Global|General|Counsel|Non-)"
)
NAME_PART = (
    rf"(?:[{_UP}]\.|[{_UP}][{_LOW}'’]+(?:-[{_UP}][{_LOW}]+)?|[A-Z]['’][{_UP}][{_LOW}]+|Mc[{_UP}][{_LOW}]+"
    rf"|Mac[{_UP}][{_LOW}]+|De[{_UP}][{_LOW}]+|Van[{_UP}][{_LOW}]+|[{_UP}][{_LOW}]+[{_UP}][{_LOW}]+"
    rf"|['‘\"(](?!{_TITLE_WORD}\b)[{_UP}][{_LOW}]+['’\")]|d[aeio]|del|della|dos|das|van|von|zu|ten|ter|der|den|la|le|du|bin|Jr\.?|III?)(?![{_UP}{_LOW}])"
)
NAME = (
    rf"{HONOURS}?(?P<name>(?:[A-Z]\. ?){{0,4}}[{_UP}][{_UP}{_LOW}'’-]{{0,30}}[{_LOW}]"
    rf"(?: (?!{_TITLE_WORD}\b){NAME_PART}){{1,4}})"
)
# Words of offices, headings, companies and dates, with which what looks like a name is none.
_NOT_OF_A_NAME = """
Chief Executive Officer Board Director Directors Company Group Annual Report President Chairman Chair Committee
Financial Limited Inc Corp Bank Corporation Principal Date By Name Title The Our Former Senior Vice Independent Non
Trust Capital Management Partners Act Section Table Contents Statement Statements Remuneration Governance Review
Strategic Corporate University Exchange Commission Form United States New Incorporated Holdings Plc PLC Pursuant
Certification Letter Message Secretary Managing Interim Accounting Operating Legal Shareholder Shareholders
Stockholder Stockholders Dear Sincerely Agreement Employment Award Plan Code Ethics This In As On For With When If
Each Under Note Notes Age Position Key Personnel Mr Ms Signature Signatures Registrant LLP International Global Total
Investor Relations Services Technologies Class Dated Media Deputy Head Advisor Manager Other Member Members Business
Performance Compensation Audit Risk Nomination Fee Fees Salary Base Bonus Share Option Options Executives Current
Founder And Fund Funds Equity Debt Venture Ventures Regional Investment Investments Asset Assets Property Properties
Telephone Email Website Effectiveness Development Sales Marketing Operations Strategy Technology Resources Region
Division
"""
_NO_NAMES = frozenset(_NOT_OF_A_NAME.split()).union(ENGLISH_MONTHS)
_OF_DEGREE = expression(r"\b(?:[MB](?:Com|Sc|Ec|Bus|Eng)|Hons|Pty|Ltd|LLC)\b")
_NAME = expression(NAME)
_HONOURS = expression(rf"^{HONOURS}")
NATIONALITY = rf"(?:{'|'.join(DEMONYMS.values())}|Israeli|Scottish|English)"
_NATIONALITY = expression(f" {NATIONALITY}$")
_SHOUTED = expression(r"\b(?:[A-Z][A-Z.'’-]{0,30}+ ){1,4}[A-Z][A-Z'’-]{2,30}\b|\b(?:CHAIR|[A-Z]{6,30})\b")
_WORD_SHOUTED = expression(r"\b[A-Z]{3,}\b")
_PARTICLE = expression(r"(?<= )(?:DE|DEL|DI|DER|DU|LA|LE|VAN|VON)(?= [A-Z]{2})")
_KEPT = ("CEO", "CFO", "COO", "MBA", "CPA", "FCA", "LLC", "PLC", "LLP")
_TIGHT_INITIAL = expression(r"(?<=\b[A-Z]\.)(?=[A-Z])")
_INITIAL = expression(r"\b[A-Z]\.")
_LONGEST = 45  # letters
_MOST_PARTS = 4


def may_be_name(name: str) -> bool:
    """Whether it can be the name of a person, by its words and their letters; beside an office that is enough."""
    parts = name.split()
    is_one = sum(len(part) > 1 and part[0].isupper() for part in parts) <= _MOST_PARTS
    is_plain = _NO_NAMES.isdisjoint(re.findall(r"[^\W\d_]+", name.replace("-", "")))  # "Cormier-May" is no month
    return is_one and is_plain and len(set(parts)) == len(parts) and len(name) < _LONGEST and not name.isupper()


def is_name(name: str) -> bool:
    """Whether it is a person's name, and not a heading of two ordinary words such as "Going Concern"."""
    words = [word.lower() for word in re.split(r"[\s-]", name)]
    are_common = {words[0], words[-1]} <= common_words() or (words[2:] and {*words[-2:]} <= common_words())
    are_common = are_common and not _INITIAL.search(name)
    return may_be_name(name) and not are_common and not _OF_DEGREE.search(name)


def in_mixed_case(text: str) -> str:
    """The text with names in capitals rewritten in mixed case, so that one rule reads both; it stays as long."""
    return _SHOUTED.sub(lambda run: _WORD_SHOUTED.sub(_cased, _PARTICLE.sub(_lower, run[0])), text)


def _lower(match: re.Match[str]) -> str:
    return match[0].lower()


def _cased(match: re.Match[str]) -> str:
    return match[0] if match[0] in _KEPT else match[0].title()


def bare_name(name: str) -> str:
    """A name with a space behind each initial, and without a nationality or its own repetition behind it."""
    name = _TIGHT_INITIAL.sub(" ", name.strip())
    name = _NATIONALITY.sub("", name) if len(name.split()) > 2 else name
    first, second = name[: len(name) // 2], name[len(name) // 2 + 1 :]
    return first if first == second else name  # below a signature it is printed again


def short_name(name: str) -> tuple[str, str]:
    """First and last name in lower case, without initials and titles of honour: the same for all spellings."""
    parts = [p.lower().strip(".,'’‘\"()") for p in re.sub(HONOURS, "", name).split()]
    long = [p for p in parts if len(p) > 1 and p not in ("jr", "sr", "ii", "iii")] or parts
    return long[0], long[-1]


def fullest(names: Sequence[str]) -> str:
    """The most frequent form of a name, among those with at most four parts and no repeated part."""
    counts = Counter(_HONOURS.sub("", name) for name in names)
    plain_forms = [n for n in counts if len(set(n.split())) == len(n.split()) <= _MOST_PARTS] or list(counts)
    return max(plain_forms, key=lambda n: (counts[n], len(n)))


def full_names(pages: Iterable[Page]) -> dict[str, str]:
    """The full name of each last name, where the pages have only one such person."""
    counts: dict[str, Counter[str]] = {}
    for text in (plain(block.text) for page in pages for block in page.blocks):
        for match in _NAME.finditer(text):
            if is_name(match["name"]):
                counts.setdefault(match["name"].split()[-1], Counter())[match["name"]] += 1
    return {
        last: names.most_common(1)[0][0]
        for last, names in counts.items()
        if len({name.split()[0] for name in names}) == 1 or names.most_common(1)[0][1] > 2
    }
