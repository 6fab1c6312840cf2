"""What one conversation has chosen, and how it is read from what a browser sends. No Chainlit here."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, cast, get_args

from app.privacy import uses_model
from app.settings import Settings
from storage.errors import UsageError
from storage.questions import AnswerKind
from storage.record import Record

Mode = Literal["vector", "bm25", "hybrid", "full_report"]
Rerank = Literal["none", "lexical", "llm", "cross_encoder", "jina"]
Strictness = Literal["strict", "analyst"]
AUTOMATIC = "automatic"
MOST_PAGES = 40
_MODEL = re.compile(r"[\w.:/@+-]{1,120}")


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
        kind=None if kind in (None, AUTOMATIC) else cast(AnswerKind, _one_of("Kind", kind, get_args(AnswerKind))),
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
