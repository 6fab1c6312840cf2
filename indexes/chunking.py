"""Pages cut into chunks: text at sentences, tables at rows."""

from collections.abc import Callable, Iterator, Sequence

from llama_index.core.node_parser import SentenceSplitter

from indexes.options import ChunkingOptions
from storage.chunks import Chunk
from storage.pages import Block, Page
from storage.reports import Report
from storage.table_texts import TableText

Tokenize = Callable[[str], list[int]]


class PageChunker:
    """Cuts one page at a time, counted in the embedder's own tokens.

    A chunk is a header that says what it is about and a body. Header and body together stay within the smaller of
    `options.tokens` and `max_tokens`. Table rows are never cut: a row that is longer than a chunk makes one alone.
    """

    def __init__(self, options: ChunkingOptions, tokenize: Tokenize, max_tokens: int) -> None:
        self._tokenize = tokenize
        self._header_tokens = options.header_tokens
        self._body_tokens = min(options.tokens, max_tokens) - options.header_tokens
        overlap = min(options.overlap, self._body_tokens // 3)
        self._splitter = SentenceSplitter(
            chunk_size=self._body_tokens, chunk_overlap=overlap, tokenizer=tokenize, paragraph_separator="\n\n"
        )

    def chunks(self, page: Page, report: Report) -> list[Chunk]:
        """The page's chunks in reading order; their ids are the same for the same page and options."""
        pieces = [
            (self._header(report, page, group), body) for group in _groups(page) for body in self._bodies(group)
        ]
        return [
            Chunk(
                chunk_id=f"{page.report_sha1}:{page.page_number}:{number}",
                report_sha1=page.report_sha1,
                page_number=page.page_number,
                header=header,
                text=body,
            )
            for number, (header, body) in enumerate(pieces)
        ]

    def written_chunks(self, texts: Sequence[TableText], page: Page, report: Report) -> list[Chunk]:
        """What a model wrote of the page's tables as chunks beside the tables' own, several texts in each."""
        header = self._header(report, page, ())
        bodies: list[str] = []
        for text in texts:
            for piece in self._splitter.split_text(text.text):
                joined = f"{bodies[-1]}\n\n{piece}" if bodies else piece
                if bodies and len(self._tokenize(joined)) <= self._body_tokens:
                    bodies[-1] = joined
                else:
                    bodies.append(piece)
        return [
            Chunk(
                chunk_id=f"{page.report_sha1}:{page.page_number}:t{number}",
                report_sha1=page.report_sha1,
                page_number=page.page_number,
                header=header,
                text=body,
                written_by_model=True,
            )
            for number, body in enumerate(bodies)
        ]

    def _bodies(self, group: Sequence[Block]) -> Iterator[str]:
        if group[0].table is None:
            yield from self._splitter.split_text("\n\n".join(block.markdown() for block in group))
        else:
            yield from self._table_bodies(group[0].markdown())

    def _table_bodies(self, markdown: str) -> Iterator[str]:
        head, rule, *rows = markdown.split("\n")
        top = f"{head}\n{rule}"
        room = max(self._body_tokens - len(self._tokenize(top)), 1)
        body: list[str] = []
        used = 0
        for row in rows:
            size = len(self._tokenize(row))
            if body and used + size > room:
                yield "\n".join([top, *body])
                body, used = [], 0
            body.append(row)
            used += size
        if body:
            yield "\n".join([top, *body])

    def _header(self, report: Report, page: Page, group: Sequence[Block]) -> str:
        table = group[0].table if group else None
        period = f"{report.company} {report.period_end.year}" if report.period_end else report.company
        parts = [period, *page.section, *((table.title, table.unit) if table else ())]
        words = " | ".join(dict.fromkeys(part for part in parts if part)).split()
        while words and len(self._tokenize(" ".join(words))) > self._header_tokens:
            words.pop()
        return " ".join(words)


def _groups(page: Page) -> Iterator[list[Block]]:
    """Runs of text blocks, and each table by itself with the text around it cut off."""
    run: list[Block] = []
    for block in page.blocks:
        if block.kind == "furniture" or not block.text.strip():
            continue
        if block.table is None:
            run.append(block)
            continue
        if run:
            yield run
            run = []
        yield [block]
    if run:
        yield run
