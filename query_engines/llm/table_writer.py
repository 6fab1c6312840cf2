"""Has tables written out by a language model, many in parallel within the rate limits."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from prompts.answers.answer_prompts import REPAIR_PROMPTS, RepairPrompts
from prompts.tasks.table_texts import TABLE_TEXT_PROMPTS, TableBlocks, TableTextPrompts, table_messages
from query_engines.llm.client import CompatOpenAI
from query_engines.llm.errors import one_line
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.llm.structured import CascadeProgram
from query_engines.llm.usage import counting
from storage.errors import ProviderError
from storage.records.answers import Usage
from storage.records.pages import TableInContext, TableText

OnWritten = Callable[[int, tuple[TableText, ...]], None]
OnFailure = Callable[[int, str], None]


class LlmTableWriter:
    """Asks a model about each table. The model is built at the first table, so that questions need no key for it.

    Attributes:
        identity: of model and prompt; part of the cache key.
    """

    def __init__(
        self,
        model: str,
        build: Callable[[], CompatOpenAI],
        loop: BackgroundLoop,
        prompts: TableTextPrompts = TABLE_TEXT_PROMPTS,
        repair: RepairPrompts = REPAIR_PROMPTS,
    ) -> None:
        self.identity = f"{model} {prompts.version}"
        self._build = build
        self._loop = loop
        self._prompts, self._repair = prompts, repair
        self._program: CascadeProgram[TableBlocks] | None = None

    def write(self, tables: Sequence[TableInContext], on_written: OnWritten, on_failure: OnFailure) -> Usage:
        """Write tables out. A table that fails does not stop the others.

        Args:
            tables: in any order.
            on_written: called with a table's position and its texts, as soon as they are there.
            on_failure: called with the position of a table that failed, and the reason.

        Returns:
            Requests, tokens and cost.

        Raises:
            SetupError, UsageError: the model cannot be used.
        """
        program = self._built()
        return self._loop.run(self._all(program, tables, on_written, on_failure))

    def _built(self) -> CascadeProgram[TableBlocks]:
        if self._program is None:

            def build_messages(*, with_schema: bool, table: TableInContext, **_: Any) -> Any:
                return table_messages(table, with_schema, self._prompts)

            self._program = CascadeProgram(self._build(), TableBlocks, build_messages, self._loop, self._repair)
        return self._program

    async def _all(
        self,
        program: CascadeProgram[TableBlocks],
        tables: Sequence[TableInContext],
        on_written: OnWritten,
        on_failure: OnFailure,
    ) -> Usage:
        lock = asyncio.Lock()

        async def one(place: int, table: TableInContext) -> None:
            try:
                blocks = await program.acall(table=table)
            except ProviderError as error:
                async with lock:
                    on_failure(place, one_line(str(error)))
                return
            written = (
                TableText(subject=one_line(b.subject), information=" ".join(b.information.split()))
                for b in blocks.information_blocks
            )
            async with lock:  # it writes to disk
                await asyncio.to_thread(on_written, place, tuple(t for t in written if t.information))

        with counting() as count:
            try:
                async with asyncio.TaskGroup() as group:
                    for place, table in enumerate(tables):
                        group.create_task(one(place, table))
            except ExceptionGroup as several:  # such as a refused key; the other requests were cancelled
                raise several.exceptions[0] from several
        return count.usage
