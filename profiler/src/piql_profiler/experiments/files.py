"""What a run leaves in its folder, and the result read back.

NAME/rows.parquet    the rows        NAME/figure.svg    the chart, if there is one
NAME/index.html      the page        NAME/result.json   verdict, claims and all else, for programs
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from piql_profiler.experiments.chart import drawn
from piql_profiler.experiments.experiment import Experiment, Outcome
from piql_profiler.experiments.page import as_page

RESULT, FIGURE, PAGE, ROWS = "result.json", "figure.svg", "index.html", "rows.parquet"


def write(
    folder: Path, experiment: Experiment, outcome: Outcome, seconds: float, ended_at: float, store: str | None = None
) -> None:
    """Write all files of a run; the result comes last, so that a folder which has one is complete.

    `store` is the one that the user has named, as it may be shown.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / RESULT).unlink(missing_ok=True)
    columns = {column: [row.get(column) for row in outcome.rows] for column in outcome.columns}
    pq.write_table(pa.table(columns), folder / ROWS)
    (folder / FIGURE).unlink(missing_ok=True)
    if outcome.chart is not None:
        (folder / FIGURE).write_text(drawn(outcome.chart), encoding="utf-8")
    (folder / PAGE).write_text(as_page(experiment, outcome), encoding="utf-8")
    content = as_json(experiment, outcome) | {"seconds": round(seconds, 1), "ended_at": ended_at, "store": store}
    (folder / RESULT).write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def as_json(experiment: Experiment, outcome: Outcome) -> dict[str, Any]:
    """Return all of a run as a value for JSON."""
    return {
        "name": experiment.name,
        "verdict": outcome.verdict,
        "how": outcome.how,
        "claims": [dataclasses.asdict(claim) for claim in outcome.claims],
        "columns": list(outcome.columns),
        "rows": [dict(row) for row in outcome.rows],
        "chart": None if outcome.chart is None else dataclasses.asdict(outcome.chart),
    }


def read_result(folder: Path) -> dict[str, Any] | None:
    """Return the result of the last whole run in a folder; None where there is none that can be read."""
    try:
        content = json.loads((folder / RESULT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) else None
