"""What `piql load-test` prints while it runs: one line a second, for people or programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict

from piql_profiler.load_runs.result import Second


def print_progress(second: Second) -> None:
    """One line on stderr; percentiles are those of the window."""
    asked = "" if second.asked is None else f"asked {second.asked:g}/s  "
    busy = f"  client {second.computing:.0%} busy" if second.computing > 0.7 else ""
    print(
        f"{second.at:4.0f} s  {asked}done {second.done:.4g}/s  p50 {_ms(second.window_p50_ms)}  "
        f"p99 {_ms(second.window_p99_ms)}  errors {second.errors}  backlog {second.backlog}{busy}",
        file=sys.stderr,
        flush=True,
    )


def print_json_progress(second: Second) -> None:
    """One line of JSON on stderr."""
    print(json.dumps(asdict(second)), file=sys.stderr, flush=True)


REPORTS: dict[str, Callable[[Second], None]] = {
    "text": print_progress,
    "json": print_json_progress,
    "none": lambda second: None,
}


def _ms(milliseconds: float | None) -> str:
    return "–" if milliseconds is None else f"{milliseconds:.3g} ms"
