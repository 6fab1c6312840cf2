"""A message in the chat: steps while its question is answered, then the answer card; questions wait for reports."""

# mypy: untyped-calls-exclude=chainlit

import asyncio
import datetime as dt
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import aclosing
from typing import Any, NamedTuple
from weakref import WeakSet, WeakValueDictionary

import chainlit as cl
from chainlit.chat_context import chat_context
from chainlit.context import context
from chainlit.session import BaseSession

from app.chat.cards.answer import GoingOn, answer_card, answer_line, literal
from app.chat.cards.lists import facts_card
from app.chat.cards.next_questions import next_questions
from app.chat.cards.screen import (
    NOT_STORED,
    Trail,
    answering_step,
    say,
    send_element,
    sentence,
    speech,
    tell,
    tell_defect,
    tell_error,
)
from app.chat.history.data_layer import History
from app.chat.open_conversation import OpenConversation
from app.chat.session.client_pool import AskAgain, ChatClient, ClientPool, Key
from app.chat.session.conversation import Conversation, StoredAnswer
from app.chat.session.requests import Request, asks, read_request
from app.chat.session.settings_panel import Choices
from app.chat.sources.routes import FactsOf, Sources
from app.chat.uploads.handlers import Reports
from app.chat.uploads.uploads import Upload
from app.library.overview import overview_markdown
from app.settings import uses_model
from query_engines.events import AnswerReady
from storage.errors import MissingKey, PageproofError, ProviderError
from storage.records.answers import Answer
from storage.records.questions import Question, check_length

NOT_READ = "No report beside “{}” was read, so the question has no answer. Ask it again when one is there."
IT_WAITS = "Still reading {}. Your question is answered when that is done."
ASK_AGAIN = "Still reading {}. If your question is about it, ask again when that is done."
NOT_THERE = "Start its server and try again, or ask without a model: figures, names and passages need none."
MODEL_FAILED = "The model could not answer."
EMPTY_LIBRARY = "**There are no reports in this library yet.**\n\n"
DROP_ONE = (
    "Drop the PDF of an annual report here, or choose it with the paper clip below: it is read, and then you can ask "
    "about it."
)
ADD_SOME = "Add some from a terminal, then ask here:\n\n```\npageproof ingest FOLDER_WITH_PDFS\n```"


class _Work(NamedTuple):
    """What is being worked out: the task that does it, which may do more afterwards, and whether it is done."""

    task: asyncio.Task[Any]
    done: asyncio.Event


class Answering:
    """Answers what is written into the open conversation, also after the reports that it waits for."""

    def __init__(
        self,
        clients: ClientPool,
        opened: OpenConversation,
        reports: Reports,
        sources: Sources,
        facts_of: FactsOf,
        history: History | None = None,
    ) -> None:
        self._clients = clients
        self._open = opened
        self._reports = reports
        self._sources = sources
        self._facts_of = facts_of
        self._history = history
        self._answering: dict[str, _Work] = {}
        """What is being worked out, by conversation."""
        self._waiting: WeakValueDictionary[str, asyncio.Task[Any]] = WeakValueDictionary()
        """The last question that waits for a report, by conversation, until it is answered."""
        self._beside: set[asyncio.Task[Any]] = set()
        self._warned: WeakSet[BaseSession] = WeakSet()  # pages that know that nothing is stored

    async def answer(self, message: cl.Message) -> None:
        """Answer one message; whatever goes wrong, the person is told."""
        if message.elements:
            await self._guarded(lambda _: self._take(message), message.content)
        else:
            await self._guarded(lambda trail: self._respond(message, trail), message.content)

    def begin(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Let something go on beside the conversations."""
        task = asyncio.create_task(work)
        self._beside.add(task)
        task.add_done_callback(self._beside.discard)
        return task

    def running(self, thread_id: str) -> asyncio.Task[Any] | None:
        """What is being worked out in a conversation."""
        work = self._answering.get(thread_id)
        return work.task if work else None

    def waiting(self, thread_id: str) -> asyncio.Task[Any] | None:
        """The last question of a conversation that waits for a report."""
        return self._waiting.get(thread_id)

    async def _guarded(self, work: Callable[[Trail], Awaitable[None]], question: str) -> None:
        trail = Trail(speech())
        thread_id, task = context.session.thread_id, asyncio.current_task()
        running = _Work(task, asyncio.Event()) if task is not None else None
        if running is not None:
            self._answering[thread_id] = running
        try:
            check_length(question)
            await work(trail)
            await self._say_if_lost()
        except (ProviderError, MissingKey) as error:
            await trail.finish(failed=True)
            if uses_model(self._clients.settings_at(self._open.answering_key())):
                await self._show_trouble(question, MODEL_FAILED, sentence(str(error)))
            else:
                await tell_error(error)
        except PageproofError as error:
            await trail.finish(failed=True)
            await tell_error(error)
        except Exception as error:  # noqa: BLE001  # Chainlit swallows what a handler raises: the last place to tell the person
            await trail.finish(failed=True)
            await tell_defect(error, "the chat could not answer")
        finally:
            await trail.finish(failed=True)  # stopped by the person: nothing is left running on the screen
            chat_context.clear()  # Chainlit would keep every card of a session for as long as its page is open
            if running is not None:
                running.done.set()
                if self._answering.get(thread_id) is running:
                    del self._answering[thread_id]

    async def _say_if_lost(self) -> None:
        """Say once on each open page that what it shows is not stored."""
        session = context.session
        if self._history is not None and session not in self._warned and await self._history.loses():
            self._warned.add(session)
            await tell_error(NOT_STORED)

    async def _take(self, message: cl.Message) -> None:
        """Take in reports; a question that came with them is answered when they are read, and others meanwhile."""
        conversation = self._open.conversation()
        uploads = await self._reports.take(message, conversation)
        conversation.is_begun = True
        if uploads and asks(message.content):
            self._let_wait(uploads, message, conversation)
        await self._sources.announce()

    def _let_wait(self, uploads: Sequence[Upload], message: cl.Message, conversation: Conversation) -> None:
        """Answer a question once these reports are read, after those that wait already."""
        thread_id = context.session.thread_id
        earlier = self._waiting.get(thread_id)
        self._waiting[thread_id] = self.begin(self._answer_when_read(uploads, message, conversation, earlier))

    async def _answer_when_read(
        self,
        uploads: Sequence[Upload],
        message: cl.Message,
        conversation: Conversation,
        earlier: asyncio.Task[Any] | None,
    ) -> None:
        """Answer the question beside reports, after whatever else is answered in its conversation then."""
        session, text = context.session, message.content
        reports = await self._reports.read(uploads)
        if earlier is not None:
            await asyncio.wait({earlier})
        while (other := self._answering.get(session.thread_id)) is not None:
            await other.done.wait()
        self._open.go_on(conversation)  # Chainlit forgets it when the page is left
        if not reports:
            await tell_error(NOT_READ.format(text))
            return
        session.current_task = asyncio.current_task()  # stop ends it like any other
        await context.emitter.task_start()
        chosen = tuple(report.sha1 for report in reports)
        try:
            async with cl.Step(name="on_message", type="run", parent_id=message.id, show_input=False):
                await self._guarded(lambda trail: self._respond(message, trail, chosen), text)
        finally:
            await context.emitter.task_end()

    async def _respond(self, message: cl.Message, trail: Trail, reports: tuple[str, ...] = ()) -> None:
        text, command, conversation = message.content, message.command, self._open.conversation()
        if conversation.is_begun and not conversation.is_named:
            await context.emitter.init_thread(text)
        conversation.is_begun = True
        request = read_request(text, command)
        if not await self._open.companies(conversation.choices, self._open.owner()):
            if coming := self._reports.on_their_way():
                self._let_wait(coming, message, conversation)
                await _tell_of(IT_WAITS, coming)
                return
            await tell(EMPTY_LIBRARY + (DROP_ONE if self._reports.takes_uploads else ADD_SOME))
        elif request is None:
            choices = self._clients.choices_by_command(command, self._open.conversation().choices)
            await self._answer(text, trail, choices, reports)
        else:
            conversation.is_named = True
            await self._fulfil(request)

    async def _fulfil(self, request: Request) -> None:
        if request.what == "companies":
            await self._reports.list_companies()
            return
        if request.what == "overview":
            async with self._clients.at(self._open.key()) as client:
                found = await asyncio.to_thread(client.overview, request.name)
            link = f"/report/{found.report_sha1}.pdf"
            await cl.Message(content=overview_markdown(found, link, literal)).send()
            return
        sheet = await asyncio.to_thread(self._facts_of, self._open.key(), request.name)
        company = sheet.facts[0].company if sheet.facts else request.name
        async with self._clients.at(self._open.key()) as client:
            card = await asyncio.to_thread(facts_card, company, sheet, self._sources.linked(client))
        await send_element("FactsCard", card)

    async def _answer(self, text: str, trail: Trail, choices: Choices, reports: tuple[str, ...]) -> None:
        conversation, key = self._open.conversation(), self._open.answering_key(choices)
        if address := await self._sources.missing_server(key):
            await self._show_trouble(text, f"No model answers at {address}.", NOT_THERE)
            return
        await trail.start()
        async with self._clients.turns.of(self._open.owner()), self._clients.at(key) as client:
            question = await asyncio.to_thread(conversation.question, text, client, reports)
            # Closing the stream stops the work, wherever this handler was when the person pressed stop.
            async with aclosing(client.stream(question)) as events:
                async for event in events:
                    if isinstance(event, AnswerReady):
                        await trail.finish(failed=False)
                        conversation.heard(question, event.answer)
                        conversation.is_named |= not event.answer.is_talk
                        await self._show(event, client, question, text, choices)
                        await self._store(event, client, question)
                        if event.answer.reason == "company_unknown" and (coming := self._reports.on_their_way()):
                            await _tell_of(ASK_AGAIN, coming)
                    else:
                        await trail.follow(event)

    async def _show(
        self, ready: AnswerReady, client: ChatClient, question: Question, typed: str, choices: Choices
    ) -> None:
        hosts = self._clients.hosts(choices, self._open.connection_under(choices))
        again = await self._other_way(question.text, choices)
        stored = f"/conversation/{context.session.thread_id}"
        next_ones = await asyncio.to_thread(self._next_questions, self._open.key(), ready.answer)
        props = await asyncio.to_thread(
            answer_card,
            ready.answer,
            ready.read,
            self._sources.linked(client),
            understood="" if question.text == " ".join(typed.split()) else question.text,
            hosts=hosts,
            workbooks=(f"{stored}/answers.xlsx", f"{stored}/{answering_step()}.xlsx")
            if self._history
            else ("", ""),
            going_on=GoingOn(again=again.model_dump() if again else None, questions=next_ones),
        )
        # The text stands behind the card: it is searched, and Chainlit offers thumbs only where there is some.
        await send_element("AnswerCard", props, literal(answer_line(ready.answer)))

    def _next_questions(self, key: Key, answer: Answer) -> tuple[str, ...]:
        if not answer.company or not isinstance(answer.value, float):
            return ()
        try:
            given = self._open.conversation().given(answer.company)
            return next_questions(answer, self._facts_of(key, answer.company), given)
        except (PageproofError, OSError):  # there are no facts, or the disk is full
            return ()

    async def _show_trouble(self, question: str, headline: str, message: str) -> None:
        """Say what is wrong with the model, with a way to go on."""
        props = {"headline": headline, "note": message, "question": question, "without": True}
        await send_element("TroubleCard", props, literal(say(headline)))

    async def _other_way(self, question: str, choices: Choices) -> AskAgain | None:
        """How the question is put with a model or without, where that model's server answers."""
        again = None if self._open.connection_under(choices) else self._clients.other_way(question, choices)
        if again is not None and again.model:
            other = self._clients.choices_by_command(again.command, choices)
            return None if await self._sources.missing_server(self._open.answering_key(other)) else again
        return again

    async def _store(self, ready: AnswerReady, client: ChatClient, question: Question) -> None:
        step = answering_step()
        if self._history is None or step is None:
            return
        answered = StoredAnswer(
            id=step,
            at=dt.datetime.now(dt.UTC),
            question=question,
            answer=ready.answer,
            read=ready.read,
            choices=self._open.conversation().choices,
            run=client.run_id,
        )
        await self._history.store_answer(answered)
        await self._open.store_settings()


async def _tell_of(sentence: str, uploads: Sequence[Upload]) -> None:
    names = ", ".join(f"“{upload.received.name}”" for upload in uploads)
    await cl.Message(content=literal(say(sentence.format(names)))).send()
