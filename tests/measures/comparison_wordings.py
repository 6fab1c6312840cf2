"""How comparisons in people's own words are planned: `python -m tests.measures.comparison_wordings [HAND]`.

The questions of one writer (`set_aside_fresh` unless another is named) in `query_engines/training/over_years/` and
`among_companies/` get invented companies, figures of their language and years. Counted is whether the plan is the one
that the writer meant, none, or another; what it asks of each company or year is not answered.
"""

import argparse
import datetime as dt
import json
import random
import re
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from query_engines.training.linear import FOLDER
from storage.lexicon.words import SMALL_WORDS
from storage.records.questions import Question
from storage.records.reports import Company, Report
from tests.support.known_comparisons import parser_over, reader

NAMES = (
    "Ostermere Instruments, Inc.",
    "Brackwell Foods plc",
    "Tarnholm Bank AG",
    "Quillmark Energy Ltd",
    "Seavale Holdings plc",
)
FIGURES = {
    "english": ["total assets", "revenue", "net income", "gross profit", "operating expenses", "inventories"],
    "german": ["Umsatz", "Bilanzsumme", "Jahresüberschuss"],
    "french": ["chiffre d'affaires", "résultat net"],
    "spanish": ["ingresos", "activos totales"],
    "italian": ["ricavi", "utile netto"],
}
YEARS = ("2020", "2021", "2022", "2023", "2024")
# The plans that are right where they are not called like the label.
_ALSO = {
    "over_years": {
        "fall_difference": "difference",
        "rose": "more rising",
        "fell": "less falling",
        "above": "more",
        "below": "less",
        "rising": "rising more",
        "falling": "falling less",
        "always_rising": "rising",
        "always_falling": "falling",
        "series": "series table each",
        "each": "each table change series",
    },
    "among_companies": {
        "second": "highest",
        "third": "highest",
        "ranking_up": "ranking",
        "less_difference": "difference",
        "gap": "difference",
        "percent_difference": "difference",
        "ratio_percent": "ratio",
        "grew_most": "highest",
        "grew_least": "lowest",
        "fell_most": "highest lowest",
        "compare": "highest each table",
        "which_do": "which",
        "all_do": "all",
        "any_do": "any",
        "same": "each",
    },
}
_NONE = frozenset({"share", "why", "other"})  # labels of which no figures are planned


def question(text: str, chance: random.Random) -> str:
    """The text with companies, a figure and years in their places."""
    said = set(re.findall(r"\w+", text.lower()))
    spoken = {one: len(said.intersection(SMALL_WORDS[one].split())) for one in SMALL_WORDS if one in FIGURES}
    figure = chance.choice(FIGURES[max(spoken, key=lambda one: (spoken[one], one == "english"))])
    companies = iter((*chance.sample(NAMES[:4], 4), *NAMES[4:] * 9))
    years = iter(sorted(chance.sample(YEARS, min(max(text.count("#"), 1), len(YEARS)))))
    text = re.sub(r"\bX\b", lambda _: figure, text)
    return re.sub("#", lambda _: next(years, "2019"), re.sub("@", lambda _: next(companies), text))


def measure(name: str, hand: str, *, is_shown: bool) -> Counter[str]:
    """How many plans are right, missing or another."""
    end = dt.date(2024, 12, 31)
    companies = [
        Company(
            name=one,
            reports=(
                Report(sha1=f"{n:040x}", company=one, file="x.pdf", page_count=9, currency="USD", period_end=end),
            ),
        )
        for n, one in enumerate(NAMES)
    ]
    parser, chance, counts = parser_over(companies, is_trained=True), random.Random(3), Counter[str]()
    with TemporaryDirectory() as folder:
        read = reader(Path(folder), is_trained=True)
        for line in (FOLDER / name / f"{hand}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            text, label = question(row["text"], chance), row["label"]
            if "@" not in row["text"]:
                continue
            plan = read.read(parser.parse(Question(text=text))).plan
            found = plan.relation if plan else None
            is_none = label in _NONE and not (name == "among_companies" and label == "share")
            right = (None, "each", "table") if is_none else _ALSO[name].get(label, label).split()
            outcome = "right" if found in right else "missing" if found is None else "another"
            counts[outcome] += 1
            if is_shown and outcome != "right":
                print(f"{outcome}: {label} as {found}: {text}")  # a command's output
    return counts


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("hand", nargs="?", default="set_aside_fresh")
    arguments.add_argument("--show", action="store_true", help="the questions that are not planned as meant")
    chosen = arguments.parse_args()
    for folder_name in _ALSO:
        print(folder_name, dict(measure(folder_name, chosen.hand, is_shown=chosen.show)))  # a command's output
