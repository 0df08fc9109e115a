"""A chart as an SVG picture that needs nothing else: lines over two axes, or bars by name; light and dark.

Lines are told apart by dashes and marks as well as by colour, and named at the top.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape
from itertools import chain

from piql_profiler.experiments.experiment import Chart, Series

_WIDTH, _HEIGHT = 760, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 76, 24, 56, 56
_BAR, _GAP, _NAMES = 14, 14, 210
_DASHES = ("", "6 4", "2 3", "8 3 2 3")
_STYLE = """
  svg { --ink: #24241f; --faint: #5d5d57; --line: #d8d8d2; --page: #fff;
        --a: #1f6f43; --b: #a34b00; --c: #2b5c9e; --d: #7a3b8f; }
  @media (prefers-color-scheme: dark) {
    svg { --ink: #ecece6; --faint: #a9a9a1; --line: #44443f; --page: #191918;
          --a: #6fcf97; --b: #f2a65a; --c: #8ab4f8; --d: #d39be6; }
  }
  text { fill: var(--ink); font: 13px system-ui, sans-serif; } .faint { fill: var(--faint); }
  .grid { stroke: var(--line); } .page { fill: var(--page); }
"""
_COLOURS = tuple(f"var(--{letter})" for letter in "abcd")

_Place = Callable[[float], float]


def drawn(chart: Chart) -> str:
    """Return the picture of a chart."""
    first = chart.series[0].points[0][0]
    return _bars(chart) if isinstance(first, str) else _lines(chart)


def _lines(chart: Chart) -> str:
    across = [float(x) for series in chart.series for x, _ in series.points]
    up = [y for series in chart.series for _, y in series.points]
    is_logarithmic = chart.scale == "logarithmic"
    x = _placed(min(across), max(across), _LEFT, _WIDTH - _RIGHT, is_logarithmic)
    low, high = (min(up) / 1.3, max(up) * 1.3) if is_logarithmic else (0.0, max(up) * 1.1)
    y = _placed(low, high, _HEIGHT - _BOTTOM, _TOP, is_logarithmic)
    parts = [*_grid(x, y, sorted(set(across)), _ticks(low, high, is_logarithmic))]
    for at, series in enumerate(chart.series):
        points = [(x(float(value)), y(height)) for value, height in series.points]
        path = " ".join(f"{across_:.1f},{up_:.1f}" for across_, up_ in points)
        parts.append(
            f'<polyline points="{path}" fill="none" stroke="{_COLOURS[at]}" stroke-width="2"'
            f' stroke-dasharray="{_DASHES[at]}"/>'
        )
        parts += [_mark(at, *point) for point in points]
    middle_across, middle_up = (_LEFT + _WIDTH - _RIGHT) / 2, (_TOP + _HEIGHT - _BOTTOM) / 2
    parts.append(_text(middle_across, _HEIGHT - 14, chart.across))
    parts.append(
        f'<text transform="translate(18 {middle_up:.0f}) rotate(-90)" text-anchor="middle">{escape(chart.up)}</text>'
    )
    return _picture(chart, _HEIGHT, [*_key(chart.series), *parts])


def _bars(chart: Chart) -> str:
    """Draw a group of bars for each name, one bar a series, each with its value at its end."""
    names = list(dict.fromkeys(str(name) for series in chart.series for name, _ in series.points))
    values = [{str(name): height for name, height in series.points} for series in chart.series]
    longest = max(chain.from_iterable(of_series.values() for of_series in values)) or 1.0
    group = _BAR * len(chart.series) + _GAP
    height = _TOP + group * len(names) + 40
    scale = (_WIDTH - _NAMES - _RIGHT - 60) / longest
    parts = []
    for row, name in enumerate(names):
        top = _TOP + row * group
        parts.append(_text(_NAMES - 8, top + _BAR * len(chart.series) / 2 + 4, name, "end"))
        for at, of_series in enumerate(values):
            if name not in of_series:
                continue
            length = max(1.0, of_series[name] * scale)
            bar_top = top + at * _BAR
            parts.append(
                f'<rect x="{_NAMES}" y="{bar_top}" width="{length:.1f}" height="{_BAR - 3}" fill="{_COLOURS[at]}"/>'
            )
            parts.append(_text(_NAMES + length + 6, bar_top + _BAR - 4, _figure(of_series[name]), "start", "faint"))
    parts.append(_text((_NAMES + _WIDTH) / 2, height - 12, chart.up))
    return _picture(chart, height, [*_key(chart.series), *parts])


def _picture(chart: Chart, height: int, parts: Sequence[str]) -> str:
    title = escape(chart.title)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}"'
        f' role="img" aria-label="{title}"><title>{title}</title><style>{_STYLE}</style>'
    )
    page = f'<rect class="page" width="{_WIDTH}" height="{height}"/>'
    return "\n".join([head, page, _text(16, 20, chart.title, "start"), *parts, "</svg>", ""])


def _key(series: Sequence[Series]) -> list[str]:
    """Return the names of the series with their marks, side by side."""
    parts = []
    left = 22.0
    for at, line in enumerate(series):
        parts += [_mark(at, left, 38), _text(left + 10, 42, line.label, "start")]
        left += 34 + 7.2 * len(line.label)
    return parts


def _grid(x: _Place, y: _Place, across: Sequence[float], up: Sequence[float]) -> list[str]:
    parts = []
    for value in up:
        at = y(value)
        parts.append(f'<line class="grid" x1="{_LEFT}" y1="{at:.1f}" x2="{_WIDTH - _RIGHT}" y2="{at:.1f}"/>')
        parts.append(_text(_LEFT - 8, at + 4, _figure(value), "end", "faint"))
    last = -math.inf
    for value in across:  # the values that were run, as far as there is room for their names
        at = x(value)
        if at - last > 46:
            parts.append(_text(at, _HEIGHT - _BOTTOM + 18, _figure(value), "middle", "faint"))
            last = at
    return parts


def _placed(low: float, high: float, first: float, last: float, is_logarithmic: bool) -> _Place:
    """Return what maps values between two ends to places between two others."""
    of = math.log if is_logarithmic else float
    begin, end = of(low), of(high)
    return lambda value: first + (of(value) - begin) / ((end - begin) or 1.0) * (last - first)


def _ticks(low: float, high: float, is_logarithmic: bool) -> list[float]:
    if is_logarithmic:
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        return [digit * 10.0**power for power in powers for digit in (1, 2, 5) if low <= digit * 10.0**power <= high]
    step = 10.0 ** math.floor(math.log10(high))
    step = step if high / step >= 3 else step / 4
    return [step * at for at in range(int(high / step) + 1)]


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"


def _mark(at: int, x: float, y: float) -> str:
    if at % 2:
        return f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" fill="{_COLOURS[at]}"/>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{_COLOURS[at]}"/>'


def _text(x: float, y: float, text: str, anchor: str = "middle", kind: str = "") -> str:
    of_kind = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{of_kind}>{escape(text)}</text>'
