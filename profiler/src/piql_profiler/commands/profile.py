"""`piql profile`: measures the remote operators of a store, and keeps the run in a folder.

    --store URL      a new run                          --resume         go on with a run
    --look N         measure a few of its points again  --refresh OLD    measure its stale operators again
    --import FILE    make a run of measurements that were made elsewhere

Exit codes: 0 done, 1 failed, 2 wrong arguments, 98 stale, by --look, 130 cancelled by SIGTERM or Ctrl-C.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import FrameType

from piql.errors import PiqlError

from piql_profiler.drift.judge import LOOKS, Look, Ratio, stale_operators
from piql_profiler.drift.look import SECONDS, look
from piql_profiler.drift.refresh import refresh_profile
from piql_profiler.measure.grid import GRIDS, Grid
from piql_profiler.measure.store_urls import STORE_VARIABLE, refuse_bucket
from piql_profiler.measure.workload import Workload
from piql_profiler.runs.cluster import RayRunner
from piql_profiler.runs.hlog import write_hlog
from piql_profiler.runs.imports import import_run
from piql_profiler.runs.processes import adopt_orphans, end_descendants
from piql_profiler.runs.profile_run import KNOWN, Cancelled, Progress, resume_profile, run_profile
from piql_profiler.runs.run_files import RunInfo, RunSettings, UnreadableRun, mark_cancelled, read_cells, read_info
from piql_profiler.runs.runner import LocalRunner, Runner
from piql_profiler.runs.shares import Known

STALE = 98
CANCELLED = 130
_SECONDS_TO_STOP = 3.5  # after a request to stop; then everything is ended by force


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="piql profile", description="Measure the remote operators of a store.")
    parser.add_argument(
        "--store",
        default=os.environ.get(STORE_VARIABLE) or None,
        metavar="URL",
        help=f"as in piql.connect; put a URL with a password into {STORE_VARIABLE}, where nobody else sees it",
    )
    parser.add_argument(
        "--grid", default="small", help=f"{', '.join(GRIDS)}, or JSON with the levels of each dimension"
    )
    parser.add_argument("--interval", type=float, default=30.0, metavar="SECONDS", help="length of a profile interval")
    parser.add_argument("--intervals", type=int, default=3, metavar="N")
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="a new folder for the results")
    parser.add_argument(
        "--resume", action="store_true", help="continue the run in DIR, which was killed, stopped or failed"
    )
    parser.add_argument(
        "--look",
        type=int,
        metavar="N",
        help="measure a few points of the run in DIR again, N times, to see whether its profile is still true",
    )
    parser.add_argument(
        "--refresh",
        type=Path,
        metavar="OLD",
        help="measure the stale operators of the run in OLD again, and keep the rest",
    )
    parser.add_argument(
        "--import", dest="source", type=Path, metavar="FILE", help="make a run of an .hlog or Parquet file, or a folder"
    )
    parser.add_argument("--label", default="")
    parser.add_argument("--hlog", type=Path, metavar="FILE", help="also write an HdrHistogram log")
    parser.add_argument("--clients", type=int, default=max(1, (os.cpu_count() or 2) - 1), metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--load", type=float, default=0.5, metavar="SHARE", help="how busy each client is kept (0.5); 0: closed loop"
    )
    parser.add_argument(
        "--precision", type=float, default=0.1, metavar="SHARE", help="enough is measured at p99 ± this share (0.1)"
    )
    parser.add_argument("--runner", choices=("ray", "local"), default="ray", help="local measures in one process")
    parser.add_argument("--progress", choices=("text", "json", "none"), default="text")
    return parser


def profile(argv: Sequence[str] | None = None) -> int:
    """Measure the remote operators of a store; return an exit code."""
    parser = _parser()
    options = parser.parse_args(argv)
    try:
        settings = _settings_of(options)
    except ValueError as error:
        parser.error(str(error))
    _stop_on_signals(options.out)
    adopt_orphans()
    try:
        if options.look is not None:
            return _look(options.out, options.look)
        info = _measure(options, settings)
        if options.hlog is not None:
            write_hlog(options.hlog, read_cells(options.out))
    except UnreadableRun as error:
        parser.error(str(error))
    except (PiqlError, OSError) as error:
        print(f"piql profile: {error}", file=sys.stderr)
        return 1
    except (Cancelled, KeyboardInterrupt):
        return CANCELLED
    finally:
        end_descendants()
    if KNOWN in info.notes and options.progress == "text":
        print(Known(**info.notes[KNOWN]), file=sys.stderr)
    if info.state == "failed":
        print(f"piql profile: {info.message}", file=sys.stderr)
        return 1
    return 0


def _settings_of(options: argparse.Namespace) -> RunSettings:
    """The settings of a new run; ValueError says which options do not fit."""
    modes = (options.resume, options.look is not None, options.refresh is not None, options.source is not None)
    if sum(modes) > 1:
        raise ValueError("give only one of --resume, --look, --refresh and --import")
    if not any(modes) and options.store is None:
        raise ValueError("--store is required, unless a run is resumed, looked at, refreshed or imported")
    if not any(modes):
        refuse_bucket(options.store)
    if options.look is not None and options.look < 1:
        raise ValueError("--look is a number of looks, from 1")
    grid = grid_of(options.grid)
    if not 0.0 < options.interval < math.inf or options.intervals < 1 or options.clients < 1:
        raise ValueError("interval, intervals and clients are positive numbers")
    if not 0.0 <= options.load <= 0.7:
        raise ValueError("--load is a share from 0 to 0.7: a busier client measures itself instead of the store")
    if not 0.0 < options.precision < math.inf:
        raise ValueError("--precision is a positive share")
    return RunSettings(
        options.store,
        grid,
        options.interval,
        options.intervals,
        options.clients,
        options.seed,
        options.runner,
        options.load,
        options.precision,
    )


def _measure(options: argparse.Namespace, settings: RunSettings) -> RunInfo:
    """Import, refresh, resume or begin a run, as the options say."""
    report = _REPORTS[options.progress]
    if options.source is not None:
        return import_run(options.source, options.out, options.store, options.label)
    if options.refresh is not None:
        runner = _runner(read_info(options.refresh).settings)
        return refresh_profile(options.refresh, options.out, runner, report, options.label)
    if options.resume:
        return resume_profile(options.out, _runner(read_info(options.out).settings), report)
    return run_profile(settings, options.out, _runner(settings), report, options.label)


def grid_of(text: str) -> Grid:
    """The grid of a name, or of levels in JSON; ValueError says what is wrong."""
    if text in GRIDS:
        return GRIDS[text]
    try:
        levels = json.loads(text)
    except ValueError:
        raise ValueError(f"there is no grid {text!r}: choose {', '.join(GRIDS)}, or give JSON") from None
    if not isinstance(levels, dict):
        raise ValueError("a grid in JSON is an object of lists")
    grid = Grid.from_levels(levels)
    Workload(grid)  # raises ValueError for what cannot be measured
    return grid


def _look(run: Path, looks: int) -> int:
    """Measure how far the store is from its profile, and print it; return STALE when that is far, else 0."""

    def report(latest: Look) -> None:
        canaries = ", ".join(f"{canary.point.operator.value} {_times(canary.ratio)}" for canary in latest.canaries)
        print(f"p99 is {_times(latest.ratio)} what was measured ({canaries})", flush=True)

    looks_so_far = look(run, looks, SECONDS, report)
    stale = stale_operators(looks_so_far)
    if stale:
        names = ", ".join(operator.value for operator in stale)
        print(f"stale: {names}; piql profile --refresh {run} --out DIR measures that anew")
        return STALE
    print("not stale" if len(looks_so_far) >= LOOKS else f"not known to be stale: this takes {LOOKS} looks that agree")
    return 0


def _times(ratio: Ratio) -> str:
    return f"{ratio.factor:.2f} ({ratio.low:.2f} – {ratio.high:.2f}) times"


def _runner(settings: RunSettings) -> Runner:
    """Ray's runner, but on a machine with a single processor the local one: Ray and the client would only share it."""
    is_alone = settings.clients == 1 and _processors() == 1 and not os.environ.get("RAY_ADDRESS")
    if settings.runner == "local" or is_alone:
        return LocalRunner()
    return RayRunner(settings.clients)


def _processors() -> int:
    """Count the processors that this process may run on."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def _stop_on_signals(out: Path) -> None:
    """Let SIGTERM and Ctrl-C cancel the run, and end by force what does not stop in time."""

    def by_force() -> None:
        end_descendants()
        with contextlib.suppress(OSError, ValueError, KeyError):
            mark_cancelled(out)
        os._exit(CANCELLED)

    def stop(number: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        timer = threading.Timer(_SECONDS_TO_STOP, by_force)
        timer.daemon = True
        timer.start()
        raise Cancelled

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)


def _report_json(progress: Progress) -> None:
    print(json.dumps(asdict(progress)), flush=True)


def _report_text(progress: Progress) -> None:
    left = "" if progress.eta_seconds is None else f", about {progress.eta_seconds:.0f} s left"
    note = f": {progress.message}" if progress.message else ""
    print(
        f"{progress.state}: {progress.points_done} of {progress.points_total}{left}{note}", file=sys.stderr, flush=True
    )


_REPORTS: Mapping[str, Callable[[Progress], None]] = {
    "json": _report_json,
    "text": _report_text,
    "none": lambda progress: None,
}
