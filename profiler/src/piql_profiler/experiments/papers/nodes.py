"""VLDB 2012, figures 8 to 11: throughput grows with the nodes, and the p99 stays, for SCADr and for TPC-W."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import numpy as np
import piql

from piql_profiler.experiments.closed_loop import CallStage, Measured, NodeLaw, run
from piql_profiler.experiments.experiment import Chart, Experiment, Outcome, Row, Series
from piql_profiler.experiments.stage import Simulated, Stage
from piql_profiler.experiments.verdicts import Claim, at_least, at_most, ratio_of_runs, shown

_THREADS = 5  # a node: ten on each client machine, of which there is one for two nodes
_MOST_GROWTH, _LEAST_SHARE = 1.10, 0.95
_LAW = NodeLaw()


_Results = Mapping[tuple[str, int], Sequence[Measured]]
"""By application and nodes: several runs, each with places of the nodes and arrivals of its own."""


def _run(stage: Stage) -> Outcome:
    sizes = (20, 40, 60, 80, 100) if not stage.is_short else (4, 8)
    kinds = {"SCADr": _scadr(stage), "TPC-W": _tpcw(stage)}
    runs = stage.number(6, 3)
    results = {
        (application, nodes): [
            run(_LAW, nodes, _THREADS * nodes, of_calls, 150 * nodes, stage.seed + 100 * nodes + at)
            for at in range(runs)
        ]
        for application, of_calls in kinds.items()
        for nodes in sizes
    }
    return Outcome(
        how=f"Simulated clusters, seed {stage.seed}, {runs} runs a row. {_LAW.said()} {_THREADS} threads a node call "
        "without thinking. A call of SCADr is its home page, four queries one after the other; a call of TPC-W is one "
        "of ten read queries of its interactions at random (the paper's ordering mix has writes, too). Their requests "
        "and rows are those of executions on an embedded store: "
        f"{'; '.join(f'{name} {_said(of_calls)} a call' for name, of_calls in kinds.items())}. *Busiest node* is how "
        "many times the mean number of keys the node with the most of them has: nobody moves keys, as a store that "
        "balances its load would.",
        columns=(
            "application",
            "nodes",
            "calls a second",
            "calls a second and node",
            "p50 ms",
            "p99 ms",
            "busiest node",
        ),
        rows=tuple(_row(*key, measured) for key, measured in results.items()),
        chart=Chart(
            "Throughput by nodes",
            "nodes",
            "calls a second",
            tuple(
                Series(application, tuple((nodes, _per_second(results[application, nodes])) for nodes in sizes))
                for application in kinds
            ),
            "linear",
        ),
        claims=tuple(claim for application in kinds for claim in _claims(application, sizes, results)),
    )


def _scadr(stage: Stage) -> list[list[CallStage]]:
    """Return the requests of SCADr's home page, with ten subscriptions."""
    data = stage.rows("scadr", users=stage.number(500, 60), thoughts_per_user=20, subscriptions_per_user=10)
    with stage.simulated() as simulated:
        _fill(simulated, stage, "scadr", data)
        me = data["users"][7]["username"]
        queries: Mapping[str, Mapping[str, object]] = {
            "findUser": {"username": me},
            "usersFollowedBy": {"me": me},
            "myThoughts": {"me": me},
            "thoughtstream": {"me": me, "count": 10},
        }
        return [[trip for query, parameters in queries.items() for trip in _recorded(simulated, query, parameters)]]


def _tpcw(stage: Stage) -> list[list[CallStage]]:
    """Return the requests of the read queries of TPC-W's interactions, for one customer."""
    data = stage.rows("tpcw", customers=stage.number(200, 40), items=stage.number(800, 200))
    chance = random.Random(stage.seed)
    item = chance.choice(data["item"])
    who = {"uname": data["customer"][7]["c_uname"]}
    parameters: Mapping[str, Mapping[str, object]] = {
        "home": who,
        "newProducts": {"subject": item["i_subject"], "count": 20},
        "productDetail": {"item": item["i_id"]},
        "searchByAuthor": {"name": data["author"][3]["a_lname"], "count": 20},
        "searchByTitle": {"word": str(item["i_title"]).split()[0], "count": 20},
        "orderDisplayCustomer": who,
        "orderDisplayLastOrder": who,
        "orderDisplayLines": {"order": data["order_line"][0]["ol_o_id"], "count": 100},
        "buyRequest": who,
        "shoppingCart": who,
    }
    with stage.simulated() as simulated:
        _fill(simulated, stage, "tpcw", data)
        return [_recorded(simulated, query, of_query) for query, of_query in parameters.items()]


def _fill(simulated: Simulated, stage: Stage, application: str, data: Mapping[str, list[dict[str, object]]]) -> None:
    simulated.db.deploy(piql.compile(stage.folder(application)))
    for table, rows in data.items():
        simulated.db.load(table, rows)


def _recorded(simulated: Simulated, query: str, parameters: Mapping[str, object]) -> list[CallStage]:
    """Execute a query, and return what each of its round trips asks for."""
    return [CallStage(requests, rows / requests) for requests, rows in simulated.trips_of(query, parameters)]


def _said(kinds: Sequence[Sequence[CallStage]]) -> str:
    requests = sum(stage.requests for stages in kinds for stage in stages) / len(kinds)
    return f"{requests:g} requests in {sum(map(len, kinds)) / len(kinds):g} round trips"


def _per_second(runs: Sequence[Measured]) -> float:
    return float(np.mean([measured.per_second for measured in runs]))


def _quantile_ms(runs: Sequence[Measured], quantile: float) -> float:
    return float(np.mean([np.quantile(measured.latencies_ms, quantile) for measured in runs]))


def _row(application: str, nodes: int, runs: Sequence[Measured]) -> Row:
    return {
        "application": application,
        "nodes": nodes,
        "calls a second": _per_second(runs),
        "calls a second and node": _per_second(runs) / nodes,
        "p50 ms": _quantile_ms(runs, 0.5),
        "p99 ms": _quantile_ms(runs, 0.99),
        "busiest node": float(np.mean([measured.busiest for measured in runs])),
    }


def _claims(application: str, sizes: tuple[int, ...], results: _Results) -> tuple[Claim, Claim]:
    few, many = sizes[0], sizes[-1]
    small, large = results[application, few], results[application, many]
    rates = [[measured.per_second / nodes for measured in results[application, nodes]] for nodes in (many, few)]
    tails = [[float(np.quantile(measured.latencies_ms, 0.99)) for measured in runs] for runs in (large, small)]
    share, growth = ratio_of_runs(*rates), ratio_of_runs(*tails)
    return (
        Claim(
            f"{application}: throughput grows near linearly from {few} to {many} nodes",
            f"a node of {many} makes {shown(share)} times the calls of a node of {few}; near is taken as at least "
            f"{_LEAST_SHARE}",
            at_least(share, _LEAST_SHARE),
        ),
        Claim(
            f"{application}: the p99 stays virtually constant",
            f"with {many} nodes it is {shown(growth)} times that with {few}; virtually is taken as at most "
            f"{_MOST_GROWTH}",
            at_most(growth, _MOST_GROWTH),
        ),
    )


EXPERIMENT = Experiment(
    name="vldb-figures-8-11",
    paper="VLDB 2012, figures 8 to 11",
    title="Throughput and p99 by nodes",
    about="SCADr and TPC-W on simulated clusters of 20 to 100 nodes, the same number of clients for each node.",
    minutes=2,
    run=_run,
    not_on_stores="its nodes are simulated, since 20 to 100 of them are needed",
)
