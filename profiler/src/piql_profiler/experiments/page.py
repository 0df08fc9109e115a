"""An outcome as one HTML page that needs nothing else: our figure beside what the paper claims; light and dark."""

from __future__ import annotations

from html import escape

from piql_profiler.experiments.chart import drawn
from piql_profiler.experiments.experiment import Experiment, Outcome, Value

_STYLE = """
  :root { color-scheme: light dark; --ink: #1c1c1a; --faint: #5d5d57; --line: #d8d8d2; --page: #fff; }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #ecece6; --faint: #a9a9a1; --line: #44443f; --page: #191918; }
  }
  body { font: 14px/1.5 system-ui, sans-serif; max-width: 1080px; margin: 2em auto; padding: 0 16px;
         color: var(--ink); background: var(--page); }
  .wide { overflow-x: auto; }
  table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 16px 0; }
  th, td { padding: 4px 10px; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
  td.number { text-align: right; white-space: nowrap; }
  figure { margin: 24px 0; } svg { max-width: 100%; height: auto; }
  .how { color: var(--faint); }
"""


def as_page(experiment: Experiment, outcome: Outcome) -> str:
    """Return the page of one run."""
    claims = "".join(
        f"<tr><td>{escape(claim.paper)}</td><td>{escape(claim.ours)}</td><td><em>{claim.verdict}</em></td></tr>"
        for claim in outcome.claims
    )
    heads = "".join(f"<th>{escape(column)}</th>" for column in outcome.columns)
    rows = "".join(
        "<tr>" + "".join(_cell(row.get(column)) for column in outcome.columns) + "</tr>" for row in outcome.rows
    )
    figure = f"<figure>{drawn(outcome.chart)}</figure>" if outcome.chart else ""
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{escape(experiment.title)}</title>
<style>{_STYLE}</style>
<h1>{escape(experiment.title)}: <em>{outcome.verdict}</em></h1>
<p>{escape(experiment.paper)}. {escape(experiment.about)}</p>
<table><thead><tr><th>the paper</th><th>here</th><th>verdict</th></tr></thead><tbody>{claims}</tbody></table>
{figure}
<div class="wide"><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>
<p class="how">{escape(outcome.how)}</p>
</html>
"""


def _cell(value: Value) -> str:
    return f'<td class="number">{escape(text(value))}</td>' if _is_number(value) else f"<td>{escape(text(value))}</td>"


def text(value: Value) -> str:
    """Return a value of a row as it is shown."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.3f}" if abs(value) < 10 else f"{value:,.1f}"
    return f"{value:,}" if _is_number(value) else str(value)


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float)
