"""`piql capacity`: how much load a store takes before an SLO breaks, and what breaks first.

    queries, rates, SLOs, a profile run  ──▶  Report  ──▶  `capacity_output`: tables or JSON

Exit codes: 0 the SLOs are kept at these rates, 1 not predictable, 2 wrong arguments, 99 an SLO is predicted to fail.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from piql.commands.arguments import compile_path

from piql_profiler.capacity.load import Slo
from piql_profiler.capacity.refusals import (
    BadQuestion,
    DataMissing,
    IsOneNode,
    PartTooLarge,
    SizeMissing,
    SloWithoutRate,
    Unanswerable,
    UsersMissing,
)
from piql_profiler.capacity.report import ASSUMED_BUSY, Asked, report_of, waits_of
from piql_profiler.capacity.uncertain import Uncertain
from piql_profiler.commands.capacity_output import as_json, print_report
from piql_profiler.commands.given import limits_in, slos_in
from piql_profiler.drift.judge import stale_operators
from piql_profiler.drift.look import read_looks
from piql_profiler.predictor.model import NotPredictable
from piql_profiler.predictor.models import DEFAULT_MODEL, MODELS, build_model
from piql_profiler.predictor.openslo import ALL_QUERIES, Objective, UnreadableSlo
from piql_profiler.runs.run_files import UnreadableRun, load, read_info

SLO_FAILED = 99
_ASSUMED = f"{ASSUMED_BUSY.low:g},{ASSUMED_BUSY.mid:g},{ASSUMED_BUSY.high:g}"
_GIGABYTE = 10**9
_ADVICE: Mapping[type[Unanswerable], str] = {  # what to do about it here, after the reason
    SloWithoutRate: "add --rate {name}=N",
    IsOneNode: "it takes no --nodes, --cores or --busy",
    SizeMissing: "say with --nodes and --cores what it was measured on",
    PartTooLarge: f"write --busy like {_ASSUMED}",
    UsersMissing: "say with --users whose rates --rate gives",
    DataMissing: "say with --users and --rows how much there is",
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="piql capacity", description="Say how much load a store takes before an SLO breaks."
    )
    parser.add_argument("source", type=Path, help="a .piql file, or a folder of them")
    parser.add_argument("--run", required=True, type=Path, metavar="DIR", help="the folder of a profile run")
    parser.add_argument(
        "--rate",
        action="append",
        required=True,
        default=[],
        metavar="QUERY=N",
        help="executions a second: a number, or low,mid,high (5, 50 and 95 of 100 lie below); once for each query",
    )
    parser.add_argument("--slo", metavar="MS|FILE", help="a threshold of the p99 of all queries, or OpenSLO documents")
    parser.add_argument("--set", action="append", default=[], metavar="LIMIT=N", help="such as subscriptions.owner=50")
    parser.add_argument("--nodes", type=int, metavar="N", help="of the cluster that was profiled")
    parser.add_argument("--cores", type=int, metavar="N", help="of each of its nodes")
    parser.add_argument(
        "--busy",
        metavar="LOW,MID,HIGH",
        help=f"the part of a single request's time that keeps a core busy, assumed of a cluster ({_ASSUMED})",
    )
    parser.add_argument(
        "--users",
        type=float,
        metavar="N",
        help="the rates are those of N users, such as 2e4; also shows 10³ to 10⁹ users",
    )
    parser.add_argument(
        "--rows", action="append", default=[], metavar="TABLE=N", help="rows of one user: a number, or low,mid,high"
    )
    parser.add_argument("--copies", type=int, default=1, metavar="N", help="of each row, on different nodes")
    parser.add_argument("--node-gigabytes", type=float, metavar="N", help="of data that one node may hold")
    parser.add_argument(
        "--unbounded",
        action="append",
        default=[],
        metavar="QUERY=N",
        help="a plan without a bound beside a query: it scans N rows for each user there is",
    )
    parser.add_argument("--model", choices=tuple(MODELS), default=DEFAULT_MODEL)
    parser.add_argument("--output", choices=("table", "json"), default="table")
    return parser


def capacity(argv: Sequence[str] | None = None) -> int:
    """Say how much load a store takes; return an exit code."""
    parser = _parser()
    options = parser.parse_args(argv)
    rates = _quantities(parser, "--rate", options.rate, "findUser=500 or findUser=300,500,900")
    rows = _quantities(parser, "--rows", options.rows, "thoughts=200 or thoughts=50,200,900")
    unbounded = _quantities(parser, "--unbounded", options.unbounded, "followersOf=0.001")
    busy = _quantities(parser, "--busy", [f"busy={options.busy}"], _ASSUMED) if options.busy else {}
    try:
        values = limits_in(options.set)
    except ValueError:
        parser.error("--set takes LIMIT=N with a whole number from 1, for example subscriptions.owner=50")
    try:
        slos = slos_in(options.slo, 0.99, 600.0)
    except (OSError, UnreadableSlo) as error:
        parser.error(f"--slo: {error}")
    _check(parser, options)
    of_all = slos.get(ALL_QUERIES)
    asked = Asked(
        rates=rates,
        slos={name: _slo(objective) for name, objective in slos.items() if name != ALL_QUERIES},
        slo=None if of_all is None else _slo(of_all),
        limits=values,
        users=options.users,
        rows_of_user=rows,
        copies=options.copies,
        node_bytes=options.node_gigabytes * _GIGABYTE if options.node_gigabytes else math.inf,
        unbounded=unbounded,
        nodes=options.nodes,
        cores=options.cores,
        busy=busy.get("busy"),
    )
    compilation = compile_path(parser, options.source)
    if compilation.has_errors:
        print(f"piql capacity: there are errors in {options.source}; `piql check` shows them", file=sys.stderr)
    try:
        report = report_of(asked, compilation, build_model(load(options.run), options.model))
        notes = _notes(options.run)
    except BadQuestion as error:
        parser.error(_with_advice(error))
    except Unanswerable as error:
        print(f"piql capacity: {_with_advice(error)}", file=sys.stderr)
        return 1
    except (NotPredictable, UnreadableRun) as error:
        print(f"piql capacity: {error}", file=sys.stderr)
        return 1
    if options.output == "json":
        print(json.dumps(as_json(report, notes), indent=2))
    else:
        print_report(report, notes)
    return 0 if report.keeps_slos else SLO_FAILED


def _check(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """End with a message where numbers make no sense."""
    for name in ("nodes", "cores", "copies"):
        if (number := getattr(options, name)) is not None and number < 1:
            parser.error(f"--{name} is a whole number from 1")
    if options.users is not None and not 1 <= options.users < 1e12:
        parser.error("--users is a number from 1")
    if options.node_gigabytes is not None and not 0 < options.node_gigabytes < math.inf:
        parser.error("--node-gigabytes is a number above 0")


def _slo(objective: Objective) -> Slo:
    return Slo(objective.quantile, objective.threshold_ms)


def _with_advice(error: Unanswerable) -> str:
    """The reason, and what to do about it where a change of the arguments helps."""
    advice = _ADVICE.get(type(error))
    return f"{error}: {advice.format(name=error.name)}" if advice else str(error)


def _quantities(
    parser: argparse.ArgumentParser, option: str, texts: Iterable[str], example: str
) -> dict[str, Uncertain]:
    """The texts NAME=NUMBER of an option, by name."""
    quantities: dict[str, Uncertain] = {}
    for text in texts:
        name, _, number = text.partition("=")
        try:
            quantity = Uncertain.read(number)
        except ValueError as error:
            parser.error(f"{option} {text}: {error}; write it like {example}")
        if name in quantities:
            parser.error(f"{option} gives {name} twice")
        quantities[name] = quantity
    return quantities


def _notes(run: Path) -> tuple[str, ...]:
    """What makes the profile less sure: operators that changed since, or clients that waited for each other."""
    notes = []
    if stale := stale_operators(read_looks(run)):
        names = ", ".join(operator.value for operator in stale)
        notes.append(f"the profile is stale: {names} took a different time when last looked at; piql profile --refresh")
    if waits := waits_of(read_info(run).settings.clients):
        notes.append(f"{waits}; profile with --clients 1")
    return tuple(notes)
