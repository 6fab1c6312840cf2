"""The settings panel: its fields, the profiles on offer, and what a conversation chose. No Chainlit here."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, cast, get_args

from pydantic import Field

from app.readiness import hosts_of, needs, privacy
from app.settings import Settings, profiles, uses_model
from prompts.kinds import KINDS
from storage.errors import UsageError
from storage.lexicon.words import expression
from storage.records.answers import Strictness
from storage.records.questions import AnswerKind
from storage.records.record import Record

SettingsOf = Callable[[str], Settings]
"""A profile's settings in this process."""


class ProfileOffer(Record):
    """A profile that can be used here; `hosts` are the other machines that it sends text to."""

    name: str
    description: str
    hosts: tuple[str, ...]

    @property
    def privacy(self) -> str:
        """Where questions and pages go, in one sentence."""
        return privacy(self.hosts)


def profile_offers(
    first: str, settings_of: SettingsOf, environment: Mapping[str, str], data: Path | None = None
) -> tuple[ProfileOffer, ...]:
    """The profiles that lack nothing here, and the one the chat was started with, which comes first."""
    known = sorted(profiles(), key=lambda profile: profile.name != first)
    offers = []
    for profile in known:
        settings = settings_of(profile.name)
        if profile.name == first or not needs(settings, environment, data):
            hosts = hosts_of(settings, environment)
            offers.append(ProfileOffer(name=profile.name, description=profile.description, hosts=hosts))
    return tuple(offers)


Mode = Literal["vector", "bm25", "hybrid", "full_report"]
Rerank = Literal["none", "lexical", "llm", "cross_encoder", "jina"]
AUTOMATIC = "automatic"
MOST_PAGES = 40
_MODEL = expression(r"[\w.:/@+-]{1,120}")


class Choices(Record):
    """One conversation's settings.

    Attributes:
        kind: of the answers; None lets each question's wording decide.
        model: "" where the profile uses no language model.
    """

    profile: str
    kind: AnswerKind | None
    model: str
    pages: int
    rerank: Rerank
    mode: Mode
    strictness: Strictness

    @classmethod
    def of(cls, profile: str, settings: Settings) -> "Choices":
        """What a profile brings."""
        return cls(
            profile=profile,
            kind=None,
            model=settings.llm.model if uses_model(settings) else "",
            pages=settings.retrieval.pages,
            rerank=settings.rerank.kind,
            mode=settings.retrieval.mode,
            strictness=settings.answers.strictness,
        )

    def overrides(self, profile: "Choices") -> tuple[str, ...]:
        """What differs from the profile's own, as "section.key=value"."""
        keys = {
            "model": "llm.model",
            "pages": "retrieval.pages",
            "rerank": "rerank.kind",
            "mode": "retrieval.mode",
            "strictness": "answers.strictness",
        }
        changed = {
            key: getattr(self, name) for name, key in keys.items() if getattr(self, name) != getattr(profile, name)
        }
        return tuple(f"{key}={value}" for key, value in changed.items())


def reranks(settings: Settings) -> tuple[Rerank, ...]:
    """The rerankers that can be chosen.

    A model reranks only where the profile uses one already: no click may send pages to a machine that the profile
    does not name.
    """
    return ("none", "lexical", "llm") if uses_model(settings) else ("none", "lexical")


def read_choices(
    values: Mapping[str, Any], before: Choices, offered: Sequence[str], settings_of: Callable[[str], Settings]
) -> Choices:
    """The choices out of what the browser sent.

    Another profile comes with what it brings; what was changed together with it stays changed.

    Raises:
        UsageError: a value that is not offered; the message names what is.
    """
    profile = _one_of("Profile", values.get("profile", before.profile), offered)
    settings = settings_of(profile)
    brought = Choices.of(profile, settings)
    given = {**before.model_dump(), **values}
    if profile != before.profile:
        changed = {k: v for k, v in values.items() if not _same(v, getattr(before, k, v))}
        given = {**brought.model_dump(), "kind": before.kind, **changed}
    kind = given["kind"]
    rerank = _one_of("Reranking", given["rerank"], (*reranks(settings), brought.rerank))
    return Choices(
        profile=profile,
        kind=None if kind in (None, AUTOMATIC) else cast(AnswerKind, _one_of("Kind", kind, tuple(KINDS))),
        model=_model(given["model"]) if brought.model else "",
        pages=_pages(given["pages"]),
        rerank=cast(Rerank, rerank),
        mode=cast(Mode, _one_of("Search", given["mode"], get_args(Mode))),
        strictness=cast(Strictness, _one_of("Strictness", given["strictness"], get_args(Strictness))),
    )


def _same(value: object, known: object) -> bool:
    return value == (AUTOMATIC if known is None else known)


def _one_of(label: str, value: object, offered: Sequence[str]) -> str:
    if not isinstance(value, str) or value not in offered:
        raise UsageError(f"{label} cannot be {value!r}: choose one of {', '.join(dict.fromkeys(offered))}")
    return value


def _pages(value: object) -> int:
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else 0
    if not float(number).is_integer() or not 1 <= number <= MOST_PAGES:
        raise UsageError(f"Pages cannot be {value!r}: choose 1 to {MOST_PAGES}")
    return int(number)


def _model(value: object) -> str:
    if not isinstance(value, str) or not _MODEL.fullmatch(value.strip()):
        raise UsageError(f"Model cannot be {value!r}: write its name as the provider does, such as gpt-4o-mini")
    return value.strip()


_KINDS = {"Automatic": AUTOMATIC, **{kind.title: name for name, kind in KINDS.items()}}
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
_STRICTNESS = {
    "Strict: only what is printed as asked": "strict",
    "Practical: also rough figures, marked": "practical",
    "Analyst: may calculate, and says so": "analyst",
}


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
        items={_offer_text(offer): offer.name for offer in offers},
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
        description="Practical also gives rough figures (“over 1,300”) and says so. Only Analyst calculates.",
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


def _offer_text(offer: ProfileOffer) -> str:
    where = f"sends pages to {' and '.join(offer.hosts)}" if offer.hosts else "stays on this machine"
    return f"{offer.name} · {where}"
