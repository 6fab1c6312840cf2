"""What ten thousand companies cost a question about one: `python -m tests.measures.costs.scale FOLDER --data DATA`.

Invented companies without an index are added to a copy of the library's catalog; the questions are about the real ones.
"""

import argparse
import random
import tempfile
import time
from pathlib import Path
from statistics import median

from app import open_pageproof
from app.evaluation.retrieval import retrieval_questions
from app.evaluation.truth import read_truth
from app.settings import data_paths
from storage.stores.database import Database
from storage.stores.library import Library

SEED, QUESTIONS = 7, 40
_FIRST = [
    "Alder",
    "Birch",
    "Cedar",
    "Dover",
    "Ember",
    "Falcon",
    "Granite",
    "Harbor",
    "Indigo",
    "Juniper",
    "Kestrel",
    "Larch",
    "Maple",
    "Nordic",
    "Orchid",
]
_SECOND = [
    "Energy",
    "Foods",
    "Software",
    "Mining",
    "Bank",
    "Pharma",
    "Logistics",
    "Media",
    "Capital",
    "Steel",
    "Water",
    "Robotics",
    "Textiles",
    "Labs",
]
_FORM = ["Inc.", "Corp.", "plc", "AG", "Limited", "N.V.", "SA", "Holdings", "Group"]


def names(count: int) -> list[str]:
    """Invented company names, all different."""
    rng = random.Random(SEED)
    return [f"{rng.choice(_FIRST)} {rng.choice(_SECOND)} {number} {rng.choice(_FORM)}" for number in range(count)]


def copy_with(count: int, data: Path, folder: Path) -> None:
    """A data root that shares everything but the catalog, which has `count` further companies."""
    source, target = data_paths(data), data_paths(folder)
    for entry in source.root.iterdir():
        if not entry.name.startswith(source.catalog.name):
            (folder / entry.name).symlink_to(entry)
    library = Library(target.catalog)
    for company in Library(source.catalog).companies():
        for report in company.reports:
            library.add(report, company.aliases)
    with Database(target.catalog, "").writing() as connection:
        invented = names(count)
        connection.executemany("INSERT INTO company (name) VALUES (?)", [(name,) for name in invented])
        connection.executemany(
            "INSERT INTO report (sha1, company, file, page_count) VALUES (?, ?, ?, 100)",
            [(f"{number:040d}", name, f"{number}.pdf") for number, name in enumerate(invented)],
        )


def measure(count: int, data: Path, questions: list[str]) -> float:
    """Print the seconds to start and the milliseconds of a warm question with `count` further companies."""
    with tempfile.TemporaryDirectory() as folder:
        copy_with(count, data, Path(folder))
        started = time.perf_counter()
        with open_pageproof(data=Path(folder)) as client:
            companies = len(client.companies())
            opened = time.perf_counter() - started
            for question in questions:
                client.query(question)
            taken = []
            for question in questions:
                started = time.perf_counter()
                client.query(question)
                taken.append(time.perf_counter() - started)
    warm = 1000 * median(taken)
    print(f"{companies} companies: {opened:.2f} s to start, {warm:.1f} ms a warm question (median)", flush=True)
    return warm


def main() -> None:
    """Measure with none and with ten thousand invented companies."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="Holds truth/facts.json.")
    parser.add_argument("--data", type=Path, required=True, help="The library's folder.")
    parser.add_argument("--companies", type=int, default=10_000)
    arguments = parser.parse_args()
    known = retrieval_questions(read_truth(arguments.folder / "truth" / "facts.json"))
    questions = [q.text for q in random.Random(SEED).sample(known, QUESTIONS)]
    few = measure(0, arguments.data, questions)
    many = measure(arguments.companies, arguments.data, questions)
    print(f"ratio {many / few:.2f}")


if __name__ == "__main__":
    main()
