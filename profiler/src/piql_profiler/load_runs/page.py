"""A load run as one HTML page that needs nothing else, neither scripts nor fonts; light and dark."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from html import escape

from piql_profiler.load_runs.result import LoadRun, Second
from piql_profiler.load_runs.verdicts import Objectives
from piql_profiler.load_runs.wording import (
    HEADINGS,
    cells,
    ending,
    heading,
    remarks,
    step_heading,
    threshold_text,
)
from piql_profiler.validation.charts import ticks

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 860, 240, 56, 40, 14
_MOST_POINTS = 400
_STYLE = """
  :root { color-scheme: light dark; --ink: #1c1c1a; --faint: #5d5d57; --line: #d8d8d2; --page: #fff;
          --first: #1f6f43; --second: #a34b00; }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #ecece6; --faint: #a9a9a1; --line: #44443f; --page: #191918; --first: #6fcf97; --second: #f2a65a; }
  }
  body { font: 14px/1.5 system-ui, sans-serif; max-width: 1080px; margin: 2em auto; padding: 0 16px;
         color: var(--ink); background: var(--page); }
  .wide { overflow-x: auto; }
  table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
  th, td { padding: 4px 10px; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
  th:first-child, td:first-child { text-align: left; }
  figure { margin: 24px 0; } figcaption { color: var(--faint); }
  svg { max-width: 100%; height: auto; } svg text { fill: var(--faint); }
  .grid { stroke: var(--line); } .first { stroke: var(--first); } .second { stroke: var(--second); }
  path { fill: none; stroke-width: 1.6; } .second { stroke-dasharray: 5 3; }
"""


def as_page(run: LoadRun, objectives: Objectives) -> str:
    """The result of a run as HTML, with its charts drawn in SVG."""
    began = datetime.fromtimestamp(run.started_at, UTC).isoformat(sep=" ", timespec="seconds")
    steps = "\n".join(_step(run, step, objectives) for step in range(len(run.setting.steps)) if run.lines_of(step))
    thresholds = _list("Thresholds", [threshold_text(threshold) for threshold in run.thresholds])
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>PIQL: load run</title>
<style>{_STYLE}</style>
<h1>Load run</h1>
<p>{escape(heading(run))} Begun {began[:19]} UTC.</p>
{"".join(f"<p><strong>{escape(sentence)}</strong></p>" for sentence in ending(run))}
{_charts(run.timeline)}
{steps}
{thresholds}
</html>
"""


def _step(run: LoadRun, step: int, objectives: Objectives) -> str:
    heads = "".join(f'<th scope="col">{escape(head)}</th>' for head in HEADINGS)
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells(run, line)) + "</tr>"
        for line in run.lines_of(step)
    )
    said = "".join(f"<li>{escape(remark)}</li>" for remark in remarks(run, step, objectives))
    return f"""<h2>{escape(step_heading(run, step))}</h2>
<div class="wide"><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>
{f"<ul>{said}</ul>" if said else ""}"""


def _list(title: str, sentences: Sequence[str]) -> str:
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    return f"<h2>{title}</h2>\n<ul>{items}</ul>" if sentences else ""


def _charts(timeline: Sequence[Second]) -> str:
    if len(timeline) < 2:
        return ""
    stride = math.ceil(len(timeline) / _MOST_POINTS)
    seconds = timeline[::stride]
    return "\n".join(
        (
            _chart(
                seconds,
                "Latency of each second, ms",
                (lambda second: second.p99_ms, lambda second: second.p50_ms),
                "p99 (line) and p50 (dashes) of the calls that ended in a second, from the moment they were due.",
                is_logarithmic=True,
            ),
            _chart(
                seconds,
                "Calls a second",
                (lambda second: second.asked, lambda second: second.done),
                "Asked (line) and done (dashes). Where they part, calls wait, or the client is late.",
            ),
        )
    )


def _even_marks(high: float) -> list[float]:
    """Round numbers at equal distances, from 0 to at most `high`."""
    step = next(mark for mark in ticks(high / 10, high) if mark >= high / 6)
    return [step * number for number in range(int(high / step) + 1)]


def _chart(
    seconds: Sequence[Second],
    title: str,
    series: Sequence[Callable[[Second], float | None]],
    caption: str,
    *,
    is_logarithmic: bool = False,
) -> str:
    """Two lines over the time of the run."""
    values = [value for read in series for second in seconds if (value := read(second)) is not None and value > 0]
    if not values:
        return ""
    low, high = (min(values) / 1.2, max(values) * 1.2) if is_logarithmic else (0.0, max(values) * 1.1)
    end = seconds[-1].at

    def x(at: float) -> float:
        return _LEFT + at / end * (_WIDTH - _LEFT - 10)

    def y(value: float) -> float:
        part = math.log(max(value, low) / low) / math.log(high / low) if is_logarithmic else value / high
        return _HEIGHT - _BOTTOM - part * (_HEIGHT - _BOTTOM - _TOP)

    marks = [*ticks(low, high)] if is_logarithmic else _even_marks(high)
    shapes = [
        f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - 10}" y1="{y(mark):.1f}" y2="{y(mark):.1f}"/>'
        f'<text x="{_LEFT - 6}" y="{y(mark) + 4:.1f}" text-anchor="end">{mark:.3g}</text>'
        for mark in marks
    ]
    shapes += [
        f'<text x="{x(mark):.1f}" y="{_HEIGHT - 18}" text-anchor="middle">{mark:g}</text>' for mark in _even_marks(end)
    ]
    shapes.append(f'<text x="{_WIDTH / 2}" y="{_HEIGHT - 2}" text-anchor="middle">seconds</text>')
    for name, read in zip(("first", "second"), series, strict=True):
        points = [(x(second.at), y(value)) for second in seconds if (value := read(second)) is not None]
        path = " ".join(f"{'L' if at else 'M'}{point[0]:.1f} {point[1]:.1f}" for at, point in enumerate(points))
        shapes.append(f'<path class="{name}" d="{path}"/>')
    drawn = "\n".join(shapes)
    size = f'viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}"'
    return f"""<figure>
<svg {size} font-size="12" role="img" aria-label="{title}">
{drawn}
</svg>
<figcaption>{title}. {caption}</figcaption>
</figure>"""
