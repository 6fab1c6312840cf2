"""Where conversations are kept: one SQLite file, or Postgres. No Chainlit here.

The columns are those that Chainlit writes and reads; everything structured is JSON in a text, so that both databases
give back the same.
"""

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

from sqlalchemy import URL, event, make_url, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from app.settings import without_credentials
from storage.errors import DamagedFile, MissingExtra, SetupError
from storage.stores.database import Database, is_damage

STEP_COLUMNS = {
    "id": "TEXT PRIMARY KEY",
    "threadId": 'TEXT NOT NULL REFERENCES threads("id") ON DELETE CASCADE',
    "parentId": "TEXT",
    "name": "TEXT",
    "type": "TEXT",
    "command": "TEXT",
    "modes": "TEXT",
    "streaming": "BOOLEAN",
    "waitForAnswer": "BOOLEAN",
    "isError": "BOOLEAN",
    "metadata": "TEXT",
    "tags": "TEXT",
    "input": "TEXT",
    "output": "TEXT",
    "createdAt": "TEXT",
    "start": "TEXT",
    "end": "TEXT",
    "generation": "TEXT",
    "showInput": "TEXT",
    "defaultOpen": "BOOLEAN",
    "autoCollapse": "BOOLEAN",
    "language": "TEXT",
    "icon": "TEXT",
}
ELEMENT_COLUMNS = {
    "id": "TEXT PRIMARY KEY",
    "threadId": 'TEXT NOT NULL REFERENCES threads("id") ON DELETE CASCADE',
    "forId": "TEXT",
    "type": "TEXT",
    "name": "TEXT",
    "display": "TEXT",
    "mime": "TEXT",
    "url": "TEXT",
    "objectKey": "TEXT",
    "chainlitKey": "TEXT",
    "size": "TEXT",
    "language": "TEXT",
    "page": "INTEGER",
    "autoPlay": "BOOLEAN",
    "playerConfig": "TEXT",
    "props": "TEXT",
}
JSON_COLUMNS = frozenset({"metadata", "tags", "modes", "generation", "props", "playerConfig"})
FLAGS = frozenset({"streaming", "waitForAnswer", "isError", "defaultOpen", "autoCollapse", "autoPlay"})
TABLES = {
    "users": {
        "id": "TEXT PRIMARY KEY",
        "identifier": "TEXT NOT NULL UNIQUE",
        "metadata": "TEXT NOT NULL",
        "createdAt": "TEXT NOT NULL",
    },
    "threads": {
        "id": "TEXT PRIMARY KEY",
        "createdAt": "TEXT NOT NULL",
        "name": "TEXT",
        "userId": 'TEXT NOT NULL REFERENCES users("id") ON DELETE CASCADE',
        "userIdentifier": "TEXT NOT NULL",
        "tags": "TEXT",
        "metadata": "TEXT NOT NULL",
    },
    "steps": STEP_COLUMNS,
    "elements": ELEMENT_COLUMNS,
    "feedbacks": {
        "id": "TEXT PRIMARY KEY",
        "forId": 'TEXT NOT NULL UNIQUE REFERENCES steps("id") ON DELETE CASCADE',
        "threadId": 'TEXT NOT NULL REFERENCES threads("id") ON DELETE CASCADE',
        "value": "INTEGER NOT NULL",
        "comment": "TEXT",
        "createdAt": "TEXT NOT NULL",
    },
    "answers": {
        "stepId": "TEXT PRIMARY KEY",
        "threadId": 'TEXT NOT NULL REFERENCES threads("id") ON DELETE CASCADE',
        "createdAt": "TEXT NOT NULL",
        "content": "TEXT NOT NULL",
    },
    "shares": {
        "id": "TEXT PRIMARY KEY",
        "threadId": 'TEXT NOT NULL UNIQUE REFERENCES threads("id") ON DELETE CASCADE',
        "createdAt": "TEXT NOT NULL",
    },
}
_INDEXES = {"threads": "userId", "steps": "threadId", "elements": "threadId", "answers": "threadId"}
_SECONDS_TO_CONNECT = 10


def history_address(path: Path, url: str | None) -> URL:
    """The database: the named one, else the file at `path`."""
    return make_url(url) if url else URL.create("sqlite+aiosqlite", database=str(path))


def open_engine(address: URL) -> AsyncEngine:
    """A pool of connections; nothing is opened yet.

    Raises:
        MissingExtra: the database's driver is not installed.
    """
    # Nothing of a conversation goes into a log by way of an error's text.
    if address.get_backend_name() != "sqlite":
        try:
            return create_async_engine(
                address, pool_pre_ping=True, hide_parameters=True, connect_args={"timeout": _SECONDS_TO_CONNECT}
            )
        except ModuleNotFoundError as error:
            raise MissingExtra("chat.history_url needs asyncpg: pip install 'pageproof[postgres]'") from error
    engine = create_async_engine(address, hide_parameters=True, connect_args={"timeout": 30})
    event.listen(engine.sync_engine, "connect", _set_up_sqlite)
    return engine


def prepare_history(address: URL) -> None:
    """Make what is not there yet. Waits, so call it before the server's loop runs.

    Raises:
        MissingExtra: the database's driver is not installed.
        DamagedFile: the file is not what was written.
        SetupError: the database cannot be reached or written.
    """
    if address.get_backend_name() == "sqlite" and address.database:
        path = Path(address.database)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        _check(path)
    try:
        asyncio.run(_make_tables(open_engine(address)))
    except (OSError, SQLAlchemyError, ValueError, driver_errors()) as error:
        where = without_credentials(address.render_as_string(hide_password=True))
        first = str(getattr(error, "orig", None) or error).splitlines()[:1]
        raise SetupError(f"the chat's history at {where} cannot be used: {' '.join(first)}") from error


def _check(path: Path) -> None:
    """Read the whole file now: a damaged page would else be found in the middle of somebody's conversation."""
    try:
        Database(path, "").check()
    except sqlite3.DatabaseError as error:
        if not is_damage(error) and type(error) is not sqlite3.DatabaseError:
            return  # whatever it is, making the tables says it
        raise DamagedFile(
            f"the chat's history {path} is damaged ({error}); run `pageproof repair`, which sets it aside"
        ) from error


async def _make_tables(engine: AsyncEngine) -> None:
    try:
        async with engine.begin() as connection:
            if engine.dialect.name == "postgresql":  # two chats that start at once
                await connection.execute(text("SELECT pg_advisory_xact_lock(7243502)"))
            for name, columns in TABLES.items():
                body = ", ".join(f'"{column}" {kind}' for column, kind in columns.items())
                await connection.execute(text(f"CREATE TABLE IF NOT EXISTS {name} ({body})"))
            for table, column in _INDEXES.items():
                made = f'CREATE INDEX IF NOT EXISTS "{table}_{column}" ON {table} ("{column}")'
                await connection.execute(text(made))
    finally:
        await engine.dispose()


def driver_errors() -> type[Exception]:
    """What asyncpg raises while connecting goes past SQLAlchemy."""
    try:
        from asyncpg import PostgresError  # late: an extra
    except ModuleNotFoundError:
        return OSError
    return PostgresError  # type: ignore[no-any-return]  # asyncpg has no types


def _set_up_sqlite(connection: Any, _: Any) -> None:
    cursor = connection.cursor()
    try:
        for line in ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON", "busy_timeout = 30000"):
            cursor.execute(f"PRAGMA {line}")
    except BaseException:  # the pool does not know this connection yet and would leave it open
        connection.close()
        raise
    cursor.close()
