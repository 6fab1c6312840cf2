"""The REST API over the samples, by HTTP: answers, conversations, the library, and who may do what."""

import asyncio
import csv
import io
import json
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from openpyxl import load_workbook
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.chat.launcher import listen
from app.chat.session.client_pool import MOST_OF_ONE
from app.chat.session.people import Rights, Role
from app.chat_options import ChatOptions, ServeOptions
from app.serving.access import Access
from app.serving.api import beside
from app.serving.launcher import api_beside, tokens_of
from app.serving.service import Caller, Counts, FairCache
from app.serving.tokens import Tokens
from app.settings import load_settings
from storage.errors import UsageError
from storage.records.questions import Question
from tests.support.samples import ROOT
from tests.support.served import served, service_over

REVENUE = "What was the total revenue of Ostermere Instruments?"


@pytest.fixture(scope="module")
def address(sample_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    data = Path(shutil.copytree(sample_data, tmp_path_factory.mktemp("served") / "data"))
    with served(data) as found:
        yield found


@pytest.fixture(scope="module")
def api(address: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=f"{address}/v1", timeout=60) as client:
        yield client


def test_an_answer_has_its_value_page_and_checks(api: httpx.Client) -> None:
    found = api.post("/ask", json={"question": REVENUE}).json()

    assert (found["value"], found["unit"]["currency"], found["reason"]) == (386_412_000, "USD", None)
    assert [(c["file"], c["page"]) for c in found["citations"]] == [("ostermere_2024.pdf", 8)]
    assert {check["verdict"] for check in found["checks"]} <= {"passed", "not_applicable"}


def test_a_calculated_figure_has_its_formula_and_operands(api: httpx.Client) -> None:
    found = api.post("/derive", json={"question": "What was the gross margin of Ostermere Instruments?"}).json()

    assert found["unit"]["printed"] == "37.5%"
    assert found["formula"]
    assert len(found["operands"]) >= 2


def test_the_steps_of_an_answer_come_before_it(api: httpx.Client) -> None:
    with api.stream("POST", "/ask/stream", json={"question": REVENUE}) as response:
        lines = list(response.iter_lines())

    names = [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]
    assert names[0] == "step_started"
    assert names[-1] == "answer"
    answer = json.loads([line for line in lines if line.startswith("data: ")][-1].removeprefix("data: "))
    assert answer["value"] == 386_412_000


def test_a_conversation_remembers_what_it_is_about(api: httpx.Client) -> None:
    number = api.post("/conversations").json()["id"]
    api.post(f"/conversations/{number}/questions", json={"question": REVENUE})

    found = api.post(f"/conversations/{number}/questions", json={"question": "And net income?"}).json()

    assert found["company"] == "Ostermere Instruments, Inc."
    assert found["understood"]["metrics"] == ["Net income"]
    turns = api.get(f"/conversations/{number}").json()["turns"]
    assert [turn["question"] for turn in turns] == [REVENUE, "And net income?"]
    assert api.delete(f"/conversations/{number}").status_code == 204
    assert api.get(f"/conversations/{number}").status_code == 404


def test_openai_s_form_carries_the_citation_and_goes_on_with_the_conversation(api: httpx.Client) -> None:
    first = {"role": "user", "content": REVENUE}
    said = api.post("/chat/completions", json={"model": "any", "messages": [first]}).json()
    told = said["choices"][0]["message"]
    assert told["content"].startswith("386,412,000 USD\n")
    assert "[1] ostermere_2024.pdf, page 8" in told["content"]
    assert said["pageproof"]["value"] == 386_412_000

    again = {"role": "user", "content": "and total assets?"}
    messages = [{"role": "system", "content": "be short"}, first, told, again]
    with api.stream("POST", "/chat/completions", json={"messages": messages, "stream": True}) as response:
        lines = [line.removeprefix("data: ") for line in response.iter_lines() if line]
    assert lines[-1] == "[DONE]"
    assert json.loads(lines[1])["pageproof"]["company"] == "Ostermere Instruments, Inc."


def test_the_library_can_be_read(api: httpx.Client, address: str) -> None:
    companies = api.get("/companies").json()
    (report,) = next(c for c in companies if c["name"].startswith("Ostermere"))["reports"]
    sha1 = report["sha1"]

    assert api.get(f"/reports/{sha1}").json()["file"] == "ostermere_2024.pdf"
    assert "Net sales" in api.get(f"/reports/{sha1}/pages/8").json()["text"]
    assert api.get(f"/reports/{sha1}/pages/8/picture?boxes=72,159.7,106.2,167.9").content[:4] == b"\x89PNG"
    assert api.get(f"/reports/{sha1}/pdf").content[:5] == b"%PDF-"
    found = api.post("/find_pages", json={"question": REVENUE, "company": "ostermere"}).json()
    assert 8 in [place["page"] for place in found]
    (row, *_) = api.get("/facts", params={"company": "ostermere", "metric": "total_revenue"}).json()["facts"]
    assert row["link"] == f"{address}/v1/reports/{sha1}/pdf#page=8"
    assert api.get("/facts.xlsx", params={"company": "ostermere"}).content[:2] == b"PK"


def test_a_grid_has_a_cell_for_each_company_metric_and_year_with_its_page(api: httpx.Client) -> None:
    asked = {
        "company": ["ostermere", "veldhoorn"],
        "metric": ["total assets", "gross margin"],
        "year": [2024, 1950],
    }

    found = api.get("/grid", params=asked).json()

    cells = {(c["company"], c["metric"], c["column"]): c for c in found["cells"]}
    assert len(cells) == len(found["cells"]) == 8
    ostermere, veldhoorn = found["companies"]
    alone = api.post("/ask", json={"question": "What was the total assets?", "company": ostermere}).json()
    whole = cells[ostermere, "total assets", "2024"]
    assert (whole["value"], whole["citation"]) == (alone["value"], alone["citations"][0])
    assert cells[ostermere, "gross margin", "2024"]["formula"]
    assert (cells[veldhoorn, "total assets", "1950"]["value"], whole["failed_checks"]) == ("N/A", [])
    assert cells[veldhoorn, "total assets", "1950"]["reason"]


def test_a_grid_is_a_file_too(api: httpx.Client, address: str) -> None:
    asked = {"company": ["ostermere", "veldhoorn"], "metric": ["total assets"], "year": [2024]}

    rows = list(csv.DictReader(io.StringIO(api.get("/grid.csv", params=asked).content.decode("utf-8-sig"))))
    book = load_workbook(io.BytesIO(api.get("/grid.xlsx", params=asked).content))

    assert [row["state"] for row in rows] == ["passed", "passed"]
    assert rows[0]["link"].startswith(f"{address}/v1/reports/")
    values = [row[-1] for row in book["Figures"].iter_rows(min_row=2, values_only=True)]
    assert values == [float(row["value"]) for row in rows]


def test_a_grid_of_one_figure_is_a_workbook_too(api: httpx.Client) -> None:
    asked = {"company": "ostermere", "metric": "total assets", "year": 2024}

    book = load_workbook(io.BytesIO(api.get("/grid.xlsx", params=asked).content))

    assert [row[-1] for row in book["Figures"].iter_rows(min_row=2, values_only=True)] == [419_769_000]


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/grid?company=ostermere", None, 422),
        ("GET", "/grid?company=nobody-at-all&metric=revenue", None, 400),
        (
            "GET",
            "/grid?company=ostermere&metric=a" + "".join(f"&year={y}" for y in range(1900, 2000)) * 4,
            None,
            422,
        ),
        ("GET", "/reports/0000000000000000000000000000000000000000", None, 404),
        ("GET", "/reports/..%2f..%2fetc", None, 404),
        ("GET", "/facts?company=nobody-at-all", None, 400),
        ("GET", "/facts?company=ostermere&metrc=revenue", None, 400),
        ("POST", "/ask", {"question": ""}, 422),
        ("POST", "/ask", {"question": "x" * 2001}, 422),
        ("POST", "/ask", {"question": "What?", "compny": "Ostermere"}, 422),
        ("POST", "/find_pages", {"question": "revenue", "company": "nobody"}, 400),
        ("POST", "/chat/completions", {"messages": [{"role": "system", "content": "hello"}]}, 400),
        ("POST", "/conversations/none/questions", {"question": "And?"}, 404),
        ("GET", "/runs/none", None, 404),
        ("GET", "/uploads/0000000000000000000000000000000000000000", None, 404),
    ],
)
def test_a_mistake_is_told_in_one_line(
    api: httpx.Client, method: str, path: str, body: object, status: int
) -> None:
    response = api.request(method, path, json=body)

    assert response.status_code == status
    assert response.json()["detail"]


ASKED = "question, kind, company, currency"
UNKNOWN = [
    (
        "POST",
        "/ask?kind=name",
        {"json": {"question": REVENUE}},
        "'kind'; expected none; fields are sent in the body",
    ),
    ("POST", "/ask", {"json": {"quest": "x"}}, f"quest: is not known here; expected {ASKED}"),
    (
        "POST",
        "/ask/stream",
        {"json": {"question": REVENUE, "foo": 1}},
        f"foo: is not known here; expected {ASKED}",
    ),
    ("POST", "/find_pages", {"json": {"q": REVENUE}}, "q: is not known here; expected question, company"),
    ("PATCH", f"/reports/{'0' * 40}", {"json": {"foo": 1}}, "expected company, currency, period_end"),
    ("GET", "/companies?foo=1", {}, "there is no parameter 'foo'; expected none"),
    ("GET", "/grid?metrc=revenue", {}, "there is no parameter 'metrc'; expected company, metric, year"),
    ("DELETE", f"/reports/{'0' * 40}?force=1", {}, "there is no parameter 'force'; expected none"),
    ("POST", "/conversations", {"json": {"foo": 1}}, "there is a body where none is expected"),
    ("DELETE", f"/reports/{'0' * 40}", {"json": {"sure": True}}, "there is a body where none is expected"),
    (
        "POST",
        "/reports",
        {"data": {"company": "Nonsense"}, "files": {"file": ("a.pdf", b"%PDF-", "application/pdf")}},
        "company: is not known here; expected file",
    ),
]


@pytest.mark.parametrize(("method", "path", "sent", "told"), UNKNOWN)
def test_a_parameter_or_field_that_is_not_known_is_refused_with_the_names_that_are(
    api: httpx.Client, method: str, path: str, sent: dict[str, Any], told: str
) -> None:
    response = api.request(method, path, **sent)

    assert response.status_code in (400, 422)
    assert told in response.json()["detail"]


def test_an_empty_object_begins_a_conversation_too(api: httpx.Client) -> None:
    assert api.post("/conversations", json={}).status_code == 201


def test_a_body_that_is_not_said_to_be_json_is_told_how(api: httpx.Client) -> None:
    response = api.post("/ask", content='{"question": "What was the revenue of Ostermere?"}')

    assert response.status_code == 422
    assert "Content-Type: application/json" in response.json()["detail"]


def test_a_pdf_that_is_sent_is_read_corrected_and_removed(api: httpx.Client) -> None:
    content = (ROOT / "app/sample_filings/calder-8k.pdf").read_bytes()
    sent = api.post("/reports", files={"file": ("calder.pdf", content, "application/pdf")})
    assert sent.status_code == 202
    sha1 = sent.json()["report_sha1"]
    assert sent.headers["Location"] == f"/v1/uploads/{sha1}"
    state = _at_its_end(api, sha1)
    assert state["stage"] in ("indexed", "unchanged")

    put_right = api.patch(f"/reports/{sha1}", json={"company": "Calder Holding"}).json()
    assert put_right["company"] == "Calder Holding"
    refused = api.patch(f"/reports/{sha1}", json={"currency": "XXQ"})
    assert refused.status_code in (400, 422)
    assert "'XXQ' is no currency" in refused.json()["detail"]
    assert api.delete(f"/reports/{sha1}").status_code == 204
    assert api.get(f"/reports/{sha1}").status_code == 404


def test_what_is_no_pdf_is_refused(api: httpx.Client) -> None:
    sent = api.post("/reports", files={"file": ("a.pdf", b"no pdf at all", "application/pdf")})

    assert sent.status_code == 422
    assert "a.pdf" in sent.json()["detail"]


def _at_its_end(api: httpx.Client, sha1: str) -> dict[str, object]:
    until = time.monotonic() + 120
    while time.monotonic() < until:
        state: dict[str, object] = api.get(f"/uploads/{sha1}").json()
        if state["stage"] in ("indexed", "unchanged", "failed", "stopped", "interrupted"):
            return state
        time.sleep(0.2)
    raise AssertionError("the upload did not end")


def test_another_site_s_page_and_another_name_of_the_server_are_turned_away(api: httpx.Client) -> None:
    assert api.get("/companies", headers={"Origin": "https://elsewhere.example"}).status_code == 403
    assert api.get("/companies", headers={"Host": "elsewhere.example"}).status_code == 403


def test_counts_are_given_in_prometheus_form(api: httpx.Client) -> None:
    api.post("/ask", json={"question": REVENUE})

    lines = api.get("/metrics").text.splitlines()

    assert any(line.startswith('pageproof_answers_total{outcome="answered"}') for line in lines)
    assert any('route="/v1/ask",status="200"' in line for line in lines)


def test_many_at_once_get_each_their_own_answer(api: httpx.Client) -> None:
    asked = {
        REVENUE: 386_412_000,
        "Who is the CEO of Ostermere Instruments?": "Dana R. Whitcombe",
        "What was the total assets of Veldhoorn Packaging?": None,
    }
    asked["What was the total assets of Veldhoorn Packaging?"] = api.post(
        "/ask", json={"question": "What was the total assets of Veldhoorn Packaging?"}
    ).json()["value"]
    texts = list(asked) * 20

    with ThreadPoolExecutor(20) as threads:
        found = list(threads.map(lambda text: api.post("/ask", json={"question": text}).json(), texts))

    assert [(f["question"], f["value"]) for f in found] == [(text, asked[text]) for text in texts]


# Tokens


def test_without_a_token_nothing_once_there_is_one(sample_data: Path, tmp_path: Path) -> None:
    data = Path(shutil.copytree(sample_data, tmp_path / "data"))
    tokens = Tokens(data / "tokens.json")
    writer, reader = tokens.add("ann"), tokens.add("bob", writes=False)
    with served(data) as address, httpx.Client(base_url=f"{address}/v1", timeout=60) as api:
        sha1 = "0" * 40

        def status(method: str, path: str, token: str = "") -> int:
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            return api.request(method, path, headers=headers).status_code

        assert status("GET", "/health") == 200
        for path in ("/companies", "/metrics", "/facts", "/runs", f"/reports/{sha1}", "/models"):
            assert status("GET", path) == 401
            assert status("GET", path, "pp_00000000_" + "A" * 43) == 401
        assert status("GET", "/companies", writer) == status("GET", "/companies", reader) == 200
        assert status("DELETE", f"/reports/{sha1}", reader) == 403
        assert status("DELETE", f"/reports/{sha1}", writer) == 404
        tokens.revoke(reader.split("_")[1])
        assert status("GET", "/companies", reader) == 401


def test_the_server_stays_closed_when_its_last_token_is_revoked_also_after_a_restart(
    sample_data: Path, tmp_path: Path
) -> None:
    data = Path(shutil.copytree(sample_data, tmp_path / "data"))
    tokens = Tokens(data / "tokens.json")
    tokens.revoke(tokens.add("ann").split("_")[1])
    remove = f"/reports/{next((data / 'reports').glob('*.pdf')).stem}"
    for _start in range(2):
        with served(data) as address, httpx.Client(base_url=f"{address}/v1", timeout=60) as api:
            assert api.get("/companies").status_code == 401
            assert api.delete(remove).status_code == 401
            tokens.revoke(tokens.add("bob").split("_")[1])
            assert api.get("/companies").status_code == 401

    (data / "tokens.json").unlink()
    with served(data) as address:
        assert httpx.get(f"{address}/v1/companies").status_code == 200


def test_a_server_behind_a_proxy_needs_a_token_also_when_the_file_of_tokens_is_gone(
    sample_data: Path, tmp_path: Path
) -> None:
    data = Path(shutil.copytree(sample_data, tmp_path / "data"))
    origins = "serve.origins=https://reports.example.org"
    with service_over(data, overrides=[origins]) as service, listen("127.0.0.1", 0) as listener:
        app = api_beside(_nothing_else, service.clients, service.uploads, listener, data=data)
        with TestClient(app, base_url="https://reports.example.org") as client:
            assert client.get("/v1/companies").status_code == 401


def test_what_one_person_sends_and_asks_is_not_another_s(sample_data: Path, tmp_path: Path) -> None:
    data = Path(
        shutil.copytree(sample_data, tmp_path / "data", ignore=shutil.ignore_patterns("people", "runs.sqlite"))
    )
    tokens = Tokens(data / "tokens.json")
    ann, bob = ({"Authorization": f"Bearer {tokens.add(name)}"} for name in ("ann", "bob"))
    with served(data, people=True) as address, httpx.Client(base_url=f"{address}/v1", timeout=60) as api:
        number = api.post("/conversations", headers=ann).json()["id"]
        api.post(f"/conversations/{number}/questions", headers=ann, json={"question": REVENUE})
        assert api.get(f"/conversations/{number}", headers=ann).status_code == 200
        assert api.get(f"/conversations/{number}", headers=bob).status_code == 404
        assert api.delete(f"/conversations/{number}", headers=bob).status_code == 404
        assert len(api.get("/runs", headers=ann).json()) == 1
        assert api.get("/runs", headers=bob).json() == []


def test_too_many_requests_in_a_minute_are_told_to_wait(sample_data: Path, tmp_path: Path) -> None:
    data = Path(shutil.copytree(sample_data, tmp_path / "data"))
    with served(data, ServeOptions(requests_per_minute=2)) as address:
        found = [httpx.get(f"{address}/v1/models") for _ in range(3)]

    assert [response.status_code for response in found] == [200, 200, 429]
    assert int(found[-1].headers["Retry-After"]) >= 1


def test_a_token_is_kept_as_a_hash_alone(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path / "tokens.json")
    text = tokens.add("ann")

    assert text not in (tmp_path / "tokens.json").read_text(encoding="utf-8")
    assert (tmp_path / "tokens.json").stat().st_mode & 0o077 == 0
    found = tokens.verified(text)
    assert found is not None
    assert found.person == "ann"
    assert tokens.verified(text[:-1] + ("A" if text[-1] != "A" else "B")) is None
    with pytest.raises(UsageError, match="no token"):
        tokens.revoke("ffffffff")


def test_a_person_who_may_no_longer_come_has_no_good_token(tmp_path: Path) -> None:
    known = {"ann"}
    tokens = Tokens(tmp_path / "tokens.json", known.__contains__)
    text = tokens.add("ann")
    with pytest.raises(UsageError, match="not among the people"):
        tokens.add("eve")

    known.clear()

    assert tokens.verified(text) is None


@pytest.mark.parametrize(
    ("role", "read_only", "rights"),
    [
        ("reader", False, (False, False)),
        ("contributor", False, (True, False)),
        ("keeper", False, (True, True)),
        ("keeper", True, (False, False)),
    ],
)
async def test_a_token_does_what_its_person_s_role_allows(
    tmp_path: Path, role: Role, read_only: bool, rights: tuple[bool, bool]
) -> None:
    heard: list[Caller] = []

    async def application(scope: Any, *_: Any) -> None:
        heard.append(scope["state"]["caller"])

    tokens = Tokens(tmp_path / "tokens.json", rights_of=lambda _: Rights(role))
    text = tokens.add("ann", writes=not read_only)
    access = Access(application, tokens, lambda name: name, 10, Counts(), always=True)
    headers = [(b"authorization", f"Bearer {text}".encode())]
    await access({"type": "http", "path": "/v1/reports", "headers": headers}, None, None)  # type: ignore[arg-type]

    assert [(caller.owner, caller.writes, caller.shares) for caller in heard] == [("ann", *rights)]


# Beside the chat


async def test_the_api_stands_beside_another_application_and_starts_and_ends_with_it() -> None:
    heard: list[str] = []

    def application(name: str) -> ASGIApp:
        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "lifespan":
                heard.append(f"{name} {scope['type']} {scope.get('path')}")
                return
            for step in ("startup", "shutdown"):
                await receive()
                heard.append(f"{name} {step}")
                await send({"type": f"lifespan.{step}.complete"})

        return answer

    async def given() -> Message:
        return {"type": "lifespan.any"}

    async def taken(_: Message) -> None: ...

    both = beside(application("api"), application("chat"))
    await both({"type": "lifespan"}, given, taken)
    for kind, path in (("http", "/v1/ask"), ("http", "/mcp"), ("http", "/"), ("websocket", "/ws/socket.io/")):
        await both({"type": kind, "path": path}, given, taken)

    assert heard == [
        *("api startup", "chat startup", "chat shutdown", "api shutdown"),
        *("api http /v1/ask", "api http /mcp", "chat http /", "chat websocket /ws/socket.io/"),
    ]


def test_a_chat_with_the_api_is_one_process_with_the_chat_s_people(sample_data: Path, tmp_path: Path) -> None:
    data = Path(shutil.copytree(sample_data, tmp_path / "data"))
    with service_over(data) as service, listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        settings = load_settings("offline", (), data=data)
        app = api_beside(_nothing_else, service.clients, service.uploads, listener, data=data)
        with TestClient(app, base_url=f"http://127.0.0.1:{port}") as client:
            assert client.post("/v1/ask", json={"question": REVENUE}).json()["value"] == 386_412_000
            assert client.get("/elsewhere").text == "chat"
            tokens_of(settings, data).add("ann")
            assert client.get("/v1/companies").status_code == 401


async def _nothing_else(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "http":
        await PlainTextResponse("chat")(scope, receive, send)
        return
    for step in ("startup", "shutdown"):
        await receive()
        await send({"type": f"lifespan.{step}.complete"})


def test_uploads_obey_the_settings_of_the_chat(sample_data: Path, tmp_path: Path) -> None:
    data = Path(shutil.copytree(sample_data, tmp_path / "data"))
    sent = {"file": ("a.pdf", b"no PDF")}
    with served(data, chat=ChatOptions(uploads_per_hour=2)) as address:
        statuses = [httpx.post(f"{address}/v1/reports", files=sent, timeout=60).status_code for _ in range(3)]
        assert statuses == [422, 422, 429]
    with served(data, chat=ChatOptions(uploads=False)) as address:
        refused = httpx.post(f"{address}/v1/reports", files=sent, timeout=60)
        assert (refused.status_code, "not taken here" in refused.text) == (403, True)


def test_one_caller_s_conversations_never_push_out_another_s() -> None:
    talks: FairCache[str, int] = FairCache(6)
    for number in range(3):
        talks.put("carl", str(number), number)
    for number in range(50):
        talks.put("ann", str(number), number)
        talks.put("bob", str(number), number)
    assert [talks.get("carl", str(number)) for number in range(3)] == [None, 1, 2]
    assert talks.get("ann", "49") == 49
    assert talks.get("bob", "1") is None


async def test_one_caller_s_questions_leave_another_their_turn(sample_data: Path, tmp_path: Path) -> None:
    data, asked = Path(shutil.copytree(sample_data, tmp_path / "data")), Question(text=REVENUE)
    with service_over(data) as service:
        async with AsyncExitStack() as stack:
            for _ in range(MOST_OF_ONE):
                await stack.enter_async_context(service.clients.turns.of("rob"))
            waiting = asyncio.create_task(service.ask(Caller(name="rob"), asked))
            searching = asyncio.create_task(
                service.find_pages(Caller(name="rob"), REVENUE, "Ostermere Instruments")
            )
            assert (await service.ask(Caller(name="bob"), asked)).value == 386_412_000
            assert not waiting.done()
            assert not searching.done()
        assert (await waiting).value == 386_412_000
        assert await searching


def test_a_report_is_named_by_its_digest_or_its_file_in_every_address(api: httpx.Client) -> None:
    (report,) = next(c for c in api.get("/companies").json() if c["name"].startswith("Ostermere"))["reports"]
    assert report["report_sha1"] == report["sha1"]

    for name in (report["report_sha1"], report["file"], report["file"].upper()):
        assert api.get(f"/reports/{name}").json() == report
        assert api.get(f"/reports/{name}/pages/8").json()["report_sha1"] == report["report_sha1"]
        assert api.get(f"/reports/{name}/pages/8/picture").content[:4] == b"\x89PNG"
        assert api.get(f"/reports/{name}/pdf").content[:5] == b"%PDF-"


def test_a_box_is_taken_as_citations_give_it(api: httpx.Client) -> None:
    (citation,) = api.post("/ask", json={"question": REVENUE}).json()["citations"]
    boxes = ";".join(f"{b['left']},{b['top']},{b['right']},{b['bottom']}" for b in citation["boxes"])
    exact = "72.00000000000001,159.69999999999999,106.20000000000000284,167.90000000000003"

    for marks in (boxes, exact, "-0.3,1,2,3"):
        found = api.get(f"/reports/{citation['file']}/pages/8/picture", params={"boxes": marks})
        assert found.content[:4] == b"\x89PNG", found.text
    refused = api.get(f"/reports/{citation['file']}/pages/8/picture", params={"boxes": "1,2"})
    assert refused.json()["detail"].startswith(
        "boxes='1,2': expected left,top,right,bottom in points, as in a cita"
    )


def test_an_answer_has_every_field_also_where_it_is_empty(api: httpx.Client) -> None:
    plain = api.post("/ask", json={"question": REVENUE}).json()
    unknown = api.post("/ask", json={"question": "What was the revenue of Wexcombe?"}).json()
    asked = "Compare the total assets of Ostermere Instruments and Veldhoorn Packaging."
    compared = api.post("/ask", json={"question": asked}).json()
    number = api.post("/conversations").json()["id"]
    turn = api.post(f"/conversations/{number}/questions", json={"question": REVENUE}).json()

    for found in (unknown, compared, turn, *compared["parts"]):
        assert set(found) == set(plain)
    assert (plain["formula"], plain["operands"], plain["parts"]) == (None, [], [])


def test_the_years_of_facts_are_named_and_counted_apart(api: httpx.Client) -> None:
    def years(**asked: Any) -> set[str]:
        sheet = api.get("/facts", params={"company": "ostermere", **asked}).json()
        return {row["column"] for row in sheet["facts"] if row["column"]}

    assert years(year=2023) == {"2023"}
    assert years(last_years=1) == years(years=1) == {"2024"}


PROBLEMS = [
    ("GET", "/nowhere", 404),
    ("PUT", "/ask", 405),
    ("GET", "/reports/nothing.pdf", 404),
    ("POST", "/ask", 422),
    ("GET", "/facts?company=nobody+at+all", 400),
    ("GET", "/facts?year=1", 422),
    ("GET", "/conversations/none", 404),
    ("GET", "/uploads/none", 404),
]


@pytest.mark.parametrize(("method", "path", "status"), PROBLEMS)
def test_every_problem_has_the_form_that_the_documentation_says(
    api: httpx.Client, method: str, path: str, status: int
) -> None:
    found = api.request(method, path)

    assert found.status_code == status
    assert set(found.json()) == {"detail", "error"}
    assert all(isinstance(text, str) and text for text in found.json().values())


def test_the_documentation_says_the_form_of_every_problem(address: str) -> None:
    document = httpx.get(f"{address}/openapi.json").json()

    forms = {
        answer["content"]["application/json"]["schema"]["$ref"]
        for methods in document["paths"].values()
        for route in methods.values()
        for status, answer in route["responses"].items()
        if status.startswith("4")
    }
    assert forms == {"#/components/schemas/Problem"}


def test_what_was_begun_has_its_address(api: httpx.Client) -> None:
    begun = api.post("/conversations")

    assert begun.headers["Location"] == f"/v1/conversations/{begun.json()['id']}"


def test_a_component_of_the_server_s_own_that_fails_is_not_called_a_wrong_request(
    sample_data: Path, tmp_path: Path
) -> None:
    data = Path(shutil.copytree(sample_data, tmp_path / "data"))
    with served(data, overrides=["rerank.kind=tests.support.own_parts:FailingReranker"]) as address:
        asked = {"question": "What was the number of patents held by Ostermere Instruments?"}
        found = httpx.post(f"{address}/v1/ask", json=asked, timeout=60)

    assert (found.status_code, found.json()["error"]) == (503, "ComponentError")
    assert "the reranker FailingReranker failed with KeyError" in found.json()["detail"]
