from pathlib import Path

import pytest

from indexes.reading.document_queue import LARGEST_PART, SMALLEST_PART, DocumentQueue, Job, ReadingTask

LONG = ReadingTask(Path("long.pdf"), "a", page_count=100)
SHORT = ReadingTask(Path("short.pdf"), "b", page_count=3)


def taken(documents: DocumentQueue) -> list[Job]:
    return list(iter(documents.take, None))


@pytest.mark.parametrize("pages", [1, SMALLEST_PART, 2 * SMALLEST_PART, 100, 131, 400, 1000])
@pytest.mark.parametrize("workers", [1, 2, 3, 8])
def test_the_parts_of_a_document_hold_each_page_once_in_order(pages: int, workers: int) -> None:
    jobs = taken(DocumentQueue([ReadingTask(Path("a.pdf"), "a", pages)], workers, divides=True))
    if len(jobs) == 1:
        assert jobs[0].page_numbers is None
        assert workers == 1 or pages < 2 * SMALLEST_PART
        return
    parts = [job.page_numbers or range(0) for job in jobs]
    assert [number for part in parts for number in part] == list(range(1, pages + 1))
    assert all(SMALLEST_PART <= len(part) <= LARGEST_PART for part in parts)
    assert len(parts) >= min(workers, pages // SMALLEST_PART)


def test_a_reader_that_knows_no_parts_gets_whole_documents() -> None:
    assert taken(DocumentQueue([LONG, SHORT], 4, divides=False)) == [Job(LONG), Job(SHORT)]


def test_a_scanned_report_holds_up_nobody_where_several_processes_read_it() -> None:
    scanned = ReadingTask(Path("scanned.pdf"), "c", page_count=40, effort=2000)
    printed = ReadingTask(Path("printed.pdf"), "d", page_count=3, effort=3)
    assert [job.task for job in taken(DocumentQueue([scanned, printed], 2, divides=True))] == [
        printed,
        scanned,
        scanned,
    ]
    assert taken(DocumentQueue([printed, scanned], 2, divides=False)) == [Job(scanned), Job(printed)]


def test_parts_that_end_in_another_order_are_joined_in_the_order_of_pages() -> None:
    documents = DocumentQueue([LONG], 2, divides=True)
    first, second = taken(documents)
    assert not documents.finish(second, b"second", "")
    assert documents.take() is None
    assert not documents.finish(first, b"first", "")
    (join,) = taken(documents)
    assert join.parts == (b"first", b"second")
    assert documents.finish(join, None, "")
    assert not documents


def test_a_part_that_fails_fails_its_document_alone() -> None:
    documents = DocumentQueue([LONG, SHORT], 2, divides=True)
    first, second, short = taken(documents)
    assert documents.finish(first, None, "page 3 cannot be read")
    assert not documents.is_wanted(second)
    assert documents.is_wanted(short)
    assert taken(documents) == []
    assert documents.finish(short, None, "")
    assert not documents


def test_the_pages_read_are_those_of_all_parts() -> None:
    documents = DocumentQueue([LONG], 2, divides=True)
    first, second = taken(documents)
    assert documents.advance(first, 10, 50) == (10, 100)
    assert documents.advance(second, 5, 50) == (15, 100)
    documents.finish(first, b"", "")
    assert documents.advance(second, 6, 50) == (56, 100)


def test_the_time_of_a_document_runs_from_its_first_part() -> None:
    documents = DocumentQueue([LONG], 2, divides=True)
    first, second = taken(documents)
    assert documents.begin(first) < 60
    assert documents.begin(second) >= 0
