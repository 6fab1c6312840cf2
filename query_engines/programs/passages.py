"""A passage of a page as evidence that holds no figure."""

from prompts.drafts import Evidence
from query_engines.quotes import locate
from storage.pages import Page


def passage(page: Page, *quotes: str) -> Evidence:
    """The first of the quotes that stands on the page, shortened at its end where only its beginning does."""
    tried = [cut for quote in quotes for cut in (quote, quote.rpartition(" ")[0])]
    quote = next((q for q in tried if q and locate(q, page) is not None), quotes[0])
    return Evidence(
        page=page.page_number, quote=quote, printed_figure=None, scale=None, currency=None, period=None
    )
