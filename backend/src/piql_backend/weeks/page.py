"""A week of an environment as one HTML page that needs nothing else; light and dark. Pure.

The worst queries come first: those that fail, have incidents, or used up their error budget.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape

from piql_backend.alerts.schemas import AlertRead
from piql_backend.latency.danger import budget_left, is_failing, worst_first
from piql_backend.latency.schemas import LatencyPointRead, LatencyRead, QueryLatencyRead

MOST_CHARTS = 20  # queries whose p99 is drawn over the week
_WIDTH, _HEIGHT = 180, 32
_HEADS = (
    "Query",
    "",
    "Executions",
    "Failed",
    "p99, ms",
    "Predicted",
    "SLO",
    "Within",
    "Budget left",
    "p99 over the week",
)
_INCIDENTS = {
    "over-bound": "over its bound",
    "limit-passed": "limit passed",
    "dangling-entry": "entry without record",
}
_STYLE = """
  :root { color-scheme: light dark; --ink: #1c1c1a; --faint: #5d5d57; --line: #d8d8d2; --page: #fff;
          --bad: #a4161a; --good: #1f6f43; --drawn: #a34b00; }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #ecece6; --faint: #a9a9a1; --line: #44443f; --page: #191918; --bad: #ff8a80; --good: #6fcf97;
            --drawn: #f2a65a; }
  }
  body { font: 14px/1.5 system-ui, sans-serif; max-width: 1180px; margin: 2em auto; padding: 0 16px;
         color: var(--ink); background: var(--page); }
  h2 { margin-top: 2em; } .soft, summary, th { color: var(--faint); font-weight: 400; } .bad { color: var(--bad); }
  .good { color: var(--good); } .headline { font-size: 20px; font-weight: 600; }
  .wide { overflow-x: auto; }
  table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
  th, td { padding: 4px 10px; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
  th:first-child, td:first-child, th:nth-child(2), td:nth-child(2) { text-align: left; }
  svg { vertical-align: middle; } path { fill: none; stroke: var(--drawn); stroke-width: 1.6; }
  line { stroke: var(--bad); stroke-dasharray: 3 3; }
  @media print { .wide { overflow: visible; } tr { break-inside: avoid; } }
"""


@dataclass(frozen=True, slots=True)
class Week:
    """What the page is about. `series` has the p99 over the week of the queries that are drawn."""

    application: str
    environment: str
    version: int
    since: datetime
    latency: LatencyRead
    series: Mapping[str, Sequence[LatencyPointRead]]
    alerts: Sequence[AlertRead]


def as_page(week: Week) -> str:
    """The page as HTML."""
    ran = worst_first([query for query in week.latency.queries if query.was_executed])
    idle = sorted(query.query for query in week.latency.queries if not query.was_executed)
    until = week.latency.updated_at
    place = f"{escape(week.application)}, {escape(week.environment)}"
    executions = sum(query.executions for query in ran)
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>PIQL: a week of {place}</title>
<style>{_STYLE}</style>
<h1>A week of {place}</h1>
<p class="soft">{_day(week.since)} to {_day(until)}, version {week.version}. {_counted(executions, "execution")} of
{_counted(len(ran), "query", "queries")}.</p>
{_headline(ran)}
<h2>Queries, the worst first</h2>
{_table(ran, week.series) if ran else "<p>Nothing was executed.</p>"}
{_idle(idle)}
{_deployments(week)}
{_alerts(week.alerts)}
</html>
"""


def _headline(ran: Sequence[QueryLatencyRead]) -> str:
    judged = [query for query in ran if query.budget is not None and query.budget.left is not None]
    broken = sum(budget_left(query) < 0 for query in judged)
    failing, incidents = sum(map(is_failing, ran)), sum(bool(query.incidents) for query in ran)
    sentences = []
    if not judged:
        sentences.append('<p class="headline">No query with an SLO was executed.</p>')
    elif broken:
        counted = f"{broken} of {_counted(len(judged), 'SLO')} used up more than the error budget of the week."
        sentences.append(f'<p class="headline bad">{counted}</p>')
    else:
        kept = "The SLO was kept." if len(judged) == 1 else f"All {len(judged)} SLOs were kept."
        sentences.append(f'<p class="headline good">{kept}</p>')
    if failing:
        sentences.append(
            f'<p class="bad">{_counted(failing, "query", "queries")} failed in half of the executions or more.</p>'
        )
    if incidents:
        sentences.append(f'<p class="bad">{_counted(incidents, "query", "queries")} had incidents.</p>')
    return "\n".join(sentences)


def _table(queries: Sequence[QueryLatencyRead], series: Mapping[str, Sequence[LatencyPointRead]]) -> str:
    heads = "".join(f'<th scope="col">{head}</th>' for head in _HEADS)
    rows = "\n".join(_row(query, series.get(query.query, ())) for query in queries)
    return f'<div class="wide"><table><thead><tr>{heads}</tr></thead><tbody>\n{rows}\n</tbody></table></div>'


def _row(query: QueryLatencyRead, points: Sequence[LatencyPointRead]) -> str:
    slo, compliance = query.slo, query.compliance
    word, tone = _state(query)
    within = compliance.within / compliance.executions if compliance is not None and compliance.executions else None
    left = None if query.budget is None else query.budget.left
    cells = (
        escape(query.query),
        f'<span class="{tone}">{word}</span>' if tone else word,
        f"{query.executions:,}",
        f"{query.failures:,}" if query.failures else "",
        _ms(None if query.observed is None else query.observed.p99_ms),
        _ms(query.sizes[0].predicted.typical_p99_ms if query.sizes and query.sizes[0].predicted is not None else None),
        "" if slo is None else f"{100 * slo.quantile:.4g} % under {_ms(slo.threshold_ms)}",
        "" if within is None else f"{math.floor(within * 10_000) / 100:.2f} %",
        "" if left is None else f"{100 * left:.0f} %" if left >= 0 else f"used {1 - left:.1f} times",
        _drawn(points, None if slo is None else slo.threshold_ms, query.query),
    )
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def _state(query: QueryLatencyRead) -> tuple[str, str]:
    """What is to be said of a query, and how it is coloured."""
    if is_failing(query):
        return "failing", "bad"
    if query.incidents:
        return ", ".join(dict.fromkeys(_INCIDENTS[incident.kind] for incident in query.incidents)), "bad"
    if budget_left(query) < 0:
        return "over its error budget", "bad"
    if query.agreement is not None and query.agreement.outcome in ("slower", "faster"):
        return f"{query.agreement.outcome} than predicted", ""
    return ("SLO kept", "good") if query.budget is not None and query.budget.left is not None else ("", "")


def _drawn(points: Sequence[LatencyPointRead], threshold_ms: float | None, name: str) -> str:
    """The p99 over the week on a logarithmic scale, with the SLO's threshold as dashes."""
    values = [point.p99_ms for point in points if point.p99_ms > 0]
    if len(values) < 2:
        return ""
    ends = [*values, *([threshold_ms] if threshold_ms else [])]
    low, high = min(ends) / 1.1, max(ends) * 1.1
    first, last = points[0].at.timestamp(), points[-1].at.timestamp()

    def y(value: float) -> float:
        return _HEIGHT - 2 - math.log(value / low) / math.log(high / low) * (_HEIGHT - 4)

    drawn = [
        f"{(point.at.timestamp() - first) / max(last - first, 1) * (_WIDTH - 4) + 2:.1f} {y(point.p99_ms):.1f}"
        for point in points
        if point.p99_ms > 0
    ]
    limit = (
        f'<line x1="0" x2="{_WIDTH}" y1="{y(threshold_ms):.1f}" y2="{y(threshold_ms):.1f}"/>' if threshold_ms else ""
    )
    label = escape(f"p99 of {name} from {_ms(values[0])} to {_ms(values[-1])}", quote=True)
    size = f'viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}"'
    return f'<svg {size} role="img" aria-label="{label}">{limit}<path d="M{" L".join(drawn)}"/></svg>'


def _idle(names: Sequence[str]) -> str:
    if not names:
        return ""
    listed = ", ".join(map(escape, names))
    return (
        f"<details><summary>{_counted(len(names), 'query', 'queries')} did not run</summary><p>{listed}</p></details>"
    )


def _deployments(week: Week) -> str:
    items = "".join(
        f"<li>{_moment(marker.at)}: version {marker.version}, "
        + (f"with new plans of {escape(', '.join(marker.changed))}" if marker.changed else "with the same plans")
        + "</li>"
        for marker in week.latency.markers
    )
    return f"<h2>Deployments</h2>\n<ul>{items}</ul>" if items else ""


def _alerts(alerts: Sequence[AlertRead]) -> str:
    items = "".join(
        f"<li>{_moment(alert.at)}: {escape(alert.message)}{' – over' if alert.state == 'resolved' else ''}</li>"
        for alert in alerts
    )
    return f"<h2>Alerts</h2>\n<ul>{items}</ul>" if items else ""


def _ms(milliseconds: float | None) -> str:
    return "–" if milliseconds is None else f"{milliseconds:.3g} ms"


def _day(moment: datetime) -> str:
    return f"{moment:%B} {moment.day}, {moment.year}"


def _moment(moment: datetime) -> str:
    return f"{moment:%B} {moment.day}, {moment:%H:%M} UTC"


def _counted(count: int, one: str, many: str | None = None) -> str:
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"
