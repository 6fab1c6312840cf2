"""Caches that would grow for ever stay within a size and an age."""

import datetime as dt
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from storage.options import SECONDS_PER_DAY, CacheOptions, Limit
from storage.records.answers import Answer
from storage.records.pages import TableText
from storage.records.questions import Question
from storage.stores.caches import AnswerCache, CachedAnswer, EmbeddingCache, TableTextCache
from storage.stores.pruning import CachedFiles
from storage.stores.reply_journal import SURPLUS_BYTES, ReplyJournal
from storage.stores.run_log import LoggedAnswer, LoggedOpinion, Run, RunLog

START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC).timestamp()
NOTHING = Limit()


class Days:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> float:
        return self.now

    def pass_by(self, days: float) -> None:
        self.now += days * SECONDS_PER_DAY


@pytest.fixture
def clock() -> Days:
    return Days()


def answer(text: str) -> CachedAnswer:
    return CachedAnswer(answer=Answer(question=text, kind="text", value=text))


def test_answers_older_than_the_limit_go_and_younger_ones_stay(tmp_path: Path, clock: Days) -> None:
    cache = AnswerCache(tmp_path / "answers.sqlite", clock)
    for day in range(5):
        cache.put(f"day {day}", answer("x"))
        clock.pass_by(1)
    assert cache.prune(Limit(days=3), clock.now) == 2
    assert [cache.get(f"day {day}") is None for day in range(5)] == [True, True, False, False, False]
    assert cache.state().oldest == dt.datetime(2026, 1, 3, tzinfo=dt.UTC)


def test_a_vector_that_an_ingestion_used_again_outlives_those_that_none_used(tmp_path: Path, clock: Days) -> None:
    cache = EmbeddingCache(tmp_path / "vectors.sqlite", clock)
    cache.put("m", [("used again", [1.0, 0.0]), ("used once", [0.0, 1.0])])
    clock.pass_by(8)
    cache.get("m", ["used again"])
    clock.pass_by(8)
    assert cache.prune(Limit(days=10), clock.now) == 1
    assert list(cache.get("m", ["used again", "used once"])) == ["used again"]


def test_tables_written_out_go_by_their_last_use(tmp_path: Path, clock: Days) -> None:
    cache = TableTextCache(tmp_path / "texts.sqlite", clock)
    text = (TableText(subject="Revenue", information="Revenue was 7."),)
    cache.put("a", text)
    cache.put("b", text)
    clock.pass_by(8)
    assert cache.get(["b"]) == {"b": text}
    clock.pass_by(8)
    assert cache.prune(Limit(days=10), clock.now) == 1
    assert list(cache.get(["a", "b"])) == ["b"]


def test_a_cache_that_outgrows_its_size_loses_what_was_used_longest_ago(tmp_path: Path, clock: Days) -> None:
    file = tmp_path / "vectors.sqlite"
    cache = EmbeddingCache(file, clock)
    days = [[f"text {number} of day {day}" for number in range(100)] for day in range(30)]
    for texts in days:
        cache.put("m", [(text, [1.0] * 384) for text in texts])
        clock.pass_by(1)
    assert cache.state().bytes > 5e6
    gone = cache.prune(Limit(megabytes=3), clock.now)
    left = [len(cache.get("m", texts)) for texts in days]
    assert sum(left) == 3000 - gone
    assert left == sorted(left)
    assert left[:10] == [0] * 10
    assert left[-10:] == [100] * 10
    assert 2e6 < file.stat().st_size < 3e6  # the disk has its space back


def test_many_vectors_of_one_moment_do_not_all_go_for_the_few_that_are_too_many(
    tmp_path: Path, clock: Days
) -> None:
    cache = EmbeddingCache(tmp_path / "vectors.sqlite", clock)
    texts = [f"text {number}" for number in range(1000)]
    cache.put("m", [(text, [1.0] * 384) for text in texts])
    cache.prune(Limit(megabytes=1), clock.now)
    assert 300 < len(cache.get("m", texts)) < 600


def test_a_cache_within_its_limits_and_one_that_was_never_filled_are_left_alone(
    tmp_path: Path, clock: Days
) -> None:
    cache = AnswerCache(tmp_path / "answers.sqlite", clock)
    cache.put("a", answer("x"))
    clock.pass_by(10_000)
    assert cache.prune(NOTHING, clock.now) == 0
    assert cache.get("a") is not None
    empty = EmbeddingCache(tmp_path / "vectors.sqlite", clock)
    assert empty.prune(Limit(days=1), clock.now) == 0
    assert (empty.state().bytes, empty.state().oldest) == (0, None)
    assert not (tmp_path / "vectors.sqlite").exists()


@pytest.mark.parametrize(
    ("table", "made", "opened"),
    [
        (
            "vector",
            "model TEXT NOT NULL, text_sha256 BLOB NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (model, text_sha256)",
            EmbeddingCache,
        ),
        ("table_text", "key TEXT PRIMARY KEY, content TEXT NOT NULL", TableTextCache),
    ],
)
def test_what_an_earlier_version_cached_counts_as_used_when_it_is_first_opened(
    tmp_path: Path,
    clock: Days,
    table: str,
    made: str,
    opened: Callable[[Path, Days], EmbeddingCache | TableTextCache],
) -> None:
    file = tmp_path / "old.sqlite"
    connection = sqlite3.connect(file)
    connection.execute(f"CREATE TABLE {table} ({made}) WITHOUT ROWID")
    values = ("a", b"b", b"c") if table == "vector" else ("a", "[]")
    connection.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(values))})", values)
    connection.commit()
    connection.close()
    cache = opened(file, clock)
    assert cache.prune(Limit(days=5), clock.now) == 0
    clock.pass_by(6)
    assert opened(file, clock).prune(Limit(days=5), clock.now) == 1


def logged(log: RunLog, clock: Days, name: str, text: str = "x") -> None:
    at = dt.datetime.fromtimestamp(clock.now, dt.UTC)
    run = Run(id=name, started=dt.datetime.fromtimestamp(START, dt.UTC), purpose="ask", profile="p", settings={})
    log.append(run, LoggedAnswer(at=at, question=Question(text=text)))
    log.note(name, f"answer of {name}", LoggedOpinion(at=at, question=Question(text=text), helpful=True))


def test_a_run_goes_whole_when_its_last_question_is_too_old(tmp_path: Path, clock: Days) -> None:
    log = RunLog(tmp_path / "runs.sqlite")
    logged(log, clock, "ended")
    logged(log, clock, "goes on")
    clock.pass_by(20)
    logged(log, clock, "goes on")
    clock.pass_by(20)
    assert log.prune(Limit(days=30), clock.now) == 1
    (left,) = log.runs()
    assert left.id == "goes on"
    assert len(log.entries(left)) == 2
    assert log.state().oldest == dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    ended = left.model_copy(update={"id": "ended"})
    assert log.entries(ended) == log.opinions(ended) == ()


def test_a_run_log_that_outgrows_its_size_loses_the_runs_that_ended_first(tmp_path: Path, clock: Days) -> None:
    log = RunLog(tmp_path / "runs.sqlite")
    for number in range(40):
        logged(log, clock, f"run {number:02}", "x" * 50_000)
        clock.pass_by(1)
    gone = log.prune(Limit(megabytes=1), clock.now)
    assert {run.id for run in log.runs()} == {f"run {number:02}" for number in range(gone, 40)}
    assert 0 < log.state().bytes < 1.2e6
    assert 5 < len(log.runs()) < 10


def test_pictures_that_nobody_looked_at_for_long_go_first(tmp_path: Path) -> None:
    for number in range(10):
        picture = tmp_path / f"report {number}" / "0001.png"
        picture.parent.mkdir()
        picture.write_bytes(b"x" * 300_000)
        os.utime(picture, (START + number, START))
    pictures = CachedFiles(tmp_path, "*.png")
    assert pictures.prune(Limit(megabytes=2), START) == 4
    assert sorted(p.name for p in tmp_path.iterdir()) == [f"report {number}" for number in range(4, 10)]
    assert pictures.prune(Limit(days=1), START + SECONDS_PER_DAY + 6) == 2
    assert pictures.state().entries == 4


def test_replies_of_questions_that_are_done_do_not_pile_up_in_the_file(tmp_path: Path) -> None:
    file = tmp_path / "answers.json.replies"
    journal = ReplyJournal(file, resume=True)
    journal.store("waits", "first")
    for number in range(30):
        journal.store(f"q{number}", "x" * 500_000)
        journal.forget([f"q{number}"])
    assert file.stat().st_size < SURPLUS_BYTES + 1_000_000
    resumed = ReplyJournal(file, resume=True)
    assert [resumed.take("waits"), resumed.take("q29")] == ["first", None]


def test_replies_of_a_run_that_nobody_resumed_in_time_are_dropped(tmp_path: Path, clock: Days) -> None:
    file = tmp_path / "answers.json.replies"
    ReplyJournal(file, resume=True).store("a", "old")
    os.utime(file, (START, START))
    clock.pass_by(29)
    assert ReplyJournal(file, resume=True, days=30, clock=clock).take("a") == "old"
    clock.pass_by(2)
    assert ReplyJournal(file, resume=True, days=30, clock=clock).take("a") is None
    assert not file.exists()


def test_every_cache_has_a_size_and_an_age() -> None:
    options = CacheOptions(embeddings_mb=None)
    assert options.limit("embeddings") == Limit(megabytes=None, days=365)
    assert options.limit("answers") == Limit(megabytes=500, days=90)
