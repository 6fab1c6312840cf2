"""What the answer card shows: an Answer in the words and links of the screen. No Chainlit here."""

import json
from collections.abc import Sequence

from pydantic import JsonValue

from app.answer_json import answer_json
from app.chat.card_words import (
    ANSWERED_BEFORE,
    CHECKS,
    KINDS,
    REASONS,
    model_use,
    period,
    printed,
    seconds_words,
    values_of,
)
from app.chat.comparison_bars import Bars, bars, leading
from app.chat.page_links import PageLink, ReportOf, cited_pages, other_pages
from query_engines.events import PageRead
from storage.answers import Answer, Check, Citation, Verdict
from storage.record import Record


class CheckMark(Record):
    """One verdict, with what it found in `detail`."""

    label: str
    verdict: Verdict
    detail: str


class Offer(Record):
    """A question to ask next, by one click."""

    label: str
    question: str


class AnswerCard(Record):
    """Everything on the card, worded.

    Attributes:
        values: one line for each value.
        offers: the same question with each company that it may be about.
        read: the pages that were read and are not cited, best first.
        leads: for a company of a comparison, whether it is the answer.
        before: said of an answer that was kept from before.
        copied, copied_json: all of it as text, and as `ask --json` prints it.
        workbook: the address of the conversation's answers as a workbook; "" where it is not kept.
    """

    question: str
    understood: str
    kind: str
    available: bool
    prose: bool
    values: tuple[str, ...]
    printed: str
    company: str
    period: str
    reason: str
    offers: tuple[Offer, ...]
    unresolved: bool
    citations: tuple[PageLink, ...]
    checks: tuple[CheckMark, ...]
    parts: tuple["AnswerCard", ...]
    bars: Bars | None
    leads: bool
    read: tuple[PageLink, ...]
    summary: str
    analysis: str
    before: str
    model_use: str
    seconds: str
    profile: str
    sent: str
    copied: str
    copied_json: str
    workbook: str


def answer_card(
    answer: Answer,
    read: Sequence[PageRead],
    report_of: ReportOf,
    *,
    understood: str = "",
    hosts: tuple[str, ...] = (),
    workbook: str = "",
) -> dict[str, JsonValue]:
    """The props of the card: JSON only; pages and reports are addresses, never bytes.

    Args:
        answer: what to show.
        read: every page that it was drawn from, best first.
        report_of: finds a report by its SHA-1.
        understood: the question as it was answered, where it is not what was typed.
        hosts: the other machines that the pages were sent to.
        workbook: the address of the conversation's answers as a workbook.
    """
    copied_json = json.dumps(answer_json(answer), ensure_ascii=False, indent=2)
    card = _card(answer, report_of).model_copy(
        update={
            "copied_json": copied_json,
            "workbook": workbook,
            "read": other_pages(read, _every_citation(answer), report_of),
            "understood": understood,
            "sent": f"sent to {' and '.join(hosts)}" if hosts else "stayed on this machine",
        }
    )
    return card.model_dump(mode="json")


def _card(answer: Answer, report_of: ReportOf) -> AnswerCard:
    values, when = values_of(answer), period(answer.unit)
    parts = tuple(_card(part, report_of) for part in answer.parts)
    leaders = leading(answer)
    return AnswerCard(
        question=answer.question,
        understood="",
        kind=KINDS[answer.kind],
        available=answer.is_available,
        prose=answer.kind == "text" and answer.is_available,
        values=values,
        printed=printed(answer),
        company=answer.company or "",
        period=when,
        reason=REASONS[answer.reason] if answer.reason else "",
        offers=tuple(Offer(label=name, question=f"{answer.question} ({name})") for name in answer.candidates),
        unresolved=answer.reason in ("company_unknown", "company_ambiguous"),
        citations=cited_pages(answer.citations, report_of),
        checks=tuple(_mark(check) for check in answer.checks),
        parts=tuple(part.model_copy(update={"leads": part.company in leaders}) for part in parts),
        bars=bars(answer),
        leads=False,
        read=(),
        summary=answer.summary,
        analysis=answer.analysis,
        before=ANSWERED_BEFORE if answer.cached else "",
        model_use=model_use(answer.usage, cached=answer.cached),
        seconds=seconds_words(answer.seconds),
        profile=answer.profile,
        sent="",
        copied=_copied(answer, values, when),
        copied_json="",
        workbook="",
    )


def _every_citation(answer: Answer) -> tuple[Citation, ...]:
    return answer.citations + tuple(citation for part in answer.parts for citation in part.citations)


def _mark(check: Check) -> CheckMark:
    return CheckMark(label=CHECKS[check.name], verdict=check.verdict, detail=check.detail)


def _copied(answer: Answer, values: tuple[str, ...], when: str) -> str:
    about = ", ".join(filter(None, [answer.company, when]))
    lines = [answer.question, "; ".join(values) + (f" ({about})" if about else "")]
    lines += [f"{c.file}, p. {c.page}: “{c.quote}”" for c in answer.citations]
    for part in answer.parts:
        pages = ", ".join(dict.fromkeys(f"{c.file}, p. {c.page}" for c in part.citations))
        lines.append(f"{part.company}: {'; '.join(values_of(part))}" + (f" ({pages})" if pages else ""))
    if answer.cached:
        lines.append(ANSWERED_BEFORE)
    return "\n".join(lines)
