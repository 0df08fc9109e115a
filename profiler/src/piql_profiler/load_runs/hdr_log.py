"""A load run as an HdrHistogram log: of each step and query its latencies (`rt`) and its service times (`st`).

Tag=findUser:50:rt,0.000,30.000,12.345,HIST…      query, calls a second of all queries (or closed), kind
"""

from __future__ import annotations

from pathlib import Path

from piql_profiler.load_runs.result import LoadRun
from piql_profiler.runs.hlog import TaggedLine, write_tagged_lines


def write_log(path: Path, run: LoadRun) -> None:
    """Write the log of a run."""
    lines = []
    for line in run.lines:
        began = sum(step.seconds for step in run.setting.steps[: line.step])
        rate = run.setting.steps[line.step].rate
        tag = f"{line.query}:{'closed' if rate is None else f'{rate:g}'}"
        for kind, histogram in (("rt", line.latency), ("st", line.service)):
            lines.append(TaggedLine(f"{tag}:{kind}", began, run.seconds_of(line.step), histogram))
    write_tagged_lines(path, run.started_at, lines)
