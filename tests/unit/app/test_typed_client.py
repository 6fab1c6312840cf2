"""What a program of the user's own sees of the client: every type, and answers that show themselves."""

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, assert_type

from app.assembly.client import AnswerResponse, Pageproof
from app.files.answer_pages import AnswerCard
from pageproof import Answer, Question, open_pageproof
from storage.records.answers import Citation, Value
from tests.support.samples import ROOT

if TYPE_CHECKING:  # mypy checks it, and nothing runs it

    async def their_program(folder: Path) -> None:
        """A program that uses the client, under mypy's strict rules."""
        client = open_pageproof("offline", data=folder)
        assert_type(client, Pageproof)
        assert_type(client.ask("What was the revenue?", kind="number", company="Acme"), Answer)
        assert_type(await client.aask(Question(text="What was the revenue?")), Answer)
        answer = client.conversation().ask("And the year before?")
        assert_type(answer, Answer)
        assert_type(answer.value, Value)
        assert_type(answer.citations, tuple[Citation, ...])
        assert_type(client.card(answer), AnswerCard)
        assert_type(client.query("What was the revenue?"), AnswerResponse)
        assert_type((await client.aquery("What was the revenue?")).response, Answer)


def test_an_answer_shows_itself_in_a_terminal_and_in_a_notebook(client: Pageproof) -> None:
    answer = client.ask("What was the total revenue of Ostermere Instruments, Inc. in 2024?")

    card = client.card(answer)

    assert str(answer) == "386,412,000 USD (ostermere_2024.pdf, page 8)"
    assert repr(answer) == f"<Answer to {answer.question!r}: {answer}>"
    assert repr(card) == str(answer)
    assert card.html.count("data:image/jpeg;base64,") == 1
    shown = card._repr_html_()
    assert shown.startswith("<iframe sandbox srcdoc=")
    assert "<article" not in shown  # escaped, so nothing of it is the notebook's own


THEIR_APP = """
from pageproof import open_pageproof

if __name__ == "__main__":
    with open_pageproof("offline", data=DATA) as client:
        print(client.ask("What was the total revenue of Ostermere Instruments, Inc. in 2024?"))
"""


def run_theirs(folder: Path, name: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, name],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_program_may_have_an_app_a_storage_and_tests_of_its_own(sample_data: Path, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(THEIR_APP.replace("DATA", repr(str(sample_data))), encoding="utf-8")
    for folder in ("storage", "tests", "prompts"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").write_text("raise ImportError('theirs')", encoding="utf-8")

    done = run_theirs(tmp_path, "app.py")

    assert done.stdout.strip() == "386,412,000 USD (ostermere_2024.pdf, page 8)", done.stderr[-2000:]


THEIR_STORAGE = """
print("storage runs")
KEPT = []
errors = "their word for it"

def remember(text):
    KEPT.append(text)
"""
THEIR_MAIN = """
from app import shown
import storage

if __name__ == "__main__":
    shown()
    print(storage.KEPT, storage.errors, storage.__file__)
"""
THEIR_PROGRAM = """
from pathlib import Path

from pageproof import IngestRequest, open_pageproof

settings = "their settings"

def shown():
    from storage import remember
    with open_pageproof("offline", data="data") as client:
        request = IngestRequest(paths=[Path(SAMPLE)], until="read")
        for done in client.library.ingest(request):
            remember(done.status)
    print(settings)
"""


def test_the_program_s_own_modules_stay_its_own_and_reports_are_read_beside_them(tmp_path: Path) -> None:
    sample = str(ROOT / "app" / "samples" / "ostermere_2024.pdf")
    (tmp_path / "app.py").write_text(THEIR_PROGRAM.replace("SAMPLE", repr(sample)), encoding="utf-8")
    (tmp_path / "storage.py").write_text(THEIR_STORAGE, encoding="utf-8")
    (tmp_path / "prompts.py").write_text("raise ImportError('nobody asked for it')", encoding="utf-8")
    (tmp_path / "main.py").write_text(THEIR_MAIN, encoding="utf-8")

    done = run_theirs(tmp_path, "main.py")

    lines = ["storage runs", "their settings", f"['read'] their word for it {tmp_path / 'storage.py'}"]
    assert done.stdout.splitlines() == lines, done.stderr[-2000:]


def test_a_module_of_theirs_that_fails_says_so_each_time(tmp_path: Path) -> None:
    (tmp_path / "storage.py").write_text("raise ValueError('theirs')", encoding="utf-8")
    tried = "try:\n    from storage import it\nexcept ValueError as error:\n    print(error)\n"
    (tmp_path / "main.py").write_text(f"import pageproof\n{tried * 2}import storage.errors\n", encoding="utf-8")

    done = run_theirs(tmp_path, "main.py")

    assert (done.stdout.split(), done.stderr) == (["theirs"] * 2, "")


def test_a_package_of_theirs_that_was_imported_before_is_named(tmp_path: Path) -> None:
    (tmp_path / "storage").mkdir()
    (tmp_path / "storage" / "__init__.py").write_text("", encoding="utf-8")
    (tmp_path / "main.py").write_text("import storage\nimport pageproof\n", encoding="utf-8")

    done = run_theirs(tmp_path, "main.py")

    assert "storage has the name of a package of Pageproof" in done.stderr.splitlines()[-1]


def test_a_script_that_new_processes_would_run_again_is_told_what_it_lacks(tmp_path: Path) -> None:
    sample = str(ROOT / "app" / "samples" / "ostermere_2024.pdf")
    program = THEIR_PROGRAM.replace("SAMPLE", repr(sample)).replace(
        "from storage import remember", "remember = print"
    )
    (tmp_path / "main.py").write_text(f"{program}\nshown()\n", encoding="utf-8")

    done = run_theirs(tmp_path, "main.py")

    assert done.stderr.splitlines()[-1].endswith("since each new process reads the script again")
    assert "if __name__ == '__main__':" in done.stderr.splitlines()[-1]
