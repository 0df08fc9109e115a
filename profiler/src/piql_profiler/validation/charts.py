"""The charts of a validation's report, in SVG: predicted over actual p99, and how far off each prediction is."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape

from piql_profiler.predictor.models import DEFAULT_MODEL
from piql_profiler.validation.scores import Row

_WIDTH, _HEIGHT, _MARGIN = 560, 420, 56
_LINE, _NAMES, _LONGEST = 34, 210, 26  # of the chart of errors: height of a query, room for its name
_FARTHEST = 1.0  # error at the end of the scale
_INK, _FAINT = "#1f6f43", "#999"
_FILL: Mapping[str, str] = {"paper": "none", DEFAULT_MODEL: _INK}


def predicted_over_actual(rows: Sequence[Row]) -> str:
    """Draw a dot for each query and model, both axes logarithmic; on the diagonal a prediction is right."""
    values = [row.actual.estimate_us for row in rows] + [row.predicted_us[name] for row in rows for name in _FILL]
    low, high = math.log(min(values) / 1.3), math.log(max(values) * 1.3)
    side_x, side_y = _WIDTH - 2 * _MARGIN, _HEIGHT - 2 * _MARGIN

    def x(value: float) -> float:
        return _MARGIN + (min(max(math.log(value), low), high) - low) / (high - low) * side_x

    def y(value: float) -> float:
        return _HEIGHT - _MARGIN - (math.log(value) - low) / (high - low) * side_y

    ends = math.exp(low), math.exp(high)
    shapes = [_line(x(ends[0]), y(ends[0]), x(ends[1]), y(ends[1]), _FAINT)]
    for tick in ticks(*ends):
        label = f"{tick / 1000:g}"
        shapes += [
            _line(x(tick), y(ends[0]), x(tick), y(ends[1]), "#eee"),
            _line(x(ends[0]), y(tick), x(ends[1]), y(tick), "#eee"),
            _text(x(tick), _HEIGHT - _MARGIN + 18, label),
            _text(_MARGIN - 8, y(tick) + 4, label, "end"),
        ]
    for row in rows:
        for name, fill in _FILL.items():
            at = y(row.predicted_us[name])
            dash = "" if math.isfinite(row.actual.high_us) else ' stroke-dasharray="2 3"'
            top = x(min(row.actual.high_us, ends[1]))
            bar = _line(x(row.actual.low_us), at, top, at, _INK, f'{dash} opacity=".4"')
            shapes.append(f"<g>{_title(row, name)}{bar}{_dot(x(row.actual.estimate_us), at, fill)}</g>")
    shapes += [
        _text(_WIDTH / 2, _HEIGHT - 12, "actual p99, ms"),
        f'<text transform="translate(14 {_HEIGHT / 2}) rotate(-90)" text-anchor="middle">predicted p99, ms</text>',
    ]
    return _figure(
        _WIDTH,
        _HEIGHT,
        "Predicted over actual p99",
        shapes,
        f"A dot for each query, filled: {DEFAULT_MODEL}, hollow: paper. The bar is the 95 % confidence interval of the "
        "actual p99, dotted where it has no upper end; a dot above the line is a prediction that is too high.",
    )


def errors_by_query(rows: Sequence[Row]) -> str:
    """Draw how far off each prediction is, and how far it may be while the actual p99 stays within its interval.

    mine    ├────●──○┤        a line a query, the middle is right
    """
    height = _LINE * len(rows) + 44
    middle, half = (_NAMES + _WIDTH) / 2, (_WIDTH - _NAMES) / 2 - 30

    def x(error: float) -> float:
        return middle + min(max(error, -_FARTHEST), _FARTHEST) / _FARTHEST * half

    bottom = height - 40
    shapes = []
    for tick in (-1.0, -0.5, 0.0, 0.5, 1.0):
        end = "≥ " if tick == _FARTHEST else ""
        shapes += [
            _line(x(tick), 4, x(tick), bottom, "#eee" if tick else _FAINT),
            _text(x(tick), bottom + 16, f"{end}{tick:+.0%}" if tick else "right"),
        ]
    for at, row in enumerate(rows):
        y = _LINE * (at + 0.5) + 4
        short = row.query if len(row.query) <= _LONGEST else row.query[: _LONGEST - 1] + "…"
        shapes.append(_text(_NAMES - 8, y + 4, escape(short), "end"))
        for name, fill in _FILL.items():
            line = y + (-6 if name == "paper" else 6)
            ends = [row.predicted_us[name] / value - 1.0 for value in (row.actual.high_us, row.actual.low_us)]
            bar = _line(x(ends[0]), line, x(ends[1]), line, _INK, ' opacity=".4"')
            shapes.append(f"<g>{_title(row, name)}{bar}{_dot(x(row.error(name)), line, fill)}</g>")
    shapes.append(_text(middle, height - 6, "predicted / actual − 1"))
    return _figure(
        _WIDTH,
        height,
        "Error of each prediction",
        shapes,
        f"Filled: {DEFAULT_MODEL}, hollow: paper. The bar is what the error can be while the actual p99 stays within "
        "its 95 % confidence interval; one that crosses the middle proves nothing.",
    )


def ticks(low: float, high: float) -> Iterator[float]:
    """The ones, twos and fives of each power of ten between two ends."""
    for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1):
        yield from (digit * 10.0**power for digit in (1, 2, 5) if low <= digit * 10.0**power <= high)


def _title(row: Row, model: str) -> str:
    return f"<title>{escape(row.query)}: {model} {row.error(model):+.1%}</title>"


def _line(x1: float, y1: float, x2: float, y2: float, stroke: str, more: str = "") -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{stroke}"{more}/>'


def _dot(x: float, y: float, fill: str) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{fill}" stroke="{_INK}"/>'


def _text(x: float, y: float, text: str, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>'


def _figure(width: int, height: int, label: str, shapes: Sequence[str], caption: str) -> str:
    drawn = "\n".join(shapes)
    return f"""<figure>
<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-size="12" role="img" aria-label="{label}">
{drawn}
</svg>
<figcaption>{caption}</figcaption>
</figure>"""
