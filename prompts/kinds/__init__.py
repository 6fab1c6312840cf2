"""The kinds of answers: each name in `AnswerKind` has a module here, with everything that belongs to the kind."""

from importlib import import_module
from typing import get_args

from prompts.drafts import Draft, DraftedKind, Kind
from storage.records.questions import AnswerKind

KINDS: dict[AnswerKind, Kind] = {kind: import_module(f"{__name__}.{kind}").KIND for kind in get_args(AnswerKind)}
DRAFTED: dict[AnswerKind, DraftedKind] = {
    name: kind for name, kind in KINDS.items() if isinstance(kind, DraftedKind)
}
KIND_WORDS: dict[str, AnswerKind] = {
    word: name for name, kind in KINDS.items() for word in (name, *kind.other_words)
}


def draft_for(kind: AnswerKind) -> type[Draft]:
    """The form for a kind of answer.

    Raises:
        ValueError: the kind has no form of its own, such as a comparison.
    """
    if kind not in DRAFTED:
        raise ValueError(f"no form for answers of kind {kind!r}; expected one of {', '.join(DRAFTED)}")
    return DRAFTED[kind].form
