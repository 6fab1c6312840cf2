"""A file of questions, where some fail, the budget ends, or nothing can be asked at all."""

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from app.command_line import run
from app.files.answers import AnswerWriter
from app.files.sheets import FileQuestion
from app.runs.answers import Answering, AnswerRun
from storage.errors import BudgetSpent, MissingIndex, MissingKey, PageproofError, ProviderError
from storage.records.answers import Answer, Usage
from storage.records.questions import Question

TEXTS = ("one", "two", "three", "four")
QUESTIONS = [FileQuestion(question=Question(text=text, kind="number")) for text in TEXTS]


class ScriptedClient:
    """Answers with the length of the text; texts in `errors` end with theirs."""

    profile = "scripted"
    run_id = "run-1"

    def __init__(self, errors: dict[str, Exception] | None = None, indexed: bool = True) -> None:
        self.asked: list[str] = []
        self.at_once = self.peak = 0
        self._errors, self._indexed = errors or {}, indexed

    async def aask(self, question: Question) -> Answer:
        self.asked.append(question.text)
        self.at_once += 1
        self.peak = max(self.peak, self.at_once)
        await asyncio.sleep(0.01)
        self.at_once -= 1
        if error := self._errors.get(question.text):
            raise error
        reason = "model_failed" if question.text == "unusable" else None
        value = "N/A" if reason else float(len(question.text))
        usage = Usage(requests=1, prompt_tokens=10, completion_tokens=1, cost_usd=0.5)
        return Answer(
            question=question.text, kind="number", value=value, reason=reason, analysis="no", usage=usage
        )

    def has_indexes(self) -> bool:
        return self._indexed


async def answered(
    client: ScriptedClient,
    path: Path,
    parallel: int = 1,
    questions: list[FileQuestion] = QUESTIONS,
    resume: bool = False,
) -> AnswerRun:
    writer = AnswerWriter(path, questions, resume=resume)
    done = await Answering(client, writer, parallel).run()
    writer.finish()
    return done


def values(path: Path) -> dict[str, object]:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {row["question"]: row.get("error") or row["value"] for row in rows}


@pytest.mark.parametrize(
    ("error", "message", "reason"),
    [
        (ProviderError("the server is away"), "the server is away", "model_failed"),
        (MissingIndex("no index of Two"), "no index of Two", None),
        (KeyError("x"), "a defect of Pageproof", None),
    ],
    ids=["provider", "index", "defect"],
)
async def test_a_question_that_fails_stops_no_other(
    tmp_path: Path, error: Exception, message: str, reason: str | None
) -> None:
    path = tmp_path / "a.jsonl"

    done = await answered(ScriptedClient({"two": error}), path)

    assert [f.question for f in done.failed] == ["two"]
    assert message in done.failed[0].error
    assert (done.answered, done.left, done.is_whole) == (3, 0, False)
    row = json.loads(path.read_text(encoding="utf-8").splitlines()[1])
    assert (row["question"], row["value"], row["reason"]) == ("two", "N/A", reason)
    assert message in row["error"]


async def test_only_what_failed_is_asked_again(tmp_path: Path) -> None:
    await answered(ScriptedClient({"two": ProviderError("away")}), tmp_path / "a.json")
    client = ScriptedClient()

    done = await answered(client, tmp_path / "a.json", resume=True)

    assert (client.asked, done.is_whole) == (["two"], True)
    written = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["answers"]
    assert [(a["question_text"], a["value"]) for a in written] == [(t, len(t)) for t in TEXTS]


async def test_an_answer_that_the_model_could_not_give_counts_as_failed(tmp_path: Path) -> None:
    unusable = FileQuestion(question=Question(text="unusable", kind="number"))

    done = await answered(ScriptedClient(), tmp_path / "a.jsonl", questions=[unusable])

    assert "no usable answer" in done.failed[0].error
    assert AnswerWriter(tmp_path / "a.jsonl", [unusable], resume=True).pending == (unusable,)


@pytest.mark.parametrize(
    ("error", "indexed"),
    [(MissingKey("no key"), True), (MissingIndex("nothing under this profile"), False)],
    ids=["key", "index"],
)
async def test_what_fails_every_question_stops_at_once(
    tmp_path: Path, error: PageproofError, indexed: bool
) -> None:
    client = ScriptedClient(dict.fromkeys(TEXTS, error), indexed)

    with pytest.raises(type(error)):
        await Answering(client, AnswerWriter(tmp_path / "a.json", QUESTIONS), 1).run()

    assert client.asked == ["one"]


async def test_a_spent_budget_keeps_what_is_done_and_leaves_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"

    done = await answered(ScriptedClient({"three": BudgetSpent("1 USD is spent.")}), path)

    assert (done.answered, done.failed, done.left, done.stopped) == (2, (), 2, "1 USD is spent.")
    assert values(path) == {"one": 3, "two": 3}
    client = ScriptedClient()
    assert (await answered(client, path, resume=True)).is_whole
    assert client.asked == ["three", "four"]
    assert list(values(path)) == list(TEXTS)


async def test_questions_are_asked_side_by_side_and_told_one_by_one(tmp_path: Path) -> None:
    client, seen = ScriptedClient(), list[tuple[int, float | None]]()

    def on_answer(done: AnswerRun, total: int) -> None:
        assert total == len(TEXTS)
        seen.append((done.asked, done.usage.cost_usd))

    await Answering(client, AnswerWriter(tmp_path / "a.json", QUESTIONS), 3, on_answer).run()

    assert client.peak == 3
    assert seen == [(1, 0.5), (2, 1.0), (3, 1.5), (4, 2.0)]


@pytest.fixture
def without_veldhoorn(sample_data: Path, tmp_path: Path) -> Path:
    """The samples' library, where one company's index is gone."""
    data = tmp_path / "data"
    shutil.copytree(sample_data, data)
    (folder,) = (data / "indexes").glob("veldhoorn*")
    shutil.rmtree(folder)
    return data


def test_a_missing_index_is_named_and_the_others_are_answered(
    without_veldhoorn: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ("Ostermere Instruments, Inc.", "Veldhoorn Packaging N.V.", "Tsukimine Seiki Co., Ltd.")
    questions, out = tmp_path / "q.json", tmp_path / "a.json"
    questions.write_text(json.dumps([{"text": f"What was the total assets of {n}?"} for n in names]))

    assert run(["answer", str(questions), "--out", str(out), "--data", str(without_veldhoorn), "--json"]) == 1

    printed = capsys.readouterr()
    assert json.loads(printed.out)["answered"] == 2
    assert printed.err.count("\n") == 1
    assert "Veldhoorn" in printed.err
    given = [a["value"] for a in json.loads(out.read_text(encoding="utf-8"))["answers"]]
    assert [value == "N/A" for value in given] == [False, True, False]


def test_nothing_ingested_is_a_set_up_error_that_leaves_no_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = tmp_path / "q.json"
    questions.write_text('[{"text": "What was the revenue of Acme?"}]')

    assert (
        run(["answer", str(questions), "--out", str(tmp_path / "a.json"), "--data", str(tmp_path / "data")]) == 3
    )

    assert "nothing is ingested" in capsys.readouterr().err
    assert [p.name for p in tmp_path.glob("a.json*")] == []


def test_a_question_of_a_file_that_is_too_long_is_its_row_s_error_alone(
    sample_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions, out = tmp_path / "q.json", tmp_path / "a.jsonl"
    texts = ["What " + "'a' \"b\" " * 5_000 + "?", "What was the total revenue of Ostermere Instruments?"]
    questions.write_text(json.dumps([{"text": text} for text in texts]))
    assert run(["answer", str(questions), "--out", str(out), "--data", str(sample_data)]) == 1
    assert "the question has 40,006 characters, and at most 2,000 are read" in capsys.readouterr().err
    failed, answered = map(json.loads, out.read_text().splitlines())
    assert (failed["question"], failed["value"]) == (texts[0], "N/A")
    assert answered["value"] == 386_412_000


def test_half_a_sign_in_a_question_costs_no_answer(sample_data: Path, tmp_path: Path) -> None:
    questions, out = tmp_path / "q.json", tmp_path / "a.jsonl"
    texts = [
        "What was the total revenue of Ostermere Instruments?\ud83d",
        "Who is the CEO of Ostermere Instruments?",
    ]
    questions.write_text(json.dumps([{"text": text, "kind": "number"} for text in texts]))
    assert run(["answer", str(questions), "--out", str(out), "--data", str(sample_data)]) == 0
    first, _ = map(json.loads, out.read_text().splitlines())
    assert first["value"] == 386_412_000
    assert first["question"].endswith("?\ufffd")


@pytest.mark.parametrize(
    ("form", "chosen", "value"),
    [(".json", (), "N/A"), (".jsonl", (), 2.4541), (".json", ("--set", "answers.strictness=analyst"), 2.4541)],
)
def test_a_submission_keeps_to_the_challenges_rule_unless_told_otherwise(
    sample_data: Path, tmp_path: Path, form: str, chosen: tuple[str, ...], value: object
) -> None:
    questions, out = tmp_path / "q.json", tmp_path / f"a{form}"
    asked = "What was the current ratio of Ostermere Instruments, Inc.?"
    questions.write_text(json.dumps([{"text": asked, "kind": "number"}]), encoding="utf-8")

    assert run(["answer", str(questions), "--out", str(out), "--data", str(sample_data), *chosen]) == 0

    written = json.loads(out.read_text(encoding="utf-8"))
    assert (written["answers"][0] if form == ".json" else written)["value"] == value
