"""Choosing among what several places of a report say."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Vote:
    """One place that says something.

    Attributes:
        value: what it says, as printed or as a code.
        weight: how much such a place is worth; 10 decides by itself, 1 is a hint.
        page: 1-based.
        quote: the words there.
    """

    value: str
    weight: float
    page: int
    quote: str


@dataclass(frozen=True)
class Elected:
    """What won, by how much in all, and the places that said it, the weightiest and earliest first."""

    weight: float
    votes: tuple[Vote, ...]


def elect(votes: Iterable[Vote], key: Callable[[str], str] = str, least: float = 0.0) -> Elected | None:
    """The value (one for each `key`) with the greatest weight; None when no value reaches `least`."""
    groups: defaultdict[str, list[Vote]] = defaultdict(list)
    for vote in votes:
        groups[key(vote.value)].append(vote)
    ranked = [
        Elected(sum(v.weight for v in group), tuple(sorted(group, key=lambda v: (-v.weight, v.page))))
        for group in groups.values()
    ]
    best = max(ranked, key=lambda e: (e.weight, -e.votes[0].page), default=None)
    return best if best and best.weight >= least else None
