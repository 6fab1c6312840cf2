"""Routes to the library: companies, reports, facts, pages and their pictures."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path as FilePath
from typing import Annotated, Any, Literal, TypeVar

from fastapi import APIRouter, Depends, HTTPException, Path, Query, Request, UploadFile
from fastapi.responses import FileResponse, Response
from pydantic import Field

from app.chat.uploads.uploads import shown_name
from app.files.figure_tables import Source, cited_source, grid_book, grid_rows
from app.library.fact_files import write_facts
from app.library.fact_sheet import FactSheet, Place
from app.page_pictures import read_boxes
from app.recording.run_views import RunSummary, SeenRun
from app.serving.access import caller_of
from app.serving.bodies import (
    Boxes,
    CompanyBody,
    CorrectBody,
    Grid,
    Names,
    PageBody,
    PageNumber,
    ReportBody,
    ReportName,
    UploadBody,
    Years,
)
from app.serving.service import Caller, Service
from storage.errors import DocumentError
from storage.records.answers import Citation

P = TypeVar("P", bound=Place)
Who = Annotated[Caller, Depends(caller_of)]
Documented = dict[int | str, dict[str, Any]]
_PDF: Documented = {200: {"content": {"application/pdf": {}}, "description": "The PDF."}}
_PNG: Documented = {200: {"content": {"image/png": {}}, "description": "The picture."}}
_CACHED = {"Cache-Control": "private, max-age=86400, immutable", "Vary": "Authorization"}
_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
_SHEET: Documented = {
    200: {"content": {kind.split(";")[0]: {} for kind in _TYPES.values()}, "description": "The table."}
}


def writer_of(caller: Who) -> Caller:
    """A caller who may change the library."""
    if not caller.writes:
        raise HTTPException(403, "this token only reads")
    return caller


Writer = Annotated[Caller, Depends(writer_of)]
SomeNames = Annotated[Names, Query(min_length=1)]
AnyNames = Annotated[Names | None, Query()]
LastYears = Annotated[Years | None, Query(description="Only the last so many fiscal years.")]
OlderName = Annotated[Years | None, Query(deprecated=True, description="The older name of `last_years`.")]
InYears = Annotated[list[Annotated[int, Field(ge=1900, le=2100)]] | None, Query(max_length=100)]


def periods_of(
    year: InYears = None, last_years: LastYears = None, years: OlderName = None
) -> tuple[Sequence[int], int | None]:
    """The years that are asked for, and how many of the last ones."""
    return year or (), last_years or years


Periods = Annotated[tuple[Sequence[int], int | None], Depends(periods_of)]


def library_routes(service: Service) -> APIRouter:
    """The routes to companies and facts, under `/v1`."""
    routes = APIRouter(tags=["library"])

    @routes.get("/companies")
    async def companies(caller: Who) -> tuple[CompanyBody, ...]:
        """Every company with its reports, newest first."""
        return tuple(map(CompanyBody.of, await service.companies(caller)))

    @routes.get("/facts")
    async def facts(
        request: Request,
        caller: Who,
        periods: Periods,
        company: AnyNames = None,
        metric: AnyNames = None,
    ) -> FactSheet:
        """The fact table of some companies, or of all: each value with its page."""
        return await _facts(service, caller, company, metric, periods, request)

    @routes.get("/facts.{form}", response_class=Response, responses=_SHEET)
    async def fact_file(
        form: Literal["csv", "xlsx"],
        request: Request,
        caller: Who,
        periods: Periods,
        company: AnyNames = None,
        metric: AnyNames = None,
    ) -> Response:
        """The same as a file for a spreadsheet."""
        sheet = await _facts(service, caller, company, metric, periods, request)
        content = await asyncio.to_thread(_written, sheet, form)
        headers = {"Content-Disposition": f'attachment; filename="facts.{form}"'}
        return Response(content, media_type=_TYPES[form], headers=headers)

    return routes


def grid_routes(service: Service) -> APIRouter:
    """The routes to grids of figures, under `/v1`."""
    routes = APIRouter(tags=["questions"])

    @routes.get("/grid")
    async def grid(caller: Who, company: SomeNames, metric: SomeNames, year: InYears = None) -> Grid:
        """Figures of companies by metrics and years, each with its page; without years the newest."""
        return await service.grid(caller, company, metric, year or ())

    @routes.get("/grid.{form}", response_class=Response, responses=_SHEET)
    async def grid_file(
        form: Literal["csv", "xlsx"],
        request: Request,
        caller: Who,
        company: SomeNames,
        metric: SomeNames,
        year: InYears = None,
    ) -> Response:
        """The same as a file: CSV with a row for each figure, XLSX with a table whose cells open their pages."""
        found = await service.grid(caller, company, metric, year or ())
        address = _reports_of(request)
        write = grid_rows if form == "csv" else grid_book
        async with service.client(caller) as client:

            def source_of(citation: Citation) -> Source:
                link = f"{address}/{citation.report_sha1}/pdf#page={citation.page}"
                return cited_source(citation, client.report(citation.report_sha1), link)

            content = await asyncio.to_thread(write, found.as_answer, source_of)
        headers = {"Content-Disposition": f'attachment; filename="grid.{form}"'}
        return Response(content, media_type=_TYPES[form], headers=headers)

    return routes


def report_routes(service: Service) -> APIRouter:
    """The routes to reports and to PDFs that are sent, under `/v1`."""
    routes = APIRouter(tags=["library"])

    @routes.get("/reports/{name}")
    async def report(name: ReportName, caller: Who) -> ReportBody:
        """What is known of a report."""
        return ReportBody.of(await service.report(caller, name))

    @routes.post("/reports", status_code=202)
    async def send(file: UploadFile, caller: Writer, response: Response) -> UploadBody:
        """Send a PDF. It is read in the background; the address in the header `Location` tells how far it is."""
        _check_uploads(service, caller)
        name = shown_name(file.filename)
        async with _stored(file) as path:
            upload, _ = await service.uploads.take(path, name, service.key(caller))
        response.headers["Location"] = f"/v1/uploads/{upload.received.sha1}"
        return UploadBody.of_upload(upload)

    @routes.get("/uploads")
    async def uploads(caller: Who) -> tuple[UploadBody, ...]:
        """The PDFs that this caller sent since the server began, the oldest first."""
        return tuple(map(UploadBody.of_upload, service.uploads.of(caller.owner)))

    @routes.get("/uploads/{name}")
    async def upload(name: ReportName, caller: Who) -> UploadBody:
        """How far a PDF is."""
        return UploadBody.of_upload(service.upload(caller, name))

    @routes.delete("/uploads/{name}", status_code=204)
    async def stop(name: ReportName, caller: Writer) -> Response:
        """Stop reading a PDF, and keep nothing of it; one that is in the library stays there."""
        await service.uploads.forget(caller.owner, service.upload(caller, name).received.sha1)
        return Response(status_code=204)

    @routes.patch("/reports/{name}")
    async def correct(name: ReportName, body: CorrectBody, caller: Writer) -> ReportBody:
        """Put company, currency or period of a report right."""
        sha1 = (await service.report(caller, name)).sha1
        async with service.client_to_change(caller, sha1) as client:
            changes = body.model_dump(exclude_none=True)
            corrected = await asyncio.to_thread(lambda: client.library.correct(sha1, **changes))
        return ReportBody.of(corrected)

    @routes.delete("/reports/{name}", status_code=204)
    async def remove(name: ReportName, caller: Writer) -> Response:
        """Take a report out of the library, with everything that was made of it."""
        sha1 = (await service.report(caller, name)).sha1
        async with service.client_to_change(caller, sha1) as client:
            await asyncio.to_thread(client.library.remove, sha1)
        return Response(status_code=204)

    return routes


def page_routes(service: Service) -> APIRouter:
    """The routes to pages and runs, under `/v1`."""
    routes = APIRouter(tags=["library"])

    @routes.get("/reports/{name}/pdf", response_class=FileResponse, responses=_PDF)
    async def pdf(name: ReportName, caller: Who) -> FileResponse:
        """A report's PDF."""
        known = await service.report(caller, name)
        async with service.client(caller) as client:
            path = client.pdf(known.sha1)
        if not path.is_file():
            raise DocumentError(f"the PDF of {known.file!r} is missing: ingest it again")
        return FileResponse(path, media_type="application/pdf", filename=known.file, headers=_CACHED)

    @routes.get("/reports/{name}/pages/{page}")
    async def page(name: ReportName, page: PageNumber, caller: Who) -> PageBody:
        """A page's text and tables as Markdown. `page` is 1-based."""
        return await service.page(caller, name, page)

    @routes.get(
        "/reports/{name}/pages/{page}/picture",
        response_class=Response,
        responses=_PNG,
    )
    async def picture(name: ReportName, page: PageNumber, caller: Who, boxes: Boxes = "") -> Response:
        """A page as PNG; `boxes` are marked: left,top,right,bottom in points, with semicolons between several."""
        png = await service.picture(caller, name, page, read_boxes(boxes))
        return Response(png, media_type="image/png", headers=_CACHED)

    @routes.get("/runs")
    async def runs(caller: Who) -> tuple[RunSummary, ...]:
        """What was asked of the library, run by run, the latest first."""
        return await service.runs(caller)

    @routes.get("/runs/{run_id}")
    async def run(run_id: Annotated[str, Path(max_length=64)], caller: Who) -> SeenRun:
        """The questions of one run."""
        return await service.run(caller, run_id)

    return routes


def _check_uploads(service: Service, caller: Caller) -> None:
    """See that a caller may send one more file, by the same settings as in the chat."""
    options = service.uploads.options
    if not options.uploads:
        raise HTTPException(403, "files are not taken here: reports are added with `pageproof ingest`")
    if wait := service.uploads.seconds_to_wait(caller.name):
        message = f"{options.uploads_per_hour} files an hour are taken from one person"
        raise HTTPException(429, message, headers={"Retry-After": str(int(wait) + 1)})


async def _facts(
    service: Service,
    caller: Caller,
    companies: list[str] | None,
    metrics: list[str] | None,
    periods: tuple[Sequence[int], int | None],
    request: Request,
) -> FactSheet:
    """The facts, of some years or of the last so many, whose links lead to this server instead of its files."""
    years, last = periods
    async with service.client(caller) as client:
        sheet = await asyncio.to_thread(client.library.fact_sheet, companies or (), metrics or ())
    sheet = sheet.of_years(years) if years else sheet
    sheet = sheet if last is None else sheet.of_last(last)
    base = _reports_of(request)

    def linked(place: P) -> P:
        return place.model_copy(update={"link": f"{base}/{place.report_sha1}/pdf#page={place.page}"})

    return sheet.model_copy(
        update={
            "facts": tuple(map(linked, sheet.facts)),
            "officers": tuple(map(linked, sheet.officers)),
            "events": tuple(map(linked, sheet.events)),
        }
    )


def _reports_of(request: Request) -> str:
    """The address of this server's reports."""
    return f"{request.url.scheme}://{request.headers['host']}/v1/reports"


def _written(sheet: FactSheet, form: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = FilePath(folder) / f"facts.{form}"
        write_facts(sheet, path)
        return path.read_bytes()


@asynccontextmanager
async def _stored(file: UploadFile) -> AsyncIterator[FilePath]:
    """The file that was sent, on the disk."""
    handle, name = tempfile.mkstemp(suffix=".pdf")
    path = FilePath(name)
    try:
        with os.fdopen(handle, "wb") as target:
            await asyncio.to_thread(shutil.copyfileobj, file.file, target, 1 << 20)
        yield path
    finally:
        path.unlink(missing_ok=True)
