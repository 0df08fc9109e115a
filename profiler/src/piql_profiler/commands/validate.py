"""`piql validate`: compares predictions with what deployed queries take, and writes a report.

    DIR/validation.json, DIR/report.html    the comparison; DIR is also a profile run

Exit codes: 0 validated, 1 failed, 2 wrong arguments, 130 stopped by SIGTERM or Ctrl-C.
"""

from __future__ import annotations

import argparse
import json
import math
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from piql.errors import PiqlError

from piql_profiler.commands.profile import CANCELLED, grid_of
from piql_profiler.measure.store_urls import refuse_bucket
from piql_profiler.predictor.model import NotPredictable
from piql_profiler.runs.profile_run import Cancelled
from piql_profiler.runs.run_files import RunSettings, UnreadableRun
from piql_profiler.runs.runner import sentence_of
from piql_profiler.validation.report import as_json, as_page, as_table
from piql_profiler.validation.validate import validate as run


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="piql validate",
        description="Compare predictions with what the deployed queries take, measured in the same intervals.",
    )
    parser.add_argument("--store", required=True, metavar="URL", help="with queries deployed and rows loaded")
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="a new folder; also usable as a profile")
    parser.add_argument("--query", action="append", metavar="NAME", help="default: every deployed SELECT")
    parser.add_argument("--writes", action="store_true", help="execute writes, too: they change the data")
    parser.add_argument("--grid", default="default", help="as of piql profile")
    parser.add_argument("--interval", type=float, default=60.0, metavar="SECONDS")
    parser.add_argument("--intervals", type=int, default=5, metavar="N")
    parser.add_argument("--load", type=float, default=0.3, metavar="SHARE", help="how busy the client is kept (0.3)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", choices=("table", "json"), default="table")
    return parser


def validate(argv: Sequence[str] | None = None) -> int:
    """Measure deployed queries and operators in the same intervals, and compare; return an exit code."""
    parser = _parser()
    options = parser.parse_args(argv)
    try:
        refuse_bucket(options.store)
        grid = grid_of(options.grid)
    except ValueError as error:
        parser.error(str(error))
    if not 0.0 < options.interval < math.inf or options.intervals < 1 or not 0.0 <= options.load <= 0.7:
        parser.error("interval and intervals are positive numbers, and a load is a share from 0 to 0.7")
    settings = RunSettings(
        options.store, grid, options.interval, options.intervals, 1, options.seed, "local", options.load
    )
    before = signal.signal(signal.SIGTERM, _stop)
    try:
        validation = run(
            settings,
            options.out,
            options.query,
            lambda text: print(text, file=sys.stderr, flush=True),
            with_writes=options.writes,
        )
        (options.out / "validation.json").write_text(json.dumps(as_json(validation), indent=2) + "\n", encoding="utf-8")
        (options.out / "report.html").write_text(as_page(validation), encoding="utf-8")
    except UnreadableRun as error:
        parser.error(str(error))
    except NotPredictable as error:
        print(f"piql validate: {error}", file=sys.stderr)
        return 1
    except (PiqlError, OSError) as error:
        print(f"piql validate: {sentence_of(error)}", file=sys.stderr)
        return 1
    except (Cancelled, KeyboardInterrupt):
        print("piql validate: stopped before the end", file=sys.stderr)
        return CANCELLED
    finally:
        signal.signal(signal.SIGTERM, before)
    print(json.dumps(as_json(validation), indent=2) if options.output == "json" else as_table(validation))
    return 0


def _stop(number: int, _frame: FrameType | None) -> None:
    raise Cancelled
