"""Reports for who reads them: their pages as pictures and as text, a search, and the pane as a page of its own."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from chainlit.auth import get_current_user
from chainlit.user import User
from fastapi import Depends, FastAPI, HTTPException, Query, Request
from fastapi import Path as InPath
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, Response

from app.chat.cards.links import report_name
from app.chat.session.client_pool import ChatClient
from app.chat.session.sign_in import owner_of
from app.library.report_text import LONGEST_SEARCH, Hits, PageText, ReportTexts
from app.page_pictures import (
    PIXELS_PER_POINT,
    RECENT_BYTES,
    ZOOM_LEVELS,
    DrawingBusy,
    PagePictures,
    RecentPictures,
    SafeDrawing,
    read_boxes,
)
from storage.errors import DocumentError, SetupError, UsageError
from storage.files import file_stamp
from storage.paths import DataPaths
from storage.records.record import Record
from storage.records.reports import Report
from storage.stores.library import Library
from storage.stores.pages import StampedCache

# A report's bytes never change under its SHA-1. Who signs in next at this browser may not have it: another cookie.
_CACHED = {"Cache-Control": "private, max-age=86400, immutable"}
_CACHED_PRIVATELY = {**_CACHED, "Vary": "Cookie"}
_FRESH = {"Cache-Control": "private, no-cache", "Vary": "Cookie"}  # what is read of a report does change
_VIEW = Path(__file__).parent / "files" / "view.html"
_SIZES_HELD = 200_000  # pages whose sizes are in memory


class Heading(Record):
    """A section in a report's contents. `level` is 1 for its large parts."""

    title: str
    level: int
    page: int


class About(Record):
    """What the pane must know of a report before it shows a page.

    Attributes:
        title: the company and the year.
        pages: width and height of each page in points, as displayed.
        printed: the number that each page prints, "" where it is unknown or the page's own.
        levels: the pixels per point that pages are drawn with.
    """

    title: str
    file: str
    pages: tuple[tuple[float, float], ...]
    printed: tuple[str, ...] = ()
    levels: tuple[float, ...] = ZOOM_LEVELS
    contents: tuple[Heading, ...] = ()


@dataclass(frozen=True)
class FoundReport:
    """A report and the data root that keeps it; `own` where it is one person's."""

    report: Report
    paths: DataPaths
    own: bool

    @property
    def pdf(self) -> Path:
        """Its PDF, which may be missing."""
        return self.paths.report_pdf(self.report.sha1)

    @property
    def cached(self) -> dict[str, str]:
        """Headers that let its reader's browser store what never changes."""
        return _CACHED_PRIVATELY if self.own else _CACHED


class ReportHomes:
    """Looks reports up in the shared library and in the asking person's own, never in another's."""

    def __init__(self, shared: ChatClient) -> None:
        self._shared = shared

    def find(self, sha1: str, owner: str | None) -> FoundReport | None:
        """The report, or None where this person has none with this SHA-1."""
        report = self._shared.report(sha1)
        if report is not None:
            return FoundReport(report=report, paths=self._shared.paths, own=False)
        if owner is None:
            return None
        paths = self._shared.paths.of_owner(owner)
        own = Library(paths.catalog).report(sha1) if paths.catalog.exists() else None  # looking makes no file
        return FoundReport(report=own, paths=paths, own=True) if own else None


class _Reading:
    """Draws, measures and searches reports. What is drawn or read is bounded, whoever asks for however much."""

    def __init__(self) -> None:
        self._drawing, self._recent = SafeDrawing(), RecentPictures(RECENT_BYTES)
        self._sizes: StampedCache[Path, tuple[tuple[float, float], ...]] = StampedCache(_SIZES_HELD)
        self.texts = ReportTexts()

    def picture(self, found: FoundReport, page: int, boxes: str, scale: float, person: str | None) -> bytes:
        """A page as PNG.

        Raises:
            HTTPException: the page is not there, or the boxes or the scale are none.
        """
        try:
            marks = read_boxes(boxes)
        except UsageError as error:
            raise HTTPException(400, str(error)) from error
        if scale not in ZOOM_LEVELS:
            raise HTTPException(400, f"a page is not drawn at scale {scale:g}")
        pictures = PagePictures(found.paths, self._drawing.of(person), self._recent)
        try:
            return pictures.png(found.report.sha1, page, marks, scale)
        except UsageError as error:
            raise HTTPException(404, str(error)) from error

    def about(self, found: FoundReport, person: str | None) -> About:
        """What the pane must know of a report."""
        stamp = file_stamp(found.pdf)
        sizes = self._sizes.get(found.pdf, stamp)
        if sizes is None:
            sizes = self._drawing.sizes(found.pdf, person)
            self._sizes.put(found.pdf, stamp, sizes, len(sizes))
        sha1, count = found.report.sha1, len(sizes)
        contents = self.texts.contents(found.paths, sha1)
        return About(
            title=report_name(found.report) or found.report.file,
            file=found.report.file,
            pages=sizes,
            printed=tuple(self.texts.printed(found.paths, sha1, page, count) for page in range(1, count + 1)),
            contents=tuple(
                Heading(title=section.named, level=section.level, page=section.first_page) for section in contents
            ),
        )


_Known = Callable[[str, User | None], FoundReport]
_Person = Annotated[User | None, Depends(get_current_user)]


def report_pages(client: ChatClient) -> FastAPI:
    """The routes below `/report/`. A report is found through the catalog: no path comes out of an address."""
    app = FastAPI(openapi_url=None)
    reading, known = _Reading(), _known(ReportHomes(client))
    _add_files(app, reading, known)
    _add_words(app, reading, known)

    @app.get("/report/{sha1}/view")
    def view(sha1: str) -> Response:
        del sha1  # the page itself is the same for every report, also for what is none; what it shows is asked for
        return HTMLResponse(_VIEW.read_text(encoding="utf-8"), headers={"Cache-Control": "no-cache"})

    @app.exception_handler(DrawingBusy)
    def busy(_: Request, error: DrawingBusy) -> Response:
        return JSONResponse({"detail": str(error)}, status_code=503, headers={"Retry-After": "1"})

    @app.exception_handler(DocumentError)
    def unreadable(_: Request, error: DocumentError) -> Response:
        return JSONResponse({"detail": str(error)}, status_code=500)

    return app


def _add_files(app: FastAPI, reading: _Reading, known: _Known) -> None:
    """Pages as pictures, and the PDF."""

    @app.get("/report/{sha1}/{page}.png")
    def picture(
        found: Annotated[FoundReport, Depends(known)],
        page: int,
        user: _Person,
        boxes: Annotated[str, Query(max_length=4000)] = "",
        scale: float = PIXELS_PER_POINT,
    ) -> Response:
        png = reading.picture(found, page, boxes, scale, owner_of(user))
        return Response(png, media_type="image/png", headers=found.cached)

    @app.get("/report/{sha1}.pdf")
    def pdf(found: Annotated[FoundReport, Depends(known)]) -> Response:
        if not found.pdf.is_file():
            raise DocumentError(f"the PDF of {found.report.file!r} is missing: ingest it again")
        return FileResponse(
            found.pdf,
            media_type="application/pdf",
            filename=found.report.file,
            content_disposition_type="inline",
            headers=found.cached,
        )


def _add_words(app: FastAPI, reading: _Reading, known: _Known) -> None:
    """What a report says: its contents, the words of a page, and a search in them."""

    @app.get("/report/{sha1}/about")
    def about(found: Annotated[FoundReport, Depends(known)], response: Response, user: _Person) -> About:
        response.headers.update(_FRESH)
        return reading.about(found, owner_of(user))

    @app.get("/report/{sha1}/{page}/text")
    def text(
        found: Annotated[FoundReport, Depends(known)], page: Annotated[int, InPath(ge=1)], response: Response
    ) -> PageText:
        response.headers.update(_FRESH)
        return reading.texts.page(found.paths, found.report.sha1, page)

    @app.get("/report/{sha1}/find")
    def find(
        found: Annotated[FoundReport, Depends(known)],
        words: Annotated[str, Query(max_length=LONGEST_SEARCH)],
        response: Response,
    ) -> Hits:
        response.headers.update(_FRESH)
        try:
            return reading.texts.find(found.paths, found.report.sha1, words)
        except SetupError as error:
            raise HTTPException(404, str(error)) from error


def _known(homes: ReportHomes) -> _Known:
    def known(sha1: str, user: _Person) -> FoundReport:
        found = homes.find(sha1, owner_of(user))
        if found is None:
            raise HTTPException(404, f"no report {sha1!r} in this library")
        return found

    return known
