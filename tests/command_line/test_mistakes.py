"""Sixty mistakes at the shell: each is one line with its exit code, without a trace, and nothing is lost."""

import hashlib
from pathlib import Path

import pytest
from openpyxl import Workbook

from app.command_line import run, show

ASK = "What was the total revenue of Ostermere?"
ONE_LINE = '[{"text": "What was the total revenue of Ostermere?", "kind": "number"}]'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what people have lying about, good and broken; the shell stands in it."""
    files = {
        "q.csv": "question,kind\nWhat was the total revenue of Ostermere?,number\n",
        "q.json": ONE_LINE,
        "half.json": ONE_LINE[:20],
        "empty.csv": "",
        "typo.csv": "question,compnay\nWhat was the revenue?,Acme\n",
        "year.csv": "question,year\nWhat was the revenue of Acme?,soon\n",
        "long.csv": f"question,year\nWhat was the revenue of Acme?,{'soon ' * 10_000}\n",
        "wide.csv": "question,kind\nWho, then,name\n",
        "kind.csv": "question,kind\nWhat was the revenue of Acme?,poem\n",
        "old.xls": "no such format",
        "broken.xlsx": "no workbook",
        "broken.pdf": "no PDF",
        "answers.csv": "question,value\nWhat was the revenue of Acme?,my own\n",
        "mine.json": '{"answers": "my own"}',
        "catalog.csv": "file,name\na.pdf,Acme\n",
        "bad.toml": "answers = ",
        "deep.toml": f"answers = {'[' * 100_000}",
        "digits.toml": f"[answers]\nkind = {'9' * 5_000}",
        "lines.jsonl": "{\n",
        "plain": "a file, not a folder",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "bytes.csv").write_bytes(b"question\n\x81\x8d?\n")
    (tmp_path / "nulls.json").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "kept.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    book = Workbook()
    book.worksheets[0].append(["Invoice", "Amount"])
    book.worksheets[0].append([1, 2])
    book.save(tmp_path / "invoices.xlsx")
    book.worksheets[0].delete_rows(1, 2)
    book.worksheets[0].append(["Company", "Question"])
    book.worksheets[0].append(["Acme", '="What was "&"revenue?"'])
    book.save(tmp_path / "formula.xlsx")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def content(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and "sqlite" not in path.name and path.name != "pageproof.lock"
    }


MISTAKES = [
    # commands and options
    ("anwser q.csv --out a.csv", 2, "Did you mean 'answer'"),
    ("ask", 2, "Missing argument"),
    ("answer", 2, "Missing argument"),
    ("answer q.csv", 2, "--out FILE, or --in-place"),
    ("answer q.csv --otu a.csv", 2, "--out"),
    ("answer q.csv --out a.csv --workers 3", 2, "No such option"),
    ("answer q.csv q.json --out a.csv", 2, "unexpected extra argument"),
    ("ask --kind poem ASK", 2, "expected number"),
    ("ask --profile ofline ASK", 2, "did you mean 'offline'?"),
    ("ask --profile ./nowhere.toml ASK", 2, "nowhere"),
    ("ask --set retrieval.page=3 ASK", 2, "known: retrieval.chunks"),
    ("ask --set retrieval.pages=many ASK", 2, "retrieval.pages"),
    ("ask --set retrieval.pages ASK", 2, "retrieval.pages"),
    ("ask --set answers.kind=telepathy ASK", 2, "answers.kind"),
    ("ask --profile ./deep.toml ASK", 2, "cannot read the profile './deep.toml'"),
    ("ask --profile ./digits.toml ASK", 2, "cannot read the profile './digits.toml'"),
    ("questions --count 2 --templates deep.toml", 2, "deep.toml: is not TOML"),
    ("questions --count 2 --templates digits.toml", 2, "digits.toml: is not TOML"),
    ("facts --years 0", 2, "--years"),
    ("facts --years many", 2, "--years"),
    ("ingest --workers 0 folder", 2, "--workers"),
    ("ingest --until heaven folder", 2, "expected read, facts, index"),
    ("ingest --executor moon folder", 2, "ingest.executor"),
    ("lab q.json --truth q.json --out lab --variant nonsense", 2, "q.json: no known form of truth"),
    ("lab q.json --truth q.json --out lab", 2, "give --variant"),
    ("runs one two three", 2, "runs shows one run or compares two, not 3"),
    ("questions --count 0", 2, "--count"),
    # files of questions
    ("answer nowhere.csv --out a.csv", 2, "nowhere.csv: cannot be read"),
    ("answer folder --out a.csv", 2, "questions are read from"),
    ("answer old.xls --out a.csv", 2, "not '.xls'"),
    ("answer broken.xlsx --out a.csv", 2, "is not an Excel workbook"),
    ("answer invoices.xlsx --out a.csv", 2, "cell A1 of 'Sheet', 'Invoice'"),
    ("answer formula.xlsx --out a.csv", 2, "cell B2 of 'Sheet': is a formula without a stored value"),
    ("answer half.json --out a.csv", 2, "half.json: is not JSON"),
    ("answer nulls.json --out a.csv", 2, "nulls.json: is not UTF-8 text"),
    ("answer bytes.csv --out a.csv", 2, "bytes.csv: is not UTF-8 text"),
    ("answer empty.csv --out a.csv", 2, "it is empty"),
    ("answer typo.csv --out a.csv", 2, "did you mean 'company'?"),
    ("answer year.csv --out a.csv", 2, "'soon' is no period"),
    ("answer long.csv --out a.csv", 2, "'soon soon"),
    ("answer wide.csv --out a.csv", 2, "row 2: expected 2 cells"),
    ("answer kind.csv --out a.csv", 2, "kind 'poem' is not one of"),
    ("answer loop --out a.csv", 2, "loop"),
    # where answers and other files go
    ("answer q.csv --out q.csv", 2, "is the file of questions"),
    ("answer q.csv --out q.csv --force", 2, "is the file of questions"),
    ("answer q.csv --in-place", 2, "only an .xlsx workbook"),
    ("answer q.csv --out answers.csv", 2, "answers.csv is there already"),
    ("answer q.json --out mine.json --resume", 2, "expected a submission"),
    ("answer q.csv --out answers.csv --resume --force", 2, "give one of the two"),
    ("answer q.csv --out a.docx", 2, "answers are written as .json"),
    ("answer q.csv --out folder", 2, "folder"),
    ("answer q.csv --out plain/a.csv", 2, "plain"),
    ("facts --out facts.docx", 2, "facts.docx"),
    ("facts --out plain/facts.csv", 2, "plain"),
    ("facts --out folder", 2, "folder"),
    ("questions --count 2 --out plain/set.json", 2, "plain"),
    ("questions --count 2 --out set.pdf", 2, "set.pdf"),
    ("questions --count 2 --out answers.csv", 2, "answers.csv is there already"),
    ("questions --count 2 --templates bad.toml", 2, "bad.toml"),
    ("prompts --out folder", 2, "folder"),
    ("prompts --out plain", 2, "plain"),
    ("facts --out answers.csv", 2, "--force replaces it"),
    ("lab q.json --truth q.json --out plain --variant offline", 2, "q.json"),
    ("ingest --export plain/x broken.pdf", 2, "plain"),
    # companies, metrics, runs, reports
    ("facts Nowhere", 2, "no company in the library"),
    ("facts --metric happiness", 2, "nearest"),
    ("companies Nowhere", 2, "Nowhere"),
    ("companies --name New", 2, "need --edit"),
    ("companies --remove nothing.pdf", 2, "no report is called"),
    ("companies --edit --from nowhere.csv", 2, "cannot read nowhere.csv"),
    ("companies --edit --from answers.csv", 2, "column"),
    ("companies Ostermere --edit --currency dollars", 2, "'dollars' is no currency"),
    ("runs no-such-run", 2, "no-such-run"),
    ("ingest nowhere.pdf", 2, "there is no file or folder"),
    ("ingest broken.pdf", 4, "broken.pdf"),
    ("ingest --catalog catalog.csv broken.pdf", 2, "company_name"),
    ("ingest --catalog nowhere.csv broken.pdf", 2, "nowhere.csv"),
    # truth and scores
    ("evaluate", 2, "evaluate needs ANSWERS and --truth"),
    ("evaluate answers.csv --truth q.json", 2, "q.json: no known form of truth"),
    ("evaluate lines.jsonl --truth q.json", 2, "q.json"),
    ("retrieval nowhere.json", 2, "nowhere.json"),
    ("retrieval broken.xlsx", 2, "broken.xlsx"),
    # set-up
    ("ask ASK --data plain", 2, "plain"),
    ("ask ASK --data empty", 3, "/empty; run `pageproof ingest PATH --data empty`"),
    ("facts --data empty", 3, "/empty; run `pageproof ingest PATH --data empty`"),
    ("questions --data empty", 3, "/empty; run `pageproof ingest PATH --data empty`"),
    ("ask ASK --profile openai", 3, "OPENAI_API_KEY"),
    ("chat --host 0.0.0.0", 2, "0.0.0.0"),
    ("chat --port 99999", 2, "99999"),
    ("demo --port 99999", 2, "99999"),
]


@pytest.mark.parametrize(("line", "code", "expected"), MISTAKES, ids=[line for line, _, _ in MISTAKES])
def test_a_mistake_is_one_line_and_loses_nothing(
    line: str,
    code: int,
    expected: str,
    folder: Path,
    sample_data: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    arguments = [ASK if word == "ASK" else word for word in line.split()]
    has_library = "--data" in arguments or arguments[0] in ("evaluate", "anwser", "prompts")
    before = content(folder)

    left = run(arguments if has_library else [*arguments, "--data", str(sample_data)])

    err = capsys.readouterr().err
    assert (left, expected in err) == (code, True), err
    assert err.count("\n") == 1, err
    assert len(err) < 2_100, err
    assert "Traceback" not in err + caplog.text
    assert {name: content(folder).get(name) for name in before} == before


def test_there_are_sixty_of_them() -> None:
    assert len({line for line, _, _ in MISTAKES}) == len(MISTAKES) >= 60


@pytest.mark.parametrize(
    "options", [[], ["--json"], ["--company", "Ostermere \udcfe"]], ids=["", "json", "company"]
)
def test_a_question_with_bytes_that_are_no_text_is_answered(
    options: list[str], sample_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["ask", f"{ASK} \udcff", *options, "--data", str(sample_data)]) == 0
    assert "Ostermere" in capsys.readouterr().out


def test_settings_of_the_folder_that_are_nested_without_end_are_one_line(
    folder: Path, sample_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "deep.toml").rename(folder / "pageproof.toml")
    assert run(["settings", "--data", str(sample_data)]) == 2
    assert "pageproof.toml: maximum recursion" in capsys.readouterr().err


def test_no_message_turns_round_or_forges_lines_of_the_terminal(
    sample_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["companies", "a\u202eb\u2028\x1b[31m\nindexed", "--data", str(sample_data)]) == 2
    assert capsys.readouterr().err.removesuffix("\n").isprintable()
    assert show.visible("a\u202eb\u2028c\u2066d\udcff\x9b") == "a\ufffdb\ufffdc\ufffdd\ufffd\ufffd"


@pytest.mark.parametrize(
    "line",
    [
        "answer q.csv --out DATA/reports/a.json",
        "answer q.csv --out LINK/a.json --force",
        "answer DATA/q.xlsx --in-place",
        "facts --out DATA/library.sqlite --force",
        "questions --out DATA/q.json",
        "lab q.json --truth q.json --variant offline --out DATA/lab",
        "ingest broken.pdf --export DATA",
    ],
)
def test_nothing_that_somebody_asks_for_is_written_into_the_library(
    line: str, folder: Path, sample_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "LINK").symlink_to(sample_data)
    before = content(sample_data)
    assert run([*line.replace("DATA", str(sample_data)).split(), "--data", str(sample_data)]) == 2
    assert "is in the library's own folder" in capsys.readouterr().err
    assert content(sample_data) == before
