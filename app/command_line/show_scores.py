"""Prints the results of the measuring commands and the lab."""

import json
import sys
from collections.abc import Sequence
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from app.evaluation.fact_scores import FactReport
from app.evaluation.retrieval import RetrievalMiss, RetrievalReport
from app.evaluation.scoring import CountedFigures, Evaluation, WrongAnswer
from app.evaluation.self_test import SelfTest
from app.files.answer_json import PageRef
from app.lab.comparison import Comparison
from app.lab.page import best, columns, lines

NO_VALUE = "–"
_QUESTION, _VALUE = 110, 70  # characters


def scores(
    report: Evaluation, facts: FactReport | None, errors: Sequence[WrongAnswer] | None, as_json: bool
) -> None:
    """Print the score and further figures; the fact counts, if the truth is facts; the errors, if requested."""
    if as_json:
        extra = {"facts": facts.model_dump(mode="json")} if facts else {}
        listed = {} if errors is None else {"errors": [error.model_dump(mode="json") for error in errors]}
        _print(json.dumps({**report.model_dump(mode="json"), **extra, **listed}, ensure_ascii=False, indent=1))
        return
    references = "none in the truth" if report.R is None else f"{report.R:.1f}"
    _print(
        f"{report.n} questions   values G {report.G:.1f}   references R {references}   score {report.score:.1f}"
    )
    for kind, figures in report.by_kind.items():
        _print(f"  {kind:12} {_figures(figures)}")
    _print(f"  answered {report.answered}, wrong {report.wrong}, missing {report.missing}{_hallucinated(report)}")
    _print(f"  {_pages(report)}")
    _print(f"  {_taken(report)}")
    for note in report.notes:
        _print(f"  {note}")
    if facts:
        for metric, counts in {**facts.by_metric, "all facts": facts.overall}.items():
            _print(
                f"  {metric:36} right {counts.right:4}  wrong {counts.wrong:4}  "
                f"missing {counts.missing:4}  right N/A {counts.right_na:4}"
            )
    for error in errors or ():
        _print(_error_lines(error))


def self_tested(found: SelfTest, errors: int, as_json: bool) -> None:
    """Print how far the library's answers can be trusted; so many of the wrong ones, ticked ones first."""
    if as_json:
        listed = found.model_copy(update={"wrong": found.wrong[:errors]})
        _print(json.dumps(listed.model_dump(mode="json"), ensure_ascii=False, indent=1))
        return
    in_statements = "–" if found.right_in_statements is None else f"{found.right_in_statements:.0%}"
    _print(
        f"{found.n} questions   wrong and ticked {found.wrong_and_ticked} ({found.share_wrong_and_ticked:.2%})   "
        f"right where a statement prints the row {in_statements}"
    )
    for name, counts in found.by_group.items():
        _print(
            f"  {name.replace('_', ' '):16} n={counts.n:4}  right {counts.right:4}  wrong {counts.wrong:4}  "
            f"of them ticked {counts.wrong_and_ticked:4}  missing {counts.missing:4}  right N/A {counts.right_na:4}"
        )
    for one in found.wrong[:errors]:
        printed = "; ".join(one.asked.printed) or "N/A"
        _print(
            f"  {'ticked' if one.is_ticked else 'failed':8} {_short(one.asked.question.text, _QUESTION)}\n"
            f"           given {_short(one.value, _VALUE)}, page {one.page or NO_VALUE}; "
            f"printed {_short(printed, _VALUE)}, page {one.asked.page_number}"
        )


def retrieval(report: RetrievalReport, misses: Sequence[RetrievalMiss] | None, as_json: bool) -> None:
    """Print recall and mean reciprocal rank of the right page; the misses, if requested."""
    if as_json:
        missed = None if misses is None else [m.model_dump(mode="json") | {"why": m.why} for m in misses]
        extra = {} if missed is None else {"errors": missed}
        _print(json.dumps(report.model_dump(mode="json") | extra, ensure_ascii=False, indent=1))
        return
    for name, figures in {**report.by_metric, "all": report}.items():
        recall = "  ".join(f"R@{k} {share:.3f}" for k, share in figures.recall.items())
        _print(f"{name:36} n={figures.n:4}  {recall}  MRR {figures.mrr:.3f}")
    for miss in misses or ():
        wanted, found = (", ".join(map(str, pages)) for pages in (miss.wanted, miss.found))
        _print(
            f"  {miss.company or miss.report_sha1[:8]}: {miss.metric}: wanted {wanted}; came {found}; {miss.why}"
        )


def _figures(figures: CountedFigures) -> str:
    references = "" if figures.R is None else f"  R {figures.R:5.1f}"
    return f"n={figures.n:4}  G {figures.G:5.1f}{references}  wrong {figures.wrong:3}  missing {figures.missing:3}"


def _hallucinated(report: Evaluation) -> str:
    rate = report.hallucination_rate
    return "" if rate is None else f"; of the questions without an answer {rate:.1%} were given one"


def _pages(report: Evaluation) -> str:
    found = report.references
    if found is None:
        return "pages: the truth names none to cite"
    precision = NO_VALUE if found.precision is None else f"{found.precision:.3f}"
    return f"pages: precision {precision} of {found.cited} cited, recall {found.recall:.3f} of {found.pools} asked for"


def _taken(report: Evaluation) -> str:
    seconds, cost = report.seconds_per_question, report.cost_usd_per_question
    if seconds is None and cost is None:
        return "seconds and cost: only .jsonl answers tell them"
    return (
        " and ".join(
            part
            for part in (
                "" if seconds is None else f"{seconds:.2f} s",
                "a cost that is not known" if cost is None else f"{cost:.4f} USD",
            )
            if part
        )
        + " a question"
    )


def _error_lines(error: WrongAnswer) -> str:
    given = "no answer" if error.given is None else _short(error.given, _VALUE)
    reason = f" ({error.reason})" if error.reason else ""
    expected = " or ".join(_short(answer, _VALUE) for answer in error.expected)
    return (
        f"  {error.outcome:8} {_short(error.question, _QUESTION)}\n"
        f"           given {given}{reason}, page {_places(error.cited)}; "
        f"expected {expected}, page {_places(error.wanted)}"
    )


def _short(value: object, length: int) -> str:
    text = "; ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _places(pages: Sequence[PageRef]) -> str:
    several = len({sha1 for sha1, _ in pages}) > 1
    return ", ".join(f"{sha1[:8]} {page}" if several else str(page) for sha1, page in pages) or NO_VALUE


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")


PIPED_WIDTH = 200


class Bars:
    """A progress bar for each set of questions on a terminal; elsewhere a line for each finished set."""

    def __init__(self) -> None:
        console = Console(stderr=True)
        self._is_terminal = console.is_terminal
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._bars: dict[str, TaskID] = {}

    def show(self, name: str, done: int, of: int) -> None:
        """Show the progress of a set."""
        if name not in self._bars:
            self._bars[name] = self._progress.add_task(name, total=of)
        self._progress.update(self._bars[name], completed=done)
        if done == of and not self._is_terminal:
            sys.stderr.write(f"{name}: {of} questions\n")

    def __enter__(self) -> "Bars":
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()


_SHORT_TABLE = (
    *("variant", "score", "95 %", "± first", "answered", "wrong", "missing"),
    *("pages P", "pages R", "s/question", "USD/question"),
)


def compared(comparison: Comparison) -> None:
    """Print the table without its finest columns, which the report has, with the best in bold."""
    console = Console(file=sys.stdout)
    if not console.is_terminal:
        console = Console(file=sys.stdout, width=PIPED_WIDTH)
    table = Table(box=None, pad_edge=False)
    heads = columns(comparison)
    for number, head in enumerate(_SHORT_TABLE):
        table.add_column(head, justify="left" if number == 0 else "right", no_wrap=number > 0, overflow="fold")
    winners = best(comparison)
    for line in lines(comparison):
        cells = [line[heads.index(head)] for head in _SHORT_TABLE]
        table.add_row(*cells, style="bold" if line[0] in winners else None)
    console.print(table)
