"""Rows of conversations on their way into the database: all that wait go in one transaction.

A busy server makes them faster than it can write one by one, each with its own transaction. No Chainlit here.
"""

import asyncio
import datetime as dt
import functools
import json
import logging
import uuid
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping, Set
from contextlib import asynccontextmanager
from typing import Any

from sqlalchemy import bindparam, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.chat.history.tables import TABLES, driver_errors
from storage.files import is_full_or_read_only
from storage.records.record import Record
from storage.stores.database import not_writable
from storage.text import storable

logger = logging.getLogger(__name__)
Row = Mapping[str, Any]
_KEYS = {"threads": "id", "steps": "id", "elements": "id", "answers": "stepId"}
# A table's rows in one value, as JSON: one statement for all of them, however many. A busy server waits for its
# interpreter at each.
_UNPACK = {
    "sqlite": ("json_each(:rows)", "json_extract(value, '$.{}')"),
    "postgresql": ("json_array_elements(CAST(:rows AS JSON))", "value->>'{}'"),
}
_LOST = (SQLAlchemyError, OSError, TypeError, ValueError, driver_errors())
MOST_WAITING = 5_000  # rows that wait for a database that went away


class Claim(Record):
    """A conversation that somebody wants to write.

    Attributes:
        owner: whose it must be; None where that has been asked already.
        begins: whether it is made where it is not there yet.
    """

    thread_id: str
    owner: str | None
    begins: bool = False


class HistoryWriter:
    """The one that writes, in the order of the calls."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._turn = asyncio.Lock()
        self._waiting: dict[tuple[str, str, Claim], Row] = {}
        self._begins: set[Claim] = set()
        self._next: asyncio.Task[None] | None = None  # will write what waits, when it has its turn
        self.is_losing = False
        """Whether what was written last is lost, since the disk is full or may only be read."""

    async def put(self, claim: Claim, table: str, row: Row) -> None:
        """Write a row, without nulls, over the one with its key; one of another conversation stays as it is.

        A row of `threads` makes none: the claim does that.

        Whoever stops waiting loses nothing. What cannot be written is logged, without what it was.
        """
        if claim.begins:
            self._begins.add(claim)
        unchecked = Claim(thread_id=claim.thread_id, owner=claim.owner)
        key = (table, str(row[_KEYS[table]]), unchecked)
        self._waiting[key] = {**self._waiting.get(key, {}), **row}
        await self.written()

    async def written(self) -> None:
        """Wait until everything is written that was put before."""
        if self._next is None:
            self._next = asyncio.create_task(self._write_next())
        await asyncio.shield(self._next)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncConnection]:
        """A transaction of one's own, after everything that was put before."""
        async with self._turn:
            await self._write_waiting()
            async with self._engine.begin() as connection:
                yield connection

    async def _write_next(self) -> None:
        async with self._turn:
            self._next = None
            await self._write_waiting()

    async def _write_waiting(self) -> None:
        waiting, self._waiting = self._waiting, {}
        begins, self._begins = self._begins, set()
        if not waiting:
            return
        try:
            await self._write(waiting, begins)
            self.is_losing = False
        except _LOST as error:
            self.is_losing = not_writable(error) is not None
            if is_away(error):
                self._wait_longer(waiting, begins)
                logger.warning("the history cannot be reached, %d rows wait for it: %s", len(self._waiting), error)
            elif len(waiting) == 1 or isinstance(error, OSError):
                log_lost_write(error)
            else:
                await self._write_singly(waiting, begins)

    def _wait_longer(self, rows: Mapping[tuple[str, str, Claim], Row], begins: Set[Claim]) -> None:
        """Put back what a database that went away did not take; the next write brings it. What is too much is lost."""
        newer = self._waiting
        merged: dict[tuple[str, str, Claim], Row] = {k: {**row, **newer.get(k, {})} for k, row in rows.items()}
        merged |= {key: row for key, row in newer.items() if key not in merged}
        self._waiting = dict(list(merged.items())[-MOST_WAITING:])
        self._begins |= begins
        if (lost := len(merged) - len(self._waiting)) > 0:
            logger.error("the history cannot be reached: %d rows of conversations are lost", lost)

    async def _write_singly(self, rows: Mapping[tuple[str, str, Claim], Row], begins: Set[Claim]) -> None:
        """One that cannot be written costs no other."""
        for key, row in rows.items():
            try:
                await self._write({key: row}, begins)
            except _LOST as error:
                log_lost_write(error)

    async def _write(self, rows: Mapping[tuple[str, str, Claim], Row], begins: Set[Claim]) -> None:
        tables: dict[str, list[Row]] = defaultdict(list)
        async with self._engine.begin() as connection:
            mine = await writable(connection, [*begins, *(claim for _, _, claim in rows)])
            for (table, _, claim), row in rows.items():
                if claim in mine:
                    tables[table].append({k: storable(v) if isinstance(v, str) else v for k, v in row.items()})
            for table, some in tables.items():
                statement = _statement(table, connection.dialect.name)
                await connection.execute(text(statement), {"rows": json.dumps(some, ensure_ascii=False)})


async def writable(connection: AsyncConnection, claims: Iterable[Claim]) -> set[Claim]:
    """Those whose conversation is there and the owner's; each without `begins`.

    One that was deleted does not come back by what is still written of it. Asked by an update, so that SQLite's writers
    wait for each other from here on.
    """
    wanted = list(claims)
    for claim in wanted:
        if claim.begins and _is_uuid(claim.thread_id):  # a browser may name the conversation that it goes on with
            await connection.execute(
                text(
                    'INSERT INTO threads ("id", "createdAt", "userId", "userIdentifier", "metadata") '
                    'SELECT CAST(:id AS TEXT), CAST(:now AS TEXT), u."id", u."identifier", \'{}\' FROM users u '
                    'WHERE u."identifier" = :owner ON CONFLICT ("id") DO NOTHING'
                ),
                {"id": claim.thread_id, "now": now(), "owner": claim.owner},
            )
    touch = text('UPDATE threads SET "id" = "id" WHERE "id" IN :ids RETURNING "id", "userIdentifier"')
    found = await connection.execute(
        touch.bindparams(bindparam("ids", expanding=True)), {"ids": sorted({c.thread_id for c in wanted})}
    )
    owners = {str(row[0]): str(row[1]) for row in found}
    plain = {Claim(thread_id=claim.thread_id, owner=claim.owner) for claim in wanted}
    return {
        claim for claim in plain if claim.thread_id in owners and claim.owner in (None, owners[claim.thread_id])
    }


def now() -> str:
    """The moment as Chainlit writes it, in UTC."""
    return dt.datetime.now(dt.UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


@functools.cache
def _statement(table: str, dialect: str) -> str:
    """What a row does not say stays as it is."""
    source, value = _UNPACK[dialect]
    key, columns = _KEYS[table], TABLES[table]
    rows = ", ".join(
        f'CAST({value.format(name)} AS {kind.split()[0]}) AS "{name}"' for name, kind in columns.items()
    )
    named = [name for name in columns if name not in (key, "threadId")]
    if table == "threads":
        news = ", ".join(f'"{name}" = COALESCE(news."{name}", threads."{name}")' for name in named)
        return (
            f'UPDATE threads SET {news} FROM (SELECT {rows} FROM {source}) AS news WHERE threads."id" = news."id"'
        )
    news = ", ".join(f'"{name}" = COALESCE(EXCLUDED."{name}", {table}."{name}")' for name in named)
    names = ", ".join(f'"{name}"' for name in columns)
    return (
        f'INSERT INTO {table} ({names}) SELECT {rows} FROM {source} WHERE true ON CONFLICT ("{key}") DO UPDATE '
        f'SET {news} WHERE {table}."threadId" = EXCLUDED."threadId"'
    )


def is_away(error: BaseException) -> bool:
    """Whether a database's server is not there now, so that the same may be written later."""
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or isinstance(error.orig, ConnectionError)
    if isinstance(error, OSError):
        return not is_full_or_read_only(error)
    return isinstance(error, driver_errors())  # of a server that is just starting or stopping


def log_lost_write(error: Exception) -> None:
    """Log that something was not written, without what it was."""
    logger.error("the history cannot be written: %s", error)


def _is_uuid(name: str) -> bool:
    try:
        return str(uuid.UUID(name)) == name
    except ValueError:
        return False
