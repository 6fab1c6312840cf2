"""Tools, resources and prompts of MCP: what an assistant needs to answer from reports and to show where it stands.

Results are small enough for a model's window: a value with its pages, not whole pages with their places. Nothing here
changes the library.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any

import mcp
from fastapi import Request
from mcp.server.fastmcp import Context, FastMCP, Image
from mcp.server.fastmcp.exceptions import ToolError
from mcp.server.transport_security import TransportSecuritySettings
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field, ValidationError
from starlette.types import ASGIApp, Receive, Scope, Send

from app.files.answer_json import answer_text
from app.library.fact_sheet import FactRow
from app.page_pictures import read_boxes
from app.serving.bodies import (
    AskBody,
    Boxes,
    CompanyName,
    Names,
    PageNumber,
    PagePlace,
    ReportName,
    Text,
    Years,
)
from app.serving.service import Caller, Service
from app.web_guards import problems_of
from storage.amounts import grouped
from storage.errors import PageproofError, UsageError, note_defect
from storage.incoming import Unsound, check_sound
from storage.records.answers import Answer, Citation, Neighbour, Unit
from storage.records.questions import LONGEST_COMPANY, AnswerKind, Question
from storage.records.record import Record

logger = logging.getLogger(__name__)
_INSTRUCTIONS = (
    "Answers about companies from their annual reports and other filings, each with the page where it is printed and "
    "with checks against that page. Ask one thing of one company in a year at a time, with `ask`; use `compare` for "
    "one figure of several companies and `derive` for ratios, margins and growth. Repeat values, units and periods as "
    "they are given, cite file and page, and say so where a check failed. N/A means that it was not found: do not "
    "fill it from memory."
)
_READS = ToolAnnotations(readOnlyHint=True, destructiveHint=False, idempotentHint=True, openWorldHint=False)
_MOST_TEXT = 12_000  # characters of a page
_MOST_ROWS = 80
_MOST_COMPANIES = 20
_MOST_ASKED = 100  # companies, where all are compared
Who = Context[Any, Any, Any]


class Source(Record):
    """Where something is printed; `page` is 1-based, and `boxes` are as `page_image` takes them."""

    file: str
    report_sha1: str
    page: int
    quote: str
    boxes: str = ""

    @classmethod
    def of(cls, citation: Citation) -> "Source":
        """A citation's."""
        boxes = ";".join(f"{b.left:.1f},{b.top:.1f},{b.right:.1f},{b.bottom:.1f}" for b in citation.boxes[:20])
        return cls(
            file=citation.file,
            report_sha1=citation.report_sha1,
            page=citation.page,
            quote=citation.quote,
            boxes=boxes,
        )


class Operand(Record):
    """A figure of a formula, in full units, and where it is printed."""

    name: str
    value: float
    source: Source


class FoundAnswer(Record):
    """An answer.

    Attributes:
        value: in full units; "N/A" with a `reason` where there is none.
        text: the value as people write it.
        unit: currency and scale as printed, and the last day of the period.
        failed_checks: what does not fit; empty where every check passed.
        nearest: in words, the printed figure that comes nearest, where there is no answer.
    """

    question: str
    company: str | None
    kind: str
    value: bool | float | str | tuple[str, ...]
    text: str
    unit: Unit | None = None
    period: str = ""
    filing: str = ""
    reason: str | None = None
    sources: tuple[Source, ...] = ()
    failed_checks: tuple[str, ...] = ()
    formula: str | None = None
    operands: tuple[Operand, ...] = ()
    nearest: str = ""
    nearest_passages: tuple[Source, ...] = ()
    neighbours: tuple[Neighbour, ...] = ()
    remark: str = ""
    companies_to_choose_from: tuple[str, ...] = ()
    parts: tuple["FoundAnswer", ...] = ()

    @classmethod
    def of(cls, answer: Answer) -> "FoundAnswer":
        """An answer without what a model does not need."""
        near = answer.nearest
        return cls(
            question=answer.question,
            company=answer.company,
            kind=answer.kind,
            value=answer.value,
            text=answer.value_text,
            unit=answer.unit,
            period=answer.period,
            filing=answer.filing,
            reason=answer.reason,
            sources=tuple(map(Source.of, answer.citations)),
            failed_checks=tuple(f"{c.name}: {c.detail}" for c in answer.checks if c.verdict == "failed"),
            formula=answer.formula,
            operands=tuple(
                Operand(name=o.name, value=o.value, source=Source.of(o.citation)) for o in answer.operands
            ),
            nearest=f"{grouped(near.value)}, page {near.page}, “{near.quote}”: {near.detail}" if near else "",
            nearest_passages=tuple(Source.of(near.citation) for near in answer.nearest_passages),
            neighbours=answer.neighbours,
            remark=answer.remark,
            companies_to_choose_from=answer.candidates,
            parts=tuple(map(cls.of, answer.parts)),
        )


class Compared(Record):
    """One answer for each company, in the order they were named; of all companies, the highest figure first.

    Attributes:
        highest, lowest: companies; empty where the figures are in several currencies, or fewer than two.
        without: companies of the library for which the figure was not found.
    """

    answers: tuple[FoundAnswer, ...]
    highest: str = ""
    lowest: str = ""
    without: tuple[str, ...] = ()

    @classmethod
    def of(cls, answers: Sequence[Answer], *, ranked: bool) -> "Compared":
        """Answers of companies; `ranked` by their figures."""
        found = sorted((a for a in answers if isinstance(a.value, float)), key=lambda a: -float(str(a.value)))
        units = {(a.unit.currency, a.unit.measure) if a.unit else None for a in found}
        is_one = len(found) > 1 and len(units) == 1
        missing = [a for a in answers if not isinstance(a.value, float)]
        shown = (found if is_one else [a for a in answers if isinstance(a.value, float)]) if ranked else answers
        return cls(
            answers=tuple(map(FoundAnswer.of, shown)),
            highest=(found[0].company or "") if is_one else "",
            lowest=(found[-1].company or "") if is_one else "",
            without=tuple(a.company or "" for a in missing),
        )


class KnownReport(Record):
    """A report."""

    report_sha1: str
    file: str
    type: str | None
    period_end: str | None
    fiscal_year: int | None
    currency: str | None
    pages: int


class KnownCompany(Record):
    """A company and its reports, newest first."""

    name: str
    reports: tuple[KnownReport, ...]


class KnownCompanies(Record):
    """The companies of the library; `more` are not listed."""

    companies: tuple[KnownCompany, ...]
    more: int = 0


class Figure(Record):
    """One value of one metric for one period, in full units, and where it is printed."""

    company: str
    metric: str
    period: str
    value: float
    unit: str
    row: str
    file: str
    report_sha1: str
    page: int
    confidence: str

    @classmethod
    def of(cls, row: FactRow) -> "Figure":
        """A row of the fact table."""
        return cls(
            company=row.company,
            metric=row.title,
            period=row.label,
            value=row.value,
            unit=row.unit,
            row=row.row_label,
            file=row.file,
            report_sha1=row.report_sha1,
            page=row.page,
            confidence=row.confidence,
        )


class Figures(Record):
    """Figures; `more` are not listed."""

    figures: tuple[Figure, ...]
    more: int = 0


class FoundPages(Record):
    """Pages for a question, best first."""

    pages: tuple[PagePlace, ...]


class ReadPage(Record):
    """A page's text and tables as Markdown; `more` characters are left out."""

    file: str
    page: int
    section: tuple[str, ...]
    text: str
    more: int = 0


class _Tools(FastMCP):
    """Tools whose errors are one line, without what was sent."""

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> Any:
        """Call a tool.

        Raises:
            ToolError: it cannot be called so, or has no result; the message says why.
        """
        try:
            check_sound(arguments)
            arguments = {_OLDER_NAMES.get((name, key), key): value for key, value in arguments.items()}
            known = [
                key
                for tool in await self.list_tools()
                if tool.name == name
                for key in tool.inputSchema["properties"]
            ]
            if known and (unknown := [key for key in arguments if key not in known]):
                raise ToolError(f"{unknown[0][:40]!r} is not known here; expected {', '.join(known)}")
            return await super().call_tool(name, arguments)
        except (ToolError, Unsound) as error:
            raise ToolError(_why(error)) from None


_OLDER_NAMES = {("facts", "years"): "last_years"} | {
    (tool, name): "report_sha1" for tool in ("read_page", "page_image") for name in ("file", "report")
}
# What arguments of tools were called before, or are called by mistake, and their names.


def _why(error: Exception) -> str:
    cause = error.__cause__
    if isinstance(cause, ValidationError):
        return problems_of(cause.errors())
    if isinstance(cause, PageproofError) or cause is None:
        return " ".join(str(cause or error).split())
    reference = note_defect(logger, "a tool failed", cause)
    return f"something went wrong in Pageproof itself; the log has the details under reference {reference}"


def build_mcp(service: Service) -> FastMCP:
    """A server with all tools, over whatever transport."""
    with _same_logging():
        server = _Tools(
            "pageproof",
            instructions=_INSTRUCTIONS,
            log_level="ERROR",
            stateless_http=True,
            json_response=True,
            streamable_http_path="/",
            transport_security=TransportSecuritySettings(
                enable_dns_rebinding_protection=False
            ),  # ours stands before it
        )
    server._mcp_server.version = metadata.version("pageproof")  # FastMCP takes none, and says its own
    _add_answers(server, service)
    _add_library(server, service)
    _add_prompts(server)
    return server


@contextmanager
def _same_logging() -> Iterator[None]:
    """Leave the log of the process as it is, for all but MCP's package.

    FastMCP's own handler imports modules when it writes an error.
    """
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    root.addFilter(_place_alone.of_root)
    logging.getLogger("mcp").addHandler(_place_alone)


class _PlaceAlone(logging.Handler):
    """Leaves of what MCP's package has to log the place and the kind: its messages repeat what came."""

    def emit(self, record: logging.LogRecord) -> None:
        """Take the rest out of a record, before a handler of the process writes it."""
        kind = record.exc_info[0] if record.exc_info else None
        what = f"{kind.__module__}.{kind.__qualname__}" if kind else "what came has not its form"
        record.msg, record.args = f"MCP, {record.module} line {record.lineno}: {what}", ()
        record.exc_info = record.exc_text = record.stack_info = None

    def of_root(self, record: logging.LogRecord) -> bool:
        """The same for what the package logs under no name; whatever it is, it is written."""
        if Path(record.pathname).is_relative_to(_MCP):
            self.handle(record)
        return True


_MCP = Path(mcp.__file__).parent
_place_alone = _PlaceAlone()


def mcp_over_http(service: Service) -> tuple[ASGIApp, Callable[[], AbstractAsyncContextManager[None]]]:
    """MCP as an application over streamable HTTP, and what must run around it."""
    server = build_mcp(service)
    server.streamable_http_app()  # makes the session manager

    async def answered(scope: Scope, receive: Receive, send: Send) -> None:
        await server.session_manager.handle_request(scope, receive, send)

    @asynccontextmanager
    async def running() -> AsyncIterator[None]:
        async with server.session_manager.run():
            yield

    return answered, running


AskedText = Annotated[Text, Field(description="One question in plain words, with its year.")]
OfCompany = Annotated[CompanyName | None, Field(description="The company, where the question does not name it.")]
ItsName = Annotated[CompanyName, Field(description="Its name.")]
OfReport = Annotated[
    ReportName, Field(description="The report: its file name or its SHA-1, as a source has them.")
]
_LONGEST_PERIOD, _LONGEST_PAGE = 100, 7


def _add_answers(server: FastMCP, service: Service) -> None:
    @server.tool(annotations=_READS)
    async def ask(
        question: AskedText,
        ctx: Who,
        company: OfCompany = None,
        kind: Annotated[AnswerKind | None, Field(description="Where the question does not say it.")] = None,
    ) -> Annotated[CallToolResult, FoundAnswer]:
        """Answer one question from the reports: a figure, a name, names, yes or no, or a short text, with its pages."""
        asked = AskBody(question=question, company=company, kind=kind).asked
        return _result(await service.ask(_caller(ctx), asked))

    @server.tool(annotations=_READS)
    async def derive(
        figure: Annotated[CompanyName, Field(description="Such as 'gross margin', 'CAGR of revenue since 2019'.")],
        company: ItsName,
        ctx: Who,
        period: Annotated[
            str,
            Field(description="Such as '2023' or 'Q2 2024'; empty for the latest.", max_length=_LONGEST_PERIOD),
        ] = "",
    ) -> Annotated[CallToolResult, FoundAnswer]:
        """A ratio, margin, growth or other calculated figure, with its formula and each operand's page."""
        text = f"What was the {figure}" + (f" in {period}?" if period else "?")
        return _result(
            await service.ask(_caller(ctx), Question(text=text, kind="number", company=company), derived=True)
        )

    @server.tool(annotations=_READS)
    async def compare(
        figure: Annotated[CompanyName, Field(description="What to compare, such as 'total assets'.")],
        ctx: Who,
        companies: Annotated[
            list[CompanyName] | None,
            Field(min_length=2, max_length=_MOST_COMPANIES, description="Which; none for all of the library."),
        ] = None,
        period: Annotated[
            str, Field(description="Such as '2023'; empty for each one's latest.", max_length=_LONGEST_PERIOD)
        ] = "",
    ) -> Annotated[CallToolResult, Compared]:
        """The same figure of several companies, or of all, each with its page, and which is highest and lowest.

        Mind their currencies and periods.
        """
        caller = _caller(ctx)
        named = companies or [company.name for company in await service.companies(caller)]
        if len(named) > _MOST_ASKED:
            raise UsageError(f"the library has {len(named):,} companies; name at most {_MOST_COMPANIES} of them")
        text = f"What was the {figure}" + (f" in {period}?" if period else "?")
        answers = [
            await service.ask(caller, Question(text=text, kind="number", company=name), derived=True)
            for name in named
        ]
        compared = Compared.of(answers, ranked=companies is None)
        kept = {found.company for found in compared.answers[:_MOST_COMPANIES]}
        shown = [answer_text(answer) for answer in answers if companies or answer.company in kept]
        if compared.highest:
            shown.append(f"highest: {compared.highest}; lowest: {compared.lowest}")
        if compared.without:
            shown.append(f"not found for: {'; '.join(compared.without[:_MOST_ROWS])}")
        return _with_text(
            "\n\n".join(shown), compared.model_copy(update={"answers": compared.answers[:_MOST_COMPANIES]})
        )


def _add_library(server: FastMCP, service: Service) -> None:
    @server.tool(annotations=_READS)
    async def companies(
        ctx: Who,
        name: Annotated[
            str, Field(description="Only names with these words; empty for all.", max_length=LONGEST_COMPANY)
        ] = "",
    ) -> Annotated[CallToolResult, KnownCompanies]:
        """The companies whose reports are here, and their reports."""
        words = name.casefold().split()
        known = [c for c in await service.companies(_caller(ctx)) if all(w in c.name.casefold() for w in words)]
        shown = tuple(
            KnownCompany(
                name=company.name,
                reports=tuple(
                    KnownReport(
                        report_sha1=report.sha1,
                        file=report.file,
                        type=report.filing.type,
                        period_end=report.period_end.isoformat() if report.period_end else None,
                        fiscal_year=report.fiscal_year,
                        currency=report.currency,
                        pages=report.page_count,
                    )
                    for report in company.reports
                ),
            )
            for company in known[:_MOST_ROWS]
        )
        text = "\n".join(
            f"{c.name}: {'; '.join(f'{r.file} ({r.pages} pages, SHA-1 {r.report_sha1})' for r in c.reports)}"
            for c in shown
        )
        text = text or "none"
        return _with_text(text, KnownCompanies(companies=shown, more=max(0, len(known) - _MOST_ROWS)))

    @server.tool(annotations=_READS)
    async def facts(
        company: ItsName,
        ctx: Who,
        metrics: Annotated[Names | None, Field(description="Such as 'revenue'; none for all.")] = None,
        last_years: Annotated[Years | None, Field(description="Only the last so many fiscal years.")] = None,
    ) -> Annotated[CallToolResult, Figures]:
        """The figures that were read from a company's reports: metrics by period, each with its page."""
        async with service.client(_caller(ctx)) as client:
            sheet = await asyncio.to_thread(client.library.fact_sheet, [company], metrics or ())
        sheet = sheet if last_years is None else sheet.of_last(last_years)
        rows = [row for group in sheet.by_metric() for row in group]
        shown = tuple(map(Figure.of, rows[:_MOST_ROWS]))
        text = "\n".join(
            f"{f.metric}, {f.period}: {grouped(f.value)} {f.unit} ({f.file}, page {f.page})" for f in shown
        )
        return _with_text(text or "none", Figures(figures=shown, more=max(0, len(rows) - _MOST_ROWS)))

    @server.tool(annotations=_READS)
    async def find_pages(question: AskedText, company: ItsName, ctx: Who) -> Annotated[CallToolResult, FoundPages]:
        """The pages of a company's reports for a question, best first; read them with `read_page`."""
        places = await service.find_pages(_caller(ctx), question, company)
        text = "\n".join(f"{place.file}, page {place.page}" for place in places) or "none"
        return _with_text(text, FoundPages(pages=places))

    @server.tool(annotations=_READS)
    async def read_page(report_sha1: OfReport, page: PageNumber, ctx: Who) -> Annotated[CallToolResult, ReadPage]:
        """A page's text, with its tables as Markdown."""
        found = await service.page(_caller(ctx), report_sha1, page)
        more = max(0, len(found.text) - _MOST_TEXT)
        shown = ReadPage(
            file=found.file, page=page, section=found.section, text=found.text[:_MOST_TEXT], more=more
        )
        return _with_text(shown.text, shown)

    @server.tool(annotations=_READS, structured_output=False)
    async def page_image(
        report_sha1: OfReport,
        page: PageNumber,
        ctx: Who,
        boxes: Annotated[Boxes, Field(description="To mark, from a source: left,top,right,bottom;…")] = "",
    ) -> Image:
        """A page as a picture, with the places of a citation marked."""
        png = await service.picture(_caller(ctx), report_sha1, page, read_boxes(boxes))
        return Image(data=png, format="png")

    @server.resource(
        "pageproof://reports/{report_sha1}/pages/{page}", mime_type="text/markdown", name="page of a report"
    )
    async def page(report_sha1: str, page: str) -> str:
        """A page's text, with its tables as Markdown."""
        if not (page.isascii() and page.isdigit() and len(page) <= _LONGEST_PAGE):
            raise UsageError(f"page {page[:20]!r} is no number of a page")
        return (await service.page(_caller(server.get_context()), report_sha1, int(page))).text


def _add_prompts(server: FastMCP) -> None:
    @server.prompt(title="A figure with its proof")
    def cited_figure(company: CompanyName, figure: CompanyName, period: CompanyName) -> str:
        """Find a figure and show where it is printed."""
        return (
            f"Find {company}'s {figure} for {period} with the tool `ask`. Give the value with its unit, the file and "
            "the page, and the printed row. Then show the page with `page_image` and its boxes. If the value is N/A, "
            "give the reason and the nearest figure, and do not estimate."
        )

    @server.prompt(title="Companies side by side")
    def peer_table(companies: Text, figures: Text, period: CompanyName) -> str:
        """A table of several figures of several companies."""
        return (
            f"Make a table for {period}: a row for each of {companies}, a column for each of {figures}. Fill each "
            "column with one call of `compare`. Give currencies and period ends, leave N/A as it is, and list file "
            "and page of every cell below the table."
        )

    @server.prompt(title="What a report says about a topic")
    def topic(company: CompanyName, about: Text) -> str:
        """Read the pages about a topic and summarise them with pages."""
        return (
            f"Find what {company} reports about {about}: call `find_pages`, read the best pages with `read_page`, and "
            "sum up in at most eight sentences. End each sentence with the file and page that it rests on."
        )


def _caller(ctx: Who) -> Caller:
    """Who calls a tool: over HTTP as the request was let in, over stdio whoever started the program."""
    request = ctx.request_context.request
    caller = getattr(request.state, "caller", None) if isinstance(request, Request) else Caller()
    if not isinstance(caller, Caller):
        raise TypeError("a request came in past the door")
    return caller


def _result(answer: Answer) -> CallToolResult:
    return _with_text(answer_text(answer), FoundAnswer.of(answer))


def _with_text(text: str, found: Record) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structuredContent=found.model_dump(mode="json")
    )
