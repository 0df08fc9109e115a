"""Lines over two logarithmic axes → an SVG picture, told apart by mark and label as well as by colour."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 72, 24, 56, 64  # margins
COLOURS = ("#1f6b3b", "#b3501c", "#2b5c9e")
DASHES = ("", "6 4", "2 3")


class Series(NamedTuple):
    """One line of a chart: its name and its points."""

    label: str
    points: Sequence[tuple[float, float]]


def chart(title: str, x_label: str, y_label: str, series: Sequence[Series]) -> str:
    """Draw series whose values are all above zero."""
    xs = [x for line in series for x, _ in line.points]
    ys = [y for line in series for _, y in line.points]
    low_x, high_x = math.log10(min(xs)), math.log10(max(xs))
    low_y, high_y = math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys)))

    def place(x: float, y: float) -> tuple[float, float]:
        """Return the point in the picture for two values."""
        across = (math.log10(x) - low_x) / (high_x - low_x)
        up = (math.log10(y) - low_y) / max(1, high_y - low_y)
        return LEFT + across * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" font-family="sans-serif"'
        f' font-size="13" fill="#222"><title>{escape(title)}</title>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        f'<text x="{LEFT}" y="20" font-size="15" font-weight="600">{escape(title)}</text>',
    ]
    for power in range(low_y, high_y + 1):
        _, y = place(xs[0], 10.0**power)
        parts.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g}</text>')
    for power in range(math.ceil(low_x), math.floor(high_x) + 1):
        x, _ = place(10.0**power, ys[0])
        parts.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{HEIGHT - BOTTOM}" stroke="#eee"/>')
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{10**power:,}</text>')
    middle = LEFT + (WIDTH - LEFT - RIGHT) / 2
    parts.append(f'<text x="{middle}" y="{HEIGHT - 18}" text-anchor="middle">{escape(x_label)}</text>')
    at = f"18 {TOP + (HEIGHT - TOP - BOTTOM) / 2}"
    parts.append(f'<text transform="translate({at}) rotate(-90)" text-anchor="middle">{escape(y_label)}</text>')
    for number, curve in enumerate(series):
        colour, dash = COLOURS[number % len(COLOURS)], DASHES[number % len(DASHES)]
        places = [place(*point) for point in curve.points]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(
            f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>'
        )
        parts += [_mark(number, x, y, colour) for x, y in places]
        x, y = LEFT + 8 + number * 300, 40
        parts.append(_mark(number, x, y - 4, colour))
        parts.append(f'<text x="{x + 12}" y="{y}">{escape(curve.label)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _mark(number: int, x: float, y: float, colour: str) -> str:
    """Return the mark of a point: squares and circles take turns by the number of the line."""
    if number % 2:
        return f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" fill="{colour}"/>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{colour}"/>'
