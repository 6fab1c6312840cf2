"""`python -m tests.measures.words_beside PDF…`: our words beside LiteParse's, each difference counted by its kind.

Words are the same thing where most of their places is shared. Prints Markdown: a table over all files, and examples.
"""

import argparse
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from docling.datamodel.backend_options import PdfBackendOptions
from docling.datamodel.base_models import InputFormat
from docling.datamodel.document import InputDocument
from liteparse import LiteParse, ParseError

from indexes.layout.words import Word
from indexes.reading.decoded_pages import DecodedDocument
from storage.text import plain

SHARED = 0.5  # of the smaller place, on both sides
BAND = 8.0  # points; words of neighbouring bands are looked at
EXAMPLES = 4  # of each kind
SAME = "same"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.measures.words_beside", description=__doc__)
    parser.add_argument("pdfs", type=Path, nargs="+")
    counts: Counter[str] = Counter()
    figures: Counter[str] = Counter()
    examples: dict[str, list[str]] = defaultdict(list)
    seconds = [0.0, 0.0]
    for path in parser.parse_args().pdfs:
        started = time.process_time()
        ours = our_pages(path)
        between = time.process_time()
        try:
            theirs = their_pages(path)
        except ParseError as error:
            print(f"{path.name}: {error}")
            continue
        seconds = [seconds[0] + between - started, seconds[1] + time.process_time() - between]
        for number, (one, other) in enumerate(zip(ours, theirs, strict=True), 1):
            for kind, mine, their in differences(one, other):
                counts[kind] += 1
                figures[kind] += any(map(str.isdigit, "".join([*mine, *their])))
                if kind != SAME and len(examples[kind]) < EXAMPLES:
                    examples[kind].append(f"{path.name[:12]} page {number}: {mine} / {their}")
    print(f"processor time: ours {seconds[0]:.1f} s, LiteParse {seconds[1]:.1f} s\n")
    print(
        "| LiteParse's words beside ours | places | with digits | examples, ours / LiteParse's |\n|---|---|---|---|"
    )
    for kind, count in counts.most_common():
        print(f"| {kind} | {count:,} | {figures[kind]:,} | {'; '.join(examples[kind])} |")


def our_pages(path: Path) -> list[list[Word]]:
    """Each page's words, also those that are left out later since nobody sees them."""
    given = InputDocument(path, InputFormat.PDF, DecodedDocument, PdfBackendOptions())
    document = DecodedDocument(given, path)
    pages = [[word for word, _ in document.load_page(place).words] for place in range(document.page_count())]
    document.unload()
    return pages


def their_pages(path: Path) -> list[list[Word]]:
    """Each page's words as LiteParse has them, in places from the top left as ours."""
    result = LiteParse(ocr_enabled=False, quiet=True, emit_word_boxes=True).parse(path)
    return [
        [
            Word(plain(w.text), w.x, w.y, w.x + w.width, w.y + w.height)
            for item in page.text_items
            for w in item.words
        ]
        for page in result.pages
    ]


def differences(ours: Sequence[Word], theirs: Sequence[Word]) -> Iterator[tuple[str, list[str], list[str]]]:
    """For each place with words of ours or theirs: the kind of the difference, and what both have there."""
    beside = _beside(ours, theirs)
    back: dict[int, set[int]] = defaultdict(set)
    for mine, found in enumerate(beside):
        for n in found:
            back[n].add(mine)
    done: set[int] = set()
    for mine in range(len(ours)):
        if mine in done:
            continue
        group, others = _group(mine, beside, back)
        done |= group
        texts = [plain(ours[n].text) for n in sorted(group)], [theirs[n].text for n in sorted(others)]
        yield _kind(*texts), *texts
    for n, word in enumerate(theirs):
        if n not in back:
            yield "only LiteParse has it", [], [word.text]


def _beside(ours: Sequence[Word], theirs: Sequence[Word]) -> list[set[int]]:
    """The numbers of their words at the place of each of ours."""
    bands: dict[int, list[int]] = defaultdict(list)
    for number, word in enumerate(theirs):
        for band in _bands(word):
            bands[band].append(number)
    return [{n for band in _bands(w) for n in bands[band] if _are_at_one_place(w, theirs[n])} for w in ours]


def _bands(word: Word) -> range:
    return range(int(word.top // BAND), int(word.bottom // BAND) + 1)


def _group(first: int, beside: Sequence[set[int]], back: dict[int, set[int]]) -> tuple[set[int], set[int]]:
    """A word of ours with all that are at one place with it, or with one of theirs that is, and those of theirs."""
    group, others, left = {first}, set[int](), [first]
    while left:
        for n in beside[left.pop()] - others:
            others.add(n)
            left += sorted(back[n] - group)
            group |= back[n]
    return group, others


def _kind(ours: Sequence[str], theirs: Sequence[str]) -> str:
    if not theirs:
        return "LiteParse has nothing"
    if sorted(ours) == sorted(theirs):
        return SAME
    if "".join(ours) == "".join(theirs):
        return "LiteParse joins them" if len(theirs) < len(ours) else "LiteParse cuts it"
    if sorted("".join(ours)) == sorted("".join(theirs)):
        return "the same letters in another order"
    return "other letters"


def _are_at_one_place(one: Word, other: Word) -> bool:
    across = min(one.right, other.right) - max(one.left, other.left)
    down = min(one.bottom, other.bottom) - max(one.top, other.top)
    width = min(one.right - one.left, other.right - other.left)
    return across > SHARED * width and down > SHARED * min(one.bottom - one.top, other.bottom - other.top)


if __name__ == "__main__":
    main()
