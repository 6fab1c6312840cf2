"""The lab's report for people: one HTML file that needs no network."""

from collections.abc import Sequence
from html import escape
from importlib import resources
from string import Template

from app.answer_json import PageRef
from app.lab.comparison import Comparison, GivenAnswer, QuestionRow
from app.lab.picture import colour, picture
from app.lab.table import NOTHING, best, columns, lines, troubles

_LONGEST = 240  # characters of a value


def page(comparison: Comparison) -> str:
    """The table, the picture, and every question with what each variant made of it."""
    template = Template((resources.files("app.lab") / "page.html").read_text(encoding="utf-8"))
    kinds = sorted({row.kind for row in comparison.rows})
    differing = sum(row.differs for row in comparison.rows)
    told = (
        f"{comparison.count} questions of {escape(comparison.questions)}, known answers {escape(comparison.truth)}, "
        f"{len(comparison.done)} variants; they differ in {differing} questions."
    )
    return template.substitute(
        title=escape(comparison.questions),
        told=told,
        troubles=_list(troubles(comparison.variants)),
        variants=_variants(comparison),
        picture=picture(comparison),
        kinds="".join(f'<option value="{escape(kind)}">{escape(kind)}</option>' for kind in kinds),
        questions=_questions(comparison),
    )


def _list(items: Sequence[str]) -> str:
    return f'<ul class="troubles">{"".join(f"<li>{escape(item)}</li>" for item in items)}</ul>' if items else ""


def _variants(comparison: Comparison) -> str:
    heads = "".join(f"<th>{escape(head)}</th>" for head in columns(comparison))
    winners = best(comparison)
    rows = []
    for number, (name, *cells) in enumerate(lines(comparison)):
        first = (
            f'<td><span class="dot" style="background:{colour(number)}"></span><code>{escape(name)}</code></td>'
        )
        rest = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        row_class = "best" if name in winners else "other"
        rows.append(f'<tr class="{row_class}">{first}{rest}</tr>')
    return f'<table id="variants"><thead><tr>{heads}</tr></thead><tbody>{"".join(rows)}</tbody></table>'


def _questions(comparison: Comparison) -> str:
    names = "".join(
        f'<th><span class="dot" style="background:{colour(number)}"></span>{escape(variant.name)}</th>'
        for number, variant in enumerate(comparison.done)
    )
    body = "\n".join(_row(row) for row in comparison.rows)
    return (
        f'<table id="questions"><thead><tr><th>question</th><th>known answer</th>{names}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )


def _row(row: QuestionRow) -> str:
    several = len({sha1 for sha1, _ in row.wanted}) > 1
    known = NOTHING if row.expected is None else " or ".join(_shown(value) for value in row.expected)
    first = f'<td class="q">{escape(row.question)}<div class="small">{escape(row.kind)}</div></td>'
    second = f'<td class="a">{known}<div class="small">{_pages(row.wanted, row.wanted, several)}</div></td>'
    cells = "".join(_cell(answer, several) for answer in row.given)
    differs = "yes" if row.differs else "no"
    return f'<tr data-kind="{escape(row.kind)}" data-differs="{differs}">{first}{second}{cells}</tr>'


def _cell(answer: GivenAnswer, several: bool) -> str:
    value = "no answer" if answer.value is None else _shown(answer.value)
    reason = f"<div class='small'>{escape(answer.reason.replace('_', ' '))}</div>" if answer.reason else ""
    pages = f"<div class='small'>{_pages(answer.pages, answer.right_pages, several)}</div>"
    return f'<td class="a {answer.outcome or ""}"><span class="value">{value}</span>{reason}{pages}</td>'


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return f"{value:,.10g}"
    text = "; ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return escape(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")


def _pages(pages: Sequence[PageRef], right: Sequence[PageRef], several: bool) -> str:
    if not pages:
        return ""
    told = [
        f'<span class="{"hit" if place in right else ""}">{place[0][:6] + " " if several else ""}{place[1]}</span>'
        for place in pages
    ]
    return f"p. {', '.join(told)}"
