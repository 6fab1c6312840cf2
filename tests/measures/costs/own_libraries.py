"""What a person's own library costs beside the shared one: opening, memory, and a question's time.

python -m tests.measures.costs.own_libraries DATA [OWNERS]

DATA is the root of a library made by `pageproof ingest`, with at least three companies; it is only read. Its last
report is each person's own and leaves the shared library, in a copy.
"""

import gc
import resource
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from app import open_pageproof
from app.assembly.client import Pageproof
from app.assembly.shared_parts import SharedParts
from indexes.ingestion.requests import IngestRequest
from storage.paths import DataPaths
from storage.process_memory import give_back
from storage.records.answers import Answer

WORDINGS = ("What was the total revenue of {}?", "What was the net income of {}?", "Who is the CEO of {}?")
ROUNDS = 5


def main(source: Path, count: int) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        shutil.copytree(source, data, ignore=shutil.ignore_patterns("people", "chat", "runs.sqlite*", "*.lock"))
        owners = [f"person {number}" for number in range(count)]
        own = _give_away(data, owners)
        shared = SharedParts()
        with open_pageproof(data=data, shared=shared, purpose="measure") as nobody:
            names = [company.name for company in nobody.companies()][:6]
            questions = [wording.format(name) for name in names for wording in WORDINGS]
            _ask(nobody, questions)  # loads
            print(f"shared: {len(nobody.companies())} companies; {len(questions)} questions, {ROUNDS} rounds")
            before = _resident()
            opened: list[float] = []
            clients = []
            for owner in owners:
                started = time.perf_counter()
                clients.append(open_pageproof(data=data, shared=shared, owner=owner, purpose="measure"))
                opened.append(time.perf_counter() - started)
            print(
                f"opening a person's client: median {_ms(statistics.median(opened))}, slowest {_ms(max(opened))}"
            )
            print(f"memory of an open client: {(_resident() - before) / count:.2f} MB")
            for client in clients:
                client.query(questions[0])
            print(f"... asked about a shared report: {(_resident() - before) / count:.2f} MB")
            for client in clients:
                answer = client.query(WORDINGS[0].format(own)).response
                assert isinstance(answer, Answer)
                assert answer.company == own
            print(f"... and about their own, {own}: {(_resident() - before) / count:.2f} MB")
            alone, theirs = [], []
            for _ in range(ROUNDS):  # turn by turn, so that a busy machine slows both
                alone.append(_ask(nobody, questions))
                theirs.append(_ask(clients[0], questions))
            low, high = min(alone), min(theirs)
            print(f"a question, seconds of processor: {_ms(low)} without, {_ms(high)} with an owner")
            print(f"... {high / low:.2f} times as much")
            for client in clients:
                client.close()
            del client, clients
            gc.collect()
            print(f"after all of them are closed: {_resident() - before:+.1f} MB in all")


def _give_away(data: Path, owners: list[str]) -> str:
    """Move the last company's report from the shared library to every owner's; gives the company's name."""
    paths = DataPaths(data)
    with open_pageproof(data=data) as shared_client:
        company = shared_client.companies()[-1]
        report = company.reports[0]
        first = paths.of_owner(owners[0])
        for folder in ("pages", "facts"):
            shutil.copytree(data / folder / report.sha1, first.root / folder / report.sha1)
        shutil.copy(paths.embedding_cache, first.embedding_cache)
        pdf = shutil.copy(shared_client.pdf(report.sha1), data / report.file)
        for each in company.reports:
            shared_client.library.remove(each.sha1)
    with open_pageproof(data=data, owner=owners[0]) as client:
        (ingested,) = client.library.ingest(IngestRequest(paths=[Path(pdf)]))
        assert ingested.status == "indexed", ingested
        client.library.correct(
            report.sha1, company=company.name, currency=report.currency, period_end=report.period_end
        )
    first.embedding_cache.unlink()
    for owner in owners[1:]:
        shutil.copytree(first.root, paths.of_owner(owner).root)
    return company.name


def _ask(client: Pageproof, questions: list[str]) -> float:
    """Seconds of processor for each question."""
    started = time.process_time()
    for question in questions:
        client.query(question)
    return (time.process_time() - started) / len(questions)


def _resident() -> float:
    """Megabytes, without what is free already."""
    gc.collect()
    give_back()
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.0f} ms"


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 20)
