"""An answer's pieces in words for the screen. No Chainlit here."""

import re
from decimal import Decimal

from storage.answers import Answer, CheckName, Reason, Unit, Usage
from storage.questions import AnswerKind

KINDS: dict[AnswerKind, str] = {
    "number": "Number",
    "boolean": "Yes or no",
    "name": "Name",
    "names": "Names",
    "comparative": "Comparison",
    "text": "Text",
}
REASONS: dict[Reason, str] = {
    "not_disclosed": "The report does not disclose it.",
    "not_found": "It was not found in the report.",
    "other_currency": "The report prints it in another currency than the one asked for.",
    "other_period": "The report prints it for another period than the one asked for.",
    "company_unknown": "The question names no company whose report is in the library.",
    "company_ambiguous": "Several companies fit this question. Ask again with one company's full name.",
    "unverified": "What was found could not be verified on its page, so it is withheld.",
    "model_failed": "The language model gave no usable answer. Ask again, or choose another profile.",
}
CHECKS: dict[CheckName, str] = {
    "page": "Page",
    "quote": "Quote",
    "figure": "Figure",
    "currency": "Currency",
    "period": "Period",
    "fact_table": "Fact table",
    "sentences": "Sentences",
}
ANSWERED_BEFORE = "Answered before; nothing that it rests on has changed."
_SCALES = {1_000: "in thousands", 1_000_000: "in millions", 1_000_000_000: "in billions"}


def values_of(answer: Answer) -> tuple[str, ...]:
    """The value, one line for each name."""
    value = answer.value
    if isinstance(value, bool):
        return ("Yes" if value else "No",)
    if isinstance(value, float):
        return (_amount(value, answer.unit),)
    if isinstance(value, str):
        return (value,)
    return value


def answer_line(answer: Answer) -> str:
    """The whole answer in one line."""
    about = ", ".join(filter(None, [answer.company, period(answer.unit)]))
    return "; ".join(values_of(answer)) + (f" ({about})" if about else "")


def printed(answer: Answer) -> str:
    """The figure as the page prints it, where that differs from the value."""
    unit = answer.unit
    if not unit or not unit.printed or not isinstance(answer.value, float):
        return ""
    if unit.scale == 1:
        return "" if unit.printed == _grouped(answer.value) else f"as printed: {unit.printed}"
    scale = _SCALES.get(unit.scale, f"times {unit.scale:,}")
    return f"as printed: {unit.printed} {scale}"


def period(unit: Unit | None) -> str:
    """The period that a number is for."""
    end = unit.period_end if unit else None
    return f"period ended {end.day} {end:%B %Y}" if end else ""


def model_use(usage: Usage, *, cached: bool = False) -> str:
    """What was asked of a model, and for how much; nothing for an answer that was kept."""
    if cached:
        return "No model was asked again"
    if usage.requests == 0:
        return "No language model was used"
    requests = "1 model request" if usage.requests == 1 else f"{usage.requests} model requests"
    tokens = f"{usage.prompt_tokens + usage.completion_tokens:,} tokens"
    cost = "cost unknown" if usage.cost_usd is None else f"${usage.cost_usd:.4f}"
    return f"{requests}, {tokens}, {cost}"


def seconds_words(seconds: float) -> str:
    """A duration for a person."""
    if seconds < 0.1:
        return "less than 0.1 s"
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"


def escape_directives(markdown: str) -> str:
    """Keep Chainlit's Markdown from eating `word:Word` and `:::`, outside code."""
    pieces = re.split(r"(`+[^`]*`+)", markdown)
    pieces[::2] = [re.sub(r":(?=[A-Za-z:])", r"\\:", piece) for piece in pieces[::2]]
    return "".join(pieces)


def literal(text: str) -> str:
    """Markdown that shows the text as it stands: no links, pictures or headings out of a report or a model."""
    escaped = re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", text)
    return re.sub(r"\n[ \t]+", "\n", escaped)  # an indented line would be shown as code


def _amount(value: float, unit: Unit | None) -> str:
    currency = f" {unit.currency}" if unit and unit.currency else ""
    return _grouped(value) + currency


def _grouped(value: float) -> str:
    figure = f"{Decimal(repr(value)):,f}"
    return figure.rstrip("0").rstrip(".") if "." in figure else figure
