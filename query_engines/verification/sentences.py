"""Checks that every sentence of an answer has a passage, and no figure that the passage's pages do not print."""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal

from prompts.drafts import Evidence, Sentence, TextDraft
from query_engines.verification.quotes import locate
from storage.records.answers import Check
from storage.records.pages import Page
from storage.records.reports import Report
from storage.text import plain

# Whole figures, thousands separated by commas; not a part of a name such as "10-K" or "2022/23".
_FIGURE = re.compile(r"(?<![\w.,/-])(?>\d{1,3}(?:,\d{3})+|\d+)(?>\.\d+)?+(?!-?[A-Za-z])")
_SCALES = tuple(Decimal(10) ** power for power in (0, 3, 6, 9, -3, -6, -9))


def check_sentences(draft: TextDraft, question: str, report: Report, pages: Mapping[int, Page]) -> Check:
    """Check each sentence against its passages and their pages.

    A figure passes if those pages print it, also rounded or in another unit. Exempt are counts below ten, figures of
    the question, and the day and years of the report's period.
    """
    answer = draft.final_answer
    sentences = answer if isinstance(answer, list) else []
    forgiven = {*map(Decimal, range(10)), *_figures(question)}
    if end := report.period_end:
        forgiven |= {Decimal(end.day), Decimal(end.year), Decimal(end.year - 1)}
    mismatches = [
        f"sentence {number} of {len(sentences)} {mismatch}"
        for number, sentence in enumerate(sentences, start=1)
        if (mismatch := _mismatch(sentence, draft.evidence, forgiven, pages)) is not None
    ]
    if mismatches:
        return Check(name="sentences", verdict="failed", detail="; ".join(mismatches))
    return Check(
        name="sentences", verdict="passed", detail=f"{len(sentences)}, each with a passage that is printed"
    )


def _mismatch(
    sentence: Sentence, evidence: list[Evidence], forgiven: set[Decimal], pages: Mapping[int, Page]
) -> str | None:
    if not sentence.evidence_numbers:
        return f"points at no passage: {sentence.text!r}"
    if foreign := [n for n in sentence.evidence_numbers if not 1 <= n <= len(evidence)]:
        return f"points at passage {foreign[0]}, of {len(evidence)} that were cited"
    cited = [evidence[n - 1] for n in sentence.evidence_numbers]
    missing = [e for e in cited if e.page not in pages or locate(e.quote, pages[e.page]) is None]
    if missing:
        return f"rests on a passage that is not printed on page {missing[0].page}: {missing[0].quote!r}"
    printed = {figure for e in cited for text in _texts(pages[e.page]) for figure in _figures(text)}
    stated = (figure for figure in _figures(sentence.text) if figure not in forgiven)
    foreign_figure = next((f for f in stated if not any(_is_rounded(f, other) for other in printed)), None)
    return None if foreign_figure is None else f"says {foreign_figure}, which is not printed on {_listed(cited)}"


def _is_rounded(figure: Decimal, printed: Decimal) -> bool:
    """Whether the figure is the printed one, in any unit, rounded to the figure's last digit."""
    last_digit = Decimal(1).scaleb(int(figure.as_tuple().exponent))
    return any(abs(printed * scale - figure) <= last_digit / 2 for scale in _SCALES)


def _texts(page: Page) -> Iterator[str]:
    for block in page.blocks:
        yield block.text
        yield from (cell.text for cell in block.table.cells) if block.table else ()


def _figures(text: str) -> Iterator[Decimal]:
    for match in _FIGURE.finditer(plain(text)):
        yield Decimal(match[0].replace(",", ""))


def _listed(cited: list[Evidence]) -> str:
    return "page " + " or ".join(map(str, dict.fromkeys(e.page for e in cited)))
