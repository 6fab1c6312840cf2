"""The lab's results: one line for each variant, a picture of quality against cost, and one HTML file of both."""

import math
from collections.abc import Sequence
from html import escape
from importlib import resources
from string import Template
from typing import NamedTuple

from app.evaluation.scoring import Evaluation
from app.files.answer_json import PageRef
from app.files.answers import StepSeconds
from app.lab.comparison import Comparison, Estimate, GivenAnswer, QuestionRow, VariantResult
from storage.amounts import grouped

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
        only_differing="checked" if differing else "",
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
        return grouped(value)
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
    shares = ("answered", "wrong", "missing")
    parts = tuple(f"{part} s" for part in StepSeconds.model_fields)
    return (
        *("variant", "score", "95 %", "± first", "G", "R"),
        *(*kinds, *shares, "pages P", "pages R"),
        *("s/question", *parts, "USD/question"),
    )


def lines(comparison: Comparison) -> tuple[tuple[str, ...], ...]:
    """The table's cells for the variants that ran, in their order."""
    kinds = _kinds(comparison)
    return tuple(
        _line(variant, variant.evaluation, variant.score, kinds)
        for variant in comparison.done
        if variant.evaluation and variant.score
    )


def best(comparison: Comparison) -> frozenset[str]:
    """The names of the variants with the highest score, of those that answered anything."""
    scores = {v.name: v.evaluation.score for v in comparison.done if v.evaluation and v.evaluation.answered}
    return frozenset(name for name, score in scores.items() if score == max(scores.values()))


def troubles(variants: Sequence[VariantResult]) -> tuple[str, ...]:
    """The variants that could not run or had failures, a line for each."""
    lacking = [f"{v.name}: not asked: needs {'; '.join(v.lacks)}" for v in variants if v.lacks]
    failing = [
        f"{v.name}: {v.failed} questions got no answer; the first: {v.first_error}"
        for v in variants
        if v.failed and not v.lacks
    ]
    silent = [
        f"{v.name}: answered nothing; its score is that of saying N/A to every question"
        for v in variants
        if v.evaluation and not v.evaluation.answered
    ]
    warned = [f"{v.name}: {warning}" for v in variants for warning in v.warnings]
    return (*lacking, *failing, *silent, *warned)


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


def _line(variant: VariantResult, found: Evaluation, score: Estimate, kinds: Sequence[str]) -> tuple[str, ...]:
    pages = found.references
    by_kind = [f"{found.by_kind[kind].G:.1f}" if kind in found.by_kind else NOTHING for kind in kinds]
    precision = NOTHING if pages is None or pages.precision is None else f"{pages.precision:.3f}"
    taken = variant.step_seconds
    parts = [f"{getattr(taken, part):.2f}" if taken else NOTHING for part in StepSeconds.model_fields]
    return (
        variant.name,
        f"{found.score:.1f}",
        f"{score.low:.1f} … {score.high:.1f}",
        _difference(variant.against_first),
        f"{found.G:.1f}",
        NOTHING if found.R is None else f"{found.R:.1f}",
        *by_kind,
        f"{found.answered / found.n:.1%}",
        f"{found.wrong / found.n:.1%}",
        f"{found.missing / found.n:.1%}",
        precision,
        NOTHING if pages is None else f"{pages.recall:.3f}",
        NOTHING if found.seconds_per_question is None else f"{found.seconds_per_question:.2f}",
        *parts,
        NOTHING if found.cost_usd_per_question is None else f"{found.cost_usd_per_question:.4f}",
    )


def _difference(found: Estimate | None) -> str:
    """The difference with its interval; one that may be chance has a tilde before it."""
    if found is None:
        return NOTHING
    if not (found.low or found.high):
        return "the same"
    return f"{'~' if found.holds_zero else ''}{found.value:+.1f} ({found.low:+.1f} … {found.high:+.1f})"


def _kinds(comparison: Comparison) -> tuple[str, ...]:
    return tuple(sorted({kind for v in comparison.done if v.evaluation for kind in v.evaluation.by_kind}))


WIDTH, HEIGHT = 960, 430
LEFT, RIGHT, TOP, BOTTOM = 64, 350, 28, 56  # margins; names are on the right
_GAP = 17  # between two names
_STEPS = (1, 2, 5)
COLOURS = (
    "#1f6f8b",
    "#c8553d",
    "#5b8c5a",
    "#8b5fbf",
    "#d19a2e",
    "#3d5a80",
    "#a23b72",
    "#4f5d75",
    "#2a9d8f",
    "#9c6644",
)


class _Point(NamedTuple):
    name: str
    price: float
    score: float


class _Axis(NamedTuple):
    start: float
    end: float
    step: float

    def ticks(self) -> list[float]:
        count = round((self.end - self.start) / self.step)
        return [self.start + self.step * i for i in range(count + 1)]

    def share(self, value: float) -> float:
        return (value - self.start) / (self.end - self.start)


def colour(number: int) -> str:
    """The colour of the variant with this number from 0, in the picture and the table."""
    return COLOURS[number % len(COLOURS)]


def picture(comparison: Comparison) -> str:
    """The picture as SVG; up is better, left is cheaper. The cost is money if any variant cost money, else seconds."""
    costs = [v.evaluation.cost_usd_per_question for v in comparison.done if v.evaluation]
    in_money = any(costs)
    points = [
        _Point(
            v.name,
            (v.evaluation.cost_usd_per_question if in_money else v.evaluation.seconds_per_question) or 0.0,
            v.evaluation.score,
        )
        for v in comparison.done
        if v.evaluation
    ]
    out_of = 150 if all(v.evaluation and v.evaluation.R is not None for v in comparison.done) else 100
    across = _axis(0.0, max((p.price for p in points), default=0.0))
    scores = [p.score for p in points] or [0.0]
    spread = max(2.0, (max(scores) - min(scores)) * 0.15)
    up = _axis(max(0.0, min(scores) - spread), min(float(out_of), max(scores) + spread))
    label = "US dollars a question" if in_money else "seconds a question"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
            f'aria-label="score against {label}" font-family="system-ui, sans-serif" font-size="12">',
            '<rect width="100%" height="100%" fill="#ffffff"/>',
            *_grid(across, up, label, out_of),
            *_marks(points, across, up),
            "</svg>",
        ]
    )


def _grid(across: _Axis, up: _Axis, label: str, out_of: int) -> list[str]:
    drawn = []
    for tick in up.ticks():
        y = _y(up, tick)
        drawn.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#e6e6e6"/>')
        drawn.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end" fill="#555">{tick:g}</text>')
    bottom = HEIGHT - BOTTOM
    for tick in across.ticks():
        x = _x(across, tick)
        drawn.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{bottom}" stroke="#f0f0f0"/>')
        drawn.append(f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle" fill="#555">{_plain(tick)}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    drawn.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{bottom}" y2="{bottom}" stroke="#888"/>')
    drawn.append(f'<text x="{middle}" y="{bottom + 40}" text-anchor="middle" fill="#333">{label}</text>')
    drawn.append(f'<text x="{LEFT}" y="{TOP - 10}" fill="#333">score, of {out_of}</text>')
    return drawn


def _marks(points: Sequence[_Point], across: _Axis, up: _Axis) -> list[str]:
    """Dots, and their names in a column on the right, each connected to its dot."""
    drawn = []
    order = sorted(range(len(points)), key=lambda i: (-points[i].score, points[i].price))
    wanted = [_y(up, points[i].score) for i in order]
    for i, place in zip(order, _apart(wanted), strict=True):
        point, hue = points[i], colour(i)
        x, y, side = _x(across, point.price), _y(up, point.score), WIDTH - RIGHT + 16
        drawn.append(
            f'<path d="M{x + 7:.1f} {y:.1f} L{side - 10} {place:.1f} L{side - 3} {place:.1f}" fill="none" '
            f'stroke="{hue}" stroke-opacity="0.35"/>'
        )
        hint = f"{point.name}: score {point.score:.1f}, {_plain(point.price)}"
        drawn.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="{hue}" stroke="#fff"><title>{escape(hint)}</title></circle>'
        )
        drawn.append(f'<text x="{side}" y="{place + 4:.1f}" fill="#222">{escape(_short(point.name))}</text>')
    return drawn


def _apart(wanted: Sequence[float]) -> list[float]:
    """The heights in the same order with room between them, as close as possible to the wanted ones."""
    placed: list[float] = []
    for height in wanted:
        placed.append(max(height, placed[-1] + _GAP) if placed else height)
    over = placed[-1] - (HEIGHT - BOTTOM) if placed else 0.0
    if over > 0:
        lowest = float(HEIGHT - BOTTOM)
        for i in range(len(placed) - 1, -1, -1):
            placed[i] = min(placed[i], lowest)
            lowest = placed[i] - _GAP
    return placed


def _axis(low: float, high: float) -> _Axis:
    """Round ends and steps around the values."""
    span = (high - low) or 1.0
    power = 10.0 ** math.floor(math.log10(span / 4))
    step = next((s * power for s in (*_STEPS, 10) if span / (s * power) <= 6), 10 * power)
    return _Axis(math.floor(low / step) * step, math.ceil((low + span) / step) * step, step)


def _x(axis: _Axis, value: float) -> float:
    return LEFT + axis.share(value) * (WIDTH - LEFT - RIGHT)


def _y(axis: _Axis, value: float) -> float:
    return HEIGHT - BOTTOM - axis.share(value) * (HEIGHT - TOP - BOTTOM)


def _plain(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".") if value else "0"


def _short(name: str) -> str:
    return name if len(name) <= 54 else f"{name[:53]}…"
