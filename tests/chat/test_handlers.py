"""The chat without a browser: Chainlit's own session, with what it would send recorded."""

import asyncio
import hashlib
import os
import socket
import time
import uuid
import warnings
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from pydantic.warnings import UnsupportedFieldAttributeWarning

from app.chat.cards.words import speech_of
from app.chat.launcher import enter_run_folder, listen, local_origins, silence_fastapi
from app.chat.session.client_pool import ClientPool, Key
from app.chat_options import ChatOptions
from query_engines.events import StepFinished, StepStarted
from storage.errors import UsageError
from storage.records.reports import Company, Report
from storage.stores.library import Library
from tests.support.doubles.chat_client import ScriptedClient, scripted_facts, scripted_pool, scripted_uploads
from tests.support.waiting import until

Recorded = list[tuple[str, Any]]
HOST, PORT = "127.0.0.1", 8000


@pytest.fixture
def client(tmp_path: Path) -> ScriptedClient:
    return ScriptedClient(tmp_path)


@pytest_asyncio.fixture
async def screen() -> AsyncIterator[Recorded]:
    """What Chainlit sends to the browser of one session."""
    from chainlit.context import ChainlitContext, context_var
    from chainlit.emitter import ChainlitEmitter
    from chainlit.session import WebsocketSession
    from chainlit.user_session import user_sessions

    sent: Recorded = []

    async def emit(event: str, data: Any) -> None:
        sent.append((event, data))

    session = WebsocketSession(
        id=str(uuid.uuid4()), socket_id="socket", emit=emit, emit_call=None, user_env={}, client_type="webapp"
    )
    token = context_var.set(ChainlitContext(session, ChainlitEmitter(session)))
    yield sent
    context_var.reset(token)
    user_sessions.clear()
    await session.delete()


def chat_over(client: ScriptedClient) -> Any:
    """The chat over one client, which Chainlit calls from now on."""
    from app.chat.handlers import Chat

    pool = scripted_pool(client)
    chat = Chat(pool, scripted_facts, scripted_uploads(pool))
    chat.register()
    return chat


async def say(text: str, command: str | None = None) -> None:
    import chainlit as cl
    from chainlit.config import config

    assert config.code.on_message is not None
    await config.code.on_message(cl.Message(content=text, type="user_message", command=command))


async def ask(client: ScriptedClient, text: str) -> None:
    chat_over(client)
    await say(text)


def latest_steps(sent: Recorded) -> dict[str, dict[str, Any]]:
    """Each step and message as the screen shows it at the end, by id, in order of appearance."""
    shown: dict[str, dict[str, Any]] = {}
    for event, data in sent:
        if event in ("new_message", "update_message") and data["name"] != "on_message":
            shown[data["id"]] = data
    return shown


async def until_shown(sent: Recorded, count: int) -> None:
    """Wait until so many steps and messages are on the screen."""
    await until(lambda: len(latest_steps(sent)) >= count)


def messages(sent: Recorded) -> list[dict[str, Any]]:
    return [step for step in latest_steps(sent).values() if step["type"] == "assistant_message"]


async def test_an_answer_is_one_message_with_its_card(client: ScriptedClient, screen: Recorded) -> None:
    await ask(client, "What was the total revenue of Northwind?")
    (message,) = messages(screen)
    (card,) = [data for event, data in screen if event == "element"]
    assert (card["name"], card["forId"], card["display"]) == ("AnswerCard", message["id"], "inline")
    assert card["props"]["values"] == ["1,249,642,000 USD"]


async def test_steps_stand_folded_below_one_line(client: ScriptedClient, screen: Recorded) -> None:
    await ask(client, "What was the total revenue of Northwind?")
    root, *inner, _ = latest_steps(screen).values()
    assert root["name"].startswith("How this was answered, in ")
    assert not root["defaultOpen"]
    assert [step["name"] for step in inner] == ["Choosing the company", "Searching the report", "Reading 2 pages"]
    assert {step["parentId"] for step in inner} == {root["id"]}
    assert all(step["end"] and step["showInput"] is False for step in [root, *inner])
    assert inner[0]["output"] == "Northwind Traders Inc. by exact name\n\n*less than 0.1 s*"


async def test_what_a_model_says_of_a_step_links_and_loads_nothing(screen: Recorded) -> None:
    from app.chat.cards.screen import Trail

    trail = Trail(speech_of("en"))
    await trail.start()
    await trail.follow(StepStarted(step_id=1, kind="answer", label="Answering"))
    hostile = r"![x](http://evil.example/a.png) <b> [y](//evil.example) \`![z](u)\` www.evil.example"
    await trail.follow(StepFinished(step_id=1, summary=f"{hostile}\n\n| page |\n|---|\n| 2 |", seconds=0.01))
    *_, step = latest_steps(screen).values()
    assert step["output"].startswith(
        r"\!\[x\](http\://evil.example/a.png) \<b> \[y\](//evil.example) \`\!\[z\](u)\` www\.evil.example"
    )
    assert "| page |\n|---|\n| 2 |" in step["output"]


async def test_the_analysis_is_written_as_it_comes_and_kept_whole(
    client: ScriptedClient, screen: Recorded
) -> None:
    await ask(client, "What was the total revenue of Northwind?")
    first = [data["output"] for event, data in screen if event == "stream_start"]
    pieces = [data["token"] for event, data in screen if event == "stream_token"]
    reading = next(step for step in latest_steps(screen).values() if step["name"] == "Reading 2 pages")
    assert first == [r"EBITDA\:Margin is not asked\."]
    assert pieces == ["\n" + r"The row Total revenue is on page 2\."]
    assert reading["output"].startswith(first[0] + pieces[0])


async def test_a_person_signed_in_is_answered_by_their_own_client(
    client: ScriptedClient, screen: Recorded
) -> None:
    import chainlit as cl
    from chainlit.context import context

    requested: list[Key] = []

    def open_client(key: Key) -> ScriptedClient:
        requested.append(key)
        return client

    from app.chat.handlers import Chat

    pool = ClientPool(open_client, "offline", (), {})
    Chat(pool, scripted_facts, scripted_uploads(pool)).register()
    await say("What was the total revenue of Northwind?")
    context.session.user = cl.User(identifier="ann")
    await say("What was the total revenue of Northwind?")
    assert [key.owner for key in requested] == [None, "ann"]
    assert len(elements(screen)) == 2


async def test_an_error_of_ours_is_told_in_its_words(client: ScriptedClient, screen: Recorded) -> None:
    await ask(client, "Overload")
    (message,) = messages(screen)
    assert message["isError"]
    assert message["output"].replace("\\", "") == "The model's provider is overloaded: try again in a minute."
    assert next(iter(latest_steps(screen).values()))["name"].startswith("Stopped after ")


@pytest.mark.parametrize("command", [None, "facts"])
@pytest.mark.parametrize("text", ["facts of " + "!" * 30_000, "What " + "'a' \"b\" " * 5_000, "1" * 20_000])
async def test_a_question_without_an_end_freezes_nothing_and_is_refused_in_words(
    client: ScriptedClient, screen: Recorded, text: str, command: str | None
) -> None:
    chat_over(client)
    started = time.process_time()
    await say(text, command)
    assert time.process_time() - started < 0.5
    (message,) = messages(screen)
    assert message["isError"]
    assert (
        message["output"]
        .replace("\\", "")
        .startswith(f"The question has {len(text):,} characters, and at most 2,000")
    )


async def test_a_defect_is_told_by_reference_and_logged(
    client: ScriptedClient, screen: Recorded, caplog: pytest.LogCaptureFixture
) -> None:
    await ask(client, "Break")
    (message,) = messages(screen)
    reference = message["output"].rpartition(" ")[2].strip("\\.")
    assert "secret detail" not in message["output"]
    assert reference in caplog.text
    assert "secret detail" in caplog.text


async def test_stopping_leaves_nothing_running_on_the_screen(tmp_path: Path, screen: Recorded) -> None:
    task = asyncio.create_task(ask(ScriptedClient(tmp_path, pause=30), "What was the total revenue?"))
    await until_shown(screen, 2)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    steps = latest_steps(screen)
    assert len(steps) == 2
    assert all(step["end"] for step in steps.values())


async def test_a_question_asked_during_the_greeting_stays_marked_as_running(
    tmp_path: Path, screen: Recorded
) -> None:
    from chainlit.config import config
    from chainlit.context import context
    from chainlit.socket import process_message

    chat_over(ScriptedClient(tmp_path, pause=0.2, listing=0.1))
    sent = {"id": str(uuid.uuid4()), "name": "you", "type": "user_message", "output": "Revenue of Northwind?"}
    greeting = asyncio.create_task(config.code.on_chat_start())
    await process_message(context.session, {"message": {**sent, "createdAt": None}, "fileReferences": None})
    assert greeting.done()
    marks = [event for event, _ in screen if event in ("task_start", "element", "task_end")]
    assert marks == ["task_start", "element", "task_end"]


async def test_a_defect_while_greeting_is_told(tmp_path: Path, screen: Recorded) -> None:
    from chainlit.config import config

    class BrokenClient(ScriptedClient):
        def companies(self) -> tuple[Company, ...]:
            raise KeyError("secret detail")

    chat_over(BrokenClient(tmp_path))
    await config.code.on_chat_start()
    (message,) = messages(screen)
    assert "Something went wrong in Pageproof itself" in message["output"]
    assert "secret detail" not in message["output"]


async def test_an_empty_library_says_how_to_fill_it(tmp_path: Path, screen: Recorded) -> None:
    chat = chat_over(ScriptedClient(tmp_path, empty=True))
    await chat.greet()
    assert messages(screen) == []  # the first screen says it
    assert await chat.starters() == []
    await say("What was the total revenue?")
    assert "Drop the PDF of an annual report here" in messages(screen)[-1]["output"]


async def test_starters_ask_about_companies_that_are_there(client: ScriptedClient, screen: Recorded) -> None:
    chat = chat_over(client)
    await chat.greet()
    starters = await chat.starters()
    assert messages(screen) == []  # a greeting would hide the starters
    # Its revenue fails a check in this client.
    assert [starter.message for starter in starters] == ["What were the total assets of Northwind Traders?"]


def test_mcp_is_off_and_html_is_not_trusted() -> None:
    from chainlit.config import config

    assert not config.features.mcp.enabled
    assert not config.features.mcp.user_servers.enabled
    assert config.features.mcp.servers == []
    assert not config.features.unsafe_allow_html
    assert config.project.allow_origins == local_origins(HOST, PORT)


def test_the_run_folder_holds_our_readme_words_and_looks(chainlit_home: Path) -> None:
    assert (chainlit_home / "chainlit.md").read_text(encoding="utf-8").startswith("# Pageproof")
    words = (chainlit_home / ".chainlit" / "translations" / "en-US.json").read_text(encoding="utf-8")
    assert "Ask about a company" in words
    assert "Send message" in words  # Chainlit's own words are still there
    assert (chainlit_home / "public" / "elements" / "AnswerCard.jsx").is_file()


def test_fastapi_s_own_warning_stays_hidden_when_another_thread_ends_its_hiding() -> None:
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        silence_fastapi()
        another_thread, fastapi = warnings.catch_warnings(), warnings.catch_warnings()
        another_thread.__enter__()
        fastapi.__enter__()
        warnings.simplefilter("ignore", UnsupportedFieldAttributeWarning)
        another_thread.__exit__(None, None, None)
        warnings.warn("The 'alias' attribute has no effect", UnsupportedFieldAttributeWarning, stacklevel=1)
        fastapi.__exit__(None, None, None)
    assert shown == []


def test_keys_of_other_programs_do_not_send_conversations_away(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("LITERAL_API_KEY", "DATABASE_URL", "SLACK_BOT_TOKEN", "CHAINLIT_ENV_FILE"):
        monkeypatch.setenv(name, "set for something else")
    before = dict(os.environ)
    try:
        enter_run_folder(tmp_path)
        assert os.environ.keys().isdisjoint({"LITERAL_API_KEY", "DATABASE_URL", "SLACK_BOT_TOKEN"})
        assert os.environ["CHAINLIT_APP_ROOT"] == str(tmp_path)
        assert not Path(os.environ["CHAINLIT_ENV_FILE"]).exists()
    finally:
        os.environ.clear()
        os.environ.update(before)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "example.com", "::"])
def test_the_chat_listens_on_this_machine_only(host: str) -> None:
    with pytest.raises(UsageError, match="nobody signs in to this chat"):
        listen(host, 0)


def test_a_taken_port_is_one_clear_line() -> None:
    with socket.create_server((HOST, 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(
            UsageError, match=rf"port {port} on 127.0.0.1 cannot be opened \(Address already in use\)"
        ):
            listen(HOST, port)


@pytest_asyncio.fixture
async def browser(client: ScriptedClient) -> AsyncIterator[httpx.AsyncClient]:
    """Requests to the whole application, as a browser on this machine sends them."""
    from chainlit import server

    from app.chat.routes import front

    transport = httpx.ASGITransport(app=front(server, client, local_origins(HOST, PORT), ChatOptions()))
    async with httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}:{PORT}") as http:
        yield http


async def test_a_page_is_served_as_a_picture(browser: httpx.AsyncClient, client: ScriptedClient) -> None:
    response = await browser.get(f"/report/{client.known.sha1}/2.png?boxes=72.0,160.0,300.0,174.0")
    assert response.status_code == 200
    assert response.headers["content-type"] == "image/png"
    assert response.content.startswith(b"\x89PNG")


async def test_a_report_is_served_under_its_name(browser: httpx.AsyncClient, client: ScriptedClient) -> None:
    response = await browser.get(f"/report/{client.known.sha1}.pdf")
    assert response.content.startswith(b"%PDF")
    assert response.headers["content-disposition"] == 'inline; filename="northwind.pdf"'


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/report/{sha1}/3.png", 404),
        ("/report/{sha1}/0.png", 404),
        ("/report/{other}/1.png", 404),
        ("/report/{other}.pdf", 404),
        ("/report/..%2F..%2Flibrary.pdf", 404),
        ("/report/{sha1}/1.png?boxes=1,2,3", 400),
        ("/report/{sha1}/1.png?boxes=nan,0,1,1", 400),
        ("/report/{sha1}/1.png?boxes=9,9,1,1", 400),
        ("/report/{sha1}/1.png?boxes=1,1,2,2;", 400),
        ("/report/{sha1}/1.png?boxes=" + ";".join(["1,1,2,2"] * 61), 400),
    ],
)
async def test_what_is_not_there_is_refused(
    browser: httpx.AsyncClient, client: ScriptedClient, path: str, status: int
) -> None:
    response = await browser.get(path.format(sha1=client.known.sha1, other="b" * 40))
    assert response.status_code == status


async def test_a_lost_pdf_is_said_in_one_line(browser: httpx.AsyncClient, client: ScriptedClient) -> None:
    client.paths.report_pdf(client.known.sha1).unlink()
    for address in (f"/report/{client.known.sha1}.pdf", f"/report/{client.known.sha1}/1.png"):
        response = await browser.get(address)
        assert response.status_code == 500
        assert "ingest it again" in response.json()["detail"]


def own_report(client: ScriptedClient, owner: str) -> Report:
    """A report that one person alone has."""
    paths = client.paths.of_owner(owner)
    content = client.paths.report_pdf(client.known.sha1).read_bytes() + b"\n% mine\n"
    report = Report(sha1=hashlib.sha1(content).hexdigest(), file="mine.pdf", company="Mine plc", page_count=2)
    paths.reports.mkdir(parents=True)
    paths.report_pdf(report.sha1).write_bytes(content)
    Library(paths.catalog).add(report)
    return report


async def test_a_person_s_own_report_opens_for_them_alone(
    browser: httpx.AsyncClient, client: ScriptedClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    import chainlit as cl
    from chainlit.auth import create_jwt
    from chainlit.config import config

    monkeypatch.setenv("CHAINLIT_AUTH_SECRET", "a secret of more than thirty-two letters")
    monkeypatch.setattr(config.code, "password_auth_callback", lambda *_: None)  # login is required from now on
    own = own_report(client, "ann")
    seen = {}
    for name in ("ann", "bob", None):
        headers = {"Authorization": f"Bearer {create_jwt(cl.User(identifier=name))}"} if name else {}
        for sha1 in (own.sha1, client.known.sha1):
            for address in (f"/report/{sha1}.pdf", f"/report/{sha1}/1.png"):
                seen[name, sha1, address[-3:]] = (await browser.get(address, headers=headers)).status_code
    known = client.known.sha1
    assert seen == {
        **{("ann", sha1, kind): 200 for sha1 in (own.sha1, known) for kind in ("pdf", "png")},
        **{("bob", own.sha1, kind): 404 for kind in ("pdf", "png")},
        **{("bob", known, kind): 200 for kind in ("pdf", "png")},
        **{(None, sha1, kind): 401 for sha1 in (own.sha1, known) for kind in ("pdf", "png")},
    }
    assert (client.paths.of_owner("ann").pictures / own.sha1).is_dir()
    assert not (client.paths.pictures / own.sha1).exists()
    assert not client.paths.of_owner("bob").root.exists()


async def test_a_browser_keeps_a_person_s_own_report_for_their_cookie_alone(
    browser: httpx.AsyncClient, client: ScriptedClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    import chainlit as cl
    from chainlit.auth import create_jwt
    from chainlit.config import config

    monkeypatch.setenv("CHAINLIT_AUTH_SECRET", "a secret of more than thirty-two letters")
    monkeypatch.setattr(config.code, "password_auth_callback", lambda *_: None)
    headers = {"Authorization": f"Bearer {create_jwt(cl.User(identifier='ann'))}"}
    own, shared = own_report(client, "ann").sha1, client.known.sha1
    vary = [(await browser.get(f"/report/{s}.pdf", headers=headers)).headers.get("vary") for s in (own, shared)]
    assert vary == ["Cookie", None]


@pytest.mark.parametrize(
    "headers", [{"Host": "rebound.example:8000"}, {"Origin": "https://evil.example"}, {"Origin": "null"}]
)
async def test_pages_of_other_sites_are_turned_away(browser: httpx.AsyncClient, headers: dict[str, str]) -> None:
    assert (await browser.get("/health", headers=headers)).status_code == 403


async def test_the_page_fetches_nothing_from_other_machines(browser: httpx.AsyncClient) -> None:
    response = await browser.get("/")
    assert response.status_code == 200
    assert "googleapis" not in response.text
    assert "jsdelivr" not in response.text
    assert "default-src 'self'" in response.headers["content-security-policy"]
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["referrer-policy"] == "no-referrer"


def elements(sent: Recorded) -> list[dict[str, Any]]:
    return [data for event, data in sent if event == "element"]


async def test_companies_compared_side_by_side_have_steps_of_their_own(
    client: ScriptedClient, screen: Recorded
) -> None:
    await ask(client, "Which had the higher revenue, Northwind or Contoso?")
    steps = {step["name"]: step for step in latest_steps(screen).values()}
    parents = [s["parentId"] for s in latest_steps(screen).values() if s["name"] == "Searching the report"]
    assert parents == [steps["Northwind Traders Inc."]["id"], steps["Contoso Mining plc"]["id"]]
    assert "*0.3 s*" in steps["Contoso Mining plc"]["output"]
    assert [part["company"] for part in elements(screen)[0]["props"]["parts"]][-1] == "Fabrikam Bank"


async def test_stopping_ends_the_work_itself(tmp_path: Path, screen: Recorded) -> None:
    client = ScriptedClient(tmp_path, pause=30)
    task = asyncio.create_task(ask(client, "What was the total revenue?"))
    await until_shown(screen, 2)
    assert not client.stopped.exists()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert client.stopped.exists()
    assert messages(screen) == []


async def test_pages_read_and_not_cited_are_on_the_card(client: ScriptedClient, screen: Recorded) -> None:
    await ask(client, "What was the total revenue of Northwind?")
    assert [link["label"] for link in elements(screen)[0]["props"]["read"]] == ["p. 1"]


async def test_the_panel_shows_the_profile_and_what_can_be_set(client: ScriptedClient, screen: Recorded) -> None:
    await chat_over(client).greet()
    (tabs,) = [data for event, data in screen if event == "chat_settings"]
    shown = {field["id"]: field["initial"] for tab in tabs for field in tab["inputs"]}
    assert shown == {
        "profile": "offline",
        "kind": "automatic",
        "strictness": "analyst",
        "mode": "vector",
        "pages": 10.0,
        "rerank": "lexical",
    }


async def test_what_is_set_holds_for_the_next_question_of_this_conversation_only(
    client: ScriptedClient, screen: Recorded
) -> None:
    import chainlit as cl
    from chainlit.context import ChainlitContext, context_var
    from chainlit.emitter import ChainlitEmitter
    from chainlit.session import WebsocketSession

    chat = chat_over(client)
    await chat.greet()
    await chat.choose({"kind": "boolean", "pages": 10.0})
    await say("Undisclosed staff")
    assert elements(screen)[0]["props"]["kind"] == "Yes or no"

    async def emit(event: str, data: Any) -> None:
        screen.append((event, data))

    other = WebsocketSession(
        id=str(uuid.uuid4()), socket_id="o", emit=emit, emit_call=None, user_env={}, client_type="webapp"
    )
    token = context_var.set(ChainlitContext(other, ChainlitEmitter(other)))
    await chat.greet()
    await chat.answering.answer(cl.Message(content="Undisclosed staff", type="user_message"))
    context_var.reset(token)
    await other.delete()
    assert elements(screen)[1]["props"]["kind"] == "Number"


async def test_a_setting_that_is_not_offered_is_refused_and_the_panel_put_back(
    client: ScriptedClient, screen: Recorded
) -> None:
    chat = chat_over(client)
    await chat.greet()
    await chat.choose({"pages": 4000})
    (message,) = messages(screen)
    assert message["isError"]
    assert "choose 1 to 40" in message["output"]
    panels = [data for event, data in screen if event == "chat_settings"]
    assert panels[0] == panels[1]


async def test_a_profile_without_an_index_says_how_to_make_it(client: ScriptedClient, screen: Recorded) -> None:
    chat = chat_over(client)
    await chat.greet()
    await chat.choose({"profile": "ollama", "pages": 12})
    (message,) = messages(screen)
    assert "pageproof ingest FOLDER_WITH_PDFS --profile ollama --set retrieval.pages=12" in message["output"]


async def test_a_hosted_profile_warns_that_pages_leave_the_machine(
    client: ScriptedClient, screen: Recorded
) -> None:
    from app.chat.handlers import Chat

    pool = scripted_pool(client, {"OPENAI_API_KEY": "set"})
    uploads = scripted_uploads(pool)
    await Chat(pool, scripted_facts, uploads).choose({"profile": "openai"})
    toasts = [data for event, data in screen if event == "toast"]
    assert [toast["type"] for toast in toasts] == ["warning"]
    assert "sent to api.openai.com" in toasts[0]["message"]


async def test_profiles_can_be_chosen_in_the_header(client: ScriptedClient) -> None:
    from chainlit.config import config

    chat_over(client)
    assert config.code.set_chat_profiles is not None
    offered = {p.name: p for p in await config.code.set_chat_profiles(None, "en-US")}
    assert offered["offline"].default
    assert not offered["ollama"].default
    assert "openai" not in offered  # its key is not set


async def test_the_facts_of_a_company_come_as_a_table(client: ScriptedClient, screen: Recorded) -> None:
    chat_over(client)
    await say("Show the facts of Northwind")
    await say("northwind", command="facts")
    typed, commanded = elements(screen)
    assert typed["name"] == "FactsCard"
    assert typed["props"] == commanded["props"]
    assert typed["props"]["years"] == ["2022", "2021"]
    (line,) = typed["props"]["lines"]
    assert [cell["value"] for cell in line["cells"]] == ["1,249,642,000", "0.5"]
    assert [cell["sure"] for cell in line["cells"]] == [True, False]
    assert line["cells"][0]["link"].endswith("/view?page=2&boxes=72.0,160.0,300.0,174.0")
    assert typed["props"]["officers"][0]["name"] == "Ann Lee"


async def test_facts_of_an_unknown_company_name_the_nearest(client: ScriptedClient, screen: Recorded) -> None:
    chat_over(client)
    await say("Show the facts of Fabrikam")
    (message,) = messages(screen)
    assert message["isError"]
    assert "Northwind Traders Inc" in message["output"]


async def test_the_companies_are_listed_on_demand(client: ScriptedClient, screen: Recorded) -> None:
    chat_over(client)
    await say("Which companies are there?")
    (card,) = elements(screen)
    assert card["name"] == "CompaniesCard"
    assert card["props"]["counts"] == "1 company, 1 report"
    (company,) = card["props"]["companies"]
    assert company["name"] == "Northwind Traders Inc."
    assert [(r["year"], r["pages"], r["whose"], r["can_remove"]) for r in company["reports"]] == [
        ("year unknown", 2, "", True)
    ]


async def test_a_follow_up_is_answered_as_understood_and_says_so(client: ScriptedClient, screen: Recorded) -> None:
    chat_over(client)
    await say("What was the total revenue of Northwind?")
    await say("staff")
    first, second = (element["props"] for element in elements(screen))
    assert first["understood"] == ""
    assert second["understood"] == "Undisclosed staff of Northwind Traders Inc."
    assert "does not disclose" in second["reason"]
