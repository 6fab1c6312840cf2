"""The panel of sources: what it lists and opens, which reports a conversation is about, and who may change them."""

import datetime as dt
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import pytest_asyncio

from app.chat.session.client_pool import Key
from app.chat.sources.listing import Wanted, Whose, label_of, short_name, source_list
from app.chat.uploads.uploads import Upload, UploadState
from storage.records.reports import Company, Filing, Report
from storage.stores.inbox import Received
from tests.support.doubles.chat_visit import Visit, resumed, visit
from tests.support.doubles.people_chat import REVENUE, Chat

NOW = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


def filed(sha1: str, company: str, year: int, **known: Any) -> Report:
    filing = Filing(type="10-K", **known)
    ended = dt.date(year, 12, 31)
    return Report(
        sha1=sha1,
        file=f"{sha1}.pdf",
        company=company,
        page_count=9,
        fiscal_year=year,
        filing=filing,
        period_end=ended,
    )


ALDER = Company(
    name="Alder Gold Inc.", reports=(filed("a1", "Alder Gold Inc.", 2024), filed("a2", "Alder Gold Inc.", 2023))
)
BIRCH = Company(name="Birch Bank plc", reports=(filed("b1", "Birch Bank plc", 2024),))


def on_its_way(sha1: str, **state: Any) -> Upload:
    upload = Upload(Received(sha1=sha1, name=f"{sha1}.pdf", page_count=40, received=NOW, profile="offline"))
    upload.state = UploadState(**state)
    return upload


def listed(*uploads: Upload, personal: bool = False, **wanted: Any) -> list[tuple[str, str, str]]:
    found = source_list(
        [ALDER, BIRCH],
        uploads,
        lambda sha1: sha1 == "a2",
        lambda sha1: sha1 == "a2",
        Wanted(**wanted),
        Whose(is_personal=personal, takes_uploads=True),
    )
    return [(source.sha1, source.stage, source.whose) for source in found.sources]


def test_reports_on_their_way_stand_first_and_each_says_how_far_it_is() -> None:
    reading, vectors = on_its_way("c1", stage="reading", done=3, of=40), on_its_way("b1", stage="embedding")
    assert listed(reading, vectors) == [
        ("c1", "reading", ""),
        ("a1", "complete", ""),
        ("a2", "complete", ""),
        ("b1", "answers", ""),
    ]


def test_a_search_takes_every_word_wherever_it_stands() -> None:
    assert [sha1 for sha1, *_ in listed(words="gold 2023")] == ["a2"]
    assert [sha1 for sha1, *_ in listed(words="birch")] == ["b1"]


@pytest.mark.parametrize(
    ("name", "found"),
    [("yours", ["a2"]), ("chosen", ["b1"]), ("reading", ["c1"]), ("all", ["c1", "a1", "a2", "b1"])],
)
def test_a_filter_shows_some_of_the_library(name: str, found: list[str]) -> None:
    shown = listed(on_its_way("c1"), personal=True, filter=name, chosen=("b1",))
    assert [sha1 for sha1, *_ in shown] == found


def test_only_what_is_a_persons_own_is_called_theirs() -> None:
    assert [whose for *_, whose in listed(personal=True)] == ["shared", "yours", "shared"]


def test_a_chip_names_the_company_without_its_form_and_the_year() -> None:
    assert label_of(filed("a1", "Tsukimine Seiki Co., Ltd.", 2025)) == "Tsukimine Seiki 2025"
    assert label_of(filed("a1", "Alder Gold Inc.", 2024, quarter=2)) == "Alder Gold 2024 Q2"
    assert short_name("Inc.") == "Inc."


@pytest_asyncio.fixture
async def ann(chat: Chat) -> AsyncIterator[httpx.AsyncClient]:
    async with chat.signed_in("ann") as browser:
        yield browser


async def choose(browser: httpx.AsyncClient, page: Visit, *reports: str) -> httpx.Response:
    return await browser.put("/sources/about", json={"session_id": page.session.id, "reports": reports})


async def test_the_panel_lists_and_opens_what_can_be_asked_about(chat: Chat, ann: httpx.AsyncClient) -> None:
    async with visit(chat.history, "ann") as page:
        session = {"session_id": page.session.id}
        found = (await ann.get("/sources", params=session)).json()
        assert [source["company"] for source in found["sources"]] == ["Northwind Traders Inc."]
        opened = await ann.get(f"/sources/{chat.client.known.sha1}", params=session)
        assert opened.json()["company"] == "Northwind Traders Inc."
        missing = await ann.get(f"/sources/{'f' * 40}", params=session)
        assert (missing.status_code, missing.json()["detail"]) == (
            400,
            "This report is not in the library any more.",
        )


async def test_a_session_of_another_person_is_refused(chat: Chat, ann: httpx.AsyncClient) -> None:
    async with visit(chat.history, "bob") as page:
        assert (await choose(ann, page, chat.client.known.sha1)).status_code == 401
        assert chat.app.opened.conversation().reports == []


async def test_a_conversation_is_about_the_chosen_reports_also_when_it_is_opened_again(
    chat: Chat, ann: httpx.AsyncClient
) -> None:
    sha1 = chat.client.known.sha1
    async with visit(chat.history, "ann") as page:
        await page.ask(REVENUE)
        said = (await choose(ann, page, sha1)).json()
        assert said["about"] == [{"sha1": sha1, "label": "Northwind Traders"}]
        thread = page.thread_id
    async with visit(chat.history, "ann", thread) as page:
        await resumed(page)
        assert chat.app.opened.conversation().reports == [sha1]
        told = page.of("window_message")[-1]["pageproof"]
        assert (told["session"], told["about"]) == (page.session.id, said["about"])
    async with visit(chat.history, "ann") as page:
        await chat.app.greet()
        assert chat.app.opened.conversation().reports == []


async def test_a_chosen_report_that_is_gone_is_chosen_no_more(chat: Chat, ann: httpx.AsyncClient) -> None:
    async with visit(chat.history, "ann") as page:
        assert (await choose(ann, page, "f" * 40)).json()["about"] == []


async def test_a_report_is_put_right_and_removed_in_the_panel(chat: Chat, ann: httpx.AsyncClient) -> None:
    sha1 = chat.client.known.sha1
    async with visit(chat.history, "ann") as page:
        key = chat.app.opened.key()
        assert key == Key(profile="offline", owner="ann")
        async with chat.app._clients.at(key) as own:
            known: Any = own
            sent = {"session_id": page.session.id, "company": "North plc", "currency": "eur", "period_end": ""}
            assert (await ann.put(f"/sources/{sha1}", json=sent)).status_code == 200
            assert known.report(sha1).company == "North plc"
            wrong = await ann.put(f"/sources/{sha1}", json={**sent, "currency": "XXQ"})
            assert wrong.json()["detail"].startswith("'XXQ' is no currency")
            gone = {"session_id": page.session.id}
            assert (await ann.request("DELETE", f"/sources/{sha1}", json=gone)).status_code == 200
            assert known.report(sha1) is None


async def test_another_window_can_make_the_page_say_how_it_stands_and_nothing_else(chat: Chat) -> None:
    async with visit(chat.history, "ann") as page:
        for sent in ("pageproof: hello", {"pageproof": {"session": page.session.id}}, None, "remove it", [1]):
            await chat.app.hear(sent)
        assert len(page.of("window_message")) == 1
