"""Conversations that outlive the server: Chainlit's data layer over tables of our own.

Chainlit's layer loses what SQLite cannot bind, writes steps in whatever order its tasks run, gives JSON back as text,
fetches the addresses of elements, and lets whoever knows an id write over it. Here writes keep their order, and each
belongs to the conversation of its session, and that to its owner.
"""

# mypy: untyped-calls-exclude=chainlit

import functools
import json
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, ParamSpec
from weakref import WeakSet

from chainlit.context import ChainlitContextException, context
from chainlit.data.sql_alchemy import SQLAlchemyDataLayer
from chainlit.data.utils import queue_until_user_message
from chainlit.element import Element, ElementDict
from chainlit.session import BaseSession
from chainlit.step import StepDict
from chainlit.types import Feedback, PageInfo, PaginatedResponse, Pagination, ThreadDict, ThreadFilter
from chainlit.user import PersistedUser, User
from sqlalchemy import URL, text
from sqlalchemy.exc import SQLAlchemyError

from app.chat.history.tables import ELEMENT_COLUMNS, FLAGS, JSON_COLUMNS, STEP_COLUMNS, open_engine
from app.chat.history.writer import Claim, HistoryWriter, log_lost_write, now
from app.chat.session.conversation import Opinion, SharedConversation, StoredAnswer
from storage.incoming import one_line

P = ParamSpec("P")
Row = dict[str, Any]
# What a conversation's metadata may hold. Chainlit would put the whole session there, its id included.
_STORED = frozenset({"chat_settings", "chat_profile", "about", "connection"})
_LONGEST_NAME, _LONGEST_COMMENT = 200, 5000
_MOST_IN_A_PAGE = 100


def _logging_lost_writes(write: Callable[P, Awaitable[None]]) -> Callable[P, Awaitable[None]]:
    """A write that nobody waits for: its failure is logged, without what was to be written."""

    @functools.wraps(write)
    async def logged(*arguments: P.args, **named: P.kwargs) -> None:
        try:
            await write(*arguments, **named)
        except (SQLAlchemyError, OSError) as error:
            log_lost_write(error)

    return logged


class History(SQLAlchemyDataLayer):
    """The conversations in one database."""

    def __init__(self, address: URL) -> None:
        # Its own constructor opens a pool without our settings and warns that files are kept nowhere, as is meant.
        self.engine = open_engine(address)
        self.storage_provider = None
        self.show_logger = False
        self._writer = HistoryWriter(self.engine)
        self._begun: WeakSet[BaseSession] = WeakSet()

    async def loses(self) -> bool:
        """Whether what is said now is not stored, since the disk is full or may only be read."""
        await self._writer.written()
        return self._writer.is_losing

    async def close(self) -> None:
        """Let go of the database once everything is written."""
        await self._writer.written()
        await self.engine.dispose()

    async def execute_sql(self, query: str, parameters: Mapping[str, Any]) -> list[Row] | int:
        """One statement in a transaction of its own; unlike Chainlit's, a failure is raised."""
        async with self._writer.transaction() as connection:
            result = await connection.execute(text(query), dict(parameters))
            return [dict(row) for row in result.mappings()] if result.returns_rows else result.rowcount

    # People

    async def create_user(self, user: User) -> PersistedUser | None:
        """The person, made where they are new."""
        row = {"id": str(uuid.uuid4()), "name": user.identifier, "now": now(), "meta": json.dumps(user.metadata)}
        await self.execute_sql(
            'INSERT INTO users ("id", "identifier", "createdAt", "metadata") VALUES (:id, :name, :now, :meta) '
            'ON CONFLICT ("identifier") DO UPDATE SET "metadata" = EXCLUDED."metadata"',
            row,
        )
        return await self.get_user(user.identifier)

    # Conversations

    async def get_thread_author(self, thread_id: str) -> str:
        """Whose it is, "" where there is no such conversation: Chainlit then says that it is not found."""
        rows = await self._rows('SELECT "userIdentifier" FROM threads WHERE "id" = :id', {"id": thread_id})
        return str(rows[0]["userIdentifier"]) if rows else ""

    async def get_thread(self, thread_id: str) -> ThreadDict | None:
        """One whole conversation, with everything that was written before this call."""
        rows = await self._rows('SELECT * FROM threads WHERE "id" = :id', {"id": thread_id})
        if not rows:
            return None
        of = {"id": thread_id}
        steps = await self._rows(
            'SELECT s.*, f."id" AS "feedbackId", f."value" AS "feedbackValue", f."comment" AS "feedbackComment" '
            'FROM steps s LEFT JOIN feedbacks f ON f."forId" = s."id" WHERE s."threadId" = :id '
            'ORDER BY COALESCE(s."createdAt", s."start"), s."id"',
            of,
        )
        elements = await self._rows('SELECT * FROM elements WHERE "threadId" = :id', of)
        return _thread(rows[0]) | {"steps": [_step(s) for s in steps], "elements": [_element(e) for e in elements]}

    async def list_threads(self, pagination: Pagination, filters: ThreadFilter) -> PaginatedResponse[ThreadDict]:
        """One person's conversations without their steps, the latest first."""
        most = max(1, min(pagination.first, _MOST_IN_A_PAGE))
        values: Row = {"owner": filters.userId or "", "most": most + 1}
        conditions = ['t."userId" = :owner']
        if pagination.cursor:
            values["cursor"] = pagination.cursor
            before = 'SELECT c."{0}" FROM threads c WHERE c."id" = :cursor'
            conditions.append(
                f'(t."createdAt" < ({before.format("createdAt")}) OR (t."createdAt" = ({before.format("createdAt")}) '
                'AND t."id" < :cursor))'
            )
        if filters.search:
            values["search"] = f"%{_like(filters.search.lower()[:_LONGEST_NAME])}%"
            conditions.append(
                "(LOWER(t.\"name\") LIKE :search ESCAPE '!' OR EXISTS (SELECT 1 FROM steps s "
                'WHERE s."threadId" = t."id" AND s."type" LIKE \'%message\' AND LOWER(s."output") LIKE :search '
                "ESCAPE '!'))"
            )
        if filters.feedback is not None:
            values["feedback"] = int(filters.feedback)
            conditions.append(
                'EXISTS (SELECT 1 FROM feedbacks f WHERE f."threadId" = t."id" AND f."value" = :feedback)'
            )
        where = " AND ".join(conditions)
        query = f'SELECT t.* FROM threads t WHERE {where} ORDER BY t."createdAt" DESC, t."id" DESC LIMIT :most'
        rows = await self._rows(query, values)
        threads: list[ThreadDict] = [_thread(row) for row in rows[:most]]
        return PaginatedResponse(
            pageInfo=PageInfo(
                hasNextPage=len(rows) > most,
                startCursor=threads[0]["id"] if threads else None,
                endCursor=threads[-1]["id"] if threads else None,
            ),
            data=threads,
        )

    async def update_thread(
        self,
        thread_id: str,
        name: str | None = None,
        user_id: str | None = None,
        metadata: dict[str, Any] | None = None,
        tags: list[str] | None = None,
    ) -> None:
        """Name a conversation or keep its settings, all of them; only its first message makes one."""
        del user_id, tags  # the owner is the session's, once and for all; nothing is tagged
        row: Row = {"id": thread_id}
        if name is not None:
            row["name"] = one_line(name)[:_LONGEST_NAME]
        if stored := {k: v for k, v in (metadata or {}).items() if k in _STORED and v is not None}:
            row["metadata"] = stored
        if len(row) > 1:
            await self._put("threads", row)

    async def delete_thread(self, thread_id: str) -> None:
        """Forget a conversation with all that belongs to it."""
        await self.execute_sql('DELETE FROM threads WHERE "id" = :id', {"id": thread_id})

    # Steps and elements

    @queue_until_user_message()  # type: ignore[untyped-decorator]  # Chainlit is typed in part
    async def create_step(self, step_dict: StepDict) -> None:
        """Keep a step or a message as it stands now."""
        step = {**step_dict, "showInput": str(step_dict.get("showInput", "")).lower() or None}
        await self._put("steps", {name: step[name] for name in STEP_COLUMNS if step.get(name) is not None})

    @queue_until_user_message()  # type: ignore[untyped-decorator]
    async def update_step(self, step_dict: StepDict) -> None:
        """The same: a step is known by its id."""
        await self.create_step(step_dict)

    @queue_until_user_message()  # type: ignore[untyped-decorator]
    @_logging_lost_writes
    async def delete_step(self, step_id: str) -> None:
        """Forget a step of the session's conversation, with its elements."""
        of = {"id": step_id, "thread": _session_thread()}
        await self.execute_sql('DELETE FROM elements WHERE "forId" = :id AND "threadId" = :thread', of)
        await self.execute_sql('DELETE FROM steps WHERE "id" = :id AND "threadId" = :thread', of)

    @queue_until_user_message()  # type: ignore[untyped-decorator]
    async def create_element(self, element: Element) -> None:
        """Keep what an element shows, never a file's bytes; no address is fetched and none of other machines kept."""
        if not element.for_id:
            return
        row: Row = {**element.to_dict(), "chainlitKey": None, "objectKey": None}
        row["url"] = row["url"] if str(row.get("url") or "").startswith("/") else None
        await self._put("elements", {name: row[name] for name in ELEMENT_COLUMNS if row.get(name) is not None})

    @queue_until_user_message()  # type: ignore[untyped-decorator]
    @_logging_lost_writes
    async def delete_element(self, element_id: str, thread_id: str | None = None) -> None:
        """Forget an element of the session's conversation."""
        del thread_id  # it comes from the browser
        of = {"id": element_id, "thread": _session_thread()}
        await self.execute_sql('DELETE FROM elements WHERE "id" = :id AND "threadId" = :thread', of)

    async def get_element(self, thread_id: str, element_id: str) -> ElementDict | None:
        """An element of a conversation."""
        of = {"id": element_id, "thread": thread_id}
        rows = await self._rows('SELECT * FROM elements WHERE "id" = :id AND "threadId" = :thread', of)
        return _element(rows[0]) if rows else None

    # Answers, and what people say of them

    async def store_answer(self, answered: StoredAnswer) -> None:
        """Keep an answer of the session's conversation."""
        content = {"createdAt": now(), "content": answered.model_dump_json()}
        await self._put("answers", {"stepId": answered.id, "threadId": _session_thread(), **content})

    async def answers(self, thread_id: str) -> tuple[StoredAnswer, ...]:
        """A conversation's answers in their order, each with what was said of it."""
        return await self._answers('a."threadId" = :id', {"id": thread_id})

    async def answer(self, step_id: str) -> StoredAnswer | None:
        """The answer that was worked out in a step."""
        found = await self._answers('a."stepId" = :id', {"id": step_id})
        return found[0] if found else None

    async def give_opinion(self, identifier: str, step_id: str, opinion: Opinion) -> str | None:
        """Keep what a person says of a step of their own; its id, or None where the step is not theirs."""
        async with self._writer.transaction() as connection:
            found = await connection.execute(
                text(
                    'INSERT INTO feedbacks ("id", "forId", "threadId", "value", "comment", "createdAt") '
                    'SELECT CAST(:id AS TEXT), s."id", t."id", CAST(:value AS INTEGER), CAST(:comment AS TEXT), '
                    "CAST(:now AS TEXT) "
                    'FROM steps s JOIN threads t ON t."id" = s."threadId" '
                    'WHERE s."id" = :step AND t."userIdentifier" = :owner '
                    'ON CONFLICT ("forId") DO UPDATE SET "value" = EXCLUDED."value", "comment" = EXCLUDED."comment", '
                    '"createdAt" = EXCLUDED."createdAt" RETURNING "id"'
                ),
                {
                    "id": str(uuid.uuid4()),
                    "value": int(opinion.helpful),
                    "comment": opinion.comment[:_LONGEST_COMMENT],
                    "now": now(),
                    "step": step_id,
                    "owner": identifier,
                },
            )
            return found.scalar_one_or_none()

    async def take_back(self, identifier: str, feedback_id: str) -> str | None:
        """Forget what a person said; the id of its step, or None where it is not theirs."""
        async with self._writer.transaction() as connection:
            found = await connection.execute(
                text(
                    'DELETE FROM feedbacks WHERE "id" = :id AND "threadId" IN '
                    '(SELECT t."id" FROM threads t WHERE t."userIdentifier" = :owner) RETURNING "forId"'
                ),
                {"id": feedback_id, "owner": identifier},
            )
            return found.scalar_one_or_none()

    # Links to conversations

    async def share(self, identifier: str, thread_id: str) -> str | None:
        """Share a person's conversation as it is now; the link's id, or None where the conversation is not theirs.

        One that is shared already keeps its id, and shows what was answered until now.
        """
        async with self._writer.transaction() as connection:
            found = await connection.execute(
                text(
                    'INSERT INTO shares ("id", "threadId", "createdAt") '
                    'SELECT CAST(:id AS TEXT), t."id", CAST(:now AS TEXT) FROM threads t '
                    'WHERE t."id" = :thread AND t."userIdentifier" = :owner '
                    'ON CONFLICT ("threadId") DO UPDATE SET "createdAt" = EXCLUDED."createdAt" RETURNING "id"'
                ),
                {"id": str(uuid.uuid4()), "now": now(), "thread": thread_id, "owner": identifier},
            )
            return found.scalar_one_or_none()

    async def unshare(self, identifier: str, thread_id: str) -> bool:
        """Take the link of a person's conversation back; whether there was one."""
        async with self._writer.transaction() as connection:
            found = await connection.execute(
                text(
                    'DELETE FROM shares WHERE "threadId" = :thread AND "threadId" IN '
                    '(SELECT t."id" FROM threads t WHERE t."userIdentifier" = :owner) RETURNING "id"'
                ),
                {"thread": thread_id, "owner": identifier},
            )
            return found.scalar_one_or_none() is not None

    async def link_of(self, identifier: str, thread_id: str) -> str | None:
        """The id of the link to a person's conversation; None where there is none."""
        rows = await self._rows(
            'SELECT s."id" FROM shares s JOIN threads t ON t."id" = s."threadId" '
            'WHERE s."threadId" = :thread AND t."userIdentifier" = :owner',
            {"thread": thread_id, "owner": identifier},
        )
        return str(rows[0]["id"]) if rows else None

    async def shared(self, link: str) -> SharedConversation | None:
        """What a link leads to: the answers that were there when it was made; None where there is no such link."""
        rows = await self._rows(
            'SELECT t."id", t."name", t."userIdentifier", s."createdAt" FROM shares s '
            'JOIN threads t ON t."id" = s."threadId" WHERE s."id" = :id',
            {"id": link},
        )
        if not rows:
            return None
        row = rows[0]
        answers = await self._answers(
            'a."threadId" = :id AND a."createdAt" <= :until', {"id": row["id"], "until": row["createdAt"]}
        )
        return SharedConversation(
            name=row["name"] or "", owner=row["userIdentifier"], at=row["createdAt"], answers=answers
        )

    async def upsert_feedback(self, feedback: Feedback) -> str:
        """Refused: Chainlit does not say who speaks; our route does."""
        del feedback
        raise PermissionError("feedback is given through the chat's own route")

    async def delete_feedback(self, feedback_id: str) -> bool:
        """Refused, likewise."""
        del feedback_id
        raise PermissionError("feedback is taken back through the chat's own route")

    # Below

    async def _answers(self, where: str, values: Row) -> tuple[StoredAnswer, ...]:
        rows = await self._rows(
            'SELECT a."content", f."value", f."comment" FROM answers a LEFT JOIN feedbacks f '
            f'ON f."forId" = a."stepId" WHERE {where} ORDER BY a."createdAt", a."stepId"',
            values,
        )
        return tuple(_stored_answer(row) for row in rows)

    async def _put(self, table: str, row: Row) -> None:
        """Write a row of the session's conversation, or what is said of the conversation itself."""
        encoded = {name: json.dumps(v) if name in JSON_COLUMNS else v for name, v in row.items()}
        for claim in self._claims(row["id" if table == "threads" else "threadId"]):
            await self._writer.put(claim, table, encoded)

    def _claims(self, thread_id: str) -> tuple[Claim, ...]:
        """The session's claim to a conversation, none where it has another; a session's first makes its own.

        A request of Chainlit's own pages has no session; it has asked for the author already.
        """
        session = _session()
        if session is None:
            return (Claim(thread_id=thread_id, owner=None),)
        if session.thread_id != thread_id or session.user is None:
            return ()
        begins = session not in self._begun and session.thread_id_to_resume is None
        self._begun.add(session)
        return (Claim(thread_id=thread_id, owner=session.user.identifier, begins=begins),)

    async def _rows(self, query: str, values: Mapping[str, Any]) -> Sequence[Row]:
        await self._writer.written()
        async with self.engine.connect() as connection:
            return [dict(row) for row in (await connection.execute(text(query), dict(values))).mappings()]


def _session() -> BaseSession | None:
    try:
        return context.session
    except ChainlitContextException:
        return None


def _session_thread() -> str:
    session = _session()
    return session.thread_id if session else ""


def _thread(row: Row) -> ThreadDict:
    return {**_decoded(row), "tags": None, "steps": [], "elements": []}  # type: ignore[typeddict-item]  # a table's row


def _step(row: Row) -> StepDict:
    step = _decoded(row)
    feedback = {key: step.pop(f"feedback{key.capitalize()}") for key in ("id", "value", "comment")}
    step["feedback"] = {"forId": step["id"], **feedback} if feedback["id"] else None
    if step["showInput"] in (None, "false"):
        step["input"] = ""
    return step | {"input": step["input"] or "", "output": step["output"] or ""}  # type: ignore[return-value]


def _element(row: Row) -> ElementDict:
    return _decoded(row)  # type: ignore[return-value]


def _decoded(row: Row) -> Row:
    """A row as it was before it became texts and numbers."""
    decoded = dict(row)
    for name in decoded.keys() & JSON_COLUMNS:
        decoded[name] = json.loads(row[name]) if row[name] is not None else None
    for name in decoded.keys() & FLAGS:
        decoded[name] = None if row[name] is None else bool(row[name])
    if "metadata" in decoded:
        decoded["metadata"] = decoded["metadata"] or {}
    return decoded


def _stored_answer(row: Row) -> StoredAnswer:
    answered = StoredAnswer.model_validate_json(row["content"])
    if row["value"] is None:
        return answered
    return answered.model_copy(
        update={"opinion": Opinion(helpful=bool(row["value"]), comment=row["comment"] or "")}
    )


def _like(words: str) -> str:
    for special in "!%_":
        words = words.replace(special, f"!{special}")
    return words
