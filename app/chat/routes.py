"""What the chat serves beside Chainlit: reports, a conversation's workbook, feedback."""

import asyncio
import datetime as dt
import logging
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, Literal

from chainlit.auth import get_current_user
from chainlit.user import User
from fastapi import Depends, FastAPI, HTTPException, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import BaseModel, Field
from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.chat.cards.screen import tell_error
from app.chat.history.data_layer import History
from app.chat.report_pages import ReportHomes, report_pages
from app.chat.session.client_ids import CheckedIds, check_events, guard_session_folders
from app.chat.session.client_pool import ChatClient
from app.chat.session.conversation import Opinion, StoredAnswer
from app.chat.session.sign_in import Speaking, owner_of
from app.chat.uploads.middleware import PATH as FILES
from app.chat.uploads.middleware import most_of, upload_app
from app.chat_options import ChatOptions
from app.files.answer_books import as_book, book_row
from app.files.figure_tables import Source, SourceOf, cited_source, table_book, table_of
from app.files.sheets import FileQuestion
from app.files.workbooks import MEDIA_TYPE, download_headers
from app.page_pictures import page_address
from app.web_guards import behind_door, wrong_field
from storage.lexicon.words import expression
from storage.records.answers import Answer, Citation
from storage.stores.run_log import LoggedOpinion, RunLog

CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'unsafe-eval'",  # Chainlit compiles custom elements in the browser
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "connect-src 'self' {socket}",
        "worker-src 'self' blob:",
        "font-src 'self' data:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ]
)
# Chainlit's routes that ask nobody whose the thing is, or that nothing here needs.
_SHUT = (
    "/project/element", "/project/share", "/project/thread/share", "/mcp", "/auth/jwt", "/auth/oauth", "/copilot",
    "/openapi.json", "/docs", "/redoc",
)  # fmt: skip
_FOREIGN_LINK = expression(r"<link(?=[^<>]*https?://)[^<>]*+>")


def front(
    chainlit_server: Any,
    client: ChatClient,
    origins: Iterable[str],
    options: ChatOptions,
    pages: Sequence[tuple[str, FastAPI]] = (),
    speaking: Speaking | None = None,
) -> ASGIApp:
    """The whole application: our pages and PDFs, files coming in, then Chainlit, behind one door.

    Args:
        chainlit_server: the module `chainlit.server`.
        client: whose reports everybody is shown; a person signed in is shown their own too.
        origins: the addresses that a browser may name.
        options: which files may come in.
        pages: further applications, each with the path that it stands below.
        speaking: who may; whoever comes if nothing is said.
    """
    speaking = speaking or Speaking()
    chainlit_server.get_html_template = _without_foreign_links(chainlit_server.get_html_template)
    guard_session_folders()
    check_events(chainlit_server.sio, speaking.is_good, tell_error)
    app: ASGIApp = CheckedIds(chainlit_server.app, chainlit_server.router.routes)
    files = upload_app(options, speaking.rights_of)
    app = Mount(FILES, CheckedIds(files, takes_files=True), app, method="POST")
    app = Mount("/public/", _looked_at_anew(app), app)
    own = [("/report/", report_pages(client)), *pages]
    for each in (chainlit_server.app, files, *(pages for _, pages in own)):
        each.add_exception_handler(RequestValidationError, wrong_field)
    below: list[tuple[str, ASGIApp]] = [(path, CheckedIds(pages)) for path, pages in own]
    below += [*((path, _nothing) for path in _SHUT), ("/ws/", _no_polling)]
    for path, ours in below:
        app = Mount(path, ours, app)
    return behind_door(speaking.around(app), most_of(options), origins, CONTENT_SECURITY_POLICY)


class Mount:
    """Sends HTTP requests below one path, or those of one method, to one application and the rest to another."""

    def __init__(self, path: str, ours: ASGIApp, theirs: ASGIApp, method: str | None = None) -> None:
        self._path, self._ours, self._theirs, self._method = path, ours, theirs, method

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request or connection."""
        below = scope["type"] == "http" and scope["path"].startswith(self._path)
        is_ours = below and self._method in (None, scope["method"])
        await (self._ours if is_ours else self._theirs)(scope, receive, send)


async def _nothing(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse("Not Found", status_code=404)(scope, receive, send)


async def _no_polling(scope: Scope, receive: Receive, send: Send) -> None:
    """A socket over single requests would keep what each of them sends, and Chainlit's page needs none."""
    await PlainTextResponse("a socket is opened by WebSocket alone", status_code=400)(scope, receive, send)


def _looked_at_anew(app: ASGIApp) -> ASGIApp:
    """What a browser may not take from its own store unasked: after an upgrade, old and new modules would mix."""

    async def answered(scope: Scope, receive: Receive, send: Send) -> None:
        async def with_header(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["Cache-Control"] = "no-cache"
            await send(message)

        await app(scope, receive, with_header)

    return answered


def _without_foreign_links(template: Callable[[str], str]) -> Callable[[str], str]:
    """Chainlit's page without the fonts and styles that it would fetch from other machines."""

    def local(root_path: str) -> str:
        return _FOREIGN_LINK.sub("", template(root_path))

    return local


logger = logging.getLogger(__name__)
RunsOf = Callable[[str | None], RunLog]
"""The run log of an owner's questions, of everybody's where there is none."""


class _Feedback(BaseModel):
    forId: str = Field(max_length=100)  # noqa: N815  # Chainlit's page sends it so
    value: Literal[0, 1]
    comment: str | None = Field(None, max_length=20_000)


class _Given(BaseModel):
    feedback: _Feedback


class _TakenBack(BaseModel):
    feedbackId: str = Field(max_length=100)  # noqa: N815  # Chainlit's page sends it so


def conversation_pages(history: History, runs_of: RunsOf, homes: ReportHomes) -> FastAPI:
    """Routes that look at whose a conversation is; Chainlit's own for feedback do not, and are replaced."""
    app = FastAPI(openapi_url=None)
    person = Annotated[User | None, Depends(get_current_user)]

    @app.put("/feedback")
    async def give(given: _Given, user: person) -> dict[str, object]:
        feedback_given = given.feedback
        opinion = Opinion(helpful=feedback_given.value == 1, comment=(feedback_given.comment or "").strip())
        feedback = await history.give_opinion(_name(user), feedback_given.forId, opinion)
        if feedback is None:
            raise HTTPException(404, "there is no such answer")
        await _note(history, runs_of, feedback_given.forId, opinion, user)
        return {"success": True, "feedbackId": feedback}

    @app.delete("/feedback")
    async def take_back(taken: _TakenBack, user: person) -> dict[str, object]:
        step = await history.take_back(_name(user), taken.feedbackId)
        if step is None:
            raise HTTPException(404, "there is no such feedback")
        await _note(history, runs_of, step, None, user)
        return {"success": True}

    @app.get("/conversation/{thread_id}/answers.xlsx")
    async def workbook(thread_id: str, user: person, request: Request) -> Response:
        if await history.get_thread_author(thread_id) != _name(user):
            raise HTTPException(404, "there is no such conversation")
        answers = await history.answers(thread_id)
        content = await asyncio.to_thread(_book, answers, _sources(request, homes, user))
        about = f"{_asked([kept.answer for kept in answers])}, all answers"
        return Response(content, media_type=MEDIA_TYPE, headers=download_headers(about))

    @app.get("/conversation/{thread_id}/{step_id}.xlsx")
    async def table(
        thread_id: str,
        step_id: str,
        user: person,
        request: Request,
        order: Annotated[str, Query(max_length=2000, pattern=r"^[\d,]*$")] = "",
    ) -> Response:
        if await history.get_thread_author(thread_id) != _name(user):
            raise HTTPException(404, "there is no such conversation")
        answered = next((a for a in await history.answers(thread_id) if a.id == step_id), None)
        shown = table_of(answered.answer) if answered else None
        if answered is None or shown is None:
            raise HTTPException(404, "there is no such table")
        rows = [int(number) for number in order.split(",") if number]
        title, sources = answered.question.text, _sources(request, homes, user)
        content = await asyncio.to_thread(table_book, shown, title, sources, rows, answered.answer.summary)
        about = _asked([answered.answer])
        return Response(content, media_type=MEDIA_TYPE, headers=download_headers(about))

    return app


def _asked(answers: Sequence[Answer]) -> str:
    """Of which companies and which figures the answers are."""
    every = [one for answer in answers for one in (answer, *answer.parts)]
    companies = dict.fromkeys(one.company for one in every if one.company)
    known = [one.understood for one in every if one.understood]
    figures = dict.fromkeys(name for each in known for name in ((each.figure,) if each.figure else each.metrics))
    return ", ".join(filter(None, (_some([*companies]), _some([*figures])))) or "Pageproof"


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_FEW]) + (" and more" if len(names) > _FEW else "")


_FEW = 2


async def _note(history: History, runs_of: RunsOf, step: str, opinion: Opinion | None, user: User | None) -> None:
    """Tell the run log what is said of an answer, or that nothing is any more."""
    answered = await history.answer(step)
    if answered is None or answered.run is None:
        return
    opinion_logged = None
    if opinion is not None:
        now = dt.datetime.now(dt.UTC)
        opinion_logged = LoggedOpinion(
            at=now, question=answered.question, helpful=opinion.helpful, comment=opinion.comment
        )
    try:
        await asyncio.to_thread(runs_of(owner_of(user)).note, answered.run, answered.id, opinion_logged)
    except (sqlite3.Error, OSError) as error:
        logger.warning("the run log cannot be written: %s", error)


def _name(user: User | None) -> str:
    if user is None:
        raise HTTPException(401, "nobody is signed in")
    return user.identifier


def _book(answers: tuple[StoredAnswer, ...], source_of: SourceOf) -> bytes:
    return as_book([(FileQuestion(question=k.question), book_row(k.answer, None, source_of)) for k in answers])


def _sources(request: Request, homes: ReportHomes, user: User | None) -> SourceOf:
    """Names of reports, with links to the marked pages below the address by which the person has the chat open."""
    origin, owner = f"{request.url.scheme}://{request.headers['host']}", owner_of(user)

    def source_of(cited: Citation) -> Source:
        found = homes.find(cited.report_sha1, owner)
        link = origin + page_address(cited.report_sha1, cited.page, cited.boxes)
        return cited_source(cited, found.report if found else None, link)

    return source_of
