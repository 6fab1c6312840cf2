"""The settings panel: its fields, worded, with what each offers. No Chainlit here."""

from collections.abc import Sequence

from pydantic import Field

from app.chat.choices import AUTOMATIC, MOST_PAGES, Choices, reranks
from app.chat.profile_offers import ProfileOffer
from app.privacy import privacy
from app.settings import Settings
from storage.record import Record

_KINDS = {
    "Automatic": AUTOMATIC,
    "Number": "number",
    "Yes or no": "boolean",
    "Name": "name",
    "Names": "names",
    "Comparison": "comparative",
    "Text": "text",
}
_RERANKS = {
    "none": "None",
    "lexical": "Rows and words, no model",
    "llm": "The model judges each page",
    "cross_encoder": "Cross-encoder",
    "jina": "Jina",
}
_MODES = {
    "By meaning": "vector",
    "By words": "bm25",
    "Both": "hybrid",
    "No search: read the whole report": "full_report",
}
_STRICTNESS = {"Strict: only what is printed": "strict", "Analyst: may calculate, and says so": "analyst"}


class PanelField(Record):
    """One field: a choice among `items` (shown text to value), a range up to `high`, or else a text."""

    id: str
    label: str
    initial: str | int
    description: str
    items: dict[str, str] = Field(default_factory=dict)
    high: int = 0


class Tab(Record):
    """Fields that stand together."""

    id: str
    label: str
    fields: tuple[PanelField, ...]


def panel(
    choices: Choices, settings: Settings, hosts: tuple[str, ...], offers: Sequence[ProfileOffer]
) -> tuple[Tab, ...]:
    """The panel as it stands for these choices.

    Args:
        choices: what is chosen now.
        settings: the chosen profile's own.
        hosts: where text is sent to under these choices.
        offers: the profiles to choose from.
    """
    profile = PanelField(
        id="profile",
        label="Profile",
        initial=choices.profile,
        description=privacy(hosts),
        items={_told(offer): offer.name for offer in offers},
    )
    model = PanelField(
        id="model", label="Model", initial=choices.model, description="The name that its provider uses."
    )
    kind = PanelField(
        id="kind",
        label="Kind of answer",
        initial=choices.kind or AUTOMATIC,
        description="Automatic goes by the wording of each question.",
        items=_KINDS,
    )
    strictness = PanelField(
        id="strictness",
        label="Strictness",
        initial=choices.strictness,
        description="Strict calculates nothing and gives no figure in another currency.",
        items=_STRICTNESS,
    )
    answers = (profile, *((model,) if choices.model else ()), kind, strictness)
    mode = PanelField(
        id="mode",
        label="Search",
        initial=choices.mode,
        description="How passages of the report are found.",
        items=_MODES,
    )
    pages = PanelField(
        id="pages",
        label="Pages",
        initial=choices.pages,
        description="Pages that an answer may be drawn from.",
        high=MOST_PAGES,
    )
    rerank = PanelField(
        id="rerank",
        label="Reranking",
        initial=choices.rerank,
        description="How the found pages are put in order.",
        items={_RERANKS[kind]: kind for kind in dict.fromkeys([*reranks(settings), choices.rerank])},
    )
    return (
        Tab(id="answers", label="Answers", fields=answers),
        Tab(id="pages", label="Pages", fields=(mode, pages, rerank)),
    )


def _told(offer: ProfileOffer) -> str:
    where = f"sends pages to {' and '.join(offer.hosts)}" if offer.hosts else "stays on this machine"
    return f"{offer.name} · {where}"
