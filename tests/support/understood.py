"""How every known question about the real reports is understood, kept to be compared.

A rule that reads one question better may read another worse. `python -m tests.support.understood FOLDER` writes the
file anew, prints each question that is read differently now, and belongs into the commit that changes the reading: look
at what it prints first. FOLDER holds reports/catalog.csv and truth/*.json; the questions themselves stay there.
"""

import argparse
import csv
import datetime as dt
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from query_engines.question.parser import QuestionParser
from storage.records.metrics import Ontology
from storage.records.questions import Question
from storage.records.reports import Company, Report
from storage.records.sections import SectionKinds

FILE = Path(__file__).with_suffix(".json")


def known_questions(folder: Path) -> Iterator[Question]:
    """The questions of the challenge's two rounds, those on known facts, and all others with known answers."""
    truth = folder / "truth"
    for entry in _read(truth / "erc1_answers.json"):
        yield Question(text=entry["question"], kind=entry["schema"])
    for entry in _read(truth / "erc2_questions.json"):
        yield Question(text=entry["text"], kind=entry["kind"])
    templates = _read(truth / "templates.json")["facts"]
    for report in _read(truth / "facts.json"):
        for template in (templates[fact["metric"]] for fact in report["facts"] if fact["metric"] in templates):
            text = template["text"].replace("COMPANY", report["company"]).replace("CUR", report["currency"])
            yield Question(text=text, kind=template["kind"])
    for file in ("questions.json", "analyst_a.json"):
        yield from (
            Question(text=entry["text"]) for report in _read(truth / file) for entry in report["questions"]
        )
    yield from (Question(text=entry["text"]) for entry in _read(truth / "voices.json"))


def understood(folder: Path) -> dict[str, tuple[str, str]]:
    """By a digest of each question: its text, and how it is understood in one line."""
    companies = tuple(_companies(folder / "reports" / "catalog.csv"))
    ontology, kinds = Ontology.load(), SectionKinds.load()
    parser = QuestionParser.trained(ontology, lambda: companies, kinds=kinds)
    read = {question: _in_one_line(parser, question) for question in known_questions(folder)}
    return {digest_of(question): (question.text, line) for question, line in read.items()}


def kept() -> dict[str, str]:
    """The lines of the file, by the questions' digests."""
    lines: dict[str, str] = _read(FILE)
    return lines


def changed(now: dict[str, tuple[str, str]], before: dict[str, str]) -> list[str]:
    """What is read differently, or was never looked at: each question with both readings."""
    return [
        f"{text}\n  before: {before.get(digest, 'not there')}\n  now:    {line}"
        for digest, (text, line) in now.items()
        if before.get(digest) != line
    ]


def _in_one_line(parser: QuestionParser, question: Question) -> str:
    parsed = parser.parse(question)
    if len(parsed.companies) == 1:
        parsed = parser.about(parsed, parsed.companies[0])
    known = parsed.understood.model_dump(exclude_defaults=True)
    said = (", ".join(map(str, value)) if isinstance(value, tuple) else value for value in known.values())
    return f"{parsed.kind}: " + "; ".join(f"{name} {value}" for name, value in zip(known, said, strict=True))


def _companies(catalog: Path) -> Iterator[Company]:
    with catalog.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            report = Report(
                sha1=row["sha1"],
                file=f"{row['sha1']}.pdf",
                company=row["company_name"],
                page_count=1,
                currency=row["currency"] or None,
                period_end=dt.date.fromisoformat(row["period_end"]) if row["period_end"] else None,
            )
            yield Company(name=row["company_name"], reports=(report,))


def digest_of(question: Question) -> str:
    """Twelve hexadecimal digits that stand for a question."""
    return hashlib.sha256(f"{question.kind} {question.text}".encode()).hexdigest()[:12]


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def main() -> None:
    """Print what is read differently, and keep it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    now = understood(parser.parse_args().folder)
    for difference in changed(now, kept() if FILE.exists() else {}):
        print(difference)
    lines = {digest: line for digest, (_, line) in sorted(now.items())}
    FILE.write_text(json.dumps(lines, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
