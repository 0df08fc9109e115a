"""What `piql load-test` prints while it runs: one line a second, for people or programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict

from piql_profiler.load_runs.run import Progress


def print_progress(progress: Progress) -> None:
    """One line on stderr; percentiles are those of the window."""
    second, window = progress.second, progress.window
    busy = f"  client {second.computing:.0%} busy" if second.computing > 0.7 else ""
    print(
        f"{second.at:4.0f} s  asked {second.asked:g}/s  done {second.done:.4g}/s  p50 {_ms(window.p50_ms)}  "
        f"p99 {_ms(window.p99_ms)}  errors {second.errors}  backlog {second.backlog}{busy}",
        file=sys.stderr,
        flush=True,
    )


def print_json_progress(progress: Progress) -> None:
    """One line of JSON on stderr."""
    window = {"window_p50_ms": progress.window.p50_ms, "window_p99_ms": progress.window.p99_ms}
    print(json.dumps({**asdict(progress.second), **window}), file=sys.stderr, flush=True)


REPORTS: dict[str, Callable[[Progress], None]] = {
    "text": print_progress,
    "json": print_json_progress,
    "none": lambda progress: None,
}


def _ms(milliseconds: float | None) -> str:
    return "–" if milliseconds is None else f"{milliseconds:.3g} ms"
