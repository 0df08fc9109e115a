"""`piql load-test`: calls deployed queries, at a stated rate or in a closed loop, and says what came of it.

    --out FILE.json, --hlog FILE, --html FILE    what is kept of a run; --compare holds two of the JSON files together

Exit codes: 0 no threshold was crossed and no SLO broken, 1 failed, 2 wrong arguments, 97 the client itself could not
keep up, 99 a threshold was crossed, an SLO broken, or the second run is slower, 130 stopped by SIGTERM or Ctrl+C.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType

from piql.commands.existing import open_existing, refuse_undeployed
from piql.errors import PiqlError
from piql.text.web_addresses import web_address_of

from piql_profiler.commands.given import slos_in
from piql_profiler.commands.load_test_output import REPORTS
from piql_profiler.load_runs.arrivals import Step
from piql_profiler.load_runs.clients import ClientsUnable
from piql_profiler.load_runs.comparison import compare
from piql_profiler.load_runs.hdr_log import write_log
from piql_profiler.load_runs.mixes import MIXES, UnknownMix, weights_of
from piql_profiler.load_runs.page import as_page
from piql_profiler.load_runs.reporting import EXAMPLE, NotReported, RunReporter, Workbench, workbench_of
from piql_profiler.load_runs.reporting import TOKEN_VARIABLE as WORKBENCH_TOKEN
from piql_profiler.load_runs.result import CalledQuery, LoadRun, Second, Setting
from piql_profiler.load_runs.result_file import UnreadableResult, as_json, read_result, write_result
from piql_profiler.load_runs.run import Plan, run_load
from piql_profiler.load_runs.targets import TOKEN_VARIABLE, Address
from piql_profiler.load_runs.thresholds import UnreadableThreshold, threshold_of
from piql_profiler.load_runs.verdicts import Objectives, objective_of, verdict_of
from piql_profiler.load_runs.wording import as_text, comparison_text
from piql_profiler.measure.store_urls import STORE_VARIABLE, refuse_bucket, without_password
from piql_profiler.predictor.openslo import UnreadableSlo

CLIENT_LIMIT, CROSSED, INTERRUPTED = 97, 99, 130
_MOST_CLIENTS, _MOST_CONNECTIONS = 64, 1_000


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="piql load-test",
        description="Call deployed queries at a stated rate, or in a closed loop; only queries that you name write.",
    )
    parser.add_argument(
        "--store",
        default=os.environ.get(STORE_VARIABLE) or None,
        metavar="URL",
        help=f"with queries deployed and rows loaded; put a URL with a password into {STORE_VARIABLE}",
    )
    parser.add_argument(
        "--service",
        metavar="URL",
        help="call this query service instead; parameters are still drawn from the rows in --store. Put its token into "
        + TOKEN_VARIABLE,
    )
    parser.add_argument(
        "--mix", choices=tuple(MIXES), help="the queries of a sample application; else every deployed one that reads"
    )
    parser.add_argument(
        "--query",
        action="append",
        default=[],
        metavar="NAME[=WEIGHT]",
        help="call this query, so often compared with others (1); a query that writes is called only if named here",
    )
    parser.add_argument("--rate", metavar="N[,N…]", help="calls a second of all queries, one number for each step")
    parser.add_argument(
        "--closed",
        action="store_true",
        help="state no rate: each connection makes its next call when its last one has ended",
    )
    parser.add_argument("--seconds", default="30", metavar="N[,N…]", help="how long each step lasts")
    _add_limits(parser)
    _add_clients(parser)
    _add_results(parser)
    return parser


def _add_limits(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--stop-if",
        action="append",
        default=[],
        metavar="THRESHOLD",
        help="stop when it is passed: 'p99 > 50ms', 'errors > 1%%', 'backlog > 200', 'findUser p95 > 10ms'",
    )
    parser.add_argument(
        "--window", type=float, default=10.0, metavar="SECONDS", help="the last seconds, which a threshold is about"
    )
    parser.add_argument(
        "--at-least", type=int, default=300, metavar="N", help="a threshold is checked where the window has N calls"
    )
    parser.add_argument("--slo", metavar="MS|FILE", help="a threshold of the p99 of all queries, or OpenSLO documents")


def _add_clients(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--clients", type=int, default=max(1, (os.cpu_count() or 2) - 1), metavar="N", help="processes that call"
    )
    parser.add_argument(
        "--connections", type=int, metavar="N", help="calls under way at once at most, of all clients (16 for each)"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the moments when calls are due, and of parameters")


def _add_results(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the result as JSON")
    parser.add_argument("--hlog", type=Path, metavar="FILE", help="write an HdrHistogram log")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page that can be read offline")
    parser.add_argument(
        "--compare", nargs=2, type=Path, metavar="FILE", help="call nothing; compare two results that --out has written"
    )
    parser.add_argument(
        "--report", metavar="URL", help=f"show the run in a workbench while it goes on and after; such as {EXAMPLE}"
    )
    parser.add_argument(
        "--token-file", type=Path, metavar="FILE", help=f"a token of that workbench, else that in {WORKBENCH_TOKEN}"
    )
    parser.add_argument("--label", metavar="TEXT", help="what the workbench calls the run")
    parser.add_argument("--progress", choices=tuple(REPORTS), default="text")
    parser.add_argument("--output", choices=("table", "json"), default="table")


def load_test(argv: Sequence[str] | None = None) -> int:
    """Carry a load run out, or compare two; return an exit code."""
    parser = _parser()
    options = parser.parse_args(argv)
    if options.compare is not None:
        return _compare(options.compare)
    if options.store is None:
        parser.error("--store is required: it has the deployed queries, and the rows that parameters are drawn from")
    try:
        refuse_bucket(options.store)
        objectives = slos_in(options.slo, 0.99, 600.0)
        plan = _plan(options)
        workbench = None if options.report is None else workbench_of(options.report, options.token_file, os.environ)
    except (ValueError, UnknownMix, UnreadableThreshold) as error:
        parser.error(str(error))
    except UnreadableSlo as error:
        parser.error(f"--slo: {error}")
    except (PiqlError, OSError) as error:
        print(f"piql load-test: {error}", file=sys.stderr)
        return 1
    for sentence in _doubts(plan):
        print(f"piql load-test: {sentence}", file=sys.stderr)
    interrupted = threading.Event()
    before = [(number, signal.signal(number, _setting(interrupted))) for number in (signal.SIGINT, signal.SIGTERM)]
    try:
        run = _run(plan, options, workbench, interrupted)
        _keep(options, run, objectives)
    except (ClientsUnable, NotReported, OSError) as error:
        print(f"piql load-test: {error}", file=sys.stderr)
        return 1
    finally:
        for number, handler in before:
            signal.signal(number, handler)
    print(json.dumps(as_json(run), indent=2) if options.output == "json" else as_text(run, objectives))
    return _exit_code(run, objectives)


def _run(plan: Plan, options: argparse.Namespace, workbench: Workbench | None, interrupted: threading.Event) -> LoadRun:
    """Carry the run out, and report it where that was asked for."""
    show = REPORTS[options.progress]
    if workbench is None:
        return run_load(plan, show, interrupted)
    reporter = RunReporter(workbench, plan, options.label, interrupted, _complain)
    run: LoadRun | None = None

    def report(second: Second) -> None:
        show(second)
        reporter.add(second)

    try:
        run = run_load(plan, report, interrupted)
        return run
    finally:
        reporter.end(run)


def _complain(sentence: str) -> None:
    print(f"piql load-test: {sentence}", file=sys.stderr, flush=True)


def _setting(interrupted: threading.Event) -> Callable[[int, FrameType | None], None]:
    """A handler that ends the run with what was measured; a second signal ends it without."""

    def handle(number: int, _frame: FrameType | None) -> None:
        if interrupted.is_set():
            raise KeyboardInterrupt
        interrupted.set()

    return handle


def _plan(options: argparse.Namespace) -> Plan:
    """What to do; ValueError and the like say what is wrong with the arguments."""
    steps = _closed(options) if options.closed else _steps(options.rate, options.seconds)
    named = _named(options.query)
    address = Address(options.store, _service(options.service), os.environ.get(TOKEN_VARIABLE) or None)
    clients = options.clients
    connections = 16 * clients if options.connections is None else options.connections
    if not 1 <= clients <= _MOST_CLIENTS or not clients <= connections <= _MOST_CONNECTIONS:
        raise ValueError(
            f"--clients is a number from 1 to {_MOST_CLIENTS}, and --connections one from that to {_MOST_CONNECTIONS}"
        )
    if not 1.0 <= options.window <= 3600.0 or options.at_least < 1:
        raise ValueError("--window is a number of seconds from 1, and --at-least a number of calls from 1")
    for path in (options.out, options.hlog, options.html):
        if path is not None and not path.parent.is_dir():
            raise ValueError(f"{path}: there is no folder {path.parent}: make it first")
    if options.seed < 0:
        raise ValueError("--seed is a number from 0")
    with open_existing(options.store) as database:
        refuse_undeployed(database, options.store)
        deployed = database.deployment.compilation.queries
    weights = weights_of(options.mix, named, deployed)
    queries = []
    for name, weight in weights.items():
        bound = deployed[name].bound
        assert bound is not None  # it is deployed
        queries.append(CalledQuery(name, weight, bound.operations))
    setting = Setting(
        without_password(address.service_url or options.store),
        address.service_url is not None,
        steps,
        tuple(queries),
        clients,
        connections,
        options.seed,
        options.window,
        options.at_least,
    )
    reads = tuple(number for number, name in enumerate(weights) if deployed[name].kind == "select")
    return Plan(setting, address, reads, tuple(threshold_of(text, weights) for text in options.stop_if))


def _closed(options: argparse.Namespace) -> tuple[Step, ...]:
    seconds = _numbers("--seconds", options.seconds, "30")
    if options.rate is not None or len(seconds) != 1:
        raise ValueError("--closed has one step and no rate: leave --rate out, and give one number of --seconds")
    return (Step(None, seconds[0]),)


def _steps(rates: str | None, seconds: str) -> tuple[Step, ...]:
    if rates is None:
        raise ValueError("--rate is required: calls a second, such as 50, or 50,100,200 for three steps; or --closed")
    of_rates, of_seconds = _numbers("--rate", rates, "50,100,200"), _numbers("--seconds", seconds, "30")
    if len(of_seconds) == 1:
        of_seconds *= len(of_rates)
    if len(of_seconds) != len(of_rates):
        raise ValueError(
            f"--rate has {len(of_rates)} steps, and --seconds {len(of_seconds)}: give one, or one for each"
        )
    return tuple(Step(rate, length) for rate, length in zip(of_rates, of_seconds, strict=True))


def _numbers(option: str, text: str, example: str) -> list[float]:
    try:
        numbers = [float(word) for word in text.split(",")]
    except ValueError:
        numbers = []
    if not numbers or not all(0.0 < number < math.inf for number in numbers):
        raise ValueError(f"{option} {text}: write numbers above 0, for example {example}")
    return numbers


def _named(texts: Sequence[str]) -> dict[str, float]:
    named = {}
    for text in texts:
        name, equals, weight = text.partition("=")
        try:
            named[name] = float(weight) if equals else 1.0
        except ValueError:
            named[name] = 0.0
        if not 0.0 < named[name] < math.inf:
            raise ValueError(f"--query {text}: a weight is a number above 0, for example {name}=3")
    return named


def _service(url: str | None) -> str | None:
    if url is None:
        return None
    address = web_address_of(url)
    if address is None or address.scheme not in ("http", "https") or not address.host:
        raise ValueError("--service is no address: write one such as http://127.0.0.1:8500")  # it may hold a password
    if address.has_login:
        raise ValueError(f"--service takes no password: put the token of the service into {TOKEN_VARIABLE}")
    return url


def _doubts(plan: Plan) -> list[str]:
    """Thresholds that could not be checked at these rates, in sentences."""
    setting = plan.setting
    if setting.is_closed:
        return []
    most = max(step.rate or 0.0 for step in setting.steps)
    weights = {query.name: query.weight for query in setting.queries}
    doubts = []
    for threshold in plan.thresholds:
        share = weights[threshold.query] / sum(weights.values()) if threshold.query is not None else 1.0
        calls = most * share * setting.window_seconds
        if threshold.measure != "backlog" and calls < setting.at_least:
            doubts.append(
                f"{threshold.text!r} may never be checked: a window of {setting.window_seconds:g} s has about "
                f"{calls:.0f} calls, and {setting.at_least} are needed: write --window "
                f"{1.5 * setting.at_least / most / share:.0f}, or a smaller --at-least"
            )
    return doubts


def _keep(options: argparse.Namespace, run: LoadRun, objectives: Objectives) -> None:
    """Write the files that were asked for."""
    if options.out is not None:
        write_result(options.out, run)
    if options.hlog is not None:
        write_log(options.hlog, run)
    if options.html is not None:
        options.html.write_text(as_page(run, objectives), encoding="utf-8")


def _exit_code(run: LoadRun, objectives: Objectives) -> int:
    if run.ended == "interrupted":
        return INTERRUPTED
    if run.ended == "failed" or not any(line.answered for line in run.lines):
        return 1
    outcomes = {threshold.outcome for threshold in run.thresholds} | {
        verdict_of(run, line, objective).outcome
        for line in run.lines
        if (objective := objective_of(line, objectives)) is not None
    }
    if outcomes & {"crossed", "broken"}:
        return CROSSED
    is_client = any(run.limit_of_client(step) for step in range(len(run.setting.steps)))
    return CLIENT_LIMIT if is_client or "client" in outcomes else 0


def _compare(paths: Sequence[Path]) -> int:
    try:
        comparison = compare(*(read_result(path) for path in paths))
    except UnreadableResult as error:
        print(f"piql load-test: {error}", file=sys.stderr)
        return 2
    print(comparison_text(comparison))
    return CROSSED if any(pair.outcome == "slower" for pair in comparison.pairs) else 0
