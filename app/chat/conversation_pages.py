"""What the chat serves of a conversation: its answers as a workbook, and feedback with the trace it belongs to."""

import asyncio
import datetime as dt
import logging
import sqlite3
from collections.abc import Callable
from typing import Annotated, Literal

from chainlit.auth import get_current_user
from chainlit.user import User
from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from app.answer_books import as_book, book_row
from app.chat.history import History
from app.chat.kept_answer import KeptAnswer, Opinion
from app.chat.sign_in import owner_of
from app.question_files import FileQuestion
from storage.run_log import LoggedOpinion, RunLog

logger = logging.getLogger(__name__)
RunsOf = Callable[[str | None], RunLog]
"""The run log of an owner's questions, of everybody's where there is none."""
_WORKBOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


class _Feedback(BaseModel):
    forId: str = Field(max_length=100)  # noqa: N815  # Chainlit's page sends it so
    value: Literal[0, 1]
    comment: str | None = Field(None, max_length=20_000)


class _Given(BaseModel):
    feedback: _Feedback


class _TakenBack(BaseModel):
    feedbackId: str = Field(max_length=100)  # noqa: N815  # Chainlit's page sends it so


def conversation_pages(history: History, runs_of: RunsOf) -> FastAPI:
    """Routes that look at whose a conversation is; Chainlit's own for feedback do not, and are replaced."""
    app = FastAPI(openapi_url=None)
    person = Annotated[User | None, Depends(get_current_user)]

    @app.put("/feedback")
    async def give(given: _Given, user: person) -> dict[str, object]:
        said = given.feedback
        opinion = Opinion(helpful=said.value == 1, comment=(said.comment or "").strip())
        feedback = await history.give_opinion(_name(user), said.forId, opinion)
        if feedback is None:
            raise HTTPException(404, "there is no such answer")
        await _note(history, runs_of, said.forId, opinion, user)
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
        origin = f"{request.url.scheme}://{request.headers['host']}"
        content = await asyncio.to_thread(_book, answers, origin)
        name = f"pageproof-{dt.datetime.now(dt.UTC):%Y-%m-%d}.xlsx"
        headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
        return Response(content, media_type=_WORKBOOK, headers=headers)

    return app


async def _note(history: History, runs_of: RunsOf, step: str, opinion: Opinion | None, user: User | None) -> None:
    """Tell the run log what is said of an answer, or that nothing is any more."""
    kept = await history.answer(step)
    if kept is None or kept.run is None:
        return
    said = None
    if opinion is not None:
        now = dt.datetime.now(dt.UTC)
        said = LoggedOpinion(at=now, question=kept.question, helpful=opinion.helpful, comment=opinion.comment)
    try:
        await asyncio.to_thread(runs_of(owner_of(user)).note, kept.run, kept.id, said)
    except (sqlite3.Error, OSError) as error:
        logger.warning("the run log cannot be written: %s", error)


def _name(user: User | None) -> str:
    if user is None:
        raise HTTPException(401, "nobody is signed in")
    return user.identifier


def _book(answers: tuple[KeptAnswer, ...], origin: str) -> bytes:
    def link(sha1: str, page: int) -> str:
        return f"{origin}/report/{sha1}.pdf#page={page}"

    return as_book([(FileQuestion(question=k.question), book_row(k.answer, None, link)) for k in answers], None)
