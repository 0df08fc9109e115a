"""A load run as a JSON file, and back. Latencies are histograms: the counts of bins, as in `measure.histogram`.

{"format": "piql-load-run", "version": 1, "setting": {…}, "lines": [{"step": 0, "query": …, "latency": {…}}], …}
"""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path
from typing import Any

from piql_profiler.load_runs.arrivals import Step
from piql_profiler.load_runs.result import (
    QUANTILES,
    CalledQuery,
    Line,
    LoadRun,
    QuerySecond,
    Second,
    Setting,
    ThresholdResult,
)
from piql_profiler.measure.histogram import Histogram

FORMAT, VERSION = "piql-load-run", 1


class UnreadableResult(Exception):
    """The file is no result of a load run; the message says why."""


def as_json(run: LoadRun) -> dict[str, Any]:
    """All of a run; the percentiles are there for other programs, in ms, and are not read again."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "started_at": run.started_at,
        "ended": run.ended,
        "is_partial": run.is_partial,
        "message": run.message,
        "seconds": run.seconds,
        "setting": dataclasses.asdict(run.setting),
        "lines": [_line_json(run, line) for line in run.lines],
        "thresholds": [dataclasses.asdict(threshold) for threshold in run.thresholds],
        "limits_of_client": {
            str(step): why for step in range(len(run.setting.steps)) if (why := run.limit_of_client(step)) is not None
        },
        "messages": dict(run.messages),
        "notes": list(run.notes),
        "timeline": [dataclasses.asdict(second) for second in run.timeline],
    }


def write_result(path: Path, run: LoadRun) -> None:
    """Write the JSON file of a run."""
    path.write_text(json.dumps(as_json(run), indent=1) + "\n", encoding="utf-8")


def read_result(path: Path) -> LoadRun:
    """Read the JSON file of a run; UnreadableResult for anything else."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UnreadableResult(f"{path}: {error.strerror}") from None
    except ValueError:
        raise UnreadableResult(f"{path} is no JSON: give what `piql load-test --out` has written") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise UnreadableResult(f"{path} is no load run: give what `piql load-test --out` has written")
    if content.get("version") != VERSION:
        raise UnreadableResult(f"{path} has version {content.get('version')}, and this piql reads version {VERSION}")
    try:
        return _run_of(content)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise UnreadableResult(f"{path} is damaged: {type(error).__name__}: {error}") from None


def _line_json(run: LoadRun, line: Line) -> dict[str, Any]:
    percentiles = {}
    for quantile in QUANTILES:
        precision = line.quantile(quantile)
        if precision is not None:
            percentiles[f"p{quantile * 100:g}"] = {
                "ms": precision.estimate_us / 1000,
                "low_ms": precision.low_us / 1000,
                "high_ms": precision.high_us / 1000,
                "is_at_least": line.is_at_least(quantile),
            }
    seconds = run.seconds_of(line.step)
    return {
        "step": line.step,
        "query": line.query,
        "asked_per_second": run.asked_rate(line),
        "done_per_second": line.ended_in_step / seconds if seconds else None,
        "due": line.due,
        "ended_in_step": line.ended_in_step,
        "answered": line.answered,
        "errors": dict(line.errors),
        "unanswered": line.unanswered,
        "most_requests": line.most_requests,
        "requests": line.requests,
        "percentiles": percentiles,
        "worth": {f"{quantile:g}": worth for quantile, worth in line.worth.items()},
        "latency": _histogram_json(line.latency),
        "service": _histogram_json(line.service),
        "lag": _histogram_json(line.lag),
    }


def _histogram_json(histogram: Histogram) -> dict[str, list[int]]:
    sparse = histogram.sparse()
    return {"bins": list(sparse), "counts": list(sparse.values())}


def _run_of(content: dict[str, Any]) -> LoadRun:
    setting = dict(content["setting"])
    setting["steps"] = tuple(Step(**step) for step in setting["steps"])
    setting["queries"] = tuple(CalledQuery(**query) for query in setting["queries"])
    rates = [step.rate for step in setting["steps"]]
    if not all(rate is None if rates[0] is None else rate is not None and 0.0 < rate < math.inf for rate in rates):
        raise ValueError("a rate is a number above 0")
    return LoadRun(
        Setting(**setting),
        float(content["started_at"]),
        content["ended"],
        content["message"],
        float(content["seconds"]),
        tuple(_line_of(line) for line in content["lines"]),
        tuple(_second_of(second) for second in content["timeline"]),
        tuple(ThresholdResult(**threshold) for threshold in content["thresholds"]),
        dict(content["messages"]),
        tuple(content["notes"]),
    )


def _second_of(second: dict[str, Any]) -> Second:
    queries = tuple(QuerySecond(**query) for query in second.get("queries", ()))
    return Second(**{**second, "queries": queries})


def _line_of(line: dict[str, Any]) -> Line:
    return Line(
        int(line["step"]),
        str(line["query"]),
        int(line["due"]),
        int(line["ended_in_step"]),
        _histogram_of(line["latency"]),
        _histogram_of(line["service"]),
        _histogram_of(line["lag"]),
        worth={float(quantile): float(worth) for quantile, worth in line["worth"].items()},
        errors={str(kind): int(count) for kind, count in line["errors"].items()},
        unanswered=int(line["unanswered"]),
        most_requests=int(line["most_requests"]),
        requests=int(line["requests"]),
    )


def _histogram_of(content: dict[str, Any]) -> Histogram:
    return Histogram.from_sparse(content["bins"], content["counts"])
