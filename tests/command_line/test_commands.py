import json
from pathlib import Path
from typing import Any

import pytest
from reportlab.pdfgen.canvas import Canvas

from app.command_line import run
from tests.support.doubles.openai_server import OpenAIServer
from tests.support.libraries import with_pages
from tests.support.samples import SAMPLES

QUESTION = "What was the total revenue of Ostermere Instruments, Inc.?"


def test_ask_prints_the_contract_s_json(sample_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", QUESTION, "--kind", "number", "--json", "--data", str(sample_data)]) == 0
    printed: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert printed["value"] == 386412000
    assert set(printed) >= {
        *("question", "kind", "company", "value", "unit", "reason", "candidates", "citations", "checks"),
        *("analysis", "summary", "usage", "seconds", "profile", "prompt_version"),
    }
    assert set(printed["unit"]) == {"currency", "scale", "printed", "period_end"}
    citation = printed["citations"][0]
    page = {"report_sha1", "file", "page", "page_width", "page_height", "text_source"}
    assert set(citation) == page | {"quote", "boxes"}
    assert set(citation["boxes"][0]) == {"left", "top", "right", "bottom"}


def test_ask_shows_value_page_and_checks_to_a_person(
    sample_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["ask", QUESTION, "--data", str(sample_data)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("386,412,000 USD\n")
    assert "ostermere_2024.pdf, page" in out
    assert "no language model used" in out


def test_an_unknown_company_is_an_answer(sample_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", "What was the revenue of Osthermere Corp?", "--json", "--data", str(sample_data)]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["value"], printed["reason"]) == ("N/A", "company_unknown")
    assert printed["candidates"][0] == "Ostermere Instruments, Inc."


def test_a_file_of_questions_becomes_a_submission_that_is_scored(
    sample_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions, out = tmp_path / "q.json", tmp_path / "a.json"
    questions.write_text(
        json.dumps([{"text": QUESTION, "kind": "number"}, {"text": "Who leads Acme?", "kind": "name"}])
    )
    assert run(["answer", str(questions), "--out", str(out), "--data", str(sample_data)]) == 0
    written = json.loads(out.read_text())["answers"]
    assert [a["value"] for a in written] == [386412000, "N/A"]
    page = written[0]["references"][0]
    truth = tmp_path / "truth.json"
    pool = [f"{page['pdf_sha1']}:{page['page_index']}"]
    truth.write_text(
        json.dumps(
            {
                QUESTION: {"kind": "number", "answers": [386412000], "reference_pools": [pool]},
                "Who leads Acme?": {"kind": "name", "answers": ["N/A"], "reference_pools": []},
            }
        )
    )
    capsys.readouterr()
    assert run(["evaluate", str(out), "--truth", str(truth), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["score"] == 150


def test_retrieval_measures_the_sample_facts(sample_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["retrieval", str(SAMPLES / "facts.json"), "--json", "--data", str(sample_data)]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert set(printed) == {"n", "recall", "mrr", "by_metric"}
    assert set(printed["recall"]) == {"1", "3", "5", "10"}
    assert printed["recall"]["10"] > 0.6


def test_the_self_test_asks_what_rows_say_and_what_none_says(
    sample_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["evaluate", "--self-test", "--sample", "40", "--seed", "3", "--errors", "5", "--json"]
    assert run([*command, "--data", str(sample_data)]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert 30 <= printed["n"] <= 42
    assert set(printed["by_group"]) >= {"statement", "note", "other_company", "other_dimension", "opening"}
    assert printed["right_in_statements"] >= 0.5
    assert len(printed["wrong"]) <= 5


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        (["evaluate"], 2, "evaluate needs ANSWERS and --truth, or --self-test"),
        (["evaluate", "answers.json", "--self-test"], 2, "leave out ANSWERS and --truth"),
        (["ask", QUESTION], 3, "nothing is ingested"),
        (["ask", QUESTION, "--profile", "openai"], 3, "OPENAI_API_KEY"),
        (["ask", QUESTION, "--profile", "nonsense"], 2, "there is no profile 'nonsense'"),
        (["ask", QUESTION, "--profile", "ibm_llama8b"], 2, "WATSONX_URL"),
        (["ask", QUESTION, "--set", "retrieval.page=3"], 2, "known: retrieval.chunks"),
        (["ask", QUESTION, "--kind", "poem"], 2, "expected number"),
        (["ask", "1" * 20_000], 2, "the question has 20,000 characters, and at most 2,000 are read"),
        (["ask", QUESTION, "--company", "1" * 301], 2, "the company's name has 301 characters"),
        (["ingest", "nowhere"], 2, "there is no file or folder 'nowhere'"),
        (["answer", "nowhere.json", "--out", "a.json"], 2, "nowhere.json"),
        (["retrieval", "nowhere.json"], 2, "nowhere.json"),
        (["chat", "--host", "0.0.0.0"], 2, "0.0.0.0"),
    ],
    ids=lambda v: " ".join(v)[:40] if isinstance(v, list) else None,
)
def test_what_is_wrong_is_one_line_with_its_exit_code(
    arguments: list[str], code: int, expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = [] if arguments[0] == "evaluate" else ["--data", str(tmp_path / "data")]
    assert run([*arguments, *data]) == code
    err = capsys.readouterr().err
    assert expected in err
    assert err.count("\n") == 1


def test_bad_documents_are_named_one_line_each_and_leave_nothing_behind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, data = tmp_path / "in", tmp_path / "data"
    folder.mkdir()
    (folder / "empty.pdf").touch()
    (folder / "text.pdf").write_text("This is no PDF.")
    (folder / "half.pdf").write_bytes((SAMPLES / "ostermere_2024.pdf").read_bytes()[:20_000])
    locked = Canvas(str(folder / "locked.pdf"), encrypt="secret")
    locked.drawString(72, 720, "Confidential")
    locked.save()
    assert run(["ingest", str(folder), "--data", str(data)]) == 4
    lines = capsys.readouterr().err.splitlines()
    assert sorted(
        name for line in lines for name in ("empty", "half", "locked", "text") if f"{name}.pdf" in line
    ) == [
        "empty",
        "half",
        "locked",
        "text",
    ]
    assert len(lines) == 4
    left = [p for p in data.rglob("*") if p.is_file() and "sqlite" not in p.name and p.suffix != ".lock"]
    assert left == []


def test_one_bad_document_does_not_stop_the_others(
    sample_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.pdf").touch()
    good = str(SAMPLES / "ostermere_2024.pdf")
    export = tmp_path / "export"
    arguments = [
        good,
        str(tmp_path / "empty.pdf"),
        "--data",
        str(with_pages(sample_data, tmp_path / "data")),
        "--export",
        str(export),
        "--json",
    ]
    assert run(["ingest", *arguments]) == 1
    results = json.loads(capsys.readouterr().out)
    assert {o["file"]: o["status"] for o in results} == {"empty.pdf": "failed", "ostermere_2024.pdf": "indexed"}
    (folder,) = export.iterdir()
    assert (folder / "0001.md").read_text(encoding="utf-8")
    assert len(json.loads((folder / "pages.json").read_text(encoding="utf-8"))) == 13


def test_companies_profiles_and_doctor_tell_what_there_is(
    sample_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["companies", "--json", "--data", str(sample_data)]) == 0
    assert [c["name"].split()[0] for c in json.loads(capsys.readouterr().out)] == [
        "Ostermere",
        "Tsukimine",
        "Veldhoorn",
    ]
    assert run(["profiles"]) == 0
    assert "needs the key OPENAI_API_KEY" in capsys.readouterr().out
    assert run(["doctor", "--data", str(sample_data)]) == 0
    printed = capsys.readouterr().out
    assert "profile offline: ready" in printed
    assert "OCR: rapidocr " in printed


def test_doctor_says_how_to_get_the_neural_weights_and_sees_them_when_they_are_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    weights = ["--set", "reader.layout=neural"]
    doctor = ["doctor", *weights, "--data", str(tmp_path), "--set", f"reader.weights={tmp_path}"]
    assert run(doctor) == 3
    assert "docling-tools models download" in capsys.readouterr().out
    (tmp_path / "layout").mkdir()
    (tmp_path / "layout" / "model.safetensors").touch()
    assert run(doctor) == 0
    assert f"weights in {tmp_path}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (["answers.kind=llm", "llm.kind=openai_like", "llm.model=any"], "needs llm.api_base"),
        (["answers.kind=llm", "llm.kind=openai_like", "llm.api_base=http://127.0.0.1:9/v1"], "no model"),
        (
            ["answers.kind=llm", "llm.kind=openai_like", "llm.model=any", "llm.api_base=http://127.0.0.1:9/v1"],
            "http://127.0.0.1:9/v1 does not answer",
        ),
        (["rerank.kind=cross_encoder", "rerank.model=nobody/nothing"], "'nobody/nothing' is not on this machine"),
        (["chunking.tokens=123"], "no company has one under these settings"),
        (["reader.layout=neural", "reader.weights=/nowhere"], "needs the weights of the neural layout"),
    ],
    ids=["no address", "no model", "no server", "no weights of a reranker", "no index", "no weights of a layout"],
)
def test_doctor_tries_what_it_reports_and_says_what_cannot_answer(
    settings: list[str], said: str, sample_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sets = [part for setting in settings for part in ("--set", setting)]
    assert run(["doctor", *sets, "--data", str(sample_data)]) == 3
    assert said in capsys.readouterr().out


def test_doctor_asks_the_server_for_its_models(sample_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with OpenAIServer() as server:
        sets = ["answers.kind=llm", "llm.kind=openai_like", f"llm.api_base={server.api_base}", "llm.model=any"]
        known = [part for setting in sets for part in ("--set", setting)]
        assert run(["doctor", *known, "--data", str(sample_data)]) == 0
        assert "answers and has any" in capsys.readouterr().out
        run(["doctor", *known, "--set", "llm.model=other", "--data", str(sample_data)])
        assert "lists no model 'other'; it has any" in capsys.readouterr().out
