"""The chat that people sign in to, over a scripted client: ann and bob may come."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from app.chat.launcher import local_origins
from app.chat.session.people import People, people_line
from app.chat_options import ChatOptions
from storage.stores.run_log import RunLog
from tests.support.doubles.chat_client import ScriptedClient, scripted_facts, scripted_pool, scripted_uploads
from tests.support.doubles.chat_visit import HOST, PORT, visit

REVENUE = "What was the total revenue of Northwind?"
PASSWORDS = {"ann": "correct horse", "bob": "battery staple"}
LINES = {name: people_line(name, password) for name, password in PASSWORDS.items()}
ELSEWHERE = "https://chat.example.com"


def people(*names: str) -> People:
    return People.load(None, {"PAGEPROOF_PEOPLE": "\n".join(LINES[name] for name in names or LINES)})


class Chat:
    """The whole application over a scripted client."""

    def __init__(self, client: ScriptedClient, history: Any, known: People, file: Path | None = None) -> None:
        from chainlit import server

        from app.chat import handlers
        from app.chat.report_pages import ReportHomes
        from app.chat.routes import conversation_pages, front
        from app.chat.session.sign_in import speaking
        from app.chat.sources.routes import source_pages
        from app.chat.team_pages import Sharing, Team, people_pages, sharing_pages

        self.client, self.history, self.log = client, history, RunLog(client.paths.runs)
        self.pool = pool = scripted_pool(client)
        self.app = handlers.Chat(pool, scripted_facts, scripted_uploads(pool), history, known.rights)
        self.app.register()
        pages = conversation_pages(history, lambda _: self.log, ReportHomes(client))
        team = people_pages(Team(known, file, {}))
        sharing = sharing_pages(Sharing(history, ReportHomes(client), known))
        self.application = front(
            server,
            client,
            [*local_origins(HOST, PORT), ELSEWHERE],
            ChatOptions(),
            pages=[
                ("/feedback", pages),
                ("/conversation/", pages),
                ("/sources", source_pages(self.app.sources)),
                ("/team", team),
                ("/invite", team),
                ("/sharing", sharing),
                ("/shared/", sharing),
            ],
            speaking=speaking(known, needs_a_person=True),
        )

    def browser(self, base: str = f"http://{HOST}:{PORT}", address: str = "10.0.0.1") -> httpx.AsyncClient:
        transport = httpx.ASGITransport(app=self.application, client=(address, 1234))
        return httpx.AsyncClient(transport=transport, base_url=base, headers={"Origin": base})

    @asynccontextmanager
    async def signed_in(self, name: str) -> AsyncIterator[httpx.AsyncClient]:
        async with self.browser() as browser:
            response = await sign_in(browser, name, PASSWORDS[name])
            assert response.status_code == 200
            yield browser


async def sign_in(browser: httpx.AsyncClient, name: str, password: str) -> httpx.Response:
    return await browser.post("/login", data={"username": name, "password": password})


async def thread_with_answer(chat: Chat, name: str) -> Any:
    """A conversation of a person, as it is kept."""
    async with visit(chat.history, name) as page:
        await page.ask(REVENUE)
        return await chat.history.get_thread(page.thread_id)
