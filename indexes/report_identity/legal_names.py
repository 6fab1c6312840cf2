"""Company names in print: legal forms, spellings, and the position in a line."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from storage.lexicon.names import ABBREVIATED_FORM, FORM, FORM_IN_SENTENCES, form_code
from storage.lexicon.words import expression
from storage.records.reports import Company

_FORM_END = expression(rf"(?i)(?:^|[\s,])(?P<form>{FORM})\.?$")
_WORD = r"(?:[A-Z][\w&.'+/-]{0,40}|[a-z]{1,6}[A-Z]\w{0,40}|\d[\w&'-]{0,40})"
_JOINT = r"(?:&|and|of|de|du|des|la|le|del|for|the)"
_IN_TEXT = expression(rf"(?<![\w&])({_WORD}(?:,?\s(?:{_JOINT}\s)?{_WORD}){{0,7}}?),?\s({FORM_IN_SENTENCES})(?!\w)")
_TAIL = expression(
    r"(?i)(?:,?\s?(?:and|&) (?:its |their )?(?:(?:wholly[- ]owned |consolidated )?subsidiar(?:y|ies)"
    r"|controlled entities)(?: compan(?:y|ies))?|\(continued\)|\(formerly\b.{0,200}|\(the .{0,200})\s*$"
)
_NOT_A_NAME = expression(
    r"(?i)\b(?:annual report|accounts|form 10|audit|contents|directors|statement|report|securities and exchange"
    r"|registrar|solicitor|stock exchange|trading symbol|subsidiar|trustee)"
)
_SHORTENED = expression(rf"(?i)(?:\b(?:{ABBREVIATED_FORM}|bros)|\b\w\.\w)\.$")
_LETTER_SPACED = expression(r"^(?:\S )+\S$")
_MOST_WORDS = 10


def has_legal_form(name: str) -> bool:
    """Whether it ends with Inc., Limited, plc, SA and the like."""
    return bool(_FORM_END.search(name.strip()))


@dataclass(frozen=True)
class NameIdentity:
    """What tells one company's name from another's.

    Attributes:
        words: the same for every spelling: case, points, "the", "&" and the legal form do not count.
        form: the code of the legal form at its end, "" where it has none; "Co. Ltd." is a Limited.
    """

    words: str
    form: str

    def may_be(self, other: "NameIdentity") -> bool:
        """The same name, where a legal form that is left out may be any."""
        return self.words == other.words and (self.form == other.form or not self.form or not other.form)


def identity_of(name: str) -> NameIdentity:
    """The identity of a name: "Tower Ltd" and "TOWER LIMITED" have one, "Tower Corporation" another."""
    text, form = _TAIL.sub("", name).strip(" ,."), ""
    while (found := _FORM_END.search(text)) and (shorter := text[: found.start()].strip(" ,.&")):
        form = form or form_code(found["form"]) or ""
        text = shorter
    words = re.findall(r"[^\W_]+", text.lower().replace("&", " and ").replace(".", "").replace("'", ""))
    return NameIdentity(" ".join(words[1:] if words[:1] == ["the"] else words), form)


def name_key(name: str) -> str:
    """The words of a name's identity: all that counts where the legal form does not."""
    return identity_of(name).words


class KnownNames:
    """The names of known companies, by which a report's company is found among them.

    Companies whose names differ only by their legal form are two. A name without its form is the one company that it
    can be, or none of them.
    """

    def __init__(self, companies: Iterable[Company] = ()) -> None:
        self._owners: dict[str, dict[str, str]] = {}
        known = list(companies)
        for company in known:
            self.add(company.name, company.name)
        for company in known:
            words = set(name_key(company.name).split())
            for alias in company.aliases:
                # A part of a name stands for it in a question; as a report's full name it is another company's.
                if not set(name_key(alias).split()) < words:
                    self.add(alias, company.name)

    def add(self, name: str, company: str) -> None:
        """Take a name as that of a company, unless it is another company's already."""
        identity = identity_of(name)
        self._owners.setdefault(identity.words or name, {}).setdefault(identity.form, company)

    def find(self, name: str) -> str | None:
        """The company that surely has this name; None where none has, or several may."""
        identity = identity_of(name)
        owners = self._owners.get(identity.words or name, {})
        if identity.form in owners:
            return owners[identity.form]
        if identity.form:
            return owners[""] if list(owners) == [""] else None
        return owners[next(iter(owners))] if len(set(owners.values())) == 1 else None


def whole_name(line: str) -> str | None:
    """The line, if it is nothing but a company's full name."""
    text = _without_full_stop(_TAIL.sub("", line).strip(" ,;:*"))
    words = text.split()
    if not 1 < len(words) <= _MOST_WORDS or not has_legal_form(text) or _NOT_A_NAME.search(text):
        return None
    if _LETTER_SPACED.match(text) or re.search(r"[:;@()?!]|\bwas\b|\bis\b|\bby\b", text):
        return None
    lower = [w for w in words[1:-1] if w[0].islower() and not re.fullmatch(_JOINT, w)]
    return None if lower else text


def names_in(text: str) -> list[str]:
    """Full names with a legal form in running text."""
    return [f"{text[m.start(1) : m.end()]}" for m in _IN_TEXT.finditer(text)]


def addressed_name(text: str) -> str | None:
    """The name at the start of a longer text; it ends with the legal form, if there is one."""
    text = _without_full_stop(_TAIL.sub("", text).strip(" ,;:*"))
    text = re.split(r"(?i)[(;:]|,? (?:and its|and subsidiaries|on the|report on|opinion)\b", text)[0].strip(" ,")
    if not text or not (text[0].isupper() or text[0].isdigit() or re.match(r"[a-z]{1,40}[A-Z]", text)):
        if has_legal_form(text) and len(text.split()) <= _MOST_WORDS:
            return text
        return None
    found = names_in(text)
    if found and text.startswith(found[0]):
        return found[0]
    words = text.split()
    if len(words) <= 6 and all(w[0].isupper() or w[0].isdigit() or re.fullmatch(_JOINT, w) for w in words):
        return text
    return None


def readable_spelling(spellings: dict[str, float]) -> str:
    """The spelling to show: the one with the greatest weight, not in capitals if mixed case is printed too."""
    weights: defaultdict[str, float] = defaultdict(float)
    for name, weight in spellings.items():
        weights[_letters(name)] += weight
    most = max(weights.values())
    return max(
        spellings,
        key=lambda n: (weights[_letters(n)] == most, not n.isupper(), n.endswith("."), spellings[n], n),
    )


def _without_full_stop(text: str) -> str:
    return text if _SHORTENED.search(text) else text.rstrip(".")


def _letters(name: str) -> str:
    return re.sub(r"[\W_]", "", name.lower())
