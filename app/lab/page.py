"""The lab's results: one line for each variant, and one HTML file that needs no network."""

from collections.abc import Sequence
from html import escape
from importlib import resources
from string import Template

from app.evaluation.scoring import Evaluation
from app.files.answer_json import PageRef
from app.lab.comparison import Comparison, GivenAnswer, QuestionRow, VariantResult
from app.lab.picture import colour, picture

_LONGEST = 240  # characters of a value


def page(comparison: Comparison) -> str:
    """The HTML page: the table, the picture, and every question with each variant's answer."""
    template = Template((resources.files("app.lab") / "page.html").read_text(encoding="utf-8"))
    kinds = sorted({row.kind for row in comparison.rows})
    differing = sum(row.differs for row in comparison.rows)
    counts = (
        f"{comparison.count} questions of {escape(comparison.questions)}, known answers {escape(comparison.truth)}, "
        f"{len(comparison.done)} variants; they differ in {differing} questions."
    )
    return template.substitute(
        title=escape(comparison.questions),
        counts=counts,
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
    listed = [
        f'<span class="{"hit" if place in right else ""}">{place[0][:6] + " " if several else ""}{place[1]}</span>'
        for place in pages
    ]
    return f"p. {', '.join(listed)}"


NOTHING = "–"


def columns(comparison: Comparison) -> tuple[str, ...]:
    """The column headers: the score, its parts, each kind, errors, pages, time and cost."""
    kinds = tuple(f"G {kind}" for kind in _kinds(comparison))
    return (
        "variant",
        "score",
        "G",
        "R",
        *kinds,
        "wrong",
        "missing",
        "pages P",
        "pages R",
        "s/question",
        "USD/question",
    )


def lines(comparison: Comparison) -> tuple[tuple[str, ...], ...]:
    """The table's cells for the variants that ran, in their order."""
    kinds = _kinds(comparison)
    return tuple(
        _line(variant.name, variant.evaluation, kinds) for variant in comparison.done if variant.evaluation
    )


def best(comparison: Comparison) -> frozenset[str]:
    """The names of the variants with the highest score."""
    scores = {v.name: v.evaluation.score for v in comparison.done if v.evaluation}
    return frozenset(name for name, score in scores.items() if score == max(scores.values()))


def troubles(variants: Sequence[VariantResult]) -> tuple[str, ...]:
    """The variants that could not run or had failures, a line for each."""
    lacking = [f"{v.name}: not asked: needs {'; '.join(v.lacks)}" for v in variants if v.lacks]
    failing = [
        f"{v.name}: {v.failed} questions got no answer; the first: {v.first_error}"
        for v in variants
        if v.failed and not v.lacks
    ]
    warned = [f"{v.name}: {warning}" for v in variants for warning in v.warnings]
    return (*lacking, *failing, *warned)


def as_markdown(comparison: Comparison) -> str:
    """The table, with the problems below it."""
    heads = columns(comparison)
    ruler = ["---", *("---:" for _ in heads[1:])]
    rows = [heads, ruler, *(_marked(line, best(comparison)) for line in lines(comparison))]
    table = "\n".join("| " + " | ".join(cells) + " |" for cells in rows)
    problems = "".join(f"\n- {trouble}" for trouble in troubles(comparison.variants))
    source = f"{comparison.count} questions of `{comparison.questions}`, truth `{comparison.truth}`."
    return f"{table}\n\n{source}\n{problems}\n"


def _marked(line: Sequence[str], winners: frozenset[str]) -> list[str]:
    return [f"**`{line[0]}`**" if line[0] in winners else f"`{line[0]}`", *line[1:]]


def _line(name: str, found: Evaluation, kinds: Sequence[str]) -> tuple[str, ...]:
    pages = found.references
    by_kind = [f"{found.by_kind[kind].G:.1f}" if kind in found.by_kind else NOTHING for kind in kinds]
    precision = NOTHING if pages is None or pages.precision is None else f"{pages.precision:.3f}"
    return (
        name,
        f"{found.score:.1f}",
        f"{found.G:.1f}",
        NOTHING if found.R is None else f"{found.R:.1f}",
        *by_kind,
        f"{found.wrong / found.n:.1%}",
        f"{found.missing / found.n:.1%}",
        precision,
        NOTHING if pages is None else f"{pages.recall:.3f}",
        NOTHING if found.seconds_per_question is None else f"{found.seconds_per_question:.2f}",
        NOTHING if found.cost_usd_per_question is None else f"{found.cost_usd_per_question:.4f}",
    )


def _kinds(comparison: Comparison) -> tuple[str, ...]:
    return tuple(sorted({kind for v in comparison.done if v.evaluation for kind in v.evaluation.by_kind}))
