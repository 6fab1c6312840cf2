"""The trail of answers: what is logged, by whom, and what happens when it cannot be."""

import asyncio
import json
import multiprocessing
import sqlite3
from pathlib import Path

import pytest

from app import open_pageproof
from app.command_line import run
from app.recording.run_views import SeenRun, compared
from app.settings import differences, load_settings
from storage.records.answers import Answer, Citation, Usage
from storage.records.questions import Question
from storage.stores.run_log import LoggedAnswer, LoggedOpinion, Run, RunLog

REVENUE = "What was the total revenue of Ostermere Instruments, Inc.?"
UNKNOWN = "What was the revenue of Acme Corporation?"


@pytest.fixture
def data(sample_data: Path, tmp_path: Path) -> Path:
    """The samples' library with a run log of its own."""
    for entry in sample_data.iterdir():
        if not entry.name.startswith("runs."):
            (tmp_path / entry.name).symlink_to(entry)
    return tmp_path


def entry(text: str, value: float = 1.0, page: int = 5, cost: float = 0.0) -> LoggedAnswer:
    cited = Citation(report_sha1="abc", file="a.pdf", page=page, page_width=1, page_height=1, quote="q")
    usage = Usage(requests=1, cost_usd=cost)
    answer = Answer(question=text, kind="number", value=value, citations=(cited,), usage=usage, seconds=2.0)
    return LoggedAnswer.of(Question(text=text), answer)


def append_many(path: Path, writer: int, count: int) -> None:
    log, begun = RunLog(path), Run.begin(f"writer {writer}", "offline", {}, None)
    for number in range(count):
        log.append(begun, entry(f"{writer}-{number}"))


def test_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    path, context = tmp_path / "runs.sqlite", multiprocessing.get_context("spawn")
    writers = [context.Process(target=append_many, args=(path, n, 25)) for n in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    log = RunLog(path)
    assert [writer.exitcode for writer in writers] == [0] * 4
    found = {e.question.text for begun in log.runs() for e in log.entries(begun)}
    assert found == {f"{writer}-{number}" for writer in range(4) for number in range(25)}


def test_ask_logs_the_question_with_what_came_of_it(data: Path) -> None:
    assert run(["ask", REVENUE, "--kind", "number", "--set", "retrieval.pages=7", "--data", str(data)]) == 0

    log = RunLog(data / "runs.sqlite")
    (begun,) = log.runs()
    assert (begun.purpose, begun.profile, begun.model) == ("ask", "offline", None)
    assert begun.settings == {"retrieval.pages": "7"}
    (logged,) = log.entries(begun)
    assert (logged.question, logged.value) == (Question(text=REVENUE, kind="number"), 386412000)
    assert logged.pages[0].file == "ostermere_2024.pdf"
    assert logged.seconds > 0


async def test_a_stream_as_the_chat_uses_it_and_a_programs_engine_are_logged(data: Path) -> None:
    with open_pageproof("offline", data=data, purpose="chat") as client:
        async for _ in client.stream(Question(text=UNKNOWN)):
            pass
        await asyncio.to_thread(client.query_engine.query, UNKNOWN)

    log = RunLog(data / "runs.sqlite")
    (begun,) = log.runs()
    assert begun.purpose == "chat"
    assert [e.reason for e in log.entries(begun)] == ["company_unknown"] * 2


def test_what_failed_is_logged_with_its_error(data: Path) -> None:
    (data / "pages").unlink()
    assert run(["ask", REVENUE, "--data", str(data)]) == 3

    log = RunLog(data / "runs.sqlite")
    (logged,) = log.entries(log.runs()[0])
    assert logged.failed
    assert "run `pageproof ingest`" in (logged.error or "")


def test_nothing_is_kept_where_logging_is_off(data: Path) -> None:
    assert run(["ask", UNKNOWN, "--set", "runs.log=false", "--data", str(data)]) == 0

    assert not (data / "runs.sqlite").exists()


def test_a_damaged_log_is_set_aside_and_fails_no_answer(data: Path, caplog: pytest.LogCaptureFixture) -> None:
    (data / "runs.sqlite").write_text("this is no database, and longer than a header of one hundred bytes " * 3)

    with open_pageproof("offline", data=data) as client:
        for _ in range(2):
            assert client.query(UNKNOWN).response.reason == "company_unknown"

    (record,) = caplog.records
    assert "runs.sqlite is damaged (file is not a database)" in record.message
    (aside,) = (data / "damaged").glob("*/runs.sqlite")
    assert aside.read_text().startswith("this is no database")
    log = RunLog(data / "runs.sqlite")
    assert [len(log.entries(run)) for run in log.runs()] == [2]


def test_a_log_that_cannot_be_written_fails_no_answer(data: Path, caplog: pytest.LogCaptureFixture) -> None:
    (data / "runs.sqlite").symlink_to("/proc/there is no such folder/runs.sqlite")

    with open_pageproof("offline", data=data) as client:
        for _ in range(2):
            assert client.query(UNKNOWN).response.reason == "company_unknown"

    assert [r.message for r in caplog.records if "run log cannot be written" in r.message] != []
    assert len(caplog.records) == 1


def test_a_log_that_is_none_is_named(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (data / "runs.sqlite").write_text("this is no database, and longer than a header of one hundred bytes " * 3)

    assert run(["runs", "--data", str(data)]) == 3
    message = capsys.readouterr().err
    assert "is damaged (file is not a database); run `pageproof repair`" in message
    assert len(message.splitlines()) == 1


def test_runs_are_listed_shown_and_compared(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = ["--data", str(data)]
    for question in (REVENUE, UNKNOWN):
        assert run(["ask", question, *root]) == 0
    capsys.readouterr()

    assert run(["runs", "--json", *root]) == 0
    later, earlier = json.loads(capsys.readouterr().out)
    assert (earlier["questions"], earlier["not_available"], later["not_available"]) == (1, 0, 1)
    first, second = earlier["run"]["id"], later["run"]["id"]

    assert run(["runs", first, "--json", *root]) == 0
    assert json.loads(capsys.readouterr().out)["entries"][0]["value"] == 386412000
    assert run(["runs", first, *root]) == 0
    assert "386,412,000" in capsys.readouterr().out

    assert run(["runs", first, second, "--json", *root]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [len(printed[key]) for key in ("questions", "only_before", "only_after")] == [0, 1, 1]
    assert run(["runs", "20", *root]) == 2
    assert run(["runs", "nonsense", *root]) == 2
    assert "there is no run 'nonsense'" in capsys.readouterr().err


def test_two_runs_are_compared_question_by_question() -> None:
    begun = Run.begin("answer", "offline", {}, None)
    before = SeenRun(run=begun, entries=(entry("a"), entry("b"), entry("c"), entry("gone")))
    after = SeenRun(
        run=begun,
        entries=(entry("a", cost=0.5), entry("b", value=9), entry("b", value=2), entry("c", page=6), entry("new")),
    )

    comparison = compared(before, after)

    assert (comparison.same, comparison.changed) == (1, 2)
    assert [(d.same_value, d.same_pages) for d in comparison.questions] == [
        (True, True),
        (False, True),
        (True, False),
    ]
    assert (comparison.questions[0].before.usage.cost_usd, comparison.questions[0].after.usage.cost_usd) == (
        0.0,
        0.5,
    )
    assert comparison.questions[1].after.value == 2  # asked twice: the last answer counts
    assert [q.text for q in (*comparison.only_before, *comparison.only_after)] == ["gone", "new"]


def test_looking_at_a_library_without_runs_makes_no_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["runs", "--data", str(tmp_path)]) == 0
    assert "Nothing was asked yet" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_a_password_in_an_address_is_not_logged() -> None:
    chosen = load_settings("ollama", ["llm.api_base=http://me:secret@10.0.0.5/v1"], environment={})
    assert differences(chosen)["llm.api_base"] == "http://10.0.0.5/v1"


def test_a_run_is_written_with_its_first_question_and_not_twice(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    append_many(path, 1, 3)
    with sqlite3.connect(path) as connection:
        counts = [connection.execute(f"SELECT count(*) FROM {t}").fetchone()[0] for t in ("run", "entry")]
    connection.close()
    assert counts == [1, 3]


def test_what_people_said_of_answers_stands_below_a_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log, begun = RunLog(tmp_path / "runs.sqlite"), Run.begin("chat", "offline", {}, None)
    log.append(begun, entry(REVENUE))
    first_opinion = LoggedOpinion(at=begun.started, question=Question(text=REVENUE), helpful=True)
    log.note(begun.id, "answer 1", first_opinion)
    log.note(
        begun.id, "answer 1", first_opinion.model_copy(update={"helpful": False, "comment": "the prior year"})
    )
    log.note(begun.id, "answer 2", first_opinion)
    log.note(begun.id, "answer 2", None)

    assert run(["runs", begun.id, "--data", str(tmp_path)]) == 0
    (line,) = [row for row in capsys.readouterr().out.splitlines() if row.startswith("not helpful")]
    assert line.split() == ["not", "helpful", *REVENUE.split(), "the", "prior", "year"]
    assert run(["runs", begun.id, "--json", "--data", str(tmp_path)]) == 0
    (opinion,) = json.loads(capsys.readouterr().out)["opinions"]
    assert (opinion["helpful"], opinion["comment"]) == (False, "the prior year")


def test_a_question_cannot_steer_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "What\x1b]0;owned\x07 was \x9b2J\x1b[31mthe revenue?"
    log = RunLog(tmp_path / "runs.sqlite")
    started = Run.begin("ask", "offline", {}, None)
    log.append(started, LoggedAnswer.failure(Question(text=hostile), "no\x1b[2J", 0.1))
    for more in ([], ["--json"]):
        assert run(["runs", started.id, *more, "--data", str(tmp_path)]) == 0
        shown = capsys.readouterr().out
        assert "revenue?" in shown
        assert not {"\x1b", "\x07", "\x9b"} & set(shown)


def test_an_answer_of_a_kind_that_only_another_version_knows_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log, begun = RunLog(tmp_path / "runs.sqlite"), Run.begin("ask", "offline", {}, None)
    log.append(begun, LoggedAnswer.failure(Question(text=REVENUE, kind="number"), "none", 0.1))
    with log.database.writing() as connection:
        connection.execute("UPDATE entry SET content = replace(content, 'number', 'date')")

    assert run(["runs", "--data", str(tmp_path)]) != 0
    told = capsys.readouterr().err
    assert "cannot read" in told
    assert "Traceback" not in told
