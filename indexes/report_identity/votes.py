"""Votes of several places in a report, the election among them, and a report's printed lines."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from storage.records.pages import Page
from storage.text import plain


@dataclass(frozen=True)
class Vote:
    """One place in the report that supports a value.

    Attributes:
        value: the supported value, as printed or as a code.
        weight: of such a place; 10 is decisive alone, 1 is a hint.
        page: 1-based.
        quote: the words there.
        is_hint: whether the words only hint at the value, and do not say it.
    """

    value: str
    weight: float
    page: int
    quote: str
    is_hint: bool = False


@dataclass(frozen=True)
class Elected:
    """The elected value, its total weight, and its places, hints last, else the weightiest and earliest first."""

    weight: float
    votes: tuple[Vote, ...]


def elect(votes: Iterable[Vote], key: Callable[[str], str] = str, least: float = 0.0) -> Elected | None:
    """The value (one for each `key`) with the greatest weight; None when no value reaches `least`."""
    groups: defaultdict[str, list[Vote]] = defaultdict(list)
    for vote in votes:
        groups[key(vote.value)].append(vote)
    ranked = [
        Elected(sum(v.weight for v in group), tuple(sorted(group, key=lambda v: (v.is_hint, -v.weight, v.page))))
        for group in groups.values()
    ]
    best = max(ranked, key=lambda e: (e.weight, -e.votes[0].page), default=None)
    return best if best and best.weight >= least else None


@dataclass(frozen=True)
class PrintedLine:
    """One line.

    Attributes:
        page: 1-based.
        text: in plain form.
        height: points.
        edge: whether it is a header or footer.
        table: whether it is in a table.
    """

    page: int
    text: str
    height: float
    edge: bool
    table: bool


def printed_lines(pages: Sequence[Page]) -> list[PrintedLine]:
    """Every line that has a word, in reading order."""
    return [
        PrintedLine(page.page_number, text, line.box.height, block.kind == "furniture", block.table is not None)
        for page in pages
        for block in page.blocks
        for line in block.lines
        if (text := plain(line.text))
    ]


@dataclass(frozen=True)
class PrintedText:
    """A block's running text."""

    page: int
    text: str


def printed_texts(pages: Sequence[Page]) -> list[PrintedText]:
    """Every block of running text, its lines joined."""
    return [
        PrintedText(page.page_number, plain(block.text))
        for page in pages
        for block in page.blocks
        if block.table is None and block.kind != "furniture"
    ]
