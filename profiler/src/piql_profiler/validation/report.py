"""A validation as a table for the terminal, as JSON, and as one HTML page that needs nothing else."""

from __future__ import annotations

import math
from html import escape
from typing import Any

from piql_profiler.measure.store_urls import without_password
from piql_profiler.predictor.models import DEFAULT_MODEL
from piql_profiler.validation.agreement import Agreement
from piql_profiler.validation.charts import errors_by_query, predicted_over_actual
from piql_profiler.validation.scores import Row, Summary, agreement_of, covered, summary_of, verdict
from piql_profiler.validation.validate import Validation

GOAL = 0.10  # of the relative error of a p99
MODELS = ("paper", DEFAULT_MODEL)


def as_table(validation: Validation) -> str:
    """What the paper's Table 1 shows, with the confidence interval of each actual p99."""
    width = max((len(row.query) for row in validation.rows), default=5)
    heads = "".join(f"  {name:>9}   error" for name in MODELS)
    lines = [f"{'query':{width}}  ops  executions   actual p99, ms (95 %)    {heads}"]
    for row in validation.rows:
        predicted = "  ".join(
            f"{_ms(row.predicted_us[name]):>9}  {row.error(name):+6.1%}{'!' if row.is_under(name) else ' '}"
            for name in MODELS
        )
        actual = f"{_ms(row.actual.estimate_us):>8} ({_ms(row.actual.low_us)} – {_ms(row.actual.high_us)})"
        lines.append(f"{row.query:{width}}  {row.operators:3}  {row.histogram.total:10}  {actual:26} {predicted}")
        lines.append(f"{'':{width}}  {_estimate(row)}: {_outcome(row)}")
    lines += [f"{name}: not compared: {why}" for name, why in validation.left_out]
    if validation.rows:
        lines += ["", *(_sentence(summary_of(name, validation.rows)) for name in MODELS), _coverage(validation)]
        lines.append("! the whole interval of the actual p99 lies above the prediction")
    return "\n".join(lines)


def as_json(validation: Validation) -> dict[str, Any]:
    """All numbers of a validation as JSON, latencies in ms."""
    held, bounded = covered(validation.rows)
    return {
        "store": without_password(validation.settings.store_url),
        "seed": validation.settings.seed,
        "interval_seconds": validation.settings.interval_seconds,
        "intervals": validation.settings.intervals,
        "load": validation.settings.load,
        "queries": [_row_json(row) for row in validation.rows],
        "left_out": [{"query": name, "reason": why} for name, why in validation.left_out],
        "models": [_summary_json(summary_of(name, validation.rows)) for name in MODELS] if validation.rows else [],
        "conservative": {"held": held, "of": bounded, "stated": 0.9},
    }


def as_page(validation: Validation) -> str:
    """The report as HTML with its charts drawn in SVG."""
    rows = "".join(_row_html(row) for row in validation.rows)
    summaries = "".join(
        f"<li>{escape(_sentence(summary_of(name, validation.rows)))}</li>" for name in MODELS if validation.rows
    )
    left_out = "".join(f"<li>{escape(name)}: {escape(why)}</li>" for name, why in validation.left_out)
    heads = "".join(f"<th>{name}, ms</th><th>error</th><th>within {GOAL:.0%}</th>" for name in MODELS)
    charts = (
        "\n".join([errors_by_query(validation.rows), predicted_over_actual(validation.rows)]) if validation.rows else ""
    )
    settings = validation.settings
    offered = f"clients kept busy for {settings.load:.0%} of their time (open loop)"
    if not settings.load:
        offered = "one execution after the other (closed loop)"
    protocol = (
        f"{settings.intervals} intervals of {settings.interval_seconds:g} s, queries and operators mixed at random "
        f"(seed {settings.seed}), {offered}, at the "
        f"cardinalities that the queries were executed with. Store: {without_password(settings.store_url)}; grid "
        f"{settings.grid.name}."
    )
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>PIQL: predicted and actual p99</title>
<style>
  body {{ font: 14px/1.5 system-ui, sans-serif; max-width: 1080px; margin: 2em auto; padding: 0 16px; color: #1c1c1a; }}
  table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; }}
  th, td {{ padding: 4px 10px; border-bottom: 1px solid #ddd; text-align: right; }}
  th:first-child, td:first-child {{ text-align: left; overflow-wrap: anywhere; min-width: 120px; }}
  td:nth-child(4) {{ white-space: nowrap; }}
  figure {{ margin: 24px 0; }} figcaption {{ color: #555; max-width: 560px; }}
  .under {{ font-weight: 700; }}
</style>
<h1>Predicted and actual p99</h1>
<p>{escape(protocol)}</p>
<table>
<thead>
<tr><th>query</th><th>operators</th><th>executions</th><th>actual p99, ms (95 %)</th>{heads}
<th>estimate</th><th>verdict</th></tr>
</thead>
<tbody>{rows}</tbody>
</table>
<ul>{summaries}<li>{escape(_coverage(validation))}</li>{left_out}</ul>
{charts}
</html>
"""


def _sentence(summary: Summary) -> str:
    composed = summary.mean_absolute_error_composed
    of_composed = "" if composed is None else f" ({composed:.1%} of queries with two or more operators)"
    medians = summary.median_absolute_error
    of_medians = "" if medians is None else f", of medians {medians:.1%}"
    return (
        f"{summary.model}: mean absolute error {summary.mean_absolute_error:.1%}{of_composed}{of_medians}, "
        f"bias {summary.bias:+.1%}, worst {summary.worst_over:+.1%} and {summary.worst_under:+.1%}, "
        f"surely under {summary.certain_unders}, excess pinball loss {summary.excess_pinball_us:.2f} µs, "
        f"false-safe {summary.false_safe:.1%}, false-alarm {summary.false_alarm:.1%}"
    )


def _coverage(validation: Validation) -> str:
    held, bounded = covered(validation.rows)
    if not bounded:
        return "no conservative prediction: the grid has too few points to check one by"
    return f"the conservative prediction (stated: 9 of 10) held for {held} of {bounded} queries"


def _row_json(row: Row) -> dict[str, Any]:
    return {
        "query": row.query,
        "operators": row.operators,
        "executions": row.histogram.total,
        "actual_p99_ms": row.actual.estimate_us / 1000,
        "actual_low_ms": row.actual.low_us / 1000,
        "actual_high_ms": row.actual.high_us / 1000 if math.isfinite(row.actual.high_us) else None,
        "predicted_p99_ms": {name: row.predicted_us[name] / 1000 for name in MODELS},
        "actual_median_ms": row.histogram.quantile_us(0.5) / 1000,
        "predicted_median_ms": {name: median_us / 1000 for name, median_us in row.predicted_median_us.items()},
        "conservative_p99_ms": None if row.conservative_us is None else row.conservative_us / 1000,
        "agreement": _agreement_json(agreement_of(row, DEFAULT_MODEL)),
        "verdict": {name: verdict(row, name, GOAL) for name in MODELS},
    }


def _agreement_json(agreement: Agreement) -> dict[str, Any]:
    return {"outcome": agreement.outcome, "executions": agreement.executions, "needed": agreement.needed}


def _estimate(row: Row) -> str:
    """The estimate, and what it stays below in 9 of 10 cases where that is known."""
    bound = "" if row.conservative_us is None else f" (9 of 10 ≤ {_ms(row.conservative_us)} ms)"
    return f"p99 ≈ {_ms(row.predicted_us[DEFAULT_MODEL])} ms{bound}"


def _outcome(row: Row) -> str:
    """The verdict over the executions in the words of the dashboard."""
    agreement = agreement_of(row, DEFAULT_MODEL)
    about = "" if agreement.needed is None else f", about {agreement.needed} executions would decide"
    match agreement.outcome:
        case "slower":
            return "slower than predicted"
        case "faster":
            return "faster than predicted"
        case "agrees":
            return "as predicted"
        case "too few":
            return f"too few executions{about}"
    return f"undecided{about}"


def _summary_json(summary: Summary) -> dict[str, Any]:
    return {
        "model": summary.model,
        "mean_absolute_error": summary.mean_absolute_error,
        "mean_absolute_error_composed": summary.mean_absolute_error_composed,
        "mean_absolute_error_of_medians": summary.median_absolute_error,
        "bias": summary.bias,
        "worst_over": summary.worst_over,
        "worst_under": summary.worst_under,
        "certain_unders": summary.certain_unders,
        "excess_pinball_us": summary.excess_pinball_us,
        "false_safe": summary.false_safe,
        "false_alarm": summary.false_alarm,
    }


def _row_html(row: Row) -> str:
    cells = "".join(
        f"<td>{_ms(row.predicted_us[name])}</td>"
        f'<td class="{"under" if row.is_under(name) else ""}">{row.error(name):+.1%}</td>'
        f"<td>{verdict(row, name, GOAL)}</td>"
        for name in MODELS
    )
    actual = f"{_ms(row.actual.estimate_us)} ({_ms(row.actual.low_us)} – {_ms(row.actual.high_us)})"
    return (
        f"<tr><td>{escape(row.query)}</td><td>{row.operators}</td><td>{row.histogram.total}</td>"
        f"<td>{actual}</td>{cells}<td>{escape(_estimate(row))}</td><td>{escape(_outcome(row))}</td></tr>"
    )


def _ms(microseconds: float) -> str:
    return "∞" if math.isinf(microseconds) else f"{microseconds / 1000:.3g}"
