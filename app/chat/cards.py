"""What the answer card shows: an Answer in the words and links of the screen. No Chainlit here."""

import re
from collections.abc import Iterable
from decimal import Decimal

from pydantic import JsonValue

from storage.answers import Answer, Check, CheckName, Citation, Reason, Unit, Usage, Verdict
from storage.geometry import Box
from storage.questions import AnswerKind
from storage.record import Record

MOST_BOXES = 60  # marks on one page; the address stays well under what servers accept
_KINDS: dict[AnswerKind, str] = {
    "number": "Number",
    "boolean": "Yes or no",
    "name": "Name",
    "names": "Names",
    "comparative": "Comparison",
    "text": "Text",
}
_REASONS: dict[Reason, str] = {
    "not_disclosed": "The report does not disclose it.",
    "not_found": "It was not found in the report.",
    "other_currency": "The report prints it in another currency than the one asked for.",
    "other_period": "The report prints it for another period than the one asked for.",
    "company_unknown": "The question names no company whose report is in the library.",
    "company_ambiguous": "Several companies fit this question. Ask again with one company's full name.",
    "unverified": "What was found could not be verified on its page, so it is withheld.",
    "model_failed": "The language model gave no usable answer. Ask again, or choose another profile.",
}
_CHECKS: dict[CheckName, str] = {
    "page": "Page",
    "quote": "Quote",
    "figure": "Figure",
    "currency": "Currency",
    "period": "Period",
    "fact_table": "Fact table",
}
_SCALES = {1_000: "in thousands", 1_000_000: "in millions", 1_000_000_000: "in billions"}


class CitationChip(Record):
    """A link to the page that says so. `image` marks the quote; `pdf` opens the report there.

    `note` is "read by OCR" where the page is a picture of text.
    """

    label: str
    title: str
    quote: str
    note: str
    image: str
    pdf: str
    page_width: float
    page_height: float


class CheckMark(Record):
    """One verdict, with what it found in `detail`."""

    label: str
    verdict: Verdict
    detail: str


class AnswerCard(Record):
    """Everything on the card, worded. `values` holds one line for each value; `copied` is it all as text."""

    question: str
    kind: str
    available: bool
    prose: bool
    values: tuple[str, ...]
    printed: str
    company: str
    period: str
    reason: str
    candidates: tuple[str, ...]
    citations: tuple[CitationChip, ...]
    checks: tuple[CheckMark, ...]
    parts: tuple["AnswerCard", ...]
    summary: str
    analysis: str
    model_use: str
    seconds: str
    profile: str
    copied: str


def answer_card(answer: Answer) -> dict[str, JsonValue]:
    """The props of the card: JSON only; pages and reports are addresses, never bytes."""
    return _card(answer).model_dump(mode="json")


def escape_directives(markdown: str) -> str:
    """Keep Chainlit's Markdown from eating `word:Word` and `:::`, outside code."""
    pieces = re.split(r"(`+[^`]*`+)", markdown)
    pieces[::2] = [re.sub(r":(?=[A-Za-z:])", r"\\:", piece) for piece in pieces[::2]]
    return "".join(pieces)


def literal(text: str) -> str:
    """Markdown that shows the text as it stands: no links, pictures or headings out of a report or a model."""
    escaped = re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", text)
    return re.sub(r"\n[ \t]+", "\n", escaped)  # an indented line would be shown as code


def seconds_words(seconds: float) -> str:
    """A duration for a person."""
    if seconds < 0.1:
        return "under 0.1 s"
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"


def _card(answer: Answer) -> AnswerCard:
    values, period = _values(answer), _period(answer.unit)
    return AnswerCard(
        question=answer.question,
        kind=_KINDS[answer.kind],
        available=answer.is_available,
        prose=answer.kind == "text" and answer.is_available,
        values=values,
        printed=_printed(answer),
        company=answer.company or "",
        period=period,
        reason=_REASONS[answer.reason] if answer.reason else "",
        candidates=answer.candidates,
        citations=_chips(answer.citations),
        checks=tuple(_mark(check) for check in answer.checks),
        parts=tuple(_card(part) for part in answer.parts),
        summary=answer.summary,
        analysis=answer.analysis,
        model_use=_model_use(answer.usage),
        seconds=seconds_words(answer.seconds),
        profile=answer.profile,
        copied=_copied(answer, values, period),
    )


def _values(answer: Answer) -> tuple[str, ...]:
    value = answer.value
    if isinstance(value, bool):
        return ("Yes" if value else "No",)
    if isinstance(value, float):
        return (_amount(value, answer.unit),)
    if isinstance(value, str):
        return (value,)
    return value


def _amount(value: float, unit: Unit | None) -> str:
    currency = f" {unit.currency}" if unit and unit.currency else ""
    return _grouped(value) + currency


def _grouped(value: float) -> str:
    figure = f"{Decimal(repr(value)):,f}"
    return figure.rstrip("0").rstrip(".") if "." in figure else figure


def _printed(answer: Answer) -> str:
    unit = answer.unit
    if not unit or not unit.printed or not isinstance(answer.value, float):
        return ""
    if unit.scale == 1:
        return "" if unit.printed == _grouped(answer.value) else f"as printed: {unit.printed}"
    scale = _SCALES.get(unit.scale, f"times {unit.scale:,}")
    return f"as printed: {unit.printed} {scale}"


def _period(unit: Unit | None) -> str:
    end = unit.period_end if unit else None
    return f"period ended {end.day} {end:%B %Y}" if end else ""


def _chips(citations: tuple[Citation, ...]) -> tuple[CitationChip, ...]:
    several = len({citation.report_sha1 for citation in citations}) > 1
    return tuple(
        CitationChip(
            label=f"{citation.file} p. {citation.page}" if several else f"p. {citation.page}",
            title=f"{citation.file}, page {citation.page}",
            quote=citation.quote,
            note="read by OCR" if citation.text_source == "ocr" else "",
            image=f"/report/{citation.report_sha1}/{citation.page}.png" + _boxes(citation.boxes),
            pdf=f"/report/{citation.report_sha1}.pdf#page={citation.page}",
            page_width=citation.page_width,
            page_height=citation.page_height,
        )
        for citation in citations
    )


def _boxes(boxes: Iterable[Box]) -> str:
    marks = [f"{b.left:.1f},{b.top:.1f},{b.right:.1f},{b.bottom:.1f}" for b in boxes]
    return "?boxes=" + ";".join(marks[:MOST_BOXES]) if marks else ""


def _mark(check: Check) -> CheckMark:
    return CheckMark(label=_CHECKS[check.name], verdict=check.verdict, detail=check.detail)


def _model_use(usage: Usage) -> str:
    if usage.requests == 0:
        return "No language model was used"
    requests = "1 model request" if usage.requests == 1 else f"{usage.requests} model requests"
    tokens = f"{usage.prompt_tokens + usage.completion_tokens:,} tokens"
    cost = "cost unknown" if usage.cost_usd is None else f"${usage.cost_usd:.4f}"
    return f"{requests}, {tokens}, {cost}"


def _copied(answer: Answer, values: tuple[str, ...], period: str) -> str:
    about = ", ".join(filter(None, [answer.company, period]))
    lines = [answer.question, "; ".join(values) + (f" ({about})" if about else "")]
    lines += [f"{c.file}, p. {c.page}: “{c.quote}”" for c in answer.citations]
    lines += [f"{part.company}: {'; '.join(_values(part))}" for part in answer.parts]
    return "\n".join(lines)
