"""The lab's answers for other programs: a CSV with a row for each answer, and JUnit's XML for a build server."""

import csv
import io
import xml.etree.ElementTree as ET
from collections.abc import Iterator

from pydantic import JsonValue

from app.evaluation.truth import TruthValue
from app.files.answer_json import PageRef
from app.files.workbooks import inert
from app.lab.comparison import Comparison, GivenAnswer, QuestionRow
from storage.text import storable

_COLUMNS = (
    *("variant", "question", "kind", "company", "outcome", "value", "reason", "known_answer"),
    *("pages", "right_pages", "seconds"),
)


def as_csv(comparison: Comparison) -> bytes:
    """A row for each answer of each variant: UTF-8 with its mark, no cell that a spreadsheet would run."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for variant, row, given in _answers(comparison):
        cells = (
            *(variant, row.question, row.kind, row.company, given.outcome, _text(given.value), given.reason),
            *(_known(row), _pages(given.pages), _pages(given.right_pages), given.seconds),
        )
        writer.writerow([inert(cell) for cell in cells])
    return buffer.getvalue().encode("utf-8-sig")


def as_junit(comparison: Comparison) -> bytes:
    """A suite for each variant; a question with a known answer is a case, and fails where it earns less than all."""
    root = ET.Element("testsuites", name=f"pageproof lab {_xml(comparison.questions)}")
    suites: dict[str, ET.Element] = {}
    for name, row, given in _answers(comparison):
        if given.outcome is None:
            continue
        if name not in suites:
            suites[name] = ET.SubElement(root, "testsuite", name=_xml(name), tests="0", failures="0")
        suite = suites[name]
        _add_one(suite, "tests")
        case = ET.SubElement(suite, "testcase", name=_xml(row.question), classname=_xml(f"{name}.{row.kind}"))
        if given.seconds is not None:
            case.set("time", f"{given.seconds:.3f}")
        if given.outcome != "right":
            _add_one(suite, "failures")
            message = f"{given.outcome}: given {_text(given.value)}; known {_known(row)}"
            ET.SubElement(case, "failure", type=given.outcome, message=_xml(message))
    for variant in comparison.variants:
        if variant.lacks:
            unasked = ET.SubElement(root, "testsuite", name=_xml(variant.name), tests="0", failures="0")
            ET.SubElement(unasked, "system-err").text = _xml(f"not asked: needs {'; '.join(variant.lacks)}")
    ET.indent(root)
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode").encode()


def _answers(comparison: Comparison) -> Iterator[tuple[str, QuestionRow, GivenAnswer]]:
    for number, variant in enumerate(comparison.done):
        for row in comparison.rows:
            yield variant.name, row, row.given[number]


def _known(row: QuestionRow) -> str:
    return " or ".join(_text(value) for value in row.expected or ())


def _text(value: JsonValue | TruthValue) -> str:
    if value is None:
        return ""
    return "; ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _pages(pages: tuple[PageRef, ...]) -> str:
    return " ".join(f"{sha1}:{page}" for sha1, page in pages)


def _xml(text: str) -> str:
    """The text without characters that XML cannot hold."""
    return "".join(letter for letter in storable(text) if letter in "\t\n" or letter >= " ")


def _add_one(suite: ET.Element, count: str) -> None:
    suite.set(count, str(int(suite.get(count, "0")) + 1))
