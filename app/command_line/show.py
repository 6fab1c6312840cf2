"""What the commands print: text and progress bars for people, JSON for programs, and the fact table."""

import json
import sys
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from pydantic import BaseModel
from rich.console import Console
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from indexes.ingestion.requests import Ingested
from storage.amounts import grouped
from storage.lexicon.answer_words import ANSWER_WORDS
from storage.lexicon.words import expression
from storage.records.answers import Answer, Check, Reason, Usage
from storage.records.reports import Company, Evidence, Report, ReportField
from storage.stores.catalog_edits import CatalogEdit
from storage.text import plural

if TYPE_CHECKING:  # they pull in LlamaIndex, numpy or openpyxl, and --help should not wait
    from app.library.fact_sheet import FactRow, FactSheet
    from app.readiness import Finding, ProfileState
    from app.runs.answers import AnswerRun, Estimate
    from app.runs.ingest import RepairRun

LONGEST_LINE = 2_000  # characters of a message
_SOURCES = {"ocr": " (read by OCR)", "annotation": " (from an annotation)"}  # of a citation's words
MARKS = {"passed": "✓", "failed": "✗", "not_applicable": "·"}


def as_json(value: object) -> None:
    """A JSON value or record."""
    body = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
    written = json.dumps(body, ensure_ascii=False, indent=1)
    safe = _STEERING.sub(lambda sign: f"\\u{ord(sign[0]):04x}", written)
    sys.stdout.write(in_letters_of(sys.stdout.encoding or "utf-8", safe) + "\n")


def answer(found: Answer, model: str | None = None) -> None:
    """Print an answer: the value first, then its pages, checks and explanation; `model` is the one that is asked."""
    _print(found.value_text)
    if found.company:
        _print(f"  {found.company} · {found.kind}{_unit(found)}")
    if found.formula:
        _print(f"  = {found.formula}")
    if found.reason:
        _absence(found, found.reason)
    if found.parts:
        _parts(found)
    for citation in found.citations:
        source = _SOURCES.get(citation.text_source, "")
        _print(f"  {citation.file}, {found.words.page} {citation.page}{source}: “{citation.quote}”")
    if found.neighbours:
        _print(f"  not: {'; '.join(map(str, found.neighbours))}")
    if found.checks:
        _print("  " + "   ".join(map(_check, found.checks)))
    if found.summary:
        _print(f"  {found.summary}")
    if found.remark:
        _print(f"  {found.remark}")
    taken = "given before and kept, nothing asked" if found.cached else cost_text(found.usage)
    by = f" · {model}" if model and found.usage.requests else ""
    _print(f"  {found.seconds:.1f} s · {taken}{by} · profile {found.profile}")


def _parts(found: Answer) -> None:
    """Print what a comparison rests on: each company or period with its figure, its page, or why it is left out."""
    console = _console()
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("company", "period to", "value", "page", ""):
        table.add_column(name, justify="right" if name in ("value", "page") else "left")
    for part in found.parts:
        end = part.unit.period_end if part.unit else None
        page = str(part.citations[0].page) if part.citations else ""
        left_out = f"left out: {part.reason.replace('_', ' ')}" if part.reason else ""
        cells = (part.company or "", str(end or part.period), part.value_text, page, left_out)
        table.add_row(*(visible(cell) for cell in cells))
    console.print(Padding(table, (0, 0, 0, 2), expand=False))


def wrote(file: Path, what: str, as_json: bool) -> None:
    """Say on stderr which file was written, where stdout is for a program."""
    line = visible(f"{file}: {what}") + "\n"
    (sys.stderr if as_json else sys.stdout).write(line)


def _console() -> Console:
    console = Console(file=sys.stdout, markup=False, highlight=False)
    return console if console.is_terminal else Console(
        file=sys.stdout, width=PIPED_WIDTH, markup=False, highlight=False
    )  # fmt: skip


def _absence(found: Answer, reason: Reason) -> None:
    """Print why there is no answer, and what comes nearest."""
    _print(f"  reason: {reason.replace('_', ' ')}")
    if found.words is not ANSWER_WORDS["en"]:
        _print(f"  {found.words.reasons[reason]}")
    if found.nearest:
        near = found.nearest
        _print(f"  nearest: {grouped(near.value)}, page {near.page}, “{near.quote}”: {near.detail}")
    for passage in found.nearest_passages:
        _print(f"  page {passage.page}" + (f", {passage.heading}" if passage.heading else "") + ":")
        _print(f"    “{passage.quote}”")
    if found.candidates:
        _print(f"  nearest names: {'; '.join(found.candidates)}")


def cost_text(usage: Usage) -> str:
    """The usage of models in words."""
    if not usage.requests:
        return "no language model used"
    tokens = f"{usage.prompt_tokens + usage.completion_tokens:,} tokens"
    cost = "price unknown" if usage.cost_usd is None else f"{usage.cost_usd:.4f} USD"
    return f"{plural(usage.requests, 'model request')} · {tokens} · {cost}"


def estimated(found: "Estimate", as_json: bool) -> None:
    """Print what is understood of a file of questions, and what a model would cost."""
    if as_json:
        _print(found.model_dump_json(indent=1))
        return
    for one in found.questions:
        question = one.question
        scale = f"in units of {one.scale:,}" if one.scale and one.scale > 1 else None
        hints = (question.kind or "kind by its wording", question.company, question.currency, scale)
        _print(f"{one.place}: {question.text}  [{'; '.join(hint for hint in hints if hint)}]")
    for note in found.notes:
        _print(note)
    if found.carried:
        _print(f"only carried over to the answers: {', '.join(found.carried)}")
    asked_of = "no language model is asked, nothing is paid"
    if found.model is not None:
        cost = "price unknown" if found.cost_usd is None else f"about {found.cost_usd:.2f} USD"
        asked_of = f"{found.model}: about {plural(found.requests, 'request')}, {found.tokens:,} tokens, {cost}"
    _print(f"{plural(len(found.questions), 'question')} · {asked_of}")


def answered(run: "AnswerRun", out: Path, as_json: bool) -> None:
    """Print the result of a file of questions; failures and why questions are left go to stderr."""
    if as_json:
        _print(json.dumps(run.model_dump(mode="json"), ensure_ascii=False, indent=1))
    else:
        cached = f", {run.cached} of them given before" if run.cached else ""
        missing = f"; {len(run.failed)} failed" if run.failed else ""
        answers = plural(run.answered, "question")
        by = f" · {run.model}" if run.model else ""
        _print(f"{answers} answered{cached}{missing} · {run.seconds:.1f} s · {cost_text(run.usage)}{by}")
        _print(f"{out}" + (f" · run {run.run}" if run.run else ""))
        if run.copied_to:
            _print(f"as it was before: {run.copied_to}")
    failures([f"{failed.question!r}: {failed.error}" for failed in run.failed])
    if run.left:
        are_left = "1 question is left" if run.left == 1 else f"{run.left} questions are left"
        failures([f"{are_left}: {run.stopped} Then run it again with --resume."])


def ingested_one(report: Ingested, as_json: bool = False) -> None:
    """Print the result for a PDF; a failure goes to stderr."""
    if report.status == "failed":
        sys.stderr.write(f"pageproof: {in_one_line(report.reason)}\n")
    elif not as_json:
        reason = f"; {report.reason}" if report.reason else ""
        pages = plural(report.page_count, "page")
        _print(f"{report.status:9}  {report.company}  ({report.file}, {pages}{reason})")
        sys.stdout.flush()
    if report.warning:
        sys.stderr.write(f"pageproof: {in_one_line(report.warning)}\n")


def ingested(reports: Sequence[Ingested], as_json: bool, *, is_printed: bool = False) -> None:
    """Print the result for each PDF, unless `is_printed` already; failures go to stderr."""
    if as_json:
        _print(json.dumps([o.model_dump(mode="json") for o in reports], ensure_ascii=False, indent=1))
    for report in () if is_printed else reports:
        ingested_one(report, as_json)
    tables = sum(o.tables_written for o in reports)
    usage = sum((o.usage for o in reports), Usage())
    if not as_json and (tables or usage.requests):
        _print(f"{tables} tables written out · {cost_text(usage)}")
    if not as_json and len(reports) > 1:
        done = sum(o.status != "failed" for o in reports)
        where = "read" if any(o.status == "read" for o in reports) else "in the library"
        _print(f"{done} of {len(reports)} reports are {where}")


def repaired(run: "RepairRun", as_json: bool) -> None:
    """What was repaired, and on stderr what is left to do."""
    if as_json:
        _print(run.model_dump_json(indent=1))
    else:
        for step in run.repaired:
            _print(step.what)
        if not run.repaired:
            _print("nothing is damaged")
        ingested(run.results, as_json)
    failures([f"{step.what}; {step.left}" for step in run.repaired if step.left])


def failures(lines: Sequence[str]) -> None:
    """Print failures on stderr, one line each."""
    for line in lines:
        sys.stderr.write(f"pageproof: {in_one_line(line)}\n")


def written(files: Sequence[Path], as_json: bool) -> None:
    """Print which files were written."""
    if as_json:
        _print(json.dumps([str(file) for file in files], ensure_ascii=False, indent=1))
        return
    for file in files:
        _print(str(file))


def companies(known: Sequence[Company], as_json: bool, root: Path) -> None:
    """Print the library's companies and reports, and the evidence for their data."""
    if as_json:
        _print(json.dumps([c.model_dump(mode="json") for c in known], ensure_ascii=False, indent=1))
        return
    for company in known:
        _print(company.name + (f"  ({'; '.join(company.aliases)})" if company.aliases else ""))
        for report in company.reports:
            _print(
                f"  {report.file}  {report.page_count} pages  {report.currency or 'currency unknown'}  "
                f"{report.period_end or 'period unknown'}  {report.described}".rstrip()
            )
            for evidence in report.evidence:
                _print(f"    {_FIELDS[evidence.field]} {_from_where(evidence, company)}")
        if len(company.reports) > 1:
            from query_engines.question.filings import missing_filings  # late: pulls in LlamaIndex

            if missing := missing_filings(company.reports):
                _print(f"  not in the library: {'; '.join(missing)}")
    if not known:
        from app.settings import how_to_ingest  # late: pydantic-settings

        _print(f"The library in {root} is empty; {how_to_ingest(root)}.")


def edited(edit: CatalogEdit, as_json: bool) -> None:
    """Print what an edit changed."""
    if as_json:
        _print(json.dumps([c.model_dump(mode="json") for c in edit.after], ensure_ascii=False, indent=1))
        return
    for company in edit.after:
        others = [c.name for c in edit.before if c.name != company.name and _hands_over(c, company)]
        was = f"  (was {'; '.join(others)})" if others else ""
        _print(f"changed: {company.name}{was}")
    if edit.changes_nothing:
        _print("nothing to change")


def removed(report: Report, as_json: bool) -> None:
    """Print which report was removed."""
    if as_json:
        _print(report.model_dump_json(indent=1))
        return
    _print(f"removed: {report.file} of {report.company}")


def _hands_over(before: Company, after: Company) -> bool:
    return bool({r.sha1 for r in before.reports} & {r.sha1 for r in after.reports})


def _from_where(evidence: Evidence, company: Company) -> str:
    if evidence.source == "report" and evidence.page is None:
        return "from where it is filed: no page names it"
    if evidence.source == "report":
        return f'from page {evidence.page}: "{evidence.quote}"'
    if evidence.source == "file_name":
        return f"taken from the file name; edit with `pageproof companies {company.name!r} --edit --name …`"
    return "from the catalog" if evidence.source == "catalog" else "edited by hand"


def profiles(states: "Sequence[ProfileState]", as_json: bool) -> None:
    """Print the profiles and what each needs."""
    if as_json:
        _print(json.dumps([s.model_dump(mode="json") for s in states], ensure_ascii=False, indent=1))
        return
    for state in states:
        _print(f"{state.name:28} {state.description}")
        if state.needs:
            _print(f"{'':28} needs {'; '.join(state.needs)}")


def findings(found: "Sequence[Finding]", as_json: bool) -> None:
    """Print the findings of `doctor`."""
    if as_json:
        _print(json.dumps([f.model_dump(mode="json") for f in found], ensure_ascii=False, indent=1))
        return
    for finding in found:
        _print(
            f"{finding.state:8} {finding.what}: {finding.detail}"
            + (f" — {finding.advice}" if finding.advice else "")
        )


_FIELDS: dict[ReportField, str] = {
    "company": "name",
    "currency": "currency",
    "period_end": "period end",
    "fiscal_year": "year",
    "alias": "ticker",
    "type": "type",
    "months": "length",
    "quarter": "quarter",
    "year_end_month": "year end",
    "weeks": "weeks",
    "status": "status",
    "is_amended": "amended",
    "is_restated": "restated",
}


def _unit(found: Answer) -> str:
    unit, words = found.unit, found.words
    is_printed = unit is not None and unit.printed and not unit.measure
    figure = (
        f" · {words.printed}: {unit.printed}" + (f" × {unit.scale:,}" if unit.scale > 1 else "")
        if unit and is_printed
        else ""
    )
    if found.period:
        return f"{figure} · {found.period}"
    return figure + (f" · {words.period} {unit.period_end}" if unit and unit.period_end else "")


def _check(check: Check) -> str:
    return f"{MARKS[check.verdict]} {check.name}" + (f" ({check.detail})" if check.verdict == "failed" else "")


def visible(text: str) -> str:
    """Text without signs that steer a terminal or turn its lines round: quotes, names and questions of strangers."""
    return _STEERING.sub("\ufffd", text)


_STEERING = expression(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def in_one_line(text: str) -> str:
    """A message on one line, of a length that people read: the middle of a longer one is left out."""
    shown, half = visible(" ".join(text.split())), LONGEST_LINE // 2
    return shown if len(shown) <= LONGEST_LINE else f"{shown[:half]} … {shown[-half:]}"


def _print(text: str) -> None:
    sys.stdout.write(f"{in_letters_of(sys.stdout.encoding or 'utf-8', visible(text))}\n")


def in_letters_of(encoding: str, text: str) -> str:
    """The text as an encoding can write it: other signs as JSON's escapes in JSON, else the nearest plain ones."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        is_json = text[:1] in ("{", "[")
        other = (json.dumps(c)[1:-1] if is_json else _nearest(encoding, c) for c in text)
        return "".join(c if _can_write(encoding, c) else sign for c, sign in zip(text, other, strict=True))
    return text


def _can_write(encoding: str, letter: str) -> bool:
    return bool(letter.encode(encoding, "ignore"))


def _nearest(encoding: str, letter: str) -> str:
    plain = _PLAIN_SIGNS.get(letter) or unicodedata.normalize("NFKD", letter)
    return plain.encode(encoding, "ignore").decode(encoding) or "?"


_PLAIN_SIGNS = {"✓": "+", "✗": "x", "·": "-", "…": "...", "–": "-", "—": "-", "−": "-", "’": "'", "‘": "'"}


PIPED_WIDTH = 200
_STYLE = {"high": "", "medium": "yellow", "low": "red"}


def fact_table(sheet: "FactSheet") -> None:
    """Print a table for each company: metrics as rows, years as columns, then page and confidence."""
    console = Console(file=sys.stdout)
    if not console.is_terminal:
        console = Console(file=sys.stdout, width=PIPED_WIDTH)
    groups: dict[str, list[list[FactRow]]] = {}
    for rows in sheet.by_metric():
        groups.setdefault(rows[0].company, []).append(rows)
    if len(groups) > 1 and max(map(len, groups.values())) <= _FEW_METRICS:
        console.print(_grid([rows for metrics in groups.values() for rows in metrics]))
        return
    for company, metrics in groups.items():
        console.print(_table(company, metrics))
        for row in (rows[0] for rows in metrics if rows[0].neighbours):
            console.print(f"  {row.title} {row.value_text}. Not: {'; '.join(map(str, row.neighbours))}")
        for officer in (o for o in sheet.officers if o.company == company):
            console.print(f"  {officer.role}: {officer.name} (page {officer.page}, {officer.confidence})")
        sentences = sum(e.company == company for e in sheet.events)
        if sentences:
            console.print(f"  {sentences} sentences that tell events: --out FILE or --json shows them")
        console.print()
    if not groups:
        console.print("The reports print nothing of it.")


def _table(company: str, metrics: "list[list[FactRow]]") -> Table:
    from app.library.fact_files import checks_text  # late: openpyxl
    from app.library.fact_sheet import FactSheet

    years = _shown(FactSheet(facts=tuple(row for rows in metrics for row in rows)).columns())
    table = Table(title=company, title_justify="left", title_style="bold", box=None, pad_edge=False)
    table.add_column("metric")
    table.add_column("unit")
    for year in years:
        table.add_column(year, justify="right", no_wrap=True)
    table.add_column("page", justify="right")
    table.add_column("sure")
    table.add_column("checks")
    for rows in metrics:
        by_year = {row.label: row for row in rows}
        values = [_fact_value(by_year.get(year)) for year in years]
        latest = rows[0]
        sure = Text(latest.confidence, _STYLE[latest.confidence])
        cells = [visible(cell) for cell in (latest.title, latest.unit, *values, str(latest.page))]
        table.add_row(*cells, sure, visible(checks_text(latest.checks)))
    return table


_FEW_METRICS = 3  # of each company, so that one table of all companies compares them


def _grid(metrics: "list[list[FactRow]]") -> Table:
    """One table of all companies: a row for each and its metric, a column for each year."""
    from app.library.fact_sheet import FactSheet

    years = _shown(FactSheet(facts=tuple(row for rows in metrics for row in rows)).columns())
    table = Table(box=None, pad_edge=False)
    for name in ("metric", "company", "unit"):
        table.add_column(name)
    for year in years:
        table.add_column(year, justify="right", no_wrap=True)
    for rows in sorted(metrics, key=lambda rows: rows[0].title):
        by_year = {row.label: row for row in rows}
        first = rows[0]
        values = (_fact_value(by_year.get(year)) for year in years)
        table.add_row(*map(visible, (first.title, first.company, first.unit, *values)))
    return table


_MOST_PARTS = 4  # quarters and other parts of years on the terminal; a file has all of them


def _shown(columns: Sequence[str]) -> list[str]:
    parts = [column for column in columns if " " in column]
    return [column for column in columns if column not in parts[_MOST_PARTS:]]


def _fact_value(row: "FactRow | None") -> str:
    return row.value_text if row else ""


class AnswerBar:
    """A progress bar on stderr; nothing if that is not a terminal."""

    def __init__(self) -> None:
        console = Console(file=sys.stderr)
        columns = (
            TextColumn("questions"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[cost]}"),
            TimeRemainingColumn(),
        )
        self._progress = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        self._bar = self._progress.add_task("questions", total=None, cost="")

    def show(self, run: "AnswerRun", total: int) -> None:
        """Move the bar."""
        failed = f"{len(run.failed)} failed · " if run.failed else ""
        self._progress.update(self._bar, completed=run.asked, total=total, cost=f"{failed}{cost_text(run.usage)}")

    def __enter__(self) -> "AnswerBar":
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()
