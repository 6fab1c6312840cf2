"""Routes that answer: questions, streams of steps, conversations, pages for a question, and OpenAI's form."""

import json
import secrets
import time
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path
from fastapi.responses import JSONResponse, Response, StreamingResponse

from app.files.answer_json import answer_text
from app.serving.access import caller_of
from app.serving.bodies import (
    AnswerObject,
    AskBody,
    ChatBody,
    ConversationBody,
    FindBody,
    PagePlace,
    Problem,
    answer_object,
)
from app.serving.service import Caller, FairCache, Service, Talk
from query_engines.events import AnalysisWritten, AnswerReady, StepFinished, StepStarted
from storage.errors import PageproofError, UsageError
from storage.files import digest
from storage.records.answers import Answer
from storage.records.questions import Question, check_length

Who = Annotated[Caller, Depends(caller_of)]
ConversationId = Annotated[str, Path(max_length=64)]
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}, "description": "Events."}
}


def question_routes(service: Service) -> APIRouter:
    """The routes under `/v1`."""
    routes = APIRouter(tags=["questions"])

    @routes.post("/ask", response_model=AnswerObject)
    async def ask(body: AskBody, caller: Who) -> Response:
        """Answer one question, with citations and checks."""
        return JSONResponse(answer_object(await service.ask(caller, body.asked)))

    @routes.post("/ask/stream", response_class=StreamingResponse, responses=_STREAM)
    async def stream(body: AskBody, caller: Who) -> StreamingResponse:
        """The work on an answer as server-sent events.

        `step_started`, `step_finished` and `analysis_written` tell of its steps; the last is `answer`, or `problem`.
        """
        return StreamingResponse(_events(service, caller, body.asked), media_type="text/event-stream")

    @routes.post("/derive", response_model=AnswerObject)
    async def derive(body: AskBody, caller: Who) -> Response:
        """Answer a question, where a figure may be calculated from cited ones; see `formula` and `operands`."""
        return JSONResponse(answer_object(await service.ask(caller, body.asked, derived=True)))

    @routes.post("/find_pages")
    async def find_pages(body: FindBody, caller: Who) -> tuple[PagePlace, ...]:
        """The pages that an answer would be drawn from, best first. No answer is made."""
        return await service.find_pages(caller, body.question, body.company)

    @routes.post("/conversations", status_code=201)
    async def begin(caller: Who, response: Response) -> ConversationBody:
        """Begin a conversation; its address is in the header `Location`."""
        number = secrets.token_hex(16)
        response.headers["Location"] = f"/v1/conversations/{number}"
        service.talks.put(caller.name, number, Talk(caller.name))
        return ConversationBody(id=number)

    @routes.post("/conversations/{conversation_id}/questions", response_model=AnswerObject)
    async def go_on(conversation_id: ConversationId, body: AskBody, caller: Who) -> Response:
        """Ask in a conversation; what was said before may be left out."""
        answer = await service.go_on(caller, service.talk(caller, conversation_id), body.asked)
        return JSONResponse(answer_object(answer))

    @routes.get("/conversations/{conversation_id}")
    async def turns(conversation_id: ConversationId, caller: Who) -> ConversationBody:
        """A conversation's questions and answers."""
        talk = service.talk(caller, conversation_id)
        said = ({"question": turn.question, "answer": answer_object(turn.answer)} for turn in talk.turns)
        return ConversationBody(id=conversation_id, turns=tuple(said))

    @routes.delete("/conversations/{conversation_id}", status_code=204)
    async def forget(conversation_id: ConversationId, caller: Who) -> Response:
        """Forget a conversation."""
        service.talk(caller, conversation_id)
        service.talks.pop(caller.name, conversation_id)
        return Response(status_code=204)

    return routes


async def _events(service: Service, caller: Caller, question: Question) -> AsyncIterator[str]:
    """Each event of an answer's work, as one server-sent event."""
    try:
        async with service.answering(caller) as client:
            async for event in client.stream(question):
                if isinstance(event, AnswerReady):
                    yield _event("answer", json.dumps(answer_object(event.answer), ensure_ascii=False))
                else:
                    yield _event(_NAMES[type(event)], event.model_dump_json())
    except PageproofError as error:
        problem = Problem(detail=str(error), error=type(error).__name__)
        yield _event("problem", problem.model_dump_json())


_NAMES: dict[type, str] = {
    StepStarted: "step_started",
    StepFinished: "step_finished",
    AnalysisWritten: "analysis_written",
}


def _event(name: str, data: str) -> str:
    return f"event: {name}\ndata: {data}\n\n"


# OpenAI's form

_MODEL = "pageproof"
_REMEMBERED, _DIGITS = 1000, 64


class ChatCompletions:
    """Answers requests in OpenAI's form, which carry a whole conversation each time.

    What the questions before the last one were about is remembered by their words; after a restart, a follow-up is
    read as if it stood alone.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._talks: FairCache[str, Talk] = FairCache(_REMEMBERED)  # by a digest: the texts can be long

    async def answer(self, caller: Caller, body: ChatBody) -> Answer:
        """The answer to the last message of the user.

        Raises:
            UsageError: there is none, or it is too long.
        """
        texts = tuple(message.text.strip() for message in body.messages if message.role == "user")
        if not texts or not texts[-1]:
            raise UsageError("expected a message of the role 'user' with a text, as the last one of that role")
        check_length(texts[-1])
        before = self._talks.get(caller.name, digest(texts[:-1], _DIGITS))
        talk = Talk(caller.name)
        talk.dialogue = before.dialogue if before else talk.dialogue
        answer = await self._service.go_on(caller, talk, Question(text=texts[-1]))
        self._talks.put(caller.name, digest(texts, _DIGITS), talk)
        return answer


def chat_routes(service: Service) -> APIRouter:
    """OpenAI's routes under `/v1`, for tools that know nothing else."""
    routes = APIRouter(tags=["OpenAI's form"])
    completions = ChatCompletions(service)

    @routes.get("/models")
    async def models() -> dict[str, object]:
        """The one model that there is."""
        return {"object": "list", "data": [{"id": _MODEL, "object": "model", "created": 0, "owned_by": _MODEL}]}

    @routes.post("/chat/completions", responses=_STREAM)
    async def complete(body: ChatBody, caller: Who) -> Response:
        """Answer the last question; citations stand in the text, and whole in the field `pageproof`."""
        answer = await completions.answer(caller, body)
        told = {"role": "assistant", "content": answer_text(answer)}
        head = {"id": f"chatcmpl-{secrets.token_hex(12)}", "created": int(time.time()), "model": _MODEL}
        usage = {
            "prompt_tokens": answer.usage.prompt_tokens,
            "completion_tokens": answer.usage.completion_tokens,
            "total_tokens": answer.usage.prompt_tokens + answer.usage.completion_tokens,
        }
        extra = {"usage": usage, "pageproof": answer_object(answer)}
        if not body.stream:
            choice = {"index": 0, "message": told, "finish_reason": "stop"}
            return JSONResponse({**head, "object": "chat.completion", "choices": [choice], **extra})
        chunk = {**head, "object": "chat.completion.chunk"}
        first = {**chunk, "choices": [{"index": 0, "delta": told, "finish_reason": None}]}
        last = {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], **extra}
        lines = [f"data: {json.dumps(part)}\n\n" for part in (first, last)]
        return Response("".join([*lines, "data: [DONE]\n\n"]), media_type="text/event-stream")

    return routes
