"""Puts texts and forms together into the messages for a model."""

import datetime as dt
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from prompts.answers.answer_prompts import ANSWER_PROMPTS, REPAIR_PROMPTS, AnswerPrompts, RepairPrompts
from prompts.drafts import Draft, Example, strict_schema
from prompts.kinds import draft_for
from prompts.templates import CURRENCY_UNKNOWN, EXAMPLE, PAGE, PERIOD_UNKNOWN, USER, Template, fenced, one_line
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


def system_prompt(
    kind: AnswerKind,
    with_schema: bool,
    strictness: Strictness = "strict",
    prompts: AnswerPrompts = ANSWER_PROMPTS,
) -> str:
    """The rules, the form and the examples for one kind of answer.

    Args:
        kind: any kind except a comparison, whose sub-questions are asked one by one.
        with_schema: states the form's JSON schema in the prompt, for models that are not given it as
            `response_format`.
        strictness: the challenge's rule (nothing calculated, no other currency) or the analyst's.
        prompts: the texts.

    Raises:
        ValueError: there is no form for this kind.
    """
    schema = _json(strict_schema(draft_for(kind)))
    form = prompts.form
    if with_schema:
        form = prompts.form_with_schema.render(form=form, schema=schema)
    return prompts.system.render(
        role=prompts.role,
        shared=prompts.shared,
        strictness=prompts.strictness[strictness],
        kind=prompts.kinds[kind],
        unavailable=prompts.unavailable,
        form=form,
        examples="\n\n".join(_example(example, prompts.user) for example in prompts.examples[kind]),
    )


def user_prompt(
    question: str,
    company: str,
    currency: str | None,
    period_end: dt.date | None,
    pages: Sequence[PageText],
    template: Template = USER,
) -> str:
    """The report's header, the pages in the order given, then the question.

    Args:
        question: in the user's words.
        company: the report's company.
        currency: ISO code of the report's currency; None where it is not known.
        period_end: last day of the report's latest period; None where it is not known.
        pages: of one report, best first.
        template: the task; by default, to answer the question.

    Raises:
        ValueError: there are no pages, or two pages have the same number, so that a citation would be a guess.
    """
    numbers = [page.page_number for page in pages]
    if not numbers or len(set(numbers)) < len(numbers):
        raise ValueError(f"prompt variable 'pages': expected pages with different numbers, got {numbers}")
    return template.render(
        company=one_line(company),
        period_end=period_end.isoformat() if period_end else PERIOD_UNKNOWN,
        currency=one_line(currency) if currency else CURRENCY_UNKNOWN,
        pages="\n\n".join(_page(page) for page in pages),
        question=one_line(question),
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


def _example(example: Example, template: Template) -> str:
    pages = [PageText(page_number=number, markdown=text) for number, text in example.pages]
    user = user_prompt(example.question, example.company, example.currency, example.period_end, pages, template)
    return EXAMPLE.render(user=user, reply=_reply(example.draft))


def _reply(draft: Draft) -> str:
    """The draft as a model writes it: whole numbers without a decimal point."""
    values = draft.model_dump()
    answer = values["final_answer"]
    if isinstance(answer, float) and answer.is_integer():
        values["final_answer"] = int(answer)
    return _json(values)


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
