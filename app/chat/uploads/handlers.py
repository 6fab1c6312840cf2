"""Reports in a conversation: sent, watched while they are read, put right, listed, removed."""

# mypy: untyped-calls-exclude=chainlit

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import chainlit as cl
from chainlit.config import SpontaneousFileUploadFeature, config
from chainlit.context import context
from chainlit.session import WebsocketSession

from app.chat.cards.answer import literal
from app.chat.cards.links import report_name
from app.chat.cards.lists import companies_card
from app.chat.cards.screen import Reply, redraw, replying, say, send_lasting, speech, tell_error
from app.chat.session.client_pool import ChatClient, ClientPool, Key
from app.chat.session.conversation import Conversation
from app.chat.session.people import AT_THIS_MACHINE, Rights, RightsOf
from app.chat.session.requests import read_correction, read_sha1
from app.chat.uploads.middleware import MEDIA_TYPE
from app.chat.uploads.report_card import known_card, removed_card, upload_card
from app.chat.uploads.uploads import Upload, Uploads, UploadState
from storage.errors import PageproofError, UsageError, note_defect
from storage.lexicon.words import expression
from storage.records.reports import Report

logger = logging.getLogger(__name__)
_WORD, _HASH = expression(r"[^\W\d_]{3}"), expression(r"[0-9a-fA-F_-]{8,}")
MOST_FILES = 10  # in one message


class Reports:
    """The reports of the people who chat."""

    def __init__(
        self,
        clients: ClientPool,
        uploads: Uploads,
        key: Callable[[], Key],
        rights_of: RightsOf = lambda _: AT_THIS_MACHINE,
    ) -> None:
        """Show the reports of `clients` and `uploads`; `key` gives the conversation's client."""
        self._rights_of = rights_of
        self._clients = clients
        self._uploads = uploads
        self._key = key
        self._following: set[asyncio.Task[None]] = set()

    @property
    def takes_uploads(self) -> bool:
        """Whether the person who chats can send PDFs."""
        return self._uploads.options.uploads and self._rights().sends

    def _rights(self) -> Rights:
        return self._rights_of(self._key().owner)

    def register(self) -> None:
        """Tell Chainlit which files may be sent, and whom its cards call."""
        options = self._uploads.options
        config.features.spontaneous_file_upload = SpontaneousFileUploadFeature(
            enabled=options.uploads,
            accept={"application/pdf": [".pdf"]},
            max_files=MOST_FILES,
            max_size_mb=options.upload_megabytes,
        )
        actions: dict[str, Callable[[Mapping[str, Any]], Awaitable[Reply]]] = {
            "upload_state": self.state,
            "stop_upload": self.stop,
            "retry_upload": self.retry,
            "correct_report": self.correct,
            "remove_report": self.remove,
        }
        for name, reply in actions.items():
            cl.action_callback(name)(replying(reply))

    async def take(self, message: cl.Message, conversation: Conversation) -> list[Upload]:
        """Take in the PDFs that came with a message, each with a card of its own; what is no report is said.

        If nothing else was said in the conversation, it is called by the files, and by their companies once these are
        known.
        """
        taken: list[Upload] = []
        files = _files(message)
        if files:
            self._rights().must_send()
        conversation.is_named |= bool(message.content.strip())
        if not conversation.is_begun and not conversation.is_named:
            # Without a name Chainlit lists no conversation and shows no stop button in it.
            await context.emitter.init_thread(_named_by(element.name for element in files) or say("New report"))
        try:
            for element in files:
                await self._take(element, taken)
        except asyncio.CancelledError:
            for upload in taken:
                upload.stop()
            raise
        if taken and not conversation.is_named:
            self._beside(self._name(conversation, taken, self._key()))
        return taken

    async def _name(self, conversation: Conversation, uploads: Sequence[Upload], key: Key) -> None:
        """Call a conversation by the companies and years of its reports, unless a question has given it a name."""
        for upload in uploads:
            await upload.answers.wait()
        async with self._clients.at(key) as client:
            found = [await asyncio.to_thread(client.report, upload.received.sha1) for upload in uploads]
        names = dict.fromkeys(report_name(report) for report in found if report is not None)
        if names and not conversation.is_named:
            conversation.is_named = True
            await context.emitter.init_thread(", ".join(names))

    async def _take(self, element: Any, taken: list[Upload]) -> None:
        try:
            upload, is_new = await self._uploads.take(Path(element.path), element.name, self._key())
        except PageproofError as error:
            await tell_error(error)
            return
        if is_new:
            taken.append(upload)
            await self._show(upload)
        else:
            other = upload.received.name
            same = "" if other == element.name else f": it is the same PDF as “{other}”"
            message = f"“{element.name}” is being read already{same}."
            await cl.Message(content=literal(say(message))).send()
            if upload not in taken:
                taken.append(upload)

    async def read(self, uploads: Sequence[Upload]) -> list[Report]:
        """Wait until uploads answer questions; those that are in the library then. Leaving stops them."""
        try:
            for upload in uploads:
                await upload.answers.wait()
        except asyncio.CancelledError:
            for upload in uploads:
                upload.stop()
            raise
        found = [await self._known(upload.received.sha1) for upload in uploads]
        return [report for report, _ in found if report is not None]

    def on_their_way(self) -> list[Upload]:
        """What this person sent and cannot ask about yet."""
        return [upload for upload in self._uploads.of(self._key().owner) if not upload.answers.is_set()]

    def went_on(self) -> list[str]:
        """The names of what was being read for this person when the chat ended; each is given once."""
        continued = [upload for upload in self._uploads.of(self._key().owner) if upload.is_continued]
        for upload in continued:
            upload.is_continued = False
        return [upload.received.name for upload in continued]

    async def list_companies(self) -> None:
        """Show what is in the library."""
        await send_lasting("CompaniesCard", await self._companies())

    async def state(self, payload: Mapping[str, Any]) -> Reply:
        """How far an upload is, for a card that nobody tells any more."""
        sha1 = read_sha1(payload)
        upload = self._uploads.find(self._key().owner, sha1)
        if upload is not None:
            card = await self._props(upload, upload.state)
        else:
            report, can_change = await self._known(sha1)
            card = known_card(report, "In the library", can_change=can_change) if report else removed_card(sha1)
        await redraw(payload, "ReportCard", card)
        return {}

    async def stop(self, payload: Mapping[str, Any]) -> Reply:
        """Stop an upload."""
        self._rights().must_send()
        self._upload(payload).stop()
        return {}

    async def retry(self, payload: Mapping[str, Any]) -> Reply:
        """Read a PDF again that is still kept."""
        self._rights().must_send()
        known = self._upload(payload)
        upload = self._uploads.retry(known)
        await self._show(upload)
        return {}

    async def correct(self, payload: Mapping[str, Any]) -> Reply:
        """Put right what is known of a report."""
        wanted = read_correction(payload)
        key = await self._clients.key_to_change(self._key(), wanted.sha1, self._rights())
        async with self._clients.at(key) as client:

            def put_right() -> Report:
                return client.library.correct(
                    wanted.sha1,
                    company=wanted.company,
                    currency=wanted.currency,
                    period_end=wanted.period_end,
                )

            card = known_card(await asyncio.to_thread(put_right), "Put right", can_change=True)
        await redraw(payload, "ReportCard", card)
        return {}

    async def remove(self, payload: Mapping[str, Any]) -> Reply:
        """Remove a report, or what is kept of one that could not be read."""
        sha1 = read_sha1(payload)
        key = await self._clients.key_to_change(self._key(), sha1, self._rights())
        was_sent = self._uploads.find(key.owner, sha1) is not None
        await self._uploads.forget(key.owner, sha1)
        async with self._clients.at(key) as client:
            library = client.library
            is_on_its_way = was_sent and not await asyncio.to_thread(library.owns, sha1)
            await asyncio.to_thread(library.discard if is_on_its_way else library.remove, sha1)
        if payload.get("from_list") is True:
            await redraw(payload, "CompaniesCard", await self._companies())
        else:
            await redraw(payload, "ReportCard", removed_card(sha1))
        return {}

    async def _companies(self) -> dict[str, Any]:
        key, rights = self._key(), self._rights()
        async with self._clients.at(key) as client:

            def listed() -> dict[str, Any]:
                return companies_card(
                    client.companies(),
                    client.library.owns,
                    lambda sha1: may_change(client, sha1, rights),
                    is_personal=key.owner is not None,
                    takes_uploads=self.takes_uploads,
                )

            return await asyncio.to_thread(listed)

    def _upload(self, payload: Mapping[str, Any]) -> Upload:
        upload = self._uploads.find(self._key().owner, read_sha1(payload))
        if upload is None:
            raise UsageError("this report is not on its way into the library any more")
        return upload

    async def _known(self, sha1: str) -> tuple[Report | None, bool]:
        """A report as the library of the person who asks has it, and whether they may change it."""
        async with self._clients.at(self._key()) as client:
            report = await asyncio.to_thread(client.report, sha1)
            if report is None:
                return None, False
            return report, await asyncio.to_thread(may_change, client, sha1, self._rights())

    async def _props(self, upload: Upload, state: UploadState) -> dict[str, Any]:
        report, can_change = await self._known(upload.received.sha1) if state.is_in_library else (None, False)
        return upload_card(upload.received, state, self._uploads.before(upload), report, can_change=can_change)

    async def _show(self, upload: Upload) -> None:
        """Show an upload's card and keep it up to date beside whatever else goes on."""
        element = await send_lasting("ReportCard", await self._props(upload, upload.state))
        self._beside(self._follow(upload, element))

    def _beside(self, work: Coroutine[Any, Any, None]) -> None:
        """Let something go on beside whatever else goes on."""
        task = asyncio.create_task(work)
        self._following.add(task)
        task.add_done_callback(self._following.discard)

    async def _follow(self, upload: Upload, element: cl.CustomElement) -> None:
        try:
            beat = 0
            async for state in upload.watch():
                beat += 1
                if WebsocketSession.get_by_id(context.session.id) is None:
                    return  # the conversation is over; its report is read all the same
                place = element.props["place"]
                # The card asks how things stand only when it hears nothing: asking begins a conversation.
                props = speech().card(await self._props(upload, state))
                element.props = {**props, "place": place, "beat": beat}
                if state.is_final:
                    element.content = json.dumps(element.props)
                    await element.update()
                else:  # only drawn: what is on its way is not worth keeping
                    await context.emitter.send_element(element.to_dict())
        except Exception as error:  # noqa: BLE001  # a card that stands still is no reason to end anything else
            note_defect(logger, "the card of an upload stands still", error)


def _named_by(files: Iterable[str]) -> str:
    """What files are called, as far as people can read it: many are named by numbers."""
    stems = (name.removesuffix(".pdf") for name in files)
    return ", ".join(stem for stem in stems if _WORD.search(stem) and not _HASH.fullmatch(stem))


def may_change(client: ChatClient, sha1: str, rights: Rights) -> bool:
    """Whether a person may correct and remove a report that they see."""
    return rights.sends and (rights.shares or client.library.owns(sha1))


def _files(message: cl.Message) -> list[Any]:
    """What came through our door, and nothing else."""
    return [e for e in message.elements or [] if e.mime == MEDIA_TYPE and e.path][:MOST_FILES]
