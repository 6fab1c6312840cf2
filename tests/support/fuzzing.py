"""Everything that reads what people, files and models write, on texts that nobody would write.

`python -m tests.support.fuzzing SECONDS` tries random texts for so long, and writes each that breaks a reader into
tests/support/corpus/. The tests read that folder again and again, so what broke once stays mended.
"""

import json
import random
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from app.chat.session.people import People
from app.chat.session.requests import read_correction, read_place, read_request, read_sha1
from app.evaluation.question_workbook import read_filled
from app.files.answers import read_answers
from app.files.questions import read_questions
from app.files.workbooks import new_book, put_text, read_sheet, saved
from app.settings import load_settings
from indexes.enrichment.units import printed_currency, printed_scale, unit_of_line
from prompts import loose_values
from prompts.kinds.names import NamesDraft
from prompts.kinds.number import NumberDraft
from query_engines.comparison.by_topic import read_core
from query_engines.llm.reply_repair import repair
from query_engines.llm.structured import read_form
from query_engines.question.parser import read_text
from storage.amounts import parse_figure
from storage.errors import PageproofError
from storage.lexicon.periods import heading_periods, periods_in, without_periods
from storage.records.questions import Question

CORPUS = Path(__file__).parent / "corpus"
FRAGMENTS: Sequence[str] = (
    *"0123456789()[]{}<>.,;:!?'\"`-–—−+*/\\|%$€£¥&@#_=~^\t\n\r\x00\u00a0\u200b\u202e\ufeff年月",
    *(
        "1,234",
        "1.234,5",
        "(12)",
        "2020",
        "2019/20",
        "Q1",
        "FY21",
        "H1 2022",
        "31 December 2021",
        "last year",
        "since",
    ),
    *(
        "in",
        "EUR",
        "USD million",
        "of",
        "the",
        "and",
        "or",
        "than",
        "compare",
        "which",
        "@0",
        "@L",
        "revenue",
        "Acme plc",
    ),
    *('{"', '": ', "null", "true", "[]", "{}", "final_answer", "relevant_pages", "```json", "NaN", "1e999", "-0"),
    *(
        "text",
        "kind",
        "company",
        "question",
        "number",
        "a,b",
        "retrieval.pages=",
        "llm",
        ":",
        "x" * 50,
        "9" * 60,
        "\ud800",
    ),
)


def _figures(text: str) -> None:
    for mark in (".", ","):
        value = parse_figure(text, mark)
        assert value is None or value.is_finite(), value


def _periods(text: str) -> None:
    for found in (*periods_in(text), *heading_periods(text)):
        assert 0 <= found.start <= found.end <= len(text), found
    without_periods(text)


def _questions(text: str) -> None:
    parsed = read_text(Question(text=text))
    read_core(parsed.text, parsed.currency)


def _units(text: str) -> None:
    printed_currency(text), printed_scale(text), unit_of_line(text)


def _values(text: str) -> None:
    value = _json(text)
    for name in dir(loose_values):
        if name.startswith("read_"):
            for given in (value, text):
                _allow(lambda: getattr(loose_values, name)(given), ValueError)  # noqa: B023  # called at once


def _replies(text: str) -> None:
    for form in (NumberDraft, NamesDraft):
        read_form(text, form)
        found = repair(text, form)
        if found is not None:
            _allow(lambda: form.model_validate(found), ValidationError)  # noqa: B023  # called at once


def _files(read: Callable[[Path], object], *endings: str) -> Callable[[str], None]:
    def reads(text: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for ending in endings:
                path = Path(folder) / f"file{ending}"
                path.write_bytes(text.encode("utf-8", "surrogatepass"))
                _allow(lambda: read(path), PageproofError)  # noqa: B023  # called at once

    return reads


def _workbooks(text: str) -> None:
    """A workbook with this text in its cells, and one whose bytes it damages."""
    book, page = new_book("Questions")
    for row, line in enumerate(text.split("\n")[:5], 1):
        for column, content in enumerate(line.split(",")[:5], 1):
            put_text(page.cell(row, column), content)
    whole = saved(book)
    at = sum(map(ord, text)) % len(whole)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "book.xlsx"
        for damaged in (whole, whole[:at] + text.encode("utf-8", "replace") + whole[at + len(text) :], whole[:at]):
            path.write_bytes(damaged)
            for read in (read_sheet, read_questions, read_filled):
                _allow(lambda: read(path), PageproofError)  # noqa: B023  # called at once


def _settings(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        _allow(lambda: load_settings(overrides=[text], environment={}, folder=Path(folder)), PageproofError)
        _allow(lambda: load_settings(overrides=[f"retrieval.pages={text}"], environment={}), PageproofError)
        (Path(folder) / "pageproof.toml").write_bytes(text.encode("utf-8", "surrogatepass"))
        _allow(lambda: load_settings(environment={}, folder=Path(folder)), PageproofError)
        _allow(lambda: load_settings(environment={"PAGEPROOF__LLM__MODEL": text}), PageproofError)


def _people(text: str) -> None:
    _allow(lambda: People.load(None, {"PAGEPROOF_PEOPLE": text}), PageproofError)


def _messages(text: str) -> None:
    read_request(text)
    value = _json(text)
    payload = value if isinstance(value, dict) else {}
    for sent in (
        payload,
        dict.fromkeys(("sha1", "company", "currency", "period_end", "year", "id", "place"), value),
    ):
        for read in (read_sha1, read_correction, read_place):
            _allow(lambda: read(sent), PageproofError)  # noqa: B023  # called at once


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _allow(call: Callable[[], object], allowed: type[Exception]) -> None:
    """Call; an error that says what is wrong is an answer too."""
    with suppress(allowed):
        call()


READERS: dict[str, Callable[[str], None]] = {
    "answers": _files(read_answers, ".json", ".jsonl", ".csv", ".xlsx"),
    "figures": _figures,
    "messages": _messages,
    "people": _people,
    "periods": _periods,
    "questions": _questions,
    "question_files": _files(read_questions, ".json", ".jsonl", ".csv", ".txt", ".xlsx"),
    "replies": _replies,
    "settings": _settings,
    "question_workbooks": _files(read_filled, ".xlsx"),
    "units": _units,
    "values": _values,
    "workbooks": _workbooks,
}


def random_text(chance: random.Random) -> str:
    """Up to forty pieces of what the readers know, in any order, with characters of all kinds."""
    pieces = chance.choices(FRAGMENTS, k=chance.randint(0, 40))
    pieces += (chr(chance.randrange(1, 0x3000)) for _ in range(chance.choice((0, 0, 3))))
    chance.shuffle(pieces)
    return chance.choice(("", " ", " ")).join(pieces)


def main() -> None:
    """Try random texts for the seconds that are given, and keep what breaks."""
    until, chance, tried = time.monotonic() + float(sys.argv[1]), random.Random(), 0
    broken: set[tuple[str, str]] = set()
    while time.monotonic() < until:
        text = random_text(chance)
        for name, read in READERS.items():
            tried += 1
            try:
                read(text)
            except Exception as error:  # noqa: BLE001  # any error that is not allowed is what is looked for
                frame = traceback.extract_tb(error.__traceback__)[-1]
                place = f"{type(error).__name__} at {frame.filename}:{frame.lineno}"
                if (name, place) not in broken:
                    broken.add((name, place))
                    keep(name, text)
                    print(f"{name}: {place}: {error}")
    print(f"{tried:,} texts read, {len(broken)} ways to break")
    sys.exit(1 if broken else 0)


def keep(name: str, text: str) -> Path:
    """Write a text that broke a reader into the corpus."""
    folder = CORPUS / name
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{len(list(folder.iterdir())) + 1:03d}.json"
    path.write_text(json.dumps(text), encoding="utf-8")
    return path


if __name__ == "__main__":
    main()
