"""Puts texts and forms together into the messages for a model."""

import datetime as dt
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from prompts.answers.answer_prompts import ANSWER_PROMPTS, REPAIR_PROMPTS, AnswerPrompts, RepairPrompts
from prompts.drafts import Draft, Example, cited_pages, shown_fields, strict_schema
from prompts.kinds import draft_for
from prompts.templates import (
    CURRENCY_UNKNOWN,
    EXAMPLE,
    FILING_UNKNOWN,
    FOUND,
    NOTHING_UNDERSTOOD,
    PAGE,
    PERIOD_UNKNOWN,
    USER,
    Template,
    fenced,
    of_rules,
    one_line,
)
from storage.records.answers import Strictness
from storage.records.questions import AnswerKind
from storage.records.record import Record


class PageText(Record):
    """A page as a model reads it; `page_number` is the 1-based page of the PDF."""

    page_number: int = Field(ge=1)
    markdown: str


class Message(Record):
    """One message of a request, as chat APIs define it."""

    role: Literal["system", "user"]
    content: str


class ReportHeader(Record):
    """What is said of the report above its pages.

    Attributes:
        filing: its kind and period, such as "10-Q, second quarter of fiscal 2023".
        currency: ISO code of the report's currency; None where it is not known.
        period_end: last day of the report's latest period; None where it is not known.
        understood: how a program understood the question: the figure, the period by the company's calendar.
    """

    company: str
    filing: str = ""
    currency: str | None = None
    period_end: dt.date | None = None
    understood: str = ""


def system_prompt(
    kind: AnswerKind,
    with_schema: bool,
    strictness: Strictness = "strict",
    prompts: AnswerPrompts = ANSWER_PROMPTS,
    *,
    brief: bool = False,
) -> str:
    """The rules, the form and the examples for one kind of answer.

    Args:
        kind: any kind except a comparison, whose sub-questions are asked one by one.
        with_schema: states the form's JSON schema in the prompt, for models that are not given it as
            `response_format`.
        strictness: the challenge's rule (nothing calculated, no other currency) or the analyst's.
        prompts: the texts.
        brief: for models that read little: the rules that matter most, one example, short reasoning.

    Raises:
        ValueError: there is no form for this kind.
    """
    schema = strict_schema(draft_for(kind), brief=brief)
    form = prompts.brief_form if brief else prompts.form
    if with_schema:
        written = json.dumps(_without_descriptions(schema)) if brief else _json(schema)
        form = prompts.form_with_schema.render(form=form, schema=written)
    examples = prompts.examples[kind][: 1 if brief else None]
    return prompts.system.render(
        role=prompts.role,
        shared=of_rules(prompts.shared, brief=brief),
        strictness=of_rules(prompts.strictness[strictness], brief=brief),
        kind=of_rules(prompts.kinds[kind], brief=brief),
        unavailable=of_rules(prompts.unavailable, brief=brief),
        form=form,
        examples="\n\n".join(_example(example, prompts.user, brief=brief) for example in examples),
    )


def user_prompt(
    question: str,
    report: ReportHeader,
    pages: Sequence[PageText],
    found: Sequence[str] = (),
    template: Template = USER,
) -> str:
    """The report's header, the pages in the order given, the rows that a program found, then the question.

    Args:
        question: in the user's words, and which part of it is asked, as `asked` writes it.
        report: of the pages.
        pages: of one report, best first.
        found: rows of the pages with their marks.
        template: the task; by default, to answer the question.

    Raises:
        ValueError: there are no pages, or two pages have the same number, so that a citation would be a guess.
    """
    numbers = [page.page_number for page in pages]
    if not numbers or len(set(numbers)) < len(numbers):
        raise ValueError(f"prompt variable 'pages': expected pages with different numbers, got {numbers}")
    given = [_page(page) for page in pages]
    if found:
        given.append(FOUND.render(rows="\n".join(fenced(row) for row in found)))
    return template.render(
        company=one_line(report.company),
        filing=one_line(report.filing) or FILING_UNKNOWN,
        period_end=report.period_end.isoformat() if report.period_end else PERIOD_UNKNOWN,
        currency=one_line(report.currency) if report.currency else CURRENCY_UNKNOWN,
        understood=one_line(report.understood) or NOTHING_UNDERSTOOD,
        pages="\n\n".join(given),
        question=fenced(question.strip()),
    )


def reformat_prompt(
    schema: Mapping[str, Any], raw_reply: str, prompts: RepairPrompts = REPAIR_PROMPTS
) -> tuple[Message, Message]:
    """The messages of the repair call: restate a reply as one object of the schema, adding nothing."""
    return (
        Message(role="system", content=prompts.system.render(schema=_json(schema))),
        Message(role="user", content=prompts.user.render(reply=fenced(raw_reply.strip()))),
    )


def fingerprint(texts: Sequence[str]) -> str:
    """Twelve hexadecimal digits that change with the texts and with the borders between them."""
    return hashlib.sha256(json.dumps(list(texts)).encode()).hexdigest()[:12]


def _page(page: PageText) -> str:
    return PAGE.render(number=str(page.page_number), text=fenced(page.markdown.strip()))


def _example(example: Example, template: Template, *, brief: bool) -> str:
    shown = cited_pages(example) if brief else example.pages
    pages = [PageText(page_number=number, markdown=text) for number, text in shown]
    header = ReportHeader(company=example.company, currency=example.currency, period_end=example.period_end)
    user = user_prompt(example.question, header, pages, template=template)
    return EXAMPLE.render(user=user, reply=_reply(example.draft, brief=brief))


def _reply(draft: Draft, *, brief: bool) -> str:
    """The draft as a model writes it; in a brief prompt the summary stands for the steps."""
    shown = shown_fields(draft, brief=brief)
    if not brief:
        return _json(shown)
    return json.dumps(shown | {"step_by_step_analysis": draft.reasoning_summary}, ensure_ascii=False)


def _without_descriptions(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON schema without what it says in words."""
    return {
        key: _without_descriptions(value) if isinstance(value, Mapping) else value
        for key, value in schema.items()
        if key != "description" or isinstance(value, Mapping)
    }


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
