"""The answer card: an answer in words, bars and links to its pages. No Chainlit here."""

import json
import re
from collections.abc import Sequence

from pydantic import JsonValue

from app.chat.cards.links import (
    LinkedReports,
    PageLink,
    cited_pages,
    near_passages,
    nearest_page,
    neighbour_pages,
    operand_pages,
    other_pages,
    source_pages,
)
from app.chat.cards.tables import (
    MOST_CARDS,
    ShownFormula,
    ShownTable,
    is_table_alone,
    shown_formula,
    shown_table,
)
from app.files.answer_json import answer_json
from indexes.report_identity.legal_names import identity_of, name_key
from prompts.kinds import KINDS
from query_engines.events import PageRead
from storage.amounts import grouped
from storage.lexicon.answer_words import Spoken
from storage.records.answers import OWN_CHECK, Answer, Check, CheckName, Citation, Unit, Usage, Verdict
from storage.records.record import Record
from storage.text import capital

FEWEST = 2


class Bar(Record):
    """The bar of a company, or of one of its years. `share` is its length, 1 for the greatest amount of any sign."""

    label: str
    value: str
    share: float
    negative: bool
    leads: bool


class Bars(Record):
    """The chart. With `note` and no bars, it says why there is none."""

    bars: tuple[Bar, ...] = ()
    note: str = ""


ASKED_FOR = "Asked for"  # the heading of parts that ask several things of one company


def bars(answer: Answer) -> Bars | None:
    """The chart of a comparison's amounts, greatest first, or by year; None where there are not two to compare.

    Amounts in different currencies are not drawn beside each other.
    """
    rows_are, names = _rows_of(answer)
    numbers = [
        (part, part.value, name if rows_are == ASKED_FOR else "")
        for part, name in zip(answer.parts, names, strict=True)
        if isinstance(part.value, float)
    ]
    if len(numbers) < FEWEST:
        return None
    currencies = {part.unit.currency if part.unit else None for part, *_ in numbers}
    if len(currencies) > 1:
        named = ", ".join(sorted(currency or "no currency" for currency in currencies))
        return Bars(note=f"The amounts are in different units ({named}), so they are not drawn side by side.")
    greatest = max(abs(value) for _, value, _ in numbers) or 1.0
    leaders = leading(answer)
    is_of_years = answer.company is not None
    return Bars(
        bars=tuple(
            Bar(
                label=asked or (_last_day(part.unit) if is_of_years else "") or part.company or "",
                value=values_of(part)[0],
                share=abs(value) / greatest,
                negative=value < 0,
                leads=(part.company or "") in leaders,
            )
            for part, value, asked in (numbers if is_of_years else sorted(numbers, key=lambda each: -each[1]))
        )
    )


def leading(answer: Answer) -> frozenset[str]:
    """The companies that a comparison names, which it may have written shorter than they are called."""
    named = [name_key(value) for value in values_of(answer)]
    companies = [part.company for part in answer.parts if part.company]
    written = [identity_of(value) for value in values_of(answer)]
    exact = frozenset(c for c in companies if any(identity_of(c).may_be(each) for each in written))
    begun = [company for company in companies if any(name_key(company).startswith(f"{name} ") for name in named)]
    return exact or frozenset(begun if len(begun) == len(named) else ())


CHECK_LABELS: dict[CheckName, str] = {
    "page": "Page",
    "quote": "Quote",
    "figure": "Figure",
    "currency": "Currency",
    "period": "Period",
    "fact_table": "Known figures",
    "dimension": "Kind of figure",
    "row": "Row",
    "name": "Name",
    "sentence": "Subject",
    "sentences": "Sentences",
}
ANSWERED_BEFORE = "Answered before; nothing that it rests on has changed."
_SCALES = {1_000: "in thousands", 1_000_000: "in millions", 1_000_000_000: "in billions"}


def values_of(answer: Answer) -> tuple[str, ...]:
    """The value, one line for each name."""
    value = answer.value
    if answer.from_silence:
        return (capital(answer.value_text),)
    if isinstance(value, bool):
        return (answer.value_text.capitalize(),)
    if isinstance(value, float):
        return (answer.value_text,)
    if isinstance(value, str):
        return (value,)
    return value


def answer_line(answer: Answer) -> str:
    """The whole answer in one line."""
    about = ", ".join(filter(None, [answer.company, period(answer.unit)]))
    return "; ".join(values_of(answer)) + (f" ({about})" if about else "")


def printed(answer: Answer) -> str:
    """The formula of a calculated figure; else the figure as the page prints it, where that differs from the value."""
    unit = answer.unit
    if answer.formula:
        return f"= {answer.formula}"
    if not unit or not unit.printed or unit.measure or not isinstance(answer.value, float):
        return ""
    if unit.scale == 1:
        return "" if unit.printed in (grouped(answer.value), answer.value_text) else f"as printed: {unit.printed}"
    scale = _SCALES.get(unit.scale, f"times {unit.scale:,}")
    return f"as printed: {unit.printed} {scale}"


def period(unit: Unit | None) -> str:
    """The period that a number is for."""
    end = unit.period_end if unit else None
    return f"period ended {end.day} {end:%B %Y}" if end else ""


def _last_day(unit: Unit | None) -> str:
    """The last day of the period, short enough for a chart."""
    end = unit.period_end if unit else None
    return f"to {end.day} {end:%b %Y}" if end else ""


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
    pieces = re.split(r"((?<!`)`++[^`]*`++)", markdown)
    pieces[::2] = [re.sub(r":(?=[A-Za-z:])", r"\\:", piece) for piece in pieces[::2]]
    return "".join(pieces)


def without_links(markdown: str) -> str:
    """Markdown with its tables and emphasis, in which nothing links, loads or is HTML: a model may have written it.

    This holds in code, too, where the backslashes are seen: what begins and ends code is not for this to decide.
    """
    return re.sub(r"([!\[\]<])|(?<=\w):(?=//)|(?<=www)\.", lambda found: "\\" + found[0], markdown)


def literal(text: str) -> str:
    """Markdown that shows the text as it stands: no links, pictures or headings out of a report or a model."""
    escaped = re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", text)
    return re.sub(r"\n[ \t]+", "\n", escaped)  # an indented line would be shown as code


class Amount(Record):
    """An amount of money in full units, which the screen writes shorter, in the language of its question."""

    value: float
    currency: str
    language: Spoken


def _amount(answer: Answer) -> Amount | None:
    """The answer's amount; None for other answers, and where the question says the scale itself."""
    currency = answer.unit.currency if answer.unit and not answer.unit.measure else None
    is_scaled = answer.understood is not None and answer.understood.scale is not None
    if not isinstance(answer.value, float) or not currency or is_scaled:
        return None
    return Amount(value=answer.value, currency=currency, language=answer.language)


class Reading(Record):
    """What was understood, part by part, to be put right: several of one part have semicolons between them."""

    figure: str
    company: str
    period: str


class CheckMark(Record):
    """One verdict, with what it found in `detail`."""

    label: str
    verdict: Verdict
    detail: str


class Offer(Record):
    """A question to ask next, by one click."""

    label: str
    question: str


class ShownPassage(Record):
    """A passage to read, with the heading above it."""

    heading: str
    link: PageLink


class AnswerCard(Record):
    """Everything on the card, worded.

    Attributes:
        values: one line for each value.
        rows_are: what the parts are: companies, years, or the figures of a calculation.
        row: the name of a part among the others.
        offers: the same question with each company that it may be about.
        read: the pages that were read and are not cited, best first; all that were read where there is no answer.
        leads: for a company of a comparison, whether it is the answer.
        before: said of an answer that was kept from before.
        copied, copied_json: all of it as text, and as `ask --json` prints it.
        meant: what was understood of the question, in short.
        markdown: the answer with its sources as Markdown.
        again: what asks the same question with a model, or without one; None where that cannot be chosen.
        table: of its figures, where there are several; the parts have no cards of their own in a large one.
        formula: of a calculated figure.
        passages: to read, where only reading can answer.
        neighbours: figures that differ from a printed one in scope alone.
        workbook: the address of the conversation's answers as a workbook; "" where it is not kept.
        next: questions to ask now.
        reading: what was understood, where a question can be made of it.
        amount: the value, where it is money.
        is_talk: nothing of a report is on it, so there is nothing to take along.
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
    rows_are: str
    row: str
    bars: Bars | None
    leads: bool
    read: tuple[PageLink, ...]
    remark: str
    summary: str
    analysis: str
    before: str
    model_use: str
    profile: str
    sent: str
    copied: str
    copied_json: str
    workbook: str
    meant: str
    markdown: str
    again: dict[str, str] | None
    table: ShownTable | None
    formula: ShownFormula | None
    passages: tuple[ShownPassage, ...]
    neighbours: tuple[PageLink, ...]
    is_talk: bool
    amount: Amount | None
    next: tuple[str, ...] = ()
    reading: Reading | None


class GoingOn(Record):
    """What is offered to ask after an answer.

    Attributes:
        again: asks the same question with a model, or without one.
        questions: that have an answer.
    """

    again: dict[str, str] | None = None
    questions: tuple[str, ...] = ()


def answer_card(
    answer: Answer,
    read: Sequence[PageRead],
    reports: LinkedReports,
    *,
    understood: str = "",
    hosts: tuple[str, ...] = (),
    workbooks: tuple[str, str] = ("", ""),
    going_on: GoingOn | None = None,
) -> dict[str, JsonValue]:
    """The props of the card: JSON only; pages and reports are addresses, never bytes.

    Args:
        answer: what to show.
        read: every page that it was drawn from, best first.
        reports: that its links lead to.
        understood: the question as it was answered, where it is not what was typed.
        hosts: the other machines that the pages were sent to.
        workbooks: the addresses of the conversation's answers and of the answer's table as workbooks.
        going_on: what is offered to ask now.
    """
    copied_json = json.dumps(answer_json(answer), ensure_ascii=False, indent=2)
    card = _card(answer, reports).model_copy(
        update={
            "copied_json": copied_json,
            "workbook": workbooks[0],
            "read": other_pages(read, _every_citation(answer) if answer.is_available else (), reports),
            "understood": "" if _is_plain_figure(answer) else understood,
            "again": going_on.again if going_on else None,
            "next": going_on.questions if going_on else (),
            "sent": f"sent to {' and '.join(hosts)}" if hosts else "stayed on this machine",
        }
    )
    if card.table is not None:
        card = card.model_copy(update={"table": card.table.model_copy(update={"workbook": workbooks[1]})})
    return card.model_dump(mode="json")


def _card(answer: Answer, reports: LinkedReports) -> AnswerCard:
    values, when = values_of(answer), answer.period or period(answer.unit)
    table = shown_table(answer, reports)
    is_table = table is not None and is_table_alone(answer)
    is_of_currencies = answer.reason == "other_currency" and len(answer.parts) > 1
    if table is not None and is_table:
        values = (table.title,)
    elif is_of_currencies:  # nothing is converted, so each company's own figure is shown
        values = tuple(f"{part.company}: {'; '.join(values_of(part))}" for part in answer.parts)
    reading = _reading(answer)
    has_cards = table is None or (len(answer.parts) <= MOST_CARDS and len(table.columns) == 1 and not is_table)
    parts = tuple(_card(part, reports) for part in answer.parts) if has_cards else ()
    leaders = leading(answer)
    rows_are, names = _rows_of(answer)
    return AnswerCard(
        question=answer.question,
        understood="",
        kind="Table" if is_table else KINDS[answer.kind].title,
        available=answer.is_available,
        prose=answer.kind == "text" and answer.is_available,
        values=values,
        printed=printed(answer),
        company=answer.company or "",
        period=when,
        reason="" if is_of_currencies else _reason(answer),
        offers=tuple(Offer(label=name, question=f"{answer.question} ({name})") for name in answer.candidates),
        unresolved=answer.reason in ("company_unknown", "company_ambiguous"),
        citations=()
        if table is not None
        else operand_pages(answer, reports)
        or cited_pages(answer.citations, reports)
        or nearest_page(answer, reports),
        checks=tuple(_mark(check) for check in answer.checks),
        parts=tuple(
            part.model_copy(update={"leads": part.company in leaders, "row": name})
            for part, name in zip(parts, names, strict=False)
        ),
        rows_are=rows_are,
        row="",
        bars=None if table is not None and len(table.columns) > 1 else bars(answer),
        leads=False,
        read=(),
        remark=answer.remark,
        summary=_summary(answer, values, is_table=is_table),
        analysis="" if is_table else answer.analysis,
        before=ANSWERED_BEFORE if answer.cached else "",
        model_use=model_use(answer.usage, cached=answer.cached),
        profile=answer.profile,
        sent="",
        copied=_copied(answer, values, when, reports),
        meant=_meant(reading),
        reading=reading if _is_put_right(answer) else None,
        markdown=_markdown(answer, values, when, reports),
        again=None,
        copied_json="",
        workbook="",
        table=table,
        formula=shown_formula(answer, reports),
        neighbours=neighbour_pages(answer, reports),
        is_talk=answer.is_talk,
        amount=None if is_table else _amount(answer),
        passages=tuple(
            ShownPassage(heading=one.heading, link=link)
            for one, link in zip(answer.nearest_passages, near_passages(answer, reports), strict=True)
        ),
    )


def _rows_of(answer: Answer) -> tuple[str, tuple[str, ...]]:
    """What the parts of an answer are, and their names: companies, years or things of one, figures of a formula."""
    companies = tuple(part.company or "" for part in answer.parts)
    if answer.formula and len(answer.operands) == len(answer.parts):
        return "Figure", tuple(operand.name for operand in answer.operands)
    if len(set(companies)) != 1 or len(companies) == 1:
        return "Company", companies
    ends = tuple(part.unit.period_end if part.unit else None for part in answer.parts)
    periods = tuple(" ".join(part.understood.periods) if part.understood else "" for part in answer.parts)
    if len({end.year for end in ends if end}) > 1 or (not any(ends) and len(set(periods)) > 1):
        return "Year", tuple(str(end.year) if end else name for end, name in zip(ends, periods, strict=True))
    return ASKED_FOR, tuple(_asked_for(part) for part in answer.parts)


def _asked_for(part: Answer) -> str:
    """What a part asks for, by its name where that is known."""
    known = part.understood.metrics if part.understood else ()
    return capital(known[0] if known else part.question)


def _reason(answer: Answer) -> str:
    """Why there is no answer, with the nearest printed figure and how it differs."""
    why = answer.words.reasons[answer.reason] if answer.reason else ""
    near = answer.nearest
    if near is None:
        return why
    return f"{why} Nearest: {near.shown}, page {near.page}, “{near.quote}” ({near.detail})."


def _every_citation(answer: Answer) -> tuple[Citation, ...]:
    return answer.citations + tuple(citation for part in answer.parts for citation in part.citations)


def _mark(check: Check) -> CheckMark:
    own = check.name.removeprefix(OWN_CHECK).replace("_", " ")
    label = next((label for name, label in CHECK_LABELS.items() if name == check.name), own)
    return CheckMark(label=label, verdict=check.verdict, detail=check.detail)


def _summary(answer: Answer, values: tuple[str, ...], *, is_table: bool) -> str:
    """What the card says below the value, without what the value says already; a model's prose says all of it."""
    if answer.kind == "text" and answer.is_available and answer.prompt_version:
        return ""
    summary = _rest(answer) if is_table or answer.formula else answer.summary
    return "" if summary in values else summary


def _rest(answer: Answer) -> str:
    """The summary without its first sentence, which the title of a table or the formula of a figure says already."""
    return answer.summary.partition(". ")[2]


def _reading(answer: Answer) -> Reading | None:
    """What was understood: what was calculated or read, else the metrics; companies and periods."""
    known = answer.understood
    figures = (known.figure,) if known and known.figure else known.metrics if known else ()
    if known is None or not figures or answer.reason in ("company_unknown", "company_ambiguous"):
        return None
    parts = (figures, known.companies[:_FEW], known.periods)
    figure, company, period = ("; ".join(part) for part in parts)
    return Reading(figure=figure, company=company, period=period)


def _meant(reading: Reading | None) -> str:
    parts = (reading.figure, reading.company, reading.period) if reading else ()
    return " · ".join(part.replace("; ", ", ") for part in parts if part)


def _is_plain_figure(answer: Answer) -> bool:
    """Whether figure, company and period say all that was understood, better than a follow-up's own words."""
    known = answer.understood
    is_one = isinstance(answer.value, float) and not answer.formula and _reading(answer) is not None
    return is_one and known is not None and known.operation == "value" and not known.conditions


def _is_put_right(answer: Answer) -> bool:
    """Whether a question made of figure, company and period asks all that this one asked."""
    known = answer.understood
    is_of_figures = isinstance(answer.value, float) or answer.kind == "number" or bool(answer.series)
    return is_of_figures and known is not None and len(known.companies) <= _FEW


_FEW = 4
_SEVERAL, _MOSTLY = 2, 0.8


def _markdown(answer: Answer, values: tuple[str, ...], when: str, reports: LinkedReports) -> str:
    about = ", ".join(filter(None, [answer.company, when]))
    lines = [f"**{_as_written('; '.join(values))}**" + (f" ({_as_written(about)})" if about else "")]
    lines += [f"= {_as_written(answer.formula)}"] if answer.formula else []
    lines += [_as_written(_reason(answer))] if answer.reason else []
    for link in source_pages(answer, _every_citation(answer), reports):
        place = link.place(answer.words.page, answer.words.printed_page)
        lines.append(f"> {_as_written(link.quote)}\n>\n> {_as_written(link.title)}, {place}")
    return "\n\n".join(dict.fromkeys(lines))


def _as_written(text: str) -> str:
    """Text for a Markdown file of somebody's own, with no more backslashes than it needs there."""
    return re.sub(
        r"([\\`*_\[\]<>|~])|^([#+-]|\d+[.)])(?= )", lambda found: f"\\{found[0]}", " ".join(text.split())
    )


def _each_with_its_page(links: Sequence[PageLink], values: tuple[str, ...]) -> list[str]:
    """Each quote with its page, where the answer's text is several quotes and nothing else; else nothing."""
    text = " ".join(" ".join(values).split())
    quotes = [" ".join(link.quote.split()) for link in links]
    if len(links) < _SEVERAL or not all(quote in text for quote in quotes):
        return []
    if sum(map(len, set(quotes))) < _MOSTLY * len(text):
        return []
    return [f"{quote} ({link.title}, {link.place('p.')})" for quote, link in zip(quotes, links, strict=True)]


def _source_line(link: PageLink, values: tuple[str, ...]) -> str:
    """Where a quote stands; the quote itself only where the answer's text has not said it already."""
    place = f"{link.title}, {link.place('p.')}"
    return place if any(link.quote in value for value in values) else f"{place}: “{link.quote}”"


def _copied(answer: Answer, values: tuple[str, ...], when: str, reports: LinkedReports) -> str:
    about = ", ".join(filter(None, [answer.company, when]))
    why, sources = _reason(answer), source_pages(answer, answer.citations, reports)
    if answer.kind == "text" and (told := _each_with_its_page(sources, values)):
        lines = [answer.question, *told]
    else:
        lines = [answer.question, "; ".join(values) + (f" ({about})" if about else ""), *filter(None, [why])]
        lines += dict.fromkeys(_source_line(link, (*values, why)) for link in sources)
    for n, part in enumerate(answer.parts):
        links = cited_pages(part.citations, reports)
        pages = ", ".join(dict.fromkeys(f"{link.title}, {link.place('p.')}" for link in links))
        figure = answer.series[n] if len(answer.series) == len(answer.parts) else None
        named = (figure.company, figure.metric, figure.column) if figure else (part.company,)
        name = ", ".join(filter(None, named))
        lines.append(f"{name}: {'; '.join(values_of(part))}" + (f" ({pages})" if pages else ""))
    if answer.cached:
        lines.append(ANSWERED_BEFORE)
    return "\n".join(lines)
