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
from piql.compiler.result import Compilation
from piql.schema.catalog import Table

from piql_profiler.capacity.demand import AssumedDemands, Demands, DemandsInTurn
from piql_profiler.capacity.limits import capacity_of, nodes_for
from piql_profiler.capacity.load import Cluster, LoadModel, QueryLoad, Slo
from piql_profiler.capacity.success import (
    USERS,
    Growing,
    TableGrowth,
    Unbounded,
    stages,
    users_of_one_node,
    users_until,
)
from piql_profiler.capacity.uncertain import Answer, Uncertain
from piql_profiler.commands.capacity_output import Report, Success, as_json, print_report
from piql_profiler.commands.given import ALL_QUERIES, limits_in, query_named, slos_in, unknown
from piql_profiler.drift.judge import stale_operators
from piql_profiler.drift.look import read_looks
from piql_profiler.predictor.cardinalities import bytes_of, limits_of, work_of
from piql_profiler.predictor.model import Model, NotPredictable
from piql_profiler.predictor.models import DEFAULT_MODEL, MODELS, build_model
from piql_profiler.predictor.openslo import Objective, UnreadableSlo
from piql_profiler.runs.run_files import UnreadableRun, load, read_info

SLO_FAILED = 99
_ASSUMED = "0.2,0.5,1"
_GIGABYTE = 10**9


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
    try:
        values = limits_in(options.set)
    except ValueError:
        parser.error("--set takes LIMIT=N with a whole number from 1, for example subscriptions.owner=50")
    try:
        slos = slos_in(options.slo, 0.99, 600.0)
    except (OSError, UnreadableSlo) as error:
        parser.error(f"--slo: {error}")
    _check(parser, options)
    compilation = compile_path(parser, options.source)
    if compilation.has_errors:
        print(f"piql capacity: there are errors in {options.source}; `piql check` shows them", file=sys.stderr)
    try:
        measurements = load(options.run)
        model = build_model(measurements, options.model)
        queries = _queries(compilation, model, rates, values, slos)
        cluster, demands = _cluster(parser, options, model, queries)
        load_model = LoadModel(queries, model, demands, cluster)
        capacity_now = capacity_of(load_model)
        needed = None
        if not model.is_answered_in_turn:
            needed = nodes_for(queries, model, demands, cores=cluster.cores, measured_nodes=cluster.nodes)
        success = None
        if options.users is not None:
            growing = Growing(
                tuple(_of_one_user(query, options.users) for query in queries),
                _tables(compilation, rows, options.copies),
                _unbounded(compilation, unbounded),
                options.node_gigabytes * _GIGABYTE if options.node_gigabytes else math.inf,
            )
            growth = capacity_now.growth
            of_load = Answer(*(options.users * at for at in (growth.low, growth.mid, growth.high)))
            success = _success(growing, of_load, model, demands, cluster, slos)
        notes = _notes(options.run)
    except (NotPredictable, UnreadableRun) as error:
        print(f"piql capacity: {error}", file=sys.stderr)
        return 1
    report = Report(load_model, capacity_now, needed, success, demands.origin, notes, model.is_answered_in_turn)
    if options.output == "json":
        print(json.dumps(as_json(report), indent=2))
    else:
        print_report(report)
    return SLO_FAILED if any(query.slo for query in queries) and capacity_now.growth.mid < 1.0 else 0


def _check(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """End with a message where numbers make no sense, or say something that is not asked for."""
    for name in ("nodes", "cores", "copies"):
        if (number := getattr(options, name)) is not None and number < 1:
            parser.error(f"--{name} is a whole number from 1")
    if options.users is not None and not 1 <= options.users < 1e12:
        parser.error("--users is a number from 1")
    if options.node_gigabytes is not None and not 0 < options.node_gigabytes < math.inf:
        parser.error("--node-gigabytes is a number above 0")
    for name, sizes in (("--rows", options.rows), ("--unbounded", options.unbounded)):
        if sizes and options.users is None:
            parser.error(f"{name} is of users: say with --users whose rates --rate gives")
    for name, is_given in (("--copies", options.copies > 1), ("--node-gigabytes", options.node_gigabytes is not None)):
        if is_given and not options.rows:
            parser.error(f"{name} is of the data: say with --users and --rows how much there is")


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


def _queries(
    compilation: Compilation,
    model: Model,
    rates: Mapping[str, Uncertain],
    values: Mapping[str, int],
    slos: Mapping[str, Objective],
) -> list[QueryLoad]:
    """The queries that have a rate, each with its work under the limits that were set."""
    queries = []
    used: set[str] = set()
    for name, rate in rates.items():
        query = query_named(compilation, name)
        if query.plan is None:
            raise NotPredictable(f"{name} is not bounded, so no load of it can be told")
        symbols = {limit.symbol for limit in limits_of(query, is_stepped=not model.has_transactions)} & set(values)
        work = work_of(query.plan, {at: values[at] for at in symbols}, is_stepped=not model.has_transactions)
        objective = slos.get(name, slos.get(ALL_QUERIES))
        slo = None if objective is None else Slo(objective.quantile, objective.threshold_ms)
        queries.append(QueryLoad(name, work, rate, slo))
        used |= symbols
    if unused := sorted(set(values) - used):
        raise NotPredictable(f"no query with a rate has a limit {unused[0]!r}")
    if idle := sorted(set(slos) - {ALL_QUERIES} - set(rates)):
        raise NotPredictable(f"{idle[0]} has an SLO and no rate: add --rate {idle[0]}=N")
    return queries


def _cluster(
    parser: argparse.ArgumentParser, options: argparse.Namespace, model: Model, queries: Sequence[QueryLoad]
) -> tuple[Cluster, Demands]:
    """What was profiled, and how its demands are known."""
    if model.is_answered_in_turn:
        if (options.nodes, options.cores) not in {(None, None), (1, 1), (1, None), (None, 1)} or options.busy:
            parser.error("the run is of an embedded store: it is one node, and takes no --nodes, --cores or --busy")
        return Cluster(1), DemandsInTurn(model, (part.point for query in queries for part in query.work.operators))
    if options.nodes is None or options.cores is None:
        parser.error("the run is of a cluster: say with --nodes and --cores what it was measured on")
    try:
        share = Uncertain.read(options.busy or _ASSUMED)
    except ValueError as error:
        parser.error(f"--busy: {error}; write it like {_ASSUMED}")
    if share.high > 1.0:
        parser.error("--busy is a part of a request's time, so at most 1")
    return Cluster(options.nodes, options.cores), AssumedDemands(model, share)


def _of_one_user(query: QueryLoad, users: float) -> QueryLoad:
    rate = query.per_second
    return QueryLoad(
        query.name, query.work, Uncertain(rate.low / users, rate.mid / users, rate.high / users), query.slo
    )


def _tables(compilation: Compilation, rows: Mapping[str, Uncertain], copies: int) -> tuple[TableGrowth, ...]:
    for name in rows:
        if name not in compilation.tables:
            raise unknown("table", name, compilation.tables)
    return tuple(
        TableGrowth(name, quantity, copies * _stored_bytes(compilation, compilation.tables[name]))
        for name, quantity in rows.items()
    )


def _stored_bytes(compilation: Compilation, table: Table) -> int:
    """The bytes of a row and of its entries in all indexes, at the declared lengths."""
    sizes = {column.name: bytes_of(column.type) for column in table.columns}
    indexes = [index for index in compilation.indexes.values() if index.table == table.name]
    return sum(sizes.values()) + sum(sizes[name] for index in indexes for name in index.held_columns)


def _unbounded(compilation: Compilation, given: Mapping[str, Uncertain]) -> tuple[Unbounded, ...]:
    plans = []
    for name, rows in given.items():
        query = query_named(compilation, name)
        bytes_of_bound = query.bound.bytes // max(1, query.bound.rows) if query.bound else 200
        plans.append(Unbounded(name, rows.mid, max(1, bytes_of_bound)))
    return tuple(plans)


def _success(
    growing: Growing,
    of_load: Answer,
    model: Model,
    demands: Demands,
    cluster: Cluster,
    slos: Mapping[str, Objective],
) -> Success:
    """What becomes of the set as its users grow: up to those that one node holds, where the store has no more."""
    of_one_node = users_of_one_node(growing, of_load) if model.is_answered_in_turn else None
    shown_users = [users for users in USERS if of_one_node is None or users <= of_one_node.mid]
    growth_stages = stages(growing, model, demands, cluster, shown_users)
    is_full = of_one_node is not None and of_one_node.mid < of_load.mid
    return Success(growing, growth_stages, _breaks_at(growing, model, slos), of_one_node, is_full)


def _breaks_at(growing: Growing, model: Model, slos: Mapping[str, Objective]) -> tuple[float | None, ...]:
    """From how many users on each plan without a bound breaks the SLO of its query; None where it has none."""
    objectives = [slos.get(plan.query, slos.get(ALL_QUERIES)) for plan in growing.unbounded]
    return tuple(
        None if objective is None else users_until(plan, model, objective.threshold_ms, objective.quantile)
        for plan, objective in zip(growing.unbounded, objectives, strict=True)
    )


def _notes(run: Path) -> tuple[str, ...]:
    """What makes the profile less sure: operators that changed since, or clients that waited for each other."""
    notes = []
    if stale := stale_operators(read_looks(run)):
        names = ", ".join(operator.value for operator in stale)
        notes.append(f"the profile is stale: {names} took a different time when last looked at; piql profile --refresh")
    if (clients := read_info(run).settings.clients) > 1:
        notes.append(
            f"the profile is of {clients} clients at once: its times hold waits, so the capacity is told too small; "
            "profile with --clients 1"
        )
    return tuple(notes)
