"""Company names in print: legal forms, spellings, and the position in a line."""

import re
from collections import defaultdict

_FORMS = (
    r"incorporated|inc|corporation|corp|company|co|p\.?l\.?c|limited|ltd|l\.?l\.?c|l\.?p|n\.?v|b\.?v|s\.?a\.?u?|s\.?e"
    r"|a\.?g|kgaa|gmbh|aktiengesellschaft|ab|asa|a/s|oyj|abp|s\.?p\.?a|k\.?k|berhad|bhd|tbk|s\.?c\.?a|pjsc"
    r"|soci[eé]t[eé] anonyme"
)
_FORM_END = re.compile(rf"(?i)(?:^|[\s,])(?:{_FORMS})\.?$")
_FORM_IN_TEXT = (
    r"(?:Incorporated|INCORPORATED|Corporation|CORPORATION|PLC|Plc|plc|Limited|LIMITED|LLC|SA|SE|AG|NV|KGaA"
    r"|Aktiengesellschaft|AB|ASA|A/S|Oyj|SpA|Berhad|BERHAD|(?:Inc|INC|Corp|CORP|Ltd|LTD|Bhd|N\.V|S\.A|S\.p\.A)\.?)(?!\w)"
)
_WORD = r"(?:[A-Z][\w&.'+/-]*|[a-z]{1,6}[A-Z]\w*|\d[\w&'-]*)"
_JOINT = r"(?:&|and|of|de|du|des|la|le|del|for|the)"
_IN_TEXT = re.compile(rf"(?<![\w&])({_WORD}(?:,?\s(?:{_JOINT}\s)?{_WORD}){{0,7}}?),?\s({_FORM_IN_TEXT})")
_TAIL = re.compile(
    r"(?i)\s*(?:,?\s*(?:and|&) (?:its |their )?(?:(?:wholly[- ]owned |consolidated )?subsidiar(?:y|ies)"
    r"|controlled entities)(?: compan(?:y|ies))?|\(continued\)|\(formerly\b.*|\(the .*)\s*$"
)
_NOT_A_NAME = re.compile(
    r"(?i)\b(?:annual report|accounts|form 10|audit|contents|directors|statement|report|securities and exchange"
    r"|registrar|solicitor|stock exchange|trading symbol|subsidiar|trustee)"
)
_SHORTENED = re.compile(r"(?i)(?:\b(?:inc|corp|ltd|bhd|co|bros)|\b\w\.\w)\.$")
_LETTER_SPACED = re.compile(r"^(?:\S )+\S$")
_MOST_WORDS = 10


def has_legal_form(name: str) -> bool:
    """Whether it ends with Inc., Limited, plc, SA and the like."""
    return bool(_FORM_END.search(name.strip()))


def name_key(name: str) -> str:
    """A key that is equal for all spellings of a name: case, points, "the", "&" and the legal form do not count."""
    text = _TAIL.sub("", name).strip(" ,.")
    while (shorter := _FORM_END.sub("", text).strip(" ,.")) and shorter != text:
        text = shorter
    words = re.findall(r"[^\W_]+", text.lower().replace("&", " and ").replace(".", "").replace("'", ""))
    return " ".join(words[1:] if words[:1] == ["the"] else words)


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
    text = re.split(r"(?i)\s*[(;:]|,? (?:and its|and subsidiaries|on the|report on|opinion)\b", text)[0].strip(
        " ,"
    )
    if not text or not (text[0].isupper() or text[0].isdigit() or re.match(r"[a-z]+[A-Z]", text)):
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
