"""Reports in the chat, without a browser: sent, refused, read beside questions, stopped, gone on with, put right."""

import asyncio
import os
import threading
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from app.chat.session.client_pool import Key
from app.chat.sources.listing import Wanted
from app.chat.uploads.uploads import Uploads
from app.chat_options import ChatOptions
from indexes.preflight import guarded_preflight, preflight
from storage.stores.inbox import Inbox
from tests.support.doubles.chat_client import ScriptedClient, scripted_facts, scripted_pool, write_pdf
from tests.support.doubles.chat_sessions import Recorded, cards, messages, recorded_session
from tests.support.waiting import PATIENCE, until


@pytest.fixture
def client(tmp_path: Path) -> ScriptedClient:
    return ScriptedClient(tmp_path / "data")


@pytest_asyncio.fixture
async def screen() -> AsyncIterator[Recorded]:
    async with recorded_session("session") as sent:
        yield sent


class ChatOver:
    """A chat over one client, and what a person does in it."""

    def __init__(self, client: ScriptedClient, *, is_guarded: bool = False, **options: Any) -> None:
        from app.chat.handlers import Chat

        self.client = client
        self.inbox = Inbox(client.paths.inbox)
        pool = scripted_pool(client)
        check = guarded_preflight if is_guarded else preflight
        self.uploads = Uploads(pool.at, client.paths, ChatOptions(**options), check)
        self.chat = Chat(pool, scripted_facts, self.uploads)
        self.chat.register()

    async def send(self, *files: Path, text: str = "") -> None:
        import chainlit as cl

        from app.chat.uploads.middleware import MEDIA_TYPE

        elements = [cl.File(name=file.name, path=str(file), mime=MEDIA_TYPE) for file in files]
        await self.chat.answering.answer(cl.Message(content=text, elements=elements, type="user_message"))

    async def call(self, name: str, card: dict[str, Any] | None = None, **payload: Any) -> dict[str, Any]:
        """What a card's button does."""
        import chainlit as cl
        from chainlit.config import config

        about = {"sha1": card["sha1"], "place": card["place"]} if card else {}
        reply = await config.code.action_callbacks[name](cl.Action(name=name, payload={**about, **payload}))
        assert isinstance(reply, dict)
        return reply


@pytest_asyncio.fixture
async def chat(client: ScriptedClient) -> AsyncIterator[ChatOver]:
    chat = ChatOver(client)
    yield chat
    await chat.uploads.close()


def reports(sent: Recorded) -> list[dict[str, Any]]:
    return list(cards(sent, "ReportCard").values())


def all_final(sent: Recorded, count: int = 1) -> bool:
    return len(reports(sent)) == count and all(card["is_final"] for card in reports(sent))


async def test_a_report_that_is_sent_is_read_and_shown_with_where_each_thing_stands(
    chat: ChatOver, screen: Recorded, tmp_path: Path
) -> None:
    await chat.send(write_pdf(tmp_path / "contoso.pdf", pages=3))
    await until(lambda: all_final(screen))
    (card,) = reports(screen)
    assert card["headline"] == "Ready: 3 pages read"
    fields = {f["label"]: (f["value"], f["page"], f["link"]) for f in card["report"]["fields"]}
    assert fields["Company"] == ("Contoso", 1, f"/report/{card['sha1']}.pdf#page=1")
    assert fields["Currency"][:2] == ("EUR", 2)
    assert fields["Period ended"][:2] == ("31 December 2023", 1)
    assert "Fiscal year" not in fields
    assert card["report"]["questions"][0] == "What was the total revenue of Contoso in 2023?"
    assert chat.inbox.waiting() == []
    assert not chat.inbox.pdf(card["sha1"]).exists()
    assert messages(screen) == []


def names(sent: Recorded) -> list[str]:
    return [data["interaction"] for event, data in sent if event == "first_interaction"]


@pytest.mark.parametrize(
    ("file", "first"),
    [("contoso.pdf", "contoso"), ("3fa9c07e5b21d4.pdf", "New report"), ("2023.pdf", "New report")],
)
async def test_a_conversation_is_called_by_the_company_and_year_of_its_report(
    chat: ChatOver, screen: Recorded, tmp_path: Path, file: str, first: str
) -> None:
    await chat.send(write_pdf(tmp_path / file))
    await until(lambda: len(names(screen)) == 2)
    assert names(screen) == [first, f"{Path(file).stem.title()} 2023"]


async def test_a_question_names_a_conversation_whose_report_is_not_known_yet(
    chat: ChatOver, screen: Recorded, tmp_path: Path
) -> None:
    chat.client.page_seconds = 600
    await chat.send(write_pdf(tmp_path / "contoso.pdf"))
    await chat.send(text="What was the total revenue of Northwind?")
    chat.client.page_seconds = 0
    await until(lambda: all_final(screen))
    assert names(screen) == ["contoso", "What was the total revenue of Northwind?"]


async def test_a_conversation_that_began_with_a_greeting_is_called_by_its_first_question(
    chat: ChatOver, screen: Recorded
) -> None:
    for text in ("Hello", "Hello again", "What was the total revenue of Northwind?", "And the costs?"):
        await chat.send(text=text)
    assert names(screen) == ["Hello again", "What was the total revenue of Northwind?"]  # Chainlit gives the first


async def test_a_question_is_answered_whose_report_is_read_before_its_message_is_taken(
    screen: Recorded, tmp_path: Path
) -> None:
    chat = ChatOver(ScriptedClient(tmp_path / "data", listing=0.5))
    await chat.send(write_pdf(tmp_path / "contoso.pdf"), text="What was the total revenue?")
    await until(lambda: cards(screen, "AnswerCard"))
    await chat.uploads.close()


async def test_pages_are_counted_on_the_card_while_they_are_read(
    chat: ChatOver, screen: Recorded, tmp_path: Path
) -> None:
    chat.client.page_seconds = 600
    await chat.send(write_pdf(tmp_path / "contoso.pdf", pages=4))
    await until(lambda: reports(screen)[-1]["headline"] == "Reading page 1 of 4")
    assert reports(screen)[-1]["can_stop"]
    chat.client.page_seconds = 0
    await until(lambda: all_final(screen))
    assert len(cards(screen, "ReportCard")) == 1


def encrypted(path: Path) -> Path:
    from reportlab.lib.pdfencrypt import StandardEncryption
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(path), encrypt=StandardEncryption("secret", canPrint=0))
    canvas.drawString(72, 600, "hidden")
    canvas.save()
    return path


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda p: written(p, b"<script>alert(1)</script>"), "not a PDF (it does not begin with %PDF-)"),
        (lambda p: written(p, b""), "the file is empty (0 bytes)"),
        (lambda p: written(p, write_pdf(p).read_bytes()[:400]), "the PDF is damaged or cut off"),
        (encrypted, "the PDF is encrypted and needs a password"),
        (lambda p: write_pdf(p, pages=4), "has 4 pages; at most 3 are taken here"),
    ],
    ids=["script", "empty", "truncated", "encrypted", "long"],
)
async def test_what_is_no_readable_report_gets_one_clear_message(
    client: ScriptedClient, screen: Recorded, tmp_path: Path, make: Callable[[Path], Path], expected: str
) -> None:
    chat = ChatOver(client, is_guarded=True, upload_pages=3)
    await chat.send(make(tmp_path / "hostile.pdf"))
    (message,) = messages(screen)
    assert message.startswith("“hostile.pdf”")
    assert expected in message
    assert str(tmp_path) not in message
    assert reports(screen) == []
    assert not client.paths.inbox.exists()
    await chat.uploads.close()


async def test_a_report_that_cannot_be_read_says_why_on_its_card(
    chat: ChatOver, screen: Recorded, tmp_path: Path
) -> None:
    await chat.send(write_pdf(tmp_path / "unreadable.pdf"))
    await until(lambda: all_final(screen))
    (card,) = reports(screen)
    assert (card["headline"], card["note"]) == ("It could not be read", "“unreadable.pdf”: no page has text.")
    assert chat.inbox.waiting() == []


async def test_the_same_file_twice_is_read_once(chat: ChatOver, screen: Recorded, tmp_path: Path) -> None:
    chat.client.page_seconds = 600
    first = write_pdf(tmp_path / "contoso.pdf")
    await chat.send(first, written(tmp_path / "again.pdf", first.read_bytes()))
    assert messages(screen) == ["“again.pdf” is being read already: it is the same PDF as “contoso.pdf”."]
    chat.client.page_seconds = 0
    await until(lambda: all_final(screen))
    await chat.send(first)
    await until(lambda: all_final(screen, 2))
    assert reports(screen)[1]["headline"] == "In the library already: 2 pages"
    assert len(chat.client.companies()) == 2


async def test_the_same_file_from_two_chats_at_once_is_one_upload(
    chat: ChatOver, screen: Recorded, tmp_path: Path
) -> None:
    file = write_pdf(tmp_path / "contoso.pdf")
    await asyncio.gather(chat.send(file), chat.send(file))
    await until(lambda: all_final(screen))
    assert chat.client.reading == ["contoso.pdf"]
    assert messages(screen) == ["“contoso.pdf” is being read already."]


async def test_an_upload_that_cannot_be_stored_fails_at_once_and_can_be_sent_again(
    chat: ChatOver, screen: Recorded, tmp_path: Path
) -> None:
    blocked = chat.client.paths.inbox
    blocked.parent.mkdir(parents=True, exist_ok=True)
    blocked.touch()  # a file where the inbox should be: as little can be written as on a full disk
    report = write_pdf(tmp_path / "contoso.pdf")
    await asyncio.wait_for(chat.send(report), PATIENCE)
    (message,) = messages(screen)
    assert "could not be stored here" in message
    assert str(tmp_path) not in message
    assert [upload.state.stage for upload in chat.uploads.of(None)] == ["failed"]
    blocked.unlink()
    await chat.send(report)
    await until(lambda: all_final(screen))
    assert reports(screen)[0]["headline"].startswith("Ready")


async def test_a_slow_disk_is_never_waited_for_by_the_chat_s_event_loop(
    chat: ChatOver, screen: Recorded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: set[int] = set()

    def slow(handle: int) -> None:
        del handle
        waited.add(threading.get_ident())
        time.sleep(0.02)

    monkeypatch.setattr(os, "fsync", slow)
    await chat.send(write_pdf(tmp_path / "contoso.pdf"), text="What was the total revenue?")
    await until(lambda: all_final(screen) and cards(screen, "AnswerCard"))
    assert waited
    assert threading.get_ident() not in waited


@pytest.mark.usefixtures("screen")
async def test_two_removals_at_once_of_a_report_on_its_way_both_end(chat: ChatOver, tmp_path: Path) -> None:
    chat.client.page_seconds = 600
    await chat.send(write_pdf(tmp_path / "contoso.pdf"))
    await until(lambda: chat.client.reading)
    (upload,) = chat.uploads.of(None)
    sha1 = upload.received.sha1
    await asyncio.wait_for(asyncio.gather(*(chat.uploads.forget(None, sha1) for _ in range(2))), PATIENCE)
    assert chat.uploads.of(None) == []
    assert chat.inbox.waiting() == []


@pytest.mark.usefixtures("screen")
async def test_an_upload_ends_though_what_was_received_cannot_be_removed(chat: ChatOver, tmp_path: Path) -> None:
    chat.client.page_seconds = 600
    await chat.send(write_pdf(tmp_path / "contoso.pdf"))
    await until(lambda: chat.client.reading)
    (upload,) = chat.uploads.of(None)
    note = chat.inbox.pdf(upload.received.sha1).with_suffix(".json")
    note.unlink()
    note.mkdir()  # nothing removes a folder as a file
    chat.client.page_seconds = 0
    await asyncio.wait_for(upload.finished.wait(), PATIENCE)
    assert upload.state.stage == "indexed"


@pytest.mark.usefixtures("screen")
async def test_an_upload_that_is_stopped_before_its_task_runs_ends(chat: ChatOver, tmp_path: Path) -> None:
    upload, _ = await chat.uploads.take(write_pdf(tmp_path / "contoso.pdf"), "contoso.pdf", Key(profile="offline"))
    upload.stop()
    await asyncio.wait_for(upload.finished.wait(), PATIENCE)
    assert upload.state.stage == "stopped"
    assert chat.inbox.waiting() == []


async def test_two_reports_are_read_one_after_the_other(chat: ChatOver, screen: Recorded, tmp_path: Path) -> None:
    chat.client.page_seconds = 600
    await chat.send(write_pdf(tmp_path / "first.pdf"), write_pdf(tmp_path / "second.pdf"))
    await until(lambda: reports(screen)[0]["headline"].startswith("Reading page"))
    assert chat.client.reading == ["first.pdf"]
    assert reports(screen)[1]["headline"] == "Waiting: 1 report is read first"
    chat.client.page_seconds = 0
    await until(lambda: all_final(screen, 2))
    assert chat.client.reading == ["first.pdf", "second.pdf"]


async def test_questions_are_answered_while_a_report_is_read(
    chat: ChatOver, screen: Recorded, tmp_path: Path
) -> None:
    chat.client.page_seconds = 600
    await chat.send(write_pdf(tmp_path / "contoso.pdf"))
    await until(lambda: chat.client.reading)
    await chat.send(text="What was the total revenue of Northwind?")
    (answer,) = cards(screen, "AnswerCard").values()
    assert answer["values"] == ["1,249,642,000 USD"]
    assert not all_final(screen)


async def test_a_question_sent_with_a_report_is_answered_when_it_is_read(
    chat: ChatOver, screen: Recorded, tmp_path: Path
) -> None:
    await chat.send(write_pdf(tmp_path / "contoso.pdf"), text="What was the total revenue?")
    await until(lambda: cards(screen, "AnswerCard"))
    (answer,) = cards(screen, "AnswerCard").values()
    assert answer["copied"].startswith("What was the total revenue?\n")
    await chat.send(write_pdf(tmp_path / "fabrikam.pdf"), text="Here it is, thank you")
    await until(lambda: all_final(screen, 2))
    assert len(cards(screen, "AnswerCard")) == 1


async def test_a_report_answers_before_its_vectors_are_made_and_its_card_says_so(
    chat: ChatOver, screen: Recorded, tmp_path: Path
) -> None:
    chat.client.vector_seconds = 600
    await chat.send(write_pdf(tmp_path / "contoso.pdf"), text="What was the total revenue?")
    await until(lambda: cards(screen, "AnswerCard"))
    await until(lambda: "already" in reports(screen)[0]["headline"])
    (card,) = reports(screen)
    assert (card["is_final"], card["report"]["company"], card["report"]["can_change"]) == (False, "Contoso", False)
    chat.client.vector_seconds = 0
    await until(lambda: all_final(screen))
    assert reports(screen)[0]["report"]["can_change"]


@pytest.mark.parametrize("name", ["fabrikam.pdf", "unreadable.pdf"])
async def test_pictures_are_read_when_no_report_waits_and_give_way_to_a_new_one(
    chat: ChatOver, screen: Recorded, tmp_path: Path, name: str
) -> None:
    chat.client.picture_seconds = 600
    chat.client.unread_pictures = 2
    await chat.send(write_pdf(tmp_path / "contoso.pdf"))
    await until(lambda: all_final(screen))
    assert "pictures on 2 pages is read when no other PDF waits" in reports(screen)[0]["note"]
    await chat.send(write_pdf(tmp_path / name))
    await until(lambda: all_final(screen, 2))
    assert chat.client.pictures_read == 0
    chat.client.picture_seconds = 0
    await until(lambda: chat.client.pictures_read == 1)


async def test_stopping_a_report_that_answers_already_takes_it_out_of_the_library(
    chat: ChatOver, screen: Recorded, tmp_path: Path
) -> None:
    chat.client.vector_seconds = 600
    await chat.send(write_pdf(tmp_path / "contoso.pdf"))
    await until(lambda: "already" in reports(screen)[0]["headline"])
    sha1 = reports(screen)[0]["sha1"]
    await chat.call("stop_upload", sha1=sha1)
    await until(lambda: all_final(screen))
    assert reports(screen)[0]["headline"] == "Stopped: nothing of it is in the library"
    assert not chat.client.owns(sha1)


async def test_stop_on_the_card_leaves_nothing_behind(chat: ChatOver, screen: Recorded, tmp_path: Path) -> None:
    chat.client.page_seconds = 600
    await chat.send(write_pdf(tmp_path / "contoso.pdf"), write_pdf(tmp_path / "second.pdf"))
    await until(lambda: chat.client.reading)
    for card in reports(screen)[::-1]:  # the one that waits first
        assert await chat.call("stop_upload", sha1=card["sha1"]) == {}
    await until(lambda: all_final(screen, 2))
    assert {card["headline"] for card in reports(screen)} == {"Stopped: nothing of it is in the library"}
    assert list(chat.client.paths.inbox.iterdir()) == []
    assert chat.client.reading == ["contoso.pdf"]
    assert chat.client.discarded == [reports(screen)[0]["sha1"]]


async def test_the_composer_is_free_while_a_question_waits_for_its_report(
    chat: ChatOver, screen: Recorded, tmp_path: Path
) -> None:
    chat.client.page_seconds = 600
    await chat.send(write_pdf(tmp_path / "contoso.pdf"), text="What was the net income?")
    await until(lambda: chat.client.reading)
    await chat.send(text="What was the total revenue of Northwind?")
    assert [card["copied"].split("\n")[0] for card in cards(screen, "AnswerCard").values()] == [
        "What was the total revenue of Northwind?"
    ]
    chat.client.page_seconds = 0
    await until(lambda: len(cards(screen, "AnswerCard")) == 2)
    marks = [event for event, _ in screen if event in ("task_start", "task_end")]
    assert marks[-1] == "task_end" or marks[-2:] == ["task_end", "task_start"]


async def test_questions_to_a_library_whose_first_report_is_being_read_wait_for_it_in_their_order(
    screen: Recorded, tmp_path: Path
) -> None:
    chat = ChatOver(ScriptedClient(tmp_path, empty=True, page_seconds=600))
    await chat.send(write_pdf(tmp_path / "contoso *2022*.pdf"))
    await until(lambda: chat.client.reading)
    asked = ["What was the total revenue?", "What was the net income?"]
    for question in asked:
        await chat.send(text=question)
    assert (
        messages(screen)
        == ["Still reading “contoso *2022*.pdf”. Your question is answered when that is done."] * 2
    )
    chat.client.page_seconds = 0
    await until(lambda: len(cards(screen, "AnswerCard")) == 2)
    assert [card["copied"].split("\n")[0] for card in cards(screen, "AnswerCard").values()] == asked
    await chat.uploads.close()


async def test_a_question_about_a_company_whose_report_is_being_read_is_no_mere_unknown_company(
    chat: ChatOver, screen: Recorded, tmp_path: Path
) -> None:
    await chat.send(text="Unknown: what was the total revenue of Fabrikam?")
    assert not any("Still reading" in text for text in messages(screen))
    chat.client.page_seconds = 600
    await chat.send(write_pdf(tmp_path / "fabrikam.pdf"))
    await until(lambda: chat.client.reading)
    await chat.send(text="Unknown: what was the total revenue of Fabrikam?")
    assert messages(screen)[-1] == (
        "Still reading “fabrikam.pdf”. If your question is about it, ask again when that is done."
    )


async def test_a_question_whose_report_is_stopped_says_that_it_has_no_answer(
    chat: ChatOver, screen: Recorded, tmp_path: Path
) -> None:
    chat.client.page_seconds = 600
    await chat.send(write_pdf(tmp_path / "contoso.pdf"), text="What was the revenue?")
    await until(lambda: reports(screen) and reports(screen)[0]["headline"].startswith("Reading page"))
    assert await chat.call("stop_upload", reports(screen)[0]) == {}
    await until(lambda: messages(screen))
    assert messages(screen)[0].startswith("No report beside “What was the revenue?” was read")
    assert cards(screen, "AnswerCard") == {}


async def test_an_upload_names_its_conversation_only_where_that_has_no_name(
    chat: ChatOver, screen: Recorded, tmp_path: Path
) -> None:
    await chat.send(text="What was the total revenue of Northwind?")
    await chat.send(write_pdf(tmp_path / "contoso.pdf"))
    await until(lambda: all_final(screen))
    assert [event for event, _ in screen if event == "first_interaction"] == []


async def test_what_a_person_writes_into_the_card_is_put_right(
    chat: ChatOver, screen: Recorded, tmp_path: Path
) -> None:
    await chat.send(write_pdf(tmp_path / "contoso.pdf"))
    await until(lambda: all_final(screen))
    values = {"company": " Contoso  Mining plc ", "currency": "gbp", "period_end": "2024-03-31"}
    assert await chat.call("correct_report", reports(screen)[0], **values) == {}
    (card,) = reports(screen)  # drawn anew in its place
    known = card["report"]
    assert (known["company"], known["currency"], known["period_end"]) == (
        "Contoso Mining plc",
        "GBP",
        "2024-03-31",
    )
    assert {f["source"] for f in known["fields"] if f["value"]} == {"put right by hand"}


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        ({"company": ""}, "Write the company's name"),
        ({"company": "x" * 201}, "Write the company's name"),
        ({"company": ["Contoso"]}, "Company is no text"),
        ({"currency": "XXQ"}, "is no currency"),
        ({"period_end": "31.12.2023"}, "is no day"),
        ({"period_end": "0001-01-01"}, "expected a year from 1900 to 2100"),
        ({"sha1": "../../library"}, "The card names no report"),
        ({"sha1": "b" * 40}, "There is no report"),
    ],
)
@pytest.mark.usefixtures("screen")
async def test_what_a_browser_makes_up_is_refused(chat: ChatOver, payload: dict[str, Any], expected: str) -> None:
    good = {"sha1": chat.client.known.sha1, "company": "Northwind", "currency": "USD", "period_end": "2022-12-31"}
    reply = await chat.call("correct_report", **{**good, **payload})
    assert expected in reply["error"]
    assert chat.client.companies()[0].name == "Northwind Traders Inc."


async def test_a_report_is_removed_after_its_reading_has_stopped(
    chat: ChatOver, screen: Recorded, tmp_path: Path
) -> None:
    await chat.send(write_pdf(tmp_path / "contoso.pdf"))
    await until(lambda: all_final(screen))
    sha1 = reports(screen)[0]["sha1"]
    chat.client.page_seconds = 600
    await chat.send(tmp_path / "contoso.pdf")
    await until(lambda: len(chat.client.reading) == 2)
    assert await chat.call("remove_report", reports(screen)[0]) == {}
    assert reports(screen)[0]["is_removed"]
    assert chat.client.report(sha1) is None
    assert list(chat.client.paths.inbox.iterdir()) == []
    assert "There is no report" in (await chat.call("remove_report", sha1=sha1))["error"]


@pytest.mark.usefixtures("screen")
async def test_a_new_start_goes_on_with_what_was_being_read_and_says_so(chat: ChatOver, tmp_path: Path) -> None:
    chat.client.page_seconds = 600
    await chat.send(write_pdf(tmp_path / "first.pdf"), write_pdf(tmp_path / "second.pdf"))
    await until(lambda: chat.client.reading)
    await chat.uploads.close()
    assert [waiting.name for waiting in chat.inbox.waiting()] == ["first.pdf", "second.pdf"]
    assert chat.client.discarded == []  # pages that are read already are not read again
    later = ChatOver(ScriptedClient(tmp_path / "data"))
    async with recorded_session("another") as sent:
        await later.chat.start()
        await later.chat.greet()
        (said,) = [data["message"] for event, data in sent if event == "toast"]
        assert said.startswith("The chat ended while these were read: first.pdf, second.pdf.")
        await until(lambda: all(upload.state.stage == "indexed" for upload in later.uploads.of(None)))
        assert reports(sent) == []  # their cards stand in their own conversation
        assert later.inbox.waiting() == []
    await later.uploads.close()


@pytest.mark.usefixtures("screen")
async def test_a_report_that_was_interrupted_again_and_again_is_offered_not_begun(
    chat: ChatOver, tmp_path: Path
) -> None:
    chat.client.page_seconds = 600
    await chat.send(write_pdf(tmp_path / "poison.pdf"))
    await until(lambda: chat.client.reading)
    await chat.uploads.close()
    (received,) = chat.inbox.waiting()
    chat.inbox.note(received.model_copy(update={"tries": 3}))
    later = ChatOver(ScriptedClient(tmp_path / "data"))
    async with recorded_session("another") as sent:
        await later.chat.start()
        await later.chat.greet()
        assert [event for event, _ in sent if event == "toast"] == ["toast"]
        (source,) = [s for s in (await later.chat.sources.listed(Wanted())).sources if not s.company]
        assert (source.stage, source.can_retry) == ("interrupted", True)
        assert later.client.reading == []
        await later.chat.sources.retry(source.sha1)
        await until(lambda: all(upload.state.stage == "indexed" for upload in later.uploads.of(None)))
    await later.uploads.close()


async def test_a_report_on_its_way_is_shown_in_its_own_conversation_alone(
    chat: ChatOver, screen: Recorded, tmp_path: Path
) -> None:
    chat.client.page_seconds = 600
    await chat.send(write_pdf(tmp_path / "contoso.pdf"))
    await until(lambda: chat.client.reading)
    async with recorded_session("another") as sent:
        await chat.chat.greet()
        chat.client.page_seconds = 0
        await until(lambda: all_final(screen))
        assert reports(sent) == []
    assert await chat.call("upload_state", reports(screen)[0]) == {}
    assert reports(screen)[0]["headline"] == "Ready: 2 pages read"


async def test_a_report_of_another_person_cannot_be_named(client: ScriptedClient, tmp_path: Path) -> None:
    chat = ChatOver(client)
    client.page_seconds = 600
    async with recorded_session("hers", "ann"):
        await chat.send(write_pdf(tmp_path / "contoso.pdf"))
        (upload,) = chat.uploads.of("ann")
    async with recorded_session("his", "bob") as sent:
        await chat.chat.greet()
        assert reports(sent) == []
        for name in ("stop_upload", "retry_upload"):
            assert "not on its way" in (await chat.call(name, sha1=upload.received.sha1))["error"]
        assert await chat.call("upload_state", sha1=upload.received.sha1) == {}
        assert reports(sent) == []
    assert not upload.state.is_final
    await chat.uploads.close()


async def test_an_empty_library_invites_to_drop_a_report(tmp_path: Path, screen: Recorded) -> None:
    import chainlit as cl

    chat = ChatOver(ScriptedClient(tmp_path, empty=True))
    await chat.chat.answering.answer(cl.Message(content="What was the total revenue?"))
    (message,) = messages(screen)
    assert "Drop the PDF of an annual report here" in message
    assert "pageproof" not in message  # a terminal is no place that the screen sends people to
    closed = ChatOver(ScriptedClient(tmp_path, empty=True), uploads=False)
    await closed.chat.answering.answer(cl.Message(content="What was the total revenue?"))
    assert "Drop" not in messages(screen)[1]
    assert "pageproof ingest" in messages(screen)[1]


def test_which_files_may_be_sent_is_told_to_the_browser(client: ScriptedClient) -> None:
    from chainlit.config import config

    ChatOver(client, upload_megabytes=7)
    offered = config.features.spontaneous_file_upload
    assert offered is not None
    assert (offered.enabled, offered.max_size_mb, offered.accept) == (True, 7, {"application/pdf": [".pdf"]})
    ChatOver(client, uploads=False)
    assert config.features.spontaneous_file_upload is not None
    assert not config.features.spontaneous_file_upload.enabled


async def test_the_list_of_companies_is_drawn_anew_when_a_report_is_removed_from_it(
    chat: ChatOver, screen: Recorded
) -> None:
    await chat.send(text="Which companies are there?")
    (card,) = cards(screen, "CompaniesCard").values()
    place, sha1 = card["place"], chat.client.known.sha1
    assert await chat.call("remove_report", sha1=sha1, place=place, from_list=True) == {}
    (card,) = cards(screen, "CompaniesCard").values()
    assert card["companies"] == []


@pytest.mark.parametrize(
    "place", [None, "x", {"element": "../x", "message": "y"}, {"element": 1, "message": 2}, {"element": "x"}]
)
async def test_a_place_that_is_made_up_is_drawn_nowhere(chat: ChatOver, screen: Recorded, place: Any) -> None:
    assert await chat.call("upload_state", sha1=chat.client.known.sha1, place=place) == {}
    assert reports(screen) == []


async def test_a_pdf_that_is_read_slowly_makes_way_while_another_person_waits(
    client: ScriptedClient, tmp_path: Path
) -> None:
    client.page_seconds = 600
    pool = scripted_pool(client)
    uploads = Uploads(pool.at, client.paths, ChatOptions(), preflight, patience=0.0)
    keys = [Key(profile="offline", owner=name) for name in ("ann", "bob")]
    slow, _ = await uploads.take(write_pdf(tmp_path / "slow.pdf"), "slow.pdf", keys[0])
    await until(lambda: slow.state.stage == "reading")
    other, _ = await uploads.take(write_pdf(tmp_path / "other.pdf"), "other.pdf", keys[1])

    await slow.finished.wait()  # it made way some times; nobody may make the others wait for ever

    assert (slow.state.stage, slow.state.can_retry, slow.put_back) == ("failed", False, 3)
    assert "others had to wait" in slow.state.reason
    async with pool.at(keys[1]) as its:
        its.page_seconds = 0
    await other.finished.wait()
    assert other.state.stage == "indexed"
    await uploads.close()


async def test_a_slow_pdf_is_read_to_its_end_where_nobody_else_waits(
    client: ScriptedClient, tmp_path: Path
) -> None:
    client.page_seconds = 0.2
    uploads = Uploads(scripted_pool(client).at, client.paths, ChatOptions(), preflight, patience=0.0)
    key = Key(profile="offline", owner="ann")
    files = [write_pdf(tmp_path / name) for name in ("one.pdf", "two.pdf")]
    sent = [(await uploads.take(file, file.name, key))[0] for file in files]
    for upload in sent:
        await upload.finished.wait()
    assert [(upload.state.stage, upload.put_back) for upload in sent] == [("indexed", 0), ("indexed", 0)]
    await uploads.close()
