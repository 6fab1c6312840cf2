"""The 29 companies of the real reports, as people write their names, among strangers and invented ones.

200 variants of the names are made by rules and a seed, and 25 names of companies that are not there.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from query_engines.company_names.matcher import CompanyNames
from query_engines.company_names.vocabulary import name_key, without_forms
from query_engines.routing.model_reader import CANDIDATES
from storage.records.reports import Company

SEED, EACH, MANY = 11, 25, 10_000
Outcome = Literal["right", "offered", "not offered", "wrong"]
TICKERS = {
    "Aptevo Therapeutics Inc.": "APVO",
    "Odyssey Gold Limited": "ODY",
    "NextNav Inc.": "NN",
    "OFX Group Limited": "OFX",
    "Ocugen, Inc.": "OCGN",
    "Bionano Genomics, Inc.": "BNGO",
    "Commerzbank": "CBK",
    "Ritchie Bros. Auctioneers Incorporated": "RBA",
    "Bridgewater Bancshares, Inc.": "BWB",
    "Rapid7": "RPD",
    "ARCA Biopharma, Inc.": "ABIO",
    "Armadale Capital Plc": "ACP",
    "abrdn Japan Investment Trust plc": "AJIT",
    "SWISS WATER DECAFFEINATED COFFEE INC.": "SWP",
    "Verrica Pharmaceuticals Inc.": "VRCA",
    "CoreCard Corporation": "CCRD",
    "NeoGenomics, Inc.": "NEO",
    "Holley Inc.": "HLLY",
    "Tradition": "CFT",
    "ENRG ELEMENTS LIMITED": "EEL",
    "BAKER STEEL RESOURCES TRUST LIMITED": "BSRT",
    "TransUnion": "TRU",
    "TSX_Y": "",
    "Mercia Asset Management PLC": "MERC",
    "Tower Semiconductor Ltd.": "TSEM",
    "Creative Media & Community Trust Corporation": "CMCT",
    "CrossFirst Bank": "CFB",
    "First Mid Bancshares, Inc.": "FMBH",
    "Safe & Green Holdings Corp.": "SGBX",
}
_QUESTIONS = (
    "What was the total revenue of {} in 2022?",
    "Did {} announce a share buyback plan in the annual report?",
    "Who is the CEO of {}?",
    "How many employees does {} have?",
    "{} net income 2022",
    "For {}, what was the value of total assets (in USD) at the end of the period?",
)
_QUESTIONS_POSSESSIVE = (
    "What was {} revenue in 2022?",
    "How did {} net income develop?",
    "What are {} total assets?",
)
_QUESTIONS_OF_TWO = (
    "Compare the revenue of {} with that of {}.",
    "Which had more employees, {} or {}?",
    "Did {} earn more than {} in 2022?",
)
_TRADES = """
Energy Foods Software Mining Bank Pharma Logistics Media Capital Steel Water Robotics Textiles Labs Holdings Gold
Resources Bancshares Semiconductor Therapeutics Trust Partners Systems Metals Insurance Motors Airlines Paper
"""
_FORMS = ("Inc.", "Corp.", "plc", "AG", "Limited", "N.V.", "SA", "Holdings, Inc.", "Group plc", "Company", "Ltd.")
_WORDS = """
First United General National Global Tower Safe Creative Swiss Core Next Cross Rapid Open Target Square Gap Block
Match Shell Apple Union Trust Blue Green Red North South East West Summit Pioneer Liberty Atlantic Pacific Crown
"""
_SYLLABLES = "al bar cor del en far gol hel in jor kel lum mar nov or pel quin ras sol tar ul vel wes xen yor zan"


@dataclass(frozen=True)
class Variant:
    """A question with a company as somebody might write it.

    Attributes:
        wanted: the companies meant, in their order; none where a stranger is named.
    """

    kind: str
    text: str
    wanted: tuple[str, ...]


def known_companies() -> list[Company]:
    """The 29, with tickers."""
    return [Company(name=name, aliases=(ticker,) if ticker else ()) for name, ticker in TICKERS.items()]


def padded(count: int) -> list[Company]:
    """The 29 among invented companies, some of which begin with the same words, `count` in all."""
    rng = random.Random(SEED)
    words, trades, syllables = _WORDS.split(), _TRADES.split(), _SYLLABLES.split()
    found = {c.name: c for c in known_companies()}
    taken = set(TICKERS.values())
    while len(found) < count:
        made = "".join(rng.choices(syllables, k=rng.randint(2, 3))).capitalize()
        first = rng.choice(words) if rng.random() < 0.3 else made
        middle = rng.choice([*words, made]) if rng.random() < 0.5 else ""
        name = " ".join(filter(None, (first, middle, rng.choice(trades), rng.choice(_FORMS))))
        ticker = "".join(rng.choices("ABCDEFGHIJKLMNOPQRSTUVWXYZ", k=rng.randint(3, 4)))
        aliases = (ticker,) if rng.random() < 0.5 and ticker not in taken else ()
        found.setdefault(name, Company(name=name, aliases=aliases))
    return sorted(found.values(), key=lambda c: c.name)


def variants() -> list[Variant]:
    """25 of each kind; the same each time."""
    rng = random.Random(SEED)
    makers: dict[str, Callable[[str], str | None]] = {
        "legal form dropped": _formless,
        "small letters": lambda name: rng.choice([name, _formless(name) or name]).lower(),
        "one slip": lambda name: _slip(name, rng),
        "ticker": lambda name: TICKERS[name] or None,
        "possessive": lambda name: f"{(_formless(name) or name).rstrip('.')}'s",
        "first words": lambda name: _first_words(name, rng),
        "other signs": _other_signs,
    }
    found = []
    for kind, write in makers.items():
        written = [(name, text) for name in rng.sample(list(TICKERS), len(TICKERS)) if (text := write(name))]
        wordings = _QUESTIONS_POSSESSIVE if kind == "possessive" else _QUESTIONS
        found += [Variant(kind, rng.choice(wordings).format(text), (name,)) for name, text in (written * 2)[:EACH]]
    for _ in range(EACH):
        one, two = rng.sample(list(TICKERS), 2)
        text = rng.choice(_QUESTIONS_OF_TWO).format(
            _formless(one) or one, rng.choice([two, _formless(two) or two])
        )
        found.append(Variant("two companies", text, (one, two)))
    return found


def strangers() -> list[Variant]:
    """Questions about companies that begin like one of the 29, and are none of them."""
    rng = random.Random(SEED)
    found = []
    for name in rng.sample(list(TICKERS), EACH):
        first = name.split()[0].rstrip(",")
        stranger = f"{first} {rng.choice(['Hughes', 'Aviation', 'Shipyards', 'Kowalski'])}"
        text = rng.choice(_QUESTIONS).format(stranger + rng.choice(["", " Inc.", " Ltd"]))
        found.append(Variant("a stranger", text, ()))
    return found


def outcome(variant: Variant, names: CompanyNames) -> Outcome:
    """A part of what was meant, or anything else, is wrong; a question back is not."""
    read = names.read(variant.text)
    named = tuple(m.company.name for m in read.mentions)
    if not read.unclear and named == variant.wanted:
        return "right"
    if read.unclear or len(named) != 1:
        offered = {c.name for c in read.companies[:CANDIDATES]} or set(names.nearest(variant.text))
        return "offered" if offered.issuperset(variant.wanted) else "not offered"
    return "wrong"


def _formless(name: str) -> str | None:
    """The name as printed, without its legal form; None where it has none."""
    words = name.split()
    short = (without_forms(name_key(name)) or [name_key(name)])[-1]
    while len(words) > 1 and name_key(" ".join(words)) != short:
        words.pop()
    text = " ".join(words).rstrip(",")
    return text if text != name else None


def _slip(name: str, rng: random.Random) -> str | None:
    word = rng.choice([w for w in (_formless(name) or name).split() if len(w) > 3] or [""])
    if not word:
        return None
    at = rng.randrange(1, len(word) - 1)
    letter = rng.choice("aeilnorst")
    slipped = rng.choice(
        [
            word[:at] + word[at + 1 :],
            word[:at] + letter + word[at:],
            word[:at] + letter + word[at + 1 :],
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        ]
    )
    return name.replace(word, slipped, 1) if slipped.lower() != word.lower() else None


def _first_words(name: str, rng: random.Random) -> str | None:
    words = (_formless(name) or name).replace(",", "").rstrip(".").split()
    longest = len(words) - 1
    return " ".join(words[: rng.randint(1, longest)]).removesuffix(" &").rstrip(".") if longest else None


def _other_signs(name: str) -> str | None:
    changed = name.replace("&", "and") if "&" in name else name.replace(",", "").replace(".", "")
    if changed == name:
        changed = name.replace("Limited", "Ltd.").replace("LIMITED", "LTD").replace("Plc", "P.L.C.")
    return changed if changed != name else None
