"""A picture of quality against cost, with a point for each variant, as SVG."""

import math
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from app.lab.comparison import Comparison

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
