"""Tables written out by a model at ingestion: asked for once, held to the table, found by, never read."""

import re
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.schema import NodeWithScore, TextNode

from app import open_pageproof
from app.assembly.build import table_model
from app.assembly.client import Pageproof
from app.chat.session.settings_panel import hosts_of
from app.command_line import run
from app.readiness import examine, needs
from app.settings import load_settings
from indexes.ingestion.requests import IngestRequest
from indexes.options import ChunkingOptions
from indexes.search.chunking import WRITTEN_KEY, PageChunker
from indexes.search.table_texts import TableTexts, faithful, tables_in_context
from query_engines.retrieval.page_nodes import ParentPagePostprocessor
from storage.errors import SetupError
from storage.records.answers import Usage
from storage.records.pages import Block, Cell, Column, Page, Table, TableInContext, TableText
from storage.records.record import Box
from storage.records.reports import Report
from storage.stores.caches import TableTextCache
from tests.support.doubles.openai_server import ErrorReply, Json, OpenAIServer
from tests.support.samples import SAMPLES
from tests.support.waiting import PATIENCE

BOX = Box(left=0, top=0, right=1, bottom=1)
REPORT = Report(sha1="a" * 40, file="a.pdf", company="Orla plc", page_count=1, currency="GBP")
SAMPLE = SAMPLES / "ostermere_2024.pdf"
QUESTION = "What was the total revenue of Ostermere Instruments, Inc.?"


def block(text: str, kind: Any = "paragraph") -> Block:
    return Block(kind=kind, text=text, box=BOX)


def table_block(*rows: str, headers: int = 1, **more: Any) -> Block:
    cells = tuple(
        Cell(
            row=r,
            column=c,
            text=text.strip(),
            role="column_header" if r < headers else "value" if c else "row_label",
        )
        for r, row in enumerate(rows)
        for c, text in enumerate(row.split("|"))
        if text.strip()
    )
    table = Table(row_count=len(rows), column_count=rows[0].count("|") + 1, cells=cells, **more)
    return Block(kind="table", text="\n".join(rows), box=BOX, table=table)


def page(*blocks: Block) -> Page:
    return Page(report_sha1=REPORT.sha1, page_number=1, width=100, height=100, blocks=blocks, section=("Notes",))


class ScriptedWriter:
    """Writes each table's rows, or fails where a text of it says so."""

    identity = "scripted 1"

    def __init__(self, fails_on: str = "", adds: str = "") -> None:
        self.asked: list[TableInContext] = []
        self._fails_on, self._adds = fails_on, adds

    def write(
        self,
        tables: Sequence[TableInContext],
        on_written: Callable[[int, tuple[TableText, ...]], None],
        on_failure: Callable[[int, str], None],
    ) -> Usage:
        for place, table in enumerate(tables):
            self.asked.append(table)
            if self._fails_on and self._fails_on in table.html:
                on_failure(place, "scripted fault")
            else:
                on_written(
                    place,
                    tuple(TableText(subject=r[0], information=" ".join(r) + self._adds) for r in rows(table.html)),
                )
        return Usage(requests=len(tables))


def rows(html: str) -> Iterator[list[str]]:
    for row in re.findall(r"<tr>(.*?)</tr>", html):
        cells = [unescape(c) for c in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)]
        if any(cells):
            yield [c for c in cells if c]


def test_a_table_is_given_with_what_stands_around_it() -> None:
    shown = page(
        block("Far away. " * 200),
        block("9. Tangible assets", "heading"),
        block("Page 4", "furniture"),
        table_block("| 2024", "Land | 5", title="9. Tangible assets", unit="(£m)"),
        block("Land is not depreciated."),
        table_block("| 2024", "Cash | 7"),
        block("End."),
    )
    first, second = tables_in_context(shown, REPORT)
    assert (first.company, first.section, first.title, first.unit) == (
        "Orla plc",
        "Notes",
        "9. Tangible assets",
        "(£m)",
    )
    assert first.before.endswith("# 9. Tangible assets")
    assert "Page 4" not in first.before
    assert first.after == "Land is not depreciated."
    assert second.before == "Land is not depreciated."


def test_a_long_table_is_given_in_parts_with_its_header_and_one_from_on_the_next_page_with_its_columns() -> None:
    long = table_block("| 2024", *(f"Item {n} | {n}00" for n in range(1, 101)))
    continued = table_block("Debt | 5", "Tax | 4", headers=0, columns=(Column(), Column(header="2023")))
    *parts, last = tables_in_context(page(long, continued), REPORT)
    assert [len(list(rows(part.html))) for part in parts] == [41, 41, 21]
    assert all(next(rows(part.html)) == ["2024"] for part in parts)
    assert list(rows(parts[2].html))[1] == ["Item 81", "8100"]
    assert next(rows(last.html)) == ["2023"]


def test_what_is_written_is_kept_and_a_failed_table_is_tried_again(tmp_path: Path) -> None:
    pages = [page(table_block("| 2024", "Land | 500"), table_block("| 2023", "Cash | 700"))]
    cache = TableTextCache(tmp_path / "texts.sqlite")
    done: list[tuple[int, int]] = []

    first = TableTexts(ScriptedWriter(fails_on="Cash"), cache).write(pages, REPORT, lambda *d: done.append(d))
    assert (first.written, first.reused, first.failures) == (1, 0, ("page 1, a table: scripted fault",))
    assert done == [(0, 2), (1, 2), (2, 2)]

    writer = ScriptedWriter()
    texts = TableTexts(writer, cache)
    assert texts.write(pages, REPORT).written == 1
    assert [next(rows(t.html)) for t in writer.asked] == [["2023"]]
    again = texts.write(pages, REPORT)
    assert (again.written, again.reused, again.usage) == (0, 2, Usage())
    assert [t.text for t in texts.of(pages[0], REPORT)] == ["2024", "Land 500", "2023", "Cash 700"]

    other = ScriptedWriter()
    other.identity = "another model"
    assert TableTexts(other, cache).write(pages, REPORT).written == 2


def test_a_text_with_a_figure_that_the_table_has_not_is_not_kept(tmp_path: Path) -> None:
    table = TableInContext(
        company="Orla plc", unit="in thousands", html="<td>Land</td><td>(1,250)</td><td>2024</td>"
    )
    texts = [
        TableText(subject="Land", information="Land was (1,250) in 2024, in thousands (1,000)."),
        TableText(subject="Land", information="Land was 1,260 in 2024."),
    ]
    assert faithful(texts, table) == (texts[0],)
    pages = [page(table_block("| 2024", "Land | 500"))]
    invented = TableTexts(ScriptedWriter(adds=" and 999"), TableTextCache(tmp_path / "t.sqlite"))
    assert "figures that the table has not" in invented.write(pages, REPORT).failures[0]
    assert invented.of(pages[0], REPORT) == []


def test_written_texts_fill_chunks_of_their_own_within_the_limit() -> None:
    chunker = PageChunker(ChunkingOptions(tokens=60, overlap=5, header_tokens=10), str.split, max_tokens=1000)  # type: ignore[arg-type]  # words for tokens
    texts = [TableText(subject=f"Item {n}", information="word " * 15) for n in range(6)]
    chunks = chunker.written_chunks(texts, page(), REPORT)
    assert [c.chunk_id.rpartition(":")[2] for c in chunks] == ["t0", "t1", "t2"]
    assert all(c.written_by_model and len(c.text.split()) <= 50 for c in chunks)
    assert all(c.header.startswith("Orla plc | Notes") for c in chunks)


def test_a_page_found_by_what_a_model_wrote_is_read_in_its_own_words() -> None:
    def node(text: str, score: float, **metadata: Any) -> NodeWithScore:
        return NodeWithScore(
            node=TextNode(text=text, metadata={"report_sha1": "a", "page": 3, **metadata}), score=score
        )

    written = node("Revenue was 5, says a model.", 0.9, **{WRITTEN_KEY: True})
    (found,) = ParentPagePostprocessor().postprocess_nodes([written, node("Revenue 5", 0.4)])
    assert (found.score, found.node.get_content()) == (0.9, "Revenue 5")
    (alone,) = ParentPagePostprocessor().postprocess_nodes([written])
    assert (alone.metadata["page"], alone.node.get_content()) == (3, "")  # then the whole page is read


def by_rows(body: Json) -> Json:
    """What a faithful model would write, if in a poor style."""
    content = body["messages"][-1]["content"]
    company = re.search(r"Company: (.*)", content)
    assert company is not None
    html = content[content.index("<table>") : content.index("</table>")]
    blocks = [
        {"subject": cells[0], "information": f"zwischenablage {company[1]}: {' '.join(cells)}"}
        for cells in rows(html)
    ]
    return {"subjects": [b["subject"] for b in blocks], "relevant_headers": [], "information_blocks": blocks}


def settings(server: OpenAIServer, *more: str) -> list[str]:
    return [
        "tables.serialize=true",
        "llm.kind=openai_like",
        f"llm.api_base={server.api_base}",
        "llm.model=writer",
        *more,
    ]


@pytest.fixture
def read_once(sample_data: Path, tmp_path: Path) -> Path:
    """The sample library, whose pages need not be read again."""
    shutil.copytree(sample_data, tmp_path / "data")
    return tmp_path / "data"


def test_an_ingestion_writes_tables_out_once_and_says_what_it_took(
    read_once: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    second = threading.Event()

    def beside_another(body: Json) -> Json:
        if server.peak > 1:
            second.set()
        second.wait(PATIENCE)  # the first is not answered before another one is there
        return by_rows(body)

    with OpenAIServer(answer=beside_another) as server:
        sets = [word for s in settings(server, "llm.parallel=3") for word in ("--set", s)]
        arguments = ["ingest", str(SAMPLE), "--data", str(read_once), *sets]
        assert run(arguments) == 0
        printed = capsys.readouterr().out
        requests_before = len(server.chats)
        assert 5 < requests_before < 30
        assert 1 < server.peak <= 3
        assert re.search(
            rf"{requests_before} tables written out · {requests_before} model requests · [\d,]+ tokens · price unknown",
            printed,
        )
        assert server.chats[0]["response_format"]["json_schema"]["name"] == "TableBlocks"

        assert run(arguments) == 0
        assert "unchanged" in capsys.readouterr().out
        assert len(server.chats) == requests_before


def test_what_was_written_finds_the_page_and_is_nowhere_in_the_answer(read_once: Path, client: Pageproof) -> None:
    with OpenAIServer(answer=by_rows) as server:
        overrides = settings(server, "retrieval.mode=bm25", "rerank.kind=none", "retrieval.parent_pages=false")
        with open_pageproof("offline", overrides=overrides, data=read_once) as serialized:
            assert not serialized.has_indexes()  # another fingerprint than the library's own
            (ingested,) = serialized.library.ingest(IngestRequest(paths=[SAMPLE]))
            assert (ingested.status, ingested.warning) == ("indexed", "")
            found = serialized.query(
                "zwischenablage revenue of Ostermere Instruments", kind="text", company="Ostermere Instruments"
            )
            nodes = found.source_nodes
            assert nodes
            assert not any("zwischenablage" in n.node.get_content() for n in nodes)
            answer = serialized.query(QUESTION, kind="number").response
            assert "zwischenablage" not in answer.model_dump_json()
    ours = client.query(QUESTION, kind="number").response
    assert (answer.value, answer.citations[0].page) == (ours.value, ours.citations[0].page)


def test_a_table_that_fails_warns_and_the_report_is_indexed(read_once: Path) -> None:
    refused: list[str] = []

    def refusing_one(body: Json) -> Json | ErrorReply:
        content = body["messages"][-1]["content"]
        refused[:] = refused or [content]
        return ErrorReply(400, "scripted refusal") if refused == [content] else by_rows(body)

    with OpenAIServer(answer=refusing_one) as server:
        overrides = settings(server)
        with open_pageproof("offline", overrides=overrides, data=read_once) as client:
            (ingested,) = client.library.ingest(IngestRequest(paths=[SAMPLE]))
            assert ingested.status == "indexed"
            assert re.search(
                r"1 of \d+ tables were not written out \(page \d+.*scripted refusal", ingested.warning
            )
            refused[:] = ["none of them"]
            (repaired,) = client.library.ingest(IngestRequest(paths=[SAMPLE]))
    assert (repaired.status, repaired.tables_written, repaired.warning) == ("indexed", 1, "")


def test_the_budget_ends_the_writing_and_not_the_ingestion(read_once: Path) -> None:
    prices = ("llm.prompt_usd_per_million=1000", "llm.completion_usd_per_million=1000", "llm.budget_usd=2")
    with (
        OpenAIServer(answer=by_rows) as server,
        open_pageproof("offline", overrides=settings(server, *prices), data=read_once) as client,
    ):
        (ingested,) = client.library.ingest(IngestRequest(paths=[SAMPLE]))
    assert ingested.status == "indexed"
    assert "llm.budget_usd=2 is used up" in ingested.warning


def test_a_refused_key_stops_the_ingestion(read_once: Path) -> None:
    with (
        OpenAIServer(answer=by_rows, api_key="right") as server,
        open_pageproof("offline", overrides=settings(server), data=read_once) as client,
        pytest.raises(SetupError, match="key"),
    ):
        list(client.library.ingest(IngestRequest(paths=[SAMPLE])))


def test_where_tables_go_and_what_they_need_is_told(tmp_path: Path) -> None:
    hosted = load_settings("offline", ["tables.serialize=true"], {}, tmp_path)
    assert needs(hosted, {}) == ("the key OPENAI_API_KEY",)
    assert hosts_of(hosted, {}) == ("api.openai.com",)
    details = [f.detail for f in examine("offline", ["tables.serialize=true"], tmp_path, {})]
    assert any("tables.serialize=true sends every table" in detail for detail in details)


def test_tables_may_be_written_by_another_model_than_answers() -> None:
    other = load_settings("max_st_o3m", environment={})
    assert (other.llm.model, table_model(other).model) == ("o3-mini-2025-01-31", "gpt-4o-mini-2024-07-18")
    priced = load_settings("max_st_o3m", ["llm.prompt_usd_per_million=9"], {})
    assert table_model(priced).prompt_usd_per_million is None
    same = load_settings("max_st_o3m", ["tables.model=none"], {})
    assert table_model(same) == same.llm
