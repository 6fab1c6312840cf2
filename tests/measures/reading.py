"""`make bench-reading`: how well the reader reads real reports, against their known facts. Prints Markdown or JSON."""

import argparse
import datetime as dt
import sys
import time
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from importlib import resources
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import pypdfium2
from pydantic import BeforeValidator, TypeAdapter

from indexes.fingerprints import reader_fingerprint
from indexes.options import ReaderOptions
from storage.errors import DocumentError
from storage.files import sha1_of
from storage.records.pages import Page
from storage.records.record import Record
from storage.stores.pages import PageStore
from tests.support.reading_quality import (
    Fact,
    FactPeriod,
    FactRow,
    KnownReport,
    PageWords,
    ReportMeasures,
    Statement,
    measure,
    stems,
)

if TYPE_CHECKING:
    from indexes.reading.docling_reader import DoclingReader

HEAD = (
    "| report | company | pages | facts in their row | lost figures | words kept | periods right | wrong | none "
    "| tables | with unit | columns with period | headings/page | seconds |\n|" + "---|" * 14
)
WORKFORCE = ("employees", "staff", "headcount", "personnel", "FTE", "persons", "people", "workforce")
SAMPLE_CHARACTERS = 60
SAMPLE_WORDS = 12


class Task(Record):
    """A report to read and measure; `cache` is the folder of kept pages, `fresh` reads in spite of them."""

    path: Path
    known: KnownReport
    cache: Path | None
    fresh: bool


def main() -> None:
    arguments = _arguments()
    tasks = list(_tasks(arguments))
    if not tasks:
        sys.exit("no report to read: check the folder, --reports and --facts")
    measured = list(_measured(tasks, arguments.workers))
    if arguments.json:
        print(TypeAdapter(list[ReportMeasures]).dump_json(measured, indent=1).decode())
    else:
        print(report(measured, arguments.list))
    if len(measured) < len(tasks):
        sys.exit(1)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.measures.reading", description=__doc__)
    parser.add_argument("root", type=Path, nargs="?", help="a folder with reports/*.pdf and truth/facts.json")
    parser.add_argument("--facts", type=Path, help="known facts, in place of ROOT/truth/facts.json")
    parser.add_argument("--reports-folder", type=Path, help="PDFs, in place of ROOT/reports")
    parser.add_argument("--reports", nargs="+", default=[""], metavar="SHA1_PREFIX", help="only these reports")
    parser.add_argument("--cache", type=Path, help="keep read pages here; a second run does not read again")
    parser.add_argument("--fresh", action="store_true", help="read again, whatever is kept")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--list", type=int, default=10, metavar="N", help="pages with the most missing words")
    parser.add_argument("--json", action="store_true", help="everything as JSON")
    arguments = parser.parse_args()
    if arguments.root is None and not (arguments.facts and arguments.reports_folder):
        parser.error("give ROOT, or both --facts and --reports-folder")
    arguments.facts = arguments.facts or arguments.root / "truth" / "facts.json"
    arguments.reports_folder = arguments.reports_folder or arguments.root / "reports"
    return arguments


def _tasks(arguments: argparse.Namespace) -> Iterator[Task]:
    known = {report.sha1: report for report in read_facts(arguments.facts)}
    for path in sorted(arguments.reports_folder.glob("*.pdf")):
        sha1 = sha1_of(path)
        if sha1.startswith(tuple(arguments.reports)):
            report = known.get(sha1, KnownReport(sha1=sha1, company=path.stem))
            yield Task(path=path, known=report, cache=arguments.cache, fresh=arguments.fresh)


class _Metric(Record, extra="ignore"):
    """What the ontology's file says of a metric, read apart from the code that answers with it."""

    statement: str
    kind: str
    asked: tuple[str, ...]
    names: Annotated[tuple[str, ...], BeforeValidator(lambda names: _flat(names))]

    @property
    def home(self) -> Statement | None:
        """The statement that it is an amount of."""
        amount = self.kind in ("amount", "outflow")
        return next((s for s in get_args(Statement) if amount and s == self.statement), None)


def _flat(names: object) -> object:
    """Names may be listed by who prints them."""
    return [name for group in names.values() for name in group] if isinstance(names, dict) else names


@cache
def _metrics() -> dict[frozenset[str], _Metric]:
    content = tomllib.loads((resources.files("storage") / "metrics.toml").read_text(encoding="utf-8"))
    metrics = TypeAdapter(list[_Metric]).validate_python(content["metric"])
    return {stems(wording): metric for metric in metrics for wording in metric.asked}


def metric_of(name: str) -> _Metric | None:
    """The ontology's metric of this name, or of what comes before its comma ("EPS (…), basic")."""
    return _metrics().get(stems(name)) or _metrics().get(stems(name.split(",")[0]))


class _TruthFact(Record, extra="ignore"):
    metric: str
    kind: str
    pages: list[int]  # 0-based
    printed: str = ""

    def fact(self) -> Fact:
        metric = metric_of(self.metric)
        names = metric.names + metric.asked if metric else ()
        return Fact(
            metric=self.metric,
            labels=(self.metric, *names, *(WORKFORCE if "employees" in self.metric else ())),
            printed=self.printed,
            page_numbers=tuple(index + 1 for index in self.pages),
            statement=metric.home if metric else None,
        )


class _TruthReport(Record, extra="ignore"):
    sha1: str
    company: str
    period_end: dt.date
    facts: list[_TruthFact]


def read_facts(path: Path) -> list[KnownReport]:
    """Reports with the facts of theirs that are printed figures."""
    return [
        KnownReport(
            sha1=r.sha1,
            company=r.company,
            period_end=r.period_end,
            facts=tuple(f.fact() for f in r.facts if f.kind == "number" and f.printed and f.pages),
        )
        for r in TypeAdapter(list[_TruthReport]).validate_json(path.read_bytes())
    ]


def _measured(tasks: Sequence[Task], workers: int) -> Iterator[ReportMeasures]:
    """Reports in the tasks' order; one that cannot be read is named on stderr and left out."""
    if workers < 2:
        yield from filter(None, map(_measure, tasks))
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from filter(None, pool.map(_measure, tasks))


def _measure(task: Task) -> ReportMeasures | None:
    try:
        pages, seconds = _pages(task)
    except DocumentError as error:
        print(error, file=sys.stderr)
        return None
    print(f"{task.path.name}: {len(pages)} pages", file=sys.stderr)
    return measure(task.known, pages, raw_texts(task.path), seconds)


def _pages(task: Task) -> tuple[list[Page], float | None]:
    """The report's pages and the seconds that reading took, None when they were kept."""
    sha1 = task.known.sha1
    store = PageStore(task.cache, reader_fingerprint(ReaderOptions())) if task.cache else None
    if store and sha1 in store and not task.fresh:
        return store.read(sha1), None
    reader = _reader()
    started = time.perf_counter()
    pages = reader.read_pages(task.path, sha1)
    seconds = time.perf_counter() - started
    if store:
        store.write(sha1, pages)
    return pages, seconds


@cache
def _reader() -> "DoclingReader":
    from indexes.reading.docling_reader import DoclingReader  # torch takes seconds that kept pages do not need

    return DoclingReader.from_options(ReaderOptions())


def raw_texts(path: Path) -> list[str]:
    """What pypdfium2 finds on each page as displayed: words outside its crop box are not printed."""
    with pypdfium2.PdfDocument(path) as document:
        return [page.get_textpage().get_text_bounded() for page in document]


def report(measured: Sequence[ReportMeasures], listed: int) -> str:
    """The measures as Markdown: a table with a line over all sane reports, then every miss."""
    sane = [m for m in measured if not m.is_nonsense]
    lines = [
        HEAD,
        *(_row(m.sha1[:8], m.company, [m]) for m in measured),
        _row("**all**", f"{len(sane)} sane", sane),
    ]
    lines += [
        f"\n{m.sha1[:8]} has a nonsense text layer and is left out below." for m in measured if m not in sane
    ]
    rows = [(m, row) for m in sane for row in m.rows if row.verdict != "found"]
    lines += _section("Facts without their row", (f"{m.sha1[:8]} {_row_miss(row)}" for m, row in rows))
    lost = [(m, row) for m in sane for row in m.lost]
    lines += _section("Lost figures", (f"{m.sha1[:8]} {_row_miss(row)}" for m, row in lost))
    periods = [(m, period) for m in sane for period in m.periods if period.verdict != "right"]
    lines += _section("Periods", (f"{m.sha1[:8]} {_period_miss(p)}" for m, p in periods))
    worst = sorted(((m, w) for m in sane for w in m.words), key=lambda pair: pair[1].found - pair[1].printed)
    lines += _section(
        "Pages with the most missing",
        (f"{m.sha1[:8]} {_page_miss(w)}" for m, w in worst[:listed] if w.missing_characters),
    )
    return "\n".join(lines)


def _section(title: str, items: Iterable[str]) -> list[str]:
    found = [f"- {item}" for item in items]
    return [f"\n## {title} ({len(found)})\n", *found]


def _row(name: str, company: str, measured: Sequence[ReportMeasures]) -> str:
    pages = sum(m.page_count for m in measured)
    verdicts = [row.verdict for m in measured for row in m.rows]
    periods = [period.verdict for m in measured for period in m.periods]
    seconds = [m.seconds for m in measured if m.seconds is not None]
    tables = sum(m.tables for m in measured)
    columns = sum(m.columns for m in measured)
    cells = [
        f"{name} (nonsense)" if any(m.is_nonsense for m in measured) else name,
        company,
        pages,
        _share(verdicts.count("found"), len(verdicts), 1),
        sum(len(m.lost) for m in measured),
        _share(sum(m.found for m in measured), sum(m.printed for m in measured), 3, counts=False),
        _share(periods.count("right"), len(periods), 1),
        periods.count("wrong"),
        periods.count("none"),
        tables,
        _share(sum(m.tables_with_unit for m in measured), tables, 0),
        _share(sum(m.columns_with_period for m in measured), columns, 0),
        f"{sum(m.headings for m in measured) / max(1, pages):.1f}",
        f"{sum(seconds):.0f}" if seconds else "kept",
    ]
    return "| " + " | ".join(map(str, cells)) + " |"


def _share(part: int, whole: int, decimals: int, counts: bool = True) -> str:
    if not whole:
        return "–"
    return f"{100 * part / whole:.{decimals}f} %" + (f" ({part}/{whole})" if counts else "")


def _row_miss(row: FactRow) -> str:
    place = f"page {row.page_number}" if row.page_number else f"pages {_numbers(row.fact)}"
    row_text = f": {row.row[:100]!r}" if row.row else ""
    return f"{place}, {row.fact.metric} {row.fact.printed}: {row.verdict}{row_text}"


def _numbers(fact: Fact) -> str:
    return ", ".join(map(str, fact.page_numbers))


def _period_miss(period: FactPeriod) -> str:
    return (
        f"page {period.page_number}, {period.fact.metric} {period.fact.printed}: {period.verdict}, "
        f"{period.year} under {period.header!r} in {period.title!r}"
    )


def _page_miss(words: PageWords) -> str:
    return (
        f"page {words.page_number}: {words.printed - words.found} of {words.printed} characters missing, "
        f"{words.missing_characters[:SAMPLE_CHARACTERS]!r}; words: {' '.join(words.missing_words[:SAMPLE_WORDS])}"
    )


if __name__ == "__main__":
    main()
