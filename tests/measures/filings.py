"""How many filings are read right, and how many of 120 questions are answered from the right filing and column.

`python -m tests.measures.filings` writes the filings of `tests.support.write_filings`, reads them without a catalog and
asks without a language model. Questions at even places are those that rules were written on, odd ones are held out and
counted apart; `--all` lists what went wrong in both halves.
"""

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

from app import open_pageproof
from app.assembly.client import Pageproof
from indexes.ingestion.requests import IngestRequest
from storage.records.answers import Answer
from storage.records.questions import AnswerKind, Question
from storage.records.reports import Report
from tests.support.write_filings import CALDER, FILINGS, HARROWGATE, LINDQVIST, Filer, WrittenFiling, write_filings

_FIELDS = ("type", "months", "quarter", "year_end_month", "weeks", "status", "is_amended", "is_restated")
_METRICS = {
    "revenue": ("the total revenue", "revenue", "the revenues"),
    "gross": ("the gross profit", "gross profit"),
    "operating": ("the operating income", "operating income"),
    "net": ("the net income", "net income", "net earnings"),
    "cash_from_operations": ("the operating cash flow", "net cash provided by operating activities"),
}
_POSITIONS = {
    "total": ("the total assets", "total assets"),
    "cash": ("cash and cash equivalents", "the cash and cash equivalents"),
    "inventories": ("the inventories", "inventory"),
    "equity": ("shareholders' equity", "the total shareholders' equity"),
    "debt": ("the long-term debt", "long-term debt"),
}
_ASKED = (
    "What was {what} of {company} {when}?",
    "{company}: {what} {when}?",
    "How much {bare} did {company} report {when}?",
    "Please tell me {what} {company} had {when}.",
    "What did {company} report as {what} {when}?",
)
_YEAR = (
    "in fiscal {y}",
    "in FY{y}",
    "for FY{s}",
    "for fiscal year {y}",
    "for the year ended {day}",
    "during fiscal {y}",
)
_QUARTER = (
    "in the {ordinal} quarter of fiscal {y}",
    "in Q{q} FY{s}",
    "in Q{q} {y}",
    "for the quarter ended {day}",
    "in Q{q} of fiscal {y}",
    "for the three months ended {day}",
)
_HALF = (
    "in the first half of fiscal {y}",
    "in H1 FY{s}",
    "for the six months ended {day}",
    "in the first six months of fiscal {y}",
    "in H1 {y}",
)
_NINE = ("in the first nine months of fiscal {y}", "for the nine months ended {day}")
_AT_YEAR_END = ("at the end of fiscal {y}", "as of {day}", "at {day}", "at the end of FY{s}")
_AT_QUARTER_END = (
    "as of Q{q} FY{s}",
    "at {day}",
    "as of {day}",
    "at the end of the {ordinal} quarter of fiscal {y}",
)
_ORDINALS = ("first", "second", "third", "fourth")


@dataclass(frozen=True)
class Asked:
    """A question, the filing that answers it, and the value that it prints; None where only the filing counts."""

    text: str
    file: str
    value: float | bool | None
    kind: AnswerKind = "number"


@dataclass(frozen=True)
class _Time:
    """A period of a company: its last quarter, how many quarters, the name of its fiscal year, and who prints it."""

    filer: Filer
    last: int
    count: int
    year: int
    file: str
    restated: bool = False


_TIMES = (
    _Time(HARROWGATE, 3, 4, 2021, "harrowgate-10k-2021.pdf"),
    _Time(HARROWGATE, 7, 4, 2022, "harrowgate-10k-2022.pdf"),
    _Time(HARROWGATE, 11, 4, 2023, "harrowgate-release-q4.pdf"),
    _Time(HARROWGATE, 9, 1, 2023, "harrowgate-10q-q2.pdf"),
    _Time(HARROWGATE, 5, 1, 2022, "harrowgate-10q-q2.pdf"),
    _Time(HARROWGATE, 11, 1, 2023, "harrowgate-release-q4.pdf"),
    _Time(HARROWGATE, 7, 1, 2022, "harrowgate-release-q4.pdf"),
    _Time(HARROWGATE, 9, 2, 2023, "harrowgate-10q-q2.pdf"),
    _Time(HARROWGATE, 5, 2, 2022, "harrowgate-10q-q2.pdf"),
    _Time(CALDER, 3, 4, 2022, "calder-10k-2022.pdf"),
    _Time(CALDER, 7, 4, 2023, "calder-10ka-2023.pdf"),
    _Time(CALDER, 8, 1, 2024, "calder-10q-q1.pdf"),
    _Time(CALDER, 4, 1, 2023, "calder-10q-q1.pdf"),
    _Time(CALDER, 9, 1, 2024, "calder-10q-q2.pdf"),
    _Time(CALDER, 5, 1, 2023, "calder-10q-q2.pdf"),
    _Time(CALDER, 9, 2, 2024, "calder-10q-q2.pdf"),
    _Time(CALDER, 5, 2, 2023, "calder-10q-q2.pdf"),
    _Time(CALDER, 10, 1, 2024, "calder-release-q3.pdf"),
    _Time(CALDER, 10, 3, 2024, "calder-release-q3.pdf"),
    _Time(CALDER, 6, 3, 2023, "calder-release-q3.pdf"),
    _Time(LINDQVIST, 7, 4, 2023, "lindqvist-2023.pdf"),
    _Time(LINDQVIST, 9, 2, 2024, "lindqvist-half-year.pdf"),
    _Time(LINDQVIST, 5, 2, 2023, "lindqvist-half-year.pdf"),
)
_FLOWS_APART = {"cash_from_operations"}  # a quarter's cash flows are not printed


def questions() -> list[Asked]:
    """The 120 questions: metrics and wordings change from one to the next."""
    asked = [*_of_periods(), *_of_restated_years(), *_of_the_latest(), *_of_topics(), *_free(), *_of_days()]
    return asked[:120]


def _of_periods() -> Iterator[Asked]:
    forms, lines = cycle(_ASKED), cycle(_METRICS)
    for place in range(3):
        for number, time in enumerate(_TIMES):
            line = next(each for each in lines if each not in _FLOWS_APART or time.count > 1)
            whens = {4: _YEAR, 1: _QUARTER, 2: _HALF, 3: _NINE}[time.count]
            when = _written(whens[(place * 2 + number) % len(whens)], time)
            yield _asked(
                next(forms),
                _METRICS[line],
                when,
                time,
                time.filer.flow(line, time.last - time.count + 1, time.count),
            )


def _of_days() -> Iterator[Asked]:
    forms, lines = cycle(_ASKED[:2] + _ASKED[3:4]), cycle(_POSITIONS)
    for place in range(2):
        for number, time in enumerate(_TIMES):
            if time.count not in (1, 4) or (time.count == 1 and time.last in (4, 5, 7)):
                continue
            line = next(lines)
            whens = _AT_YEAR_END if time.count == 4 else _AT_QUARTER_END
            when = _written(whens[(place + number) % len(whens)], time)
            yield _asked(next(forms), _POSITIONS[line], when, time, time.filer.balance(line, time.last))


def _of_restated_years() -> Iterator[Asked]:
    restated = LINDQVIST.flow("revenue", 0, 4, restated=True)
    time = _Time(LINDQVIST, 3, 4, 2022, "lindqvist-2023.pdf")
    for form in _ASKED[:3]:
        yield _asked(form, ("the total revenue", "revenue"), "in 2022", time, restated)
    own = _Time(LINDQVIST, 3, 4, 2022, "lindqvist-2022.pdf")
    yield _asked(_ASKED[0], ("the net income", "net income"), "in 2022", own, LINDQVIST.flow("net", 0, 4))


def _of_the_latest() -> Iterator[Asked]:
    for filer, file, last, so_far in (
        (HARROWGATE, "harrowgate-release-q4.pdf", 11, 4),
        (CALDER, "calder-release-q3.pdf", 10, 3),
    ):
        newest = _Time(filer, last, 1, 0, file)
        for form, when in zip(
            cycle(_ASKED), ("in the latest quarter", "in the most recent quarter", "last quarter")
        ):
            yield _asked(form, _METRICS["net"], when, newest, filer.flow("net", last))
        yield _asked(
            _ASKED[0],
            _METRICS["revenue"],
            "year to date",
            newest,
            filer.flow("revenue", last - so_far + 1, so_far),
        )
    year = _Time(HARROWGATE, 7, 4, 2022, "harrowgate-10k-2022.pdf")
    yield _asked(
        _ASKED[0], _METRICS["revenue"], "in its latest annual report", year, HARROWGATE.flow("revenue", 4, 4)
    )
    yield _asked(_ASKED[0], _METRICS["gross"], "in the last fiscal year", year, HARROWGATE.flow("gross", 4, 4))


def _of_topics() -> Iterator[Asked]:
    proxy, deal = "harrowgate-proxy.pdf", "calder-8k.pdf"
    yield Asked(
        "What was the total compensation of the chief executive officer of Harrowgate Stores?", proxy, None, "text"
    )
    yield Asked(
        "How are the directors of Harrowgate Stores paid? What does the proxy statement say?", proxy, None, "text"
    )
    yield Asked("Did Calder Instruments acquire a company?", deal, True, "boolean")
    yield Asked("What did Calder Instruments announce in its 8-K?", deal, None, "text")


def _free() -> Iterator[Asked]:
    """Questions in words of their own."""
    quarter, half, amended = "calder-10q-q1.pdf", "lindqvist-half-year.pdf", "calder-10ka-2023.pdf"
    second = "harrowgate-10q-q2.pdf"
    net, revenue = "net", "revenue"
    for text, file, filer, line, last, count in (
        ("Harrowgate FY22 revenue?", "harrowgate-10k-2022.pdf", HARROWGATE, revenue, 7, 4),
        ("How did Calder Instruments do in Q3 FY24: net income?", "calder-release-q3.pdf", CALDER, net, 10, 1),
        ("Lindqvist Marine interim revenue H1 2024", half, LINDQVIST, revenue, 9, 2),
        ("What were Calder Instruments' sales in fiscal 2023?", amended, CALDER, revenue, 7, 4),
        ("Harrowgate Stores: net income for the 13 weeks ended July 29, 2023?", second, HARROWGATE, net, 9, 1),
        (
            "What revenue did Harrowgate Stores have for the 52 weeks ended January 28, 2023?",
            *("harrowgate-10k-2022.pdf", HARROWGATE, revenue, 7, 4),
        ),
        ("And how much was Lindqvist Marine's revenue in 2023?", "lindqvist-2023.pdf", LINDQVIST, revenue, 7, 4),
        (
            "What net income did Calder Instruments report for the quarter to September 30, 2023?",
            *(quarter, CALDER, net, 8, 1),
        ),
        ("Gross profit of Lindqvist Marine for the half year to 30 June 2024?", half, LINDQVIST, "gross", 9, 2),
        (
            "By its 10-Q, what was Calder Instruments' revenue in the first quarter of fiscal 2024?",
            *(quarter, CALDER, revenue, 8, 1),
        ),
        ("Harrowgate Stores' revenue for the 26 weeks ended July 29, 2023?", second, HARROWGATE, revenue, 9, 2),
        (
            "What was the revenue of Calder Instruments for the half year ended December 31, 2023?",
            *("calder-10q-q2.pdf", CALDER, revenue, 9, 2),
        ),
    ):
        yield Asked(text, file, float(filer.flow(line, last - count + 1, count) * 1000))


def _written(when: str, time: _Time) -> str:
    quarter = time.last % 4 + 1
    return when.format(
        y=time.year, s=time.year % 100, q=quarter, ordinal=_ORDINALS[quarter - 1], day=time.filer.day(time.last)
    )


def _asked(form: str, names: Sequence[str], when: str, time: _Time, thousands: int) -> Asked:
    company = time.filer.name.split(",")[0].removesuffix(" plc")
    text = form.format(what=names[0], bare=names[1], company=company, when=when)
    return Asked(text, time.file, float(thousands * 1000))


def read_wrong(report: Report, known: WrittenFiling) -> list[str]:
    """What was read of a filing otherwise than it is."""
    found = {field: getattr(report.filing, field) for field in _FIELDS}
    found |= {"end": report.period_end, "fiscal_year": report.fiscal_year}
    return [f"{name} is {value!r}" for name, value in found.items() if value != getattr(known, name)]


def _right(asked: Asked, answer: Answer, reports: Mapping[str, Report]) -> tuple[bool, bool]:
    """Whether the filing that was read is the right one, and the value."""
    files = {citation.file for citation in answer.citations}
    is_read = asked.file in files or (not files and answer.filing == reports[asked.file].described)
    return is_read, asked.value is None or answer.value == asked.value


def _ask(client: Pageproof, reports: Mapping[str, Report], *, shows_all: bool) -> None:
    counts: Counter[tuple[int, str]] = Counter()
    for number, asked in enumerate(questions()):
        answer = client.ask(Question(text=asked.text, kind=asked.kind))
        filing, value = _right(asked, answer, reports)
        half = number % 2
        counts.update([(half, "n"), *[(half, "filing")] * filing, *[(half, "value")] * value])
        if not (filing and value) and (shows_all or not half):
            files = ", ".join(sorted({c.file for c in answer.citations})) or answer.filing
            print(
                f"{number:3} {asked.text}\n      {asked.file} {asked.value}; got {files}",
                answer.value_text,
                answer.reason,
            )
    for half, name in enumerate(("written on", "held out")):
        n = counts[half, "n"]
        print(f"{name}: right filing {counts[half, 'filing']} of {n}, right value {counts[half, 'value']} of {n}")


def main() -> None:
    """Write, read and ask."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--all", action="store_true", help="list what went wrong in the held-out half, too")
    options.add_argument("--data", type=Path, help="an existing library of the filings")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = given.data or Path(folder) / "data"
        with open_pageproof("offline", data=data) as client:
            if given.data is None:
                list(client.library.ingest(IngestRequest(paths=write_filings(Path(folder) / "pdfs"), workers=1)))
            reports = {report.file: report for company in client.companies() for report in company.reports}
            wrong = {known.file: read_wrong(reports[known.file], known) for known in FILINGS}
            for file, what in wrong.items():
                if what:
                    print(f"{file}: {'; '.join(what)}")
            print(f"filings read right: {sum(not what for what in wrong.values())} of {len(wrong)}")
            _ask(client, reports, shows_all=given.all)


if __name__ == "__main__":
    main()
